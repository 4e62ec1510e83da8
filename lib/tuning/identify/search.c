/* Separable least squares by Levenberg-Marquardt. */
#include "tuning/identify/search.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/task.h"
#include "tuning/identify/solve.h"

#define LAGS       8 /* grid points for the lag */
#define DEAD_TIMES 24
#define ITERATIONS 40
/* max iterations for a long record, a part of which has been searched before */
#define MAX_REFINEMENTS 4
/* smallest useful reduction of the sum, as a share of a sample's variance: below noise */
#define MIN_REDUCTION       1e-3
#define MIN_DAMPING         1   /* a step with less damping counts as long */
#define MAX_DAMPING         1e8 /* a step with more damping is too short */
#define MAX_REDUCTION_RATIO 3   /* max ratio of a step's actual and predicted reduction */
#define MAX_IDLE            4   /* max consecutive iterations without a useful reduction */
#define LARGEST             1e30
/* relative increase of the diagonal, so that nearly equal columns can be solved */
#define RIDGE 1e-12

static double dot_product(const double *a, const double *b, size_t n)
{
    double sum = 0;
    for (size_t i = 0; i < n; i++)
        sum += a[i] * b[i];
    return sum;
}

/* ---- A record ---- */

enum aw_status aw_search_begin(struct aw_search *s, const struct aw_trial *trial,
                               const bool *held_out, struct aw_error *err)
{
    *s = (struct aw_search){.trial = trial, .sum_limit = INFINITY};
    double **const columns[] = {
        &s->work.response,        &s->work.target,   &s->work.basis[AW_GAIN],
        &s->work.basis[AW_DRIFT], &s->work.residual, &s->work.trial_residual,
        &s->work.jacobian,
    };
    const size_t n_columns = sizeof columns / sizeof *columns, n = trial->n;
    s->work.block = calloc((n_columns - 1 + AW_NONLINEAR) * n, sizeof *s->work.block);
    for (size_t i = 0; s->work.block && i < n_columns; i++)
        *columns[i] = s->work.block + i * n;
    s->record_s = trial->t[trial->n - 1] - trial->t[0];
    enum aw_status status = aw_weights_begin(&s->weights, trial, held_out, err);
    if (status != AW_OK || !s->work.block)
        return aw_no_memory(err);
    aw_search_reset_weights(s, trial->n);
    return AW_OK;
}

void aw_search_end(struct aw_search *s)
{
    aw_weights_end(&s->weights);
    free(s->work.block);
}

void aw_search_set_structure(struct aw_search *s, enum aw_process_kind kind, bool third_lag,
                             bool find_dead_band)
{
    s->integrating = s->uses_linear[AW_DRIFT] = kind == AW_PROCESS_INTEGRATING;
    s->uses_linear[AW_GAIN] = s->is_free[AW_LAG] = s->is_free[AW_DEAD_TIME] = true;
    s->is_free[AW_SECOND_LAG] = kind == AW_PROCESS_SECOND || kind == AW_PROCESS_THIRD;
    s->is_free[AW_THIRD_LAG] = third_lag;
    s->is_free[AW_DEAD_BAND] = find_dead_band;
}

static void whiten(struct aw_search *s)
{
    aw_weights_apply(&s->weights, s->trial->y, s->work.target);
    aw_weights_apply(&s->weights, s->trial->t, s->work.basis[AW_DRIFT]);
}

void aw_search_reset_weights(struct aw_search *s, size_t piece)
{
    aw_weights_reset(&s->weights, piece);
    whiten(s);
}

size_t aw_search_list_parameters(const struct aw_search *s, size_t parameters[AW_PARAMETERS])
{
    size_t n = 0;
    for (size_t k = 0; k < AW_PARAMETERS; k++)
        if (k < AW_NONLINEAR ? s->is_free[k] : s->uses_linear[k - AW_NONLINEAR])
            parameters[n++] = k;
    return n;
}

static size_t list_nonlinear(const struct aw_search *s, size_t parameters[AW_PARAMETERS])
{
    size_t n = aw_search_list_parameters(s, parameters);
    while (n > 0 && parameters[n - 1] >= AW_NONLINEAR)
        n--;
    return n;
}

