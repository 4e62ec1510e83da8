#include <fcntl.h>
#include <unistd.h>

#include "capture_helper.h"
#include "protocol/armctl/wire.h"
#include "protocol/canpid/wire.h"
#include "session_helper.h"
#include "shell/source/stream.h"
#include "view/text/where.h"

static struct aw_stream *stream;
static struct aw_item item;
static char path[64];

static const char *subject(struct aw_session *s, const struct aw_record *record, char *out,
                           size_t size)
{
    (void)s;
    snprintf(out, size, "b%g", aw_record_get(record, "board"));
    return out;
}

static void start(void)
{
    start_session_of(&aw_canpid_protocol);
    tool.records.subject.get_subject = subject;
}

static void close_stream(void)
{
    aw_stream_close(stream);
    stream = NULL;
    unlink(path);
}

static void stop(void)
{
    close_stream();
    end_session();
}

static enum aw_status open_bytes(const void *bytes, size_t size, const char *ending)
{
    snprintf(path, sizeof path, "/tmp/test_stream_XXXXXX%s", ending);
    int fd = mkstemps(path, (int)strlen(ending));
    assert_true(fd >= 0);
    assert_int_equal(write(fd, bytes, size), (ssize_t)size);
    close(fd);
    return aw_stream_open(&stream, session, path);
}

static void open_text(const char *text)
{
    if (open_bytes(text, strlen(text), "") != AW_OK)
        fail_msg("%s", session->err.text);
}

static enum aw_status next(void)
{
    return aw_stream_next(stream, AW_NEVER, &item);
}

/* Writes the item: its time in ms, points "name=value" or "name='text'", and subject. */
static char *write_item(char *out)
{
    if (item.time_ns != AW_NO_TIME)
        out += sprintf(out, " @%lld", (long long)(item.time_ns / AW_MILLISECOND));
    assert_true(item.time_ns == AW_NO_TIME || item.time_ns % AW_MILLISECOND == 0);
    for (size_t i = 0; i < item.n; i++) {
        const struct aw_point *point = &item.points[i];
        out += point->text ? sprintf(out, " %s='%s'", point->name, point->text)
                           : sprintf(out, " %s=%.12g", point->name, point->value);
        assert_true(i == 0 || point->order > point[-1].order);
    }
    return out + (*item.subject ? sprintf(out, " (%s)", item.subject) : 0);
}

/* Requires that the next item is written like this. */
static void expect_next(const char *expected)
{
    char text[512];
    assert_int_equal(next(), AW_OK);
    write_item(text);
    assert_string_equal(text, expected);
}

/* Requires that all items of a text are written like this, separated by "|"; "!": malformed. */
static void expect_items(const char *text, const char *expected)
{
    char items[512] = "", *end = items;
    unsigned n = 0, damaged = 0;
    open_text(text);
    for (enum aw_status status; (status = next()) != AW_END;) {
        end += sprintf(end, end == items ? "" : " |");
        end = status == AW_OK ? write_item(end) : end + sprintf(end, " !");
        n += status == AW_OK;
        damaged += status == AW_MALFORMED;
    }
    if (strcmp(items, expected) != 0)
        fail_msg("%s:%s, not%s", text, items, expected);
    assert_int_equal(next(), AW_END);
    assert_int_equal(aw_stream_counters(stream)->messages, n);
    assert_int_equal(aw_stream_counters(stream)->damaged, damaged);
    close_stream();
}

