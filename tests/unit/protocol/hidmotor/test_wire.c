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

TEST_WITH(setup, NULL, readable_values_of_a_malformed_report_are_set)
{
    uint8_t bytes[64];
    struct aw_record record;
    struct aw_error err;
    static const float values[] = {3, 1, NAN, 3, 4, 5, 6};
    aw_put_u32(bytes, 1910);
    for (int i = 0; i < 7; i++)
        aw_put_f32(bytes + 4 + 4 * i, values[i]);
    struct aw_span frame = {bytes, sizeof bytes};
    assert_int_equal(aw_wire_decode(&wire, AW_RX, frame, &record, &err), AW_MALFORMED);
    assert_true(isnan(aw_record_get(&record, "m1.position")));
    assert_true(aw_record_get(&record, "m2.position") == 4);
}

TEST_WITH(setup, NULL, short_and_unknown_reports_are_explained)
{
    static const uint8_t unknown[64] = {0x34, 0x12};
    struct aw_record record;
    struct aw_error err;
    struct aw_span frame = {unknown, 63};
    assert_error_has(aw_wire_decode(&wire, AW_RX, frame, &record, &err), AW_MALFORMED, &err,
                     "63 bytes");
    frame.size = 64;
    assert_error_has(aw_wire_decode(&wire, AW_RX, frame, &record, &err), AW_MALFORMED, &err,
                     "4660");
}
