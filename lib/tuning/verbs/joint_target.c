/* Experiments on joints that accept targets and report positions, through the tool's struct
 * aw_joints. The host steers joints that accept velocities. All other joints have a control loop in
 * the firmware, and the input of the process is its setpoint. If the packet file names the fields
 * of the loop's gains, tune uses the loop's output. That output is not reported; while kp is the
 * only gain, it is kp times the error. */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "base/clamp.h"
#include "base/number.h"
#include "shell/custom/custom_parts.h"
#include "shell/safety/safety.h"
#include "tuning/verbs/experiment.h"
#include "tuning/verbs/verbs.h"

#define COARSE   0.2 /* max relative rounding error of kp in the packet */
#define HZ       100.0
#define DEG      15.0 /* default deviation limit */
#define OF_RANGE 0.1  /* default deviation limit in other units, as a share of the range */
#define PULLS    2.0  /* an error of this many deviation limits counts as full output */
#define FILTER_S 0.04 /* longer than a damaged value lasts, s */
#define USUAL                                                                                      \
    {                                                                                              \
        .unit = "", .scale = 1, .glitch_s = FILTER_S, .loop.tick_s = 1e-3, .loop.period_s = 1 / HZ \
    }
/* the output of kp at this share of max_deviation is the amplitude of experiments */
#define PART 0.5

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
    joint->defaults.max_deviation = is_angle ? DEG * scale : isfinite(range) ? OF_RANGE * range : 1;
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

/* Requires a measured position: the last setpoint is not enough. */
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
    joint->flags.can_wrap = false; /* a step must not take the shorter direction round */
    joint->steer.max_steer_speed =
        isfinite(joint->limits.max_speed) ? joint->limits.max_speed : session->options.move.speed;
    return is_steered(session) || !isnan(joint->state.value[AW_JOINT_ACTUAL])
               ? AW_OK
               : aw_fail(&session->err, AW_REFUSED,
                         "%s: position not measured — add 'position = …' to its [joint]",
                         experiment->joint.name);
}

/* Estimates the quantity that drives the joint, as a share of full output. If the controller has
 * only kp, also estimates its output. The output of a steered joint is its share of the max
 * speed. */
static void find_outputs(struct aw_experiment *experiment, double error,
                         struct aw_experiment_sample *sample)
{
    const struct aw_joint *joint = get_joint(experiment);
    sample->has_drive = true;
    sample->drive =
        is_steered(experiment->session)
            ? aw_joint_steer_velocity(experiment->session, joint) / joint->steer.max_steer_speed
            : aw_clamp(error / (PULLS * experiment->joint.defaults.max_deviation), -1, 1);
    sample->output = sample->drive;
    if (experiment->hooks->tuning.input != AW_INPUT_HIDDEN)
        return;
    double kp = aw_custom_arm(experiment->session)->only_kp,
           amplitude = experiment->joint.defaults.amplitude;
    if (!(kp > 0))
        return;
    sample->output = kp * error;
    sample->drive = aw_clamp(sample->output / (PULLS * amplitude), -1, 1);
}

static bool handle_joints(void *context, const struct aw_joint_list *list)
{
    struct aw_experiment *experiment = context;
    const struct aw_joint_state *now = &list->joints[experiment->index].state;
    double measured = now->value[AW_JOINT_ACTUAL];
    bool is_new = now->time_ns[AW_JOINT_ACTUAL] > experiment->time.sample_ns;
    double error =
        isnan(experiment->command.commanded) ? 0 : experiment->command.commanded - measured;
    struct aw_experiment_sample sample = {
        .setpoint = NAN, .measured = measured, .fault = now->fault};
    if (isnan(measured) || !is_new)
        return true;
    find_outputs(experiment, error, &sample);
    experiment->time.sample_ns = now->time_ns[AW_JOINT_ACTUAL];
    experiment->sampling.needs_more = aw_experiment_sample(experiment, &sample);
    if (experiment->motion.verdict != AW_MOTION_OK)
        aw_joints_end_steering(&experiment->list);
    return experiment->sampling.needs_more;
}

/* Ignores a timeout of a joint that is not steered, because the guard detects silence. */
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
    /* otherwise the setpoint only produces an output, so it may jump */
    bool is_step =
        experiment->hooks->tuning.input != AW_INPUT_HIDDEN || !isnan(experiment->command.target);
    if (is_step && !is_steered(session) &&
        !(fabs(value - previous) * HZ <= joint->limits.max_speed) && !session->options.run.force)
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
    double error = experiment->command.commanded - experiment->sampling.last[AW_SAMPLE_MEASURED];
    bool has_arrived =
        is_steered(session) || fabs(error) <= get_joint(experiment)->tolerance.tolerance;
    if (status == AW_OK && session->tool->safety.stop && !has_arrived)
        status = session->tool->safety.stop(session);
    return aw_joints_end(session, &experiment->list, status);
}

