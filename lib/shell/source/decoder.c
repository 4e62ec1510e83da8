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

#define COMPLAINTS_MAX 5 /* max number of damaged parts that are reported individually */

enum aw_input aw_input_guess(const struct aw_protocol *protocol, const char *data, size_t size)
{
    size_t limit = size < 4096 ? size : 4096;
    if (aw_is_capture((struct aw_span){(const uint8_t *)data, size}))
        return AW_INPUT_CAPTURE;
    if (protocol->can)
        return AW_INPUT_CANDUMP;
    for (size_t i = 0; i < limit; i++)
        if (!isxdigit((unsigned char)data[i]) && !isspace((unsigned char)data[i]))
            return AW_INPUT_STREAM;
    return AW_INPUT_HEX;
}

enum aw_status aw_decoder_init(struct aw_decoder *decoder, struct aw_session *session)
{
    const char *dir = session->options.link.dir;
    enum aw_status status = aw_session_narrow(session);
    if (status == AW_OK)
        status = aw_session_decoding_wire(session, &decoder->wire);
    decoder->session = session;
    decoder->wanted = dir && strcmp(dir, "tx") == 0 ? AW_TX : AW_RX;
    memcpy(decoder->ports, session->tool->protocol->ports, sizeof decoder->ports);
    if (session->options.link.port > 0)
        decoder->ports[0] = (uint16_t)session->options.link.port;
    aw_decoder_begin(decoder, NULL, AW_INPUT_UNKNOWN);
    decoder->limit = (uint64_t)session->options.run.count;
    if (status == AW_OK && !decoder->take)
        status = aw_session_view(session, NULL);
    decoder->view = session->run.printing.view;
    return status;
}

/* Adds known names to text and JSON records. Other styles have fixed columns. */
static void find_names(struct aw_decoder *d)
{
    struct aw_session *session = d->session;
    enum aw_style style = aw_session_style(session);
    d->named = session->tool->names.any && !session->options.print.fields &&
               (style == AW_STYLE_TEXT || style == AW_STYLE_JSON) &&
               session->tool->names.any(session);
}

void aw_decoder_begin(struct aw_decoder *d, const char *name, enum aw_input input)
{
    if (d->session->tool->names.take)
        d->session->tool->names.take(d->session, NULL);
    find_names(d);
    d->name = name;
    d->input = input;
    d->dir = d->wanted;
    d->line = 0;
    d->passing = false;
    d->skipped = (struct aw_skipped){0};
    d->time_ns = AW_NO_TIME;
    d->framer = (struct aw_framer){.dir = d->dir};
    aw_pcap_end(&d->reader);
    d->reader.about = aw_session_about;
    d->reader.context = d->session;
    for (size_t i = 0; i < 2; i++)
        d->ways[i] = (struct aw_way){.framer.dir = i ? AW_RX : AW_TX,
                                     .held = d->session->device.frame + i * (AW_FRAME_ROOM / 2)};
}

void aw_decoder_report(struct aw_decoder *d, const char *text)
{
    if (d->bad == 0)
        aw_fail(&d->first, AW_MALFORMED, "%s", text);
    if (d->bad++ >= COMPLAINTS_MAX || !d->name)
        return;
    aw_output_flush(&d->session->out, NULL);
    struct aw_error why;
    aw_fail(&why, AW_MALFORMED, "%s", text);
    if (d->input == AW_INPUT_CAPTURE)
        aw_fail(&why, AW_MALFORMED, "%.120s: packet %" PRIu64 ": %s", d->name, d->line, text);
    else if (d->input == AW_INPUT_STREAM)
        aw_fail(&why, AW_MALFORMED, "%.120s: %s", d->name, text);
    else
        aw_fail_in(&why, d->name, d->line, d->column);
    aw_session_report(d->session, "%s: %s\n", d->session->tool->name, why.text);
}

