/* Calculates gains for a process model and a driver, and predicts their performance.
 *
 *     struct aw_design_options options = {.form = AW_FORM_PID, .ms = 1.6, .step = 0.03};
 *     struct aw_proposal proposal;
 *     status = aw_design(&process, &driver, &options, &proposal, &err);
 *     AW_OK: proposal.per_tick may be used; AW_LIMIT: err says why it must not be
 *
 * The gains minimize the integrated absolute error after a load step, with Ms at most --ms. This is
 * the idea of MIGO (Åström, Panagopoulos, Hägglund, Automatica 34, 1998; Panagopoulos, Åström,
 * Hägglund, IEE Proc. D 149, 2002). The design uses the discrete controller and respects the range
 * of the driver and the bound on activity. For each ratio of the three gains, it finds the greatest
 * ones that meet Ms. It then searches the ratios for the least error.
 */
#ifndef AW_TUNING_DESIGN_H
#define AW_TUNING_DESIGN_H

#include "tuning/predict.h"

enum aw_form { AW_FORM_PID, AW_FORM_PD, AW_FORM_PI, AW_FORM_P, AW_FORMS };

/* Names of the forms: "pid", "pd", "pi", "p", NULL. */
extern const char *const aw_form_names[AW_FORMS + 1];

struct aw_design_options {
    enum aw_form form;
    double ms;           /* bound of Ms; 0: 1.6 */
    double activity;     /* bound of aw_driver_activity; 0: the dead band, or 0.01 without one */
    bool bounded;        /* bounds the overshoot */
    double overshoot;    /* bound, for a step of the linear loop: 0.25 is 25 %, 0 no
                            overshoot. The driver's integrator has no anti-windup: gains that
                            overshoot much in the linear loop may oscillate forever in the real one.
                            AW_LIMIT if no gains meet the bound; err names the lowest possible
                            overshoot */
    double late_s;       /* tolerance of the model's dead time, either way (aw_fit.half; NaN:
                            unknown): Ms is bounded and reported over all of it */
    double step;         /* of the predicted response, share of full scale; 0: 0.02 */
    struct aw_rest rest; /* initial state of that step */
    double duration_s;   /* minimum length of that response */
    bool unproven;       /* accepts gains with Ms above 2 */
};

struct aw_proposal {
    enum aw_form form;
    struct aw_gains per_tick;
    bool limited;              /* a gain is beyond the driver's range */
    struct aw_margins margins; /* of the linear loop */
    double ms;                 /* the largest within late_s of the dead time, either way */
    double activity;           /* of the output at rest, share of full scale */
    double load_iae;           /* after a load of 1; INFINITY: it does not settle */
    struct aw_response step;   /* predicted, of the nonlinear loop, in shares of full scale */
    struct aw_rest rest;       /* initial state of that prediction */
    double duration_s;         /* length of that prediction */
    double least_overshoot;    /* with AW_LIMIT because of its bound; else 0 */
    char refusal[160];         /* why it must not be used; "": it may */
};

#define AW_DESIGN_MS      1.6
#define AW_DESIGN_MS_MOST 2.0 /* larger values are refused */

/* AW_LIMIT: *proposal is complete, but err and refusal say why it must not be used. It is unstable,
 * beyond the driver's range, too lively at rest, or Ms is above 2. Without gains and refusal, no
 * gains meet the bounds. AW_USAGE: a gain of the model or a control period out of range.
 * AW_NO_MEMORY. */
enum aw_status aw_design(const struct aw_process *process, const struct aw_driver *driver,
                         const struct aw_design_options *options, struct aw_proposal *proposal,
                         struct aw_error *err);

/* Assesses given gains, such as the previous ones; leaves form unchanged. */
enum aw_status aw_design_judge(const struct aw_process *process, const struct aw_driver *driver,
                               const struct aw_design_options *options,
                               struct aw_proposal *proposal, struct aw_error *err);

#endif
