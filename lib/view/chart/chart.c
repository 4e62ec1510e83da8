/* Lays out axes, legend and lines of a chart, and thins out what no eye could tell apart. */
#include "view/chart/chart.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "base/ticks.h"
#include "base/utf8.h"
#include "view/chart/svg.h"

#define MOST_PANELS  4
#define LEFT         72.0 /* margins */
#define RIGHT        20.0
#define TOP_TITLE    36.0
#define TOP          14.0
#define BOTTOM       46.0
#define BETWEEN      22.0
#define TEXT         12.0
#define TICK_TEXT    11.0
#define LETTER       6.6 /* a letter of the legend is about so wide */
#define LEGEND_ROW   18.0
#define SAMPLE_WIDTH 22.0
#define DOT          3.0 /* radius */
#define PER_LINE     2.0 /* buckets of a long line per pixel */
#define GUIDE        "#777"
#define TITLE_TEXT   14.0
#define TITLE_LETTER 7.8
#define LEGEND_ROWS  7 /* of a column, where there is room for another one */

/* Okabe and Ito's colours, which people with any colour vision tell apart; more, where there are
 * more lines than that. */
static const char *const colours[] = {"#0072b2", "#d55e00", "#009e73", "#cc79a7",
                                      "#56b4e9", "#e69f00", "#222222", "#882255",
                                      "#999933", "#7f7f7f", "#332288", "#8c6d31"};

struct range {
    double low, high;
};

struct box {
    double x, y, width, height; /* pixels */
};

/* One panel on the drawing: what it shows where. */
struct frame {
    double x, y, width, height;
    struct range across, up;
    bool log_x;
    struct box legend; /* of width 0: there is none */
};

/* ---- Ranges and ticks --------------------------------------------------------------------------
 */

static void include(struct range *range, double value)
{
    range->low = fmin(range->low, value);
    range->high = fmax(range->high, value);
}

static double x_value(const struct frame *frame, double x)
{
    if (!frame->log_x)
        return x;
    return x > 0 ? log10(x) : NAN;
}

static void measure(const struct aw_panel *panel, struct frame *frame)
{
    for (size_t s = 0; s < panel->n; s++)
        for (size_t i = 0; i < panel->series[s].n; i++) {
            double x = x_value(frame, panel->series[s].x[i]), y = panel->series[s].y[i];
            if (!isfinite(x) || !isfinite(y))
                continue;
            include(&frame->across, x);
            include(&frame->up, y);
        }
}

/* A level line gets some air, everything else a little, so that it does not touch the frame. */
static void widen(struct range *range, double share)
{
    double span = range->high - range->low;
    double size = fmax(fabs(range->low), fabs(range->high));
    double air = span > 1e-9 * size ? span * share : fmax(size * 0.1, 1e-3);
    range->low -= air;
    range->high += air;
}

static bool is_empty(const struct range *range)
{
    return !(range->high >= range->low);
}

/* ---- Lines -------------------------------------------------------------------------------------
 */

static double to_x(const struct frame *frame, double x)
{
    return frame->x +
           (x - frame->across.low) / (frame->across.high - frame->across.low) * frame->width;
}

static double to_y(const struct frame *frame, double y)
{
    return frame->y + frame->height -
           (y - frame->up.low) / (frame->up.high - frame->up.low) * frame->height;
}

/* A line being drawn: the pixel column it is in, with the least and greatest value there. */
struct pen {
    struct aw_svg *svg;
    const struct frame *frame;
    const struct aw_series *series;
    bool down;
    double x, y; /* of the last point drawn */
};

static void draw_to(struct pen *pen, double x, double y)
{
    if (pen->down && pen->series->stairs)
        aw_svg_path_point(pen->svg, x, pen->y, false);
    aw_svg_path_point(pen->svg, x, y, !pen->down);
    pen->down = true;
    pen->x = x;
    pen->y = y;
}

/* Of many samples in one piece only the first, the extremes and the last are to be seen. A gap in
 * the piece is moved to its beginning. */
