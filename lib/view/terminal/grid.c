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

#define NOTE             24 /* columns for the message at the bottom: the keys leave them free … */
#define FEW_KEYS_COLUMNS 22 /* … except for the columns of these keys: stop, quit, all keys */
#define MIN_BLOCK        54 /* minimum columns of a table if several are side by side */
#define GAP_COLUMNS      2  /* columns between tables */
#define MAX_NAME         34
#define MAX_TREND        AW_TREND
#define MIN_TREND        8

/* ---- One value as text ---- */

struct cell {
    char text[AW_CELL_TEXT];
    int color;
};

struct row {
    const struct aw_channel *channel;
    int64_t now;
    bool is_stale;
};

static void print_value(const struct row *row, struct cell *cell)
{
    static const int alarms[] = {0, AW_BRAILLE_CAUTION, AW_BRAILLE_WARNING};
    if (row->channel->text[0])
        snprintf(cell->text, AW_CELL_TEXT, "%s", row->channel->text);
    else
        aw_cell_print_number(row->channel, row->channel->value, cell->text);
    cell->color = row->is_stale ? AW_BRAILLE_DIM : alarms[aw_channel_alarm_level(row->channel)];
}

static void print_unit(const struct row *row, struct cell *cell)
{
    snprintf(cell->text, AW_CELL_TEXT, "%s", row->channel->unit ? row->channel->unit : "");
    cell->color = AW_BRAILLE_DIM;
}

static void print_extreme(const struct row *row, double value, struct cell *cell)
{
    if (!row->channel->text[0])
        aw_cell_print_number(row->channel, value, cell->text);
    cell->color = AW_BRAILLE_DIM;
}

static void print_min(const struct row *row, struct cell *cell)
{
    print_extreme(row, row->channel->range.seen_min, cell);
}

static void print_max(const struct row *row, struct cell *cell)
{
    print_extreme(row, row->channel->range.seen_max, cell);
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

static void print_channel_rate(const struct row *row, struct cell *cell)
{
    print_rate(aw_channel_rate(row->channel, row->now), cell->text);
}

/* Prints the age of a value. The age of a new value is "now", because its milliseconds would change
 * too fast to read. */
static void print_age(const struct row *row, struct cell *cell)
{
    double s = (double)(row->now - row->channel->updated_ns) / 1e9;
    cell->color = !row->is_stale ? 0 : s > 5 ? AW_BRAILLE_WARNING : AW_BRAILLE_CAUTION;
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
    bool is_left;
    int rank;
    void (*print)(const struct row *row, struct cell *cell);
} columns[] = {
    {"value", 11, false, 0, print_value},
    {"unit", 5, true, 1, print_unit},
    {"min", 10, false, 4, print_min},
    {"max", 10, false, 4, print_max},
    {"Hz", 5, false, 2, print_channel_rate},
    {"age", 6, false, 3, print_age},
    {0},
};

/* Widths of the columns of a table. */
struct layout {
    int name_width, trend_width;
    size_t cut; /* bytes of a long name before the ellipsis */
    int rank;   /* columns up to this rank are shown */
};

static int get_width_up_to(int rank)
{
    int width = 0;
    for (size_t i = 0; columns[i].head; i++)
        if (columns[i].rank <= rank)
            width += columns[i].width + 1;
    return width;
}

static struct layout choose_layout(int width, int name_width, bool shows_blocks)
{
    struct layout layout = {.rank = 4};
    int min_name = aw_min(name_width, 12), full_name = aw_min(name_width, MAX_NAME);
    while (layout.rank > 0 &&
           width - get_width_up_to(layout.rank) < (layout.rank > 2 ? full_name : min_name))
        layout.rank--;
    int rest = width - get_width_up_to(layout.rank);
    layout.name_width = aw_min(rest, full_name);
    rest -= layout.name_width + 2;
    if (shows_blocks && layout.rank == 4 && rest >= MIN_TREND)
        layout.trend_width = aw_min(rest, MAX_TREND);
    return layout;
}

static void put_headings(struct aw_braille *canvas, int x, const struct layout *layout)
{
    aw_cell_draw(canvas, x, 1, layout->name_width, true, "field", AW_BRAILLE_DIM);
    x += layout->name_width + 1;
    for (size_t i = 0; columns[i].head; i++)
        if (columns[i].rank <= layout->rank) {
            aw_cell_draw(canvas, x, 1, columns[i].width, columns[i].is_left, columns[i].head,
                         AW_BRAILLE_DIM);
            x += columns[i].width + 1;
        }
    char trend[24];
    snprintf(trend, sizeof trend, "last %d s",
             (int)(layout->trend_width * AW_TREND_STEP_NS / AW_SECOND));
    if (layout->trend_width)
        aw_cell_draw(canvas, x + 1, 1, layout->trend_width, true, trend, AW_BRAILLE_DIM);
}

/* Returns true if the names on this page remain distinct when they are shortened after cut
 * bytes. */
static bool are_distinct(const struct aw_channel *const *shown, size_t n, int width, size_t cut)
{
    char a[AW_POINT_NAME], b[AW_POINT_NAME];
    for (size_t i = 1; i < n; i++) {
        aw_cell_shorten(shown[i]->name, width, cut, a);
        for (size_t k = 0; k < i; k++) {
            aw_cell_shorten(shown[k]->name, width, cut, b);
            if (strcmp(a, b) == 0)
                return false;
        }
    }
    return true;
}

/* Chooses the position of the ellipsis in long names: in the middle, unless other positions keep
 * the names distinct. */
static size_t choose_cut(const struct aw_channel *const *shown, size_t n, int width)
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
    size_t cut = aw_cell_shorten(channel->name, layout->name_width, layout->cut, name);
    bool is_complete = (int)strlen(channel->name) <= layout->name_width;
    size_t prefix_size = !is_complete && cut < channel->prefix ? cut : channel->prefix;
    snprintf(prefix, sizeof prefix, "%.*s", (int)prefix_size, name);
    x = aw_braille_draw_text(canvas, x, y, prefix, AW_BRAILLE_DIM);
    aw_braille_draw_text(canvas, x, y, name + prefix_size, 0);
}

