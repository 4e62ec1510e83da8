#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

#include "base/number.h"
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
    assert_true(object.entries[AW_OBJECT_MAX - 1].number == AW_OBJECT_MAX * 2 - 1);
    assert_true(object.entries[AW_OBJECT_MAX - 2].number == AW_OBJECT_MAX - 2);
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

static void numbers_as_they_are_asked_for(void **state)
{
    static const struct {
        double number;
        int decimals;
        const char *text;
    } rows[] = {
        {90, 0, "90"},
        {2.5, 1, "2.5"},
        {0.0625, 3, "0.063"},
        {0.1, -1, "0.1"},
        {(double)0.1F, -1, "0.1"},
        {1.5e39, 1, "1.5e+39"},
        {1e38, -1, "1e+38"},
        {1.234567890123e39, 0, "1.234567890123e+39"},
        {-1e39, -1, "-1e+39"},
        {1.23456789e39, -1, "1.23456789e+39"},
        {20.00004, -4, "20"},
        {123.456, -4, "123.5"},
        {1.0 / 3, -2, "0.33"},
        {1.0 / 3, -9, "0.333333333"},
        {(double)INFINITY, 1, "null"},
        {(double)NAN, -1, "null"},
        {-(double)INFINITY, -4, "null"},
    };
    struct aw_object object;
    (void)state;
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        char wanted[64];
        aw_object_start(&object, "x");
        aw_object_number(&object, "n", rows[i].number, rows[i].decimals, NULL);
        snprintf(wanted, sizeof wanted, "{\"ok\":true,\"n\":%s}\n", rows[i].text);
        assert_string_equal(as_json(&object, NULL), wanted);
    }
    aw_object_start(&object, "x");
    aw_object_truth(&object, "yes", true);
    aw_object_truth(&object, "no", false);
    *aw_object_line(&object, text) = '\0';
    assert_string_equal(text, "x yes=true no=false\n");
}

static void a_table_with_holes(void **state)
{
    struct aw_object object;
    (void)state;
    aw_object_start(&object, "row");
    aw_object_number(&object, "a", 1, 0, "mm");
    aw_object_number(&object, "b", 2, 0, "mm");
    aw_object_absent(&object);
    aw_object_text(&object, "c", "text");
    aw_object_absent(&object);
    aw_object_number(&object, "d", (double)INFINITY, 0, "mm");
    aw_object_number(&object, "e", 3, 0, "deg");
    object.entries[object.n - 1].unit_after = "·s";
    aw_object_text(&object, "f", "x");
    object.entries[object.n - 1].unit = "V";
    aw_object_list(&object, "g", "[1,\"2\"]");
    *aw_object_json(&object, "", NULL, text) = '\0';
    assert_string_equal(text, "{\"a\":1,\"d\":null,\"e\":3,\"f\":\"x\",\"g\":[1,\"2\"]}\n");
    *aw_object_csv_names(&object, "", text) = '\0';
    assert_string_equal(text, "a,b,c,d,e,f,g\n");
    *aw_object_csv_values(&object, "", text) = '\0';
    assert_string_equal(text, "1,,,,3,x,\"[1,\"\"2\"\"]\"\n");
    *aw_object_line(&object, text) = '\0';
    assert_string_equal(text, "row a=1mm b=- c=- d=- e=3deg·s f=xV g=[1,\"2\"]\n");
}

/* Programs get them always, people if the object is not brief. */
static void details(void **state)
{
    struct aw_object object;
    struct aw_stats s = {.n = 3, .min = 1, .mean = 2, .p50 = 2, .p95 = 4, .p99 = 4, .max = 4};
    (void)state;
    aw_object_start(&object, "play");
    aw_object_count(&object, "sent", 3);
    aw_object_stats_ms(&object, "late", &s);
    aw_object_count(&object, "a", 1);
    aw_object_count(&object, "b", 2);
    aw_object_details(&object, object.n - 1);
    object.brief = true;
    *aw_object_line(&object, text) = '\0';
    assert_string_equal(text, "play sent=3 late_max_ms=4 a=1\n");
    *aw_object_csv_names(&object, "", text) = '\0';
    assert_string_equal(text, "sent,late_min_ms,late_mean_ms,late_p50_ms,late_p95_ms,late_p99_ms,"
                              "late_max_ms,a,b\n");
    aw_object_start(&object, "ping");
    aw_object_stats_ms(&object, NULL, &s);
    assert_false(object.brief);
    object.brief = true;
    *aw_object_line(&object, text) = '\0';
    assert_string_equal(text, "ping min_ms=1 mean_ms=2 p50_ms=2 p95_ms=4 p99_ms=4 max_ms=4\n");
}

