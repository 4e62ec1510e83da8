/* Tests the joints of a made-up tool: lookup, parsing, checks, commands and waiting. */
#include "shell/joints/joints.h"

#include "joints_helper.h"

static double speed = 100;

static enum aw_status list_them(struct aw_session *s, struct aw_joint_list *joints)
{
    struct aw_joint *elbow = aw_joints_add(s, joints, "m1");
    snprintf(elbow->alias, sizeof elbow->alias, "elbow");
    elbow->unit[AW_JOINT_ACTUAL] = "deg";
    elbow->unit[AW_JOINT_VELOCITY] = "deg/s";
    elbow->limits.min = -90;
    elbow->limits.max = 90;
    elbow->limits.max_speed = 50;
    elbow->tolerance.tolerance = 0.5;
    elbow->full_effort = 255;
    elbow->flags.accepts = AW_JOINT_TAKES_TARGETS | AW_JOINT_TAKES_VELOCITIES;
    struct aw_joint *hand = aw_joints_add(s, joints, "hand");
    hand->flags.is_blind = true;
    hand->flags.accepts = AW_JOINT_TAKES_TARGETS;
    return AW_OK;
}

static bool has_others(struct aw_session *s, const char *text, struct aw_joint *joint)
{
    (void)s;
    joint->flags.undescribed = true;
    joint->id = 7;
    return text && strcmp(text, "7") == 0;
}

static enum aw_status command_it(struct aw_session *s, struct aw_joint_list *joints,
                                 const struct aw_joint_command *command)
{
    (void)s, (void)joints;
    sent += command->n;
    return AW_OK;
}

/* Each call takes 10 ms; the elbow moves up as far as possible. */
static enum aw_status attend_it(struct aw_session *s, struct aw_joint_list *joints,
                                int64_t deadline, double rate_hz, aw_joints_report_fn *look,
                                void *context)
{
    (void)rate_hz;
    for (int64_t t = aw_clock_now(s->clock); t < deadline; t += 10 * AW_MILLISECOND) {
        double at = joints->joints[0].state.value[AW_JOINT_ACTUAL];
        at = fmin((isnan(at) ? 0 : at) + speed / 100, stops_at);
        aw_joint_set_value(&joints->joints[0], AW_JOINT_ACTUAL, at, t);
        if (look && !look(context, joints))
            return AW_OK;
    }
    return AW_OK;
}

/* ---- Steered joints: they accept velocities and have their own clock ---- */

/* Moves the joint in steps of 10 ms, up to its stop_joints, until look returns false. */
static enum aw_status turn_it(struct aw_session *s, struct aw_joint_list *them, int64_t deadline,
                              double rate_hz, aw_joints_report_fn *look, void *context)
{
    (void)s;
    assert_true(deadline == AW_NEVER && isinf(rate_hz)); /* returns without waiting */
    for (int i = 0; i < 100000; i++) {
        double at = them->joints[0].state.value[AW_JOINT_ACTUAL];
        device_ns += 10 * AW_MILLISECOND;
        at = isnan(at) ? at : fmin(at + velocity / 100, stops_at);
        aw_joint_set_value(&them->joints[0], AW_JOINT_ACTUAL, at, 0);
        if (look && !look(context, them))
            return AW_OK;
    }
    return AW_TIMEOUT;
}

static const struct aw_joints steered_joints = {.run.open = open_it,
                                                .info.list = list_them,
                                                .run.command = set_velocity,
                                                .run.attend = turn_it,
                                                .run.now = device_time};

static void start_steered(void)
{
    device_ns = 0;
    start_joints(&steered_joints);
    aw_joint_set_value(&list.joints[0], AW_JOINT_ACTUAL, 0, 0);
}

/* Moves at the joint's speed until it arrives. */
TEST_WITH(start_steered, stop_joints, steered_joint_reaches_its_target)
{
    const struct aw_joint_goal goal = {0, 30};
    struct aw_joint_command command = {AW_JOINT_TARGETS, &goal, 1, NAN, false, AW_NO_TIME};
    assert_int_equal(aw_joints_command(session, &list, &command), AW_OK);
    assert_int_equal(sent, 0);
    assert_int_equal(aw_joints_await(session, &list, &command, NAN, 0), AW_OK);
    assert_float_equal(list.joints[0].state.value[AW_JOINT_ACTUAL], 30, 0.5);
    assert_true(fastest <= 50);
    assert_true(device_ns > 600 * AW_MILLISECOND && device_ns < 1000 * AW_MILLISECOND);
    stops_at = 20;
    aw_joint_set_value(&list.joints[0], AW_JOINT_ACTUAL, 0, 0);
    assert_int_equal(aw_joints_await(session, &list, &command, NAN, 0), AW_TIMEOUT);
    assert_string_equal(
        session->err.text,
        "elbow is still 10 deg from its target — check for an obstacle or end stop");
}

