/* Reads a recording of any supported format, and returns its packets one by one. */
#include "capture/log.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/file.h"
#include "base/lines.h"
#include "capture/candump.h"
#include "capture/foreign.h"
#include "capture/packet.h"
#include "capture/reading.h"
#include "wire/hex.h"

#define ROOM           1048576
#define FIRST_LINE_MAX 256 /* max length of the first candump line */

struct aw_log {
    struct aw_log_options options;
    struct aw_reading reading;
    /* to reopen a filtered file; NULL: the file can be read again from its start */
    char *path;
    struct aw_error filter_error; /* error of the filter; AW_OK: none */
    bool equals_text, at_end;
    struct {
        uint64_t size, n_read;
        uint64_t line_number; /* line number, from 1 */
    } counts;
    struct aw_pcap_reader reader;
    struct aw_payload payload;
    struct aw_candump line;
    struct aw_candump_log candump;
    struct aw_tcp_order tcp[AW_BOTH]; /* per direction: to the device, from the device */
    struct {
        size_t unread_from, unread_to; /* range of unread bytes in buffer */
        uint8_t buffer[ROOM];
    } input;
    char name[200];
};

/* Moves unread bytes to the front of the buffer and reads more. AW_END: no more input. AW_TIMEOUT:
 * no input yet. */
static enum aw_status fill_buffer(struct aw_log *log, struct aw_error *err)
{
    memmove(log->input.buffer, log->input.buffer + log->input.unread_from,
            log->input.unread_to - log->input.unread_from);
    log->input.unread_to -= log->input.unread_from;
    log->input.unread_from = 0;
    while (!log->at_end && log->input.unread_to < ROOM) {
        ssize_t n = read(log->reading.fd, log->input.buffer + log->input.unread_to,
                         ROOM - log->input.unread_to);
        if (n < 0 && errno == EINTR)
            continue;
        if (n < 0 && errno == EAGAIN)
            return AW_TIMEOUT;
        if (n < 0)
            return aw_file_fail(err, NULL, log->name);
        log->at_end = n == 0;
        log->input.unread_to += (size_t)n;
        log->counts.n_read += (uint64_t)n;
        if (n > 0)
            return AW_OK;
        enum aw_status status = aw_reading_end(&log->reading, &log->filter_error);
        if (status != AW_OK && !log->counts.n_read)
            return aw_fail(err, status, "%s", log->filter_error.text);
    }
    return AW_END;
}

static struct aw_span get_unread(const struct aw_log *log)
{
    return (struct aw_span){log->input.buffer + log->input.unread_from,
                            log->input.unread_to - log->input.unread_from};
}

static bool is_wanted(const struct aw_log *log, enum aw_linktype linktype,
                      const struct aw_payload *payload)
{
    const uint16_t *ports = log->options.ports;
    if (log->options.medium && !aw_linktype_suits(linktype, *log->options.medium))
        return false;
    return (!ports[0] && !ports[1]) || aw_payload_has_ports(payload, ports);
}

/* Returns false if the packet contains no data of this protocol. */
static bool handle_packet(struct aw_log *log, const struct aw_packet *packet,
                          struct aw_log_entry *entry)
{
    bool accepted =
        aw_packet_unwrap(packet, &log->payload) && is_wanted(log, packet->linktype, &log->payload);
    *entry = (struct aw_log_entry){.time_ns = packet->time_ns, .linktype = packet->linktype};
    if (packet->comment)
        snprintf(entry->comment, sizeof entry->comment, "%.*s", (int)packet->comment_length,
                 packet->comment);
    if (!accepted)
        return *entry->comment;
    entry->dir = aw_payload_find_dir(&log->payload, log->options.ports);
    entry->is_stream = log->payload.is_tcp || packet->linktype == AW_LINKTYPE_USER0 ||
                       packet->linktype == AW_LINKTYPE_RTAC_SERIAL;
    entry->data =
        aw_tcp_new_data(&log->tcp[entry->dir == AW_TX ? 0 : 1], &log->payload, &entry->has_gap);
    return entry->data.size > 0 || *entry->comment;
}

