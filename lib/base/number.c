#include "base/number.h"

#include <ctype.h>
#include <math.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const double powers_of_ten[] = {1e0, 1e1, 1e2,  1e3,  1e4,  1e5,  1e6, 1e7,
                                       1e8, 1e9, 1e10, 1e11, 1e12, 1e13, 1e14};

enum quantity {
    RATIO,
    ANGLE,
    LENGTH,
    TIME,
    ANGULAR_SPEED,
    SPEED,
    TORQUE,
    FORCE,
    CURRENT,
    FREQUENCY
};

/* value in the first unit of the quantity = value in this unit * scale + offset */
struct unit {
    const char *name;
    enum quantity quantity;
    double scale, offset;
};

static const struct unit units[] = {
    {"", RATIO, 1, 0},
    {"%", RATIO, 0.01, 0},
    {"deg", ANGLE, 1, 0},
    {"°", ANGLE, 1, 0},
    {"rad", ANGLE, 57.295779513082321, 0},
    {"rev", ANGLE, 360, 0},
    {"tick", ANGLE, 360.0 / 4096, -180}, /* Dynamixel position, 2048 is the centre */
    {"mm", LENGTH, 1, 0},
    {"cm", LENGTH, 10, 0},
    {"m", LENGTH, 1000, 0},
    {"s", TIME, 1, 0},
    {"ms", TIME, 1e-3, 0},
    {"us", TIME, 1e-6, 0},
    {"min", TIME, 60, 0},
    {"deg/s", ANGULAR_SPEED, 1, 0},
    {"rad/s", ANGULAR_SPEED, 57.295779513082321, 0},
    {"rpm", ANGULAR_SPEED, 6, 0},
    {"mm/s", SPEED, 1, 0},
    {"cm/s", SPEED, 10, 0},
    {"m/s", SPEED, 1000, 0},
    {"Nm", TORQUE, 1, 0},
    {"mNm", TORQUE, 1e-3, 0},
    {"N", FORCE, 1, 0},
    {"A", CURRENT, 1, 0},
    {"mA", CURRENT, 1e-3, 0},
    {"Hz", FREQUENCY, 1, 0},
};

static const struct unit *find_unit(const char *name)
{
    for (size_t i = 0; i < sizeof units / sizeof *units; i++)
        if (strcmp(units[i].name, name ? name : "") == 0)
            return &units[i];
    return NULL;
}

int aw_unit_compatible(const char *a, const char *b)
{
    const struct unit *x = find_unit(a), *y = find_unit(b);
    return x && y && x->quantity == y->quantity;
}

/* strtod also takes "nan" and "inf": a number starts with a digit, a sign or a point. */
static enum aw_status read_number(const char *text, double *value, char **end, struct aw_error *err)
{
    const char *digits = text + (*text == '-' || *text == '+');
    if (*text == '\0')
        return aw_fail(err, AW_USAGE, "empty value — a number is needed");
    if (!isdigit((unsigned char)*digits) && !(*digits == '.' && isdigit((unsigned char)digits[1])))
        return aw_fail(err, AW_USAGE, "'%.40s' is not a number", text);
    *value = strtod(text, end);
    if (!isfinite(*value))
        return aw_fail(err, AW_USAGE, "'%.40s' is too large for a number", text);
    return AW_OK;
}

enum aw_status aw_number_parse(const char *text, double *value, struct aw_error *err)
{
    char *end;
    enum aw_status status = read_number(text, value, &end, err);
    if (status == AW_OK && *end)
        status = aw_fail(err, AW_USAGE, "'%.40s' is not a number", text);
    return status;
}

static enum aw_status unknown_unit(const char *text, const char *unit, const char *wanted,
                                   struct aw_error *err)
{
    if (!find_unit(unit))
        return aw_fail(err, AW_USAGE, "'%.40s': unknown unit '%.20s' — %s%s", text, unit,
                       wanted && *wanted ? "use " : "no unit is needed here", wanted ? wanted : "");
    return aw_fail(err, AW_USAGE, "'%.40s': '%s' is the wrong unit — %s%s", text, unit,
                   wanted && *wanted ? "use " : "no unit is needed here", wanted ? wanted : "");
}