static void draw_segment(struct pen *pen, size_t from, size_t to)
{
    const double *y = pen->series->y;
    size_t least = from, most = from, last = from;
    bool found = false;
    for (size_t i = from; i < to; i++) {
        if (!isfinite(x_value(pen->frame, pen->series->x[i])) || !isfinite(y[i])) {
            pen->down = false;
            continue;
        }
        from = found ? from : i;
        least = !found || y[i] < y[least] ? i : least;
        most = !found || y[i] > y[most] ? i : most;
        last = i;
        found = true;
    }
    const size_t order[] = {from, least < most ? least : most, least < most ? most : least, last};
    for (size_t k = 0; found && k < sizeof order / sizeof *order; k++)
        if (k == 0 || order[k] > order[k - 1])
            draw_to(pen, to_x(pen->frame, x_value(pen->frame, pen->series->x[order[k]])),
                    to_y(pen->frame, y[order[k]]));
}

/* Beside a dot, on the side where there is room. */
static void draw_remark(struct aw_svg *svg, const struct frame *frame, double x, double y,
                        const char *text)
{
    bool left = x > frame->x + frame->width * 0.75;
    double up = y > frame->y + 20 ? -6 : 15;
    aw_svg_text_over(svg, x + (left ? -7 : 7), y + up, left ? "end" : "start", TICK_TEXT, text);
}

static void draw_dots(struct aw_svg *svg, const struct frame *frame, const struct aw_series *series,
                      const char *colour)
{
    for (size_t i = 0; i < series->n; i++) {
        double x = x_value(frame, series->x[i]), y = series->y[i];
        if (isfinite(x) && isfinite(y))
            aw_svg_dot(svg, to_x(frame, x), to_y(frame, y), DOT, colour,
                       series->hollow && series->hollow[i]);
        if (isfinite(x) && isfinite(y) && series->texts)
            draw_remark(svg, frame, to_x(frame, x), to_y(frame, y), series->texts[i]);
    }
}

static void draw_series(struct aw_svg *svg, const struct frame *frame,
                        const struct aw_series *series, const char *colour)
{
    if (series->dots) {
        draw_dots(svg, frame, series, colour);
        return;
    }
    struct pen pen = {.svg = svg, .frame = frame, .series = series};
    size_t segments = (size_t)(frame->width * PER_LINE);
    size_t n = series->n, each = series->curve ? 1 : n / segments + 1;
    if (series->guide)
        aw_svg_path_begin(svg, GUIDE, 1, "2 2");
    else
        aw_svg_path_begin(svg, colour, series->dashed ? 1.2 : 1.6, series->dashed ? "5 3" : NULL);
    for (size_t i = 0; i < n; i += each)
        draw_segment(&pen, i, n - i < each ? n : i + each);
    aw_svg_path_end(svg);
}

/* ---- Axes and texts ----------------------------------------------------------------------------
 */

static void print_tick(char *out, size_t size, double value, int decimals)
{
    double shown = fabs(value) < 0.5 * pow(10, -decimals) ? 0 : value;
    if (fabs(value) >= 1e6 || decimals > 6)
        snprintf(out, size, "%g", shown);
    else
        snprintf(out, size, "%.*f", decimals, shown);
}

static void draw_rows(struct aw_svg *svg, const struct frame *frame)
{
    double ticks[AW_TICKS];
    char text[32];
    int decimals, n = aw_ticks(frame->up.low, frame->up.high, 2 + (int)(frame->height / 40), ticks,
                               &decimals);
    for (int i = 0; i < n; i++) {
        double y = to_y(frame, ticks[i]);
        aw_svg_line(svg, frame->x, y, frame->x + frame->width, y, "#e4e4e4");
        print_tick(text, sizeof text, ticks[i], decimals);
        aw_svg_text(svg, frame->x - 6, y + 4, "end", TICK_TEXT, text);
    }
}

static void draw_column(struct aw_svg *svg, const struct frame *frame, double x, const char *text)
{
    double at = to_x(frame, x);
    aw_svg_line(svg, at, frame->y, at, frame->y + frame->height, text ? "#e4e4e4" : "#f3f3f3");
    if (text && *text)
        aw_svg_text(svg, at, frame->y + frame->height + 16, "middle", TICK_TEXT, text);
}

