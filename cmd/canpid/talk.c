/* Sends canpid's commands: connecting, sending to several boards, the stop. */
#include <limits.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "shell/safety/safety.h"
#include "shell/safety/stop.h"
#include "state.h"
#include "wire/can_id.h"

static struct aw_canpid_options build_options(const struct aw_session *session)
{
    struct aw_canpid_options options = aw_canpid_defaults();
    options.allow_switch = canpid_given(session)->may_switch;
    options.force = session->options.run.force;
    options.protocol = session->wire->protocol;
    if (!isnan(session->options.link.timeout_s))
        options.confirm_ms = (int)fmin(1000 * session->options.link.timeout_s, INT_MAX);
    return options;
}

void canpid_connect(struct aw_session *session, struct aw_link *link)
{
    struct aw_canpid_options options = aw_canpid_defaults();
    struct canpid_state *state = session->state;
    options.protocol = session->wire->protocol;
    memset(state->saved_gains, 0, sizeof state->saved_gains);
    aw_gains_backup(session, NULL);
    aw_canpid_init(&state->client, link, &session->wire->variant, &options);
}

enum aw_status canpid_open(struct aw_session *session)
{
    struct aw_canpid_options options = build_options(session);
    enum aw_status status = aw_session_open_link(session);
    if (status != AW_OK)
        return status;
    if (session->device.link->is_recording)
        options.confirm_ms = 0;
    options.wall_ns = aw_session_time(session) - aw_clock_now(session->clock);
    canpid_state(session)->client.options = options;
    return AW_OK;
}

enum aw_status canpid_poll(struct aw_session *session)
{
    return aw_canpid_poll(canpid_client(session), &session->err);
}

enum aw_status canpid_open_for_send(struct aw_session *session)
{
    struct aw_canpid_options options = build_options(session);
    if (!session->options.run.dry_run)
        return canpid_open(session);
    aw_canpid_init(canpid_client(session), NULL, &session->wire->variant, &options);
    return AW_OK;
}

static const char *list_boards(struct aw_session *session, uint64_t boards)
{
    struct canpid_state *state = canpid_state(session);
    return aw_canpid_board_list(&session->wire->variant, boards, state->lists[0],
                                sizeof state->lists[0]);
}

/* The outcome of a command at all of its boards. */
struct outcome {
    uint64_t boards;
    bool switches, verified;
    int controller;
};

static void report(struct aw_session *session, const char *cmd, const struct aw_record *commands,
                   size_t n, const struct outcome *outcome)
{
    struct aw_object *object = &session->result;
    aw_object_start(object, cmd);
    aw_object_add_text(object, "board", list_boards(session, outcome->boards));
    if (outcome->controller != AW_CANPID_LAST)
        aw_object_add_text(object, "controller", aw_canpid_controller_name(outcome->controller));
    for (size_t i = 0; i < n; i++) {
        int scalar = aw_codec_find(commands[i].codec, "value");
        const char *message = commands[i].codec->message->name;
        if (scalar >= 0 && !commands[i].codec->scalars[scalar].field->optional)
            aw_object_add_number(object, strcmp(cmd, "set") == 0 ? message : "value",
                                 commands[i].v[scalar], -1,
                                 aw_scalar_range(commands[i].codec, scalar, &commands[i]).unit);
    }
    aw_object_add_text(object, "result", outcome->verified ? "verified" : "sent");
    if (outcome->switches)
        aw_object_add_truth(object, "switches", true);
}

static void set_ongoing(struct aw_session *session, uint64_t boards)
{
    char names[256];
    canpid_state(session)->ongoing = boards;
    session->motion.ongoing = boards ? AW_ONGOING_RUNNING : AW_ONGOING_NOTHING;
    session->motion.activity[0] = '\0';
    if (!boards)
        return;
    snprintf(session->motion.activity, sizeof session->motion.activity, "%.90s %s enabled",
             aw_canpid_board_list(&session->wire->variant, boards, names, sizeof names),
             boards & (boards - 1) ? "stay" : "stays");
}

void canpid_note_enabled(struct aw_session *session, uint64_t boards)
{
    set_ongoing(session, canpid_state(session)->ongoing | boards);
}

void canpid_note_disabled(struct aw_session *session, uint64_t boards)
{
    set_ongoing(session, canpid_state(session)->ongoing & ~boards);
}

/* An accepted setpoint enables the driver; so may a gain or precompression that switches the
 * controller. */
