/* What identify, design, tune and verify share: experiments with one board that end in a model, and
 * how models and proposals are shown.
 */
#ifndef AW_CMD_CANPID_TUNING_H
#define AW_CMD_CANPID_TUNING_H

#include "control/compare.h"
#include "control/design.h"
#include "control/excite.h"
#include "control/model.h"
#include "control/sweep.h"
#include "run.h"

/* What the published firmware does to the law (facts: law.h). The tick is not known, 0. */
struct aw_driver canpid_driver(void);

/* The tick of a driver with telemetry of this period, s; 0: as published. */
double canpid_tick_of_period(double period_s);

/* Measures the tick of a board that stands, with run's first second: a small constant error is
 * integrated, too little to move it. --tick is taken for it; else, where nothing comes of it, what
 * canpid_tick_of_period says. The driver is enabled afterwards, with the gains from before. */
enum aw_status canpid_tick_measure(struct canpid_run *run, const struct aw_gains *before,
                                   struct aw_tick *tick);

/* "10.01 ± 0.1 ms, measured"; and into the result record. */
#define CANPID_TICK_TEXT 96
const char *canpid_tick_text(const struct aw_tick *tick, char out[CANPID_TICK_TEXT]);
void canpid_report_tick(struct aw_session *session, const struct aw_tick *tick);

/* A model from columns of a table. */
struct canpid_columns {
    int t, input, measured;
    double time_scale, measured_scale; /* to s, to shares of full scale */
    double tick_s;                     /* of the law, 0: not known */
};
enum aw_status canpid_model_from_table(struct aw_session *session, const struct aw_table *table,
                                       const struct canpid_columns *columns,
                                       const struct aw_fit_options *options,
                                       struct aw_model *model);

/* The experiment as --with, --max-deviation, --amplitude and --around have it, with a board that
 * run has begun with; run->table has the samples. The driver still drives afterwards, with the
 * experiment's gains. */
struct canpid_experiment {
    struct aw_excite excite;
    struct aw_excite_config config;
    double kp; /* of the driver, meanwhile */
    struct aw_tick tick;
    bool steps, relay, multisine;
};
enum aw_status canpid_experiment_plan(struct canpid_run *run, struct canpid_experiment *e);
enum aw_status canpid_experiment_perform(struct canpid_run *run, struct canpid_experiment *e,
                                         const struct aw_gains *before);
enum aw_status canpid_experiment_model(struct canpid_run *run, const struct canpid_experiment *e,
                                       struct aw_model *model);

/* Gains as this session knows them, the published ones for those that it does not; whether all are
 * known. */
bool canpid_known_gains(struct canpid_run *run, struct aw_gains *gains);

/* Others are tried from now on: whatever ends the motion puts these back (canpid_end_motion). */
void canpid_try_gains(struct canpid_run *run, struct aw_gains old);

/* Says where a model has not earned its use. */
void canpid_warn_of_model(struct aw_session *session, const struct aw_model *model);

/* Into the result record, and as lines for people. */
void canpid_report_model(struct aw_session *session, const struct aw_model *model);
void canpid_print_model(struct aw_session *session, const struct aw_model *model);
void canpid_report_proposal(struct aw_session *session, const struct aw_model *model,
                            const struct aw_proposal *proposal);
void canpid_print_proposals(struct aw_session *session, const struct aw_proposal *proposals,
                            size_t n);

/* --rule, --form, --ms, --noise, --step, --force. */
enum aw_status canpid_design_options(struct aw_session *session, const struct aw_model *model,
                                     struct aw_design_options *options);

/* Charts of a model in the form that path ends in (NULL: SVG text), which the caller frees; NULL:
 * session->err. Bode has the model as
 * a line and what was measured as points, hollow where their coherence is low. Steps and Nyquist
 * curves are those of the proposals. */
char *canpid_draw_bode(struct aw_session *session, const struct aw_model *model, const char *path,
                       size_t *size);
char *canpid_draw_steps(struct aw_session *session, const struct aw_model *model,
                        const struct aw_proposal *proposals, size_t n, double step,
                        const char *path, size_t *size);
char *canpid_draw_nyquist(struct aw_session *session, const struct aw_model *model,
                          const struct aw_proposal *proposals, size_t n, const char *path,
                          size_t *size);

/* What tune did, for its report. Runs without samples were not made. */
struct canpid_story {
    const struct aw_model *model;
    const struct aw_proposal *proposal;
    struct aw_gains old;
    bool old_known;
    double from, to; /* of the steps, in the unit */
    struct aw_run before, after;
    struct aw_response was, is;
    const char *goal, *outcome;
};
enum aw_status canpid_write_report(struct aw_session *session, const char *path,
                                   const struct canpid_story *story);

#endif
