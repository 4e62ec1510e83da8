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
        .unit = "", .scale = 1, .glitch_s = FILTER_S, .tick_s = 1e-3, .period_s = 1 / HZ           \
    }
/* the output of kp at this share of max_deviation is the amplitude of experiments */
#define PART 0.5

static bool is_steered(const struct aw_session *session)
{
    return session->tool->steer > 0;
}

static void describe(struct aw_session *session, const struct aw_joint *of,
                     struct aw_bench_joint *joint)
{
    const char *unit = of->unit[AW_JOINT_ACTUAL];
    double scale = 1, offset, range = of->max - of->min;
    bool angle = unit && aw_number_conversion("deg", unit, &scale, &offset);
    joint->unit = unit ? unit : "";
    joint->low = of->min;
    joint->high = of->max;
    joint->max_deviation = angle ? DEG * scale : isfinite(range) ? OF_RANGE * range : 1;
    joint->least = of->least;
    if (is_steered(session)) {
        bool deg = strcmp(joint->unit, "deg") == 0;
        joint->max_deviation = deg ? DEG : 0.3;
        joint->least = deg ? 0.5 : 0.01;
        joint->glitch_s = 0;
    }
    joint->step = joint->max_deviation * 2 / 3;
}

static struct aw_joint *joint_of(const struct aw_bench *bench)
{
    return &bench->list.joints[bench->at];
}

/* Requires a measured position: the last setpoint is not enough. */
static enum aw_status open(struct aw_bench *bench)
{
    struct aw_session *session = bench->session;
    enum aw_status status = aw_joints_begin(session, &bench->list);
    if (status == AW_OK)
        status = aw_joints_read(session, &bench->list);
    if (status == AW_OK)
        status = aw_joints_find(session, &bench->list, bench->joint.name, &bench->at);
    if (status != AW_OK)
        return status;
    struct aw_joint *joint = joint_of(bench);
    joint->wraps = false; /* a step must not take the shorter direction round */
    joint->most = isfinite(joint->speed) ? joint->speed : session->options.move.speed;
    return is_steered(session) || !isnan(joint->now.value[AW_JOINT_ACTUAL])
               ? AW_OK
               : aw_fail(&session->err, AW_REFUSED,
                         "%s: position not measured — add 'position = …' to its [joint]",
                         bench->joint.name);
}

/* Estimates the quantity that drives the joint, as a share of full output. If the controller has
 * only kp, also estimates its output. The output of a steered joint is its share of the max
 * speed. */
static void find_outputs(struct aw_bench *bench, double off, struct aw_bench_sample *sample)
{
    const struct aw_joint *joint = joint_of(bench);
    sample->has_pull = true;
    sample->pull = is_steered(bench->session)
                       ? aw_joint_answer(bench->session, joint) / joint->most
                       : aw_clamp(off / (PULLS * bench->joint.max_deviation), -1, 1);
    sample->output = sample->pull;
    if (bench->hooks->law != AW_BENCH_HIDDEN)
        return;
    double kp = aw_custom_arm(bench->session)->law_kp, amplitude = bench->joint.amplitude;
    if (!(kp > 0))
        return;
    sample->output = kp * off;
    sample->pull = aw_clamp(sample->output / (PULLS * amplitude), -1, 1);
}

static bool look(void *context, const struct aw_joint_list *list)
{
    struct aw_bench *bench = context;
    const struct aw_joint_state *now = &list->joints[bench->at].now;
    double measured = now->value[AW_JOINT_ACTUAL];
    bool fresh = now->time_ns[AW_JOINT_ACTUAL] > bench->seen_ns;
    double off = isnan(bench->commanded) ? 0 : bench->commanded - measured;
    struct aw_bench_sample sample = {.setpoint = NAN, .measured = measured, .fault = now->fault};
    if (isnan(measured) || !fresh)
        return true;
    find_outputs(bench, off, &sample);
    bench->seen_ns = now->time_ns[AW_JOINT_ACTUAL];
    bench->more = aw_bench_sample(bench, &sample);
    if (bench->guard.verdict != AW_MOTION_FINE)
        aw_joints_release(&bench->list);
    return bench->more;
}

/* Ignores a timeout of a joint that is not steered, because the guard detects silence. */
static enum aw_status idle(struct aw_bench *bench, int64_t deadline)
{
    struct aw_session *session = bench->session;
    bool steered = is_steered(session);
    enum aw_status status = AW_OK;
    bench->more = true;
    while (status == AW_OK && bench->more && aw_clock_now(session->clock) < deadline)
        status = aw_joints_attend(session, &bench->list, deadline, steered ? 0 : HZ, look, bench);
    return status == AW_TIMEOUT && !steered ? AW_OK : status;
}

/* Sends the setpoint at once, or steers to it. Without a known speed, the firmware moves as fast as
 * it can. */
