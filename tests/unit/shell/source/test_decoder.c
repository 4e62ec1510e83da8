#include "capture_helper.h"
#include "session_helper.h"

#include <errno.h>
#include <fcntl.h>

#include "protocol/armctl/wire.h"
#include "protocol/canpid/wire.h"
#include "protocol/ezphys/wire.h"
#include "protocol/unitysim/wire.h"
#include "shell/source/decoder.h"

static struct aw_decoder decoder;
static FILE *said_file;
static int said_fd, usual_stderr;
static char said[4096];

/* Redirects stderr to an unnamed file. */
static void start(void)
{
    said_file = tmpfile();
    assert_non_null(said_file);
    said_fd = fileno(said_file);
    usual_stderr = dup(STDERR_FILENO);
    assert_true(usual_stderr >= 0);
}

static void stop(void)
{
    if (session)
        end_session();
    session = NULL;
    fclose(said_file);
    close(usual_stderr);
}

/* Starts a decoder of this protocol with an option, or NULL. */
static void begin_with(const struct aw_protocol *protocol, const char *option, const char *text)
{
    static const struct aw_option own[] = {
        {.name = "dir", AW_AT_ALL(link.dir), .value = "DIR", .fallback = "rx"},
        {.name = "port", AW_AT_ALL(link.port), .value = "PORT", .unit = "", .max = 65535},
        {0},
    };
    if (session)
        end_session();
    tool = rig_tool;
    tool.protocol = protocol;
    tool.options = own;
    session = rig_new(&tool);
    session->out.fd = open("/dev/null", O_WRONLY | O_CLOEXEC);
    set_option("format", "%{msg} %{dir}");
    if (option)
        set_option(option, text);
    memset(&decoder, 0, sizeof decoder);
    if (aw_decoder_init(&decoder, session) != AW_OK)
        fail_msg("%s", session->err.text);
}

static void begin(const struct aw_protocol *protocol)
{
    begin_with(protocol, NULL, NULL);
}

/* Feeds the input in pieces of this size. The results are in decoder and said. */
static enum aw_status feed(const void *data, size_t size, size_t segment)
{
    const char *bytes = data;
    size_t at = 0, have = 0;
    enum aw_status status = AW_OK;
    dup2(said_fd, STDERR_FILENO);
    while (status == AW_OK && have < size) {
        size_t used;
        have = have + segment < size ? have + segment : size;
        status = aw_decoder_feed(&decoder, bytes + at, have - at, have == size, &used);
        assert_true(used <= have - at);
        at += used;
    }
    fflush(stderr);
    dup2(usual_stderr, STDERR_FILENO);
    ssize_t length = pread(said_fd, said, sizeof said - 1, 0);
    said[length > 0 ? length : 0] = '\0';
    assert_int_equal(ftruncate(said_fd, 0), 0);
    lseek(said_fd, 0, SEEK_SET);
    return status;
}

static void expect_counts(const char *what, uint64_t records, uint64_t damaged)
{
    if (decoder.counts.records != records || decoder.counts.damaged != damaged)
        fail_msg("%s: %d records, %d damaged: %s", what, (int)decoder.counts.records,
                 (int)decoder.counts.damaged, said);
}

TEST_WITH(start, stop, input_format_is_detected)
{
    static const struct {
        const struct aw_protocol *protocol;
        const char *data;
        enum aw_input input;
    } rows[] = {
        {&sample_protocol, "A5 01\n", AW_INPUT_HEX},
        {&sample_protocol, "", AW_INPUT_HEX},
        {&sample_protocol, "\xA5\x01", AW_INPUT_STREAM},
        {&sample_protocol, "A5 0x", AW_INPUT_STREAM},
        {&aw_armctl_protocol, "0DEG1,090\r\n", AW_INPUT_STREAM},
        {&aw_canpid_protocol, "044#0102", AW_INPUT_CANDUMP},
        {&aw_canpid_protocol, "", AW_INPUT_CANDUMP},
        {&sample_protocol, "\x0A\x0D\x0D\x0A....\x4D\x3C\x2B\x1A", AW_INPUT_CAPTURE},
        {&aw_canpid_protocol, "\x0A\x0D\x0D\x0A....\x4D\x3C\x2B\x1A", AW_INPUT_CAPTURE},
    };
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++)
        if (aw_guess_input(rows[i].protocol, rows[i].data, strlen(rows[i].data)) != rows[i].input)
            fail_msg("row %zu", i);
}

