/* Motions of the arm: checks and sends them, waits for their end, stops them.
 *
 *     struct aw_hidmotor_target target = {.given = {[2] = true}, .deg = {[2] = 30},
 *                                         .duration_ms = 1000, .mode = AW_HIDMOTOR_SINUSOIDAL};
 *     struct aw_hidmotor_plan plan;
 *     aw_hidmotor_plan(&arm, &target, &plan, &err);          // reads the setpoints, checks
 *     aw_hidmotor_move(&arm, &plan, NULL, &err);             // set_setpoints, once
 *     aw_hidmotor_wait(&arm, &plan, 3, deadline, NULL, NULL, &err);
 *
 * The board interpolates from its current setpoints, not from the arm's position. So joints without
 * a target keep their setpoint, and a relative motion is relative to the setpoint. Starting from
 * the measured positions, the arm would sag a little with each command.
 *
 * The board does not report its state. Even if it is not homed or its motors are disabled, it
 * answers and moves its setpoints; only the positions do not follow.
 */
#ifndef AW_PROTOCOL_HIDMOTOR_MOTION_H
#define AW_PROTOCOL_HIDMOTOR_MOTION_H

#include "protocol/hidmotor/client.h"

#define AW_HIDMOTOR_JOINTS    3
#define AW_HIDMOTOR_MAX_SPEED 200.0                 /* max speed of the servos, deg/s */
#define AW_HIDMOTOR_TOLERANCE 3.0                   /* max steady-state error of the arm, deg */
#define AW_HIDMOTOR_POLL_NS   (16 * AW_MILLISECOND) /* the board's measuring period */

/* The values are those on the wire. */
enum aw_hidmotor_mode {
    AW_HIDMOTOR_LINEAR,
    AW_HIDMOTOR_SINUSOIDAL,
};

/* A joint, as described by the targets of set_setpoints in the table. */
struct aw_hidmotor_joint {
    const char *name;  /* "m3" */
    const char *alias; /* "elbow" */
    double min, max;   /* deg */
};
struct aw_hidmotor_joint aw_hidmotor_joint(int joint); /* joint: 0, 1, 2 */

/* Checks an angle. AW_USAGE if it is not finite (also with force), AW_LIMIT outside the limits
 * without force. */
enum aw_status aw_hidmotor_check_angle(int joint, double deg, bool force, struct aw_error *err);

/* Checks that this joint is one of the board's n motors. AW_REFUSED: it is not. */
enum aw_status aw_hidmotor_check_count(int joint, int n, struct aw_error *err);

/* Returns the board's interpolated setpoint after this fraction (0 … 1) of the time. */
double aw_hidmotor_interpolate(double from_deg, double to_deg, double fraction,
                               enum aw_hidmotor_mode mode);

/* A requested motion. */
struct aw_hidmotor_target {
    bool given[AW_HIDMOTOR_JOINTS];
    bool relative; /* deg is added to the setpoint */
    double deg[AW_HIDMOTOR_JOINTS];
    double duration_ms;
    enum aw_hidmotor_mode mode;
};

/* The motion to send. */
struct aw_hidmotor_plan {
    /* number of motors of the board; those after the third keep their setpoints */
    int n;
    double start[AW_HIDMOTOR_MOTORS];  /* setpoints at planning time, deg */
    double target[AW_HIDMOTOR_MOTORS]; /* deg */
    double duration_ms;
    enum aw_hidmotor_mode mode;
    int64_t sent_ns; /* set by aw_hidmotor_move, link's clock; AW_NEVER before */
};

/* Plans a motion from known setpoints, without I/O. AW_USAGE, AW_LIMIT naming joint and limit
 * (aw_hidmotor_plan uses the arm's options.force); AW_REFUSED for a joint that the board does not
 * have. */
enum aw_status aw_hidmotor_plan_from(const struct aw_hidmotor_status *from,
                                     const struct aw_hidmotor_target *target, bool force,
                                     struct aw_hidmotor_plan *plan, struct aw_error *err);

/* Plans a motion from setpoints read from the board; checks the target before reading. */
enum aw_status aw_hidmotor_plan(struct aw_hidmotor *arm, const struct aw_hidmotor_target *target,
                                struct aw_hidmotor_plan *plan, struct aw_error *err);

/* Lets joints without a target continue to the target of this arm's last motion if it is in
 * progress. Sets their bits in *continued. Returns the remaining time of that motion, ms; 0: no
 * joint continues. */