/* ---- Responses of a model ---- */

/* Returns the process with unit gain. */
static struct aw_process make_process(const struct aw_search *s, const double *at)
{
    double a1 = exp(at[AW_LAG]);
    return (struct aw_process){
        .gain = 1,
        .integrating = s->integrating,
        .a1 = a1,
        .a2 = s->is_free[AW_SECOND_LAG] ? a1 * exp(at[AW_SECOND_LAG]) : 0,
        .a3 = s->is_free[AW_THIRD_LAG] ? exp(at[AW_THIRD_LAG]) : 0,
        .dead_time_s = at[AW_DEAD_TIME],
    };
}

struct aw_process aw_search_get_process(const struct aw_search *s)
{
    struct aw_process process = make_process(s, s->params);
    process.gain = s->linear[AW_GAIN];
    return process;
}

static void simulate(const struct aw_search *s, const struct aw_process *process, const double *at,
                     double *out)
{
    struct aw_dead_band dead = {s->zone, at[AW_DEAD_BAND]};
    aw_simulate(s->trial, s->trial->n, process, &dead, out);
}

void aw_search_simulate(struct aw_search *s, double *out)
{
    struct aw_process process = aw_search_get_process(s);
    simulate(s, &process, s->params, out);
    for (size_t i = 0; i < s->trial->n; i++)
        out[i] += s->linear[AW_DRIFT] * s->trial->t[i];
}

/* Solves for the linear parameters and calculates the residuals. Returns the sum of squares. */
static double project(struct aw_search *s, double *residual)
{
    double a[AW_LINEAR * AW_LINEAR] = {0}, b[AW_LINEAR];
    size_t parameters[AW_LINEAR], m = 0;
    aw_weights_apply(&s->weights, s->work.response, s->work.basis[AW_GAIN]);
    for (size_t k = 0; k < AW_LINEAR; k++)
        if (s->uses_linear[k])
            parameters[m++] = k;
    for (size_t r = 0; r < m; r++) {
        const double *column = s->work.basis[parameters[r]];
        b[r] = dot_product(column, s->work.target, s->trial->n);
        for (size_t c = 0; c <= r; c++)
            a[r * m + c] = dot_product(column, s->work.basis[parameters[c]], s->trial->n) *
                           (r == c ? 1 + RIDGE : 1);
    }
    if (!(a[0] > 0))
        return LARGEST;
    aw_cholesky(a, m, 0);
    aw_cholesky_solve(a, b, m);
    memset(s->linear, 0, sizeof s->linear);
    memcpy(residual, s->work.target, s->trial->n * sizeof *residual);
    for (size_t r = 0; r < m; r++) {
        s->linear[parameters[r]] = b[r];
        for (size_t i = 0; i < s->trial->n; i++)
            residual[i] -= b[r] * s->work.basis[parameters[r]][i];
    }
    double sum = dot_product(residual, residual, s->trial->n);
    return isfinite(sum) ? sum : LARGEST;
}

static double evaluate(struct aw_search *s, const double *at, double *residual)
{
    struct aw_process process = make_process(s, at);
    if (aw_task_is_abandoned())
        return LARGEST;
    simulate(s, &process, at, s->work.response);
    return project(s, residual);
}

double aw_search_evaluate(struct aw_search *s)
{
    return evaluate(s, s->params, s->work.residual);
}

void aw_search_hold_out(struct aw_search *s, const bool *held_out)
{
    aw_weights_hold_out(&s->weights, held_out);
}

double aw_search_weigh(struct aw_search *s, double sigma2, double scatter)
{
    struct aw_process process = aw_search_get_process(s);
    struct aw_dead_band dead = {s->zone, s->params[AW_DEAD_BAND]};
    if (aw_task_is_abandoned())
        return LARGEST;
    aw_weights_calculate(&s->weights, &process, &dead, sigma2, scatter);
    whiten(s);
    return project(s, s->work.residual);
}

/* ---- Levenberg-Marquardt ---- */

