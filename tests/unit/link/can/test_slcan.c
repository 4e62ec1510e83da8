/* Tests slcan: parsing of lines, the adapter's end, both ends together, and unusual adapters. */
#include "can_helper.h"

#include <termios.h>
#include <time.h>

#include "link/can/slcan_codec.h"
#include "link/core/random.h"
#include "link/open.h"
#include "picture_helper.h"

static enum aw_slcan_kind decode_text(const char *text, char *frame, int *time_ms)
{
    struct aw_slcan_reader reader = {0};
    uint8_t datagram[12];
    size_t size = 0;
    for (const char *c = text; *c; c++)
        assert_int_equal(aw_slcan_add_byte(&reader, (uint8_t)*c), c[1] == '\0');
    enum aw_slcan_kind kind = aw_slcan_decode(&reader, datagram, &size, time_ms);
    if (kind == AW_SLCAN_FRAME)
        print_frame(datagram, size, frame);
    return kind;
}

/* Each line with its frame and its time in ms, or with its kind. A line that ends with BEL is
 * refused. */
TEST(lines_are_decoded)
{
    static const struct {
        const char *line, *frame;
        int result; /* time, or kind of a line without a frame */
    } cases[] = {
        {"t0446398EE33C0000", "044#398EE33C0000", -1},
        {"t0446398ee33c0000", "044#398EE33C0000", -1},
        {"t05E69CFF000200F01234", "05E#9CFF000200F0", 0x1234},
        {"t7FF000001388", "7FF#", 5},
        {"T1F33445580011223344556677FFFFFFFF", "1F334455#0011223344556677", 34967},
        {"t00080011223344556677EA5F", "000#0011223344556677", 59999},
        {"\nt12\n31AA", "123#AA", -1},
        {"", NULL, AW_SLCAN_DONE},
        {"z", NULL, AW_SLCAN_DONE},
        {"Z", NULL, AW_SLCAN_DONE},
        {"zz", NULL, AW_SLCAN_REPLY},
        {"NA123", NULL, AW_SLCAN_REPLY},
        {"F00", NULL, AW_SLCAN_REPLY},
        {"r1230", NULL, AW_SLCAN_REMOTE},
        {"R1F3344552", NULL, AW_SLCAN_REMOTE},
        {"t", NULL, AW_SLCAN_BROKEN},
        {"t123", NULL, AW_SLCAN_BROKEN},
        {"t12300", NULL, AW_SLCAN_BROKEN},
        {"t1231AB1", NULL, AW_SLCAN_BROKEN},
        {"t1231AB123", NULL, AW_SLCAN_BROKEN},
        {"t1231AB12345", NULL, AW_SLCAN_BROKEN},
        {"t8000", NULL, AW_SLCAN_BROKEN},
        {"T1F334455", NULL, AW_SLCAN_BROKEN},
        {"T200000000", NULL, AW_SLCAN_BROKEN},
        {"t1232AABBEA60", NULL, AW_SLCAN_BROKEN}, /* exceeds one minute */
        {"t1232A-BB", NULL, AW_SLCAN_BROKEN},
        {"t12/0", NULL, AW_SLCAN_BROKEN}, /* characters next to the digits in ASCII */
        {"t123:", NULL, AW_SLCAN_BROKEN},
        {"t12@0", NULL, AW_SLCAN_BROKEN},
        {"t12G0", NULL, AW_SLCAN_BROKEN},
        {"t12`0", NULL, AW_SLCAN_BROKEN},
        {"t12g0", NULL, AW_SLCAN_BROKEN},
        {"t1239001122334455667788", NULL, AW_SLCAN_BROKEN},
        {"t12380011223344556677EA5F0", NULL, AW_SLCAN_BROKEN},
        {"t12380011223344556677EA5F0123456", NULL, AW_SLCAN_BROKEN},
    };
    EACH (row, cases) {
        char frame[64] = "";
        int time_ms = 99;
        assert_int_equal(decode_text(text_of("%s\a", row->line), frame, &time_ms),
                         AW_SLCAN_REFUSED);
        enum aw_slcan_kind kind = decode_text(text_of("%s\r", row->line), frame, &time_ms);
        if ((kind == AW_SLCAN_FRAME) != (row->frame != NULL) ||
            (row->frame ? time_ms : (int)kind) != row->result)
            fail_msg("%s: kind %d, %d ms", row->line, (int)kind, time_ms);
        assert_string_equal(frame, row->frame ? row->frame : "");
    }
}

