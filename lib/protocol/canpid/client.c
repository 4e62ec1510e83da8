/* Sends commands with checks, collects telemetry, verifies setpoints, and repeats disable until
 * confirmed. */
#include "protocol/canpid/client.h"

#include <math.h>
#include <stddef.h>
#include <string.h>

#include "base/bytes.h"
#include "protocol/canpid/controller.h"
#include "protocol/canpid/wire.h"
#include "wire/can_id.h"

/* The effects of commands that name a controller. */
enum command_effect {
    NO_CONTROLLER,
    HOLDS_JOINT, /* a switch of controllers holds the joint in place with force: checked */
    SETS_TARGET, /* sets the joint's target itself */
};

struct aw_canpid_options aw_canpid_defaults(void)
{
    return (struct aw_canpid_options){.confirm_ms = 500, .latency_ms = 20};
}

struct aw_canpid_board *aw_canpid_board(struct aw_canpid *client, unsigned board)
{
    return &client->boards[board / 32 % AW_CANPID_BOARDS];
}

static unsigned get_id(const uint8_t *frame)
{
    return frame[0] | (unsigned)frame[1] << 8;
}

/* The receive filter of a driver passes the lower half of a board's identifiers. */
static bool is_command(unsigned id)
{
    return id % 32 < 16 && id <= AW_CAN_SHORT_MAX;
}

static bool is_gain(unsigned id)
{
    return id % 32 >= 1 && id % 32 <= AW_CANPID_GAINS;
}

/* ---- Telemetry ---- */

int64_t aw_canpid_last_ns(const struct aw_canpid_stream *stream)
{
    return stream->count ? stream->times_ns[(stream->count - 1) % AW_CANPID_TIMES] : AW_NEVER;
}

double aw_canpid_rate_hz(const struct aw_canpid_stream *stream, int64_t now)
{
    uint64_t n = stream->count < AW_CANPID_TIMES ? stream->count : AW_CANPID_TIMES;
    if (n < 2)
        return 0;
    int64_t first = stream->times_ns[(stream->count - n) % AW_CANPID_TIMES];
    double span = (double)(aw_canpid_last_ns(stream) - first);
    double gaps = (double)(n - 1);
    double overdue = (double)(now - first) - span / gaps;
    if (overdue > span)
        span = overdue;
    return span > 0 ? gaps * AW_SECOND / span : 0;
}

#define AWAY_NS    (50 * AW_MILLISECOND)
#define POLL_NS    (20 * AW_MILLISECOND) /* for a bus that is never silent */
#define SILENCE_NS (100 * AW_MILLISECOND)
#define WINDOW_NS  (100 * AW_MILLISECOND)

static void begin_window(struct aw_canpid_period *p, int64_t now, bool steady)
{
    p->start_ns = now;
    p->frames = 0;
    p->steady = steady;
}

static void note_period(struct aw_canpid_period *p, uint64_t count, int64_t now)
{
    bool after_silence = count == 1 || now - p->last_ns > SILENCE_NS;
    p->last_ns = now;
    p->frames++;
    if (after_silence) {
        begin_window(p, now, false);
    } else if (now - p->start_ns >= WINDOW_NS) {
        if (p->steady)
            p->period_ns = (now - p->start_ns) / p->frames;
        begin_window(p, now, true);
    }
}

#define VALUE(name)                                                                                \
    {                                                                                              \
#name, offsetof(struct aw_canpid_board, name)                                              \
    }

/* The fields of each kind, and where the board keeps their last values. */
static const struct {
    const char *message;
    struct {
        const char *field;
        size_t offset;
    } values[AW_CANPID_VALUES];
} kinds[AW_CANPID_KINDS] = {
    [AW_CANPID_JOINT] = {"joint", {VALUE(fix_link_angle), VALUE(alpha_angle), VALUE(torque)}},
    [AW_CANPID_PID] = {"pid", {VALUE(setpoint), VALUE(output), VALUE(measured)}},
    [AW_CANPID_SENSORS] = {"sensors",
                           {VALUE(error), VALUE(velocity), VALUE(current), VALUE(lever_angle)}},
};

