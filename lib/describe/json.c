/* Prints a protocol as one JSON object for programs: messages, fields, scales and variants. */
#include <string.h>

#include "describe/parts.h"
#include "wire/can_id.h"
#include "wire/run.h"

/* Escapes quotes, backslashes and control characters, although no string of a table contains
 * them. */
static void print_string(FILE *out, const char *text)
{
    fputc('"', out);
    for (; *text; text++) {
        if (*text == '"' || *text == '\\')
            fprintf(out, "\\%c", *text);
        else if ((unsigned char)*text < 0x20)
            fprintf(out, "\\u%04x", (unsigned)*text);
        else
            fputc(*text, out);
    }
    fputc('"', out);
}

static void print_text_member(FILE *out, const char *key, const char *text)
{
    if (!text || !*text)
        return;
    fprintf(out, ",\"%s\":", key);
    print_string(out, text);
}

static void print_number_member(FILE *out, const char *key, double value)
{
    struct aw_part number = {0};
    aw_part_add_number(&number, value);
    fprintf(out, ",\"%s\":%s", key, number.text);
}

static void print_flag(FILE *out, const char *key, bool is_set)
{
    if (is_set)
        fprintf(out, ",\"%s\":true", key);
}

static void print_names(FILE *out, const struct aw_field *row)
{
    if (!row->names)
        return;
    fputs(",\"names\":{", out);
    for (const struct aw_name *name = row->names; name->name; name++) {
        fputs(name == row->names ? "" : ",", out);
        print_string(out, name->name);
        fprintf(out, ":%d", name->value);
    }
    fputc('}', out);
    print_flag(out, "open_names", row->open_names);
    print_flag(out, "wire_names", row->wire_names);
}

static void print_scales(FILE *out, const struct aw_field *row)
{
    if (!row->scaled_by)
        return;
    print_text_member(out, "by", row->scaled_by);
    fputs(",\"scales\":[", out);
    for (size_t i = 0; i < row->n_scales; i++) {
        const struct aw_scale *scale = &row->scales[i];
        fprintf(out, "%s{\"when\":%d", i ? "," : "", scale->selector);
        print_text_member(out, "unit", scale->unit);
        print_number_member(out, "scale", scale->scale);
        print_number_member(out, "min", scale->min);
        print_number_member(out, "max", scale->max);
        fputc('}', out);
    }
    fputc(']', out);
}

static void print_value_members(FILE *out, const struct aw_codec *codec, int i)
{
    const struct aw_scalar *scalar = &codec->scalars[i];
    const struct aw_field *row = scalar->field;
    struct aw_range range = aw_scalar_range(codec, i, NULL);
    if (row->type == AW_TEXT) {
        fputs(row->optional ? ",\"default\":\"\"" : "", out);
        return;
    }
    print_number_member(out, "scale", range.scale);
    print_number_member(out, "offset", range.offset);
    print_number_member(out, "min", range.min);
    print_number_member(out, "max", range.max);
    print_flag(out, "always", row->always_limit);
    print_names(out, row);
    print_scales(out, row);
    if (row->has_no_data)
        print_number_member(out, "no_data", row->no_data);
    if (row->no_data_with)
        print_text_member(out, "no_data_with", row->no_data_with);
    if (row->optional)
        print_number_member(out, "default", row->fallback);
    if (scalar->count_by >= 0) {
        print_text_member(out, "count", codec->scalars[scalar->count_by].field->name);
        print_number_member(out, "repetition", scalar->repetition);
    }
}

/* Prints the constant contents of a row, for programs that build frames. */
static void print_constant(FILE *out, const struct aw_codec *codec, const struct aw_scalar *scalar)
{
    const struct aw_field *row = scalar->field;
    const char character[] = {(char)row->constant, '\0'};
    if (row->type == AW_CHECKSUM)
        print_number_member(out, "checksum_from", codec->protocol->frames.checksum_from);
    else if (codec->protocol->frames.ascii)
        print_text_member(out, "constant", row->type == AW_CODE ? codec->message->word : character);
    else if (row->type != AW_PAD)
        print_number_member(out, "constant", (double)aw_row_constant(codec, scalar, NULL));
    print_flag(out, "lenient", row->lenient);
}

static const char *type_name(enum aw_type type)
{
    static const char *const names[] = {
        [AW_UINT] = "uint",     [AW_SINT] = "sint",       [AW_LONG] = "long",
        [AW_FLOAT] = "float",   [AW_SIGNMAG] = "signmag", [AW_TEXT] = "text",
        [AW_DIGITS] = "digits", [AW_CONST] = "const",     [AW_CODE] = "code",
        [AW_LENGTH] = "length", [AW_INDEX] = "index",     [AW_CHECKSUM] = "checksum",
        [AW_PAD] = "pad",       [AW_GROUP] = "group",     [AW_ROWS_END] = "end",
    };
    return names[type];
}

