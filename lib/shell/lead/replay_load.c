/* Reads a recording, and checks all its commands before any is sent. */
#include "shell/lead/replay.h"

#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/grow.h"
#include "capture/log.h"
#include "shell/custom/custom_joints.h"
#include "shell/source/decoder.h"
#include "wire/split.h"

#define REPORTS_MAX 1024 /* max saved messages before the first command */
#define STREAM_S    0.1  /* a longer motion is interpolated by the device at its own speed */

/* State of loading: both directions of a recording. */
struct loader {
    struct aw_replay *replay;
    struct aw_session *session;
    struct aw_splitter streams[2]; /* bytes to the device, and from it */
    /* the wire with the recording's custom packets; NULL: no custom packets */
    struct aw_wire *carried;
    struct aw_splitter unknown; /* splits commands of that wire */
    enum aw_status status;
    uint64_t answers, number;      /* totals so far */
    bool answered;                 /* one of the device's messages belongs to the tool */
    char program[AW_PCAP_PROGRAM]; /* the program that wrote the recording */
    uint32_t commands;             /* commands in the write being read */
    int64_t first_ns;              /* AW_NO_TIME: no message had a time so far */
    int64_t after_ns;              /* time of the latest message since the first one */
};

static enum aw_status fail_at_message(struct loader *l, enum aw_status status)
{
    struct aw_error cause = l->session->err;
    return aw_fail(&l->session->err, status, "replay: message %" PRIu64 ": %.300s", l->number,
                   cause.text);
}

/* Applies the tool's check. With custom joints, first refuses motions by the tool's own packets,
 * because the stop of custom joints does not stop them. */
static enum aw_status check_builtin(struct aw_session *session, const struct aw_record *record,
                                    struct aw_span frame)
{
    const struct aw_tool *base =
        session->tool->motion.custom_joints ? session->device.custom.base_tool : NULL;
    if (base && base->share.on_frame &&
        base->share.on_frame(session, true, frame) == AW_EFFECT_MOVES)
        return aw_fail(&session->err, AW_USAGE,
                       "'%s' is a built-in command, and the stop of --packets does not stop it — "
                       "replay without --packets",
                       record->codec->message->name);
    return session->tool->talk.replay.check_command
               ? session->tool->talk.replay.check_command(session, record)
               : AW_OK;
}

/* Requires --yes for custom packets, because their effect is unknown. */
static enum aw_status check_custom(struct aw_session *session, const struct aw_record *record,
                                   struct aw_span frame)
{
    const struct aw_message *message = record->codec->message;
    if (!aw_session_is_custom(session, message))
        return check_builtin(session, record, frame);
    enum aw_status status = aw_custom_check_stop(session, message);
    if (status != AW_OK || message->reads || session->options.run.yes)
        return status;
    return aw_fail(&session->err, AW_USAGE,
                   "'%s' is a custom packet with unknown effects — add --yes to send it",
                   message->name);
}

static void note_target(struct aw_replay *r, const struct aw_joint_goal *goal, double seconds,
                        int64_t after_ns)
{
    const struct aw_joint *joint = &r->list.joints[goal->joint];
    struct aw_replay_joint *state = &r->joints[goal->joint];
    double elapsed_s = fmax(seconds, (double)(after_ns - state->last_ns) / 1e9);
    double speed = fabs(goal->value - state->last) / elapsed_s;
    bool streams = state->is_known && elapsed_s > 0 && seconds <= STREAM_S;
    if (streams && speed / joint->limits.max_speed > r->fastest.max_ratio) {
        r->fastest.max_ratio = speed / joint->limits.max_speed;
        r->fastest.fastest_speed = speed;
        r->fastest.fastest_joint = goal->joint;
        r->fastest.fastest_ns = after_ns;
    }
    if (!state->is_known && after_ns >= r->from_ns)
        *state = (struct aw_replay_joint){
            .is_known = true, .first = goal->value, .seconds = seconds, .mode = joint->mode};
    state->last = goal->value;
    state->last_ns = after_ns;
}

/* Notes the targets of sent messages, and the positions reported before the first one. */
static void note_targets(struct aw_replay *r, struct aw_session *session,
                         const struct aw_record *record, int64_t after_ns)
{
    const struct aw_replay_hooks *hooks = &session->tool->talk.replay;
    struct aw_joint_goal goals[AW_REPLAY_GOALS];
    double seconds = 0;
    bool sent = record->dir == AW_TX;
    if (!hooks->get_targets)
        return;
    size_t n = hooks->get_targets(session, &r->list, record, goals, &seconds);
    for (size_t i = 0; i < n; i++)
        if (goals[i].joint < AW_START_JOINTS && (sent || !r->joints[goals[i].joint].is_known))
            note_target(r, &goals[i], seconds, after_ns);
    r->has_positions = r->has_positions || (n && !sent);
}

