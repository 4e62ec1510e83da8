/* The conversation with the simulator: connecting, waiting with progress messages, reconnecting,
 * and the safe stop. */
#include <inttypes.h>
#include <limits.h>
#include <math.h>
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>
#include <unistd.h>

#include "link/core/tcp.h"
#include "shell/custom/custom_joints.h"
#include "shell/safety/safety.h"
#include "shell/safety/stop.h"
#include "state.h"

#define NOTICE_NS    (1 * AW_SECOND)       /* time without a message that is reported */
#define RETRY_MIN_NS (50 * AW_MILLISECOND) /* pause before reconnecting, doubled each time */
#define RETRY_MAX_NS (1 * AW_SECOND)
#define APPLIED_NS   (250 * AW_MILLISECOND) /* time in which the simulator applies the stop */
#define LOCK_STEP_NS (AW_SECOND / 2)        /* wait after which a simulator counts as lock-step */

static bool is_same_wire(const struct aw_ezphys *ez, const struct aw_session *session)
{
    return ez->wire.protocol == session->wire->protocol &&
           memcmp(&ez->wire.variant, &session->wire->variant, sizeof ez->wire.variant) == 0;
}

static enum aw_status prepare_client(struct aw_session *session)
{
    struct ezphys_state *state = ezphys_state(session);
    struct aw_ezphys *ez = ezphys_client(session);
    bool *has_client = ez == &state->dry ? &state->has_dry : &state->has_client;
    enum aw_status status = ezphys_read_names(session);
    if (status == AW_OK && (!*has_client || !is_same_wire(ez, session))) {
        aw_ezphys_free(ez);
        status =
            aw_ezphys_init(ez, &session->wire->variant, &state->name_sets.names, &session->err);
        if (status == AW_OK && session->device.custom.packets)
            aw_wire_init(&ez->wire, session->wire->protocol, &session->wire->variant, false);
        *has_client = status == AW_OK;
    }
    ez->never_answers = ezphys_given(session)->listen_only;
    ez->wire.lenient = session->wire->lenient;
    return status;
}

enum aw_status ezphys_open(struct aw_session *session)
{
    struct ezphys_state *state = ezphys_state(session);
    enum aw_status status = prepare_client(session);
    if (status == AW_OK)
        status = aw_session_open_link(session);
    if (status != AW_OK)
        return status;
    if (!state->ez.link) { /* a new link, or the client has another wire */
        aw_ezphys_attach(&state->ez, session->device.link);
        state->next = 0;
        state->pace.lock_step = session->device.link->is_simulated && !state->pace.real_time;
        if (*session->device.link->client_url && !session->options.print.quiet)
            fprintf(stderr, "ready: %s\n", session->device.link->client_url);
    }
    return AW_OK;
}

enum aw_status ezphys_check_send(struct aw_session *session)
{
    return ezphys_given(session)->listen_only
               ? aw_fail(&session->err, AW_USAGE,
                         "--listen-only: commands are not sent — remove the option")
               : AW_OK;
}

int64_t ezphys_get_deadline(const struct aw_session *session)
{
    static const double default_s = 5;
    double seconds = session->options.link.timeout_s;
    return aw_clock_now(session->clock) + (int64_t)((seconds > 0 ? seconds : default_s) * 1e9);
}

/* Explains silence, as the end of a message: a simulator may serve another program. */
static const char *write_silence_reason(struct aw_session *session, char out[160])
{
    char client[96];
    if (aw_tcp_find_other_client(aw_link_fd(ezphys_state(session)->ez.link), client, sizeof client))
        snprintf(out, 160, ": in use by %s — end that program first", client);
    else
        snprintf(out, 160, " — check that the simulation runs and Send is on");
    return out;
}

