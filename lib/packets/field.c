/* Parses a field of a packet file, its type, unit and keys, as a row of a table. */
#include <float.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/number.h"
#include "base/text.h"
#include "packets/parts.h"

/* ---- Types ---- */

static const char types[] = "u8 to u32, s8 to s32, f32, bits:N, sbits:N, text:N, pad:N, "
                            "const:TYPE:VALUE or checksum";

/* Parses the N of a sized type such as "bits:N", from 1 to max. Returns false if it is invalid. */
static bool read_count(const char *text, unsigned max, uint16_t *count)
{
    char *end;
    unsigned long number = *text >= '0' && *text <= '9' ? strtoul(text, &end, 10) : 0;
    if (number < 1 || number > max || *end)
        return false;
    *count = (uint16_t)number;
    return true;
}

struct sized_type {
    const char *name; /* prefix: "bits:" */
    enum aw_type type;
    unsigned max_count, unit_bits; /* maximum N, and bits per N */
};

static bool read_sized(struct aw_field *row, const char *text)
{
    static const struct sized_type sized[] = {{"bits:", AW_UINT, 32, 1},
                                              {"sbits:", AW_SINT, 32, 1},
                                              {"text:", AW_TEXT, AW_TEXT_MAX, 8},
                                              {"pad:", AW_PAD, 64, 8},
                                              {"digits:", AW_DIGITS, 4, 1}};
    for (size_t i = 0; i < sizeof sized / sizeof *sized; i++) {
        size_t length = strlen(sized[i].name);
        if (strncmp(text, sized[i].name, length) != 0)
            continue;
        row->type = sized[i].type;
        bool ok = read_count(text + length, sized[i].max_count, &row->bits);
        row->bits = (uint16_t)(row->bits * sized[i].unit_bits);
        if (row->type != AW_DIGITS)
            return ok;
        row->digits = (uint8_t)row->bits;
        row->bits = 0;
        row->separator = ',';
        return ok;
    }
    return false;
}

static bool read_plain(struct aw_field *row, const char *text)
{
    static const struct {
        const char *name;
        enum aw_type type;
        uint16_t bits;
    } plain[] = {{"u8", AW_UINT, 8},   {"u16", AW_UINT, 16}, {"u24", AW_UINT, 24},
                 {"u32", AW_UINT, 32}, {"s8", AW_SINT, 8},   {"s16", AW_SINT, 16},
                 {"s24", AW_SINT, 24}, {"s32", AW_SINT, 32}, {"f32", AW_FLOAT, 32}};
    for (size_t i = 0; i < sizeof plain / sizeof *plain; i++)
        if (strcmp(text, plain[i].name) == 0) {
            row->type = plain[i].type;
            row->bits = plain[i].bits;
            return true;
        }
    return read_sized(row, text);
}

/* Parses "u8:7" after "const:". */
static bool read_constant(struct aw_field *row, char *text)
{
    struct aw_field coded = {0};
    double value;
    float single;
    char *colon = strrchr(text, ':');
    if (!colon || aw_number_parse(colon + 1, &value, NULL) != AW_OK)
        return false;
    *colon = '\0';
    bool ok = read_plain(&coded, text) && coded.type <= AW_FLOAT;
    *colon = ':';
    if (!ok)
        return false;
    row->type = AW_CONST;
    row->bits = coded.bits;
    single = (float)value;
    if (coded.type == AW_FLOAT) {
        memcpy(&row->constant, &single, sizeof single);
        return fabs(value) <= (double)FLT_MAX;
    }
    double min = coded.type == AW_SINT ? -ldexp(1, coded.bits - 1) : 0;
    double max = ldexp(1, coded.type == AW_SINT ? coded.bits - 1 : coded.bits) - 1;
    if (value < min || value > max || value != floor(value))
        return false;
    row->constant = (uint32_t)(int64_t)value;
    if (coded.bits < 32)
        row->constant &= (UINT32_C(1) << coded.bits) - 1;
    return true;
}

static enum aw_status read_type(struct aw_field *row, bool ascii, char *text, struct aw_error *err)
{
    if (ascii && (!read_sized(row, text) || row->type != AW_DIGITS))
        return aw_fail(err, AW_USAGE,
                       "type '%.40s' not supported in lines of text — use digits:1 to digits:4",
                       text);
    if (ascii)
        return AW_OK;
    bool is_constant = strncmp(text, "const:", 6) == 0;
    bool ok = is_constant ? read_constant(row, text + 6) : read_plain(row, text);
    if (ok && row->type != AW_DIGITS)
        return AW_OK;
    return aw_fail(err, AW_USAGE, "invalid type '%.40s' — use %s", text,
                   is_constant ? "const:TYPE:VALUE with a value in the range of TYPE" : types);
}

/* ---- Keys ---- */

