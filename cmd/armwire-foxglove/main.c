/* The program armwire-foxglove: its options, and the event loop of libwebsockets. */
#include <arpa/inet.h>
#include <errno.h>
#include <fcntl.h>
#include <getopt.h>
#include <netinet/tcp.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "base/number.h"
#include "hub.h"

#define CLIENTS_MAX 64
#define ORIGINS_MAX 16
#define SOCKET_MAX  (64 << 10) /* max bytes in the socket: they arrive late and cannot be dropped */
#define PORT        8765
#define PORT_TEXT   "8765"

static const char usage[] =
    "usage: TOOL record - | armwire-foxglove [--port N] [--origin URL] [--stop 'COMMAND']\n"
    "\n"
    "Streams live data of a device to Foxglove: open the connection ws://localhost:" PORT_TEXT ".\n"
    "\n"
    "  --port N            listen on this port of this machine (default: " PORT_TEXT "; 0: any)\n"
    "  --origin URL        also accept connections from pages of this site; may be repeated\n"
    "  --stop 'COMMAND'    run this command for the service /stop\n"
    "  --version           print the version\n"
    "  --help              print this page\n"
    "\n"
    "Example: one user drives, others watch and can stop:\n"
    "\n"
    "    hidmotor -l hid: serve &\n"
    "    hidmotor -l serve: record - | armwire-foxglove --stop 'hidmotor -l serve: stop'\n";

/* ---- Pages ---- */

/* A browser sends the origin of the page that connects; other programs send none. */
static bool is_local(const char *origin)
{
    static const char *const hosts[] = {"localhost", "127.0.0.1", "[::1]"};
    if (strncasecmp(origin, "file://", 7) == 0)
        return true;
    if (strncasecmp(origin, "http://", 7) != 0 && strncasecmp(origin, "https://", 8) != 0)
        return false;
    const char *host = strstr(origin, "//") + 2;
    for (size_t i = 0; i < sizeof hosts / sizeof *hosts; i++) {
        size_t length = strlen(hosts[i]);
        if (strncasecmp(host, hosts[i], length) == 0 && (!host[length] || host[length] == ':'))
            return true;
    }
    return false;
}

static bool is_permitted(const struct hub *hub, struct lws *wsi)
{
    char origin[256] = "";
    if (!lws_hdr_total_length(wsi, WSI_TOKEN_ORIGIN))
        return true;
    if (lws_hdr_copy(wsi, origin, sizeof origin, WSI_TOKEN_ORIGIN) > 0 && is_local(origin))
        return true;
    for (const char *const *allowed = hub->origins; *allowed; allowed++)
        if (strcasecmp(*allowed, origin) == 0)
            return true;
    fprintf(stderr, "armwire-foxglove: connection from %s refused — permit it with --origin URL\n",
            *origin ? origin : "an unknown site");
    return false;
}

/* ---- Clients ---- */

static void add_client(struct client *client)
{
    struct hub *hub = client->hub;
    client->next = hub->clients;
    hub->clients = client;
    hub->n_clients++;
    client_queue_object(client,
                        packet_info(aw_recording_info(hub->recording), hub->stop.command != NULL));
    if (hub->stop.command)
        client_queue_object(client, packet_services());
    client_queue_object(client,
                        json_pack("{s:s,s:O}", "op", "advertise", "channels", hub->advertised));
}

static void remove_client(struct client *client)
{
    struct hub *hub = client->hub;
    if (!hub) /* the client was refused before it joined */
        return;
    struct client **link = &hub->clients;
    while (*link && *link != client)
        link = &(*link)->next;
    if (!*link)
        return;
    *link = client->next;
    hub->n_clients--;
    stop_forget(hub, client);
    client_free(client);
}

/* ---- libwebsockets ---- */

static struct hub *get_hub(struct lws *wsi)
{
    return lws_context_user(lws_get_context(wsi));
}

/* The pipe has data to read, or no longer has a writer. */
static int on_input(struct lws *wsi, enum lws_callback_reasons reason, void *user, void *in,
                    size_t size)
{
    (void)user, (void)in, (void)size;
    if (reason == LWS_CALLBACK_RAW_CLOSE_FILE)
        get_hub(wsi)->ended = true;
    return 0;
}

