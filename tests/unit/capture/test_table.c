#include <ctype.h>
#include <math.h>

#include "capture/table.h"
#include "test.h"

static struct aw_error err;
static struct aw_table table;

static void end(void)
{
    aw_table_free(&table);
}

/* Reads a table and closes the previous one. Names the columns of a table without a header. */
static enum aw_status read_bytes(const char *text, size_t size, const char *const *names)
{
    FILE *file = fmemopen((void *)(size_t)text, size, "r");
    assert_non_null(file);
    aw_table_free(&table);
    enum aw_status status = names ? aw_table_read_no_header(file, "run.csv", names, 2, &table, &err)
                                  : aw_table_read(file, "run.csv", &table, &err);
    fclose(file);
    return status;
}

static enum aw_status read_text(const char *text)
{
    return read_bytes(text, strlen(text), NULL);
}

static enum aw_status read_headless(const char *text)
{
    return read_bytes(text, strlen(text), (const char *const[]){"t", "y"});
}

/* Creates an empty table and closes the previous one. */
static enum aw_status create(const char *const *names, size_t n)
{
    aw_table_free(&table);
    return aw_table_init(&table, names, n, &err);
}

static void assert_fails(enum aw_status status, enum aw_status expected, const char *text)
{
    assert_int_equal(status, expected);
    assert_string_equal(err.text, text);
}

TEST_WITH(NULL, end, csv_files_are_read)
{
    assert_int_equal(read_text("\xEF\xBB\xBF# a run\r\n\r\n\"t\", measured ,output\r\n"
                               "0,1.5,-2e-3\r\n# between\n 0.01 , 0x10 ,\"3\"\n\n"),
                     AW_OK);
    assert_int_equal(table.n_columns, 3);
    assert_int_equal(table.n_rows, 2);
    assert_int_equal(aw_table_find(&table, "measured"), 1);
    assert_int_equal(aw_table_find(&table, "Measured"), -1);
    assert_true(aw_table_cell(&table, 0, 2) == -2e-3);
    assert_true(aw_table_cell(&table, 1, 0) == 0.01);
    assert_true(aw_table_cell(&table, 1, 1) == 16);
    assert_true(aw_table_cell(&table, 1, 2) == 3);
    assert_int_equal(aw_table_check_times(&table, 0, &err), AW_OK);
    int column;
    assert_fails(aw_table_get_column(&table, "y", &column, &err), AW_MALFORMED,
                 "run.csv:3:1: column y not found, the table has t, measured, output — rename one");
    assert_int_equal(aw_table_check_times(&table, 1, &err), AW_OK);
    aw_fail(&err, AW_LIMIT, "too far");
    assert_fails(aw_table_fail_at_row(&err, &table, 1), AW_LIMIT, "run.csv:6:1: too far");
    assert_int_equal(read_text("t\n1\n2\n\n2\n"), AW_OK);
    assert_fails(aw_table_check_times(&table, 0, &err), AW_MALFORMED,
                 "run.csv:5:1: t: time 2 s is not after 2 s of line 3 — sort the rows");
    assert_int_equal(read_text("a,b"), AW_OK);
    assert_fails(aw_table_check_times(&table, 0, &err), AW_MALFORMED,
                 "run.csv:1:1: table has no rows — give at least one point");
    assert_int_equal(table.n_rows, 0);
}

#define CELL "is not a number — correct the cell or delete the line"

