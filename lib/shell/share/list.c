/* The servers of the tool that run on this machine, for the command list. */
#include "shell/commands/list.h"

#include <stdio.h>
#include <unistd.h>

#include "shell/share/address.h"
#include "shell/share/attached.h"
#include "shell/share/server.h"

#define SERVERS_MAX 16

static bool list_server(struct aw_session *session, const struct aw_address *address)
{
    char holder[64];
    struct aw_who who;
    int fd = aw_address_connect(address, NULL);
    if (fd < 0)
        return false;
    aw_who_local(&who, fd);
    close(fd);
    snprintf(holder, sizeof holder, "%s serve (pid %d)", session->tool->name, (int)who.pid);
    aw_list_link(session, address->text);
    aw_list_add(session, "description", "a server, which shares a device");
    aw_list_add(session, "holder", holder);
    aw_session_print_result(session);
    return true;
}

size_t aw_share_list(struct aw_session *session)
{
    struct aw_address servers[SERVERS_MAX];
    size_t n = aw_address_usual(servers, SERVERS_MAX, session->tool->name), found = 0;
    for (size_t i = 0; i < n; i++)
        found += list_server(session, &servers[i]);
    return found;
}
