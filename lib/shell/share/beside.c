/* A question that comes while a command runs for somebody else is carried out by a child of the
 * server: it knows what the server knows, hears what passes the link, and sends nothing.
 *
 * What it prints goes to the server as it would go to the client, and is passed on. Of a device
 * that says nothing by itself its questions are asked by the server, between two exchanges of the
 * command that runs.
 */
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/hex.h"
#include "link/wrap/fault.h"
#include "shell/core/crash.h"
#include "shell/core/stop.h"
#include "shell/share/attached.h"
#include "shell/share/server.h"

#define CHILDREN_MAX 8
#define ANSWER_NS    (20 * AW_MILLISECOND) /* for the device to a question */

/* ---- Which -------------------------------------------------------------------------------------
 */

/* The command of a request: its first word that is one. Another one than this the child refuses. */
static const struct aw_command *command_of(const struct aw_server *server,
                                           const struct aw_request *request)
{
    const struct aw_tool *tool = server->session->tool;
    const json_t *word, *run = json_object_get(request->object, "run");
    size_t i;
    char name[64] = "";
    if (request->line && !request->object)
        snprintf(name, sizeof name, "%.*s", (int)strcspn(request->line, " \t"), request->line);
    word = json_object_get(request->object, "cmd");
    if (json_is_string(word))
        snprintf(name, sizeof name, "%s", json_string_value(word));
    const struct aw_command *command = *name ? aw_find_command(tool, name) : NULL;
    json_array_foreach(run, i, word)
    {
        if (!command && json_is_string(word))
            command = aw_find_command(tool, json_string_value(word));
    }
    return command;
}

static bool has_take(const struct aw_request *request)
{
    size_t i;
    const json_t *word;
    json_array_foreach(json_object_get(request->object, "run"), i, word)
    {
        if (json_is_string(word) && strcmp(json_string_value(word), "--take") == 0)
            return true;
    }
    return request->line && strstr(request->line, "--take");
}

bool aw_beside_rivals(const struct aw_server *server, const struct aw_request *request, bool *takes)
{
    const struct aw_command *command = command_of(server, request);
    const json_t *options = json_object_get(request->object, "options");
    const char *take = json_string_value(json_object_get(options, "take"));
    *takes = !request->peer->reads && ((take && strcmp(take, "1") == 0) || has_take(request));
    return command && command->safety != AW_READ && server->running && server->running->peer &&
           server->running->peer == server->commander && server->commander != request->peer;
}

/* A client's own commands are carried out in their order. */
static bool may(const struct aw_server *server, const struct aw_request *request)
{
    const struct aw_session *session = server->session;
    const struct aw_command *command = command_of(server, request);
    unsigned children = 0;
    bool takes;
    for (const struct aw_peer *peer = server->peers; peer; peer = peer->next)
        children += peer->child > 0;
    if (!server->running || !session->link || session->link->lost || request->peer->waiting > 0 ||
        children >= CHILDREN_MAX)
        return false;
    if (aw_beside_rivals(server, request, &takes) && !takes)
        return true; /* to be told so */
    return command && command->beside && !session->link->recorded && !aw_session_virtual(session) &&
           json_array_size(json_object_get(request->object, "files")) == 0;
}

/* ---- The child ---------------------------------------------------------------------------------
 */

/* To the server, which writes it on the link when that is free. */
static void ask(struct aw_attached *attached, struct aw_span bytes)
{
    struct aw_server *server = attached->session->server;
    char line[2 * AW_QUESTION_MAX + 32];
    if (!attached->session->tool->asks || bytes.size > AW_QUESTION_MAX)
        return;
    char *p = aw_hex_bytes(line + sprintf(line, "{\"ask\":\""), bytes);
    p += sprintf(p, "\"}\n");
    aw_peer_put(server->running->peer, line, (size_t)(p - line), false);
}

/* The session as it would be had the command that runs never been begun. */
static void part(struct aw_session *session)
{
    aw_crash_leave();
    aw_stop_part(session);
    session->real_clock.aside = session->virtual_clock.aside = NULL;
    session->moving = false;
    session->ongoing = AW_ONGOING_NOTHING;
    session->command = NULL;
    session->tee = NULL;
    session->printing = (struct aw_printing){.wire = NULL};
    session->out.used = 0;
}

static bool listen_through(struct aw_session *session, int fd)
{
    struct aw_attached *attached = calloc(1, sizeof *attached);
    struct aw_link *link = attached ? aw_look_new(session, attached) : NULL;
    if (!link)
        return false;
    attached->session = session;
    attached->ask = ask;
    snprintf(attached->address.text, sizeof attached->address.text, "serve");
    aw_conn_init(&attached->conn, fd, AW_CONN_KEPT);
    aw_trace_turn_to(session->link, link);
    return true;
}

