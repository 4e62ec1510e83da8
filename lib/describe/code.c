/* The messages as C: structures, pack and unpack, for whoever is at the other end. */
#include <ctype.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/text.h"
#include "describe/parts.h"
#include "wire/can_id.h"
#include "wire/rows.h"
#include "wire/run.h"

/* pack.h as an array of characters, made by the Makefile; it uses nothing of what follows it. */
#include "pack.inc"

enum kind {
    TEXT,
    DIGITS,
    MAGNITUDE,
    WHOLE, /* an integer */
    STEPS, /* a double that is an integer on the wire */
    REAL,
    DOUBLE,
    SCALED, /* a double that is a float on the wire */
};

struct writer {
    FILE *out;
    struct aw_wire *wire;
    const struct aw_codec *codec;
    char name[160], upper[160]; /* hidmotor_positions_rx */
};

static enum kind kind_of(const struct aw_field *row)
{
    bool whole = row->scale == floor(row->scale) && row->offset == floor(row->offset);
    switch (row->type) {
    case AW_TEXT:
        return TEXT;
    case AW_DIGITS:
        return DIGITS;
    case AW_SIGNMAG:
        return MAGNITUDE;
    case AW_FLOAT:
        if (row->bits == 64)
            return DOUBLE;
        return row->scale == 0 && row->offset == 0 && !row->by && !row->has_no_data ? REAL : SCALED;
    default:
        return whole && !row->by && !row->has_no_data ? WHOLE : STEPS;
    }
}

/* Bytes of the identifier in the engine's frame. */
static unsigned head_size(const struct aw_codec *codec)
{
    return codec->protocol->can ? aw_can_head_bits(codec) / 8 : 0;
}

/* A word that is one of C's is no name. */
static bool is_keyword(const char *text)
{
    static const char *const words[] = {
        "auto",     "break",  "case",   "char",     "const",    "continue", "default",  "do",
        "double",   "else",   "enum",   "extern",   "float",    "for",      "goto",     "if",
        "inline",   "int",    "long",   "register", "restrict", "return",   "short",    "signed",
        "sizeof",   "static", "struct", "switch",   "typedef",  "union",    "unsigned", "void",
        "volatile", "while",  "bool",   "true",     "false",    NULL};
    return aw_is_one_of(words, text);
}

/* The text with an underscore for each character that an identifier has not. */
static void put_identifier(struct aw_part *part, const char *text)
{
    bool alone = part->length == 0 || part->text[part->length - 1] == '.' ||
                 part->text[part->length - 1] == '>';
    if (alone && isdigit((unsigned char)*text))
        aw_part_add(part, "_");
    if (alone && is_keyword(text))
        aw_part_add(part, "%s_", text), text = "";
    for (; *text; text++)
        aw_part_add(part, "%c", isalnum((unsigned char)*text) ? *text : '_');
}

static struct aw_part upper_case(const char *text)
{
    struct aw_part part = {0};
    put_identifier(&part, text);
    for (char *p = part.text; *p; p++)
        *p = (char)toupper((unsigned char)*p);
    return part;
}

/* Another message is called so, as far as an identifier says it. */
static bool is_twice(const struct aw_codec *codec)
{
    const struct aw_protocol *protocol = codec->protocol;
    struct aw_part name = {0};
    put_identifier(&name, codec->message->name);
    for (size_t i = 0; i < protocol->n_messages; i++) {
        struct aw_part other = {0};
        const char *text = protocol->messages[i].name;
        put_identifier(&other, text);
        if (strcmp(other.text, name.text) == 0 && strcmp(text, codec->message->name) != 0)
            return true;
    }
    return false;
}

void aw_part_message(struct aw_part *part, const struct aw_codec *codec)
{
    const struct aw_protocol *protocol = codec->protocol;
    size_t same = 0;
    for (size_t i = 0; i < protocol->n_messages; i++)
        same += strcmp(protocol->messages[i].name, codec->message->name) == 0;
    put_identifier(part, codec->message->name);
    if (same > 1)
        aw_part_add(part, codec->message->dir == AW_TX ? "_tx" : "_rx");
    else if (aw_is_placed(codec) && is_twice(codec))
        aw_part_add(part, "_%lx", (unsigned long)codec->message->code);
}

