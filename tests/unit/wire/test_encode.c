#include "wire_helper.h"

#include "picture_helper.h"
#include "protocols.h"
#include "sample_helper.h"

static struct aw_wire wire;
static struct aw_record record;
static struct aw_error err;
static uint8_t bytes[FRAME_CAP];
static size_t size;

static void start(void)
{
    aw_wire_init(&wire, &sample_protocol, NULL, false);
}

/* Sets fields in a new record of the message. The word "zeros" sets all of them to 0 first. */
static void begin(const char *message, const char *fields)
{
    aw_record_init(&record, aw_wire_codec(&wire, message, AW_TX), AW_TX);
    if (strncmp(fields, "zeros ", 6) == 0) {
        record.present = record.codec->masks.values;
        memset(record.v, 0, sizeof record.v);
        fields += 6;
    }
    assert_ok(set_fields(&record, fields, &err), &err);
}

static enum aw_status encode(bool force)
{
    err = (struct aw_error){.status = AW_OK};
    return aw_encode(&record, force, bytes, sizeof bytes, &size, &err);
}

static void print_case(const char *input, size_t i, FILE *out)
{
    char message[16];
    const char *fields = sample_case(&wire, input, message);
    (void)i;
    begin(message, fields);
    size_t length = print_encoded(out, &wire, &record, bytes);
    fputc('\n', out);
    for (size_t cap = 0; cap < length; cap++) { /* short buffers are not overrun */
        uint8_t *room = malloc(cap + 1);
        room[cap] = 0xEE;
        assert_int_equal(aw_encode(&record, false, room, cap, &size, &err), AW_LIMIT);
        assert_int_equal(room[cap], 0xEE);
        assert_has(err.text, "buffer too small for");
        free(room);
    }
}

/* The first frames are hand-computed. The usual text of the largest float is slightly larger, but
 * means the same. Raw mode uses wire numbers without names, limited only by the wire. */
TEST(frames_and_limits_match_the_golden_file)
{
    expect_text_cases("encoded-sample.txt", print_case);
}

/* NaN and infinity are refused even with force, in every field without "no data". */
TEST_WITH(start, NULL, nan_and_infinity_are_refused)
{
    static const double values[] = {NAN, INFINITY, -INFINITY};
    static const char *const fields[] = {"level", "kind", "colour", "guard", "speed"};
    EACH (field, fields)
        for (size_t v = 0; v < 3; v++) {
            begin("choice", "level=0 kind=2 way=none guard=1");
            record.v[aw_codec_find(record.codec, *field)] = values[v];
            assert_int_equal(encode(v % 2), AW_USAGE);
            assert_error_has(encode(true), AW_USAGE, &err, *field);
            assert_has(err.text, "is not a finite number");
        }
    begin("choice", "level=0 kind=2 way=none guard=1");
    record.v[aw_codec_find(record.codec, "way")] = INFINITY;
    assert_int_equal(encode(true), AW_USAGE);
    begin("groups", "n=1 j1.pos=0");
    record.v[aw_codec_find(record.codec, "j1.pos")] = NAN;
    assert_int_equal(encode(true), AW_USAGE);
    assert_has(err.text, "groups: base.position is not a finite number");
    record.v[aw_codec_find(record.codec, "n")] = NAN;
    assert_int_equal(encode(true), AW_USAGE);
}

/* 0.05 has no exact float; the nearest one is slightly larger. */
TEST_WITH(start, NULL, float_at_its_limit_round_trips)
{
    static const uint8_t frame[] = {0x45, 0x00, 0xCD, 0xCC, 0x4C, 0x3D, 0x00, 0x00};
    aw_wire_init(&wire, &aw_canpid_protocol, NULL, false);
    assert_int_equal(
        aw_wire_decode(&wire, AW_TX, (struct aw_span){frame, sizeof frame}, &record, &err), AW_OK);
    assert_int_equal(encode(false), AW_OK);
    assert_int_equal(size, sizeof frame);
    assert_memory_equal(bytes, frame, sizeof frame);
    aw_record_set(&record, "value", 0.0500001, &err);
    assert_int_equal(encode(false), AW_LIMIT);
}

/* The scale includes a fractional offset. */
TEST_WITH(start, NULL, decoded_values_encode_to_the_same_bytes)
{
    static const struct aw_field code[] = {{.name = "code", .type = AW_CODE, .bits = 8}, {0}};
    static const struct aw_field rows[] = {
        {.name = "heat", .type = AW_UINT, .bits = 16, .scale = 1, .offset = 273.15}, {0}};
    static const struct aw_message message = {
        .name = "warm", .dir = AW_TX, .code = 1, .fields = rows};
    static const struct aw_variant variants[] = {{.name = "warm", .head = code}, {0}};
    static const struct aw_protocol protocol = {.name = "warm",
                                                .messages = &message,
                                                .n_messages = 1,
                                                .variants = variants,
                                                .frames.frame_max = 3};
    aw_wire_init(&wire, &protocol, &variants[0], false);
    for (unsigned i = 0; i < 65536; i++) {
        const uint8_t in[] = {1, (uint8_t)i, (uint8_t)(i >> 8)};
        assert_int_equal(
            aw_wire_decode(&wire, AW_TX, (struct aw_span){in, sizeof in}, &record, &err), AW_OK);
        if (encode(false) != AW_OK)
            fail_msg("%u: %s", i, err.text);
        assert_memory_equal(bytes, in, sizeof in);
    }
    begin("warm", "heat=293.1500001");
    assert_int_equal(encode(false), AW_USAGE);
}

/* A field that is too large is refused, in every message of every tool; it never wraps. */
TEST_WITH(start, NULL, every_field_of_every_tool_has_a_limit)
{
    struct rng rng = {1};
    for (size_t p = 0; p < N_PROTOCOLS; p++) {
        aw_wire_init(&wire, protocols[p], NULL, false);
        for (size_t m = 0; m < protocols[p]->n_messages; m++) {
            const struct aw_codec *codec = aw_wire_codec_at(&wire, m);
            for (int i = 0; i < codec->n_scalars; i++) {
                if (!codec->scalars[i].has_value || codec->scalars[i].field->type == AW_TEXT)
                    continue;
                fill(&record, codec, AW_TX, &rng);
                record.v[i] = 1e300; /* even if the wire uses another unit */
                if (encode(false) != AW_LIMIT || encode(true) != AW_LIMIT)
                    fail_msg("%s: %s", codec->message->name, codec->scalars[i].field->name);
                record.v[i] = NAN;
                if (!codec->scalars[i].field->has_no_data && encode(true) != AW_USAGE)
                    fail_msg("%s: %s", codec->message->name, codec->scalars[i].field->name);
            }
        }
    }
}
