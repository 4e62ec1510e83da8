/* Tests properties not covered by tests/golden/ezphys.txt, which has bytes, units, names and
 * limits. */
#include "protocol/ezphys/wire.h"

#include "wire_helper.h"

static const char *const variant_names[] = {"le32", "be32", "packed8", "stream", "name32"};
#define N_VARIANTS (sizeof variant_names / sizeof *variant_names)

static struct aw_wire wire;

static void use(const char *variant)
{
    aw_wire_init(&wire, &aw_ezphys_protocol, aw_protocol_variant(&aw_ezphys_protocol, variant),
                 false);
}

static void setup(void)
{
    use("le32");
}

TEST_WITH(setup, NULL, every_field_round_trips)
{
    check_protocol(&aw_ezphys_protocol);
    check_documented(&aw_ezphys_protocol);
}

TEST_WITH(setup, NULL, payloads_have_the_documented_sizes)
{
    static const size_t sent[] = {0, 16, 84, 8, 48, 8}, received[] = {0, 0, 12, 24};
    for (uint32_t code = 1; code <= 5; code++)
        assert_int_equal(aw_payload_size(&wire, aw_find_by_code(&wire, AW_RX, code)), sent[code]);
    for (uint32_t code = 1; code <= 3; code++)
        assert_int_equal(aw_payload_size(&wire, aw_find_by_code(&wire, AW_TX, code)),
                         received[code]);
}

/* Writes a message of n packets of the simulator, each with another identifier, in this variant. */
static size_t make_message(uint8_t *out, size_t n, struct rng *rng)
{
    static const char *const names[] = {"timestamp", "limb", "joint_axis", "joint_feedback",
                                        "collision"};
    size_t head = wire.variant.envelope ? 8 : 0, size = head;
    for (size_t i = 0; i < n; i++) {
        struct aw_record record;
        struct aw_error err;
        size_t one;
        fill(&record, aw_wire_codec(&wire, names[i % 5], AW_RX), AW_RX, rng);
        assert_int_equal(aw_encode(&record, false, out + size, FRAME_CAP, &one, &err), AW_OK);
        size += one;
    }
    uint32_t words[] = {(uint32_t)size, (uint32_t)n};
    for (size_t i = 0; i < head; i++)
        out[i] = (uint8_t)(words[i / 4] >> 8 * (wire.variant.big_endian ? 3 - i % 4 : i % 4));
    return size;
}

struct found {
    int frames, decoded, malformed;
    uint64_t skipped;
};

/* Reads a stream in pieces of this many bytes. */
static struct found walk(const uint8_t *stream, size_t size, size_t segment, enum aw_dir dir)
{
    struct aw_framer framer = {.dir = dir};
    struct found found = {0};
    size_t at = 0, have = segment < size ? segment : size;
    for (;;) {
        struct aw_span frame, in = {stream + at, have - at};
        struct aw_error err;
        struct aw_record record;
        size_t used = 0;
        enum aw_status status = aw_wire_next(&wire, &framer, in, &frame, &used, &err);
        assert_true(used <= in.size);
        at += used;
        if (status == AW_OK) {
            found.frames++;
            found.decoded +=
                aw_wire_decode(&wire, dir ? dir : AW_RX, frame, &record, &err) == AW_OK;
            continue;
        }
        if (status == AW_MALFORMED) {
            assert_true(used > 0);
            found.malformed++;
            continue;
        }
        if (have == size)
            break;
        have = have + segment < size ? have + segment : size;
    }
    found.skipped = framer.skipped;
    return found;
}

TEST_WITH(setup, NULL, messages_of_every_variant_are_split)
{
    static const size_t segments[] = {1, 3, 7, 64, 4096};
    struct rng rng = {7};
    uint8_t stream[4096];
    for (size_t v = 0; v < N_VARIANTS; v++) {
        use(variant_names[v]);
        size_t size = make_message(stream, 10, &rng);
        size += make_message(stream + size, 1, &rng);
        size += make_message(stream + size, 0, &rng);
        size += make_message(stream + size, 5, &rng);
        for (size_t i = 0; i < sizeof segments / sizeof *segments; i++) {
            struct found found = walk(stream, size, segments[i], 0);
            assert_int_equal(found.frames, 16);
            assert_int_equal(found.decoded, 16);
            assert_int_equal(found.malformed, 0);
            assert_int_equal(found.skipped, 0);
        }
    }
}

