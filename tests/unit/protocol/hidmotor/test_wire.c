/* Tests properties not covered by tests/golden/hidmotor.txt, which has bytes, units, names and
 * limits. */
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

TEST_WITH(setup, NULL, short_and_unknown_reports_are_explained)
{
    uint8_t bytes[64];
    struct aw_record record;
    struct aw_error err;
    report(bytes, 1910, &(float){0}, 1);
    assert_error_has(aw_wire_decode(&wire, AW_RX, (struct aw_span){bytes, 63}, &record, &err),
                     AW_MALFORMED, &err, "63 bytes");
    report(bytes, 4660, &(float){0}, 1);
    assert_error_has(aw_wire_decode(&wire, AW_RX, (struct aw_span){bytes, 64}, &record, &err),
                     AW_MALFORMED, &err, "4660");
}
