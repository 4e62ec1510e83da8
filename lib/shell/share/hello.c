/* The first line of a server to a client. */
#include <unistd.h>

#include "shell/share/bytes.h"
#include "shell/share/server.h"

void aw_peer_welcome(struct aw_server *server, struct aw_peer *peer)
{
    struct aw_session *session = server->session;
    const struct aw_link *device = session->device.link;
    json_int_t deadman = server->deadman_ns / AW_MILLISECOND;
    json_t *hello = json_pack(
        "{s:s,s:s,s:i,s:s,s:s,s:b,s:I,s:o,s:O*,s:o*}", "serve", session->tool->name, "version",
        AW_VERSION, "pid", (int)getpid(), "link", server->url, "key", device ? device->key : "",
        "datagrams", device && device->datagrams, "deadman_ms", deadman, "commander",
        aw_lease_who(server), "fields", aw_feed_fields(server), "memory", aw_memory_json(session));
    uint32_t packets = aw_session_packets_sum(session);
    if (hello && packets)
        json_object_set_new(hello, "packets", json_integer(packets));
    if (hello && aw_session_virtual(session))
        json_object_set_new(hello, "at", json_integer(aw_clock_now(session->clock)));
    aw_peer_tell(peer, hello);
}
