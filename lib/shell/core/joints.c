/* The joints of a tool as commands use them: looked up, checked, commanded, looked after. */
#include "shell/core/joints.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/number.h"
#include "base/suggest.h"
#include "base/utf8.h"

#define NAMES_MAX 128

/* ---- The list ----------------------------------------------------------------------------------
 */

struct aw_joint aw_joint_unknown(const char *name)
{
    struct aw_joint joint = {.decimals = 2,
                             .min = -INFINITY,
                             .max = INFINITY,
                             .speed = INFINITY,
                             .far = INFINITY,
                             .full = NAN};
    snprintf(joint.name, sizeof joint.name, "%s", name);
    aw_utf8_clean(joint.name); /* it may have come over a wire */
    for (int i = 0; i < AW_JOINT_VALUES; i++)
        aw_joint_set(&joint, (enum aw_joint_value)i, NAN, AW_NO_TIME);
    return joint;
}

/* Room for one more of this size; NULL: out of memory. */
static void *one_more(void **of, size_t *n, size_t *room, size_t size)
{
    if (*n == *room) {
        size_t more = *room ? 2 * *room : 8;
        void *grown = realloc(*of, more * size);
        if (!grown)
            return NULL;
        *of = grown;
        *room = more;
    }
    return (char *)*of + size * (*n)++;
}

struct aw_joint *aw_joints_add(struct aw_session *session, struct aw_joint_list *list,
                               const char *name)
{
    void *joints = list->joints;
    struct aw_joint *joint = one_more(&joints, &list->n, &list->room, sizeof *joint);
    list->joints = joints;
    if (joint)
        *joint = aw_joint_unknown(name);
    else
        aw_no_memory(&session->err);
    return joint;
}

struct aw_joint_setting *aw_joints_add_setting(struct aw_session *session,
                                               struct aw_joint_settings *settings,
                                               const char *joint)
{
    void *of = settings->of;
    struct aw_joint_setting *setting =
        one_more(&of, &settings->n, &settings->room, sizeof *setting);
    settings->of = of;
    if (!setting) {
        aw_no_memory(&session->err);
        return NULL;
    }
    *setting = (struct aw_joint_setting){.min = -INFINITY, .max = INFINITY, .value = NAN};
    snprintf(setting->joint, sizeof setting->joint, "%s", joint);
    return setting;
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

/* ---- Names and numbers -------------------------------------------------------------------------
 */

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

enum aw_status aw_joints_find(struct aw_session *session, struct aw_joint_list *list,
                              const char *text, size_t *joint)
{
    const char *names[NAMES_MAX];
    char all[256] = "use";
    size_t n = 0;
    *joint = aw_joints_number(list, text);
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
                           list->n ? all : "'limits' shows what there is", "no joint '%.40s'",
                           text);
}

enum aw_status aw_joints_value(struct aw_session *session, const struct aw_joint *joint,
                               enum aw_joint_what what, const char *text, double *value)
{
    struct aw_error why;
    bool velocity = what == AW_JOINT_VELOCITIES;
    const char *unit = joint->unit[velocity ? AW_JOINT_VELOCITY : AW_JOINT_ACTUAL];
    enum aw_status status = aw_number_parse_unit(text, unit, value, &why);
    return status == AW_OK ? AW_OK
                           : aw_fail(&session->err, status, "%s: %s",
                                     *joint->alias ? joint->alias : joint->name, why.text);
}

void aw_joints_complete(struct aw_session *session, aw_candidate_fn *add, void *context)
{
    struct aw_joint_list list = {0};
    struct aw_error before = session->err;
    if (session->tool->joints && aw_joints_list(session, &list) == AW_OK)
        for (size_t i = 0; i < list.n; i++) {
            const struct aw_joint *joint = &list.joints[i];
            bool named = *joint->alias;
            if (joint->blind || joint->left_out)
                continue;
            add(context, named ? joint->alias : joint->name, named ? joint->name : NULL);
        }
    session->err = before;
    aw_joints_free(&list);
}

/* ---- Commands ----------------------------------------------------------------------------------
 */

static const char *name_of(const struct aw_joint *joint)
{
    return *joint->alias ? joint->alias : joint->name;
}

static enum aw_status out_of_range(struct aw_session *session, const struct aw_joint *joint,
                                   double value, double min, double max, const char *unit)
{
    const char *blank = unit ? " " : "";
    unit = unit ? unit : "";
    return aw_fail(&session->err, AW_LIMIT,
                   "%s: %.9g%s%s is outside %g to %g%s%s — --force overrides", name_of(joint),
                   value, blank, unit, min, max, blank, unit);
}

