/* Fits process models to a record: separable least squares, Levenberg-Marquardt, BIC. */
#include "control/fit.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#define FEWEST      30
#define HELD_OUT    0.3
#define LOOSE       4 /* parameters that are searched for, at most */
#define LINEAR      2 /* gain, drift */
#define ALL         (LOOSE + LINEAR)
#define LAGS        8 /* of the grid */
#define DEAD_TIMES  24
#define ITERATIONS  40
#define LARGEST     1e30
#define MOST_JUMPS  120
#define POOR        0.7 /* a fit */
#define QUIET       16  /* samples that noise is taken from */
#define JUMP_ROUNDS 3

/* What is searched for, in this order: log of the sum of the lags, log of a2/a1, dead time, dead
 * band. */
enum { LAG, SECOND_LAG, DEAD_TIME, DEAD_BAND };

struct search {
    struct aw_trial input; /* the record, with input times of our own */
    const struct aw_trial *trial;
    double *input_t;
    size_t n; /* samples that count */
    bool integrating;
    size_t piece;        /* so many samples have an offset of their own */
    bool free_of[LOOSE]; /* what is searched for */
    double at[LOOSE];
    double linear[LINEAR], offset;
    double *answer;              /* of unit gain, n */
    double *level, *time, *flat; /* y, t and answer, each without its mean */
    double *residual, *tried;
    double *slope; /* LOOSE columns of n */
    double longest_s;
};

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
        out[i] = now.y;
    }
}

static struct aw_process process_at(const struct search *s, const double *at)
{
    double a1 = exp(at[LAG]);
    return (struct aw_process){
        .gain = 1,
        .integrating = s->integrating,
        .a1 = a1,
        .a2 = s->free_of[SECOND_LAG] ? a1 * exp(at[SECOND_LAG]) : 0,
        .dead_time_s = at[DEAD_TIME],
    };
}

/* Gauss with pivots, in place; false if it is singular. */
static bool solve(size_t n, double a[ALL][ALL], double *b)
{
    for (size_t i = 0; i < n; i++) {
        size_t best = i;
        for (size_t k = i + 1; k < n; k++)
            best = fabs(a[k][i]) > fabs(a[best][i]) ? k : best;
        if (!(fabs(a[best][i]) > 0))
            return false;
        for (size_t c = 0; c < n; c++) {
            double other = a[i][c];
            a[i][c] = a[best][c];
            a[best][c] = other;
        }
        double other = b[i];
        b[i] = b[best];
        b[best] = other;
        for (size_t k = i + 1; k < n; k++) {
            double part = a[k][i] / a[i][i];
            for (size_t c = i; c < n; c++)
                a[k][c] -= part * a[i][c];
            b[k] -= part * b[i];
        }
    }
    for (size_t i = n; i-- > 0;) {
        for (size_t c = i + 1; c < n; c++)
            b[i] -= a[i][c] * b[c];
        b[i] /= a[i][i];
    }
    return true;
}

static double mean_of(const double *values, size_t n)
{
    double sum = 0;
    for (size_t i = 0; i < n; i++)
        sum += values[i];
    return sum / (double)n;
}

/* Takes the mean out of each piece; a rest that is shorter belongs to the last one. */
static void level_out(const struct search *s, const double *in, double *out)
{
    for (size_t from = 0, n; from < s->n; from += n) {
        n = s->n - from < 2 * s->piece ? s->n - from : s->piece;
        double mean = mean_of(in + from, n);
        for (size_t i = from; i < from + n; i++)
            out[i] = in[i] - mean;
    }
}

/* Solves gain and drift for the answer, and leaves the residuals. */
static double project(struct search *s, double *residual)
{
    double ww = 0, wt = 0, tt = 0, wy = 0, ty = 0, sum = 0;
    level_out(s, s->answer, s->flat);
    for (size_t i = 0; i < s->n; i++) {
        double w = s->flat[i], t = s->integrating ? s->time[i] : 0, y = s->level[i];
        ww += w * w;
        wt += w * t;
        tt += t * t;
        wy += w * y;
        ty += t * y;
    }
    double drift = 0;
    if (s->integrating && ww * tt - wt * wt > 1e-12 * ww * tt)
        drift = (ww * ty - wt * wy) / (ww * tt - wt * wt);
    if (!(ww > 0))
        return LARGEST;
    s->linear[0] = (wy - drift * wt) / ww;
    s->linear[1] = drift;
    for (size_t i = 0; i < s->n; i++) {
        residual[i] = s->level[i] - s->linear[0] * s->flat[i] - drift * s->time[i];
        sum += residual[i] * residual[i];
    }
    return isfinite(sum) ? sum : LARGEST;
}

