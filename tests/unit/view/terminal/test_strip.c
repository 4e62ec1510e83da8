#include "heap_helper.h"
#include "picture_helper.h"
#include "view/terminal/strip.h"
#include "view_helper.h"

static struct aw_strip strip;
static char *text;

static void start(void)
{
    aw_strip_init(&strip, 10 * AW_SECOND);
}

static void stop(void)
{
    aw_strip_free(&strip);
    free(text);
    text = NULL;
    assert_false(strip.span_ns || strip.n);
}

static const char *draw_in(struct aw_strip_look look, int width, int height, unsigned how)
{
    struct aw_braille canvas;
    assert_true(aw_braille_init(&canvas, width, height));
    aw_strip_draw(&strip, &look, &canvas);
    free(text);
    text = canvas_text(&canvas, how);
    aw_braille_free(&canvas);
    return text;
}

static const char *draw(struct aw_strip_look look, int width, int height)
{
    return draw_in(look, width, height, AW_BRAILLE_UTF8);
}

/* Appends the first and last rows of a drawing to the golden file. */
static void also(FILE *out, const struct aw_strip_look *look, int width, int height, int rows)
{
    const char *p = draw(*look, width, height);
    fprintf(out, "%d x %d\n", width, height);
    for (int y = 0; y < height; y++) {
        size_t length = strcspn(p, "\n") + 1;
        if (y < rows || y >= height - rows)
            fwrite(p, 1, length, out);
        p += length;
    }
}

/* If the strip is too low for two panels, all lines share one. */
TEST_WITH(start, stop, each_unit_has_a_panel)
{
    FILE *out = begin_picture();
    int a = aw_strip_add_line(&strip, "a", "deg"), b = aw_strip_add_line(&strip, "b", "Nm");
    int c = aw_strip_add_line(&strip, "c", "deg");
    assert_int_equal(strip.n_panels, 2);
    for (int i = 0; i < 40; i++) {
        aw_strip_add_sample(&strip, a, AW_SECOND + i * AW_SECOND / 5, 100 * sin(i / 6.1));
        aw_strip_add_sample(&strip, b, AW_SECOND + i * AW_SECOND / 5, i < 20 ? 0.001 * i : 0.02);
        aw_strip_add_sample(&strip, c, AW_SECOND + i * AW_SECOND / 4, 50 - i);
    }
    struct aw_strip_look look = {
        .end_ns = 11 * AW_SECOND, .title = "canpid", .keys = "q quit", .numbered = true};
    also(out, &look, 70, 15, 15);
    also(out, &look, 45, 20, 20);
    also(out, &look, 60, 4, 4); /* too small */
    look.keys = NULL;
    also(out, &look, 60, 10, 10);
    look.numbered = false;
    also(out, &look, 33, 12, 12);
    look.title = NULL;
    look.state = "link lost";
    look.end_ns += 3 * AW_SECOND;
    also(out, &look, 100, 12, 12);
    end_picture(out, "strip-panels.txt");
    for (int width = 1; width < 100; width += 3)
        for (int height = 1; height < 30; height++)
            draw((struct aw_strip_look){.end_ns = AW_SECOND, .keys = "q quit"}, width, height);
}

/* Samples within one time slot of the span are merged, others are not. */
TEST_WITH(start, stop, samples_of_a_slot_are_merged)
{
    int64_t width = 10 * AW_SECOND / 4096 + 1;
    static const struct aw_bucket kept[] = {{2441406, 5, 3, 7, 6},
                                            {2441407, 9, 1, 9, 1},
                                            {2441407, NAN, NAN, NAN, NAN},
                                            {2500000, 8, 8, 8, 8}};
    int s = aw_strip_add_line(&strip, "x", "");
    assert_true(isnan(strip.lines[s].value));
    aw_strip_break(&strip);
    assert_int_equal(strip.lines[s].n, 0);
    aw_strip_add_sample(&strip, s, 0, 5);
    aw_strip_add_sample(&strip, s, 1000, 7);
    aw_strip_add_sample(&strip, s, 2000, 3);
    aw_strip_add_sample(&strip, s, width - 1, 6);
    aw_strip_add_sample(&strip, s, width, 9);
    aw_strip_add_sample(&strip, s, 5, 1);     /* drawn as the latest time */
    aw_strip_add_sample(&strip, s, 7, 1e100); /* too large for any scale */
    assert_true(isnan(strip.lines[s].value));
    aw_strip_break(&strip);
    aw_strip_add_sample(&strip, s, 2500000, 8);
    assert_true(strip.lines[s].value == 8);
    assert_int_equal(strip.lines[s].n, 4);
    for (size_t i = 0; i < 4; i++) {
        const struct aw_bucket *b = &strip.lines[s].buckets[i];
        double is[] = {b->first, b->min, b->max, b->last};
        double wanted[] = {kept[i].first, kept[i].min, kept[i].max, kept[i].last};
        assert_int_equal(b->time_ns, kept[i].time_ns);
        for (size_t k = 0; k < 4; k++)
            assert_true(isnan(wanted[k]) ? isnan(is[k]) : is[k] == wanted[k]);
    }
    for (int64_t i = 1; i < 5000; i++)
        aw_strip_add_sample(&strip, s, i * 2 * width, (double)i);
    assert_int_equal(strip.lines[s].n, 4096);
}

