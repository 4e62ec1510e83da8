/* socketcand: — messages as data, the server by hand, both ends against each other, and servers
 * that refuse. */
#include "can_helper.h"

#include "link/can/socketcand_codec.h"
#include "link/core/random.h"
#include "picture_helper.h"

static bool take_text(struct aw_socketcand_reader *reader, const char *text)
{
    bool complete = false;
    for (const char *c = text; *c; c++)
        complete = aw_socketcand_read(reader, (uint8_t)*c);
    return complete;
}

static void frames_are_read(void **state)
{
    (void)state;
    static const struct {
        const char *message, *frame; /* NULL: none of ours */
        int64_t time_ns;
    } cases[] = {
        {"< frame 123 1.234567 DEADBEEF >", "123#DEADBEEF", 1234567000},
        {"< frame 123 1.234567 DE AD BE EF >", "123#DEADBEEF", 1234567000},
        {"<frame 5e 1436509052.000001 1 2 0a>", "05E#01020A", 1436509052000001000},
        {"junk>< frame 7FF 0.5 >", "7FF#", 500000000},
        {"< frame 000 23 0011223344556677 >", "000#0011223344556677", 23000000000},
        {"< frame\t123\r\n0.000000001 AA >", "123#AA", 1},
        {"< frame 0 1.0000000001 AA >", "000#AA", 1000000000},
        {"< frame 123 1.0 001122334455667788 >", NULL, 0},
        {"< frame 123 1.0 AAB >", NULL, 0},
        {"< frame 123 1.0 GG >", NULL, 0},
        {"< frame 123 1.0x AA >", NULL, 0},
        {"< frame 123 1:0 AA >", NULL, 0},
        {"< frame 123 12 AA >", "123#AA", 12000000000},
        {"< frame 123 -1.0 AA >", NULL, 0},
        {"< frame 123 99999999999999.0 AA >", NULL, 0},
        {"< frame 800 1.0 AA >", "00000800#AA", 1000000000}, /* 29 bits */
        {"< frame 00000123 1.0 AA >", "00000123#AA", 1000000000},
        {"< frame 1FFFFFFF 1.0 0011223344556677 >", "1FFFFFFF#0011223344556677", 1000000000},
        {"< frame 20000000 1.0 AA >", NULL, 0},
        {"< frame 123456789 1.0 AA >", NULL, 0},
        {"< frame 123 >", NULL, 0},
        {"< frame >", NULL, 0},
        {"< ok >", NULL, 0},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        struct aw_socketcand_reader reader = {0};
        uint8_t datagram[12];
        size_t size;
        int64_t time_ns;
        char frame[64];
        assert_true(take_text(&reader, cases[i].message));
        bool is_frame = aw_socketcand_frame(&reader, datagram, &size, &time_ns);
        if (is_frame != (cases[i].frame != NULL))
            fail_msg("%s: %d", cases[i].message, is_frame);
        if (!is_frame)
            continue;
        print_frame(datagram, size, frame);
        assert_string_equal(frame, cases[i].frame);
        assert_int_equal(time_ns, cases[i].time_ns);
    }
}

static void sends_are_read(void **state)
{
    (void)state;
    static const struct {
        const char *message, *frame; /* NULL: malformed */
    } cases[] = {
        {"< send 123 2 AA BB >", "123#AABB"},
        {"< send 44 6 39 8e e3 3c 0 0 >", "044#398EE33C0000"},
        {"< send 123 2 AABB >", "123#AABB"},
        {"< send 123 0 >", "123#"},
        {"< send 123 0  >", "123#"},
        {"< send 7FF 8 0 11 22 33 44 55 66 77 >", "7FF#0011223344556677"},
        {"< send 1F334455 1 AA >", "1F334455#AA"},
        {"< send 800 1 AA >", "00000800#AA"},
        {"< send 1F334455 2 AA >", NULL},
        {"< send 123 3 AA BB >", NULL},
        {"< send 123 1 AA BB >", NULL},
        {"< send 123 9 1 2 3 4 5 6 7 8 9 >", NULL},
        {"< send 123 >", NULL},
        {"< send xyz 1 AA >", NULL},
        {"< send 123 1 -1 >", NULL},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        struct aw_socketcand_reader reader = {0};
        uint8_t datagram[12];
        size_t size;
        char frame[64] = "";
        assert_true(take_text(&reader, cases[i].message));
        bool valid = aw_socketcand_send(&reader, datagram, &size);
        if (valid != (cases[i].frame != NULL))
            fail_msg("%s: %d", cases[i].message, valid);
        if (!valid)
            continue;
        print_frame(datagram, size, frame);
        assert_string_equal(frame, cases[i].frame);
    }
}

