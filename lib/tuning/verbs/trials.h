/* Shared by identify, design, tune and verify: experiments with one joint that yield a model, and
 * the output of models and proposals.
 */
#ifndef AW_TUNING_VERBS_TRIALS_H
#define AW_TUNING_VERBS_TRIALS_H

#include "tuning/design.h"
#include "tuning/identify/excite.h"
#include "tuning/identify/sweep.h"
#include "tuning/model.h"
#include "tuning/verbs/experiment.h"

/* Returns the control period to assume for a driver, s. period_s 0: the joint's default. */
double aw_experiment_assume_tick(const struct aw_experiment_joint *joint, double period_s);

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

/* Samples that yield a model. */
struct aw_experiment_record {
    const struct aw_sample *samples;
    size_t n;
    double scale;  /* measured value at full scale */
    double tick_s; /* control period; 0: unknown */
    struct aw_driver driver;
    bool is_servo; /* the input is the setpoint, relative to its first value; else the output */
};
/* Fits a model to the record in a thread, so that Ctrl-C works meanwhile (AW_STOPPED). Other errors
 * are those of aw_fit_best. */
enum aw_status aw_experiment_fit(struct aw_session *session,
                                 const struct aw_experiment_record *record,
                                 const struct aw_fit_options *options, struct aw_model *model);

/* The experiment that --with, --max-deviation, --amplitude and --around describe. Perform it after
 * aw_experiment_begin. The driver stays enabled, with the experiment's gains. */
struct aw_excitation {
    struct aw_excite excite;
    struct aw_excite_config config;
    double kp; /* kp of the driver during the experiment */
    struct aw_tick tick;
    bool has_multisine;
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

/* Draw charts of a model into a file, in the format of its extension. Bode: the model as a line,
 * measured points (hollow at low coherence), and the coherence. Step: the predicted step response.
 * Loop: the open loop with its margins, and |S| with its maximum Ms. Step and loop need a stable
 * loop. */
enum aw_status aw_experiment_draw_bode(struct aw_session *session, const struct aw_model *model,
                                       const char *path);
enum aw_status aw_experiment_draw_step(struct aw_session *session, const struct aw_model *model,
                                       const struct aw_proposal *proposal, double step,
                                       const char *path);
enum aw_status aw_experiment_draw_loop(struct aw_session *session, const struct aw_model *model,
                                       const struct aw_proposal *proposal, const char *path);

#endif
