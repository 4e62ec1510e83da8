/* A session without its program, and a made-up tool with the sample protocol. */
#ifndef AW_TESTS_SHELL_HELPER_H
#define AW_TESTS_SHELL_HELPER_H

#include <math.h>
#include <unistd.h>

#include "sample_helper.h"
#include "shell/main.h"
#include "shell/safety/safety.h"
#include "shell/session/config.h"
#include "shell/session/session.h"
#include "test.h"

static inline struct aw_session *rig_new(const struct aw_tool *tool)
{
    struct aw_session *session = aw_session_new(tool);
    session->out.fd = -1;
    session->out.color = false;
    return session;
}

static inline void rig_free(struct aw_session *session)
{
    if (session->out.fd >= 0)
        close(session->out.fd);
    aw_session_free(session);
}

/* clang-format off: one row each */
static const char *const rig_gears[] = {"low", "high", NULL};
static const struct aw_arg rig_turn_args[] = {
    {.name = "level", .field = "choice.level"},
    {.name = "way", .field = "choice.way", .help = "its own help"},
    {0},
};
static const struct aw_arg rig_set_args[] = {
    {.name = "gear", .kind = AW_ARG_CHOICE, .choices = rig_gears, .help = "which gear"},
    {.name = "time", .kind = AW_ARG_NUMBER, .unit = "s", .min = 1, .max = 9, .optional = true},
    {0},
};
static const struct aw_arg rig_colour_args[] = {
    {.name = "colour", .field = "choice.colour"},
    {0},
};
static const struct aw_arg rig_file_args[] = {{.name = "file", .kind = AW_ARG_FILE}, {0}};
static const struct aw_arg rig_port_args[] = {{.name = "port", .kind = AW_ARG_LINK}, {0}};
static const struct aw_option rig_set_options[] = {
    {.name = "gently", .letter = 'g', .help = "not so fast"},
    {.name = "wait", .letter = 'w', .value = "TIME", .unit = "s", .min = 0, .max = 10},
    {.name = "again", .value = "TIMES", .bare_value = "2", .unit = "", .min = 0, .max = 10},
    {0},
};
static const struct aw_command rig_commands[] = {
    {.name = "turn", .summary = "turn it", .args = rig_turn_args, .repeats = true},
    {.name = "set", .summary = "set it", .args = rig_set_args, .options = rig_set_options},
    {.name = "colour", .summary = "paint it", .args = rig_colour_args, .repeats = true},
    {.name = "load", .summary = "load it", .args = rig_file_args},
    {.name = "connect", .summary = "connect it", .args = rig_port_args},
    {.name = "stop", .summary = "stop it"},
    {.name = "secret", .summary = "not shown", .hidden = true},
    {0},
};
/* clang-format on */

static const struct aw_tool rig_tool = {
    .name = "rig",
    .summary = "a made-up tool",
    .protocol = &sample_protocol,
    .commands = rig_commands,
    .common = aw_common_commands,
};

#endif
