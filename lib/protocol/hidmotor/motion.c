/* Checks a motion against limits, sends its setpoints, waits for its end, and stops it. */
#include "protocol/hidmotor/motion.h"

#include <math.h>
#include <string.h>

#include "base/bytes.h"
#include "base/clamp.h"
#include "base/number.h"
#include "protocol/hidmotor/wire.h"

#define EXACT_DEG          2e-5 /* deg; above the resolution of a 32-bit float near 100, 8e-6 */
#define SETPOINT_TOLERANCE 0.25 /* tolerance of a setpoint at rest: one servo step, deg */
#define MIN_MOVEMENT       0.5  /* min movement of a joint that follows, deg */
#define MOVE_TIMEOUT_NS    AW_SECOND /* time within which it must move */
#define VERIFY_NS          (500 * AW_MILLISECOND)
#define STOP_ASK_MS        5
/* max wait for another program to finish its exchange */
#define STOP_TURN_NS    (2 * AW_MILLISECOND)
#define STOP_TIMEOUT_MS 100
#define STOP_MAX_AGE_NS (100 * AW_MILLISECOND) /* older positions do not count as current */
/* a position this far beyond a limit, in deg, is a glitch or from an unhomed arm */
#define MAX_EXCESS_DEG 5.0
#define STOP_RETRY_NS  (500 * AW_MILLISECOND)
#define BAD_REPLIES    3

/* ---- Joints ---- */

static const struct aw_message *find_set_setpoints(void)
{
    const struct aw_protocol *protocol = &aw_hidmotor_protocol;
    const struct aw_message *message = protocol->messages;
    while (strcmp(message->name, "set_setpoints") != 0)
        message++;
    return message;
}

struct aw_hidmotor_joint aw_hidmotor_joint(int joint)
{
    const struct aw_field *row = find_set_setpoints()->fields;
    while (!row->alias || joint-- > 0)
        row++;
    return (struct aw_hidmotor_joint){row->name, row->alias, row->min, row->max};
}

enum aw_status aw_hidmotor_check_angle(int joint, double deg, bool force, struct aw_error *err)
{
    struct aw_hidmotor_joint limit = aw_hidmotor_joint(joint);
    enum aw_status status = aw_number_check_float(limit.alias, deg, err);
    if (status != AW_OK || force || (deg >= limit.min && deg <= limit.max))
        return status;
    return aw_fail(err, AW_LIMIT,
                   "%s: %.9g deg is out of range (%g to %g deg), where the arm may collide — give "
                   "--force to override",
                   limit.alias, deg, limit.min, limit.max);
}

static double clamp(int joint, double deg)
{
    struct aw_hidmotor_joint limit = aw_hidmotor_joint(joint);
    return aw_clamp(deg, limit.min, limit.max);
}

/* ---- Plans ---- */

double aw_hidmotor_interpolate(double from_deg, double to_deg, double fraction,
                               enum aw_hidmotor_mode mode)
{
    if (fraction >= 1)
        return to_deg;
    double progress = mode == AW_HIDMOTOR_LINEAR ? fraction : (1 - cos(M_PI * fraction)) / 2;
    return from_deg + progress * (to_deg - from_deg);
}

static enum aw_status check_duration(const struct aw_hidmotor_target *target, bool force,
                                     struct aw_error *err)
{
    const struct aw_field *row = find_set_setpoints()->fields;
    enum aw_status status = aw_number_check_float("duration", target->duration_ms, err);
    if (status != AW_OK || force ||
        (target->duration_ms >= row->min && target->duration_ms <= row->max))
        return status;
    return aw_fail(err, AW_LIMIT,
                   "duration: %.6g ms is out of range (%g to %.7g ms) — give --force to override",
                   target->duration_ms, row->min, row->max);
}

/* Performs the checks that need no answer from the board. */
static enum aw_status check_target(const struct aw_hidmotor_target *target, bool force,
                                   struct aw_error *err)
{
    enum aw_status status = check_duration(target, force, err);
    for (int i = 0; i < AW_HIDMOTOR_JOINTS && status == AW_OK; i++)
        if (target->given[i])
            status = aw_hidmotor_check_angle(i, target->deg[i], force || target->relative, err);
    return status;
}

