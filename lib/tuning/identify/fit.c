/* Selects a model for a record, and calculates its uncertainty and quality. */
#include "tuning/identify/fit.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/task.h"
#include "control/samples.h"
#include "tuning/identify/start.h"

#define MIN_SAMPLES      30
#define HELD_OUT_SHARE   0.3
#define MAX_JUMPS        120 /* max jumps used to find the period */
#define MIN_JUMP_SHARE   0.2 /* smallest jump used for that, as a share of the input's spread */
#define POOR_FIT         0.7 /* below this fit, pieces of the record are tried */
#define ROUGHNESS_FACTOR 3   /* factor of the input's roughness in the uncertainty */
#define LARGEST          1e30
/* lags below this share of a sampling interval cannot be told from dead time */
#define MIN_LAG 0.7
/* a structure with this multiple of the lowest sum of squares is dropped */
#define MAX_COST_RATIO 2
#define GAP            20  /* a gap of more mean intervals means that this program was delayed */
#define MIN_FIT        0.3 /* min fit to the used data; below it, the output ignores the input */
/* max uncertainty of the dead time, as a share of dead time plus lags */
#define MAX_DEAD_TIME_ERROR 0.1
/* a linear process has at least this share of independent samples among its residuals */
#define MIN_INDEPENDENT  0.33
#define MAX_LAG_HALF     0.25 /* max relative half-width of the interval of a known lag */
#define SLOW_LAG_DIVISOR 8    /* a lag above 1/8 of the record's length is slow */
#define NUMBERS          6    /* number of members of struct aw_fit_half */
#define NOISE_WINDOW     16   /* samples per noise estimate */
#define SAMPLES          200  /* number of points checked for motion */
#define PIECES           9    /* pieces of the motion, of which every third is held out */
/* Strength of evidence, as a difference in the Bayesian information criterion (Kass, Raftery, J.
 * Am. Stat. Assoc. 90, 1995). */
#define WEAK_EVIDENCE   2
#define STRONG_EVIDENCE 10
#define EXTRA_EVIDENCE  20 /* additional evidence required for a structure with an uncertain lag */

/* The fit of one model structure to the used data. */
struct candidate {
    double parameters[AW_NONLINEAR], cost, log_det, independent;
    double numbers[NUMBERS], half_widths[NUMBERS];
    bool hidden;    /* a lag is too fast for the samples, or too slow for the record */
    bool all_known; /* all lags are known */
};

/* ---- Residuals ---- */

static double count_independent(const double *residual, size_t n, size_t counted)
{
    double squares = 0, products = 0;
    for (size_t i = 0; i + 1 < n; i++) {
        squares += residual[i] * residual[i];
        products += residual[i] * residual[i + 1];
    }
    double r = squares > 0 ? fmin(fmax(products / squares, 0), 0.98) : 0;
    return (double)counted * (1 - r) / (1 + r);
}

static double get_criterion(const struct aw_search *s, const struct candidate *candidate,
                            double independent)
{
    size_t parameters[AW_PARAMETERS];
    double m = fmax(independent, 10), n = (double)s->weights.n_counted;
    double likelihood = m * (log(candidate->cost / n + 1e-30) + candidate->log_det / n);
    return likelihood + (double)aw_search_list_parameters(s, parameters) * log(m);
}

/* Returns the fit of the held-out samples, or of the others: 1 - RMS error / standard deviation, at
 * least -1; NaN: no such samples, or no variation. The deviation is that of all samples. */
static double get_explained_share(const struct aw_search *s, const double *error,
                                  const bool *held_out, bool of_held_out)
{
    double residual = 0, total = 0, mean = 0;
    size_t n = 0;
    for (size_t from = 0, to; from < s->trial->n; from = to) {
        to = aw_weights_piece_end(&s->weights, from);
        mean = 0;
        for (size_t i = from; i < to; i++)
            mean += s->trial->y[i] / (double)(to - from);
        for (size_t i = from; i < to; i++) {
            total += (s->trial->y[i] - mean) * (s->trial->y[i] - mean) / (double)s->trial->n;
            residual += held_out[i] == of_held_out ? error[i] * error[i] : 0;
            n += held_out[i] == of_held_out;
        }
    }
    return total > 0 && n > 0 ? fmax(-1, 1 - sqrt(residual / (double)n / total)) : NAN;
}

