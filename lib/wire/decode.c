/* Converts frames to records: extracts values in runs of one kind, and scales and checks them. */
#include <math.h>
#include <string.h>

#include "base/bytes.h"
#include "wire/can_id.h"
#include "wire/run.h"

static inline double to_float(uint32_t bits)
{
    float value;
    memcpy(&value, &bits, sizeof value);
    return (double)value;
}

static inline double to_double(uint64_t bits)
{
    double value;
    memcpy(&value, &bits, sizeof value);
    return value;
}

static inline double signed_magnitude(uint32_t magnitude, uint8_t sign)
{
    return sign ? (double)magnitude : -(double)magnitude;
}

/* Defines one function per kind of run. */
#define LOADER(name, expression)                                                                   \
    static void load_##name(const struct aw_codec_run *run, const uint8_t *p, double *v)           \
    {                                                                                              \
        for (unsigned n = run->count; n > 0; n--) {                                                \
            *v = (double)(expression);                                                             \
            v += run->scalar_step;                                                                 \
            p += run->byte_step;                                                                   \
        }                                                                                          \
    }

LOADER(u8, *p)
LOADER(s8, (int8_t)*p)
LOADER(u16, aw_get_u16(p))
LOADER(s16, (int16_t)aw_get_u16(p))
LOADER(u32, aw_get_u32(p))
LOADER(s32, (int32_t)aw_get_u32(p))
LOADER(s64, (int64_t)aw_get_u64(p))
LOADER(u64, aw_get_u64(p))
LOADER(f32, to_float(aw_get_u32(p)))
LOADER(f64, to_double(aw_get_u64(p)))
LOADER(signmag, signed_magnitude(aw_get_u16(p), p[2]))
LOADER(u16_big, __builtin_bswap16(aw_get_u16(p)))
LOADER(s16_big, (int16_t)__builtin_bswap16(aw_get_u16(p)))
LOADER(u32_big, __builtin_bswap32(aw_get_u32(p)))
LOADER(s32_big, (int32_t)__builtin_bswap32(aw_get_u32(p)))
LOADER(s64_big, (int64_t)__builtin_bswap64(aw_get_u64(p)))
LOADER(u64_big, __builtin_bswap64(aw_get_u64(p)))
LOADER(f32_big, to_float(__builtin_bswap32(aw_get_u32(p))))
LOADER(f64_big, to_double(__builtin_bswap64(aw_get_u64(p))))
LOADER(signmag_big, signed_magnitude(__builtin_bswap16(aw_get_u16(p)), p[2]))

static void (*const loaders[RUN_KINDS])(const struct aw_codec_run *run, const uint8_t *p,
                                        double *v) = {
    [RUN_U8] = load_u8,
    [RUN_S8] = load_s8,
    [RUN_U16] = load_u16,
    [RUN_S16] = load_s16,
    [RUN_U32] = load_u32,
    [RUN_S32] = load_s32,
    [RUN_S64] = load_s64,
    [RUN_U64] = load_u64,
    [RUN_F32] = load_f32,
    [RUN_F64] = load_f64,
    [RUN_SIGNMAG] = load_signmag,
    [RUN_BIG_ENDIAN + RUN_U8] = load_u8,
    [RUN_BIG_ENDIAN + RUN_S8] = load_s8,
    [RUN_BIG_ENDIAN + RUN_U16] = load_u16_big,
    [RUN_BIG_ENDIAN + RUN_S16] = load_s16_big,
    [RUN_BIG_ENDIAN + RUN_U32] = load_u32_big,
    [RUN_BIG_ENDIAN + RUN_S32] = load_s32_big,
    [RUN_BIG_ENDIAN + RUN_S64] = load_s64_big,
    [RUN_BIG_ENDIAN + RUN_U64] = load_u64_big,
    [RUN_BIG_ENDIAN + RUN_F32] = load_f32_big,
    [RUN_BIG_ENDIAN + RUN_F64] = load_f64_big,
    [RUN_BIG_ENDIAN + RUN_SIGNMAG] = load_signmag_big,
};

static bool has_no_data(const struct aw_codec *codec, const struct aw_record *record, int i)
{
    int key = codec->scalars[i].data_by >= 0 ? codec->scalars[i].data_by : i;
    const struct aw_field *row = codec->scalars[key].field;
    return row->has_no_data && record->v[key] == row->no_data;
}

