/* Messages, and entries of rows and results, that --fields and --format select in read-only
 * commands. Messages that are not shown do not count.
 */
#ifndef AW_SHELL_SESSION_WANTED_H
#define AW_SHELL_SESSION_WANTED_H

#include "shell/session/object.h"
#include "view/text/select.h"

struct aw_args;
struct aw_session;

/* Do not copy: its patterns point into text. */
struct aw_wanted {
    struct aw_select any, all; /* patterns of --fields and of --format */
    char text[2048];
    bool picks;       /* selects in rows and results: */
    bool results;     /* in results of a command that changes something; it then hides the record it
                     sends */
    unsigned seen[2]; /* bits of the patterns of any and all that matched, */
    char offered[160]; /* the available names, as many as fit */
};

/* Initializes the patterns. AW_USAGE: too many. */
enum aw_status aw_wanted_init(struct aw_wanted *wanted, struct aw_session *session);

/* Returns true if a message with these points is shown. */
bool aw_wanted_fits(const struct aw_wanted *wanted, const struct aw_point *points, size_t n);

/* Returns true if a record with these scalars is shown; any, all: the scalars in the patterns, from
 * aw_finder_look. */
bool aw_wanted_has(const struct aw_wanted *wanted, uint64_t present, const uint64_t *any,
                   const uint64_t *all);

/* Returns true if the result of a command may have this key. */
typedef bool aw_has_key_fn(const char *tool, const char *command, const char *key);

/* Prepares session->run.printing.wanted before a command runs. AW_USAGE: a command that changes
 * something has no such field in a record and, by has_key, no such result. */
enum aw_status aw_wanted_begin(struct aw_session *session, const struct aw_args *args,
                               aw_has_key_fn *has_key);

/* Removes entries that --fields does not select from a row or result; false: none left. */
bool aw_wanted_pick(struct aw_session *session, struct aw_object *object);

/* Returns true if --fields and --format name nothing, or this key. In a script, the names may be
 * those of other commands. */
bool aw_wanted_names(const struct aw_session *session, const char *key);

/* Call it after the command. AW_USAGE for a name that no row or result had. */
enum aw_status aw_wanted_end(struct aw_session *session, enum aw_status status);

#endif