static void what_is_of_one_is_put_together(void **state)
{
    static const char *const keys[] = {"a.x", "n", "b.x", "a.y", "c", "b.y", "a.z"};
    struct aw_object object;
    (void)state;
    aw_object_start(&object, "play");
    for (size_t i = 0; i < sizeof keys / sizeof *keys; i++)
        aw_object_count(&object, keys[i], i);
    aw_object_gather(&object);
    *aw_object_json(&object, "", NULL, text) = '\0';
    assert_string_equal(
        text, "{\"a\":{\"x\":0,\"y\":3,\"z\":6},\"n\":1,\"b\":{\"x\":2,\"y\":5},\"c\":4}\n");
}

static void groups_of_groups(void **state)
{
    static const struct {
        const char *keys[5], *json;
    } rows[] = {
        {{"a.x", "a.y"}, "{\"a\":{\"x\":0,\"y\":1}}\n"},
        {{"a.x", "b.x"}, "{\"a\":{\"x\":0},\"b\":{\"x\":1}}\n"},
        {{"a.b.x", "a.b.y", "a.c.x", "a.d", "ab.d"},
         "{\"a\":{\"b\":{\"x\":0,\"y\":1},\"c\":{\"x\":2},\"d\":3},\"ab\":{\"d\":4}}\n"},
        {{"a.b.c.x", "a.b.d", "x"}, "{\"a\":{\"b\":{\"c\":{\"x\":0},\"d\":1}},\"x\":2}\n"},
        {{".x", ".y"}, "{\".x\":0,\".y\":1}\n"},
    };
    (void)state;
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        struct aw_object object;
        aw_object_start(&object, "x");
        for (int k = 0; k < 5 && rows[i].keys[k]; k++)
            aw_object_number(&object, rows[i].keys[k], k, 0, NULL);
        *aw_object_json(&object, "", NULL, text) = '\0';
        assert_string_equal(text, rows[i].json);
    }
}

static void each_character_in_json(void **state)
{
    static const struct {
        const char *in;
        size_t max;
        const char *out;
    } rows[] = {
        {" ~", 9, "\" ~\""},        {"\x1F", 9, "\"\\u001f\""}, {"\x10", 9, "\"\\u0010\""},
        {"\x7F", 9, "\"\\u007f\""}, {"\"", 9, "\"\\\"\""},      {"\\", 9, "\"\\\\\""},
        {"abc", 2, "\"ab\""},       {"abc", 3, "\"abc\""},      {"abc", 0, "\"\""},
        {"—x", 3, "\"—\""},         {"—x", 2, "\"??\""},        {"—x", 1, "\"?\""},
        {"µx", 3, "\"µx\""},        {"\n", 9, "\"\\u000a\""},
    };
    (void)state;
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        *aw_json_string(text, rows[i].in, rows[i].max) = '\0';
        assert_string_equal(text, rows[i].out);
    }
}

