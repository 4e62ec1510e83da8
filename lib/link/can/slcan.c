/* Connects to an adapter that speaks the Lawicel text protocol, on a serial port or over TCP. */
#include "link/can/slcan.h"

#include <stdio.h>
#include <string.h>

#include "base/text.h"
#include "link/can/can_text.h"
#include "link/can/slcan_codec.h"
#include "link/can/transports.h"
#include "link/core/port.h"

#define ANSWER_TIMEOUT (300 * AW_MILLISECOND)
#define FRAME_TIMEOUT  (50 * AW_MILLISECOND) /* USB serial chips delay an answer by up to 16 ms */
#define MINUTE         (60 * AW_SECOND)

struct settings {
    char speed[8]; /* command that sets the bit rate: "S8", "s0014" */
    size_t stamps; /* 1: requests timestamps on frames */
    size_t silent; /* 1: the adapter may not answer commands */
};

struct client {
    struct aw_can_text text;
    struct aw_slcan_reader reader;
    bool unanswered;       /* the adapter did not answer the last frame: do not wait again */
    bool has_stamp;        /* a frame had a timestamp of the adapter */
    int stamp_ms;          /* that timestamp, ms */
    int64_t stamp_time_ns; /* wall-clock time of that timestamp, ns since 1970 */
};

/* Converts the adapter's time, in ms within a minute, to the wall clock, which supplies the minute.
 * The result is never later than the wall clock, because a frame cannot arrive before it was
 * sent. */
static int64_t convert_time(struct client *self, int time_ms)
{
    int64_t now = aw_wall_time();
    int64_t elapsed_ns =
        ((time_ms - self->stamp_ms + AW_SLCAN_MINUTE) % AW_SLCAN_MINUTE) * AW_MILLISECOND;
    int64_t time = self->stamp_time_ns + elapsed_ns;
    time += (now - time) / MINUTE * MINUTE;
    if (!self->has_stamp || time > now || now - time > AW_SECOND)
        time = now;
    self->has_stamp = true;
    self->stamp_ms = time_ms;
    self->stamp_time_ns = time;
    return time;
}

static enum aw_status process_byte(struct aw_can_text *text, uint8_t byte, uint8_t *datagram,
                                   size_t *size)
{
    struct client *self = (struct client *)text;
    int time_ms;
    if (!aw_slcan_add_byte(&self->reader, byte))
        return AW_TIMEOUT;
    switch (aw_slcan_decode(&self->reader, datagram, size, &time_ms)) {
    case AW_SLCAN_FRAME:
        text->base.rx.time_ns = time_ms < 0 ? 0 : convert_time(self, time_ms);
        return AW_OK;
    case AW_SLCAN_REFUSED:
        snprintf(text->base.rx.event, sizeof text->base.rx.event,
                 "the adapter refused a frame (its buffer is full, or it is bus-off)");
        return AW_EVENT;
    case AW_SLCAN_BROKEN:
        text->base.n_dropped++;
        snprintf(text->base.rx.event, sizeof text->base.rx.event,
                 "damaged line from the adapter: %.*s", AW_SLCAN_LINE, self->reader.line);
        return AW_EVENT;
    case AW_SLCAN_DONE:
        self->unanswered = false;
        return AW_TIMEOUT;
    default:
        return AW_TIMEOUT;
    }
}

/* Removes the first answer to a command from the unread bytes. Returns false if there is no
 * complete one. */
static bool find_answer(struct client *self, enum aw_slcan_kind *kind)
{
    struct aw_can_text *text = &self->text;
    struct aw_slcan_reader reader = self->reader;
    uint8_t datagram[AW_CAN_DATAGRAM];
    size_t size, line = text->next;
    int time_ms;
    for (size_t i = text->next; i < text->size; i++) {
        if (!aw_slcan_add_byte(&reader, text->buf[i]))
            continue;
        *kind = aw_slcan_decode(&reader, datagram, &size, &time_ms);
        if (*kind == AW_SLCAN_DONE || *kind == AW_SLCAN_REFUSED) {
            if (line == text->next)
                self->reader = (struct aw_slcan_reader){0};
            memset(text->buf + line, '\n', i + 1 - line);
            return true;
        }
        line = i + 1;
    }
    return false;
}

/* Waits for the adapter's answer to a frame. After a timeout, it does not wait again until the
 * adapter answers. */
