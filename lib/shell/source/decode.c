/* The command decode: decodes bytes from arguments, files or pipes to records, with an optional
 * --where. */
#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/file.h"
#include "base/text.h"
#include "capture/reading.h"
#include "shell/session/wanted.h"
#include "shell/source/decoder.h"
#include "shell/source/source.h"
#include "view/text/finder.h"
#include "view/text/where.h"

struct aw_decode_options {
    const char *where;
    int as; /* input format: hex, stream, candump, pcapng; -1: not given */
};
AW_GIVEN(command, aw_decode_options, aw_decode_given)

#define BLOCK 262144

static bool are_all_hex(const struct aw_args *args)
{
    for (size_t i = 0; i < args->n; i++) {
        const char *text = args->bound[i].text;
        if (!*text || text[strspn(text, "0123456789abcdefABCDEF#. \t")])
            return false;
    }
    return true;
}

static enum aw_input get_wanted_input(const struct aw_session *session)
{
    return (enum aw_input)(AW_INPUT_HEX + aw_decode_given(session)->as); /* -1: unknown */
}

/* Decodes the arguments. Together they form one frame, as in FF FF 03 FC; on CAN, each argument is
 * a frame. */
static enum aw_status decode_arguments(struct aw_decoder *d, const struct aw_args *args)
{
    size_t used, size = 1;
    for (size_t i = 0; i < args->n; i++)
        size += strlen(args->bound[i].text) + 1;
    char *text = malloc(size), *end = text;
    bool has_lines = strchr(args->bound[0].text, '#') != NULL;
    if (!text)
        return aw_no_memory(&d->session->err);
    for (size_t i = 0; i < args->n; i++)
        end += sprintf(end, "%s%c", args->bound[i].text, has_lines ? '\n' : ' ');
    d->input = has_lines ? AW_INPUT_CANDUMP : AW_INPUT_HEX;
    enum aw_status status = aw_decoder_feed(d, text, (size_t)(end - text), true, &used);
    free(text);
    return status;
}

/* Delays output only while more input is available, and only briefly. */
static void pace_output(struct aw_decoder *d, int fd)
{
    struct aw_output *out = &d->session->out;
    int64_t left;
    aw_output_pace(out, aw_clock_now(&d->session->time.real.base), &left, NULL);
    if (poll(&(struct pollfd){.fd = fd, .events = POLLIN}, 1, 0) == 0)
        aw_output_flush(out, NULL);
}

/* Ends the filter. A failure after some output is reported as damaged input; a failure without
 * output is an error. */
static enum aw_status end_input(struct aw_decoder *d, struct aw_reading *reading, bool any)
{
    struct aw_error problem;
    enum aw_status status = aw_reading_end(reading, &problem);
    if (status == AW_OK)
        return AW_OK;
    if (!any)
        return aw_fail(&d->session->err, status, "%s", problem.text);
    aw_decoder_report(d, problem.text);
    return AW_OK;
}

/* Shows no progress on a terminal that also shows the records. */
static void show_progress(struct aw_decoder *d, int64_t start_ns, uint64_t done, uint64_t total)
{
    if (!isatty(STDOUT_FILENO))
        aw_session_show_share(d->session, d->where.name, start_ns, done, total);
}

