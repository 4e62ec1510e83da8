#include "protocol/unitysim/wire.h"

#include "wire_helper.h"

static struct aw_wire wire;

static void setup(void)
{
    aw_wire_init(&wire, &aw_unitysim_protocol, NULL, false);
}

TEST_WITH(setup, NULL, every_field_round_trips)
{
    check_protocol(&aw_unitysim_protocol);
    check_documented(&aw_unitysim_protocol);
}

TEST_WITH(setup, NULL, sizes_match_the_published_tables)
{
    static const size_t sizes[] = {45, 25, 43, 4, 35, 23};
    for (uint32_t code = 0; code < 6; code++)
        assert_int_equal(aw_frame_size(&wire, aw_find_code(&wire, AW_BOTH, code)), sizes[code]);
    assert_int_equal(aw_unitysim_protocol.frame_max, sizes[0]);
}

TEST_WITH(setup, NULL, compat38_sends_length_38)
{
    static struct aw_wire compat;
    char spec[AW_HEX_SIZE(64)], other[AW_HEX_SIZE(64)];
    struct aw_error err;
    aw_wire_init(&compat, &aw_unitysim_protocol,
                 aw_protocol_variant(&aw_unitysim_protocol, "compat38"), false);
    assert_int_equal(encode_text(&wire, AW_TX, "scene", "scene=1", spec, &err), AW_OK);
    assert_int_equal(encode_text(&compat, AW_TX, "scene", "scene=1", other, &err), AW_OK);
    assert_memory_equal(spec + 9, "28 01", 5);
    assert_memory_equal(other + 9, "26 01", 5);
    struct aw_record record;
    assert_int_equal(decode_text(&wire, AW_TX, other, &record, &err), AW_OK);
    assert_int_equal(decode_text(&compat, AW_TX, spec, &record, &err), AW_OK);
    assert_true(aw_record_get(&record, "scene") == 1);
}

TEST_WITH(setup, NULL, scene_defaults_are_valid)
{
    assert_encodes(&wire, "scene", "scene=basic",
                   "FF FF 00 28 01 1E 00 00 01 00 00 01 00 00 01 00 00 01 00 00 01 00 00 01 "
                   "04 04 01 0C A4 06 0A 0A 04 04 01 0C 16 03 00 0D 88 07 F0 0A 1B");
    assert_encodes(&wire, "control", "",
                   "FF FF 01 14 00 00 00 00 01 00 00 00 02 00 00 00 03 00 00 00 04 00 00 00 E0");
}

TEST_WITH(setup, NULL, limits_may_be_in_degrees)
{
    char ticks[AW_HEX_SIZE(64)], deg[AW_HEX_SIZE(64)];
    struct aw_error err = {0};
    assert_int_equal(
        encode_text(&wire, AW_TX, "update", "elbow.min=2048 elbow.max=2389", ticks, &err), AW_OK);
    if (encode_text(&wire, AW_TX, "update", "elbow.min=0deg elbow.max=30deg", deg, &err) != AW_OK)
        fail_msg("%s", err.text);
    assert_string_equal(ticks, deg);
}

TEST_WITH(setup, NULL, zero_is_positive_and_any_nonzero_sign_is_positive)
{
    struct aw_record record;
    struct aw_error err;
    uint8_t bytes[64] = {0xFF, 0xFF, 5, 18, 10, 0, 7, 10, 0, 0, 0, 0, 0};
    bytes[22] = aw_unitysim_protocol.checksum(bytes, 22);
    struct aw_span frame = {bytes, 23};
    assert_int_equal(aw_wire_decode(&wire, AW_RX, frame, &record, &err), AW_OK);
    assert_true(aw_record_get(&record, "x") == 10);
    assert_true(aw_record_get(&record, "camera.y") == -10);
    assert_true(aw_record_get(&record, "z") == 0);
}

TEST_WITH(setup, NULL, values_out_of_range_are_refused)
{
    assert_refused(&wire, "scene", "", AW_USAGE);
    assert_refused(&wire, "scene", "scene=0", AW_LIMIT);
    assert_refused(&wire, "scene", "scene=1 frame_rate=256", AW_LIMIT);
    assert_refused(&wire, "scene", "scene=1 x=65536", AW_LIMIT);
    assert_refused(&wire, "scene", "scene=1 x=1.5", AW_USAGE);
    assert_refused(&wire, "control", "elbow.velocity=1024", AW_LIMIT);
    assert_refused(&wire, "control", "elbow.state=4", AW_LIMIT);
    assert_refused(&wire, "control", "elbow.state=up", AW_USAGE);
    assert_refused(&wire, "update", "hand.max=65536", AW_LIMIT);
}