static void clamp(const struct aw_search *s, double *at)
{
    for (size_t k = AW_LAG; k <= AW_THIRD_LAG; k++)
        at[k] = fmin(fmax(at[k], log(1e-5)), log(100 * s->record_s));
    at[AW_DEAD_TIME] = fmin(fmax(at[AW_DEAD_TIME], -s->trial->jump_half_s), s->record_s / 2);
    at[AW_DEAD_BAND] = fmax(at[AW_DEAD_BAND], 0);
}

static double find_difference(const struct aw_search *s, size_t parameter)
{
    if (parameter == AW_DEAD_TIME)
        return 1e-5 * exp(s->params[AW_LAG]) + 1e-6 * s->record_s;
    return parameter == AW_DEAD_BAND ? 1e-4 : 1e-3;
}

/* Calculates forward differences of the projected residuals. */
static void differentiate(struct aw_search *s, size_t n_nonlinear, const size_t *parameters)
{
    for (size_t k = 0; k < n_nonlinear; k++) {
        double at[AW_NONLINEAR], *column = s->work.jacobian + k * s->trial->n,
                                 h = find_difference(s, parameters[k]);
        memcpy(at, s->params, sizeof at);
        at[parameters[k]] += h;
        evaluate(s, at, s->work.trial_residual);
        for (size_t i = 0; i < s->trial->n; i++)
            column[i] = (s->work.trial_residual[i] - s->work.residual[i]) / h;
    }
}

/* Calculates a step, and returns the greatest possible reduction of the sum. */
static double find_step(const struct aw_search *s, size_t m, double damping, double *step)
{
    double a[AW_NONLINEAR * AW_NONLINEAR] = {0}, gradient[AW_NONLINEAR];
    for (size_t r = 0; r < m; r++) {
        const double *column = s->work.jacobian + r * s->trial->n;
        gradient[r] = step[r] = -dot_product(column, s->work.residual, s->trial->n);
        for (size_t c = 0; c <= r; c++)
            a[r * m + c] = dot_product(column, s->work.jacobian + c * s->trial->n, s->trial->n) *
                               (r == c ? 1 + damping : 1) +
                           1e-300;
    }
    aw_cholesky(a, m, 0);
    aw_cholesky_solve(a, step, m);
    return 2 * dot_product(gradient, step, m);
}

/* Calculates the parameters after a step. */
static void apply_step(const struct aw_search *s, size_t m, const size_t *parameters,
                       const double *step, double at[AW_NONLINEAR])
{
    memcpy(at, s->params, AW_NONLINEAR * sizeof *at);
    for (size_t k = 0; k < m; k++)
        at[parameters[k]] +=
            parameters[k] < AW_DEAD_TIME ? fmax(-1.5, fmin(1.5, step[k])) : step[k];
    clamp(s, at);
}

enum outcome { CONTINUES, CONVERGED, GAVE_UP };

/* Tries shorter and shorter steps until one reduces the sum. */
static enum outcome try_steps(struct aw_search *s, size_t m, const size_t *parameters,
                              double *damping, double *best)
{
    double threshold = fmax(s->tolerance, MIN_REDUCTION / (double)s->weights.n_counted);
    double at[AW_NONLINEAR], step[AW_NONLINEAR];
    while (*damping < MAX_DAMPING) {
        double gain = find_step(s, m, *damping, step);
        if (*damping < MIN_DAMPING && gain < threshold * *best)
            return CONVERGED;
        if (*best - MAX_REDUCTION_RATIO * gain > s->sum_limit && *damping < MIN_DAMPING)
            return GAVE_UP;
        apply_step(s, m, parameters, step, at);
        double sum = evaluate(s, at, s->work.trial_residual);
        if (sum < *best) {
            *best = sum;
            memcpy(s->params, at, sizeof at);
            memcpy(s->work.residual, s->work.trial_residual,
                   s->trial->n * sizeof *s->work.residual);
            *damping /= 10;
            /* near its end, the search of a long record reuses the Jacobian */
            bool is_long = s->trial->n > AW_LONG_RECORD && *damping < MIN_DAMPING;
            return is_long && find_step(s, m, *damping, step) < threshold * sum ? CONVERGED
                                                                                : CONTINUES;
        }
        *damping *= 5;
    }
    return CONTINUES;
}

