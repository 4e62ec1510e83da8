/* Detects a joint that stays behind its target (following error).
 *
 *     int64_t behind_ns = 0;
 *     if (aw_is_lagging(&behind_ns, target - actual, max_lag, now_ns))
 *         … stop: something holds it …
 */
#ifndef AW_CONTROL_LAG_H
#define AW_CONTROL_LAG_H

#include <stdbool.h>
#include <stdint.h>

#define AW_LAG_S 0.3 /* tolerated duration of a following error, s */

/* Returns true if the following error has exceeded max_lag for AW_LAG_S. Call it for each sample.
 * *behind_ns is the time at which it first exceeded max_lag; 0: it does not. NaN never exceeds
 * it. */
bool aw_is_lagging(int64_t *behind_ns, double error, double max_lag, int64_t now_ns);

#endif
