/* Reads records from a recording: pcapng, pcap or candump. */
#include <stdlib.h>

#include "base/grow.h"
#include "shell/source/decoder.h"
#include "shell/source/stream_source.h"

/* Queues records, because a block may contain many of them. */
struct capture {
    struct aw_decoder decoder;
    struct aw_record *records;
    size_t n, next, room;
};

static enum aw_status queue_record(void *context, const struct aw_record *record)
{
    struct capture *capture = context;
    struct aw_record *records =
        aw_grow(capture->records, &capture->room, capture->n + 1, sizeof *records);
    if (!records)
        return aw_no_memory(&capture->decoder.session->err);
    capture->records = records;
    capture->records[capture->n++] = *record;
    return AW_OK;
}

static enum aw_status capture_begin(struct aw_stream *s, const char *name)
{
    struct capture *capture = aw_stream_state(s, sizeof *capture);
    if (!capture)
        return AW_NO_MEMORY;
    capture->decoder =
        (struct aw_decoder){.output.on_record = queue_record, .output.context = capture};
    enum aw_status status = aw_decoder_init(&capture->decoder, s->session);
    aw_decoder_begin(&capture->decoder, name, AW_INPUT_UNKNOWN);
    return status;
}

#define SLICE 8192 /* bytes decoded at once, so that the records stay in the processor's cache */

static enum aw_status decode_slice(struct aw_stream *s, struct aw_decoder *decoder, size_t *used)
{
    const char *data = s->input.buffer + s->input.used;
    size_t size = s->input.buffered - s->input.used;
    enum aw_status status = AW_OK;
    *used = 0;
    if (size > SLICE)
        status = aw_decoder_feed(decoder, data, SLICE, false, used);
    if (status == AW_OK && *used == 0)
        status = aw_decoder_feed(decoder, data, size, s->input.ended, used);
    if (status == AW_OK && *used == 0 && size == AW_STREAM_BLOCK)
        status = aw_decoder_feed(decoder, data, size, true, used);
    return status;
}

/* Decodes the buffer, and reads more until there is a record. */
static enum aw_status fill_queue(struct aw_stream *s, struct capture *capture, int64_t deadline)
{
    struct aw_decoder *decoder = &capture->decoder;
    enum aw_status status = AW_OK;
    capture->n = capture->next = 0;
    while (status == AW_OK && capture->n == 0) {
        size_t used = 0;
        status = decode_slice(s, decoder, &used);
        s->input.used += used;
        s->counters.damaged = decoder->counts.damaged;
        if (status == AW_OK && capture->n == 0 && used == 0)
            status = s->input.ended ? AW_END : aw_stream_fill(s, deadline);
        if (status == AW_END && s->input.buffered > s->input.used && s->input.ended)
            status = AW_OK; /* the end of the file also ends its last line */
    }
    return status;
}

static enum aw_status capture_next(struct aw_stream *s, int64_t deadline)
{
    struct capture *capture = s->state;
    enum aw_status status = AW_OK;
    if (capture->next == capture->n)
        status = fill_queue(s, capture, deadline);
    if (status != AW_OK)
        return status;
    s->item.record = &capture->records[capture->next++];
    s->item.time_ns = s->item.record->time_ns;
    s->item.received.dir = s->item.record->dir;
    return AW_OK;
}

static void capture_end(struct aw_stream *s)
{
    struct capture *capture = s->state;
    aw_report_skipped(s->session, capture->decoder.where.name, &capture->decoder.counts.skipped);
    aw_pcap_reset(&capture->decoder.reader);
    free(capture->records);
}

const struct aw_source aw_capture_source = {
    .begin = capture_begin, .next = capture_next, .end = capture_end};
