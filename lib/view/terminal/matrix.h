/* The table of watch in which a row is a subject (a joint) and a column a quantity. */
#ifndef AW_VIEW_TERMINAL_MATRIX_H
#define AW_VIEW_TERMINAL_MATRIX_H

#include "view/terminal/grid.h"

/* Draws the grid->rows channels of shown that are in grid->columns between the first and the last
 * row of the canvas, and sets grid->rows and grid->page to rows of this table. */
void aw_matrix_draw(struct aw_grid *grid, const struct aw_channel *const *shown,
                    struct aw_braille *canvas);

#endif
