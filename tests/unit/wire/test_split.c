/* Tests that streams in pieces of any size yield the same frames. */
#include "wire/split.h"

#include "protocol/armctl/wire.h"
#include "protocol/hidmotor/wire.h"
#include "sample_helper.h"
#include "test.h"

struct found {
    size_t n, bytes;
};

static struct aw_splitter splitter;
static struct aw_wire wire;

static void count(void *context, struct aw_span frame)
{
    struct found *found = context;
    found->n++;
    found->bytes += frame.size;
}

static void reset(const struct aw_protocol *protocol)
{
    memset(&splitter, 0, sizeof splitter);
    aw_wire_init(&wire, protocol, NULL, false);
}

static struct found split(struct aw_span in, size_t step, bool datagram)
{
    struct found found = {0};
    for (size_t at = 0; at < in.size; at += step) {
        size_t n = in.size - at < step ? in.size - at : step;
        aw_split(&splitter, &wire, (struct aw_span){in.data + at, n}, datagram, count, &found);
    }
    return found;
}

/* Requires the number of frames, of their bytes and of damaged pieces. */
static void expect(const struct aw_protocol *protocol, const char *text, size_t step, bool datagram,
                   size_t n, size_t bytes, uint64_t damaged)
{
    reset(protocol);
    struct found found = split(span_of(text), step, datagram);
    assert_int_equal(found.n, n);
    assert_int_equal(found.bytes, bytes);
    assert_int_equal(splitter.n_damaged, damaged);
}

TEST(pieces_of_any_size_yield_the_same_frames)
{
    static const char text[] = "0DEG1,090\r\n1ACK0\r\n0POS2,120\r\n0DE";
    for (size_t step = 1; step <= sizeof text; step++)
        expect(&aw_armctl_protocol, text, step, false, 3, 11 + 7 + 11, 0);
}

TEST(datagram_is_one_frame)
{
    char report[65];
    snprintf(report, sizeof report, "%064d", 0);
    expect(&aw_hidmotor_protocol, report, 64, true, 1, 64, 0);
}

TEST(endless_noise_is_discarded)
{
    static char noise[3 * AW_SPLIT_ROOM + 32];
    memset(noise, 'x', sizeof noise - 32);
    strcpy(noise + sizeof noise - 32, "\r\n0DEG1,090\r\n");
    reset(&aw_armctl_protocol);
    assert_int_equal(split(span_of(noise), 4096, false).n, 1);
    assert_true(splitter.n_damaged > 0);
}

/* Returns neither frames nor an end. The buffer must not grow without limit. */
static enum aw_status never_whole(const struct aw_wire *any, struct aw_framer *framer,
                                  struct aw_span in, struct aw_span *frame, size_t *used,
                                  struct aw_error *err)
{
    (void)any, (void)framer, (void)frame, (void)err;
    *used = in.data[0] == 'm' ? 3 : in.data[0] == 'w' ? 2 : in.data[0] == 'o';
    *frame = (struct aw_span){in.data, *used};
    return in.data[0] == 'm' ? AW_MALFORMED : *used ? AW_OK : AW_MORE;
}

TEST(endless_frame_is_discarded)
{
    struct aw_protocol protocol = sample_protocol;
    static char text[2 * AW_SPLIT_ROOM + 6];
    protocol.frames.next_frame = never_whole;
    memset(text, 'x', sizeof text - 1);
    text[AW_SPLIT_ROOM - 1] = '\0';
    expect(&protocol, text, AW_SPLIT_ROOM, false, 0, 0, 0);
    text[AW_SPLIT_ROOM - 1] = 'x';
    memcpy(text + AW_SPLIT_ROOM, "wymxywz", 8);
    expect(&protocol, text, 1000, false, 2, 4, 2);
    expect(&protocol, text, 2 * AW_SPLIT_ROOM, false, 2, 4, 2);
    expect(&protocol, "ooo", 3, false, 3, 3, 0);
    expect(&protocol, "wxmyywx", 7, true, 1, 7, 0); /* a datagram is not split */
}

TEST(datagram_with_an_envelope_is_split)
{
    static const struct aw_field envelope[] = {{.name = "bytes", .type = AW_LENGTH, .bits = 8},
                                               {0}};
    const struct aw_variant variants[] = {{.name = "v", .head = sample_head, .envelope = envelope},
                                          {0}};
    struct aw_protocol protocol = sample_protocol;
    protocol.frames.next_frame = never_whole;
    protocol.variants = variants;
    expect(&protocol, "wxmyywx", 7, true, 2, 4, 1);
}

TEST(frame_across_a_gap_is_discarded)
{
    reset(&aw_armctl_protocol);
    split(span_of("0DEG1,0"), 7, false);
    aw_split_gap(&splitter);
    assert_int_equal(splitter.n_damaged, 1);
    aw_split_gap(&splitter);
    assert_int_equal(splitter.n_damaged, 1); /* no partial frame was discarded */
    split(span_of("0"), 1, false);
    aw_split_gap(&splitter);
    assert_int_equal(splitter.n_damaged, 2);
    splitter.framer.dir = AW_RX;
    splitter.framer.packets_left = 3;
    aw_split_gap(&splitter);
    assert_int_equal(splitter.framer.dir, AW_RX);
    assert_int_equal(splitter.framer.packets_left, 0);
    struct found found = split(span_of("1ACK0\r\n"), 7, false);
    assert_int_equal(found.n, 1);
    assert_int_equal(found.bytes, 7);
}

/* A protocol without its own framer has frames of a fixed length. */
TEST(fixed_length_frames_are_split)
{
    char bytes[300];
    memset(bytes, 'x', sizeof bytes);
    bytes[299] = '\0';
    for (size_t step = 1; step < 300; step += 37)
        expect(&sample_protocol, bytes, step, false, 2, 256, 0);
}
