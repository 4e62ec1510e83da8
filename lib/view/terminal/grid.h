/* The table of watch, drawn on a canvas: one row a channel, as many columns as the width allows,
 * side by side where there are more rows than fit; or one row a subject and one column a quantity.
 *
 *     struct aw_grid grid = {.title = "canpid", .link = "can:can0", .now_ns = now};
 *     aw_grid_draw(&grid, &channels, &canvas);
 */
#ifndef AW_VIEW_TERMINAL_GRID_H
#define AW_VIEW_TERMINAL_GRID_H

#include "view/terminal/braille.h"
#include "view/text/channels.h"

/* A column of the table in which a row is a subject. */
struct aw_grid_column {
    const char *field, *head; /* of the channel, and what stands above it */
};

/* What a value of this field of a subject is in another unit: *factor times as much. False: it is
 * shown as it is. */
typedef bool aw_grid_unit_fn(void *context, const char *subject, const char *field, double *factor,
                             const char **unit);

/* What stands around the rows. Texts may be NULL. */
struct aw_grid {
    const char *title, *link;
    const char *state;  /* of the link if it is not fine: "link lost, waiting" */
    const char *note;   /* the last remark, at the foot */
    const char *filter; /* only names that have this in them, or are like this pattern */
    bool typing;        /* the filter is being typed */
    bool frozen;
    bool stops;                           /* the key s stops the device */
    bool keys;                            /* they are explained, in place of the rows */
    const struct aw_grid_column *columns; /* {0}-terminated, the most wanted first: a row is a
                                             subject; NULL: a row is a field */
    bool listed;                          /* in spite of that a row is a field */
    aw_grid_unit_fn *unit;                /* or NULL */
    void *context;                        /* of unit */
    bool blocks;                          /* the trend is drawn, in block characters */
    uint64_t messages, lost, damaged;
    double rate_hz; /* of all messages */
    int64_t elapsed_ns, now_ns;
    size_t scroll;     /* the first row shown; drawing keeps it in range */
    size_t rows, page; /* out: how many there are, and how many fit */
};

void aw_grid_draw(struct aw_grid *grid, const struct aw_channels *channels,
                  struct aw_braille *canvas);

#endif
