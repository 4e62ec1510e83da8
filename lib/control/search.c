/* Separable least squares by Levenberg-Marquardt, and when the input jumped. */
#include "control/search.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#define LAGS        8 /* of the grid */
#define DEAD_TIMES  24
#define ITERATIONS  40
#define SETTLED     1e-5 /* of the sum of squares: far below what noise makes of it */
#define LARGEST     1e30
#define MOST_JUMPS  120
#define JUMP_ROUNDS 8
#define WORTH_IT    1e-3  /* a round that gains less is the last */
#define RIDGE       1e-12 /* of what two columns share, so that they can be told apart */

/* ---- Linear algebra ----------------------------------------------------------------------------
 */

/* Cholesky, in place, of n by n. */
static void decompose(double *a, size_t n)
{
    for (size_t c = 0; c < n; c++)
        for (size_t r = c; r < n; r++) {
            double sum = a[r * n + c];
            for (size_t k = 0; k < c; k++)
                sum -= a[r * n + k] * a[c * n + k];
            a[r * n + c] = r == c ? sqrt(fmax(sum, 1e-300)) : sum / a[c * n + c];
        }
}

static void substitute(const double *a, double *b, size_t n)
{
    for (size_t r = 0; r < n; r++) {
        for (size_t k = 0; k < r; k++)
            b[r] -= a[r * n + k] * b[k];
        b[r] /= a[r * n + r];
    }
    for (size_t r = n; r-- > 0;) {
        for (size_t k = r + 1; k < n; k++)
            b[r] -= a[k * n + r] * b[k];
        b[r] /= a[r * n + r];
    }
}

static double dot(const double *a, const double *b, size_t n)
{
    double sum = 0;
    for (size_t i = 0; i < n; i++)
        sum += a[i] * b[i];
    return sum;
}

/* ---- A record ----------------------------------------------------------------------------------
 */

enum aw_status aw_search_begin(struct aw_search *s, const struct aw_trial *trial,
                               struct aw_error *err)
{
    *s = (struct aw_search){.trial = trial, .input = *trial, .n = trial->n, .piece = trial->n};
    double **const columns[] = {
        &s->answer, &s->level, &s->basis[AW_GAIN], &s->basis[AW_DRIFT], &s->residual, &s->tried,
    };
    bool room = true;
    for (size_t i = 0; i < sizeof columns / sizeof *columns; i++)
        room &= (*columns[i] = calloc(trial->n, sizeof **columns[i])) != NULL;
    s->slope = calloc(AW_LOOSE * trial->n, sizeof *s->slope);
    s->input.input_t = s->input_t = calloc(trial->n_inputs, sizeof *s->input_t);
    s->longest_s = trial->t[trial->n - 1] - trial->t[0];
    if (!room || !s->slope || !s->input_t)
        return aw_no_memory(err);
    aw_search_forget_jumps(s);
    return AW_OK;
}

void aw_search_end(struct aw_search *s)
{
    free(s->answer);
    free(s->level);
    for (int k = 0; k < AW_LINEAR; k++)
        free(s->basis[k]);
    free(s->residual);
    free(s->tried);
    free(s->slope);
    free(s->input_t);
}

void aw_search_structure(struct aw_search *s, enum aw_process_kind kind, bool third,
                         bool find_dead_band)
{
    s->integrating = s->uses[AW_DRIFT] = kind == AW_PROCESS_INTEGRATING;
    s->uses[AW_GAIN] = s->loose[AW_LAG] = s->loose[AW_DEAD_TIME] = true;
    s->loose[AW_SECOND_LAG] = kind == AW_PROCESS_SECOND || kind == AW_PROCESS_THIRD;
    s->loose[AW_THIRD_LAG] = third;
    s->loose[AW_DEAD_BAND] = find_dead_band;
}

void aw_search_forget_jumps(struct aw_search *s)
{
    memcpy(s->input_t, s->trial->input_t, s->trial->n_inputs * sizeof *s->input_t);
}

