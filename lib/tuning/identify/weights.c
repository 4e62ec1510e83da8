/* A Kalman filter for impulses at the times of jumps, applied to columns. */
#include "tuning/identify/weights.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#define LONG_INTERVAL 1.5  /* an interval above this multiple of the mean interval is long */
#define GRAIN         1e-3 /* resolution of times, as a share of the interval */

enum aw_status aw_weights_begin(struct aw_weights *w, const struct aw_trial *trial,
                                const bool *held_out, struct aw_error *err)
{
    size_t n = trial->n;
    *w = (struct aw_weights){.trial = trial};
    w->interval_s = (trial->t[n - 1] - trial->t[0]) / (double)(n - 1);
    w->gain = calloc(3 * n, sizeof *w->gain);
    w->scale = calloc(n, sizeof *w->scale);
    w->unit_offset = calloc(n, sizeof *w->unit_offset);
    if (!w->gain || !w->scale || !w->unit_offset)
        return aw_no_memory(err);
    aw_weights_hold_out(w, held_out);
    aw_weights_reset(w, n);
    return AW_OK;
}

void aw_weights_hold_out(struct aw_weights *w, const bool *held_out)
{
    w->held_out = held_out;
    w->n_counted = 0;
    for (size_t i = 0; i < w->trial->n; i++)
        w->n_counted += !held_out || !held_out[i];
}

void aw_weights_end(struct aw_weights *w)
{
    free(w->gain);
    free(w->scale);
    free(w->unit_offset);
}

size_t aw_weights_piece_end(const struct aw_weights *w, size_t from)
{
    size_t n = w->trial->n;
    return n - from < 2 * w->piece ? n : from + w->piece;
}

/* ---- The filter ---- */

/* Calculates the innovations of a piece. scaled: divides them by their standard deviation. */
static void filter_piece(struct aw_weights *w, const double *in, double *out, size_t from,
                         size_t to, bool scaled)
{
    struct aw_process_state x = {0};
    if (w->uses_filter)
        aw_mover_init(&w->mover, &w->process, GRAIN * w->interval_s);
    for (size_t i = from; i < to; i++) {
        if (w->uses_filter && i > from) /* moves the state without input */
            aw_mover_move(&w->mover, &x, 0, 0, w->trial->t[i] - w->trial->t[i - 1]);
        double innovation = in[i] - x.y;
        if (w->uses_filter) {
            const double *gain = w->gain + 3 * i;
            x.y += gain[0] * innovation;
            x.rate += gain[1] * innovation;
            x.lagged += gain[2] * innovation;
        }
        out[i] = scaled ? innovation * w->scale[i] : innovation;
    }
}

static void whiten_ones(struct aw_weights *w)
{
    for (size_t i = 0; i < w->trial->n; i++)
        w->unit_offset[i] = 1;
    for (size_t from = 0, to; from < w->trial->n; from = to) {
        to = aw_weights_piece_end(w, from);
        filter_piece(w, w->unit_offset, w->unit_offset, from, to, true);
    }
}

/* Returns the offset of a whitened piece. */
static double find_offset(const struct aw_weights *w, const double *column, size_t from, size_t to)
{
    double product = 0, square = 0;
    for (size_t i = from; i < to; i++) {
        product += column[i] * w->unit_offset[i];
        square += w->unit_offset[i] * w->unit_offset[i];
    }
    return square > 0 ? product / square : 0;
}

void aw_weights_apply(struct aw_weights *w, const double *in, double *out)
{
    for (size_t from = 0, to; from < w->trial->n; from = to) {
        to = aw_weights_piece_end(w, from);
        filter_piece(w, in, out, from, to, true);
        double offset = find_offset(w, out, from, to);
        for (size_t i = from; i < to; i++)
            out[i] -= offset * w->unit_offset[i];
    }
}

void aw_weights_innovate(struct aw_weights *w, double *column, double *work)
{
    for (size_t from = 0, to; from < w->trial->n; from = to) {
        to = aw_weights_piece_end(w, from);
        filter_piece(w, column, work, from, to, true);
        double offset = find_offset(w, work, from, to);
        for (size_t i = from; i < to; i++)
            column[i] -= offset;
        filter_piece(w, column, column, from, to, false);
    }
}

/* ---- Gains of the filter ---- */

void aw_weights_reset(struct aw_weights *w, size_t piece)
{
    w->piece = piece;
    w->uses_filter = false;
    w->log_det = 0;
    for (size_t i = 0; i < w->trial->n; i++)
        w->scale[i] = !w->held_out || !w->held_out[i];
    whiten_ones(w);
}

/* Covariance of the state. */
struct covariance {
    double p[3][3];
    bool is_nonzero;
};