static void report_waiting(struct aw_session *session)
{
    struct ezphys_state *state = ezphys_state(session);
    const struct aw_link *link = state->ez.link;
    char reason[160];
    if (state->problems.reported_waiting)
        return;
    state->problems.reported_waiting = true;
    if (link->no_client)
        aw_session_print_notice(session, "waiting for a simulator to connect to %s",
                                link->client_url);
    else if (state->ez.counters.messages)
        aw_session_print_notice(
            session, "waiting for %s: no message for a second — check whether it is paused",
            link->key);
    else
        aw_session_print_notice(session, "waiting for %s: no message yet%s", link->key,
                                write_silence_reason(session, reason));
}

/* Logs damaged messages, the first few times. */
static void report_problems(struct aw_session *session)
{
    static const uint64_t reported_max = 5;
    struct ezphys_state *state = ezphys_state(session);
    uint64_t count = state->ez.counters.malformed;
    if (count != state->problems.reported && state->problems.reported < reported_max)
        aw_session_print_notice(session, "%s (%" PRIu64 " so far)", state->ez.problem, count);
    state->problems.reported = count;
}

/* Reopens a lost link, with increasing pauses. */
static enum aw_status reconnect(struct aw_session *session, int64_t deadline)
{
    struct aw_error cause = session->err;
    enum aw_status status = AW_LOST;
    const char *url = "";
    aw_session_get_url(session, &url);
    int64_t pause_ns = RETRY_MIN_NS;
    aw_session_print_notice(session, "%s", cause.text);
    for (bool reported = false; status == AW_LOST || status == AW_NO_LINK;) {
        int64_t now = aw_clock_now(session->clock), next = now + pause_ns;
        aw_session_close_link(session);
        if (now >= deadline)
            return AW_TIMEOUT;
        status = aw_clock_sleep(session->clock, aw_min_time(next, deadline));
        if (status == AW_OK)
            status = ezphys_open(session);
        if (status == AW_NO_LINK && !reported)
            aw_session_print_notice(session, "waiting for %s: %s", url, session->err.text);
        reported = reported || status == AW_NO_LINK;
        pause_ns = aw_min_time(2 * pause_ns, RETRY_MAX_NS);
    }
    if (status == AW_OK)
        aw_session_print_notice(session, "reconnected");
    return status;
}

/* Waits for one event. AW_EVENT: continue. */
static enum aw_status wait_message(struct aw_session *session, int64_t deadline,
                                   enum ezphys_retry retry)
{
    struct ezphys_state *state = ezphys_state(session);
    int64_t notice_ns = aw_clock_now(session->clock) + NOTICE_NS;
    double before = aw_ezphys_state_time(&state->ez.state);
    enum aw_status status =
        aw_ezphys_receive(&state->ez, aw_min_time(deadline, notice_ns), NULL, &session->err);
    double passed_s = aw_ezphys_state_time(&state->ez.state) - before;
    if (aw_session_is_virtual(session) && passed_s > 0)
        aw_clock_sleep(session->clock, aw_time_after(aw_clock_now(session->clock), passed_s));
    state->next = 0;
    if (status == AW_TIMEOUT && notice_ns < deadline) {
        report_waiting(session);
        return AW_EVENT;
    }
    if (status == AW_EVENT) {
        state->problems.reported_waiting = state->pace.lock_step = false;
        aw_session_print_notice(session, "simulator connected");
    }
    /* a server reconnects by itself */
    bool may_reconnect = !session->share.attached && !session->share.server;
    if (status == AW_LOST && retry == EZ_RECONNECT && !state->ez.link->is_recording &&
        may_reconnect) {
        status = reconnect(session, deadline);
        return status == AW_OK ? AW_EVENT : status;
    }
    return status;
}

