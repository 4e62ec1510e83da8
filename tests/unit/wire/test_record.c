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
    /* aw_encode() refuses it later. */
    assert_int_equal(aw_record_set(&record, "n", 1e6, &err), AW_OK);
    for (size_t i = 0; i < 3; i++) {
        assert_int_equal(aw_record_set(&record, "hand.position", no_numbers[i], &err), AW_USAGE);
        assert_has(err.text, "groups: hand.position must be a finite number");
    }
    assert_true(aw_record_get(&record, "hand.position") == -12.5);
}

/* ---- Names of a made-up message, and errors of unknown names ---- */

static const struct aw_name gaits[] = {{1, "stand"}, {2, "start"}, {3, "walk"}, {4, "run"}, {0}};
static const struct aw_name many[] = {{1, "a-rather-long-name-of-a-value-01"},
                                      {2, "a-rather-long-name-of-a-value-02"},
                                      {3, "a-rather-long-name-of-a-value-03"},
                                      {4, "a-rather-long-name-of-a-value-04"},
                                      {5, "a-rather-long-name-of-a-value-05"},
                                      {6, "a-rather-long-name-of-a-value-06"},
                                      {0}};
static const struct aw_special off = {.wire = 5, .text = "off"};
/* clang-format off */
static const struct aw_field word_rows[] = {
    {.name = "gait", .type = AW_UINT, .bits = 8, .names = gaits},
    {.name = "open", .type = AW_UINT, .bits = 8, .names = gaits, .open_names = true},
    {.name = "many", .type = AW_UINT, .bits = 8, .names = many},
    {.name = "level", .type = AW_SINT, .bits = 16, .scale = 0.5, .offset = 1, .unit = "deg",
     .special = &off},
    {.name = "ticks", .type = AW_UINT, .bits = 16, .unit = "tick"},
    {.name = "plain", .type = AW_UINT, .bits = 16},
    {.name = "real", .type = AW_FLOAT, .bits = 32, .unit = "mm"},
    {.name = "digits", .type = AW_DIGITS, .digits = 3, .unit = "deg"},
    {.name = "missing", .type = AW_SINT, .bits = 8, .has_no_data = true, .no_data = -1},
    {.name = "text", .type = AW_TEXT, .bits = 32},
    {0},
};
/* clang-format on */
static const struct aw_message word_message = {.name = "words", .dir = AW_TX, .fields = word_rows};

/* Prints the value of FIELD=TEXT or its error, with and without units. */
static void print_set(const char *input, size_t i, FILE *out)
{
    static struct aw_codec codec;
    char field[64];
    (void)i;
    size_t length = strcspn(input, "=");
    snprintf(field, sizeof field, "%.*s", (int)length, input);
    for (int raw = 0; raw < 2; raw++) {
        assert_int_equal(
            aw_codec_init(&codec, &sample_protocol, &sample_variants[0], &word_message, raw),
            AW_OK);
        aw_record_init(&record, &codec, AW_TX);
        err = (struct aw_error){.text = ""};
        enum aw_status status = aw_record_set_text(&record, field, input + length + 1, &err);
        int scalar = aw_codec_find(&codec, field);
        fputs(raw ? "; raw: " : "", out);
        if (status != AW_OK)
            fprintf(out, "%d %s", status, err.text);
        else
            fprintf(out, "%.12g %s%s", record.v[scalar], record.text,
                    record.present == UINT64_C(1) << scalar ? "" : " and others");
        assert_true(status == AW_OK || record.present == 0);
        assert_int_equal(err.status, status);
    }
    fputc('\n', out);
}

TEST_WITH(start, NULL, fields_are_set_from_text)
{
    expect_cases("words-sample.txt", print_set);
}

TEST_WITH(start, NULL, first_invalid_pair_is_reported)
{
    static const struct aw_pair pairs[] = {
        {"level", "10deg"}, {"guard", "3"}, {"kind", "distance"}, {"frob", "1"}, {"way", "1"}};
    begin("choice");
    assert_error_has(aw_record_set_pairs(&record, pairs, 5, &err), AW_USAGE, &err, "frob");
    assert_true(isnan(aw_record_get(&record, "way")));
    begin("choice");
    assert_int_equal(aw_record_set_pairs(&record, pairs, 3, &err), AW_USAGE);
    assert_has(err.text, "level: '10deg': wrong unit 'deg' — use mm");
}
