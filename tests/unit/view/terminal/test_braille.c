#include <math.h>

#include "test.h"
#include "view/terminal/braille.h"

static struct aw_braille canvas;

static void free_canvas(void)
{
    aw_braille_free(&canvas);
}

static void begin(int columns, int rows)
{
    free_canvas();
    assert_true(aw_braille_init(&canvas, columns, rows));
}

static void expect_row(int row, unsigned how, const char *text)
{
    char out[1024];
    size_t n = aw_braille_print_row(&canvas, row, how, out, sizeof out);
    assert_string_equal(out, text);
    assert_int_equal(n, strlen(text));
}

TEST(dots_map_to_braille_patterns)
{
    static const int order[8][2] = {{0, 0}, {0, 1}, {0, 2}, {1, 0}, {1, 1}, {1, 2}, {0, 3}, {1, 3}};
    begin(2, 2);
    for (int i = 0; i < 8; i++) {
        aw_braille_clear(&canvas);
        aw_braille_draw_dot(&canvas, 2 + order[i][0], 4 + order[i][1], 0);
        assert_int_equal(canvas.cells[3].dots, 1 << i);
        assert_int_equal(canvas.cells[0].dots | canvas.cells[1].dots | canvas.cells[2].dots, 0);
    }
    aw_braille_free(&canvas);
    assert_null(canvas.cells);
}

TEST(dots_outside_the_canvas_are_ignored)
{
    begin(3, 1);
    aw_braille_draw_dot(&canvas, -1, 0, 1);
    aw_braille_draw_dot(&canvas, 0, -1, 1);
    aw_braille_draw_dot(&canvas, 6, 0, 1);
    aw_braille_draw_dot(&canvas, 0, 4, 1);
    aw_braille_draw_line(&canvas, -5, -5, 20, -1, 1);
    aw_braille_draw_line(&canvas, NAN, 0, 5, 0, 1);
    aw_braille_draw_line(&canvas, 0, 0, INFINITY, 0, 1);
    aw_braille_draw_text(&canvas, 0, 1, "no", 1);
    expect_row(0, AW_BRAILLE_UTF8, "");
    expect_row(7, AW_BRAILLE_UTF8, "");
    aw_braille_draw_text(&canvas, -2, 0, "abcdefg", 1);
    expect_row(0, AW_BRAILLE_UTF8, "cde");
    canvas.rows = 0; /* the first row beyond the canvas */
    expect_row(0, AW_BRAILLE_UTF8, "");
}

/* A line that starts far away is drawn where it crosses the canvas, without delay. */
TEST(lines_are_clipped_to_the_canvas)
{
    begin(4, 1);
    aw_braille_draw_line(&canvas, 0, 3, 7, 3, 1);
    expect_row(0, AW_BRAILLE_UTF8, "⣀⣀⣀⣀");
    aw_braille_clear(&canvas);
    aw_braille_draw_line(&canvas, -1e12, 1, 1e12, 1, 1);
    expect_row(0, AW_BRAILLE_UTF8, "⠒⠒⠒⠒");
    aw_braille_clear(&canvas);
    aw_braille_draw_line(&canvas, 2, -1e9, 2, 1e9, 1);
    expect_row(0, AW_BRAILLE_UTF8, " ⡇");
    aw_braille_clear(&canvas);
    aw_braille_draw_line(&canvas, 3, 3, 0, 0, 1);
    expect_row(0, AW_BRAILLE_UTF8, "⠑⢄");
    aw_braille_draw_line(&canvas, 7, 0, 7, 0, 1);
    expect_row(0, AW_BRAILLE_UTF8, "⠑⢄ ⠈");
}

TEST(text_is_drawn_and_cleaned)
{
    begin(12, 1);
    assert_int_equal(aw_braille_draw_text(&canvas, 1, 0,
                                          "θ\x1b[\xFF"
                                          "é  ",
                                          0),
                     8);
    expect_row(0, AW_BRAILLE_UTF8, " θ?[?é");
    expect_row(0, 0, " ??[??");
    aw_braille_clear(&canvas);
    aw_braille_draw_text(&canvas, 0, 0, "┤│└─µs", 0);
    expect_row(0, 0, "+|+-us");
}

