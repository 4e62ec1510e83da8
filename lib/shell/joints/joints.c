/* Finds, checks, commands and steers the joints of a tool. */
#include "shell/joints/joints.h"

#include <ctype.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/clamp.h"
#include "base/grow.h"
#include "base/number.h"
#include "base/suggest.h"
#include "base/utf8.h"
#include "control/lag.h"
#include "control/steer.h"
#include "shell/safety/safety.h"

#define NAMES_MAX         128
#define AW_JOINTS_STEERED 64
#define SETTLE_S          0.3  /* settling time at the goal before the arrival check, s */
#define MIN_DURATION_S    0.05 /* min duration of a motion, s */

/* ---- The list ---- */

struct aw_joint aw_joint_make(const char *name)
{
    struct aw_joint joint = {.decimals = 2,
                             .limits.min = -INFINITY,
                             .limits.max = INFINITY,
                             .limits.max_speed = INFINITY,
                             .tolerance.max_deviation = INFINITY,
                             .home_target = NAN,
                             .steer.steer_target = NAN,
                             .steer.max_steer_speed = NAN,
                             .full_effort = NAN};
    snprintf(joint.name, sizeof joint.name, "%s", name);
    aw_utf8_clean(joint.name); /* the name may come from a device */
    for (int i = 0; i < AW_JOINT_VALUES; i++)
        aw_joint_set_value(&joint, (enum aw_joint_value)i, NAN, AW_NO_TIME);
    return joint;
}

struct aw_joint *aw_joints_add(struct aw_session *session, struct aw_joint_list *list,
                               const char *name)
{
    struct aw_joint *joints = aw_grow(list->joints, &list->room, list->n + 1, sizeof *joints);
    if (!joints) {
        aw_no_memory(&session->err);
        return NULL;
    }
    list->joints = joints;
    joints[list->n] = aw_joint_make(name);
    return &joints[list->n++];
}

void aw_joint_set_value(struct aw_joint *joint, enum aw_joint_value kind, double value,
                        int64_t time_ns)
{
    joint->state.value[kind] = value;
    joint->state.time_ns[kind] = isnan(value) ? AW_NO_TIME : time_ns;
}

enum aw_status aw_joints_list(struct aw_session *session, struct aw_joint_list *list)
{
    *list = (struct aw_joint_list){.columns = session->tool->motion.joints->columns};
    return session->tool->motion.joints->info.list(session, list);
}

enum aw_status aw_joints_begin(struct aw_session *session, struct aw_joint_list *list)
{
    *list = (struct aw_joint_list){0};
    enum aw_status status = session->tool->motion.joints->run.open(session);
    return status == AW_OK ? aw_joints_list(session, list) : status;
}

void aw_joints_free(struct aw_joint_list *list)
{
    free(list->joints);
    *list = (struct aw_joint_list){0};
}

/* ---- Names and numbers ---- */

const char *aw_joint_display_name(const struct aw_joint *joint)
{
    return *joint->alias && !isdigit((unsigned char)*joint->alias) ? joint->alias : joint->name;
}

size_t aw_joints_find_index(const struct aw_joint_list *list, const char *text)
{
    size_t i = 0;
    while (i < list->n && strcmp(list->joints[i].name, text) != 0 &&
           strcmp(list->joints[i].alias, text) != 0)
        i++;
    return i;
}

/* Finds the joint that the hook find_other knows by this text, and adds it to the list unless it is
 * listed. Returns its index; list->n if not found. */
static size_t find_other(struct aw_session *session, struct aw_joint_list *list, const char *text)
{
    const struct aw_joints *joints = session->tool->motion.joints;
    struct aw_joint other = aw_joint_make(text);
    size_t i = 0;
    if (!joints->info.find_other || !joints->info.find_other(session, text, &other))
        return list->n;
    while (i < list->n && list->joints[i].id != other.id)
        i++;
    if (i == list->n && aw_joints_add(session, list, text))
        list->joints[i] = other;
    return i;
}

