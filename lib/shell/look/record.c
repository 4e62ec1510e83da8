/* The command record: writes the messages on the link to a pcapng, CSV, JSON or candump file, with
 * marks. */
#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/csv.h"
#include "base/file.h"
#include "base/ready.h"
#include "shell/joints/joints.h"
#include "shell/look/look.h"
#include "shell/safety/safety.h"
#include "shell/safety/stop.h"
#include "shell/safety/tee.h"
#include "shell/safety/transmit.h"
#include "shell/source/stream.h"
#include "wire/rows.h"

#define POLL_NS (100 * AW_MILLISECOND) /* interval at which typed marks are read */

struct recorder;

/* An output format, chosen by the file extension. */
struct format {
    const char *ending;
    enum aw_style style; /* style of decoded records */
    bool uses_tee;       /* writes the bytes on the link instead of records */
    void (*write_mark)(struct recorder *r, int64_t time_ns, const char *text);
};

struct recorder {
    struct aw_session *session;
    const struct format *format;
    struct aw_stream *stream;
    const char *path;
    FILE *file; /* NULL: written by the tee, or not created yet */
    struct aw_wire *wire;
    struct aw_view *view;
    const struct aw_select *fields; /* fields to write (--fields) */
    struct {
        uint64_t messages, marks, limit;
    } counts;
    int64_t start_ns;
    bool owns_tee;    /* this command created the tee */
    bool adds_names;  /* adds the subject to records whose fields do not contain it */
    bool reads_marks; /* lines on standard input are marks */
};

static void write_view(struct recorder *r, const struct aw_item *item)
{
    char line[AW_VIEW_MAX + AW_RECORD_NAME_MAX];
    size_t size = item->record ? aw_view_print_record(r->view, item->record, line) : 0;
    if (size && r->adds_names && (r->format->style == AW_STYLE_CSV || *item->subject))
        size = aw_record_add_name(r->format->style, item->subject, line, size);
    fwrite(line, 1, size, r->file);
}

static void write_text_mark(struct recorder *r, int64_t time_ns, const char *text)
{
    (void)time_ns;
    fprintf(r->file, "# %s\n", text);
}

static void write_json_mark(struct recorder *r, int64_t time_ns, const char *text)
{
    char quoted[AW_MARK_MAX * 6 + 3];
    *aw_write_json_string(quoted, text, AW_MARK_MAX) = '\0';
    fprintf(r->file, "{\"t\":%.6f,\"mark\":%s}\n", (double)time_ns / 1e9, quoted);
}

static void write_tee_mark(struct recorder *r, int64_t time_ns, const char *text)
{
    if (!aw_tee_add_mark(r->session->device.tee, time_ns, text, &r->session->device.tee_error))
        aw_stop_request(r->session);
}

static const struct format formats[] = {
    {.ending = ".csv", .style = AW_STYLE_CSV, .write_mark = write_text_mark},
    {.ending = ".ndjson", .style = AW_STYLE_JSON, .write_mark = write_json_mark},
};

/* Records complete messages from the link. */
static const struct format tee_format = {.uses_tee = true, .write_mark = write_tee_mark};

/* ---- Start ---- */

static enum aw_status begin_tee(struct recorder *r, const char *path)
{
    struct aw_session *session = r->session;
    const char *url;
    if (session->device.tee)
        return aw_fail(&session->err, AW_USAGE,
                       "record: --record already records this session — use one of the two");
    enum aw_status status = aw_session_get_url(session, &url);
    if (status == AW_OK)
        status = aw_tee_open(session, "record", path, url);
    if (status == AW_OK)
        r->owns_tee = session->device.tee->selects_subjects = true;
    return status;
}

