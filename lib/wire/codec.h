/* The layout of a message for encoding and decoding: every row of the table with its offset, groups
 * unrolled.
 *
 * The functions allocate nothing. A struct aw_codec is plain data of about 4 kB owned by the caller
 * (usually by a struct aw_wire, which creates codecs on first use).
 */
#ifndef AW_WIRE_CODEC_H
#define AW_WIRE_CODEC_H

#include "wire/table.h"

#define AW_MAX_SCALARS 64 /* rows of a message, groups unrolled; unit tests check it */
#define AW_MAX_RUNS    64
#define AW_MAX_WORDS   8
#define AW_TEXT_MAX    32

/* One row of one repetition, with its position. */
struct aw_scalar {
    const struct aw_field *field;
    const char *label; /* "elbow" for elbow.position, or NULL */
    const char *alias; /* another name for the label, or NULL */
    uint16_t bit;      /* start, counted from bit 0 of byte 0 (binary protocols) */
    uint16_t bits;
    uint8_t repetition; /* index of the label */
    int8_t by;          /* scalar that selects the scale, or -1 */
    int8_t with;        /* scalar that determines whether there is data, or -1 */
    int8_t count;       /* scalar with the number of repetitions, or -1 */
    int8_t chooser;     /* scalar that determines whether it is present, or -1 */
    bool big_endian;    /* the highest bit first; bit counts from each byte's highest bit */
    bool value;         /* holds a value (the others are constants, checksums, padding) */
};

/* Evenly spaced rows of the same kind, handled in one tight loop. */
struct aw_codec_run {
    uint8_t kind;
    uint8_t count;
    uint8_t scalar;      /* the first */
    uint8_t scalar_step; /* step between two scalars */
    uint16_t byte;       /* start of the first one */
    uint16_t byte_step;
};

/* Constant bits of the frame (ids, lengths, indices), compared eight bytes at a time; and the
 * checksum. */
struct aw_constants {
    uint8_t n;
    uint16_t checksum;         /* byte of the checksum, or 0 */
    uint16_t at[AW_MAX_WORDS]; /* start byte of each word; the last one may overlap */
    uint64_t value[AW_MAX_WORDS], mask[AW_MAX_WORDS]; /* in memory order */
};

struct aw_codec {
    const struct aw_protocol *protocol;
    const struct aw_variant *variant;
    const struct aw_message *message;
    bool raw;      /* values are wire numbers: no scale, no names */
    bool floats;   /* has values that may be NaN or infinite on the wire */
    uint16_t size; /* bytes of the whole frame (binary) */
    uint8_t n_scalars;
    uint8_t n_runs;
    uint64_t values;  /* bit i: scalar i holds a value */
    uint64_t counted; /* bit i: scalar i is present only if its count says so */
    uint64_t chosen;  /* bit i: scalar i is present only if its chooser says so */
    uint64_t scaled;  /* bit i: scalar i has a scale, an offset, or a "no data" value */
    uint64_t fixed;   /* bit i: scalar i is checked on receipt */
    uint64_t checked; /* the ones of these that the constants do not cover */
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
    double v[AW_MAX_SCALARS]; /* by scalar; engineering units, or wire numbers if codec->raw;
                                 NaN: no data */
    char text[AW_TEXT_MAX + 1];
    uint8_t odd;         /* the scalar with .marked that had a wrong value; 0: none */
    uint64_t odd_number; /* its wrong value */
};

/* Sets up the layout of message in variant. AW_LIMIT: a mistake in the table. It has more than
 * AW_MAX_SCALARS, or the presence of a row depends on itself, directly or through other rows. The
 * codec then works without that dependency. */
enum aw_status aw_codec_init(struct aw_codec *codec, const struct aw_protocol *protocol,
                             const struct aw_variant *variant, const struct aw_message *message,
                             bool raw);

/* Finds a scalar that holds a value by "field", "label.field", or an alias; -1: not found. */
int aw_codec_find(const struct aw_codec *codec, const char *name);

/* Writes the scalar's full name ("elbow.position") to out. Returns its length. */
size_t aw_scalar_name(const struct aw_scalar *scalar, char *out, size_t size);

/* Unit, scale, offset and range of a scalar in this record (a field with .by depends on another
 * field). */
struct aw_range {
    const char *unit;
    double scale, offset, min, max;
};
struct aw_range aw_scalar_range(const struct aw_codec *codec, int scalar,
                                const struct aw_record *record);

/* Returns true if the scalar is present when the choosers have these wire numbers (by scalar). */
bool aw_scalar_is_chosen(const struct aw_codec *codec, int scalar, const double *values);

/* Starts an empty record: optional fields have their fallback, all others are absent. */
void aw_record_init(struct aw_record *record, const struct aw_codec *codec, enum aw_dir dir);

/* Returns the value of a field by name; NaN if it is absent. Convenient, not the fastest access. */
double aw_record_get(const struct aw_record *record, const char *name);

/* Sets a field. AW_USAGE: unknown field, or a number that is not finite. aw_encode checks ranges,
 * when all fields are known. */
enum aw_status aw_record_set(struct aw_record *record, const char *name, double value,
                             struct aw_error *err);

/* Sets a field from user input: a number with or without a unit ("45", "-45deg", "0.5rad"), a
 * named value ("tor"), or "none" if the table has a "no data" value. */
enum aw_status aw_record_set_text(struct aw_record *record, const char *name, const char *text,
                                  struct aw_error *err);

/* Sets several fields in any order, even if the unit of one depends on another. */
struct aw_pair {
    const char *name, *text;
};
enum aw_status aw_record_set_pairs(struct aw_record *record, const struct aw_pair *pairs, size_t n,
                                   struct aw_error *err);

/* Checks that all mandatory fields are set. AW_USAGE names the first missing one. aw_encode calls
 * this itself. */
enum aw_status aw_record_complete(const struct aw_record *record, struct aw_error *err);

/* Encodes a frame. AW_USAGE: a field is missing. AW_LIMIT: a value is out of range and force is
 * not set. Refuses NaN, infinity and values that the wire cannot carry even with force. Never
 * writes past out + cap. */
enum aw_status aw_encode(const struct aw_record *record, bool force, uint8_t *out, size_t cap,
                         size_t *size, struct aw_error *err);

/* Decodes a frame known to be this message. Checks size, constants and checksum; the caller sets
 * time_ns and dir. Floats that are not finite become "no data"; the result is then AW_MALFORMED
 * with the rest decoded. After any other failure present is 0. */
enum aw_status aw_decode(const struct aw_codec *codec, struct aw_span frame,
                         struct aw_record *record, struct aw_error *err);

#endif
