/* The start check: refuses a stream of targets that begins with a jump. */
#include "shell/joints/start_check.h"

#include <math.h>
#include <string.h>

#include "base/number.h"
#include "control/lag.h"
#include "shell/safety/safety.h"

/* max distance if the max speed is known: travel at that speed in this time, s */
#define AT_LIMIT_S         0.2
#define RANGE_SHARE        0.02 /* max distance otherwise, as a share of the range */
#define SHORT_TIME_S       0.5  /* duration of a short approach, s */
#define SHORT_SPEED        0.3  /* speed of a short approach, as a share of the limit */
#define SETTLE_S           5    /* time to settle on arrival, s */
#define PEAK_TO_MEAN_SPEED 1.58 /* peak speed of a sinusoidal motion is pi/2 times its mean */
#define ARRIVAL_SHARE      0.1  /* arrival tolerance of steered joints, share of the max distance */
#define SILENCE_S          0.5  /* max time without a report during the approach, s */
#define GAP_NS             (200 * AW_MILLISECOND) /* a longer delay pauses the path */
#define STREAM_NS          (500 * AW_MILLISECOND) /* max time between two setpoints of a stream */
#define TEXT               48
#define ROUNDING_S         1e-6 /* tolerance for rounding errors of durations, s */
#define MIN_MS             20 /* a duration below this without a unit is rejected: it may mean s */

/* Defaults if neither speed nor range is known: max distance, and a slow approach speed. */
static const struct {
    const char *unit;
    double max_jump, speed;
} defaults[] = {{"deg", 10, 10}, {"rad", 0.1, 0.2}, {NULL, 0.1, 1}};

static size_t find_defaults(const struct aw_joint *joint)
{
    const char *unit = joint->unit[AW_JOINT_ACTUAL];
    size_t i = 0;
    while (defaults[i].unit && (!unit || strcmp(unit, defaults[i].unit) != 0))
        i++;
    return i;
}

static enum aw_status read_option(struct aw_session *session, const struct aw_joint *joint,
                                  const char *option, const char *text, const char *unit,
                                  double *value)
{
    char subject[96];
    snprintf(subject, sizeof subject, "--%s of %s", option, aw_joint_display_name(joint));
    enum aw_status status = aw_number_parse_unit(text, unit, value, &session->err);
    if (status != AW_OK)
        return aw_fail_about(&session->err, status, subject);
    if (!(*value > 0))
        return aw_fail(&session->err, AW_USAGE, "--%s %s: out of range — give a value above 0",
                       option, text);
    return AW_OK;
}

enum aw_status aw_start_max_jump(struct aw_session *session, const struct aw_joint *joint,
                                 double *max_jump)
{
    double range = joint->limits.max - joint->limits.min;
    *max_jump = isfinite(joint->limits.max_speed) ? AT_LIMIT_S * joint->limits.max_speed
                : isfinite(range)                 ? RANGE_SHARE * range
                                                  : defaults[find_defaults(joint)].max_jump;
    const char *jump = session->options.move.max_jump;
    if (!jump)
        return AW_OK;
    return read_option(session, joint, "max-jump", jump, joint->unit[AW_JOINT_ACTUAL], max_jump);
}

enum aw_status aw_joint_read_max_lag(struct aw_session *session, const struct aw_joint *joint,
                                     double *max_lag)
{
    *max_lag = joint->tolerance.max_deviation;
    const char *lag = session->options.move.max_lag;
    return lag ? read_option(session, joint, "max-lag", lag, joint->unit[AW_JOINT_ACTUAL], max_lag)
               : AW_OK;
}

enum aw_status aw_joint_check_lag(struct aw_session *session, const struct aw_joint *joint,
                                  const struct aw_joint_lag *lag, int64_t *behind_ns)
{
    const char *unit = joint->unit[AW_JOINT_ACTUAL];
    double distance = aw_joint_distance(joint, lag->target);
    if (!aw_is_lagging(behind_ns, distance, lag->max_lag, aw_joints_now(session)))
        return AW_OK;
    return aw_fail(&session->err, AW_REFUSED,
                   "%s stays %.3g%s%s behind its target, more than --max-lag %g for %g s — "
                   "check for an obstacle, or lower --%s",
                   joint->name, fabs(distance), unit ? " " : "", unit ? unit : "", lag->max_lag,
                   AW_LAG_S, lag->option);
}

