/* The last frames from a device, for 'expect' after a command of a script: a device that only
 * answers (aw_tool.only_answers) has sent the expected frame before 'expect' begins.
 *
 * Holds the newest AW_RECENT_MAX frames since the last command that sent something. Holds nothing
 * for a single command on the command line.
 */
#ifndef AW_SHELL_CORE_RECENT_H
#define AW_SHELL_CORE_RECENT_H

#include "shell/core/session.h"

#define AW_RECENT_MAX   64
#define AW_RECENT_FRAME 128 /* bytes; longer frames are not kept */

struct aw_recent_frame {
    int64_t time_ns; /* since 1970 */
    size_t size;
    uint8_t bytes[AW_RECENT_FRAME];
};

struct aw_recent;

/* Bytes that came from the device, whole frames or pieces. */
void aw_recent_add(struct aw_session *session, int64_t time_ns, struct aw_span bytes);

/* Before a command: one that does something begins anew. */
void aw_recent_begin(struct aw_session *session, const struct aw_command *command);

/* The frame that came so many frames ago, 0 is the newest; NULL: it is not kept. */
const struct aw_recent_frame *aw_recent_frame(const struct aw_session *session, size_t ago);

void aw_recent_free(struct aw_recent *recent); /* NULL is fine */

#endif
