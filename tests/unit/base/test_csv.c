/* Cells of CSV: cut, copied and quoted. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "base/csv.h"

/* The cells of a line, each with a | behind it. */
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

static void test_cutting(void **state)
{
    (void)state;
    static const struct {
        const char *line, *cells;
    } cases[] = {
        {"", "|"},
        {"a,b", "a|b|"},
        {" a , b ,\r\n", "a|b||"},
        {"\"a,b\",c", "a,b|c|"},
        {"\"a \"\"b\"\", c\" , 2\n", "a \"b\", c|2|"},
        {"\"\",\"\"\"\"", "|\"|"},
        {"\"open, b", "\"open|b|"},
        {"\"a\"b,c", "\"a\"b|c|"},
        {"5\" pipe,c", "5\" pipe|c|"},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++)
        assert_string_equal(cut(cases[i].line, ','), cases[i].cells);
    assert_string_equal(cut("a\t\tb", '\t'), "a||b|");
}

static void test_what_is_quoted_is_read_back(void **state)
{
    (void)state;
    static const char *const texts[] = {"plain", "",     "a,b", "\"",      "a \"b\", c",
                                        ",,",    "\"\"", "a;b", "a\tb",    "#a",
                                        " a",    "a ",   "a b", "5\" pipe"};
    for (size_t i = 0; i < sizeof texts / sizeof *texts; i++) {
        char quoted[64], back[64];
        struct aw_csv_cell cell;
        const char *rest = quoted;
        *aw_csv_quote(quoted, texts[i], sizeof texts) = '\0';
        assert_true(aw_csv_next(&rest, ',', &cell));
        assert_null(rest);
        assert_int_equal(aw_csv_copy(&cell, back, sizeof back), strlen(texts[i]));
        assert_string_equal(back, texts[i]);
    }
}

static void test_a_copy_is_cut_to_its_room(void **state)
{
    (void)state;
    const struct aw_csv_cell cell = {.text = "abcdef", .length = 6};
    char out[4];
    assert_int_equal(aw_csv_copy(&cell, out, sizeof out), 6);
    assert_string_equal(out, "abc");
}

static void test_separator(void **state)
{
    (void)state;
    static const struct {
        const char *line;
        char separator;
    } cases[] = {
        {"t,a;b", ';'}, {"t,\"a;b\"", ','}, {"t\ta,b", ','}, {"t\ta b", '\t'},
        {"t a b", ' '}, {"\"a b\"", ','},   {"", ' '},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++)
        assert_int_equal(aw_csv_separator(cases[i].line), cases[i].separator);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_cutting),
        cmocka_unit_test(test_what_is_quoted_is_read_back),
        cmocka_unit_test(test_separator),
        cmocka_unit_test(test_a_copy_is_cut_to_its_room),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
