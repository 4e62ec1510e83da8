/* A dissector for Wireshark: a table of the protocol in Lua, then the code that all have. */
#include <math.h>
#include <string.h>

#include "base/number.h"
#include "describe/parts.h"
#include "wire/can_id.h"

/* docs/wireshark/armwire.lua as an array of characters, made by the Makefile. It expects a
 * table with tool, title, medium, ports or can_ids and extended_ids, big_endian, envelope,
 * head_bytes, code_at, length_at, messages. */
#include "dissector.inc"

static void print_quoted(FILE *out, const char *text)
{
    fputc('"', out);
    for (; *text; text++) {
        if (*text == '"' || *text == '\\')
            fputc('\\', out);
        if (*text == '\r' || *text == '\n')
            fputs(*text == '\r' ? "\\r" : "\\n", out);
        else
            fputc(*text, out);
    }
    fputc('"', out);
}

static void text_member(FILE *out, const char *name, const char *text)
{
    if (!text)
        return;
    fprintf(out, ", %s = ", name);
    print_quoted(out, text);
}

static void number_member(FILE *out, const char *name, double value)
{
    struct aw_part number = {0};
    aw_part_number(&number, value);
    fprintf(out, ", %s = %s", name, number.text);
}

static void print_scales(FILE *out, const struct aw_field *row)
{
    text_member(out, "by", row->by);
    fputs(", scales = {", out);
    for (size_t i = 0; i < row->n_scales; i++) {
        fprintf(out, "%s[%d] = {when = %d", i ? ", " : "", row->scales[i].when,
                row->scales[i].when);
        number_member(out, "scale", row->scales[i].scale);
        text_member(out, "unit", row->scales[i].unit);
        fputc('}', out);
    }
    fputc('}', out);
}

/* The same decimals as in the records; of a float the shortest text that is the same float. */
static void print_scale(FILE *out, const struct aw_field *row)
{
    bool whole = row->scale == floor(row->scale) && row->offset == floor(row->offset);
    int scale = aw_decimals_for_step(fabs(row->scale)),
        offset = aw_decimals_for_step(fabs(row->offset));
    if (row->scale != 0)
        number_member(out, "scale", row->scale);
    if (row->offset != 0)
        number_member(out, "offset", row->offset);
    if (!whole && row->type != AW_FLOAT)
        number_member(out, "decimals", scale > offset ? scale : offset);
    if (row->placed && (row->scale != 0 || row->offset != 0))
        fputs(", wide = true", out);
}

static void print_value(FILE *out, const struct aw_codec *codec, const struct aw_scalar *scalar)
{
    const struct aw_field *row = scalar->field;
    text_member(out, "unit", row->unit);
    if (row->names) {
        double scale = row->scale != 0 ? row->scale : 1;
        fputs(", names = {", out);
        for (const struct aw_name *name = row->names; name->name; name++) {
            fprintf(out, "%s[%.0f] = ", name == row->names ? "" : ", ",
                    row->wire_names ? name->value : name->value / scale);
            print_quoted(out, name->name);
        }
        fputc('}', out);
    } else
        print_scale(out, row);
    if (row->by)
        print_scales(out, row);
    text_member(out, "no_data_with", row->no_data_with);
    if (row->has_no_data)
        number_member(out, "no_data",
                      scalar->with < 0 ? row->no_data
                                       : codec->scalars[scalar->with].field->no_data);
    if (scalar->count >= 0) {
        text_member(out, "count", codec->scalars[scalar->count].field->name);
        number_member(out, "repetition", scalar->repetition);
    }
}

static void print_ascii(FILE *out, const struct aw_codec *codec, const struct aw_scalar *scalar)
{
    const struct aw_field *row = scalar->field;
    const char before[] = {row->before, '\0'}, constant[] = {(char)row->constant, '\0'};
    fprintf(out, ", type = \"%s\", bits = 0", row->digits > 1 ? "int" : "uint");
    if (row->type == AW_CODE || row->type == AW_CONST)
        text_member(out, "word", row->type == AW_CODE ? codec->message->word : constant);
    if (row->digits)
        number_member(out, "digits", row->digits);
    text_member(out, "before", row->before ? before : NULL);
    if (row->may_miss)
        fputs(", may_miss = true", out);
    if (row->always)
        fprintf(out, ", least = %g, most = %g", row->min, row->max);
}

