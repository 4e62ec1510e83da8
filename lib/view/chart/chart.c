/* Lays out panels and legends, and writes them and a reduced amount of data as gnuplot commands. */
#include "view/chart/chart.h"

#include <math.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/utf8.h"

/* Sizes in pixels of the SVG. */
#define MAX_PANELS    4
#define WIDTH         800.0
#define PANEL_HEIGHT  300.0
#define LEFT          72.0 /* margins */
#define RIGHT         20.0
#define TOP_TITLE     36.0
#define TOP_MARGIN    14.0
#define BOTTOM_MARGIN 50.0
#define PANEL_GAP     22.0
#define LETTER        6.6  /* approximate width of a character in the legend */
#define LEGEND_ROW    16.0 /* height of a legend row, above the panel */
#define SAMPLE        44.0 /* width of a line sample in the legend, with gaps */
#define TITLE_LETTER  7.8
#define MAX_DECADES   12
#define POINTS        1400 /* pieces of a long line, two per pixel */

/* The palette of Okabe and Ito, which is distinct for all kinds of colour vision, and further
 * colours. */
static const char *const colours[] = {"#0072b2", "#d55e00", "#009e73", "#cc79a7",
                                      "#56b4e9", "#e69f00", "#222222", "#882255",
                                      "#999933", "#7f7f7f", "#332288", "#8c6d31"};

struct range {
    double low, high;
};

/* Position and contents of a panel. */
struct frame {
    double top, bottom; /* shares of the drawing's height, counted from its bottom edge */
    struct range x_range, y_range;
    size_t n_entries, columns, rows; /* layout of the legend */
};

struct script {
    FILE *out;
    const struct aw_chart *chart;
    double height;
    size_t n_blocks;   /* number of data blocks written so far */
    double last_value; /* for stairs: value of the last point; NaN: none */
    struct frame frames[MAX_PANELS];
};

/* ---- Ranges ---- */

static void extend_range(struct range *range, double value)
{
    range->low = fmin(range->low, value);
    range->high = fmax(range->high, value);
}

static bool is_shown(const struct aw_chart *chart, double x, double y)
{
    return isfinite(x) && isfinite(y) && (x > 0 || !chart->log_x);
}

static void measure_panel(const struct aw_chart *chart, const struct aw_panel *panel,
                          struct frame *frame)
{
    for (size_t s = 0; s < panel->n; s++)
        for (size_t i = 0; i < panel->series[s].n; i++) {
            double x = panel->series[s].x[i], y = panel->series[s].y[i];
            if (!is_shown(chart, x, y))
                continue;
            extend_range(&frame->x_range, x);
            extend_range(&frame->y_range, y);
        }
}

/* Adds a margin, so that no line touches the frame. The margin of a constant line is larger. */
static void add_margin(struct range *range, double share)
{
    double span = range->high - range->low;
    double size = fmax(fabs(range->low), fabs(range->high));
    double margin = span > 1e-9 * size ? span * share : fmax(size * 0.1, 1e-3);
    range->low -= margin;
    range->high += margin;
}

static bool is_empty(const struct range *range)
{
    return !(range->high >= range->low);
}

static bool find_ranges(struct script *s)
{
    struct range x_range = {INFINITY, -INFINITY};
    for (size_t p = 0; p < s->chart->n_panels; p++) {
        struct frame *frame = &s->frames[p];
        frame->x_range = frame->y_range = (struct range){INFINITY, -INFINITY};
        measure_panel(s->chart, &s->chart->panels[p], frame);
        if (is_empty(&frame->y_range)) {
            frame->y_range = (struct range){0, 1};
            continue;
        }
        extend_range(&x_range, frame->x_range.low);
        extend_range(&x_range, frame->x_range.high);
        add_margin(&frame->y_range, 0.06);
    }
    if (is_empty(&x_range))
        return false;
    add_margin(&x_range, 0);
    for (size_t p = 0; p < s->chart->n_panels; p++)
        s->frames[p].x_range = x_range;
    return true;
}

/* ---- Layout ---- */

static bool has_label(const struct aw_series *series)
{
    return series->label && *series->label;
}

static void measure_legend(const struct aw_panel *panel, struct frame *frame)
{
    size_t longest = 0;
    for (size_t s = 0; s < panel->n; s++) {
        size_t length = has_label(&panel->series[s]) ? aw_utf8_length(panel->series[s].label) : 0;
        longest = length > longest ? length : longest;
        frame->n_entries += length > 0;
    }
    double width = (double)longest * LETTER + SAMPLE;
    size_t max = (size_t)((WIDTH - LEFT - RIGHT) / width);
    max = max > 0 ? max : 1;
    frame->columns = frame->n_entries < max ? frame->n_entries : max;
    frame->rows = frame->columns ? (frame->n_entries + frame->columns - 1) / frame->columns : 0;
}

