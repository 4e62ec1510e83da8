/* Children of a server, which carry out command lines for a client, one after the other: each is a
 * tool like any other, that comes by a socket which the server has given it. */
#include <fcntl.h>
#include <signal.h>
#include <spawn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/text.h"
#include "shell/share/server.h"

#define CHILD_FD 3
#define WORDS    64 /* of a child's command line */

extern char **environ;

/* ---- A child -----------------------------------------------------------------------------------
 */

static bool passes(const struct aw_option_value *value)
{
    static const char *const own[] = {
        "link",      "listen",     "deadman", "log",  "print-unit", "files",  "fields",
        "raw",       "time",       "count",   "for",  "verbose",    "quiet",  "yes",
        "force",     "hold",       "color",   "last", "dry-run",    "record", "take",
        "no-attach", "keep-going", "version", "help", "help-all",   NULL};
    for (enum aw_style style = AW_STYLE_TEXT + 1; style < AW_STYLES; style++)
        if (strcmp(value->option->name, aw_option_of_style(style)) == 0)
            return false;
    return value->text && value->origin >= AW_FROM_ENVIRONMENT &&
           !aw_is_one_of(own, value->option->name);
}

/* Its options are those of the server that say what the device is. */
static void make_words(const struct aw_server *server, char *argv[WORDS], char *room, size_t size)
{
    const struct aw_session *session = server->session;
    size_t n = 0, used = 0;
    argv[n++] = (char *)session->tool->name;
    argv[n++] = "-j";
    argv[n++] = "-k";
    argv[n++] = (char *)"--color=never";
    argv[n++] = "--link=serve:fd:3";
    for (size_t i = 0; i < session->options.n && n + 3 < WORDS; i++) {
        const struct aw_option_value *value = &session->options.values[i];
        if (!passes(value))
            continue;
        int length = snprintf(room + used, size - used, value->option->value ? "--%s=%s" : "--%s",
                              value->option->name, value->text);
        if (length < 0 || used + (size_t)length >= size)
            break;
        argv[n++] = room + used;
        used += (size_t)length + 1;
    }
    argv[n++] = "obey";
    if (server->home)
        argv[n++] = (char *)server->home;
    argv[n] = NULL;
}

/* The tool's own variables are the server's: what counts of them is among the words. */
static char **make_environment(const struct aw_server *server)
{
    size_t n = 0, kept = 0, length;
    char prefix[32];
    while (environ[n])
        n++;
    char **copy = calloc(n + 1, sizeof *copy);
    length = (size_t)snprintf(prefix, sizeof prefix, "%s_", server->session->tool->name);
    for (size_t i = 0; i < n && copy; i++)
        if (strncasecmp(environ[i], prefix, length) != 0)
            copy[kept++] = environ[i];
    return copy;
}

static pid_t spawn(const struct aw_server *server, int link, int talk)
{
    char *argv[WORDS], room[2048];
    char **environment = make_environment(server);
    posix_spawn_file_actions_t files;
    posix_spawnattr_t how;
    sigset_t none, all;
    pid_t pid = 0;
    char program[256];
    ssize_t length = readlink("/proc/self/exe", program, sizeof program - 1);
    program[length > 0 ? length : 0] = '\0';
    make_words(server, argv, room, sizeof room);
    sigemptyset(&none);
    sigfillset(&all);
    posix_spawn_file_actions_init(&files);
    for (int fd = STDIN_FILENO; fd <= STDERR_FILENO; fd++)
        posix_spawn_file_actions_adddup2(&files, talk, fd);
    posix_spawn_file_actions_adddup2(&files, link, CHILD_FD);
    posix_spawnattr_init(&how);
    posix_spawnattr_setflags(&how, POSIX_SPAWN_SETSIGMASK | POSIX_SPAWN_SETSIGDEF |
                                       POSIX_SPAWN_SETPGROUP);
    posix_spawnattr_setsigmask(&how, &none);
    posix_spawnattr_setsigdefault(&how, &all);
    if (!environment || posix_spawn(&pid, program, &files, &how, argv, environment) != 0)
        pid = 0;
    posix_spawn_file_actions_destroy(&files);
    posix_spawnattr_destroy(&how);
    free(environment);
    return pid;
}

/* Ends of connections that the server keeps; the child's are above those that it gets them as. */
static bool make_ends(int ends[2])
{
    if (socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, ends) != 0)
        return false;
    if (ends[1] > CHILD_FD)
        return true;
    int higher = fcntl(ends[1], F_DUPFD_CLOEXEC, CHILD_FD + 1);
    close(ends[1]);
    ends[1] = higher;
    return higher >= 0;
}

static struct aw_peer *keep(struct aw_peer *owner, int fd)
{
    fcntl(fd, F_SETFL, O_NONBLOCK);
    struct aw_peer *peer = aw_peer_add(owner->server, fd, AW_PEERS_MAX);
    if (!peer)
        return NULL;
    peer->owner = owner;
    peer->who = owner->who;
    return peer;
}

