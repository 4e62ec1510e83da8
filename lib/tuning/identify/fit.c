/* Selects a model for a record, and calculates its uncertainty and quality. */
#include "tuning/identify/fit.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/task.h"
#include "control/samples.h"
#include "tuning/identify/start.h"

#define FEWEST     30
#define HELD_OUT   0.3
#define MOST_JUMPS 120 /* max jumps used to find the period */
#define POOR       0.7 /* below this fit, pieces of the record are tried */
#define ROUGHLY    3   /* factor of the input's roughness in the uncertainty */
#define LARGEST    1e30
/* lags below this share of a sampling interval cannot be told from dead time */
#define SHOWN    0.7
#define HOPELESS 2   /* a structure with this multiple of the lowest sum of squares is dropped */
#define GAP      20  /* a gap of this many mean intervals means that this program was delayed */
#define FOLLOWS  0.3 /* min fit to the used data; below it, the output ignores the input */
#define SMALL    0.1 /* max uncertainty of the dead time, as a share of dead time plus lags */
/* a linear process has at least this share of independent samples among its residuals */
#define LINEAR  0.33
#define KNOWN   0.25 /* max relative half-width of the interval of a known lag */
#define SLOW    8    /* a lag above 1/8 of the record's length is slow */
#define NUMBERS 6    /* number of members of struct aw_fit_half */
#define QUIET   16   /* samples per noise estimate */
#define SAMPLES 200  /* number of points checked for motion */
#define PIECES  9    /* pieces of the motion, of which every third is held out */
/* Strength of evidence, as a difference in the Bayesian information criterion (Kass, Raftery, J.
 * Am. Stat. Assoc. 90, 1995). */
#define MENTIONED   2
#define VERY_STRONG 10
#define UNSURE      20 /* additional evidence required for a structure with an uncertain lag */

/* The fit of one model structure to the used data. */
struct candidate {
    double at[AW_LOOSE], sum, log_det, independent;
    double numbers[NUMBERS], half[NUMBERS];
    bool hidden; /* a lag is too fast for the samples, or too slow for the record */
    bool sound;  /* all lags are known */
};

/* ---- Residuals ---- */

static double independent_samples(const double *residual, size_t n, size_t counted)
{
    double own = 0, next = 0;
    for (size_t i = 0; i + 1 < n; i++) {
        own += residual[i] * residual[i];
        next += residual[i] * residual[i + 1];
    }
    double r = own > 0 ? fmin(fmax(next / own, 0), 0.98) : 0;
    return (double)counted * (1 - r) / (1 + r);
}

static double criterion(const struct aw_search *s, const struct candidate *of, double independent)
{
    size_t which[AW_PARAMETERS];
    double m = fmax(independent, 10), n = (double)s->weights.counted;
    double likelihood = m * (log(of->sum / n + 1e-30) + of->log_det / n);
    return likelihood + (double)aw_search_parameters(s, which) * log(m);
}

/* Returns the share of the variation that the model explains in held-out or other samples. */
static double fit_over(const struct aw_search *s, const double *error, const bool *held,
                       bool of_held)
{
    double off = 0, all = 0, mean = 0;
    size_t n = 0;
    for (size_t from = 0, to; from < s->trial->n; from = to) {
        to = aw_weights_piece_end(&s->weights, from);
        mean = 0;
        for (size_t i = from; i < to; i++)
            mean += s->trial->y[i] / (double)(to - from);
        for (size_t i = from; i < to; i++) {
            all += (s->trial->y[i] - mean) * (s->trial->y[i] - mean) / (double)s->trial->n;
            off += held[i] == of_held ? error[i] * error[i] : 0;
            n += held[i] == of_held;
        }
    }
    return all > 0 && n > 0 ? fmax(-1, 1 - sqrt(off / (double)n / all)) : NAN;
}

