/* Generates ROS 2 message types from a protocol table, and CDR data from records. */
#include "ros/types.h"

#include <ctype.h>
#include <math.h>
#include <stdarg.h>
#include <stdio.h>

#include "base/bytes.h"

static const struct {
    const char *name;
    uint8_t size;
} types[] = {
    [AW_CDR_UINT8] = {"uint8", 1},     [AW_CDR_UINT16] = {"uint16", 2},
    [AW_CDR_UINT32] = {"uint32", 4},   [AW_CDR_INT8] = {"int8", 1},
    [AW_CDR_INT16] = {"int16", 2},     [AW_CDR_INT32] = {"int32", 4},
    [AW_CDR_FLOAT32] = {"float32", 4}, [AW_CDR_FLOAT64] = {"float64", 8},
};

/* ---- Layout ---- */

static enum aw_cdr_type choose_integer_type(const struct aw_scalar *scalar)
{
    enum aw_type type = scalar->field->type;
    unsigned bits = scalar->field->upper_bits || scalar->bits == 0 ? 32 : scalar->bits;
    if (type == AW_UINT)
        return bits <= 8 ? AW_CDR_UINT8 : bits <= 16 ? AW_CDR_UINT16 : AW_CDR_UINT32;
    if (type == AW_DIGITS || type == AW_SIGNMAG)
        return AW_CDR_INT32;
    return bits <= 8 ? AW_CDR_INT8 : bits <= 16 ? AW_CDR_INT16 : AW_CDR_INT32;
}

/* Returns the type of a field. A field that may be absent is a float, because "no data" is NaN. */
static enum aw_cdr_type choose_type(const struct aw_scalar *scalar)
{
    const struct aw_field *row = scalar->field;
    bool scaled = (row->scale != 0 && row->scale != 1 && !row->upper_bits) || row->offset != 0;
    if (row->type == AW_FLOAT && !scaled && scalar->scale_by < 0)
        return AW_CDR_FLOAT32;
    bool may_be_absent = row->may_omit || row->has_no_data || scalar->count_by >= 0;
    if (row->type == AW_FLOAT || scaled || scalar->scale_by >= 0 || may_be_absent ||
        scalar->bits > 32)
        return AW_CDR_FLOAT64;
    return choose_integer_type(scalar);
}

void aw_cdr_init(struct aw_cdr *cdr, const struct aw_codec *codec)
{
    size_t at = 0;
    *cdr = (struct aw_cdr){.codec = codec};
    for (uint8_t i = 0; i < codec->n_scalars; i++) {
        const struct aw_scalar *scalar = &codec->scalars[i];
        if (!scalar->has_value)
            continue;
        if (scalar->field->type == AW_TEXT) {
            cdr->has_text = true;
            continue;
        }
        enum aw_cdr_type type = choose_type(scalar);
        size_t size = types[type].size;
        at = (at + size - 1) / size * size;
        cdr->steps[cdr->n++] = (struct aw_cdr_step){i, (uint8_t)type, (uint16_t)at};
        at += size;
    }
    cdr->size = (uint16_t)at;
}

/* ---- Bytes ---- */

static void put_u16(uint8_t *p, uint32_t value)
{
    p[0] = (uint8_t)value;
    p[1] = (uint8_t)(value >> 8);
}

static void put_u64(uint8_t *p, uint64_t value)
{
    value = __BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__ ? value : __builtin_bswap64(value);
    memcpy(p, &value, sizeof value);
}

static void put_f64(uint8_t *p, double value)
{
    uint64_t bits;
    memcpy(&bits, &value, sizeof bits);
    put_u64(p, bits);
}

/* Converts integers without a range check: the wire has already limited them. */
static void put_value(uint8_t *p, unsigned type, double value)
{
    if (type == AW_CDR_FLOAT64)
        put_f64(p, value);
    else if (type == AW_CDR_FLOAT32)
        aw_put_f32(p, (float)value);
    else if (type == AW_CDR_UINT32)
        aw_put_u32(p, (uint32_t)(value >= 0 ? value : 0));
    else if (type == AW_CDR_INT32)
        aw_put_u32(p, (uint32_t)(int32_t)value);
    else if (type == AW_CDR_UINT16 || type == AW_CDR_INT16)
        put_u16(p, (uint32_t)(int32_t)value);
    else
        *p = (uint8_t)(int32_t)value;
}

