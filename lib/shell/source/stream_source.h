/* Internal to stream*.c: the kinds of sources. */
#ifndef AW_SHELL_SOURCE_STREAM_SOURCE_H
#define AW_SHELL_SOURCE_STREAM_SOURCE_H

#include "capture/reading.h"
#include "shell/source/skipped.h"
#include "shell/source/stream.h"
#include "view/text/finder.h"
#include "wire/split.h"

#define AW_STREAM_BLOCK 65536

/* A kind of source. Its state is in stream->state. */
struct aw_source {
    /* name: name of the file in messages; "" for a link. */
    enum aw_status (*begin)(struct aw_stream *stream, const char *name);
    /* Fills stream->item. The stream adds the subject and points of a record. deadline is a time of
     * the session's clock, or of the real clock for files and pipes, ns. AW_TIMEOUT at the
     * deadline, AW_END at the end. */
    enum aw_status (*next)(struct aw_stream *stream, int64_t deadline);
    void (*restart)(struct aw_stream *stream); /* called after a reconnect; or NULL */
    /* frees what state points to, but not state; or NULL */
    void (*end)(struct aw_stream *stream);
};

struct aw_stream {
    struct aw_session *session;
    const struct aw_source *source;
    void *state;
    struct aw_item item;
    struct aw_stream_counters counters;
    struct aw_skipped skipped; /* skipped frames of the link */
    struct aw_wire *wire;
    struct aw_record record;
    char subject[AW_POINT_NAME];
    struct {
        bool is_live;
        bool read_ahead;           /* an item has been read ahead */
        struct aw_reading reading; /* the open file or pipe, for text and captures */
        struct aw_child child;     /* prints the lines of a server */
        const char *name;          /* name of the file or server; NULL: the input is a link */
        uint64_t line;             /* number of the last line read, from 1; 0: none yet */
        bool ended, started;       /* the input has ended; the input has delivered something */
        size_t buffered, used;     /* bytes in buffer: total, processed */
        char buffer[AW_STREAM_BLOCK + 1];
        /* defects of the last line of text */
        struct {
            char time[40];      /* its time, if that is invalid; otherwise empty */
            size_t time_column; /* column of that time in the line, from 1 */
            int excess_cells;   /* CSV: 1 or -1 for more or fewer cells than the header */
        } flaw;
    } input;
    struct {
        /* when to report silence; AW_NEVER: never, or already reported */
        int64_t report_ns;
        uint64_t lost_before;      /* frames dropped by links that are closed now */
        bool reconnects, any_link; /* see aw_stream_reconnect */
        bool link_lost;
        /* time of the next attempt (real clock), and the pause before it */
        int64_t retry_ns, pause_ns;
    } reconnect;
    /* simulation time */
    struct {
        bool known; /* the recording contains simulation time */
        /* simulation time of the latest record; simulation time at the last restart */
        int64_t model_ns, model_base_ns;
    } model;
    struct aw_names names;
    /* the points and records that the caller wants */
    struct {
        const struct aw_select *selection; /* wanted points of records; NULL: all */
        struct aw_finder finder;           /* finds those points */
        /* fields to check at the first message; NULL: already checked */
        const struct aw_select *fields;
        const struct aw_where *where;
    } wanted;
    struct aw_point points[AW_POINTS_MAX];
};

extern const struct aw_source aw_receive_source, aw_link_source; /* stream_link.c */
extern const struct aw_source aw_json_source, aw_csv_source;     /* stream_text.c */
extern const struct aw_source aw_capture_source;                 /* stream_file.c */

/* The functions of aw_json_source, which the records of a server use, too. */
enum aw_status aw_json_begin(struct aw_stream *stream, const char *name);
enum aw_status aw_json_next(struct aw_stream *stream, int64_t deadline);
void aw_json_end(struct aw_stream *stream);

/* Creates a stream without a source. NULL with session->err set: out of memory, or invalid
 * options. */
struct aw_stream *aw_stream_new(struct aw_session *session);

/* Appends bytes of the file or pipe to the buffer. AW_END at its end. */
enum aw_status aw_stream_fill(struct aw_stream *stream, int64_t deadline);

/* Reads the next whole line, NUL-terminated, without its newline; a line longer than the buffer
 * comes in parts. *line is valid until the next read. AW_END: no more lines. */
enum aw_status aw_stream_line(struct aw_stream *stream, int64_t deadline, char **line);

/* Allocates the source's state, zeroed, in stream->state and returns it. NULL with the error
 * set. */
void *aw_stream_state(struct aw_stream *stream, size_t size);

#endif
