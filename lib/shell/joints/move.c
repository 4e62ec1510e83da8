/* move, jog and home: move joints to targets, and wait for arrival on request. stop: for tools that
 * do not define their own. */
#include <ctype.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/number.h"
#include "base/suggest.h"
#include "base/text.h"
#include "shell/joints/jog.h"
#include "shell/joints/start_check.h"
#include "shell/joints/verbs.h"
#include "shell/safety/safety.h"

#define GOALS_MAX   64
#define PATIENCE_S  10 /* extra time after a motion before it counts as failed */
#define LONG_WAIT_S 30 /* announce waits longer than this */

/* ---- One motion ---- */

static void announce_long(struct aw_session *session, double seconds)
{
    static const struct {
        double max_s, scale_s;
        const char *unit;
    } units[] = {{120, 1, "s"}, {7200, 60, "min"}, {INFINITY, 3600, "h"}};
    size_t i = 0;
    while (seconds > units[i].max_s)
        i++;
    if (seconds > LONG_WAIT_S)
        aw_session_print_notice(session, "the motion takes %.3g %s; Ctrl-C stops it",
                                seconds / units[i].scale_s, units[i].unit);
}

/* Reads the tolerance from --wait=DISTANCE; NaN: the default. */
static enum aw_status read_tolerance(struct aw_session *session, const struct aw_joint_list *list,
                                     const struct aw_joint_command *command, double *tolerance)
{
    const char *wait = session->options.move.wait;
    *tolerance = NAN;
    if (!wait || strcmp(wait, "near") == 0)
        return AW_OK;
    enum aw_status status = aw_number_parse_unit(
        wait, list->joints[command->goals->joint].unit[AW_JOINT_ACTUAL], tolerance, &session->err);
    if (status == AW_OK && !(*tolerance > 0))
        status = aw_fail(&session->err, AW_USAGE,
                         "--wait=%.40s: out of range — give a value above 0", wait);
    return status;
}

static enum aw_status await(struct aw_session *session, struct aw_joint_list *list,
                            const struct aw_joint_command *command, double tolerance)
{
    double seconds = fmax(aw_joints_duration_s(session, list, command), 0);
    int64_t deadline = aw_time_after(aw_clock_now(session->clock), seconds + PATIENCE_S);
    announce_long(session, seconds);
    return aw_joints_await(session, list, command, tolerance, deadline);
}

static void report(struct aw_session *session, const struct aw_joint_list *list,
                   const struct aw_joint_command *command, enum aw_status status, bool awaited)
{
    struct aw_object *result = &session->result;
    aw_object_start(result, session->run.command->name);
    aw_object_add_text(result, "result", aw_move_result(session, status, awaited));
    for (size_t i = 0; i < command->n; i++) {
        const struct aw_joint *joint = &list->joints[command->goals[i].joint];
        const char *unit = joint->unit[AW_JOINT_ACTUAL];
        char key[sizeof result->entries->key];
        snprintf(key, sizeof key, awaited ? "%s.target" : "%s", joint->name);
        aw_object_add_number(result, key, command->goals[i].value, joint->decimals, unit);
        snprintf(key, sizeof key, "%s.actual", joint->name);
        if (awaited)
            aw_object_add_number(result, key, joint->state.value[AW_JOINT_ACTUAL], joint->decimals,
                                 unit);
    }
    aw_move_add_ms(session);
}

const char *aw_move_result(const struct aw_session *session, enum aw_status status, bool awaited)
{
    return status == AW_STOPPED                            ? "stopped"
           : status != AW_OK                               ? "not-reached"
           : session->tool->motion.joints->traits.confirms ? "confirmed"
           : awaited                                       ? "arrived"
                                                           : "sent";
}

void aw_move_add_ms(struct aw_session *session)
{
    aw_object_add_number(&session->result, "ms",
                         (double)(aw_clock_now(session->clock) - session->run.started_ns) / 1e6, 1,
                         NULL);
}

