/* canpid list: the CAN interfaces of the kernel, and the adapters on serial ports. */
#include <net/if.h>
#include <stdio.h>

#include "link/can/can.h"
#include "link/stream/ports.h"
#include "shell/safety/safety.h"
#include "shell/source/list.h"
#include "state.h"

enum aw_status canpid_list(struct aw_session *session, bool running)
{
    struct aw_port ports[32];
    struct if_nameindex *interfaces = if_nameindex();
    size_t n = aw_link_list_serial(ports, 32), found = 0;
    char url[128];
    for (struct if_nameindex *i = interfaces; i && i->if_name; i++)
        if (aw_can_is_interface(i->if_name)) {
            snprintf(url, sizeof url, "can:%s", i->if_name);
            aw_list_link(session, url);
            aw_list_add(session, "description", "CAN interface");
            aw_session_print_result(session);
            found++;
        }
    if_freenameindex(interfaces);
    for (size_t i = 0; i < n && i < 32; i++) {
        snprintf(url, sizeof url, "slcan:%.100s", ports[i].path);
        aw_list_port(session, url, &ports[i]);
        found++;
    }
    if (!found && !running)
        aw_session_print_notice(session,
                                "no CAN interface or serial adapter found — create a virtual "
                                "one: sudo ip link add vcan0 type vcan; or use -l sim:");
    return AW_OK;
}
