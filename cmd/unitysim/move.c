/* unitysim move and jog: joints to goals by feedback, with velocity and tolerance as options say.
 */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/number.h"
#include "base/suggest.h"
#include "shell/commands/jog.h"
#include "shell/core/dry.h"
#include "state.h"

/* Pairs that are no joint's. */
static const char *const settings[] = {"velocity", "tolerance", "timeout"};

enum { VELOCITY, TOLERANCE, TIMEOUT, SETTINGS };

struct request {
    struct aw_unitysim_move move;
    const char *text[SETTINGS]; /* NULL: not given */
};

static enum aw_status parse_goal(struct aw_session *session, const struct aw_bound *bound,
                                 struct request *request)
{
    const struct aw_unitysim_limits *limits = &unity_of(session)->options.limits;
    char name[48];
    double ticks;
    int joint;
    unity_pair_name(bound, name);
    const char *near =
        aw_unitysim_joint_find(name) < 0 ? aw_suggest(name, settings, SETTINGS) : NULL;
    if (near)
        return aw_fail(&session->err, AW_USAGE, "move: no '%s' — did you mean '%s'?", name, near);
    enum aw_status status = aw_unitysim_joint_parse(name, &joint, &session->err);
    if (status == AW_OK)
        status = aw_unitysim_position_parse(joint, bound->text, limits, &ticks, &session->err);
    if (status == AW_OK && fabs(ticks) > UINT16_MAX)
        return aw_fail(&session->err, AW_LIMIT, "%s: %.9g ticks is more than the wire carries",
                       name, ticks);
    if (status == AW_OK)
        aw_unitysim_move_to(&request->move, joint, (int)lround(ticks));
    return status;
}

static enum aw_status parse_pairs(struct aw_session *session, const struct aw_args *args,
                                  struct request *request)
{
    enum aw_status status = AW_OK;
    bool any = false;
    for (size_t i = 0; i < args->n && status == AW_OK; i++) {
        char name[48];
        int setting = 0;
        unity_pair_name(&args->bound[i], name);
        while (setting < SETTINGS && strcmp(settings[setting], name) != 0)
            setting++;
        if (setting < SETTINGS)
            request->text[setting] = args->bound[i].text;
        else
            status = parse_goal(session, &args->bound[i], request);
        any = any || setting == SETTINGS;
    }
    if (status == AW_OK && !any)
        return aw_fail(&session->err, AW_USAGE, "move: which joint? — move elbow=2135 hand=30deg");
    return status;
}

/* "45" or "30deg/s", checked against the cap of the joint. */
static enum aw_status set_velocity(struct aw_session *session, const char *text, int joint,
                                   struct aw_unitysim_goal *goal)
{
    struct aw_unitysim_drive drive;
    enum aw_status status =
        aw_unitysim_drive_parse(joint, text, aw_flag(session, "force"), &drive, &session->err);
    if (status == AW_OK && (drive.state != AW_UNITYSIM_INCREASE || drive.velocity == 0))
        return aw_fail(&session->err, AW_USAGE,
                       "velocity: '%.20s' — a speed without sign is needed, like 45 or 30deg/s",
                       text);
    goal->velocity = drive.velocity;
    return status;
}

static enum aw_status number(struct aw_session *session, const char *name, const char *text,
                             const char *unit, double min, double max, double *value)
{
    struct aw_error why;
    enum aw_status status = aw_number_parse_unit(text, unit, value, &why);
    if (status != AW_OK)
        return aw_fail(&session->err, status, "%s: %s", name, why.text);
    if (*value < min || *value > max)
        return aw_fail(&session->err, AW_LIMIT, "%s: %g is outside %g to %g", name, *value, min,
                       max);
    return AW_OK;
}

static enum aw_status apply_settings(struct aw_session *session, struct request *request)
{
    double tolerance = 0, seconds = (double)unity_patience_ns(session, 10) / 1e9;
    enum aw_status status = AW_OK;
    if (request->text[TOLERANCE])
        status =
            number(session, "tolerance", request->text[TOLERANCE], "tick", 1, 1000, &tolerance);
    if (status == AW_OK && request->text[TIMEOUT])
        status = number(session, "timeout", request->text[TIMEOUT], "s", 0.001, 1e6, &seconds);
    request->move.timeout_ns = (int64_t)(seconds * 1e9);
    for (int i = 0; i < AW_UNITYSIM_JOINTS && status == AW_OK; i++) {
        struct aw_unitysim_goal *goal = &request->move.goals[i];
        goal->tolerance = (int)lround(tolerance);
        if (goal->wanted && request->text[VELOCITY])
            status = set_velocity(session, request->text[VELOCITY], i, goal);
    }
    return status;
}