double aw_hidmotor_continue_targets(const struct aw_hidmotor *arm,
                                    const struct aw_hidmotor_target *target,
                                    struct aw_hidmotor_plan *plan, unsigned *continued);

/* Reads the setpoints again and sets *moving to the bits of joints that another program moves,
 * except those given or continued. The plan ends that motion, because the board does not
 * report its target. */
enum aw_status aw_hidmotor_find_moving(struct aw_hidmotor *arm,
                                       const struct aw_hidmotor_target *target, unsigned continued,
                                       unsigned *moving, struct aw_error *err);

/* Encodes the report that move sends, for --dry-run; always 64 bytes. */
void aw_hidmotor_encode_plan(const struct aw_hidmotor_plan *plan,
                             uint8_t report[AW_HIDMOTOR_REPORT]);

/* Sends set_setpoints, once. If its reply is lost, checks the setpoints for up to half a second.
 * AW_OK with *verified set: all are at the target, or moving from start to target; otherwise
 * AW_TIMEOUT. (An earlier motion in the same direction looks the same while in progress; wait
 * detects it at its end.) verified may be NULL. */
enum aw_status aw_hidmotor_move(struct aw_hidmotor *arm, struct aw_hidmotor_plan *plan,
                                bool *verified, struct aw_error *err);

/* Sends one set_setpoints of a stream. A lost reply is AW_TIMEOUT without a further check, unlike
 * in aw_hidmotor_move, because the next setpoint follows anyway. */
enum aw_status aw_hidmotor_follow(struct aw_hidmotor *arm, struct aw_hidmotor_plan *plan,
                                  struct aw_error *err);

/* Called after each reading. Returns false to end the wait with AW_OK. */
typedef bool aw_hidmotor_wait_fn(void *context, const struct aw_hidmotor_status *status);

/* Reads every 16 ms until all setpoints are at the target, or rest within a servo step of it. All
 * positions must also be within tolerance_deg of it. Ignores answers that may be older than the
 * command. AW_TIMEOUT at the deadline, naming the joint with the largest error. AW_REFUSED as soon
 * as the arm is certain to fail: a position does not change for a second with an error above the
 * tolerance (the arm is not homed, or its motors are disabled), or setpoints rest elsewhere after
 * the motion's time. AW_TIMEOUT also if the board stops answering. AW_MALFORMED after three
 * consecutive bad replies. Otherwise returns AW_OK, AW_STOPPED or AW_LOST. fn may be NULL. */
enum aw_status aw_hidmotor_wait(struct aw_hidmotor *arm, const struct aw_hidmotor_plan *plan,
                                double tolerance_deg, int64_t deadline, aw_hidmotor_wait_fn *fn,
                                void *context, struct aw_error *err);

struct aw_hidmotor_stopped {
    double deg[AW_HIDMOTOR_JOINTS]; /* commanded hold position */
    bool measured;                  /* the position was measured during the stop */
    bool confirmed;                 /* the board answered */
    int attempts;
    int64_t latency_ns; /* from the call to the first set_setpoints on the wire */
};

/* Stops the arm. The board has no packet for this, so it sends set_setpoints with duration 0. A
 * joint in motion gets its measured position. A joint at rest, whose setpoint stays within
 * AW_HIDMOTOR_TOLERANCE of its position, keeps its setpoint. Both are clamped to the limits. (A
 * position more than 5 deg beyond them is implausible; that joint keeps its setpoint.) Suitable for
 * signal handling: reading takes at most 5 ms. Without an answer, uses the last known positions if
 * they are at most 100 ms old. Otherwise uses the setpoints computed from the last motion, or
 * failing that the last known positions of any age. Without a confirmation, retries with fresh
 * positions for half a second. If the clock refuses to wait (AW_STOPPED), nothing can be read; one
 * set_setpoints is sent unconfirmed, which is AW_OK. AW_TIMEOUT: not confirmed, or no position is
 * known (stopped->attempts 0: nothing was sent); AW_LOST. stopped may be NULL. */
enum aw_status aw_hidmotor_stop(struct aw_hidmotor *arm, struct aw_hidmotor_stopped *stopped,
                                struct aw_error *err);

/* Passes the report of that stop to add, for use in a crash. Uses only known data, sends nothing
 * and changes no state. Adds nothing if no position is known. */
void aw_hidmotor_last_stop(const struct aw_hidmotor *arm, aw_frame_fn *add, void *context);

#endif
