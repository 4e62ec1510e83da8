/* Reads records from a server of any tool: the output of 'TOOL -l serve:… watch'. */
#include <jansson.h>
#include <stdio.h>
#include <string.h>

#include "shell/serve/serve.h"
#include "shell/source/stream_source.h"

#define TOKENS_MAX (AW_SELECT_MAX + 12)

bool aw_stream_is_peer(const char *input)
{
    return strncmp(input, "serve:", 6) == 0;
}

static enum aw_status fail(struct aw_stream *s, enum aw_status status, const char *why)
{
    return aw_fail(&s->session->err, status, "%.200s: %.300s", s->input.name, why);
}

/* Sets the error to the reason in the result of watch. Returns AW_USAGE or AW_LOST. */
static enum aw_status read_result(struct aw_stream *s)
{
    json_t *result = json_loads(s->item.line, 0, NULL);
    const char *why = json_string_value(json_object_get(result, "why"));
    enum aw_status code = (enum aw_status)json_integer_value(json_object_get(result, "exit"));
    bool is_lost = code == AW_LOST || !why;
    enum aw_status status =
        fail(s, code == AW_USAGE ? code : AW_LOST, is_lost ? "connection to the server lost" : why);
    json_decref(result);
    return status;
}

static enum aw_status peer_next(struct aw_stream *s, int64_t deadline)
{
    for (;;) {
        enum aw_status status = aw_json_next(s, deadline);
        if (status == AW_END)
            return fail(s, AW_LOST, "connection to the server lost");
        if (status != AW_OK && status != AW_MALFORMED)
            return status;
        if (status == AW_OK && strstr(s->item.line, "\"msg\":"))
            return AW_OK;
        if (status == AW_OK && strstr(s->item.line, "\"ok\":false"))
            return read_result(s);
        s->item.n = 0;
    }
}

static const struct aw_source peer_source = {
    .begin = aw_json_begin, .next = peer_next, .end = aw_json_end};

static enum aw_status start_watch(struct aw_stream *s, const char *tool, const char *url,
                                  const struct aw_select *select, double max_rate_hz)
{
    struct aw_error *err = &s->session->err;
    char path[256], rate[32];
    char *argv[TOKENS_MAX] = {(char *)tool, "-q", "-j", "-l", (char *)url, "watch"};
    size_t n = 6;
    snprintf(rate, sizeof rate, "%gHz", max_rate_hz);
    for (size_t i = 0; i < select->n; i++)
        argv[n++] = (char *)select->pattern[i];
    argv[n++] = "--rate";
    argv[n] = rate;
    if (!aw_child_find(tool, path, sizeof path))
        return aw_fail(err, AW_NO_LINK,
                       "%.200s: program %s not found beside this one or in PATH — install it",
                       s->input.name, tool);
    struct aw_child_plan plan = {
        .path = path, .argv = argv, .pipe_stdout = true, .quiet = true, .dies_with_us = true};
    enum aw_status status = aw_child_start(&s->input.child, &plan, err);
    s->input.reading.fd = s->input.child.stdout_fd;
    s->input.child.stdout_fd = -1; /* the stream closes it */
    return status;
}

enum aw_status aw_stream_open_peer(struct aw_stream **out, struct aw_session *session,
                                   const char *url, const struct aw_select *select,
                                   double max_rate_hz, char *tool)
{
    char socket_url[400];
    *out = NULL;
    struct aw_stream *s = aw_stream_new(session);
    if (!s)
        return session->err.status;
    s->input.name = url;
    s->input.is_live = true;
    s->source = &peer_source;
    enum aw_status status = aw_share_query_tool(session, url, tool, socket_url);
    if (status == AW_OK)
        status = start_watch(s, tool, socket_url, select, max_rate_hz);
    if (status == AW_OK)
        status = s->source->begin(s, url);
    if (status == AW_OK)
        *out = s;
    else
        aw_stream_close(s);
    return status;
}
