/* Tests table cells: number formats that depend on range and values of the channel, and truncated
 * texts. */
#include "view/terminal/cells.h"

#include "view_helper.h"

TEST(numbers_fit_their_cells)
{
    static const double none = (double)NAN;
    static const struct {
        int decimals;
        bool whole;
        double low, high, least, greatest, value;
        const char *text;
    } rows[] = {
        {-1, true, none, none, 1, 7, 7, "7"},
        {-1, false, none, none, 0.5, 7, 7, "7.0000"},
        {-1, false, none, none, 0.5, 9.99, 9.99, "9.9900"},
        {-1, false, none, none, 0.5, 10, 10, "10.000"},
        {-1, false, none, none, -10, 5, 5, "5.000"},
        {-1, false, none, none, -99999, 5, 5, "5"},
        {-1, false, none, none, -100000, 5, 5.5, "6"},
        {-1, false, none, none, 0.5, 0.75, 0.75, "0.7500"},
        {-1, false, none, none, 0.0001, 0.0002, 0.0001, "0.0001"},
        {-1, false, none, none, 0.0001, 0.0002, 0.00009, "9.000e-05"},
        {0, false, none, none, 0.0001, 0.0002, 0.00009, "0"},
        {0, false, -90, 90, 1, 2, 1.6, "2"},
        {0, true, 0, 4095, 1, 2, 1, "1"},
        {2, true, -90, 90, 1, 2, 1, "1.00"},
        {6, false, -90, 90, 1, 2, 1, "1.0000"},
        {4, false, -90, 90, 1, 2, 1, "1.0000"},
        {5, false, -9.9, 9.9, 1, 2, 1, "1.00000"},
        {6, false, -9.9, 9.9, 1, 2, 1, "1.00000"},
        {6, false, -0.5, 0.5, 0, 0, 0.25, "0.250000"},
        {7, false, -0.5, 0.5, 0, 0, 0.25, "0.250000"},
        {6, false, 0, 0, 1, 2, 1, "1.00000"},
        {6, false, 0, 1, 100, 200, 1, "1.00000"},
        {3, false, none, none, 1, 2, 1, "1.000"},
        {3, false, -123456, 9, 1, 2, 1, "1"},
        {3, false, -1234567, 9, 1, 2, 1, "1"},
        {3, false, -1e15, 9, 1, 2, 1.25, "1"},
        {3, false, -9e14, 9, 1, 2, 1.25, "1"},
        {3, false, -90, 90, 1, 2, 1e9, "1.000e+09"},
        {3, false, -90, 90, 1, 2, 999999999, "999999999.000"},
        {3, false, -90, 90, 1, 2, -1e9, "-1.000e+09"},
        {3, false, -90, 90, 1, 2, -0.0004, "0.000"},
        {3, false, -90, 90, 1, 2, -0.0006, "-0.001"},
        {3, false, -90, 90, 1, 2, none, "–"},
        {-1, false, none, none, -1, 1, -0.0, "0.0000"},
    };
    char text[AW_CELL_TEXT];
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        struct aw_channel channel = {.decimals = rows[i].decimals,
                                     .is_integral = rows[i].whole,
                                     .range.low = rows[i].low,
                                     .range.high = rows[i].high,
                                     .range.seen_min = rows[i].least,
                                     .range.seen_max = rows[i].greatest};
        aw_cell_print_number(&channel, rows[i].value, text);
        if (strcmp(text, rows[i].text) != 0)
            fail_msg("row %zu: %s", i, text);
    }
}

