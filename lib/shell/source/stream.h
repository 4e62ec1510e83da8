/* The message source of watch, plot and record: the device, records of another program, or a
 * recording.
 *
 *     struct aw_stream *stream;
 *     if (aw_stream_open(&stream, session, NULL) != AW_OK) …      NULL: the device
 *     while ((status = aw_stream_next(stream, deadline, &item)) == AW_OK)
 *         use(&item);
 *     aw_stream_close(stream);
 *
 * Device: through the tool's own receive, else by reading the link. "-" (standard input) or a file:
 * NDJSON, CSV with a header, or a capture (pcapng, candump). Text may come from any tool, captures
 * only from this one. serve:…: the records of a server of any tool.
 */
#ifndef AW_SHELL_SOURCE_STREAM_H
#define AW_SHELL_SOURCE_STREAM_H

#include "shell/session/session.h"
#include "view/text/where.h"

struct aw_stream;

/* One message. Valid until the next call of aw_stream_next. */
struct aw_item {
    int64_t time_ns;                /* since 1970; AW_NO_TIME in a recording without times */
    bool timed_locally;             /* the text had no time: time_ns is its time of arrival */
    const struct aw_record *record; /* decoded, with wire values if --raw is given; or NULL */
    const char *subject;            /* name of the record's subject, or "" */
    struct aw_received received;    /* the frame; size 0 if it came as text */
    const char *line;               /* NDJSON: the received line without its newline; or NULL */
    const struct aw_point *points;
    size_t n;
};

/* aw_item_matches returns true if the item meets the condition; aw_item_head_matches, if it
 * meets the part of the condition about msg and dir. */
bool aw_item_matches(const struct aw_where *where, const struct aw_item *item);
bool aw_item_head_matches(const struct aw_where *where, const struct aw_item *item);

struct aw_stream_counters {
    uint64_t messages;
    uint64_t damaged; /* messages that could not be decoded */
    uint64_t lost;    /* number of frames dropped by the link */
    uint64_t uneven;  /* number of CSV rows whose columns do not match the header */
    /* lines of NDJSON that are not objects: how many; number of the first one */
    uint64_t malformed, malformed_line;
};

/* input: NULL (the device), "-", or a file. AW_USAGE: a file that cannot be read or whose format is
 * unknown. Otherwise returns the error of the link. *out is NULL on failure. */
enum aw_status aw_stream_open(struct aw_stream **out, struct aw_session *session,
                              const char *input);
void aw_stream_close(struct aw_stream *stream); /* accepts NULL */

/* Opens a server's records with these fields, at most max_rate_hz per second of each kind. Another
 * process reads them: 'TOOL -l serve:… watch'. Writes the name of the server's tool to tool[24].
 * aw_stream_next returns a failure of that process, and AW_LOST when it ends. */
enum aw_status aw_stream_open_peer(struct aw_stream **out, struct aw_session *session,
                                   const char *url, const struct aw_select *select,
                                   double max_rate_hz, char *tool);
bool aw_stream_is_peer(const char *input); /* Returns true for a server's URL. */

/* Checks before a link is opened that the wire's table has these names. AW_USAGE: one of them is
 * missing. */
enum aw_status aw_stream_check(struct aw_session *session, const struct aw_select *fields,
                               const struct aw_where *where);

/* Does the same check when the first message arrives, for a device whose joints only that message
 * shows. aw_stream_next then returns AW_USAGE once. Neither pointer is owned; where may be NULL. */
void aw_stream_check_first(struct aw_stream *stream, const struct aw_select *fields,
                           const struct aw_where *where);

/* Restricts records to the named points from now on, because building all points takes longer than
 * reading the record. Not owned. */
void aw_stream_select(struct aw_stream *stream, const struct aw_select *select);

/* Returns true if the stream is over: AW_END, or AW_ENOUGH from its reader. */
static inline bool aw_stream_is_over(enum aw_status status)
{
    return status == AW_END || status == AW_ENOUGH;
}

/* Reads the next item. AW_TIMEOUT at the deadline; AW_END at the end of the input, or of the
 * recording that the link plays; AW_STOPPED on a request to stop; AW_LOST for a lost link, see
 * aw_stream_reconnect; AW_MALFORMED for an invalid line, after which reading may continue; or a
 * fatal error. Reads heavy traffic in blocks, a few ms apart. */
enum aw_status aw_stream_next(struct aw_stream *stream, int64_t deadline, struct aw_item *item);

/* Checks the line of the last item. AW_MALFORMED with FILE:LINE:COLUMN: check_time if its time is
 * invalid (AW_OK if it has none), check_cells if it is a CSV row with more or fewer cells than the
 * header. */
enum aw_status aw_stream_check_time(struct aw_stream *stream);
enum aw_status aw_stream_check_cells(struct aw_stream *stream);

/* Puts FILE:LINE:COLUMN of a point of the last item in front of the error in err. NULL: the start
 * of the line. Items from a capture have no line: the error stays as it is. */
void aw_stream_fail_at_point(struct aw_stream *stream, const struct aw_point *point,
                             struct aw_error *err);

/* Keeps reopening a lost link; aw_stream_next returns AW_TIMEOUT meanwhile. any_link: for any link;
 * otherwise only for a link to a server, which another server may replace. */
void aw_stream_reconnect(struct aw_stream *stream, bool any_link);
bool aw_stream_is_waiting(const struct aw_stream *stream); /* true while the link is lost */

/* Call at the end of a command that listens for some time. AW_TIMEOUT, with a likely reason unless
 * that was printed, if the device sent nothing. AW_OK for a file, and for a device that only
 * answers. */
enum aw_status aw_stream_check_received(struct aw_stream *stream, const char *command);

/* Prints a notice about the malformed lines that the caller skipped, if any. */
void aw_stream_report_malformed(struct aw_stream *stream);

const struct aw_stream_counters *aw_stream_counters(struct aw_stream *stream);
struct aw_names *aw_stream_names(struct aw_stream *stream);

/* Returns true if messages come from a device, at its own pace. Recordings are read as fast as
 * possible. */
bool aw_stream_is_live(const struct aw_stream *stream);

/* Returns true if messages come over the link, not as text or from a file. */
bool aw_stream_has_link(const struct aw_stream *stream);

#endif
