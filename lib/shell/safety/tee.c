/* Copies the link's traffic to a capture file that stays readable. */
#include "shell/safety/tee.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/file.h"
#include "capture/candump.h"
#include "shell/safety/feeder.h"
#include "shell/safety/stop.h"

enum { PACKET_MAX = 66000, BLOCK_MAX = PACKET_MAX + 640, NAMES_MAX = 500 };

struct message {
    int64_t time_ns;
    enum aw_dir dir;
    bool is_comment; /* the bytes are a comment, followed by a NUL */
    struct aw_span bytes;
};

/* Flushes each message, so that the file is readable after a failure. */
static bool put_bytes(struct aw_tee *tee, const void *bytes, size_t size)
{
    struct aw_output *out = &tee->session->out;
    tee->bytes += size;
    if (tee->feeder)
        return aw_feeder_put(tee->feeder, bytes, size);
    if (tee->file)
        return fwrite(bytes, 1, size, tee->file) == size && fflush(tee->file) == 0;
    aw_output_write(out, bytes, size);
    return aw_output_flush(out, NULL) == AW_OK;
}

/* Ends the filter. Only the command record prints its notices. */
static bool end_filter(struct aw_tee *tee, struct aw_error *err)
{
    char output[600] = "";
    struct aw_feeder *feeder = tee->feeder;
    tee->feeder = NULL;
    bool ok = !feeder || aw_feeder_end(feeder, output, sizeof output, err);
    if (*output && tee->selects_subjects)
        aw_session_print_notice(tee->session, "%s", output);
    return ok;
}

static bool close_file(struct aw_tee *tee, struct aw_error *err)
{
    FILE *file = tee->file;
    tee->is_open = false;
    tee->file = NULL;
    if (file && fclose(file) != 0) {
        aw_file_fail(err, NULL, tee->name);
        return false;
    }
    return end_filter(tee, err);
}

static bool fail(struct aw_tee *tee, struct aw_error *err)
{
    if (tee->feeder)
        aw_feeder_fail(tee->feeder, err);
    else if (tee->file)
        aw_file_fail(err, NULL, tee->name);
    else
        aw_output_flush(&tee->session->out, err);
    tee->is_open = false;
    if (tee->file)
        fclose(tee->file);
    tee->file = NULL;
    return false;
}

static void handle_lost_filter(void *context)
{
    struct aw_tee *tee = context;
    if (!tee->is_open)
        return;
    fail(tee, &tee->session->device.tee_error);
    aw_stop_request(tee->session);
}

/* ---- pcapng ---- */

static bool begin_pcapng(struct aw_tee *tee, const char *url)
{
    const struct aw_protocol *protocol = tee->session->tool->protocol;
    tee->wrapper = (struct aw_wrapper){.medium = protocol->medium,
                                       .ports = {protocol->ports[0], protocol->ports[1]}};
    size_t size = 0;
    uint8_t *section = aw_section_make(tee->session, url, aw_wrapper_linktype(&tee->wrapper),
                                       &tee->names_at, &size);
    bool ok = section && put_bytes(tee, section, size);
    free(section);
    return ok;
}

/* Writes a line of a candump log; a mark becomes a comment. */
static bool put_log(struct aw_tee *tee, const struct message *message)
{
    char line[NAMES_MAX];
    size_t size = message->is_comment
                      ? (size_t)snprintf(line, sizeof line, "# %.*s\n", (int)(sizeof line - 4),
                                         (const char *)message->bytes.data)
                      : aw_candump_write(line, tee->interface, message->time_ns, message->bytes);
    return put_bytes(tee, line, size);
}

static bool put_pcapng(struct aw_tee *tee, const struct message *message)
{
    uint8_t packet[PACKET_MAX], block[BLOCK_MAX];
    struct aw_packet entry = {.time_ns = message->time_ns,
                              .dir = message->dir,
                              .linktype = aw_wrapper_linktype(&tee->wrapper),
                              .data = {packet, 0}};
    if (message->is_comment) {
        entry.comment = (const char *)message->bytes.data;
        entry.comment_length = message->bytes.size;
    } else {
        entry.data.size =
            aw_wrap(&tee->wrapper, message->dir, message->bytes, packet, sizeof packet);
    }
    return put_bytes(tee, block, aw_pcapng_packet(block, sizeof block, &entry));
}

static bool is_output(const char *path)
{
    return strcmp(path, "-") == 0;
}

static bool ends_with(const char *path, const char *expected)
{
    const char *ending = strrchr(path, '.');
    return ending && ending != path && strcmp(ending, expected) == 0;
}

bool aw_tee_is_log(const struct aw_session *session, const char *path)
{
    return session->tool->protocol->frames.is_can && ends_with(path, ".log");
}

static bool is_own_format(const struct aw_session *session, const char *path)
{
    return is_output(path) || ends_with(path, ".pcapng") || aw_tee_is_log(session, path);
}

bool aw_tee_accepts(struct aw_session *session, const char *path, struct aw_filter *filter)
{
    return is_own_format(session, path) || aw_filter_find(filter, path, &session->err);
}

