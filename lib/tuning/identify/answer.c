/* Simulates a process with a recorded input. */
#include "tuning/identify/answer.h"

#include <math.h>

#include "tuning/identify/mover.h"

#define FINER 1024       /* resolution of the dead time within a grain */
#define GRAIN (1. / 128) /* resolution of times, as a share of the sampling interval */

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

static double to_grains(const struct time_grid *ruler, double t)
{
    double x = (t - ruler->zero_s) * ruler->per_s;
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
                      const struct time_grid *ruler, const struct aw_dead_band *dead)
{
    bool has_next = cursor->k + 1 < trial->n_inputs;
    cursor->end = has_next ? to_grains(ruler, trial->input_t[cursor->k + 1]) : INFINITY;
    cursor->next_input =
        has_next ? aw_dead_band_output(dead, trial->input[cursor->k + 1]) - cursor->rest_input
                 : cursor->input;
}

/* Rounds all times except the dead time to grains. This limits the number of different moves and
 * avoids accumulated errors. The result stays smooth in all parameters. */
void aw_simulate(const struct aw_trial *trial, size_t n, const struct aw_process *process,
                 const struct aw_dead_band *dead, double *out)
{
    struct time_grid ruler = make_grid(trial);
    struct cursor at = {.rest_input = aw_dead_band_output(dead, trial->input[0]),
                        .start = to_grains(&ruler, trial->input_t[0])};
    struct aw_mover mover;
    double delay = process->dead_time_s * ruler.per_s, grain = ruler.grain_s;
    aw_mover_init(&mover, process, grain / FINER);
    find_next(&at, trial, &ruler, dead);
    for (size_t i = 0; i < n; i++) {
        double t = to_grains(&ruler, trial->t[i]) - delay;
        while (at.end <= t) {
            aw_mover_move(&mover, &at.x, at.input, trial->stairs ? at.input : at.next_input,
                          (at.end - at.start) * grain);
            at.k++;
            at.input = at.next_input;
            at.start = at.end;
            find_next(&at, trial, &ruler, dead);
        }
        double h = t - at.start, to = at.input;
        if (!trial->stairs)
            to += (at.next_input - at.input) * h / (at.end - at.start);
        struct aw_process_state now = at.x;
        aw_mover_move(&mover, &now, at.input, to, h * grain);
        out[i] = aw_process_measured(process, &now);
    }
}