TEST(frames_are_encoded)
{
    static const uint8_t setpoint[] = {0x44, 0x00, 0x39, 0x8E, 0xE3, 0x3C, 0x00, 0x00};
    static const uint8_t nothing[] = {0xFF, 0x07};
    char line[AW_SLCAN_LINE];
    aw_slcan_encode(setpoint, sizeof setpoint, AW_SLCAN_NO_TIME, line);
    assert_string_equal(line, "t0446398EE33C0000\r");
    aw_slcan_encode(setpoint, sizeof setpoint, 59999, line);
    assert_string_equal(line, "t0446398EE33C0000EA5F\r");
    aw_slcan_encode(nothing, sizeof nothing, AW_SLCAN_NO_TIME, line);
    assert_string_equal(line, "t7FF0\r");
    static const uint8_t of_29_bits[] = {0x00, 0xF1, 0xFD, 0x31, 1, 2, 3, 4, 5, 6, 7, 8};
    aw_slcan_encode(of_29_bits, sizeof of_29_bits, 59999, line);
    assert_string_equal(line, "T18FEF10080102030405060708EA5F\r");
    aw_slcan_encode(nothing, sizeof nothing, 0, line);
    assert_string_equal(line, "t7FF00000\r");
}

TEST(bit_rates_map_to_their_commands)
{
    static const long rates[] = {10000,  20000,  50000,  100000, 125000,
                                 250000, 500000, 800000, 1000000};
    for (int i = 0; i < 9; i++) {
        assert_int_equal(aw_slcan_speed_digit(rates[i]), i);
        assert_int_equal(aw_slcan_speed_digit(rates[i] - 1), -1);
        assert_int_equal(aw_slcan_speed_digit(rates[i] + 1), -1);
    }
    assert_int_equal(aw_slcan_speed_digit(0), -1);
}

/* Lets the adapter read its input; it has no frame to return. */
static void let_answer(struct aw_link *adapter)
{
    assert_read_is(adapter, AW_TIMEOUT, 0);
}

/* Sends commands to the adapter and requires this answer. */
static void assert_answers(struct aw_link *adapter, struct aw_link *computer, const char *commands,
                           const char *answer)
{
    assert_writes(computer, commands);
    let_answer(adapter);
    assert_reads(computer, answer);
}

/* Returns a computer that is connected to the stream of the adapter. */
static struct aw_link *computer_of(const struct aw_link *adapter)
{
    return opened(adapter->client_url + strlen("slcan:"));
}

TEST(adapter_forwards_frames_only_while_open)
{
    LINK adapter = opened("slcan:pty:");
    assert_true(adapter->datagrams);
    assert_memory_equal(adapter->client_url, "slcan:tty:/dev/", 15);
    LINK computer = computer_of(adapter);
    assert_sends(adapter, "05E#0102");
    assert_read_is(computer, AW_TIMEOUT, 0);
    assert_writes(computer, "O\rt0446398EE33C0000\rt0450\rT1F33445521122\r");
    assert_receives(adapter, "044#398EE33C0000");
    assert_receives(adapter, "045#");
    assert_receives(adapter, "1F334455#1122");
    assert_reads(computer, "\rz\rz\rZ\r");
    assert_sends(adapter, "05E#0102");
    assert_reads(computer, "t05E20102\r");
    assert_answers(adapter, computer, "C\rZ1\rL\r", "\r\r\r");
    assert_sends(adapter, "05E#0102");
    char stamped[32] = "";
    size_t got;
    struct aw_error err;
    assert_int_equal(aw_link_read(computer, stamped, 31, &got, AW_NEVER, &err), AW_OK);
    assert_memory_equal(stamped, "t05E20102", 9);
    assert_true(aw_slcan_is_hex(stamped + 9, 4));
    assert_string_equal(stamped + 13, "\r");
    assert_answers(adapter, computer, "C\r", "\r");
    assert_sends(adapter, "05E#0102");
    assert_read_is(computer, AW_TIMEOUT, 0);
}