static enum aw_status create_file(struct recorder *r)
{
    char header[AW_VIEW_MAX + AW_RECORD_NAME_MAX];
    enum aw_status status = aw_session_create_file(r->session, NULL, r->path, &r->file);
    bool headed = status == AW_OK && r->view && !aw_record_joints_given(r->session)->no_header;
    size_t size = headed ? aw_view_print_header(r->view, header) : 0;
    if (size && r->adds_names)
        size = aw_record_add_name(r->format->style, "name", header, size);
    fwrite(header, 1, size, r->file);
    return status;
}

/* Notes that a log does not contain packet files: other programs reject logs with comments. */
static void note_packets(const struct recorder *r)
{
    const char *packets = r->session->options.link.packets, *dbc = r->session->options.link.dbc;
    if (aw_tee_is_log(r->session, r->path) && (packets || dbc))
        aw_session_print_notice(r->session,
                                "%s: a log cannot include %s%s%s — to read the log, "
                                "give %s again",
                                r->path, packets ? packets : "", packets && dbc ? " and " : "",
                                dbc ? dbc : "",
                                !dbc       ? "--packets"
                                : !packets ? "--dbc"
                                           : "--packets and --dbc");
}

/* Creates the file once the names in --fields are verified. This may require the first message,
 * because only that shows the subjects. */
static enum aw_status begin_file(struct recorder *r)
{
    struct aw_session *session = r->session;
    enum aw_status status = aw_session_get_decoding_wire(session, &r->wire);
    struct aw_messages messages = {.has_any = false};
    if (session->device.link && !session->device.link->is_recording)
        messages = aw_session_watched_messages(session);
    if (status == AW_OK)
        r->view = aw_session_make_file_view(session, r->wire, r->format->style, &messages);
    if (status != AW_OK || !r->view)
        return session->err.status;
    bool any_subject = aw_session_subjects(session) == AW_SUBJECTS_ANY;
    r->adds_names = any_subject && !aw_rows_have(r->wire->variant.head, AW_TEXT);
    bool later = r->fields->n && any_subject;
    return later ? aw_file_check(r->path, &session->err) : create_file(r);
}

static enum aw_status check_fields(struct recorder *r)
{
    struct aw_session *session = r->session;
    r->fields = &session->run.printing.wanted.any;
    session->run.printing.wanted.selects_entries = false; /* the fields are columns */
    if (!session->options.print.fields)
        return AW_OK;
    if (r->format->uses_tee)
        return aw_fail(&session->err, AW_USAGE,
                       "record: %s contains whole messages — omit --fields, or record to .csv or "
                       ".ndjson",
                       r->path);
    return aw_stream_check(session, r->fields, NULL);
}

static bool is_stdout(const char *path)
{
    return strcmp(path, "-") == 0;
}

/* Refuses '-' where standard output has another use: in a script, or on a terminal. */
static enum aw_status check_stdout(struct aw_session *session)
{
    if (!session->mode.one_shot || session->mode.scripts)
        return aw_fail(&session->err, AW_USAGE,
                       "record: '-' is allowed only on the command line — give a file");
    if (isatty(STDOUT_FILENO))
        return aw_fail(&session->err, AW_USAGE,
                       "record: '-' writes binary data — pipe it to a program, or give a file");
    return AW_OK;
}

static const struct format *format_of(const char *path)
{
    const char *dot = strrchr(path, '.');
    for (size_t i = 0; dot && i < sizeof formats / sizeof *formats; i++)
        if (strcmp(dot, formats[i].ending) == 0)
            return &formats[i];
    return NULL;
}

static enum aw_status choose_format(struct recorder *r, const char *path)
{
    struct aw_session *session = r->session;
    struct aw_filter filter;
    r->format = format_of(path);
    if (!r->format && aw_tee_accepts(session, path, &filter))
        r->format = &tee_format;
    if (r->format || session->err.status != AW_OK)
        return r->format ? AW_OK : session->err.status;
    return aw_fail(
        &session->err, AW_USAGE,
        "record: '%.100s': unknown file extension — use .pcapng, .mcap, .csv%s or .ndjson", path,
        session->tool->protocol->frames.is_can ? ", .log" : "");
}

