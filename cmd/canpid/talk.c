#include <limits.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "state.h"

/* One command for named boards needs no frame of the others: the kernel leaves them out. */
static void filter_boards(struct aw_session *session)
{
    struct pid_state *state = session->state;
    const char *url;
    uint64_t boards;
    if (!session->one_shot || session->link || !aw_flag(session, "board") ||
        aw_session_url(session, &url) != AW_OK || strncmp(url, "can:", 4) != 0 ||
        strstr(url, "filter=") || pid_boards(session, &boards) != AW_OK)
        return;
    size_t used = (size_t)snprintf(state->url, sizeof state->url, "%s%cfilter=", url,
                                   strchr(url, '?') ? '&' : '?');
    for (const char *comma = ""; boards && used + 16 < sizeof state->url; boards &= boards - 1) {
        used += (size_t)snprintf(state->url + used, sizeof state->url - used, "%s%03X/7E0", comma,
                                 pid_first_board(boards));
        comma = ",";
    }
    if (used + 16 < sizeof state->url)
        aw_options_set(&session->options, "link", state->url, AW_FROM_COMMAND_LINE, NULL);
}

static struct aw_pid_options pid_options(const struct aw_session *session)
{
    struct aw_pid_options options = aw_pid_defaults();
    options.allow_switch = aw_flag(session, "switch");
    options.force = aw_flag(session, "force");
    if (aw_flag(session, "timeout"))
        options.confirm_ms = (int)fmin(1000 * aw_option_number(session, "timeout"), INT_MAX);
    return options;
}

enum aw_status pid_ready(struct aw_session *session)
{
    struct pid_state *state = session->state;
    struct aw_pid_options options = pid_options(session);
    struct aw_link *link;
    filter_boards(session);
    enum aw_status status = aw_session_link(session, &link);
    if (status != AW_OK)
        return status;
    if (link->recorded)
        options.confirm_ms = 0;
    if (state->link != link)
        aw_pid_init(&state->pid, link, &session->wire->variant, &options);
    state->pid.options = options;
    state->link = link;
    return AW_OK;
}

enum aw_status pid_ready_to_make(struct aw_session *session)
{
    struct aw_pid_options options = pid_options(session);
    if (!aw_flag(session, "dry-run"))
        return pid_ready(session);
    aw_pid_init(pid_of(session), NULL, &session->wire->variant, &options);
    return AW_OK;
}

static void report(struct aw_session *session, const struct aw_record *command,
                   const struct aw_pid_sent *sent, const char *result)
{
    char *name = ((struct pid_state *)session->state)->name;
    struct aw_object *object = &session->result;
    aw_object_start(object, command->codec->message->name);
    aw_object_text(object, "board", aw_pid_board_name(&session->wire->variant, sent->board, name));
    if (sent->controller != AW_PID_LAST)
        aw_object_text(object, "controller", aw_pid_controller_name(sent->controller));
    double value = aw_record_get(command, "value");
    if (value == value)
        aw_object_number(object, "value", value, -1, NULL);
    aw_object_text(object, "result", result);
    if (sent->switches)
        aw_object_truth(object, "switches", true);
}

static void leave(struct aw_session *session, uint64_t boards)
{
    ((struct pid_state *)session->state)->left = boards;
    session->left = boards ? AW_LEFT_RUNNING : AW_LEFT_NOTHING;
}

void pid_disabled(struct aw_session *session, uint64_t boards)
{
    leave(session, ((struct pid_state *)session->state)->left & ~boards);
}

/* A setpoint that the controller takes enables the driver, until another one disables it, which is
 * so when the telemetry shows it. */
static void note_setpoint(struct aw_session *session, const struct aw_pid_sent *sent, bool verified)
{
    struct pid_state *state = session->state;
    if (fabs(sent->setpoint) <= 1) {
        state->driven |= AW_PID_BIT(sent->board);
        session->moving = true;
        leave(session, state->left | state->driven);
    } else if (!isnan(sent->setpoint) && verified) {
        pid_disabled(session, AW_PID_BIT(sent->board));
    }
}

