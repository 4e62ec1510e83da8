/* A tool whose device a server has: finds that server, asks it to command, and hears when that is
 * over. */
#include <math.h>
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

#include "shell/commands/common.h"
#include "shell/core/dry.h"
#include "shell/core/stop.h"
#include "shell/share/attached.h"
#include "shell/share/bytes.h"
#include "shell/share/server.h"
#include "shell/share/share.h"

#define PLACES_MAX 16                     /* of servers of one tool */
#define SIGN_NS    (100 * AW_MILLISECOND) /* between two signs of life, at most */
#define ANSWER_NS  (5 * AW_SECOND) /* about the lease: a stop may have to be confirmed first */

static struct aw_clock *clock_of(const struct aw_attached *attached)
{
    return &attached->session->time.real.base;
}

/* ---- Lines -------------------------------------------------------------------------------------
 */

void aw_attached_send(struct aw_attached *attached, json_t *object)
{
    aw_conn_put_json(&attached->conn, object);
    aw_conn_flush(&attached->conn);
}

/* From now on another one commands, or nobody: what runs here ends. At the prompt it is told. */
static void take_end(struct aw_attached *attached, enum aw_status status, const char *why)
{
    struct aw_session *session = attached->session;
    bool looks = !session->run.command || session->run.command->safety == AW_READ;
    attached->lease = 0;
    attached->told = true;
    if (attached->waits) { /* what is not acknowledged yet never will be */
        attached->waits = false;
        attached->status = status;
        snprintf(attached->why, sizeof attached->why, "%.300s", why);
    }
    session->motion.ongoing = AW_ONGOING_NOTHING;
    session->motion.moving = false;
    if (session->mode.interactive && (looks || !attached->begun)) {
        if (attached->over || !*attached->lost)
            aw_session_notice(session, "%s", why);
        return;
    }
    attached->revoked = true;
    attached->revoked_as = status;
    snprintf(attached->reason, sizeof attached->reason, "%s", why);
    session->motion.stopped_by = attached->reason;
    session->motion.stopped_as = status;
    aw_stop_ask(session);
}

static void take_grant(struct aw_attached *attached, const json_t *object)
{
    struct aw_session *session = attached->session;
    attached->lease = (unsigned)json_integer_value(json_object_get(object, "granted"));
    attached->status = AW_OK;
    attached->waits = false;
    aw_attached_flush(attached); /* what came before is another one's conversation */
    aw_memory_take(session, object);
    if (session->tool->share.turn && attached->link)
        session->tool->share.turn(session, AW_TURN_BEGIN);
}

static void take_answer(struct aw_attached *attached, const json_t *object)
{
    const char *why = json_string_value(json_object_get(object, "refused"));
    const json_t *status = json_object_get(object, "exit"), *n = json_object_get(object, "ack");
    if (n && !attached->waits) /* to what was revoked, and why that was is known */
        return;
    if (!why)
        why = json_string_value(json_object_get(object, "why"));
    attached->status =
        json_is_integer(status) ? (enum aw_status)(json_integer_value(status) & 15) : AW_REFUSED;
    const struct aw_command *command = attached->session->run.command;
    bool own = !n && status && command; /* it is refused whoever commands */
    snprintf(attached->why, sizeof attached->why, "%s%s%.250s", own ? command->name : "",
             own ? ": " : "", why ? why : "");
    attached->waits = n && json_integer_value(n) < attached->frames;
    json_decref(attached->answer);
    attached->answer = n ? NULL : json_incref((json_t *)object);
}

static void take_news(struct aw_attached *attached, const json_t *object)
{
    struct aw_session *session = attached->session;
    const char *why = json_string_value(json_object_get(object, "why"));
    const char *revoked = json_string_value(json_object_get(object, "revoked"));
    const char *stopped = json_string_value(json_object_get(object, "stopped"));
    int status = (int)json_integer_value(json_object_get(object, "exit"));
    bool ends = json_is_true(json_object_get(object, "ends"));
    if (ends)
        snprintf(attached->lost, sizeof attached->lost, "the server was ended");
    if (revoked)
        take_end(attached, (enum aw_status)(status & 15), revoked);
    else if (stopped && !ends) /* else it is told once the server is gone */
        aw_session_notice(session, "%s", stopped);
    else if (why && json_object_size(object) == 1) /* the last line */
        snprintf(attached->lost, sizeof attached->lost, "%s", why);
}