static const char *why_not(const uint8_t *bytes, size_t size)
{
    static struct aw_error err;
    struct aw_record record;
    assert_int_equal(aw_wire_decode(&wire, AW_RX, (struct aw_span){bytes, size}, &record, &err),
                     AW_MALFORMED);
    return err.text;
}

TEST_WITH(setup, NULL, dropped_datagrams_are_explained)
{
    assert_non_null(strstr(why_not((uint8_t[]){0xFF, 0xFF, 3, 0xFB}, 4), "FC expected, FB found"));
    assert_non_null(strstr(why_not((uint8_t[]){0xFF, 0xFE, 3, 0xFC}, 4), "header"));
    assert_non_null(strstr(why_not((uint8_t[]){0xFF, 0xFF, 3}, 3), "4 bytes"));
    assert_non_null(strstr(why_not((uint8_t[]){0xFF, 0xFF, 6, 0xF9}, 4), "unknown type 6"));
    assert_non_null(strstr(why_not((uint8_t[]){0xFF, 0xFF, 3, 0, 0xFC}, 5), "4 bytes"));
    assert_non_null(strstr(why_not((uint8_t[]){0xFF, 0xFF, 4, 30, 0}, 5), "35 bytes"));
}

TEST_WITH(setup, NULL, older_dialect_gets_a_hint)
{
    uint8_t bytes[25] = {0xFF, 0xFF, 1, 20, 0, 7, 0, 1};
    unsigned sum = 0;
    for (int i = 4; i < 24; i++)
        sum += bytes[i];
    bytes[24] = (uint8_t)~sum;
    assert_non_null(strstr(why_not(bytes, sizeof bytes), "VIPER"));
}

TEST_WITH(setup, NULL, joints_out_of_order_are_malformed)
{
    uint8_t bytes[25] = {0xFF, 0xFF, 1, 20, 1, 0, 0, 0, 0, 0, 0, 0, 2, 0, 0, 0, 3, 0, 0, 0, 4};
    bytes[24] = aw_unitysim_protocol.checksum(bytes, 24);
    assert_non_null(strstr(why_not(bytes, sizeof bytes), "id"));
}

TEST_WITH(setup, NULL, every_flipped_bit_is_detected)
{
    char hex[AW_HEX_SIZE(64)];
    uint8_t bytes[64];
    size_t size;
    struct aw_record record;
    struct aw_error err;
    assert_int_equal(encode_text(&wire, AW_RX, "camera", "x=-185 y=500 rx=66 ry=270", hex, &err),
                     AW_OK);
    assert_int_equal(
        aw_hex_parse(wire.protocol, hex, strlen(hex), bytes, sizeof bytes, &size, &err), AW_OK);
    for (size_t bit = 0; bit < size * 8; bit++) {
        bytes[bit / 8] ^= (uint8_t)(1u << bit % 8);
        struct aw_span frame = {bytes, size};
        assert_int_equal(aw_wire_decode(&wire, AW_RX, frame, &record, &err), AW_MALFORMED);
        bytes[bit / 8] ^= (uint8_t)(1u << bit % 8);
    }
}

/* Returns the number of frames in a stream read in pieces of this many bytes. */
static int frames_in(const uint8_t *stream, size_t size, size_t segment, uint64_t *skipped)
{
    struct aw_framer framer = {0};
    size_t at = 0, have = segment < size ? segment : size;
    int frames = 0;
    for (;;) {
        struct aw_span frame;
        size_t used;
        struct aw_error err;
        enum aw_status status = aw_wire_next(
            &wire, &framer, (struct aw_span){stream + at, have - at}, &frame, &used, &err);
        at += used;
        frames += status == AW_OK;
        if (status != AW_MORE)
            continue;
        if (have == size)
            break;
        have = have + segment < size ? have + segment : size;
    }
    *skipped = framer.skipped;
    return frames;
}

TEST_WITH(setup, NULL, stream_resynchronizes_after_garbage)
{
    static const uint8_t stream[] = {
        1,
        2,
        0xFF,
        0xFF,
        3,
        0xFC, /* garbage, request */
        0xFF,
        0xFF,
        3,
        0xFB, /* damaged */
        0xFF,
        0xFF,
        0xFF,
        3,
        0xFC, /* one FF too many */
        /* unknown type, request, first byte of a frame */
        0xFF,
        0xFF,
        9,
        0xFF,
        0xFF,
        3,
        0xFC,
        0xFF,
    };
    for (size_t segment = 1; segment <= sizeof stream; segment++) {
        uint64_t skipped;
        assert_int_equal(frames_in(stream, sizeof stream, segment, &skipped), 3);
        assert_int_equal(skipped, 2 + 4 + 1 + 3);
    }
}
