#include "picture_helper.h"
#include "view/terminal/strip.h"
#include "view_helper.h"

static struct aw_strip strip;
static char *text;

static int start(void **state)
{
    (void)state;
    aw_strip_init(&strip, 10 * AW_SECOND);
    return 0;
}

static int stop(void **state)
{
    (void)state;
    aw_strip_free(&strip);
    free(text);
    text = NULL;
    return 0;
}

static const char *draw(struct aw_strip_look look, int width, int height)
{
    struct aw_braille canvas;
    assert_true(aw_braille_init(&canvas, width, height));
    aw_strip_draw(&strip, &look, &canvas);
    free(text);
    text = canvas_text(&canvas, AW_BRAILLE_UTF8);
    aw_braille_free(&canvas);
    return text;
}

static void test_picture(void **state)
{
    (void)state;
    int line = aw_strip_series(&strip, "m1.position", "deg");
    for (int i = 0; i <= 100; i++)
        aw_strip_add(&strip, line, i * AW_SECOND / 10, i);
    draw(
        (struct aw_strip_look){
            .end_ns = 10 * AW_SECOND, .title = "hidmotor", .keys = "q quit", .state = "oh"},
        60, 16);
    expect_in(text, " hidmotor  oh\n");
    expect_in(text, " ● m1.position     100.0 deg\n");
    expect_in(text, "  100 ┤");
    expect_in(text, "    0 ┤");
    expect_in(text, "     -10 s ");
    expect_in(text, "  now\n");
    expect_in(text, " q quit\n");
    expect_picture("strip-line.txt", text);
}

/* The line rises from left to right: the rows of its cells sink from column to column. */
static void test_slope(void **state)
{
    struct aw_braille canvas;
    (void)state;
    int line = aw_strip_series(&strip, "x", "");
    for (int i = 0; i <= 1000; i++)
        aw_strip_add(&strip, line, i * AW_SECOND / 100, i);
    assert_true(aw_braille_init(&canvas, 60, 20));
    aw_strip_draw(&strip, &(struct aw_strip_look){.end_ns = 10 * AW_SECOND}, &canvas);
    int before = 20, columns = 0;
    for (int x = 0; x < 60; x++)
        for (int y = 0; y < 20; y++)
            if (canvas.cells[y * 60 + x].dots) {
                assert_true(y <= before);
                before = y;
                columns++;
                break;
            }
    assert_in_range(columns, 50, 54);
    assert_in_range(before, 1, 2);
    aw_braille_free(&canvas);
}

static void test_panels(void **state)
{
    (void)state;
    int a = aw_strip_series(&strip, "a", "deg"), b = aw_strip_series(&strip, "b", "Nm");
    int c = aw_strip_series(&strip, "c", "deg");
    assert_int_equal(strip.n_panels, 2);
    aw_strip_add(&strip, a, AW_SECOND, 1);
    aw_strip_add(&strip, b, AW_SECOND, 1000);
    aw_strip_add(&strip, c, AW_SECOND, 2);
    draw((struct aw_strip_look){.end_ns = AW_SECOND, .numbered = true}, 60, 24);
    expect_in(text, " 1 a     1.000  3 c     2.000 deg\n");
    expect_in(text, " 2 b    1000.0 Nm\n");
    /* too low for two: all in one */
    draw((struct aw_strip_look){.end_ns = AW_SECOND}, 60, 9);
    expect_in(text, "● a         1  ● b      1000 Nm  ● c         2 deg");
    expect_in(draw((struct aw_strip_look){.end_ns = AW_SECOND}, 60, 4), "too small");
    expect_picture("strip-too-small.txt", text);
    for (int i = 0; i < 40; i++) {
        aw_strip_add(&strip, a, AW_SECOND + i * AW_SECOND / 5, 100 * sin(i / 6.1));
        aw_strip_add(&strip, b, AW_SECOND + i * AW_SECOND / 5, i < 20 ? 0.001 * i : 0.02);
        aw_strip_add(&strip, c, AW_SECOND + i * AW_SECOND / 4, 50 - i);
    }
    struct aw_strip_look look = {
        .end_ns = 11 * AW_SECOND, .title = "canpid", .keys = "q quit", .numbered = true};
    expect_picture("strip-panels.txt", draw(look, 70, 24));
    expect_picture("strip-panels-high.txt", draw(look, 45, 40));
    look.keys = NULL;
    look.numbered = false;
    expect_picture("strip-panels-low.txt", draw(look, 33, 12));
    look.numbered = true;
    expect_picture("strip-panels-low-numbered.txt", draw(look, 60, 10));
    look.numbered = false;
    look.title = NULL;
    look.state = "link lost";
    look.end_ns += 3 * AW_SECOND;
    expect_picture("strip-panels-later.txt", draw(look, 100, 20));
    for (int width = 1; width < 100; width += 3)
        for (int height = 1; height < 30; height++)
            draw((struct aw_strip_look){.end_ns = AW_SECOND, .keys = "q quit"}, width, height);
}

static double height_of(void)
{
    return strip.panels[0].high - strip.panels[0].low;
}