static void take_line(struct aw_attached *attached, const char *line)
{
    json_t *object = json_loads(line, JSON_REJECT_DUPLICATES, NULL);
    if (json_object_get(object, "rx") || json_object_get(object, "tx") ||
        json_object_get(object, "lost"))
        aw_attached_pass(attached, object);
    else if (json_object_get(object, "granted"))
        take_grant(attached, object);
    else if (json_object_get(object, "refused") || json_object_get(object, "ack") ||
             json_equal(json_object_get(object, "done"), attached->asks))
        take_answer(attached, object);
    else if (json_is_number(json_object_get(object, "speed")))
        attached->session->motion.asked = json_number_value(json_object_get(object, "speed"));
    else if (json_object_get(object, "at"))
        attached->now_ns = json_integer_value(json_object_get(object, "at"));
    else
        take_news(attached, object);
    json_decref(object);
}

/* Who only looks on: but no simulator is the same again that waits for nobody. */
static bool waits_for_another(const struct aw_attached *attached)
{
    return attached->session->share.patient && !attached->virtual;
}

enum aw_status aw_attached_fail(const struct aw_attached *attached, struct aw_error *err)
{
    const char *why = *attached->lost ? attached->lost : "the server is gone";
    if (waits_for_another(attached))
        return aw_fail(err, AW_LOST, "%s: %s — waiting for it", attached->address.text, why);
    return aw_fail(err, AW_LOST, "%s: %s — every motion by it is stopped", attached->address.text,
                   why);
}

void aw_attached_take(struct aw_attached *attached)
{
    char *line;
    bool over = !aw_conn_fill(&attached->conn) || attached->conn.gone;
    while ((line = aw_conn_next(&attached->conn)))
        take_line(attached, line);
    over = over || attached->conn.overlong;
    if (!over || attached->over)
        return;
    attached->over = true;
    attached->waits = false;
    attached->aside.fd = -1;
    struct aw_error err;
    aw_attached_fail(attached, &err);
    if (!attached->revoked && attached->aside.serve && !waits_for_another(attached))
        take_end(attached, AW_LOST, err.text);
}

static void serve_aside(struct aw_aside *aside)
{
    struct aw_attached *attached = (struct aw_attached *)aside;
    int64_t now = aw_clock_now(clock_of(attached));
    if (now >= aside->due) {
        aw_conn_put(&attached->conn, "\n", 1, false);
        aside->due = now + attached->period_ns;
    }
    aw_conn_flush(&attached->conn);
    if (aside->fd >= 0)
        aw_attached_take(attached);
    if (attached->over)
        aside->due = AW_NEVER;
}

/* ---- Connecting --------------------------------------------------------------------------------
 */

static enum aw_status check_hello(struct aw_attached *attached, const json_t *hello)
{
    struct aw_error *err = &attached->session->err;
    const char *tool = json_string_value(json_object_get(hello, "serve"));
    const char *device = json_string_value(json_object_get(hello, "link"));
    const char *key = json_string_value(json_object_get(hello, "key"));
    int64_t deadman = json_integer_value(json_object_get(hello, "deadman_ms"));
    if (!tool)
        return aw_way_refused(&attached->address, hello, err);
    if (strcmp(tool, attached->session->tool->name) != 0)
        return aw_fail(err, AW_NO_LINK, "%s: it serves %.20s, not %s", attached->address.text, tool,
                       attached->session->tool->name);
    uint32_t packets = aw_session_packets_sum(attached->session);
    if (packets && (json_int_t)packets != json_integer_value(json_object_get(hello, "packets")))
        return aw_fail(err, AW_USAGE,
                       "%s: it would not stop these joints, because it has another packet file or "
                       "none — give the same --packets to '%s serve'",
                       attached->address.text, attached->session->tool->name);
    snprintf(attached->device, sizeof attached->device, "%s", device ? device : "");
    if (strncmp(attached->device, "sim:", 4) == 0 || !key)
        snprintf(attached->key, sizeof attached->key, "serve:%.100s", attached->device);
    else
        snprintf(attached->key, sizeof attached->key, "%s", key);
    attached->virtual = json_object_get(hello, "at") != NULL;
    attached->at_ns = json_integer_value(json_object_get(hello, "at"));
    attached->hello = json_incref((json_t *)hello);
    attached->server = (int)json_integer_value(json_object_get(hello, "pid"));
    attached->datagrams = json_is_true(json_object_get(hello, "datagrams"));
    attached->period_ns = SIGN_NS;
    if (deadman > 0 && deadman * AW_MILLISECOND / 4 < SIGN_NS)
        attached->period_ns = deadman * AW_MILLISECOND / 4;
    return AW_OK;
}

