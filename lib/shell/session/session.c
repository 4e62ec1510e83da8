/* Session functions for commands: options, output formats, views, waiting, exit codes. */
#include "shell/session/session.h"

#include <errno.h>
#include <signal.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/file.h"
#include "base/text.h"
#include "packets/packets.h"

void aw_session_mention_simulator(struct aw_session *session, const char *url)
{
    if (strncmp(url, "sim:", 4) == 0)
        aw_session_print_notice(session, "this is the simulator: nothing real moves");
}

void aw_session_print_notice(struct aw_session *session, const char *format, ...)
{
    char text[512];
    va_list args;
    if (session->options.print.quiet)
        return;
    va_start(args, format);
    vsnprintf(text, sizeof text, format, args);
    va_end(args);
    aw_output_flush(&session->out, NULL);
    aw_session_report(session, "%s: %s\n", session->tool->name, text);
}

enum aw_subjects aw_session_subjects(const struct aw_session *session)
{
    return session->tool->records.subject.accepted;
}

static struct aw_view_options build_view_options(struct aw_session *session)
{
    struct aw_view_options options = {.format = session->options.print.format,
                                      .style = aw_session_style(session),
                                      .subjects = aw_session_subjects(session)};
    options.time = (enum aw_time_style)(AW_TIME_NONE + session->options.print.time);
    return options;
}

/* Splits "a,b" into a list, in a copy with the lifetime of the view. */
static const char *const *split_fields(struct aw_session *session)
{
    struct aw_printing *printing = &session->run.printing;
    const char *text = session->options.print.fields;
    size_t n = 0;
    if (!text)
        return printing->default_fields;
    snprintf(printing->field_text, sizeof printing->field_text, "%s", text);
    char *rest = printing->field_text, *part;
    while (n < AW_FIELDS_MAX && (part = aw_next_name(&rest, ',')))
        printing->fields[n++] = part;
    printing->fields[n] = NULL;
    return printing->fields;
}

enum aw_status aw_session_check_fields(struct aw_session *session)
{
    struct aw_view_options options = build_view_options(session);
    options.fields = split_fields(session);
    if (options.subjects)
        options.subjects = AW_SUBJECTS_BEFORE;
    struct aw_view *view = aw_view_new(session->run.printing.wire, &options, &session->err);
    aw_view_free(view);
    return view ? AW_OK : session->err.status;
}

/* Does not use a notice, because --quiet must not hide that a file lacks fields. */
static void report_missing_fields(struct aw_session *session, const struct aw_view *view)
{
    size_t room = view ? aw_view_column_limit(view) : 0;
    if (room)
        aw_session_report(session,
                          "%s: CSV is limited to %zu columns: some fields are missing — select "
                          "fields with --fields\n",
                          session->tool->name, room);
}

struct aw_view *aw_session_make_file_view(struct aw_session *session, struct aw_wire *wire,
                                          enum aw_style style, const struct aw_messages *messages)
{
    struct aw_view_options options = build_view_options(session);
    options.style = style;
    options.format = NULL;
    options.messages = *messages;
    options.fields = session->options.print.fields ? split_fields(session) : NULL;
    if (aw_style_is_table(style) && options.time == AW_TIME_DEFAULT)
        options.time = AW_TIME_REL;
    struct aw_view *view = aw_view_new(wire, &options, &session->err);
    report_missing_fields(session, view);
    return view;
}

enum aw_status aw_session_select_subjects(struct aw_session *session)
{
    const struct aw_subject_hooks *subject = &session->tool->records.subject;
    session->device.selects = NULL;
    return subject->select ? subject->select(session, &session->device.selects) : AW_OK;
}

const char *aw_session_subject(struct aw_session *session, const struct aw_record *record,
                               char *out, size_t size)
{
    const struct aw_subject_hooks *hooks = &session->tool->records.subject;
    const char *subject =
        hooks->get_subject ? hooks->get_subject(session, record, out, size) : NULL;
    return subject ? subject : "";
}

