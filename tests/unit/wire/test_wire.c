/* Tests a protocol in use: variants, their replaced messages, envelopes and identification of
 * frames. */
#include "sample_helper.h"
#include "test.h"

static struct aw_wire wire;

/* ---- Variants ---- */

static const struct aw_field number[] = {{.name = "x", .type = AW_UINT, .bits = 8}, {0}};
static const struct aw_field numbers[] = {
    {.name = "x", .type = AW_UINT, .bits = 8}, {.name = "y", .type = AW_UINT, .bits = 8}, {0}};
static const struct aw_field coded_head[] = {
    {.name = "id", .type = AW_UINT, .bits = 8}, SAMPLE_CODE, {0}};
static const struct aw_field wide_code[] = {{.name = "code", .type = AW_CODE, .bits = 16}, {0}};
static const struct aw_field envelope[] = {
    {.name = "mark", .type = AW_CONST, .bits = 8, .constant = 0x77},
    {.name = "bytes", .type = AW_LENGTH, .bits = 16, .constant = 1},
    {.name = "count", .type = AW_CONST, .bits = 8, .constant = 1},
    {0}};
static const struct aw_message messages[] = {
    {.name = "one", .dir = AW_TX, .code = 1, .fields = number},
    {.name = "one", .dir = AW_RX, .code = 2, .fields = number},
    {.name = "two", .dir = AW_BOTH, .code = 3, .fields = number},
    {.name = "three", .dir = AW_TX, .code = 0x0504, .head = wide_code},
};
static const struct aw_message instead[] = {
    {.name = "one", .dir = AW_RX, .code = 2, .fields = numbers},
    {.name = "two", .dir = AW_BOTH, .code = 3, .fields = numbers, .size = 9},
    {0}};
static const struct aw_variant variants[] = {
    {.name = "first", .head = coded_head},
    {.name = "second", .head = coded_head, .replacements = instead, .envelope = envelope},
    {.name = "third", .head = coded_head, .big_endian = true, .envelope = envelope},
    {0}};
static const struct aw_protocol protocol = {
    .name = "small",
    .messages = messages,
    .n_messages = sizeof messages / sizeof *messages,
    .variants = variants,
    .frames.frame_max = 9,
};

static void use(const char *variant)
{
    memset(&wire, 1, sizeof wire);
    aw_wire_init(&wire, &protocol, variant ? aw_protocol_variant(&protocol, variant) : NULL, false);
}

TEST(variants_replace_messages)
{
    assert_ptr_equal(aw_protocol_variant(&protocol, "first"), &variants[0]);
    assert_ptr_equal(aw_protocol_variant(&protocol, "third"), &variants[2]);
    assert_null(aw_protocol_variant(&protocol, "fourth"));
    use(NULL);
    assert_string_equal(wire.variant.name, "first");
    assert_false(wire.raw || wire.lenient);
    for (size_t i = 0; i < protocol.n_messages; i++)
        assert_ptr_equal(aw_wire_message(&wire, i), &messages[i]);
    assert_int_equal(wire.head_size, 2);
    assert_int_equal(wire.envelope_size, 0);
    use("second");
    /* Not the message of the same name. */
    assert_ptr_equal(aw_wire_message(&wire, 0), &messages[0]);
    assert_ptr_equal(aw_wire_message(&wire, 1), &instead[0]);
    assert_ptr_equal(aw_wire_message(&wire, 2), &instead[1]);
    assert_int_equal(wire.envelope_size, 4);
    static const uint16_t payloads[] = {1, 2, 2, 0}, frames[] = {3, 4, 9, 2};
    for (size_t i = 0; i < 4; i++) {
        assert_int_equal(wire.payload_sizes[i], payloads[i]);
        assert_int_equal(wire.frame_sizes[i], frames[i]);
        assert_int_equal(aw_wire_codec_at(&wire, i)->size, frames[i]);
    }
}

TEST(codecs_are_found_by_name_and_direction)
{
    static const struct {
        const char *name;
        enum aw_dir dir;
        int found;
    } rows[] = {
        {"one", AW_TX, 0},   {"one", AW_RX, 1},     {"one", AW_BOTH, 0}, {"two", AW_TX, 2},
        {"two", AW_RX, 2},   {"two", AW_BOTH, 2},   {"three", AW_TX, 3}, {"three", AW_RX, -1},
        {"four", AW_TX, -1}, {"three", AW_BOTH, 3},
    };
    use(NULL);
    EACH (row, rows) {
        const struct aw_codec *codec = aw_wire_codec(&wire, row->name, row->dir);
        assert_ptr_equal(codec, row->found < 0 ? NULL : &wire.codecs[row->found]);
        if (codec)
            assert_ptr_equal(codec->message, &messages[row->found]);
    }
    static const bool ready[] = {true, true, true, true};
    assert_memory_equal(wire.codec_ready, ready, sizeof ready);
}

/* ---- Identification by code ---- */

