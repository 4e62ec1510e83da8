/* What clients say, a line of JSON or a plain command line each. Our own clients send frames. All
 * else is answered here, or carried out by a child of the client's own, one line after the other: a
 * tool like any other, which comes by a socket that the server has given it. A stop is nobody's
 * command: it is taken out of the lines as they come. */
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
#include "shell/core/bind.h"
#include "shell/core/stop.h"
#include "shell/share/server.h"

#define CHILD_FD 3
#define WORDS    64 /* of a child's command line */

extern char **environ;

/* ---- Answers -----------------------------------------------------------------------------------
 */

static void done(struct aw_peer *peer, const char *id, const char *what, enum aw_status status,
                 const char *why)
{
    char text[6 * sizeof(struct aw_error)];
    *aw_json_string(text, why ? why : "", sizeof(struct aw_error)) = '\0';
    aw_peer_say(peer, "{%s\"done\":%s,\"exit\":%d%s%s}\n", id, what, (int)status,
                status == AW_OK ? "" : ",\"why\":", status == AW_OK ? "" : text);
}

static void fail(struct aw_peer *peer, const char *id, enum aw_status status, const char *why)
{
    char text[6 * sizeof(struct aw_error)];
    *aw_json_string(text, why, sizeof(struct aw_error)) = '\0';
    aw_peer_say(peer, "{%s\"ok\":false,\"error\":\"%s\",\"exit\":%d,\"why\":%s}\n", id,
                aw_status_name(status), (int)status, text);
    done(peer, id, "true", status, why);
}

/* ---- A child -----------------------------------------------------------------------------------
 */

