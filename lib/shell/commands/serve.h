/* A simulated device: in this process, for the link "sim:?fault=stuck", and for other processes, by
 * the command sim --fault stuck. Its options have the same names and values in both, and the tool
 * makes it of them (.simulate of its row):
 *
 *     const char *fault = aw_sim_option(sim, "fault");
 *     …
 *     *device = aw_canpid_device(&options);
 */
#ifndef AW_SHELL_COMMANDS_SERVE_H
#define AW_SHELL_COMMANDS_SERVE_H

#include "link/core/device.h"
#include "link/core/url.h"
#include "shell/core/session.h"

struct aw_sim {
    struct aw_session *session;
    const struct aw_url *url;           /* of the link; NULL: the command's options count */
    const struct aw_protocol *protocol; /* with the packets of files */
};

/* An option's value, or NULL. A number in this unit; *value is unchanged without the option. */
const char *aw_sim_option(const struct aw_sim *sim, const char *name);
enum aw_status aw_sim_number(const struct aw_sim *sim, const char *name, const char *unit,
                             double *value, struct aw_error *err);

/* The index of its value in a NULL-terminated list of names; *place is unchanged without the
 * option. AW_USAGE: "state 'x': unknown — use one of …", where what is "state". */
enum aw_status aw_sim_choose(const struct aw_sim *sim, const char *name, const char *what,
                             const char *const *names, int *place, struct aw_error *err);

/* What open of the transport sim: does, whose context is the session. */
enum aw_status aw_sim_begin(struct aw_link **out, const struct aw_url *url,
                            const struct aw_link_options *link, struct aw_error *err);

/* The command sim. Opens the link of --listen, says "ready: URL" on standard error, and serves the
 * device until a signal or the end of the link; then says what it has seen. */
aw_run_fn aw_run_sim;

#endif