TEST(plain_mode_uses_ascii_characters)
{
    static const struct {
        double line[4];
        const char *plain;
    } lines[] = {
        {{0, 0, 1, 0}, "'"}, {{0, 1, 1, 1}, "-"},  {{0, 3, 1, 3}, "."}, {{0, 0, 0, 3}, "|"},
        {{1, 0, 1, 3}, "|"}, {{0, 0, 1, 3}, "\\"}, {{1, 0, 0, 3}, "/"}, {{0, 2, 3, 2}, "--"},
    };
    begin(2, 1);
    EACH (row, lines) {
        const double *p = row->line;
        aw_braille_clear(&canvas);
        aw_braille_draw_line(&canvas, p[0], p[1], p[2], p[3], 1);
        expect_row(0, 0, row->plain);
    }
}

TEST(colours_use_escape_sequences)
{
    begin(8, 1);
    aw_braille_draw_text(&canvas, 0, 0, "ab", 1);
    aw_braille_draw_text(&canvas, 3, 0, "c", 1);
    aw_braille_draw_text(&canvas, 4, 0, "d", AW_BRAILLE_DIM);
    aw_braille_draw_text(&canvas, 5, 0, "e", 99);
    expect_row(0, AW_BRAILLE_COLOR | AW_BRAILLE_UTF8, "\033[0;36mab c\033[0;90md\033[0me");
    aw_braille_draw_text(&canvas, 5, 0, " ", 2);
    expect_row(0, AW_BRAILLE_COLOR | AW_BRAILLE_UTF8, "\033[0;36mab c\033[0;90md\033[0m");
    expect_row(0, AW_BRAILLE_UTF8, "ab cd");
}

/* A short buffer truncates the row after complete cells and colours. */
TEST(short_buffers_truncate_rows)
{
    char out[128];
    begin(100, 1);
    for (int i = 0; i < 200; i++)
        aw_braille_draw_dot(&canvas, i, 0, 1 + i / 2 % 6);
    for (size_t size = 1; size < sizeof out; size++) {
        memset(out, '#', sizeof out);
        size_t n = aw_braille_print_row(&canvas, 0, AW_BRAILLE_COLOR | AW_BRAILLE_UTF8, out, size);
        assert_true(n < size);
        assert_int_equal(n, strlen(out));
        if (n)
            assert_memory_equal(out + n - 4, "\033[0m", 4);
        for (size_t i = size; i < sizeof out; i++)
            assert_int_equal(out[i], '#');
    }
    char *full = malloc(100 * AW_BRAILLE_ROW);
    assert_non_null(full);
    assert_int_equal(aw_braille_print_row(&canvas, 0, AW_BRAILLE_COLOR | AW_BRAILLE_UTF8, full,
                                          100 * AW_BRAILLE_ROW),
                     100 * 10 + 4);
    free(full);
    begin(1, 1); /* enough for one column */
    aw_braille_draw_text(&canvas, 0, 0, "x", 0);
    assert_int_equal(aw_braille_print_row(&canvas, 0, AW_BRAILLE_UTF8, out, AW_BRAILLE_ROW), 1);
}

TEST(invalid_sizes_are_refused)
{
    free_canvas();
    memset(&canvas, 7, sizeof canvas);
    assert_false(aw_braille_init(&canvas, 0, 5));
    assert_true(canvas.columns == 0 && canvas.rows == 0 && !canvas.cells);
    assert_false(aw_braille_init(&canvas, 5, 0));
    assert_false(aw_braille_init(&canvas, 5, -1));
    assert_false(aw_braille_init(&canvas, 1001, 5));
    aw_braille_clear(&canvas);
    aw_braille_draw_line(&canvas, 0, 0, 5, 5, 1);
    aw_braille_draw_text(&canvas, 0, 0, "text", 1);
    aw_braille_free(&canvas);
    begin(1000, 1000);
    aw_braille_draw_dot(&canvas, 1999, 3999, 1);
    assert_int_equal(canvas.cells[999999].dots, 0x80);
}

ALL_TESTS_WITH(NULL, free_canvas);
