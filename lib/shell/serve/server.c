/* The command serve: holds the device and shares it with many programs. */
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/resource.h>
#include <unistd.h>

#include "shell/safety/crash.h"
#include "shell/safety/safety.h"
#include "shell/safety/stop.h"
#include "shell/serve/address.h"
#include "shell/serve/client.h"
#include "shell/serve/serve.h"
#include "shell/serve/server.h"
#include "shell/serve/systemd.h"

#define SLICE_NS AW_MILLISECOND         /* pause after a failed read */
#define AGAIN_NS (200 * AW_MILLISECOND) /* interval between attempts to reopen a lost device */

/* The server counts as stalled after the deadman time, clamped to these limits. */
#define MIN_STILL_NS (100 * AW_MILLISECOND)
#define MAX_STILL_NS AW_SECOND

#define MIN_FILES 256
#define FILES_OWN 64 /* descriptors reserved for everything except clients */
#define MAX_FILES (AW_PEERS_MAX + AW_SPARES_MAX + FILES_OWN)

/* ---- The device ---- */

static enum aw_status wait_for_clients(struct aw_server *server, int64_t ns)
{
    struct aw_clock *clock = &server->session->time.real.base;
    server->device.is_reading = true;
    enum aw_status status = aw_clock_wait(clock, -1, 0, aw_clock_now(clock) + ns);
    server->device.is_reading = false;
    return status;
}

/* Reads the link and forwards its bytes to the clients. A tool with its own conversation uses its
 * own receive. */
static enum aw_status listen_on(struct aw_server *server, int64_t deadline)
{
    struct aw_session *session = server->session;
    struct aw_received received = {.dir = AW_RX};
    size_t got;
    const struct aw_tool *tool = session->tool;
    server->device.is_reading = true;
    enum aw_status status = tool->talk.receive && !tool->talk.polls
                                ? tool->talk.receive(session, deadline, &received)
                                : aw_link_read(session->device.link, session->device.frame,
                                               AW_FRAME_ROOM, &got, deadline, &session->err);
    server->device.is_reading = false;
    return status == AW_EVENT || status == AW_MALFORMED ? AW_OK : status;
}

static void on_stood(void *context, int64_t ns)
{
    struct aw_server *server = context;
    if (server->lease.moving || aw_session_has_ongoing(server->session))
        aw_lease_revoke(server, AW_LIMIT, "the server stalled for %.2g s — stopped",
                        (double)ns / 1e9);
}

static void on_unwatched(void *context, const struct aw_error *err)
{
    aw_lease_revoke(context, AW_LOST, "%s — stopped", err->text);
}

/* Starts the watchdog process. Without it no motion is allowed; clients get the error when they
 * request the lease. */
static void start_watchdog(struct aw_server *server)
{
    const struct aw_watchdog_user user = {.context = server,
                                          .in_child = aw_server_close_fds,
                                          .on_hang = on_stood,
                                          .on_failure = on_unwatched,
                                          .only_in_motion = true};
    struct aw_error err;
    int64_t still = server->lease.deadman_ns > 0
                        ? aw_min_time(server->lease.deadman_ns, MAX_STILL_NS)
                        : MAX_STILL_NS;
    if (aw_watchdog_start(&server->watchdog, server->session,
                          still > MIN_STILL_NS ? still : MIN_STILL_NS, &user, &err) != AW_OK)
        aw_session_print_notice(server->session, "%s", err.text);
}

static enum aw_status find_device(struct aw_server *server)
{
    struct aw_session *session = server->session;
    aw_watchdog_end(&server->watchdog);
    aw_session_close_link(session);
    if (aw_session_open_link(session) != AW_OK)
        return wait_for_clients(server, AGAIN_NS);
    server->device.connections = session->device.link->n_connections;
    start_watchdog(server);
    aw_session_print_notice(session, "the device is connected again");
    server->device.link_lost = false;
    if (aw_session_has_ongoing(session))
        aw_lease_revoke(server, AW_LOST, "the device was disconnected");
    return AW_OK;
}

