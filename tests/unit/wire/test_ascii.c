#include "wire_helper.h"

/* clang-format off */
static const struct aw_field head[] = {
    {.name = "seq", .type = AW_DIGITS, .digits = 1, .max = 3, .optional = true},
    {.name = "type", .type = AW_CODE},
    {0},
};
static const struct aw_field tail[] = {
    {.name = "CR", .type = AW_CONST, .constant = '\r'},
    {.name = "LF", .type = AW_CONST, .constant = '\n'},
    {0},
};
static const struct aw_field move[] = {
    {.name = "joint", .type = AW_DIGITS, .digits = 1, .max = 9},
    {.name = "angle", .type = AW_DIGITS, .digits = 3, .separator = ',', .min = -360, .max = 360},
    {.name = "far", .type = AW_DIGITS, .digits = 4, .separator = ';', .may_omit = true,
     .min = -9999,
     .max = 9999},
    {.name = "more", .type = AW_DIGITS, .digits = 2, .separator = ';', .may_omit = true},
    {0},
};
static const struct aw_message messages[] = {
    {.name = "move", .word = "MOVE", .dir = AW_BOTH, .fields = move, .help = "moves"},
    {.name = "nop", .word = "NOP", .dir = AW_BOTH, .help = "nothing"},
};
/* clang-format on */
static const struct aw_variant variants[] = {{.name = "ascii", .head = head, .tail = tail}, {0}};
static const struct aw_protocol protocol = {
    .name = "lines",
    .title = "lines",
    .messages = messages,
    .n_messages = 2,
    .variants = variants,
    .frames.frame_max = 40,
    .frames.ascii = true,
};

static struct aw_wire wire;
static struct aw_record record;
static struct aw_error err;
static uint8_t bytes[64];
static size_t size;

static void start(void)
{
    aw_wire_init(&wire, &protocol, NULL, false);
}

/* Values of seq, joint, angle, far and more; NAN: not set. */
static enum aw_status encode(const double values[5], enum aw_dir dir, bool force, size_t cap)
{
    static const char *const names[] = {"seq", "joint", "angle", "far", "more"};
    err = (struct aw_error){.status = AW_OK};
    aw_record_init(&record, aw_wire_codec(&wire, "move", AW_TX), dir);
    for (size_t i = 0; i < 5; i++)
        if (!isnan(values[i]))
            aw_record_set(&record, names[i], values[i], NULL);
    return aw_encode(&record, force, bytes, cap, &size, &err);
}

static enum aw_status decode(const char *line)
{
    size_t length = strlen(line);
    uint8_t *copy = malloc(length + 1);
    memcpy(copy, line, length);
    err = (struct aw_error){.status = AW_OK};
    enum aw_status status = aw_decode(aw_wire_codec(&wire, "move", AW_RX),
                                      (struct aw_span){copy, length}, &record, &err);
    free(copy);
    return status;
}

static const struct {
    double values[5];
    const char *line;
} written[] = {
    {{0, 1, 90, 5, 7}, "0MOVE1,090;0005;07\r\n"},
    {{3, 9, -90, -5, 99}, "3MOVE9,-090;-0005;99\r\n"},
    {{NAN, 0, 0, 0, 0}, "0MOVE0,000;0000;00\r\n"},
    {{1, 2, 360, 9999, 1}, "1MOVE2,360;9999;01\r\n"},
    {{1, 2, -360, -9999, 1}, "1MOVE2,-360;-9999;01\r\n"},
};

TEST_WITH(start, NULL, fields_are_padded_to_their_width)
{
    EACH (row, written) {
        if (encode(row->values, AW_TX, false, sizeof bytes) != AW_OK)
            fail_msg("%s: %s", row->line, err.text);
        assert_int_equal(size, strlen(row->line));
        assert_memory_equal(bytes, row->line, size);
        assert_int_equal(decode(row->line), AW_OK);
        for (size_t n = 0; n < 5; n++)
            assert_true(isnan(row->values[n]) || record.v[n ? n + 1 : 0] == row->values[n]);
        for (size_t n = 0; n < size; n++) {
            char part[32];
            snprintf(part, n + 1, "%s", row->line);
            assert_int_equal(decode(part), AW_MALFORMED);
        }
    }
}

TEST_WITH(start, NULL, only_received_lines_may_omit_fields)
{
    static const double some[5] = {2, 1, 90, NAN, NAN};
    assert_int_equal(encode(some, AW_TX, false, sizeof bytes), AW_USAGE);
    assert_has(err.text, "move: far is missing — give far=VALUE");
    assert_int_equal(encode(some, AW_RX, false, sizeof bytes), AW_OK);
    assert_int_equal(size, 12);
    assert_memory_equal(bytes, "2MOVE1,090\r\n", 12);
}

