/* The messages as tables of Python and MATLAB, behind the code that packs and unpacks by them. */
#include <string.h>

#include "describe/parts.h"
#include "wire/run.h"

/* pack.py and pack.m as arrays of characters, made by the Makefile. They use nothing but the tables
 * written here behind them. */
#include "pack.inc"

/* A table of named members, in one of the two languages: dict(name=value, …), struct('name', value,
 * …). A cell as a value of struct() stands in braces of its own. */
struct writer {
    FILE *out;
    bool matlab, first;
    const struct aw_codec *codec;
};

static void begin(struct writer *w, const char *what)
{
    fputs(w->matlab ? "struct(" : what, w->out);
    w->first = true;
}

static void key(struct writer *w, const char *name)
{
    fprintf(w->out, w->matlab ? "%s'%s', " : "%s%s=", w->first ? "" : ", ", name);
    w->first = false;
}

static void print_text(struct writer *w, const char *text)
{
    const char quote = w->matlab ? '\'' : '"';
    bool control = strpbrk(text, "\r\n");
    if (w->matlab && control)
        fputs("sprintf(", w->out);
    fputc(quote, w->out);
    for (; *text; text++) {
        if (*text == '\r' || *text == '\n')
            fputs(*text == '\r' ? "\\r" : "\\n", w->out);
        else
            fprintf(w->out, "%s%c", *text == quote || *text == '\\' ? (w->matlab ? "'" : "\\") : "",
                    *text);
    }
    fputc(quote, w->out);
    if (w->matlab && control)
        fputc(')', w->out);
}

static void text_member(struct writer *w, const char *name, const char *text)
{
    if (!text)
        return;
    key(w, name);
    print_text(w, text);
}

static void print_number(struct writer *w, double value)
{
    struct aw_part number = {0};
    aw_part_number(&number, value);
    fputs(number.text, w->out);
}

static void number_member(struct writer *w, const char *name, double value)
{
    key(w, name);
    print_number(w, value);
}

static void truth(struct writer *w, const char *name, bool value)
{
    key(w, name);
    fprintf(w->out, value ? "%crue" : "%calse",
            w->matlab ? (value ? 't' : 'f') : (value ? 'T' : 'F'));
}

static void flag(struct writer *w, const char *name, bool set)
{
    if (set)
        truth(w, name, true);
}

static void print_names(struct writer *w, const struct aw_field *row)
{
    if (!row->names)
        return;
    key(w, "names");
    fputs(w->matlab ? "{{" : "{", w->out);
    for (const struct aw_name *name = row->names; name->name; name++) {
        fputs(name == row->names ? "" : w->matlab ? "; " : ", ", w->out);
        print_text(w, name->name);
        fprintf(w->out, w->matlab ? ", %d" : ": %d", name->value);
    }
    fputs(w->matlab ? "}}" : "}", w->out);
    flag(w, "open_names", row->open_names);
    flag(w, "wire_names", row->wire_names);
}

static void print_scales(struct writer *w, const struct aw_field *row)
{
    if (!row->by)
        return;
    text_member(w, "by", row->by);
    key(w, "scales");
    fputs(w->matlab ? "{{" : "{", w->out);
    for (size_t i = 0; i < row->n_scales; i++) {
        const struct aw_scale *scale = &row->scales[i];
        const double numbers[] = {scale->scale, scale->min, scale->max};
        fprintf(w->out, w->matlab ? "%s[%d" : "%s%d: (", i ? ", " : "", scale->when);
        for (size_t n = 0; n < 3; n++) {
            fputs(n || w->matlab ? ", " : "", w->out);
            print_number(w, numbers[n]);
        }
        fputs(w->matlab ? "]" : ")", w->out);
    }
    fputs(w->matlab ? "}}" : "}", w->out);
}

static const char *type_name(enum aw_type type)
{
    switch (type) {
    case AW_SINT:
    case AW_LONG:
        return "signed";
    case AW_FLOAT:
        return "float";
    case AW_SIGNMAG:
        return "magnitude";
    case AW_TEXT:
        return "text";
    case AW_PAD:
        return "pad";
    case AW_CHECKSUM:
        return "checksum";
    default:
        return "unsigned";
    }
}

/* In Python: messages of a DBC file, which MATLAB has not. */
static void print_choices(struct writer *w, const struct aw_scalar *scalar)
{
    char name[64];
    if (scalar->chooser < 0 || w->matlab)
        return;
    aw_scalar_name(&w->codec->scalars[scalar->chooser], name, sizeof name);
    text_member(w, "chooser", name);
    key(w, "choices");
    fputs("[", w->out);
    for (const struct aw_choice *c = scalar->field->choices; c->least <= c->most; c++)
        fprintf(w->out, "(%lld, %lld), ", (long long)c->least, (long long)c->most);
    fputs("]", w->out);
}