static const char *order(const struct aw_codec *codec, const struct aw_scalar *scalar)
{
    return aw_is_big(codec, scalar) ? "PACK_BIG" : "PACK_LITTLE";
}

/* The integer that holds every number of the wire. */
static void integer_type(struct aw_part *part, const struct aw_codec *codec, int scalar)
{
    struct aw_field plain = *codec->scalars[scalar].field;
    struct aw_codec copy = {.protocol = codec->protocol, .n_scalars = 1};
    plain.min = plain.max = 0;
    copy.scalars[0] = codec->scalars[scalar];
    copy.scalars[0].field = &plain;
    struct aw_range range = aw_scalar_range(&copy, 0, NULL);
    unsigned bits = 8;
    bool negative = range.min < 0;
    while (bits < 64 &&
           (range.max >= ldexp(1, (int)bits - negative) || range.min < -ldexp(1, (int)bits - 1)))
        bits *= 2;
    aw_part_add(part, "%sint%u_t", negative ? "" : "u", bits);
}

static void print_type(const struct writer *w, int scalar)
{
    static const char *const types[] = {
        [DIGITS] = "int16_t", [MAGNITUDE] = "int32_t", [STEPS] = "double", [REAL] = "float",
        [SCALED] = "double",  [TEXT] = "char",         [DOUBLE] = "double"};
    struct aw_part type = {0};
    enum kind kind = kind_of(w->codec->scalars[scalar].field);
    if (kind == WHOLE)
        integer_type(&type, w->codec, scalar);
    fprintf(w->out, "%s", kind == WHOLE ? type.text : types[kind]);
}

/* What is in a comment must not end it. */
static void print_comment(FILE *out, const char *text)
{
    for (; *text; text++)
        fputc(*text == '/' && text[1] == '*'   ? ' '
              : *text == '*' && text[1] == '/' ? ' '
                                               : *text,
              out);
}

static void print_member(const struct writer *w, int i, const char *indent)
{
    const struct aw_scalar *scalar = &w->codec->scalars[i];
    const struct aw_field *row = scalar->field;
    struct aw_part name = {0}, range = {0};
    if (!scalar->value || scalar->bits + row->digits == 0)
        return;
    put_identifier(&name, row->name);
    aw_part_range(&range, w->codec, i);
    fputs(indent, w->out);
    print_type(w, i);
    fprintf(w->out, " %s", name.text);
    if (row->type == AW_TEXT)
        fprintf(w->out, "[%u]", scalar->bits / 8u + 1);
    fputs("; /* ", w->out);
    if (row->unit) {
        print_comment(w->out, row->unit);
        fputs(", ", w->out);
    }
    print_comment(w->out, range.text);
    if (row->help) {
        fputs(range.length ? "; " : "", w->out);
        print_comment(w->out, row->help);
    }
    fputs(" */\n", w->out);
}

/* The rows of the repetition that begins at scalar i; returns the first one behind it. */
static int repetition_end(const struct aw_codec *codec, int i)
{
    int end = i;
    while (end < codec->n_scalars && codec->scalars[end].label &&
           strcmp(codec->scalars[end].label, codec->scalars[i].label) == 0)
        end++;
    return end;
}

/* A group is one type with as many members as it has labels. Returns the first scalar behind it. */
static int print_group(const struct writer *w, int i)
{
    const struct aw_codec *codec = w->codec;
    int end = repetition_end(codec, i);
    fputs("    struct {\n", w->out);
    for (int k = i; k < end; k++)
        print_member(w, k, "        ");
    fputs("    }", w->out);
    for (int from = i; from < codec->n_scalars && codec->scalars[from].label &&
                       codec->scalars[from].field == codec->scalars[i].field;
         from = end) {
        struct aw_part label = {0};
        put_identifier(&label, codec->scalars[from].label);
        fprintf(w->out, "%s %s", from > i ? "," : "", label.text);
        end = repetition_end(codec, from);
    }
    fputs(";\n", w->out);
    return end;
}