enum aw_status aw_hidmotor_check_count(int joint, int n, struct aw_error *err)
{
    return joint < n ? AW_OK
                     : aw_fail(err, AW_REFUSED,
                               "%s: motor not found (the board has %d) — choose another joint",
                               aw_hidmotor_joint(joint).alias, n);
}

static enum aw_status plan_joint(const struct aw_hidmotor_target *target, int joint, bool force,
                                 struct aw_hidmotor_plan *plan, struct aw_error *err)
{
    if (!target->given[joint])
        return AW_OK;
    enum aw_status status = aw_hidmotor_check_count(joint, plan->n, err);
    if (status != AW_OK)
        return status;
    plan->target[joint] = target->deg[joint] + (target->relative ? plan->start[joint] : 0);
    return aw_hidmotor_check_angle(joint, plan->target[joint], force, err);
}

enum aw_status aw_hidmotor_plan_from(const struct aw_hidmotor_status *from,
                                     const struct aw_hidmotor_target *target, bool force,
                                     struct aw_hidmotor_plan *plan, struct aw_error *err)
{
    *plan = (struct aw_hidmotor_plan){.n = from->n,
                                      .duration_ms = target->duration_ms,
                                      .mode = target->mode,
                                      .sent_ns = AW_NEVER};
    memcpy(plan->start, from->setpoint, sizeof plan->start);
    memcpy(plan->target, from->setpoint, sizeof plan->target);
    enum aw_status status = check_target(target, force, err);
    for (int i = 0; i < AW_HIDMOTOR_JOINTS && status == AW_OK; i++)
        status = plan_joint(target, i, force, plan, err);
    return status;
}

enum aw_status aw_hidmotor_plan(struct aw_hidmotor *arm, const struct aw_hidmotor_target *target,
                                struct aw_hidmotor_plan *plan, struct aw_error *err)
{
    struct aw_hidmotor_status now;
    bool force = arm->options.force;
    enum aw_status status = check_target(target, force, err);
    if (status == AW_OK)
        status = aw_hidmotor_read_positions(arm, &now, err);
    if (status == AW_OK)
        status = aw_hidmotor_plan_from(&now, target, force, plan, err);
    return status;
}

/* Encodes duration, mode, and a target for every motor of the board, because missing values would
 * be 0. */
static struct aw_span encode_payload(const struct aw_hidmotor_plan *plan,
                                     uint8_t bytes[AW_HIDMOTOR_PAYLOAD])
{
    int n = plan->n > AW_HIDMOTOR_JOINTS ? plan->n : AW_HIDMOTOR_JOINTS;
    double values[2 + AW_HIDMOTOR_MOTORS] = {plan->duration_ms, plan->mode};
    struct aw_span payload;
    memcpy(values + 2, plan->target, (size_t)n * sizeof *values);
    aw_hidmotor_encode_floats(values, 2 + (size_t)n, bytes, &payload, NULL);
    return payload;
}

void aw_hidmotor_encode_plan(const struct aw_hidmotor_plan *plan,
                             uint8_t report[AW_HIDMOTOR_REPORT])
{
    memset(report, 0, AW_HIDMOTOR_REPORT);
    aw_put_u32(report, find_set_setpoints()->code);
    encode_payload(plan, report + 4);
}

static bool is_at(double deg, double target, double tolerance)
{
    return fabs(deg - target) <= tolerance;
}

static double get_setpoint_now(const struct aw_hidmotor *arm, int motor)
{
    const struct aw_hidmotor_motion *motion = &arm->motion;
    double elapsed_ms = (double)(aw_clock_now(arm->link->clock) - motion->sent_ns) / 1e6;
    double deg =
        aw_hidmotor_interpolate(motion->from[motor], motion->to[motor],
                                motion->duration_ms < 1 ? 1 : elapsed_ms / motion->duration_ms,
                                motion->sinusoidal ? AW_HIDMOTOR_SINUSOIDAL : AW_HIDMOTOR_LINEAR);
    return motor < AW_HIDMOTOR_JOINTS ? clamp(motor, deg) : deg;
}

