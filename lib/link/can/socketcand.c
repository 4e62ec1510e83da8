/* A CAN bus of another machine, by the text protocol of socketcand. */
#include <stdio.h>
#include <string.h>

#include "link/can/can_error.h"
#include "link/can/can_text.h"
#include "link/can/socketcand.h"
#include "link/can/socketcand_codec.h"
#include "link/can/transports.h"

#define GREETING_TIMEOUT (2 * AW_SECOND)
#define BUS_MAX          32

struct client {
    struct aw_can_text text;
    struct aw_socketcand_reader reader;
};

static void report_error(struct client *self)
{
    const struct aw_socketcand_reader *reader = &self->reader;
    struct aw_link *base = &self->text.base;
    static const uint8_t nothing[8];
    uint32_t classes;
    size_t used = 0;
    if (aw_socketcand_error(reader, &classes)) {
        aw_can_error_words(classes, nothing, base->event, sizeof base->event);
        return;
    }
    for (size_t i = 0; i < reader->n && used < sizeof base->event; i++)
        used += (size_t)snprintf(base->event + used, sizeof base->event - used, "%s%s",
                                 i > 0 ? " " : "socketcand: ", reader->word[i]);
}

static enum aw_status take(struct aw_can_text *text, uint8_t byte, uint8_t *datagram, size_t *size)
{
    struct client *self = (struct client *)text;
    if (!aw_socketcand_read(&self->reader, byte))
        return AW_TIMEOUT;
    if (aw_socketcand_frame(&self->reader, datagram, size, &text->base.rx_time_ns))
        return AW_OK;
    if (strcmp(self->reader.word[0], "error") != 0)
        return AW_TIMEOUT;
    report_error(self);
    return AW_EVENT;
}

static const struct aw_can_text_ops client_ops = {
    .link = {.read = aw_can_text_read,
             .write = aw_can_text_send,
             .close = aw_can_text_close,
             .fd = aw_can_text_fd,
             .raw = aw_can_text_raw},
    .take = take,
    .print = aw_socketcand_print_send,
};

/* Waits for the next message. */
static enum aw_status await_message(struct client *self, struct aw_error *err)
{
    struct aw_can_text *text = &self->text;
    enum aw_status status = AW_OK;
    int64_t deadline = aw_clock_now(text->base.clock) + GREETING_TIMEOUT;
    while (status == AW_OK) {
        while (text->next < text->size)
            if (aw_socketcand_read(&self->reader, text->buf[text->next++]))
                return AW_OK;
        text->next = text->size = 0;
        status = aw_link_read(text->inner, text->buf, sizeof text->buf, &text->size, deadline, err);
    }
    return status;
}

/* Says something (NULL: nothing) and waits for this answer. */
static enum aw_status expect(struct client *self, const char *say, const char *answer,
                             struct aw_error *err)
{
    const char *key = self->text.base.key;
    enum aw_status status = say ? aw_can_text_write(&self->text, say, err) : AW_OK;
    if (status == AW_OK)
        status = await_message(self, err);
    if (status == AW_STOPPED)
        return aw_fail(err, status, "%s: stopped while connecting", key);
    if (status != AW_OK)
        return aw_fail(err, AW_NO_LINK,
                       "%s: %s — is it socketcand that listens there, and free for us?", key,
                       status == AW_TIMEOUT ? "no answer" : "closed the connection");
    if (strcmp(self->reader.word[0], answer) == 0)
        return AW_OK;
    report_error(self);
    return aw_fail(err, AW_NO_LINK, "%s: '%s' — ask for a bus that it has, and check the port", key,
                   self->text.base.event);
}

static enum aw_status open_bus(struct client *self, const char *bus, struct aw_error *err)
{
    char open[BUS_MAX + 16];
    snprintf(open, sizeof open, "< open %s >", bus);
    enum aw_status status = expect(self, NULL, "hi", err);
    if (status == AW_OK)
        status = expect(self, open, "ok", err);
    if (status == AW_OK)
        status = expect(self, "< rawmode >", "ok", err);
    return status;
}

static enum aw_status split_bus(const char *rest, char *stream, size_t size, char *bus,
                                struct aw_error *err)
{
    const char *slash = strchr(rest, '/');
    size_t used = slash ? (size_t)(slash - rest) : strlen(rest);
    const char *name = slash && slash[1] ? slash + 1 : "can0";
    if (strlen(name) >= BUS_MAX || strpbrk(name, " <>/"))
        return aw_fail(err, AW_USAGE, "socketcand: '%.60s': not the name of a bus — as can0", name);
    snprintf(bus, BUS_MAX, "%s", name);
    snprintf(stream, size, "%.*s", (int)used, rest);
    return AW_OK;
}

enum aw_status aw_socketcand_open(struct aw_link **out, const struct aw_url *url,
                                  const struct aw_link_options *options, struct aw_error *err)
{
    char stream[320] = "tcp:", bus[BUS_MAX];
    struct aw_can_text *text;
    enum aw_status status = split_bus(url->rest, stream + 4, sizeof stream - 4, bus, err);
    if (status == AW_OK)
        status = aw_can_text_open(&text, sizeof(struct client), &client_ops, "socketcand:", stream,
                                  options, err);
    if (status != AW_OK)
        return status;
    snprintf(text->base.key, sizeof text->base.key, "socketcand:%.80s/%s", text->inner->key + 4,
             bus);
    status = open_bus((struct client *)text, bus, err);
    if (status != AW_OK) {
        aw_can_text_close(&text->base);
        return status;
    }
    *out = &text->base;
    return AW_OK;
}

enum aw_status aw_socketcand_listen_open(struct aw_link **out, const struct aw_url *url,
                                         const struct aw_link_options *options,
                                         struct aw_error *err)
{
    char stream[320] = "tcp-listen:", bus[BUS_MAX];
    enum aw_status status = split_bus(url->rest, stream + 11, sizeof stream - 11, bus, err);
    return status == AW_OK ? aw_socketcand_server(out, stream, bus, options, err) : status;
}
