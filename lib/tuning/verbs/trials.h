/* Shared by identify, design, tune and verify: experiments with one joint that yield a model, and
 * the output of models and proposals.
 */
#ifndef AW_TUNING_VERBS_TRIALS_H
#define AW_TUNING_VERBS_TRIALS_H

#include "tuning/design.h"
#include "tuning/identify/excite.h"
#include "tuning/identify/sweep.h"
#include "tuning/model.h"
#include "tuning/run.h"
#include "tuning/verbs/experiment.h"

/* Returns the control period to assume for a driver, s. period_s 0: the joint's default. */
double aw_experiment_assume_tick(const struct aw_experiment_joint *joint, double period_s);

/* Write the arguments that select a joint, " -b lknee -c pos", and the command that sets gains. */
void aw_experiment_write_arguments(const struct aw_experiment_hooks *hooks,
                                   const struct aw_experiment_joint *joint, char *out, size_t size);
void aw_experiment_write_set_command(const struct aw_experiment_hooks *hooks,
                                     const struct aw_experiment_joint *joint, struct aw_gains gains,
                                     char *out, size_t size);

/* Sends gains of 0 and a setpoint, to check that gains take effect. A joint that moves fails with
 * AW_REFUSED; else its gains are restored. */
enum aw_status aw_experiment_check_gains_act(struct aw_experiment *experiment);

/* Sends the current position as the setpoint. Then sends the old gains, once the controller has
 * received the setpoint. */
enum aw_status aw_experiment_restore_gains(struct aw_experiment *experiment);

/* Measures the control period of a board at rest, within 1 s. The controller integrates a constant
 * error, too small to move the joint. Uses --tick if given. If the measurement fails, uses
 * aw_experiment_assume_tick. Leaves the driver enabled, with the previous gains. */
enum aw_status aw_experiment_measure_tick(struct aw_experiment *experiment, struct aw_tick *tick);

/* Describe a control period ("10.01 ± 0.1 ms, measured"), and add it to the result record. */
#define AW_EXPERIMENT_TICK_TEXT 96
const char *aw_experiment_tick_text(const struct aw_session *session, const struct aw_tick *tick,
                                    char out[AW_EXPERIMENT_TICK_TEXT]);
void aw_experiment_report_tick(struct aw_session *session, const struct aw_tick *tick);

/* Columns of a table that yield a model. */
struct aw_experiment_columns {
    int t, input, measured;
    double time_scale, measured_scale; /* factors that convert to s and to full scale = 1 */
    double tick_s;                     /* control period; 0: unknown */
    struct aw_driver driver;
    bool relative; /* the input is relative to its first value: a servo's setpoint */
};
enum aw_status aw_experiment_model_from_table(struct aw_session *session,
                                              const struct aw_table *table,
                                              const struct aw_experiment_columns *columns,
                                              const struct aw_fit_options *options,
                                              struct aw_model *model);

/* The experiment that --with, --max-deviation, --amplitude and --around describe. Perform it after
 * aw_experiment_begin. experiment->table then has the samples. The driver stays enabled, with the
 * experiment's gains. */
struct aw_excitation {
    struct aw_excite excite;
    struct aw_excite_config config;
    double kp; /* kp of the driver during the experiment */
    struct aw_tick tick;
    bool steps, relay, multisine;
};
/* Returns true if the experiment sends its own gains and identifies the process from the
 * controller's output. Otherwise it sends setpoints, as to a servo. */
bool aw_experiment_sends_gains(const struct aw_session *session);
enum aw_status aw_excitation_plan(struct aw_experiment *experiment, struct aw_excitation *e);
enum aw_status aw_excitation_perform(struct aw_experiment *experiment, struct aw_excitation *e);
enum aw_status aw_excitation_model(struct aw_experiment *experiment, const struct aw_excitation *e,
                                   struct aw_model *model);

/* Warns if a model is not reliable. */
void aw_experiment_warn_of_model(struct aw_session *session, const struct aw_model *model);

/* Print a model or a proposal for people, or add a proposal to the result record. */
void aw_experiment_print_model(struct aw_session *session, const struct aw_model *model);
void aw_experiment_report_proposal(struct aw_session *session, const struct aw_model *model,
                                   const struct aw_proposal *proposal);
void aw_experiment_print_proposal(struct aw_session *session, const struct aw_proposal *proposal);

/* Reads --form, --ms, --noise, --step and --force. */
enum aw_status aw_experiment_read_design(struct aw_session *session, const struct aw_model *model,
                                         struct aw_design_options *options);

/* Draw charts of a model in the format of path's extension (NULL: SVG text). The caller frees the
 * result; NULL: see session->err. Bode: the model as a line, measured points (hollow at low
 * coherence), and the coherence. Step: the predicted step response. Loop: the open loop with its
 * margins, and |S| with its maximum Ms. Step and loop need a stable loop. */
char *aw_experiment_draw_bode(struct aw_session *session, const struct aw_model *model,
                              const char *path, size_t *size);
char *aw_experiment_draw_step(struct aw_session *session, const struct aw_model *model,
                              const struct aw_proposal *proposal, double step, const char *path,
                              size_t *size);
char *aw_experiment_draw_loop(struct aw_session *session, const struct aw_model *model,
                              const struct aw_proposal *proposal, const char *path, size_t *size);

/* Data for the report of tune. A run without samples has not taken place. */
struct aw_experiment_report_data {
    const struct aw_experiment_joint *joint;
    const struct aw_model *model;
    const struct aw_proposal *proposal;
    struct aw_gains old;
    bool old_known;
    double from, to;        /* positions of the steps, in the unit */
    double overshoot, step; /* design goals: overshoot as a share, step size in the unit */
    struct aw_run before, after;
    struct aw_response old_response, new_response;
    const char *goal, *outcome;
};
enum aw_status aw_experiment_write_report(struct aw_session *session, const char *path,
                                          const struct aw_experiment_report_data *story);

#endif