static bool passes(const struct aw_option_value *value)
{
    static const char *const own[] = {
        "link",    "listen", "token",     "mqtt",       "deadman", "log",   "print-unit", "files",
        "json",    "csv",    "format",    "fields",     "raw",     "time",  "count",      "for",
        "verbose", "quiet",  "yes",       "force",      "hold",    "color", "last",       "dry-run",
        "record",  "take",   "no-attach", "keep-going", "version", "help",  "help-all",   NULL};
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
    struct aw_peer *peer = aw_peer_add(owner->server, fd);
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
        server->n_strangers--;
        child->welcome = true;
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

static void pop(struct aw_peer *peer)
{
    struct aw_request *request = peer->first;
    peer->first = request->next;
    if (!peer->first)
        peer->last = NULL;
    peer->waiting--;
    peer->busy = peer->dropped = false;
    free(request->refuse);
    free(request);
}

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
static void go_on(struct aw_peer *peer)
{
    char late[96];
    while (peer->first && !peer->busy) {
        struct aw_request *request = peer->first;
        const char *why = too_late(peer->server, request, late);
        if (!why && !peer->child && !start_child(peer))
            why = "no process can be started for it";
        if (why) {
            fail(peer, request->id, AW_REFUSED, why);
            pop(peer);
            continue;
        }
        peer->busy = true;
        aw_peer_say(peer->child, "%s\n", request->line);
    }
}

static void refuse_dropped(struct aw_peer *peer, const char *id)
{
    char text[256];
    snprintf(text, sizeof text, "dropped: %s", peer->why);
    fail(peer, id, AW_TIMEOUT, text);
}

void aw_peer_drop_lines(struct aw_peer *peer, const char *why)
{
    struct aw_request *running = peer->busy ? peer->first : NULL;
    peer->drops = why && peer->child;
    snprintf(peer->why, sizeof peer->why, "%s", why ? why : "");
    if (running)
        peer->first = running->next;
    while (peer->first) {
        if (why)
            refuse_dropped(peer, peer->first->id);
        pop(peer);
    }
    if (!running)
        return;
    peer->dropped = why != NULL;
    running->next = NULL;
    peer->first = peer->last = running;
    peer->busy = true;
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

/* A record with the id of what caused it, the end of that, or a line for people. */
void aw_child_take(struct aw_peer *child, const char *line)
{
    struct aw_peer *peer = child->owner;
    struct aw_request *request = peer ? peer->first : NULL;
    if (!request || !peer->busy)
        return;
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
        return;
    log_request(peer, line);
    pop(peer);
    go_on(peer);
    aw_peer_resume(peer);
}

/* Those that have ended since they were left. */
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

/* Of a client that goes its child ends by itself, when its connections do; one that has ended by
 * itself has carried out nothing more. */
void aw_peer_end_lines(struct aw_peer *peer)
{
    struct aw_server *server = peer->server;
    struct aw_peer *owner = peer->owner;
    if (peer->pid > 0)
        leave_child(server, peer->pid);
    if (peer->pid && owner) {
        owner->child = NULL;
        if (owner->busy) {
            fail(owner, owner->first->id, AW_LOST, "the process that carried it out has ended");
            pop(owner);
        }
    }
    aw_peer_drop_lines(peer, NULL);
    if (peer->first)
        pop(peer);
    for (struct aw_peer *other = server->peers; other; other = other->next)
        if (other->owner == peer) {
            aw_lease_gone(server, other);
            other->owner = NULL;
            other->conn.gone = true;
        }
}

/* ---- Answered at once --------------------------------------------------------------------------
 */

static void subscribe(struct aw_peer *peer, const char *id, const json_t *object)
{
    struct aw_server *server = peer->server;
    struct aw_error err = {.text = ""};
    enum aw_status status = aw_feed_subscribe(server, peer, id, object, &err);
    done(peer, id, "\"watch\"", status, err.text);
    if (status == AW_OK)
        aw_feed_last(server, peer);
    if (server->listens)
        aw_stop_ask(server->session); /* the device may have to be asked from now on */
}

static void release(struct aw_peer *peer, const char *id, bool leaves)
{
    struct aw_server *server = peer->server;
    const struct aw_peer *holder = server->holder;
    peer->left = leaves;
    if (holder && (holder == peer || holder->owner == peer))
        aw_lease_release(server);
    if (!peer->frames || !leaves)
        done(peer, id, "\"release\"", AW_OK, NULL);
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

static void wait_until(struct aw_peer *peer, const json_t *object)
{
    peer->until_ns = json_integer_value(json_object_get(object, "until"));
    peer->asked = true;
    if (peer->server->listens)
        aw_stop_ask(peer->server->session);
}

static void go_idle(struct aw_peer *peer, const json_t *object)
{
    struct aw_server *server = peer->server;
    if (server->holder == peer)
        aw_lease_remember(server, object);
    bool moves = json_is_true(json_object_get(object, "idle"));
    aw_lease_idle(server, peer, moves, json_integer_value(json_object_get(object, "ms")));
}

/* One of our own clients. False: it is none of its messages. */
static bool take_message(struct aw_peer *peer, json_t *object)
{
    struct aw_server *server = peer->server;
    if (json_object_get(object, "tx"))
        aw_frames_take(server, peer, object);
    else if (json_object_get(object, "ask"))
        aw_frames_ask(server, peer, object);
    else if (json_object_get(object, "until"))
        wait_until(peer, object);
    else if (json_object_get(object, "want"))
        aw_lease_want(server, peer, json_is_true(json_object_get(object, "want")));
    else if (json_object_get(object, "halt"))
        aw_lease_stop(server, peer, "");
    else if (json_object_get(object, "idle"))
        go_idle(peer, object);
    else
        return false;
    return true;
}

static bool answer(struct aw_peer *peer, const char *id, json_t *object, const char *cmd)
{
    struct aw_server *server = peer->server;
    if (json_object_get(object, "link")) {
        peer->frames = true;
        aw_feed_catch_up(server, peer);
    } else if (peer->frames && take_message(peer, object)) {
        return true;
    } else if (cmd && strcmp(cmd, "watch") == 0) {
        subscribe(peer, id, object);
    } else if (json_object_get(object, "unwatch") || (cmd && strcmp(cmd, "unwatch") == 0)) {
        aw_feed_leave(server, peer);
    } else if (cmd && strcmp(cmd, "release") == 0) {
        release(peer, id, false);
    } else if (json_object_get(object, "leave")) {
        release(peer, id, true);
    } else if (json_object_get(object, "lease")) {
        aw_lease_follow(server, peer);
    } else if (json_object_get(object, "as")) {
        name_peer(peer, json_object_get(object, "as"), "?");
    } else {
        return false;
    }
    return true;
}

/* ---- A line ------------------------------------------------------------------------------------
 */

/* Has it words that are for the tool? */
static bool says_more(const struct aw_words *words, bool bound)
{
    bool more = !bound;
    for (size_t i = 0; i < words->n; i++)
        more = more || (strcmp(words->word[i], "stop") != 0 && words->word[i][0] != '-');
    return more;
}

static bool names_stop(struct aw_session *session, const struct aw_words *words,
                       struct aw_args *args, bool *more)
{
    size_t bad, i = 0;
    bool bound = aw_bind(session, words, args, &bad) == AW_OK;
    *more = says_more(words, bound);
    if (bound)
        return args->command && strcmp(args->command->name, "stop") == 0 &&
               !aw_flag(session, "help") && !aw_flag(session, "help-all") &&
               !aw_flag(session, "version") && !aw_flag(session, "dry-run");
    while (i + 1 < words->n && aw_is_option(words->word[i]))
        i++;
    return strcmp(words->word[i], "stop") == 0;
}

/* Is it a stop, as the command line has it? A word too many does not make it another command. */
static bool is_stop(struct aw_server *server, const char *line, bool *more)
{
    struct aw_session *session = server->session;
    if (!strstr(line, "stop") && !strchr(line, '\\'))
        return false;
    struct aw_options before = session->options;
    struct aw_words *words = malloc(sizeof *words);
    struct aw_args *args = malloc(sizeof *args);
    struct aw_error err;
    bool read = words && args && aw_words_split(words, line, &err) == AW_OK && words->n > 0;
    bool stop = read && names_stop(session, words, args, more);
    session->options = before;
    free(words);
    free(args);
    return stop;
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

/* "id":5, from the object; false: it is none that an answer could have. */
static bool take_id(json_t *object, char out[AW_ID_MAX + 8])
{
    json_t *id = json_object_get(object, "id");
    char *text = id ? json_dumps(id, JSON_ENCODE_ANY | JSON_COMPACT) : NULL;
    bool good =
        !id || (text && !json_is_object(id) && !json_is_array(id) && strlen(text) < AW_ID_MAX);
    *out = '\0';
    if (good && text)
        sprintf(out, "\"id\":%s,", text);
    free(text);
    json_object_del(object, "id");
    return good;
}

/* A plain "watch m1.position elbow" is the object that means the same. */
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

/* What a command line becomes: without what is the way's. */
static struct aw_request *make_request(struct aw_server *server, const char *id, json_t *object,
                                       const char *line)
{
    const char *refuse = json_string_value(json_object_get(object, "refuse"));
    const json_t *expiry = json_object_get(object, "expiry");
    double expires = json_number_value(expiry);
    char *refusal = refuse ? strdup(refuse) : NULL, *text = NULL;
    const char *plain = json_string_value(json_object_get(object, "line"));
    json_object_del(object, "refuse");
    json_object_del(object, "expiry");
    if (object && !plain)
        text = json_dumps(object, JSON_COMPACT);
    line = plain ? plain : text ? text : line;
    struct aw_request *request = malloc(sizeof *request + strlen(line) + 1);
    if (request) {
        *request = (struct aw_request){.refuse = refusal};
        strcpy(request->id, id);
        strcpy(request->line, line);
        if (expires > 0)
            request->until_ns =
                aw_clock_after(aw_clock_now(&server->session->time.real.base), expires);
    }
    free(text);
    return request;
}

static void enqueue(struct aw_peer *peer, struct aw_request *request)
{
    *(peer->last ? &peer->last->next : &peer->first) = request;
    peer->last = request;
    peer->waiting++;
    go_on(peer);
}

/* A stop never comes too late, nor has it to wait for anybody. */
static void take_command(struct aw_peer *peer, const char *id, json_t *object, const char *line)
{
    struct aw_server *server = peer->server;
    struct aw_request *request = make_request(server, id, object, line);
    bool rest = false;
    if (!request)
        return;
    if (!is_stop(server, request->line, &rest)) {
        bool taken = !peer->spare && !peer->drops;
        if (peer->spare)
            fail(peer, id, AW_REFUSED, "there is no room: only a stop is taken");
        else if (peer->drops)
            refuse_dropped(peer, id);
        else
            enqueue(peer, request);
        if (taken)
            return;
        peer->conn.gone = peer->spare;
    } else {
        aw_lease_stop(server, peer, rest ? NULL : id);
        if (rest) { /* it has more to say than that */
            enqueue(peer, request);
            return;
        }
    }
    free(request->refuse);
    free(request);
}

void aw_server_take_line(struct aw_server *server, struct aw_peer *peer, char *line)
{
    char id[AW_ID_MAX + 8] = "";
    json_error_t problem;
    json_t *object = NULL;
    line += strspn(line, " \t");
    if (!*line)
        return; /* a sign of life */
    if (*line == '{')
        object = json_loads(line, JSON_REJECT_DUPLICATES, &problem);
    const char *plain = json_string_value(json_object_get(object, "line"));
    if (is_watch(plain ? plain : line)) {
        json_t *watch = plain_watch(plain ? plain : line);
        json_object_set(watch, "id", json_object_get(object, "id"));
        json_decref(object);
        object = watch;
        plain = NULL;
    }
    const char *cmd = plain ? plain : json_string_value(json_object_get(object, "cmd"));
    if (!peer->welcome) {
        admit(server, peer, object);
    } else if (*line == '{' && !object) {
        char why[200];
        snprintf(why, sizeof why, "column %d: not JSON: %.100s", problem.column, problem.text);
        done(peer, id, "\"\"", AW_USAGE, why);
    } else if (!take_id(object, id)) {
        done(peer, "", "\"\"", AW_USAGE, "an id is a number or a text of at most 60 characters");
    } else if (!answer(peer, id, object, object ? cmd : line)) {
        take_command(peer, id, object, line);
    }
    json_decref(object);
}