void aw_search_level_out(const struct aw_search *s, const double *in, double *out)
{
    for (size_t from = 0, n; from < s->n; from += n) {
        n = s->n - from < 2 * s->piece ? s->n - from : s->piece;
        double mean = 0;
        for (size_t i = from; i < from + n; i++)
            mean += in[i] / (double)n;
        for (size_t i = from; i < from + n; i++)
            out[i] = in[i] - mean;
    }
}

void aw_search_level(struct aw_search *s)
{
    aw_search_level_out(s, s->trial->y, s->level);
    aw_search_level_out(s, s->trial->t, s->basis[AW_DRIFT]);
}

size_t aw_search_parameters(const struct aw_search *s, size_t which[AW_PARAMETERS])
{
    size_t n = 0;
    for (size_t k = 0; k < AW_PARAMETERS; k++)
        if (k < AW_LOOSE ? s->loose[k] : s->uses[k - AW_LOOSE])
            which[n++] = k;
    return n;
}

static size_t loose_ones(const struct aw_search *s, size_t which[AW_PARAMETERS])
{
    size_t n = aw_search_parameters(s, which);
    while (n > 0 && which[n - 1] >= AW_LOOSE)
        n--;
    return n;
}

/* ---- What a model answers ----------------------------------------------------------------------
 */

static double effective(double input, double dead_band)
{
    return copysign(fmax(0, fabs(input) - dead_band), input);
}

/* The answer of unit gain at each sample: the state is kept at the input's last point before. */
static void simulate(const struct aw_trial *trial, size_t n, const struct aw_process *process,
                     double dead_band, double *out)
{
    struct aw_process_state at = {0};
    double rest = effective(trial->input[0], dead_band);
    size_t k = 0;
    for (size_t i = 0; i < n; i++) {
        double t = trial->t[i] - process->dead_time_s;
        while (k + 1 < trial->n_inputs && trial->input_t[k + 1] <= t) {
            double from = effective(trial->input[k], dead_band) - rest;
            double to = effective(trial->input[k + 1], dead_band) - rest;
            aw_process_advance(process, &at, from, trial->stairs ? from : to,
                               trial->input_t[k + 1] - trial->input_t[k]);
            k++;
        }
        struct aw_process_state now = at;
        double from = effective(trial->input[k], dead_band) - rest, to = from;
        double h = t - trial->input_t[k];
        if (k + 1 < trial->n_inputs && !trial->stairs) {
            double next = effective(trial->input[k + 1], dead_band) - rest;
            to = from + (next - from) * h / (trial->input_t[k + 1] - trial->input_t[k]);
        }
        aw_process_advance(process, &now, from, to, h);
        out[i] = aw_process_measured(process, &now);
    }
}

/* Of unit gain. */
static struct aw_process process_at(const struct aw_search *s, const double *at)
{
    double a1 = exp(at[AW_LAG]);
    return (struct aw_process){
        .gain = 1,
        .integrating = s->integrating,
        .a1 = a1,
        .a2 = s->loose[AW_SECOND_LAG] ? a1 * exp(at[AW_SECOND_LAG]) : 0,
        .a3 = s->loose[AW_THIRD_LAG] ? exp(at[AW_THIRD_LAG]) : 0,
        .dead_time_s = at[AW_DEAD_TIME],
    };
}

struct aw_process aw_search_process(const struct aw_search *s)
{
    struct aw_process process = process_at(s, s->at);
    process.gain = s->linear[AW_GAIN];
    return process;
}

/* The gain as it is, the other parameters as given. */
static void answer_at(struct aw_search *s, const double *at, size_t n, double *out)
{
    struct aw_process process = process_at(s, at);
    process.gain = s->linear[AW_GAIN];
    simulate(&s->input, n, &process, at[AW_DEAD_BAND], out);
}

void aw_search_answer(struct aw_search *s, double *out)
{
    answer_at(s, s->at, s->trial->n, out);
}