static void print_struct(const struct writer *w)
{
    fprintf(w->out, "struct %s {\n", w->name);
    for (int i = 0; i < w->codec->n_scalars;)
        if (w->codec->scalars[i].label)
            i = print_group(w, i);
        else
            print_member(w, i++, "    ");
    fputs("};\n\n", w->out);
}

static struct aw_part number(double value)
{
    struct aw_part part = {0};
    if (value <= -9223372036854775808.0 &&
        value >= -9223372036854775808.0) /* as it stands it is no number of C */
        aw_part_add(&part, "INT64_MIN");
    else
        aw_part_number(&part, value);
    return part;
}

/* Names of a DBC file are any text, and two may be one as an identifier: the first one counts. */
static void print_name(const struct writer *w, const struct aw_field *row,
                       const struct aw_name *name)
{
    struct aw_part word = {0};
    aw_part_add(&word, "%s_%s_%s", w->upper, upper_case(row->name).text,
                upper_case(name->name).text);
    if (!row->placed) {
        fprintf(w->out, "#define %s %d\n", word.text, name->value);
        return;
    }
    fprintf(w->out, "#ifndef %s\n#define %s %s\n#endif\n", word.text, word.text,
            number(aw_row_named_value(row, name)).text);
}

static void print_names(const struct writer *w)
{
    for (int i = 0; i < w->codec->n_scalars; i++) {
        const struct aw_field *row = w->codec->scalars[i].field;
        if (!row->names || !w->codec->scalars[i].value || aw_is_repeated(w->codec, i))
            continue;
        for (const struct aw_name *name = row->names; name->name; name++)
            print_name(w, row, name);
    }
}

static bool is_member(const struct aw_scalar *scalar)
{
    return scalar->value && scalar->bits + scalar->field->digits > 0;
}

/* A message without values has no structure: C99 has no empty one. */
static bool has_members(const struct aw_codec *codec)
{
    for (int i = 0; i < codec->n_scalars; i++)
        if (is_member(&codec->scalars[i]))
            return true;
    return false;
}

/* "in->m1.position" */
static struct aw_part member(const char *of, const struct aw_scalar *scalar)
{
    struct aw_part part = {0};
    aw_part_add(&part, "%s", of);
    if (scalar->label) {
        put_identifier(&part, scalar->label);
        aw_part_add(&part, ".");
    }
    put_identifier(&part, scalar->field->name);
    return part;
}

/* What an integer's limits are in C: a double has not all digits of the largest ones. */
static struct aw_part whole(double value)
{
    struct aw_part part = {0};
    if (value >= 9e18)
        aw_part_add(&part, "INT64_MAX");
    else if (value <= -9e18)
        aw_part_add(&part, "INT64_MIN");
    else
        aw_part_add(&part, "%lld", (long long)value);
    return part;
}

static void print_named(const struct writer *w, const struct aw_scalar *scalar)
{
    const struct aw_field *row = scalar->field;
    struct aw_part from = member("in->", scalar);
    if (!row->names || row->open_names)
        return;
    fputs("    ok = ok && (", w->out);
    for (const struct aw_name *name = row->names; name->name; name++)
        fprintf(w->out, "%s%s == %d", name == row->names ? "" : " || ", from.text, name->value);
    fputs(");\n", w->out);
}

/* A number of the range, as the functions of the kind take it. */
static struct aw_part constant(enum kind kind, double value)
{
    struct aw_part part = {0};
    if (kind == WHOLE || kind == MAGNITUDE)
        return whole(value);
    if (kind != DOUBLE)
        return number(value);
    aw_part_number(&part, value);
    return part;
}

