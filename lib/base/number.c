/* Parses numbers and prints them without rounding noise, independent of the locale. */
#include "base/number.h"

#include <ctype.h>
#include <math.h>
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
    FREQUENCY,
    COUNT,
    COUNT_RATE,
    VOLTAGE
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
    {"ticks", COUNT, 1, 0}, /* unit of a firmware's counters */
    {"ticks/s", COUNT_RATE, 1, 0},
    {"V", VOLTAGE, 1, 0},
    {"mV", VOLTAGE, 1e-3, 0},
};

static const struct unit *find_unit(const char *name)
{
    for (size_t i = 0; i < sizeof units / sizeof *units; i++)
        if (strcmp(units[i].name, name ? name : "") == 0)
            return &units[i];
    return NULL;
}

/* Requires a digit, after an optional sign and point, because strtod also accepts "nan" and
 * "inf". */
static enum aw_status read_number(const char *text, double *value, char **end, struct aw_error *err)
{
    const char *digits = text + (*text == '-' || *text == '+');
    if (*text == '\0')
        return aw_fail(err, AW_USAGE, "empty value — give a number");
    if (!isdigit((unsigned char)*digits) && !(*digits == '.' && isdigit((unsigned char)digits[1])))
        return aw_fail(err, AW_USAGE, "'%.40s' is not a number", text);
    *value = strtod(text, end);
    if (!isfinite(*value))
        return aw_fail(err, AW_USAGE, "'%.40s' is too large", text);
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

static enum aw_status fail_unit(const char *text, const char *unit, const char *wanted,
                                struct aw_error *err)
{
    const char *next = unit + strspn(unit, " \t");
    if (next > unit && find_unit(next))
        return aw_fail(err, AW_USAGE, "'%.40s': space before the unit — write %.*s%s", text,
                       (int)(unit - text), text, next);
    if (*unit == ',' && isdigit((unsigned char)unit[1]))
        return aw_fail(err, AW_USAGE, "'%.40s': decimal comma — write %.*s.%.20s", text,
                       (int)(unit - text), text, unit + 1);
    if (!find_unit(unit))
        return aw_fail(err, AW_USAGE, "'%.40s': unknown unit '%.20s' — %s%s", text, unit,
                       wanted && *wanted ? "use " : "omit the unit", wanted ? wanted : "");
    return aw_fail(err, AW_USAGE, "'%.40s': wrong unit '%s' — %s%s", text, unit,
                   wanted && *wanted ? "use " : "omit the unit", wanted ? wanted : "");
}

enum aw_status aw_number_check_float(const char *subject, double value, struct aw_error *err)
{
    return isfinite((float)value)
               ? AW_OK
               : aw_fail(err, AW_USAGE, "%s: %g is %s", subject, value,
                         isfinite(value) ? "out of range for a 32-bit float — use a smaller value"
                                         : "not a finite number — correct it");
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
        return fail_unit(text, unit, wanted, err);
    *value = (*value * from->scale + from->offset - to->offset) / to->scale;
    return AW_OK;
}

bool aw_number_find_scale(const char *from, const char *to, double *scale, double *offset)
{
    const struct unit *a = find_unit(from), *b = find_unit(to);
    if (!a || !b || a->quantity != b->quantity)
        return false;
    *scale = a->scale / b->scale;
    *offset = (a->offset - b->offset) / b->scale;
    return true;
}

bool aw_number_is_unit(const char *text)
{
    return *text && find_unit(text);
}

#define ASCII_ZEROS UINT64_C(0x3030303030303030)
#define TEN_TO_8    100000000

/* Returns the eight digits of a number below 10^8, one per byte, the first one in the lowest byte.
 * Divides all digits at once, first by 10^4, then by 100, then by 10. */
static inline uint64_t split_digits(uint32_t value)
{
    uint64_t x = value / 10000 | (uint64_t)(value % 10000) << 32;
    uint64_t q = x * 10486 >> 20 & 0x0000007F0000007F;
    x = q | (x - q * 100) << 16;
    q = x * 103 >> 10 & 0x000F000F000F000F;
    return q | (x - q * 10) << 8;
}

/* Stores eight characters; the caller counts how many of them it needs. */
static inline void store_eight(char *out, uint64_t characters)
{
    if (__BYTE_ORDER__ == __ORDER_BIG_ENDIAN__)
        characters = __builtin_bswap64(characters);
    memcpy(out, &characters, sizeof characters);
}

/* Prints eight digits with a point, after which there are up to decimals digits. Prints one leading
 * zero before the point, no trailing zeros, and no point without a fraction. */
static inline char *print_eight(char *out, uint64_t digits, int decimals)
{
    int whole = 8 - decimals;
    int zeros = __builtin_ctzll(digits | UINT64_C(1) << (whole - 1) * 8) / 8;
    store_eight(out, (digits | ASCII_ZEROS) >> zeros * 8);
    out += whole - zeros;
    if (!decimals)
        return out;
    uint64_t fraction = digits >> whole * 8;
    *out = '.';
    store_eight(out + 1, fraction | ASCII_ZEROS);
    int n_after = 1 + (71 - __builtin_clzll(fraction | 1)) / 8;
    return out + (fraction != 0) * n_after;
}

/* Always writes a minus sign, but advances past it only for a negative number. Avoids an
 * unpredictable branch. */
static inline char *print_sign(char *out, bool negative)
{
    *out = '-';
    return out + negative;
}

static char *print_two_digits(char *out, uint32_t value)
{
    uint32_t tens = value * 103 >> 10;
    *out = (char)('0' + tens);
    out += tens != 0;
    *out = (char)('0' + value - tens * 10);
    return out + 1;
}

static char *print_unsigned(char *out, uint64_t value)
{
    if (value < 100) /* most common case */
        return print_two_digits(out, (uint32_t)value);
    if (value >= TEN_TO_8) {
        out = print_unsigned(out, value / TEN_TO_8);
        store_eight(out, split_digits((uint32_t)(value % TEN_TO_8)) | ASCII_ZEROS);
        return out + 8;
    }
    return print_eight(out, split_digits((uint32_t)value), 0);
}

char *aw_print_padded(char *out, uint32_t value, int digits)
{
    store_eight(out, (split_digits(value) | ASCII_ZEROS) >> (8 - digits) * 8);
    return out + digits;
}

char *aw_print_int(char *out, int64_t value)
{
    out = print_sign(out, value < 0);
    return print_unsigned(out, value < 0 ? 0 - (uint64_t)value : (uint64_t)value);
}

/* Prints the point and the digits after it, without trailing zeros. Prints nothing if all digits
 * are zero. */
static char *print_fraction(char *out, uint32_t fraction, int decimals)
{
    if (fraction == 0)
        return out;
    uint64_t digits = split_digits(fraction) >> (8 - decimals) * 8;
    *out = '.';
    store_eight(out + 1, digits | ASCII_ZEROS);
    return out + 1 + (71 - __builtin_clzll(digits)) / 8;
}

static char *print_long_fraction(char *out, uint64_t fraction, int decimals)
{
    *out = '.';
    for (int i = decimals; i > 0; i--, fraction /= 10)
        out[i] = (char)('0' + fraction % 10);
    out += decimals;
    while (*out == '0')
        out--;
    return out + (*out != '.');
}

/* Prints scaled / 10^decimals without trailing zeros. */
static char *print_scaled(char *out, uint64_t scaled, int decimals)
{
    if (scaled < TEN_TO_8 && decimals < 8)
        return print_eight(out, split_digits((uint32_t)scaled), decimals);
    uint64_t divisor = (uint64_t)powers_of_ten[decimals];
    uint64_t whole = scaled / divisor, fraction = scaled - whole * divisor;
    out = print_unsigned(out, whole);
    return decimals <= 8 ? print_fraction(out, (uint32_t)fraction, decimals)
                         : print_long_fraction(out, fraction, decimals);
}

char *aw_print_fixed(char *out, double value, int decimals)
{
    double scaled = fabs(value) * powers_of_ten[decimals];
    if (!(scaled < 9e15))
        return out + snprintf(out, AW_NUMBER_MAX, "%.15g", value);
    int64_t whole = (int64_t)scaled;
    whole += scaled - (double)whole >= 0.5; /* the sum scaled + 0.5 might be rounded */
    out = print_sign(out, value < 0 && whole != 0);
    return print_scaled(out, (uint64_t)whole, decimals);
}

static int find_exponent(double value)
{
    int exponent = 0;
    while (value >= powers_of_ten[exponent + 1])
        exponent++;
    for (; value < 1; exponent--)
        value *= 10;
    return exponent;
}

/* Prints the shortest decimal that parses to value, or returns false. 10^k and the digits are exact
 * doubles, so parsing the digits performs the same division as here. */
static bool print_short(char **out, double size, float value)
{
    int exponent = find_exponent(size);
    for (int digits = 6; digits <= 9; digits++) {
        int decimals = digits - 1 - exponent;
        if (decimals < 0)
            continue;
        double scaled = floor(size * powers_of_ten[decimals] + 0.5);
        if ((float)(scaled / powers_of_ten[decimals]) == value) {
            *out = print_scaled(*out, (uint64_t)scaled, decimals);
            return true;
        }
    }
    return false;
}

/* Fast path for typical values such as 74.75. The product is exact, so the text is exact. */
static bool print_thousandths(char **out, double size)
{
    uint32_t scaled = (uint32_t)(size * 1000);
    if (size * 1000 != (double)scaled)
        return false;
    *out = print_eight(*out, split_digits(scaled), 3);
    return true;
}

static char *print_with_exponent(char *out, float value)
{
    int length = 0;
    for (int digits = 6; digits <= 9; digits++) {
        length = snprintf(out, AW_NUMBER_MAX, "%.*g", digits, (double)value);
        if (strtof(out, NULL) == value)
            break;
    }
    return out + length;
}

/* Not inlined, because its registers would slow down the fast path. */
static __attribute__((noinline)) char *print_any_float(char *out, float value)
{
    double size = fabs((double)value);
    char *digits = print_sign(out, value < 0);
    if (size < 1e9 && size == (double)(uint32_t)size)
        return print_unsigned(digits, (uint64_t)size);
    if (size >= 1e-5 && size < 1e9 && print_short(&digits, size, (float)size))
        return digits;
    return print_with_exponent(out, value);
}

char *aw_print_float32(char *out, float value)
{
    double size = fabs((double)value);
    char *digits = print_sign(out, value < 0);
    if (size < 1e3 && print_thousandths(&digits, size))
        return digits;
    return print_any_float(out, value);
}

int aw_digits_for(double value)
{
    return value == floor(value) && fabs(value) < 1e15 ? 15 : 9;
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
