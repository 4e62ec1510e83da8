/* Experiments on joints that accept targets and report positions, through the tool's struct
 * aw_joints. The host steers joints that accept velocities. All other joints have a control loop in
 * the firmware, and the input of the process is its setpoint. */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "base/clamp.h"
#include "base/number.h"
#include "shell/safety/safety.h"
#include "tuning/verbs/experiment.h"
#include "tuning/verbs/verbs.h"

#define HZ                100.0
#define DEG               15.0 /* default deviation limit */
#define RANGE_SHARE       0.1  /* default deviation limit in other units, as a share of the range */
#define FULL_OUTPUT_ERROR 2.0  /* an error of this many deviation limits counts as full output */
#define FILTER_S          0.04 /* longer than a damaged value lasts, s */
#define USUAL                                                                                      \
    {                                                                                              \
        .unit = "", .scale = 1, .glitch_s = FILTER_S, .loop.tick_s = 1e-3, .loop.period_s = 1 / HZ \
    }

static bool is_steered(const struct aw_session *session)
{
    return session->tool->motion.steer_gain > 0;
}

static void describe(struct aw_session *session, const struct aw_joint *source,
                     struct aw_experiment_joint *joint)
{
    const char *unit = source->unit[AW_JOINT_ACTUAL];
    double scale = 1, offset, range = source->limits.max - source->limits.min;
    bool is_angle = unit && aw_number_find_scale("deg", unit, &scale, &offset);
    joint->unit = unit ? unit : "";
    joint->low = source->limits.min;
    joint->high = source->limits.max;
    joint->defaults.max_deviation = is_angle          ? DEG * scale
                                    : isfinite(range) ? RANGE_SHARE * range
                                                      : 1;
    joint->min_motion = source->tolerance.min_motion;
    if (is_steered(session)) {
        bool is_deg = strcmp(joint->unit, "deg") == 0;
        joint->defaults.max_deviation = is_deg ? DEG : 0.3;
        joint->min_motion = is_deg ? 0.5 : 0.01;
        joint->glitch_s = 0;
    }
    joint->defaults.step = joint->defaults.max_deviation * 2 / 3;
}

static struct aw_joint *get_joint(const struct aw_experiment *experiment)
{
    return &experiment->list.joints[experiment->index];
}

/* Opens the link and reads the joint. Unless it is steered, its position must be measured: the last
 * setpoint is not enough. */
static enum aw_status open(struct aw_experiment *experiment)
{
    struct aw_session *session = experiment->session;
    enum aw_status status = aw_joints_begin(session, &experiment->list);
    if (status == AW_OK)
        status = aw_joints_read(session, &experiment->list);
    if (status == AW_OK)
        status =
            aw_joints_find(session, &experiment->list, experiment->joint.name, &experiment->index);
    if (status != AW_OK)
        return status;
    struct aw_joint *joint = get_joint(experiment);
    joint->flags.can_wrap = false; /* a step must not wrap around */
    joint->steer.max_steer_speed =
        isfinite(joint->limits.max_speed) ? joint->limits.max_speed : session->options.move.speed;
    return is_steered(session) || !isnan(joint->state.value[AW_JOINT_ACTUAL])
               ? AW_OK
               : aw_fail(&session->err, AW_REFUSED,
                         "%s: position unknown — check that the device reports it",
                         experiment->joint.name);
}

/* Estimates the quantity that drives the joint, as a share of full output. For a steered joint it
 * is the share of the max speed. */
static double estimate_output(const struct aw_experiment *experiment, double error)
{
    const struct aw_joint *joint = get_joint(experiment);
    return is_steered(experiment->session)
               ? aw_joint_steer_velocity(experiment->session, joint) / joint->steer.max_steer_speed
               : aw_clamp(error / (FULL_OUTPUT_ERROR * experiment->joint.defaults.max_deviation),
                          -1, 1);
}