static double get_half_width(double cov[AW_PARAMETERS][AW_PARAMETERS], size_t m,
                             const double gradient[AW_PARAMETERS])
{
    double sum = 0;
    for (size_t r = 0; r < m; r++)
        for (size_t c = 0; c < m; c++)
            sum += gradient[r] * cov[r][c] * gradient[c];
    return 1.96 * sqrt(fmax(sum, 0));
}

/* Copies the parameters of the search in the order of struct aw_fit_half. */
static void get_numbers(const struct aw_search *s, double out[NUMBERS])
{
    struct aw_process process = aw_search_get_process(s);
    out[0] = process.gain;
    out[1] = process.dead_time_s;
    aw_process_lags(&process, &out[2], &out[3], NULL);
    out[4] = process.a3;
    out[5] = s->params[AW_DEAD_BAND];
}

/* Finds the half-widths of the results from the covariance of the parameters, by finite
 * differences. */
static void find_half_widths(const struct aw_search *s, double cov[AW_PARAMETERS][AW_PARAMETERS],
                             double half_widths[NUMBERS])
{
    double gradient[NUMBERS][AW_PARAMETERS], now[NUMBERS], shifted[NUMBERS];
    size_t parameters[AW_PARAMETERS], m = aw_search_list_parameters(s, parameters);
    get_numbers(s, now);
    for (size_t k = 0; k < m; k++) {
        struct aw_search other = *s;
        double *parameter = parameters[k] < AW_NONLINEAR
                                ? &other.params[parameters[k]]
                                : &other.linear[parameters[k] - AW_NONLINEAR];
        double h = 1e-4 * fmax(fabs(*parameter), 1e-3);
        *parameter += h;
        get_numbers(&other, shifted);
        for (int i = 0; i < NUMBERS; i++)
            gradient[i][k] = (shifted[i] - now[i]) / h;
    }
    const bool is_known[NUMBERS] = {
        true,
        true,
        true,
        s->is_free[AW_SECOND_LAG],
        s->is_free[AW_THIRD_LAG],
        s->is_free[AW_DEAD_BAND],
    };
    for (int i = 0; i < NUMBERS; i++)
        half_widths[i] = is_known[i] ? get_half_width(cov, m, gradient[i]) : NAN;
}

/* Returns the variance of the residuals, corrected for their correlation. */
static double get_variance(double sum, double independent)
{
    return sum / fmax(independent, 2);
}

/* Returns true for a lag or an oscillation faster than the samples resolve. A single lag is never
 * hidden. */
static bool is_hidden(const struct aw_search *s)
{
    double numbers[NUMBERS], min_lag = MIN_LAG * s->weights.interval_s;
    get_numbers(s, numbers);
    bool has_second_lag = s->is_free[AW_SECOND_LAG], has_third_lag = s->is_free[AW_THIRD_LAG];
    return (has_second_lag || has_third_lag) &&
           (numbers[2] < min_lag || (has_second_lag && numbers[3] < min_lag) ||
            (has_third_lag && numbers[4] < min_lag));
}

/* Calculates the parameters and uncertainty of a structure, and marks uncertain lags: extra lags
 * always improve the fit to friction, hard springs and sparse samples. */
static enum aw_status evaluate_candidate(struct aw_search *s, struct candidate *candidate,
                                         struct aw_error *err)
{
    double cov[AW_PARAMETERS][AW_PARAMETERS];
    size_t parameters[AW_PARAMETERS], m = aw_search_list_parameters(s, parameters);
    if (aw_task_is_abandoned())
        return AW_STOPPED;
    candidate->independent = count_independent(s->work.residual, s->trial->n, s->weights.n_counted);
    enum aw_status status =
        aw_search_covariance(s, get_variance(candidate->cost, candidate->independent), cov, err);
    if (status != AW_OK)
        return status;
    get_numbers(s, candidate->numbers);
    find_half_widths(s, cov, candidate->half_widths);
    bool single_lag = !s->is_free[AW_SECOND_LAG] && !s->is_free[AW_THIRD_LAG];
    candidate->hidden = is_hidden(s);
    candidate->all_known = true;
    for (size_t k = 0; k < m && parameters[k] <= AW_THIRD_LAG; k++) {
        bool is_known = 1.96 * sqrt(cov[k][k]) < MAX_LAG_HALF,
             is_fast_lag = parameters[k] == AW_SECOND_LAG;
        bool is_slow = !s->integrating && !is_fast_lag &&
                       exp(s->params[parameters[k]]) > s->record_s / SLOW_LAG_DIVISOR;
        candidate->all_known &= is_known || single_lag;
        candidate->hidden |= is_slow && !is_known;
    }
    return AW_OK;
}