static void lay_out(struct script *s)
{
    const struct aw_chart *chart = s->chart;
    double top = chart->title ? TOP_TITLE : TOP_MARGIN, n = (double)chart->n_panels, legends = 0;
    for (size_t p = 0; p < chart->n_panels; p++) {
        measure_legend(&chart->panels[p], &s->frames[p]);
        legends += LEGEND_ROW * (double)s->frames[p].rows;
    }
    s->height = chart->height > 0 ? chart->height : PANEL_HEIGHT * n + 60 + legends;
    double height = (s->height - top - BOTTOM_MARGIN - PANEL_GAP * (n - 1) - legends) / n;
    for (size_t p = 0; p < chart->n_panels; p++) {
        top += LEGEND_ROW * (double)s->frames[p].rows;
        s->frames[p].top = 1 - top / s->height;
        s->frames[p].bottom = 1 - (top + height) / s->height;
        top += height + PANEL_GAP;
    }
}

/* ---- Text ---- */

/* Writes at most this many letters of text in single quotes, because gnuplot executes backticks in
 * double quotes. A single quote becomes a string of its own. gnuplot 5.4 cannot read a string of
 * two single quotes, and expands @ after "'". */
static void put_text(struct script *s, const char *text, size_t letters)
{
    fputc('\'', s->out);
    for (; *text && letters > 0; letters--) {
        size_t length = aw_utf8_size(text);
        if (*text == '\'')
            fputs("'.\"\\047\".'", s->out);
        else
            fprintf(s->out, "%.*s%s", (int)length, text, length == 0 ? "?" : "");
        text += length > 0 ? length : 1;
    }
    fprintf(s->out, "%s'", *text ? "…" : "");
}

static void put_axis(struct script *s, const char *label, const char *unit)
{
    char text[160];
    bool has_unit = unit && *unit;
    const char *bracket = !has_unit ? "" : label && *label ? " [" : "[";
    snprintf(text, sizeof text, "%s%s%s%s", label ? label : "", bracket, has_unit ? unit : "",
             has_unit ? "]" : "");
    put_text(s, text, sizeof text);
}

/* ---- Data ---- */

static void put_point(struct script *s, const struct aw_series *series, size_t i)
{
    if (series->is_stairs && isfinite(s->last_value))
        fprintf(s->out, "%.9g %.9g\n", series->x[i], s->last_value);
    fprintf(s->out, "%.9g %.9g", series->x[i], series->y[i]);
    if (series->is_dots)
        fprintf(s->out, " %d", series->hollow && series->hollow[i] ? 6 : 7);
    fputc('\n', s->out);
    s->last_value = series->y[i];
}

/* Writes the first, the lowest, the highest and the last sample of a piece. Moves a gap to the
 * start of the piece. */
static void put_piece(struct script *s, const struct aw_series *series, size_t from, size_t to)
{
    const double *y = series->y;
    size_t lowest = from, highest = from, last = from;
    bool found = false, has_gap = false;
    for (size_t i = from; i < to; i++) {
        if (!is_shown(s->chart, series->x[i], y[i])) {
            has_gap = true;
            continue;
        }
        from = found ? from : i;
        lowest = !found || y[i] < y[lowest] ? i : lowest;
        highest = !found || y[i] > y[highest] ? i : highest;
        last = i;
        found = true;
    }
    const size_t order[] = {from, lowest < highest ? lowest : highest,
                            lowest < highest ? highest : lowest, last};
    if (has_gap) {
        fputs("NaN NaN\n", s->out);
        s->last_value = NAN;
    }
    for (size_t k = 0; found && k < sizeof order / sizeof *order; k++)
        if (k == 0 || order[k] > order[k - 1])
            put_point(s, series, order[k]);
}

static void put_data(struct script *s, const struct aw_series *series)
{
    size_t n = series->n, stride = series->is_dots ? 1 : n / POINTS + 1;
    fprintf(s->out, "$d%zu << END\n", ++s->n_blocks);
    s->last_value = NAN;
    for (size_t i = 0; i < n; i += stride)
        put_piece(s, series, i, n - i < stride ? n : i + stride);
    fputs("END\n", s->out);
}

/* ---- Panels ---- */

