/* Converts records to frames: checks values against limits, and scales and writes them. */
#include <float.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "base/number.h"
#include "base/text.h"
#include "wire/run.h"

struct full_name {
    char text[64];
};

static struct full_name get_full_name(const struct aw_codec *codec, int scalar)
{
    struct full_name name;
    aw_scalar_name(&codec->scalars[scalar], name.text, sizeof name.text);
    return name;
}

static enum aw_status fail_limit(const struct aw_codec *codec, int scalar, double value,
                                 const struct aw_range *range, struct aw_error *err)
{
    struct full_name name = get_full_name(codec, scalar);
    const char *unit = range->unit ? range->unit : "", *space = range->unit ? " " : "";
    return aw_fail(err, AW_LIMIT, "%s: %s %.*g%s%s is out of range (%.*g to %.*g%s%s)",
                   codec->message->name, name.text, aw_digits_for(value), value, space, unit,
                   aw_digits_for(range->min), range->min, aw_digits_for(range->max), range->max,
                   space, unit);
}

static enum aw_status check_name(const struct aw_codec *codec, int scalar, double value,
                                 struct aw_error *err)
{
    const struct aw_field *row = codec->scalars[scalar].field;
    if (!row->names || row->open_names)
        return AW_OK;
    char list[160] = "";
    for (const struct aw_name *name = row->names; name->name; name++) {
        if (name->value == value)
            return AW_OK;
        aw_append(list, sizeof list, " ", "%s=%d", name->name, name->value);
    }
    return aw_fail(err, AW_LIMIT, "%s: unknown %s %.*g — use one of %s", codec->message->name,
                   get_full_name(codec, scalar).text, aw_digits_for(value), value, list);
}

static bool is_float32(const struct aw_field *row)
{
    return row->type == AW_FLOAT && row->bits == 32;
}

static bool fits_float(double value)
{
    return fabs(value) <= (double)FLT_MAX;
}

/* Returns the largest float for values slightly above it that round to it. As a double, its usual
 * text 3.4028235e+38 is slightly too large. So is 8.50705867e+39 for a float with a scale of 25. */
static double round_to_float(double value)
{
    bool rounds_down = !fits_float(value) && fabs(value) < 0x1.ffffffp127;
    return rounds_down ? copysign((double)FLT_MAX, value) : value;
}

static enum aw_status check_value(const struct aw_codec *codec, int scalar, double value,
                                  const struct aw_range *range, bool force, struct aw_error *err)
{
    const struct aw_field *row = codec->scalars[scalar].field;
    if (!isfinite(value))
        return aw_fail(err, AW_USAGE, "%s: %s is not a finite number", codec->message->name,
                       get_full_name(codec, scalar).text);
    enum aw_status status = codec->raw ? AW_OK : check_name(codec, scalar, value, err);
    if (status != AW_OK || (force && !row->always_limit))
        return status;
    /* Permits nearly half a step of rounding: -179.955 equals -3999 steps of 0.045, and a limit of
     * 0.05 m is its nearest float. */
    double slack = range->scale == 1 || row->type == AW_FLOAT ? 0 : fabs(range->scale) * 0.49;
    bool inside = is_float32(row)
                      ? (float)value >= (float)range->min && (float)value <= (float)range->max
                      : value >= range->min - slack && value <= range->max + slack;
    return inside ? AW_OK : fail_limit(codec, scalar, value, range, err);
}

/* Avoids floor, which is a function call. Doubles from 2^52 on are always integers. */
static bool is_integer(double value)
{
    return fabs(value) >= 0x1p52 || (double)(int64_t)value == value;
}

/* Tolerates the rounding error of values that were decoded with a fractional offset, such as
 * 273.15. */
static bool is_whole(double wire, double value, const struct aw_range *range)
{
    double slack = 2 * DBL_EPSILON * (fabs(value) + fabs(range->offset));
    return is_integer(wire) ||
           (!is_integer(range->offset) && fabs(wire - floor(wire + 0.5)) <= slack);
}

/* Checks a value and converts it to its number on the wire. The caller checks that an integer fits
 * into the field's bits. */