static double half_width(double cov[AW_PARAMETERS][AW_PARAMETERS], size_t m,
                         const double gradient[AW_PARAMETERS])
{
    double sum = 0;
    for (size_t r = 0; r < m; r++)
        for (size_t c = 0; c < m; c++)
            sum += gradient[r] * cov[r][c] * gradient[c];
    return 1.96 * sqrt(fmax(sum, 0));
}

/* Copies the parameters of the search in the order of struct aw_fit_half. */
static void numbers_of(const struct aw_search *s, double out[NUMBERS])
{
    struct aw_process process = aw_search_process(s);
    out[0] = process.gain;
    out[1] = process.dead_time_s;
    aw_process_lags(&process, &out[2], &out[3], NULL);
    out[4] = process.a3;
    out[5] = s->at[AW_DEAD_BAND];
}

/* Finds the half-widths of the results from the covariance of the parameters, by finite
 * differences. */
static void halves_of(const struct aw_search *s, double cov[AW_PARAMETERS][AW_PARAMETERS],
                      double half[NUMBERS])
{
    double gradient[NUMBERS][AW_PARAMETERS], now[NUMBERS], moved[NUMBERS];
    size_t which[AW_PARAMETERS], m = aw_search_parameters(s, which);
    numbers_of(s, now);
    for (size_t k = 0; k < m; k++) {
        struct aw_search other = *s;
        double *parameter =
            which[k] < AW_LOOSE ? &other.at[which[k]] : &other.linear[which[k] - AW_LOOSE];
        double h = 1e-4 * fmax(fabs(*parameter), 1e-3);
        *parameter += h;
        numbers_of(&other, moved);
        for (int i = 0; i < NUMBERS; i++)
            gradient[i][k] = (moved[i] - now[i]) / h;
    }
    const bool known[NUMBERS] = {
        true, true, true, s->loose[AW_SECOND_LAG], s->loose[AW_THIRD_LAG], s->loose[AW_DEAD_BAND],
    };
    for (int i = 0; i < NUMBERS; i++)
        half[i] = known[i] ? half_width(cov, m, gradient[i]) : NAN;
}

/* Returns the variance of the residuals, corrected for their correlation. */
static double variance(double sum, double independent)
{
    return sum / fmax(independent, 2);
}

/* Returns true for a lag or an oscillation faster than the samples resolve. A single lag is never
 * hidden. */
static bool is_hidden(const struct aw_search *s)
{
    double numbers[NUMBERS], least = SHOWN * s->weights.interval_s;
    numbers_of(s, numbers);
    bool second = s->loose[AW_SECOND_LAG], third = s->loose[AW_THIRD_LAG];
    return (second || third) &&
           (numbers[2] < least || (second && numbers[3] < least) || (third && numbers[4] < least));
}

/* Calculates the parameters and uncertainty of a structure, and marks uncertain lags: extra lags
 * always improve the fit to friction, hard springs and sparse samples. */
static enum aw_status weigh_up(struct aw_search *s, struct candidate *of, struct aw_error *err)
{
    double cov[AW_PARAMETERS][AW_PARAMETERS];
    size_t which[AW_PARAMETERS], m = aw_search_parameters(s, which);
    if (aw_task_is_abandoned())
        return AW_STOPPED;
    of->independent = independent_samples(s->residual, s->trial->n, s->weights.counted);
    enum aw_status status = aw_search_covariance(s, variance(of->sum, of->independent), cov, err);
    if (status != AW_OK)
        return status;
    numbers_of(s, of->numbers);
    halves_of(s, cov, of->half);
    bool only = !s->loose[AW_SECOND_LAG] && !s->loose[AW_THIRD_LAG];
    of->hidden = is_hidden(s);
    of->sound = true;
    for (size_t k = 0; k < m && which[k] <= AW_THIRD_LAG; k++) {
        bool known = 1.96 * sqrt(cov[k][k]) < KNOWN, fast = which[k] == AW_SECOND_LAG;
        bool slow = !s->integrating && !fast && exp(s->at[which[k]]) > s->longest_s / SLOW;
        of->sound &= known || only;
        of->hidden |= slow && !known;
    }
    return AW_OK;
}

