/* The other end of a link in virtual time, controlled by the input.
 *
 * The input is split into pieces: a byte with the number of following bytes, then these bytes; 0:
 * silence for a while. If its top bit is set, the target repairs the piece (valid checksum, line
 * end, requested id), so that fuzzing passes the first check of a message.
 */
#ifndef TESTS_FUZZ_PEER_H
#define TESTS_FUZZ_PEER_H

#include "fuzz.h"
#include "link/core/device.h"

enum { PIECE_MAX = 127, MENDED = 0x80, PIECE_ROOM = PIECE_MAX + 33 };

#define PIECE_NS  (5 * AW_MILLISECOND) /* interval between pieces */
#define SILENT_NS (100 * AW_MILLISECOND)

struct input {
    const uint8_t *data;
    size_t size;
};

struct segment {
    uint8_t data[PIECE_ROOM]; /* includes room for repairs */
    size_t size;
    bool mended;
};

static inline bool next_piece(struct input *input, struct segment *segment)
{
    if (input->size == 0)
        return false;
    segment->mended = input->data[0] & MENDED;
    segment->size = input->data[0] & (MENDED - 1);
    input->data++;
    input->size--;
    if (segment->size > input->size)
        segment->size = input->size;
    memset(segment->data, 0, sizeof segment->data);
    memcpy(segment->data, input->data, segment->size);
    input->data += segment->size;
    input->size -= segment->size;
    return true;
}

/* A link for a client: reads deliver the pieces. mend and received (either may be NULL) see
 * reads and writes. After the input no data follows, and a read without a deadline loses the
 * link. */
struct peer {
    struct aw_link base;
    struct aw_virtual_clock clock;
    struct input input;
    int64_t due_ns; /* arrival time of the next piece */
    void (*mend)(struct peer *peer, struct segment *segment);
    void (*received)(struct peer *peer, struct aw_span bytes);
    struct aw_wire wire;
    uint8_t asked[4]; /* first bytes of the last write */
};

/* Waits for the next piece. */
static inline enum aw_status peer_wait(struct peer *peer, struct segment *segment, int64_t deadline,
                                       struct aw_error *err)
{
    struct aw_clock *clock = &peer->clock.base;
    do {
        if (peer->input.size == 0 && deadline == AW_NEVER)
            return aw_fail(err, AW_LOST, "the input is at its end");
        if (peer->input.size == 0 || peer->due_ns > deadline)
            return aw_clock_wait(clock, -1, 0, deadline);
        aw_clock_wait(clock, -1, 0, peer->due_ns);
        next_piece(&peer->input, segment);
        peer->due_ns = aw_clock_now(clock) + (segment->size ? PIECE_NS : SILENT_NS);
    } while (segment->size == 0);
    return AW_OK;
}

static inline enum aw_status peer_read(struct aw_link *link, void *buf, size_t cap, size_t *got,
                                       int64_t deadline, struct aw_error *err)
{
    struct peer *peer = (struct peer *)link;
    struct segment segment = {.size = 0};
    enum aw_status status = peer_wait(peer, &segment, deadline, err);
    *got = 0;
    if (status != AW_OK)
        return status;
    if (segment.mended && peer->mend)
        peer->mend(peer, &segment);
    *got = segment.size < cap ? segment.size : cap;
    memcpy(buf, segment.data, *got);
    return AW_OK;
}

static inline enum aw_status peer_write(struct aw_link *link, const void *buf, size_t size,
                                        struct aw_error *err)
{
    struct peer *peer = (struct peer *)link;
    (void)err;
    MUST(size > 0);
    memcpy(peer->asked, buf, size < sizeof peer->asked ? size : sizeof peer->asked);
    if (peer->received)
        peer->received(peer, (struct aw_span){buf, size});
    return AW_OK;
}

static inline void peer_close(struct aw_link *link)
{
    (void)link;
}

static inline int peer_fd(const struct aw_link *link)
{
    (void)link;
    return -1;
}

/* Initialises a peer whose mend and received are set. Their wire is reused in later runs, because
 * creating its codecs is slow. */
static inline void peer_init(struct peer *peer, const struct aw_protocol *protocol,
                             const struct aw_variant *variant, const uint8_t *data, size_t size)
{
    static const struct aw_link_ops ops = {
        .read = peer_read, .write = peer_write, .close = peer_close, .fd = peer_fd};
    peer->clock = aw_virtual_clock();
    peer->base = (struct aw_link){.ops = &ops, .clock = &peer->clock.base, .key = "fuzz"};
    peer->input = (struct input){data, size};
    peer->due_ns = PIECE_NS;
    if (!peer->wire.protocol || strcmp(peer->wire.variant.name, variant->name) != 0)
        aw_wire_init(&peer->wire, protocol, variant, false);
}

/* Requires that the device sends only messages of its protocol, in the variant of this name or, if
 * NULL, the first one. */
static inline void must_send_messages(struct aw_device *device, const struct aw_protocol *protocol,
                                      const char *variant)
{
    static struct aw_wire wires[2];
    struct aw_wire *wire = &wires[variant != NULL];
    uint8_t bytes[AW_DEVICE_MESSAGE];
    struct aw_record record;
    size_t size;
    if (!wire->protocol)
        aw_wire_init(wire, protocol, variant ? aw_protocol_variant(protocol, variant) : NULL,
                     false);
    while ((size = device->ops->transmit(device, bytes, sizeof bytes)) > 0) {
        struct aw_span in = {bytes, size};
        MUST(aw_wire_decode(wire, AW_RX, in, &record, NULL) == AW_OK && record.dir == AW_RX);
    }
}

/* Feeds the pieces to a device and calls check after each of them. mend, which may be NULL, gets no
 * peer. */
static inline void feed_device(struct aw_device *device, const uint8_t *data, size_t size,
                               void (*mend)(struct peer *peer, struct segment *segment),
                               void (*check)(struct aw_device *device, int64_t now))
{
    struct input input = {data, size};
    struct segment segment;
    int64_t now = 0;
    MUST(device);
    while (next_piece(&input, &segment)) {
        if (segment.mended && mend)
            mend(NULL, &segment);
        if (segment.size > 0)
            device->ops->receive(device, segment.data, segment.size, now);
        now += segment.size ? PIECE_NS : SILENT_NS;
        device->ops->step(device, now);
        check(device, now);
    }
    aw_device_close(device);
}

#endif