static enum aw_status begin_recorder(struct recorder *r, const char *path)
{
    struct aw_session *session = r->session;
    enum aw_status status = choose_format(r, path);
    if (status == AW_OK && is_stdout(path))
        status = check_stdout(session);
    if (status == AW_OK)
        status = check_fields(r);
    if (status == AW_OK)
        status = aw_session_open_device(session);
    if (status == AW_OK)
        status = r->format->uses_tee ? begin_tee(r, path) : begin_file(r);
    if (status == AW_OK)
        status = aw_stream_open(&r->stream, session, NULL);
    if (status == AW_OK) {
        aw_stream_check_first(r->stream, r->fields, NULL);
        if (!is_stdout(path) || !aw_stop_is_pipe(session->out.fd))
            aw_stream_reconnect(r->stream, false);
    }
    if (status == AW_OK)
        note_packets(r);
    r->reads_marks = isatty(STDIN_FILENO) && !session->options.run.no_input;
    r->start_ns = aw_clock_now(session->clock);
    return status;
}

/* ---- Running ---- */

bool aw_record_read_mark(bool *typing, char text[AW_MARK_MAX])
{
    ssize_t n = *typing ? aw_read_ready(STDIN_FILENO, text, AW_MARK_MAX - 1) : 0;
    *typing = n > 0 || (n < 0 && errno == EAGAIN);
    if (n <= 0)
        return false;
    text[n] = '\0';
    text[strcspn(text, "\r\n")] = '\0';
    if (!*text)
        snprintf(text, AW_MARK_MAX, "mark");
    return true;
}

static void read_mark(struct recorder *r)
{
    char text[AW_MARK_MAX];
    if (!(r->file || r->format->uses_tee) || !aw_record_read_mark(&r->reads_marks, text))
        return;
    r->format->write_mark(r, aw_session_time(r->session), text);
    r->counts.marks++;
}

static enum aw_status check_file(struct recorder *r)
{
    return !r->file || (fflush(r->file) == 0 && !ferror(r->file))
               ? AW_OK
               : aw_file_fail(&r->session->err, "record", r->path);
}

/* Skips messages without any requested field, and does not count them. */
static enum aw_status record_item(struct recorder *r, const struct aw_item *item)
{
    enum aw_status status = r->file || r->format->uses_tee ? AW_OK : create_file(r);
    if (status != AW_OK || (r->fields->n && !aw_wanted_has_points(&r->session->run.printing.wanted,
                                                                  item->points, item->n)))
        return status;
    if (!r->format->uses_tee)
        write_view(r, item);
    r->counts.messages++;
    return AW_OK;
}

/* Shows the number of marks, because the user cannot see a typed mark. */
static void show_progress(struct recorder *r)
{
    char marks[48] = "";
    double seconds = (double)(aw_clock_now(r->session->clock) - r->start_ns) / 1e9;
    if (r->counts.marks)
        snprintf(marks, sizeof marks, ", %" PRIu64 " mark%s", r->counts.marks,
                 r->counts.marks == 1 ? "" : "s");
    aw_session_show_progress(r->session, "recording %.1f s, %" PRIu64 " messages%s%s", seconds,
                             r->counts.messages, marks,
                             r->reads_marks ? " — Enter sets a mark, Ctrl-C ends" : "");
}

/* Flushes after each read, so a killed recorder leaves a readable file. */
static enum aw_status run_recorder(struct recorder *r, int64_t deadline)
{
    struct aw_session *session = r->session;
    enum aw_status status = AW_OK;
    while (status == AW_OK && !(r->counts.limit && r->counts.messages >= r->counts.limit)) {
        struct aw_item item;
        int64_t now = aw_clock_now(session->clock), check_ns = now + POLL_NS;
        if (now >= deadline)
            return aw_stream_check_received(r->stream, "record");
        status = aw_stream_next(r->stream, aw_min_time(check_ns, deadline), &item);
        if (status == AW_OK)
            status = record_item(r, &item);
        if (status == AW_TIMEOUT || status == AW_MALFORMED)
            status = AW_OK;
        if (status == AW_OK)
            status = check_file(r);
        read_mark(r);
        show_progress(r);
    }
    return status == AW_END ? AW_OK : status;
}