static enum aw_status check_trial(const struct aw_trial *trial, struct aw_error *err)
{
    if (trial->n < MIN_SAMPLES || trial->n_inputs < 2)
        return aw_fail(err, AW_USAGE, "fit: too few samples (%zu, required %d) — record longer",
                       trial->n, MIN_SAMPLES);
    for (size_t i = 1; i < trial->n; i++)
        if (trial->t[i] <= trial->t[i - 1])
            return aw_fail(err, AW_USAGE,
                           "fit: time of sample %zu does not increase — correct the row", i + 1);
    if (!(aw_find_spread(trial->input, trial->n_inputs) > 0))
        return aw_fail(err, AW_REFUSED,
                       "fit: input is constant — start at rest, then excite the process");
    return AW_OK;
}

/* Calculates the model's error at each sample. */
static void find_errors(struct aw_search *s, double *error)
{
    aw_search_simulate(s, error);
    for (size_t i = 0; i < s->trial->n; i++)
        error[i] = s->trial->y[i] - error[i];
}

/* Checks the best model on held-out data. Then fits the whole record, starting from that model. */
static enum aw_status fit_whole_record(struct aw_search *s, const struct candidate *best,
                                       struct candidate *result, struct aw_fit *fit,
                                       struct aw_error *err)
{
    size_t n = s->trial->n;
    const bool *held_out = s->weights.held_out;
    double *error = calloc(n, sizeof *error);
    if (!error)
        return aw_no_memory(err);
    memcpy(s->params, best->parameters, sizeof s->params);
    aw_search_reset_weights(s, s->weights.piece);
    double sum = aw_starts_weigh(s, aw_search_evaluate(s), fit->jump_scatter);
    double sigma2 = sum / (double)s->weights.n_counted;
    find_errors(s, error);
    aw_search_hold_out(s, NULL);
    aw_search_weigh(s, sigma2, fit->jump_scatter);
    aw_weights_innovate(&s->weights, error, s->work.trial_residual);
    fit->used = get_explained_share(s, error, held_out, false);
    fit->held_out = get_explained_share(s, error, held_out, true);
    result->cost = aw_starts_refine(s, aw_search_descend(s), fit->jump_scatter);
    free(error);
    fit->process = aw_search_get_process(s);
    fit->process.dead_time_s = fmax(0, fit->process.dead_time_s);
    fit->dead_band = s->params[AW_DEAD_BAND];
    fit->n = n;
    fit->interval_s = s->weights.interval_s;
    fit->sigma = sqrt(result->cost / (double)n);
    enum aw_status status = evaluate_candidate(s, result, err);
    aw_search_hold_out(s, held_out);
    return status;
}

/* Returns the structure with the lowest criterion, among the integrating ones or among all. */
static size_t find_lowest(const double bic[AW_STRUCTURES], bool integrating)
{
    size_t best = integrating ? AW_PROCESS_INTEGRATING : 0;
    for (size_t i = 0; i < AW_STRUCTURES; i++)
        if ((!integrating || aw_starts_get_kind(i) == AW_PROCESS_INTEGRATING) && bic[i] < bic[best])
            best = i;
    return best;
}

static size_t choose_structure(struct aw_search *s, const struct aw_fit_options *o,
                               const struct candidate *candidates, double bic[AW_STRUCTURES])
{
    double m = 0, adjusted[AW_STRUCTURES];
    for (size_t i = 0; i < AW_STRUCTURES; i++)
        m = fmax(m, candidates[i].independent);
    for (size_t i = 0; i < AW_STRUCTURES; i++) {
        aw_starts_set_structure(s, i, o->find_dead_band);
        bic[i] = get_criterion(s, &candidates[i], m);
        adjusted[i] = bic[i] + (candidates[i].hidden      ? INFINITY
                                : candidates[i].all_known ? 0
                                                          : EXTRA_EVIDENCE);
    }
    size_t best = find_lowest(adjusted, false), integrating = find_lowest(adjusted, true);
    /* prefers an integrator to a lag as long as the record, unless the evidence is strong */
    bool is_slow = exp(fmax(candidates[best].parameters[AW_LAG],
                            candidates[best].parameters[AW_THIRD_LAG])) > s->record_s / 2;
    return is_slow && adjusted[integrating] < adjusted[best] + STRONG_EVIDENCE ? integrating : best;
}

