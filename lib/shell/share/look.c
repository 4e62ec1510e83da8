/* A link that brings what passes the link of a server, as it comes, and takes nothing. */
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/hex.h"
#include "shell/core/share.h"
#include "shell/core/stop.h"
#include "shell/core/tee.h"
#include "shell/share/attached.h"

#define CHUNKS_MAX 4096 /* that wait to be read */

struct chunk {
    struct chunk *next;
    int64_t time_ns;
    bool own; /* sent by the server's side */
    size_t size, taken;
    uint8_t bytes[];
};

struct look_link {
    struct aw_link base;
    struct aw_attached *attached;
    struct chunk *first, *last;
    unsigned n;
    /* The clock of a simulator that does not wait: what comes says what time it is there. */
    struct aw_virtual_clock *model; /* NULL: it is any other device */
    bool begun;
    int64_t ahead_ns; /* its clock, of ours */
};

static void pop(struct look_link *self)
{
    struct chunk *first = self->first;
    self->first = first->next;
    if (!self->first)
        self->last = NULL;
    self->n--;
    free(first);
}

static enum aw_status await_chunk(struct look_link *self, int64_t deadline)
{
    struct aw_attached *attached = self->attached;
    struct aw_clock *clock = &attached->session->real_clock.base;
    bool past = self->model && deadline <= self->model->time_ns;
    enum aw_status status = AW_OK;
    if (self->model)
        deadline = past ? aw_clock_now(clock) : AW_NEVER;
    attached->aside.fd = -1;
    while (!self->first && !attached->over && status == AW_OK) {
        status = aw_clock_wait(clock, attached->conn.fd, POLLIN, deadline);
        if (status == AW_OK)
            aw_attached_take(attached);
    }
    attached->aside.fd = attached->over ? -1 : attached->conn.fd;
    return self->first ? AW_OK : status;
}

/* False: the deadline comes before what has come. */
static bool go_on(struct look_link *self, int64_t deadline)
{
    struct aw_virtual_clock *model = self->model;
    if (!self->begun)
        self->ahead_ns = self->first->time_ns - model->time_ns;
    self->begun = true;
    int64_t time_ns = self->first->time_ns - self->ahead_ns;
    bool before = time_ns <= deadline;
    if (!before)
        time_ns = deadline;
    model->time_ns = time_ns > model->time_ns ? time_ns : model->time_ns;
    return before;
}

static enum aw_status look_read(struct aw_link *link, void *buf, size_t cap, size_t *got,
                                int64_t deadline, struct aw_error *err)
{
    struct look_link *self = (struct look_link *)link;
    struct aw_attached *attached = self->attached;
    *got = 0;
    enum aw_status status = await_chunk(self, deadline);
    if (status != AW_OK)
        return status;
    if (self->first && self->model && !go_on(self, deadline))
        return AW_TIMEOUT;
    if (!self->first)
        return aw_fail(err, AW_LOST, "%s: %s", attached->address.text,
                       *attached->lost ? attached->lost : "the server is gone");
    struct chunk *chunk = self->first;
    size_t left = chunk->size - chunk->taken;
    *got = left < cap ? left : cap;
    memcpy(buf, chunk->bytes + chunk->taken, *got);
    chunk->taken += *got;
    link->rx_time_ns = chunk->time_ns;
    link->own = chunk->own;
    if (link->datagrams || chunk->taken == chunk->size)
        pop(self);
    return AW_OK;
}

static enum aw_status look_write(struct aw_link *link, const void *buf, size_t size,
                                 struct aw_error *err)
{
    struct aw_attached *attached = ((struct look_link *)link)->attached;
    (void)err;
    if (attached->ask)
        attached->ask(attached, (struct aw_span){buf, size});
    return AW_OK;
}

