#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "capture/candump.h"
#include "capture/packet.h"
#include "capture/pcapng.h"
#include "traffic.h"

struct recorder;

/* One way of writing a frame; the file's ending chooses it. */
struct format {
    const char *ending;
    enum aw_style style; /* of decoded records */
    void (*begin)(struct recorder *r);
    void (*frame)(struct recorder *r, const struct aw_pid_frame *frame, int64_t time_ns);
};

struct recorder {
    struct aw_session *session;
    const struct format *format;
    FILE *file;
    struct aw_wire *wire;
    struct aw_view *view;
    struct aw_wrapper wrapper;
    char interface[32];
    uint64_t frames, limit;
};

static void log_begin(struct recorder *r)
{
    (void)r;
}

static void log_frame(struct recorder *r, const struct aw_pid_frame *frame, int64_t time_ns)
{
    char line[AW_CANDUMP_MAX];
    size_t n =
        aw_candump_write(line, r->interface, time_ns, (struct aw_span){frame->bytes, frame->size});
    fwrite(line, 1, n, r->file);
}

static void pcapng_begin(struct recorder *r)
{
    uint8_t block[AW_PCAPNG_BEGIN_MAX];
    r->wrapper = (struct aw_wrapper){.medium = AW_MEDIUM_CAN};
    fwrite(block, 1, aw_pcapng_begin(block, AW_LINKTYPE_CAN, r->interface), r->file);
}

static void pcapng_frame(struct recorder *r, const struct aw_pid_frame *frame, int64_t time_ns)
{
    uint8_t wrapped[AW_PID_FRAME_MAX + AW_WRAP_MAX], block[sizeof wrapped + 64];
    enum aw_dir dir = frame->own ? AW_TX : AW_RX;
    size_t n = aw_wrap(&r->wrapper, dir, (struct aw_span){frame->bytes, frame->size}, wrapped,
                       sizeof wrapped);
    struct aw_packet packet = {
        .time_ns = time_ns, .dir = dir, .linktype = AW_LINKTYPE_CAN, .data = {wrapped, n}};
    fwrite(block, 1, aw_pcapng_packet(block, sizeof block, &packet), r->file);
}

static void view_begin(struct recorder *r)
{
    char header[AW_VIEW_MAX];
    struct aw_view_options options = {.style = r->format->style};
    r->view = aw_view_new(r->wire, &options, &r->session->err);
    if (r->view)
        fwrite(header, 1, aw_view_header(r->view, header), r->file);
}

static void view_frame(struct recorder *r, const struct aw_pid_frame *frame, int64_t time_ns)
{
    struct aw_record record;
    char line[AW_VIEW_MAX];
    struct aw_span bytes = {frame->bytes, frame->size};
    if (!r->view || aw_wire_decode(r->wire, frame->record.dir, bytes, &record, NULL) != AW_OK)
        return;
    record.time_ns = time_ns;
    fwrite(line, 1, aw_view_record(r->view, &record, line), r->file);
}

static const struct format formats[] = {
    {".log", AW_STYLE_TEXT, log_begin, log_frame},
    {".pcapng", AW_STYLE_TEXT, pcapng_begin, pcapng_frame},
    {".csv", AW_STYLE_CSV, view_begin, view_frame},
    {".ndjson", AW_STYLE_JSON, view_begin, view_frame},
};

static const struct format *format_of(const char *path)
{
    const char *dot = strrchr(path, '.');
    for (size_t i = 0; dot && i < sizeof formats / sizeof *formats; i++)
        if (strcmp(dot, formats[i].ending) == 0)
            return &formats[i];
    return NULL;
}

static bool on_frame(void *context, const struct aw_pid_frame *frame)
{
    struct recorder *r = context;
    if (frame->size == 0) {
        aw_session_say(r->session, "%s", r->session->link->event);
        return true;
    }
    int64_t time =
        frame->record.time_ns != AW_NO_TIME ? frame->record.time_ns : aw_session_time(r->session);
    r->format->frame(r, frame, time);
    r->frames++;
    return !(r->limit && r->frames >= r->limit);
}

/* What came is written out whenever the bus is quiet for a moment: a killed recorder leaves a file
 * to read. */
