/* A canvas of dots for terminals: each character cell has 2 x 4 dots (Unicode braille), and one
 * colour. Shows curves, and outlines of bodies.
 *
 *     struct aw_braille canvas;
 *     if (!aw_braille_init(&canvas, 60, 20)) …                    120 x 80 dots
 *     aw_braille_draw_line(&canvas, 0, 79, 119, 0, 1);             x, y from the top left; colour 1
 *     aw_braille_draw_text(&canvas, 2, 0, "m1.position", 1);           column, row
 *     n = aw_braille_print_row(&canvas, row, AW_BRAILLE_UTF8 | AW_BRAILLE_COLOR, out, sizeof out);
 *     aw_braille_free(&canvas);
 *
 * Everything is clipped at the edges. Without AW_BRAILLE_UTF8, a cell with dots is printed as one
 * of ' - . : / \ |, and frames as + - |, which all terminals and log files can show.
 */
#ifndef AW_VIEW_TERMINAL_BRAILLE_H
#define AW_VIEW_TERMINAL_BRAILLE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* One character cell: dots, or a character that hides them. */
struct aw_braille_cell {
    uint8_t dots; /* bit n is dot n + 1 of the Unicode block */
    /* 0: the terminal's default; others: see below. The last drawing operation sets it */
    uint8_t color;
    char character[5]; /* UTF-8; "": no character */
};

/* A canvas, which owns its cells. */
struct aw_braille {
    int columns, rows; /* in characters */
    struct aw_braille_cell *cells;
};

enum { AW_BRAILLE_UTF8 = 1, AW_BRAILLE_COLOR = 2 };

/* Colours: 1 to AW_BRAILLE_LINE_COLORS for lines of a chart, then dimmed, caution, warning and
 * bold. */
enum {
    AW_BRAILLE_LINE_COLORS = 6,
    AW_BRAILLE_DIM,
    AW_BRAILLE_CAUTION,
    AW_BRAILLE_WARNING,
    AW_BRAILLE_BOLD,
    AW_BRAILLE_COLORS,
};

/* Creates an empty canvas. Returns false if out of memory, or if columns or rows are not from 1 to
 * 1000. */
bool aw_braille_init(struct aw_braille *canvas, int columns, int rows);
void aw_braille_clear(struct aw_braille *canvas);
void aw_braille_free(struct aw_braille *canvas);

/* Draw a dot or a line. Coordinates count dots from the top left: 2 * columns across, 4 * rows
 * down. Lines may begin and end far outside. A line to or from NaN or infinity is not drawn. */
void aw_braille_draw_dot(struct aw_braille *canvas, int x, int y, int color);
void aw_braille_draw_line(struct aw_braille *canvas, double x0, double y0, double x1, double y1,
                          int color);

/* Writes UTF-8 text, one character per cell, clipped at the edge. Control characters and malformed
 * UTF-8 become '?'. Returns the next column. */
int aw_braille_draw_text(struct aw_braille *canvas, int column, int row, const char *text,
                         int color);

/* Writes the character of one cell, at most 4 bytes without a NUL. Returns the number of bytes.
 * flags: AW_BRAILLE_UTF8 or 0. */
size_t aw_braille_print_cell(const struct aw_braille_cell *cell, unsigned flags, char *out);

/* Writes one row as a NUL-terminated string, without trailing blanks and newline. Returns its
 * length. AW_BRAILLE_ROW bytes per column are always enough. A smaller buffer truncates the row,
 * and resets the colours. */
#define AW_BRAILLE_ROW 16
size_t aw_braille_print_row(const struct aw_braille *canvas, int row, unsigned flags, char *out,
                            size_t size);

#endif
