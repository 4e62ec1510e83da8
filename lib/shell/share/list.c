/* The servers of the tool that run on this machine, for the command list. */
#include "shell/commands/list.h"

#include <stdio.h>
#include <stdlib.h>

#include "shell/share/attached.h"

#define SERVERS_MAX 16

/* For people in words, if there is one. */
void aw_commander_add(struct aw_session *session, const json_t *who)
{
    char words[160];
    char *text = aw_session_text(session) ? NULL : json_dumps(who, JSON_ENCODE_ANY | JSON_COMPACT);
    aw_who_words(who, words, sizeof words);
    if (text || json_is_object(who))
        aw_object_keep(&session->result, "commander", text ? text : words);
    if (text)
        session->result.entries[session->result.n - 1].json = true;
    free(text);
}

static bool list_server(struct aw_session *session, const struct aw_address *address)
{
    char holder[64];
    struct aw_who who;
    json_t *hello;
    if (!aw_way_look(session, address, &who, &hello))
        return false;
    snprintf(holder, sizeof holder, "%s serve (pid %d)", session->tool->name, (int)who.pid);
    aw_list_link(session, address->text);
    aw_list_add(session, "description", "a server, which shares a device");
    aw_list_add(session, "holder", holder);
    const char *device = json_string_value(json_object_get(hello, "link"));
    aw_list_add(session, "device", device ? device : "");
    aw_commander_add(session, json_object_get(hello, "commander"));
    aw_session_print_result(session);
    json_decref(hello);
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
