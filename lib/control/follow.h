/* One arm follows another: converts a leader's values to targets within the follower's limits. It
 * has no clock, device or leader of its own, so tests can run it in virtual time.
 *
 *     aw_follow_map_parse(&map, "elbow=m2*1.2+10deg clamp 20deg..160deg dead 1deg", &err);
 *     aw_follow_start(&f, &map, joints, now_ns);            joints: one for each row of the map
 *     … the leader sent a record with its time t_ns:
 *     if (aw_follow_add_record(&f, t_ns))
 *         aw_follow_set_value(&f, row, value, now_ns);          for each row with a value
 *     … it disconnected or restarted:  aw_follow_set_loss(&f, AW_LOSS_GONE);
 *     … at once after each of these, and every few milliseconds:
 *     switch (aw_follow_step(&f, now_ns)) {
 *     case AW_FOLLOW_RUN:    … send joints[…].command of those that are engaged …
 *     case AW_FOLLOW_STOP:   … the stop; f.loss is the reason …
 *     case AW_FOLLOW_REFUSE: … f.halted_joint would begin with a jump: end with an error …
 *     case AW_FOLLOW_REST:   … nothing …
 *     }
 *
 * The rules:
 *  - The first value of the leader is compared with the measured position. If it is farther than
 *    max_jump, the joint is refused, or moves there at approach_speed. Values do not wrap around.
 *    With relative, it continues from both positions. A joint without a value is not moved.
 *  - The same happens again after every loss. Losses are: silence for deadman_ns, a gap in the
 *    leader's own time or a step back (a restart), a jump of a value by more than max_jump (also
 *    a wrap), a leader that disconnects, a caller more than 100 ms late, a following error above
 *    max_lag for 0.3 s. Each loss causes one stop.
 *  - After a jump, following resumes when the leader has sent about the same value twice.
 *  - Ignores NaN and values older than the last one.
 *  - No joint is commanded faster than its max_speed, nor out of its range: a limit is one-way.
 */
#ifndef AW_CONTROL_FOLLOW_H
#define AW_CONTROL_FOLLOW_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/status.h"

#define AW_FOLLOW_ROWS 32
#define AW_FOLLOW_NAME 96
#define AW_FOLLOW_LATE INT64_C(100000000) /* max time between two steps, ns */
#define AW_FOLLOW_WAIT INT64_C(200000000) /* ns; a longer wait does not lengthen a step */

struct aw_follow_row {
    char joint[AW_FOLLOW_NAME], field[AW_FOLLOW_NAME];
    double scale;
    /* In the joint's unit, set by aw_follow_row_convert: */
    double offset, low, high; /* low and high: the clamp, or infinite */
    double dead_band;         /* smaller changes of the field are not motion */
    char offset_text[32], low_text[32], high_text[32], dead_text[32];
};

/* A map of rows; {0} is empty. */
struct aw_follow_map {
    size_t n;
    struct aw_follow_row rows[AW_FOLLOW_ROWS];
};

/* Parses rows separated by commas: JOINT=FIELD*SCALE+OFFSET clamp LO..HI dead BAND. Also accepts
 * -FIELD and /SCALE; a FIELD that contains such a sign must be quoted. AW_USAGE: err has the
 * reason. */
enum aw_status aw_follow_map_parse(struct aw_follow_map *map, const char *text,
                                   struct aw_error *err);

/* Converts the numbers of a row to the unit of its joint; NULL: no unit. AW_USAGE: a wrong number
 * or unit, or an empty clamp. */
enum aw_status aw_follow_row_convert(struct aw_follow_row *row, const char *unit,
                                     struct aw_error *err);

/* A joint that follows. Values are in the joint's unit, and per second. The caller sets limits, and
 * updates actual. */
struct aw_follow_joint {
    struct {
        double min, max, max_speed; /* finite */
        double max_jump; /* max distance to the first target, and max jump of the leader */
        /* speed towards a first target that is too far away; NaN: refuses it instead */
        double approach_speed;
        double max_lag; /* max following error; INFINITY: unlimited */
    } limits;
    double actual; /* NaN: unknown */

    bool engaged;        /* the joint follows */
    double command;      /* current target position */
    double velocity;     /* velocity of the command */
    double speed_limit;  /* current speed limit, lower than max_speed at first */
    bool limited;        /* the leader's value is outside the range of the joint or the clamp */
    double leader_value; /* leader's mapped value; NaN: not received since the last loss */

