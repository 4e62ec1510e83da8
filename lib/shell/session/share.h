/* Hooks of a session with a shared device: it serves the device to others (the command serve) or
 * uses it through a server (-l serve:). lib/shell/serve implements these hooks.
 */
#ifndef AW_SHELL_SESSION_SHARE_H
#define AW_SHELL_SESSION_SHARE_H

#include "shell/session/session.h"

struct aw_sharing {
    /* ---- Client: session->share.attached is its connection ---- */

    /* Finds a server of the device. url NULL: no link given. AW_OK: session->share.attached is set
     * if there is a server; otherwise the caller opens the device directly. Other statuses: the
     * reason of the failure. */
    enum aw_status (*attach)(struct aw_session *session, const char *url);
    /* Opens the link through the server. The server forwards only frames that it permits. */
    enum aw_status (*open)(struct aw_session *session, struct aw_link **link);
    /* Called when the running command needs the device. A command that changes something takes the
     * lease. AW_REFUSED: the error names the holder. */
    enum aw_status (*begin)(struct aw_session *session);
    /* Called when the command has ended with this status. Returns the resulting status if the
     * server ended it. */
    enum aw_status (*end)(struct aw_session *session, enum aw_status status);
    /* Reports the end of a wait for a line if the server ended it. */
    enum aw_status (*get_outcome)(struct aw_session *session, enum aw_status status);
    /* At the end: leaves continuing activities running and releases the lease. */
    void (*leave)(struct aw_session *session);

    /* Marks the start or end of a playback whose speed clients may change. */
    void (*on_playback)(struct aw_session *session, bool on);

    /* For the command status: reports the holder of the lease, in the result for JSON, or as text
     * above the table. */
    enum aw_status (*report_holder)(struct aw_session *session);

    /* For the command list: prints the servers on this machine and returns their number. */
    size_t (*list_servers)(struct aw_session *session);

    /* Asks the server with this URL (serve:PATH, serve:TOOL) for the name of its tool, tool[24].
     * Also returns the URL of its socket for that tool's command line, address[400]. */
    enum aw_status (*query_tool)(struct aw_session *session, const char *url, char *tool,
                                 char *address);

    /* ---- Server: session->share.server ---- */

    /* Called for all traffic on the link. */
    void (*on_traffic)(struct aw_session *session, bool tx, struct aw_span bytes, int64_t time_ns);
};

#endif