static bool is_steered(const struct aw_session *session)
{
    return session->tool->motion.steer_gain > 0;
}

/* Sends the motion. First reads unknown positions if the host steers the joints, and runs the start
 * check of a setpoint command. */
static enum aw_status send_command(struct aw_session *session, struct aw_joint_list *list,
                                   const struct aw_joint_command *command)
{
    const struct aw_joint *first = &list->joints[command->goals->joint];
    bool unseen = isnan(first->state.value[AW_JOINT_ACTUAL]) && !session->options.run.dry_run;
    enum aw_status status = AW_OK;
    if (is_steered(session) && unseen)
        status = aw_joints_read(session, list);
    if (status == AW_OK && session->run.command->setpoints)
        status = aw_start_check_streamed(session, list, command);
    return status == AW_OK ? aw_joints_command(session, list, command) : status;
}

/* Waits for arrival if the host steers the joints or --wait is given, ends the motion unless the
 * device holds its target, and reports the result. status: of sending the motion. */
static enum aw_status finish(struct aw_session *session, struct aw_joint_list *list,
                             const struct aw_joint_command *command, double tolerance,
                             enum aw_status status)
{
    const struct aw_joints *joints = session->tool->motion.joints;
    bool waits = is_steered(session) || session->options.move.wait;
    bool awaited = status == AW_OK && waits && !joints->traits.confirms;
    if (is_steered(session) || awaited)
        aw_session_start_motion(session); /* interrupting the wait stops the motion */
    if (awaited)
        status = await(session, list, command, tolerance);
    if (awaited && status == AW_OK && session->motion.ongoing == AW_ONGOING_ENDING)
        session->motion.ongoing = AW_ONGOING_NOTHING;
    if (!joints->traits.holds_target)
        status = aw_joints_end(session, list, status);
    else
        session->motion.moving = session->motion.moving && status == AW_STOPPED;
    if (joints->run.report)
        joints->run.report(session, list, command, status, waits);
    else if (awaited || !session->result.cmd)
        report(session, list, command, status, awaited);
    return status;
}

enum aw_status aw_move_joints(struct aw_session *session, struct aw_joint_list *list,
                              const struct aw_joint_command *command)
{
    double tolerance;
    session->result.cmd = NULL;
    enum aw_status status = read_tolerance(session, list, command, &tolerance);
    if (status != AW_OK)
        return status;
    status = send_command(session, list, command);
    bool started = status == AW_OK || session->motion.moving;
    return started && !session->options.run.dry_run
               ? finish(session, list, command, tolerance, status)
               : status;
}

/* ---- Arguments ---- */

/* The command as read from its arguments. */
struct request {
    struct aw_session *session;
    const struct aw_args *args;
    struct aw_joint_list list;
    struct aw_joint_goal goals[GOALS_MAX];
    struct aw_joint_command command;
};

static enum aw_status parse_value(struct request *r, size_t at, bool jogs, const char *text,
                                  double *value)
{
    struct aw_session *session = r->session;
    const struct aw_joints *joints = session->tool->motion.joints;
    const struct aw_joint *joint = &r->list.joints[at];
    return joints->parse ? joints->parse(session, joint, jogs, text, value)
                         : aw_joints_parse_value(session, joint, AW_JOINT_TARGETS, text, value);
}

static enum aw_status add_goal(struct request *r, size_t joint, double value)
{
    for (size_t i = 0; i < r->command.n; i++)
        if (r->goals[i].joint == joint)
            return aw_fail(&r->session->err, AW_USAGE, "%s: %s is given twice — remove one",
                           r->args->command->name, aw_joint_display_name(&r->list.joints[joint]));
    if (r->command.n == GOALS_MAX)
        return aw_fail(&r->session->err, AW_LIMIT, "%s: more than %d joints — name fewer",
                       r->args->command->name, GOALS_MAX);
    r->goals[r->command.n++] = (struct aw_joint_goal){joint, value};
    return AW_OK;
}

