#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "capture/table.h"

static struct aw_error err;

static enum aw_status read_bytes(const char *text, size_t size, struct aw_table *table)
{
    FILE *file = fmemopen((void *)(size_t)text, size, "r");
    assert_non_null(file);
    enum aw_status status = aw_table_read(file, "run.csv", table, &err);
    fclose(file);
    return status;
}

static enum aw_status read_text(const char *text, struct aw_table *table)
{
    return read_bytes(text, strlen(text), table);
}

static void test_reading(void **state)
{
    (void)state;
    struct aw_table table;
    assert_int_equal(read_text("\xEF\xBB\xBF# a run\r\n\r\n\"t\", measured ,output\r\n"
                               "0,1.5,-2e-3\r\n# between\n 0.01 , 0x10 ,\"3\"\n\n",
                               &table),
                     AW_OK);
    assert_int_equal(table.n_columns, 3);
    assert_int_equal(table.n_rows, 2);
    assert_int_equal(aw_table_find(&table, "measured"), 1);
    assert_int_equal(aw_table_find(&table, "Measured"), -1);
    assert_true(aw_table_cell(&table, 0, 2) == -2e-3);
    assert_true(aw_table_cell(&table, 1, 0) == 0.01);
    assert_true(aw_table_cell(&table, 1, 1) == 16);
    assert_true(aw_table_cell(&table, 1, 2) == 3);
    aw_table_free(&table);
    assert_int_equal(read_text("a,b", &table), AW_OK);
    assert_int_equal(table.n_rows, 0);
    aw_table_free(&table);
}

static const struct complaint {
    const char *text, *message;
} complaints[] = {
    {"t,y\n0,1\n1,nan\n", "run.csv:3:1: y: 'nan' is not a number"},
    {"t,y\n0,inf\n", "run.csv:2:1: y: 'inf'"},
    {"t,y\n0,1e999\n", "run.csv:2:1: y: '1e999'"},
    {"t,y\n0,\n", "run.csv:2:1: y: ''"},
    {"t,y\n\n0,1 2\n", "run.csv:3:1: y: '1 2'"},
    {"t,y\n0,1\n2\n", "run.csv:3:1: 1 cells where the header names 2 columns"},
    {"t,y\n0,1,2\n", "run.csv:2:1: 3 cells"},
    {"t,t\n0,1\n", "run.csv:1:1: t is there twice"},
    {"t,,y\n", "run.csv:1:1: '', column 2, is no name"},
    {"a,bbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbb\n", "run.csv:1:1: 'bbb"},
    {"# nothing\n", "run.csv: it is empty"},
};

static void test_complaints(void **state)
{
    (void)state;
    struct aw_table table;
    for (size_t i = 0; i < sizeof complaints / sizeof *complaints; i++) {
        assert_int_equal(read_text(complaints[i].text, &table), AW_MALFORMED);
        if (strncmp(err.text, complaints[i].message, strlen(complaints[i].message)) != 0)
            fail_msg("'%s' instead of '%s…'", err.text, complaints[i].message);
        assert_null(strchr(err.text, '\n'));
        assert_null(table.cells);
        assert_int_equal(table.n_columns, 0);
    }
    assert_int_equal(read_bytes("t,y\n0,\0001\n", 9, &table), AW_MALFORMED);
    assert_non_null(strstr(err.text, "zero byte"));
}

static enum aw_status read_headless(const char *text, struct aw_table *table)
{
    static const char *const names[] = {"t", "y"};
    FILE *file = fmemopen((void *)(size_t)text, strlen(text), "r");
    assert_non_null(file);
    enum aw_status status = aw_table_read_headless(file, "run.csv", names, 2, table, &err);
    fclose(file);
    return status;
}

static void test_without_a_header(void **state)
{
    (void)state;
    struct aw_table table;
    assert_int_equal(read_headless("# lab 1\n\n0, 1.5, 7\n\n1, 2, 8\n", &table), AW_OK);
    assert_int_equal(table.n_columns, 3);
    assert_int_equal(table.n_rows, 2);
    assert_string_equal(table.names[0], "t");
    assert_string_equal(table.names[2], "column3");
    assert_true(aw_table_cell(&table, 0, 1) == 1.5);
    assert_int_equal(table.lines[0], 3);
    assert_int_equal(table.lines[1], 5);
    aw_table_free(&table);
    assert_int_equal(read_headless("y,t\n1,2\n", &table), AW_OK); /* a header has its say */
    assert_int_equal(aw_table_find(&table, "t"), 1);
    assert_int_equal(table.lines[0], 2);
    aw_table_free(&table);
    assert_int_equal(read_headless("0,1\n2\n", &table), AW_MALFORMED);
    assert_string_equal(err.text, "run.csv:2:1: 1 cells where there should be 2 columns — "
                                  "is the line cut off?");
    assert_int_equal(read_headless("0\n2\n", &table), AW_MALFORMED);
    assert_string_equal(err.text, "run.csv:1:1: 1 cells where there should be 2 columns — "
                                  "is the line cut off?");
    assert_int_equal(read_headless("0,nan\n", &table), AW_MALFORMED);
    assert_non_null(strstr(err.text, "run.csv:1:1: y: 'nan' is not a number"));
}

