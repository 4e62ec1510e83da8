#include "wire_helper.h"

#include "picture_helper.h"
#include "sample_helper.h"

static struct aw_wire wire;
static struct aw_record record;
static struct aw_error err;

static void start(void)
{
    aw_wire_init(&wire, &sample_protocol, NULL, false);
}

static void begin(const char *message)
{
    aw_record_init(&record, aw_wire_codec(&wire, message, AW_TX), AW_TX);
    err = (struct aw_error){.status = AW_OK};
}

static void assert_says(const char *part)
{
    if (!strstr(err.text, part))
        fail_msg("'%s' does not say '%s'", err.text, part);
}

TEST_WITH(start, NULL, new_record_has_its_defaults)
{
    begin("choice");
    assert_true(record.time_ns == AW_NO_TIME);
    assert_int_equal(record.dir, AW_TX);
    assert_true(aw_record_get(&record, "speed") == 0.5);
    assert_true(aw_record_get(&record, "colour") == 2);
    assert_true(isnan(aw_record_get(&record, "level")));
    assert_true(isnan(aw_record_get(&record, "nothing")));
    assert_string_equal(record.text, "");
    begin("groups");
    assert_true(aw_record_get(&record, "left.state") == 0);
    assert_true(isnan(aw_record_get(&record, "left.spare")));
}

TEST_WITH(start, NULL, fields_are_set_from_numbers)
{
    static const double no_numbers[] = {NAN, INFINITY, -INFINITY};
    begin("groups");
    assert_int_equal(aw_record_set(&record, "j3.pos", -12.5, &err), AW_OK);
    assert_true(aw_record_get(&record, "hand.position") == -12.5);
    assert_true(isnan(aw_record_get(&record, "base.position")));
    /* aw_encode refuses it later */
    assert_int_equal(aw_record_set(&record, "n", 1e6, &err), AW_OK);
    for (size_t i = 0; i < 3; i++) {
        assert_int_equal(aw_record_set(&record, "hand.position", no_numbers[i], &err), AW_USAGE);
        assert_says("groups: hand.position must be a finite number");
    }
    assert_true(aw_record_get(&record, "hand.position") == -12.5);
}

TEST_WITH(start, NULL, unknown_fields_get_advice)
{
    static const struct {
        const char *message, *name, *part;
    } rows[] = {
        {"groups", "elbow.positoin", "did you mean 'elbow.position'?"},
        {"groups", "qqqqqqqqq", "see 'describe groups'"},
        {"groups", "position", "groups has no field 'position'"},
        {"short", "x", "short has no field 'x' — see 'describe short'"},
        {"bits", "", "bits has no field ''"},
    };
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        begin(rows[i].message);
        assert_int_equal(aw_record_set(&record, rows[i].name, 1, &err), AW_USAGE);
        assert_says(rows[i].part);
        assert_int_equal(aw_record_set_text(&record, rows[i].name, "1", &err), AW_USAGE);
        assert_true(record.present == 0 || strcmp(rows[i].message, "groups") == 0);
    }
}

static const struct {
    const char *message, *field, *text;
    double value;
} good[] = {
    {"numbers", "u8", "12", 12},
    {"numbers", "u8", "0x1F", 31},
    {"numbers", "s32", "-1e3", -1000},
    {"numbers", "float", "-.5", -0.5},
    {"numbers", "u8", "999", 999}, /* aw_encode refuses it later */
    {"numbers", "u8", "1.5", 1.5},
    {"groups", "elbow.position", "45", 45},
    {"groups", "elbow.position", "-45deg", -45},
    {"groups", "elbow.position", "0.5rev", 180},
    {"groups", "left.state", "on", 1},
    {"groups", "left.state", "1", 1},
    {"choice", "kind", "angle", 1},
    {"choice", "colour", "green", 2},
    {"choice", "kind", "ang", 1},
    {"choice", "colour", "17", 17},
    {"choice", "way", "5cm", 50},
    {"choice", "speed", "500mm/s", 0.5},
};

