/* canpid dump: frames of the bus as candump prints them, decoded, or both. */
#include <stdio.h>
#include <string.h>

#include "capture/candump.h"
#include "state.h"

#define FLUSH_NS (4 * AW_MILLISECOND)

struct dumper {
    struct aw_session *session;
    struct aw_wire *wire;
    bool candump, decoded;
    char interface[32];
    uint64_t remaining;
    bool limited;
};

/* Returns false after the last frame of -n. */
static bool dump_frame(struct dumper *d, const struct aw_received *received)
{
    struct aw_output *out = &d->session->out;
    char line[AW_CANDUMP_MAX];
    struct aw_record record;
    struct aw_span bytes = received->frame;
    if (bytes.size == 0 || !aw_session_is_selected(d->session, bytes, ""))
        return true;
    int64_t time =
        received->time_ns != AW_NO_TIME ? received->time_ns : aw_session_time(d->session);
    size_t n = aw_candump_write(line, d->interface, time, bytes);
    bool decoded =
        d->decoded && aw_wire_decode(d->wire, received->dir, bytes, &record, NULL) == AW_OK;
    if (d->candump)
        aw_output_write(out, line, decoded ? n - 1 : n);
    if (d->candump && decoded)
        aw_output_write(out, "  ", 2);
    if (decoded) {
        record.time_ns = time;
        aw_session_show_record(d->session, &record);
    }
    d->remaining -= d->limited && (d->candump || decoded);
    return !(d->limited && d->remaining == 0) && !out->error;
}

enum aw_status run_dump(struct aw_session *session, const struct aw_args *args)
{
    int format = canpid_command_given(session)->format;
    struct dumper d = {.session = session, .candump = format != 1, .decoded = format != 0};
    (void)args;
    if (aw_session_is_formatted(session))
        d.candump = !(d.decoded = true); /* -j prints records only */
    d.remaining = (uint64_t)session->options.run.count;
    d.limited = d.remaining > 0;
    enum aw_status status = aw_session_select_subjects(session);
    if (status == AW_OK)
        status = aw_session_get_decoding_wire(session, &d.wire);
    if (status == AW_OK)
        status = canpid_open(session);
    if (status != AW_OK)
        return status;
    aw_session_link_name(session, d.interface, sizeof d.interface);
    int64_t end = aw_session_end_time(session);
    int64_t flush_ns = AW_NEVER; /* when unflushed lines are due */
    bool has_more = true;
    for (int64_t now; status == AW_OK && has_more && (now = aw_clock_now(session->clock)) < end;) {
        struct aw_received received;
        if (now >= flush_ns) {
            status = aw_output_flush(&session->out, &session->err);
            flush_ns = AW_NEVER;
        }
        if (status == AW_OK)
            status = canpid_next_received(session, aw_min_time(flush_ns, end), &received);
        if (status == AW_OK) {
            has_more = dump_frame(&d, &received);
            flush_ns = aw_min_time(flush_ns, aw_clock_now(session->clock) + FLUSH_NS);
        } else if (status == AW_TIMEOUT)
            status = AW_OK;
    }
    return status;
}