static void drop(struct aw_attached *attached)
{
    if (!attached)
        return;
    aw_aside_remove(&attached->session->time.real.aside, &attached->aside);
    aw_conn_free(&attached->conn);
    json_decref(attached->hello);
    json_decref(attached->answer);
    aw_attached_flush(attached);
    free(attached);
}

static void detach(struct aw_session *session)
{
    struct aw_attached *attached = session->share.attached;
    session->share.attached = NULL;
    session->share.url = NULL;
    drop(attached);
}

static enum aw_status connect_to(struct aw_session *session, const struct aw_address *address)
{
    struct aw_attached *attached = calloc(1, sizeof *attached);
    if (!attached)
        return aw_no_memory(&session->err);
    attached->session = session;
    attached->address = *address;
    session->share.attached = attached;
    json_t *hello = NULL;
    enum aw_status status = aw_way_open(session, address, &attached->conn, &hello);
    if (status == AW_OK)
        status = check_hello(attached, hello);
    json_decref(hello);
    if (status != AW_OK) {
        detach(session);
        return status;
    }
    session->share.url = attached->device;
    attached->aside = (struct aw_aside){
        .fd = attached->conn.fd, .due = aw_clock_now(clock_of(attached)), .serve = serve_aside};
    aw_aside_add(&session->time.real.aside, &attached->aside);
    return AW_OK;
}

static enum aw_status attach_to(struct aw_session *session, const char *url)
{
    struct aw_address address;
    enum aw_status status = aw_address_of_server(&address, session->tool->name, url, &session->err);
    if (status == AW_OK)
        status = connect_to(session, &address);
    if (status == AW_OK && !session->share.obeys)
        aw_session_notice_simulator(session, session->share.attached->device);
    return status;
}

/* To the first of the usual ones where no link was named, else to the one that has this link. */
static enum aw_status attach_to_usual(struct aw_session *session, const char *url)
{
    enum aw_status status = AW_OK;
    struct aw_address places[PLACES_MAX];
    bool given = aw_flag(session, "link");
    size_t n = aw_address_usual(places, PLACES_MAX, session->tool->name);
    for (size_t i = 0; i < n && !session->share.attached && status != AW_STOPPED; i++) {
        status = connect_to(session, &places[i]);
        if (status == AW_OK && given && strcmp(session->share.attached->device, url) != 0)
            detach(session);
    }
    if (!session->share.attached) /* the device itself, but for a signal */
        return status == AW_STOPPED ? status : AW_OK;
    aw_session_notice(session, "%s serve (pid %d) has %s — this goes through it",
                      session->tool->name, session->share.attached->server,
                      session->share.attached->device);
    aw_session_notice_simulator(session, session->share.attached->device);
    return AW_OK;
}

/* To a server at the same place, of the same device; the device itself would be nobody else's. */
static enum aw_status attach_again(struct aw_session *session)
{
    struct aw_attached *old = session->share.attached;
    enum aw_status status = connect_to(session, &old->address);
    if (status == AW_OK && strcmp(session->share.attached->device, old->device) != 0) {
        status = aw_fail(&session->err, AW_NO_LINK, "%s: it serves %.200s now", old->address.text,
                         session->share.attached->device);
        detach(session);
    }
    if (status == AW_OK) {
        drop(old);
    } else {
        session->share.attached = old;
        session->share.url = old->device;
    }
    return status;
}