static void put_trend(struct aw_braille *canvas, int x, int y, int width, const struct row *row)
{
    static const char *const bars[] = {"▁", "▂", "▃", "▄", "▅", "▆", "▇", "█"};
    const struct aw_channel *channel = row->channel;
    double span = channel->range.seen_max - channel->range.seen_min;
    int64_t now = row->now / AW_TREND_STEP_NS;
    int level = -1;
    for (int64_t step = now - AW_TREND + 1; step <= now; step++) {
        bool is_stored = step <= channel->trend_step && step > channel->trend_step - AW_TREND;
        float value = is_stored && step >= 0 ? channel->trend[step % AW_TREND] : NAN;
        int at = (int)(width - 1 - (now - step));
        double share = ((double)value - channel->range.seen_min) / span; /* NaN: no data */
        if (!isnan(value))
            level = share > 0 ? (share < 1 ? (int)(share * 8) : 7) : 0;
        if (at >= 0 && level >= 0 && (step <= channel->trend_step || !row->is_stale))
            aw_braille_draw_text(canvas, x + at, y, bars[level],
                                 row->is_stale ? AW_BRAILLE_DIM : 1);
    }
}

static void put_row(struct aw_braille *canvas, int x, int y, const struct layout *layout,
                    const struct row *row)
{
    put_name(canvas, x, y, layout, row->channel);
    x += layout->name_width + 1;
    for (size_t i = 0; columns[i].head; i++) {
        struct cell cell = {.color = 0};
        if (columns[i].rank > layout->rank)
            continue;
        columns[i].print(row, &cell);
        aw_cell_draw(canvas, x, y, columns[i].width, columns[i].is_left, cell.text, cell.color);
        x += columns[i].width + 1;
    }
    if (layout->trend_width && !row->channel->text[0])
        put_trend(canvas, x + 1, y, layout->trend_width, row);
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
static void put_header(const struct aw_grid *grid, struct aw_braille *canvas)
{
    char text[160], count[32], rate[AW_CELL_TEXT];
    int width = canvas->columns, length = 0;
    long s = (long)(grid->head.elapsed_ns / AW_SECOND);
    print_count(grid->head.n_messages, count, sizeof count);
    print_rate(grid->head.rate_hz, rate);
    int x = aw_braille_draw_text(canvas, 1, 0, grid->head.title ? grid->head.title : "",
                                 AW_BRAILLE_BOLD);
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
    aw_braille_draw_text(canvas, width - length, 0, text, 0);
    const char *state = grid->head.state ? grid->head.state : grid->head.link;
    int room = width - length - x - 4;
    if (state && room > 3)
        aw_cell_draw(canvas, x + 2, 0, room, true, state,
                     grid->head.state ? AW_BRAILLE_WARNING : AW_BRAILLE_DIM);
}

/* Returns a list of keys that fits. The keys for quit and help come first. */
static const char *choose_keys(const struct aw_grid *grid, int room)
{
    static const char *const key_lists[] = {"q quit  space freeze  r reset  / filter  ? keys",
                                            "q quit  space freeze  ? keys", "q quit  ? keys",
                                            "? keys"};
    size_t i = 0;
    if (grid->search.is_typing)
        return "Enter keep  Esc clear";
    if (grid->is_frozen)
        return "FROZEN  space resume";
    while (i + 1 < sizeof key_lists / sizeof *key_lists && (int)strlen(key_lists[i]) > room)
        i++;
    return key_lists[i];
}

/* Prints the keys; the stop key is always shown. */
static void print_keys(const struct aw_grid *grid, int room, char *out, size_t size)
{
    const char *stop = grid->can_stop && !grid->search.is_typing ? "s STOP  " : "";
    snprintf(out, size, "%s%s", stop, choose_keys(grid, room - (int)strlen(stop)));
}

/* Prints the filter, or else the numbers of lost and damaged messages if there is room. Returns the
 * next column. */
static int put_counts(const struct aw_grid *grid, struct aw_braille *canvas, int y)
{
    char text[160], lost[32], damaged[32];
    bool has_losses = grid->head.n_lost || grid->head.n_damaged;
    if (grid->search.is_typing || (grid->search.filter && *grid->search.filter)) {
        snprintf(text, sizeof text, "/%.60s%s", grid->search.filter,
                 grid->search.is_typing ? "█" : "");
        return aw_braille_draw_text(canvas, 1, y, text, AW_BRAILLE_BOLD) + 1;
    }
    print_count(grid->head.n_lost, lost, sizeof lost);
    print_count(grid->head.n_damaged, damaged, sizeof damaged);
    snprintf(text, sizeof text, "%s lost  %s damaged", lost, damaged);
    if (!has_losses && grid->can_stop && (int)strlen(text) + FEW_KEYS_COLUMNS + 4 > canvas->columns)
        return 0;
    return aw_braille_draw_text(canvas, 1, y, text,
                                has_losses ? AW_BRAILLE_CAUTION : AW_BRAILLE_DIM) +
           1;
}

static void put_footer(const struct aw_grid *grid, struct aw_braille *canvas)
{
    int y = canvas->rows - 1, width = canvas->columns, x = put_counts(grid, canvas, y);
    char keys[80];
    int room = width - x - 2;
    /* Without rows, put_empty shows the note. */
    bool shows_note = grid->head.note && grid->pages.n_rows;
    int note_width = shows_note ? aw_min(NOTE, (int)strlen(grid->head.note) + 4) : 0;
    print_keys(grid, aw_max(room - note_width, aw_min(room, FEW_KEYS_COLUMNS)), keys, sizeof keys);
    int length = (int)strlen(keys);
    if (x + 1 + length < width) {
        aw_braille_draw_text(canvas, width - length - 1, y, keys,
                             grid->is_frozen ? AW_BRAILLE_CAUTION : AW_BRAILLE_DIM);
        width -= length + 1;
    }
    if (shows_note && width - x > 12)
        aw_cell_draw(canvas, x + 1, y, width - x - 3, true, grid->head.note, 0);
}

/* Prints that there are no rows, and the note, which probably gives the reason, on several
 * lines. */
static void put_empty(const struct aw_grid *grid, struct aw_braille *canvas, const char *message)
{
    int x = 1, y = 4;
    aw_braille_draw_text(canvas, 1, 2, message, AW_BRAILLE_DIM);
    for (const char *word = grid->head.note ? grid->head.note : ""; *word;
         word += strspn(word, " ")) {
        char text[160];
        size_t size = strcspn(word, " ");
        snprintf(text, sizeof text, "%.*s", (int)size, word);
        bool fits = x == 1 || x + (int)aw_utf8_length(text) < canvas->columns;
        x = fits ? x : 1;
        y += !fits;
        if (y < canvas->rows - 1)
            x = aw_braille_draw_text(canvas, x, y, text, 0) + 1;
        word += size;
    }
}

/* clang-format off */
static const char *const table_keys[] = {
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

static bool is_shown(const struct aw_grid *grid, const struct aw_channel *channel)
{
    if (channel->is_hidden || channel->count == 0)
        return false;
    if (!grid->search.filter || !*grid->search.filter)
        return true;
    return strpbrk(grid->search.filter, "*?[") ? fnmatch(grid->search.filter, channel->name, 0) == 0
                                               : strstr(channel->name, grid->search.filter) != NULL;
}

static void put_scroll(const struct aw_grid *grid, struct aw_braille *canvas, int top, int height)
{
    if (grid->pages.n_rows <= grid->pages.page_rows || height < 3)
        return;
    double share = (double)grid->pages.page_rows / (double)grid->pages.n_rows;
    int bar_height = (int)fmax(1, share * height);
    int at =
        (int)((double)grid->pages.scroll / (double)(grid->pages.n_rows - grid->pages.page_rows) *
                  (height - bar_height) +
              0.5);
    for (int i = 0; i < height; i++)
        aw_braille_draw_text(canvas, canvas->columns - 1, top + i,
                             i >= at && i < at + bar_height ? "█" : "│", AW_BRAILLE_DIM);
}

static void put_rows(struct aw_grid *grid, const struct aw_channel *const *shown,
                     struct aw_braille *canvas, int name_width)
{
    const int top = 2;
    int height = canvas->rows - top - 1, width = canvas->columns - 2;
    int min_width = aw_max(name_width + 32, MIN_BLOCK);
    int max_tables = (width + GAP_COLUMNS) / (min_width + GAP_COLUMNS);
    int needed = (int)((grid->pages.n_rows + (size_t)height - 1) / (size_t)height);
    int n_tables = aw_max(aw_min(needed, max_tables), 1);
    int table_width = (width + GAP_COLUMNS) / n_tables - GAP_COLUMNS;
    struct layout layout = choose_layout(table_width, name_width, grid->shows_trend);
    grid->pages.page_rows = (size_t)height * (size_t)n_tables;
    size_t max_scroll =
        grid->pages.n_rows > grid->pages.page_rows ? grid->pages.n_rows - grid->pages.page_rows : 0;
    grid->pages.scroll = grid->pages.scroll < max_scroll ? grid->pages.scroll : max_scroll;
    size_t end = grid->pages.scroll + grid->pages.page_rows < grid->pages.n_rows
                     ? grid->pages.scroll + grid->pages.page_rows
                     : grid->pages.n_rows;
    if (layout.name_width > 3 && layout.name_width < name_width)
        layout.cut =
            choose_cut(shown + grid->pages.scroll, end - grid->pages.scroll, layout.name_width);
    for (int t = 0; t < n_tables; t++)
        put_headings(canvas, 1 + t * (table_width + GAP_COLUMNS), &layout);
    for (size_t i = 0; grid->pages.scroll + i < end; i++) {
        struct row row = {.channel = shown[grid->pages.scroll + i], .now = grid->now_ns};
        row.is_stale = aw_channel_is_stale(row.channel, row.now);
        put_row(canvas, 1 + (int)i / height * (table_width + GAP_COLUMNS), top + (int)i % height,
                &layout, &row);
    }
    put_scroll(grid, canvas, top, height);
}

void aw_grid_draw(struct aw_grid *grid, const struct aw_channels *channels,
                  struct aw_braille *canvas)
{
    const struct aw_channel **shown = calloc(channels->n + 1, sizeof(const struct aw_channel *));
    int name_width = 5;
    aw_braille_clear(canvas);
    put_header(grid, canvas);
    grid->pages.n_rows = 0;
    for (size_t i = 0; shown && i < channels->n; i++) {
        if (!is_shown(grid, channels->list[i]))
            continue;
        shown[grid->pages.n_rows++] = channels->list[i];
        name_width = aw_max(name_width, (int)strlen(channels->list[i]->name));
    }
    if (grid->shows_keys)
        aw_cell_draw_keys(canvas, table_keys + (grid->can_stop ? 0 : 2));
    else if (canvas->rows > 4 && grid->pages.n_rows && grid->columns && !grid->by_field)
        aw_matrix_draw(grid, shown, canvas);
    else if (canvas->rows > 4 && grid->pages.n_rows)
        put_rows(grid, shown, canvas, name_width);
    else if (canvas->rows > 4)
        put_empty(grid, canvas, channels->n ? "no match" : "no data yet");
    put_footer(grid, canvas);
    free(shown);
}
