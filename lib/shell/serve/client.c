/* A client of the server that holds its device: finds the server, requests the lease, and reports
 * its loss. */
#include <math.h>
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

#include "shell/safety/safety.h"
#include "shell/safety/stop.h"
#include "shell/serve/client.h"
#include "shell/serve/serve.h"
#include "shell/serve/server.h"

#define ADDRESSES_MAX 16                     /* max number of servers of one tool */
#define SIGN_NS       (100 * AW_MILLISECOND) /* max interval between signs of life */
/* max wait for a reply; the server may have to stop the device first */
#define ANSWER_NS (5 * AW_SECOND)
#define HELLO_NS  (3 * AW_SECOND) /* max wait for the first message of a server */

static struct aw_clock *clock_of(const struct aw_attached *attached)
{
    return &attached->session->time.real.base;
}

/* ---- Messages ---- */

void aw_attached_send(struct aw_attached *attached, const struct aw_serve_message *m)
{
    aw_conn_put(&attached->conn, m);
    aw_conn_flush(&attached->conn);
}

static void send_flag(struct aw_attached *attached, enum aw_serve_type type, bool flag)
{
    aw_attached_send(attached, &(struct aw_serve_message){.type = type, .flag = flag});
}

/* Handles the loss of the lease: ends the command in progress, or prints a notice at the prompt. */
static void handle_end(struct aw_attached *attached, enum aw_status status, const char *why)
{
    struct aw_session *session = attached->session;
    bool only_reads = !session->run.command || session->run.command->safety == AW_READ;
    attached->lease.number = 0;
    attached->lease.loss_reported = true;
    attached->frame_number++; /* a late answer to a pending frame no longer counts */
    if (attached->lease.awaits_reply) {
        attached->lease.awaits_reply = false;
        aw_fail(&attached->answer, status, "%s", why);
    }
    session->motion.ongoing = AW_ONGOING_NOTHING;
    session->motion.moving = false;
    if (session->mode.interactive && (only_reads || !attached->lease.in_command)) {
        if (attached->is_closed || !*attached->loss_reason)
            aw_session_print_notice(session, "%s", why);
        return;
    }
    aw_fail(&attached->lease.revocation, status, "%s", why);
    session->motion.stop_cause = attached->lease.revocation.text;
    session->motion.stop_status = status;
    aw_stop_request(session);
}

static void handle_grant(struct aw_attached *attached, const struct aw_serve_message *m)
{
    struct aw_session *session = attached->session;
    attached->lease.number = m->lease;
    attached->answer.status = AW_OK;
    attached->lease.awaits_reply = false;
    aw_attached_flush(attached); /* earlier bytes belong to another program's conversation */
    aw_memory_restore(session, m->memory);
    if (session->tool->share.on_turn && attached->is_open)
        session->tool->share.on_turn(session, AW_TURN_BEGIN);
}

static void handle_answer(struct aw_attached *attached, const struct aw_serve_message *m)
{
    char why[AW_REASON_MAX + 1];
    aw_serve_copy_text(m, why, sizeof why);
    aw_fail(&attached->answer, (enum aw_status)(m->status & 15), "%s", why);
    attached->lease.awaits_reply = false;
}

/* Clients without the lease report the end of the server only once it is gone. */
static void handle_stop(struct aw_attached *attached, const struct aw_serve_message *m, bool held)
{
    char why[AW_REASON_MAX + 1];
    aw_serve_copy_text(m, why, sizeof why);
    if (m->flag)
        snprintf(attached->loss_reason, sizeof attached->loss_reason, "the server was shut down");
    if (held)
        handle_end(attached, (enum aw_status)(m->status & 15), why);
    else if (!m->flag)
        aw_session_print_notice(attached->session, "%s", why);
}

static void handle_message(struct aw_attached *attached, const struct aw_serve_message *m)
{
    switch ((enum aw_serve_type)m->type) {
    case AW_PASSED:
        aw_attached_receive(attached, m);
        break;
    case AW_LOST_SOME:
        attached->link.n_dropped += m->number;
        break;
    case AW_GRANTED:
        handle_grant(attached, m);
        break;
    case AW_DONE:
        if (!m->number || m->number == attached->frame_number)
            handle_answer(attached, m);
        break;
    case AW_HELLO:
        aw_hello_read(m, &attached->hello);
        attached->answer.status = AW_OK;
        attached->lease.awaits_reply = false;
        break;
    case AW_REVOKED:
    case AW_STOPPED_BY:
        handle_stop(attached, m, m->type == AW_REVOKED);
        break;
    case AW_SPEED:
        attached->session->motion.requested_speed = m->share;
        break;
    default:
        break;
    }
}