/* What is measured and its times, for the samples that count now. */
static void level(struct search *s)
{
    level_out(s, s->trial->y, s->level);
    level_out(s, s->trial->t, s->time);
}

static double cost(struct search *s, const double *at, double *residual)
{
    struct aw_process process = process_at(s, at);
    simulate(&s->input, s->n, &process, at[DEAD_BAND], s->answer);
    return project(s, residual);
}

static void keep_within(const struct search *s, double *at)
{
    at[LAG] = fmin(fmax(at[LAG], log(1e-5)), log(100 * s->longest_s));
    at[SECOND_LAG] = fmin(fmax(at[SECOND_LAG], log(1e-5)), log(100 * s->longest_s));
    at[DEAD_TIME] = fmin(fmax(at[DEAD_TIME], 0), s->longest_s / 2);
    at[DEAD_BAND] = fmax(at[DEAD_BAND], 0);
}

static double nudge(const struct search *s, size_t which)
{
    if (which == DEAD_TIME)
        return 1e-5 * exp(s->at[LAG]) + 1e-6 * s->longest_s;
    return which == DEAD_BAND ? 1e-4 : 1e-3;
}

/* Forward differences of the projected residuals. */
static void differentiate(struct search *s, size_t n_free, const size_t *which)
{
    for (size_t k = 0; k < n_free; k++) {
        double at[LOOSE], *column = s->slope + k * s->n, h = nudge(s, which[k]);
        memcpy(at, s->at, sizeof at);
        at[which[k]] += h;
        cost(s, at, s->tried);
        for (size_t i = 0; i < s->n; i++)
            column[i] = (s->tried[i] - s->residual[i]) / h;
    }
}

static void step_of(const struct search *s, size_t n_free, double damping, double *step)
{
    double a[ALL][ALL] = {{0}};
    for (size_t r = 0; r < n_free; r++) {
        step[r] = 0;
        for (size_t i = 0; i < s->n; i++)
            step[r] -= s->slope[r * s->n + i] * s->residual[i];
        for (size_t c = 0; c < n_free; c++)
            for (size_t i = 0; i < s->n; i++)
                a[r][c] += s->slope[r * s->n + i] * s->slope[c * s->n + i];
    }
    for (size_t r = 0; r < n_free; r++)
        a[r][r] = a[r][r] * (1 + damping) + 1e-300;
    if (!solve(n_free, a, step))
        memset(step, 0, n_free * sizeof *step);
}

static size_t free_ones(const struct search *s, size_t which[LOOSE])
{
    size_t n = 0;
    for (size_t k = 0; k < LOOSE; k++)
        if (s->free_of[k])
            which[n++] = k;
    return n;
}

