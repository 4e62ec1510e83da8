/* Parses and evaluates the conditions of --where: 'torque>5', 'lknee.angle <= -0.5rad'.
 *
 *     struct aw_where where;
 *     if (aw_where_parse("torque > 5 and velocity < 100", &where, &err) == AW_OK)
 *         show = aw_where_holds(&where, points, n);
 *
 * The syntax of a term is FIELD OP VALUE; "and" joins several terms. FIELD is a pattern as in
 * select.h; quote it if it contains blanks or signs. msg is the name of the message, and dir is tx
 * or rx. OP is one of < <= > >= = == !=. VALUE is a number with or without a unit, a string, or a
 * named value. Strings and named values support only = and !=.
 */
#ifndef AW_VIEW_TEXT_WHERE_H
#define AW_VIEW_TEXT_WHERE_H

#include "view/text/select.h"

#define AW_WHERE_TERMS AW_SELECT_MAX /* aw_where_list_fields makes a pattern of each */

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
    bool has_unit; /* the number must be converted to the unit of the field */
    /* tolerance of = with a number, at least half a step of the field; ignored if its unit does not
     * fit the field. NULL: none */
    const char *tolerance;
};

/* A condition on the message itself: msg = NAME, dir != tx. */
struct aw_where_head {
    bool is_dir;   /* true: about dir; false: about msg */
    bool is_equal; /* OP is =; false: != */
    char text[40];
};

/* A condition. Plain data; {0} is always true. */
struct aw_where {
    size_t n;
    struct aw_where_term terms[AW_WHERE_TERMS];
    size_t n_heads;
    struct aw_where_head heads[AW_WHERE_TERMS];
};

/* Returns true if the condition has terms. */
static inline bool aw_where_is_set(const struct aw_where *where)
{
    return where->n > 0 || where->n_heads > 0;
}

/* Adds the terms in the text to a condition. AW_USAGE: a mistake, with its position. */
enum aw_status aw_where_parse(const char *text, struct aw_where *where, struct aw_error *err);

/* Checks units and names of messages. AW_USAGE: a field is compared in a unit of another kind
 * ('angle>1kg'), or msg with an unknown name. */
enum aw_status aw_where_check_units(const struct aw_where *where, struct aw_wire *wire,
                                    struct aw_error *err);

/* Same as aw_where_check_units, and checks the fields like aw_select_check. AW_USAGE: the wire has
 * no such field. */
enum aw_status aw_where_check(const struct aw_where *where, const struct aw_names *names,
                              enum aw_subjects subjects, struct aw_error *err);

/* Returns the fields of the condition, for aw_select_check and aw_select_confirm. where owns the
 * strings. */
void aw_where_list_fields(const struct aw_where *where, struct aw_select *fields);

/* Returns true if the terms about msg and dir hold for this message name and direction. A dir of 0
 * is unknown and satisfies no term. The functions below ignore these terms. */
bool aw_where_matches_head(const struct aw_where *where, const char *message, enum aw_dir dir);

/* Finds the number to compare a point with, in the unit of the point's field. Returns false if
 * there is no such number. */
bool aw_where_find_number(const struct aw_where_term *term, const struct aw_point *point,
                          double *number);

/* Returns true if every term holds for one of the points of a message. A missing field or "no data"
 * satisfies no term. */
bool aw_where_holds(const struct aw_where *where, const struct aw_point *points, size_t n);

/* Same as aw_where_holds for a record. scalars has the matching scalars of each term, as returned
 * by aw_finder_match. */
bool aw_where_holds_record(const struct aw_where *where, const struct aw_record *record,
                           const uint64_t *scalars);

#endif
