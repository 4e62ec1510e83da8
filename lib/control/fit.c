/* Which model a record asks for, how sure its numbers are, how good it is. */
#include "control/fit.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "control/samples.h"
#include "control/search.h"

#define FEWEST     30
#define HELD_OUT   0.3
#define MOST_JUMPS 120  /* that a swing's length is taken from */
#define POOR       0.7  /* a fit */
#define SLOW       8    /* times such a lag is the record's length */
#define KNOWN      0.25 /* a slow lag, by a quarter, or it is none */
#define NUMBERS    6    /* of struct aw_fit_half */
#define QUIET      16   /* samples that noise is taken from */
/* Evidence, as a difference of the criterion: Kass, Raftery, J. Am. Stat. Assoc. 90, 1995. */
#define VERY_STRONG 10

/* Simple ones first: a later one begins where an earlier one ended. */
static const struct structure {
    enum aw_process_kind kind;
    bool third_lag;
    size_t from;
} structures[] = {
    {.kind = AW_PROCESS_FIRST},
    {.kind = AW_PROCESS_INTEGRATING},
    {.kind = AW_PROCESS_SECOND},
    {.kind = AW_PROCESS_INTEGRATING, .third_lag = true, .from = AW_PROCESS_INTEGRATING},
    {.kind = AW_PROCESS_THIRD, .third_lag = true, .from = AW_PROCESS_SECOND},
};
#define STRUCTURES (sizeof structures / sizeof *structures)

/* What a structure comes to over the part that is used. */
struct candidate {
    double at[AW_LOOSE], sum, independent;
    bool sound;
};

static void use(struct aw_search *s, size_t structure, bool find_dead_band)
{
    const struct structure *it = &structures[structure];
    aw_search_structure(s, it->kind, it->third_lag, find_dead_band);
}

/* ---- Where a search begins: the best of several places -----------------------------------------
 */

struct best {
    double at[AW_LOOSE], sum;
};

static void try_from_here(struct aw_search *s, struct best *best)
{
    double sum = aw_search_descend(s);
    if (sum < best->sum) {
        best->sum = sum;
        memcpy(best->at, s->at, sizeof best->at);
    }
}

/* A second order begins at the first order that was found, its lag shared out in several ways, and
 * at the integrator, as a lag of the record's length. */
static void try_second(struct aw_search *s, const double *first, const double *integrating,
                       struct best *best)
{
    static const struct {
        double lag, part, dead_time;
    } ways[] = {{1, 0.05, 0.8}, {1, 0.25, 0.5}, {0.7, 0.5, 0.2}, {0.4, 1, 0.1}};
    for (size_t i = 0; i < 6; i++) {
        const double *start = i < 4 ? first : integrating;
        double lag = exp(start[AW_LAG]) + start[AW_DEAD_TIME];
        memcpy(s->at, start, sizeof s->at);
        s->at[AW_LAG] = i < 4 ? log(lag * ways[i].lag) : log(s->longest_s * (i == 4 ? 1 : 0.1));
        s->at[AW_SECOND_LAG] = i < 4 ? log(lag * ways[i].lag * ways[i].part) : start[AW_LAG];
        s->at[AW_DEAD_TIME] = start[AW_DEAD_TIME] * (i < 4 ? ways[i].dead_time : 1);
        try_from_here(s, best);
    }
}

/* A third lag begins as a part of the dead time; or it is the slow one, and what is fast begins as
 * a pair that may swing. */
static void try_third(struct aw_search *s, const double *from, struct best *best)
{
    double dead_time = from[AW_DEAD_TIME], fast = dead_time + exp(from[AW_SECOND_LAG]);
    for (size_t i = 0; i < (s->loose[AW_SECOND_LAG] ? 3 : 2); i++) {
        memcpy(s->at, from, sizeof s->at);
        s->at[AW_THIRD_LAG] = i < 2 ? log(dead_time * (i == 0 ? 0.5 : 1)) : from[AW_LAG];
        s->at[AW_DEAD_TIME] *= i == 0 ? 0.5 : 0.1;
        s->at[AW_LAG] = i < 2 ? from[AW_LAG] : log(fast);
        s->at[AW_SECOND_LAG] = i < 2 ? from[AW_SECOND_LAG] : log(fast / 2);
        try_from_here(s, best);
    }
}

