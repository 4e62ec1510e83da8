/* Tests queries of the session that depend on options and clock. */
#include "session_helper.h"

#include <errno.h>
#include <pty.h>

static void start(void)
{
    start_session();
    session->clock = &session->time.virtual.base;
    session->time.virtual.time_ns = 5 * AW_SECOND;
}

TEST_WITH(start, end_session, for_option_sets_the_end_time)
{
    static const struct {
        const char *text;
        int64_t end_ns;
    } rows[] = {
        {"0.5s", 5 * AW_SECOND + AW_SECOND / 2}, {"1s", 6 * AW_SECOND}, {"2min", 125 * AW_SECOND}};
    assert_true(aw_session_end_time(session) == AW_NEVER);
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        set_option("for", rows[i].text);
        assert_true(aw_session_end_time(session) == rows[i].end_ns);
    }
    assert_true(aw_session_time(session) == 5 * AW_SECOND);
    session->run.started_ns = 3 * AW_SECOND;
    assert_true(aw_session_seconds(session) == 2);
    session->clock = &session->time.real.base;
    assert_true(aw_session_time(session) > 5 * AW_SECOND);
}

TEST_WITH(start, end_session, output_with_selected_fields_is_not_plain_text)
{
    assert_true(aw_session_is_text(session));
    set_option("fields", "x");
    assert_false(aw_session_is_text(session));
    assert_false(aw_session_is_formatted(session));
}

TEST_WITH(start, end_session, fields_beyond_the_maximum_are_dropped)
{
    char list[256] = "u8";
    for (int i = 1; i < AW_FIELDS_MAX + 8; i++)
        strcat(list, ",u16");
    set_option("fields", list);
    assert_int_equal(aw_session_check_fields(session), AW_OK);
    assert_string_equal(session->run.printing.fields[AW_FIELDS_MAX - 1], "u16");
    assert_null(session->run.printing.fields[AW_FIELDS_MAX]);
    set_option("fields", "u8,u61");
    assert_int_equal(aw_session_check_fields(session), AW_USAGE);
    assert_null(session->run.printing.fields[2]);
}

/* Terminals get colours if they support them and NO_COLOR is unset. */
TEST(colours_require_a_capable_terminal)
{
    static const struct {
        const char *none, *term;
        bool terminal, color;
    } rows[] = {
        {NULL, "xterm", true, true}, {NULL, "xterm", false, false}, {"1", "xterm", true, false},
        {"", "xterm", true, true},   {NULL, "dumb", true, false},   {NULL, NULL, true, false},
    };
    int user, terminal, ends[2], usual = dup(STDOUT_FILENO);
    assert_int_equal(openpty(&user, &terminal, NULL, NULL, NULL), 0);
    assert_int_equal(pipe(ends), 0);
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        rows[i].none ? setenv("NO_COLOR", rows[i].none, 1) : unsetenv("NO_COLOR");
        rows[i].term ? setenv("TERM", rows[i].term, 1) : unsetenv("TERM");
        fflush(stdout);
        dup2(rows[i].terminal ? terminal : ends[1], STDOUT_FILENO);
        struct aw_session *made = aw_session_new(&rig_tool);
        dup2(usual, STDOUT_FILENO);
        assert_int_equal(made->out.color, rows[i].color);
        aw_session_free(made);
    }
    const int fds[] = {user, terminal, ends[0], ends[1], usual};
    for (size_t i = 0; i < 5; i++)
        close(fds[i]);
}

TEST_WITH(start, end_session, closed_pipe_outranks_an_error)
{
    assert_int_equal(aw_session_exit_code(session, AW_USAGE), 2);
    session->out.error = EPIPE;
    assert_int_equal(aw_session_exit_code(session, AW_USAGE), 141);
    session->out.error = ENOSPC;
    assert_int_equal(aw_session_exit_code(session, AW_LOST), 7);
}
