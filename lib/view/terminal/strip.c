/* Stores the last seconds of several values, and draws them as a strip chart with axes. */
#include "view/terminal/strip.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/clamp.h"
#include "base/clock.h"
#include "base/ticks.h"
#include "base/utf8.h"

#define BUCKETS     4096
#define MAX_VALUE   1e100           /* scales up to this value do not overflow */
#define MIN_ROWS    5               /* minimum rows of a panel */
#define SHRINK_NS   (2 * AW_SECOND) /* delay before a scale shrinks */
#define ROUND_TICKS 12              /* max ticks when choosing the ends of a scale */
/* a scale is too large if the values use a smaller share of it */
#define ROOMY_SHARE  0.45
#define LEGEND_SHARE 4 /* the legend takes at most 1/4 of a panel's rows */

void aw_strip_init(struct aw_strip *strip, int64_t span_ns)
{
    *strip = (struct aw_strip){.span_ns = span_ns};
}

void aw_strip_free(struct aw_strip *strip)
{
    for (int i = 0; i < strip->n; i++)
        free(strip->lines[i].buckets);
    *strip = (struct aw_strip){0};
}

static int get_panel(struct aw_strip *strip, const char *unit)
{
    for (int i = 0; i < strip->n_panels; i++)
        if (strcmp(strip->panels[i].unit, unit) == 0)
            return i;
    if (strip->n_panels == AW_STRIP_PANELS)
        return AW_STRIP_PANELS; /* the last panel shows these lines */
    struct aw_strip_panel *panel = &strip->panels[strip->n_panels];
    panel->low = -1;
    panel->high = 1;
    snprintf(panel->unit, sizeof panel->unit, "%s", unit);
    return strip->n_panels++;
}

int aw_strip_add_line(struct aw_strip *strip, const char *label, const char *unit)
{
    if (strip->n == AW_STRIP_SERIES)
        return -1;
    struct aw_strip_line *line = &strip->lines[strip->n];
    line->buckets = malloc(BUCKETS * sizeof *line->buckets);
    if (!line->buckets)
        return -1;
    snprintf(line->label, sizeof line->label, "%s", label);
    snprintf(line->unit, sizeof line->unit, "%s", unit ? unit : "");
    line->panel = get_panel(strip, unit ? unit : "");
    line->value = (double)NAN;
    return strip->n++;
}

/* ---- Samples ---- */

static struct aw_bucket *get_bucket(const struct aw_strip_line *line, size_t age)
{
    return &line->buckets[(line->next + BUCKETS - 1 - age) % BUCKETS];
}

void aw_strip_add_sample(struct aw_strip *strip, int number, int64_t time_ns, double value)
{
    struct aw_strip_line *line = &strip->lines[number];
    struct aw_bucket *last = line->n ? get_bucket(line, 0) : NULL;
    if (!(fabs(value) < MAX_VALUE))
        value = (double)NAN;
    line->value = value;
    if (last && time_ns < last->time_ns)
        time_ns = last->time_ns;
    int64_t width = strip->span_ns / BUCKETS + 1;
    bool is_same = last && last->time_ns / width == time_ns / width;
    if (is_same && !isnan(value) && !isnan(last->last)) {
        last->time_ns = time_ns;
        last->last = value;
        last->min = fmin(last->min, value);
        last->max = fmax(last->max, value);
        return;
    }
    if (last && isnan(value) && isnan(last->last))
        return;
    line->buckets[line->next] = (struct aw_bucket){time_ns, value, value, value, value};
    line->next = (line->next + 1) % BUCKETS;
    line->n += line->n < BUCKETS;
}

void aw_strip_break(struct aw_strip *strip)
{
    for (int i = 0; i < strip->n; i++)
        if (strip->lines[i].n)
            aw_strip_add_sample(strip, i, get_bucket(&strip->lines[i], 0)->time_ns, (double)NAN);
}

/* Returns true if this panel shows the line. If there are not enough panels, the last one shows all
 * remaining lines. */
