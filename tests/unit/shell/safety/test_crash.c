/* Tests the prepared crash stop: its contents, when it is ready, and that it is written. */
#include "session_helper.h"

#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <sys/wait.h>

#include "shell/safety/crash.h"
#include "shell/safety/watchdog.h"

static unsigned held_up_us; /* delay of the parent after fork() */

pid_t fork(void)
{
    pid_t pid = _Fork();
    if (pid > 0 && held_up_us)
        usleep(held_up_us);
    return pid;
}

static struct aw_link link_of_it;
static int ends[2];
static const char *frames[70];

static void last_stop(struct aw_session *s, aw_frame_fn *add, void *context)
{
    (void)s;
    for (const char **frame = frames; *frame; frame++)
        add(context, **frame == '|' ? NULL : *frame, strlen(*frame));
}

/* Frames that begin with '-' fail to be sent. */
static bool make_raw(const struct aw_link *link, const void *buf, size_t size,
                     struct aw_link_raw *raw)
{
    (void)link;
    if (size > raw->cap || *(const char *)buf == '-')
        return false;
    memcpy(raw->bytes, buf, size);
    raw->size = size;
    raw->fd = ends[1];
    return true;
}

static void start(void)
{
    static const struct aw_link_ops ops = {.raw = make_raw, .close = close_nothing};
    start_session();
    tool.safety.last_stop = last_stop;
    link_of_it = (struct aw_link){.ops = &ops};
    session->device.link = &link_of_it;
    session->motion.moving = true;
    memset(frames, 0, sizeof frames);
    frames[0] = "stop ";
    assert_int_equal(pipe2(ends, O_NONBLOCK), 0);
}

static void stop(void)
{
    aw_crash_drop();
    end_session();
    close(ends[0]);
    close(ends[1]);
}

/* Executes the crash stop and returns what it writes. */
static const char *written(void)
{
    static char text[4096];
    aw_crash_send_stop();
    ssize_t n = read(ends[0], text, sizeof text - 1);
    text[n > 0 ? n : 0] = '\0';
    return text;
}

TEST_WITH(start, stop, crash_stop_is_ready_during_motion)
{
    static const struct {
        bool moving;
        enum aw_ongoing ongoing;
        const char *hold, *written;
    } cases[] = {
        {true, AW_ONGOING_NOTHING, "0", "stop "},  {false, AW_ONGOING_NOTHING, "0", ""},
        {false, AW_ONGOING_RUNNING, "0", "stop "}, {false, AW_ONGOING_ENDING, "0", ""},
        {true, AW_ONGOING_NOTHING, "1", ""},
    };
    assert_string_equal(written(), "");
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        session->motion.moving = cases[i].moving;
        session->motion.ongoing = cases[i].ongoing;
        set_option("hold", cases[i].hold);
        aw_crash_prepare(session);
        assert_string_equal(written(), cases[i].written);
        assert_string_equal(written(), cases[i].written); /* remains ready */
    }
}

TEST_WITH(start, stop, crash_stop_contains_the_newest_frames)
{
    for (int i = 0; i < 5; i++) { /* only the newest frame is written */
        char text[] = "stop 0";
        text[5] = (char)('0' + i);
        frames[0] = text;
        aw_crash_prepare(session);
        assert_string_equal(written(), text);
    }
    frames[0] = "all ";
    frames[1] = "-";
    frames[2] = "hold";
    tool.safety.stop_repeats = 2;
    aw_crash_prepare(session);
    assert_string_equal(written(), "all holdall holdall hold");
    /* The frames after a pause are sent once, at the end. */
    frames[1] = "|";
    frames[2] = "gains ";
    frames[3] = frames[4] = "|";
    frames[5] = "all";
    tool.safety.stop_gap_ms = 1;
    aw_crash_prepare(session);
    assert_string_equal(written(), "all all all gains all");
    memset(frames, 0, sizeof frames);
    tool.safety.stop_repeats = 0;
    frames[0] = "-";
    aw_crash_prepare(session);
    assert_string_equal(written(), "");
    for (int i = 0; i < 65; i++) /* one more than a bus has boards */
        frames[i] = "x";
    aw_crash_prepare(session);
    assert_int_equal(strlen(written()), 64);
}

