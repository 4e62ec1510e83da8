/* Simulates a process with a recorded input. */
#include "tuning/identify/answer.h"

#include <math.h>

#include "tuning/identify/mover.h"

#define FINER 1024       /* resolution of the dead time within a grain */
#define GRAIN (1. / 128) /* resolution of times, as a share of the sampling interval */

double aw_dead_passes(const struct aw_dead *dead, double output)
{
    double size = fabs(output);
    double passes = size > dead->band ? size - dead->band : 0;
    return size < dead->zone ? 0 : output < 0 ? -passes : passes;
}

/* Converts seconds to whole grains since the first sample. */
struct ruler {
    double zero_s, grain_s, per_s;
};

static struct ruler ruler_of(const struct aw_trial *trial)
{
    double span = trial->t[trial->n - 1] - trial->t[0], n = (double)trial->n - 1;
    double grain = span > 0 ? GRAIN * span / n : 1;
    return (struct ruler){trial->t[0], grain, 1 / grain};
}

static double grains(const struct ruler *ruler, double t)
{
    double x = (t - ruler->zero_s) * ruler->per_s;
    return x > -1e15 && x < 1e15 ? (double)(int64_t)(x + (x < 0 ? -0.5 : 0.5)) : x;
}

/* A position in the input: its last point that has been applied, and the state of the process
 * there. */
struct place {
    struct aw_process_state x;
    size_t k;
    /* inputs at rest, at this point and at the next one; times of both points, in grains */
    double first, from, next, since, until;
};

static void look_ahead(struct place *at, const struct aw_trial *trial, const struct ruler *ruler,
                       const struct aw_dead *dead)
{
    bool more = at->k + 1 < trial->n_inputs;
    at->until = more ? grains(ruler, trial->input_t[at->k + 1]) : INFINITY;
    at->next = more ? aw_dead_passes(dead, trial->input[at->k + 1]) - at->first : at->from;
}

/* Rounds all times except the dead time to grains. This limits the number of different moves and
 * avoids accumulated errors. The result stays smooth in all parameters. */
void aw_answer(const struct aw_trial *trial, size_t n, const struct aw_process *process,
               const struct aw_dead *dead, double *out)
{
    struct ruler ruler = ruler_of(trial);
    struct place at = {.first = aw_dead_passes(dead, trial->input[0]),
                       .since = grains(&ruler, trial->input_t[0])};
    struct aw_mover mover;
    double late = process->dead_time_s * ruler.per_s, grain = ruler.grain_s;
    aw_mover_init(&mover, process, grain / FINER);
    look_ahead(&at, trial, &ruler, dead);
    for (size_t i = 0; i < n; i++) {
        double t = grains(&ruler, trial->t[i]) - late;
        while (at.until <= t) {
            aw_mover_move(&mover, &at.x, at.from, trial->stairs ? at.from : at.next,
                          (at.until - at.since) * grain);
            at.k++;
            at.from = at.next;
            at.since = at.until;
            look_ahead(&at, trial, &ruler, dead);
        }
        double h = t - at.since, to = at.from;
        if (!trial->stairs)
            to += (at.next - at.from) * h / (at.until - at.since);
        if (fabs(process->lead) > 0) {
            struct aw_process_state now = at.x;
            aw_mover_move(&mover, &now, at.from, to, h * grain);
            out[i] = aw_process_measured(process, &now);
        } else {
            out[i] = process->gain * aw_mover_y(&mover, &at.x, at.from, to, h * grain);
        }
    }
}
