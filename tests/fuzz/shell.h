/* A tool and a session for the targets that fuzz the shell: nothing is run, only read. */
#ifndef TESTS_FUZZ_SHELL_H
#define TESTS_FUZZ_SHELL_H

#include "fuzz.h"
#include "shell/bind.h"
#include "shell/config.h"

static const struct aw_arg move_args[] = {
    {.name = "joint", .field = "deg.joint"},
    {.name = "angle", .field = "deg.angle"},
    {0},
};

static const struct aw_option move_options[] = {
    {.name = "duration", .letter = 'd', .value = "TIME", .unit = "s", .min = 0, .max = 60},
    {.name = "mode", .value = "MODE", .choices = (const char *const[]){"linear", "sin", NULL}},
    {.name = "wait"},
    {0},
};

static const struct aw_command fuzz_commands[] = {
    {.name = "deg", .args = move_args, .options = move_options, .repeats = true},
    {0},
};

static const struct aw_tool fuzz_tool = {
    .name = "fuzz",
    .protocol = &aw_armctl_protocol,
    .commands = fuzz_commands,
};

static inline struct aw_session *open_session(void)
{
    struct aw_session *session = calloc(1, sizeof *session);
    session->tool = &fuzz_tool;
    session->config = calloc(1, sizeof *session->config);
    session->wire = calloc(1, sizeof *session->wire);
    aw_wire_init(session->wire, fuzz_tool.protocol, NULL, false);
    aw_options_add(&session->options, aw_global_options);
    return session;
}

static inline void close_session(struct aw_session *session)
{
    aw_config_free(session->config);
    free(session->config);
    free(session->wire);
    free(session);
}

#endif
