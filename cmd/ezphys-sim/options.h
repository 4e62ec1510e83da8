/* The options of ezphys-sim, in one table for two users: the program itself, and the command
 * "ezphys sim", which starts it and hands them on. The links "sim:?KEY=VALUE" of ezphys take those
 * that make sense there as keys.
 *
 *     ezphys-sim [OPTION…] [SCENE]
 *
 * "ready: tcp:127.0.0.1:47001" on stderr once it listens. Exit codes are those of the tools.
 */
#ifndef AW_CMD_EZPHYS_SIM_OPTIONS_H
#define AW_CMD_EZPHYS_SIM_OPTIONS_H

#include "shell/core/tool.h"

static const char *const ez_limb_force_choices[] = {"pre", "post", NULL};

/* clang-format off */
static const struct aw_option ezphys_simulator_options[] = {
    {.name = "scene", .value = "NAME", .fallback = "pendulum",
     .help = "a scene that comes with it ('ezphys-sim --list' shows them), or a file"},
    {.name = "listen", .value = "[HOST:]PORT", .help = "wait for a client at this port (47001 "
     "if not given), or at a link such as unix-listen:PATH"},
    {.name = "connect", .value = "HOST:PORT", .help = "connect to a client, as the original does"},
    {.name = "connect-timeout", .value = "TIME", .fallback = "10s", .unit = "s", .min = 0,
     .max = 86400, .help = "how long --connect tries before the simulation begins"},
    {.name = "lock-step", .value = "N", .bare = "1", .fallback = "1", .unit = "", .min = 1,
     .max = 1000000,
     .help = "steps of physics between two messages; each message needs an answer"},
    {.name = "real-time", .help = "follow the wall clock and do not wait for answers"},
    {.name = "interval", .value = "TIME", .fallback = "20ms", .unit = "s", .min = 0.0001,
     .max = 3600, .help = "the time between two messages in real time"},
    {.name = "timeout", .value = "TIME", .fallback = "5s", .unit = "s", .min = 0.001, .max = 86400,
     .help = "print a message if an answer takes longer"},
    {.name = "step-size", .value = "TIME", .unit = "s", .min = 1e-6, .max = 1,
     .help = "the step of the physics, instead of that of the scene"},
    {.name = "seed", .value = "N", .fallback = "1", .unit = "", .min = 0, .max = 4294967295,
     .help = "the seed of the random numbers of the solver"},
    {.name = "quick", .help = "ODE's iterative solver (QuickStep): faster, less exact"},
    {.name = "no-physics",
     .help = "send messages of the same size without physics, for measurements"},
    {.name = "limb-force", .value = "WHEN", .fallback = "pre", .choices = ez_limb_force_choices,
     .help = "forces of limbs as before the step (pre) or after it (post: always 0)"},
    {.name = "hold-force",
     .help = "axis_force acts until the next axis_force, not only for one step"},
    {0},
};
/* clang-format on */

#endif