double aw_search_descend(struct aw_search *s)
{
    size_t parameters[AW_PARAMETERS], m = list_nonlinear(s, parameters);
    clamp(s, s->params);
    double damping = 1e-2, best = aw_search_evaluate(s);
    double threshold = fmax(s->tolerance, MIN_REDUCTION / (double)s->weights.n_counted);
    int n_idle = 0, max_iterations = s->trial->n > AW_LONG_RECORD ? MAX_REFINEMENTS : ITERATIONS;
    for (int i = 0; i < max_iterations && damping < MAX_DAMPING && n_idle < MAX_IDLE; i++) {
        double previous = best;
        if (aw_task_is_abandoned())
            return LARGEST;
        differentiate(s, m, parameters);
        enum outcome outcome = try_steps(s, m, parameters, &damping, &best);
        if (outcome == GAVE_UP)
            return LARGEST;
        /* short steps always reduce the sum little, so only a long step shows convergence */
        bool improved = best < previous * (1 - threshold);
        n_idle = improved ? 0 : n_idle + 1;
        if (outcome == CONVERGED || (!improved && (damping < MIN_DAMPING || best >= previous)))
            break;
    }
    return aw_search_evaluate(s);
}

void aw_search_first_guess(struct aw_search *s)
{
    double lowest = LARGEST, guess[AW_NONLINEAR],
           from = s->record_s / (double)(s->trial->n - 1) / 2;
    memcpy(guess, s->params, sizeof guess);
    for (int i = 0; i < LAGS; i++)
        for (int k = 0; k < DEAD_TIMES; k++) {
            double at[AW_NONLINEAR];
            memcpy(at, s->params, sizeof at);
            at[AW_LAG] = log(from) + (log(2 * s->record_s) - log(from)) * i / (LAGS - 1);
            at[AW_DEAD_TIME] =
                k ? from * pow(s->record_s / 4 / from, (k - 1.) / (DEAD_TIMES - 2)) : 0;
            double sum = evaluate(s, at, s->work.trial_residual);
            if (sum < lowest) {
                lowest = sum;
                memcpy(guess, at, sizeof guess);
            }
        }
    memcpy(s->params, guess, sizeof guess);
}

/* ---- Covariance ---- */

/* Calculates the effect of one parameter on the whitened response, with the others fixed. */
static void find_effect(struct aw_search *s, size_t parameter, double *out)
{
    if (parameter >= AW_NONLINEAR) {
        memcpy(out, s->work.basis[parameter - AW_NONLINEAR], s->trial->n * sizeof *out);
        return;
    }
    double at[AW_NONLINEAR], h = find_difference(s, parameter);
    memcpy(at, s->params, sizeof at);
    at[parameter] += h;
    struct aw_process process = make_process(s, at);
    process.gain = s->linear[AW_GAIN];
    simulate(s, &process, at, s->work.trial_residual);
    aw_weights_apply(&s->weights, s->work.trial_residual, out);
    for (size_t i = 0; i < s->trial->n; i++)
        out[i] = (out[i] - s->linear[AW_GAIN] * s->work.basis[AW_GAIN][i]) / h;
}

enum aw_status aw_search_covariance(struct aw_search *s, double sigma2,
                                    double out[AW_PARAMETERS][AW_PARAMETERS], struct aw_error *err)
{
    double a[AW_PARAMETERS * AW_PARAMETERS], b[AW_PARAMETERS];
    size_t parameters[AW_PARAMETERS], m = aw_search_list_parameters(s, parameters), n = s->trial->n;
    double *effects = calloc(m * n, sizeof *effects);
    if (!effects)
        return aw_no_memory(err);
    for (size_t r = 0; r < m; r++) {
        find_effect(s, parameters[r], effects + r * n);
        for (size_t c = 0; c <= r; c++)
            a[r * m + c] =
                dot_product(effects + r * n, effects + c * n, n) * (r == c ? 1 + RIDGE : 1);
    }
    free(effects);
    aw_cholesky(a, m, 0);
    for (size_t c = 0; c < m; c++) {
        memset(b, 0, sizeof b);
        b[c] = 1;
        aw_cholesky_solve(a, b, m);
        for (size_t r = 0; r < m; r++)
            out[r][c] = sigma2 * b[r];
    }
    return AW_OK;
}