/* Returns the arrival time of the last frame by the link's clock: from the link's timestamp on a
 * live link, otherwise the earliest time at which it can have arrived. */
static int64_t get_arrival_ns(const struct aw_canpid *client, int64_t now)
{
    const struct aw_link *link = client->link;
    int64_t age_ns = link->rx.time_ns ? aw_wall_time() - link->rx.time_ns : 0;
    if (link->rx.time_ns && !link->is_recording && !link->is_simulated)
        return now - (age_ns > 0 ? age_ns : 0);
    return aw_min_time(client->arrival_min_ns, now);
}

static void handle_telemetry(struct aw_canpid *client, unsigned id, const struct aw_record *record)
{
    struct aw_canpid_board *board = aw_canpid_board(client, id);
    int64_t now = get_arrival_ns(client, aw_clock_now(client->link->clock));
    client->counters.telemetry++;
    for (int kind = 0; kind < AW_CANPID_KINDS; kind++) {
        if (record->codec != client->codecs[kind])
            continue;
        struct aw_canpid_stream *stream = &board->streams[kind];
        for (int i = 0; i < AW_CANPID_VALUES && kinds[kind].values[i].field; i++)
            *(double *)((char *)board + kinds[kind].values[i].offset) =
                record->v[client->scalars[kind][i]];
        if (isnan(board->setpoint))
            board->setpoint = AW_CANPID_SATURATED * 100.0 / 32768;
        stream->times_ns[stream->count++ % AW_CANPID_TIMES] = now;
        if (kind == AW_CANPID_PID)
            note_period(&board->period, stream->count, now);
    }
}

void aw_canpid_init(struct aw_canpid *client, struct aw_link *link,
                    const struct aw_variant *variant, const struct aw_canpid_options *options)
{
    memset(client, 0, offsetof(struct aw_canpid, wire));
    client->link = link;
    client->options = *options;
    client->read_ns = INT64_MIN;
    client->arrival_min_ns = AW_NEVER;
    aw_wire_init(&client->wire, options->protocol ? options->protocol : &aw_canpid_protocol,
                 variant, false);
    for (int kind = 0; kind < AW_CANPID_KINDS; kind++) {
        client->codecs[kind] = aw_wire_codec(&client->wire, kinds[kind].message, AW_RX);
        for (int i = 0; i < AW_CANPID_VALUES && kinds[kind].values[i].field; i++)
            client->scalars[kind][i] =
                (int8_t)aw_codec_find(client->codecs[kind], kinds[kind].values[i].field);
    }
    for (int i = 0; i < AW_CANPID_BOARDS; i++) {
        client->boards[i].controller = AW_CANPID_LAST;
        client->boards[i].sent_ns = INT64_MIN;
    }
}

/* ---- Commands ---- */

static enum command_effect get_effect(const struct aw_record *command)
{
    if (aw_codec_find(command->codec, "controller") < 0)
        return NO_CONTROLLER;
    return strcmp(command->codec->message->name, "setpoint") == 0 ? SETS_TARGET : HOLDS_JOINT;
}

static int get_controller(const struct aw_record *command)
{
    double controller = aw_record_get(command, "controller");
    return controller >= 0 && controller < AW_CANPID_CONTROLLERS ? (int)controller : AW_CANPID_LAST;
}

/* Remembers the controller of a command, sent by this or another program. */
static void note_command(struct aw_canpid *client, unsigned board, const struct aw_record *command)
{
    int controller = get_controller(command);
    if (controller != AW_CANPID_LAST)
        aw_canpid_board(client, board)->controller = controller;
}

