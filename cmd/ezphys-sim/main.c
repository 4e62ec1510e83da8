/* The program ezphys-sim: options, the link it listens on or connects to, and the run. */
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/signalfd.h>
#include <unistd.h>

#include "link/core/spawn.h"
#include "link/open.h"
#include "log.h"
#include "options.h"
#include "protocol/ezphys/framing.h"
#include "protocol/ezphys/wire.h"
#include "shell/help/help.h"
#include "shell/safety/safety.h"
#include "shell/session/bind.h"
#include "shell/words/options.h"
#include "simulator.h"

#define REDIAL_FIRST (100 * AW_MILLISECOND)
#define REDIAL_LAST  AW_SECOND

/* clang-format off */
static const struct aw_option general_options[] = {
    {.name = "wire", AW_AT_TOOL(program_options, wire), .value = "NAME", .fallback = "le32",
     .help = "framing: le32, be32, packed8, stream, name32; add ,long=8 for 64-bit steps"},
    {.name = "packets", AW_AT_ALL(link.packets), .value = "FILE", .endings = "packets",
     .help = "custom packet file, or several: A,B"},
    {.name = "fd", AW_AT_TOOL(program_options, fd), .missing = -1, .value = "N", .unit = "",
     .min = 0, .max = 1048576,
     .help = "use this file descriptor (a stream socket); exit when it closes"},
    {.name = "check", AW_AT_TOOL(program_options, check),
     .help = "check the scene, print its contents and exit"},
    {.name = "names", AW_AT_TOOL(program_options, names),
     .help = "print the ids and names of the scene, for ezphys --names"},
    {.name = "list", AW_AT_TOOL(program_options, list),
     .help = "list the built-in scenes"},
    {.name = "man", AW_AT_TOOL(program_options, man), .help = "print the manual page"},
    {.name = "help", AW_AT_ALL(print.help), .letter = 'h', .help = "print this help"},
    {.name = "version", AW_AT_ALL(print.version), .letter = 'V', .help = "print the version"},
    {0},
};
/* clang-format on */

static const char *const examples[] = {
    "pendulum",
    "humanoid --real-time",
    "arm4 --listen 0.0.0.0:5000 --lock-step=10",
    "./my.scene --connect robot.local:47001",
    "--check ./my.scene",
    NULL,
};

struct program {
    struct aw_session *session;
    struct aw_real_clock clock;
    struct aw_ezphys_framing framing;
    struct aw_wire wire;
    struct aw_scene scene;
    struct settings settings;
    struct simulator sim;
};

static const struct aw_tool tool = {
    .name = "ezphys-sim",
    .summary = "simulate rigid bodies, joints and motors, like EZPhysics, over TCP",
    .protocol = &aw_ezphys_protocol,
    .options = ezphys_simulator_options,
    .help.usage = "[options] [SCENE]",
    .help.general = general_options,
    .help.examples = examples,
    .state.size = sizeof(struct program),
};

/* ---- Options --------------------------------------------------------------------------------- */

static int64_t to_ns(double seconds)
{
    return (int64_t)(seconds * (double)AW_SECOND);
}

static enum aw_status read_options(struct aw_session *session, const struct aw_tokens *arguments)
{
    enum aw_status status = AW_OK;
    for (size_t i = 0; i < arguments->n && status == AW_OK; i++)
        status = aw_is_option(arguments->token[i])
                     ? aw_bind_option(session, NULL, arguments, &i)
                     : aw_options_set(&session->options, "scene", arguments->token[i],
                                      AW_FROM_COMMAND_LINE, &session->err);
    return status;
}

/* The parent process expects a wait in lock-step, so there is no timeout unless it asks for one. */
static int64_t get_answer_timeout(struct program *p)
{
    static const int64_t forever = AW_NEVER / 2;
    bool given = aw_options_find(&p->session->options, "timeout")->origin != AW_FROM_DEFAULT;
    return program_given(p->session)->fd >= 0 && !given
               ? forever
               : to_ns(simulator_given(p->session)->timeout_s);
}

static enum aw_status apply_options(struct program *p)
{
    const struct simulator_options *given = simulator_given(p->session);
    p->settings = (struct settings){
        .real_time = given->real_time,
        .steps_per_message = (unsigned)given->lock_step,
        .interval_ns = to_ns(given->interval_s),
        .timeout_ns = get_answer_timeout(p),
        .world = {.step_s = given->step_size_s,
                  .seed = (unsigned long)given->seed,
                  .quick = given->quick,
                  .no_physics = given->no_physics,
                  .hold_force = given->hold_force,
                  .force_after = given->limb_force == 1},
    };
    enum aw_status status = aw_ezphys_framing_parse(&p->framing, program_given(p->session)->wire,
                                                    NULL, &p->session->err);
    if (status == AW_OK)
        status = aw_session_prepare_wire(p->session);
    if (status == AW_OK)
        aw_wire_init(&p->wire, p->session->wire->protocol, &p->framing.variant, false);
    return status == AW_OK ? aw_scene_load(&p->scene, given->scene, &p->session->err) : status;
}

