/* canpid sim and the sim: link: the simulated drivers, configured from options or the URL. */
#include <stdlib.h>
#include <string.h>

#include "base/number.h"
#include "link/core/url.h"
#include "protocol/canpid/device.h"
#include "shell/commands/serve.h"
#include "state.h"

static bool fw_layout(const struct aw_session *session)
{
    return strcmp(aw_option(session, "sensors-layout"), "fw") == 0;
}

static enum aw_status url_options(const struct aw_url *url,
                                  struct aw_canpid_device_options *options, struct aw_error *err)
{
    const char *fault = aw_url_get(url, "fault"), *rate = aw_url_get(url, "rate");
    enum aw_status status = fault ? aw_canpid_fault_parse(fault, &options->fault, err) : AW_OK;
    if (status == AW_OK && rate)
        status = aw_number_parse_unit(rate, "Hz", &options->rate_hz, err);
    if (status != AW_OK)
        return status;
    if (!(options->rate_hz >= 1 && options->rate_hz <= 1000))
        return aw_fail(err, AW_LIMIT, "sim: rate %g Hz is outside 1 to 1000", options->rate_hz);
    return AW_OK;
}

static enum aw_status open_sim(struct aw_link **out, const struct aw_url *url,
                               const struct aw_link_options *link, struct aw_error *err)
{
    struct aw_canpid_device_options options = aw_canpid_device_defaults();
    options.fw = fw_layout(link->context);
    enum aw_status status = url_options(url, &options, err);
    return status == AW_OK ? aw_sim_open(out, aw_canpid_device(&options), link->clock, true, err)
                           : status;
}

static const char *const sim_keys[] = {"fault", "rate", "time", NULL};

const struct aw_transport canpid_sim_transport = {
    .scheme = "sim",
    .usage = "sim:?fault=NAME&rate=HZ",
    .help = "six simulated drivers, in this process",
    .keys = sim_keys,
    .open = open_sim,
};

static void print_counters(struct aw_session *session, struct aw_device *device)
{
    const struct aw_canpid_device_counters *n = aw_canpid_device_counters(device);
    aw_session_notice(
        session,
        "%llu frames received, %llu of them lost because two were waiting, %llu for other boards, "
        "%llu telemetry frames sent, %llu dropped",
        (unsigned long long)n->received, (unsigned long long)n->overruns,
        (unsigned long long)n->foreign, (unsigned long long)n->sent,
        (unsigned long long)n->dropped);
}

enum aw_status run_sim(struct aw_session *session, const struct aw_args *args)
{
    struct aw_canpid_device_options options = aw_canpid_device_defaults();
    const char *fault = aw_option(session, "fault");
    enum aw_status status = AW_OK;
    (void)args;
    if (aw_flag(session, "board"))
        status = canpid_boards(session, &options.boards);
    if (status == AW_OK && fault)
        status = aw_canpid_fault_parse(fault, &options.fault, &session->err);
    if (status != AW_OK)
        return status;
    options.fw = fw_layout(session);
    options.rate_hz = aw_option_number(session, "rate");
    return aw_session_serve(session, aw_canpid_device(&options), print_counters);
}