/* ---- What the residuals say --------------------------------------------------------------------
 */

static double independent_samples(const double *residual, size_t n)
{
    double own = 0, next = 0;
    for (size_t i = 0; i + 1 < n; i++) {
        own += residual[i] * residual[i];
        next += residual[i] * residual[i + 1];
    }
    double r = own > 0 ? fmin(fmax(next / own, 0), 0.98) : 0;
    return (double)n * (1 - r) / (1 + r);
}

static double criterion(const struct aw_search *s, double sum, double independent)
{
    size_t which[AW_PARAMETERS];
    double m = fmax(independent, 10);
    return m * log(sum / (double)s->n + 1e-30) + (double)aw_search_parameters(s, which) * log(m);
}

/* What the model says of each sample, all but the offset. */
static void explain(struct aw_search *s, double *out)
{
    aw_search_answer(s, out);
    for (size_t i = 0; i < s->trial->n; i++)
        out[i] += s->linear[AW_DRIFT] * s->trial->t[i];
}

/* Share of the variation that is explained, where each piece is granted an offset: an integrator
 * keeps what drift has gathered before. */
static double fit_over(const struct aw_search *s, const double *model, size_t from, size_t to)
{
    double off = 0, all = 0;
    for (size_t n; from < to; from += n) {
        n = to - from < 2 * s->piece ? to - from : s->piece;
        double mean = 0, shift = 0;
        for (size_t i = from; i < from + n; i++) {
            mean += s->trial->y[i] / (double)n;
            shift += (s->trial->y[i] - model[i]) / (double)n;
        }
        for (size_t i = from; i < from + n; i++) {
            double y = s->trial->y[i], e = y - model[i] - shift;
            off += e * e;
            all += (y - mean) * (y - mean);
        }
    }
    return all > 0 ? 1 - sqrt(off / all) : NAN;
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

/* The numbers of a result from the parameters that were searched for, in the order of struct
 * aw_fit_half. */
static void numbers_of(const struct aw_search *s, double out[NUMBERS])
{
    struct aw_process process = aw_search_process(s);
    out[0] = process.gain;
    out[1] = process.dead_time_s;
    aw_process_lags(&process, &out[2], &out[3], NULL);
    out[4] = process.a3;
    out[5] = s->at[AW_DEAD_BAND];
}

/* How they follow from the parameters: by differences. */
static void note_confidence(struct aw_search *s, double cov[AW_PARAMETERS][AW_PARAMETERS],
                            struct aw_fit_half *half)
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
    double *const halves[NUMBERS] = {
        &half->gain, &half->dead_time, &half->tau1, &half->tau2, &half->tau3, &half->dead_band,
    };
    const bool known[NUMBERS] = {
        true,
        true,
        true,
        s->loose[AW_SECOND_LAG],
        s->loose[AW_THIRD_LAG],

        s->loose[AW_DEAD_BAND],
    };
    for (int i = 0; i < NUMBERS; i++)
        *halves[i] = known[i] ? half_width(cov, m, gradient[i]) : NAN;
}

/* Variance of the residuals as if none were like the one before. */
static double variance(double sum, double independent)
{
    return sum / fmax(independent, 2);
}

/* Is a slow lag told from an integrator? What friction and hard springs do is explained ever better
 * by more lags. */
static bool is_sound(struct aw_search *s, const struct candidate *of)
{
    double cov[AW_PARAMETERS][AW_PARAMETERS];
    size_t which[AW_PARAMETERS], m = aw_search_parameters(s, which);
    size_t slowest = of->at[AW_THIRD_LAG] > of->at[AW_LAG] ? AW_THIRD_LAG : AW_LAG;
    if (s->integrating || exp(of->at[slowest]) < s->longest_s / SLOW)
        return true;
    if (aw_search_covariance(s, variance(of->sum, of->independent), cov, NULL) != AW_OK)
        return false;
    for (size_t k = 0; k < m; k++)
        if (which[k] == slowest)
            return 1.96 * sqrt(cov[k][k]) < KNOWN;
    return true;
}