/* Another file may get the closed descriptor. */
TEST_WITH(start, stop, closed_link_removes_the_crash_stop)
{
    aw_crash_prepare(session);
    aw_session_close_link(session);
    assert_string_equal(written(), "");
    aw_crash_prepare(session);
    assert_string_equal(written(), "");
}

/* Crashes in a child process, which ends by the signal or reports an error by its exit status. */
static void crash(int number)
{
    aw_crash_install();
    if (number == 0) { /* as in the watchdog process of a server */
        aw_crash_send_stop();
        _exit(0);
    }
    aw_crash_prepare(session);
    raise(number);
    _exit(1);
}

TEST_WITH(start, stop, crashing_program_sends_the_stop)
{
    static const int numbers[] = {SIGABRT, SIGTRAP};
    char text[64];
    int status;
    for (size_t i = 0; i < sizeof numbers / sizeof *numbers; i++) {
        pid_t child = fork();
        if (child == 0)
            crash(numbers[i]);
        assert_int_equal(waitpid(child, &status, 0), child);
        assert_true(WIFSIGNALED(status) && WTERMSIG(status) == numbers[i]);
        assert_int_equal(read(ends[0], text, sizeof text), 5);
        assert_memory_equal(text, "stop ", 5);
    }
}

/* The child process sees later updates until it detaches. */
TEST_WITH(start, stop, child_process_sees_updates_of_the_crash_stop)
{
    int ready[2], status;
    char text[64];
    assert_int_equal(pipe(ready), 0);
    aw_crash_prepare(session);
    assert_true(aw_crash_share());
    assert_string_equal(written(), "stop ");
    pid_t child = fork();
    if (child == 0) {
        close(ready[1]);
        crash(read(ready[0], text, 1) == 0 ? 0 : SIGKILL);
    }
    frames[0] = "and now";
    aw_crash_prepare(session);
    close(ready[0]);
    close(ready[1]);
    assert_int_equal(waitpid(child, &status, 0), child);
    assert_int_equal(read(ends[0], text, sizeof text), 7);
    assert_memory_equal(text, "and now", 7);
    aw_crash_detach();
    assert_string_equal(written(), "");
}

/* A stopped program that is woken briefly may send pending output, so the watchdog process sends
 * the stop again. */
TEST_WITH(start, stop, watchdog_stops_a_suspended_program)
{
    struct aw_watchdog watchdog = {0};
    struct aw_watchdog_user user = {.context = session};
    struct pollfd end = {.fd = ends[0], .events = POLLIN};
    char text[5];
    aw_crash_prepare(session);
    assert_int_equal(aw_watchdog_start(&watchdog, session, 20 * AW_MILLISECOND, &user, NULL),
                     AW_OK);
    assert_true(watchdog.pid > 0);
    for (int i = 0; i < 3; i++) {
        assert_int_equal(poll(&end, 1, 5000), 1);
        assert_int_equal(read(ends[0], text, sizeof text), 5);
        assert_memory_equal(text, "stop ", 5);
    }
    aw_watchdog_end(&watchdog);
    aw_crash_detach();
}

/* A busy machine may delay this program right after fork(); that is not a stall. */
TEST_WITH(start, stop, delayed_watchdog_start_is_not_reported_as_a_stall)
{
    static const struct aw_command streams = {.name = "play", .timed = true};
    session->run.command = &streams;
    held_up_us = 1050000;
    assert_int_equal(aw_watchdog_begin(session), AW_OK);
    held_up_us = 0;
    assert_null(aw_watchdog_hang_error(session));
    usleep(1050000);
    assert_has(aw_watchdog_hang_error(session), "this program stalled for ");
    aw_watchdog_stop(session);
    aw_crash_detach();
    session->run.command = NULL;
}
