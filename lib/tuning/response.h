/* Metrics of a step response, for comparing controllers.
 *
 * Pure functions over samples that the caller owns. Setpoint and measured may have any common unit
 * (degrees, Nm, normalised); times are in seconds.
 *
 *     struct aw_step step = {.from = 0, .to = 10, .time_s = samples[0].t};
 *     struct aw_response response;
 *     if (aw_response(samples, n, &step, &response, &err) == AW_OK &&
 *         aw_metric_is_reached(response.value[AW_RISE_TIME]))
 *         printf("%s %g s\n", aw_metric(AW_RISE_TIME)->name, response.value[AW_RISE_TIME]);
 *
 * Definitions. The step is the commanded one, from A to B, so two runs with the same step are
 * comparable even if one of them does not arrive:
 *   rise time           from 10 % to 90 % of the way from A to B. Not reached: never at 90 %.
 *   overshoot           how far beyond B, in % of |B - A|; 0 if never beyond.
 *   peak time           of the farthest point in the direction from A to B, since the step. Not
 *                       reached: it does not stand out from the final value by 0.5 % of |B - A|.
 *   settling time       since the step, until within 2 % of |B - A| around B for good. Not
 *                       reached: some sample in the tail (below) is still outside.
 *   steady-state error  B - final value, in the unit of the samples; the final value is the mean
 *                       of the tail, the last 10 % of the time after the step.
 *   IAE, ISE            integrals of |B - measured| and of its square after the step.
 *   max output          largest |output| after the step; absent if no sample has an output.
 *
 * If the first sample is already beyond 10 %, the rise starts at the step. Crossings are
 * interpolated between samples, and the integrals are exact for straight lines between samples. A
 * metric that was not reached is NaN. */
#ifndef AW_TUNING_RESPONSE_H
#define AW_TUNING_RESPONSE_H

#include <stdbool.h>
#include <stddef.h>

#include "base/status.h"

/* t increases, and measured is finite. output is NaN if unknown. */
struct aw_sample {
    double t; /* s */
    double setpoint, measured, output;
};

struct aw_step {
    double from, to; /* in the unit of the samples; must differ */
    double time_s;   /* time of the command; ignores earlier samples */
    bool smooths;    /* applies a running median of three samples, to remove single outliers */
};

enum aw_metric {
    AW_RISE_TIME,
    AW_OVERSHOOT,
    AW_PEAK_TIME,
    AW_SETTLING_TIME,
    AW_STEADY_STATE_ERROR,
    AW_IAE,
    AW_ISE,
    AW_MAX_OUTPUT,
    AW_METRICS
};

struct aw_response {
    double value[AW_METRICS]; /* NaN: not reached */
    double final;             /* mean of the tail */
};

/* Calculates all metrics. AW_USAGE: fewer than 4 samples after the step, or no step. */
enum aw_status aw_response(const struct aw_sample *samples, size_t n, const struct aw_step *step,
                           struct aw_response *out, struct aw_error *err);

bool aw_metric_is_reached(double value);

/* Returns true if the final value is within tolerance (a share of the step) of the target.
 * Otherwise the metrics mean nothing: without motion, there is no overshoot, and settling is
 * immediate. */
#define AW_RESPONSE_TOLERANCE 0.1
bool aw_response_reached_target(const struct aw_response *response, const struct aw_step *step,
                                double tolerance);

/* Samples as arrays in one block, which starts at t. */
struct aw_columns {
    double *t, *setpoint, *measured, *output;
};

/* Copies samples to newly allocated columns, with setpoint and measured multiplied by scale. The
 * caller frees t; t NULL: out of memory. */
struct aw_columns aw_copy_columns(const struct aw_sample *samples, size_t n, double scale);

/* Names of a metric, in records and for people. Its unit is the samples' unit (if uses_sample_unit
 * is set), followed by unit_after: "s", "%", "deg", "deg·s", "deg²·s", "". */
struct aw_metric_row {
    const char *name;  /* "rise_time" */
    const char *title; /* "rise time" */
    bool uses_sample_unit;
    const char *unit_after;
};

const struct aw_metric_row *aw_metric(enum aw_metric metric);

#endif
