/* Which values are wanted: names and patterns.
 *
 *     m1.position            a field; of every subject, if there are several
 *     lknee.torque           of this subject
 *     m1  lknee              all of a group, all of a subject
 *     position               the position of each group
 *     '*.torque' 'lknee.*'   * stands for any characters, ? for one, [ab] for one of these
 *     kp.value               message.field, where a name alone would not do
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
    size_t n; /* 0: everything is wanted */
    const char *pattern[AW_SELECT_MAX];
};

/* Are there subjects that the wire does not know by name? Others are its named values, or numbers.
 */
enum aw_subjects {
    AW_SUBJECTS_KNOWN,  /* no */
    AW_SUBJECTS_ANY,    /* there may be */
    AW_SUBJECTS_BEFORE, /* only before a field: a name alone is a field */
};

/* Is it "t", "dir" or "msg", which every record has beside its fields? No pattern, but named where
 * patterns are. */
bool aw_select_is_head(const char *name);

/* AW_USAGE: too many. */
enum aw_status aw_select_add(struct aw_select *select, const char *pattern, struct aw_error *err);

/* The first pattern that the point is like, from 0; 0 if everything is wanted; -1: none. */
int aw_select_match(const struct aw_select *select, const struct aw_point *point);

/* Is one of the points like the pattern? */
bool aw_select_has(const char *pattern, const struct aw_point *points, size_t n);

/* Marks the patterns that one of the points is like, and returns the first that is not marked yet;
 * select->n: all are. found has a place for each pattern. */
size_t aw_select_note(const struct aw_select *select, bool *found, const struct aw_point *points,
                      size_t n);

/* The first that is not marked yet; select->n: all are. */
static inline size_t aw_select_missing(const struct aw_select *select, const bool *found)
{
    size_t i = 0;
    while (i < select->n && found[i])
        i++;
    return i;
}

/* Returns true if the pattern matches this field of any subject. */
bool aw_select_field(const char *pattern, const struct aw_codec *codec, int scalar);

/* Returns true if all patterns match fields of any subject. A subject with the name of a field
 * makes this false, and so does AW_SUBJECTS_ANY, where one may come. */
bool aw_select_fields_only(const struct aw_select *select, struct aw_wire *wire,
                           enum aw_subjects subjects);

/* What of a pattern names fields: all of it, or what stands behind the name of a subject. NULL: it
 * names a subject, or nothing. */
const char *aw_select_part(const char *pattern, struct aw_wire *wire);

/* AW_USAGE with the nearest name if a pattern can fit no field of the wire. */
enum aw_status aw_select_check(const struct aw_select *select, const struct aw_names *names,
                               enum aw_subjects subjects, struct aw_error *err);

/* The same once all n subjects are known, names and numbers. */
enum aw_status aw_select_confirm(const struct aw_select *select, const struct aw_names *names,
                                 const char *const *subjects, size_t n, struct aw_error *err);

#endif