TEST_WITH(start, stop, texts_are_read)
{
    static const struct {
        const char *text, *items;
    } cases[] = {
        {"", ""},
        {"{\"t\":1700000000.25,\"msg\":\"joint\",\"dir\":\"rx\",\"board\":\"lknee\",\"torque\":1.5,"
         "\"m\":{\"a\":[1,{\"b\":true}],\"c\":null},\"mode\":\"linear\"}\r\n"
         "\n[1]\n{\"timestamp\":5,\"x\":-3e2}",
         " @1700000000250 lknee.torque=1.5 lknee.m.a.0=1 lknee.m.a.1.b=1 lknee.m.c=nan"
         " lknee.mode='linear' (lknee) | ! | @5000 x=-300"},
        {"{\"a\":1,\"dir\":\"rx\",\"cmd\":\"x\",\"raw\":true,\"anomaly\":\"y\",\"t\":1}",
         " @1000 a=1"},
        {"{\"a\":true,\"b\":false,\"c\":null,\"d\":\"e\"}", " a=1 b=0 c=nan d='e'"},
        {"{\"name\":\"n\",\"a\":1}", " n.a=1 (n)"},
        {"{\"object\":\"n\",\"a\":{\"dir\":2,\"name\":\"m\"}}", " n.a.dir=2 n.a.name='m' (n)"},
        {"{\"name\":5,\"a\":1}", " name=5 a=1"},
        {"{\"a\":1,\"a\":2}", " a=2"},
        {"\xEF\xBB\xBF{\"a\":1}", " a=1"},
        {" \t\r\n{\"a\":1}", " a=1"},
        {"{\"a\":[[1,2],[3]],\"b\":[]}", " a.0.0=1 a.0.1=2 a.1.0=3"},
        {"{\"a\":{\"b\":{\"c\":{\"d\":{\"e\":{\"f\":{\"g\":1}}}}}}}", " a.b.c.d.e.f.g=1"},
        {"{\"a\":{\"b\":{\"c\":{\"d\":{\"e\":{\"f\":{\"g\":{\"h\":1}}}}}}}}", ""},
        {"\xEF\xBB\xBF# made by hand\nt,dir,msg,board,torque,\"fix angle\",note\n"
         "1.5,rx,joint,lknee,2.5,,calm\n\n2.5, rx , joint ,rknee, 3 ,4\n3.5,rx\n",
         " @1500 lknee.torque=2.5 lknee.note='calm' (lknee)"
         " | @2500 rknee.torque=3 rknee.fix angle=4 (rknee) | @3500"},
        {"t;\"x;y\"\n1;2\n", " @1000 x;y=2"},
        {"a,b,c\n1,x,", " a=1 b='x'"},
        {"a;b\n1,5;2", " a=1.5 b=2"},
        {"a\tb\n1\t2", " a=1 b=2"},
        {"name,a,dir\nn,1,rx", " n.a=1 (n)"},
        {"a,subject,b\n1,n,2", " n.a=1 n.b=2 (n)"},
        {"a,subject,b\n1,7,2", " a=1 subject=7 b=2"},
        {"1,2,3\n4,5,6", " column1=1 column2=2 column3=3 | column1=4 column2=5 column3=6"},
        {"x,2,3\n4,5,6", " column1='x' column2=2 column3=3 | column1=4 column2=5 column3=6"},
        {"x,2,y\n4,5,6", " x=4 2=5 y=6"},
        {"t,2\n4,5", " @4000 2=5"},
        {"# x\n\na,b\n# y\n1,2", " a=1 b=2"},
        {"a,b\n1,2,3", " a=1 b=2"},
        /* Times of 4e9 s and beyond are ignored, so that differences fit 64 bits of ns. */
        {"{\"t\":3999999999.5,\"x\":1}\n", " @3999999999500 x=1"},
        {"{\"t\":4000000000,\"x\":1}\n", " x=1"},
        {"{\"t\":-1.25,\"x\":1}\n", " @-1250 x=1"},
        {"{\"t\":\"1\",\"x\":1}\n", " x=1"},
        {"{\"t\":1,\"timestamp\":2,\"x\":1}\n", " @1000 x=1"},
        {"t,x\n3999999999.5,1\n", " @3999999999500 x=1"},
        {"t,x\n4000000000,1\n", " x=1"},
        {"x,time\n1,-1.25\n", " @-1250 x=1"},
        {"t,x\nsoon,1\n", " x=1"},
        {"t,time,x\n1,2,1\n", " @1000 time=2 x=1"},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++)
        expect_items(cases[i].text, cases[i].items);
}

