/* The table of watch, drawn on a canvas. It has one row per channel, in several columns if there
 * are more rows than fit; or one row per subject and one column per quantity.
 *
 *     struct aw_grid grid = {.title = "canpid", .link = "can:can0", .now_ns = now};
 *     aw_grid_draw(&grid, &channels, &canvas);
 */
#ifndef AW_VIEW_TERMINAL_GRID_H
#define AW_VIEW_TERMINAL_GRID_H

#include "view/terminal/braille.h"
#include "view/text/channels.h"

/* A column of the table with one row per subject. */
struct aw_grid_column {
    const char *field, *head; /* field of the channel, and heading */
};

/* Converts a field of a subject to another unit: multiply by *factor. Returns false to leave it
 * unchanged. */
typedef bool aw_grid_unit_fn(void *context, const char *subject, const char *field, double *factor,
                             const char **unit);

/* Contents around the rows. Texts may be NULL. */
struct aw_grid {
    const char *title, *link;
    const char *state;  /* state of the link unless normal: "link lost, waiting" */
    const char *note;   /* last remark, at the foot */
    const char *filter; /* shows only names that contain this text or match this pattern */
    bool typing;        /* the filter is being typed */
    bool frozen;
    bool stops;                           /* the key s stops the device */
    bool keys;                            /* shows the help page instead of the rows */
    const struct aw_grid_column *columns; /* {0}-terminated, by priority: a row is a subject; NULL:
                                             a row is a field */
    bool listed;                          /* overrides columns: a row is a field */
    aw_grid_unit_fn *unit;                /* or NULL */
    void *context;                        /* for unit */
    bool blocks;                          /* draws the trend, in block characters */
    uint64_t messages, lost, damaged;
    double rate_hz; /* of all messages */
    int64_t elapsed_ns, now_ns;
    size_t scroll;     /* first row shown; drawing clamps it */
    size_t rows, page; /* out: total number of rows, and number that fits */
};

void aw_grid_draw(struct aw_grid *grid, const struct aw_channels *channels,
                  struct aw_braille *canvas);

#endif