TEST_WITH(start, NULL, fields_are_set_from_text)
{
    for (size_t i = 0; i < sizeof good / sizeof *good; i++) {
        begin(good[i].message);
        if (aw_record_set_text(&record, good[i].field, good[i].text, &err) != AW_OK)
            fail_msg("%s=%s: %s", good[i].field, good[i].text, err.text);
        double value = aw_record_get(&record, good[i].field);
        if (fabs(value - good[i].value) > 1e-9)
            fail_msg("%s=%s: %.17g", good[i].field, good[i].text, value);
    }
}

static const struct {
    const char *message, *field, *text;
    enum aw_status status;
    const char *part;
} bad[] = {
    {"numbers", "u8", "", AW_USAGE, "u8: empty"},
    {"numbers", "u8", "4O", AW_USAGE, "u8: '4O'"},
    {"numbers", "u8", "5mm", AW_USAGE, "no unit is needed here"},
    {"numbers", "u8", "none", AW_USAGE, "u8: 'none' is not a number"},
    {"numbers", "float", "nan", AW_USAGE, "float: 'nan' is not a number"},
    {"numbers", "float", "inf", AW_USAGE, "float: 'inf'"},
    {"numbers", "float", "1e999", AW_USAGE, "too large"},
    {"groups", "j2.pos", "5mm", AW_USAGE, "j2.pos: '5mm': 'mm' is the wrong unit — use deg"},
    {"groups", "elbow.position", "5frob", AW_USAGE, "unknown unit 'frob'"},
    {"groups", "left.state", "onn", AW_USAGE, "did you mean 'on'? (off, on)"},
    {"groups", "left.state", "sideways", AW_USAGE,
     "left.state: no 'sideways' — use one of off, on"},
    {"groups", "left.state", "On", AW_USAGE, "did you mean 'on'?"},
    {"choice", "colour", "blue", AW_USAGE, "use one of red, green"},
    {"choice", "colour", "gr", AW_USAGE, "did you mean 'green'?"},
    {"text", "body", "123456789", AW_LIMIT, "body: '123456789' is longer than 8 characters"},
};

TEST_WITH(start, NULL, invalid_text_is_reported)
{
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
        begin(bad[i].message);
        uint64_t present = record.present;
        enum aw_status status = aw_record_set_text(&record, bad[i].field, bad[i].text, &err);
        if (status != bad[i].status)
            fail_msg("%s=%s: status %d", bad[i].field, bad[i].text, status);
        assert_int_equal(err.status, status);
        assert_says(bad[i].part);
        assert_true(record.present == present);
    }
}

/* ---- Names of a made-up message, and errors of unknown ones ---- */

static const struct aw_name gaits[] = {{1, "stand"}, {2, "start"}, {3, "walk"}, {4, "run"}, {0}};
static const struct aw_name many[] = {{1, "a-rather-long-name-of-a-value-01"},
                                      {2, "a-rather-long-name-of-a-value-02"},
                                      {3, "a-rather-long-name-of-a-value-03"},
                                      {4, "a-rather-long-name-of-a-value-04"},
                                      {5, "a-rather-long-name-of-a-value-05"},
                                      {6, "a-rather-long-name-of-a-value-06"},
                                      {0}};
static const struct aw_special off = {.wire = 5, .text = "off"};
static const struct aw_field word_rows[] = {
    {.name = "gait", .type = AW_UINT, .bits = 8, .names = gaits},
    {.name = "open", .type = AW_UINT, .bits = 8, .names = gaits, .open_names = true},
    {.name = "many", .type = AW_UINT, .bits = 8, .names = many},
    {.name = "level",
     .type = AW_SINT,
     .bits = 16,
     .scale = 0.5,
     .offset = 1,
     .unit = "deg",
     .special = &off},
    {.name = "ticks", .type = AW_UINT, .bits = 16, .unit = "tick"},
    {.name = "plain", .type = AW_UINT, .bits = 16},
    {.name = "real", .type = AW_FLOAT, .bits = 32, .unit = "mm"},
    {.name = "digits", .type = AW_DIGITS, .digits = 3, .unit = "deg"},
    {.name = "missing", .type = AW_SINT, .bits = 8, .has_no_data = true, .no_data = -1},
    {.name = "text", .type = AW_TEXT, .bits = 32},
    {0}};
