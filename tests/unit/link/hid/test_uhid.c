/* Tests uhid:, the board's end. This program plays the kernel behind /dev/uhid: it reads the
 * link's requests, creates nodes in a fake sysfs and sends the driver's messages.
 * tests/kernel/t_hid.sh checks the same with a real kernel. */
#include "file_helper.h"

#include <linux/input.h>
#include <linux/uhid.h>
#include <sys/socket.h>

#include "link/hid/hid.h"
#include "link/open.h"

#define DEVICES "/sys/devices/virtual/misc/uhid/"
#define BOARD   DEVICES "0003:16C0:0486.0002"

/* Errors are errno values; 0: none. */
static struct {
    int ends[2]; /* ends of the link and of the kernel */
    int open_error, read_error, write_error;
    bool makes_no_node;
    struct uhid_event created;
} kernel;

static void make_node(const struct uhid_event *event)
{
    const char *uevent =
        text_of("DRIVER=hid-generic\nHID_PHYS=%s\nHID_UNIQ=%s\n",
                (const char *)event->u.create2.phys, (const char *)event->u.create2.uniq);
    other_file(DEVICES "0003:16C0:0486.0001/uevent", "DRIVER=hid-generic\nHID_PHYS=other\n");
    other_file(BOARD "/uevent", uevent);
    other_file(BOARD "/hidraw/hidraw9/dev", "240:9\n");
    other_device("/dev/hidraw9", "/dev/null");
}

static int open_uhid(const char *path)
{
    if (strcmp(path, "/dev/uhid") != 0)
        return OTHER_OPEN;
    errno = kernel.open_error;
    if (kernel.open_error ||
        socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_NONBLOCK | SOCK_CLOEXEC, 0, kernel.ends) != 0)
        return -1;
    return kernel.ends[0];
}

/* Reports an error once. */
static bool fails(int fd, int *error)
{
    if (fd < 0 || fd != kernel.ends[0] || !*error)
        return false;
    errno = *error;
    *error = 0;
    return true;
}

ssize_t write(int fd, const void *buf, size_t size)
{
    uint32_t type;
    if (fails(fd, &kernel.write_error))
        return -1;
    ssize_t n = NEXT(write)(fd, buf, size);
    if (fd < 0 || fd != kernel.ends[0])
        return n;
    memcpy(&type, buf, sizeof type);
    if (type != UHID_CREATE2)
        return n;
    assert_int_equal(recv(kernel.ends[1], &kernel.created, sizeof kernel.created, 0), size);
    if (!kernel.makes_no_node)
        make_node(&kernel.created);
    return n;
}

ssize_t read(int fd, void *buf, size_t size)
{
    return fails(fd, &kernel.read_error) ? -1 : NEXT(read)(fd, buf, size);
}

static void load(void)
{
    memset(&kernel, 0, sizeof kernel);
    memset(kernel.ends, -1, sizeof kernel.ends);
    int failed = other_begin();
    other_open = open_uhid;
    assert_int_equal(failed, 0);
}

static void unload(void)
{
    close(kernel.ends[1]); /* the link owns the other end */
    kernel.ends[0] = -1;
    assert_int_equal(other_end(), 0);
}

static void tell(const struct uhid_event *event)
{
    assert_int_equal(send(kernel.ends[1], event, sizeof *event, 0), sizeof *event);
}

static void tell_output(const char *data, uint16_t size)
{
    struct uhid_event event = {.type = UHID_OUTPUT, .u.output.size = size};
    memcpy(event.u.output.data, data, size);
    tell(&event);
}

/* Returns the link's next message to the kernel. */
static struct uhid_event received(void)
{
    struct uhid_event event = {0};
    assert_true(recv(kernel.ends[1], &event, sizeof event, MSG_DONTWAIT) > 0);
    return event;
}

static void nothing_heard(void)
{
    char byte;
    assert_int_equal(recv(kernel.ends[1], &byte, 1, MSG_DONTWAIT), -1);
    assert_int_equal(errno, EAGAIN);
}

TEST_WITH(load, unload, virtual_board_is_created)
{
    LINK link = opened("uhid:?serial=T1");
    const struct uhid_create2_req *board = &kernel.created.u.create2;
    assert_string_equal(link->key, "uhid:T1");
    assert_string_equal(link->client_url, "hid:/dev/hidraw9");
    assert_true(link->datagrams);
    assert_int_equal(aw_link_fd(link), kernel.ends[0]);
    assert_string_equal((const char *)board->uniq, "T1");
    assert_string_equal((const char *)board->name, "Adafruit ItsyBitsy M4");
    assert_int_equal(board->bus, BUS_USB);
    assert_int_equal(board->vendor, test_boards->vendor);
    assert_int_equal(board->product, test_boards->product);
    /* The usage page of the vendor. */
    assert_memory_equal(board->rd_data, "\x06\x00\xFF\x09\x01\xA1\x01", 7);
    assert_int_equal(board->rd_data[board->rd_size - 1], 0xC0);
}

TEST_WITH(load, unload, each_board_gets_a_unique_serial_number)
{
    struct uhid_event first;
    LINK link = opened("uhid:");
    first = kernel.created;
    assert_memory_equal(link->key, "uhid:SIM", 8);
    aw_link_close(link);
    unload();
    load();
    link = opened("uhid:");
    assert_string_not_equal((const char *)first.u.create2.uniq,
                            (const char *)kernel.created.u.create2.uniq);
    assert_string_not_equal((const char *)first.u.create2.phys,
                            (const char *)kernel.created.u.create2.phys);
}