static enum aw_status show(struct aw_decoder *d)
{
    struct aw_session *session = d->session;
    struct aw_output *out = &session->out;
    char name[AW_POINT_NAME];
    d->record.time_ns = d->time_ns;
    if (d->wants && !d->wants(d->context, &d->record))
        return AW_OK;
    d->records++;
    if (d->take)
        return d->take(d->context, &d->record);
    if (session->tool->notice)
        session->tool->notice(session, &d->record);
    char *at = aw_output_reserve(out, AW_VIEW_MAX + AW_RECORD_NAME_MAX);
    size_t size = aw_view_record(d->view, &d->record, at);
    if (d->named && size && *aw_session_subject(session, &d->record, name, sizeof name))
        size = aw_record_add_name(aw_session_style(session), name, at, size);
    aw_output_done(out, at + size);
    if (out->error)
        return aw_output_flush(out, &session->err);
    return d->limit && d->records >= d->limit ? AW_ENOUGH : AW_OK;
}

/* Shows a record even if a float is not a number; its value is null. */
static enum aw_status decode_frame(struct aw_decoder *d, struct aw_span frame, bool inside)
{
    struct aw_session *session = d->session;
    d->seen++;
    if (!aw_session_concerns(session, frame, ""))
        return AW_OK;
    enum aw_status status = aw_wire_decode(d->wire, d->dir, frame, &d->record, NULL);
    if (status != AW_OK && d->name && aw_wire_is_other(d->wire, d->dir, frame)) {
        aw_skip_frame(&d->skipped, frame);
        return AW_OK;
    }
    if (status != AW_OK)
        status = aw_wire_decode(d->wire, d->dir, frame, &d->record, &session->err);
    bool readable = status == AW_OK || d->record.present != 0;
    if (status != AW_OK)
        aw_decoder_report(d, session->err.text);
    if (readable && session->tool->ordered.fill)
        session->tool->ordered.fill(session, &d->record, inside);
    return readable ? show(d) : AW_OK;
}

static void report_rest(struct aw_decoder *d, size_t size, const char *what)
{
    aw_fail(&d->session->err, AW_MALFORMED, "truncated, the last %zu bytes are not a complete %s",
            size, what);
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
            status = decode_frame(d, frame, aw_framer_inside(d->wire, framer));
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
    else if (d->wire->variant.envelope && d->framer.left)
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
    if (d->name)
        status = aw_candump_next(&d->skipped.lines, line, length, &entry, &d->session->err);
    else if (!aw_candump_read(line, length, &entry))
        status = AW_MALFORMED;
    if (status == AW_MORE)
        return AW_OK;
    if (status == AW_MALFORMED && !d->skipped.lines.asc.on)
        return decode_hex(d, line, length);
    if (status == AW_MALFORMED) {
        aw_decoder_report(d, d->session->err.text);
        return AW_OK;
    }
    if (status != AW_OK) {
        aw_fail_in(&d->session->err, d->name, d->line, 0);
        return status;
    }
    d->column = aw_candump_column(&entry, line, length);
    d->time_ns = entry.has_time ? entry.time_ns : AW_NO_TIME;
    d->dir = entry.dir ? entry.dir : d->wanted;
    if (!entry.size)
        return decode_hex(d, entry.frame, entry.length);
    return decode_frame(d, (struct aw_span){entry.bytes, entry.size}, false);
}

static bool is_ours(const struct aw_decoder *d, enum aw_linktype linktype,
                    const struct aw_payload *payload)
{
    enum aw_medium medium = d->wire->protocol->medium;
    return aw_linktype_suits(linktype, medium) && payload->tcp == (medium == AW_MEDIUM_TCP) &&
           aw_payload_is_of(payload, d->ports);
}

/* Reads names, which are before the first packet or in a packet's comment. */
static void read_names(struct aw_decoder *d, const struct aw_packet *packet)
{
    char comment[512];
    if (packet->comment && d->session->tool->names.take) {
        snprintf(comment, sizeof comment, "%.*s", (int)packet->comment_length, packet->comment);
        d->session->tool->names.take(d->session, comment);
    }
    if (packet->comment || d->line == 1)
        find_names(d);
}

