#include <math.h>

#include "base/number.h"
#include "test.h"

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

static void assert_float(float value, const char *expected)
{
    char text[AW_NUMBER_MAX + 1];
    *aw_print_float32(text, value) = '\0';
    assert_string_equal(text, expected);
}

TEST(floats_print_the_shortest_digits)
{
    assert_float(0.6f, "0.6");
    assert_float(3.8f, "3.8");
    assert_float(-4.905f, "-4.905");
    assert_float(0, "0");
    assert_float(1e9f, "1e+09");
    assert_float(3.4028234663852886e38f, "3.4028235e+38");
    assert_float(16777216, "16777216");
    assert_float(999999936, "999999936");
    assert_float(-1e9f, "-1e+09");
    assert_float(999.125f, "999.125");
    assert_float(0.001f, "0.001");
    assert_float(1000.125f, "1000.125");
    assert_float(99999.125f, "99999.125");
    assert_float(1e-5f, "1e-05"); /* slightly smaller */
    assert_float(-9.5e-6f, "-9.5e-06");
    assert_float(1.25e-5f, "0.0000125");
    assert_float(1.17549435e-38f, "1.1754944e-38");
    assert_float(1e-45f, "1.4013e-45");
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

static void assert_converts(const char *text, const char *wanted, double expected)
{
    double value = -1;
    struct aw_error err;
    if (aw_number_parse_unit(text, wanted, &value, &err) != AW_OK)
        fail_msg("%s in %s: %s", text, wanted ? wanted : "-", err.text);
    if (fabs(value - expected) > 1e-9 * fmax(1, fabs(expected)))
        fail_msg("%s in %s: %.17g", text, wanted ? wanted : "-", value);
}

TEST(whole_numbers_print_without_decimals)
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
        {999999999999999, "999999999999999"},
        {1000000000000000, "1e+15"},
        {1234567890123456, "1.23456789e+15"},
    };
    EACH (row, cases) {
        char text[32];
        snprintf(text, sizeof text, "%.*g", aw_digits_for(row->value), row->value);
        assert_string_equal(text, row->text);
    }
}

/* Each quantity is converted to the first unit of its kind and back. */
static const struct {
    const char *unit, *first;
    double three;
} units[] = {
    {"", NULL, 3},
    {"%", NULL, 0.03},
    {"deg", "deg", 3},
    {"°", "deg", 3},
    {"rad", "deg", 171.88733853924697},
    {"rev", "deg", 1080},
    {"tick", "deg", -179.736328125},
    {"mm", "mm", 3},
    {"cm", "mm", 30},
    {"m", "mm", 3000},
    {"s", "s", 3},
    {"ms", "s", 0.003},
    {"us", "s", 0.000003},
    {"min", "s", 180},
    {"deg/s", "deg/s", 3},
    {"rad/s", "deg/s", 171.88733853924697},
    {"rpm", "deg/s", 18},
    {"mm/s", "mm/s", 3},
    {"cm/s", "mm/s", 30},
    {"m/s", "mm/s", 3000},
    {"Nm", "Nm", 3},
    {"mNm", "Nm", 0.003},
    {"N", "N", 3},
    {"A", "A", 3},
    {"mA", "A", 0.003},
    {"Hz", "Hz", 3},
};

TEST(values_are_converted_between_units)
{
    char text[64];
    EACH (row, units) {
        snprintf(text, sizeof text, "3%s", row->unit);
        assert_converts(text, row->first, row->three);
        snprintf(text, sizeof text, "%.17g%s", row->three, row->first ? row->first : "");
        if (row->first)
            assert_converts(text, row->unit, 3);
        assert_int_equal(aw_number_is_unit(row->unit), *row->unit != '\0');
    }
    assert_false(aw_number_is_unit("frob"));
    assert_converts("+5", "deg", 5);
    assert_converts("-.5", "deg", -0.5);
    assert_converts("5.", "deg", 5);
    assert_converts("7frob", "frob", 7); /* the wanted unit is unknown */
    assert_converts("-45deg", "deg", -45);
    assert_converts("1e3", "mm", 1000);
}