TEST(new_computer_resets_the_adapter)
{
    LINK adapter = opened("slcan:tcp-listen:0");
    LINK computer = computer_of(adapter);
    assert_writes(computer, "Z1\rO\rt12");
    assert_read_is(adapter, AW_EVENT, AW_SECOND);
    let_answer(adapter);
    assert_reads(computer, "\r\r");
    aw_link_close(computer);
    computer = computer_of(adapter);
    assert_read_is(adapter, AW_EVENT, AW_SECOND);
    assert_answers(adapter, computer, "F\rO\r", "\a\r");
    assert_sends(adapter, "05E#0102");
    assert_reads(computer, "t05E20102\r");
}

static void both_ends(const char *listen, const char *query)
{
    ENDS ends = new_ends();
    static const char *const frames[] = {"044#398EE33C0000", "7FF#0011223344556677", "000#"};
    LINK adapter = open_link(listen, &ends.clock.base);
    for (int round = 0; round < 2; round++) {
        struct aw_link *client =
            opened_against(&ends, text_of("%s%s", adapter->client_url, query), adapter, NULL);
        assert_true(client->datagrams);
        assert_true(aw_link_fd(client) >= 0 && aw_link_fd(client) != aw_link_fd(adapter));
        assert_string_equal(client->key, adapter->key);
        EACH (frame, frames)
            assert_sends(client, *frame);
        EACH (frame, frames)
            assert_receives(adapter, *frame);
        for (int i = 0; i < 50; i++) {
            assert_carries(adapter, client, "05E#9CFF000200F0");
            int64_t age = aw_wall_time() - client->rx.time_ns;
            if (*query)
                assert_in_range(age, 0, 10 * AW_SECOND);
            else
                assert_int_equal(client->rx.time_ns, 0);
        }
        static const uint8_t no_frame[] = {0x00, 0x08};
        assert_write_fails(client, no_frame, 2, AW_USAGE, "");
        assert_write_fails(adapter, no_frame, 1, AW_USAGE, "");
        uint8_t bytes[1 + AW_SLCAN_LINE];
        struct aw_link_raw raw = {.bytes = bytes, .cap = sizeof bytes};
        assert_false(aw_link_raw(client, no_frame, sizeof no_frame, &raw));
        aw_link_close(client);
        ends.client = NULL;
        if (adapter->n_connections > 0)
            assert_int_equal(adapter->n_connections, round + 1);
    }
}

TEST(client_and_adapter_interoperate)
{
    both_ends("slcan:pty:", "");
    both_ends("slcan:pty:", "?time=on&bitrate=500000&baud=115200");
    both_ends("slcan:tcp-listen:0", "");
    both_ends("slcan:tcp-listen:0", "?btr=0014&time=on");
}

/* Excludes the time in which other programs used the processor. */
static int64_t own_time(struct aw_clock *clock)
{
    long long ran, waited = 0;
    FILE *file = fopen("/proc/thread-self/schedstat", "r");
    if (file) {
        if (fscanf(file, "%lld %lld", &ran, &waited) != 2)
            waited = 0;
        fclose(file);
    }
    return aw_clock_now(clock) - waited;
}

TEST(absent_computer_does_not_block_the_adapter)
{
    struct aw_error err = {0};
    LINK adapter = opened("slcan:pty:");
    struct aw_link *computer = computer_of(adapter);
    assert_answers(adapter, computer, "O\r", "\r");
    aw_link_close(computer); /* without closing the channel */
    enum aw_status status = AW_OK;
    int64_t start = now(), worst = 0;
    while (status != AW_TIMEOUT && now() < start + 10 * AW_SECOND) {
        int64_t before = own_time(usual_clock());
        status = send_frame(adapter, "05E#0011223344556677", &err);
        int64_t took = own_time(usual_clock()) - before;
        worst = took > worst ? took : worst;
    }
    assert_int_equal(status, AW_TIMEOUT); /* the adapter closes the channel at the first timeout */
    assert_true(worst < AW_SECOND / 2);
}

/* Counts the complete frame lines read; *last: number of the last frame. */
static int read_frames(struct aw_link *adapter, struct aw_link *computer, unsigned *last)
{
    char text[16384];
    struct aw_error err;
    size_t used = 0, got;
    int frames = 0;
    let_answer(adapter);
    while (aw_link_read(computer, text + used, sizeof text - used, &got,
                        aw_clock_now(computer->clock) + 50 * AW_MILLISECOND, &err) == AW_OK) {
        let_answer(adapter); /* the next frames follow as space permits */
        used += got;
        char *line = text, *end;
        while ((end = memchr(line, '\r', used - (size_t)(line - text)))) {
            *end = '\0';
            unsigned number;
            if (*line == 't') {
                assert_int_equal(sscanf(line, "t05E4%8X", &number), 1);
                assert_int_equal(strlen(line), 13);
                assert_true(number > *last);
                *last = number;
                frames++;
            } else {
                assert_true(strcmp(line, "F01") == 0 || strcmp(line, "z") == 0);
            }
            line = end + 1;
        }
        used -= (size_t)(line - text);
        memmove(text, line, used);
    }
    return frames;
}

