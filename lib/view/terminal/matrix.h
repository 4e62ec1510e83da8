/* Draws the table of watch with one row per subject (a joint) and one column per quantity. */
#ifndef AW_VIEW_TERMINAL_MATRIX_H
#define AW_VIEW_TERMINAL_MATRIX_H

#include "view/terminal/grid.h"

/* Draws the channels of grid->columns that are shown, between the first and the last row of the
 * canvas. Sets grid->pages.n_rows and grid->pages.page_rows, counted in rows of this table. */
void aw_matrix_draw(struct aw_grid *grid, const struct aw_channel *const *shown,
                    struct aw_braille *canvas);

#endif
