#include <setjmp.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

#include "base/text.h"

static void one_of_the_words(void **state)
{
    static const char *const words[] = {"on", "off", NULL};
    (void)state;
    assert_true(aw_is_one_of(words, "on"));
    assert_true(aw_is_one_of(words, "off"));
    assert_false(aw_is_one_of(words, "of"));
    assert_false(aw_is_one_of(words + 2, ""));
}

static void a_word_is_found_among_n(void **state)
{
    static const char *const words[] = {"none", "encoder", "config"};
    (void)state;
    assert_int_equal(aw_find_word(words, 3, "none"), 0);
    assert_int_equal(aw_find_word(words, 3, "config"), 2);
    assert_int_equal(aw_find_word(words, 2, "config"), -1);
    assert_int_equal(aw_find_word(words, 3, "conf"), -1);
}

static void texts_one_behind_the_other(void **state)
{
    char list[12] = "";
    (void)state;
    aw_append(list, sizeof list, ", ", "%s", "hand");
    aw_append(list, sizeof list, ", ", "%s.%d", "m", 1);
    assert_string_equal(list, "hand, m.1");
    aw_append(list, sizeof list, ", ", "%s", "wrist");
    assert_string_equal(list, "hand, m.1, ");
    aw_append(list, sizeof list, "", "%s", "wrist");
    assert_string_equal(list, "hand, m.1, ");
    strcpy(list, "hand, m.10");
    aw_append(list, sizeof list, ", ", "%s", "wrist");
    assert_string_equal(list, "hand, m.10,");
}

static void a_name_is_in_a_list_once(void **state)
{
    char list[12] = "";
    (void)state;
    assert_true(aw_append_name(list, sizeof list, "max"));
    assert_true(aw_append_name(list, sizeof list, "x"));
    assert_true(aw_append_name(list, sizeof list, "ma"));
    assert_true(aw_append_name(list, sizeof list, "max"));
    assert_true(aw_append_name(list, sizeof list, "ma"));
    assert_string_equal(list, "max, x, ma");
    assert_false(aw_append_name(list, sizeof list, "a"));
    assert_string_equal(list, "max, x, ma");
    assert_true(aw_append_name(list, sizeof list, "x"));
    *list = '\0';
    assert_false(aw_append_name(list, sizeof list, "shoulder.x"));
    assert_true(aw_append_name(list, sizeof list, "shoulder."));
    assert_string_equal(list, "shoulder.");
}

static void test_names_of_a_list(void **state)
{
    (void)state;
    static const struct {
        const char *list, *names;
    } cases[] = {
        {"a,b", "a|b|"},
        {"", ""},
        {",,a,,b,", "a|b|"},
        {"'a,b',c", "a,b|c|"},
        {"\"a,b\"", "a,b|"},
        {"it's,b", "it's|b|"},
        {"'a'b,c", "'a'b|c|"},
        {"'a,b", "'a|b|"},
        {"m 1 [deg],x", "m 1 [deg]|x|"},
        {"''", "|"},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        char text[40], names[40] = "", *rest = text, *name;
        snprintf(text, sizeof text, "%s", cases[i].list);
        while ((name = aw_next_name(&rest, ',')))
            snprintf(names + strlen(names), sizeof names - strlen(names), "%s|", name);
        assert_string_equal(names, cases[i].names);
    }
}

static void test_words_of_a_shell(void **state)
{
    (void)state;
    static const char *const cases[][2] = {
        {"run.csv", "run.csv"},
        {"/a/b-c_d.csv", "/a/b-c_d.csv"},
        {"my run", "'my run'"},
        {"it's", "'it'\\''s'"},
        {"", "''"},
        {"a*", "'a*'"},
        {"$HOME", "'$HOME'"},
        {"\xC3\xA4", "'\xC3\xA4'"},
        {"~x", "'~x'"},
        {"0123456789012345678901234567890", "0123456789012345678901234567890"},
        {"01234567890123456789012345678901", "FILE"},
        {"012345678901234567890123456 8", "'012345678901234567890123456 8'"},
        {"0123456789012345678901234567 9 ", "FILE"},
        {"012345678901234567890123456'", "FILE"},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        char out[32];
        assert_string_equal(aw_shell_word(out, sizeof out, cases[i][0]), cases[i][1]);
    }
}

static void blanks_around_a_text(void **state)
{
    static const char *const cases[][2] = {
        {" \ta b\r\n", "a b"}, {"ab", "ab"}, {" \v\f ", ""}, {"", ""}, {"a\t", "a"}};
    (void)state;
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        char text[16];
        strcpy(text, cases[i][0]);
        assert_string_equal(aw_trim(text), cases[i][1]);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_words_of_a_shell),      cmocka_unit_test(test_names_of_a_list),
        cmocka_unit_test(one_of_the_words),           cmocka_unit_test(a_word_is_found_among_n),
        cmocka_unit_test(texts_one_behind_the_other), cmocka_unit_test(a_name_is_in_a_list_once),
        cmocka_unit_test(blanks_around_a_text),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
