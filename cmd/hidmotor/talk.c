/* Sends hidmotor's commands to the board: connecting, checking, sending a setting. */
#include <limits.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "shell/safety/safety.h"
#include "state.h"

static struct aw_hidmotor_options build_options(const struct aw_session *session)
{
    struct aw_hidmotor_options options = aw_hidmotor_defaults();
    options.wall_ns = aw_session_time(session) - aw_clock_now(session->clock);
    options.protocol = session->wire->protocol;
    return options;
}

void hidmotor_connect(struct aw_session *session, struct aw_link *link)
{
    struct aw_hidmotor_options options = build_options(session);
    aw_hidmotor_init(hidmotor_arm(session), link, &options);
    hidmotor_state(session)->receiving.protocol = NULL;
    hidmotor_state(session)->gains_protocol = NULL;
}

enum aw_status hidmotor_open(struct aw_session *session)
{
    enum aw_status status = aw_session_open_link(session);
    if (status != AW_OK)
        return status;
    struct aw_hidmotor_options options = build_options(session);
    options.retries = (int)hidmotor_given(session)->retries;
    options.force = session->options.run.force;
    if (!isnan(session->options.link.timeout_s))
        options.timeout_ms = (int)fmin(session->options.link.timeout_s * 1000, INT_MAX);
    hidmotor_arm(session)->options = options;
    return AW_OK;
}

enum aw_status hidmotor_open_for_send(struct aw_session *session)
{
    return session->options.run.dry_run ? AW_OK : hidmotor_open(session);
}

enum aw_status hidmotor_poll(struct aw_session *session)
{
    return aw_hidmotor_poll(hidmotor_arm(session), &session->err);
}

void hidmotor_report_joints(struct aw_session *session)
{
    const struct aw_hidmotor_status *latest = &hidmotor_arm(session)->latest;
    char key[32];
    for (int i = 0; i < latest->n && i < AW_HIDMOTOR_JOINTS; i++) {
        const char *name = aw_hidmotor_joint(i).name;
        snprintf(key, sizeof key, "%s.target", name);
        aw_object_add_number(&session->result, key, latest->setpoint[i], 2, "deg");
        snprintf(key, sizeof key, "%s.actual", name);
        aw_object_add_number(&session->result, key, latest->position[i], 2, "deg");
    }
    if (latest->maybe_stale)
        aw_object_add_truth(&session->result, "maybe_stale", true);
}

enum aw_motion_effect hidmotor_note_frame(struct aw_session *session, bool tx, struct aw_span frame)
{
    struct aw_record record;
    if (!tx)
        aw_hidmotor_note_report(hidmotor_arm(session), frame);
    if (!tx || aw_wire_decode(session->wire, AW_TX, frame, &record, NULL) != AW_OK)
        return tx ? AW_EFFECT_MOVES : AW_EFFECT_NONE;
    const struct aw_message *message = record.codec->message;
    bool moves = message->drives || (aw_session_is_custom(session, message) && !message->reads);
    return moves ? AW_EFFECT_MOVES : AW_EFFECT_NONE;
}

bool hidmotor_is_elsewhere(struct aw_session *session, const struct aw_record *recorded, char *out,
                           size_t size)
{
    struct aw_hidmotor_status now = {0};
    double max_offset = AW_HIDMOTOR_TOLERANCE;
    if (aw_hidmotor_read_positions(hidmotor_arm(session), &now, &session->err) != AW_OK)
        return false;
    for (int i = 0; i < now.n && i < AW_HIDMOTOR_JOINTS; i++) {
        char field[32];
        snprintf(field, sizeof field, "%s.position", aw_hidmotor_joint(i).name);
        double recorded_deg = aw_record_get(recorded, field);
        if (!(fabs(now.position[i] - recorded_deg) > max_offset))
            continue;
        max_offset = fabs(now.position[i] - recorded_deg);
        snprintf(out, size, "%s at %.1f, not %.1f deg", aw_hidmotor_joint(i).alias, now.position[i],
                 recorded_deg);
    }
    return max_offset > AW_HIDMOTOR_TOLERANCE;
}

/* Also reads the position, which a stop must hold. */
static enum aw_status open_for_record(struct aw_session *session, struct aw_record *request)
{
    struct aw_hidmotor_status now;
    enum aw_status status = hidmotor_open(session);
    if (status == AW_OK && request->codec->message->drives && !hidmotor_arm(session)->latest.n)
        status = aw_hidmotor_read_positions(hidmotor_arm(session), &now, &session->err);
    return status;
}

/* Fills in the answer: its bytes for a query and a custom packet that has an answer, and the round
 * trip for all packets except queries. */
static void fill_answer(struct aw_session *session, const struct aw_message *message,
                        const struct aw_hidmotor_reply *reply, struct aw_answer *answer)
{
    bool has_answer = message->dir == AW_TX && aw_session_is_custom(session, message);
    answer->record = reply->record;
    if (message->reads || has_answer) {
        answer->size = sizeof reply->bytes;
        memcpy(answer->bytes, reply->bytes, sizeof reply->bytes);
    }
    if (!message->reads)
        answer->ms = (double)(reply->received_ns - reply->sent_ns) / 1e6;
    answer->maybe_stale = reply->maybe_stale;
}

static enum aw_status send(struct aw_session *session, const struct aw_record *request,
                           struct aw_answer *answer)
{
    struct aw_hidmotor *arm = hidmotor_arm(session);
    struct aw_hidmotor_reply reply;
    bool force = arm->options.force;
    /* custom targets were checked, and a stop may hold positions beyond the limits */
    arm->options.force = force || aw_session_is_custom(session, request->codec->message);
    enum aw_status status = aw_hidmotor_command(arm, request, &reply, &session->err);
    arm->options.force = force;
    if (status == AW_OK || status == AW_TIMEOUT) /* without an answer, it may still have arrived */
        hidmotor_note_motion(session, request);
    if (status == AW_OK)
        fill_answer(session, request->codec->message, &reply, answer);
    return status;
}

const struct aw_transmit hidmotor_transmit = {
    .open = open_for_record, .send = send, .confirms = true, .hides_queries = true};

/* Returns the first query of a packet file, because its board may not support those of the
 * table. */
static const char *find_query(const struct aw_session *session)
{
    const struct aw_protocol *protocol = session->wire->protocol;
    for (size_t i = aw_hidmotor_protocol.n_messages; i < protocol->n_messages; i++)
        if (protocol->messages[i].reads)
            return protocol->messages[i].name;
    return "positions";
}

/* Sends one query without retries, which would hide losses. */
enum aw_status hidmotor_ping(struct aw_session *session, double *ms)
{
    struct aw_hidmotor_reply reply;
    hidmotor_arm(session)->options.retries = 0;
    enum aw_status status =
        aw_hidmotor_read(hidmotor_arm(session), find_query(session), &reply, &session->err);
    if (status == AW_OK && !reply.maybe_stale)
        *ms = (double)(reply.received_ns - reply.sent_ns) / 1e6;
    return status;
}

enum aw_status hidmotor_report_ping(struct aw_session *session, enum aw_status status)
{
    aw_object_add_count(&session->result, "foreign", hidmotor_arm(session)->counters.foreign);
    return status;
}
