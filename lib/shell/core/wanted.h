/* The messages, and the entries of rows and results, that --fields and --format select in commands
 * that only read. Messages that are not shown do not count either.
 */
#ifndef AW_SHELL_CORE_WANTED_H
#define AW_SHELL_CORE_WANTED_H

#include "shell/core/object.h"
#include "view/text/select.h"

struct aw_args;
struct aw_session;

/* In place: its patterns point into text. */
struct aw_wanted {
    struct aw_select any, all; /* of --fields, of --format */
    char text[2048];
    bool picks;   /* rows and results are looked at: */
    bool results; /* of a command that changes something: the record that it sends is not shown */
    unsigned seen[2];  /* bits of the patterns of any and all that something had, */
    char offered[160]; /* and the names there are, as far as there is room */
};

/* AW_USAGE: too many. */
enum aw_status aw_wanted_init(struct aw_wanted *wanted, struct aw_session *session);

/* Is a message with these points shown? */
bool aw_wanted_fits(const struct aw_wanted *wanted, const struct aw_point *points, size_t n);

/* The same for a record that has these scalars; any, all: those that the patterns name, from
 * aw_finder_look. */
bool aw_wanted_has(const struct aw_wanted *wanted, uint64_t present, const uint64_t *any,
                   const uint64_t *all);

/* May the result of a command have this key? */
typedef bool aw_has_key_fn(const char *tool, const char *command, const char *key);

/* Prepares session->run.printing.wanted before a command runs. AW_USAGE: a command that changes
 * something has neither a record with this field nor, by has_key, such a result. */
enum aw_status aw_wanted_begin(struct aw_session *session, const struct aw_args *args,
                               aw_has_key_fn *has_key);

/* Leaves in a row or a result what --fields asks for; false: nothing of it. */
bool aw_wanted_pick(struct aw_session *session, struct aw_object *object);

/* After it. AW_USAGE for a name that no row and no result had. */
enum aw_status aw_wanted_end(struct aw_session *session, enum aw_status status);

#endif