/* ---- Links ----------------------------------------------------------------------------------- */

static bool is_url(const char *text)
{
    static const char *const schemes[] = {"tcp:", "tcp-listen:", "unix:", "unix-listen:"};
    for (size_t i = 0; i < sizeof schemes / sizeof *schemes; i++)
        if (strncmp(text, schemes[i], strlen(schemes[i])) == 0)
            return true;
    return false;
}

static enum aw_status open_url(struct program *p, struct aw_link **link, const char *scheme,
                               const char *rest)
{
    char url[300];
    struct aw_link_options options = {.clock = &p->clock.base};
    snprintf(url, sizeof url, "%s%s", is_url(rest) ? "" : scheme, rest);
    return aw_link_open(link, url, &options, &p->session->err);
}

/* Retries until it connects: for the time of the option at first, later without a limit. */
static enum aw_status connect_client(struct program *p, struct aw_link **link, bool is_first)
{
    int64_t pause = REDIAL_FIRST, now = aw_clock_now(&p->clock.base);
    int64_t end = is_first ? now + to_ns(simulator_given(p->session)->connect_timeout_s) : AW_NEVER;
    for (;;) {
        enum aw_status status = open_url(p, link, "tcp:", simulator_given(p->session)->connect);
        now = aw_clock_now(&p->clock.base);
        if (status != AW_NO_LINK || now >= end)
            return status;
        int64_t until = aw_min_time(now + pause, end);
        if (aw_clock_sleep(&p->clock.base, until) != AW_OK)
            return AW_STOPPED;
        pause = pause * 2 < REDIAL_LAST ? pause * 2 : REDIAL_LAST;
    }
}

static enum aw_status serve(struct program *p, struct aw_link *link)
{
    enum aw_status status = simulator_serve(&p->sim, link, &p->session->err);
    aw_link_close(link);
    return status;
}

static enum aw_status run_connected(struct program *p)
{
    struct aw_link *link;
    enum aw_status status = connect_client(p, &link, true);
    while (status == AW_OK) {
        print_log("connected: %s\n", link->key);
        status = serve(p, link);
        if (status != AW_LOST)
            break;
        print_log("ezphys-sim: %s; reconnecting\n", p->session->err.text);
        status = connect_client(p, &link, false);
    }
    return status;
}

static enum aw_status run_listening(struct program *p)
{
    struct aw_link *link;
    const char *address = simulator_given(p->session)->listen;
    enum aw_status status = open_url(p, &link, "tcp-listen:", address ? address : "47001");
    if (status != AW_OK)
        return status;
    print_log("ready: %s\n", *link->client_url ? link->client_url : link->key);
    return serve(p, link);
}

/* Runs on the parent's descriptor, and ends when the parent closes it. */
static enum aw_status run_child(struct program *p)
{
    struct aw_link *link;
    enum aw_status status = aw_spawn_parent(&link, (int)program_given(p->session)->fd, "fd",
                                            &p->clock.base, &p->session->err);
    if (status == AW_OK)
        status = serve(p, link);
    return status == AW_LOST ? AW_OK : status;
}

static enum aw_status run(struct program *p)
{
    if (program_given(p->session)->fd >= 0)
        return run_child(p);
    return simulator_given(p->session)->connect ? run_connected(p) : run_listening(p);
}

/* ---- Scenes -------------------------------------------------------------------------------- */

/* Lists the built-in scenes. */
static void list_scenes(struct aw_output *out)
{
    for (const struct aw_scene_text *row = aw_scene_list_shipped(); row->name; row++) {
        struct aw_scene scene;
        if (aw_scene_parse(&scene, row->name, row->text, row->size, NULL) == AW_OK)
            aw_output_print(out, "  %-24s %s\n", row->name, scene.title);
    }
}

/* Describes a scene in one line. */
static void print_check(struct aw_output *out, const struct aw_scene *scene)
{
    unsigned axes = 0;
    for (size_t i = 0; i < scene->n_joints; i++)
        axes += aw_scene_count_axes(scene->joints[i].kind);
    aw_output_print(out, "%zu %s, %zu %s with %u %s, steps of %g ms: %s\n", scene->n_bodies,
                    scene->n_bodies == 1 ? "body" : "bodies", scene->n_joints,
                    scene->n_joints == 1 ? "joint" : "joints", axes, axes == 1 ? "axis" : "axes",
                    scene->step_s * 1000, *scene->title ? scene->title : "untitled");
}

