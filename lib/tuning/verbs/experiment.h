/* An experiment with one joint. Its samples are in the joint's unit, in a table with the columns t,
 * setpoint, measured, output. Every sample is supervised (control/motion.h); a violation ends the
 * experiment and all motion commands. The motion always ends with the experiment. */
#ifndef AW_TUNING_VERBS_EXPERIMENT_H
#define AW_TUNING_VERBS_EXPERIMENT_H

#include "base/number.h"
#include "capture/table.h"
#include "control/motion.h"
#include "tuning/gains.h"
#include "tuning/response.h"
#include "tuning/verbs/verbs.h"
#include "view/chart/chart.h"

enum { AW_SAMPLE_T, AW_SAMPLE_SETPOINT, AW_SAMPLE_MEASURED, AW_SAMPLE_OUTPUT, AW_SAMPLE_COLUMNS };

/* Called for each sample: t in s, output relative to full scale, the others in the joint's unit. */
typedef void aw_experiment_sample_fn(struct aw_experiment *experiment, const double *sample);

/* Which data --save writes. */
enum aw_experiment_saves {
    AW_SAVE_SAMPLES,
    AW_SAVE_MODEL /* the model; --samples writes the samples */,
    AW_SAVE_NOTHING
};

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
    struct aw_table table;
    struct {
        uint64_t samples;                   /* number of samples so far */
        bool awaiting;                      /* stop reading at the next sample */
        aw_experiment_sample_fn *on_sample; /* callback, or NULL */
        void *context;
        double last[AW_SAMPLE_COLUMNS];
        bool needs_more; /* more samples are needed */
    } sampling;
    enum aw_experiment_saves saves; /* set before the start, like max_deviation */
    double max_deviation;           /* deviation limit, as a share; 0: from --max-deviation */
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
 * chosen. */
enum aw_status aw_experiment_set_mode(struct aw_session *session, const char *name, bool must,
                                      struct aw_experiment_joint *joint);
enum aw_status aw_experiment_find_joint(struct aw_session *session, const struct aw_args *args,
                                        const char *name, struct aw_experiment_joint *joint);

/* Initialises an experiment with the joint of the options and arguments. Does not start it. */
enum aw_status aw_experiment_init(struct aw_experiment *experiment, struct aw_session *session,
                                  const struct aw_args *args);

/* Opens the link, and waits for the joint's position. First checks that the output files can be
 * written. */
enum aw_status aw_experiment_begin(struct aw_experiment *experiment);

/* Same as aw_experiment_begin, but does not check the output files. */
enum aw_status aw_experiment_begin_unchecked(struct aw_experiment *experiment);

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

/* Parses a value in the joint's unit and converts it to a share of the scale. what begins error
 * messages. */
enum aw_status aw_experiment_parse(const struct aw_experiment *experiment, const char *what,
                                   const char *text, double *value);

/* Returns the tool's term for a joint, such as "board". */
const char *aw_experiment_joint_term(const struct aw_session *session);

/* Checks that a setpoint is within the joint's range. AW_LIMIT: it is not, and --force is not
 * given. */
enum aw_status aw_experiment_check_range(const struct aw_experiment *experiment, const char *what,
                                         double value);

/* Parses a limit of a metric in the metric's own unit: "10%" and "10" are the same overshoot. */
enum aw_status aw_experiment_parse_limit(struct aw_session *session, enum aw_metric metric,
                                         const char *text, double *limit);

/* Writes the name of a metric's limit to out: "max-rise-time" for AW_RISE_TIME. Returns out. */
#define AW_EXPERIMENT_LIMIT 48
const char *aw_experiment_limit_name(enum aw_metric metric, char out[AW_EXPERIMENT_LIMIT]);

/* Computes the metrics of the step in the samples. */
enum aw_status aw_experiment_measure(struct aw_experiment *experiment,
                                     struct aw_response *response);

/* Finds the max deviation of the joint from its start and its targets, as a share. Uses text
 * ("15deg"; NULL: --max-deviation), else the joint's default. */
enum aw_status aw_experiment_max_deviation(const struct aw_experiment *experiment, const char *text,
                                           double *value);

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
enum aw_status aw_experiment_restart(struct aw_experiment *experiment);

/* Ends the motion, if any, and writes --save. Returns status, or the error from stopping or saving.
 */
enum aw_status aw_experiment_end(struct aw_experiment *experiment, enum aw_status status);
void aw_experiment_free(struct aw_experiment *experiment);

/* Returns the rows from first on as arrays in one block, column by column. The caller frees it.
 * NULL: out of memory. */
double *aw_experiment_copy_columns(const struct aw_table *table, size_t first);

/* Draws measured, setpoint and output into the file of --plot, if given. */
enum aw_status aw_experiment_plot(struct aw_experiment *experiment);

/* Checks that the joint has moved since row first by at least half of this distance, in the unit.
 * AW_REFUSED: it has not. */
enum aw_status aw_experiment_check_moved(const struct aw_experiment *experiment, size_t first,
                                         double distance);

/* Writes the title of a picture of this joint. */
#define AW_EXPERIMENT_TITLE 160
void aw_experiment_write_title(struct aw_experiment *experiment, char out[AW_EXPERIMENT_TITLE]);

/* Begins the result record with the joint and its controller. */
void aw_experiment_report(struct aw_experiment *experiment, const char *cmd);

/* Adds a metric to the result record. unit: the unit of the step. */
void aw_experiment_report_metric(struct aw_session *session, const char *key, enum aw_metric metric,
                                 double value, const char *unit);

/* Writes the unit of a metric after a space (" deg·s"), or "". unit: the unit of the joint. */
const char *aw_experiment_metric_unit(char out[40], enum aw_metric metric, const char *unit);

/* Formats a value for a table. Writes the reason ("below 90 %") if it was not reached. Returns out,
 * or a constant. */
#define AW_EXPERIMENT_CELL (AW_NUMBER_MAX + 1)
const char *aw_experiment_metric_cell(char out[AW_EXPERIMENT_CELL], enum aw_metric metric,
                                      double value);

/* Write a chart to a file. AW_REFUSED: err has the reason. aw_experiment_write_drawn frees drawn.
 * drawn NULL: drawing failed, see session->err. */
enum aw_status aw_experiment_write_chart(struct aw_session *session, const struct aw_chart *chart,
                                         const char *path);
enum aw_status aw_experiment_write_drawn(struct aw_session *session, char *drawn, size_t size,
                                         const char *path);

#endif
