/* Calculates gains for a process model and a driver by a rule, and predicts their performance.
 *
 *     struct aw_design_options options = {.rule = AW_RULE_ROBUST, .ms = 1.6, .step = 0.03};
 *     struct aw_proposal proposal;
 *     status = aw_design(&process, &driver, &options, &proposal, &err);
 *     AW_OK: proposal.per_tick may be used; AW_LIMIT: err says why it must not be
 *
 * zn, tyreus-luyben, no-overshoot: rules.h, from the model's own Ku and Tu. The driver's hold
 * counts as half a tick of dead time, here and for simc and amigo.
 *
 * simc (S. Skogestad, J. Process Control 13, 2003, 291-309), closed loop as fast as the dead time.
 * His half rule and his rules for zeros reduce the model to one or two lags, then
 *     Kc = tau1 / (k·2·theta),  Ti = min(tau1, 8·theta),  Td = tau2 (series form; given here as the
 *     parallel form, eq. 36: f = 1 + Td/Ti, Kc·f, Ti·f, Td/f).
 *
 * amigo (K. J. Åström, T. Hägglund, Advanced PID Control, ISA 2006, 7.6-7.7). L and T come from the
 * step response: the steepest tangent, and 63 %. Kv is the slope of an integrator:
 *     PI   K = (0.15 + (0.35 - L·T/(L + T)²)·T/L) / Kp,  Ti = 0.35·L + 13·L·T²/(T² + 12·L·T + 7·L²)
 *          integrating: K = 0.35/(Kv·L), Ti = 13.4·L
 *     PID  K = (0.2 + 0.45·T/L) / Kp,  Ti = L·(0.4·L + 0.8·T)/(L + 0.1·T),
 *              Td = 0.5·L·T/(0.3·L + T)
 *          integrating: K = 0.45/(Kv·L), Ti = 8·L, Td = 0.5·L
 *
 * robust: minimizes the integrated absolute error after a load step with Ms at most --ms. This is
 * the idea of MIGO (Åström, Panagopoulos, Hägglund, Automatica 34, 1998; Panagopoulos, Åström,
 * Hägglund, IEE Proc. D 149, 2002). It uses the discrete controller and respects the driver's range
 * and the bound on activity. For each ratio of the three gains, it finds the greatest ones that
 * meet Ms. It then searches the ratios for the least error.
 */
#ifndef AW_TUNING_DESIGN_H
#define AW_TUNING_DESIGN_H

#include "tuning/predict.h"

struct aw_design_options {
    enum aw_rule rule;
    enum aw_form form;
    double ms;           /* bound for robust; 0: 1.6 */
    double activity;     /* bound of aw_driver_activity; 0: the dead band, or 0.01 without one */
    bool bounded;        /* bounds the overshoot */
    double overshoot;    /* bound for robust, of a step of the linear loop: 0.25 is 25 %, 0 no
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
    enum aw_rule rule;
    enum aw_form form;
    struct aw_gains per_tick;
    bool limited;              /* a gain was clamped to the driver's range */
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
 * gains meet the bounds of robust. AW_USAGE: the rule does not support this form or model.
 * AW_NO_MEMORY. */
enum aw_status aw_design(const struct aw_process *process, const struct aw_driver *driver,
                         const struct aw_design_options *options, struct aw_proposal *proposal,
                         struct aw_error *err);

/* Assesses given gains, such as the previous ones; leaves rule and form unchanged. */
enum aw_status aw_design_judge(const struct aw_process *process, const struct aw_driver *driver,
                               const struct aw_design_options *options,
                               struct aw_proposal *proposal, struct aw_error *err);

/* Skogestad's half rule and his rules for zeros. Takes n lags in any order (at most 16), and the
 * known dead time. Puts one or two (keep) into tau, the slower first. Half of the largest dropped
 * lag goes to the last one in tau, the other half and all other lags to the dead time. So does a
 * zero on the right (below 0). A zero T0 on the left is cancelled against a lag tau0 near it; (1 +
 * T0·s)/(1 + tau0·s) becomes
 *     T0/tau0                        tau0 ≤ T0, tau0 ≥ theta       (T1)
 *     T0/theta                       T0 ≥ theta ≥ tau0             (T1a)
 *     1                              theta ≥ T0 ≥ tau0             (T1b)
 *     T0/tau0                        tau0 ≥ T0 ≥ 5·theta           (T2)
 *     (t/tau0) / (1 + (t - T0)·s)    t = min(tau0, 5·theta) ≥ T0   (T3)
 * theta is the resulting dead time. factor multiplies the gain. An integrator is a lag of INFINITY,
 * which cancels no zero. */
struct aw_reduced {
    double factor, tau[2], theta;
};
struct aw_reduced aw_half_rule(const double *lags, size_t n, const double *zeros, size_t n_zeros,
                               double dead_time_s, size_t keep);

/* SIMC for a reduced model; tau1 INFINITY: gain is a slope. Returns the parallel form, per second,
 * not per tick. tau2 0: PI. */
struct aw_gains aw_simc_gains(double gain, double tau1, double tau2, double theta);

/* AMIGO for a reduced model; tau INFINITY: gain is a slope. form: PI or PID. */
struct aw_gains aw_amigo_gains(double gain, double tau, double dead_time_s, enum aw_form form);

#endif