TEST_WITH(start, stop, text_items_keep_their_line_and_codec)
{
    static const char line[] = "{\"msg\":\"joint\",\"board\":\"lknee\",\"torque\":1.5}";
    open_text(line);
    assert_false(aw_stream_is_live(stream));
    expect_next(" lknee.torque=1.5 (lknee)");
    assert_non_null(item.points[0].codec);
    assert_null(item.record);
    assert_string_equal(item.line, line);
    close_stream();
    open_text("msg,board,torque\njoint,lknee,2.5\n");
    expect_next(" lknee.torque=2.5 (lknee)");
    assert_string_equal(item.points[0].message, "joint");
    assert_non_null(item.points[0].codec);
}

/* Reads lines longer than the buffer, and objects with more members than the maximum number of
 * points. */
TEST_WITH(start, stop, long_lines_and_objects_are_read)
{
    static char text[400000];
    size_t used = (size_t)sprintf(text, "{\"m\":[0");
    for (int i = 1; i < 5000; i++)
        used += (size_t)sprintf(text + used, ",%d", i);
    used += (size_t)sprintf(text + used, "]}\n{\"long\":\"");
    memset(text + used, 'x', 200000);
    used += 200000;
    used += (size_t)sprintf(text + used, "\"}\n{\"x\":1}\n");
    open_text(text);
    assert_int_equal(next(), AW_OK);
    assert_int_equal(item.n, AW_POINTS_MAX);
    assert_string_equal(item.points[255].name, "m.255");
    assert_true(item.points[255].value == 255);
    while (next() == AW_MALFORMED)
        ;
    assert_string_equal(item.points[0].name, "x");
    assert_int_equal(next(), AW_END);
}

TEST_WITH(start, stop, invalid_input_is_reported)
{
    static const char *const texts[] = {"hello\n", "# nothing but a remark\n", "\n\n"};
    for (size_t i = 0; i < sizeof texts / sizeof *texts; i++) {
        assert_int_equal(open_bytes(texts[i], strlen(texts[i]), ".csv"), AW_USAGE);
        assert_null(stream);
        unlink(path);
    }
    assert_int_equal(open_bytes("a b\n1 2", 7, ""), AW_USAGE);
    unlink(path);
    assert_int_equal(aw_stream_open(&stream, session, "/nonexistent/file.csv"), AW_USAGE);
    assert_has(session->err.text, "/nonexistent/file.csv: No such file");
}

static void expect_error(enum aw_status status, const char *text)
{
    assert_int_equal(status, AW_MALFORMED);
    assert_has(session->err.text, text);
}

TEST_WITH(start, stop, invalid_cells_are_located)
{
    open_text("a,t,b\n"
              "1,2,3\n"
              "1,soon,x\n"
              "1\n"
              "1,2,3,4\n");
    expect_next(" @2000 a=1 b=3");
    assert_int_equal(aw_stream_check_time(stream), AW_OK);
    assert_int_equal(aw_stream_check_cells(stream), AW_OK);
    assert_int_equal(next(), AW_OK);
    expect_error(aw_stream_check_time(stream), ":3:3: 'soon' is not a time");
    aw_fail(&session->err, AW_MALFORMED, "wrong");
    aw_stream_fail_at_point(stream, &item.points[1], &session->err);
    expect_error(session->err.status, ":3:8: wrong");
    assert_int_equal(next(), AW_OK);
    assert_int_equal(aw_stream_check_time(stream), AW_OK);
    expect_error(aw_stream_check_cells(stream), ":4:1: wrong number of cells: fewer");
    assert_int_equal(next(), AW_OK);
    expect_error(aw_stream_check_cells(stream), ":5:1: wrong number of cells: more");
}