static void values_are_found_by_their_names(void **state)
{
    static const struct {
        const char *format, *out;
    } rows[] = {
        {"%{lknee.torque} %{rknee.torque}", "1 2\n"},
        {"%{torque}", "-\n"}, /* two of them */
        {"%{angle}", "3\n"},
        {"%{x}", "5\n"}, /* that one itself, not "m.x" */
        {"%{ngle}", "-\n"},
        {"%{nee.angle}", "-\n"},
        {"%{}", "-\n"},
        {"%{none}", "-\n"},
        {"%{a.b.c.d.lknee.torque}", "-\n"},
        {"%{text}=%{text}", "some=some\n"},
        {"a\\nb\\tc\\d\\", "a\nb\tc\\d\\\n"},
        {"%{angle %", "%{angle %\n"},
        {"%x %%{x}", "%x %5\n"},
        {"", "\n"},
    };
    struct aw_object object;
    (void)state;
    aw_object_start(&object, "x");
    aw_object_number(&object, "lknee.torque", 1, 0, "Nm");
    aw_object_number(&object, "rknee.torque", 2, 0, "Nm");
    aw_object_number(&object, "lknee.angle", 3, 0, "deg");
    aw_object_number(&object, "m.x", 4, 0, NULL);
    aw_object_number(&object, "x", 5, 0, NULL);
    aw_object_text(&object, "text", "some");
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        *aw_object_format(&object, rows[i].format, text) = '\0';
        assert_string_equal(text, rows[i].out);
    }
}

static char letters[2 * AW_OBJECT_TEXT];

static void texts_have_an_end(void **state)
{
    struct aw_object object;
    (void)state;
    memset(letters, 'x', sizeof letters - 1);
    aw_object_start(&object, "x");
    aw_object_text(&object, "a", letters);
    assert_int_equal(strlen(as_json(&object, NULL)), strlen("{\"ok\":true,\"a\":\"\"}\n") + 1000);
    aw_object_start(&object, "x");
    assert_int_equal(strlen(as_json(&object, letters)),
                     strlen("{\"ok\":true,\"why\":\"\"}\n") + 400);
    *aw_object_format(&object, letters, text) = '\0';
    assert_int_equal(strlen(text), AW_OBJECT_TEXT - 1024 + 1);
}

static void add_text(struct aw_object *object, bool list, size_t key, size_t length)
{
    const char *end = letters + sizeof letters - 1;
    if (list)
        aw_object_list(object, end - key, end - length);
    else
        aw_object_text(object, end - key, end - length);
}

/* Entries that take all the room there is, each character of their texts so many bytes; or one
 * byte more. */
static void fill(struct aw_object *object, size_t width, bool list, bool fits)
{
    const size_t around = 32 + AW_NUMBER_MAX, each = 1 + around + 1000 * width;
    size_t room = AW_OBJECT_TEXT - 1024 - 6 * 400;
    memset(letters, 'x', sizeof letters - 1);
    aw_object_start(object, "x");
    for (; room >= 2 * each; room -= each)
        add_text(object, list, 1, 1000);
    size_t length = room > 3 * each / 2 ? 1000 : 500;
    add_text(object, list, 1, length);
    room -= 1 + around + length * width;
    length = (room - around - 1) / width;
    add_text(object, list, room - around - length * width + !fits, length);
}

static void what_just_fits_is_printed(void **state)
{
    static const size_t width[] = {6, 1, 2, 2, 1};
    (void)state;
    for (size_t form = 0; form < 5; form++) {
        size_t n[2];
        for (size_t fits = 0; fits < 2; fits++) {
            struct aw_object object;
            fill(&object, width[form], form == 1, fits);
            char *end = form < 2    ? aw_object_json(&object, "", NULL, text)
                        : form == 2 ? aw_object_csv_names(&object, "", text)
                        : form == 3 ? aw_object_csv_values(&object, "", text)
                                    : aw_object_line(&object, text);
            *end = '\0';
            n[fits] = 0;
            for (const char *p = text; *p; p++)
                n[fits] += form < 2 ? *p == ':' : form == 4 ? *p == '=' : *p == ',' || *p == '\n';
            assert_int_equal(n[fits], object.n - !fits);
        }
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(plain_entries),
        cmocka_unit_test(numbers_as_they_are_asked_for),
        cmocka_unit_test(a_table_with_holes),
        cmocka_unit_test(details),
        cmocka_unit_test(what_is_of_one_is_put_together),
        cmocka_unit_test(groups_of_groups),
        cmocka_unit_test(each_character_in_json),
        cmocka_unit_test(values_are_found_by_their_names),
        cmocka_unit_test(texts_have_an_end),
        cmocka_unit_test(what_just_fits_is_printed),
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