/* The path is followed at its own velocity; the lag is one step. */
TEST_WITH(start_steered, stop_joints, steered_joint_follows_a_path)
{
    for (int tick = 0; tick <= 50; tick++) {
        const struct aw_joint_goal goal = {0, 0.4 * tick};
        struct aw_joint_command command = {AW_JOINT_TARGETS, &goal, 1, 0.02, true, AW_NO_TIME};
        assert_int_equal(aw_joints_send_unchecked(session, &list, &command), AW_OK);
        assert_int_equal(
            aw_joints_attend_until(session, &list, device_ns + 20 * AW_MILLISECOND, NULL, NULL),
            AW_OK);
    }
    assert_float_equal(list.joints[0].state.value[AW_JOINT_ACTUAL], 20, 0.5);
    assert_float_equal(velocity, 20, 2);
    assert_float_equal(fastest, 20, 3);
}

TEST_WITH(start_steered, stop_joints, steered_joint_without_a_position_stays)
{
    const struct aw_joint_goal goal = {0, 30};
    struct aw_joint_command command = {AW_JOINT_TARGETS, &goal, 1, NAN, true, AW_NO_TIME};
    aw_joint_set_value(&list.joints[0], AW_JOINT_ACTUAL, NAN, 0);
    assert_int_equal(aw_joints_send_unchecked(session, &list, &command), AW_OK);
    aw_joints_attend_until(session, &list, device_ns + 50 * AW_MILLISECOND, NULL, NULL);
    assert_true(sent > 0);
    assert_float_equal(fastest, 0, 0);
}

static const struct aw_joints joints = {.run.open = open_it,
                                        .info.list = list_them,
                                        .info.find_other = has_others,
                                        .run.command = command_it,
                                        .run.attend = attend_it};

static void start(void)
{
    start_joints(&joints);
}

TEST_WITH(start, stop_joints, joints_are_found_by_name)
{
    static const struct {
        const char *text;
        size_t joint; /* index; 9: not found */
        const char *why;
    } rows[] = {
        {"m1", 0, ""},
        {"elbow", 0, ""},
        {"hand", 1, ""},
        {"7", 2, ""},
        {"elbw", 9, "joint 'elbw' not found — did you mean 'elbow'?"},
        {"x", 9, "joint 'x' not found — use elbow, hand, 7"},
    };
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        size_t at;
        enum aw_status status = aw_joints_find(session, &list, rows[i].text, &at);
        assert_int_equal(status, rows[i].joint == 9 ? AW_USAGE : AW_OK);
        if (status == AW_OK)
            assert_int_equal(at, rows[i].joint);
        else
            assert_string_equal(session->err.text, rows[i].why);
    }
    assert_true(list.joints[2].flags.undescribed);
    assert_string_equal(list.joints[2].name, "7");
}

TEST_WITH(start, stop_joints, joint_values_are_unknown_before_the_first_message)
{
    const struct aw_joint *elbow = &list.joints[0];
    for (int i = 0; i < AW_JOINT_VALUES; i++) {
        assert_true(isnan(elbow->state.value[i]));
        assert_true(elbow->state.time_ns[i] == AW_NO_TIME);
    }
    assert_true(isnan(aw_joint_age(session, elbow)));
    struct aw_motion_sample sample = aw_joint_sample(session, elbow, 10);
    assert_true(isnan(sample.measured) && isnan(sample.output) && sample.target == 10);
    aw_joint_set_value(&list.joints[0], AW_JOINT_EFFORT, 51, 0);
    assert_float_equal(aw_joint_sample(session, elbow, 10).output, 0.2, 1e-9);
}

/* A command without a --dry-run check must not read from a device that is not open. */
TEST_WITH(start, stop_joints, dry_run_reads_nothing_from_the_device)
{
    set_option("dry-run", "1");
    session->device.link = NULL;
    assert_int_equal(aw_joints_read(session, &list), AW_STOPPED);
    assert_int_equal(aw_joints_read_new(session, &list), AW_STOPPED);
    assert_non_null(session->run.dry_run_reason);
    session->run.dry_run_reason = NULL;
}

