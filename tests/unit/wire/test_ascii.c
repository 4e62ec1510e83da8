#include "picture_helper.h"
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
static uint8_t bytes[FRAME_CAP];
static size_t size;

static void start(void)
{
    aw_wire_init(&wire, &protocol, NULL, false);
}

static enum aw_status decode(const void *line, size_t length)
{
    uint8_t *copy = heap_copy(line, length);
    err = (struct aw_error){.status = AW_OK};
    enum aw_status status = aw_decode(aw_wire_codec(&wire, "move", AW_RX),
                                      (struct aw_span){copy, length}, &record, &err);
    free(copy);
    return status;
}

/* Sets fields of a move, such as "seq=1 joint=2". */
static void begin(enum aw_dir dir, const char *fields)
{
    aw_record_init(&record, aw_wire_codec(&wire, "move", dir), dir);
    assert_ok(set_fields(&record, fields, &err), &err);
}

/* An encoded line is read back, and its parts are malformed. */
static void encode_case(enum aw_dir dir, const char *fields, FILE *out)
{
    begin(dir, fields);
    struct aw_record sent = record;
    size = print_encoded(out, &wire, &sent, bytes);
    if (size == 0)
        return;
    assert_int_equal(decode(bytes, size), AW_OK);
    for (int i = 0; i < sent.codec->n_scalars; i++)
        assert_true((isnan(sent.v[i]) && isnan(record.v[i])) || sent.v[i] == record.v[i]);
    for (size_t n = 0; n < size; n++)
        assert_int_equal(decode(bytes, n), AW_MALFORMED);
}

/* Prints the line of "tx fields" or "rx fields", the message of "any LINE", and the fields of
 * "move LINE", or the error. */
static void print_case(const char *input, size_t i, FILE *out)
{
    char line[64] = "";
    const char *rest = strchr(input, ' ') + 1;
    (void)i;
    unescape(rest, line);
    size_t length = strlen(line);
    if (input[1] == 'x') {
        encode_case(*input == 't' ? AW_TX : AW_RX, rest, out);
    } else if (*input == 'm') {
        if (decode(line, length) == AW_OK)
            print_fields(out, &record);
        fputs(err.text, out);
    } else {
        uint8_t *copy = heap_copy(line, length);
        enum aw_status status =
            aw_wire_decode(&wire, AW_RX, (struct aw_span){copy, length}, &record, &err);
        fputs(status == AW_OK ? record.codec->message->name : err.text, out);
        free(copy);
    }
    fputc('\n', out);
}

/* Only received lines may omit fields. One digit cannot hold two digits or a sign, so the line
 * would be misread: even if the range is forced, a value that does not fit is refused. */
TEST_WITH(start, NULL, lines_match_the_golden_file)
{
    expect_text_cases("lines-ascii.txt", print_case);
}

/* An omitted field has no value, whatever the record contained before. */
TEST_WITH(start, NULL, record_with_omitted_fields_is_sent_again)
{
    for (size_t i = 0; i < AW_MAX_SCALARS; i++)
        record.v[i] = 1e9;
    assert_int_equal(decode("2MOVE1,090\r\n", 12), AW_OK);
    assert_true(isnan(aw_record_get(&record, "far")));
    record.dir = AW_RX;
    assert_ok(aw_encode(&record, false, bytes, sizeof bytes, &size, &err), &err);
    assert_memory_equal(bytes, "2MOVE1,090\r\n", 12);
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
        assert_true(range.min == 0 && range.max == greatest[digits]);
    }
}

TEST_WITH(start, NULL, nan_and_infinity_are_refused)
{
    static const double values[] = {NAN, INFINITY, -INFINITY};
    EACH (value, values) {
        begin(AW_TX, "seq=0 joint=1 angle=2 far=3 more=4");
        record.v[aw_codec_find(record.codec, "angle")] = *value;
        assert_int_equal(aw_encode(&record, true, bytes, sizeof bytes, &size, &err), AW_USAGE);
        assert_has(err.text, "move: angle is not a finite number");
    }
}

TEST_WITH(start, NULL, short_buffers_are_not_overrun)
{
    begin(AW_TX, "seq=0 joint=1 angle=90 far=5 more=7");
    for (size_t cap = 0; cap < 20; cap++) {
        memset(bytes, 0xEE, sizeof bytes);
        assert_error(aw_encode(&record, false, bytes, cap, &size, &err), AW_LIMIT, &err,
                     "move: buffer too small for 20 bytes");
        for (size_t i = cap; i < sizeof bytes; i++)
            assert_int_equal(bytes[i], 0xEE);
    }
    assert_int_equal(aw_encode(&record, false, bytes, 20, &size, &err), AW_OK);
}
