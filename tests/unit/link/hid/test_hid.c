/* Tests hid: and uhid: with simulated boards: umockdev fakes sysfs, and tests/hid/hidraw.c replaces
 * the nodes by sockets. The test restarts itself with both libraries. */
#include "link_helper.h"
#include "next_helper.h"

#include <fcntl.h>
#include <limits.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <sys/stat.h>
#include <sys/time.h>
#include <sys/wait.h>
#include <unistd.h>

#include "link/hid/hid.h"
#include "link/hid/hid_port.h"
#include "link/open.h"

static int write_error; /* errno of the next report; 0: success */

ssize_t write(int fd, const void *buf, size_t size)
{
    int error = write_error;
    write_error = 0;
    return error ? fails_with(error) : NEXT(write)(fd, buf, size);
}

#define TEENSY "16c0:0486 T1 'Teensyduino RawHID'"

static void shell(const char *format, ...) __attribute__((format(printf, 1, 2)));

static void shell(const char *format, ...)
{
    char command[600];
    va_list list;
    va_start(list, format);
    vsnprintf(command, sizeof command, format, list);
    va_end(list);
    if (system(command) != 0)
        fail_msg("failed: %s", command);
}

static const char *node_path(const char *node)
{
    static char path[200];
    snprintf(path, sizeof path, "%s/%s", getenv("HIDRAW_DIR"), node);
    return path;
}

/* Creates a board in sysfs, see board.sh; its node is a plain file until start_board(). */
static void plug_in(const char *node, const char *what)
{
    shell("tests/hid/board.sh '%s' %s %s", getenv("UMOCKDEV_DIR"), node, what);
    shell(": >'%s'", node_path(node));
}

static void unplug_all(void)
{
    shell("rm -rf '%s/sys' '%s'", getenv("UMOCKDEV_DIR"), getenv("HIDRAW_DIR"));
    shell("mkdir -p '%s/sys' '%s'", getenv("UMOCKDEV_DIR"), getenv("HIDRAW_DIR"));
}

/* A process that plays the board and echoes reports. Like a tool, it opens and closes its own
 * descriptors. */
struct board {
    struct aw_real_clock clock;
    struct aw_link *link;
    pid_t pid;
};

static void start_board(struct board *board, const char *node)
{
    struct aw_error err;
    unlink(node_path(node));
    board->clock = aw_real_clock(-1);
    board->link = open_link(text_of("unix-listen:%s", node_path(node)), &board->clock.base);
    board->pid = fork();
    assert_true(board->pid >= 0);
    if (board->pid == 0) {
        aw_device_serve(&echo_device(0)->base, board->link, &err);
        _exit(1);
    }
}

static void end_board(struct board *board)
{
    assert_int_equal(kill(board->pid, SIGKILL), 0);
    assert_int_equal(waitpid(board->pid, NULL, 0), board->pid);
    aw_link_close(board->link);
}

/* The only board of most tests, at hidraw1. */
static struct board board;

static void plug_in_board(void)
{
    unplug_all();
    plug_in("hidraw1", "16c0:0486 A1 'ItsyBitsy M4'");
    start_board(&board, "hidraw1");
}

static void unplug_board(void)
{
    end_board(&board);
}

/* Requires that the list has these boards, a line "URL ID BOARD NAME" each. "*" marks a board that
 * hid: may choose. */
static void assert_boards(const char *wanted)
{
    struct aw_hid_port ports[8];
    char text[800] = "";
    size_t n = aw_link_list_hid(&test_protocol, ports, 8), used = 0;
    for (size_t i = 0; i < n; i++)
        used +=
            (size_t)snprintf(text + used, sizeof text - used, "%s%s %04X:%04X %d %04X:%u %s %s\n",
                             ports[i].is_candidate ? "*" : "", ports[i].url, ports[i].vendor,
                             ports[i].product, ports[i].interface, ports[i].usage_page,
                             ports[i].usage, *ports[i].board ? "board" : "-", ports[i].name);
    assert_string_equal(text, wanted);
}

