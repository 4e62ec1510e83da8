/* The tick of a driver's law, from what its integral does.
 *
 * A law that adds ki·e to its output once a tick, with kp and kd 0, has after a time x an output
 * that has grown by ki/tick · ∫e dt. So the tick is ki over the slope of the output over that
 * integral (least squares), however long the telemetry's period is, and wherever frames of it are
 * missing.
 *
 *     size_t n = … samples t (s), error, output (shares of full scale), at most a second …
 *     if (aw_tick_measure(t, error, output, n, ki, &tick))
 *         … tick.s, ± tick.half …
 */
#ifndef AW_CONTROL_TICK_H
#define AW_CONTROL_TICK_H

#include <stdbool.h>
#include <stddef.h>

/* Where a tick comes from. */
enum aw_tick_from {
    AW_TICK_UNKNOWN,
    AW_TICK_GIVEN,    /* by a person, or a file */
    AW_TICK_MEASURED, /* see above */
    AW_TICK_ASSUMED,  /* of the telemetry's period: a driver sends once in a round of its loop */
    AW_TICK_FROMS,
};

/* "unknown", "given", "measured", "assumed"; the last entry is NULL. */
extern const char *const aw_tick_from_names[AW_TICK_FROMS + 1];

struct aw_tick {
    double s;
    double half; /* of the 95 % interval, either way; NaN: not known */
    enum aw_tick_from from;
};

/* False, and *tick as it was, if the output does not follow the integral: fewer than 8 samples, or
 * an interval of more than 20 % of the tick. */
bool aw_tick_measure(const double *t, const double *error, const double *output, size_t n,
                     double ki, struct aw_tick *tick);

#endif
