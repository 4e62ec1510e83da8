/* hidmotor list: connected boards, and the rule that permits each. */
#include <stdio.h>
#include <stdlib.h>

#include "link/hid/hid.h"
#include "shell/safety/safety.h"
#include "shell/source/list.h"
#include "state.h"

#define PORTS_MAX 64

static void print_board(struct aw_session *session, const struct aw_hid_port *port)
{
    char usb[16];
    snprintf(usb, sizeof usb, "%04x:%04x", port->vendor, port->product);
    aw_list_link(session, port->url);
    aw_list_add(session, "path", port->path);
    aw_list_add(session, "usb", usb);
    aw_list_add(session, "board", port->board);
    aw_list_add(session, "name", port->name);
    aw_list_add(session, "serial", port->serial);
    aw_list_add(session, "holder", port->holder);
    aw_list_add(session, "problem", port->problem);
    aw_session_print_result(session);
}

enum aw_status hidmotor_list(struct aw_session *session, bool running)
{
    struct aw_hid_port *ports = calloc(PORTS_MAX, sizeof *ports);
    if (!ports)
        return aw_no_memory(&session->err);
    size_t n = aw_link_list_hid(session->tool->protocol, ports, PORTS_MAX), found = 0;
    for (size_t i = 0; i < n && i < PORTS_MAX; i++) {
        if (!ports[i].is_candidate)
            continue;
        print_board(session, &ports[i]);
        found++;
    }
    if (!found && !running)
        aw_session_print_notice(session,
                                "no board found — plug one in, give its link with -l hid:VID:PID "
                                "or -l hid:/dev/hidrawN, or try -l sim:");
    free(ports);
    return AW_OK;
}
