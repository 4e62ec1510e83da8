/* Builds the strings of the descriptions: types, positions and ranges. */
#include "describe/parts.h"

#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include "base/number.h"
#include "wire/can_id.h"
#include "wire/rows.h"
#include "wire/run.h"

const char *const aw_media[] = {
    [AW_MEDIUM_SERIAL] = "serial", [AW_MEDIUM_HID] = "hid", [AW_MEDIUM_CAN] = "can",
    [AW_MEDIUM_UDP] = "udp",       [AW_MEDIUM_TCP] = "tcp",
};

void aw_part_add(struct aw_part *part, const char *format, ...)
{
    va_list args;
    va_start(args, format);
    int n = vsnprintf(part->text + part->length, sizeof part->text - part->length, format, args);
    va_end(args);
    part->length += n > 0 ? (size_t)n : 0;
    if (part->length >= sizeof part->text)
        part->length = sizeof part->text - 1;
}

void aw_part_add_type(struct aw_part *part, const struct aw_scalar *scalar)
{
    switch (scalar->field->type) {
    case AW_SINT:
    case AW_LONG:
        aw_part_add(part, "s%u", scalar->bits);
        break;
    case AW_FLOAT:
        aw_part_add(part, "f%u", scalar->bits);
        break;
    case AW_SIGNMAG:
        aw_part_add(part, "u16+sign");
        break;
    case AW_TEXT:
        aw_part_add(part, "text");
        break;
    case AW_DIGITS:
        aw_part_add(part, "%u digit%s", scalar->field->digits,
                    scalar->field->digits > 1 ? "s" : "");
        break;
    default:
        if (scalar->bits)
            aw_part_add(part, "u%u", scalar->bits);
    }
}

void aw_part_add_number(struct aw_part *part, double value)
{
    char text[32];
    for (int digits = 15; digits <= 17; digits++) {
        snprintf(text, sizeof text, "%.*g", digits, value);
        if (strtod(text, NULL) == value)
            break;
    }
    aw_part_add(part, "%s", text);
}

void aw_part_add_position(struct aw_part *part, const struct aw_codec *codec,
                          const struct aw_scalar *scalar)
{
    unsigned first = scalar->bit / 8u, last = (scalar->bit + scalar->bits - 1u) / 8u;
    if (codec->protocol->frames.ascii)
        return;
    if (codec->protocol->frames.is_can && scalar->bit < aw_can_head_bits(codec))
        aw_part_add(part, "id %d:%d", scalar->bit + scalar->bits - 1, scalar->bit);
    else if (codec->protocol->frames.is_can)
        aw_part_add(part, "%u:%u", aw_can_bit(codec, scalar, scalar->bits - 1u),
                    aw_can_bit(codec, scalar, 0));
    else if (first == last)
        aw_part_add(part, "%u", first);
    else
        aw_part_add(part, "%u-%u", first, last);
}

static void add_constant_bytes(struct aw_part *part, const struct aw_scalar *scalar)
{
    for (int shift = scalar->bits - 8; shift >= 0; shift -= 8)
        aw_part_add(part, "%02X%s", (unsigned)(scalar->field->constant >> shift & 0xFF),
                    shift ? " " : "");
}

void aw_part_add_constant(struct aw_part *part, const struct aw_codec *codec,
                          const struct aw_scalar *scalar)
{
    enum aw_type type = scalar->field->type;
    if (type == AW_CONST && codec->protocol->frames.ascii) {
        uint32_t c = scalar->field->constant;
        if (c == '\r' || c == '\n')
            aw_part_add(part, "%s", c == '\r' ? "CR" : "LF");
        else
            aw_part_add(part, "%c", (char)c);
    } else if (type == AW_CONST && scalar->bits == 16)
        add_constant_bytes(part, scalar);
    else if (type == AW_CODE && codec->protocol->frames.ascii)
        aw_part_add(part, "%s", codec->message->word);
    else if (type == AW_PAD)
        aw_part_add(part, "0");
    else if (type >= AW_CONST && type <= AW_INDEX)
        aw_part_add(part, "%llu", (unsigned long long)aw_row_constant(codec, scalar, NULL));
}

static const char *find_value_name(const struct aw_name *names, double value)
{
    const char *name = aw_value_name(names, value);
    return name ? name : "?";
}

