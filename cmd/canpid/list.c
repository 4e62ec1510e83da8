#include <net/if.h>
#include <stdio.h>

#include "link/can.h"
#include "state.h"

static void print_link(struct aw_session *session, const char *url, const char *what)
{
    struct aw_output *out = &session->out;
    if (!aw_session_json(session)) {
        aw_output_print(out, "%-28s %s\n", url, what);
        return;
    }
    aw_output_print(out, "{\"link\":");
    aw_output_string(out, url);
    aw_output_print(out, ",\"what\":");
    aw_output_string(out, what);
    aw_output_print(out, "}\n");
}

enum aw_status run_list(struct aw_session *session, const struct aw_args *args)
{
    struct aw_port ports[32];
    struct if_nameindex *interfaces = if_nameindex();
    size_t n = aw_link_list_serial(ports, 32), found = 0;
    char url[128];
    (void)args;
    for (struct if_nameindex *i = interfaces; i && i->if_name; i++)
        if (aw_can_is_interface(i->if_name)) {
            snprintf(url, sizeof url, "can:%s", i->if_name);
            print_link(session, url, "CAN interface");
            found++;
        }
    if_freenameindex(interfaces);
    for (size_t i = 0; i < n && i < 32; i++) {
        snprintf(url, sizeof url, "slcan:%s", ports[i].path);
        print_link(session, url, *ports[i].description ? ports[i].description : "serial port");
        found++;
    }
    if (!found)
        aw_session_say(session, "no CAN interface and no serial adapter here — 'sudo ip link add "
                                "vcan0 type vcan' makes "
                                "one for trying, or use -l sim:");
    return AW_OK;
}
