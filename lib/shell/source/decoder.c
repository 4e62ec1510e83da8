/* Detects the input format (hex, candump, raw, capture) and decodes the input block by block. */
#include "shell/source/decoder.h"

#include <ctype.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/lines.h"
#include "capture/candump.h"
#include "capture/foreign.h"
#include "capture/packet.h"
#include "wire/hex.h"

#define DAMAGE_REPORTS_MAX 5 /* max number of damaged parts that are reported individually */

enum aw_input aw_guess_input(const struct aw_protocol *protocol, const char *data, size_t size)
{
    size_t limit = size < 4096 ? size : 4096;
    if (aw_is_capture((struct aw_span){(const uint8_t *)data, size}))
        return AW_INPUT_CAPTURE;
    if (protocol->frames.is_can)
        return AW_INPUT_CANDUMP;
    for (size_t i = 0; i < limit; i++)
        if (!isxdigit((unsigned char)data[i]) && !isspace((unsigned char)data[i]))
            return AW_INPUT_STREAM;
    return AW_INPUT_HEX;
}

enum aw_status aw_decoder_init(struct aw_decoder *decoder, struct aw_session *session)
{
    const char *dir = session->options.link.dir;
    enum aw_status status = aw_session_select_subjects(session);
    if (status == AW_OK)
        status = aw_session_get_decoding_wire(session, &decoder->wire);
    decoder->session = session;
    decoder->default_dir = dir && strcmp(dir, "tx") == 0 ? AW_TX : AW_RX;
    memcpy(decoder->ports, session->tool->protocol->ports, sizeof decoder->ports);
    if (session->options.link.port > 0)
        decoder->ports[0] = (uint16_t)session->options.link.port;
    aw_decoder_begin(decoder, NULL, AW_INPUT_UNKNOWN);
    decoder->output.limit = (uint64_t)session->options.run.count;
    if (status == AW_OK && !decoder->output.on_record)
        status = aw_session_open_view(session, NULL);
    decoder->view = session->run.printing.view;
    return status;
}

/* Adds known names only to text and JSON records. Other styles have fixed columns. */
static void update_adds_names(struct aw_decoder *d)
{
    struct aw_session *session = d->session;
    enum aw_style style = aw_session_style(session);
    d->output.adds_names = session->tool->records.names.has_names &&
                           !session->options.print.fields &&
                           (style == AW_STYLE_TEXT || style == AW_STYLE_JSON) &&
                           session->tool->records.names.has_names(session);
}

void aw_decoder_begin(struct aw_decoder *d, const char *name, enum aw_input input)
{
    if (d->session->tool->records.names.read_line)
        d->session->tool->records.names.read_line(d->session, NULL);
    update_adds_names(d);
    d->where.name = name;
    d->input = input;
    d->dir = d->default_dir;
    d->where.line = 0;
    d->skips_line = false;
    d->counts.skipped = (struct aw_skipped){0};
    d->where.time_ns = AW_NO_TIME;
    d->framer = (struct aw_framer){.dir = d->dir};
    aw_pcap_reset(&d->reader);
    d->reader.on_comment = aw_session_read_section;
    d->reader.context = d->session;
    for (size_t i = 0; i < 2; i++)
        d->streams[i] = (struct aw_decoder_stream){.framer.dir = i ? AW_RX : AW_TX,
                                                   .buffer = d->session->device.frame +
                                                             i * (AW_FRAME_ROOM / 2)};
}

void aw_decoder_report(struct aw_decoder *d, const char *text)
{
    if (d->counts.damaged == 0)
        aw_fail(&d->counts.first_error, AW_MALFORMED, "%s", text);
    if (d->counts.damaged++ >= DAMAGE_REPORTS_MAX || !d->where.name)
        return;
    aw_output_flush(&d->session->out, NULL);
    struct aw_error problem;
    aw_fail(&problem, AW_MALFORMED, "%s", text);
    if (d->input == AW_INPUT_CAPTURE)
        aw_fail(&problem, AW_MALFORMED, "%.120s: packet %" PRIu64 ": %s", d->where.name,
                d->where.line, text);
    else if (d->input == AW_INPUT_STREAM)
        aw_fail(&problem, AW_MALFORMED, "%.120s: %s", d->where.name, text);
    else
        aw_fail_at_line(&problem, d->where.name, d->where.line, d->where.column);
    aw_session_report(d->session, "%s: %s\n", d->session->tool->name, problem.text);
}

