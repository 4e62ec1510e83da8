#include <errno.h>
#include <fcntl.h>
#include <pty.h>
#include <signal.h>
#include <sys/eventfd.h>
#include <sys/wait.h>
#include <unistd.h>

#include "shell/session/output.h"
#include "test.h"

static struct aw_output out;
static int ends[2]; /* pipe with room for a page, to which out writes */

static void start(int fd)
{
    memset(&out, 0, sizeof out);
    out.fd = fd;
}

/* Makes the pipe; a stop request is pending. */
static void open_pipe(void)
{
    assert_int_equal(pipe2(ends, 0), 0);
    assert_int_equal(fcntl(ends[1], F_SETPIPE_SZ, 4096), 4096);
    start(ends[1]);
    out.stop_fd = eventfd(1, 0);
}

static void close_pipe(void)
{
    close(ends[0]);
    close(ends[1]);
    close(out.stop_fd);
}

/* Prints numbered lines of eight bytes. */
static void print_lines(int n)
{
    for (int i = 0; i < n; i++)
        aw_output_print(&out, "%07d\n", i);
}

TEST(nothing_is_written_before_a_flush)
{
    char text[16] = "";
    assert_int_equal(pipe2(ends, O_NONBLOCK), 0);
    start(ends[1]);
    aw_output_print(&out, "%s %d\n", "deg", 90);
    assert_int_equal(read(ends[0], text, sizeof text), -1);
    assert_int_equal(aw_output_flush(&out, NULL), AW_OK);
    assert_int_equal(read(ends[0], text, sizeof text), 7);
    assert_memory_equal(text, "deg 90\n", 7);
    close(ends[0]);
    close(ends[1]);
}

/* The locale is determined only for text with non-ASCII characters. */
TEST(text_follows_the_character_set_of_the_locale)
{
    static const struct {
        enum aw_charset charset;
        const char *text, *printed;
        enum aw_charset then;
    } rows[] = {
        {AW_CHARSET_OF_LOCALE, "deg", "deg", AW_CHARSET_OF_LOCALE},
        {AW_CHARSET_OF_LOCALE, "a — b", "a - b", AW_CHARSET_ASCII},
        {AW_CHARSET_ASCII, "a — b", "a - b", AW_CHARSET_ASCII},
        {AW_CHARSET_UTF8, "a — b", "a — b", AW_CHARSET_UTF8},
    };
    setenv("LC_ALL", "C", 1);
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        start(-1);
        out.charset = rows[i].charset;
        aw_output_print(&out, "%s", rows[i].text);
        assert_int_equal(out.used, strlen(rows[i].printed));
        assert_memory_equal(out.buffer, rows[i].printed, out.used);
        assert_int_equal(out.charset, rows[i].then);
    }
}

TEST(large_output_is_written_in_blocks)
{
    static char block[AW_OUTPUT_SIZE * 3];
    int fd = open("/dev/null", O_WRONLY);
    start(fd);
    aw_output_write(&out, block, sizeof block);
    assert_int_equal(out.error, 0);
    assert_true(out.used <= AW_OUTPUT_SIZE);
    char *at = aw_output_reserve(&out, AW_OUTPUT_SIZE);
    assert_ptr_equal(at, out.buffer);
    close(fd);
}

/* The first line is delayed at most this long, whatever follows. More than half of the buffer is
 * not delayed. */
TEST(output_is_delayed_briefly)
{
    static char block[AW_OUTPUT_SIZE / 2];
    const int64_t start_ns = 3 * AW_OUTPUT_LATE, step = AW_OUTPUT_LATE / 4;
    int64_t left;
    start(open("/dev/null", O_WRONLY));
    assert_int_equal(aw_output_pace(&out, start_ns, &left, NULL), AW_OK);
    assert_true(left == INT64_MAX);
    for (int i = 0; i < 4; i++) {
        aw_output_print(&out, "line\n");
        aw_output_pace(&out, start_ns + i * step, &left, NULL);
        assert_int_equal(out.used, 5 * (i + 1));
        assert_int_equal(left, AW_OUTPUT_LATE - i * step);
    }
    aw_output_pace(&out, start_ns + AW_OUTPUT_LATE, &left, NULL);
    assert_int_equal(out.used, 0);
    assert_true(left == INT64_MAX);
    aw_output_write(&out, block, sizeof block);
    aw_output_pace(&out, start_ns, &left, NULL);
    assert_int_equal(out.used, sizeof block);
    assert_int_equal(left, AW_OUTPUT_LATE);
    aw_output_write(&out, "x", 1);
    aw_output_pace(&out, start_ns + 1, &left, NULL);
    assert_int_equal(out.used, 0);
    assert_int_equal(out.waiting_ns, 0);
    close(out.fd);
}

