/* Tests the approach to the first target and what ends it. */
#include "shell/joints/start_check.h"

#include "joints_helper.h"

static int64_t fails_at_ns, silent_at_ns, gap_at_ns;
static double target;

static enum aw_status list_it(struct aw_session *s, struct aw_joint_list *joints)
{
    struct aw_joint *elbow = aw_joints_add(s, joints, "elbow");
    elbow->unit[AW_JOINT_ACTUAL] = "deg";
    elbow->unit[AW_JOINT_VELOCITY] = "deg/s";
    elbow->limits.max_speed = 50;
    elbow->tolerance.max_deviation = 5;
    elbow->flags.accepts = AW_JOINT_TAKES_TARGETS;
    return AW_OK;
}

static enum aw_status command_it(struct aw_session *s, struct aw_joint_list *joints,
                                 const struct aw_joint_command *command)
{
    (void)s, (void)joints;
    fastest = fmax(fastest, fabs(command->goals[0].value - target) / command->seconds);
    target = command->goals[0].value;
    return AW_OK;
}

/* Each call takes 10 ms; the joint follows its target up to its stop. */
static enum aw_status attend_it(struct aw_session *s, struct aw_joint_list *them, int64_t deadline,
                                double rate_hz, aw_joints_report_fn *look, void *context)
{
    struct aw_joint_state *now = &them->joints[0].state;
    (void)deadline, (void)rate_hz;
    do {
        bool silent = device_ns >= silent_at_ns;
        device_ns += 10 * AW_MILLISECOND;
        if (device_ns > gap_at_ns) { /* the program was suspended */
            device_ns += 2 * AW_SECOND;
            gap_at_ns = AW_NEVER;
        }
        aw_joint_set_value(&them->joints[0], AW_JOINT_ACTUAL, fmin(target, stops_at),
                           aw_clock_now(s->clock) - (silent ? AW_SECOND : 0));
        now->has_fault = device_ns >= fails_at_ns;
        now->fault = now->has_fault ? "overheated" : NULL;
    } while (look(context, them) && device_ns < 100 * AW_SECOND);
    return AW_OK;
}

/* A joint that accepts velocities, with an angle that wraps. */
static enum aw_status turns(struct aw_session *s, struct aw_joint_list *them, int64_t deadline,
                            double rate_hz, aw_joints_report_fn *look, void *context)
{
    (void)deadline, (void)rate_hz;
    do {
        double at = them->joints[0].state.value[AW_JOINT_ACTUAL] + velocity / 100;
        device_ns += 10 * AW_MILLISECOND;
        aw_joint_set_value(&them->joints[0], AW_JOINT_ACTUAL, remainder(at, 2 * M_PI),
                           aw_clock_now(s->clock));
    } while (look(context, them) && device_ns < 100 * AW_SECOND);
    return AW_OK;
}

static const struct aw_joints joints = {.run.open = open_it,
                                        .info.list = list_it,
                                        .run.command = command_it,
                                        .run.attend = attend_it,
                                        .run.now = device_time,
                                        .traits.rate_hz = 50};

static void start(void)
{
    fails_at_ns = silent_at_ns = gap_at_ns = AW_NEVER;
    device_ns = AW_SECOND;
    target = 0;
    start_joints(&joints);
    aw_joint_set_value(&list.joints[0], AW_JOINT_ACTUAL, 0, aw_clock_now(session->clock));
}

/* Approaches 60 deg at 15 deg/s, which takes 4 s. */
static enum aw_status go(void)
{
    const struct aw_joint_goal goal = {0, 60};
    return aw_start_approach(session, &list, &goal, 1);
}

TEST_WITH(start, stop_joints, approach_reaches_the_first_target)
{
    assert_int_equal(go(), AW_OK);
    assert_float_equal(target, 60, 1e-9);
    assert_float_equal(fastest, 15, 0.1);
}

TEST_WITH(start, stop_joints, problems_end_the_approach)
{
    static const struct {
        double stops_at;
        int64_t fails_at_s, silent_at_s;
        enum aw_status status;
        const char *text;
        double max_target;
    } cases[] = {
        {20, 999, 999, AW_REFUSED,
         "elbow stays 10 deg behind its target, more than --max-lag 5 for 0.3 s — "
         "check for an obstacle, or lower --approach",
         31},
        {INFINITY, 2, 999, AW_REFUSED,
         "elbow: reported overheated during the approach — clear the fault first", 16},
        {INFINITY, 999, 2, AW_TIMEOUT,
         "elbow: no reports during the approach — check its power and the link", 16},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        stop_joints();
        start();
        stops_at = cases[i].stops_at;
        fails_at_ns = cases[i].fails_at_s * AW_SECOND;
        silent_at_ns = cases[i].silent_at_s * AW_SECOND;
        assert_int_equal(go(), cases[i].status);
        assert_string_equal(session->err.text, cases[i].text);
        assert_true(target < cases[i].max_target);
    }
}

/* Continues from the current position, regardless of the elapsed time. */
TEST_WITH(start, stop_joints, approach_continues_after_a_suspension)
{
    gap_at_ns = 2 * AW_SECOND;
    assert_int_equal(go(), AW_OK);
    assert_float_equal(fastest, 15, 0.1);
    assert_true(device_ns > 7 * AW_SECOND - AW_SECOND / 10);
}

static const struct aw_joints turning = {.run.open = open_it,
                                         .info.list = list_it,
                                         .run.command = set_velocity,
                                         .run.attend = turns,
                                         .run.now = device_time,
                                         .traits.rate_hz = 50};

TEST_WITH(start, stop_joints, approach_crosses_the_wrap_of_the_angle)
{
    const struct aw_joint_goal goal = {0, 3.4};
    struct aw_joint *joint = &list.joints[0];
    tool.motion.joints = &turning;
    tool.motion.steer_gain = 5;
    joint->unit[AW_JOINT_ACTUAL] = "rad";
    joint->unit[AW_JOINT_VELOCITY] = "rad/s";
    joint->limits.max_speed = INFINITY;
    joint->tolerance.max_deviation = 0.5;
    joint->flags.accepts = AW_JOINT_TAKES_VELOCITIES;
    joint->flags.can_wrap = true;
    aw_joint_set_value(joint, AW_JOINT_ACTUAL, 2.9, aw_clock_now(session->clock));
    assert_int_equal(aw_start_approach(session, &list, &goal, 1), AW_OK);
    assert_float_equal(joint->state.value[AW_JOINT_ACTUAL], (float)(3.4 - 2 * M_PI), 0.05F);
    assert_true(fastest < 1.5);
}
