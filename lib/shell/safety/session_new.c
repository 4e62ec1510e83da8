/* Creates and frees sessions. */
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "packets/packets.h"
#include "shell/safety/safety.h"
#include "shell/safety/stop.h"
#include "shell/session/config.h"
#include "shell/session/recent.h"
#include "shell/session/session.h"
#include "view/terminal/screen.h"

/* One large allocation, which the kernel maps, so unused pages cost nothing. */
struct session_block {
    struct aw_session session; /* first, so that freeing the session frees everything */
    struct aw_wire wire;
    max_align_t state[];
};

struct aw_session *aw_session_new(const struct aw_tool *tool)
{
    const char *no_color = getenv("NO_COLOR");
    struct session_block *block = calloc(1, sizeof *block + tool->state.size);
    if (!block)
        return NULL;
    struct aw_session *session = &block->session;
    session->tool = tool;
    session->out.fd = STDOUT_FILENO;
    session->out.color =
        isatty(STDOUT_FILENO) && !(no_color && *no_color) && aw_screen_is_capable();
    session->time.real = aw_real_clock(-1);
    session->time.virtual = aw_virtual_clock();
    session->clock = &session->time.real.base;
    session->motion.stop =
        (struct aw_stop){.all_fd = -1, .signal_fd = -1, .request_fd = -1, .parent_fd = -1};
    session->config = calloc(1, sizeof *session->config);
    session->wire = &block->wire;
    session->device.frame = malloc(AW_FRAME_ROOM);
    session->state = block->state;
    if (!session->config || !session->device.frame) {
        free(session->config);
        free(session->device.frame);
        free(session);
        return NULL;
    }
    aw_wire_init(session->wire, tool->protocol, NULL, false);
    session->run.printing.wire = session->wire;
    aw_options_begin(&session->options, tool);
    return session;
}

void aw_session_free(struct aw_session *session)
{
    aw_stop_release(session);
    aw_session_close_link(session);
    if (session->tool->state.free_state)
        session->tool->state.free_state(session);
    aw_stop_close(session);
    aw_view_free(session->run.printing.view);
    free(session->run.message_command);
    aw_session_free_packets(session);
    aw_packets_free(session->device.carried);
    aw_recent_free(session->device.recent);
    aw_config_free(session->config);
    free(session->config);
    free(session->device.decoding);
    free(session->device.frame);
    free(session);
}