static void what_is_no_message_is_passed_over(void **state)
{
    (void)state;
    static const char *const texts[] = {"",     "frame 123", ">",       "< >",   "<>",
                                        "< hi", "< hi <",    "\r\n < ", "<  \t>"};
    char longer[2 * AW_SOCKETCAND_TEXT];
    struct aw_socketcand_reader reader = {0};
    for (size_t i = 0; i < sizeof texts / sizeof *texts; i++) {
        reader = (struct aw_socketcand_reader){0};
        assert_false(take_text(&reader, texts[i]));
    }
    snprintf(longer, sizeof longer, "< frame 123 1.0 %0150d >", 0);
    assert_false(take_text(&reader, longer));
    assert_false(take_text(&reader, "< a b c d e f g h i j k l m n o p q >"));
    assert_false(aw_socketcand_read(&reader, '<'));
    assert_false(aw_socketcand_read(&reader, '\0'));
    assert_false(aw_socketcand_read(&reader, '>'));
    assert_true(take_text(&reader, "< hi > < ok >"));
    assert_int_equal(reader.n, 1);
    assert_string_equal(reader.word[0], "ok");
}

static void frames_are_written(void **state)
{
    (void)state;
    static const uint8_t joint[] = {0x5E, 0x00, 0x9C, 0xFF, 0x00, 0x02, 0x00, 0xF0};
    static const uint8_t nothing[] = {0xFF, 0x07};
    char text[AW_SOCKETCAND_TEXT];
    aw_socketcand_print_frame(joint, sizeof joint, 1436509052249713999, text);
    assert_string_equal(text, "< frame 05E 1436509052.249713 9CFF000200F0 >");
    aw_socketcand_print_frame(nothing, sizeof nothing, 0, text);
    assert_string_equal(text, "< frame 7FF 0.000000 >");
    aw_socketcand_print_send(joint, sizeof joint, text);
    assert_string_equal(text, "< send 05E 6 9C FF 00 02 00 F0 >");
    aw_socketcand_print_send(nothing, sizeof nothing, text);
    assert_string_equal(text, "< send 7FF 0 >");
}

/* A client by hand: the stream of a server's URL. */
static struct aw_link *open_stream(const struct aw_link *server, struct aw_clock *clock)
{
    char url[160];
    snprintf(url, sizeof url, "tcp:%s", server->ready + strlen("socketcand:"));
    *strchr(url, '/') = '\0';
    return open_link(url, clock);
}

static void the_server_answers_like_one(void **state)
{
    (void)state;
    static const struct {
        const char *message, *answer;
    } steps[] = {
        {"< echo >", "< echo >"},
        {"< send 123 1 AA >", "< error unknown command >"},
        {"< rawmode >", "< error unknown command >"},
        {"< open can7 >", "< error could not open bus >"},
        {"< open >", "< error could not open bus >"},
        {"< open can1 >", "< ok >"},
        {"< open can1 >", "< error unknown command >"},
        {"< isotpmode >", "< error only raw mode is there >"},
        {"< nonsense >", "< error unknown command >"},
        {"< rawmode >", "< ok >"},
        {"junk < send 123 3 AA > junk", "< error malformed send >"},
    };
    struct aw_real_clock clock = aw_real_clock(-1);
    struct aw_link *server = open_link("socketcand-listen:0/can1", &clock.base);
    struct aw_link *client = open_stream(server, &clock.base);
    assert_read_is(server, AW_EVENT, AW_SECOND);
    assert_reads(client, "< hi >");
    for (size_t i = 0; i < sizeof steps / sizeof *steps; i++) {
        assert_writes(client, steps[i].message);
        assert_read_is(server, AW_TIMEOUT, 20 * AW_MILLISECOND);
        assert_reads(client, steps[i].answer);
    }
    assert_writes(client, "< send 1F334455 1 AA >< send 123 2 AA BB >< send 124 0 >");
    assert_receives(server, "1F334455#AA");
    assert_receives(server, "123#AABB");
    assert_receives(server, "124#");
    assert_read_is(client, AW_TIMEOUT, 0); /* no answer to these */
    aw_link_close(client);
    struct aw_link *next = open_stream(server, &clock.base);
    assert_read_is(server, AW_EVENT, AW_SECOND);
    assert_reads(next, "< hi >");
    assert_sends(server, "123#AA"); /* not to somebody who has not asked */
    assert_read_is(next, AW_TIMEOUT, 0);
    aw_link_close(next);
    aw_link_close(server);
}