static void print_choices(FILE *out, const struct aw_codec *codec, const struct aw_scalar *scalar)
{
    const struct aw_choice *choice = scalar->field->choices;
    text_member(out, "chooser", codec->scalars[scalar->chooser].field->name);
    fputs(", choices = {", out);
    for (; choice->least <= choice->most; choice++)
        fprintf(out, "%s{%lld, %lld}", choice == scalar->field->choices ? "" : ", ",
                (long long)choice->least, (long long)choice->most);
    fputc('}', out);
}

static void print_place(FILE *out, const struct aw_codec *codec, const struct aw_scalar *scalar)
{
    static const char *const names[AW_PAD + 1] = {[AW_SINT] = "int",
                                                  [AW_LONG] = "int",
                                                  [AW_FLOAT] = "float",
                                                  [AW_SIGNMAG] = "signmag",
                                                  [AW_TEXT] = "text"};
    const char *type = names[scalar->field->type];
    unsigned bit = scalar->bit, head = codec->protocol->can ? aw_can_head_bits(codec) : 0;
    text_member(out, "type", type ? type : "uint");
    if (bit < head)
        fputs(", in_id = true", out);
    else
        bit -= head;
    number_member(out, "bit", bit);
    number_member(out, "bits", scalar->bits);
    if (scalar->big_endian)
        fputs(", big = true", out);
    if (scalar->chooser >= 0)
        print_choices(out, codec, scalar);
}

static int count_rows(const struct aw_field *row)
{
    int n = 0;
    for (; row && row[n].type != AW_ROWS_END; n++)
        continue;
    return n;
}

/* Fields around the payload are the same in every message, so their names lack the message. */
static bool is_around(const struct aw_codec *codec, int i)
{
    const struct aw_field *head =
        codec->message->head ? codec->message->head : codec->variant->head;
    return i < count_rows(head) || i >= codec->n_scalars - count_rows(codec->variant->tail);
}

static void print_scalar(FILE *out, const struct aw_codec *codec, int i)
{
    const struct aw_scalar *scalar = &codec->scalars[i];
    char name[64];
    if (scalar->field->type == AW_PAD)
        return;
    aw_scalar_name(scalar, name, sizeof name);
    fprintf(out, "        {id = \"%s%s%s\"", is_around(codec, i) ? "" : codec->message->name,
            is_around(codec, i) ? "" : ".", name);
    text_member(out, "name", name);
    if (codec->protocol->ascii)
        print_ascii(out, codec, scalar);
    else
        print_place(out, codec, scalar);
    if (scalar->value)
        print_value(out, codec, scalar);
    else
        fputs(", fixed = true", out);
    fputs("},\n", out);
}

static void print_message(FILE *out, const struct aw_codec *codec)
{
    static const char *const directions[] = {"", "tx", "rx", "both"};
    unsigned head = codec->protocol->can ? aw_can_head_bits(codec) / 8 : 0;
    struct aw_can_id id = aw_can_of_code(codec->message->code);
    fprintf(out, "    {name = \"%s\", dir = \"%s\", code = %u, bytes = %u,", codec->message->name,
            directions[codec->message->dir], (unsigned)codec->message->code, codec->size - head);
    if (codec->protocol->can && !aw_is_of_boards(codec))
        fprintf(out, " id = 0x%X, id_bits = %d,", (unsigned)id.id, id.is_long ? 29 : 11);
    fputc('\n', out);
    for (int i = 0; i < codec->n_scalars; i++)
        print_scalar(out, codec, i);
    fputs("    },\n", out);
}

/* Where the scalar of this type around the payload is, if there is one. */
static void print_scalar_place(FILE *out, const char *name, const struct aw_codec *codec,
                               enum aw_type type)
{
    const struct aw_scalar *scalar = codec->scalars;
    int i = 0;
    while (i < codec->n_scalars && (scalar[i].field->type != type || !is_around(codec, i)))
        i++;
    if (i < codec->n_scalars)
        fprintf(out, "protocol.%s = {bit = %u, bits = %u}\n", name, scalar[i].bit, scalar[i].bits);
}