static int on_connection(struct lws *wsi, enum lws_callback_reasons reason, void *user, void *in,
                         size_t size)
{
    struct hub *hub = get_hub(wsi);
    (void)user, (void)in, (void)size;
    if (reason != LWS_CALLBACK_RAW_RX_FILE)
        return 0;
    int fd = accept4(hub->listener, NULL, NULL, SOCK_NONBLOCK | SOCK_CLOEXEC), on = 1;
    if (fd >= 0 && hub->n_clients >= CLIENTS_MAX) {
        close(fd);
    } else if (fd >= 0) {
        setsockopt(fd, IPPROTO_TCP, TCP_NODELAY, &on, sizeof on);
        setsockopt(fd, SOL_SOCKET, SO_SNDBUF, &(int){SOCKET_MAX}, sizeof(int));
        lws_adopt_socket_vhost(hub->vhost, fd);
    }
    return 0;
}

/* Refuses a client that does not speak Foxglove's protocol. */
static int on_unknown_protocol(struct lws *wsi, enum lws_callback_reasons reason, void *user,
                               void *in, size_t size)
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
    case LWS_CALLBACK_FILTER_PROTOCOL_CONNECTION:
        return is_permitted(get_hub(wsi), wsi) ? 0 : -1;
    case LWS_CALLBACK_ESTABLISHED:
        *client = (struct client){.hub = get_hub(wsi), .wsi = wsi};
        add_client(client);
        return 0;
    case LWS_CALLBACK_SERVER_WRITEABLE:
        return client_write(client) ? 0 : -1;
    case LWS_CALLBACK_RECEIVE: {
        bool is_last = lws_is_final_fragment(wsi) && !lws_remaining_packet_payload(wsi);
        return client_receive(client, in, size, is_last, lws_frame_is_binary(wsi)) ? 0 : -1;
    }
    case LWS_CALLBACK_CLOSED:
        remove_client(client);
        return 0;
    default:
        return 0;
    }
}

static const struct lws_protocols protocols[] = {
    {.name = "http", .callback = on_unknown_protocol},
    {.name = "foxglove.sdk.v1",
     .callback = on_client,
     .per_session_data_size = sizeof(struct client),
     .rx_buffer_size = 4096},
    {.name = "foxglove.websocket.v1",
     .callback = on_client,
     .per_session_data_size = sizeof(struct client),
     .rx_buffer_size = 4096},
    {.name = "input", .callback = on_input},
    {.name = "listener", .callback = on_connection},
    {.name = NULL},
};

/* ---- Start and end ---- */

static enum aw_status listen_at(struct hub *hub, struct aw_error *err)
{
    struct sockaddr_in address = {.sin_family = AF_INET,
                                  .sin_port = htons((uint16_t)hub->port),
                                  .sin_addr.s_addr = htonl(INADDR_LOOPBACK)};
    socklen_t size = sizeof address;
    hub->listener = socket(AF_INET, SOCK_STREAM | SOCK_NONBLOCK | SOCK_CLOEXEC, 0);
    setsockopt(hub->listener, SOL_SOCKET, SO_REUSEADDR, &(int){1}, sizeof(int));
    if (hub->listener < 0 ||
        bind(hub->listener, (struct sockaddr *)&address, sizeof address) != 0 ||
        listen(hub->listener, SOMAXCONN) != 0 ||
        getsockname(hub->listener, (struct sockaddr *)&address, &size) != 0)
        return aw_fail(err, AW_NO_LINK, "port %u: %s — choose another port with --port", hub->port,
                       strerror(errno));
    hub->port = ntohs(address.sin_port);
    return AW_OK;
}

static bool adopt(struct hub *hub, int fd, const char *protocol)
{
    lws_sock_file_fd_type descriptor = {.filefd = fcntl(fd, F_DUPFD_CLOEXEC, STDERR_FILENO + 1)};
    return lws_adopt_descriptor_vhost(hub->vhost, LWS_ADOPT_RAW_FILE_DESC, descriptor, protocol,
                                      NULL);
}

static enum aw_status fail_to_start(struct aw_error *err)
{
    return aw_fail(err, AW_NO_LINK,
                   "cannot start the WebSocket server — check memory and ulimit -n");
}