static enum aw_status find_wire_number(const struct aw_record *record, int scalar, bool force,
                                       double *wire, struct aw_error *err)
{
    const struct aw_codec *codec = record->codec;
    const struct aw_field *row = codec->scalars[scalar].field;
    struct aw_range range = aw_scalar_range(codec, scalar, record);
    double value = is_float32(row) ? round_to_float(record->v[scalar]) : record->v[scalar];
    if (isnan(value) && row->has_no_data) {
        *wire = row->no_data;
        return AW_OK;
    }
    enum aw_status status = check_value(codec, scalar, value, &range, force, err);
    if (status != AW_OK)
        return status;
    *wire = (value - range.offset) / range.scale;
    if (row->type == AW_FLOAT) {
        bool is_narrow = is_float32(row);
        *wire = is_narrow ? round_to_float(*wire) : *wire;
        return (is_narrow ? fits_float(*wire) : isfinite(*wire))
                   ? AW_OK
                   : fail_limit(codec, scalar, value, &range, err);
    }
    if (is_integer(range.scale) && !is_whole(*wire, value, &range)) {
        char kind[48] = "whole number";
        if (fabs(range.scale) != 1)
            snprintf(kind, sizeof kind, "multiple of %g", fabs(range.scale));
        return aw_fail(err, AW_USAGE, "%s: %s %.9g is not a %s", codec->message->name,
                       get_full_name(codec, scalar).text, value, kind);
    }
    if (!is_integer(*wire))
        *wire = floor(*wire + 0.5);
    return AW_OK;
}

static bool fits_wire(const struct aw_scalar *scalar, double wire)
{
    int bits = scalar->bits;
    switch (scalar->field->type) {
    case AW_UINT:
        return wire >= 0 && wire < ldexp(1, bits);
    case AW_SIGNMAG:
        return fabs(wire) <= 65535;
    case AW_FLOAT:
        return true;
    default:
        return wire >= -ldexp(1, bits - 1) && wire < ldexp(1, bits - 1);
    }
}

static uint64_t get_float_bits(uint16_t width, double wire)
{
    uint32_t bits;
    uint64_t wide;
    float narrow = width == 64 ? 0 : (float)wire;
    memcpy(&bits, &narrow, sizeof bits);
    memcpy(&wide, &wire, sizeof wide);
    return width == 64 ? wide : bits;
}

static uint64_t get_wire_bits(const struct aw_scalar *row, double wire)
{
    switch (row->field->type) {
    case AW_FLOAT:
        return get_float_bits(row->bits, wire);
    case AW_UINT:
        return (uint64_t)wire;
    default:
        return (uint64_t)(int64_t)wire;
    }
}

static enum aw_status put_value(const struct aw_record *record, int scalar, bool force,
                                uint8_t *out, struct aw_error *err)
{
    const struct aw_codec *codec = record->codec;
    const struct aw_scalar *row = &codec->scalars[scalar];
    double wire;
    if (row->field->type == AW_TEXT) {
        memcpy(out + row->bit / 8, record->text, strnlen(record->text, row->bits / 8u));
        return AW_OK;
    }
    enum aw_status status = find_wire_number(record, scalar, force, &wire, err);
    if (status != AW_OK ||
        codec->protocol->frames.ascii) /* ASCII text is written after all checks */
        return status;
    if (!fits_wire(row, wire))
        return aw_fail(err, AW_LIMIT, "%s: %s %.*g does not fit into its %u bits",
                       codec->message->name, get_full_name(codec, scalar).text,
                       aw_digits_for(record->v[scalar]), record->v[scalar], row->bits);
    bool is_signmag = row->field->type == AW_SIGNMAG;
    if (row->big_endian) {
        aw_bits_put_big(out, row->bit, row->bits, get_wire_bits(row, wire));
        return AW_OK;
    }
    aw_bits_put(out, row->bit, is_signmag ? 16 : row->bits, codec->variant->big_endian,
                is_signmag ? (uint64_t)fabs(wire) : get_wire_bits(row, wire));
    if (is_signmag)
        out[row->bit / 8 + 2] = wire >= 0;
    return AW_OK;
}

