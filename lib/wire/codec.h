/* Codecs: the layouts of messages for encoding and decoding. A codec has every row of the table
 * with its offset; groups are expanded.
 *
 * The functions allocate nothing. A struct aw_codec is plain data of about 4 kB owned by the caller
 * (usually by a struct aw_wire, which creates codecs on first use).
 */
#ifndef AW_WIRE_CODEC_H
#define AW_WIRE_CODEC_H

#include "wire/table.h"

#define AW_MAX_SCALARS 64 /* maximum number of rows of a message, with groups expanded */
#define AW_MAX_RUNS    64
#define AW_MAX_WORDS   8
/* Maximum size of a text field, bytes without a NUL. */
#define AW_TEXT_MAX 32

/* One row of one repetition of a group, with its position in the frame. Indices are positions in
 * codec->scalars; -1: no such scalar. */
struct aw_scalar {
    const struct aw_field *field;
    const char *label; /* label of the group: "elbow" for elbow.position; NULL: not in a group */
    const char *alias; /* another name for the label, or NULL */
    uint16_t bit;      /* start, counted from bit 0 of byte 0 (binary protocols) */
    uint16_t bits;
    uint8_t repetition; /* index of the label in the group */
    int8_t scale_by;    /* scalar that selects the scale */
    int8_t data_by;     /* scalar that determines whether there is data */
    int8_t count_by;    /* scalar that counts the repetitions */
    int8_t chosen_by;   /* scalar that determines whether this one is present */
    bool big_endian;    /* the highest bit comes first; bit counts from each byte's highest bit */
    bool has_value;     /* has a value; false for constants, checksums and padding */
};

/* Evenly spaced rows of the same kind, handled in one tight loop. */
struct aw_codec_run {
    uint8_t kind;
    uint8_t count;
    uint8_t scalar;      /* index of the run's first scalar */
    uint8_t scalar_step; /* difference between the indices of two neighbouring scalars */
    uint16_t byte;       /* first byte of the first scalar */
    uint16_t byte_step;
};

/* Constant bits of a frame (ids, lengths, indices), which are compared eight bytes at a time, and
 * the position of the checksum. */
struct aw_constants {
    uint8_t n;
    uint16_t checksum;         /* position of the checksum; 0: none */
    uint16_t at[AW_MAX_WORDS]; /* first byte of each word; the last word may overlap */
    uint64_t value[AW_MAX_WORDS], mask[AW_MAX_WORDS]; /* in memory order */
};

/* Layout of one message. Plain data; its pointers must remain valid. */
struct aw_codec {
    const struct aw_protocol *protocol;
    const struct aw_variant *variant;
    const struct aw_message *message;
    bool raw;        /* values are wire numbers, without scales and names */
    bool has_floats; /* has values that may be NaN or infinite on the wire */
    uint16_t size;   /* bytes of the whole frame (binary protocols) */
    uint8_t n_scalars;
    uint8_t n_runs;
    /* sets of scalars, one bit each */
    struct {
        uint64_t values;   /* bit i: scalar i holds a value */
        uint64_t counted;  /* bit i: scalar i is present only if its group has enough repetitions */
        uint64_t chosen;   /* bit i: scalar i is present only if its chooser selects it */
        uint64_t scaled;   /* bit i: scalar i has a scale, an offset, or a "no data" value */
        uint64_t constant; /* bit i: scalar i must match a constant on receipt */
        uint64_t uncovered; /* bit i: scalar i is constant, but not covered by constants */
        uint64_t marked;    /* bit i: scalar i has .marked */
    } masks;
    struct aw_constants constants;
    struct aw_scalar scalars[AW_MAX_SCALARS];
    struct aw_codec_run runs[AW_MAX_RUNS];
};

/* Stands for an unknown time. */
#define AW_NO_TIME INT64_MIN

/* One message with its values. Plain data, valid as long as its codec. */
struct aw_record {
    const struct aw_codec *codec;
    int64_t time_ns; /* ns since 1970, or AW_NO_TIME */
    enum aw_dir dir;
    uint64_t present;         /* bit i: v[i] is set */
    double v[AW_MAX_SCALARS]; /* by scalar, in engineering units, or wire numbers if codec->raw;
                                 NaN: no data */
    char text[AW_TEXT_MAX + 1];
    uint8_t odd_scalar;  /* index of the scalar with .marked that had a wrong value; 0: none */
    uint64_t odd_number; /* wrong value of that scalar */
};

