/* The program armwire-foxglove: libwebsockets waits for all there is, the server's lines and new
 * connections among it. */
#include <fcntl.h>
#include <netinet/tcp.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/grow.h"
#include "hub.h"
#include "shell/share/address.h"

#define CLIENTS_MAX 200
#define SOCKET_ROOM (64 << 10) /* what is in there comes late, and cannot be left out */
#define HELLO       "{\"serve\":"
#define AS_MCAP     "\"mcap\":\""

static const char usage[] =
    "The way to the panels of Foxglove for the tools of armwire, which start it by themselves:\n"
    "\n"
    "    TOOL serve --foxglove [ADDRESS:PORT]\n"
    "\n"
    "See sharing.md in the documentation.\n";

/* ---- Clients -----------------------------------------------------------------------------------
 */

static void join(struct client *client)
{
    struct hub *hub = client->hub;
    client->next = hub->clients;
    hub->clients = client;
    if (!hub->n_clients++)
        stream_begin(hub);
    client_put_object(client, packet_info(hub->tool, hub->hello));
    client_put_object(client, packet_services());
    client_put_object(client,
                      json_pack("{s:s,s:O}", "op", "advertise", "channels", hub->advertised));
}

static void forget_calls(struct hub *hub, const struct client *client)
{
    for (size_t i = 0; i < hub->n_calls; i++)
        if (hub->calls[i].client == client)
            hub->calls[i].client = NULL;
}

/* When nobody looks on, the device is not asked for anybody. */
static void leave(struct client *client)
{
    struct hub *hub = client->hub;
    struct client **at = &hub->clients;
    while (*at && *at != client)
        at = &(*at)->next;
    if (!*at)
        return;
    *at = client->next;
    forget_calls(hub, client);
    client_free(client);
    if (!--hub->n_clients)
        stream_end(hub);
    aw_conn_flush(hub->starter);
}

/* ---- Stops -------------------------------------------------------------------------------------
 */

static void call_stop(struct client *client, uint32_t call, bool json)
{
    struct hub *hub = client->hub;
    struct call *calls = aw_grow(hub->calls, &hub->room_calls, hub->n_calls + 1, sizeof *calls);
    char id[24];
    if (calls) {
        hub->calls = calls;
        calls[hub->n_calls++] = (struct call){client, call, hub->stops + 1, json};
    }
    snprintf(id, sizeof id, "s%u", ++hub->stops);
    aw_conn_put_json(hub->starter, json_pack("{s:{s:s,s:s,s:b}}", "as", "program", "Foxglove",
                                             "user", client->who, "reads", true));
    aw_conn_put_json(hub->starter, json_pack("{s:s,s:s}", "cmd", "stop", "id", id));
    aw_conn_flush(hub->starter);
}

static const char *text_of(const json_t *object, const char *key)
{
    return json_string_value(json_object_get(object, key));
}

/* {"id":"s3","cmd":"stop","ok":true,"did":…}. Of several at a time the server answers the last. */
static void take_answer(struct hub *hub, const char *line)
{
    json_t *object = json_loads(line, 0, NULL);
    const char *id = text_of(object, "id"), *cmd = text_of(object, "cmd"),
               *did = text_of(object, "did"), *why = text_of(object, "why");
    bool good = json_is_true(json_object_get(object, "ok"));
    bool answers = cmd && strcmp(cmd, "stop") == 0 && id && *id == 's';
    unsigned stop = answers ? (unsigned)strtoul(id + 1, NULL, 10) : 0;
    size_t kept = 0;
    for (size_t i = 0; i < hub->n_calls; i++) {
        const struct call *call = &hub->calls[i];
        if (call->stop > stop)
            hub->calls[kept++] = *call;
        else if (call->client)
            client_put(call->client,
                       packet_answer(call->id, call->json, good,
                                     did && *did ? did
                                     : why       ? why
                                                 : "stopped"),
                       0);
    }
    hub->n_calls = kept;
    json_decref(object);
}