/* Prints a condition such as "with":{"field":"mode","from_to":[[0,3],[5,5]]}. */
static void print_choices(FILE *out, const struct aw_codec *codec, const struct aw_scalar *scalar)
{
    const struct aw_choice *choice = scalar->field->choices;
    fputs(",\"with\":{\"field\":", out);
    print_string(out, codec->scalars[scalar->chosen_by].field->name);
    fputs(",\"from_to\":[", out);
    for (; choice->min <= choice->max; choice++)
        fprintf(out, "%s[%lld,%lld]", choice == scalar->field->choices ? "" : ",",
                (long long)choice->min, (long long)choice->max);
    fputs("]}", out);
}

static void print_scalar(FILE *out, const struct aw_codec *codec, int i)
{
    const struct aw_scalar *scalar = &codec->scalars[i];
    struct aw_part constant = {0};
    char name[64];
    aw_scalar_name(scalar, name, sizeof name);
    aw_part_add_constant(&constant, codec, scalar);
    fputs(i ? ",{\"name\":" : "{\"name\":", out);
    print_string(out, name);
    print_text_member(out, "alias", scalar->label ? scalar->alias : scalar->field->alias);
    print_text_member(out, "type", type_name(scalar->field->type));
    if (!codec->protocol->frames.ascii) {
        print_number_member(out, "bit", scalar->bit);
        print_number_member(out, "bits", scalar->bits);
    } else if (scalar->field->digits) {
        const char separator[] = {scalar->field->separator, '\0'};
        print_number_member(out, "digits", scalar->field->digits);
        print_text_member(out, "before", separator);
        print_flag(out, "may_miss", scalar->field->may_omit);
    }
    print_flag(out, "big_endian", scalar->big_endian);
    if (scalar->chosen_by >= 0)
        print_choices(out, codec, scalar);
    print_text_member(out, "unit", scalar->field->unit);
    print_text_member(out, "fixed", constant.text);
    if (scalar->has_value)
        print_value_members(out, codec, i);
    else
        print_constant(out, codec, scalar);
    print_text_member(out, "help", scalar->field->help);
    fputc('}', out);
}

/* Prints the identifier of a message that belongs to no board. A board message has one identifier
 * for each board. */
static void print_identifier(FILE *out, const struct aw_codec *codec)
{
    struct aw_can_id id = aw_can_id_of_code(codec->message->code);
    if (!codec->protocol->frames.is_can || aw_is_board_message(codec))
        return;
    print_number_member(out, "id", id.id);
    print_number_member(out, "id_bits", id.is_long ? 29 : 11);
}

static void print_message(FILE *out, const struct aw_codec *codec)
{
    static const char *const directions[] = {"", "tx", "rx", "both"};
    fputs("{\"name\":", out);
    print_string(out, codec->message->name);
    print_text_member(out, "dir", directions[codec->message->dir]);
    if (codec->protocol->frames.ascii) {
        print_text_member(out, "code", codec->message->word);
        print_number_member(out, "max_bytes", codec->protocol->frames.frame_max);
    } else {
        print_number_member(out, "code", codec->message->code);
        print_number_member(out, "bytes", codec->size);
        print_identifier(out, codec);
        print_flag(out, "dbc", aw_is_dbc_message(codec));
    }
    print_text_member(out, "help", codec->message->help);
    fputs(",\"fields\":[", out);
    for (int i = 0; i < codec->n_scalars; i++)
        print_scalar(out, codec, i);
    fputs("]}", out);
}

static void print_envelope(FILE *out, const struct aw_field *row)
{
    if (!row)
        return;
    fputs(",\"envelope\":[", out);
    for (const struct aw_field *first = row; row->type != AW_ROWS_END; row++) {
        fputs(row == first ? "{\"name\":" : ",{\"name\":", out);
        print_string(out, row->name);
        print_number_member(out, "bits", row->bits);
        print_text_member(out, "help", row->help);
        fputc('}', out);
    }
    fputc(']', out);
}

void aw_describe_json(FILE *out, struct aw_wire *wire, const char *message)
{
    bool is_first = true;
    fputs("{\"protocol\":", out);
    print_string(out, wire->protocol->name);
    print_text_member(out, "title", wire->protocol->title);
    print_text_member(out, "medium", aw_media[wire->protocol->medium]);
    print_text_member(out, "variant", wire->variant.name);
    print_text_member(out, "byte_order", wire->variant.big_endian ? "big" : "little");
    fputs(",\"variants\":[", out);
    for (const struct aw_variant *v = wire->protocol->variants; v->name; v++) {
        fputs(v == wire->protocol->variants ? "{\"name\":" : ",{\"name\":", out);
        print_string(out, v->name);
        print_text_member(out, "help", v->help);
        print_text_member(out, "byte_order", v->big_endian ? "big" : "little");
        fputc('}', out);
    }
    fputc(']', out);
    print_envelope(out, wire->variant.envelope);
    fputs(",\"messages\":[", out);
    for (size_t i = 0; i < wire->protocol->n_messages; i++)
        if (aw_is_wanted(wire, i, message)) {
            fputs(is_first ? "" : ",", out);
            print_message(out, aw_wire_codec_at(wire, i));
            is_first = false;
        }
    fputs("]}\n", out);
}
