/* Fuzzes any bytes as a stream of any protocol. The reader must always advance, stay within its
 * bytes and find the same frames for pieces of any size. Byte 3 selects the size of the pieces. */
#include <string.h>

#include "fuzz.h"

enum { ROOM = 1 << 16 };

struct found {
    size_t frames, bytes;
    uint64_t hash, skipped;
};

static void note(struct found *found, struct aw_span frame)
{
    found->frames++;
    found->bytes += frame.size;
    for (size_t i = 0; i < frame.size; i++)
        found->hash = (found->hash ^ frame.data[i]) * UINT64_C(0x100000001B3);
}

/* Reads all complete frames from the buffer; returns the number of bytes left. */
static size_t handle_frames(struct aw_wire *wire, struct aw_framer *framer, uint8_t *buf,
                            size_t size, struct found *found)
{
    struct aw_record record;
    struct aw_error err;
    for (;;) {
        struct aw_span in = {buf, size}, frame = {0};
        size_t used = 0;
        enum aw_status status = aw_wire_next(wire, framer, in, &frame, &used, &err);
        MUST(used <= size);
        MUST(status == AW_OK || status == AW_MORE || status == AW_MALFORMED);
        if (status == AW_OK) {
            MUST(frame.size > 0 && frame.data >= buf && frame.data + frame.size <= buf + used);
            note(found, frame);
            aw_wire_decode(wire, framer->dir, frame, &record, &err);
        }
        MUST(status == AW_MORE || used > 0);
        memmove(buf, buf + used, size - used);
        size -= used;
        if (status == AW_MORE || size == 0)
            return size;
    }
}

static struct found read_in_pieces(const uint8_t *choice, struct aw_span in, size_t segment)
{
    static struct aw_wire wire;
    static uint8_t buf[ROOM];
    struct aw_framer framer = {.dir = choose(&wire, choice)};
    struct found found = {0};
    size_t have = 0;
    for (size_t at = 0; at < in.size; at += segment) {
        size_t n = in.size - at < segment ? in.size - at : segment;
        MUST(have + n <= sizeof buf);
        memcpy(buf + have, in.data + at, n);
        have = handle_frames(&wire, &framer, buf, have + n, &found);
    }
    found.skipped = framer.skipped;
    return found;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    if (size < CHOICE_SIZE + 1 || size > ROOM)
        return 0;
    struct aw_span in = {data + CHOICE_SIZE + 1, size - CHOICE_SIZE - 1};
    struct found whole = read_in_pieces(data, in, in.size ? in.size : 1);
    struct found segments = read_in_pieces(data, in, data[CHOICE_SIZE] % 16 + 1u);
    MUST(whole.frames == segments.frames);
    MUST(whole.bytes == segments.bytes);
    MUST(whole.hash == segments.hash);
    return 0;
}
