/* Process models from records: which one, with what numbers, and how sure they are.
 *
 *     struct aw_trial trial = {.input_t = t, .input = u, .n_inputs = n, .t = t, .y = y, .n = n};
 *     struct aw_fit fit;
 *     if (aw_fit_best(&trial, NULL, &fit, &err) == AW_OK)
 *         … fit.process, fit.half.gain, fit.held_out …
 *
 * Any record will do whose input moved enough: steps, pulses, a relay's oscillation, a sweep, in
 * any order, at times of any distance. The process must be at rest where the record begins.
 *
 * The error that is made small is the output error: the model is simulated with the recorded input
 * alone (in continuous time, see process.h) and its answer is compared with what was measured,
 * least squares; so are the times at which the input jumped between two samples (search.h). Which
 * model, of first order, integrator with one lag or two, second and third order, all with dead
 * time: the one of least Bayesian information criterion (Schwarz, Ann. Statist. 6, 1978), BIC =
 * m·ln(σ²) + k·ln(m). A slow lag (an eighth of the record and more) that is not known to a quarter
 * counts as an integrator, and so does one of half the record's length unless the criterion says
 * very strongly that it is none.
 *
 * How sure: covariance σ²·(JᵀJ)⁻¹ from the Jacobian J of all parameters at the end, and of the
 * times of jumps, which are not known either; half is 1.96 times the root, 95 %. Residuals of
 * samples that follow each other are alike (a model is never quite the process), so that n samples
 * say as much as m = n·(1 - r)/(1 + r) independent ones, with r their correlation from one to the
 * next (Bayley, Hammersley, J. R. Stat. Soc. 8, 1946); this m is what counts in both places.
 *
 * How good: 1 - |y - model|/|y - mean|, the "fit" of system identification (Ljung, System
 * Identification, 1999), over the last part of the record, by a model that has not seen that part.
 * The numbers of the result then come from the whole record. Where that is below 70 % and the input
 * swung often enough, the record is taken in pieces of two swings, each with an offset of its own,
 * if that fits better (piece_s).
 */
#ifndef AW_CONTROL_FIT_H
#define AW_CONTROL_FIT_H

#include <stddef.h>

#include "base/status.h"
#include "control/process.h"

/* Not owned. Times grow; a jump of the input is two points at one time. Between two points the
 * input is a straight line, with stairs it is the earlier one's. */
struct aw_trial {
    const double *input_t, *input;
    size_t n_inputs;
    bool stairs;
    const double *t, *y;
    size_t n;
};

struct aw_fit_options {
    double dead_band;    /* of the input, either side of 0: what is within does nothing, what is
                            beyond counts from there */
    bool find_dead_band; /* that is the first guess */
    double held_out;     /* share of the record, its end; 0: 0.3 */
    bool only;           /* this kind and no other */
    enum aw_process_kind kind;
};

/* In the units of gain and seconds; NaN: not known. */
struct aw_fit_half {
    double gain, dead_time, tau1, tau2, tau3, dead_band;
};

struct aw_fit {
    struct aw_process process;
    struct aw_fit_half half; /* of the 95 % interval, either way */
    double dead_band;
    double offset, drift; /* measured at rest; its change per second without input */
    double sigma;         /* of the residuals, in the unit of y */
    double own, held_out; /* fit over what was used and what was not, 1 is perfect */
    double piece_s;       /* each piece so long was compared by itself, because slow motion is not
                             explained by such a model; 0: the whole record */
    double independent;   /* samples that the record is worth, m above */
    size_t n;
};

/* Has the model earned its use? False where less than 75 % of what it had not seen is explained; a
 * model without a fit, which a person wrote, is taken at its word. */
#define AW_FIT_TRUSTED 0.75
bool aw_fit_trusted(const struct aw_fit *fit);

/* options NULL: all 0. AW_USAGE: fewer than 30 samples, times that fall, numbers that are none;
 * AW_REFUSED: the input did not move, or nothing followed it; AW_NO_MEMORY. */
enum aw_status aw_fit_best(const struct aw_trial *trial, const struct aw_fit_options *options,
                           struct aw_fit *fit, struct aw_error *err);

/* Of measured values: the standard deviation from sample to sample that no slow motion explains
 * (from third differences, where the record is quietest: of pieces of 16 samples the tenth part),
 * and the least step between values, 0 if most of them are different. */
struct aw_grain {
    double noise, quantum;
};
struct aw_grain aw_grain(const double *y, size_t n);

#endif
