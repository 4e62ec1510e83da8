/* Looks after a joint that a command moves by itself, and says when that must end.
 *
 * Fed with every sample, whatever the joint is being moved for; without time, device or unit of its
 * own, so that every tool can have the same one for each of its joints.
 *
 *     struct aw_motion guard;
 *     struct aw_motion_config config = aw_motion_defaults(15);
 *     aw_motion_start(&guard, &config, now_s);
 *     for each sample:
 *         struct aw_motion_sample s = {now_s, target, measured, output, fault};
 *         if (aw_motion_feed(&guard, &s) != AW_MOTION_FINE)
 *             … disable, at once, and enable nothing again …
 *     whenever none has come for a while:
 *         aw_motion_wait(&guard, now_s);
 *     aw_motion_fail(&guard, "lknee", "deg", &err);
 *
 * A verdict stays: whatever comes later, it is the first one. It is one of these.
 *
 * FAULT     the device itself says that something is wrong.
 * BEYOND    farther than max_deviation outside of what lies between where the joint stood at the
 *           first sample and its targets so far. It is not brought back: what has left the bound
 *           once does not obey.
 * REVERSED  the first motion is against the output: a loop with such a motor, or encoder, runs
 * away. A joint that moves already must move on by more than that explains; and once a strong
 *           output has had both signs nothing is said about it any more, because with a long dead
 *           time an answer may be that to the other one.
 * STUCK     a strong output, for answer_s altogether, and the joint has never moved; or, later: an
 *           output of twice that which is far from the one that it moved with last, on the same
 *           side for answer_s. One that holds a load, or a leg against a wall, is no fault: it does
 *           not change. With 'moves' set: an output beyond that, for answer_s altogether since the
 *           last motion, whether it changes or not.
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

/* measured, targets, max_deviation and least share a unit. */
struct aw_motion_config {
    double max_deviation; /* INFINITY: none */
    double least;         /* motion that is one: above noise and the encoder's steps */
    double idle;          /* an output up to here moves nothing */
    double strong;        /* one beyond this moves every joint that is sound */
    double moves; /* an experiment's output beyond this moves the joint; 0: it may hold a load */
    double answer_s, silence_s;
    double glitch_s; /* samples may be wrong for so long: a first motion against must last longer */
    const char *ended; /* what is done to a joint that has left them, for messages */
};

/* least a hundredth of max_deviation, idle 0.01, strong 0.05, answer 2 s, silence 0.5 s, glitch 0,
 * ended "disabled". */
struct aw_motion_config aw_motion_defaults(double max_deviation);

struct aw_motion_sample {
    double t;          /* s, grows */
    double target;     /* NaN: none, or the same */
    double measured;   /* NaN: missing, and the sample does not count */
    double output;     /* share of full scale; NaN: not known, and nothing is said about answers */
    double excites;    /* the experiment's output, which is compared with 'moves' */
    const char *fault; /* its name, or NULL; need not stay */
};

struct aw_motion {
    struct aw_motion_config config;
    enum aw_motion_verdict verdict;
    bool begun;       /* a sample was there */
    double low, high; /* of where it stood and its targets */
    double last_s, measured, speed;
    bool answered, mixed;            /* it has moved; a strong output had both signs before */
    double sign;                     /* of the first output, 0: none yet */
    double from, from_s, from_speed; /* where, when and how it was then */
    double pushed_s;                 /* strong output so far */
    double against_s;                /* since when it is where it should not be; NaN: it is not */
    double moved_output, side, since_s; /* after the last motion: what moved it; the change */
    double lowest, highest, stands_s; /* since its last motion, and the strong output since then */
    char fault[80];
};

void aw_motion_start(struct aw_motion *guard, const struct aw_motion_config *config, double now_s);

enum aw_motion_verdict aw_motion_feed(struct aw_motion *guard,
                                      const struct aw_motion_sample *sample);

/* The device says that something is wrong, by something that is no sample. NULL: nothing is. */
enum aw_motion_verdict aw_motion_fault(struct aw_motion *guard, const char *fault);

/* No sample has come until now. */
enum aw_motion_verdict aw_motion_wait(struct aw_motion *guard, double now_s);

/* The verdict as an error: AW_OK, AW_TIMEOUT for silence, else AW_REFUSED; with the name of the
 * joint and what to do. */
enum aw_status aw_motion_fail(const struct aw_motion *guard, const char *joint, const char *unit,
                              struct aw_error *err);

#endif