static enum aw_status await_answer(struct client *self, struct aw_error *err)
{
    struct aw_can_text *text = &self->text;
    enum aw_status status = AW_OK;
    enum aw_slcan_kind kind = AW_SLCAN_DONE;
    int64_t deadline = aw_clock_now(text->base.clock) + FRAME_TIMEOUT;
    bool found = find_answer(self, &kind);
    while (!found && status == AW_OK && text->size < sizeof text->buf) {
        size_t got = 0;
        status = aw_link_read(text->inner, text->buf + text->size, sizeof text->buf - text->size,
                              &got, deadline, err);
        text->size += got;
        found = find_answer(self, &kind);
    }
    self->unanswered = status == AW_TIMEOUT;
    if (kind == AW_SLCAN_REFUSED)
        return aw_fail(err, AW_REFUSED,
                       "%s: the adapter refused a frame — check bus, power and ?bitrate=…",
                       text->base.key);
    return status == AW_TIMEOUT || status == AW_STOPPED ? AW_OK : status;
}

static enum aw_status send_frame(struct aw_link *link, const void *buf, size_t size,
                                 struct aw_error *err)
{
    struct client *self = (struct client *)link;
    enum aw_status status = aw_can_text_send(link, buf, size, err);
    return status == AW_OK && !self->unanswered ? await_answer(self, err) : status;
}

static void print_frame(const uint8_t *datagram, size_t size, char *out)
{
    aw_slcan_encode(datagram, size, AW_SLCAN_NO_TIME, out);
}

static void client_close(struct aw_link *link)
{
    aw_can_text_write((struct aw_can_text *)link, "C\r", NULL);
    aw_can_text_close(link);
}

static const struct aw_can_text_ops client_ops = {
    .link = {.read = aw_can_text_read,
             .write = send_frame,
             .close = client_close,
             .fd = aw_can_text_fd,
             .raw = aw_can_text_raw},
    .process_byte = process_byte,
    .print = print_frame,
    .terminator = '\r',
};

/* Waits for the next line that is not a frame. */
static enum aw_status await_line(struct client *self, enum aw_slcan_kind *kind,
                                 struct aw_error *err)
{
    struct aw_can_text *text = &self->text;
    uint8_t datagram[AW_CAN_DATAGRAM];
    size_t size;
    int time_ms;
    enum aw_status status = AW_OK;
    int64_t deadline = aw_clock_now(text->base.clock) + ANSWER_TIMEOUT;
    while (status == AW_OK) {
        while (text->next < text->size) {
            if (!aw_slcan_add_byte(&self->reader, text->buf[text->next++]))
                continue;
            *kind = aw_slcan_decode(&self->reader, datagram, &size, &time_ms);
            if (*kind != AW_SLCAN_FRAME && *kind != AW_SLCAN_REMOTE)
                return AW_OK;
        }
        text->next = text->size = 0;
        status = aw_link_read(text->inner, text->buf, sizeof text->buf, &text->size, deadline, err);
    }
    return status;
}

/* Sends a command. Sets *refused, and sets *answered if an answer arrives. Old firmware does not
 * answer: then returns AW_OK. */
static enum aw_status send_command(struct client *self, const char *line, bool *answered,
                                   bool *refused, struct aw_error *err)
{
    enum aw_slcan_kind kind = AW_SLCAN_DONE;
    enum aw_status status = aw_can_text_write(&self->text, line, err);
    if (status == AW_OK)
        status = await_line(self, &kind, err);
    *refused = status == AW_OK && kind == AW_SLCAN_REFUSED;
    if (status == AW_OK)
        *answered = true;
    return status == AW_TIMEOUT ? AW_OK : status;
}

/* Ends a line that another program may have begun, closes the channel, queries the version and
 * waits for the answer. Later answers then belong to later commands. */
static enum aw_status find_adapter(struct client *self, bool *answered, struct aw_error *err)
{
    enum aw_slcan_kind kind = AW_SLCAN_DONE;
    enum aw_status status = aw_can_text_write(&self->text, "\rC\rV\r", err);
    while (status == AW_OK && (kind != AW_SLCAN_REPLY || self->reader.line[0] != 'V')) {
        status = await_line(self, &kind, err);
        if (status == AW_OK)
            *answered = true;
    }
    return status == AW_TIMEOUT ? AW_OK : status;
}

