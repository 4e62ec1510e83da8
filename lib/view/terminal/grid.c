/* Lays out and draws watch's table: chooses columns by width, groups rows, and scrolls. */
#include "view/terminal/grid.h"

#include <fnmatch.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/clamp.h"
#include "base/clock.h"
#include "base/utf8.h"
#include "view/terminal/cells.h"
#include "view/terminal/matrix.h"

#define NOTE        24 /* columns for a message at the bottom, which the keys must leave free … */
#define FEW_KEYS    22 /* … except for the columns of these keys: stop, quit, all keys */
#define BLOCK_LEAST 54 /* minimum columns of a table if several are side by side */
#define BETWEEN     2  /* columns between tables */
#define NAME_MOST   34
#define TREND_MOST  AW_TREND
#define TREND_LEAST 8

/* ---- One value as text ---- */

struct cell {
    char text[AW_CELL_TEXT];
    int color;
};

struct row {
    const struct aw_channel *channel;
    int64_t now;
    bool stale;
};

static void value_cell(const struct row *row, struct cell *cell)
{
    static const int alarms[] = {0, AW_BRAILLE_CARE, AW_BRAILLE_WARN};
    if (row->channel->text[0])
        snprintf(cell->text, AW_CELL_TEXT, "%s", row->channel->text);
    else
        aw_cell_number(row->channel, row->channel->value, cell->text);
    cell->color = row->stale ? AW_BRAILLE_DIM : alarms[aw_channel_alarm(row->channel)];
}

static void unit_cell(const struct row *row, struct cell *cell)
{
    snprintf(cell->text, AW_CELL_TEXT, "%s", row->channel->unit ? row->channel->unit : "");
    cell->color = AW_BRAILLE_DIM;
}

static void extreme_cell(const struct row *row, double value, struct cell *cell)
{
    if (!row->channel->text[0])
        aw_cell_number(row->channel, value, cell->text);
    cell->color = AW_BRAILLE_DIM;
}

static void least_cell(const struct row *row, struct cell *cell)
{
    extreme_cell(row, row->channel->least, cell);
}

static void greatest_cell(const struct row *row, struct cell *cell)
{
    extreme_cell(row, row->channel->greatest, cell);
}

static void print_rate(double hz, char *out)
{
    if (hz <= 0)
        snprintf(out, AW_CELL_TEXT, "–");
    else if (hz >= 9999.5)
        snprintf(out, AW_CELL_TEXT, "%.1fk", hz / 1000);
    else
        snprintf(out, AW_CELL_TEXT, hz < 9.95 ? "%.1f" : "%.0f", hz);
}

static void rate_cell(const struct row *row, struct cell *cell)
{
    print_rate(aw_channel_rate(row->channel, row->now), cell->text);
}

/* Prints the age of a value. The age of a new value is "now", because its milliseconds would change
 * too fast to read. */
static void age_cell(const struct row *row, struct cell *cell)
{
    double s = (double)(row->now - row->channel->seen_ns) / 1e9;
    cell->color = !row->stale ? 0 : s > 5 ? AW_BRAILLE_WARN : AW_BRAILLE_CARE;
    if (s < 0.25) {
        snprintf(cell->text, AW_CELL_TEXT, "now");
        cell->color = AW_BRAILLE_DIM;
    } else if (s < 10) {
        snprintf(cell->text, AW_CELL_TEXT, "%.1f s", s);
    } else {
        snprintf(cell->text, AW_CELL_TEXT, s < 120 ? "%.0f s" : "%.0f min", s < 120 ? s : s / 60);
    }
}

/* ---- Columns ---- */

/* Columns from left to right. If there is not enough room, those of the highest rank are
 * omitted. */
