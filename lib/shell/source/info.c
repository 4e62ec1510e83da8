/* The command info: counts the messages in a capture by kind, with rate and damage. For files of
 * values, see info_values.c. */
#include <fcntl.h>
#include <inttypes.h>
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "capture/log.h"
#include "capture/reading.h"
#include "shell/source/decoder.h"
#include "shell/source/source.h"
#include "wire/split.h"

/* One kind of message in a recording. */
struct message_kind {
    const struct aw_codec *codec;
    enum aw_dir dir;
    uint64_t n;
    int64_t first_ns, last_ns;
};

#define KINDS_MAX (2 * AW_MAX_MESSAGES)

struct survey {
    struct aw_session *session;
    struct aw_wire *wire;
    const char *path;
    char program[AW_PCAP_PROGRAM]; /* the program that wrote the file */
    struct message_kind kinds[KINDS_MAX];
    size_t n_kinds;
    struct aw_splitter streams[2]; /* bytes to the device, and from it */
    struct {
        uint64_t segments, bytes, messages, unknown, marks;
        struct aw_skipped skipped;
    } counts;
    int64_t first_ns, last_ns, now_ns;
    enum aw_dir dir;
};

static void on_frame(void *context, struct aw_span frame)
{
    struct survey *s = context;
    struct aw_record record;
    enum aw_status status = aw_wire_decode(s->wire, s->dir, frame, &record, NULL);
    if (status != AW_OK && aw_wire_is_other_node(s->wire, s->dir, frame)) {
        aw_skip_frame(&s->counts.skipped, frame);
        return;
    }
    if (status != AW_OK && !record.present) {
        s->counts.unknown++;
        return;
    }
    size_t i = 0;
    while (i < s->n_kinds && (s->kinds[i].codec != record.codec || s->kinds[i].dir != s->dir))
        i++;
    s->counts.messages++;
    if (s->session->tool->records.report_problem)
        s->session->tool->records.report_problem(s->session, &record);
    if (i == KINDS_MAX)
        return;
    if (i == s->n_kinds)
        s->kinds[s->n_kinds++] =
            (struct message_kind){.codec = record.codec, .dir = s->dir, .first_ns = s->now_ns};
    s->kinds[i].n++;
    s->kinds[i].last_ns = s->now_ns;
}

/* Marks and kinds are rows of one table; each leaves the columns of the other empty. */
static void clear_columns(struct aw_object *row, size_t n, const char *const *keys)
{
    for (size_t i = 0; i < n; i++) {
        aw_object_add_text(row, keys[i], NULL);
        aw_object_clear_last(row);
    }
}

static void read_entry(struct survey *s, const struct aw_log_entry *entry)
{
    bool timed = entry->time_ns != AW_NO_TIME;
    if (timed && s->first_ns == AW_NO_TIME)
        s->first_ns = entry->time_ns;
    if (timed)
        s->last_ns = s->now_ns = entry->time_ns;
    if (*entry->comment && !aw_session_is_note(entry->comment)) {
        double t = s->first_ns == AW_NO_TIME ? 0 : (double)(s->now_ns - s->first_ns) / 1e9;
        struct aw_object row;
        s->counts.marks++;
        aw_object_start(&row, NULL);
        aw_object_add_text(&row, "mark", entry->comment);
        aw_object_add_number(&row, "at", t, 6, NULL);
        clear_columns(&row, 4, (const char *const[]){"msg", "dir", "count", "rate"});
        aw_session_print_row(s->session, &row, "mark     %12.6f s  %s\n", t, entry->comment);
    }
    if (!entry->data.size || !aw_session_is_selected(s->session, entry->data, ""))
        return;
    s->counts.segments++;
    s->counts.bytes += entry->data.size;
    s->dir = entry->dir == AW_TX ? AW_TX : AW_RX;
    struct aw_splitter *stream = &s->streams[s->dir == AW_TX ? 0 : 1];
    if (entry->has_gap)
        aw_split_gap(stream);
    aw_split(stream, s->wire, entry->data, !entry->is_stream, on_frame, s);
}

static enum aw_status read_all(struct survey *s)
{
    struct aw_log *log;
    struct aw_log_entry entry;
    const struct aw_protocol *protocol = s->session->tool->protocol;
    struct aw_log_options options = {.ports = {protocol->ports[0], protocol->ports[1]},
                                     .medium = &protocol->medium};
    int64_t start_ns = aw_clock_now(&s->session->time.real.base);
    enum aw_status status = aw_log_open(&log, s->path, &options, &s->session->err);
    while (status == AW_OK || status == AW_MALFORMED) {
        uint64_t size, at;
        status = aw_log_next(log, &entry, &s->session->err);
        s->counts.unknown += status == AW_MALFORMED;
        if (status != AW_OK)
            continue;
        read_entry(s, &entry);
        at = aw_log_position(log, &size);
        aw_session_show_share(s->session, s->path, start_ns, at, size);
    }
    if (status == AW_END)
        s->counts.skipped.lines = *aw_log_candump_state(log);
    if (status == AW_END && aw_log_is_truncated(log, &s->session->err)) {
        aw_session_report(s->session, "%s: %s\n", s->session->tool->name, s->session->err.text);
        s->counts.unknown++;
    }
    snprintf(s->program, sizeof s->program, "%s", log ? aw_log_program(log) : "");
    aw_log_close(log);
    return status == AW_END ? AW_OK : status;
}

