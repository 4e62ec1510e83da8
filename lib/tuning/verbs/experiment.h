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

enum { AW_BENCH_T, AW_BENCH_SETPOINT, AW_BENCH_MEASURED, AW_BENCH_OUTPUT, AW_BENCH_COLUMNS };

/* Called for each sample: t in s, output relative to full scale, the others in the joint's unit. */
typedef void aw_bench_sample_fn(struct aw_bench *bench, const double *sample);

/* Which data --save writes. */
enum aw_bench_saves {
    AW_BENCH_SAVES_SAMPLES,
    AW_BENCH_SAVES_MODEL /* the model; --samples writes the samples */,
    AW_BENCH_SAVES_NOTHING
};

struct aw_bench {
    struct aw_session *session;
    const struct aw_bench_hooks *hooks;
    struct aw_bench_joint joint;
    double commanded; /* last commanded setpoint, as a share of the scale; NaN: none yet */
    double target;    /* target for the supervision, in the joint's unit; NaN: none */
    int64_t start_ns; /* session time of t = 0, ns */
    int64_t began_ns; /* start of the whole command, ns, for the progress line */
    double total_s;   /* expected duration, s; 0: unknown */
    struct aw_table table;
    uint64_t samples;              /* number of samples so far */
    bool awaiting;                 /* stop reading at the next sample */
    aw_bench_sample_fn *on_sample; /* callback, or NULL */
    void *context;
    double last[AW_BENCH_COLUMNS];
    enum aw_bench_saves saves; /* set before the start, like max_deviation */
    double max_deviation;      /* deviation limit, as a share; 0: from --max-deviation */
    struct aw_motion guard;
    bool by_output; /* the supervision compares the control output with its moving_output */
    /* distance to the setpoint within which an output may hold a load, in the unit; 0: none */
    double holds;
    struct aw_gain_list law; /* gains of the joint and of its packet, from aw_bench_know_gains */
    struct aw_gains old;     /* previous gains of the joint */
    bool known;              /* the previous gains are certain */
    /* for joints of a struct aw_joints: the tool's list, and the index of the joint */
    struct aw_joint_list list;
    size_t at;
    int64_t seen_ns; /* time of the newest sample, ns */
    double sent;     /* previously sent setpoint; NaN: none */
    bool more;       /* more samples are needed */
};

/* Set the mode and the joint by the tool's hooks. The mode must be known before the joint is
 * chosen. */
enum aw_status aw_bench_mode(struct aw_session *session, const char *name, bool must,
                             struct aw_bench_joint *joint);
enum aw_status aw_bench_find(struct aw_session *session, const struct aw_args *args,
                             const char *name, struct aw_bench_joint *joint);

/* Initialises an experiment with the joint of the options and arguments. Does not start it. */
enum aw_status aw_bench_init(struct aw_bench *bench, struct aw_session *session,
                             const struct aw_args *args);

/* Opens the link, and waits for the joint's position. First checks that the output files can be
 * written. */
enum aw_status aw_bench_begin(struct aw_bench *bench);

/* Same as aw_bench_begin, but does not check the output files. */
enum aw_status aw_bench_begin_with(struct aw_bench *bench);

/* Handles a sample from the device, in shares; called by the hook idle. Returns false if there are
 * enough samples. fault: reported by the device, or NULL. setpoint NaN: the commanded one. drive:
 * the quantity that drives the joint, for the supervision; without has_drive, that is the
 * output. */
struct aw_bench_sample {
    double setpoint, measured, output, pull;
    bool has_pull;
    const char *fault;
};
bool aw_bench_sample(struct aw_bench *bench, const struct aw_bench_sample *sample);

/* Parses a value in the joint's unit and converts it to a share of the scale. what begins error
 * messages. */
enum aw_status aw_bench_parse(const struct aw_bench *bench, const char *what, const char *text,
                              double *value);

/* Returns the tool's term for a joint, such as "board". */
const char *aw_bench_place(const struct aw_session *session);

/* Checks that a setpoint is within the joint's range. AW_LIMIT: it is not, and --force is not
 * given. */
enum aw_status aw_bench_check(const struct aw_bench *bench, const char *what, double value);

/* Parses a limit of a metric in the metric's own unit: "10%" and "10" are the same overshoot. */
enum aw_status aw_bench_parse_limit(struct aw_session *session, enum aw_metric metric,
                                    const char *text, double *limit);

/* Writes the name of a metric's limit to out: "max-rise-time" for AW_RISE_TIME. Returns out. */
#define AW_BENCH_LIMIT 48
const char *aw_bench_limit_name(enum aw_metric metric, char out[AW_BENCH_LIMIT]);

