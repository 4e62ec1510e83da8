/* A command of ours that is carried out by the server which has the device: what it prints comes
 * out here, and what its user wants goes there. */
#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <pwd.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

#include "base/file.h"
#include "base/xdg.h"
#include "shell/commands/common.h"
#include "shell/core/dry.h"
#include "shell/core/share.h"
#include "shell/core/stop.h"
#include "shell/share/attached.h"
#include "shell/share/mqtt.h"
#include "shell/share/server.h"

#define PLACES_MAX 16 /* of servers of one tool */
#define LINE_LIMIT (16 << 20)
#define HELLO_MS   3000
#define BROKER_MS  12000 /* for the same by a broker; armwire-mqtt says what is wrong before */
#define SIGN_NS    (100 * AW_MILLISECOND) /* between two signs of life, at most */
#define GIVE_UP_NS (3 * AW_SECOND)        /* for the end of what was interrupted */

static struct aw_clock *clock_of(const struct aw_attached *attached)
{
    return &attached->session->real_clock.base;
}

/* ---- Lines -------------------------------------------------------------------------------------
 */

void aw_attached_send(struct aw_attached *attached, json_t *object)
{
    char *text = json_dumps(object, JSON_COMPACT);
    json_decref(object);
    if (!text)
        return;
    aw_conn_put(&attached->conn, text, strlen(text), false);
    aw_conn_put(&attached->conn, "\n", 1, false);
    aw_conn_flush(&attached->conn);
    free(text);
}

static void print_text(struct aw_attached *attached, const json_t *out, const json_t *err)
{
    struct aw_session *session = attached->session;
    if (out)
        aw_output_write(&session->out, json_string_value(out), json_string_length(out));
    if (!err)
        return;
    aw_output_flush(&session->out, NULL);
    aw_session_draw(session, "%s", json_string_value(err));
}

static void take_end(struct aw_attached *attached, const json_t *object)
{
    struct aw_session *session = attached->session;
    const char *ongoing = json_string_value(json_object_get(object, "ongoing"));
    const char *why = json_string_value(json_object_get(object, "why"));
    int64_t ms = json_integer_value(json_object_get(object, "ms"));
    attached->done = true;
    attached->status = (enum aw_status)(json_integer_value(json_object_get(object, "status")) & 15);
    snprintf(attached->why, sizeof attached->why, "%s", why ? why : "");
    if (!ongoing)
        return;
    session->ongoing = strcmp(ongoing, "nothing") == 0  ? AW_ONGOING_NOTHING
                       : strcmp(ongoing, "ending") == 0 ? AW_ONGOING_ENDING
                                                        : AW_ONGOING_RUNNING;
    session->ongoing_until = aw_clock_now(session->clock) + (ms & 0xFFFFFFFF) * AW_MILLISECOND;
}

static void take_news(struct aw_attached *attached, const json_t *object)
{
    struct aw_session *session = attached->session;
    const char *lost = json_string_value(json_object_get(object, "why"));
    const json_t *taken = json_object_get(object, "taken"), *stopped;
    if (taken) {
        const char *program = json_string_value(json_object_get(taken, "program"));
        aw_session_notice(session, "%s (pid %lld) commands now", program ? program : "another",
                          (long long)json_integer_value(json_object_get(taken, "pid")));
    }
    if (lost && json_object_size(object) == 1) /* the last line */
        snprintf(attached->lost, sizeof attached->lost, "%s", lost);
    stopped = json_object_get(object, "stopped");
    if (json_is_string(stopped)) {
        session->ongoing = AW_ONGOING_NOTHING;
        aw_session_notice(session, "%s", json_string_value(stopped));
    }
}

static void take_line(struct aw_attached *attached, const char *line)
{
    json_t *object = json_loads(line, JSON_REJECT_DUPLICATES, NULL);
    const json_t *id = json_object_get(object, "id");
    bool ours = json_is_integer(id) && json_integer_value(id) == attached->id;
    const json_t *out = json_object_get(object, "out"), *err = json_object_get(object, "err");
    if (json_object_get(object, "rx") || json_object_get(object, "tx") ||
        json_object_get(object, "lost"))
        aw_look_take(attached, object);
    else if (ours && (json_is_string(out) || json_is_string(err)))
        print_text(attached, json_is_string(out) ? out : NULL, json_is_string(err) ? err : NULL);
    else if (ours && json_object_get(object, "file"))
        aw_client_take_file(attached, object);
    else if (ours && json_object_get(object, "done"))
        take_end(attached, object);
    else
        take_news(attached, object);
    json_decref(object);
}

