/* What clients say, a line of JSON or a plain command line each. Our own clients send frames. All
 * else is answered here, or carried out by a child of the client's own. A stop is nobody's command:
 * it is taken out of the lines as they come. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/number.h"
#include "base/text.h"
#include "base/utf8.h"
#include "shell/core/bind.h"
#include "shell/core/stop.h"
#include "shell/share/bytes.h"
#include "shell/share/server.h"

#define SPEED_MOST 1e6

/* ---- Answered at once --------------------------------------------------------------------------
 */

static void subscribe(struct aw_peer *peer, const char *id, const json_t *object)
{
    struct aw_server *server = peer->server;
    struct aw_error err = {.text = ""};
    enum aw_status status = aw_feed_subscribe(server, peer, id, object, &err);
    aw_peer_done(peer, id, "\"watch\"", status, err.text);
    if (status == AW_OK)
        aw_feed_last(server, peer);
    aw_frames_look(server);
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
        aw_peer_done(peer, id, "\"release\"", AW_OK, NULL);
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
        aw_memory_take(server->session, object);
    bool moves = json_is_true(json_object_get(object, "idle"));
    aw_lease_idle(server, peer, moves, json_integer_value(json_object_get(object, "ms")));
}

/* How fast is what the commander plays? It is told, and goes on at that speed within its limits. */
static void change_speed(struct aw_peer *peer, const char *id, const json_t *object)
{
    struct aw_server *server = peer->server;
    const json_t *share = json_object_get(object, "share");
    const char *refuse = json_string_value(json_object_get(object, "refuse"));
    double value = json_number_value(share);
    bool takes = json_is_true(json_object_get(json_object_get(object, "options"), "take"));
    struct aw_error err = {.status = AW_OK};
    if (!json_is_number(share) &&
        aw_number_parse_unit(json_is_string(share) ? json_string_value(share) : "", "", &value,
                             &err) != AW_OK)
        aw_fail(&err, AW_USAGE, "a share of what the file says: speed 30%%");
    else if (!(value >= 0 && value <= SPEED_MOST))
        aw_fail(&err, AW_USAGE, "from 0 to %g", SPEED_MOST);
    else if (refuse)
        aw_fail(&err, AW_REFUSED, "%.200s", refuse);
    else if (!server->holder || !server->holder->plays)
        aw_fail(&err, AW_REFUSED, "nothing is played through this server");
    else if (server->holder != peer && server->holder->owner != peer && !takes)
        aw_fail(&err, AW_REFUSED, "%s (pid %d, %s) commands — change its speed with --take",
                server->holder->who.program, (int)server->holder->who.pid,
                server->holder->who.user);
    else
        aw_peer_tell(server->holder, json_pack("{s:f}", "speed", value));
    aw_peer_done(peer, id, "\"speed\"", err.status, err.text);
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
    else if (json_object_get(object, "plays"))
        peer->plays = json_is_true(json_object_get(object, "plays"));
    else
        return false;
    return true;
}

/* Commands that need nobody's turn. */
static bool answer_command(struct aw_peer *peer, const char *id, json_t *object, const char *cmd)
{
    if (strcmp(cmd, "watch") == 0)
        subscribe(peer, id, object);
    else if (strcmp(cmd, "speed") == 0)
        change_speed(peer, id, object);
    else if (strcmp(cmd, "commander") == 0)
        aw_peer_tell(peer, json_pack("{s:s,s:i,s:o}", "done", cmd, "exit", 0, "commander",
                                     aw_lease_who(peer->server)));
    else if (strcmp(cmd, "release") == 0)
        release(peer, id, false);
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
    } else if (cmd && answer_command(peer, id, object, cmd)) {
        return true;
    } else if (json_object_get(object, "unwatch") || (cmd && strcmp(cmd, "unwatch") == 0)) {
        aw_feed_leave(server, peer);
        aw_frames_look(server);
    } else if (json_object_get(object, "leave")) {
        release(peer, id, true);
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

/* Plain "watch m1.position elbow" and "speed 30% --take" are the objects that mean the same; NULL:
 * it is another command. */
static json_t *plain_object(const char *line)
{
    bool watch = strncmp(line, "watch", 5) == 0 && (!line[5] || line[5] == ' ');
    bool takes = false;
    char words[1024], rest[sizeof words] = "", *save;
    size_t used = 0;
    if (!watch && strncmp(line, "speed ", 6) != 0)
        return NULL;
    snprintf(words, sizeof words, "%s", line + 5);
    for (char *word = strtok_r(words, " \t\r", &save); word; word = strtok_r(NULL, " \t\r", &save))
        if (!watch && strcmp(word, "--take") == 0)
            takes = true;
        else
            used += (size_t)sprintf(rest + used, "%s%s", used ? "," : "", word);
    return json_pack("{s:s,s:s,s:{s:b}}", "cmd", watch ? "watch" : "speed",
                     watch ? "fields" : "share", rest, "options", "take", takes);
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
    aw_child_go_on(peer);
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
            aw_peer_fail(peer, id, AW_REFUSED, "there is no room: only a stop is taken");
        else if (peer->drops)
            aw_peer_refuse_dropped(peer, id);
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

void aw_server_take_line(struct aw_peer *peer, char *line)
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
    const char *words = plain ? plain : line;
    json_t *same = plain_object(words);
    if (same) {
        json_object_set(same, "id", json_object_get(object, "id"));
        json_object_set(same, "refuse", json_object_get(object, "refuse"));
        json_decref(object);
        object = same;
        plain = NULL;
    }
    const char *cmd = plain ? plain : json_string_value(json_object_get(object, "cmd"));
    if (*line == '{' && !object) {
        char why[200];
        snprintf(why, sizeof why, "column %d: not JSON: %.100s", problem.column, problem.text);
        aw_peer_done(peer, id, "\"\"", AW_USAGE, why);
    } else if (!take_id(object, id)) {
        aw_peer_done(peer, "", "\"\"", AW_USAGE,
                     "an id is a number or a text of at most 60 characters");
    } else if (!answer(peer, id, object, object ? cmd : line)) {
        take_command(peer, id, object, line);
    }
    json_decref(object);
}
