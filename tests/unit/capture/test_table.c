#include <math.h>

#include "capture/table.h"
#include "picture_helper.h"

static struct aw_error err;
static struct aw_table table;

static void end(void)
{
    aw_table_free(&table);
}

/* Reads a table and closes the previous one. */
static enum aw_status read_text(const char *text)
{
    FILE *file = text_file(text);
    aw_table_free(&table);
    enum aw_status status = aw_table_read(file, "run.csv", &table, &err);
    fclose(file);
    return status;
}

/* Creates an empty table and closes the previous one. */
static enum aw_status create(const char *const *names, size_t n)
{
    aw_table_free(&table);
    return aw_table_init(&table, names, n, &err);
}

/* Prints names and rows with their line numbers, and errors of column y and of the times. */
static void print_table(FILE *out)
{
    int column;
    fputs(table.no_header ? "without header" : "", out);
    for (size_t i = 0; i < table.n_columns; i++)
        fprintf(out, "%s'%s'", i || table.no_header ? " " : "", table.names[i]);
    for (size_t row = 0; row < table.n_rows; row++) {
        fprintf(out, "; %zu:", table.lines[row]);
        for (int i = 0; i < (int)table.n_columns; i++) {
            double value = aw_table_cell(&table, row, i);
            fprintf(out, isnan(value) ? " -" : " %.15g", value);
        }
    }
    if (aw_table_get_column(&table, "y", &column, &err) != AW_OK)
        fprintf(out, "; %d %s", err.status, err.text);
    if (aw_table_check_times(&table, 0, &err) != AW_OK)
        fprintf(out, "; %d %s", err.status, err.text);
    fputc('\n', out);
}

/* Reads "csv TEXT", "headless TEXT" with the names t and y, or "named TEXT" with "t, -,y". */
static void print_case(const char *input, size_t i, FILE *out)
{
    static const char *const names[] = {"t", "y"};
    char text[300];
    enum aw_status status;
    (void)i;
    unescape(strchr(input, ' ') + 1, text);
    FILE *file = text_file(text);
    end();
    if (*input == 'c')
        status = aw_table_read(file, "run.csv", &table, &err);
    else if (*input == 'h')
        status = aw_table_read_no_header(file, "run.csv", names, 2, &table, &err);
    else
        status = aw_table_read_named(file, "run.csv", "t, -,y", "t,x", &table, &err);
    fclose(file);
    if (status == AW_OK) {
        print_table(out);
        return;
    }
    assert_true(!table.cells && !table.n_columns);
    fprintf(out, "%d %s\n", status, err.text);
}

TEST_WITH(NULL, end, tables_match_the_golden_file)
{
    expect_text_cases("tables.txt", print_case);
}

TEST_WITH(NULL, end, errors_name_the_line_of_a_row)
{
    assert_int_equal(read_text("\xEF\xBB\xBF# a run\n\nt,y\n0,1\n# between\n1,2\n"), AW_OK);
    assert_int_equal(aw_table_check_times(&table, 1, &err), AW_OK);
    assert_int_equal(aw_table_find(&table, "y"), 1);
    assert_int_equal(aw_table_find(&table, "Y"), -1);
    aw_fail(&err, AW_LIMIT, "too far");
    assert_error(aw_table_fail_at_row(&err, &table, 1), AW_LIMIT, &err, "run.csv:6:1: too far");
    FILE *file = fmemopen((char[]){"t,y\n0,\0001\n"}, 9, "r");
    end();
    assert_int_equal(aw_table_read(file, "run.csv", &table, &err), AW_MALFORMED);
    fclose(file);
    assert_has(err.text, "NUL byte");
    assert_error(aw_table_read_named(NULL, "run.csv", " ,", "t,x", &table, &err), AW_USAGE, &err,
                 "--columns ' ,': no names given — write t,x");
}

/* Reads numbers and names up to their maximum length, and the maximum number of columns. */
TEST_WITH(NULL, end, longest_cells_and_maximum_columns_are_read)
{
    static char text[8 * AW_TABLE_COLUMNS] = "c0";
    char number[80] = "c\n";
    int column;
    for (int n = 60; n < 68; n++) {
        number[2] = '0';
        memset(number + 2, '0', (size_t)n);
        number[n + 1] = '7';
        number[n + 2] = '\0';
        assert_int_equal(read_text(number), AW_OK);
        bool read = aw_table_get_column(&table, "c", &column, &err) == AW_OK;
        assert_int_equal(read, n < 64);
        if (read)
            assert_true(aw_table_cell(&table, 0, 0) == 7);
    }
    size_t used = 2;
    for (int i = 1; i < AW_TABLE_COLUMNS; i++)
        used += (size_t)snprintf(text + used, sizeof text - used, ",c%d", i);
    assert_int_equal(read_text(text), AW_OK);
    assert_int_equal(table.n_columns, AW_TABLE_COLUMNS);
    assert_error(read_text(strcat(text, ",d")), AW_MALFORMED, &err,
                 "run.csv:1:1: table: more than 4096 columns — remove some");
}

/* Writes n columns, the last with this name, and reads them back. */
static void assert_read_back(const char *name, size_t n)
{
    const char *const names[] = {"t", name};
    char text[64] = "";
    assert_int_equal(create(names + 2 - n, n), AW_OK);
    assert_int_equal(aw_table_add(&table, (double[]){1, 2}, &err), AW_OK);
    FILE *file = fmemopen(text, sizeof text, "w");
    assert_non_null(file);
    assert_int_equal(aw_table_write(file, &table, &err), AW_OK);
    fclose(file);
    assert_int_equal(read_text(text), AW_OK);
    assert_int_equal(aw_table_find(&table, name), n - 1);
}

