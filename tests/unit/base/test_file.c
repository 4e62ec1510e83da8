#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>

#include "base/file.h"

static void the_advice_fits_the_error(void **state)
{
    struct aw_error err;
    (void)state;
    errno = ENOENT;
    assert_int_equal(aw_file_fail(&err, NULL, "run.csv"), AW_USAGE);
    assert_string_equal(err.text, "run.csv: No such file or directory — check the name");
    errno = ENOSPC;
    assert_int_equal(aw_file_fail(&err, "--record", "run.pcapng"), AW_LOST);
    assert_non_null(strstr(err.text, "--record: run.pcapng: No space left on device — free some"));
    errno = EMFILE;
    assert_int_equal(aw_file_fail(&err, NULL, "x"), AW_USAGE);
    assert_non_null(strstr(err.text, "— check the file"));
}

static void what_can_be_written(void **state)
{
    struct aw_error err;
    char folder[] = "/tmp/test_file.XXXXXX", path[64];
    (void)state;
    assert_non_null(mkdtemp(folder));
    snprintf(path, sizeof path, "%s/new", folder);
    assert_int_equal(aw_file_check(path, &err), AW_OK);
    assert_int_equal(access(path, F_OK), -1); /* it was not made */
    assert_int_equal(aw_file_check(folder, &err), AW_USAGE);
    assert_non_null(strstr(err.text, "name a file in it"));
    snprintf(path, sizeof path, "%s/no/new", folder);
    assert_int_equal(aw_file_check(path, &err), AW_USAGE);
    assert_non_null(strstr(err.text, "check the name"));
    assert_int_equal(aw_file_check("new", &err), AW_OK);
    rmdir(folder);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_advice_fits_the_error),
        cmocka_unit_test(what_can_be_written),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