/* Counts the answers given only to read, because each one advances the simulation. */
static void count_read_answers(struct aw_session *session, int64_t step, uint64_t epoch)
{
    struct ezphys_state *state = ezphys_state(session);
    const struct aw_ezphys_state *now = &state->ez.state;
    bool is_private = state->ez.link->is_simulated || state->ez.link->is_recording;
    if (state->ez.never_answers || is_private || session->options.print.quiet)
        return;
    state->read_stats.n_answered++;
    if (now->is_timed && now->epoch == epoch && now->step > step &&
        state->read_stats.n_answered > 1)
        state->read_stats.steps += now->step - step;
}

static void notice_read_answers(struct aw_session *session)
{
    const struct ezphys_state *state = ezphys_state(session);
    if (!session->mode.one_shot || state->read_stats.n_answered < 2)
        return;
    aw_session_print_notice(session,
                            "answered %" PRIu64
                            " messages, which advanced the simulation by %" PRId64
                            " steps — use --listen-only to answer none",
                            state->read_stats.n_answered, state->read_stats.steps);
}

enum aw_status ezphys_receive(struct aw_session *session, int64_t deadline, enum ezphys_retry retry)
{
    struct ezphys_state *state = ezphys_state(session);
    int64_t step = state->ez.state.step;
    uint64_t epoch = state->ez.state.epoch;
    unsigned connections = state->ez.input.connections;
    enum aw_status status = AW_EVENT;
    state->pace.paused = false;
    while (status == AW_EVENT) {
        status = wait_message(session, deadline, retry);
        if (status == AW_EVENT && retry == EZ_ONCE && connections &&
            state->ez.input.connections != connections)
            return aw_fail(&session->err, AW_LOST,
                           "simulator reconnected: motion commands are not repeated — repeat the "
                           "command");
    }
    if (status == AW_OK)
        state->problems.reported_waiting = false;
    if (status == AW_OK && retry != EZ_ONCE)
        count_read_answers(session, step, epoch);
    report_problems(session);
    return status;
}

enum aw_status ezphys_fail_no_message(struct aw_session *session)
{
    char reason[160];
    return aw_fail(&session->err, AW_TIMEOUT, "no message from the simulator%s",
                   write_silence_reason(session, reason));
}

/* Returns true for an unreadable message. It is answered all the same, because a simulator may wait
 * for it. */
static bool is_noise(const struct aw_ezphys *ez)
{
    return ez->input.damaged && ez->n_packets == 0;
}

/* Evaluates a wait for a message. Noise is acceptable unless only noise arrives for a message's
 * timeout. */
static enum aw_status check_received(struct aw_session *session, enum aw_status status)
{
    struct ezphys_state *state = ezphys_state(session);
    bool has_noise = is_noise(&state->ez), timed_out = status == AW_TIMEOUT;
    if (status != AW_OK && !timed_out)
        return status;
    if (timed_out && !has_noise && !state->problems.last_was_noise)
        return ezphys_fail_no_message(session);
    state->problems.last_was_noise = has_noise;
    if (!timed_out && !has_noise)
        state->problems.noise_until_ns = ezphys_get_deadline(session);
    if (!timed_out && (!has_noise || aw_clock_now(session->clock) < state->problems.noise_until_ns))
        return AW_OK;
    const char *problem = state->ez.problem, *remedy = strstr(problem, " — ");
    return aw_fail(&session->err, AW_MALFORMED,
                   "received data is not a message: %.*s — check --wire, or find it with 'probe' "
                   "in a capture",
                   (int)(remedy ? remedy - problem : INT_MAX), problem);
}

/* Skips a message answered before it arrived: it belongs to an earlier command. */
enum aw_status ezphys_exchange(struct aw_session *session)
{
    struct aw_ezphys *ez = ezphys_client(session);
    enum aw_status status = aw_ezphys_answer(ez, &session->err);
    do
        if (status == AW_OK)
            status = ezphys_receive(session, ezphys_get_deadline(session), EZ_ONCE);
    while (status == AW_OK && !ez->lockstep.must_answer);
    return check_received(session, status);
}

/* Returns true if the simulation sends more before the deadline although it got no answer. On links
 * without a descriptor, checks only data already read. */
