/* Opens the requested source of watch, plot and record, and returns its items in order. */
#include "shell/source/stream.h"

#include <errno.h>
#include <fcntl.h>
#include <math.h>
#include <poll.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/file.h"
#include "base/utf8.h"
#include "capture/foreign.h"
#include "capture/packet.h"
#include "shell/safety/safety.h"
#include "shell/safety/stop.h"
#include "shell/source/stream_source.h"

#define SILENCE_NS   (2 * AW_SECOND) /* time without a message after which the hint is printed */
#define PAUSE_NS     (200 * AW_MILLISECOND)
#define RETRY_MAX_NS (2 * AW_SECOND) /* max interval between attempts to open a link */
/* max wait for the end of the process that reads from a server */
#define CHILD_MS 1000

/* Returns the link being read; NULL: none, or not open yet. */
static const struct aw_link *get_link(const struct aw_stream *s)
{
    return aw_stream_has_link(s) ? s->session->device.link : NULL;
}

/* A recording answers no queries and does not wait, so the link is only read. On a CAN bus, receive
 * also only reads. */
static enum aw_status begin_link(struct aw_stream *s)
{
    const struct aw_tool *tool = s->session->tool;
    const char *url;
    struct aw_error saved_err = s->session->err;
    bool recorded = aw_session_get_url(s->session, &url) == AW_OK && strncmp(url, "log:", 4) == 0;
    s->session->err = saved_err;
    bool uses_receive = tool->talk.receive && (!recorded || tool->protocol->frames.is_can);
    enum aw_status status = AW_OK;
    s->input.is_live = true;
    s->source = uses_receive ? &aw_receive_source : &aw_link_source;
    if (status == AW_OK)
        status = s->source->begin(s, "");
    if (tool->help.no_answer_hint) /* by the link's clock */
        s->reconnect.report_ns = aw_clock_now(s->session->clock) + SILENCE_NS;
    return status;
}

/* Detects the format from the first bytes: captures have a magic number, candump lines begin with a
 * bracket. */
static enum aw_status begin_file(struct aw_stream *s, const char *input)
{
    const char *ending = strrchr(input, '.');
    s->input.name = aw_file_name(input);
    aw_stop_catch_signals(s->session);
    s->input.is_live = s->input.name != input;
    enum aw_status status = aw_reading_open(&s->input.reading, input, O_NONBLOCK, &s->session->err);
    if (status != AW_OK)
        return status;
    status = aw_stream_fill(s, AW_NEVER);
    if (status != AW_OK && status != AW_END)
        return status;
    struct aw_span start = {(const uint8_t *)s->input.buffer, s->input.buffered};
    s->input.buffer[s->input.buffered] = '\0';
    s->input.used = aw_utf8_bom_size(s->input.buffer);
    if (aw_log_is_foreign(start, s->input.name, &s->session->err))
        return AW_USAGE;
    const char *first =
        s->input.buffer + s->input.used + strspn(s->input.buffer + s->input.used, " \t\r\n");
    if (aw_is_capture(start) || s->input.buffer[0] == '(' ||
        aw_asc_is_header(s->input.buffer, s->input.buffered) ||
        (ending && strcmp(ending, ".log") == 0))
        s->source = &aw_capture_source;
    else
        s->source = *first == '{' || s->input.buffered == 0 ? &aw_json_source : &aw_csv_source;
    return s->source->begin(s, s->input.name);
}

/* ---- Opening and closing ---- */

struct aw_stream *aw_stream_new(struct aw_session *session)
{
    struct aw_stream *s = calloc(1, sizeof *s);
    if (!s) {
        aw_no_memory(&session->err);
        return NULL;
    }
    s->session = session;
    s->input.reading.fd = -1;
    s->reconnect.report_ns = AW_NEVER;
    s->item.subject = "";
    enum aw_status status = aw_session_select_subjects(session);
    if (status == AW_OK)
        status = aw_session_get_decoding_wire(session, &s->wire);
    if (status == AW_OK)
        aw_names_init(&s->names, s->wire);
    if (status == AW_OK)
        return s;
    aw_stream_close(s);
    return NULL;
}