static enum aw_status show_record(struct aw_decoder *d)
{
    struct aw_session *session = d->session;
    struct aw_output *out = &session->out;
    char name[AW_POINT_NAME];
    d->record.time_ns = d->where.time_ns;
    if (d->output.is_wanted && !d->output.is_wanted(d->output.context, &d->record))
        return AW_OK;
    d->counts.records++;
    if (d->output.on_record)
        return d->output.on_record(d->output.context, &d->record);
    if (session->tool->records.report_problem)
        session->tool->records.report_problem(session, &d->record);
    char *at = aw_output_reserve(out, AW_VIEW_MAX + AW_RECORD_NAME_MAX);
    size_t size = aw_view_print_record(d->view, &d->record, at);
    if (d->output.adds_names && size && *aw_session_subject(session, &d->record, name, sizeof name))
        size = aw_record_add_name(aw_session_style(session), name, at, size);
    aw_output_commit(out, at + size);
    if (out->error)
        return aw_output_flush(out, &session->err);
    return d->output.limit && d->counts.records >= d->output.limit ? AW_ENOUGH : AW_OK;
}

/* Shows a record even if a float is not a number; its value is null. */
static enum aw_status decode_frame(struct aw_decoder *d, struct aw_span frame, bool inside)
{
    struct aw_session *session = d->session;
    d->counts.n_seen++;
    if (!aw_session_is_selected(session, frame, ""))
        return AW_OK;
    enum aw_status status = aw_wire_decode(d->wire, d->dir, frame, &d->record, NULL);
    if (status != AW_OK && d->where.name && aw_wire_is_other_node(d->wire, d->dir, frame)) {
        aw_skip_frame(&d->counts.skipped, frame);
        return AW_OK;
    }
    if (status != AW_OK)
        status = aw_wire_decode(d->wire, d->dir, frame, &d->record, &session->err);
    bool readable = status == AW_OK || d->record.present != 0;
    if (status != AW_OK)
        aw_decoder_report(d, session->err.text);
    if (readable && session->tool->records.ordered.fill)
        session->tool->records.ordered.fill(session, &d->record, inside);
    return readable ? show_record(d) : AW_OK;
}

static void report_rest(struct aw_decoder *d, size_t size, const char *unit)
{
    aw_fail(&d->session->err, AW_MALFORMED, "truncated, the last %zu bytes are not a complete %s",
            size, unit);
    aw_decoder_report(d, d->session->err.text);
}

/* Decodes all complete frames. */
static enum aw_status decode_frames(struct aw_decoder *d, struct aw_framer *framer,
                                    struct aw_span in, size_t *used)
{
    enum aw_status status = AW_OK;
    *used = 0;
    while (status == AW_OK && *used < in.size) {
        struct aw_span frame, rest = {in.data + *used, in.size - *used};
        struct aw_error *err = &d->session->err;
        size_t step = 0;
        enum aw_status found = aw_wire_next(d->wire, framer, rest, &frame, &step, err);
        *used += step;
        if (found == AW_OK)
            status = decode_frame(d, frame, aw_framer_is_inside(d->wire, framer));
        else if (found == AW_MALFORMED)
            aw_decoder_report(d, err->text);
        else
            break;
    }
    return status;
}

static enum aw_status decode_stream(struct aw_decoder *d, struct aw_span in, bool last,
                                    size_t *used)
{
    enum aw_status status = decode_frames(d, &d->framer, in, used);
    if (!last || status != AW_OK)
        return status;
    if (*used < in.size)
        report_rest(d, in.size - *used, "message");
    else if (d->wire->variant.envelope && d->framer.packets_left)
        aw_decoder_report(d, "the last message is truncated: packets are missing");
    *used = in.size;
    return status;
}

static enum aw_status decode_hex(struct aw_decoder *d, const char *line, size_t length)
{
    uint8_t *frame = d->session->device.frame;
    size_t size;
    struct aw_error *err = &d->session->err;
    if (aw_hex_parse(d->wire->protocol, line, length, frame, AW_FRAME_ROOM, &size, err) != AW_OK) {
        aw_decoder_report(d, err->text);
        return AW_OK;
    }
    /* One line is one frame, or one stream message if frames come in envelopes. */
    struct aw_span bytes = (struct aw_span){frame, size};
    size_t used;
    if (!d->wire->variant.envelope)
        return decode_frame(d, bytes, false);
    d->framer = (struct aw_framer){.dir = d->dir};
    return decode_stream(d, bytes, true, &used);
}

