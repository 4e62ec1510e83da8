/* Simulates the response of a process to a recorded input, with the driver's dead zone and band.
 *
 *     struct aw_dead_band dead = {.zone = 0.01};
 *     aw_simulate(&trial, trial.n, &process, &dead, out);
 *
 * A move of a process is linear in its state and in the input at either end. So durations that
 * repeat, as in an evenly sampled record, cost a few multiplications instead of exponentials:
 *
 *     struct aw_mover mover;
 *     aw_mover_init(&mover, &process, 1e-7 * interval_s);
 *     for (…) aw_mover_move(&mover, &state, from, to, h);
 */
#ifndef AW_IDENTIFY_ANSWER_H
#define AW_IDENTIFY_ANSWER_H

#include <stddef.h>
#include <stdint.h>

#include "tuning/identify/process.h"

/* A record for identification: the input and output of a process. Does not own the arrays. Times
 * increase; two points at the same time are a jump of the input. Between two points, the input
 * changes linearly, or is constant if is_stairs is set. The last two members are the common
 * uncertainty of all jump times, s, and the roughness of the input (aw_excite_make_trial). */
struct aw_trial {
    const double *input_t, *input;
    size_t n_inputs;
    bool is_stairs;
    const double *t, *y;
    size_t n;
    double jump_half_s, roughness;
};

/* Dead zone and dead band of a driver. With a zone of 0.01, the driver ignores outputs below 0.01
 * and passes larger ones unchanged. A band is subtracted from the magnitude of every output:
 * friction, or the motor amplifier's threshold. */
struct aw_dead_band {
    double zone, band;
};
double aw_dead_band_output(const struct aw_dead_band *dead, double output);

/* Simulates the response at the first n samples, exactly (process.h). The process starts at rest
 * with the first input. */
void aw_simulate(const struct aw_trial *trial, size_t n, const struct aw_process *process,
                 const struct aw_dead_band *dead, double *out);

/* ---- Moves ---- */

/* Weights of a move. Each row has the weights for one result: y, rate or lagged. They apply to y,
 * rate, lagged, and the input before and after. n is the number of results that the process
 * uses. */
struct aw_move {
    double weights[3][5];
    int n;
};
struct aw_move aw_make_move(const struct aw_process *process, double h);
void aw_move(const struct aw_move *move, struct aw_process_state *x, double from, double to);

#define AW_MOVER_SLOTS 512

struct aw_mover {
    struct aw_process process;
    double per_s;                 /* grains per second */
    int64_t time[AW_MOVER_SLOTS]; /* in grains */
    struct aw_move move[AW_MOVER_SLOTS];
};

/* Durations that differ by grain_s or less may share a move. */
void aw_mover_init(struct aw_mover *mover, const struct aw_process *process, double grain_s);

/* Same as aw_process_advance. */
void aw_mover_move(struct aw_mover *mover, struct aw_process_state *x, double from, double to,
                   double h);

/* Returns the move by h seconds, above 0; valid until the next call. */
const struct aw_move *aw_mover_get_move(struct aw_mover *mover, double h);

#endif
