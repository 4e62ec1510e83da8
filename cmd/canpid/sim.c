/* canpid sim and the sim: link: the simulated drivers, configured from options or the URL. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/text.h"
#include "protocol/canpid/device.h"
#include "shell/source/sim.h"
#include "state.h"

#define PLANT_OF "plant." /* and a board: a key of the URL */

static enum aw_status check_timing(const struct aw_canpid_device_options *options,
                                   struct aw_error *err)
{
    if (!(options->rate_hz >= 1 && options->rate_hz <= 1000))
        return aw_fail(err, AW_LIMIT, "sim: rate %g Hz is out of range 1 to 1000",
                       options->rate_hz);
    double tick = options->tick_s;
    if (fabs(tick) > 0 && !(tick >= AW_CANPID_TICK_S && tick <= AW_CANPID_TICK_MOST_S))
        return aw_fail(err, AW_LIMIT, "sim: control period %g ms is out of range %g to %g",
                       1000 * tick, 1000 * AW_CANPID_TICK_S, 1000 * AW_CANPID_TICK_MOST_S);
    return AW_OK;
}

/* board NULL: all boards. */
static enum aw_status set_plant(struct aw_session *session, const char *board, const char *text,
                                struct aw_canpid_device_options *options, struct aw_error *err)
{
    struct aw_canpid_plant plant;
    uint64_t boards = 0;
    enum aw_status status = aw_canpid_plant_parse(text, &plant, err);
    if (status != AW_OK)
        return status;
    if (board && canpid_board_named(session, board, &boards) != AW_OK) {
        *err = session->err;
        return err->status;
    }
    if (board && !(boards & options->boards))
        return aw_fail(err, AW_USAGE, "plant of %s: board not simulated", board);
    for (unsigned i = 0; i < AW_CANPID_BOARDS; i++)
        if (!board || boards >> i & 1)
            options->plants[i] = plant;
    return AW_OK;
}

/* Applies settings for all boards first, so that single boards can override them. */
static enum aw_status url_plants(struct aw_session *session, const struct aw_url *url,
                                 struct aw_canpid_device_options *options, struct aw_error *err)
{
    const char *all = aw_url_get(url, "plant");
    enum aw_status status = all ? set_plant(session, NULL, all, options, err) : AW_OK;
    for (size_t i = 0; i < url->n && status == AW_OK; i++)
        if (strncmp(url->params[i].key, PLANT_OF, strlen(PLANT_OF)) == 0)
            status = set_plant(session, url->params[i].key + strlen(PLANT_OF), url->params[i].value,
                               options, err);
    return status;
}

/* Parses "dead" for all boards, or "lknee=wall:2deg,rhip=dead". */
static enum aw_status plant_list(struct aw_session *session, const char *text,
                                 struct aw_canpid_device_options *options)
{
    char copy[256], *save;
    enum aw_status status = AW_OK;
    if (snprintf(copy, sizeof copy, "%s", text) >= (int)sizeof copy)
        return aw_fail(&session->err, AW_USAGE, "--plant: list too long");
    for (char *part = strtok_r(copy, ",", &save); part && status == AW_OK;
         part = strtok_r(NULL, ",", &save)) {
        char *equals = strchr(part, '=');
        if (equals)
            *equals = '\0';
        status = set_plant(session, equals ? part : NULL, equals ? equals + 1 : part, options,
                           &session->err);
    }
    return status;
}

static enum aw_status take_plants(const struct aw_sim *sim,
                                  struct aw_canpid_device_options *options, struct aw_error *err)
{
    const char *plants = aw_sim_option(sim, "plant");
    if (sim->url)
        return url_plants(sim->session, sim->url, options, err);
    return plants ? plant_list(sim->session, plants, options) : AW_OK;
}

static enum aw_status take_options(const struct aw_sim *sim,
                                   struct aw_canpid_device_options *options, struct aw_error *err)
{
    const char *fault = aw_sim_option(sim, "fault");
    int quirk = -1;
    enum aw_status status = AW_OK;
    *options = aw_canpid_device_defaults();
    options->fw = strcmp(canpid_given(sim->session)->layout, "fw") == 0;
    options->protocol = sim->protocol;
    if (!sim->url && canpid_given(sim->session)->board)
        status = canpid_boards(sim->session, &options->boards);
    if (status == AW_OK && fault)
        status = aw_canpid_fault_parse(fault, &options->fault, err);
    if (status == AW_OK)
        status = aw_sim_number(sim, "rate", "Hz", &options->rate_hz, err);
    if (status == AW_OK)
        status = aw_sim_number(sim, "tick", "s", &options->tick_s, err);
    if (status == AW_OK)
        status = aw_sim_choose(sim, "quirks", "quirk", aw_canpid_quirk_names, &quirk, err);
    options->quirks = quirk < 0 ? 0 : 1U << quirk;
    if (status == AW_OK)
        status = check_timing(options, err);
    return status == AW_OK ? take_plants(sim, options, err) : status;
}

enum aw_status canpid_simulate(const struct aw_sim *sim, struct aw_device **device,
                               struct aw_error *err)
{
    struct aw_canpid_device_options options;
    enum aw_status status = take_options(sim, &options, err);
    *device = status == AW_OK ? aw_canpid_device(&options) : NULL;
    return status;
}

static const char *const sim_keys[] = {"fault", "plant", PLANT_OF, "quirks",
                                       "rate",  "tick",  "time",   NULL};

const struct aw_transport canpid_sim_transport = {
    .scheme = "sim",
    .usage = "sim:?fault=NAME&rate=HZ&tick=TIME&plant=KIND&plant.BOARD=KIND",
    .help = "six simulated drivers, in this process",
    .keys = sim_keys,
    .open = aw_sim_begin,
};

void canpid_simulated(struct aw_session *session, struct aw_device *device)
{
    const struct aw_canpid_device_counters *n = aw_canpid_device_counters(device);
    aw_session_notice(
        session,
        "%llu frames received, %llu of them lost (receive buffer full), %llu for other boards, "
        "%llu telemetry frames sent, %llu dropped",
        (unsigned long long)n->received, (unsigned long long)n->overruns,
        (unsigned long long)n->foreign, (unsigned long long)n->sent,
        (unsigned long long)n->dropped);
}