static enum aw_status check_switch(struct aw_canpid *client, const struct aw_record *command,
                                   struct aw_canpid_sent *sent, struct aw_error *err)
{
    enum command_effect effect = get_effect(command);
    int last_controller = aw_canpid_board(client, sent->board)->controller;
    char board[AW_CANPID_NAME_MAX];
    if (effect == NO_CONTROLLER)
        return AW_OK;
    sent->switches = last_controller != AW_CANPID_LAST && last_controller != sent->controller;
    sent->may_switch = last_controller == AW_CANPID_LAST && effect == HOLDS_JOINT;
    if (effect == SETS_TARGET || client->options.allow_switch ||
        !(sent->switches || sent->may_switch))
        return AW_OK;
    const char *controller = aw_canpid_controller_name(sent->controller);
    aw_canpid_board_name(&client->wire.variant, sent->board, board);
    if (sent->switches)
        return aw_fail(err, AW_LIMIT,
                       "%s of %s: %s is running %s; this would switch the controller and hold the "
                       "joint with force — give --switch to allow it",
                       command->codec->message->name, controller, board,
                       aw_canpid_controller_name(last_controller));
    if (!client->link) /* nothing will be sent */
        return AW_OK;
    return aw_fail(
        err, AW_LIMIT,
        "%s of %s: active controller of %s unknown; this may switch it and hold the joint with "
        "force — send 'disable -b %s -c %s' first in the same session, or give --switch",
        command->codec->message->name, controller, board, board, controller);
}

/* Limits that no option overrides, because the firmware would write beyond its tables. */
static const struct {
    const char *field;
    double max;
} index_limits[] = {{"controller", AW_CANPID_CONTROLLERS - 1}, {"index", 3}};

/* Sets the board, controller and setpoint of *sent. */
static void describe_sent(const struct aw_record *command, const uint8_t *frame,
                          struct aw_canpid_sent *sent)
{
    sent->board = get_id(frame) / 32 * 32;
    sent->controller = get_controller(command);
    if (get_effect(command) == SETS_TARGET)
        sent->setpoint = (double)aw_get_f32(frame + 2);
}

enum aw_status aw_canpid_encode(struct aw_canpid *client, const struct aw_record *command,
                                struct aw_canpid_sent *sent, struct aw_error *err)
{
    struct aw_canpid_sent discarded;
    if (!sent)
        sent = &discarded;
    *sent = (struct aw_canpid_sent){.controller = AW_CANPID_LAST, .setpoint = (double)NAN};
    for (size_t i = 0; i < sizeof index_limits / sizeof *index_limits; i++)
        if (aw_record_get(command, index_limits[i].field) > index_limits[i].max)
            return aw_fail(err, AW_LIMIT,
                           "%s: %s %.9g is out of range (max %g), and the driver does not check it",
                           command->codec->message->name, index_limits[i].field,
                           aw_record_get(command, index_limits[i].field), index_limits[i].max);
    enum aw_status status = aw_encode(command, client->options.force, sent->bytes,
                                      sizeof sent->bytes, &sent->size, err);
    if (status != AW_OK)
        return status;
    describe_sent(command, sent->bytes, sent);
    return check_switch(client, command, sent, err);
}

/* Returns when the next frame may be sent. A round of the loop may take a little longer than
 * measured. Gains get a margin, because they would accumulate. A new setpoint replaces earlier
 * ones, so it needs no margin. */
int64_t aw_canpid_next_send_ns(const struct aw_canpid *client, unsigned id)
{
    const struct aw_canpid_board *target = &client->boards[id / 32 % AW_CANPID_BOARDS];
    int64_t pace = target->period.period_ns ? target->period.period_ns : AW_CANPID_PACE_NS;
    if (target->sent_ns == INT64_MIN || !is_command(id))
        return INT64_MIN;
    pace = pace > AW_CANPID_PACE_MIN_NS ? pace : AW_CANPID_PACE_MIN_NS;
    return target->sent_ns + pace + (is_gain(id) ? pace / 10 : 0);
}

static enum aw_status await_pace(struct aw_canpid *client, unsigned board, struct aw_error *err)
{
    int64_t due_ns = aw_canpid_next_send_ns(client, board);
    enum aw_status status = AW_OK;
    while (status == AW_OK && aw_clock_now(client->link->clock) < due_ns)
        status = aw_canpid_idle(client, due_ns, NULL, NULL, err);
    return status;
}

