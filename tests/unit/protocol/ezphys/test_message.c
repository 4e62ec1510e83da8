
#include "protocol/ezphys/framing.h"
#include "protocol/ezphys/message.h"
#include "protocol/ezphys/wire.h"
#include "test.h"

static struct aw_wire wire;
static struct aw_ezphys_framing framing;

static void speak(const char *description)
{
    struct aw_error err;
    assert_int_equal(aw_ezphys_framing_parse(&framing, description, NULL, &err), AW_OK);
    aw_wire_init(&wire, &aw_ezphys_protocol, &framing.variant, false);
}

static struct aw_record reset_of(double id)
{
    struct aw_record record;
    aw_record_init(&record, aw_wire_codec(&wire, "reset", AW_TX), AW_TX);
    aw_record_set(&record, "id", id, NULL);
    return record;
}

static void bytes_are(struct aw_ezphys_message *message, const char *expected)
{
    char hex[512] = "";
    struct aw_span span = aw_ezphys_message_end(message);
    for (size_t i = 0; i < span.size; i++)
        snprintf(hex + 2 * i, sizeof hex - 2 * i, "%02X", span.data[i]);
    assert_string_equal(hex, expected);
}

/* Compares size and count in each framing, with no, one and two packets. */
TEST(envelopes_match_the_framing)
{
    static const struct {
        const char *wire, *none, *two;
    } cases[] = {
        {"le32", "0800000000000000",
         "2000000002000000"
         "010000000100000000000000"
         "010000000200000000000000"},
        {"be32", "0000000800000000",
         "0000002000000002"
         "000000010000000100000000"
         "000000010000000200000000"},
        {"packed8", "0800000000000000",
         "0E00000002000000"
         "010100"
         "010200"},
        {"stream", "",
         "010000000100000000000000"
         "010000000200000000000000"},
        {"packed8,msg=rest16+count8", "000000",
         "060002"
         "010100"
         "010200"},
    };
    uint8_t room[64];
    EACH (c, cases) {
        speak(c->wire);
        struct aw_ezphys_message message = {.wire = &wire, .data = room, .cap = sizeof room};
        aw_ezphys_message_begin(&message);
        bytes_are(&message, c->none);
        aw_ezphys_message_begin(&message);
        for (int id = 1; id <= 2; id++) {
            struct aw_record record = reset_of(id);
            assert_int_equal(aw_ezphys_message_add(&message, &record, NULL), AW_OK);
        }
        bytes_are(&message, c->two);
    }
}

TEST(oversized_packet_leaves_the_message_unchanged)
{
    uint8_t room[64];
    struct aw_error err;
    speak("le32");
    struct aw_ezphys_message message = {.wire = &wire, .data = room, .cap = 8 + 12 + 11};
    struct aw_record record = reset_of(7);
    memset(room, 0xEE, sizeof room);
    aw_ezphys_message_begin(&message);
    assert_int_equal(aw_ezphys_message_add(&message, &record, &err), AW_OK);
    assert_error(aw_ezphys_message_add(&message, &record, &err), AW_LIMIT, &err,
                 "message full: at most 1 packets fit — name fewer joints");
    uint8_t frame[12] = {1};
    struct aw_span span = {frame, sizeof frame};
    assert_int_equal(aw_ezphys_message_add_frame(&message, span, &err), AW_LIMIT);
    bytes_are(&message, "1400000001000000010000000700000000000000");
    for (size_t i = message.size; i < sizeof room; i++)
        assert_int_equal(room[i], 0xEE);
    message.cap++; /* just fits */
    assert_int_equal(aw_ezphys_message_add(&message, &record, &err), AW_OK);
    message.cap += sizeof frame;
    assert_int_equal(aw_ezphys_message_add_frame(&message, span, &err), AW_OK);
    assert_int_equal(message.size, message.cap);
    assert_int_equal(message.count, 3);
}

TEST(nan_and_missing_fields_are_refused)
{
    uint8_t room[64];
    struct aw_error err;
    speak("le32");
    struct aw_ezphys_message message = {.wire = &wire, .data = room, .cap = sizeof room};
    struct aw_record record;
    aw_record_init(&record, aw_wire_codec(&wire, "axis_force", AW_TX), AW_TX);
    aw_ezphys_message_begin(&message);
    assert_int_equal(aw_ezphys_message_add(&message, &record, &err),
                     AW_USAGE); /* axis1 has no value */
    assert_int_equal(message.count, 0);
    bytes_are(&message, "0800000000000000");
}

TEST(encoded_frames_are_added)
{
    uint8_t room[64];
    static const uint8_t frame[] = {1, 0, 0, 0, 9, 0, 0, 0, 0, 0, 0, 0};
    speak("le32");
    struct aw_ezphys_message message = {.wire = &wire, .data = room, .cap = sizeof room};
    aw_ezphys_message_begin(&message);
    struct aw_span span = {frame, sizeof frame};
    assert_int_equal(aw_ezphys_message_add_frame(&message, span, NULL), AW_OK);
    bytes_are(&message, "1400000001000000010000000900000000000000");
}