static enum aw_status decode_candump(struct aw_decoder *d, const char *line, size_t length)
{
    struct aw_candump entry;
    enum aw_status status = AW_OK;
    if (d->where.name)
        status =
            aw_candump_read_line(&d->counts.skipped.lines, line, length, &entry, &d->session->err);
    else if (!aw_candump_parse(line, length, &entry))
        status = AW_MALFORMED;
    if (status == AW_MORE)
        return AW_OK;
    if (status == AW_MALFORMED && !d->counts.skipped.lines.asc.started)
        return decode_hex(d, line, length);
    if (status == AW_MALFORMED) {
        aw_decoder_report(d, d->session->err.text);
        return AW_OK;
    }
    if (status != AW_OK) {
        aw_fail_at_line(&d->session->err, d->where.name, d->where.line, 0);
        return status;
    }
    d->where.column = aw_candump_find_column(&entry, line, length);
    d->where.time_ns = entry.has_time ? entry.time_ns : AW_NO_TIME;
    d->dir = entry.dir ? entry.dir : d->default_dir;
    if (!entry.size)
        return decode_hex(d, entry.frame, entry.length);
    return decode_frame(d, (struct aw_span){entry.bytes, entry.size}, false);
}

static bool is_of_tool(const struct aw_decoder *d, enum aw_linktype linktype,
                       const struct aw_payload *payload)
{
    enum aw_medium medium = d->wire->protocol->medium;
    return aw_linktype_suits(linktype, medium) && payload->is_tcp == (medium == AW_MEDIUM_TCP) &&
           aw_payload_has_ports(payload, d->ports);
}

/* Reads names, which are before the first packet or in a packet's comment. */
static void read_names(struct aw_decoder *d, const struct aw_packet *packet)
{
    char comment[512];
    if (packet->comment && d->session->tool->records.names.read_line) {
        snprintf(comment, sizeof comment, "%.*s", (int)packet->comment_length, packet->comment);
        d->session->tool->records.names.read_line(d->session, comment);
    }
    if (packet->comment || d->where.line == 1)
        update_adds_names(d);
}

static enum aw_status decode_packet(struct aw_decoder *d, const struct aw_packet *packet)
{
    struct aw_payload payload;
    d->where.line++;
    read_names(d, packet);
    if (!aw_packet_unwrap(packet, &payload) || !is_of_tool(d, packet->linktype, &payload))
        return AW_OK;
    d->where.time_ns = packet->time_ns;
    d->dir = aw_payload_find_dir(&payload, d->ports);
    if (!d->dir)
        d->dir = d->default_dir;
    struct aw_decoder_stream *stream = &d->streams[d->dir == AW_TX ? 0 : 1];
    if (d->wire->protocol->frames.datagrams)
        return decode_frame(d, payload.data, false);
    /* A frame may span several packets. A frame within one packet is decoded in place. Drops
     * repeated bytes; after a gap, also drops the saved part of a frame. */
    bool gap;
    struct aw_span segment = aw_tcp_new_data(&stream->order, &payload, &gap);
    if (gap) {
        stream->used = 0;
        stream->framer = (struct aw_framer){.dir = stream->framer.dir};
    }
    size_t used = 0;
    enum aw_status status = AW_OK;
    if (stream->used == 0)
        status = decode_frames(d, &stream->framer, segment, &used);
    segment = (struct aw_span){segment.data + used, segment.size - used};
    while (segment.size && status == AW_OK) {
        size_t room = AW_FRAME_ROOM / 2 - stream->used;
        size_t step = segment.size < room ? segment.size : room;
        memcpy(stream->buffer + stream->used, segment.data, step);
        stream->used += step;
        segment = (struct aw_span){segment.data + step, segment.size - step};
        status = decode_frames(d, &stream->framer, (struct aw_span){stream->buffer, stream->used},
                               &used);
        if (used == 0 && stream->used == AW_FRAME_ROOM / 2) /* longer than any frame */
            used = stream->used;
        stream->used -= used;
        memmove(stream->buffer, stream->buffer + used, stream->used);
    }
    return status;
}

