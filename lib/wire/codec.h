/* The layout of a message: every row of the table with its offset, groups unrolled, for encoding
 * and decoding.
 *
 * Nothing here allocates. A struct aw_codec is plain data of about 4 kB owned by the caller (in
 * practice by a struct aw_wire, which makes codecs on first use).
 */
#ifndef AW_WIRE_CODEC_H
#define AW_WIRE_CODEC_H

#include "wire/table.h"

#define AW_MAX_SCALARS                                                                             \
    64 /* rows of one message, groups unrolled; checked by the unit tests for every table */
#define AW_MAX_RUNS  64
#define AW_MAX_WORDS 8
#define AW_TEXT_MAX  32

/* One row of one repetition, at its place. */
struct aw_scalar {
    const struct aw_field *field;
    const char *label; /* "elbow" for elbow.position, or NULL */
    const char *alias; /* another name for the label, or NULL */
    uint16_t bit;      /* where it starts, counted from bit 0 of byte 0 (binary protocols) */
    uint16_t bits;
    uint8_t repetition; /* which of the labels */
    int8_t by;          /* scalar that chooses the scale, or -1 */
    int8_t with;        /* scalar that says whether there is data, or -1 */
    int8_t count;       /* scalar with the number of repetitions, or -1 */
    int8_t chooser;     /* scalar that says whether it is there, or -1 */
    bool big_endian;    /* the highest bit first; bit counts from the highest one of each byte */
    bool value;         /* holds a value (the others are constants, checksums, padding) */
};

/* Rows of the same kind at even distances, done by one tight loop. */
struct aw_codec_run {
    uint8_t kind;
    uint8_t count;
    uint8_t scalar;      /* the first */
    uint8_t scalar_step; /* from one to the next */
    uint16_t byte;       /* where the first one starts */
    uint16_t byte_step;
};

/* Bits of the frame that are always the same (ids, lengths, indices), compared eight bytes at a
 * time; and the checksum. */
struct aw_constants {
    uint8_t n;
    uint16_t checksum;         /* byte of the checksum, or 0 */
    uint16_t at[AW_MAX_WORDS]; /* byte where the word starts; the last one may overlap */
    uint64_t value[AW_MAX_WORDS], mask[AW_MAX_WORDS]; /* as they are in memory */
};

struct aw_codec {
    const struct aw_protocol *protocol;
    const struct aw_variant *variant;
    const struct aw_message *message;
    bool raw;      /* values are wire numbers: no scale, no names */
    bool floats;   /* has values that may come as no number */
    uint16_t size; /* bytes of the whole frame (binary) */
    uint8_t n_scalars;
    uint8_t n_runs;
    uint64_t values;  /* bit i: scalar i holds a value */
    uint64_t counted; /* bit i: scalar i is present only if its count says so */
    uint64_t chosen;  /* bit i: scalar i is present only if its chooser says so */
    uint64_t scaled;  /* bit i: scalar i has a scale, an offset, or a "no data" value */
    uint64_t fixed;   /* bit i: scalar i is checked on receipt */
    uint64_t checked; /* those of them that the constants do not cover */
    uint64_t marked;  /* bit i: scalar i has .marked */
    struct aw_constants constants;
    struct aw_scalar scalars[AW_MAX_SCALARS];
    struct aw_codec_run runs[AW_MAX_RUNS];
};

#define AW_NO_TIME INT64_MIN

/* One message with its values. Plain data; valid as long as its codec. */
struct aw_record {
    const struct aw_codec *codec;
    int64_t time_ns; /* since 1970, or AW_NO_TIME */
    enum aw_dir dir;
    uint64_t present;         /* bit i: v[i] is set */
    double v[AW_MAX_SCALARS]; /* by scalar; engineering units, or wire numbers if codec->raw; NaN:
                                no data */
    char text[AW_TEXT_MAX + 1];
    uint8_t odd;         /* the scalar with .marked that was wrong in the frame; 0: none */
    uint64_t odd_number; /* what it was */
};

/* Lays out message in variant. AW_LIMIT is a mistake in the table: it has more than AW_MAX_SCALARS,
 * or the choice of a row depends on itself, also through other rows; then the codec works, without
 * that choice. */
enum aw_status aw_codec_init(struct aw_codec *codec, const struct aw_protocol *protocol,
                             const struct aw_variant *variant, const struct aw_message *message,
                             bool raw);

/* Finds a scalar that holds a value by "field", "label.field", or an alias; -1: not found. */
int aw_codec_find(const struct aw_codec *codec, const char *name);

/* Writes the scalar's full name ("elbow.position") to out; returns its length. */
size_t aw_scalar_name(const struct aw_scalar *scalar, char *out, size_t size);

/* Unit, scale, offset and range of a scalar as they are in this record (a field with .by depends on
 * another). */
struct aw_range {
    const char *unit;
    double scale, offset, min, max;
};
struct aw_range aw_scalar_range(const struct aw_codec *codec, int scalar,
                                const struct aw_record *record);

/* Is the scalar present if the choosers have these wire numbers (by scalar)? */
bool aw_scalar_is_chosen(const struct aw_codec *codec, int scalar, const double *values);

/* An empty record: optional fields at their fallback, nothing else present. */
void aw_record_init(struct aw_record *record, const struct aw_codec *codec, enum aw_dir dir);

/* Value of a field by name; NaN if the record does not have it. Convenient, not the fastest way. */
double aw_record_get(const struct aw_record *record, const char *name);

/* Sets a field. AW_USAGE for an unknown field or a number that is not finite; ranges are checked by
 * aw_encode, when all fields are known. */
enum aw_status aw_record_set(struct aw_record *record, const char *name, double value,
                             struct aw_error *err);

/* Sets a field from what a person wrote: a number with or without a unit ("45", "-45deg",
 * "0.5rad"), a named value ("tor"), or "none" where the table has a "no data" value. */
enum aw_status aw_record_set_text(struct aw_record *record, const char *name, const char *text,
                                  struct aw_error *err);

/* The same for several fields in any order, also where the unit of one depends on another. */
struct aw_pair {
    const char *name, *text;
};
enum aw_status aw_record_set_pairs(struct aw_record *record, const struct aw_pair *pairs, size_t n,
                                   struct aw_error *err);

/* AW_USAGE naming the first field that is neither set nor optional. aw_encode asks this itself. */
enum aw_status aw_record_complete(const struct aw_record *record, struct aw_error *err);

/* Frame from record. Fails with AW_USAGE if a field is missing, AW_LIMIT if force is not set and a
 * value is out of range; NaN, infinity and what the wire cannot carry are refused even with force.
 * Nothing is written past out + cap. */
enum aw_status aw_encode(const struct aw_record *record, bool force, uint8_t *out, size_t cap,
                         size_t *size, struct aw_error *err);

/* Record from a frame known to be this message. Checks size, constants and checksum; time_ns and
 * dir are left to the caller. Floats that are not finite become "no data" and
 * the result is AW_MALFORMED with the rest decoded; after any other failure present is 0. */
enum aw_status aw_decode(const struct aw_codec *codec, struct aw_span frame,
                         struct aw_record *record, struct aw_error *err);

#endif
