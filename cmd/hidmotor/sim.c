/* hidmotor sim and the sim: link: the simulated board, with the faults that options name. */
#include <inttypes.h>

#include "base/text.h"
#include "link/core/url.h"
#include "protocol/hidmotor/device.h"
#include "shell/commands/serve.h"
#include "state.h"

static enum aw_status parse_options(const char *state, const char *fault, const char *motors,
                                    struct aw_hidmotor_device_options *options,
                                    struct aw_error *err)
{
    static const char *const counts[] = {"1", "2", "3", NULL};
    enum aw_status status = AW_OK;
    if (motors && !aw_is_one_of(counts, motors))
        status = aw_fail(err, AW_USAGE, "motors: '%.24s' — 1, 2 or 3", motors);
    if (motors && status == AW_OK)
        options->motors = motors[0] - '0';
    if (status == AW_OK && state)
        status = aw_hidmotor_state_parse(state, &options->state, err);
    if (status == AW_OK && fault)
        status = aw_hidmotor_faults_parse(fault, &options->faults, err);
    return status;
}

static enum aw_status open_sim(struct aw_link **out, const struct aw_url *url,
                               const struct aw_link_options *link, struct aw_error *err)
{
    struct aw_hidmotor_device_options options = aw_hidmotor_device_defaults();
    const char *latency = aw_url_get(url, "latency");
    options.protocol = link->protocol;
    enum aw_status status = parse_options(aw_url_get(url, "state"), aw_url_get(url, "fault"),
                                          aw_url_get(url, "motors"), &options, err);
    if (status == AW_OK && latency)
        status = aw_url_duration(latency, &options.latency_ns, err);
    return status == AW_OK ? aw_sim_open(out, aw_hidmotor_device(&options), link->clock, true, err)
                           : status;
}

static const char *const sim_keys[] = {"state", "fault", "motors", "latency", "time", NULL};

const struct aw_transport motor_sim_transport = {
    .scheme = "sim",
    .usage = "sim:?state=NAME&fault=LIST&motors=2&latency=3ms&time=virtual",
    .help = "the simulated arm, in this process",
    .keys = sim_keys,
    .open = open_sim,
};

static void print_counters(struct aw_session *session, struct aw_device *device)
{
    const struct aw_hidmotor_device_counters *n = aw_hidmotor_device_counters(device);
    aw_session_notice(session,
                      "%" PRIu64 " reports received, %" PRIu64 " overwritten by the next, %" PRIu64
                      " of unknown packets, %" PRIu64 " sent, %" PRIu64 " faults",
                      n->received, n->overwritten, n->unknown, n->sent, n->faults);
}

enum aw_status run_sim(struct aw_session *session, const struct aw_args *args)
{
    struct aw_hidmotor_device_options options = aw_hidmotor_device_defaults();
    (void)args;
    options.protocol = session->wire->protocol;
    enum aw_status status = parse_options(aw_option(session, "state"), aw_option(session, "fault"),
                                          aw_option(session, "motors"), &options, &session->err);
    if (status != AW_OK)
        return status;
    return aw_session_serve(session, aw_hidmotor_device(&options), print_counters);
}
