/* hid_link serve KEYS: a board that echoes each report, on uhid:KEYS; prints "ready: URL".
 * hid_link compare COUNT: runs COUNT transactions over the hid: link and COUNT in a bare loop on
 * the node, alternating; exits with 0 if no reply was wrong and the link took at most 1.5 times as
 * long at P50 and P99.
 * hid_link ask PATH ID COUNT: runs the bare loop alone, with reports that start with this packet
 * id; prints "P50 P99" in ms; exits with 0 if all replies start with it, too.
 * hid_link read URL: prints "open", then waits for a report; exits with the status.
 * hid_link open URL: prints the key or the problem; exits with the status.
 * hid_link list: prints the interfaces, one per line.
 * hid_link feature PATH: exits with 0 if the board answers GET_REPORT and SET_REPORT with an I/O
 * error at once.
 */
#include <errno.h>
#include <fcntl.h>
#include <linux/hidraw.h>
#include <poll.h>
#include <sys/ioctl.h>
#include <unistd.h>

#include "control/samples.h"
#include "kernel.h"
#include "link/core/device.h"
#include "link/hid/hid.h"

#define BLOCK   100 /* transactions per turn */
#define TRIES   3   /* number of comparisons, because other load may slow down either side */
#define TIMEOUT (2 * AW_SECOND)

static int fail(const char *what, const char *why)
{
    printf("# %s: %s\n", what, why);
    return 1;
}

static int serve(const char *keys)
{
    char url[100];
    unsigned char report[AW_HID_REPORT];
    struct aw_error err = {0};
    enum aw_status status = AW_OK;
    size_t got;
    snprintf(url, sizeof url, "uhid:%s", keys);
    struct aw_link *link = open_or_exit(url);
    printf("ready: %s\n", link->client_url);
    fflush(stdout);
    while (status == AW_OK) {
        status = aw_link_read(link, report, sizeof report, &got, AW_NEVER, &err);
        if (status == AW_OK)
            status = aw_link_write(link, report, got, &err);
    }
    printf("# %s\n", err.text);
    aw_link_close(link);
    return (int)status;
}

/* Exchanges reports through the link or the bare node. */
struct device_access {
    int node; /* node; 0: uses the link */
    struct aw_link *link;
    struct aw_samples times_us;
};

static int transact(struct device_access *way, const unsigned char *report, unsigned char *reply)
{
    size_t got = 0;
    struct pollfd readable = {.fd = way->node, .events = POLLIN};
    if (way->node > 0)
        return write(way->node, report, 1 + AW_HID_REPORT) == 1 + AW_HID_REPORT &&
                       poll(&readable, 1, 2000) == 1
                   ? (int)read(way->node, reply, AW_HID_REPORT)
                   : -1;
    if (aw_link_write(way->link, report + 1, AW_HID_REPORT, NULL) != AW_OK)
        return -1;
    enum aw_status status = aw_link_read(way->link, reply, AW_HID_REPORT, &got,
                                         aw_clock_now(way->link->clock) + TIMEOUT, NULL);
    return status == AW_OK ? (int)got : -1;
}

/* Sends numbered reports, which the board echoes, or reports with this packet id, which starts the
 * replies, too. Returns the number of wrong replies. */
static int transactions(struct device_access *way, uint32_t id, unsigned from, unsigned count)
{
    unsigned char report[1 + AW_HID_REPORT] = {0}, reply[AW_HID_REPORT];
    int wrong = 0;
    for (unsigned i = from; i < from + count; i++) {
        for (unsigned k = 1; k < sizeof report && !id; k++)
            report[k] = (unsigned char)(i * 7 + k);
        memcpy(report + 1, id ? &id : &i, sizeof id);
        int64_t start = aw_clock_now(&wall_clock.base);
        int got = transact(way, report, reply);
        int64_t end = aw_clock_now(&wall_clock.base);
        aw_samples_add(&way->times_us, (double)(end - start) / 1000);
        wrong +=
            got != AW_HID_REPORT || memcmp(report + 1, reply, id ? sizeof id : sizeof reply) != 0;
    }
    return wrong;
}

static int bare_turn(struct device_access *way, unsigned from, unsigned count)
{
    struct aw_hid_port port;
    aw_link_list_hid(&aw_hidmotor_protocol, &port, 1);
    way->node = open(port.path, O_RDWR | O_CLOEXEC);
    if (way->node < 0)
        return fail("bare loop", strerror(errno));
    int wrong = transactions(way, 0, from, count);
    close(way->node);
    return wrong;
}

