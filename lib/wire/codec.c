/* Computes the layout of a message: the position of each row, and runs of equal rows. */
#include "wire/codec.h"

#include <float.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "wire/run.h"

struct layout {
    struct aw_codec *codec;
    /* start of the next row, and of the first row after the head; in bits from the start of the
     * frame */
    uint16_t bit, payload;
    bool overflow;
};

static void add_scalar(struct layout *at, const struct aw_field *row, const char *label,
                       uint8_t repetition)
{
    struct aw_codec *codec = at->codec;
    if (codec->n_scalars == AW_MAX_SCALARS) {
        at->overflow = true;
        return;
    }
    uint8_t i = codec->n_scalars++;
    if (row->has_at)
        at->bit = (uint16_t)(at->payload + row->at);
    bool has_value = row->type >= AW_UINT && row->type <= AW_DIGITS;
    codec->scalars[i] = (struct aw_scalar){
        .field = row,
        .label = label,
        .bit = at->bit,
        .bits = aw_row_bits(row, codec->variant),
        .repetition = repetition,
        .scale_by = -1,
        .data_by = -1,
        .count_by = -1,
        .chosen_by = -1,
        .big_endian = row->big_endian,
        .has_value = has_value,
    };
    /* A row without bits is not in the frame. Its value follows from the order of the frames. */
    bool in_frame = has_value && !(row->type == AW_UINT && row->bits == 0);
    bool checked = !has_value && row->type != AW_PAD && !row->lenient;
    bool scaled = row->scale != 0 || row->offset != 0 || row->scaled_by || row->has_no_data;
    codec->masks.values |= (uint64_t)in_frame << i;
    codec->masks.constant |= (uint64_t)checked << i;
    codec->masks.marked |= (uint64_t)row->marked << i;
    codec->has_floats = codec->has_floats || row->type == AW_FLOAT;
    codec->masks.scaled |= (uint64_t)(scaled && (row->upper_bits || !codec->raw)) << i;
    at->bit = (uint16_t)(at->bit + codec->scalars[i].bits);
}

static void add_group(struct layout *at, const struct aw_field *group)
{
    int count = group->count ? aw_codec_find(at->codec, group->count) : -1;
    for (uint8_t n = 0; group->labels[n]; n++)
        for (const struct aw_field *row = group->rows; row->type != AW_ROWS_END; row++) {
            add_scalar(at, row, group->labels[n], n);
            at->codec->scalars[at->codec->n_scalars - 1].count_by = (int8_t)count;
            at->codec->scalars[at->codec->n_scalars - 1].alias =
                group->aliases ? group->aliases[n] : NULL;
            at->codec->masks.counted |= (uint64_t)(count >= 0) << (at->codec->n_scalars - 1);
        }
}

static void add_rows(struct layout *at, const struct aw_field *row)
{
    for (; row && row->type != AW_ROWS_END; row++) {
        if (row->type == AW_GROUP)
            add_group(at, row);
        else
            add_scalar(at, row, NULL, 0);
    }
}

static uint8_t find_run_kind(const struct aw_codec *codec, const struct aw_scalar *scalar)
{
    static const uint8_t kinds[AW_PAD + 1][9] = {
        [AW_UINT] = {[1] = RUN_U8, [2] = RUN_U16, [4] = RUN_U32, [8] = RUN_U64},
        [AW_SINT] = {[1] = RUN_S8, [2] = RUN_S16, [4] = RUN_S32, [8] = RUN_S64},
        [AW_LONG] = {[4] = RUN_S32, [8] = RUN_S64},
        [AW_FLOAT] = {[4] = RUN_F32, [8] = RUN_F64},
        [AW_SIGNMAG] = {[3] = RUN_SIGNMAG},
    };
    enum aw_type type = scalar->field->type;
    if (type == AW_TEXT)
        return RUN_TEXT;
    uint8_t kind =
        scalar->bit % 8 == 0 && scalar->bits % 8 == 0 ? kinds[type][scalar->bits / 8] : 0;
    if (!kind && (scalar->big_endian || type == AW_FLOAT))
        return RUN_ODD_BITS;
    if (!kind)
        return type == AW_SINT ? RUN_SIGNED_BITS : RUN_BITS;
    bool big = codec->variant->big_endian || scalar->big_endian;
    return (uint8_t)(kind + (big ? RUN_BIG_ENDIAN : 0));
}

