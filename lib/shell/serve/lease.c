/* The lease of a shared device: one client at a time holds it. A holder that sends nothing during a
 * motion loses it. A revocation sends the safe stop, except for a stop command of a device at
 * rest. */
#include <math.h>
#include <stdarg.h>
#include <stdio.h>

#include "shell/safety/crash.h"
#include "shell/safety/stop.h"
#include "shell/serve/server.h"

#define AGAIN_NS (500 * AW_MILLISECOND) /* interval between attempts after an unconfirmed stop */
/* max time for the rest of a stop command while other clients wait */
#define STOPS_NS (2 * AW_SECOND)

static double seconds_since(const struct aw_server *server, int64_t then)
{
    return round((double)(aw_server_now(server) - then) / 1e8) / 10;
}

static bool moves(const struct aw_server *server)
{
    return server->lease.moving && aw_session_has_ongoing(server->session);
}

void aw_lease_get_holder(const struct aw_server *server, struct aw_commander *commander)
{
    const struct aw_peer *holder = server->lease.holder;
    *commander = (struct aw_commander){.for_s = 0};
    if (!holder)
        return;
    commander->who = holder->who;
    commander->for_s = seconds_since(server, server->lease.granted_ns);
    commander->idle_s = moves(server) ? 0 : seconds_since(server, server->lease.frame_ns);
}

/* ---- The lease ---- */

static void turn(struct aw_server *server)
{
    struct aw_session *session = server->session;
    bool theirs = server->lease.holder && server->lease.in_command;
    if (session->tool->share.on_turn && session->device.link)
        session->tool->share.on_turn(session, theirs ? AW_TURN_END : AW_TURN_RESUME);
}

static void grant(struct aw_server *server, struct aw_peer *peer)
{
    uint8_t memory[AW_MEMORY_MAX];
    peer->lease.wanted = false;
    if (server->lease.holder != peer) {
        server->lease.holder = peer;
        server->lease.number++;
        server->lease.granted_ns = aw_server_now(server);
    }
    server->lease.frame_ns = aw_server_now(server);
    server->lease.in_command = true;
    server->stop.end_ns =
        peer->lease.sent_stop && !peer->lease.had_lease ? server->lease.frame_ns + STOPS_NS : 0;
    turn(server);
    aw_peer_send(peer,
                 &(struct aw_serve_message){.type = AW_GRANTED,
                                            .lease = server->lease.number,
                                            .memory = aw_memory_save(server->session, memory)});
    aw_frames_send_missed(server, peer);
}

static void reject_request(struct aw_peer *peer, enum aw_status status, const char *why)
{
    peer->lease.wanted = false;
    aw_peer_answer(peer, 0, status, why);
}

static void end_lease(struct aw_server *server)
{
    server->lease.holder = NULL;
    server->lease.number++;
    server->lease.in_command = false;
    server->stop.end_ns = 0;
}

static void refuse(struct aw_server *server, struct aw_peer *peer)
{
    double idle = seconds_since(server, server->lease.frame_ns);
    char why[240], since[32] = "";
    if (idle > 1 && !moves(server))
        snprintf(since, sizeof since, ", idle for %.0f s", idle);
    snprintf(
        why, sizeof why,
        "%s has held the lease for %.1f s%s — %s, or take over with --take; 'stop' always works",
        server->lease.holder->who.text, seconds_since(server, server->lease.granted_ns), since,
        *since ? "ask its user to exit" : "wait");
    reject_request(peer, AW_REFUSED, why);
}

static int rank(const struct aw_peer *peer)
{
    return peer->lease.sent_stop ? 2 : peer->lease.takes_over;
}

/* Answers the clients that wait for the lease. Grants it to one: first to a client that sent a
 * stop, then to one that takes over. Refuses the others, unless they wait for a stop. */
static void answer_lease_requests(struct aw_server *server)
{
    struct aw_peer *first = NULL;
    for (struct aw_peer *peer = server->clients.peers; peer; peer = peer->next)
        if (peer->lease.wanted && (!first || rank(peer) > rank(first)))
            first = peer;
    if (first && !server->lease.holder && !server->is_ending)
        grant(server, first);
    for (struct aw_peer *peer = server->clients.peers; peer; peer = peer->next)
        if (peer->lease.wanted && !peer->lease.sent_stop && server->lease.holder &&
            !server->stop.end_ns)
            refuse(server, peer);
}

void aw_lease_request(struct aw_server *server, struct aw_peer *peer, bool takes)
{
    struct aw_error err;
    peer->lease.wanted = true;
    peer->lease.takes_over = takes;
    if (peer->is_spare)
        reject_request(peer, AW_REFUSED, "server full; only 'stop' is accepted");
    else if (server->is_ending)
        reject_request(peer, AW_LOST, "the server was shut down");
    else if (server->device.link_lost)
        reject_request(peer, AW_LOST, "device disconnected: the server is waiting for it");
    else if (aw_watchdog_check(&server->watchdog, &err) != AW_OK)
        reject_request(peer, AW_LOST, err.text);
    else if (server->stop.is_due || server->is_stopping)
        return; /* other clients wait until the stop is over */
    else if (!server->lease.holder || server->lease.holder == peer) {
        grant(server, peer);
        /* tells clients that waited for the stop who the new holder is */
        answer_lease_requests(server);
    } else if (!takes && server->stop.end_ns)
        return; /* waits too: a stop is not a motion command */
    else if (!takes)
        refuse(server, peer);
    else
        aw_lease_revoke(server, AW_TIMEOUT, "%s has taken over — stopped", peer->who.text);
}

void aw_lease_release(struct aw_server *server)
{
    if (!server->lease.holder)
        return;
    end_lease(server);
    turn(server);
    if (!server->stop.is_due && !server->is_stopping)
        answer_lease_requests(server);
}

