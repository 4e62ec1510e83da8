#include "wire_helper.h"

#include "frames_helper.h"
#include "protocols.h"

static struct aw_wire wire;
static struct aw_record record;
static struct aw_error err;

static void start(void)
{
    sample_wire(&wire, "little");
}

/* Decodes from a block of exactly this size, so that a sanitizer detects reads beyond it. */
static enum aw_status decode(const char *message, const uint8_t *bytes, size_t size)
{
    uint8_t *copy = malloc(size ? size : 1);
    memcpy(copy, bytes, size);
    err = (struct aw_error){.status = AW_OK};
    enum aw_status status = aw_decode(aw_wire_codec(&wire, message, AW_TX),
                                      (struct aw_span){copy, size}, &record, &err);
    free(copy);
    return status;
}

/* Compares the fields of a row one by one. */
static void check_fields(const struct sample_frame *row, uint8_t *bytes, size_t size)
{
    char copy[256], *save = NULL;
    struct aw_record sent;
    if (decode(row->message, bytes, size) != AW_OK)
        fail_msg("%s: %s", row->fields, err.text);
    snprintf(copy, sizeof copy, "%s", row->fields);
    for (char *word = strtok_r(copy, " ", &save); word; word = strtok_r(NULL, " ", &save)) {
        char *equals = strchr(word, '=');
        *equals = '\0';
        int scalar = aw_codec_find(record.codec, word);
        assert_true(record.present >> scalar & 1);
        aw_record_init(&sent, record.codec, AW_TX);
        sent.present = record.present;
        memcpy(sent.v, record.v, sizeof sent.v);
        assert_int_equal(aw_record_set_text(&sent, word, equals + 1, &err), AW_OK);
        if (record.codec->scalars[scalar].field->type == AW_TEXT)
            assert_string_equal(record.text, sent.text);
        else
            assert_same_value(&sent, &record, scalar);
    }
}

static void check_lengths(const struct sample_frame *row, uint8_t *bytes, size_t size)
{
    for (size_t n = 0; n <= size + 2; n++) {
        char expected[64];
        if (n == size)
            continue;
        assert_int_equal(decode(row->message, bytes, n), AW_MALFORMED);
        snprintf(expected, sizeof expected, "%s: %zu bytes instead of %zu", row->message, n, size);
        assert_string_equal(err.text, expected);
    }
}

static void check_checksum(const struct sample_frame *row, uint8_t *bytes, size_t size)
{
    for (size_t bit = 0; bit < size * 8; bit++) {
        bytes[bit / 8] ^= (uint8_t)(1u << bit % 8);
        assert_int_equal(decode(row->message, bytes, size), AW_MALFORMED);
        assert_has(err.text, ", expected ");
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
        if (scalar->value)
            continue;
        bool ignored = row->lenient || row->type == AW_PAD;
        if (status != (ignored ? AW_OK : AW_MALFORMED))
            fail_msg("%s, bit %zu of %s: %d", message, bit, row->name, status);
        if (!ignored)
            assert_has(err.text, row->name);
    }
}

TEST_WITH(start, NULL, sample_frames_are_decoded_and_changed_ones_refused)
{
    for (size_t i = 0; i < SAMPLE_FRAMES; i++) {
        uint8_t bytes[64] = {0};
        size_t size = sample_bytes(&sample_frames[i], bytes);
        sample_wire(&wire, sample_frames[i].variant);
        check_fields(&sample_frames[i], bytes, size);
        check_lengths(&sample_frames[i], bytes, size);
        check_checksum(&sample_frames[i], bytes, size);
        check_flips(sample_frames[i].message, bytes, size);
    }
    uint8_t many[84] = {0xA5, 7, 80};
    for (uint8_t i = 0; i < 16; i++)
        many[3 + 5 * i] = i;
    many[83] = sample_sum(many, 83);
    sample_wire(&wire, "little");
    assert_int_equal(decode("many", many, sizeof many), AW_OK);
    check_flips("many", many, sizeof many);
}

/* Decodes a frame whose last byte was replaced by the checksum. */
static enum aw_status decode_with_sum(const char *message, uint8_t *bytes, size_t size)
{
    bytes[size - 1] = sample_sum(bytes, size - 1);
    return decode(message, bytes, size);
}