static void print_put(const struct writer *w, int i, const struct aw_range *range,
                      const char *indent)
{
    static const char *const names[] = {
        [MAGNITUDE] = "magnitude", [WHOLE] = "int",  [STEPS] = "steps",
        [DOUBLE] = "double",       [REAL] = "float", [SCALED] = "float"};
    const struct aw_scalar *scalar = &w->codec->scalars[i];
    const enum kind kind = kind_of(scalar->field);
    struct aw_part from = member("in->", scalar);
    if (kind == TEXT) {
        fprintf(w->out, "%spack_put_text(frame + %u, %u, %s);\n", indent, scalar->bit / 8u,
                scalar->bits / 8u, from.text);
        return;
    }
    fprintf(w->out, "%sok = pack_put_%s(frame, %u, ", indent, names[kind],
            kind == MAGNITUDE ? scalar->bit / 8u : scalar->bit);
    if (kind == WHOLE || kind == STEPS)
        fprintf(w->out, "%u, ", scalar->bits);
    fprintf(w->out, "%s, %s%s, ", order(w->codec, scalar), kind == WHOLE ? "(int64_t)" : "",
            from.text);
    if (kind != MAGNITUDE)
        fprintf(w->out, "%s, %s, ", constant(kind, range->scale).text,
                constant(kind, range->offset).text);
    fprintf(w->out, "%s, %s) && ok;\n", constant(kind, range->min).text,
            constant(kind, range->max).text);
}

static void print_get(const struct writer *w, int i, const struct aw_range *range,
                      const char *indent)
{
    const struct aw_scalar *scalar = &w->codec->scalars[i];
    const enum kind kind = kind_of(scalar->field);
    const char *get = scalar->field->type == AW_UINT ? "pack_get_long" : "pack_get_signed";
    const char *ends = order(w->codec, scalar);
    struct aw_part to = member("out->", scalar);
    bool scaled =
        kind == WHOLE ? range->scale != 1 || range->offset != 0 : kind == STEPS || kind == SCALED;
    if (kind == TEXT) {
        fprintf(w->out, "%spack_get_text(frame + %u, %u, %s);\n", indent, scalar->bit / 8u,
                scalar->bits / 8u, to.text);
        return;
    }
    fprintf(w->out, "%s%s = ", indent, to.text);
    if (kind == WHOLE || kind == STEPS) {
        fputs("(", w->out);
        print_type(w, i);
        fprintf(w->out, ")%s%s(frame, %u, %u, %s)", kind == WHOLE && scaled ? "((int64_t)" : "",
                get, scalar->bit, scalar->bits, ends);
    } else if (kind == MAGNITUDE)
        fprintf(w->out, "pack_get_magnitude(frame, %u, %s)", scalar->bit / 8u, ends);
    else if (kind == DOUBLE)
        fprintf(w->out, "pack_get_double(frame, %u, %s, %s, %s)", scalar->bit, ends,
                number(range->scale).text, number(range->offset).text);
    else
        fprintf(w->out, "%spack_float(pack_get(frame, %u, 32, %s))", scaled ? "(double)" : "",
                scalar->bit, ends);
    if (scaled)
        fprintf(w->out, " * %s + %s%s", constant(kind, range->scale).text,
                constant(kind, range->offset).text, kind == WHOLE ? ")" : "");
    fputs(";\n", w->out);
}

typedef void print_value(const struct writer *w, int i, const struct aw_range *range,
                         const char *indent);

/* A field whose scale another one chooses is a choice in C, too. */
static void print_choices(const struct writer *w, int i, const char *of, print_value *print)
{
    const struct aw_scalar *scalar = &w->codec->scalars[i];
    struct aw_part by = member(of, &w->codec->scalars[scalar->by]);
    for (size_t n = 0; n < scalar->field->n_scales; n++) {
        const struct aw_scale *scale = &scalar->field->scales[n];
        struct aw_range range = {scale->unit, scale->scale, 0, scale->min, scale->max};
        fprintf(w->out, "    %sif (%s == %d)\n", n ? "else " : "", by.text, scale->when);
        print(w, i, &range, "        ");
    }
}

/* The identifier of a packet of a file is compared as a whole. */
static bool is_in_id(const struct aw_codec *codec, const struct aw_scalar *scalar)
{
    return codec->protocol->can && codec->message->head && scalar->bit < aw_can_head_bits(codec);
}