static const struct {
    const char *head;
    int width;
    bool left;
    int rank;
    void (*print)(const struct row *row, struct cell *cell);
} columns[] = {
    {"value", 11, false, 0, value_cell},
    {"unit", 5, true, 1, unit_cell},
    {"min", 10, false, 4, least_cell},
    {"max", 10, false, 4, greatest_cell},
    {"Hz", 5, false, 2, rate_cell},
    {"age", 6, false, 3, age_cell},
    {0},
};

/* Widths of the columns of a table. */
struct layout {
    int name, trend;
    size_t before; /* bytes of a long name before the ellipsis */
    int rank;      /* columns up to this rank are shown */
};

static int width_up_to(int rank)
{
    int width = 0;
    for (size_t i = 0; columns[i].head; i++)
        if (columns[i].rank <= rank)
            width += columns[i].width + 1;
    return width;
}

static struct layout lay_out(int width, int longest, bool blocks)
{
    struct layout layout = {.rank = 4};
    int least = aw_min(longest, 12), wanted = aw_min(longest, NAME_MOST);
    while (layout.rank > 0 && width - width_up_to(layout.rank) < (layout.rank > 2 ? wanted : least))
        layout.rank--;
    int rest = width - width_up_to(layout.rank);
    layout.name = aw_min(rest, wanted);
    rest -= layout.name + 2;
    if (blocks && layout.rank == 4 && rest >= TREND_LEAST)
        layout.trend = aw_min(rest, TREND_MOST);
    return layout;
}

static void put_head(struct aw_braille *canvas, int x, const struct layout *layout)
{
    aw_cell_put(canvas, x, 1, layout->name, true, "field", AW_BRAILLE_DIM);
    x += layout->name + 1;
    for (size_t i = 0; columns[i].head; i++)
        if (columns[i].rank <= layout->rank) {
            aw_cell_put(canvas, x, 1, columns[i].width, columns[i].left, columns[i].head,
                        AW_BRAILLE_DIM);
            x += columns[i].width + 1;
        }
    char trend[24];
    snprintf(trend, sizeof trend, "last %d s", (int)(layout->trend * AW_TREND_STEP_NS / AW_SECOND));
    if (layout->trend)
        aw_cell_put(canvas, x + 1, 1, layout->trend, true, trend, AW_BRAILLE_DIM);
}

/* Returns true if the names on this page remain distinct when they are shortened after cut
 * bytes. */
static bool are_distinct(const struct aw_channel *const *shown, size_t n, int width, size_t before)
{
    char a[AW_POINT_NAME], b[AW_POINT_NAME];
    for (size_t i = 1; i < n; i++) {
        aw_cell_shorten(shown[i]->name, width, before, a);
        for (size_t k = 0; k < i; k++) {
            aw_cell_shorten(shown[k]->name, width, before, b);
            if (strcmp(a, b) == 0)
                return false;
        }
    }
    return true;
}

/* Chooses the position of the ellipsis in long names: in the middle, unless other positions keep
 * the names distinct. */
static size_t cut_for(const struct aw_channel *const *shown, size_t n, int width)
{
    size_t third = (size_t)width / 3;
    for (size_t i = 0; i <= third; i++)
        if (are_distinct(shown, n, width, third - i))
            return third - i;
    for (size_t i = third + 1; i + 1 < (size_t)width; i++)
        if (are_distinct(shown, n, width, i))
            return i;
    return third;
}

static void put_name(struct aw_braille *canvas, int x, int y, const struct layout *layout,
                     const struct aw_channel *channel)
{
    char name[AW_POINT_NAME], prefix[AW_POINT_NAME];
    size_t cut = aw_cell_shorten(channel->name, layout->name, layout->before, name);
    bool whole = (int)strlen(channel->name) <= layout->name;
    size_t before = !whole && cut < channel->prefix ? cut : channel->prefix;
    snprintf(prefix, sizeof prefix, "%.*s", (int)before, name);
    x = aw_braille_text(canvas, x, y, prefix, AW_BRAILLE_DIM);
    aw_braille_text(canvas, x, y, name + before, 0);
}