static enum aw_status read_unit(struct aw_field *row, struct aw_store *store, const char *text,
                                struct aw_error *err)
{
    if (strcmp(text, "none") == 0)
        return AW_OK;
    if (!*text || !aw_number_is_unit(text))
        return aw_fail(err, AW_USAGE,
                       "unknown unit '%.40s' — use one such as deg, rad, deg/s, mm, ticks, "
                       "ticks/s, Nm, A, V, ms, %%, or none",
                       text);
    row->unit = aw_store_string(store, text);
    return row->unit ? AW_OK : aw_no_memory(err);
}

/* Parses a scale: a number or a fraction (360/4096). The unit after it is that of the value:
 * 0.0879deg. */
static enum aw_status read_scale(struct aw_field *row, struct aw_store *store, const char *text,
                                 struct aw_error *err)
{
    char number[AW_NUMBER_MAX + 1];
    size_t length = strspn(text, "0123456789.+-eE/");
    if (length == 0 || length >= sizeof number)
        return aw_fail(err, AW_USAGE, "scale: '%.40s' is not a number", text);
    memcpy(number, text, length);
    number[length] = '\0';
    char *slash = strchr(number, '/');
    double divisor = 1;
    if (slash)
        *slash++ = '\0';
    enum aw_status status = aw_number_parse(number, &row->scale, err);
    if (status == AW_OK && slash)
        status = aw_number_parse(slash, &divisor, err);
    if (status == AW_OK &&
        !(fabs(row->scale / divisor) >= 1e-30 && fabs(row->scale / divisor) <= 1e30))
        status = aw_fail(err, AW_USAGE, "scale: '%.40s' is out of range (1e-30 to 1e30)", text);
    row->scale /= divisor;
    return status == AW_OK && text[length] ? read_unit(row, store, text + length, err) : status;
}

static enum aw_status read_no_data(struct aw_field *row, const char *text, struct aw_error *err)
{
    double value;
    enum aw_status status = aw_number_parse(text, &value, err);
    if (status == AW_OK && value != floor(value))
        status = aw_fail(err, AW_USAGE, "no_data: '%.40s' is not a whole number", text);
    else if (status == AW_OK && (value < INT32_MIN || value > INT32_MAX))
        status = aw_fail(err, AW_USAGE, "no_data: '%.40s' is out of range (%d to %d)", text,
                         INT32_MIN, INT32_MAX);
    if (status != AW_OK)
        return status;
    row->has_no_data = true;
    row->no_data = (int32_t)value;
    return AW_OK;
}

/* Parses "off:0,on:1". */
static enum aw_status read_values(struct aw_field *row, struct aw_store *store, char *text,
                                  struct aw_error *err)
{
    size_t n = 0, max_names = 2;
    for (const char *at = text; *at; at++)
        max_names += *at == ',';
    struct aw_name *names = aw_store_alloc(store, max_names * sizeof *names);
    if (!names)
        return aw_no_memory(err);
    for (char *part; (part = aw_next_name(&text, ','));) {
        double value;
        char *colon = strrchr(part, ':');
        if (!colon || aw_number_parse(colon + 1, &value, NULL) != AW_OK || value != floor(value) ||
            fabs(value) > INT32_MAX)
            return aw_fail(err, AW_USAGE,
                           "values: invalid '%.40s' — write NAME:NUMBER, such as off:0,on:1", part);
        *colon = '\0';
        enum aw_status status = aw_packet_check_name(part, "a value", err);
        if (status != AW_OK)
            return status;
        for (size_t i = 0; i < n; i++)
            if (names[i].value == (int32_t)value || strcmp(names[i].name, part) == 0)
                return aw_fail(err, AW_USAGE,
                               "values: duplicate '%.40s' — use each name and number once", part);
        names[n].value = (int32_t)value;
        names[n].name = aw_store_string(store, part);
        if (!names[n++].name)
            return aw_no_memory(err);
    }
    row->names = names;
    return AW_OK;
}

static enum aw_status read_default(struct aw_field *row, const char *text, struct aw_error *err)
{
    row->optional = true;
    for (const struct aw_name *name = row->names; name && name->name; name++)
        if (strcmp(name->name, text) == 0) {
            row->fallback = name->value;
            return AW_OK;
        }
    return aw_number_parse_unit(text, row->unit, &row->fallback, err);
}

enum aw_status aw_packet_parse_endian(enum aw_order *order, const char *value, struct aw_error *err)
{
    *order = strcmp(value, "big") == 0 ? AW_ORDER_BIG : AW_ORDER_LITTLE;
    if (*order == AW_ORDER_BIG || strcmp(value, "little") == 0)
        return AW_OK;
    return aw_fail(err, AW_USAGE, "endian: invalid '%.40s' — write big or little", value);
}