/* Computes the layout of a message in a variant. AW_LIMIT: the table contains a mistake. If the
 * message has more than AW_MAX_SCALARS rows, the codec is unusable. If the presence of a row
 * depends on itself, directly or indirectly, the codec works without that dependency. */
enum aw_status aw_codec_init(struct aw_codec *codec, const struct aw_protocol *protocol,
                             const struct aw_variant *variant, const struct aw_message *message,
                             bool raw);

/* Finds a scalar with a value by "field", "label.field", or an alias. "field" also finds a row in a
 * group if its name is unique. Returns its index, or -1 if it is not found or ambiguous. */
int aw_codec_find(const struct aw_codec *codec, const char *name);

/* Writes the scalar's full name ("elbow.position") to out, at most size bytes with the NUL. Returns
 * its length before truncation. */
size_t aw_scalar_name(const struct aw_scalar *scalar, char *out, size_t size);

/* Unit, scale, offset and range of a scalar in this record. If the field has .scaled_by, they
 * depend on another field of record, which may be NULL. */
struct aw_range {
    const char *unit;
    double scale, offset, min, max;
};
struct aw_range aw_scalar_range(const struct aw_codec *codec, int scalar,
                                const struct aw_record *record);

/* Returns true if the scalar's choosers select it, or if it has none. values are the wire numbers
 * of the choosers, by scalar. */
bool aw_scalar_is_chosen(const struct aw_codec *codec, int scalar, const double *values);

/* Starts an empty record: optional fields have their fallback, and all others are absent. */
void aw_record_init(struct aw_record *record, const struct aw_codec *codec, enum aw_dir dir);

/* Returns the value of a field by name. Returns NaN if it is absent or unknown. Convenient, but not
 * the fastest access. */
double aw_record_get(const struct aw_record *record, const char *name);

/* Sets a field by name. AW_USAGE: the field is unknown, or the value is not finite. Does not check
 * the range: aw_encode does when all fields are set. */
enum aw_status aw_record_set(struct aw_record *record, const char *name, double value,
                             struct aw_error *err);

/* Sets a field from user input: a number with or without a unit ("45", "-45deg", "0.5rad"), a named
 * value ("torque"), "none" if the field has a "no data" value, or the characters of a text field.
 * AW_USAGE: the input is invalid. AW_LIMIT: the characters do not fit. */
enum aw_status aw_record_set_text(struct aw_record *record, const char *name, const char *text,
                                  struct aw_error *err);

/* A field's name and its value as text. aw_record_set_pairs sets several fields in any order, even
 * if the unit of one depends on another. */
struct aw_pair {
    const char *name, *text;
};
enum aw_status aw_record_set_pairs(struct aw_record *record, const struct aw_pair *pairs, size_t n,
                                   struct aw_error *err);

/* Checks that all mandatory fields are set, and none that its choosers do not select. AW_USAGE:
 * such a field, which the message names, or a message that a custom packet replaces. aw_encode also
 * performs this check. */
enum aw_status aw_record_complete(const struct aw_record *record, struct aw_error *err);

/* Encodes a record as a frame of at most cap bytes. AW_USAGE: as for aw_record_complete, or a value
 * is not finite or not a whole number of steps. AW_LIMIT: cap is too small, or a value is out of
 * range. force lifts ranges without .always_limit, but not the limits of the wire or of closed
 * lists of names. */
enum aw_status aw_encode(const struct aw_record *record, bool force, uint8_t *out, size_t cap,
                         size_t *size, struct aw_error *err);

/* Decodes a frame that is known to be this message. Checks its size, constants and checksum. The
 * caller sets time_ns and dir. Floats that are not finite become "no data"; the result is then
 * AW_MALFORMED with the rest decoded. After any other failure, present is 0. */
enum aw_status aw_decode(const struct aw_codec *codec, struct aw_span frame,
                         struct aw_record *record, struct aw_error *err);

#endif
