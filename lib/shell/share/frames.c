/* Frames of clients on their way to the device: by the table they only read, and are anybody's, or
 * they need the lease, keep to the server's limits, and mark it as moving. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/text.h"
#include "shell/core/crash.h"
#include "shell/core/stop.h"
#include "shell/share/bytes.h"
#include "shell/share/server.h"
#include "wire/split.h"

#define FLIGHT_NS (25 * AW_MILLISECOND) /* for an answer, before another question is asked */
#define AGAIN_NS  (4 * AW_MILLISECOND)  /* before the same one asks it again: it has given up */
#define USUAL_HZ  62.5                  /* for who looks on and says no rate */

/* What a frame is, message by message. */
struct judged {
    struct aw_server *server;
    bool reads, moves;
    size_t n;
    enum aw_status status;
};

/* Nobody knows what it does: a limit that cannot be seen to hold does not hold. */
static enum aw_status refuse_unknown(struct aw_server *server, const char *why)
{
    struct aw_session *session = server->session;
    if (aw_flag(session, "force"))
        return AW_OK;
    return aw_fail(&session->err, AW_LIMIT,
                   "the server cannot tell whether this is within its limits: %.160s — start it "
                   "with --force, or with %s that describes it",
                   why, session->tool->protocol->can ? "--packets or --dbc" : "--packets");
}

static void judge_message(void *context, struct aw_span frame)
{
    struct judged *judged = context;
    struct aw_server *server = judged->server;
    struct aw_session *session = server->session;
    struct aw_record record;
    uint8_t again[AW_QUESTION_MAX];
    size_t size;
    struct aw_error err;
    judged->n++;
    if (aw_wire_decode(session->wire, AW_TX, frame, &record, &err) != AW_OK) {
        bool harmless = session->tool->share.harmless && session->tool->share.harmless(frame);
        judged->reads = false;
        if (judged->status == AW_OK && record.present) /* known, but no number: --force or not */
            judged->status = aw_fail(&session->err, AW_LIMIT, "%s", err.text);
        else if (judged->status == AW_OK && !harmless)
            judged->status = refuse_unknown(server, err.text);
        return;
    }
    bool reads = record.codec->message->reads;
    judged->reads = judged->reads && reads;
    if (reads || aw_flag(session, "force") || judged->status != AW_OK)
        return;
    judged->status = aw_encode(&record, false, again, sizeof again, &size, &session->err);
    if (judged->status == AW_OK && session->tool->share.allow)
        judged->status = session->tool->share.allow(session, &record);
}

/* session->err says why not. */
static struct judged judge(struct aw_server *server, struct aw_span frame)
{
    struct judged judged = {.server = server, .reads = true, .status = AW_OK};
    struct aw_session *session = server->session;
    server->check = (struct aw_splitter){.framer.dir = AW_TX};
    aw_split(&server->check, session->wire, frame, session->device.link->datagrams, judge_message,
             &judged);
    judged.reads = judged.reads && judged.n > 0 && server->check.size == 0;
    if (judged.status == AW_OK && (server->check.size || server->check.damaged))
        judged.status = refuse_unknown(server, "bytes that are no whole message");
    return judged;
}

/* ---- Exchanges ----------------------------------------------------------------------------------
 *
 * A device that answers each frame has room for one.
 */

static int64_t clock_now(const struct aw_server *server)
{
    return aw_clock_now(server->session->clock);
}

static struct aw_question *find_question(struct aw_server *server, struct aw_span frame)
{
    struct aw_question *oldest = &server->questions[0];
    for (size_t i = 0; i < AW_QUESTIONS; i++) {
        struct aw_question *q = &server->questions[i];
        if (q->size == frame.size && memcmp(q->bytes, frame.data, frame.size) == 0)
            return q;
        oldest = q->asked_ns < oldest->asked_ns ? q : oldest;
    }
    *oldest = (struct aw_question){.size = frame.size};
    memcpy(oldest->bytes, frame.data, frame.size);
    return oldest;
}

/* When the one that is under way is over, if it is not answered before; INT64_MIN: there is none.
 */
static int64_t exchange_end(const struct aw_server *server)
{
    int64_t now = clock_now(server), end = INT64_MIN;
    for (size_t i = 0; i < AW_QUESTIONS; i++) {
        const struct aw_question *q = &server->questions[i];
        int64_t own = q->asked_ns + FLIGHT_NS;
        if (q->open && own > now && own > end)
            end = own;
    }
    return end;
}