/* Widens the intervals by the differences between structures that cannot be excluded, and by the
 * uncertainty of the input. */
static void widen_intervals(const struct aw_search *s, const struct candidate *candidates,
                            const double bic[AW_STRUCTURES], size_t best, struct candidate *result,
                            struct aw_fit_half *half_widths)
{
    for (size_t i = 0; i < AW_STRUCTURES; i++)
        for (int k = 0; k < 2 && i != best && bic[i] < bic[best] + WEAK_EVIDENCE; k++)
            if (k == 1 || (aw_starts_get_kind(i) == AW_PROCESS_INTEGRATING) == s->integrating)
                result->half_widths[k] =
                    fmax(result->half_widths[k],
                         fabs(candidates[i].numbers[k] - candidates[best].numbers[k]) +
                             fmin(candidates[i].half_widths[k], candidates[best].half_widths[k]));
    result->half_widths[1] += s->trial->jump_half_s;
    for (int i = 0; i < NUMBERS - 1; i++)
        result->half_widths[i] += ROUGHNESS_FACTOR * s->trial->roughness * fabs(result->numbers[i]);
    for (int i = 3; i < NUMBERS - 1; i++) /* an error of a slow lag also affects the fast ones */
        if (result->numbers[i] > 0)
            result->half_widths[i] +=
                s->trial->roughness * sqrt(result->numbers[2] * result->numbers[i]);
    *half_widths = (struct aw_fit_half){result->half_widths[0], result->half_widths[1],
                                        result->half_widths[2], result->half_widths[3],
                                        result->half_widths[4], result->half_widths[5]};
}

/* Fits one structure. For a long record, the likeliest structure comes first, and its result limits
 * the search of the others. */
static enum aw_status try_structure(struct aw_search *s, const struct aw_starts *starts, size_t i,
                                    double *limit, struct candidate *candidate,
                                    struct aw_error *err)
{
    bool is_long = s->trial->n > AW_LONG_RECORD;
    memcpy(s->params, starts->params[i], sizeof s->params);
    s->sum_limit = *limit;
    double sum = is_long && is_hidden(s) ? INFINITY : aw_search_descend(s);
    s->sum_limit = INFINITY;
    candidate->cost = INFINITY;
    if (is_long && sum > *limit)
        return AW_OK;
    *limit = is_long ? fmin(*limit, sum * MAX_COST_RATIO) : INFINITY;
    candidate->cost = aw_starts_refine(s, sum, starts->jump_scatter);
    candidate->log_det = s->weights.log_det;
    memcpy(candidate->parameters, s->params, sizeof candidate->parameters);
    return evaluate_candidate(s, candidate, err);
}

static enum aw_status fit_pieces(struct aw_search *s, const struct aw_fit_options *o, size_t piece,
                                 struct aw_fit *fit, struct aw_error *err)
{
    struct candidate candidates[AW_STRUCTURES] = {0}, result;
    struct aw_starts starts;
    double bic[AW_STRUCTURES], limit = INFINITY;
    enum aw_status status = aw_starts_find(&starts, s->trial, s->weights.held_out, piece, o, err);
    size_t first = s->trial->n > AW_LONG_RECORD ? starts.likeliest_structure : 0;
    fit->jump_scatter = starts.jump_scatter;
    for (size_t k = 0; k < AW_STRUCTURES && status == AW_OK; k++) {
        size_t i = k == 0 ? first : k <= first ? k - 1 : k;
        aw_starts_set_structure(s, i, o->find_dead_band);
        aw_search_reset_weights(s, piece);
        status = try_structure(s, &starts, i, &limit, &candidates[i], err);
    }
    if (status != AW_OK)
        return status;
    size_t best = choose_structure(s, o, candidates, bic);
    aw_starts_set_structure(s, best, o->find_dead_band);
    status = fit_whole_record(s, &candidates[best], &result, fit, err);
    /* the whole record may show that a lag is an integrator */
    if (status == AW_OK && result.hidden && candidates[AW_PROCESS_INTEGRATING].cost < LARGEST) {
        best = AW_PROCESS_INTEGRATING;
        aw_starts_set_structure(s, best, o->find_dead_band);
        status = fit_whole_record(s, &candidates[best], &result, fit, err);
    }
    fit->independent = result.independent;
    widen_intervals(s, candidates, bic, best, &result, &fit->half_widths);
    return status;
}