static bool is_commanded(const struct aw_hidmotor *arm, int motor)
{
    const struct aw_hidmotor_motion *motion = &arm->motion;
    int64_t elapsed_ns = aw_clock_now(arm->link->clock) - motion->sent_ns;
    return motor < motion->n && !is_at(motion->from[motor], motion->to[motor], EXACT_DEG) &&
           (double)(elapsed_ns - STOP_MAX_AGE_NS) / 1e6 < motion->duration_ms;
}

/* Returns true if this program's last motion is still in progress and the motor's setpoint follows
 * it. */
static bool is_in_progress(const struct aw_hidmotor *arm, int motor)
{
    return is_commanded(arm, motor) &&
           is_at(arm->latest.setpoint[motor], get_setpoint_now(arm, motor), AW_HIDMOTOR_TOLERANCE);
}

static bool is_given(const struct aw_hidmotor_target *target, int motor)
{
    return motor < AW_HIDMOTOR_JOINTS && target->given[motor];
}

double aw_hidmotor_continue_targets(const struct aw_hidmotor *arm,
                                    const struct aw_hidmotor_target *target,
                                    struct aw_hidmotor_plan *plan, unsigned *continued)
{
    const struct aw_hidmotor_motion *motion = &arm->motion;
    double elapsed_ms = (double)(aw_clock_now(arm->link->clock) - motion->sent_ns) / 1e6;
    *continued = 0;
    for (int i = 0; i < plan->n; i++) {
        if (is_given(target, i) || !is_in_progress(arm, i))
            continue;
        plan->target[i] = motion->to[i];
        *continued |= 1u << i;
    }
    return *continued ? fmax(motion->duration_ms - elapsed_ms, 0) : 0;
}

enum aw_status aw_hidmotor_find_moving(struct aw_hidmotor *arm,
                                       const struct aw_hidmotor_target *target, unsigned continued,
                                       unsigned *moving, struct aw_error *err)
{
    struct aw_hidmotor_status before = arm->latest, now;
    enum aw_status status = aw_hidmotor_read_positions(arm, &now, err);
    *moving = 0;
    for (int i = 0; i < now.n && i < before.n && status == AW_OK; i++)
        if (!is_given(target, i) && !(continued >> i & 1) &&
            !is_at(now.setpoint[i], before.setpoint[i], EXACT_DEG))
            *moving |= 1u << i;
    return status;
}

/* ---- Moving ---- */

static enum aw_status send_plan(struct aw_hidmotor *arm, const struct aw_hidmotor_plan *plan,
                                struct aw_hidmotor_reply *reply, struct aw_error *err)
{
    uint8_t bytes[AW_HIDMOTOR_PAYLOAD];
    struct aw_span payload = encode_payload(plan, bytes);
    bool force = arm->options.force;
    /* the plan has been checked; joints without a target may be outside the limits */
    arm->options.force = true;
    enum aw_status status =
        aw_hidmotor_send_raw(arm, find_set_setpoints()->code, payload, reply, err);
    arm->options.force = force;
    return status;
}

static bool are_setpoints_at(const struct aw_hidmotor_plan *plan,
                             const struct aw_hidmotor_status *status, double tolerance)
{
    for (int i = 0; i < plan->n; i++)
        if (i >= status->n || !is_at(status->setpoint[i], plan->target[i], tolerance))
            return false;
    return true;
}

/* Returns true if at least one setpoint has left the start, and all that have are between start and
 * target. */
static bool are_setpoints_moving(const struct aw_hidmotor_plan *plan,
                                 const struct aw_hidmotor_status *status)
{
    bool any_moved = false;
    for (int i = 0; i < plan->n && i < status->n; i++) {
        double moved = status->setpoint[i] - plan->start[i],
               distance = plan->target[i] - plan->start[i];
        if (fabs(moved) > SETPOINT_TOLERANCE &&
            (moved * distance < 0 || fabs(moved) > fabs(distance) + SETPOINT_TOLERANCE))
            return false;
        any_moved |= moved * distance > 0;
    }
    return any_moved;
}

