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
#define LEAST_S           0.05 /* min duration of a motion, s */

/* ---- The list ---- */

struct aw_joint aw_joint_unknown(const char *name)
{
    struct aw_joint joint = {.decimals = 2,
                             .min = -INFINITY,
                             .max = INFINITY,
                             .speed = INFINITY,
                             .far = INFINITY,
                             .home = NAN,
                             .aim = NAN,
                             .most = NAN,
                             .full = NAN};
    snprintf(joint.name, sizeof joint.name, "%s", name);
    aw_utf8_clean(joint.name); /* the name may come from a device */
    for (int i = 0; i < AW_JOINT_VALUES; i++)
        aw_joint_set(&joint, (enum aw_joint_value)i, NAN, AW_NO_TIME);
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
    joints[list->n] = aw_joint_unknown(name);
    return &joints[list->n++];
}

void aw_joint_set(struct aw_joint *joint, enum aw_joint_value what, double value, int64_t time_ns)
{
    joint->now.value[what] = value;
    joint->now.time_ns[what] = isnan(value) ? AW_NO_TIME : time_ns;
}

enum aw_status aw_joints_list(struct aw_session *session, struct aw_joint_list *list)
{
    *list = (struct aw_joint_list){.columns = session->tool->joints->columns};
    return session->tool->joints->list(session, list);
}

enum aw_status aw_joints_begin(struct aw_session *session, struct aw_joint_list *list)
{
    *list = (struct aw_joint_list){0};
    enum aw_status status = session->tool->joints->open(session);
    return status == AW_OK ? aw_joints_list(session, list) : status;
}

void aw_joints_free(struct aw_joint_list *list)
{
    free(list->joints);
    *list = (struct aw_joint_list){0};
}

/* ---- Names and numbers ---- */

const char *aw_joint_called(const struct aw_joint *joint)
{
    return *joint->alias && !isdigit((unsigned char)*joint->alias) ? joint->alias : joint->name;
}

size_t aw_joints_number(const struct aw_joint_list *list, const char *text)
{
    size_t i = 0;
    while (i < list->n && strcmp(list->joints[i].name, text) != 0 &&
           strcmp(list->joints[i].alias, text) != 0)
        i++;
    return i;
}

static bool find_other(struct aw_session *session, struct aw_joint_list *list, const char *text)
{
    const struct aw_joints *joints = session->tool->joints;
    struct aw_joint other = aw_joint_unknown(text);
    if (!joints->others || !joints->others(session, text, &other))
        return false;
    struct aw_joint *added = aw_joints_add(session, list, text);
    if (added)
        *added = other;
    return added;
}

static size_t find_called(struct aw_session *session, const struct aw_joint_list *list,
                          const char *text)
{
    const struct aw_joints *joints = session->tool->joints;
    size_t i = aw_joints_number(list, text);
    if (i < list->n || !joints->called)
        return i;
    for (i = 0; i < list->n && !joints->called(session, &list->joints[i], text);)
        i++;
    return i;
}

enum aw_status aw_joints_find(struct aw_session *session, struct aw_joint_list *list,
                              const char *text, size_t *joint)
{
    const char *names[NAMES_MAX];
    char all[256] = "use";
    size_t n = 0;
    list->named = true;
    *joint = find_called(session, list, text);
    if (*joint < list->n || find_other(session, list, text))
        return AW_OK;
    for (size_t i = 0; i < list->n && n + 2 < NAMES_MAX; i++) {
        const struct aw_joint *at = &list->joints[i];
        size_t used = strlen(all);
        names[n++] = at->name;
        if (*at->alias)
            names[n++] = at->alias;
        snprintf(all + used, sizeof all - used, "%s %.60s", i ? "," : "",
                 *at->alias ? at->alias : at->name);
    }
    return aw_fail_unknown(&session->err, aw_suggest(text, names, n),
                           list->n ? all : "list the joints with 'limits'",
                           "joint '%.40s' not found", text);
}