/* Adds a row to a run. The second row determines the distance, which all later rows must have. */
static bool extend_run(struct aw_codec_run *run, uint8_t kind, uint8_t scalar, uint16_t byte)
{
    if (run->kind != kind || kind < RUN_U8)
        return false;
    if (run->count == 1) {
        run->scalar_step = (uint8_t)(scalar - run->scalar);
        run->byte_step = (uint16_t)(byte - run->byte);
    }
    if (run->scalar + run->count * run->scalar_step != scalar ||
        run->byte + run->count * run->byte_step != byte)
        return false;
    run->count++;
    return true;
}

static void make_runs(struct aw_codec *codec)
{
    for (uint8_t i = 0; i < codec->n_scalars; i++) {
        const struct aw_scalar *scalar = &codec->scalars[i];
        if (!scalar->has_value)
            continue;
        uint8_t kind = find_run_kind(codec, scalar), at = 0;
        uint16_t byte = scalar->bit / 8;
        while (at < codec->n_runs && !extend_run(&codec->runs[at], kind, i, byte))
            at++;
        if (at == codec->n_runs)
            codec->runs[codec->n_runs++] =
                (struct aw_codec_run){.kind = kind, .count = 1, .scalar = i, .byte = byte};
    }
}

/* Rejects cycles of choosers. A row in a cycle loses its chooser. */
static enum aw_status check_choosers(struct aw_codec *codec)
{
    enum aw_status status = AW_OK;
    for (int i = 0; i < codec->n_scalars; i++) {
        int chooser = codec->scalars[i].chosen_by;
        for (int steps = 0; chooser >= 0 && chooser != i && steps < codec->n_scalars; steps++)
            chooser = codec->scalars[chooser].chosen_by;
        if (chooser < 0)
            continue;
        codec->scalars[i].chosen_by = -1;
        codec->masks.chosen &= ~(UINT64_C(1) << i);
        status = AW_LIMIT;
    }
    return status;
}

enum aw_status aw_codec_init(struct aw_codec *codec, const struct aw_protocol *protocol,
                             const struct aw_variant *variant, const struct aw_message *message,
                             bool raw)
{
    struct layout at = {.codec = codec};
    codec->protocol = protocol;
    codec->variant = variant;
    codec->message = message;
    codec->raw = raw;
    codec->has_floats = false;
    codec->n_scalars = codec->n_runs = 0;
    codec->masks.values = codec->masks.counted = codec->masks.chosen = codec->masks.scaled =
        codec->masks.constant = codec->masks.marked = 0;
    add_rows(&at, message->head ? message->head : variant->head);
    at.payload = at.bit;
    add_rows(&at, message->fields);
    add_rows(&at, variant->tail);
    if (at.overflow)
        return AW_LIMIT;
    for (int i = 0; i < codec->n_scalars; i++) {
        struct aw_scalar *scalar = &codec->scalars[i];
        if (scalar->field->scaled_by)
            scalar->scale_by = (int8_t)aw_codec_find(codec, scalar->field->scaled_by);
        if (scalar->field->no_data_with)
            scalar->data_by = (int8_t)aw_codec_find(codec, scalar->field->no_data_with);
        if (scalar->field->chooser)
            scalar->chosen_by = (int8_t)aw_codec_find(codec, scalar->field->chooser);
        codec->masks.chosen |= (uint64_t)(scalar->chosen_by >= 0) << i;
    }
    codec->size = (uint16_t)(message->size ? message->size : (at.bit + 7) / 8);
    if (!protocol->frames.ascii) {
        make_runs(codec);
        aw_constants_init(codec);
    }
    return check_choosers(codec);
}

size_t aw_scalar_name(const struct aw_scalar *scalar, char *out, size_t size)
{
    int length = snprintf(out, size, "%s%s%s", scalar->label ? scalar->label : "",
                          scalar->label ? "." : "", scalar->field->name);
    return (size_t)length;
}

static bool equals_name(const char *name, const char *text, size_t length)
{
    return name && *name == *text && strncmp(name, text, length) == 0 && name[length] == '\0';
}