static enum aw_status make_wire(struct aw_session *session, const struct aw_protocol *protocol,
                                const struct aw_variant *variant, bool raw)
{
    if (!session->device.decoding)
        session->device.decoding = calloc(1, sizeof *session->device.decoding);
    if (!session->device.decoding)
        return aw_no_memory(&session->err);
    aw_wire_init(session->device.decoding, protocol, variant, raw);
    session->device.decoding->lenient = session->wire->lenient;
    return AW_OK;
}

enum aw_status aw_session_check_file(struct aw_session *session, const char *text)
{
    return access(text, R_OK) == 0 ? AW_OK : aw_file_fail(&session->err, NULL, text);
}

enum aw_status aw_session_make_raw_wire(struct aw_session *session)
{
    return make_wire(session, session->wire->protocol, &session->wire->variant, true);
}

/* Returns the protocol for reading: the session wire's protocol, or one with the recording's
 * packets. */
static const struct aw_protocol *get_reading_protocol(const struct aw_session *session)
{
    const struct aw_packets *carried = session->device.carried;
    return carried ? aw_packets_protocol(carried) : session->wire->protocol;
}

enum aw_status aw_session_get_carried_wire(struct aw_session *session, struct aw_wire **wire)
{
    *wire = NULL;
    if (!session->device.carried)
        return AW_OK;
    enum aw_status status =
        make_wire(session, get_reading_protocol(session), &session->wire->variant, false);
    if (status == AW_OK)
        *wire = session->device.decoding;
    return status;
}

enum aw_status aw_session_get_decoding_wire(struct aw_session *session, struct aw_wire **wire)
{
    const struct aw_message *ordered = session->tool->records.ordered.messages;
    struct aw_variant variant = session->wire->variant;
    bool raw = session->options.print.raw;
    *wire = session->wire;
    if (!raw && !ordered && !session->device.carried)
        return AW_OK;
    if (ordered)
        variant.replacements = ordered;
    enum aw_status status = make_wire(session, get_reading_protocol(session), &variant, raw);
    if (status != AW_OK)
        return status;
    /* Frees an earlier view of sent messages, because it uses another wire. */
    aw_view_free(session->run.printing.view);
    session->run.printing.view = NULL;
    session->run.printing.wire = *wire = session->device.decoding;
    return AW_OK;
}

enum aw_status aw_session_open_view(struct aw_session *session, const struct aw_record *sample)
{
    struct aw_printing *printing = &session->run.printing;
    if (printing->view)
        return AW_OK;
    struct aw_view_options options = build_view_options(session);
    options.fields = split_fields(session);
    options.hides_metadata = printing->is_brief;
    options.messages = printing->messages;
    options.sample = sample;
    printing->view = aw_view_new(printing->wire, &options, &session->err);
    if (!printing->view)
        return session->err.status;
    report_missing_fields(session, printing->view);
    char *at = aw_output_reserve(&session->out, AW_VIEW_MAX);
    aw_output_commit(&session->out, at + aw_view_print_header(printing->view, at));
    return AW_OK;
}

struct aw_messages aw_session_watched_messages(const struct aw_session *session)
{
    return aw_view_select_messages(get_reading_protocol(session), session->tool->watch.watched,
                                   session->tool->protocol->n_messages);
}

/* Chooses the columns of a table without --fields: those of the sent message, or of all messages
 * that the device sends by itself. A message with other columns begins a new table, with a header.
 */
static void choose_columns(struct aw_session *session, const struct aw_record *record)
{
    struct aw_printing *printing = &session->run.printing;
    size_t at = (size_t)(record->codec - printing->wire->codecs);
    bool chosen = session->options.print.fields || printing->default_fields;
    if (!aw_style_is_table(aw_session_style(session)) || chosen ||
        (printing->view && !printing->messages.has_any) ||
        aw_messages_have(&printing->messages, at))
        return;
    if (!printing->view || !aw_view_covers(printing->view, record->codec)) {
        aw_view_free(printing->view);
        printing->view = NULL;
    }
    struct aw_messages watched = aw_session_watched_messages(session);
    for (size_t i = 0;
         record->dir == AW_RX && aw_messages_have(&watched, at) && i < AW_MAX_MESSAGES; i++)
        if (aw_messages_have(&watched, i))
            aw_messages_add(&printing->messages, i);
    aw_messages_add(&printing->messages, at);
}

