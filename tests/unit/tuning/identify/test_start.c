#include <math.h>

#include "test.h"
#include "tuning/identify/start.h"

#define MOST 9000

static double t[MOST], u[MOST], y[MOST];

/* Records a motor with a lag of 0.05 s and a dead time of 0.02 s, which starts to move at a given
 * sample. */
static struct aw_trial record(size_t n, size_t from)
{
    struct aw_process motor = {.gain = 2, .integrating = true, .a1 = 0.05, .dead_time_s = 0.02};
    struct aw_trial trial = {
        .input_t = t, .input = u, .n_inputs = n, .is_stairs = true, .t = t, .y = y, .n = n};
    struct aw_dead_band none = {0};
    for (size_t i = 0; i < n; i++) {
        t[i] = 0.01 * (double)i;
        u[i] = i < from ? 0 : i / 35 % 2 ? -0.1 : 0.1;
    }
    aw_simulate(&trial, n, &motor, &none, y);
    for (size_t i = 0; i < n; i++)
        y[i] += 1e-4 * sin(1e4 * t[i]);
    return trial;
}

TEST(start_values_match_the_record)
{
    static const struct {
        size_t n, from;
    } rows[] = {{1000, 50}, {4000, 50}, {4001, 50}, {9000, 50}, {9000, 6000}, {9000, 8500}};
    struct aw_error err;
    struct aw_fit_options options = {.dead_zone = 0};
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        struct aw_trial trial = record(rows[i].n, rows[i].from);
        struct aw_starts starts;
        struct aw_search s;
        assert_int_equal(aw_starts_find(&starts, &trial, NULL, trial.n, &options, &err), AW_OK);
        assert_true(!(starts.jump_scatter > 0)); /* held inputs jump exactly at their times */
        assert_int_equal(aw_search_begin(&s, &trial, NULL, &err), AW_OK);
        aw_starts_set_structure(&s, AW_PROCESS_INTEGRATING, false);
        memcpy(s.params, starts.params[AW_PROCESS_INTEGRATING], sizeof s.params);
        aw_starts_refine(&s, aw_search_descend(&s), starts.jump_scatter);
        struct aw_process found = aw_search_get_process(&s);
        if (fabs(found.gain - 2) > 0.01 || fabs(found.a1 - 0.05) > 0.002 ||
            fabs(found.dead_time_s - 0.02) > 0.002)
            fail_msg("%zu: %g %g %g", i, found.gain, found.a1, found.dead_time_s);
        aw_search_end(&s);
    }
}

TEST(each_start_value_selects_a_process_kind)
{
    for (size_t i = 0; i < AW_STRUCTURES; i++)
        assert_int_equal(aw_starts_get_kind(i), i < 3    ? i
                                                : i == 3 ? AW_PROCESS_INTEGRATING
                                                         : AW_PROCESS_THIRD);
}
