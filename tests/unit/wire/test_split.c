/* Tests that streams in pieces of any size yield the same frames. */
#include "wire/split.h"

#include "protocol/armctl/wire.h"
#include "protocol/hidmotor/wire.h"
#include "sample_helper.h"
#include "test.h"

struct found {
    size_t n, bytes;
};

static void count(void *context, struct aw_span frame)
{
    struct found *found = context;
    found->n++;
    found->bytes += frame.size;
}

static struct found split(const struct aw_protocol *protocol, const char *text, size_t step,
                          bool datagram, uint64_t *damaged)
{
    struct aw_splitter *splitter = calloc(1, sizeof *splitter);
    struct aw_wire *wire = calloc(1, sizeof *wire);
    struct found found = {0};
    size_t size = strlen(text);
    aw_wire_init(wire, protocol, NULL, false);
    for (size_t at = 0; at < size; at += step) {
        size_t n = size - at < step ? size - at : step;
        aw_split(splitter, wire, (struct aw_span){(const uint8_t *)text + at, n}, datagram, count,
                 &found);
    }
    *damaged = splitter->n_damaged;
    free(wire);
    free(splitter);
    return found;
}

TEST(pieces_of_any_size_yield_the_same_frames)
{
    static const char text[] = "0DEG1,090\r\n1ACK0\r\n0POS2,120\r\n0DE";
    uint64_t damaged;
    for (size_t step = 1; step <= sizeof text; step++) {
        struct found found = split(&aw_armctl_protocol, text, step, false, &damaged);
        assert_int_equal(found.n, 3);
        assert_int_equal(found.bytes, 11 + 7 + 11);
    }
}

TEST(datagram_is_one_frame)
{
    char report[65];
    uint64_t damaged;
    memset(report, 'x', 64);
    report[64] = '\0';
    struct found found = split(&aw_hidmotor_protocol, report, 64, true, &damaged);
    assert_int_equal(found.n, 1);
    assert_int_equal(found.bytes, 64);
    assert_int_equal(damaged, 0);
}

TEST(endless_noise_is_discarded)
{
    size_t size = 3 * AW_SPLIT_ROOM;
    char *noise = malloc(size + 32);
    uint64_t damaged;
    memset(noise, 'x', size);
    strcpy(noise + size, "\r\n0DEG1,090\r\n");
    struct found found = split(&aw_armctl_protocol, noise, 4096, false, &damaged);
    assert_int_equal(found.n, 1);
    assert_true(damaged > 0);
    free(noise);
}

/* Returns neither frames nor an end. The buffer must not grow without limit. */
static enum aw_status never_whole(const struct aw_wire *wire, struct aw_framer *framer,
                                  struct aw_span in, struct aw_span *frame, size_t *used,
                                  struct aw_error *err)
{
    (void)wire, (void)framer, (void)frame, (void)err;
    *used = in.data[0] == 'm' ? 3 : in.data[0] == 'w' ? 2 : in.data[0] == 'o';
    *frame = (struct aw_span){in.data, *used};
    return in.data[0] == 'm' ? AW_MALFORMED : *used ? AW_OK : AW_MORE;
}

TEST(endless_frame_is_discarded)
{
    struct aw_protocol protocol = sample_protocol;
    static char text[2 * AW_SPLIT_ROOM + 6];
    uint64_t damaged;
    protocol.frames.next_frame = never_whole;
    memset(text, 'x', sizeof text - 1);
    text[AW_SPLIT_ROOM - 1] = '\0';
    assert_int_equal(split(&protocol, text, AW_SPLIT_ROOM, false, &damaged).n, 0);
    assert_int_equal(damaged, 0);
    text[AW_SPLIT_ROOM - 1] = 'x';
    memcpy(text + AW_SPLIT_ROOM, "wymxywz", 8);
    struct found found = split(&protocol, text, 1000, false, &damaged);
    assert_int_equal(found.n, 2);
    assert_int_equal(found.bytes, 4);
    assert_int_equal(damaged, 2);
    found = split(&protocol, text, 2 * AW_SPLIT_ROOM, false, &damaged);
    assert_int_equal(found.n, 2);
    assert_int_equal(damaged, 2);
    assert_int_equal(split(&protocol, "ooo", 3, false, &damaged).n, 3);
    found = split(&protocol, "wxmyywx", 7, true, &damaged); /* a datagram is not split */
    assert_int_equal(found.n, 1);
    assert_int_equal(found.bytes, 7);
    assert_int_equal(damaged, 0);
}

TEST(datagram_with_an_envelope_is_split)
{
    static const struct aw_field envelope[] = {{.name = "bytes", .type = AW_LENGTH, .bits = 8},
                                               {0}};
    const struct aw_variant variants[] = {{.name = "v", .head = sample_head, .envelope = envelope},
                                          {0}};
    struct aw_protocol protocol = sample_protocol;
    uint64_t damaged;
    protocol.frames.next_frame = never_whole;
    protocol.variants = variants;
    struct found found = split(&protocol, "wxmyywx", 7, true, &damaged);
    assert_int_equal(found.n, 2);
    assert_int_equal(damaged, 1);
}

TEST(frame_across_a_gap_is_discarded)
{
    static const char before[] = "0DEG1,0", after[] = "1ACK0\r\n";
    struct aw_splitter *splitter = calloc(1, sizeof *splitter);
    struct aw_wire *wire = calloc(1, sizeof *wire);
    struct found found = {0};
    aw_wire_init(wire, &aw_armctl_protocol, NULL, false);
    aw_split(splitter, wire, span_of(before), false, count, &found);
    aw_split_gap(splitter);
    assert_int_equal(splitter->n_damaged, 1);
    aw_split_gap(splitter);
    assert_int_equal(splitter->n_damaged, 1); /* no partial frame was discarded */
    aw_split(splitter, wire, (struct aw_span){(const uint8_t *)"0", 1}, false, count, &found);
    aw_split_gap(splitter);
    assert_int_equal(splitter->n_damaged, 2);
    splitter->framer.dir = AW_RX;
    splitter->framer.packets_left = 3;
    aw_split_gap(splitter);
    assert_int_equal(splitter->framer.dir, AW_RX);
    assert_int_equal(splitter->framer.packets_left, 0);
    aw_split(splitter, wire, span_of(after), false, count, &found);
    assert_int_equal(found.n, 1);
    assert_int_equal(found.bytes, 7);
    free(wire);
    free(splitter);
}

/* A protocol without its own framer has frames of a fixed length. */
TEST(fixed_length_frames_are_split)
{
    char bytes[300];
    uint64_t damaged;
    memset(bytes, 'x', sizeof bytes);
    bytes[299] = '\0';
    for (size_t step = 1; step < 300; step += 37) {
        struct found found = split(&sample_protocol, bytes, step, false, &damaged);
        assert_int_equal(found.n, 2);
        assert_int_equal(found.bytes, 256);
        assert_int_equal(damaged, 0);
    }
}