/* "if (…) {": a field that others choose. */
static void print_if_chosen(const struct writer *w, int i)
{
    const struct aw_scalar *scalars = w->codec->scalars;
    fputs("    if (", w->out);
    for (int at = i; scalars[at].chooser >= 0; at = scalars[at].chooser) {
        const struct aw_scalar *by = &scalars[scalars[at].chooser];
        const struct aw_choice *choice = scalars[at].field->choices;
        fputs(at == i ? "(" : " && (", w->out);
        for (; choice->least <= choice->most; choice++)
            fprintf(w->out, "%spack_in(frame, %u, %u, %s, %s, %s, %s)",
                    choice > scalars[at].field->choices ? " || " : "", by->bit, by->bits,
                    order(w->codec, by), by->field->type == AW_UINT ? "false" : "true",
                    whole((double)choice->least).text, whole((double)choice->most).text);
        fputs(")", w->out);
    }
    fputs(") {\n", w->out);
}

/* How many choosers are above it. */
static int depth(const struct aw_codec *codec, int i)
{
    int n = 0;
    for (; codec->scalars[i].chooser >= 0; n++)
        i = codec->scalars[i].chooser;
    return n;
}

static void print_pack_row(const struct writer *w, int i)
{
    const struct aw_scalar *scalar = &w->codec->scalars[i];
    const struct aw_field *row = scalar->field;
    struct aw_range range = aw_scalar_range(w->codec, i, NULL);
    struct aw_part from = member("in->", scalar);
    if (!scalar->value) {
        unsigned long long fixed =
            row->type == AW_CHECKSUM ? 0 : aw_fixed_value(w->codec, scalar, NULL);
        if (fixed && !is_in_id(w->codec, scalar))
            fprintf(w->out, "    pack_put(frame, %u, %u, %s, %llu);\n", scalar->bit, scalar->bits,
                    order(w->codec, scalar), fixed);
        if (row->type == AW_CHECKSUM)
            fprintf(w->out, "    frame[%u] = pack_checksum(frame + %u, %u);\n", scalar->bit / 8u,
                    w->codec->protocol->checksum_from,
                    scalar->bit / 8u - w->codec->protocol->checksum_from);
        return;
    }
    if (scalar->count >= 0)
        fprintf(w->out, "    if (%s > %u) {\n",
                member("in->", &w->codec->scalars[scalar->count]).text, scalar->repetition);
    if (scalar->chooser >= 0)
        print_if_chosen(w, i);
    if (row->has_no_data)
        fprintf(w->out,
                "    if (pack_is_none(%s))\n"
                "        pack_put(frame, %u, %u, %s, (uint32_t)%d);\n"
                "    else\n    ",
                from.text, scalar->bit, scalar->bits, order(w->codec, scalar), row->no_data);
    print_named(w, scalar);
    if (row->by)
        print_choices(w, i, "in->", print_put);
    else
        print_put(w, i, &range, scalar->count >= 0 || scalar->chooser >= 0 ? "        " : "    ");
    if (scalar->count >= 0 || scalar->chooser >= 0)
        fputs("    }\n", w->out);
}

/* A row that says how many repetitions there are is a whole number within its limits. */
static void print_count_check(const struct writer *w, const char *of)
{
    if (!w->codec->counted)
        return;
    int count = w->codec->scalars[__builtin_ctzll(w->codec->counted)].count;
    const struct aw_field *row = w->codec->scalars[count].field;
    struct aw_part from = member(of, &w->codec->scalars[count]);
    fprintf(
        w->out, "    if (!(%s >= %g && %s <= %g) || %s != (float)(int)%s)\n        return %s;\n",
        from.text, row->min, from.text, row->max, from.text, from.text, *of == 'i' ? "0" : "false");
}