/* Checks that a name is that of a joint. If not, suggests a tool-specific argument or a joint. */
static enum aw_status check_argument(struct request *r, const char *name)
{
    const char *const *names = r->session->tool->motion.joints->extra_names;
    size_t n = 0, at;
    while (names && names[n])
        n++;
    const char *suggestion =
        aw_joints_find_index(&r->list, name) == r->list.n ? aw_suggest(name, names, n) : NULL;
    return suggestion
               ? aw_fail(&r->session->err, AW_USAGE, "%s: '%.40s' not found — did you mean '%s'?",
                         r->args->command->name, name, suggestion)
               : aw_joints_find(r->session, &r->list, name, &at);
}

/* Splits a pair, a joint argument or an argument "elbow=30" into name and value. A value without a
 * name is for the next joint. */
static enum aw_status split_argument(struct request *r, const struct aw_bound *bound,
                                     char name[AW_JOINT_NAME], const char **text)
{
    const char *from = bound->arg->kind == AW_ARG_PAIRS ? bound->name : bound->arg->name;
    *text = bound->text;
    if (bound->arg->kind == AW_ARG_REST) {
        const char *equals = strchr(*text, '=');
        from = *text;
        if (!equals && r->command.n == r->list.n)
            return aw_fail(&r->session->err, AW_USAGE,
                           "move: unexpected argument '%.40s' — give values for %zu joints", *text,
                           r->list.n);
        from = equals ? from : r->list.joints[r->command.n].name;
        *text = equals ? equals + 1 : *text;
    }
    snprintf(name, AW_JOINT_NAME, "%.*s", (int)strcspn(from, "="), from);
    return AW_OK;
}

static enum aw_status parse_goal(struct request *r, const struct aw_bound *bound)
{
    const char *const *names = r->session->tool->motion.joints->extra_names, *text;
    bool accepts_any = bound->arg->kind == AW_ARG_PAIRS || bound->arg->kind == AW_ARG_REST;
    char name[AW_JOINT_NAME];
    double value;
    size_t at;
    enum aw_status status = split_argument(r, bound, name, &text);
    if (status != AW_OK)
        return status;
    if ((names && aw_is_one_of(names, name)) ||
        (!accepts_any && aw_joints_find_index(&r->list, name) == r->list.n))
        return AW_OK; /* the tool's hook parse_args reads it */
    status = check_argument(r, name);
    if (status == AW_OK)
        status = aw_joints_find(r->session, &r->list, name, &at);
    if (status == AW_OK)
        status = parse_value(r, at, false, text, &value);
    return status == AW_OK ? add_goal(r, at, value) : status;
}

/* Lists the joints, and parses the arguments that name no joint. Connects only if the list depends
 * on the device; a dry run then ends with the reason. */
static enum aw_status begin_request(struct request *r, struct aw_session *session,
                                    const struct aw_args *args)
{
    const struct aw_joints *joints = session->tool->motion.joints;
    *r = (struct request){.session = session, .args = args};
    r->command = (struct aw_joint_command){
        .kind = AW_JOINT_TARGETS, .goals = r->goals, .seconds = NAN, .show_ns = AW_NO_TIME};
    if (joints->traits.reports_joints && session->options.run.dry_run)
        return aw_dry_run_depends(session, strcmp(args->command->name, "jog") == 0
                                               ? "the position of the joint"
                                               : "the joints of the device");
    enum aw_status status =
        (joints->traits.reports_joints ? aw_joints_begin : aw_joints_list)(session, &r->list);
    if (status == AW_OK)
        status = aw_joints_check(session, &r->list, &(struct aw_joint_command){.n = 0});
    if (status == AW_OK && joints->run.parse_args)
        return joints->run.parse_args(session, args, &r->command);
    return status == AW_OK ? aw_read_duration(session, args, &r->command.seconds) : status;
}

