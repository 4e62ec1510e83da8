/* hidmotor sim and the sim: link: the simulated board, with faults from options. */
#include <inttypes.h>

#include "protocol/hidmotor/device.h"
#include "shell/source/sim.h"
#include "state.h"

enum aw_status hidmotor_simulate(const struct aw_sim *sim, struct aw_device **device,
                                 struct aw_error *err)
{
    const struct hidmotor_sim_options *given = sim->options;
    const char *latency = sim->url ? aw_url_get(sim->url, "latency") : NULL;
    struct aw_hidmotor_device_options options = aw_hidmotor_device_defaults();
    enum aw_status status = AW_OK;
    options.protocol = sim->protocol;
    options.motors = given->motors + 1;
    options.state = (enum aw_hidmotor_state)given->state;
    options.drive = (enum aw_hidmotor_drive)given->drive;
    if (given->fault)
        status = aw_hidmotor_faults_parse(given->fault, &options.faults, err);
    if (status == AW_OK && latency)
        status = aw_url_duration("latency", latency, &options.latency_ns, err);
    *device = status == AW_OK ? aw_hidmotor_device_new(&options) : NULL;
    return status;
}

const struct aw_transport hidmotor_sim_transport = {
    .scheme = "sim",
    .usage = "sim:?state=NAME&drive=pid&fault=LIST&motors=2&latency=3ms&time=virtual",
    .help = "simulated arm, in this process",
    .keys = AW_LIST("state", "drive", "fault", "motors", "latency", "time"),
    .open = aw_sim_begin,
};

void hidmotor_report_sim(struct aw_session *session, struct aw_device *device)
{
    const struct aw_hidmotor_device_counters *n = aw_hidmotor_device_counters(device);
    aw_session_print_notice(session,
                            "%" PRIu64 " reports received, %" PRIu64
                            " overwritten by the next, %" PRIu64 " of unknown packets, %" PRIu64
                            " sent, %" PRIu64 " faults",
                            n->received, n->overwritten, n->unknown, n->sent, n->faults);
}
