/* What 'status' shows of a joint, the same in every tool: for people a row of a table, for programs
 * values of one record, elbow.target to elbow.age.
 *
 *     aw_status_begin(session, (const char *const[]){"velocity", NULL});
 *     aw_status_joint(session, &(struct aw_status_joint){
 *         .name = "elbow", .target = 30, .actual = 29.97, .decimals = 2, .unit = "deg",
 *         .age_s = 0.012,
 *         .more = (const struct aw_status_value[]){{"velocity", 1.5, 1, "deg/s"}, {0}}});
 *     return AW_OK;
 *
 *     joint           target   actual unit  fault            age    velocity
 *     elbow            30.00    29.97 deg   -             0.012s    1.5deg/s
 *
 *     "elbow":{"target":30,"actual":29.97,"unit":"deg","fault":null,"age":0.012,"velocity":1.5}
 */
#ifndef AW_SHELL_COMMANDS_STATUS_H
#define AW_SHELL_COMMANDS_STATUS_H

#include "shell/core/session.h"

/* One more value that the device tells of a joint. */
struct aw_status_value {
    const char *key;
    double value; /* NaN: not known */
    int decimals;
    const char *unit; /* or NULL */
};

struct aw_status_joint {
    const char *name;      /* as commands take it */
    const char *label;     /* for people, where that is another text; or NULL */
    int width;             /* of the labels; 0: AW_STATUS_WIDTH */
    double target, actual; /* where it is to be and is; NaN: not known */
    int decimals;
    const char *unit;  /* of both; not copied */
    const char *fault; /* what the device says is wrong with it, not copied; NULL: nothing */
    double age_s;      /* of the actual value, since it came from the device; NaN: it never did */
    const struct aw_status_value *more; /* {0}-terminated, or NULL */
};

/* Prints the head of the table, or begins the result. more: the keys of what the joints have more,
 * NULL-terminated, or NULL; with two the table has 79 columns. */
void aw_status_begin(struct aw_session *session, const char *const *more);

/* The same where labels take more columns than usual; each joint has the same width then. */
#define AW_STATUS_WIDTH 13
void aw_status_begin_wide(struct aw_session *session, int width, const char *const *more);

void aw_status_joint(struct aw_session *session, const struct aw_status_joint *joint);

#endif
