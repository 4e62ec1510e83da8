
#include "base/clock.h"
#include "protocol/armctl/axis.h"
#include "test.h"

TEST(axis_moves_at_constant_speed)
{
    struct aw_armctl_axis axis = {0};
    int64_t start = 5 * AW_SECOND;
    assert_int_equal(aw_armctl_axis_move(&axis, 90, 45, start), start + 2 * AW_SECOND);
    assert_near(aw_armctl_axis_position(&axis, start), 0, 1e-6);
    assert_near(aw_armctl_axis_position(&axis, start + AW_SECOND), 45, 1e-6);
    assert_near(aw_armctl_axis_position(&axis, start + 2 * AW_SECOND), 90, 1e-6);
    assert_near(aw_armctl_axis_position(&axis, start + 9 * AW_SECOND), 90, 1e-6);
}

TEST(axis_reverses_from_its_current_position)
{
    struct aw_armctl_axis axis = {0};
    aw_armctl_axis_move(&axis, 90, 45, 0);
    assert_int_equal(aw_armctl_axis_move(&axis, 0, 45, AW_SECOND), 2 * AW_SECOND);
    assert_near(aw_armctl_axis_position(&axis, 3 * AW_SECOND / 2), 22.5, 1e-6);
}

TEST(axis_at_its_target_arrives_at_once)
{
    struct aw_armctl_axis axis = {.to = 30};
    assert_int_equal(aw_armctl_axis_move(&axis, 30, 45, AW_SECOND), AW_SECOND);
    assert_near(aw_armctl_axis_position(&axis, AW_SECOND), 30, 1e-6);
}