enum aw_status aw_attached_fail(const struct aw_attached *attached, struct aw_error *err)
{
    const char *why =
        *attached->loss_reason ? attached->loss_reason : "connection to the server lost";
    bool reconnects = attached->session->share.waits_for_server;
    return aw_fail(err, AW_LOST, "serve:%s: %s — %s", attached->address.path, why,
                   reconnects ? "reconnecting" : "check that the device has stopped");
}

void aw_attached_handle(struct aw_attached *attached)
{
    struct aw_serve_message m;
    bool disconnected = !aw_conn_fill(&attached->conn) || attached->conn.disconnected;
    while (aw_conn_next(&attached->conn, &m))
        handle_message(attached, &m);
    disconnected = disconnected || attached->conn.disconnected;
    if (!disconnected || attached->is_closed)
        return;
    attached->is_closed = true;
    attached->lease.awaits_reply = false;
    attached->background.fd = -1;
    struct aw_error err;
    aw_attached_fail(attached, &err);
    if (!attached->lease.revocation.status && attached->background.serve &&
        !attached->session->share.waits_for_server)
        handle_end(attached, AW_LOST, err.text);
}

static void serve_background(struct aw_background *background)
{
    struct aw_attached *attached = (struct aw_attached *)background;
    int64_t now = aw_clock_now(clock_of(attached));
    if (now >= background->due) {
        int64_t deadman = attached->hello.deadman_ns;
        bool soon = deadman > 0 && deadman / 4 < SIGN_NS;
        send_flag(attached, AW_LIFE, false);
        background->due = now + (soon ? deadman / 4 : SIGN_NS);
    }
    aw_conn_flush(&attached->conn);
    if (background->fd >= 0)
        aw_attached_handle(attached);
    if (attached->is_closed)
        background->due = AW_NEVER;
}

/* ---- Connecting ---- */

static enum aw_status check_hello(struct aw_attached *attached, const char *device)
{
    struct aw_error *err = &attached->session->err;
    const struct aw_hello *hello = &attached->hello;
    const char *tool = attached->session->tool->name, *at = attached->address.path;
    if (!*hello->tool)
        return aw_fail(err, AW_NO_LINK, "serve:%s: %s", at,
                       attached->conn.disconnected ? "not an armwire server"
                                                   : "the server does not answer");
    if (strcmp(hello->version, AW_VERSION) != 0)
        return aw_fail(err, AW_NO_LINK,
                       "serve:%s: the server runs a different version, armwire %s — restart it", at,
                       hello->version);
    if (strcmp(hello->tool, tool) != 0)
        return aw_fail(err, AW_NO_LINK,
                       "serve:%s: the server is for %s, not %s — give the socket of another server",
                       at, hello->tool, tool);
    if (device && strcmp(hello->url, device) != 0)
        return aw_fail(err, AW_NO_LINK, "serve:%s: the server now serves %.200s", at, hello->url);
    uint32_t packets = aw_session_packets_checksum(attached->session);
    if (packets && packets != hello->packets)
        return aw_fail(
            err, AW_USAGE,
            "serve:%s: the server cannot stop these joints, because it does not use this "
            "packet file — give the same --packets to '%s serve'",
            at, tool);
    attached->has_new_memory = true;
    return AW_OK;
}

static void detach(struct aw_session *session)
{
    struct aw_attached *attached = session->share.attached;
    session->share.attached = NULL;
    session->share.url = NULL;
    if (!attached)
        return;
    aw_background_remove(&session->time.real.background, &attached->background);
    aw_conn_free(&attached->conn);
    aw_attached_flush(attached);
    free(attached);
}

/* Connects the session to the server at this address. device: the only URL that the server may
 * serve; NULL: any. refusal: optional, the error if a server was found that cannot be used. */
