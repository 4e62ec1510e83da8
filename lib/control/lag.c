/* Measures the time of a following error. */
#include "control/lag.h"

#include <math.h>

bool aw_is_lagging(int64_t *behind_ns, double error, double max_lag, int64_t now_ns)
{
    bool is_behind = fabs(error) > max_lag;
    *behind_ns = !is_behind ? 0 : *behind_ns ? *behind_ns : now_ns;
    return is_behind && (double)(now_ns - *behind_ns) / 1e9 > AW_LAG_S;
}
