/* The program ezphys-sim: options, the link it waits on or dials, and the run. */
#include <errno.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/signalfd.h>
#include <unistd.h>

#include "base/file.h"
#include "base/number.h"
#include "help.h"
#include "link/core/spawn.h"
#include "options.h"
#include "protocol/ezphys/framing.h"
#include "protocol/ezphys/wire.h"
#include "shell/core/options.h"
#include "simulator.h"

#define REDIAL_FIRST (100 * AW_MILLISECOND)
#define REDIAL_LAST  AW_SECOND

/* clang-format off */
static const struct aw_option own_options[] = {
    {.name = "wire", .value = "NAME", .fallback = "le32",
     .help = "framing: le32, be32, packed8, stream, name32; add ,long=8 for 64-bit steps"},
    {.name = "fd", .value = "N", .unit = "", .min = 0, .max = 1048576,
     .help = "speak on this descriptor, a stream socket; its end is the end"},
    {.name = "check", .help = "read the scene, say what is in it, and end"},
    {.name = "names", .help = "print the scene's ids and names, for ezphys --names"},
    {.name = "list", .help = "print the scenes that come with it"},
    {.name = "man", .help = "print the manual page"},
    {.name = "help", .letter = 'h', .help = "this page"},
    {.name = "version", .letter = 'V', .help = "print the version"},
    {0},
};
/* clang-format on */

static const struct aw_option *const tables[] = {ez_simulator_options, own_options, NULL};

struct program {
    struct aw_options options;
    struct aw_real_clock clock;
    struct aw_ezphys_framing framing;
    struct aw_wire wire;
    struct aw_scene scene;
    struct settings settings;
    struct simulator sim;
    struct aw_error err;
};

/* ---- Options --------------------------------------------------------------------------------- */

static const char *text(struct program *p, const char *name)
{
    return aw_options_find(&p->options, name)->text;
}

static bool flag(struct program *p, const char *name)
{
    return text(p, name) != NULL;
}

/* The value was checked when it was set. */
static double number(struct program *p, const char *name)
{
    const struct aw_option_value *value = aw_options_find(&p->options, name);
    double result = 0;
    if (value->text)
        aw_number_parse_unit(value->text, *value->option->unit ? value->option->unit : NULL,
                             &result, NULL);
    return result;
}

static int64_t nanoseconds(struct program *p, const char *name)
{
    return (int64_t)(number(p, name) * (double)AW_SECOND);
}

static enum aw_status parse_option(struct program *p, const char *word, char **next, int *taken)
{
    char name[40];
    size_t n = strcspn(word, "=");
    snprintf(name, sizeof name, "%.*s", (int)(n < sizeof name ? n : sizeof name - 1), word);
    const struct aw_option_value *value = aw_options_find(&p->options, name);
    *taken = 0;
    if (word[n] == '=')
        return aw_options_set(&p->options, name, word + n + 1, AW_FROM_COMMAND_LINE, &p->err);
    if (!value || !value->option->value)
        return aw_options_set(&p->options, name, "yes", AW_FROM_COMMAND_LINE, &p->err);
    if (value->option->bare)
        return aw_options_set(&p->options, name, value->option->bare, AW_FROM_COMMAND_LINE,
                              &p->err);
    if (!*next)
        return aw_fail(&p->err, AW_USAGE, "--%s: a value is missing — give %s", name,
                       value->option->value);
    *taken = 1;
    return aw_options_set(&p->options, name, *next, AW_FROM_COMMAND_LINE, &p->err);
}

static enum aw_status parse_word(struct program *p, char **words, int *taken)
{
    const char *word = words[0];
    *taken = 0;
    if (word[0] != '-')
        return aw_options_set(&p->options, "scene", word, AW_FROM_COMMAND_LINE, &p->err);
    if (word[1] == '-')
        return parse_option(p, word + 2, &words[1], taken);
    const struct aw_option_value *value = aw_options_find_letter(&p->options, word[1]);
    if (!value || word[1] == '\0' || word[2] != '\0')
        return aw_fail(&p->err, AW_USAGE, "no option '%.40s' — see --help", word);
    return parse_option(p, value->option->name, &words[1], taken);
}

static enum aw_status read_options(struct program *p, char **words)
{
    enum aw_status status = AW_OK;
    for (const struct aw_option *const *table = tables; *table; table++)
        aw_options_add(&p->options, *table);
    for (int taken; *words && status == AW_OK; words += 1 + taken)
        status = parse_word(p, words, &taken);
    return status;
}

static enum aw_status apply_options(struct program *p)
{
    p->settings = (struct settings){
        .real_time = flag(p, "real-time"),
        .every = (unsigned)number(p, "lock-step"),
        .interval_ns = nanoseconds(p, "interval"),
        .timeout_ns = nanoseconds(p, "timeout"),
        .world = {.step_s = number(p, "step-size"),
                  .seed = (unsigned long)number(p, "seed"),
                  .quick = flag(p, "quick"),
                  .no_physics = flag(p, "no-physics"),
                  .hold_force = flag(p, "hold-force"),
                  .force_after = strcmp(text(p, "limb-force"), "post") == 0},
    };
    enum aw_status status = aw_ezphys_framing_parse(&p->framing, text(p, "wire"), NULL, &p->err);
    if (status == AW_OK)
        aw_wire_init(&p->wire, &aw_ezphys_protocol, &p->framing.variant, false);
    return status == AW_OK ? aw_scene_load(&p->scene, text(p, "scene"), &p->err) : status;
}

/* ---- Links ----------------------------------------------------------------------------------- */

static bool is_url(const char *word)
{
    static const char *const schemes[] = {"tcp:", "tcp-listen:", "unix:", "unix-listen:"};
    for (size_t i = 0; i < sizeof schemes / sizeof *schemes; i++)
        if (strncmp(word, schemes[i], strlen(schemes[i])) == 0)
            return true;
    return false;
}

