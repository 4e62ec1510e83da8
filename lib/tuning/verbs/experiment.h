/* An experiment with one joint. Its samples are in the joint's unit, their outputs in shares of
 * full scale. Every sample is supervised (control/motion.h); a violation ends the experiment and
 * all motion commands. The motion always ends with the experiment. */
#ifndef AW_TUNING_VERBS_EXPERIMENT_H
#define AW_TUNING_VERBS_EXPERIMENT_H

#include "base/number.h"
#include "control/motion.h"
#include "tuning/response.h"
#include "tuning/verbs/verbs.h"

/* Called for each sample. */
typedef void aw_experiment_sample_fn(struct aw_experiment *experiment,
                                     const struct aw_sample *sample);

struct aw_experiment {
    struct aw_session *session;
    const struct aw_experiment_hooks *hooks;
    struct aw_experiment_joint joint;
    struct {
        double commanded;   /* last commanded setpoint, as a share of the scale; NaN: none yet */
        double target;      /* target for the supervision, in the joint's unit; NaN: none */
        bool checks_output; /* the supervision compares the control output with its moving_output */
        /* distance to the setpoint within which an output may hold a load, in the unit; 0: none */
        double hold_distance;
        double sent_setpoint; /* previously sent setpoint; NaN: none */
    } command;
    struct {
        int64_t start_ns;  /* session time of t = 0, ns */
        int64_t began_ns;  /* start of the whole command, ns, for the progress line */
        double total_s;    /* expected duration, s; 0: unknown */
        int64_t sample_ns; /* time of the newest sample, ns */
    } time;
    struct {
        struct aw_sample *list; /* since the last aw_experiment_restart */
        size_t n, capacity;
        bool incomplete; /* a sample was lost, because no memory was left */
    } samples;
    struct aw_step step; /* the last one of aw_experiment_perform_step, in the unit */
    struct {
        uint64_t count;                     /* number of samples so far */
        bool awaiting;                      /* stop reading at the next sample */
        aw_experiment_sample_fn *on_sample; /* callback, or NULL */
        void *context;
        struct aw_sample last;
        bool needs_more; /* more samples are needed */
    } sampling;
    /* Set before the start: the file for the samples (NULL: none; --save by default), and the
     * deviation limit, as a share (0: from --max-deviation). */
    const char *save_path;
    double max_deviation;
    struct aw_motion motion;
    struct {
        /* gains of the joint and of its packet, from aw_experiment_find_gains */
        struct aw_gain_list gains;
        struct aw_gains old; /* previous gains */
        bool known;          /* old is certain */
    } gains;
    /* for joints of a struct aw_joints: the tool's list, and the index of the joint */
    struct aw_joint_list list;
    size_t index;
};

/* Set the mode and the joint by the tool's hooks. The mode must be known before the joint is
 * chosen. mode_required: AW_USAGE if no mode is given. Otherwise a missing mode leaves mode "" and
 * scale 1. A tool without modes copies its defaults. */
enum aw_status aw_experiment_set_mode(struct aw_session *session, const char *name,
                                      bool mode_required, struct aw_experiment_joint *joint);
enum aw_status aw_experiment_find_joint(struct aw_session *session, const struct aw_args *args,
                                        const char *name, struct aw_experiment_joint *joint);

/* Initialises an experiment with the joint of the options and arguments. Does not start it. */
enum aw_status aw_experiment_init(struct aw_experiment *experiment, struct aw_session *session,
                                  const struct aw_args *args);

/* Opens the link, and waits for the joint's position. First checks that the output files can be
 * written. */
enum aw_status aw_experiment_begin(struct aw_experiment *experiment);

/* Handles a sample from the device, in shares; called by the hook idle. Returns false if there are
 * enough samples. fault: reported by the device, or NULL. setpoint NaN: the commanded one. drive:
 * the quantity that drives the joint, for the supervision; without has_drive, that is the
 * output. */
struct aw_experiment_sample {
    double setpoint, measured, output, drive;
    bool has_drive;
    const char *fault;
};
bool aw_experiment_sample(struct aw_experiment *experiment,
                          const struct aw_experiment_sample *sample);

/* Parses a value in the joint's unit and converts it to a share of the scale. subject begins
 * error messages. */
enum aw_status aw_experiment_parse(const struct aw_experiment *experiment, const char *subject,
                                   const char *text, double *value);

/* Returns the tool's term for a joint, such as "board". */
const char *aw_experiment_joint_term(const struct aw_session *session);

/* Checks that a setpoint is within the joint's range. AW_LIMIT: it is not, and --force is not
 * given. */
enum aw_status aw_experiment_check_range(const struct aw_experiment *experiment,
                                         const char *subject, double value);

/* Limits of the metrics of a step; NaN: no limit. */
struct aw_experiment_limits {
    double max[AW_METRICS];
};
void aw_experiment_init_limits(struct aw_experiment_limits *limits);

