#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <string.h>

#include <cmocka.h>

#include "control/excite.h"
#include "control/process.h"

static struct aw_excite excite;

/* What became of an experiment with a process, fed each 10 ms. */
struct outcome {
    int parts[AW_EXCITE_OVER + 1]; /* samples in each */
    double farthest, ended_s, largest;
};

static struct outcome run(const struct aw_process *process, struct aw_excite_config config)
{
    struct outcome o = {.farthest = 0};
    struct aw_process_state x = {0};
    double past[100] = {0}, output = 0;
    size_t late = (size_t)(process->dead_time_s / 0.01);
    assert_int_equal(aw_excite_start(&excite, &config, NULL), AW_OK);
    for (size_t i = 0; i < 10000 && excite.part < AW_EXCITE_OVER; i++) {
        double y = config.centre + process->gain * x.y;
        o.parts[excite.part]++;
        o.farthest = fmax(o.farthest, fabs(y - config.centre));
        o.ended_s = (double)i * 0.01;
        output = aw_excite_feed(&excite, o.ended_s, y);
        o.largest = fmax(o.largest, fabs(output));
        past[i % 100] = output;
        double in = past[(i + 100 - late) % 100];
        aw_process_advance(process, &x, in, in, 0.01);
    }
    return o;
}

static const struct aw_excite_config usual = {
    .centre = 0.1, .amplitude = 0.1, .hysteresis = 0.001, .max_deviation = 0.05, .max_time_s = 30};

static void test_all_parts_within_bounds(void **state)
{
    (void)state;
    const struct aw_process processes[] = {
        {.gain = 2, .integrating = true, .a1 = 0.03, .dead_time_s = 0.02},
        {.gain = 0.3, .a1 = 0.2, .dead_time_s = 0.1},
        {.gain = 0.1, .a1 = 0.01, .dead_time_s = 0.3},
        {.gain = 1.5, .a1 = 1.2, .dead_time_s = 0.05},
    };
    for (size_t i = 0; i < sizeof processes / sizeof *processes; i++) {
        struct outcome o = run(&processes[i], usual);
        if (excite.too_far || o.farthest > usual.max_deviation)
            fail_msg("process %zu: too far, %g", i, o.farthest);
        for (int part = 0; part < AW_EXCITE_OVER; part++)
            if (o.parts[part] == 0)
                fail_msg("process %zu: no %s", i, aw_excite_part_name((enum aw_excite_part)part));
        assert_true(o.ended_s < usual.max_time_s && o.largest <= 2 * usual.amplitude);
        assert_true(fabs(aw_excite_feed(&excite, 100, 0)) < 1e-12);
        assert_int_equal(aw_excite_result(&excite, NULL), AW_OK);
    }
}

static void test_only_what_is_wanted(void **state)
{
    (void)state;
    const struct aw_process process = {.gain = 0.3, .a1 = 0.2, .dead_time_s = 0.1};
    struct aw_excite_config config = usual;
    config.steps = true;
    struct outcome o = run(&process, config);
    assert_int_equal(o.parts[AW_EXCITE_RELAY] + o.parts[AW_EXCITE_SMALL], 0);
    assert_true(o.parts[AW_EXCITE_STEP] && o.parts[AW_EXCITE_DOWN] && o.parts[AW_EXCITE_UP]);
    config.steps = false;
    config.relay = true;
    o = run(&process, config);
    assert_int_equal(o.parts[AW_EXCITE_STEP] + o.parts[AW_EXCITE_UP], 0);
    assert_true(o.parts[AW_EXCITE_RELAY] && o.parts[AW_EXCITE_SMALL]);
}

/* A second of dead time: what is on its way cannot be called back. */
static void test_too_far_ends_it(void **state)
{
    (void)state;
    const struct aw_process process = {.gain = 5, .integrating = true, .dead_time_s = 0.9};
    struct aw_error err;
    run(&process, usual);
    assert_true(excite.too_far && excite.part == AW_EXCITE_OVER);
    assert_int_equal(aw_excite_result(&excite, &err), AW_REFUSED);
    assert_non_null(strstr(err.text, "--amplitude"));
}

/* A joint that does not move ends in time. */
static void test_nothing_moves(void **state)
{
    (void)state;
    const struct aw_process process = {.gain = 1e-9, .a1 = 1};
    struct outcome o = run(&process, usual);
    assert_true(o.ended_s <= usual.max_time_s + 1);
    assert_false(excite.too_far);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_all_parts_within_bounds),
        cmocka_unit_test(test_only_what_is_wanted),
        cmocka_unit_test(test_too_far_ends_it),
        cmocka_unit_test(test_nothing_moves),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
