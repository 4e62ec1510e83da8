/* Where watch, plot and record get their messages from: the device, records that another program
 * writes, or a recording.
 *
 *     struct aw_stream *stream;
 *     if (aw_stream_open(&stream, session, NULL) != AW_OK) …      NULL: the device
 *     while ((status = aw_stream_next(stream, deadline, &item)) == AW_OK)
 *         use(&item);
 *     aw_stream_close(stream);
 *
 * From the device: through the tool's own receive, else by reading the link. From "-" (standard
 * input) or a file: NDJSON, CSV with a header, or a capture (pcapng, candump); of any tool, except
 * for captures. From serve:…: the records of a server, whatever its tool.
 */
#ifndef AW_SHELL_COMMANDS_STREAM_H
#define AW_SHELL_COMMANDS_STREAM_H

#include "shell/core/session.h"
#include "view/text/where.h"

struct aw_stream;

/* One message. Valid until the next one is asked for. */
struct aw_item {
    int64_t time_ns;                /* since 1970, or AW_NO_TIME: a recording without times */
    bool arrived;                   /* the text had no time: it is when it came */
    const struct aw_record *record; /* decoded, with the wire that --raw asks for; or NULL */
    const char *subject;            /* or "" */
    struct aw_received received;    /* the frame; size 0 if it came as text */
    const char *line;               /* NDJSON: the line as it came, without its end; or NULL */
    const struct aw_point *points;
    size_t n;
};

/* Does the condition hold for it, and what of the condition is about msg and dir? */
bool aw_item_holds(const struct aw_where *where, const struct aw_item *item);
bool aw_item_head_holds(const struct aw_where *where, const struct aw_item *item);

struct aw_stream_counters {
    uint64_t messages;
    uint64_t damaged; /* what could not be decoded */
    uint64_t lost;    /* frames that the link had to drop */
    uint64_t uneven;  /* rows of CSV that have other columns than the header */
};

/* input: NULL, "-", or a file. AW_USAGE for a file that cannot be read or has no known
 * format; else the error of the link. *out is NULL on failure. */
enum aw_status aw_stream_open(struct aw_stream **out, struct aw_session *session,
                              const char *input);
void aw_stream_close(struct aw_stream *stream); /* NULL is fine */

/* Records with these fields from a server, at most hz times a second of each kind. Another process
 * reads them: 'TOOL -l serve:… watch'. tool: whose device it is, in tool[24]. aw_stream_next
 * reports the failure of that process as its own, and its end as AW_LOST. */
enum aw_status aw_stream_open_peer(struct aw_stream **out, struct aw_session *session,
                                   const char *url, const struct aw_select *select, double hz,
                                   char *tool);
bool aw_stream_is_peer(const char *input); /* is it a server's URL? */

/* Is there anything of these names? By the table of the wire; before a link is opened. AW_USAGE. */
enum aw_status aw_stream_check(struct aw_session *session, const struct aw_select *fields,
                               const struct aw_where *where);

/* The same by the first message from the device, where only that shows who is there: AW_USAGE from
 * aw_stream_next, once. Both are not owned; where may be NULL. */
void aw_stream_expect(struct aw_stream *stream, const struct aw_select *fields,
                      const struct aw_where *where);

/* From now on records come with the points alone that are named, as only they are used: making the
 * others takes longer than reading the record. Not owned. */
void aw_stream_only(struct aw_stream *stream, const struct aw_select *select);

/* The stream is over: AW_END, or AW_ENOUGH from its reader. */
static inline bool aw_stream_over(enum aw_status status)
{
    return status == AW_END || status == AW_ENOUGH;
}

/* AW_OK; AW_TIMEOUT at the deadline; AW_END at the end of the input, or of the recording that
 * the link plays; AW_STOPPED; AW_LOST, after which aw_stream_reconnect may be tried; AW_MALFORMED
 * for a line that is no record, after which one may go on; or why it cannot go on. A flood is read
 * in blocks, with some ms between them. */
enum aw_status aw_stream_next(struct aw_stream *stream, int64_t deadline, struct aw_item *item);

/* A link that is lost is tried again and again; aw_stream_next has AW_TIMEOUT meanwhile. devices:
 * any link, else only one to a server, which another server may follow. */
void aw_stream_stay(struct aw_stream *stream, bool devices);
bool aw_stream_waits(const struct aw_stream *stream); /* for it, now */

/* For the end of a command that was to listen for some time: AW_TIMEOUT if the device has said
 * nothing at all, with what may be the reason; not of one that only answers. */
enum aw_status aw_stream_answered(struct aw_stream *stream, const char *command);

const struct aw_stream_counters *aw_stream_counters(struct aw_stream *stream);
struct aw_names *aw_stream_names(struct aw_stream *stream);

/* Does it come from a device, at its own pace? A recording is read as fast as it can be. */
bool aw_stream_is_live(const struct aw_stream *stream);

/* Does it come over the link, and not as text or from a file? */
bool aw_stream_has_link(const struct aw_stream *stream);

#endif
