/* Logs of other programs are known by their first bytes. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "capture/foreign.h"

static bool is_foreign(const char *start, const char *name, struct aw_error *err)
{
    return aw_log_is_foreign((struct aw_span){(const uint8_t *)start, strlen(start)}, name, err);
}

static void others_are_named_with_what_converts_them(void **state)
{
    struct aw_error err = {0};
    (void)state;
    assert_true(is_foreign("LOGG\x90", "logs.d/run.blf", &err));
    assert_int_equal(err.status, AW_USAGE);
    assert_string_equal(err.text,
                        "logs.d/run.blf is a Vector BLF log — convert it first: python3 -m "
                        "can.logconvert logs.d/run.blf logs.d/run.log");
    assert_true(is_foreign("date Sun Nov 22", "logs.d/run", &err));
    assert_string_equal(err.text, "logs.d/run is a Vector ASC log — convert it first: python3 -m "
                                  "can.logconvert FILE OUT.log");
    assert_true(is_foreign(";$FILEVERSION=2.1\r\n", "a.trc", NULL));
    assert_true(is_foreign("timestamp,arbitration_id,extended\n", "a.csv", NULL));
    assert_true(is_foreign("SQLite format 3", "a.db", NULL));
}

static void ours_are_not(void **state)
{
    static const char *const starts[] = {
        "", "LOG", "(1.0) can0 05F#00", "t,setpoint,measured\n", "; a remark", "dates"};
    (void)state;
    for (size_t i = 0; i < sizeof starts / sizeof *starts; i++)
        assert_false(is_foreign(starts[i], "a.log", NULL));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(others_are_named_with_what_converts_them),
        cmocka_unit_test(ours_are_not),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
