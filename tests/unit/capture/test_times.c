#include <math.h>

#include "capture/times.h"
#include "test.h"

static struct aw_error err;

static struct aw_table table_of(const char *text)
{
    struct aw_table table = {0};
    FILE *file = text_file(text);
    assert_ok(aw_table_read(file, "run.csv", &table, &err), &err);
    fclose(file);
    return table;
}

TEST(time_columns_are_recognized_by_name)
{
    static const struct {
        const char *name;
        double scale; /* unit; 0: not a time */
        bool unsure, step;
    } cases[] = {
        {"t", 1, false, false},
        {"T", 1, false, false},
        {"__time", 1, false, false},
        {"time", 1, true, false},
        {"Timestamp", 1, true, false},
        {"t_s", 1, false, false},
        {"time_ms", 1e-3, false, false},
        {"Time [s]", 1, false, false},
        {"time(ms)", 1e-3, false, false},
        {"t (us)", 1e-6, false, false},
        {"time_sec", 1, false, false},
        {"TIME [Seconds]", 1, false, false},
        {"seconds", 1, false, false},
        {"Sec", 1, false, false},
        {"secs", 1, false, false},
        {"s", 1, false, false},
        {"ms", 1e-3, false, false},
        {"milliseconds", 1e-3, false, false},
        {"time [milliseconds]", 1e-3, false, false},
        {"us", 0, false, false},
        {"m", 0, false, false},
        {"m s", 0, false, false},
        {"dt", 1, true, true},
        {"dt_ms", 1e-3, false, true},
        {"dt [s]", 1, false, true},
        {"time_step", 0, false, false},
        {"target", 0, false, false},
        {"m1_s", 0, false, false},
        {"t [deg]", 0, false, false},
        {"", 0, false, false},
        {"]", 0, false, false},
        {"_s", 0, false, false},
        {"__Time", 0, false, false},
        {"t_", 0, false, false},
    };
    EACH (row, cases) {
        struct aw_time_column column;
        if (aw_time_column(row->name, &column) != (row->scale > 0))
            fail_msg("'%s'", row->name);
        if (!(row->scale > 0))
            continue;
        assert_true(fabs(column.scale - row->scale) < 1e-12);
        assert_int_equal(column.no_unit, row->unsure);
        assert_int_equal(column.is_step, row->step);
    }
}

TEST(best_time_column_is_chosen)
{
    static const char *const names[] = {"x", "dt", "dt_ms", "time", "ms", "t_ms", "t_s", "t"};
    struct aw_time_column column;
    for (size_t n = 1; n < sizeof names / sizeof *names; n++)
        assert_int_equal(aw_find_time_column(names, n + 1, &column),
                         n); /* the last one is preferred */
    assert_int_equal(aw_find_time_column(names, 1, &column), -1);
}

TEST(units_are_split_from_column_names)
{
    static const struct {
        const char *text, *name, *unit;
    } cases[] = {
        {"m1 [deg]", "m1", "deg"},
        {"m1(deg)", "m1", "deg"},
        {"m1_deg", "m1", "deg"},
        {"motor 1 deg", "motor 1", "deg"},
        {"m1", "m1", ""},
        {"[deg]", "", "deg"},
        {"a_very_long_unit_that_is_none", "a_very_long_unit_that_is", "none"},
        {"m1 [a unit of more than 15]", "m1 [a unit of more than 15]", ""},
        {"m1]", "m1]", ""},
        {"", "", ""},
    };
    EACH (row, cases) {
        char name[40], unit[16];
        aw_split_unit(row->text, name, sizeof name, unit);
        assert_string_equal(name, row->name);
        assert_string_equal(unit, row->unit);
    }
}

TEST(table_times_are_converted_to_seconds)
{
    int column;
    struct aw_table table = table_of("m1,t_ms\n1,0\n2,1500\n");
    assert_int_equal(aw_table_convert_time(&table, &column, &err), AW_OK);
    assert_int_equal(column, 1);
    assert_true(aw_table_cell(&table, 1, 1) == 1.5);
    aw_table_free(&table);
    table = table_of("milliseconds,m1\n0,1\n1500,2\n");
    assert_int_equal(aw_table_convert_time(&table, &column, &err), AW_OK);
    assert_true(aw_table_cell(&table, 1, column) == 1.5);
    aw_table_free(&table);
    static const struct text_case cases[] = {
        {"time,m1\n0,1\n",
         "run.csv:1:1: column time: unit of time unknown — rename the column to t_s or t_ms"},
        {"x,m1\n0,1\n", "run.csv:1:1: no time column, the table has x, m1 — name a time "
                        "column t, t_s, t_ms or time [s]"},
        {"dt_s,m1\n0,1\n", "run.csv:1:1: no time column, the table has dt_s, m1"},
        {"t,m1\n0,1\n0,2\n",
         "run.csv:3:1: t: time 0 s is not after 0 s of line 2 — remove the duplicate"},
        {"t_s,m1\nx,1\n", "run.csv:2:1: t_s: 'x' is not a number"},
    };
    EACH (row, cases) {
        table = table_of(row->text);
        assert_int_equal(aw_table_convert_time(&table, &column, &err), AW_MALFORMED);
        assert_memory_equal(err.text, row->expected, strlen(row->expected));
        aw_table_free(&table);
    }
}

TEST(trailing_zero_rows_are_cut)
{
    static const struct {
        const char *text;
        size_t line, rows;
    } cases[] = {
        {"t,y\n0,0\n1,2\n\n0,0\n-0,0\n", 5, 2},
        {"t,y\n1,2\n0,1\n", 0, 2},
        {"t,y\n0,0\n0,0\n", 0, 2},
        {"t,y\n", 0, 0},
        {"t,y\n1,2\n0,x\n", 0, 2},
    };
    EACH (row, cases) {
        struct aw_table table = table_of(row->text);
        assert_int_equal(aw_table_cut_zeros(&table), row->line);
        assert_int_equal(table.n_rows, row->rows);
        aw_table_free(&table);
    }
}
