#include <math.h>

#include "base/number.h"
#include "shell/session/object.h"
#include "test.h"

static char text[2 * AW_OBJECT_TEXT + 1];

static const char *print(const struct aw_object *object, const struct aw_object_form *form)
{
    *aw_object_print(object, form, text) = '\0';
    return text;
}

/* Returns a row in this style, after its header if the style has one. */
static const char *as(const struct aw_object *object, enum aw_style style)
{
    return print(object, &(struct aw_object_form){.style = style, .prints_names = true});
}

static const char *in_format(const struct aw_object *object, const char *format)
{
    return print(object, &(struct aw_object_form){.style = AW_STYLE_FORMAT, .format = format});
}

/* Returns the result of a command as JSON; why: the error of a failed one. */
static const char *as_json(const struct aw_object *object, const char *why)
{
    const struct aw_object_head head = {
        .time = "1.5", .cmd = "x", .error = why ? "limit" : NULL, .message = why, .exit_code = 6};
    return print(object, &(struct aw_object_form){.style = AW_STYLE_JSON, .head = &head});
}

TEST(results_are_printed_as_csv_and_by_format)
{
    struct aw_object object;
    aw_object_start(&object, "fk");
    aw_object_add_number(&object, "x", 12.5, 1, "mm");
    aw_object_add_number(&object, "y", NAN, 1, "mm");
    aw_object_add_text(&object, "why", "a \"b\", c");
    const struct aw_object_head head = {.time = "0", .cmd = "fk"}, bare = {.time = "0"};
    struct aw_object_form form = {.style = AW_STYLE_CSV, .prints_names = true, .head = &head};
    assert_string_equal(print(&object, &form), "t,cmd,x,y,why\n0,fk,12.5,,\"a \"\"b\"\", c\"\n");
    form.prints_names = false;
    assert_string_equal(print(&object, &form), "0,fk,12.5,,\"a \"\"b\"\", c\"\n");
    struct aw_object empty;
    aw_object_start(&empty, "fk");
    form = (struct aw_object_form){.style = AW_STYLE_CSV, .prints_names = true, .head = &bare};
    assert_string_equal(print(&empty, &form), "t,cmd\n0,\n");
    assert_string_equal(as(&empty, AW_STYLE_CSV), "\n\n");
    assert_string_equal(
        print(&empty, &(struct aw_object_form){.style = AW_STYLE_JSON, .head = &bare}),
        "{\"t\":0,\"ok\":true}\n");
    assert_string_equal(in_format(&object, "%{x}\\t%{y} %{nosuch} %x {}"), "12.5\t- - %x {}\n");
}

TEST(excess_entries_are_dropped)
{
    struct aw_object object;
    aw_object_start(&object, "x");
    for (int i = 0; i < AW_OBJECT_MAX * 2; i++)
        aw_object_add_number(&object, "a-key-that-is-longer-than-there-is-room-for-it-in-here", i,
                             0, NULL);
    assert_int_equal(object.n, AW_OBJECT_MAX);
    assert_true(object.entries[AW_OBJECT_MAX - 1].number == AW_OBJECT_MAX * 2 - 1);
    assert_true(object.entries[AW_OBJECT_MAX - 2].number == AW_OBJECT_MAX - 2);
    assert_true(strlen(as_json(&object, NULL)) < AW_OBJECT_TEXT);
}

TEST(overlong_texts_do_not_overrun_the_buffer)
{
    static char bells[5000];
    struct aw_object object;
    memset(bells, '\a', sizeof bells - 1);
    aw_object_start(&object, "x");
    for (int i = 0; i < AW_OBJECT_MAX; i++)
        aw_object_add_text(&object, i % 2 ? "a" : "group.b", bells);
    assert_in_range(strlen(as_json(&object, bells)), AW_OBJECT_TEXT / 2, AW_OBJECT_TEXT);
    assert_string_equal(text + strlen(text) - 3, "\"}\n");
    assert_in_range(strlen(as(&object, AW_STYLE_TEXT)), AW_OBJECT_TEXT / 2, AW_OBJECT_TEXT);
}

