/* What a process answers to a recorded input, and what of an output reaches it.
 *
 *     struct aw_dead dead = {.zone = 0.01};
 *     aw_answer(&trial, trial.n, &process, &dead, out);
 */
#ifndef AW_CONTROL_ANSWER_H
#define AW_CONTROL_ANSWER_H

#include "control/process.h"
#include "control/trial.h"

/* Two ways in which little of an output does nothing. A driver whose zone is 0.01 lets the motor
 * stand below it, and gives it the whole output from there on. A band is lost of every output:
 * friction, or a motor amplifier whose range begins there. */
struct aw_dead {
    double zone, band;
};
double aw_dead_passes(const struct aw_dead *dead, double output);

/* The answer to the first n samples, at rest with the first input, and exact (process.h). */
void aw_answer(const struct aw_trial *trial, size_t n, const struct aw_process *process,
               const struct aw_dead *dead, double *out);

#endif
