/* An experiment with one board: samples of its pid telemetry in the controller's unit, into a table
 * with the columns t, setpoint, measured, output. A guard is fed with each of them: what it does
 * not allow ends the run, and nothing is sent any more that would enable the driver. It is disabled
 * at its end, whatever the end is.
 */
#ifndef AW_CMD_CANPID_RUN_H
#define AW_CMD_CANPID_RUN_H

#include "base/number.h"
#include "capture/table.h"
#include "control/motion.h"
#include "control/response.h"
#include "control/rules.h"
#include "state.h"
#include "view/chart/chart.h"

enum { RUN_T, RUN_SETPOINT, RUN_MEASURED, RUN_OUTPUT, RUN_COLUMNS };

/* Looks after one joint, by all that the bus shows of it (control/motion.h), in the controller's
 * unit. A driver that was seen enabled and is so no longer has been disabled by somebody, or has
 * started again: who goes on would enable it. */
struct canpid_guard {
    struct aw_motion motion;
    unsigned board;
    int controller;
    double commanded; /* normalised; NaN: nothing yet */
    double target;    /* in the unit; NaN: none, or the same */
    bool enabled;     /* since then the telemetry has shown it */
};

/* max_deviation is normalised, as canpid_max_deviation has it. */
void canpid_guard_start(struct canpid_guard *guard, unsigned board, int controller,
                        double max_deviation, double now_s);

/* A record (or NULL) that came, of whatever board, when the client has taken it in. Whether all is
 * fine. */
bool canpid_guard_see(struct canpid_guard *guard, struct aw_canpid *client,
                      const struct aw_record *record, double now_s);

struct canpid_run;

/* Called for each sample: t in s, the others in the controller's unit, output normalised. */
typedef void canpid_sample_fn(struct canpid_run *run, const double *sample);

/* What --save and --csv name files for. */
enum canpid_saves {
    RUN_SAVES_SAMPLES,
    RUN_SAVES_MODEL /* --samples: samples */,
    RUN_SAVES_NOTHING
};

struct canpid_run {
    struct aw_session *session;
    unsigned board;
    int controller;
    double commanded; /* setpoint, normalised */
    double scale;     /* normalised 1 in the controller's unit */
    const char *unit;
    int64_t start_ns; /* t = 0 */
    int64_t began_ns; /* of all of it, for the line of progress */
    double total_s;   /* 0: not known */
    struct aw_table table;
    uint64_t samples;            /* so far */
    bool awaiting;               /* the next sample is enough */
    canpid_sample_fn *on_sample; /* or NULL */
    void *context;
    double last[RUN_COLUMNS];
    enum canpid_saves saves; /* set before the beginning, as the next one */
    double max_deviation;    /* normalised; 0: as --max-deviation has it */
    struct canpid_guard guard;
};

/* Takes -b and -c, opens the link, waits for telemetry. */
enum aw_status canpid_run_begin(struct canpid_run *run, struct aw_session *session);

/* The same with a board and a controller that stand somewhere else; run->session is set. */
enum aw_status canpid_run_begin_with(struct canpid_run *run, unsigned board, int controller);

/* A limit of a metric as text, in the metric's own unit: "10%" and "10" are the same overshoot. */
enum aw_status canpid_parse_limit(struct aw_session *session, enum aw_metric metric,
                                  const char *text, double *limit);

/* What it is called: "max-rise-time" for AW_RISE_TIME. */
#define CANPID_LIMIT 48
const char *canpid_limit_name(enum aw_metric metric, char out[CANPID_LIMIT]);

/* The metrics of a step from the samples alone, as compare does with the file that they are saved
 * in.
 */
enum aw_status canpid_run_measure(struct canpid_run *run, struct aw_response *response);

/* How far from where it stands and from its targets a joint may go: max-deviation as text has it
 * ("15deg"; NULL: --max-deviation), else 15 deg or 2 Nm. Normalised. */
enum aw_status canpid_max_deviation(struct aw_session *session, int controller, const char *text,
                                    double *normalised);

/* The name of the error that the driver reports, NULL: none. */
const char *canpid_fault(const struct aw_canpid *client, unsigned board);

/* Looks after the joint anew, from where it stands now. What the guard has ended stays so. */
void canpid_run_watch(struct canpid_run *run);

/* From here on the driver counts as moving, and is disabled at the end. A setpoint that the joint
 * is to reach; and one that is only to make an output, far as it may be. */
enum aw_status canpid_run_drive(struct canpid_run *run, double normalised);
enum aw_status canpid_run_push(struct canpid_run *run, double normalised);

/* Gains as they are sent, one after the other: what makes a driver lively comes last. */
void canpid_list_gains(unsigned board, int controller, struct aw_gains gains,
                       struct aw_canpid_gain_at out[AW_CANPID_GAINS]);
/* Makes the controller of the run the active one, without enabling it. */
enum aw_status canpid_run_switch(struct canpid_run *run);

enum aw_status canpid_run_gains(struct canpid_run *run, struct aw_gains gains);

/* Collects samples for so long. */
enum aw_status canpid_run_collect(struct canpid_run *run, double seconds);

/* Collects samples until the board may be sent to, and at least one: a setpoint that is made from
 * the newest sample then goes out at once. */
enum aw_status canpid_run_await_turn(struct canpid_run *run);

/* A step as canpid step makes it: from rest at from, of which the last samples are before t = 0. */
enum aw_status canpid_step_perform(struct canpid_run *run, double from, double to, double settle_s,
                                   double seconds);

/* Puts t = 0 here and forgets the samples so far. */
enum aw_status canpid_run_restart(struct canpid_run *run);

/* Disables the driver, if it was enabled, and writes --save; returns status, or what went wrong
 * now. */
enum aw_status canpid_run_end(struct canpid_run *run, enum aw_status status);
void canpid_run_free(struct canpid_run *run);

/* The rows from first on as arrays in one block, column by column; the caller frees it. NULL: no
 * memory. */
double *canpid_run_columns(const struct aw_table *table, size_t first);

/* Draws measured and setpoint, and output below, into the file of --plot, if that is given. */
enum aw_status canpid_run_plot(struct canpid_run *run);

/* Joint, controller and the gains that were sent, by whatever process, as far as they are known:
 * "lknee pos kp 3". */
void canpid_about(struct aw_session *session, unsigned board, int controller, char *out,
                  size_t size);

/* Board and controller into the result record. */
void canpid_run_report(struct canpid_run *run, const char *cmd);

/* Adds the value of a metric with its unit, which may be that of the step (NULL: not known). */
void canpid_report_metric(struct aw_session *session, const char *key, enum aw_metric metric,
                          double value, const char *unit);

/* The value for a table; where the run has none, why ("never 90 %"), or "-" for a change, which has
 * its sign. Returns out, or a constant. */
#define CANPID_CELL (AW_NUMBER_MAX + 1)
const char *canpid_metric_cell(char out[CANPID_CELL], enum aw_metric metric, double value,
                               bool change);

/* Draws into a file; AW_REFUSED with the reason if it cannot be written. The other one takes what
 * is drawn, and frees it; NULL: session->err says why there is none. */
enum aw_status canpid_write_chart(struct aw_session *session, const struct aw_chart *chart,
                                  const char *path);
enum aw_status canpid_write_drawn(struct aw_session *session, char *drawn, size_t size,
                                  const char *path);

#endif
