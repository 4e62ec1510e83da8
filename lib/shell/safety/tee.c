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
    bool remark; /* the bytes are a comment, followed by a NUL */
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
    char said[600] = "";
    struct aw_feeder *feeder = tee->feeder;
    tee->feeder = NULL;
    bool good = !feeder || aw_feeder_end(feeder, said, sizeof said, err);
    if (*said && tee->narrowed)
        aw_session_notice(tee->session, "%s", said);
    return good;
}

static bool close_file(struct aw_tee *tee, struct aw_error *err)
{
    FILE *file = tee->file;
    tee->open = false;
    tee->file = NULL;
    if (file && fclose(file) != 0) {
        aw_file_fail(err, NULL, tee->name);
        return false;
    }
    return end_filter(tee, err);
}

static bool lose(struct aw_tee *tee, struct aw_error *err)
{
    if (tee->feeder)
        aw_feeder_fail(tee->feeder, err);
    else if (tee->file)
        aw_file_fail(err, NULL, tee->name);
    else
        aw_output_flush(&tee->session->out, err);
    tee->open = false;
    if (tee->file)
        fclose(tee->file);
    tee->file = NULL;
    return false;
}

static void handle_lost_filter(void *context)
{
    struct aw_tee *tee = context;
    if (!tee->open)
        return;
    lose(tee, &tee->session->device.tee_lost);
    aw_stop_ask(tee->session);
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
    bool good = section && put_bytes(tee, section, size);
    free(section);
    return good;
}

/* Writes a mark as a comment. */
static bool put_log(struct aw_tee *tee, const struct message *message)
{
    char line[NAMES_MAX];
    size_t size = message->remark
                      ? (size_t)snprintf(line, sizeof line, "# %.*s\n", (int)(sizeof line - 4),
                                         (const char *)message->bytes.data)
                      : aw_candump_write(line, tee->interface, message->time_ns, message->bytes);
    return put_bytes(tee, line, size);
}

static bool put_pcapng(struct aw_tee *tee, const struct message *message)
{
    uint8_t packet[PACKET_MAX], block[BLOCK_MAX];
    struct aw_packet about = {.time_ns = message->time_ns,
                              .dir = message->dir,
                              .linktype = aw_wrapper_linktype(&tee->wrapper),
                              .data = {packet, 0}};
    if (message->remark) {
        about.comment = (const char *)message->bytes.data;
        about.comment_length = message->bytes.size;
    } else {
        about.data.size =
            aw_wrap(&tee->wrapper, message->dir, message->bytes, packet, sizeof packet);
    }
    return put_bytes(tee, block, aw_pcapng_packet(block, sizeof block, &about));
}

static bool is_output(const char *path)
{
    return strcmp(path, "-") == 0;
}

static bool ends_with(const char *path, const char *wanted)
{
    const char *ending = strrchr(path, '.');
    return ending && ending != path && strcmp(ending, wanted) == 0;
}

bool aw_tee_is_log(const struct aw_session *session, const char *path)
{
    return session->tool->protocol->can && ends_with(path, ".log");
}

static bool writes_itself(const struct aw_session *session, const char *path)
{
    return is_output(path) || ends_with(path, ".pcapng") || aw_tee_is_log(session, path);
}

bool aw_tee_accepts(struct aw_session *session, const char *path, struct aw_filter *filter)
{
    return writes_itself(session, path) || aw_filter_find(filter, path, &session->err);
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
    tee->feeder = aw_feeder_start(session, filter, tee->what, path, handle_lost_filter, tee);
    return tee->feeder ? AW_OK : session->err.status;
}

