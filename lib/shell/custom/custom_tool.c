/* Overrides a tool's hooks with those for custom joints, in a copy of the tool, and implements its
 * stop. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/text.h"
#include "shell/custom/custom_parts.h"
#include "shell/safety/stop.h"

#define ATTEMPTS   3
#define REST_S     0.5  /* max time to come to rest, s */
#define SAMPLE_S   0.06 /* sampling interval, s */
#define REST_SHARE 0.01 /* max movement at rest, as a share of the range */

/* ---- Tool copy ---- */

/* Requires a packet that queries positions if the device reports nothing by itself. Without such a
 * packet, no packet of the file can hold the joints. */
static enum aw_status check_queries(struct aw_session *session, const struct aw_custom_arm *arm)
{
    const struct aw_command *command = session->run.command;
    if (arm->n_queries || (arm->tool.talk.receive && !arm->tool.talk.polls) ||
        (command && command->offline))
        return AW_OK;
    const struct aw_field_ref *position = &arm->joints[0].reports[AW_JOINT_ACTUAL];
    aw_fail(&session->err, AW_USAGE,
            "packets: no packet requests the joint positions — add 'ask = yes' to [packet %s]",
            position->message ? position->message->name : "…");
    if (!command || !aw_command_is_stop(command))
        return AW_USAGE;
    aw_session_report(session, "%s: sending the built-in stop: %s\n", session->tool->name,
                      session->err.text);
    session->err = (struct aw_error){.status = AW_OK};
    return AW_END;
}

enum aw_status aw_custom_joints_begin(struct aw_session *session)
{
    if (!session->wire->protocol->custom.joints || session->device.custom.arm)
        return AW_OK;
    struct aw_custom_arm *arm = calloc(1, sizeof *arm);
    if (!arm)
        return aw_no_memory(&session->err);
    arm->tool = *session->tool;
    aw_custom_find_fields(session, arm);
    enum aw_status status = check_queries(session, arm);
    if (status != AW_OK) {
        free(arm);
        return status == AW_END ? AW_OK : status;
    }
    session->device.custom.arm = arm;
    session->device.custom.base_tool = session->tool;
    arm->tool.motion.custom_joints = true;
    arm->tool.motion.joints = &aw_custom_joints;
    arm->tool.motion.controller = &aw_custom_controller;
    arm->tool.motion.steer_gain = 0;
    arm->tool.motion.experiments = NULL;
    arm->tool.safety.stop = session->wire->protocol->custom.stops ? aw_custom_stop : NULL;
    arm->tool.safety.last_stop = session->wire->protocol->custom.stops ? aw_custom_last_stop : NULL;
    session->motion.activity[0] = '\0';
    arm->tool.share.on_frame = aw_custom_on_frame;
    arm->tool.talk.replay = (struct aw_replay_hooks){
        .waits_for_answers = session->device.custom.base_tool->talk.replay.waits_for_answers,
        .check_command = session->device.custom.base_tool->talk.replay.check_command,
        .get_targets = aw_custom_get_targets};
    if (arm->n_queries)
        arm->tool.watch.watched = arm->watched;
    session->tool = &arm->tool;
    return AW_OK;
}

/* ---- The stop ---- */

/* Builds a stop packet, with the hold positions if it has setpoints. */
static enum aw_status make_stop(struct aw_session *session, const struct aw_stop_row *stop,
                                struct aw_record *packet)
{
    const struct aw_custom_arm *arm = aw_custom_arm(session);
    double setpoints[AW_CUSTOM_JOINTS];
    const struct aw_protocol *protocol = session->wire->protocol;
    for (size_t i = 0; i < arm->n; i++)
        setpoints[i] = aw_custom_hold_position(session, &arm->joints[i]);
    for (size_t i = 0; i < protocol->n_messages; i++) {
        if (!(protocol->messages[i].dir & AW_TX) ||
            strcmp(protocol->messages[i].name, stop->packet) != 0)
            continue;
        if (stop->holds)
            return aw_custom_fill_packet(session, i, setpoints, packet);
        aw_record_init(packet, aw_wire_codec_at(session->wire, i), AW_TX);
        return AW_OK;
    }
    return AW_USAGE; /* unreachable: the file was checked */
}

enum aw_status aw_custom_check_stop(struct aw_session *session, const struct aw_message *message)
{
    if (!message->moves || session->tool->motion.custom_joints)
        return AW_OK;
    return aw_fail(&session->err, AW_USAGE,
                   "'%s' moves joints, but no stop is defined for them — give --packets FILE with "
                   "[joint] and [stop] sections",
                   message->name);
}