static bool is_in_panel(const struct aw_strip_line *line, int panel, int panels)
{
    return panel == panels - 1 ? line->panel >= panel : line->panel == panel;
}

/* ---- Scales ---- */

/* Finds the minimum and maximum visible values. Returns false if no value is visible. */
static bool find_extent(const struct aw_strip *strip, int panel, int panels, int64_t from_ns,
                        double *low, double *high)
{
    *low = INFINITY;
    *high = -INFINITY;
    for (int i = 0; i < strip->n; i++) {
        const struct aw_strip_line *line = &strip->lines[i];
        if (!is_in_panel(line, panel, panels))
            continue;
        for (size_t age = 0; age < line->n; age++) {
            const struct aw_bucket *bucket = get_bucket(line, age);
            if (bucket->time_ns < from_ns)
                break;
            *low = fmin(*low, bucket->min); /* fmin ignores NaN */
            *high = fmax(*high, bucket->max);
        }
    }
    return *low <= *high;
}

/* Extends the scale to round numbers. */
static void round_scale(double *low, double *high)
{
    double at[AW_TICKS], size = fmax(fabs(*low), fabs(*high)), span = *high - *low;
    int decimals;
    double margin = span > 1e-9 * size ? span * 0.04 : fmax(size * 0.1, 0.5);
    /* a scale that starts above zero does not extend below it */
    *low = *low >= 0 && span > 0 ? fmax(*low - margin, 0) : *low - margin;
    *high = *high <= 0 && span > 0 ? fmin(*high + margin, 0) : *high + margin;
    int n = aw_ticks(*low, *high, ROUND_TICKS, at, &decimals);
    if (n < 2)
        return;
    double step = at[1] - at[0];
    *low = floor(*low / step + 1e-9) * step;
    *high = ceil(*high / step - 1e-9) * step;
}

static void adapt_scale(struct aw_strip_panel *panel, double low, double high, int64_t now)
{
    double fit_low = low, fit_high = high;
    round_scale(&fit_low, &fit_high);
    double new_low = fit_low, new_high = fit_high;
    bool outside = !panel->has_scale || low < panel->low || high > panel->high;
    bool is_oversized = fit_high - fit_low < ROOMY_SHARE * (panel->high - panel->low);
    if (outside && panel->has_scale) { /* grows only, so that the scale does not oscillate */
        new_low = fmin(fit_low, panel->low);
        new_high = fmax(fit_high, panel->high);
        if (fit_high - fit_low < ROOMY_SHARE * (new_high - new_low)) {
            new_low = fit_low;
            new_high = fit_high;
        }
    }
    if (!is_oversized)
        panel->oversized_ns = 0;
    else if (!panel->oversized_ns)
        panel->oversized_ns = now;
    if (outside || (is_oversized && now - panel->oversized_ns > SHRINK_NS)) {
        panel->low = new_low;
        panel->high = new_high;
        panel->has_scale = true;
        panel->oversized_ns = 0;
    }
}

/* ---- Drawing ---- */

/* Inner area of a panel in characters, without its frame. */
struct box {
    int x, y, width, height;
    int64_t from_ns, to_ns;
    const struct aw_strip_panel *panel;
};

static double to_x(const struct box *box, int64_t time)
{
    double share = (double)(time - box->from_ns) / (double)(box->to_ns - box->from_ns);
    return 2 * box->x + share * (2 * box->width - 1);
}

static double to_y(const struct box *box, double value)
{
    double share = (value - box->panel->low) / (box->panel->high - box->panel->low);
    return 4 * box->y + (1 - share) * (4 * box->height - 1);
}

static double clamp_y(const struct box *box, double y)
{
    return aw_clamp(y, 4 * box->y, 4 * (box->y + box->height) - 1);
}