TEST_WITH(load, unload, reports_are_sent_and_received)
{
    char report[AW_HID_REPORT + 2] = "\0\x25joints";
    struct aw_error err = {0};
    LINK link = opened("uhid:");
    tell(&(struct uhid_event){.type = UHID_START});
    tell(&(struct uhid_event){.type = UHID_OPEN});
    tell_output(report, AW_HID_REPORT + 1); /* the first byte is the report number, 0 */
    assert_read_gives(link, AW_HID_REPORT, report + 1, AW_HID_REPORT);
    tell_output("\x25", 1); /* some drivers send no report number */
    assert_read_gives(link, AW_HID_REPORT, "\x25", 1);
    tell_output("", 0);
    tell_output(report + 1, AW_HID_REPORT + 1); /* longer than any report */
    assert_read_gives(link, 2 * AW_HID_REPORT, report + 1, AW_HID_REPORT);
    tell_output(report, AW_HID_REPORT + 1);
    assert_read_gives(link, 3, "\x25jo", 3); /* a short buffer discards the rest */
    tell(&(struct uhid_event){.type = UHID_CLOSE});
    assert_read_is(link, AW_TIMEOUT, 0);
    nothing_heard();

    assert_int_equal(aw_link_write(link, report + 1, AW_HID_REPORT, &err), AW_OK);
    struct uhid_event input = received();
    assert_int_equal(input.type, UHID_INPUT2);
    assert_int_equal(input.u.input2.size, AW_HID_REPORT);
    assert_memory_equal(input.u.input2.data, report + 1, AW_HID_REPORT);
    assert_write_fails(link, report, AW_HID_REPORT + 1, AW_USAGE,
                       ": report too long (65 bytes, max 64) — shorten it");
    nothing_heard();
}

TEST_WITH(load, unload, control_requests_are_refused)
{
    LINK link = opened("uhid:");
    tell(&(struct uhid_event){.type = UHID_GET_REPORT, .u.get_report.id = 77});
    tell(&(struct uhid_event){.type = UHID_SET_REPORT, .u.set_report.id = 78});
    assert_read_is(link, AW_TIMEOUT, 0);
    struct uhid_event reply = received();
    assert_int_equal(reply.type, UHID_GET_REPORT_REPLY);
    assert_int_equal(reply.u.get_report_reply.id, 77);
    assert_int_equal(reply.u.get_report_reply.err, EIO);
    reply = received();
    assert_int_equal(reply.type, UHID_SET_REPORT_REPLY);
    assert_int_equal(reply.u.set_report_reply.id, 78);
    assert_int_equal(reply.u.set_report_reply.err, EIO);
}

TEST_WITH(load, unload, runtime_errors_are_reported)
{
    struct aw_error err = {0};
    char buf[AW_HID_REPORT];
    size_t got;
    LINK link = opened("uhid:?serial=T1");
    kernel.write_error = EINTR; /* tries again */
    assert_writes(link, "a");
    assert_int_equal(received().u.input2.data[0], 'a');
    kernel.write_error = EINVAL; /* the driver was unbound, so no program reads */
    assert_writes(link, "b");
    nothing_heard();
    kernel.write_error = ENODEV;
    assert_write_fails(link, "c", 1, AW_LOST, "uhid:T1: connection lost: No such device");

    static const int passing[] = {EAGAIN, EINTR};
    EACH (row, passing) {
        kernel.read_error = *row;
        tell_output("d", 1);
        assert_reads(link, "d");
    }
    kernel.read_error = EIO;
    tell_output("e", 1);
    assert_int_equal(aw_link_read(link, buf, sizeof buf, &got, AW_NEVER, &err), AW_LOST);
    assert_has(err.text, "uhid:T1: connection lost: Input/output error");
}

TEST_WITH(load, unload, kernel_errors_are_explained)
{
    static const int permission[] = {EACCES, EPERM};
    EACH (row, permission) {
        kernel.open_error = *row;
        assert_open_fails(
            "uhid:", AW_NO_LINK,
            "uhid: /dev/uhid: permission denied — run the command with sudo, or: sudo chgrp");
    }
    kernel.open_error = ENOENT;
    assert_open_fails("uhid:", AW_NO_LINK,
                      "uhid: /dev/uhid: No such file or directory — run: sudo modprobe uhid; or "
                      "use unix-listen: or sim:");
    kernel.open_error = 0;
    assert_open_fails("uhid:1", AW_USAGE, "uhid:1: unexpected address");
    assert_open_fails("uhid:?serial=0123456789012345678901234567890123456789abcdefgh", AW_USAGE,
                      "not 1 to 47 characters");
}

static int open_and_break(const char *path)
{
    int fd = open_uhid(path);
    kernel.write_error = ENOMEM;
    return fd;
}

TEST_WITH(load, unload, failed_device_creation_is_reported)
{
    other_open = open_and_break;
    assert_open_fails("uhid:", AW_NO_LINK, "uhid: cannot create the device: Cannot allocate");
}

TEST_WITH(load, unload, missing_node_times_out)
{
    struct aw_virtual_clock clock = aw_virtual_clock();
    kernel.makes_no_node = true;
    assert_open_fails_by(&clock.base, "uhid:", AW_NO_LINK,
                         "uhid: no /dev/hidraw node appeared — try: sudo modprobe hid-generic");
    assert_in_range(clock.time_ns, 5 * AW_SECOND, 6 * AW_SECOND);

    FD stop = eventfd(1, 0);
    struct aw_real_clock stopped = aw_real_clock(stop);
    close(kernel.ends[1]);
    assert_open_fails_by(&stopped.base, "uhid:", AW_STOPPED, "uhid: interrupted");
}