TEST(malformed_numbers_are_refused)
{
    static const struct {
        const char *text, *wanted, *error;
    } rows[] = {
        {"", "deg", "empty value — give a number"},
        {" ", "deg", "' ' is not a number"},
        {"nan", "deg", "'nan' is not a number"},
        {"-nan", "deg", "'-nan' is not a number"},
        {"inf", "deg", "'inf' is not a number"},
        {"-inf", "deg", "'-inf' is not a number"},
        {"infinity", "deg", "'infinity' is not a number"},
        {"1e999", "deg", "'1e999' is too large"},
        {"90x", "deg", "'90x': unknown unit 'x' — use deg"},
        {"--5", "deg", "'--5' is not a number"},
        {"9,5", "deg", "'9,5': write a decimal point — 9.5"},
        {"-9,5deg", NULL, "'-9,5deg': write a decimal point — -9.5deg"},
        {"9,", "deg", "'9,': unknown unit ',' — use deg"},
        {".", "deg", "'.' is not a number"},
        {"-", "deg", "'-' is not a number"},
        {"+", "deg", "'+' is not a number"},
        {"1mm2", "deg", "'1mm2': unknown unit 'mm2' — use deg"},
        {"1 deg", "deg", "'1 deg': space before the unit — write 1deg"},
        {"x90", "deg", "'x90' is not a number"},
        {"-.x", "deg", "'-.x' is not a number"},
        {"+-5", "deg", "'+-5' is not a number"},
        {"-1e999", "deg", "'-1e999' is too large"},
        {"-9.5 deg", "deg", "'-9.5 deg': space before the unit — write -9.5deg"},
        {"-9.5 \tmm", NULL, "'-9.5 ?mm': space before the unit — write -9.5mm"},
        {"1 frob", "deg", "'1 frob': unknown unit ' frob' — use deg"},
        {"5frob", "deg", "'5frob': unknown unit 'frob' — use deg"},
        {"5frob", NULL, "'5frob': unknown unit 'frob' — omit the unit"},
        {"5frob", "", "'5frob': unknown unit 'frob' — omit the unit"},
        {"9mm", "deg", "'9mm': wrong unit 'mm' — use deg"},
        {"9deg", NULL, "'9deg': wrong unit 'deg' — omit the unit"},
        {"9deg", "", "'9deg': wrong unit 'deg' — omit the unit"},
        {"9deg", "frob", "'9deg': wrong unit 'deg' — use frob"},
    };
    EACH (row, rows) {
        double value;
        struct aw_error err;
        assert_error(aw_number_parse_unit(row->text, row->wanted, &value, &err), AW_USAGE, &err,
                     row->error);
        assert_int_equal(aw_number_parse(row->text, &value, NULL), AW_USAGE);
    }
    double value;
    struct aw_error err;
    assert_error(aw_number_parse("1 ", &value, &err), AW_USAGE, &err, "'1 ' is not a number");
    assert_int_equal(aw_number_parse("0x10", &value, NULL), AW_OK);
    assert_true(value == 16);
}

/* Tries values at the boundaries between the printing methods. */
TEST(printed_numbers_are_rounded_at_boundaries)
{
    static const struct {
        double value;
        int decimals;
        const char *text;
    } rows[] = {
        {9999999.9, 1, "9999999.9"},
        {99999999, 0, "99999999"},
        {100000000, 0, "100000000"},
        {10000000, 1, "10000000"},
        {12345678.125, 3, "12345678.125"},
        {-0.4, 0, "0"},
        {-0.5, 0, "-1"},
        {-0.0, 3, "0"},
        {9.9999999, 7, "9.9999999"},
        {10.0000001, 7, "10.0000001"},
        {0.00000001, 8, "0.00000001"},
        {0.12345678, 8, "0.12345678"},
        {5, 8, "5"},
        {5.5, 8, "5.5"},
        {0.000000001, 9, "0.000000001"},
        {1.23, 9, "1.23"},
        {2, 9, "2"},
        {20, 9, "20"},
        {0, 9, "0"},
        {999999.123456789, 9, "999999.123456789"},
        {9000000.5, 9, "9000000.5"},
        {8999999999999999, 0, "8999999999999999"},
        {4503599627370497, 0, "4503599627370497"},
        {0.49999999999999994, 0, "0"},
        {9e15, 0, "9e+15"},
        {-1e300, 2, "-1e+300"},
    };
    EACH (row, rows) {
        char text[AW_NUMBER_MAX + 1];
        char *end = aw_print_fixed(text, row->value, row->decimals);
        assert_int_equal(end - text, strlen(row->text));
        *end = '\0';
        assert_string_equal(text, row->text);
    }
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
