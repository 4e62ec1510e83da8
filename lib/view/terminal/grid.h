/* The table of watch, drawn on a canvas: one row a channel, as many columns as the width allows,
 * side by side where there are more rows than fit.
 *
 *     struct aw_grid grid = {.title = "canpid", .link = "can:can0", .now_ns = now};
 *     aw_grid_draw(&grid, &channels, &canvas);
 */
#ifndef AW_VIEW_TERMINAL_GRID_H
#define AW_VIEW_TERMINAL_GRID_H

#include "view/terminal/braille.h"
#include "view/text/channels.h"

/* What stands around the rows. Texts may be NULL. */
struct aw_grid {
    const char *title, *link;
    const char *state;  /* of the link if it is not fine: "link lost, waiting" */
    const char *note;   /* the last remark, at the foot */
    const char *filter; /* only names that have this in them, or are like this pattern */
    bool typing;        /* the filter is being typed */
    bool frozen;
    bool blocks; /* the trend is drawn, in block characters */
    uint64_t messages, lost, damaged;
    double rate_hz; /* of all messages */
    int64_t elapsed_ns, now_ns;
    size_t scroll;     /* the first row shown; drawing keeps it in range */
    size_t rows, page; /* out: how many there are, and how many fit */
};

void aw_grid_draw(struct aw_grid *grid, const struct aw_channels *channels,
                  struct aw_braille *canvas);

#endif
