/* Tests can: error frames in words, URLs, and errors on machines without CAN. tests/kernel/t_can.sh
 * tests frames on a bus, because few machines have one. */
#include "can_helper.h"

#include <linux/can.h>
#include <linux/can/error.h>
#include <sys/socket.h>

#include "link/can/can_error.h"
#include "picture_helper.h"

/* The golden file contains each bit alone. */
TEST(combined_errors_are_described)
{
    /* clang-format off */
    static const struct {
        uint32_t id;
        uint8_t data[8];
        const char *words;
    } cases[] = {
        {CAN_ERR_BUSOFF, {0, 0, 0, 0, 0, 0, 248, 3}, "bus-off: the controller has left the bus"},
        {CAN_ERR_ACK, {0, 0, 0, 0, 0, 0, 128, 0},
         "no ACK (no other node on the bus, or wrong bit rate); errors: 128 sending, 0 receiving"},
        {CAN_ERR_CRTL, {0, CAN_ERR_CRTL_RX_WARNING | CAN_ERR_CRTL_TX_WARNING},
         "many errors while receiving, many errors while sending"},
        {CAN_ERR_PROT | CAN_ERR_BUSERROR, {0, 0, CAN_ERR_PROT_STUFF}, "bit stuffing error"},
        {CAN_ERR_PROT | CAN_ERR_BUSERROR, {0}, "error on the bus"},
        {CAN_ERR_PROT | CAN_ERR_ACK, {0, 0, CAN_ERR_PROT_FORM},
         "no ACK (no other node on the bus, or wrong bit rate), frame format error"},
        {0, {0}, "an error frame"},
    };
    /* clang-format on */
    char words[160];
    EACH (row, cases) {
        aw_can_describe_error(row->id | CAN_ERR_FLAG, row->data, words, sizeof words);
        assert_string_equal(words, row->words);
    }
}

TEST(invalid_keys_are_refused)
{
    static const char *const bad[] = {"",      "x",         "800",     "040/800", "040/",
                                      "040/x", "040,,080/", "040;080", "-1",      "040/7E0 "};
    char url[80], many[400] = "can:can0?filter=1";
    EACH (row, bad) {
        snprintf(url, sizeof url, "can:can0?filter=%s", *row);
        assert_open_fails(url, AW_USAGE, "filter=");
    }
    for (int i = 0; i < 64; i++)
        strcat(many, ",1");
    assert_open_fails(many, AW_USAGE, "up to 64");
    assert_open_fails("can:can0?reconnect=maybe", AW_USAGE, "on|off");
    assert_open_fails("can:can0?bitrate=5", AW_USAGE, "can: unknown link key");
}

static bool has_can(void)
{
    int fd = socket(AF_CAN, SOCK_RAW, CAN_RAW);
    if (fd >= 0)
        close(fd);
    return fd >= 0;
}

TEST(missing_interface_is_reported_after_the_keys)
{
    static const char *const urls[] = {
        "can:awnope0",
        "can:awnope0?filter=040/7E0,0x080/0x7E0,123",
        "can:awnope0?reconnect=off&filter=7ff",
        "can:a-name-that-is-too-long-for-interfaces",
    };
    EACH (row, urls)
        assert_open_fails(*row, AW_NO_LINK,
                          has_can() ? "interface not found"
                                    : "CAN not supported by this kernel — use slcan: or sim:");
}

/* A link with every kind of event: a foreign frame, an own frame, interface down, link lost. */
struct told_link {
    struct aw_link base;
    int reads;
};

static enum aw_status told_read(struct aw_link *link, void *buf, size_t cap, size_t *got,
                                int64_t deadline, struct aw_error *err)
{
    static const uint8_t frame[] = {0x5E, 0x00, 0xAA};
    struct told_link *self = (struct told_link *)link;
    (void)deadline;
    assert_true(cap >= sizeof frame);
    *got = 0;
    link->rx.is_echo = ++self->reads == 2;
    link->n_dropped = (uint64_t)self->reads;
    link->rx.event[0] = '\0';
    if (self->reads == 4)
        return aw_fail(err, AW_LOST, "told: that was all");
    if (self->reads == 3) {
        strcpy(link->rx.event, "interface down");
        return AW_EVENT;
    }
    link->rx.time_ns = 1000 + self->reads;
    memcpy(buf, frame, sizeof frame);
    *got = sizeof frame;
    return AW_OK;
}

static enum aw_status told_write(struct aw_link *link, const void *buf, size_t size,
                                 struct aw_error *err)
{
    (void)buf, (void)size;
    return aw_fail(err, AW_LOST, "%s: is down", link->key);
}

static void told_close(struct aw_link *link)
{
    free(link);
}

static int told_fd(const struct aw_link *link)
{
    (void)link;
    return -1;
}

static const struct aw_link_ops told_ops = {
    .read = told_read,
    .write = told_write,
    .close = told_close,
    .fd = told_fd,
};

