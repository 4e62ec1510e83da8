/* Teleoperation: converts inputs of a gamepad, keys or muscles to joint velocities while a button
 * is held.
 *
 * It has no clock, device or pad of its own, so tests can run it in virtual time. A map assigns the
 * inputs. The caller passes input values and joint positions, and gets velocities, targets and
 * other actions.
 *
 *     aw_teleop_start(&t, &map, joints, n, now_ns, &err);
 *     … an input has changed:      aw_teleop_set_input(&t, input, value);
 *     … whenever it is seen alive:  aw_teleop_set_alive(&t, now_ns);
 *     … it cannot be trusted:      aw_teleop_set_halt(&t, AW_HALT_EVENTS);
 *     … at once after each of these, and every few milliseconds:
 *     switch (aw_teleop_step(&t, now_ns)) {
 *     case AW_TELEOP_RUN:  … send joints[…].velocity, or .target …
 *     case AW_TELEOP_STOP: … the stop; t.halt is the reason …
 *     case AW_TELEOP_REST: … nothing …
 *     }
 *
 * The rules, in this order:
 *  - Nothing moves unless the input "enable" is pressed. It must have been released before: at the
 *    start and after every loss.
 *  - After each press and each loss, a row counts once it has been at rest (inside its dead zone).
 *    Action buttons must have been released.
 *  - Losses: lost events, a value that is not a number, a missing device, a caller more than 100 ms
 *    late during a motion, silence of a deflected input for stale_ns, a following error above
 *    max_lag for 0.3 s. Each loss causes one stop.
 *  - The speed is a quarter of the row's (or the joint's limit), or all of it while "full" is
 *    pressed; several rows of a joint add up to no more than that.
 *  - Limits are one-way: a joint beyond a limit may move back, but not farther out.
 *  - Steps: if a motion cannot be interrupted (step_s), each turn sets a target one step away. The
 *    next step follows when the joint has confirmed it. Nothing is sent in advance.
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
#define AW_TELEOP_LATE   INT64_C(100000000) /* max time between two steps, ns */

enum aw_teleop_verb {
    AW_VERB_VELOCITY,
    AW_VERB_TOGGLE, /* moves to the other end of the joint's range, while enable is held */
    AW_VERB_NEXT,   /* selects the next of the selectable joints */
    AW_VERB_MARK,
    AW_VERB_QUIT,
};

/* "leftx = elbow velocity 45deg/s deadzone=0.1 expo=0.3". */
struct aw_teleop_row {
    enum aw_teleop_verb verb;
    /* second_input: both inputs must exceed threshold at once; -1: none */
    int input, second_input;
    char joint[AW_TELEOP_NAME]; /* joint, or the text of a mark; "select": the selected joint */
    char rate_text[32];         /* rate as written in the map; "": the joint's limit */
    double deadzone, expo;
    /* raw values of the input at rest and at the end of its travel; factor */
    double min, max, gain;
    double threshold;   /* raw value from which a button counts as pressed */
    int64_t lockout_ns; /* dead time after an action */
};

/* Built by aw_teleop_map_set; {0} is empty. */
struct aw_teleop_map {
    size_t n, n_inputs, n_choices;
    int enable, full_speed; /* indices of inputs; -1: none */
    struct aw_teleop_row rows[AW_TELEOP_ROWS];
    char inputs[AW_TELEOP_INPUTS][24];
    char choices[AW_TELEOP_CHOICE][AW_TELEOP_NAME];
    bool has_enable, has_full_speed;
};

/* Adds a line of the config file's section: "enable" and "full" (of an input), "select" (joints),
 * or an input: "leftx", "BTN_TRIGGER", "emg1", "emg1+emg2". AW_USAGE: err has the reason. */
enum aw_status aw_teleop_map_set(struct aw_teleop_map *map, const char *key, const char *value,
                                 struct aw_error *err);

/* Reads lines "key = value" and skips # comments. */
enum aw_status aw_teleop_map_parse(struct aw_teleop_map *map, const char *text,
                                   struct aw_error *err);

/* A joint. Values are in the joint's unit, and per second. The caller sets the members up to
 * uses_target, and updates actual. */
struct aw_teleop_joint {
    const char *name, *alias; /* alias NULL or "": none */
    struct {
        double min, max, max_speed; /* finite */
        double max_lag;             /* INFINITY: unlimited */
    } limits;
    double full_value; /* velocity at a rate of 100 % */
    double actual;     /* NaN: unknown */
    double min_step;   /* smallest step that the joint can make; 0: any */
    bool uses_target;  /* integrates the velocity to target, starting at actual */