/* An omitted field has no value, whatever the record contained before. */
TEST_WITH(start, NULL, record_with_omitted_fields_is_sent_again)
{
    for (size_t i = 0; i < AW_MAX_SCALARS; i++)
        record.v[i] = 1e9;
    assert_int_equal(decode("2MOVE1,090\r\n"), AW_OK);
    record.dir = AW_RX;
    assert_ok(aw_encode(&record, false, bytes, sizeof bytes, &size, &err), &err);
    assert_memory_equal(bytes, "2MOVE1,090\r\n", 12);
}

/* One digit cannot hold two digits or a sign, so the line would be misread. If the range is
 * forced, a value that does not fit is still refused. */
TEST_WITH(start, NULL, limits_hold_unless_forced)
{
    static const struct {
        double values[5];
        const char *plain, *forced; /* error; NULL: encoded */
    } rows[] = {
        {{4, 1, 0, 0, 0}, "seq 4 is out of range (0 to 3", NULL},
        {{10, 1, 0, 0, 0}, "seq 10 is out of range (0 to 3", "seq 10 does not fit into 1 digit"},
        {{0, 10, 0, 0, 0},
         "joint 10 is out of range (0 to 9",
         "joint 10 does not fit into 1 digit"},
        {{0, -1, 0, 0, 0},
         "joint -1 is out of range (0 to 9",
         "joint -1 does not fit into 1 digit"},
        {{0, 1, 361, 0, 0}, "angle 361 is out of range (-360 to 360", NULL},
        {{0, 1, -9999, 0, 0}, "angle -9999 is out of range (-360 to 360", NULL},
        {{0, 1, 10000, 0, 0},
         "angle 10000 is out of range",
         "angle 10000 does not fit into 4 digits"},
        {{0, 1, 1e300, 0, 0}, "angle 1e+300 is out of range", "angle 1e+300 does not fit"},
        {{0, 1, 0, -10000, 0},
         "far -10000 is out of range (-9999 to 9999",
         "far -10000 does not fit"},
        {{0, 1, 0, 0, 100}, "more 100 is out of range (0 to 99", NULL},
        {{0, 1, 0, 0, -10000},
         "more -10000 is out of range (0 to 99",
         "more -10000 does not fit into 4"},
        {{0, 1, 0.5, 0, 0}, "angle 0.5 is not a whole number", "angle 0.5 is not a whole number"},
    };
    EACH (row, rows) {
        bool whole = row->values[2] != 0.5;
        assert_int_equal(encode(row->values, AW_TX, false, sizeof bytes),
                         whole ? AW_LIMIT : AW_USAGE);
        assert_has(err.text, row->plain);
        enum aw_status forced = encode(row->values, AW_TX, true, sizeof bytes);
        if (forced != (!row->forced ? AW_OK : whole ? AW_LIMIT : AW_USAGE))
            fail_msg("%s, forced: %d", row->plain, forced);
        if (row->forced) {
            assert_has(err.text, row->forced);
            continue;
        }
        bytes[size] = '\0';
        assert_int_equal(decode((const char *)bytes), AW_OK);
        assert_true(aw_record_get(&record, "angle") == row->values[2]);
        assert_true(aw_record_get(&record, "joint") == row->values[1]);
    }
}

/* Without limits in the table, the maximum is all nines. */
TEST_WITH(start, NULL, digits_limit_the_range)
{
    static const double greatest[] = {0, 9, 99, 999, 9999};
    for (uint8_t digits = 1; digits <= 4; digits++) {
        const struct aw_field rows[] = {{.name = "x", .type = AW_DIGITS, .digits = digits}, {0}};
        const struct aw_message message = {.name = "m", .word = "M", .dir = AW_TX, .fields = rows};
        static struct aw_codec codec;
        assert_int_equal(aw_codec_init(&codec, &protocol, &variants[0], &message, false), AW_OK);
        struct aw_range range = aw_scalar_range(&codec, aw_codec_find(&codec, "x"), NULL);
        assert_true(range.min == 0);
        assert_true(range.max == greatest[digits]);
    }
}

TEST_WITH(start, NULL, nan_and_infinity_are_refused)
{
    static const double values[] = {NAN, INFINITY, -INFINITY};
    static const double good[5] = {0, 1, 2, 3, 4};
    for (size_t i = 0; i < 3; i++) {
        assert_int_equal(encode(good, AW_TX, false, sizeof bytes), AW_OK);
        record.v[aw_codec_find(record.codec, "angle")] = values[i];
        assert_int_equal(aw_encode(&record, true, bytes, sizeof bytes, &size, &err), AW_USAGE);
        assert_has(err.text, "move: angle is not a finite number");
    }
}