void aw_lease_end_command(struct aw_server *server, struct aw_peer *peer,
                          const struct aw_serve_message *m)
{
    struct aw_session *session = server->session;
    if (server->lease.holder != peer)
        return;
    aw_memory_restore(session, m->memory);
    server->lease.in_command = false;
    server->lease.moving = m->flag;
    server->lease.frame_ns = aw_server_now(server);
    session->motion.ongoing = m->flag ? AW_ONGOING_RUNNING : AW_ONGOING_NOTHING;
    if (m->flag && m->ns > 0)
        aw_session_set_end(session, (double)m->ns / 1e9);
    aw_crash_prepare(session);
    turn(server);
}

/* ---- Its end ---- */

static void report_stopped(struct aw_server *server, const struct aw_peer *holder,
                           enum aw_status status)
{
    for (struct aw_peer *peer = server->clients.peers; peer; peer = peer->next) {
        bool holds = peer == holder;
        if (!holds && (peer->lease.sent_stop || (peer->lease.wanted && peer->lease.takes_over)))
            continue;
        aw_peer_send(peer, &(struct aw_serve_message){.type = holds ? AW_REVOKED : AW_STOPPED_BY,
                                                      .status = (uint8_t)status,
                                                      .flag = server->is_ending,
                                                      .body = aw_text_body(server->stop.reason)});
    }
}

void aw_lease_revoke(struct aw_server *server, enum aw_status status, const char *format, ...)
{
    struct aw_peer *holder = server->lease.holder;
    va_list args;
    va_start(args, format);
    vsnprintf(server->stop.reason, sizeof server->stop.reason, format, args);
    va_end(args);
    server->stop.is_due = true;
    report_stopped(server, holder, status);
    end_lease(server);
    if (server->device.is_reading)
        aw_stop_request(server->session);
}

/* Without a motion, the tool's own stop is enough. */
void aw_lease_handle_stop(struct aw_server *server, struct aw_peer *peer)
{
    bool rests = !moves(server) && !server->stop.is_due && !server->is_stopping;
    peer->lease.sent_stop = true;
    peer->lease.wanted = true; /* its stop command may have to send more */
    peer->lease.had_lease = server->lease.holder == peer;
    if (peer->lease.had_lease)
        server->lease.holder = NULL; /* no other program has stopped it */
    aw_lease_revoke(server, AW_TIMEOUT, "stopped by %s", peer->who.text);
    if (rests && !server->device.link_lost) {
        server->stop.is_due = false;
        answer_lease_requests(server);
        peer->lease.sent_stop = false;
    }
}

void aw_lease_handle_exit(struct aw_server *server, struct aw_peer *peer)
{
    if (server->lease.holder != peer)
        return;
    if (moves(server))
        aw_lease_revoke(server, AW_TIMEOUT, "the lease holder disconnected — stopped");
    else
        aw_lease_release(server);
}

static bool is_connected(const struct aw_session *session)
{
    return session->device.link && !session->device.link->is_lost;
}

/* Sends the stop and prints its outcome. */
static enum aw_status stop_device(struct aw_session *session, const char *why)
{
    enum aw_status status = is_connected(session)
                                ? aw_stop_device(session)
                                : aw_fail(&session->err, AW_LOST, "device disconnected");
    const char *did = status == AW_OK ? session->motion.stop.effect : "";
    aw_session_print_notice(session, "%s%s%s", why, *did ? ": " : "", did);
    if (status != AW_OK)
        aw_session_report(session, "%s: %s\n", session->tool->name, session->err.text);
    return status;
}

/* Sends one stop for all clients that requested it. */
void aw_lease_stop_device(struct aw_server *server)
{
    struct aw_session *session = server->session;
    char why[sizeof server->stop.reason];
    snprintf(why, sizeof why, "%s", server->stop.reason);
    aw_stop_withdraw(session);
    server->stop.is_due = false;
    server->is_stopping = true;
    turn(server);
    enum aw_status status = stop_device(session, why);
    bool ok = status == AW_OK, again = status == AW_TIMEOUT && is_connected(session);
    server->stop.retry_ns = again ? aw_server_now(server) + AGAIN_NS : 0;
    server->is_stopping = false;
    session->motion.ongoing = ok ? AW_ONGOING_NOTHING : session->motion.ongoing;
    server->lease.moving = false;
    aw_crash_prepare(session);
    if (server->stop.is_due)
        return;
    answer_lease_requests(server);
    for (struct aw_peer *peer = server->clients.peers; peer; peer = peer->next)
        peer->lease.sent_stop = peer->lease.sent_stop && peer->lease.wanted;
}

/* ---- Signs of life ---- */

int64_t aw_lease_deadman_due(const struct aw_server *server)
{
    const struct aw_peer *peer = server->lease.holder;
    if (!peer || !server->lease.deadman_ns || server->stop.is_due || server->is_stopping ||
        !moves(server))
        return AW_NEVER;
    return peer->received_ns + server->lease.deadman_ns;
}

void aw_lease_check_deadman(struct aw_server *server)
{
    int64_t due = aw_lease_deadman_due(server), now = aw_server_now(server);
    if (server->stop.retry_ns && now >= server->stop.retry_ns && !server->stop.is_due) {
        server->stop.is_due = true;
        if (server->device.is_reading)
            aw_stop_request(server->session);
    }
    if (server->stop.end_ns && now >= server->stop.end_ns) {
        server->stop.end_ns = 0;
        answer_lease_requests(server);
    }
    if (due == AW_NEVER || now < due)
        return;
    aw_lease_revoke(server, AW_TIMEOUT, "the lease holder sent nothing for %.2f s — stopped",
                    (double)(now - server->lease.holder->received_ns) / 1e9);
}