enum aw_status aw_joints_find(struct aw_session *session, struct aw_joint_list *list,
                              const char *text, size_t *joint)
{
    const char *names[NAMES_MAX];
    char advice[256] = "use";
    size_t n = 0;
    list->is_frozen = true;
    *joint = aw_joints_find_index(list, text);
    if (*joint == list->n)
        *joint = find_other(session, list, text);
    if (*joint < list->n)
        return AW_OK;
    for (size_t i = 0; i < list->n && n + 2 < NAMES_MAX; i++) {
        const struct aw_joint *at = &list->joints[i];
        size_t used = strlen(advice);
        names[n++] = at->name;
        if (*at->alias)
            names[n++] = at->alias;
        snprintf(advice + used, sizeof advice - used, "%s %.60s", i ? "," : "",
                 *at->alias ? at->alias : at->name);
    }
    return aw_fail_unknown(&session->err, aw_suggest(text, names, n),
                           list->n ? advice : "list the joints with 'limits'",
                           "joint '%.40s' not found", text);
}

enum aw_status aw_joints_parse_value(struct aw_session *session, const struct aw_joint *joint,
                                     enum aw_joint_kind kind, const char *text, double *value)
{
    bool is_velocity = kind == AW_JOINT_VELOCITIES;
    const char *unit = joint->unit[is_velocity ? AW_JOINT_VELOCITY : AW_JOINT_ACTUAL];
    enum aw_status status = aw_number_parse_unit(text, unit, value, &session->err);
    return aw_fail_about(&session->err, status, aw_joint_display_name(joint));
}

static void complete_names(struct aw_session *session, aw_candidate_fn *add, void *context,
                           bool pairs)
{
    struct aw_joint_list list = {0};
    struct aw_error saved_err = session->err;
    char word[AW_JOINT_NAME + 1];
    if (session->tool->motion.joints && aw_joints_list(session, &list) == AW_OK)
        for (size_t i = 0; i < list.n; i++) {
            const struct aw_joint *joint = &list.joints[i];
            if (joint->flags.is_blind || joint->flags.excluded)
                continue;
            snprintf(word, sizeof word, "%s%s", aw_joint_display_name(joint), pairs ? "=" : "");
            add(context, word, *joint->alias ? joint->name : NULL);
        }
    session->err = saved_err;
    aw_joints_free(&list);
}

void aw_joints_complete(struct aw_session *session, aw_candidate_fn *add, void *context)
{
    complete_names(session, add, context, false);
}

void aw_joints_complete_pairs(struct aw_session *session, aw_candidate_fn *add, void *context)
{
    complete_names(session, add, context, true);
}

/* ---- Commands ---- */

static enum aw_status fail_out_of_range(struct aw_session *session, const struct aw_joint *joint,
                                        double value, double min, double max, const char *unit)
{
    const char *blank = unit ? " " : "";
    unit = unit ? unit : "";
    return aw_fail(&session->err, AW_LIMIT,
                   "%s: %.9g%s%s is out of range (%g to %g%s%s) — give --force to override",
                   aw_joint_display_name(joint), value, blank, unit, min, max, blank, unit);
}

static enum aw_status check_goal(struct aw_session *session, const struct aw_joint *joint,
                                 enum aw_joint_kind kind, double value)
{
    bool is_velocity = kind == AW_JOINT_VELOCITIES;
    double min = is_velocity ? -joint->limits.max_speed : joint->limits.min,
           max = is_velocity ? joint->limits.max_speed : joint->limits.max;
    unsigned needed = is_velocity ? AW_JOINT_TAKES_VELOCITIES : AW_JOINT_TAKES_TARGETS;
    if (aw_number_check_float(aw_joint_display_name(joint), value, &session->err) != AW_OK)
        return AW_USAGE;
    if (!(joint->flags.accepts & needed))
        return aw_fail(&session->err, AW_USAGE,
                       "%s: %s not supported — choose another joint (see 'limits')",
                       aw_joint_display_name(joint), is_velocity ? "velocities" : "targets");
    if (session->options.run.force || (value >= min && value <= max))
        return AW_OK;
    return fail_out_of_range(session, joint, value, min, max,
                             joint->unit[is_velocity ? AW_JOINT_VELOCITY : AW_JOINT_ACTUAL]);
}