static enum aw_status check_goal(struct aw_session *session, const struct aw_joint *joint,
                                 enum aw_joint_what what, double value)
{
    bool velocity = what == AW_JOINT_VELOCITIES;
    double min = velocity ? -joint->speed : joint->min, max = velocity ? joint->speed : joint->max;
    unsigned takes = velocity ? AW_JOINT_TAKES_VELOCITIES : AW_JOINT_TAKES_TARGETS;
    if (!isfinite((float)value))
        return aw_fail(&session->err, AW_USAGE, "%s: the %s is not a finite number", name_of(joint),
                       velocity ? "velocity" : "target");
    if (!(joint->takes & takes))
        return aw_fail(&session->err, AW_USAGE, "%s takes no %s", name_of(joint),
                       velocity ? "velocities" : "targets");
    if (aw_flag(session, "force") || (value >= min && value <= max))
        return AW_OK;
    return out_of_range(session, joint, value, min, max,
                        joint->unit[velocity ? AW_JOINT_VELOCITY : AW_JOINT_ACTUAL]);
}

enum aw_status aw_joints_check(struct aw_session *session, struct aw_joint_list *list,
                               const struct aw_joint_command *command)
{
    const struct aw_joints *joints = session->tool->joints;
    enum aw_status status = AW_OK;
    for (size_t i = 0; i < command->n && status == AW_OK; i++)
        status = check_goal(session, &list->joints[command->goals[i].joint], command->what,
                            command->goals[i].value);
    return status == AW_OK && joints->check ? joints->check(session, list, command) : status;
}

enum aw_status aw_joints_command(struct aw_session *session, struct aw_joint_list *list,
                                 const struct aw_joint_command *command)
{
    enum aw_status status = aw_joints_check(session, list, command);
    if (status != AW_OK || command->n == 0)
        return status;
    return session->tool->joints->command(session, list, command);
}

enum aw_status aw_joints_attend(struct aw_session *session, struct aw_joint_list *list,
                                int64_t deadline, double hz, aw_joints_look_fn *look, void *context)
{
    const struct aw_joints *joints = session->tool->joints;
    if (joints->attend)
        return joints->attend(session, list, deadline, hz, look, context);
    return aw_clock_sleep(session->clock, deadline);
}

/* For tools whose devices say nothing of arrivals. */
struct awaiting {
    const struct aw_joint_command *command;
    double tolerance;
    size_t far; /* the joint that is farthest away, for its tolerance */
    double away;
};

/* What is not measured has not arrived. */
static bool is_away(void *context, const struct aw_joint_list *list)
{
    struct awaiting *a = context;
    double most = 0;
    for (size_t i = 0; i < a->command->n; i++) {
        const struct aw_joint *joint = &list->joints[a->command->goals[i].joint];
        double away = a->command->goals[i].value - joint->now.value[AW_JOINT_ACTUAL];
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

static enum aw_status fail_late(struct aw_session *session, const struct aw_joint *joint,
                                double away)
{
    const char *unit = joint->unit[AW_JOINT_ACTUAL];
    if (isnan(away))
        return aw_fail(&session->err, AW_TIMEOUT, "%s: nothing has said where it is",
                       name_of(joint));
    return aw_fail(&session->err, AW_TIMEOUT, "%s is %.4g%s%s away from its target", name_of(joint),
                   away, unit ? " " : "", unit ? unit : "");
}

enum aw_status aw_joints_await(struct aw_session *session, struct aw_joint_list *list,
                               const struct aw_joint_command *command, double tolerance,
                               int64_t deadline, enum aw_arrival *arrival)
{
    const struct aw_joints *joints = session->tool->joints;
    struct awaiting awaiting = {.command = command, .tolerance = tolerance};
    *arrival = AW_ARRIVED;
    if (joints->await)
        return joints->await(session, list, command, tolerance, deadline, arrival);
    if (command->what == AW_JOINT_VELOCITIES || !joints->attend)
        return AW_OK;
    enum aw_status status = AW_OK;
    if (is_away(&awaiting, list))
        status = joints->attend(session, list, deadline, 0, is_away, &awaiting);
    if (status != AW_OK || !is_away(&awaiting, list))
        return status;
    *arrival = AW_LATE;
    return fail_late(session, &list->joints[awaiting.far], awaiting.away);
}

enum aw_status aw_joints_end(struct aw_session *session, struct aw_joint_list *list,
                             enum aw_status status)
{
    const struct aw_joints *joints = session->tool->joints;
    return joints->end && status != AW_STOPPED ? joints->end(session, list, status) : status;
}

int64_t aw_joints_now(struct aw_session *session)
{
    const struct aw_joints *joints = session->tool->joints;
    return joints->now ? joints->now(session) : aw_clock_now(session->clock);
}

/* ---- Looking after them ------------------------------------------------------------------------
 */

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
    aw_motion_start(guard, &config, (double)aw_joints_now(session) / 1e9);
}

struct aw_motion_sample aw_joint_sample(struct aw_session *session, const struct aw_joint *joint,
                                        double target)
{
    return (struct aw_motion_sample){
        .t = (double)aw_joints_now(session) / 1e9,
        .target = target,
        .measured = joint->now.value[AW_JOINT_ACTUAL],
        .output = joint->now.value[AW_JOINT_EFFORT] / joint->full,
        .fault = joint->now.fails ? joint->now.fault : NULL,
    };
}
