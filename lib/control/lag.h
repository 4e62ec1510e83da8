/* Following error: does a joint stay behind its target?
 *
 *     int64_t behind_ns = 0;
 *     if (aw_lags(&behind_ns, target - actual, max_lag, now_ns))
 *         … stop: something holds it …
 */
#ifndef AW_CONTROL_LAG_H
#define AW_CONTROL_LAG_H

#include <stdbool.h>
#include <stdint.h>

#define AW_LAG_S 0.3 /* so long it may */

/* Asked again and again: has it been farther away than max_lag for AW_LAG_S? since_ns: when that
 * began, 0: it is not, as at the beginning. A NaN is not far. */
bool aw_lags(int64_t *since_ns, double away, double max_lag, int64_t now_ns);

#endif