enum aw_status aw_joints_check(struct aw_session *session, struct aw_joint_list *list,
                               const struct aw_joint_command *command)
{
    const struct aw_joints *joints = session->tool->motion.joints;
    enum aw_status status = joints->run.check ? joints->run.check(session, list, command) : AW_OK;
    for (size_t i = 0; i < command->n && status == AW_OK; i++)
        status = check_goal(session, &list->joints[command->goals[i].joint], command->kind,
                            command->goals[i].value);
    return status;
}

/* Sets the steering targets of a stream. Their velocities follow from the distance between
 * consecutive targets. AW_STOPPED with --dry-run. */
static enum aw_status set_steer_targets(struct aw_session *session, struct aw_joint_list *list,
                                        const struct aw_joint_command *command)
{
    if (session->options.run.dry_run)
        return aw_dry_run_depends(session, "the positions of the joints");
    /* otherwise aw_joints_await steers them */
    for (size_t i = 0; i < command->n && command->is_stream; i++) {
        struct aw_joint *joint = &list->joints[command->goals[i].joint];
        double distance = command->goals[i].value - joint->steer.steer_target;
        joint->steer.steer_rate =
            command->seconds > 0 && isfinite(distance) ? distance / command->seconds : 0;
        joint->steer.steer_target = command->goals[i].value;
    }
    return AW_OK;
}

enum aw_status aw_joints_read(struct aw_session *session, struct aw_joint_list *list)
{
    return session->options.run.dry_run ? aw_dry_run_depends(session, "the positions of the joints")
                                        : session->tool->motion.joints->info.read(session, list);
}

enum aw_status aw_joints_read_new(struct aw_session *session, struct aw_joint_list *list)
{
    const struct aw_joints *joints = session->tool->motion.joints;
    int64_t start_ns = aw_clock_now(session->clock);
    enum aw_status status = aw_joints_read(session, list);
    for (size_t i = 0; i < list->n && status == AW_OK && joints->traits.allows_silent; i++) {
        struct aw_joint *joint = &list->joints[i];
        if (joint->state.time_ns[AW_JOINT_ACTUAL] >= start_ns)
            continue;
        aw_joint_set_value(joint, AW_JOINT_ACTUAL, NAN, AW_NO_TIME);
        aw_joint_set_value(joint, AW_JOINT_TARGET, NAN, AW_NO_TIME);
    }
    return status;
}

enum aw_status aw_joints_send_unchecked(struct aw_session *session, struct aw_joint_list *list,
                                        const struct aw_joint_command *command)
{
    const struct aw_joints *joints = session->tool->motion.joints;
    bool steered = session->tool->motion.steer_gain > 0 && command->kind == AW_JOINT_TARGETS;
    if (command->n == 0)
        return AW_OK;
    if (steered && (command->is_stream || !joints->run.await))
        return set_steer_targets(session, list, command);
    enum aw_status status = joints->run.command(session, list, command);
    bool reads = joints->traits.confirms && command->is_stream && !session->options.run.dry_run;
    return status == AW_OK && reads ? aw_joints_read(session, list) : status;
}

enum aw_status aw_joints_command(struct aw_session *session, struct aw_joint_list *list,
                                 const struct aw_joint_command *command)
{
    enum aw_status status = aw_joints_check(session, list, command);
    return status == AW_OK ? aw_joints_send_unchecked(session, list, command) : status;
}

/* ---- Reports and steering ---- */

struct steering {
    struct aw_session *session;
    struct aw_joint_list *list;
    aw_joints_report_fn *on_report;
    void *context;
    enum aw_status status;
};

static double get_speed(const struct aw_session *session, const struct aw_joint *joint)
{
    double option = session->options.move.speed;
    return option > 0 && isinf(joint->limits.max_speed) ? option : joint->limits.max_speed;
}

