/* Parses and prints numbers.
 *
 * Printing is exact to the resolution of the field and shows no rounding noise (3.8, not
 * 3.8000000000000003). It does not allocate, and ignores the locale. Parsing accepts plain
 * decimals, exponents and 0x…, with an optional unit after the number. NaN, infinity, 1e999 and an
 * empty string are errors.
 */
#ifndef AW_BASE_NUMBER_H
#define AW_BASE_NUMBER_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/status.h"

#define AW_NUMBER_MAX 32 /* maximum output of the print functions below, without a NUL */

/* Parses a string that contains only a number. AW_USAGE if it is not a number, or not finite. */
enum aw_status aw_number_parse(const char *text, double *value, struct aw_error *err);

/* AW_USAGE if a value is not finite, or not finite as a 32-bit float. The message starts with
 * subject. */
enum aw_status aw_number_check_float(const char *subject, double value, struct aw_error *err);

/* Parses a number with an optional unit and converts it to the wanted unit. "500ms" wanted "s"
 * gives 0.5, "0.5rad" wanted "deg" gives 28.6478…, "20%" wanted NULL gives 0.2. A number without a
 * unit is in the wanted unit. AW_USAGE for an unknown unit, or for a unit of another kind; the
 * message names both. */
enum aw_status aw_number_parse_unit(const char *text, const char *wanted, double *value,
                                    struct aw_error *err);

/* Finds the conversion between two units: y = x * *scale + *offset, with x in unit from and y in
 * unit to. Returns false if a unit is unknown or the two are incompatible. */
bool aw_number_find_scale(const char *from, const char *to, double *scale, double *offset);

/* Returns true for a known unit, such as "deg", "ms" or "%". */
bool aw_number_is_unit(const char *text);

/* The print functions write at most AW_NUMBER_MAX characters to out, without a NUL, and return the
 * end. They may overwrite a few characters after the end. */
char *aw_print_int(char *out, int64_t value);
char *aw_print_padded(char *out, uint32_t value,
                      int digits); /* exact number of digits, 1 to 8, with leading zeros */
char *aw_print_fixed(char *out, double value,
                     int decimals);             /* 0 to 9; rounds, and drops trailing zeros */
char *aw_print_float32(char *out, float value); /* shortest decimal for this float */

/* Returns the precision for "%.*g" in messages: all digits of an integer, else the nine of a
 * float. */
int aw_digits_for(double value);

/* Returns the number of decimals that distinguishes neighbouring multiples of step: 0 for an
 * integer, else one more than its first significant digit needs (0.05: 3). */
int aw_decimals_for_step(double step);

#endif
