/* What a tool tells of a joint that can be measured, and does to it, for the experiments: step,
 * sweep, identify, tune and verify are made of this, and are the same in every tool.
 *
 *     const struct aw_bench_hooks lamp_bench = {
 *         .usual = {.unit = "deg", .scale = 1}, .joint = lamp_joint, .parse = lamp_parse,
 *         .open = lamp_open, .idle = lamp_idle, .setpoint = lamp_setpoint, .end = lamp_end, …
 *     };
 *     struct aw_tool lamp_tool = {…, .bench = &lamp_bench};
 *
 * Measured values and setpoints are shares of the joint's scale, so that a scale of 1 leaves them
 * in the unit; outputs are shares of the greatest output. A hook that is NULL: the joint has
 * nothing of the kind.
 */
#ifndef AW_SHELL_EXPERIMENTS_JOINT_H
#define AW_SHELL_EXPERIMENTS_JOINT_H

#include "control/loop.h"
#include "shell/core/joints.h"
#include "shell/core/law.h"

struct aw_bench;

struct aw_bench_joint {
    char name[AW_JOINT_NAME]; /* "lknee" */
    char mode[16];            /* what controls it, where that is one of several: "pos"; else "" */
    unsigned number;
    int kind; /* number and kind: the tool's own */
    const char *unit;
    double scale;             /* a share of 1, in that unit */
    double low, high;         /* setpoints that it takes */
    double max_deviation;     /* the default */
    double least, glitch_s;   /* the least motion, the longest glitch: see control/motion.h */
    double step;              /* the default size of a step */
    struct aw_driver driver;  /* of the control loop; its tick is 0 if it is measured */
    double amplitude;         /* of the output in experiments, by default; 0: 0.1 of full scale */
    double tick_s, period_s;  /* the shortest tick that can be; the usual period of samples */
    size_t kp;                /* its place among the law's gains; ki and kd are behind it */
    bool lacks[3];            /* it has no such gain */
    struct aw_gains power_up; /* those that it has after power-up, as published */
};

#define AW_BENCH_SET 160 /* of a command that sets gains */

/* What goes into the process, by the law that drives the joint. Where that is not the output as it
 * is told, who sends gains looks first whether they act. */
enum aw_bench_law {
    AW_BENCH_TOLD,   /* the output */
    AW_BENCH_SERVO,  /* the setpoint, which a law of its own follows; with --with, or in tune, the
                        output of the law whose gains are sent */
    AW_BENCH_HIDDEN, /* an unreported output: known while kp is the only gain */
};

struct aw_bench_hooks {
    /* What follows from the mode alone: all but name and number. name NULL: as the options have it,
     * which need not (AW_USAGE if it must): then mode is "" and scale 1. NULL: all joints begin as
     * usual says. */
    enum aw_status (*mode)(struct aw_session *session, const char *name, bool must,
                           struct aw_bench_joint *joint);
    struct aw_bench_joint usual;
    /* Who it is, with the mode known: name NULL: as the options and arguments have it. NULL: it is
     * one of the tool's struct aw_joints, of which describe says what the bench wants to know. */
    enum aw_status (*joint)(struct aw_session *session, const struct aw_args *args,
                            const char *name, struct aw_bench_joint *joint);
    void (*describe)(struct aw_session *session, const struct aw_joint *of,
                     struct aw_bench_joint *joint);
    /* A value in the joint's unit ("10deg"), as a share; what is told before it in an error. NULL:
     * by that unit. */
    enum aw_status (*parse)(struct aw_session *session, const struct aw_bench_joint *joint,
                            const char *what, const char *text, double *value);

    /* Opens the link, and waits until it is known how the joint stands. Not with --dry-run. */
    enum aw_status (*open)(struct aw_bench *bench);
    /* Takes in what comes until the deadline: a sample with aw_bench_sample, which says when it is
     * enough; what else is known to be wrong with aw_motion_fault. */
    enum aw_status (*idle)(struct aw_bench *bench, int64_t deadline);
    int64_t (*now)(struct aw_session *session); /* the samples' time; NULL: the clock's */
    int64_t (*due)(struct aw_bench *bench);     /* when the next command may go out, by the clock */
    /* Of the samples, s; 0: not known yet. NULL: the law's tick is tick_s, whatever it is. */
    double (*period)(struct aw_bench *bench);

    /* From here on it moves: where it is to go to. */
    enum aw_status (*setpoint)(struct aw_bench *bench, double setpoint);
    /* Ends the motion, and puts the previous gains back where others are tried (law.h); returns
     * status with its error, or else what came of that. */
    enum aw_status (*end)(struct aw_bench *bench, enum aw_status status);

    /* Sends the gains of the joint, with those that share its packet, as aw_bench_gains says; NULL:
     * the tool has no gains. */
    enum aw_status (*gains)(struct aw_bench *bench, const struct aw_gain_list *gains);
    /* May gains be sent to it as it is now? section: told before the error; or else it is made so
     * that they may. NULL: always. */
    enum aw_status (*admit)(struct aw_bench *bench, const char *section, bool may_switch);
    /* The step of the encoder, at the samples of table; a share. */
    double (*quantum)(const struct aw_bench *bench);

    /* For people: joint and gains, "lknee pos kp 3" (NULL: its name); the words that name it in a
     * command, " -b lknee -c pos" (NULL: " elbow"), and the command that sets gains (NULL: "gains
     * set elbow.kp=1 …"). */
    void (*about)(struct aw_session *session, const struct aw_bench_joint *joint, char *out,
                  size_t size);
    void (*words)(const struct aw_bench_joint *joint, char *out, size_t size);
    void (*set)(const struct aw_bench_joint *joint, struct aw_gains gains, char *out, size_t size);

    const char *place; /* what joints are called: "board"; NULL: "joint" */
    bool has_modes;    /* a controller is named beside it */
    enum aw_bench_law law;
    double gain_max;     /* of each gain, either sign */
    const char *ended;   /* what the end does: "disabled" */
    const char *assumed; /* where a tick that is assumed comes from */
    const char *acts; /* URL of a simulator whose joints follow the gains that are sent, where the
                            usual one's do not; NULL: it has no other */
};

#endif
