#include "protocol/hidmotor/wire.h"

#include "base/bytes.h"
#include "wire_helper.h"

static struct aw_wire wire;

static int setup(void **state)
{
    (void)state;
    aw_wire_init(&wire, &aw_hidmotor_protocol, NULL, false);
    return 0;
}

static void every_field_survives(void **state)
{
    (void)state;
    check_protocol(&aw_hidmotor_protocol);
    check_documented(&aw_hidmotor_protocol);
}

/* 64 bytes from the floats given, after the id */
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

static void count_says_how_many_motors_there_are(void **state)
{
    (void)state;
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

static void a_count_that_cannot_be_is_malformed(void **state)
{
    (void)state;
    static const float counts[] = {0, -1, 8, 99, 2.5f, NAN, INFINITY};
    struct aw_record record;
    for (size_t i = 0; i < sizeof counts / sizeof *counts; i++) {
        struct aw_error err = {0};
        assert_int_equal(decode_positions(counts[i], &record, &err), AW_MALFORMED);
        assert_non_null(strstr(err.text, "count"));
    }
}

static void velocities_have_at_most_four_motors(void **state)
{
    (void)state;
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

static void bytes_after_the_last_motor_are_an_echo_and_ignored(void **state)
{
    (void)state;
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

static void the_direction_decides_between_request_and_reply(void **state)
{
    (void)state;
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

static void motors_have_the_names_of_joints(void **state)
{
    (void)state;
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

static void what_the_arm_cannot_do_is_refused(void **state)
{
    (void)state;
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

static void short_and_unknown_reports_are_explained(void **state)
{
    (void)state;
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

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup(every_field_survives, setup),
        cmocka_unit_test_setup(count_says_how_many_motors_there_are, setup),
        cmocka_unit_test_setup(a_count_that_cannot_be_is_malformed, setup),
        cmocka_unit_test_setup(velocities_have_at_most_four_motors, setup),
        cmocka_unit_test_setup(bytes_after_the_last_motor_are_an_echo_and_ignored, setup),
        cmocka_unit_test_setup(the_direction_decides_between_request_and_reply, setup),
        cmocka_unit_test_setup(motors_have_the_names_of_joints, setup),
        cmocka_unit_test_setup(what_the_arm_cannot_do_is_refused, setup),
        cmocka_unit_test_setup(short_and_unknown_reports_are_explained, setup),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
