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
static const struct aw_option ez_simulator_options[] = {
    {.name = "scene", .value = "NAME", .fallback = "pendulum",
     .help = "a scene that comes with it ('ezphys-sim --list' shows them), or a file"},
    {.name = "listen", .value = "[HOST:]PORT", .help = "wait for a client there, or at a link such "
     "as unix-listen:PATH; 47001 if nothing is said"},
    {.name = "connect", .value = "HOST:PORT", .help = "dial out, as the original does"},
    {.name = "connect-timeout", .value = "TIME", .fallback = "10s", .unit = "s", .min = 0,
     .max = 86400, .help = "how long --connect tries before the simulation begins"},
    {.name = "lock-step", .value = "N", .bare = "1", .fallback = "1", .unit = "", .min = 1,
     .max = 1000000,
     .help = "steps of physics from one message to the next, each is to be answered"},
    {.name = "real-time", .help = "go by the wall clock and wait for no answers"},
    {.name = "interval", .value = "TIME", .fallback = "20ms", .unit = "s", .min = 0.0001,
     .max = 3600, .help = "from one message to the next in real time"},
    {.name = "timeout", .value = "TIME", .fallback = "5s", .unit = "s", .min = 0.001, .max = 86400,
     .help = "say so when an answer takes longer"},
    {.name = "step-size", .value = "TIME", .unit = "s", .min = 1e-6, .max = 1,
     .help = "of physics, instead of what the scene says"},
    {.name = "seed", .value = "N", .fallback = "1", .unit = "", .min = 0, .max = 4294967295,
     .help = "of the solver's random numbers"},
    {.name = "quick", .help = "ODE's iterative solver (QuickStep): faster, less exact"},
    {.name = "no-physics", .help = "messages of the same size without the physics, for measuring"},
    {.name = "limb-force", .value = "WHEN", .fallback = "pre", .choices = ez_limb_force_choices,
     .help = "forces of limbs as before the step (pre) or after it (post: always 0)"},
    {.name = "hold-force", .help = "axis_force acts until the next one, not for one step only"},
    {0},
};
/* clang-format on */

#endif
