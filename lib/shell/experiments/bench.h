/* An experiment with one joint: samples in its unit, in a table with the columns t, setpoint,
 * measured, output. A guard is fed with each of them: what it does not allow ends the experiment,
 * and nothing is sent any more that would move the joint. Its motion is ended at the end, whatever
 * the end is.
 */
#ifndef AW_SHELL_EXPERIMENTS_BENCH_H
#define AW_SHELL_EXPERIMENTS_BENCH_H

#include "base/number.h"
#include "capture/table.h"
#include "control/motion.h"
#include "control/response.h"
#include "control/rules.h"
#include "shell/experiments/experiments.h"
#include "view/chart/chart.h"

enum { AW_BENCH_T, AW_BENCH_SETPOINT, AW_BENCH_MEASURED, AW_BENCH_OUTPUT, AW_BENCH_COLUMNS };

/* Called for each sample: t in s, the others in the joint's unit, output a share. */
typedef void aw_bench_sample_fn(struct aw_bench *bench, const double *sample);

/* What --save and --csv name files for. */
enum aw_bench_saves {
    AW_BENCH_SAVES_SAMPLES,
    AW_BENCH_SAVES_MODEL /* --samples: samples */,
    AW_BENCH_SAVES_NOTHING
};

struct aw_bench {
    struct aw_session *session;
    const struct aw_bench_hooks *hooks;
    struct aw_bench_joint joint;
    double commanded; /* setpoint, a share; NaN: none yet */
    double target;    /* in the unit, for the guard; NaN: none, or the same */
    int64_t start_ns; /* t = 0 */
    int64_t began_ns; /* of all of it, for the line of progress */
    double total_s;   /* 0: not known */
    struct aw_table table;
    uint64_t samples;              /* so far */
    bool awaiting;                 /* the next sample is enough */
    aw_bench_sample_fn *on_sample; /* or NULL */
    void *context;
    double last[AW_BENCH_COLUMNS];
    enum aw_bench_saves saves; /* set before the beginning, as the next one */
    double max_deviation;      /* a share; 0: as --max-deviation has it */
    struct aw_motion guard;
    bool by_output; /* its config.moves is of the control output, not of what pulls the joint */
    struct aw_gain_list law; /* of the joint and what goes with them, by aw_bench_know_gains */
    struct aw_gains old;     /* those of the joint */
    bool known;              /* for certain */
    /* of joints that a struct aw_joints has: as the tool lists them, and which it is */
    struct aw_joint_list list;
    size_t at;
    int64_t seen_ns;    /* when the newest sample was measured */
    double sent;        /* the setpoint before; NaN: none */
    bool more, answers; /* samples are wanted; the newest one is answered */
};

/* Fills the mode, known before the joint is chosen, and the joint, by the tool's hooks. */
enum aw_status aw_bench_mode(struct aw_session *session, const char *name, bool must,
                             struct aw_bench_joint *joint);
enum aw_status aw_bench_find(struct aw_session *session, const struct aw_args *args,
                             const char *name, struct aw_bench_joint *joint);

/* open of the hooks, for joints of the tool's struct aw_joints: where they are. */
enum aw_status aw_bench_look(struct aw_bench *bench);

/* An experiment that has not begun, with the joint of options and arguments. */
enum aw_status aw_bench_init(struct aw_bench *bench, struct aw_session *session,
                             const struct aw_args *args);

/* Opens the link, waits until it is known how the joint stands; the files that the options name can
 * be written. */
enum aw_status aw_bench_begin(struct aw_bench *bench);

/* The same without a look at files. */
enum aw_status aw_bench_begin_with(struct aw_bench *bench);

/* For idle of the hooks. What the wire tells, in shares; fault: what the device says is wrong, or
 * NULL; setpoint NaN: the one that was commanded; pull: what moves the joint, for the guard, where
 * has_pull says that it is not the output. False: enough of them. */
struct aw_bench_sample {
    double setpoint, measured, output, pull;
    bool has_pull;
    const char *fault;
};
bool aw_bench_sample(struct aw_bench *bench, const struct aw_bench_sample *sample);

/* A value in the joint's unit as a share. */
enum aw_status aw_bench_parse(const struct aw_bench *bench, const char *what, const char *text,
                              double *value);

/* What the tool calls its joints. */
const char *aw_bench_place(const struct aw_session *session);

/* Is this a setpoint that it takes? AW_LIMIT, unless --force. */
enum aw_status aw_bench_check(const struct aw_bench *bench, const char *what, double value);

