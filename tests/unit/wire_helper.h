/* Shared tests of all protocol tables. They encode and decode every scalar of every message and
 * variant at its extremes, at zero, in the middle and at random values. */
#ifndef AW_TESTS_WIRE_HELPER_H
#define AW_TESTS_WIRE_HELPER_H

#include <math.h>

#include "test.h"
#include "wire/hex.h"
#include "wire/rows.h"
#include "wire/wire.h"

#define FRAME_CAP 256

struct rng {
    uint64_t state;
};

static inline uint64_t rng_next(struct rng *rng)
{
    rng->state ^= rng->state << 13;
    rng->state ^= rng->state >> 7;
    rng->state ^= rng->state << 17;
    return rng->state;
}

/* Returns a random number from 0 to 1, both included. */
static inline double rng_unit(struct rng *rng)
{
    return (double)(rng_next(rng) >> 11) / 9007199254740991.0;
}

/* Returns the nearest number that the wire can carry. */
static inline double on_wire(const struct aw_record *record, int scalar, double value)
{
    const struct aw_field *row = record->codec->scalars[scalar].field;
    struct aw_range range = aw_scalar_range(record->codec, scalar, record);
    double wire = (value - range.offset) / range.scale;
    wire = row->type == AW_FLOAT ? (double)(float)wire : floor(wire + 0.5);
    return wire * range.scale + range.offset;
}

static inline bool is_count(const struct aw_codec *codec, int scalar)
{
    for (int i = 0; i < codec->n_scalars; i++)
        if (codec->scalars[i].count_by == scalar)
            return true;
    return false;
}

/* Returns an exact wire number at this share (0 to 1) of the range. */
static inline double value_at(const struct aw_record *record, int scalar, double share)
{
    const struct aw_field *row = record->codec->scalars[scalar].field;
    struct aw_range range = aw_scalar_range(record->codec, scalar, record);
    if (is_count(record->codec, scalar))
        return floor(row->min * (1 - share) + row->max * share);
    if (row->names && !row->open_names) {
        size_t n = 0;
        while (row->names[n].name)
            n++;
        size_t i = (size_t)(share * (double)n);
        return row->names[i < n ? i : n - 1].value;
    }
    double value = range.min * (1 - share) + range.max * share;
    value = on_wire(record, scalar, value);
    if (row->type != AW_FLOAT) {
        value = fmin(value, on_wire(record, scalar, range.max));
        return fmax(value, on_wire(record, scalar, range.min));
    }
    /* The nearest float may exceed the range by less than one unit in the last place. */
    return value > range.max || value < range.min ? on_wire(record, scalar, 0) : value;
}

/* Sets a scalar and then the fields whose scale it selects. */
static inline void set_scalar(struct aw_record *record, int scalar, double value)
{
    record->v[scalar] = value;
    record->present |= UINT64_C(1) << scalar;
    for (int i = 0; i < record->codec->n_scalars; i++)
        if (record->codec->scalars[i].scale_by == scalar)
            record->v[i] = value_at(record, i, 0.7);
}

/* Visits fields that select the scale of others first. */
static inline void fill(struct aw_record *record, const struct aw_codec *codec, enum aw_dir dir,
                        struct rng *rng)
{
    aw_record_init(record, codec, dir);
    for (int late = 0; late < 2; late++)
        for (int i = 0; i < codec->n_scalars; i++)
            if (codec->scalars[i].has_value && (codec->scalars[i].scale_by >= 0) == late)
                set_scalar(record, i, value_at(record, i, rng_unit(rng)));
    snprintf(record->text, sizeof record->text, "body%u", (unsigned)(rng_next(rng) % 1000));
    for (int i = 0; i < codec->n_scalars; i++)
        if (is_count(codec, i))
            set_scalar(record, i, codec->scalars[i].field->max);
}

static inline bool is_counted_out(const struct aw_record *record, int scalar)
{
    const struct aw_scalar *place = &record->codec->scalars[scalar];
    return place->count_by >= 0 && place->repetition >= record->v[place->count_by];
}

static inline void assert_same_value(const struct aw_record *sent, const struct aw_record *got,
                                     int scalar)
{
    char name[64];
    double a = sent->v[scalar], b = got->v[scalar];
    aw_scalar_name(&sent->codec->scalars[scalar], name, sizeof name);
    bool same = isnan(a) ? isnan(b) : fabs(a - b) <= 1e-12 * fmax(fabs(a), 1);
    if (!same)
        fail_msg("%s.%s: %.17g sent, %.17g decoded", sent->codec->message->name, name, a, b);
}

