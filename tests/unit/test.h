/* Unit tests that register themselves: TEST(name) { … } is a test of the program. */
#ifndef AW_TESTS_TEST_H
#define AW_TESTS_TEST_H

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "base/span.h"
#include "base/status.h"

typedef void test_fn(void);

/* Adds a test; setup and teardown may be NULL. Tests run in the order of their lines. */
void test_add(int line, const char *name, test_fn *test, test_fn *setup, test_fn *teardown);

/* Sets functions that run before the first and after the last test; either may be NULL. */
void test_around(test_fn *begin, test_fn *end);

/* Runs all tests and returns the number of failures. The default main() only calls this. */
int test_run(void);

#define TEST(name) TEST_WITH(NULL, NULL, name)

/* Defines a test that runs between setup and teardown. */
#define TEST_WITH(setup, teardown, name)                                                           \
    static void name(void);                                                                        \
    __attribute__((constructor)) static void name##_is_added(void)                                 \
    {                                                                                              \
        test_add(__LINE__, #name, name, setup, teardown);                                          \
    }                                                                                              \
    static void name(void)

/* Starts row i of n of a table, or ends the table if i is n. Returns whether there is a row. */
bool test_row(const char *table, size_t i, size_t n);

/* Runs a block for each row of a table: EACH (row, rows) { … row->text … }. A failed test prints
 * the number of its row. */
#define EACH(row, rows)                                                                            \
    for (const __typeof__(*(rows)) *row = (rows);                                                  \
         test_row(#rows, (size_t)(row - (rows)), sizeof(rows) / sizeof *(rows)); row++)

/* A row of a table: a text and its expected result. */
struct text_case {
    const char *text, *expected;
};

/* Requires that a text contains this part. */
static inline void assert_has(const char *text, const char *part)
{
    if (!strstr(text, part))
        fail_msg("'%s' does not contain '%s'", text, part);
}

/* Requires that a call succeeds; a failure prints the text of err. */
#define assert_ok(call, err)                                                                       \
    do {                                                                                           \
        if ((call) != AW_OK)                                                                       \
            fail_msg("%s", (err)->text);                                                           \
    } while (0)

/* Requires that a call fails with this status and sets err to this text. */
#define assert_error(call, expected, err, message)                                                 \
    do {                                                                                           \
        assert_int_equal(call, expected);                                                          \
        assert_string_equal((err)->text, message);                                                 \
    } while (0)

/* Requires that a call fails with this status and that the text of err contains this part. */
#define assert_error_has(call, expected, err, part)                                                \
    do {                                                                                           \
        assert_int_equal(call, expected);                                                          \
        assert_has((err)->text, part);                                                             \
    } while (0)

static inline struct aw_span span_of(const char *text)
{
    return (struct aw_span){(const uint8_t *)text, strlen(text)};
}

/* Copies bytes to the heap, so that a sanitizer detects reads beyond them. The caller frees. */
static inline void *heap_copy(const void *bytes, size_t size)
{
    void *copy = malloc(size ? size : 1);
    assert_non_null(copy);
    memcpy(copy, bytes, size);
    return copy;
}

static inline void assert_near_at(double value, double wanted, double tolerance, const char *file,
                                  int line)
{
    if (fabs(value - wanted) <= tolerance)
        return;
    print_error("%.9g is not %.9g (tolerance %g)\n", value, wanted, tolerance);
    _fail(file, line);
}

#define assert_near(value, wanted, tolerance)                                                      \
    assert_near_at(value, wanted, tolerance, __FILE__, __LINE__)

/* Opens a text as a file. */
static inline FILE *text_file(const char *text)
{
    FILE *file = fmemopen((void *)(uintptr_t)text, strlen(text), "r");
    assert_non_null(file);
    return file;
}

static inline void write_bytes(const char *path, const void *bytes, size_t size)
{
    FILE *file = fopen(path, "w");
    assert_non_null(file);
    assert_int_equal(fwrite(bytes, 1, size, file), size);
    assert_int_equal(fclose(file), 0);
}

static inline void write_file(const char *path, const char *text)
{
    write_bytes(path, text, strlen(text));
}

/* Reads at most size - 1 bytes of a file. */
static inline void read_file(const char *path, char *text, size_t size)
{
    FILE *file = fopen(path, "r");
    assert_non_null(file);
    text[fread(text, 1, size - 1, file)] = '\0';
    fclose(file);
}

/* Removes a directory with its contents. */
static inline void remove_tree(const char *path)
{
    char command[4200];
    snprintf(command, sizeof command, "/bin/rm -rf '%s'", path);
    assert_int_equal(system(command), 0);
}

#define ALL_TESTS_WITH(begin, end)                                                                 \
    __attribute__((constructor)) static void begin_and_end_are_set(void)                           \
    {                                                                                              \
        test_around(begin, end);                                                                   \
    }                                                                                              \
    struct nothing_follows

#endif