static bool handle_joints(void *context, const struct aw_joint_list *list)
{
    struct aw_experiment *experiment = context;
    const struct aw_joint_state *now = &list->joints[experiment->index].state;
    double measured = now->value[AW_JOINT_ACTUAL];
    bool is_new = now->time_ns[AW_JOINT_ACTUAL] > experiment->time.sample_ns;
    double error =
        isnan(experiment->command.commanded) ? 0 : experiment->command.commanded - measured;
    if (isnan(measured) || !is_new)
        return true;
    struct aw_experiment_sample sample = {.setpoint = NAN,
                                          .measured = measured,
                                          .output = estimate_output(experiment, error),
                                          .fault = now->fault};
    experiment->time.sample_ns = now->time_ns[AW_JOINT_ACTUAL];
    experiment->sampling.needs_more = aw_experiment_sample(experiment, &sample);
    if (experiment->motion.verdict != AW_MOTION_OK)
        aw_joints_end_steering(&experiment->list);
    return experiment->sampling.needs_more;
}

/* Ignores a timeout of a joint that is not steered, because the monitor detects silence. */
static enum aw_status read_samples(struct aw_experiment *experiment, int64_t deadline)
{
    struct aw_session *session = experiment->session;
    bool steered = is_steered(session);
    enum aw_status status = AW_OK;
    experiment->sampling.needs_more = true;
    while (status == AW_OK && experiment->sampling.needs_more &&
           aw_clock_now(session->clock) < deadline)
        status = aw_joints_attend(session, &experiment->list, deadline, steered ? 0 : HZ,
                                  handle_joints, experiment);
    return status == AW_TIMEOUT && !steered ? AW_OK : status;
}

/* Sends the setpoint at once, or steers to it. Without a known speed, the firmware moves as fast as
 * it can. */
static enum aw_status send_setpoint(struct aw_experiment *experiment, double value)
{
    struct aw_session *session = experiment->session;
    const struct aw_joint_goal goal = {experiment->index, value};
    const struct aw_joint_command command = {
        .kind = AW_JOINT_TARGETS, .goals = &goal, .n = 1, .is_stream = true, .show_ns = AW_NO_TIME};
    const struct aw_joint *joint = get_joint(experiment);
    double previous = isnan(experiment->command.sent_setpoint) ? joint->state.value[AW_JOINT_ACTUAL]
                                                               : experiment->command.sent_setpoint;
    if (!is_steered(session) && !(fabs(value - previous) * HZ <= joint->limits.max_speed) &&
        !session->options.run.force)
        return aw_fail(
            &session->err, AW_LIMIT,
            "%s: the step from %.4g to %.4g %s exceeds its speed of %g %s — use "
            "--force to allow it",
            joint->name, previous, value, experiment->joint.unit, joint->limits.max_speed,
            joint->unit[AW_JOINT_VELOCITY] ? joint->unit[AW_JOINT_VELOCITY] : "per second");
    aw_session_start_motion(session);
    experiment->command.sent_setpoint = value;
    return aw_joints_command(session, &experiment->list, &command);
}

/* Ends a motion. Holds a joint that has not reached its target, because it would keep pulling. */
static enum aw_status end_motion(struct aw_experiment *experiment, enum aw_status status)
{
    struct aw_session *session = experiment->session;
    double error = experiment->command.commanded - experiment->sampling.last.measured;
    bool has_arrived =
        is_steered(session) || fabs(error) <= get_joint(experiment)->tolerance.tolerance;
    if (status == AW_OK && session->tool->safety.stop && !has_arrived)
        status = session->tool->safety.stop(session);
    return aw_joints_end(session, &experiment->list, status);
}

static const struct aw_experiment_hooks target_joints = {
    .defaults = USUAL,
    .describe = describe,
    .open = open,
    .idle = read_samples,
    .setpoint = send_setpoint,
    .end = end_motion,
    .tuning.input = AW_INPUT_SETPOINT,
};

const struct aw_experiment_hooks *aw_experiment_get_hooks(const struct aw_session *session)
{
    const struct aw_experiment_hooks *hooks = session->tool->motion.experiments;
    return hooks ? hooks : &target_joints;
}
