/* Motions of the arm: check and send them, wait for their end, stop them.
 *
 *     struct aw_hidmotor_target target = {.given = {[2] = true}, .deg = {[2] = 30},
 *                                         .duration_ms = 1000, .mode = AW_HIDMOTOR_SINUSOIDAL};
 *     struct aw_hidmotor_plan plan;
 *     aw_hidmotor_plan(&arm, &target, &plan, &err);          // reads the setpoints, checks
 *     if (plan.fast) …                                       // plan.speed[plan.fastest] deg/s
 *     aw_hidmotor_move(&arm, &plan, &moved, &err);           // set_setpoints, once
 *     aw_hidmotor_wait(&arm, &plan, 3, deadline, NULL, NULL, &err);
 *
 * The board interpolates from its present setpoints, not from where the arm is. So joints that are
 * not mentioned keep their setpoint, and a relative motion is relative to the setpoint: from the
 * measured positions the arm would sag a little with each command.
 *
 * The board does not report its state. Even if it is not homed or its motors are disabled, it
 * answers and moves its setpoints; the only sign is that the positions do not follow.
 */
#ifndef AW_PROTOCOL_HIDMOTOR_MOTION_H
#define AW_PROTOCOL_HIDMOTOR_MOTION_H

#include "protocol/hidmotor/client.h"

#define AW_HIDMOTOR_JOINTS    3
#define AW_HIDMOTOR_FAST      200.0 /* deg/s: what the servos can do */
#define AW_HIDMOTOR_TOLERANCE 3.0   /* deg: the arm's steady-state error stays below */
#define AW_HIDMOTOR_POLL_NS   (16 * AW_MILLISECOND) /* the board measures so often */

/* As the wire has it. */
enum aw_hidmotor_mode {
    AW_HIDMOTOR_LINEAR,
    AW_HIDMOTOR_SINUSOIDAL,
};

/* A joint, from the targets of set_setpoints in the table. */
struct aw_hidmotor_joint {
    const char *name;  /* "m3" */
    const char *alias; /* "elbow" */
    double min, max;   /* deg */
};
struct aw_hidmotor_joint aw_hidmotor_joint(int joint); /* 0, 1, 2 */

/* Returns 0, 1 or 2 for a name or alias; -1: not found. */
int aw_hidmotor_find_joint(const char *name);

/* AW_USAGE if it is not finite (whatever force says), AW_LIMIT outside the limits unless forced. */
enum aw_status aw_hidmotor_check(int joint, double deg, bool force, struct aw_error *err);

/* Is this joint one of the n motors that the board has? Else AW_REFUSED. */
enum aw_status aw_hidmotor_check_count(int joint, int n, struct aw_error *err);

/* The board's interpolation: where a setpoint is after part (0 … 1) of the time. */
double aw_hidmotor_interpolate(double from_deg, double to_deg, double part,
                               enum aw_hidmotor_mode mode);

/* Peak speed of a motion in deg/s: infinite below 1 ms (the setpoint jumps), 0 if the setpoint
 * stays. */
double aw_hidmotor_peak_speed(double from_deg, double to_deg, double duration_ms,
                              enum aw_hidmotor_mode mode);

/* What is wanted. */
struct aw_hidmotor_target {
    bool given[AW_HIDMOTOR_JOINTS];
    bool relative; /* deg is added to the setpoint */
    double deg[AW_HIDMOTOR_JOINTS];
    double duration_ms;
    enum aw_hidmotor_mode mode;
};

/* What will be sent. */
struct aw_hidmotor_plan {
    int n;                             /* motors of the board; those behind the third stay */
    double start[AW_HIDMOTOR_MOTORS];  /* setpoints when it was made, deg */
    double target[AW_HIDMOTOR_MOTORS]; /* deg */
    double speed[AW_HIDMOTOR_JOINTS];  /* implied peak speed, deg/s */
    int fastest;                       /* the joint with the highest */
    bool fast;                         /* above AW_HIDMOTOR_FAST: the arm cannot follow */
    double duration_ms;
    enum aw_hidmotor_mode mode;
    int64_t sent_ns; /* set by aw_hidmotor_move, link's clock; AW_NEVER before */
};

/* Pure: a plan from known setpoints. AW_USAGE, AW_LIMIT naming joint and limit (options.force of
 * the arm in aw_hidmotor_plan); AW_REFUSED for a joint that the board does not have. */
enum aw_status aw_hidmotor_plan_from(const struct aw_hidmotor_status *from,
                                     const struct aw_hidmotor_target *target, bool force,
                                     struct aw_hidmotor_plan *plan, struct aw_error *err);

/* The same with setpoints read from the board, after what can be checked without it. */
enum aw_status aw_hidmotor_plan(struct aw_hidmotor *arm, const struct aw_hidmotor_target *target,
                                struct aw_hidmotor_plan *plan, struct aw_error *err);

