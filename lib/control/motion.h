/* Supervises a joint during a motion and detects when it must be stopped.
 *
 * Takes every sample, whatever the purpose of the motion. It has no time, device or unit of its
 * own, so every tool can use one for each of its joints.
 *
 *     struct aw_motion guard;
 *     struct aw_motion_config config = aw_motion_defaults(15);
 *     aw_motion_start(&guard, &config, now_s);
 *     for each sample:
 *         struct aw_motion_sample s = {now_s, target, measured, output, fault};
 *         if (aw_motion_feed(&guard, &s) != AW_MOTION_FINE)
 *             … disable, at once, and enable nothing again …
 *     if no sample came for a while:
 *         aw_motion_wait(&guard, now_s);
 *     aw_motion_fail(&guard, "lknee", "deg", &err);
 *
 * The first verdict is final. It is one of these.
 *
 * FAULT     the device reports a fault.
 * BEYOND    more than max_deviation outside the range of the first position and all targets so far.
 *           The joint is not moved back: it no longer obeys.
 * REVERSED  the first motion is against the output, and continues: a loop with such a motor or
 *           encoder runs away. (A busy device that took the command late comes back.)
 *           A joint that already moves must exceed the motion that this explains. There is no
 *           verdict after strong outputs of both signs: with a long dead time, the motion may
 *           answer the earlier one.
 * STUCK     a strong output, for answer_s in total, and the joint has never moved. Later: twice
 *           that output, far from the output of the last motion, on the same side for answer_s. A
 *           constant output is not a fault: it may hold a load, or a leg against a wall. With
 *           'moves' set: an output beyond that for answer_s in total since the last motion, even
 *           if constant.
 * SILENT    no sample for silence_s.
 */
#ifndef AW_CONTROL_MOTION_H
#define AW_CONTROL_MOTION_H

#include <stdbool.h>

#include "base/status.h"

enum aw_motion_verdict {
    AW_MOTION_FINE,
    AW_MOTION_FAULT,
    AW_MOTION_BEYOND,
    AW_MOTION_REVERSED,
    AW_MOTION_STUCK,
    AW_MOTION_SILENT,
};

/* measured, targets, max_deviation and least have the same unit. */
struct aw_motion_config {
    double max_deviation; /* INFINITY: unlimited */
    double least;         /* smallest motion that counts: above noise and encoder steps */
    double idle;          /* smaller outputs move nothing */
    double strong;        /* larger outputs move every sound joint */
    double moves; /* an experiment's output beyond this moves the joint; 0: it may hold a load */
    double answer_s, silence_s;
    double glitch_s; /* tolerated time of wrong samples: a first motion against the output must last
                        longer */
    const char *ended; /* action on a joint that exceeds its limits, for messages */
};

/* Returns the defaults: least a hundredth of max_deviation, idle 0.01, strong 0.05, answer 2 s,
 * silence 0.5 s, glitch 0, ended "disabled". */
struct aw_motion_config aw_motion_defaults(double max_deviation);

struct aw_motion_sample {
    double t;          /* s, increasing */
    double target;     /* NaN: none, or unchanged */
    double measured;   /* NaN: missing, ignores the sample */
    double output;     /* share of full scale; NaN: unknown, no check of the response */
    double excites;    /* the experiment's output, compared with 'moves' */
    const char *fault; /* name of the fault, or NULL; not stored */
};

struct aw_motion {
    struct aw_motion_config config;
    enum aw_motion_verdict verdict;
    bool started;     /* a sample has been fed */
    double low, high; /* range of the first position and the targets */
    double last_s, measured, speed;
    bool answered, mixed;            /* the joint has moved; strong outputs had both signs */
    double sign;                     /* sign of the first output; 0: none yet */
    double from, from_s, from_speed; /* position, time and speed at that output */
    double pushed_s;                 /* time of strong output so far */
    double against_s;                /* start of the motion in the wrong direction; NaN: none */
    /* output at the last motion; change since then; start of a strong change */
    double moved_output, side, since_s;
    double lowest, highest, stands_s; /* range since the last motion; time of strong output in it */
    char fault[80];
};

void aw_motion_start(struct aw_motion *guard, const struct aw_motion_config *config, double now_s);

enum aw_motion_verdict aw_motion_feed(struct aw_motion *guard,
                                      const struct aw_motion_sample *sample);

/* Reports a device fault outside of a sample. NULL: no fault. */
enum aw_motion_verdict aw_motion_fault(struct aw_motion *guard, const char *fault);

/* Checks for silence: no sample has arrived by now_s. */
enum aw_motion_verdict aw_motion_wait(struct aw_motion *guard, double now_s);

/* Returns the verdict as an error: AW_OK, AW_TIMEOUT for silence, else AW_REFUSED. err names the
 * joint and a remedy. */
enum aw_status aw_motion_fail(const struct aw_motion *guard, const char *joint, const char *unit,
                              struct aw_error *err);

#endif