static enum aw_status write_frame(struct aw_canpid *client, struct aw_span frame,
                                  struct aw_error *err)
{
    enum aw_status status = aw_link_write(client->link, frame.data, frame.size, err);
    if (status == AW_OK) {
        client->counters.sent++;
        if (is_command(get_id(frame.data)))
            aw_canpid_board(client, get_id(frame.data))->sent_ns =
                aw_clock_now(client->link->clock);
    }
    return status;
}

enum aw_status aw_canpid_send_frame(struct aw_canpid *client, struct aw_span frame,
                                    struct aw_error *err)
{
    enum aw_status status = await_pace(client, get_id(frame.data), err);
    return status == AW_OK ? write_frame(client, frame, err) : status;
}

enum aw_status aw_canpid_send(struct aw_canpid *client, const struct aw_record *command,
                              struct aw_canpid_sent *sent, struct aw_error *err)
{
    struct aw_canpid_sent discarded;
    if (!sent)
        sent = &discarded;
    enum aw_status status = aw_canpid_encode(client, command, sent, err);
    if (status == AW_OK)
        status = await_pace(client, sent->board, err);
    if (status == AW_OK)
        status = write_frame(client, (struct aw_span){sent->bytes, sent->size}, err);
    if (status != AW_OK)
        return status;
    note_command(client, sent->board, command);
    int gain = aw_canpid_gain_find(command->codec->message->name);
    if (gain < 0)
        return AW_OK;
    client->gains[aw_canpid_gain_index(sent->board, sent->controller, (enum aw_canpid_gain)gain)] =
        (struct aw_gain){true, (float)aw_record_get(command, "value"),
                         aw_clock_now(client->link->clock) + client->options.wall_ns};
    return AW_OK;
}

bool aw_canpid_note_command(struct aw_canpid *client, struct aw_span frame,
                            struct aw_canpid_sent *sent)
{
    struct aw_record command;
    struct aw_error ignored;
    *sent = (struct aw_canpid_sent){.controller = AW_CANPID_LAST, .setpoint = (double)NAN};
    if (frame.size < 2 || !is_command(get_id(frame.data)) ||
        aw_wire_decode(&client->wire, AW_TX, frame, &command, &ignored) != AW_OK ||
        command.codec->message->head) /* for another node */
        return false;
    describe_sent(&command, frame.data, sent);
    check_switch(client, &command, sent, &ignored);
    note_command(client, sent->board, &command);
    aw_canpid_board(client, sent->board)->sent_ns = aw_clock_now(client->link->clock);
    return true;
}

static void init_command(struct aw_wire *wire, const char *message, unsigned board, int controller,
                         double value, struct aw_record *command)
{
    aw_record_init(command, aw_wire_codec(wire, message, AW_TX), AW_TX);
    aw_record_set(command, "board", board, NULL);
    aw_record_set(command, "controller", controller, NULL);
    int scalar = aw_codec_find(command->codec, "value");
    command->v[scalar] = value; /* the encoder reports invalid values */
    command->present |= UINT64_C(1) << scalar;
}

void aw_canpid_build_gain(struct aw_wire *wire, const struct aw_canpid_gain_at *gain,
                          struct aw_record *command)
{
    init_command(wire, aw_canpid_gain_name(gain->gain), gain->board, gain->controller, gain->value,
                 command);
}

enum aw_status aw_canpid_set_gain(struct aw_canpid *client, const struct aw_canpid_gain_at *gain,
                                  struct aw_canpid_sent *sent, struct aw_error *err)
{
    struct aw_record command;
    aw_canpid_build_gain(&client->wire, gain, &command);
    return aw_canpid_send(client, &command, sent, err);
}

/* Converts a fraction to the table's unit for this controller. */
void aw_canpid_build_setpoint(struct aw_wire *wire, unsigned board, int controller,
                              double normalised, struct aw_record *command)
{
    init_command(wire, "setpoint", board, controller,
                 normalised * aw_canpid_setpoint_scale(controller), command);
}

