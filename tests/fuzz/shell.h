/* A tool and a session for the targets that fuzz the shell: nothing is run, only read. */
#ifndef TESTS_FUZZ_SHELL_H
#define TESTS_FUZZ_SHELL_H

#include "fuzz.h"
#include "shell/core/bind.h"
#include "shell/core/config.h"

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

static const struct aw_option fuzz_options[] = {
    {.name = "dir", .value = "DIR", .fallback = "rx"},
    {.name = "port", .value = "PORT", .unit = "", .min = 1, .max = 65535},
    {.name = "all"},
    {0},
};

#define FUZZ_TOOL(p)                                                                               \
    {                                                                                              \
        .name = "fuzz", .protocol = (p), .commands = fuzz_commands, .options = fuzz_options        \
    }

/* One for each protocol, in the order of fuzz.h. */
static const struct aw_tool fuzz_tools[N_PROTOCOLS] = {
    FUZZ_TOOL(&aw_armctl_protocol), FUZZ_TOOL(&aw_hidmotor_protocol),
    FUZZ_TOOL(&aw_canpid_protocol), FUZZ_TOOL(&aw_unitysim_protocol),
    FUZZ_TOOL(&aw_ezphys_protocol),
};

static inline struct aw_session *open_session(const struct aw_tool *tool)
{
    struct aw_session *session = calloc(1, sizeof *session);
    MUST(session);
    session->tool = tool;
    session->out.fd = -1;
    session->real_clock = aw_real_clock(-1);
    session->clock = &session->real_clock.base;
    session->config = calloc(1, sizeof *session->config);
    session->wire = calloc(1, sizeof *session->wire);
    session->frame = malloc(AW_FRAME_ROOM);
    MUST(session->config && session->wire && session->frame);
    aw_wire_init(session->wire, tool->protocol, NULL, false);
    session->shown = session->wire;
    aw_options_add(&session->options, tool->options);
    aw_options_add(&session->options, aw_global_options);
    return session;
}

static inline void close_session(struct aw_session *session)
{
    aw_view_free(session->view);
    aw_config_free(session->config);
    free(session->config);
    free(session->wire);
    free(session->frame);
    free(session);
}

#endif
