/* What can come next on a command line: for TAB in the REPL, for the shells' completion scripts,
 * and as a hint.
 */
#ifndef AW_SHELL_PROMPT_COMPLETE_H
#define AW_SHELL_PROMPT_COMPLETE_H

#include "shell/core/session.h"

/* Calls add for each word that can stand where partial stands, after the n words before it. Files
 * are not listed: *files has the endings of those that are meant then, "csv ndjson", or "" for any;
 * else it is NULL. partial itself may be "". */
void aw_complete(struct aw_session *session, const char *const *before, size_t n,
                 const char *partial, aw_candidate_fn *add, void *context, const char **files);

/* What the next argument is, for a line that is being typed: "<angle 0 to 360 deg>"; "" if there is
 * nothing to say. */
void aw_hint(struct aw_session *session, const char *line, char *out, size_t size);

/* Names of the fields that the device sends: FIELD, and SUBJECT.FIELD where the wire names
 * subjects. */
aw_complete_fn aw_complete_fields;

#endif