static bool may_enable(const struct aw_canpid_sent *sent)
{
    bool switches = isnan(sent->setpoint) && (sent->switches || sent->may_switch);
    return switches || fabs(sent->setpoint) <= 1;
}

/* Records which drivers are enabled after a command. Only a verified disable ends that. */
static void note_sent(struct aw_session *session, const struct aw_canpid_sent *sent, bool verified)
{
    struct canpid_state *state = session->state;
    if (may_enable(sent)) {
        state->driven |= AW_CANPID_BIT(sent->board);
        aw_session_start_motion(session);
        set_ongoing(session, state->ongoing | state->driven);
    } else if (!isnan(sent->setpoint) && verified) {
        canpid_note_disabled(session, AW_CANPID_BIT(sent->board));
    }
}

/* Prepares the stop before the first byte is sent, because an adapter may take a while to accept
 * the frame. */
static enum aw_status prepare_and_send(struct aw_session *session, const struct aw_record *command,
                                       struct aw_canpid_sent *sent)
{
    struct canpid_state *state = session->state;
    uint64_t driven = state->driven;
    bool moving = session->motion.moving;
    if (may_enable(sent)) {
        state->driven |= AW_CANPID_BIT(sent->board);
        aw_session_start_motion(session);
    }
    enum aw_status status = aw_canpid_send(&state->client, command, sent, &session->err);
    if (status == AW_OK) {
        note_sent(session, sent, false);
    } else if (status != AW_STOPPED) {
        state->driven = driven;
        session->motion.moving = moving;
    }
    return status;
}

/* Remembers an unnamed board that a client commands, so that a stop includes it. */
static void note_board(struct aw_session *session, struct aw_span frame)
{
    struct canpid_state *state = session->state;
    struct aw_record record;
    struct aw_can_id can = frame.size >= 2 && aw_can_head_size(frame)
                               ? aw_can_id_of(frame.data)
                               : (struct aw_can_id){.is_long = true};
    if (!can.is_long && aw_wire_decode(session->wire, AW_TX, frame, &record, NULL) != AW_OK)
        state->boards.numbers |= AW_CANPID_BIT(can.id);
}

enum aw_motion_effect canpid_note_frame(struct aw_session *session, bool tx, struct aw_span frame)
{
    struct canpid_state *state = session->state;
    struct aw_canpid_sent sent;
    if (tx)
        note_board(session, frame);
    if (!tx || !aw_canpid_note_command(&state->client, frame, &sent))
        return tx ? AW_EFFECT_MOVES : AW_EFFECT_NONE;
    if (may_enable(&sent))
        state->ongoing |= AW_CANPID_BIT(sent.board);
    else if (!isnan(sent.setpoint))
        state->ongoing &= ~AW_CANPID_BIT(sent.board);
    return state->ongoing ? AW_EFFECT_MOVES : AW_EFFECT_ENDS;
}

int64_t canpid_next_send_ns(struct aw_session *session, struct aw_span frame)
{
    struct canpid_state *state = session->state;
    unsigned id = frame.size < 2 ? 0 : frame.data[0] | (unsigned)frame.data[1] << 8;
    return frame.size < 2 ? INT64_MIN : aw_canpid_next_send_ns(&state->client, id);
}

enum aw_status canpid_send(struct aw_session *session, struct aw_record *command,
                           struct aw_canpid_sent *sent)
{
    struct aw_canpid *client = canpid_client(session);
    enum aw_status status = aw_canpid_encode(client, command, sent, &session->err);
    if (status == AW_OK && session->options.run.dry_run)
        return aw_session_show_dry_run(session, command, (struct aw_span){sent->bytes, sent->size});
    if (status == AW_OK)
        status = aw_session_announce(session, command);
    if (status == AW_OK && sent->may_switch)
        aw_session_print_notice(session,
                                "active controller unknown: this may switch the controller of %s",
                                list_boards(session, AW_CANPID_BIT(sent->board)));
    if (status == AW_OK)
        status = prepare_and_send(session, command, sent);
    return status;
}

/* Returns the time limit of --verify, from --timeout. */
static int64_t get_verify_ns(const struct aw_session *session)
{
    double seconds = aw_number_or(session->options.link.timeout_s, 0.5);
    return canpid_given(session)->verify ? (int64_t)(seconds * 1e9) : 0;
}

