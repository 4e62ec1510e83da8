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
    double step_size_s; /* 0: the scene's */
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
     .help = "a scene that comes with it ('ezphys-sim --list' shows them), or a file"},
    {.name = "listen", AW_AT(simulator_options, listen), .value = "[HOST:]PORT",
     .help = "wait for a client at this port (47001 if not given), or at a link such as "
         "unix-listen:PATH"},
    {.name = "connect", AW_AT(simulator_options, connect), .value = "HOST:PORT",
     .help = "connect to a client, as the original does"},
    {.name = "connect-timeout", AW_AT(simulator_options, connect_timeout_s), .value = "TIME",
     .fallback = "10s", .unit = "s", .min = 0, .max = 86400,
     .help = "how long --connect tries before the simulation begins"},
    {.name = "lock-step", AW_AT(simulator_options, lock_step), .value = "N", .bare = "1",
     .fallback = "1", .unit = "", .min = 1, .max = 1000000,
     .help = "steps of physics between two messages; each message needs an answer"},
    {.name = "real-time", AW_AT(simulator_options, real_time),
     .help = "follow the wall clock and do not wait for answers"},
    {.name = "interval", AW_AT(simulator_options, interval_s), .value = "TIME", .fallback = "20ms",
     .unit = "s", .min = 0.0001, .max = 3600, .help = "the time between two messages in real time"},
    {.name = "timeout", AW_AT(simulator_options, timeout_s), .value = "TIME", .fallback = "5s",
     .unit = "s", .min = 0.001, .max = 86400, .help = "print a message if an answer takes longer"},
    {.name = "step-size", AW_AT(simulator_options, step_size_s), .value = "TIME", .unit = "s",
     .min = 1e-6, .max = 1, .help = "the step of the physics, instead of that of the scene"},
    {.name = "seed", AW_AT(simulator_options, seed), .value = "N", .fallback = "1", .unit = "",
     .min = 0, .max = 4294967295, .help = "the seed of the random numbers of the solver"},
    {.name = "quick", AW_AT(simulator_options, quick),
     .help = "ODE's iterative solver (QuickStep): faster, less exact"},
    {.name = "no-physics", AW_AT(simulator_options, no_physics),
     .help = "send messages of the same size without physics, for measurements"},
    {.name = "limb-force", AW_AT(simulator_options, limb_force), .value = "WHEN", .fallback = "pre",
     .choices = ez_limb_force_choices,
     .help = "forces of limbs as before the step (pre) or after it (post: always 0)"},
    {.name = "hold-force", AW_AT(simulator_options, hold_force),
     .help = "axis_force acts until the next axis_force, not only for one step"},
    {0},
};
/* clang-format on */

#endif
