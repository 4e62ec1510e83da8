/* A simulated device: in this process, for the link "sim:?fault=stuck"; or for other processes, by
 * the command sim --fault stuck. Both have the same options. The tool's hook
 * device.create_sim creates the device from them:
 *
 *     const struct canpid_sim_options *given = sim->options;
 *     …
 *     *device = aw_canpid_device_new(&options);
 */
#ifndef AW_SHELL_SOURCE_SIM_H
#define AW_SHELL_SOURCE_SIM_H

#include "link/core/device.h"
#include "link/core/url.h"
#include "shell/session/session.h"

struct aw_sim {
    struct aw_session *session;
    const struct aw_url *url;           /* URL of the link; NULL: use the options of the command */
    const struct aw_protocol *protocol; /* the protocol, including custom packets */
    /* options of the command, or of the URL; as AW_GIVEN returns them */
    const void *options;
};

/* Opens the transport "sim:". Its context is the session. */
enum aw_status aw_sim_begin(struct aw_link **out, const struct aw_url *url,
                            const struct aw_link_options *link, struct aw_error *err);

/* The command sim. Opens the link of --listen, prints "ready: URL" to standard error, and serves
 * the device until a signal or the end of the link. Then prints a summary. */
aw_run_fn aw_run_sim;

/* clang-format off */
/* Members of the row of sim. of: name of the simulated device, for help; more: text after "Use that
 * URL with -l". The other arguments are the rows of options: AW_LISTEN_OPTION and the tool's
 * own. */
#define AW_SIM_ROW(of, more, ...)                                                                  \
    .name = "sim", .group = AW_GROUP_SET_UP, .summary = "serve " of, .run = aw_run_sim,            \
    .options = AW_OPTIONS(__VA_ARGS__), .lines = AW_LIST("sim &"),                                 \
    .details = "Prints 'ready: URL' on standard error. Use that URL with -l" more
#define AW_LISTEN_OPTION(url, places)                                                              \
    {.name = "listen", AW_AT_ALL(link.listen), .value = "URL", .fallback = url,                    \
     .help = "address for clients: " places}
/* clang-format on */

#endif