/* Checks the request, then runs it. Opens the link only after the checks, unless it is open. */
static enum aw_status run_request(struct request *r)
{
    struct aw_session *session = r->session;
    const struct aw_joints *joints = session->tool->motion.joints;
    double tolerance;
    enum aw_status status = aw_joints_check(session, &r->list, &r->command);
    if (status == AW_OK)
        status = read_tolerance(session, &r->list, &r->command, &tolerance);
    if (status == AW_OK && !joints->traits.reports_joints)
        status = joints->run.open(session);
    return status == AW_OK ? aw_move_joints(session, &r->list, &r->command) : status;
}

static enum aw_status end_request(struct request *r, enum aw_status status)
{
    aw_joints_free(&r->list);
    free(r);
    return status;
}

enum aw_status aw_run_move(struct aw_session *session, const struct aw_args *args)
{
    struct request *r = malloc(sizeof *r);
    if (!r)
        return aw_no_memory(&session->err);
    enum aw_status status = begin_request(r, session, args);
    for (size_t i = 0; i < args->n && status == AW_OK; i++)
        status = parse_goal(r, &args->bound[i]);
    if (status == AW_OK && r->command.n == 0)
        status = aw_fail(&session->err, AW_USAGE, "%s: no joint given — write '%s %s=VALUE'",
                         args->command->name, args->command->name,
                         r->list.n ? aw_joint_display_name(&r->list.joints[0]) : "JOINT");
    return end_request(r, status == AW_OK ? run_request(r) : status);
}

enum aw_status aw_run_home(struct aw_session *session, const struct aw_args *args)
{
    struct request *r = malloc(sizeof *r);
    if (!r)
        return aw_no_memory(&session->err);
    enum aw_status status = begin_request(r, session, args);
    bool reads = !session->tool->motion.joints->traits.confirms && !session->options.run.dry_run;
    if (status == AW_OK && reads)
        status = session->tool->motion.joints->run.open(session);
    if (status == AW_OK && reads)
        status = aw_joints_read(session, &r->list); /* finds out which joints the device has */
    for (size_t i = 0; i < r->list.n && status == AW_OK; i++)
        if (isfinite(r->list.joints[i].home_target) && !r->list.joints[i].flags.is_blind)
            status = add_goal(r, i, r->list.joints[i].home_target);
    if (status == AW_OK && r->command.n == 0)
        status = aw_fail(&session->err, AW_USAGE,
                         "home: no joints configured — add [joint NAME] sections with index and "
                         "home to the config file (see 'config path')");
    return end_request(r, status == AW_OK ? run_request(r) : status);
}

/* ---- jog ---- */

struct jog_context {
    struct request *r;
    size_t joint;
};

/* Returns the position at which a jog starts; NaN: unknown. */
static double get_jog_base(const struct request *r, size_t joint)
{
    const double *value = r->list.joints[joint].state.value;
    enum aw_joint_value from = r->session->tool->motion.joints->traits.jog_base;
    return isnan(value[from]) ? value[AW_JOINT_ACTUAL] : value[from];
}

static enum aw_status jog_joint(struct aw_jog *jog, double change)
{
    const struct jog_context *j = jog->context;
    struct request *r = j->r;
    r->command.n = 0;
    enum aw_status status = add_goal(r, j->joint, jog->value + change);
    if (status == AW_OK)
        status = aw_move_joints(r->session, &r->list, &r->command);
    if (status == AW_OK && r->command.seconds > 0 && jog->by_keys)
        status = aw_clock_sleep(r->session->clock,
                                aw_time_after(aw_clock_now(r->session->clock), r->command.seconds));
    return status;
}

/* Returns the default key steps for the joint's unit. */
static struct aw_jog get_default_steps(const struct aw_joint *joint)
{
    static const struct aw_jog steps[] = {
        {.unit = "rad", .step = 0.1, .min_step = 0.01, .max_step = 1},
        {.unit = "m", .step = 0.1, .min_step = 0.01, .max_step = 1},
        {.unit = "deg", .step = 5, .min_step = 1, .max_step = 20},
        {.unit = "", .step = 5, .min_step = 1, .max_step = 100},
    };
    const char *unit = joint->unit[AW_JOINT_ACTUAL];
    size_t i = 0;
    while (*steps[i].unit && (!unit || strcmp(unit, steps[i].unit) != 0))
        i++;
    struct aw_jog jog = steps[i];
    jog.unit = unit ? unit : "";
    jog.name =
        joint->flags.undescribed && *joint->label ? joint->label : aw_joint_display_name(joint);
    return jog;
}

