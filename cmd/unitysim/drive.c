/* unitysim drive, control and stop: joint velocities sent as a stream until something ends it. */
#include <stdio.h>
#include <string.h>

#include "protocol/unitysim/fields.h"
#include "shell/safety/safety.h"
#include "shell/safety/stop.h"
#include "state.h"

static enum aw_status parse_drives(struct aw_session *session, const struct aw_args *args,
                                   struct aw_unitysim_drive drives[AW_UNITYSIM_JOINTS],
                                   unsigned *joints)
{
    *joints = 0;
    for (size_t i = 0; i < args->n; i++) {
        struct aw_unitysim_drive drive;
        int joint;
        enum aw_status status = unitysim_parse_drive(session, &args->bound[i], &joint, &drive);
        if (status != AW_OK)
            return status;
        drives[joint] = drive;
        *joints |= 1u << joint;
    }
    return *joints ? AW_OK
                   : aw_fail(&session->err, AW_USAGE,
                             "drive: no joint given — write 'drive elbow=+45 hand=open'");
}

/* Prints the progress of the first driven joint. */
static void show_progress(struct aw_session *session, const void *context)
{
    const struct aw_unitysim *unity = context;
    double seconds = session->options.run.for_s;
    char total[32] = "";
    int i = 0;
    while (i < AW_UNITYSIM_JOINTS - 1 && unity->drive[i].velocity == 0)
        i++;
    if (seconds > 0)
        snprintf(total, sizeof total, " of %.0f", seconds);
    aw_session_show_progress(session, "drive %.0f%s s, %s %d ticks", aw_session_seconds(session),
                             total, aw_unitysim_joint_name(i), unity->feedback.position[i]);
}

/* Sends the first packet at once; a closed port reports its error a moment later. */
static enum aw_status stream_drives(struct aw_session *session, int64_t deadline)
{
    struct aw_unitysim *unity = unitysim_client(session);
    aw_session_repeat_progress(session, show_progress, unity);
    int64_t first_check_ns = aw_clock_now(session->clock) + AW_SECOND / 2;
    enum aw_status status = unitysim_run(session, aw_min_time(first_check_ns, deadline));
    if (status == AW_OK && unity->feedback.count == 0 && first_check_ns < deadline)
        aw_session_print_notice(session, "no feedback — load a scene: %s scene basic",
                                session->tool->name);
    return status == AW_OK ? unitysim_run(session, deadline) : status;
}

static void report_stopped(struct aw_session *session, unsigned joints)
{
    aw_object_add_text(&session->result, "result", "stopped");
    for (int i = 0; i < AW_UNITYSIM_JOINTS; i++)
        if (joints & 1u << i)
            unitysim_report_joint(session, i);
}

enum aw_status run_drive(struct aw_session *session, const struct aw_args *args)
{
    struct aw_unitysim_drive drives[AW_UNITYSIM_JOINTS] = {{0}};
    struct aw_unitysim *unity = unitysim_client(session);
    unsigned named;
    unitysim_state(session)->clamped = 0;
    enum aw_status status = parse_drives(session, args, drives, &named);
    if (status == AW_OK)
        status = unitysim_open_for_send(session);
    if (status == AW_OK && session->options.run.dry_run) {
        memcpy(unity->drive, drives, sizeof unity->drive);
        return unitysim_show_drives(session);
    }
    if (status == AW_OK)
        status = aw_unitysim_poll(unity, &session->err);
    if (status != AW_OK)
        return status;
    struct aw_unitysim_counters counters_before = unity->counters;
    aw_session_start_motion(session);
    /* Stops unnamed joints, which may have a latched command of an earlier client. */
    for (int i = 0; i < AW_UNITYSIM_JOINTS; i++)
        aw_unitysim_drive(unity, i, drives[i]);
    if (session->options.run.for_s <= 0)
        aw_stop_watch_input(session);
    status = stream_drives(session, aw_session_end_time(session));
    if (aw_stop_has_input_ended(session) && status == AW_STOPPED)
        status = AW_OK;
    aw_object_start(&session->result, "drive");
    status = unitysim_end_motion(session, status);
    unitysim_notice_losses(session, &counters_before);
    if (status == AW_OK)
        report_stopped(session, named);
    if (unitysim_given(session)->clamp)
        aw_object_add_count(&session->result, "clamped", unitysim_state(session)->clamped);
    return status;
}

/* A record of a control packet applies until the next one; the end of the script stops the joints.
 */
enum aw_status run_control(struct aw_session *session, const struct aw_args *args)
{
    struct aw_record record;
    enum aw_status status = unitysim_open_for_send(session);
    if (status != AW_OK)
        return status;
    struct aw_unitysim *unity = unitysim_client(session);
    aw_record_init(&record, unity->layout.control, AW_TX);
    status = unitysim_read_fields(session, args, &record);
    if (status == AW_OK && session->options.run.dry_run)
        return unitysim_dry_run(session, &record);
    if (status != AW_OK)
        return status;
    aw_session_start_motion(session);
    for (int i = 0; i < AW_UNITYSIM_JOINTS; i++) {
        aw_unitysim_drive(unity, i,
                          (struct aw_unitysim_drive){
                              .velocity = (int)aw_unitysim_get(&record, i, "velocity"),
                              .state = (enum aw_unitysim_state)aw_unitysim_get(&record, i, "state"),
                          });
    }
    status = unitysim_run(session, aw_clock_now(session->clock) + AW_UNITYSIM_CADENCE_NS);
    if (status != AW_OK || session->mode.one_shot)
        return unitysim_end_motion(session, status);
    session->motion.moving = false;
    session->motion.ongoing = AW_ONGOING_RUNNING;
    aw_unitysim_end_stream(unity);
    aw_object_start(&session->result, "control");
    aw_object_add_text(&session->result, "result", "sent");
    return AW_OK;
}

enum aw_status run_stop(struct aw_session *session, const struct aw_args *args)
{
    (void)args;
    enum aw_status status = unitysim_open_for_send(session);
    if (status == AW_OK && session->options.run.dry_run)
        return unitysim_show_drives(session);
    if (status == AW_OK)
        status = unitysim_stop(session);
    aw_object_start(&session->result, "stop");
    if (status == AW_OK)
        aw_object_add_text(&session->result, "result", "stopped");
    return status;
}