/* Errors about the requested column y. */
static const struct complaint {
    const char *text, *message;
} complaints[] = {
    {"t,y\n0,1\n1,nan\n", "run.csv:3:1: y: 'nan' " CELL},
    {"t,y\n0,inf\n", "run.csv:2:1: y: 'inf' " CELL},
    {"t,y\n0,1e999\n", "run.csv:2:1: y: '1e999' " CELL},
    {"t,y\n0,\n", "run.csv:2:1: y: '' " CELL},
    {"t,y\n\n0,1 2\n0,x\n", "run.csv:3:1: y: '1 2' " CELL},
    {"t y\n0 x\n", "run.csv:2:1: y: 'x' " CELL},
    {"t,y\n0,123456789012345678901234567890123456789x\n",
     "run.csv:2:1: y: '123456789012345678901234567890123456789x' " CELL},
    {"t,y\n0,1234567890123456789012345678901234567890x\n",
     "run.csv:2:1: y: '1234567890123456789012345678901234567890' " CELL},
    {"t,y\n0,1\n2\n", "run.csv:3:1: wrong number of cells: 1 cell, the header has 2 columns — "
                      "check for a truncated line"},
    {"t,y\n0,1,2\n", "run.csv:2:1: wrong number of cells: 3 cells, the header has 2 columns — with "
                     "decimal commas, separate columns by ;"},
    {"t,y\n0,1,x\n", "run.csv:2:1: wrong number of cells: 3 cells, the header has 2 columns — with "
                     "decimal commas, separate columns by ;"},
    {"t,y,y\n0,1,1\n", "run.csv:1:1: duplicate column y (column 3) — rename one"},
    {"# nothing\n", "run.csv: empty file — write the column names in the first line"},
};

TEST_WITH(NULL, end, invalid_cells_are_reported_with_their_place)
{
    EACH (row, complaints) {
        int column;
        enum aw_status status = read_text(row->text);
        if (status != AW_OK)
            assert_true(!table.cells && !table.n_columns);
        else
            status = aw_table_get_column(&table, "y", &column, &err);
        assert_fails(status, AW_MALFORMED, row->message);
    }
    assert_int_equal(read_bytes("t,y\n0,\0001\n", 9, NULL), AW_MALFORMED);
    assert_has(err.text, "NUL byte");
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
    assert_fails(read_text(strcat(text, ",d")), AW_MALFORMED,
                 "run.csv:1:1: table: more than 4096 columns — remove some");
}

/* Each text contains t = 0, 1 and y = 1.5, -2e-3. */
TEST_WITH(NULL, end, separators_are_detected)
{
    static const char *const texts[] = {
        "t,y\n0,1.5\n1,-2e-3\n",
        "t; y\n0; 1.5\n1; -2e-3\n",
        "t\ty\r\n0\t1.5\r\n1\t-2e-3\r\n",
        "t y\n0 1.5\n1 -2e-3\n",
        "  t   y  \n  0.0000000e+00   1.5000000e+00\n  1.0000000e+00  -2.0000000e-03\n",
        "   0   1.5\n   1\t-2e-3\n",
    };
    for (size_t i = 0; i < sizeof texts / sizeof *texts; i++) {
        if (read_headless(texts[i]) != AW_OK)
            fail_msg("%zu: %s", i, err.text);
        assert_int_equal(table.n_rows, 2);
        assert_true(aw_table_cell(&table, 1, 0) == 1 && aw_table_cell(&table, 1, 1) == -2e-3);
    }
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
    assert_fails(aw_table_add(&table, (double[]){1}, &err), AW_USAGE,
                 "table has no columns — name them first");
    assert_fails(aw_table_get_column(&table, "y", &column, &err), AW_USAGE,
                 "column y not found, the table has none — rename one");
    assert_int_equal(create(names, 2), AW_OK);
    for (int i = 0; i < 1000; i++)
        assert_int_equal(aw_table_add(&table, (double[]){i, i * 0.1}, &err), AW_OK);
    assert_fails(aw_table_add(&table, (double[]){0, NAN}, &err), AW_USAGE,
                 "y: nan is not a finite number — remove the row");
    assert_int_equal(table.n_rows, 1000);
    for (int i = 0; i < 1000; i++) {
        assert_true(aw_table_cell(&table, (size_t)i, 0) == i);
        assert_true(aw_table_cell(&table, (size_t)i, 1) == i * 0.1);
        assert_int_equal(table.lines[i], 0);
    }
    assert_int_equal(table.row_capacity, 1024);
    assert_fails(aw_table_get_column(&table, "measured", &column, &err), AW_USAGE,
                 "column measured not found, the table has t, y — rename one");
    assert_int_equal(column, -1);
    assert_int_equal(aw_table_get_column(&table, "y", &column, &err), AW_OK);
    assert_int_equal(column, 1);
    end();
    assert_null(table.cells);
    assert_null(table.lines);
}

