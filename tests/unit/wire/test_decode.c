#include "wire_helper.h"

#include "picture_helper.h"
#include "protocols.h"
#include "sample_helper.h"

static struct aw_wire wire;
static struct aw_record record;
static struct aw_error err;

/* Decodes from a block of exactly this size, so that a sanitizer detects reads beyond it. */
static enum aw_status decode(const char *message, const uint8_t *bytes, size_t size)
{
    uint8_t *copy = heap_copy(bytes, size);
    err = (struct aw_error){.status = AW_OK};
    enum aw_status status = aw_decode(aw_wire_codec(&wire, message, AW_TX),
                                      (struct aw_span){copy, size}, &record, &err);
    free(copy);
    return status;
}

static void check_lengths(const char *message, const uint8_t *bytes, size_t size)
{
    for (size_t n = 0; n <= size + 2; n++) {
        char expected[64];
        snprintf(expected, sizeof expected, "%s: %zu byte%s instead of %zu", message, n,
                 n == 1 ? "" : "s", size);
        if (n != size)
            assert_error(decode(message, bytes, n), AW_MALFORMED, &err, expected);
    }
}

static void check_checksum(const char *message, uint8_t *bytes, size_t size)
{
    for (size_t bit = 0; bit < size * 8; bit++) {
        bytes[bit / 8] ^= (uint8_t)(1u << bit % 8);
        assert_error_has(decode(message, bytes, size), AW_MALFORMED, &err, ", expected ");
        bytes[bit / 8] ^= (uint8_t)(1u << bit % 8);
    }
}

static const struct aw_scalar *leaf_at(const struct aw_codec *codec, size_t bit)
{
    for (int i = 0; i < codec->n_scalars; i++)
        if (bit >= codec->scalars[i].bit && bit < codec->scalars[i].bit + codec->scalars[i].bits)
            return &codec->scalars[i];
    return NULL;
}

/* Flips a bit before the checksum is computed: constants are checked, padding and lenient rows are
 * not. */
static void check_flips(const char *message, uint8_t *bytes, size_t size)
{
    const struct aw_codec *codec = aw_wire_codec(&wire, message, AW_TX);
    for (size_t bit = 0; bit < (size - 1) * 8; bit++) {
        const struct aw_scalar *scalar = leaf_at(codec, bit);
        const struct aw_field *row = scalar->field;
        bytes[bit / 8] ^= (uint8_t)(1u << bit % 8);
        bytes[size - 1] = sample_sum(bytes, size - 1);
        enum aw_status status = decode(message, bytes, size);
        bytes[bit / 8] ^= (uint8_t)(1u << bit % 8);
        if (scalar->has_value)
            continue;
        bool ignored = row->lenient || row->type == AW_PAD;
        if (status != (ignored ? AW_OK : AW_MALFORMED))
            fail_msg("%s, bit %zu of %s: %d", message, bit, row->name, status);
        if (!ignored)
            assert_has(err.text, row->name);
    }
}

/* Decodes a payload in hex, with a valid head and checksum; the variant "frame" is followed by a
 * whole frame. Prints the error and the fields. In a valid frame, every changed bit is detected. */
static void print_case(const char *input, size_t i, FILE *out)
{
    uint8_t bytes[FRAME_CAP] = {0xA5};
    char message[16];
    size_t size;
    bool whole = strncmp(input, "frame ", 6) == 0;
    const char *hex = sample_case(&wire, input, message);
    (void)i;
    assert_ok(aw_hex_parse(&sample_protocol, hex, strlen(hex), whole ? bytes : bytes + 3,
                           FRAME_CAP - 4, &size, &err),
              &err);
    if (!whole) {
        bytes[1] = (uint8_t)aw_wire_codec(&wire, message, AW_TX)->message->code;
        bytes[2] = (uint8_t)size;
        bytes[3 + size] = sample_sum(bytes, 3 + size);
        size += 4;
    }
    enum aw_status status = decode(message, bytes, size);
    fprintf(out, "%s%s", err.text, status == AW_OK || !record.present ? "" : "; ");
    if (status == AW_OK || record.present)
        print_fields(out, &record);
    fputc('\n', out);
    if (status != AW_OK || wire.raw)
        return;
    check_lengths(message, bytes, size);
    check_checksum(message, bytes, size);
    check_flips(message, bytes, size);
}

/* NaN, infinity and "no data" have no value, any nonzero sign byte counts, a count limits the
 * repetitions, and values of a device beyond the limits are shown. */
TEST(decoded_fields_match_the_golden_file)
{
    expect_text_cases("decoded-sample.txt", print_case);
}

/* CAN frames may be longer than the message; the identifier is not counted. */
TEST(longer_can_frames_are_accepted)
{
    uint8_t bytes[10] = {0};
    aw_wire_init(&wire, &aw_canpid_protocol, NULL, false);
    for (size_t i = 0; i < aw_canpid_protocol.n_messages; i++) {
        const struct aw_codec *codec = aw_wire_codec_at(&wire, i);
        memset(bytes, 0, sizeof bytes);
        bytes[0] = (uint8_t)codec->message->code;
        for (size_t size = 0; size <= sizeof bytes; size++) {
            struct aw_span frame = {bytes, size};
            enum aw_status status = aw_decode(codec, frame, &record, &err);
            assert_int_equal(status, size < codec->size ? AW_MALFORMED : AW_OK);
            char part[64];
            size_t n = size < 2 ? 0 : size - 2;
            snprintf(part, sizeof part, ": %zu byte%s instead of %d", n, n == 1 ? "" : "s",
                     codec->size - 2);
            if (status != AW_OK)
                assert_has(err.text, part);
        }
    }
}

/* Decodes random bytes as every message of every tool without reading outside. */
TEST(decoding_random_bytes_is_safe)
{
    struct rng rng = {7};
    for (size_t p = 0; p <= N_PROTOCOLS; p++) {
        aw_wire_init(&wire, p ? protocols[p - 1] : &sample_protocol, NULL, false);
        for (size_t m = 0; m < wire.protocol->n_messages * 20; m++) {
            const struct aw_codec *codec = aw_wire_codec_at(&wire, m / 20);
            uint8_t *noise = malloc(codec->size);
            for (size_t i = 0; i < codec->size; i++)
                noise[i] = (uint8_t)rng_next(&rng);
            err = (struct aw_error){.status = AW_OK};
            enum aw_status status =
                aw_decode(codec, (struct aw_span){noise, codec->size}, &record, &err);
            assert_true(status == AW_OK || (status == AW_MALFORMED && strlen(err.text) > 10));
            free(noise);
        }
    }
}