/* Checks a command and notes its targets. Encoding the command again checks its limits. */
static enum aw_status check_command(struct loader *l, struct aw_span frame)
{
    struct aw_session *session = l->session;
    struct aw_record record;
    size_t size;
    enum aw_status status = aw_wire_decode(session->wire, AW_TX, frame, &record, &session->err);
    if (status != AW_OK && record.present)
        status = AW_USAGE; /* not a finite number: refused as if the user had typed it */
    if (status == AW_OK)
        status = aw_encode(&record, session->options.run.force, session->device.frame,
                           AW_FRAME_ROOM, &size, &session->err);
    if (status == AW_OK)
        status = check_custom(session, &record, frame);
    if (status == AW_OK) {
        const struct aw_replay_hooks *hooks = &l->session->tool->talk.replay;
        note_targets(l->replay, session, &record, l->after_ns);
        const char *name = record.codec->message->name;
        for (const char *const *r = hooks->relative; r && *r && !l->replay->first_relative; r++)
            if (strcmp(*r, name) == 0)
                l->replay->first_relative = *r;
        if (hooks->reset_message && !l->replay->first_relative &&
            strcmp(hooks->reset_message, name) == 0)
            l->replay->resets = true;
    }
    return status == AW_OK ? AW_OK : fail_at_message(l, status);
}

static bool can_decode(struct aw_wire *wire, struct aw_span frame, struct aw_record *record)
{
    return wire && (aw_wire_decode(wire, AW_TX, frame, record, NULL) == AW_OK || record->present);
}

/* Refuses a packet that only the recording describes: its effect on the device is unknown. */
static void on_unknown(void *context, struct aw_span frame)
{
    struct loader *l = context;
    struct aw_record record;
    if (l->status == AW_OK && !can_decode(l->session->wire, frame, &record) &&
        can_decode(l->carried, frame, &record))
        l->status = aw_fail(&l->session->err, AW_USAGE,
                            "replay: '%s' is described only in the recording — give --packets FILE",
                            record.codec->message->name);
}

static void on_command(void *context, struct aw_span frame)
{
    struct loader *l = context;
    l->number++;
    l->commands++;
    if (l->status == AW_OK)
        l->status = check_command(l, frame);
}

/* Stores messages until a device is connected, because only the device knows which joints they are
 * about. */
static void store_report(struct loader *l, const struct aw_record *record)
{
    struct aw_replay *r = l->replay;
    if (r->plan.n || l->commands || r->intro.n_reports == REPORTS_MAX)
        return;
    struct aw_record *reports =
        aw_grow(r->intro.reports, &r->intro.reports_room, r->intro.n_reports + 1, sizeof *reports);
    if (!reports) {
        l->status = aw_no_memory(&l->session->err);
        return;
    }
    r->intro.reports = reports;
    r->intro.reports[r->intro.n_reports++] = *record;
}

static void note_message(struct loader *l, struct aw_span frame)
{
    struct aw_session *session = l->session;
    struct aw_record record;
    if (!session->tool->talk.replay.get_targets || l->replay->has_positions ||
        aw_wire_decode(session->wire, AW_RX, frame, &record, NULL) != AW_OK || record.dir != AW_RX)
        return;
    if (session->tool->motion.joints->traits.reports_joints)
        store_report(l, &record);
    else
        note_targets(l->replay, session, &record, l->after_ns);
}

static void on_answer(void *context, struct aw_span frame)
{
    struct loader *l = context;
    struct aw_replay *r = l->replay;
    const char *position_message = l->session->tool->talk.replay.position_message;
    struct aw_record *record = &r->positions[r->n_positions % AW_REPLAY_POSITIONS].record;
    size_t i = 0;
    l->number++;
    l->answers++;
    l->answered =
        l->answered || aw_wire_decode(l->session->wire, AW_RX, frame, record, NULL) == AW_OK;
    note_message(l, frame);
    while (i < r->n_positions && memcmp(r->positions[i].from, frame.data, 2) != 0)
        i++;
    if (!position_message || i < r->n_positions || i == AW_REPLAY_POSITIONS || frame.size < 2 ||
        aw_wire_decode(l->session->wire, AW_RX, frame, record, NULL) != AW_OK ||
        strcmp(record->codec->message->name, position_message) != 0)
        return;
    memcpy(r->positions[r->n_positions++].from, frame.data, 2);
}

static enum aw_status store_write(struct loader *l, const struct aw_log_entry *entry)
{
    struct aw_replay *r = l->replay;
    struct aw_replay_write *writes =
        aw_grow(r->plan.writes, &r->plan.room, r->plan.n + 1, sizeof *writes);
    r->plan.writes = writes ? writes : r->plan.writes;
    uint8_t *bytes =
        aw_grow(r->plan.bytes, &r->plan.bytes_room, r->plan.n_bytes + entry->data.size, 1);
    r->plan.bytes = bytes ? bytes : r->plan.bytes;
    if (!writes || !bytes)
        return aw_no_memory(&l->session->err);
    r->plan.writes[r->plan.n++] = (struct aw_replay_write){
        .time_ns = l->after_ns,
        .answers = l->answers,
        .at = r->plan.n_bytes,
        .size = entry->data.size,
        .commands = l->commands,
    };
    memcpy(r->plan.bytes + r->plan.n_bytes, entry->data.data, entry->data.size);
    r->plan.n_bytes += entry->data.size;
    r->plan.n_commands += l->commands;
    return AW_OK;
}