void aw_canpid_build_disable(const struct aw_canpid *client, struct aw_wire *wire, unsigned board,
                             int controller, struct aw_record *command)
{
    int last = client->boards[board / 32 % AW_CANPID_BOARDS].controller;
    if (controller == AW_CANPID_LAST)
        controller = last == AW_CANPID_LAST ? AW_CANPID_POS : last;
    aw_canpid_build_setpoint(wire, board, controller, AW_CANPID_DISABLE, command);
}

enum aw_status aw_canpid_send_setpoint(struct aw_canpid *client, unsigned board, int controller,
                                       double normalised, struct aw_canpid_sent *sent,
                                       struct aw_error *err)
{
    struct aw_record command;
    aw_canpid_build_setpoint(&client->wire, board, controller, normalised, &command);
    return aw_canpid_send(client, &command, sent, err);
}

/* ---- Receiving ---- */

/* Reads a frame. After a pause, frames that are available at once have waited in the link, until a
 * read finds none. */
static enum aw_status read_frame(struct aw_canpid *client, int64_t deadline, size_t *size,
                                 struct aw_error *err)
{
    static const int64_t immediate_ns = AW_MILLISECOND;
    struct aw_link *link = client->link;
    int64_t start_ns = aw_clock_now(link->clock);
    if (client->read_ns != INT64_MIN && start_ns - client->read_ns > AWAY_NS)
        client->arrival_min_ns = client->read_ns;
    enum aw_status status =
        aw_link_read(link, client->frame, sizeof client->frame, size, deadline, err);
    client->read_ns = aw_clock_now(link->clock);
    if (status == AW_TIMEOUT || client->read_ns - start_ns > immediate_ns)
        client->arrival_min_ns = AW_NEVER;
    return status;
}

enum aw_status aw_canpid_receive(struct aw_canpid *client, int64_t deadline,
                                 struct aw_received *received, struct aw_error *err)
{
    struct aw_link *link = client->link;
    struct aw_record *record = &client->record;
    size_t size = 0;
    enum aw_status status = read_frame(client, deadline, &size, err);
    *received = (struct aw_received){
        .frame = {client->frame, size},
        .dir = AW_RX,
        .time_ns = size && link->rx.time_ns ? link->rx.time_ns : AW_NO_TIME,
        .notice = status == AW_EVENT && link->rx.event[0] ? link->rx.event : NULL};
    if (status != AW_OK)
        return status;
    status = aw_wire_decode(&client->wire, AW_RX, received->frame, record, err);
    if (status != AW_OK) {
        client->counters.malformed++;
        return status;
    }
    record->time_ns = received->time_ns;
    received->record = record;
    received->dir = record->dir;
    unsigned id = get_id(client->frame);
    if (record->codec->message->head) { /* from another node */
        client->counters.others++;
    } else if (record->dir == AW_RX) {
        handle_telemetry(client, id, record);
    } else {
        client->counters.commands_seen++;
        note_command(client, id, record);
    }
    return AW_OK;
}

enum aw_status aw_canpid_idle(struct aw_canpid *client, int64_t deadline, aw_received_fn *fn,
                              void *context, struct aw_error *err)
{
    /* A bus that is never silent must not delay the deadline. */
    while (aw_clock_now(client->link->clock) <= deadline) {
        struct aw_received received;
        enum aw_status status = aw_canpid_receive(client, deadline, &received, err);
        if (status == AW_STOPPED || status == AW_LOST || status == AW_USAGE)
            return status;
        bool has_news = status == AW_OK || status == AW_EVENT || received.frame.size;
        if (status == AW_TIMEOUT || (has_news && fn && !fn(context, &received)))
            break;
    }
    return AW_OK;
}

enum aw_status aw_canpid_poll(struct aw_canpid *client, struct aw_error *err)
{
    int64_t start = aw_clock_now(client->link->clock), now = start;
    enum aw_status status = AW_OK;
    for (; status != AW_TIMEOUT && now - start < POLL_NS; now = aw_clock_now(client->link->clock)) {
        struct aw_received received;
        status = aw_canpid_receive(client, start, &received, err);
        if (status == AW_STOPPED || status == AW_LOST)
            return status;
    }
    return AW_OK;
}

