/* The interface between a tool's joints and the experiments step, sweep, identify, tune and verify.
 * The experiments are the same in every tool.
 *
 *     const struct aw_bench_hooks lamp_bench = {
 *         .usual = {.unit = "deg", .scale = 1}, .joint = lamp_joint, .parse = lamp_parse,
 *         .open = lamp_open, .idle = lamp_idle, .setpoint = lamp_setpoint, .end = lamp_end, …
 *     };
 *     struct aw_tool lamp_tool = {…, .bench = &lamp_bench};
 *
 * Measured values and setpoints are shares of the joint's scale. A scale of 1 leaves them in the
 * unit. Outputs are shares of the max output. If a hook is NULL, the joint lacks that feature.
 */
#ifndef AW_TUNING_VERBS_EXPERIMENT_JOINT_H
#define AW_TUNING_VERBS_EXPERIMENT_JOINT_H

#include "shell/joints/joints.h"
#include "shell/settings/law.h"
#include "tuning/loop.h"

struct aw_bench;

struct aw_bench_joint {
    char name[AW_JOINT_NAME]; /* "lknee" */
    char mode[16];            /* its controller, if it has several: "pos"; else "" */
    unsigned number;
    int kind; /* number and kind: defined by the tool */
    const char *unit;
    double scale;             /* value of a share of 1, in that unit */
    double low, high;         /* range of setpoints */
    double max_deviation;     /* the default */
    double least, glitch_s;   /* min motion, max length of a glitch: see control/motion.h */
    double step;              /* default size of a step */
    struct aw_driver driver;  /* the control loop; its control period is 0 if the experiment is to
                               * measure it */
    double amplitude;         /* default output amplitude in experiments; 0: 0.1 of full scale */
    double tick_s, period_s;  /* shortest possible control period; the usual sample period */
    size_t kp;                /* index of kp among the controller's gains; ki and kd follow it */
    bool lacks[3];            /* the gain does not exist */
    struct aw_gains power_up; /* published gains after power-up */
};

#define AW_BENCH_SET 160 /* size of a command that sets gains */

/* The input of the process, by the controller that drives the joint. If it is not the reported
 * output, senders of gains first check that the gains take effect. */
enum aw_bench_law {
    AW_BENCH_TOLD,   /* the reported output */
    AW_BENCH_SERVO,  /* the setpoint, which the device's own controller follows; with --with, or in
                      * tune, the output of the controller whose gains are sent */
    AW_BENCH_HIDDEN, /* an unreported output: computable while kp is the only gain */
};

struct aw_bench_hooks {
    /* Fills what the mode alone determines: all but name and number. name NULL: uses the options;
     * if they give none, mode is "" and scale 1 (AW_USAGE if must). NULL: all joints start from
     * usual. */
    enum aw_status (*mode)(struct aw_session *session, const char *name, bool must,
                           struct aw_bench_joint *joint);
    struct aw_bench_joint usual;
    /* Finds the joint, with the mode known. name NULL: uses the options and arguments. NULL: a
     * joint of the tool's struct aw_joints; describe fills the bench's fields. */
    enum aw_status (*joint)(struct aw_session *session, const struct aw_args *args,
                            const char *name, struct aw_bench_joint *joint);
    void (*describe)(struct aw_session *session, const struct aw_joint *of,
                     struct aw_bench_joint *joint);
    /* Parses a value in the joint's unit ("10deg") to a share. what: begins error messages. NULL:
     * parses by that unit. */
    enum aw_status (*parse)(struct aw_session *session, const struct aw_bench_joint *joint,
                            const char *what, const char *text, double *value);

    /* Opens the link, and waits until the joint's position is known. Not called with --dry-run. */
    enum aw_status (*open)(struct aw_bench *bench);
    /* Reads until the deadline. Passes samples to aw_bench_sample, which tells when to stop.
     * Reports other faults with aw_motion_fault. */
    enum aw_status (*idle)(struct aw_bench *bench, int64_t deadline);
    int64_t (*due)(struct aw_bench *bench); /* earliest time of the next command, session clock */
    /* Sample period, s; 0: not known yet. NULL: the control period is always tick_s. */
    double (*period)(struct aw_bench *bench);

    /* Starts or continues the motion to the setpoint. */
    enum aw_status (*setpoint)(struct aw_bench *bench, double setpoint);
    /* Ends the motion, and restores the previous gains if trial gains are set (law.h). Returns
     * status with its error, or the outcome of the end. */
    enum aw_status (*end)(struct aw_bench *bench, enum aw_status status);

    /* Sends the gains of the joint and those that share its packet, as in aw_bench_gains. NULL: the
     * tool has no gains. */
    enum aw_status (*gains)(struct aw_bench *bench, const struct aw_gain_list *gains);
    /* Checks that the joint accepts gains now; may_switch: makes it accept them. section: begins
     * error messages. NULL: it always accepts them. */
    enum aw_status (*admit)(struct aw_bench *bench, const char *section, bool may_switch);
    /* Encoder resolution for the samples of table; a share. */
    double (*quantum)(const struct aw_bench *bench);

    /* For people: joint and gains, "lknee pos kp 3" (NULL: its name); the arguments that select it
     * in a command, " -b lknee -c pos" (NULL: " elbow"); the command that sets gains (NULL: "gains
     * set elbow.kp=1 …"). */
    void (*about)(struct aw_session *session, const struct aw_bench_joint *joint, char *out,
                  size_t size);
    void (*words)(const struct aw_bench_joint *joint, char *out, size_t size);
    void (*set)(const struct aw_bench_joint *joint, struct aw_gains gains, char *out, size_t size);

    const char *place; /* the tool's term for joints: "board"; NULL: "joint" */
    bool has_modes;    /* the user also names a controller */
    enum aw_bench_law law;
    double gain_max;     /* max absolute value of each gain */
    const char *ended;   /* effect of the end: "disabled"; NULL: "held", or "stopped" if steered */
    const char *assumed; /* source of an assumed control period */
    const char *acts; /* URL of a simulator whose joints follow the sent gains, if the usual one's
                       * do not; or NULL */
};

#endif