static void print_pack(const struct writer *w)
{
    const struct aw_codec *codec = w->codec;
    bool can = codec->protocol->can, any = has_members(codec);
    unsigned data = codec->size - head_size(codec);
    fprintf(w->out, "static inline size_t pack_%s(", w->name);
    if (any)
        fprintf(w->out, "const struct %s *in, ", w->name);
    fprintf(w->out, can ? "uint32_t *id, uint8_t data[%u])\n{\n" : "uint8_t frame[%u])\n{\n",
            data ? data : 1);
    fputs("    bool ok = true;\n", w->out);
    if (can)
        fprintf(w->out, "    uint8_t frame[%u];\n", codec->size);
    fprintf(w->out, "    memset(frame, 0, %u);\n", codec->size);
    print_count_check(w, "in->");
    /* What chooses is written before what it chooses. */
    for (int deep = 0, left = codec->n_scalars; left > 0; deep++)
        for (int i = 0; i < codec->n_scalars; i++) {
            left -= depth(codec, i) == deep;
            if (codec->scalars[i].bits && depth(codec, i) == deep)
                print_pack_row(w, i);
        }
    if (can && codec->message->head)
        fprintf(w->out, "    *id = %s_ID;\n", w->upper);
    else if (can)
        fputs("    *id = pack_get(frame, 0, 16, PACK_LITTLE);\n", w->out);
    if (can)
        fprintf(w->out, "    memcpy(data, frame + %u, %u);\n", head_size(codec), data);
    fprintf(w->out, "    return ok ? %u : 0;\n}\n\n", data);
}

static void print_fixed_checks(const struct writer *w)
{
    const struct aw_codec *codec = w->codec;
    for (uint64_t left = codec->fixed; left; left &= left - 1) {
        const struct aw_scalar *scalar = &codec->scalars[__builtin_ctzll(left)];
        if (is_in_id(codec, scalar))
            continue;
        if (scalar->field->type == AW_CHECKSUM)
            fprintf(w->out,
                    "    if (frame[%u] != pack_checksum(frame + %u, %u))\n        return false;\n",
                    scalar->bit / 8u, codec->protocol->checksum_from,
                    scalar->bit / 8u - codec->protocol->checksum_from);
        else
            fprintf(w->out, "    if (pack_get(frame, %u, %u, %s) != %llu)\n        return false;\n",
                    scalar->bit, scalar->bits, order(w->codec, scalar),
                    (unsigned long long)aw_fixed_value(codec, scalar, NULL));
    }
}

static void print_no_data(const struct writer *w, int i)
{
    const struct aw_scalar *scalar = &w->codec->scalars[i];
    const struct aw_scalar *of = scalar->with >= 0 ? &w->codec->scalars[scalar->with] : scalar;
    unsigned long long mask = of->bits < 32 ? (1ull << of->bits) - 1 : UINT32_MAX;
    if (scalar->field->has_no_data)
        fprintf(w->out,
                "    if (pack_get(frame, %u, %u, %s) == %lluu)\n        %s = pack_none();\n",
                of->bit, of->bits, order(w->codec, of), (unsigned)of->field->no_data & mask,
                member("out->", scalar).text);
}

static void print_unpack_row(const struct writer *w, int i)
{
    const struct aw_scalar *scalar = &w->codec->scalars[i];
    const struct aw_field *row = scalar->field;
    struct aw_range range = aw_scalar_range(w->codec, i, NULL);
    bool may_miss = scalar->count >= 0 || scalar->chooser >= 0;
    const char *indent = may_miss ? "        " : "    ";
    if (scalar->chooser >= 0)
        print_if_chosen(w, i);
    if (scalar->count >= 0)
        fprintf(w->out, "    if (%s > %u) {\n",
                member("out->", &w->codec->scalars[scalar->count]).text, scalar->repetition);
    if (row->by)
        print_choices(w, i, "out->", print_get);
    else
        print_get(w, i, &range, indent);
    if (row->type == AW_FLOAT)
        fprintf(w->out, "%sok = ok && pack_is_finite((double)%s);\n", indent,
                member("out->", scalar).text);
    print_no_data(w, i);
    if (may_miss)
        fputs("    }\n", w->out);
}