/* ---- Verifying ---- */

struct verification {
    struct aw_canpid *client;
    const struct aw_canpid_sent *sent;
    aw_received_fn *fn;
    void *context;
    int64_t valid_from_ns; /* earlier frames may have been sent before the command */
    uint64_t seen_count;   /* count of the board's pid telemetry */
    bool received;         /* telemetry has arrived since valid_from_ns */
    int n_disabled;        /* consecutive frames that show it without output */
    bool verified;
};

static bool is_zero(double value)
{
    return fabs(value) < 1e-9;
}

/* Returns true if the telemetry shows this setpoint. Beyond full scale the firmware saturates. */
static bool shows_setpoint(const struct aw_canpid_board *board, double setpoint)
{
    return fabs(board->setpoint / 100 * 32768 - aw_canpid_to_q15(setpoint)) < 1.5;
}

static bool verify_frame(void *context, const struct aw_received *received)
{
    struct verification *check = context;
    const struct aw_canpid_sent *sent = check->sent;
    const struct aw_canpid_board *board = aw_canpid_board(check->client, sent->board);
    uint64_t count = board->streams[AW_CANPID_PID].count;
    if (check->fn)
        check->fn(check->context, received);
    int64_t arrived_ns = aw_canpid_last_ns(&board->streams[AW_CANPID_PID]);
    if (count != check->seen_count && arrived_ns >= check->valid_from_ns) {
        /* Missing output alone proves nothing: an enabled driver at its target has none either. */
        bool shown = shows_setpoint(board, sent->setpoint);
        bool disables = fabs(sent->setpoint) > aw_canpid_setpoint_limit(sent->controller);
        check->received = true;
        check->n_disabled = shown && is_zero(board->output) ? check->n_disabled + 1 : 0;
        check->verified = disables ? check->n_disabled >= 2 : shown;
    }
    check->seen_count = count;
    return !check->verified;
}

static enum aw_status fail_unverified(const struct verification *check, struct aw_error *err)
{
    struct aw_canpid *client = check->client;
    const struct aw_canpid_sent *sent = check->sent;
    char name[AW_CANPID_NAME_MAX];
    aw_canpid_board_name(&client->wire.variant, sent->board, name);
    if (!check->received)
        return aw_fail(err, AW_TIMEOUT, "no telemetry from %s — " AW_CANPID_ADVICE, name);
    const char *unit = aw_canpid_unit(sent->controller);
    return aw_fail(
        err, AW_TIMEOUT,
        "%s: setpoint %.4g %s not confirmed (telemetry: %.4g %s, output %.4g %%) — send it again",
        name, aw_canpid_from_percent(sent->controller, 100 * sent->setpoint), unit,
        aw_canpid_from_percent(sent->controller, aw_canpid_board(client, sent->board)->setpoint),
        unit, aw_canpid_board(client, sent->board)->output);
}

enum aw_status aw_canpid_verify(struct aw_canpid *client, const struct aw_canpid_sent *sent,
                                int64_t deadline, aw_received_fn *fn, void *context,
                                struct aw_error *err)
{
    struct verification check = {
        .client = client,
        .sent = sent,
        .fn = fn,
        .context = context,
        .valid_from_ns =
            aw_clock_now(client->link->clock) + client->options.latency_ms * AW_MILLISECOND,
        .seen_count = aw_canpid_board(client, sent->board)->streams[AW_CANPID_PID].count,
    };
    if (isnan(sent->setpoint))
        return aw_fail(err, AW_USAGE,
                       "only a setpoint can be verified: the telemetry shows nothing else — remove "
                       "--verify");
    enum aw_status status = aw_canpid_idle(client, deadline, verify_frame, &check, err);
    if (status == AW_OK && !check.verified)
        return fail_unverified(&check, err);
    return status;
}

