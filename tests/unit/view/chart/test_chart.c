/* Tests the gnuplot scripts of charts; tests/cli/plot.bats runs them. */
#include "view/chart/chart.h"

#include "picture_helper.h"

#define N 100000

static double x[N], y[N], z[N];
static struct aw_error err;

static char *script_of(const struct aw_chart *chart, enum aw_chart_format form)
{
    size_t size;
    char *text = aw_chart_script(chart, form, &size, &err);
    if (!text)
        fail_msg("%s", err.text);
    assert_int_equal(size, strlen(text));
    return text;
}

static void expect_chart(const char *name, const struct aw_chart *chart)
{
    char *text = script_of(chart, AW_CHART_SVG);
    expect_script(name, text);
    free(text);
}

static void expect_part(const struct aw_chart *chart, enum aw_chart_format form, const char *part)
{
    char *text = script_of(chart, form);
    if (!strstr(text, part))
        fail_msg("'%s' is not in\n%.3000s", part, text);
    free(text);
}

TEST(panels_have_their_lines_and_remarks)
{
    bool hollow[8] = {[2] = true};
    const char *const remarks[] = {"the peak", "right"};
    const double at[] = {2, 6.5}, level[] = {3.4, 1}, low[] = {0, 0}, ends[] = {0, 7};
    for (int i = 0; i < 8; i++) {
        x[i] = i;
        y[i] = i * 0.5;
        z[i] = i < 3 ? 0 : 3.5;
    }
    const struct aw_series angles[] = {
        {.label = "measured", .x = x, .y = y, .n = 8},
        {.label = "setpoint",
         .x = x,
         .y = z,
         .n = 8,
         .colour = 1,
         .dashed = true,
         .is_stairs = true},
        {.x = at, .y = level, .n = 2, .colour = 2, .is_dots = true, .notes = remarks}};
    const struct aw_series trust[] = {
        {.label = "coherence", .x = x, .y = y, .n = 8, .is_dots = true, .hollow = hollow},
        {.label = "trusted above", .x = ends, .y = low, .n = 2, .is_guide = true}};
    const struct aw_panel panels[] = {{.label = "angle", .unit = "deg", .series = angles, .n = 3},
                                      {.label = "coherence", .series = trust, .n = 2}};
    const struct aw_chart chart = {
        .title = "a step", .x_label = "time", .x_unit = "s", .panels = panels, .n_panels = 2};
    expect_chart("chart-panels.gp", &chart);
    expect_part(&chart, AW_CHART_PNG, "set terminal pngcairo size 1600,1384 ");
    expect_part(&chart, AW_CHART_PDF, "set terminal pdfcairo size 8.33333in,7.20833in ");
}

/* NaN and infinity leave gaps, and so do non-positive values on a logarithmic axis. A gap also
 * ends a step line. */
TEST(invalid_values_leave_gaps)
{
    static const double xs[] = {-1, 0, 1, 2, NAN, 3, 4, 5},
                        ys[] = {1, 2, 3, NAN, 5, 6, INFINITY, 8};
    static const double none[8] = {NAN, NAN, NAN, NAN, NAN, NAN, NAN, NAN};
    const struct aw_series lines[] = {
        {.label = "gaps", .x = xs, .y = ys, .n = 8},
        {.label = "stairs", .x = xs, .y = ys, .n = 8, .is_stairs = true},
        {.label = "nothing", .x = xs, .y = none, .n = 8},
        {.label = "no dots", .x = xs, .y = none, .n = 8, .is_dots = true},
        {.x = xs, .y = none, .n = 0}};
    const struct aw_panel panels[] = {{.unit = "V", .series = lines, .n = 5},
                                      {.label = "empty", .series = lines + 2, .n = 1},
                                      {.label = "no lines"}};
    struct aw_chart chart = {.x_label = "t", .panels = panels, .n_panels = 3};
    expect_chart("chart-gaps.gp", &chart);
    chart.log_x = true;
    chart.height = 500;
    expect_part(&chart, AW_CHART_SVG, "svg size 800,500 ");
    expect_part(&chart, AW_CHART_SVG,
                "\nset xrange [1:5]\nset format x ''\nset logscale x\nset xtics add (2, ''");
    expect_part(&chart, AW_CHART_SVG, "\nset yrange [2.7:8.3]\n");
    expect_part(&chart, AW_CHART_SVG,
                "$d1 << END\nNaN NaN\nNaN NaN\n1 3\nNaN NaN\nNaN NaN\n3 6\nNaN NaN\n5 8\nEND\n"
                "$d2 << END\nNaN NaN\nNaN NaN\n1 3\nNaN NaN\nNaN NaN\n3 6\n");
}