static void print_unpack(const struct writer *w)
{
    const struct aw_codec *codec = w->codec;
    bool can = codec->protocol->can, any = has_members(codec);
    unsigned head = head_size(codec), data = codec->size - head;
    fprintf(w->out, "static inline bool unpack_%s(", w->name);
    if (any)
        fprintf(w->out, "struct %s *out, ", w->name);
    if (can && codec->message->head)
        fprintf(w->out,
                "uint32_t id, const uint8_t *data, size_t size)\n{\n"
                "    uint8_t frame[%u] = {0};\n"
                "    if (size + 1 < %u + 1 || id != %s_ID)\n        return false;\n"
                "    memcpy(frame + %u, data, %u);\n",
                codec->size, data, w->upper, head, data);
    else if (can)
        fprintf(w->out,
                "uint32_t id, const uint8_t *data, size_t size)\n{\n"
                "    uint8_t frame[%u] = {(uint8_t)id, (uint8_t)(id >> 8)};\n"
                "    if (size < %u || id > 0x7FF)\n        return false;\n"
                "    memcpy(frame + 2, data, %u);\n",
                codec->size, data, data);
    else
        fprintf(w->out,
                "const uint8_t *frame, size_t size)\n{\n    if (size != %u)\n"
                "        return false;\n",
                codec->size);
    print_fixed_checks(w);
    fputs("    bool ok = true;\n", w->out);
    if (any)
        fputs("    memset(out, 0, sizeof *out);\n", w->out);
    /* What chooses a scale, and what counts, is read before what it chooses. */
    for (int late = 0; late < 2; late++)
        for (int i = 0; i < codec->n_scalars; i++) {
            if (late && i == 0)
                print_count_check(w, "out->");
            if (is_member(&codec->scalars[i]) &&
                (codec->scalars[i].by >= 0 || codec->scalars[i].count >= 0) == late)
                print_unpack_row(w, i);
        }
    fputs("    return ok;\n}\n\n", w->out);
}

/* ---- Lines of text ---- */

static void print_c_text(FILE *out, const char *text)
{
    fputc('"', out);
    for (; *text; text++)
        fprintf(out, *text == '\r' ? "\\r" : *text == '\n' ? "\\n" : "%c", *text);
    fputc('"', out);
}

static void print_word(const struct writer *w, const struct aw_field *row, const char *verb)
{
    const char constant[] = {(char)row->constant, '\0'};
    fprintf(w->out, "    pack_%s(&line, ", verb);
    print_c_text(w->out, row->type == AW_CODE ? w->codec->message->word : constant);
    fputs(");\n", w->out);
}

static struct aw_part before(const struct aw_field *row)
{
    struct aw_part part = {0};
    aw_part_add(&part, row->before ? "'%c'" : "0", row->before);
    return part;
}

static void print_pack_line(const struct writer *w)
{
    fprintf(w->out,
            "static inline size_t pack_%s(const struct %s *in, uint8_t frame[%s_SIZE])\n{\n"
            "    struct pack_line line = {frame, true};\n",
            w->name, w->name, w->upper);
    for (int i = 0; i < w->codec->n_scalars; i++) {
        const struct aw_scalar *scalar = &w->codec->scalars[i];
        const struct aw_field *row = scalar->field;
        struct aw_range range = aw_scalar_range(w->codec, i, NULL);
        struct aw_part from = member("in->", scalar);
        if (!scalar->value) {
            print_word(w, row, "write");
            continue;
        }
        if (row->may_miss)
            fprintf(w->out, "    if (%s != PACK_MISSING)\n    ", from.text);
        fprintf(w->out, "    pack_write_digits(&line, %s, %u, %s, %g, %g);\n", before(row).text,
                row->digits, from.text, range.min, range.max);
    }
    fputs("    return line.ok ? (size_t)(line.at - frame) : 0;\n}\n\n", w->out);
}

static void print_unpack_line(const struct writer *w)
{
    fprintf(w->out,
            "static inline bool unpack_%s(struct %s *out, const uint8_t *frame, size_t size)\n{\n"
            "    struct pack_words line = {frame, frame + size, true, false};\n"
            "    memset(out, 0, sizeof *out);\n",
            w->name, w->name);
    for (int i = 0; i < w->codec->n_scalars; i++) {
        const struct aw_scalar *scalar = &w->codec->scalars[i];
        const struct aw_field *row = scalar->field;
        struct aw_part to = member("out->", scalar);
        if (!scalar->value) {
            print_word(w, row, "read");
            continue;
        }
        fprintf(w->out, "    %s = pack_read_digits(&line, %s, %u, %s);\n", to.text,
                before(row).text, row->digits, row->may_miss ? "true" : "false");
        if (row->always)
            fprintf(w->out, "    line.ok = line.ok && %s >= %g && %s <= %g;\n", to.text, row->min,
                    to.text, row->max);
    }
    fputs("    return line.ok && line.at == line.end;\n}\n\n", w->out);
}