enum aw_status aw_joints_value(struct aw_session *session, const struct aw_joint *joint,
                               enum aw_joint_what what, const char *text, double *value)
{
    struct aw_error why;
    bool velocity = what == AW_JOINT_VELOCITIES;
    const char *unit = joint->unit[velocity ? AW_JOINT_VELOCITY : AW_JOINT_ACTUAL];
    enum aw_status status = aw_number_parse_unit(text, unit, value, &why);
    return status == AW_OK
               ? AW_OK
               : aw_fail(&session->err, status, "%s: %s", aw_joint_called(joint), why.text);
}

static void complete(struct aw_session *session, aw_candidate_fn *add, void *context, bool pairs)
{
    struct aw_joint_list list = {0};
    struct aw_error before = session->err;
    char word[AW_JOINT_NAME + 1];
    if (session->tool->joints && aw_joints_list(session, &list) == AW_OK)
        for (size_t i = 0; i < list.n; i++) {
            const struct aw_joint *joint = &list.joints[i];
            if (joint->blind || joint->left_out)
                continue;
            snprintf(word, sizeof word, "%s%s", aw_joint_called(joint), pairs ? "=" : "");
            add(context, word, *joint->alias ? joint->name : NULL);
        }
    session->err = before;
    aw_joints_free(&list);
}

void aw_joints_complete(struct aw_session *session, aw_candidate_fn *add, void *context)
{
    complete(session, add, context, false);
}

void aw_joints_complete_pairs(struct aw_session *session, aw_candidate_fn *add, void *context)
{
    complete(session, add, context, true);
}

/* ---- Commands ---- */

static enum aw_status out_of_range(struct aw_session *session, const struct aw_joint *joint,
                                   double value, double min, double max, const char *unit)
{
    const char *blank = unit ? " " : "";
    unit = unit ? unit : "";
    return aw_fail(&session->err, AW_LIMIT,
                   "%s: %.9g%s%s is out of range (%g to %g%s%s) — --force overrides",
                   aw_joint_called(joint), value, blank, unit, min, max, blank, unit);
}

static enum aw_status check_goal(struct aw_session *session, const struct aw_joint *joint,
                                 enum aw_joint_what what, double value)
{
    bool velocity = what == AW_JOINT_VELOCITIES;
    double min = velocity ? -joint->speed : joint->min, max = velocity ? joint->speed : joint->max;
    unsigned takes = velocity ? AW_JOINT_TAKES_VELOCITIES : AW_JOINT_TAKES_TARGETS;
    if (!isfinite((float)value))
        return aw_fail(&session->err, AW_USAGE, "%s: the %s is not a finite number — correct it",
                       aw_joint_called(joint), velocity ? "velocity" : "target");
    if (!(joint->takes & takes))
        return aw_fail(&session->err, AW_USAGE, "%s does not accept %s — see 'limits'",
                       aw_joint_called(joint), velocity ? "velocities" : "targets");
    if (session->options.run.force || (value >= min && value <= max))
        return AW_OK;
    return out_of_range(session, joint, value, min, max,
                        joint->unit[velocity ? AW_JOINT_VELOCITY : AW_JOINT_ACTUAL]);
}

enum aw_status aw_joints_check(struct aw_session *session, struct aw_joint_list *list,
                               const struct aw_joint_command *command)
{
    const struct aw_joints *joints = session->tool->joints;
    enum aw_status status = joints->check ? joints->check(session, list, command) : AW_OK;
    for (size_t i = 0; i < command->n && status == AW_OK; i++)
        status = check_goal(session, &list->joints[command->goals[i].joint], command->what,
                            command->goals[i].value);
    return status;
}

/* Sets steering targets. The velocity follows from the distance between consecutive targets. */
static enum aw_status aim(struct aw_session *session, struct aw_joint_list *list,
                          const struct aw_joint_command *command)
{
    if (session->options.run.dry_run)
        return aw_dry_depends(session, "the positions of the joints");
    /* otherwise aw_joints_await steers them */
    for (size_t i = 0; i < command->n && command->stream; i++) {
        struct aw_joint *joint = &list->joints[command->goals[i].joint];
        double way = command->goals[i].value - joint->aim;
        joint->rate = command->seconds > 0 && isfinite(way) ? way / command->seconds : 0;
        joint->aim = command->goals[i].value;
    }
    return AW_OK;
}

