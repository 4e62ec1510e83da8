/* Sends and prints hidmotor's setpoints, tracks ongoing motions, and stops. */
#include <math.h>
#include <string.h>

#include "base/text.h"
#include "shell/safety/safety.h"
#include "shell/safety/stop.h"
#include "state.h"

#define REST_S 1 /* time that the arm lags behind its finished setpoint, s */

static void make_record(struct aw_session *session, const struct aw_hidmotor_plan *plan,
                        struct aw_record *command)
{
    aw_session_init_command(session, "set_setpoints", command);
    aw_record_set(command, "duration", plan->duration_ms, NULL);
    aw_record_set(command, "mode", plan->mode, NULL);
    for (int i = 0; i < AW_HIDMOTOR_JOINTS; i++)
        aw_record_set(command, aw_hidmotor_joint(i).name, plan->target[i], NULL);
}

/* Without the board the setpoints are unknown, so only plans for all three joints can be shown. */
enum aw_status hidmotor_dry_run(struct aw_session *session, const struct aw_hidmotor_target *target,
                                int64_t time_ns)
{
    static const struct aw_hidmotor_status unknown = {.n = AW_HIDMOTOR_JOINTS};
    struct aw_hidmotor_plan plan;
    struct aw_record command;
    for (int i = 0; i < AW_HIDMOTOR_JOINTS; i++)
        if (!target->given[i])
            return aw_dry_run_depends(session, "the position of the arm");
    enum aw_status status =
        aw_hidmotor_plan_from(&unknown, target, session->options.run.force, &plan, &session->err);
    if (status != AW_OK)
        return status;
    make_record(session, &plan, &command);
    command.time_ns = time_ns;
    return aw_transmit_show(session, &command);
}

enum aw_status hidmotor_send_plan(struct aw_session *session, struct aw_hidmotor_plan *plan)
{
    struct aw_record command;
    bool verified = false;
    make_record(session, plan, &command);
    enum aw_status status = aw_session_announce(session, &command);
    if (status != AW_OK)
        return status;
    aw_session_start_motion(session);
    status = aw_hidmotor_move(hidmotor_arm(session), plan, &verified, &session->err);
    if (status == AW_OK && verified)
        aw_session_print_notice(
            session,
            "no reply, but the setpoints confirm the command — check the link with 'ping'");
    return status;
}

void hidmotor_note_motion(struct aw_session *session, const struct aw_record *command)
{
    const char *name = command->codec->message->name;
    if (strcmp(name, "set_setpoints") == 0)
        aw_session_set_end(session, fmax(0, aw_record_get(command, "duration")) / 1000 + REST_S);
    else if (strcmp(name, "set_velocity") == 0)
        session->motion.ongoing = AW_ONGOING_RUNNING; /* the setpoints of a stop end it */
}

void hidmotor_note_plan(struct aw_session *session, const struct aw_hidmotor_plan *plan)
{
    struct aw_record command;
    make_record(session, plan, &command);
    hidmotor_note_motion(session, &command);
}

enum aw_status hidmotor_replay_allow(struct aw_session *session, const struct aw_record *command)
{
    if (!command)
        hidmotor_state(session)->replayed.codec = NULL;
    else if (command->codec->message->drives)
        hidmotor_state(session)->replayed = *command;
    return AW_OK;
}

enum aw_status hidmotor_replay_end(struct aw_session *session)
{
    if (hidmotor_state(session)->replayed.codec)
        hidmotor_note_motion(session, &hidmotor_state(session)->replayed);
    hidmotor_state(session)->replayed.codec = NULL;
    return AW_OK;
}

static enum aw_status stop_arm(struct aw_session *session, struct aw_hidmotor_stopped *stopped)
{
    enum aw_status status = aw_hidmotor_stop(hidmotor_arm(session), stopped, &session->err);
    if (status == AW_OK && stopped->confirmed)
        status = aw_gains_restore(session);
    if (status == AW_OK) {
        session->motion.moving = false;
        session->motion.ongoing = AW_ONGOING_NOTHING;
    }
    if (status == AW_OK || stopped->confirmed) /* confirmed, but the gains were not restored */
        return status;
    struct aw_error cause = session->err;
    return aw_fail(&session->err, status, "%s: %s",
                   stopped->attempts ? "stop sent, not confirmed" : "NOT stopped", cause.text);
}

/* Returns the number of joints of the board, at most AW_HIDMOTOR_JOINTS, also if it is unknown. */
static int count_joints(struct aw_session *session)
{
    int n = hidmotor_arm(session)->latest.n;
    return n > 0 && n < AW_HIDMOTOR_JOINTS ? n : AW_HIDMOTOR_JOINTS;
}

enum aw_status run_stop(struct aw_session *session, const struct aw_args *args)
{
    struct aw_hidmotor_stopped stopped = {0};
    (void)args;
    if (session->options.run.dry_run)
        return aw_dry_run_depends(session, "the position of the arm");
    enum aw_status status = hidmotor_open(session);
    if (status == AW_OK)
        status = stop_arm(session, &stopped);
    if (status != AW_OK)
        return status;
    aw_object_start(&session->result, "stop");
    aw_object_add_text(&session->result, "result", stopped.confirmed ? "confirmed" : "sent");
    for (int i = 0; i < count_joints(session); i++)
        aw_object_add_number(&session->result, aw_hidmotor_joint(i).name, stopped.deg[i], 2, "deg");
    aw_object_add_truth(&session->result, "measured", stopped.measured);
    return AW_OK;
}

void hidmotor_last_stop(struct aw_session *session, aw_frame_fn *add, void *context)
{
    aw_hidmotor_last_stop(hidmotor_arm(session), add, context);
    aw_settings_add_old(session, add, context);
}

enum aw_status hidmotor_safe_stop(struct aw_session *session)
{
    struct aw_hidmotor_stopped s = {0};
    enum aw_status status = stop_arm(session, &s);
    char positions[64] = "";
    for (int i = 0; i < count_joints(session); i++)
        aw_append(positions, sizeof positions, "", " %.1f", s.deg[i]);
    if (status != AW_OK)
        return status;
    if (!s.confirmed)
        return aw_fail(
            &session->err, AW_STOPPED,
            "stop sent (hold at%s deg), not confirmed: interrupted while waiting — check that "
            "the arm has stopped",
            positions);
    aw_stop_set_effect(session, "holding%s deg", positions);
    return AW_OK;
}