/* Computes the metrics of the step in the samples. */
enum aw_status aw_bench_measure(struct aw_bench *bench, struct aw_response *response);

/* Finds the max deviation of the joint from its start and its targets, as a share. Uses text
 * ("15deg"; NULL: --max-deviation), else the joint's default. */
enum aw_status aw_bench_max_deviation(const struct aw_bench *bench, const char *text,
                                      double *value);

/* Restarts the supervision at the current position. Does nothing if it has ended a motion. */
void aw_bench_watch(struct aw_bench *bench);

/* Waits until the next command is due. The joint is supervised during this wait, unlike during
 * waits of the client. */
enum aw_status aw_bench_await_pace(struct aw_bench *bench);

/* Send a setpoint. From then on, the joint counts as moving and is stopped at the end. drive: the
 * joint must reach the setpoint. push: the setpoint only produces an output, so it may be far
 * away. */
enum aw_status aw_bench_drive(struct aw_bench *bench, double setpoint);
enum aw_status aw_bench_push(struct aw_bench *bench, double setpoint);

/* Finds the current gains of the joint (bench->old): reported, sent before, or in the file at path
 * (may be NULL). If they are unknown, bench->known is false and bench->old has the gains after
 * power-up. Then prints a notice with this advice (NULL: none). Pass bench->law to aw_law_save
 * before a trial. */
enum aw_status aw_bench_know_gains(struct aw_bench *bench, const char *path, const char *advice);

/* Sends new gains of the joint. Other gains in its packet keep the values found by
 * aw_bench_know_gains. */
enum aw_status aw_bench_gains(struct aw_bench *bench, struct aw_gains gains);

/* Collects samples for this time, s. */
enum aw_status aw_bench_collect(struct aw_bench *bench, double seconds);

/* Collects samples until the next command is due, and at least one. A setpoint computed from the
 * newest sample can then be sent at once. */
enum aw_status aw_bench_await_turn(struct aw_bench *bench);

/* Performs a step, like the command step. The joint rests first; the last samples at rest have
 * negative times. */
enum aw_status aw_bench_step_perform(struct aw_bench *bench, double from, double to,
                                     double settle_s, double seconds);

/* Sets t = 0 to the current time and discards the samples so far. */
enum aw_status aw_bench_restart(struct aw_bench *bench);

/* Ends the motion, if any, and writes --save. Returns status, or the error from stopping or saving.
 */
enum aw_status aw_bench_end(struct aw_bench *bench, enum aw_status status);
void aw_bench_free(struct aw_bench *bench);

/* Returns the rows from first on as arrays in one block, column by column. The caller frees it.
 * NULL: out of memory. */
double *aw_bench_columns(const struct aw_table *table, size_t first);

/* Draws measured, setpoint and output into the file of --plot, if given. */
enum aw_status aw_bench_plot(struct aw_bench *bench);

/* Checks that the joint has moved since row first by at least half of this distance, in the unit.
 * AW_REFUSED: it has not. */
enum aw_status aw_bench_check_moved(const struct aw_bench *bench, size_t first, double distance);

/* Writes the title of a picture of this joint. */
#define AW_BENCH_TITLE 160
void aw_bench_title(struct aw_bench *bench, char out[AW_BENCH_TITLE]);

/* Begins the result record with the joint and its controller. */
void aw_bench_report(struct aw_bench *bench, const char *cmd);

/* Adds a metric to the result record. unit: the unit of the step. */
void aw_bench_report_metric(struct aw_session *session, const char *key, enum aw_metric metric,
                            double value, const char *unit);

/* Writes the unit of a metric after a space (" deg·s"), or "". unit: the unit of the joint. */
const char *aw_bench_metric_unit(char out[40], enum aw_metric metric, const char *unit);

/* Formats a value for a table. Writes the reason ("below 90 %") if it was not reached. Returns out,
 * or a constant. */
#define AW_BENCH_CELL (AW_NUMBER_MAX + 1)
const char *aw_bench_metric_cell(char out[AW_BENCH_CELL], enum aw_metric metric, double value);

/* Write a chart to a file. AW_REFUSED: err has the reason. aw_bench_write_drawn frees drawn. drawn
 * NULL: drawing failed, see session->err. */
enum aw_status aw_bench_write_chart(struct aw_session *session, const struct aw_chart *chart,
                                    const char *path);
enum aw_status aw_bench_write_drawn(struct aw_session *session, char *drawn, size_t size,
                                    const char *path);

#endif
