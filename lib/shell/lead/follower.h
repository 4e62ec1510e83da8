/* Internal to follow: declarations shared by its files.
 *
 *     status = aw_follower_begin(f, source);       follow_begin.c: options, map, joints, the leader
 *     while (…) {
 *         status = aw_follower_listen(f);          follow_live.c: a live leader
 *         aw_follower_use_recording(f);           follow_recording.c: or a recorded one
 *         … aw_follow_step(&f->engine, now) …      control/follow.h
 *         status = aw_follower_send(f);            follow_joints.c: or _stop, or _refuse
 *         aw_follower_advance(f, period_s);
 *         status = aw_follower_attend(f);
 *     }
 *
 * All return AW_OK, or another status with session->err set.
 */
#ifndef AW_SHELL_LEAD_FOLLOWER_H
#define AW_SHELL_LEAD_FOLLOWER_H

#include <math.h>

#include "control/samples.h"
#include "shell/joints/start_check.h"
#include "shell/joints/tempo.h"
#include "shell/lead/leader.h"

/* Options of follow. */
struct aw_follow_options {
    const char *map;
    double smooth_s;
    bool relative;
};
AW_GIVEN(command, aw_follow_options, aw_follow_given)

struct aw_follower {
    struct aw_session *session;
    struct aw_joint_list list;
    struct aw_follow_map map;
    struct aw_follow engine;
    struct aw_follow_joint joints[AW_FOLLOW_ROWS];
    size_t index[AW_FOLLOW_ROWS]; /* index of each row's joint in the list */
    struct aw_leader leader;
    /* playback of a recorded leader */
    struct {
        double speed, max_speed; /* initial and max speed */
        struct aw_tempo tempo;
        size_t next[AW_FOLLOW_ROWS]; /* next sample of each row */
        /* current time, time of the latest sample used, min length of a gap; s */
        double at_s, used_s, gap_s;
    } playback;
    /* "follows" was reported; the end was reached */
    bool announced, ended;
    struct {
        int64_t next_ns;  /* due time of the next command, session clock */
        int64_t first_ns; /* arrival of the first record, session clock; or AW_NO_TIME */
        int64_t retry_ns; /* when to try again to reopen a lost server, session clock */
        /* time (leader's clock) and arrival (session clock) of the newest record not yet sent in a
         * command; or AW_NO_TIME */
        int64_t record_ns, received_ns;
    } time;
    struct {
        uint64_t commands, n_limited;
        unsigned stops;
        struct aw_samples lag_ms;
    } counts;
};

/* aw_follower_joint returns the joint of a row of the map; aw_follower_name returns a joint's
 * name for messages. */
static inline struct aw_joint *aw_follower_joint(const struct aw_follower *f, size_t row)
{
    return &f->list.joints[f->index[row]];
}

static inline const char *aw_follower_name(const struct aw_joint *joint)
{
    return *joint->alias ? joint->alias : joint->name;
}

/* Returns the max silence of the leader, s; INFINITY: no limit. */
static inline double aw_follower_deadman_s(const struct aw_follower *f)
{
    return f->engine.options.deadman_ns > 0 ? (double)f->engine.options.deadman_ns / 1e9
                                            : (double)INFINITY;
}

/* Performs all checks before the motion; with --dry-run, only those that need no device. */
enum aw_status aw_follower_begin(struct aw_follower *f, const char *source);

/* Reads a whole recording and chooses its speed. AW_LIMIT: that exceeds a joint's max speed,
 * without --force. */
enum aw_status aw_follower_load(struct aw_follower *f);

/* aw_follower_use_recording passes the values of a recording up to its current time to the engine.
 * aw_follower_advance advances that time by a period of this length, at the playback speed, and
 * sets f->ended at the end. */
void aw_follower_use_recording(struct aw_follower *f);
void aw_follower_advance(struct aw_follower *f, double seconds);

/* Reads the available records of a live leader, up to a maximum. Tries once a second to reopen a
 * server that is gone, and returns AW_OK meanwhile. Sets f->ended at the end of the records. */
enum aw_status aw_follower_listen(struct aw_follower *f);

/* aw_follower_update copies the joint positions into the engine. aw_follower_attend reads positions
 * until the next command is due, with a live leader for about 5 ms at most. AW_REFUSED: an engaged
 * joint reports a fault. */
void aw_follower_update(struct aw_follower *f);
enum aw_status aw_follower_attend(struct aw_follower *f);

/* aw_follower_send sends the commands of this cycle. aw_follower_stop sends one stop and waits for
 * its confirmation; AW_REFUSED: it was due to --max-lag. aw_follower_refuse fails with AW_LIMIT:
 * the first target of a joint is too far away. aw_follower_arrive waits until a device that reports
 * arrival has reached the last position of a recording. */
enum aw_status aw_follower_send(struct aw_follower *f);
enum aw_status aw_follower_stop(struct aw_follower *f);
enum aw_status aw_follower_refuse(struct aw_follower *f);
enum aw_status aw_follower_arrive(struct aw_follower *f);

extern const struct aw_command aw_follow_command;

#endif
