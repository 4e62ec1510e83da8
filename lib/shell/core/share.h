/* Where a session departs from the usual way because its device is shared: it has the device for
 * others (the command serve), or uses it through a server (-l serve:). lib/shell/serve implements
 * these hooks.
 */
#ifndef AW_SHELL_CORE_SHARE_H
#define AW_SHELL_CORE_SHARE_H

#include "shell/core/session.h"

struct aw_sharing {
    /* ---- of a client: session->share.attached is its connection ---- */

    /* Is the device to be had through a server? url NULL: no link was named. AW_OK and
     * session->share.attached: yes. AW_OK without: no, it is to be opened. Else why not. */
    enum aw_status (*attach)(struct aw_session *session, const char *url);
    /* The link of it: a frame that is written goes to the device when the server lets it. */
    enum aw_status (*open)(struct aw_session *session, struct aw_link **link);
    /* The command that runs wants the device: if it is one that changes something, it commands from
     * now on. AW_REFUSED with who does. */
    enum aw_status (*begin)(struct aw_session *session);
    /* It has ended with this; what comes of it if the server has ended it. */
    enum aw_status (*end)(struct aw_session *session, enum aw_status status);
    /* What ended the wait for a line: where that was the server, it is reported. */
    enum aw_status (*outcome)(struct aw_session *session, enum aw_status status);
    /* At the end: what is to go on goes on, and the place of the commander is free. */
    void (*leave)(struct aw_session *session);

    /* Something is played from now on whose speed may be changed, or no more. */
    void (*plays)(struct aw_session *session, bool on);

    /* For the command status: who commands, in the result where it is JSON, printed where it is a
     * table for people. */
    enum aw_status (*commander)(struct aw_session *session);

    /* For the command list: prints the servers that run here, returns how many. */
    size_t (*list)(struct aw_session *session);

    /* Asks the server of this URL (serve:PATH, serve:TOOL) whose device it has: tool[24], and the
     * URL of the place for the command line of that tool: place[400]. */
    enum aw_status (*serves)(struct aw_session *session, const char *url, char *tool, char *place);

    /* ---- of a server: session->share.server ---- */

    /* Something passed the link. */
    void (*traffic)(struct aw_session *session, bool tx, struct aw_span bytes, int64_t time_ns);
};

#endif