TEST_WITH(start, NULL, short_buffers_are_not_overrun)
{
    for (size_t cap = 0; cap < 20; cap++) {
        memset(bytes, 0xEE, sizeof bytes);
        assert_error(encode(written[0].values, AW_TX, false, cap), AW_LIMIT, &err,
                     "move: buffer too small for 20 bytes");
        for (size_t i = cap; i < sizeof bytes; i++)
            assert_int_equal(bytes[i], 0xEE);
    }
    assert_int_equal(encode(written[0].values, AW_TX, false, 20), AW_OK);
}

static const struct {
    const char *line;
    double angle;
} read_lines[] = {
    {"0MOVE1,90;1;1\r\n", 90},
    {"0MOVE1,0090;0001;1\r\n", 90},
    {"0MOVE1,-1;-1;1\r\n", -1},
    {"0MOVE1,9999;9999;1\r\n", 9999},
    {"0MOVE1,-9999;1;1\r\n", -9999},
    {"0MOVE1,5;1\r\n", 5},
    {"0MOVE1,5\r\n", 5},
    {"9MOVE1,-0\r\n", 0},
};

TEST_WITH(start, NULL, unpadded_and_signed_numbers_are_read)
{
    EACH (row, read_lines) {
        if (decode(row->line) != AW_OK)
            fail_msg("%s: %s", row->line, err.text);
        assert_true(aw_record_get(&record, "angle") == row->angle);
    }
    assert_true(isnan(aw_record_get(&record, "far")));
}

static const struct {
    const char *line, *error;
} broken[] = {
    {"", "move: expected seq at byte 0"},
    {"xMOVE1,90\r\n", "move: expected seq at byte 0"},
    {"-MOVE1,90\r\n", "move: expected seq at byte 0"},
    {"00MOVE1,90\r\n", "move: expected type at byte 1"},
    {"0MOVX1,90\r\n", "move: expected type at byte 1"},
    {"0move1,90\r\n", "move: expected type at byte 1"},
    {"0MOVE,90\r\n", "move: expected joint at byte 5"},
    {"0MOVE12,90\r\n", "move: expected angle at byte 6"},
    {"0MOVE1;90\r\n", "move: expected angle at byte 6"},
    {"0MOVE1,\r\n", "move: expected angle at byte 6"},
    {"0MOVE1,-\r\n", "move: expected angle at byte 6"},
    {"0MOVE1,+5\r\n", "move: expected angle at byte 6"},
    {"0MOVE1, 5\r\n", "move: expected angle at byte 6"},
    {"0MOVE1,12345\r\n", "move: expected far at byte 11"},
    {"0MOVE1,1.5\r\n", "move: expected far at byte 8"},
    {"0MOVE1,1;\r\n", "move: expected far at byte 8"},
    {"0MOVE1,1;1;1;1\r\n", "move: expected CR at byte 12"},
    {"0MOVE1,1\n", "move: expected far at byte 8"},
    {"0MOVE1,1\r", "move: expected LF at byte 9"},
    {"0MOVE1,1\r\n\n", "move: extra bytes at the end (1) — remove them"},
    {"0MOVE1,1\r\n0MOVE1,1\r\n", "move: extra bytes at the end (10) — remove them"},
};

TEST_WITH(start, NULL, malformed_lines_report_the_column)
{
    EACH (row, broken) {
        assert_error(decode(row->line), AW_MALFORMED, &err, row->error);
    }
}

/* Identifies a line by its word if the protocol has no other rule. */
TEST_WITH(start, NULL, line_is_identified_by_its_first_word)
{
    static const struct {
        const char *line, *message;
    } rows[] = {
        {"0NOP\r\n", "nop"},
        {"0MOVE1,090\r\n", "move"},
        {"0MOVX1,090\r\n", NULL},
        {"0NO", NULL},
        {"0NOP", NULL},
        {"NOP\r\n", NULL},
        {"", NULL},
    };
    EACH (row, rows) {
        size_t length = strlen(row->line);
        uint8_t *copy = malloc(length + 1);
        memcpy(copy, row->line, length);
        enum aw_status status =
            aw_wire_decode(&wire, AW_RX, (struct aw_span){copy, length}, &record, &err);
        free(copy);
        assert_int_equal(status, row->message ? AW_OK : AW_MALFORMED);
        if (row->message)
            assert_string_equal(record.codec->message->name, row->message);
        else if (strcmp(row->line, "0NOP") == 0)
            assert_has(err.text, "nop: expected CR at byte 4");
        else
            assert_has(err.text, "not a lines message from the device");
    }
}