/* Solves the linear parameters for the answer, and leaves the residuals. */
static double project(struct aw_search *s, double *residual)
{
    double a[AW_LINEAR * AW_LINEAR] = {0}, b[AW_LINEAR];
    size_t which[AW_LINEAR], m = 0;
    aw_search_level_out(s, s->answer, s->basis[AW_GAIN]);
    for (size_t k = 0; k < AW_LINEAR; k++)
        if (s->uses[k])
            which[m++] = k;
    for (size_t r = 0; r < m; r++) {
        const double *column = s->basis[which[r]];
        b[r] = dot(column, s->level, s->n);
        for (size_t c = 0; c <= r; c++)
            a[r * m + c] = dot(column, s->basis[which[c]], s->n) * (r == c ? 1 + RIDGE : 1);
    }
    if (!(a[0] > 0))
        return LARGEST;
    decompose(a, m);
    substitute(a, b, m);
    memset(s->linear, 0, sizeof s->linear);
    memcpy(residual, s->level, s->n * sizeof *residual);
    for (size_t r = 0; r < m; r++) {
        s->linear[which[r]] = b[r];
        for (size_t i = 0; i < s->n; i++)
            residual[i] -= b[r] * s->basis[which[r]][i];
    }
    double sum = dot(residual, residual, s->n);
    return isfinite(sum) ? sum : LARGEST;
}

static double cost(struct aw_search *s, const double *at, double *residual)
{
    struct aw_process process = process_at(s, at);
    simulate(&s->input, s->n, &process, at[AW_DEAD_BAND], s->answer);
    return project(s, residual);
}

double aw_search_cost(struct aw_search *s)
{
    return cost(s, s->at, s->residual);
}

/* ---- Levenberg-Marquardt -----------------------------------------------------------------------
 */

static void keep_within(const struct aw_search *s, double *at)
{
    for (size_t k = AW_LAG; k <= AW_THIRD_LAG; k++)
        at[k] = fmin(fmax(at[k], log(1e-5)), log(100 * s->longest_s));
    at[AW_DEAD_TIME] = fmin(fmax(at[AW_DEAD_TIME], 0), s->longest_s / 2);
    at[AW_DEAD_BAND] = fmax(at[AW_DEAD_BAND], 0);
}

static double nudge(const struct aw_search *s, size_t which)
{
    if (which == AW_DEAD_TIME)
        return 1e-5 * exp(s->at[AW_LAG]) + 1e-6 * s->longest_s;
    return which == AW_DEAD_BAND ? 1e-4 : 1e-3;
}

/* Forward differences of the projected residuals. */
static void differentiate(struct aw_search *s, size_t n_loose, const size_t *which)
{
    for (size_t k = 0; k < n_loose; k++) {
        double at[AW_LOOSE], *column = s->slope + k * s->n, h = nudge(s, which[k]);
        memcpy(at, s->at, sizeof at);
        at[which[k]] += h;
        cost(s, at, s->tried);
        for (size_t i = 0; i < s->n; i++)
            column[i] = (s->tried[i] - s->residual[i]) / h;
    }
}

static void step_of(const struct aw_search *s, size_t m, double damping, double *step)
{
    double a[AW_LOOSE * AW_LOOSE] = {0};
    for (size_t r = 0; r < m; r++) {
        const double *column = s->slope + r * s->n;
        step[r] = -dot(column, s->residual, s->n);
        for (size_t c = 0; c <= r; c++)
            a[r * m + c] =
                dot(column, s->slope + c * s->n, s->n) * (r == c ? 1 + damping : 1) + 1e-300;
    }
    decompose(a, m);
    substitute(a, step, m);
}

