/* Collects the tests of a program and runs them with cmocka. */
#include "test.h"

#define MAX_TESTS  200
#define MAX_TABLES 4

struct test {
    int line;
    const char *name;
    test_fn *test, *setup, *teardown;
};

static struct test tests[MAX_TESTS];
static size_t n_tests;
static test_fn *first, *last;

/* The tables whose rows are in progress, the outermost first. */
static struct {
    const char *name;
    size_t row;
} tables[MAX_TABLES];
static size_t n_tables;

void test_add(int line, const char *name, test_fn *test, test_fn *setup, test_fn *teardown)
{
    size_t at = n_tests++;
    if (n_tests > MAX_TESTS)
        abort();
    for (; at > 0 && tests[at - 1].line > line; at--)
        tests[at] = tests[at - 1];
    tests[at] = (struct test){line, name, test, setup, teardown};
}

void test_around(test_fn *begin, test_fn *end)
{
    first = begin;
    last = end;
}

bool test_row(const char *table, size_t i, size_t n)
{
    size_t depth = 0;
    while (depth < n_tables && tables[depth].name != table)
        depth++;
    if (depth == MAX_TABLES)
        abort();
    tables[depth].name = table;
    tables[depth].row = i + 1;
    n_tables = i < n ? depth + 1 : depth;
    return i < n;
}

static void run(void **state)
{
    ((const struct test *)*state)->test();
    n_tables = 0;
}

static int set_up(void **state)
{
    ((const struct test *)*state)->setup();
    return 0;
}

/* A failed test does not return, so the rows that it was in are still known. */
static int tear_down(void **state)
{
    const struct test *test = *state;
    for (; n_tables > 0; n_tables--)
        print_error("in row %zu of %s\n", tables[n_tables - 1].row, tables[n_tables - 1].name);
    if (test->teardown)
        test->teardown();
    return 0;
}

static int run_first(void **state)
{
    (void)state;
    first();
    return 0;
}

static int run_last(void **state)
{
    (void)state;
    last();
    return 0;
}

int test_run(void)
{
    struct CMUnitTest units[MAX_TESTS];
    for (size_t i = 0; i < n_tests; i++)
        units[i] = (struct CMUnitTest){tests[i].name, run, tests[i].setup ? set_up : NULL,
                                       tear_down, &tests[i]};
    return _cmocka_run_group_tests("tests", units, n_tests, first ? run_first : NULL,
                                   last ? run_last : NULL);
}

__attribute__((weak)) int main(void)
{
    return test_run();
}
