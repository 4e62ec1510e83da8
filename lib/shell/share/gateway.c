/* Starts the program that brings clients by a broker. It is a client itself. */
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "link/core/link.h"
#include "shell/share/ends.h"
#include "shell/share/mqtt.h"
#include "shell/share/server.h"

#define READY_NS (5 * AW_SECOND)

/* An empty line, or why not. */
static enum aw_status first_line(struct aw_bringer *bringer, const char *option,
                                 struct aw_error *err)
{
    int64_t deadline = aw_clock_now(bringer->link->clock) + READY_NS;
    char line[400];
    size_t used = 0, got;
    enum aw_status status = AW_OK;
    while (status == AW_OK && used + 1 < sizeof line && (!used || line[used - 1] != '\n')) {
        status = aw_link_read(bringer->link, line + used, 1, &got, deadline, err);
        used += status == AW_OK;
    }
    line[used] = '\0';
    json_t *object = used > 1 ? json_loads(line, 0, NULL) : NULL;
    const char *why = json_string_value(json_object_get(object, "why"));
    json_int_t code = json_integer_value(json_object_get(object, "exit"));
    if (status != AW_OK || used > 1)
        status = aw_fail(err, code > 0 ? (enum aw_status)code : AW_USAGE, "serve: --%s: %s%s",
                         option, why ? why : bringer->program, why ? "" : " has ended");
    json_decref(object);
    return status;
}

static enum aw_status start(struct aw_server *server, struct aw_bringer *bringer,
                            const char *option, char *const words[])
{
    struct aw_session *session = server->session;
    struct aw_error *err = &session->err;
    enum aw_status status =
        aw_end_start(&bringer->link, bringer->program, words, &session->time.real.base, err);
    if (status == AW_OK)
        status = first_line(bringer, option, err);
    int fd = status == AW_OK ? fcntl(aw_link_fd(bringer->link), F_DUPFD_CLOEXEC, 0) : -1;
    if (status == AW_OK && fd < 0)
        return aw_fail(err, AW_NO_LINK, "serve: --%s: %s", option, strerror(errno));
    struct aw_peer *peer = fd >= 0 ? aw_peer_add(server, fd, AW_PEERS_MAX) : NULL;
    if (peer) {
        snprintf(peer->who.program, sizeof peer->who.program, "%s", bringer->program);
        bringer->peer = peer;
        aw_peer_welcome(server, peer);
    }
    return status;
}

static enum aw_status bring_mqtt(struct aw_server *server, const char *url)
{
    struct aw_session *session = server->session;
    struct aw_mqtt mqtt;
    const char *at = NULL;
    enum aw_status status = aw_mqtt_parse(&mqtt, url, &session->err);
    for (size_t i = 0; i < server->n_listeners && !at; i++)
        at = *server->listeners[i].path ? server->listeners[i].url : NULL;
    if (status == AW_OK && !at)
        status =
            aw_fail(&session->err, AW_USAGE,
                    "serve: --mqtt wants a socket of this machine, too: --listen serve:,tcp:…");
    if (status != AW_OK)
        return status;
    const char *rate = aw_url_get(&mqtt.url, "rate");
    rate = !rate && session->tool->asks ? "10Hz" : rate;
    server->bringers[0] = (struct aw_bringer){.program = "armwire-mqtt", .way = "MQTT"};
    return start(
        server, &server->bringers[0], "mqtt",
        (char *const[]){(char *)session->tool->name, (char *)url, (char *)at, (char *)rate, NULL});
}

enum aw_status aw_server_bring(struct aw_server *server)
{
    struct aw_session *session = server->session;
    const char *mqtt = aw_option(session, "mqtt");
    return mqtt ? bring_mqtt(server, mqtt) : AW_OK;
}
