/* The interface between a tool's joints and the experiments step, sweep, identify, tune and verify.
 * The experiments are the same in every tool.
 *
 *     const struct aw_experiment_hooks lamp_experiments = {
 *         .defaults = {.unit = "deg", .scale = 1}, .describe = lamp_describe,
 *         .open = lamp_open, .idle = lamp_idle, .setpoint = lamp_setpoint, .end = lamp_end, …
 *     };
 *     struct aw_tool lamp_tool = {…, .motion.experiments = &lamp_experiments};
 *
 * Measured values and setpoints are shares of the joint's scale. A scale of 1 leaves them in the
 * unit. Outputs are shares of the max output. If a hook is NULL, the joint lacks that feature.
 */
#ifndef AW_TUNING_VERBS_EXPERIMENT_JOINT_H
#define AW_TUNING_VERBS_EXPERIMENT_JOINT_H

#include "shell/joints/joints.h"
#include "shell/safety/controller.h"
#include "tuning/loop.h"

struct aw_experiment;

struct aw_experiment_joint {
    char name[AW_JOINT_NAME]; /* "lknee" */
    char mode[16];            /* its controller if it has several, such as "pos"; else "" */
    unsigned number;
    int kind; /* number and kind have a meaning for the tool only */
    const char *unit;
    double scale;     /* value of a share of 1, in this unit */
    double low, high; /* range of setpoints */
    struct {
        double max_deviation; /* default deviation limit, as a share */
        double step;          /* default size of a step */
    } defaults;
    double min_motion, glitch_s; /* see aw_motion_config in control/motion.h */
    /* control loop of the firmware */
    struct {
        struct aw_driver driver;
        double tick_s;   /* shortest possible control period */
        double period_s; /* usual sample period */
    } loop;
    size_t kp;                /* index of kp among the controller's gains; ki and kd follow it */
    struct aw_gains power_up; /* published gains after power-up */
};

/* The input of the process in experiments. If it is not the reported output, commands that send
 * gains first check that the gains take effect. */
enum aw_experiment_input {
    AW_INPUT_REPORTED, /* the reported output */
    /* the setpoint, which the device's own controller follows; with --with and in tune: the output
     * of the controller whose gains are sent */
    AW_INPUT_SETPOINT,
};

struct aw_experiment_hooks {
    /* Sets the members that depend only on the mode: all except name and number. name NULL: the
     * mode of the options. If they give none, sets mode to "" and scale to 1, or returns AW_USAGE
     * if required is set. name NULL and required: also sets the joint's name from the options.
     * Hook NULL: every joint starts as a copy of the defaults. */
    enum aw_status (*mode)(struct aw_session *session, const char *name, bool required,
                           struct aw_experiment_joint *joint);
    struct aw_experiment_joint defaults;
    /* Fills in the members that depend on the joint. */
    void (*describe)(struct aw_session *session, const struct aw_joint *joint_info,
                     struct aw_experiment_joint *joint);

    /* Opens the link, and waits until the joint's position is known. Not called with --dry-run. */
    enum aw_status (*open)(struct aw_experiment *experiment);
    /* Reads until the deadline. Passes samples to aw_experiment_sample until that returns false.
     * Reports other faults with aw_motion_set_fault. */
    enum aw_status (*idle)(struct aw_experiment *experiment, int64_t deadline);
    /* earliest time of the next command, ns of the session's clock */
    int64_t (*due)(struct aw_experiment *experiment);
    /* Returns the sample period, s; 0: not known yet. NULL: the control period is always tick_s. */
    double (*period)(struct aw_experiment *experiment);

    /* Starts or continues the motion to the setpoint. */
    enum aw_status (*setpoint)(struct aw_experiment *experiment, double setpoint);
    /* Ends the motion. Restores the previous gains if trial gains are set (aw_gains_backup).
     * Returns status if it is an error, else the result of ending the motion. */
    enum aw_status (*end)(struct aw_experiment *experiment, enum aw_status status);

    struct {
        /* Sends the gains of the joint and the other gains in its packet, as
         * aw_experiment_send_gains does. NULL: the tool has no gains. */
        enum aw_status (*gains)(struct aw_experiment *experiment, const struct aw_gain_list *gains);
        /* Checks that the joint accepts gains now. may_switch: switches it so that it does. section
         * begins error messages. NULL: joints always accept gains. */
        enum aw_status (*allow_gains)(struct aw_experiment *experiment, const char *section,
                                      bool may_switch);
        /* Returns the encoder resolution for the experiment's samples, as a share. */
        double (*quantum)(const struct aw_experiment *experiment);
        enum aw_experiment_input input;
        double gain_max; /* max absolute value of each gain */
    } tuning;

    /* texts for the user */
    struct {
        const char *joint_term; /* the tool's term for joints: "board"; NULL: "joint" */
        /* what happens to the joint at the end of a motion, for messages: "disabled"; NULL: "held",
         * or "stopped" if steered */
        const char *action;
        const char *assumed; /* source of an assumed control period, for messages */
        /* URL of a simulator whose joints obey the sent gains, if those of the default one do not;
         * else NULL */
        const char *working_url;
    } text;
    bool has_modes; /* the user names board and controller, by -b and -c or in a file */
};

#endif
