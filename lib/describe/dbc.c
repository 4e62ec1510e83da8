/* The messages of a CAN protocol as a DBC file. A message that goes to or from one of several
 * boards is listed once for each board that has a name. */
#include <math.h>
#include <string.h>

#include "describe/parts.h"
#include "wire/run.h"

#define ID_BITS 16 /* of the engine's frame, before the data */

struct emitter {
    FILE *out;
    const struct aw_codec *codec;
    const char *board;
    unsigned id;
};

static void print_number(FILE *out, double value)
{
    struct aw_part number = {0};
    aw_part_number(&number, value);
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
    static const struct aw_name only[] = {{0, "device"}, {0}};
    const struct aw_codec *codec = aw_wire_codec_at(wire, 0);
    for (int i = 0; i < codec->n_leaves && codec->leaves[i].bit < ID_BITS; i++)
        if (codec->leaves[i].value && codec->leaves[i].field->names)
            return codec->leaves[i].field->names;
    return only;
}

unsigned aw_can_id(const struct aw_codec *codec, int32_t board)
{
    unsigned id = 0;
    for (int i = 0; i < codec->n_leaves && codec->leaves[i].bit < ID_BITS; i++) {
        const struct aw_leaf *leaf = &codec->leaves[i];
        double scale = leaf->field->scale != 0 ? leaf->field->scale : 1;
        unsigned value =
            leaf->value ? (unsigned)(board / scale) : (unsigned)aw_fixed_value(codec, leaf, NULL);
        id |= value << leaf->bit;
    }
    return id;
}

static bool is_signal(const struct aw_leaf *leaf)
{
    return leaf->value && leaf->bit >= ID_BITS;
}

static bool chooses_scale(const struct aw_codec *codec, int leaf)
{
    for (int i = 0; i < codec->n_leaves; i++)
        if (codec->leaves[i].by == leaf)
            return true;
    return false;
}

static const char *name_of(const struct aw_name *names, int32_t value)
{
    while (names->name && names->value != value)
        names++;
    return names->name;
}

/* A field whose scale depends on another one is one signal for each scale: value_pos, value_tor. */
static void print_scale_name(FILE *out, const struct aw_codec *codec, const struct aw_leaf *leaf,
                             const struct aw_scale *scale)
{
    const struct aw_field *chooser = codec->leaves[leaf->by].field;
    fprintf(out, "%s_%s", leaf->field->name, name_of(chooser->names, scale->when));
}

static void print_coding(const struct emitter *e, const struct aw_leaf *leaf,
                         const struct aw_range *range)
{
    const struct aw_field *row = leaf->field;
    bool is_signed = row->type == AW_SINT || row->type == AW_LONG || row->type == AW_FLOAT;
    bool open = row->type == AW_FLOAT && !row->by && row->min == 0 && row->max == 0;
    fprintf(e->out, " : %d|%d@1%c (", leaf->bit - ID_BITS, leaf->bits, is_signed ? '-' : '+');
    print_number(e->out, range->scale);
    fputc(',', e->out);
    print_number(e->out, range->offset);
    fprintf(e->out, ") [%.15g|%.15g] ", open ? 0 : range->min, open ? 0 : range->max);
    print_quoted(e->out, range->unit);
    fprintf(e->out, " %s\n", e->codec->message->dir == AW_TX ? e->board : "host");
}

static void print_choices(const struct emitter *e, const struct aw_leaf *leaf)
{
    for (size_t i = 0; i < leaf->field->n_scales; i++) {
        const struct aw_scale *scale = &leaf->field->scales[i];
        struct aw_range range = {scale->unit, scale->scale, 0, scale->min, scale->max};
        fputs(" SG_ ", e->out);
        print_scale_name(e->out, e->codec, leaf, scale);
        fprintf(e->out, " m%d", scale->when);
        print_coding(e, leaf, &range);
    }
}

static void print_signals(const struct emitter *e)
{
    for (int i = 0; i < e->codec->n_leaves; i++) {
        const struct aw_leaf *leaf = &e->codec->leaves[i];
        struct aw_range range = aw_leaf_range(e->codec, i, NULL);
        if (!is_signal(leaf))
            continue;
        if (leaf->by >= 0) {
            print_choices(e, leaf);
            continue;
        }
        const char *mark = chooses_scale(e->codec, i) ? " M" : "";
        fprintf(e->out, " SG_ %s%s", leaf->field->name, mark);
        print_coding(e, leaf, &range);
    }
}

