/* Internal to stream*.c: the kinds of sources. */
#ifndef AW_SHELL_COMMANDS_STREAM_SOURCE_H
#define AW_SHELL_COMMANDS_STREAM_SOURCE_H

#include "shell/commands/decoder.h"
#include "shell/commands/stream.h"

#define AW_STREAM_BLOCK 65536

/* Fills stream->item, but for time of day and points of records. */
struct aw_source {
    enum aw_status (*next)(struct aw_stream *stream, int64_t deadline);
};

/* Records that one block of a capture has. */
struct aw_queue {
    struct aw_record *records;
    size_t n, next, room;
};

struct aw_columns {
    size_t n;
    char separator;
    char *text; /* the header, cut up */
    const char *name[AW_POINTS_MAX];
    int time, message; /* columns, or -1 */
};

struct aw_stream {
    struct aw_session *session;
    const struct aw_source *source;
    struct aw_item item;
    struct aw_stream_counters counters;
    struct aw_wire *wire;
    struct aw_link *link;
    struct aw_framer framer;
    struct aw_record record;
    char subject[AW_POINT_NAME];
    bool busy;       /* something came since the last rest */
    int64_t read_ns; /* when what is held came */
    bool live;
    bool primed;          /* an item has been read already */
    int64_t report_ns;    /* when silence is reported; AW_NEVER: not, or not again */
    uint64_t lost_before; /* by links that were closed */
    int fd;               /* of text and captures */
    bool ended;
    size_t held, used; /* in buffer */
    struct aw_decoder *decoder;
    struct aw_queue queue;
    void *json; /* the object that the points speak of */
    struct aw_columns columns;
    struct aw_names names;
    const struct aw_select *fields; /* that are expected; NULL: that has been looked at */
    const struct aw_where *where;
    struct aw_point points[AW_POINTS_MAX];
    char paths[AW_POINTS_MAX][AW_POINT_NAME];
    char buffer[AW_STREAM_BLOCK + 1];
};

extern const struct aw_source aw_receive_source, aw_link_source; /* stream_link.c */
extern const struct aw_source aw_json_source, aw_csv_source;     /* stream_text.c */

/* Reads more of the file or pipe behind what is held. AW_END at its end. */
enum aw_status aw_stream_fill(struct aw_stream *stream, int64_t deadline);

/* The next whole line, NUL-terminated, without its end. AW_END: there is none any more. */
enum aw_status aw_stream_line(struct aw_stream *stream, int64_t deadline, char **line);

/* Frees what text sources keep. */
void aw_text_free(struct aw_stream *stream);

enum aw_status aw_csv_begin(struct aw_stream *stream);
enum aw_status aw_capture_begin(struct aw_stream *stream, const char *name);

#endif
