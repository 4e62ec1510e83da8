/* What a line asked, while it waits for its turn, and how it is answered. */
#include <stdio.h>
#include <stdlib.h>

#include "shell/share/server.h"

void aw_peer_done(struct aw_peer *peer, const char *id, const char *what, enum aw_status status,
                  const char *why)
{
    char text[6 * sizeof(struct aw_error)];
    *aw_json_string(text, why ? why : "", sizeof(struct aw_error)) = '\0';
    aw_peer_say(peer, "{%s\"done\":%s,\"exit\":%d%s%s}\n", id, what, (int)status,
                status == AW_OK ? "" : ",\"why\":", status == AW_OK ? "" : text);
}

void aw_peer_fail(struct aw_peer *peer, const char *id, enum aw_status status, const char *why)
{
    char text[6 * sizeof(struct aw_error)];
    *aw_json_string(text, why, sizeof(struct aw_error)) = '\0';
    aw_peer_say(peer, "{%s\"ok\":false,\"error\":\"%s\",\"exit\":%d,\"why\":%s}\n", id,
                aw_status_name(status), (int)status, text);
    aw_peer_done(peer, id, "true", status, why);
}

void aw_peer_pop(struct aw_peer *peer)
{
    struct aw_request *request = peer->first;
    peer->first = request->next;
    if (!peer->first)
        peer->last = NULL;
    peer->waiting--;
    peer->busy = peer->dropped = false;
    free(request->refuse);
    free(request);
}

void aw_peer_refuse_dropped(struct aw_peer *peer, const char *id)
{
    char text[256];
    snprintf(text, sizeof text, "dropped: %s", peer->why);
    aw_peer_fail(peer, id, AW_TIMEOUT, text);
}

void aw_peer_drop_lines(struct aw_peer *peer, const char *why)
{
    struct aw_request *running = peer->busy ? peer->first : NULL;
    peer->drops = why && peer->child;
    snprintf(peer->why, sizeof peer->why, "%s", why ? why : "");
    if (running)
        peer->first = running->next;
    while (peer->first) {
        if (why)
            aw_peer_refuse_dropped(peer, peer->first->id);
        aw_peer_pop(peer);
    }
    if (!running)
        return;
    peer->dropped = why != NULL;
    running->next = NULL;
    peer->first = peer->last = running;
    peer->busy = true;
}
