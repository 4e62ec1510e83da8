/* Messages, and entries of rows and results, that --fields and --format select in read-only
 * commands. Messages that are not shown do not count.
 */
#ifndef AW_SHELL_SESSION_WANTED_H
#define AW_SHELL_SESSION_WANTED_H

#include "shell/session/object.h"
#include "view/text/select.h"

struct aw_args;
struct aw_session;

/* Do not copy: its patterns point into its own buffer. */
struct aw_wanted {
    struct aw_select any, all; /* patterns of --fields and of --format */
    char text[2048];
    bool selects_entries; /* --fields or --format selects entries of rows and results */
    /* they select entries of the result of a command that changes something; its sent record is
     * then not printed */
    bool selects_result;
    unsigned matched[2]; /* bits of the patterns in any and all that matched */
    char available[160]; /* the available names, as many as fit */
};

/* Initialises the patterns. AW_USAGE: too many. */
enum aw_status aw_wanted_init(struct aw_wanted *wanted, struct aw_session *session);

/* Returns true if a message with these points is shown. */
bool aw_wanted_has_points(const struct aw_wanted *wanted, const struct aw_point *points, size_t n);

/* Returns true if a record is shown that has these scalars, one bit each. any, all: the scalars
 * that each pattern matches, from aw_finder_match. */
bool aw_wanted_has_scalars(const struct aw_wanted *wanted, uint64_t present, const uint64_t *any,
                           const uint64_t *all);

/* Returns true if the result of this command may have this key. */
typedef bool aw_has_key_fn(const char *tool, const char *command, const char *key);

/* Prepares session->run.printing.wanted before a command runs. AW_USAGE: the command changes
 * something and has neither such a field in a record nor, according to has_key, such a key in its
 * result. */
enum aw_status aw_wanted_begin(struct aw_session *session, const struct aw_args *args,
                               aw_has_key_fn *has_key);

/* Removes entries that --fields does not select from a row or result. Returns false if none is
 * left. */
bool aw_wanted_pick(struct aw_session *session, struct aw_object *object);

/* Returns true if --fields or --format names this key, or if neither names anything. In a script,
 * the names may belong to other commands. */
bool aw_wanted_has_key(const struct aw_session *session, const char *key);

/* Call it after the command. AW_USAGE for a name that no row or result had. */
enum aw_status aw_wanted_end(struct aw_session *session, enum aw_status status);

#endif
