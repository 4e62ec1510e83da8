/* What passes the link as topics of ROS 2: for MCAP files, and for Foxglove while it happens.
 *
 *     /hidmotor/positions             a message from the device, as its table has it
 *     /hidmotor/tx/set_setpoints      one to it
 *     /canpid/lknee/joint             of whom it is about, where there are several
 *     /joint_states                   what it says of joints, in rad, m and Nm
 *     /armwire/frames                 the bytes, from which all else can be made again
 *     /armwire/marks                  remarks
 */
#ifndef AW_SHELL_CORE_TOPICS_H
#define AW_SHELL_CORE_TOPICS_H

#include "capture/mcap.h"
#include "shell/core/session.h"

struct aw_topics;

/* For a link with this URL. The session's wire is the one of this moment. NULL: out of memory. */
struct aw_topics *aw_topics_new(struct aw_session *session, const char *url, aw_mcap_sink *sink,
                                void *context, enum aw_mcap_kind kind);
void aw_topics_free(struct aw_topics *topics); /* NULL is fine */

/* All of these are false once the sink was, or memory was not there. */
bool aw_topics_add(struct aw_topics *topics, enum aw_dir dir, int64_t time_ns,
                   struct aw_span bytes);
bool aw_topics_mark(struct aw_topics *topics, int64_t time_ns, const char *text);

/* Messages wait that are not written yet. */
bool aw_topics_are_waiting(const struct aw_topics *topics);
bool aw_topics_flush(struct aw_topics *topics);

/* With the gains that have passed, and the index. */
bool aw_topics_end(struct aw_topics *topics);

#endif
