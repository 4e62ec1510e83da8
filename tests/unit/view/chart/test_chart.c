#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "base/ticks.h"
#include "picture_helper.h"
#include "view/chart/chart.h"

#define N 100000

static double x[N], y[N], z[N];
static struct aw_error err;

static size_t count(const char *text, const char *part)
{
    size_t n = 0;
    for (; (text = strstr(text, part)); text += strlen(part))
        n++;
    return n;
}

static void expect(const char *text, const char *part)
{
    if (!strstr(text, part))
        fail_msg("'%s' is not in\n%.3000s", part, text);
}

static char *draw(const struct aw_chart *chart)
{
    size_t size;
    char *text = aw_chart_svg(chart, &size, &err);
    if (!text)
        fail_msg("%s", err.text);
    assert_int_equal(size, strlen(text));
    assert_null(strstr(text, "nan"));
    assert_null(strstr(text, "inf"));
    return text;
}

static void expect_svg(const char *name, const struct aw_chart *chart)
{
    char *text = draw(chart);
    expect_picture(name, text);
    free(text);
}

static void test_ticks(void **state)
{
    (void)state;
    static const struct {
        double low, high;
        int max, n;
        double first, step;
        int decimals;
    } rows[] = {
        {0, 10, 6, 6, 0, 2, 0},
        {0, 1, 11, 11, 0, 0.1, 1},
        {-0.31, 0.28, 5, 3, -0.2, 0.2, 1},
        {0.0012, 0.0034, 6, 4, 0.0015, 0.0005, 4},
        {-180, 180, 10, 7, -150, 50, 0},
        {1e6, 1e6 + 5, 6, 6, 1e6, 1, 0},
        {-1, 0, 2, 2, -1, 1, 0},
    };
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        double ticks[AW_TICKS];
        int decimals, n = aw_ticks(rows[i].low, rows[i].high, rows[i].max, ticks, &decimals);
        assert_int_equal(n, rows[i].n);
        assert_int_equal(decimals, rows[i].decimals);
        for (int k = 0; k < n; k++)
            assert_true(fabs(ticks[k] - rows[i].first - k * rows[i].step) < 1e-9);
    }
    double ticks[AW_TICKS];
    int decimals;
    assert_int_equal(aw_ticks(1, 1, 5, ticks, &decimals), 0);
    assert_int_equal(aw_ticks(NAN, 1, 5, ticks, &decimals), 0);
}

static void test_step_chart(void **state)
{
    (void)state;
    for (int i = 0; i < 200; i++) {
        x[i] = i * 0.01;
        y[i] = 10 * (1 - exp(-x[i] / 0.2));
        z[i] = i < 100 ? 0 : 10;
    }
    struct aw_series series[] = {
        {.label = "measured", .x = x, .y = y, .n = 200},
        {.label = "set<point>", .x = x, .y = z, .n = 200, .dashed = true, .stairs = true}};
    struct aw_panel panels[] = {{.label = "angle", .unit = "deg", .series = series, .n = 2},
                                {.label = "output", .unit = "%", .series = series, .n = 1}};
    struct aw_chart chart = {
        .title = "lknee & more", .x_label = "time", .x_unit = "s", .panels = panels, .n = 2};
    char *text = draw(&chart);
    expect(text, "width=\"800\" height=\"660\"");
    expect(text, ">lknee &amp; more</text>");
    expect(text, ">angle [deg]</text>");
    expect(text, ">output [%]</text>");
    expect(text, ">time [s]</text>");
    expect(text, ">set&lt;point&gt;</text>");
    expect(text, ">1.5</text>");
    expect(text, ">10</text>");
    assert_int_equal(count(text, "<path"), 6); /* three lines, three of the legends */
    assert_int_equal(count(text, "<g "), count(text, "</g>"));
    free(text);
    for (int i = 0; i < 20; i++)
        z[i] = i / 4 * 2.5;
    series[0].n = series[1].n = 20;
    expect_svg("chart-stairs.svg", &chart);
}

/* Only some points a pixel are drawn, and a spike of one sample is among them. */
static void test_long_series(void **state)
{
    (void)state;
    for (int i = 0; i < N; i++) {
        x[i] = i;
        y[i] = sin(i * 0.01);
    }
    y[77777] = 50;
    struct aw_series series = {.label = "y", .x = x, .y = y, .n = N};
    struct aw_panel panel = {.label = "y", .series = &series, .n = 1};
    struct aw_chart chart = {.x_label = "t", .panels = &panel, .n = 1};
    char *text = draw(&chart);
    assert_true(strlen(text) < 120000);
    size_t with_spike = count(text, "L");
    assert_true(with_spike > 1000 && with_spike < 7000);
    expect(text, ">50</text>"); /* a tick: the range includes it */
    expect(text, " 30.07L");    /* its height: 6 % of 51 below the upper edge at 14 */
    free(text);
}