/* Levenberg-Marquardt from s->at; returns the sum of squares there. */
static double descend(struct search *s)
{
    size_t which[LOOSE], n_free = free_ones(s, which);
    double damping = 1e-2, best = cost(s, s->at, s->residual);
    for (int i = 0; i < ITERATIONS && damping < 1e8; i++) {
        double before = best;
        differentiate(s, n_free, which);
        while (damping < 1e8) {
            double at[LOOSE], step[ALL];
            step_of(s, n_free, damping, step);
            memcpy(at, s->at, sizeof at);
            for (size_t k = 0; k < n_free; k++)
                at[which[k]] += which[k] < DEAD_TIME ? fmax(-1.5, fmin(1.5, step[k])) : step[k];
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
        if (best >= before * (1 - 1e-7))
            break;
    }
    return cost(s, s->at, s->residual);
}

static double shortest_s(const struct aw_trial *trial)
{
    return (trial->t[trial->n - 1] - trial->t[0]) / (double)(trial->n - 1);
}

/* The best of a grid over lag and dead time, each from one sample to the length of the record. */
static void first_guess(struct search *s)
{
    double least = LARGEST, guess[LOOSE], from = shortest_s(s->trial) / 2;
    memcpy(guess, s->at, sizeof guess);
    for (int i = 0; i < LAGS; i++)
        for (int k = 0; k < DEAD_TIMES; k++) {
            double at[LOOSE];
            memcpy(at, s->at, sizeof at);
            at[LAG] = log(from) + (log(2 * s->longest_s) - log(from)) * i / (LAGS - 1);
            at[DEAD_TIME] =
                k ? from * pow(s->longest_s / 4 / from, (k - 1.) / (DEAD_TIMES - 2)) : 0;
            double sum = cost(s, at, s->tried);
            if (sum < least) {
                least = sum;
                memcpy(guess, at, sizeof guess);
            }
        }
    memcpy(s->at, guess, sizeof guess);
}

/* A second order begins at the first order that was found, its lag shared out in several ways, and
 * at the integrator, as a lag of the record's length. */
static double descend_second(struct search *s, const double *first, const double *integrating)
{
    static const struct {
        double lag, part, dead_time;
    } ways[] = {{1, 0.05, 0.8}, {1, 0.25, 0.5}, {0.7, 0.5, 0.2}, {0.4, 1, 0.1}};
    double found[LOOSE], least = LARGEST;
    memcpy(found, first, sizeof found);
    for (size_t i = 0; i < 6; i++) {
        const double *start = i < 4 ? first : integrating;
        double lag = exp(start[LAG]) + start[DEAD_TIME];
        memcpy(s->at, start, sizeof s->at);
        s->at[LAG] = i < 4 ? log(lag * ways[i].lag) : log(s->longest_s * (i == 4 ? 1 : 0.1));
        s->at[SECOND_LAG] = i < 4 ? log(lag * ways[i].lag * ways[i].part) : start[LAG];
        s->at[DEAD_TIME] = start[DEAD_TIME] * (i < 4 ? ways[i].dead_time : 1);
        keep_within(s, s->at);
        double sum = descend(s);
        if (sum < least) {
            least = sum;
            memcpy(found, s->at, sizeof found);
        }
    }
    memcpy(s->at, found, sizeof found);
    return cost(s, s->at, s->residual);
}

/* ---- When the input jumped ---------------------------------------------------------------------
 *
 * A jump is known to lie between two samples. A process that integrates never forgets that it came
 * a few milliseconds early, so the times are estimated: to first order a delay d of a jump by du
 * adds -gain·du·d times the impulse response, linear in all delays at once. Least squares with a
 * prior: each delay has mean 0 and a quarter of its interval for its deviation.
 */

static bool is_jump(const struct aw_trial *trial, size_t k)
{
    return k > 0 && k + 2 < trial->n_inputs && trial->input_t[k + 1] <= trial->input_t[k] &&
           fabs(trial->input[k + 1] - trial->input[k]) > 0;
}

static double step_response(const struct aw_process *process, double t)
{
    struct aw_process_state x = {0};
    aw_process_advance(process, &x, 1, 1, t - process->dead_time_s);
    return t > process->dead_time_s ? x.y : 0;
}

struct jumps {
    size_t n, at[MOST_JUMPS];
    double *normal; /* n by n */
    double right[MOST_JUMPS];
};

/* The effect of delaying one jump on each sample, the mean taken out as everywhere. */
static void effect_of(struct search *s, const struct aw_process *process, double dead_band,
                      size_t k, double *out)
{
    double t0 = s->input.input_t[k], h = 1e-4;
    double by =
        effective(s->trial->input[k + 1], dead_band) - effective(s->trial->input[k], dead_band);
    for (size_t i = 0; i < s->n; i++) {
        double t = s->trial->t[i] - t0;
        s->tried[i] = t <= 0 ? 0
                             : -s->linear[0] * by *
                                   (step_response(process, t) - step_response(process, t - h)) / h;
    }
    level_out(s, s->tried, out);
}

static double spread_of(const struct aw_trial *trial, size_t k)
{
    return (trial->input_t[k + 2] - trial->input_t[k - 1]) / 4;
}

/* Cholesky, in place. */
static void solve_definite(double *a, double *b, size_t n)
{
    for (size_t c = 0; c < n; c++)
        for (size_t r = c; r < n; r++) {
            double sum = a[r * n + c];
            for (size_t k = 0; k < c; k++)
                sum -= a[r * n + k] * a[c * n + k];
            a[r * n + c] = r == c ? sqrt(fmax(sum, 1e-300)) : sum / a[c * n + c];
        }
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

/* The normal equations of all delays; false without memory. */
static bool set_up_jumps(struct search *s, struct jumps *j, double sigma2)
{
    struct aw_process process = process_at(s, s->at);
    double *effects = calloc(j->n * s->n + 1, sizeof *effects);
    j->normal = calloc(j->n * j->n + 1, sizeof *j->normal);
    bool room = effects && j->normal;
    for (size_t r = 0; room && r < j->n; r++) {
        double *mine = effects + r * s->n, spread = spread_of(s->trial, j->at[r]);
        double moved = s->input_t[j->at[r]] - s->trial->input_t[j->at[r]];
        effect_of(s, &process, s->at[DEAD_BAND], j->at[r], mine);
        for (size_t c = 0; c <= r; c++)
            for (size_t i = 0; i < s->n; i++)
                j->normal[r * j->n + c] += mine[i] * effects[c * s->n + i];
        j->normal[r * j->n + r] += sigma2 / (spread * spread);
        for (size_t i = 0; i < s->n; i++)
            j->right[r] += mine[i] * s->residual[i];
        j->right[r] -= moved * sigma2 / (spread * spread);
    }
    free(effects);
    return room;
}

/* From the residuals at s->at; sum is that of their squares. Without memory the times stay. */
static void estimate_jumps(struct search *s, double sum)
{
    struct jumps j = {0};
    double last = s->trial->t[s->n - 1];
    for (size_t k = 0; k < s->trial->n_inputs && j.n < MOST_JUMPS; k++)
        if (is_jump(s->trial, k) && s->trial->input_t[k] < last)
            j.at[j.n++] = k;
    if (set_up_jumps(s, &j, sum / (double)s->n)) {
        solve_definite(j.normal, j.right, j.n);
        for (size_t r = 0; r < j.n; r++) {
            size_t k = j.at[r];
            double t = s->input_t[k] + j.right[r];
            t = fmin(fmax(t, s->trial->input_t[k - 1]), s->trial->input_t[k + 2]);
            s->input_t[k] = s->input_t[k + 1] = t;
        }
    }
    free(j.normal);
}

static void forget_jumps(struct search *s)
{
    memcpy(s->input_t, s->trial->input_t, s->trial->n_inputs * sizeof *s->input_t);
}

/* Parameters and times in turn. */
static double descend_with_jumps(struct search *s)
{
    double sum = descend(s);
    for (int i = 0; i < JUMP_ROUNDS; i++) {
        estimate_jumps(s, sum);
        sum = descend(s);
    }
    return sum;
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

static size_t n_parameters(const struct search *s)
{
    size_t which[LOOSE];
    return free_ones(s, which) + (s->integrating ? 2 : 1);
}

static double criterion(const struct search *s, double sum, double independent)
{
    double m = fmax(independent, 10);
    return m * log(sum / (double)s->n + 1e-30) + (double)n_parameters(s) * log(m);
}

static double full_model(const struct search *s, size_t i)
{
    return s->offset + s->linear[0] * s->answer[i] + s->linear[1] * s->trial->t[i];
}

static void note_offset(struct search *s)
{
    double sum = 0;
    s->offset = 0;
    for (size_t i = 0; i < s->n; i++)
        sum += s->trial->y[i] - full_model(s, i);
    s->offset = sum / (double)s->n;
}

/* Share of the variation that is explained, where each piece is granted an offset: an integrator
 * keeps what drift has gathered before. */
static double fit_over(const struct search *s, size_t from, size_t to)
{
    double off = 0, all = 0;
    for (size_t n; from < to; from += n) {
        n = to - from < 2 * s->piece ? to - from : s->piece;
        double mean = mean_of(s->trial->y + from, n), shift = 0;
        for (size_t i = from; i < from + n; i++)
            shift += (s->trial->y[i] - full_model(s, i)) / (double)n;
        for (size_t i = from; i < from + n; i++) {
            double y = s->trial->y[i], e = y - full_model(s, i) - shift;
            off += e * e;
            all += (y - mean) * (y - mean);
        }
    }
    return all > 0 ? 1 - sqrt(off / all) : NAN;
}

/* Columns for all parameters: the loose ones with the gain held, then gain and drift. */
static void full_jacobian(struct search *s, double *columns)
{
    size_t which[LOOSE], n_free = free_ones(s, which), n = s->n;
    double *base = s->tried, *at_gain = columns + n_free * n;
    memcpy(base, s->flat, n * sizeof *base);
    memcpy(at_gain, base, n * sizeof *base);
    memcpy(at_gain + n, s->time, n * sizeof *base);
    for (size_t k = 0; k < n_free; k++) {
        double at[LOOSE], h = nudge(s, which[k]);
        memcpy(at, s->at, sizeof at);
        at[which[k]] += h;
        struct aw_process process = process_at(s, at);
        simulate(&s->input, n, &process, at[DEAD_BAND], s->answer);
        level_out(s, s->answer, s->flat);
        for (size_t i = 0; i < n; i++)
            columns[k * n + i] = s->linear[0] * (s->flat[i] - base[i]) / h;
    }
}

static double covariance(const double *columns, size_t n, size_t m, double out[ALL][ALL])
{
    double normal[ALL][ALL] = {{0}}, scale[ALL];
    for (size_t r = 0; r < m; r++)
        for (size_t c = 0; c < m; c++)
            for (size_t i = 0; i < n; i++)
                normal[r][c] += columns[r * n + i] * columns[c * n + i];
    for (size_t r = 0; r < m; r++)
        scale[r] = normal[r][r] > 0 ? 1 / sqrt(normal[r][r]) : 0;
    for (size_t c = 0; c < m; c++) {
        double a[ALL][ALL], b[ALL] = {0};
        for (size_t r = 0; r < m; r++)
            for (size_t k = 0; k < m; k++)
                a[r][k] = normal[r][k] * scale[r] * scale[k] + (r == k ? 1e-13 : 0);
        b[c] = 1;
        if (!solve(m, a, b))
            return NAN;
        for (size_t r = 0; r < m; r++)
            out[r][c] = b[r] * scale[r] * scale[c];
    }
    return 1;
}

static double half_width(double cov[ALL][ALL], size_t m, const double *gradient, double sigma2)
{
    double sum = 0;
    for (size_t r = 0; r < m; r++)
        for (size_t c = 0; c < m; c++)
            sum += gradient[r] * cov[r][c] * gradient[c];
    return 1.96 * sqrt(sigma2 * fmax(sum, 0));
}

/* tau1 and tau2 follow from the two that were searched for: by differences. */
static void note_lags(const struct search *s, double cov[ALL][ALL], size_t m, double sigma2,
                      struct aw_fit_half *half)
{
    double tau[2], moved[2], gradient[2][ALL] = {{0}};
    struct aw_process process = process_at(s, s->at);
    aw_process_lags(&process, &tau[0], &tau[1], NULL);
    for (size_t k = 0; k < (s->free_of[SECOND_LAG] ? 2 : 1); k++) {
        double at[LOOSE];
        memcpy(at, s->at, sizeof at);
        at[k] += 1e-4;
        process = process_at(s, at);
        aw_process_lags(&process, &moved[0], &moved[1], NULL);
        gradient[0][k] = (moved[0] - tau[0]) / 1e-4;
        gradient[1][k] = (moved[1] - tau[1]) / 1e-4;
    }
    half->tau1 = half_width(cov, m, gradient[0], sigma2);
    half->tau2 = s->free_of[SECOND_LAG] ? half_width(cov, m, gradient[1], sigma2) : NAN;
}

static enum aw_status note_confidence(struct search *s, struct aw_fit *fit, struct aw_error *err)
{
    size_t which[LOOSE], n_free = free_ones(s, which), m = n_parameters(s);
    double cov[ALL][ALL], *columns = calloc((n_free + LINEAR) * s->n, sizeof *columns);
    if (!columns)
        return aw_no_memory(err);
    full_jacobian(s, columns);
    bool known = !isnan(covariance(columns, s->n, m, cov));
    free(columns);
    fit->half = (struct aw_fit_half){NAN, NAN, NAN, NAN, NAN};
    if (!known)
        return AW_OK;
    double sigma2 = fit->sigma * fit->sigma * (double)s->n / fmax(fit->independent, 2);
    for (size_t k = 0; k < m; k++) {
        double one[ALL] = {0};
        one[k] = 1;
        double half = half_width(cov, m, one, sigma2);
        if (k == n_free)
            fit->half.gain = half;
        else if (k < n_free && which[k] == DEAD_TIME)
            fit->half.dead_time = half;
        else if (k < n_free && which[k] == DEAD_BAND)
            fit->half.dead_band = half;
    }
    note_lags(s, cov, m, sigma2, &fit->half);
    return AW_OK;
}

/* ---- One kind, and the best of them ------------------------------------------------------------
 */

static enum aw_status check(const struct aw_trial *trial, struct aw_error *err)
{
    if (trial->n < FEWEST || trial->n_inputs < 2)
        return aw_fail(err, AW_USAGE, "fit: %zu samples are too few, %d are needed — record longer",
                       trial->n, FEWEST);
    double least = trial->input[0], most = least;
    for (size_t i = 0; i < trial->n_inputs; i++) {
        if (!isfinite(trial->input[i]) || !isfinite(trial->input_t[i]) ||
            (i && trial->input_t[i] < trial->input_t[i - 1]))
            return aw_fail(err, AW_USAGE, "fit: input %zu is no number, or its time falls", i + 1);
        least = fmin(least, trial->input[i]);
        most = fmax(most, trial->input[i]);
    }
    for (size_t i = 0; i < trial->n; i++)
        if (!isfinite(trial->t[i]) || !isfinite(trial->y[i]) ||
            (i && trial->t[i] <= trial->t[i - 1]))
            return aw_fail(err, AW_USAGE, "fit: sample %zu is no number, or its time does not grow",
                           i + 1);
    if (!(most > least))
        return aw_fail(err, AW_REFUSED, "fit: the input did not move — excite the process");
    return AW_OK;
}

static enum aw_status make_room(struct search *s, struct aw_error *err)
{
    size_t n = s->trial->n;
    s->answer = calloc(n, sizeof *s->answer);
    s->residual = calloc(n, sizeof *s->residual);
    s->tried = calloc(n, sizeof *s->tried);
    s->slope = calloc(LOOSE * n, sizeof *s->slope);
    s->level = calloc(n, sizeof *s->level);
    s->time = calloc(n, sizeof *s->time);
    s->flat = calloc(n, sizeof *s->flat);
    s->input_t = calloc(s->trial->n_inputs, sizeof *s->input_t);
    return s->answer && s->residual && s->tried && s->slope && s->level && s->time && s->flat &&
                   s->input_t
               ? AW_OK
               : aw_no_memory(err);
}

static void give_back(struct search *s)
{
    free(s->answer);
    free(s->residual);
    free(s->tried);
    free(s->slope);
    free(s->level);
    free(s->time);
    free(s->flat);
    free(s->input_t);
}

static void set_kind(struct search *s, enum aw_process_kind kind, bool find_dead_band)
{
    s->integrating = kind == AW_PROCESS_INTEGRATING;
    s->free_of[LAG] = s->free_of[DEAD_TIME] = true;
    s->free_of[SECOND_LAG] = kind == AW_PROCESS_SECOND;
    s->free_of[DEAD_BAND] = find_dead_band;
}

/* What a kind comes to over the part that is used. */
struct candidate {
    double at[LOOSE], sum, independent;
};

static void try_kind(struct search *s, enum aw_process_kind kind, const struct aw_fit_options *o,
                     const struct candidate *of, struct candidate *out)
{
    forget_jumps(s);
    set_kind(s, kind, false);
    memset(s->at, 0, sizeof s->at);
    s->at[DEAD_BAND] = o->dead_band;
    if (kind == AW_PROCESS_SECOND) {
        descend_second(s, of[AW_PROCESS_FIRST].at, of[AW_PROCESS_INTEGRATING].at);
    } else {
        first_guess(s);
        descend(s);
    }
    set_kind(s, kind, o->find_dead_band);
    out->sum = descend_with_jumps(s);
    memcpy(out->at, s->at, sizeof out->at);
    out->independent = independent_samples(s->residual, s->n);
}

/* Begins at what the first part said, and looks at how the last part is met; then the whole record.
 */
static enum aw_status finish(struct search *s, const struct candidate *best, struct aw_fit *fit,
                             struct aw_error *err)
{
    memcpy(s->at, best->at, sizeof s->at);
    forget_jumps(s);
    cost(s, s->at, s->residual);
    size_t used = s->n;
    struct aw_process process = process_at(s, s->at);
    simulate(&s->input, s->trial->n, &process, s->at[DEAD_BAND], s->answer);
    note_offset(s);
    fit->own = fit_over(s, 0, used);
    fit->held_out = fit_over(s, used, s->trial->n);
    s->n = s->trial->n;
    level(s);
    double sum = descend_with_jumps(s);
    note_offset(s);
    fit->process = process_at(s, s->at);
    fit->process.gain = s->linear[0];
    fit->offset = s->offset;
    fit->drift = s->linear[1];
    fit->dead_band = s->at[DEAD_BAND];
    fit->n = s->n;
    fit->sigma = sqrt(sum / (double)s->n);
    fit->independent = independent_samples(s->residual, s->n);
    return note_confidence(s, fit, err);
}

static int choice(struct search *s, const struct aw_fit_options *o, const struct candidate *of,
                  double bic[AW_PROCESS_KINDS])
{
    double m = 0;
    int best = 0;
    for (int kind = 0; kind < AW_PROCESS_KINDS; kind++)
        m = fmax(m, of[kind].independent);
    for (int kind = 0; kind < AW_PROCESS_KINDS; kind++) {
        set_kind(s, (enum aw_process_kind)kind, o->find_dead_band);
        bic[kind] = criterion(s, of[kind].sum, m);
        best = bic[kind] < bic[best] ? kind : best;
    }
    /* a lag as long as the record is an integrator */
    if (exp(of[best].at[LAG]) > s->longest_s / 2)
        best = AW_PROCESS_INTEGRATING;
    return o->only ? (int)o->kind : best;
}

static enum aw_status choose(struct search *s, const struct aw_fit_options *o, struct aw_fit *fit,
                             struct aw_error *err)
{
    struct candidate of[AW_PROCESS_KINDS];
    level(s);
    for (int kind = 0; kind < AW_PROCESS_KINDS; kind++)
        try_kind(s, (enum aw_process_kind)kind, o, of, &of[kind]);
    int best = choice(s, o, of, fit->bic);
    set_kind(s, (enum aw_process_kind)best, o->find_dead_band);
    return finish(s, &of[best], fit, err);
}

static int ascending(const void *a, const void *b)
{
    double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

/* Samples of two swings of a relay, four times what lies between two jumps of the input as a rule;
 * of the whole record if there are few. */
static size_t piece_of(const struct aw_trial *trial)
{
    double least = trial->input[0], most = least, between[MOST_JUMPS], before = 0;
    size_t n = 0;
    for (size_t i = 0; i < trial->n_inputs; i++) {
        least = fmin(least, trial->input[i]);
        most = fmax(most, trial->input[i]);
    }
    for (size_t i = 0; i + 1 < trial->n_inputs && n < MOST_JUMPS; i++)
        if (fabs(trial->input[i + 1] - trial->input[i]) > 0.2 * (most - least)) {
            between[n++] = trial->input_t[i] - before;
            before = trial->input_t[i];
        }
    if (n < 8)
        return trial->n;
    qsort(between, n, sizeof *between, ascending);
    double span = trial->t[trial->n - 1] - trial->t[0];
    double piece = 4 * between[n / 2] / span * (double)trial->n;
    return piece < 20 ? 20 : (size_t)fmin(piece, (double)trial->n);
}

/* What three parameters cannot follow slowly (a leg that swings along, a spring that gets harder)
 * they may follow fast, where a controller needs them to be right: swing by swing. */
static enum aw_status choose_scale(struct search *s, const struct aw_fit_options *o,
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
                       100 * fit->own);
    return status;
}

enum aw_status aw_fit_best(const struct aw_trial *trial, const struct aw_fit_options *options,
                           struct aw_fit *fit, struct aw_error *err)
{
    static const struct aw_fit_options plain;
    const struct aw_fit_options *o = options ? options : &plain;
    struct search s = {.trial = trial};
    *fit = (struct aw_fit){0};
    enum aw_status status = check(trial, err);
    if (status != AW_OK)
        return status;
    double held_out = o->held_out > 0 ? fmin(o->held_out, 0.8) : HELD_OUT;
    s.n = (size_t)((double)trial->n * (1 - held_out));
    s.longest_s = trial->t[trial->n - 1] - trial->t[0];
    status = make_room(&s, err);
    s.input = *trial;
    s.input.input_t = s.input_t;
    if (status == AW_OK)
        status = choose_scale(&s, o, fit, err);
    give_back(&s);
    return status;
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
    qsort(sorted, windows, sizeof *sorted, ascending);
    grain.noise = windows ? sorted[windows / 10] : 0;
    memcpy(sorted, y, n * sizeof *sorted);
    qsort(sorted, n, sizeof *sorted, ascending);
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
