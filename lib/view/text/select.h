/* Selects values by names and patterns.
 *
 *     m1.position            a field, of every subject
 *     lknee.torque           a field of this subject
 *     m1  lknee              all fields of a group, of a subject
 *     position               this field of each group
 *     '*.torque' 'lknee.*'   * matches any characters, ? matches one, [ab] matches a or b
 *     kp.value               message.field, if the field alone is ambiguous
 *     3  3.force.z           all fields, a field of the subject with this id
 *     'motor 1 [deg]'        a name of another program, with any characters
 *
 * A struct aw_select is plain data. Patterns are not copied, so they must outlive it.
 */
#ifndef AW_VIEW_TEXT_SELECT_H
#define AW_VIEW_TEXT_SELECT_H

#include "view/text/point.h"

#define AW_SELECT_MAX 32

struct aw_select {
    size_t n; /* number of patterns; 0: selects everything */
    const char *pattern[AW_SELECT_MAX];
};

/* Which subjects are possible. Known subjects are named values of the wire table, or numbers. */
enum aw_subjects {
    AW_SUBJECTS_KNOWN,  /* only known ones */
    AW_SUBJECTS_ANY,    /* any name */
    AW_SUBJECTS_BEFORE, /* any subject before a field (knee.angle); a bare name is a field */
};

/* Returns true for "t", "dir" or "msg". Every record has these beside its fields, and lists of
 * patterns may contain them. */
bool aw_select_is_head(const char *name);

/* Adds a pattern. AW_USAGE: there are too many patterns. */
enum aw_status aw_select_add(struct aw_select *select, const char *pattern, struct aw_error *err);

/* Returns the index of the first pattern that matches the point. Returns 0 if everything is
 * selected, and -1 if no pattern matches. */
int aw_select_match(const struct aw_select *select, const struct aw_point *point);

/* Returns true if the pattern matches one of the points. */
bool aw_select_matches_any(const char *pattern, const struct aw_point *points, size_t n);

/* Marks the patterns in found, which has an entry per pattern, that match one of the points.
 * Returns the index of the first unmarked pattern, or select->n. */
size_t aw_select_mark_found(const struct aw_select *select, bool *found,
                            const struct aw_point *points, size_t n);

/* Returns the index of the first unmarked pattern, or select->n. */
static inline size_t aw_select_find_missing(const struct aw_select *select, const bool *found)
{
    size_t i = 0;
    while (i < select->n && found[i])
        i++;
    return i;
}

/* Returns true if the pattern matches this field for any subject. */
bool aw_select_matches_field(const char *pattern, const struct aw_codec *codec, int scalar);

/* Returns true if all patterns are names of fields and match for any subject. Returns false if a
 * subject has the same name, or, for AW_SUBJECTS_ANY, if it might. */
bool aw_select_is_fields_only(const struct aw_select *select, struct aw_wire *wire,
                              enum aw_subjects subjects);

/* Returns the part of a pattern that names fields: all of it, or the rest after a subject. Returns
 * NULL if the pattern names a subject, or matches nothing. */
const char *aw_select_field_part(const char *pattern, struct aw_wire *wire);

/* Checks the patterns before the first message. AW_USAGE, with a suggestion: a pattern matches no
 * field of the wire. */
enum aw_status aw_select_check(const struct aw_select *select, const struct aw_names *names,
                               enum aw_subjects subjects, struct aw_error *err);

/* Same as aw_select_check, but for the time when all n subjects are known by name or number. */
enum aw_status aw_select_confirm(const struct aw_select *select, const struct aw_names *names,
                                 const char *const *subjects, size_t n, struct aw_error *err);

#endif