TEST(slow_computer_loses_the_oldest_frames)
{
    static const char *const urls[] = {"slcan:pty:", "slcan:tcp-listen:0"};
    for (size_t i = 0; i < 2; i++) {
        struct aw_error err = {0};
        LINK adapter = opened(urls[i]);
        LINK computer = computer_of(adapter);
        unsigned sent = 0, last = 0;
        uint8_t buf[10];
        size_t got;
        if (i == 1)
            assert_read_is(adapter, AW_EVENT, AW_SECOND);
        assert_answers(adapter, computer, "O\r", "\r");
        int64_t worst = 0;
        while (adapter->n_dropped < 1000) {
            int64_t before = now();
            assert_int_equal(send_frame(adapter, text_of("05E#%08X", ++sent), &err), AW_OK);
            int64_t took = now() - before;
            worst = took > worst ? took : worst;
        }
        assert_true(worst < AW_SECOND / 2);
        assert_writes(computer, "t0010\rF\r"); /* this one is accepted, too */
        assert_int_equal(aw_link_read(adapter, buf, sizeof buf, &got, now() + AW_SECOND, &err),
                         AW_OK);
        assert_int_equal(got, 2);
        int frames = read_frames(adapter, computer, &last);
        assert_int_equal(last, sent);
        assert_int_equal((uint64_t)frames + adapter->n_dropped, sent);
    }
}

/* Adapters with unusual answers: one table each. */
struct line_answer {
    const char *line, *answer;
};
static const struct line_answer *answers; /* table of the adapter, up to a NULL line */

static void answer_lines(struct aw_link *end, const char *bytes, size_t size)
{
    static char line[64];
    static size_t used;
    for (size_t i = 0; i < size; i++) {
        if (bytes[i] != '\r') {
            line[used++] = bytes[i];
            continue;
        }
        line[used] = '\0';
        used = 0;
        for (const struct line_answer *row = answers; row->line; row++)
            if (strcmp(row->line, line) == 0)
                assert_writes(end, row->answer);
    }
}

/* Reports only its version, in its own format. Its channel was left open. */
static const struct line_answer laconic[] = {
    {"C", "t05E10"}, {"V", "2\r1.2 board, firmware b158aa7\rt05E0\r"}, {0}};
static const struct line_answer silent[] = {{0}};
static const struct line_answer without_speed[] = {
    {"", "\a"},  {"C", "\a"}, {"V", "V1010\r"}, {"S3", "t05E0\rT000000010\r\a"}, {"Z0", "\a"},
    {"O", "\r"}, {0}};
/* Sends the rest of a frame and an answer to another program first. */
static const struct line_answer busy_before[] = {
    {"", "1122\r\a"}, {"C", "\a"}, {"V", "V1010\r"}, {"S8", "\r"}, {"Z0", "\r"}, {"O", "\r"}, {0}};
static const struct line_answer not_opening[] = {{"C", "\r"},  {"V", "V1010\r"}, {"S8", "\r"},
                                                 {"Z0", "\r"}, {"O", "\a"},      {0}};