/* ---- The server --------------------------------------------------------------------------------
 */

static void take_hello(struct hub *hub, const char *line)
{
    lws_sock_file_fd_type fd = {.filefd = hub->listener};
    hub->hello = json_loads(line, 0, NULL);
    if (!lws_adopt_descriptor_vhost(hub->vhost, LWS_ADOPT_RAW_FILE_DESC, fd, "listener", NULL))
        hub->over = true;
    else
        fprintf(stderr, "ready: %s\n", hub->url);
}

/* Records of the stream come with its number: another one's are over. */
static void take_record(struct hub *hub, const char *line)
{
    char head[48];
    int n = snprintf(head, sizeof head, "{\"id\":%u," AS_MCAP, hub->stream);
    if (strncmp(line, head, (size_t)n) == 0)
        stream_take(hub, line + n, strcspn(line + n, "\""));
}

static bool take_lines(struct hub *hub)
{
    bool there = aw_conn_fill(hub->starter);
    for (const char *line; (line = aw_conn_next(hub->starter));) {
        if (!hub->hello && strncmp(line, HELLO, sizeof HELLO - 1) == 0)
            take_hello(hub, line);
        else if (strncmp(line, "{\"id\":\"s", 8) == 0)
            take_answer(hub, line);
        else
            take_record(hub, line);
    }
    aw_conn_flush(hub->starter);
    return there && !hub->starter->overlong && !hub->starter->gone;
}

/* ---- libwebsockets -----------------------------------------------------------------------------
 */

static struct hub *hub_of(struct lws *wsi)
{
    return lws_context_user(lws_get_context(wsi));
}

static int on_line(struct lws *wsi, enum lws_callback_reasons reason, void *user, void *in,
                   size_t size)
{
    struct hub *hub = hub_of(wsi);
    (void)user, (void)in, (void)size;
    if (reason == LWS_CALLBACK_RAW_CLOSE_FILE ||
        (reason == LWS_CALLBACK_RAW_RX_FILE && !take_lines(hub)))
        hub->over = true;
    return hub->over ? -1 : 0;
}

static int on_connection(struct lws *wsi, enum lws_callback_reasons reason, void *user, void *in,
                         size_t size)
{
    struct hub *hub = hub_of(wsi);
    (void)user, (void)in, (void)size;
    if (reason != LWS_CALLBACK_RAW_RX_FILE)
        return 0;
    int fd = accept4(hub->listener, NULL, NULL, SOCK_NONBLOCK | SOCK_CLOEXEC), on = 1;
    if (fd >= 0 && hub->n_clients >= CLIENTS_MAX) {
        close(fd);
    } else if (fd >= 0) {
        setsockopt(fd, IPPROTO_TCP, TCP_NODELAY, &on, sizeof on);
        setsockopt(fd, SOL_SOCKET, SO_SNDBUF, &(int){SOCKET_ROOM}, sizeof(int));
        lws_adopt_socket_vhost(hub->vhost, fd);
    }
    return 0;
}

/* Whoever does not speak Foxglove's protocol has come to the wrong place. */
static int on_stranger(struct lws *wsi, enum lws_callback_reasons reason, void *user, void *in,
                       size_t size)
{
    if (reason == LWS_CALLBACK_FILTER_PROTOCOL_CONNECTION)
        return -1;
    return lws_callback_http_dummy(wsi, reason, user, in, size);
}

static int on_client(struct lws *wsi, enum lws_callback_reasons reason, void *user, void *in,
                     size_t size)
{
    struct client *client = user;
    switch (reason) {
    case LWS_CALLBACK_ESTABLISHED:
        *client = (struct client){.hub = hub_of(wsi), .wsi = wsi};
        lws_get_peer_simple(wsi, client->who, sizeof client->who);
        join(client);
        aw_conn_flush(client->hub->starter);
        return 0;
    case LWS_CALLBACK_SERVER_WRITEABLE:
        return client_write(client) ? 0 : -1;
    case LWS_CALLBACK_RECEIVE: {
        bool last = lws_is_final_fragment(wsi) && !lws_remaining_packet_payload(wsi);
        return client_take(client, in, size, last, lws_frame_is_binary(wsi)) ? 0 : -1;
    }
    case LWS_CALLBACK_CLOSED:
        leave(client);
        return 0;
    default:
        return 0;
    }
}