static void put_trend(struct aw_braille *canvas, int x, int y, int width, const struct row *row)
{
    static const char *const bars[] = {"▁", "▂", "▃", "▄", "▅", "▆", "▇", "█"};
    const struct aw_channel *channel = row->channel;
    double span = channel->greatest - channel->least;
    int64_t now = row->now / AW_TREND_STEP_NS;
    int level = -1;
    for (int64_t step = now - AW_TREND + 1; step <= now; step++) {
        bool known = step <= channel->step && step > channel->step - AW_TREND;
        float value = known && step >= 0 ? channel->trend[step % AW_TREND] : NAN;
        int at = (int)(width - 1 - (now - step));
        double share = ((double)value - channel->least) / span; /* NaN: no data */
        if (!isnan(value))
            level = share > 0 ? (share < 1 ? (int)(share * 8) : 7) : 0;
        if (at >= 0 && level >= 0 && (step <= channel->step || !row->stale))
            aw_braille_text(canvas, x + at, y, bars[level], row->stale ? AW_BRAILLE_DIM : 1);
    }
}

static void put_row(struct aw_braille *canvas, int x, int y, const struct layout *layout,
                    const struct row *row)
{
    put_name(canvas, x, y, layout, row->channel);
    x += layout->name + 1;
    for (size_t i = 0; columns[i].head; i++) {
        struct cell cell = {.color = 0};
        if (columns[i].rank > layout->rank)
            continue;
        columns[i].print(row, &cell);
        aw_cell_put(canvas, x, y, columns[i].width, columns[i].left, cell.text, cell.color);
        x += columns[i].width + 1;
    }
    if (layout->trend && !row->channel->text[0])
        put_trend(canvas, x + 1, y, layout->trend, row);
}

/* ---- Header and footer ---- */

static void print_count(uint64_t n, char *out, size_t size)
{
    char digits[24];
    size_t length = (size_t)snprintf(digits, sizeof digits, "%llu", (unsigned long long)n), at = 0;
    for (size_t i = 0; i < length && at + 2 < size; i++) {
        if (i && (length - i) % 3 == 0)
            out[at++] = ' ';
        out[at++] = digits[i];
    }
    out[at] = '\0';
}

/* Prints the title, and time and messages to the right of it. Omits the least important parts if
 * they do not fit. */
static void put_top(const struct aw_grid *grid, struct aw_braille *canvas)
{
    char text[160], count[32], rate[AW_CELL_TEXT];
    int width = canvas->columns, length = 0;
    long s = (long)(grid->elapsed_ns / AW_SECOND);
    print_count(grid->messages, count, sizeof count);
    print_rate(grid->rate_hz, rate);
    int x = aw_braille_text(canvas, 1, 0, grid->title ? grid->title : "", AW_BRAILLE_BOLD);
    for (int detail = 2; detail >= 0; detail--) {
        if (detail == 2)
            snprintf(text, sizeof text, "%02ld:%02ld  %s messages  %s/s ", s / 60, s % 60, count,
                     rate);
        else
            snprintf(text, sizeof text, "%s%s%s/s ", detail ? count : "", detail ? "  " : "", rate);
        length = (int)strlen(text);
        if (x + 2 + length <= width - (detail ? 10 : 0))
            break;
    }
    aw_braille_text(canvas, width - length, 0, text, 0);
    const char *state = grid->state ? grid->state : grid->link;
    int room = width - length - x - 4;
    if (state && room > 3)
        aw_cell_put(canvas, x + 2, 0, room, true, state,
                    grid->state ? AW_BRAILLE_WARN : AW_BRAILLE_DIM);
}