/* ---- End ---- */

enum aw_status aw_record_end_status(struct aw_session *session, enum aw_status status)
{
    bool continues =
        session->mode.scripts || !(session->mode.one_shot || session->mode.interactive);
    if (status != AW_STOPPED || continues || session->motion.moving ||
        aw_session_has_ongoing(session))
        return status;
    return aw_stop_consume_interrupt(session) ? AW_OK : status;
}

static enum aw_status end_recorder(struct recorder *r, enum aw_status status)
{
    struct aw_session *session = r->session;
    bool ok = true;
    status = aw_record_end_status(session, status);
    if (status == AW_OK && r->fields && !r->file && !r->format->uses_tee)
        status = create_file(r); /* no message arrived: writes a table without rows */
    aw_stream_close(r->stream);
    aw_view_free(r->view);
    if (r->file)
        ok = aw_file_close(r->file);
    if (!ok && (status == AW_OK || status == AW_STOPPED))
        status = aw_file_fail(&session->err, "record", r->path);
    if (r->owns_tee)
        aw_tee_close(session, &session->device.tee_error);
    if (is_stdout(r->path) && !session->out.error) /* the result is human-readable */
        session->out.fd = STDERR_FILENO;
    return status;
}

/* Returns true for a table of joints, which has no columns for custom packets. */
static bool is_table(const struct aw_session *session, const char *path)
{
    const char *dot = strrchr(path, '.');
    return session->tool->motion.joints && session->tool->motion.joints->traits.records_table &&
           dot && strcmp(dot, ".csv") == 0 && !session->options.link.packets;
}

enum aw_status aw_run_record(struct aw_session *session, const struct aw_args *args)
{
    if (is_table(session, aw_arg(args, "file", 0)))
        return aw_run_record_joints(session, args);
    struct recorder r = {.session = session,
                         .path = aw_arg(args, "file", 0),
                         .counts.limit = (uint64_t)session->options.run.count};
    enum aw_status status = begin_recorder(&r, r.path);
    if (status == AW_OK)
        status = run_recorder(&r, aw_session_end_time(session));
    status = end_recorder(&r, status);
    aw_object_start(&session->result, "record");
    aw_object_add_count(&session->result, "messages", r.counts.messages);
    if (r.counts.marks)
        aw_object_add_count(&session->result, "marks", r.counts.marks);
    return status;
}

/* clang-format off */
const struct aw_command aw_record_command = {
    .name = "record", .group = AW_GROUP_KEEP,
    .summary = "record messages from the device in a file",
    .args = AW_ARGS(
        {.name = "file", .kind = AW_ARG_FILE,
         .help = "file to write: .pcapng, .mcap, .csv or .ndjson; on CAN also .log; -: pcapng on "
             "standard output",
         .endings = "pcapng mcap csv ndjson log"}),
    .run = aw_run_record,
    .examples = AW_LIST("-l sim: record run.pcapng --for 0.3s"),
    .details = "The extension of the file selects the format: .pcapng (all messages on the link), "
        ".mcap (also decoded, for Foxglove, PlotJuggler, Rerun and ROS 2; requires the package "
        "armwire-mcap), .csv or .ndjson (decoded), .log (candump). --for, -n or Ctrl-C ends the "
        "recording. On a terminal, each line that you type becomes a mark. --fields chooses the "
        "columns; times in .csv begin at 0 (see --time). 'record -' writes frames for another "
        "program ('record - | tshark -r -'), and prints its result on standard error."};
/* clang-format on */
