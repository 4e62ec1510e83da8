/* Detects a joint that stays behind its target (following error).
 *
 *     int64_t behind_ns = 0;
 *     if (aw_lags(&behind_ns, target - actual, max_lag, now_ns))
 *         … stop: something holds it …
 */
#ifndef AW_CONTROL_LAG_H
#define AW_CONTROL_LAG_H

#include <stdbool.h>
#include <stdint.h>

#define AW_LAG_S 0.3 /* tolerated duration, s */

/* Call it for each sample. Returns true if the distance has exceeded max_lag for AW_LAG_S. since_ns
 * is the start of that time, 0 initially and while within max_lag. NaN counts as within. */
bool aw_lags(int64_t *since_ns, double away, double max_lag, int64_t now_ns);

#endif
