/* The way to a server: a socket, and what is said first on it. */
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "shell/share/attached.h"
#include "shell/share/server.h"

#define HELLO_NS (3 * AW_SECOND)
#define LOOK_NS  AW_SECOND

static enum aw_status open_socket(struct aw_session *session, const struct aw_address *address,
                                  struct aw_conn *conn)
{
    struct aw_error *err = &session->err;
    int fd =
        address->fd ? fcntl(address->fd, F_DUPFD_CLOEXEC, 0) : aw_address_connect(address, err);
    if (fd >= 0)
        fcntl(fd, F_SETFL, O_NONBLOCK);
    aw_conn_init(conn, fd, AW_LINE_LIMIT);
    return fd >= 0 ? AW_OK : err->status;
}

enum aw_status aw_way_open(struct aw_session *session, const struct aw_address *address,
                           struct aw_conn *conn, json_t **hello)
{
    struct aw_clock *clock = &session->time.real.base;
    enum aw_status status = open_socket(session, address, conn);
    int64_t deadline = aw_clock_now(clock) + HELLO_NS;
    *hello = NULL;
    return status == AW_OK ? aw_conn_hello(conn, clock, deadline, hello) : status;
}

bool aw_way_look(struct aw_session *session, const struct aw_address *address, struct aw_who *who,
                 json_t **hello)
{
    struct aw_clock *clock = &session->time.real.base;
    struct aw_conn conn;
    int fd = aw_address_connect(address, NULL);
    if (fd < 0)
        return false;
    aw_who_local(who, fd, NULL);
    aw_conn_init(&conn, fd, AW_LINE_LIMIT);
    aw_conn_hello(&conn, clock, aw_clock_now(clock) + LOOK_NS, hello);
    aw_conn_free(&conn);
    return true;
}

enum aw_status aw_way_refused(const struct aw_address *address, const json_t *hello,
                              struct aw_error *err)
{
    const char *why = json_string_value(json_object_get(hello, "why"));
    bool wrong = json_integer_value(json_object_get(hello, "exit")) == AW_USAGE;
    return aw_fail(err, wrong ? AW_USAGE : AW_NO_LINK, "%s: %.300s", address->text,
                   why ? why : "what listens there is no server of ours");
}

/* "serve:hidmotor" is the usual server of that tool, unless a file has this name. */
enum aw_status aw_way_serves(struct aw_session *session, const char *url, char *tool, char *place)
{
    struct aw_error *err = &session->err;
    struct aw_address address;
    struct aw_conn conn = {.fd = -1};
    json_t *hello = NULL;
    const char *rest = url + strlen("serve:");
    bool named = *rest && !strpbrk(rest, "/:?.") && access(rest, F_OK) != 0;
    enum aw_status status = aw_address_of_server(&address, named ? rest : session->tool->name,
                                                 named ? "serve:" : url, err);
    if (status == AW_OK)
        status = aw_way_open(session, &address, &conn, &hello);
    const char *name = json_string_value(json_object_get(hello, "serve"));
    if (status == AW_OK && !name)
        status = aw_way_refused(&address, hello, err);
    if (status == AW_OK) {
        snprintf(tool, 24, "%s", name);
        snprintf(place, sizeof address.text, "%s", address.text);
    }
    json_decref(hello);
    aw_conn_free(&conn);
    return status;
}