enum aw_status aw_stream_open(struct aw_stream **out, struct aw_session *session, const char *input)
{
    struct aw_stream *s = aw_stream_new(session);
    *out = NULL;
    enum aw_status status = !s ? session->err.status : input ? begin_file(s, input) : begin_link(s);
    if (status != AW_OK) {
        aw_stream_close(s);
        return status;
    }
    *out = s;
    return AW_OK;
}

void aw_stream_close(struct aw_stream *s)
{
    if (!s)
        return;
    s->session->share.waits_for_server = false;
    aw_report_skipped(s->session, "link", &s->skipped);
    aw_reading_close(&s->input.reading);
    if (s->input.child.pid) {
        kill(s->input.child.pid, SIGTERM);
        aw_child_end(&s->input.child, CHILD_MS);
    }
    if (s->state && s->source->end)
        s->source->end(s);
    free(s->state);
    free(s);
}

bool aw_item_head_matches(const struct aw_where *where, const struct aw_item *item)
{
    const struct aw_record *record = item->record;
    const char *message = record    ? record->codec->message->name
                          : item->n ? item->points[0].message
                                    : "";
    return aw_where_matches_head(where, message, record ? record->dir : item->received.dir);
}

bool aw_item_matches(const struct aw_where *where, const struct aw_item *item)
{
    return aw_item_head_matches(where, item) && aw_where_holds(where, item->points, item->n);
}

/* ---- Requested names ---- */

enum aw_status aw_stream_check(struct aw_session *session, const struct aw_select *fields,
                               const struct aw_where *where)
{
    enum aw_subjects subjects = aw_session_subjects(session);
    struct aw_wire *wire;
    enum aw_status status = aw_session_get_decoding_wire(session, &wire);
    if (status != AW_OK)
        return status;
    struct aw_names *names = aw_names_new(wire, &session->err);
    status = names ? aw_select_check(fields, names, subjects, &session->err) : AW_NO_MEMORY;
    if (status == AW_OK && where)
        status = aw_where_check(where, names, subjects, &session->err);
    free(names);
    return status;
}

void aw_stream_check_first(struct aw_stream *s, const struct aw_select *fields,
                           const struct aw_where *where)
{
    bool uses_receive =
        s->source == &aw_receive_source && aw_session_subjects(s->session) == AW_SUBJECTS_ANY;
    s->wanted.fields = uses_receive ? fields : NULL;
    s->wanted.where = where;
}

void aw_stream_select(struct aw_stream *s, const struct aw_select *select)
{
    aw_finder_init(&s->wanted.finder, &s->names, select, aw_session_subjects(s->session));
    s->wanted.selection = select;
}

#define SUBJECTS_MAX 1024

struct subjects {
    size_t n;
    bool no_memory;
    char *name[SUBJECTS_MAX];
};

static void add_subject(void *context, const char *name, const char *help)
{
    struct subjects *subjects = context;
    (void)help;
    if (subjects->n == SUBJECTS_MAX || subjects->no_memory)
        return;
    subjects->no_memory = !(subjects->name[subjects->n] = strdup(name));
    subjects->n += !subjects->no_memory;
}

static enum aw_status check_expected(struct aw_stream *s)
{
    struct subjects subjects = {0};
    struct aw_select fields = {0};
    struct aw_error *err = &s->session->err;
    const char *const *names = (const char *const *)subjects.name;
    s->session->tool->records.subject.list(s->session, NULL, add_subject, &subjects);
    if (s->wanted.where)
        aw_where_list_fields(s->wanted.where, &fields);
    enum aw_status status =
        subjects.no_memory ? aw_no_memory(err)
                           : aw_select_confirm(s->wanted.fields, &s->names, names, subjects.n, err);
    if (status == AW_OK)
        status = aw_select_confirm(&fields, &s->names, names, subjects.n, err);
    while (subjects.n > 0)
        free(subjects.name[--subjects.n]);
    s->wanted.fields = NULL;
    return status;
}

/* ---- The next item ---- */