static enum aw_status connect_to(struct aw_session *session, const struct aw_address *address,
                                 const char *device, struct aw_error *refusal)
{
    struct aw_attached *attached = calloc(1, sizeof *attached);
    if (!attached)
        return aw_no_memory(&session->err);
    attached->session = session;
    attached->address = *address;
    enum aw_status status =
        aw_hello_open(session, address, HELLO_NS, &attached->conn, &attached->hello, &session->err);
    if (status == AW_OK) {
        status = check_hello(attached, device);
        if (status != AW_OK && refusal)
            *refusal = session->err;
    }
    if (status != AW_OK) {
        aw_conn_free(&attached->conn);
        free(attached);
        return status;
    }
    detach(session);
    session->share.attached = attached;
    session->share.url = attached->hello.url;
    attached->background = (struct aw_background){.fd = attached->conn.fd,
                                                  .due = aw_clock_now(clock_of(attached)),
                                                  .serve = serve_background};
    aw_background_add(&session->time.real.background, &attached->background);
    return AW_OK;
}

/* Connects to the first usable server at a default address; with -l, only to one that serves url.
 * Returns AW_OK without a server too: the session then opens url itself. Without url, returns the
 * error of a server that cannot be used. */
static enum aw_status attach_to_default(struct aw_session *session, const char *url)
{
    enum aw_status status = AW_OK;
    struct aw_address addresses[ADDRESSES_MAX];
    struct aw_error before = session->err, refusal = {.status = AW_OK};
    const char *device = session->options.link.url ? url : NULL;
    size_t n = aw_address_defaults(addresses, ADDRESSES_MAX, session->tool->name);
    for (size_t i = 0; i < n && !session->share.attached && status != AW_STOPPED; i++)
        status = connect_to(session, &addresses[i], device, &refusal);
    if (session->share.attached)
        aw_session_print_notice(session, "%s serve (pid %d) has %s open — connecting through it",
                                session->tool->name, session->share.attached->hello.pid,
                                session->share.attached->hello.url);
    bool refused = !session->share.attached && !url && refusal.status != AW_OK;
    session->err = refused ? refusal : before;
    return refused ? refusal.status : status == AW_STOPPED ? status : AW_OK;
}

static enum aw_status attach_first(struct aw_session *session, const char *url)
{
    struct aw_address address;
    enum aw_status status = AW_OK;
    if (url && strncmp(url, "serve:", 6) == 0) {
        status = aw_address_of_server(&address, session->tool->name, url, &session->err);
        if (status == AW_OK)
            status = connect_to(session, &address, NULL, NULL);
    } else if (!session->options.link.no_attach)
        status = attach_to_default(session, url);
    if (session->share.attached)
        aw_session_mention_simulator(session, session->share.attached->hello.url);
    return status;
}

static enum aw_status attach(struct aw_session *session, const char *url)
{
    struct aw_attached *old = session->share.attached;
    if (!old)
        return attach_first(session, url);
    if (!old->is_closed)
        return AW_OK;
    if (session->share.waits_for_server)
        return connect_to(session, &old->address, old->hello.url, NULL);
    if (session->mode.one_shot && !session->mode.scripts)
        return aw_attached_fail(old, &session->err);
    aw_session_close_link(session); /* the server is gone, and url named its device */
    detach(session);
    if (url && aw_session_get_url(session, &url) != AW_OK)
        return session->err.status;
    return attach_first(session, url);
}

/* ---- The lease ---- */

enum aw_status aw_attached_await_reply(struct aw_attached *attached, struct aw_error *err)
{
    struct pollfd ready = {.fd = attached->conn.fd, .events = POLLIN};
    int64_t until = aw_clock_now(clock_of(attached)) + ANSWER_NS;
    while (attached->lease.awaits_reply && !attached->is_closed) {
        int64_t left = until - aw_clock_now(clock_of(attached));
        aw_conn_flush(&attached->conn);
        if (left <= 0 || poll(&ready, 1, (int)(left / AW_MILLISECOND) + 1) == 0) {
            attached->lease.awaits_reply = false;
            return aw_fail(err, AW_TIMEOUT, "serve:%s: the server does not answer",
                           attached->address.path);
        }
        aw_attached_handle(attached);
    }
    if (attached->is_closed)
        return aw_attached_fail(attached, err);
    const struct aw_error *answer = &attached->answer;
    return answer->status == AW_OK ? AW_OK : aw_fail(err, answer->status, "%s", answer->text);
}

