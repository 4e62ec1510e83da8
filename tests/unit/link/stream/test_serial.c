/* Tests serial: and the list of ports with the real libserialport. Ports are pseudo-terminals in
 * a fake /dev and /sys. This program simulates their modem lines. */
#include "file_helper.h"
#include "link/open.h"
#include "link/stream/ports.h"

#include <grp.h>
#include <pty.h>
#include <sys/file.h>
#include <sys/ioctl.h>
#include <termios.h>

#define PORT   "/dev/ttyAW0"
#define BY_ID  "/dev/serial/by-id/usb-Nobody_UNO_55-if00"
#define USB    "/sys/devices/pci0000:00/usb1/1-3/"
#define SERIAL USB "1-3:1.0/ttyAW0/"
#define UART   "/sys/devices/platform/uart/"
#define CORE   "serial0/serial0:0/serial0:0.0"

/* The other end of the cable, and events of the port. Errors are errno values; 0: none. */
static struct {
    int cable, line; /* other end of the cable, and the port's end */
    char name[64];
    int modem_lines;      /* value for TIOCMGET */
    int no_modem_lines;   /* errno of reading modem lines */
    int lines_refused;    /* errno of changing modem lines */
    int settings_refused; /* number of the tcsetattr(3) call that fails; 0: none */
    gid_t group;
    bool elsewhere; /* the pty belongs to another container */
    int open_error;
    int opens_before_error;
    struct termios modes; /* as requested, because a pty supports only eight bits without parity */
    bool has_modes;
} port;

static int answer_modem(unsigned long request, int *bits)
{
    int before = port.modem_lines;
    int after = request == TIOCMBIS   ? before | *bits
                : request == TIOCMBIC ? before & ~*bits
                : request == TIOCMSET ? *bits
                                      : before;
    if (after != before && port.lines_refused)
        return fails_with(port.lines_refused);
    port.modem_lines = after;
    if (request == TIOCMGET)
        *bits = after;
    return fails_with(port.no_modem_lines);
}

int ioctl(int fd, unsigned long request, ...)
{
    va_list list;
    va_start(list, request);
    void *argument = va_arg(list, void *);
    va_end(list);
    if (request == TIOCMGET || request == TIOCMSET || request == TIOCMBIS || request == TIOCMBIC)
        return answer_modem(request, argument);
    if (request == TIOCEXCL) /* on a pty, the setting would outlast the close */
        return 0;
    return NEXT(ioctl)(fd, request, argument);
}

int tcsetattr(int fd, int when, const struct termios *modes)
{
    struct termios taken = *modes;
    if (port.settings_refused > 0 && --port.settings_refused == 0)
        return fails_with(EINVAL);
    port.modes = *modes;
    port.has_modes = true;
    taken.c_cflag = (taken.c_cflag & ~(tcflag_t)(CSIZE | PARENB)) | CS8;
    return NEXT(tcsetattr)(fd, when, &taken);
}

int tcgetattr(int fd, struct termios *modes)
{
    if (!port.has_modes)
        return NEXT(tcgetattr)(fd, modes);
    *modes = port.modes;
    return 0;
}

static void describe_file(struct stat *file)
{
    file->st_mode |= S_IWGRP;
    file->st_gid = port.group;
    file->st_dev += port.elsewhere;
}

struct group *getgrgid(gid_t id)
{
    static char name[] = "dialout";
    static struct group group = {.gr_name = name};
    return id == port.group ? &group : NULL;
}

static int open_port(const char *path)
{
    if (strcmp(path, PORT) != 0 || !port.open_error || port.opens_before_error-- > 0)
        return OTHER_OPEN;
    return fails_with(port.open_error);
}

/* Creates an adapter in sysfs. */
static void plug_in_adapter(void)
{
    other_symlink("/sys/class/tty/ttyAW0",
                  "../../devices/pci0000:00/usb1/1-3/1-3:1.0/ttyAW0/tty/ttyAW0");
    other_file(SERIAL "tty/ttyAW0/dev", "188:0\n");
    other_symlink(SERIAL "tty/ttyAW0/device", "../..");
    other_symlink(SERIAL "driver", "../../../../../../bus/usb-serial/drivers/ftdi_sio");
    other_file("/sys/bus/usb-serial/drivers/ftdi_sio/bind", "");
    other_file(USB "busnum", "1\n");
    other_file(USB "devnum", "4\n");
    other_file(USB "idVendor", "0403\n");
    other_file(USB "idProduct", "6001\n");
    other_file(USB "product", "UNO\n");
    other_file(USB "serial", "55\n");
    other_device(PORT, port.name);
    other_symlink(BY_ID, "../../ttyAW0");
}