/* All say: t 0, 1; y 1.5, -2e-3. */
static void test_separators(void **state)
{
    static const char *const texts[] = {
        "t,y\n0,1.5\n1,-2e-3\n",
        "t; y\n0; 1.5\n1; -2e-3\n",
        "t\ty\r\n0\t1.5\r\n1\t-2e-3\r\n",
        "t y\n0 1.5\n1 -2e-3\n",
        "  t   y  \n  0.0000000e+00   1.5000000e+00\n  1.0000000e+00  -2.0000000e-03\n",
        "   0   1.5\n   1\t-2e-3\n",
    };
    (void)state;
    for (size_t i = 0; i < sizeof texts / sizeof *texts; i++) {
        struct aw_table table;
        if (read_headless(texts[i], &table) != AW_OK)
            fail_msg("%zu: %s", i, err.text);
        assert_int_equal(table.n_rows, 2);
        assert_true(aw_table_cell(&table, 1, 0) == 1 && aw_table_cell(&table, 1, 1) == -2e-3);
        aw_table_free(&table);
    }
}

/* n columns, the last one with this name. */
static void assert_read_back(const char *name, size_t n)
{
    const char *const names[] = {"t", name};
    struct aw_table table, back;
    char text[64] = "";
    assert_int_equal(aw_table_init(&table, names + 2 - n, n, &err), AW_OK);
    assert_int_equal(aw_table_add(&table, (double[]){1, 2}, &err), AW_OK);
    FILE *file = fmemopen(text, sizeof text, "w");
    assert_non_null(file);
    assert_int_equal(aw_table_write(file, &table, &err), AW_OK);
    fclose(file);
    assert_int_equal(read_text(text, &back), AW_OK);
    assert_int_equal(aw_table_find(&back, name), n - 1);
    aw_table_free(&table);
    aw_table_free(&back);
}

static void test_names_with_quotes_and_commas_are_read_back(void **state)
{
    (void)state;
    assert_read_back("a \"b\", c", 2);
    assert_read_back("a \"b\" c", 1); /* no comma says what separates */
}

static void test_building(void **state)
{
    (void)state;
    static const char *const names[] = {"t", "y"};
    static const char *const twice[] = {"t", "t"};
    struct aw_table table;
    int column;
    assert_int_equal(aw_table_init(&table, twice, 2, &err), AW_USAGE);
    assert_int_equal(aw_table_init(&table, names, 2, &err), AW_OK);
    for (int i = 0; i < 1000; i++)
        assert_int_equal(aw_table_add(&table, (double[]){i, i * 0.1}, &err), AW_OK);
    assert_int_equal(aw_table_add(&table, (double[]){0, NAN}, &err), AW_USAGE);
    assert_non_null(strstr(err.text, "y: nan"));
    assert_int_equal(table.n_rows, 1000);
    assert_true(aw_table_cell(&table, 999, 0) == 999);
    assert_int_equal(aw_table_column(&table, "measured", &column, &err), AW_USAGE);
    assert_non_null(strstr(err.text, "only t, y"));
    assert_int_equal(aw_table_column(&table, "y", &column, &err), AW_OK);
    assert_int_equal(column, 1);
    aw_table_free(&table);
}

/* What is written reads back as the same numbers, whatever they are. */
static void test_round_trip(void **state)
{
    (void)state;
    static const char *const names[] = {"a", "b", "c"};
    static const double rows[][3] = {{0.1, 1 / 3., -1e-300},
                                     {123456789.125, 5e-9, 0},
                                     {0.30000000000000004, 1.7976931348623157e308, -3.8}};
    struct aw_table table, back;
    char *text;
    size_t size;
    assert_int_equal(aw_table_init(&table, names, 3, &err), AW_OK);
    for (int i = 0; i < 3; i++)
        assert_int_equal(aw_table_add(&table, rows[i], &err), AW_OK);
    FILE *file = open_memstream(&text, &size);
    assert_int_equal(aw_table_write(file, &table, &err), AW_OK);
    fclose(file);
    assert_non_null(strstr(text, "a,b,c\n0.1,0.3333333333333333,-1e-300\n"));
    assert_non_null(strstr(text, "\n0.30000000000000004,1.7976931348623157e+308,-3.8\n"));
    assert_int_equal(read_text(text, &back), AW_OK);
    assert_int_equal(back.n_rows, 3);
    for (size_t i = 0; i < 3; i++)
        for (int k = 0; k < 3; k++)
            assert_true(aw_table_cell(&back, i, k) == rows[i][k]);
    aw_table_free(&table);
    aw_table_free(&back);
    free(text);
}

static void test_write_errors(void **state)
{
    (void)state;
    static const char *const names[] = {"a"};
    struct aw_table table;
    assert_int_equal(aw_table_init(&table, names, 1, &err), AW_OK);
    FILE *full = fopen("/dev/full", "w");
    assert_non_null(full);
    setbuf(full, NULL);
    assert_int_equal(aw_table_write(full, &table, &err), AW_LOST);
    fclose(full);
    assert_int_equal(aw_table_write_row(stdout, &table, (double[]){INFINITY}, &err), AW_USAGE);
    aw_table_free(&table);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_reading),
        cmocka_unit_test(test_complaints),
        cmocka_unit_test(test_without_a_header),
        cmocka_unit_test(test_separators),
        cmocka_unit_test(test_names_with_quotes_and_commas_are_read_back),
        cmocka_unit_test(test_building),
        cmocka_unit_test(test_round_trip),
        cmocka_unit_test(test_write_errors),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