/* Text records are selected by their name, or by a name in one of their columns. */
static bool is_excluded(struct aw_stream *s)
{
    const struct aw_span none = {NULL, 0};
    bool is_selected = s->item.record || aw_session_is_selected(s->session, none, s->item.subject);
    for (size_t i = 0; i < s->item.n && !is_selected; i++)
        is_selected =
            s->points[i].text && aw_session_is_selected(s->session, none, s->points[i].text);
    return !is_selected;
}

/* If no message has arrived for SILENCE_NS, prints once why the device may be silent. */
static enum aw_status next_or_report(struct aw_stream *s, int64_t deadline)
{
    struct aw_session *session = s->session;
    int64_t until = aw_min_time(deadline, s->reconnect.report_ns);
    enum aw_status status = s->source->next(s, until);
    if (status == AW_OK)
        s->reconnect.report_ns = AW_NEVER;
    if (status != AW_TIMEOUT || aw_clock_now(session->clock) < s->reconnect.report_ns)
        return status;
    s->reconnect.report_ns = AW_NEVER;
    bool recorded = get_link(s) && get_link(s)->is_recording;
    aw_session_print_notice(session, "no messages yet — %s",
                            recorded ? "the recording has a gap here; ?speed=max skips it"
                                     : session->tool->help.no_answer_hint);
    return s->source->next(s, deadline);
}

/* ---- Lost links ---- */

void aw_stream_reconnect(struct aw_stream *s, bool any_link)
{
    s->reconnect.reconnects = aw_stream_has_link(s);
    s->reconnect.any_link = any_link;
    s->session->share.waits_for_server = s->reconnect.reconnects;
}

bool aw_stream_is_waiting(const struct aw_stream *s)
{
    return s->reconnect.link_lost;
}

/* Returns false if the link is not lost, or if the caller does not wait for it to return. */
static bool handle_loss(struct aw_stream *s, enum aw_status status)
{
    struct aw_session *session = s->session;
    bool reconnects = s->reconnect.reconnects && (s->reconnect.any_link || session->share.attached);
    if (!reconnects || (status != AW_LOST && status != AW_NO_LINK))
        return false;
    s->reconnect.link_lost = true;
    s->reconnect.pause_ns = PAUSE_NS;
    s->reconnect.retry_ns = aw_clock_now(&session->time.real.base) + s->reconnect.pause_ns;
    if (!s->reconnect.any_link)
        aw_session_print_notice(session, "%s", session->err.text);
    if (session->device.link)
        s->reconnect.lost_before += session->device.link->n_dropped;
    aw_session_close_link(session);
    if (s->source->restart)
        s->source->restart(s);
    return true;
}

/* Tries to reopen the link. Increasing pauses limit the load while a device is off. */
static enum aw_status reopen_link(struct aw_stream *s, int64_t deadline)
{
    struct aw_session *session = s->session;
    struct aw_clock *clock = &session->time.real.base;
    if (aw_clock_now(clock) < s->reconnect.retry_ns) {
        enum aw_status status = aw_clock_sleep(clock, aw_min_time(s->reconnect.retry_ns, deadline));
        return status == AW_OK ? AW_TIMEOUT : status;
    }
    enum aw_status status = aw_session_open_link(session);
    s->reconnect.link_lost = status != AW_OK;
    s->reconnect.pause_ns =
        s->reconnect.pause_ns * 2 < RETRY_MAX_NS ? s->reconnect.pause_ns * 2 : RETRY_MAX_NS;
    s->reconnect.retry_ns = aw_clock_now(clock) + s->reconnect.pause_ns;
    if (s->reconnect.link_lost)
        aw_session_close_link(session);
    else if (!s->reconnect.any_link)
        aw_session_print_notice(session, "reconnected");
    return status == AW_STOPPED ? status : AW_TIMEOUT;
}

/* ---- Items ---- */

