/* Starts the program that brings clients by a broker, each with a connection of its own, and is one
 * itself: what all may see is published by it. */
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "link/core/link.h"
#include "shell/share/mqtt.h"
#include "shell/share/server.h"

#define READY_NS (5 * AW_SECOND)

/* An empty line, or why not. */
static enum aw_status first_line(struct aw_server *server, struct aw_link *link)
{
    struct aw_error *err = &server->session->err;
    int64_t deadline = aw_clock_now(link->clock) + READY_NS;
    char line[400];
    size_t used = 0, got;
    enum aw_status status = AW_OK;
    while (status == AW_OK && used + 1 < sizeof line && (!used || line[used - 1] != '\n')) {
        status = aw_link_read(link, line + used, 1, &got, deadline, err);
        used += status == AW_OK;
    }
    line[used] = '\0';
    json_t *object = used > 1 ? json_loads(line, 0, NULL) : NULL;
    const char *why = json_string_value(json_object_get(object, "why"));
    if (status != AW_OK || used > 1)
        status = aw_fail(err, AW_USAGE, "serve: --mqtt: %s", why ? why : "armwire-mqtt has ended");
    json_decref(object);
    return status;
}

enum aw_status aw_server_bring(struct aw_server *server, const char *url)
{
    struct aw_session *session = server->session;
    struct aw_mqtt mqtt;
    const char *rate = NULL, *at = NULL;
    enum aw_status status = aw_mqtt_parse(&mqtt, url, &session->err);
    for (size_t i = 0; i < server->n_listeners && !at; i++)
        at = *server->listeners[i].path ? server->listeners[i].url : NULL;
    if (status == AW_OK && !at)
        status =
            aw_fail(&session->err, AW_USAGE,
                    "serve: --mqtt wants a socket of this machine, too: --listen serve:,tcp:…");
    if (status != AW_OK)
        return status;
    rate = aw_url_get(&mqtt.url, "rate");
    rate = !rate && session->tool->asks ? "10Hz" : rate;
    char *const words[] = {(char *)session->tool->name, (char *)url, (char *)at, (char *)rate,
                           NULL};
    status = aw_mqtt_start(&server->mqtt, words, &session->time.real.base, &session->err);
    if (status == AW_OK)
        status = first_line(server, server->mqtt);
    int fd = status == AW_OK ? fcntl(aw_link_fd(server->mqtt), F_DUPFD_CLOEXEC, 0) : -1;
    if (status == AW_OK && fd < 0)
        return aw_fail(&session->err, AW_NO_LINK, "serve: --mqtt: %s", strerror(errno));
    struct aw_peer *peer = fd >= 0 ? aw_peer_add(server, fd) : NULL;
    if (peer) {
        snprintf(peer->who.program, sizeof peer->who.program, "armwire-mqtt");
        server->bringer = peer;
        aw_peer_welcome(server, peer);
    }
    return status;
}
