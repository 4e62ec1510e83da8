/* The first line of a server to a client. */
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#include "base/text.h"
#include "shell/share/server.h"

void aw_peer_welcome(struct aw_server *server, struct aw_peer *peer)
{
    const struct aw_session *session = server->session;
    const struct aw_link *device = session->device.link;
    char *fields = aw_feed_fields(server), who[256], link[6 * sizeof server->url + 2];
    char key[6 * sizeof device->key + 2], memory[4200], clock[48] = "";
    server->n_strangers -= !peer->welcome;
    peer->welcome = true;
    peer->conn.longest = AW_LINE_LIMIT;
    if (!fields)
        return;
    *aw_json_string(link, server->url, sizeof server->url) = '\0';
    *aw_json_string(key, device ? device->key : "", sizeof device->key) = '\0';
    aw_who_text(server, who, sizeof who);
    aw_lease_memory(server, memory, sizeof memory);
    if (aw_session_virtual(session))
        snprintf(clock, sizeof clock, ",\"at\":%lld", (long long)aw_clock_now(session->clock));
    aw_peer_say(peer,
                "{\"serve\":\"%s\",\"version\":\"%s\",\"pid\":%d,\"link\":%s,\"key\":%s,"
                "\"datagrams\":%s,\"deadman_ms\":%lld,\"commander\":%s,\"fields\":[%s]%s%s}\n",
                session->tool->name, AW_VERSION, (int)getpid(), link, key,
                device && device->datagrams ? "true" : "false",
                (long long)(server->deadman_ns / AW_MILLISECOND), who, fields, memory, clock);
    free(fields);
}