static enum aw_status attach(struct aw_session *session, const char *url)
{
    struct aw_error before = session->err;
    if (session->share.attached && !session->share.attached->over)
        return AW_OK;
    if (session->share.attached && session->share.patient)
        return attach_again(session);
    if (session->share.attached && session->mode.one_shot && !session->mode.scripts)
        return aw_attached_fail(session->share.attached, &session->err);
    if (session->share.attached) { /* to one that is gone: url was of its device */
        aw_session_unlink(session);
        detach(session);
        if (url && aw_session_url(session, &url) != AW_OK)
            return session->err.status;
    }
    if (url && strncmp(url, "serve:", 6) == 0)
        return attach_to(session, url);
    enum aw_status status = aw_flag(session, "no-attach") ? AW_OK : attach_to_usual(session, url);
    session->err = before;
    return status;
}

/* ---- The lease ---------------------------------------------------------------------------------
 */

enum aw_status aw_attached_await(struct aw_attached *attached, struct aw_error *err)
{
    struct pollfd ready = {.fd = attached->conn.fd, .events = POLLIN};
    int64_t until = aw_clock_now(clock_of(attached)) + ANSWER_NS;
    while (attached->waits && !attached->over) {
        int64_t left = until - aw_clock_now(clock_of(attached));
        aw_conn_flush(&attached->conn);
        if (left <= 0 || poll(&ready, 1, (int)(left / AW_MILLISECOND) + 1) == 0)
            return aw_fail(err, AW_TIMEOUT, "%s: the server does not answer",
                           attached->address.text);
        aw_attached_take(attached);
    }
    if (attached->over)
        return aw_attached_fail(attached, err);
    return attached->status == AW_OK ? AW_OK : aw_fail(err, attached->status, "%s", attached->why);
}

static bool is_stop(const struct aw_command *command)
{
    return command && strcmp(command->name, "stop") == 0;
}

enum aw_status aw_attached_want(struct aw_attached *attached, struct aw_error *err)
{
    struct aw_session *session = attached->session;
    bool stop = is_stop(session->run.command);
    attached->waits = true;
    aw_attached_send(attached, stop ? json_pack("{s:b}", "halt", true)
                                    : json_pack("{s:b}", "want", aw_flag(session, "take")));
    enum aw_status status = aw_attached_await(attached, err);
    if (status == AW_OK && attached->told)
        aw_session_notice(session, "commands again");
    attached->told = false;
    return status;
}

/* A command that changes something has to be let in before it looks where the device is. */
static enum aw_status begin(struct aw_session *session)
{
    struct aw_attached *attached = session->share.attached;
    const struct aw_command *command = session->run.command;
    aw_memory_take(session, attached->hello);
    json_decref(attached->hello);
    attached->hello = NULL;
    bool stop = is_stop(command);
    bool known = attached->lease && !session->tool->share.turn && !stop;
    if (attached->begun || !command || (command->safety == AW_READ && !stop))
        return AW_OK;
    attached->begun = true;
    attached->fresh = !attached->lease;
    return known ? AW_OK : aw_attached_want(attached, &session->err);
}

/* Words for what the server has ended. */
static enum aw_status take_revoked(struct aw_session *session)
{
    struct aw_attached *attached = session->share.attached;
    aw_stop_forget(session);
    session->motion.stopped_by = NULL;
    attached->revoked = false;
    return aw_fail(&session->err, attached->revoked_as, "%s", attached->reason);
}

/* What moved has arrived, unless it goes on; who has only set something needs no place. */
static enum aw_status end(struct aw_session *session, enum aw_status status)
{
    struct aw_attached *attached = session->share.attached;
    bool goes_on = aw_session_goes_on(session);
    bool moves = session->run.command && session->run.command->safety >= AW_MOTION;
    attached->begun = false;
    if (attached->revoked && status != AW_OK && !session->motion.stop.signal)
        return take_revoked(session);
    if (!attached->lease || attached->over)
        return status;
    json_t *idle = json_pack("{s:b}", "idle", goes_on);
    if (session->motion.ongoing == AW_ONGOING_ENDING)
        json_object_set_new(
            idle, "ms",
            json_integer((session->motion.until - aw_clock_now(session->clock)) / AW_MILLISECOND));
    json_object_set_new(idle, "memory", aw_memory_json(session));
    aw_attached_send(attached, idle);
    if (attached->fresh && !moves && !goes_on) {
        attached->lease = 0;
        aw_attached_send(attached, json_pack("{s:s}", "cmd", "release"));
    }
    return status;
}

