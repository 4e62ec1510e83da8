/* serial_roundtrip PORT PEER COUNT DRIVER: tests two serial ports wired to each other through
 * aw_link_open.
 *
 * Sends COUNT lines in each direction and compares each byte, tries operations that must fail, and
 * checks the modem lines that the kernel reports. Exit status 0 if everything passes.
 *
 * serial_roundtrip --open PORT: opens it, prints any error and exits with the status.
 * serial_roundtrip --read PORT: opens it, prints "open", and reads until the link is lost.
 */
#include <sys/ioctl.h>
#include <termios.h>
#include <unistd.h>

#include "kernel.h"
#include "link/stream/ports.h"

static struct aw_link *open_port(const char *port, const char *query)
{
    char url[200];
    snprintf(url, sizeof url, "serial:%s%s", port, query);
    return open_or_exit(url);
}

static int pass_line(struct aw_link *from, struct aw_link *to, const char *line, size_t size)
{
    char buf[64];
    size_t have = 0, got;
    struct aw_error err = {0};
    int64_t deadline = aw_clock_now(from->clock) + 5 * AW_SECOND;
    if (aw_link_write(from, line, size, &err) != AW_OK) {
        printf("# write: %s\n", err.text);
        return 0;
    }
    while (have < size) {
        enum aw_status status =
            aw_link_read(to, buf + have, sizeof buf - have, &got, deadline, &err);
        if (status != AW_OK) {
            printf("# read: %s %s after %zu bytes\n", aw_status_name(status), err.text, have);
            return 0;
        }
        have += got;
    }
    return have == size && memcmp(buf, line, size) == 0;
}

static void round_trips(const char *port, const char *peer, int count)
{
    static const char line[] = "0DEG1,090\r\n";
    static const char bytes[] = "\x00\x03\x04\x0a\x0d\x11\x13\x1a\x1c\x7f\x80\xff";
    struct aw_link *a = open_port(port, "?baud=115200");
    struct aw_link *b = open_port(peer, "?baud=115200");
    int64_t start = aw_clock_now(&wall_clock.base);
    int done = 0;
    while (done < count && pass_line(a, b, line, sizeof line - 1) &&
           pass_line(b, a, line, sizeof line - 1))
        done++;
    double seconds = (double)(aw_clock_now(&wall_clock.base) - start) / (double)AW_SECOND;
    printf("# %s: %d round trips in %.2f s, %.0f/s\n", port, done, seconds, done / seconds);
    expect(done == count, "round trips", "bytes lost or changed");
    expect(pass_line(a, b, bytes, sizeof bytes - 1), "control characters", "lost or changed");
    expect(strcmp(a->key, port) == 0, "key", a->key);
    expect(a->n_connections == 0, "connections", "a serial line has none");
    aw_link_close(b);
    aw_link_close(a);
}

static void expect_not_opened(const char *url, const char *words)
{
    struct aw_link *link;
    struct aw_error err;
    expect(open_url(&link, url, &err) == AW_NO_LINK && strstr(err.text, words), url, err.text);
}

static void busy_port(const char *port)
{
    struct aw_link *first = open_port(port, "");
    char url[200], pid[32];
    snprintf(url, sizeof url, "serial:%s", port);
    snprintf(pid, sizeof pid, "(pid %d)", (int)getpid());
    expect_not_opened(url, "busy");
    expect_not_opened(url, pid);
    aw_link_close(first);
    aw_link_close(open_port(port, "")); /* the port was released */
}

/* Requires that each opening configures flow control, and the modem lines that the driver reports.
 * The test machine's wires carry none. */
static void settings(const char *port)
{
    static const struct {
        const char *query;
        int lines, raised; /* checked modem lines */
        tcflag_t hardware, software;
    } cases[] = {
        {"?dtr=off", TIOCM_DTR, 0, 0, 0},
        {"?dtr=on", TIOCM_DTR, TIOCM_DTR, 0, 0},
        {"?rts=off", TIOCM_RTS, 0, 0, 0},
        {"?dtr=off&rts=on", TIOCM_DTR | TIOCM_RTS, TIOCM_RTS, 0, 0},
        {"?dtr=keep&rts=keep", TIOCM_DTR | TIOCM_RTS, TIOCM_DTR | TIOCM_RTS, 0, 0},
        {"?flow=rtscts", 0, 0, CRTSCTS, 0},
        {"?flow=none", 0, 0, 0, 0},
        {"?flow=xonxoff", 0, 0, 0, IXON | IXOFF},
        {"", 0, 0, 0, 0},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        int bits = -1;
        struct aw_link *link = open_port(port, cases[i].query);
        struct termios modes = {0};
        expect(ioctl(aw_link_fd(link), TIOCMGET, &bits) == 0 &&
                   (bits & cases[i].lines) == cases[i].raised,
               "modem lines", cases[i].query);
        expect(tcgetattr(aw_link_fd(link), &modes) == 0 &&
                   (modes.c_cflag & CRTSCTS) == cases[i].hardware &&
                   (modes.c_iflag & (IXON | IXOFF)) == cases[i].software,
               "flow control", cases[i].query);
        aw_link_close(link);
    }
}

static void listed(const char *port, const char *driver)
{
    struct aw_port ports[16];
    size_t n = aw_link_list_serial(ports, 16);
    for (size_t i = 0; i < n && i < 16; i++) {
        if (strcmp(ports[i].path, port) == 0) {
            printf("# %s: \"%s\" %s %s\n", port, ports[i].description, ports[i].usb,
                   ports[i].serial);
            expect(strcmp(ports[i].driver, driver) == 0, "driver", ports[i].driver);
            expect(!ports[i].holder[0] && !ports[i].problem[0], "list", "port in use");
            return;
        }
    }
    expect(0, "list", "port not listed");
}

int main(int argc, char **argv)
{
    char url[200];
    snprintf(url, sizeof url, "serial:%s", argc == 3 ? argv[2] : "");
    if (argc == 3 && strcmp(argv[1], "--read") == 0)
        return read_until_lost(url);
    if (argc == 3) {
        aw_link_close(open_or_exit(url));
        return 0;
    }
    if (argc != 5)
        return 2;
    round_trips(argv[1], argv[2], atoi(argv[3]));
    busy_port(argv[1]);
    expect_not_opened("serial:/dev/ttyS77", argv[1]);
    settings(argv[1]);
    listed(argv[1], argv[4]);
    return failures != 0;
}