static enum aw_status open_library(struct hub *hub, struct aw_error *err)
{
    struct lws_context_creation_info info = {.port = CONTEXT_PORT_NO_LISTEN_SERVER,
                                             .protocols = protocols,
                                             .gid = -1,
                                             .uid = -1,
                                             .user = hub,
                                             .options = LWS_SERVER_OPTION_EXPLICIT_VHOSTS};
    lws_set_log_level(0, NULL);
    hub->context = lws_create_context(&info);
    hub->vhost = hub->context ? lws_create_vhost(hub->context, &info) : NULL;
    return hub->vhost && adopt(hub, STDIN_FILENO, "input") ? AW_OK : fail_to_start(err);
}

/* Clients may connect once the header is known. */
static enum aw_status start_accepting(struct hub *hub, struct aw_error *err)
{
    if (hub->ready || !aw_recording_info(hub->recording)->protocol)
        return AW_OK;
    if (!adopt(hub, hub->listener, "listener"))
        return fail_to_start(err);
    hub->ready = true;
    fprintf(stderr, "ready: ws://127.0.0.1:%u\n", hub->port);
    return AW_OK;
}

static enum aw_status serve(struct hub *hub, struct aw_error *err)
{
    bool has_more = true;
    enum aw_status status = AW_OK;
    while (status == AW_OK && lws_service(hub->context, has_more ? -1 : 0) >= 0) {
        status = stream_read(hub, &has_more, err);
        if (status == AW_OK || status == AW_END)
            start_accepting(hub, err);
        has_more = has_more || hub->ended;
    }
    return status;
}

/* Waits for a stop in progress, and sends its answer. */
static void complete_stop(struct hub *hub)
{
    for (int turns = hub->stop.running ? 2 : 0; turns > 0; turns -= !hub->stop.running)
        if (lws_service(hub->context, hub->stop.running ? 0 : -1) < 0)
            return;
}

static enum aw_status run(struct hub *hub, struct aw_error *err)
{
    enum aw_status status = listen_at(hub, err);
    if (status == AW_OK)
        status = stream_open(hub, err);
    if (status == AW_OK)
        status = open_library(hub, err);
    if (status == AW_OK)
        status = serve(hub, err);
    if (status == AW_END && hub->context)
        complete_stop(hub);
    if (hub->context)
        lws_context_destroy(hub->context);
    stop_free(hub);
    stream_free(hub);
    close(hub->listener);
    return status == AW_END ? AW_OK : status;
}

/* ---- Options ---- */

static bool parse_port(const char *text, unsigned *port)
{
    double value;
    if (aw_number_parse(text, &value, NULL) != AW_OK || !(value >= 0 && value <= UINT16_MAX) ||
        value != (unsigned)value)
        return false;
    *port = (unsigned)value;
    return true;
}

static int fail(const char *format, const char *text)
{
    fprintf(stderr, "armwire-foxglove: ");
    fprintf(stderr, format, text);
    fputc('\n', stderr);
    return AW_USAGE;
}

int main(int argc, char **argv)
{
    static const struct option options[] = {
        {"port", required_argument, NULL, 'p'}, {"origin", required_argument, NULL, 'o'},
        {"stop", required_argument, NULL, 's'}, {"version", no_argument, NULL, 'v'},
        {"help", no_argument, NULL, 'h'},       {0}};
    static const char *origins[ORIGINS_MAX + 1];
    static struct hub hub = {.listener = -1, .port = PORT, .origins = origins};
    struct aw_error err = {.text = ""};
    size_t n_origins = 0;
    for (int option; (option = getopt_long(argc, argv, "", options, NULL)) != -1;) {
        if (option == 'v')
            return printf("armwire-foxglove " AW_VERSION " (armwire)\n") < 0;
        if (option == 'h')
            return fputs(usage, stdout) < 0;
        if (option == 'o' && n_origins < ORIGINS_MAX)
            origins[n_origins++] = optarg;
        else if (option == 's')
            hub.stop.command = optarg;
        else if (option == 'p' && !parse_port(optarg, &hub.port))
            return fail("--port: '%s' is not a port — give 0 to 65535", optarg);
        else if (option == 'o')
            return fail("--origin: '%s' is one too many (max 16) — remove one", optarg);
        else if (option == '?')
            return AW_USAGE;
    }
    if (optind < argc)
        return fail("unexpected argument '%s' — see armwire-foxglove --help", argv[optind]);
    signal(SIGPIPE, SIG_IGN);
    enum aw_status status = run(&hub, &err);
    return status == AW_OK ? 0 : (fail("%s", err.text), (int)status);
}