static enum aw_status outcome(struct aw_session *session, enum aw_status status)
{
    if (status != AW_STOPPED || !session->share.attached->revoked || session->motion.stop.signal)
        return status;
    return aw_session_refuse(session, take_revoked(session));
}

enum aw_status aw_run_release(struct aw_session *session, const struct aw_args *args)
{
    (void)args;
    enum aw_status status = aw_dry_ends(session);
    if (status == AW_OK)
        status = aw_session_find_server(session);
    if (status != AW_OK)
        return status;
    if (!session->share.attached) {
        aw_session_notice(session,
                          "release: no server has the device: there is nothing to release");
        return AW_OK;
    }
    session->share.attached->lease = 0;
    aw_attached_send(session->share.attached, json_pack("{s:s}", "cmd", "release"));
    return AW_OK;
}

static void plays(struct aw_session *session, bool on)
{
    if (session->share.attached && session->share.attached->lease)
        aw_attached_send(session->share.attached, json_pack("{s:b}", "plays", on));
}

/* A line that the server answers itself; its answer is in attached->answer. */
static enum aw_status ask(struct aw_attached *attached, json_t *line)
{
    attached->waits = true;
    attached->asks = json_incref(json_object_get(line, "cmd"));
    aw_attached_send(attached, json_pack("{s:b}", "link", true));
    aw_attached_send(attached, line);
    enum aw_status status = aw_attached_await(attached, &attached->session->err);
    json_decref(attached->asks);
    attached->asks = NULL;
    attached->waits = false;
    return status;
}

/* Who commands: behind what status says. */
static enum aw_status commander(struct aw_session *session)
{
    struct aw_attached *attached = session->share.attached;
    char words[160];
    enum aw_status status = ask(attached, json_pack("{s:s}", "cmd", "commander"));
    const json_t *who = json_object_get(attached->answer, "commander");
    aw_who_words(who, words, sizeof words);
    if (status == AW_OK && aw_session_json(session))
        aw_commander_add(session, who);
    else if (status == AW_OK && aw_session_text(session) && json_is_object(who))
        aw_output_print(&session->out, "commander: %s\n", words);
    return status;
}

/* What plays elsewhere has its speed changed by the server. */
enum aw_status aw_run_speed(struct aw_session *session, const struct aw_args *args)
{
    double share = NAN;
    enum aw_status status = aw_arg_number(session, args, "share", &share);
    if (status == AW_OK)
        status = aw_dry_ends(session);
    if (status == AW_OK)
        status = aw_session_find_server(session);
    if (status != AW_OK)
        return status;
    struct aw_attached *attached = session->share.attached;
    if (!attached)
        return aw_fail(&session->err, AW_USAGE,
                       "speed: nothing is played here, and no server has the device — type it "
                       "while play, replay or follow runs");
    return ask(attached, json_pack("{s:s,s:f,s:{s:b}}", "cmd", "speed", "share", share, "options",
                                   "take", aw_flag(session, "take")));
}

static void leave(struct aw_session *session)
{
    if (!session->share.attached)
        return;
    json_t *idle = json_pack("{s:b}", "leave", true);
    aw_attached_send(session->share.attached, idle);
    shutdown(session->share.attached->conn.fd, SHUT_WR);
    aw_session_unlink(session);
    detach(session);
}

const struct aw_sharing aw_sharing = {
    .attach = attach,
    .open = aw_attached_open,
    .begin = begin,
    .end = end,
    .outcome = outcome,
    .leave = leave,
    .plays = plays,
    .commander = commander,
    .list = aw_share_list,
    .serves = aw_way_serves,
    .traffic = aw_feed_traffic,
    .allow = aw_obey_allow,
};