static enum aw_status open_file(struct aw_tee *tee, const char *path)
{
    struct aw_session *session = tee->session;
    struct aw_filter filter;
    if (is_output(path))
        return AW_OK;
    if (writes_itself(session, path) || session->options.run.dry_run)
        return aw_session_create(session, tee->what, path, &tee->file);
    if (aw_tee_accepts(session, path, &filter))
        return start_filter(tee, &filter, path);
    struct aw_error why = session->err;
    return aw_fail(&session->err, AW_USAGE,
                   why.status == AW_OK ? "%s: '%.100s' — give a name that "
                                         "ends in .pcapng%s or .mcap"
                                       : "%s: %.900s",
                   tee->what, why.status == AW_OK ? path : why.text,
                   session->tool->protocol->can ? ", .log" : "");
}

static enum aw_status begin(struct aw_tee *tee, const char *what, const char *path,
                            const char *interface)
{
    struct aw_session *session = tee->session;
    tee->what = what;
    snprintf(tee->name, sizeof tee->name, "%s: %s", what, path);
    enum aw_status status = open_file(tee, path);
    if (status != AW_OK)
        return status;
    tee->open = true;
    if (aw_tee_is_log(session, path))
        aw_session_interface(session, tee->interface, sizeof tee->interface);
    bool started = *tee->interface || begin_pcapng(tee, interface);
    tee->bytes = 0;
    if (started)
        return AW_OK;
    lose(tee, &session->err);
    end_filter(tee, NULL);
    return session->err.status;
}

enum aw_status aw_tee_open(struct aw_session *session, const char *what, const char *path,
                           const char *interface)
{
    struct aw_tee *tee = calloc(1, sizeof *tee);
    if (!tee)
        return aw_no_memory(&session->err);
    tee->session = session;
    enum aw_status status = begin(tee, what, path, interface);
    if (status == AW_OK)
        session->device.tee = tee;
    else
        free(tee);
    return status;
}

static bool put(struct aw_tee *tee, const struct message *message, struct aw_error *err)
{
    return (*tee->interface ? put_log : put_pcapng)(tee, message) || lose(tee, err);
}

static bool add(struct aw_tee *tee, const struct message *message, struct aw_error *err)
{
    if (!tee->open)
        return true;
    tee->packets++;
    return put(tee, message, err);
}

bool aw_tee_add(struct aw_tee *tee, enum aw_dir dir, int64_t time_ns, struct aw_span bytes,
                struct aw_error *err)
{
    return add(tee, &(struct message){.time_ns = time_ns, .dir = dir, .bytes = bytes}, err);
}

static struct message remark(int64_t time_ns, const char *text)
{
    return (struct message){
        .time_ns = time_ns, .remark = true, .bytes = {(const uint8_t *)text, strlen(text)}};
}

bool aw_tee_mark(struct aw_tee *tee, int64_t time_ns, const char *comment, struct aw_error *err)
{
    struct message message = remark(time_ns, comment);
    return add(tee, &message, err);
}

static bool put_note(struct aw_tee *tee, int64_t time_ns, const char *text)
{
    struct message message = remark(time_ns, text);
    return put(tee, &message, &tee->session->device.tee_lost);
}

bool aw_tee_names(struct aw_tee *tee, struct aw_session *session, int64_t time_ns)
{
    char text[NAMES_MAX];
    size_t own = 0;
    bool good = !*tee->interface; /* a candump log cannot hold comments */
    while (!tee->named && tee->open && good &&
           aw_session_keep_packets(session, &own, text, sizeof text))
        good = put_note(tee, time_ns, text);
    tee->named = true;
    while (session->tool->names.keep && tee->open && good &&
           session->tool->names.keep(session, &tee->names_at, text, sizeof text))
        good = put_note(tee, time_ns, text);
    return good || *tee->interface;
}

bool aw_tee_close(struct aw_session *session, struct aw_error *err)
{
    struct aw_tee *tee = session->device.tee;
    bool good = session->motion.moving || aw_feeder_end_all(session, err);
    if (!tee)
        return good;
    bool lost = !tee->open; /* already reported */
    bool closed = close_file(tee, good && !lost ? err : NULL);
    good = good && (closed || lost);
    free(tee);
    session->device.tee = NULL;
    return good;
}
