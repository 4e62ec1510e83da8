/* Frequency responses: an excitation signal for a loop, and the response at each frequency.
 *
 *     struct aw_sweep_plan plan = {.from_hz = 0.2, .to_hz = 20, .tones = 16,
 *                                  .amplitude = 0.02, .duration_s = 10};
 *     aw_sweep_start(&sweep, &plan, &err);
 *     … send centre + aw_sweep_get_value(&sweep, t), collect t, input, output …
 *     aw_sweep_response(&sweep, t, input, output, n, points, NULL, &err);   sweep.n points
 *     aw_bode_summary(points, sweep.n, &summary);
 *
 * The signal is a multisine. It depends on time only, is the same in every run, never exceeds
 * ± amplitude, and repeats after duration_s. Its tones are whole multiples of 1/duration_s, about
 * evenly spread over log f, with phases for a low crest factor. Discard the first period, because
 * the loop has not reached its steady state.
 */
#ifndef AW_IDENTIFY_SWEEP_H
#define AW_IDENTIFY_SWEEP_H

#include <stdbool.h>
#include <stddef.h>

#include "base/status.h"

#define AW_SWEEP_TONES 48

struct aw_sweep_plan {
    double from_hz, to_hz; /* 0 < from < to; at least one period of from in duration_s */
    int tones;             /* 1..AW_SWEEP_TONES frequencies; fewer if some would coincide */
    double amplitude;      /* > 0: max |value| */
    double duration_s;     /* > 0 */
};

struct aw_sweep {
    struct aw_sweep_plan plan;
    int n;
    double frequency_hz[AW_SWEEP_TONES];
    double phase[AW_SWEEP_TONES]; /* rad */
    double scale;                 /* amplitude of each tone */
};

/* The response at one frequency. phase_deg is unwrapped. */
struct aw_bode_point {
    double frequency_hz;
    double gain, gain_db;
    double phase_deg;
};

struct aw_bode_summary {
    /* first frequency 3 dB below the gain at the lowest one; NaN: not found */
    double bandwidth_hz;
    double crossover_hz;     /* frequency at which the gain falls through 1; NaN: not found */
    double phase_margin_deg; /* 180 + phase at crossover_hz; NaN: not found */
    double peak_gain;
    double peak_hz;
};

/* Chooses the tones and phases of a plan. AW_USAGE: the plan is invalid. */
enum aw_status aw_sweep_start(struct aw_sweep *sweep, const struct aw_sweep_plan *plan,
                              struct aw_error *err);

/* Returns the excitation at t seconds since the start, without the operating point. */
double aw_sweep_get_value(const struct aw_sweep *sweep, double t);

/* Calculates the response (output over input) at sweep->frequency_hz from finite samples at
 * increasing times, in s since the start, by least squares over all tones at once. Removes mean and
 * linear drift from both. Needs at least 2·tones + 4 samples and one whole period. points must have
 * room for sweep->n. *fit becomes the share of the output's variance that the tones explain, 0..1;
 * fit may be NULL. AW_USAGE: too few samples, samples too far apart for to_hz, or no excitation in
 * the input. */
enum aw_status aw_sweep_response(const struct aw_sweep *sweep, const double *t, const double *input,
                                 const double *output, size_t n, struct aw_bode_point *points,
                                 double *fit, struct aw_error *err);

/* Converts the closed loop T (setpoint to measured) to the open loop L = T/(1 - T), for which the
 * margins are defined. in and out may be the same. */
void aw_bode_open_loop(const struct aw_bode_point *in, int n, struct aw_bode_point *out);

/* Interpolates crossings over log f. The bandwidth is valid for a closed loop, the margins for an
 * open one. */
void aw_bode_summary(const struct aw_bode_point *points, int n, struct aw_bode_summary *out);

#endif
