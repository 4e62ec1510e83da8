/* The start check: refuses a stream of targets that begins with a jump. */
#include "shell/joints/start_check.h"

#include <math.h>
#include <string.h>

#include "base/number.h"
#include "control/lag.h"
#include "shell/safety/safety.h"

/* max distance if the max speed is known: travel at that speed in this time, s */
#define AT_LIMIT_S 0.2
#define OF_RANGE   0.02 /* max distance otherwise, as a share of the range */
#define EASE_S     0.5  /* duration of a short approach, s */
#define EASE       0.3  /* speed of a short approach, as a share of the limit */
#define SETTLE_S   5    /* time to settle on arrival, s */
#define SMOOTH     1.58 /* peak speed of a sinusoidal motion is pi/2 times its mean */
#define NEAR       0.1  /* arrival tolerance of steered joints, as a share of the max distance */
#define SILENCE_S  0.5  /* max time without a report during the approach, s */
#define GAP_NS     (200 * AW_MILLISECOND) /* a longer delay pauses the path */
#define STREAM_NS  (500 * AW_MILLISECOND) /* max time between two setpoints of a stream */
#define TEXT       48
#define ROUNDING   1e-6 /* s */
#define LEAST_MS   20   /* without a unit, a shorter duration may be meant in s */

/* Defaults if neither speed nor range is known: max distance, and a slow approach speed. */
static const struct {
    const char *unit;
    double reach, speed;
} usual[] = {{"deg", 10, 10}, {"rad", 0.1, 0.2}, {NULL, 0.1, 1}};

static size_t usual_of(const struct aw_joint *joint)
{
    const char *unit = joint->unit[AW_JOINT_ACTUAL];
    size_t i = 0;
    while (usual[i].unit && (!unit || strcmp(unit, usual[i].unit) != 0))
        i++;
    return i;
}

static enum aw_status read_option(struct aw_session *session, const struct aw_joint *joint,
                                  const char *option, const char *text, const char *unit,
                                  double *value)
{
    struct aw_error why;
    enum aw_status status = aw_number_parse_unit(text, unit, value, &why);
    if (status != AW_OK)
        return aw_fail(&session->err, status, "--%s of %s: %s", option, aw_joint_called(joint),
                       why.text);
    if (!(*value > 0))
        return aw_fail(&session->err, AW_USAGE, "--%s %s: out of range — give a value above 0",
                       option, text);
    return AW_OK;
}

enum aw_status aw_start_reach(struct aw_session *session, const struct aw_joint *joint,
                              double *reach)
{
    double range = joint->max - joint->min;
    *reach = isfinite(joint->speed) ? AT_LIMIT_S * joint->speed
             : isfinite(range)      ? OF_RANGE * range
                                    : usual[usual_of(joint)].reach;
    const char *jump = session->options.move.max_jump;
    if (!jump)
        return AW_OK;
    return read_option(session, joint, "max-jump", jump, joint->unit[AW_JOINT_ACTUAL], reach);
}

enum aw_status aw_joint_max_lag(struct aw_session *session, const struct aw_joint *joint,
                                double *max_lag)
{
    *max_lag = joint->far;
    const char *lag = session->options.move.max_lag;
    return lag ? read_option(session, joint, "max-lag", lag, joint->unit[AW_JOINT_ACTUAL], max_lag)
               : AW_OK;
}

enum aw_status aw_joint_keeps_up(struct aw_session *session, const struct aw_joint *joint,
                                 const struct aw_joint_lag *lag, int64_t *behind_ns)
{
    const char *unit = joint->unit[AW_JOINT_ACTUAL];
    double away = aw_joint_way(joint, lag->target);
    if (!aw_lags(behind_ns, away, lag->most, aw_joints_now(session)))
        return AW_OK;
    return aw_fail(&session->err, AW_REFUSED,
                   "%s stays %.3g%s%s behind its target, more than --max-lag %g for %g s — "
                   "check for an obstacle, or lower --%s",
                   joint->name, fabs(away), unit ? " " : "", unit ? unit : "", lag->most, AW_LAG_S,
                   lag->slower);
}