static enum aw_status setpoint(struct aw_bench *bench, double value)
{
    struct aw_session *session = bench->session;
    const struct aw_joint_goal goal = {bench->at, value};
    const struct aw_joint_command command = {
        .what = AW_JOINT_TARGETS, .goals = &goal, .n = 1, .stream = true, .show_ns = AW_NO_TIME};
    const struct aw_joint *joint = joint_of(bench);
    double before = isnan(bench->sent) ? joint->now.value[AW_JOINT_ACTUAL] : bench->sent;
    /* otherwise the setpoint only produces an output, so it may jump */
    bool jumps = bench->hooks->law != AW_BENCH_HIDDEN || !isnan(bench->target);
    if (jumps && !is_steered(session) && !(fabs(value - before) * HZ <= joint->speed) &&
        !session->options.run.force)
        return aw_fail(&session->err, AW_LIMIT,
                       "%s: the step from %.4g to %.4g %s exceeds its speed of %g %s — use "
                       "--force to allow it",
                       joint->name, before, value, bench->joint.unit, joint->speed,
                       joint->unit[AW_JOINT_VELOCITY] ? joint->unit[AW_JOINT_VELOCITY]
                                                      : "per second");
    aw_session_moves(session);
    bench->sent = value;
    return aw_joints_command(session, &bench->list, &command);
}

/* Ends a motion. Holds a joint that has not reached its target, because it would keep pulling. */
static enum aw_status end(struct aw_bench *bench, enum aw_status status)
{
    struct aw_session *session = bench->session;
    double off = bench->commanded - bench->last[AW_BENCH_MEASURED];
    bool stays = is_steered(session) || fabs(off) <= joint_of(bench)->near;
    if (status == AW_OK && session->tool->stop && !stays)
        status = session->tool->stop(session);
    return aw_joints_end(session, &bench->list, status);
}

/* ---- tune ---- */

/* Returns kp, ki and kd of a joint. */
static const struct aw_device_setting *gains_of(const struct aw_session *session, size_t joint)
{
    return &aw_custom_arm(session)->gains[joint * AW_JOINT_GAINS];
}

/* Returns the lowest limit of a joint's gains; INFINITY if none has a limit. */
static double gain_max(struct aw_session *session, const struct aw_device_setting *gains)
{
    double most = INFINITY;
    for (int k = 0; k < AW_JOINT_GAINS; k++) {
        const struct aw_spot *spot = &gains[k].set;
        if (!spot->message)
            continue;
        const struct aw_codec *codec = aw_wire_codec_at(session->wire, spot->index);
        const struct aw_field *field = codec->scalars[spot->scalar].field;
        if (field->type != AW_FLOAT || field->min < 0 || field->max > 0)
            most = fmin(most, aw_scalar_range(codec, spot->scalar, NULL).max);
    }
    return most;
}