static bool has_more(struct aw_session *session, int64_t deadline)
{
    struct ezphys_state *state = ezphys_state(session);
    const struct aw_ezphys *ez = &state->ez;
    int fd = aw_link_fd(ez->link);
    if (state->pace.lock_step)
        return false;
    if (ez->input.n_parsed < ez->input.n_bytes || fd < 0)
        return ez->input.n_parsed < ez->input.n_bytes;
    bool has_more = aw_clock_wait(session->clock, fd, POLLIN, deadline) == AW_OK;
    int64_t waited_ns = aw_clock_now(session->clock) - ez->lockstep.received_ns;
    state->pace.lock_step = !has_more && ez->lockstep.must_answer && waited_ns >= LOCK_STEP_NS;
    return has_more;
}

bool ezphys_is_free_running(struct aw_session *session, int64_t deadline)
{
    const struct aw_link *link = ezphys_client(session)->link;
    return link->is_recording || aw_link_fd(link) < 0 || has_more(session, deadline);
}

static enum aw_status await_message(struct aw_session *session)
{
    struct ezphys_state *state = ezphys_state(session);
    struct aw_ezphys *ez = &state->ez;
    enum aw_status status = AW_OK;
    state->problems.noise_until_ns = ezphys_get_deadline(session);
    state->problems.last_was_noise = false;
    if (!ez->lockstep.must_answer || !ez->input.complete)
        do
            status = check_received(
                session, ezphys_receive(session, state->problems.noise_until_ns, EZ_ONCE));
        while (status == AW_OK && (is_noise(ez) || !ez->lockstep.must_answer));
    return status;
}

/* A message left unanswered by the last command counts as new, unless the simulation continued
 * meanwhile. */
enum aw_status ezphys_begin(struct aw_session *session)
{
    struct ezphys_state *state = ezphys_state(session);
    enum aw_status status = ezphys_open(session);
    if (status == AW_OK)
        status = await_message(session);
    int64_t end = aw_clock_now(session->clock) + APPLIED_NS;
    while (status == AW_OK && !state->ez.link->is_recording && has_more(session, 0) &&
           aw_clock_now(session->clock) < end)
        status =
            check_received(session, ezphys_receive(session, ezphys_get_deadline(session), EZ_ONCE));
    return status == AW_OK ? await_message(session) : status;
}

enum aw_status ezphys_begin_for_send(struct aw_session *session)
{
    if (!session->options.run.dry_run)
        return ezphys_begin(session);
    enum aw_status status = prepare_client(session);
    if (status == AW_OK)
        aw_ezphys_attach(ezphys_client(session), NULL);
    return status;
}

/* Answers before it handles the message, so that the simulation continues at once. */
enum aw_status ezphys_next_received(struct aw_session *session, int64_t deadline,
                                    struct aw_received *received)
{
    struct ezphys_state *state = ezphys_state(session);
    struct aw_ezphys *ez = &state->ez;
    enum aw_status status = AW_OK;
    if (!ez->link || !is_same_wire(ez, session))
        status = ezphys_open(session);
    while (status == AW_OK && state->next >= ez->n_packets) {
        status = ezphys_receive(session, deadline, EZ_STREAM);
        if (status == AW_OK)
            status = aw_ezphys_answer(ez, &session->err);
        if (status == AW_LOST || (status != AW_OK && status != AW_TIMEOUT && status != AW_STOPPED))
            return status;
        if (status == AW_OK && is_noise(ez) && aw_clock_now(session->clock) > deadline)
            return AW_TIMEOUT;
    }
    if (status != AW_OK)
        return status;
    *received = aw_ezphys_get_packet(ez, state->next++);
    received->has_model_time = ez->state.is_timed;
    /* Simulation time, continued across restarts. */
    const struct aw_ezphys_state *s = &state->ez.state;
    if (s->epoch != state->model.epoch)
        state->model.base_time_ns = state->model.sim_time_ns;
    state->model.epoch = s->epoch;
    /* Rounded; a damaged message may contain any number. */
    state->model.sim_time_ns =
        aw_time_after(state->model.base_time_ns, aw_ezphys_state_time(s) + 0.5e-9);
    received->model_ns = state->model.sim_time_ns;
    return AW_OK;
}