static enum aw_status check(const struct aw_trial *trial, struct aw_error *err)
{
    if (trial->n < FEWEST || trial->n_inputs < 2)
        return aw_fail(err, AW_USAGE, "fit: %zu samples are too few, %d are needed — record longer",
                       trial->n, FEWEST);
    for (size_t i = 0; i < trial->n_inputs; i++)
        if (!isfinite(trial->input[i]) || !isfinite(trial->input_t[i]) ||
            (i && trial->input_t[i] < trial->input_t[i - 1]))
            return aw_fail(err, AW_USAGE, "fit: input %zu is no number, or its time falls", i + 1);
    for (size_t i = 0; i < trial->n; i++)
        if (!isfinite(trial->t[i]) || !isfinite(trial->y[i]) ||
            (i && trial->t[i] <= trial->t[i - 1]))
            return aw_fail(err, AW_USAGE, "fit: sample %zu is no number, or its time does not grow",
                           i + 1);
    if (!(aw_spread(trial->input, trial->n_inputs) > 0))
        return aw_fail(err, AW_REFUSED, "fit: the input did not move — excite the process");
    return AW_OK;
}

static void try_structure(struct aw_search *s, size_t structure, const struct aw_fit_options *o,
                          struct candidate *of)
{
    const struct structure *it = &structures[structure];
    struct best best = {.sum = INFINITY};
    aw_search_forget_jumps(s);
    use(s, structure, false);
    memset(s->at, 0, sizeof s->at);
    s->at[AW_THIRD_LAG] = -INFINITY;
    s->at[AW_DEAD_BAND] = o->dead_band;
    if (it->third_lag) {
        try_third(s, of[it->from].at, &best);
    } else if (it->kind == AW_PROCESS_SECOND) {
        try_second(s, of[AW_PROCESS_FIRST].at, of[AW_PROCESS_INTEGRATING].at, &best);
    } else {
        aw_search_first_guess(s);
        try_from_here(s, &best);
    }
    memcpy(s->at, best.at, sizeof s->at);
    use(s, structure, o->find_dead_band);
    of[structure].sum = aw_search_descend_with_jumps(s);
    memcpy(of[structure].at, s->at, sizeof s->at);
    of[structure].independent = independent_samples(s->residual, s->n);
    of[structure].sound = structure < AW_PROCESS_SECOND || is_sound(s, &of[structure]);
}

/* Begins at what the first part said, and looks at how the last part is met; then the whole record.
 */
static enum aw_status finish(struct aw_search *s, const struct candidate *best, struct aw_fit *fit,
                             struct aw_error *err)
{
    size_t used = s->n, n = s->trial->n;
    double *model = calloc(n, sizeof *model);
    if (!model)
        return aw_no_memory(err);
    memcpy(s->at, best->at, sizeof s->at);
    aw_search_forget_jumps(s);
    aw_search_cost(s);
    s->n = n;
    aw_search_level(s);
    aw_search_time_jumps(s);
    explain(s, model);
    fit->own = fit_over(s, model, 0, used);
    fit->held_out = fit_over(s, model, used, n);
    double sum = aw_search_descend_with_jumps(s);
    explain(s, model);
    fit->offset = 0;
    for (size_t i = 0; i < n; i++)
        fit->offset += (s->trial->y[i] - model[i]) / (double)n;
    free(model);
    fit->process = aw_search_process(s);
    fit->drift = s->linear[AW_DRIFT];
    fit->dead_band = s->at[AW_DEAD_BAND];
    fit->n = n;
    fit->sigma = sqrt(sum / (double)n);
    fit->independent = independent_samples(s->residual, n);
    double cov[AW_PARAMETERS][AW_PARAMETERS];
    enum aw_status status = aw_search_covariance(s, variance(sum, fit->independent), cov, err);
    if (status == AW_OK)
        note_confidence(s, cov, &fit->half);
    return status;
}