TEST(texts_are_truncated_to_their_cells)
{
    static const struct {
        int width;
        bool left;
        const char *text, *shown;
    } rows[] = {
        {5, true, "abc", "|abc"},
        {5, false, "abc", "|  abc"},
        {5, true, "abcde", "|abcde"},
        {5, false, "abcde", "|abcde"},
        {5, true, "abcdef", "|abcd…"},
        {5, false, "abcdef", "|abcd…"},
        {5, false, "µµµ", "|  µµµ"},
        {2, true, "µµµ", "|µ…"},
        {1, true, "ab", "|…"},
        {1, true, "a", "|a"},
        {0, true, "ab", "|"},
        {5, true, "", "|"},
        {-3, false, "ab", "|"},
        {5, true,
         "a\xFF"
         "bcdefg",
         "|a?bc…"},
        {3, false, "\xFF\xFF", "| ??"},
    };
    struct aw_braille canvas;
    assert_true(aw_braille_init(&canvas, 200, 1));
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        aw_braille_clear(&canvas);
        aw_braille_draw_text(&canvas, 0, 0, "|", 0);
        aw_cell_draw(&canvas, 1, 0, rows[i].width, rows[i].left, rows[i].text, 1);
        char *text = canvas_text(&canvas, AW_BRAILLE_UTF8);
        text[strcspn(text, "\n")] = '\0';
        if (strcmp(text, rows[i].shown) != 0)
            fail_msg("row %zu: %s", i, text);
        free(text);
    }
    /* Longer than the buffer. */
    char longest[400];
    memset(longest, 'x', sizeof longest - 1);
    longest[sizeof longest - 1] = '\0';
    aw_braille_clear(&canvas);
    aw_cell_draw(&canvas, 0, 0, 400, true, longest, 1);
    char *text = canvas_text(&canvas, AW_BRAILLE_UTF8);
    assert_int_equal(strspn(text, "x"), 4 * AW_CELL_TEXT + 4 - 8);
    free(text);
    aw_braille_free(&canvas);
}

TEST(long_names_are_elided)
{
    static const struct {
        const char *name;
        int width;
        size_t before, at;
        const char *shown;
    } rows[] = {
        {"lknee.torque", 12, 4, 0, "lknee.torque"},
        {"lknee.torque", 11, 4, 4, "lkne…torque"},
        {"lknee.torque", 11, 0, 0, "…nee.torque"},
        {"lknee.torque", 5, 9, 4, "lkne…"},
        {"lknee.torque", 5, 4, 4, "lkne…"},
        {"lknee.torque", 5, 3, 3, "lkn…e"},
        {"lknee.torque", 1, 3, 0, "…"},
        {"lknee.torque", 2, 3, 1, "l…"},
        {"lknee.torque", 0, 3, 0, "…"},
        {"a", 1, 3, 0, "a"},
        {"ab", 2, 1, 0, "ab"},
        {"", 0, 0, 0, ""},
    };
    char shown[32];
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        size_t at = aw_cell_shorten(rows[i].name, rows[i].width, rows[i].before, shown);
        if (at != rows[i].at || strcmp(shown, rows[i].shown) != 0)
            fail_msg("row %zu: %zu %s", i, at, shown);
    }
}

/* The first and the last row must stay unchanged. */
TEST(list_of_keys_is_drawn)
{
    static const char *const all[] = {
        "a", "one", "b", "two", "c", "three", "d", "four, which is longer", NULL};
    static const char *const drawn[] = {
        "top row xxxxxxxxxxxxxxxx\nbottom\n",
        "top row xxxxxxxxxxxxxxxx\n a       one\nbottom\n",
        "top row xxxxxxxxxxxxxxxx\n a       one\n b       two\nbottom\n",
        NULL,
        NULL,
        "top row xxxxxxxxxxxxxxxx\n a       one\n b       two\n c       three\n d       "
        "four, which i…\n\nbottom\n"};
    for (int rows = 2; rows < 8; rows++) {
        struct aw_braille canvas;
        assert_true(aw_braille_init(&canvas, 24, rows));
        for (int y = 0; y < rows; y++)
            aw_braille_draw_text(&canvas, 0, y,
                                 y == 0         ? "top row xxxxxxxxxxxxxxxxxxx"
                                 : y < rows - 1 ? "in between xxxxxxxxxxxx"
                                                : "bottom",
                                 0);
        aw_cell_draw_keys(&canvas, all);
        char *text = canvas_text(&canvas, AW_BRAILLE_UTF8);
        if (drawn[rows - 2])
            assert_string_equal(text, drawn[rows - 2]);
        free(text);
        aw_braille_free(&canvas);
    }
}
