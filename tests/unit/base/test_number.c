#include <float.h>
#include <math.h>

#include "base/number.h"
#include "picture_helper.h"

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

/* Tries random bit patterns and the ends of every binade. */
TEST(printed_floats_are_read_back_exactly)
{
    uint64_t random = 88172645463325252u;
    for (int i = 0; i < 1000000; i++)
        assert_float_survives((uint32_t)next(&random));
    for (uint32_t exponent = 0; exponent < 255; exponent++)
        for (uint32_t i = 0; i < 4; i++)
            assert_float_survives((exponent << 23) + i - 2);
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

/* Compares with printf, except for ties, which may be rounded either way. */
TEST(fixed_decimals_match_printf)
{
    uint64_t random = 1234567;
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

TEST(integers_match_printf)
{
    static const int64_t values[] = {
        0,         1,         -1,       10,        INT32_MAX,        INT32_MIN,
        INT64_MAX, INT64_MIN, 99999999, 100000000, 10000000000000000};
    EACH (value, values) {
        char text[AW_NUMBER_MAX + 1], expected[32];
        *aw_print_int(text, *value) = '\0';
        snprintf(expected, sizeof expected, "%lld", (long long)*value);
        assert_string_equal(text, expected);
    }
}

/* Prints a number in a unit, "-": without unit. A valid number is converted back, too. */
static void print_unit(const char *text, const char *wanted, FILE *out)
{
    char number[64];
    double value, back;
    struct aw_error err;
    const char *unit = text + strspn(text, "+-.0123456789");
    wanted = strcmp(wanted, "-") == 0 ? NULL : strcmp(wanted, "''") == 0 ? "" : wanted;
    if (aw_number_parse_unit(text, wanted, &value, &err) != AW_OK) {
        fprintf(out, "%d %s", err.status, err.text);
        assert_int_equal(aw_number_parse(text, &back, NULL), AW_USAGE);
        return;
    }
    fprintf(out, "%.15g", value);
    if (*text != '3')
        return;
    assert_int_equal(aw_number_is_unit(unit), *unit != '\0');
    snprintf(number, sizeof number, "%.17g%s", value, wanted ? wanted : "");
    if (wanted) {
        assert_ok(aw_number_parse_unit(number, unit, &back, &err), &err);
        assert_near(back, 3, 3e-9);
    }
}

/* Prints "float NUMBER", "digits NUMBER", "fixed NUMBER DECIMALS", "unit NUMBER UNIT" or "number
 * TEXT". */
static void print_case(const char *input, size_t i, FILE *out)
{
    char text[AW_NUMBER_MAX + 1] = "", copy[64];
    const char *rest = strchr(input, ' ') + 1;
    double value = strtod(rest, NULL);
    struct aw_error err;
    (void)i;
    snprintf(copy, sizeof copy, "%s", rest);
    char *last = strrchr(copy, ' ');
    if (strncmp(input, "float", 5) == 0)
        *aw_print_float32(text, strtof(rest, NULL)) = '\0';
    else if (*input == 'd')
        snprintf(text, sizeof text, "%.*g", aw_digits_for(value), value);
    else if (strncmp(input, "fixed", 5) == 0)
        *aw_print_fixed(text, value, atoi(last)) = '\0';
    else if (*input == 'n' && aw_number_parse(rest, &value, &err) == AW_OK)
        snprintf(text, sizeof text, "%.15g", value);
    fputs(*text || *input == 'u' ? text : err.text, out);
    if (*input == 'u') {
        *last = '\0';
        print_unit(copy, last + 1, out);
    }
    fputc('\n', out);
}

/* Floats print the shortest digits. Fixed numbers are at the boundaries between the methods. */
TEST(numbers_match_the_golden_file)
{
    expect_text_cases("numbers.txt", print_case);
    assert_false(aw_number_is_unit("frob"));
}

TEST(values_beyond_32_bit_floats_are_refused)
{
    struct aw_error err;
    assert_int_equal(aw_number_check_float("kp", FLT_MAX, &err), AW_OK);
    assert_int_equal(aw_number_check_float("kp", -1e39, &err), AW_USAGE);
    assert_has(err.text, "kp: -1e+39 is out of range for a 32-bit float");
    assert_int_equal(aw_number_check_float("kp", (double)NAN, &err), AW_USAGE);
    assert_has(err.text, "kp: nan is not a finite number");
}

TEST(padded_integers_match_printf)
{
    char text[AW_NUMBER_MAX + 1], expected[32];
    for (uint32_t i = 0; i < 10000; i++) {
        uint32_t value = i * 10000 + i;
        *aw_print_padded(text, value, 8) = '\0';
        snprintf(expected, sizeof expected, "%08u", value);
        assert_string_equal(text, expected);
        *aw_print_int(text, i) = '\0';
        snprintf(expected, sizeof expected, "%u", i);
        assert_string_equal(text, expected);
    }
    for (int digits = 1; digits <= 8; digits++) {
        *aw_print_padded(text, 7, digits) = '\0';
        snprintf(expected, sizeof expected, "%0*d", digits, 7);
        assert_string_equal(text, expected);
    }
}

TEST(number_of_decimals_resolves_the_step)
{
    static const struct {
        double step;
        int decimals;
    } rows[] = {{1, 0},    {360, 0},  {0, 0},     {0.5, 2},   {0.9, 2},
                {0.1, 2},  {0.09, 3}, {0.045, 3}, {1.5, 1},   {0.01, 3},
                {1e-7, 8}, {1e-8, 9}, {1e-9, 9},  {1e-12, 9}, {0.001, 4}};
    EACH (row, rows)
        if (aw_decimals_for_step(row->step) != row->decimals)
            fail_msg("%g: %d", row->step, aw_decimals_for_step(row->step));
}