static enum aw_status next_packet(struct aw_log *log, struct aw_log_entry *entry,
                                  struct aw_error *err)
{
    for (;;) {
        struct aw_packet packet;
        size_t used;
        enum aw_status status = aw_pcap_next(&log->reader, get_unread(log), &packet, &used, err);
        log->input.unread_from += used;
        if (status == AW_OK && handle_packet(log, &packet, entry))
            return AW_OK;
        if (status == AW_MORE)
            status = fill_buffer(log, err);
        if (status != AW_OK)
            return status;
    }
}

/* Handles a line. AW_MORE: the line contains no data for the caller. */
static enum aw_status handle_line(struct aw_log *log, const char *line, size_t length,
                                  struct aw_log_entry *entry, struct aw_error *err)
{
    static const struct aw_protocol any_can = {.frames.is_can = true};
    struct aw_candump *frame = &log->line;
    enum aw_status status = aw_candump_read_line(&log->candump, line, length, frame, err);
    if (status == AW_MORE)
        return status;
    if (status == AW_OK && !frame->size)
        status = aw_hex_parse(&any_can, frame->frame, frame->length, frame->bytes,
                              sizeof frame->bytes, &frame->size, err);
    if (status != AW_OK) {
        aw_fail_at_line(err, log->name, log->counts.line_number,
                        aw_candump_find_column(frame, line, length));
        return status;
    }
    entry->time_ns = frame->has_time ? frame->time_ns : INT64_MIN;
    entry->dir = frame->dir;
    entry->linktype = AW_LINKTYPE_CAN;
    entry->is_stream = entry->has_gap = false;
    entry->data = (struct aw_span){frame->bytes, frame->size};
    /* does not clear the whole array, which would take as long as reading a line */
    *entry->comment = '\0';
    return AW_OK;
}

static enum aw_status next_line(struct aw_log *log, struct aw_log_entry *entry,
                                struct aw_error *err)
{
    for (;;) {
        struct aw_span rest = get_unread(log);
        const char *line = (const char *)rest.data;
        const char *newline = rest.size ? memchr(line, '\n', rest.size) : NULL;
        if (!newline && !log->at_end && rest.size < ROOM) {
            enum aw_status status = fill_buffer(log, err);
            if (status != AW_OK && status != AW_END)
                return status;
            continue;
        }
        if (!rest.size)
            return AW_END;
        size_t length = newline ? (size_t)(newline - line) : rest.size,
               from = log->input.unread_from;
        log->input.unread_from += length + (newline != NULL);
        log->counts.line_number++;
        enum aw_status status = handle_line(log, line, length, entry, err);
        if (status == AW_MORE)
            continue;
        bool truncated =
            status == AW_MALFORMED && !newline && log->at_end && log->counts.line_number > 1;
        if (!truncated)
            return status;
        log->input.unread_from = from; /* keeps the incomplete line in the buffer */
        log->counts.line_number--;
        return AW_END;
    }
}

enum aw_status aw_log_next(struct aw_log *log, struct aw_log_entry *entry, struct aw_error *err)
{
    return log->equals_text ? next_line(log, entry, err) : next_packet(log, entry, err);
}

bool aw_log_is_truncated(const struct aw_log *log, struct aw_error *err)
{
    size_t rest = get_unread(log).size;
    if (log->filter_error.status != AW_OK) {
        aw_fail(err, AW_MALFORMED, "%s", log->filter_error.text);
        return true;
    }
    if (rest)
        aw_fail(err, AW_MALFORMED, "%s: truncated, the last %zu bytes are not a complete %s",
                log->name, rest, log->equals_text ? "line" : "packet");
    return rest > 0;
}

