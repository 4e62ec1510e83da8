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
struct part {
    const char *name;
    struct aw_field row;
    bool bytes; /* its number counts bytes instead of bits */
};

/* clang-format off */
static const struct part packet_parts[] = {
    {"type", AW_EZPHYS_TYPE(0), false},
    {"id", AW_EZPHYS_ID(0), false},
    {"name", AW_EZPHYS_NAME(0), true},
    {"len", AW_EZPHYS_LENGTH(0), false},
    {"pad", AW_EZPHYS_PAD("pad", 0), false},
    {0},
};
static const struct part message_parts[] = {
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

static enum aw_status wrong(const struct parser *r, const char *at, size_t length, const char *why)
{
    return aw_fail(r->err, AW_USAGE, "wire: '%.*s' at column %zu: %s",
                   (int)(length > 40 ? 40 : length), at, (size_t)(at - r->text) + 1, why);
}

static enum aw_status unknown_part(const struct parser *r, const char *at, size_t length,
                                   const struct part *parts)
{
    const char *names[8];
    char word[16], list[64], why[160];
    size_t n = 0, letters = strcspn(at, "0123456789+,");
    for (; parts[n].name; n++)
        names[n] = parts[n].name;
    aw_join(list, sizeof list, ", ", names, n);
    snprintf(word, sizeof word, "%.*s", (int)(letters < length ? letters : length), at);
    const char *near = aw_suggest(word, names, n);
    snprintf(why, sizeof why, "unknown part%s%s%s — use %s, each with its size: %s32",
             near ? ", did you mean " : "", near ? near : "", near ? "?" : "", list, names[0]);
    return wrong(r, at, length, why);
}

static const struct part *find_part(const struct part *parts, const char *at, size_t length)
{
    for (; parts->name; parts++)
        if (aw_is_word(parts->name, at, length))
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
static enum aw_status add_part(const struct parser *r, const struct part *parts, const char *at,
                               size_t length, struct aw_field *rows, size_t *n)
{
    size_t letters = strcspn(at, "0123456789+,");
    const struct part *part = find_part(parts, at, letters < length ? letters : length);
    if (!part)
        return unknown_part(r, at, length, parts);
    char *end;
    unsigned long number = strtoul(at + letters, &end, 10);
    if (letters >= length || end != at + length)
        return wrong(r, at, length, "no size — add it after the name, such as id32 or name32");
    if (part->bytes ? number < 1 || number > 32 : number != 8 && number != 16 && number != 32)
        return wrong(r, at, length,
                     part->bytes ? "size out of range — give 1 to 32 bytes"
                                 : "size not supported — use 8, 16 or 32 bits");
    if (*n == AW_EZPHYS_FRAMING_ROWS - 1)
        return wrong(r, at, length, "too many parts for a header — remove some");
    if (has_row(rows, *n, &part->row))
        return wrong(r, at, length, "duplicate part — remove one");
    rows[*n] = part->row;
    rows[(*n)++].bits = (uint16_t)(part->bytes ? number * 8 : number);
    return AW_OK;
}

/* Parses "size32+count32". */
static enum aw_status read_parts(const struct parser *r, const struct part *parts, const char *at,
                                 size_t length, struct aw_field *rows)
{
    size_t n = 0;
    enum aw_status status = AW_OK;
    memset(rows, 0, AW_EZPHYS_FRAMING_ROWS * sizeof *rows);
    for (const char *end = at + length; status == AW_OK && at <= end;) {
        size_t one = strcspn(at, "+,");
        status = add_part(r, parts, at, one, rows, &n);
        at += one + 1;
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
        return wrong(r, at, length, "no type — add one, such as type32");
    if (aw_rows_have(f->head, AW_UINT) == aw_rows_have(f->head, AW_TEXT))
        return wrong(r, at, length, "must have either an id or a name — add or remove one");
    if (aw_rows_bits(f->head, &f->variant) / 8 > AW_EZPHYS_FRAMING_HEAD)
        return wrong(r, at, length, "header longer than 44 bytes — remove parts");
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
        return wrong(r, at, length, "no size, rest or count — add one of them");
    uint32_t all = (uint32_t)(aw_rows_bits(f->envelope, &f->variant) / 8);
    for (struct aw_field *row = f->envelope; row->type != AW_ROWS_END; row++)
        if (strcmp(row->name, "rest") == 0)
            row->constant = all;
    f->variant.envelope = f->envelope;
    return AW_OK;
}

static enum aw_status set_endian(const struct parser *r, const char *at, size_t length)
{
    bool big = length == 2 && strncmp(at, "be", 2) == 0;
    if (!big && (length != 2 || strncmp(at, "le", 2) != 0))
        return wrong(r, at, length, "not supported — use le or be");
    r->framing->variant.big_endian = big;
    return AW_OK;
}

static enum aw_status set_long(const struct parser *r, const char *at, size_t length)
{
    if (length != 1 || (*at != '4' && *at != '8'))
        return wrong(r, at, length, "not supported — use 4 or 8 bytes");
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

static enum aw_status read_text(struct parser *r, bool *keyed);

static enum aw_status unknown_word(const struct parser *r, const char *at, size_t length)
{
    const char *known[16];
    char word[48], list[100], why[220];
    size_t n = 0;
    for (const struct aw_variant *v = aw_ezphys_protocol.variants; v->name; v++)
        known[n++] = v->name;
    aw_join(list, sizeof list, " ", known, n);
    for (size_t i = 0; i < KEYS; i++)
        known[n++] = keys[i].name;
    snprintf(word, sizeof word, "%.*s", (int)(length < 40 ? length : 40), at);
    const char *near = aw_suggest(word, known, n);
    snprintf(why, sizeof why, "unknown name%s%s%s — use one of %s, or endian=, long=, msg=, pkt=",
             near ? ", did you mean " : "", near ? near : "", near ? "?" : "", list);
    return wrong(r, at, length, why);
}

/* Parses a preset, or a name defined in the config file. */
static enum aw_status read_name(struct parser *r, const char *at, size_t length)
{
    char name[48];
    bool keyed = false;
    snprintf(name, sizeof name, "%.*s", (int)(length < 47 ? length : 47), at);
    const struct aw_variant *preset = aw_protocol_variant(&aw_ezphys_protocol, name);
    if (preset) {
        r->framing->variant = *preset;
        return AW_OK;
    }
    const char *text = r->names && !r->nested ? r->names->find(r->names->context, name) : NULL;
    if (!text)
        return unknown_word(r, at, length);
    struct parser inner = {r->framing, r->names, text, true, r->err};
    return read_text(&inner, &keyed);
}

static enum aw_status read_word(struct parser *r, const char *at, size_t length, bool *keyed)
{
    const char *equals = memchr(at, '=', length);
    if (!equals && *keyed)
        return wrong(r, at, length, "name after a change — write the name first");
    if (!equals)
        return read_name(r, at, length);
    *keyed = true;
    size_t before = (size_t)(equals - at);
    for (size_t i = 0; i < KEYS; i++)
        if (strlen(keys[i].name) == before && strncmp(keys[i].name, at, before) == 0)
            return keys[i].set(r, equals + 1, length - before - 1);
    return unknown_word(r, at, before);
}

static enum aw_status read_text(struct parser *r, bool *keyed)
{
    enum aw_status status = AW_OK;
    const char *at = r->text;
    do {
        size_t length = strcspn(at, ",");
        status = read_word(r, at, length, keyed);
        at += length;
    } while (status == AW_OK && *at++ == ',');
    return status;
}

enum aw_status aw_ezphys_framing_parse(struct aw_ezphys_framing *framing, const char *text,
                                       const struct aw_ezphys_framing_names *names,
                                       struct aw_error *err)
{
    struct parser reading = {framing, names, text, false, err};
    bool keyed = false;
    *framing = (struct aw_ezphys_framing){.variant = aw_ezphys_protocol.variants[0]};
    if (strlen(text) >= AW_EZPHYS_FRAMING_TEXT)
        return aw_fail(err, AW_USAGE, "wire: description longer than %d characters — shorten it",
                       AW_EZPHYS_FRAMING_TEXT - 1);
    return read_text(&reading, &keyed);
}

static char *print_rows(char *out, const struct aw_field *rows)
{
    const char *plus = "";
    for (; rows->type != AW_ROWS_END; rows++) {
        unsigned size = rows->type == AW_TEXT ? rows->bits / 8u : rows->bits;
        const char *name = rows->name && strcmp(rows->name, "length") == 0 ? "len" : rows->name;
        out += sprintf(out, "%s%s%u", plus, name, size);
        plus = "+";
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