    double velocity; /* commanded velocity */
    double target;   /* commanded target; NaN: none yet */
    /* the user has moved it since pressing the enable button; only such joints get commands */
    bool moved;
    bool limited;      /* a limit has reduced the commanded velocity */
    double goal;       /* goal of a toggle; NaN: none */
    int64_t behind_ns; /* start of the following error; 0: none */
};

enum aw_halt {
    AW_HALT_NONE,
    AW_HALT_RELEASED, /* the button was released */
    AW_HALT_EVENTS,   /* the kernel lost events, or a value is not a number */
    AW_HALT_GONE,     /* the device, the terminal or the writer of the records disconnected */
    AW_HALT_LATE,     /* this program stalled */
    AW_HALT_STALE,    /* a deflected input sent nothing */
    AW_HALT_LAG,      /* following error of halted_joint */
    AW_HALT_FAULT,    /* a joint reports a fault */
    AW_HALTS
};

/* Descriptions of the reasons: "enabling button released" … */
extern const char *const aw_halt_names[AW_HALTS];

enum aw_teleop_result { AW_TELEOP_REST, AW_TELEOP_RUN, AW_TELEOP_STOP };

struct aw_teleop_action {
    enum aw_teleop_verb verb; /* NEXT: another joint is selected; MARK; QUIT */
    const char *text;         /* name of the joint, or text of the mark */
};

struct aw_teleop {
    const struct aw_teleop_map *map;
    struct aw_teleop_joint *joints;
    size_t n;
    struct {
        int64_t stale_ns; /* 0: never; set by the caller */
        /* duration of a step, after which the caller waits for its confirmation, s; 0: continuous
         * motion; set by the caller */
        double step_s;
        /* signed velocity of a row at full deflection; NaN: the joint's limit; set by the caller */
        double rate[AW_TELEOP_ROWS];
        /* velocity as a share of the joint's full_value; 0: rate applies */
        double share[AW_TELEOP_ROWS];
    } options;

    struct {
        double value[AW_TELEOP_INPUTS];    /* raw values */
        bool armed[AW_TELEOP_ROWS];        /* the row has been at rest */
        bool pressed[AW_TELEOP_ROWS];      /* the row's button is pressed */
        int64_t locked_ns[AW_TELEOP_ROWS]; /* time until which an action is blocked */
    } input;
    /* enable has been released once; is held now; a motion is possible */
    bool was_released, enabled, running;
    size_t selected;
    int64_t step_ns, alive_ns;
    enum aw_halt halt;
    size_t halted_joint;
    size_t n_actions;
    struct aw_teleop_action actions[8]; /* actions of the last step */
};

/* Starts teleoperation. Keeps map and joints. AW_USAGE: the map names an unknown joint, has no
 * enable button, or needs an unknown speed, range or list of selectable joints. */
enum aw_status aw_teleop_start(struct aw_teleop *t, const struct aw_teleop_map *map,
                               struct aw_teleop_joint *joints, size_t n, int64_t now_ns,
                               struct aw_error *err);

void aw_teleop_set_input(struct aw_teleop *t, size_t input, double value);
void aw_teleop_set_alive(struct aw_teleop *t, int64_t now_ns);
void aw_teleop_set_halt(struct aw_teleop *t, enum aw_halt halt);

/* Excludes the time until now_ns from the next step, after the caller has waited for the device. */
void aw_teleop_skip_wait(struct aw_teleop *t, int64_t now_ns);

/* Returns true if the next step will see that the enable button was released. Call that step before
 * setting later inputs. */
bool aw_teleop_is_released(const struct aw_teleop *t);

/* Returns true if the enable button was released or pressed. Call a step before setting later
 * inputs: if one step saw both the press and a deflected stick, it would never see the stick at
 * rest. */
bool aw_teleop_is_due(const struct aw_teleop *t);

enum aw_teleop_result aw_teleop_step(struct aw_teleop *t, int64_t now_ns);

/* Returns the deflection of a row's input, from -1 to 1, after dead zone and curve. */
double aw_teleop_deflection(const struct aw_teleop *t, size_t row);

/* Returns the index of a row's joint; n: the row has no joint. */
size_t aw_teleop_find_joint(const struct aw_teleop *t, size_t row);

#endif
