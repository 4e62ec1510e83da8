/* Descriptions of a protocol as Markdown: docs/protocols is made by this. */
#include <string.h>

#include "describe/parts.h"

static void print_cell(FILE *out, const char *text)
{
    fprintf(out, " %s%s|", text ? text : "", text && *text ? " " : "");
}

static void print_scalar(FILE *out, const struct aw_codec *codec, int i)
{
    const struct aw_scalar *scalar = &codec->scalars[i];
    struct aw_part place = {0}, name = {0}, type = {0}, range = {0};
    char full[64];
    aw_scalar_name(scalar, full, sizeof full);
    aw_part_add(&name, "`%s`", full);
    aw_part_place(&place, codec, scalar);
    aw_part_type(&type, scalar);
    aw_part_fixed(&range, codec, scalar);
    aw_part_range(&range, codec, i);
    fputc('|', out);
    if (!codec->protocol->ascii)
        print_cell(out, place.text);
    print_cell(out, name.text);
    print_cell(out, type.text);
    print_cell(out, scalar->field->unit);
    print_cell(out, range.text);
    print_cell(out, aw_is_repeated(codec, i) ? "" : scalar->field->help);
    fputc('\n', out);
}

static void print_message(FILE *out, const struct aw_codec *codec)
{
    struct aw_part code = {0}, size = {0};
    aw_part_code(&code, codec);
    aw_part_size(&size, codec);
    fprintf(out, "\n## `%s` %s\n\n", codec->message->name, aw_direction(codec->message->dir));
    fprintf(out, "%s\n\nCode %s, %s.\n\n```text\n", codec->message->help, code.text, size.text);
    aw_draw_packet(out, codec, false);
    fputs("```\n\n", out);
    if (!codec->protocol->ascii)
        fprintf(out, "| %s ", codec->protocol->can ? "bits" : "bytes");
    fprintf(out, "| field | type | unit | range | meaning |\n%s|---|---|---|---|---|\n",
            codec->protocol->ascii ? "" : "|---");
    for (int i = 0; i < codec->n_scalars; i++)
        print_scalar(out, codec, i);
}

static void print_variants(FILE *out, const struct aw_wire *wire)
{
    if (!wire->protocol->variants[1].name)
        return;
    fprintf(out, "\n| variant | |\n|---|---|\n");
    for (const struct aw_variant *v = wire->protocol->variants; v->name; v++)
        fprintf(out, "| `%s` | %s |\n", v->name, v->help);
    fprintf(out, "\nWhat follows is `%s`.\n", wire->variant.name);
}

static void print_envelope(FILE *out, const struct aw_field *row)
{
    unsigned byte = 0;
    if (!row)
        return;
    fprintf(out, "\nAround the packets of a message:\n\n"
                 "| bytes | field | type | meaning |\n|---|---|---|---|\n");
    for (; row->type != AW_ROWS_END; row++) {
        fprintf(out, "| %u-%u | `%s` | u%u | %s |\n", byte, byte + row->bits / 8u - 1, row->name,
                row->bits, row->help);
        byte += row->bits / 8u;
    }
}

static void print_overview(FILE *out, struct aw_wire *wire)
{
    const struct aw_protocol *protocol = wire->protocol;
    fprintf(out,
            "# The protocol of %s\n\n%s.\n\nMade by `%s describe --as md` from the protocol's "
            "table; not to be edited.\n",
            protocol->name, protocol->title, protocol->name);
    print_variants(out, wire);
    print_envelope(out, wire->variant.envelope);
    fprintf(out, "\n| message | code | direction | |\n|---|---|---|---|\n");
    for (size_t i = 0; i < protocol->n_messages; i++) {
        const struct aw_codec *codec = aw_wire_codec_at(wire, i);
        if (!aw_is_wanted(wire, i, NULL))
            continue;
        struct aw_part code = {0};
        aw_part_code(&code, codec);
        fprintf(out, "| `%s` | %s | %s | %s |\n", codec->message->name, code.text,
                aw_direction(codec->message->dir), codec->message->help);
    }
}

void aw_describe_md(FILE *out, struct aw_wire *wire, const char *message)
{
    if (!message)
        print_overview(out, wire);
    for (size_t i = 0; i < wire->protocol->n_messages; i++)
        if (aw_is_wanted(wire, i, message))
            print_message(out, aw_wire_codec_at(wire, i));
}