TEST(numbers_have_the_requested_decimals)
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
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        char wanted[64];
        aw_object_start(&object, "x");
        aw_object_add_number(&object, "n", rows[i].number, rows[i].decimals, NULL);
        snprintf(wanted, sizeof wanted, "{\"t\":1.5,\"cmd\":\"x\",\"ok\":true,\"n\":%s}\n",
                 rows[i].text);
        assert_string_equal(as_json(&object, NULL), wanted);
    }
    aw_object_start(&object, "x");
    aw_object_add_truth(&object, "yes", true);
    aw_object_add_truth(&object, "no", false);
    assert_string_equal(as(&object, AW_STYLE_TEXT), "x yes=true no=false\n");
}

TEST(absent_values_leave_empty_cells)
{
    struct aw_object object;
    aw_object_start(&object, "row");
    aw_object_add_number(&object, "a", 1, 0, "mm");
    aw_object_add_number(&object, "b", 2, 0, "mm");
    aw_object_clear_last(&object);
    aw_object_add_text(&object, "c", "text");
    aw_object_clear_last(&object);
    aw_object_add_number(&object, "d", (double)INFINITY, 0, "mm");
    aw_object_add_number(&object, "e", 3, 0, "deg");
    object.entries[object.n - 1].unit_after = "·s";
    aw_object_add_text(&object, "f", "x");
    object.entries[object.n - 1].unit = "V";
    aw_object_add_text(&object, "g", "[1,\"2\"]");
    object.entries[object.n - 1].is_json = true;
    assert_string_equal(as(&object, AW_STYLE_JSON),
                        "{\"a\":1,\"d\":null,\"e\":3,\"f\":\"x\",\"g\":[1,\"2\"]}\n");
    assert_string_equal(as(&object, AW_STYLE_CSV), "a,b,c,d,e,f,g\n1,,,,3,x,\"[1,\"\"2\"\"]\"\n");
    assert_string_equal(as(&object, AW_STYLE_TEXT),
                        "row a=1mm b=- c=- d=- e=3deg·s f=xV g=[1,\"2\"]\n");
}

/* Programs always get the details, users unless the object is brief. */
TEST(details_are_hidden_in_brief_text)
{
    struct aw_object object;
    struct aw_stats s = {.n = 3, .min = 1, .mean = 2, .p50 = 2, .p95 = 4, .p99 = 4, .max = 4};
    aw_object_start(&object, "play");
    aw_object_add_count(&object, "sent", 3);
    aw_object_add_stats_ms(&object, "late", &s);
    aw_object_add_count(&object, "a", 1);
    aw_object_add_count(&object, "b", 2);
    aw_object_mark_details(&object, object.n - 1);
    object.is_brief = true;
    assert_string_equal(as(&object, AW_STYLE_TEXT), "play sent=3 late_max_ms=4 a=1\n");
    assert_string_equal(as(&object, AW_STYLE_CSV),
                        "sent,late_min_ms,late_mean_ms,late_p50_ms,late_p95_ms,late_p99_ms,"
                        "late_max_ms,a,b\n3,1,2,2,4,4,4,1,2\n");
    aw_object_start(&object, "ping");
    aw_object_add_stats_ms(&object, NULL, &s);
    assert_false(object.is_brief);
    object.is_brief = true;
    assert_string_equal(as(&object, AW_STYLE_TEXT),
                        "ping min_ms=1 mean_ms=2 p50_ms=2 p95_ms=4 p99_ms=4 max_ms=4\n");
    aw_object_start(&object, "ping");
    aw_object_add_stats_ms(&object, NULL, &(struct aw_stats){0});
    assert_int_equal(object.n, 0);
}