static enum aw_status verify(struct aw_hidmotor *arm, const struct aw_hidmotor_plan *plan,
                             struct aw_error *err)
{
    struct aw_clock *clock = arm->link->clock;
    int64_t deadline = aw_clock_now(clock) + VERIFY_NS;
    enum aw_status status = AW_OK;
    while (status == AW_OK && aw_clock_now(clock) < deadline) {
        struct aw_hidmotor_status now;
        status = aw_hidmotor_read_positions(arm, &now, err);
        bool fresh = status == AW_OK && now.earliest_ns >= plan->sent_ns;
        if (fresh && (are_setpoints_at(plan, &now, EXACT_DEG) || are_setpoints_moving(plan, &now)))
            return AW_OK;
        if (status == AW_OK || status == AW_MALFORMED)
            status = aw_clock_sleep(clock, aw_clock_now(clock) + AW_HIDMOTOR_POLL_NS);
    }
    if (status != AW_OK)
        return status;
    return aw_fail(err, AW_TIMEOUT,
                   "no answer to set_setpoints within %d ms, and the setpoints do not move: the "
                   "command was lost — repeat it",
                   arm->options.timeout_ms);
}

static void note_motion(struct aw_hidmotor *arm, const struct aw_hidmotor_plan *plan)
{
    arm->motion = (struct aw_hidmotor_motion){.n = plan->n,
                                              .sinusoidal = plan->mode == AW_HIDMOTOR_SINUSOIDAL,
                                              .duration_ms = plan->duration_ms,
                                              .sent_ns = plan->sent_ns};
    memcpy(arm->motion.from, plan->start, sizeof plan->start);
    memcpy(arm->motion.to, plan->target, sizeof plan->target);
}

enum aw_status aw_hidmotor_follow(struct aw_hidmotor *arm, struct aw_hidmotor_plan *plan,
                                  struct aw_error *err)
{
    plan->sent_ns = aw_clock_now(arm->link->clock);
    note_motion(arm, plan);
    return send_plan(arm, plan, NULL, err);
}

enum aw_status aw_hidmotor_move(struct aw_hidmotor *arm, struct aw_hidmotor_plan *plan,
                                bool *verified, struct aw_error *err)
{
    enum aw_status status = aw_hidmotor_follow(arm, plan, err);
    bool lost = status == AW_TIMEOUT;
    if (lost)
        status = verify(arm, plan, err);
    if (verified)
        *verified = lost && status == AW_OK;
    if (status != AW_OK && status != AW_STOPPED)
        arm->motion.n = 0; /* the state of the motion is uncertain */
    return status;
}

/* ---- Waiting ---- */

struct waiting {
    const struct aw_hidmotor_plan *plan;
    double tolerance;
    struct aw_hidmotor_status now;
    /* position at the last detected movement, deg */
    double reference_position[AW_HIDMOTOR_MOTORS];
    int64_t alive_ns[AW_HIDMOTOR_MOTORS]; /* when the motor last moved or was at its setpoint */
    double setpoint[AW_HIDMOTOR_MOTORS];
    int64_t changed_ns; /* time at which a setpoint last changed */
};

/* Notes which joints are alive: those that move or are at their setpoint. */
static void watch_motion(struct waiting *w)
{
    for (int i = 0; i < w->now.n; i++) {
        if (!is_at(w->now.position[i], w->reference_position[i], MIN_MOVEMENT) ||
            is_at(w->now.position[i], w->now.setpoint[i], w->tolerance)) {
            w->reference_position[i] = w->now.position[i];
            w->alive_ns[i] = w->now.time_ns;
        }
        if (!is_at(w->now.setpoint[i], w->setpoint[i], 0)) {
            w->setpoint[i] = w->now.setpoint[i];
            w->changed_ns = w->now.time_ns;
        }
    }
}

static bool has_arrived(const struct waiting *w)
{
    if (w->plan->sent_ns != AW_NEVER && w->now.earliest_ns < w->plan->sent_ns)
        return false;
    for (int i = 0; i < w->plan->n; i++)
        if (!is_at(w->now.position[i], w->plan->target[i], w->tolerance))
            return false;
    bool at_rest = w->now.time_ns - w->changed_ns >= 2 * AW_HIDMOTOR_POLL_NS;
    return are_setpoints_at(w->plan, &w->now, at_rest ? SETPOINT_TOLERANCE : EXACT_DEG);
}