TEST(frame_is_identified_by_its_code)
{
    static const struct {
        enum aw_dir dir;
        const char *bytes;
        size_t size;
        int found; /* result; -1: none, with the error */
        const char *error;
    } rows[] = {
        {AW_TX, "\x09\x01\x05", 3, 0, NULL},
        {AW_RX, "\x09\x02\x05", 3, 1, NULL},
        {AW_RX, "\x09\x03\x05", 3, 2, NULL},
        {AW_TX, "\x04\x05", 2, 3, NULL},
        {AW_RX, "\x09\x01\x05", 3, -1, "not a small message from the device (3 bytes)"},
        {AW_TX, "\x09\x02\x05", 3, -1, "not a small message to the device (3 bytes)"},
        {AW_TX, "\x09", 1, -1, "not a small message to the device (1 bytes)"},
        {AW_TX, "", 0, -1, "not a small message to the device (0 bytes)"},
        {AW_TX, "\x09\x01", 2, -1, "one: 2 bytes instead of 3"},
        {AW_BOTH, "\x09\x02\x05", 3, 1, NULL},
    };
    use(NULL);
    EACH (row, rows) {
        struct aw_record record;
        struct aw_error err = {0};
        uint8_t *copy = heap_copy(row->bytes, row->size);
        memset(&record, 0xFF, sizeof record);
        enum aw_status status =
            aw_wire_decode(&wire, row->dir, (struct aw_span){copy, row->size}, &record, &err);
        free(copy);
        assert_int_equal(status, row->found < 0 ? AW_MALFORMED : AW_OK);
        assert_string_equal(err.text, row->found < 0 ? row->error : "");
        assert_true(row->found >= 0 || record.present == 0);
        if (row->found < 0)
            continue;
        assert_ptr_equal(record.codec, &wire.codecs[row->found]);
        assert_int_equal(record.dir, messages[row->found].dir & row->dir ? row->dir : AW_TX);
    }
}

static const struct aw_message *always_one(const struct aw_wire *any, enum aw_dir dir,
                                           struct aw_span frame, struct aw_error *err)
{
    (void)dir, (void)frame, (void)err;
    return &any->protocol->messages[0];
}

/* A frame recorded with the wrong direction is decoded; the record has the message's direction. */
TEST(frame_in_the_other_direction_is_decoded)
{
    struct aw_protocol told = protocol;
    struct aw_record record;
    told.frames.identify = always_one;
    aw_wire_init(&wire, &told, NULL, false);
    struct aw_span frame = {(const uint8_t *)"\x09\x01\x05", 3};
    assert_int_equal(aw_wire_decode(&wire, AW_RX, frame, &record, NULL), AW_OK);
    assert_int_equal(record.dir, AW_TX);
    assert_int_equal(aw_wire_decode(&wire, AW_BOTH, frame, &record, NULL), AW_OK);
    assert_int_equal(record.dir, AW_BOTH);
    assert_true(aw_record_get(&record, "x") == 5);
}

/* ---- Streams ---- */

TEST(fixed_length_frames_are_read_in_sequence)
{
    static const uint8_t bytes[20] = {0};
    struct aw_framer framer = {0};
    struct aw_span frame;
    size_t used = 99;
    use(NULL);
    assert_int_equal(aw_wire_next(&wire, &framer, (struct aw_span){bytes, 8}, &frame, &used, NULL),
                     AW_MORE);
    assert_int_equal(used, 0);
    for (size_t size = 9; size < 20; size++) {
        struct aw_span in = {bytes, size};
        assert_int_equal(aw_wire_next(&wire, &framer, in, &frame, &used, NULL), AW_OK);
        assert_int_equal(used, 9);
        assert_int_equal(frame.size, 9);
        assert_ptr_equal(frame.data, bytes);
    }
    for (uint32_t done = 0; done < 4; done++) {
        framer.n_packets = done;
        use(NULL);
        assert_true(aw_framer_is_inside(&wire, &framer));
        use("second");
        assert_int_equal(aw_framer_is_inside(&wire, &framer), done > 1);
    }
}

TEST(envelope_is_added_and_removed)
{
    static const struct {
        const char *variant;
        uint8_t head[4];
        size_t size;
    } rows[] = {{"first", {0}, 0}, {"second", {0x77, 6, 0, 1}, 4}, {"third", {0x77, 0, 6, 1}, 4}};
    EACH (row, rows) {
        size_t head = row->size;
        use(row->variant);
        for (size_t cap = 0; cap < 12; cap++) {
            uint8_t buf[12] = "abc";
            memset(buf + 3, 0xEE, sizeof buf - 3);
            assert_int_equal(aw_wire_wrap(&wire, buf, 3, cap), cap < head + 3 ? 0 : head + 3);
            if (cap < head + 3) {
                assert_memory_equal(buf, "abc\xEE", 4);
                continue;
            }
            assert_memory_equal(buf, row->head, head);
            assert_memory_equal(buf + head, "abc", 3);
            assert_int_equal(buf[head + 3], 0xEE);
        }
    }
}
