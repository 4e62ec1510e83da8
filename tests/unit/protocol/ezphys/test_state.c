#include "protocol/ezphys/state.h"

#include "ezphys_helper.h"

static struct aw_wire wire;
static struct aw_ezphys_state state;
static struct aw_ezphys_names names;

static void setup(void)
{
    aw_wire_init(&wire, &aw_ezphys_protocol, NULL, false);
    memset(&state, 0, sizeof state);
    names.n = 0;
}

/* Applies a message, for example "joint_axis" with "id=3 displacement=1 angular_velocity=2". */
static void take(const char *message, const char *text)
{
    struct aw_record record;
    struct aw_error err;
    char copy[512], *save;
    aw_record_init(&record, aw_wire_codec(&wire, message, AW_RX), AW_RX);
    snprintf(copy, sizeof copy, "%s", text);
    for (char *pair = strtok_r(copy, " ", &save); pair; pair = strtok_r(NULL, " ", &save)) {
        char *value = strchr(pair, '=');
        *value++ = '\0';
        assert_ok(aw_record_set_text(&record, pair, value, &err), &err);
    }
    aw_ezphys_state_update(&state, &names, &record);
}

TEST_WITH(setup, NULL, bodies_and_joints_have_separate_numbers)
{
    struct aw_error err;
    aw_ezphys_names_add(&names, AW_EZPHYS_BODY, 1, "bob", NULL, &err);
    aw_ezphys_names_add(&names, AW_EZPHYS_JOINT, 1, "pivot", NULL, &err);
    aw_ezphys_state_begin(&state);
    take("limb",
         "id=1 position.x=1 rotation.w=0.5 rotation.z=0.25 torque.y=4 angular_velocity.z=7");
    assert_string_equal(state.subject.object->name, "bob");
    take("joint_axis", "id=1 displacement=0.5 angular_velocity=-1");
    assert_string_equal(state.subject.object->name, "pivot");
    const struct aw_ezphys_body *bob = aw_ezphys_state_find_body(&state, "1");
    assert_ptr_equal(bob, aw_ezphys_state_find_body(&state, "bob"));
    assert_true(bob->position[0] == 1 && bob->rotation[0] == 0.5 && bob->rotation[3] == 0.25);
    assert_true(bob->torque[1] == 4 && bob->angular_velocity[2] == 7);
    assert_true(aw_ezphys_state_find_joint(&state, "pivot")->axes[0].velocity == -1);
    assert_null(aw_ezphys_state_find_joint(&state, "bob"));
    assert_null(aw_ezphys_state_find_joint(&state, "2"));
}

TEST_WITH(setup, NULL, feedback_does_not_count_as_an_axis)
{
    aw_ezphys_state_begin(&state);
    take("joint_axis", "id=4 displacement=1 angular_velocity=0");
    take("joint_feedback", "id=4 force1.z=-20 torque2.x=3");
    take("joint_axis", "id=4 displacement=2 angular_velocity=0");
    take("joint_axis", "id=4 displacement=3 angular_velocity=0");
    take("joint_axis", "id=4 displacement=9 angular_velocity=0"); /* at most three axes */
    const struct aw_ezphys_joint *joint = aw_ezphys_state_find_joint(&state, "joint4");
    assert_int_equal(joint->n_axes, 3);
    assert_int_equal(joint->n_feedback, 1);
    assert_true(joint->force1[2] == -20 && joint->torque2[0] == 3);
    for (int i = 0; i < 3; i++)
        assert_true(joint->axes[i].displacement == i + 1);
    aw_ezphys_state_begin(&state);
    take("joint_axis", "id=4 displacement=7 angular_velocity=0");
    assert_int_equal(state.subject.axis, 1);
    assert_true(joint->axes[0].displacement == 7);
}

TEST_WITH(setup, NULL, each_message_replaces_the_contacts)
{
    aw_ezphys_state_begin(&state);
    take("collision", "id=5 x=1 y=2 z=3 depth=0.01");
    take("collision", "id=6 x=1 y=2 z=3 depth=0.01");
    assert_int_equal(state.n_contacts, 2);
    assert_string_equal(state.contacts[1].object.name, "body6");
    aw_ezphys_state_begin(&state);
    assert_int_equal(state.n_contacts, 0);
    for (int i = 0; i < 100; i++)
        take("collision", "id=5 x=1 y=2 z=3 depth=0.01");
    assert_int_equal(state.n_contacts, AW_EZPHYS_CONTACTS);
    assert_int_equal(state.counts.overflow, 100 - AW_EZPHYS_CONTACTS);
}

TEST_WITH(setup, NULL, decreasing_step_starts_a_new_epoch)
{
    aw_ezphys_state_begin(&state);
    take("timestamp", "step=10 step_size=0.5");
    take("limb", "id=1 position.x=1");
    assert_true(aw_ezphys_state_time(&state) == 5);
    uint64_t epoch = state.epoch;
    aw_ezphys_state_begin(&state);
    take("timestamp", "step=11 step_size=0.5");
    assert_int_equal(state.epoch, epoch);
    aw_ezphys_state_begin(&state);
    take("timestamp", "step=0 step_size=0.5");
    assert_int_equal(state.epoch, epoch + 1);
    assert_int_equal(state.n_bodies, 0);
    assert_true(aw_ezphys_state_time(&state) == 0);
}

TEST_WITH(setup, NULL, commands_do_not_change_the_state)
{
    struct aw_record record;
    aw_record_init(&record, aw_wire_codec(&wire, "axis_motor", AW_TX), AW_TX);
    aw_ezphys_state_begin(&state);
    aw_ezphys_state_update(&state, &names, &record);
    assert_int_equal(state.counts.packets, 0);
    assert_null(state.subject.object);
}

TEST_WITH(setup, NULL, step_beyond_the_range_saturates)
{
    struct aw_variant variant = *aw_protocol_variant(&aw_ezphys_protocol, "le32");
    variant.long_bits = 64;
    aw_wire_init(&wire, &aw_ezphys_protocol, &variant, false);
    aw_ezphys_state_begin(&state);
    take("timestamp", "step=9223372036854775807 step_size=0.5"); /* 2^63 as a double */
    assert_true(state.step == INT64_MAX);
    aw_ezphys_state_begin(&state);
    take("timestamp", "step=-9223372036854775808 step_size=0.5");
    assert_true(state.step == INT64_MIN);
}