static size_t words(uint8_t *out, const uint32_t *values, size_t n)
{
    for (size_t i = 0; i < n * 4; i++)
        out[i] = (uint8_t)(values[i / 4] >> 8 * (i % 4));
    return n * 4;
}

#define WALK(...)                                                                                  \
    walk(stream, words(stream, (uint32_t[]){__VA_ARGS__}, sizeof((uint32_t[]){__VA_ARGS__}) / 4),  \
         64, AW_RX)

TEST_WITH(setup, NULL, wrong_length_or_type_is_malformed)
{
    uint8_t stream[256];
    struct found found = WALK(32, 1, 3, 1, 12, 0, 0, 0, 28, 1, 3, 1, 8, 0, 0);
    assert_int_equal(found.frames, 2);
    assert_int_equal(found.decoded, 1);
    found = WALK(28, 1, 9, 1, 8, 0, 0, 28, 1, 3, 1, 8, 0, 0);
    assert_int_equal(found.frames, 2);
    assert_int_equal(found.decoded, 1);
    struct aw_record record;
    struct aw_error err;
    assert_error_has(
        decode_text(&wire, AW_RX, "03 00 00 00 01 00 00 00 09 00 00 00 00", &record, &err),
        AW_MALFORMED, &err, "payload of 9 bytes, expected 8 — check --wire");
}

TEST_WITH(setup, NULL, only_the_first_packet_starts_a_message)
{
    struct rng rng = {7};
    struct aw_framer framer = {.dir = AW_RX};
    uint8_t stream[4096];
    size_t size = make_message(stream, 3, &rng), at = 0;
    size += make_message(stream + size, 2, &rng);
    for (int i = 0; i < 5; i++) {
        struct aw_span frame, in = {stream + at, size - at};
        size_t used;
        assert_int_equal(aw_wire_next(&wire, &framer, in, &frame, &used, NULL), AW_OK);
        assert_int_equal(aw_framer_is_inside(&wire, &framer), i != 0 && i != 3);
        at += used;
    }
}

TEST_WITH(setup, NULL, lenient_mode_accepts_longer_packets)
{
    uint8_t stream[256];
    wire.lenient = true;
    struct found found = WALK(36, 1, 3, 1, 12, 0, 0, 0, 0, 28, 1, 3, 1, 8, 0, 0);
    assert_int_equal(found.frames, 2);
    assert_int_equal(found.decoded, 2);
    assert_int_equal(found.malformed, 0);
    found = WALK(24, 1, 3, 1, 4, 0, 28, 1, 3, 1, 8, 0, 0); /* shorter packets are never accepted */
    assert_int_equal(found.decoded, 1);
    use("stream"); /* waits for the rest of a packet as long as the longest message */
    wire.lenient = true;
    found = WALK(3, 1, AW_EZPHYS_MESSAGE_MAX);
    assert_int_equal(found.malformed, 0);
    found = WALK(3, 1, AW_EZPHYS_MESSAGE_MAX + 1);
    assert_int_equal(found.malformed, 1);
}

TEST_WITH(setup, NULL, reading_random_bytes_is_safe)
{
    struct rng rng = {99};
    uint8_t stream[2048];
    for (int round = 0; round < 400; round++) {
        use(variant_names[rng_next(&rng) % N_VARIANTS]);
        wire.lenient = round % 2;
        size_t size = make_message(stream, 10, &rng);
        for (int i = 0; i < round % 8; i++)
            stream[rng_next(&rng) % size] = (uint8_t)rng_next(&rng);
        walk(stream, size, 1 + (size_t)rng_next(&rng) % 100, AW_RX);
        for (size_t i = 0; i < sizeof stream; i++)
            stream[i] = (uint8_t)(rng_next(&rng) % (round % 3 ? 6 : 256));
        walk(stream, sizeof stream, 1 + (size_t)rng_next(&rng) % 500, round % 5 ? AW_RX : AW_TX);
    }
}
