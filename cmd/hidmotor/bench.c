/* Experiments with hidmotor's joints: properties of a motor, and the commands to it. */
#include "tuning/verbs/experiment.h"

#include <math.h>
#include <stdio.h>

#include "base/clamp.h"
#include "base/number.h"
#include "shell/safety/safety.h"
#include "state.h"

/* distance from the setpoint that counts as full output for the monitor */
#define FULL_OUTPUT_DEG 30.0
#define GLITCH_DEG      5.0  /* a position this far beyond the limits is a glitch */
#define GLITCH_S        0.04 /* two of the board's sample periods; a glitch is not longer */
#define REST_S          0.15 /* time without a step of the servo that counts as rest */
#define PATIENCE_S      1.0
#define LOOP_S          1e-3 /* period of the board's main loop */
#define GAIN_MAX        100  /* max gain: full output at a hundredth of a degree */

static void describe(struct aw_session *session, const struct aw_joint *source,
                     struct aw_experiment_joint *joint)
{
    const double *defaults = aw_hidmotor_default_gains[source->id];
    (void)session;
    joint->number = source->id;
    joint->kp = aw_hidmotor_gain_index((int)source->id, AW_HIDMOTOR_PID);
    joint->power_up = (struct aw_gains){defaults[0], defaults[1], defaults[2]};
    joint->low = source->limits.min;
    joint->high = source->limits.max;
}

static bool is_glitch(const struct aw_experiment_joint *joint, double deg)
{
    return deg < joint->low - GLITCH_DEG || deg > joint->high + GLITCH_DEG;
}

/* Waits for rest, because a coasting joint moves against the first setpoint and would look
 * reversed. */
static enum aw_status await_rest(struct aw_experiment *experiment, struct aw_hidmotor_status *now)
{
    struct aw_session *session = experiment->session;
    unsigned i = experiment->joint.number;
    int64_t start = aw_clock_now(session->clock), still_since_ns = start;
    double last_deg = now->position[i];
    enum aw_status status = AW_OK;
    while (status == AW_OK &&
           aw_clock_now(session->clock) < aw_time_after(still_since_ns, REST_S) &&
           aw_clock_now(session->clock) < aw_time_after(start, PATIENCE_S)) {
        status = aw_hidmotor_status(hidmotor_arm(session), now, &session->err);
        if (status == AW_OK && fabs(now->position[i] - last_deg) > experiment->joint.min_motion) {
            last_deg = now->position[i];
            still_since_ns = aw_clock_now(session->clock);
        }
    }
    return status;
}

static enum aw_status open_joint(struct aw_experiment *experiment)
{
    struct aw_hidmotor_status now;
    struct aw_session *session = experiment->session;
    const struct aw_experiment_joint *joint = &experiment->joint;
    enum aw_status status = hidmotor_open(session);
    if (status == AW_OK)
        status = aw_hidmotor_status(hidmotor_arm(session), &now, &session->err);
    if (status == AW_OK && (int)joint->number >= now.n)
        return aw_fail(&session->err, AW_REFUSED,
                       "%s: motor not found (the board has %d) — choose another joint", joint->name,
                       now.n);
    if (status == AW_OK)
        status = await_rest(experiment, &now);
    double position = status == AW_OK ? now.position[joint->number] : 0;
    if (status == AW_OK && is_glitch(joint, position))
        return aw_fail(&session->err, AW_REFUSED,
                       "%s: measured %.4g deg is out of range (%.4g to %.4g) — home the arm first",
                       joint->name, position, joint->low, joint->high);
    return status;
}

/* Passes a reading to the experiment, but skips short glitches. Returns false if there are enough
 * samples. The board does not report its servos' output; their pull grows with the distance to the
 * setpoint. */
static bool record_sample(struct aw_experiment *experiment, const struct aw_hidmotor_status *now)
{
    unsigned i = experiment->joint.number;
    double error = now->setpoint[i] - now->position[i];
    struct aw_experiment_sample sample = {.setpoint = now->setpoint[i],
                                          .measured = now->position[i],
                                          .output =
                                              aw_hidmotor_effort_to_output((int)i, now->effort[i]),
                                          .drive = aw_clamp(error / FULL_OUTPUT_DEG, -1, 1),
                                          .has_drive = true};
    struct hidmotor_state *state = hidmotor_state(experiment->session);
    int64_t now_ns = aw_clock_now(experiment->session->clock);
    bool has_glitch = is_glitch(&experiment->joint, sample.measured);
    state->plausible_ns = has_glitch ? state->plausible_ns : now_ns;
    return (has_glitch &&
            now_ns < aw_time_after(state->plausible_ns, experiment->joint.glitch_s)) ||
           aw_experiment_sample(experiment, &sample);
}

/* Caps the wait for an answer at the silence that ends the motion; overrides --timeout. Returns the
 * options to restore. */