/* ---- tune ---- */

/* Returns kp, ki and kd of a joint. */
static const struct aw_device_setting *get_gains(const struct aw_session *session, size_t joint)
{
    return &aw_custom_arm(session)->gains[joint * AW_JOINT_GAINS];
}

/* Returns the lowest limit of a joint's gains; INFINITY if none has a limit. */
static double gain_max(struct aw_session *session, const struct aw_device_setting *gains)
{
    double max = INFINITY;
    for (int k = 0; k < AW_JOINT_GAINS; k++) {
        const struct aw_field_ref *spot = &gains[k].set;
        if (!spot->message)
            continue;
        const struct aw_codec *codec = aw_wire_codec_at(session->wire, spot->index);
        const struct aw_field *field = codec->scalars[spot->scalar].field;
        if (field->type != AW_FLOAT || field->min < 0 || field->max > 0)
            max = fmin(max, aw_scalar_range(codec, spot->scalar, NULL).max);
    }
    return max;
}

/* Checks that the packet file names all gains of --form, before the link opens. */
static enum aw_status check_gains(struct aw_session *session,
                                  const struct aw_experiment_joint *joint)
{
    enum aw_form form = (enum aw_form)aw_tune_given(session)->form;
    const char *name = joint->name;
    bool ki = !joint->missing[1], kd = !joint->missing[2];
    if (joint->missing[0])
        return aw_fail(&session->err, AW_USAGE,
                       "%s: no gains defined — add 'kp = PACKET.FIELD' to its [joint]", name);
    if (!(joint->loop.driver.tick_s > 0))
        return aw_fail(&session->err, AW_USAGE,
                       "%s: control period unknown — give --tick 10ms, or add 'tick = 10ms' to "
                       "its [joint]",
                       name);
    if (form != AW_FORM_P && ((!ki && form != AW_FORM_PD) || (!kd && form != AW_FORM_PI)))
        return aw_fail(&session->err, AW_USAGE, "%s: no %s defined — use --form %s", name,
                       ki ? "kd" : "ki",
                       ki   ? "pi"
                       : kd ? "pd"
                            : "p");
    return AW_OK;
}

static void describe_tuned(struct aw_session *session, const struct aw_joint *source,
                           struct aw_experiment_joint *joint)
{
    const struct aw_device_setting *gains = get_gains(session, source->id);
    describe(session, source, joint);
    joint->number = source->id;
    joint->kp = (size_t)source->id * AW_JOINT_GAINS;
    for (int k = 0; k < AW_JOINT_GAINS; k++)
        joint->missing[k] = !gains[k].set.message;
    joint->loop.driver.gain_max = gain_max(session, gains);
    joint->loop.driver.tick_s = aw_experiment_given(session)->tick_s > 0
                                    ? aw_experiment_given(session)->tick_s
                                    : aw_custom_arm(session)->joints[source->id].row->tick_s;
}

/* Opens the link, and finds the gains to restore, which must be known before any trial. */
static enum aw_status open_tuned(struct aw_experiment *experiment)
{
    struct aw_session *session = experiment->session;
    const char *path = aw_experiment_given(session)->old;
    enum aw_status status = open(experiment);
    if (status == AW_OK)
        status = aw_settings_read(session, NULL);
    if (status == AW_OK)
        status = aw_experiment_find_gains(experiment, path, NULL);
    if (status != AW_OK)
        return status;
    double amplitude = aw_experiment_given(session)->amplitude;
    experiment->joint.defaults.amplitude =
        amplitude > 0 ? amplitude
                      : experiment->gains.old.kp * PART * experiment->joint.defaults.max_deviation;
    if (!experiment->gains.known)
        return aw_fail(&session->err, AW_USAGE,
                       "%s: cannot read the gains to restore them — give --old FILE, with "
                       "lines such as '%s pid kp 0.1'",
                       experiment->joint.name, experiment->joint.name);
    if (!(experiment->joint.defaults.amplitude > 0))
        return aw_fail(&session->err, AW_USAGE,
                       "%s: kp is %g, so the amplitude of the output is unknown — give --amplitude",
                       experiment->joint.name, experiment->gains.old.kp);
    return AW_OK;
}