static const struct aw_message word_message = {.name = "words", .dir = AW_TX, .fields = word_rows};

TEST_WITH(start, NULL, names_may_be_abbreviated_if_unique)
{
    static const struct {
        const char *field, *text;
    } rows[] = {
        {"gait", "stand"},
        {"gait", "sta"},
        {"gait", "star"},
        {"gait", "st"},
        {"gait", "wa"},
        {"gait", "wal"},
        {"gait", "walks"},
        {"gait", "1"},
        {"gait", "Walk"},
        {"gait", "hop"},
        {"gait", ""},
        {"gait", "none"},
        {"open", "walk"},
        {"open", "wal"},
        {"open", "17"},
        {"open", "1.5"},
        {"many", "xyz"},
        {"many", "a-rather-long-name-of-a-value-6"},
        {"level", "off"},
        {"level", "of"},
        {"level", "10"},
        {"level", "0.5rev"},
        {"level", "none"},
        {"ticks", "30deg"},
        {"ticks", "0.5"},
        {"ticks", "0.5tick"},
        {"ticks", "1mm"},
        {"plain", "7"},
        {"plain", "7.5"},
        {"plain", "7%"},
        {"plain", "700%"},
        {"plain", "7mm"},
        {"real", "1.25cm"},
        {"real", "1.25"},
        {"digits", "0.01rev"},
        {"missing", "none"},
        {"missing", "null"},
        {"missing", "nul"},
        {"text", "abcd"},
        {"text", "abcde"},
        {"other", "1"},
        {"plan", "1"},
        {"a-name-that-is-so-long-that-it-is-cut-in-a-message", "1"},
    };
    static struct aw_codec codec;
    FILE *out = begin_picture();
    for (size_t i = 0; i < 2 * sizeof rows / sizeof *rows; i++) {
        const char *field = rows[i / 2].field, *words = rows[i / 2].text;
        assert_int_equal(
            aw_codec_init(&codec, &sample_protocol, &sample_variants[0], &word_message, i % 2),
            AW_OK);
        aw_record_init(&record, &codec, AW_TX);
        err = (struct aw_error){.text = ""};
        enum aw_status status = aw_record_set_text(&record, field, words, &err);
        int scalar = aw_codec_find(&codec, field);
        fprintf(out, "%s%s='%s': ", i % 2 ? "\traw " : "", field, words);
        if (status != AW_OK)
            fprintf(out, "%d %s\n", status, err.text);
        else
            fprintf(out, "%.12g %s%s\n", record.v[scalar], record.text,
                    record.present == UINT64_C(1) << scalar ? "" : " and others");
        assert_true(status == AW_OK || record.present == 0);
    }
    end_picture(out, "words-sample.txt");
}

TEST_WITH(start, NULL, none_and_null_mean_no_data)
{
    static const char *const words[] = {"none", "null"};
    for (size_t i = 0; i < 2; i++) {
        begin("choice");
        assert_int_equal(aw_record_set_text(&record, "way", words[i], &err), AW_OK);
        assert_true(record.present >> aw_codec_find(record.codec, "way") & 1);
        assert_true(isnan(aw_record_get(&record, "way")));
    }
}

TEST_WITH(start, NULL, texts_longer_than_the_field_are_refused)
{
    begin("text");
    assert_int_equal(aw_record_set_text(&record, "body", "12345678", &err), AW_OK);
    assert_string_equal(record.text, "12345678");
    assert_int_equal(aw_record_set_text(&record, "body", "123456789", &err), AW_LIMIT);
    assert_string_equal(record.text, "12345678");
    assert_int_equal(aw_record_set_text(&record, "body", "", &err), AW_OK);
    assert_string_equal(record.text, "");
}