enum aw_status aw_session_show_record(struct aw_session *session, const struct aw_record *record)
{
    choose_columns(session, record);
    enum aw_status status = aw_session_open_view(session, record);
    if (status != AW_OK)
        return status;
    char *at = aw_output_reserve(&session->out, AW_VIEW_MAX);
    aw_output_commit(&session->out,
                     at + aw_view_print_record(session->run.printing.view, record, at));
    return session->out.error ? aw_output_flush(&session->out, &session->err) : AW_OK;
}

bool aw_session_print_object(struct aw_session *session, const struct aw_object *object,
                             const struct aw_object_head *head)
{
    struct aw_printing *printing = &session->run.printing;
    const struct aw_object_form form = {.style = aw_session_style(session),
                                        .prints_names = printing->n_columns != object->n,
                                        .head = head,
                                        .format = session->options.print.format};
    if (form.style == AW_STYLE_TEXT)
        return false;
    char *at = aw_output_reserve(&session->out, 2 * AW_OBJECT_TEXT);
    aw_output_commit(&session->out, aw_object_print(object, &form, at));
    printing->n_columns = object->n;
    return true;
}

void aw_session_print_line(struct aw_session *session, const struct aw_object *object)
{
    char *at = aw_output_reserve(&session->out, AW_OBJECT_TEXT + 1);
    *aw_object_print(object, &(struct aw_object_form){.style = AW_STYLE_TEXT}, at) = '\0';
    aw_output_to_charset(&session->out, at, AW_OBJECT_TEXT);
    aw_output_commit(&session->out, at + strlen(at));
}

/* Prints the entries of a row that --fields selects. */
static bool print_selected(struct aw_session *session, const struct aw_object *row)
{
    struct aw_object selected = *row;
    if (!aw_wanted_pick(session, &selected) || aw_session_print_object(session, &selected, NULL))
        return true;
    selected.headline = row->headline ? row->headline : session->run.command->name;
    if (session->run.printing.wanted.any.n)
        aw_session_print_line(session, &selected);
    return session->run.printing.wanted.any.n > 0;
}

/* Returns false in text style, without printing. */
static bool print_row(struct aw_session *session, const struct aw_object *row)
{
    bool printed = session->run.printing.wanted.selects_entries
                       ? print_selected(session, row)
                       : aw_session_print_object(session, row, NULL);
    session->run.printing.printed_rows = session->run.printing.printed_rows || printed;
    return printed;
}

void aw_session_print_row(struct aw_session *session, const struct aw_object *row, const char *text,
                          ...)
{
    char line[AW_STRING_MAX];
    va_list args;
    aw_session_hide_progress(session);
    if (print_row(session, row))
        return;
    va_start(args, text);
    vsnprintf(line, sizeof line, text, args);
    va_end(args);
    aw_output_print(&session->out, "%s", line);
}

void aw_session_print_row_text(struct aw_session *session, const char *key, const char *text)
{
    struct aw_object row;
    aw_object_start(&row, NULL);
    aw_object_add_text(&row, key, text);
    aw_session_print_row(session, &row, "%s\n", text);
}

void aw_session_init_command(const struct aw_session *session, const char *message,
                             struct aw_record *record)
{
    aw_record_init(record, aw_wire_codec(session->wire, message, AW_TX), AW_TX);
}

enum aw_status aw_session_announce(struct aw_session *session, struct aw_record *command)
{
    enum aw_status status = AW_OK;
    aw_session_hide_progress(session);
    command->time_ns = aw_session_time(session);
    if (aw_session_is_formatted(session) && !session->run.printing.wanted.selects_result)
        status = aw_session_show_record(session, command);
    if (status == AW_OK)
        status = aw_output_flush(&session->out, &session->err);
    return status == AW_OK ? aw_output_check(&session->out, &session->err) : status;
}

int aw_session_exit_code(const struct aw_session *session, enum aw_status status)
{
    if (session->out.error == EPIPE)
        return 128 + SIGPIPE;
    if (status == AW_STOPPED)
        return 128 + (session->motion.stop.signal ? session->motion.stop.signal : SIGINT);
    return (int)status;
}