TEST(unusual_adapters_are_supported_or_explained)
{
    static const struct {
        const struct line_answer *answers;
        const char *query, *words; /* NULL: the link opens */
    } cases[] = {
        {laconic, "", NULL},
        {silent, "", "silent=yes"},
        {silent, "?silent=yes", NULL},
        {without_speed, "?bitrate=100000", "refused S3"},
        {not_opening, "", "refused to open"},
        {busy_before, "", NULL},
    };
    EACH (row, cases) {
        ENDS ends = new_ends();
        LINK stream = open_link("pty:", &ends.clock.base);
        answers = row->answers;
        open_against(&ends, text_of("slcan:%s%s", stream->client_url, row->query), stream,
                     answer_lines);
        assert_int_equal(ends.status, row->words ? AW_NO_LINK : AW_OK);
        assert_has(ends.err.text, row->words ? row->words : "");
        if (ends.client) {
            assert_writes(stream, "t05E2");
            assert_read_is(ends.client, AW_TIMEOUT, 0);
            assert_writes(stream, "AABB\rz\rT1F33445521122\rt05F0\r");
            assert_receives(ends.client, "05E#AABB");
            assert_receives(ends.client, "1F334455#1122");
            assert_receives(ends.client, "05F#");
            assert_writes(stream, "\at12\r");
            assert_event(ends.client,
                         "the adapter refused a frame (its buffer is full, or it is bus-off)");
            assert_int_equal(ends.client->n_dropped, 0);
            assert_event(ends.client, "damaged line from the adapter: t12");
            assert_int_equal(ends.client->n_dropped, 1);
            assert_read_is(ends.client, AW_TIMEOUT, 0);
            assert_string_equal(ends.client->rx.event, "");
        }
    }
}

TEST(refused_frame_fails_the_write)
{
    ENDS ends = new_ends();
    struct aw_error err;
    LINK stream = open_link("pty:", &ends.clock.base);
    answers = busy_before;
    struct aw_link *client =
        opened_against(&ends, text_of("slcan:%s", stream->client_url), stream, answer_lines);
    assert_writes(stream, "t05E0\r\a");
    assert_int_equal(send_frame(client, "041#00", &err), AW_REFUSED);
    assert_has(err.text, "the adapter refused a frame");
    assert_writes(stream, "t05F0\rz\r");
    assert_int_equal(send_frame(client, "041#00", &err), AW_OK);
    assert_receives(client, "05E#");
    assert_receives(client, "05F#");
    int64_t before = aw_clock_now(&ends.clock.base);
    for (int i = 0; i < 20; i++) /* only the first write waits for an answer */
        assert_int_equal(send_frame(client, "041#00", &err), AW_OK);
    assert_in_range(aw_clock_now(&ends.clock.base) - before, 50 * AW_MILLISECOND, AW_SECOND / 2);
    assert_read_is(client, AW_TIMEOUT, 0);
}

TEST(unplugged_adapter_loses_the_link)
{
    ENDS ends = new_ends();
    struct aw_link *adapter = open_link("slcan:tcp-listen:0", &ends.clock.base);
    struct aw_link *client = opened_against(&ends, adapter->client_url, adapter, NULL);
    aw_link_close(adapter);
    assert_read_is(client, AW_LOST, AW_SECOND);
}

TEST(stop_request_or_unplugging_interrupts_opening)
{
    struct aw_link *stream = opened("tcp-listen:0");
    const char *url = text_of("slcan:%s", stream->client_url);
    struct interrupted_clock stopped = interrupted_clock(NULL);
    assert_open_fails_by(&stopped.real.base, url, AW_STOPPED, ": interrupted while opening");
    struct interrupted_clock unplugged = interrupted_clock(stream);
    assert_open_fails_by(&unplugged.real.base, url, AW_NO_LINK, ": adapter disconnected");
}

TEST(adapter_answers_random_bytes_safely)
{
    static const char letters[] = "\r\r\aCOLSsVvNFZMmXWQUrRtTz0123456789ABCDEFabcdef\n <>\xff";
    struct aw_random random = {.state = 1};
    LINK adapter = opened("slcan:pty:");
    LINK computer = computer_of(adapter);
    size_t lines = 0, answered = 0, got;
    for (int i = 0; i < 2000; i++) {
        char bytes[64];
        uint8_t datagram[16];
        struct aw_error err;
        for (size_t k = 0; k < sizeof bytes; k++)
            bytes[k] = letters[aw_random_below(&random, sizeof letters - 1)];
        for (size_t k = 0; k < sizeof bytes; k++)
            lines += bytes[k] == '\r' || bytes[k] == '\a';
        assert_int_equal(aw_link_write(computer, bytes, sizeof bytes, &err), AW_OK);
        while (aw_link_read(adapter, datagram, sizeof datagram, &got, 0, &err) == AW_OK)
            /* a valid frame */
            assert_int_equal(aw_link_write(adapter, datagram, got, &err), AW_OK);
        while (aw_link_read(computer, bytes, sizeof bytes, &got, 0, &err) == AW_OK)
            for (size_t k = 0; k < got; k++)
                answered += bytes[k] == '\r' || bytes[k] == '\a';
    }
    assert_true(answered >= lines);
}

