/* armctl sim and the sim: link: the simulated arm with speed, profile and quirks from options. */
#include "shell/source/sim.h"
#include "protocol/armctl/device.h"
#include "state.h"

/* Logs each command that the simulator executes. */
static void print_executed(void *context, const char *body, int64_t now)
{
    (void)now;
    aw_session_print_notice(context, "executed %s", body);
}

/* A link ignores a contradictory profile; the commands that need it fail. */
static enum aw_status read_profile(const struct aw_sim *sim,
                                   struct aw_armctl_device_options *options)
{
    struct aw_error saved_err = sim->session->err;
    const struct aw_armctl_profile *profile;
    enum aw_status status = armctl_get_profile(sim->session, &profile);
    if (status == AW_OK && profile->n)
        options->profile = profile;
    if (!sim->url)
        return status;
    sim->session->err = saved_err;
    return AW_OK;
}

enum aw_status armctl_simulate(const struct aw_sim *sim, struct aw_device **device,
                               struct aw_error *err)
{
    struct aw_armctl_device_options options = aw_armctl_device_defaults();
    const struct armctl_sim_options *options_set = sim->options;
    options.turn_deg_s = options_set->turn_deg_s;
    options.slide_mm_s = options_set->slide_mm_s;
    options.protocol = sim->protocol;
    options.on_execute = !sim->url && sim->session->options.print.verbose ? print_executed : NULL;
    options.context = sim->session;
    enum aw_status status = read_profile(sim, &options);
    if (status == AW_OK && options_set->quirks)
        status = aw_armctl_quirks_parse(options_set->quirks, &options.quirks, err);
    *device = status == AW_OK ? aw_armctl_device_new(&options) : NULL;
    return status;
}

const struct aw_transport armctl_sim_transport = {
    .scheme = "sim",
    .usage = "sim:?quirks=LIST&time=virtual",
    .help = "simulated arm, in this process",
    .keys = AW_LIST("quirks", "time", "turn-speed", "slide-speed"),
    .open = aw_sim_begin,
};

void armctl_report_sim(struct aw_session *session, struct aw_device *device)
{
    const struct aw_armctl_device_counters *n = aw_armctl_device_counters(device);
    aw_session_print_notice(session, "%llu commands executed, %llu duplicates, %llu damaged lines",
                            (unsigned long long)n->executed, (unsigned long long)n->duplicates,
                            (unsigned long long)n->garbage + (unsigned long long)n->overlong);
}
