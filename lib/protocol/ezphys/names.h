/* Names for the numbers of bodies and joints on the wire.
 *
 * A file of names has one object a line; blanks separate, '#' begins a comment:
 *
 *     body  1 humanoid.pelvis
 *     body  2 humanoid.left.thigh
 *     joint 1 humanoid.left.hip  humanoid.pelvis humanoid.left.thigh
 *     joint 2 rail               cart world slider
 *     joint 3 humanoid.neck      axes=3
 *
 * A joint may be followed by the two bodies that it connects ("world" is no body), by "slider" if
 * its values are in m, m/s and N, and by "axes=2" for its number of axes; the wire has neither of
 * the two. Dots make a tree of the names, and patterns choose parts of it: "humanoid.left.*".
 *
 * Bodies and joints are numbered on their own: a body 1 and a joint 1 are two things. Plain data
 * owned by the caller; nothing is allocated.
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

#define AW_EZPHYS_NAME_SIZE                                                                        \
    33 /* 32 characters, as many as the wire with names carries, and a NUL */
#define AW_EZPHYS_NAMES_MAX 512

/* How a joint moves, as far as that is known. */
enum aw_ezphys_moves {
    AW_EZPHYS_MOVES_UNKNOWN,
    AW_EZPHYS_TURNS,  /* rad, rad/s, Nm */
    AW_EZPHYS_SLIDES, /* m, m/s, N */
};

struct aw_ezphys_name {
    enum aw_ezphys_kind kind;
    uint32_t id;
    char name[AW_EZPHYS_NAME_SIZE];
    char bodies[2][AW_EZPHYS_NAME_SIZE]; /* of a joint; "": not known, or the world */
    enum aw_ezphys_moves moves;          /* of a joint */
    unsigned axes;                       /* of a joint; 0: not known */
    double low[3], high[3];              /* stops of its axes, rad or m; both 0: not known */
};

/* {0} is empty. */
struct aw_ezphys_names {
    size_t n;
    struct aw_ezphys_name list[AW_EZPHYS_NAMES_MAX];
};

/* "body", "joint". */
const char *aw_ezphys_kind_name(enum aw_ezphys_kind kind);

/* Adds one; bodies may be NULL, and each of them "" or "world". AW_USAGE: a name that is empty, too
 * long, begins with a digit, or has characters other than letters, digits, '.', '_' and '-'; a name
 * or number that is there already; AW_LIMIT: more than AW_EZPHYS_NAMES_MAX. */
enum aw_status aw_ezphys_names_add(struct aw_ezphys_names *names, enum aw_ezphys_kind kind,
                                   uint32_t id, const char *name, const char *const *bodies,
                                   struct aw_error *err);

/* Sets how a joint moves; ignores unknown names. */
void aw_ezphys_names_move(struct aw_ezphys_names *names, const char *joint,
                          enum aw_ezphys_moves moves);

/* The same with how many axes it has. */
void aw_ezphys_names_axes(struct aw_ezphys_names *names, const char *joint, unsigned axes);

#define AW_EZPHYS_NAME_LINE (4 * AW_EZPHYS_NAME_SIZE + 32) /* bytes of a line, with its NUL */

/* Sets the stops of the axes of the joint with this number; ignores unknown ones. */
void aw_ezphys_names_stops(struct aw_ezphys_names *names, uint32_t id, const double low[3],
                           const double high[3]);

/* Writes an entry as a line of such a file, without its end. */
void aw_ezphys_name_line(const struct aw_ezphys_name *entry, char out[AW_EZPHYS_NAME_LINE]);

/* Reads such a file to its end; in NULL: the file of this name. AW_MALFORMED names file, line and
 * what is wrong there. Entries of the lines before stay. */
enum aw_status aw_ezphys_names_read(struct aw_ezphys_names *names, FILE *in, const char *file,
                                    struct aw_error *err);

/* Finds an entry by number, or by name; NULL: not found. */
const struct aw_ezphys_name *aw_ezphys_names_of(const struct aw_ezphys_names *names,
                                                enum aw_ezphys_kind kind, uint32_t id);
const struct aw_ezphys_name *aw_ezphys_names_find(const struct aw_ezphys_names *names,
                                                  enum aw_ezphys_kind kind, const char *name);

/* Adds the names in a note of a recording, lines of "subject joint 3 neck axes=3"; ignores damaged
 * lines, and names and numbers that are there already. False: the text is another one. */
bool aw_ezphys_names_take(struct aw_ezphys_names *names, const char *text);

/* Finds the name of a number; NULL: it has none. */
typedef const struct aw_ezphys_name *aw_ezphys_names_fn(void *context, enum aw_ezphys_kind kind,
                                                        uint32_t id);

/* The subject of a record from the simulator: the name of its joint or body, else "joint3", and
 * ".axis2" for a further axis. Writes it to out and returns it; NULL: it has none. */
const char *aw_ezphys_subject(const struct aw_record *record, aw_ezphys_names_fn *find,
                              void *context, char *out, size_t size);

/* Does the name match? '*' stands for any characters, '?' for one; "humanoid" also matches all
 * that is below it. */
bool aw_ezphys_name_matches(const char *pattern, const char *name);

#endif