static enum aw_status check(const struct aw_trial *trial, struct aw_error *err)
{
    if (trial->n < FEWEST || trial->n_inputs < 2)
        return aw_fail(err, AW_USAGE, "fit: too few samples (%zu, required %d) — record longer",
                       trial->n, FEWEST);
    for (size_t i = 0; i < trial->n_inputs; i++)
        if (!isfinite(trial->input[i]) || !isfinite(trial->input_t[i]) ||
            (i && trial->input_t[i] < trial->input_t[i - 1]))
            return aw_fail(
                err, AW_USAGE,
                "fit: input %zu is not a number, or its time decreases — correct the row", i + 1);
    for (size_t i = 0; i < trial->n; i++)
        if (!isfinite(trial->t[i]) || !isfinite(trial->y[i]) ||
            (i && trial->t[i] <= trial->t[i - 1]))
            return aw_fail(
                err, AW_USAGE,
                "fit: sample %zu is not a number, or its time does not increase — correct the row",
                i + 1);
    if (!(aw_spread(trial->input, trial->n_inputs) > 0))
        return aw_fail(err, AW_REFUSED,
                       "fit: input is constant — start at rest, then excite the process");
    return AW_OK;
}

/* Calculates the model's error at each sample. */
static void errors_of(struct aw_search *s, double *error)
{
    aw_search_answer(s, error);
    for (size_t i = 0; i < s->trial->n; i++)
        error[i] = s->trial->y[i] - error[i];
}

/* Checks the best model on held-out data. Then fits the whole record, starting from that model. */
static enum aw_status finish(struct aw_search *s, const struct candidate *best,
                             struct candidate *whole, struct aw_fit *fit, struct aw_error *err)
{
    size_t n = s->trial->n;
    const bool *held = s->weights.held;
    double *error = calloc(n, sizeof *error);
    if (!error)
        return aw_no_memory(err);
    memcpy(s->at, best->at, sizeof s->at);
    aw_search_plain(s, s->weights.piece);
    double sum = aw_starts_weigh(s, aw_search_cost(s), fit->scatter);
    double sigma2 = sum / (double)s->weights.counted;
    errors_of(s, error);
    aw_search_hold_out(s, NULL);
    aw_search_weigh(s, sigma2, fit->scatter);
    aw_weights_innovate(&s->weights, error, s->tried);
    fit->own = fit_over(s, error, held, false);
    fit->held_out = fit_over(s, error, held, true);
    whole->sum = aw_starts_refine(s, aw_search_descend(s), fit->scatter);
    errors_of(s, error);
    fit->offset = 0;
    for (size_t i = 0; i < n; i++)
        fit->offset += error[i] / (double)n;
    free(error);
    fit->process = aw_search_process(s);
    fit->process.dead_time_s = fmax(0, fit->process.dead_time_s);
    fit->drift = s->linear[AW_DRIFT];
    fit->dead_band = s->at[AW_DEAD_BAND];
    fit->n = n;
    fit->interval_s = s->weights.interval_s;
    fit->sigma = sqrt(whole->sum / (double)n);
    enum aw_status status = weigh_up(s, whole, err);
    aw_search_hold_out(s, held);
    return status;
}

/* Returns the structure of this kind with the lowest criterion. AW_PROCESS_KINDS: of any kind. */
static size_t least_of(const double bic[AW_STRUCTURES], enum aw_process_kind kind)
{
    size_t best = AW_STRUCTURES;
    for (size_t i = 0; i < AW_STRUCTURES; i++)
        if ((kind == AW_PROCESS_KINDS || kind == aw_starts_kind(i)) &&
            (best == AW_STRUCTURES || bic[i] < bic[best]))
            best = i;
    return best;
}

