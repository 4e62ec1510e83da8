/* Makes a session with its defaults, and frees it. */
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "shell/core/config.h"
#include "shell/core/crash.h"
#include "shell/core/recent.h"
#include "shell/core/session.h"
#include "shell/core/stop.h"

struct aw_session *aw_session_new(const struct aw_tool *tool)
{
    const char *none = getenv("NO_COLOR"), *term = getenv("TERM");
    struct aw_session *session = calloc(1, sizeof *session + tool->state_size);
    if (!session)
        return NULL;
    session->tool = tool;
    session->out.fd = STDOUT_FILENO;
    session->out.color =
        isatty(STDOUT_FILENO) && !(none && *none) && term && strcmp(term, "dumb") != 0;
    session->real_clock = aw_real_clock(-1);
    session->virtual_clock = aw_virtual_clock();
    session->clock = &session->real_clock.base;
    session->stop = (struct aw_stop){.all = -1, .signals = -1, .asked = -1, .parent = -1};
    session->config = calloc(1, sizeof *session->config);
    session->wire = &session->own_wire;
    session->frame = malloc(AW_FRAME_ROOM);
    session->state = session->room;
    if (!session->config || !session->frame) {
        free(session->config);
        free(session->frame);
        free(session);
        return NULL;
    }
    aw_wire_init(session->wire, tool->protocol, NULL, false);
    session->printing.wire = session->wire;
    aw_options_add(&session->options, tool->options);
    aw_options_add(&session->options, tool->general ? tool->general : aw_global_options);
    return session;
}

void aw_session_free(struct aw_session *session)
{
    aw_stop_release(session);
    aw_session_unlink(session);
    if (session->tool->finish)
        session->tool->finish(session);
    aw_stop_end(session);
    aw_view_free(session->printing.view);
    aw_recent_free(session->recent);
    aw_config_free(session->config);
    free(session->config);
    free(session->decoding);
    free(session->frame);
    free(session);
}
