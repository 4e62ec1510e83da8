#include <string.h>

#include "shell/common.h"
#include "shell/decoder.h"

/* Shows what the link brings until --count, --for or a signal ends it. */
struct watcher {
    struct aw_decoder decoder;
    struct aw_link *link;
    size_t held;
    char buffer[65536];
};

static enum aw_status take(struct watcher *w)
{
    struct aw_decoder *d = &w->decoder;
    size_t used = w->held;
    enum aw_status status;
    d->time_ns = aw_session_time(d->session);
    if (w->link->datagrams)
        status = aw_decoder_feed(d, w->buffer, w->held, true, &used);
    else
        status = aw_decoder_feed(d, w->buffer, w->held, w->held == sizeof w->buffer, &used);
    memmove(w->buffer, w->buffer + used, w->held - used);
    w->held -= used;
    aw_output_flush(&d->session->out, NULL);
    return status;
}

static enum aw_status watch(struct watcher *w, int64_t deadline)
{
    struct aw_session *session = w->decoder.session;
    enum aw_status status = AW_OK;
    while (status == AW_OK) {
        size_t got = 0;
        status = aw_link_read(w->link, w->buffer + w->held, sizeof w->buffer - w->held, &got,
                              deadline, &session->err);
        w->held += got;
        if (status == AW_OK)
            status = take(w);
    }
    return status == AW_MORE || status == AW_TIMEOUT ? AW_OK : status;
}

enum aw_status aw_run_watch(struct aw_session *session, const struct aw_args *args)
{
    static const enum aw_input input = AW_INPUT_STREAM;
    struct watcher *w = &(struct watcher){.decoder = {.session = session, .name = "link"}};
    double seconds = aw_option_number(session, "for");
    (void)args;
    enum aw_status status = aw_session_link(session, &w->link);
    if (status == AW_OK)
        status = aw_decoder_init(&w->decoder, session);
    if (status != AW_OK)
        return status;
    w->decoder.input = input;
    return watch(w,
                 seconds > 0 ? aw_clock_now(session->clock) + (int64_t)(seconds * 1e9) : AW_NEVER);
}