static const char *get_joint_name(int motor)
{
    static const char *const others[] = {"m4", "m5", "m6", "m7"};
    return motor < AW_HIDMOTOR_JOINTS ? aw_hidmotor_joint(motor).alias
                                      : others[motor - AW_HIDMOTOR_JOINTS];
}

static enum aw_status fail_still(const struct waiting *w, int joint, struct aw_error *err)
{
    double error = fabs(w->now.position[joint] - w->now.setpoint[joint]);
    if (error <= AW_HIDMOTOR_TOLERANCE)
        return aw_fail(
            err, AW_REFUSED,
            "%s: rests %.2f deg from its setpoint — give --wait=%gdeg, the accuracy of the arm",
            get_joint_name(joint), error, AW_HIDMOTOR_TOLERANCE);
    return aw_fail(
        err, AW_REFUSED,
        "%s: joint stays at %.1f deg, setpoint is %.1f deg — check for an obstacle; if the "
        "arm is not homed, hold Home on the board; switch the motors on",
        get_joint_name(joint), w->now.position[joint], w->now.setpoint[joint]);
}

static enum aw_status fail_elsewhere(const struct waiting *w, struct aw_error *err)
{
    int joint = 0;
    while (joint < w->plan->n - 1 &&
           is_at(w->now.setpoint[joint], w->plan->target[joint], SETPOINT_TOLERANCE))
        joint++;
    return aw_fail(err, AW_REFUSED,
                   "%s: setpoint stays at %.2f deg instead of %.2f deg — check for a limit on the "
                   "board, or another program that moves the arm",
                   get_joint_name(joint), w->now.setpoint[joint], w->plan->target[joint]);
}

/* Returns a failure as soon as the motion is certain to fail. */
static enum aw_status check_progress(const struct waiting *w, struct aw_error *err)
{
    int64_t now = w->now.time_ns;
    int64_t end_ns = aw_time_after(w->plan->sent_ns == AW_NEVER ? 0 : w->plan->sent_ns,
                                   w->plan->duration_ms / 1000);
    for (int i = 0; i < w->now.n; i++)
        if (now - w->alive_ns[i] >= MOVE_TIMEOUT_NS)
            return fail_still(w, i, err);
    if (now - MOVE_TIMEOUT_NS > end_ns && now - w->changed_ns >= MOVE_TIMEOUT_NS &&
        !are_setpoints_at(w->plan, &w->now, SETPOINT_TOLERANCE))
        return fail_elsewhere(w, err);
    return AW_OK;
}

static enum aw_status fail_timeout(const struct waiting *w, struct aw_error *err)
{
    int worst_joint = 0;
    for (int i = 1; i < w->plan->n && i < w->now.n; i++)
        if (fabs(w->now.position[i] - w->plan->target[i]) >
            fabs(w->now.position[worst_joint] - w->plan->target[worst_joint]))
            worst_joint = i;
    return aw_fail(
        err, AW_TIMEOUT, "timed out: %s is at %.1f deg, target is %.1f deg — check for an obstacle",
        get_joint_name(worst_joint), w->now.position[worst_joint], w->plan->target[worst_joint]);
}

/* Reads the positions into w->now. Only BAD_REPLIES consecutive bad replies end a wait. */
static enum aw_status read_positions(struct aw_hidmotor *arm, struct waiting *w,
                                     struct aw_error *err)
{
    enum aw_status status = AW_MALFORMED;
    for (int i = 0; i < BAD_REPLIES && status == AW_MALFORMED; i++)
        status = aw_hidmotor_read_positions(arm, &w->now, err);
    return status;
}

