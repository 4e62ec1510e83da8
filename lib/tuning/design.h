/* Calculates gains for a process model and a driver, and predicts their performance.
 *
 *     struct aw_design_options options = {.form = AW_FORM_PID, .ms = 1.6, .step = 0.03};
 *     struct aw_proposal proposal;
 *     status = aw_design(&process, &driver, &options, &proposal, &err);
 *     AW_OK: proposal.per_tick may be used; AW_LIMIT: err says why it must not be
 *
 * The gains minimise the integrated absolute error after a load step, with the maximum sensitivity
 * Ms at most options.ms. This is the idea of MIGO (Åström, Panagopoulos, Hägglund, Automatica 34,
 * 1998; Panagopoulos, Åström, Hägglund, IEE Proc. D 149, 2002). The design uses the discrete
 * controller and respects the range of the driver and the bound on activity. For each ratio of the
 * three gains, it finds the greatest ones that meet Ms. It then searches the ratios for the least
 * error.
 */
#ifndef AW_TUNING_DESIGN_H
#define AW_TUNING_DESIGN_H

#include "tuning/predict.h"

enum aw_form { AW_FORM_PID, AW_FORM_PD, AW_FORM_PI, AW_FORM_P, AW_FORMS };

/* Names of the forms: "pid", "pd", "pi", "p", NULL. */
extern const char *const aw_form_names[AW_FORMS + 1];

struct aw_design_options {
    enum aw_form form;
    double ms;             /* max Ms; 0: 1.6 */
    double activity;       /* max aw_driver_activity; 0: the dead band, or 0.01 without one */
    bool limits_overshoot; /* overshoot is a limit */
    /* max overshoot for a step of the linear loop: 0.25 is 25 %, 0 permits none. The driver's
     * integrator has no anti-windup, so gains that overshoot much in the linear loop may oscillate
     * forever in the real one. AW_LIMIT: no gains meet this limit; err gives the lowest possible
     * overshoot */
    double overshoot;
    /* Half-width of the interval of the model's dead time, s (half_widths.dead_time of struct
     * aw_fit); NaN: unknown. Ms is limited and reported for the shortest, the model's and the
     * longest dead time. */
    double dead_time_half_s;
    double step;           /* predicted step, as a share of full scale; 0: 0.02 */
    struct aw_rest rest;   /* state before the predicted step */
    double min_duration_s; /* min duration of the prediction, s */
    bool allow_high_ms;    /* accepts gains with Ms above 2 */
};

struct aw_proposal {
    enum aw_form form;
    struct aw_gains per_tick;
    bool out_of_range;         /* a gain is beyond the driver's range */
    struct aw_margins margins; /* margins of the linear loop */
    double ms;                 /* largest Ms for the three dead times of dead_time_half_s */
    double activity;           /* output at rest, as a share of full scale */
    /* integrated absolute error after a unit load; INFINITY: the loop does not settle */
    double load_iae;
    struct aw_response step; /* prediction of the nonlinear loop, in shares of full scale */
    struct aw_rest rest;     /* state before the predicted step */
    double duration_s;       /* duration of the prediction */
    /* lowest possible overshoot, as a share, if the limit cannot be met; else 0 */
    double min_overshoot;
    char refusal[160]; /* why the gains must not be used; "": they may be used */
};

#define AW_DESIGN_MS     1.6
#define AW_DESIGN_MS_MAX 2.0 /* larger values are refused */

/* Designs gains. AW_LIMIT: the gains must not be used, for the reason in err and refusal: the loop
 * is unstable, a gain is beyond the driver's range, the output at rest is too large, or Ms is above
 * 2. If no gains meet the limits, *proposal has neither gains nor a refusal. AW_USAGE: the model's
 * gain or the control period is out of range. AW_NO_MEMORY: out of memory. err must not be NULL. */
enum aw_status aw_design(const struct aw_process *process, const struct aw_driver *driver,
                         const struct aw_design_options *options, struct aw_proposal *proposal,
                         struct aw_error *err);

/* Assesses the gains in *proposal, such as the previous ones. Errors as of aw_design. */
enum aw_status aw_design_assess(const struct aw_process *process, const struct aw_driver *driver,
                                const struct aw_design_options *options,
                                struct aw_proposal *proposal, struct aw_error *err);

#endif
