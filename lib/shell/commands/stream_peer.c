/* The source of records from a server of any tool, as those have them who look on. */
#include <stdlib.h>
#include <string.h>

#include "shell/commands/stream_source.h"
#include "shell/core/share.h"

bool aw_stream_is_peer(const char *input)
{
    return strncmp(input, "serve:", 6) == 0;
}

/* What was said last before we came is no news, and what is told to all is no record. */
static enum aw_status peer_next(struct aw_stream *s, int64_t deadline)
{
    static const char lost[] = "{\"lost\":";
    for (;;) {
        enum aw_status status = aw_json_source.next(s, deadline);
        if (status != AW_OK && status != AW_MALFORMED)
            return status;
        const char *line = status == AW_OK ? s->item.line : "";
        if (strncmp(line, lost, sizeof lost - 1) == 0)
            s->lost_before += strtoull(line + sizeof lost - 1, NULL, 10);
        if (strstr(line, "\"msg\":") && !strstr(line, "\"age\":"))
            return AW_OK;
        s->item.n = 0;
    }
}

static enum aw_status peer_begin(struct aw_stream *s, const char *name)
{
    return aw_json_source.begin(s, name);
}

static void peer_end(struct aw_stream *s)
{
    aw_json_source.end(s);
}

static const struct aw_source peer_source = {
    .begin = peer_begin, .next = peer_next, .end = peer_end};

enum aw_status aw_stream_open_peer(struct aw_stream **out, struct aw_session *session,
                                   const char *url, const struct aw_select *select, double hz,
                                   char *tool)
{
    const struct aw_sharing *sharing = session->share.sharing;
    *out = NULL;
    struct aw_stream *s = aw_stream_new(session);
    if (!s)
        return session->err.status;
    s->name = url;
    s->live = true;
    s->source = &peer_source;
    enum aw_status status =
        sharing ? sharing->look(session, url, select->pattern, select->n, hz, tool, &s->looker)
                : aw_fail(&session->err, AW_USAGE, "%s: no server can be reached from here", url);
    if (status == AW_OK)
        status = s->source->begin(s, url);
    if (status == AW_OK)
        *out = s;
    else
        aw_stream_close(s);
    return status;
}