TEST_WITH(start, NULL, raw_values_have_no_names_and_no_units)
{
    aw_wire_init(&wire, &sample_protocol, NULL, true);
    begin("choice");
    assert_int_equal(aw_record_set_text(&record, "kind", "angle", &err), AW_USAGE);
    assert_int_equal(aw_record_set_text(&record, "way", "5mm", &err), AW_USAGE);
    assert_int_equal(aw_record_set_text(&record, "way", "-32768", &err), AW_OK);
    assert_true(aw_record_get(&record, "way") == -32768);
}

/* Ticks have no fractions: other units are rounded to the nearest tick, a value in ticks is
 * unchanged. */
TEST_WITH(start, NULL, other_units_are_rounded_to_whole_steps)
{
    static const struct aw_field rows[] = {
        {.name = "x", .type = AW_UINT, .bits = 16, .unit = "mm"},
        {0},
    };
    static const struct aw_message message = {.name = "m", .dir = AW_TX, .fields = rows};
    static const struct {
        const char *text;
        double value;
    } cases[] = {{"0.00123m", 1}, {"0.0017m", 2}, {"1.7mm", 1.7}, {"1.7", 1.7}, {"2cm", 20}};
    static struct aw_codec codec;
    aw_codec_init(&codec, &sample_protocol, &sample_variants[0], &message, false);
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        aw_record_init(&record, &codec, AW_TX);
        assert_int_equal(aw_record_set_text(&record, "x", cases[i].text, &err), AW_OK);
        assert_true(aw_record_get(&record, "x") == cases[i].value);
    }
}

TEST_WITH(start, NULL, pairs_may_come_in_any_order)
{
    static const struct aw_pair orders[][2] = {
        {{"kind", "angle"}, {"level", "0.25rev"}},
        {{"level", "0.25rev"}, {"kind", "angle"}},
    };
    for (size_t i = 0; i < 2; i++) {
        begin("choice");
        if (aw_record_set_pairs(&record, orders[i], 2, &err) != AW_OK)
            fail_msg("%s", err.text);
        assert_true(fabs(aw_record_get(&record, "level") - 90) < 1e-9);
    }
    begin("choice");
    assert_int_equal(aw_record_set_pairs(&record, NULL, 0, &err), AW_OK);
}

TEST_WITH(start, NULL, first_invalid_pair_is_reported)
{
    static const struct aw_pair pairs[] = {
        {"level", "10deg"}, {"guard", "3"}, {"kind", "distance"}, {"frob", "1"}, {"way", "1"}};
    begin("choice");
    assert_int_equal(aw_record_set_pairs(&record, pairs, 5, &err), AW_USAGE);
    assert_says("frob");
    assert_true(isnan(aw_record_get(&record, "way")));
    begin("choice");
    assert_int_equal(aw_record_set_pairs(&record, pairs, 3, &err), AW_USAGE);
    assert_says("level: '10deg': 'deg' is the wrong unit — use mm");
}

TEST_WITH(start, NULL, missing_field_is_named)
{
    static const struct {
        const char *message, *set, *missing;
    } rows[] = {
        {"numbers", NULL, "numbers: u8 is missing — give u8=VALUE"},
        {"groups", NULL, "groups: n is missing"},
        {"groups", "n", "groups: base.position is missing — give base.position=VALUE"},
        {"choice", "level", "choice: kind is missing"},
        {"text", "id", "text: body is missing"},
    };
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        begin(rows[i].message);
        if (rows[i].set)
            assert_int_equal(aw_record_set(&record, rows[i].set, 2, &err), AW_OK);
        assert_int_equal(aw_record_complete(&record, &err), AW_USAGE);
        assert_says(rows[i].missing);
    }
    begin("short");
    assert_int_equal(aw_record_complete(&record, &err), AW_OK);
}

/* n is 2, so the third repetition may be missing. */
TEST_WITH(start, NULL, uncounted_repetitions_may_be_missing)
{
    begin("groups");
    aw_record_set(&record, "n", 2, NULL);
    aw_record_set(&record, "base.position", 1, NULL);
    assert_int_equal(aw_record_complete(&record, &err), AW_USAGE);
    assert_says("elbow.position");
    aw_record_set(&record, "elbow.position", 1, NULL);
    assert_int_equal(aw_record_complete(&record, &err), AW_OK);
}
