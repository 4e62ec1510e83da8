/* Draws dots, lines and text on a canvas, and prints the canvas as braille characters. */
#include "view/terminal/braille.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/utf8.h"

#define MAX_SIZE 1000 /* maximum columns and rows */
#define CELL_MAX 11   /* maximum bytes of a colour and a character */
#define ROW_TAIL 5    /* maximum bytes of "\033[0m" and NUL */

static const char *const colors[AW_BRAILLE_COLORS] = {
    "\033[0m",    "\033[0;36m", "\033[0;33m", "\033[0;35m", "\033[0;32m", "\033[0;34m",
    "\033[0;91m", "\033[0;90m", "\033[0;33m", "\033[1;31m", "\033[0;1m",
};

bool aw_braille_init(struct aw_braille *canvas, int columns, int rows)
{
    *canvas = (struct aw_braille){0};
    if (columns < 1 || rows < 1 || columns > MAX_SIZE || rows > MAX_SIZE)
        return false;
    canvas->cells = calloc((size_t)columns * (size_t)rows, sizeof *canvas->cells);
    if (!canvas->cells)
        return false;
    canvas->columns = columns;
    canvas->rows = rows;
    return true;
}

void aw_braille_clear(struct aw_braille *canvas)
{
    size_t n = (size_t)canvas->columns * (size_t)canvas->rows;
    if (n)
        memset(canvas->cells, 0, n * sizeof *canvas->cells);
}

void aw_braille_free(struct aw_braille *canvas)
{
    free(canvas->cells);
    *canvas = (struct aw_braille){0};
}

static struct aw_braille_cell *get_cell(const struct aw_braille *canvas, int column, int row)
{
    if (column < 0 || row < 0 || column >= canvas->columns || row >= canvas->rows)
        return NULL;
    return &canvas->cells[(size_t)row * (size_t)canvas->columns + (size_t)column];
}

static uint8_t limit_color(int color)
{
    return (uint8_t)(color > 0 && color < AW_BRAILLE_COLORS ? color : 0);
}

void aw_braille_draw_dot(struct aw_braille *canvas, int x, int y, int color)
{
    /* dots 1 2 3 7 are the left column, 4 5 6 8 the right one */
    static const uint8_t bits[4][2] = {{0x01, 0x08}, {0x02, 0x10}, {0x04, 0x20}, {0x40, 0x80}};
    struct aw_braille_cell *cell = x < 0 || y < 0 ? NULL : get_cell(canvas, x / 2, y / 4);
    if (!cell)
        return;
    cell->dots |= bits[y % 4][x % 2];
    cell->color = limit_color(color);
    cell->character[0] = '\0';
}

/* ---- Lines ---- */

struct visible_part {
    double from, to; /* visible range along the line, 0 to 1 */
};

/* Clips the line to the part where start + t * delta is between 0 and max (Liang and Barsky). */
static void clip(struct visible_part *part, double start, double delta, double max)
{
    double a = (0 - start) / delta, b = (max - start) / delta;
    if (delta == 0) {
        if (start < 0 || start > max)
            part->to = -1;
        return;
    }
    part->from = fmax(part->from, fmin(a, b));
    part->to = fmin(part->to, fmax(a, b));
}

void aw_braille_draw_line(struct aw_braille *canvas, double x0, double y0, double x1, double y1,
                          int color)
{
    struct visible_part part = {0, 1};
    double dx = x1 - x0, dy = y1 - y0;
    if (!isfinite(dx) || !isfinite(dy) || !canvas->cells)
        return;
    clip(&part, x0 + 0.5, dx, 2 * canvas->columns);
    clip(&part, y0 + 0.5, dy, 4 * canvas->rows);
    if (part.to < part.from)
        return;
    double length = (part.to - part.from) * fmax(fabs(dx), fabs(dy));
    int steps = (int)ceil(length);
    for (int i = 0; i <= steps; i++) {
        double t = steps ? part.from + (part.to - part.from) * i / steps : part.from;
        aw_braille_draw_dot(canvas, (int)floor(x0 + t * dx + 0.5), (int)floor(y0 + t * dy + 0.5),
                            color);
    }
}

/* ---- Text ---- */