/* Sends lines in which '.' stands for CR and '!' for BEL; prints the answers in the same form. */
static void print_answers_to(struct aw_link *computer, struct aw_link *adapter, const char *text,
                             FILE *out)
{
    char bytes[256];
    size_t wanted = 0, got, n = strlen(text);
    struct aw_error err;
    uint8_t frame[16];
    for (size_t i = 0; i < n; i++) {
        bytes[i] = text[i] == '.' ? '\r' : text[i] == '!' ? '\a' : text[i];
        wanted += bytes[i] != text[i];
    }
    assert_int_equal(aw_link_write(computer, bytes, n, &err), AW_OK);
    int64_t end = aw_clock_now(computer->clock) + 20 * AW_SECOND;
    while (wanted > 0 && aw_clock_now(computer->clock) < end) {
        while (aw_link_read(adapter, frame, sizeof frame, &got, 0, &err) == AW_OK)
            ;
        if (aw_link_read(computer, bytes, sizeof bytes, &got, 0, &err) != AW_OK)
            continue;
        for (size_t i = 0; i < got; i++) {
            wanted -= bytes[i] == '\r' || bytes[i] == '\a';
            fputc(bytes[i] == '\r' ? '.' : bytes[i] == '\a' ? '!' : bytes[i], out);
        }
    }
    assert_int_equal(wanted, 0);
}

/* Prints the answer to every command with any number of digits while closed, open and listening,
 * and the state afterwards. */
static void print_commands(struct aw_link *computer, struct aw_link *adapter, FILE *out)
{
    static const char letters[] = "COLSsVvNFZMmXWQUrRTtPA";
    static const char *const states[] = {"", "O.", "L."};
    static const unsigned digits[] = {0, 1, 2, 3, 4, 6, 7, 8, 9, 10, 25, 26};
    for (const char *letter = letters; *letter; letter++)
        for (size_t state = 0; state < 3; state++) {
            fprintf(out, "%s%s%c", state ? "\t" : "", states[state], *letter);
            EACH (row, digits) {
                fputc(' ', out);
                print_answers_to(computer, adapter,
                                 text_of("C.%s%c%.*s.F.t1230.O.", states[state], *letter, (int)*row,
                                         "10000000000000000000000000"),
                                 out);
            }
            fputc('\n', out);
        }
    static const char *const more[] = {"C.S0.S7.S8.S9.SA.S:.",
                                       "Z0.Z1.Z2.Z9.X0.X9.XG.",
                                       "O.!r1230.T000001230.R000001230.t1230!Z1.",
                                       "C.Z1.L.C.Z0.L.C.L0.O0.s001.s00140G.",
                                       "O.t12300000.t8000.T00000800G.",
                                       "C.MFFFFFFFF.mFFFFFFFF.mFFFFFFFG.?."};
    EACH (row, more) {
        fprintf(out, "%s ", *row);
        print_answers_to(computer, adapter, *row, out);
        fputc('\n', out);
    }
}

TEST(adapter_answers_match_the_golden_file)
{
    FILE *out = begin_picture();
    struct aw_link *adapter = opened("slcan:tcp-listen:127.0.0.1:0");
    struct aw_link *computer = computer_of(adapter);
    assert_read_is(adapter, AW_EVENT, 20 * AW_SECOND);
    print_commands(computer, adapter, out);
    aw_link_close(computer);
    aw_link_close(adapter);
    end_picture(out, "slcan.txt");
}

