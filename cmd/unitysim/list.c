/* unitysim list: the default ports of this machine, and whether a simulator uses them. */
#include <stdio.h>

#include "link/open.h"
#include "link/udp/udp.h"
#include "shell/safety/safety.h"
#include "shell/source/list.h"
#include "state.h"

/* Checks for feedback for a fifth of a second. Sends nothing, because the real simulator ignores
 * keys after its first datagram. */
static enum aw_status check_feedback(struct aw_session *session, bool *received)
{
    struct aw_link_options options = {.clock = session->clock, .protocol = session->tool->protocol};
    struct aw_link *link;
    uint8_t bytes[AW_UNITYSIM_FRAME_MAX];
    size_t size = 0;
    *received = false;
    if (aw_link_open(&link, "udp:", &options, NULL) != AW_OK)
        return AW_OK;
    int64_t deadline = aw_clock_now(session->clock) + AW_SECOND / 5;
    enum aw_status status = AW_EVENT;
    while (status == AW_EVENT)
        status = aw_link_read(link, bytes, sizeof bytes, &size, deadline, NULL);
    aw_link_close(link);
    *received = size > 0;
    return status == AW_STOPPED ? status : AW_OK;
}

enum aw_status unitysim_list(struct aw_session *session, bool running)
{
    const uint16_t *ports = session->tool->protocol->ports;
    bool has_simulator = aw_udp_is_bound(ports[0]), has_client = aw_udp_is_bound(ports[1]),
         received = false;
    char url[64];
    (void)running;
    enum aw_status status = has_client ? AW_OK : check_feedback(session, &received);
    if (status != AW_OK)
        return status;
    snprintf(url, sizeof url, "udp:127.0.0.1:%u?listen=%u", ports[0], ports[1]);
    has_simulator = has_simulator || received;
    const char *description =
        !has_simulator ? "no simulator found"
        : received     ? "simulator found, feedback received"
        : has_client   ? "simulator found; another client uses the feedback port"
                     : "simulator found, no feedback: no scene loaded, or another feedback address";
    if (aw_session_is_text(session)) {
        aw_output_print(&session->out, "%-36s %s\n", url, description);
    } else {
        aw_list_link(session, url);
        aw_object_add_truth(&session->result, "simulator", has_simulator);
        aw_object_add_truth(&session->result, "feedback", received);
        aw_object_add_truth(&session->result, "client", has_client);
        aw_list_add(session, "description", description);
        aw_session_print_result(session);
    }
    if (!has_simulator)
        aw_session_print_notice(session,
                                "start one with '%s sim', or use -l sim:", session->tool->name);
    return AW_OK;
}
