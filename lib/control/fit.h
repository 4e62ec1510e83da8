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
 * least squares; what a jump of the input at an unknown time between two samples leaves behind
 * counts once (weights.h). Which model, of first order, integrator with one lag or two, second and
 * third order, all with dead time: the one of least Bayesian information criterion (Schwarz, Ann.
 * Statist. 6, 1978), BIC = m·ln(σ²) + k·ln(m). A lag that is not known to a quarter does not count:
 * a structure that needs it is not chosen without very strong evidence, nor one with a lag or a
 * swing that is faster than the samples show, and a lag of half the record's length counts as an
 * integrator unless the criterion is very strongly against it.
 *
 * How sure: covariance σ²·(JᵀJ)⁻¹ from the Jacobian J of all parameters at the end; half is 1.96
 * times the root, 95 %. Residuals of samples that follow each other are alike (a model is never
 * quite the process), so that n samples say as much as m = n·(1 - r)/(1 + r) independent ones, with
 * r their correlation from one to the next (Bayley, Hammersley, J. R. Stat. Soc. 8, 1946); this m
 * is what counts in both places. Structures that the criterion cannot exclude have their part in
 * the width, and so has what is not known of the times of all jumps together. Where residuals are
 * more alike than those of a linear process (aw_fit_is_linear), all numbers are those of the
 * nearest linear one, and another experiment may find others.
 *
 * How good: 1 - rms(y - model)/rms(y - its mean over the whole record), never below -1, over what
 * was used and over what was not, by a model that has not seen it. That is the last part of the
 * record, or, where nothing moves there, every third piece of where it moved. The numbers of the
 * result then come from the whole record. Where it is below 70 % and the input swung often enough,
 * the record is taken in pieces of two swings, each with an offset of its own, if that fits better
 * (piece_s).
 *
 * The work is linear in the length of the record: structure and starting values are found in a part
 * of a long one, and only made exact by the whole of it.
 */
#ifndef AW_CONTROL_FIT_H
#define AW_CONTROL_FIT_H

#include <stddef.h>

#include "base/status.h"
#include "control/process.h"
#include "control/trial.h"

struct aw_fit_options {
    double dead_zone;    /* of the input, either side of 0: what is within does nothing, what is
                            beyond counts whole */
    double dead_band;    /* what is beyond counts from there */
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
    double own, held_out; /* fit over what was used and what was not, 1 is perfect; -1 and more */
    double piece_s;       /* each piece so long was compared by itself, because slow motion is not
                             explained by such a model; 0: the whole record */
    double independent;   /* samples that the record is worth, m above */
    double scatter;       /* of the times of the jumps, see weights.h */
    double interval_s;    /* mean, between two samples; 0: not known */
    size_t n;
};

/* Does the model explain at least 75 % of what it had not seen? A model without a fit, which a
 * person wrote, is taken at its word. */
#define AW_FIT_TRUSTED 0.75
bool aw_fit_explains(const struct aw_fit *fit);

/* Is the dead time known to one interval of the samples, or to a tenth of all lags? Not checked
 * where it is not known. */
bool aw_fit_is_timely(const struct aw_fit *fit);

/* Both. */
bool aw_fit_trusted(const struct aw_fit *fit);

/* Are the residuals those of a linear process with noise? Else its numbers are of the nearest one.
 */
bool aw_fit_is_linear(const struct aw_fit *fit);

/* options NULL: all 0. AW_USAGE: fewer than 30 samples, times that fall, numbers that are not
 * finite; AW_REFUSED: the input did not move, or nothing followed it; AW_NO_MEMORY. */
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