/* Returns a list of keys that fits. The keys for quit and help come first. */
static const char *other_keys(const struct aw_grid *grid, int room)
{
    static const char *const all[] = {"q quit  space freeze  r reset  / filter  ? keys",
                                      "q quit  space freeze  ? keys", "q quit  ? keys", "? keys"};
    size_t i = 0;
    if (grid->typing)
        return "Enter keep  Esc clear";
    if (grid->frozen)
        return "FROZEN  space resume";
    while (i + 1 < sizeof all / sizeof *all && (int)strlen(all[i]) > room)
        i++;
    return all[i];
}

/* Prints the keys; the stop key is always shown. */
static void print_keys(const struct aw_grid *grid, int room, char *out, size_t size)
{
    const char *stop = grid->stops && !grid->typing ? "s STOP  " : "";
    snprintf(out, size, "%s%s", stop, other_keys(grid, room - (int)strlen(stop)));
}

/* Prints the filter, or else the numbers of lost and damaged messages if there is room. Returns the
 * next column. */
static int put_counts(const struct aw_grid *grid, struct aw_braille *canvas, int y)
{
    char text[160], lost[32], damaged[32];
    bool any = grid->lost || grid->damaged;
    if (grid->typing || (grid->filter && *grid->filter)) {
        snprintf(text, sizeof text, "/%.60s%s", grid->filter, grid->typing ? "█" : "");
        return aw_braille_text(canvas, 1, y, text, AW_BRAILLE_BOLD) + 1;
    }
    print_count(grid->lost, lost, sizeof lost);
    print_count(grid->damaged, damaged, sizeof damaged);
    snprintf(text, sizeof text, "%s lost  %s damaged", lost, damaged);
    if (!any && grid->stops && (int)strlen(text) + FEW_KEYS + 4 > canvas->columns)
        return 0;
    return aw_braille_text(canvas, 1, y, text, any ? AW_BRAILLE_CARE : AW_BRAILLE_DIM) + 1;
}

static void put_bottom(const struct aw_grid *grid, struct aw_braille *canvas)
{
    int y = canvas->rows - 1, width = canvas->columns, x = put_counts(grid, canvas, y);
    char keys[80];
    int room = width - x - 2;
    bool notes = grid->note && grid->rows; /* without rows, put_empty shows the note */
    int note = notes ? aw_min(NOTE, (int)strlen(grid->note) + 4) : 0;
    print_keys(grid, aw_max(room - note, aw_min(room, FEW_KEYS)), keys, sizeof keys);
    int length = (int)strlen(keys);
    if (x + 1 + length < width) {
        aw_braille_text(canvas, width - length - 1, y, keys,
                        grid->frozen ? AW_BRAILLE_CARE : AW_BRAILLE_DIM);
        width -= length + 1;
    }
    if (notes && width - x > 12)
        aw_cell_put(canvas, x + 1, y, width - x - 3, true, grid->note, 0);
}

/* Prints that there are no rows, and the note, which probably gives the reason, on several
 * lines. */
static void put_empty(const struct aw_grid *grid, struct aw_braille *canvas, const char *what)
{
    int x = 1, y = 4;
    aw_braille_text(canvas, 1, 2, what, AW_BRAILLE_DIM);
    for (const char *word = grid->note ? grid->note : ""; *word; word += strspn(word, " ")) {
        char text[160];
        size_t size = strcspn(word, " ");
        snprintf(text, sizeof text, "%.*s", (int)size, word);
        bool fits = x == 1 || x + (int)aw_utf8_length(text) < canvas->columns;
        x = fits ? x : 1;
        y += !fits;
        if (y < canvas->rows - 1)
            x = aw_braille_text(canvas, x, y, text, 0) + 1;
        word += size;
    }
}

/* clang-format off */
static const char *const keys_of_table[] = {
    "s", "stop the device",
    "q", "quit",
    "space", "freeze or resume",
    "r", "reset min and max",
    "/", "filter: torque, or r*.torque",
    "Esc", "clear the filter",
    "arrows", "scroll; Page keys, Home, End",
    "t", "rows: joints or values",
    "?", "show or hide this help",
    NULL,
};
/* clang-format on */