TEST(unusable_adapters_and_settings_are_refused)
{
    static const struct {
        const char *url; /* the rest of "slcan:" */
        enum aw_status status;
        const char *says;
    } cases[] = {
        {"", AW_USAGE, "slcan:/dev/ttyACM0"},
        {"?bitrate=1000000", AW_USAGE, "slcan: no port given — write slcan:/dev/ttyACM0"},
        {"slcan:pty:", AW_USAGE, "not a stream"},
        {"nope:", AW_USAGE, "unknown"},
        {"pty:/no/such/folder/arm", AW_NO_LINK,
         "pty:/no/such/folder/arm: No such file or directory"},
        {"tcp:127.0.0.1:1", AW_NO_LINK, "refused"},
        {"/dev/nope", AW_NO_LINK, "/dev/nope"},
        {"/dev/nope?btr=0014", AW_NO_LINK, "/dev/nope"},
        {"/dev/nope?btr=001400", AW_NO_LINK, "/dev/nope"},
        {"/dev/nope?bitrate=10000", AW_NO_LINK, "/dev/nope"},
        {"/dev/nope?bitrate=fast", AW_USAGE, "bitrate=fast"},
        {"/dev/nope?bitrate=0", AW_USAGE, "bitrate=0: not a whole number from 1 to 1000000"},
        {"/dev/nope?bitrate=1000001", AW_USAGE, "1000001: not a whole number from 1 to 1000000"},
        {"/dev/nope?bitrate=1", AW_USAGE,
         "link key bitrate=1: not supported (10000 20000 50000 100000 125000 250000 500000 800000 "
         "1000000) — for others give ?btr=…"},
        {"/dev/nope?bitrat=1", AW_USAGE, "did you mean 'bitrate'"},
        {"/dev/nope?btr=001", AW_USAGE, "link key btr=001: not 4 to 6 hexadecimal digits"},
        {"/dev/nope?btr=0014001", AW_USAGE, "link key btr=0014001: not 4 to 6 hexadecimal digits"},
        {"/dev/nope?btr=00zz", AW_USAGE, "link key btr=00zz: not 4 to 6 hexadecimal digits"},
        {"/dev/nope?time=yes", AW_USAGE, "link key time=yes: not one of off|on"},
        {"/dev/nope?silent=on", AW_USAGE, "link key silent=on: not one of no|yes"},
    };
    EACH (row, cases)
        assert_open_fails(text_of("slcan:%s", row->url), row->status, row->says);
}

/* Records the client's commands that open the channel. Line keys are passed to the port. */
static char heard[128];

static void listen_to(struct aw_link *end, const char *bytes, size_t size)
{
    static const struct line_answer opening[] = {
        {"V", "V1010\r"}, {"s001400", "\r"}, {"S4", "\r"}, {"Z0", "\r"},
        {"Z1", "\r"},     {"O", "\r"},       {0}};
    size_t used = strlen(heard);
    for (size_t i = 0; i < size && used + 1 < sizeof heard; i++)
        heard[used++] = bytes[i] == '\r' ? '.' : bytes[i];
    heard[used] = '\0';
    answers = opening;
    answer_lines(end, bytes, size);
}

TEST(url_keys_set_the_open_commands_and_serial_port)
{
    static const char *const cases[][2] = {
        {"?bitrate=125000&time=on&stop=2&baud=57600", ".C.V.S4.Z1.O."},
        {"?btr=001400&stop=1", ".C.V.s001400.Z0.O."}};
    for (size_t i = 0; i < 2; i++) {
        *heard = '\0';
        ENDS ends = new_ends();
        LINK stream = open_link("pty:", &ends.clock.base);
        opened_against(&ends, text_of("slcan:%s%s", stream->client_url, cases[i][0]), stream,
                       listen_to);
        assert_string_equal(heard, cases[i][1]);
        struct termios modes;
        assert_int_equal(tcgetattr(aw_link_fd(ends.client), &modes), 0);
        assert_int_equal(cfgetospeed(&modes), i == 0 ? B57600 : B9600);
        assert_int_equal(modes.c_cflag & CSTOPB, i == 0 ? CSTOPB : 0);
        aw_link_close(ends.client);
        ends.client = NULL;
        assert_reads(stream, "C\r");
    }
}

TEST(adapter_timestamps_are_used)
{
    bool same = false;
    ENDS ends = new_ends();
    LINK stream = open_link("pty:", &ends.clock.base);
    struct aw_link *client = opened_against(
        &ends, text_of("slcan:%s?time=on&bitrate=125000", stream->client_url), stream, listen_to);
    for (int i = 0; i < 20 && !same; i++) { /* repeats a try in which the machine stalled */
        struct timespec pause = {.tv_nsec = 3000000};
        assert_writes(stream, "t0010EA5E\r");
        assert_receives(client, "001#");
        int64_t first = client->rx.time_ns;
        nanosleep(&pause, NULL); /* more time passes here than on the adapter */
        assert_writes(stream, "t0010EA5E\rt00100001\r");
        assert_receives(client, "001#");
        same = client->rx.time_ns == first;
        assert_receives(client, "001#");
        same = same && client->rx.time_ns == first + 3 * AW_MILLISECOND;
    }
    assert_true(same);
}
