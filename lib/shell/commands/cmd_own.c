/* move, home, jog and stop for joints that packet files describe. */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "base/number.h"
#include "shell/commands/common.h"
#include "shell/commands/jog.h"
#include "shell/core/dry.h"
#include "shell/core/joints.h"

#define GOALS        16
#define PATIENCE_S   10  /* beyond its duration, until a motion counts as not done */
#define KEY_STEP_S   0.2 /* of a step of the keys of jog */
#define KEY_STEP_DEG 5

/* What a motion is made of. */
struct way {
    struct aw_joint_list list;
    struct aw_joint_goal goals[GOALS];
    struct aw_joint_command command;
};

static enum aw_status begin(struct aw_session *session, const struct aw_args *args, struct way *way)
{
    double seconds = NAN;
    *way = (struct way){.list = {0}};
    enum aw_status status = aw_joints_begin(session, &way->list);
    if (status == AW_OK && aw_arg(args, "duration", 0))
        status = aw_arg_number(session, args, "duration", &seconds);
    if (status == AW_OK && !aw_flag(session, "dry-run"))
        status = session->tool->joints->read(session, &way->list);
    way->command = (struct aw_joint_command){.what = AW_JOINT_TARGETS,
                                             .goals = way->goals,
                                             .seconds = isnan(seconds) ? NAN : seconds / 1000,
                                             .show_ns = AW_NO_TIME};
    return status;
}

static void report(struct aw_session *session, const struct way *way, enum aw_status status,
                   bool waited)
{
    struct aw_object *result = &session->result;
    char key[sizeof result->entries->key];
    aw_object_start(result, session->run.command->name);
    aw_object_text(result, "result", status != AW_OK ? "not-reached" : waited ? "arrived" : "sent");
    for (size_t k = 0; k < way->command.n; k++) {
        const struct aw_joint *joint = &way->list.joints[way->goals[k].joint];
        const char *unit = joint->unit[AW_JOINT_ACTUAL];
        snprintf(key, sizeof key, waited ? "%.40s.target" : "%.40s", joint->name);
        aw_object_number(result, key, way->goals[k].value, joint->decimals, unit);
        snprintf(key, sizeof key, "%.40s.actual", joint->name);
        if (waited)
            aw_object_number(result, key, joint->now.value[AW_JOINT_ACTUAL], joint->decimals, unit);
    }
    aw_object_number(result, "ms", 1000 * aw_session_seconds(session), 1, NULL);
}

static enum aw_status go(struct aw_session *session, struct way *way)
{
    enum aw_arrival arrival;
    bool waits = aw_flag(session, "wait"), dry = aw_flag(session, "dry-run");
    double tolerance = NAN;
    const char *near = waits ? aw_option(session, "wait") : NULL;
    enum aw_status status = AW_OK;
    if (near && strcmp(near, "near") != 0)
        status = aw_number_parse_unit(near, way->list.joints[0].unit[AW_JOINT_ACTUAL], &tolerance,
                                      &session->err);
    if (status == AW_OK)
        status = aw_joints_command(session, &way->list, &way->command);
    if (status == AW_OK && waits && !dry) {
        int64_t end = aw_clock_after(aw_clock_now(session->clock), PATIENCE_S);
        status = aw_joints_await(session, &way->list, &way->command, tolerance, end, &arrival);
        session->motion.ongoing = status == AW_OK ? AW_ONGOING_NOTHING : session->motion.ongoing;
    }
    bool sent = session->motion.moving;
    status = aw_joints_end(session, &way->list, status);
    if (sent && !dry)
        report(session, way, status, waits);
    return status;
}

static enum aw_status add_goal(struct aw_session *session, struct way *way, const char *name,
                               const char *text)
{
    size_t i = 0;
    double value = 0;
    enum aw_status status = aw_joints_find(session, &way->list, name, &i);
    for (size_t k = 0; k < way->command.n && status == AW_OK; k++)
        if (way->goals[k].joint == i)
            return aw_fail(&session->err, AW_USAGE, "%s: %s is given twice",
                           session->run.command->name, name);
    if (status == AW_OK && way->command.n == GOALS)
        return aw_fail(&session->err, AW_LIMIT, "more than %d joints", GOALS);
    if (status == AW_OK)
        status = aw_joints_value(session, &way->list.joints[i], AW_JOINT_TARGETS, text, &value);
    if (status == AW_OK)
        way->goals[way->command.n++] = (struct aw_joint_goal){i, value};
    return status;
}