TEST_WITH(NULL, end, names_with_quotes_and_commas_are_read_back)
{
    assert_read_back("a \"b\", c", 2);
    assert_read_back("a \"b\" c", 1); /* without a comma, the separator is unknown */
}

TEST_WITH(NULL, end, table_is_built_in_memory)
{
    static const char *const names[] = {"t", "y"};
    static const char *const twice[] = {"t", "t"};
    int column;
    assert_int_equal(create(twice, 2), AW_USAGE);
    assert_int_equal(table.n_columns, 1);
    assert_int_equal(create(NULL, 0), AW_OK);
    assert_error(aw_table_add(&table, (double[]){1}, &err), AW_USAGE, &err,
                 "table has no columns — name them first");
    assert_error(aw_table_get_column(&table, "y", &column, &err), AW_USAGE, &err,
                 "column y not found, the table has none — rename one");
    assert_int_equal(create(names, 2), AW_OK);
    for (int i = 0; i < 1000; i++)
        assert_int_equal(aw_table_add(&table, (double[]){i, i * 0.1}, &err), AW_OK);
    assert_error(aw_table_add(&table, (double[]){0, NAN}, &err), AW_USAGE, &err,
                 "y: nan is not a finite number — remove the row");
    assert_int_equal(table.n_rows, 1000);
    for (int i = 0; i < 1000; i++) {
        assert_true(aw_table_cell(&table, (size_t)i, 0) == i);
        assert_true(aw_table_cell(&table, (size_t)i, 1) == i * 0.1);
        assert_int_equal(table.lines[i], 0);
    }
    assert_int_equal(table.row_capacity, 1024);
    assert_error(aw_table_get_column(&table, "measured", &column, &err), AW_USAGE, &err,
                 "column measured not found, the table has t, y — rename one");
    assert_int_equal(column, -1);
    assert_int_equal(aw_table_get_column(&table, "y", &column, &err), AW_OK);
    assert_int_equal(column, 1);
    end();
    assert_null(table.cells);
    assert_null(table.lines);
}

TEST_WITH(NULL, end, error_lists_the_columns_that_fit)
{
    static const char *const names[] = {"column-number-one-of", "column-number-two-of",
                                        "column-number-three",  "column-number-four",
                                        "column-number-five",   "column-number-six-six",
                                        "column-number-seven",  "eight-and-more"};
    int column;
    assert_int_equal(create(names, 8), AW_OK);
    assert_error(aw_table_get_column(&table, "y", &column, &err), AW_USAGE, &err,
                 "column y not found, the table has column-number-one-of, column-number-two-of, "
                 "column-number-three, column-number-four, column-number-five, "
                 "column-number-six-six, column-number-seven, … — rename one");
    assert_int_equal(aw_table_get_column(&table, names[0], &column, &err), AW_OK);
    assert_int_equal(column, 0);
    assert_int_equal(create(names, 1), AW_OK);
    assert_error(aw_table_get_column(&table, "y", &column, &err), AW_USAGE, &err,
                 "column y not found, the table has column-number-one-of — rename one");
    assert_int_equal(aw_table_add(&table, (double[]){1, NAN}, &err), AW_OK); /* the column exists */
}

TEST_WITH(NULL, end, written_numbers_are_read_back)
{
    static const char *const names[] = {"a", "b", "c"};
    static const double rows[][3] = {{0.1, 1 / 3., -1e-300},
                                     {123456789.125, 5e-9, 1e6},
                                     {0.30000000000000004, 1.7976931348623157e308, -3.8}};
    char *text;
    size_t size;
    assert_int_equal(create(names, 3), AW_OK);
    for (int i = 0; i < 3; i++)
        assert_int_equal(aw_table_add(&table, rows[i], &err), AW_OK);
    FILE *file = open_memstream(&text, &size);
    assert_int_equal(aw_table_write(file, &table, &err), AW_OK);
    fclose(file);
    assert_string_equal(text, "a,b,c\n0.1,0.3333333333333333,-1e-300\n123456789.125,5e-09,1e+06\n"
                              "0.30000000000000004,1.7976931348623157e+308,-3.8\n");
    assert_int_equal(read_text(text), AW_OK);
    assert_int_equal(table.n_rows, 3);
    for (size_t i = 0; i < 3; i++)
        for (int k = 0; k < 3; k++)
            assert_true(aw_table_cell(&table, i, k) == rows[i][k]);
    free(text);
}

TEST_WITH(NULL, end, write_errors_are_reported)
{
    static const char *const names[] = {"a"};
    assert_int_equal(create(names, 1), AW_OK);
    FILE *full = fopen("/dev/full", "w");
    assert_non_null(full);
    setbuf(full, NULL);
    assert_error(aw_table_write(full, &table, &err), AW_LOST, &err,
                 "table: writing failed: No space left on device — check the disk");
    assert_int_equal(aw_table_write_row(full, &table, (double[]){1}, &err), AW_LOST);
    fclose(full);
    assert_error(aw_table_write_row(stdout, &table, (double[]){INFINITY}, &err), AW_USAGE, &err,
                 "a: inf is not a finite number — remove the row");
}