static void both_ends_understand_each_other(void **state)
{
    (void)state;
    struct ends ends;
    ends_begin(&ends);
    struct aw_link *server = open_link("socketcand-listen:127.0.0.1:0", &ends.clock.base);
    assert_memory_equal(server->ready, "socketcand:127.0.0.1:", 21);
    assert_string_equal(strchr(server->ready, '/'), "/can0");
    assert_true(server->datagrams);
    for (int round = 1; round <= 2; round++) {
        struct aw_link *client = opened_against(&ends, server->ready, server, NULL);
        assert_true(client->datagrams);
        assert_string_equal(client->key, server->ready);
        assert_int_equal(server->connections, round);
        assert_read_is(client, AW_TIMEOUT, 20 * AW_MILLISECOND); /* the silence, see there */
        assert_sends(client, "044#398EE33C0000");
        assert_sends(client, "7FF#0011223344556677");
        assert_sends(client, "000#");
        assert_receives(server, "044#398EE33C0000");
        assert_receives(server, "7FF#0011223344556677");
        assert_receives(server, "000#");
        for (int i = 0; i < 50; i++) {
            int64_t before = aw_wall_time() - AW_MICROSECOND;
            assert_sends(server, "05E#9CFF000200F0");
            assert_receives(client, "05E#9CFF000200F0");
            assert_in_range(client->rx_time_ns, before, aw_wall_time());
        }
        struct aw_error err;
        static const uint8_t no_frame[] = {0x00, 0x08};
        assert_int_equal(aw_link_write(client, no_frame, sizeof no_frame, &err), AW_USAGE);
        assert_non_null(strstr(err.text, "/can0: not a classic CAN frame"));
        uint8_t bytes[AW_SOCKETCAND_TEXT];
        struct aw_link_raw raw = {.bytes = bytes, .cap = sizeof bytes};
        assert_true(aw_link_raw(client, "\x44\0\x39", 3, &raw));
        assert_int_equal(raw.size, strlen("< send 044 1 39 >"));
        assert_memory_equal(bytes, "< send 044 1 39 >", raw.size);
        assert_int_equal(raw.fd, aw_link_fd(client));
        assert_false(aw_link_raw(client, no_frame, sizeof no_frame, &raw));
        aw_link_close(client);
        ends.client = NULL;
    }
    aw_link_close(server);
    ends_end(&ends);
}

static void a_bus_may_have_a_long_name(void **state)
{
    (void)state;
    static const char name[] = "/a-name-of-thirty-one-characters";
    struct ends ends;
    char listen[100];
    ends_begin(&ends);
    snprintf(listen, sizeof listen, "socketcand-listen:127.0.0.1:0%s", name);
    struct aw_link *server = open_link(listen, &ends.clock.base);
    assert_string_equal(strchr(server->ready, '/'), name);
    assert_string_equal(server->key, server->ready);
    struct aw_link *client = opened_against(&ends, server->ready, server, NULL);
    assert_string_equal(client->key, server->ready);
    strcat(listen, "s");
    assert_open_fails(listen, AW_USAGE, "not the name of a bus");
    aw_link_close(server);
    ends_end(&ends);
}

/* Words as they come: whatever is in < > is answered or a frame, and nothing else comes out. */
static void any_words_are_survived(void **state)
{
    (void)state;
    static const char *const words[] = {
        "< ",           " > ",   ">",        "<",   " hi ",   " open ", "can0 ",
        "send ",        "123 ",  "1 ",       "AA ", "frame ", "9 ",     "0 ",
        "FFF ",         "echo ", "rawmode ", "-1 ", "\xff ",  "error ", "< send 123 1 AA >",
        "< open can0 >"};
    struct aw_random random = {.state = 1};
    struct aw_real_clock clock = aw_real_clock(-1);
    struct aw_link *server = open_link("socketcand-listen:0", &clock.base);
    struct aw_link *client = open_stream(server, &clock.base);
    assert_read_is(server, AW_EVENT, AW_SECOND);
    unsigned frames = 0;
    for (int i = 0; i < 5000; i++) {
        const char *word = words[aw_random_below(&random, sizeof words / sizeof *words)];
        char answers[256];
        uint8_t datagram[16];
        size_t got;
        struct aw_error err;
        assert_writes(client, word);
        while (aw_link_read(server, datagram, sizeof datagram, &got, 0, &err) == AW_OK) {
            assert_int_equal(aw_link_write(server, datagram, got, &err), AW_OK); /* is one */
            frames++;
        }
        while (aw_link_read(client, answers, sizeof answers, &got, 0, &err) == AW_OK)
            assert_true(got > 0);
    }
    assert_true(frames > 10);
    aw_link_close(client);
    aw_link_close(server);
}

