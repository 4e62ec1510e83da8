/* Experiments with hidmotor's joints: properties of a motor, and the commands to it. */
#include "tuning/verbs/experiment.h"

#include <math.h>
#include <stdio.h>

#include "base/clamp.h"
#include "base/number.h"
#include "shell/safety/safety.h"
#include "state.h"

#define PULLS_DEG  30.0 /* distance from the setpoint that counts as full output for the monitor */
#define GLITCH_DEG 5.0  /* a position this far beyond the limits is a glitch */
#define GLITCH_S   0.04 /* two of the board's sample periods; a longer deviation is not a glitch */
#define REST_S     0.15 /* time without a step of the servo that counts as rest */
#define PATIENCE_S 1.0
#define LOOP_S     1e-3 /* period of the board's main loop */
#define GAIN_MAX   100  /* max gain: full output at a hundredth of a degree */

static enum aw_status find(struct aw_session *session, const struct aw_args *args, const char *name,
                           struct aw_bench_joint *joint)
{
    const char *text = name ? name : aw_arg(args, "joint", 0);
    if (!text)
        return aw_fail(&session->err, AW_USAGE, "%s: no joint given — add m1, m2 or m3",
                       session->run.command->name);
    int motor = aw_hidmotor_find_joint(text);
    if (motor < 0)
        return aw_fail(&session->err, AW_USAGE,
                       "joint '%.24s' not found — use m1 m2 m3, or base shoulder elbow", text);
    struct aw_hidmotor_joint row = aw_hidmotor_joint(motor);
    const double *power_up = aw_hidmotor_power_up[motor];
    joint->number = (unsigned)motor;
    joint->kp = aw_hidmotor_gain_place(motor, AW_HIDMOTOR_PID);
    joint->power_up = (struct aw_gains){power_up[0], power_up[1], power_up[2]};
    joint->low = row.min;
    joint->high = row.max;
    snprintf(joint->name, sizeof joint->name, "%s", row.name);
    return AW_OK;
}

static bool is_glitch(const struct aw_bench_joint *joint, double deg)
{
    return deg < joint->low - GLITCH_DEG || deg > joint->high + GLITCH_DEG;
}

/* Waits for rest, because a coasting joint moves against the first setpoint and would look
 * reversed. */
static enum aw_status await_rest(struct aw_bench *bench, struct aw_hidmotor_status *now)
{
    struct aw_session *session = bench->session;
    unsigned i = bench->joint.number;
    int64_t start = aw_clock_now(session->clock), since = start;
    double at = now->position[i];
    enum aw_status status = AW_OK;
    while (status == AW_OK && aw_clock_now(session->clock) < aw_clock_after(since, REST_S) &&
           aw_clock_now(session->clock) < aw_clock_after(start, PATIENCE_S)) {
        status = aw_hidmotor_status(hidmotor_arm(session), now, &session->err);
        if (status == AW_OK && fabs(now->position[i] - at) > bench->joint.least) {
            at = now->position[i];
            since = aw_clock_now(session->clock);
        }
    }
    return status;
}

static enum aw_status open(struct aw_bench *bench)
{
    struct aw_hidmotor_status now;
    struct aw_session *session = bench->session;
    const struct aw_bench_joint *joint = &bench->joint;
    enum aw_status status = hidmotor_ready(session);
    if (status == AW_OK)
        status = aw_hidmotor_status(hidmotor_arm(session), &now, &session->err);
    if (status == AW_OK && (int)joint->number >= now.n)
        return aw_fail(&session->err, AW_REFUSED,
                       "%s: motor not found, the board has %d motor%s — name another joint",
                       joint->name, now.n, now.n == 1 ? "" : "s");
    if (status == AW_OK)
        status = await_rest(bench, &now);
    double at = status == AW_OK ? now.position[joint->number] : 0;
    if (status == AW_OK && is_glitch(joint, at))
        return aw_fail(&session->err, AW_REFUSED,
                       "%s: measured %.4g deg is out of range (%.4g to %.4g) — home the arm first",
                       joint->name, at, joint->low, joint->high);
    return status;
}

/* The board does not report its servos' output; their pull grows with the distance to the setpoint.
 */
static bool take(struct aw_bench *bench, const struct aw_hidmotor_status *now)
{
    unsigned i = bench->joint.number;
    double off = now->setpoint[i] - now->position[i];
    struct aw_bench_sample sample = {.setpoint = now->setpoint[i],
                                     .measured = now->position[i],
                                     .output = aw_hidmotor_output_of((int)i, now->effort[i]),
                                     .pull = aw_clamp(off / PULLS_DEG, -1, 1),
                                     .has_pull = true};
    struct hidmotor_state *state = hidmotor_state(bench->session);
    int64_t at = aw_clock_now(bench->session->clock);
    bool glitch = is_glitch(&bench->joint, sample.measured);
    state->sound_ns = glitch ? state->sound_ns : at;
    return (glitch && at < aw_clock_after(state->sound_ns, bench->joint.glitch_s)) ||
           aw_bench_sample(bench, &sample);
}

