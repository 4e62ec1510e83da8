/* Carries out what clients ask for: one command after the other, by the dispatcher that all
 * commands go through, with its output to who asked. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/text.h"
#include "shell/core/crash.h"
#include "shell/core/stop.h"
#include "shell/share/server.h"

#define CHUNK 16384 /* bytes of text in one line, names of files made longer included */

/* ---- Output ------------------------------------------------------------------------------------
 */

static size_t whole_characters(const char *text, size_t size)
{
    while (size > 0 && ((unsigned char)text[size] & 0xC0) == 0x80)
        size--;
    return size;
}

static void put_text(struct aw_peer *peer, const char *id, const char *key, const char *text,
                     size_t size)
{
    char line[6 * CHUNK + 128], *copy = aw_files_names(peer->server, text, size);
    if (!copy)
        return;
    char *p = line + sprintf(line, "{%s\"%s\":", id, key);
    p = aw_json_string(p, copy, CHUNK);
    p += sprintf(p, "}\n");
    aw_peer_put(peer, line, (size_t)(p - line), false);
    free(copy);
}

/* Our own client prints what the command printed. */
static void put_chunks(struct aw_peer *peer, const char *id, const char *key, const char *text,
                       size_t size)
{
    while (size > 0) {
        size_t part = size <= CHUNK / 2 ? size : whole_characters(text, CHUNK / 2);
        put_text(peer, id, key, text, part);
        text += part;
        size -= part;
    }
}

/* Others get records, each with the id of what caused it. */
static void put_records(const struct aw_request *request, const char *text, size_t size)
{
    while (size > 0) {
        const char *end = memchr(text, '\n', size);
        size_t length = end ? (size_t)(end - text) + 1 : size;
        char *line = malloc(length + sizeof request->id);
        if (line && *text == '{') {
            size_t head = (size_t)sprintf(line, "{%s", request->id);
            memcpy(line + head, text + 1, length - 1);
            aw_peer_put(request->peer, line, head + length - 1, false);
        }
        free(line);
        text += length;
        size -= length;
    }
}

void aw_server_put(struct aw_sink *sink, bool error, const char *text, size_t size)
{
    struct aw_server *server =
        (struct aw_server *)((char *)sink - offsetof(struct aw_server, sink));
    const struct aw_request *request = server->running;
    if (!request && error && fwrite(text, 1, size, stderr) < size)
        return;
    if (!request || !request->peer || size == 0)
        return;
    if (error && request->line)
        put_text(request->peer, request->id, "note", text, strcspn(text, "\n"));
    else if (request->line)
        put_records(request, text, size);
    else
        put_chunks(request->peer, request->id, error ? "err" : "out", text, size);
}

/* ---- Words -------------------------------------------------------------------------------------
 */

/* What our client was told by its user counts here, too, but for what is its own affair. */
static void take_options(struct aw_server *server, const json_t *options)
{
    static const char *const own[] = {"link",     "config",  "record",    "last",
                                      "dry-run",  "version", "help",      "keep-going",
                                      "no-input", "deadman", "no-attach", NULL};
    const char *name;
    const json_t *value;
    struct aw_error ignored;
    json_object_foreach((json_t *)options, name, value)
    {
        if (!aw_is_one_of(own, name) && json_is_string(value))
            aw_options_set(&server->session->options, name, json_string_value(value),
                           AW_FROM_ENVIRONMENT, &ignored);
    }
}

static enum aw_status our_words(struct aw_server *server, const json_t *object,
                                struct aw_words *words)
{
    size_t i, used = 0;
    const json_t *word;
    words->n = 0;
    words->json = json_is_true(json_object_get(object, "json"));
    words->message = json_is_true(json_object_get(object, "message"));
    words->raw = json_is_true(json_object_get(object, "raw"));
    json_array_foreach(json_object_get(object, "run"), i, word)
    {
        const char *text = json_string_value(word);
        if (!text || words->n == AW_WORDS_MAX || used + strlen(text) >= sizeof words->text)
            return aw_fail(&server->session->err, AW_USAGE, "\"run\" is a list of words");
        words->column[words->n] = 0;
        words->word[words->n++] = strcpy(words->text + used, text);
        used += strlen(text) + 1;
    }
    if (!words->n)
        return aw_fail(&server->session->err, AW_USAGE, "\"run\" is a list of words");
    return AW_OK;
}

static enum aw_status check_time(struct aw_session *session, const struct aw_request *request)
{
    int64_t late =
        request->until_ns ? aw_clock_now(&session->real_clock.base) - request->until_ns : -1;
    if (request->refuse)
        return aw_fail(&session->err, AW_REFUSED, "%s", request->refuse);
    if (late > 0)
        return aw_fail(&session->err, AW_REFUSED,
                       "it expired %.2f s ago, behind other commands — it is not carried out",
                       (double)late / 1e9);
    return AW_OK;
}