static bool is_stop(const struct aw_command *command)
{
    return command && strcmp(command->name, "stop") == 0;
}

enum aw_status aw_attached_request_lease(struct aw_attached *attached, struct aw_error *err)
{
    struct aw_session *session = attached->session;
    bool stop = is_stop(session->run.command);
    attached->lease.awaits_reply = true;
    send_flag(attached, stop ? AW_STOP : AW_WANT, session->options.link.take_over);
    enum aw_status status = aw_attached_await_reply(attached, err);
    if (status == AW_OK && attached->lease.loss_reported)
        aw_session_print_notice(session, "holding the lease again");
    attached->lease.loss_reported = false;
    return status;
}

/* A command that changes something needs the lease before it reads the device. */
static enum aw_status begin(struct aw_session *session)
{
    struct aw_attached *attached = session->share.attached;
    const struct aw_command *command = session->run.command;
    if (attached->has_new_memory)
        aw_memory_restore(session,
                          (struct aw_span){attached->hello.memory, attached->hello.memory_size});
    attached->has_new_memory = false;
    bool stop = is_stop(command);
    bool known = attached->lease.number && !session->tool->share.on_turn && !stop;
    if (attached->lease.in_command || !command || (command->safety == AW_READ && !stop))
        return AW_OK;
    attached->lease.in_command = true;
    attached->lease.is_new = !attached->lease.number;
    return known ? AW_OK : aw_attached_request_lease(attached, &session->err);
}

/* Replaces the session's error by the reason why the server ended the command, and withdraws the
 * request to stop that this caused. Returns the status of the reason. */
static enum aw_status handle_revoked(struct aw_session *session)
{
    struct aw_attached *attached = session->share.attached;
    aw_stop_withdraw(session);
    session->motion.stop_cause = NULL;
    session->err = attached->lease.revocation;
    attached->lease.revocation.status = AW_OK;
    return session->err.status;
}

enum aw_status aw_share_end_command(struct aw_session *session, enum aw_status status)
{
    struct aw_attached *attached = session->share.attached;
    bool continues = aw_session_has_ongoing(session);
    bool moves = session->run.command && session->run.command->safety >= AW_MOTION;
    attached->lease.in_command = false;
    if (attached->lease.revocation.status && status != AW_OK && !session->motion.stop.signal)
        return handle_revoked(session);
    if (!attached->lease.number || attached->is_closed)
        return status;
    int64_t left = session->motion.ongoing == AW_ONGOING_ENDING
                       ? session->motion.end_ns - aw_clock_now(session->clock)
                       : 0;
    uint8_t memory[AW_MEMORY_MAX];
    aw_attached_send(attached,
                     &(struct aw_serve_message){.type = AW_IDLE,
                                                .flag = continues,
                                                .ns = left > 0 ? left : 0,
                                                .memory = aw_memory_save(session, memory)});
    if (attached->lease.is_new && !moves && !continues) {
        attached->lease.number = 0;
        send_flag(attached, AW_RELEASE, false);
    }
    return status;
}

enum aw_status aw_share_get_outcome(struct aw_session *session, enum aw_status status)
{
    if (status != AW_STOPPED || !session->share.attached->lease.revocation.status ||
        session->motion.stop.signal)
        return status;
    return aw_session_fail_outside_command(session, handle_revoked(session));
}

enum aw_status aw_share_release_lease(struct aw_session *session)
{
    enum aw_status status = aw_session_find_server(session);
    if (status != AW_OK)
        return status;
    if (!session->share.attached) {
        aw_session_print_notice(
            session, "serve: no server has the device open, so there is nothing to release");
        return AW_OK;
    }
    session->share.attached->lease.number = 0;
    send_flag(session->share.attached, AW_RELEASE, false);
    return AW_OK;
}

void aw_share_mark_playback(struct aw_session *session, bool on)
{
    session->motion.requested_speed = NAN;
    if (session->share.attached && session->share.attached->lease.number)
        send_flag(session->share.attached, AW_PLAYS, on);
}