/* Adds the custom packet to the answer that the simulator waits for. */
static enum aw_status send(struct aw_session *session, const struct aw_record *packet,
                           struct aw_answer *answer)
{
    struct aw_ezphys *ez = ezphys_client(session);
    uint8_t bytes[sizeof answer->bytes];
    size_t size;
    enum aw_status status = aw_encode(packet, true, bytes, sizeof bytes, &size, &session->err);
    if (status == AW_OK)
        status = ezphys_check_send(session);
    if (status == AW_OK)
        status = ezphys_begin(session);
    if (status == AW_OK)
        status = aw_ezphys_add_packet(ez, (struct aw_span){bytes, size}, &session->err);
    if (status == AW_OK)
        status = aw_ezphys_answer(ez, &session->err);
    return status == AW_OK ? aw_custom_await(session, packet, answer) : status;
}

const struct aw_transmit ezphys_transmit = {.send = send};

static bool belongs_to_wire(const struct aw_wire *wire, const struct aw_record *record)
{
    return wire && record->codec >= wire->codecs && record->codec < wire->codecs + AW_MAX_MESSAGES;
}

/* Returns true if the record is the last received packet, not one of a recording. */
static bool is_received(struct aw_session *session, const struct aw_record *record)
{
    const struct ezphys_state *state = ezphys_state(session);
    if (!belongs_to_wire(session->wire, record) &&
        !belongs_to_wire(session->device.decoding, record))
        return false; /* read by other code than this conversation */
    if (state->next == 0 || state->next > state->ez.n_packets)
        return false;
    const struct aw_ezphys_object *object = state->ez.packets[state->next - 1].subject.object;
    double id = aw_record_get(record, "id");
    if (isnan(id))
        return object && strcmp(object->name, record->text) == 0;
    return object ? id == object->id : id == 0;
}

const char *ezphys_write_subject(struct aw_session *session, const struct aw_record *record,
                                 char *out, size_t size)
{
    struct ezphys_state *state = ezphys_state(session);
    if (is_received(session, record))
        return ezphys_write_axis_name(&state->ez.packets[state->next - 1].subject, out, size);
    return ezphys_recorded_name(session, record, out, size);
}

/* ---- At the prompt ---- */

/* Returns an epoll descriptor that is readable if the input or the simulator is. */
static int watch_both(int fd, int link_fd)
{
    int fds[] = {fd, link_fd};
    int epoll_fd = epoll_create1(EPOLL_CLOEXEC);
    for (int i = 0; i < 2 && epoll_fd >= 0; i++) {
        struct epoll_event event = {.events = EPOLLIN, .data.fd = fds[i]};
        epoll_ctl(epoll_fd, EPOLL_CTL_ADD, fds[i], &event);
    }
    return epoll_fd;
}

static bool has_input(int fd)
{
    return poll(&(struct pollfd){.fd = fd, .events = POLLIN}, 1, 0) > 0;
}

/* Handles one message. AW_TIMEOUT: none arrived yet. The next line of a script answers. */
static enum aw_status idle_once(struct aw_session *session, int fd, int epoll_fd, int64_t due)
{
    struct aw_clock *clock = &session->time.real.base;
    struct aw_ezphys *ez = ezphys_client(session);
    struct aw_error err;
    if (ez->lockstep.must_answer && session->mode.interactive) {
        enum aw_status status = aw_clock_wait(clock, fd, POLLIN, due);
        return status == AW_TIMEOUT ? aw_ezphys_answer(ez, &err) : status;
    }
    enum aw_status status = aw_clock_wait(clock, epoll_fd, POLLIN, AW_NEVER);
    if (status != AW_OK || has_input(fd))
        return status;
    return aw_ezphys_receive(ez, aw_clock_now(clock), NULL, &err);
}