static void test_gaps(void **state)
{
    (void)state;
    for (int i = 0; i < 9; i++) {
        x[i] = i;
        y[i] = i % 3 == 0 ? (double)NAN : i;
    }
    y[8] = INFINITY;
    struct aw_series series = {.x = x, .y = y, .n = 9};
    struct aw_panel panel = {.label = "y", .series = &series, .n = 1};
    struct aw_chart chart = {.x_label = "t", .panels = &panel, .n = 1};
    char *text = draw(&chart);
    const char *path = strstr(text, " d=\"");
    assert_non_null(path);
    assert_int_equal(count(path, "M"), 3);
    free(text);
    panel.unit = "deg";
    chart.width = 300;
    chart.height = 200;
    expect_svg("chart-gaps.svg", &chart);
}

/* A circle is round, its points are dots, hollow where they are not to be trusted. */
static void test_round(void **state)
{
    static bool hollow[24];
    (void)state;
    for (int i = 0; i < 24; i++) {
        x[i] = 10 * cos(i * 0.2618);
        y[i] = 5 + 10 * sin(i * 0.2618);
        hollow[i] = i % 3 == 0;
    }
    y[7] = NAN;
    struct aw_series series[] = {
        {.label = "measured", .x = x, .y = y, .n = 24, .dots = true, .hollow = hollow},
        {.label = "a model of it", .x = x, .y = y, .n = 24, .curve = true, .dashed = true}};
    struct aw_panel panel = {.label = "imaginary", .series = series, .n = 2};
    struct aw_chart chart = {.x_label = "real", .round = true, .panels = &panel, .n = 1};
    expect_svg("chart-round.svg", &chart);
    chart.width = 400;
    chart.height = 600;
    panel.n = 1;
    expect_svg("chart-round-high.svg", &chart);
}

/* Wherever a legend would stand, there is a line: it gets room above them; else the free corner. */
static void test_legend(void **state)
{
    static const double falling[] = {9, 1}, rising[] = {1, 9}, across[] = {0, 10};
    static const double low[] = {0, 0}, high[] = {10, 10};
    (void)state;
    struct aw_series series[] = {{.label = "falling", .x = across, .y = falling, .n = 2},
                                 {.label = "rising", .x = across, .y = rising, .n = 2},
                                 {.label = "low", .x = across, .y = low, .n = 2},
                                 {.label = "high", .x = across, .y = high, .n = 2}};
    struct aw_panel panels[] = {{.label = "a", .series = series, .n = 1},
                                {.label = "b", .series = series + 1, .n = 1},
                                {.label = "c", .series = series, .n = 2},
                                {.label = "d", .series = series, .n = 4}};
    struct aw_chart chart = {.x_label = "t", .panels = panels, .n = 4, .height = 800};
    expect_svg("chart-legends.svg", &chart);
}

/* Numbers at an axis: of small and large values, of many decades and of few. */
static void test_axes(void **state)
{
    static const double wide[] = {0.0002, 3000}, narrow[] = {1.5, 60}, small[] = {-2e-5, 3e-5};
    static const double large[] = {-3e6, 12345678};
    (void)state;
    struct aw_series series[] = {{.x = wide, .y = small, .n = 2},
                                 {.x = narrow, .y = large, .n = 2}};
    struct aw_panel panels[] = {{.label = "small", .series = series, .n = 1},
                                {.label = "large", .series = series + 1, .n = 1}};
    struct aw_chart chart = {.title = "decades", .log_x = true, .panels = panels, .n = 2};
    expect_svg("chart-decades.svg", &chart);
    chart.panels = panels + 1;
    chart.n = 1;
    expect_svg("chart-narrow.svg", &chart);
    chart.log_x = false;
    chart.width = 1200;
    series[1].x = large;
    expect_svg("chart-large.svg", &chart);
}