double aw_joint_steer_velocity(const struct aw_session *session, const struct aw_joint *joint)
{
    double per_s = aw_number_or(session->options.move.kp, session->tool->motion.steer_gain);
    double max_speed = isnan(joint->steer.max_steer_speed) ? joint->limits.max_speed
                                                           : joint->steer.max_steer_speed;
    return aw_steer(joint->steer.steer_rate, per_s,
                    aw_joint_distance(joint, joint->steer.steer_target), max_speed);
}

/* Passes each report to on_report, which may change the steering targets. Then answers the report
 * with the velocities of the steered joints. */
static bool steer(void *context, const struct aw_joint_list *seen)
{
    struct steering *s = context;
    struct aw_joint_goal goals[AW_JOINTS_STEERED];
    struct aw_joint_command command = {
        .kind = AW_JOINT_VELOCITIES, .goals = goals, .is_stream = true, .show_ns = AW_NO_TIME};
    bool wants_more = !s->on_report || s->on_report(s->context, seen);
    for (size_t i = 0; i < s->list->n && command.n < AW_JOINTS_STEERED; i++)
        if (isfinite(s->list->joints[i].steer.steer_target))
            goals[command.n++] =
                (struct aw_joint_goal){i, aw_joint_steer_velocity(s->session, &s->list->joints[i])};
    if (command.n)
        s->status = s->session->tool->motion.joints->run.command(s->session, s->list, &command);
    return wants_more && s->status == AW_OK;
}

enum aw_status aw_joints_attend(struct aw_session *session, struct aw_joint_list *list,
                                int64_t deadline, double rate_hz, aw_joints_report_fn *on_report,
                                void *context)
{
    const struct aw_joints *joints = session->tool->motion.joints;
    struct steering steering = {session, list, on_report, context, AW_OK};
    if (!joints->run.attend)
        return aw_clock_sleep(session->clock, deadline);
    if (!(session->tool->motion.steer_gain > 0))
        return joints->run.attend(session, list, deadline, rate_hz, on_report, context);
    enum aw_status status = joints->run.attend(session, list, deadline, rate_hz, steer, &steering);
    return status == AW_OK ? steering.status : status;
}

int64_t aw_joints_now(struct aw_session *session)
{
    const struct aw_joints *joints = session->tool->motion.joints;
    return joints->run.now ? joints->run.now(session) : aw_clock_now(session->clock);
}

struct until {
    struct aw_session *session;
    int64_t at_ns;
    aw_joints_report_fn *on_report;
    void *context;
};

static bool look_until(void *context, const struct aw_joint_list *list)
{
    const struct until *u = context;
    bool wants_more = !u->on_report || u->on_report(u->context, list);
    return wants_more && aw_joints_now(u->session) < u->at_ns;
}

enum aw_status aw_joints_attend_until(struct aw_session *session, struct aw_joint_list *list,
                                      int64_t at_ns, aw_joints_report_fn *on_report, void *context)
{
    struct until until = {session, at_ns, on_report, context};
    if (!session->tool->motion.joints->run.now)
        return aw_joints_attend(session, list, at_ns, 0, on_report, context);
    return aw_joints_now(session) < at_ns
               ? aw_joints_attend(session, list, AW_NEVER, INFINITY, look_until, &until)
               : AW_OK;
}

/* ---- Arrival ---- */

/* A motion to targets. A joint steered by the host moves linearly, starting at started_ns and
 * lasting seconds. */
struct arrival {
    struct aw_session *session;
    struct aw_joint_list *list;
    const struct aw_joint_command *command;
    double tolerance, seconds;
    int64_t started_ns;
    double from[AW_JOINTS_STEERED]; /* first known positions, or NaN */
    size_t farthest; /* the joint with the largest distance relative to its tolerance */
    double distance;
    const struct aw_joint *stray; /* moves away from its target, or NULL */
};

/* Finds the joint with the largest distance relative to its tolerance. Returns false if all joints
 * have arrived. A joint with an unknown position has not arrived; joints without measurements
 * (is_blind) are skipped. */
