/* unitysim drive, control and stop: joint velocities sent as a stream until something ends it. */
#include <stdio.h>
#include <string.h>

#include "protocol/unitysim/fields.h"
#include "shell/core/stop.h"
#include "state.h"

static enum aw_status parse(struct aw_session *session, const struct aw_args *args,
                            struct aw_unitysim_drive drives[AW_UNITYSIM_JOINTS], unsigned *named)
{
    enum aw_status status = AW_OK;
    bool force = aw_flag(session, "force");
    *named = 0;
    for (size_t i = 0; i < args->n && status == AW_OK; i++) {
        int joint;
        status = unity_pair_joint(session, &args->bound[i], &joint);
        if (status == AW_OK)
            status = aw_unitysim_drive_parse(joint, args->bound[i].text, force, &drives[joint],
                                             &session->err);
        if (status == AW_OK)
            *named |= 1u << joint;
    }
    if (status == AW_OK && *named == 0 && !aw_flag(session, "follow"))
        return aw_fail(&session->err, AW_USAGE, "drive: which joint? — drive elbow=+45 hand=open");
    return status;
}

/* Joints that are not named are stopped: a latched command of an earlier client ends here. */
static void latch(struct aw_unitysim *unity,
                  const struct aw_unitysim_drive drives[AW_UNITYSIM_JOINTS])
{
    for (int i = 0; i < AW_UNITYSIM_JOINTS; i++)
        aw_unitysim_drive(unity, i, drives[i]);
}

static enum aw_status dry_run(struct aw_session *session,
                              const struct aw_unitysim_drive drives[AW_UNITYSIM_JOINTS])
{
    struct aw_unitysim *unity = unity_of(session);
    struct aw_record record;
    memcpy(unity->drive, drives, sizeof unity->drive);
    aw_unitysim_control_record(unity, &record);
    return unity_dry_run(session, &record);
}

/* The first packet leaves at once; whether anybody listens shows a moment later. */
static enum aw_status stream(struct aw_session *session, int64_t deadline)
{
    struct aw_unitysim *unity = unity_of(session);
    if (aw_flag(session, "follow"))
        return unity_follow(session, deadline);
    int64_t soon = aw_clock_now(session->clock) + AW_SECOND / 2;
    enum aw_status status = unity_run(session, soon < deadline ? soon : deadline);
    if (status == AW_OK && unity->feedback.count == 0 && soon < deadline)
        aw_session_notice(session, "no feedback: is a scene loaded? ('%s scene basic')",
                          session->tool->name);
    return status == AW_OK ? unity_run(session, deadline) : status;
}

static void report(struct aw_session *session, unsigned named)
{
    aw_object_text(&session->result, "result", "stopped");
    for (int i = 0; i < AW_UNITYSIM_JOINTS; i++)
        if (named & 1u << i || named == 0)
            unity_report_joint(session, i);
}

enum aw_status run_drive(struct aw_session *session, const struct aw_args *args)
{
    struct aw_unitysim_drive drives[AW_UNITYSIM_JOINTS] = {{0}};
    double seconds = aw_option_number(session, "for");
    unsigned named;
    enum aw_status status = parse(session, args, drives, &named);
    if (status == AW_OK)
        status = unity_ready_to_make(session);
    if (status == AW_OK && aw_flag(session, "dry-run"))
        return dry_run(session, drives);
    if (status == AW_OK)
        status = aw_unitysim_drain(unity_of(session), &session->err);
    if (status != AW_OK)
        return status;
    struct aw_unitysim_counters before = unity_of(session)->counters;
    aw_session_moves(session);
    latch(unity_of(session), drives);
    if (seconds <= 0)
        aw_stop_watch_input(session);
    status = stream(session, aw_session_end(session));
    if (aw_stop_input_ended(session) && status == AW_STOPPED)
        status = AW_OK;
    aw_object_start(&session->result, "drive");
    status = unity_end_motion(session, status);
    unity_notice_losses(session, &before);
    if (status == AW_OK)
        report(session, named);
    return status;
}

static struct aw_unitysim_drive drive_of(const struct aw_record *record, int joint)
{
    const struct aw_codec *codec = record->codec;
    return (struct aw_unitysim_drive){
        .velocity = (int)record->v[aw_unitysim_scalar(codec, joint, "velocity")],
        .state = (enum aw_unitysim_state)record->v[aw_unitysim_scalar(codec, joint, "state")],
    };
}

/* A record of a control packet holds until the next one; the end of the script stops the joints. */
enum aw_status run_control(struct aw_session *session, const struct aw_args *args)
{
    struct aw_record record;
    enum aw_status status = unity_ready_to_make(session);
    if (status != AW_OK)
        return status;
    struct aw_unitysim *unity = unity_of(session);
    aw_record_init(&record, unity->control, AW_TX);
    status = unity_read_fields(session, args, &record);
    if (status == AW_OK && aw_flag(session, "dry-run"))
        return unity_dry_run(session, &record);
    if (status != AW_OK)
        return status;
    aw_session_moves(session);
    for (int i = 0; i < AW_UNITYSIM_JOINTS; i++)
        aw_unitysim_drive(unity, i, drive_of(&record, i));
    status = unity_run(session, aw_clock_now(session->clock) + AW_UNITYSIM_CADENCE_NS);
    if (status != AW_OK || session->one_shot)
        return unity_end_motion(session, status);
    session->moving = false;
    session->ongoing = AW_ONGOING_RUNNING;
    aw_unitysim_leave(unity);
    aw_object_start(&session->result, "control");
    aw_object_text(&session->result, "result", "sent");
    return AW_OK;
}

static enum aw_status dry_stop(struct aw_session *session)
{
    struct aw_record record;
    aw_unitysim_control_record(unity_of(session), &record);
    return unity_dry_run(session, &record);
}

enum aw_status run_stop(struct aw_session *session, const struct aw_args *args)
{
    (void)args;
    enum aw_status status = unity_ready_to_make(session);
    if (status == AW_OK && aw_flag(session, "dry-run"))
        return dry_stop(session);
    if (status == AW_OK)
        status = unity_stop(session);
    aw_object_start(&session->result, "stop");
    if (status == AW_OK)
        aw_object_text(&session->result, "result", "stopped");
    return status;
}