static const char *script; /* what the server by hand says, one message for each it gets */

static void by_script(struct aw_link *end, const char *bytes, size_t size)
{
    (void)bytes;
    (void)size;
    char message[64];
    size_t n = strcspn(script, "|");
    snprintf(message, sizeof message, "%.*s", (int)n, script);
    script += n + (script[n] == '|');
    assert_writes(end, message);
}

static void servers_that_differ(void **state)
{
    (void)state;
    static const struct {
        const char *script, *words; /* NULL: opens */
    } cases[] = {
        {"< hi >|< ok >|< ok >", NULL},
        {"<hi>|\n<ok>\n|< ok >< frame 05D 1.5 01 >", NULL},
        {"< hi >|< error could not open bus >", ": 'socketcand: error could not open bus' — ask "
                                                "for a bus that it has, and check the port"},
        {"SSH-2.0 < error >", "error"},
        {"< hi >|< ok >|< hi >", "ask for a bus"},
        {"220 mail.example ESMTP", "is it socketcand"},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        struct ends ends;
        char url[256];
        script = cases[i].script;
        ends_begin(&ends);
        struct aw_link *stream = open_link("tcp-listen:0", &ends.clock.base);
        snprintf(url, sizeof url, "socketcand:%s/can0", stream->ready + strlen("tcp:"));
        open_against(&ends, url, stream, by_script);
        assert_int_equal(ends.status, cases[i].words ? AW_NO_LINK : AW_OK);
        if (cases[i].words && !strstr(ends.err.text, cases[i].words))
            fail_msg("\"%s\" does not say \"%s\"", ends.err.text, cases[i].words);
        if (ends.client) {
            assert_string_equal(ends.client->event, "");
            if (strstr(cases[i].script, "frame"))
                assert_receives(ends.client, "05D#01");
            assert_writes(stream, "< frame 05E 1436509052.2");
            assert_read_is(ends.client, AW_TIMEOUT, 0);
            assert_writes(stream, "5 AABB >< frame 12345678 1.0 AA >< ok >< frame 05F 0.0 >");
            assert_receives(ends.client, "05E#AABB");
            assert_int_equal(ends.client->rx_time_ns, INT64_C(1436509052250000000));
            assert_receives(ends.client, "12345678#AA");
            assert_receives(ends.client, "05F#");
            assert_writes(stream, "< error 040 12.5 >< error transmission refused >");
            assert_event(ends.client, "bus-off");
            assert_event(ends.client, "socketcand: error transmission refused");
            aw_link_close(stream);
            assert_read_is(ends.client, AW_LOST, AW_SECOND);
            stream = NULL;
        }
        ends_end(&ends);
        aw_link_close(stream);
    }
}

static void what_is_no_bus(void **state)
{
    (void)state;
    char url[256];
    struct aw_real_clock clock = aw_real_clock(-1);
    struct aw_link *stream = open_link("tcp-listen:0", &clock.base);
    snprintf(url, sizeof url, "socketcand:%s/can0", stream->ready + strlen("tcp:"));
    struct interrupted_clock stopped = interrupted_clock(NULL);
    assert_open_fails_by(&stopped.real.base, url, AW_STOPPED, "/can0: stopped while connecting");
    struct interrupted_clock left = interrupted_clock(stream);
    assert_open_fails_by(&left.real.base, url, AW_NO_LINK,
                         "/can0: closed the connection — is it socketcand that listens there");
    assert_open_fails("socketcand:127.0.0.1:1/can0", AW_NO_LINK, "refused");
    assert_open_fails("socketcand:127.0.0.1/can0", AW_USAGE, "no port");
    assert_open_fails("socketcand:127.0.0.1:1/can0/x", AW_USAGE, "name of a bus");
    assert_open_fails("socketcand:127.0.0.1:1/can >", AW_USAGE, "name of a bus");
    assert_open_fails("socketcand-listen:0/an-overlong-name-for-any-bus-there-is", AW_USAGE,
                      "name of a bus");
    assert_open_fails("socketcand:127.0.0.1:1/can0?bitrate=1", AW_USAGE, "bitrate");
    assert_open_fails("socketcan:127.0.0.1:1/can0", AW_USAGE, "did you mean 'socketcand'");
}

