#include <math.h>

#include "numbers_helper.h"
#include "test.h"

#include "tuning/compare.h"

static struct aw_error err;

/* Returns a lag with time constant tau after a step from 0 to 10 at time_s, sampled every dt. */
static struct aw_run lag(double tau, double time_s, double dt)
{
    static const char *const names[] = {"output", "t", "measured", "setpoint"};
    struct aw_table table;
    struct aw_run run;
    assert_int_equal(aw_table_init(&table, names, 4, &err), AW_OK);
    for (int i = 0; i * dt < time_s + 4; i++) {
        double since = i * dt - time_s + 1e-12;
        double y = since < 0 ? 0 : 10 * (1 - exp(-since / tau));
        double row[] = {since < 0 ? 0 : 1 - y / 10, i * dt, y, since < 0 ? 0 : 10};
        assert_int_equal(aw_table_add(&table, row, &err), AW_OK);
    }
    if (aw_run_from_table(&table, &run, &err) != AW_OK)
        fail_msg("%s", err.text);
    aw_table_free(&table);
    return run;
}

static void near(double value, double wanted, double part)
{
    if (!(fabs(value - wanted) <= part * fabs(wanted)))
        fail_msg("%.9g instead of %.9g", value, wanted);
}

/* The runs start at different times and have different sample rates. RMS difference of two lags:
 * 10²·(a/2 + b/2 - 2ab/(a + b)) over the time. */
TEST(difference_of_two_lags_matches_the_formula)
{
    const double a_s = 0.4, b_s = 0.2;
    struct aw_run a = lag(a_s, 1, 0.001), b = lag(b_s, 0.25, 0.0025);
    struct aw_comparison c;
    assert_int_equal(aw_compare(&a, &b, &c, &err), AW_OK);
    assert_true(c.same_step);
    near(c.a.value[AW_RISE_TIME], a_s * log(9), 1e-3);
    near(c.change[AW_RISE_TIME], (b_s - a_s) * log(9), 1e-3);
    near(c.change[AW_IAE], 10 * (b_s - a_s), 2e-3);
    near(c.a.value[AW_MAX_OUTPUT], 1, 1e-9);
    assert_true(isnan(c.change[AW_PEAK_TIME]));
    near(c.overlap_s, 4, 0.01);
    near(c.rms_difference, sqrt(100 * (a_s / 2 + b_s / 2 - 2 * a_s * b_s / (a_s + b_s)) / 4), 2e-3);
    near(c.max_difference, 2.5, 1e-3);
    struct aw_comparison same;
    assert_int_equal(aw_compare(&a, &a, &same, &err), AW_OK);
    assert_true(same.rms_difference < 1e-9 && same.max_difference < 1e-9);
    b.step.to = 11;
    assert_int_equal(aw_compare(&a, &b, &c, &err), AW_OK);
    assert_false(c.same_step);
    aw_run_free(&a);
    aw_run_free(&b);
}

TEST(tables_without_required_columns_are_refused)
{
    static const char *const no_setpoint[] = {"t", "measured"};
    static struct aw_sample samples[1];
    static const char *const enough[] = {"t", "measured", "setpoint"};
    struct aw_table table;
    struct aw_run run = {.samples = samples, .n = 7};
    assert_int_equal(aw_table_init(&table, no_setpoint, 2, &err), AW_OK);
    assert_int_equal(aw_run_from_table(&table, &run, &err), AW_USAGE);
    assert_non_null(strstr(err.text, "setpoint"));
    assert_true(run.samples == NULL && run.n == 0);
    aw_table_free(&table);
    assert_int_equal(aw_table_init(&table, enough, 3, &err), AW_OK);
    assert_int_equal(aw_run_from_table(&table, &run, &err), AW_USAGE);
    for (int i = 0; i < 9; i++)
        assert_int_equal(aw_table_add(&table, (double[]){i, 1, 1}, &err), AW_OK);
    assert_int_equal(aw_run_from_table(&table, &run, &err), AW_USAGE);
    assert_null(run.samples);
    table.cells[1] = 0;
    assert_int_equal(aw_run_from_table(&table, &run, &err), AW_OK);
    assert_true(isnan(run.samples[3].output));
    aw_run_free(&run);
    aw_table_free(&table);
}