/* Reports an unknown position. The tool's check may give the reason. */
static enum aw_status fail_unknown(struct request *r, size_t number)
{
    struct aw_session *session = r->session;
    const struct aw_joints *joints = session->tool->motion.joints;
    const struct aw_joint *joint = &r->list.joints[number];
    bool reports = joints->run.attend;
    r->command.n = 0;
    enum aw_status status = add_goal(r, number, 0);
    if (status == AW_OK && joints->run.check)
        status = joints->run.check(session, &r->list, &r->command);
    if (status != AW_OK)
        return status;
    const char *name = aw_joint_display_name(joint);
    return aw_fail(&session->err, reports ? AW_TIMEOUT : AW_USAGE, "%s%s: position unknown%s",
                   isdigit((unsigned char)*name) ? "joint " : "", name,
                   reports ? " — check power and link" : " — move it once");
}

static enum aw_status find_joint(struct request *r, size_t *joint)
{
    enum aw_status status =
        aw_joints_find(r->session, &r->list, aw_arg(r->args, "joint", 0), joint);
    for (size_t i = 0; i < r->list.n && status == AW_OK; i++)
        r->list.joints[i].flags.excluded = i != *joint; /* no report required */
    return status;
}

/* Parses the amount before opening the link if the unit is known. Parses it again once the link is
 * open. */
static enum aw_status read_joint(struct request *r, size_t joint, const char *amount,
                                 double *change)
{
    struct aw_session *session = r->session;
    const struct aw_joints *joints = session->tool->motion.joints;
    enum aw_status status = AW_OK;
    if (amount && !r->list.joints[joint].flags.undescribed)
        status = parse_value(r, joint, true, amount, change);
    if (status == AW_OK && session->options.run.dry_run)
        return AW_OK;
    if (status == AW_OK && !joints->traits.reports_joints)
        status = joints->run.open(session);
    if (status == AW_OK)
        status = aw_joints_read_new(session, &r->list);
    return status == AW_OK && amount ? parse_value(r, joint, true, amount, change) : status;
}

static enum aw_status run_jog(struct request *r)
{
    struct aw_session *session = r->session;
    const struct aw_joints *joints = session->tool->motion.joints;
    const char *amount = aw_arg(r->args, "amount", 0);
    struct jog_context context = {.r = r};
    double change = 0;
    enum aw_status status = find_joint(r, &context.joint);
    if (status == AW_OK)
        status = read_joint(r, context.joint, amount, &change);
    if (status == AW_OK && session->options.run.dry_run)
        return aw_dry_run_depends(session, "the position of the joint");
    if (status != AW_OK)
        return status;
    struct aw_joint *joint = &r->list.joints[context.joint];
    struct aw_jog jog = get_default_steps(joint);
    jog.session = session;
    jog.value = get_jog_base(r, context.joint);
    jog.move_by = jog_joint;
    jog.context = &context;
    jog.by_keys = !amount;
    if (isnan(jog.value))
        return fail_unknown(r, context.joint);
    if (!amount && isnan(r->command.seconds) && joints->traits.jog_key_s > 0)
        r->command.seconds = joints->traits.jog_key_s;
    return amount ? jog_joint(&jog, change) : aw_jog_keys(&jog);
}

enum aw_status aw_run_jog(struct aw_session *session, const struct aw_args *args)
{
    struct request *r = malloc(sizeof *r);
    if (!r)
        return aw_no_memory(&session->err);
    enum aw_status status = begin_request(r, session, args);
    return end_request(r, status == AW_OK ? run_jog(r) : status);
}