enum aw_status aw_joints_read(struct aw_session *session, struct aw_joint_list *list)
{
    return session->options.run.dry_run ? aw_dry_depends(session, "the positions of the joints")
                                        : session->tool->joints->read(session, list);
}

enum aw_status aw_joints_read_new(struct aw_session *session, struct aw_joint_list *list)
{
    const struct aw_joints *joints = session->tool->joints;
    int64_t since = aw_clock_now(session->clock);
    enum aw_status status = aw_joints_read(session, list);
    for (size_t i = 0; i < list->n && status == AW_OK && joints->partly; i++) {
        struct aw_joint *joint = &list->joints[i];
        if (joint->now.time_ns[AW_JOINT_ACTUAL] >= since)
            continue;
        aw_joint_set(joint, AW_JOINT_ACTUAL, NAN, AW_NO_TIME);
        aw_joint_set(joint, AW_JOINT_TARGET, NAN, AW_NO_TIME);
    }
    return status;
}

enum aw_status aw_joints_stream(struct aw_session *session, struct aw_joint_list *list,
                                const struct aw_joint_command *command)
{
    const struct aw_joints *joints = session->tool->joints;
    bool steered = session->tool->steer > 0 && command->what == AW_JOINT_TARGETS;
    if (command->n == 0)
        return AW_OK;
    if (steered && (command->stream || !joints->await))
        return aim(session, list, command);
    enum aw_status status = joints->command(session, list, command);
    bool news = joints->confirms && command->stream && !session->options.run.dry_run;
    return status == AW_OK && news ? aw_joints_read(session, list) : status;
}

enum aw_status aw_joints_command(struct aw_session *session, struct aw_joint_list *list,
                                 const struct aw_joint_command *command)
{
    enum aw_status status = aw_joints_check(session, list, command);
    return status == AW_OK ? aw_joints_stream(session, list, command) : status;
}

/* ---- Reports and steering ---- */

struct steering {
    struct aw_session *session;
    struct aw_joint_list *list;
    aw_joints_look_fn *look;
    void *context;
    enum aw_status status;
};

static double speed_of(const struct aw_session *session, const struct aw_joint *joint)
{
    double said = session->options.move.speed;
    return said > 0 && isinf(joint->speed) ? said : joint->speed;
}

double aw_joint_answer(const struct aw_session *session, const struct aw_joint *joint)
{
    double per_s = aw_number_or(session->options.move.kp, session->tool->steer);
    double most = isnan(joint->most) ? joint->speed : joint->most;
    return aw_steer(joint->rate, per_s, aw_joint_way(joint, joint->aim), most);
}

/* Answers each report before the caller sees it. */
static bool steer(void *context, const struct aw_joint_list *seen)
{
    struct steering *s = context;
    struct aw_joint_goal goals[AW_JOINTS_STEERED];
    struct aw_joint_command command = {
        .what = AW_JOINT_VELOCITIES, .goals = goals, .stream = true, .show_ns = AW_NO_TIME};
    bool more = !s->look || s->look(s->context, seen);
    for (size_t i = 0; i < s->list->n && command.n < AW_JOINTS_STEERED; i++)
        if (isfinite(s->list->joints[i].aim))
            goals[command.n++] =
                (struct aw_joint_goal){i, aw_joint_answer(s->session, &s->list->joints[i])};
    if (command.n)
        s->status = s->session->tool->joints->command(s->session, s->list, &command);
    return more && s->status == AW_OK;
}

enum aw_status aw_joints_attend(struct aw_session *session, struct aw_joint_list *list,
                                int64_t deadline, double hz, aw_joints_look_fn *look, void *context)
{
    const struct aw_joints *joints = session->tool->joints;
    struct steering steering = {session, list, look, context, AW_OK};
    if (!joints->attend)
        return aw_clock_sleep(session->clock, deadline);
    if (!(session->tool->steer > 0))
        return joints->attend(session, list, deadline, hz, look, context);
    enum aw_status status = joints->attend(session, list, deadline, hz, steer, &steering);
    return status == AW_OK ? steering.status : status;
}

