/* A condition on a value: --where 'torque>5', 'lknee.angle <= -0.5rad', 'error != none'.
 *
 *     struct aw_where where;
 *     if (aw_where_parse("torque > 5 and velocity < 100", &where, &err) == AW_OK)
 *         show = aw_where_holds(&where, points, n);
 *
 * FIELD OP VALUE, several joined by "and"; a FIELD with blanks or signs in it stands in quotes. OP
 * is one of < <= > >= = == !=. VALUE is a number, with or without a unit, or a text or a named
 * value (with = and != only). FIELD as in select.h; msg is the name of the message, dir tx or rx.
 */
#ifndef AW_VIEW_TEXT_WHERE_H
#define AW_VIEW_TEXT_WHERE_H

#include "view/text/select.h"

#define AW_WHERE_TERMS 8

enum aw_where_op {
    AW_WHERE_LESS,
    AW_WHERE_AT_MOST,
    AW_WHERE_MORE,
    AW_WHERE_AT_LEAST,
    AW_WHERE_IS,
    AW_WHERE_IS_NOT,
};

struct aw_where_term {
    char field[AW_POINT_NAME];
    enum aw_where_op op;
    char text[40]; /* the value as it was written */
    bool is_number;
    double number;
    bool has_unit;         /* the number depends on the unit of the field */
    const char *tolerance; /* of = with a number: how far from it is the same; NULL: nothing is */
};

/* Conditions on the message itself: msg = NAME, dir != tx. */
struct aw_where_head {
    bool dir; /* else msg */
    bool is;  /* else it must not be */
    char text[40];
};

/* Plain data; {0} holds for everything. */
struct aw_where {
    size_t n;
    struct aw_where_term terms[AW_WHERE_TERMS];
    size_t n_heads;
    struct aw_where_head heads[AW_WHERE_TERMS];
};

/* Is there any condition? */
static inline bool aw_where_any(const struct aw_where *where)
{
    return where->n > 0 || where->n_heads > 0;
}

/* Adds the terms of the text. AW_USAGE, saying what is wrong where. */
enum aw_status aw_where_parse(const char *text, struct aw_where *where, struct aw_error *err);

/* AW_USAGE if a field is compared with a unit that it never has ('angle>1kg'), or msg with a name
 * that no message of the wire has. */
enum aw_status aw_where_check_units(const struct aw_where *where, struct aw_wire *wire,
                                    struct aw_error *err);

/* The same, and AW_USAGE if the wire has no such field, as aw_select_check. */
enum aw_status aw_where_check(const struct aw_where *where, const struct aw_names *names,
                              enum aw_subjects subjects, struct aw_error *err);

/* Its fields, for aw_select_check and aw_select_confirm; they belong to where. */
void aw_where_fields(const struct aw_where *where, struct aw_select *fields);

/* Do the conditions on msg and dir hold for a message of this name and direction? dir 0: not known,
 * which fulfils none. The functions below do not look at these conditions. */
bool aw_where_head_holds(const struct aw_where *where, const char *message, enum aw_dir dir);

/* The number that a point is compared with, in the unit of its field; false: with none. */
bool aw_where_number(const struct aw_where_term *term, const struct aw_point *point,
                     double *number);

/* Does every term hold for one of the points of a message? A field that the message does not have,
 * and "no data", fulfil nothing. */
bool aw_where_holds(const struct aw_where *where, const struct aw_point *points, size_t n);

/* The same for a record; scalars: of each term those that its field names, from aw_finder_look. */
bool aw_where_fits(const struct aw_where *where, const struct aw_record *record,
                   const uint64_t *scalars);

#endif
