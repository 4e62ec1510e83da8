/* Prints and truncates the cells of watch's tables. */
#include "view/terminal/cells.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "base/clamp.h"
#include "base/utf8.h"

/* Returns the number of decimals, which is the same for all values of a channel, so that numbers do
 * not jump. A number has at most six digits. */
static int choose_decimals(const struct aw_channel *channel)
{
    double range = fmax(fabs(channel->range.low), fabs(channel->range.high));
    double largest = fmax(fabs(channel->range.seen_min), fabs(channel->range.seen_max));
    bool has_decimals = channel->decimals >= 0;
    double size = has_decimals && range > 0 ? range : fmax(largest, 1e-3);
    if ((!has_decimals && channel->is_integral) || !(size < 1e15))
        return 0;
    int digits_before = size >= 1 ? (int)floor(log10(size)) + 1 : 0;
    return (int)aw_clamp((has_decimals ? 6 : 5) - digits_before, 0,
                         has_decimals ? channel->decimals : 4);
}

void aw_cell_print_number(const struct aw_channel *channel, double value, char *out)
{
    int decimals = choose_decimals(channel);
    if (isnan(value))
        snprintf(out, AW_CELL_TEXT, "–");
    else if (fabs(value) >= 1e9 || (value != 0 && fabs(value) < 1e-4 && channel->decimals < 0))
        snprintf(out, AW_CELL_TEXT, "%.3e", value);
    else
        snprintf(out, AW_CELL_TEXT, "%.*f", decimals, value == 0 ? 0.0 : value);
    if (out[0] == '-' && strspn(out + 1, "0.") == strlen(out + 1))
        memmove(out, out + 1, strlen(out)); /* "-0.000" becomes "0.000" */
}

void aw_cell_draw(struct aw_braille *canvas, int column, int row, int width, bool left_aligned,
                  const char *text, int color)
{
    char shortened[4 * AW_CELL_TEXT + 4];
    size_t used = 0;
    int length = (int)aw_utf8_length(text), n = 0;
    bool fits = length <= width;
    for (; *text && n < (fits ? width : width - 1) && used + 8 < sizeof shortened; n++) {
        size_t size = aw_utf8_size(text);
        memcpy(shortened + used, text, size ? size : 1);
        used += size ? size : 1;
        text += size ? size : 1;
    }
    strcpy(shortened + used, fits || width < 1 ? "" : "…");
    aw_braille_draw_text(canvas, column + (left_aligned || !fits ? 0 : width - length), row,
                         shortened, color);
}

size_t aw_cell_shorten(const char *name, int width, size_t prefix, char *out)
{
    size_t length = strlen(name), room = width > 1 ? (size_t)width - 1 : 0;
    prefix = prefix < room ? prefix : room;
    if (length <= room + 1) {
        strcpy(out, name);
        return 0;
    }
    size_t suffix = room - prefix;
    sprintf(out, "%.*s…%s", (int)prefix, name, name + length - suffix);
    return prefix;
}

void aw_cell_draw_keys(struct aw_braille *canvas, const char *const *keys)
{
    for (int i = canvas->columns; i < canvas->columns * (canvas->rows - 1); i++)
        canvas->cells[i] = (struct aw_braille_cell){0};
    for (int y = 1; *keys && y < canvas->rows - 1; y++, keys += 2) {
        aw_braille_draw_text(canvas, 1, y, keys[0], AW_BRAILLE_BOLD);
        aw_cell_draw(canvas, 9, y, canvas->columns - 10, true, keys[1], 0);
    }
}