/* Returns --max-speed of the command if its unit is the joint's; else INFINITY. */
static double get_max_speed(const struct aw_session *session, const struct aw_joint *joint)
{
    const char *text = session->options.move.max_speed;
    double speed = session->options.move.max_speed_value;
    if (speed > 0)
        return speed;
    bool given =
        text && aw_number_parse_unit(text, joint->unit[AW_JOINT_VELOCITY], &speed, NULL) == AW_OK;
    return given ? speed : (double)INFINITY;
}

enum aw_status aw_start_read_speed(struct aw_session *session, const struct aw_joint *joint,
                                   double *speed)
{
    *speed = NAN;
    const char *approach = session->options.move.approach;
    if (!approach)
        return AW_OK;
    enum aw_status status =
        read_option(session, joint, "approach", approach, joint->unit[AW_JOINT_VELOCITY], speed);
    if (status == AW_OK && *speed > joint->limits.max_speed && !session->options.run.force)
        return aw_fail(&session->err, AW_LIMIT,
                       "--approach %s: exceeds the max speed of %s, %g %s — give a lower speed",
                       approach, aw_joint_display_name(joint), joint->limits.max_speed,
                       joint->unit[AW_JOINT_VELOCITY] ? joint->unit[AW_JOINT_VELOCITY] : "per s");
    double max_speed = get_max_speed(session, joint);
    if (status == AW_OK && *speed > max_speed && !session->options.run.force)
        return aw_fail(&session->err, AW_LIMIT,
                       "--approach %s: exceeds --max-speed %g — give a lower speed", approach,
                       max_speed);
    return status;
}

static const char *write_value(const struct aw_joint *joint, double value, char out[TEXT])
{
    const char *unit = joint->unit[AW_JOINT_ACTUAL];
    snprintf(out, TEXT, "%.4g%s%s", value + 0.0, unit ? " " : "", unit ? unit : "");
    return out;
}

static enum aw_status refuse(struct aw_session *session, const struct aw_joint *joint,
                             double target, double max_jump)
{
    double position = joint->state.value[AW_JOINT_ACTUAL];
    const char *per_s = joint->unit[AW_JOINT_VELOCITY];
    char first[TEXT], position_text[TEXT], limit[TEXT];
    write_value(joint, target, first);
    if (isnan(position))
        return aw_fail(&session->err, AW_LIMIT,
                       "%s: position unknown, and the first target is %s — %sgive --force to move "
                       "there anyway",
                       aw_joint_display_name(joint), first,
                       session->tool->motion.joints->run.attend ? "" : "move it once, or ");
    return aw_fail(&session->err, AW_LIMIT,
                   "%s is at %s, the first target is %s: farther than --max-jump %s — give "
                   "--approach %g%s to move there first",
                   aw_joint_display_name(joint), write_value(joint, position, position_text), first,
                   write_value(joint, max_jump, limit), defaults[find_defaults(joint)].speed,
                   per_s ? per_s : "");
}

enum aw_status aw_start_check(struct aw_session *session, const struct aw_joint_list *list,
                              const struct aw_joint_goal *goals, size_t n)
{
    for (size_t i = 0; i < n; i++) {
        const struct aw_joint *joint = &list->joints[goals[i].joint];
        double distance = fabs(goals[i].value - joint->state.value[AW_JOINT_ACTUAL]), max_jump,
               speed;
        enum aw_status status = aw_start_max_jump(session, joint, &max_jump);
        if (status == AW_OK)
            status = aw_start_read_speed(session, joint, &speed);
        if (status != AW_OK)
            return status;
        if (distance <= max_jump || (isnan(distance) && session->options.run.force))
            continue;
        if (isnan(distance) || isnan(speed))
            return refuse(session, joint, goals[i].value, max_jump);
    }
    return AW_OK;
}

