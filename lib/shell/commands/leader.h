/* Internal to follow: what leads, as values of the fields that a map names. A leader is standard
 * input or another pipe (NDJSON or CSV of any of our tools), a recording, a server of any tool.
 *
 *     struct aw_leader leader = {0};
 *     status = aw_leader_open(&leader, session, "serve:hidmotor", &map);
 *     if (leader.recorded)
 *         status = aw_leader_load(&leader);            all of it, in leader.rows
 *     else
 *         while ((status = aw_leader_next(&leader, deadline, &said)) == AW_OK) …
 *     aw_leader_close(&leader);
 *
 * A field is named as in watch. Of a group ("m2") it is what is measured; what is sent to a device
 * counts only where its message is named ("set_setpoints.m2").
 */
#ifndef AW_SHELL_COMMANDS_LEADER_H
#define AW_SHELL_COMMANDS_LEADER_H

#include "control/follow.h"
#include "shell/commands/stream.h"

#define AW_LEADER_NAMES 64

struct aw_leader_sample {
    double t_s, value; /* since the first record of all; a restart goes on behind a gap */
};

struct aw_leader_row {
    char name[AW_POINT_NAME]; /* of the value that it is; "": not seen yet */
    int rank;
    struct aw_leader_sample *samples;
    size_t n, room;
};

struct aw_leader {
    struct aw_session *session;
    const struct aw_follow_map *map;
    const char *source;
    struct aw_stream *stream; /* NULL: a server that is gone, for now */
    struct aw_select select;
    bool recorded; /* it has times of its own, and waits */
    bool equal;    /* it is a tool of the same kind */
    bool peer;     /* a server: it has said that it has these fields */
    char tool[24];
    struct aw_leader_row rows[AW_FOLLOW_ROWS];
    double length_s, shift_s; /* of what begins anew */
    int64_t start_ns;
    uint64_t records, ignored, late, lost_before; /* ignored, late: of a recording */
    size_t n_names;
    char names[AW_LEADER_NAMES][AW_POINT_NAME]; /* some of those that came */
};

/* What one record says. */
struct aw_said {
    int64_t time_ns; /* since 1970, by the leader */
    bool arrived;    /* it said no time: it is when it came */
    size_t n;
    struct {
        size_t row;
        double value;
    } of[AW_FOLLOW_ROWS];
};

/* AW_USAGE: it cannot be read, or has no such fields as far as that is known now. hz: of a server,
 * at most so many records of a kind. */
enum aw_status aw_leader_open(struct aw_leader *leader, struct aw_session *session,
                              const char *source, const struct aw_follow_map *map);
void aw_leader_close(struct aw_leader *leader);

/* A server that is gone, once more. */
enum aw_status aw_leader_reopen(struct aw_leader *leader);

/* As aw_stream_next; said->n 0: nothing of what is wanted. AW_USAGE: a field is several values. */
enum aw_status aw_leader_next(struct aw_leader *leader, int64_t deadline, struct aw_said *said);

/* Reads all of it. gap_s: what goes back by no more is late and left out, by more begins anew. */
enum aw_status aw_leader_load(struct aw_leader *leader, double gap_s);

/* The first row that nothing was said of; map->n: none. */
size_t aw_leader_missing(const struct aw_leader *leader);
enum aw_status aw_leader_fail_missing(struct aw_leader *leader, size_t row);

uint64_t aw_leader_lost(struct aw_leader *leader);

#endif