/* Prints a panel's scale for each pair of values, in sequence, and the time since it became too
 * large. */
TEST_WITH(start, stop, scales_fit_the_values)
{
    static const double extents[][2] = {
        {0, 100},    {0.5, 100},   {-100, -0.5},   {-100, 0},        {5, 5},
        {0, 0},      {-3, -3},     {0, 0.5},       {-0.5, 0},        {1e6, 1e6},
        {0.3, 0.31}, {-7, 13},     {1e9, 1e9 + 2}, {1e9, 1e9 + 0.5}, {-1e9 - 0.5, -1e9},
        {100, 110},  {-110, -100}, {12, 12.5},     {1e-5, 3e-5},     {-17.3, 99.9}};
    static const struct {
        int64_t after_ms;
        double low, high;
    } steps[] = {
        {0, 0, 10},      {500, 2, 10},      {500, 0, 3},       {100, 0, 3},    {1900, 0, 3},
        {1, 0, 3},       {100, 2, 5},       {100, 2, 50},      {100, 2, 4},    {1500, 2, 40},
        {1000, 2, 4},    {2000, 2, 4},      {1, 2, 4},         {100, -1, 4},   {100, 100, 110},
        {100, 104, 106}, {1000, 104, 105},  {1001, 104, 105},  {100, -5, 200}, {100, -3, -2},
        {2001, -3, -2},  {100, -300, -290}, {100, -300, -200}, {100, -300, 0}, {100, -3, 0},
        {2001, -3, 0},   {100, 0, 3},       {100, 0, 10},      {100, -6, 5},   {100, 5, 20}};
    FILE *out = begin_picture();
    EACH (row, extents) {
        aw_strip_free(&strip);
        aw_strip_init(&strip, AW_SECOND);
        int s = aw_strip_add_line(&strip, "x", "");
        aw_strip_add_sample(&strip, s, 1, (*row)[0]);
        aw_strip_add_sample(&strip, s, AW_SECOND + 1, (*row)[1]);
        draw((struct aw_strip_look){.end_ns = AW_SECOND + 1}, 30, 10);
        fprintf(out, "%.10g..%.10g: %.10g..%.10g\n", (*row)[0], (*row)[1], strip.panels[0].low,
                strip.panels[0].high);
    }
    aw_strip_free(&strip);
    aw_strip_init(&strip, AW_MILLISECOND);
    int s = aw_strip_add_line(&strip, "x", "");
    int64_t now = 0;
    EACH (step, steps) {
        now += step->after_ms * AW_MILLISECOND;
        /* At the edge of the visible time span. */
        aw_strip_add_sample(&strip, s, now - AW_MILLISECOND, step->low);
        aw_strip_add_sample(&strip, s, now, step->high);
        draw((struct aw_strip_look){.end_ns = now}, 30, 10);
        fprintf(out, "%5d ms %g..%g: %.10g..%.10g, %d\n", (int)(now / AW_MILLISECOND), step->low,
                step->high, strip.panels[0].low, strip.panels[0].high,
                (int)(strip.panels[0].oversized_ns / AW_MILLISECOND));
    }
    end_picture(out, "strip-scales.txt");
}

