/* Simulates the response of a process to a recorded input, with the driver's dead zone and band.
 *
 *     struct aw_dead_band dead = {.zone = 0.01};
 *     aw_simulate(&trial, trial.n, &process, &dead, out);
 */
#ifndef AW_IDENTIFY_ANSWER_H
#define AW_IDENTIFY_ANSWER_H

#include "tuning/identify/process.h"
#include "tuning/identify/trial.h"

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

#endif
