/* Measures the tick of a driver's controller from its integrator.
 *
 * With kp and kd 0, a controller adds ki·e to its output once per tick. So its output grows by
 * ki/tick · ∫e dt. The tick is ki over the slope of the output over that integral (least squares).
 * The telemetry's period and missing frames do not matter.
 *
 *     size_t n = … samples t (s), error, output (shares of full scale), at most a second …
 *     if (aw_tick_measure(t, error, output, n, ki, &tick))
 *         … tick.s, ± tick.half_width …
 */
#ifndef AW_IDENTIFY_TICK_H
#define AW_IDENTIFY_TICK_H

#include <stdbool.h>
#include <stddef.h>

/* Origin of a tick. */
enum aw_tick_source {
    AW_TICK_UNKNOWN,
    AW_TICK_GIVEN,    /* given by the user or a file */
    AW_TICK_MEASURED, /* measured by aw_tick_measure */
    AW_TICK_ASSUMED,  /* assumed from the telemetry's period: a driver sends once per loop */
    AW_TICK_SOURCES,
};

/* Names of the sources: "unknown", "given", "measured", "assumed"; the last entry is NULL. */
extern const char *const aw_tick_source_names[AW_TICK_SOURCES + 1];

struct aw_tick {
    double s;
    double half_width; /* half-width of the 95 % interval; NaN: unknown */
    enum aw_tick_source source;
};

/* Measures the control period. Returns false, and leaves *tick unchanged, if the output does not
 * follow the integral, there are fewer than 8 samples, or the 95 % interval exceeds 20 % of the
 * control period. */
bool aw_tick_measure(const double *t, const double *error, const double *output, size_t n,
                     double ki, struct aw_tick *tick);

#endif