TEST_WITH(start, stop, layout_follows_width_and_height)
{
    static const struct {
        const char *label, *unit;
        double before, value;
    } lines[] = {
        {"a", "deg", 0, 1.25},        {"c", "m/s", 1e-7, 2e-7}, {"d", "m/s", 1e-7, 0},
        {"torque", "Nm", -20, -17.3}, {"µ", "deg", 0, NAN},     {"far", "mm", 0, 12345678901.5},
        {"b", "deg", 0, -5e-13},      {"e", "", -1, 1},         {"f", "", 0, 1}};
    FILE *out = begin_picture();
    struct aw_strip_look look = {
        .title = "title", .state = "state", .keys = "q quit  ? all the keys"};
    strip.span_ns = 6 * AW_SECOND;
    EACH (row, lines) {
        int s = aw_strip_add_line(&strip, row->label, row->unit);
        aw_strip_add_sample(&strip, s, 2 * AW_SECOND, row->before);
        aw_strip_add_sample(&strip, s, 3 * AW_SECOND, row->value);
    }
    look.end_ns = 9 * AW_SECOND;
    also(out, &look, 90, 8, 2);
    look.is_absolute = true;
    look.keys = look.state = look.title = NULL;
    also(out, &look, 40, 8, 2);
    also(out, &look, 280, 8, 2);
    also(out, &look, 24, 19, 19);
    for (int width = 18; width < 150; width += width < 40 ? 11 : 49) {
        look.end_ns = (int64_t)(3 + width) * 100 * AW_MILLISECOND;
        also(out, &look, width, 8, 2);
    }
    int n = strip.n;
    strip.n = strip.n_panels = 1;
    strip.lines[0].value = 4;
    strip.panels[0].has_scale = false;
    look.end_ns = 3 * AW_SECOND;
    aw_strip_add_sample(&strip, 0, 3 * AW_SECOND, -1000);
    also(out, &look, 30, 12, 12);
    /* A dot spans whole nanoseconds, here four. */
    strip.span_ns = 100;
    look.is_absolute = false;
    look.end_ns = 3 * AW_SECOND + 20;
    also(out, &look, 24, 7, 7);
    /* Exactly at the edge of the visible time span. */
    look.is_absolute = true;
    aw_strip_add_sample(&strip, 0, 3 * AW_SECOND + 1, 2);
    aw_strip_add_sample(&strip, 0, 3 * AW_SECOND + 1, -2);
    aw_strip_add_sample(&strip, 0, 3 * AW_SECOND + 50, 1);
    look.end_ns = 3 * AW_SECOND + 101;
    also(out, &look, 24, 9, 9);
    strip.n = n;
    end_picture(out, "strip-widths.txt");
}

/* Draws twelve lines with different units in six panels, each line numbered at its end. */
TEST_WITH(start, stop, many_units_share_panels)
{
    FILE *out = begin_picture();
    struct aw_strip_look look = {.end_ns = 11 * AW_SECOND, .title = "units", .numbered = true};
    for (int i = 0; i < AW_STRIP_SERIES; i++) {
        char unit[8];
        snprintf(unit, sizeof unit, "u%d", i);
        int s = aw_strip_add_line(&strip, "line", unit);
        for (int k = 0; k < 30 && i % 5 != 4; k++)
            aw_strip_add_sample(&strip, s, k * 371 * AW_MILLISECOND,
                                (k * (i + 7) % 11) * (i - 3.5));
        if (i == 5)
            aw_strip_break(&strip);
    }
    assert_int_equal(strip.n_panels, AW_STRIP_PANELS);
    fputs(draw_in(look, 70, 28, AW_BRAILLE_UTF8 | AW_BRAILLE_COLOR), out);
    look.numbered = false;
    look.state = "late";
    look.title = NULL;
    look.end_ns += 3333 * AW_MILLISECOND;
    also(out, &look, 70, 15, 15);
    /* Older, larger values have expired: a line enters from beyond the scale. */
    aw_strip_free(&strip);
    aw_strip_init(&strip, 10 * AW_SECOND);
    int s = aw_strip_add_line(&strip, "from afar", "m");
    also(out, &look, 50, 10, 10);
    aw_strip_add_sample(&strip, s, 0, -2000);
    aw_strip_add_sample(&strip, s, 2 * AW_SECOND, 1000);
    int below = aw_strip_add_line(&strip, "from below", "m");
    aw_strip_add_sample(&strip, below, 2 * AW_SECOND, -1000);
    aw_strip_add_sample(&strip, below, 10 * AW_SECOND, 41);
    aw_strip_add_sample(&strip, below, 13 * AW_SECOND, 43);
    for (int k = 0; k < 8; k++)
        aw_strip_add_sample(&strip, s, (9 + k) * AW_SECOND, 40 + k * k % 5);
    look.end_ns = 14 * AW_SECOND;
    also(out, &look, 50, 12, 12);
    strip.n_panels = 0;
    also(out, &look, 50, 12, 3);
    strip.n = 0;
    also(out, &look, 50, 12, 3);
    strip.n = 2;
    end_picture(out, "strip-units.txt");
}

