/* One value with its full name: a field of a record, a member of a JSON object or a cell of a CSV
 * file. The unit of watch and plot.
 *
 *     struct aw_names names;                                 about 5 MB, not for the stack
 *     aw_names_init(&names, wire);
 *     size_t n = aw_record_points(&names, &record, "lknee", points, AW_POINTS_MAX);
 *     points[0].name                                         "lknee.torque"
 *
 * The name of a point is subject.field. Where two messages from the device have a field of the same
 * name, and for messages to the device, it is subject.message.field. Patterns (select.h) may leave
 * out the subject and the message.
 */
#ifndef AW_VIEW_TEXT_POINT_H
#define AW_VIEW_TEXT_POINT_H

#include "wire/wire.h"

#define AW_POINT_NAME 160 /* bytes of a name, with its NUL; what others call a value is longer */
#define AW_POINTS_MAX 256 /* of one message */

/* Plain data; texts are valid until the next message is asked for. */
struct aw_point {
    char name[AW_POINT_NAME];
    const char *subject;            /* "" without one */
    const char *message;            /* "" if not known */
    const char *field;              /* "elbow.position" */
    double value;                   /* NaN: no data, or a text */
    const char *text;               /* instead of a number; or NULL */
    const struct aw_codec *codec;   /* where unit, range and names come from; or NULL */
    const struct aw_record *record; /* or NULL */
    int scalar;                     /* of the codec */
    bool about;                     /* it only says the subject: lknee.board = lknee */
    unsigned order;                 /* points of a subject are listed in this order */
};

/* All values of all messages, one after the other:
 *     for (struct aw_walk at = {0}; aw_walk_next(&at, wire, AW_RX);)
 *         use(at.codec, at.scalar); */
struct aw_walk {
    size_t message; /* of the protocol, */
    int scalar;     /* and of its codec */
    const struct aw_codec *codec;
};

/* The next one of messages that go this way (AW_BOTH: any of them). False: there are no more. */
bool aw_walk_next(struct aw_walk *walk, struct aw_wire *wire, enum aw_dir dir);

/* Names of all fields of a wire. The wire must outlive it. */
struct aw_names {
    struct aw_wire *wire;
    char field[AW_MAX_MESSAGES][AW_MAX_SCALARS][64];
    bool shared[AW_MAX_MESSAGES][AW_MAX_SCALARS];         /* another message has that name too */
    uint32_t slots[2 * AW_MAX_MESSAGES * AW_MAX_SCALARS]; /* used while they are found */
};

void aw_names_init(struct aw_names *names, struct aw_wire *wire);

/* The unit of a field from the device by its name alone: in the first message that has it; NULL:
 * none. */
const char *aw_names_unit(const struct aw_names *names, const char *field);

/* The same as aw_names_init, allocated, to be freed by the caller. NULL: AW_NO_MEMORY. */
struct aw_names *aw_names_new(struct aw_wire *wire, struct aw_error *err);

/* The parts of a name with points between them, without the empty ones and what does not fit into
 * AW_POINT_NAME bytes. */
void aw_point_join(char *out, const char *const *parts, size_t n);

/* Fills points with what the record has, at most max; returns how many. */
size_t aw_record_points(const struct aw_names *names, const struct aw_record *record,
                        const char *subject, struct aw_point *points, size_t max);

/* Of these scalars only: bit i is scalar i of the codec. */
size_t aw_record_points_of(const struct aw_names *names, const struct aw_record *record,
                           uint64_t scalars, const char *subject, struct aw_point *points,
                           size_t max);

/* One scalar of a record, without names. */
void aw_record_point(const struct aw_record *record, int scalar, struct aw_point *point);

/* The scalar that says the subject, or -1. */
int aw_subject_scalar(const struct aw_record *record, const char *subject);

/* A point from elsewhere: path is its field; what a message of that name has in the wire gives it
 * unit and range. message may be NULL. */
void aw_path_point(struct aw_names *names, const char *message, const char *path, double value,
                   const char *text, struct aw_point *point);

#endif