static void plug_in(void)
{
    memset(&port, 0, sizeof port);
    assert_false(other_begin() != 0 ||
                 openpty(&port.cable, &port.line, port.name, NULL, NULL) != 0);
    other_open = open_port;
    other_stat = describe_file;
    plug_in_adapter();
    close(port.line);
}

static void unplug(void)
{
    close(port.cable);
    assert_int_equal(other_end(), 0);
}

static void assert_goes_both_ways(struct aw_link *link)
{
    char buf[8] = "";
    assert_writes(link, "0DEG1\r\n");
    for (size_t n = 0; n < 7;) {
        ssize_t got = read(port.cable, buf + n, 7 - n);
        assert_true(got > 0);
        n += (size_t)got;
    }
    assert_string_equal(buf, "0DEG1\r\n"); /* unchanged */
    assert_int_equal(write(port.cable, "0ACK0\r\n\x03\x11", 9), 9);
    assert_reads(link, "0ACK0\r\n\x03\x11");
    assert_read_is(link, AW_TIMEOUT, 0); /* no data does not mean the end */
}

TEST_WITH(plug_in, unplug, port_is_opened_by_each_of_its_names)
{
    static const char *const urls[] = {"serial:" PORT, PORT, "serial:ttyAW0", "serial:" BY_ID};
    EACH (row, urls) {
        LINK link = opened(*row);
        assert_string_equal(link->key, BY_ID); /* independent of the current name */
        assert_true(aw_link_fd(link) >= 0);
        assert_int_equal(cfgetospeed(&port.modes), B9600);
        assert_goes_both_ways(link);
    }
    other_remove("/dev/serial");
    LINK link = opened(PORT);
    assert_string_equal(link->key, PORT);
}

TEST_WITH(plug_in, unplug, settings_reach_the_port)
{
    if (getenv("AW_EMULATED"))
        skip(); /* tests/cross.sh: the emulator does not support all terminal settings */
    static const struct {
        const char *query;
        speed_t rate;
        tcflag_t on, off;
    } cases[] = {
        {"", B9600, CS8 | CREAD, PARENB | CSTOPB | CRTSCTS},
        {"?baud=115200&bits=7&parity=even&stop=2", B115200, CS7 | PARENB | CSTOPB, PARODD},
        {"?flow=rtscts", B9600, CRTSCTS, CSTOPB},
        {"?flow=none", B9600, CS8, CRTSCTS}, /* whatever the previous setting was */
        {"?parity=odd&flow=rtscts", B9600, PARENB | PARODD | CRTSCTS, CSTOPB},
    };
    EACH (row, cases) {
        aw_link_close(opened(text_of(PORT "%s", row->query)));
        assert_int_equal(cfgetospeed(&port.modes), row->rate);
        assert_int_equal(port.modes.c_cflag & (row->on | row->off), row->on);
        assert_int_equal(port.modes.c_cc[VMIN], 1);
    }
    aw_link_close(opened(PORT "?flow=xonxoff"));
    assert_int_equal(port.modes.c_iflag & (IXON | IXOFF), IXON | IXOFF);
}

/* Changing DTR resets an Arduino, so the lines stay unchanged unless requested. */
TEST_WITH(plug_in, unplug, modem_lines_change_only_if_requested)
{
    static const struct {
        const char *query;
        int before, after;
    } cases[] = {
        {"", 0, 0},
        {"", TIOCM_DTR | TIOCM_RTS, TIOCM_DTR | TIOCM_RTS},
        {"?dtr=on", 0, TIOCM_DTR},
        {"?dtr=off&rts=on", TIOCM_DTR, TIOCM_RTS},
        {"?dtr=on&rts=off", TIOCM_RTS, TIOCM_DTR},
    };
    EACH (row, cases) {
        port.modem_lines = row->before;
        aw_link_close(opened(text_of(PORT "%s", row->query)));
        assert_int_equal(port.modem_lines, row->after);
    }
}

