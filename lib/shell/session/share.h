/* How the link of a session with a shared device opens: the session serves the device to others
 * (the command serve) or uses it through a server (-l serve:). lib/shell/serve implements these
 * hooks. */
#ifndef AW_SHELL_SESSION_SHARE_H
#define AW_SHELL_SESSION_SHARE_H

#include "shell/session/session.h"

struct aw_sharing {
    /* ---- Client: session->share.attached is its connection ---- */

    /* Finds a server of the device. url NULL: no link given. AW_OK: session->share.attached is set
     * if there is a server; otherwise the caller opens the device directly. Other statuses: the
     * reason of the failure. */
    enum aw_status (*attach)(struct aw_session *session, const char *url);
    /* Opens the link through the server: *link belongs to session->share.attached. The server
     * forwards only frames that it permits. */
    enum aw_status (*open)(struct aw_session *session, struct aw_link **link);
    /* Called when the running command needs the device. Requests the lease for stop and for a
     * command that changes something. AW_REFUSED: the error names the holder. */
    enum aw_status (*begin)(struct aw_session *session);
    /* ---- Server: session->share.server ---- */

    /* Called for all traffic on the link. tx: sent to the device. time_ns: see aw_session_time. */
    void (*on_traffic)(struct aw_session *session, bool tx, struct aw_span bytes, int64_t time_ns);
};

#endif