/* Writes the text beside each dot, on the side with more room. */
static void put_dot_notes(struct script *s, const struct frame *frame,
                          const struct aw_series *series)
{
    const struct range *x_range = &frame->x_range, *y_range = &frame->y_range;
    for (size_t i = 0; i < series->n; i++) {
        double x = series->x[i], y = series->y[i];
        if (!is_shown(s->chart, x, y))
            continue;
        double x_share = s->chart->log_x ? log(x / x_range->low) / log(x_range->high / x_range->low)
                                         : (x - x_range->low) / (x_range->high - x_range->low);
        bool is_high = (y - y_range->low) / (y_range->high - y_range->low) > 0.9;
        fputs("set label ", s->out);
        put_text(s, series->notes[i], SIZE_MAX);
        fprintf(s->out,
                " at %.9g, %.9g %s offset char %g, %g front boxed noenhanced textcolor rgb "
                "'#222222'\n",
                x, y, x_share > 0.75 ? "right" : "left", x_share > 0.75 ? -1.0 : 1.0,
                is_high ? -0.9 : 0.5);
    }
}

static const char *choose_colour(const struct aw_panel *panel, size_t at)
{
    size_t colour = panel->series[at].colour;
    return colours[(colour > 0 ? colour - 1 : at) % (sizeof colours / sizeof *colours)];
}

/* Writes the style of a series. point: type of dots; 7 is a filled circle. */
static void put_style(struct script *s, const struct aw_series *series, const char *colour,
                      const char *point)
{
    if (series->is_guide)
        fputs(" with lines lw 1 dt (2, 2) lc rgb '#777777'", s->out);
    else if (series->is_dots)
        fprintf(s->out, " with points pt %s ps 0.6 lw 1 lc rgb '%s'", point, colour);
    else
        fprintf(s->out, " with lines %s lc rgb '%s'",
                series->dashed ? "lw 1.2 dt (5, 3)" : "lw 1.6 dt solid", colour);
}

static bool has_points(const struct script *s, const struct aw_series *series)
{
    size_t i = 0;
    while (i < series->n && !is_shown(s->chart, series->x[i], series->y[i]))
        i++;
    return i < series->n;
}

/* Writes the plot command of a panel. first: number of the data block of its first series. */
static void put_plot(struct script *s, const struct aw_panel *panel, size_t first)
{
    fputs("plot NaN notitle", s->out);
    for (size_t i = 0; i < panel->n; i++) {
        const struct aw_series *series = &panel->series[i];
        bool drawn = has_points(s, series), titled = has_label(series);
        if (drawn) {
            fprintf(s->out, ", \\\n    $d%zu using %s", first + i,
                    series->is_dots ? "1:2:3" : "1:2");
            put_style(s, series, choose_colour(panel, i), "variable");
        }
        if (drawn && (series->is_dots || !titled))
            fputs(" notitle", s->out);
        if (titled && (series->is_dots || !drawn)) {
            fputs(", \\\n    keyentry", s->out);
            put_style(s, series, choose_colour(panel, i), "7");
        }
        if (titled) {
            fputs(" title ", s->out);
            put_text(s, series->label, SIZE_MAX);
        }
    }
    fputc('\n', s->out);
}

/* Adds labels at 2 and 5 to a logarithmic axis with a narrow range, because gnuplot labels only
 * powers of ten. The other digits get a lighter line. */
static void put_decades(struct script *s, const struct range *x_range)
{
    const char *separator = "set xtics add (";
    const bool is_narrow = x_range->high < 100 * x_range->low;
    const double first = floor(log10(x_range->low)), last = log10(x_range->high);
    for (double power = first; power <= last && last - first < MAX_DECADES; power++)
        for (int digit = 2; digit < 10; digit++, separator = ", ")
            fprintf(s->out, is_narrow && (digit == 2 || digit == 5) ? "%s%g" : "%s'' %g 1",
                    separator, digit * pow(10, power));
    if (last - first < MAX_DECADES)
        fputs(")\n", s->out);
}

