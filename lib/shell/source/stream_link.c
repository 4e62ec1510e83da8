/* Reads records from the device, with the tool's receive hook or directly from the link. */
#include <string.h>

#include "shell/safety/safety.h"
#include "shell/source/stream_source.h"

/* pause after a message, so that the next ones are read in blocks */
#define REST_NS (4 * AW_MILLISECOND)

static enum aw_status decode_frame(struct aw_stream *s, struct aw_span frame, enum aw_dir dir,
                                   bool inside)
{
    enum aw_status status = aw_wire_decode(s->wire, dir, frame, &s->record, NULL);
    if (status != AW_OK && aw_wire_is_other_node(s->wire, dir, frame))
        aw_skip_frame(&s->skipped, frame);
    else if (status != AW_OK)
        s->counters.damaged++;
    if (status != AW_OK && !s->record.present)
        return AW_MALFORMED;
    if (s->session->tool->records.ordered.fill)
        s->session->tool->records.ordered.fill(s->session, &s->record, inside);
    s->item.record = &s->record;
    s->item.received.frame = frame;
    s->item.received.dir = dir;
    return AW_OK;
}

/* Checks the time, because constant foreign traffic would prevent every timeout. */
static bool is_over(const struct aw_stream *s, int64_t deadline)
{
    return aw_clock_now(s->session->clock) > deadline;
}

/* ---- With the tool's receive ---- */

/* Calls the tool's receive before anything is drawn, because its first call opens the link. */
static enum aw_status receive_begin(struct aw_stream *s, const char *name)
{
    (void)name;
    enum aw_status status = s->source->next(s, aw_clock_now(s->session->clock));
    s->input.read_ahead = status == AW_OK;
    return status == AW_TIMEOUT ? AW_OK : status;
}

static enum aw_status receive_next(struct aw_stream *s, int64_t deadline)
{
    for (;;) {
        struct aw_received received = {.dir = AW_RX, .time_ns = AW_NO_TIME};
        enum aw_status status = s->session->tool->talk.receive(s->session, deadline, &received);
        if (status != AW_OK)
            return status;
        if (received.frame.size == 0 && received.notice)
            aw_session_print_notice(s->session, "%s", received.notice);
        bool is_selected =
            received.frame.size && aw_session_is_selected(s->session, received.frame, "");
        if (!is_selected ||
            decode_frame(s, received.frame, received.dir, received.is_inner) != AW_OK) {
            if (is_over(s, deadline))
                return AW_TIMEOUT;
            continue;
        }
        s->item.time_ns =
            received.time_ns == AW_NO_TIME ? aw_session_time(s->session) : received.time_ns;
        s->item.received = received;
        return AW_OK;
    }
}

const struct aw_source aw_receive_source = {.begin = receive_begin, .next = receive_next};

/* ---- Directly from the link ---- */

struct link_reader {
    struct aw_framer framer;
    bool busy;       /* bytes arrived since the last pause */
    int64_t read_ns; /* arrival time of the bytes in the buffer */
};

static void link_restart(struct aw_stream *s)
{
    *(struct link_reader *)s->state = (struct link_reader){.framer = {.dir = AW_RX}};
    s->input.buffered = s->input.used = 0;
}

static enum aw_status link_begin(struct aw_stream *s, const char *name)
{
    (void)name;
    if (!aw_stream_state(s, sizeof(struct link_reader)))
        return AW_NO_MEMORY;
    link_restart(s);
    return aw_session_open_link(s->session);
}

/* Returns the next frame in the buffer, or AW_MORE. */
static enum aw_status next_frame(struct aw_stream *s, struct aw_framer *framer)
{
    struct aw_error *err = &s->session->err;
    while (s->input.used < s->input.buffered) {
        struct aw_span frame, rest = {(const uint8_t *)s->input.buffer + s->input.used,
                                      s->input.buffered - s->input.used};
        size_t step = 0;
        enum aw_status status = aw_wire_next(s->wire, framer, rest, &frame, &step, err);
        s->input.used += step;
        if (status == AW_MORE)
            break;
        if (status == AW_MALFORMED)
            s->counters.damaged++;
        else if (decode_frame(s, frame, AW_RX, aw_framer_is_inside(s->wire, framer)) == AW_OK)
            return AW_OK;
    }
    /* A datagram that ends within a message, or a full buffer without a frame, cannot be completed:
     * drops these bytes. */
    bool is_incomplete = s->session->device.link->datagrams ||
                         (s->input.used == 0 && s->input.buffered == AW_STREAM_BLOCK);
    s->counters.damaged += is_incomplete && s->input.used < s->input.buffered;
    s->input.used = is_incomplete ? s->input.buffered : s->input.used;
    memmove(s->input.buffer, s->input.buffer + s->input.used, s->input.buffered - s->input.used);
    s->input.buffered -= s->input.used;
    s->input.used = 0;
    return AW_MORE;
}

/* Reads available bytes at once, then pauses, so that fast messages are read in blocks. */
static enum aw_status read_link(struct aw_stream *s, struct link_reader *reading, int64_t deadline)
{
    struct aw_link *link = s->session->device.link;
    struct aw_clock *clock = s->session->clock;
    size_t n_read = 0;
    int64_t now = aw_clock_now(clock), until = reading->busy ? now : deadline;
    enum aw_status status =
        aw_link_read(link, s->input.buffer + s->input.buffered, AW_STREAM_BLOCK - s->input.buffered,
                     &n_read, until, &s->session->err);
    s->input.buffered += n_read;
    if (status == AW_EVENT && link->rx.event[0])
        aw_session_print_notice(s->session, "%s", link->rx.event);
    if (status != AW_TIMEOUT || !reading->busy) {
        reading->busy = reading->busy || n_read > 0;
        return status == AW_EVENT ? AW_OK : status;
    }
    reading->busy = false;
    return aw_clock_sleep(clock, aw_min_time(now + REST_NS, deadline));
}

static enum aw_status link_next(struct aw_stream *s, int64_t deadline)
{
    struct link_reader *reading = s->state;
    enum aw_status status;
    bool timed_out = false;
    while ((status = next_frame(s, &reading->framer)) == AW_MORE) {
        status = timed_out ? AW_TIMEOUT : read_link(s, reading, deadline);
        if (status != AW_OK)
            return status;
        int64_t time_ns = s->session->device.link->rx.time_ns;
        reading->read_ns = time_ns ? time_ns : aw_session_time(s->session);
        timed_out = is_over(s, deadline);
    }
    s->item.time_ns = reading->read_ns;
    return status;
}

const struct aw_source aw_link_source = {
    .begin = link_begin, .next = link_next, .restart = link_restart};