size_t aw_cdr_write(const struct aw_cdr *cdr, const struct aw_record *record, uint8_t *out)
{
    static const uint8_t little_endian[AW_CDR_HEAD] = {0, 1, 0, 0};
    uint8_t *body = out + AW_CDR_HEAD;
    size_t end = 0;
    memcpy(out, little_endian, sizeof little_endian);
    for (size_t i = 0; i < cdr->n; i++) {
        const struct aw_cdr_step step = cdr->steps[i];
        double value = record->v[step.scalar];
        bool present = record->present >> step.scalar & 1;
        bool is_integer = step.type != AW_CDR_FLOAT32 && step.type != AW_CDR_FLOAT64;
        while (end < step.at)
            body[end++] = 0;
        if (!present || (is_integer && isnan(value)))
            value = is_integer ? 0 : (double)NAN;
        put_value(body + step.at, step.type, value);
        end = step.at + types[step.type].size;
    }
    if (!cdr->has_text)
        return AW_CDR_HEAD + end;
    struct aw_cdr_out text = {.bytes = out, .at = AW_CDR_HEAD + end, .size = AW_CDR_MAX};
    aw_cdr_put_text(&text, record->text);
    return text.at;
}

/* ---- Value by value ---- */

void aw_cdr_begin(struct aw_cdr_out *out, uint8_t *bytes, size_t size)
{
    *out = (struct aw_cdr_out){.bytes = bytes, .at = AW_CDR_HEAD, .size = size};
    memcpy(bytes, (const uint8_t[]){0, 1, 0, 0}, AW_CDR_HEAD);
}

/* Reserves size bytes at a multiple of align. Returns NULL if they do not fit. */
static uint8_t *reserve(struct aw_cdr_out *out, size_t align, size_t size)
{
    size_t gap = (align - (out->at - AW_CDR_HEAD) % align) % align;
    out->overflow = out->overflow || out->size - out->at < gap || out->size - out->at - gap < size;
    if (out->overflow)
        return NULL;
    memset(out->bytes + out->at, 0, gap);
    uint8_t *p = out->bytes + out->at + gap;
    out->at += gap + size;
    return p;
}

void aw_cdr_put_u8(struct aw_cdr_out *out, unsigned value)
{
    uint8_t *p = reserve(out, 1, 1);
    if (p)
        *p = (uint8_t)value;
}

void aw_cdr_put_u32(struct aw_cdr_out *out, uint32_t value)
{
    uint8_t *p = reserve(out, 4, 4);
    if (p)
        aw_put_u32(p, value);
}

void aw_cdr_put_f64(struct aw_cdr_out *out, double value)
{
    uint8_t *p = reserve(out, 8, 8);
    if (p)
        put_f64(p, value);
}

void aw_cdr_put_time(struct aw_cdr_out *out, int64_t time_ns)
{
    int64_t ns = time_ns == AW_NO_TIME || time_ns < 0 ? 0 : time_ns;
    aw_cdr_put_u32(out, (uint32_t)(ns / 1000000000));
    aw_cdr_put_u32(out, (uint32_t)(ns % 1000000000));
}

void aw_cdr_put_bytes(struct aw_cdr_out *out, struct aw_span bytes)
{
    aw_cdr_put_u32(out, (uint32_t)bytes.size);
    uint8_t *p = reserve(out, 1, bytes.size);
    if (p && bytes.size)
        memcpy(p, bytes.data, bytes.size);
}

void aw_cdr_put_text(struct aw_cdr_out *out, const char *text)
{
    aw_cdr_put_bytes(out, (struct aw_span){(const uint8_t *)text, strlen(text) + 1});
}

/* ---- Types ---- */

void aw_cdr_type_name(const char *name, char *out, size_t size)
{
    bool is_upper = true;
    size_t n = 0;
    for (; *name && n + 1 < size; name++) {
        bool is_letter = isalnum((unsigned char)*name);
        if (is_letter)
            out[n++] = is_upper ? (char)toupper((unsigned char)*name) : *name;
        is_upper = !is_letter;
    }
    out[n] = '\0';
}

/* Joins two names to a name that is valid in ROS. Field names consist of lower-case letters, digits
 * and single underscores; constants have capital letters instead. */