/* Uses the table if the file does not record the sender, as in CAN logs. Uses the recording's
 * custom packets only for unknown frames. */
static bool is_command(struct loader *l, const struct aw_log_entry *entry)
{
    struct aw_record record;
    if (entry->linktype != AW_LINKTYPE_CAN)
        return entry->dir == AW_TX;
    bool is_known = can_decode(l->session->wire, entry->data, &record) ||
                    can_decode(l->carried, entry->data, &record);
    return is_known && (record.codec->message->dir & AW_TX || aw_replay_given(l->session)->all);
}

static enum aw_status read_entry(struct loader *l, const struct aw_log_entry *entry)
{
    struct aw_wire *wire = l->session->wire;
    if (entry->time_ns != AW_NO_TIME && l->first_ns == AW_NO_TIME)
        l->first_ns = entry->time_ns;
    if (entry->time_ns != AW_NO_TIME) /* messages without a time use the previous one */
        l->after_ns = entry->time_ns - l->first_ns;
    l->commands = 0;
    bool sends_command =
        aw_session_is_selected(l->session, entry->data, "") && is_command(l, entry);
    struct aw_splitter *stream = &l->streams[sends_command ? 0 : 1];
    if (entry->has_gap)
        aw_split_gap(stream);
    if (entry->has_gap && sends_command)
        aw_split_gap(&l->unknown);
    if (!sends_command) {
        aw_split(stream, wire, entry->data, !entry->is_stream, on_answer, l);
        return AW_OK;
    }
    if (l->carried)
        aw_split(&l->unknown, l->carried, entry->data, !entry->is_stream, on_unknown, l);
    aw_split(stream, wire, entry->data, !entry->is_stream, on_command, l);
    return l->status == AW_OK ? store_write(l, entry) : l->status;
}

static enum aw_status read_file(struct loader *l, const char *path)
{
    struct aw_log *log;
    struct aw_log_entry entry;
    const struct aw_protocol *protocol = l->session->tool->protocol;
    struct aw_log_options options = {.ports = {protocol->ports[0], protocol->ports[1]},
                                     .medium = &protocol->medium};
    enum aw_status status = aw_log_open(&log, path, &options, &l->session->err);
    while (status == AW_OK) {
        status = aw_log_next(log, &entry, &l->session->err);
        if (status == AW_OK && entry.data.size)
            status = read_entry(l, &entry);
        else if (status == AW_MALFORMED)
            status = fail_at_message(l, status);
    }
    if (status == AW_END && aw_log_is_truncated(log, &l->session->err))
        aw_session_report(l->session, "%s: %s\n", l->session->tool->name, l->session->err.text);
    snprintf(l->program, sizeof l->program, "%s", log ? aw_log_program(log) : "");
    aw_log_close(log);
    return status == AW_END ? AW_OK : status;
}

enum aw_status aw_replay_load(struct aw_replay *replay, struct aw_session *session,
                              const char *path)
{
    struct loader *l = calloc(1, sizeof *l);
    if (!l)
        return aw_no_memory(&session->err);
    l->replay = replay;
    l->session = session;
    l->first_ns = AW_NO_TIME;
    l->streams[0].framer.dir = AW_TX;
    l->streams[1].framer.dir = AW_RX;
    l->unknown.framer.dir = AW_TX;
    enum aw_status status = aw_session_select_subjects(session);
    if (status == AW_OK)
        status = aw_session_get_carried_wire(session, &l->carried);
    if (status == AW_OK && session->tool->talk.replay.get_targets &&
        !session->tool->motion.joints->traits.reports_joints)
        status = aw_joints_list(session, &replay->list);
    if (status == AW_OK)
        status = read_file(l, path);
    replay->plan.n_received = l->answers;
    const char *name = session->tool->name;
    bool foreign = strncmp(l->program, name, strlen(name)) != 0;
    if (status == AW_OK && foreign && !replay->plan.n_commands && !l->answered)
        status = aw_fail_no_messages(session, path, l->program);
    if (status == AW_OK && l->streams[0].n_damaged)
        status = aw_fail(&session->err, AW_MALFORMED,
                         "replay: nothing sent: %" PRIu64 " damaged command%s in %.200s — find "
                         "them with 'decode'",
                         l->streams[0].n_damaged, l->streams[0].n_damaged == 1 ? "" : "s", path);
    free(l);
    return status;
}

enum aw_status aw_replay_find_joints(struct aw_replay *replay, struct aw_session *session)
{
    if (!replay->intro.n_reports)
        return AW_OK;
    enum aw_status status = aw_joints_begin(session, &replay->list);
    for (size_t i = 0; i < replay->intro.n_reports && status == AW_OK; i++)
        note_targets(replay, session, &replay->intro.reports[i], 0);
    replay->list.is_frozen = true;
    return status;
}

void aw_replay_free(struct aw_replay *replay)
{
    free(replay->plan.writes);
    free(replay->intro.reports);
    free(replay->plan.bytes);
    aw_joints_free(&replay->list);
    *replay = (struct aw_replay){0};
}