TEST_WITH(unplug_all, NULL, boards_are_listed)
{
    struct aw_hid_port ports[8];
    assert_boards("");
    plug_in("hidraw10", "16c0:0486 9F00 'ItsyBitsy M4' 2 FF00 3");
    plug_in("hidraw4", TEENSY " 1 FFC9 7"); /* the serial emulation */
    plug_in("hidraw3", TEENSY " 0 FFAB 7");
    plug_in("hidraw0", "046d:c077 '' 'USB Mouse' 0 0001 1");
    assert_boards("hid:/dev/hidraw0 046D:C077 0 0001:1 - USB Mouse\n"
                  "*hid:serial=T1 16C0:0486 0 FFAB:1 board Teensyduino RawHID\n"
                  "hid:/dev/hidraw4 16C0:0486 1 FFC9:1 board Teensyduino RawHID\n"
                  "*hid:serial=9F00 16C0:0486 2 FF00:1 board ItsyBitsy M4\n");
    assert_int_equal(aw_link_list_hid(&test_protocol, ports, 8), 4);
    assert_string_equal(ports[0].path, "/dev/hidraw0");
    assert_string_equal(ports[1].path, "/dev/hidraw3");
    assert_string_equal(ports[1].device, ports[2].device);
    assert_string_equal(ports[3].path, "/dev/hidraw10");
    assert_string_equal(ports[3].serial, "9F00");
    assert_string_equal(ports[3].manufacturer, "Adafruit");
    assert_string_equal(ports[3].problem, "");

    struct aw_hid_port untouched;
    memset(&untouched, 0x55, sizeof untouched);
    ports[2] = untouched; /* returns the total number, but writes nothing beyond the room */
    assert_int_equal(aw_link_list_hid(&test_protocol, ports, 2), 4);
    assert_memory_equal(&ports[2], &untouched, sizeof untouched);

    unplug_all(); /* boards with unknown parts, and nodes in another order than the interfaces */
    plug_in("hidraw1", "16c0:0487 X 'Half'");
    plug_in("hidraw2", "16c1:0486 Y 'Half'");
    plug_in("hidraw3", TEENSY " 1 FFAB 7");
    plug_in("hidraw4", TEENSY " 0 FFAB 7");
    assert_boards("hid:/dev/hidraw1 16C0:0487 2 FF00:1 - Half\n"
                  "hid:/dev/hidraw2 16C1:0486 2 FF00:1 - Half\n"
                  "hid:/dev/hidraw3 16C0:0486 1 FFAB:1 board Teensyduino RawHID\n"
                  "*hid:serial=T1 16C0:0486 0 FFAB:1 board Teensyduino RawHID\n");

    unplug_all();
    plug_in("hidraw4", TEENSY " 0 FFC9 7");
    assert_boards("hid:/dev/hidraw4 16C0:0486 0 FFC9:1 board Teensyduino RawHID\n");
}

static void assert_opens(const char *url, const char *key)
{
    LINK link = opened(url);
    assert_string_equal(link->key, key);
    assert_true(link->datagrams);
    assert_int_equal(link->n_connections, 1);
    assert_true(aw_link_fd(link) >= 0);
    uint8_t bytes[1 + AW_HID_REPORT] = {7, 7, 7, 7};
    struct aw_link_raw raw = {.bytes = bytes, .cap = 4};
    assert_true(aw_link_raw(link, "abc", 3, &raw));
    assert_true(raw.size == 4 && raw.fd == aw_link_fd(link) && raw.address == NULL);
    assert_memory_equal(bytes, "\0abc", 4);
    assert_false(aw_link_raw(link, "abcd", 4, &raw));
    assert_true(aw_link_start_turn(link, 0));
    aw_link_end_turn(link);
}

TEST_WITH(unplug_all, NULL, board_is_chosen_by_keys)
{
    static const char *const urls[] = {
        "hid:",           "hid:16c0:0486", "hid:16C0:486?interface=0", "hid:?usage_page=ffab",
        "hid:?serial=T1", "hid:serial=T1", "hid:/dev/hidraw3",         "hid:/dev/arm"};
    plug_in("hidraw0", "046d:c077 '' 'USB Mouse' 0 0001 1");
    plug_in("hidraw3", TEENSY " 0 FFAB 7");
    plug_in("hidraw4", TEENSY " 1 FFC9 7");
    assert_int_equal(symlink("hidraw3", node_path("arm")), 0);
    start_board(&board, "hidraw3");
    EACH (url, urls)
        assert_opens(*url, "hid:16c0:0486:T1");
    end_board(&board);
    start_board(&board, "hidraw4"); /* an explicit usage page selects it */
    assert_opens("hid:?usage_page=FFC9", "hid:16c0:0486:T1");
    assert_opens("hid:?usage_page=FFC9&interface=1", "hid:16c0:0486:T1");
    assert_open_fails("hid:?usage_page=FFC9&interface=0", AW_NO_LINK, "board not found");
    end_board(&board);
}