static void propagate(struct covariance *s, const struct aw_move *move)
{
    double product[3][3];
    for (int r = 0; r < 3; r++)
        for (int c = 0; c < 3; c++)
            product[r][c] = move->weights[r][0] * s->p[0][c] + move->weights[r][1] * s->p[1][c] +
                            move->weights[r][2] * s->p[2][c];
    for (int r = 0; r < 3; r++)
        for (int c = 0; c < 3; c++)
            s->p[r][c] = product[r][0] * move->weights[c][0] + product[r][1] * move->weights[c][1] +
                         product[r][2] * move->weights[c][2];
}

static void add_impulse(struct covariance *s, const struct aw_process_state *impulse)
{
    const double v[3] = {impulse->y, impulse->rate, impulse->lagged};
    for (int r = 0; r < 3; r++)
        for (int c = 0; c < 3; c++)
            s->p[r][c] += v[r] * v[c];
    s->is_nonzero = true;
}

/* Returns half the difference in state between a jump one deviation early and one deviation late.
 * elapsed_s: time since the expected effect of the jump. */
static struct aw_process_state find_impulse(const struct aw_process *process, double elapsed_s,
                                            double deviation_s)
{
    struct aw_process_state early = {0}, late = {0};
    aw_process_advance(process, &early, 1, 1, elapsed_s + deviation_s);
    aw_process_advance(process, &late, 1, 1, elapsed_s - deviation_s);
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
static double find_deviation(const struct aw_weights *w, size_t k, double scatter)
{
    double range_s = w->trial->input_t[k + 2] - w->trial->input_t[k - 1];
    return (range_s > LONG_INTERVAL * w->interval_s ? 1 : scatter) * range_s / sqrt(12);
}

static bool has_impulses(const struct aw_weights *w, double scatter)
{
    for (size_t k = 0; k < w->trial->n_inputs; k++)
        if (is_jump(w->trial, k) && find_deviation(w, k, scatter) > 0)
            return true;
    return false;
}

/* Applies all jumps that have an effect by time t, starting at the k-th point of the input. Returns
 * the next point. */
static size_t apply_jumps(const struct aw_weights *w, const struct aw_dead_band *dead,
                          double scatter, double t, size_t k, struct covariance *s)
{
    const struct aw_trial *trial = w->trial;
    for (; k < trial->n_inputs; k++) {
        double effect_s = trial->input_t[k] + w->process.dead_time_s;
        if (effect_s - w->interval_s > t)
            break;
        if (!is_jump(trial, k))
            continue;
        double deviation = find_deviation(w, k, scatter);
        if (effect_s - deviation > t)
            break;
        double change = w->process.gain * (aw_dead_band_output(dead, trial->input[k + 1]) -
                                           aw_dead_band_output(dead, trial->input[k]));
        struct aw_process_state impulse = find_impulse(&w->process, t - effect_s, deviation);
        impulse.y *= change;
        impulse.rate *= change;
        impulse.lagged *= change;
        add_impulse(s, &impulse);
    }
    return k;
}

static void update_gains(struct aw_weights *w, size_t i, struct covariance *s, double sigma2)
{
    double variance = s->p[0][0] + sigma2, *gain = w->gain + 3 * i, first[3];
    memcpy(first, s->p[0], sizeof first);
    for (int r = 0; r < 3; r++)
        gain[r] = s->p[r][0] / variance;
    for (int r = 0; r < 3; r++)
        for (int c = 0; c < 3; c++)
            s->p[r][c] -= gain[r] * first[c];
    w->scale[i] = sqrt(sigma2 / variance);
    w->log_det += log(variance / sigma2);
}

void aw_weights_calculate(struct aw_weights *w, const struct aw_process *process,
                          const struct aw_dead_band *dead, double sigma2, double scatter)
{
    const struct aw_trial *trial = w->trial;
    size_t k = 0;
    w->process = *process;
    w->uses_filter = sigma2 > 0 && has_impulses(w, scatter);
    if (!w->uses_filter) {
        aw_weights_reset(w, w->piece);
        return;
    }
    w->log_det = 0;
    memset(w->gain, 0, 3 * trial->n * sizeof *w->gain);
    for (size_t from = 0, to; from < trial->n; from = to) {
        struct covariance s = {0};
        to = aw_weights_piece_end(w, from);
        aw_mover_init(&w->mover, process, GRAIN * w->interval_s);
        for (size_t i = from; i < to; i++) {
            struct covariance nothing = {0};
            if (s.is_nonzero && i > from)
                propagate(&s, aw_mover_get_move(&w->mover, trial->t[i] - trial->t[i - 1]));
            k = apply_jumps(w, dead, scatter, trial->t[i], k, i > from || !from ? &s : &nothing);
            w->scale[i] = 0;
            if (!w->held_out || !w->held_out[i])
                update_gains(w, i, &s, sigma2);
        }
    }
    whiten_ones(w);
}
