/* canpid sim and the sim: link: the simulated drivers, configured from options or the URL. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/text.h"
#include "protocol/canpid/device.h"
#include "shell/source/sim.h"
#include "state.h"

#define PLANT_OF "plant." /* start of a URL key; a board follows */

/* Parses a plant and assigns it to a board; board NULL: all boards. */
static enum aw_status set_plant(struct aw_session *session, const char *board, const char *text,
                                struct aw_canpid_device_options *options, struct aw_error *err)
{
    struct aw_canpid_plant plant;
    uint64_t boards = 0;
    enum aw_status status = aw_canpid_plant_parse(text, &plant, err);
    if (status != AW_OK)
        return status;
    if (board && canpid_add_board(session, board, &boards) != AW_OK) {
        *err = session->err;
        return err->status;
    }
    if (board && !(boards & options->boards))
        return aw_fail(err, AW_USAGE, "plant of %s: board not simulated — add it to -b", board);
    for (unsigned i = 0; i < AW_CANPID_BOARDS; i++)
        if (!board || boards >> i & 1)
            options->plants[i] = plant;
    return AW_OK;
}

/* Applies settings for all boards first, so that single boards can override them. */
static enum aw_status read_url_plants(struct aw_session *session, const struct aw_url *url,
                                      struct aw_canpid_device_options *options,
                                      struct aw_error *err)
{
    const char *plant = aw_url_get(url, "plant");
    enum aw_status status = plant ? set_plant(session, NULL, plant, options, err) : AW_OK;
    for (size_t i = 0; i < url->n && status == AW_OK; i++)
        if (strncmp(url->params[i].key, PLANT_OF, strlen(PLANT_OF)) == 0)
            status = set_plant(session, url->params[i].key + strlen(PLANT_OF), url->params[i].value,
                               options, err);
    return status;
}

/* Parses "dead" for all boards, or "lknee=wall:2deg,rhip=dead". */
static enum aw_status parse_plants(struct aw_session *session, const char *text,
                                   struct aw_canpid_device_options *options)
{
    char copy[256], *save;
    enum aw_status status = AW_OK;
    if (snprintf(copy, sizeof copy, "%s", text) >= (int)sizeof copy)
        return aw_fail(&session->err, AW_USAGE,
                       "--plant: list is longer than %zu characters — name fewer boards",
                       sizeof copy - 1);
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

static enum aw_status read_plants(const struct aw_sim *sim,
                                  struct aw_canpid_device_options *options, struct aw_error *err)
{
    const char *plants = ((const struct canpid_sim_options *)sim->options)->plant;
    if (sim->url)
        return read_url_plants(sim->session, sim->url, options, err);
    return plants ? parse_plants(sim->session, plants, options) : AW_OK;
}

static enum aw_status read_options(const struct aw_sim *sim,
                                   struct aw_canpid_device_options *options, struct aw_error *err)
{
    const struct canpid_sim_options *given = sim->options;
    enum aw_status status = AW_OK;
    *options = aw_canpid_device_defaults();
    options->fw = strcmp(canpid_given(sim->session)->layout, "fw") == 0;
    options->protocol = sim->protocol;
    options->rate_hz = given->rate_hz;
    options->tick_s = given->tick_s;
    options->quirks = given->quirk < 0 ? 0 : 1U << given->quirk;
    if (!sim->url && canpid_given(sim->session)->board)
        status = canpid_parse_boards(sim->session, &options->boards);
    if (status == AW_OK && given->fault)
        status = aw_canpid_fault_parse(given->fault, &options->fault, err);
    return status == AW_OK ? read_plants(sim, options, err) : status;
}

enum aw_status canpid_simulate(const struct aw_sim *sim, struct aw_device **device,
                               struct aw_error *err)
{
    struct aw_canpid_device_options options;
    enum aw_status status = read_options(sim, &options, err);
    *device = status == AW_OK ? aw_canpid_device_new(&options) : NULL;
    return status;
}

const struct aw_transport canpid_sim_transport = {
    .scheme = "sim",
    .usage = "sim:?fault=NAME&rate=HZ&tick=TIME&plant=KIND&plant.BOARD=KIND",
    .help = "six simulated drivers, in this process",
    .keys = AW_LIST("fault", "plant", PLANT_OF, "quirks", "rate", "tick", "time"),
    .open = aw_sim_begin,
};

void canpid_report_sim(struct aw_session *session, struct aw_device *device)
{
    const struct aw_canpid_device_counters *n = aw_canpid_device_counters(device);
    aw_session_print_notice(
        session,
        "%llu frames received, %llu of them lost (receive buffer full), %llu for other boards, "
        "%llu telemetry frames sent, %llu dropped",
        (unsigned long long)n->received, (unsigned long long)n->overruns,
        (unsigned long long)n->foreign, (unsigned long long)n->sent,
        (unsigned long long)n->dropped);
}