static void make_name(char *out, size_t size, const char *first, const char *second,
                      bool is_constant)
{
    size_t n = 0;
    const char *const parts[] = {first, second};
    for (int i = 0; i < 2; i++) {
        if (i && n && *parts[i] && n + 1 < size && out[n - 1] != '_')
            out[n++] = '_';
        for (const char *p = parts[i]; *p && n + 1 < size; p++) {
            int c = (unsigned char)*p;
            if (isalnum(c))
                out[n++] = (char)(is_constant ? toupper(c) : tolower(c));
            else if (n && out[n - 1] != '_')
                out[n++] = '_';
        }
    }
    while (n && out[n - 1] == '_')
        n--;
    out[n] = '\0';
}

struct schema_text {
    char *out;
    size_t size, used;
};

static void __attribute__((format(printf, 2, 3)))
append(struct schema_text *text, const char *format, ...)
{
    va_list args;
    va_start(args, format);
    size_t left = text->size - text->used;
    int n = vsnprintf(text->out + text->used, left, format, args);
    va_end(args);
    text->used += n < 0 ? 0 : (size_t)n < left ? (size_t)n : left - 1;
}

/* Writes the unit and the help text of a field as a comment. */
static void write_comment(struct schema_text *text, const struct aw_scalar *scalar)
{
    const char *unit = scalar->field->unit, *help = scalar->field->help;
    append(text, unit || help ? "  # %s%s%s\n" : "\n", unit ? unit : "", unit && help ? ": " : "",
           help ? help : "");
}

static void write_field(struct schema_text *text, const struct aw_scalar *scalar, const char *type)
{
    const struct aw_field *row = scalar->field;
    char name[80];
    bool is_integer = strncmp(type, "int", 3) == 0 || strncmp(type, "uint", 4) == 0;
    for (const struct aw_name *value = row->names; is_integer && value && value->name; value++) {
        make_name(name, sizeof name, row->name, value->name, true);
        append(text, "%s %s=%d\n", type, name, (int)value->value);
    }
    make_name(name, sizeof name, row->name, "", false);
    append(text, "%s %s", type, name);
    write_comment(text, scalar);
}

/* Finds the group that contains this label. */
static const struct aw_field *find_group(const struct aw_message *message, const char *label)
{
    for (const struct aw_field *row = message->fields; row && row->type != AW_ROWS_END; row++)
        for (const char *const *at = row->type == AW_GROUP ? row->labels : NULL; at && *at; at++)
            if (*at == label)
                return row;
    return NULL;
}

static void write_step(struct schema_text *text, const struct aw_cdr *cdr, size_t step)
{
    const struct aw_cdr_step *at = &cdr->steps[step];
    write_field(text, &cdr->codec->scalars[at->scalar], types[at->type].name);
}

/* Writes the fields. Each label of a group becomes a field, and the whole group has one message
 * type, which the first label defines. */
static void write_steps(struct schema_text *text, struct schema_text *parts,
                        const struct aw_cdr *cdr, const char *package, const char *type)
{
    const struct aw_field *defined = NULL;
    const char *label = NULL;
    for (size_t i = 0; i < cdr->n; i++) {
        const struct aw_scalar *scalar = &cdr->codec->scalars[cdr->steps[i].scalar];
        const struct aw_field *group =
            scalar->label ? find_group(cdr->codec->message, scalar->label) : NULL;
        char part[64], name[80];
        if (!group) {
            write_step(text, cdr, i);
            continue;
        }
        if (scalar->label != label) {
            aw_cdr_type_name(group->name, part, sizeof part);
            make_name(name, sizeof name, scalar->label, "", false);
            append(text, "%s/%s%s %s\n", package, type, part, name);
            if (group != defined)
                append(parts, "%s\nMSG: %s/%s%s\n",
                       "========================================"
                       "========================================",
                       package, type, part);
            label = scalar->label;
        }
        if (group->labels[0] == label)
            write_step(parts, cdr, i);
        defined = group;
    }
}

size_t aw_cdr_schema(const struct aw_cdr *cdr, const char *package, const char *type, char *out,
                     size_t size)
{
    char nested[AW_CDR_SCHEMA_MAX / 2];
    struct schema_text text = {out, size, 0}, parts = {nested, sizeof nested, 0};
    *out = *nested = '\0';
    if (cdr->codec->message->help)
        append(&text, "# %s\n", cdr->codec->message->help);
    write_steps(&text, &parts, cdr, package, type);
    for (int i = 0; cdr->has_text && i < cdr->codec->n_scalars; i++)
        if (cdr->codec->scalars[i].has_value && cdr->codec->scalars[i].field->type == AW_TEXT)
            write_field(&text, &cdr->codec->scalars[i], "string");
    append(&text, "%s", nested);
    return text.used;
}
