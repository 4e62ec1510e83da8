/* unitysim sim and the sim: link: the simulated arm. */
#include <stdio.h>
#include <string.h>

#include "base/number.h"
#include "protocol/unitysim/device.h"
#include "shell/safety/device.h"
#include "shell/source/sim.h"

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

static enum aw_status parse_seed(const char *text, uint64_t *seed, struct aw_error *err)
{
    double number;
    enum aw_status status = aw_number_parse(text, &number, err);
    if (status == AW_OK && (number < 0 || number > 1e15))
        return aw_fail(err, AW_LIMIT, "seed: %g is out of range 0 to 1e15", number);
    if (status == AW_OK)
        *seed = (uint64_t)number;
    return status;
}

static enum aw_status take_options(const struct aw_sim *sim,
                                   struct aw_unitysim_device_options *options, struct aw_error *err)
{
    const char *scene = aw_sim_option(sim, "scene"), *loss = aw_sim_option(sim, "feedback-loss");
    const char *stuck = aw_sim_option(sim, "stuck"), *seed = aw_sim_option(sim, "seed");
    int speed = AW_UNITYSIM_SERVO;
    *options = aw_unitysim_device_defaults();
    options->protocol = sim->protocol;
    options->low_echo = aw_sim_option(sim, "low-echo") != NULL;
    if (sim->url)
        options->scene = 1; /* no other program can load a scene */
    enum aw_status status =
        aw_sim_choose(sim, "model", "speed", aw_unitysim_speed_names, &speed, err);
    options->speed = (enum aw_unitysim_speed)speed;
    if (status == AW_OK && scene && strcmp(scene, "0") != 0)
        status = aw_unitysim_scene_parse(scene, &options->scene, err);
    else if (scene)
        options->scene = 0;
    if (status == AW_OK && stuck)
        status = parse_stuck(stuck, &options->stuck, err);
    if (status == AW_OK && loss)
        status = aw_url_share(loss, &options->feedback_loss, err);
    if (status == AW_OK && seed)
        status = parse_seed(seed, &options->seed, err);
    return status;
}

/* ---- In this process ---- */

enum aw_status unitysim_simulate(const struct aw_sim *sim, struct aw_device **device,
                                 struct aw_error *err)
{
    struct aw_unitysim_device_options options;
    enum aw_status status = take_options(sim, &options, err);
    *device = status == AW_OK ? aw_unitysim_device(&options) : NULL;
    return status;
}

static const char *const sim_keys[] = {"model",         "scene", "stuck",  "low-echo",
                                       "feedback-loss", "time",  "compat", NULL};

const struct aw_transport unitysim_sim_transport = {
    .scheme = "sim",
    .usage = "sim:?model=unity&time=virtual",
    .help = "simulated arm with scene 1 loaded, in this process",
    .keys = sim_keys,
    .open = aw_sim_begin,
};

/* ---- The command ---- */

void unitysim_simulated(struct aw_session *session, struct aw_device *device)
{
    struct aw_unitysim_truth truth;
    const struct aw_unitysim_device_counters *n = &truth.counters;
    aw_unitysim_device_truth(device, aw_clock_now(session->clock), &truth);
    aw_session_notice(
        session,
        "%llu datagrams received, %llu accepted (%llu partly, %llu of unusual size), dropped for "
        "header %llu, checksum %llu, size %llu, type %llu, empty %llu; %llu feedback sent",
        (unsigned long long)n->received, (unsigned long long)n->applied,
        (unsigned long long)n->partial, (unsigned long long)n->odd, (unsigned long long)n->header,
        (unsigned long long)n->checksum, (unsigned long long)n->size, (unsigned long long)n->type,
        (unsigned long long)n->empty, (unsigned long long)n->feedback);
    if (*truth.dropped_why)
        aw_session_notice(session, "last dropped: %s", truth.dropped_why);
}
