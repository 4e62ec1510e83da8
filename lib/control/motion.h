/* Supervises a joint during a motion and detects when it must be stopped.
 *
 * It has no clock, device or unit of its own, so every tool can use one for each of its joints.
 * The caller passes every sample, whatever the purpose of the motion.
 *
 *     struct aw_motion motion;
 *     struct aw_motion_config config = aw_motion_defaults(15);
 *     aw_motion_start(&motion, &config, now_s);
 *     for each sample:
 *         struct aw_motion_sample s = {now_s, target, measured, output, fault};
 *         if (aw_motion_add_sample(&motion, &s) != AW_MOTION_OK)
 *             … disable the joint at once, and do not enable it again …
 *     if no sample has arrived for a while:
 *         aw_motion_check_silence(&motion, now_s);
 *     aw_motion_fail(&motion, "lknee", "deg", &err);
 *
 * The first verdict is final:
 *
 * FAULT     The device reports a fault.
 * BEYOND    The joint is more than max_deviation outside the range of its first position and all
 *           targets so far. The caller must not move it back, because it no longer obeys.
 * REVERSED  The first motion is against the output, and continues. A control loop with a reversed
 *           motor or encoder runs away. (If a busy device executes the command late, the joint
 *           comes back.) If the joint already moves, coasting does not count. There is no such
 *           verdict after strong outputs of both signs: with a long dead time, the motion may
 *           answer the earlier output.
 * STUCK     The output was strong for answer_s in total, and the joint has never moved. After the
 *           first motion: an output of twice that size, far from the output of the last motion and
 *           on the same side of it, for answer_s. A constant output is not an error: it may hold a
 *           load, or press a leg against a wall. In an experiment (moving_output is set): an output
 *           above that for answer_s in total since the last motion, even if it is constant.
 * SILENT    No sample has arrived for silence_s.
 */
#ifndef AW_CONTROL_MOTION_H
#define AW_CONTROL_MOTION_H

#include <stdbool.h>

#include "base/status.h"

enum aw_motion_verdict {
    AW_MOTION_OK,
    AW_MOTION_FAULT,
    AW_MOTION_BEYOND,
    AW_MOTION_REVERSED,
    AW_MOTION_STUCK,
    AW_MOTION_SILENT,
};

/* Positions, targets, max_deviation and min_motion have the same unit. Outputs are shares of full
 * scale. */
struct aw_motion_config {
    double max_deviation; /* INFINITY: unlimited */
    double min_motion;    /* smaller changes are noise or encoder steps */
    double idle_output;   /* smaller outputs do not move the joint */
    double strong_output; /* larger outputs move every intact joint */
    double moving_output; /* larger outputs of an experiment move the joint; 0: no experiment */
    double answer_s, silence_s;
    double glitch_s;    /* tolerated duration of a first motion against the output */
    const char *action; /* what the caller does to stop the joint, for messages: "disabled" */
};

/* Returns the defaults: min_motion is a hundredth of max_deviation, idle_output 0.01,
 * strong_output 0.05, answer_s 2, silence_s 0.5, glitch_s 0, and action "disabled". */
struct aw_motion_config aw_motion_defaults(double max_deviation);

struct aw_motion_sample {
    double t;          /* s, increasing */
    double target;     /* NaN: no target, or unchanged */
    double measured;   /* NaN: unknown; the sample is ignored */
    double output;     /* NaN: unknown; the response is not checked */
    double excitation; /* output of the experiment, compared with moving_output */
    const char *fault; /* name of the fault, or NULL; copied */
};

struct aw_motion {
    struct aw_motion_config config;
    enum aw_motion_verdict verdict;
    bool started;     /* there was a sample */
    double low, high; /* range of the first position and all targets */
    /* time, position and filtered speed at the last sample */
    struct {
        double last_s, measured, speed;
    } last;
    /* since the first strong output */
    struct {
        bool has_moved, both_signs; /* the joint has moved; strong outputs had both signs */
        double output_sign;         /* sign of the first output; 0: no output yet */
        double start_position, start_s, start_speed; /* position, time and speed at that output */
        double driven_s;                             /* time of strong output so far */
        double reversed_s; /* start of the motion against the output, s; NaN: none */
    } push;
    /* since the last motion */
    struct {
        /* output at the last motion; change since then; time at which a strong change started */
        double moved_output, change, change_s;
        /* positions since the last motion; time of strong output */
        double lowest, highest, still_s;
    } moved;
    char fault[80];
};

void aw_motion_start(struct aw_motion *motion, const struct aw_motion_config *config, double now_s);

enum aw_motion_verdict aw_motion_add_sample(struct aw_motion *motion,
                                            const struct aw_motion_sample *sample);

/* Reports a fault of the device that is not part of a sample. NULL: no fault. */
enum aw_motion_verdict aw_motion_set_fault(struct aw_motion *motion, const char *fault);

/* Checks for silence. Call it when no sample has arrived. */
enum aw_motion_verdict aw_motion_check_silence(struct aw_motion *motion, double now_s);

/* Returns the verdict as a status: AW_OK, AW_TIMEOUT for silence, else AW_REFUSED. err names the
 * joint and a remedy. */
enum aw_status aw_motion_fail(const struct aw_motion *motion, const char *joint, const char *unit,
                              struct aw_error *err);

#endif
