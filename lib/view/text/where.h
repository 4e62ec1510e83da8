/* A condition on a value: --where 'torque>5', 'lknee.angle <= -0.5rad', 'error != none'.
 *
 *     struct aw_where where;
 *     if (aw_where_parse("torque > 5 and velocity < 100", &where, &err) == AW_OK)
 *         show = aw_where_holds(&where, points, n);
 *
 * The syntax is FIELD OP VALUE, several joined by "and". Quote a FIELD that contains blanks or
 * signs. OP is one of < <= > >= = == !=. VALUE is a number, with or without a unit, a text, or a
 * named value (with = and != only). FIELD as in select.h; msg is the name of the message, dir tx or
 * rx.
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
    char text[40]; /* value as written */
    bool is_number;
    double number;
    bool has_unit;         /* the number depends on the unit of the field */
    const char *tolerance; /* of = with a number: tolerance; NULL: none */
};

/* Conditions on the message itself: msg = NAME, dir != tx. */
struct aw_where_head {
    bool dir; /* dir; false: msg */
    bool is;  /* true for =, false for != */
    char text[40];
};

/* Plain data; {0} is always true. */
struct aw_where {
    size_t n;
    struct aw_where_term terms[AW_WHERE_TERMS];
    size_t n_heads;
    struct aw_where_head heads[AW_WHERE_TERMS];
};

/* Returns true if there is a condition. */
static inline bool aw_where_any(const struct aw_where *where)
{
    return where->n > 0 || where->n_heads > 0;
}

/* Adds the terms of the text. AW_USAGE gives the error and its position. */
enum aw_status aw_where_parse(const char *text, struct aw_where *where, struct aw_error *err);

/* AW_USAGE if a field is compared in a unit of another kind ('angle>1kg'), or msg with an unknown
 * message name. */
enum aw_status aw_where_check_units(const struct aw_where *where, struct aw_wire *wire,
                                    struct aw_error *err);

/* The same, and AW_USAGE if the wire has no such field, as aw_select_check. */
enum aw_status aw_where_check(const struct aw_where *where, const struct aw_names *names,
                              enum aw_subjects subjects, struct aw_error *err);

/* Returns its fields, for aw_select_check and aw_select_confirm; where owns them. */
void aw_where_fields(const struct aw_where *where, struct aw_select *fields);

/* Returns true if the conditions on msg and dir hold for this message name and direction. dir 0 is
 * unknown and satisfies none. The functions below ignore these conditions. */
bool aw_where_head_holds(const struct aw_where *where, const char *message, enum aw_dir dir);

/* Finds the number that a point is compared with, in the unit of its field; false: none. */
bool aw_where_number(const struct aw_where_term *term, const struct aw_point *point,
                     double *number);

/* Returns true if every term holds for one of the points of a message. A missing field, or "no
 * data", satisfies no term. */
bool aw_where_holds(const struct aw_where *where, const struct aw_point *points, size_t n);

/* The same for a record. scalars has the matching scalars of each term, from aw_finder_match. */
bool aw_where_fits(const struct aw_where *where, const struct aw_record *record,
                   const uint64_t *scalars);

#endif