static size_t choice(struct aw_search *s, const struct aw_fit_options *o,
                     const struct candidate *of, double bic[AW_STRUCTURES])
{
    double m = 0, told[AW_STRUCTURES];
    for (size_t i = 0; i < AW_STRUCTURES; i++)
        m = fmax(m, of[i].independent);
    for (size_t i = 0; i < AW_STRUCTURES; i++) {
        aw_starts_use(s, i, o->find_dead_band);
        bic[i] = criterion(s, &of[i], m);
        told[i] = bic[i] + (of[i].hidden ? INFINITY : of[i].sound ? 0 : UNSURE);
    }
    if (o->only)
        return least_of(told, o->kind);
    size_t best = least_of(told, AW_PROCESS_KINDS);
    size_t integrating = least_of(told, AW_PROCESS_INTEGRATING);
    /* prefers an integrator to a lag as long as the record, unless the evidence is strong */
    bool slow = exp(fmax(of[best].at[AW_LAG], of[best].at[AW_THIRD_LAG])) > s->longest_s / 2;
    return slow && told[integrating] < told[best] + VERY_STRONG ? integrating : best;
}

/* Widens the intervals by the differences between structures that cannot be excluded, and by the
 * uncertainty of the input. */
static void note_confidence(const struct aw_search *s, const struct candidate *of,
                            const double bic[AW_STRUCTURES], size_t best, struct candidate *whole,
                            struct aw_fit_half *half)
{
    double *const halves[NUMBERS] = {
        &half->gain, &half->dead_time, &half->tau1, &half->tau2, &half->tau3, &half->dead_band,
    };
    for (size_t i = 0; i < AW_STRUCTURES; i++)
        for (int k = 0; k < 2 && i != best && bic[i] < bic[best] + MENTIONED; k++)
            if (k == 1 || (aw_starts_kind(i) == AW_PROCESS_INTEGRATING) == s->integrating)
                whole->half[k] = fmax(whole->half[k], fabs(of[i].numbers[k] - of[best].numbers[k]) +
                                                          fmin(of[i].half[k], of[best].half[k]));
    whole->half[1] += s->trial->late_s;
    for (int i = 0; i < NUMBERS - 1; i++)
        whole->half[i] += ROUGHLY * s->trial->rough * fabs(whole->numbers[i]);
    for (int i = 3; i < NUMBERS - 1; i++) /* an error of a slow lag also affects the fast ones */
        if (whole->numbers[i] > 0)
            whole->half[i] += s->trial->rough * sqrt(whole->numbers[2] * whole->numbers[i]);
    for (int i = 0; i < NUMBERS; i++)
        *halves[i] = whole->half[i];
}

/* Fits one structure. For a long record, the likeliest structure comes first, and its result limits
 * the search of the others. */
static enum aw_status try_structure(struct aw_search *s, const struct aw_starts *starts, size_t i,
                                    double *bar, struct candidate *of, struct aw_error *err)
{
    bool is_long = starts->n > 1;
    aw_starts_begin(starts, s, i);
    s->bar = *bar;
    double sum = is_long && is_hidden(s) ? INFINITY : aw_search_descend(s);
    s->bar = INFINITY;
    of->sum = INFINITY;
    if (is_long && sum > *bar)
        return AW_OK;
    *bar = is_long ? fmin(*bar, sum * HOPELESS) : INFINITY;
    of->sum = aw_starts_refine(s, sum, starts->scatter);
    of->log_det = s->weights.log_det;
    memcpy(of->at, s->at, sizeof of->at);
    return weigh_up(s, of, err);
}