/* Checks that the number of repetitions is an integer, because it determines which fields are
 * present. */
static enum aw_status check_counts(const struct aw_record *record, struct aw_error *err)
{
    const struct aw_codec *codec = record->codec;
    if (!codec->masks.counted)
        return AW_OK;
    int scalar = codec->scalars[__builtin_ctzll(codec->masks.counted)].count_by;
    double count = record->v[scalar];
    if (count == floor(count))
        return AW_OK;
    return aw_fail(err, AW_USAGE, "%s: %s %.9g is not a whole number", codec->message->name,
                   codec->scalars[scalar].field->name, count);
}

/* Finds the wire numbers of the present choosers. Absent choosers select no fields. */
static void read_choosers(const struct aw_record *record, double *values)
{
    const struct aw_codec *codec = record->codec;
    for (uint64_t left = codec->masks.chosen; left; left &= left - 1) {
        int chooser = codec->scalars[__builtin_ctzll(left)].chosen_by;
        struct aw_range range = aw_scalar_range(codec, chooser, record);
        values[chooser] = record->present >> chooser & 1
                              ? floor((record->v[chooser] - range.offset) / range.scale + 0.5)
                              : (double)NAN;
    }
}

static enum aw_status fail_not_chosen(const struct aw_codec *codec, int scalar,
                                      struct aw_error *err)
{
    int chooser = codec->scalars[scalar].chosen_by;
    return aw_fail(err, AW_USAGE, "%s: %s not available with this %s — omit it, or give another %s",
                   codec->message->name, get_full_name(codec, scalar).text,
                   get_full_name(codec, chooser).text, get_full_name(codec, chooser).text);
}

enum aw_status aw_record_complete(const struct aw_record *record, struct aw_error *err)
{
    const struct aw_codec *codec = record->codec;
    double choosers[AW_MAX_SCALARS];
    if (codec->message->replaced)
        return aw_fail(err, AW_USAGE,
                       "%s: replaced by another packet in a packet file — send that one instead",
                       codec->message->name);
    read_choosers(record, choosers);
    for (int i = 0; i < codec->n_scalars; i++) {
        const struct aw_scalar *scalar = &codec->scalars[i];
        if (codec->masks.chosen >> i & 1 && !aw_scalar_is_chosen(codec, i, choosers)) {
            if (record->present >> i & 1)
                return fail_not_chosen(codec, i, err);
            continue;
        }
        bool may_omit =
            (scalar->field->may_omit && record->dir == AW_RX) ||
            (scalar->count_by >= 0 && scalar->repetition >= record->v[scalar->count_by]);
        if (!scalar->has_value || record->present >> i & 1 || may_omit)
            continue;
        struct full_name name = get_full_name(codec, i);
        return aw_fail(err, AW_USAGE, "%s: %s is missing — give %s=VALUE", codec->message->name,
                       name.text, name.text);
    }
    return AW_OK;
}

enum aw_status aw_encode(const struct aw_record *record, bool force, uint8_t *out, size_t cap,
                         size_t *size, struct aw_error *err)
{
    const struct aw_codec *codec = record->codec;
    bool ascii = codec->protocol->frames.ascii;
    enum aw_status status = aw_record_complete(record, err);
    if (status == AW_OK)
        status = check_counts(record, err);
    if (status == AW_OK && !ascii && cap < codec->size)
        status = aw_fail(err, AW_LIMIT, "%s: buffer too small for %u bytes", codec->message->name,
                         codec->size);
    if (status != AW_OK)
        return status;
    if (!ascii) {
        memset(out, 0, codec->size);
        *size = codec->size;
    }
    for (int i = 0; i < codec->n_scalars && status == AW_OK; i++) {
        const struct aw_scalar *scalar = &codec->scalars[i];
        if (scalar->has_value && record->present >> i & 1)
            status = put_value(record, i, force, out, err);
        else if (!scalar->has_value && !ascii)
            aw_bits_put(out, scalar->bit, scalar->bits, codec->variant->big_endian,
                        aw_row_constant(codec, scalar, out));
    }
    return status == AW_OK && ascii ? aw_ascii_encode(record, out, cap, size, err) : status;
}