double aw_search_descend(struct aw_search *s)
{
    size_t which[AW_PARAMETERS], m = loose_ones(s, which);
    keep_within(s, s->at);
    double damping = 1e-2, best = aw_search_cost(s);
    for (int i = 0; i < ITERATIONS && damping < 1e8; i++) {
        double before = best;
        differentiate(s, m, which);
        while (damping < 1e8) {
            double at[AW_LOOSE], step[AW_LOOSE];
            step_of(s, m, damping, step);
            memcpy(at, s->at, sizeof at);
            for (size_t k = 0; k < m; k++)
                at[which[k]] += which[k] < AW_DEAD_TIME ? fmax(-1.5, fmin(1.5, step[k])) : step[k];
            keep_within(s, at);
            double sum = cost(s, at, s->tried);
            if (sum < best) {
                best = sum;
                memcpy(s->at, at, sizeof at);
                memcpy(s->residual, s->tried, s->n * sizeof *s->residual);
                damping /= 10;
                break;
            }
            damping *= 5;
        }
        if (best >= before * (1 - SETTLED))
            break;
    }
    return aw_search_cost(s);
}

void aw_search_first_guess(struct aw_search *s)
{
    double least = LARGEST, guess[AW_LOOSE], from = s->longest_s / (double)(s->trial->n - 1) / 2;
    memcpy(guess, s->at, sizeof guess);
    for (int i = 0; i < LAGS; i++)
        for (int k = 0; k < DEAD_TIMES; k++) {
            double at[AW_LOOSE];
            memcpy(at, s->at, sizeof at);
            at[AW_LAG] = log(from) + (log(2 * s->longest_s) - log(from)) * i / (LAGS - 1);
            at[AW_DEAD_TIME] =
                k ? from * pow(s->longest_s / 4 / from, (k - 1.) / (DEAD_TIMES - 2)) : 0;
            double sum = cost(s, at, s->tried);
            if (sum < least) {
                least = sum;
                memcpy(guess, at, sizeof guess);
            }
        }
    memcpy(s->at, guess, sizeof guess);
}

/* ---- When the input jumped ---------------------------------------------------------------------
 */

/* Normal equations of all parameters, then of the delays of all jumps. */
struct normal {
    size_t n_parameters, n_jumps, n;
    size_t which[AW_PARAMETERS], jump[MOST_JUMPS]; /* a jump is a point of the input */
    double *a;                                     /* n by n, what is left of the diagonal */
    double b[AW_PARAMETERS + MOST_JUMPS];
};

static bool is_jump(const struct aw_trial *trial, size_t k)
{
    return k > 0 && k + 2 < trial->n_inputs && trial->input_t[k + 1] <= trial->input_t[k] &&
           fabs(trial->input[k + 1] - trial->input[k]) > 0;
}

static double step_response(const struct aw_process *process, double t)
{
    struct aw_process_state x = {0};
    aw_process_advance(process, &x, 1, 1, t - process->dead_time_s);
    return t > process->dead_time_s ? aw_process_measured(process, &x) : 0;
}

/* The effect of delaying one jump on each sample. */
static void effect_of_jump(struct aw_search *s, const struct aw_process *process, size_t k,
                           double *out)
{
    double t0 = s->input_t[k], h = 1e-4, dead_band = s->at[AW_DEAD_BAND];
    double by =
        effective(s->trial->input[k + 1], dead_band) - effective(s->trial->input[k], dead_band);
    for (size_t i = 0; i < s->n; i++) {
        double t = s->trial->t[i] - t0;
        s->tried[i] =
            t <= 0 ? 0 : -by * (step_response(process, t) - step_response(process, t - h)) / h;
    }
    aw_search_level_out(s, s->tried, out);
}

/* The effect of one parameter, the others held. */
static void effect_of_parameter(struct aw_search *s, size_t which, double *out)
{
    if (which >= AW_LOOSE) {
        memcpy(out, s->basis[which - AW_LOOSE], s->n * sizeof *out);
        return;
    }
    double at[AW_LOOSE], h = nudge(s, which);
    memcpy(at, s->at, sizeof at);
    at[which] += h;
    answer_at(s, at, s->n, s->tried);
    aw_search_level_out(s, s->tried, out);
    for (size_t i = 0; i < s->n; i++)
        out[i] = (out[i] - s->linear[AW_GAIN] * s->basis[AW_GAIN][i]) / h;
}