/* A clock that stands until it is set. */
struct held_clock {
    struct aw_real_clock real;
    int64_t time_ns;
};

static int64_t held_now(const struct aw_clock *clock)
{
    return ((const struct held_clock *)clock)->time_ns;
}

/* For so long after "rawmode" a client gets no frame. */
static void raw_mode_begins_with_a_silence(void **state)
{
    (void)state;
    struct held_clock held = {.real = aw_real_clock(-1), .time_ns = AW_SECOND};
    struct aw_real_clock clock = aw_real_clock(-1);
    held.real.base.now = held_now;
    struct aw_link *server = open_link("socketcand-listen:127.0.0.1:0", &held.real.base);
    struct aw_link *client = open_stream(server, &clock.base);
    struct aw_error err;
    uint8_t frame[16];
    size_t got;
    assert_writes(client, "< open can0 >< rawmode >");
    for (int i = 0; i < 2000 && server->connections == 0; i++)
        aw_link_read(server, frame, sizeof frame, &got, 0, &err);
    assert_int_equal(aw_link_read(server, frame, sizeof frame, &got, 0, &err), AW_TIMEOUT);
    assert_sends(server, "05E#AA");
    held.time_ns += 20 * AW_MILLISECOND - 1;
    assert_sends(server, "05E#BB");
    held.time_ns++;
    assert_sends(server, "05E#CC");
    char text[128] = "";
    while (!strstr(text, "CC >"))
        assert_int_equal(aw_link_read(client, text + strlen(text), sizeof text - 1 - strlen(text),
                                      &got, aw_clock_now(&clock.base) + 20 * AW_SECOND, &err),
                         AW_OK);
    assert_memory_equal(text, "< hi >< ok >< ok >< frame 05E 1", 31);
    assert_null(strstr(text, " AA"));
    assert_null(strstr(text, " BB"));
    aw_link_close(client);
    aw_link_close(server);
}

/* What each message is, as a frame, as something to send and as an error. */
static void print_messages(FILE *out)
{
    static const char *const messages[] = {"",
                                           "hi",
                                           "frame",
                                           "frame 7FF 1",
                                           "frame 7ff 1 00",
                                           "frame 800 1",
                                           "frame FFFFFFF 1",
                                           "frame 0000007FF 1",
                                           "frame 00000001 1",
                                           "frame 0000001 1 AA",
                                           "frame g 1",
                                           "frame 12 1 1 2 3 4 5 6 7 8",
                                           "frame 12 1 1 2 3 4 5 6 7 8 9",
                                           "frame 12 1 0102030405060708",
                                           "frame 12 1 010203040506070809",
                                           "frame 12 1 0 0102 3",
                                           "frame 12 1 010",
                                           "frame 12 1 0x",
                                           "frame 12 .5",
                                           "frame 12 0.",
                                           "frame 12 9223372035.999999999",
                                           "frame 12 9223372036.0",
                                           "frame 12 9999999999.1",
                                           "frame 12 10000000000.1",
                                           "frame 12 1.9",
                                           "frame 12 1.123456789",
                                           "frame 12 1.1234567891",
                                           "frame 12 1./",
                                           "frame 12 1.:",
                                           "frame 12 1,5",
                                           "send",
                                           "send 12",
                                           "send 12 0",
                                           "send 12 00",
                                           "send 12 g",
                                           "send 12 1 A",
                                           "send 12 1 AA",
                                           "send 12 2 AA",
                                           "send 12 8 1 2 3 4 5 6 7 8",
                                           "send 7FF 0",
                                           "send 800 0",
                                           "send 00000012 0",
                                           "send 0000001 0",
                                           "error",
                                           "error 1",
                                           "error 1 1",
                                           "error 1 x",
                                           "error x 1",
                                           "error 20000040 1.5 00",
                                           "a b c d e f g h i j k l m n o p",
                                           "a b c d e f g h i j k l m n o p q"};
    for (size_t i = 0; i < sizeof messages / sizeof *messages; i++) {
        struct aw_socketcand_reader reader = {0};
        uint8_t datagram[16] = {0};
        char text[160], frame[64] = "";
        size_t size = 0;
        int64_t time_ns = 0;
        uint32_t id = 0;
        snprintf(text, sizeof text, "<%s>", messages[i]);
        bool whole = take_text(&reader, text);
        fprintf(out, "%s: %d words %zu", messages[i], whole, reader.n);
        if (whole && aw_socketcand_frame(&reader, datagram, &size, &time_ns)) {
            print_frame(datagram, size, frame);
            fprintf(out, " frame %s at %lld", frame, (long long)time_ns);
        }
        if (whole && aw_socketcand_send(&reader, datagram, &size)) {
            print_frame(datagram, size, frame);
            fprintf(out, " send %s", frame);
        }
        if (whole && aw_socketcand_error(&reader, &id))
            fprintf(out, " error %X", id);
        fputc('\n', out);
    }
    for (int n = AW_SOCKETCAND_TEXT - 2; n <= AW_SOCKETCAND_TEXT; n++) { /* the longest */
        struct aw_socketcand_reader reader = {0};
        char text[AW_SOCKETCAND_TEXT + 8];
        snprintf(text, sizeof text, "<%0*d>", n, 1);
        fprintf(out, "%d letters: %d\n", n, take_text(&reader, text));
    }
    for (size_t n = 2; n <= 10; n++) {
        static const uint8_t datagram[] = {0xF5, 0x7E, 0x01, 0x2F, 0xF0,
                                           0x0A, 0xA0, 0x99, 0xFF, 0x00};
        char text[AW_SOCKETCAND_TEXT];
        aw_socketcand_print_frame(datagram, n, 12000034567 + (int64_t)n * 1000, text);
        fprintf(out, "%s ", text);
        aw_socketcand_print_send(datagram, n, text);
        fprintf(out, "%s\n", text);
    }
}

