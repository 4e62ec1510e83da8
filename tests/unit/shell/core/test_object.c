#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

#include "shell/core/object.h"

static char text[AW_OBJECT_TEXT + 1];

static const char *as_json(const struct aw_object *object, const char *why)
{
    *aw_object_json(object, "\"ok\":true", why, text) = '\0';
    return text;
}

static void plain_entries(void **state)
{
    struct aw_object object;
    (void)state;
    aw_object_start(&object, "deg");
    aw_object_number(&object, "angle", 90, 0, "deg");
    aw_object_number(&object, "ms", 1023.44, 1, NULL);
    aw_object_number(&object, "x", NAN, 1, NULL);
    aw_object_number(&object, "big", -1e39, -1, NULL);
    aw_object_text(&object, "result", "confirmed");
    aw_object_truth(&object, "flipped", true);
    assert_string_equal(as_json(&object, NULL),
                        "{\"ok\":true,\"angle\":90,\"ms\":1023.4,\"x\":null,\"big\":-1e+39,"
                        "\"result\":\"confirmed\",\"flipped\":true}\n");
}

static void lines_for_people_have_units(void **state)
{
    struct aw_object object;
    (void)state;
    aw_object_start(&object, "deg");
    aw_object_number(&object, "angle", 90, 0, "deg");
    *aw_object_line(&object, text) = '\0';
    assert_string_equal(text, "deg angle=90deg\n");
    object.headline = "there";
    *aw_object_line(&object, text) = '\0';
    assert_string_equal(text, "there angle=90deg\n");
}

static void statistics_are_named_alike(void **state)
{
    struct aw_object object;
    struct aw_stats s = {.n = 3, .min = 1, .mean = 2.5, .p50 = 2, .p95 = 4, .p99 = 4, .max = 4};
    (void)state;
    aw_object_start(&object, "ping");
    aw_object_stats_ms(&object, NULL, &s);
    *aw_object_line(&object, text) = '\0';
    assert_string_equal(text, "ping min_ms=1 mean_ms=2.5 p50_ms=2 p95_ms=4 p99_ms=4 max_ms=4\n");
    aw_object_start(&object, "replay");
    aw_object_stats_ms(&object, "late", &s);
    assert_string_equal(as_json(&object, NULL),
                        "{\"ok\":true,\"late_min_ms\":1,\"late_mean_ms\":2.5,\"late_p50_ms\":2,"
                        "\"late_p95_ms\":4,\"late_p99_ms\":4,\"late_max_ms\":4}\n");
    aw_object_start(&object, "ping");
    aw_object_stats_ms(&object, NULL, &(struct aw_stats){0});
    assert_int_equal(object.n, 0);
}

static void a_result_as_csv_and_in_a_format(void **state)
{
    struct aw_object object;
    (void)state;
    aw_object_start(&object, "fk");
    aw_object_number(&object, "x", 12.5, 1, "mm");
    aw_object_number(&object, "y", NAN, 1, "mm");
    aw_object_text(&object, "why", "a \"b\", c");
    *aw_object_csv_names(&object, "t,cmd", text) = '\0';
    assert_string_equal(text, "t,cmd,x,y,why\n");
    *aw_object_csv_values(&object, "0,fk", text) = '\0';
    assert_string_equal(text, "0,fk,12.5,,\"a \"\"b\"\", c\"\n");
    *aw_object_format(&object, "%{x}\\t%{y} %{nosuch} %x {}", text) = '\0';
    assert_string_equal(text, "12.5\t- - %x {}\n");
}

static void dots_make_objects(void **state)
{
    struct aw_object object;
    (void)state;
    aw_object_start(&object, "x");
    aw_object_number(&object, "m1.p", 1, 0, NULL);
    aw_object_number(&object, "m1.v", 2, 0, NULL);
    aw_object_number(&object, "m2.p", 3, 0, NULL);
    aw_object_number(&object, "n", 4, 0, NULL);
    assert_string_equal(as_json(&object, NULL),
                        "{\"ok\":true,\"m1\":{\"p\":1,\"v\":2},\"m2\":{\"p\":3},\"n\":4}\n");
}