/* Returns true if the first line that is not a comment is a line of candump. */
static bool has_candump_lines(const struct aw_log *log)
{
    struct aw_candump entry;
    const char *at = (const char *)log->input.buffer, *end = at + log->input.unread_to;
    while (at < end) {
        const char *newline = memchr(at, '\n', (size_t)(end - at));
        size_t length = (size_t)((newline ? newline : end) - at);
        if (!aw_candump_is_remark(at, length))
            return length < FIRST_LINE_MAX &&
                   (aw_asc_is_header(at, length) || aw_candump_parse(at, length, &entry));
        at += length + 1;
    }
    return false;
}

static enum aw_status detect_format(struct aw_log *log, struct aw_error *err)
{
    enum aw_status status = fill_buffer(log, err);
    log->equals_text = !aw_is_capture(get_unread(log));
    if (status != AW_OK && status != AW_END)
        return status;
    if (aw_reading_has_values(&log->reading, get_unread(log)))
        return aw_reading_fail_values(log->name, err);
    if (log->equals_text && aw_log_is_foreign(get_unread(log), log->name, err))
        return AW_USAGE;
    if (log->equals_text && !has_candump_lines(log))
        return aw_fail(err, AW_USAGE,
                       "%s: not a capture — give a pcapng, pcap, MCAP or candump file", log->name);
    return AW_OK;
}

enum aw_status aw_log_open(struct aw_log **out, const char *path,
                           const struct aw_log_options *options, struct aw_error *err)
{
    struct stat info = {0};
    struct aw_log *log = calloc(1, sizeof *log);
    *out = NULL;
    if (!log)
        return aw_no_memory(err);
    log->options = *options;
    log->reader.on_comment = options->on_comment;
    log->reader.context = options->context;
    snprintf(log->name, sizeof log->name, "%s", aw_file_name(path));
    enum aw_status status = aw_reading_open(&log->reading, path, 0, err);
    if (status == AW_OK && fstat(log->reading.fd, &info) != 0)
        status = aw_file_fail(err, NULL, log->name);
    if (status == AW_OK && log->reading.filtered && !(log->path = strdup(path)))
        status = aw_no_memory(err);
    if (status == AW_OK)
        status = detect_format(log, err);
    if (status != AW_OK) {
        aw_log_close(log);
        return status;
    }
    log->counts.size = S_ISREG(info.st_mode) ? (uint64_t)info.st_size : 0;
    *out = log;
    return AW_OK;
}

enum aw_status aw_log_rewind(struct aw_log *log, struct aw_error *err)
{
    enum aw_status status = AW_OK;
    if (log->path) {
        aw_reading_close(&log->reading);
        status = aw_reading_open(&log->reading, log->path, 0, err);
    }
    if (status != AW_OK)
        return status;
    if (!log->path && lseek(log->reading.fd, 0, SEEK_SET) != 0)
        return aw_fail(err, AW_LOST, "%s: cannot read it twice: %s — give a regular file",
                       log->name, strerror(errno));
    log->input.unread_from = log->input.unread_to = 0;
    log->counts.n_read = log->counts.line_number = 0;
    log->candump = (struct aw_candump_log){0};
    log->at_end = false;
    aw_pcap_reset(&log->reader);
    memset(log->tcp, 0, sizeof log->tcp);
    return detect_format(log, err);
}

const char *aw_log_program(const struct aw_log *log)
{
    return log->reader.program;
}

const struct aw_candump_log *aw_log_candump_state(const struct aw_log *log)
{
    return &log->candump;
}

uint64_t aw_log_position(const struct aw_log *log, uint64_t *size)
{
    *size = log->counts.size;
    return log->counts.n_read - (log->input.unread_to - log->input.unread_from);
}

void aw_log_close(struct aw_log *log)
{
    if (!log)
        return;
    aw_reading_close(&log->reading);
    aw_pcap_reset(&log->reader);
    free(log->path);
    free(log);
}
