/* A Kalman filter for impulses at the times of jumps, applied to columns. */
#include "tuning/identify/weights.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#define LONGER 1.5  /* an interval above this multiple of the mean interval is long */
#define GRAIN  1e-3 /* resolution of times, as a share of the interval */

enum aw_status aw_weights_begin(struct aw_weights *w, const struct aw_trial *trial,
                                const bool *held, struct aw_error *err)
{
    size_t n = trial->n;
    *w = (struct aw_weights){.trial = trial};
    w->interval_s = (trial->t[n - 1] - trial->t[0]) / (double)(n - 1);
    w->gain = calloc(3 * n, sizeof *w->gain);
    w->scale = calloc(n, sizeof *w->scale);
    w->ones = calloc(n, sizeof *w->ones);
    if (!w->gain || !w->scale || !w->ones)
        return aw_no_memory(err);
    aw_weights_hold_out(w, held);
    aw_weights_plain(w, n);
    return AW_OK;
}

void aw_weights_hold_out(struct aw_weights *w, const bool *held)
{
    w->held = held;
    w->counted = 0;
    for (size_t i = 0; i < w->trial->n; i++)
        w->counted += !held || !held[i];
}

void aw_weights_end(struct aw_weights *w)
{
    free(w->gain);
    free(w->scale);
    free(w->ones);
}

size_t aw_weights_piece_end(const struct aw_weights *w, size_t from)
{
    size_t n = w->trial->n;
    return n - from < 2 * w->piece ? n : from + w->piece;
}

/* ---- The filter ---- */

/* Moves the state from one sample to the next without input. */
static void drift(struct aw_weights *w, struct aw_process_state *x, size_t i)
{
    aw_mover_move(&w->mover, x, 0, 0, w->trial->t[i] - w->trial->t[i - 1]);
}

/* Calculates the innovations of a piece. scaled: divides them by their standard deviation. */
static void filter(struct aw_weights *w, const double *in, double *out, size_t from, size_t to,
                   bool scaled)
{
    struct aw_process_state x = {0};
    if (w->follows)
        aw_mover_init(&w->mover, &w->process, GRAIN * w->interval_s);
    for (size_t i = from; i < to; i++) {
        if (w->follows && i > from)
            drift(w, &x, i);
        double news = in[i] - x.y;
        if (w->follows) {
            const double *gain = w->gain + 3 * i;
            x.y += gain[0] * news;
            x.rate += gain[1] * news;
            x.lagged += gain[2] * news;
        }
        out[i] = scaled ? news * w->scale[i] : news;
    }
}

static void whiten_ones(struct aw_weights *w)
{
    for (size_t i = 0; i < w->trial->n; i++)
        w->ones[i] = 1;
    for (size_t from = 0, to; from < w->trial->n; from = to) {
        to = aw_weights_piece_end(w, from);
        filter(w, w->ones, w->ones, from, to, true);
    }
}

/* Returns the offset of a whitened piece. */
static double offset_of(const struct aw_weights *w, const double *column, size_t from, size_t to)
{
    double along = 0, own = 0;
    for (size_t i = from; i < to; i++) {
        along += column[i] * w->ones[i];
        own += w->ones[i] * w->ones[i];
    }
    return own > 0 ? along / own : 0;
}

void aw_weights_apply(struct aw_weights *w, const double *in, double *out)
{
    for (size_t from = 0, to; from < w->trial->n; from = to) {
        to = aw_weights_piece_end(w, from);
        filter(w, in, out, from, to, true);
        double offset = offset_of(w, out, from, to);
        for (size_t i = from; i < to; i++)
            out[i] -= offset * w->ones[i];
    }
}

void aw_weights_innovate(struct aw_weights *w, double *column, double *work)
{
    for (size_t from = 0, to; from < w->trial->n; from = to) {
        to = aw_weights_piece_end(w, from);
        filter(w, column, work, from, to, true);
        double offset = offset_of(w, work, from, to);
        for (size_t i = from; i < to; i++)
            column[i] -= offset;
        filter(w, column, column, from, to, false);
    }
}

/* ---- Gains of the filter ---- */

void aw_weights_plain(struct aw_weights *w, size_t piece)
{
    w->piece = piece;
    w->follows = false;
    w->log_det = 0;
    for (size_t i = 0; i < w->trial->n; i++)
        w->scale[i] = !w->held || !w->held[i];
    whiten_ones(w);
}

/* Covariance of the state. */
struct spread {
    double p[3][3];
    bool any;
};

static void spread_moves(struct spread *s, const struct aw_move *move)
{
    double half[3][3];
    for (int r = 0; r < 3; r++)
        for (int c = 0; c < 3; c++)
            half[r][c] = move->of[r][0] * s->p[0][c] + move->of[r][1] * s->p[1][c] +
                         move->of[r][2] * s->p[2][c];
    for (int r = 0; r < 3; r++)
        for (int c = 0; c < 3; c++)
            s->p[r][c] = half[r][0] * move->of[c][0] + half[r][1] * move->of[c][1] +
                         half[r][2] * move->of[c][2];
}