/* Lets joints that are not given go on to the target of the last motion of this arm, if it is in
 * progress; their bits in *kept. Returns how long that motion still takes, ms; 0: none is kept. */
double aw_hidmotor_keep_targets(const struct aw_hidmotor *arm,
                                const struct aw_hidmotor_target *target,
                                struct aw_hidmotor_plan *plan, unsigned *kept);

/* Reads once more: the bits of joints neither given nor kept whose setpoints move, by another
 * program's command. The plan ends that motion, because the board does not report its target. */
enum aw_status aw_hidmotor_find_moving(struct aw_hidmotor *arm,
                                       const struct aw_hidmotor_target *target, unsigned kept,
                                       unsigned *moving, struct aw_error *err);

/* The report that move sends, for --dry-run; always 64 bytes. */
void aw_hidmotor_plan_bytes(const struct aw_hidmotor_plan *plan,
                            uint8_t report[AW_HIDMOTOR_REPORT]);

struct aw_hidmotor_moved {
    bool verified;    /* no reply came, but the setpoints show that the board got it */
    bool maybe_stale; /* see client.h */
    int64_t sent_ns, got_ns;
};

/* Sends set_setpoints, once. If its reply is lost, the setpoints are looked at for up to half a
 * second: all at the target, or moving from start to target, is AW_OK with verified; else
 * AW_TIMEOUT. (While an earlier motion the same way is under way the two look the same; wait tells
 * at its end.) moved may be NULL. */
enum aw_status aw_hidmotor_move(struct aw_hidmotor *arm, struct aw_hidmotor_plan *plan,
                                struct aw_hidmotor_moved *moved, struct aw_error *err);

/* Sends one of a stream of set_setpoints. Like aw_hidmotor_move, but a lost reply is AW_TIMEOUT
 * without another look, because the next setpoint follows anyway. */
enum aw_status aw_hidmotor_follow(struct aw_hidmotor *arm, struct aw_hidmotor_plan *plan,
                                  struct aw_error *err);

/* Called after each look; false comes back early with AW_OK. */
typedef bool aw_hidmotor_look_fn(void *context, const struct aw_hidmotor_status *status);

/* Looks every 16 ms until all setpoints are at the target (or rest within a servo step of it) and
 * all positions within tolerance_deg of it. Answers that may be older than the command do not
 * count. AW_TIMEOUT at the deadline, naming the joint that is farthest away; AW_REFUSED as soon as
 * it is clear that it will not get there: a position that has not moved for a second while the
 * setpoint is away from it by more than the tolerance (arm not homed, or motors disabled), or
 * setpoints that rest somewhere else after the time of the motion. AW_STOPPED, AW_LOST, AW_TIMEOUT
 * if the board falls silent; AW_MALFORMED after three bad replies in a row. fn may be NULL. */
enum aw_status aw_hidmotor_wait(struct aw_hidmotor *arm, const struct aw_hidmotor_plan *plan,
                                double tolerance_deg, int64_t deadline, aw_hidmotor_look_fn *fn,
                                void *context, struct aw_error *err);

struct aw_hidmotor_stopped {
    double deg[AW_HIDMOTOR_JOINTS]; /* where it was commanded to stay */
    bool measured;                  /* just now */
    bool confirmed;                 /* the board answered */
    int attempts;
    int64_t latency_ns; /* from the call to the first set_setpoints on the wire */
};

/* There is no packet for this: set_setpoints with duration 0. A joint in motion gets its measured
 * position; a joint at rest, whose setpoint stays within AW_HIDMOTOR_TOLERANCE of its position,
 * keeps its setpoint. Both are kept inside the limits. (A joint that says it is more than 5 deg
 * beyond them is not believed; it stays at its setpoint.) For signal time: at most 5 ms are spent
 * on asking. Without an answer the last known positions serve if they are at most 100 ms old, else
 * the setpoints as they must be now after the last motion, else the last known positions whatever
 * their age. Without a confirmation it is tried again with fresh positions, for half a second. Also
 * when the clock refuses to wait (AW_STOPPED): then nothing can be read, and one set_setpoints goes
 * out unconfirmed, which is AW_OK. AW_TIMEOUT: not confirmed, or nothing is known of the arm
 * (stopped->attempts 0: nothing was sent); AW_LOST. stopped may be NULL. */
enum aw_status aw_hidmotor_stop(struct aw_hidmotor *arm, struct aw_hidmotor_stopped *stopped,
                                struct aw_error *err);

/* Passes the report of that stop to add, for use in a crash. It uses only what is known already,
 * and sends and changes nothing. Adds nothing if nothing is known of the arm. */
void aw_hidmotor_last_stop(const struct aw_hidmotor *arm, aw_frame_fn *add, void *context);

#endif