static enum aw_status decode_capture(struct aw_decoder *d, struct aw_span in, bool last,
                                     size_t *used)
{
    enum aw_status status = AW_OK, found = AW_OK;
    *used = 0;
    while (status == AW_OK && found != AW_MORE) {
        struct aw_packet packet;
        struct aw_span rest = {in.data + *used, in.size - *used};
        size_t step;
        found = aw_pcap_next(&d->reader, rest, &packet, &step, &d->session->err);
        *used += step;
        if (found == AW_OK)
            status = decode_packet(d, &packet);
        else if (found == AW_MALFORMED)
            aw_decoder_report(d, d->session->err.text);
        else if (found != AW_MORE)
            status = found;
    }
    if (last && status == AW_OK && *used < in.size) {
        report_rest(d, in.size - *used, "packet");
        aw_pcap_reset(&d->reader);
        *used = in.size;
    }
    return status;
}

static size_t skip_line(struct aw_decoder *d, const char *data, size_t size)
{
    const char *end = memchr(data, '\n', size);
    d->skips_line = !end;
    return end ? (size_t)(end - data) + 1 : size;
}

static enum aw_status decode_lines(struct aw_decoder *d, const char *data, size_t size, bool last,
                                   size_t *used)
{
    enum aw_status status = AW_OK;
    *used = d->skips_line ? skip_line(d, data, size) : 0;
    while (status == AW_OK && *used < size) {
        const char *line = data + *used, *end = memchr(line, '\n', size - *used);
        if (!end && !last)
            break;
        size_t length = end ? (size_t)(end - line) : size - *used;
        *used += length + (end != NULL);
        d->skips_line = !end;
        d->where.line++;
        d->where.column = 0;
        if (!aw_candump_is_remark(line, length))
            status = d->input == AW_INPUT_CANDUMP ? decode_candump(d, line, length)
                                                  : decode_hex(d, line, length);
    }
    return status;
}

enum aw_status aw_decoder_feed(struct aw_decoder *d, const char *data, size_t size, bool last,
                               size_t *used)
{
    *used = 0;
    bool is_text = d->wire->protocol->frames.is_can || (size && (uint8_t)*data == AW_MCAP_FIRST);
    if (d->input == AW_INPUT_UNKNOWN && is_text &&
        aw_log_is_foreign((struct aw_span){(const uint8_t *)data, size},
                          d->where.name ? d->where.name : "input", &d->session->err))
        return AW_USAGE;
    if (d->input == AW_INPUT_UNKNOWN)
        d->input = aw_guess_input(d->wire->protocol, data, size);
    if (d->input == AW_INPUT_CAPTURE)
        return decode_capture(d, (struct aw_span){(const uint8_t *)data, size}, last, used);
    if (d->input == AW_INPUT_STREAM)
        return decode_stream(d, (struct aw_span){(const uint8_t *)data, size}, last, used);
    return decode_lines(d, data, size, last, used);
}

enum aw_status aw_fail_no_messages(struct aw_session *session, const char *path,
                                   const char *program)
{
    return aw_fail(
        &session->err, AW_USAGE, "%.200s has no messages of %s — %s%s", path, session->tool->name,
        *program ? "use the program that wrote it: " : "check which tool made it", program);
}

void aw_notice_no_messages(struct aw_session *session, const char *path, const char *program)
{
    aw_fail_no_messages(session, path, program);
    aw_session_print_notice(session, "%s", session->err.text);
    session->err = (struct aw_error){.status = AW_OK};
}

enum aw_status aw_decoder_end(struct aw_decoder *d)
{
    aw_pcap_reset(&d->reader);
    if (d->counts.damaged == 0)
        return AW_OK;
    if (!d->where.name) {
        d->session->err = d->counts.first_error;
        return AW_MALFORMED;
    }
    return aw_fail(&d->session->err, AW_MALFORMED,
                   "%s: %" PRIu64 " damaged part%s, %" PRIu64 " record%s decoded", d->where.name,
                   d->counts.damaged, d->counts.damaged == 1 ? "" : "s", d->counts.records,
                   d->counts.records == 1 ? "" : "s");
}