static const struct lws_protocols protocols[] = {
    {.name = "http", .callback = on_stranger},
    {.name = "foxglove.sdk.v1",
     .callback = on_client,
     .per_session_data_size = sizeof(struct client),
     .rx_buffer_size = 4096},
    {.name = "foxglove.websocket.v1",
     .callback = on_client,
     .per_session_data_size = sizeof(struct client),
     .rx_buffer_size = 4096},
    {.name = "line", .callback = on_line},
    {.name = "listener", .callback = on_connection},
    {.name = NULL},
};

/* ---- Beginning and end -------------------------------------------------------------------------
 */

static enum aw_status listen_at(struct hub *hub, const char *place, struct aw_error *err)
{
    struct aw_address address;
    char url[160], *at = url;
    snprintf(url, sizeof url, "tcp:%s", place);
    if (aw_address_parse(&address, hub->tool, url, NULL) != AW_OK)
        return aw_fail(err, AW_USAGE, "%.80s — write ADDRESS:PORT, or PORT", place);
    hub->listener = aw_address_listen(&address);
    if (hub->listener < 0)
        return aw_fail(err, AW_NO_LINK, "%.80s: %s", place, strerror(errno));
    aw_address_text(&address, hub->listener, url, sizeof url);
    at += strncmp(at, "serve:", 6) == 0 ? 6 : 0;
    at += strncmp(at, "tcp:", 4) == 0 ? 4 : 0;
    snprintf(hub->url, sizeof hub->url, "ws://%s", at);
    return AW_OK;
}

static enum aw_status open_library(struct hub *hub, struct aw_error *err)
{
    struct lws_context_creation_info info = {.port = CONTEXT_PORT_NO_LISTEN_SERVER,
                                             .protocols = protocols,
                                             .gid = -1,
                                             .uid = -1,
                                             .user = hub};
    lws_sock_file_fd_type fd = {.filefd = fcntl(hub->starter->fd, F_DUPFD_CLOEXEC, 0)};
    info.options = LWS_SERVER_OPTION_EXPLICIT_VHOSTS;
    lws_set_log_level(0, NULL);
    hub->context = lws_create_context(&info);
    hub->vhost = hub->context ? lws_create_vhost(hub->context, &info) : NULL;
    if (hub->vhost &&
        lws_adopt_descriptor_vhost(hub->vhost, LWS_ADOPT_RAW_FILE_DESC, fd, "line", NULL))
        return AW_OK;
    return aw_fail(err, AW_NO_LINK, "libwebsockets does not begin");
}

/* TOOL ADDRESS:PORT */
static enum aw_status run(struct aw_conn *starter, char *const words[], struct aw_error *err)
{
    static struct hub hub;
    hub = (struct hub){
        .tool = words[0], .starter = starter, .advertised = json_array(), .stop = call_stop};
    enum aw_status status = listen_at(&hub, words[1], err);
    if (status == AW_OK)
        status = open_library(&hub, err);
    if (status == AW_OK)
        aw_conn_put_line(starter, "", 0, false);
    aw_conn_flush(starter);
    while (status == AW_OK && !hub.over && lws_service(hub.context, 0) >= 0)
        continue;
    lws_context_destroy(hub.context);
    stream_free(&hub);
    json_decref(hub.advertised);
    json_decref(hub.hello);
    free(hub.calls);
    return status;
}

int main(int argc, char **argv)
{
    static const struct aw_end end = {"armwire-foxglove", usage, 2, 2, run};
    return aw_end_main(&end, argc, argv);
}