static void spread_grows(struct spread *s, const struct aw_process_state *by)
{
    const double v[3] = {by->y, by->rate, by->lagged};
    for (int r = 0; r < 3; r++)
        for (int c = 0; c < 3; c++)
            s->p[r][c] += v[r] * v[c];
    s->any = true;
}

/* Returns half the difference in state between a jump one deviation early and one deviation late.
 * since_s: time since the expected effect of the jump. */
static struct aw_process_state kick_of(const struct aw_process *process, double since_s,
                                       double deviation_s)
{
    struct aw_process_state early = {0}, late = {0};
    aw_process_advance(process, &early, 1, 1, since_s + deviation_s);
    aw_process_advance(process, &late, 1, 1, since_s - deviation_s);
    return (struct aw_process_state){(early.y - late.y) / 2, (early.rate - late.rate) / 2,
                                     (early.lagged - late.lagged) / 2};
}

static bool is_jump(const struct aw_trial *trial, size_t k)
{
    return k > 0 && k + 2 < trial->n_inputs && trial->input_t[k + 1] <= trial->input_t[k] &&
           fabs(trial->input[k + 1] - trial->input[k]) > 0;
}

/* Returns the standard deviation of a jump's time. In an unusually long interval, any time is
 * possible. */
static double deviation_of(const struct aw_weights *w, size_t k, double scatter)
{
    double possible = w->trial->input_t[k + 2] - w->trial->input_t[k - 1];
    return (possible > LONGER * w->interval_s ? 1 : scatter) * possible / sqrt(12);
}

static bool has_impulses(const struct aw_weights *w, double scatter)
{
    for (size_t k = 0; k < w->trial->n_inputs; k++)
        if (is_jump(w->trial, k) && deviation_of(w, k, scatter) > 0)
            return true;
    return false;
}

/* Applies all jumps that have an effect by time t, starting at the k-th point of the input. Returns
 * the next point. */
static size_t apply_jumps(const struct aw_weights *w, const struct aw_dead *dead, double scatter,
                          double t, size_t k, struct spread *s)
{
    const struct aw_trial *trial = w->trial;
    for (; k < trial->n_inputs; k++) {
        double felt = trial->input_t[k] + w->process.dead_time_s;
        if (felt - w->interval_s > t)
            break;
        if (!is_jump(trial, k))
            continue;
        double deviation = deviation_of(w, k, scatter);
        if (felt - deviation > t)
            break;
        double by = w->process.gain * (aw_dead_passes(dead, trial->input[k + 1]) -
                                       aw_dead_passes(dead, trial->input[k]));
        struct aw_process_state kick = kick_of(&w->process, t - felt, deviation);
        kick.y *= by;
        kick.rate *= by;
        kick.lagged *= by;
        spread_grows(s, &kick);
    }
    return k;
}

static void learn(struct aw_weights *w, size_t i, struct spread *s, double sigma2)
{
    double all = s->p[0][0] + sigma2, *gain = w->gain + 3 * i, first[3];
    memcpy(first, s->p[0], sizeof first);
    for (int r = 0; r < 3; r++)
        gain[r] = s->p[r][0] / all;
    for (int r = 0; r < 3; r++)
        for (int c = 0; c < 3; c++)
            s->p[r][c] -= gain[r] * first[c];
    w->scale[i] = sqrt(sigma2 / all);
    w->log_det += log(all / sigma2);
}

void aw_weights_find(struct aw_weights *w, const struct aw_process *process,
                     const struct aw_dead *dead, double sigma2, double scatter)
{
    const struct aw_trial *trial = w->trial;
    size_t k = 0;
    w->process = *process;
    w->follows = sigma2 > 0 && has_impulses(w, scatter);
    if (!w->follows) {
        aw_weights_plain(w, w->piece);
        return;
    }
    w->log_det = 0;
    memset(w->gain, 0, 3 * trial->n * sizeof *w->gain);
    for (size_t from = 0, to; from < trial->n; from = to) {
        struct spread s = {0};
        to = aw_weights_piece_end(w, from);
        aw_mover_init(&w->mover, process, GRAIN * w->interval_s);
        for (size_t i = from; i < to; i++) {
            struct spread nothing = {0};
            if (s.any && i > from)
                spread_moves(&s, aw_mover_get(&w->mover, trial->t[i] - trial->t[i - 1]));
            k = apply_jumps(w, dead, scatter, trial->t[i], k, i > from || !from ? &s : &nothing);
            w->scale[i] = 0;
            if (!w->held || !w->held[i])
                learn(w, i, &s, sigma2);
        }
    }
    whiten_ones(w);
}
