/* Forwards frames from clients to the device, and bytes on the link to clients. A frame that only
 * reads needs no lease. Other frames need it, are checked against the server's limits, and may mark
 * the device as moving. */
#include <string.h>

#include "shell/safety/crash.h"
#include "shell/safety/stop.h"
#include "shell/safety/transmit.h"
#include "shell/serve/server.h"

#define FLIGHT_NS (25 * AW_MILLISECOND) /* max wait for a reply before the next question is sent */
#define AGAIN_NS  (4 * AW_MILLISECOND)  /* min interval at which a client repeats a question */

/* Result of checking a frame, message by message. */
struct judged {
    struct aw_server *server;
    bool reads;            /* all messages only read */
    size_t n;              /* number of messages */
    enum aw_status status; /* of the first message that is refused */
};

/* Refuses an unknown frame, unless --force: its effect is unknown, so it may exceed a limit. */
static enum aw_status refuse_unknown(struct aw_server *server, const char *why)
{
    struct aw_session *session = server->session;
    if (session->options.run.force)
        return AW_OK;
    return aw_fail(&session->err, AW_LIMIT,
                   "the server cannot check this frame against its limits: %.160s — start it with "
                   "--force, or with %s that describes the frame",
                   why,
                   session->tool->protocol->frames.is_can ? "--packets or --dbc" : "--packets");
}

static void judge_message(void *context, struct aw_span frame)
{
    struct judged *judged = context;
    struct aw_server *server = judged->server;
    struct aw_session *session = server->session;
    const struct aw_transmit *transmit = session->tool->talk.transmit;
    struct aw_record record;
    uint8_t again[AW_QUESTION_MAX];
    size_t size;
    struct aw_error err;
    judged->n++;
    if (aw_wire_decode(session->wire, AW_TX, frame, &record, &err) != AW_OK) {
        bool harmless = session->tool->share.get_role &&
                        session->tool->share.get_role(session, frame) == AW_FRAME_HARMLESS;
        judged->reads = false;
        if (judged->status == AW_OK && record.present) /* not a number: fails even with --force */
            judged->status = aw_fail(&session->err, AW_LIMIT, "%s", err.text);
        else if (judged->status == AW_OK && !harmless)
            judged->status = refuse_unknown(server, err.text);
        return;
    }
    bool reads = record.codec->message->reads;
    judged->reads = judged->reads && reads;
    if (reads || session->options.run.force || judged->status != AW_OK)
        return;
    judged->status = aw_encode(&record, false, again, sizeof again, &size, &session->err);
    if (judged->status == AW_OK && transmit && transmit->check)
        judged->status = transmit->check(session, &record);
    err = session->err;
    if (judged->status != AW_OK)
        aw_fail(&session->err, judged->status, "refused by the server: %s", err.text);
}

/* Checks a frame. On failure session->err has the reason. */
static struct judged judge(struct aw_server *server, struct aw_span frame)
{
    struct judged judged = {.server = server, .reads = true, .status = AW_OK};
    struct aw_session *session = server->session;
    server->device.checker = (struct aw_splitter){.framer.dir = AW_TX};
    aw_split(&server->device.checker, session->wire, frame, session->device.link->datagrams,
             judge_message, &judged);
    judged.reads = judged.reads && judged.n > 0 && server->device.checker.size == 0;
    if (judged.status == AW_OK && (server->device.checker.size || server->device.checker.n_damaged))
        judged.status = refuse_unknown(server, "incomplete message");
    return judged;
}

/* ---- Forwarding ---- */

static void give(struct aw_peer *peer, bool tx, struct aw_span bytes, int64_t time_ns)
{
    aw_peer_send(peer, &(struct aw_serve_message){
                           .type = AW_PASSED, .flag = tx, .ns = time_ns, .body = bytes});
}

void aw_frames_send_missed(struct aw_server *server, struct aw_peer *peer)
{
    const struct aw_splitter *splitter = &server->device.received;
    if (splitter->size && server->session->device.link && !server->session->device.link->datagrams)
        give(peer, false, (struct aw_span){splitter->buffer, splitter->size},
             aw_session_time(server->session));
}

static void handle_answer(struct aw_server *server, struct aw_span frame);