TEST_WITH(plug_in, unplug, refused_settings_are_explained)
{
    static const struct {
        enum aw_status status;
        const char *words;
    } steps[] = {
        {AW_NO_LINK, PORT ": Invalid argument"},
        {AW_USAGE, PORT ": baud=9600 not supported — try 9600 or 115200"},
        {AW_USAGE, PORT ": bits, parity or stop not supported"},
        {AW_USAGE, "bits, parity or stop not supported"},
        {AW_USAGE, "bits, parity or stop not supported"},
        {AW_USAGE, PORT ": flow, dtr or rts not supported"},
        {AW_NO_LINK,
         PORT ": cannot set the serial parameters: Invalid argument — check baud, parity and flow"},
    };
    assert_open_fails(PORT "?baud=12", AW_USAGE, "baud=12");
    for (size_t i = 0; i < sizeof steps / sizeof *steps; i++) {
        port.settings_refused = (int)i + 1;
        assert_open_fails(PORT, steps[i].status, steps[i].words);
    }
    port.settings_refused = 0;
    port.lines_refused = EIO;
    assert_open_fails(PORT "?dtr=on", AW_USAGE, PORT ": flow, dtr or rts not supported");
    port.modem_lines = TIOCM_RTS;
    assert_open_fails(PORT "?rts=off", AW_USAGE, "flow, dtr or rts not supported");
}

/* Opens a port such as a gadget's ttyGS0, which is in sysfs but has no modem lines. */
TEST_WITH(plug_in, unplug, port_without_modem_lines_can_be_opened)
{
    port.no_modem_lines = ENOTTY;
    struct aw_link *link = opened(PORT);
    assert_string_equal(link->key, BY_ID);
    assert_goes_both_ways(link);
    aw_link_close(link);
    port.settings_refused = 1;
    assert_open_fails(
        PORT, AW_NO_LINK,
        PORT ": cannot set the serial parameters: Invalid argument — check baud, parity and flow");
    port.lines_refused = ENOTTY;
    port.modem_lines = 0;
    assert_open_fails(PORT "?dtr=on", AW_USAGE, PORT ": dtr line not supported — remove dtr=");
}

TEST_WITH(plug_in, unplug, holder_of_a_busy_port_is_reported)
{
    if (getenv("AW_EMULATED"))
        skip(); /* tests/cross.sh: the program is the emulator */
    struct aw_link *link = opened(PORT);
    const char *words = text_of(
        PORT ": busy: in use by test_serial (pid %d) — end that program first", (int)getpid());
    assert_open_fails(PORT, AW_NO_LINK, words);
    aw_link_close(link);
    FD fd = NEXT64(open)(port.name, O_RDWR | O_NOCTTY);
    port.open_error = EBUSY; /* a process that uses TIOCEXCL instead of a lock */
    assert_open_fails(PORT, AW_NO_LINK, words);
}

TEST_WITH(plug_in, unplug, open_errors_have_advice)
{
    static const struct {
        int error;
        const char *words;
    } cases[] = {
        {EACCES, PORT
         ": permission denied — add yourself to group dialout: sudo usermod -aG dialout $USER"},
        {EPERM, "permission denied — add yourself to group dialout"},
        {ENXIO, "port not found — plug the device in, switch it on, and see 'list'"},
        {EIO, PORT ": Input/output error"},
    };
    port.group = 20;
    EACH (row, cases)
        for (int before = 0; before < 2; before++) { /* opened for the lock or by libserialport */
            port.open_error = row->error;
            port.opens_before_error = before;
            assert_open_fails(PORT, AW_NO_LINK, row->words);
        }
    port.group = 0; /* root's group is never suggested */
    port.open_error = EACCES;
    assert_open_fails(PORT, AW_NO_LINK,
                      PORT ": permission denied — check its owner and mode with ls -l");
    other_device("/dev/ttyAW1", "/dev/null");
    assert_open_fails("/dev/ttyAW1", AW_NO_LINK, "not a terminal or serial port");
}

