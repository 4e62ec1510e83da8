/* MCAP of what passes the link of a session. */
#ifndef AW_SHELL_CORE_SESSION_MCAP_H
#define AW_SHELL_CORE_SESSION_MCAP_H

#include "capture/mcap.h"
#include "shell/core/session.h"

struct aw_session_mcap;

/* Begins a file for a link with this URL, with the session's present wire and the text of the
 * config file. NULL: out of memory, or the sink failed. */
struct aw_session_mcap *aw_session_mcap_new(struct aw_session *session, const char *url,
                                            aw_mcap_sink *sink, void *context);
void aw_session_mcap_free(struct aw_session_mcap *mcap); /* NULL is fine */

/* Bytes that passed, and a mark. All of these are false after the sink failed or memory ran out. */
bool aw_session_mcap_add(struct aw_session_mcap *mcap, enum aw_dir dir, int64_t time_ns,
                         struct aw_span bytes);
bool aw_session_mcap_mark(struct aw_session_mcap *mcap, int64_t time_ns, const char *text);

/* True if messages are not written yet. */
bool aw_session_mcap_is_waiting(const struct aw_session_mcap *mcap);
bool aw_session_mcap_flush(struct aw_session_mcap *mcap);

/* Writes the gains that have passed, and the index. */
bool aw_session_mcap_end(struct aw_session_mcap *mcap);

#endif
