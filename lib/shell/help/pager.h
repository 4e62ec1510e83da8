/* A pager for output that may be longer than the terminal: $PAGER, else less, which ends by itself
 * if the output fits. Without a terminal or a pager, the output is printed directly.
 *
 *     struct aw_pager pager = aw_pager_open(session);
 *     … print to session->out …
 *     aw_pager_close(session, &pager);
 */
#ifndef AW_SHELL_HELP_PAGER_H
#define AW_SHELL_HELP_PAGER_H

#include "shell/session/session.h"

struct aw_pager {
    int fd; /* saved output descriptor while the pager runs; -1: no pager */
    int pid;
    void (*interrupt)(int); /* previous handler of SIGINT */
};

/* Opens no pager at the prompt, with --quiet, or with TERM=dumb. */
struct aw_pager aw_pager_open(struct aw_session *session);

/* Waits until the pager ends. Leaving it early is not an error. */
void aw_pager_close(struct aw_session *session, struct aw_pager *pager);

#endif