enum aw_status aw_start_check_loop(struct aw_session *session, const struct aw_joint *joint,
                                   double last, double first, bool *is_far)
{
    double max_jump, speed = NAN;
    char end[TEXT];
    enum aw_status status = aw_start_max_jump(session, joint, &max_jump);
    if (status == AW_OK)
        status = aw_start_read_speed(session, joint, &speed);
    *is_far = status == AW_OK && fabs(last - first) > max_jump;
    if (!*is_far || !isnan(speed))
        return status;
    return aw_fail(&session->err, AW_LIMIT,
                   "%s: the file ends at %s and begins at %.4g: --loop would jump — make the file "
                   "end where it begins, or give --approach",
                   joint->name, write_value(joint, last, end), first);
}

size_t aw_start_select_far(struct aw_session *session, const struct aw_joint_list *list,
                           struct aw_joint_goal *goals, size_t n)
{
    size_t n_far = 0;
    for (size_t i = 0; i < n; i++) {
        const struct aw_joint *joint = &list->joints[goals[i].joint];
        double max_jump;
        if (aw_start_max_jump(session, joint, &max_jump) == AW_OK &&
            fabs(goals[i].value - joint->state.value[AW_JOINT_ACTUAL]) > max_jump)
            goals[n_far++] = goals[i];
    }
    return n_far;
}

/* ---- Approach ---- */

/* Sets *seconds to the duration that keeps all joints within their approach speed; 0: all are at
 * their targets. */
static enum aw_status approach_time(struct aw_session *session, const struct aw_joint_list *list,
                                    const struct aw_joint_goal *goals, const double *from, size_t n,
                                    double *seconds)
{
    *seconds = 0;
    for (size_t i = 0; i < n; i++) {
        const struct aw_joint *joint = &list->joints[goals[i].joint];
        double distance = fabs(goals[i].value - from[i]), speed;
        enum aw_status status = aw_start_read_speed(session, joint, &speed);
        if (status != AW_OK)
            return status;
        if (!(distance > fmax(joint->tolerance.min_motion, 1e-9)))
            continue;
        *seconds = fmax(*seconds,
                        isnan(speed)
                            ? fmax(SHORT_TIME_S, distance / (SHORT_SPEED * joint->limits.max_speed))
                            : distance / speed);
    }
    return AW_OK;
}

/* The approach in progress. */
struct approach {
    struct aw_session *session;
    struct aw_joint_list *list;
    const struct aw_joint_goal *goals;
    const double *from;
    size_t n;
    double seconds;
    struct aw_joint_lag lags[AW_START_JOINTS];
    int64_t behind_ns[AW_START_JOINTS];
};

static enum aw_status send_share(struct approach *approach, double share)
{
    struct aw_session *session = approach->session;
    struct aw_joint_goal now[AW_START_JOINTS];
    struct aw_joint_command command = {.goals = now,
                                       .n = approach->n,
                                       .seconds = 1 / session->tool->motion.joints->traits.rate_hz,
                                       .is_stream = true,
                                       .show_ns = AW_NO_TIME};
    for (size_t i = 0; i < approach->n; i++) {
        double at = approach->from[i] + share * (approach->goals[i].value - approach->from[i]);
        now[i] = (struct aw_joint_goal){approach->goals[i].joint, at};
        approach->lags[i].target = at;
    }
    return aw_joints_send_unchecked(session, approach->list, &command);
}

/* Returns true if a steered joint is not near its target yet. */
static bool is_steering(const struct approach *approach)
{
    for (size_t i = 0; i < approach->n && approach->session->tool->motion.steer_gain > 0; i++) {
        const struct aw_joint *joint = &approach->list->joints[approach->goals[i].joint];
        double max_jump;
        if (aw_start_max_jump(approach->session, joint, &max_jump) == AW_OK &&
            fabs(aw_joint_distance(joint, approach->goals[i].value)) > ARRIVAL_SHARE * max_jump)
            return true;
    }
    return false;
}

/* Checks each joint for faults, silence and lag. The first failure ends the approach of all
 * joints. */
