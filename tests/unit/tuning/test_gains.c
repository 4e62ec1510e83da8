#include <math.h>

#include "test.h"
#include "tuning/gains.h"

TEST(gains_beyond_the_limit_are_clamped)
{
    struct aw_gains large = {3, -200, 101};
    assert_true(aw_gains_clamp(&large, 100));
    assert_true(large.kp == 3 && large.ki == -100 && large.kd == 100);
    assert_false(aw_gains_clamp(&large, 100));
    static const struct aw_gains beyond[] = {{101, 0, 0},  {-101, 0, 0}, {0, 101, 0},
                                             {0, -101, 0}, {0, 0, 101},  {0, 0, -101}};
    for (size_t i = 0; i < sizeof beyond / sizeof *beyond; i++) {
        struct aw_gains g = beyond[i];
        assert_true(aw_gains_clamp(&g, 100));
        assert_true(fabs(g.kp + g.ki + g.kd) == 100);
    }
    struct aw_gains edge = {100, -100, 100};
    assert_false(aw_gains_clamp(&edge, 100));
}