static void put_panel(struct script *s, size_t p)
{
    const struct aw_panel *panel = &s->chart->panels[p];
    const struct frame *frame = &s->frames[p];
    size_t first = s->n_blocks + 1;
    fprintf(s->out, "\nset tmargin at screen %.4f\nset bmargin at screen %.4f\n", frame->top,
            frame->bottom);
    fprintf(s->out, "set yrange [%.9g:%.9g]\nunset label\nset label ", frame->y_range.low,
            frame->y_range.high);
    put_axis(s, panel->label, panel->unit);
    fprintf(s->out,
            " at screen %.4f, graph 0.5 center rotate noenhanced font ',12' textcolor rgb "
            "'#222222'\n",
            18 / WIDTH);
    for (size_t i = 0; i < panel->n; i++) {
        put_data(s, &panel->series[i]);
        if (panel->series[i].is_dots && panel->series[i].notes)
            put_dot_notes(s, frame, &panel->series[i]);
    }
    if (frame->n_entries)
        fprintf(s->out, "set key at screen %.4f, screen %.4f maxcols %zu\n", 1 - RIGHT / WIDTH,
                frame->top + 3 / s->height, frame->columns);
    else
        fputs("unset key\n", s->out);
    if (p + 1 == s->chart->n_panels) {
        fputs("set format x '%g'\nset xlabel ", s->out);
        put_axis(s, s->chart->x_label, s->chart->x_unit);
        fputs(" noenhanced font ',12' offset 0, 0.2 textcolor rgb '#222222'\n", s->out);
    }
    put_plot(s, panel, first);
}

/* ---- Chart ---- */

/* pngcairo measures in pixels, so everything is doubled. pdfcairo measures in 1/72 inch. */
static void put_terminal(struct script *s, enum aw_chart_format format)
{
    if (format == AW_CHART_SVG)
        fprintf(s->out, "set terminal svg size %g,%g font 'sans-serif,11'", WIDTH, s->height);
    else if (format == AW_CHART_PNG)
        fprintf(s->out,
                "set terminal pngcairo size %g,%g font 'sans-serif,11' fontscale 1.5 linewidth 2 "
                "dashlength 2 pointscale 2.7",
                2 * WIDTH, 2 * s->height);
    else
        fprintf(s->out,
                "set terminal pdfcairo size %gin,%gin font 'sans-serif,11' fontscale 0.6 linewidth "
                "1.4 pointscale 1.2",
                WIDTH / 96, s->height / 96);
    fputs(" noenhanced background rgb '#ffffff'\n", s->out);
}

static void put_chart(struct script *s, enum aw_chart_format format)
{
    fputs("set encoding utf8\n", s->out);
    put_terminal(s, format);
    fprintf(s->out,
            "set border 15 back lw 1 lc rgb '#888888'\n"
            "set grid xtics ytics mxtics lt 1 lw 1 lc rgb '#e4e4e4', lt 1 lw 1 lc rgb '#f3f3f3'\n"
            "set tics scale 0 textcolor rgb '#222222'\n"
            "set key right bottom horizontal Left reverse noenhanced samplen 2 textcolor rgb "
            "'#222222'\n"
            "set style textbox opaque noborder fillcolor rgb '#ffffff' margins 0.5, 0.5\n"
            "set lmargin at screen %.4f\nset rmargin at screen %.4f\n",
            LEFT / WIDTH, 1 - RIGHT / WIDTH);
    fprintf(s->out, "set xrange [%.9g:%.9g]\nset format x ''\n", s->frames->x_range.low,
            s->frames->x_range.high);
    if (s->chart->log_x) {
        fputs("set logscale x\n", s->out);
        put_decades(s, &s->frames->x_range);
    }
    fputs("set multiplot", s->out);
    if (s->chart->title) {
        fputs(" title ", s->out);
        put_text(s, s->chart->title, (size_t)((WIDTH - 20) / TITLE_LETTER));
        fputs(" noenhanced font ',14' textcolor rgb '#222222'", s->out);
    }
    fputc('\n', s->out);
    for (size_t p = 0; p < s->chart->n_panels; p++)
        put_panel(s, p);
    fputs("\nunset multiplot\n", s->out);
}

char *aw_chart_script(const struct aw_chart *chart, enum aw_chart_format format, size_t *size,
                      struct aw_error *err)
{
    struct script s = {.chart = chart};
    char *text = NULL;
    if (chart->n_panels < 1 || chart->n_panels > MAX_PANELS) {
        aw_fail(err, AW_USAGE, "chart: %zu panels are not possible — use 1 to %d", chart->n_panels,
                MAX_PANELS);
        return NULL;
    }
    if (!find_ranges(&s)) {
        aw_fail(err, AW_USAGE, "chart: no numeric data — record something first");
        return NULL;
    }
    lay_out(&s);
    s.out = open_memstream(&text, size);
    if (s.out)
        put_chart(&s, format);
    if (s.out && fclose(s.out) == 0)
        return text;
    free(text);
    aw_no_memory(err);
    return NULL;
}