static enum aw_status open_channel(struct client *self, const struct settings *settings,
                                   struct aw_error *err)
{
    const char *key = self->text.base.key;
    bool answered = false, bad_speed = false, ignored, not_opened = false;
    char speed[sizeof settings->speed + 1];
    snprintf(speed, sizeof speed, "%s\r", settings->speed);
    enum aw_status status = find_adapter(self, &answered, err);
    if (status == AW_OK)
        status = send_command(self, speed, &answered, &bad_speed, err);
    if (status == AW_OK)
        status = send_command(self, settings->stamps ? "Z1\r" : "Z0\r", &answered, &ignored, err);
    if (status == AW_OK)
        status = send_command(self, "O\r", &answered, &not_opened, err);
    if (status != AW_OK)
        return status == AW_STOPPED
                   ? aw_fail(err, status, "%s: interrupted while opening", key)
                   : aw_fail(err, AW_NO_LINK, "%s: adapter disconnected — plug it in again", key);
    if (!answered && !settings->silent)
        return aw_fail(err, AW_NO_LINK,
                       "%s: no answer from the adapter — check port and ?baud=…; for old firmware "
                       "without answers add ?silent=yes",
                       key);
    if (bad_speed || not_opened)
        return aw_fail(err, AW_NO_LINK, "%s: the adapter refused %s — %s", key,
                       bad_speed ? settings->speed : "to open its channel",
                       bad_speed ? "choose another ?bitrate=… or give ?btr=…"
                                 : "unplug it and plug it in again");
    return AW_OK;
}

/* Opens the stream inner_url and the adapter's channel. */
static enum aw_status open_client(struct aw_link **out, const char *inner_url,
                                  const struct settings *settings,
                                  const struct aw_link_options *options, struct aw_error *err)
{
    struct aw_can_text *text;
    enum aw_status status = aw_can_text_open(&text, sizeof(struct client), &client_ops,
                                             "slcan:", inner_url, options, err);
    if (status != AW_OK)
        return status;
    status = open_channel((struct client *)text, settings, err);
    if (status != AW_OK) {
        aw_can_text_close(&text->base);
        return status;
    }
    ((struct client *)text)->unanswered = settings->silent;
    *out = &text->base;
    return AW_OK;
}

static enum aw_status parse_speed(char *speed, size_t size, const struct aw_url *url,
                                  struct aw_error *err)
{
    long bitrate = 1000000;
    const char *btr = aw_url_get(url, "btr");
    enum aw_status status = aw_url_int(url, "bitrate", 1, 1000000, &bitrate, err);
    if (status != AW_OK)
        return status;
    if (btr && (strlen(btr) < 4 || strlen(btr) > 6 || !aw_slcan_is_hex(btr, strlen(btr))))
        return aw_fail(err, AW_USAGE, "link key btr=%.40s: not 4 to 6 hexadecimal digits", btr);
    if (!btr && aw_slcan_speed_digit(bitrate) < 0)
        return aw_fail(err, AW_USAGE,
                       "link key bitrate=%ld: not supported (10000 20000 50000 100000 125000 "
                       "250000 500000 800000 1000000) — for others give ?btr=…",
                       bitrate);
    if (btr)
        snprintf(speed, size, "s%.6s", btr);
    else
        snprintf(speed, size, "S%d", aw_slcan_speed_digit(bitrate));
    return AW_OK;
}

static enum aw_status parse_settings(struct settings *settings, const struct aw_url *url,
                                     struct aw_error *err)
{
    static const char *const on_off[] = {"off", "on"}, *const no_yes[] = {"no", "yes"};
    *settings = (struct settings){0};
    enum aw_status status = parse_speed(settings->speed, sizeof settings->speed, url, err);
    if (status == AW_OK)
        status = aw_url_choice(url, "time", on_off, 2, &settings->stamps, err);
    return status == AW_OK ? aw_url_choice(url, "silent", no_yes, 2, &settings->silent, err)
                           : status;
}

static bool is_server(const struct aw_link_options *options, const char *text)
{
    struct aw_url url;
    if (aw_url_parse(&url, text, NULL) != AW_OK)
        return false;
    for (const struct aw_transport *row = options->transports; row->scheme; row++)
        if (strcmp(row->scheme, url.scheme) == 0)
            return row->is_server;
    return false;
}

enum aw_status aw_slcan_open(struct aw_link **out, const struct aw_url *url,
                             const struct aw_link_options *options, struct aw_error *err)
{
    struct settings settings;
    char inner[AW_URL_MAX];
    enum aw_status status = parse_settings(&settings, url, err);
    if (status != AW_OK)
        return status;
    if (!*url->rest)
        return aw_fail(err, AW_USAGE, "slcan: no port given — write slcan:/dev/ttyACM0");
    /* Builds the URL of the stream from the keys that belong to it. */
    const char *separator = "?";
    snprintf(inner, sizeof inner, "%s", url->rest);
    for (size_t i = 0; aw_line_keys[i]; i++) {
        const char *value = aw_url_get(url, aw_line_keys[i]);
        if (!value)
            continue;
        aw_append(inner, sizeof inner, separator, "%s=%s", aw_line_keys[i], value);
        separator = "&";
    }
    return is_server(options, inner) ? aw_slcan_adapter(out, inner, options, err)
                                     : open_client(out, inner, &settings, options, err);
}
