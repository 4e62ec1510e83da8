/* hidmotor move, home, jog and stop: targets read, checked and sent, and the arm awaited. */
#include <math.h>
#include <string.h>

#include "base/text.h"
#include "protocol/hidmotor/kinematics.h"
#include "shell/commands/jog.h"
#include "shell/core/dry.h"
#include "shell/core/stop.h"
#include "state.h"

#define USUAL_DURATION_MS 1000
#define KEY_DURATION_MS   200 /* of a step of the keys of jog */
#define PATIENCE_S        10  /* beyond the duration of a motion, until it counts as not done */
#define REST_S            1   /* the arm is behind its setpoint, which has arrived */
#define LONG_S            30  /* a wait that a person wants to know of before it is over */

static enum aw_status check_shape(struct aw_session *session, const struct aw_args *args,
                                  const struct aw_record *record)
{
    double duration_ms, mode = aw_record_get(record, "mode");
    if (aw_arg(args, "mode", 0) && mode != AW_HIDMOTOR_LINEAR && mode != AW_HIDMOTOR_SINUSOIDAL)
        return aw_fail(&session->err, AW_LIMIT, "%s: mode %.9g — linear (0) or sinusoidal (1)",
                       args->command->name, mode);
    return aw_arg_number(session, args, "duration", &duration_ms);
}

enum aw_status motor_target(struct aw_session *session, const struct aw_args *args,
                            struct aw_hidmotor_target *target)
{
    struct aw_record record;
    bool force = aw_flag(session, "force");
    aw_session_command(session, "set_setpoints", &record);
    enum aw_status status = aw_args_to_record(session, args, 0, &record);
    if (status == AW_OK)
        status = check_shape(session, args, &record);
    if (status != AW_OK)
        return status;
    target->duration_ms =
        aw_arg(args, "duration", 0) ? aw_record_get(&record, "duration") : USUAL_DURATION_MS;
    target->mode = aw_arg(args, "mode", 0) ? (enum aw_hidmotor_mode)aw_record_get(&record, "mode")
                                           : AW_HIDMOTOR_SINUSOIDAL;
    for (int i = 0; i < AW_HIDMOTOR_JOINTS && status == AW_OK; i++) {
        double deg = aw_record_get(&record, aw_hidmotor_joint(i).name);
        target->given[i] = !isnan(deg);
        target->deg[i] = target->given[i] ? deg : 0;
        status = aw_hidmotor_check(i, target->deg[i], force || !target->given[i], &session->err);
    }
    return status;
}

static void make_record(struct aw_session *session, const struct aw_hidmotor_plan *plan,
                        struct aw_record *command)
{
    aw_session_command(session, "set_setpoints", command);
    aw_record_set(command, "duration", plan->duration_ms, NULL);
    aw_record_set(command, "mode", plan->mode, NULL);
    for (int i = 0; i < AW_HIDMOTOR_JOINTS; i++)
        aw_record_set(command, aw_hidmotor_joint(i).name, plan->target[i], NULL);
}

enum aw_status motor_show(struct aw_session *session, const struct aw_hidmotor_plan *plan,
                          int64_t time_ns)
{
    struct aw_record command;
    uint8_t report[AW_HIDMOTOR_REPORT];
    make_record(session, plan, &command);
    command.time_ns = time_ns;
    aw_hidmotor_plan_bytes(plan, report);
    return aw_session_dry_run(session, &command, (struct aw_span){report, sizeof report});
}

/* Without the board the setpoints are not known: only all three joints can be shown. */
enum aw_status motor_dry_run(struct aw_session *session, const struct aw_hidmotor_target *target,
                             int64_t time_ns)
{
    static const struct aw_hidmotor_status nowhere = {.n = AW_HIDMOTOR_JOINTS};
    struct aw_hidmotor_plan plan;
    for (int i = 0; i < AW_HIDMOTOR_JOINTS; i++)
        if (!target->given[i] || target->relative)
            return aw_dry_depends(session, "where the arm is");
    enum aw_status status =
        aw_hidmotor_plan_from(&nowhere, target, aw_flag(session, "force"), &plan, &session->err);
    return status == AW_OK ? motor_show(session, &plan, time_ns) : status;
}