/* Parses the separator between the previous number and this one: a character, or "none". */
static enum aw_status read_separator(struct aw_field *row, const char *value, struct aw_error *err)
{
    bool is_none = strcmp(value, "none") == 0;
    bool is_sign =
        strlen(value) == 1 && !strchr("0123456789-", *value) && *value > ' ' && *value < 0x7F;
    if (row->type != AW_DIGITS)
        return aw_fail(err, AW_USAGE, "before: not supported in binary packets — remove it");
    if (!is_none && !is_sign)
        return aw_fail(err, AW_USAGE,
                       "before: invalid '%.40s' — give one character other than a digit, such as , "
                       "or ;, or none",
                       value);
    row->separator = is_none ? '\0' : *value;
    return AW_OK;
}

/* Unparsed limits of a field. They are parsed after all keys, because they depend on the unit. */
struct limits {
    const char *min, *max, *fallback, *offset;
    enum aw_order order;
};

static enum aw_status read_key(struct aw_field *row, struct aw_store *store, struct limits *limits,
                               char *key, char *value, struct aw_error *err)
{
    static const char *const keys[] = {"scale",   "offset", "min",    "max",   "default",
                                       "no_data", "values", "endian", "before"};
    const char **texts[] = {&limits->offset, &limits->min, &limits->max, &limits->fallback};
    int index = aw_find_name(keys, sizeof keys / sizeof *keys, key);
    switch (index) {
    case 0:
        return read_scale(row, store, value, err);
    case 1:
    case 2:
    case 3:
    case 4:
        *texts[index - 1] = value;
        return AW_OK;
    case 5:
        return read_no_data(row, value, err);
    case 6:
        return read_values(row, store, value, err);
    case 8:
        return read_separator(row, value, err);
    case 7:
        return aw_packet_parse_endian(&limits->order, value, err);
    default:
        return aw_fail(err, AW_USAGE,
                       "unknown key '%.40s' — use scale, offset, min, max, default, no_data, "
                       "values, %s or help",
                       key, row->type == AW_DIGITS ? "before" : "endian");
    }
}

static enum aw_status apply_range(struct aw_field *row, const struct limits *limits,
                                  struct aw_error *err)
{
    if (!limits->min && !limits->max)
        return AW_OK;
    if (!limits->min || !limits->max)
        return aw_fail(err, AW_USAGE, "only one of min and max given — give both, or none");
    enum aw_status status = aw_number_parse_unit(limits->min, row->unit, &row->min, err);
    if (status == AW_OK)
        status = aw_number_parse_unit(limits->max, row->unit, &row->max, err);
    if (status == AW_OK && !(row->min < row->max))
        status = aw_fail(err, AW_USAGE, "min is not below max — give the lower limit first");
    return status;
}

static enum aw_status apply_default(struct aw_field *row, const struct limits *limits,
                                    struct aw_error *err)
{
    enum aw_status status = limits->fallback ? read_default(row, limits->fallback, err) : AW_OK;
    bool outside =
        row->optional && limits->min && !(row->fallback >= row->min && row->fallback <= row->max);
    if (status == AW_OK && outside)
        status = aw_fail(err, AW_USAGE, "default: %s is out of range (%s to %s)", limits->fallback,
                         limits->min, limits->max);
    return status;
}

static enum aw_status apply_limits(struct aw_field *row, const struct limits *limits,
                                   struct aw_error *err)
{
    enum aw_status status = AW_OK;
    if (limits->offset)
        status = aw_number_parse_unit(limits->offset, row->unit, &row->offset, err);
    if (status == AW_OK)
        status = apply_range(row, limits, err);
    return status == AW_OK ? apply_default(row, limits, err) : status;
}

enum aw_status aw_packet_parse_field(struct aw_field *row, enum aw_order *order, bool ascii,
                                     struct aw_store *store, char *line, struct aw_error *err)
{
    struct limits limits = {.min = NULL};
    bool is_first = true;
    char *rest = NULL, *help = strstr(line, " help=");
    if (help) {
        *help = '\0';
        row->help = aw_store_string(store, help + strlen(" help="));
        if (!row->help)
            return aw_no_memory(err);
    }
    char *token = strtok_r(line, " \t", &rest);
    enum aw_status status = read_type(row, ascii, token ? token : "", err);
    while (status == AW_OK && (token = strtok_r(NULL, " \t", &rest))) {
        char *value = strchr(token, '=');
        double number;
        bool no_keys = row->type > AW_FLOAT && row->type != AW_DIGITS;
        if (no_keys)
            return aw_fail(
                err, AW_USAGE,
                "key '%.40s' not supported for text, padding and constants — use help only", token);
        if (value) {
            *value++ = '\0';
            status = read_key(row, store, &limits, token, value, err);
        } else if (aw_number_parse(token, &number, NULL) == AW_OK) {
            limits.fallback = token; /* the 0 in "f32 deg 0" */
        } else if (is_first) {
            status = read_unit(row, store, token, err);
        } else {
            status = aw_fail(err, AW_USAGE, "invalid '%.40s' — write KEY=VALUE%s", token,
                             strchr(token, ':') ? ", without a space after a comma" : "");
        }
        is_first = false;
    }
    *order = limits.order;
    return status == AW_OK ? apply_limits(row, &limits, err) : status;
}
