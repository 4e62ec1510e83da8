/* A progress bar for long work. It appears on standard error and disappears at the end.
 *
 *     struct aw_progress progress = aw_progress(session, "run.pcapng", true);
 *     while (…) aw_progress_update(&progress, done, total);
 *     aw_progress_end(&progress);
 *
 * Shows nothing in the first half second, with --quiet, or if standard error is not a terminal.
 */
#ifndef AW_SHELL_SESSION_PROGRESS_H
#define AW_SHELL_SESSION_PROGRESS_H

#include "shell/session/session.h"

struct aw_progress {
    const char *label;
    bool enabled, is_shown;
    int64_t start_ns, next_ns; /* real time */
};

/* to_stdout: the work prints to standard output, so no bar is shown if that is a terminal. */
struct aw_progress aw_progress(const struct aw_session *session, const char *label, bool to_stdout);

/* total 0: unknown. Cheap: most calls only read the clock. */
void aw_progress_update(struct aw_progress *progress, uint64_t done, uint64_t total);
void aw_progress_show(struct aw_progress *progress, const char *text);
void aw_progress_end(struct aw_progress *progress);

#endif
