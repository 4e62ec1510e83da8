/* What stands in the cells of watch's tables: numbers that do not dance, texts that are cut to fit.
 *
 *     char text[AW_CELL_TEXT];
 *     aw_cell_number(channel, channel->value, text);
 *     aw_cell_put(canvas, x, y, 11, false, text, 0);
 */
#ifndef AW_VIEW_TERMINAL_CELLS_H
#define AW_VIEW_TERMINAL_CELLS_H

#include "view/terminal/braille.h"
#include "view/text/channels.h"

#define AW_CELL_TEXT 48

/* A value of the channel as text: all of its numbers have the same decimals, six digits at most. */
void aw_cell_number(const struct aw_channel *channel, double value, char *out);

/* Text in a field of this width, to the left or to the right; what does not fit loses its end. */
void aw_cell_put(struct aw_braille *canvas, int column, int row, int width, bool left,
                 const char *text, int color);

/* A name of bytes in so many columns, with an ellipsis behind so many bytes where it is longer. out
 * has room for it and three bytes more. Returns where in out the ellipsis stands; 0: the name is
 * whole, or begins with it. */
size_t aw_cell_shorten(const char *name, int width, size_t before, char *out);

/* A page of keys in place of all of the canvas but its first and last row: key and meaning in turn,
 * NULL at the end. */
void aw_cell_keys(struct aw_braille *canvas, const char *const *keys);

#endif