enum aw_status aw_hidmotor_wait(struct aw_hidmotor *arm, const struct aw_hidmotor_plan *plan,
                                double tolerance_deg, int64_t deadline, aw_hidmotor_wait_fn *fn,
                                void *context, struct aw_error *err)
{
    struct aw_clock *clock = arm->link->clock;
    struct waiting w = {.plan = plan, .tolerance = tolerance_deg};
    enum aw_status status = read_positions(arm, &w, err);
    w.changed_ns = w.now.time_ns;
    for (int i = 0; i < AW_HIDMOTOR_MOTORS; i++) {
        w.reference_position[i] = w.now.position[i];
        w.setpoint[i] = w.now.setpoint[i];
        w.alive_ns[i] = w.now.time_ns;
    }
    while (status == AW_OK) {
        int64_t next = w.now.time_ns + AW_HIDMOTOR_POLL_NS;
        watch_motion(&w);
        if ((fn && !fn(context, &w.now)) || has_arrived(&w))
            return AW_OK;
        status = check_progress(&w, err);
        if (status == AW_OK && aw_clock_now(clock) >= deadline)
            return fail_timeout(&w, err);
        if (status == AW_OK)
            status = aw_clock_sleep(clock, aw_min_time(next, deadline));
        if (status == AW_OK)
            status = read_positions(arm, &w, err);
    }
    return status;
}

/* ---- Stopping ---- */

static enum aw_status measure_quickly(struct aw_hidmotor *arm, bool first)
{
    struct aw_hidmotor_options options = arm->options;
    struct aw_hidmotor_status now;
    arm->options.retries = 0;
    if (first)
        arm->options.timeout_ms = STOP_ASK_MS;
    enum aw_status status = aw_hidmotor_read_positions(arm, &now, NULL);
    arm->options = options;
    return status;
}

static double clamp_position(const struct aw_hidmotor *arm, int motor)
{
    double deg = arm->latest.position[motor];
    if (motor >= AW_HIDMOTOR_JOINTS)
        return deg;
    bool plausible = fabs(deg - clamp(motor, deg)) <= MAX_EXCESS_DEG;
    return clamp(motor, plausible ? deg : arm->latest.setpoint[motor]);
}

/* Returns true if the setpoint is constant and the joint is near it. Such a joint keeps its
 * setpoint: holding the measured position would make it sag a little more with each stop. */
static bool is_at_rest(const struct aw_hidmotor *arm, int motor,
                       const struct aw_hidmotor_status *before)
{
    const struct aw_hidmotor_status *latest = &arm->latest;
    bool comparable = motor < before->n && latest->time_ns - before->time_ns < MOVE_TIMEOUT_NS;
    return !is_commanded(arm, motor) &&
           !(comparable && !is_at(latest->setpoint[motor], before->setpoint[motor], EXACT_DEG)) &&
           is_at(latest->position[motor], latest->setpoint[motor], AW_HIDMOTOR_TOLERANCE);
}

static double hold_position(const struct aw_hidmotor *arm, int motor,
                            const struct aw_hidmotor_status *before)
{
    double setpoint = arm->latest.setpoint[motor];
    if (!is_at_rest(arm, motor, before))
        return clamp_position(arm, motor);
    return motor < AW_HIDMOTOR_JOINTS ? clamp(motor, setpoint) : setpoint;
}

/* Plans a stop. before: state before the last answer. outdated: the positions are too old. The plan
 * is empty if no position is known. */
static struct aw_hidmotor_plan plan_stop(const struct aw_hidmotor *arm,
                                         const struct aw_hidmotor_status *before, bool outdated)
{
    bool estimated = arm->motion.n > 0 && (arm->latest.n == 0 || outdated);
    struct aw_hidmotor_plan plan = {.n = estimated ? arm->motion.n : arm->latest.n};
    for (int i = 0; i < plan.n; i++)
        plan.target[i] = estimated ? get_setpoint_now(arm, i) : hold_position(arm, i, before);
    return plan;
}

static bool is_old(const struct aw_hidmotor *arm)
{
    return aw_clock_now(arm->link->clock) - arm->latest.time_ns > STOP_MAX_AGE_NS;
}

void aw_hidmotor_last_stop(const struct aw_hidmotor *arm, aw_frame_fn *add, void *context)
{
    uint8_t report[AW_HIDMOTOR_REPORT];
    struct aw_hidmotor_plan plan = plan_stop(arm, &arm->latest, is_old(arm));
    aw_hidmotor_encode_plan(&plan, report);
    if (plan.n > 0)
        add(context, report, sizeof report);
}

