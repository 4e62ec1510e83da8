/* Draws the table of watch on a canvas. The table has one row per channel, in several columns if
 * there are more rows than fit. Or it has one row per subject and one column per quantity.
 *
 *     struct aw_grid grid = {.title = "canpid", .link = "can:can0", .now_ns = now};
 *     aw_grid_draw(&grid, &channels, &canvas);
 */
#ifndef AW_VIEW_TERMINAL_GRID_H
#define AW_VIEW_TERMINAL_GRID_H

#include "view/terminal/braille.h"
#include "view/text/channels.h"

/* A column of the table that has one row per subject. */
struct aw_grid_column {
    const char *field, *heading; /* field of the channel; heading of the column */
};

/* Converts a field of a subject to another unit: sets *factor and *unit. Returns false to leave the
 * field unchanged. */
typedef bool aw_grid_unit_fn(void *context, const char *subject, const char *field, double *factor,
                             const char **unit);

/* Contents and state of the screen. Strings may be NULL. */
struct aw_grid {
    struct {
        const char *title, *link;
        const char *state; /* state of the link if it is not normal: "link lost, waiting" */
        const char *note;  /* latest message, at the bottom */
        uint64_t n_messages, n_lost, n_damaged;
        double rate_hz; /* messages per second, of all channels */
        int64_t elapsed_ns;
    } head;
    struct {
        const char *filter; /* shows only names that contain this string or match this pattern */
        bool is_typing;     /* the user is typing the filter */
    } search;
    bool is_frozen;
    bool can_stop;                        /* the key s stops the device */
    bool shows_keys;                      /* shows the help page instead of the rows */
    const struct aw_grid_column *columns; /* {0}-terminated, by priority: one row per subject; NULL:
                                             one row per field */
    bool by_field;                        /* ignores columns: one row per field */
    aw_grid_unit_fn *convert_unit;        /* converts units; or NULL */
    void *context;                        /* argument for convert_unit */
    bool shows_trend;                     /* shows the trend in block characters */
    int64_t now_ns;
    struct {
        size_t scroll; /* first row shown; drawing limits it to valid rows */
        /* set by drawing: total number of rows; number of rows that fit */
        size_t n_rows, page_rows;
    } pages;
};

void aw_grid_draw(struct aw_grid *grid, const struct aw_channels *channels,
                  struct aw_braille *canvas);

#endif
