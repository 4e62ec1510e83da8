/* Internal to lib/view: how the value of a scalar is printed. */
#ifndef AW_VIEW_TEXT_VALUE_H
#define AW_VIEW_TEXT_VALUE_H

#include "wire/codec.h"

enum how {
    HOW_INT,
    HOW_FIXED,
    HOW_FLOAT,
    HOW_NAMED,
    HOW_DOUBLE,
};

/* enum how of a scalar, and its decimals where it is printed with a fixed number of them. */
uint8_t aw_scalar_how(const struct aw_codec *codec, int scalar);
uint8_t aw_scalar_decimals(const struct aw_codec *codec, int scalar);

char *aw_print_how(char *out, double value, uint8_t how, uint8_t decimals);

/* Are the names true and false? */
bool aw_is_truth(const struct aw_field *row);

/* The word that the value of the scalar is, or NULL. */
const char *aw_value_word(const struct aw_record *record, int scalar);

#endif