TEST_WITH(unplug_all, NULL, several_boards_are_listed_in_the_error)
{
    plug_in("hidraw0", "046d:c077 '' 'USB Mouse' 0 0001 1"); /* not a board */
    plug_in("hidraw1", "16c0:0486 A1 'ItsyBitsy M4'");
    plug_in("hidraw2", "3742:0007 '' 'Nucleo' 0 FFAB");
    assert_open_fails("hid:", AW_NO_LINK,
                      "hid: several boards — choose one: hid:serial=A1, hid:/dev/hidraw2");
    assert_open_fails("hid:serial=B", AW_NO_LINK,
                      "hid:serial=B: board not found — available: hid:serial=A1, hid:/dev/hidraw2");
    start_board(&board, "hidraw2");
    assert_opens("hid:3742:0007", "hid:/dev/hidraw2");
    end_board(&board);
}

TEST_WITH(unplug_all, NULL, boards_with_equal_serials_are_distinguished_by_path)
{
    plug_in("hidraw1", "16c0:0486 A1 'ItsyBitsy M4'");
    plug_in("hidraw2", "16c0:0486 A1 'ItsyBitsy M4'");
    assert_open_fails("hid:serial=A1", AW_NO_LINK, "one: hid:/dev/hidraw1, hid:/dev/hidraw2");
}

/* The udev rule that the error of these tests suggests. */
static const char rule[] = "KERNEL==\"hidraw*\", KERNELS==\"0003:16C0:0486.*\", MODE=\"0660\", "
                           "GROUP=\"plugdev\", TAG+=\"uaccess\"";

TEST_WITH(unplug_all, NULL, board_errors_are_explained)
{
    static const struct {
        int error;
        const char *problem;
    } cases[] = {{ENOTTY, "not a HID device — write hid:/dev/hidrawN, see 'list'"},
                 {EINVAL, "not a HID device — write hid:/dev/hidrawN, see 'list'"},
                 {EISDIR, "not a HID device — write hid:/dev/hidrawN, see 'list'"},
                 {ENOENT, "device not found — plug the board in, and see 'list'"},
                 {ENODEV, "device not found — plug the board in, and see 'list'"},
                 {ENXIO, "device not found — plug the board in, and see 'list'"},
                 {EIO, "Input/output error"}};
    static const int refused[] = {EACCES, EPERM};
    static const struct aw_protocol unnamed = {.hid.boards = test_boards};
    struct aw_hid_port port = {.path = "/dev/hidraw99", .vendor = 0x16C0, .product = 0x0486};
    char text[300];
    EACH (row, cases) {
        aw_hid_explain(&test_protocol, &port, row->error, text, sizeof text);
        assert_string_equal(text, row->problem);
    }
    const struct aw_protocol *const protocols[] = {&test_protocol, &unnamed, NULL};
    EACH (error, refused)
        EACH (row, protocols) {
            aw_hid_explain(*row, &port, *error, text, sizeof text);
            assert_string_equal(
                text,
                text_of("permission denied — put this into %s and plug the board in again: %s",
                        *row == &test_protocol
                            ? "/etc/udev/rules.d/70-test.rules ('list --udev' prints it)"
                            : "a file in /etc/udev/rules.d",
                        rule));
        }
    port.vendor = 0;
    aw_hid_explain(&test_protocol, &port, EACCES, text, sizeof text);
    assert_string_equal(text, "permission denied — check its owner and mode with ls -l");
}