static bool find_farthest(struct arrival *a)
{
    double max_ratio = 0;
    for (size_t i = 0; i < a->command->n; i++) {
        const struct aw_joint *joint = &a->list->joints[a->command->goals[i].joint];
        double distance = aw_joint_distance(joint, a->command->goals[i].value);
        double tolerance = isnan(a->tolerance) ? joint->tolerance.tolerance : a->tolerance;
        double ratio = isnan(distance) ? (double)INFINITY : fabs(distance) / tolerance;
        if (joint->flags.is_blind || fabs(distance) <= tolerance || ratio <= max_ratio)
            continue;
        max_ratio = ratio;
        a->farthest = a->command->goals[i].joint;
        a->distance = distance;
    }
    return max_ratio > 0;
}

/* Finds a joint that is farther from its target than at the start, plus a margin: while the motion
 * runs, the permitted lag; after it has ended, the tolerance or half of the start distance. */
static bool find_stray(struct arrival *a, bool ended)
{
    for (size_t i = 0; i < a->command->n && i < AW_JOINTS_STEERED && !a->stray; i++) {
        const struct aw_joint_goal *goal = &a->command->goals[i];
        const struct aw_joint *joint = &a->list->joints[goal->joint];
        double position = aw_joint_position(
            joint, isnan(joint->steer.steer_target) ? a->from[i] : joint->steer.steer_target);
        a->from[i] = isnan(a->from[i]) ? position : a->from[i];
        double distance = fabs(goal->value - a->from[i]);
        double allowed =
            ended ? fmax(joint->tolerance.tolerance, distance / 2)
                  : fmin(joint->tolerance.max_deviation, AW_LAG_S * joint->limits.max_speed);
        if (fabs(goal->value - position) > distance + allowed)
            a->stray = joint;
    }
    return a->stray;
}

static bool has_no_stray(void *context, const struct aw_joint_list *list)
{
    (void)list;
    return !find_stray(context, false);
}

static bool is_moving(void *context, const struct aw_joint_list *list)
{
    return has_no_stray(context, list) && find_farthest(context);
}

static enum aw_status fail_late(struct aw_session *session, const struct aw_joint *joint,
                                double distance)
{
    const char *unit = joint->unit[AW_JOINT_ACTUAL];
    if (isnan(distance))
        return aw_fail(&session->err, AW_TIMEOUT, "%s: position unknown — check power and link",
                       aw_joint_display_name(joint));
    return aw_fail(&session->err, AW_TIMEOUT,
                   "%s is still %.4g%s%s from its target — check for an obstacle or end stop",
                   aw_joint_display_name(joint), fabs(distance), unit ? " " : "", unit ? unit : "");
}

double aw_joints_duration_s(const struct aw_session *session, const struct aw_joint_list *list,
                            const struct aw_joint_command *command)
{
    const struct aw_joints *joints = session->tool->motion.joints;
    double seconds = isnan(command->seconds) ? joints->traits.default_s : command->seconds,
           max_s = NAN;
    bool steered = session->tool->motion.steer_gain > 0 && !joints->run.await;
    for (size_t i = 0; i < command->n && steered; i++) {
        const struct aw_joint *joint = &list->joints[command->goals[i].joint];
        double distance =
            fabs(command->goals[i].value - aw_joint_position(joint, joint->steer.steer_target));
        max_s = fmax(max_s, distance / get_speed(session, joint));
    }
    seconds = seconds > 0 ? seconds : max_s;
    return seconds > 0 ? seconds : (double)NAN;
}

static bool steer_along(void *context, const struct aw_joint_list *list)
{
    struct arrival *a = context;
    double t = (double)(aw_joints_now(a->session) - a->started_ns) / 1e9;
    double share = aw_clamp(t / a->seconds, 0, 1);
    for (size_t i = 0; i < a->command->n && i < AW_JOINTS_STEERED; i++) {
        const struct aw_joint_goal *goal = &a->command->goals[i];
        struct aw_joint *joint = &a->list->joints[goal->joint];
        joint->steer.steer_target = a->from[i] + share * (goal->value - a->from[i]);
        joint->steer.steer_rate = share < 1 ? (goal->value - a->from[i]) / a->seconds : 0;
    }
    return has_no_stray(a, list) && t < a->seconds + SETTLE_S;
}

