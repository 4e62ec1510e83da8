/* Prints the messages of a CAN protocol as a DBC file. A message that belongs to several boards is
 * printed once for each board. */
#include <string.h>

#include "describe/parts.h"
#include "packets/dbc.h"
#include "wire/can_id.h"
#include "wire/rows.h"
#include "wire/run.h"

#define ID_BITS 16         /* size of a board's identifier, which precedes the data */
#define IS_LONG (1u << 31) /* marks an identifier of 29 bits */

struct emitter {
    FILE *out;
    const struct aw_codec *codec;
    const char *board; /* NULL: the message's name contains the node */
    unsigned id;
};

static void print_number(FILE *out, double value)
{
    struct aw_part number = {0};
    aw_part_add_number(&number, value);
    fputs(number.text, out);
}

static void print_quoted(FILE *out, const char *text)
{
    fputc('"', out);
    for (; text && *text; text++)
        fputc(*text == '"' ? '\'' : *text, out);
    fputc('"', out);
}

const struct aw_name *aw_can_boards(struct aw_wire *wire)
{
    static const struct aw_name single[] = {{0, "device"}, {0}};
    const struct aw_codec *codec = aw_wire_codec_at(wire, 0);
    for (int i = 0; i < codec->n_scalars && codec->scalars[i].bit < ID_BITS; i++)
        if (codec->scalars[i].has_value && codec->scalars[i].field->names)
            return codec->scalars[i].field->names;
    return single;
}

unsigned aw_can_board_id(const struct aw_codec *codec, int32_t board)
{
    unsigned id = 0;
    for (int i = 0; i < codec->n_scalars && codec->scalars[i].bit < ID_BITS; i++) {
        const struct aw_scalar *scalar = &codec->scalars[i];
        double scale = scalar->field->scale != 0 ? scalar->field->scale : 1;
        unsigned value = scalar->has_value ? (unsigned)(board / scale)
                                           : (unsigned)aw_row_constant(codec, scalar, NULL);
        id |= value << scalar->bit;
    }
    return id;
}

static bool is_signal(const struct aw_scalar *scalar)
{
    return scalar->has_value && scalar->bit >= ID_BITS;
}

static bool chooses_scale(const struct aw_codec *codec, int scalar)
{
    for (int i = 0; i < codec->n_scalars; i++)
        if (codec->scalars[i].scale_by == scalar)
            return true;
    return false;
}

/* Prints the name of a signal. A field whose scale depends on another field becomes one signal per
 * scale: value_pos, value_tor. */
static void print_scale_name(FILE *out, const struct aw_codec *codec,
                             const struct aw_scalar *scalar, const struct aw_scale *scale)
{
    const struct aw_field *chooser = codec->scalars[scalar->scale_by].field;
    fprintf(out, "%s_%s", scalar->field->name, aw_value_name(chooser->names, scale->selector));
}

/* Prints a multiplexing mark: "M", "m3", "m3M". If several values select the signal, prints the
 * first; SG_MUL_VAL_ lists all of them. */
static void print_mux_mark(const struct emitter *e, int scalar)
{
    const struct aw_scalar *scalars = e->codec->scalars;
    bool is_chooser = chooses_scale(e->codec, scalar);
    for (int i = 0; i < e->codec->n_scalars; i++)
        is_chooser = is_chooser || scalars[i].chosen_by == scalar;
    bool is_chosen = scalars[scalar].chosen_by >= 0;
    if (is_chosen)
        fprintf(e->out, " m%lld", (long long)scalars[scalar].field->choices->min);
    if (is_chooser)
        fputs(is_chosen ? "M" : " M", e->out);
}

static void print_coding(const struct emitter *e, const struct aw_scalar *scalar,
                         const struct aw_range *range)
{
    const struct aw_field *row = scalar->field;
    bool is_signed = row->type == AW_SINT || row->type == AW_LONG || row->type == AW_FLOAT;
    bool unlimited = row->type == AW_FLOAT && !row->scaled_by && row->min == 0 && row->max == 0;
    unsigned first = aw_can_bit(e->codec, scalar, scalar->big_endian ? scalar->bits - 1u : 0);
    fprintf(e->out, " : %u|%d@%d%c (", first, scalar->bits, !scalar->big_endian,
            is_signed ? '-' : '+');
    print_number(e->out, range->scale);
    fputc(',', e->out);
    print_number(e->out, range->offset);
    fprintf(e->out, ") [%.15g|%.15g] ", unlimited ? 0 : range->min, unlimited ? 0 : range->max);
    print_quoted(e->out, range->unit);
    fprintf(e->out, " %s\n",
            !e->board                         ? AW_DBC_NO_NODE
            : e->codec->message->dir == AW_TX ? e->board
                                              : "host");
}

