#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "base/number.h"

static uint64_t next(uint64_t *state)
{
    *state ^= *state << 13;
    *state ^= *state >> 7;
    *state ^= *state << 17;
    return *state;
}

static void assert_float_survives(uint32_t bits)
{
    char text[AW_NUMBER_MAX + 1];
    float value, again;
    memcpy(&value, &bits, sizeof value);
    if (!isfinite(value))
        return;
    char *end = aw_print_float32(text, value);
    assert_true(end - text <= AW_NUMBER_MAX);
    *end = '\0';
    again = strtof(text, NULL);
    bool plain = fabsf(value) >= 1e-5f && fabsf(value) < 1e9f; /* needs no exponent */
    if (again != value || (plain && strchr(text, 'e')))
        fail_msg("%08x (%.9g) is printed as %s", bits, (double)value, text);
}

/* Random bit patterns, and the ends of every binade. */
static void floats_survive_printing(void **state)
{
    uint64_t random = 88172645463325252u;
    (void)state;
    for (int i = 0; i < 1000000; i++)
        assert_float_survives((uint32_t)next(&random));
    for (uint32_t exponent = 0; exponent < 255; exponent++)
        for (uint32_t i = 0; i < 4; i++)
            assert_float_survives((exponent << 23) + i - 2);
}

static void assert_float(float value, const char *expected)
{
    char text[AW_NUMBER_MAX + 1];
    *aw_print_float32(text, value) = '\0';
    assert_string_equal(text, expected);
}

static void floats_show_no_noise(void **state)
{
    (void)state;
    assert_float(0.6f, "0.6");
    assert_float(3.8f, "3.8");
    assert_float(-4.905f, "-4.905");
    assert_float(0, "0");
    assert_float(1e9f, "1e+09");
    assert_float(3.4028234663852886e38f, "3.4028235e+38");
    assert_float(16777216, "16777216");
}

static void trim(char *text)
{
    if (!strchr(text, '.'))
        return;
    size_t n = strlen(text);
    while (text[n - 1] == '0')
        n--;
    text[text[n - 1] == '.' ? n - 1 : n] = '\0';
}

/* Against printf; a tie may go either way, so the values keep away from ties. */
static void fixed_is_what_printf_says(void **state)
{
    uint64_t random = 1234567;
    (void)state;
    for (int i = 0; i < 200000; i++) {
        char text[AW_NUMBER_MAX + 1], expected[64];
        int decimals = i % 7;
        double value = ((double)(int32_t)next(&random) + 0.25) / pow(10, decimals);
        *aw_print_fixed(text, value, decimals) = '\0';
        snprintf(expected, sizeof expected, "%.*f", decimals, value);
        trim(expected);
        if (strcmp(expected, "-0") != 0)
            assert_string_equal(text, expected);
    }
}

static void integers(void **state)
{
    static const int64_t values[] = {0, 1, -1, 10, INT32_MAX, INT32_MIN, INT64_MAX, INT64_MIN};
    (void)state;
    for (size_t i = 0; i < sizeof values / sizeof *values; i++) {
        char text[AW_NUMBER_MAX + 1], expected[32];
        *aw_print_int(text, values[i]) = '\0';
        snprintf(expected, sizeof expected, "%lld", (long long)values[i]);
        assert_string_equal(text, expected);
    }
}

static void assert_converts(const char *text, const char *wanted, double expected)
{
    double value = -1;
    struct aw_error err;
    if (aw_number_parse_unit(text, wanted, &value, &err) != AW_OK)
        fail_msg("%s in %s: %s", text, wanted ? wanted : "-", err.text);
    if (fabs(value - expected) > 1e-9 * fmax(1, fabs(expected)))
        fail_msg("%s in %s: %.17g", text, wanted ? wanted : "-", value);
}

static void whole_numbers_are_shown_whole(void **state)
{
    static const struct {
        double value;
        const char *text;
    } cases[] = {
        {4294967295, "4294967295"},
        {-2147483648.0, "-2147483648"},
        {1e30, "1e+30"},
        {(float)0.1, "0.100000001"}, /* 0.1F is a double on some machines */
        {-100, "-100"},
    };
    (void)state;
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        char text[32];
        snprintf(text, sizeof text, "%.*g", aw_digits_for(cases[i].value), cases[i].value);
        assert_string_equal(text, cases[i].text);
    }
}

static void units_convert(void **state)
{
    (void)state;
    assert_converts("90", "deg", 90);
    assert_converts("-45deg", "deg", -45);
    assert_converts("0.25rev", "deg", 90);
    assert_converts("3.14159265358979rad", "deg", 180);
    assert_converts("12cm", "mm", 120);
    assert_converts("-2.5m", "mm", -2500);
    assert_converts("500ms", "s", 0.5);
    assert_converts("2min", "s", 120);
    assert_converts("20%", NULL, 0.2);
    assert_converts("60rpm", "deg/s", 360);
    assert_converts("1e3", "mm", 1000);
}

static void wrong_numbers_are_refused(void **state)
{
    static const char *const wrong[] = {"",         " ",     "nan", "-nan", "inf",  "-inf",
                                        "infinity", "1e999", "90x", "x90",  "--5",  "9,5",
                                        ".",        "-",     "+",   "1mm2", "1 deg"};
    (void)state;
    for (size_t i = 0; i < sizeof wrong / sizeof *wrong; i++) {
        double value;
        struct aw_error err = {0};
        assert_int_equal(aw_number_parse_unit(wrong[i], "deg", &value, &err), AW_USAGE);
        assert_true(strlen(err.text) > 5);
        assert_null(strchr(err.text, '\n'));
        assert_int_equal(aw_number_parse(wrong[i], &value, NULL), AW_USAGE);
    }
}

static void kinds_of_units(void **state)
{
    double value;
    struct aw_error err;
    (void)state;
    assert_int_equal(aw_number_parse_unit("-9.5 deg", "deg", &value, &err), AW_USAGE);
    assert_string_equal(err.text, "'-9.5 deg': a blank behind the number — write -9.5deg");
    assert_int_equal(aw_number_parse_unit("9mm", "deg", &value, NULL), AW_USAGE);
    assert_int_equal(aw_number_parse_unit("9deg", NULL, &value, NULL), AW_USAGE);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(floats_survive_printing),       cmocka_unit_test(floats_show_no_noise),
        cmocka_unit_test(fixed_is_what_printf_says),     cmocka_unit_test(integers),
        cmocka_unit_test(whole_numbers_are_shown_whole), cmocka_unit_test(units_convert),
        cmocka_unit_test(wrong_numbers_are_refused),     cmocka_unit_test(kinds_of_units),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
