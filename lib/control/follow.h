/* One arm follows another: what a leader says becomes targets that a follower's joints can keep up
 * with. Without time, device or leader of its own, so that all of it can be tried in virtual time.
 *
 *     aw_follow_map_read(&map, "elbow=m2*1.2+10deg clamp 20deg..160deg dead 1deg", &err);
 *     aw_follow_start(&f, &map, joints, now_ns);            joints: one for each row of the map
 *     … the leader said something at its time t_ns:
 *     if (aw_follow_record(&f, t_ns))
 *         aw_follow_value(&f, row, value, now_ns);          for each row that it is about
 *     … it is gone, or begins anew:  aw_follow_lose(&f, AW_UNFOLLOW_GONE);
 *     … at once after each of these, and every few milliseconds:
 *     switch (aw_follow_step(&f, now_ns)) {
 *     case AW_FOLLOW_RUN:    … send joints[…].command of those that are engaged …
 *     case AW_FOLLOW_STOP:   … the stop; f.halt says why …
 *     case AW_FOLLOW_REFUSE: … f.halted_joint would begin with a jump: end with an error …
 *     case AW_FOLLOW_REST:   … nothing …
 *     }
 *
 * The rules:
 *  - A joint without a leader's value is left alone. Its first value is compared with the
 *    measured position: farther than reach it is refused, or gone to at approach. There is no
 *    shortest way round. With relative it goes on from where both stand.
 *  - That is done anew after every loss: silence for deadman_ns, a gap in the leader's own time,
 *    its time going back (a restart), a jump of what it says by more than reach (a wrap is one), a
 *    leader that is gone, a caller that comes later than 100 ms, a joint that stays behind by more
 *    than max_lag for 0.3 s. Each one is one stop.
 *  - Behind a jump nothing follows before the leader has said about the same twice.
 *  - NaN and values older than the last one are ignored.
 *  - No joint is commanded faster than its speed, nor out of its range: a limit is one-way.
 */
#ifndef AW_CONTROL_FOLLOW_H
#define AW_CONTROL_FOLLOW_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/status.h"

#define AW_FOLLOW_ROWS 32
#define AW_FOLLOW_NAME 96
#define AW_FOLLOW_LATE INT64_C(100000000) /* ns between two steps */
#define AW_FOLLOW_WAIT INT64_C(200000000) /* ns: what is longer makes no longer step */

struct aw_follow_row {
    char joint[AW_FOLLOW_NAME], field[AW_FOLLOW_NAME];
    double scale;
    /* In the unit of the joint, once aw_follow_row_units has read them. */
    double offset, low, high; /* low and high: infinite, or the clamp */
    double dead;              /* what the field changes by less is no motion */
    char offset_text[32], low_text[32], high_text[32], dead_text[32];
};

/* {0} is empty. */
struct aw_follow_map {
    size_t n;
    struct aw_follow_row rows[AW_FOLLOW_ROWS];
};

/* Rows with commas between: JOINT=FIELD*SCALE+OFFSET clamp LO..HI dead BAND. -FIELD and /SCALE are
 * taken, too; a FIELD with signs in it stands in quotes. AW_USAGE says what is wrong. */
enum aw_status aw_follow_map_read(struct aw_follow_map *map, const char *text,
                                  struct aw_error *err);

/* Reads the numbers of a row in the unit of its joint; NULL: it has none. AW_USAGE. */
enum aw_status aw_follow_row_units(struct aw_follow_row *row, const char *unit,
                                   struct aw_error *err);

/* A joint that follows: the caller fills in the first part, and keeps actual up to date. */
struct aw_follow_joint {
    double min, max, speed; /* speed: finite */
    double reach;           /* so far its first target may be away, and what is said may jump */
    double approach;        /* a speed; NaN: what is farther is refused */
    double max_lag;         /* INFINITY: it may stay behind */
    double actual;          /* NaN: not known */

    bool engaged;    /* it follows */
    double command;  /* where it is to be now */
    double velocity; /* of the command */
    double most;     /* no faster may it be now: at first more slowly than speed */
    bool limited;    /* the leader is beyond its limits, or those of the map */
    double said;     /* by the leader, by the map; NaN: nothing since the last loss */

    double held, smooth, base; /* said without what is in the dead band; smoothed; relative */
    bool doubt, catching, slow;
    int64_t since_ns, behind_ns;
};

enum aw_unfollow {
    AW_UNFOLLOW_NOTHING,
    AW_UNFOLLOW_SILENT,  /* the leader, for deadman_ns */
    AW_UNFOLLOW_GAP,     /* in its time */
    AW_UNFOLLOW_RESTART, /* its time went back */
    AW_UNFOLLOW_JUMP,    /* what it says, of halted_joint */
    AW_UNFOLLOW_GONE,
    AW_UNFOLLOW_LATE, /* this program did not run for a while */
    AW_UNFOLLOW_LAG,  /* halted_joint stays behind */
    AW_UNFOLLOWS
};

/* "the leader is silent", … */
extern const char *const aw_unfollow_names[AW_UNFOLLOWS];

enum aw_follow_turn { AW_FOLLOW_REST, AW_FOLLOW_RUN, AW_FOLLOW_STOP, AW_FOLLOW_REFUSE };

struct aw_follow {
    const struct aw_follow_map *map;
    struct aw_follow_joint *joints; /* one for each row */
    /* Set by the caller. */
    int64_t deadman_ns; /* 0: never */
    double smooth_s;    /* 0: not smoothed */
    bool relative;
    bool blindly; /* what nothing is known of begins at its target */

    bool running, lost;
    int64_t step_ns, said_ns;
    int64_t waited_ns; /* after the last step, until the device had confirmed it */
    bool timed;        /* the leader has said its time */
    int64_t time_ns;   /* the last one */
    enum aw_unfollow halt;
    size_t halted_joint;
    uint64_t late, ignored; /* records that are older than others; values that are no numbers */
};

/* What the caller sets stays as it is. */
void aw_follow_start(struct aw_follow *f, const struct aw_follow_map *map,
                     struct aw_follow_joint *joints, int64_t now_ns);

/* The leader has said something, at this time of its own. False: it is older than what was said
 * before, and is to be left out. */
bool aw_follow_record(struct aw_follow *f, int64_t t_ns);

/* What it said of this row's field. */
void aw_follow_value(struct aw_follow *f, size_t row, double value, int64_t now_ns);

/* It is there, though it said nothing new. */
void aw_follow_alive(struct aw_follow *f, int64_t now_ns);

void aw_follow_lose(struct aw_follow *f, enum aw_unfollow why);

/* The last step was waited for: that the next one is late is meant. A joint that takes that long
 * goes no farther in it than in AW_FOLLOW_WAIT at its speed. */
void aw_follow_waited(struct aw_follow *f, int64_t now_ns);

enum aw_follow_turn aw_follow_step(struct aw_follow *f, int64_t now_ns);

/* What the field's value means for the joint, by the map alone. */
double aw_follow_mapped(const struct aw_follow_row *row, double value);

/* Where the joint is to go in the end: within all limits; NaN: nothing was said. */
double aw_follow_goal(const struct aw_follow *f, size_t joint);

#endif
