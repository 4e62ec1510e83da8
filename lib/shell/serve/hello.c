/* The first message of a server, as its clients read it. */
#include "shell/serve/hello.h"

#include <poll.h>
#include <string.h>

#define LOOK_NS AW_SECOND

static void read_hello(struct aw_reader *r, struct aw_hello *hello)
{
    aw_get_text(r, hello->version, sizeof hello->version);
    aw_get_text(r, hello->tool, sizeof hello->tool);
    aw_get_text(r, hello->url, sizeof hello->url);
    aw_get_text(r, hello->key, sizeof hello->key);
    hello->pid = (int)aw_get_int(r, 4);
    hello->datagrams = aw_get_int(r, 1);
    hello->deadman_ns = aw_get_int(r, 8);
    hello->packets = (uint32_t)aw_get_int(r, 4);
    aw_commander_get(r, &hello->commander);
    struct aw_span memory = aw_get_bytes(r);
    hello->memory_size = memory.size <= sizeof hello->memory ? memory.size : 0;
    if (hello->memory_size)
        memcpy(hello->memory, memory.data, memory.size);
}

enum aw_status aw_hello_await(struct aw_conn *conn, struct aw_clock *clock, int64_t deadline,
                              struct aw_hello *hello)
{
    struct aw_reader reader;
    enum aw_verb type;
    enum aw_status status = AW_OK;
    *hello = (struct aw_hello){.tool = ""};
    while (!(type = aw_conn_next(conn, &reader)) && !conn->wrong &&
           (status = aw_clock_wait(clock, conn->fd, POLLIN, deadline)) == AW_OK &&
           aw_conn_fill(conn))
        ;
    if (type == AW_HELLO)
        read_hello(&reader, hello);
    return status == AW_STOPPED ? status : AW_OK;
}

bool aw_hello_look(struct aw_session *session, const struct aw_address *address, struct aw_who *who,
                   struct aw_hello *hello)
{
    struct aw_clock *clock = &session->time.real.base;
    struct aw_conn conn;
    int fd = aw_address_connect(address, NULL);
    if (fd < 0)
        return false;
    aw_who_local(who, fd, NULL);
    aw_conn_init(&conn, fd);
    aw_hello_await(&conn, clock, aw_clock_now(clock) + LOOK_NS, hello);
    aw_conn_free(&conn);
    return true;
}
