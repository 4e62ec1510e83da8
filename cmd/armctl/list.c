/* armctl list: the serial ports of this machine that may have a handler. */
#include "shell/source/list.h"
#include "link/stream/ports.h"
#include "state.h"

#define PORTS_MAX 64

enum aw_status armctl_list(struct aw_session *session, bool running)
{
    struct aw_port ports[PORTS_MAX];
    size_t n = aw_link_list_serial(ports, PORTS_MAX);
    for (size_t i = 0; i < n && i < PORTS_MAX; i++)
        aw_list_port(session, ports[i].path, &ports[i]);
    if (n == 0 && !running)
        aw_session_print_notice(session,
                                "no serial port found — plug in the arm, pair it over Bluetooth "
                                "(rfcomm), give a link with -l, or try -l sim:");
    return AW_OK;
}
