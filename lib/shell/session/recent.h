/* The last frames from a device, for 'expect' after a command of a script: a device that only
 * answers (tool->watch.only_answers) has sent the expected frame before 'expect' begins.
 *
 * Holds the newest AW_RECENT_MAX frames since the start of the last command that may have changed
 * something. Holds nothing for a single command on the command line.
 */
#ifndef AW_SHELL_SESSION_RECENT_H
#define AW_SHELL_SESSION_RECENT_H

#include "shell/session/session.h"

#define AW_RECENT_MAX   64
#define AW_RECENT_FRAME 128 /* bytes; longer frames are not stored */

struct aw_recent_frame {
    int64_t time_ns; /* since 1970 */
    size_t size;
    uint8_t bytes[AW_RECENT_FRAME];
};

struct aw_recent;

/* Stores bytes from the device, whole frames or pieces. */
void aw_recent_add(struct aw_session *session, int64_t time_ns, struct aw_span bytes);

/* Call it before a command: clears the frames if the command may send something. */
void aw_recent_begin(struct aw_session *session, const struct aw_command *command);

/* Returns a stored frame by age; 0 is the newest. NULL: not stored. */
const struct aw_recent_frame *aw_recent_frame(const struct aw_session *session, size_t ago);

void aw_recent_free(struct aw_recent *recent); /* Accepts NULL. */

#endif
