/* What clients ask of a server: a line of them, understood and put in the queue. */
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "shell/core/stop.h"
#include "shell/share/server.h"

void aw_request_free(struct aw_request *request)
{
    json_decref(request->object);
    free(request->line);
    free(request->refuse);
    free(request);
}

void aw_server_interrupt(struct aw_server *server, const char *format, ...)
{
    va_list args;
    if (*server->why || (!server->running && !aw_server_moves(server)))
        return;
    va_start(args, format);
    vsnprintf(server->why, sizeof server->why, format, args);
    va_end(args);
    server->halt = !server->running;
    aw_stop_ask(server->session);
}

/* ---- The queue ---------------------------------------------------------------------------------
 */

static bool is_stop(const struct aw_request *request)
{
    const char *word = request->line;
    const json_t *run = json_object_get(request->object, "run");
    if (!word)
        word = json_string_value(json_array_get(run, json_array_size(run) - 1));
    if (!word)
        return request->halt;
    if (*word == '{')
        word = json_string_value(json_object_get(request->object, "cmd"));
    return word && strncmp(word, "stop", 4) == 0 && (!word[4] || word[4] == ' ');
}

/* A stop is anybody's, and comes before all else. */
static void enqueue(struct aw_server *server, struct aw_request *request)
{
    bool stop = is_stop(request);
    bool takes, rivals = aw_beside_rivals(server, request, &takes);
    if (aw_beside_start(server, request))
        return;
    request->peer->waiting++;
    if (stop) { /* which never comes too late */
        free(request->refuse);
        request->refuse = NULL;
        request->until_ns = 0;
        request->next = server->first;
        server->first = request;
    } else if (server->last) {
        server->last->next = request;
    } else {
        server->first = request;
    }
    if (!request->next)
        server->last = request;
    if (stop && server->running && server->running->peer != request->peer)
        aw_server_interrupt(server, "stopped by %s (pid %d, %s)", request->peer->who.program,
                            (int)request->peer->who.pid, request->peer->who.user);
    else if (rivals && takes && !request->refuse)
        aw_server_interrupt(server, "%s (pid %d, %s) has taken over — stopped",
                            request->peer->who.program, (int)request->peer->who.pid,
                            request->peer->who.user);
    if (server->idle)
        aw_stop_ask(server->session);
}

void aw_server_forget(struct aw_server *server, const struct aw_peer *peer)
{
    struct aw_request **at = &server->first;
    struct aw_request *last = NULL;
    while (*at) {
        struct aw_request *request = *at;
        if (request->peer == peer) {
            *at = request->next;
            aw_request_free(request);
        } else {
            last = request;
            at = &request->next;
        }
    }
    server->last = last;
    aw_beside_forget(server, peer);
    bool commands = server->commander == peer;
    if ((commands && !peer->left) || (server->running && server->running->peer == peer))
        aw_server_interrupt(server, "the commander is gone — stopped");
    if (server->running && server->running->peer == peer)
        server->running->peer = NULL;
    if (commands)
        aw_lease_end(server);
}

/* ---- Answered at once --------------------------------------------------------------------------
 */

static void done(struct aw_peer *peer, const struct aw_request *request, const char *what,
                 enum aw_status status, const char *why)
{
    char text[6 * sizeof(struct aw_error)];
    *aw_json_string(text, why ? why : "", sizeof(struct aw_error)) = '\0';
    aw_peer_say(peer, "{%s\"done\":\"%s\",\"exit\":%d%s%s}\n", request->id, what, (int)status,
                status == AW_OK ? "" : ",\"why\":", status == AW_OK ? "" : text);
}

static void subscribe(struct aw_server *server, struct aw_peer *peer,
                      const struct aw_request *request)
{
    struct aw_error err = {.text = ""};
    enum aw_status status = aw_feed_subscribe(server, peer, request->id, request->object, &err);
    done(peer, request, "watch", status, err.text);
    if (server->idle)
        aw_stop_ask(server->session); /* the device may have to be asked from now on */
}

static void release(struct aw_server *server, struct aw_peer *peer,
                    const struct aw_request *request, bool leaves)
{
    peer->left = leaves;
    if (server->commander == peer)
        aw_lease_end(server);
    done(peer, request, "release", AW_OK, NULL);
}

/* A Ctrl-C of the client: of what runs for it, or waits. */
static void interrupt(struct aw_server *server, const struct aw_peer *peer, int number)
{
    aw_beside_interrupt(server, peer, number);
    if (!server->running || server->running->peer != peer)
        return;
    server->session->stop.signal = number;
    server->session->ended_with = NULL;
    server->interrupted = true;
    aw_stop_ask(server->session);
}

/* In whose name it speaks. */
static void name_peer(struct aw_peer *peer, const json_t *object, const char *nobody)
{
    const char *program = json_string_value(json_object_get(object, "program"));
    const char *user = json_string_value(json_object_get(object, "user"));
    snprintf(peer->who.program, sizeof peer->who.program, "%s", program ? program : "a program");
    snprintf(peer->who.user, sizeof peer->who.user, "%s", user ? user : nobody);
    peer->who.pid = (pid_t)json_integer_value(json_object_get(object, "pid"));
    peer->reads = peer->reads || json_is_true(json_object_get(object, "reads"));
}

/* For the command that runs for this client: a Ctrl-C, or keys; too late for that, they are
 * nobody's.
 */
static bool reach_running(struct aw_server *server, const struct aw_peer *peer,
                          const json_t *object)
{
    const json_t *number = json_object_get(object, "interrupt");
    const json_t *keys = json_object_get(object, "keys");
    if (json_is_integer(number))
        interrupt(server, peer, (int)(json_integer_value(number) & 127));
    else if (json_is_string(keys) && server->running && server->running->peer == peer)
        aw_terminal_type(server, json_string_value(keys));
    return json_is_integer(number) || json_is_string(keys);
}