/* Of 29 bits: with bit 31, as SocketCAN has it. */
static uint32_t id_of(const struct aw_codec *codec)
{
    if (!codec->protocol->can || !codec->message->head)
        return codec->message->code;
    struct aw_can_id can = aw_can_of_code(codec->message->code);
    return can.id | (can.is_long ? UINT32_C(0x80000000) : 0);
}

/* What every message has: its number, its size, its defaults. */
static void print_defines(const struct writer *w)
{
    const struct aw_codec *codec = w->codec;
    size_t size =
        codec->protocol->ascii ? codec->protocol->frame_max : codec->size - head_size(codec);
    fputs("/* ", w->out);
    const char *help = codec->message->help;
    print_comment(w->out, help && *help ? help : codec->message->name);
    fprintf(w->out, " %c%s. */\n", toupper((unsigned char)*aw_direction(codec->message->dir)),
            aw_direction(codec->message->dir) + 1);
    if (codec->protocol->ascii)
        fprintf(w->out, "#define %s_WORD \"%s\"\n", w->upper, codec->message->word);
    else
        fprintf(w->out, "#define %s_ID %luu\n", w->upper, (unsigned long)id_of(codec));
    fprintf(w->out, "#define %s_SIZE %zu\n", w->upper, size);
    print_names(w);
}

static void print_init(const struct writer *w)
{
    fprintf(w->out, "static inline void init_%s(struct %s *s)\n{\n    memset(s, 0, sizeof *s);\n",
            w->name, w->name);
    for (int i = 0; i < w->codec->n_scalars; i++) {
        const struct aw_scalar *scalar = &w->codec->scalars[i];
        if (is_member(scalar) && scalar->field->optional && scalar->field->fallback != 0)
            fprintf(w->out, "    %s = %s;\n", member("s->", scalar).text,
                    number(scalar->field->fallback).text);
    }
    fputs("}\n\n", w->out);
}

static void print_message(struct writer *w)
{
    struct aw_part name = {0};
    put_identifier(&name, w->codec->protocol->name);
    aw_part_add(&name, "_");
    aw_part_message(&name, w->codec);
    snprintf(w->name, sizeof w->name, "%.159s", name.text);
    snprintf(w->upper, sizeof w->upper, "%.159s", upper_case(name.text).text);
    print_defines(w);
    if (has_members(w->codec)) {
        print_struct(w);
        print_init(w);
    }
    if (w->codec->protocol->ascii) {
        print_pack_line(w);
        print_unpack_line(w);
    } else {
        print_pack(w);
        print_unpack(w);
    }
}

void aw_describe_c(FILE *out, struct aw_wire *wire, const char *message)
{
    const struct aw_protocol *protocol = wire->protocol;
    struct aw_part guard = upper_case(protocol->name);
    fprintf(
        out,
        "/* The packets of %s, variant %s, made by `%s describe --as c`; not to be edited.\n"
        " *\n"
        " * pack_NAME writes a frame and returns its size; 0: a value is outside what the field\n"
        " * may have. unpack_NAME is false for what is no such frame; where a float is no number\n"
        " * the others are set all the same. init_NAME sets what may be left out. Units are in\n"
        " * the comments. A field that is not in a frame with this multiplexor is 0 in the\n"
        " * structure, and not packed. An identifier of 29 bits has bit 31 set. */\n",
        protocol->name, wire->variant.name, protocol->name);
    fwrite(pack_h, 1, sizeof pack_h, out);
    fprintf(out, "\n#ifndef %s_PACKETS_H\n#define %s_PACKETS_H\n\n", guard.text, guard.text);
    for (size_t i = 0; i < protocol->n_messages; i++)
        if (aw_is_wanted(wire, i, message))
            print_message(
                &(struct writer){.out = out, .wire = wire, .codec = aw_wire_codec_at(wire, i)});
    fputs("#endif\n", out);
}