static void draw_columns(struct aw_svg *svg, const struct frame *frame, bool labels)
{
    double ticks[AW_TICKS];
    char text[32];
    int decimals, n = aw_ticks(frame->across.low, frame->across.high, 2 + (int)(frame->width / 90),
                               ticks, &decimals);
    for (int i = 0; i < n; i++) {
        print_tick(text, sizeof text, ticks[i], decimals);
        draw_column(svg, frame, ticks[i], labels ? text : "");
    }
}

/* Over a wide range the powers of ten have a number, over a narrow one 2 and 5 too. */
static void draw_decades(struct aw_svg *svg, const struct frame *frame, bool labels)
{
    bool narrow = frame->across.high - frame->across.low < 2;
    for (int power = (int)floor(frame->across.low); power <= frame->across.high; power++)
        for (int digit = 1; digit < 10; digit++) {
            double x = power + log10(digit);
            char text[32];
            if (x < frame->across.low - 1e-9 || x > frame->across.high + 1e-9)
                continue;
            bool named = digit == 1 || (narrow && (digit == 2 || digit == 5));
            snprintf(text, sizeof text, "%g", digit * pow(10, power));
            draw_column(svg, frame, x, named ? (labels ? text : "") : NULL);
        }
}

static void join(char *out, size_t size, const char *label, const char *unit)
{
    bool has_unit = unit && *unit;
    const char *before = !has_unit ? "" : label && *label ? " [" : "[";
    snprintf(out, size, "%s%s%s%s", label ? label : "", before, has_unit ? unit : "",
             has_unit ? "]" : "");
}

/* Series without a label are not in it. */
struct legend {
    size_t n, rows, columns;
    double each; /* width of a column */
};

static struct legend measure_legend(const struct aw_panel *panel, const struct frame *frame)
{
    struct legend legend = {.columns = 1};
    size_t longest = 0;
    for (size_t s = 0; s < panel->n; s++) {
        size_t length = panel->series[s].label ? strlen(panel->series[s].label) : 0;
        longest = length > longest ? length : longest;
        legend.n += length > 0;
    }
    legend.each = (double)longest * LETTER + SAMPLE_WIDTH + 18;
    while (legend.n > legend.columns * LEGEND_ROWS &&
           (double)(legend.columns + 1) * legend.each + 12 < frame->width)
        legend.columns++;
    legend.rows = (legend.n + legend.columns - 1) / legend.columns;
    return legend;
}

static const char *colour_of(const struct aw_panel *panel, size_t s)
{
    size_t colour = panel->series[s].colour;
    return colours[(colour > 0 ? colour - 1 : s) % (sizeof colours / sizeof *colours)];
}

#define CORNERS 4

static void count(size_t *hidden, const struct box *boxes, double x, double y)
{
    for (const struct box *box = boxes; box < boxes + CORNERS; box++)
        hidden[box - boxes] +=
            x >= box->x && x <= box->x + box->width && y >= box->y && y <= box->y + box->height;
}

#define SAMPLES_LOOKED_AT 20000 /* of a line; more, and the samples alone stand close enough */

/* How many points of the panel's lines lie under each box, some between two samples included. */
static void count_hidden(const struct aw_panel *panel, const struct frame *frame,
                         const struct box *boxes, size_t *hidden)
{
    for (size_t s = 0; s < panel->n; s++) {
        double before_x = NAN, before_y = NAN;
        size_t stride = 1 + panel->series[s].n / SAMPLES_LOOKED_AT;
        for (size_t i = 0; i < panel->series[s].n; i += stride) {
            double x = to_x(frame, x_value(frame, panel->series[s].x[i]));
            double y = to_y(frame, panel->series[s].y[i]);
            double dx = x - before_x, dy = y - before_y, square = dx * dx + dy * dy;
            /* every 10 pixels; there is nothing from or to what is no number */
            int steps = square >= 20 * 20 ? (int)(fmin(sqrt(square), 1000) / 10) : 0;
            for (int k = 1; k < steps && stride == 1 && !panel->series[s].dots; k++)
                count(hidden, boxes, before_x + dx * k / steps, before_y + dy * k / steps);
            count(hidden, boxes, x, y);
            before_x = x;
            before_y = y;
        }
    }
}

