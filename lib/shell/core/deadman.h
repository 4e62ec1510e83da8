/* --deadman TIME: what moves for a script that comes through a pipe is stopped when nothing has
 * come for so long. An empty line is a sign of life, too. What waits unread is none: it came once.
 * Nor is the end of the input, which a writer that died leaves as well.
 *
 *     struct aw_deadman deadman;
 *     aw_deadman_begin(&deadman, session, fd);
 *     …    aw_deadman_read(&deadman, n) after each read of fd, aw_deadman_line(&deadman) for each
 *          line that is taken from it; a command that runs ends with AW_TIMEOUT
 *     aw_deadman_end(&deadman);
 *
 * The time is that of the session's clock; in virtual time a line comes when it is taken. Nothing
 * happens without the option, and where lines come from a terminal or a file.
 */
#ifndef AW_SHELL_CORE_DEADMAN_H
#define AW_SHELL_CORE_DEADMAN_H

#include "shell/core/session.h"

struct aw_deadman {
    struct aw_aside aside;
    struct aw_session *session;
    int fd;
    int64_t time_ns;           /* 0: off */
    int64_t real_ns, model_ns; /* when something came last, by each of the clocks */
    size_t unread;             /* bytes that waited at the last look */
    bool expired;
    char why[96];
};

void aw_deadman_begin(struct aw_deadman *deadman, struct aw_session *session, int fd);
void aw_deadman_read(struct aw_deadman *deadman, size_t n);
void aw_deadman_line(struct aw_deadman *deadman);
void aw_deadman_end(struct aw_deadman *deadman);

/* What ended the wait for a line: where that was the dead-man, what goes on is stopped and
 * reported, and it is AW_TIMEOUT. */
enum aw_status aw_deadman_outcome(struct aw_deadman *deadman, enum aw_status status);

#endif