enum aw_status motor_send(struct aw_session *session, struct aw_hidmotor_plan *plan)
{
    struct aw_record command;
    struct aw_hidmotor_moved moved = {0};
    make_record(session, plan, &command);
    enum aw_status status = aw_session_announce(session, &command);
    if (status != AW_OK)
        return status;
    aw_session_moves(session);
    status = aw_hidmotor_move(motor_arm(session), plan, &moved, &session->err);
    if (status == AW_OK && moved.verified)
        aw_session_notice(session, "no reply, but the setpoints show that the board got it");
    return status;
}

static void tell(struct aw_session *session, const void *context)
{
    const struct aw_hidmotor_plan *plan = context;
    const struct aw_hidmotor_status *known = &motor_arm(session)->known;
    aw_session_work(session, "%s %.0f of %.0f s, %s %.1f of %.1f deg", session->run.command->name,
                    aw_session_seconds(session), fmax(0, plan->duration_ms) / 1000,
                    aw_hidmotor_joint(plan->fastest).alias, known->position[plan->fastest],
                    plan->target[plan->fastest]);
}

/* A board that does not answer may have got all the same what moves it; one that answers, and is
 * not there in time, holds what it was told. */
static bool is_silent(struct aw_session *session, enum aw_status status)
{
    int64_t since = aw_clock_now(session->clock) - motor_arm(session)->known.time_ns;
    return status == AW_TIMEOUT && since > 2 * AW_HIDMOTOR_POLL_NS;
}

enum aw_status motor_await(struct aw_session *session, const struct aw_hidmotor_plan *plan,
                           double tolerance_deg)
{
    double seconds = fmax(0, plan->duration_ms) / 1000;
    int64_t deadline = aw_clock_after(aw_clock_now(session->clock), seconds + PATIENCE_S);
    static const struct {
        double most_s, scale_s;
        const char *unit;
    } units[] = {{120, 1, "s"}, {7200, 60, "min"}, {INFINITY, 3600, "h"}};
    size_t i = 0;
    while (seconds > units[i].most_s)
        i++;
    if (seconds > LONG_S)
        aw_session_notice(session, "the motion takes %.3g %s; Ctrl-C stops it",
                          seconds / units[i].scale_s, units[i].unit);
    aw_session_work_while(session, tell, plan);
    enum aw_status status = aw_hidmotor_wait(motor_arm(session), plan, tolerance_deg, deadline,
                                             NULL, NULL, &session->err);
    aw_session_work_while(session, NULL, NULL);
    session->motion.moving =
        status == AW_STOPPED || status == AW_LOST || is_silent(session, status);
    return status;
}

static void report(struct aw_session *session, const char *cmd, const struct aw_hidmotor_plan *plan,
                   enum aw_status status, bool waited)
{
    double ms = (double)(aw_clock_now(session->clock) - session->run.started) / 1e6;
    aw_object_start(&session->result, cmd);
    aw_object_text(&session->result, "result",
                   status != AW_OK ? "not-reached"
                   : waited        ? "arrived"
                                   : "sent");
    if (waited)
        motor_report_joints(session);
    else {
        for (int i = 0; i < plan->n && i < AW_HIDMOTOR_JOINTS; i++)
            aw_object_number(&session->result, aw_hidmotor_joint(i).name, plan->target[i], 2,
                             "deg");
    }
    aw_object_number(&session->result, "ms", ms, 1, NULL);
}

void motor_leave(struct aw_session *session, const struct aw_record *command)
{
    const char *name = command->codec->message->name;
    if (strcmp(name, "set_setpoints") == 0)
        aw_session_ends_in(session, fmax(0, aw_record_get(command, "duration")) / 1000 + REST_S);
    else if (strcmp(name, "set_velocity") == 0)
        session->motion.ongoing = AW_ONGOING_RUNNING; /* the setpoints of a stop end it */
}