/* All packets are read in order, although they exceed one block of the file. */
TEST_WITH(start, stop, captures_are_read_in_order)
{
    enum { PACKETS = 3000 };
    static const uint8_t frame[] = {0x5E, 0, 0x9C, 0xFF, 0, 2, 0, 0xF0};
    static uint8_t file[PACKETS * 128];
    static struct captured messages[PACKETS];
    struct aw_wrapper wrapper = {.medium = AW_MEDIUM_CAN};
    for (int i = 0; i < PACKETS; i++)
        messages[i] = (struct captured){i, AW_RX, frame, sizeof frame, NULL};
    size_t size = capture_of(file, sizeof file, &wrapper, messages, PACKETS);
    assert_int_equal(open_bytes(file, size, ".pcapng"), AW_OK);
    for (int i = 0; i < PACKETS; i++) {
        assert_int_equal(next(), AW_OK);
        assert_true(item.time_ns == i * AW_MILLISECOND);
    }
    assert_int_equal(next(), AW_END);
    assert_int_equal(aw_stream_counters(stream)->damaged, 0);
}

/* A tool with its own receive function. Skips events and undecodable frames. */
static enum aw_status receive(struct aw_session *s, int64_t deadline, struct aw_received *received)
{
    static const uint8_t good[] = {0x5E, 0, 0x9C, 0xFF, 0, 2, 0, 0xF0}, bad[] = {0x5E, 0, 1};
    static int count;
    (void)s, (void)deadline;
    const struct aw_received all[] = {
        {.frame = {bad, 0}, .dir = AW_RX},
        {.frame = {bad, sizeof bad}, .dir = AW_RX, .time_ns = 1},
        {.frame = {good, sizeof good}, .dir = AW_RX, .time_ns = 2},
    };
    if (count == 3)
        return AW_LOST;
    *received = all[count++];
    return AW_OK;
}

TEST_WITH(start, stop, receive_function_of_the_tool_is_used)
{
    tool.talk.receive = receive;
    assert_int_equal(aw_stream_open(&stream, session, NULL), AW_OK);
    assert_true(aw_stream_is_live(stream));
    assert_int_equal(next(), AW_OK);
    assert_int_equal(item.time_ns, 2);
    assert_int_equal(item.received.frame.size, 8);
    assert_int_equal(item.received.dir, AW_RX);
    assert_string_equal(item.subject, "b64");
    assert_string_equal(item.points[item.n - 1].name, "b64.torque");
    assert_true(item.points[item.n - 1].value == -3.125);
    assert_int_equal(aw_stream_counters(stream)->damaged, 1);
    assert_int_equal(next(), AW_LOST);
}

/* A device that sends messages at the listed times. */
static int64_t says_at[4];
static size_t has_said;

static enum aw_status receive_late(struct aw_session *s, int64_t deadline,
                                   struct aw_received *received)
{
    static const uint8_t frame[] = {0x5E, 0, 0x9C, 0xFF, 0, 2, 0, 0xF0};
    struct aw_virtual_clock *clock = &s->time.virtual;
    int64_t next = has_said < 4 && says_at[has_said] ? says_at[has_said] : AW_NEVER;
    if (next > deadline) {
        clock->time_ns = deadline;
        return AW_TIMEOUT;
    }
    clock->time_ns = next > clock->time_ns ? next : clock->time_ns;
    *received = (struct aw_received){.frame = {frame, sizeof frame},
                                     .dir = AW_RX,
                                     .time_ns = AW_NO_TIME,
                                     .notice = "connected again"};
    if (has_said++ == 1)
        received->frame.size = 0;
    return AW_OK;
}

