/* --deadman TIME: stops the motion of a script from a pipe if no line arrives for this time. An
 * empty line also counts as a sign of life. Unread lines do not count, because they arrived
 * earlier. Nor does the end of the input, which may mean that the writer died.
 *
 *     struct aw_deadman deadman;
 *     aw_deadman_begin(&deadman, session, fd);
 *     …    aw_deadman_note_read(&deadman, n) after each read of fd,
 *          aw_deadman_note_line(&deadman) before each line runs;
 *          when the time is over, the running command ends with AW_TIMEOUT
 *     aw_deadman_end(&deadman);
 *
 * Uses the session's clock; in virtual time a line arrives when it is read. Does nothing without
 * the option, or if lines come from a terminal or a file.
 */
#ifndef AW_SHELL_SAFETY_DEADMAN_H
#define AW_SHELL_SAFETY_DEADMAN_H

#include "shell/session/session.h"

struct aw_deadman {
    struct aw_background background;
    struct aw_session *session;
    int fd;
    int64_t limit_ns;          /* max time without input; 0: off */
    int64_t real_ns, model_ns; /* time of the last input, by each clock */
    size_t unread;             /* unread bytes at the last check */
    bool expired;
    char message[96];
};

void aw_deadman_begin(struct aw_deadman *deadman, struct aw_session *session, int fd);
void aw_deadman_note_read(struct aw_deadman *deadman, size_t n);
void aw_deadman_note_line(struct aw_deadman *deadman);
void aw_deadman_end(struct aw_deadman *deadman);

/* Handles the end of a wait for a line with this status. If the dead-man ended the wait, stops the
 * continuing activity, reports that, and returns AW_TIMEOUT; otherwise returns status. */
enum aw_status aw_deadman_handle_end(struct aw_deadman *deadman, enum aw_status status);

#endif
