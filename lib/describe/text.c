/* Descriptions of a protocol for an 80-column terminal: what the command describe prints. */
#include <string.h>

#include "base/utf8.h"
#include "describe/parts.h"

enum { WIDTH = 80 };

/* Columns of the list of fields. */
enum { PLACE = 1, NAME = 9, TYPE = 32, UNIT = 42, RANGE = 48, HELP = 11 };

/* Prints words from column on, breaking lines before column WIDTH; at is where the cursor is. */
static void print_wrapped(FILE *out, const char *text, size_t at, size_t column)
{
    fprintf(out, "%*s", (int)(column > at ? column - at : 0), "");
    size_t here = column > at ? column : at;
    for (bool first = true; *text; first = false) {
        size_t length = strcspn(text, " ");
        struct aw_part word = {0};
        aw_part_add(&word, "%.*s", (int)length, text);
        size_t width = aw_utf8_length(word.text);
        if (!first && here + 1 + width > WIDTH) {
            fprintf(out, "\n%*s", (int)column, "");
            here = column;
        } else if (!first) {
            fputc(' ', out);
            here++;
        }
        fputs(word.text, out);
        here += width;
        text += length + strspn(text + length, " ");
    }
    fputc('\n', out);
}

static size_t print_at(FILE *out, size_t at, size_t column, const char *text)
{
    if (!*text)
        return at;
    /* Moves to the column, at least one blank on; returns where the cursor is. */
    size_t to = at < column ? column : at + 1;
    fprintf(out, "%*s", (int)(to - at), "");
    at = to;
    fputs(text, out);
    return at + aw_utf8_length(text);
}

static void print_scalar(FILE *out, const struct aw_codec *codec, int i)
{
    const struct aw_scalar *scalar = &codec->scalars[i];
    struct aw_part place = {0}, type = {0}, range = {0};
    char name[64];
    aw_scalar_name(scalar, name, sizeof name);
    aw_part_place(&place, codec, scalar);
    aw_part_type(&type, scalar);
    aw_part_fixed(&range, codec, scalar);
    aw_part_range(&range, codec, i);
    size_t at = print_at(out, 0, PLACE, place.text);
    at = print_at(out, at, codec->protocol->ascii ? PLACE : NAME, name);
    at = print_at(out, at, TYPE, type.text);
    if (scalar->field->unit)
        at = print_at(out, at, UNIT, scalar->field->unit);
    if (range.length)
        print_wrapped(out, range.text, at, at < RANGE ? RANGE : at + 1);
    else
        fputc('\n', out);
    if (scalar->field->help && !aw_is_repeated(codec, i))
        print_wrapped(out, scalar->field->help, 0, HELP);
}

static void print_message(FILE *out, const struct aw_codec *codec, bool ascii)
{
    struct aw_part code = {0}, size = {0};
    aw_part_code(&code, codec);
    aw_part_size(&size, codec);
    fprintf(out, "%s (%s): %s, %s\n", codec->message->name, code.text,
            aw_direction(codec->message->dir), size.text);
    print_wrapped(out, codec->message->help, 0, 0);
    fputc('\n', out);
    aw_draw_packet(out, codec, ascii);
    fputc('\n', out);
    const char *place = codec->protocol->can ? "bits" : codec->protocol->ascii ? "" : "bytes";
    size_t at = print_at(out, 0, PLACE, place);
    at = print_at(out, at, codec->protocol->ascii ? PLACE : NAME, "field");
    at = print_at(out, at, TYPE, "type");
    at = print_at(out, at, UNIT, "unit");
    print_at(out, at, RANGE, "range");
    fputc('\n', out);
    for (int i = 0; i < codec->n_scalars; i++)
        if (codec->scalars[i].field->type != AW_PAD ||
            codec->scalars[i].bit >= aw_can_head_bits(codec))
            print_scalar(out, codec, i);
}

static void print_variants(FILE *out, const struct aw_wire *wire)
{
    if (!wire->protocol->variants[1].name)
        return;
    fprintf(out, "\nvariants\n");
    for (const struct aw_variant *v = wire->protocol->variants; v->name; v++) {
        bool used = strcmp(v->name, wire->variant.name) == 0;
        size_t at = print_at(out, 0, PLACE, used ? "*" : "");
        at = print_at(out, at, PLACE + 2, v->name);
        print_wrapped(out, v->help, at, PLACE + 12);
    }
}

static void print_envelope(FILE *out, const struct aw_field *row)
{
    unsigned byte = 0;
    if (!row)
        return;
    fprintf(out, "\naround the packets of a message\n");
    for (; row->type != AW_ROWS_END; row++) {
        struct aw_part text = {0};
        aw_part_add(&text, "%u-%u", byte, byte + row->bits / 8u - 1);
        size_t at = print_at(out, 0, PLACE, text.text);
        at = print_at(out, at, NAME, row->name);
        text = (struct aw_part){0};
        aw_part_add(&text, "u%u", row->bits);
        at = print_at(out, at, TYPE - 10, text.text);
        print_wrapped(out, row->help, at, TYPE);
        byte += row->bits / 8u;
    }
}

static void print_overview(FILE *out, struct aw_wire *wire)
{
    fprintf(out, "%s: %s\n", wire->protocol->name, wire->protocol->title);
    print_variants(out, wire);
    print_envelope(out, wire->variant.envelope);
    fprintf(out, "\nmessages\n");
    for (size_t i = 0; i < wire->protocol->n_messages; i++) {
        const struct aw_codec *codec = aw_wire_codec_at(wire, i);
        if (!aw_is_wanted(wire, i, NULL))
            continue;
        static const char *const marks[] = {"", "tx", "rx", "tx rx"};
        struct aw_part code = {0};
        aw_part_code(&code, codec);
        size_t at = print_at(out, 0, PLACE, codec->message->name);
        at = print_at(out, at, 21, code.text);
        at = print_at(out, at, 27, marks[codec->message->dir]);
        print_wrapped(out, codec->message->help, at, 34);
    }
}

void aw_describe_text(FILE *out, struct aw_wire *wire, const char *message, bool ascii)
{
    bool first = message != NULL;
    if (!message)
        print_overview(out, wire);
    for (size_t i = 0; i < wire->protocol->n_messages; i++)
        if (aw_is_wanted(wire, i, message)) {
            fputs(first ? "" : "\n", out);
            print_message(out, aw_wire_codec_at(wire, i), ascii);
            first = false;
        }
}
