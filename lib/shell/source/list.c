/* Prints the rows of every tool's command list. */
#include "shell/source/list.h"

#include "link/stream/ports.h"
#include "shell/safety/outcome.h"
#include "shell/session/running.h"
#include "shell/session/share.h"

void aw_list_link(struct aw_session *session, const char *link)
{
    aw_object_start(&session->result, "list");
    if (aw_session_text(session))
        session->result.headline = link;
    else
        aw_object_text(&session->result, "link", link);
}

void aw_list_add(struct aw_session *session, const char *key, const char *text)
{
    if (*text)
        aw_object_text(&session->result, key, text);
}

void aw_list_port(struct aw_session *session, const char *link, const struct aw_port *port)
{
    aw_list_link(session, link);
    aw_list_add(session, "driver", port->driver);
    aw_list_add(session, "description", port->description);
    aw_list_add(session, "usb", port->usb);
    aw_list_add(session, "serial", port->serial);
    aw_list_add(session, "holder", port->holder);
    aw_list_add(session, "problem", port->problem);
    aw_session_print_result(session);
}

size_t aw_list_running(struct aw_session *session)
{
    char sim[400];
    size_t found = session->share.sharing ? session->share.sharing->list(session) : 0;
    if (!aw_running_sim(session, sim, sizeof sim))
        return found;
    aw_list_link(session, sim);
    aw_list_add(session, "description", "a simulator");
    aw_session_print_result(session);
    return found + 1;
}