static void carry_out(struct aw_server *server, struct aw_request *request, int fd)
{
    struct aw_session *session = server->session;
    prctl(PR_SET_PDEATHSIG, SIGKILL);
    aw_server_close_fds(server);
    if (server->guard > 0)
        close(server->guard_fd);
    server->guard = 0;
    server->all = -1;
    server->subscribers = 0;
    server->beside = true;
    server->log = NULL;
    server->first = request;
    request->next = NULL;
    json_object_del(request->object, "files");
    *server->folder = '\0';
    server->n_files = 0;
    part(session);
    aw_conn_init(&request->peer->conn, fd, AW_CONN_KEPT);
    if (listen_through(session, fd))
        aw_server_execute(server);
    _exit(0);
}

/* ---- The server --------------------------------------------------------------------------------
 */

static void end_child(pid_t child)
{
    if (child <= 0)
        return;
    kill(child, SIGKILL);
    waitpid(child, NULL, 0);
}

bool aw_beside_start(struct aw_server *server, struct aw_request *request)
{
    int ends[2];
    if (!may(server, request) || socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, ends) != 0)
        return false;
    fcntl(ends[0], F_SETFL, O_NONBLOCK);
    pid_t child = fork();
    if (child == 0) {
        close(ends[0]);
        carry_out(server, request, ends[1]);
    }
    close(ends[1]);
    if (child < 0)
        close(ends[0]);
    struct aw_peer *peer = child > 0 ? aw_peer_add(server, ends[0]) : NULL;
    if (!peer) {
        end_child(child);
        return false;
    }
    peer->welcome = true;
    peer->child = child;
    peer->request = request;
    request->peer->waiting++;
    aw_feed_hear(peer);
    return true;
}

void aw_beside_take(struct aw_peer *child, const char *line)
{
    static const char asks[] = "{\"ask\":\"";
    struct aw_peer *peer = child->request->peer;
    if (strncmp(line, asks, sizeof asks - 1) == 0) {
        const char *hex = line + sizeof asks - 1;
        size_t length = strcspn(hex, "\"");
        bool fits = length <= 2 * sizeof child->bytes;
        child->question = fits && aw_hex_read(hex, length, child->bytes) ? length / 2 : 0;
        return;
    }
    child->left = child->left || strstr(line, "\"done\":true,\"exit\":") != NULL;
    if (!peer)
        return;
    aw_peer_put(peer, line, strlen(line), false);
    aw_peer_put(peer, "\n", 1, false);
}

void aw_beside_interrupt(const struct aw_server *server, const struct aw_peer *peer, int number)
{
    for (const struct aw_peer *child = server->peers; child; child = child->next)
        if (child->child > 0 && child->request->peer == peer)
            kill(child->child, number);
}

void aw_beside_forget(struct aw_server *server, const struct aw_peer *peer)
{
    for (struct aw_peer *child = server->peers; child; child = child->next)
        if (child->child > 0 && child->request->peer == peer) {
            child->request->peer = NULL;
            child->conn.gone = true;
        }
}

void aw_beside_end(struct aw_peer *child)
{
    struct aw_request *request = child->request;
    struct aw_peer *peer = request->peer;
    const char *line;
    end_child(child->child);
    /* It may have gone while a record was on its way to it: what it said last is still to be read,
     * and nothing behind it is waited for, whoever else may have its end. */
    shutdown(child->conn.fd, SHUT_RD);
    while ((line = aw_conn_next(&child->conn)) || aw_conn_fill(&child->conn))
        if (line)
            aw_beside_take(child, line);
    if (peer && !child->left)
        aw_peer_say(peer, "{%s\"done\":true,\"exit\":%d,\"status\":%d}\n", request->id, AW_TIMEOUT,
                    AW_TIMEOUT);
    aw_request_free(request);
    if (!peer)
        return;
    peer->waiting--;
    aw_peer_resume(peer);
}

/* One exchange, of which the child hears the answer as all do who listen. */
void aw_beside_ask(struct aw_server *server)
{
    struct aw_link *link = server->session->link;
    uint8_t bytes[AW_QUESTION_MAX + 1];
    size_t got;
    struct aw_error ignored;
    if (server->asked || !link || link->lost)
        return;
    for (struct aw_peer *child = server->peers; child; child = child->next) {
        size_t size = child->question;
        child->question = 0;
        if (!size)
            continue;
        server->asked = true;
        if (aw_link_write(link, child->bytes, size, &ignored) == AW_OK)
            aw_link_read(link, bytes, sizeof bytes, &got, aw_clock_now(link->clock) + ANSWER_NS,
                         &ignored);
        server->asked = false;
        return;
    }
}