static void print_choices(const struct emitter *e, const struct aw_scalar *scalar)
{
    for (size_t i = 0; i < scalar->field->n_scales; i++) {
        const struct aw_scale *scale = &scalar->field->scales[i];
        struct aw_range range = {scale->unit, scale->scale, 0, scale->min, scale->max};
        fputs(" SG_ ", e->out);
        print_scale_name(e->out, e->codec, scalar, scale);
        fprintf(e->out, " m%d", scale->selector);
        print_coding(e, scalar, &range);
    }
}

static void print_message(const struct emitter *e)
{
    const char *name = e->codec->message->name, *dot = strchr(name, '.');
    unsigned size = e->codec->size - aw_can_head_bits(e->codec) / 8;
    if (e->board)
        fprintf(e->out, "\nBO_ %u %s_%s: %u %s\n", e->id, e->board, name, size,
                e->codec->message->dir == AW_TX ? "host" : e->board);
    else
        fprintf(e->out, "\nBO_ %u %s: %u %.*s\n", e->id, dot ? dot + 1 : name, size,
                (int)(dot ? dot - name : (ptrdiff_t)strlen(AW_DBC_NO_NODE)),
                dot ? name : AW_DBC_NO_NODE);
    for (int i = 0; i < e->codec->n_scalars; i++) {
        const struct aw_scalar *scalar = &e->codec->scalars[i];
        struct aw_range range = aw_scalar_range(e->codec, i, NULL);
        if (!is_signal(scalar))
            continue;
        if (scalar->scale_by >= 0) {
            print_choices(e, scalar);
            continue;
        }
        fprintf(e->out, " SG_ %s", scalar->field->name);
        print_mux_mark(e, i);
        print_coding(e, scalar, &range);
    }
}

static void print_comments(const struct emitter *e)
{
    if (*e->codec->message->help) {
        fprintf(e->out, "CM_ BO_ %u ", e->id);
        print_quoted(e->out, e->codec->message->help);
        fputs(";\n", e->out);
    }
    for (int i = 0; i < e->codec->n_scalars; i++) {
        const struct aw_scalar *scalar = &e->codec->scalars[i];
        if (!is_signal(scalar) || scalar->scale_by >= 0 || !scalar->field->help)
            continue;
        fprintf(e->out, "CM_ SG_ %u %s ", e->id, scalar->field->name);
        print_quoted(e->out, scalar->field->help);
        fputs(";\n", e->out);
    }
}

static void print_values(const struct emitter *e)
{
    for (int i = 0; i < e->codec->n_scalars; i++) {
        const struct aw_scalar *scalar = &e->codec->scalars[i];
        const struct aw_field *row = scalar->field;
        /* DBC cannot express .no_data_with. */
        bool has_none = row->has_no_data && !row->no_data_with;
        if (!is_signal(scalar) || (!row->names && !has_none))
            continue;
        fprintf(e->out, "VAL_ %u %s", e->id, row->name);
        for (const struct aw_name *name = row->names; name && name->name; name++)
            fprintf(e->out, " %d \"%s\"", name->value, name->name);
        if (has_none)
            fprintf(e->out, " %d \"none\"", row->no_data);
        fputs(" ;\n", e->out);
    }
}

/* Prints the types of floats: 1 for an IEEE 754 single, 2 for a double. */
static void print_types(const struct emitter *e)
{
    for (int i = 0; i < e->codec->n_scalars; i++) {
        const struct aw_scalar *scalar = &e->codec->scalars[i];
        if (!is_signal(scalar) || scalar->field->type != AW_FLOAT)
            continue;
        if (scalar->scale_by < 0)
            fprintf(e->out, "SIG_VALTYPE_ %u %s : %d;\n", e->id, scalar->field->name,
                    scalar->bits == 64 ? 2 : 1);
        for (size_t n = 0; scalar->scale_by >= 0 && n < scalar->field->n_scales; n++) {
            fprintf(e->out, "SIG_VALTYPE_ %u ", e->id);
            print_scale_name(e->out, e->codec, scalar, &scalar->field->scales[n]);
            fputs(" : 1;\n", e->out);
        }
    }
}