TEST_WITH(unplug_all, NULL, invalid_hid_links_are_refused)
{
    static const char *const boards[] = {
        "elbow", "16c0", "16c0:12345", "0:0", "serial=", "10000:1", "1:10000", "-1:1", "1:"};
    static const char *const pages[] = {"fg", "10000", "-1", ""};
    static const char *const keys[] = {"serial=A", "usage_page=0", "interface=0"};
    assert_open_fails("hid:", AW_NO_LINK, "hid: board not found — plug it in");
    assert_open_fails("hid:16c0:0486", AW_NO_LINK, "hid:16c0:0486: board not found");
    assert_open_fails("hid:ffff:ffff?interface=255&usage_page=ffff", AW_NO_LINK, "board not found");
    assert_open_fails("hid:1:0", AW_NO_LINK, "board not found");
    EACH (row, boards)
        assert_open_fails(text_of("hid:%s", *row), AW_USAGE, "hid:VID:PID");
    EACH (row, pages)
        assert_open_fails(text_of("hid:?usage_page=%s", *row), AW_USAGE,
                          "not a hexadecimal number (0 to ffff)");
    EACH (row, keys)
        assert_open_fails(text_of("hid:/dev/hidraw1?%s", *row), AW_USAGE,
                          "serial, usage_page and interface not allowed with a path");
    assert_open_fails("hid:?interface=-1", AW_USAGE, "whole number");
    assert_open_fails("hid:?interface=256", AW_USAGE, "not a whole number from 0 to 255");
    assert_open_fails("hid:?baud=9600", AW_USAGE, "unknown");
    assert_open_fails("uhid:?serial=", AW_USAGE, "characters");
}

TEST_WITH(unplug_all, NULL, paths_other_than_hidraw_are_refused)
{
    assert_open_fails("hid:/dev/null", AW_NO_LINK, "not a HID device");
    assert_open_fails("hid:/tmp", AW_NO_LINK, "not a HID device");
    assert_open_fails("hid:/proc/self/exe", AW_NO_LINK, "hid:/proc/self/exe: ");
    assert_open_fails("hid:/dev/hidraw1", AW_NO_LINK, "device not found");
    assert_open_fails(text_of("hid:/dev/%0120d", 7), AW_NO_LINK, "too long");
    plug_in("hidraw1", "16c0:0486 A1 'ItsyBitsy M4'");
    assert_open_fails("hid:", AW_NO_LINK, "not a HID device");
}

static void set_age(const char *node, int64_t age_ns)
{
    int64_t time = aw_wall_time() - age_ns;
    const struct timespec times[2] = {
        {.tv_nsec = UTIME_OMIT},
        {.tv_sec = (time_t)(time / AW_SECOND), .tv_nsec = (long)(time % AW_SECOND)}};
    assert_int_equal(utimensat(AT_FDCWD, node_path(node), times, 0), 0);
}

TEST_WITH(unplug_all, NULL, permission_is_explained)
{
    struct aw_hid_port port;
    struct aw_virtual_clock clock = aw_virtual_clock();
    plug_in("hidraw1", "16c0:0486 A1 'ItsyBitsy M4'");
    assert_int_equal(chmod(node_path("hidraw1"), 0), 0);
    set_age("hidraw1", AW_SECOND);
    assert_int_equal(aw_link_list_hid(&test_protocol, &port, 1), 1);
    assert_has(port.problem, "permission denied");
    assert_has(port.problem, rule);
    assert_open_fails("hid:", AW_NO_LINK, rule);
    assert_open_fails("hid:/dev/hidraw1", AW_NO_LINK, rule);
    /* Opening does not wait for a problem that is older than a second. */
    assert_open_fails_by(&clock.base, "hid:", AW_NO_LINK, rule);
    assert_int_equal(clock.time_ns, 0);
    /* Does not wait forever if the clock was set back. */
    set_age("hidraw1", -100 * AW_SECOND);
    assert_open_fails_by(&clock.base, "hid:", AW_NO_LINK, rule);
    assert_int_equal(clock.time_ns, AW_SECOND);
}

/* A clock that lets udev act during its waits. */
struct udev_clock {
    struct aw_real_clock real;
    int waits;
};

static enum aw_status wait_for_udev(struct aw_clock *clock, int fd, short events, int64_t deadline)
{
    struct udev_clock *self = (struct udev_clock *)clock;
    (void)fd, (void)events, (void)deadline;
    if (++self->waits == 3)
        assert_int_equal(chmod(node_path("hidraw1"), 0666), 0);
    return AW_TIMEOUT;
}