/* Returns the number of samples in two oscillations of a relay: four times the median time between
 * jumps. Returns all samples if there are few jumps. */
static size_t find_piece(const struct aw_trial *trial)
{
    double min_jump = MIN_JUMP_SHARE * aw_find_spread(trial->input, trial->n_inputs);
    double intervals[MAX_JUMPS], previous = 0;
    size_t n = 0;
    for (size_t i = 0; i + 1 < trial->n_inputs && n < MAX_JUMPS; i++)
        if (fabs(trial->input[i + 1] - trial->input[i]) > min_jump) {
            intervals[n++] = trial->input_t[i] - previous;
            previous = trial->input_t[i];
        }
    if (n < 8)
        return trial->n;
    qsort(intervals, n, sizeof *intervals, aw_compare_doubles);
    double span = trial->t[trial->n - 1] - trial->t[0];
    double piece = 4 * intervals[n / 2] / span * (double)trial->n;
    return piece < 20 ? 20 : (size_t)fmin(piece, (double)trial->n);
}

static double find_longest_gap(const struct aw_trial *trial)
{
    double gap = 0;
    for (size_t i = 0; i + 1 < trial->n; i++)
        gap = fmax(gap, trial->t[i + 1] - trial->t[i]);
    return gap;
}

static enum aw_status fail_no_response(const struct aw_search *s, double fit, struct aw_error *err)
{
    double gap = find_longest_gap(s->trial);
    fit = 100 * fmax(fit, 0);
    if (gap > GAP * s->weights.interval_s)
        return aw_fail(err, AW_REFUSED,
                       "fit: output does not follow the input (fit %.0f %%, no samples for %.2g "
                       "s) — measure again with fewer programs running",
                       fit, gap);
    return aw_fail(err, AW_REFUSED,
                   "fit: output does not follow the input (fit %.0f %%) — use a larger amplitude, "
                   "or check the columns",
                   fit);
}

/* Fits pieces of the record separately if they fit better. Slow effects (a swinging leg, a
 * hardening spring) then do not distort the fast dynamics that a controller needs. */
static enum aw_status choose_scale(struct aw_search *s, const struct aw_fit_options *o,
                                   struct aw_fit *fit, struct aw_error *err)
{
    struct aw_fit fast = {0};
    size_t piece = find_piece(s->trial);
    enum aw_status status = fit_pieces(s, o, s->trial->n, fit, err);
    if (status == AW_OK && !(fit->held_out > POOR_FIT) && piece < s->weights.n_counted / 2) {
        status = fit_pieces(s, o, piece, &fast, err);
        fast.piece_s = s->record_s * (double)piece / (double)s->trial->n;
        if (status == AW_OK && fast.held_out > fit->held_out)
            *fit = fast;
    }
    if (status == AW_OK && !(fit->used > MIN_FIT))
        return fail_no_response(s, fit->used, err);
    return status;
}

/* ---- Held-out data ---- */

/* Finds the motion between SAMPLES points of the record, and returns its sum. Ignores motions below
 * a fiftieth of the range. */
static double get_distance_moved(const struct aw_trial *trial, double distances[SAMPLES])
{
    size_t n_points = trial->n < SAMPLES ? trial->n : SAMPLES;
    double mean[SAMPLES], total = 0;
    for (size_t i = 0; i < n_points; i++) {
        size_t from = trial->n * i / n_points, to = trial->n * (i + 1) / n_points;
        mean[i] = 0;
        for (size_t j = from; j < to; j++)
            mean[i] += trial->y[j] / (double)(to - from);
    }
    double threshold = aw_find_spread(mean, n_points) / 50;
    for (size_t i = 0; i < SAMPLES; i++) {
        double distance = i > 0 && i < n_points ? fabs(mean[i] - mean[i - 1]) : 0;
        distances[i] = distance > threshold ? distance : 0;
        total += distances[i];
    }
    return total;
}

/* Holds out the end of the record. If the end moves less than half of its share, holds out every
 * third piece of the motion instead. */