TEST(keys_are_grouped_by_prefix)
{
    static const char *const keys[] = {"a.x", "n", "b.x", "a.y", "c", "b.y", "a.z"};
    struct aw_object object;
    aw_object_start(&object, "play");
    for (size_t i = 0; i < sizeof keys / sizeof *keys; i++)
        aw_object_add_count(&object, keys[i], i);
    aw_object_group(&object);
    assert_string_equal(
        as(&object, AW_STYLE_JSON),
        "{\"a\":{\"x\":0,\"y\":3,\"z\":6},\"n\":1,\"b\":{\"x\":2,\"y\":5},\"c\":4}\n");
}

TEST(nested_groups_become_nested_objects)
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
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        struct aw_object object;
        aw_object_start(&object, "x");
        for (int k = 0; k < 5 && rows[i].keys[k]; k++)
            aw_object_add_number(&object, rows[i].keys[k], k, 0, NULL);
        assert_string_equal(as(&object, AW_STYLE_JSON), rows[i].json);
    }
}

TEST(strings_are_escaped_and_invalid_utf8_becomes_question_marks)
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
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        *aw_write_json_string(text, rows[i].in, rows[i].max) = '\0';
        assert_string_equal(text, rows[i].out);
    }
}

TEST(format_fields_are_found_by_name)
{
    static const struct {
        const char *format, *out;
    } rows[] = {
        {"%{lknee.torque} %{rknee.torque}", "1 2\n"},
        {"%{torque}", "-\n"}, /* ambiguous */
        {"%{angle}", "3\n"},
        {"%{x}", "5\n"}, /* the exact name, not "m.x" */
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
    aw_object_start(&object, "x");
    aw_object_add_number(&object, "lknee.torque", 1, 0, "Nm");
    aw_object_add_number(&object, "rknee.torque", 2, 0, "Nm");
    aw_object_add_number(&object, "lknee.angle", 3, 0, "deg");
    aw_object_add_number(&object, "m.x", 4, 0, NULL);
    aw_object_add_number(&object, "x", 5, 0, NULL);
    aw_object_add_text(&object, "text", "some");
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        assert_string_equal(in_format(&object, rows[i].format), rows[i].out);
    }
}

static char letters[2 * AW_OBJECT_TEXT];

TEST(texts_are_truncated)
{
    struct aw_object object;
    memset(letters, 'x', sizeof letters - 1);
    aw_object_start(&object, "x");
    aw_object_add_text(&object, "a", letters);
    assert_int_equal(strlen(as_json(&object, NULL)),
                     strlen("{\"t\":1.5,\"cmd\":\"x\",\"ok\":true,\"a\":\"\"}\n") + 1000);
    aw_object_start(&object, "x");
    assert_int_equal(strlen(as_json(&object, letters)),
                     strlen("{\"t\":1.5,\"cmd\":\"x\",\"ok\":false,\"error\":\"limit\","
                            "\"exit\":6,\"why\":\"\"}\n") +
                         400);
    assert_int_equal(strlen(in_format(&object, letters)), AW_OBJECT_TEXT - 1024 + 1);
}

static void add_text(struct aw_object *object, bool list, size_t key, size_t length)
{
    const char *end = letters + sizeof letters - 1;
    aw_object_add_text(object, end - key, end - length);
    object->entries[object->n - 1].is_json = list;
}

/* Fills the object with texts whose characters each take width bytes: exactly the buffer, or one
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

TEST(output_that_just_fits_is_complete)
{
    static const struct {
        size_t width;
        enum aw_style style;
        bool list;
        char after; /* follows each key or value */
    } rows[] = {
        {6, AW_STYLE_JSON, false, ':'},
        {1, AW_STYLE_JSON, true, ':'},
        {2, AW_STYLE_CSV, false, ','},
        {1, AW_STYLE_TEXT, false, '='},
    };
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++)
        for (size_t fits = 0; fits < 2; fits++) {
            struct aw_object object;
            size_t n = 0;
            fill(&object, rows[i].width, rows[i].list, fits);
            for (const char *p = as(&object, rows[i].style); *p; p++)
                n += *p == rows[i].after || (*p == '\n' && rows[i].after == ',');
            assert_int_equal(n, (rows[i].after == ',' ? 2 : 1) * (object.n - !fits));
        }
}