static enum aw_status choose(struct aw_search *s, const struct aw_fit_options *o, size_t piece,
                             struct aw_fit *fit, struct aw_error *err)
{
    struct candidate of[AW_STRUCTURES] = {0}, whole;
    struct aw_starts starts;
    double bic[AW_STRUCTURES], bar = INFINITY;
    enum aw_status status = aw_starts_find(&starts, s->trial, s->weights.held, piece, o, err);
    size_t first = starts.n > 1 ? starts.likeliest : 0;
    fit->scatter = starts.scatter;
    for (size_t k = 0; k < AW_STRUCTURES && status == AW_OK; k++) {
        size_t i = k == 0 ? first : k <= first ? k - 1 : k;
        aw_starts_use(s, i, o->find_dead_band);
        aw_search_plain(s, piece);
        status = try_structure(s, &starts, i, &bar, &of[i], err);
    }
    if (status != AW_OK)
        return status;
    size_t best = choice(s, o, of, bic);
    aw_starts_use(s, best, o->find_dead_band);
    status = finish(s, &of[best], &whole, fit, err);
    /* the whole record may show that a lag is an integrator */
    if (status == AW_OK && whole.hidden && !o->only && of[AW_PROCESS_INTEGRATING].sum < LARGEST) {
        best = AW_PROCESS_INTEGRATING;
        aw_starts_use(s, best, o->find_dead_band);
        status = finish(s, &of[best], &whole, fit, err);
    }
    fit->independent = whole.independent;
    note_confidence(s, of, bic, best, &whole, &fit->half);
    return status;
}

/* Returns the number of samples in two oscillations of a relay: four times the median time between
 * jumps. Returns all samples if there are few jumps. */
static size_t piece_of(const struct aw_trial *trial)
{
    double jump = 0.2 * aw_spread(trial->input, trial->n_inputs), between[MOST_JUMPS], before = 0;
    size_t n = 0;
    for (size_t i = 0; i + 1 < trial->n_inputs && n < MOST_JUMPS; i++)
        if (fabs(trial->input[i + 1] - trial->input[i]) > jump) {
            between[n++] = trial->input_t[i] - before;
            before = trial->input_t[i];
        }
    if (n < 8)
        return trial->n;
    qsort(between, n, sizeof *between, aw_ascending);
    double span = trial->t[trial->n - 1] - trial->t[0];
    double piece = 4 * between[n / 2] / span * (double)trial->n;
    return piece < 20 ? 20 : (size_t)fmin(piece, (double)trial->n);
}

static double longest_gap(const struct aw_trial *trial)
{
    double gap = 0;
    for (size_t i = 0; i + 1 < trial->n; i++)
        gap = fmax(gap, trial->t[i + 1] - trial->t[i]);
    return gap;
}