static void test_bode(void **state)
{
    (void)state;
    for (int i = 0; i < 40; i++) {
        x[i] = 0.1 * pow(10, i / 13.);
        y[i] = -20 * log10(hypot(1, x[i]));
        z[i] = -atan(x[i]) * 57.3;
    }
    struct aw_series gain = {.x = x, .y = y, .n = 40}, phase = {.x = x, .y = z, .n = 40};
    struct aw_panel panels[] = {{.label = "gain", .unit = "dB", .series = &gain, .n = 1},
                                {.label = "phase", .unit = "deg", .series = &phase, .n = 1}};
    struct aw_chart chart = {
        .x_label = "frequency", .x_unit = "Hz", .log_x = true, .panels = panels, .n = 2};
    char *text = draw(&chart);
    expect(text, ">0.1</text>");
    expect(text, ">100</text>");
    assert_null(strstr(text, ">20</text>"));
    free(text);
    expect_svg("chart-bode.svg", &chart);
}

static void test_flat_and_nothing(void **state)
{
    (void)state;
    size_t size;
    x[0] = 3;
    y[0] = 0;
    z[0] = NAN;
    struct aw_series flat = {.label = "flat", .x = x, .y = y, .n = 1};
    struct aw_panel panel = {.series = &flat, .n = 1};
    struct aw_chart chart = {.panels = &panel, .n = 1};
    free(draw(&chart));
    flat.y = z;
    assert_null(aw_chart_svg(&chart, &size, &err));
    assert_int_equal(err.status, AW_USAGE);
    flat.n = 0;
    assert_null(aw_chart_svg(&chart, &size, &err));
    chart.n = 9;
    assert_null(aw_chart_svg(&chart, &size, &err));
    chart.n = 1;
    chart.width = 3;
    assert_null(aw_chart_svg(&chart, &size, &err));
}

/* What is said of charts that cannot be; and the smallest and largest that can. */
static void test_sizes(void **state)
{
    static const struct {
        size_t n;
        double width, height;
        const char *says; /* or the size of the drawing */
    } rows[] = {
        {0, 0, 0, "chart: 0 panels are not possible — use 1 to 4"},
        {5, 0, 0, "chart: 5 panels are not possible — use 1 to 4"},
        {1, 199, 0, "chart: 199 x 360 pixels are no size for it — use 800 x 400"},
        {1, 20001, 0, "chart: 20001 x 360 pixels are no size for it — use 800 x 400"},
        {1, 0, 119, "chart: 800 x 119 pixels are no size for it — use 800 x 400"},
        {3, 0, 359, "chart: 800 x 359 pixels are no size for it — use 800 x 400"},
        {1, 0, 20001, "chart: 800 x 20001 pixels are no size for it — use 800 x 400"},
        {1, 200, 120, " width=\"200\" height=\"120\""},
        {3, 0, 360, " width=\"800\" height=\"360\""},
        {4, 0, 480, " width=\"800\" height=\"480\""},
        {1, 20000, 20000, " width=\"20000\" height=\"20000\""},
        {1, -5, -5, " width=\"800\" height=\"360\""},
        {1, 0, 0, " width=\"800\" height=\"360\""},
        {4, 0, 0, " width=\"800\" height=\"1260\""},
    };
    static const double both[] = {1, 2};
    (void)state;
    struct aw_series series = {.x = both, .y = both, .n = 2};
    struct aw_panel panels[5] = {{.series = &series, .n = 1},
                                 {.series = &series, .n = 1},
                                 {.series = &series, .n = 1},
                                 {.series = &series, .n = 1}};
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        struct aw_chart chart = {
            .panels = panels, .n = rows[i].n, .width = rows[i].width, .height = rows[i].height};
        size_t size;
        char *text = aw_chart_svg(&chart, &size, &err);
        if (*rows[i].says == 'c')
            assert_string_equal(text ? text : err.text, rows[i].says);
        else
            expect(text ? text : err.text, rows[i].says);
        free(text);
    }
    series.n = 0;
    struct aw_chart chart = {.panels = panels, .n = 1};
    size_t size;
    assert_null(aw_chart_svg(&chart, &size, &err));
    assert_string_equal(err.text, "chart: no point is a number — record something first");
}

/* Lines to read others by are thin, grey and dashed; remarks stand
 * where there is room. */
static void test_marks(void **state)
{
    static const double across[] = {0, 10}, level[] = {1, 1}, high[] = {0, 5};
    static const double at[] = {1, 9}, up[] = {1, 4.5};
    static const char *const texts[] = {"low & left", "high & right"};
    (void)state;
    struct aw_series series[] = {
        {.label = "curve", .x = across, .y = high, .n = 2, .colour = 3},
        {.label = "level", .x = across, .y = level, .n = 2, .guide = true},
        {.x = at, .y = up, .n = 2, .dots = true, .colour = 3, .texts = texts},
    };
    struct aw_panel panels[] = {{.label = "y", .series = series, .n = 3}};
    struct aw_chart chart = {.panels = panels, .n = 1};
    expect_svg("chart-marks.svg", &chart);
}