static void print_choosers(const struct emitter *e)
{
    for (int i = 0; i < e->codec->n_scalars; i++) {
        const struct aw_scalar *scalar = &e->codec->scalars[i];
        if (scalar->chosen_by < 0)
            continue;
        fprintf(e->out, "SG_MUL_VAL_ %u %s %s", e->id, scalar->field->name,
                e->codec->scalars[scalar->chosen_by].field->name);
        const struct aw_choice *choice = scalar->field->choices;
        for (; choice->min <= choice->max; choice++)
            fprintf(e->out, "%s %lld-%lld", choice == scalar->field->choices ? "" : ",",
                    (long long)choice->min, (long long)choice->max);
        fputs(";\n", e->out);
    }
}

bool aw_is_board_message(const struct aw_codec *codec)
{
    return !codec->message->head;
}

/* Node that stands for all devices with custom packets. */
static const char others[] = "other";

/* Returns true for a message of a DBC file. Its name contains its sender. */
static bool is_from_dbc(const struct aw_codec *codec)
{
    return !aw_is_board_message(codec) && codec->message->dir == AW_BOTH &&
           codec->scalars[0].bits > 11;
}

static unsigned get_dbc_id(const struct aw_codec *codec)
{
    struct aw_can_id id = aw_can_id_of_code(codec->message->code);
    return id.id | (id.is_long ? IS_LONG : 0);
}

/* Calls print for every message of every board, and for the messages of other nodes. */
static void for_each_message(FILE *out, struct aw_wire *wire,
                             void (*print)(const struct emitter *e))
{
    size_t n = wire->protocol->n_messages;
    for (const struct aw_name *board = aw_can_boards(wire); board->name; board++)
        for (size_t i = 0; i < n; i++) {
            const struct aw_codec *codec = aw_wire_codec_at(wire, i);
            if (aw_is_board_message(codec))
                print(&(struct emitter){out, codec, board->name,
                                        aw_can_board_id(codec, board->value)});
        }
    for (size_t i = 0; i < n; i++) {
        const struct aw_codec *codec = aw_wire_codec_at(wire, i);
        if (!aw_is_board_message(codec))
            print(&(struct emitter){out, codec, is_from_dbc(codec) ? NULL : others,
                                    get_dbc_id(codec)});
    }
}

static bool has_other_node(struct aw_wire *wire)
{
    for (size_t i = 0; i < wire->protocol->n_messages; i++)
        if (!aw_is_board_message(aw_wire_codec_at(wire, i)) &&
            !is_from_dbc(aw_wire_codec_at(wire, i)))
            return true;
    return false;
}

/* Prints each sender of DBC messages once. */
static void print_nodes(FILE *out, struct aw_wire *wire)
{
    for (size_t i = 0; i < wire->protocol->n_messages; i++) {
        const char *name = wire->protocol->messages[i].name, *dot = strchr(name, '.');
        size_t k = 0, length = dot ? (size_t)(dot - name) : 0;
        while (dot && k < i && strncmp(wire->protocol->messages[k].name, name, length + 1) != 0)
            k++;
        if (dot && k == i)
            fprintf(out, " %.*s", (int)length, name);
    }
}

void aw_describe_dbc(FILE *out, struct aw_wire *wire)
{
    fprintf(out, "VERSION \"%s %s\"\n\nNS_ :\n\nBS_:\n\n", wire->protocol->name,
            wire->variant.name);
    fputs("BU_: host", out);
    for (const struct aw_name *board = aw_can_boards(wire); board->name; board++)
        fprintf(out, " %s", board->name);
    fputs(has_other_node(wire) ? " " : "", out);
    fputs(has_other_node(wire) ? others : "", out);
    print_nodes(out, wire);
    fputc('\n', out);
    for_each_message(out, wire, print_message);
    fputs("\nCM_ ", out);
    print_quoted(out, wire->protocol->title);
    fputs(";\n", out);
    for_each_message(out, wire, print_comments);
    fputs("BA_DEF_ \"BusType\" STRING ;\nBA_DEF_DEF_ \"BusType\" \"CAN\";\n", out);
    for_each_message(out, wire, print_values);
    for_each_message(out, wire, print_types);
    for_each_message(out, wire, print_choosers);
}