/* Scales grow at once, and shrink after some time with room to spare. */
static void test_scale(void **state)
{
    (void)state;
    int line = aw_strip_series(&strip, "x", "");
    aw_strip_add(&strip, line, AW_SECOND, 1);
    aw_strip_add(&strip, line, AW_SECOND + 1, 2);
    draw((struct aw_strip_look){.end_ns = AW_SECOND}, 60, 20);
    double small = height_of();
    aw_strip_add(&strip, line, 2 * AW_SECOND, 50);
    draw((struct aw_strip_look){.end_ns = 2 * AW_SECOND}, 60, 20);
    assert_true(strip.panels[0].high >= 50);
    for (int i = 0; i < 130; i++) {
        int64_t now = 2 * AW_SECOND + i * AW_SECOND / 10 + 1;
        aw_strip_add(&strip, line, now, 1 + i % 2);
        draw((struct aw_strip_look){.end_ns = now}, 60, 20);
        if (i < 115)
            assert_true(strip.panels[0].high >= 50);
    }
    assert_true(height_of() <= 2 * small);
    /* a value that swings a little does not make the scale swing */
    double low = strip.panels[0].low, high = strip.panels[0].high;
    for (int i = 0; i < 100; i++) {
        int64_t now = 20 * AW_SECOND + i * AW_SECOND / 10;
        aw_strip_add(&strip, line, now, 1.2 + 0.1 * (i % 7));
        draw((struct aw_strip_look){.end_ns = now}, 60, 20);
        if (i < 10)
            assert_true(strip.panels[0].low == low && strip.panels[0].high == high);
    }
}

/* A million samples: bounded memory, and the spike among them is still there. */
static void test_many(void **state)
{
    (void)state;
    int line = aw_strip_series(&strip, "x", "");
    for (int i = 0; i < 1000000; i++)
        aw_strip_add(&strip, line, i * (int64_t)10000, i == 500000 ? 100 : 0);
    draw((struct aw_strip_look){.end_ns = 10 * AW_SECOND}, 60, 20);
    assert_true(strip.panels[0].high >= 100);
    expect_in(text, "⡇");
}

/* Nothing is drawn where nothing was known. */
static void test_gap(void **state)
{
    struct aw_braille canvas;
    (void)state;
    int line = aw_strip_series(&strip, "x", "");
    aw_strip_add(&strip, line, AW_SECOND, 5);
    aw_strip_add(&strip, line, 3 * AW_SECOND, 5);
    aw_strip_break(&strip);
    aw_strip_break(&strip);
    aw_strip_add(&strip, line, 7 * AW_SECOND, 5);
    aw_strip_add(&strip, line, 9 * AW_SECOND, 5);
    assert_true(aw_braille_init(&canvas, 107, 20));
    aw_strip_draw(&strip, &(struct aw_strip_look){.end_ns = 10 * AW_SECOND}, &canvas);
    int dots = 0;
    for (int i = 0; i < 107 * 20; i++)
        dots += canvas.cells[i].dots != 0;
    assert_in_range(dots, 38, 44); /* 4 s of 10 s on 101 columns */
    aw_braille_free(&canvas);
}

/* A line that moves on keeps its shape: only whole columns of dots are scrolled. */
static void test_scrolls_evenly(void **state)
{
    (void)state;
    int line = aw_strip_series(&strip, "x", "");
    for (int i = 0; i < 1000; i++)
        aw_strip_add(&strip, line, i * AW_SECOND / 100, i * 37 % 101);
    struct aw_braille canvas, next;
    assert_true(aw_braille_init(&canvas, 60, 20) && aw_braille_init(&next, 60, 20));
    int64_t end = 10 * AW_SECOND, dot = 0;
    aw_strip_draw(&strip, &(struct aw_strip_look){.end_ns = end}, &canvas);
    int axis = 0;
    while (strcmp(canvas.cells[17 * 60 + axis].letter, "│") != 0 &&
           strcmp(canvas.cells[17 * 60 + axis].letter, "┤") != 0)
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

static void test_limits(void **state)
{
    (void)state;
    for (int i = 0; i < AW_STRIP_SERIES; i++)
        assert_int_equal(aw_strip_series(&strip, "x", i % 2 ? "deg" : NULL), i);
    assert_int_equal(aw_strip_series(&strip, "x", NULL), -1);
    aw_strip_add(&strip, 0, 0, NAN);
    aw_strip_add(&strip, 0, -5, 1e99);
    aw_strip_add(&strip, 0, -9, -1e300);
    aw_strip_add(&strip, 1, 5, 0);
    draw((struct aw_strip_look){.end_ns = AW_SECOND}, 80, 24);
    expect_in(text, "now");
}

static void test_recording(void **state)
{
    (void)state;
    int line = aw_strip_series(&strip, "x", "");
    aw_strip_add(&strip, line, 100 * AW_SECOND, 0);
    aw_strip_add(&strip, line, 110 * AW_SECOND, 1);
    draw((struct aw_strip_look){.end_ns = 110 * AW_SECOND,
                                .start_ns = 100 * AW_SECOND,
                                .absolute = true},
         80, 20);
    expect_in(text, " 0 s ");
    expect_in(text, " 8 s ");
    expect_not_in(text, "now");
    expect_picture("strip-recording.txt", text);
}

#define TEST(f) cmocka_unit_test_setup_teardown(f, start, stop)

int main(void)
{
    const struct CMUnitTest tests[] = {
        TEST(test_picture), TEST(test_slope),          TEST(test_panels),
        TEST(test_scale),   TEST(test_many),           TEST(test_gap),
        TEST(test_limits),  TEST(test_scrolls_evenly), TEST(test_recording),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
