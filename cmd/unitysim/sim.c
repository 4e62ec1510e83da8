/* unitysim sim and the sim: link: the simulated arm, which the terminal shows and moves by keys. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/number.h"
#include "protocol/unitysim/device.h"
#include "screen.h"
#include "shell/safety/device.h"
#include "shell/safety/stop.h"
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

/* ---- On a terminal ---- */

struct stage {
    struct aw_session *session;
    struct aw_device *device;
    struct aw_link *link;
    int selected;
    bool frozen, mute, quit, keys;
    unsigned stuck;
    char remark[SCREEN_LINE];
};

/* clang-format off */
static const char *const all_keys[] = {
    "up down", "choose a joint",
    "right left", "drive the joint",
    "space", "stop all joints",
    "1 to 6", "load a scene",
    "x f m", "simulate a stuck joint, frozen arm, missing feedback",
    "q", "leave",
    "?", "show or hide this help",
    NULL,
};
/* clang-format on */

static struct unitysim_screen page(struct stage *stage)
{
    struct aw_unitysim_truth truth;
    struct unitysim_screen screen = {.selected = stage->selected,
                                     .keys = stage->keys ? all_keys : NULL};
    aw_unitysim_device_truth(stage->device, aw_clock_now(stage->session->clock), &truth);
    stage->frozen = truth.frozen;
    screen.limits = truth.limits;
    for (int i = 0; i < AW_UNITYSIM_JOINTS; i++) {
        const struct aw_unitysim_drive *drive = &truth.drive[i];
        bool up = drive->state == AW_UNITYSIM_INCREASE, down = drive->state == AW_UNITYSIM_DECREASE;
        screen.ticks[i] = aw_unitysim_ticks(truth.degrees[i]);
        screen.velocity[i] = up || down ? drive->velocity : 0;
        screen.way[i] = up - down;
        screen.stuck[i] = stage->stuck & 1u << i;
    }
    const struct aw_unitysim_scene *scene = aw_unitysim_scene(truth.scene);
    snprintf(screen.title, sizeof screen.title, "Bento Arm at %.100s   scene %d%s%s%s%s",
             stage->link->ready, truth.scene, scene ? " " : "", scene ? scene->title : "",
             truth.frozen ? "   FROZEN" : "", stage->mute ? "   MUTE" : "");
    const struct aw_unitysim_device_counters *n = &truth.counters;
    unsigned long long dropped = n->empty + n->header + n->checksum + n->size + n->type;
    snprintf(screen.lines[0], SCREEN_LINE,
             "received %llu, accepted %llu, dropped %llu; feedback %llu, suppressed %llu%s%.100s",
             (unsigned long long)n->received, (unsigned long long)n->applied, dropped,
             (unsigned long long)n->feedback, (unsigned long long)n->lost, dropped ? " — " : "",
             truth.dropped_why);
    snprintf(screen.lines[1], SCREEN_LINE, "%s",
             *stage->remark ? stage->remark
             : truth.scene == 0 && n->feedback
                 ? "scene 0 has no arm: feedback is constant until a scene is loaded"
             : truth.scene == 0 ? "no feedback until a scene is loaded: press 1, or send a scene"
             : truth.keyboard   ? "keys move the arm until a client connects"
                                : "a client controls the arm: keys disabled");
    snprintf(screen.lines[2], SCREEN_LINE,
             "q quit  ? keys  arrows drive  space stop  1-6 scene  x f m faults");
    return screen;
}

static void drive(struct stage *stage, enum aw_unitysim_state state)
{
    struct aw_unitysim_drive order = {AW_UNITYSIM_KEY_VELOCITY, state};
    if (!aw_unitysim_device_key_drive(stage->device, stage->selected, order))
        snprintf(stage->remark, sizeof stage->remark,
                 "a client controls the arm: keys disabled, as in the original");
}

static void on_key(struct stage *stage, const char *key)
{
    *stage->remark = '\0';
    if (strcmp(key, "UP") == 0)
        stage->selected = (stage->selected + AW_UNITYSIM_JOINTS - 1) % AW_UNITYSIM_JOINTS;
    else if (strcmp(key, "DOWN") == 0)
        stage->selected = (stage->selected + 1) % AW_UNITYSIM_JOINTS;
    else if (strcmp(key, "RIGHT") == 0)
        drive(stage, AW_UNITYSIM_INCREASE);
    else if (strcmp(key, "LEFT") == 0)
        drive(stage, AW_UNITYSIM_DECREASE);
    else if (*key >= '1' && *key <= '6')
        aw_unitysim_device_key_scene(stage->device, *key - '0');
    else if (*key == ' ')
        for (int i = 0; i < AW_UNITYSIM_JOINTS; i++)
            aw_unitysim_device_key_drive(stage->device, i, (struct aw_unitysim_drive){0});
    else if (*key == 'f')
        aw_unitysim_device_freeze(stage->device, !stage->frozen);
    else if (*key == 'm')
        aw_unitysim_device_mute(stage->device, stage->mute = !stage->mute);
    else if (*key == 'x')
        aw_unitysim_device_stick(stage->device, stage->stuck ^= 1u << stage->selected);
    else if (*key == '?')
        stage->keys = !stage->keys;
    else if (*key == 'q')
        stage->quit = true;
}

static enum aw_status perform(void *context, bool keys)
{
    struct stage *stage = context;
    static const int64_t page_ns = 50 * AW_MILLISECOND;
    struct aw_session *session = stage->session;
    int64_t next_page = 0;
    enum aw_status status = AW_OK;
    while (status == AW_OK && !stage->quit) {
        if (aw_clock_now(session->clock) >= next_page) {
            struct unitysim_screen screen = page(stage);
            status = unitysim_screen_draw(session, &screen, true);
            next_page = aw_clock_now(session->clock) + page_ns;
        }
        if (status == AW_OK)
            status = aw_device_serve_once(stage->device, stage->link, next_page, &session->err);
        if (*stage->link->event)
            snprintf(stage->remark, sizeof stage->remark, "%s", stage->link->event);
        char text[8];
        for (const char *key; keys && !stage->quit && (key = unitysim_key(text));)
            on_key(stage, key);
    }
    return status;
}

static enum aw_status on_terminal(struct aw_session *session, struct aw_device *device,
                                  unsigned stuck)
{
    struct stage stage = {.session = session, .device = device, .stuck = stuck};
    struct aw_link_options options = {.clock = session->clock, .protocol = session->tool->protocol};
    aw_stop_catch(session);
    session->mode.serving = true;
    enum aw_status status =
        aw_session_open(session, session->options.link.listen, &options, &stage.link);
    if (status != AW_OK)
        return status;
    status = unitysim_screen_show(session, perform, &stage);
    aw_link_close(stage.link);
    return status;
}

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

enum aw_status run_sim(struct aw_session *session, const struct aw_args *args)
{
    const struct aw_sim sim = {session, NULL, session->wire->protocol};
    struct aw_unitysim_device_options options;
    bool live = unitysim_screen_live() && isatty(STDIN_FILENO) && !session->options.run.no_input &&
                !session->options.print.verbose && !session->options.run.dry_run;
    if (!live)
        return aw_run_sim(session, args);
    enum aw_status status = take_options(&sim, &options, &session->err);
    struct aw_device *device = status == AW_OK ? aw_unitysim_device(&options) : NULL;
    if (status != AW_OK)
        return status;
    if (!device)
        return aw_no_memory(&session->err);
    status = on_terminal(session, device, options.stuck);
    if (status == AW_STOPPED || status == AW_LOST || status == AW_OK)
        unitysim_simulated(session, device);
    aw_device_close(device);
    return status;
}
