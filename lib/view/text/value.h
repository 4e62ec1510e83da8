/* Internal to lib/view: prints the values of scalars. */
#ifndef AW_VIEW_TEXT_VALUE_H
#define AW_VIEW_TEXT_VALUE_H

#include "wire/codec.h"

enum number_format {
    FORMAT_INT,
    FORMAT_FIXED,  /* with a number of decimals */
    FORMAT_FLOAT,  /* the shortest form of a 32-bit number */
    FORMAT_NAMED,  /* a value that may have a name */
    FORMAT_DOUBLE, /* a 64-bit number with up to 15 digits */
};

/* Returns the enum number_format of a scalar, and the number of decimals for fixed-point output. */
uint8_t aw_scalar_format(const struct aw_codec *codec, int scalar);
uint8_t aw_scalar_decimals(const struct aw_codec *codec, int scalar);

/* Prints a value with at most AW_NUMBER_MAX characters, and returns their end. decimals: for
 * FORMAT_FIXED. */
char *aw_print_formatted(char *out, double value, uint8_t format, uint8_t decimals);

/* Returns true if the named values are true and false. */
bool aw_is_boolean(const struct aw_field *row);

/* Returns the special name of a scalar's value (struct aw_special); NULL: it has none. */
const char *aw_value_special_name(const struct aw_record *record, int scalar);

#endif
