/* What identify, design, tune and verify share: experiments with one joint that end in a model, and
 * how models and proposals are shown.
 */
#ifndef AW_SHELL_EXPERIMENTS_TUNING_H
#define AW_SHELL_EXPERIMENTS_TUNING_H

#include "bench.h"
#include "control/compare.h"
#include "control/design.h"
#include "control/excite.h"
#include "control/model.h"
#include "control/sweep.h"

/* The tick of a driver with samples of this period, s; 0: the usual one. */
double aw_bench_tick_of_period(const struct aw_bench_joint *joint, double period_s);

/* The words that name a joint in a command, " -b lknee -c pos", and the command that sets gains. */
void aw_bench_words(const struct aw_bench_hooks *hooks, const struct aw_bench_joint *joint,
                    char *out, size_t size);
void aw_bench_set_words(const struct aw_bench_hooks *hooks, const struct aw_bench_joint *joint,
                        struct aw_gains gains, char *out, size_t size);

/* Sends gains of 0 and a setpoint: a joint that goes there all the same does not follow them, and
 * that is AW_REFUSED, with its gains to be put back; else it has them again. */
enum aw_status aw_bench_check_gains_act(struct aw_bench *bench);

/* A setpoint where the joint stands, and once the law has seen that, the old gains. */
enum aw_status aw_bench_calm_gains(struct aw_bench *bench);

/* Measures the tick of a board that stands, with run's first second: a small constant error is
 * integrated, too little to move it. --tick is taken for it; else, where nothing comes of it, what
 * aw_bench_tick_of_period says. The driver is enabled afterwards, with the previous gains. */
enum aw_status aw_bench_tick_measure(struct aw_bench *bench, struct aw_tick *tick);

/* "10.01 ± 0.1 ms, measured"; and into the result record. */
#define AW_BENCH_TICK_TEXT 96
const char *aw_bench_tick_text(const struct aw_session *session, const struct aw_tick *tick,
                               char out[AW_BENCH_TICK_TEXT]);
void aw_bench_report_tick(struct aw_session *session, const struct aw_tick *tick);

/* A model from columns of a table. */
struct aw_bench_columns {
    int t, input, measured;
    double time_scale, measured_scale; /* to s, to shares of full scale */
    double tick_s;                     /* of the law, 0: not known */
    struct aw_driver driver;
    bool relative; /* the input counts from where it begins: a servo's setpoint */
};
enum aw_status aw_bench_model_from_table(struct aw_session *session, const struct aw_table *table,
                                         const struct aw_bench_columns *columns,
                                         const struct aw_fit_options *options,
                                         struct aw_model *model);

/* The experiment as --with, --max-deviation, --amplitude and --around have it, with a board that
 * run has begun with; bench->table has the samples. The driver still drives afterwards, with the
 * experiment's gains. */
struct aw_excitation {
    struct aw_excite excite;
    struct aw_excite_config config;
    double kp; /* of the driver, meanwhile */
    struct aw_tick tick;
    bool steps, relay, multisine;
};
/* By other gains, and so from the output of the law; else by setpoints, as a servo is. */
bool aw_bench_sends_gains(const struct aw_session *session);
enum aw_status aw_excitation_plan(struct aw_bench *bench, struct aw_excitation *e);
enum aw_status aw_excitation_perform(struct aw_bench *bench, struct aw_excitation *e);
enum aw_status aw_excitation_model(struct aw_bench *bench, const struct aw_excitation *e,
                                   struct aw_model *model);

/* Says where a model has not earned its use. */
void aw_bench_warn_of_model(struct aw_session *session, const struct aw_model *model);

/* Into the result record, and as lines for people. */
void aw_bench_print_model(struct aw_session *session, const struct aw_model *model);
void aw_bench_report_proposal(struct aw_session *session, const struct aw_model *model,
                              const struct aw_proposal *proposal);
void aw_bench_print_proposals(struct aw_session *session, const struct aw_proposal *proposals,
                              size_t n);

/* --rule, --form, --ms, --noise, --step, --force. */
enum aw_status aw_bench_design_options(struct aw_session *session, const struct aw_model *model,
                                       struct aw_design_options *options);

/* Charts of a model in the form that path ends in (NULL: SVG text), which the caller frees; NULL:
 * session->err. Bode has the model as
 * a line and what was measured as points, hollow where their coherence is low, and the coherence.
 * The others are of the proposals: steps; the open loop over frequency with its margins, and |S|
 * with Ms, its greatest value. Margins are marked where there is one proposal. */
char *aw_bench_draw_bode(struct aw_session *session, const struct aw_model *model, const char *path,
                         size_t *size);
char *aw_bench_draw_steps(struct aw_session *session, const struct aw_model *model,
                          const struct aw_proposal *proposals, size_t n, double step,
                          const char *path, size_t *size);
char *aw_bench_draw_loop(struct aw_session *session, const struct aw_model *model,
                         const struct aw_proposal *proposals, size_t n, const char *path,
                         size_t *size);

/* What tune did, for its report. Runs without samples were not made. */
struct aw_bench_story {
    const struct aw_bench_joint *joint;
    const struct aw_model *model;
    const struct aw_proposal *proposal;
    struct aw_gains old;
    bool old_known;
    double from, to;        /* of the steps, in the unit */
    double overshoot, step; /* what the gains are designed for: a share, and in the unit */
    struct aw_run before, after;
    struct aw_response was, is;
    const char *goal, *outcome;
};
enum aw_status aw_bench_write_report(struct aw_session *session, const char *path,
                                     const struct aw_bench_story *story);

#endif