/* A timestamp packet after the size of its message and its number of packets. */
#define TIMESTAMP(head)                                                                            \
    head " 00 00 00 05 00 00 00 00 00 00 00 08 00 00 00 01 00 00 00 00 00 00 3F\n"
#define ONE_PACKET  TIMESTAMP("1C 00 00 00 01")
#define TWO_PACKETS TIMESTAMP("2E 00 00 00 02") /* the second one is missing */

/* clang-format off */
static const struct {
    const struct aw_protocol *protocol;
    enum aw_input input;
    uint64_t records, damaged;
    const char *text, *says[3];
} texts[] = {
    {&sample_protocol, AW_INPUT_HEX, 3, 3,
     "# short\n\nA5 08 00 52\n  a5080052 \r\nA5 08 00 53\nA5 08 0\nzz\nA5 08 00 52",
     {"rig: in:5:1: short: sum is 0x53, expected 0x52\n", "rig: in:6:",
      "rig: in:7:1: 'z' is not a hex digit\n"}},
    {&sample_protocol, AW_INPUT_HEX, 1, 1, "A5050B000000000000010000C07F0A",
     {"choice: speed is not a finite number"}},
    {&aw_armctl_protocol, AW_INPUT_STREAM, 3, 2,
     "2DEG1,090\r\n0ACK1\r\ngarbage\r\n3DEG2,045\r\n2DE",
     {"rig: in: ", "the last 3 bytes are not a complete message"}},
    {&aw_ezphys_protocol, AW_INPUT_HEX, 4, 2, TWO_PACKETS ONE_PACKET TWO_PACKETS ONE_PACKET,
     {"the last message is truncated: packets are missing"}},
};
/* clang-format on */

TEST_WITH(start, stop, texts_in_pieces_are_decoded)
{
    char text[80];
    for (size_t i = 0; i < sizeof texts / sizeof *texts; i++)
        for (size_t segment = 1; segment <= strlen(texts[i].text); segment++) {
            begin(texts[i].protocol);
            aw_decoder_begin(&decoder, "in", texts[i].input);
            assert_int_equal(feed(texts[i].text, strlen(texts[i].text), segment), AW_OK);
            expect_counts(texts[i].text, texts[i].records, texts[i].damaged);
            for (size_t k = 0; k < 3 && texts[i].says[k]; k++)
                assert_has(said, texts[i].says[k]);
            snprintf(text, sizeof text, "in: %d damaged part", (int)texts[i].damaged);
            assert_int_equal(aw_decoder_end(&decoder), AW_MALFORMED);
            assert_has(session->err.text, text);
        }
}

/* Prints only the first errors and counts all of them. Hex from the command line prints no
 * errors. */
TEST_WITH(start, stop, printed_errors_are_limited)
{
    char text[64] = "";
    size_t lines = 0;
    for (int i = 0; i < 9; i++)
        strcat(text, "A5\n");
    begin(&sample_protocol);
    aw_decoder_begin(&decoder, "x", AW_INPUT_HEX);
    assert_int_equal(feed(text, strlen(text), 100), AW_OK);
    for (const char *p = said; *p; p++)
        lines += *p == '\n';
    assert_int_equal(lines, 5);
    assert_int_equal(decoder.counts.damaged, 9);
    aw_decoder_end(&decoder);
    assert_string_equal(session->err.text, "x: 9 damaged parts, 0 records decoded");
    begin(&sample_protocol);
    assert_int_equal(feed("A5\n", 3, 100), AW_OK);
    assert_string_equal(said, "");
    assert_int_equal(aw_decoder_end(&decoder), AW_MALFORMED);
    /* Returns the error to the caller. */
    assert_has(session->err.text, "not a sample message");
}

/* An overlong line is skipped up to its end, wherever that is. */
TEST_WITH(start, stop, overlong_line_is_skipped_to_its_end)
{
    static const char *const parts[] = {"(1.0) can0 05E#9CFF", "000200F0 and so on", "\n",
                                        "(1.1) can0 05E#9CFF000200F0\n"};
    size_t used;
    begin(&aw_canpid_protocol);
    for (size_t i = 0; i < 4; i++) { /* the first part fills the buffer */
        assert_int_equal(aw_decoder_feed(&decoder, parts[i], strlen(parts[i]), i == 0, &used),
                         AW_OK);
        assert_int_equal(used, strlen(parts[i]));
        assert_int_equal(decoder.counts.records, i == 3);
        assert_int_equal(decoder.counts.damaged, 1);
    }
}