static void print_message(const struct emitter *e)
{
    fprintf(e->out, "\nBO_ %u %s_%s: %u %s\n", e->id, e->board, e->codec->message->name,
            e->codec->size - ID_BITS / 8u, e->codec->message->dir == AW_TX ? "host" : e->board);
    print_signals(e);
}

static void print_comments(const struct emitter *e)
{
    fprintf(e->out, "CM_ BO_ %u ", e->id);
    print_quoted(e->out, e->codec->message->help);
    fputs(";\n", e->out);
    for (int i = 0; i < e->codec->n_leaves; i++) {
        const struct aw_leaf *leaf = &e->codec->leaves[i];
        if (!is_signal(leaf) || leaf->by >= 0 || !leaf->field->help)
            continue;
        fprintf(e->out, "CM_ SG_ %u %s ", e->id, leaf->field->name);
        print_quoted(e->out, leaf->field->help);
        fputs(";\n", e->out);
    }
}

static void print_values(const struct emitter *e)
{
    for (int i = 0; i < e->codec->n_leaves; i++) {
        const struct aw_leaf *leaf = &e->codec->leaves[i];
        const struct aw_field *row = leaf->field;
        bool none = row->has_no_data && !row->no_data_with; /* DBC knows no "where that one is" */
        if (!is_signal(leaf) || (!row->names && !none))
            continue;
        fprintf(e->out, "VAL_ %u %s", e->id, row->name);
        for (const struct aw_name *name = row->names; name && name->name; name++)
            fprintf(e->out, " %d \"%s\"", name->value, name->name);
        if (none)
            fprintf(e->out, " %d \"none\"", row->no_data);
        fputs(" ;\n", e->out);
    }
}

/* 1: the bits are an IEEE 754 number. */
static void print_types(const struct emitter *e)
{
    for (int i = 0; i < e->codec->n_leaves; i++) {
        const struct aw_leaf *leaf = &e->codec->leaves[i];
        if (!is_signal(leaf) || leaf->field->type != AW_FLOAT)
            continue;
        if (leaf->by < 0)
            fprintf(e->out, "SIG_VALTYPE_ %u %s : 1;\n", e->id, leaf->field->name);
        for (size_t n = 0; leaf->by >= 0 && n < leaf->field->n_scales; n++) {
            fprintf(e->out, "SIG_VALTYPE_ %u ", e->id);
            print_scale_name(e->out, e->codec, leaf, &leaf->field->scales[n]);
            fputs(" : 1;\n", e->out);
        }
    }
}

/* Calls print for every message of every board. */
static void each_message(FILE *out, struct aw_wire *wire, void (*print)(const struct emitter *e))
{
    for (const struct aw_name *board = aw_can_boards(wire); board->name; board++)
        for (size_t i = 0; i < wire->protocol->n_messages; i++) {
            const struct aw_codec *codec = aw_wire_codec_at(wire, i);
            print(&(struct emitter){out, codec, board->name, aw_can_id(codec, board->value)});
        }
}

static void print_nodes(FILE *out, struct aw_wire *wire)
{
    fputs("BU_: host", out);
    for (const struct aw_name *board = aw_can_boards(wire); board->name; board++)
        fprintf(out, " %s", board->name);
    fputs("\n", out);
}

void aw_describe_dbc(FILE *out, struct aw_wire *wire)
{
    fprintf(out, "VERSION \"%s %s\"\n\nNS_ :\n\nBS_:\n\n", wire->protocol->name,
            wire->variant.name);
    print_nodes(out, wire);
    each_message(out, wire, print_message);
    fputs("\nCM_ ", out);
    print_quoted(out, wire->protocol->title);
    fputs(";\n", out);
    each_message(out, wire, print_comments);
    fputs("BA_DEF_ \"BusType\" STRING ;\nBA_DEF_DEF_ \"BusType\" \"CAN\";\n", out);
    each_message(out, wire, print_values);
    each_message(out, wire, print_types);
}