static struct aw_hidmotor_options shorten_timeout(struct aw_experiment *experiment)
{
    struct aw_hidmotor_options *options = &hidmotor_arm(experiment->session)->options,
                               saved = *options;
    double max_ms = 1000 * experiment->motion.config.silence_s / (saved.retries + 1);
    options->timeout_ms = (int)fmin(saved.timeout_ms, max_ms);
    return saved;
}

static enum aw_status read_status(struct aw_experiment *experiment, struct aw_hidmotor_status *now)
{
    struct aw_hidmotor *arm = hidmotor_arm(experiment->session);
    struct aw_hidmotor_options saved = shorten_timeout(experiment);
    enum aw_status status = aw_hidmotor_status(arm, now, &experiment->session->err);
    arm->options = saved;
    return status;
}

/* Polls as fast as the board answers. Skips lost answers; the monitor detects silence. */
static enum aw_status idle(struct aw_experiment *experiment, int64_t deadline)
{
    struct aw_hidmotor_status now;
    enum aw_status status = AW_OK;
    bool has_more = true;
    while (status == AW_OK && has_more && aw_clock_now(experiment->session->clock) < deadline) {
        status = read_status(experiment, &now);
        if (status == AW_OK)
            has_more = record_sample(experiment, &now);
        else if (status == AW_TIMEOUT || status == AW_MALFORMED)
            status = AW_OK, has_more = false;
    }
    return status;
}

/* Sends a setpoint with duration 0, which the board does not interpolate. Other joints keep their
 * setpoints. */
static enum aw_status send_setpoint(struct aw_experiment *experiment, double deg)
{
    struct aw_session *session = experiment->session;
    struct aw_hidmotor_target target = {.duration_ms = 0, .mode = AW_HIDMOTOR_LINEAR};
    struct aw_hidmotor_plan plan;
    target.given[experiment->joint.number] = true;
    target.deg[experiment->joint.number] = deg;
    enum aw_status status = aw_hidmotor_plan_from(&hidmotor_arm(session)->latest, &target,
                                                  session->options.run.force, &plan, &session->err);
    if (status != AW_OK)
        return status;
    aw_session_start_motion(session);
    struct aw_hidmotor_options saved = shorten_timeout(experiment);
    status = aw_hidmotor_move(hidmotor_arm(session), &plan, NULL, &session->err);
    hidmotor_arm(session)->options = saved;
    return status;
}

/* Leaves a successful motion at its setpoint. Otherwise holds each joint at its measured position,
 * because the servo of a joint away from its setpoint would pull on. Restored gains hold it, too.
 */
static enum aw_status end_motion(struct aw_experiment *experiment, enum aw_status status)
{
    struct aw_session *session = experiment->session;
    struct aw_error cause = session->err;
    enum aw_status ended = AW_OK, restore_status;
    double error = experiment->command.commanded - experiment->sampling.last.measured;
    if (status != AW_OK || fabs(error) > AW_HIDMOTOR_TOLERANCE)
        ended = aw_hidmotor_stop(hidmotor_arm(session), NULL, &session->err);
    restore_status = aw_gains_restore(session);
    session->motion.moving = ended != AW_OK || restore_status != AW_OK;
    if (status == AW_OK && restore_status != AW_OK)
        return restore_status;
    session->err = cause;
    return status;
}

/* Sends the gains without conversion: the firmware also applies them once per control period
 * (struct aw_gains), to an error in deg. */
static enum aw_status send_gains(struct aw_experiment *experiment, const struct aw_gain_list *gains)
{
    struct aw_session *session = experiment->session;
    struct aw_hidmotor_status now;
    if (!experiment->gains.known)
        return aw_fail(&session->err, AW_REFUSED,
                       "cannot read the board's gains, which must be restored later — check the "
                       "link with 'ping'");
    struct aw_hidmotor_options saved = shorten_timeout(experiment);
    enum aw_status status = hidmotor_gain_access.send(session, gains);
    hidmotor_arm(session)->options = saved;
    /* setpoints may have changed meanwhile */
    return status == AW_OK ? read_status(experiment, &now) : status;
}

const struct aw_experiment_hooks hidmotor_experiment = {
    .defaults = {.unit = "deg",
                 .scale = 1,
                 .defaults.max_deviation = 15,
                 .min_motion = 0.72, /* three servo steps */
                 .glitch_s = GLITCH_S,
                 .defaults.step = 10,
                 .loop.driver = {.output_max = 1, .gain_max = GAIN_MAX},
                 .loop.tick_s = LOOP_S,
                 .loop.period_s = (double)AW_HIDMOTOR_POLL_NS / 1e9},
    .describe = describe,
    .open = open_joint,
    .idle = idle,
    .setpoint = send_setpoint,
    .end = end_motion,
    .tuning.gains = send_gains,
    .tuning.input = AW_INPUT_SETPOINT,
    .tuning.gain_max = GAIN_MAX,
    .text.working_url = "sim:?drive=pid",
    .text.assumed = "main loop of the published firmware",
};
