/* unitysim sim and the sim: link: the simulated arm. */
#include <stdio.h>
#include <string.h>

#include "protocol/unitysim/device.h"
#include "shell/safety/safety.h"
#include "shell/source/sim.h"
#include "state.h"

/* ---- Options, of the command and of the URL ---- */

static enum aw_status parse_stuck(const char *text, unsigned *stuck, struct aw_error *err)
{
    char copy[128], *save;
    enum aw_status status = AW_OK;
    snprintf(copy, sizeof copy, "%s", text);
    for (char *part = strtok_r(copy, ",", &save); part && status == AW_OK;
         part = strtok_r(NULL, ",", &save)) {
        int joint = 0;
        status = aw_unitysim_joint_parse(part, &joint, err);
        *stuck |= 1u << joint;
    }
    return status;
}

static enum aw_status read_options(const struct aw_sim *sim,
                                   struct aw_unitysim_device_options *options, struct aw_error *err)
{
    const struct unitysim_sim_options *given = sim->options;
    enum aw_status status = AW_OK;
    *options = aw_unitysim_device_defaults();
    options->protocol = sim->protocol;
    options->low_echo = given->low_echo;
    options->speed = (enum aw_unitysim_speed)given->model;
    options->feedback_loss = given->feedback_loss;
    options->seed = (uint64_t)given->seed;
    if (sim->url)
        options->scene = 1; /* no other program can load a scene */
    if (given->scene && strcmp(given->scene, "0") != 0)
        status = aw_unitysim_scene_parse(given->scene, &options->scene, err);
    else if (given->scene)
        options->scene = 0;
    return status == AW_OK && given->stuck ? parse_stuck(given->stuck, &options->stuck, err)
                                           : status;
}

/* ---- In this process ---- */

enum aw_status unitysim_simulate(const struct aw_sim *sim, struct aw_device **device,
                                 struct aw_error *err)
{
    struct aw_unitysim_device_options options;
    enum aw_status status = read_options(sim, &options, err);
    *device = status == AW_OK ? aw_unitysim_device_new(&options) : NULL;
    return status;
}

const struct aw_transport unitysim_sim_transport = {
    .scheme = "sim",
    .usage = "sim:?model=unity&time=virtual",
    .help = "simulated arm with scene 1 loaded, in this process",
    .keys = AW_LIST("model", "scene", "stuck", "low-echo", "feedback-loss", "time", "compat"),
    .open = aw_sim_begin,
};

/* ---- The command ---- */

void unitysim_report_sim(struct aw_session *session, struct aw_device *device)
{
    struct aw_unitysim_truth truth;
    const struct aw_unitysim_device_counters *n = &truth.counters;
    aw_unitysim_device_get_truth(device, aw_clock_now(session->clock), &truth);
    aw_session_print_notice(
        session,
        "%llu datagrams received, %llu accepted (%llu partly, %llu of unusual size), dropped for "
        "header %llu, checksum %llu, size %llu, type %llu, empty %llu; %llu feedback sent",
        (unsigned long long)n->received, (unsigned long long)n->applied,
        (unsigned long long)n->partial, (unsigned long long)n->odd, (unsigned long long)n->header,
        (unsigned long long)n->checksum, (unsigned long long)n->size, (unsigned long long)n->type,
        (unsigned long long)n->empty, (unsigned long long)n->feedback);
    if (*truth.drop_reason)
        aw_session_print_notice(session, "last dropped: %s", truth.drop_reason);
}
