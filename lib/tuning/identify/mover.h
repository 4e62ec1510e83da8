/* Fast repeated moves of a process (process.h): caches the move for each duration.
 *
 *     struct aw_mover mover;
 *     aw_mover_init(&mover, &process, 1e-7 * interval_s);
 *     for (…) aw_mover_move(&mover, &state, from, to, h);
 *
 * A move is linear in the state and in the input at either end. So durations that repeat, as in an
 * evenly sampled record, cost a few multiplications instead of exponentials.
 */
#ifndef AW_IDENTIFY_MOVER_H
#define AW_IDENTIFY_MOVER_H

#include <stddef.h>
#include <stdint.h>

#include "tuning/identify/process.h"

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