static void on_received(void *context, struct aw_span frame)
{
    struct aw_server *server = context;
    struct aw_session *session = server->session;
    handle_answer(server, frame);
    if (session->tool->share.on_frame)
        session->tool->share.on_frame(session, false, frame);
}

void aw_frames_forward(struct aw_session *session, bool tx, struct aw_span bytes, int64_t time_ns)
{
    struct aw_server *server = session->share.server;
    for (struct aw_peer *peer = server->clients.peers; peer; peer = peer->next) {
        if (!peer->receives_bytes || (tx && peer == server->device.sender))
            continue;
        give(peer, tx, bytes, time_ns);
        peer->awaits_answer = peer->awaits_answer && tx;
    }
    if (!tx)
        aw_split(&server->device.received, session->wire, bytes,
                 session->device.link && session->device.link->datagrams, on_received, server);
}

/* ---- Exchanges ---------------------------------------------------------------------------------
 *
 * A device that replies to each frame accepts only one at a time. */

static struct aw_question *find_question(struct aw_server *server, struct aw_span frame)
{
    struct aw_question *oldest = &server->device.questions[0];
    for (size_t i = 0; i < AW_QUESTIONS; i++) {
        struct aw_question *q = &server->device.questions[i];
        if (q->size == frame.size && memcmp(q->bytes, frame.data, frame.size) == 0)
            return q;
        oldest = q->asked_ns < oldest->asked_ns ? q : oldest;
    }
    *oldest = (struct aw_question){.size = frame.size};
    memcpy(oldest->bytes, frame.data, frame.size);
    return oldest;
}

/* Returns when the current exchange times out; INT64_MIN: no exchange. */
static int64_t exchange_end(const struct aw_server *server)
{
    const struct aw_question *q = server->device.open_question;
    bool waits = q && aw_server_now(server) < q->asked_ns + FLIGHT_NS;
    return waits ? q->asked_ns + FLIGHT_NS : INT64_MIN;
}

static void begin_exchange(struct aw_server *server, struct aw_span frame)
{
    if (!server->session->tool->share.answer_head || frame.size > AW_QUESTION_MAX)
        return;
    server->device.open_question = find_question(server, frame);
    server->device.open_question->asked_ns = aw_server_now(server);
}

static void handle_answer(struct aw_server *server, struct aw_span frame)
{
    size_t head = server->session->tool->share.answer_head;
    struct aw_question *q = server->device.open_question;
    if (!q || frame.size > sizeof q->answer || frame.size != q->size || frame.size < head ||
        memcmp(frame.data, q->bytes, head) != 0)
        return;
    server->device.open_question = NULL;
    q->answered_ns = aw_server_now(server);
    q->answer_size = frame.size;
    memcpy(q->answer, frame.data, frame.size);
    for (struct aw_peer *peer = server->clients.peers; peer; peer = peer->next)
        peer->due_ns = aw_min_time(peer->due_ns, 1);
    server->background.due = 0; /* the next exchange may begin */
}

/* ---- Writing ---- */

static enum aw_status write_frame(struct aw_server *server, struct aw_span frame)
{
    struct aw_session *session = server->session;
    enum aw_status status =
        aw_link_write(session->device.link, frame.data, frame.size, &session->err);
    if (server->device.is_reading && (session->device.link->is_simulated || status == AW_LOST))
        aw_stop_request(session); /* a simulated device may now have an earlier reply */
    return status;
}

static enum aw_status check_lease(const struct aw_peer *peer, unsigned lease)
{
    const struct aw_server *server = peer->server;
    return server->lease.holder == peer && lease == server->lease.number && !server->stop.is_due
               ? AW_OK
               : aw_fail(&server->session->err, AW_TIMEOUT,
                         "another program took over, or stopped the device");
}