/* In the corner where it hides least. */
static size_t place_legend(const struct aw_panel *panel, struct frame *frame)
{
    const struct legend legend = measure_legend(panel, frame);
    double width = (double)legend.columns * legend.each;
    double height = LEGEND_ROW * (double)legend.rows + 6;
    double left = frame->x + 6, right = frame->x + frame->width - width - 6;
    double top = frame->y + 6, bottom = frame->y + frame->height - height - 6;
    const struct box boxes[CORNERS] = {{right, top, width, height},
                                       {left, top, width, height},
                                       {right, bottom, width, height},
                                       {left, bottom, width, height}};
    size_t hidden[CORNERS] = {0}, least = 0;
    frame->legend = (struct box){0};
    if (legend.n == 0)
        return 0;
    count_hidden(panel, frame, boxes, hidden);
    for (size_t corner = 1; corner < CORNERS; corner++)
        if (hidden[corner] < hidden[least])
            least = corner;
    frame->legend = boxes[least];
    return hidden[least];
}

/* Where every corner hides something, the panel gets room for the legend above its lines. */
static void make_room(const struct aw_panel *panel, struct frame *frame)
{
    struct box *box = &frame->legend;
    if (place_legend(panel, frame) == 0 || box->height * 2 > frame->height)
        return;
    double share = (box->height + 12) / frame->height;
    box->x = frame->x + frame->width - box->width - 6;
    box->y = frame->y + 6;
    frame->up.high += (frame->up.high - frame->up.low) * share / (1 - share);
}

static void draw_legend_sample(struct aw_svg *svg, const struct aw_series *series, double x,
                               double y, const char *colour)
{
    if (series->dots) {
        aw_svg_dot(svg, x + SAMPLE_WIDTH / 2, y, DOT, colour, false);
        return;
    }
    aw_svg_path_begin(svg, series->guide ? GUIDE : colour, series->guide ? 1 : 2,
                      series->guide    ? "2 2"
                      : series->dashed ? "5 3"
                                       : NULL);
    aw_svg_path_point(svg, x, y, true);
    aw_svg_path_point(svg, x + SAMPLE_WIDTH, y, false);
    aw_svg_path_end(svg);
}

static void draw_legend(struct aw_svg *svg, const struct frame *frame, const struct aw_panel *panel)
{
    const struct box box = frame->legend;
    if (box.width <= 0)
        return;
    const struct legend legend = measure_legend(panel, frame);
    aw_svg_rect(svg, box.x, box.y, box.width, box.height, "#fff", "#ddd");
    for (size_t s = 0, at = 0; s < panel->n; s++) {
        const struct aw_series *series = &panel->series[s];
        double x = box.x + legend.each * (double)(at / legend.rows);
        double y = box.y + LEGEND_ROW * ((double)(at % legend.rows) + 0.5) + 3;
        if (!series->label || !*series->label)
            continue;
        draw_legend_sample(svg, series, x + 6, y, colour_of(panel, s));
        aw_svg_text(svg, x + SAMPLE_WIDTH + 12, y + 4, "start", TICK_TEXT, series->label);
        at++;
    }
}

/* Widens what is drawn larger, until a unit is as long across as up. */
static void make_round(struct frame *frame)
{
    struct range *across = &frame->across, *up = &frame->up;
    double per_x = (across->high - across->low) / frame->width;
    double per_y = (up->high - up->low) / frame->height;
    struct range *shorter = per_x < per_y ? across : up;
    double more = fabs(per_x - per_y) * (per_x < per_y ? frame->width : frame->height) / 2;
    shorter->low -= more;
    shorter->high += more;
}

static void draw_panel(struct aw_svg *svg, const struct aw_chart *chart, size_t p,
                       const struct frame *frame)
{
    const struct aw_panel *panel = &chart->panels[p];
    char label[96];
    bool last = p + 1 == chart->n;
    draw_rows(svg, frame);
    (chart->log_x ? draw_decades : draw_columns)(svg, frame, last);
    aw_svg_rect(svg, frame->x, frame->y, frame->width, frame->height, "none", "#888");
    aw_svg_clip_begin(svg, frame->x, frame->y, frame->width, frame->height);
    for (size_t s = 0; s < panel->n; s++)
        draw_series(svg, frame, &panel->series[s], colour_of(panel, s));
    aw_svg_clip_end(svg);
    draw_legend(svg, frame, panel);
    join(label, sizeof label, panel->label, panel->unit);
    aw_svg_text_up(svg, 18, frame->y + frame->height / 2, TEXT, label);
}