/* Draws a line between two buckets, and a vertical line for the range of a bucket. */
static void draw_line(const struct aw_strip_line *line, const struct box *box, int color,
                      struct aw_braille *canvas)
{
    const struct aw_bucket *newer = NULL;
    for (size_t age = 0; age < line->n; age++) {
        const struct aw_bucket *b = get_bucket(line, age);
        double x = to_x(box, b->time_ns), edge = 2 * box->x;
        if (newer && !isnan(b->last) && !isnan(newer->first)) {
            double x1 = to_x(box, newer->time_ns), y1 = clamp_y(box, to_y(box, newer->first));
            double y = clamp_y(box, to_y(box, b->last));
            if (x < edge) { /* cuts off the line at the left edge */
                y += (y1 - y) * (edge - x) / (x1 - x);
                aw_braille_draw_line(canvas, edge, y, x1, y1, color);
                return;
            }
            aw_braille_draw_line(canvas, x, y, x1, y1, color);
        }
        if (x < edge)
            return;
        if (!isnan(b->last))
            aw_braille_draw_line(canvas, x, clamp_y(box, to_y(box, b->min)), x,
                                 clamp_y(box, to_y(box, b->max)), color);
        newer = b;
    }
}

static void print_fixed(char *out, size_t size, double value, int decimals)
{
    snprintf(out, size, "%.*f", decimals, fabs(value) < 1e-12 ? 0.0 : value);
}

struct scale {
    int n, decimals;
    double at[AW_TICKS];
};

static struct scale make_scale(const struct aw_strip_panel *panel, int height)
{
    struct scale scale = {0};
    int max_ticks = (int)aw_clamp(height / 2 + 1, 3, 7);
    double slack = (panel->high - panel->low) * 1e-9;
    scale.n =
        aw_ticks(panel->low - slack, panel->high + slack, max_ticks, scale.at, &scale.decimals);
    return scale;
}

/* Returns the width of the widest label, at least width. */
static int get_scale_width(const struct scale *scale, int width)
{
    char text[48];
    for (int i = 0; i < scale->n; i++) {
        print_fixed(text, sizeof text, scale->at[i], scale->decimals);
        width = aw_max(width, (int)strlen(text));
    }
    return width;
}

static void draw_time(const struct aw_strip_look *look, const struct box *box,
                      struct aw_braille *canvas)
{
    double at[AW_TICKS], end = 0, span = (double)(box->to_ns - box->from_ns) / 1e9;
    int decimals = 0, y = box->y + box->height;
    if (look->is_absolute)
        end = (double)(look->end_ns - look->start_ns) / 1e9;
    int max_ticks = aw_max(box->width / 12, 2);
    int n = aw_ticks(end - span, end, max_ticks + 1, at, &decimals);
    aw_braille_draw_text(canvas, box->x - 1, y, "└", AW_BRAILLE_DIM);
    for (int i = 0; i < box->width; i++)
        aw_braille_draw_text(canvas, box->x + i, y, "─", AW_BRAILLE_DIM);
    for (int i = 0; i < n; i++) {
        char text[48] = "row ";
        int x = box->x + (int)((at[i] - end + span) / span * (box->width - 1) + 0.5);
        print_fixed(text + 4 * look->row_axis, sizeof text - 8, at[i], decimals);
        strcat(text, look->row_axis ? "" : " s");
        if (!look->is_absolute && at[i] == 0)
            strcpy(text, "now");
        int width = (int)strlen(text);
        int left = (int)aw_clamp(x - width / 2, 0, canvas->columns - width);
        aw_braille_draw_text(canvas, x, y, "┬", AW_BRAILLE_DIM);
        aw_braille_draw_text(canvas, left, y + 1, text, AW_BRAILLE_DIM);
    }
}

/* ---- Legend ---- */

static void print_value(const struct aw_strip_line *line, double span, char *out, size_t size)
{
    if (isnan(line->value)) {
        snprintf(out, size, "–");
        return;
    }
    print_fixed(out, size, line->value, (int)aw_clamp(ceil(3 - log10(span)), 0, 6));
}

static int choose_color(int line)
{
    return 1 + line % AW_BRAILLE_LINE_COLORS;
}

/* Returns the unit to show after a line. Of several lines with the same unit, only the last one
 * shows it. */