static enum aw_status start_motion(struct arrival *a)
{
    has_no_stray(a, a->list);
    for (size_t i = 0; i < a->command->n && i < AW_JOINTS_STEERED; i++)
        if (isnan(a->from[i]))
            return aw_fail(&a->session->err, AW_TIMEOUT,
                           "%s: position unknown — check power and link",
                           aw_joint_display_name(&a->list->joints[a->command->goals[i].joint]));
    a->seconds = fmax(aw_joints_duration_s(a->session, a->list, a->command), MIN_DURATION_S);
    steer_along(a, a->list);
    return aw_joints_attend(a->session, a->list, AW_NEVER, INFINITY, steer_along, a);
}

/* Context of the progress line. */
struct progress {
    const struct aw_joint_list *list;
    const struct aw_joint_command *command;
    int64_t started_ns;
    double seconds; /* NaN: unknown */
};

/* Shows the joint with the largest measured distance from its target. */
static void show_progress(struct aw_session *session, const void *context)
{
    const struct progress *t = context;
    const struct aw_joint_goal *farthest = NULL;
    char total_text[32] = "", where[160] = "";
    double max_distance = -1;
    for (size_t i = 0; i < t->command->n; i++) {
        const struct aw_joint *joint = &t->list->joints[t->command->goals[i].joint];
        double distance = fabs(aw_joint_distance(joint, t->command->goals[i].value));
        if (joint->flags.is_blind || !(distance > max_distance))
            continue;
        farthest = &t->command->goals[i];
        max_distance = distance;
    }
    if (isfinite(t->seconds))
        snprintf(total_text, sizeof total_text, " of %.0f", t->seconds);
    if (farthest) {
        const struct aw_joint *joint = &t->list->joints[farthest->joint];
        const char *unit = joint->unit[AW_JOINT_ACTUAL];
        snprintf(where, sizeof where, ", %s %.4g of %.4g%s%s", aw_joint_display_name(joint),
                 joint->state.value[AW_JOINT_ACTUAL], farthest->value, unit ? " " : "",
                 unit ? unit : "");
    }
    aw_session_show_progress(session, "%s %.0f%s s%s", session->run.command->name,
                             (double)(aw_joints_now(session) - t->started_ns) / 1e9, total_text,
                             where);
}

/* Sends the safe stop: when steering ends, because a steered joint has no target to hold, or when a
 * joint moves away from its target. Returns status if it is an error, else that of the stop. */
static enum aw_status stop_now(struct aw_session *session, enum aw_status status)
{
    struct aw_error saved_err = session->err;
    enum aw_status stopped = session->tool->safety.stop(session);
    session->motion.moving = stopped != AW_OK;
    session->motion.stop.effect[0] = '\0'; /* not requested by a user or a program */
    if (status == AW_OK)
        return stopped;
    session->err = saved_err;
    return status;
}

static enum aw_status wait_for_arrival(struct arrival *a, int64_t deadline)
{
    struct aw_session *session = a->session;
    const struct aw_joints *joints = session->tool->motion.joints;
    if (joints->run.await)
        return joints->run.await(session, a->list, a->command, a->tolerance, deadline, has_no_stray,
                                 a);
    if (a->command->kind == AW_JOINT_VELOCITIES || !joints->run.attend)
        return AW_OK;
    enum aw_status status = AW_OK;
    if (session->tool->motion.steer_gain > 0)
        status = start_motion(a);
    else if (find_farthest(a))
        status = joints->run.attend(session, a->list, deadline, 0, is_moving, a);
    return status == AW_OK && !a->stray && find_farthest(a)
               ? fail_late(session, &a->list->joints[a->farthest], a->distance)
               : status;
}