/* Silence is reported once, after two seconds, with its reason. */
TEST_WITH(start, stop, silence_is_reported_once)
{
    const int64_t s = AW_SECOND;
    static const struct {
        int64_t first, second;
        const char *printed;
        enum aw_status answered;
    } rows[] = {
        {0, 0, "! rig: no messages yet — is it on?\n", AW_TIMEOUT},
        {1, 0, "", AW_OK},
        {2, 0, "", AW_OK},
        {3, 4, "! rig: no messages yet — is it on?\n! rig: connected again\n", AW_OK},
    };
    tool.talk.receive = receive_late;
    tool.help.no_answer_hint = "is it on?";
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        has_said = 0;
        says_at[0] = rows[i].first * s;
        says_at[1] = rows[i].second * s;
        collect_output();
        session->out.charset = AW_CHARSET_UTF8;
        session->clock = &session->time.virtual.base;
        session->time.virtual.time_ns = 0;
        assert_int_equal(aw_stream_open(&stream, session, NULL), AW_OK);
        assert_true(aw_stream_has_link(stream));
        enum aw_status status = aw_stream_next(stream, 6 * s, &item);
        assert_int_equal(status, rows[i].first ? AW_OK : AW_TIMEOUT);
        if (rows[i].first) {
            assert_true(item.time_ns == rows[i].first * s);
            assert_int_equal(aw_stream_next(stream, 6 * s, &item), AW_TIMEOUT);
        }
        assert_true(session->time.virtual.time_ns == 6 * s);
        assert_string_equal(printed, rows[i].printed);
        assert_int_equal(aw_stream_check_received(stream, "watch"), rows[i].answered);
        if (rows[i].answered != AW_OK)
            assert_string_equal(session->err.text, "watch: no messages received");
        close_stream();
    }
    assert_int_equal(aw_stream_open(&stream, session, NULL), AW_OK);
    has_said = 4;
    assert_int_equal(aw_stream_next(stream, s, &item), AW_TIMEOUT);
    assert_int_equal(aw_stream_check_received(stream, "plot"), AW_TIMEOUT);
    assert_string_equal(session->err.text, "plot: no messages received — is it on?");
    tool.watch.only_answers = true;
    assert_int_equal(aw_stream_check_received(stream, "plot"), AW_OK);
}

static void two_boards(struct aw_session *s, const struct aw_message *message, aw_candidate_fn *add,
                       void *context)
{
    (void)s, (void)message;
    add(context, "b64", NULL);
    add(context, "b32", NULL);
}

/* A link that returns these pieces in order, then nothing until the deadline. */
static const char *pieces[8];
static size_t piece;

static enum aw_status give(struct aw_link *link, void *buf, size_t cap, size_t *got,
                           int64_t deadline, struct aw_error *err)
{
    const char *text = pieces[piece];
    struct aw_virtual_clock *clock = (struct aw_virtual_clock *)link->clock;
    (void)err;
    *got = 0;
    if (deadline == AW_NEVER && !text)
        return AW_LOST;
    if (!text || !*text) {
        piece += text != NULL;
        clock->time_ns = deadline > clock->time_ns ? deadline : clock->time_ns;
        return AW_TIMEOUT;
    }
    *got = strlen(text) < cap ? strlen(text) : cap;
    memcpy(buf, text, *got);
    piece++;
    return AW_OK;
}

/* Opens a stream of a new session with this link. */
static void open_link(struct aw_link *link)
{
    rig_free(session);
    session = rig_new(&tool);
    session->clock = link->clock = &session->time.virtual.base;
    session->device.link = link;
    assert_int_equal(aw_stream_open(&stream, session, NULL), AW_OK);
}

/* A device that sends continuously but never a complete message, up to a limit. */
static enum aw_status chatter(struct aw_link *link, void *buf, size_t cap, size_t *got,
                              int64_t deadline, struct aw_error *err)
{
    struct aw_virtual_clock *clock = (struct aw_virtual_clock *)link->clock;
    (void)cap, (void)deadline, (void)err;
    clock->time_ns += AW_MILLISECOND;
    *got = 9;
    memcpy(buf, "rubbish\r\n", *got);
    return clock->time_ns < AW_SECOND ? AW_OK : AW_LOST;
}

static enum aw_status receive_chatter(struct aw_session *s, int64_t deadline,
                                      struct aw_received *received)
{
    char bytes[16];
    size_t got;
    received->frame = (struct aw_span){0};
    return chatter(s->device.link, bytes, sizeof bytes, &got, deadline, &s->err);
}

/* The deadline ends the wait for a message. */
TEST_WITH(start, stop, deadline_holds_despite_constant_traffic)
{
    static const struct aw_link_ops ops = {.read = chatter, .close = close_nothing};
    struct aw_link link = {.ops = &ops};
    tool.protocol = &aw_armctl_protocol;
    for (int received = 0; received < 2; received++) {
        tool.talk.receive = received ? receive_chatter : NULL;
        open_link(&link);
        int64_t until = session->time.virtual.time_ns + 100 * AW_MILLISECOND;
        assert_int_equal(aw_stream_next(stream, until, &item), AW_TIMEOUT);
        assert_true(session->time.virtual.time_ns >= until);
        assert_true(session->time.virtual.time_ns <= until + 2 * AW_MILLISECOND);
        close_stream();
        session->device.link = NULL;
    }
}