static void add_limits(struct aw_part *part, double min, double max)
{
    aw_part_add(part, "%.*g..%.*g", aw_digits_for(min), min, aw_digits_for(max), max);
}

static void add_choices(struct aw_part *part, const struct aw_codec *codec, int scalar)
{
    const struct aw_field *row = codec->scalars[scalar].field;
    const struct aw_name *names = codec->scalars[codec->scalars[scalar].scale_by].field->names;
    for (size_t i = 0; i < row->n_scales; i++) {
        const struct aw_scale *scale = &row->scales[i];
        aw_part_add(part, "%s%s ", i ? ", " : "", find_value_name(names, scale->selector));
        add_limits(part, scale->min, scale->max);
        aw_part_add(part, "%s%s", scale->unit ? " " : "", scale->unit ? scale->unit : "");
    }
}

static void add_default(struct aw_part *part, const struct aw_field *row)
{
    if (!row->optional || row->type == AW_TEXT)
        return;
    if (row->names)
        aw_part_add(part, " (default: %s)", find_value_name(row->names, row->fallback));
    else
        aw_part_add(part, " (default: %.*g)", aw_digits_for(row->fallback), row->fallback);
}

void aw_part_add_range(struct aw_part *part, const struct aw_codec *codec, int scalar)
{
    const struct aw_field *row = codec->scalars[scalar].field;
    struct aw_range range = aw_scalar_range(codec, scalar, NULL);
    if (!codec->scalars[scalar].has_value || row->type == AW_TEXT)
        return;
    if (row->scaled_by)
        add_choices(part, codec, scalar);
    else if (row->names) {
        for (const struct aw_name *name = row->names; name->name; name++)
            aw_part_add(part, "%s%s %d", name == row->names ? "" : ", ", name->name, name->value);
    } else if (row->type == AW_FLOAT && row->min == 0 && row->max == 0)
        aw_part_add(part, "any");
    else
        add_limits(part, range.min, range.max);
    if (row->names && row->open_names) {
        aw_part_add(part, "; else ");
        add_limits(part, range.min, range.max);
    }
    if (row->has_no_data)
        aw_part_add(part, ", or none");
    add_default(part, row);
}

void aw_part_add_code(struct aw_part *part, const struct aw_codec *codec)
{
    if (codec->protocol->frames.ascii)
        aw_part_add(part, "%s", codec->message->word);
    else if (codec->protocol->frames.is_can)
        aw_part_add(part, "%u", (unsigned)aw_can_id_of_code(codec->message->code).id);
    else
        aw_part_add(part, "%u", (unsigned)codec->message->code);
}

void aw_part_add_size(struct aw_part *part, const struct aw_codec *codec)
{
    if (codec->protocol->frames.ascii)
        aw_part_add(part, "one line");
    else if (codec->protocol->frames.is_can)
        aw_part_add(part, "id and %u bytes", codec->size - aw_can_head_bits(codec) / 8);
    else
        aw_part_add(part, "%u bytes", codec->size);
}

bool aw_is_dbc_message(const struct aw_codec *codec)
{
    return codec->message->fields && codec->message->fields->has_at;
}

unsigned aw_can_head_bits(const struct aw_codec *codec)
{
    const struct aw_field *head = codec->message->head;
    return (unsigned)aw_rows_bits(head ? head : codec->variant->head, codec->variant);
}

unsigned aw_can_bit(const struct aw_codec *codec, const struct aw_scalar *scalar, unsigned i)
{
    unsigned first = scalar->bit - aw_can_head_bits(codec), at = first + scalar->bits - 1 - i;
    return scalar->big_endian ? at / 8 * 8 + 7 - at % 8 : first + i;
}

bool aw_is_repeated(const struct aw_codec *codec, int scalar)
{
    for (int i = 0; i < scalar; i++)
        if (codec->scalars[i].field == codec->scalars[scalar].field)
            return true;
    return false;
}

const char *aw_direction_text(enum aw_dir dir)
{
    static const char *const words[] = {"", "to the device", "from the device", "both ways"};
    return words[dir];
}

bool aw_is_wanted(const struct aw_wire *wire, size_t index, const char *name)
{
    const struct aw_message *message = &wire->protocol->messages[index];
    return !message->replaced && (!name || strcmp(message->name, name) == 0);
}