static const char *get_shown_unit(const struct aw_strip *strip, int line, int index, int panels)
{
    const char *unit = strip->lines[line].unit;
    for (int i = line + 1; i < strip->n; i++) {
        if (is_in_panel(&strip->lines[i], index, panels) && strcmp(strip->lines[i].unit, unit) == 0)
            return "";
    }
    return unit;
}

/* A line in the legend of a panel. */
struct entry {
    const struct aw_strip_line *line;
    const char *unit;
    char value[48];
    int number, width;
};

/* Fills the entry of a line. Returns false if another panel shows the line. */
static bool find_entry(const struct aw_strip *strip, int index, int panels, bool numbered,
                       int number, struct entry *entry)
{
    const struct aw_strip_line *line = &strip->lines[number];
    const struct aw_strip_panel *panel = &strip->panels[index];
    if (!is_in_panel(line, index, panels))
        return false;
    *entry = (struct entry){
        .line = line, .number = number, .unit = get_shown_unit(strip, number, index, panels)};
    print_value(line, panel->high - panel->low, entry->value, sizeof entry->value);
    int unit = (int)aw_utf8_length(entry->unit), value = (int)aw_utf8_length(entry->value);
    int mark = numbered && number >= 9 ? 2 : 1;
    entry->width =
        mark + 1 + (int)aw_utf8_length(line->label) + 1 + aw_max(value, 9) + unit + (unit > 0);
    return true;
}

static void draw_entry(const struct entry *entry, bool numbered, int x, int y,
                       struct aw_braille *canvas)
{
    char mark[16] = "●";
    if (numbered)
        snprintf(mark, sizeof mark, "%d", entry->number + 1);
    int at = aw_braille_draw_text(canvas, x, y, mark, choose_color(entry->number)) + 1;
    at = aw_braille_draw_text(canvas, at, y, entry->line->label, 0) + 1;
    int pad = aw_max(9 - (int)aw_utf8_length(entry->value), 0);
    at = aw_braille_draw_text(canvas, at + pad, y, entry->value, AW_BRAILLE_BOLD);
    aw_braille_draw_text(canvas, at + 1, y, entry->unit, AW_BRAILLE_DIM);
}

/* Draws a panel's legend (lines, values and units) from row y on, in at most `rows` rows. Returns
 * the number of rows used. */
static int draw_legend(const struct aw_strip *strip, int index, int panels, bool numbered, int y,
                       int rows, struct aw_braille *canvas)
{
    int x = 1, row = 0;
    for (int i = 0; i < strip->n; i++) {
        struct entry entry;
        if (!find_entry(strip, index, panels, numbered, i, &entry))
            continue;
        bool wraps = x > 1 && x + entry.width > canvas->columns;
        if (wraps && row + 1 == rows) {
            aw_braille_draw_text(canvas, x, y + row, "…", AW_BRAILLE_DIM);
            break;
        }
        x = wraps ? 1 : x;
        row += wraps;
        draw_entry(&entry, numbered, x, y + row, canvas);
        x += entry.width + 2;
    }
    return row + 1;
}

/* ---- The whole chart ---- */

static void draw_numbers(const struct aw_strip *strip, int index, int panels, const struct box *box,
                         struct aw_braille *canvas)
{
    for (int i = 0; i < strip->n; i++) {
        const struct aw_strip_line *line = &strip->lines[i];
        char text[16];
        if (!is_in_panel(line, index, panels) || isnan(line->value))
            continue;
        int column = (int)(to_x(box, get_bucket(line, 0)->time_ns) / 2);
        snprintf(text, sizeof text, "%d", i + 1);
        aw_braille_draw_text(canvas, column - i % 3,
                             (int)(clamp_y(box, to_y(box, line->value)) / 4), text,
                             choose_color(i));
    }
}