static void strings_are_escaped(void **state)
{
    struct aw_object object;
    (void)state;
    aw_object_start(&object, "x");
    assert_string_equal(as_json(&object, "a\"b\\c\n\x01"),
                        "{\"ok\":true,\"why\":\"a\\\"b\\\\c\\u000a\\u0001\"}\n");
}

static void what_is_no_utf8_is_no_json(void **state)
{
    char out[40];
    (void)state;
    *aw_json_string(out, "µ\xFF\xE2\x82", 10) = '\0';
    assert_string_equal(out, "\"µ???\"");
    *aw_json_string(out, "aµ", 2) = '\0'; /* cut in the middle */
    assert_string_equal(out, "\"a?\"");
}

static void too_many_entries_do_no_harm(void **state)
{
    struct aw_object object;
    (void)state;
    aw_object_start(&object, "x");
    for (int i = 0; i < AW_OBJECT_MAX * 2; i++)
        aw_object_number(&object, "a-key-that-is-longer-than-there-is-room-for-it-in-here", i, 0,
                         NULL);
    assert_int_equal(object.n, AW_OBJECT_MAX);
    assert_true(strlen(as_json(&object, NULL)) < AW_OBJECT_TEXT);
}

static void too_long_texts_do_no_harm(void **state)
{
    static char room[2 * AW_OBJECT_TEXT], bells[5000];
    struct aw_object object;
    (void)state;
    memset(bells, '\a', sizeof bells - 1);
    aw_object_start(&object, "x");
    for (int i = 0; i < AW_OBJECT_MAX; i++)
        aw_object_text(&object, i % 2 ? "a" : "group.b", bells);
    *aw_object_json(&object, "\"ok\":true", bells, room) = '\0';
    assert_in_range(strlen(room), AW_OBJECT_TEXT / 2, AW_OBJECT_TEXT);
    assert_string_equal(room + strlen(room) - 3, "\"}\n");
    *aw_object_line(&object, room) = '\0';
    assert_in_range(strlen(room), AW_OBJECT_TEXT / 2, AW_OBJECT_TEXT);
}

static size_t columns(const char *line)
{
    size_t n = 1;
    for (bool quoted = false; *line; line++) {
        quoted = quoted != (*line == '"');
        n += *line == ',' && !quoted;
    }
    return n;
}

static void too_long_texts_do_no_harm_to_csv(void **state)
{
    static char names[8 * AW_OBJECT_TEXT], values[8 * AW_OBJECT_TEXT], quotes[5000];
    struct aw_object object;
    (void)state;
    memset(quotes, '"', sizeof quotes - 1);
    aw_object_start(&object, "x");
    for (int i = 0; i < AW_OBJECT_MAX; i++)
        aw_object_text(&object, "a", quotes);
    *aw_object_csv_names(&object, "t,cmd", names) = '\0';
    *aw_object_csv_values(&object, "0,x", values) = '\0';
    assert_in_range(strlen(values), AW_OBJECT_TEXT / 2, AW_OBJECT_TEXT);
    assert_int_equal(columns(names), columns(values));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(plain_entries),
        cmocka_unit_test(lines_for_people_have_units),
        cmocka_unit_test(statistics_are_named_alike),
        cmocka_unit_test(a_result_as_csv_and_in_a_format),
        cmocka_unit_test(too_long_texts_do_no_harm_to_csv),
        cmocka_unit_test(dots_make_objects),
        cmocka_unit_test(strings_are_escaped),
        cmocka_unit_test(what_is_no_utf8_is_no_json),
        cmocka_unit_test(too_many_entries_do_no_harm),
        cmocka_unit_test(too_long_texts_do_no_harm),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
