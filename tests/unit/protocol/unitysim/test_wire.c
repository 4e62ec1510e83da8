/* Tests properties not covered by tests/golden/unitysim.txt, which has bytes, units, names and
 * limits. */
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
        assert_int_equal(aw_frame_size(&wire, aw_find_by_code(&wire, AW_BOTH, code)), sizes[code]);
    assert_int_equal(aw_unitysim_protocol.frames.frame_max, sizes[0]);
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
    assert_has(why_not((uint8_t[]){0xFF, 0xFF, 3, 0xFB}, 4), "FC expected, FB found");
    assert_has(why_not((uint8_t[]){0xFF, 0xFE, 3, 0xFC}, 4), "header");
    assert_has(why_not((uint8_t[]){0xFF, 0xFF, 3}, 3), "4 bytes");
    assert_has(why_not((uint8_t[]){0xFF, 0xFF, 6, 0xF9}, 4), "unknown type 6");
    assert_has(why_not((uint8_t[]){0xFF, 0xFF, 3, 0, 0xFC}, 5), "4 bytes");
    assert_has(why_not((uint8_t[]){0xFF, 0xFF, 4, 30, 0}, 5), "35 bytes");
    /* joints out of order */
    assert_has(
        why_not((uint8_t[25]){0xFF, 0xFF, 1, 20, 1, [12] = 2, [16] = 3, [20] = 4, [24] = 0xE0}, 25),
        "id");
}

TEST_WITH(setup, NULL, older_dialect_gets_a_hint)
{
    uint8_t bytes[25] = {0xFF, 0xFF, 1, 20, 0, 7, 0, 1};
    unsigned sum = 0;
    for (int i = 4; i < 24; i++)
        sum += bytes[i];
    bytes[24] = (uint8_t)~sum;
    assert_has(why_not(bytes, sizeof bytes), "VIPER");
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
    /* Garbage, a request, a damaged request, an extra FF, an unknown type, a request, an FF. */
    static const uint8_t stream[] = "\1\2\xFF\xFF\3\xFC\xFF\xFF\3\xFB\xFF\xFF\xFF\3\xFC"
                                    "\xFF\xFF\t\xFF\xFF\3\xFC\xFF";
    const size_t size = sizeof stream - 1;
    for (size_t segment = 1; segment <= size; segment++) {
        uint64_t skipped;
        assert_int_equal(frames_in(stream, size, segment, &skipped), 3);
        assert_int_equal(skipped, 2 + 4 + 1 + 3);
    }
}
