#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "state.h"

struct watcher {
    struct aw_session *session;
    struct aw_wire *wire;
    uint64_t left; /* records to go; 0: no end */
    bool counted;
    enum aw_status status;
};

/* Frames are decoded again, with the wire that the view is for: --raw shows wire numbers. */
static bool show_frame(void *context, const struct aw_pid_frame *frame)
{
    struct watcher *w = context;
    struct aw_session *session = w->session;
    struct aw_record record;
    if (frame->size == 0) {
        aw_session_say(session, "%s", session->link->event);
        return true;
    }
    struct aw_span bytes = {frame->bytes, frame->size};
    if (aw_wire_decode(w->wire, frame->record.dir, bytes, &record, &session->err) != AW_OK)
        return true;
    record.time_ns =
        frame->record.time_ns != AW_NO_TIME ? frame->record.time_ns : aw_session_time(session);
    w->status = aw_session_show(session, &record);
    if (w->counted)
        w->left--;
    return w->status == AW_OK && !(w->counted && w->left == 0);
}

/* Flushed when the link is idle for a moment, so that a flood goes out in blocks. */
static enum aw_status watch_lines(struct watcher *w, int64_t deadline)
{
    struct aw_session *session = w->session;
    enum aw_status status = AW_OK;
    while (status == AW_OK && w->status == AW_OK && !(w->counted && w->left == 0) &&
           aw_clock_now(session->clock) < deadline) {
        status = pid_round(session, deadline, show_frame, w);
        if (status == AW_OK)
            status = aw_output_flush(&session->out, &session->err);
    }
    return status == AW_OK ? w->status : status;
}

static void table_row(struct aw_session *session, unsigned board, int64_t now)
{
    static const char *const errors[] = {"", "pid config", "fix-link encoder", "lever encoder"};
    const struct aw_pid_board *b = aw_pid_board(pid_of(session), board);
    const struct aw_pid_stream *stream = &b->streams[AW_PID_PID];
    char name[AW_PID_NAME_MAX];
    if (!stream->count)
        return;
    int controller = b->controller;
    double age_ms = (double)aw_pid_age_ns(stream, now) / 1e6;
    aw_output_print(
        &session->out,
        "%-7s %-4s %9.3f %9.3f %8.2f %9.2f %9.2f %9.2f %6.0f %7.3f %6.1f %6.0f %s\033[K\n",
        aw_pid_board_name(&session->wire->variant, board, name),
        controller == AW_PID_LAST ? "?" : aw_pid_controller_name(controller),
        controller == AW_PID_LAST ? b->setpoint : aw_pid_from_percent(controller, b->setpoint),
        controller == AW_PID_LAST ? b->measured : aw_pid_from_percent(controller, b->measured),
        b->output, b->fix_link_angle, b->lever_angle, b->torque, b->velocity, b->current,
        aw_pid_rate_hz(stream, now), age_ms,
        b->error >= 0 && b->error < 4 ? errors[b->error] : "unknown error");
}

/* A classic frame with six bytes has 91 bits and, on average, some stuffed ones. */
static double bus_load(const struct aw_session *session, int64_t now)
{
    static const double bits = 100, bit_rate = 1e6;
    struct aw_pid *pid = pid_of((struct aw_session *)session);
    double frames = 0;
    for (unsigned i = 0; i < AW_PID_BOARDS; i++)
        for (int k = 0; k < AW_PID_KINDS; k++)
            frames += aw_pid_rate_hz(&pid->boards[i].streams[k], now);
    return 100 * frames * bits / bit_rate;
}

static void draw_table(struct aw_session *session)
{
    int64_t now = aw_clock_now(session->clock);
    struct aw_pid *pid = pid_of(session);
    struct aw_output *out = &session->out;
    aw_output_print(out,
                    "\033[H\033[1m%-7s %-4s %9s %9s %8s %9s %9s %9s %6s %7s %6s %6s\033[0m\033[K\n",
                    "board", "ctl", "setpoint", "measured", "output%", "fix deg", "lever deg",
                    "torque Nm", "rpm", "A", "Hz", "age ms");
    for (unsigned i = 0; i < AW_PID_BOARDS; i++)
        table_row(session, i * 32, now);
    aw_output_print(out,
                    "\nbus %.1f %%   %" PRIu64 " telemetry   %" PRIu64 " commands   %" PRIu64
                    " damaged   %" PRIu64 " dropped   %s\033[K\033[J\n",
                    bus_load(session, now), pid->counters.telemetry, pid->counters.commands_seen,
                    pid->counters.malformed, session->link->dropped, session->link->event);
}

static bool count_frame(void *context, const struct aw_pid_frame *frame)
{
    struct watcher *w = context;
    if (frame->size && w->counted)
        w->left--;
    return !(w->counted && w->left == 0);
}

static enum aw_status watch_table(struct watcher *w, int64_t deadline)
{
    struct aw_session *session = w->session;
    enum aw_status status = AW_OK;
    aw_output_print(&session->out, "\033[2J\033[?25l");
    while (status == AW_OK && aw_clock_now(session->clock) < deadline &&
           !(w->counted && w->left == 0)) {
        int64_t next = aw_clock_now(session->clock) + 100 * AW_MILLISECOND;
        while (status == AW_OK && aw_clock_now(session->clock) < next && !(w->counted && !w->left))
            status = pid_round(session, next, count_frame, w);
        draw_table(session);
        if (status == AW_OK)
            status = aw_output_flush(&session->out, &session->err);
    }
    aw_output_print(&session->out, "\033[?25h");
    return status;
}

static bool wants_table(const struct aw_session *session)
{
    return session->out.color && isatty(STDOUT_FILENO) && !aw_session_json(session) &&
           !aw_session_csv(session) && !aw_flag(session, "format") && !aw_flag(session, "fields");
}

enum aw_status run_watch(struct aw_session *session, const struct aw_args *args)
{
    struct watcher w = {.session = session, .left = (uint64_t)aw_option_number(session, "count")};
    double seconds = aw_option_number(session, "for");
    (void)args;
    w.counted = w.left > 0;
    enum aw_status status = pid_ready(session);
    if (status == AW_OK)
        status = aw_session_decoding_wire(session, &w.wire);
    if (status != AW_OK)
        return status;
    int64_t deadline =
        seconds > 0 ? aw_clock_now(session->clock) + (int64_t)(seconds * 1e9) : AW_NEVER;
    return wants_table(session) ? watch_table(&w, deadline) : watch_lines(&w, deadline);
}