static void print_kind(struct survey *s, const struct message_kind *kind)
{
    const char *name = kind->codec->message->name;
    bool tx = kind->dir == AW_TX;
    double seconds = (double)(kind->last_ns - kind->first_ns) / 1e9;
    double hz = seconds > 0 ? (double)(kind->n - 1) / seconds : 0;
    struct aw_object row;
    aw_object_start(&row, NULL);
    clear_columns(&row, 2, (const char *const[]){"mark", "at"});
    aw_object_add_text(&row, "msg", name);
    aw_object_add_text(&row, "dir", tx ? "tx" : "rx");
    aw_object_add_count(&row, "count", kind->n);
    aw_object_add_number(&row, "rate", hz, -4, "Hz");
    aw_session_print_row(s->session, &row, "%s %-22s %10" PRIu64 " %10.4g Hz\n", tx ? "->" : "<-",
                         name, kind->n, hz);
}

static void report_survey(struct survey *s)
{
    struct aw_object *result = &s->session->result;
    double seconds = s->first_ns == AW_NO_TIME ? 0 : (double)(s->last_ns - s->first_ns) / 1e9;
    uint64_t damaged = s->counts.unknown + s->streams[0].n_damaged + s->streams[1].n_damaged;
    for (size_t i = 0; i < s->n_kinds; i++)
        print_kind(s, &s->kinds[i]);
    if (!s->counts.segments && !damaged)
        aw_notice_no_messages(s->session, s->path, s->program);
    aw_object_start(result, "info");
    aw_object_add_number(result, "duration", seconds, 6, "s");
    aw_object_add_count(result, "messages", s->counts.messages);
    aw_object_add_count(result, "pieces", s->counts.segments);
    aw_object_add_count(result, "bytes", s->counts.bytes);
    aw_object_add_count(result, "marks", s->counts.marks);
    aw_object_add_count(result, "damaged", damaged);
    if (s->session->tool->protocol->frames.is_can)
        aw_object_add_count(result, "others", s->counts.skipped.n_other);
    aw_report_skipped(s->session, s->path, &s->counts.skipped);
}

static enum aw_status info_capture(struct aw_session *session, const char *path, bool *is_empty)
{
    struct survey *s = calloc(1, sizeof *s);
    if (!s)
        return aw_no_memory(&session->err);
    s->session = session;
    s->path = path;
    s->first_ns = s->last_ns = AW_NO_TIME;
    s->streams[0].framer.dir = AW_TX;
    s->streams[1].framer.dir = AW_RX;
    enum aw_status status = aw_session_select_subjects(session);
    if (status == AW_OK)
        status = aw_session_get_carried_wire(session, &s->wire);
    s->wire = s->wire ? s->wire : session->wire;
    if (status == AW_OK)
        status = read_all(s);
    if (status == AW_OK)
        report_survey(s);
    *is_empty = status == AW_USAGE && !s->counts.segments && !s->counts.marks;
    free(s);
    return status;
}

/* Finds out whether a filter converts the file to values rather than packets. */
static enum aw_status check_filter(const char *path, bool *has_values, struct aw_error *err)
{
    uint8_t first;
    struct aw_reading reading;
    enum aw_status status = aw_reading_open(&reading, path, O_NONBLOCK, err);
    *has_values = false;
    if (status == AW_OK && reading.filtered) {
        poll(&(struct pollfd){.fd = reading.fd, .events = POLLIN}, 1, -1);
        ssize_t n = read(reading.fd, &first, 1);
        *has_values = n == 1 && aw_reading_has_values(&reading, (struct aw_span){&first, 1});
        status = n == 0 ? aw_reading_end(&reading, err) : AW_OK;
    }
    aw_reading_close(&reading);
    return status;
}

/* Tries the format that matches the file extension first. If no format fits, reports that format's
 * error. */
static enum aw_status run_info(struct aw_session *session, const struct aw_args *args)
{
    const char *path = aw_arg(args, "file", 0), *ending = strrchr(path, '.');
    bool is_values = ending && (strcmp(ending, ".csv") == 0 || strcmp(ending, ".ndjson") == 0);
    bool is_empty = true, has_values = false;
    bool filters = !is_values && strcmp(path, "-") != 0;
    enum aw_status status = filters ? check_filter(path, &has_values, &session->err) : AW_OK;
    if (status != AW_OK)
        return status;
    is_values = is_values || has_values;
    status = is_values ? aw_info_values(session, path) : AW_USAGE;
    if (status != AW_USAGE)
        return status;
    struct aw_error saved_err = session->err;
    status = info_capture(session, path, &is_empty);
    if (!is_empty)
        return status;
    if (!is_values) {
        saved_err = session->err;
        status = aw_info_values(session, path);
    }
    if (status == AW_USAGE)
        session->err = saved_err;
    return status;
}

/* clang-format off */
const struct aw_command aw_info_command = {
    .name = "info", .group = AW_GROUP_KEEP, .summary = "show the contents of a file",
    .args = AW_ARGS(
        {.name = "file", .kind = AW_ARG_FILE,
         .help = "capture (pcapng, MCAP, pcap, candump, .asc), or CSV or NDJSON file written by a "
             "command",
         .endings = "pcapng mcap pcap log csv ndjson"}),
    .offline = true, .uses_messages = true, .run = run_info,
    .lines = AW_LIST("-l sim: --record run.pcapng {move}", "info run.pcapng"),
    .details = "For a capture, shows the number and rate of each message, the marks, and damaged "
        "parts. For a CSV or NDJSON file of any tool, shows the rate, minimum and maximum of each "
        "value."};
/* clang-format on */