/* A message may come in parts, except on datagram links. */
TEST_WITH(start, stop, partial_messages_are_joined_on_streams_only)
{
    static const struct aw_link_ops ops = {.read = give, .close = close_nothing};
    static const struct {
        const char *pieces[5];
        bool datagrams;
        unsigned messages, damaged;
    } rows[] = {
        {{"0DEG1,", "090\r\n", "1DEG2,045\r\n2DEG3,010\r\n"}, false, 3, 0},
        {{"0DEG1,", "090\r\n", "1DEG2,045\r\n2DEG3,010\r\n"}, true, 2, 2},
        {{"0DEG1,090\r\n", "1DEG2,045\r\n"}, true, 2, 0},
        {{"rubbish\r\n0DEG1,090\r\n", "rubbish\r\n"}, false, 1, 2},
    };
    struct aw_link link = {.ops = &ops, .n_dropped = 5};
    tool.protocol = &aw_armctl_protocol;
    tool.records.subject.get_subject = NULL;
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        link.datagrams = rows[i].datagrams;
        memcpy(pieces, rows[i].pieces, sizeof rows[i].pieces);
        piece = 0;
        open_link(&link);
        for (unsigned k = 0; k < rows[i].messages; k++)
            assert_int_equal(next(), AW_OK);
        assert_int_equal(next(), AW_LOST);
        assert_int_equal(aw_stream_counters(stream)->messages, rows[i].messages);
        assert_int_equal(aw_stream_counters(stream)->damaged, rows[i].damaged);
        assert_int_equal(aw_stream_counters(stream)->lost, 5);
        close_stream();
    }
    session->device.link = NULL;
}

/* A partial message of the old link does not continue on the new one. */
TEST_WITH(start, stop, reconnect_discards_the_partial_message)
{
    static const struct aw_link_ops ops = {.read = give, .close = close_nothing};
    static const char *const before[] = {"0DEG1,090\r\n", "", "1DEG2,0", "", "", NULL};
    static const char *const after[] = {"45\r\n2DEG3,010\r\n", NULL};
    const int64_t ms = AW_MILLISECOND;
    struct aw_link link = {.ops = &ops, .n_dropped = 5};
    tool.protocol = &aw_armctl_protocol;
    tool.records.subject.get_subject = NULL;
    memcpy(pieces, before, sizeof before);
    piece = 0;
    open_link(&link);
    assert_int_equal(aw_stream_next(stream, 10 * ms, &item), AW_OK);
    assert_int_equal(item.time_ns, 0);
    assert_int_equal(aw_stream_next(stream, 10 * ms, &item), AW_TIMEOUT);
    assert_int_equal(session->time.virtual.time_ns, 10 * ms);
    aw_stream_reconnect(stream, true);
    while (!aw_stream_is_waiting(stream))
        assert_int_equal(aw_stream_next(stream, AW_NEVER, &item), AW_TIMEOUT);
    assert_null(session->device.link);
    link.rx.time_ns = 7;
    session->device.link = &link;
    memcpy(pieces, after, sizeof after);
    piece = 0;
    while (aw_stream_is_waiting(stream))
        assert_int_equal(next(), AW_TIMEOUT);
    assert_int_equal(next(), AW_OK);
    assert_int_equal(item.time_ns, 7);
    assert_string_equal(item.points[2].name, "angle");
    assert_true(item.points[2].value == 10);
    assert_int_equal(aw_stream_counters(stream)->damaged, 1);
    assert_int_equal(aw_stream_counters(stream)->lost, 10);
    session->device.link = NULL;
}