static enum aw_status send_one(struct aw_session *session, struct aw_record *command,
                               unsigned board, int64_t verify_ns)
{
    struct aw_pid *pid = pid_of(session);
    struct aw_pid_sent sent;
    aw_session_print_result(session);
    aw_record_set(command, "board", board, NULL);
    enum aw_status status = aw_pid_check(pid, command, &sent, &session->err);
    if (status == AW_OK && aw_flag(session, "dry-run"))
        return aw_session_dry_run(session, command, (struct aw_span){sent.bytes, sent.size});
    if (status == AW_OK)
        status = aw_session_announce(session, command);
    if (status == AW_OK && sent.unknown)
        aw_session_say(session, "which controller is active is not known: this may switch %s over",
                       aw_option(session, "board"));
    if (status == AW_OK)
        status = aw_pid_send(pid, command, &sent, &session->err);
    if (status != AW_OK)
        return status;
    note_setpoint(session, &sent, false);
    if (verify_ns > 0)
        status = aw_pid_verify(pid, &sent, aw_clock_now(session->clock) + verify_ns, NULL, NULL,
                               &session->err);
    bool verified = verify_ns > 0 && status == AW_OK;
    note_setpoint(session, &sent, verified);
    report(session, command, &sent, verified ? "verified" : "sent");
    return status;
}

enum aw_status pid_send_all(struct aw_session *session, struct aw_record *command,
                            int64_t verify_ns)
{
    uint64_t boards;
    enum aw_status status = pid_boards(session, &boards);
    ((struct pid_state *)session->state)->driven = 0;
    if (status == AW_OK)
        status = pid_ready_to_make(session);
    for (; status == AW_OK && boards; boards &= boards - 1)
        status = send_one(session, command, pid_first_board(boards), verify_ns);
    session->moving = session->moving && (status == AW_STOPPED || session->out.error);
    return status;
}

enum aw_status pid_wait(struct aw_session *session, double seconds)
{
    int64_t deadline = aw_clock_now(session->clock) + (int64_t)(seconds * 1e9);
    return aw_pid_poll(pid_of(session), deadline, NULL, NULL, &session->err);
}

struct round {
    aw_pid_frame_fn *fn;
    void *context;
    bool any, enough;
    bool waiting; /* one frame ends the wait */
};

static bool in_round(void *context, const struct aw_pid_frame *frame)
{
    struct round *round = context;
    round->any = true;
    round->enough = !round->fn(round->context, frame);
    return !round->enough && !round->waiting;
}

enum aw_status pid_round(struct aw_session *session, int64_t deadline, aw_pid_frame_fn *fn,
                         void *context)
{
    static const int64_t drain_ns = 200 * AW_MICROSECOND, busy_ns = 4 * AW_MILLISECOND,
                         idle_ns = 20 * AW_MILLISECOND;
    struct round round = {.fn = fn, .context = context};
    int64_t now = aw_clock_now(session->clock);
    enum aw_status status =
        aw_pid_poll(pid_of(session), now + drain_ns, in_round, &round, &session->err);
    if (status != AW_OK || round.enough)
        return status;
    int64_t rest = now + (round.any ? busy_ns : idle_ns);
    if (rest > deadline)
        rest = deadline;
    round.waiting = true;
    return round.any ? aw_clock_sleep(session->clock, rest)
                     : aw_pid_poll(pid_of(session), rest, in_round, &round, &session->err);
}

enum aw_status pid_telemetry(struct aw_session *session, unsigned board)
{
    static const double patience_s = 2;
    struct aw_pid *pid = pid_of(session);
    const struct aw_pid_stream *stream = &aw_pid_board(pid, board)->streams[AW_PID_PID];
    int64_t deadline = aw_clock_now(session->clock) + (int64_t)(patience_s * 1e9);
    uint64_t before = stream->count;
    enum aw_status status = AW_OK;
    while (status == AW_OK && stream->count == before && aw_clock_now(session->clock) < deadline)
        status = pid_wait(session, 0.02);
    if (status == AW_OK && stream->count == before)
        return aw_fail(&session->err, AW_TIMEOUT,
                       "no telemetry from %s — is the board powered, and the bus up?",
                       aw_option(session, "board"));
    return status;
}

enum aw_status pid_end_motion(struct aw_session *session)
{
    struct pid_state *state = session->state;
    enum aw_status status =
        aw_pid_disable(&state->pid, state->driven, AW_PID_LAST, NULL, &session->err);
    if (status != AW_OK)
        return status;
    session->moving = false;
    pid_disabled(session, state->driven);
    return AW_OK;
}

enum aw_status pid_safe_stop(struct aw_session *session)
{
    struct pid_state *state = session->state;
    enum aw_status status =
        aw_pid_disable(&state->pid, state->driven | state->left, AW_PID_LAST, NULL, &session->err);
    if (status == AW_OK) {
        leave(session, 0);
        aw_session_say(session, "stopped: disabled the driver");
    } else if (status == AW_STOPPED) {
        aw_session_say(session, "the driver was told to stop; whether it did was not waited for");
    } else {
        aw_session_tell(session, "%s: the stop is not confirmed: %s\n", session->tool->name,
                        session->err.text);
    }
    return status;
}
