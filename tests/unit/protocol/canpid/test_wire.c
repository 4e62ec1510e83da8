#include "protocol/canpid/wire.h"

#include "wire_helper.h"

static struct aw_wire wire, fw;

static void setup(void)
{
    aw_wire_init(&wire, &aw_canpid_protocol, NULL, false);
    aw_wire_init(&fw, &aw_canpid_protocol, aw_protocol_variant(&aw_canpid_protocol, "fw"), false);
}

TEST_WITH(setup, NULL, every_field_round_trips)
{
    check_protocol(&aw_canpid_protocol);
    check_documented(&aw_canpid_protocol);
}

static double decoded(struct aw_wire *in, const char *hex, const char *field)
{
    struct aw_record record;
    struct aw_error err = {0};
    if (decode_text(in, AW_RX, hex, &record, &err) != AW_OK)
        fail_msg("%s: %s", hex, err.text);
    return aw_record_get(&record, field);
}

TEST_WITH(setup, NULL, identifier_is_board_plus_message)
{
    assert_encodes(&wire, "kp", "board=lhip controller=pos value=0", "021#000000000000");
    assert_encodes(&wire, "kp", "board=lknee controller=tor value=0.6", "041#9A99193F0200");
    assert_encodes(&wire, "kd", "board=rankle controller=tl value=-100", "0C3#0000C8C20300");
    assert_encodes(&wire, "calibrate", "board=0xA0", "0AA#000000000000");
    assert_true(decoded(&wire, "05F#000000000000", "board") == 64);
    assert_true(decoded(&wire, "7FF#000000000000", "board") == 2016);
}

TEST_WITH(setup, NULL, setpoint_has_the_unit_of_its_controller)
{
    static const struct {
        const char *fields, *frame;
    } cases[] = {
        {"board=lknee controller=pos value=10deg", "044#398EE33C0000"},
        {"value=10deg controller=pos board=lknee", "044#398EE33C0000"},
        {"board=lknee controller=tor value=-5Nm", "044#CDCC4CBE0200"},
        {"board=lknee controller=tor value=-5000mNm", "044#CDCC4CBE0200"},
        {"board=lknee controller=lvl value=0.5", "044#0000003F0100"},
        {"board=lknee controller=tl value=-1", "044#000080BF0300"},
        {"board=lknee controller=pos value=540deg", "044#0000C03F0000"},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++)
        assert_encodes(&wire, "setpoint", cases[i].fields, cases[i].frame);
    assert_refused(&wire, "setpoint", "board=lknee controller=pos value=5Nm", AW_USAGE);
    assert_refused(&wire, "setpoint", "board=lknee controller=lvl value=5deg", AW_USAGE);
}

TEST_WITH(setup, NULL, harmful_commands_are_refused)
{
    assert_refused(&wire, "kp", "board=lknee controller=4 value=1", AW_LIMIT);
    assert_refused(&wire, "kp", "board=lknee controller=tro value=1", AW_USAGE);
    assert_refused(&wire, "kp", "board=lknee controller=tor value=nan", AW_USAGE);
    assert_refused(&wire, "kp", "board=lknee controller=tor value=100.1", AW_LIMIT);
    assert_refused(&wire, "kp", "controller=tor value=1", AW_USAGE);
    assert_refused(&wire, "aux", "board=lknee index=4 value=1", AW_LIMIT);
    assert_refused(&wire, "setpoint", "board=lknee controller=pos value=inf", AW_USAGE);
    assert_refused(&wire, "setpoint", "board=lknee controller=pos value=541", AW_LIMIT);
}

/* The number of an identifier must not select the neighbouring joint. */
TEST_WITH(setup, NULL, board_must_be_a_multiple_of_32)
{
    assert_refused(&wire, "calibrate", "board=0x41", AW_USAGE);
    assert_refused(&wire, "calibrate", "board=2048", AW_LIMIT);
    assert_refused(&wire, "calibrate", "board=lkne", AW_USAGE);
}

TEST_WITH(setup, NULL, velocity_has_fourteen_bits)
{
    const char *frame = "05F#80F8730806FF";
    assert_true(decoded(&wire, frame, "error") == 0);
    assert_true(decoded(&wire, frame, "velocity") == -120);
    assert_true(decoded(&wire, frame, "current") == 540 * 25.0 / 1024 - 12.5);
    assert_true(fabs(decoded(&wire, frame, "lever_angle") + 11.25) < 1e-9);
    assert_true(decoded(&wire, "05F#F0FF01000000", "velocity") == 8191);
    assert_true(decoded(&wire, "05F#000002000000", "velocity") == -8192);
}

