/* Simulates an adapter like CANUSB or CANable. This program acts as the bus. */
#include <stdio.h>
#include <string.h>

#include "link/can/can_text.h"
#include "link/can/slcan.h"
#include "link/can/slcan_codec.h"

enum channel { CLOSED = 1, OPEN = 2, LISTENING = 4, ANY = 7 };

struct adapter {
    struct aw_can_text text;
    struct aw_slcan_reader reader;
    enum channel channel;
    bool sends_stamps;
    uint64_t reported_drops; /* frames dropped before the last F command */
};

static const char done[] = "\r", refused[] = "\a";

/* Executes a command and returns the answer. */
typedef const char *command_fn(struct adapter *self, const char *line);

static const char *accept_command(struct adapter *self, const char *line)
{
    (void)self;
    (void)line;
    return done;
}

static const char *open_channel(struct adapter *self, const char *line)
{
    self->channel = line[0] == 'L' ? LISTENING : OPEN;
    return done;
}

static const char *close_channel(struct adapter *self, const char *line)
{
    (void)line;
    self->channel = CLOSED;
    return done;
}

static const char *set_speed(struct adapter *self, const char *line)
{
    (void)self;
    return line[1] <= '8' ? done : refused;
}

static const char *set_stamps(struct adapter *self, const char *line)
{
    self->sends_stamps = line[1] == '1';
    return line[1] <= '1' ? done : refused;
}

static const char *get_version(struct adapter *self, const char *line)
{
    (void)self;
    return line[0] == 'V' ? "V1013\r" : "v1013\r";
}

static const char *get_serial_number(struct adapter *self, const char *line)
{
    (void)self;
    (void)line;
    return "NAW01\r";
}

/* Returns the status flags and clears them. Bit 0: the queue was full. */
static const char *read_flags(struct adapter *self, const char *line)
{
    bool was_full = self->text.base.n_dropped > self->reported_drops;
    (void)line;
    self->reported_drops = self->text.base.n_dropped;
    return was_full ? "F01\r" : "F00\r";
}

/* Accepts a remote frame, like a real adapter. No node on this bus answers it. */
static const char *accept_remote(struct adapter *self, const char *line)
{
    (void)self;
    return line[0] == 'r' ? "z\r" : "Z\r";
}

/* A command: its letter, the number of hexadecimal digits after it, and the states of the channel
 * in which it is valid. Commands that only affect a real bus are accepted and ignored. */
static const struct command {
    char letter;
    unsigned char min, max;
    unsigned char channels;
    command_fn *run;
} commands[] = {
    {'C', 0, 0, ANY, close_channel},
    {'O', 0, 0, CLOSED, open_channel},
    {'L', 0, 0, CLOSED, open_channel},
    {'S', 1, 1, CLOSED, set_speed},
    {'s', 4, 6, CLOSED, accept_command},
    {'V', 0, 0, ANY, get_version},
    {'v', 0, 0, ANY, get_version},
    {'N', 0, 0, ANY, get_serial_number},
    {'F', 0, 0, OPEN | LISTENING, read_flags},
    {'Z', 1, 1, CLOSED, set_stamps},
    {'M', 8, 8, CLOSED, accept_command}, /* acceptance code and mask */
    {'m', 8, 8, CLOSED, accept_command},
    {'X', 1, 1, ANY, accept_command},    /* auto poll */
    {'W', 1, 1, CLOSED, accept_command}, /* filter mode */
    {'Q', 1, 1, ANY, accept_command},    /* open automatically at power-up */
    {'U', 1, 1, CLOSED, accept_command}, /* speed of the serial line */
    {'r', 4, 4, OPEN, accept_remote},
    {'R', 9, 9, OPEN, accept_remote},
};

static const char *run_command(struct adapter *self)
{
    const char *line = self->reader.line;
    size_t digits = self->reader.size - 1;
    for (size_t i = 0; i < sizeof commands / sizeof *commands; i++) {
        const struct command *command = &commands[i];
        if (command->letter != line[0])
            continue;
        if (digits < command->min || digits > command->max ||
            !(command->channels & self->channel) || !aw_slcan_is_hex(line + 1, digits))
            break;
        return command->run(self, line);
    }
    return refused;
}

static const char *answer_line(struct adapter *self, uint8_t *datagram, size_t *size)
{
    int time_ms;
    switch (aw_slcan_decode(&self->reader, datagram, size, &time_ms)) {
    case AW_SLCAN_FRAME:
        if (self->channel == OPEN && time_ms == AW_SLCAN_NO_TIME)
            return self->reader.line[0] == 'T' ? "Z\r" : "z\r";
        *size = 0;
        return refused;
    case AW_SLCAN_DONE:
        return self->reader.size == 0 ? done : refused;
    case AW_SLCAN_REFUSED: /* a computer never sends a line that ends with BEL */
    case AW_SLCAN_BROKEN:
        return refused;
    default:
        return run_command(self);
    }
}

static enum aw_status process_byte(struct aw_can_text *text, uint8_t byte, uint8_t *datagram,
                                   size_t *size)
{
    struct adapter *self = (struct adapter *)text;
    *size = 0;
    if (!aw_slcan_add_byte(&self->reader, byte))
        return AW_TIMEOUT;
    aw_can_text_write(text, answer_line(self, datagram, size), NULL);
    return *size > 0 ? AW_OK : AW_TIMEOUT;
}

static void connected(struct aw_can_text *text)
{
    struct adapter *self = (struct adapter *)text;
    self->reader = (struct aw_slcan_reader){0};
    self->channel = CLOSED;
    self->sends_stamps = false;
}

static enum aw_status adapter_write(struct aw_link *link, const void *buf, size_t size,
                                    struct aw_error *err)
{
    struct adapter *self = (struct adapter *)link;
    char line[AW_SLCAN_LINE];
    int time_ms = AW_SLCAN_NO_TIME;
    enum aw_status status = aw_can_check_frame(link, buf, size, err);
    if (status != AW_OK || self->channel == CLOSED)
        return status;
    if (self->sends_stamps)
        time_ms = (int)(aw_clock_now(link->clock) / AW_MILLISECOND % AW_SLCAN_MINUTE);
    aw_slcan_encode(buf, size, time_ms, line);
    status = aw_can_text_write(&self->text, line, err);
    /* A write to a pty times out when the computer has closed it. */
    if (status == AW_TIMEOUT)
        self->channel = CLOSED;
    return status;
}

static const struct aw_can_text_ops adapter_ops = {
    .link = {.read = aw_can_text_read,
             .write = adapter_write,
             .close = aw_can_text_close,
             .fd = aw_can_text_fd},
    .process_byte = process_byte,
    .connected = connected,
};

enum aw_status aw_slcan_adapter(struct aw_link **out, const char *inner_url,
                                const struct aw_link_options *options, struct aw_error *err)
{
    struct aw_can_text *text;
    enum aw_status status = aw_can_text_open(&text, sizeof(struct adapter), &adapter_ops,
                                             "slcan:", inner_url, options, err);
    if (status != AW_OK)
        return status;
    connected(text);
    *out = &text->base;
    return AW_OK;
}