enum aw_status ezphys_idle(struct aw_session *session, int fd)
{
    struct ezphys_state *state = ezphys_state(session);
    struct aw_clock *clock = &session->time.real.base;
    struct aw_ezphys *ez = &state->ez;
    bool is_connected = ez->link && !state->pace.paused && aw_link_fd(ez->link) >= 0 &&
                        !aw_session_is_virtual(session);
    int epoll_fd = is_connected ? watch_both(fd, aw_link_fd(ez->link)) : -1;
    int64_t start = aw_clock_now(clock);
    double time = aw_ezphys_state_time(&ez->state);
    enum aw_status status = epoll_fd >= 0 ? AW_OK : AW_LOST;
    while (status == AW_OK && !has_input(fd)) {
        double ahead_s = aw_ezphys_state_time(&ez->state) - time;
        status = idle_once(session, fd, epoll_fd, start + (int64_t)(ahead_s * 1e9));
        if (status == AW_TIMEOUT || status == AW_EVENT)
            status = AW_OK;
    }
    if (epoll_fd >= 0)
        close(epoll_fd);
    state->next = ez->n_packets; /* no command has read these old packets */
    return status == AW_OK || status == AW_STOPPED ? status
                                                   : aw_clock_wait(clock, fd, POLLIN, AW_NEVER);
}

/* ---- End ---- */

/* Receives the next non-empty message to answer. */
static enum aw_status await_request(struct aw_session *session, int64_t deadline)
{
    struct aw_ezphys *ez = ezphys_client(session);
    enum aw_status status;
    bool is_late, is_done;
    do {
        status = aw_ezphys_receive(ez, deadline, NULL, &session->err);
        is_done = ez->lockstep.must_answer && !is_noise(ez);
        is_late = aw_clock_now(session->clock) >= deadline;
    } while (status == AW_OK && !is_done && !is_late);
    return status == AW_OK && !is_done ? AW_TIMEOUT : status;
}

/* A lock-step simulator has applied all commands when it waits again. For a free-running one, skips
 * pending messages and the next one, which may be older than the command. */
enum aw_status ezphys_confirm(struct aw_session *session, int64_t deadline)
{
    enum aw_status status = await_request(session, deadline);
    while (status == AW_OK && has_more(session, 0) && aw_clock_now(session->clock) < deadline)
        status = await_request(session, deadline);
    for (int i = 0; i < 2 && status == AW_OK && !ezphys_state(session)->pace.lock_step; i++)
        status = await_request(session, deadline);
    return status == AW_EVENT ? AW_LOST : status; /* another simulator has connected */
}

static enum aw_status fail_unconfirmed(struct aw_session *session, enum aw_status status)
{
    struct aw_error reason = session->err;
    if (status == AW_LOST)
        return aw_fail(&session->err, status, "stop sent, not confirmed: %s", reason.text);
    return aw_fail(&session->err, status, "stop sent, not confirmed: %s",
                   status == AW_STOPPED
                       ? "interrupted while waiting"
                       : "no message from the simulator — check that it still runs");
}

void ezphys_last_stop(struct aw_session *session, aw_frame_fn *add, void *context)
{
    aw_ezphys_last_stop(ezphys_client(session), ezphys_given(session)->coast, add, context);
}

/* Reads a message to learn the joints, then stops them; a replay has not listed the joints. */
static enum aw_status find_joints_and_stop(struct aw_session *session, bool coast)
{
    struct aw_ezphys *ez = ezphys_client(session);
    int64_t deadline = aw_clock_now(session->clock) + APPLIED_NS;
    enum aw_status status = aw_ezphys_receive(ez, deadline, NULL, &session->err);
    if (status == AW_TIMEOUT)
        aw_fail(&session->err, status,
                "no message from the simulator; joints unknown — check that it runs and sends to "
                "this link");
    return status == AW_OK ? aw_ezphys_stop(ez, coast, &session->err) : status;
}