/* Checks that the packet file names all gains of --form, before the link opens. */
static enum aw_status check_law(struct aw_session *session, const struct aw_bench_joint *joint)
{
    enum aw_form form = (enum aw_form)aw_wishes_given(session)->form;
    const char *name = joint->name;
    bool ki = !joint->lacks[1], kd = !joint->lacks[2];
    if (joint->lacks[0])
        return aw_fail(&session->err, AW_USAGE,
                       "%s: no gains defined — add 'kp = PACKET.FIELD' to its [joint]", name);
    if (!(joint->driver.tick_s > 0))
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

static void describe_law(struct aw_session *session, const struct aw_joint *of,
                         struct aw_bench_joint *joint)
{
    const struct aw_device_setting *gains = gains_of(session, of->id);
    describe(session, of, joint);
    joint->number = of->id;
    joint->kp = (size_t)of->id * AW_JOINT_GAINS;
    for (int k = 0; k < AW_JOINT_GAINS; k++)
        joint->lacks[k] = !gains[k].set.message;
    joint->driver.gain_max = gain_max(session, gains);
    joint->driver.tick_s = aw_experiment_given(session)->tick_s > 0
                               ? aw_experiment_given(session)->tick_s
                               : aw_custom_arm(session)->joints[of->id].row->tick_s;
}

/* Opens the link, and finds the gains to restore, which must be known before any trial. */
static enum aw_status open_law(struct aw_bench *bench)
{
    struct aw_session *session = bench->session;
    const char *path = aw_experiment_given(session)->old;
    enum aw_status status = open(bench);
    if (status == AW_OK)
        status = aw_settings_read(session, NULL);
    if (status == AW_OK)
        status = aw_bench_know_gains(bench, path, NULL);
    if (status != AW_OK)
        return status;
    double amplitude = aw_experiment_given(session)->amplitude;
    bench->joint.amplitude =
        amplitude > 0 ? amplitude : bench->old.kp * PART * bench->joint.max_deviation;
    if (!bench->known)
        return aw_fail(&session->err, AW_USAGE,
                       "%s: cannot read the gains to restore them — give --old FILE, with "
                       "lines such as '%s pid kp 0.1'",
                       bench->joint.name, bench->joint.name);
    if (!(bench->joint.amplitude > 0))
        return aw_fail(&session->err, AW_USAGE,
                       "%s: kp is %g, so the amplitude of the output is unknown — give --amplitude",
                       bench->joint.name, bench->old.kp);
    return AW_OK;
}

static enum aw_status send_gains(struct aw_bench *bench, const struct aw_gain_list *gains)
{
    struct aw_custom_arm *arm = aw_custom_arm(bench->session);
    const struct aw_device_setting *sent = gains_of(bench->session, bench->joint.number);
    double kp = gains->of[0].value;
    bool alone = !(fabs(gains->of[1].value) > 0) && !(fabs(gains->of[2].value) > 0);
    arm->law_kp = NAN;
    size_t n;
    enum aw_status status = aw_settings_set(bench->session, gains, &n);
    if (status == AW_OK && alone && fabs(sent->value - kp) > COARSE * kp)
        return aw_fail(&bench->session->err, AW_LIMIT,
                       "%s: the experiment requires kp %.3g, but the packet can only send %.3g — "
                       "increase --amplitude",
                       bench->joint.name, kp, sent->value);
    if (status == AW_OK && alone)
        arm->law_kp = sent->value;
    return status;
}

/* Holds the joint before the old gains are restored. */
static enum aw_status end_law(struct aw_bench *bench, enum aw_status status)
{
    struct aw_session *session = bench->session;
    struct aw_error cause = session->err;
    enum aw_status ended = AW_OK;
    if (session->tool->stop && aw_law_saved(session))
        ended = session->tool->stop(session);
    if (status == AW_OK && ended != AW_OK)
        return ended;
    session->err = cause;
    return ended == AW_OK ? end(bench, status) : status;
}

static double quantum(const struct aw_bench *bench)
{
    const struct aw_spot *spot =
        &aw_custom_arm(bench->session)->joints[bench->joint.number].told[AW_JOINT_ACTUAL];
    const struct aw_codec *codec = aw_wire_codec_at(bench->session->wire, spot->index);
    bool whole = codec->scalars[spot->scalar].field->type != AW_FLOAT;
    return whole ? fabs(aw_scalar_range(codec, spot->scalar, NULL).scale * spot->scale) : 0;
}

static const struct aw_bench_hooks law_bench = {
    .usual = USUAL,
    .describe = describe_law,
    .open = open_law,
    .idle = idle,
    .setpoint = setpoint,
    .end = end_law,
    .gains = send_gains,
    .quantum = quantum,
    .law = AW_BENCH_HIDDEN,
};

static enum aw_status run_custom_tune(struct aw_session *session, const struct aw_args *args)
{
    struct aw_custom_arm *arm = aw_custom_arm(session);
    struct aw_bench_joint joint = law_bench.usual;
    arm->tool.bench = &law_bench;
    enum aw_status status = aw_bench_find(session, args, NULL, &joint);
    if (status == AW_OK)
        status = check_law(session, &joint);
    if (status == AW_OK)
        status = aw_run_tune(session, args);
    arm->tool.bench = &aw_target_bench;
    return status;
}

const struct aw_bench_hooks aw_target_bench = {
    .usual = USUAL,
    .describe = describe,
    .open = open,
    .idle = idle,
    .setpoint = setpoint,
    .end = end,
    .law = AW_BENCH_SERVO,
};

/* clang-format off */
const struct aw_command aw_custom_tune_command = {
    AW_TUNE_ROW(" of a packet file",
        "Assumes that the firmware computes kp·e + ki·sum(e) + kd·(e - previous e) once per "
        "control period. The experiment uses kp alone, so that the output is known, and moves the "
        "joint by at most --max-deviation. Then it restores the old gains and prints the new ones.",
        AW_WITH_OPTION("all"),
        {.name = "amplitude", AW_AT(aw_experiment_options, amplitude), .value = "NUMBER",
         .unit = "", .min = 1e-9, .max = 1e9, .help = "amplitude of the output in the experiment; "
             "default: kp times half of --max-deviation"},
        AW_CUSTOM_DEVIATION,
        AW_AROUND_OPTION,
        AW_DESIGN_OPTIONS("10, in the joint's unit", NULL, "; default: the dead band"),
        {.name = "tick", AW_AT(aw_experiment_options, tick_s), .value = "TIME", .unit = "s",
         .min = 0.0005, .max = 1,
         .help = "period of the firmware's control loop: 10ms; default: from the file"},
        AW_OLD_OPTION),
    .from_file = true, .args = AW_ARGS(AW_CUSTOM_JOINT), .run = run_custom_tune};
/* clang-format on */
