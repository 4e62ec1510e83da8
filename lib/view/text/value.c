/* Prints a scalar as a number or a word, and finds values out of range. */
#include <float.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "base/number.h"
#include "view/text/value.h"

#define MIN_STEP 1e-7 /* smallest printed step */

uint8_t aw_scalar_format(const struct aw_codec *codec, int scalar)
{
    const struct aw_field *row = codec->scalars[scalar].field;
    if (row->names && !codec->raw)
        return FORMAT_NAMED;
    if (row->type == AW_FLOAT && row->bits == 64)
        return FORMAT_DOUBLE;
    if (row->type == AW_FLOAT) /* scaling does not increase the precision of a float */
        return FORMAT_FLOAT;
    if (!codec->raw && row->scale != 0 && fabs(row->scale) < MIN_STEP)
        return FORMAT_DOUBLE;
    bool is_integer = codec->raw || ((row->scale == 0 || row->scale == floor(row->scale)) &&
                                     row->offset == floor(row->offset));
    return is_integer ? FORMAT_INT : FORMAT_FIXED;
}

uint8_t aw_scalar_decimals(const struct aw_codec *codec, int scalar)
{
    const struct aw_field *row = codec->scalars[scalar].field;
    int scale = aw_decimals_for_step(fabs(row->scale)),
        offset = aw_decimals_for_step(fabs(row->offset));
    return (uint8_t)(row->type == AW_FLOAT ? 7 : scale > offset ? scale : offset);
}

char *aw_print_formatted(char *out, double value, uint8_t format, uint8_t decimals)
{
    if (format == FORMAT_DOUBLE)
        return out + snprintf(out, AW_NUMBER_MAX, "%.15g", value);
    /* A scaled float may exceed the range of float. */
    if (fabs(value) > (double)FLT_MAX)
        return out + snprintf(out, AW_NUMBER_MAX, "%.9g", value);
    switch (format) {
    case FORMAT_INT:
        return fabs(value) < 0x1p63 ? aw_print_int(out, (int64_t)value)
                                    : out + snprintf(out, AW_NUMBER_MAX, "%.17g", value);
    case FORMAT_FIXED:
        return aw_print_fixed(out, value, decimals);
    default:
        return aw_print_float32(out, (float)value);
    }
}

bool aw_is_boolean(const struct aw_field *row)
{
    const struct aw_name *n = row->names;
    while (n && n->name && (strcmp(n->name, "true") == 0 || strcmp(n->name, "false") == 0))
        n++;
    return n && !n->name;
}

const char *aw_value_special_name(const struct aw_record *record, int scalar)
{
    const struct aw_special *special = record->codec->scalars[scalar].field->special;
    struct aw_range range = aw_scalar_range(record->codec, scalar, record);
    bool matches = special && record->v[scalar] == special->wire * range.scale + range.offset;
    return matches ? special->text : NULL;
}
