#include "capture_helper.h"
#include "shell_helper.h"

#include <errno.h>
#include <fcntl.h>

#include "protocol/armctl/wire.h"
#include "protocol/canpid/wire.h"
#include "protocol/ezphys/wire.h"
#include "protocol/unitysim/wire.h"
#include "shell/source/decoder.h"

static struct aw_session *session;
static struct aw_decoder decoder;
static struct aw_tool tool;
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
        rig_free(session);
    session = NULL;
    fclose(said_file);
    close(usual_stderr);
}

/* Starts a decoder of this protocol; options as "name=text". */
static void begin(const struct aw_protocol *protocol, const char *option, const char *text)
{
    static const struct aw_option own[] = {
        {.name = "dir", AW_AT_ALL(link.dir), .value = "DIR", .fallback = "rx"},
        {.name = "port", AW_AT_ALL(link.port), .value = "PORT", .unit = "", .max = 65535},
        {0},
    };
    if (session)
        rig_free(session);
    tool = rig_tool;
    tool.protocol = protocol;
    tool.options = own;
    session = rig_new(&tool);
    session->out.fd = open("/dev/null", O_WRONLY | O_CLOEXEC);
    assert_int_equal(
        aw_options_set(&session->options, "format", "%{msg} %{dir}", AW_FROM_COMMAND_LINE, NULL),
        AW_OK);
    if (option)
        assert_int_equal(
            aw_options_set(&session->options, option, text, AW_FROM_COMMAND_LINE, NULL), AW_OK);
    memset(&decoder, 0, sizeof decoder);
    if (aw_decoder_init(&decoder, session) != AW_OK)
        fail_msg("%s", session->err.text);
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

static void assert_says(const char *text, const char *part)
{
    if (!strstr(text, part))
        fail_msg("'%s' does not say '%s'", text, part);
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

TEST_WITH(start, stop, hex_lines_are_decoded)
{
    static const char text[] = "# short\n\nA5 08 00 52\n  a5080052 \r\nA5 08 00 53\nA5 08 0\n"
                               "zz\nA5 08 00 52";
    for (size_t segment = 1; segment <= sizeof text - 1; segment++) {
        begin(&sample_protocol, NULL, NULL);
        aw_decoder_begin(&decoder, "in.txt", AW_INPUT_HEX);
        assert_int_equal(feed(text, sizeof text - 1, segment), AW_OK);
        assert_int_equal(decoder.counts.records, 3);
        assert_int_equal(decoder.counts.damaged, 3);
        assert_says(said, "rig: in.txt:5:1: short: sum is 0x53, expected 0x52\n");
        assert_says(said, "rig: in.txt:6:");
        assert_says(said, "rig: in.txt:7:1: 'z' is not a hex digit\n");
        assert_int_equal(aw_decoder_end(&decoder), AW_MALFORMED);
        assert_string_equal(session->err.text, "in.txt: 3 damaged parts, 3 records decoded");
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
    begin(&sample_protocol, NULL, NULL);
    aw_decoder_begin(&decoder, "x", AW_INPUT_HEX);
    assert_int_equal(feed(text, strlen(text), 100), AW_OK);
    for (const char *p = said; *p; p++)
        lines += *p == '\n';
    assert_int_equal(lines, 5);
    assert_int_equal(decoder.counts.damaged, 9);
    aw_decoder_end(&decoder);
    assert_string_equal(session->err.text, "x: 9 damaged parts, 0 records decoded");
    begin(&sample_protocol, NULL, NULL);
    assert_int_equal(feed("A5\n", 3, 100), AW_OK);
    assert_string_equal(said, "");
    assert_int_equal(aw_decoder_end(&decoder), AW_MALFORMED);
    /* Returns the error to the caller. */
    assert_has(session->err.text, "not a sample message");
}

TEST_WITH(start, stop, streams_in_pieces_are_decoded)
{
    static const char text[] = "2DEG1,090\r\n0ACK1\r\ngarbage\r\n3DEG2,045\r\n2DE";
    for (size_t segment = 1; segment <= sizeof text - 1; segment++) {
        begin(&aw_armctl_protocol, NULL, NULL);
        aw_decoder_begin(&decoder, "log", AW_INPUT_STREAM);
        assert_int_equal(feed(text, sizeof text - 1, segment), AW_OK);
        assert_int_equal(decoder.counts.records, 3);
        assert_int_equal(decoder.counts.damaged, 2);
        assert_says(said, "rig: log: ");
        assert_says(said, "the last 3 bytes are not a complete message");
    }
}

/* If a message has several packets, each line of hex is one message, complete or not. */
TEST_WITH(start, stop, hex_lines_of_several_packets_are_decoded)
{
    char line[] = "1C 00 00 00 01 00 00 00 05 00 00 00 00 00 00 00 08 00 00 00 01 00 00 00 00 00 "
                  "00 3F\n",
         text[4 * sizeof line] = "";
    for (int i = 0; i < 4; i++) {
        memcpy(line, i % 2 ? "1C 00 00 00 01" : "2E 00 00 00 02", 14); /* bytes, packets */
        strcat(text, line);
    }
    begin(&aw_ezphys_protocol, NULL, NULL);
    assert_int_equal(feed(text, strlen(text), 50), AW_OK);
    assert_int_equal(decoder.counts.records, 4);
    assert_int_equal(decoder.counts.damaged, 2);
    assert_says(decoder.counts.first_error.text,
                "the last message is truncated: packets are missing");
}

/* An overlong line is skipped up to its end, wherever that is. */
TEST_WITH(start, stop, overlong_line_is_skipped_to_its_end)
{
    static const char *const texts[] = {"(1.0) can0 05E#9CFF", "000200F0 and so on", "\n",
                                        "(1.1) can0 05E#9CFF000200F0\n"};
    size_t used;
    begin(&aw_canpid_protocol, NULL, NULL);
    for (size_t i = 0; i < 4; i++) { /* the first part fills the buffer */
        assert_int_equal(aw_decoder_feed(&decoder, texts[i], strlen(texts[i]), i == 0, &used),
                         AW_OK);
        assert_int_equal(used, strlen(texts[i]));
        assert_int_equal(decoder.counts.records, i == 3);
        assert_int_equal(decoder.counts.damaged, 1);
    }
}

/* A NaN or infinite float is reported and shown as no data. */
TEST_WITH(start, stop, records_with_nan_are_shown)
{
    uint8_t bytes[15] = {0xA5, 5, 11, 0, 0, 0, 0, 0, 0, 1, 0, 0, 0xC0, 0x7F};
    char text[64] = "";
    bytes[14] = sample_sum(bytes, 14);
    for (size_t i = 0; i < sizeof bytes; i++)
        sprintf(text + strlen(text), "%02X", bytes[i]);
    begin(&sample_protocol, NULL, NULL);
    aw_decoder_begin(&decoder, "x", AW_INPUT_HEX);
    assert_int_equal(feed(text, strlen(text), 100), AW_OK);
    assert_int_equal(decoder.counts.records, 1);
    assert_int_equal(decoder.counts.damaged, 1);
    assert_says(said, "choice: speed is not a finite number");
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
        begin(&aw_canpid_protocol, NULL, NULL);
        aw_decoder_begin(&decoder, "log", AW_INPUT_UNKNOWN);
        assert_int_equal(feed(rows[i].line, strlen(rows[i].line), 100), AW_OK);
        if (decoder.counts.records != rows[i].records || decoder.counts.damaged != rows[i].bad)
            fail_msg("%s: %s", rows[i].line, said);
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
        begin(&aw_unitysim_protocol, NULL, NULL);
        aw_decoder_begin(&decoder, "run.pcapng", AW_INPUT_CAPTURE);
        assert_int_equal(feed(bytes, size, segment), AW_OK);
        assert_int_equal(decoder.counts.records, 2);
        assert_int_equal(decoder.counts.damaged, 1);
        assert_int_equal(decoder.dir, AW_TX);
        assert_int_equal(decoder.where.time_ns, 2 * AW_MILLISECOND);
        assert_says(said, "rig: run.pcapng: packet 2: ");
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
        begin(&aw_unitysim_protocol, NULL, NULL);
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
    begin(&aw_unitysim_protocol, NULL, NULL);
    assert_int_equal(feed(bytes, size, size), AW_OK);
    assert_int_equal(decoder.input, AW_INPUT_CAPTURE);
    assert_int_equal(decoder.counts.records, 0);
    begin(&aw_unitysim_protocol, "port", "4711");
    assert_int_equal(feed(bytes, size, size), AW_OK);
    assert_int_equal(decoder.counts.records, 1);
}

/* Writes a TCP capture of one stream's segments; returns its size. */
static size_t capture_tcp(uint8_t *out, size_t cap, const uint8_t *stream,
                          const size_t (*segments)[2], size_t n)
{
    struct aw_wrapper wrapper = {.medium = AW_MEDIUM_TCP, .ports = {47001, 50000}};
    size_t size = aw_pcapng_begin(out, aw_wrapper_linktype(&wrapper), "test");
    for (size_t i = 0; i < n; i++) {
        uint8_t data[256];
        wrapper.sent[AW_TX] = (uint32_t)segments[i][0];
        wrapper.sent[AW_RX] = (uint32_t)segments[i][0];
        size_t length =
            aw_wrap(&wrapper, AW_RX, (struct aw_span){stream + segments[i][0], segments[i][1]},
                    data, sizeof data);
        struct aw_packet packet = {.linktype = aw_wrapper_linktype(&wrapper),
                                   .data = {data, length}};
        size += aw_pcapng_packet(out + size, cap - size, &packet);
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
        size_t segments[4][2]; /* first byte and size */
        size_t n;
        uint64_t records;
    } rows[] = {
        {{{0, ONE}, {ONE, ONE}, {2 * ONE, ONE}}, 3, 3},
        {{{0, ONE}, {0, ONE}, {ONE, ONE}}, 3, 2},               /* retransmission */
        {{{0, 20}, {10, ONE}, {10 + ONE, 2 * ONE - 10}}, 3, 3}, /* overlapping */
        {{{0, ONE + 10}, {2 * ONE, ONE}}, 2, 2},                /* only one end was captured */
    };
    uint8_t stream[3 * ONE], bytes[4096];
    for (size_t i = 0; i < 3; i++)
        memcpy(stream + i * ONE, timestamp, ONE);
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        size_t size = capture_tcp(bytes, sizeof bytes, stream, rows[i].segments, rows[i].n);
        begin(&aw_ezphys_protocol, NULL, NULL);
        assert_int_equal(feed(bytes, size, size), AW_OK);
        if (decoder.counts.records != rows[i].records || decoder.counts.damaged)
            fail_msg("row %zu: %llu records, %s", i, (unsigned long long)decoder.counts.records,
                     said);
        assert_int_equal(decoder.dir, AW_RX);
    }
}

/* If the direction is unknown, the device's port determines it. */
TEST_WITH(start, stop, ports_determine_the_direction)
{
    uint8_t bytes[1024], data[256];
    for (enum aw_dir dir = AW_RX; dir <= AW_TX; dir++) {
        struct aw_wrapper wrapper = {.medium = AW_MEDIUM_UDP, .ports = {30004, 30005}};
        size_t size = aw_pcapng_begin(bytes, aw_wrapper_linktype(&wrapper), "test");
        size_t length = aw_wrap(&wrapper, dir, (struct aw_span){request, 4}, data, sizeof data);
        struct aw_packet packet = {.linktype = aw_wrapper_linktype(&wrapper),
                                   .data = {data, length}};
        size += aw_pcapng_packet(bytes + size, sizeof bytes - size, &packet);
        begin(&aw_unitysim_protocol, NULL, NULL);
        feed(bytes, size, size);
        assert_int_equal(decoder.dir, dir);
    }
}

TEST_WITH(start, stop, output_errors_are_reported)
{
    begin(&sample_protocol, NULL, NULL);
    session->out.error = 28; /* ENOSPC */
    assert_int_equal(feed("A5 08 00 52\n", 12, 12), AW_LOST);
    assert_says(session->err.text, "standard output: ");
}