TEST_WITH(plug_in, unplug, ports_are_listed)
{
    struct aw_port ports[4];
    assert_int_equal(aw_link_list_serial(NULL, 0), 1);
    assert_int_equal(aw_link_list_serial(ports, 4), 1);
    assert_string_equal(ports[0].path, PORT);
    /* newer versions append the serial number */
    assert_memory_equal(ports[0].description, "UNO", 3);
    assert_string_equal(ports[0].driver, "ftdi_sio");
    assert_string_equal(ports[0].usb, "0403:6001");
    assert_string_equal(ports[0].serial, "55");
    assert_string_equal(ports[0].holder, "");
    assert_string_equal(ports[0].problem, "");
    assert_open_fails("serial:/dev/ttyAW7", AW_NO_LINK,
                      "/dev/ttyAW7: port not found — available: " PORT " (see 'list')");
    assert_open_fails("serial:nope", AW_NO_LINK, "nope: port not found — available: " PORT);

    int fd = NEXT64(open)(port.name, O_RDWR | O_NOCTTY);
    assert_int_equal(aw_link_list_serial(ports, 4), 1);
    if (!getenv("AW_EMULATED"))
        assert_has(ports[0].holder, text_of("(pid %d)", (int)getpid()));
    port.elsewhere = true; /* another container has a terminal with the same number */
    assert_int_equal(aw_link_list_serial(ports, 4), 1);
    assert_string_equal(ports[0].holder, "");
    close(fd);

    other_remove(PORT); /* the port is being unplugged */
    assert_int_equal(aw_link_list_serial(ports, 4), 1);
    assert_string_equal(ports[0].holder, "");
    assert_string_equal(ports[0].problem,
                        "port not found — plug the device in, switch it on, and see 'list'");
    other_remove("/sys/class/tty");
    assert_int_equal(aw_link_list_serial(ports, 4), 0);
}

TEST_WITH(plug_in, unplug, long_port_list_is_truncated)
{
    struct aw_port ports[9];
    for (int n = 1; n <= 8; n++) {
        assert_int_equal(aw_link_list_serial(ports, 9), n);
        struct aw_error err;
        struct aw_link *link;
        assert_int_equal(try_link(&link, "serial:/dev/ttyAW77", usual_clock(), &err), AW_NO_LINK);
        for (int i = 0; i < n && i < 6; i++)
            assert_has(err.text, ports[i].path);
        for (int i = 6; i < n; i++)
            assert_null(strstr(err.text, ports[i].path));
        assert_has(err.text,
                   text_of("available: %s%s", ports[0].path, n > 1 ? ", /dev/ttyAW" : " "));
        assert_has(err.text, " (see 'list')");
        other_symlink(text_of("/sys/class/tty/ttyAW%d", n),
                      text_of("../../devices/platform/uart/tty/ttyAW%d", n));
        other_device(text_of("/dev/ttyAW%d", n), port.name);
        other_file(text_of("/sys/devices/platform/uart/tty/ttyAW%d/dev", n), "4:64\n");
    }
}

/* Since Linux 6.5 the serial core is between the port and its driver. */
TEST_WITH(plug_in, unplug, driver_behind_the_serial_core_is_found)
{
    struct aw_port ports[2];
    other_remove("/sys/class/tty");
    other_symlink("/sys/class/tty/ttyAW0", "../../devices/platform/uart/" CORE "/tty/ttyAW0");
    other_file(UART CORE "/tty/ttyAW0/dev", "4:64\n");
    other_symlink(UART CORE "/tty/ttyAW0/device", "../..");
    other_file("/sys/bus/serial-base/drivers/port/bind", "");
    other_file("/sys/bus/platform/drivers/serial_uart/bind", "");
    other_symlink(UART CORE "/driver", "../../../../../../bus/serial-base/drivers/port");
    other_symlink(UART "driver", "../../../bus/platform/drivers/serial_uart");
    assert_int_equal(aw_link_list_serial(ports, 2), 1);
    assert_string_equal(ports[0].driver, "serial_uart");
    assert_string_equal(ports[0].usb, "");
    assert_string_equal(ports[0].description, "ttyAW0");
}

TEST_WITH(plug_in, unplug, removed_port_loses_the_link)
{
    LINK link = opened(PORT);
    close(port.cable);
    port.cable = -1;
    assert_read_is(link, AW_LOST, AW_SECOND);
    assert_write_fails(link, "x", 1, AW_LOST, BY_ID ": connection lost: ");
}
