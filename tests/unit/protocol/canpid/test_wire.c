/* Tests properties not covered by tests/golden/canpid.txt, which has bytes, units, names and
 * limits. */
#include "protocol/canpid/wire.h"

#include "wire_helper.h"

static struct aw_wire wire;

static void setup(void)
{
    aw_wire_init(&wire, &aw_canpid_protocol, NULL, false);
}

TEST_WITH(setup, NULL, every_field_round_trips)
{
    check_protocol(&aw_canpid_protocol);
    check_documented(&aw_canpid_protocol);
}

TEST_WITH(setup, NULL, command_seen_on_the_bus_becomes_a_tx_record)
{
    struct aw_record record;
    struct aw_error err;
    assert_int_equal(decode_text(&wire, AW_RX, "041#9A99193F0200", &record, &err), AW_OK);
    assert_string_equal(record.codec->message->name, "kp");
    assert_int_equal(record.dir, AW_TX);
}

TEST_WITH(setup, NULL, invalid_frames_are_malformed)
{
    struct aw_record record;
    struct aw_error err;
    assert_error_has(decode_text(&wire, AW_RX, "7F5#9A99193F0200", &record, &err), AW_MALFORMED,
                     &err, "id 7F5: no message with number 21");
    assert_error_has(decode_text(&wire, AW_RX, "05B#000000000000", &record, &err), AW_MALFORMED,
                     &err, "27");
    assert_int_equal(decode_text(&wire, AW_RX, "05D#0000000000", &record, &err), AW_MALFORMED);
    assert_int_equal(decode_text(&wire, AW_RX, "044#0000C07F0000", &record, &err), AW_MALFORMED);
}

/* Identifiers of 29 bits exceed the 64 bits of known boards; sanitizers detect a larger shift. */
TEST_WITH(setup, NULL, long_identifiers_belong_to_no_board)
{
    static const char *const frames[] = {"00005D00#0011", "1FFFFFFF#00", "00000800#"};
    const uint64_t known = UINT64_MAX;
    wire.variant.known_senders = &known;
    for (size_t i = 0; i < sizeof frames / sizeof *frames; i++) {
        struct aw_record record;
        struct aw_error err;
        assert_int_not_equal(decode_text(&wire, AW_RX, frames[i], &record, &err), AW_OK);
    }
}