static int link_turn(struct device_access *way, unsigned from, unsigned count)
{
    way->link = open_or_exit("hid:");
    int wrong = transactions(way, 0, from, count);
    aw_link_close(way->link);
    return wrong;
}

/* Returns -1 for wrong replies, 0 if the link is as fast as the node, 1 if slower. */
static int compare_once(unsigned count)
{
    struct device_access bare = {0}, link = {0};
    int wrong = 0;
    for (unsigned i = 0; i < count; i += BLOCK) {
        wrong += bare_turn(&bare, i, BLOCK);
        wrong += link_turn(&link, i, BLOCK);
    }
    struct aw_stats b = aw_samples_stats(&bare.times_us), l = aw_samples_stats(&link.times_us);
    printf("# bare loop:   n %zu, us p50 %.0f p99 %.0f max %.0f\n", b.n, b.p50, b.p99, b.max);
    printf("# hid: link:   n %zu, us p50 %.0f p99 %.0f max %.0f; %d wrong\n", l.n, l.p50, l.p99,
           l.max, wrong);
    aw_samples_free(&bare.times_us);
    aw_samples_free(&link.times_us);
    return wrong > 0 || l.n < count ? -1 : l.p50 > 1.5 * b.p50 || l.p99 > 1.5 * b.p99;
}

static int compare(unsigned count)
{
    int result = 1;
    for (int i = 0; i < TRIES && result > 0; i++)
        result = compare_once(count);
    return result != 0;
}

/* Measures the response time of a board with its own program, not an echo. */
static int ask(const char *path, uint32_t id, unsigned count)
{
    struct device_access bare = {.node = open(path, O_RDWR | O_CLOEXEC)};
    if (bare.node < 0)
        return fail(path, strerror(errno));
    int wrong = transactions(&bare, id, 0, count);
    close(bare.node);
    struct aw_stats stats = aw_samples_stats(&bare.times_us);
    printf("%.3f %.3f\n", stats.p50 / 1000, stats.p99 / 1000);
    aw_samples_free(&bare.times_us);
    return wrong > 0 ? fail("ask", "wrong replies") : 0;
}

static int open_only(const char *url)
{
    struct aw_link *link = open_or_exit(url);
    printf("%s\n", link->key);
    aw_link_close(link);
    return 0;
}

static int list(void)
{
    struct aw_hid_port ports[16];
    size_t n = aw_link_list_hid(&aw_hidmotor_protocol, ports, 16);
    for (size_t i = 0; i < n && i < 16; i++)
        printf("%s %s %04x:%04x interface %d page %04x serial '%s' name '%s' holder '%s' %s\n",
               ports[i].path, ports[i].url, ports[i].vendor, ports[i].product, ports[i].interface,
               ports[i].usage_page, ports[i].serial, ports[i].name, ports[i].holder,
               *ports[i].problem ? ports[i].problem : "ok");
    return 0;
}

static int feature(const char *path)
{
    unsigned char report[1 + AW_HID_REPORT] = {0};
    int fd = open(path, O_RDWR | O_CLOEXEC);
    if (fd < 0)
        return fail(path, strerror(errno));
    int64_t start = aw_clock_now(&wall_clock.base);
    if (ioctl(fd, HIDIOCGFEATURE(sizeof report), report) >= 0 || errno != EIO)
        return fail("GET_REPORT", strerror(errno));
    if (ioctl(fd, HIDIOCSFEATURE(sizeof report), report) >= 0 || errno != EIO)
        return fail("SET_REPORT", strerror(errno));
    close(fd);
    /* The kernel waits five seconds for an answer. */
    return aw_clock_now(&wall_clock.base) - start < 4 * AW_SECOND ? 0 : fail("feature", "slow");
}

int main(int argc, char **argv)
{
    const char *what = argc > 1 ? argv[1] : "", *argument = argc > 2 ? argv[2] : "";
    unsigned count = (unsigned)strtoul(argument, NULL, 10);
    wall_clock = aw_real_clock(-1);
    if (strcmp(what, "serve") == 0)
        return serve(argument);
    if (strcmp(what, "compare") == 0)
        return compare(count);
    if (strcmp(what, "ask") == 0 && argc == 5)
        return ask(argument, (uint32_t)strtoul(argv[3], NULL, 10),
                   (unsigned)strtoul(argv[4], NULL, 10));
    if (strcmp(what, "read") == 0)
        return read_until_lost(argument);
    if (strcmp(what, "open") == 0)
        return open_only(argument);
    if (strcmp(what, "list") == 0)
        return list();
    if (strcmp(what, "feature") == 0)
        return feature(argument);
    printf("see the beginning of the source\n");
    return 2;
}
