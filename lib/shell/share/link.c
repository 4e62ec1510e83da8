/* The link of a device that a server has: what passes there comes as it comes, and what is written
 * goes out there once the server has said so. */
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "shell/core/stop.h"
#include "shell/core/tee.h"
#include "shell/share/attached.h"
#include "shell/share/bytes.h"

#define PASSED_MAX  4096 /* that wait to be read */
#define FRESH_SHARE 0.9  /* of the time between two questions an answer is fresh */

struct serve_link {
    struct aw_link base;
    struct aw_attached *attached;
};

static struct aw_attached *of(const struct aw_link *link)
{
    return ((const struct serve_link *)link)->attached;
}

static struct aw_virtual_clock *clock_of(const struct aw_attached *attached)
{
    return attached->virtual ? &attached->session->time.virtual : NULL;
}

/* ---- What comes --------------------------------------------------------------------------------
 */

static void pop(struct aw_attached *attached)
{
    struct aw_passed *first = attached->first;
    attached->first = first->next;
    if (!attached->first)
        attached->last = NULL;
    attached->n--;
    free(first);
}

void aw_attached_flush(struct aw_attached *attached)
{
    while (attached->first)
        pop(attached);
}

static struct aw_passed *read_passed(const json_t *object, bool own)
{
    const json_t *text = json_object_get(object, own ? "tx" : "rx");
    size_t length = json_string_length(text);
    struct aw_passed *passed = json_is_string(text) ? malloc(sizeof *passed + length / 2) : NULL;
    if (!passed)
        return NULL;
    *passed = (struct aw_passed){.time_ns = json_integer_value(json_object_get(object, "ns")),
                                 .at_ns = json_integer_value(json_object_get(object, "at"))};
    if (aw_bytes_read(text, passed->bytes, length / 2, &passed->size))
        return passed;
    free(passed);
    return NULL;
}

/* What others send is for recordings; on a bus all is seen by all. */
void aw_attached_pass(struct aw_attached *attached, const json_t *object)
{
    struct aw_session *session = attached->session;
    json_int_t lost = json_integer_value(json_object_get(object, "lost"));
    bool own = json_object_get(object, "tx") != NULL;
    struct aw_passed *passed = attached->link ? read_passed(object, own) : NULL;
    if (attached->link)
        attached->link->dropped += lost > 0 ? (uint64_t)lost : 0;
    if (passed && own && !session->tool->protocol->can) {
        struct aw_span bytes = {passed->bytes, passed->size};
        if (session->device.tee && !aw_tee_add(session->device.tee, AW_TX, passed->time_ns, bytes,
                                               &session->device.tee_lost))
            aw_stop_ask(session);
        free(passed);
        return;
    }
    if (!passed)
        return;
    if (attached->n == PASSED_MAX) {
        attached->link->dropped++;
        pop(attached);
    }
    *(attached->last ? &attached->last->next : &attached->first) = passed;
    attached->last = passed;
    attached->n++;
}

/* Until this is so, or the deadline. */
static enum aw_status wait_for(struct aw_attached *attached, const int64_t *let_pass,
                               int64_t deadline)
{
    struct aw_clock *clock = &attached->session->time.real.base;
    enum aw_status status = AW_OK;
    attached->aside.fd = -1;
    while (!attached->first && !attached->over && status == AW_OK &&
           (!let_pass || *let_pass == INT64_MIN)) {
        status = aw_clock_wait(clock, attached->conn.fd, POLLIN, deadline);
        if (status == AW_OK)
            aw_attached_take(attached);
    }
    attached->aside.fd = attached->over ? -1 : attached->conn.fd;
    return status == AW_OK && !attached->first && !attached->over ? AW_TIMEOUT : status;
}

/* Something has passed; where the simulator waits for nobody the server lets time pass until then.
 */
static enum aw_status await_passed(struct aw_attached *attached, int64_t deadline)
{
    struct aw_virtual_clock *virtual = clock_of(attached);
    if (!virtual || attached->first)
        return wait_for(attached, NULL, deadline);
    int64_t until = deadline > virtual->time_ns ? deadline : virtual->time_ns;
    until = aw_sooner(until, AW_NEVER - 1); /* it waits, however long */
    attached->now_ns = INT64_MIN;
    aw_attached_send(attached, json_pack("{s:I}", "until", (json_int_t)until));
    enum aw_status status = wait_for(attached, &attached->now_ns, AW_NEVER);
    if (!attached->first && attached->now_ns > virtual->time_ns)
        virtual->time_ns = attached->now_ns;
    return status;
}

