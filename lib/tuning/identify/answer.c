/* Simulates a process with a recorded input, by cached moves. */
#include "tuning/identify/answer.h"

#include <math.h>

#define DEAD_TIME_STEPS 1024       /* resolution of the dead time within a grain */
#define GRAIN           (1. / 128) /* resolution of times, as a share of the sampling interval */
#define MAX_INDEX       4e18

/* ---- Moves ---- */

struct aw_move aw_make_move(const struct aw_process *process, double h)
{
    bool two_lags = process->integrating || process->a2 > 0;
    struct aw_move move = {.n = process->a3 > 0 ? 3 : two_lags ? 2 : 1};
    for (int i = 0; i < 5; i++) {
        struct aw_process_state x = {i == 0, i == 1, i == 2};
        aw_process_advance(process, &x, i == 3, i == 4, h);
        move.weights[0][i] = x.y;
        move.weights[1][i] = x.rate;
        move.weights[2][i] = x.lagged;
    }
    return move;
}

void aw_move(const struct aw_move *move, struct aw_process_state *x, double from, double to)
{
    const struct aw_process_state previous = *x;
    const double *y = move->weights[0], *rate = move->weights[1], *lagged = move->weights[2];
    double in[3] = {y[3] * from + y[4] * to, rate[3] * from + rate[4] * to,
                    lagged[3] * from + lagged[4] * to};
    if (move->n == 1) {
        x->y = y[0] * previous.y + in[0];
    } else if (move->n == 2) {
        x->y = y[0] * previous.y + y[1] * previous.rate + in[0];
        x->rate = rate[0] * previous.y + rate[1] * previous.rate + in[1];
    } else {
        x->y = y[0] * previous.y + y[1] * previous.rate + y[2] * previous.lagged + in[0];
        x->rate =
            rate[0] * previous.y + rate[1] * previous.rate + rate[2] * previous.lagged + in[1];
        x->lagged = lagged[2] * previous.lagged + in[2];
    }
}

void aw_mover_init(struct aw_mover *mover, const struct aw_process *process, double grain_s)
{
    mover->process = *process;
    mover->per_s = 1 / grain_s;
    for (int i = 0; i < AW_MOVER_SLOTS; i++)
        mover->time[i] = -1;
}

const struct aw_move *aw_mover_get_move(struct aw_mover *mover, double h)
{
    double grains = h * mover->per_s;
    int64_t time = grains < MAX_INDEX ? (int64_t)(grains + 0.5) : (int64_t)MAX_INDEX;
    size_t slot = (size_t)(((uint64_t)time * 0x9e3779b97f4a7c15u) >> 55);
    if (mover->time[slot] != time)
        mover->move[slot] = aw_make_move(&mover->process, h);
    mover->time[slot] = time;
    return &mover->move[slot];
}

void aw_mover_move(struct aw_mover *mover, struct aw_process_state *x, double from, double to,
                   double h)
{
    if (h > 0)
        aw_move(aw_mover_get_move(mover, h), x, from, to);
}

/* ---- Records ---- */

double aw_dead_band_output(const struct aw_dead_band *dead, double output)
{
    double size = fabs(output);
    double passed = size > dead->band ? size - dead->band : 0;
    return size < dead->zone ? 0 : output < 0 ? -passed : passed;
}

/* Converts seconds to whole grains since the first sample. */
struct time_grid {
    double zero_s, grain_s, per_s;
};

static struct time_grid make_grid(const struct aw_trial *trial)
{
    double span = trial->t[trial->n - 1] - trial->t[0], n = (double)trial->n - 1;
    double grain = span > 0 ? GRAIN * span / n : 1;
    return (struct time_grid){trial->t[0], grain, 1 / grain};
}

static double to_grains(const struct time_grid *grid, double t)
{
    double x = (t - grid->zero_s) * grid->per_s;
    return x > -1e15 && x < 1e15 ? (double)(int64_t)(x + (x < 0 ? -0.5 : 0.5)) : x;
}

/* A position in the input: its last point that has been applied, and the state of the process
 * there. */
struct cursor {
    struct aw_process_state x;
    size_t k;
    /* inputs at rest, at this point and at the next one; times of both points, in grains */
    double rest_input, input, next_input, start, end;
};

static void find_next(struct cursor *cursor, const struct aw_trial *trial,
                      const struct time_grid *grid, const struct aw_dead_band *dead)
{
    bool has_next = cursor->k + 1 < trial->n_inputs;
    cursor->end = has_next ? to_grains(grid, trial->input_t[cursor->k + 1]) : INFINITY;
    cursor->next_input =
        has_next ? aw_dead_band_output(dead, trial->input[cursor->k + 1]) - cursor->rest_input
                 : cursor->input;
}

/* Rounds all times except the dead time to grains. This limits the number of different moves and
 * avoids accumulated errors. The result stays smooth in all parameters. */
void aw_simulate(const struct aw_trial *trial, size_t n, const struct aw_process *process,
                 const struct aw_dead_band *dead, double *out)
{
    struct time_grid grid = make_grid(trial);
    struct cursor at = {.rest_input = aw_dead_band_output(dead, trial->input[0]),
                        .start = to_grains(&grid, trial->input_t[0])};
    struct aw_mover mover;
    double delay = process->dead_time_s * grid.per_s, grain = grid.grain_s;
    aw_mover_init(&mover, process, grain / DEAD_TIME_STEPS);
    find_next(&at, trial, &grid, dead);
    for (size_t i = 0; i < n; i++) {
        double t = to_grains(&grid, trial->t[i]) - delay;
        while (at.end <= t) {
            aw_mover_move(&mover, &at.x, at.input, trial->is_stairs ? at.input : at.next_input,
                          (at.end - at.start) * grain);
            at.k++;
            at.input = at.next_input;
            at.start = at.end;
            find_next(&at, trial, &grid, dead);
        }
        double h = t - at.start, to = at.input;
        if (!trial->is_stairs)
            to += (at.next_input - at.input) * h / (at.end - at.start);
        struct aw_process_state now = at.x;
        aw_mover_move(&mover, &now, at.input, to, h * grain);
        out[i] = aw_process_measured(process, &now);
    }
}
