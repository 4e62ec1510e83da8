/* Recordings of evemu-record: what they say, and what is wrong with them. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

#include "evemu_helper.h"

#include "input/evemu.h"

static struct aw_evemu evemu;
static struct aw_error err;

static enum aw_status read_text(const char *text)
{
    FILE *file = fmemopen((void *)(uintptr_t)text, strlen(text), "r");
    assert_non_null(file);
    enum aw_status status = aw_evemu_read(&evemu, file, "run.evemu", &err);
    fclose(file);
    return status;
}

static void test_recording(void **state)
{
    (void)state;
    assert_int_equal(read_text(XBOX "E: 10.500000 0003 0000 -20000\t# EV_ABS / ABS_X -20000\n"
                                    "E: 10.500000 0000 0000 0000\n"
                                    "E: 10.400000 0001 0130 0001\n"
                                    "E: 12.000001 0000 0000 0000\n"),
                     AW_OK);
    assert_string_equal(evemu.caps.name, "Microsoft X-Box 360 pad");
    assert_int_equal(evemu.caps.vendor, 0x045e);
    assert_true(aw_caps_key(&evemu.caps, BTN_SOUTH) && !aw_caps_key(&evemu.caps, BTN_C));
    assert_true(aw_caps_abs(&evemu.caps, ABS_HAT0Y) && !aw_caps_abs(&evemu.caps, ABS_GAS));
    assert_int_equal(evemu.caps.axis[ABS_X].min, -32768);
    assert_int_equal(evemu.caps.axis[ABS_Z].value, 0);
    assert_int_equal(evemu.n, 4);
    assert_int_equal(evemu.events[0].value, -20000);
    assert_int_equal(evemu.events[2].time_ns, 0); /* time does not go back */
    assert_int_equal(evemu.events[3].time_ns, 1500001000);
    aw_evemu_free(&evemu);
}

static void test_sensor(void **state)
{
    (void)state;
    assert_int_equal(read_text("N: s\nI: 3 1 2 3\nP: 40 00\nB: 03 3f\nL: 00 0\nE: 0.0 0 0 0\n"),
                     AW_OK);
    assert_true(evemu.caps.motion);
    assert_int_equal(aw_caps_guess(&evemu.caps), AW_CAPS_MOTION);
    aw_evemu_free(&evemu);
}

static void test_damage(void **state)
{
    (void)state;
    static const char *const bad[] = {
        "",
        XBOX,
        "N: a\nE: 1.0 1 2",
        "N: a\nA: 00 5 4\nE: 0.0 0 0 0",
        "N: a\nhello",
        "{\"a\":1}",
        "N: a\nE: -1.0 0 0 0",
        "N: a\nE: 99999999999999.0 0 0 0",
        "E: 0.0 0 0 0",
        "N: a\nI: x\n",
    };
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++)
        assert_int_equal(read_text(bad[i][0] ? bad[i] : "\n"), AW_MALFORMED);
    assert_non_null(strstr(err.text, "run.evemu:2:1"));
    assert_int_equal(aw_evemu_read(&evemu, NULL, "/nowhere", &err), AW_NO_LINK);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_recording),
        cmocka_unit_test(test_sensor),
        cmocka_unit_test(test_damage),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