static void scale_values(const struct aw_codec *codec, struct aw_record *record)
{
    for (uint64_t left = codec->masks.scaled; left; left &= left - 1) {
        int i = __builtin_ctzll(left);
        const struct aw_field *row = codec->scalars[i].field;
        if (has_no_data(codec, record, i))
            record->v[i] = NAN;
        else if (row->scaled_by) {
            struct aw_range range = aw_scalar_range(codec, i, record);
            record->v[i] = record->v[i] * range.scale + range.offset;
        } else if (row->scale != 0 || row->offset != 0)
            record->v[i] = record->v[i] * (row->scale != 0 ? row->scale : 1) + row->offset;
        if (!isfinite(record->v[i])) /* exceeds the range of double */
            record->v[i] = NAN;
    }
}

/* Checks the constants in these rows. */
static enum aw_status check_rows(const struct aw_codec *codec, uint64_t rows, const uint8_t *data,
                                 struct aw_error *err)
{
    for (uint64_t left = rows; left; left &= left - 1) {
        const struct aw_scalar *scalar = &codec->scalars[__builtin_ctzll(left)];
        uint64_t found = aw_bits_get(data, scalar->bit, scalar->bits, codec->variant->big_endian);
        uint64_t expected = aw_row_constant(codec, scalar, data);
        if (found != expected)
            return aw_fail(err, AW_MALFORMED, "%s: %s is 0x%02llX, expected 0x%02llX",
                           codec->message->name, scalar->field->name, (unsigned long long)found,
                           (unsigned long long)expected);
    }
    return AW_OK;
}

/* Finds the first row with .marked whose value is wrong. Decoding accepts such a frame; the
 * caller reports the value. */
static __attribute__((noinline)) void find_odd(const struct aw_codec *codec, const uint8_t *data,
                                               struct aw_record *record)
{
    for (uint64_t left = codec->masks.marked; left; left &= left - 1) {
        int i = __builtin_ctzll(left);
        const struct aw_scalar *scalar = &codec->scalars[i];
        uint64_t found = aw_bits_get(data, scalar->bit, scalar->bits, codec->variant->big_endian);
        bool is_right = scalar->has_value ? (double)found <= scalar->field->max
                                          : found == aw_row_constant(codec, scalar, data);
        if (is_right)
            continue;
        record->odd_scalar = (uint8_t)i;
        record->odd_number = found;
        return;
    }
}

static enum aw_status drop_uncounted(const struct aw_codec *codec, struct aw_record *record,
                                     struct aw_error *err)
{
    for (uint64_t left = codec->masks.counted; left; left &= left - 1) {
        int i = __builtin_ctzll(left);
        const struct aw_scalar *scalar = &codec->scalars[i];
        const struct aw_field *count_row = codec->scalars[scalar->count_by].field;
        double count = record->v[scalar->count_by];
        if (!(count >= count_row->min && count <= count_row->max) || count != floor(count))
            return aw_fail(err, AW_MALFORMED, "%s: %s is %g, expected %g to %g",
                           codec->message->name, count_row->name, count, count_row->min,
                           count_row->max);
        if (scalar->repetition >= count)
            record->present &= ~(UINT64_C(1) << i);
    }
    return AW_OK;
}

/* A value that is not finite makes the sum not finite, so one test covers the whole record. */
static bool all_finite(const struct aw_codec *codec, const struct aw_record *record)
{
    double sum = 0;
    for (unsigned i = 0; i < codec->n_runs; i++) {
        const struct aw_codec_run *run = &codec->runs[i];
        unsigned kind = run->kind % RUN_BIG_ENDIAN;
        if (kind == RUN_F32 || kind == RUN_F64 || kind == RUN_ODD_BITS)
            for (unsigned n = 0; n < run->count; n++)
                sum += record->v[run->scalar + n * run->scalar_step] * 0;
    }
    return sum == 0;
}

static enum aw_status clear_non_finite(const struct aw_codec *codec, struct aw_record *record,
                                       struct aw_error *err)
{
    enum aw_status status = AW_OK;
    for (int i = 0; i < codec->n_scalars; i++) {
        if (codec->scalars[i].field->type != AW_FLOAT || !(record->present >> i & 1) ||
            isfinite(record->v[i]))
            continue;
        char name[64];
        aw_scalar_name(&codec->scalars[i], name, sizeof name);
        record->v[i] = NAN;
        status =
            aw_fail(err, AW_MALFORMED, "%s: %s is not a finite number", codec->message->name, name);
    }
    return status;
}