/* Telemetry shows a step late; a run that starts before t = 0 has its step at t = 0. */
TEST(late_step_in_telemetry_is_found)
{
    static const char *const names[] = {"t", "measured", "setpoint", "output"};
    static const struct {
        double first_s, step_s, taken_s;
    } rows[] = {{-0.1, 0.05, 0},  {-0.01, 0.05, 0}, {-0.1, 0.1, 0.1},
                {-0.1, 0.2, 0.2}, {0, 0.05, 0.05},  {-0.1, -0.05, -0.05}};
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        struct aw_table table;
        struct aw_run run;
        assert_int_equal(aw_table_init(&table, names, 4, &err), AW_OK);
        for (int k = 0; k < 20; k++) {
            double t = rows[i].first_s + 0.05 * k;
            double to = t < rows[i].step_s - 1e-9 ? 0 : 1;
            assert_int_equal(aw_table_add(&table, (double[]){t, to, to, 0.5}, &err), AW_OK);
        }
        assert_int_equal(aw_run_from_table(&table, &run, &err), AW_OK);
        assert_true(fabs(run.step.time_s - rows[i].taken_s) < 1e-9);
        assert_int_equal(run.step.median, 3);
        assert_true(run.samples[3].output == 0.5);
        aw_run_free(&run);
        aw_table_free(&table);
    }
}

/* A few samples at other times than those of the other run: each counts from the step to the end of
 * the shorter run. Tries both orders, with equal and different steps. */
TEST(every_sample_of_the_overlap_counts)
{
    static struct aw_sample first[] = {{0, 5, 5, NAN},     {1, 15, 5, NAN},  {2, 15, 8, NAN},
                                       {3, 15, 13, NAN},   {4, 15, 17, NAN}, {5, 15, 14, NAN},
                                       {6, 15, 15.5, NAN}, {7, 15, 15, NAN}},
                            second[] = {{0.5, 5, 5, 1},   {1, 15, 6, 2},    {1.5, 15, 7, 3},
                                        {2.25, 15, 8, 4}, {3.75, 15, 9, 5}, {4.5, 15, 30, 4},
                                        {5, 15, 11, 3}};
    static const struct {
        double from, to, time_s;
    } steps[] = {{5, 15, 1},    {5.1, 15, 1},   {5.11, 15, 1},  {5, 14.9, 1},
                 {5, 14.89, 1}, {4.9, 15.1, 1}, {-5, 15, 1.25}, {5, -15, 0.5}};
    FILE *out = begin_picture();
    struct aw_run a = {first, 8, {5, 15, 1, 1}};
    for (size_t i = 0; i < sizeof steps / sizeof *steps; i++) {
        struct aw_run b = {second, 7, {steps[i].from, steps[i].to, steps[i].time_s, 1}};
        for (int turned = 0; turned < 2; turned++) {
            struct aw_comparison c = {.max_difference = 99};
            assert_int_equal(aw_compare(turned ? &b : &a, turned ? &a : &b, &c, &err), AW_OK);
            NUMBERS(out, "step", b.step.from, b.step.to, b.step.time_s, turned);
            NUMBERS(out, "  same, rms, most, overlap", c.same_step, c.rms_difference,
                    c.max_difference, c.overlap_s);
            numbers(out, "  change", c.change, AW_METRICS);
        }
    }
    static struct aw_sample quick[] = {
        {0, 5, 5, 1}, {0.25, 15, 6, 1}, {0.5, 15, 9, 1}, {0.75, 15, 11, 1}};
    struct aw_run brief = {quick, 4, {5, 15, 0, 1}};
    for (int i = 0; i < 3; i++) { /* one or no sample coincides with the step */
        struct aw_comparison c;
        a.step.time_s = i == 0 ? 1 : i == 1 ? 1.75 : 1.1;
        assert_int_equal(aw_compare(&a, &brief, &c, &err), AW_OK);
        NUMBERS(out, "brief", c.rms_difference, c.max_difference, c.overlap_s);
    }
    static const struct aw_step equal[] = {
        {0, 10, 1, 1}, {0.1, 10, 1, 1}, {10, 0, 1, 1}, {10, 0.1, 1, 1}};
    for (int i = 0; i < 4; i += 2) { /* the steps differ by exactly 1 % */
        struct aw_run one = {first, 8, equal[i]}, other = {first, 8, equal[i + 1]};
        struct aw_comparison c;
        assert_int_equal(aw_compare(&one, &other, &c, &err), AW_OK);
        assert_true(c.same_step);
    }
    struct aw_run late = {second, 7, {5, 15, 4, 1}};
    struct aw_comparison c;
    assert_int_equal(aw_compare(&a, &late, &c, &err), AW_USAGE);
    assert_int_equal(aw_compare(&late, &a, &c, &err), AW_USAGE);
    end_picture(out, "control-comparisons.txt");
}