/* Panels of one point, of one value, of none, and of a span that is none. */
static void test_flat(void **state)
{
    static const double time[] = {3, 4, 5}, zero[] = {0, 0, 0}, fifty[] = {-50, -50, -50};
    static const double none[] = {NAN, INFINITY, NAN}, same[] = {1e6, 1e6 + 5e-4, 1e6};
    (void)state;
    struct aw_series series[] = {{.label = "zero", .x = time, .y = zero, .n = 1},
                                 {.label = "", .x = time, .y = fifty, .n = 3},
                                 {.x = time, .y = none, .n = 3, .dashed = true},
                                 {.label = "same", .x = time, .y = same, .n = 3, .dots = true}};
    struct aw_panel panels[] = {{.series = series, .n = 1},
                                {.label = "fifty", .unit = "", .series = series + 1, .n = 1},
                                {.label = "none", .unit = "m", .series = series + 2, .n = 1},
                                {.unit = "s", .series = series, .n = 4}};
    struct aw_chart chart = {.x_unit = "s", .panels = panels, .n = 4, .height = 600};
    expect_svg("chart-flat.svg", &chart);
    chart.n = 1;
    expect_svg("chart-point.svg", &chart);
}

/* More samples than pixels: of each piece its first, least, greatest and last; gaps between them.
 * A curve has all of them, dots too. */
static void test_thinned(void **state)
{
    (void)state;
    for (int i = 0; i < 1100; i++) {
        x[i] = i;
        y[i] = i < 300 ? i * 37 % 101 : i < 600 ? i / 7 % 3 * 20 : i < 900 ? i % 3 : 100 - i / 20;
        if (i % 97 == 0 || (i > 700 && i < 720))
            y[i] = NAN;
        if (i % 211 == 5)
            x[i] = NAN;
    }
    struct aw_series series = {.label = "a", .x = x, .y = y, .n = 1083};
    struct aw_panel panel = {.series = &series, .n = 1};
    struct aw_chart chart = {.x_label = "t", .panels = &panel, .n = 1, .width = 200, .height = 120};
    expect_svg("chart-thinned.svg", &chart);
    series.n = 216; /* as many as there are pieces */
    series.stairs = true;
    expect_svg("chart-thinned-stairs.svg", &chart);
    series.stairs = false;
    series.curve = true;
    series.n = 300;
    expect_svg("chart-curve.svg", &chart);
}

/* As many numbers at the axes as there is room for: at the sizes from which on one more is. */
static void test_room_for_numbers(void **state)
{
    static const double eight[] = {0, 8}, ten[] = {0, 10}, twelve[] = {0, 12},
                        thousands[] = {0, 1e6}, tiny[] = {0, 3e-6}, tinier[] = {-1e-7, 3e-7};
    static const double decades[] = {1, 100}, some[] = {-1, 0}, log_x[] = {0.5, 40};
    (void)state;
    struct aw_series series[] = {
        {.x = twelve, .y = eight, .n = 2}, {.x = ten, .y = thousands, .n = 2},
        {.x = twelve, .y = tiny, .n = 2},  {.x = ten, .y = tinier, .n = 2},
        {.x = decades, .y = ten, .n = 2},  {.x = some, .y = twelve, .n = 2},
        {.x = log_x, .y = ten, .n = 2}};
    struct aw_panel panels[] = {{.series = series, .n = 1},
                                {.series = series + 1, .n = 1},
                                {.series = series + 2, .n = 1},
                                {.series = series + 3, .n = 1}};
    struct aw_chart chart = {.panels = panels, .n = 1, .width = 542, .height = 220};
    expect_svg("chart-room.svg", &chart);
    chart.n = 4;
    chart.height = 480;
    expect_svg("chart-room-low.svg", &chart);
    struct aw_panel log = {.series = series + 4, .n = 1}, gap = {.series = series + 5, .n = 2};
    chart = (struct aw_chart){.panels = &log, .n = 1, .width = 300, .height = 150, .log_x = true};
    expect_svg("chart-two-decades.svg", &chart);
    chart.panels = &gap;
    expect_svg("chart-no-logarithm.svg", &chart);
}

