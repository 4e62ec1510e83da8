/* Parses a --wire description such as "le32,pkt=type8+id16" into a variant of the table, and prints
 * one. */
#include "protocol/ezphys/framing.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/suggest.h"
#include "base/text.h"
#include "protocol/ezphys/rows.h"
#include "protocol/ezphys/wire.h"
#include "wire/rows.h"

/* A part of a header, before its size is known. */
struct header_part {
    const char *name;
    struct aw_field row;
    bool in_bytes; /* its number counts bytes instead of bits */
};

/* clang-format off */
static const struct header_part packet_parts[] = {
    {"type", AW_EZPHYS_TYPE(0), false},
    {"id", AW_EZPHYS_ID(0), false},
    {"name", AW_EZPHYS_NAME(0), true},
    {"len", AW_EZPHYS_LENGTH(0), false},
    {"pad", AW_EZPHYS_PAD("pad", 0), false},
    {0},
};
static const struct header_part message_parts[] = {
    {"size", AW_EZPHYS_SIZE(0), false},
    {"rest", AW_EZPHYS_REST(0), false},
    {"count", AW_EZPHYS_COUNT(0), false},
    {"pad", AW_EZPHYS_PAD("pad", 0), false},
    {0},
};
/* clang-format on */

/* A description being parsed. */
struct parser {
    struct aw_ezphys_framing *framing;
    const struct aw_ezphys_framing_names *names;
    const char *text; /* the whole description, to compute positions for error messages */
    bool nested;      /* inside a named description */
    struct aw_error *err;
};

static enum aw_status fail_at(const struct parser *r, const char *at, size_t length,
                              const char *problem)
{
    return aw_fail(r->err, AW_USAGE, "wire: '%.*s' at column %zu: %s",
                   (int)(length > 40 ? 40 : length), at, (size_t)(at - r->text) + 1, problem);
}

static enum aw_status fail_unknown_part(const struct parser *r, const char *at, size_t length,
                                        const struct header_part *parts)
{
    const char *names[8];
    char name[16], list[64], problem[160];
    size_t n = 0, name_length = strcspn(at, "0123456789+,");
    for (; parts[n].name; n++)
        names[n] = parts[n].name;
    aw_join(list, sizeof list, ", ", names, n);
    snprintf(name, sizeof name, "%.*s", (int)(name_length < length ? name_length : length), at);
    const char *suggestion = aw_suggest(name, names, n);
    snprintf(problem, sizeof problem, "unknown part%s%s%s — use %s, each with its size: %s32",
             suggestion ? ", did you mean " : "", suggestion ? suggestion : "",
             suggestion ? "?" : "", list, names[0]);
    return fail_at(r, at, length, problem);
}

static const struct header_part *find_part(const struct header_part *parts, const char *at,
                                           size_t length)
{
    for (; parts->name; parts++)
        if (aw_name_equals(parts->name, at, length))
            return parts;
    return NULL;
}

static bool has_row(const struct aw_field *rows, size_t n, const struct aw_field *row)
{
    for (size_t i = 0; i < n; i++)
        if (rows[i].type == row->type && row->type != AW_PAD)
            return true;
    return false;
}

/* Parses "type32" and appends a row for it. */
static enum aw_status add_part(const struct parser *r, const struct header_part *parts,
                               const char *at, size_t length, struct aw_field *rows, size_t *n)
{
    size_t name_length = strcspn(at, "0123456789+,");
    const struct header_part *part =
        find_part(parts, at, name_length < length ? name_length : length);
    if (!part)
        return fail_unknown_part(r, at, length, parts);
    char *end;
    unsigned long number = strtoul(at + name_length, &end, 10);
    if (name_length >= length || end != at + length)
        return fail_at(r, at, length, "no size — add it after the name, such as id32 or name32");
    if (part->in_bytes ? number < 1 || number > 32 : number != 8 && number != 16 && number != 32)
        return fail_at(r, at, length,
                       part->in_bytes ? "size out of range — give 1 to 32 bytes"
                                      : "size not supported — use 8, 16 or 32 bits");
    if (*n == AW_EZPHYS_FRAMING_ROWS - 1)
        return fail_at(r, at, length, "more than 7 parts in a header — remove some");
    if (has_row(rows, *n, &part->row))
        return fail_at(r, at, length, "duplicate part — remove one");
    rows[*n] = part->row;
    rows[(*n)++].bits = (uint16_t)(part->in_bytes ? number * 8 : number);
    return AW_OK;
}