/* Returns --max-speed of the command if its unit is the joint's; else INFINITY. */
static double command_max_speed(const struct aw_session *session, const struct aw_joint *joint)
{
    const char *text = session->options.move.max_speed;
    double speed = session->options.move.most_speed;
    if (speed > 0)
        return speed;
    bool given =
        text && aw_number_parse_unit(text, joint->unit[AW_JOINT_VELOCITY], &speed, NULL) == AW_OK;
    return given ? speed : (double)INFINITY;
}

enum aw_status aw_start_speed(struct aw_session *session, const struct aw_joint *joint,
                              double *speed)
{
    *speed = NAN;
    const char *approach = session->options.move.approach;
    if (!approach)
        return AW_OK;
    enum aw_status status =
        read_option(session, joint, "approach", approach, joint->unit[AW_JOINT_VELOCITY], speed);
    if (status == AW_OK && *speed > joint->speed && !session->options.run.force)
        return aw_fail(&session->err, AW_LIMIT,
                       "--approach %s: faster than the max speed of %s, %g %s — give less",
                       approach, aw_joint_called(joint), joint->speed,
                       joint->unit[AW_JOINT_VELOCITY]);
    double most = command_max_speed(session, joint);
    if (status == AW_OK && *speed > most && !session->options.run.force)
        return aw_fail(&session->err, AW_LIMIT,
                       "--approach %s: faster than --max-speed %g — give less", approach, most);
    return status;
}

static const char *with_unit(const struct aw_joint *joint, double value, char out[TEXT])
{
    const char *unit = joint->unit[AW_JOINT_ACTUAL];
    snprintf(out, TEXT, "%.4g%s%s", value + 0.0, unit ? " " : "", unit ? unit : "");
    return out;
}

static enum aw_status refuse(struct aw_session *session, const struct aw_joint *joint,
                             double target, double reach)
{
    double at = joint->now.value[AW_JOINT_ACTUAL];
    const char *per_s = joint->unit[AW_JOINT_VELOCITY];
    char first[TEXT], there[TEXT], most[TEXT];
    with_unit(joint, target, first);
    if (isnan(at))
        return aw_fail(&session->err, AW_LIMIT,
                       "%s: position unknown, and the first target is %s — %sgive --force to move "
                       "there anyway",
                       aw_joint_called(joint), first,
                       session->tool->joints->attend ? "" : "move it once, or ");
    return aw_fail(&session->err, AW_LIMIT,
                   "%s is at %s, the first target is %s: farther than --max-jump %s — give "
                   "--approach %g%s to move there first",
                   aw_joint_called(joint), with_unit(joint, at, there), first,
                   with_unit(joint, reach, most), usual[usual_of(joint)].speed, per_s ? per_s : "");
}

enum aw_status aw_start_check(struct aw_session *session, const struct aw_joint_list *list,
                              const struct aw_joint_goal *goals, size_t n)
{
    for (size_t i = 0; i < n; i++) {
        const struct aw_joint *joint = &list->joints[goals[i].joint];
        double away = fabs(goals[i].value - joint->now.value[AW_JOINT_ACTUAL]), reach, speed;
        enum aw_status status = aw_start_reach(session, joint, &reach);
        if (status == AW_OK)
            status = aw_start_speed(session, joint, &speed);
        if (status != AW_OK)
            return status;
        if (away <= reach || (isnan(away) && session->options.run.force))
            continue;
        if (isnan(away) || isnan(speed))
            return refuse(session, joint, goals[i].value, reach);
    }
    return AW_OK;
}

enum aw_status aw_start_check_loop(struct aw_session *session, const struct aw_joint *joint,
                                   double last, double first, bool *far)
{
    double reach, speed = NAN;
    char end[TEXT];
    enum aw_status status = aw_start_reach(session, joint, &reach);
    if (status == AW_OK)
        status = aw_start_speed(session, joint, &speed);
    *far = status == AW_OK && fabs(last - first) > reach;
    if (!*far || !isnan(speed))
        return status;
    return aw_fail(&session->err, AW_LIMIT,
                   "%s: the file ends at %s and begins at %.4g: --loop would jump — make the file "
                   "end where it begins, or give --approach",
                   joint->name, with_unit(joint, last, end), first);
}

