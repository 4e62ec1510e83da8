/* armctl sim and the sim: link: the handler arm, with its speed, profile and quirks from
 * options. */
#include <string.h>

#include "base/number.h"
#include "link/core/url.h"
#include "protocol/armctl/device.h"
#include "shell/commands/serve.h"
#include "state.h"

/* A profile that contradicts itself is left out: the commands that need it are refused. */
static struct aw_armctl_device_options device_options(struct aw_session *session)
{
    struct aw_armctl_device_options options = aw_armctl_device_defaults();
    struct aw_error before = session->err;
    const struct aw_armctl_profile *profile;
    if (arm_profile(session, &profile) == AW_OK && profile->n)
        options.profile = profile;
    session->err = before;
    return options;
}

static enum aw_status url_speed(const struct aw_url *url, const char *key, const char *unit,
                                double *speed, struct aw_error *err)
{
    const char *text = aw_url_get(url, key);
    if (!text)
        return AW_OK;
    enum aw_status status = aw_number_parse_unit(text, unit, speed, err);
    return status == AW_OK && !(*speed > 0) ? aw_fail(err, AW_LIMIT, "sim: %s must be above 0", key)
                                            : status;
}

static enum aw_status open_sim(struct aw_link **out, const struct aw_url *url,
                               const struct aw_link_options *link, struct aw_error *err)
{
    struct aw_armctl_device_options options = device_options(link->context);
    options.protocol = link->protocol;
    const char *quirks = aw_url_get(url, "quirks");
    enum aw_status status = AW_OK;
    if (quirks)
        status = aw_armctl_quirks_parse(quirks, &options.quirks, err);
    if (status == AW_OK)
        status = url_speed(url, "turn-speed", "deg/s", &options.turn_deg_s, err);
    if (status == AW_OK)
        status = url_speed(url, "slide-speed", "mm/s", &options.slide_mm_s, err);
    return status == AW_OK ? aw_sim_open(out, aw_armctl_device(&options), link->clock, false, err)
                           : status;
}

static const char *const sim_keys[] = {"quirks", "time", "turn-speed", "slide-speed", NULL};

const struct aw_transport arm_sim_transport = {
    .scheme = "sim",
    .usage = "sim:?quirks=LIST&time=virtual",
    .help = "the simulated arm, in this process",
    .keys = sim_keys,
    .open = open_sim,
};

/* The simulator's own record of what it carried out. */
static void print_executed(void *context, const char *body, int64_t now)
{
    (void)now;
    aw_session_notice(context, "carried out %s", body);
}

static void print_counters(struct aw_session *session, struct aw_device *device)
{
    const struct aw_armctl_device_counters *n = aw_armctl_device_counters(device);
    aw_session_notice(session, "%llu commands carried out, %llu duplicates, %llu damaged lines",
                      (unsigned long long)n->executed, (unsigned long long)n->duplicates,
                      (unsigned long long)n->garbage + (unsigned long long)n->overlong);
}

enum aw_status run_sim(struct aw_session *session, const struct aw_args *args)
{
    struct aw_armctl_device_options options = device_options(session);
    options.protocol = session->wire->protocol;
    const char *quirks = aw_option(session, "quirks");
    const struct aw_armctl_profile *profile;
    enum aw_status status = arm_profile(session, &profile);
    (void)args;
    if (status == AW_OK && quirks)
        status = aw_armctl_quirks_parse(quirks, &options.quirks, &session->err);
    if (status != AW_OK)
        return status;
    options.turn_deg_s = aw_option_number(session, "turn-speed");
    options.slide_mm_s = aw_option_number(session, "slide-speed");
    options.executed = aw_flag(session, "verbose") ? print_executed : NULL;
    options.context = session;
    return aw_session_serve(session, aw_armctl_device(&options), print_counters);
}