/* ---- Disabling ---- */

struct stopping {
    struct aw_canpid *client;
    int controller;
    uint64_t wanted;
    bool waits;
    struct aw_canpid_stopped result;
    struct {
        unsigned sent;
        int64_t valid_from_ns; /* earlier frames may have been sent before the first disable */
        bool received;         /* telemetry has arrived since then */
        int n_disabled;        /* consecutive frames that show the disable */
    } progress[AW_CANPID_BOARDS];
};

void aw_canpid_last_stop(struct aw_canpid *client, uint64_t boards, aw_frame_fn *add, void *context)
{
    for (; boards; boards &= boards - 1) {
        struct aw_record command;
        struct aw_canpid_sent sent;
        unsigned board = (unsigned)__builtin_ctzll(boards) * 32;
        aw_canpid_build_disable(client, &client->wire, board, AW_CANPID_LAST, &command);
        if (aw_canpid_encode(client, &command, &sent, NULL) == AW_OK)
            add(context, sent.bytes, sent.size);
    }
}

static uint64_t find_unconfirmed(const struct stopping *s)
{
    return s->wanted & ~s->result.confirmed;
}

/* Returns the earliest time of the first disable: half a pace, at most AW_CANPID_PACE_MIN_NS, after
 * the previous frame, when the driver's loop has freed a buffer. INT64_MIN: no previous frame. */
static int64_t get_first_stop_ns(const struct aw_canpid *client, unsigned board)
{
    int64_t sent = client->boards[board / 32].sent_ns;
    int64_t half_pace_ns = (aw_canpid_next_send_ns(client, board) - sent) / 2;
    return sent == INT64_MIN ? sent : sent + aw_min_time(half_pace_ns, AW_CANPID_PACE_MIN_NS);
}

/* Sends the disables that are due, and sets *next to the time of the next one; AW_NEVER: all were
 * sent. The first one is sent even if the clock refuses to wait. */
static enum aw_status send_disables(struct stopping *s, bool wait_refused, int64_t *next,
                                    struct aw_error *err)
{
    struct aw_canpid *client = s->client;
    enum aw_status first_failure = AW_OK;
    *next = AW_NEVER;
    for (uint64_t left = find_unconfirmed(s); left; left &= left - 1) {
        unsigned i = (unsigned)__builtin_ctzll(left);
        bool is_first = s->progress[i].sent == 0, more = s->progress[i].sent < AW_CANPID_STOPS;
        int64_t send_at_ns =
            is_first ? get_first_stop_ns(client, i * 32) : aw_canpid_next_send_ns(client, i * 32);
        bool is_due = !wait_refused && aw_clock_now(client->link->clock) >= send_at_ns;
        if (more && (is_due || (is_first && wait_refused))) {
            struct aw_record command;
            struct aw_canpid_sent sent;
            struct aw_error *failure = first_failure == AW_OK ? err : NULL;
            aw_canpid_build_disable(client, &client->wire, i * 32, s->controller, &command);
            enum aw_status status = aw_canpid_encode(client, &command, &sent, failure);
            if (status == AW_OK)
                status = write_frame(client, (struct aw_span){sent.bytes, sent.size}, failure);
            if (status == AW_OK)
                note_command(client, i * 32, &command);
            if (s->progress[i].sent++ == 0)
                s->progress[i].valid_from_ns =
                    aw_clock_now(client->link->clock) + client->options.latency_ms * AW_MILLISECOND;
            first_failure = first_failure == AW_OK ? status : first_failure;
            send_at_ns = aw_canpid_next_send_ns(client, i * 32);
        }
        if (s->progress[i].sent < AW_CANPID_STOPS && send_at_ns < *next)
            *next = send_at_ns;
    }
    return first_failure;
}

