/* Measures the time of a following error. */
#include "control/lag.h"

#include <math.h>

bool aw_lags(int64_t *since_ns, double away, double max_lag, int64_t now_ns)
{
    bool behind = fabs(away) > max_lag;
    *since_ns = !behind ? 0 : *since_ns ? *since_ns : now_ns;
    return behind && (double)(now_ns - *since_ns) / 1e9 > AW_LAG_S;
}
