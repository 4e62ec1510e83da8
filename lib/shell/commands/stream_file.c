/* The source of records in a recording: pcapng, pcap or candump. */
#include <stdlib.h>

#include "shell/commands/stream_source.h"

static enum aw_status keep(void *context, const struct aw_record *record)
{
    struct aw_stream *s = context;
    struct aw_queue *queue = &s->queue;
    if (queue->n == queue->room) {
        size_t room = queue->room ? queue->room * 2 : 256;
        struct aw_record *records = realloc(queue->records, room * sizeof *records);
        if (!records)
            return aw_no_memory(&s->session->err);
        queue->records = records;
        queue->room = room;
    }
    queue->records[queue->n++] = *record;
    return AW_OK;
}

/* Decodes what is held, and reads on until there is a record. */
static enum aw_status fill_queue(struct aw_stream *s, int64_t deadline)
{
    enum aw_status status = AW_OK;
    s->queue.n = s->queue.next = 0;
    while (status == AW_OK && s->queue.n == 0) {
        size_t used = 0;
        bool full = s->used == 0 && s->held == AW_STREAM_BLOCK;
        status =
            aw_decoder_feed(s->decoder, s->buffer + s->used, s->held - s->used, s->ended, &used);
        if (status == AW_OK && used == 0 && full)
            status = aw_decoder_feed(s->decoder, s->buffer, s->held, true, &used);
        s->used += used;
        s->counters.damaged = s->decoder->bad;
        if (status == AW_OK && s->queue.n == 0)
            status = s->ended ? AW_END : aw_stream_fill(s, deadline);
        if (status == AW_END && s->held > s->used && s->ended)
            status = AW_OK; /* the end of the file is the end of its last line, too */
    }
    return status;
}

static enum aw_status capture_next(struct aw_stream *s, int64_t deadline)
{
    enum aw_status status = AW_OK;
    if (s->queue.next == s->queue.n)
        status = fill_queue(s, deadline);
    if (status != AW_OK)
        return status;
    s->record = s->queue.records[s->queue.next++];
    s->item.record = &s->record;
    s->item.time_ns = s->record.time_ns;
    s->item.received.dir = s->record.dir;
    return AW_OK;
}

static const struct aw_source capture_source = {.next = capture_next};

enum aw_status aw_capture_begin(struct aw_stream *s, const char *name)
{
    s->source = &capture_source;
    s->decoder = calloc(1, sizeof *s->decoder);
    if (!s->decoder)
        return aw_no_memory(&s->session->err);
    *s->decoder = (struct aw_decoder){.take = keep, .context = s};
    enum aw_status status = aw_decoder_init(s->decoder, s->session);
    s->decoder->limit = 0;
    aw_decoder_begin(s->decoder, name, AW_INPUT_UNKNOWN);
    return status;
}