/* Where the legend stands, in panels of many shapes: long lines hide more than short ones. */
static void test_legends(void **state)
{
    static const double diagonal[] = {0, 3, 6, 10}, up[] = {0, 9, 9.5, 10}, down[] = {10, 9, 2, 0},
                        box[] = {5, 5, 5, 5};
    static const double left[] = {0, 0.5, 1, 1.5}, right[] = {9, 9.3, 9.6, 10};
    (void)state;
    struct aw_series series[] = {
        {.label = "diagonal", .x = diagonal, .y = up, .n = 4},
        {.label = "left", .x = left, .y = down, .n = 4, .dots = true},
        {.label = "right, longer", .x = right, .y = up, .n = 4, .dots = true},
        {.label = "across", .x = diagonal, .y = box, .n = 4, .dashed = true},
        {.label = "down", .x = diagonal, .y = down, .n = 4, .stairs = true},
        {.label = "six", .x = right, .y = down, .n = 4},
        {.label = "seven", .x = left, .y = up, .n = 4},
        {.label = "eight", .x = left, .y = box, .n = 4}};
    struct aw_panel panels[] = {{.series = series, .n = 2},
                                {.series = series + 1, .n = 2},
                                {.series = series + 2, .n = 3},
                                {.series = series, .n = 4}};
    struct aw_chart chart = {.panels = panels, .n = 4, .width = 400, .height = 700};
    expect_svg("chart-corners.svg", &chart);
    chart.height = 216; /* just high enough to make room */
    chart.panels = panels + 3;
    chart.n = 1;
    expect_svg("chart-corners-half.svg", &chart);
    chart.panels = panels;
    chart.n = 4;
    chart.height = 480; /* too low */
    panels[0].n = 8;
    expect_svg("chart-corners-low.svg", &chart);
    chart.width = 2400;
    chart.height = 1800;
    panels[3] = (struct aw_panel){.series = series + 4, .n = 4};
    expect_svg("chart-corners-large.svg", &chart);
}

/* Where the frame of the legend begins. */
static void legend_of(const struct aw_series *series, char *out, size_t size)
{
    struct aw_panel panel = {.series = (struct aw_series *)series, .n = 1};
    struct aw_chart chart = {.panels = &panel, .n = 1};
    size_t length;
    char *text = aw_chart_svg(&chart, &length, NULL);
    assert_non_null(text);
    const char *stroke = strstr(text, "#ddd"), *rect = stroke;
    assert_non_null(stroke);
    while (rect > text && strncmp(rect, "<rect", 5) != 0)
        rect--;
    snprintf(out, size, "%.*s", (int)(stroke - rect), rect);
    free(text);
}

/* Of a line of very many samples not each one is looked at: its legend stands where that of the
 * same line with few stands. */
static void test_legend_of_many(void **state)
{
    enum { MANY = 90001 };
    static double along[MANY], up[MANY], down[MANY];
    static const double ends[] = {0, MANY - 1}, rising[] = {1, 9}, falling[] = {9, 1};
    char few[2][160], many[2][160];
    (void)state;
    for (int i = 0; i < MANY; i++) {
        along[i] = i;
        up[i] = 1 + 8. * i / (MANY - 1);
        down[i] = 10 - up[i];
    }
    legend_of(&(struct aw_series){.label = "up", .x = ends, .y = rising, .n = 2}, few[0], 160);
    legend_of(&(struct aw_series){.label = "up", .x = along, .y = up, .n = MANY}, many[0], 160);
    legend_of(&(struct aw_series){.label = "down", .x = ends, .y = falling, .n = 2}, few[1], 160);
    legend_of(&(struct aw_series){.label = "down", .x = along, .y = down, .n = MANY}, many[1], 160);
    assert_string_equal(few[0], many[0]);
    assert_string_equal(few[1], many[1]);
    assert_string_not_equal(few[0], few[1]);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_ticks),       cmocka_unit_test(test_step_chart),
        cmocka_unit_test(test_long_series), cmocka_unit_test(test_gaps),
        cmocka_unit_test(test_bode),        cmocka_unit_test(test_flat_and_nothing),
        cmocka_unit_test(test_round),       cmocka_unit_test(test_legend),
        cmocka_unit_test(test_axes),        cmocka_unit_test(test_sizes),
        cmocka_unit_test(test_flat),        cmocka_unit_test(test_marks),
        cmocka_unit_test(test_thinned),     cmocka_unit_test(test_room_for_numbers),
        cmocka_unit_test(test_legends),     cmocka_unit_test(test_legend_of_many),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
