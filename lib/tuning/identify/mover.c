/* A small cache of moves by their duration. */
#include "tuning/identify/mover.h"

#define FARTHEST 4e18

struct aw_move aw_make_move(const struct aw_process *process, double h)
{
    bool two = process->integrating || process->a2 > 0;
    struct aw_move move = {.n = process->a3 > 0 ? 3 : two ? 2 : 1};
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
    int64_t time = grains < FARTHEST ? (int64_t)(grains + 0.5) : (int64_t)FARTHEST;
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
