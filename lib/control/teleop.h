/* What hands on a pad, keys or muscles make of joints: velocities while a button is held.
 *
 * Without time, device or pad of its own, so that all of it can be tried in virtual time. A map
 * says what the inputs do; the caller hands in their values and where the joints stand, and gets
 * velocities, targets, and words for what else is to be done.
 *
 *     aw_teleop_start(&t, &map, joints, n, now_ns);
 *     … an input has changed:      aw_teleop_set(&t, input, value);
 *     … whenever it is seen alive:  aw_teleop_alive(&t, now_ns);
 *     … it cannot be trusted:      aw_teleop_lose(&t, AW_HALT_EVENTS);
 *     … at once after each of these, and every few milliseconds:
 *     switch (aw_teleop_step(&t, now_ns)) {
 *     case AW_TELEOP_RUN:  … send joints[…].velocity, or .target …
 *     case AW_TELEOP_STOP: … the stop; t.halt says why …
 *     case AW_TELEOP_REST: … nothing …
 *     }
 *
 * The rules, in this order:
 *  - Nothing runs unless the input "enable" is down, and it counts only if it has been seen up
 *    before: at the beginning and after every loss.
 *  - At each press a row has to be seen at rest (inside its dead zone) once before it counts, and
 *    again after every loss. Buttons that do something have to be seen up.
 *  - Losses: events that are lost, a value that is no number, a device that is gone, a caller that
 *    comes later than 100 ms while something runs, silence of a deflected input for stale_ns, a
 *    joint that stays behind its target by more than max_lag for 0.3 s. Each one is one stop.
 *  - The speed is the row's (or the joint's limit) times a quarter, or all of it while "full" is
 *    down; several rows of a joint add up to no more than that.
 *  - Limits are one-way: what stands beyond one may come back, and nothing goes farther out.
 *  - Steps: where a motion cannot be ended (step_s), each turn has a target that is one step of it
 *    away, and the next one is made when the joint has confirmed that. Nothing is made in advance.
 */
#ifndef AW_CONTROL_TELEOP_H
#define AW_CONTROL_TELEOP_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/status.h"

#define AW_TELEOP_ROWS   40
#define AW_TELEOP_INPUTS 48
#define AW_TELEOP_CHOICE 16
#define AW_TELEOP_NAME   64
#define AW_TELEOP_LATE   INT64_C(100000000) /* ns between two steps */

enum aw_teleop_does {
    AW_DOES_VELOCITY,
    AW_DOES_TOGGLE, /* to the other end of the joint's range, while enable is held */
    AW_DOES_NEXT,   /* of the joints that are chosen among */
    AW_DOES_MARK,
    AW_DOES_RECORD,
    AW_DOES_QUIT,
};

/* "leftx = elbow velocity 45deg/s deadzone=0.1 expo=0.3". */
struct aw_teleop_row {
    enum aw_teleop_does does;
    int input, second;          /* second: both have to be above threshold at once; -1: none */
    char joint[AW_TELEOP_NAME]; /* or the text of a mark; "select": that which is chosen */
    char rate_text[32];         /* as it was written; "": the joint's limit */
    double deadzone, expo;
    double min, max, gain; /* of the input where it rests and where it is at its end */
    double threshold;      /* of a button */
    int64_t lockout_ns;    /* after which it does something again */
};

/* Built by aw_teleop_map_set; {0} is empty. */
struct aw_teleop_map {
    size_t n, n_inputs, n_choice;
    int enable, full; /* inputs; -1 or, in {0}, n_inputs 0: none */
    struct aw_teleop_row rows[AW_TELEOP_ROWS];
    char inputs[AW_TELEOP_INPUTS][24];
    char choice[AW_TELEOP_CHOICE][AW_TELEOP_NAME];
    bool has_enable, has_full;
};

/* A line of the config file's section: "enable" and "full" (of an input), "select" (joints), or an
 * input: "leftx", "BTN_TRIGGER", "emg1", "emg1+emg2". AW_USAGE says what is wrong. */
enum aw_status aw_teleop_map_set(struct aw_teleop_map *map, const char *key, const char *value,
                                 struct aw_error *err);

/* Reads lines "key = value" and skips # comments. */
enum aw_status aw_teleop_map_read(struct aw_teleop_map *map, const char *text,
                                  struct aw_error *err);

