/* A point is one value with its full name: a field of a record, a member of a JSON object, or a
 * cell of a CSV file. watch and plot show points.
 *
 *     struct aw_names names;                                 about 5 MB, not for the stack
 *     aw_names_init(&names, wire);
 *     size_t n = aw_record_points(&names, &record, "lknee", points, AW_POINTS_MAX);
 *     points[0].name                                         "lknee.torque"
 *
 * The name of a point is subject.field. If two messages from the device share a field name, and for
 * messages to the device, it is subject.message.field. Patterns (select.h) may omit the subject and
 * the message.
 */
#ifndef AW_VIEW_TEXT_POINT_H
#define AW_VIEW_TEXT_POINT_H

#include "wire/wire.h"

#define AW_POINT_NAME 160 /* maximum size of a name with its NUL, bytes */
#define AW_POINTS_MAX 256 /* maximum number of points of one message */

/* Plain data. The strings are valid until the next message is converted. */
struct aw_point {
    char name[AW_POINT_NAME];
    const char *subject;            /* "": no subject */
    const char *message;            /* "": unknown */
    const char *field;              /* "elbow.position" */
    double value;                   /* NaN: no data, or a string */
    const char *text;               /* value as a string; NULL: a number */
    const struct aw_codec *codec;   /* supplies unit, range and named values; or NULL */
    const struct aw_record *record; /* record of the value, or NULL */
    int scalar;                     /* index in the codec */
    bool is_subject;                /* the value only repeats the subject: lknee.board = lknee */
    unsigned order;                 /* position among the points of a subject */
};

/* State of iterating over all values of all messages:
 *     for (struct aw_walk at = {0}; aw_walk_next(&at, wire, AW_RX);)
 *         use(at.codec, at.scalar); */
struct aw_walk {
    size_t message; /* index of the message in the protocol */
    int scalar;     /* index of the scalar in the codec */
    const struct aw_codec *codec;
};

/* Advances to the next value in messages of this direction (AW_BOTH: any). Returns false at the
 * end. */
bool aw_walk_next(struct aw_walk *walk, struct aw_wire *wire, enum aw_dir dir);

/* Names of all fields of a wire, which must outlive this struct. */
struct aw_names {
    struct aw_wire *wire;
    char field[AW_MAX_MESSAGES][AW_MAX_SCALARS][64];
    bool ambiguous[AW_MAX_MESSAGES][AW_MAX_SCALARS];      /* another message has this name, too */
    uint32_t slots[2 * AW_MAX_MESSAGES * AW_MAX_SCALARS]; /* used by aw_names_init only */
};

void aw_names_init(struct aw_names *names, struct aw_wire *wire);

/* Returns the unit of the first field with this name in the messages from the device; NULL: no such
 * field, or no unit. */
const char *aw_names_unit(const struct aw_names *names, const char *field);

/* Allocates names and calls aw_names_init. The caller frees them. NULL: AW_NO_MEMORY. */
struct aw_names *aw_names_new(struct aw_wire *wire, struct aw_error *err);

/* Joins the non-empty parts of a name with dots. Omits parts that do not fit into AW_POINT_NAME
 * bytes. */
void aw_point_join(char *out, const char *const *parts, size_t n);

/* Converts a record to at most max points, and returns their number. */
size_t aw_record_points(const struct aw_names *names, const struct aw_record *record,
                        const char *subject, struct aw_point *points, size_t max);

/* Same as aw_record_points for some scalars only: bit i is scalar i of the codec. */
size_t aw_record_some_points(const struct aw_names *names, const struct aw_record *record,
                             uint64_t scalars, const char *subject, struct aw_point *points,
                             size_t max);

/* Returns the unit of a point, or NULL. */
const char *aw_point_unit(const struct aw_point *point);

/* Converts one scalar of a record to a point without names. */
void aw_record_point(const struct aw_record *record, int scalar, struct aw_point *point);

/* Returns the index of the scalar whose value is the subject's name, or -1. */
int aw_subject_scalar(const struct aw_record *record, const char *subject);

/* Creates a point from data of another program, with path as its field. A field of that name in the
 * wire supplies unit and range. message may be NULL. */
void aw_path_point(struct aw_names *names, const char *message, const char *path, double value,
                   const char *text, struct aw_point *point);

#endif