static void hold_out(const struct aw_trial *trial, bool *held_out)
{
    double distances[SAMPLES], total = get_distance_moved(trial, distances), last = 0;
    size_t n = trial->n, n_points = n < SAMPLES ? n : SAMPLES, from = n_points, to = 0;
    for (size_t i = 0; i < n_points; i++) {
        last += (double)i >= (1 - HELD_OUT_SHARE) * (double)n_points ? distances[i] : 0;
        if (distances[i] > 0) {
            from = from < i ? from : i;
            to = i + 1;
        }
    }
    if (last >= HELD_OUT_SHARE * total / 2 || from >= to) {
        for (size_t i = (size_t)((double)n * (1 - HELD_OUT_SHARE)); i < n; i++)
            held_out[i] = true;
        return;
    }
    double start = (double)(from > 0 ? from - 1 : 0) / (double)n_points * (double)n;
    double length = (double)to / (double)n_points * (double)n - start;
    for (size_t i = 0; i < n; i++) {
        double position = ((double)i - start) / length * PIECES;
        held_out[i] = position >= 0 && position < PIECES && (int)position % 3 == 2;
    }
}

enum aw_status aw_fit_best(const struct aw_trial *trial, const struct aw_fit_options *options,
                           struct aw_fit *fit, struct aw_error *err)
{
    static const struct aw_fit_options defaults;
    const struct aw_fit_options *o = options ? options : &defaults;
    struct aw_search s;
    *fit = (struct aw_fit){0};
    enum aw_status status = check_trial(trial, err);
    if (status != AW_OK)
        return status;
    bool *held_out = calloc(trial->n, sizeof *held_out);
    if (!held_out)
        return aw_no_memory(err);
    hold_out(trial, held_out);
    status = aw_search_begin(&s, trial, held_out, err);
    s.zone = o->dead_zone;
    if (status == AW_OK)
        status = choose_scale(&s, o, fit, err);
    aw_search_end(&s);
    free(held_out);
    return status;
}

bool aw_fit_is_linear(const struct aw_fit *fit)
{
    return !(fit->independent < MIN_INDEPENDENT * (double)fit->n);
}

bool aw_fit_explains_data(const struct aw_fit *fit)
{
    return !(fit->held_out < AW_FIT_TRUSTED);
}

bool aw_fit_has_dead_time(const struct aw_fit *fit)
{
    double total = fit->process.dead_time_s + fit->process.a1 + fit->process.a3;
    return !(fit->interval_s > 0 &&
             fit->half_widths.dead_time > fmax(fit->interval_s, MAX_DEAD_TIME_ERROR * total));
}

bool aw_fit_is_trusted(const struct aw_fit *fit)
{
    return aw_fit_explains_data(fit) && aw_fit_has_dead_time(fit);
}

/* ---- Noise and steps of the measured values ---- */

struct aw_grain aw_find_grain(const double *y, size_t n)
{
    struct aw_grain grain = {0};
    double *sorted = n > 3 ? malloc(n * sizeof *sorted) : NULL;
    if (!sorted)
        return grain;
    size_t windows = 0;
    for (size_t from = 0; from + NOISE_WINDOW + 3 <= n; from += NOISE_WINDOW) {
        double sum = 0;
        for (size_t i = from; i < from + NOISE_WINDOW; i++) {
            double third = y[i + 3] - 3 * y[i + 2] + 3 * y[i + 1] - y[i];
            sum += third * third;
        }
        sorted[windows++] = sqrt(sum / NOISE_WINDOW / 20);
    }
    qsort(sorted, windows, sizeof *sorted, aw_compare_doubles);
    grain.noise = windows ? sorted[windows / 10] : 0;
    memcpy(sorted, y, n * sizeof *sorted);
    qsort(sorted, n, sizeof *sorted, aw_compare_doubles);
    double range = sorted[n - 1] - sorted[0];
    size_t distinct = 1;
    for (size_t i = 0; i + 1 < n; i++) {
        double gap = sorted[i + 1] - sorted[i];
        if (gap <= 1e-9 * range)
            continue;
        distinct++;
        grain.quantum = grain.quantum > 0 ? fmin(gap, grain.quantum) : gap;
    }
    if (distinct > n / 2)
        grain.quantum = 0;
    free(sorted);
    return grain;
}