int64_t aw_joints_now(struct aw_session *session)
{
    const struct aw_joints *joints = session->tool->joints;
    return joints->now ? joints->now(session) : aw_clock_now(session->clock);
}

struct until {
    struct aw_session *session;
    int64_t at_ns;
    aw_joints_look_fn *look;
    void *context;
};

static bool look_until(void *context, const struct aw_joint_list *list)
{
    const struct until *u = context;
    bool more = !u->look || u->look(u->context, list);
    return more && aw_joints_now(u->session) < u->at_ns;
}

enum aw_status aw_joints_until(struct aw_session *session, struct aw_joint_list *list,
                               int64_t at_ns, aw_joints_look_fn *look, void *context)
{
    struct until until = {session, at_ns, look, context};
    if (!session->tool->joints->now)
        return aw_joints_attend(session, list, at_ns, 0, look, context);
    return aw_joints_now(session) < at_ns
               ? aw_joints_attend(session, list, AW_NEVER, INFINITY, look_until, &until)
               : AW_OK;
}

/* ---- Arrival ---- */

/* A motion to targets. A joint steered by the host moves linearly, starting at started_ns and
 * lasting seconds. */
struct awaiting {
    struct aw_session *session;
    struct aw_joint_list *list;
    const struct aw_joint_command *command;
    double tolerance, seconds;
    int64_t started_ns;
    double from[AW_JOINTS_STEERED]; /* first known positions, or NaN */
    size_t far; /* the joint with the largest distance relative to its tolerance */
    double away;
    const struct aw_joint *stray; /* moves away from its target, or NULL */
};

/* A joint without a measured position has not arrived. */
static bool is_away(struct awaiting *a)
{
    double most = 0;
    for (size_t i = 0; i < a->command->n; i++) {
        const struct aw_joint *joint = &a->list->joints[a->command->goals[i].joint];
        double away = aw_joint_way(joint, a->command->goals[i].value);
        double tolerance = isnan(a->tolerance) ? joint->near : a->tolerance;
        double times = isnan(away) ? (double)INFINITY : fabs(away) / tolerance;
        if (joint->blind || fabs(away) <= tolerance || times <= most)
            continue;
        most = times;
        a->far = a->command->goals[i].joint;
        a->away = away;
    }
    return most > 0;
}

/* Finds a joint that is farther from its target than at the start. Tolerates the oscillation of a
 * joint that still moves. */
static bool find_stray(struct awaiting *a, bool ended)
{
    for (size_t i = 0; i < a->command->n && i < AW_JOINTS_STEERED && !a->stray; i++) {
        const struct aw_joint_goal *goal = &a->command->goals[i];
        const struct aw_joint *joint = &a->list->joints[goal->joint];
        double at = aw_joint_at(joint, isnan(joint->aim) ? a->from[i] : joint->aim);
        a->from[i] = isnan(a->from[i]) ? at : a->from[i];
        double way = fabs(goal->value - a->from[i]);
        double swing =
            ended ? fmax(joint->near, way / 2) : fmin(joint->far, AW_LAG_S * joint->speed);
        if (fabs(goal->value - at) > way + swing)
            a->stray = joint;
    }
    return a->stray;
}

static bool goes_well(void *context, const struct aw_joint_list *list)
{
    (void)list;
    return !find_stray(context, false);
}

static bool is_on_way(void *context, const struct aw_joint_list *list)
{
    return goes_well(context, list) && is_away(context);
}

static enum aw_status fail_late(struct aw_session *session, const struct aw_joint *joint,
                                double away)
{
    const char *unit = joint->unit[AW_JOINT_ACTUAL];
    if (isnan(away))
        return aw_fail(&session->err, AW_TIMEOUT, "%s: position unknown", aw_joint_called(joint));
    return aw_fail(&session->err, AW_TIMEOUT,
                   "%s is still %.4g%s%s from its target — check for an obstacle or end stop",
                   aw_joint_called(joint), fabs(away), unit ? " " : "", unit ? unit : "");
}