/* A joint: the caller fills in the first part, and keeps actual up to date. */
struct aw_teleop_joint {
    const char *name, *alias; /* alias NULL or "": none */
    double min, max, speed;   /* speed: its limit, finite */
    double whole;             /* what 100 % of a row's share are */
    double max_lag;           /* INFINITY: it may stay behind */
    double actual;            /* NaN: not known */
    double least;             /* the smallest step that it can be told; 0: any */
    bool targets;             /* target is wanted: the sum of the velocities from actual on */

    double velocity, target; /* what it is to do; target NaN: it has none yet */
    bool moved;        /* by the hand, since the button was pressed: the others are left alone */
    bool limited;      /* a limit keeps it from what the hand wants */
    double goal;       /* of a toggle; NaN: none */
    int64_t behind_ns; /* since when it has stayed behind, 0: it has not */
};

enum aw_halt {
    AW_HALT_NONE,
    AW_HALT_RELEASED, /* the button was let go */
    AW_HALT_EVENTS,   /* the kernel lost events, or a value is no number */
    AW_HALT_GONE,     /* the device, or the terminal, or the writer of the records */
    AW_HALT_LATE,     /* this program did not run for a while */
    AW_HALT_STALE,    /* a deflected input that has been silent */
    AW_HALT_LAG,      /* halted_joint stays behind */
    AW_HALT_FAULT,    /* a joint says that something is wrong with it */
    AW_HALTS
};

/* "the button was let go", … */
extern const char *const aw_halt_names[AW_HALTS];

enum aw_teleop_turn { AW_TELEOP_REST, AW_TELEOP_RUN, AW_TELEOP_STOP };

struct aw_teleop_action {
    enum aw_teleop_does does; /* NEXT: another joint is chosen; MARK; RECORD; QUIT */
    const char *text;         /* the joint, or of the mark */
};

struct aw_teleop {
    const struct aw_teleop_map *map;
    struct aw_teleop_joint *joints;
    size_t n;
    int64_t stale_ns;             /* 0: never; set by the caller */
    double step_s;                /* 0: targets follow each other; else what a step takes, and the
                                    caller waits until it is confirmed; set by the caller */
    double rate[AW_TELEOP_ROWS];  /* of velocity rows with their sign; set by the caller: NaN is the
                                    joint's limit */
    double share[AW_TELEOP_ROWS]; /* 0: none; else in place of a rate */

    double value[AW_TELEOP_INPUTS];
    bool armed[AW_TELEOP_ROWS], down[AW_TELEOP_ROWS];
    int64_t locked_ns[AW_TELEOP_ROWS];
    bool ready, enabled, running; /* enable was seen up; is held; something may move */
    size_t chosen;
    int64_t step_ns, alive_ns;
    enum aw_halt halt;
    size_t halted_joint;
    size_t n_actions;
    struct aw_teleop_action actions[8]; /* of the last step */
};

/* AW_USAGE: the map names an unknown joint, has no enable, or needs a speed that is not known. */
enum aw_status aw_teleop_start(struct aw_teleop *t, const struct aw_teleop_map *map,
                               struct aw_teleop_joint *joints, size_t n, int64_t now_ns,
                               struct aw_error *err);

void aw_teleop_set(struct aw_teleop *t, size_t input, double value);
void aw_teleop_alive(struct aw_teleop *t, int64_t now_ns);
void aw_teleop_lose(struct aw_teleop *t, enum aw_halt why);

/* A step was waited for: that the next turn is late is meant. */
void aw_teleop_waited(struct aw_teleop *t, int64_t now_ns);

/* The button that has to be held is up, and the next step will see it: what comes behind that is
 * not to be set before. */
bool aw_teleop_let_go(const struct aw_teleop *t);

/* The button was let go, or pressed: what comes after that is for the step after the next one. If a
 * press and a push of the stick were seen together, the stick would not have been seen at rest. */
bool aw_teleop_is_due(const struct aw_teleop *t);

enum aw_teleop_turn aw_teleop_step(struct aw_teleop *t, int64_t now_ns);

/* How far a row's input is out, from -1 to 1, behind its dead zone and curve. */
double aw_teleop_deflection(const struct aw_teleop *t, size_t row);

/* The joint of a row; n: none. */
size_t aw_teleop_joint_of(const struct aw_teleop *t, size_t row);

#endif