/* Reads the positions and plans a stop. */
static enum aw_status prepare_stop(struct aw_hidmotor *arm, struct aw_hidmotor_stopped *stopped,
                                   struct aw_hidmotor_plan *plan)
{
    bool outdated = is_old(arm);
    struct aw_hidmotor_status before = arm->latest;
    enum aw_status status = measure_quickly(arm, stopped->attempts == 0);
    stopped->measured = status == AW_OK;
    *plan = plan_stop(arm, &before, !stopped->measured && outdated);
    memcpy(stopped->deg, plan->target, sizeof stopped->deg);
    return status;
}

/* Writes the report directly, because during a request to stop a transaction ends before the
 * write. */
static enum aw_status write_stop(struct aw_hidmotor *arm, const uint8_t report[AW_HIDMOTOR_REPORT],
                                 struct aw_error *err)
{
    enum aw_status status = aw_link_write(arm->link, report, AW_HIDMOTOR_REPORT, err);
    arm->counters.sent += status == AW_OK;
    return status;
}

static enum aw_status try_stop(struct aw_hidmotor *arm, struct aw_hidmotor_stopped *stopped,
                               int64_t started, struct aw_error *err)
{
    struct aw_hidmotor_plan plan;
    struct aw_hidmotor_reply reply = {.maybe_stale = false};
    uint8_t report[AW_HIDMOTOR_REPORT];
    enum aw_status status = prepare_stop(arm, stopped, &plan);
    /* Reports other failures as a timeout, so that the caller retries: the board may still
     * answer. */
    if (plan.n == 0)
        return aw_fail(err, status == AW_LOST || status == AW_STOPPED ? status : AW_TIMEOUT,
                       "position unknown, no answer from the board — cut the motor power");
    if (stopped->attempts++ == 0)
        stopped->latency_ns = aw_clock_now(arm->link->clock) - started;
    uint64_t sent = arm->counters.sent;
    status = send_plan(arm, &plan, &reply, err);
    aw_hidmotor_encode_plan(&plan, report);
    stopped->confirmed =
        status == AW_OK && (!reply.maybe_stale || memcmp(reply.bytes, report, sizeof report) == 0);
    if (stopped->confirmed) { /* the earlier motion has ended */
        memcpy(plan.start, plan.target, sizeof plan.start);
        plan.sent_ns = aw_clock_now(arm->link->clock);
        note_motion(arm, &plan);
    }
    if (status == AW_STOPPED && arm->counters.sent == sent)
        return write_stop(arm, report, err);
    if (status == AW_OK && !stopped->confirmed)
        return aw_fail(err, AW_TIMEOUT,
                       "the answer may belong to another command — check that the arm has stopped");
    return status == AW_STOPPED ? AW_OK : status;
}

enum aw_status aw_hidmotor_stop(struct aw_hidmotor *arm, struct aw_hidmotor_stopped *stopped,
                                struct aw_error *err)
{
    struct aw_hidmotor_stopped discarded;
    int64_t started = aw_clock_now(arm->link->clock);
    bool has_turn = aw_link_start_turn(arm->link, started + STOP_TURN_NS);
    int timeout_ms = arm->options.timeout_ms, turn_ms = arm->options.turn_ms;
    enum aw_status status;
    arm->options.turn_ms = 0;
    if (!stopped)
        stopped = &discarded;
    *stopped = (struct aw_hidmotor_stopped){.attempts = 0};
    if (timeout_ms > STOP_TIMEOUT_MS)
        arm->options.timeout_ms = STOP_TIMEOUT_MS;
    do
        status = try_stop(arm, stopped, started, err);
    while (status == AW_TIMEOUT && aw_clock_now(arm->link->clock) < started + STOP_RETRY_NS);
    arm->options.timeout_ms = timeout_ms;
    arm->options.turn_ms = turn_ms;
    if (has_turn)
        aw_link_end_turn(arm->link);
    return status;
}
