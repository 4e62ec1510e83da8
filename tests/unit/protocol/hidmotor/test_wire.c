#include "protocol/hidmotor/wire.h"

#include "base/bytes.h"
#include "wire_helper.h"

static struct aw_wire wire;

static void setup(void)
{
    aw_wire_init(&wire, &aw_hidmotor_protocol, NULL, false);
}

TEST_WITH(setup, NULL, every_field_round_trips)
{
    check_protocol(&aw_hidmotor_protocol);
    check_documented(&aw_hidmotor_protocol);
}

/* Builds a report of 64 bytes from an identifier and floats. */
static size_t report(uint8_t *out, uint32_t id, const float *values, size_t n)
{
    memset(out, 0, 64);
    aw_put_u32(out, id);
    for (size_t i = 0; i < n; i++)
        aw_put_f32(out + 4 + 4 * i, values[i]);
    return 64;
}

static enum aw_status decode_positions(float count, struct aw_record *record, struct aw_error *err)
{
    uint8_t bytes[64];
    float values[15] = {count, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14};
    size_t size = report(bytes, 1910, values, 15);
    return aw_wire_decode(&wire, AW_RX, (struct aw_span){bytes, size}, record, err);
}

TEST_WITH(setup, NULL, count_sets_the_number_of_motors)
{
    struct aw_record record;
    struct aw_error err;
    for (int count = 1; count <= 7; count++) {
        assert_int_equal(decode_positions((float)count, &record, &err), AW_OK);
        for (int m = 1; m <= 7; m++) {
            char name[32];
            snprintf(name, sizeof name, "m%d.position", m);
            double value = aw_record_get(&record, name);
            assert_true(m <= count ? value == 2 * m : isnan(value));
        }
    }
}

TEST_WITH(setup, NULL, invalid_count_is_malformed)
{
    static const float counts[] = {0, -1, 8, 99, 2.5f, NAN, INFINITY};
    struct aw_record record;
    for (size_t i = 0; i < sizeof counts / sizeof *counts; i++) {
        struct aw_error err = {0};
        assert_int_equal(decode_positions(counts[i], &record, &err), AW_MALFORMED);
        assert_non_null(strstr(err.text, "count"));
    }
}

TEST_WITH(setup, NULL, velocities_have_at_most_four_motors)
{
    uint8_t bytes[64];
    float values[15] = {4, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12};
    struct aw_record record;
    struct aw_error err;
    struct aw_span frame = {bytes, report(bytes, 1822, values, 15)};
    assert_int_equal(aw_wire_decode(&wire, AW_RX, frame, &record, &err), AW_OK);
    assert_true(aw_record_get(&record, "m4.effort") == 12);
    values[0] = 5;
    report(bytes, 1822, values, 15);
    assert_int_equal(aw_wire_decode(&wire, AW_RX, frame, &record, &err), AW_MALFORMED);
}

TEST_WITH(setup, NULL, bytes_after_the_last_motor_are_ignored)
{
    uint8_t bytes[64];
    float values[15] = {3, 1, 2, 3, 4, 5, 6, NAN, INFINITY};
    struct aw_record record;
    struct aw_error err;
    struct aw_span frame = {bytes, report(bytes, 1910, values, 15)};
    assert_int_equal(aw_wire_decode(&wire, AW_RX, frame, &record, &err), AW_OK);
    values[2] = NAN;
    report(bytes, 1910, values, 15);
    assert_int_equal(aw_wire_decode(&wire, AW_RX, frame, &record, &err), AW_MALFORMED);
    assert_true(isnan(aw_record_get(&record, "m1.position")));
    assert_true(aw_record_get(&record, "m2.position") == 4);
}

TEST_WITH(setup, NULL, direction_selects_request_or_reply)
{
    uint8_t bytes[64];
    float count = 3;
    struct aw_record record;
    struct aw_error err;
    struct aw_span frame = {bytes, report(bytes, 1910, &count, 1)};
    assert_int_equal(aw_wire_decode(&wire, AW_TX, frame, &record, &err), AW_OK);
    assert_true(isnan(aw_record_get(&record, "count")));
    assert_int_equal(aw_wire_decode(&wire, AW_RX, frame, &record, &err), AW_OK);
    assert_true(aw_record_get(&record, "count") == 3);
}

TEST_WITH(setup, NULL, motors_may_be_named_by_joint)
{
    struct aw_record record;
    struct aw_error err;
    assert_int_equal(decode_positions(3, &record, &err), AW_OK);
    assert_true(aw_record_get(&record, "base.position") == 2);
    assert_true(aw_record_get(&record, "elbow.setpoint") == 5);
    char by_number[AW_HEX_SIZE(64)], by_name[AW_HEX_SIZE(64)];
    assert_int_equal(encode_text(&wire, AW_TX, "set_setpoints", "m1=1 m2=2 m3=3", by_number, &err),
                     AW_OK);
    assert_int_equal(
        encode_text(&wire, AW_TX, "set_setpoints", "elbow=3 shoulder=2 base=1", by_name, &err),
        AW_OK);
    assert_string_equal(by_number, by_name);
}

TEST_WITH(setup, NULL, values_beyond_limits_are_refused)
{
    assert_refused(&wire, "set_setpoints", "m1=90.1 m2=0 m3=0", AW_LIMIT);
    assert_refused(&wire, "set_setpoints", "m1=0 m2=-45.5 m3=0", AW_LIMIT);
    assert_refused(&wire, "set_setpoints", "m1=0 m2=0 m3=64", AW_LIMIT);
    assert_refused(&wire, "set_setpoints", "m1=0 m2=0 m3=0 duration=-1", AW_LIMIT);
    assert_refused(&wire, "set_setpoints", "m1=nan m2=0 m3=0", AW_USAGE);
    assert_refused(&wire, "set_setpoints", "m1=0 m2=0", AW_USAGE);
    assert_refused(&wire, "set_setpoints", "m1=0 m2=0 m3=0 mode=cubic", AW_USAGE);
    assert_refused(&wire, "set_setpoints", "m1=0 m2=0 m3=0 mode=2", AW_LIMIT);
    assert_refused(&wire, "gripper", "value=181", AW_LIMIT);
    assert_refused(&wire, "gripper", "value=90.5", AW_USAGE);
    assert_refused(&wire, "light", "hue=0 saturation=1.01 value=0", AW_LIMIT);
}

TEST_WITH(setup, NULL, short_and_unknown_reports_are_explained)
{
    uint8_t bytes[64];
    struct aw_record record;
    struct aw_error err;
    report(bytes, 1910, &(float){0}, 1);
    assert_int_equal(aw_wire_decode(&wire, AW_RX, (struct aw_span){bytes, 63}, &record, &err),
                     AW_MALFORMED);
    assert_non_null(strstr(err.text, "63 bytes"));
    report(bytes, 4660, &(float){0}, 1);
    assert_int_equal(aw_wire_decode(&wire, AW_RX, (struct aw_span){bytes, 64}, &record, &err),
                     AW_MALFORMED);
    assert_non_null(strstr(err.text, "4660"));
}
