#include <math.h>

#include "numbers_helper.h"
#include "test.h"

#include "tuning/run.h"

static struct aw_error err;

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

/* Telemetry shows a step late. In a run that starts before t = 0, the step is at t = 0. */
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