static void draw_panel(struct aw_strip *strip, const struct aw_strip_look *look, int index,
                       int panels, struct box *box, struct aw_braille *canvas)
{
    box->panel = &strip->panels[index];
    struct scale scale = make_scale(box->panel, box->height);
    char text[48];
    for (int i = 0; i < box->height; i++)
        aw_braille_draw_text(canvas, box->x - 1, box->y + i, "│", AW_BRAILLE_DIM);
    for (int i = 0; i < scale.n; i++) {
        int row = (int)(clamp_y(box, to_y(box, scale.at[i])) / 4);
        print_fixed(text, sizeof text, scale.at[i], scale.decimals);
        aw_braille_draw_text(canvas, box->x - 2 - (int)strlen(text), row, text, AW_BRAILLE_DIM);
        aw_braille_draw_text(canvas, box->x - 1, row, "┤", AW_BRAILLE_DIM);
        for (int x = box->x + 3; x < box->x + box->width; x += 4)
            aw_braille_draw_text(canvas, x, row, "·", AW_BRAILLE_DIM);
    }
    for (int i = strip->n - 1; i >= 0; i--) /* draws the first line last, so that it is on top */
        if (is_in_panel(&strip->lines[i], index, panels))
            draw_line(&strip->lines[i], box, choose_color(i), canvas);
    if (look->numbered)
        draw_numbers(strip, index, panels, box, canvas);
}

static int find_scales(struct aw_strip *strip, int panels, int height, int64_t from, int64_t now)
{
    int width = 4;
    for (int i = 0; i < panels; i++) {
        struct aw_strip_panel *panel = &strip->panels[i];
        double low, high;
        if (find_extent(strip, i, panels, from, &low, &high))
            adapt_scale(panel, low, high, now);
        struct scale scale = make_scale(panel, height);
        width = get_scale_width(&scale, width);
    }
    return width;
}

static void draw_edges(const struct aw_strip_look *look, struct aw_braille *canvas)
{
    int x = aw_braille_draw_text(canvas, 1, 0, look->title ? look->title : "", AW_BRAILLE_DIM);
    if (look->state)
        aw_braille_draw_text(canvas, x + 2, 0, look->state, AW_BRAILLE_WARNING);
    const char *keys = look->keys ? look->keys : "";
    int at = aw_max(canvas->columns - 1 - (int)aw_utf8_length(keys), 0);
    aw_braille_draw_text(canvas, at, canvas->rows - 1, keys, AW_BRAILLE_DIM);
}

void aw_strip_draw(struct aw_strip *strip, const struct aw_strip_look *look,
                   struct aw_braille *canvas)
{
    int top = look->title || look->state ? 1 : 0, bottom = look->keys ? 1 : 0;
    int room = canvas->rows - top - bottom - 2; /* minus two rows for the time axis */
    int panels = aw_min(strip->n_panels, room / MIN_ROWS);
    aw_braille_clear(canvas);
    draw_edges(look, canvas);
    if (panels < 1 || canvas->columns < 20) {
        aw_braille_draw_text(canvas, 0, top, strip->n ? "terminal too small" : "no data yet",
                             AW_BRAILLE_DIM);
        return;
    }
    int panel_rows = room / panels;
    int64_t from = look->end_ns - strip->span_ns;
    struct box box = {.x = find_scales(strip, panels, panel_rows - 1, from, look->end_ns) + 3};
    box.width = canvas->columns - box.x - 1;
    /* Rounds to whole dots, so that a line keeps its shape while it moves. */
    int64_t dot_ns = strip->span_ns / (2 * box.width - 1) + 1;
    box.to_ns = look->is_absolute ? look->end_ns : (look->end_ns + dot_ns - 1) / dot_ns * dot_ns;
    box.from_ns = box.to_ns - strip->span_ns;
    box.y = top;
    for (int i = 0; i < panels; i++) {
        const int max_rows = aw_max(panel_rows / LEGEND_SHARE, 1);
        int rows = draw_legend(strip, i, panels, look->numbered, box.y, max_rows, canvas);
        box.y += rows;
        box.height = (i == panels - 1 ? room - panel_rows * (panels - 1) : panel_rows) - rows;
        draw_panel(strip, look, i, panels, &box, canvas);
        box.y += box.height;
    }
    box.y -= box.height;
    draw_time(look, &box, canvas);
}