/* "elbow=30", or a target alone, which is that of the next joint of the file. */
static enum aw_status add_word(struct aw_session *session, struct way *way, const char *word)
{
    const char *equals = strchr(word, '=');
    char name[AW_JOINT_NAME];
    if (!equals && way->command.n == way->list.n)
        return aw_fail(&session->err, AW_USAGE, "move: '%.40s' is too much — there are %zu joints",
                       word, way->list.n);
    if (!equals)
        return add_goal(session, way, way->list.joints[way->command.n].name, word);
    snprintf(name, sizeof name, "%.*s", (int)(equals - word), word);
    return add_goal(session, way, name, equals + 1);
}

enum aw_status aw_run_own_move(struct aw_session *session, const struct aw_args *args)
{
    struct way way;
    enum aw_status status = begin(session, args, &way);
    for (size_t i = 0; i < args->n && status == AW_OK; i++)
        if (args->bound[i].arg->kind == AW_ARG_REST)
            status = add_word(session, &way, args->bound[i].text);
    if (status == AW_OK)
        status = go(session, &way);
    aw_joints_free(&way.list);
    return status;
}

/* To 0, or as near to it as a joint may be. */
enum aw_status aw_run_own_home(struct aw_session *session, const struct aw_args *args)
{
    struct way way;
    enum aw_status status = begin(session, args, &way);
    for (size_t i = 0; i < way.list.n && i < GOALS; i++)
        way.goals[i] = (struct aw_joint_goal){
            i, fmin(fmax(0, way.list.joints[i].min), way.list.joints[i].max)};
    way.command.n = way.list.n < GOALS ? way.list.n : GOALS;
    if (status == AW_OK)
        status = go(session, &way);
    aw_joints_free(&way.list);
    return status;
}

/* ---- jog ---- */

static double target_of(const struct aw_joint *joint)
{
    double target = joint->now.value[AW_JOINT_TARGET];
    return isnan(target) ? joint->now.value[AW_JOINT_ACTUAL] : target;
}

static enum aw_status jog_step(struct aw_jog *jog, double change)
{
    struct way *way = jog->context;
    way->goals[0].value = jog->value + change;
    way->command.seconds = KEY_STEP_S;
    return go(jog->session, way);
}

static enum aw_status jog(struct aw_session *session, struct way *way, const char *amount)
{
    const struct aw_joint *joint = &way->list.joints[way->goals[0].joint];
    const char *unit = joint->unit[AW_JOINT_ACTUAL];
    double by = 0;
    if (aw_flag(session, "dry-run"))
        return aw_dry_depends(session, "where the joint is");
    if (!amount)
        return aw_jog_keys(&(struct aw_jog){.session = session,
                                            .name = joint->name,
                                            .unit = unit ? unit : "",
                                            .value = target_of(joint),
                                            .step = KEY_STEP_DEG * joint->near / 3,
                                            .least = joint->near / 3,
                                            .most = 20 * joint->near / 3,
                                            .go = jog_step,
                                            .context = way});
    enum aw_status status = aw_jog_amount(session, amount, unit, &by);
    way->goals[0].value = target_of(joint) + by;
    return status == AW_OK ? go(session, way) : status;
}

enum aw_status aw_run_own_jog(struct aw_session *session, const struct aw_args *args)
{
    struct way way;
    enum aw_status status = begin(session, args, &way);
    way.command.n = 1;
    if (status == AW_OK)
        status = aw_joints_find(session, &way.list, aw_arg(args, "joint", 0), &way.goals[0].joint);
    if (status == AW_OK)
        status = jog(session, &way, aw_arg(args, "amount", 0));
    aw_joints_free(&way.list);
    return status;
}

/* ---- stop ---- */

/* On a bus there are the tool's own devices, too. */
static enum aw_status stop_others(struct aw_session *session, const struct aw_args *args)
{
    const struct aw_command *stop = aw_find_command(session->own.base, "stop");
    if (!session->tool->protocol->can || !stop)
        return AW_OK;
    aw_session_print_result(session);
    return stop->run(session, args);
}

enum aw_status aw_run_own_stop(struct aw_session *session, const struct aw_args *args)
{
    struct aw_joint_list list;
    char key[AW_JOINT_NAME];
    if (aw_flag(session, "dry-run"))
        return aw_dry_depends(session, "where the arm is");
    enum aw_status status = aw_joints_begin(session, &list);
    if (status == AW_OK)
        status = session->tool->stop(session);
    aw_joints_free(&list);
    if (status != AW_OK)
        return status;
    status = aw_joints_list(session, &list);
    aw_object_start(&session->result, "stop");
    aw_object_text(&session->result, "result", "confirmed");
    for (size_t i = 0; i < list.n; i++) {
        const struct aw_joint *joint = &list.joints[i];
        snprintf(key, sizeof key, "%.40s", joint->name);
        aw_object_number(&session->result, key, joint->now.value[AW_JOINT_ACTUAL], joint->decimals,
                         joint->unit[AW_JOINT_ACTUAL]);
    }
    aw_joints_free(&list);
    return status == AW_OK ? stop_others(session, args) : status;
}