/* Parses a limit in the metric's own unit: "10%" and "10" are the same overshoot. name is that of
 * the option: "max-rise-time" for AW_RISE_TIME. AW_END: no metric has such a limit. */
enum aw_status aw_experiment_parse_limit(struct aw_session *session,
                                         struct aw_experiment_limits *limits, const char *name,
                                         const char *text);

/* Computes the metrics of the last step. */
enum aw_status aw_experiment_measure(struct aw_experiment *experiment,
                                     struct aw_response *response);

/* Returns true if the last step ended near its target (aw_response_reached_target) and met the
 * limits. Writes both to out: "ended at 3 instead of 10 deg, overshoot 0 % (limit 40 %)". */
#define AW_EXPERIMENT_VERDICT 256
bool aw_experiment_judge(const struct aw_experiment *experiment, const struct aw_response *response,
                         const struct aw_experiment_limits *limits, double tolerance,
                         char out[AW_EXPERIMENT_VERDICT]);

/* Finds the max deviation of the joint from its start and its targets, as a share. Uses text
 * ("15deg"; NULL: --max-deviation), else the joint's default. */
enum aw_status aw_experiment_max_deviation(const struct aw_experiment *experiment, const char *text,
                                           double *value);

/* Returns the last measured position as a share of the scale. */
double aw_experiment_position(const struct aw_experiment *experiment);

/* Restarts the supervision at the current position. Does nothing if it has ended a motion. */
void aw_experiment_restart_limits(struct aw_experiment *experiment);

/* Waits until the next command is due. The joint is supervised during this wait, unlike during
 * waits of the client. */
enum aw_status aw_experiment_await_due(struct aw_experiment *experiment);

/* Send a setpoint. From then on, the joint counts as moving and is stopped at the end. drive: the
 * joint must reach the setpoint. push: the setpoint only produces an output, so it may be far
 * away. */
enum aw_status aw_experiment_drive(struct aw_experiment *experiment, double setpoint);
enum aw_status aw_experiment_push(struct aw_experiment *experiment, double setpoint);

/* Sends the last measured position as the setpoint. */
enum aw_status aw_experiment_hold(struct aw_experiment *experiment);

/* Finds the current gains of the joint (experiment->gains.old): reported, sent before, or in the
 * file at path (may be NULL). If they are unknown, gains.known is false and gains.old has the gains
 * after power-up. Then prints a notice with this advice (NULL: none). Pass gains.gains to
 * aw_gains_backup before a trial. */
enum aw_status aw_experiment_find_gains(struct aw_experiment *experiment, const char *path,
                                        const char *advice);

/* Sends new gains of the joint. Other gains in its packet keep the values found by
 * aw_experiment_find_gains. */
enum aw_status aw_experiment_send_gains(struct aw_experiment *experiment, struct aw_gains gains);

/* Collects samples for this time, s. */
enum aw_status aw_experiment_collect(struct aw_experiment *experiment, double seconds);

/* Collects samples until the next command is due, and at least one. A setpoint computed from the
 * newest sample can then be sent at once. */
enum aw_status aw_experiment_await_sample(struct aw_experiment *experiment);

/* Performs a step, like the command step. The joint rests first; the last samples at rest have
 * negative times. */
enum aw_status aw_experiment_perform_step(struct aw_experiment *experiment, double from, double to,
                                          double settle_s, double seconds);

/* Sets t = 0 to the current time and discards the samples so far. */
void aw_experiment_restart(struct aw_experiment *experiment);

/* Ends the motion, if any, and writes the samples. Returns status, or the error from stopping or
 * saving. */
enum aw_status aw_experiment_end(struct aw_experiment *experiment, enum aw_status status);
void aw_experiment_free(struct aw_experiment *experiment);

/* Draws measured, setpoint and output into the file of --plot, if given. */
enum aw_status aw_experiment_plot(struct aw_experiment *experiment);

/* Checks that the joint has moved since sample first by at least half of this distance, in the
 * unit. AW_REFUSED: it has not. */
enum aw_status aw_experiment_check_moved(const struct aw_experiment *experiment, size_t first,
                                         double distance);

/* Begins the result record with the joint and its controller. */
void aw_experiment_report(struct aw_experiment *experiment, const char *cmd);

/* Adds a metric to the result record. unit: the unit of the step. */
void aw_experiment_report_metric(struct aw_session *session, const char *key, enum aw_metric metric,
                                 double value, const char *unit);

/* Formats a metric with its unit, "1.23 deg·s", or the reason why it was not reached: "below 90 %".
 * unit: the unit of the step. Returns out, or a constant. */
#define AW_EXPERIMENT_CELL 64
const char *aw_experiment_format_metric(char out[AW_EXPERIMENT_CELL], enum aw_metric metric,
                                        double value, const char *unit);

#endif