/* If an angle wraps, its measured position is reported in the turn nearest the target. */
TEST_WITH(start, stop_joints, wrapping_position_is_in_the_turn_nearest_the_target)
{
    struct aw_joint *elbow = &list.joints[0];
    aw_joint_set_value(elbow, AW_JOINT_ACTUAL, -3.1, 0);
    assert_float_equal(aw_joint_position(elbow, 3.3), -3.1, 0);
    elbow->flags.can_wrap = true;
    assert_float_equal(aw_joint_position(elbow, 3.3), (float)(2 * M_PI - 3.1), 1e-5F);
    assert_float_equal(aw_joint_position(elbow, -3.3), -3.1, 0);
    assert_float_equal(aw_joint_position(elbow, NAN), -3.1, 0);
    assert_float_equal(aw_joint_sample(session, elbow, 3.3).measured, (float)(2 * M_PI - 3.1),
                       1e-5F);
}

TEST_WITH(start, stop_joints, invalid_joint_commands_are_refused)
{
    static const struct {
        enum aw_joint_kind what;
        size_t joint;
        double value;
        enum aw_status status;
        const char *why;
    } rows[] = {
        {AW_JOINT_TARGETS, 0, 90, AW_OK, ""},
        {AW_JOINT_TARGETS, 0, 90.5, AW_LIMIT,
         "elbow: 90.5 deg is out of range (-90 to 90 deg) — give --force to override"},
        {AW_JOINT_TARGETS, 0, NAN, AW_USAGE, "elbow: nan is not a finite number — correct it"},
        {AW_JOINT_TARGETS, 0, 1e39, AW_USAGE,
         "elbow: 1e+39 is out of range for a 32-bit float — use a smaller value"},
        {AW_JOINT_VELOCITIES, 0, -50, AW_OK, ""},
        {AW_JOINT_VELOCITIES, 0, -51, AW_LIMIT,
         "elbow: -51 deg/s is out of range (-50 to 50 deg/s) — give --force to override"},
        {AW_JOINT_VELOCITIES, 1, 1, AW_USAGE,
         "hand: velocities not supported — choose another joint (see 'limits')"},
        {AW_JOINT_TARGETS, 1, 1e6, AW_OK, ""},
    };
    size_t good = 0;
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        struct aw_joint_goal goal = {rows[i].joint, rows[i].value};
        struct aw_joint_command command = {rows[i].what, &goal, 1, NAN, false, AW_NO_TIME};
        assert_int_equal(aw_joints_command(session, &list, &command), rows[i].status);
        good += rows[i].status == AW_OK;
        if (rows[i].status != AW_OK)
            assert_string_equal(session->err.text, rows[i].why);
        assert_int_equal(sent, good); /* refused commands are not sent */
    }
}

TEST_WITH(start, stop_joints, joint_values_are_parsed)
{
    double value;
    assert_int_equal(
        aw_joints_parse_value(session, &list.joints[0], AW_JOINT_TARGETS, "0.5rad", &value), AW_OK);
    assert_float_equal(value, 28.6478898, 1e-6);
    assert_int_equal(
        aw_joints_parse_value(session, &list.joints[0], AW_JOINT_VELOCITIES, "-30", &value), AW_OK);
    assert_float_equal(value, -30, 0);
    assert_int_equal(
        aw_joints_parse_value(session, &list.joints[0], AW_JOINT_TARGETS, "3mm", &value), AW_USAGE);
}

TEST_WITH(start, stop_joints, arrival_is_detected)
{
    const struct aw_joint_goal goals[] = {{0, 30}, {1, 1}}; /* the hand's position is unknown */
    struct aw_joint_command command = {AW_JOINT_TARGETS, goals, 2, NAN, false, AW_NO_TIME};
    int64_t now = aw_clock_now(session->clock);
    assert_int_equal(aw_joints_await(session, &list, &command, NAN, aw_time_after(now, 60)), AW_OK);
    assert_float_equal(list.joints[0].state.value[AW_JOINT_ACTUAL], 30, 1);
    aw_joint_set_value(&list.joints[0], AW_JOINT_ACTUAL, 0, now);
    stops_at = 20;
    assert_int_equal(aw_joints_await(session, &list, &command, NAN, aw_time_after(now, 1)),
                     AW_TIMEOUT);
    assert_string_equal(
        session->err.text,
        "elbow is still 10 deg from its target — check for an obstacle or end stop");
}

TEST_WITH(start, stop_joints, unmeasured_joint_has_not_arrived)
{
    const struct aw_joint_goal goal = {0, 30};
    struct aw_joint_command command = {AW_JOINT_TARGETS, &goal, 1, NAN, false, AW_NO_TIME};
    int64_t now = aw_clock_now(session->clock);
    assert_int_equal(aw_joints_await(session, &list, &command, NAN, now), AW_TIMEOUT);
    assert_string_equal(session->err.text, "elbow: position unknown — check power and link");
}