/* Checks whether the frame may be sent now. AW_MORE: not before *due. */
static enum aw_status check(struct aw_peer *peer, unsigned lease, struct aw_span frame,
                            int64_t *due)
{
    struct aw_server *server = peer->server;
    struct aw_session *session = server->session;
    struct aw_error *err = &session->err;
    /* this may revoke the lease */
    enum aw_status watched = aw_watchdog_check(&server->watchdog, err);
    enum aw_status status = check_lease(peer, lease);
    if (status != AW_OK || watched != AW_OK)
        return status != AW_OK ? status : watched;
    if (!session->device.link || session->device.link->is_lost)
        return aw_fail(err, AW_LOST, "device disconnected: the server is waiting for it");
    struct judged judged = judge(server, frame);
    if (judged.status != AW_OK)
        return judged.status;
    *due = session->tool->share.get_due ? session->tool->share.get_due(session, frame)
                                        : exchange_end(server);
    return *due <= aw_server_now(server) ? AW_OK : AW_MORE;
}

/* Records the effect of a frame before it is sent: whether it starts or ends a motion. */
static void note(struct aw_server *server, struct aw_span frame)
{
    struct aw_session *session = server->session;
    enum aw_motion_effect moves = session->tool->share.on_frame
                                      ? session->tool->share.on_frame(session, true, frame)
                                      : AW_EFFECT_MOVES;
    server->lease.frame_ns = aw_server_now(server);
    if (moves == AW_EFFECT_NONE)
        return;
    server->stop.retry_ns = 0; /* the motion belongs to the new command */
    server->lease.moving = moves == AW_EFFECT_MOVES;
    if (moves == AW_EFFECT_MOVES) /* until the device receives a stop */
        session->motion.ongoing = AW_ONGOING_RUNNING;
    aw_crash_prepare(session);
}

static void command(struct aw_peer *peer, const struct aw_serve_message *m)
{
    struct aw_server *server = peer->server;
    int64_t due = 0;
    enum aw_status status = check(peer, m->lease, m->body, &due);
    if (status == AW_MORE) {
        peer->due_ns = due;
        return;
    }
    if (status == AW_OK) {
        aw_memory_restore(server->session, m->memory);
        note(server, m->body);
        /* the server may have been suspended in the meantime */
        aw_watchdog_show_life(&server->watchdog);
        status = check_lease(peer, m->lease);
    }
    if (status == AW_OK) {
        begin_exchange(server, m->body);
        peer->awaits_answer = true;
        server->device.sender = peer; /* the sender already has the frame */
        status = write_frame(server, m->body);
        server->device.sender = NULL;
    }
    const char *why = status == AW_OK ? "" : server->session->err.text;
    aw_peer_answer(peer, m->number, status, why);
}

/* Sends a question, unless it was just asked or an answer younger than younger_ns can be reused.
 * AW_MORE: not before the current exchange ends. */
static enum aw_status ask(struct aw_peer *peer, struct aw_span frame, int64_t younger_ns)
{
    struct aw_server *server = peer->server;
    struct aw_session *session = server->session;
    int64_t now = aw_server_now(server);
    if (!session->tool->share.answer_head || frame.size > AW_QUESTION_MAX)
        return write_frame(server, frame);
    struct aw_question *q = find_question(server, frame);
    int64_t end = exchange_end(server);
    bool asked = server->device.open_question == q && end != INT64_MIN;
    if (asked && (q->asked_by != peer || now - q->asked_ns < AGAIN_NS))
        return AW_OK;
    if (q->answered_ns && now - q->answered_ns < younger_ns) {
        give(peer, false, (struct aw_span){q->answer, q->answer_size},
             aw_session_time(session) - (now - q->answered_ns));
        return AW_OK;
    }
    if (!asked && end != INT64_MIN)
        return AW_MORE;
    begin_exchange(server, frame);
    q->asked_by = peer;
    return write_frame(server, frame);
}

static void question(struct aw_peer *peer, const struct aw_serve_message *m)
{
    struct aw_server *server = peer->server;
    const struct aw_link *link = server->session->device.link;
    if (!link || link->is_lost || !judge(server, m->body).reads)
        return;
    peer->awaits_answer = true;
    if (ask(peer, m->body, m->ns) == AW_MORE)
        peer->due_ns = exchange_end(server);
}

void aw_frames_handle(struct aw_peer *peer, const struct aw_serve_message *m)
{
    if (!m->body.size || m->body.size > AW_FRAME_ROOM)
        peer->conn.disconnected = true; /* the client violates the protocol */
    else if (m->type == AW_FRAME)
        command(peer, m);
    else
        question(peer, m);
}