static enum aw_status serve_read(struct aw_link *link, void *buf, size_t cap, size_t *got,
                                 int64_t deadline, struct aw_error *err)
{
    struct aw_attached *attached = of(link);
    struct aw_virtual_clock *virtual = clock_of(attached);
    *got = 0;
    enum aw_status status = await_passed(attached, deadline);
    if (!attached->first && attached->over)
        return aw_attached_fail(attached, err);
    if (status != AW_OK)
        return status;
    struct aw_passed *passed = attached->first;
    size_t left = passed->size - passed->taken;
    *got = left < cap ? left : cap;
    memcpy(buf, passed->bytes + passed->taken, *got);
    passed->taken += *got;
    link->rx_time_ns = passed->time_ns;
    if (virtual && passed->at_ns > virtual->time_ns)
        virtual->time_ns = passed->at_ns;
    if (link->datagrams || passed->taken == passed->size)
        pop(attached);
    return AW_OK;
}

/* ---- What goes ---------------------------------------------------------------------------------
 */

static bool only_reads(const struct aw_session *session, struct aw_span frame)
{
    struct aw_record record;
    struct aw_error ignored;
    return aw_wire_decode(session->wire, AW_TX, frame, &record, &ignored) == AW_OK &&
           record.codec->message->reads;
}

static json_t *make_frame(struct aw_attached *attached, const char *key, struct aw_span frame)
{
    json_t *object = json_pack("{s:o}", key, aw_bytes_json(frame));
    if (object && attached->virtual)
        json_object_set_new(object, "at",
                            json_integer(aw_clock_now(&attached->session->time.virtual.base)));
    return object;
}

/* Of who looks on at a rate an answer counts that somebody else has had a moment ago. */
static enum aw_status ask(struct aw_attached *attached, struct aw_span frame)
{
    const struct aw_session *session = attached->session;
    json_t *object = make_frame(attached, "ask", frame);
    bool looks =
        session->run.command && session->run.command->safety == AW_READ && !session->mode.one_shot;
    double hz = aw_options_find((struct aw_options *)&session->options, "rate")
                    ? aw_option_number(session, "rate")
                    : 0;
    if (object && (looks || hz > 0) && hz > 0)
        json_object_set_new(object, "younger_ns",
                            json_integer((json_int_t)(FRESH_SHARE * 1e9 / hz)));
    aw_attached_send(attached, object);
    return AW_OK;
}

static enum aw_status serve_write(struct aw_link *link, const void *buf, size_t size,
                                  struct aw_error *err)
{
    struct aw_attached *attached = of(link);
    struct aw_session *session = attached->session;
    struct aw_span frame = {buf, size};
    enum aw_status status = AW_OK;
    if (attached->over)
        return aw_attached_fail(attached, err);
    if (only_reads(session, frame))
        return ask(attached, frame);
    if (!attached->lease && session->tool->share.keeps &&
        session->tool->share.keeps(session, frame))
        return AW_OK;
    if (attached->revoked)
        return aw_fail(err, attached->revoked_as, "%s", attached->reason);
    if (!attached->lease)
        status = aw_attached_want(attached, err);
    json_t *object = status == AW_OK ? make_frame(attached, "tx", frame) : NULL;
    if (!object)
        return status == AW_OK ? aw_no_memory(err) : status;
    json_object_set_new(object, "n", json_integer(++attached->frames));
    json_object_set_new(object, "lease", json_integer(attached->lease));
    json_object_set_new(object, "memory", aw_memory_json(session));
    attached->waits = true;
    aw_attached_send(attached, object);
    status = aw_attached_await(attached, err);
    return attached->revoked && status != AW_LOST
               ? aw_fail(err, attached->revoked_as, "%s", attached->reason)
               : status;
}

static void serve_close(struct aw_link *link)
{
    struct aw_attached *attached = of(link);
    aw_attached_flush(attached);
    attached->link = NULL;
    attached->session->clock = &attached->session->time.real.base;
    free(link);
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
    struct serve_link *self = calloc(1, sizeof *self);
    if (!self)
        return aw_no_memory(&session->err);
    if (attached->virtual) {
        session->clock = &session->time.virtual.base;
        if (attached->at_ns > session->time.virtual.time_ns)
            session->time.virtual.time_ns = attached->at_ns;
    }
    self->base = (struct aw_link){.ops = &serve_ops,
                                  .clock = session->clock,
                                  .datagrams = attached->datagrams,
                                  .simulated = strncmp(attached->device, "sim:", 4) == 0};
    snprintf(self->base.key, sizeof self->base.key, "%s", attached->key);
    self->attached = attached;
    attached->link = *link = &self->base;
    aw_attached_send(attached, json_pack("{s:b}", "link", true));
    return AW_OK;
}