static struct aw_link *told_link(struct aw_clock *clock)
{
    struct told_link *self = calloc(1, sizeof *self);
    assert_non_null(self);
    self->base.ops = &told_ops;
    self->base.clock = clock;
    self->base.datagrams = true;
    return &self->base;
}

static void assert_tells_all(struct aw_link *link)
{
    assert_receives(link, "05E#AA");
    assert_int_equal(link->rx.time_ns, 1001);
    assert_false(link->rx.is_echo);
    assert_receives(link, "05E#AA");
    assert_int_equal(link->rx.time_ns, 1002);
    assert_true(link->rx.is_echo);
    assert_event(link, "interface down");
    assert_int_equal(link->n_dropped, 3);
    assert_false(link->is_lost);
    assert_read_is(link, AW_LOST, 0);
    assert_true(link->is_lost);
    assert_string_equal(link->rx.event, "");
    aw_link_close(link);
}

static void count_traces(void *context, bool tx, const void *buf, size_t size)
{
    (void)buf, (void)size;
    ((int *)context)[tx]++;
}

TEST(wrappers_forward_events)
{
    struct aw_virtual_clock clock = aw_virtual_clock();
    struct aw_link *link;
    int traces[2] = {0};
    assert_tells_all(told_link(&clock.base));
    assert_tells_all(aw_trace_wrap(told_link(&clock.base), count_traces, traces));
    /* An own frame is traced when it is written, not when it is read back. */
    assert_int_equal(traces[false], 1);
    assert_int_equal(wrap_link(&link, told_link(&clock.base), "told:?drop=0", false, NULL), AW_OK);
    assert_tells_all(link);
}

TEST(delayed_write_error_loses_the_link)
{
    struct aw_virtual_clock clock = aw_virtual_clock();
    struct aw_error err = {0};
    struct aw_link *link;
    char buf[16];
    size_t got;
    assert_int_equal(wrap_link(&link, told_link(&clock.base), "told:?delay=1ms", false, &err),
                     AW_OK);
    assert_int_equal(send_frame(link, "05E#AA", &err), AW_OK);
    clock.time_ns += 2 * AW_MILLISECOND;
    assert_int_equal(aw_link_read(link, buf, sizeof buf, &got, AW_NEVER, &err), AW_LOST);
    assert_has(err.text, ": is down");
    aw_link_close(link);
}

static void count_receive(struct aw_device *device, const void *buf, size_t size, int64_t now)
{
    struct echo_device *self = (struct echo_device *)device;
    echo_receive(device, buf, size, now);
    self->connections++; /* counts the calls */
}

TEST(served_device_ignores_its_own_frames)
{
    struct aw_device_ops ops = echo_ops;
    struct aw_virtual_clock clock = aw_virtual_clock();
    struct aw_link *link = told_link(&clock.base);
    struct echo_device *device = echo_device(0);
    struct aw_error err;
    ops.receive = count_receive;
    device->base.ops = &ops;
    /* Every write fails, as on an interface that is down. Only a read may end the service. */
    assert_error(aw_device_serve(&device->base, link, &err), AW_LOST, &err, "told: that was all");
    assert_int_equal(device->connections, 1);
    aw_link_close(link);
    device->base.ops->close(&device->base);
}

/* Tries each bit of each byte in each error class that changes the words, valid and invalid
 * lengths, and the error counters. */
TEST(all_error_bits_match_the_golden_file)
{
    uint8_t all[8];
    char plain[160], words[160];
    FILE *out = begin_picture();
    for (int class = 0; class < 29; class ++) {
        uint32_t id = (uint32_t)1 << class | CAN_ERR_FLAG;
        uint8_t data[8] = {0};
        aw_can_describe_error(id, data, plain, sizeof plain);
        fprintf(out, "%08X: %s\n", id, plain);
        /* The last bytes are error counters. */
        for (int bit = 0; bit < (class == 0 ? 64 : 48); bit++) {
            memset(data, 0, sizeof data);
            data[bit / 8] = (uint8_t)(1 << bit % 8);
            aw_can_describe_error(id, data, words, sizeof words);
            if (strcmp(words, plain) != 0)
                fprintf(out, "\tbyte %d bit %d: %s\n", bit / 8, bit % 8, words);
        }
    }
    memset(all, 0xFF, sizeof all);
    aw_can_describe_error(CAN_ERR_FLAG | CAN_ERR_CRTL | CAN_ERR_LOSTARB, all, plain, sizeof plain);
    fprintf(out, "all: %s\n", plain);
    for (size_t room = 1; room <= 90; room++) {
        aw_can_describe_error(CAN_ERR_FLAG | CAN_ERR_CRTL | CAN_ERR_LOSTARB, all, words, room);
        assert_true(strlen(words) < room && strncmp(words, plain, strlen(words)) == 0);
    }
    aw_can_describe_error(UINT32_MAX, all, words, sizeof words);
    assert_int_equal(strlen(words), sizeof words - 1);
    end_picture(out, "can-errors.txt");
}