/* tail is the part of the name after the dot, of this length. */
static bool scalar_matches(const struct aw_scalar *scalar, const char *name, const char *dot,
                           const char *tail, size_t length)
{
    const struct aw_field *row = scalar->field;
    if (!equals_name(row->name, tail, length) && !equals_name(row->alias, tail, length))
        return false;
    if (!dot)
        return true;
    size_t label = (size_t)(dot - name);
    return equals_name(scalar->label, name, label) || equals_name(scalar->alias, name, label);
}

/* "x" finds camera.x if only one scalar has that name. A plain field precedes a grouped one. */
int aw_codec_find(const struct aw_codec *codec, const char *name)
{
    const char *dot = strchr(name, '.'), *tail = dot ? dot + 1 : name;
    const size_t length = strlen(tail);
    int found = -1, matches = 0;
    for (int i = 0; i < codec->n_scalars; i++) {
        const struct aw_scalar *scalar = &codec->scalars[i];
        if (!scalar->has_value || !scalar_matches(scalar, name, dot, tail, length))
            continue;
        if (dot || !scalar->label)
            return i;
        found = i;
        matches++;
    }
    return matches == 1 ? found : -1;
}

/* Finds the range of numbers that the wire can represent. */
static void find_wire_limits(const struct aw_scalar *scalar, double *low, double *high)
{
    static const double digits[] = {0, 9, 99, 999, 9999};
    switch (scalar->field->type) {
    case AW_UINT: /* a double has 53 bits, so this is the largest one below 2^64 */
        *low = 0;
        *high = ldexp(1, scalar->bits) - (scalar->bits > 53 ? ldexp(1, scalar->bits - 53) : 1);
        break;
    case AW_DIGITS:
        *low = 0;
        *high = digits[scalar->field->digits];
        break;
    case AW_SIGNMAG:
        *high = 65535;
        *low = -*high;
        break;
    case AW_FLOAT:
        *high = scalar->bits == 64 ? DBL_MAX : (double)FLT_MAX;
        *low = -*high;
        break;
    default:
        /* A double has 53 bits, so this is the largest one below 2^63. */
        *low = -ldexp(1, scalar->bits - 1);
        *high = -*low - (scalar->bits > 54 ? ldexp(1, scalar->bits - 54) : 1);
    }
}

bool aw_scalar_is_chosen(const struct aw_codec *codec, int scalar, const double *values)
{
    for (int chooser; (chooser = codec->scalars[scalar].chosen_by) >= 0; scalar = chooser) {
        const struct aw_choice *choice = codec->scalars[scalar].field->choices;
        while (choice->min <= choice->max &&
               !(values[chooser] >= (double)choice->min && values[chooser] <= (double)choice->max))
            choice++;
        if (choice->min > choice->max)
            return false;
    }
    return true;
}

static const struct aw_scale *find_scale(const struct aw_scalar *scalar,
                                         const struct aw_record *record)
{
    if (scalar->scale_by < 0 || !record || !(record->present >> scalar->scale_by & 1))
        return NULL;
    const struct aw_field *row = scalar->field;
    for (size_t i = 0; i < row->n_scales; i++)
        if (row->scales[i].selector == record->v[scalar->scale_by])
            return &row->scales[i];
    return NULL;
}

/* Avoids fmin and fmax, which are function calls: encoding calls this function for every value. */
static double clamp_double(double value)
{
    return value > DBL_MAX ? DBL_MAX : value < -DBL_MAX ? -DBL_MAX : value;
}

struct aw_range aw_scalar_range(const struct aw_codec *codec, int scalar,
                                const struct aw_record *record)
{
    const struct aw_field *row = codec->scalars[scalar].field;
    const struct aw_scale *choice = codec->raw ? NULL : find_scale(&codec->scalars[scalar], record);
    struct aw_range range = {row->unit, row->scale != 0 ? row->scale : 1, row->offset, row->min,
                             row->max};
    if (choice)
        range = (struct aw_range){choice->unit, choice->scale, 0, choice->min, choice->max};
    if (codec->raw)
        range = (struct aw_range){.unit = NULL, .scale = row->upper_bits ? row->scale : 1};
    if (range.min == 0 && range.max == 0) {
        double low, high;
        find_wire_limits(&codec->scalars[scalar], &low, &high);
        low = low * range.scale + range.offset;
        high = high * range.scale + range.offset;
        range.min = clamp_double(low < high ? low : high);
        range.max = clamp_double(low < high ? high : low);
    }
    return range;
}
