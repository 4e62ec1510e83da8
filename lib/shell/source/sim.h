/* A simulated device: in this process, for the link "sim:?fault=stuck"; or for other processes, by
 * the command sim --fault stuck. Its options have the same names and values in both. The tool
 * builds it from them (.simulate of its row):
 *
 *     const char *fault = aw_sim_option(sim, "fault");
 *     …
 *     *device = aw_canpid_device(&options);
 */
#ifndef AW_SHELL_SOURCE_SIM_H
#define AW_SHELL_SOURCE_SIM_H

#include "link/core/device.h"
#include "link/core/url.h"
#include "shell/session/session.h"

struct aw_sim {
    struct aw_session *session;
    const struct aw_url *url;           /* URL of the link; NULL: use the command's options */
    const struct aw_protocol *protocol; /* the protocol, including custom packets */
};

/* An option's value, or NULL. aw_sim_number parses a number in this unit; *value is unchanged
 * without the option. */
const char *aw_sim_option(const struct aw_sim *sim, const char *name);
enum aw_status aw_sim_number(const struct aw_sim *sim, const char *name, const char *unit,
                             double *value, struct aw_error *err);

/* Finds the index of the option's value in a NULL-terminated list of names; *place is unchanged
 * without the option. AW_USAGE: "state 'x': unknown — use one of …", with what = "state". */
enum aw_status aw_sim_choose(const struct aw_sim *sim, const char *name, const char *what,
                             const char *const *names, int *place, struct aw_error *err);

/* Opens the transport sim:. Its context is the session. */
enum aw_status aw_sim_begin(struct aw_link **out, const struct aw_url *url,
                            const struct aw_link_options *link, struct aw_error *err);

/* The command sim. Opens the link of --listen, prints "ready: URL" to standard error, and serves
 * the device until a signal or the end of the link. Then prints a summary. */
aw_run_fn aw_run_sim;

#endif