/* Parses "size32+count32". */
static enum aw_status read_parts(const struct parser *r, const struct header_part *parts,
                                 const char *at, size_t length, struct aw_field *rows)
{
    size_t n = 0;
    enum aw_status status = AW_OK;
    memset(rows, 0, AW_EZPHYS_FRAMING_ROWS * sizeof *rows);
    for (const char *end = at + length; status == AW_OK && at <= end;) {
        size_t part_length = strcspn(at, "+,");
        status = add_part(r, parts, at, part_length, rows, &n);
        at += part_length + 1;
    }
    return status;
}

static enum aw_status set_packet(const struct parser *r, const char *at, size_t length)
{
    struct aw_ezphys_framing *f = r->framing;
    enum aw_status status = read_parts(r, packet_parts, at, length, f->head);
    if (status != AW_OK)
        return status;
    if (!aw_rows_have(f->head, AW_CODE))
        return fail_at(r, at, length, "no type — add one, such as type32");
    if (aw_rows_have(f->head, AW_UINT) == aw_rows_have(f->head, AW_TEXT))
        return fail_at(r, at, length, "must have either an id or a name — add or remove one");
    if (aw_rows_bits(f->head, &f->variant) / 8 > AW_EZPHYS_FRAMING_HEAD)
        return fail_at(r, at, length, "header longer than 44 bytes — remove parts");
    f->variant.head = f->head;
    return AW_OK;
}

static enum aw_status set_message(const struct parser *r, const char *at, size_t length)
{
    struct aw_ezphys_framing *f = r->framing;
    f->variant.envelope = NULL;
    if (length == 4 && strncmp(at, "none", 4) == 0)
        return AW_OK;
    enum aw_status status = read_parts(r, message_parts, at, length, f->envelope);
    if (status != AW_OK)
        return status;
    if (!aw_rows_have(f->envelope, AW_LENGTH) && !aw_rows_have(f->envelope, AW_CONST))
        return fail_at(r, at, length, "no size, rest or count — add one of them");
    uint32_t size = (uint32_t)(aw_rows_bits(f->envelope, &f->variant) / 8);
    for (struct aw_field *row = f->envelope; row->type != AW_ROWS_END; row++)
        if (strcmp(row->name, "rest") == 0)
            row->constant = size;
    f->variant.envelope = f->envelope;
    return AW_OK;
}

static enum aw_status set_endian(const struct parser *r, const char *at, size_t length)
{
    bool big = length == 2 && strncmp(at, "be", 2) == 0;
    if (!big && (length != 2 || strncmp(at, "le", 2) != 0))
        return fail_at(r, at, length, "not supported — use le or be");
    r->framing->variant.big_endian = big;
    return AW_OK;
}

static enum aw_status set_long(const struct parser *r, const char *at, size_t length)
{
    if (length != 1 || (*at != '4' && *at != '8'))
        return fail_at(r, at, length, "not supported — use 4 or 8 bytes");
    r->framing->variant.long_bits = *at == '8' ? 64 : 32;
    return AW_OK;
}

static const struct key {
    const char *name;
    enum aw_status (*set)(const struct parser *r, const char *at, size_t length);
} keys[] = {
    {"endian", set_endian},
    {"long", set_long},
    {"msg", set_message},
    {"pkt", set_packet},
};

enum { KEYS = sizeof keys / sizeof *keys };

static enum aw_status read_text(struct parser *r, bool *has_key);

