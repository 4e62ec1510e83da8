/* Moves of a process (process.h) made often: what a move by some time does is found once.
 *
 *     struct aw_mover mover;
 *     aw_mover_init(&mover, &process, 1e-7 * interval_s);
 *     for (…) aw_mover_move(&mover, &state, from, to, h);
 *
 * A move is linear in the state and in the input at either end, so that the times that come again,
 * as they do in a record of even samples, cost a few multiplications instead of exponentials.
 */
#ifndef AW_CONTROL_MOVER_H
#define AW_CONTROL_MOVER_H

#include <stddef.h>
#include <stdint.h>

#include "control/process.h"

/* y, rate and lagged, each from y, rate, lagged, and the input before and after. The first n of
 * them are used by a process of its kind. */
struct aw_move {
    double of[3][5];
    int n;
};
struct aw_move aw_move_of(const struct aw_process *process, double h);
void aw_move(const struct aw_move *move, struct aw_process_state *x, double from, double to);

#define AW_MOVER_SLOTS 512

struct aw_mover {
    struct aw_process process;
    double per_s;                 /* grains */
    int64_t time[AW_MOVER_SLOTS]; /* in grains */
    bool known[AW_MOVER_SLOTS];   /* else it has been seen once */
    struct aw_move move[AW_MOVER_SLOTS];
};

/* Times that are grain_s or less apart may be taken for the same one. */
void aw_mover_init(struct aw_mover *mover, const struct aw_process *process, double grain_s);

/* As aw_process_advance. */
void aw_mover_move(struct aw_mover *mover, struct aw_process_state *x, double from, double to,
                   double h);

/* y alone, after such a move. */
double aw_mover_y(struct aw_mover *mover, const struct aw_process_state *x, double from, double to,
                  double h);

/* The move by h seconds, above 0; until the next call. */
const struct aw_move *aw_mover_get(struct aw_mover *mover, double h);

#endif