static enum aw_status check_joints(struct approach *approach)
{
    struct aw_session *session = approach->session;
    enum aw_status status = AW_OK;
    for (size_t i = 0; i < approach->n && status == AW_OK; i++) {
        const struct aw_joint *joint = &approach->list->joints[approach->goals[i].joint];
        if (joint->state.has_fault)
            return aw_fail(&session->err, AW_REFUSED,
                           "%s: reported %s during the approach — clear the fault first",
                           joint->name, joint->state.fault ? joint->state.fault : "a fault");
        if (session->tool->motion.joints->run.attend && aw_joint_age(session, joint) > SILENCE_S)
            return aw_fail(&session->err, AW_TIMEOUT,
                           "%s: no reports during the approach — check its power and the link",
                           joint->name);
        status = aw_joint_check_lag(session, joint, &approach->lags[i], &approach->behind_ns[i]);
    }
    return status;
}

static enum aw_status begin_approach(struct approach *approach)
{
    enum aw_status status = AW_OK;
    for (size_t i = 0; i < approach->n && status == AW_OK; i++) {
        struct aw_joint *joint = &approach->list->joints[approach->goals[i].joint];
        double rate = fabs(approach->goals[i].value - approach->from[i]) / approach->seconds;
        approach->lags[i] =
            (struct aw_joint_lag){.target = approach->from[i], .option = "approach"};
        status = aw_joint_read_max_lag(approach->session, joint, &approach->lags[i].max_lag);
        if (status == AW_OK)
            status = aw_start_read_speed(approach->session, joint, &joint->steer.max_steer_speed);
        if (isnan(joint->steer.max_steer_speed))
            joint->steer.max_steer_speed = isfinite(joint->limits.max_speed)
                                               ? fmax(rate, SHORT_SPEED * joint->limits.max_speed)
                                               : INFINITY;
    }
    if (status == AW_OK)
        aw_session_start_motion(approach->session);
    return status;
}

/* Streams targets from the start positions to the goals, at the tool's rate. Resumes at the same
 * point after the program was suspended. */
static enum aw_status run_approach(struct approach *approach)
{
    struct aw_session *session = approach->session;
    double rate_hz = session->tool->motion.joints->traits.rate_hz, share = 0;
    int64_t start = aw_joints_now(session), due = start;
    int64_t ticks = (int64_t)ceil(approach->seconds * rate_hz),
            max_ticks = ticks + (int64_t)(SETTLE_S * rate_hz);
    enum aw_status status = begin_approach(approach);
    for (int64_t tick = 1;
         status == AW_OK && tick <= max_ticks && (share < 1 || is_steering(approach)); tick++) {
        int64_t late = aw_joints_now(session) - due;
        start += late > GAP_NS ? late : 0;
        due = aw_time_after(start, (double)tick / rate_hz);
        share = fmin(1, (double)tick / rate_hz / approach->seconds);
        status = send_share(approach, share);
        if (status == AW_OK)
            status = aw_joints_attend_until(session, approach->list, due, NULL, NULL);
        if (status == AW_OK)
            status = check_joints(approach);
        aw_session_show_progress(session, "approach %.0f of %.0f s", share * approach->seconds,
                                 approach->seconds);
    }
    return status;
}

/* Stops the steered joints. */
static enum aw_status stop_steered(struct aw_session *session, struct aw_joint_list *list,
                                   const struct aw_joint_goal *goals, size_t n)
{
    struct aw_joint_goal zeros[AW_START_JOINTS];
    struct aw_joint_command command = {.kind = AW_JOINT_VELOCITIES,
                                       .goals = zeros,
                                       .seconds = NAN,
                                       .is_stream = true,
                                       .show_ns = AW_NO_TIME};
    aw_joints_end_steering(list);
    for (size_t i = 0; i < n && session->tool->motion.steer_gain > 0; i++)
        zeros[command.n++] = (struct aw_joint_goal){goals[i].joint, 0};
    return aw_joints_send_unchecked(session, list, &command);
}

struct arrival {
    struct approach *approach;
    size_t far_joint;
    enum aw_status status;
};

static bool find_far_joint(struct arrival *a, const struct aw_joint_list *list)
{
    const struct approach *approach = a->approach;
    double max_jump;
    for (a->far_joint = 0; a->far_joint < approach->n; a->far_joint++) {
        const struct aw_joint *joint = &list->joints[approach->goals[a->far_joint].joint];
        double distance = aw_joint_distance(joint, approach->goals[a->far_joint].value);
        if (aw_start_max_jump(approach->session, joint, &max_jump) == AW_OK &&
            fabs(distance) > max_jump)
            return true;
    }
    return false;
}