static enum aw_status send_to_board(struct aw_session *session, struct aw_record *command,
                                    unsigned board, int64_t verify_ns, struct outcome *outcome)
{
    struct aw_canpid *client = canpid_client(session);
    struct aw_canpid_sent sent;
    aw_record_set(command, "board", board, NULL);
    enum aw_status status = canpid_send(session, command, &sent);
    if (status != AW_OK || session->options.run.dry_run)
        return status;
    outcome->boards |= AW_CANPID_BIT(board);
    outcome->controller = sent.controller;
    outcome->switches = outcome->switches || sent.switches;
    if (verify_ns > 0)
        status = aw_canpid_verify(client, &sent, aw_clock_now(session->clock) + verify_ns, NULL,
                                  NULL, &session->err);
    note_sent(session, &sent, verify_ns > 0 && status == AW_OK);
    return status;
}

/* Checks all commands before it sends the first one. */
static enum aw_status check_all(struct aw_session *session, struct aw_record *commands,
                                const uint64_t *boards, size_t n)
{
    enum aw_status status = canpid_open_for_send(session);
    for (size_t i = 0; i < n; i++)
        for (uint64_t remaining = boards[i]; status == AW_OK && remaining;
             remaining &= remaining - 1) {
            aw_record_set(&commands[i], "board", canpid_find_first_board(remaining), NULL);
            status = aw_canpid_encode(canpid_client(session), &commands[i], NULL, &session->err);
        }
    return status;
}

enum aw_status canpid_send_all(struct aw_session *session, struct aw_record *commands, size_t n)
{
    uint64_t boards[3];
    enum aw_status status = canpid_parse_boards(session, &boards[0]);
    boards[1] = boards[2] = boards[0];
    return status == AW_OK ? canpid_send_each(session, commands, boards, n) : status;
}

enum aw_status canpid_send_each(struct aw_session *session, struct aw_record *commands,
                                const uint64_t *boards, size_t n)
{
    int64_t verify_ns = get_verify_ns(session);
    struct outcome outcome = {.verified = verify_ns > 0, .controller = AW_CANPID_LAST};
    canpid_state(session)->driven = 0;
    enum aw_status status = check_all(session, commands, boards, n);
    for (size_t i = 0; i < n && status == AW_OK; i++)
        for (uint64_t left = boards[i]; left && status == AW_OK; left &= left - 1)
            status = send_to_board(session, &commands[i], canpid_find_first_board(left), verify_ns,
                                   &outcome);
    if (status == AW_OK && outcome.boards)
        report(session, session->run.command->name, commands, n, &outcome);
    else if (status != AW_OK && outcome.boards)
        aw_session_print_notice(
            session, "%s had already received the command — check its state with 'status'",
            list_boards(session, outcome.boards));
    session->motion.moving = session->motion.moving && (status == AW_STOPPED || session->out.error);
    if (outcome.boards && !session->motion.moving)
        canpid_save_gains(session);
    return status;
}

enum aw_status canpid_wait(struct aw_session *session, double seconds)
{
    int64_t deadline = aw_time_after(aw_clock_now(session->clock), seconds);
    return aw_canpid_idle(canpid_client(session), deadline, NULL, NULL, &session->err);
}

enum aw_status canpid_await_telemetry(struct aw_session *session, unsigned board)
{
    static const double timeout_s = 2;
    struct aw_canpid *client = canpid_client(session);
    const struct aw_canpid_stream *stream = &aw_canpid_board(client, board)->streams[AW_CANPID_PID];
    int64_t deadline = aw_clock_now(session->clock) + (int64_t)(timeout_s * 1e9);
    uint64_t count_before = stream->count;
    char name[AW_CANPID_NAME_MAX];
    enum aw_status status = AW_OK;
    while (status == AW_OK && stream->count == count_before &&
           aw_clock_now(session->clock) < deadline)
        status = canpid_wait(session, 0.02);
    if (status == AW_OK && stream->count == count_before)
        return aw_fail(&session->err, AW_TIMEOUT, "no telemetry from %s — " AW_CANPID_ADVICE,
                       aw_canpid_board_name(&session->wire->variant, board, name));
    return status;
}

/* Disables, restores the gains, and disables again. Otherwise the old gains would act on the
 * setpoint of an experiment; the last frame to a driver is always a disable. A driver whose
 * telemetry stopped may still receive, so it gets all of them. */