static enum aw_status fail_unknown_name(const struct parser *r, const char *at, size_t length)
{
    const char *names[16];
    char name[48], list[100], problem[220];
    size_t n = 0;
    for (const struct aw_variant *v = aw_ezphys_protocol.variants; v->name; v++)
        names[n++] = v->name;
    aw_join(list, sizeof list, " ", names, n);
    for (size_t i = 0; i < KEYS; i++)
        names[n++] = keys[i].name;
    snprintf(name, sizeof name, "%.*s", (int)(length < 40 ? length : 40), at);
    const char *suggestion = aw_suggest(name, names, n);
    snprintf(problem, sizeof problem,
             "unknown name%s%s%s — use one of %s, or endian=, long=, msg=, pkt=",
             suggestion ? ", did you mean " : "", suggestion ? suggestion : "",
             suggestion ? "?" : "", list);
    return fail_at(r, at, length, problem);
}

/* Parses a preset, or a name defined in the config file. */
static enum aw_status read_name(struct parser *r, const char *at, size_t length)
{
    char name[48];
    bool has_key = false;
    snprintf(name, sizeof name, "%.*s", (int)(length < 47 ? length : 47), at);
    const struct aw_variant *preset = aw_protocol_variant(&aw_ezphys_protocol, name);
    if (preset) {
        r->framing->variant = *preset;
        return AW_OK;
    }
    const char *text = r->names && !r->nested ? r->names->find(r->names->context, name) : NULL;
    if (!text)
        return fail_unknown_name(r, at, length);
    struct parser inner = {r->framing, r->names, text, true, r->err};
    return read_text(&inner, &has_key);
}

static enum aw_status read_item(struct parser *r, const char *at, size_t length, bool *has_key)
{
    const char *equals = memchr(at, '=', length);
    if (!equals && *has_key)
        return fail_at(r, at, length, "name after KEY=VALUE — write the name first");
    if (!equals)
        return read_name(r, at, length);
    *has_key = true;
    size_t key_length = (size_t)(equals - at);
    for (size_t i = 0; i < KEYS; i++)
        if (strlen(keys[i].name) == key_length && strncmp(keys[i].name, at, key_length) == 0)
            return keys[i].set(r, equals + 1, length - key_length - 1);
    return fail_unknown_name(r, at, key_length);
}

static enum aw_status read_text(struct parser *r, bool *has_key)
{
    enum aw_status status = AW_OK;
    const char *at = r->text;
    do {
        size_t length = strcspn(at, ",");
        status = read_item(r, at, length, has_key);
        at += length;
    } while (status == AW_OK && *at++ == ',');
    return status;
}

enum aw_status aw_ezphys_framing_parse(struct aw_ezphys_framing *framing, const char *text,
                                       const struct aw_ezphys_framing_names *names,
                                       struct aw_error *err)
{
    struct parser parser = {framing, names, text, false, err};
    bool has_key = false;
    *framing = (struct aw_ezphys_framing){.variant = aw_ezphys_protocol.variants[0]};
    if (strlen(text) >= AW_EZPHYS_FRAMING_TEXT)
        return aw_fail(err, AW_USAGE, "wire: description longer than %d characters — shorten it",
                       AW_EZPHYS_FRAMING_TEXT - 1);
    return read_text(&parser, &has_key);
}

static char *print_rows(char *out, const struct aw_field *rows)
{
    const char *separator = "";
    for (; rows->type != AW_ROWS_END; rows++) {
        unsigned size = rows->type == AW_TEXT ? rows->bits / 8u : rows->bits;
        const char *name = rows->name && strcmp(rows->name, "length") == 0 ? "len" : rows->name;
        out += sprintf(out, "%s%s%u", separator, name, size);
        separator = "+";
    }
    return out;
}

size_t aw_ezphys_framing_print(const struct aw_variant *variant, char out[AW_EZPHYS_FRAMING_TEXT])
{
    char *p = out;
    p += sprintf(p, "endian=%s,long=%d,msg=", variant->big_endian ? "be" : "le",
                 variant->long_bits == 64 ? 8 : 4);
    if (variant->envelope)
        p = print_rows(p, variant->envelope);
    else
        p += sprintf(p, "none");
    p += sprintf(p, ",pkt=");
    return (size_t)(print_rows(p, variant->head) - out);
}
