/* Internal to follow: what its files share.
 *
 *     status = aw_follower_begin(f, source);       follow_begin.c: options, map, joints, the leader
 *     while (…) {
 *         status = aw_follower_listen(f);          follow_live.c: a leader that is live
 *         aw_follower_take_recording(f);           follow_recording.c: or one that is recorded
 *         … aw_follow_step(&f->engine, now) …      control/follow.h
 *         status = aw_follower_send(f);            follow_joints.c: or _stop, or _refuse
 *         aw_follower_play_on(f, period_s);
 *         status = aw_follower_attend(f);
 *     }
 *
 * All return AW_OK, or say in session->err why not.
 */
#ifndef AW_SHELL_COMMANDS_FOLLOWER_H
#define AW_SHELL_COMMANDS_FOLLOWER_H

#include <math.h>

#include "control/samples.h"
#include "shell/commands/follow.h"
#include "shell/commands/leader.h"

struct aw_follower {
    struct aw_session *session;
    struct aw_joint_list list;
    struct aw_follow_map map;
    struct aw_follow engine;
    struct aw_follow_joint joints[AW_FOLLOW_ROWS];
    size_t number[AW_FOLLOW_ROWS]; /* in the list */
    struct aw_leader leader;
    double speed, most; /* of a recording, at the beginning and at most */
    struct aw_tempo tempo;
    size_t next[AW_FOLLOW_ROWS]; /* sample of a recording */
    double at_s, taken_s, gap_s; /* of it: now, the last sample before that; silence */
    bool follows, done;          /* it has been said that it does */
    int64_t next_ns, first_ns;   /* the next command is due; the first record came */
    int64_t retry_ns;
    int64_t fresh_ns, news_ns; /* of the newest record that no command has carried yet: its time
                                   and its arrival; AW_NO_TIME */
    uint64_t commands, limited;
    unsigned stops;
    struct aw_samples lag_ms;
};

/* The joint of a row of the map, and what people call it. */
static inline struct aw_joint *aw_follower_joint(const struct aw_follower *f, size_t row)
{
    return &f->list.joints[f->number[row]];
}

static inline const char *aw_follower_called(const struct aw_joint *joint)
{
    return *joint->alias ? joint->alias : joint->name;
}

/* How long the leader may be silent; INFINITY: for ever. */
static inline double aw_follower_deadman_s(const struct aw_follower *f)
{
    return f->engine.deadman_ns > 0 ? (double)f->engine.deadman_ns / 1e9 : (double)INFINITY;
}

/* All that is checked before anything moves; with --dry-run as far as that goes without a device.
 */
enum aw_status aw_follower_begin(struct aw_follower *f, const char *source);

/* Reads all of a recording, and chooses its speed: AW_LIMIT where that is faster than a joint. */
enum aw_status aw_follower_load(struct aw_follower *f);

/* What a recording says up to where it is now; and so much of it passes in this time. */
void aw_follower_take_recording(struct aw_follower *f);
void aw_follower_play_on(struct aw_follower *f, double seconds);

/* All that a live leader has said, of a flood a part. A server that is gone is waited for. */
enum aw_status aw_follower_listen(struct aw_follower *f);

/* Where the joints are, into the engine's; attend waits for that until the next command is due. */
void aw_follower_see(struct aw_follower *f);
enum aw_status aw_follower_attend(struct aw_follower *f);

/* The commands of this turn; one stop, confirmed; the refusal of a first target; the last place of
 * a recording, waited for. */
enum aw_status aw_follower_send(struct aw_follower *f);
enum aw_status aw_follower_stop(struct aw_follower *f);
enum aw_status aw_follower_refuse(struct aw_follower *f);
enum aw_status aw_follower_arrive(struct aw_follower *f);

#endif
