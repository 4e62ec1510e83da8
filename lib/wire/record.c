/* Sets and reads fields of a record by name, from text with units and named values. */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "base/number.h"
#include "base/suggest.h"
#include "base/text.h"
#include "wire/rows.h"

void aw_record_init(struct aw_record *record, const struct aw_codec *codec, enum aw_dir dir)
{
    record->codec = codec;
    record->time_ns = AW_NO_TIME;
    record->dir = dir;
    record->present = 0;
    record->odd_scalar = 0;
    record->text[0] = '\0';
    for (int i = 0; i < codec->n_scalars; i++) {
        const struct aw_field *row = codec->scalars[i].field;
        record->v[i] = row->fallback;
        if (codec->scalars[i].has_value && row->optional)
            record->present |= UINT64_C(1) << i;
    }
}

double aw_record_get(const struct aw_record *record, const char *name)
{
    int scalar = aw_codec_find(record->codec, name);
    return scalar >= 0 && record->present >> scalar & 1 ? record->v[scalar] : (double)NAN;
}

static enum aw_status fail_unknown_field(const struct aw_codec *codec, const char *name,
                                         struct aw_error *err)
{
    static const size_t width = 64;
    char names[AW_MAX_SCALARS][64];
    const char *list[AW_MAX_SCALARS];
    size_t n = 0;
    for (int i = 0; i < codec->n_scalars; i++)
        if (codec->scalars[i].has_value) {
            aw_scalar_name(&codec->scalars[i], names[n], width);
            list[n] = names[n];
            n++;
        }
    char advice[64];
    snprintf(advice, sizeof advice, "see 'describe %s'", codec->message->name);
    return aw_fail_unknown(err, aw_suggest(name, list, n), advice, "%s has no field '%.40s'",
                           codec->message->name, name);
}

static void store_value(struct aw_record *record, int scalar, double value)
{
    record->v[scalar] = value;
    record->present |= UINT64_C(1) << scalar;
}

enum aw_status aw_record_set(struct aw_record *record, const char *name, double value,
                             struct aw_error *err)
{
    int scalar = aw_codec_find(record->codec, name);
    if (scalar < 0)
        return fail_unknown_field(record->codec, name, err);
    if (!isfinite(value))
        return aw_fail(err, AW_USAGE, "%s: %s must be a finite number",
                       record->codec->message->name, name);
    store_value(record, scalar, value);
    return AW_OK;
}

/* Finds a value by its full name. If only named values are valid, a unique prefix of at least three
 * letters also matches. */
static const struct aw_name *find_name(const struct aw_field *row, const char *text)
{
    const struct aw_name *names = row->names, *found = NULL;
    size_t length = strlen(text), n_similar = 0;
    for (; names && names->name; names++) {
        if (strcmp(names->name, text) == 0)
            return names;
        if (length >= 3 && strncmp(names->name, text, length) == 0) {
            found = names;
            n_similar++;
        }
    }
    return n_similar == 1 && !row->open_names ? found : NULL;
}

static enum aw_status fail_named_value(const struct aw_name *names, const char *field,
                                       const char *text, const struct aw_error *number,
                                       struct aw_error *err)
{
    const char *choices[64];
    size_t n = 0;
    for (const struct aw_name *name = names; name && name->name && n < 64; name++)
        choices[n++] = name->name;
    if (n == 0)
        return aw_fail(err, number->status, "%.40s: %s", field, number->text);
    const char *similar = aw_suggest(text, choices, n);
    char list[160];
    aw_join(list, sizeof list, ", ", choices, n);
    if (similar)
        return aw_fail(err, AW_USAGE, "%.40s: unknown value '%.40s' — did you mean '%s'? (%s)",
                       field, text, similar, list);
    return aw_fail(err, AW_USAGE, "%.40s: unknown value '%.40s' — use one of %s", field, text,
                   list);
}

/* Parses a named value, a special value, or "none". */
static bool parse_name(const struct aw_record *record, int scalar, const char *text, double *value)
{
    const struct aw_field *row = record->codec->scalars[scalar].field;
    const struct aw_name *named = record->codec->raw ? NULL : find_name(row, text);
    struct aw_range range = aw_scalar_range(record->codec, scalar, record);
    *value = (double)NAN;
    if (named)
        *value = aw_row_named_value(row, named);
    else if (row->special && strcmp(text, row->special->text) == 0)
        *value = row->special->wire * range.scale + range.offset;
    else
        return row->has_no_data && (strcmp(text, "none") == 0 || strcmp(text, "null") == 0);
    return true;
}

/* Rounds a value that was given in another unit to an integer: "30deg" is 2389.33 ticks. A field
 * without a unit accepts only plain numbers. */
static enum aw_status round_converted(const char *name, const char *text, const char *unit,
                                      double *value, struct aw_error *err)
{
    double plain;
    size_t length = strlen(text), tail = unit ? strlen(unit) : 0;
    bool same_unit = tail && length >= tail && strcmp(text + length - tail, unit) == 0;
    if (same_unit || aw_number_parse(text, &plain, NULL) == AW_OK)
        return AW_OK;
    *value = round(*value);
    if (unit)
        return AW_OK;
    return aw_fail(err, AW_USAGE, "%.40s: '%.40s' has a unit — give a whole number without one",
                   name, text);
}

enum aw_status aw_record_set_text(struct aw_record *record, const char *name, const char *text,
                                  struct aw_error *err)
{
    const struct aw_codec *codec = record->codec;
    int scalar = aw_codec_find(codec, name);
    if (scalar < 0)
        return fail_unknown_field(codec, name, err);
    const struct aw_field *row = codec->scalars[scalar].field;
    if (row->type == AW_TEXT) {
        if (strlen(text) > codec->scalars[scalar].bits / 8u)
            return aw_fail(err, AW_LIMIT, "%.40s: '%.40s' is longer than %u bytes — shorten it",
                           name, text, codec->scalars[scalar].bits / 8u);
        memcpy(record->text, text, strlen(text) + 1);
        store_value(record, scalar, 0);
        return AW_OK;
    }
    double value;
    struct aw_error number;
    enum aw_status status = AW_OK;
    if (parse_name(record, scalar, text, &value)) {
        store_value(record, scalar, value);
        return AW_OK;
    }
    const char *unit = aw_scalar_range(codec, scalar, record).unit;
    if (aw_number_parse_unit(text, unit, &value, &number) != AW_OK)
        return fail_named_value(codec->raw ? NULL : row->names, name, text, &number, err);
    if (row->type != AW_FLOAT && row->type != AW_DIGITS && row->scale == 0)
        status = round_converted(name, text, unit, &value, err);
    if (status == AW_OK)
        store_value(record, scalar, value);
    return status;
}

/* Sets fields whose unit depends on another field last. */
enum aw_status aw_record_set_pairs(struct aw_record *record, const struct aw_pair *pairs, size_t n,
                                   struct aw_error *err)
{
    enum aw_status status = AW_OK;
    for (int pass = 0; pass < 2; pass++)
        for (size_t i = 0; i < n && status == AW_OK; i++) {
            int scalar = aw_codec_find(record->codec, pairs[i].name);
            bool dependent = scalar >= 0 && record->codec->scalars[scalar].scale_by >= 0;
            if (dependent == pass)
                status = aw_record_set_text(record, pairs[i].name, pairs[i].text, err);
        }
    return status;
}