static void drop_unchosen(const struct aw_codec *codec, struct aw_record *record)
{
    for (uint64_t left = codec->masks.chosen; left; left &= left - 1) {
        int i = __builtin_ctzll(left);
        if (!aw_scalar_is_chosen(codec, i, record->v))
            record->present &= ~(UINT64_C(1) << i);
    }
}

static enum aw_status drop_absent(const struct aw_codec *codec, struct aw_record *record,
                                  struct aw_error *err)
{
    drop_unchosen(codec, record);
    return drop_uncounted(codec, record, err);
}

/* Not inlined, because its registers would slow down the other kinds. */
static __attribute__((noinline)) double
read_odd_bits(const struct aw_codec *codec, const struct aw_scalar *scalar, const uint8_t *data)
{
    uint64_t bits = scalar->big_endian
                        ? aw_bits_get_big(data, scalar->bit, scalar->bits)
                        : aw_bits_get(data, scalar->bit, scalar->bits, codec->variant->big_endian);
    if (scalar->field->type == AW_FLOAT)
        return scalar->bits == 64 ? to_double(bits) : to_float((uint32_t)bits);
    uint64_t sign = scalar->field->type == AW_SINT ? UINT64_C(1) << (scalar->bits - 1) : 0;
    return sign ? (double)(int64_t)((bits ^ sign) - sign) : (double)bits;
}

/* The size of a CAN message is that of the data, without the identifier. */
static enum aw_status fail_size(const struct aw_codec *codec, size_t size, struct aw_error *err)
{
    size_t head = 0;
    if (codec->protocol->frames.is_can)
        head = aw_can_id_of_code(codec->message->code).is_long ? 4 : 2;
    size = size < head ? 0 : size - head;
    return aw_fail(err, AW_MALFORMED, "%s: %zu byte%s instead of %zu", codec->message->name, size,
                   size == 1 ? "" : "s", codec->size - head);
}

static enum aw_status read_frame(const struct aw_codec *codec, struct aw_span frame,
                                 struct aw_record *record, struct aw_error *err)
{
    if (frame.size < codec->size || (frame.size > codec->size && !codec->protocol->frames.is_can))
        return fail_size(codec, frame.size, err);
    uint64_t rows =
        aw_constants_match(codec, frame.data) ? codec->masks.uncovered : codec->masks.constant;
    enum aw_status status = check_rows(codec, rows, frame.data, err);
    if (status != AW_OK)
        return status;
    for (unsigned i = 0; i < codec->n_runs; i++) {
        const struct aw_codec_run *run = &codec->runs[i];
        const struct aw_scalar *scalar = &codec->scalars[run->scalar];
        if (run->kind > RUN_ODD_BITS) {
            loaders[run->kind](run, frame.data + run->byte, record->v + run->scalar);
        } else if (run->kind < RUN_TEXT) {
            uint64_t sign = run->kind == RUN_SIGNED_BITS ? UINT64_C(1) << (scalar->bits - 1) : 0;
            uint64_t bits =
                aw_bits_get(frame.data, scalar->bit, scalar->bits, codec->variant->big_endian);
            record->v[run->scalar] = sign ? (double)(int64_t)((bits ^ sign) - sign) : (double)bits;
        } else if (run->kind == RUN_TEXT) {
            size_t length = strnlen((const char *)frame.data + run->byte, scalar->bits / 8u);
            memcpy(record->text, frame.data + run->byte, length);
            record->text[length] = '\0';
        } else {
            record->v[run->scalar] = read_odd_bits(codec, scalar, frame.data);
        }
    }
    if (codec->masks.marked)
        find_odd(codec, frame.data, record);
    return codec->masks.counted | codec->masks.chosen ? drop_absent(codec, record, err) : AW_OK;
}

enum aw_status aw_decode(const struct aw_codec *codec, struct aw_span frame,
                         struct aw_record *record, struct aw_error *err)
{
    record->codec = codec;
    record->present = codec->masks.values;
    record->odd_scalar = 0;
    enum aw_status status = codec->protocol->frames.ascii
                                ? aw_ascii_decode(codec, frame, record, err)
                                : read_frame(codec, frame, record, err);
    if (status != AW_OK) {
        record->present = 0;
        return status;
    }
    if (codec->has_floats && !all_finite(codec, record))
        status = clear_non_finite(codec, record, err);
    if (codec->masks.scaled)
        scale_values(codec, record);
    return status;
}