/* The error lists as many names as fit. */
TEST_WITH(NULL, end, error_lists_the_columns_that_fit)
{
    static const char *const names[] = {"column-number-one-of", "column-number-two-of",
                                        "column-number-three",  "column-number-four",
                                        "column-number-five",   "column-number-six-six",
                                        "column-number-seven",  "eight-and-more"};
    int column;
    assert_int_equal(create(names, 8), AW_OK);
    assert_fails(aw_table_get_column(&table, "y", &column, &err), AW_USAGE,
                 "column y not found, the table has column-number-one-of, column-number-two-of, "
                 "column-number-three, column-number-four, column-number-five, "
                 "column-number-six-six, column-number-seven, … — rename one");
    assert_int_equal(aw_table_get_column(&table, names[0], &column, &err), AW_OK);
    assert_int_equal(column, 0);
    assert_int_equal(create(names, 1), AW_OK);
    assert_fails(aw_table_get_column(&table, "y", &column, &err), AW_USAGE,
                 "column y not found, the table has column-number-one-of — rename one");
    assert_int_equal(aw_table_add(&table, (double[]){1, NAN}, &err), AW_OK); /* the column exists */
}

/* Names given by the caller replace a header. */
TEST_WITH(NULL, end, given_names_replace_the_header)
{
    static const struct {
        const char *text;
        size_t columns, rows;
        const char *last, *error;
    } cases[] = {
        {"a,b,c,d\n1,2,3,4\n", 4, 1, "column4", NULL},
        {"1,2,3\n4,5,6\n", 3, 2, "y", NULL},
        {"a b c\n", 3, 0, "y", NULL},
        {"a,b\n1,2,3\n", 3, 1, "y", NULL}, /* given names take precedence */
        {"a,b\n1,2\n", 0, 0, NULL,
         "run.csv:2:1: wrong number of cells: 2 cells, the header has 3 columns — check for a "
         "truncated line"},
        {"1,2\n", 0, 0, NULL,
         "run.csv:1:1: wrong number of cells: 2 cells, expected 3 columns — check for a truncated "
         "line"},
    };
    EACH (row, cases) {
        FILE *file = text_file(row->text);
        end();
        enum aw_status status = aw_table_read_named(file, "run.csv", "t, -,y", "t,x", &table, &err);
        fclose(file);
        assert_int_equal(status, row->error ? AW_MALFORMED : AW_OK);
        if (row->error) {
            assert_string_equal(err.text, row->error);
            continue;
        }
        assert_int_equal(table.n_columns, row->columns);
        assert_int_equal(table.n_rows, row->rows);
        assert_string_equal(table.names[1], "column2");
        assert_string_equal(table.names[table.n_columns - 1], row->last);
        assert_int_equal(table.no_header, isdigit((unsigned char)*row->text) != 0);
    }
    end();
    assert_fails(aw_table_read_named(NULL, "run.csv", " ,", "t,x", &table, &err), AW_USAGE,
                 "--columns ' ,': no names given — write t,x");
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
    assert_fails(aw_table_write(full, &table, &err), AW_LOST,
                 "table: writing failed: No space left on device — check the disk");
    assert_int_equal(aw_table_write_row(full, &table, (double[]){1}, &err), AW_LOST);
    fclose(full);
    assert_fails(aw_table_write_row(stdout, &table, (double[]){INFINITY}, &err), AW_USAGE,
                 "a: inf is not a finite number — remove the row");
}
