/* The part of socketcand that raw clients need, with this program as the bus behind it. */
#include <stdio.h>
#include <string.h>

#include "link/can/can_text.h"
#include "link/can/socketcand.h"
#include "link/can/socketcand_codec.h"

/* Some clients (python-can) take what they read next for the answer to "rawmode" and give up if a
 * frame came with it. */
#define SILENCE (20 * AW_MILLISECOND)

enum state { GREETED = 1, OPEN = 2, RAW = 4 };

struct server {
    struct aw_can_text text;
    struct aw_socketcand_reader reader;
    enum state state;
    int64_t silent_until;
    char bus[32];
};

/* What a message does; returns the answer, or NULL. */
typedef const char *message_fn(struct server *self, uint8_t *datagram, size_t *size);

static const char *open_bus(struct server *self, uint8_t *datagram, size_t *size)
{
    (void)datagram;
    (void)size;
    if (self->reader.n != 2 || strcmp(self->reader.word[1], self->bus) != 0)
        return "< error could not open bus >";
    self->state = OPEN;
    return "< ok >";
}

static const char *raw_mode(struct server *self, uint8_t *datagram, size_t *size)
{
    (void)datagram;
    (void)size;
    self->state = RAW;
    self->silent_until = aw_clock_now(self->text.base.clock) + SILENCE;
    return "< ok >";
}

static const char *other_mode(struct server *self, uint8_t *datagram, size_t *size)
{
    (void)self;
    (void)datagram;
    (void)size;
    return "< error only raw mode is there >";
}

static const char *echo(struct server *self, uint8_t *datagram, size_t *size)
{
    (void)self;
    (void)datagram;
    (void)size;
    return "< echo >";
}

static const char *send_frame(struct server *self, uint8_t *datagram, size_t *size)
{
    if (!aw_socketcand_send(&self->reader, datagram, size)) {
        *size = 0;
        return "< error malformed send >";
    }
    return NULL;
}

static const struct message {
    const char *name;
    unsigned when;
    message_fn *run;
} messages[] = {
    {"open", GREETED, open_bus},
    {"rawmode", OPEN | RAW, raw_mode},
    {"send", OPEN | RAW, send_frame},
    {"echo", GREETED | OPEN | RAW, echo},
    {"bcmmode", OPEN | RAW, other_mode},
    {"isotpmode", OPEN | RAW, other_mode},
    {"controlmode", OPEN | RAW, other_mode},
};

static const char *run_message(struct server *self, uint8_t *datagram, size_t *size)
{
    for (size_t i = 0; i < sizeof messages / sizeof *messages; i++)
        if (strcmp(messages[i].name, self->reader.word[0]) == 0 && messages[i].when & self->state)
            return messages[i].run(self, datagram, size);
    return "< error unknown command >";
}

static enum aw_status take(struct aw_can_text *text, uint8_t byte, uint8_t *datagram, size_t *size)
{
    struct server *self = (struct server *)text;
    *size = 0;
    if (!aw_socketcand_read(&self->reader, byte))
        return AW_TIMEOUT;
    const char *answer = run_message(self, datagram, size);
    if (answer)
        aw_can_text_write(text, answer, NULL);
    return *size > 0 ? AW_OK : AW_TIMEOUT;
}

static void connected(struct aw_can_text *text)
{
    struct server *self = (struct server *)text;
    self->reader = (struct aw_socketcand_reader){0};
    self->state = GREETED;
    aw_can_text_write(text, "< hi >", NULL);
}

static enum aw_status server_write(struct aw_link *link, const void *buf, size_t size,
                                   struct aw_error *err)
{
    struct server *self = (struct server *)link;
    char message[AW_SOCKETCAND_TEXT];
    enum aw_status status = aw_can_check(link, buf, size, err);
    if (status != AW_OK || self->state != RAW || aw_clock_now(link->clock) < self->silent_until)
        return status;
    aw_socketcand_print_frame(buf, size, aw_wall_time(), message);
    return aw_can_text_write(&self->text, message, err);
}

static const struct aw_can_text_ops server_ops = {
    .link = {.read = aw_can_text_read,
             .write = server_write,
             .close = aw_can_text_close,
             .fd = aw_can_text_fd},
    .take = take,
    .connected = connected,
};

enum aw_status aw_socketcand_server(struct aw_link **out, const char *inner_url, const char *bus,
                                    const struct aw_link_options *options, struct aw_error *err)
{
    struct aw_can_text *text;
    enum aw_status status = aw_can_text_open(&text, sizeof(struct server), &server_ops,
                                             "socketcand:", inner_url, options, err);
    if (status != AW_OK)
        return status;
    struct server *self = (struct server *)text;
    self->state = GREETED;
    snprintf(self->bus, sizeof self->bus, "%s", bus);
    snprintf(text->base.key, sizeof text->base.key, "socketcand:%.80s/%s", text->inner->key + 4,
             bus);
    snprintf(text->base.ready, sizeof text->base.ready, "socketcand:%.100s/%s",
             text->inner->ready + 4, bus);
    *out = &text->base;
    return AW_OK;
}