static enum aw_status open_url(struct program *p, struct aw_link **link, const char *scheme,
                               const char *rest)
{
    char url[300];
    struct aw_link_options options = {.clock = &p->clock.base};
    snprintf(url, sizeof url, "%s%s", is_url(rest) ? "" : scheme, rest);
    return aw_link_open(link, url, &options, &p->err);
}

/* Tries until the end; the first time for as long as the option says, later for ever. */
static enum aw_status dial(struct program *p, struct aw_link **link, bool first)
{
    int64_t pause = REDIAL_FIRST, now = aw_clock_now(&p->clock.base);
    int64_t end = first ? now + nanoseconds(p, "connect-timeout") : AW_NEVER;
    for (;;) {
        enum aw_status status = open_url(p, link, "tcp:", text(p, "connect"));
        now = aw_clock_now(&p->clock.base);
        if (status != AW_NO_LINK || now >= end)
            return status;
        int64_t until = now + pause < end ? now + pause : end;
        if (aw_clock_sleep(&p->clock.base, until) != AW_OK)
            return AW_STOPPED;
        pause = pause * 2 < REDIAL_LAST ? pause * 2 : REDIAL_LAST;
    }
}

static enum aw_status run_connected(struct program *p)
{
    struct aw_link *link;
    enum aw_status status = dial(p, &link, true);
    while (status == AW_OK) {
        fprintf(stderr, "connected: %s\n", link->key);
        status = simulator_serve(&p->sim, link, &p->err);
        aw_link_close(link);
        if (status != AW_LOST)
            break;
        fprintf(stderr, "ezphys-sim: %s — dialling again\n", p->err.text);
        status = dial(p, &link, false);
    }
    return status;
}

static enum aw_status run_listening(struct program *p)
{
    struct aw_link *link;
    const char *at = text(p, "listen");
    enum aw_status status = open_url(p, &link, "tcp-listen:", at ? at : "47001");
    if (status != AW_OK)
        return status;
    fprintf(stderr, "ready: %s\n", *link->ready ? link->ready : link->key);
    status = simulator_serve(&p->sim, link, &p->err);
    aw_link_close(link);
    return status;
}

/* The one who started us holds the other end; when that is gone there is nothing left to do. */
static enum aw_status run_child(struct program *p)
{
    struct aw_link *link;
    enum aw_status status =
        aw_spawn_parent(&link, (int)number(p, "fd"), "fd", &p->clock.base, &p->err);
    if (status != AW_OK)
        return status;
    status = simulator_serve(&p->sim, link, &p->err);
    aw_link_close(link);
    return status == AW_LOST ? AW_OK : status;
}

static enum aw_status run(struct program *p)
{
    if (flag(p, "fd"))
        return run_child(p);
    return flag(p, "connect") ? run_connected(p) : run_listening(p);
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

static void print_counters(const struct simulator *sim)
{
    const struct listener_counters *n = &sim->listener.counters;
    fprintf(stderr,
            "ezphys-sim: step %lld; %llu messages sent, %llu received; %llu commands done, %llu "
            "refused, %llu for unknown joints; %llu resets\n",
            (long long)world_steps(sim->world), (unsigned long long)sim->reported,
            (unsigned long long)n->messages, (unsigned long long)n->commands,
            (unsigned long long)n->refused, (unsigned long long)n->unknown,
            (unsigned long long)n->resets);
}

static int simulate(struct program *p)
{
    p->clock = aw_real_clock(catch_signals());
    enum aw_status status = simulator_init(&p->sim, &p->settings, &p->scene, &p->wire, &p->err);
    if (status == AW_OK)
        status = run(p);
    if (!flag(p, "fd") && p->sim.reported > 0)
        print_counters(&p->sim);
    simulator_free(&p->sim);
    struct signalfd_siginfo signal;
    if (status == AW_STOPPED && read(p->clock.stop_fd, &signal, sizeof signal) == sizeof signal)
        return 128 + (int)signal.ssi_signo;
    return (int)status;
}

/* Does what needs no simulation; false if that is not all. */
static bool only_print(struct program *p)
{
    if (flag(p, "help"))
        help_page(tables);
    else if (flag(p, "man"))
        help_man(tables);
    else if (flag(p, "version"))
        printf("ezphys-sim %s (armwire)\n", AW_VERSION);
    else if (flag(p, "list"))
        help_scenes();
    else
        return false;
    return true;
}

/* What was printed has to get somewhere. */
static enum aw_status printed(struct program *p)
{
    if (fflush(stdout) == 0 && !ferror(stdout))
        return AW_OK;
    aw_file_fail(&p->err, NULL, "standard output");
    return AW_LOST;
}

static int perform(struct program *p, char **words)
{
    enum aw_status status = read_options(p, words);
    if (status == AW_OK && only_print(p))
        return (int)printed(p);
    if (status == AW_OK)
        status = apply_options(p);
    if (status != AW_OK)
        return (int)status;
    if (flag(p, "check"))
        help_check(&p->scene);
    else if (flag(p, "names"))
        help_names(&p->scene);
    else
        return simulate(p);
    return (int)printed(p);
}

int main(int argc, char **argv)
{
    struct program *p = calloc(1, sizeof *p);
    if (!p || argc < 1) {
        struct aw_error err;
        aw_no_memory(&err);
        fprintf(stderr, "ezphys-sim: %s\n", err.text);
        return AW_NO_MEMORY;
    }
    int status = perform(p, argv + 1);
    if (status > AW_OK && status < 128)
        fprintf(stderr, "ezphys-sim: %s\n", p->err.text);
    free(p);
    return status;
}
