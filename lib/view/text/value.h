/* Internal to lib/view: how the value of a scalar is printed. */
#ifndef AW_VIEW_TEXT_VALUE_H
#define AW_VIEW_TEXT_VALUE_H

#include "wire/codec.h"

enum how {
    HOW_INT,
    HOW_FIXED,
    HOW_FLOAT,
    HOW_NAMED,
};

/* enum how of a scalar, and its decimals where it is printed with a fixed number of them. */
uint8_t aw_scalar_how(const struct aw_codec *codec, int scalar);
uint8_t aw_scalar_decimals(const struct aw_codec *codec, int scalar);

char *aw_print_how(char *out, double value, uint8_t how, uint8_t decimals);

/* Are the names true and false? */
bool aw_is_truth(const struct aw_field *row);

/* The name of the value, between quotes or not; or the number if it has none. */
char *aw_print_named(char *out, const struct aw_field *row, double value, bool quoted);

/* The scalars of a message that should have one of the known names, as bits; and the first of them
 * that has none in this record, or -1. */
uint64_t aw_closed_scalars(const struct aw_codec *codec);
int aw_odd_scalar(const struct aw_record *record, uint64_t closed);

/* The word that the value of the scalar is, or NULL. */
const char *aw_value_word(const struct aw_record *record, int scalar);

#endif
