/* Tests lines on standard error, which must never block while a device is in use: lost lines are
 * counted. Also tests progress on a terminal. */
#include "session_helper.h"

#include <fcntl.h>
#include <pty.h>
#include <signal.h>
#include <sys/eventfd.h>

static int ends[2], usual;

/* Makes standard error a pipe of 16384 bytes. */
static void start(void)
{
    signal(SIGPIPE, SIG_IGN);
    start_session();
    session->out.charset = AW_CHARSET_UTF8;
    usual = dup(STDERR_FILENO);
    assert_false(pipe2(ends, O_NONBLOCK) != 0 || fcntl(ends[1], F_SETPIPE_SZ, 16384) != 16384 ||
                 dup2(ends[1], STDERR_FILENO) < 0);
}

static void stop(void)
{
    dup2(usual, STDERR_FILENO);
    close(usual);
    close(ends[1]);
    if (ends[0] >= 0)
        close(ends[0]);
    end_session();
}

static const char *said(void)
{
    static char text[32768];
    ssize_t n = read(ends[0], text, sizeof text - 1);
    text[n > 0 ? n : 0] = '\0';
    return text;
}

TEST_WITH(start, stop, lines_are_cleaned_but_drawings_are_not)
{
    aw_session_report(session, "%s: %s\n", "rig", "a\033[K — b");
    assert_string_equal(said(), "rig: a?[K — b\n");
    aw_session_draw(session, "\r%s", "\033[K — b");
    assert_string_equal(said(), "\r\033[K — b");
    session->out.charset = AW_CHARSET_ASCII;
    aw_session_report(session, "a — b\n");
    assert_string_equal(said(), "a - b\n");
    aw_session_print_notice(session, "%d of %d", 1, 2);
    assert_string_equal(said(), "rig: 1 of 2\n");
}

/* While a device is in use, a missing reader does not block. Dropped lines are counted. */
TEST_WITH(start, stop, unread_lines_are_counted)
{
    char block[16384];
    session->time.real.stop_fd = eventfd(0, EFD_CLOEXEC);
    memset(block, '.', sizeof block);
    assert_int_equal(write(ends[1], block, sizeof block), sizeof block);
    aw_session_report(session, "one\n");
    assert_int_equal(session->run.dropped_lines, 1);
    aw_session_report(session, "two\n");
    assert_int_equal(session->run.dropped_lines, 2);
    said();
    aw_session_report(session, "three\n");
    assert_int_equal(session->run.dropped_lines, 0);
    assert_string_equal(said(), "rig: 2 lines dropped here: the reader was too slow\nthree\n");
    aw_session_report(session, "four\n");
    assert_string_equal(said(), "four\n");
}

/* The rest of a partly written line is dropped. */
TEST_WITH(start, stop, long_line_is_truncated_to_the_pipe)
{
    static char block[20000];
    session->time.real.stop_fd = eventfd(0, EFD_CLOEXEC);
    memset(block, 'x', sizeof block - 1);
    aw_session_report(session, "%s\n", block);
    assert_int_equal(session->run.dropped_lines, 1);
    assert_int_equal(strlen(said()), 16384);
}

TEST_WITH(start, stop, closed_standard_error_does_not_block)
{
    close(ends[0]);
    ends[0] = -1;
    aw_session_report(session, "one\n");
    assert_int_equal(session->run.dropped_lines, 0);
}

/* A terminal may return the text in pieces. */
static void expect_shown(int user, const char *wanted)
{
    char text[256];
    size_t n = 0;
    while (n < strlen(wanted)) {
        ssize_t more = read(user, text + n, strlen(wanted) - n);
        assert_true(more > 0);
        n += (size_t)more;
    }
    assert_memory_equal(text, wanted, n);
}

/* Expects this text on a terminal with this number of columns; 0: unknown. */
TEST_WITH(start, stop, progress_is_shown_on_a_terminal)
{
    static const struct {
        unsigned short columns;
        const char *shown;
    } rows[] = {
        {80, "\rsweep 3 of 10 s, 250 of 400 samples, error 0.25 deg\033[K"},
        {52, "\rsweep 3 of 10 s, 250 of 400 samples, error 0.25 deg\033[K"},
        {51, "\rsweep 3 of 10 s, 250 of 400 samples\033[K"},
        {36, "\rsweep 3 of 10 s, 250 of 400 samples\033[K"},
        {35, "\rsweep 3 of 10 s, 250 of 400\033[K"},
        {17, "\rsweep 3 of 10 s\033[K"},
        {16, "\rsweep 3 of 10 s\033[K"},
        {15, "\rsweep 3 of 10\033[K"},
        {8, "\rsweep 3\033[K"},
        {7, "\rsweep\033[K"},
        {6, "\rsweep\033[K"},
        {5, "\rswee\033[K"},
        {2, "\rs\033[K"},
        {1, "\r\033[K"},
        {0, "\rsweep 3 of 10 s, 250 of 400 samples, error 0.25 deg\033[K"},
        {199, "\rsweep 3 of 10 s, 250 of 400 samples, error 0.25 deg, all that there is more "
              "to tell\033[K"},
        {200, "\rsweep 3 of 10 s, 250 of 400 samples, error 0.25 deg\033[K"},
    };
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        struct winsize size = {.ws_row = 24, .ws_col = rows[i].columns};
        int user, terminal;
        assert_int_equal(openpty(&user, &terminal, NULL, NULL, &size), 0);
        dup2(terminal, STDERR_FILENO);
        setenv("TERM", "xterm", 1);
        aw_session_begin_progress(session);
        assert_true(session->run.progress.next_ns > 0 && session->run.progress.next_ns < AW_NEVER);
        assert_ptr_equal(session->run.progress.session, session);
        aw_session_show_progress(session, "too soon");
        assert_false(session->run.progress.shown);
        session->run.progress.next_ns = 0;
        aw_session_show_progress(session, "sweep %d of 10 s, 250 of 400 samples, error 0.25 deg%s",
                                 3,
                                 rows[i].columns < 199 ? "" : ", all that there is more to tell");
        assert_true(session->run.progress.shown);
        assert_true(session->run.progress.next_ns > 0);
        expect_shown(user, rows[i].shown);
        aw_session_end_progress(session);
        expect_shown(user, "\r\033[K");
        assert_true(session->run.progress.next_ns == AW_NEVER);
        session->run.progress.shown = true;
        aw_session_report(session, "done\n"); /* a line begins at the position of the progress */
        expect_shown(user, "\r\033[Kdone\r\n");
        assert_false(session->run.progress.shown);
        aw_session_show_progress(session, "never");
        assert_false(session->run.progress.shown);
        setenv("TERM", i % 2 ? "dumb" : "", 1);
        aw_session_begin_progress(session);
        assert_true(session->run.progress.next_ns == AW_NEVER);
        dup2(ends[1], STDERR_FILENO);
        close(user);
        close(terminal);
    }
    setenv("TERM", "xterm", 1);
    aw_session_begin_progress(session); /* standard error is not a terminal now */
    assert_true(session->run.progress.next_ns == AW_NEVER);
}
