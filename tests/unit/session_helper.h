/* A session that each test starts anew, of a tool that a test may change; its output as text. */
#ifndef AW_TESTS_SESSION_HELPER_H
#define AW_TESTS_SESSION_HELPER_H

#include "shell_helper.h"

static struct aw_tool tool; /* a copy of rig_tool */
static struct aw_session *session;
static char printed[4096]; /* "! " precedes text on standard error */

static inline void start_session_of(const struct aw_protocol *protocol)
{
    tool = rig_tool;
    tool.protocol = protocol;
    session = rig_new(&tool);
}

static inline void start_session(void)
{
    start_session_of(&sample_protocol);
}

static inline void end_session(void)
{
    if (session->time.real.stop_fd >= 0)
        close(session->time.real.stop_fd); /* otherwise closed by the end of the program */
    rig_free(session);
}

static inline void append_printed(struct aw_sink *sink, bool error, const char *text, size_t size)
{
    size_t used = strlen(printed);
    (void)sink;
    snprintf(printed + used, sizeof printed - used, "%s%.*s", error ? "! " : "", (int)size, text);
}

/* Collects the output of the session in printed. */
static inline void collect_output(void)
{
    static struct aw_sink sink = {append_printed};
    session->out.sink = &sink;
    *printed = '\0';
}

static inline void set_option(const char *name, const char *text)
{
    assert_int_equal(aw_options_set(&session->options, name, text, AW_FROM_COMMAND_LINE, NULL),
                     AW_OK);
}

/* The close operation of a link on the stack. */
static inline void close_nothing(struct aw_link *link)
{
    (void)link;
}

#endif