TEST_WITH(unplug_all, NULL, open_waits_for_new_nodes)
{
    struct udev_clock clock = {.real = aw_real_clock(-1)};
    clock.real.base.wait = wait_for_udev;
    plug_in("hidraw1", "16c0:0486 A1 'ItsyBitsy M4'");
    start_board(&board, "hidraw1");
    assert_int_equal(chmod(node_path("hidraw1"), 0), 0);
    set_age("hidraw1", -100 * AW_SECOND); /* long enough for a slow machine */
    aw_link_close(open_link("hid:", &clock.real.base));
    assert_int_equal(clock.waits, 3);
    end_board(&board);

    FD stop = eventfd(1, 0);
    struct aw_real_clock stopped = aw_real_clock(stop);
    shell("echo >'%s'", node_path("hidraw1"));
    assert_int_equal(chmod(node_path("hidraw1"), 0), 0);
    set_age("hidraw1", -100 * AW_SECOND);
    assert_open_fails_by(&stopped.base, "hid:", AW_STOPPED, "");
}

static void do_nothing(int number)
{
    (void)number;
}

/* Starts a timer that interrupts system calls repeatedly; every_us 0 stops it. */
static void interrupt(int every_us)
{
    const struct sigaction action = {.sa_handler = do_nothing};
    const struct itimerval timer = {{.tv_usec = every_us}, {.tv_usec = every_us}};
    sigaction(SIGALRM, &action, NULL);
    setitimer(ITIMER_REAL, &timer, NULL);
}

static void exchange(struct aw_link *link, unsigned i)
{
    unsigned char sent[AW_HID_REPORT], back[200];
    size_t got;
    struct aw_error err = {0};
    for (unsigned k = 0; k < sizeof sent; k++)
        sent[k] = (unsigned char)(i * 7 + k * 13); /* sometimes begins with 0 */
    memcpy(sent + 8, &i, sizeof i);
    assert_int_equal(aw_link_write(link, sent, sizeof sent, &err), AW_OK);
    int64_t deadline = aw_clock_now(link->clock) + 10 * AW_SECOND;
    assert_int_equal(aw_link_read(link, back, sizeof back, &got, deadline, &err), AW_OK);
    assert_int_equal(got, sizeof sent);
    assert_memory_equal(back, sent, sizeof sent);
}

TEST_WITH(plug_in_board, unplug_board, transactions_survive_signals)
{
    LINK link = opened("hid:");
    interrupt(500);
    for (unsigned i = 0; i < 1000; i++)
        exchange(link, i);
    interrupt(0);
    assert_read_is(link, AW_TIMEOUT, 0);
}

TEST_WITH(plug_in_board, unplug_board, short_reports_pass_and_long_ones_are_truncated)
{
    unsigned char report[AW_HID_REPORT + 1] = {0};
    LINK link = opened("hid:");
    assert_writes(link, "short");
    assert_read_gives(link, 100, "short", 5); /* unchanged */
    assert_write_fails(link, report, sizeof report, AW_USAGE, "");
    assert_writes(link, "too long for the one who reads");
    assert_read_gives(link, 8, "too long", 8);
    assert_read_is(link, AW_TIMEOUT, 0); /* the rest of the report was discarded */
}

TEST_WITH(plug_in_board, unplug_board, stop_request_ends_waiting)
{
    FD stop = eventfd(0, 0);
    struct aw_real_clock clock = aw_real_clock(stop);
    LINK link = open_link("hid:", &clock.base);
    assert_read_is(link, AW_TIMEOUT, 5 * AW_MILLISECOND);
    struct pollfd pollfd = {.fd = aw_link_fd(link), .events = POLLIN};
    assert_int_equal(poll(&pollfd, 1, 0), 0);
    assert_writes(link, "x");
    assert_int_equal(poll(&pollfd, 1, 10000), 1); /* its descriptor is readable */
    assert_reads(link, "x");
    assert_int_equal(eventfd_write(stop, 1), 0);
    assert_read_is(link, AW_STOPPED, AW_NEVER / 2);
    assert_writes(link, "and the stop itself is written");
}

