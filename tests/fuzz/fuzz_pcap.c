/* Any bytes as a capture file. The reader gets on, packets and what is inside lie within the bytes,
 * and the same packets come out whatever pieces the file is read in. The first byte is the size of
 * the pieces.
 */
#include <string.h>

#include "capture/packet.h"
#include "fuzz.h"

enum { ROOM = 4096 };

struct found {
    size_t packets;
    uint64_t hash;
};

static void must_be_inside(struct aw_span part, const uint8_t *from, const uint8_t *to)
{
    MUST(part.size == 0 || (part.data >= from && part.data + part.size <= to));
}

static void look_at(const struct aw_packet *packet, const uint8_t *buf, size_t size,
                    struct found *found)
{
    struct aw_payload payload = {0};
    must_be_inside(packet->data, buf, buf + size);
    if (packet->comment)
        must_be_inside((struct aw_span){(const uint8_t *)packet->comment, packet->comment_length},
                       buf, buf + size);
    found->packets++;
    for (size_t i = 0; i < packet->data.size; i++)
        found->hash = (found->hash ^ packet->data.data[i]) * UINT64_C(0x100000001B3);
    if (!aw_packet_open(packet, &payload) || payload.data.size == 0)
        return;
    if (payload.data.data >= payload.bytes &&
        payload.data.data < payload.bytes + sizeof payload.bytes)
        must_be_inside(payload.data, payload.bytes, payload.bytes + sizeof payload.bytes);
    else
        must_be_inside(payload.data, buf, buf + size);
}

/* Returns how many bytes are left. */
static size_t take_packets(struct aw_pcap_reader *reader, uint8_t *buf, size_t size,
                           struct found *found)
{
    struct aw_error err = {0};
    for (;;) {
        struct aw_packet packet = {0};
        size_t used = 0;
        enum aw_status status =
            aw_pcap_next(reader, (struct aw_span){buf, size}, &packet, &used, &err);
        MUST(used <= size);
        MUST(status == AW_OK || status == AW_MORE || status == AW_MALFORMED);
        if (status == AW_OK)
            look_at(&packet, buf, size, found);
        if (status == AW_MALFORMED)
            MUST(*err.text);
        MUST(status == AW_MORE || used > 0);
        memmove(buf, buf + used, size - used);
        size -= used;
        if (status == AW_MORE || size == 0)
            return size;
    }
}

static struct found read_in_pieces(struct aw_span in, size_t piece)
{
    static uint8_t buf[ROOM];
    struct aw_pcap_reader reader = {0};
    struct found found = {0};
    size_t have = 0;
    for (size_t at = 0; at < in.size; at += piece) {
        size_t n = in.size - at < piece ? in.size - at : piece;
        memcpy(buf + have, in.data + at, n);
        have = take_packets(&reader, buf, have + n, &found);
    }
    return found;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    if (size < 2 || size > ROOM)
        return 0;
    struct aw_span in = {data + 1, size - 1};
    aw_is_pcap(in);
    struct found whole = read_in_pieces(in, in.size), pieces = read_in_pieces(in, data[0] + 1u);
    MUST(whole.packets == pieces.packets && whole.hash == pieces.hash);
    return 0;
}
