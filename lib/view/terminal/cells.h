/* Prints the cells of watch's tables: numbers with fixed decimals, and strings truncated to fit.
 *
 *     char text[AW_CELL_TEXT];
 *     aw_cell_print_number(channel, channel->value, text);
 *     aw_cell_draw(canvas, x, y, 11, false, text, 0);
 */
#ifndef AW_VIEW_TERMINAL_CELLS_H
#define AW_VIEW_TERMINAL_CELLS_H

#include "view/terminal/braille.h"
#include "view/text/channels.h"

#define AW_CELL_TEXT 48

/* Prints a value of the channel. All values of a channel have the same number of decimals, and at
 * most six digits. out holds AW_CELL_TEXT bytes. */
void aw_cell_print_number(const struct aw_channel *channel, double value, char *out);

/* Writes text into a field of this width, left- or right-aligned. Truncates text that does not
 * fit. */
void aw_cell_draw(struct aw_braille *canvas, int column, int row, int width, bool left_aligned,
                  const char *text, int color);

/* Shortens a name to width columns, with an ellipsis after its first prefix bytes. out must be
 * three bytes larger than the name. Returns the position of the ellipsis in out. Returns 0 if the
 * name is complete, or starts with the ellipsis. */
size_t aw_cell_shorten(const char *name, int width, size_t prefix, char *out);

/* Draws a page of keys between the first and last row of the canvas. keys contains pairs of a key
 * and its meaning, and ends with NULL. */
void aw_cell_draw_keys(struct aw_braille *canvas, const char *const *keys);

#endif