static enum aw_status fail_to_follow(const struct aw_search *s, double fit, struct aw_error *err)
{
    double gap = longest_gap(s->trial);
    fit = 100 * fmax(fit, 0);
    if (gap > GAP * s->weights.interval_s)
        return aw_fail(err, AW_REFUSED,
                       "fit: output does not follow the input (fit %.0f %%) — no samples for %.2g "
                       "s: measure again, with fewer programs running",
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
    size_t piece = piece_of(s->trial);
    enum aw_status status = choose(s, o, s->trial->n, fit, err);
    if (status == AW_OK && !(fit->held_out > POOR) && piece < s->weights.counted / 2) {
        status = choose(s, o, piece, &fast, err);
        fast.piece_s = s->longest_s * (double)piece / (double)s->trial->n;
        if (status == AW_OK && fast.held_out > fit->held_out)
            *fit = fast;
    }
    if (status == AW_OK && !(fit->own > FOLLOWS))
        return fail_to_follow(s, fit->own, err);
    return status;
}

/* ---- Held-out data ---- */

/* Finds the motion between SAMPLES points of the record, and returns its sum. Ignores motions below
 * a fiftieth of the range. */
static double distance_moved(const struct aw_trial *trial, double way[SAMPLES])
{
    size_t places = trial->n < SAMPLES ? trial->n : SAMPLES;
    double mean[SAMPLES], all = 0;
    for (size_t i = 0; i < places; i++) {
        size_t from = trial->n * i / places, to = trial->n * (i + 1) / places;
        mean[i] = 0;
        for (size_t j = from; j < to; j++)
            mean[i] += trial->y[j] / (double)(to - from);
    }
    double little = aw_spread(mean, places) / 50;
    for (size_t i = 0; i < SAMPLES; i++) {
        double by = i > 0 && i < places ? fabs(mean[i] - mean[i - 1]) : 0;
        way[i] = by > little ? by : 0;
        all += way[i];
    }
    return all;
}

/* Holds out the end of the record. If the end moves less than half of its share, holds out every
 * third piece of the motion instead. */
static void hold_out(const struct aw_trial *trial, double share, bool *held)
{
    double way[SAMPLES], all = distance_moved(trial, way), last = 0;
    size_t n = trial->n, places = n < SAMPLES ? n : SAMPLES, from = places, to = 0;
    for (size_t i = 0; i < places; i++) {
        last += (double)i >= (1 - share) * (double)places ? way[i] : 0;
        if (way[i] > 0) {
            from = from < i ? from : i;
            to = i + 1;
        }
    }
    if (last >= share * all / 2 || from >= to) {
        for (size_t i = (size_t)((double)n * (1 - share)); i < n; i++)
            held[i] = true;
        return;
    }
    double begins = (double)(from > 0 ? from - 1 : 0) / (double)places * (double)n;
    double each = (double)to / (double)places * (double)n - begins;
    for (size_t i = 0; i < n; i++) {
        double along = ((double)i - begins) / each * PIECES;
        held[i] = along >= 0 && along < PIECES && (int)along % 3 == 2;
    }
}

enum aw_status aw_fit_best(const struct aw_trial *trial, const struct aw_fit_options *options,
                           struct aw_fit *fit, struct aw_error *err)
{
    static const struct aw_fit_options plain;
    const struct aw_fit_options *o = options ? options : &plain;
    struct aw_search s;
    *fit = (struct aw_fit){0};
    enum aw_status status = check(trial, err);
    if (status != AW_OK)
        return status;
    bool *held = calloc(trial->n, sizeof *held);
    if (!held)
        return aw_no_memory(err);
    hold_out(trial, o->held_out > 0 ? fmin(o->held_out, 0.8) : HELD_OUT, held);
    status = aw_search_begin(&s, trial, held, err);
    s.zone = o->dead_zone;
    if (status == AW_OK)
        status = choose_scale(&s, o, fit, err);
    aw_search_end(&s);
    free(held);
    return status;
}

bool aw_fit_is_linear(const struct aw_fit *fit)
{
    return !(fit->independent < LINEAR * (double)fit->n);
}

bool aw_fit_explains(const struct aw_fit *fit)
{
    return !(fit->held_out < AW_FIT_TRUSTED);
}

bool aw_fit_is_timely(const struct aw_fit *fit)
{
    double all = fit->process.dead_time_s + fit->process.a1 + fit->process.a3;
    return !(fit->interval_s > 0 && fit->half.dead_time > fmax(fit->interval_s, SMALL * all));
}

bool aw_fit_trusted(const struct aw_fit *fit)
{
    return aw_fit_explains(fit) && aw_fit_is_timely(fit);
}

/* ---- Noise and steps of the measured values ---- */

struct aw_grain aw_grain(const double *y, size_t n)
{
    struct aw_grain grain = {0};
    double *sorted = n > 3 ? malloc(n * sizeof *sorted) : NULL;
    if (!sorted)
        return grain;
    size_t windows = 0;
    for (size_t from = 0; from + QUIET + 3 <= n; from += QUIET) {
        double sum = 0;
        for (size_t i = from; i < from + QUIET; i++) {
            double third = y[i + 3] - 3 * y[i + 2] + 3 * y[i + 1] - y[i];
            sum += third * third;
        }
        sorted[windows++] = sqrt(sum / QUIET / 20);
    }
    qsort(sorted, windows, sizeof *sorted, aw_ascending);
    grain.noise = windows ? sorted[windows / 10] : 0;
    memcpy(sorted, y, n * sizeof *sorted);
    qsort(sorted, n, sizeof *sorted, aw_ascending);
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