/* Each message to the server in each of its states, and what it then says to an echo and to a
 * frame. */
static void print_server(FILE *out)
{
    static const char *const states[] = {"", "< open can0 >", "< open can0 >< rawmode >"};
    static const char *const messages[] = {
        "open can0",    "open can0 x", "open",         "open can00", "rawmode",
        "send 12 1 AA", "send 12 1",   "send 800 0",   "echo",       "bcmmode",
        "isotpmode",    "controlmode", "statistics 1", "Echo"};
    static const char last[] = "< echo >< error unknown command >";
    struct aw_real_clock clock = aw_real_clock(-1);
    struct aw_link *server = open_link("socketcand-listen:127.0.0.1:0/can0", &clock.base);
    for (size_t state = 0; state < 3; state++)
        for (size_t i = 0; i < sizeof messages / sizeof *messages; i++) {
            char text[160], bytes[200] = "";
            uint8_t frame[16];
            size_t used = 0, got;
            struct aw_error err;
            struct aw_link *client = open_stream(server, &clock.base);
            assert_read_is(server, AW_EVENT, 20 * AW_SECOND);
            snprintf(text, sizeof text, "%s< %s >< echo >< last >", states[state], messages[i]);
            assert_writes(client, text);
            fprintf(out, "%s%s:", states[state], messages[i]);
            int64_t until = aw_clock_now(&clock.base) + 20 * AW_SECOND;
            do {
                while (aw_link_read(server, frame, sizeof frame, &got, 0, &err) == AW_OK) {
                    print_frame(frame, got, text);
                    fprintf(out, " (%s)", text);
                }
                if (aw_link_read(client, bytes + used, sizeof bytes - 1 - used, &got, 0, &err) ==
                    AW_OK)
                    used += got;
            } while (!strstr(bytes, last) && aw_clock_now(&clock.base) < until);
            fprintf(out, " %s\n", bytes);
            aw_link_close(client);
        }
    aw_link_close(server);
}

static void messages_and_answers_are_as_they_were(void **state)
{
    (void)state;
    FILE *out = begin_picture();
    print_messages(out);
    print_server(out);
    end_picture(out, "socketcand.txt");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(frames_are_read),
        cmocka_unit_test(sends_are_read),
        cmocka_unit_test(what_is_no_message_is_passed_over),
        cmocka_unit_test(frames_are_written),
        cmocka_unit_test(the_server_answers_like_one),
        cmocka_unit_test(any_words_are_survived),
        cmocka_unit_test(both_ends_understand_each_other),
        cmocka_unit_test(servers_that_differ),
        cmocka_unit_test(what_is_no_bus),
        cmocka_unit_test(messages_and_answers_are_as_they_were),
        cmocka_unit_test(a_bus_may_have_a_long_name),
        cmocka_unit_test(raw_mode_begins_with_a_silence),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