/* ---- All formats ---- */

/* Checks the path first, because the filter creates the file. */
static enum aw_status start_filter(struct aw_tee *tee, const struct aw_filter *filter,
                                   const char *path)
{
    struct aw_session *session = tee->session;
    enum aw_status status = aw_file_check(path, &session->err);
    if (status != AW_OK)
        return status;
    tee->feeder = aw_feeder_start(session, filter, tee->label, path, handle_lost_filter, tee);
    return tee->feeder ? AW_OK : session->err.status;
}

static enum aw_status open_file(struct aw_tee *tee, const char *path)
{
    struct aw_session *session = tee->session;
    struct aw_filter filter;
    if (is_output(path))
        return AW_OK;
    if (is_own_format(session, path) || session->options.run.dry_run)
        return aw_session_create_file(session, tee->label, path, &tee->file);
    if (aw_tee_accepts(session, path, &filter))
        return start_filter(tee, &filter, path);
    struct aw_error saved_err = session->err;
    return aw_fail(&session->err, AW_USAGE,
                   saved_err.status == AW_OK
                       ? "%s: '%.100s': unknown file extension — use .pcapng%s "
                         "or .mcap"
                       : "%s: %.900s",
                   tee->label, saved_err.status == AW_OK ? path : saved_err.text,
                   session->tool->protocol->frames.is_can ? ", .log" : "");
}

static enum aw_status begin_file(struct aw_tee *tee, const char *label, const char *path,
                                 const char *interface)
{
    struct aw_session *session = tee->session;
    tee->label = label;
    snprintf(tee->name, sizeof tee->name, "%s: %s", label, path);
    enum aw_status status = open_file(tee, path);
    if (status != AW_OK)
        return status;
    tee->is_open = true;
    if (aw_tee_is_log(session, path))
        aw_session_link_name(session, tee->interface, sizeof tee->interface);
    bool started = *tee->interface || begin_pcapng(tee, interface);
    tee->bytes = 0;
    if (started)
        return AW_OK;
    fail(tee, &session->err);
    end_filter(tee, NULL);
    return session->err.status;
}

enum aw_status aw_tee_open(struct aw_session *session, const char *label, const char *path,
                           const char *interface)
{
    struct aw_tee *tee = calloc(1, sizeof *tee);
    if (!tee)
        return aw_no_memory(&session->err);
    tee->session = session;
    enum aw_status status = begin_file(tee, label, path, interface);
    if (status == AW_OK)
        session->device.tee = tee;
    else
        free(tee);
    return status;
}

static bool put_message(struct aw_tee *tee, const struct message *message, struct aw_error *err)
{
    return (*tee->interface ? put_log : put_pcapng)(tee, message) || fail(tee, err);
}

static bool add_message(struct aw_tee *tee, const struct message *message, struct aw_error *err)
{
    if (!tee->is_open)
        return true;
    tee->packets++;
    return put_message(tee, message, err);
}

bool aw_tee_add(struct aw_tee *tee, enum aw_dir dir, int64_t time_ns, struct aw_span bytes,
                struct aw_error *err)
{
    return add_message(tee, &(struct message){.time_ns = time_ns, .dir = dir, .bytes = bytes}, err);
}

static struct message make_comment(int64_t time_ns, const char *text)
{
    return (struct message){
        .time_ns = time_ns, .is_comment = true, .bytes = {(const uint8_t *)text, strlen(text)}};
}

bool aw_tee_add_mark(struct aw_tee *tee, int64_t time_ns, const char *comment, struct aw_error *err)
{
    struct message message = make_comment(time_ns, comment);
    return add_message(tee, &message, err);
}

static bool put_comment(struct aw_tee *tee, int64_t time_ns, const char *text)
{
    struct message message = make_comment(time_ns, text);
    return put_message(tee, &message, &tee->session->device.tee_error);
}

bool aw_tee_write_names(struct aw_tee *tee, struct aw_session *session, int64_t time_ns)
{
    char text[NAMES_MAX];
    size_t packet_at = 0;
    bool ok = !*tee->interface; /* a candump log cannot hold comments */
    while (!tee->wrote_packets && tee->is_open && ok &&
           aw_session_write_packets(session, &packet_at, text, sizeof text))
        ok = put_comment(tee, time_ns, text);
    tee->wrote_packets = true;
    while (session->tool->records.names.write_lines && tee->is_open && ok &&
           session->tool->records.names.write_lines(session, &tee->names_at, text, sizeof text))
        ok = put_comment(tee, time_ns, text);
    return ok || *tee->interface;
}

bool aw_tee_close(struct aw_session *session, struct aw_error *err)
{
    struct aw_tee *tee = session->device.tee;
    bool ok = session->motion.moving || aw_feeder_end_all(session, err);
    if (!tee)
        return ok;
    bool lost = !tee->is_open; /* already reported */
    bool closed = close_file(tee, ok && !lost ? err : NULL);
    ok = ok && (closed || lost);
    free(tee);
    session->device.tee = NULL;
    return ok;
}
