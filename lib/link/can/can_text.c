/* The common code of both ends of slcan: buffers, pending frames and checks. */
#include "link/can/can_text.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const struct aw_can_text_ops *get_ops(const struct aw_can_text *self)
{
    return (const struct aw_can_text_ops *)self->base.ops;
}

/* Adds new losses of the stream to those of the link. The protocol of a client may count other
 * losses, too. */
static void update_dropped(struct aw_can_text *self)
{
    self->base.n_dropped += self->inner->n_dropped - self->inner_dropped;
    self->inner_dropped = self->inner->n_dropped;
}

enum aw_status aw_can_text_read(struct aw_link *link, void *buf, size_t cap, size_t *got,
                                int64_t deadline, struct aw_error *err)
{
    struct aw_can_text *self = (struct aw_can_text *)link;
    uint8_t datagram[AW_CAN_DATAGRAM];
    size_t size = 0;
    enum aw_status status = AW_TIMEOUT;
    *got = 0;
    link->rx.event[0] = '\0';
    while (status == AW_TIMEOUT) {
        if (self->next < self->size) {
            status = get_ops(self)->process_byte(self, self->buf[self->next++], datagram, &size);
            continue;
        }
        self->next = self->size = 0;
        enum aw_status filled =
            aw_link_read(self->inner, self->buf, sizeof self->buf, &self->size, deadline, err);
        if (self->inner->n_connections != link->n_connections) {
            link->n_connections = self->inner->n_connections;
            if (get_ops(self)->connected)
                get_ops(self)->connected(self);
        }
        if (filled != AW_OK)
            return filled;
    }
    if (status == AW_OK) {
        *got = size < cap ? size : cap;
        memcpy(buf, datagram, *got);
    }
    return status;
}

void aw_can_text_close(struct aw_link *link)
{
    struct aw_can_text *self = (struct aw_can_text *)link;
    aw_link_close(self->inner);
    free(self);
}

int aw_can_text_fd(const struct aw_link *link)
{
    return aw_link_fd(((const struct aw_can_text *)link)->inner);
}

enum aw_status aw_can_text_write(struct aw_can_text *self, const char *text, struct aw_error *err)
{
    enum aw_status status = aw_link_write(self->inner, text, strlen(text), err);
    update_dropped(self);
    return status;
}

enum aw_status aw_can_text_send(struct aw_link *link, const void *buf, size_t size,
                                struct aw_error *err)
{
    struct aw_can_text *self = (struct aw_can_text *)link;
    char text[AW_CAN_TEXT];
    enum aw_status status = aw_can_check_frame(link, buf, size, err);
    if (status != AW_OK)
        return status;
    get_ops(self)->print(buf, size, text);
    return aw_can_text_write(self, text, err);
}

bool aw_can_text_raw(const struct aw_link *link, const void *buf, size_t size,
                     struct aw_link_raw *raw)
{
    const struct aw_can_text *self = (const struct aw_can_text *)link;
    char text[AW_CAN_TEXT + 1] = "";
    if (aw_can_check_frame(link, buf, size, NULL) != AW_OK)
        return false;
    text[0] = get_ops(self)->terminator;
    get_ops(self)->print(buf, size, text + (*text != '\0'));
    return aw_link_raw(self->inner, text, strlen(text), raw);
}

enum aw_status aw_can_check_frame(const struct aw_link *link, const void *buf, size_t size,
                                  struct aw_error *err)
{
    const struct aw_span frame = {buf, size};
    size_t head = aw_can_head_size(frame);
    bool ok = head && size - head <= AW_CAN_DATA_MAX;
    if (ok) {
        uint8_t copy[AW_CAN_HEAD_MAX];
        ok = aw_can_put_id(copy, aw_can_id_of(frame.data)) == head &&
             memcmp(copy, frame.data, head) == 0 && (head == 4 || frame.data[1] <= 7);
    }
    if (!ok)
        return aw_fail(
            err, AW_USAGE,
            "%s: not a classic CAN frame — give an identifier of 11 or 29 bits and up to 8 bytes",
            link->key);
    return AW_OK;
}

enum aw_status aw_can_text_open(struct aw_can_text **out, size_t size,
                                const struct aw_can_text_ops *ops, const char *prefix,
                                const char *url, const struct aw_link_options *options,
                                struct aw_error *err)
{
    const struct aw_link_options inner_options = {.clock = options->clock};
    struct aw_link *inner;
    enum aw_status status = options->open(&inner, url, &inner_options, err);
    if (status != AW_OK)
        return status;
    struct aw_can_text *self = inner->datagrams ? NULL : calloc(1, size);
    if (!self) {
        status =
            inner->datagrams
                ? aw_fail(err, AW_USAGE,
                          "%s%.90s: not a stream — use a serial port, pty: or tcp:", prefix, url)
                : aw_no_memory(err);
        aw_link_close(inner);
        return status;
    }
    self->base = (struct aw_link){.ops = &ops->link,
                                  .clock = inner_options.clock,
                                  .datagrams = true,
                                  .n_connections = inner->n_connections};
    snprintf(self->base.key, sizeof self->base.key, "%s%.110s", prefix, inner->key);
    if (*inner->client_url)
        snprintf(self->base.client_url, sizeof self->base.client_url, "%s%.140s", prefix,
                 inner->client_url);
    self->inner = inner;
    *out = self;
    return AW_OK;
}