/* Repeats each stop until the device confirms it. Skips stops that cannot be encoded. */
static enum aw_status send_stops(struct aw_session *session, unsigned *sent)
{
    enum aw_status worst = AW_OK;
    for (const struct aw_stop_row *stop = session->wire->protocol->custom.stops; stop->packet;
         stop++) {
        struct aw_record packet;
        enum aw_status status = make_stop(session, stop, &packet);
        bool must_repeat = status == AW_OK;
        for (int i = 0; i < ATTEMPTS && must_repeat; i++) {
            status = aw_custom_exchange(session, &packet);
            ++*sent;
            must_repeat = status == AW_TIMEOUT;
        }
        worst = status != AW_OK ? status : worst;
    }
    return worst;
}

static bool has_moved(const struct aw_custom_arm *arm, const double *before)
{
    for (size_t i = 0; i < arm->n; i++) {
        double range = arm->joints[i].max - arm->joints[i].min;
        double tolerance = isfinite(range) ? REST_SHARE * range : REST_SHARE;
        if (!(fabs(arm->joints[i].state.value[AW_JOINT_ACTUAL] - before[i]) <= tolerance))
            return true;
    }
    return false;
}

/* Waits until the joints rest, which confirms a stop that the device does not answer. AW_TIMEOUT:
 * they still move after REST_S. */
static enum aw_status await_rest(struct aw_session *session)
{
    const struct aw_custom_arm *arm = aw_custom_arm(session);
    int64_t end = aw_time_after(aw_clock_now(session->clock), REST_S);
    double before[AW_CUSTOM_JOINTS];
    bool moved = true;
    enum aw_status status = AW_OK;
    while (status == AW_OK && moved && aw_clock_now(session->clock) < end) {
        for (size_t i = 0; i < arm->n; i++)
            before[i] = arm->joints[i].state.value[AW_JOINT_ACTUAL];
        status =
            aw_clock_sleep(session->clock, aw_time_after(aw_clock_now(session->clock), SAMPLE_S));
        if (status == AW_OK)
            status = aw_custom_read(session, end);
        moved = has_moved(arm, before);
    }
    if (status != AW_OK || !moved)
        return status;
    return aw_fail(&session->err, AW_TIMEOUT, "the joints still move — cut the power");
}

enum aw_status aw_custom_stop(struct aw_session *session)
{
    const struct aw_custom_arm *arm = aw_custom_arm(session);
    char positions[96] = "";
    unsigned sent = 0;
    if (!session->device.link)
        return aw_fail(&session->err, AW_LOST, "NOT stopped: no link");
    /* on failure the stop holds the last known positions */
    aw_custom_read(session, aw_time_after(aw_clock_now(session->clock), REST_S));
    session->err = (struct aw_error){.status = AW_OK};
    enum aw_status status = send_stops(session, &sent);
    if (status == AW_OK && !session->tool->talk.transmit->confirms)
        status = await_rest(session);
    for (size_t i = 0; i < arm->n; i++)
        aw_append(positions, sizeof positions, "", " %.5g",
                  arm->joints[i].state.value[AW_JOINT_ACTUAL]);
    if (status != AW_OK)
        return aw_fail_about(&session->err, status,
                             sent ? "stop sent, not confirmed" : "NOT stopped");
    session->motion.moving = false;
    session->motion.ongoing = AW_ONGOING_NOTHING;
    aw_stop_set_effect(session, "holding%s %s", positions,
                       arm->joints[0].unit ? arm->joints[0].unit : "");
    return AW_OK;
}

/* Holds the last known positions; does not read new ones. */
void aw_custom_last_stop(struct aw_session *session, aw_frame_fn *add, void *context)
{
    struct aw_error saved_err = session->err;
    for (const struct aw_stop_row *stop = session->wire->protocol->custom.stops; stop->packet;
         stop++) {
        struct aw_record packet;
        if (make_stop(session, stop, &packet) == AW_OK)
            aw_add_stop_packet(session, &packet, add, context);
    }
    session->err = saved_err;
}

enum aw_motion_effect aw_custom_on_frame(struct aw_session *session, bool tx, struct aw_span frame)
{
    struct aw_record record;
    bool is_known =
        aw_wire_decode(session->wire, tx ? AW_TX : AW_RX, frame, &record, NULL) == AW_OK;
    if (is_known && !tx)
        aw_custom_store_values(session, &record);
    if (is_known && aw_session_is_custom(session, record.codec->message))
        return tx && !record.codec->message->reads ? AW_EFFECT_MOVES : AW_EFFECT_NONE;
    if (session->device.custom.base_tool->share.on_frame)
        return session->device.custom.base_tool->share.on_frame(session, tx, frame);
    return tx && !(is_known && record.codec->message->reads) ? AW_EFFECT_MOVES : AW_EFFECT_NONE;
}