int aw_braille_draw_text(struct aw_braille *canvas, int column, int row, const char *text,
                         int color)
{
    for (; *text; column++) {
        size_t size = aw_utf8_size(text);
        struct aw_braille_cell *cell = get_cell(canvas, column, row);
        if (cell) {
            *cell = (struct aw_braille_cell){.color = limit_color(color), .character = "?"};
            memcpy(cell->character, size ? text : "?", size ? size : 1);
        }
        text += size ? size : 1;
    }
    return column;
}

/* Returns the rows with a dot in the left half (side 0) or right half of a cell: bit 0 is the top
 * row. */
static unsigned get_half_rows(uint8_t dots, int side)
{
    unsigned all = dots;
    return ((side ? all >> 3 : all) & 7) | (all >> (6 + side) & 1) << 3;
}

static double get_mean_row(unsigned rows)
{
    double sum = 0, n = 0;
    for (int i = 0; i < 4; i++) {
        sum += rows >> i & 1 ? i : 0;
        n += rows >> i & 1;
    }
    return sum / n;
}

/* Returns an ASCII character that resembles the dots. */
static char choose_ascii(uint8_t dots)
{
    static const char by_rows[16] = {' ', '\'', '-', '\'', '-', ':', '-', '|',
                                     '.', ':',  ':', '|',  '.', '|', '|', '|'};
    unsigned left = get_half_rows(dots, 0), right = get_half_rows(dots, 1);
    char c = by_rows[left | right];
    if (c != '|' || !left || !right || get_mean_row(left) == get_mean_row(right))
        return c;
    return get_mean_row(left) < get_mean_row(right) ? '\\' : '/';
}

static char replace_non_ascii(const char *letter)
{
    static const struct {
        const char *letter;
        char plain;
    } plain[] = {
        {"│", '|'}, {"─", '-'}, {"┤", '+'}, {"├", '+'}, {"└", '+'}, {"┘", '+'},
        {"┌", '+'}, {"┐", '+'}, {"┴", '+'}, {"┬", '+'}, {"┼", '+'}, {"━", '-'},
        {"·", '.'}, {"µ", 'u'}, {"−", '-'}, {"–", '-'}, {"—", '-'}, {"×", 'x'},
        {"●", 'o'}, {"░", ':'}, {"█", '#'}, {"…", '~'}, {"°", 'o'}, {"▸", '>'},
    };
    for (size_t i = 0; i < sizeof plain / sizeof *plain; i++)
        if (strcmp(letter, plain[i].letter) == 0)
            return plain[i].plain;
    return letter[1] ? '?' : letter[0];
}

size_t aw_braille_print_cell(const struct aw_braille_cell *cell, unsigned flags, char *out)
{
    if (!(flags & AW_BRAILLE_UTF8)) {
        out[0] = cell->character[0] ? replace_non_ascii(cell->character) : choose_ascii(cell->dots);
        return 1;
    }
    if (cell->character[0]) {
        size_t length = strlen(cell->character);
        memcpy(out, cell->character, length);
        return length;
    }
    if (!cell->dots) {
        out[0] = ' ';
        return 1;
    }
    out[0] = '\xE2'; /* U+2800 + dots */
    out[1] = (char)(0xA0 | cell->dots >> 6);
    out[2] = (char)(0x80 | (cell->dots & 0x3F));
    return 3;
}

static bool is_blank(const struct aw_braille_cell *cell)
{
    return !cell->dots && (!cell->character[0] || cell->character[0] == ' ');
}

static int count_used_columns(const struct aw_braille *canvas, int row)
{
    int n = canvas->columns;
    while (n > 0 && is_blank(get_cell(canvas, n - 1, row)))
        n--;
    return n;
}

size_t aw_braille_print_row(const struct aw_braille *canvas, int row, unsigned flags, char *out,
                            size_t size)
{
    int end = row < 0 || row >= canvas->rows ? 0 : count_used_columns(canvas, row), color = 0;
    size_t n = 0;
    for (int i = 0; i < end && n + CELL_MAX + ROW_TAIL <= size; i++) {
        const struct aw_braille_cell *cell = get_cell(canvas, i, row);
        if (flags & AW_BRAILLE_COLOR && cell->color != color && !is_blank(cell)) {
            color = cell->color;
            n += strlen(strcpy(out + n, colors[color]));
        }
        n += aw_braille_print_cell(cell, flags, out + n);
    }
    if (color)
        n += strlen(strcpy(out + n, colors[0]));
    if (size)
        out[n] = '\0';
    return n;
}
