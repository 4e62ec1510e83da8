/* Fuzzes CAN frames as text: candump lines, slcan, input of our slcan adapter, and error frames.
 * The first byte chooses the part.
 *
 * A parsed frame must be valid and must survive a round trip. The adapter passes on only frames,
 * and answers in slcan.
 */
#include <fcntl.h>

#include "capture/candump.h"
#include "link/can/can_error.h"
#include "link/can/can_text.h"
#include "link/can/slcan_codec.h"
#include "link/open.h"
#include "peer.h"
#include "wire/can_id.h"

static void must_be_frame(const uint8_t *datagram, size_t size)
{
    size_t head = aw_can_head_size((struct aw_span){datagram, size});
    MUST(head && size - head <= AW_CAN_DATA_MAX);
    struct aw_can_id can = aw_can_id_of(datagram);
    MUST(can.id <= (can.is_long ? AW_CAN_LONG_MAX : AW_CAN_SHORT_MAX));
}

static void try_candump(const uint8_t *data, size_t size)
{
    struct aw_candump line, again;
    char text[AW_CANDUMP_MAX];
    if (!aw_candump_parse((const char *)data, size, &line) || line.size == 0)
        return;
    must_be_frame(line.bytes, line.size);
    if (!line.has_time || line.time_ns < 0)
        return;
    struct aw_span frame = {line.bytes, line.size};
    size_t length = aw_candump_write(text, "can0", line.time_ns, frame);
    MUST(length <= sizeof text && text[length - 1] == '\n');
    MUST(aw_candump_parse(text, length - 1, &again));
    MUST(again.size == line.size && memcmp(again.bytes, line.bytes, line.size) == 0);
}

static void try_slcan(const uint8_t *data, size_t size)
{
    struct aw_slcan_reader reader = {0}, second = {0};
    uint8_t datagram[AW_CAN_DATAGRAM], again[AW_CAN_DATAGRAM];
    char line[AW_SLCAN_LINE];
    size_t n, n_again;
    int time_ms, time_again;
    for (size_t i = 0; i < size; i++) {
        if (!aw_slcan_add_byte(&reader, data[i]) ||
            aw_slcan_decode(&reader, datagram, &n, &time_ms) != AW_SLCAN_FRAME)
            continue;
        must_be_frame(datagram, n);
        aw_slcan_encode(datagram, n, time_ms, line);
        bool complete = false;
        for (const char *p = line; *p; p++)
            complete = aw_slcan_add_byte(&second, (uint8_t)*p);
        MUST(complete);
        MUST(aw_slcan_decode(&second, again, &n_again, &time_again) == AW_SLCAN_FRAME);
        MUST(n == n_again && memcmp(datagram, again, n) == 0 && time_ms == time_again);
    }
}

static void check_adapter(struct peer *peer, struct aw_span bytes)
{
    struct aw_slcan_reader reader = {0};
    uint8_t datagram[AW_CAN_DATAGRAM];
    size_t size;
    int time_ms;
    bool complete = false;
    (void)peer;
    for (size_t i = 0; i < bytes.size; i++)
        complete = aw_slcan_add_byte(&reader, bytes.data[i]);
    MUST(complete && aw_slcan_decode(&reader, datagram, &size, &time_ms) != AW_SLCAN_BROKEN);
}

/* Serves the device's end of a line with the peer at the other end; each run is a new
 * connection. */
static void serve(struct aw_link **link, struct peer *peer, const char *url, const uint8_t *data,
                  size_t size)
{
    uint8_t frame[AW_CAN_DATAGRAM];
    unsigned connections = peer->base.n_connections;
    size_t got;
    struct aw_error err;
    peer_init(peer, &aw_canpid_protocol, &aw_canpid_protocol.variants[0], data, size);
    peer->base.n_connections = connections + 1;
    if (!*link) {
        const struct aw_link_options options = {.clock = &peer->clock.base};
        MUST(aw_link_open(link, url, &options, &err) == AW_OK);
        struct aw_can_text *text = (struct aw_can_text *)*link;
        aw_link_close(text->inner);
        text->inner = &peer->base;
    }
    while (aw_link_read(*link, frame, sizeof frame, &got, AW_NEVER, &err) == AW_OK) {
        must_be_frame(frame, got);
        enum aw_status status = aw_link_write(*link, frame, got, &err);
        MUST(status == AW_OK || status == AW_REFUSED); /* an adapter may refuse a frame */
    }
}

static void try_adapter(const uint8_t *data, size_t size)
{
    static struct aw_link *link;
    static struct peer peer = {.received = check_adapter};
    serve(&link, &peer, "slcan:pty:", data, size);
}

/* Opens the computer's end of an adapter's line; the adapter never answers. */
static void try_computer(const uint8_t *data, size_t size)
{
    static struct aw_link *link;
    static struct peer peer;
    static char url[64];
    static int pty = -1;
    if (!link) {
        MUST((pty = posix_openpt(O_RDWR | O_NOCTTY)) >= 0 && unlockpt(pty) == 0);
        snprintf(url, sizeof url, "slcan:%s?silent=yes&time=on", ptsname(pty));
    }
    serve(&link, &peer, url, data, size);
}

static void try_error(const uint8_t *data, size_t size)
{
    uint8_t frame[12] = {0};
    uint32_t id;
    char words[160];
    memcpy(frame, data, size < sizeof frame ? size : sizeof frame);
    memcpy(&id, frame, sizeof id);
    aw_can_describe_error(id, frame + 4, words, sizeof words);
    MUST(*words && memchr(words, '\0', sizeof words));
}

PARTS(try_candump, try_slcan, try_adapter, try_computer, try_error)