TEST_WITH(setup, NULL, fw_layout_packs_the_current_lower)
{
    const char *frame = "05F#80F81F0206FF";
    assert_true(decoded(&fw, frame, "velocity") == -120);
    assert_true(decoded(&fw, frame, "current") == 543 * 25.0 / 1024 - 12.5);
    assert_true(fabs(decoded(&fw, frame, "lever_angle") + 11.25) < 1e-9);
}

TEST_WITH(setup, NULL, error_frames_have_no_measurements)
{
    const char *frame = "05F#F27FFF01FF7F";
    assert_true(decoded(&fw, frame, "error") == 2);
    assert_true(isnan(decoded(&fw, frame, "velocity")) && isnan(decoded(&wire, frame, "velocity")));
    assert_true(isnan(decoded(&fw, frame, "current")) && isnan(decoded(&wire, frame, "current")));
    assert_true(isnan(decoded(&fw, frame, "lever_angle")));
    struct aw_record record;
    struct aw_error err;
    uint8_t bytes[8];
    size_t size;
    assert_int_equal(decode_text(&fw, AW_RX, frame, &record, &err), AW_OK);
    assert_int_equal(aw_encode(&record, false, bytes, sizeof bytes, &size, &err), AW_OK);
    assert_memory_equal(bytes, ((uint8_t[]){0x5F, 0x00, 0xF2, 0x7F, 0xFF, 0x01, 0xFF, 0x7F}), 8);
}

TEST_WITH(setup, NULL, rounded_limits_are_accepted)
{
    char hex[64];
    struct aw_error err = {0};
    static const char *const fields[] = {
        "board=lknee fix_link_angle=-179.955 alpha_angle=180 torque=-25",
        "board=lknee fix_link_angle=180 alpha_angle=-179.978 torque=24.9992",
    };
    static const char *const frames[] = {"05E#61F000200080", "05E#A00F01E0FF7F"};
    for (int i = 0; i < 2; i++) {
        if (encode_text(&wire, AW_RX, "joint", fields[i], hex, &err) != AW_OK)
            fail_msg("%s", err.text);
        assert_string_equal(hex, frames[i]);
    }
    assert_int_equal(encode_text(&wire, AW_RX, "joint",
                                 "board=lknee fix_link_angle=180.045 alpha_angle=0 torque=0", hex,
                                 &err),
                     AW_LIMIT);
}

TEST_WITH(setup, NULL, commands_are_recognized_in_either_direction)
{
    struct aw_record record;
    struct aw_error err;
    assert_int_equal(decode_text(&wire, AW_RX, "041#9A99193F0200", &record, &err), AW_OK);
    assert_string_equal(record.codec->message->name, "kp");
    assert_int_equal(record.dir, AW_TX);
    assert_int_equal(decode_text(&wire, AW_RX, "7F5#9A99193F0200", &record, &err), AW_MALFORMED);
    assert_non_null(strstr(err.text, "id 7F5: no message with number 21"));
    assert_int_equal(decode_text(&wire, AW_RX, "05B#000000000000", &record, &err), AW_MALFORMED);
    assert_non_null(strstr(err.text, "27"));
    assert_int_equal(decode_text(&wire, AW_RX, "05D#0000000000", &record, &err), AW_MALFORMED);
    assert_int_equal(decode_text(&wire, AW_RX, "044#0000C07F0000", &record, &err), AW_MALFORMED);
}

/* Identifiers of 29 bits are beyond the 64 bits of known boards; sanitizers see a longer shift. */
TEST_WITH(setup, NULL, long_identifiers_are_of_no_board)
{
    static const char *const frames[] = {"00005D00#0011", "1FFFFFFF#00", "00000800#"};
    const uint64_t known = UINT64_MAX;
    wire.variant.known = &known;
    for (size_t i = 0; i < sizeof frames / sizeof *frames; i++) {
        struct aw_record record;
        struct aw_error err;
        assert_int_not_equal(decode_text(&wire, AW_RX, frames[i], &record, &err), AW_OK);
    }
}