/* Returns true while a joint is still far from its target and none has failed check_joints. */
static bool check_approach(void *context, const struct aw_joint_list *list)
{
    struct arrival *a = context;
    a->status = check_joints(a->approach);
    return a->status == AW_OK && find_far_joint(a, list);
}

static enum aw_status await_arrival(struct approach *approach)
{
    struct aw_session *session = approach->session;
    struct aw_joint_list *list = approach->list;
    struct arrival arriving = {.approach = approach, .status = AW_OK};
    char position_text[TEXT], wanted[TEXT];
    enum aw_status status = AW_OK;
    if (find_far_joint(&arriving, list))
        status =
            aw_joints_attend(session, list, aw_time_after(aw_clock_now(session->clock), SETTLE_S),
                             0, check_approach, &arriving);
    status = status == AW_OK ? arriving.status : status;
    if (status != AW_OK || !find_far_joint(&arriving, list))
        return status;
    const struct aw_joint *joint = &list->joints[approach->goals[arriving.far_joint].joint];
    return aw_fail(&session->err, AW_REFUSED,
                   "%s is at %s after the approach, not at %s — check for an obstacle",
                   aw_joint_display_name(joint),
                   write_value(joint, joint->state.value[AW_JOINT_ACTUAL], position_text),
                   write_value(joint, approach->goals[arriving.far_joint].value, wanted));
}

enum aw_status aw_start_approach(struct aw_session *session, struct aw_joint_list *list,
                                 const struct aw_joint_goal *goals, size_t n)
{
    const struct aw_joints *joints = session->tool->motion.joints;
    double from[AW_START_JOINTS], seconds;
    for (size_t i = 0; i < n; i++) {
        const struct aw_joint *joint = &list->joints[goals[i].joint];
        double at = joints->traits.interpolates
                        ? joint->state.value[AW_JOINT_TARGET]
                        : aw_joint_position(joint, joint->steer.steer_target);
        from[i] = isnan(at) ? goals[i].value : at;
    }
    aw_joints_end_steering(list);
    enum aw_status status = approach_time(session, list, goals, from, n, &seconds);
    if (status != AW_OK || (seconds <= 0 && !joints->traits.interpolates))
        return status;
    if (!joints->traits.interpolates) {
        struct approach approach = {.session = session,
                                    .list = list,
                                    .goals = goals,
                                    .from = from,
                                    .n = n,
                                    .seconds = seconds};
        status = run_approach(&approach);
        if (status == AW_OK)
            status = stop_steered(session, list, goals, n);
        return status == AW_OK ? await_arrival(&approach) : status;
    }
    seconds *= PEAK_TO_MEAN_SPEED;
    int64_t deadline = aw_time_after(aw_clock_now(session->clock), seconds + 2 * SETTLE_S);
    struct aw_joint_command command = {.kind = AW_JOINT_TARGETS,
                                       .goals = goals,
                                       .n = n,
                                       .seconds = seconds,
                                       .show_ns = AW_NO_TIME};
    status = joints->run.command(session, list, &command);
    return status == AW_OK ? aw_joints_await(session, list, &command, NAN, deadline) : status;
}

/* ---- Single motions ---- */

enum aw_status aw_read_duration(struct aw_session *session, const struct aw_args *args,
                                double *seconds)
{
    const char *text = aw_arg(args, "duration", 0);
    double ms = NAN;
    enum aw_status status = aw_arg_number(session, args, "duration", &ms);
    *seconds = ms / 1000;
    if (status != AW_OK || !text || !(ms > 0 && ms < MIN_MS) || text[strcspn(text, "smh")])
        return status;
    return aw_fail(&session->err, AW_USAGE,
                   "%s: duration=%.20s has no unit — write duration=%.20ss or duration=%.20sms",
                   args->command->name, text, text, text);
}

double aw_min_duration(const struct aw_joint *joint, double distance, double peak_ratio)
{
    return fabs(distance) * peak_ratio / joint->limits.max_speed;
}

