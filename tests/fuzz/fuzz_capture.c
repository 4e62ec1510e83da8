/* Captures from anywhere: pcapng and pcap in pieces of any size, and whatever their packets hold.
 *
 * All that is handed on lies within the input, reading always gets on, and where the pieces are cut
 * changes nothing.
 */
#include "fuzz.h"

#include "capture/packet.h"

/* A number for everything that was found in one packet. */
static uint64_t look_into(const struct aw_packet *packet, struct aw_span in)
{
    struct aw_payload payload;
    uint64_t sum = (uint64_t)packet->time_ns * 31 + packet->data.size + packet->dir;
    MUST(packet->data.data >= in.data && packet->data.size <= in.size);
    MUST(packet->data.data + packet->data.size <= in.data + in.size);
    for (size_t i = 0; i < packet->comment_length; i++)
        sum = sum * 31 + (uint8_t)packet->comment[i];
    if (!aw_packet_open(packet, &payload))
        return sum;
    for (size_t i = 0; i < payload.data.size; i++)
        sum = sum * 31 + payload.data.data[i];
    return sum;
}

/* Reads the input in pieces that grow by step. */
static uint64_t read_all(struct aw_span in, size_t step)
{
    struct aw_pcap_reader reader = {0};
    struct aw_error err;
    uint64_t sum = 0;
    for (size_t at = 0, end = 0; end < in.size;) {
        end = in.size - end < step ? in.size : end + step;
        for (enum aw_status status = AW_OK; status != AW_MORE;) {
            struct aw_packet packet;
            size_t used;
            struct aw_span piece = {in.data + at, end - at};
            status = aw_pcap_next(&reader, piece, &packet, &used, &err);
            MUST(used <= piece.size && (used > 0 || status == AW_MORE));
            at += used;
            if (status != AW_MORE)
                sum = sum * 31 + (status == AW_OK ? look_into(&packet, in) : 1);
        }
    }
    return sum;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct aw_span in = {data, size};
    uint64_t sum = read_all(in, size + 1);
    for (size_t step = 1; step < 64 && step < size; step = step * 3 + 1)
        MUST(read_all(in, step) == sum);
    return 0;
}