/* The structure of the least criterion, of those of a kind (AW_PROCESS_KINDS: of any). */
static size_t least_of(const double bic[STRUCTURES], enum aw_process_kind kind)
{
    size_t best = STRUCTURES;
    for (size_t i = 0; i < STRUCTURES; i++)
        if ((kind == AW_PROCESS_KINDS || kind == structures[i].kind) &&
            (best == STRUCTURES || bic[i] < bic[best]))
            best = i;
    return best;
}

static size_t choice(struct aw_search *s, const struct aw_fit_options *o,
                     const struct candidate *of)
{
    double m = 0, bic[STRUCTURES];
    for (size_t i = 0; i < STRUCTURES; i++)
        m = fmax(m, of[i].independent);
    for (size_t i = 0; i < STRUCTURES; i++) {
        use(s, i, o->find_dead_band);
        bic[i] = of[i].sound ? criterion(s, of[i].sum, m) : INFINITY;
    }
    if (o->only)
        return least_of(bic, o->kind);
    size_t best = least_of(bic, AW_PROCESS_KINDS);
    size_t integrating = least_of(bic, AW_PROCESS_INTEGRATING);
    /* a lag as long as the record is an integrator, unless the record says otherwise clearly */
    bool slow = exp(fmax(of[best].at[AW_LAG], of[best].at[AW_THIRD_LAG])) > s->longest_s / 2;
    return slow && bic[integrating] < bic[best] + VERY_STRONG ? integrating : best;
}

static enum aw_status choose(struct aw_search *s, const struct aw_fit_options *o,
                             struct aw_fit *fit, struct aw_error *err)
{
    struct candidate of[STRUCTURES];
    aw_search_level(s);
    for (size_t i = 0; i < STRUCTURES; i++)
        try_structure(s, i, o, of);
    size_t best = choice(s, o, of);
    use(s, best, o->find_dead_band);
    return finish(s, &of[best], fit, err);
}

/* Samples of two swings of a relay, four times what lies between two jumps of the input as a rule;
 * of the whole record if there are few. */
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

/* What three parameters cannot follow slowly (a leg that swings along, a spring that gets harder)
 * they may follow fast, where a controller needs them to be right: swing by swing. */
static enum aw_status choose_scale(struct aw_search *s, const struct aw_fit_options *o,
                                   struct aw_fit *fit, struct aw_error *err)
{
    struct aw_fit fast = {0};
    size_t used = s->n, piece = piece_of(s->trial);
    s->piece = s->trial->n;
    enum aw_status status = choose(s, o, fit, err);
    if (status == AW_OK && !(fit->held_out > POOR) && piece < used / 2) {
        s->n = used;
        s->piece = piece;
        status = choose(s, o, &fast, err);
        fast.piece_s = s->longest_s * (double)piece / (double)s->trial->n;
        if (status == AW_OK && fast.held_out > fit->held_out)
            *fit = fast;
    }
    if (status == AW_OK && !(fmax(fit->own, fit->held_out) > 0.5))
        return aw_fail(err, AW_REFUSED,
                       "fit: what was measured does not follow the input (fit %.0f %%) — excite "
                       "more, see that the columns are the right ones",
                       100 * fmax(fit->own, 0));
    return status;
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
    double held_out = o->held_out > 0 ? fmin(o->held_out, 0.8) : HELD_OUT;
    status = aw_search_begin(&s, trial, err);
    s.n = (size_t)((double)trial->n * (1 - held_out));
    if (status == AW_OK)
        status = choose_scale(&s, o, fit, err);
    aw_search_end(&s);
    return status;
}

bool aw_fit_trusted(const struct aw_fit *fit)
{
    return !(fit->held_out < AW_FIT_TRUSTED);
}

/* ---- Noise and steps of the measured values ----------------------------------------------------
 */

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
