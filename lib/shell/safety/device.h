/* Creates and frees a session, and opens the link to its device. */
#ifndef AW_SHELL_SAFETY_DEVICE_H
#define AW_SHELL_SAFETY_DEVICE_H

#include "shell/session/session.h"

/* Creates a session with default settings that prints to standard output. NULL: out of memory. */
struct aw_session *aw_session_new(const struct aw_tool *tool);

/* Frees the session and closes its link. */
void aw_session_free(struct aw_session *session);

/* Opens session->device.link on first use, with the URL of the options. AW_STOPPED with --dry-run.
 */
enum aw_status aw_session_link(struct aw_session *session);
void aw_session_unlink(struct aw_session *session);

/* Opens a link. Prints its traffic with --verbose and records it with --record. The caller closes
 * it. AW_STOPPED with --dry-run. */
enum aw_status aw_session_open(struct aw_session *session, const char *url,
                               const struct aw_link_options *options, struct aw_link **link);

/* Starts the recording of --record unless it is already running; url: of the link. */
enum aw_status aw_session_open_tee(struct aw_session *session, const char *url);

/* Sets session->share.attached if the session uses its device through a server. AW_OK also without
 * a server. */
enum aw_status aw_session_find_server(struct aw_session *session);

#endif