/* ---- Chart -------------------------------------------------------------------------------------
 */

/* What is too long for the drawing ends in dots. */
static void draw_title(struct aw_svg *svg, double width, const char *title)
{
    char text[512];
    size_t most = (size_t)((width - 20) / TITLE_LETTER), used = 0, letters = 0;
    for (; title[used] && letters < most && used + 8 < sizeof text; letters++) {
        size_t length = aw_utf8_size(title + used);
        used += length > 0 ? length : 1;
    }
    snprintf(text, sizeof text, "%.*s%s", (int)used, title, title[used] ? "…" : "");
    aw_svg_text(svg, width / 2, 22, "middle", TITLE_TEXT, text);
}

static bool find_ranges(const struct aw_chart *chart, struct frame *frames)
{
    struct range across = {INFINITY, -INFINITY};
    for (size_t p = 0; p < chart->n; p++) {
        frames[p] = (struct frame){
            .across = {INFINITY, -INFINITY}, .up = {INFINITY, -INFINITY}, .log_x = chart->log_x};
        measure(&chart->panels[p], &frames[p]);
        if (is_empty(&frames[p].up)) {
            frames[p].up = (struct range){0, 1};
            continue;
        }
        include(&across, frames[p].across.low);
        include(&across, frames[p].across.high);
        widen(&frames[p].up, 0.06);
    }
    if (is_empty(&across))
        return false;
    widen(&across, 0);
    for (size_t p = 0; p < chart->n; p++)
        frames[p].across = across;
    return true;
}

static enum aw_status check_chart(const struct aw_chart *chart, double width, double height,
                                  struct aw_error *err)
{
    if (chart->n < 1 || chart->n > MOST_PANELS)
        return aw_fail(err, AW_USAGE, "chart: %zu panels are not possible — use 1 to %d", chart->n,
                       MOST_PANELS);
    if (!(width >= 200 && width <= 20000) || !(height >= 120 * (double)chart->n && height <= 20000))
        return aw_fail(err, AW_USAGE, "chart: %g x %g pixels are no size for it — use 800 x 400",
                       width, height);
    return AW_OK;
}

char *aw_chart_svg(const struct aw_chart *chart, size_t *size, struct aw_error *err)
{
    double width = chart->width > 0 ? chart->width : 800;
    double height = chart->height > 0 ? chart->height : 300 * (double)chart->n + 60;
    struct frame frames[MOST_PANELS];
    struct aw_svg svg = {0};
    char label[96];
    if (check_chart(chart, width, height, err) != AW_OK)
        return NULL;
    if (!find_ranges(chart, frames)) {
        aw_fail(err, AW_USAGE, "chart: no point is a number — record something first");
        return NULL;
    }
    double top = chart->title ? TOP_TITLE : TOP, n = (double)chart->n;
    double each = (height - top - BOTTOM - BETWEEN * (n - 1)) / n;
    aw_svg_open(&svg, width, height);
    if (chart->title)
        draw_title(&svg, width, chart->title);
    for (size_t p = 0; p < chart->n; p++) {
        frames[p].x = LEFT;
        frames[p].y = top + (each + BETWEEN) * (double)p;
        frames[p].width = width - LEFT - RIGHT;
        frames[p].height = each;
        make_room(&chart->panels[p], &frames[p]);
        if (chart->round) {
            make_round(&frames[p]);
            place_legend(&chart->panels[p], &frames[p]);
        }
        draw_panel(&svg, chart, p, &frames[p]);
    }
    join(label, sizeof label, chart->x_label, chart->x_unit);
    aw_svg_text(&svg, LEFT + (width - LEFT - RIGHT) / 2, height - 8, "middle", TEXT, label);
    char *text = aw_svg_close(&svg, size);
    if (!text)
        aw_no_memory(err);
    return text;
}