/* ---- stop ---- */

static enum aw_status run_stop(struct aw_session *session, const struct aw_args *args)
{
    (void)args;
    enum aw_status status = session->tool->motion.joints->run.open(session);
    if (status == AW_OK && session->options.run.dry_run)
        return aw_dry_run_depends(session, "the positions of the joints");
    if (status == AW_OK)
        status = session->tool->safety.stop(session);
    if (status != AW_OK)
        return status;
    session->motion.moving = false;
    session->motion.ongoing = AW_ONGOING_NOTHING;
    session->motion.stop.effect[0] = '\0';
    aw_object_start(&session->result, "stop");
    aw_object_add_text(&session->result, "result", "stopped");
    return AW_OK;
}

/* clang-format off */
#define CUSTOM_DURATION                                                                            \
    {.name = "duration", .kind = AW_ARG_NUMBER, .unit = "ms", .min = 0, .max = 3600000,            \
     .optional = true, .help = "duration of the motion, such as 500ms (default: 1 s)"}
const struct aw_command aw_custom_move_command = {
    .name = "move", .for_custom = true, .summary = "move the joints of a packet file",
    .args = AW_ARGS(
        {.name = "joint", .kind = AW_ARG_REST, .complete = aw_joints_complete,
         .help = "a value for each joint in the order of the file, or joint=value"},
        CUSTOM_DURATION),
    .options = AW_OPTIONS(AW_WAIT_OPTION), .safety = AW_MOTION, .run = aw_run_move,
    .details = "Setpoints follow a sinusoidal profile. Joints that you do not name stay where "
        "they are."};

const struct aw_command aw_custom_home_command = {
    .name = "home", .for_custom = true, .summary = "move all joints of a packet file to 0",
    .args = AW_ARGS(CUSTOM_DURATION), .options = AW_OPTIONS(AW_WAIT_OPTION), .safety = AW_MOTION,
    .run = aw_run_home};

const struct aw_command aw_custom_jog_command = {
    .name = "jog", .for_custom = true,
    .summary = "move a joint of a packet file by an amount, or with the keys",
    .args = AW_ARGS(
        {.name = "joint", .complete = aw_joints_complete, .help = "joint of the packet file"},
        {.name = "amount", .optional = true,
         .help = "change relative to the setpoint, such as +5; without it, the keys move the "
                 "joint"},
        CUSTOM_DURATION),
    .options = AW_OPTIONS(AW_WAIT_OPTION), .safety = AW_MOTION, .run = aw_run_jog};

const struct aw_command aw_move_command = {
    .name = "move", .summary = "move joints to positions",
    .args = AW_ARGS(
        {.name = "joint", .kind = AW_ARG_PAIRS, .complete = aw_joints_complete_pairs,
         .help = "positions of joints, in the unit that 'limits' shows"}),
    .options = AW_OPTIONS(AW_WAIT_OPTION),
    .needs_joints = true, .safety = AW_MOTION, .run = aw_run_move,
    .details = "Joints that you do not name stay where they are."};

const struct aw_command aw_jog_command = {
    .name = "jog", .summary = "move one joint by an amount, or with the keys",
    .args = AW_ARGS(
        {.name = "joint", .complete = aw_joints_complete, .help = "name of the joint"},
        {.name = "amount", .optional = true,
         .help = "change relative to the setpoint, such as +5"}),
    .options = AW_OPTIONS(AW_WAIT_OPTION),
    .needs_joints = true, .safety = AW_MOTION, .run = aw_run_jog,
    .details = "Without an amount, the arrow keys or + and - move the joint, Page Up and Page "
        "Down change the step, and q quits."};

const struct aw_command aw_stop_command = {
    .name = "stop", .group = AW_GROUP_MOVE, .summary = "stop all motion", .needs_joints = true,
    .safety = AW_READ, .run = run_stop, .examples = AW_LIST("-l sim: stop")};
/* clang-format on */