/* ---- The whole screen ---- */

static bool passes(const struct aw_grid *grid, const struct aw_channel *channel)
{
    if (channel->hidden || channel->count == 0)
        return false;
    if (!grid->filter || !*grid->filter)
        return true;
    return strpbrk(grid->filter, "*?[") ? fnmatch(grid->filter, channel->name, 0) == 0
                                        : strstr(channel->name, grid->filter) != NULL;
}

static void put_scroll(const struct aw_grid *grid, struct aw_braille *canvas, int top, int height)
{
    if (grid->rows <= grid->page || height < 3)
        return;
    double share = (double)grid->page / (double)grid->rows;
    int bar = (int)fmax(1, share * height);
    int at = (int)((double)grid->scroll / (double)(grid->rows - grid->page) * (height - bar) + 0.5);
    for (int i = 0; i < height; i++)
        aw_braille_text(canvas, canvas->columns - 1, top + i, i >= at && i < at + bar ? "█" : "│",
                        AW_BRAILLE_DIM);
}

static void put_rows(struct aw_grid *grid, const struct aw_channel *const *shown,
                     struct aw_braille *canvas, int longest)
{
    const int top = 2;
    int height = canvas->rows - top - 1, width = canvas->columns - 2;
    int least = aw_max(longest + 32, BLOCK_LEAST);
    int most_tables = (width + BETWEEN) / (least + BETWEEN);
    int needed = (int)((grid->rows + (size_t)height - 1) / (size_t)height);
    int tables = aw_max(aw_min(needed, most_tables), 1);
    int each = (width + BETWEEN) / tables - BETWEEN;
    struct layout layout = lay_out(each, longest, grid->blocks);
    grid->page = (size_t)height * (size_t)tables;
    size_t most = grid->rows > grid->page ? grid->rows - grid->page : 0;
    grid->scroll = grid->scroll < most ? grid->scroll : most;
    size_t end = grid->scroll + grid->page < grid->rows ? grid->scroll + grid->page : grid->rows;
    if (layout.name > 3 && layout.name < longest)
        layout.before = cut_for(shown + grid->scroll, end - grid->scroll, layout.name);
    for (int t = 0; t < tables; t++)
        put_head(canvas, 1 + t * (each + BETWEEN), &layout);
    for (size_t i = 0; grid->scroll + i < end; i++) {
        struct row row = {.channel = shown[grid->scroll + i], .now = grid->now_ns};
        row.stale = aw_channel_stale(row.channel, row.now);
        put_row(canvas, 1 + (int)i / height * (each + BETWEEN), top + (int)i % height, &layout,
                &row);
    }
    put_scroll(grid, canvas, top, height);
}

void aw_grid_draw(struct aw_grid *grid, const struct aw_channels *channels,
                  struct aw_braille *canvas)
{
    const struct aw_channel **shown = calloc(channels->n + 1, sizeof(const struct aw_channel *));
    int longest = 5;
    aw_braille_clear(canvas);
    put_top(grid, canvas);
    grid->rows = 0;
    for (size_t i = 0; shown && i < channels->n; i++) {
        if (!passes(grid, channels->list[i]))
            continue;
        shown[grid->rows++] = channels->list[i];
        longest = aw_max(longest, (int)strlen(channels->list[i]->name));
    }
    if (grid->keys)
        aw_cell_keys(canvas, keys_of_table + (grid->stops ? 0 : 2));
    else if (canvas->rows > 4 && grid->rows && grid->columns && !grid->listed)
        aw_matrix_draw(grid, shown, canvas);
    else if (canvas->rows > 4 && grid->rows)
        put_rows(grid, shown, canvas, longest);
    else if (canvas->rows > 4)
        put_empty(grid, canvas, channels->n ? "no match" : "no data yet");
    put_bottom(grid, canvas);
    free(shown);
}
