/* The link of a client to a server's device. A read returns bytes that pass over the server's link.
 * A write returns once the server has sent the frame; for a frame that only reads, at once. */
#include <poll.h>
#include <stdio.h>
#include <string.h>

#include "shell/safety/stop.h"
#include "shell/safety/tee.h"
#include "shell/serve/client.h"

#define PASSED_MAX  (1 << 20) /* max bytes of unread messages */
#define FRESH_SHARE 0.9       /* an answer counts as fresh for this share of the query interval */

static struct aw_attached *of(const struct aw_link *link)
{
    return (struct aw_attached *)((char *)link - offsetof(struct aw_attached, link));
}

/* ---- Receiving ---- */

static void pop(struct aw_attached *attached)
{
    aw_buffer_pop(&attached->received);
    attached->n_read = 0;
}

void aw_attached_flush(struct aw_attached *attached)
{
    aw_buffer_clear(&attached->received);
    attached->n_read = 0;
}

void aw_attached_receive(struct aw_attached *attached, const struct aw_serve_message *m)
{
    struct aw_session *session = attached->session;
    struct aw_span bytes = m->body;
    if (!attached->is_open || !bytes.size)
        return;
    if (m->flag && !session->tool->protocol->frames.is_can) {
        if (session->device.tee &&
            !aw_tee_add(session->device.tee, AW_TX, m->ns, bytes, &session->device.tee_error))
            aw_stop_request(session);
        return;
    }
    if (attached->received.end - attached->received.start > PASSED_MAX) {
        attached->link.n_dropped++;
        pop(attached);
    }
    aw_buffer_add(&attached->received, m);
}

/* Waits until bytes arrive, the connection ends, or the deadline. */
static enum aw_status await_passed(struct aw_attached *attached, int64_t deadline)
{
    struct aw_clock *clock = &attached->session->time.real.base;
    enum aw_status status = AW_OK;
    attached->background.fd = -1;
    while (!attached->received.bytes && !attached->is_closed && status == AW_OK) {
        status = aw_clock_wait(clock, attached->conn.fd, POLLIN, deadline);
        if (status == AW_OK)
            aw_attached_handle(attached);
    }
    attached->background.fd = attached->is_closed ? -1 : attached->conn.fd;
    return status;
}

static enum aw_status serve_read(struct aw_link *link, void *buf, size_t cap, size_t *got,
                                 int64_t deadline, struct aw_error *err)
{
    struct aw_attached *attached = of(link);
    *got = 0;
    enum aw_status status = await_passed(attached, deadline);
    if (!attached->received.bytes && attached->is_closed)
        return aw_attached_fail(attached, err);
    if (status != AW_OK)
        return status;
    struct aw_serve_message m;
    aw_buffer_read_first(&attached->received, &m);
    size_t left = m.body.size - attached->n_read;
    *got = left < cap ? left : cap;
    memcpy(buf, m.body.data + attached->n_read, *got);
    attached->n_read += *got;
    link->rx.time_ns = m.ns;
    if (link->datagrams || *got == left)
        pop(attached);
    return AW_OK;
}

/* ---- Sending ---- */

static bool only_reads(const struct aw_session *session, struct aw_span frame)
{
    struct aw_record record;
    struct aw_error ignored;
    return aw_wire_decode(session->wire, AW_TX, frame, &record, &ignored) == AW_OK &&
           record.codec->message->reads;
}

/* Asks a question without waiting for the answer. With --rate, accepts an answer that another
 * program has just received. */
static enum aw_status ask(struct aw_attached *attached, struct aw_span frame)
{
    const struct aw_session *session = attached->session;
    double hz = session->options.move.rate;
    int64_t younger_ns = hz > 0 ? (int64_t)(FRESH_SHARE * 1e9 / hz) : 0;
    aw_attached_send(attached,
                     &(struct aw_serve_message){.type = AW_ASK, .ns = younger_ns, .body = frame});
    return AW_OK;
}

static enum aw_status serve_write(struct aw_link *link, const void *buf, size_t size,
                                  struct aw_error *err)
{
    struct aw_attached *attached = of(link);
    struct aw_session *session = attached->session;
    struct aw_span frame = {buf, size};
    enum aw_status status = AW_OK;
    if (attached->is_closed)
        return aw_attached_fail(attached, err);
    if (only_reads(session, frame))
        return ask(attached, frame);
    if (!attached->lease.number && session->tool->share.get_role &&
        session->tool->share.get_role(session, frame) == AW_FRAME_KEEPALIVE)
        return AW_OK;
    if (attached->lease.revocation.status)
        return aw_fail(err, attached->lease.revocation.status, "%s",
                       attached->lease.revocation.text);
    if (!attached->lease.number)
        status = aw_attached_request_lease(attached, err);
    if (status != AW_OK)
        return status;
    uint8_t memory[AW_MEMORY_MAX];
    attached->lease.awaits_reply = true;
    aw_attached_send(attached, &(struct aw_serve_message){.type = AW_FRAME,
                                                          .lease = attached->lease.number,
                                                          .number = ++attached->frame_number,
                                                          .memory = aw_memory_save(session, memory),
                                                          .body = frame});
    status = aw_attached_await_reply(attached, err);
    return attached->lease.revocation.status && status != AW_LOST
               ? aw_fail(err, attached->lease.revocation.status, "%s",
                         attached->lease.revocation.text)
               : status;
}

static void serve_close(struct aw_link *link)
{
    struct aw_attached *attached = of(link);
    aw_attached_flush(attached);
    attached->is_open = false;
}

static int serve_fd(const struct aw_link *link)
{
    return of(link)->conn.fd;
}

static const struct aw_link_ops serve_ops = {
    .read = serve_read,
    .write = serve_write,
    .close = serve_close,
    .fd = serve_fd,
};

enum aw_status aw_attached_open(struct aw_session *session, struct aw_link **link)
{
    struct aw_attached *attached = session->share.attached;
    const struct aw_hello *hello = &attached->hello;
    bool simulated = strncmp(hello->url, "sim:", 4) == 0;
    attached->link = (struct aw_link){.ops = &serve_ops,
                                      .clock = session->clock,
                                      .datagrams = hello->datagrams,
                                      .is_simulated = simulated};
    snprintf(attached->link.key, sizeof attached->link.key, simulated ? "serve:%.100s" : "%.127s",
             simulated ? hello->url : hello->key);
    attached->is_open = true;
    *link = &attached->link;
    aw_attached_send(attached, &(struct aw_serve_message){.type = AW_LINK});
    return AW_OK;
}