/* Revokes the lease when a device has reconnected, because it has lost the motion in progress. */
static void note_connections(struct aw_server *server)
{
    unsigned now = server->session->device.link->n_connections;
    if (server->device.connections && now != server->device.connections)
        aw_lease_revoke(server, AW_LOST, "the device was reconnected — stopped");
    server->device.connections = now;
}

static enum aw_status turn(struct aw_server *server)
{
    struct aw_session *session = server->session;
    if (session->device.link && !session->device.link->is_lost) {
        enum aw_status status = listen_on(server, aw_clock_now(session->clock) + AW_SECOND);
        note_connections(server);
        bool fine = status == AW_OK || status == AW_TIMEOUT || status == AW_STOPPED;
        return fine || session->device.link->is_lost ? status : wait_for_clients(server, SLICE_NS);
    }
    if (!server->device.link_lost) {
        aw_session_print_notice(session, "device disconnected: waiting for it");
        server->device.link_lost = true;
        aw_lease_revoke(server, AW_LOST, "device disconnected: the server is waiting for it");
        server->stop.is_due = false; /* once the device is back */
    }
    return find_device(server);
}

static enum aw_status serve(struct aw_server *server)
{
    struct aw_session *session = server->session;
    for (;;) {
        enum aw_status status = AW_OK;
        aw_server_set_due(server);
        if (server->stop.is_due)
            aw_lease_stop_device(server);
        else
            status = turn(server);
        if (status == AW_STOPPED)
            aw_stop_read_cause(session);
        if (session->motion.stop.signal)
            return AW_STOPPED;
    }
}

/* ---- Start and end ---- */

/* If another device's server has the default address, listens on an address for this device. */
static enum aw_status listen_by_key(struct aw_server *server)
{
    struct aw_session *session = server->session;
    struct aw_address address;
    enum aw_status status = aw_session_open_link(session);
    if (status == AW_OK)
        status = aw_address_of_key(&address, session->tool->name, session->device.link->key,
                                   &session->err);
    return status == AW_OK ? aw_server_listen(server, address.path) : status;
}

static enum aw_status open_all(struct aw_server *server)
{
    struct aw_session *session = server->session;
    const char *listen = session->options.link.listen;
    char *copy = strdup(listen), *save, *part;
    enum aw_status status = copy ? AW_OK : aw_no_memory(&session->err);
    part = status == AW_OK ? strtok_r(copy, ",", &save) : NULL;
    for (; part && status == AW_OK; part = strtok_r(NULL, ",", &save))
        status = aw_server_listen(server, part);
    free(copy);
    if (status == AW_NO_LINK && strcmp(listen, "serve:") == 0 && *server->device.other_device &&
        strcmp(server->device.other_device, server->device.url) != 0)
        status = listen_by_key(server);
    if (status == AW_OK)
        status = aw_session_open_link(session);
    if (status == AW_OK && aw_session_is_virtual(session))
        status = aw_fail(&session->err, AW_USAGE,
                         "serve: time=virtual is not supported — remove it from the URL");
    return status;
}

/* Raises the limit of descriptors, so that a client can always connect to send a stop. */
static enum aw_status make_room(struct aw_server *server)
{
    struct rlimit limit;
    getrlimit(RLIMIT_NOFILE, &limit);
    limit.rlim_cur = limit.rlim_max < MAX_FILES ? limit.rlim_max : MAX_FILES;
    if (setrlimit(RLIMIT_NOFILE, &limit) != 0 || limit.rlim_cur < MIN_FILES)
        return aw_fail(&server->session->err, AW_NO_LINK,
                       "serve: %d file descriptors permitted, %d required — raise ulimit -n",
                       (int)limit.rlim_cur, MIN_FILES);
    unsigned room = (unsigned)limit.rlim_cur - AW_SPARES_MAX - FILES_OWN;
    server->clients.max_peers = room < AW_PEERS_MAX ? room : AW_PEERS_MAX;
    return AW_OK;
}