TEST(closed_pipe_is_detected)
{
    struct aw_error err = {0};
    assert_int_equal(pipe(ends), 0);
    start(ends[1]);
    assert_int_equal(aw_output_check(&out, &err), AW_OK);
    close(ends[0]);
    assert_int_equal(aw_output_check(&out, &err), AW_LOST);
    assert_has(err.text, "closed the pipe");
    start(ends[1]);
    aw_output_print(&out, "x");
    assert_int_equal(aw_output_flush(&out, &err), AW_LOST);
    aw_output_print(&out, "y");
    assert_int_equal(aw_output_flush(&out, &err), AW_LOST);
    close(ends[1]);
}

TEST(full_disk_is_reported)
{
    struct aw_error err = {0};
    int fd = open("/dev/full", O_WRONLY);
    start(fd);
    aw_output_print(&out, "x");
    assert_int_equal(aw_output_flush(&out, &err), AW_LOST);
    assert_has(err.text, "No space left");
    close(fd);
}

/* The pipe is full and a stop request is pending. */
TEST_WITH(open_pipe, close_pipe, stop_request_ends_a_write_to_a_full_pipe)
{
    static char sink[1 << 20];
    struct aw_error err = {0};
    print_lines(1024);
    assert_int_equal(aw_output_flush(&out, &err), AW_STOPPED);
    assert_has(err.text, "the reader stalled");
    assert_int_equal(out.used, 4096); /* no output is lost */
    assert_int_equal(eventfd_read(out.stop_fd, &(eventfd_t){0}), 0);
    assert_int_equal(read(ends[0], sink, sizeof sink), 4096);
    assert_int_equal(aw_output_flush(&out, &err), AW_OK);
    assert_int_equal(read(ends[0], sink, sizeof sink), 4096);
    assert_memory_equal(sink + 4096 - 8, "0001023\n", 8);
}

/* poll(2) does not show that a terminal accepts only part of the output. */
TEST(stop_request_ends_a_write_to_a_full_terminal)
{
    struct aw_error err = {0};
    int terminal, user;
    assert_int_equal(openpty(&terminal, &user, NULL, NULL, NULL), 0);
    start(user);
    out.stop_fd = eventfd(1, 0);
    for (int i = 0; i < AW_OUTPUT_SIZE / 10; i++)
        aw_output_print(&out, "%08d\n", i);
    assert_int_equal(aw_output_flush(&out, &err), AW_STOPPED);
    assert_true(out.used > 0 && out.used < AW_OUTPUT_SIZE / 10 * 9); /* accepted in part */
    assert_int_equal(fcntl(user, F_GETFL) & O_NONBLOCK, 0);
    assert_int_equal(eventfd_read(out.stop_fd, &(eventfd_t){0}), 0);
    assert_int_equal(aw_output_flush(&out, &err), AW_STOPPED);
    assert_int_equal(out.error, ECANCELED);
    close(out.stop_fd);
    close(terminal);
    close(user);
}

TEST_WITH(open_pipe, close_pipe, write_after_a_stop_waits_briefly)
{
    assert_int_equal(eventfd_read(out.stop_fd, &(eventfd_t){0}), 0);
    out.is_stalled = true; /* the stop has been handled */
    print_lines(1024);
    assert_int_equal(aw_output_flush(&out, NULL), AW_STOPPED);
    assert_int_equal(out.error, ECANCELED);
    assert_int_equal(out.used, 0);
}

/* Output without space is dropped and reported as an error; later output is accepted. */
TEST_WITH(open_pipe, close_pipe, output_without_space_is_dropped)
{
    print_lines(AW_OUTPUT_SIZE / 4);
    assert_int_equal(out.error, ECANCELED);
    assert_true(out.used < AW_OUTPUT_SIZE);
    assert_int_equal(aw_output_flush(&out, NULL), AW_STOPPED);
}

