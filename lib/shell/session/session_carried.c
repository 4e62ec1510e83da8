/* Stores custom packets in recordings, so that other machines can decode a recording without the
 * packet files. */
#include "shell/session/session.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "base/text.h"
#include "capture/log.h"
#include "packets/carried.h"

bool aw_session_is_note(const char *comment)
{
    const char *text;
    return aw_carried_kind(comment, &text) != AW_CARRIED_OTHER ||
           strncmp(comment, AW_SUBJECT_LINE, strlen(AW_SUBJECT_LINE)) == 0;
}

void aw_session_read_section(void *context, const char *program, const char *comment, size_t length)
{
    struct aw_session *session = context;
    char text[AW_LOG_COMMENT];
    (void)program;
    if (!session->tool->records.names.read_line)
        return;
    snprintf(text, sizeof text, "%.*s", (int)length, comment);
    session->tool->records.names.read_line(session, text);
}

static const struct aw_packets *get_packets(const struct aw_session *session)
{
    return session->device.custom.packets ? session->device.custom.packets
                                          : session->device.carried;
}

bool aw_session_write_packets(const struct aw_session *session, size_t *at, char *out, size_t size)
{
    return aw_carried_next(get_packets(session), at, out, size);
}

/* ---- Reading ---- */

/* Reads the comments before the first message. The caller handles only AW_NO_MEMORY; the reader of
 * the recording reports other errors. */
static enum aw_status read_comments(struct aw_session *session, const char *path,
                                    struct aw_carried *carried)
{
    struct aw_log *log;
    struct aw_log_entry entry;
    struct aw_log_options options = {.medium = &session->tool->protocol->medium};
    enum aw_status status = aw_log_open(&log, path, &options, NULL);
    if (status != AW_OK)
        return status;
    while (status == AW_OK && (status = aw_log_next(log, &entry, NULL)) == AW_OK &&
           !entry.data.size) {
        const char *text;
        enum aw_carried_kind kind = aw_carried_kind(entry.comment, &text);
        status = aw_carried_add(carried, kind, text);
    }
    aw_log_close(log);
    return status;
}

static enum aw_status parse_carried(struct aw_session *session, const struct aw_carried *carried,
                                    const char *path)
{
    enum aw_status status = aw_carried_read(carried, session->tool->protocol, path,
                                            &session->device.carried, &session->err);
    if (status == AW_OK || status == AW_NO_MEMORY)
        return status;
    struct aw_error saved_err = session->err;
    const char *remedy = strstr(saved_err.text, " — ");
    return aw_fail(&session->err, AW_MALFORMED, "packets in %.*s — give --packets FILE%s",
                   remedy ? (int)(remedy - saved_err.text) : 280, saved_err.text,
                   carried->dbc.n ? " or --dbc FILE" : "");
}

static enum aw_status read_recording(struct aw_session *session, const char *path)
{
    struct stat info;
    struct aw_carried carried = {.packets = {.n = 0}};
    if (stat(path, &info) != 0 || !S_ISREG(info.st_mode))
        return AW_OK;
    enum aw_status status = read_comments(session, path, &carried) == AW_NO_MEMORY
                                ? aw_no_memory(&session->err)
                                : parse_carried(session, &carried, path);
    aw_carried_free(&carried);
    return status;
}

/* Drops the packets. This is safe between two commands, because nothing refers to them then. */
static void drop_packets(struct aw_session *session)
{
    if (!session->device.carried)
        return;
    free(session->device.decoding);
    session->device.decoding = NULL;
    aw_packets_free(session->device.carried);
    session->device.carried = NULL;
}

/* Reads the packets of the recording that is the argument or the link. */
static enum aw_status read_recordings(struct aw_session *session, const struct aw_args *args)
{
    static const char *const readers[] = {"decode", "info", "plot", "replay", NULL};
    const char *link = session->options.link.url;
    enum aw_status status = AW_OK;
    bool reads = aw_is_one_of(readers, args->command->name);
    for (size_t i = 0; reads && i < args->n && status == AW_OK && !session->device.carried; i++)
        status = read_recording(session, args->bound[i].text);
    if (status != AW_OK || session->device.carried || !link || strncmp(link, "log:", 4) != 0)
        return status;
    char path[512];
    snprintf(path, sizeof path, "%.*s", (int)strcspn(link + 4, "?"), link + 4);
    return read_recording(session, path);
}

enum aw_status aw_session_read_packets(struct aw_session *session, const struct aw_args *args)
{
    drop_packets(session);
    if (session->options.link.packets || session->options.link.dbc ||
        !session->tool->protocol->custom.custom)
        return AW_OK;
    enum aw_status status = read_recordings(session, args);
    if (status != AW_MALFORMED || args->command->safety == AW_READ)
        return status;
    session->err = (struct aw_error){.status = AW_OK};
    return AW_OK;
}
