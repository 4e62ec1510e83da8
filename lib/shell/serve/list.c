/* Finds the tool's servers on this machine, for the command list. */
#include "shell/source/list.h"

#include <stdio.h>

#include "shell/safety/safety.h"
#include "shell/serve/client.h"

#define SERVERS_MAX 16

/* Adds the holder of the lease, if any; as plain text in text style. */
void aw_commander_add_to_result(struct aw_session *session, const struct aw_commander *commander)
{
    char text[AW_COMMANDER_TEXT];
    bool words = aw_session_is_text(session);
    if (words && !commander->who.pid)
        return;
    (words ? aw_commander_write_text : aw_commander_write_json)(commander, text);
    aw_object_add_copy(&session->result, "commander", text);
    session->result.entries[session->result.n - 1].is_json = !words;
}

static bool list_server(struct aw_session *session, const struct aw_address *address)
{
    char holder[64], link[sizeof address->path + 8];
    struct aw_peer_info who;
    struct aw_hello hello;
    if (!aw_hello_query(session, address, &who, &hello, NULL))
        return false;
    snprintf(holder, sizeof holder, "%s serve (pid %d)", session->tool->name, (int)who.pid);
    snprintf(link, sizeof link, "serve:%.107s", address->path);
    aw_list_link(session, link);
    aw_list_add(session, "description", "a server that shares a device");
    aw_list_add(session, "holder", holder);
    aw_list_add(session, "device", hello.url);
    aw_commander_add_to_result(session, &hello.commander);
    aw_session_print_result(session);
    return true;
}

size_t aw_share_list_servers(struct aw_session *session)
{
    struct aw_address servers[SERVERS_MAX];
    size_t n = aw_address_defaults(servers, SERVERS_MAX, session->tool->name), found = 0;
    for (size_t i = 0; i < n; i++)
        found += list_server(session, &servers[i]);
    return found;
}