static void print_envelope(FILE *out, const struct aw_field *row)
{
    unsigned bit = 0;
    if (!row)
        return;
    fputs("protocol.envelope = {\n", out);
    for (; row->type != AW_ROWS_END; row++) {
        fprintf(out, "    {id = \"%s\", bit = %u, bits = %u},\n", row->name, bit, row->bits);
        bit += row->bits;
    }
    fputs("}\n", out);
}

static void print_other_id(FILE *out, const struct aw_codec *codec, bool is_long)
{
    struct aw_can_id id = aw_can_of_code(codec->message->code);
    if (id.is_long == is_long)
        fprintf(out, "\n    0x%03X,", (unsigned)id.id);
}

static void print_can_ids(FILE *out, struct aw_wire *wire)
{
    size_t n = wire->protocol->n_messages;
    fputs("protocol.can_ids = {", out);
    for (const struct aw_name *board = aw_can_boards(wire); board->name; board++) {
        fputs("\n   ", out);
        for (size_t i = 0; i < n; i++)
            if (aw_is_of_boards(aw_wire_codec_at(wire, i)))
                fprintf(out, " 0x%03X,", aw_can_id(aw_wire_codec_at(wire, i), board->value));
    }
    for (size_t i = 0; i < n; i++)
        if (!aw_is_of_boards(aw_wire_codec_at(wire, i)))
            print_other_id(out, aw_wire_codec_at(wire, i), false);
    fputs("\n}\nprotocol.extended_ids = {", out);
    for (size_t i = 0; i < n; i++)
        if (!aw_is_of_boards(aw_wire_codec_at(wire, i)))
            print_other_id(out, aw_wire_codec_at(wire, i), true);
    fputs("}\n", out);
}

static void print_link(FILE *out, struct aw_wire *wire)
{
    const struct aw_protocol *protocol = wire->protocol;
    if (protocol->ports[0])
        fprintf(out, "protocol.ports = {%u", protocol->ports[0]);
    if (protocol->ports[0] && protocol->ports[1])
        fprintf(out, ", %u", protocol->ports[1]);
    if (protocol->ports[0])
        fputs("}\n", out);
    if (protocol->can)
        print_can_ids(out, wire);
}

static void print_table(FILE *out, struct aw_wire *wire)
{
    const struct aw_protocol *protocol = wire->protocol;
    fprintf(out, "local protocol = {tool = \"%s\", medium = \"%s\", big_endian = %s}\n",
            protocol->name, aw_media[protocol->medium],
            wire->variant.big_endian ? "true" : "false");
    fputs("protocol.title = ", out);
    print_quoted(out, protocol->title);
    fputc('\n', out);
    print_link(out, wire);
    print_envelope(out, wire->variant.envelope);
    const struct aw_codec *codec = aw_wire_codec_at(wire, 0);
    unsigned bits = 0;
    for (int i = 0; i < count_rows(wire->variant.head); i++)
        bits += wire->variant.head[i].bits;
    fprintf(out, "protocol.head_bytes = %u\n", bits / 8);
    print_scalar_place(out, "code_at", codec, AW_CODE);
    print_scalar_place(out, "length_at", codec, AW_LENGTH);
    fputs("protocol.messages = {\n", out);
    for (size_t i = 0; i < protocol->n_messages; i++)
        if (aw_is_wanted(wire, i, NULL))
            print_message(out, aw_wire_codec_at(wire, i));
    fputs("}\n\n", out);
}

void aw_describe_lua(FILE *out, struct aw_wire *wire)
{
    const char *name = wire->protocol->name;
    fprintf(out,
            "-- Wireshark dissector of %s, variant %s: made by `%s describe --as lua` from the\n"
            "-- protocol's table; not to be edited. Copy it to Wireshark's folder of personal\n"
            "-- plugins, or: tshark -X lua_script:%s.lua -r FILE (not as root)\n\n",
            name, wire->variant.name, name, name);
    print_table(out, wire);
    fputs("local function dissect(...)\n", out);
    fwrite(dissector, 1, sizeof dissector, out);
    fputs("end -- of what is the same for every protocol\n\ndissect(protocol)\n", out);
}