/* Caps the wait for an answer at the silence that ends the motion; overrides --timeout. Returns the
 * options to restore. */
static struct aw_hidmotor_options hurry(struct aw_bench *bench)
{
    struct aw_hidmotor_options *options = &hidmotor_arm(bench->session)->options, usual = *options;
    double most_ms = 1000 * bench->guard.config.silence_s / (usual.retries + 1);
    options->timeout_ms = (int)fmin(usual.timeout_ms, most_ms);
    return usual;
}

static enum aw_status ask(struct aw_bench *bench, struct aw_hidmotor_status *now)
{
    struct aw_hidmotor *arm = hidmotor_arm(bench->session);
    struct aw_hidmotor_options usual = hurry(bench);
    enum aw_status status = aw_hidmotor_status(arm, now, &bench->session->err);
    arm->options = usual;
    return status;
}

/* Polls as fast as the board answers. Skips lost answers; the monitor detects silence. */
static enum aw_status idle(struct aw_bench *bench, int64_t deadline)
{
    struct aw_hidmotor_status now;
    enum aw_status status = AW_OK;
    bool more = true;
    while (status == AW_OK && more && aw_clock_now(bench->session->clock) < deadline) {
        status = ask(bench, &now);
        if (status == AW_OK)
            more = take(bench, &now);
        else if (status == AW_TIMEOUT || status == AW_MALFORMED)
            status = AW_OK, more = false;
    }
    return status;
}

/* Sends a setpoint with duration 0, which the board does not interpolate. Other joints keep their
 * setpoints. */
static enum aw_status setpoint(struct aw_bench *bench, double deg)
{
    struct aw_session *session = bench->session;
    struct aw_hidmotor_target target = {.duration_ms = 0, .mode = AW_HIDMOTOR_LINEAR};
    struct aw_hidmotor_plan plan;
    target.given[bench->joint.number] = true;
    target.deg[bench->joint.number] = deg;
    enum aw_status status = aw_hidmotor_plan_from(&hidmotor_arm(session)->known, &target,
                                                  session->options.run.force, &plan, &session->err);
    if (status != AW_OK)
        return status;
    aw_session_moves(session);
    struct aw_hidmotor_options usual = hurry(bench);
    status = aw_hidmotor_move(hidmotor_arm(session), &plan, NULL, &session->err);
    hidmotor_arm(session)->options = usual;
    return status;
}

/* Leaves a successful motion at its setpoint. Otherwise holds each joint at its measured position,
 * because the servo of a joint away from its setpoint would pull on. Restored gains hold it, too.
 */
static enum aw_status end(struct aw_bench *bench, enum aw_status status)
{
    struct aw_session *session = bench->session;
    struct aw_error cause = session->err;
    enum aw_status ended = AW_OK, back;
    double off = bench->commanded - bench->last[AW_BENCH_MEASURED];
    if (status != AW_OK || fabs(off) > AW_HIDMOTOR_TOLERANCE)
        ended = aw_hidmotor_stop(hidmotor_arm(session), NULL, &session->err);
    back = aw_law_restore(session);
    session->motion.moving = ended != AW_OK || back != AW_OK;
    if (status == AW_OK && back != AW_OK)
        return back;
    session->err = cause;
    return status;
}

/* Sends gains: the controller runs once per period with e in deg, as in struct aw_gains. */
static enum aw_status send_gains(struct aw_bench *bench, const struct aw_gain_list *gains)
{
    struct aw_session *session = bench->session;
    struct aw_hidmotor_status now;
    if (!bench->known)
        return aw_fail(&session->err, AW_REFUSED,
                       "cannot read the board's gains to restore them later");
    struct aw_hidmotor_options usual = hurry(bench);
    enum aw_status status = hidmotor_law.send(session, gains);
    hidmotor_arm(session)->options = usual;
    /* setpoints may have changed meanwhile */
    return status == AW_OK ? ask(bench, &now) : status;
}

static void about(struct aw_session *session, const struct aw_bench_joint *joint, char *out,
                  size_t size)
{
    (void)session;
    snprintf(out, size, "%s %s", joint->name, aw_hidmotor_joint((int)joint->number).alias);
}

const struct aw_bench_hooks hidmotor_bench = {
    .usual = {.unit = "deg",
              .scale = 1,
              .max_deviation = 15,
              .least = 0.72, /* three servo steps */
              .glitch_s = GLITCH_S,
              .step = 10,
              .driver = {.output_max = 1, .gain_max = GAIN_MAX},
              .tick_s = LOOP_S,
              .period_s = (double)AW_HIDMOTOR_POLL_NS / 1e9},
    .joint = find,
    .open = open,
    .idle = idle,
    .setpoint = setpoint,
    .end = end,
    .gains = send_gains,
    .about = about,
    .law = AW_BENCH_SERVO,
    .acts = "sim:?drive=pid",
    .gain_max = GAIN_MAX,
    .assumed = "main loop of the published firmware",
};