static bool start_child(struct aw_peer *owner)
{
    struct aw_server *server = owner->server;
    int link[2], talk[2];
    if (!make_ends(link))
        return false;
    if (!make_ends(talk)) {
        close(link[0]);
        close(link[1]);
        return false;
    }
    pid_t pid = spawn(server, link[1], talk[1]);
    close(link[1]);
    close(talk[1]);
    struct aw_peer *frames = keep(owner, link[0]), *child = keep(owner, talk[0]);
    if (child) {
        child->pid = pid ? pid : -1;
        child->conn.longest = 1 << 20;
        owner->child = child;
    }
    if (frames)
        aw_peer_welcome(server, frames);
    if (!pid && frames)
        frames->conn.gone = true;
    return pid && frames && child;
}

/* ---- The queue ---------------------------------------------------------------------------------
 */

static const char *too_late(const struct aw_server *server, const struct aw_request *request,
                            char out[96])
{
    int64_t late = aw_clock_now(&server->session->time.real.base) - request->until_ns;
    if (request->refuse || !request->until_ns || late <= 0)
        return request->refuse;
    snprintf(out, 96, "it expired %.2f s ago, behind other commands — it is not carried out",
             (double)late / 1e9);
    return out;
}

/* The next one goes to the child; what came too late is answered here. */
void aw_child_go_on(struct aw_peer *peer)
{
    char late[96];
    while (peer->first && !peer->busy) {
        struct aw_request *request = peer->first;
        const char *why = too_late(peer->server, request, late);
        if (!why && !peer->child && !start_child(peer))
            why = "no process can be started for it";
        if (why) {
            aw_peer_fail(peer, request->id, AW_REFUSED, why);
            aw_peer_pop(peer);
            continue;
        }
        peer->busy = true;
        aw_peer_say(peer->child, "%s\n", request->line);
    }
}

static void log_request(const struct aw_peer *peer, const char *line)
{
    struct aw_server *server = peer->server;
    char text[6 * 512];
    const char *exit = strstr(line, "\"exit\":");
    if (!server->log)
        return;
    *aw_json_string(text, peer->first->line, 512) = '\0';
    fprintf(server->log, "{\"t\":%.6f,\"pid\":%d,\"cmd\":%s,\"exit\":%d}\n",
            (double)aw_session_time(server->session) / 1e9, (int)peer->who.pid, text,
            exit ? atoi(exit + 7) : 0);
}

struct aw_peer *aw_child_take(struct aw_peer *child, const char *line)
{
    struct aw_peer *peer = child->owner;
    struct aw_request *request = peer ? peer->first : NULL;
    if (!request || !peer->busy)
        return NULL;
    if (*line == '{') {
        size_t size = strlen(request->id) + strlen(line) + 2;
        char *text = malloc(size);
        if (text)
            aw_peer_put(peer, text, (size_t)snprintf(text, size, "{%s%s\n", request->id, line + 1),
                        false);
        free(text);
    } else {
        char text[6 * 1024];
        *aw_json_string(text, line, 1024) = '\0';
        aw_peer_say(peer, "{%s\"note\":%s}\n", request->id, text);
    }
    if (strncmp(line, "{\"done\":true", 12) != 0)
        return NULL;
    log_request(peer, line);
    aw_peer_pop(peer);
    aw_child_go_on(peer);
    return peer;
}

void aw_children_reap(struct aw_server *server)
{
    size_t kept = 0;
    for (size_t i = 0; i < server->n_ending; i++)
        if (waitpid(server->ending[i], NULL, WNOHANG) == 0)
            server->ending[kept++] = server->ending[i];
    server->n_ending = kept;
}

static void leave_child(struct aw_server *server, pid_t pid)
{
    aw_children_reap(server);
    if (waitpid(pid, NULL, WNOHANG) != 0)
        return;
    if (server->n_ending < AW_ENDING_MAX) {
        server->ending[server->n_ending++] = pid;
        return;
    }
    kill(pid, SIGKILL);
    waitpid(pid, NULL, 0);
}

void aw_peer_end_lines(struct aw_peer *peer)
{
    struct aw_server *server = peer->server;
    struct aw_peer *owner = peer->owner;
    if (peer->pid > 0)
        leave_child(server, peer->pid);
    if (peer->pid && owner) {
        owner->child = NULL;
        if (owner->busy) {
            aw_peer_fail(owner, owner->first->id, AW_LOST,
                         "the process that carried it out has ended");
            aw_peer_pop(owner);
        }
    }
    aw_peer_drop_lines(peer, NULL);
    if (peer->first)
        aw_peer_pop(peer);
    for (struct aw_peer *other = server->peers; other; other = other->next)
        if (other->owner == peer) {
            aw_lease_gone(server, other);
            other->owner = NULL;
            other->conn.gone = true;
        }
}