static enum aw_status read_words(struct aw_server *server, const struct aw_request *request,
                                 struct aw_words *words)
{
    struct aw_session *session = server->session;
    if (!request->line) {
        take_options(server, json_object_get(request->object, "options"));
        enum aw_status status = aw_files_put(server, json_object_get(request->object, "files"));
        if (status != AW_OK)
            return status;
        session->out.color = json_is_true(json_object_get(request->object, "color"));
        return our_words(server, request->object, words);
    }
    aw_options_set(&session->options, "json", "1", AW_FROM_ENVIRONMENT, &session->err);
    session->out.color = false;
    if (strlen(request->line) >= AW_LINE_MAX)
        return aw_fail(&session->err, AW_USAGE, "the line is longer than %d characters",
                       AW_LINE_MAX - 1);
    return aw_words_split(words, request->line, &session->err);
}

/* ---- One request -------------------------------------------------------------------------------
 */

static enum aw_status carry_out(struct aw_server *server, const struct aw_request *request)
{
    struct aw_session *session = server->session;
    const char *where = json_string_value(json_object_get(request->object, "where"));
    struct aw_words *words = malloc(sizeof *words);
    if (!words)
        return aw_no_memory(&session->err);
    enum aw_status status = read_words(server, request, words);
    if (status == AW_OK)
        status = check_time(session, request);
    if (request->halt)
        status = aw_stop_device(session);
    else if (status != AW_OK)
        aw_session_refuse(session, status);
    else if (words->n)
        status = aw_dispatch(session, words, request->line ? NULL : where);
    free(words);
    if (request->halt && status == AW_OK)
        session->ongoing = AW_ONGOING_NOTHING;
    return status;
}

static void tell_end(struct aw_server *server, const struct aw_request *request,
                     enum aw_status status)
{
    static const char *const names[] = {"nothing", "ending", "running"};
    struct aw_session *session = server->session;
    int64_t left = session->ongoing_until - aw_clock_now(session->clock);
    char why[6 * sizeof session->err.text] = "";
    if (status != AW_OK && request->halt)
        *aw_json_string(why, session->err.text, sizeof session->err.text) = '\0';
    if (request->peer)
        aw_peer_say(request->peer,
                    "{%s\"done\":true,\"exit\":%d,\"status\":%d,\"ongoing\":\"%s\","
                    "\"ms\":%lld%s%s}\n",
                    request->id, aw_exit_code(session, status), (int)status,
                    names[session->ongoing], (long long)(left > 0 ? left / AW_MILLISECOND : 0),
                    *why ? ",\"why\":" : "", why);
}

static void log_request(struct aw_server *server, const struct aw_request *request,
                        enum aw_status status)
{
    char *run = request->line ? NULL : json_dumps(json_object_get(request->object, "run"), 0);
    const struct aw_peer *peer = request->peer;
    if (server->log)
        fprintf(server->log, "{\"t\":%.6f,\"pid\":%d,\"cmd\":%s,\"exit\":%d}\n",
                (double)aw_session_time(server->session) / 1e9, peer ? (int)peer->who.pid : 0,
                run ? run : "\"line\"", (int)status);
    free(run);
}

void aw_server_execute(struct aw_server *server)
{
    struct aw_session *session = server->session;
    struct aw_request *request = server->first;
    server->first = request->next;
    if (!server->first)
        server->last = NULL;
    server->running = request;
    server->interrupted = false;
    aw_stop_forget(session); /* to be woken was all that was asked */
    *server->why = '\0';
    session->stopped_by = server->why;
    session->stopped_as = AW_REFUSED;
    session->ended_with = request->peer ? "the server was ended" : NULL;
    session->options = server->options;
    if (json_is_true(json_object_get(request->object, "keys")))
        aw_terminal_begin(server);
    enum aw_status status = carry_out(server, request);
    aw_terminal_end(server);
    aw_output_flush(&session->out, NULL);
    aw_files_return(server, request->peer, request->id);
    tell_end(server, request, status);
    log_request(server, request, status);
    server->running = NULL;
    session->moving = false;
    if (server->interrupted)
        session->stop.signal = 0;
    session->stopped_by = session->ended_with = NULL;
    *server->why = '\0';
    session->options = server->options;
    aw_crash_prepare(session);
    struct aw_peer *peer = request->peer;
    aw_request_free(request);
    if (!peer)
        return;
    peer->waiting--;
    aw_peer_resume(peer);
}