TEST_WITH(start, NULL, nan_and_infinity_decode_as_no_data)
{
    static const uint32_t floats[] = {0x7FC00000, 0x7F800000, 0xFF800000, 0x7F800001, 0xFFFFFFFF};
    EACH (number, floats)
        for (int big = 0; big < 2; big++) {
            uint8_t bytes[15] = {0xA5, 5, 11, 100, 100, 0, 0, 0, 1, 5};
            for (size_t n = 0; n < 4; n++)
                bytes[10 + n] = (uint8_t)(*number >> 8 * (big ? 3 - n : n));
            sample_wire(&wire, big ? "big" : "little");
            assert_error(decode_with_sum("choice", bytes, sizeof bytes), AW_MALFORMED, &err,
                         "choice: speed is not a finite number");
            assert_true(isnan(aw_record_get(&record, "speed")));
            assert_true(aw_record_get(&record, "guard") == 5); /* the other fields have values */
            assert_true(aw_record_get(&record, "way") == -40);
        }
}

TEST_WITH(start, NULL, any_nonzero_sign_byte_counts)
{
    static const uint8_t signs[] = {0, 1, 2, 0x80, 0xFF};
    for (size_t i = 0; i < sizeof signs; i++) {
        uint8_t bytes[29] = {0xA5, 2, 25};
        bytes[25] = 0x39;
        bytes[26] = 0x30;
        bytes[27] = signs[i];
        assert_int_equal(decode_with_sum("numbers", bytes, sizeof bytes), AW_OK);
        assert_true(aw_record_get(&record, "magnitude") == (signs[i] ? 12345 : -12345));
    }
}

TEST_WITH(start, NULL, count_limits_the_repetitions)
{
    for (unsigned n = 0; n < 256; n++) {
        uint8_t bytes[18] = {0xA5, 4, 14, (uint8_t)n, 0, 1, 0, 1, 2, 0, 2, 3, 0};
        enum aw_status status = decode_with_sum("groups", bytes, sizeof bytes);
        if (n < 1 || n > 3) {
            assert_int_equal(status, AW_MALFORMED);
            char expected[64];
            snprintf(expected, sizeof expected, "groups: n is %u, expected 1 to 3", n);
            assert_string_equal(err.text, expected);
            assert_true(record.present == 0);
            continue;
        }
        assert_int_equal(status, AW_OK);
        assert_int_equal(isnan(aw_record_get(&record, "elbow.position")) == 0, n >= 2);
        assert_int_equal(isnan(aw_record_get(&record, "hand.position")) == 0, n == 3);
        assert_true(aw_record_get(&record, "right.state") == 0);
    }
}

TEST_WITH(start, NULL, no_data_decodes_without_a_value)
{
    uint8_t bytes[15] = {0xA5, 5, 11, 0, 0, 0, 0, 0x80, 1, 5};
    assert_int_equal(decode_with_sum("choice", bytes, sizeof bytes), AW_OK);
    assert_true(isnan(aw_record_get(&record, "way")));
    aw_wire_init(&wire, &sample_protocol, NULL, true);
    assert_int_equal(decode_with_sum("choice", bytes, sizeof bytes), AW_OK);
    assert_true(aw_record_get(&record, "way") == -32768);
}

/* Values from a device beyond the limits are shown, not refused. */
TEST_WITH(start, NULL, values_beyond_limits_are_decoded)
{
    uint8_t bytes[15] = {0xA5, 5, 11, 0xFF, 0x7F, 200, 0xFF, 0x7F, 0, 77};
    assert_int_equal(decode_with_sum("choice", bytes, sizeof bytes), AW_OK);
    assert_true(aw_record_get(&record, "kind") == 200);
    assert_true(aw_record_get(&record, "level") == 32767);
    assert_true(aw_record_get(&record, "guard") == 77);
    assert_true(fabs(aw_record_get(&record, "way") - 3236.7) < 1e-9);
}

TEST_WITH(start, NULL, error_names_the_expected_checksum)
{
    uint8_t bytes[] = {0xA5, 8, 0, 0};
    assert_int_equal(decode_with_sum("short", bytes, 4), AW_OK);
    bytes[3] ^= 0xFF;
    assert_error(decode("short", bytes, 4), AW_MALFORMED, &err,
                 "short: sum is 0xAD, expected 0x52");
}

TEST_WITH(start, NULL, text_ends_at_its_first_zero_byte)
{
    uint8_t bytes[13] = {0xA5, 3, 9, 1, 'a', 'b', 0, 'c', 'd'};
    assert_int_equal(decode_with_sum("text", bytes, sizeof bytes), AW_OK);
    assert_string_equal(record.text, "ab");
}

/* CAN frames may be longer than the message; the identifier is not counted. */
TEST_WITH(start, NULL, longer_can_frames_are_accepted)
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
            snprintf(part, sizeof part, ": %zu bytes instead of %d", size < 2 ? 0 : size - 2,
                     codec->size - 2);
            if (status != AW_OK)
                assert_has(err.text, part);
        }
    }
}

/* Decodes random bytes as every message of every tool without reading outside. */
TEST_WITH(start, NULL, decoding_random_bytes_is_safe)
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