void aw_attached_take(struct aw_attached *attached)
{
    const char *line;
    attached->over = !aw_conn_fill(&attached->conn) || attached->conn.gone;
    while ((line = aw_conn_next(&attached->conn)))
        take_line(attached, line);
    attached->over = attached->over || attached->conn.overlong;
    if (attached->over)
        attached->aside.fd = -1;
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

/* The first line of the server, or NULL. */
static json_t *read_hello(struct aw_attached *attached)
{
    struct aw_clock *clock = clock_of(attached);
    int64_t most = attached->mqtt ? BROKER_MS : HELLO_MS;
    int64_t deadline = aw_clock_now(clock) + most * AW_MILLISECOND;
    const char *line = NULL;
    while (!line && aw_clock_wait(clock, attached->conn.fd, POLLIN, deadline) == AW_OK &&
           aw_conn_fill(&attached->conn))
        line = aw_conn_next(&attached->conn);
    return line ? json_loads(line, JSON_REJECT_DUPLICATES, NULL) : NULL;
}

static enum aw_status check_hello(struct aw_attached *attached, const json_t *hello)
{
    struct aw_error *err = &attached->session->err;
    const char *tool = json_string_value(json_object_get(hello, "serve"));
    const char *why = json_string_value(json_object_get(hello, "why"));
    const char *device = json_string_value(json_object_get(hello, "link"));
    int64_t deadman = json_integer_value(json_object_get(hello, "deadman_ms"));
    bool wrong = json_integer_value(json_object_get(hello, "exit")) == AW_USAGE;
    if (!tool)
        return aw_fail(err, wrong ? AW_USAGE : AW_NO_LINK, "%s: %.300s", attached->address.text,
                       why              ? why
                       : attached->mqtt ? "the broker does not answer"
                                        : "what listens there is no server of ours");
    if (strcmp(tool, attached->session->tool->name) != 0)
        return aw_fail(err, AW_NO_LINK, "%s: it serves %.20s, not %s", attached->address.text, tool,
                       attached->session->tool->name);
    snprintf(attached->device, sizeof attached->device, "%s", device ? device : "");
    attached->server = (int)json_integer_value(json_object_get(hello, "pid"));
    attached->datagrams = json_is_true(json_object_get(hello, "datagrams"));
    attached->period_ns = SIGN_NS;
    if (deadman > 0 && deadman * AW_MILLISECOND / 4 < SIGN_NS)
        attached->period_ns = deadman * AW_MILLISECOND / 4;
    return AW_OK;
}

static void detach(struct aw_session *session)
{
    struct aw_attached *attached = session->attached;
    session->attached = NULL;
    if (!attached)
        return;
    aw_aside_remove(&session->real_clock.aside, &attached->aside);
    aw_conn_free(&attached->conn);
    aw_link_close(attached->mqtt);
    json_decref(attached->files);
    free(attached);
}

/* The socket of the server, or that of a program which speaks with it by a broker. */
static enum aw_status open_way(struct aw_attached *attached)
{
    struct aw_error *err = &attached->session->err;
    char *const words[] = {(char *)attached->session->tool->name, attached->address.broker, NULL};
    enum aw_status status = AW_OK;
    int fd = -1;
    if (!*attached->address.broker)
        fd = aw_address_connect(&attached->address, err);
    else if ((status = aw_mqtt_start(&attached->mqtt, words, clock_of(attached), err)) == AW_OK)
        fd = fcntl(aw_link_fd(attached->mqtt), F_DUPFD_CLOEXEC, 0);
    aw_conn_init(&attached->conn, fd, LINE_LIMIT);
    return fd >= 0 ? AW_OK : err->status;
}

static enum aw_status connect_to(struct aw_session *session, const struct aw_address *address)
{
    char token[128];
    struct aw_attached *attached = calloc(1, sizeof *attached);
    if (!attached)
        return aw_no_memory(&session->err);
    attached->session = session;
    attached->address = *address;
    session->attached = attached;
    enum aw_status status = open_way(attached);
    if (status == AW_OK && *address->token) {
        status = aw_read_secret(address->token, token, sizeof token, &session->err);
        const struct passwd *user = getpwuid(getuid());
        if (status == AW_OK)
            aw_attached_send(attached, json_pack("{s:s,s:s,s:s,s:i}", "token", token, "program",
                                                 session->tool->name, "user",
                                                 user ? user->pw_name : "?", "pid", (int)getpid()));
    }
    json_t *hello = status == AW_OK ? read_hello(attached) : NULL;
    if (status == AW_OK)
        status = check_hello(attached, hello);
    json_decref(hello);
    if (status != AW_OK) {
        detach(session);
        return status;
    }
    attached->aside = (struct aw_aside){
        .fd = attached->conn.fd, .due = aw_clock_now(clock_of(attached)), .serve = serve_aside};
    aw_aside_add(&session->real_clock.aside, &attached->aside);
    return AW_OK;
}

static enum aw_status attach_to(struct aw_session *session, const char *url)
{
    struct aw_address address;
    enum aw_status status = aw_address_of_server(&address, session->tool->name, url, &session->err);
    if (status == AW_OK)
        status = connect_to(session, &address);
    if (status == AW_OK)
        aw_session_notice_simulator(session, session->attached->device);
    return status;
}

/* Where no server was named the usual ones are asked, once a session: the first one is taken where
 * no link was named either, else the one that has this link. */
static enum aw_status attach(struct aw_session *session, const char *url)
{
    struct aw_address places[PLACES_MAX];
    struct aw_error before = session->err;
    bool given = aw_flag(session, "link");
    if (url && (strncmp(url, "serve:", 6) == 0 || aw_mqtt_is(url)))
        return attach_to(session, url);
    if (aw_flag(session, "no-attach"))
        return AW_OK;
    size_t n = aw_address_usual(places, PLACES_MAX, session->tool->name);
    for (size_t i = 0; i < n && !session->attached; i++)
        if (connect_to(session, &places[i]) == AW_OK && given &&
            strcmp(session->attached->device, url) != 0)
            detach(session);
    session->err = before;
    if (!session->attached)
        return AW_OK;
    aw_session_notice(session, "%s serve (pid %d) has %s — this goes through it",
                      session->tool->name, session->attached->server, session->attached->device);
    aw_session_notice_simulator(session, session->attached->device);
    return AW_OK;
}

/* ---- A command ---------------------------------------------------------------------------------
 */

static json_t *list_words(const struct aw_words *words)
{
    json_t *list = json_array();
    for (size_t i = 0; i < words->n; i++)
        json_array_append_new(list, json_string(words->word[i]));
    return list;
}

static json_t *list_options(const struct aw_session *session)
{
    json_t *object = json_object();
    for (size_t i = 0; i < session->options.n; i++) {
        const struct aw_option_value *value = &session->options.values[i];
        if (value->text && value->origin != AW_FROM_DEFAULT)
            json_object_set_new(object, value->option->name, json_string(value->text));
    }
    return object;
}

static json_t *make_request(struct aw_attached *attached)
{
    struct aw_session *session = attached->session;
    const struct aw_words *words = session->words;
    json_t *object =
        json_pack("{s:o,s:o,s:i,s:b}", "run", list_words(words), "options", list_options(session),
                  "id", (int)++attached->id, "color", session->out.color);
    json_decref(attached->files);
    attached->files = aw_client_files(session);
    json_object_set(object, "files", attached->files);
    if (session->args->command->safety == AW_DANGEROUS) /* which has been asked about here */
        json_object_set_new(json_object_get(object, "options"), "yes", json_string("1"));
    if (session->where)
        json_object_set_new(object, "where", json_string(session->where));
    if (words->json)
        json_object_set_new(object, "json", json_true());
    if (words->message)
        json_object_set_new(object, "message", json_true());
    return object;
}

/* Until the request is done: AW_OK; or AW_STOPPED, AW_LOST. */
static enum aw_status await_end(struct aw_attached *attached, int64_t deadline)
{
    struct aw_session *session = attached->session;
    enum aw_status status = AW_OK;
    attached->aside.fd = -1; /* waited for here, so that it ends the wait */
    while (!attached->done && !attached->over && status == AW_OK) {
        status = aw_clock_wait(clock_of(attached), attached->conn.fd, POLLIN, deadline);
        if (status == AW_OK)
            aw_attached_take(attached);
        if (session->out.used && !attached->done && aw_output_flush(&session->out, NULL) != AW_OK &&
            status == AW_OK)
            status = AW_STOPPED;
    }
    attached->aside.fd = attached->over ? -1 : attached->conn.fd;
    if (!attached->done && attached->over)
        return aw_fail(
            &session->err, AW_LOST, "%s: %s — what it was doing has been stopped, or never was",
            attached->address.text, *attached->lost ? attached->lost : "the server is gone");
    return attached->done ? AW_OK : status;
}

static enum aw_status pass_interrupt(struct aw_attached *attached)
{
    struct aw_session *session = attached->session;
    int64_t deadline = aw_clock_now(clock_of(attached)) + GIVE_UP_NS;
    aw_stop_read(session);
    int number = session->stop.signal ? session->stop.signal : SIGINT;
    aw_attached_send(attached, json_pack("{s:i}", "interrupt", number));
    await_end(attached, deadline);
    return AW_STOPPED;
}

/* Standard input has been read to its end here, where the command was checked. */
static enum aw_status check_files(struct aw_session *session)
{
    const struct aw_args *args = session->args;
    for (size_t i = 0; i < args->n; i++)
        if (args->bound[i].arg->kind == AW_ARG_FILE &&
            aw_file_name(args->bound[i].text) != args->bound[i].text)
            return aw_fail(&session->err, AW_USAGE,
                           "%s -: a server needs a file with a name — save what comes in one first",
                           args->command->name);
    return AW_OK;
}

static enum aw_status run(struct aw_session *session)
{
    struct aw_attached *attached = session->attached;
    attached->done = false;
    attached->failed.status = AW_OK;
    enum aw_status status = check_files(session);
    if (status == AW_OK)
        status = aw_session_open_tee(session, attached->address.text);
    if (status != AW_OK)
        return status;
    if (session->tee)
        aw_attached_send(attached, json_pack("{s:b,s:b}", "frames", true, "passive", true));
    struct aw_keys keys;
    json_t *request = make_request(attached);
    if (aw_keys_begin(&keys, attached))
        json_object_set_new(request, "keys", json_true());
    aw_attached_send(attached, request);
    aw_keys_read(&keys);
    status = await_end(attached, AW_NEVER);
    if (status == AW_STOPPED)
        status = pass_interrupt(attached);
    aw_keys_end(&keys);
    session->reported = attached->done;
    if (session->tee && !attached->over)
        aw_attached_send(attached, json_pack("{s:b}", "unwatch", true));
    if (attached->failed.status != AW_OK && status == AW_OK && attached->status == AW_OK) {
        session->err = attached->failed;
        session->reported = false;
        attached->status = attached->failed.status;
    }
    if (attached->over)
        detach(session);
    else if (status == AW_OK)
        status = attached->status;
    return status;
}

/* What is no command of the user's, until it is done. */
static enum aw_status exchange(struct aw_attached *attached, json_t *request)
{
    attached->done = false;
    json_object_set_new(request, "id", json_integer(++attached->id));
    aw_attached_send(attached, request);
    return await_end(attached, aw_clock_now(clock_of(attached)) + GIVE_UP_NS);
}

static enum aw_status stop(struct aw_session *session)
{
    struct aw_attached *attached = session->attached;
    enum aw_status status = exchange(attached, json_pack("{s:b}", "halt", true));
    if (status != AW_OK || attached->status == AW_OK)
        return status;
    return aw_fail(&session->err, attached->status, "%s", attached->why);
}

enum aw_status aw_run_release(struct aw_session *session, const struct aw_args *args)
{
    (void)args;
    enum aw_status status = aw_dry_ends(session);
    if (status == AW_OK)
        status = aw_session_find_server(session);
    if (status != AW_OK)
        return status;
    if (session->attached)
        return exchange(session->attached, json_pack("{s:s}", "cmd", "release"));
    aw_session_notice(session, "release: no server has the device: there is nothing to release");
    return AW_OK;
}

static void leave(struct aw_session *session)
{
    if (!session->attached)
        return;
    aw_attached_send(session->attached, json_pack("{s:b}", "leave", true));
    shutdown(session->attached->conn.fd, SHUT_WR);
    detach(session);
}

const struct aw_sharing aw_sharing = {
    .attach = attach,
    .run = run,
    .stop = stop,
    .look = aw_look_open,
    .leave = leave,
    .list = aw_share_list,
    .allow = aw_lease_allow,
    .traffic = aw_feed_traffic,
};
