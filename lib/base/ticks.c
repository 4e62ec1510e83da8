/* Finds round numbers along an axis. */
#include "base/ticks.h"

#include <math.h>

double aw_nice_step(double min_step)
{
    double power = pow(10, floor(log10(min_step))), share = min_step / power;
    if (share <= 1 + 1e-9)
        return power;
    if (share <= 2 + 1e-9)
        return 2 * power;
    return share <= 5 + 1e-9 ? 5 * power : 10 * power;
}

/* n ticks on a grid enclose n - 1 spaces. */
int aw_ticks(double low, double high, int max, double *ticks, int *decimals)
{
    max = max > AW_TICKS ? AW_TICKS : max;
    if (!(high > low) || max < 2 || !isfinite(high - low))
        return 0;
    double step = aw_nice_step((high - low) / (max - 1));
    double first = ceil(low / step - 1e-9);
    int n = 0;
    for (; n < max && (first + n) * step <= high + step * 1e-9; n++)
        ticks[n] = (first + n) * step;
    int n_decimals = (int)-floor(log10(step) + 1e-9);
    *decimals = n_decimals > 0 ? n_decimals : 0;
    return n;
}