static enum aw_status disable_boards(struct aw_session *session, uint64_t boards, bool *confirmed)
{
    struct canpid_state *state = session->state;
    struct aw_canpid *client = &state->client;
    for (unsigned i = 0; i < AW_CANPID_BOARDS; i++)
        if (boards & UINT64_C(1) << i)
            state->monitors[i].commanded = NAN; /* a disabled driver is no fault from here on */
    enum aw_status status = aw_canpid_stop(client, boards, AW_CANPID_LAST, NULL, &session->err);
    *confirmed = status == AW_OK;
    if (status == AW_STOPPED || status == AW_LOST || !aw_gains_get_backup(session))
        return status;
    enum aw_status restore_status = aw_gains_send_backup(session);
    struct aw_error cause = session->err;
    status = aw_canpid_stop(client, boards, AW_CANPID_LAST, NULL, &session->err);
    *confirmed = status == AW_OK;
    if (status != AW_OK)
        return status; /* the next stop restores the gains */
    aw_gains_backup(session, NULL);
    session->err = cause;
    return restore_status;
}

enum aw_status canpid_end_motion(struct aw_session *session, enum aw_status status)
{
    struct canpid_state *state = session->state;
    struct aw_error cause = session->err;
    bool confirmed;
    enum aw_status ended = disable_boards(session, state->driven, &confirmed);
    if (confirmed) {
        session->motion.moving = false;
        canpid_note_disabled(session, state->driven);
    }
    if (status == AW_OK)
        return ended;
    session->err = cause;
    return status;
}

static void add_pause(struct aw_session *session, unsigned id, aw_frame_fn *add, void *context)
{
    const struct aw_canpid *client = &canpid_state(session)->client;
    int64_t pace =
        aw_canpid_next_send_ns(client, id) - client->boards[id / 32 % AW_CANPID_BOARDS].sent_ns;
    for (int64_t paused = 0; paused < pace;
         paused += session->tool->safety.stop_gap_ms * AW_MILLISECOND)
        add(context, NULL, 0);
}

/* Adds the frames of disable_boards(): old gains between two disables, at the pace of each
 * board. */
void canpid_last_stop(struct aw_session *session, aw_frame_fn *add, void *context)
{
    struct canpid_state *state = session->state;
    struct aw_canpid *client = &state->client;
    const struct aw_gain_list *old = aw_gains_get_backup(session);
    uint64_t boards = state->driven | state->ongoing;
    struct aw_canpid_gain_at gain = {0};
    aw_canpid_last_stop(client, boards, add, context);
    for (size_t i = old ? old->n : 0; i > 0; i--) {
        struct aw_record command;
        struct aw_canpid_sent sent;
        gain = aw_canpid_gain_at((size_t)old->entries[i - 1].index, old->entries[i - 1].value);
        aw_canpid_build_gain(&client->wire, &gain, &command);
        if (aw_canpid_encode(client, &command, &sent, NULL) != AW_OK)
            continue;
        add_pause(session, sent.bytes[0] | (unsigned)sent.bytes[1] << 8, add, context);
        add(context, sent.bytes, sent.size);
    }
    if (!old)
        return;
    add_pause(session, gain.board, add, context);
    aw_canpid_last_stop(client, boards, add, context);
}

enum aw_status canpid_safe_stop(struct aw_session *session)
{
    struct canpid_state *state = session->state;
    int default_ms = aw_canpid_defaults().confirm_ms,
        *confirm_ms = &state->client.options.confirm_ms;
    *confirm_ms = *confirm_ms < default_ms ? *confirm_ms : default_ms; /* stops should be fast */
    bool has_old_gains = aw_gains_get_backup(session), confirmed;
    enum aw_status status = disable_boards(session, state->driven | state->ongoing, &confirmed);
    struct aw_error cause = session->err;
    if (status == AW_STOPPED && !confirmed)
        return aw_fail(&session->err, status,
                       "stop sent, not confirmed: interrupted while "
                       "waiting");
    if (!confirmed)
        return aw_fail(&session->err, status, "stop sent, not confirmed%s: %s",
                       !has_old_gains      ? ""
                       : status == AW_LOST ? "; could not restore the previous gains"
                                           : "; the previous gains were sent, but not confirmed",
                       cause.text);
    set_ongoing(session, 0);
    if (status == AW_OK)
        aw_stop_set_effect(session, "disabled the driver%s",
                           has_old_gains ? ", restored its previous gains" : "");
    return status;
}