static bool check_disable_frame(void *context, const struct aw_received *received)
{
    struct stopping *s = context;
    if (!received->record || received->record->codec != s->client->codecs[AW_CANPID_PID])
        return true;
    unsigned i = (unsigned)aw_record_get(received->record, "board") / 32 % AW_CANPID_BOARDS;
    const struct aw_canpid_board *board = &s->client->boards[i];
    if (!(find_unconfirmed(s) >> i & 1) || s->progress[i].sent == 0 ||
        aw_canpid_last_ns(&board->streams[AW_CANPID_PID]) < s->progress[i].valid_from_ns)
        return true;
    s->progress[i].received = true;
    s->progress[i].n_disabled = shows_setpoint(board, AW_CANPID_DISABLE) && is_zero(board->output)
                                    ? s->progress[i].n_disabled + 1
                                    : 0;
    /* The telemetry may reflect another program's frame, after which one of ours was lost. */
    if (s->progress[i].n_disabled >= 2 && s->progress[i].sent == AW_CANPID_STOPS)
        s->result.confirmed |= UINT64_C(1) << i;
    return find_unconfirmed(s) != 0;
}

static enum aw_status fail_unconfirmed(const struct stopping *s, struct aw_error *err)
{
    const struct aw_variant *variant = &s->client->wire.variant;
    uint64_t driving = find_unconfirmed(s) & ~s->result.silent;
    char silent[100], driven[100], confirmed[100];
    aw_canpid_board_list(variant, s->result.silent, silent, sizeof silent);
    aw_canpid_board_list(variant, driving, driven, sizeof driven);
    aw_canpid_board_list(variant, s->result.confirmed, confirmed, sizeof confirmed);
    return aw_fail(err, AW_TIMEOUT, "%s%s%s%s%s%s%s%s%s", driven,
                   driving ? ": the telemetry does not show the disable" : "",
                   driving && *silent ? "; " : "", silent,
                   *silent ? ": no telemetry, so the disable is not confirmed" : "",
                   *confirmed ? " (confirmed: " : "", confirmed, *confirmed ? ")" : "",
                   driving ? " — send it again, or cut the power" : " — " AW_CANPID_ADVICE);
}

/* Sets *until to the time of the next action. Returns false at the end. */
static bool schedule_stop(const struct stopping *s, int64_t next, int64_t deadline, int64_t *until)
{
    *until = next;
    for (uint64_t left = find_unconfirmed(s); left; left &= left - 1)
        if (s->progress[__builtin_ctzll(left)].sent == 0)
            return true;
    if (!find_unconfirmed(s) || !s->waits)
        return find_unconfirmed(s) && next != AW_NEVER;
    *until = aw_min_time(next, deadline);
    return aw_clock_now(s->client->link->clock) < deadline;
}

enum aw_status aw_canpid_stop(struct aw_canpid *client, uint64_t boards, int controller,
                              struct aw_canpid_stopped *stopped, struct aw_error *err)
{
    struct stopping s = {.client = client,
                         .controller = controller,
                         .wanted = boards,
                         .waits = client->options.confirm_ms > 0};
    struct aw_error failure = {.status = AW_OK};
    int64_t next, until;
    int64_t deadline =
        aw_clock_now(client->link->clock) + client->options.confirm_ms * AW_MILLISECOND;
    enum aw_status wait_status = AW_OK;
    send_disables(&s, false, &next, &failure);
    while (wait_status == AW_OK && failure.status != AW_LOST &&
           schedule_stop(&s, next, deadline, &until)) {
        wait_status = aw_canpid_idle(client, until, check_disable_frame, &s, err);
        send_disables(&s, wait_status != AW_OK, &next, &failure);
    }
    for (unsigned i = 0; i < AW_CANPID_BOARDS; i++)
        if (find_unconfirmed(&s) >> i & 1 && !s.progress[i].received)
            s.result.silent |= UINT64_C(1) << i;
    if (stopped)
        *stopped = s.result;
    if (!find_unconfirmed(&s))
        return AW_OK;
    if (failure.status != AW_OK)
        return aw_fail(err, failure.status, "%s", failure.text);
    if (wait_status != AW_OK)
        return wait_status;
    return s.waits ? fail_unconfirmed(&s, err) : AW_OK;
}