enum aw_status motor_replay_allow(struct aw_session *session, const struct aw_record *command)
{
    static const char *const motions[] = {"set_setpoints", "set_velocity", NULL};
    if (!command)
        motor_state(session)->replayed.codec = NULL;
    else if (aw_is_one_of(motions, command->codec->message->name))
        motor_state(session)->replayed = *command;
    return AW_OK;
}

enum aw_status motor_replay_end(struct aw_session *session)
{
    if (motor_state(session)->replayed.codec)
        motor_leave(session, &motor_state(session)->replayed);
    motor_state(session)->replayed.codec = NULL;
    return AW_OK;
}

enum aw_status motor_go(struct aw_session *session, const char *cmd,
                        const struct aw_hidmotor_target *target)
{
    struct aw_hidmotor_plan plan;
    bool waits = aw_flag(session, "wait");
    if (aw_flag(session, "dry-run"))
        return motor_dry_run(session, target, AW_NO_TIME);
    enum aw_status status = motor_ready(session);
    if (status == AW_OK)
        status = aw_hidmotor_plan(motor_arm(session), target, &plan, &session->err);
    if (status != AW_OK)
        return status;
    const char *joint = aw_hidmotor_joint(plan.fastest).alias;
    double speed = plan.speed[plan.fastest];
    if (plan.fast && isinf(speed))
        aw_session_notice(session, "%s: the setpoint jumps, the servo goes as fast as it can",
                          joint);
    else if (plan.fast)
        aw_session_notice(session, "%s: %.0f deg/s at most, but servos do about %.0f — it will lag",
                          joint, speed, AW_HIDMOTOR_FAST);
    status = motor_send(session, &plan);
    if (status == AW_OK && waits)
        status = motor_await(session, &plan, aw_option_number(session, "wait"));
    session->motion.moving =
        session->motion.moving && (status == AW_STOPPED || is_silent(session, status));
    session->motion.ongoing = AW_ONGOING_NOTHING;
    if (status == AW_OK && !waits) {
        struct aw_record command;
        make_record(session, &plan, &command);
        motor_leave(session, &command);
    }
    report(session, cmd, &plan, status, waits);
    return status;
}

enum aw_status run_move(struct aw_session *session, const struct aw_args *args)
{
    struct aw_hidmotor_target target = {0};
    enum aw_status status = motor_target(session, args, &target);
    if (status == AW_OK && !target.given[0] && !target.given[1] && !target.given[2])
        return aw_fail(&session->err, AW_USAGE,
                       "move: which joint? — move 0 45 -30, or move elbow=30");
    return status == AW_OK ? motor_go(session, "move", &target) : status;
}

enum aw_status run_home(struct aw_session *session, const struct aw_args *args)
{
    struct aw_hidmotor_target target = {0};
    enum aw_status status = motor_target(session, args, &target);
    for (int i = 0; i < AW_HIDMOTOR_JOINTS; i++)
        target.given[i] = true;
    return status == AW_OK ? motor_go(session, "home", &target) : status;
}

/* A step of the keys, which the arm is on its way of when the next one may come. */
static enum aw_status jog_step(struct aw_jog *jog, double change)
{
    struct aw_session *session = jog->session;
    struct aw_hidmotor_target *target = jog->context;
    target->deg[aw_hidmotor_find_joint(jog->name)] = change;
    enum aw_status status = motor_go(session, "jog", target);
    if (status == AW_OK)
        status =
            aw_clock_sleep(session->clock, aw_clock_after(aw_clock_now(session->clock),
                                                          fmax(0, target->duration_ms) / 1000));
    return status;
}