static enum aw_status decode_packet(struct aw_decoder *d, const struct aw_packet *packet)
{
    struct aw_payload payload;
    d->line++;
    read_names(d, packet);
    if (!aw_packet_open(packet, &payload) || !is_ours(d, packet->linktype, &payload))
        return AW_OK;
    d->time_ns = packet->time_ns;
    d->dir = aw_payload_dir(&payload, d->ports);
    if (!d->dir)
        d->dir = d->wanted;
    struct aw_way *way = &d->ways[d->dir == AW_TX ? 0 : 1];
    if (d->wire->protocol->datagrams)
        return decode_frame(d, payload.data, false);
    /* A frame may span several packets. A frame within one packet is decoded in place. Drops
     * repeated bytes; after a gap, also drops the saved part of a frame. */
    bool gap;
    struct aw_span segment = aw_tcp_in_order(&way->order, &payload, &gap);
    if (gap) {
        way->size = 0;
        way->framer = (struct aw_framer){.dir = way->framer.dir};
    }
    size_t used = 0;
    enum aw_status status = AW_OK;
    if (way->size == 0)
        status = decode_frames(d, &way->framer, segment, &used);
    segment = (struct aw_span){segment.data + used, segment.size - used};
    while (segment.size && status == AW_OK) {
        size_t room = AW_FRAME_ROOM / 2 - way->size;
        size_t step = segment.size < room ? segment.size : room;
        memcpy(way->held + way->size, segment.data, step);
        way->size += step;
        segment = (struct aw_span){segment.data + step, segment.size - step};
        status = decode_frames(d, &way->framer, (struct aw_span){way->held, way->size}, &used);
        if (used == 0 && way->size == AW_FRAME_ROOM / 2) /* longer than any frame */
            used = way->size;
        way->size -= used;
        memmove(way->held, way->held + used, way->size);
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
        aw_pcap_end(&d->reader);
        *used = in.size;
    }
    return status;
}

static size_t to_line_end(struct aw_decoder *d, const char *data, size_t size)
{
    const char *end = memchr(data, '\n', size);
    d->passing = !end;
    return end ? (size_t)(end - data) + 1 : size;
}

static enum aw_status decode_lines(struct aw_decoder *d, const char *data, size_t size, bool last,
                                   size_t *used)
{
    enum aw_status status = AW_OK;
    *used = d->passing ? to_line_end(d, data, size) : 0;
    while (status == AW_OK && *used < size) {
        const char *line = data + *used, *end = memchr(line, '\n', size - *used);
        if (!end && !last)
            break;
        size_t length = end ? (size_t)(end - line) : size - *used;
        *used += length + (end != NULL);
        d->passing = !end;
        d->line++;
        d->column = 0;
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
    bool text = d->wire->protocol->can || (size && (uint8_t)*data == AW_MCAP_FIRST);
    if (d->input == AW_INPUT_UNKNOWN && text &&
        aw_log_is_foreign((struct aw_span){(const uint8_t *)data, size},
                          d->name ? d->name : "input", &d->session->err))
        return AW_USAGE;
    if (d->input == AW_INPUT_UNKNOWN)
        d->input = aw_input_guess(d->wire->protocol, data, size);
    if (d->input == AW_INPUT_CAPTURE)
        return decode_capture(d, (struct aw_span){(const uint8_t *)data, size}, last, used);
    if (d->input == AW_INPUT_STREAM)
        return decode_stream(d, (struct aw_span){(const uint8_t *)data, size}, last, used);
    return decode_lines(d, data, size, last, used);
}

enum aw_status aw_fail_foreign(struct aw_session *session, const char *path, const char *program)
{
    return aw_fail(&session->err, AW_USAGE, "%.200s has no messages of %s — %s%s", path,
                   session->tool->name, *program ? "written by " : "check which tool made it",
                   program);
}

void aw_notice_foreign(struct aw_session *session, const char *path, const char *program)
{
    aw_fail_foreign(session, path, program);
    aw_session_notice(session, "%s", session->err.text);
    session->err = (struct aw_error){.status = AW_OK};
}

enum aw_status aw_decoder_end(struct aw_decoder *d)
{
    aw_pcap_end(&d->reader);
    if (d->bad == 0)
        return AW_OK;
    if (!d->name) {
        d->session->err = d->first;
        return AW_MALFORMED;
    }
    return aw_fail(&d->session->err, AW_MALFORMED,
                   "%s: %" PRIu64 " damaged part%s, %" PRIu64 " record%s decoded", d->name, d->bad,
                   d->bad == 1 ? "" : "s", d->records, d->records == 1 ? "" : "s");
}