/* Few powers of ten get ticks at 2 and 5, too many get no minor ticks. */
TEST(logarithmic_axes_have_suitable_ticks)
{
    static const double ends[][2] = {{0.15, 14}, {0.1, 100}, {1e-30, 1e30}};
    static const char *const added[] = {"(0.2, '' 0.3 1, '' 0.4 1, 0.5, '' 0.6 1",
                                        "('' 0.2 1, '' 0.3 1, '' 0.4 1, '' 0.5 1", NULL};
    for (size_t i = 0; i < 3; i++) {
        const struct aw_series line = {.x = ends[i], .y = ends[i], .n = 2};
        const struct aw_panel panel = {.series = &line, .n = 1};
        const struct aw_chart chart = {.log_x = true, .panels = &panel, .n_panels = 1};
        char *text = script_of(&chart, AW_CHART_SVG), *add = strstr(text, "set xtics add ");
        assert_int_equal(add != NULL, added[i] != NULL);
        if (add && strncmp(add + strlen("set xtics add "), added[i], strlen(added[i])) != 0)
            fail_msg("%.80s", add);
        free(text);
    }
}

/* gnuplot must print any text unchanged; tests/cli/plot.bats checks that. */
TEST(special_characters_are_escaped)
{
    static const char odd[] = "it's `date` \"$x\" @a {b}_1^2 \\n \\' %d & <ü> \x01 \xff\t|\\";
    const char *const remark[] = {odd};
    char letters[300];
    memset(letters, 'w', sizeof letters - 1);
    letters[sizeof letters - 1] = '\0';
    x[0] = y[0] = 1;
    const struct aw_series dot = {
        .label = odd, .x = x, .y = y, .n = 1, .is_dots = true, .notes = remark};
    const struct aw_panel panel = {.label = odd, .unit = "'", .series = &dot, .n = 1};
    struct aw_chart chart = {
        .title = odd, .x_label = odd, .x_unit = "`", .panels = &panel, .n_panels = 1};
    expect_chart("chart-texts.gp", &chart);
    chart.title = letters;
    expect_part(&chart, AW_CHART_SVG, "www…' noenhanced");
    chart.title = NULL;
    expect_part(&chart, AW_CHART_SVG, "set multiplot\n");
}

/* A flat line gets a margin; the legend gets the rows that it needs, and the picture grows with
 * it. */
TEST(margins_and_height_fit_the_contents)
{
    struct aw_series many[24];
    for (int i = 0; i < 24; i++) {
        many[i] = (struct aw_series){.label = "positions.m1.setpoint (run.csv)", .x = x, .n = 2};
        many[i].y = y;
    }
    x[0] = 5;
    x[1] = 6;
    y[0] = y[1] = 40;
    const struct aw_panel panel = {.series = many, .n = 24};
    const struct aw_chart chart = {.panels = &panel, .n_panels = 1};
    expect_part(&chart, AW_CHART_SVG, "set yrange [36:44]\n");
    expect_part(&chart, AW_CHART_SVG, "set terminal svg size 800,552 "); /* 12 rows of 2 */
    expect_part(&chart, AW_CHART_SVG, "maxcols 2\n");
    y[0] = y[1] = 0;
    expect_part(&chart, AW_CHART_SVG, "set yrange [-0.001:0.001]\n");
}

static size_t count_lines(const char *text)
{
    size_t n = 0;
    for (; (text = strchr(text, '\n')); text++)
        n++;
    return n;
}

/* The script contains some of 100,000 samples, including the outlier. */
TEST(long_series_keep_their_extremes)
{
    struct aw_series line = {.x = x, .y = y, .n = N};
    const struct aw_panel panel = {.series = &line, .n = 1};
    const struct aw_chart chart = {.panels = &panel, .n_panels = 1};
    for (int i = 0; i < N; i++) {
        x[i] = i;
        y[i] = i == 70001 ? 1000 : i % 7;
    }
    expect_part(&chart, AW_CHART_SVG, "\n70001 1000\n");
    expect_part(&chart, AW_CHART_SVG, "\n99999 4\n");
    for (int k = 0; k < 2; k++) {
        char *text = script_of(&chart, AW_CHART_SVG);
        size_t n = count_lines(text);
        assert_true(n > 2800 && n < (k ? 11300 : 5700));
        free(text);
        line.is_stairs = true;
    }
}

TEST(charts_without_data_or_with_too_many_panels_are_refused)
{
    const struct aw_series none = {.label = "none", .x = x, .y = z, .n = 1};
    const struct aw_panel panel = {.series = &none, .n = 1};
    struct aw_chart chart = {.panels = &panel, .n_panels = 1};
    size_t size;
    z[0] = NAN;
    assert_null(aw_chart_script(&chart, AW_CHART_SVG, &size, &err));
    assert_int_equal(err.status, AW_USAGE);
    chart.n_panels = 5;
    assert_null(aw_chart_script(&chart, AW_CHART_SVG, &size, &err));
    chart.n_panels = 0;
    assert_null(aw_chart_script(&chart, AW_CHART_SVG, &size, &err));
}