double aw_joints_seconds(const struct aw_session *session, const struct aw_joint_list *list,
                         const struct aw_joint_command *command)
{
    const struct aw_joints *joints = session->tool->joints;
    double seconds = isnan(command->seconds) ? joints->default_s : command->seconds, longest = NAN;
    bool steered = session->tool->steer > 0 && !joints->await;
    for (size_t i = 0; i < command->n && steered; i++) {
        const struct aw_joint *joint = &list->joints[command->goals[i].joint];
        double way = fabs(command->goals[i].value - aw_joint_at(joint, joint->aim));
        longest = fmax(longest, way / speed_of(session, joint));
    }
    seconds = seconds > 0 ? seconds : longest;
    return seconds > 0 ? seconds : (double)NAN;
}

static bool steer_on(void *context, const struct aw_joint_list *list)
{
    struct awaiting *a = context;
    double t = (double)(aw_joints_now(a->session) - a->started_ns) / 1e9;
    double part = aw_clamp(t / a->seconds, 0, 1);
    for (size_t i = 0; i < a->command->n && i < AW_JOINTS_STEERED; i++) {
        const struct aw_joint_goal *goal = &a->command->goals[i];
        struct aw_joint *joint = &a->list->joints[goal->joint];
        joint->aim = a->from[i] + part * (goal->value - a->from[i]);
        joint->rate = part < 1 ? (goal->value - a->from[i]) / a->seconds : 0;
    }
    return goes_well(a, list) && t < a->seconds + SETTLE_S;
}

static enum aw_status start_motion(struct awaiting *a)
{
    goes_well(a, a->list);
    for (size_t i = 0; i < a->command->n && i < AW_JOINTS_STEERED; i++)
        if (isnan(a->from[i]))
            return aw_fail(&a->session->err, AW_TIMEOUT, "%s: position unknown",
                           aw_joint_called(&a->list->joints[a->command->goals[i].joint]));
    a->seconds = fmax(aw_joints_seconds(a->session, a->list, a->command), LEAST_S);
    steer_on(a, a->list);
    return aw_joints_attend(a->session, a->list, AW_NEVER, INFINITY, steer_on, a);
}

/* Context of the progress line. */
struct telling {
    const struct aw_joint_list *list;
    const struct aw_joint_command *command;
    int64_t started_ns;
    double seconds; /* NaN: unknown */
};

/* Shows the joint with the largest measured distance from its target. */
static void show_progress(struct aw_session *session, const void *context)
{
    const struct telling *t = context;
    const struct aw_joint_goal *far = NULL;
    char of[32] = "", where[160] = "";
    double most = -1;
    for (size_t i = 0; i < t->command->n; i++) {
        const struct aw_joint *joint = &t->list->joints[t->command->goals[i].joint];
        double away = fabs(aw_joint_way(joint, t->command->goals[i].value));
        if (joint->blind || !(away > most))
            continue;
        far = &t->command->goals[i];
        most = away;
    }
    if (isfinite(t->seconds))
        snprintf(of, sizeof of, " of %.0f", t->seconds);
    if (far) {
        const struct aw_joint *joint = &t->list->joints[far->joint];
        const char *unit = joint->unit[AW_JOINT_ACTUAL];
        snprintf(where, sizeof where, ", %s %.4g of %.4g%s%s", aw_joint_called(joint),
                 joint->now.value[AW_JOINT_ACTUAL], far->value, unit ? " " : "", unit ? unit : "");
    }
    aw_session_work(session, "%s %.0f%s s%s", session->run.command->name,
                    (double)(aw_joints_now(session) - t->started_ns) / 1e9, of, where);
}

/* A steered joint has no target, so it stops when steering ends. Other joints stop only on a
 * fault. */
static enum aw_status stop_now(struct aw_session *session, enum aw_status status)
{
    struct aw_error why = session->err;
    enum aw_status stopped = session->tool->stop(session);
    session->motion.moving = stopped != AW_OK;
    session->motion.stop.did[0] = '\0'; /* not requested by a user or a program */
    if (status == AW_OK)
        return stopped;
    session->err = why;
    return status;
}