static enum aw_status jog_keys(struct aw_session *session, const struct aw_args *args, int joint,
                               struct aw_hidmotor_target *target)
{
    struct aw_hidmotor_status now;
    if (!aw_arg(args, "duration", 0))
        target->duration_ms = KEY_DURATION_MS;
    enum aw_status status = motor_ready(session);
    if (status == AW_OK)
        status = aw_hidmotor_status(motor_arm(session), &now, &session->err);
    if (status != AW_OK)
        return status;
    return aw_jog_keys(&(struct aw_jog){.session = session,
                                        .name = aw_hidmotor_joint(joint).alias,
                                        .unit = "deg",
                                        .value = now.setpoint[joint],
                                        .step = 5,
                                        .least = 1,
                                        .most = 20,
                                        .go = jog_step,
                                        .context = target});
}

enum aw_status run_jog(struct aw_session *session, const struct aw_args *args)
{
    struct aw_hidmotor_target target = {0};
    const char *name = aw_arg(args, "joint", 0), *amount = aw_arg(args, "amount", 0);
    int joint = aw_hidmotor_find_joint(name);
    double deg = 0;
    if (joint < 0)
        return aw_fail(&session->err, AW_USAGE,
                       "jog: no joint '%.24s' — m1 m2 m3, or base shoulder elbow", name);
    enum aw_status status = aw_jog_amount(session, amount, "deg", &deg);
    if (status == AW_OK)
        status = motor_target(session, args, &target);
    target.relative = true;
    target.given[joint] = true;
    target.deg[joint] = deg;
    if (status != AW_OK)
        return status;
    return amount ? motor_go(session, "jog", &target) : jog_keys(session, args, joint, &target);
}

static enum aw_status stop(struct aw_session *session, struct aw_hidmotor_stopped *stopped)
{
    enum aw_status status = aw_hidmotor_stop(motor_arm(session), stopped, &session->err);
    if (status == AW_OK) {
        session->motion.moving = false;
        session->motion.ongoing = AW_ONGOING_NOTHING;
    }
    return status;
}

/* As many as the board is known to have. */
static int count_joints(struct aw_session *session)
{
    int n = motor_arm(session)->known.n;
    return n > 0 && n < AW_HIDMOTOR_JOINTS ? n : AW_HIDMOTOR_JOINTS;
}

enum aw_status run_stop(struct aw_session *session, const struct aw_args *args)
{
    struct aw_hidmotor_stopped stopped = {0};
    (void)args;
    if (aw_flag(session, "dry-run"))
        return aw_dry_depends(session, "where the arm is");
    enum aw_status status = motor_ready(session);
    if (status == AW_OK)
        status = stop(session, &stopped);
    if (status != AW_OK)
        return status;
    aw_object_start(&session->result, "stop");
    aw_object_text(&session->result, "result", stopped.confirmed ? "confirmed" : "sent");
    for (int i = 0; i < count_joints(session); i++)
        aw_object_number(&session->result, aw_hidmotor_joint(i).name, stopped.deg[i], 2, "deg");
    aw_object_truth(&session->result, "measured", stopped.measured);
    return AW_OK;
}

void motor_last_stop(struct aw_session *session, aw_frame_fn *add, void *context)
{
    aw_hidmotor_last_stop(motor_arm(session), add, context);
}

enum aw_status motor_safe_stop(struct aw_session *session)
{
    struct aw_hidmotor_stopped s = {0};
    enum aw_status status = stop(session, &s);
    struct aw_error why = session->err;
    char at[64] = "";
    for (int i = 0; i < count_joints(session); i++)
        aw_append(at, sizeof at, "", " %.1f", s.deg[i]);
    if (status != AW_OK)
        return aw_fail(&session->err, status, "%s: %s",
                       s.attempts ? "stop sent, not confirmed" : "NOT stopped", why.text);
    if (!s.confirmed)
        return aw_fail(&session->err, AW_STOPPED,
                       "stop sent, to hold%s deg; its confirmation was not waited for", at);
    aw_stop_did(session, "holding%s deg", at);
    return AW_OK;
}
