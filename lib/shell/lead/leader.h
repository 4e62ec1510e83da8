/* Internal to follow: the leader, a source of values for the fields that a map names. A leader is a
 * pipe such as standard input (NDJSON or CSV of any tool), a recording, or a server of any tool.
 *
 *     struct aw_leader leader = {0};
 *     status = aw_leader_open(&leader, session, "serve:hidmotor", &map);
 *     if (leader.is_recording)
 *         status = aw_leader_load(&leader, gap_s);     reads all of it to leader.rows
 *     else
 *         while ((status = aw_leader_next(&leader, deadline, &record)) == AW_OK) …
 *     aw_leader_close(&leader);
 *
 * Fields are named as in watch. A bare group name ("m2") means its measured value. Values sent to a
 * device count only if the map names their message ("set_setpoints.m2"). */
#ifndef AW_SHELL_LEAD_LEADER_H
#define AW_SHELL_LEAD_LEADER_H

#include "control/follow.h"
#include "shell/source/stream.h"

#define AW_LEADER_NAMES 64

struct aw_leader_sample {
    double t_s, value; /* since the first record; after a restart, time continues after a gap */
};

struct aw_leader_row {
    char name[AW_POINT_NAME]; /* full name of the value; "": not received yet */
    int rank;
    struct aw_leader_sample *samples;
    size_t n, room;
};

struct aw_leader {
    struct aw_session *session;
    const struct aw_follow_map *map;
    const char *source;
    struct aw_stream *stream; /* NULL: the server is gone for now */
    struct aw_select select;
    bool is_recording; /* a recording: it has its own times, and reading may wait */
    bool same_kind;    /* the leader is a tool of the same kind */
    bool is_server;    /* a server that confirmed that it has these fields */
    char tool[24];
    struct aw_leader_row rows[AW_FOLLOW_ROWS];
    struct {
        /* time of the latest record, and the shift of the times since the last restart, s */
        double length_s, shift_s;
        int64_t start_ns;
    } time;
    struct {
        uint64_t records, lost_before;
        uint64_t ignored, late; /* recordings: values not finite; records older than earlier ones */
    } counts;
    size_t n_names;
    char names[AW_LEADER_NAMES][AW_POINT_NAME]; /* some of the received names */
};

/* The values of one record. */
struct aw_leader_record {
    int64_t time_ns;    /* since 1970, leader's clock */
    bool timed_locally; /* the record had no time: time_ns is its time of arrival */
    size_t n;
    struct {
        size_t row;
        double value;
    } values[AW_FOLLOW_ROWS];
};

/* Opens the leader. AW_USAGE: it cannot be read. AW_NO_LINK: no such server, or its tool is not
 * installed. */
enum aw_status aw_leader_open(struct aw_leader *leader, struct aw_session *session,
                              const char *source, const struct aw_follow_map *map);
void aw_leader_close(struct aw_leader *leader);

/* Reopens a server that is gone. */
enum aw_status aw_leader_reopen(struct aw_leader *leader);

/* Like aw_stream_next. record->n is 0 if the record has no wanted values, or is invalid. AW_USAGE:
 * a field of the map is ambiguous. */
enum aw_status aw_leader_next(struct aw_leader *leader, int64_t deadline,
                              struct aw_leader_record *record);

/* Reads a whole recording. gap_s: a record that steps back in time by at most this is late and
 * skipped; a larger step back is a restart. AW_USAGE: no times, or a missing field. */
enum aw_status aw_leader_load(struct aw_leader *leader, double gap_s);

/* Returns the first row whose field has not arrived; map->n: all have. aw_leader_fail_missing fails
 * with AW_USAGE because of this row. */
size_t aw_leader_find_missing(const struct aw_leader *leader);
enum aw_status aw_leader_fail_missing(struct aw_leader *leader, size_t row);

uint64_t aw_leader_count_lost(struct aw_leader *leader); /* frames dropped by all links so far */

#endif