static enum aw_status wait_for(struct awaiting *a, int64_t deadline)
{
    struct aw_session *session = a->session;
    const struct aw_joints *joints = session->tool->joints;
    if (joints->await)
        return joints->await(session, a->list, a->command, a->tolerance, deadline, goes_well, a);
    if (a->command->what == AW_JOINT_VELOCITIES || !joints->attend)
        return AW_OK;
    enum aw_status status = AW_OK;
    if (session->tool->steer > 0)
        status = start_motion(a);
    else if (is_away(a))
        status = joints->attend(session, a->list, deadline, 0, is_on_way, a);
    return status == AW_OK && !a->stray && is_away(a)
               ? fail_late(session, &a->list->joints[a->far], a->away)
               : status;
}

static enum aw_status await(struct awaiting *a, int64_t deadline)
{
    struct aw_session *session = a->session;
    enum aw_status status = wait_for(a, deadline);
    bool runs = a->stray, held = status == AW_TIMEOUT || status == AW_REFUSED;
    if (!runs && !(held && find_stray(a, true)))
        return status;
    status = aw_fail(&session->err, AW_REFUSED,
                     "%s moves away from its target — motor or encoder is reversed, or the "
                     "load is too heavy",
                     aw_joint_called(a->stray));
    return runs ? stop_now(session, status) : status;
}

enum aw_status aw_joints_await(struct aw_session *session, struct aw_joint_list *list,
                               const struct aw_joint_command *command, double tolerance,
                               int64_t deadline)
{
    struct awaiting a = {session, list, command, tolerance, .started_ns = aw_joints_now(session)};
    const struct telling telling = {list, command, a.started_ns,
                                    aw_joints_seconds(session, list, command)};
    for (size_t i = 0; i < AW_JOINTS_STEERED; i++)
        a.from[i] = (double)NAN;
    aw_session_work_while(session, show_progress, &telling);
    enum aw_status status = await(&a, deadline);
    aw_session_work_while(session, NULL, NULL);
    return status;
}

void aw_joints_release(struct aw_joint_list *list)
{
    for (size_t i = 0; i < list->n; i++)
        list->joints[i].aim = list->joints[i].most = (double)NAN;
}

enum aw_status aw_joints_end(struct aw_session *session, struct aw_joint_list *list,
                             enum aw_status status)
{
    const struct aw_joints *joints = session->tool->joints;
    aw_joints_release(list);
    if (status == AW_STOPPED)
        return status;
    if (!joints->end && session->tool->steer > 0 && session->motion.moving && status != AW_LOST)
        return stop_now(session, status);
    return joints->end ? joints->end(session, list, status) : status;
}

double aw_joint_at(const struct aw_joint *joint, double near)
{
    double at = joint->now.value[AW_JOINT_ACTUAL];
    bool turned = joint->wraps && fabs(near - at) > M_PI;
    return turned ? near - remainder(near - at, 2 * M_PI) : at;
}

double aw_joint_way(const struct aw_joint *joint, double place)
{
    return place - aw_joint_at(joint, place);
}

double aw_joint_age(const struct aw_session *session, const struct aw_joint *joint)
{
    int64_t came = joint->now.time_ns[AW_JOINT_ACTUAL];
    return came == AW_NO_TIME ? NAN : (double)(aw_clock_now(session->clock) - came) / 1e9;
}

void aw_joint_guard(struct aw_session *session, const struct aw_joint *joint, double far,
                    struct aw_motion *guard)
{
    struct aw_motion_config config = aw_motion_defaults(isnan(far) ? joint->far : far);
    if (joint->least > 0)
        config.least = joint->least;
    if (session->tool->joints->confirms)
        /* a silent device is not a fault here: each step is confirmed or fails */
        config.silence_s = INFINITY;
    aw_motion_start(guard, &config, (double)aw_joints_now(session) / 1e9);
}

struct aw_motion_sample aw_joint_sample(struct aw_session *session, const struct aw_joint *joint,
                                        double target)
{
    return (struct aw_motion_sample){
        .t = (double)aw_joints_now(session) / 1e9,
        .target = target,
        .measured = aw_joint_at(joint, target),
        .output = joint->now.value[AW_JOINT_EFFORT] / joint->full,
        .fault = joint->now.fails ? joint->now.fault : NULL,
    };
}
