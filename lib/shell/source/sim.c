/* Creates a simulated device and runs it: on a link until a signal, or inside this process. */
#include "shell/source/sim.h"

#include <stdio.h>
#include <string.h>

#include "base/xdg.h"
#include "shell/safety/safety.h"
#include "shell/safety/stop.h"

/* Binds the parameters of the URL like the options of the command. */
static enum aw_status bind_url(const struct aw_sim *sim, struct aw_options *options,
                               struct aw_error *err)
{
    const struct aw_option *rows = aw_find_command(sim->session->tool, "sim")->options;
    enum aw_status status = AW_OK;
    aw_options_add(options, rows);
    for (; rows && rows->name && status == AW_OK; rows++) {
        const char *text = aw_url_get(sim->url, rows->name);
        if (text)
            status = aw_options_set(options, rows->name, text, AW_FROM_COMMAND_LINE, err);
    }
    return status;
}

enum aw_status aw_sim_begin(struct aw_link **out, const struct aw_url *url,
                            const struct aw_link_options *link, struct aw_error *err)
{
    struct aw_options options = {.n = 0};
    const struct aw_sim sim = {link->context, url, link->protocol, options.command};
    struct aw_device *device = NULL;
    enum aw_status status = bind_url(&sim, &options, err);
    if (status == AW_OK)
        status = sim.session->tool->device.create_sim(&sim, &device, err);
    return status == AW_OK
               ? aw_sim_open(out, device, link->clock, link->protocol->frames.datagrams, err)
               : status;
}

/* Returns the URL of --listen with the user's runtime folder inserted. */
static enum aw_status write_listen_url(struct aw_session *session, char *out, size_t size)
{
    char folder[256];
    const char *url = session->options.link.listen, *at = strstr(url, AW_XDG_RUNTIME "/");
    if (strncmp(url, "unix:", 5) == 0)
        return aw_fail(&session->err, AW_USAGE,
                       "sim: --listen %.100s is the URL for clients — write unix-listen:%.100s",
                       url, url + 5);
    if (!at) {
        snprintf(out, size, "%s", url);
        return AW_OK;
    }
    enum aw_status status = aw_xdg_make_runtime(folder, sizeof folder, &session->err);
    snprintf(out, size, "%.*s%s%s", (int)(at - url), url, folder, at + strlen(AW_XDG_RUNTIME));
    return status;
}

static enum aw_status serve_device(struct aw_session *session, struct aw_device *device)
{
    char url[AW_URL_MAX];
    struct aw_link_options options = {
        .clock = session->clock,
        .protocol = session->tool->protocol,
    };
    struct aw_link *link;
    aw_stop_catch_signals(session);
    session->mode.serving = true;
    enum aw_status status = write_listen_url(session, url, sizeof url);
    if (status == AW_OK)
        status = aw_session_open_url(session, url, &options, &link);
    if (status != AW_OK)
        return status;
    fprintf(stderr, "ready: %s\n", *link->client_url ? link->client_url : url);
    status = aw_device_serve(device, link, &session->err);
    if (link->n_dropped)
        aw_session_print_notice(session, "%llu messages dropped: the reader was too slow",
                                (unsigned long long)link->n_dropped);
    aw_link_close(link);
    return status;
}

enum aw_status aw_run_sim(struct aw_session *session, const struct aw_args *args)
{
    const struct aw_sim sim = {session, NULL, session->wire->protocol, session->options.command};
    struct aw_device *device = NULL;
    (void)args;
    enum aw_status status = session->tool->device.create_sim(&sim, &device, &session->err);
    if (status != AW_OK)
        return status;
    if (!device)
        return aw_no_memory(&session->err);
    status = aw_dry_run_check(session);
    if (status == AW_OK)
        status = serve_device(session, device);
    bool ended = !session->run.dry_run_reason && (status == AW_STOPPED || status == AW_LOST);
    if (ended && session->tool->device.report_sim)
        session->tool->device.report_sim(session, device);
    aw_device_close(device);
    return status;
}