static const char *get_body_name(const struct aw_scene *scene, int body)
{
    return body == AW_SCENE_WORLD ? "world" : scene->bodies[body].name;
}

/* Prints the names of bodies and joints as a file for the --names option of ezphys. */
static void print_names(struct aw_output *out, const struct aw_scene *scene)
{
    for (size_t i = 0; i < scene->n_bodies; i++)
        aw_output_print(out, "body %u %s\n", (unsigned)scene->bodies[i].id, scene->bodies[i].name);
    for (size_t i = 0; i < scene->n_joints; i++) {
        const struct aw_scene_joint *joint = &scene->joints[i];
        aw_output_print(out, "joint %u %s %s %s%s\n", (unsigned)joint->id, joint->name,
                        get_body_name(scene, joint->body[0]), get_body_name(scene, joint->body[1]),
                        joint->kind == AW_SCENE_SLIDER ? " slider" : "");
    }
}

/* ---- Beginning and end ----------------------------------------------------------------------- */

static int catch_signals(void)
{
    sigset_t set;
    sigemptyset(&set);
    sigaddset(&set, SIGINT);
    sigaddset(&set, SIGTERM);
    sigaddset(&set, SIGHUP);
    sigprocmask(SIG_BLOCK, &set, NULL);
    return signalfd(-1, &set, SFD_CLOEXEC);
}

static int simulate(struct program *p)
{
    p->clock = aw_real_clock(catch_signals());
    enum aw_status status =
        simulator_init(&p->sim, &p->settings, &p->scene, &p->wire, &p->session->err);
    if (status == AW_OK)
        status = run(p);
    if (program_given(p->session)->fd < 0 && p->sim.reports.n_reported > 0) {
        const struct listener_counters *n = &p->sim.listener.counters;
        print_log(
            "ezphys-sim: step %lld; %llu messages sent, %llu received; %llu commands executed, "
            "%llu refused, %llu for unknown joints; %llu resets\n",
            (long long)world_steps(p->sim.world), (unsigned long long)p->sim.reports.n_reported,
            (unsigned long long)n->messages, (unsigned long long)n->commands,
            (unsigned long long)n->refused, (unsigned long long)n->unknown,
            (unsigned long long)n->resets);
    }
    simulator_free(&p->sim);
    struct signalfd_siginfo signal;
    if (status == AW_STOPPED && read(p->clock.stop_fd, &signal, sizeof signal) == sizeof signal)
        return 128 + (int)signal.ssi_signo;
    return (int)status;
}

static void print_page(struct aw_session *session, bool is_man)
{
    struct aw_output *out = &session->out;
    if (is_man)
        aw_print_man_page(session);
    else
        aw_print_help(session, NULL);
    aw_output_print(out, is_man ? ".SH SCENES\n.nf\n" : "\nScenes\n");
    list_scenes(out);
    if (is_man)
        aw_output_print(out, ".fi\n.SH SEE ALSO\n.BR ezphys (1)\n");
}

/* Handles options that only print. Returns false if a simulation is needed. */
static bool print_only(struct program *p)
{
    struct aw_output *out = &p->session->out;
    if (p->session->options.print.help || program_given(p->session)->man)
        print_page(p->session, !p->session->options.print.help);
    else if (p->session->options.print.version)
        aw_output_print(out, "ezphys-sim %s (armwire)\n", AW_VERSION);
    else if (program_given(p->session)->list)
        list_scenes(out);
    else
        return false;
    return true;
}

static int run_program(struct program *p, const struct aw_tokens *arguments)
{
    struct aw_output *out = &p->session->out;
    struct aw_error *err = &p->session->err;
    enum aw_status status = read_options(p->session, arguments);
    if (status == AW_OK && print_only(p))
        return (int)aw_output_flush(out, err);
    if (status == AW_OK)
        status = apply_options(p);
    if (status != AW_OK)
        return (int)status;
    if (program_given(p->session)->check)
        print_check(out, &p->scene);
    else if (program_given(p->session)->names)
        print_names(out, &p->scene);
    else
        return simulate(p);
    return (int)aw_output_flush(out, err);
}

int main(int argc, char **argv)
{
    struct aw_session *session = aw_session_new(&tool);
    struct aw_tokens *arguments = malloc(sizeof *arguments);
    struct aw_error err = {0};
    int status = AW_NO_MEMORY;
    if (!session || !arguments) {
        aw_no_memory(&err);
    } else {
        struct program *p = session->state;
        p->session = session;
        status = (int)aw_tokens_from_argv(arguments, argc, argv, &session->err);
        status = status == AW_OK ? run_program(p, arguments) : status;
        err = session->err;
    }
    if (status > AW_OK && status < 128)
        print_log("ezphys-sim: %s\n", err.text);
    if (session)
        aw_session_free(session);
    free(arguments);
    return status;
}
