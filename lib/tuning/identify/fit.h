/* Fits process models to records: structure, parameters, and their uncertainty.
 *
 *     struct aw_trial trial = {.input_t = t, .input = u, .n_inputs = n, .t = t, .y = y, .n = n};
 *     struct aw_fit fit;
 *     if (aw_fit_best(&trial, NULL, &fit, &err) == AW_OK)
 *         … fit.process, fit.half_widths.gain, fit.held_out …
 *
 * Any record will do if its input moves enough: steps, pulses, a relay's oscillation, a sweep, in
 * any order, at uneven times. The process must be at rest where the record begins.
 *
 * The fit minimises the output error by least squares. It simulates the model with the recorded
 * input alone (in continuous time, see process.h) and compares the result with the measured values.
 * The error due to a jump at an unknown time between two samples counts once (weights.h). The
 * structures are first order, integrator with one lag or two, second and third order, all with dead
 * time. The least Bayesian information criterion (Schwarz, Ann. Statist. 6, 1978) selects one: BIC
 * = m·ln(σ²) + k·ln(m). A structure needs very strong evidence if one of its lags is not known to
 * within a quarter. The same holds if a lag or an oscillation is faster than the samples resolve. A
 * lag of half the record's length counts as an integrator unless the criterion is very strongly
 * against it.
 *
 * Uncertainty: covariance σ²·(JᵀJ)⁻¹ from the final Jacobian J of all parameters; a half-width is
 * 1.96 standard deviations (the roots of its diagonal), for 95 %. Neighbouring residuals are
 * correlated, because a model never matches the process exactly. So n samples are worth m = n·(1 -
 * r)/(1 + r) independent ones, with r the correlation of neighbours (Bayley, Hammersley, J. R.
 * Stat. Soc. 8, 1946). Covariance and criterion both use this m. Structures that the criterion
 * cannot exclude widen the interval, and so does the common uncertainty of all jump times. If
 * residuals are more correlated than those of a linear process (aw_fit_is_linear), the parameters
 * are those of the nearest linear one. Another experiment may then yield different parameters.
 *
 * Quality: 1 - rms(y - model)/rms(y - its mean over the whole record), never below -1. It is
 * calculated for the data used, and for held-out data by a model that was fitted without them.
 * Held-out data are the last part of the record. If nothing moves there, they are every third piece
 * of the motion. The final parameters come from the whole record. If the quality is below 70 % and
 * the input oscillated often enough, the record is cut into pieces of two oscillations. Each piece
 * has its own offset, if that fits better (piece_s).
 *
 * The work is linear in the length of the record. Structure and starting values are found in a part
 * of a long record; the whole record only refines them.
 */
#ifndef AW_IDENTIFY_FIT_H
#define AW_IDENTIFY_FIT_H

#include <stddef.h>

#include "base/status.h"
#include "tuning/identify/answer.h"
#include "tuning/identify/process.h"

struct aw_fit_options {
    double dead_zone; /* inputs within ± this have no effect; larger ones pass unchanged */
    /* estimates the dead band, which is subtracted from the input's magnitude */
    bool find_dead_band;
};

/* Half-widths of intervals, in the units of the parameters; NaN: unknown. */
struct aw_fit_half {
    double gain, dead_time, tau1, tau2, tau3, dead_band;
};

struct aw_fit {
    struct aw_process process;
    struct aw_fit_half half_widths; /* half-widths of the 95 % intervals */
    double dead_band;
    double sigma;          /* standard deviation of the residuals, in the unit of y */
    double used, held_out; /* fit to the used and the held-out data: 1 is perfect, -1 the minimum */
    /* length of the pieces that were fitted separately, because the model does not explain slow
     * motion, s; 0: the whole record */
    double piece_s;
    double independent;  /* effective number of independent samples (m above) */
    double jump_scatter; /* scatter of the jump times, see weights.h */
    double interval_s;   /* mean sampling interval; 0: unknown */
    size_t n;            /* number of samples */
};

/* Returns true if the model explains at least 75 % of the held-out data, or comes from a file
 * without that number. */
#define AW_FIT_TRUSTED 0.75
bool aw_fit_explains_data(const struct aw_fit *fit);

/* Returns true if the dead time is known to within one sampling interval, or to within a tenth of
 * dead time plus lags. Also returns true if the interval is unknown. */
bool aw_fit_has_dead_time(const struct aw_fit *fit);

/* Returns true if aw_fit_explains_data and aw_fit_has_dead_time do. */
bool aw_fit_is_trusted(const struct aw_fit *fit);

/* Returns true if the residuals match a linear process with noise. Else the parameters are those of
 * the nearest linear process. */
bool aw_fit_is_linear(const struct aw_fit *fit);

/* Finds the best model of a record. options NULL: all 0. AW_USAGE: fewer than 30 samples,
 * or times that do not increase. AW_REFUSED: the input did not move, or had no
 * effect. AW_STOPPED: the task was abandoned. AW_NO_MEMORY: out of memory. */
enum aw_status aw_fit_best(const struct aw_trial *trial, const struct aw_fit_options *options,
                           struct aw_fit *fit, struct aw_error *err);

/* Noise and resolution of measured values. noise is the standard deviation of samples around slow
 * motion, from third differences in the quietest tenth of all windows of 16 samples. quantum is the
 * smallest step between values; 0: most values are different. */
struct aw_grain {
    double noise, quantum;
};
struct aw_grain aw_find_grain(const double *y, size_t n);

#endif
