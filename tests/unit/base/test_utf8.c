#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>

#include <cmocka.h>

#include <stdio.h>

#include "base/utf8.h"

static const struct {
    const char *text;
    size_t size, length;
} texts[] = {
    {"", 0, 0},
    {"a", 1, 1},
    {"µs", 2, 2},
    {"⣀x", 3, 2},
    {"\xF0\x9F\xA6\xBE", 4, 1},
    {"\x1b[0m", 0, 4},
    {"\x7F", 0, 1},
    {"\xC2\x9B", 0, 2},     /* a control character, CSI */
    {"\xC0\x80", 0, 2},     /* overlong */
    {"\xED\xA0\x80", 0, 3}, /* a surrogate */
    {"\xE2\x82", 0, 2},     /* cut off */
    {"\xF4\x90\x80\x80", 0, 4},
};

static void test_texts(void **state)
{
    (void)state;
    for (size_t i = 0; i < sizeof texts / sizeof *texts; i++) {
        assert_int_equal(aw_utf8_size(texts[i].text), texts[i].size);
        assert_int_equal(aw_utf8_length(texts[i].text), texts[i].length);
    }
}

static void what_is_no_text_becomes_a_question_mark(void **state)
{
    char text[] = "a\x1b[0m\nµ\xE2\x82";
    (void)state;
    aw_utf8_clean(text);
    assert_string_equal(text, "a?[0m?µ??");
}

static void without_utf8_texts_are_spelled_out(void **state)
{
    static const struct {
        const char *text, *ascii;
    } rows[] = {
        {"", ""},
        {"plain", "plain"},
        {"not here — plug it in …", "not here - plug it in ..."},
        {"R-θ-H", "R-theta-H"},
        {"±2°, 3 µs × 4 ²·s", "+-2deg, 3 us x 4 2*s"},
        {"é█", "??"},
        {"a\xE2\x82", "a\xE2\x82"},
    };
    (void)state;
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        char text[64];
        snprintf(text, sizeof text, "%s", rows[i].text);
        aw_utf8_to_ascii(text, sizeof text);
        assert_string_equal(text, rows[i].ascii);
    }
    char tight[4] = "θ"; /* what does not fit is cut off */
    aw_utf8_to_ascii(tight, sizeof tight);
    assert_string_equal(tight, "the");
}

static void a_mark_stands_in_front(void **state)
{
    (void)state;
    assert_int_equal(aw_utf8_mark("\xEF\xBB\xBFx"), 3);
    assert_int_equal(aw_utf8_mark("\xEF\xBB"), 0);
    assert_int_equal(aw_utf8_mark(""), 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_texts),
        cmocka_unit_test(without_utf8_texts_are_spelled_out),
        cmocka_unit_test(a_mark_stands_in_front),
        cmocka_unit_test(what_is_no_text_becomes_a_question_mark),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
