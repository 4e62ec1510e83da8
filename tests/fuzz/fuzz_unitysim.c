/* Both ends of the virtual arm under any datagrams. The first byte chooses: the simulator gets
 * them, or a client that moves a joint meanwhile. Then, again and again: a size, so many bytes; a
 * size above 127 counts without its top bit, and the last byte is made a good checksum.
 *
 * The simulator must stay where its limits let it and say nothing that is not of the protocol; the
 * client must not send a speed above the cap or for a joint that it was not asked to move.
 */
#include <math.h>
#include <string.h>

#include "fuzz.h"
#include "link/device.h"
#include "unitysim/client.h"
#include "unitysim/device.h"

enum { ROOM = 128, MENDED = 0x80 };

struct input {
    const uint8_t *data;
    size_t size;
};

static bool next(struct input *input, uint8_t *datagram, size_t *size)
{
    if (input->size == 0)
        return false;
    bool mended = input->data[0] & MENDED;
    *size = input->data[0] & (MENDED - 1);
    input->data++;
    input->size--;
    if (*size > input->size)
        *size = input->size;
    memcpy(datagram, input->data, *size);
    input->data += *size;
    input->size -= *size;
    if (mended && *size > 3)
        datagram[*size - 1] = aw_unitysim_protocol.checksum(datagram, *size - 1);
    return true;
}

/* The simulator */

static void check_said(struct aw_device *device)
{
    static struct aw_wire wire;
    uint8_t bytes[AW_DEVICE_MESSAGE];
    struct aw_record record;
    size_t size;
    aw_wire_init(&wire, &aw_unitysim_protocol, NULL, false);
    while ((size = device->ops->transmit(device, bytes, sizeof bytes)) > 0) {
        MUST(aw_wire_decode(&wire, AW_RX, (struct aw_span){bytes, size}, &record, NULL) == AW_OK);
        MUST(record.dir == AW_RX);
    }
}

static void check_truth(struct aw_device *device, int64_t now)
{
    struct aw_unity_truth truth;
    aw_unity_device_truth(device, now, &truth);
    MUST(truth.counters.received == truth.counters.applied + truth.counters.empty +
                                        truth.counters.header + truth.counters.checksum +
                                        truth.counters.size + truth.counters.type);
    for (int i = 0; i < AW_UNITY_JOINTS; i++)
        MUST(isfinite(truth.degrees[i]) && truth.degrees[i] >= -180 &&
             truth.degrees[i] <= aw_unity_degrees(65535));
}

static void try_simulator(struct input *input)
{
    struct aw_unity_device_options options = aw_unity_device_defaults();
    options.scene = 1;
    struct aw_device *device = aw_unity_device(&options);
    uint8_t datagram[ROOM];
    size_t size;
    int64_t now = 0;
    MUST(device);
    while (next(input, datagram, &size)) {
        device->ops->receive(device, datagram, size, now);
        now += 7 * AW_MILLISECOND;
        device->ops->step(device, now);
        check_said(device);
        check_truth(device, now);
    }
    device->ops->close(device);
}

/* The client */

struct line {
    struct aw_link base;
    struct input input;
    struct aw_wire wire;
};

static enum aw_status line_read(struct aw_link *link, void *buf, size_t cap, size_t *got,
                                int64_t deadline, struct aw_error *err)
{
    struct line *line = (struct line *)link;
    uint8_t datagram[ROOM];
    size_t size = 0;
    (void)err;
    *got = 0;
    int64_t soon = aw_clock_now(link->clock) + 5 * AW_MILLISECOND;
    aw_clock_wait(link->clock, -1, 0, soon < deadline ? soon : deadline);
    while (size == 0)
        if (!next(&line->input, datagram, &size))
            return soon < deadline ? aw_clock_wait(link->clock, -1, 0, deadline) : AW_TIMEOUT;
    *got = size < cap ? size : cap;
    memcpy(buf, datagram, *got);
    return AW_OK;
}

static enum aw_status line_write(struct aw_link *link, const void *buf, size_t size,
                                 struct aw_error *err)
{
    struct line *line = (struct line *)link;
    struct aw_record record;
    const struct aw_span frame = {buf, size};
    MUST(aw_wire_decode(&line->wire, AW_TX, frame, &record, err) == AW_OK);
    if (strcmp(record.codec->message->name, "control") != 0)
        return AW_OK;
    MUST(aw_record_get(&record, "elbow.velocity") <= aw_unity_velocity_cap(AW_UNITY_ELBOW));
    MUST(aw_record_get(&record, "shoulder.state") <= AW_UNITY_STOP);
    MUST(aw_record_get(&record, "hand.state") <= AW_UNITY_STOP);
    return AW_OK;
}

static void line_close(struct aw_link *link)
{
    (void)link;
}

static int line_fd(const struct aw_link *link)
{
    (void)link;
    return -1;
}

static void try_client(struct input *input)
{
    static const struct aw_link_ops ops = {line_read, line_write, line_close, line_fd};
    static struct line line;
    static struct aw_unity unity;
    struct aw_virtual_clock clock = aw_virtual_clock();
    struct aw_unity_options options = aw_unity_defaults();
    struct aw_unity_move move = {.timeout_ns = AW_SECOND};
    line = (struct line){.base = {.ops = &ops, .clock = &clock.base, .datagrams = true},
                         .input = *input};
    aw_wire_init(&line.wire, &aw_unitysim_protocol, NULL, false);
    options.samples_max = 0;
    aw_unity_init(&unity, &line.base, NULL, &options);
    aw_unity_move_to(&move, AW_UNITY_ELBOW, 2500);
    aw_unity_move(&unity, &move, NULL, NULL, NULL);
    aw_unity_stop(&unity, NULL);
    MUST(clock.time_ns < 60 * AW_SECOND);
    aw_unity_free(&unity);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    if (size < 1)
        return 0;
    struct input input = {data + 1, size - 1};
    if (data[0] & 1)
        try_client(&input);
    else
        try_simulator(&input);
    return 0;
}
