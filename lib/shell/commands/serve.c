/* Runs a simulated device on a link until a signal ends it: the command sim of the tools. */
#include "shell/commands/serve.h"

#include <stdio.h>
#include <string.h>

#include "base/xdg.h"
#include "link/core/url.h"
#include "shell/core/dry.h"
#include "shell/core/stop.h"

/* The URL of --listen, with the user's folder in place of its name. */
static enum aw_status listen_url(struct aw_session *session, char *out, size_t size)
{
    char folder[256];
    const char *url = aw_option(session, "listen"), *at = strstr(url, AW_XDG_RUNTIME "/");
    if (strncmp(url, "unix:", 5) == 0)
        return aw_fail(&session->err, AW_USAGE,
                       "sim: --listen %.100s is for who connects — write unix-listen:%.100s", url,
                       url + 5);
    if (!at) {
        snprintf(out, size, "%s", url);
        return AW_OK;
    }
    enum aw_status status = aw_xdg_runtime(folder, sizeof folder, &session->err);
    snprintf(out, size, "%.*s%s%s", (int)(at - url), url, folder, at + strlen(AW_XDG_RUNTIME));
    return status;
}

static enum aw_status serve(struct aw_session *session, struct aw_device *device)
{
    char url[AW_URL_MAX];
    struct aw_link_options options = {
        .clock = session->clock,
        .protocol = session->tool->protocol,
        .shared = session->tool->protocol->medium == AW_MEDIUM_HID,
    };
    struct aw_link *link;
    aw_stop_catch(session);
    session->mode.serving = true;
    enum aw_status status = listen_url(session, url, sizeof url);
    if (status == AW_OK)
        status = aw_session_open(session, url, &options, &link);
    if (status != AW_OK)
        return status;
    fprintf(stderr, "ready: %s\n", *link->ready ? link->ready : url);
    status = aw_device_serve(device, link, &session->err);
    if (link->dropped)
        aw_session_notice(session, "%llu messages dropped: their reader was too slow",
                          (unsigned long long)link->dropped);
    aw_link_close(link);
    return status;
}

enum aw_status aw_session_serve(struct aw_session *session, struct aw_device *device,
                                aw_notice_fn *report)
{
    if (!device)
        return aw_no_memory(&session->err);
    enum aw_status status = aw_dry_ends(session);
    if (status == AW_OK)
        status = serve(session, device);
    if (!session->run.dry_end && (status == AW_STOPPED || status == AW_LOST))
        report(session, device);
    aw_device_close(device);
    return status;
}