static void fill_and_free(void)
{
    aw_strip_init(&strip, AW_SECOND);
    for (int i = 0; i < 2 * AW_STRIP_SERIES; i++)
        aw_strip_add_line(&strip, "x", "m");
    aw_strip_free(&strip);
}

TEST_WITH(start, stop, strip_leaks_no_memory)
{
    expect_no_leak(fill_and_free);
}

/* A million samples need limited memory, and their spike is preserved. */
TEST_WITH(start, stop, spike_among_many_samples_is_preserved)
{
    int line = aw_strip_add_line(&strip, "x", "");
    for (int i = 0; i < 1000000; i++)
        aw_strip_add_sample(&strip, line, i * (int64_t)10000, i == 500000 ? 100 : 0);
    draw((struct aw_strip_look){.end_ns = 10 * AW_SECOND}, 60, 20);
    assert_true(strip.panels[0].high >= 100);
    expect_in(text, "⡇");
}

TEST_WITH(start, stop, gaps_are_not_drawn)
{
    struct aw_braille canvas;
    int line = aw_strip_add_line(&strip, "x", "");
    aw_strip_add_sample(&strip, line, AW_SECOND, 5);
    aw_strip_add_sample(&strip, line, 3 * AW_SECOND, 5);
    aw_strip_break(&strip);
    aw_strip_break(&strip);
    aw_strip_add_sample(&strip, line, 7 * AW_SECOND, 5);
    aw_strip_add_sample(&strip, line, 9 * AW_SECOND, 5);
    assert_true(aw_braille_init(&canvas, 107, 20));
    aw_strip_draw(&strip, &(struct aw_strip_look){.end_ns = 10 * AW_SECOND}, &canvas);
    int dots = 0;
    for (int i = 0; i < 107 * 20; i++)
        dots += canvas.cells[i].dots != 0;
    assert_in_range(dots, 38, 44); /* 4 s of 10 s in 101 columns */
    aw_braille_free(&canvas);
}

/* A moving line keeps its shape, because it scrolls by whole columns of dots. */
TEST_WITH(start, stop, line_keeps_its_shape_while_scrolling)
{
    int line = aw_strip_add_line(&strip, "x", "");
    for (int i = 0; i < 1000; i++)
        aw_strip_add_sample(&strip, line, i * AW_SECOND / 100, i * 37 % 101);
    struct aw_braille canvas, next;
    assert_true(aw_braille_init(&canvas, 60, 20) && aw_braille_init(&next, 60, 20));
    int64_t end = 10 * AW_SECOND, dot = 0;
    aw_strip_draw(&strip, &(struct aw_strip_look){.end_ns = end}, &canvas);
    int axis = 0;
    while (strcmp(canvas.cells[17 * 60 + axis].character, "│") != 0 &&
           strcmp(canvas.cells[17 * 60 + axis].character, "┤") != 0)
        axis++;
    dot = 10 * AW_SECOND / (2 * (60 - axis - 2) - 1) + 1;
    aw_strip_draw(&strip, &(struct aw_strip_look){.end_ns = end + 2 * dot}, &next);
    int same = 0, all = 0;
    for (int y = 2; y < 17; y++)
        for (int x = axis + 4; x < 55; x++) {
            all += canvas.cells[y * 60 + x].dots != 0;
            same += canvas.cells[y * 60 + x].dots != 0 &&
                    canvas.cells[y * 60 + x].dots == next.cells[y * 60 + x - 1].dots;
        }
    assert_true(all > 100);
    assert_int_equal(same, all);
    aw_braille_free(&canvas);
    aw_braille_free(&next);
}

TEST_WITH(start, stop, number_of_series_is_limited)
{
    for (int i = 0; i < AW_STRIP_SERIES; i++)
        assert_int_equal(aw_strip_add_line(&strip, "x", i % 2 ? "deg" : NULL), i);
    assert_int_equal(aw_strip_add_line(&strip, "x", NULL), -1);
    aw_strip_add_sample(&strip, 0, 0, NAN);
    aw_strip_add_sample(&strip, 0, -5, 1e99);
    aw_strip_add_sample(&strip, 0, -9, -1e300);
    aw_strip_add_sample(&strip, 1, 5, 0);
    draw((struct aw_strip_look){.end_ns = AW_SECOND}, 80, 24);
    expect_in(text, "now");
}