    struct {
        /* value after the dead band; smoothed value; difference to the leader, if relative */
        double banded, smoothed, offset;
    } filter;
    bool doubtful; /* after a jump, until the leader has sent about the same value twice */
    bool catching_up, approaching;
    int64_t engaged_ns; /* start of following */
    int64_t behind_ns;  /* start of the following error; 0: none */
};

enum aw_follow_loss {
    AW_LOSS_NONE,
    AW_LOSS_SILENT,  /* the leader sent nothing for deadman_ns */
    AW_LOSS_GAP,     /* the leader's time has a gap */
    AW_LOSS_RESTART, /* the leader's time went back */
    AW_LOSS_JUMP,    /* the leader's value for halted_joint jumped */
    AW_LOSS_GONE,    /* the leader disconnected */
    AW_LOSS_LATE,    /* this program was delayed */
    AW_LOSS_LAG,     /* the following error of halted_joint was too large */
    AW_LOSSES
};

/* Descriptions of the losses: "no data from the leader" … */
extern const char *const aw_loss_names[AW_LOSSES];

/* The action that a step requires of the caller. */
enum aw_follow_result {
    AW_FOLLOW_REST,   /* nothing: no joint follows */
    AW_FOLLOW_RUN,    /* send the commands of the engaged joints */
    AW_FOLLOW_STOP,   /* send one stop; loss is the reason */
    AW_FOLLOW_REFUSE, /* end: halted_joint would begin with a jump */
};

struct aw_follow {
    const struct aw_follow_map *map;
    struct aw_follow_joint *joints; /* one for each row */
    /* set by the caller */
    struct {
        int64_t deadman_ns; /* max silence of the leader, ns; 0: unlimited */
        double smooth_s;    /* time constant of the smoothing, s; 0: none */
        bool relative;
        bool allow_unknown; /* a joint whose position is unknown starts at its target */
    } options;

    bool running, has_loss;
    int64_t step_ns;   /* time of the last step */
    int64_t value_ns;  /* time at which the leader was last alive */
    int64_t waited_ns; /* part of the next step's delay that the device has caused, ns */
    bool has_time;     /* the leader sends its time */
    int64_t time_ns;   /* leader's time of the last record */
    enum aw_follow_loss loss;
    size_t halted_joint;
    /* n_late: records older than earlier ones; n_ignored: values that are not finite */
    uint64_t n_late, n_ignored;
};

/* Starts following. Leaves the caller's settings unchanged. */
void aw_follow_start(struct aw_follow *f, const struct aw_follow_map *map,
                     struct aw_follow_joint *joints, int64_t now_ns);

/* Registers a record with the leader's own time. Returns false if it is at most deadman_ns older
 * than the last one; the caller then skips it. A larger step back, or a gap of more than
 * deadman_ns, is a loss. */
bool aw_follow_add_record(struct aw_follow *f, int64_t t_ns);

/* Sets the value of this row's field. Ignores values that are not finite. */
void aw_follow_set_value(struct aw_follow *f, size_t row, double value, int64_t now_ns);

/* Records that the leader is alive, although it has sent nothing new. */
void aw_follow_set_alive(struct aw_follow *f, int64_t now_ns);

/* Records a loss: all joints stop following. The next step returns AW_FOLLOW_STOP if any joint was
 * following. */
void aw_follow_set_loss(struct aw_follow *f, enum aw_follow_loss loss);

/* Records that the caller waited for the device after the last step, so the next one may be late.
 * In that step, a joint moves no farther than its speed permits in AW_FOLLOW_WAIT. */
void aw_follow_set_wait(struct aw_follow *f, int64_t now_ns);

/* Updates the commands of all joints. Call it every few milliseconds, and at once after new values
 * or a loss. */
enum aw_follow_result aw_follow_step(struct aw_follow *f, int64_t now_ns);

/* Converts the field's value to the joint's value by scale and offset. */
double aw_follow_map_value(const struct aw_follow_row *row, double value);

/* Returns the final target of the joint, within all limits; NaN: no value yet. */
double aw_follow_goal(const struct aw_follow *f, size_t joint);

#endif