static void begin_exchange(struct aw_server *server, struct aw_span frame)
{
    if (!server->session->tool->share.answers || frame.size > AW_QUESTION_MAX)
        return;
    struct aw_question *q = find_question(server, frame);
    q->open = true;
    q->asked_ns = clock_now(server);
}

static void hold(struct aw_peer *peer, json_t *object, int64_t until_ns)
{
    json_decref(peer->held); /* one at a time: a question that was asked again */
    peer->held = json_incref(object);
    peer->held_until_ns = until_ns;
}

/* ---- Writing -----------------------------------------------------------------------------------
 */

/* The simulator's clock is that of who asks, where it waits for nobody. */
static void set_clock(struct aw_server *server, const json_t *object)
{
    struct aw_virtual_clock *clock = &server->session->time.virtual;
    json_int_t at = json_integer_value(json_object_get(object, "at"));
    if (aw_session_virtual(server->session) && at > clock->time_ns)
        clock->time_ns = at;
}

static enum aw_status write_frame(struct aw_server *server, struct aw_span frame)
{
    struct aw_session *session = server->session;
    enum aw_status status =
        aw_link_write(session->device.link, frame.data, frame.size, &session->err);
    if (server->listens && (session->device.link->simulated || status == AW_LOST))
        aw_stop_ask(session); /* what is read there may come sooner now */
    return status;
}

/* A client's, in server->frame. */
static bool read_frame(struct aw_server *server, const json_t *text, struct aw_span *frame)
{
    frame->data = server->frame;
    return aw_bytes_read(text, server->frame, sizeof server->frame, &frame->size);
}

static void acknowledge(struct aw_peer *peer, const json_t *object, enum aw_status status,
                        const char *text)
{
    char why[6 * sizeof(struct aw_error)] = "";
    long long n = json_integer_value(json_object_get(object, "n"));
    if (status != AW_OK)
        *aw_json_string(why, text, sizeof(struct aw_error)) = '\0';
    aw_peer_say(peer, "{\"ack\":%lld,\"exit\":%d%s%s}\n", n, (int)status, *why ? ",\"why\":" : "",
                why);
}

/* May it go out now? AW_MORE: when its board's time has come. */
static enum aw_status check(struct aw_server *server, struct aw_peer *peer, json_t *object,
                            struct aw_span frame)
{
    struct aw_session *session = server->session;
    struct aw_error *err = &session->err;
    json_int_t lease = json_integer_value(json_object_get(object, "lease"));
    const char *late = json_string_value(json_object_get(object, "refuse"));
    enum aw_status watched = aw_watchdog_check(&server->watchdog, err); /* may revoke the lease */
    if (server->holder != peer || lease != (json_int_t)server->lease || server->halt)
        return aw_fail(err, AW_TIMEOUT, "another program commands now, or it was stopped");
    if (watched != AW_OK)
        return watched;
    if (late)
        return aw_fail(err, AW_REFUSED, "%s", late);
    if (!session->device.link || session->device.link->lost)
        return aw_fail(err, AW_LOST, "the device is gone: the server waits for it");
    struct judged judged = judge(server, frame);
    if (judged.status != AW_OK)
        return judged.status;
    int64_t due =
        session->tool->share.due ? session->tool->share.due(session, frame) : exchange_end(server);
    /* Who waits for this lets no time of a simulator pass meanwhile. */
    if (due <= clock_now(server) || aw_session_virtual(session))
        return AW_OK;
    hold(peer, object, due);
    return AW_MORE;
}

/* From here on it moves, before the first byte of it leaves. */
static void note(struct aw_server *server, struct aw_span frame)
{
    struct aw_session *session = server->session;
    enum aw_moves moves =
        session->tool->share.saw ? session->tool->share.saw(session, true, frame) : AW_MOVES;
    server->frame_ns = aw_clock_now(&session->time.real.base);
    if (moves == AW_MOVES_ON)
        return;
    server->again_ns = 0; /* what moves is theirs */
    server->moving = moves == AW_MOVES;
    if (moves == AW_MOVES) /* until it is known to have got the frame that stops it */
        session->motion.ongoing = AW_ONGOING_RUNNING;
    aw_crash_prepare(session);
}

void aw_frames_take(struct aw_server *server, struct aw_peer *peer, json_t *object)
{
    struct aw_span frame;
    enum aw_status status = AW_MALFORMED;
    set_clock(server, object);
    if (read_frame(server, json_object_get(object, "tx"), &frame))
        status = check(server, peer, object, frame);
    else
        aw_fail(&server->session->err, status, "tx: no frame");
    if (status == AW_MORE)
        return;
    if (status == AW_OK) {
        aw_memory_take(server->session, object);
        note(server, frame);
        begin_exchange(server, frame);
        peer->asked = true;
        server->sender = peer; /* who has it already */
        status = write_frame(server, frame);
        server->sender = NULL;
    }
    acknowledge(peer, object, status, server->session->err.text);
}

