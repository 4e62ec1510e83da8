/* list: simulators on this machine, and the programs connected to them. */
#include <stdio.h>

#include "link/core/tcp.h"
#include "shell/safety/safety.h"
#include "shell/source/list.h"
#include "state.h"

#define SERVERS_MAX 32

enum aw_status ezphys_list(struct aw_session *session, bool running)
{
    struct aw_tcp_server servers[SERVERS_MAX];
    size_t n =
        aw_tcp_list_servers("ezphys-sim", session->tool->protocol->ports[0], servers, SERVERS_MAX);
    char url[80];
    for (size_t i = 0; i < n; i++) {
        snprintf(url, sizeof url, "tcp:%.47s:%u", servers[i].host, servers[i].port);
        aw_list_link(session, url);
        aw_list_add(session, "description", "server found");
        aw_list_add(session, "server", servers[i].server);
        aw_list_add(session, "holder", servers[i].client);
        aw_session_print_result(session);
    }
    if (!n && !running)
        aw_session_print_notice(
            session, "no simulator found on this machine — start one with '%s sim', or use -l sim:",
            session->tool->name);
    return AW_OK;
}