enum aw_status ezphys_safe_stop(struct aw_session *session)
{
    struct aw_ezphys *ez = ezphys_client(session);
    bool coast = ezphys_given(session)->coast;
    /* Nothing has been read yet from a simulator found again by a server. */
    if (!ez->link && session->share.server && ezphys_begin(session) != AW_OK)
        return session->err.status;
    if (!ez->link)
        return AW_OK;
    enum aw_status status = aw_ezphys_stop(ez, coast, &session->err);
    if (status == AW_OK && ez->n_commands == 0)
        status = find_joints_and_stop(session, coast);
    struct aw_error cause = session->err;
    if (status != AW_OK)
        return aw_fail(&session->err, status, "cannot stop the motors: %s", cause.text);
    status = ezphys_confirm(session, aw_clock_now(session->clock) + APPLIED_NS);
    if (status != AW_OK)
        return fail_unconfirmed(session, status);
    aw_stop_set_effect(session, "%zu joint%s %s", ez->n_commands, ez->n_commands == 1 ? "" : "s",
                       coast ? "without torque" : "held at velocity 0");
    return AW_OK;
}

bool ezphys_resume_link(struct aw_session *session)
{
    struct aw_ezphys *ez = &ezphys_state(session)->ez;
    bool is_waiting = ez->lockstep.must_answer;
    aw_ezphys_resume(ez);
    return is_waiting;
}

/* ---- Shared ---- */

enum aw_frame_role ezphys_get_role(struct aw_session *session, struct aw_span frame)
{
    const struct aw_ezphys *ez = ezphys_client(session);
    (void)frame;
    return ez->n_commands == 0 && !ez->restart.must_reset ? AW_FRAME_KEEPALIVE : AW_FRAME_COMMAND;
}

enum aw_motion_effect ezphys_note_frame(struct aw_session *session, bool tx, struct aw_span frame)
{
    static const size_t empty_size = 12; /* size of a message without commands */
    struct ezphys_state *state = ezphys_state(session);
    if (tx)
        state->pace.answered = state->ez.counters.messages;
    return tx && frame.size > empty_size ? AW_EFFECT_MOVES : AW_EFFECT_NONE;
}

void ezphys_handle_turn(struct aw_session *session, enum aw_turn_event event)
{
    struct ezphys_state *state = ezphys_state(session);
    struct aw_ezphys *ez = &state->ez;
    struct aw_error ignored;
    if (event == AW_TURN_BEGIN && state->has_client) {
        aw_ezphys_attach(ez, session->device.link);
        state->next = 0;
    }
    if (event == AW_TURN_BEGIN || !state->has_client || !ez->link)
        return;
    if (event == AW_TURN_END && !ez->never_answers) /* the next message is for other clients */
        aw_ezphys_answer(ez, &ignored);
    ez->never_answers = event == AW_TURN_END;
    if (event == AW_TURN_END) {
        state->pace.answered = ez->counters.messages;
        return;
    }
    ez->lockstep.must_answer =
        ez->lockstep.must_answer || ez->counters.messages > state->pace.answered;
    state->pace.answered = ez->counters.messages;
    aw_ezphys_answer(ez, &ignored);
}

void ezphys_disconnect(struct aw_session *session)
{
    if (ezphys_state(session)->has_client)
        aw_ezphys_attach(&ezphys_state(session)->ez, NULL);
}

void ezphys_finish(struct aw_session *session)
{
    notice_read_answers(session);
    aw_ezphys_free(&ezphys_state(session)->ez);
    aw_ezphys_free(&ezphys_state(session)->dry);
}
