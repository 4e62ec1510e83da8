/* A pager for a text that may be longer than the terminal: $PAGER, else less, which ends by itself
 * where the text fits. Elsewhere than on a terminal, and where there is none, nothing is between.
 *
 *     struct aw_pager pager = aw_pager_open(session);
 *     … prints the text …
 *     aw_pager_close(session, &pager);
 */
#ifndef AW_SHELL_HELP_PAGER_H
#define AW_SHELL_HELP_PAGER_H

#include "shell/core/session.h"

struct aw_pager {
    int fd; /* of the terminal, while the pager has the output; -1: there is none */
    int pid;
    void (*interrupt)(int); /* what SIGINT did before */
};

/* At the prompt, with --quiet and where TERM is dumb there is none either. */
struct aw_pager aw_pager_open(struct aw_session *session);

/* Waits until the reader leaves. Whoever leaves early has read enough: that is no error. */
void aw_pager_close(struct aw_session *session, struct aw_pager *pager);

#endif