static uint64_t find_wanted_scalars(struct aw_stream *s)
{
    uint64_t scalars = s->wanted.selection ? 0 : UINT64_MAX;
    const uint64_t *named =
        s->wanted.selection ? aw_finder_match(&s->wanted.finder, s->item.record, s->item.subject)
                            : NULL;
    for (size_t i = 0; named && i < s->wanted.selection->n; i++)
        scalars |= named[i];
    return scalars;
}

/* Reports simulation time. If the simulation restarts, its time continues from the last value, as
 * on a link. */
static void update_model_time(struct aw_stream *s)
{
    const struct aw_record *record = s->item.record;
    bool is_timed =
        strcmp(record->codec->message->name, s->session->tool->records.model_time.message) == 0;
    double seconds = is_timed
                         ? aw_record_get(record, s->session->tool->records.model_time.steps) *
                               aw_record_get(record, s->session->tool->records.model_time.step_s)
                         : (double)NAN;
    int64_t time_ns =
        isnan(seconds) ? s->model.model_ns : aw_time_after(s->model.model_base_ns, seconds);
    if (time_ns < s->model.model_ns) {
        s->model.model_base_ns = s->model.model_ns;
        time_ns = aw_time_after(s->model.model_base_ns, seconds);
    }
    s->model.model_ns = time_ns;
    s->model.known = s->model.known || !isnan(seconds);
    s->item.received.has_model_time = s->model.known;
    s->item.received.model_ns = s->model.model_ns;
}

enum aw_status aw_stream_next(struct aw_stream *s, int64_t deadline, struct aw_item *item)
{
    enum aw_status status = AW_OK;
    if (s->reconnect.link_lost)
        return reopen_link(s, deadline);
    while (!s->input.read_ahead) {
        s->item = (struct aw_item){.time_ns = AW_NO_TIME, .subject = "", .points = s->points};
        s->input.flaw.time[0] = '\0';
        s->input.flaw.excess_cells = 0;
        status = next_or_report(s, deadline);
        s->input.read_ahead = status != AW_OK || !is_excluded(s);
    }
    s->input.read_ahead = false;
    if (status == AW_LOST && get_link(s) && get_link(s)->is_recording)
        return AW_END;
    if (status != AW_OK)
        return handle_loss(s, status) ? AW_TIMEOUT : status;
    s->counters.messages++;
    if (s->item.record) {
        s->record.time_ns = s->item.time_ns;
        if (s->session->tool->records.report_problem)
            s->session->tool->records.report_problem(s->session, s->item.record);
        if (s->session->tool->records.model_time.message && !s->input.is_live)
            update_model_time(s);
        s->item.subject =
            aw_session_subject(s->session, s->item.record, s->subject, sizeof s->subject);
        s->item.points = s->points;
        s->item.n = aw_record_some_points(&s->names, s->item.record, find_wanted_scalars(s),
                                          s->item.subject, s->points, AW_POINTS_MAX);
    }
    if (s->wanted.fields && (status = check_expected(s)) != AW_OK)
        return status;
    *item = s->item;
    return AW_OK;
}

enum aw_status aw_stream_check_received(struct aw_stream *s, const char *command)
{
    struct aw_session *session = s->session;
    bool recorded = get_link(s) && get_link(s)->is_recording;
    if (!aw_stream_has_link(s) || recorded || session->tool->watch.only_answers ||
        s->counters.messages > 0)
        return AW_OK;
    const char *why = s->reconnect.report_ns == AW_NEVER
                          ? NULL
                          : session->tool->help.no_answer_hint; /* already printed */
    return aw_fail(&session->err, AW_TIMEOUT, "%s: no messages received%s%s", command,
                   why ? " — " : "", why ? why : "");
}

const struct aw_stream_counters *aw_stream_counters(struct aw_stream *s)
{
    s->counters.lost = s->reconnect.lost_before + (get_link(s) ? get_link(s)->n_dropped : 0);
    return &s->counters;
}

struct aw_names *aw_stream_names(struct aw_stream *s)
{
    return &s->names;
}

bool aw_stream_is_live(const struct aw_stream *s)
{
    return s->input.is_live;
}

bool aw_stream_has_link(const struct aw_stream *s)
{
    return !s->input.name;
}