/* Encodes, decodes, compares all fields, then encodes again and compares the bytes. */
static inline void assert_round_trip(struct aw_wire *wire, struct aw_record *sent)
{
    uint8_t bytes[FRAME_CAP], again[FRAME_CAP];
    size_t size, size_again;
    struct aw_error err = {0};
    struct aw_record got;
    for (int i = 0; i < sent->codec->n_scalars; i++)
        if (is_counted_out(sent, i))
            sent->present &= ~(UINT64_C(1) << i);
    if (aw_encode(sent, false, bytes, sizeof bytes, &size, &err) != AW_OK)
        fail_msg("encode: %s", err.text);
    assert_true(size <= wire->protocol->frames.frame_max);
    if (aw_wire_decode(wire, sent->dir, (struct aw_span){bytes, size}, &got, &err) != AW_OK)
        fail_msg("decode: %s", err.text);
    assert_ptr_equal(got.codec, sent->codec);
    assert_int_equal(got.dir, sent->dir);
    assert_true(got.present == sent->present);
    for (int i = 0; i < sent->codec->n_scalars; i++)
        if (sent->present >> i & 1 && sent->codec->scalars[i].field->type != AW_TEXT)
            assert_same_value(sent, &got, i);
    assert_int_equal(aw_encode(&got, false, again, sizeof again, &size_again, &err), AW_OK);
    assert_int_equal(size, size_again);
    assert_memory_equal(bytes, again, size);
}

static inline void check_scalar(struct aw_wire *wire, struct aw_record *record, int scalar,
                                struct rng *rng)
{
    static const double shares[] = {0, 1, 0.5, 0.25};
    for (unsigned i = 0; i < 12; i++) {
        set_scalar(record, scalar, value_at(record, scalar, i < 4 ? shares[i] : rng_unit(rng)));
        assert_round_trip(wire, record);
        fill(record, record->codec, record->dir, rng);
    }
    struct aw_range range = aw_scalar_range(record->codec, scalar, record);
    if (range.min <= 0 && range.max >= 0 && !is_count(record->codec, scalar) &&
        record->codec->scalars[scalar].field->offset == 0) {
        set_scalar(record, scalar, 0);
        assert_round_trip(wire, record);
    }
}

static inline void check_message(struct aw_wire *wire, const struct aw_codec *codec,
                                 enum aw_dir dir, struct rng *rng)
{
    struct aw_record record;
    fill(&record, codec, dir, rng);
    assert_round_trip(wire, &record);
    for (int i = 0; i < codec->n_scalars; i++)
        if (codec->scalars[i].has_value) {
            fill(&record, codec, dir, rng);
            check_scalar(wire, &record, i, rng);
        }
}

/* Requires that each value has a unique full name. */
static inline void check_names(const struct aw_codec *codec)
{
    for (int i = 0; i < codec->n_scalars; i++) {
        char name[64];
        aw_scalar_name(&codec->scalars[i], name, sizeof name);
        if (codec->scalars[i].has_value)
            assert_int_equal(aw_codec_find(codec, name), i);
        assert_true(!codec->scalars[i].field->scaled_by || codec->scalars[i].scale_by >= 0);
    }
}

static inline void check_variant(const struct aw_protocol *protocol,
                                 const struct aw_variant *variant, bool raw)
{
    static struct aw_wire wire;
    struct rng rng = {0x9E3779B97F4A7C15u};
    aw_wire_init(&wire, protocol, variant, raw);
    for (size_t i = 0; i < protocol->n_messages; i++) {
        const struct aw_codec *codec = aw_wire_codec_at(&wire, i);
        assert_true(codec->n_scalars < AW_MAX_SCALARS);
        assert_int_equal(aw_frame_size(&wire, &protocol->messages[i]), codec->size);
        check_names(codec);
        for (enum aw_dir dir = AW_TX; dir <= AW_RX; dir++)
            if (codec->message->dir & dir)
                check_message(&wire, codec, dir, &rng);
    }
}

/* Requires that values within and at their limits survive, in engineering units and as wire
 * numbers. */
static inline void check_protocol(const struct aw_protocol *protocol)
{
    assert_true(protocol->n_messages <= AW_MAX_MESSAGES);
    for (const struct aw_variant *v = protocol->variants; v->name; v++) {
        check_variant(protocol, v, false);
        check_variant(protocol, v, true);
    }
}

/* Requires that every message has a description. */
static inline void check_documented(const struct aw_protocol *protocol)
{
    assert_non_null(protocol->title);
    for (size_t i = 0; i < protocol->n_messages; i++)
        assert_non_null(protocol->messages[i].help);
}

/* Sets fields from "a=1 b=tor". */
static inline enum aw_status set_fields(struct aw_record *record, const char *fields,
                                        struct aw_error *err)
{
    char copy[1024], *save = NULL;
    struct aw_pair pairs[AW_MAX_SCALARS];
    size_t n = 0;
    snprintf(copy, sizeof copy, "%s", fields);
    for (char *word = strtok_r(copy, " ", &save); word; word = strtok_r(NULL, " ", &save)) {
        char *equals = strchr(word, '=');
        assert_non_null(equals);
        *equals = '\0';
        pairs[n++] = (struct aw_pair){word, equals + 1};
    }
    return aw_record_set_pairs(record, pairs, n, err);
}