enum aw_status aw_check_duration(struct aw_session *session, const struct aw_joint *joint,
                                 double distance, double peak_ratio, double seconds)
{
    double min_s = aw_min_duration(joint, distance, peak_ratio);
    const char *unit = joint->unit[AW_JOINT_ACTUAL], *per_s = joint->unit[AW_JOINT_VELOCITY];
    bool other_unit = seconds > 0 && min_s >= AW_WRONG_UNIT * seconds;
    double jump = 0;
    if (seconds == 0 && session->options.move.max_jump &&
        aw_start_max_jump(session, joint, &jump) == AW_OK && fabs(distance) <= jump)
        return AW_OK;
    if (min_s <= fmax(seconds, 1 / session->tool->motion.joints->traits.rate_hz) + ROUNDING_S ||
        session->options.run.force)
        return AW_OK;
    return aw_fail(
        &session->err, AW_LIMIT,
        "%s: %.4g %s in %g s is faster than %g %s — %suse duration=%.0fms or more, or --force",
        joint->name, fabs(distance), unit ? unit : "", seconds, joint->limits.max_speed,
        per_s ? per_s : "per second", other_unit ? "check its unit, s or ms; " : "",
        ceil(min_s * 1000));
}

/* ---- Streams of commands ---- */

bool aw_start_is_motion(const struct aw_joint *joint, double target, double seconds)
{
    double distance = fabs(target - joint->state.value[AW_JOINT_ACTUAL]);
    return seconds > 0 && distance <= seconds * joint->limits.max_speed;
}

static bool is_streamed(const struct aw_session *session)
{
    const struct aw_session_mode *mode = &session->mode;
    return !mode->one_shot && (!mode->interactive || mode->scripts > 0) &&
           !session->options.run.dry_run;
}

/* Returns true if this setpoint continues the joint's stream; records its time. */
static bool continues_stream(struct aw_session *session, const struct aw_joint *joint)
{
    struct aw_streamed *streamed = &session->motion.streamed;
    int64_t now = aw_clock_now(session->clock);
    size_t i = 0;
    while (i < streamed->n && streamed->id[i] != joint->id)
        i++;
    bool continues = i < streamed->n && now - streamed->last_ns[i] <= STREAM_NS;
    if (i == AW_STREAMED)
        return false; /* no space left: checks each time */
    streamed->n = i == streamed->n ? i + 1 : streamed->n;
    streamed->id[i] = joint->id;
    streamed->last_ns[i] = now;
    return continues;
}

static enum aw_status begin_stream(struct aw_session *session, struct aw_joint_list *list,
                                   const struct aw_joint_command *command, size_t n,
                                   struct aw_joint_goal *first)
{
    enum aw_status status = aw_joints_read_new(session, list);
    size_t jumps = 0;
    if (status == AW_TIMEOUT && session->options.run.force)
        return AW_OK;
    for (size_t i = 0; i < n && status == AW_OK; i++)
        if (!aw_start_is_motion(&list->joints[first[i].joint], first[i].value, command->seconds))
            first[jumps++] = first[i];
    if (status == AW_OK)
        status = aw_start_check(session, list, first, jumps);
    size_t n_far = status == AW_OK ? aw_start_select_far(session, list, first, jumps) : 0;
    return n_far ? aw_start_approach(session, list, first, n_far) : status;
}

enum aw_status aw_start_check_streamed(struct aw_session *session, struct aw_joint_list *list,
                                       const struct aw_joint_command *command)
{
    return is_streamed(session) ? aw_start_check_single(session, list, command) : AW_OK;
}

enum aw_status aw_start_check_single(struct aw_session *session, struct aw_joint_list *list,
                                     const struct aw_joint_command *command)
{
    struct aw_joint_goal first[AW_START_JOINTS];
    size_t n = 0;
    list->is_frozen = true;
    for (size_t i = 0; i < list->n; i++)
        list->joints[i].flags.excluded = true; /* no reports of the other joints required */
    for (size_t i = 0; i < command->n && n < AW_START_JOINTS; i++) {
        struct aw_joint *joint = &list->joints[command->goals[i].joint];
        if (joint->flags.is_blind || continues_stream(session, joint))
            continue;
        joint->flags.excluded = false;
        first[n++] = command->goals[i];
    }
    enum aw_status status = n ? begin_stream(session, list, command, n, first) : AW_OK;
    if (status != AW_OK)
        session->motion.streamed.n = 0;
    return status;
}
