/* The options of ezphys-sim, shared by the program and the command "ezphys sim", which starts it
 * and passes them on. The links "sim:?KEY=VALUE" of ezphys accept the applicable ones as keys.
 *
 *     ezphys-sim [OPTION…] [SCENE]
 *
 * Prints "ready: tcp:127.0.0.1:47001" on stderr once it listens. Exit codes are those of the tools.
 */
#ifndef AW_CMD_EZPHYS_SIM_OPTIONS_H
#define AW_CMD_EZPHYS_SIM_OPTIONS_H

#include "shell/session/session.h"

struct simulator_options {
    const char *scene, *listen, *connect;
    double connect_timeout_s, interval_s, timeout_s;
    double step_size_s; /* 0: that of the scene */
    int64_t lock_step, seed;
    int limb_force; /* 0: pre, 1: post */
    bool real_time, quick, no_physics, hold_force;
};
AW_GIVEN(command, simulator_options, simulator_given)

/* Options of the program only. */
struct program_options {
    const char *wire;
    double fd; /* -1: not given */
    bool check, names, list, man;
};
AW_GIVEN(tool, program_options, program_given)

static const char *const ez_limb_force_choices[] = {"pre", "post", NULL};

/* clang-format off */
static const struct aw_option ezphys_simulator_options[] = {
    {.name = "scene", AW_AT(simulator_options, scene), .value = "NAME", .fallback = "pendulum",
     .help = "a built-in scene ('ezphys-sim --list' shows them) or a file"},
    {.name = "listen", AW_AT(simulator_options, listen), .value = "[HOST:]PORT",
     .help = "listen for a client on this port (default: 47001), or a link such as "
         "unix-listen:PATH"},
    {.name = "connect", AW_AT(simulator_options, connect), .value = "HOST:PORT",
     .help = "connect to a client, like the original program"},
    {.name = "connect-timeout", AW_AT(simulator_options, connect_timeout_s), .value = "TIME",
     .fallback = "10s", .unit = "s", .min = 0, .max = 86400,
     .help = "timeout of --connect before the simulation starts"},
    {.name = "lock-step", AW_AT(simulator_options, lock_step), .value = "N", .bare_value = "1",
     .fallback = "1", .unit = "", .min = 1, .max = 1000000,
     .help = "steps between two messages; waits for an answer to each"},
    {.name = "real-time", AW_AT(simulator_options, real_time),
     .help = "run in real time, without waiting for answers"},
    {.name = "interval", AW_AT(simulator_options, interval_s), .value = "TIME", .fallback = "20ms",
     .unit = "s", .min = 0.0001, .max = 3600, .help = "with --real-time: message interval"},
    {.name = "timeout", AW_AT(simulator_options, timeout_s), .value = "TIME", .fallback = "5s",
     .unit = "s", .min = 0.001, .max = 86400, .help = "print a warning if an answer takes longer"},
    {.name = "step-size", AW_AT(simulator_options, step_size_s), .value = "TIME", .unit = "s",
     .min = 1e-6, .max = 1, .help = "step size of the physics (default: the value in the scene)"},
    {.name = "seed", AW_AT(simulator_options, seed), .value = "N", .fallback = "1", .unit = "",
     .min = 0, .max = 4294967295, .help = "random seed of the solver"},
    {.name = "quick", AW_AT(simulator_options, quick),
     .help = "use ODE's iterative solver (QuickStep): faster, less exact"},
    {.name = "no-physics", AW_AT(simulator_options, no_physics),
     .help = "without physics, for measurements: bodies rest, messages keep their size"},
    {.name = "limb-force", AW_AT(simulator_options, limb_force), .value = "WHEN", .fallback = "pre",
     .choices = ez_limb_force_choices,
     .help = "report forces of limbs before the step (pre) or after it (post: always 0)"},
    {.name = "hold-force", AW_AT(simulator_options, hold_force),
     .help = "keep an axis_force until the next one, not only for one step"},
    {0},
};
/* clang-format on */

#endif