/* The joint that has the longest way to go. */
static void tell(struct aw_session *session, const void *context)
{
    const struct aw_unitysim_goal *goals = ((const struct request *)context)->move.goals;
    const int *position = unity_of(session)->feedback.position;
    int far = -1, most = -1;
    for (int i = 0; i < AW_UNITYSIM_JOINTS; i++) {
        int way = goals[i].wanted ? abs(goals[i].position - position[i]) : -1;
        far = way > most ? i : far;
        most = way > most ? way : most;
    }
    if (far >= 0)
        aw_session_work(session, "%s %.0f s, %s %d of %d ticks", session->run.command->name,
                        aw_session_seconds(session), aw_unitysim_joint_name(far), position[far],
                        goals[far].position);
}

static enum aw_status move(struct aw_session *session, const char *verb,
                           const struct request *request)
{
    struct aw_unitysim *unity = unity_of(session);
    struct aw_unitysim_counters before = unity->counters;
    aw_session_moves(session);
    aw_session_work_while(session, tell, request);
    enum aw_status status =
        aw_unitysim_move(unity, &request->move, unity_notice, session, &session->err);
    aw_session_work_while(session, NULL, NULL);
    aw_object_start(&session->result, verb);
    aw_object_text(&session->result, "result", status == AW_OK ? "arrived" : "not-reached");
    status = unity_end_motion(session, status);
    unity_notice_losses(session, &before);
    for (int i = 0; i < AW_UNITYSIM_JOINTS; i++)
        if (request->move.goals[i].wanted)
            unity_report_joint(session, i);
    aw_object_number(&session->result, "ms",
                     (double)(aw_clock_now(session->clock) - session->run.started) / 1e6, 1, NULL);
    return status;
}

enum aw_status run_move(struct aw_session *session, const struct aw_args *args)
{
    struct request request = {0};
    enum aw_status status = unity_ready_to_make(session);
    if (status == AW_OK)
        status = parse_pairs(session, args, &request);
    if (status == AW_OK)
        status = apply_settings(session, &request);
    if (status == AW_OK)
        status = aw_unitysim_move_check(unity_of(session), &request.move, &session->err);
    if (status == AW_OK && aw_flag(session, "dry-run")) {
        /* Which way a joint has to go is known only from feedback: there are no bytes to show. */
        aw_object_start(&session->result, "move");
        aw_object_truth(&session->result, "dry_run", true);
        for (int i = 0; i < AW_UNITYSIM_JOINTS; i++)
            if (request.move.goals[i].wanted)
                unity_report_ticks(session, i, request.move.goals[i].position);
        return AW_OK;
    }
    if (status == AW_OK)
        status = unity_feedback(session);
    return status == AW_OK ? move(session, "move", &request) : status;
}

/* ---- jog ---------------------------------------------------------------------------------------
 */

/* From where the feedback shows the joint, in ticks. */
static enum aw_status go(struct aw_jog *jog, double change)
{
    struct aw_unitysim *unity = unity_of(jog->session);
    struct request request = {0};
    int joint = *(const int *)jog->context;
    double goal = unity->feedback.position[joint] + change;
    if (goal < 0 || goal > UINT16_MAX)
        return aw_fail(&jog->session->err, AW_LIMIT, "%s: %.9g ticks is more than the wire carries",
                       jog->name, goal);
    aw_unitysim_move_to(&request.move, joint, (int)lround(goal));
    request.move.goals[joint].tolerance = 3; /* a small step is a step, too */
    request.move.timeout_ns = unity_patience_ns(jog->session, 10);
    enum aw_status status = aw_unitysim_move_check(unity, &request.move, &jog->session->err);
    return status == AW_OK ? move(jog->session, "jog", &request) : status;
}

/* "+20" or "20tick", or "+5deg", which is no place here but a way; NaN without one. */
static enum aw_status jog_amount(struct aw_session *session, const char *text, double *ticks)
{
    bool angle = text && !strstr(text, "tick") && aw_number_parse(text, ticks, NULL) != AW_OK;
    enum aw_status status = aw_jog_amount(session, text, angle ? "deg" : "tick", ticks);
    if (angle)
        *ticks *= AW_UNITYSIM_TURN / 360.0;
    return status;
}

enum aw_status run_jog(struct aw_session *session, const struct aw_args *args)
{
    struct aw_jog jog = {
        .session = session, .unit = "ticks", .step = 50, .least = 10, .most = 400, .go = go};
    double change = NAN;
    int joint;
    enum aw_status status =
        aw_unitysim_joint_parse(aw_arg(args, "joint", 0), &joint, &session->err);
    if (status == AW_OK)
        status = jog_amount(session, aw_arg(args, "amount", 0), &change);
    if (status == AW_OK && aw_flag(session, "dry-run"))
        return aw_dry_depends(session, "where the joint is");
    if (status == AW_OK)
        status = unity_ready_with_feedback(session);
    if (status != AW_OK)
        return status;
    jog.name = aw_unitysim_joint_name(joint);
    jog.context = &joint;
    jog.value = unity_of(session)->feedback.position[joint];
    return isnan(change) ? aw_jog_keys(&jog) : go(&jog, change);
}
