#include "base/csv.h"
#include "test.h"

/* Returns the cells of a line, each followed by |. */
static const char *cut(const char *line, char separator)
{
    static char out[256];
    struct aw_csv_cell cell;
    size_t used = 0;
    while (aw_csv_next(&line, separator, &cell)) {
        used += aw_csv_copy(&cell, out + used, sizeof out - used);
        out[used++] = '|';
    }
    out[used] = '\0';
    return out;
}

TEST(lines_are_split_into_cells)
{
    static const struct text_case cases[] = {
        {"", "|"},
        {"a,b", "a|b|"},
        {" a , b ,\r\n", "a|b||"},
        {"\"a,b\",c", "a,b|c|"},
        {"\"a \"\"b\"\", c\" , 2\n", "a \"b\", c|2|"},
        {"\"\",\"\"\"\"", "|\"|"},
        {"\"open, b", "\"open|b|"},
        {"\"a\"b,c", "\"a\"b|c|"},
        {"5\" pipe,c", "5\" pipe|c|"},
        {"  ,", "||"},
        {"  ", "|"},
        {" \"a\" b\" ,c", "\"a\" b\"|c|"},
        {"\"\"\"a\"\"\",b", "\"a\"|b|"},
        {"\"", "\"|"},
        {"a\"\"b", "a\"\"b|"},
    };
    EACH (row, cases)
        assert_string_equal(cut(row->text, ','), row->expected);
    assert_string_equal(cut("a\t\tb", '\t'), "a||b|");
    assert_string_equal(cut(" a ;b,c\t;", ';'), "a|b,c||");
}

TEST(decimal_comma_is_accepted_unless_commas_separate_cells)
{
    static const struct {
        const char *text;
        char separator;
        bool is_number;
        double value;
    } cases[] = {
        {"0.5", ',', true, 0.5},    {"0,5", ';', true, 0.5},  {"-1,25e1", '\t', true, -12.5},
        {"0,5", ',', false, 0},     {"1.0,5", ';', false, 0}, {"1,0,5", ';', false, 0},
        {"1.000,5", ';', false, 0}, {"", ';', false, 0},      {",", ';', false, 0},
        {"1,5 deg", ';', false, 0}, {"7", ';', true, 7},
    };
    EACH (row, cases) {
        double value = 0;
        assert_int_equal(aw_csv_number(row->text, row->separator, &value), row->is_number);
        assert_true(!row->is_number || value - row->value == 0);
    }
}

/* Copies a cell with and without quotes; in a quoted cell, two quotes stand for one. */
TEST(copied_cells_are_truncated_to_the_buffer)
{
    static const char text[] = "a\"\"b\"\"c";
    for (int quoted = 0; quoted < 2; quoted++)
        for (size_t size = 0; size < 10; size++) {
            const struct aw_csv_cell cell = {text, sizeof text - 1, quoted};
            const char *whole = quoted ? "a\"b\"c" : text;
            char room[11], expected[10], *out = room + 1;
            memset(room, 'x', sizeof room);
            assert_int_equal(aw_csv_copy(&cell, out, size), strlen(whole));
            assert_int_equal(room[0], 'x');
            for (size_t i = size; i < sizeof room - 1; i++)
                assert_int_equal(out[i], 'x');
            snprintf(expected, size, "%s", whole);
            if (size > 0)
                assert_string_equal(out, expected);
        }
}

/* Quotes a text or its first max bytes. */
TEST(special_cells_are_quoted)
{
    static const struct {
        const char *text;
        size_t max;
        const char *cell;
    } cases[] = {
        {"plain", 9, "plain"},   {"", 9, ""},           {"abc", 2, "ab"},
        {"ab,", 2, "ab"},        {"ab,", 3, "\"ab,\""}, {"a;b", 9, "\"a;b\""},
        {"a\tb", 9, "\"a\tb\""}, {"\"", 9, "\"\"\"\""}, {"a\rb", 9, "\"a\rb\""},
        {"a\nb", 9, "\"a\nb\""}, {"#a", 9, "\"#a\""},   {"a#", 9, "a#"},
        {" a", 9, "\" a\""},     {"a ", 9, "\"a \""},   {"a b", 9, "a b"},
        {"a b", 2, "\"a \""},    {"'", 9, "'"},
    };
    EACH (row, cases) {
        char out[32];
        *aw_csv_quote(out, row->text, row->max) = '\0';
        assert_string_equal(out, row->cell);
    }
}

TEST(separator_is_detected)
{
    static const struct {
        const char *line;
        char separator;
    } cases[] = {
        {"t,a;b,c", ','},         {"t;a,b;c", ';'}, {"t,a;b", ','},
        {"t;a,b", ';'},           {"0,5;1,5", ';'}, {"0,5\t1,5;2\t3", '\t'},
        {"0,1;1,2;x,y,z,w", ','}, {"1,2,3", ','},   {"t,\"a;b\"", ','},
        {"t\ta,b", '\t'},         {"t\ta b", '\t'}, {"t a b", ' '},
        {"\"a b\"", ','},         {"", ' '},        {"\"a;\"\",b\";c", ';'},
        {"a \"b", ' '},           {"\"a\" b", ' '},
    };
    EACH (row, cases)
        assert_int_equal(aw_csv_separator(row->line), row->separator);
}