static void print_value(struct writer *w, int i)
{
    const struct aw_scalar *scalar = &w->codec->scalars[i];
    const struct aw_field *row = scalar->field;
    struct aw_range range = aw_scalar_range(w->codec, i, NULL);
    text_member(w, "unit", row->unit);
    number_member(w, "scale", range.scale);
    number_member(w, "offset", range.offset);
    number_member(w, "least", range.min);
    number_member(w, "most", range.max);
    print_names(w, row);
    print_scales(w, row);
    if (row->has_no_data)
        number_member(w, "none", row->no_data);
    text_member(w, "none_with", row->no_data_with);
    if (row->optional && row->type == AW_TEXT)
        text_member(w, "default", "");
    else if (row->optional)
        number_member(w, "default", row->fallback);
    if (scalar->count >= 0) {
        text_member(w, "count", w->codec->scalars[scalar->count].field->name);
        number_member(w, "repetition", scalar->repetition);
    }
    flag(w, "always", row->always);
    print_choices(w, scalar);
}

static void print_fixed(struct writer *w, const struct aw_scalar *scalar)
{
    const struct aw_field *row = scalar->field;
    const char constant[] = {(char)row->constant, '\0'};
    if (row->type == AW_PAD || row->type == AW_CHECKSUM)
        return;
    if (w->codec->protocol->ascii)
        text_member(w, "fixed", row->type == AW_CODE ? w->codec->message->word : constant);
    else
        number_member(w, "fixed", (double)aw_fixed_value(w->codec, scalar, NULL));
    flag(w, "lenient", row->lenient);
}

static void print_digits(struct writer *w, const struct aw_field *row)
{
    const char before[] = {row->before, '\0'};
    number_member(w, "digits", row->digits);
    text_member(w, "before", before);
    flag(w, "may_miss", row->may_miss);
}

static void print_row(struct writer *w, int i)
{
    const struct aw_scalar *scalar = &w->codec->scalars[i];
    char name[64];
    aw_scalar_name(scalar, name, sizeof name);
    fputs("        ", w->out);
    begin(w, "dict(");
    text_member(w, "name", name);
    text_member(w, "type", type_name(scalar->field->type));
    if (scalar->field->digits)
        print_digits(w, scalar->field);
    else {
        number_member(w, "bit", scalar->bit);
        number_member(w, "bits", scalar->bits);
        flag(w, "big", aw_is_big(w->codec, scalar));
    }
    if (scalar->value)
        print_value(w, i);
    else
        print_fixed(w, scalar);
    fputs(w->matlab ? "), ...\n" : "),\n", w->out);
}

static void print_message(struct writer *w)
{
    static const char *const directions[] = {"", "tx", "rx", "both"};
    const struct aw_codec *codec = w->codec;
    struct aw_part name = {0};
    aw_part_message(&name, codec);
    fputs("    ", w->out);
    begin(w, "Packet(");
    text_member(w, "name", name.text);
    text_member(w, "dir", directions[codec->message->dir]);
    if (codec->protocol->ascii)
        text_member(w, "id", codec->message->word);
    else
        number_member(w, "id", codec->message->code);
    number_member(w, "size", codec->protocol->ascii ? codec->protocol->frame_max : codec->size);
    truth(w, "text", codec->protocol->ascii);
    number_member(w, "checksum_from", codec->protocol->checksum_from);
    key(w, "rows");
    fputs(w->matlab ? "{{ ...\n" : "[\n", w->out);
    for (int i = 0; i < codec->n_scalars; i++)
        print_row(w, i);
    fputs(w->matlab ? "    }}), ...\n" : "    ]),\n", w->out);
}

void aw_describe_tables(FILE *out, struct aw_wire *wire, const char *message, bool matlab)
{
    const struct aw_protocol *protocol = wire->protocol;
    struct writer w = {.out = out, .matlab = matlab};
    if (matlab)
        fprintf(out, "classdef %s_packets\n", protocol->name);
    fprintf(out,
            "%s The packets of %s, variant %s, made by `%s describe --as %s`; not to be edited.\n",
            matlab ? "    %" : "#", protocol->name, wire->variant.name, protocol->name,
            matlab ? "matlab" : "python");
    if (matlab)
        fwrite(pack_m, 1, sizeof pack_m, out);
    else
        fwrite(pack_py, 1, sizeof pack_py, out);
    fputs(matlab ? "    all = { ...\n" : "PACKETS = {packet.name: packet for packet in [\n", out);
    for (size_t i = 0; i < protocol->n_messages; i++)
        if (aw_is_wanted(wire, i, message) &&
            !(matlab && aw_is_placed(aw_wire_codec_at(wire, i)))) {
            w.codec = aw_wire_codec_at(wire, i);
            print_message(&w);
        }
    fputs(matlab ? "    };\nend\n" : "]}\n", out);
}