enum aw_status aw_number_parse_unit(const char *text, const char *wanted, double *value,
                                    struct aw_error *err)
{
    char *unit;
    enum aw_status status = read_number(text, value, &unit, err);
    if (status != AW_OK || *unit == '\0')
        return status;
    if (wanted && strcmp(unit, wanted) == 0)
        return AW_OK;
    const struct unit *from = find_unit(unit), *to = find_unit(wanted);
    if (!from || !to || from->quantity != to->quantity)
        return unknown_unit(text, unit, wanted, err);
    *value = (*value * from->scale + from->offset - to->offset) / to->scale;
    return AW_OK;
}

static char *print_unsigned(char *out, uint64_t value)
{
    char digits[20], *p = digits + sizeof digits;
    do
        *--p = (char)('0' + value % 10);
    while (value /= 10);
    size_t n = (size_t)(digits + sizeof digits - p);
    memcpy(out, p, n);
    return out + n;
}

char *aw_print_int(char *out, int64_t value)
{
    if (value < 0)
        *out++ = '-';
    return print_unsigned(out, value < 0 ? 0 - (uint64_t)value : (uint64_t)value);
}

/* Prints scaled / 10^decimals without trailing zeros. */
static char *print_scaled(char *out, uint64_t scaled, int decimals)
{
    while (decimals > 0 && scaled % 10 == 0) {
        scaled /= 10;
        decimals--;
    }
    if (decimals == 0)
        return print_unsigned(out, scaled);
    uint64_t one = (uint64_t)powers_of_ten[decimals];
    out = print_unsigned(out, scaled / one);
    *out++ = '.';
    uint64_t fraction = scaled % one;
    for (int i = decimals - 1; i >= 0; i--) {
        out[i] = (char)('0' + fraction % 10);
        fraction /= 10;
    }
    return out + decimals;
}

char *aw_print_fixed(char *out, double value, int decimals)
{
    double scaled = fabs(value) * powers_of_ten[decimals];
    if (!(scaled < 9e15))
        return out + snprintf(out, AW_NUMBER_MAX, "%.15g", value);
    uint64_t whole = (uint64_t)(scaled + 0.5);
    if (value < 0 && whole != 0)
        *out++ = '-';
    return print_scaled(out, whole, decimals);
}

static int decimal_exponent(double value)
{
    int exponent = 0;
    while (value >= powers_of_ten[exponent + 1])
        exponent++;
    for (; value < 1; exponent--)
        value *= 10;
    return exponent;
}

/* 10^k and the digits are exact doubles, so reading the digits back is the same division as here.
 */
static bool print_short(char **out, double size, float value)
{
    int exponent = decimal_exponent(size);
    for (int digits = 6; digits <= 9; digits++) {
        int decimals = digits - 1 - exponent;
        if (decimals < 0 || decimals > 14)
            continue;
        double scaled = floor(size * powers_of_ten[decimals] + 0.5);
        if ((float)(scaled / powers_of_ten[decimals]) == value) {
            *out = print_scaled(*out, (uint64_t)scaled, decimals);
            return true;
        }
    }
    return false;
}

static char *print_general(char *out, float value)
{
    int length = 0;
    for (int digits = 6; digits <= 9; digits++) {
        length = snprintf(out, AW_NUMBER_MAX, "%.*g", digits, (double)value);
        if (strtof(out, NULL) == value)
            break;
    }
    return out + length;
}

char *aw_print_float32(char *out, float value)
{
    double size = fabs((double)value);
    char *start = out;
    if (value < 0)
        *out++ = '-';
    if (size < 1e9 && size == (double)(uint32_t)size)
        return print_unsigned(out, (uint64_t)size);
    if (size >= 1e-5 && size < 1e9 && print_short(&out, size, (float)size))
        return out;
    return print_general(start, value);
}

int aw_decimals_for_step(double step)
{
    int decimals = 0;
    if (step == floor(step))
        return 0;
    while (decimals < 8 && powers_of_ten[decimals] * step < 1 - 1e-12)
        decimals++;
    return decimals + 1;
}