/* Detaches from the terminal: reads nothing from it, and writes UTF-8 for other programs. */
static void leave_terminal(struct aw_server *server)
{
    struct aw_session *session = server->session;
    int nothing = open("/dev/null", O_RDONLY | O_CLOEXEC);
    if (nothing >= 0)
        dup2(nothing, STDIN_FILENO);
    if (nothing > STDIN_FILENO)
        close(nothing);
    aw_output_flush(&session->out, NULL);
    session->out.charset = AW_CHARSET_UTF8;
    session->mode.one_shot = session->mode.interactive = false;
    aw_background_add(&session->time.real.background, &server->background);
}

/* Informs the holder of the lease before the stop, which may take some time. */
static void come_back(struct aw_server *server)
{
    struct aw_session *session = server->session;
    bool moves = server->lease.moving || aw_session_has_ongoing(session);
    server->is_ending = true;
    aw_lease_revoke(server, AW_LOST, "the server was shut down and stopped all motion");
    if (moves)
        aw_lease_stop_device(server);
    aw_background_remove(&session->time.real.background, &server->background);
    aw_crash_drop();
    aw_watchdog_end(&server->watchdog);
    session->run.reported = session->motion.stop.signal != 0;
}

static enum aw_status serve_all(struct aw_server *server)
{
    struct aw_session *session = server->session;
    const char *url;
    aw_stop_catch_signals(session);
    server->lease.deadman_ns = (int64_t)(aw_number_or(session->options.link.deadman_s, 0.5) * 1e9);
    if (aw_session_get_url(session, &url) == AW_OK)
        snprintf(server->device.url, sizeof server->device.url, "%s", url);
    enum aw_status status = make_room(server);
    if (status == AW_OK)
        status = open_all(server);
    if (status != AW_OK)
        return status;
    leave_terminal(server);
    start_watchdog(server);
    for (size_t i = 0; i < server->clients.n_listeners; i++)
        fprintf(stderr, "ready: serve:%s\n", server->clients.listeners[i].path);
    server->systemd.interval_ns = aw_systemd_watchdog_ns();
    aw_systemd_notify("READY=1");
    status = serve(server);
    aw_systemd_notify("STOPPING=1");
    come_back(server);
    return status;
}

struct aw_serve_options {
    bool release;
};
AW_GIVEN(command, aw_serve_options, aw_serve_given)

static enum aw_status run_serve(struct aw_session *session, const struct aw_args *args)
{
    (void)args;
    enum aw_status status = aw_dry_run_check(session);
    if (status == AW_OK && aw_serve_given(session)->release)
        return aw_share_release_lease(session);
    if (status != AW_OK)
        return status;
    struct aw_server *server = calloc(1, sizeof *server);
    if (!server)
        return aw_no_memory(&session->err);
    server->session = session;
    server->background = (struct aw_background){.serve = aw_server_serve, .due = AW_NEVER};
    server->clients.epoll_fd = server->background.fd = epoll_create1(EPOLL_CLOEXEC);
    session->share.server = server;
    status = serve_all(server);
    aw_server_close(server);
    session->share.server = NULL;
    free(server);
    return status;
}

/* clang-format off */
const struct aw_command aw_serve_command = {
    .name = "serve", .group = AW_GROUP_SET_UP,
    .summary = "open the device and share it with other programs",
    .options = AW_OPTIONS(
        {.name = "listen", AW_AT_ALL(link.listen), .value = "URL,…", .complete = NULL,
         .help = "socket for clients: serve: or unix:PATH", .fallback = "serve:"},
        {.name = "release", AW_AT(aw_serve_options, release),
         .help = "release the lease, so that another program can take over"}),
    .run = run_serve,
    .details = "Any number of programs can read from the device, but only the lease holder can "
        "move it. If the lease holder sends nothing during a motion, the server stops the device. "
        "The tools find the server by themselves, or with -l serve:. From another machine, run the "
        "tool over ssh. armwire-mqtt serves the clients of an MQTT broker. See docs/sharing.md.",
    .lines = AW_LIST("-l sim: serve &")};
/* clang-format on */
