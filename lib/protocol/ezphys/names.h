/* Names for the numbers of bodies and joints on the wire.
 *
 * A names file has one object per line; blanks separate tokens, '#' starts a comment:
 *
 *     body  1 humanoid.pelvis
 *     body  2 humanoid.left.thigh
 *     joint 1 humanoid.left.hip  humanoid.pelvis humanoid.left.thigh
 *     joint 2 rail               cart world slider
 *     joint 3 humanoid.neck      axes=3
 *
 * A joint line may add the two bodies that it connects ("world" is not a body). It may add "slider"
 * if its values are in m, m/s and N, and "axes=2" for its number of axes; the wire has neither.
 * Dots form a tree of the names, and patterns select parts of it: "humanoid.left.*".
 *
 * Bodies and joints have separate numbers: body 1 and joint 1 are different objects. Plain data
 * owned by the caller; allocates nothing.
 */
#ifndef AW_PROTOCOL_EZPHYS_NAMES_H
#define AW_PROTOCOL_EZPHYS_NAMES_H

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>

#include "base/status.h"
#include "wire/codec.h"

enum aw_ezphys_kind {
    AW_EZPHYS_BODY,
    AW_EZPHYS_JOINT,
};

#define AW_EZPHYS_NAME_SIZE 33 /* max name length of wires with names (32), plus a NUL */
#define AW_EZPHYS_NAMES_MAX 512

/* The motion of a joint, if known. */
enum aw_ezphys_motion {
    AW_EZPHYS_MOTION_UNKNOWN,
    AW_EZPHYS_TURNS,  /* rad, rad/s, Nm */
    AW_EZPHYS_SLIDES, /* m, m/s, N */
};

struct aw_ezphys_name {
    enum aw_ezphys_kind kind;
    uint32_t id;
    char name[AW_EZPHYS_NAME_SIZE];
    /* bodies that a joint connects; "": unknown, or the world */
    char bodies[2][AW_EZPHYS_NAME_SIZE];
    enum aw_ezphys_motion motion; /* motion of a joint */
    unsigned axes;                /* number of axes of a joint; 0: unknown */
    double low[3], high[3];       /* stops of its axes, rad or m; both 0: unknown */
};

/* {0} is empty. */
struct aw_ezphys_names {
    size_t n;
    struct aw_ezphys_name list[AW_EZPHYS_NAMES_MAX];
};

/* Returns "body" or "joint". */
const char *aw_ezphys_kind_name(enum aw_ezphys_kind kind);

/* Adds an entry at the end. bodies may be NULL; each of them may be "" or "world". AW_USAGE: the
 * name is empty, too long, begins with a digit or contains characters other than letters, digits,
 * '.', '_' and '-'; or the name or number is already in use. AW_LIMIT: more than
 * AW_EZPHYS_NAMES_MAX entries. */
enum aw_status aw_ezphys_names_add(struct aw_ezphys_names *names, enum aw_ezphys_kind kind,
                                   uint32_t id, const char *name, const char *const *bodies,
                                   struct aw_error *err);

/* max size of a line, bytes, with its NUL */
#define AW_EZPHYS_NAME_LINE (4 * AW_EZPHYS_NAME_SIZE + 32)

/* Sets the stops of the axes of the joint with this number; ignores unknown numbers. */
void aw_ezphys_names_set_stops(struct aw_ezphys_names *names, uint32_t id, const double low[3],
                               const double high[3]);

/* Writes an entry as a line of a names file, without the line end. */
void aw_ezphys_name_write_line(const struct aw_ezphys_name *entry, char out[AW_EZPHYS_NAME_LINE]);

/* Reads a names file to its end. If in is NULL, opens the file named by file. AW_USAGE, AW_LOST:
 * the file cannot be opened or read. After AW_MALFORMED, err has file, line and problem;
 * entries of earlier lines are kept. */
enum aw_status aw_ezphys_names_read(struct aw_ezphys_names *names, FILE *in, const char *file,
                                    struct aw_error *err);

/* Finds an entry by number or by name; NULL: not found. */
const struct aw_ezphys_name *aw_ezphys_names_find_id(const struct aw_ezphys_names *names,
                                                     enum aw_ezphys_kind kind, uint32_t id);
const struct aw_ezphys_name *aw_ezphys_names_find(const struct aw_ezphys_names *names,
                                                  enum aw_ezphys_kind kind, const char *name);

/* Adds the names from a comment in a recording, which has lines like "subject joint 3 neck axes=3".
 * Ignores damaged lines, and names and numbers that already exist. Returns false if the comment is
 * of another kind. */
bool aw_ezphys_names_restore(struct aw_ezphys_names *names, const char *text);

/* Finds the name of a number; NULL: not found. */
typedef const struct aw_ezphys_name *aw_ezphys_names_fn(void *context, enum aw_ezphys_kind kind,
                                                        uint32_t id);

/* Writes the subject of a record from the simulator: the name of its joint or body, otherwise
 * "joint3"; appends ".axis2" for further axes. Returns out; NULL: the record has no subject. */
const char *aw_ezphys_write_subject(const struct aw_record *record, aw_ezphys_names_fn *find,
                                    void *context, char *out, size_t size);

#endif