static enum aw_status record(struct recorder *r, int64_t deadline)
{
    struct aw_session *session = r->session;
    enum aw_status status = AW_OK;
    while (status == AW_OK && aw_clock_now(session->clock) < deadline &&
           !(r->limit && r->frames >= r->limit)) {
        status = pid_round(session, deadline, on_frame, r);
        if (fflush(r->file) != 0 || ferror(r->file))
            return aw_fail(&session->err, AW_LOST, "record: %s — the file ends here",
                           strerror(errno));
    }
    return status;
}

static enum aw_status open_recorder(struct recorder *r, const char *path)
{
    struct aw_session *session = r->session;
    r->format = format_of(path);
    if (!r->format)
        return aw_fail(&session->err, AW_USAGE,
                       "record: '%.100s' — the ending says the format: .log, .pcapng, .csv or "
                       ".ndjson",
                       path);
    enum aw_status status = pid_ready(session);
    if (status == AW_OK)
        status = aw_session_decoding_wire(session, &r->wire);
    if (status != AW_OK)
        return status;
    traffic_interface(session, r->interface, sizeof r->interface);
    r->file = fopen(path, "we");
    if (!r->file)
        return aw_fail(&session->err, AW_REFUSED, "%.200s: %s", path, strerror(errno));
    r->format->begin(r);
    return AW_OK;
}

enum aw_status run_record(struct aw_session *session, const struct aw_args *args)
{
    struct recorder r = {.session = session, .limit = (uint64_t)aw_option_number(session, "count")};
    double seconds = aw_option_number(session, "for");
    enum aw_status status = open_recorder(&r, aw_arg(args, "file", 0));
    if (status == AW_OK) {
        int64_t now = aw_clock_now(session->clock);
        status = record(&r, seconds > 0 ? now + (int64_t)(seconds * 1e9) : AW_NEVER);
    }
    aw_view_free(r.view);
    if (r.file && fclose(r.file) != 0 && status == AW_OK)
        status = aw_fail(&session->err, AW_LOST, "record: %s", strerror(errno));
    aw_object_start(&session->result, "record");
    aw_object_number(&session->result, "frames", (double)r.frames, 0, NULL);
    return status;
}

struct dumper {
    struct aw_session *session;
    bool line, decoded;
    char interface[32];
    uint64_t left;
    bool counted;
};

static bool dump_frame(void *context, const struct aw_pid_frame *frame)
{
    struct dumper *d = context;
    struct aw_output *out = &d->session->out;
    char line[AW_CANDUMP_MAX];
    struct aw_record record;
    struct aw_span bytes = {frame->bytes, frame->size};
    if (frame->size == 0)
        return true;
    int64_t time =
        frame->record.time_ns != AW_NO_TIME ? frame->record.time_ns : aw_session_time(d->session);
    size_t n = aw_candump_write(line, d->interface, time, bytes);
    if (d->line)
        aw_output_write(out, line, d->decoded ? n - 1 : n);
    if (d->line && d->decoded)
        aw_output_write(out, "  ", 2);
    if (d->decoded &&
        aw_wire_decode(d->session->wire, frame->record.dir, bytes, &record, NULL) == AW_OK) {
        record.time_ns = time;
        aw_session_show(d->session, &record);
    }
    d->left -= d->counted;
    return !(d->counted && d->left == 0) && !out->error;
}

enum aw_status run_dump(struct aw_session *session, const struct aw_args *args)
{
    const char *as = aw_option(session, "as");
    struct dumper d = {.session = session,
                       .line = strcmp(as, "decoded") != 0,
                       .decoded = strcmp(as, "candump") != 0};
    double seconds = aw_option_number(session, "for");
    (void)args;
    if (aw_session_json(session))
        d.line = !(d.decoded = true); /* records only: a program reads them */
    d.left = (uint64_t)aw_option_number(session, "count");
    d.counted = d.left > 0;
    enum aw_status status = pid_ready(session);
    if (status != AW_OK)
        return status;
    traffic_interface(session, d.interface, sizeof d.interface);
    int64_t end = seconds > 0 ? aw_clock_now(session->clock) + (int64_t)(seconds * 1e9) : AW_NEVER;
    while (status == AW_OK && aw_clock_now(session->clock) < end && !(d.counted && d.left == 0)) {
        status = pid_round(session, end, dump_frame, &d);
        if (status == AW_OK)
            status = aw_output_flush(&session->out, &session->err);
    }
    return status;
}