TEST_WITH(plug_in_board, unplug_board, hanging_board_times_out)
{
    LINK link = opened("hid:");
    write_error = ETIMEDOUT; /* the error of the USB driver */
    assert_write_fails(link, "x", 1, AW_TIMEOUT,
                       "hid:/dev/hidraw1: timed out: the board accepts no data — reset it");
    write_error = EINTR;
    exchange(link, 1);
}

/* One node with two collections: a board that is also a keyboard. The one for reports is listed. */
TEST_WITH(unplug_all, NULL, node_with_two_collections_is_listed_once)
{
    plug_in("hidraw1", "16c0:0486 A1 'ItsyBitsy M4'");
    shell("d=$(find '%s/sys/devices' -name report_descriptor) && "
          "{ printf '\\005\\001\\011\\006\\241\\001\\300' && cat \"$d\"; } >\"$d.new\" && "
          "mv \"$d.new\" \"$d\"",
          getenv("UMOCKDEV_DIR"));
    assert_boards("*hid:serial=A1 16C0:0486 2 FF00:1 board ItsyBitsy M4\n");
}

TEST_WITH(plug_in_board, unplug_board, unplugged_board_loses_the_link)
{
    LINK link = opened("hid:");
    exchange(link, 0);
    end_board(&board);
    assert_read_fails(link, AW_LOST, "hid:/dev/hidraw1: board disconnected — plug it in");
    assert_write_fails(link, "x", 1, AW_LOST, "");
    close_link(&link);
    start_board(&board, "hidraw1"); /* plugged in again */
    link = opened("hid:");
    exchange(link, 1);
}

TEST_WITH(unplug_all, NULL, udev_rules_are_generated)
{
    char text[4000], cut[30];
    size_t size = aw_link_udev_rules(&test_protocol, text, sizeof text);
    assert_int_equal(size, strlen(text));
    assert_int_equal(aw_link_udev_rules(&test_protocol, cut, sizeof cut), size);
    assert_int_equal(strlen(cut), sizeof cut - 1);
    assert_int_equal(aw_link_udev_rules(&test_protocol, NULL, 0), size);
    for (const struct aw_board *row = test_boards; row->name; row++) {
        assert_has(text, text_of("\"0003:%04X:%04X.*\"", row->vendor, row->product));
    }
    for (const char *line = text; *line; line = strchr(line, '\n') + 1) /* no line is cut */
        assert_true(*line == '#' || *line == '\n' || *line == 'K' || *line == 'S');
}

TEST_WITH(unplug_all, NULL, missing_uhid_is_explained)
{
    if (access("/dev/uhid", F_OK) == 0)
        skip(); /* the VM tests a real device */
    assert_open_fails("uhid:", AW_NO_LINK, "sudo modprobe uhid");
}

static void remove_nodes(void)
{
    shell("rm -rf '%s'", getenv("UMOCKDEV_DIR"));
}

ALL_TESTS_WITH(NULL, remove_nodes);

/* Restarts this program with preloaded libraries that simulate the boards. */
static int start_anew(char **argv)
{
    char directory[] = "/tmp/aw-hid-XXXXXX", nodes[40], program[PATH_MAX] = "";
    char preload[PATH_MAX + 60];
    if (!mkdtemp(directory) || readlink("/proc/self/exe", program, sizeof program - 1) < 0)
        return 1;
    snprintf(nodes, sizeof nodes, "%s/dev", directory);
    *strrchr(program, '/') = '\0';
    snprintf(preload, sizeof preload, "%s/../../../hid/hidraw.so:libumockdev-preload.so.0",
             program);
    setenv("UMOCKDEV_DIR", directory, 1);
    setenv("HIDRAW_DIR", nodes, 1);
    setenv("LD_PRELOAD", preload, 1);
    setenv("MALLOC_PERTURB_", "165", 1); /* detects use after free */
    /* Our preloaded libraries come first on purpose. */
    setenv("ASAN_OPTIONS", "verify_asan_link_order=0", 1);
    execv("/proc/self/exe", argv);
    perror("execv");
    return 1;
}

int main(int argc, char **argv)
{
    (void)argc;
    return getenv("HIDRAW_DIR") ? test_run() : start_anew(argv);
}
