/* Encodes and decodes messages of ASCII protocols: letters and decimal digits. */
#include <ctype.h>
#include <math.h>
#include <string.h>

#include "base/number.h"
#include "wire/run.h"

/* Maximum digits of a received number, independent of the width when sent. */
#define DIGITS_READ 4

struct writer {
    uint8_t *at, *end;
};

static void put_char(struct writer *out, char c)
{
    if (out->at < out->end)
        *out->at = (uint8_t)c;
    out->at++;
}

static void put_scalar(struct writer *out, const struct aw_record *record, int i)
{
    const struct aw_scalar *scalar = &record->codec->scalars[i];
    const struct aw_field *row = scalar->field;
    if (row->type == AW_CODE) {
        for (const char *p = record->codec->message->word; *p; p++)
            put_char(out, *p);
    } else if (row->type == AW_CONST) {
        put_char(out, (char)row->constant);
    } else if (record->present >> i & 1) {
        if (row->separator)
            put_char(out, row->separator);
        char text[AW_NUMBER_MAX];
        long value = (long)record->v[i];
        int length = (int)(aw_print_int(text, value < 0 ? -value : value) - text);
        if (value < 0)
            put_char(out, '-');
        for (int n = length; n < row->digits; n++)
            put_char(out, '0');
        for (int n = 0; n < length; n++)
            put_char(out, text[n]);
    }
}

static int get_max_digits(const struct aw_field *row)
{
    return row->digits == 1 ? 1 : DIGITS_READ;
}

enum aw_status aw_ascii_encode(const struct aw_record *record, uint8_t *out, size_t cap,
                               size_t *size, struct aw_error *err)
{
    struct writer writer = {out, out + cap};
    for (int i = 0; i < record->codec->n_scalars; i++) {
        const struct aw_field *row = record->codec->scalars[i].field;
        double value = record->v[i];
        /* A single digit has no room for a sign or a second digit. */
        bool fits = row->digits == 1 ? value >= 0 && value <= 9 : fabs(value) <= 9999;
        if (record->present >> i & 1 && !fits)
            return aw_fail(err, AW_LIMIT, "%s: %s %.*g does not fit into %d digit%s",
                           record->codec->message->name, row->name, aw_digits_for(value), value,
                           get_max_digits(row), row->digits == 1 ? "" : "s");
        put_scalar(&writer, record, i);
    }
    *size = (size_t)(writer.at - out);
    if (*size > cap)
        return aw_fail(err, AW_LIMIT, "%s: buffer too small for %zu bytes",
                       record->codec->message->name, *size);
    return AW_OK;
}

struct reader {
    const uint8_t *at, *end;
};

static bool accept_char(struct reader *in, char c)
{
    if (in->at == in->end || *in->at != (uint8_t)c)
        return false;
    in->at++;
    return true;
}

/* Parses one digit if the wire sends one. Otherwise parses a sign and one to four digits, padded or
 * not. */
static bool parse_number(struct reader *in, const struct aw_field *row, double *value)
{
    int max = get_max_digits(row), n = 0;
    bool negative = max > 1 && accept_char(in, '-');
    *value = 0;
    for (; n < max && in->at < in->end && isdigit(*in->at); n++)
        *value = *value * 10 + (*in->at++ - '0');
    if (negative)
        *value = -*value;
    return n > 0;
}

static bool parse_scalar(struct reader *in, struct aw_record *record, int i, bool *missing)
{
    const struct aw_field *row = record->codec->scalars[i].field;
    if (row->type == AW_CODE) {
        const char *word = record->codec->message->word;
        while (*word && accept_char(in, *word))
            word++;
        return !*word;
    }
    if (row->type == AW_CONST)
        return accept_char(in, (char)row->constant);
    *missing = *missing || (row->may_omit && in->at < in->end && *in->at == '\r');
    if (*missing && row->may_omit) {
        record->present &= ~(UINT64_C(1) << i);
        return true;
    }
    return (!row->separator || accept_char(in, row->separator)) &&
           parse_number(in, row, &record->v[i]);
}

enum aw_status aw_ascii_decode(const struct aw_codec *codec, struct aw_span frame,
                               struct aw_record *record, struct aw_error *err)
{
    struct reader in = {frame.data, frame.data + frame.size};
    bool missing = false;
    for (int i = 0; i < codec->n_scalars; i++) {
        const uint8_t *from = in.at;
        if (!parse_scalar(&in, record, i, &missing))
            return aw_fail(err, AW_MALFORMED, "%s: expected %s at byte %zu", codec->message->name,
                           codec->scalars[i].field->name, (size_t)(from - frame.data));
    }
    if (in.at != in.end)
        return aw_fail(err, AW_MALFORMED, "%s: extra bytes at the end (%zu) — remove them",
                       codec->message->name, (size_t)(in.end - in.at));
    return AW_OK;
}