/* Sends the message and waits for the reply. */
static enum aw_status ask(struct aw_attached *attached, const struct aw_serve_message *m)
{
    attached->lease.awaits_reply = true;
    aw_attached_send(attached, m);
    return aw_attached_await_reply(attached, &attached->session->err);
}

void aw_commander_add_to_result(struct aw_session *session, const struct aw_commander *commander)
{
    char text[AW_COMMANDER_TEXT];
    bool words = aw_session_is_text(session);
    if (words && !commander->who.pid)
        return;
    (words ? aw_commander_write_text : aw_commander_write_json)(commander, text);
    aw_object_add_copy(&session->result, "commander", text);
    session->result.entries[session->result.n - 1].is_json = !words;
}

enum aw_status aw_share_report_holder(struct aw_session *session)
{
    struct aw_attached *attached = session->share.attached;
    char words[AW_COMMANDER_TEXT];
    if (!attached)
        return AW_OK;
    const struct aw_commander *holder = &attached->hello.commander;
    enum aw_status status = ask(attached, &(struct aw_serve_message){.type = AW_GET_HELLO});
    aw_commander_write_text(holder, words);
    if (status == AW_OK && aw_session_is_json(session))
        aw_commander_add_to_result(session, holder);
    else if (status == AW_OK && aw_session_is_text(session) && holder->who.pid)
        aw_output_print(&session->out, "lease holder: %s\n", words);
    return status;
}

/* Changes the speed of the lease holder's play, replay or follow through the server. */
static enum aw_status run_speed(struct aw_session *session, const struct aw_args *args)
{
    double share = NAN;
    enum aw_status status = aw_arg_number(session, args, "share", &share);
    if (status == AW_OK)
        status = aw_dry_run_check(session);
    if (status == AW_OK)
        status = aw_session_find_server(session);
    if (status != AW_OK)
        return status;
    struct aw_attached *attached = session->share.attached;
    if (!attached)
        return aw_fail(&session->err, AW_USAGE,
                       "speed: nothing is playing, and no server has the device open — start play, "
                       "replay or follow first");
    return ask(attached, &(struct aw_serve_message){.type = AW_ASK_SPEED,
                                                    .share = share,
                                                    .flag = session->options.link.take_over});
}

void aw_share_leave(struct aw_session *session)
{
    if (!session->share.attached)
        return;
    send_flag(session->share.attached, AW_RELEASE, false);
    shutdown(session->share.attached->conn.fd, SHUT_WR);
    aw_session_close_link(session);
    detach(session);
}

enum aw_status aw_share_query_tool(struct aw_session *session, const char *url, char *tool,
                                   char *place)
{
    struct aw_address address;
    struct aw_hello hello;
    enum aw_status status = aw_address_of_server(&address, session->tool->name, url, &session->err);
    if (status != AW_OK)
        return status;
    if (!aw_hello_query(session, &address, NULL, &hello, &session->err))
        return AW_NO_LINK;
    if (!*hello.tool)
        return aw_fail(&session->err, AW_NO_LINK,
                       "serve:%s: no server found — check that 'serve' is running", address.path);
    strcpy(tool, hello.tool);
    sprintf(place, "serve:%s", address.path);
    return AW_OK;
}

const struct aw_sharing aw_sharing = {
    .attach = attach,
    .open = aw_attached_open,
    .begin = begin,
    .on_traffic = aw_frames_forward,
};

/* clang-format off */
const struct aw_command aw_speed_command = {
    .name = "speed", .group = AW_GROUP_MOVE, .streams = true,
    .summary = "change the speed of a running play, replay or follow",
    .args = AW_ARGS(
        {.name = "share", .kind = AW_ARG_NUMBER, .unit = "", .min = 0, .max = 1e6,
         .help = "speed relative to the file, such as 30%; 200% or 2 is twice as fast; 0 pauses"}),
    .run = run_speed,
    .details = "A running play, replay or follow of a recording continues at that speed, without a "
        "jump and within the limits. At your own prompt, type the command while it runs; + and - "
        "change the speed by 10 %. Through a server, --take changes the speed of another program.",
    .examples = AW_LIST("--dry-run speed 30%")};
/* clang-format on */