/* A limit of a metric as text, in the metric's own unit: "10%" and "10" are the same overshoot. */
enum aw_status aw_bench_parse_limit(struct aw_session *session, enum aw_metric metric,
                                    const char *text, double *limit);

/* The name of a limit: "max-rise-time" for AW_RISE_TIME. */
#define AW_BENCH_LIMIT 48
const char *aw_bench_limit_name(enum aw_metric metric, char out[AW_BENCH_LIMIT]);

/* The metrics of a step from the samples alone, as compare does with the file that they are saved
 * in. */
enum aw_status aw_bench_measure(struct aw_bench *bench, struct aw_response *response);

/* How far from where it stands and from its targets a joint may go: max-deviation as text has it
 * ("15deg"; NULL: --max-deviation), else what is usual for it. */
enum aw_status aw_bench_max_deviation(const struct aw_bench *bench, const char *text,
                                      double *value);

/* Restarts the limits from the present position. A motion that they have ended stays ended. */
void aw_bench_watch(struct aw_bench *bench);

/* Waits until the joint may be sent to. Whatever is sent waits here for its turn, and not in the
 * client, which looks after nothing. */
enum aw_status aw_bench_await_pace(struct aw_bench *bench);

/* From here on the joint counts as moving, and is stopped at the end. A setpoint that it is to
 * reach; and one that is only to make an output, far as it may be. */
enum aw_status aw_bench_drive(struct aw_bench *bench, double setpoint);
enum aw_status aw_bench_push(struct aw_bench *bench, double setpoint);

/* Finds the present gains of the joint (bench->old): reported, sent before, or in the file at path
 * (or NULL). If they are unknown, bench->known is false and the gains after power-up stand for
 * them; a notice says so with this advice (NULL: no notice). Trial gains are for bench->law, see
 * aw_law_keep. */
enum aw_status aw_bench_know_gains(struct aw_bench *bench, const char *path, const char *advice);

/* Sends others; what goes with them stays as it was known then. */
enum aw_status aw_bench_gains(struct aw_bench *bench, struct aw_gains gains);

/* Collects samples for so long. */
enum aw_status aw_bench_collect(struct aw_bench *bench, double seconds);

/* Collects samples until the joint may be sent to, and at least one: a setpoint that is made from
 * the newest sample then goes out at once. */
enum aw_status aw_bench_await_turn(struct aw_bench *bench);

/* A step as the command makes it: from rest at from, of which the last samples are before t = 0. */
enum aw_status aw_bench_step_perform(struct aw_bench *bench, double from, double to,
                                     double settle_s, double seconds);

/* Puts t = 0 here and forgets the samples so far. */
enum aw_status aw_bench_restart(struct aw_bench *bench);

/* Ends the motion, if there is one, and writes --save; returns status, or what went wrong now. */
enum aw_status aw_bench_end(struct aw_bench *bench, enum aw_status status);
void aw_bench_free(struct aw_bench *bench);

/* The rows from first on as arrays in one block, column by column; the caller frees it. NULL: no
 * memory. */
double *aw_bench_columns(const struct aw_table *table, size_t first);

/* Draws measured and setpoint, and output below, into the file of --plot, if that is given. */
enum aw_status aw_bench_plot(struct aw_bench *bench);

/* The title of a picture of this joint. */
#define AW_BENCH_TITLE 160
void aw_bench_title(struct aw_bench *bench, char out[AW_BENCH_TITLE]);

/* Begins the result record: joint, and what controls it. */
void aw_bench_report(struct aw_bench *bench, const char *cmd);

/* Adds the value of a metric with its unit, which may be that of the step (NULL: not known). */
void aw_bench_report_metric(struct aw_session *session, const char *key, enum aw_metric metric,
                            double value, const char *unit);

/* Writes " deg·s": the unit of a metric of a joint with this unit, after a space; or "". */
const char *aw_bench_metric_unit(char out[40], enum aw_metric metric, const char *unit);

/* The value for a table; where the run has none, why ("never 90 %"), or "-" for a change, which has
 * its sign. Returns out, or a constant. */
#define AW_BENCH_CELL (AW_NUMBER_MAX + 1)
const char *aw_bench_metric_cell(char out[AW_BENCH_CELL], enum aw_metric metric, double value,
                                 bool change);

/* Draws into a file; AW_REFUSED with the reason if it cannot be written. The other one takes the
 * chart and frees it; NULL: it was not made, see session->err. */
enum aw_status aw_bench_write_chart(struct aw_session *session, const struct aw_chart *chart,
                                    const char *path);
enum aw_status aw_bench_write_drawn(struct aw_session *session, char *drawn, size_t size,
                                    const char *path);

#endif