static enum aw_status await(struct arrival *a, int64_t deadline)
{
    struct aw_session *session = a->session;
    enum aw_status status = wait_for_arrival(a, deadline);
    bool is_stray = a->stray, is_stuck = status == AW_TIMEOUT || status == AW_REFUSED;
    if (!is_stray && !(is_stuck && find_stray(a, true)))
        return status;
    status = aw_fail(&session->err, AW_REFUSED,
                     "%s moves away from its target — check whether motor or encoder is reversed, "
                     "or the load is too heavy",
                     aw_joint_display_name(a->stray));
    return is_stray ? stop_now(session, status) : status;
}

enum aw_status aw_joints_await(struct aw_session *session, struct aw_joint_list *list,
                               const struct aw_joint_command *command, double tolerance,
                               int64_t deadline)
{
    struct arrival a = {session, list, command, tolerance, .started_ns = aw_joints_now(session)};
    const struct progress progress = {list, command, a.started_ns,
                                      aw_joints_duration_s(session, list, command)};
    for (size_t i = 0; i < AW_JOINTS_STEERED; i++)
        a.from[i] = (double)NAN;
    aw_session_repeat_progress(session, show_progress, &progress);
    enum aw_status status = await(&a, deadline);
    aw_session_repeat_progress(session, NULL, NULL);
    return status;
}

void aw_joints_end_steering(struct aw_joint_list *list)
{
    for (size_t i = 0; i < list->n; i++)
        list->joints[i].steer.steer_target = list->joints[i].steer.max_steer_speed = (double)NAN;
}

enum aw_status aw_joints_end(struct aw_session *session, struct aw_joint_list *list,
                             enum aw_status status)
{
    const struct aw_joints *joints = session->tool->motion.joints;
    aw_joints_end_steering(list);
    if (status == AW_STOPPED)
        return status;
    if (joints->run.end)
        return joints->run.end(session, list, status);
    bool is_steered = session->tool->motion.steer_gain > 0;
    if (is_steered && session->motion.moving && status != AW_LOST)
        return stop_now(session, status);
    if (!is_steered && status == AW_OK)
        session->motion.moving = false;
    return status;
}

double aw_joint_position(const struct aw_joint *joint, double reference)
{
    double at = joint->state.value[AW_JOINT_ACTUAL];
    bool turned = joint->flags.can_wrap && fabs(reference - at) > M_PI;
    return turned ? reference - remainder(reference - at, 2 * M_PI) : at;
}

double aw_joint_distance(const struct aw_joint *joint, double target)
{
    return target - aw_joint_position(joint, target);
}

double aw_joint_age(const struct aw_session *session, const struct aw_joint *joint)
{
    int64_t received_ns = joint->state.time_ns[AW_JOINT_ACTUAL];
    return received_ns == AW_NO_TIME ? NAN
                                     : (double)(aw_clock_now(session->clock) - received_ns) / 1e9;
}

void aw_joint_start_monitor(struct aw_session *session, const struct aw_joint *joint,
                            double max_deviation, struct aw_motion *monitor)
{
    struct aw_motion_config config =
        aw_motion_defaults(isnan(max_deviation) ? joint->tolerance.max_deviation : max_deviation);
    if (joint->tolerance.min_motion > 0)
        config.min_motion = joint->tolerance.min_motion;
    if (session->tool->motion.joints->traits.confirms)
        /* a silent device is not a fault here: each step is confirmed or fails */
        config.silence_s = INFINITY;
    aw_motion_start(monitor, &config, (double)aw_joints_now(session) / 1e9);
}

struct aw_motion_sample aw_joint_sample(struct aw_session *session, const struct aw_joint *joint,
                                        double target)
{
    return (struct aw_motion_sample){
        .t = (double)aw_joints_now(session) / 1e9,
        .target = target,
        .measured = aw_joint_position(joint, target),
        .output = joint->state.value[AW_JOINT_EFFORT] / joint->full_effort,
        .fault = joint->state.has_fault ? joint->state.fault : NULL,
    };
}
