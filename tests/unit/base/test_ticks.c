#include <math.h>

#include "base/ticks.h"
#include "test.h"

static const struct {
    double low, high;
    int max;
    const char *ticks; /* with as many decimals as it returns */
} axes[] = {
    {0, 10, 11, "0 1 2 3 4 5 6 7 8 9 10"},
    {0, 10, 10, "0 2 4 6 8 10"},
    {0, 10, 6, "0 2 4 6 8 10"},
    {0, 10, 5, "0 5 10"},
    {0, 10, 3, "0 5 10"},
    {0, 10, 2, "0 10"},
    {0, 11, 3, "0 10"},
    {-0.1, 0.3, 3, "0.0 0.2"},
    {0, 10, 1, ""},
    {0, 10, 0, ""},
    {0, 9.9, 2, "0"},
    {0.1, 10, 2, "10"},
    {0, 20, 3, "0 10 20"},
    {0, 20.1, 3, "0 20"},
    {-1, 1, 5, "-1.0 -0.5 0.0 0.5 1.0"},
    {-0.3, 0.3, 4, "-0.2 0.0 0.2"},
    {0.1, 0.3, 3, "0.1 0.2 0.3"},
    {0, 0.07, 8, "0.00 0.01 0.02 0.03 0.04 0.05 0.06 0.07"},
    {1000, 1003, 4, "1000 1001 1002 1003"},
    {-2500, 12500, 4, "0 5000 10000"},
    {0, 1e-9, 2, "0.000000000 0.000000001"},
    {3, 3, 5, ""},
    {4, 3, 5, ""},
    {0, 15, 1000, "0 1 2 3 4 5 6 7 8 9 10 11 12 13 14 15"}, /* limited by the array */
};

TEST(axis_ticks_are_round_numbers)
{
    EACH (row, axes) {
        double ticks[AW_TICKS];
        int decimals = -1, n = aw_ticks(row->low, row->high, row->max, ticks, &decimals);
        char text[256] = "";
        assert_in_range(n, 0, AW_TICKS);
        for (int k = 0; k < n; k++)
            snprintf(text + strlen(text), sizeof text - strlen(text), "%s%.*f", k ? " " : "",
                     decimals, ticks[k]);
        assert_string_equal(text, row->ticks);
    }
}

TEST(invalid_axis_has_no_ticks)
{
    double ticks[AW_TICKS];
    int decimals;
    assert_int_equal(aw_ticks(NAN, 1, 5, ticks, &decimals), 0);
    assert_int_equal(aw_ticks(0, INFINITY, 5, ticks, &decimals), 0);
    assert_int_equal(aw_ticks(-1e308, 1e308, 5, ticks, &decimals), 0);
}