static enum aw_status decode_fd(struct aw_decoder *d, struct aw_reading *reading, char *block)
{
    const int fd = reading->fd;
    enum aw_status status = AW_OK;
    int64_t start_ns = aw_clock_now(&d->session->time.real.base);
    struct stat info;
    bool sized = fstat(fd, &info) == 0 && S_ISREG(info.st_mode);
    uint64_t n_read = 0, total = sized ? (uint64_t)info.st_size : 0;
    size_t held = 0, used = 0;
    for (ssize_t n = 1; n > 0 && status == AW_OK;) {
        pace_output(d, fd);
        do
            n = read(fd, block + held, BLOCK - held);
        while (n < 0 && errno == EINTR);
        if (n < 0)
            return aw_file_fail(&d->session->err, NULL, d->where.name);
        held += (size_t)n;
        if (!n_read && aw_reading_has_values(reading, (struct aw_span){(uint8_t *)block, held}))
            return aw_reading_fail_values(d->where.name, &d->session->err);
        used = 0;
        if (n == 0)
            status = end_input(d, reading, n_read > 0);
        if (status == AW_OK)
            status = aw_decoder_feed(d, block, held, n == 0, &used);
        if (status == AW_OK && used == 0 && held == BLOCK) /* longer than any line or frame */
            status = aw_decoder_feed(d, block, held, true, &used);
        memmove(block, block + used, held - used);
        held -= used;
        n_read += (uint64_t)n;
        show_progress(d, start_ns, n_read, total);
    }
    return status;
}

/* Recognises the NDJSON or CSV output of record, watch and decode. */
static bool begins_as_records(int fd)
{
    char start[2];
    return pread(fd, start, sizeof start, 0) == sizeof start &&
           (memcmp(start, "{\"", 2) == 0 || memcmp(start, "t,", 2) == 0);
}

static enum aw_status open_file(struct aw_decoder *d, const char *name, struct aw_reading *reading)
{
    struct aw_error *err = &d->session->err;
    if (strcmp(name, "-") == 0 || access(name, R_OK) == 0)
        return aw_reading_open(reading, name, 0, err);
    return aw_fail(err, AW_USAGE, "'%.100s' is neither hex nor a readable file: %s", name,
                   strerror(errno));
}

static enum aw_status decode_file(struct aw_decoder *d, const char *name)
{
    char *block = malloc(BLOCK);
    struct aw_reading reading = {.fd = -1};
    aw_decoder_begin(d, aw_file_name(name), get_wanted_input(d->session));
    uint64_t before = d->counts.n_seen + d->counts.damaged, records = d->counts.records;
    enum aw_status status = block ? open_file(d, name, &reading) : aw_no_memory(&d->session->err);
    if (status == AW_OK)
        status = decode_fd(d, &reading, block);
    if (status == AW_OK && d->input == AW_INPUT_CAPTURE &&
        d->counts.n_seen + d->counts.damaged == before)
        aw_notice_no_messages(d->session, d->where.name, d->reader.program);
    aw_report_skipped(d->session, d->where.name, &d->counts.skipped);
    if (status == AW_OK && d->counts.damaged > 0 && d->counts.records == records &&
        begins_as_records(reading.fd))
        aw_session_print_notice(
            d->session, "%s: these are records, not packets — use 'info' or 'plot'", d->where.name);
    if (d->session->out.error)
        status = aw_output_flush(&d->session->out, &d->session->err);
    aw_reading_close(&reading);
    free(block);
    return status;
}

static enum aw_status decode_all(struct aw_decoder *d, const struct aw_args *args)
{
    enum aw_status status = AW_OK;
    if (args->n == 0)
        return decode_file(d, "-");
    if (are_all_hex(args) && get_wanted_input(d->session) != AW_INPUT_STREAM)
        return decode_arguments(d, args);
    for (size_t i = 0; i < args->n && status == AW_OK; i++)
        status = decode_file(d, args->bound[i].text);
    return status;
}

/* ---- --where ---- */

struct condition {
    struct aw_session *session;
    struct aw_where where;
    struct aw_wanted wanted;
    struct aw_select fields; /* fields of where */
    struct aw_names names;
    struct aw_finder any, all, terms; /* find the requested fields, and those of where */
};

static bool is_match(void *context, const struct aw_record *record)
{
    struct condition *c = context;
    char name[AW_POINT_NAME];
    bool any_subject = c->any.any_subject && c->all.any_subject && c->terms.any_subject;
    const char *subject =
        any_subject ? "" : aw_session_subject(c->session, record, name, sizeof name);
    return aw_where_matches_head(&c->where, record->codec->message->name, record->dir) &&
           aw_where_holds_record(&c->where, record, aw_finder_match(&c->terms, record, subject)) &&
           aw_wanted_has_scalars(&c->wanted, record->present,
                                 aw_finder_match(&c->any, record, subject),
                                 aw_finder_match(&c->all, record, subject));
}

