/* Tests the progress line on a terminal. */
#include "shell_helper.h"

#include <poll.h>
#include <pty.h>

#include "shell/session/progress.h"

static int user, terminal, usual_out, usual_err;
static struct aw_session *session;

static void start(void)
{
    session = rig_new(&rig_tool);
    usual_out = dup(STDOUT_FILENO);
    usual_err = dup(STDERR_FILENO);
    assert_false(openpty(&user, &terminal, NULL, NULL, NULL) != 0 ||
                 dup2(terminal, STDERR_FILENO) < 0 || setenv("TERM", "xterm", 1) != 0);
}

static void stop(void)
{
    dup2(usual_out, STDOUT_FILENO);
    dup2(usual_err, STDERR_FILENO);
    close(usual_out);
    close(usual_err);
    close(user);
    close(terminal);
    rig_free(session);
}

/* Requires that the terminal shows exactly this. */
static void expect_shown(const char *wanted)
{
    char text[256] = "";
    size_t n = 0;
    fflush(stderr);
    while (n < strlen(wanted)) {
        ssize_t more = read(user, text + n, sizeof text - 1 - n);
        assert_true(more > 0);
        n += (size_t)more;
        text[n] = '\0';
    }
    assert_string_equal(text, wanted);
    assert_int_equal(poll(&(struct pollfd){.fd = user, .events = POLLIN}, 1, 0), 0);
}

TEST_WITH(start, stop, progress_line_shows_share_and_time_left)
{
    static const struct {
        uint64_t done, all;
        int began_s; /* seconds since the start */
        const char *shown;
    } rows[] = {
        {0, 100, 5, "\rfile [                              ]   0 %, 0 s left\033[K"},
        /* With large counts, a slow test shows the same second. */
        {80, 100, 40, "\rfile [########################      ]  80 %, 10 s left\033[K"},
        {90, 100, 45, "\rfile [###########################   ]  90 %, 5 s left\033[K"},
        {100, 100, 5, "\rfile [##############################] 100 %, 0 s left\033[K"},
        {2500000, 0, 5, "\rfile 2.5 MB\033[K"},
    };
    struct aw_progress p = aw_progress(session, "file", false);
    assert_true(p.enabled);
    assert_true(p.next_ns == p.start_ns + AW_SECOND / 2);
    p.next_ns = AW_NEVER;
    aw_progress_update(&p, 1, 2);
    aw_progress_show(&p, "no");
    aw_progress_end(&p); /* nothing was shown */
    expect_shown("");
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        int64_t now = aw_clock_now(&session->time.real.base);
        p.start_ns = now - rows[i].began_s * AW_SECOND;
        p.next_ns = 0;
        aw_progress_update(&p, rows[i].done, rows[i].all);
        expect_shown(rows[i].shown);
        assert_true(p.next_ns >= now + AW_SECOND / 10);
        p.next_ns = AW_NEVER;
        aw_progress_update(&p, 1, 2); /* too early */
    }
    p.next_ns = 0;
    aw_progress_show(&p, "words");
    expect_shown("\rwords\033[K");
    aw_progress_end(&p);
    expect_shown("\r\033[K");
    aw_progress_end(&p);
    expect_shown("");
}

/* Without a progress line, because it would disturb or be invisible. */
TEST_WITH(start, stop, progress_line_requires_a_terminal)
{
    static const struct {
        const char *term;
        bool quiet, prints, to_terminal, wanted;
    } rows[] = {
        {"xterm", false, false, false, true}, {"xterm", true, false, false, false},
        {"dumb", false, false, false, false}, {NULL, false, false, false, false},
        {"xterm", false, true, false, true},  {"xterm", false, true, true, false},
        {"xterm", false, false, true, true},
    };
    int none[2];
    assert_int_equal(pipe(none), 0);
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        rows[i].term ? setenv("TERM", rows[i].term, 1) : unsetenv("TERM");
        aw_options_set(&session->options, "quiet", rows[i].quiet ? "1" : "0", AW_FROM_COMMAND_LINE,
                       NULL);
        fflush(stdout);
        dup2(rows[i].to_terminal ? terminal : none[1], STDOUT_FILENO);
        struct aw_progress p = aw_progress(session, "file", rows[i].prints);
        dup2(usual_out, STDOUT_FILENO);
        assert_int_equal(p.enabled, rows[i].wanted);
        p.next_ns = 0;
        if (!p.enabled)
            aw_progress_show(&p, "no");
        expect_shown("");
    }
    dup2(none[1], STDERR_FILENO);
    struct aw_progress p = aw_progress(session, "file", false);
    dup2(usual_err, STDERR_FILENO);
    close(none[0]);
    close(none[1]);
    assert_false(p.enabled);
}