/* Another process made the terminal non-blocking. */
TEST(output_waits_for_a_full_non_blocking_descriptor)
{
    char text[4096];
    assert_int_equal(pipe2(ends, O_NONBLOCK), 0);
    assert_int_equal(fcntl(ends[1], F_SETPIPE_SZ, 4096), 4096);
    pid_t reader = fork();
    if (reader == 0) {
        close(ends[1]);
        fcntl(ends[0], F_SETFL, 0);
        size_t all = 0;
        for (ssize_t n; (n = read(ends[0], text, sizeof text)) > 0;)
            all += (size_t)n;
        _exit(all == AW_OUTPUT_SIZE ? 0 : 1);
    }
    close(ends[0]);
    start(ends[1]);
    print_lines(AW_OUTPUT_SIZE / 8);
    assert_int_equal(aw_output_flush(&out, NULL), AW_OK);
    close(ends[1]);
    int how = -1;
    assert_int_equal(waitpid(reader, &how, 0), reader);
    assert_int_equal(how, 0);
}

TEST(buffer_is_used_to_the_last_byte)
{
    start(-1);
    out.used = AW_OUTPUT_SIZE - 10;
    assert_ptr_equal(aw_output_reserve(&out, 10), out.buffer + AW_OUTPUT_SIZE - 10);
    assert_int_equal(out.used, AW_OUTPUT_SIZE - 10); /* nothing was written */
    assert_int_equal(out.error, 0);
    aw_output_reserve(&out, 11);
    assert_int_equal(out.used, 0);
    assert_int_equal(out.error, EBADF);
    start(-1);
    out.error = ENOSPC;
    assert_int_equal(aw_output_flush(&out, NULL), AW_LOST); /* also without output */
    start(-1);
    assert_int_equal(aw_output_flush(&out, NULL), AW_OK); /* writes nothing more */
}

TEST(output_errors_are_explained)
{
    static const struct {
        int error;
        bool stalled;
        enum aw_status status;
        const char *text;
    } rows[] = {
        {0, false, AW_OK, ""},
        {ECANCELED, false, AW_STOPPED, "standard output: the reader stalled — stopped"},
        {0, true, AW_STOPPED, "standard output: the reader stalled — stopped"},
        {EPIPE, false, AW_LOST, "standard output: the reader closed the pipe — stopped"},
        {ENOSPC, false, AW_LOST,
         "standard output: No space left on device — free some space or write elsewhere"},
        {EIO, false, AW_LOST, "standard output: Input/output error — stopped"},
    };
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        struct aw_error err = {0};
        start(-1);
        out.error = rows[i].error;
        out.is_stalled = rows[i].stalled;
        assert_int_equal(aw_output_flush(&out, &err), rows[i].status);
        assert_string_equal(err.text, rows[i].text);
        assert_int_equal(aw_output_check(&out, NULL), rows[i].status);
    }
}

/* DEL is ASCII and needs no locale. Only drawings may contain control characters. */
TEST(control_characters_are_replaced)
{
    start(-1);
    aw_output_print(&out, "%s", "a\x7F\x1B[1m\tb\n");
    assert_int_equal(out.used, 9);
    assert_memory_equal(out.buffer, "a??[1m\tb\n", 9);
    start(-1);
    aw_output_draw(&out, "%s", "a\x7F\x1B[1m\tb\n");
    assert_memory_equal(out.buffer, "a\x7F\x1B[1m\tb\n", 9);
    assert_int_equal(out.charset, AW_CHARSET_OF_LOCALE);
}

static char taken[64];
static bool taken_as_error;

static void take(struct aw_sink *sink, bool error, const char *text, size_t size)
{
    (void)sink;
    taken_as_error = error;
    snprintf(taken, sizeof taken, "%.*s", (int)size, text);
}

TEST(sink_replaces_the_descriptor)
{
    struct aw_sink sink = {take};
    start(-1);
    out.sink = &sink;
    aw_output_print(&out, "deg %d\n", 90);
    assert_int_equal(aw_output_flush(&out, NULL), AW_OK);
    assert_string_equal(taken, "deg 90\n");
    assert_false(taken_as_error);
    assert_int_equal(out.used, 0);
}

static void ignore_closed_pipes(void)
{
    signal(SIGPIPE, SIG_IGN);
}

ALL_TESTS_WITH(ignore_closed_pipes, NULL);
