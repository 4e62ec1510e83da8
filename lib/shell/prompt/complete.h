/* Candidates for the next token of a command line: for TAB in the REPL, for the shells' completion
 * scripts, and as a hint.
 */
#ifndef AW_SHELL_PROMPT_COMPLETE_H
#define AW_SHELL_PROMPT_COMPLETE_H

#include "shell/session/session.h"

/* Calls add for each candidate for partial after the n tokens before it. Does not list files: for a
 * file argument *files is the list of extensions, "csv ndjson", or "" for any file. Otherwise it is
 * NULL. partial may be "". */
void aw_complete(struct aw_session *session, const char *const *before, size_t n,
                 const char *partial, aw_candidate_fn *add, void *context, const char **files);

/* Writes a hint for the next argument of an incomplete line: "<angle 0 to 360 deg>"; "" if there is
 * none. */
void aw_hint(struct aw_session *session, const char *line, char *out, size_t size);

#endif