/* ---- Questions ---------------------------------------------------------------------------------
 */

/* What somebody else has just asked is not asked again; what was answered a moment ago is told
 * again. */
static enum aw_status ask(struct aw_server *server, struct aw_peer *peer, struct aw_span frame,
                          int64_t younger_ns)
{
    struct aw_session *session = server->session;
    int64_t now = clock_now(server);
    if (!session->tool->share.answers || frame.size > AW_QUESTION_MAX)
        return write_frame(server, frame);
    struct aw_question *q = find_question(server, frame);
    bool again = q->by == peer && now - q->asked_ns >= AGAIN_NS;
    if (q->open && now - q->asked_ns < FLIGHT_NS && !again)
        return AW_OK;
    if (again)
        q->open = false;
    if (peer && q->answered_ns && now - q->answered_ns < younger_ns) {
        aw_feed_give(peer, (struct aw_span){q->answer, q->answer_size},
                     aw_session_time(session) - (now - q->answered_ns));
        return AW_OK;
    }
    if (exchange_end(server) != INT64_MIN)
        return AW_MORE;
    begin_exchange(server, frame);
    q->by = peer;
    return write_frame(server, frame);
}

void aw_frames_ask(struct aw_server *server, struct aw_peer *peer, json_t *object)
{
    struct aw_session *session = server->session;
    struct aw_span frame;
    int64_t younger = json_integer_value(json_object_get(object, "younger_ns"));
    set_clock(server, object);
    if (!read_frame(server, json_object_get(object, "ask"), &frame) || !session->device.link ||
        session->device.link->lost || !judge(server, frame).reads)
        return;
    peer->asked = true;
    if (ask(server, peer, frame, younger) == AW_MORE)
        hold(peer, object, exchange_end(server));
}

/* What a client has waited with. */
void aw_frames_held(struct aw_server *server, struct aw_peer *peer)
{
    json_t *object = peer->held;
    if (!object || server->closed || clock_now(server) < peer->held_until_ns)
        return;
    peer->held = NULL;
    if (json_object_get(object, "tx"))
        aw_frames_take(server, peer, object);
    else
        aw_frames_ask(server, peer, object);
    json_decref(object);
}

void aw_frames_answered(struct aw_server *server, struct aw_span frame)
{
    const struct aw_tool *tool = server->session->tool;
    if (!tool->share.answers)
        return;
    for (size_t i = 0; i < AW_QUESTIONS; i++) {
        struct aw_question *q = &server->questions[i];
        if (!q->open || frame.size > sizeof q->answer ||
            !tool->share.answers((struct aw_span){q->bytes, q->size}, frame))
            continue;
        q->open = false;
        q->answered_ns = clock_now(server);
        q->answer_size = frame.size;
        memcpy(q->answer, frame.data, frame.size);
    }
    for (struct aw_peer *peer = server->peers; peer && exchange_end(server) == INT64_MIN;
         peer = peer->next) {
        peer->held_until_ns = 0;
        aw_frames_held(server, peer);
    }
}

/* A device that says nothing by itself is asked for those who have subscribed: one question after
 * the other, each as often as the fastest of them wants. */
void aw_frames_look(struct aw_server *server)
{
    struct aw_session *session = server->session;
    const char *const *names = session->tool->speaks;
    int64_t now = clock_now(server);
    struct aw_record question;
    unsigned n = 0;
    size_t size;
    if (!server->subscribers || !session->tool->asks || !names || !session->device.link) {
        server->ask_ns = AW_NEVER;
        return;
    }
    while (names[n])
        n++;
    int64_t period = (int64_t)(1e9 / (server->rate_hz > 0 ? server->rate_hz : USUAL_HZ) / n);
    if (server->ask_ns == AW_NEVER)
        server->ask_ns = now;
    if (now < server->ask_ns || server->closed)
        return;
    server->ask_ns = server->ask_ns + period > now ? server->ask_ns + period : now + period;
    aw_session_command(session, names[server->ask_turn++ % n], &question);
    if (aw_encode(&question, false, server->frame, sizeof server->frame, &size, &session->err) ==
        AW_OK)
        ask(server, NULL, (struct aw_span){server->frame, size}, 0);
}
