/* A tool and a session for targets that fuzz the shell; commands are parsed but not run. */
#ifndef TESTS_FUZZ_SHELL_H
#define TESTS_FUZZ_SHELL_H

#include "fuzz.h"
#include "shell/safety/safety.h"
#include "shell/session/bind.h"
#include "shell/session/config.h"

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
    {.name = "fuzz",                                                                               \
     .protocol = &aw_##p##_protocol,                                                               \
     .commands = fuzz_commands,                                                                    \
     .options = fuzz_options},

/* One tool per protocol, in the order of fuzz.h. */
static const struct aw_tool fuzz_tools[] = {EACH_PROTOCOL(FUZZ_TOOL)};

static inline struct aw_session *open_session(const struct aw_tool *tool)
{
    struct aw_session *session = aw_session_new(tool);
    MUST(session);
    session->out.fd = -1;
    return session;
}

static inline void close_session(struct aw_session *session)
{
    aw_session_free(session);
}

#endif
