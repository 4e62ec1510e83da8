#include "protocol/armctl/wire.h"
#include "view_helper.h"

static void test_names(void **state)
{
    struct points_rig *rig = points_new();
    (void)state;
    points_of(rig, "joint", AW_RX, "lknee", "torque=-3.125");
    assert_int_equal(rig->n, 4);
    assert_string_equal(rig->points[0].field, "board");
    assert_true(rig->points[0].about);
    assert_string_equal(rig->points[3].name, "lknee.torque");
    assert_string_equal(rig->points[3].field, "torque");
    assert_string_equal(rig->points[3].message, "joint");
    assert_string_equal(rig->points[3].subject, "lknee");
    assert_false(rig->points[3].about);
    assert_true(rig->points[3].value == -3.125);
    assert_null(rig->points[3].text);
    free(rig);
}

/* A command's fields are told from the telemetry's. */
static void test_command(void **state)
{
    struct points_rig *rig = points_new();
    (void)state;
    points_of(rig, "setpoint", AW_TX, "lknee", "controller=tor value=-5");
    assert_string_equal(rig->points[rig->n - 2].name, "lknee.setpoint.value");
    assert_string_equal(rig->points[rig->n - 1].text, "tor");
    free(rig);
}

/* Fields that several messages have get the name of the message. */
static void test_shared(void **state)
{
    struct aw_wire *wire = calloc(1, sizeof *wire);
    struct aw_names *names = calloc(1, sizeof *names);
    struct aw_point points[8];
    struct aw_record record;
    (void)state;
    aw_wire_init(wire, &aw_armctl_protocol, NULL, false);
    aw_names_init(names, wire);
    aw_record_init(&record, aw_wire_codec(wire, "deg", AW_RX), AW_RX);
    aw_record_set(&record, "joint", 1, NULL);
    aw_record_set(&record, "angle", 90, NULL);
    size_t n = aw_record_points(names, &record, "", points, 8);
    assert_int_equal(n, 3);
    assert_string_equal(points[0].name, "deg.seq");
    assert_string_equal(points[1].name, "deg.joint");
    assert_string_equal(points[2].name, "angle");
    assert_int_equal(aw_record_points(names, &record, "", points, 2), 2);
    free(names);
    free(wire);
}

static void test_path(void **state)
{
    struct points_rig *rig = points_new();
    struct aw_point point;
    (void)state;
    aw_path_point(&rig->names, "joint", "torque", 1.5, NULL, &point);
    assert_string_equal(point.name, "torque");
    assert_non_null(point.codec);
    assert_string_equal(aw_scalar_range(point.codec, point.scalar, NULL).unit, "Nm");
    aw_path_point(&rig->names, "positions", "m1.position", 1.5, NULL, &point);
    assert_null(point.codec);
    aw_path_point(&rig->names, NULL, "anything at all", NAN, "text", &point);
    assert_null(point.codec);
    assert_string_equal(point.text, "text");
    free(rig);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_names),
        cmocka_unit_test(test_command),
        cmocka_unit_test(test_shared),
        cmocka_unit_test(test_path),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
