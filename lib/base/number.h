/* Reads and prints numbers as text.
 *
 * Printing is exact to the resolution of the field and shows no rounding noise (3.8, not
 * 3.8000000000000003). It does not allocate and ignores the locale. Reading accepts plain decimals,
 * exponents and 0x…, and a unit behind the number; NaN, infinity, 1e999 and an empty text are
 * errors, never values.
 */
#ifndef AW_BASE_NUMBER_H
#define AW_BASE_NUMBER_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/status.h"

#define AW_NUMBER_MAX 32 /* longest text that the printers below write, without a NUL */

/* Reads a number that must fill the whole text. AW_USAGE if it does not, or is not finite. */
enum aw_status aw_number_parse(const char *text, double *value, struct aw_error *err);

/* Reads a number with an optional unit and converts it to the wanted unit ("500ms" wanted "s" gives
 * 0.5; "0.5rad" wanted "deg" gives 28.6478…; "20%" wanted NULL gives 0.2). No unit: the number is
 * in the wanted unit already. AW_USAGE for an unknown unit or one of another kind, naming both. */
enum aw_status aw_number_parse_unit(const char *text, const char *wanted, double *value,
                                    struct aw_error *err);

/* Finds the factor and offset of a conversion: value in to = value in from * *scale + *offset.
 * Returns false for an unknown unit, or units of different kinds. */
bool aw_number_conversion(const char *from, const char *to, double *scale, double *offset);

/* Returns true for a known unit: "deg", "ms", "%". */
bool aw_number_is_unit(const char *text);

/* These write at most AW_NUMBER_MAX characters to out, without a NUL, and return the end. They may
 * overwrite a few characters after the end. */
char *aw_print_int(char *out, int64_t value);
char *aw_print_padded(char *out, uint32_t value,
                      int digits); /* exactly so many, 1 to 8, with zeros in front */
char *aw_print_fixed(char *out, double value,
                     int decimals); /* rounded to decimals 0..9, trailing zeros dropped */
char *aw_print_float32(char *out,
                       float value); /* shortest decimal that reads back as the same float */

/* Returns the precision for "%.*g" in sentences: all digits of a whole number, else the nine of a
 * float. */
int aw_digits_for(double value);

/* Returns the decimals that distinguish neighbouring steps of this size: one more than the step
 * itself has. */
int aw_decimals_for_step(double step);

#endif