/* held: of the delays alone. False without memory; free a all the same. */
static bool set_up(struct aw_search *s, double sigma2, bool held, struct normal *e)
{
    const struct aw_trial *trial = s->trial;
    struct aw_process process = aw_search_process(s);
    *e = (struct normal){0};
    e->n_parameters = held ? 0 : aw_search_parameters(s, e->which);
    for (size_t k = 0; k < trial->n_inputs && e->n_jumps < MOST_JUMPS; k++)
        if (is_jump(trial, k) && trial->input_t[k] < trial->t[s->n - 1])
            e->jump[e->n_jumps++] = k;
    e->n = e->n_parameters + e->n_jumps;
    double *effects = calloc(e->n * s->n, sizeof *effects);
    e->a = calloc(e->n * e->n, sizeof *e->a);
    for (size_t r = 0; effects && e->a && r < e->n; r++) {
        double *mine = effects + r * s->n;
        size_t k = r < e->n_parameters ? 0 : e->jump[r - e->n_parameters];
        if (r < e->n_parameters)
            effect_of_parameter(s, e->which[r], mine);
        else
            effect_of_jump(s, &process, k, mine);
        for (size_t c = 0; c <= r; c++)
            e->a[r * e->n + c] = dot(mine, effects + c * s->n, s->n) * (r == c ? 1 + RIDGE : 1);
        e->b[r] = dot(mine, s->residual, s->n);
        if (r < e->n_parameters)
            continue;
        double spread = (trial->input_t[k + 2] - trial->input_t[k - 1]) / 4;
        e->a[r * e->n + r] += sigma2 / (spread * spread);
        e->b[r] -= (s->input_t[k] - trial->input_t[k]) * sigma2 / (spread * spread);
    }
    bool room = effects && e->a;
    free(effects);
    return room;
}

/* From the residuals at s->at; sum is that of their squares. Without memory the times stay. */
static void estimate_jumps(struct aw_search *s, double sum, bool held)
{
    struct normal e;
    if (set_up(s, sum / (double)s->n, held, &e)) {
        decompose(e.a, e.n);
        substitute(e.a, e.b, e.n);
        for (size_t r = 0; r < e.n_jumps; r++) {
            size_t k = e.jump[r];
            double t = s->input_t[k] + e.b[e.n_parameters + r];
            t = fmin(fmax(t, s->trial->input_t[k - 1]), s->trial->input_t[k + 2]);
            s->input_t[k] = s->input_t[k + 1] = t;
        }
    }
    free(e.a);
}

double aw_search_descend_with_jumps(struct aw_search *s)
{
    double sum = aw_search_descend(s), before;
    int rounds = 0;
    do {
        before = sum;
        estimate_jumps(s, sum, false);
        sum = aw_search_descend(s);
    } while (fabs(sum - before) > WORTH_IT * before && ++rounds < JUMP_ROUNDS);
    return sum;
}

void aw_search_time_jumps(struct aw_search *s)
{
    for (int i = 0; i < JUMP_ROUNDS / 2; i++) {
        answer_at(s, s->at, s->n, s->answer);
        for (size_t k = 0; k < s->n; k++)
            s->answer[k] = s->trial->y[k] - s->answer[k] - s->linear[AW_DRIFT] * s->trial->t[k];
        aw_search_level_out(s, s->answer, s->residual);
        estimate_jumps(s, dot(s->residual, s->residual, s->n), true);
    }
}

enum aw_status aw_search_covariance(struct aw_search *s, double sigma2,
                                    double out[AW_PARAMETERS][AW_PARAMETERS], struct aw_error *err)
{
    struct normal e;
    bool room = set_up(s, sigma2, false, &e);
    if (room)
        decompose(e.a, e.n);
    for (size_t c = 0; room && c < e.n_parameters; c++) {
        memset(e.b, 0, sizeof e.b);
        e.b[c] = 1;
        substitute(e.a, e.b, e.n);
        for (size_t r = 0; r < e.n_parameters; r++)
            out[r][c] = sigma2 * e.b[r];
    }
    free(e.a);
    return room ? AW_OK : aw_no_memory(err);
}