static void look_close(struct aw_link *link)
{
    struct look_link *self = (struct look_link *)link;
    while (self->first)
        pop(self);
    self->attached->looking = NULL;
    self->attached->session->clock = &self->attached->session->real_clock.base;
    aw_attached_send(self->attached, json_pack("{s:b}", "unwatch", true));
    free(self);
}

static int look_fd(const struct aw_link *link)
{
    return ((const struct look_link *)link)->attached->conn.fd;
}

static const struct aw_link_ops look_ops = {
    .read = look_read,
    .write = look_write,
    .close = look_close,
    .fd = look_fd,
};

struct aw_link *aw_look_new(struct aw_session *session, struct aw_attached *attached)
{
    struct look_link *self = calloc(1, sizeof *self);
    if (!self)
        return NULL;
    self->base = (struct aw_link){.ops = &look_ops,
                                  .clock = session->clock,
                                  .datagrams = attached->datagrams,
                                  .connections = 1};
    snprintf(self->base.key, sizeof self->base.key, "serve:%.100s", attached->device);
    self->attached = attached;
    attached->looking = &self->base;
    return &self->base;
}

enum aw_status aw_look_open(struct aw_session *session, struct aw_link **link)
{
    struct aw_attached *attached = session->attached;
    *link = aw_look_new(session, attached);
    if (!*link)
        return aw_no_memory(&session->err);
    if (strncmp(attached->device, "sim:", 4) == 0 && strstr(attached->device, "time=virtual")) {
        ((struct look_link *)*link)->model = &session->virtual_clock;
        (*link)->clock = session->clock = &session->virtual_clock.base;
    }
    double rate =
        aw_options_find(&session->options, "rate") ? aw_option_number(session, "rate") : 0;
    json_t *wanted = json_pack("{s:b}", "frames", true);
    if (rate > 0)
        json_object_set_new(wanted, "rate", json_real(rate));
    aw_attached_send(attached, wanted);
    return AW_OK;
}

static struct chunk *read_chunk(const char *hex, size_t length)
{
    struct chunk *chunk = malloc(sizeof *chunk + length / 2);
    if (!chunk)
        return NULL;
    *chunk = (struct chunk){.size = length / 2};
    if (aw_hex_read(hex, length, chunk->bytes))
        return chunk;
    free(chunk);
    return NULL;
}

/* What went to the device is for recordings, and so is what came while a command ran elsewhere; on
 * a bus all is seen by all. */
static void keep(struct aw_attached *attached, struct chunk *chunk)
{
    struct look_link *self = (struct look_link *)attached->looking;
    struct aw_session *session = attached->session;
    struct aw_span bytes = {chunk->bytes, chunk->size};
    bool shown = self && chunk->size && (!chunk->own || session->tool->protocol->can);
    if (!shown && session->tee &&
        !aw_tee_add(session->tee, chunk->own ? AW_TX : AW_RX, chunk->time_ns, bytes,
                    &session->lost))
        aw_stop_ask(session);
    if (shown && self->n == CHUNKS_MAX)
        self->base.dropped++;
    if (!shown || self->n == CHUNKS_MAX) {
        free(chunk);
        return;
    }
    *(self->last ? &self->last->next : &self->first) = chunk;
    self->last = chunk;
    self->n++;
}

void aw_look_take(struct aw_attached *attached, const json_t *object)
{
    const json_t *rx = json_object_get(object, "rx"), *tx = json_object_get(object, "tx");
    const json_t *bytes = rx ? rx : tx;
    json_int_t lost = json_integer_value(json_object_get(object, "lost"));
    if (attached->looking)
        attached->looking->dropped += lost > 0 ? (uint64_t)lost : 0;
    struct chunk *chunk = json_is_string(bytes)
                              ? read_chunk(json_string_value(bytes), json_string_length(bytes))
                              : NULL;
    if (!chunk)
        return;
    chunk->own = !rx;
    chunk->time_ns = json_integer_value(json_object_get(object, "ns"));
    keep(attached, chunk);
}