TEST_WITH(start, stop, candump_lines_are_decoded)
{
    static const struct {
        const char *line;
        uint64_t records, bad;
        bool time;
        enum aw_dir dir;
    } rows[] = {
        {"(1436509052.249713) vcan0 042#0000803F0000\n", 1, 0, true, AW_RX},
        {"(1436509052.249713) vcan0 042#0000803F0000 T\n", 1, 0, true, AW_TX},
        {"042#0000803F0000\n", 1, 0, false, AW_RX},
        {"(1.0) can0 042#R\n", 0, 0, false, AW_RX},
        {"(1.0) can0 042##1000000\n", 0, 0, false, AW_RX},
        {"(1.0) can0 20000004#0004000000000000\n", 0, 0, false, AW_RX},
        {"(1.0) can0 18FEF100#00\n", 0, 0, true, AW_RX},
        {"\tcontroller-problem{rx-error-warning}\n", 0, 0, false, AW_RX},
        {" (2026-11-29 01:02:03.123456)  can0  042   [6]  00 00 80 3F 00 00\n", 1, 0, true, AW_RX},
        {"(1.0) can0 042#zz\n", 0, 1, true, AW_RX},
        {"hello\n", 0, 1, false, AW_RX},
    };
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        begin(&aw_canpid_protocol);
        aw_decoder_begin(&decoder, "log", AW_INPUT_UNKNOWN);
        assert_int_equal(feed(rows[i].line, strlen(rows[i].line), 100), AW_OK);
        expect_counts(rows[i].line, rows[i].records, rows[i].bad);
        assert_int_equal(decoder.dir, rows[i].dir);
        assert_int_equal(decoder.where.time_ns != AW_NO_TIME, rows[i].time);
    }
}

static const uint8_t request[] = {0xFF, 0xFF, 3, 0xFC}, broken[] = {0xFF, 0xFF, 3, 0xFB};

TEST_WITH(start, stop, datagram_captures_are_decoded)
{
    static const struct captured messages[] = {
        {0, AW_TX, request, 4, NULL}, {1, AW_TX, broken, 4, NULL}, {2, AW_TX, request, 4, NULL}};
    uint8_t bytes[2048];
    struct aw_wrapper wrapper = {.medium = AW_MEDIUM_UDP, .ports = {30004, 30005}};
    size_t size = capture_of(bytes, sizeof bytes, &wrapper, messages, 3);
    for (size_t segment = 1; segment <= size; segment += 7) {
        begin(&aw_unitysim_protocol);
        aw_decoder_begin(&decoder, "run.pcapng", AW_INPUT_CAPTURE);
        assert_int_equal(feed(bytes, size, segment), AW_OK);
        assert_int_equal(decoder.counts.records, 2);
        assert_int_equal(decoder.counts.damaged, 1);
        assert_int_equal(decoder.dir, AW_TX);
        assert_int_equal(decoder.where.time_ns, 2 * AW_MILLISECOND);
        assert_has(said, "rig: run.pcapng: packet 2: ");
    }
}

/* Decodes everything before the cut. */
TEST_WITH(start, stop, truncated_captures_are_decoded_up_to_the_cut)
{
    static const struct captured messages[] = {{0, AW_TX, request, 4, NULL},
                                               {1, AW_TX, request, 4, NULL}};
    uint8_t bytes[2048];
    struct aw_wrapper wrapper = {.medium = AW_MEDIUM_UDP, .ports = {30004, 30005}};
    size_t size = capture_of(bytes, sizeof bytes, &wrapper, messages, 2);
    uint64_t before = 0;
    for (size_t cut = 1; cut <= size; cut++) {
        begin(&aw_unitysim_protocol);
        aw_decoder_begin(&decoder, "run.pcapng", AW_INPUT_CAPTURE);
        assert_int_equal(feed(bytes, cut, cut), AW_OK);
        assert_true(decoder.counts.records >= before);
        before = decoder.counts.records;
    }
    assert_int_equal(before, 2);
}