/* Reads --where. Bytes contain no subject names, so a single name is a field. A name before a field
 * is a subject, as in commands that query the device. */
static enum aw_status read_condition(struct aw_decoder *d, const char *where)
{
    struct aw_session *session = d->session;
    struct condition *c = calloc(1, sizeof *c);
    if (!c)
        return aw_no_memory(&session->err);
    c->session = session;
    d->output.is_wanted = is_match;
    d->output.context = c;
    enum aw_status status = aw_wanted_init(&c->wanted, session);
    if (status == AW_OK && where)
        status = aw_where_parse(where, &c->where, &session->err);
    aw_names_init(&c->names, d->wire);
    aw_where_list_fields(&c->where, &c->fields);
    enum aw_subjects subjects =
        aw_session_subjects(session) ? AW_SUBJECTS_BEFORE : AW_SUBJECTS_KNOWN;
    aw_finder_init(&c->any, &c->names, &c->wanted.any, subjects);
    aw_finder_init(&c->all, &c->names, &c->wanted.all, subjects);
    aw_finder_init(&c->terms, &c->names, &c->fields, subjects);
    const struct aw_select *selections[] = {&c->wanted.any, &c->wanted.all, &c->fields};
    for (size_t i = 0; i < sizeof selections / sizeof *selections && status == AW_OK; i++)
        status = aw_select_check(selections[i], &c->names, subjects, &session->err);
    return status == AW_OK ? aw_where_check_units(&c->where, d->wire, &session->err) : status;
}

static enum aw_status run_decode(struct aw_session *session, const struct aw_args *args)
{
    struct aw_decoder decoder = {.session = session};
    const char *where = aw_decode_given(session)->where;
    enum aw_status status = aw_decoder_init(&decoder, session);
    if (status == AW_OK &&
        (where || session->options.print.fields || session->options.print.format))
        status = read_condition(&decoder, where);
    if (status == AW_OK)
        status = decode_all(&decoder, args);
    if (status == AW_OK || status == AW_ENOUGH)
        status = aw_decoder_end(&decoder);
    aw_pcap_reset(&decoder.reader);
    free(decoder.output.context);
    return status;
}

/* clang-format off */
const struct aw_command aw_decode_command = {
    .name = "decode", .summary = "decode the messages in bytes, files or standard input",
    .args = AW_ARGS(
        {.name = "input", .kind = AW_ARG_REST,
         .help = "hex digits, files, or - for standard input", .optional = true}),
    .options = AW_OPTIONS(
        {.name = "dir", AW_AT_ALL(link.dir), .value = "DIR",
         .help = "direction: tx (to the device) or rx (from the device)", .fallback = "rx",
         .choices = AW_LIST("tx", "rx")},
        {.name = "as", AW_AT(aw_decode_options, as), .value = "FORM",
         .help = "format of the input: hex, stream, candump, or pcapng (and other captures)",
         .choices = AW_LIST("hex", "stream", "candump", "pcapng")},
        {.name = "port", AW_AT_ALL(link.port), .value = "PORT",
         .help = "UDP or TCP port of the device in a capture (default: its standard port)",
         .unit = "", .min = 1, .max = 65535, .is_integer = true},
        {.name = "where", AW_AT(aw_decode_options, where), .value = "CONDITION",
         .help = "only messages that meet this condition: 'FIELD>5 and msg=NAME'"}),
    .offline = true, .uses_messages = true, .run = run_decode,
    .lines = AW_LIST("-l sim: --record run.pcapng {move}",
        "decode run.pcapng --csv --fields {field} --where 'dir=rx'"),
    .details = "Reports damaged messages and ends with exit code 5. A message with an undefined "
        "value (such as controller 9) is not an error; it is marked, in JSON by \"anomaly\"."};
/* clang-format on */