/* Prints the fields of a record that have values. */
static inline void print_fields(FILE *out, const struct aw_record *record)
{
    const char *blank = "";
    for (int i = 0; i < record->codec->n_scalars; i++) {
        char name[64];
        if (!(record->present >> i & 1) || isnan(record->v[i]))
            continue;
        aw_scalar_name(&record->codec->scalars[i], name, sizeof name);
        fprintf(out, "%s%s=", blank, name);
        if (record->codec->scalars[i].field->type == AW_TEXT)
            fprintf(out, "'%s'", record->text);
        else
            fprintf(out, "%.15g", record->v[i] + 0.0); /* without the sign of -0 */
        blank = " ";
    }
}

/* Prints a frame as hex, or as text with \\r and \\n. */
static inline void print_frame(FILE *out, const struct aw_wire *wire, struct aw_span frame)
{
    char hex[AW_HEX_SIZE(FRAME_CAP)];
    aw_hex_print(wire->protocol, frame, hex);
    if (!wire->protocol->frames.ascii)
        fputs(hex, out);
    for (size_t i = 0; i < frame.size && wire->protocol->frames.ascii; i++) {
        char c = (char)frame.data[i];
        fprintf(out, c < ' ' ? "\\%c" : "%c", c == '\r' ? 'r' : c == '\n' ? 'n' : c);
    }
}

/* Prints the frame of a record or the error, without force, and with force if this differs.
 * Returns the size of the frame without force, or 0. */
static inline size_t print_encoded(FILE *out, const struct aw_wire *wire,
                                   const struct aw_record *record, uint8_t *bytes)
{
    uint8_t forced_bytes[FRAME_CAP];
    size_t size = 0, forced_size = 0;
    struct aw_error err = {0}, forced_err = {0};
    enum aw_status status = aw_encode(record, false, bytes, FRAME_CAP, &size, &err);
    enum aw_status forced =
        aw_encode(record, true, forced_bytes, FRAME_CAP, &forced_size, &forced_err);
    assert_true(err.status == status && forced_err.status == forced);
    if (status == AW_OK) {
        print_frame(out, wire, (struct aw_span){bytes, size});
        assert_int_equal(forced, AW_OK);
        assert_int_equal(forced_size, size);
        assert_memory_equal(forced_bytes, bytes, size);
        return size;
    }
    fprintf(out, "%d %s", status, err.text);
    if (forced == AW_OK) {
        fputs("; forced: ", out);
        print_frame(out, wire, (struct aw_span){forced_bytes, forced_size});
    } else if (forced != status || strcmp(forced_err.text, err.text) != 0) {
        fprintf(out, "; forced: %d %s", forced, forced_err.text);
    }
    return 0;
}

/* Sets fields and encodes; returns the status and the frame as hex text. */
static inline enum aw_status encode_text(struct aw_wire *wire, enum aw_dir dir, const char *message,
                                         const char *fields, char *hex, struct aw_error *err)
{
    size_t size;
    uint8_t bytes[FRAME_CAP];
    struct aw_record record;
    *hex = '\0';
    const struct aw_codec *codec = aw_wire_codec(wire, message, dir);
    assert_non_null(codec);
    aw_record_init(&record, codec, dir);
    enum aw_status status = set_fields(&record, fields, err);
    if (status == AW_OK)
        status = aw_encode(&record, false, bytes, sizeof bytes, &size, err);
    if (status == AW_OK)
        aw_hex_print(wire->protocol, (struct aw_span){bytes, size}, hex);
    return status;
}

static inline enum aw_status decode_text(struct aw_wire *wire, enum aw_dir dir, const char *hex,
                                         struct aw_record *record, struct aw_error *err)
{
    uint8_t bytes[FRAME_CAP];
    size_t size;
    assert_int_equal(
        aw_hex_parse(wire->protocol, hex, strlen(hex), bytes, sizeof bytes, &size, err), AW_OK);
    return aw_wire_decode(wire, dir, (struct aw_span){bytes, size}, record, err);
}

static inline void assert_encodes(struct aw_wire *wire, const char *message, const char *fields,
                                  const char *expected)
{
    char hex[AW_HEX_SIZE(FRAME_CAP)];
    struct aw_error err = {0};
    if (encode_text(wire, AW_TX, message, fields, hex, &err) != AW_OK)
        fail_msg("%s %s: %s", message, fields, err.text);
    assert_string_equal(hex, expected);
}

static inline void assert_refused(struct aw_wire *wire, const char *message, const char *fields,
                                  enum aw_status expected)
{
    char hex[AW_HEX_SIZE(FRAME_CAP)];
    struct aw_error err = {0};
    enum aw_status status = encode_text(wire, AW_TX, message, fields, hex, &err);
    if (status != expected)
        fail_msg("%s %s: status %d (%s), not %d", message, fields, status, err.text, expected);
    assert_true(strlen(err.text) > 10);
}

#endif