size_t aw_start_select_far(struct aw_session *session, const struct aw_joint_list *list,
                           struct aw_joint_goal *goals, size_t n)
{
    size_t far = 0;
    for (size_t i = 0; i < n; i++) {
        const struct aw_joint *joint = &list->joints[goals[i].joint];
        double reach;
        if (aw_start_reach(session, joint, &reach) == AW_OK &&
            fabs(goals[i].value - joint->now.value[AW_JOINT_ACTUAL]) > reach)
            goals[far++] = goals[i];
    }
    return far;
}

/* ---- Approach ---- */

/* Returns the duration that keeps all joints within their speed. */
static enum aw_status time_of(struct aw_session *session, const struct aw_joint_list *list,
                              const struct aw_joint_goal *goals, const double *from, size_t n,
                              double *seconds)
{
    *seconds = 0;
    for (size_t i = 0; i < n; i++) {
        const struct aw_joint *joint = &list->joints[goals[i].joint];
        double away = fabs(goals[i].value - from[i]), speed;
        enum aw_status status = aw_start_speed(session, joint, &speed);
        if (status != AW_OK)
            return status;
        if (!(away > fmax(joint->least, 1e-9)))
            continue;
        *seconds = fmax(*seconds,
                        isnan(speed) ? fmax(EASE_S, away / (EASE * joint->speed)) : away / speed);
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

static enum aw_status send_part(struct approach *approach, double part)
{
    struct aw_session *session = approach->session;
    struct aw_joint_goal now[AW_START_JOINTS];
    struct aw_joint_command command = {.goals = now,
                                       .n = approach->n,
                                       .seconds = 1 / session->tool->joints->hz,
                                       .stream = true,
                                       .show_ns = AW_NO_TIME};
    for (size_t i = 0; i < approach->n; i++) {
        double at = approach->from[i] + part * (approach->goals[i].value - approach->from[i]);
        now[i] = (struct aw_joint_goal){approach->goals[i].joint, at};
        approach->lags[i].target = at;
    }
    return aw_joints_stream(session, approach->list, &command);
}

/* Returns true if a steered joint is not near its target yet. */
static bool is_far(const struct approach *approach)
{
    for (size_t i = 0; i < approach->n && approach->session->tool->steer > 0; i++) {
        const struct aw_joint *joint = &approach->list->joints[approach->goals[i].joint];
        double reach;
        if (aw_start_reach(approach->session, joint, &reach) == AW_OK &&
            fabs(aw_joint_way(joint, approach->goals[i].value)) > NEAR * reach)
            return true;
    }
    return false;
}

/* A fault of one joint ends the approach of all joints. */
static enum aw_status judge(struct approach *approach)
{
    struct aw_session *session = approach->session;
    enum aw_status status = AW_OK;
    for (size_t i = 0; i < approach->n && status == AW_OK; i++) {
        const struct aw_joint *joint = &approach->list->joints[approach->goals[i].joint];
        if (joint->now.fails)
            return aw_fail(&session->err, AW_REFUSED,
                           "%s: reported %s during the approach — clear it first", joint->name,
                           joint->now.fault ? joint->now.fault : "a fault");
        if (session->tool->joints->attend && aw_joint_age(session, joint) > SILENCE_S)
            return aw_fail(&session->err, AW_TIMEOUT,
                           "%s: no reports during the approach — check its power and the link",
                           joint->name);
        status = aw_joint_keeps_up(session, joint, &approach->lags[i], &approach->behind_ns[i]);
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
            (struct aw_joint_lag){.target = approach->from[i], .slower = "approach"};
        status = aw_joint_max_lag(approach->session, joint, &approach->lags[i].most);
        if (status == AW_OK)
            status = aw_start_speed(approach->session, joint, &joint->most);
        if (isnan(joint->most))
            joint->most = isfinite(joint->speed) ? fmax(rate, EASE * joint->speed) : INFINITY;
    }
    if (status == AW_OK)
        aw_session_moves(approach->session);
    return status;
}

/* Resumes at the same point after the program was suspended. */
static enum aw_status ramp(struct approach *approach)
{
    struct aw_session *session = approach->session;
    double hz = session->tool->joints->hz, part = 0;
    int64_t start = aw_joints_now(session), due = start;
    int64_t ticks = (int64_t)ceil(approach->seconds * hz), most = ticks + (int64_t)(SETTLE_S * hz);
    enum aw_status status = begin_approach(approach);
    for (int64_t tick = 1; status == AW_OK && tick <= most && (part < 1 || is_far(approach));
         tick++) {
        int64_t late = aw_joints_now(session) - due;
        start += late > GAP_NS ? late : 0;
        due = aw_clock_after(start, (double)tick / hz);
        part = fmin(1, (double)tick / hz / approach->seconds);
        status = send_part(approach, part);
        if (status == AW_OK)
            status = aw_joints_until(session, approach->list, due, NULL, NULL);
        if (status == AW_OK)
            status = judge(approach);
        aw_session_work(session, "approach %.0f of %.0f s", part * approach->seconds,
                        approach->seconds);
    }
    return status;
}

/* Stops the steered joints. */
static enum aw_status stand(struct aw_session *session, struct aw_joint_list *list,
                            const struct aw_joint_goal *goals, size_t n)
{
    struct aw_joint_goal still[AW_START_JOINTS];
    struct aw_joint_command command = {.what = AW_JOINT_VELOCITIES,
                                       .goals = still,
                                       .seconds = NAN,
                                       .stream = true,
                                       .show_ns = AW_NO_TIME};
    aw_joints_release(list);
    for (size_t i = 0; i < n && session->tool->steer > 0; i++)
        still[command.n++] = (struct aw_joint_goal){goals[i].joint, 0};
    return aw_joints_stream(session, list, &command);
}

struct arriving {
    struct approach *approach;
    size_t late;
    enum aw_status status;
};

static bool is_away(struct arriving *a, const struct aw_joint_list *list)
{
    const struct approach *approach = a->approach;
    double reach;
    for (a->late = 0; a->late < approach->n; a->late++) {
        const struct aw_joint *joint = &list->joints[approach->goals[a->late].joint];
        double away = aw_joint_way(joint, approach->goals[a->late].value);
        if (aw_start_reach(approach->session, joint, &reach) == AW_OK && fabs(away) > reach)
            return true;
    }
    return false;
}

/* Applies the approach limits until the approach ends. */
static bool check_approach(void *context, const struct aw_joint_list *list)
{
    struct arriving *a = context;
    a->status = judge(a->approach);
    return a->status == AW_OK && is_away(a, list);
}

static enum aw_status arrive(struct approach *approach)
{
    struct aw_session *session = approach->session;
    struct aw_joint_list *list = approach->list;
    struct arriving arriving = {.approach = approach, .status = AW_OK};
    char there[TEXT], wanted[TEXT];
    enum aw_status status = AW_OK;
    if (is_away(&arriving, list))
        status =
            aw_joints_attend(session, list, aw_clock_after(aw_clock_now(session->clock), SETTLE_S),
                             0, check_approach, &arriving);
    status = status == AW_OK ? arriving.status : status;
    if (status != AW_OK || !is_away(&arriving, list))
        return status;
    const struct aw_joint *joint = &list->joints[approach->goals[arriving.late].joint];
    return aw_fail(&session->err, AW_REFUSED,
                   "%s is at %s after the approach, not at %s — check for an obstacle",
                   aw_joint_called(joint),
                   with_unit(joint, joint->now.value[AW_JOINT_ACTUAL], there),
                   with_unit(joint, approach->goals[arriving.late].value, wanted));
}

enum aw_status aw_start_go(struct aw_session *session, struct aw_joint_list *list,
                           const struct aw_joint_goal *goals, size_t n)
{
    const struct aw_joints *joints = session->tool->joints;
    double from[AW_START_JOINTS], seconds;
    for (size_t i = 0; i < n; i++) {
        const struct aw_joint *joint = &list->joints[goals[i].joint];
        double at =
            joints->timed ? joint->now.value[AW_JOINT_TARGET] : aw_joint_at(joint, joint->aim);
        from[i] = isnan(at) ? goals[i].value : at;
    }
    aw_joints_release(list);
    enum aw_status status = time_of(session, list, goals, from, n, &seconds);
    if (status != AW_OK || (seconds <= 0 && !joints->timed))
        return status;
    if (!joints->timed) {
        struct approach approach = {.session = session,
                                    .list = list,
                                    .goals = goals,
                                    .from = from,
                                    .n = n,
                                    .seconds = seconds};
        status = ramp(&approach);
        if (status == AW_OK)
            status = stand(session, list, goals, n);
        return status == AW_OK ? arrive(&approach) : status;
    }
    seconds *= SMOOTH;
    int64_t deadline = aw_clock_after(aw_clock_now(session->clock), seconds + 2 * SETTLE_S);
    struct aw_joint_command command = {.what = AW_JOINT_TARGETS,
                                       .goals = goals,
                                       .n = n,
                                       .seconds = seconds,
                                       .show_ns = AW_NO_TIME};
    status = joints->command(session, list, &command);
    return status == AW_OK ? aw_joints_await(session, list, &command, NAN, deadline) : status;
}

/* ---- Single motions ---- */

enum aw_status aw_duration_read(struct aw_session *session, const struct aw_args *args,
                                double *seconds)
{
    const char *text = aw_arg(args, "duration", 0);
    double ms = NAN;
    enum aw_status status = aw_arg_number(session, args, "duration", &ms);
    *seconds = ms / 1000;
    if (status != AW_OK || !text || !(ms > 0 && ms < LEAST_MS) || text[strcspn(text, "smh")])
        return status;
    return aw_fail(&session->err, AW_USAGE,
                   "%s: duration=%.20s has no unit — write duration=%.20ss or duration=%.20sms",
                   args->command->name, text, text, text);
}

double aw_duration_needed(const struct aw_joint *joint, double away, double steepest)
{
    return fabs(away) * steepest / joint->speed;
}

enum aw_status aw_duration_check(struct aw_session *session, const struct aw_joint *joint,
                                 double away, double steepest, double seconds)
{
    double least = aw_duration_needed(joint, away, steepest);
    const char *unit = joint->unit[AW_JOINT_ACTUAL], *per_s = joint->unit[AW_JOINT_VELOCITY];
    bool other_unit = seconds > 0 && least >= AW_WRONG_UNIT * seconds;
    double jump = 0;
    if (seconds == 0 && session->options.move.max_jump &&
        aw_start_reach(session, joint, &jump) == AW_OK && fabs(away) <= jump)
        return AW_OK;
    if (least <= fmax(seconds, 1 / session->tool->joints->hz) + ROUNDING ||
        session->options.run.force)
        return AW_OK;
    return aw_fail(
        &session->err, AW_LIMIT,
        "%s: %.4g %s in %g s is faster than %g %s — %suse duration=%.0fms or more, or --force",
        joint->name, fabs(away), unit ? unit : "", seconds, joint->speed,
        per_s ? per_s : "per second", other_unit ? "check its unit, s or ms; " : "",
        ceil(least * 1000));
}

/* ---- Streams of commands ---- */

bool aw_start_is_motion(const struct aw_joint *joint, double target, double seconds)
{
    double away = fabs(target - joint->now.value[AW_JOINT_ACTUAL]);
    return seconds > 0 && away <= seconds * joint->speed;
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
    bool on = i < streamed->n && now - streamed->last_ns[i] <= STREAM_NS;
    if (i == AW_STREAMED)
        return false; /* no space left: checks each time */
    streamed->n = i == streamed->n ? i + 1 : streamed->n;
    streamed->id[i] = joint->id;
    streamed->last_ns[i] = now;
    return on;
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
    size_t far = status == AW_OK ? aw_start_select_far(session, list, first, jumps) : 0;
    return far ? aw_start_go(session, list, first, far) : status;
}

enum aw_status aw_start_streamed(struct aw_session *session, struct aw_joint_list *list,
                                 const struct aw_joint_command *command)
{
    return is_streamed(session) ? aw_start_single(session, list, command) : AW_OK;
}

enum aw_status aw_start_single(struct aw_session *session, struct aw_joint_list *list,
                               const struct aw_joint_command *command)
{
    struct aw_joint_goal first[AW_START_JOINTS];
    size_t n = 0;
    list->named = true;
    for (size_t i = 0; i < list->n; i++)
        list->joints[i].left_out = true; /* no reports of the other joints required */
    for (size_t i = 0; i < command->n && n < AW_START_JOINTS; i++) {
        struct aw_joint *joint = &list->joints[command->goals[i].joint];
        if (joint->blind || continues_stream(session, joint))
            continue;
        joint->left_out = false;
        first[n++] = command->goals[i];
    }
    enum aw_status status = n ? begin_stream(session, list, command, n, first) : AW_OK;
    if (status != AW_OK)
        session->motion.streamed.n = 0;
    return status;
}