static bool answer(struct aw_server *server, struct aw_peer *peer, const struct aw_request *request,
                   const char *cmd)
{
    if (reach_running(server, peer, request->object))
        return true;
    if (json_object_get(request->object, "frames") || (cmd && strcmp(cmd, "watch") == 0))
        subscribe(server, peer, request);
    else if (json_object_get(request->object, "unwatch") || (cmd && strcmp(cmd, "unwatch") == 0))
        aw_feed_leave(server, peer);
    else if (cmd && strcmp(cmd, "release") == 0)
        release(server, peer, request, false);
    else if (json_object_get(request->object, "leave"))
        release(server, peer, request, true);
    else if (json_object_get(request->object, "lease"))
        aw_lease_follow(server, peer);
    else if (json_object_get(request->object, "as"))
        name_peer(peer, json_object_get(request->object, "as"), "?");
    else
        return false;
    return true;
}

/* ---- A line ------------------------------------------------------------------------------------
 */

/* "watch m1.position elbow" of a plain line. */
static json_t *plain_watch(const char *line)
{
    char fields[1024];
    const char *rest = line + strcspn(line, " \t");
    snprintf(fields, sizeof fields, "%s", rest + strspn(rest, " \t"));
    for (char *p = fields; *p; p++)
        if (*p == ' ' || *p == '\t')
            *p = ',';
    return json_pack("{s:s,s:s}", "cmd", "watch", "fields", fields);
}

static bool is_watch(const char *line)
{
    return strncmp(line, "watch", 5) == 0 && (!line[5] || line[5] == ' ');
}

/* The command of an object; a plain line may be in one: {"line":"move 0 45 -30","id":1}. */
static const char *command_of(struct aw_request *request)
{
    const char *plain = json_string_value(json_object_get(request->object, "line"));
    if (!plain)
        return json_string_value(json_object_get(request->object, "cmd"));
    if (!is_watch(plain))
        return plain;
    json_t *watch = plain_watch(plain);
    json_decref(request->object);
    request->object = watch;
    return "watch";
}

/* TCP: the first line shows the token, all of it compared however early it differs. */
static void admit(struct aw_server *server, struct aw_peer *peer, const json_t *object)
{
    const char *token = json_string_value(json_object_get(object, "token"));
    unsigned differs = !token || strlen(token) != strlen(server->token);
    for (size_t i = 0; !differs && server->token[i]; i++)
        differs |= (unsigned char)(token[i] ^ server->token[i]);
    if (!differs) {
        name_peer(peer, object, "by TCP");
        aw_peer_welcome(server, peer);
        return;
    }
    aw_peer_say(peer, "{\"error\":\"refused\",\"why\":\"the first line is {\\\"token\\\":…}, with "
                      "what is in the server's file\"}\n");
    peer->conn.gone = true;
}

static void take_id(struct aw_request *request)
{
    json_t *id = json_object_get(request->object, "id");
    char *text = id && !json_is_object(id) && !json_is_array(id)
                     ? json_dumps(id, JSON_ENCODE_ANY | JSON_COMPACT)
                     : NULL;
    if (text && strlen(text) < AW_ID_MAX)
        snprintf(request->id, sizeof request->id, "\"id\":%s,", text);
    free(text);
    json_object_del(request->object, "id");
}

/* "expiry": seconds after which it is not to be carried out any more; "refuse": why it already
 * is not. */
static void take_time(const struct aw_server *server, struct aw_request *request)
{
    const char *refuse = json_string_value(json_object_get(request->object, "refuse"));
    const json_t *expiry = json_object_get(request->object, "expiry");
    if (refuse)
        request->refuse = strdup(refuse);
    if (json_is_number(expiry))
        request->until_ns = aw_clock_after(aw_clock_now(&server->session->real_clock.base),
                                           json_number_value(expiry));
    json_object_del(request->object, "refuse");
    json_object_del(request->object, "expiry");
}

/* A JSON object without its id, or the plain line; of one that was in an object nothing else is
 * left. */
static void set_line(struct aw_request *request, const char *line)
{
    const char *plain = json_string_value(json_object_get(request->object, "line"));
    if (plain) {
        request->line = strdup(plain);
        json_decref(request->object);
        request->object = NULL;
        return;
    }
    if (json_object_get(request->object, "run"))
        return;
    request->halt = json_object_get(request->object, "halt") != NULL;
    if (!request->halt)
        request->line = request->object ? json_dumps(request->object, JSON_COMPACT) : strdup(line);
}

void aw_server_take_line(struct aw_server *server, struct aw_peer *peer, const char *line)
{
    line += strspn(line, " \t");
    if (!*line)
        return; /* a sign of life */
    struct aw_request *request = calloc(1, sizeof *request);
    if (!request)
        return;
    json_error_t problem;
    request->peer = peer;
    if (*line == '{')
        request->object = json_loads(line, JSON_REJECT_DUPLICATES, &problem);
    else if (is_watch(line))
        request->object = plain_watch(line);
    if (!peer->welcome) {
        admit(server, peer, request->object);
    } else if (*line == '{' && !request->object) {
        char why[200];
        snprintf(why, sizeof why, "column %d: not JSON: %.100s", problem.column, problem.text);
        done(peer, request, "", AW_USAGE, why);
    } else {
        take_id(request);
        const char *cmd = request->object ? command_of(request) : line;
        if (!answer(server, peer, request, cmd)) {
            take_time(server, request);
            set_line(request, line);
            enqueue(server, request);
            return;
        }
    }
    aw_request_free(request);
}