TEST_WITH(start, stop, packets_of_other_ports_are_skipped)
{
    const struct captured message = {0, AW_TX, request, 4, NULL};
    uint8_t bytes[1024];
    struct aw_wrapper wrapper = {.medium = AW_MEDIUM_UDP, .ports = {4711, 4712}};
    size_t size = capture_of(bytes, sizeof bytes, &wrapper, &message, 1);
    begin(&aw_unitysim_protocol);
    assert_int_equal(feed(bytes, size, size), AW_OK);
    assert_int_equal(decoder.input, AW_INPUT_CAPTURE);
    assert_int_equal(decoder.counts.records, 0);
    begin_with(&aw_unitysim_protocol, "port", "4711");
    assert_int_equal(feed(bytes, size, size), AW_OK);
    assert_int_equal(decoder.counts.records, 1);
}

/* Appends a packet whose direction is unknown to a capture; returns its size. */
static size_t add_packet(uint8_t *out, size_t cap, struct aw_wrapper *wrapper, enum aw_dir dir,
                         struct aw_span data)
{
    uint8_t bytes[256];
    size_t size = aw_wrap(wrapper, dir, data, bytes, sizeof bytes);
    struct aw_packet packet = {.linktype = aw_wrapper_linktype(wrapper), .data = {bytes, size}};
    return aw_pcapng_packet(out, cap, &packet);
}

/* Writes a TCP capture of one stream's segments; returns its size. */
static size_t capture_tcp(uint8_t *out, size_t cap, const uint8_t *stream,
                          const size_t (*segments)[2], size_t n)
{
    struct aw_wrapper wrapper = {.medium = AW_MEDIUM_TCP, .ports = {47001, 50000}};
    size_t size = aw_pcapng_begin(out, aw_wrapper_linktype(&wrapper), "test");
    for (size_t i = 0; i < n; i++) {
        struct aw_span data = {stream + segments[i][0], segments[i][1]};
        wrapper.sent[AW_TX] = wrapper.sent[AW_RX] = (uint32_t)segments[i][0];
        size += add_packet(out + size, cap - size, &wrapper, AW_RX, data);
    }
    return size;
}

/* Packets are repeated, overlap or are missing. The ports identify the sender. */
TEST_WITH(start, stop, tcp_captures_are_reassembled)
{
    static const uint8_t timestamp[] = {28, 0, 0, 0, 1, 0, 0, 0, 5, 0, 0, 0, 0, 0,
                                        0,  0, 8, 0, 0, 0, 1, 0, 0, 0, 0, 0, 0, 0x3F};
    enum { ONE = sizeof timestamp };
    static const struct {
        const char *name;
        size_t segments[4][2]; /* first byte and size */
        size_t n;
        uint64_t records;
    } rows[] = {
        {"in order", {{0, ONE}, {ONE, ONE}, {2 * ONE, ONE}}, 3, 3},
        {"repeated", {{0, ONE}, {0, ONE}, {ONE, ONE}}, 3, 2},
        {"overlapping", {{0, 20}, {10, ONE}, {10 + ONE, 2 * ONE - 10}}, 3, 3},
        {"missing", {{0, ONE + 10}, {2 * ONE, ONE}}, 2, 2},
    };
    uint8_t stream[3 * ONE], bytes[4096];
    for (size_t i = 0; i < 3; i++)
        memcpy(stream + i * ONE, timestamp, ONE);
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        size_t size = capture_tcp(bytes, sizeof bytes, stream, rows[i].segments, rows[i].n);
        begin(&aw_ezphys_protocol);
        assert_int_equal(feed(bytes, size, size), AW_OK);
        expect_counts(rows[i].name, rows[i].records, 0);
        assert_int_equal(decoder.dir, AW_RX);
    }
}

/* If the direction is unknown, the device's port determines it. */
TEST_WITH(start, stop, ports_determine_the_direction)
{
    uint8_t bytes[1024];
    for (enum aw_dir dir = AW_RX; dir <= AW_TX; dir++) {
        struct aw_wrapper wrapper = {.medium = AW_MEDIUM_UDP, .ports = {30004, 30005}};
        size_t size = aw_pcapng_begin(bytes, aw_wrapper_linktype(&wrapper), "test");
        size += add_packet(bytes + size, sizeof bytes - size, &wrapper, dir,
                           (struct aw_span){request, 4});
        begin(&aw_unitysim_protocol);
        feed(bytes, size, size);
        assert_int_equal(decoder.dir, dir);
    }
}

TEST_WITH(start, stop, output_errors_are_reported)
{
    begin(&sample_protocol);
    session->out.error = 28; /* ENOSPC */
    assert_int_equal(feed("A5 08 00 52\n", 12, 12), AW_LOST);
    assert_has(session->err.text, "standard output: ");
}
