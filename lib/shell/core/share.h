/* Where a session departs from the usual way because its device is shared: the one that has the
 * device for others (the command serve), or one that uses it through such a server (-l serve:).
 * What is below knows no more of that than these hooks; lib/shell/share has what is behind them.
 */
#ifndef AW_SHELL_CORE_SHARE_H
#define AW_SHELL_CORE_SHARE_H

#include "shell/core/session.h"

struct aw_sharing {
    /* ---- of a client: session->attached is its connection ---- */

    /* The command wants the device: is it to be had through a server? url NULL: no link was named.
     * AW_OK and session->attached: yes. AW_OK without: no, it is to be opened. Else why not. */
    enum aw_status (*attach)(struct aw_session *session, const char *url);
    /* The command that runs has come to where it needs the device: it is run by the server, what it
     * prints comes out here. The outcome has been printed. */
    enum aw_status (*run)(struct aw_session *session);
    /* The safe stop, as the tool's own stop does it. */
    enum aw_status (*stop)(struct aw_session *session);
    /* A link that brings what the device says, and takes nothing. */
    enum aw_status (*look)(struct aw_session *session, struct aw_link **link);
    /* At the end: what is to go on goes on, and the place of the commander is free. */
    void (*leave)(struct aw_session *session);

    /* For the command list: prints the servers that run here, returns how many. */
    size_t (*list)(struct aw_session *session);

    /* ---- of a server: session->server ---- */

    /* May the command of these arguments be carried out for whom it comes from? Files among them
     * get the place that they have here. */
    enum aw_status (*allow)(struct aw_session *session, struct aw_args *args);
    /* Something passed the link. */
    void (*traffic)(struct aw_session *session, bool tx, struct aw_span bytes, int64_t time_ns);
};

/* Both, in lib/shell/share. */
extern const struct aw_sharing aw_sharing;

#endif