static enum aw_status send_gains(struct aw_experiment *experiment, const struct aw_gain_list *gains)
{
    struct aw_custom_arm *arm = aw_custom_arm(experiment->session);
    const struct aw_device_setting *sent_kp =
        get_gains(experiment->session, experiment->joint.number);
    double kp = gains->of[0].value;
    bool kp_only = !(fabs(gains->of[1].value) > 0) && !(fabs(gains->of[2].value) > 0);
    arm->only_kp = NAN;
    size_t n;
    enum aw_status status = aw_settings_set(experiment->session, gains, &n);
    if (status == AW_OK && kp_only && fabs(sent_kp->value - kp) > COARSE * kp)
        return aw_fail(&experiment->session->err, AW_LIMIT,
                       "%s: the experiment requires kp %.3g, but the packet can only send %.3g — "
                       "increase --amplitude",
                       experiment->joint.name, kp, sent_kp->value);
    if (status == AW_OK && kp_only)
        arm->only_kp = sent_kp->value;
    return status;
}

/* Holds the joint before the old gains are restored. */
static enum aw_status end_tuned(struct aw_experiment *experiment, enum aw_status status)
{
    struct aw_session *session = experiment->session;
    struct aw_error cause = session->err;
    enum aw_status ended = AW_OK;
    if (session->tool->safety.stop && aw_gains_get_backup(session))
        ended = session->tool->safety.stop(session);
    if (status == AW_OK && ended != AW_OK)
        return ended;
    session->err = cause;
    return ended == AW_OK ? end_motion(experiment, status) : status;
}

static double quantum(const struct aw_experiment *experiment)
{
    const struct aw_field_ref *spot = &aw_custom_arm(experiment->session)
                                           ->joints[experiment->joint.number]
                                           .reports[AW_JOINT_ACTUAL];
    const struct aw_codec *codec = aw_wire_codec_at(experiment->session->wire, spot->index);
    bool is_integer = codec->scalars[spot->scalar].field->type != AW_FLOAT;
    return is_integer ? fabs(aw_scalar_range(codec, spot->scalar, NULL).scale * spot->scale) : 0;
}

static const struct aw_experiment_hooks tuned_joints = {
    .defaults = USUAL,
    .describe = describe_tuned,
    .open = open_tuned,
    .idle = read_samples,
    .setpoint = send_setpoint,
    .end = end_tuned,
    .tuning.gains = send_gains,
    .tuning.quantum = quantum,
    .tuning.input = AW_INPUT_HIDDEN,
};

static enum aw_status run_custom_tune(struct aw_session *session, const struct aw_args *args)
{
    struct aw_custom_arm *arm = aw_custom_arm(session);
    struct aw_experiment_joint joint = tuned_joints.defaults;
    arm->tool.motion.experiments = &tuned_joints;
    enum aw_status status = aw_experiment_find_joint(session, args, NULL, &joint);
    if (status == AW_OK)
        status = check_gains(session, &joint);
    if (status == AW_OK)
        status = aw_run_tune(session, args);
    arm->tool.motion.experiments = &aw_target_experiment;
    return status;
}

const struct aw_experiment_hooks aw_target_experiment = {
    .defaults = USUAL,
    .describe = describe,
    .open = open,
    .idle = read_samples,
    .setpoint = send_setpoint,
    .end = end_motion,
    .tuning.input = AW_INPUT_SETPOINT,
};

/* clang-format off */
const struct aw_command aw_custom_tune_command = {
    AW_TUNE_ROW(" of a packet file",
        "Assumes that the firmware computes kp·e + ki·sum(e) + kd·(e - previous e) once per "
        "control period. The experiment uses kp alone, so that the output is known, and moves the "
        "joint by at most --max-deviation. Then it restores the old gains and prints the new ones.",
        AW_WITH_OPTION("all"),
        {.name = "amplitude", AW_AT(aw_experiment_options, amplitude), .value = "NUMBER",
         .unit = "", .min = 1e-9, .max = 1e9, .help = "amplitude of the output in the experiment "
             "(default kp times half of --max-deviation)"},
        AW_CUSTOM_DEVIATION,
        AW_AROUND_OPTION,
        AW_DESIGN_OPTIONS("10, in the joint's unit", NULL, " (default the dead band)"),
        {.name = "tick", AW_AT(aw_experiment_options, tick_s), .value = "TIME", .unit = "s",
         .min = 0.0005, .max = 1,
         .help = "period of the firmware's control loop, such as 10ms (default from the file)"},
        AW_OLD_OPTION),
    .for_custom = true, .args = AW_ARGS(AW_CUSTOM_JOINT), .run = run_custom_tune};
/* clang-format on */
