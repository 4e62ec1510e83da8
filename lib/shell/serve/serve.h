/* Device sharing: the functions and commands that the rest of the shell uses. */
#ifndef AW_SHELL_SERVE_SERVE_H
#define AW_SHELL_SERVE_SERVE_H

#include "shell/session/share.h"

extern const struct aw_sharing aw_sharing;

/* The next two functions require a connection to a server, session->share.attached. */

/* Tells the server that the command has ended with status, and whether a motion continues. Releases
 * the lease that the command acquired, unless the command moves joints or a motion continues.
 * Returns status, or the status of the server's reason if the server ended the command. */
enum aw_status aw_share_end_command(struct aw_session *session, enum aw_status status);

/* Called when a wait for a line has ended with status. If the server ended it, prints the reason
 * and returns the reason's status; otherwise returns status. */
enum aw_status aw_share_get_outcome(struct aw_session *session, enum aw_status status);

/* At the end of the program: releases the lease and disconnects; a motion continues. Does nothing
 * without a server. */
void aw_share_leave(struct aw_session *session);

/* Marks the start or end of a playback whose speed other clients may change through the server, and
 * clears a requested speed. */
void aw_share_mark_playback(struct aw_session *session, bool on);

/* For the command status: reports the holder of the lease, in the result for JSON, or as text above
 * the table. Does nothing without a server. AW_TIMEOUT, AW_LOST: the server does not answer. */
enum aw_status aw_share_report_holder(struct aw_session *session);

/* Asks the server with this URL (serve:PATH, serve:TOOL) for the name of its tool, tool[24]. Also
 * returns the URL of its socket for that tool's command line, address[400]. AW_USAGE: invalid URL.
 * AW_NO_LINK: no server found. */
enum aw_status aw_share_query_tool(struct aw_session *session, const char *url, char *tool,
                                   char *address);

extern const struct aw_command aw_serve_command, aw_speed_command;

#endif
