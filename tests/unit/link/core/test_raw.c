/* Tests that the raw bytes of a link arrive like those of aw_link_write. */
#include "link/open.h"
#include "link_helper.h"

#include <stdio.h>

static void write_raw(const struct aw_link *link, const void *buf, size_t size)
{
    uint8_t bytes[100];
    struct aw_link_raw raw = {
        .bytes = bytes, .cap = sizeof bytes, .address = (const void *)bytes, .address_size = 99};
    assert_true(aw_link_raw(link, buf, size, &raw));
    assert_int_equal(raw.address_size, raw.address ? sizeof(struct sockaddr_in) : 0);
    assert_int_equal(raw.address_size
                         ? sendto(raw.fd, bytes, raw.size, 0, raw.address, raw.address_size)
                         : write(raw.fd, bytes, raw.size),
                     raw.size);
    raw.cap = raw.size - 1;
    assert_false(aw_link_raw(link, buf, size, &raw));
}

/* Reads until the text arrives; returns true if it does. */
static bool arrives(int fd, const char *text)
{
    char all[400] = "";
    size_t used = 0;
    ssize_t n;
    while (!strstr(all, text) && (n = recv(fd, all + used, sizeof all - 1 - used, 0)) > 0)
        used += (size_t)n;
    return strstr(all, text) != NULL;
}

TEST(raw_bytes_arrive_like_a_write)
{
    static const struct {
        const char *url, *frame, *bytes;
        size_t size;
        int type;
    } cases[] = {
        {"tcp:127.0.0.1:%u", "0DEG1,090\r\n", "0DEG1,090\r\n", 11, SOCK_STREAM},
        {"tcp:127.0.0.1:%u?drop=100%%", "0DEG1,090\r\n", "0DEG1,090\r\n", 11, SOCK_STREAM},
        {"udp:127.0.0.1:%u?listen=0", "hello", "hello", 5, SOCK_DGRAM},
        {"slcan:tcp:127.0.0.1:%u?silent=yes", "\x44\0\x39\x8E", "\rt0442398E\r", 4, SOCK_STREAM},
    };
    EACH (row, cases) {
        unsigned port;
        FD listener = socket_at(AF_INET, row->type, "127.0.0.1", &port);
        assert_true(row->type == SOCK_DGRAM || listen(listener, 1) == 0);
        LINK link = opened(text_of(row->url, port));
        int peer = row->type == SOCK_DGRAM ? dup(listener) : accept(listener, NULL, NULL);
        write_raw(link, row->frame, row->size);
        assert_true(arrives(peer, row->bytes));
        close(peer);
    }
}

TEST(simulator_has_no_raw_bytes)
{
    struct aw_virtual_clock clock = aw_virtual_clock();
    struct echo_device *device = echo_device(0);
    LINK link = aw_sim_link(&device->base, &clock.base, true, "sim:");
    uint8_t bytes[10];
    struct aw_link_raw raw = {.bytes = bytes, .cap = sizeof bytes};
    assert_false(aw_link_raw(link, "x", 1, &raw));
}
