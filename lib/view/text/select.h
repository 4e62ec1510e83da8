/* Selects values by names and patterns.
 *
 *    m1.position            a field; of every subject, if there are several
 *     lknee.torque           of this subject
 *     m1  lknee              all of a group, all of a subject
 *     position               the position of each group
 *     '*.torque' 'lknee.*'   * matches any characters, ? matches one, [ab] matches a or b
 *     kp.value               message.field, if the field alone is ambiguous
 *     3  3.force.z           of the subject with this id in the message
 *     'motor 1 [deg]'        a name of another program, with any characters
 *
 * Plain data; patterns are not copied.
 */
#ifndef AW_VIEW_TEXT_SELECT_H
#define AW_VIEW_TEXT_SELECT_H

#include "view/text/point.h"

#define AW_SELECT_MAX 32

struct aw_select {
    size_t n; /* 0: selects everything */
    const char *pattern[AW_SELECT_MAX];
};

/* Tells whether there may be subjects whose names are not in the wire table. The others are its
 * named values, or numbers. */
enum aw_subjects {
    AW_SUBJECTS_KNOWN,  /* no */
    AW_SUBJECTS_ANY,    /* possible */
    AW_SUBJECTS_BEFORE, /* only before a field: a single name is a field */
};

/* Returns true for "t", "dir" or "msg", which every record has beside its fields. Lists of patterns
 * may contain them. */
bool aw_select_is_head(const char *name);

/* Adds a pattern. AW_USAGE: too many. */
enum aw_status aw_select_add(struct aw_select *select, const char *pattern, struct aw_error *err);

/* Returns the first pattern that matches the point, from 0; 0 if everything is selected; -1: none.
 */
int aw_select_match(const struct aw_select *select, const struct aw_point *point);

/* Returns true if the pattern matches one of the points. */
bool aw_select_has(const char *pattern, const struct aw_point *points, size_t n);

/* Marks the patterns that match one of the points. Returns the first unmarked one; select->n: none.
 * found has an entry for each pattern. */
size_t aw_select_note(const struct aw_select *select, bool *found, const struct aw_point *points,
                      size_t n);

/* Returns the first unmarked pattern; select->n: none. */
static inline size_t aw_select_missing(const struct aw_select *select, const bool *found)
{
    size_t i = 0;
    while (i < select->n && found[i])
        i++;
    return i;
}

/* Returns true if the pattern matches this field of any subject. */
bool aw_select_field(const char *pattern, const struct aw_codec *codec, int scalar);

/* Returns true if all patterns match fields of any subject. Returns false for a subject with the
 * name of a field. Also returns false for AW_SUBJECTS_ANY, if such a subject is possible. */
bool aw_select_fields_only(const struct aw_select *select, struct aw_wire *wire,
                           enum aw_subjects subjects);

/* Returns the part of a pattern that names fields: all of it, or the rest after a subject. NULL: it
 * names a subject, or nothing. */
const char *aw_select_part(const char *pattern, struct aw_wire *wire);

/* AW_USAGE with a suggestion if a pattern matches no field of the wire. */
enum aw_status aw_select_check(const struct aw_select *select, const struct aw_names *names,
                               enum aw_subjects subjects, struct aw_error *err);

/* The same once all n subjects are known, by name or number. */
enum aw_status aw_select_confirm(const struct aw_select *select, const struct aw_names *names,
                                 const char *const *subjects, size_t n, struct aw_error *err);

#endif