/* An incomplete line yields nothing. The device does not count as silent. */
TEST_WITH(start, stop, incomplete_line_yields_nothing)
{
    int ends[2], usual = dup(STDIN_FILENO);
    collect_output();
    assert_int_equal(pipe(ends), 0);
    dup2(ends[0], STDIN_FILENO);
    assert_int_equal(write(ends[1], "{\"x\"", 4), 4);
    assert_int_equal(aw_stream_open(&stream, session, "-"), AW_OK);
    assert_int_equal(aw_stream_next(stream, 0, &item), AW_TIMEOUT);
    assert_int_equal(write(ends[1], ":1}\n", 4), 4);
    assert_int_equal(next(), AW_OK);
    assert_string_equal(item.points[0].name, "x");
    assert_true(item.points[0].value == 1);
    close(ends[1]);
    assert_int_equal(next(), AW_END);
    assert_string_equal(printed, "");
    dup2(usual, STDIN_FILENO);
    close(usual);
    close(ends[0]);
}

static bool is_b64(struct aw_session *s, struct aw_span frame, const char *name)
{
    (void)s, (void)frame;
    return strcmp(name, "b64") == 0;
}

static enum aw_status only_b64(struct aw_session *s, aw_selects_fn **concerns)
{
    (void)s;
    *concerns = is_b64;
    return AW_OK;
}

/* Skips records that do not name the selected subject, as "name" or as another text. */
TEST_WITH(start, stop, lines_of_other_subjects_are_skipped)
{
    tool.records.subject.select = only_b64;
    expect_items("{\"name\":\"b64\",\"x\":1}\n{\"name\":\"b32\",\"x\":2}\n"
                 "{\"x\":3,\"who\":\"b64\"}\n{\"x\":4}\n{\"x\":5,\"who\":\"b32\"}\n",
                 " b64.x=1 (b64) | x=3 who='b64'");
}

/* The requested subject is checked when the first message arrives. */
TEST_WITH(start, stop, unknown_subjects_are_reported)
{
    static const struct {
        const char *field, *where, *says;
    } rows[] = {
        {"b64.torque", NULL, NULL},          {"b32.torque", NULL, NULL},
        {"b65.torque", NULL, "b65"},         {"torque", "b32.torque > 1", NULL},
        {"torque", "b33.torque > 1", "b33"},
    };
    tool.talk.receive = receive_late;
    tool.records.subject.accepted = AW_SUBJECTS_ANY;
    tool.records.subject.list = two_boards;
    session->clock = &session->time.virtual.base;
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        struct aw_select fields = {0};
        struct aw_where where = {0};
        has_said = 0;
        says_at[0] = 1;
        says_at[1] = 0;
        session->time.virtual.time_ns = 0;
        assert_int_equal(aw_select_add(&fields, rows[i].field, NULL), AW_OK);
        if (rows[i].where)
            assert_int_equal(aw_where_parse(rows[i].where, &where, NULL), AW_OK);
        assert_int_equal(aw_stream_check(session, &fields, rows[i].where ? &where : NULL), AW_OK);
        assert_int_equal(aw_stream_open(&stream, session, NULL), AW_OK);
        aw_stream_check_first(stream, &fields, rows[i].where ? &where : NULL);
        enum aw_status status = aw_stream_next(stream, AW_SECOND, &item);
        assert_int_equal(status, rows[i].says ? AW_USAGE : AW_OK);
        if (rows[i].says && !strstr(session->err.text, rows[i].says))
            fail_msg("%s", session->err.text);
        close_stream();
    }
}

/* A line longer than any buffer is skipped, and the next one is read. */
TEST_WITH(start, stop, endless_line_is_skipped)
{
    static char text[200100];
    memset(text, 'x', 200000);
    strcpy(text + 200000, "\n(1700000000.250000) can0 05E#9CFF000200F0\n");
    text[0] = '(';
    assert_int_equal(open_bytes(text, strlen(text), ".log"), AW_OK);
    assert_int_equal(next(), AW_OK);
    assert_true(item.time_ns == INT64_C(1700000000250000000));
    assert_int_equal(aw_stream_counters(stream)->damaged, 1);
    assert_int_equal(item.received.dir, AW_RX);
    assert_int_equal(next(), AW_END);
}
