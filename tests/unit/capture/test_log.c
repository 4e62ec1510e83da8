/* Tests captures read as a sequence of entries and as a device. */
#include "capture/log.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include "capture/packet.h"
#include "descriptors_helper.h"
#include "link/core/link.h"
#include "link/open.h"
#include "next_helper.h"
#include "test.h"
#include "wire/codec.h"

#define START INT64_C(1700000000000000000)

static int reads_until_error = -1; /* number of successful reads; -1: all reads succeed */

ssize_t read(int fd, void *buf, size_t size)
{
    if (reads_until_error == 0)
        return fails_with(EIO);
    reads_until_error -= reads_until_error > 0;
    return NEXT(read)(fd, buf, size);
}

static struct {
    char path[64];
    FILE *file; /* NULL once the log is open */
    struct aw_wrapper wrapper;
    struct aw_error err;
    struct aw_log *log;
    struct aw_log_entry entry;
    struct aw_virtual_clock clock;
} rig;

static void create_file(void)
{
    memset(&rig, 0, sizeof rig);
    strcpy(rig.path, "/tmp/aw-log-XXXXXX");
    rig.file = fdopen(mkstemp(rig.path), "w");
    assert_non_null(rig.file);
    rig.clock = aw_virtual_clock();
}

/* Begins a capture with port 4000 at both ends. */
static void begin(enum aw_medium medium)
{
    uint8_t block[AW_PCAPNG_BEGIN_MAX];
    create_file();
    rig.wrapper = (struct aw_wrapper){.medium = medium, .ports = {4000, 0}};
    fwrite(block, 1, aw_pcapng_begin(block, aw_wrapper_linktype(&rig.wrapper), "test"), rig.file);
}

/* said: direction stored in the packet, or 0. */
static void add_packet(int ms, enum aw_dir dir, enum aw_dir said, const char *bytes,
                       const char *comment)
{
    uint8_t wrapped[300], block[1000];
    size_t n = aw_wrap(&rig.wrapper, dir, span_of(bytes), wrapped, sizeof wrapped);
    struct aw_packet packet = {.time_ns = START + ms * AW_MILLISECOND,
                               .dir = said,
                               .linktype = aw_wrapper_linktype(&rig.wrapper),
                               .data = {wrapped, n},
                               .comment = comment,
                               .comment_length = comment ? strlen(comment) : 0};
    fwrite(block, 1, aw_pcapng_packet(block, sizeof block, &packet), rig.file);
}

static void add(int ms, enum aw_dir dir, const char *bytes, const char *comment)
{
    add_packet(ms, dir, dir, bytes, comment);
}

static const char *file_path(void)
{
    if (rig.file)
        assert_int_equal(fclose(rig.file), 0);
    rig.file = NULL;
    return rig.path;
}

static enum aw_status try_log(struct aw_log_options options)
{
    aw_log_close(rig.log);
    rig.log = NULL;
    return aw_log_open(&rig.log, file_path(), &options, &rig.err);
}

static void open_log(void)
{
    assert_ok(try_log((struct aw_log_options){0}), &rig.err);
}

/* Removes the file of the last test, if there is one. */
static void end(void)
{
    aw_log_close(rig.log);
    unlink(file_path());
    rig.log = NULL;
}

static enum aw_status next(void)
{
    return aw_log_next(rig.log, &rig.entry, &rig.err);
}

static void expect(int ms, enum aw_dir dir, const char *bytes)
{
    assert_ok(next(), &rig.err);
    assert_int_equal(rig.entry.time_ns, START + ms * AW_MILLISECOND);
    assert_int_equal(rig.entry.dir, dir);
    assert_int_equal(rig.entry.data.size, strlen(bytes));
    assert_memory_equal(rig.entry.data.data, bytes, strlen(bytes));
}

/* Requires this error, whose text begins with the path. */
static void expect_error(enum aw_status status, enum aw_status expected, const char *text)
{
    assert_int_equal(status, expected);
    assert_memory_equal(rig.err.text, rig.path, strlen(rig.path));
    assert_string_equal(rig.err.text + strlen(rig.path), text);
}

TEST_WITH(NULL, end, entries_are_read_in_order)
{
    uint64_t size;
    begin(AW_MEDIUM_TCP);
    add(0, AW_TX, "hello", NULL);
    add(5, AW_RX, "world", "a mark");
    open_log();
    for (int turn = 0; turn < 2; turn++) {
        expect(0, AW_TX, "hello");
        assert_true(rig.entry.stream);
        assert_string_equal(rig.entry.comment, "");
        expect(5, AW_RX, "world");
        assert_string_equal(rig.entry.comment, "a mark");
        assert_int_equal(next(), AW_END);
        uint64_t position = aw_log_position(rig.log, &size);
        assert_int_equal(position, size);
        assert_false(aw_log_is_truncated(rig.log, &rig.err));
        assert_int_equal(aw_log_rewind(rig.log, &rig.err), AW_OK);
    }
}

TEST_WITH(NULL, end, tcp_retransmissions_are_dropped_and_gaps_marked)
{
    begin(AW_MEDIUM_TCP);
    add(0, AW_RX, "abcd", NULL);
    rig.wrapper.sent[1] -= 4;
    add(1, AW_RX, "ab", NULL);
    add(2, AW_RX, "cdef", NULL);
    rig.wrapper.sent[1] += 3;
    add(3, AW_RX, "jk", NULL);
    add(4, AW_TX, "other way", NULL);
    rig.wrapper.sent[1] -= 2;
    add(5, AW_RX, "jk", "again"); /* only the comment is new */
    open_log();
    expect(0, AW_RX, "abcd");
    expect(2, AW_RX, "ef");
    assert_false(rig.entry.gap);
    expect(3, AW_RX, "jk");
    assert_true(rig.entry.gap);
    expect(4, AW_TX, "other way");
    assert_false(rig.entry.gap);
    expect(5, AW_RX, "");
    assert_string_equal(rig.entry.comment, "again");
    assert_int_equal(aw_log_rewind(rig.log, &rig.err), AW_OK);
    expect(0, AW_RX, "abcd"); /* bytes are counted from the start again */
}

/* Selects packets by the ports of device and host, and finds their direction if the capture does
 * not contain it. */
TEST_WITH(NULL, end, ports_select_packets_and_directions)
{
    static const struct {
        uint16_t ports[2];    /* ports to find */
        enum aw_dir to, from; /* direction of the packet each way; AW_BOTH: skipped */
    } rows[] = {
        {{0, 0}, 0, 0},
        {{4000, 0}, AW_TX, AW_RX},
        {{4001, 0}, AW_BOTH, AW_BOTH},
        {{0, 5000}, 0, AW_RX},
        {{0, 5001}, AW_BOTH, AW_BOTH},
        {{4000, 5000}, AW_TX, AW_RX},
        {{4000, 6000}, AW_TX, AW_RX},
        {{6000, 5000}, 0, AW_RX},
        {{6000, 6001}, AW_BOTH, AW_BOTH},
    };
    EACH (row, rows) {
        begin(AW_MEDIUM_UDP);
        rig.wrapper.ports[1] = 5000;
        add_packet(0, AW_TX, 0, "to", NULL);
        add_packet(1, AW_RX, 0, "from", NULL);
        assert_ok(try_log((struct aw_log_options){.ports = {row->ports[0], row->ports[1]}}),
                  &rig.err);
        if (row->to != AW_BOTH)
            expect(0, row->to, "to");
        if (row->from != AW_BOTH)
            expect(1, row->from, "from");
        assert_false(rig.entry.stream);
        assert_int_equal(next(), AW_END);
        end();
    }
}

/* Packets of another medium are skipped; comments on empty packets are not. */
TEST_WITH(NULL, end, packets_of_other_media_are_skipped)
{
    static const enum aw_medium can = AW_MEDIUM_CAN, hid = AW_MEDIUM_HID;
    char comment[540];
    memset(comment, 'c', sizeof comment - 1);
    comment[sizeof comment - 1] = '\0';
    begin(AW_MEDIUM_HID);
    add(0, AW_RX, "report", NULL);
    add(1, AW_RX, "noted", comment);
    add(2, AW_RX, "", "a remark");
    add(3, AW_RX, "", "");
    assert_ok(try_log((struct aw_log_options){.medium = &hid}), &rig.err);
    expect(0, AW_RX, "report");
    assert_false(rig.entry.stream);
    assert_int_equal(rig.entry.linktype, AW_LINKTYPE_USER1);
    expect(1, AW_RX, "noted");
    assert_int_equal(strlen(rig.entry.comment), sizeof rig.entry.comment - 1);
    expect(2, 0, "");
    assert_string_equal(rig.entry.comment, "a remark");
    assert_int_equal(next(), AW_END);
    assert_ok(try_log((struct aw_log_options){.medium = &can}), &rig.err);
    expect(1, 0, "");
    expect(2, 0, "");
    assert_int_equal(next(), AW_END);
}

TEST_WITH(NULL, end, truncated_files_yield_their_complete_packets)
{
    begin(AW_MEDIUM_SERIAL);
    long header = ftell(rig.file);
    add(0, AW_RX, "one", NULL);
    long first = ftell(rig.file);
    add(1, AW_RX, "two", NULL);
    long second = ftell(rig.file);
    for (long cut = second; cut >= header; cut--) {
        int n = 0;
        assert_int_equal(truncate(file_path(), cut), 0);
        open_log();
        while (next() == AW_OK)
            n++;
        assert_int_equal(n, (cut >= first) + (cut >= second));
        assert_int_equal(aw_log_is_truncated(rig.log, &rig.err),
                         cut != header && cut != first && cut != second);
    }
}

static void write_lines(const char *text)
{
    create_file();
    fputs(text, rig.file);
}

TEST_WITH(NULL, end, candump_lines_are_read)
{
    uint64_t size;
    write_lines("# a remark\n \t\r\n(1700000000.000000) can0 141#01022B T\n"
                "nonsense\n 041#0g\n\t# no\n(1700000000.002000) can0 15E#03");
    open_log();
    for (int turn = 0; turn < 2; turn++) {
        expect(0, AW_TX, "\x41\1\1\2+");
        assert_int_equal(rig.entry.linktype, AW_LINKTYPE_CAN);
        assert_int_equal(aw_log_position(rig.log, &size), 53);
        assert_int_equal(size, 107);
        expect_error(next(), AW_MALFORMED, ":4:1: invalid CAN frame");
        expect_error(next(), AW_MALFORMED, ":5:6: single hex digit — write two digits per byte");
        expect(2, 0, "\x5E\1\3");
        assert_int_equal(next(), AW_END);
        assert_int_equal(aw_log_position(rig.log, &size), 107);
        assert_int_equal(aw_log_rewind(rig.log, &rig.err), AW_OK);
        assert_int_equal(aw_log_position(rig.log, &size), 0);
    }
    end();
    write_lines("041#2A"); /* without a time */
    open_log();
    assert_int_equal(next(), AW_OK);
    assert_true(rig.entry.time_ns == AW_NO_TIME);
}

/* The file exceeds one read: lines stay complete, and an overlong line is one entry. */
TEST_WITH(NULL, end, long_candump_files_are_read_in_pieces)
{
    enum { LINES = 30000, LONG = 1100000 };
    static char text[LINES * 38 + 38 + LONG + 100];
    char *p = text;
    for (int i = 0; i < LINES; i++)
        p += sprintf(p, "(17000000%02d.%03d000) can0 041#%04X\n", i / 1000, i % 1000, i);
    memset(p, 'x', LONG);
    strcpy(p + LONG, "\n041#FFFF\n");
    write_lines(text);
    open_log();
    for (int i = 0; i < LINES; i++) {
        const char bytes[] = {0x41, 0, (char)(i >> 8), (char)i};
        assert_int_equal(next(), AW_OK);
        assert_true(rig.entry.time_ns == START + i * AW_MILLISECOND);
        assert_memory_equal(rig.entry.data.data, bytes, 4);
    }
    assert_int_equal(next(), AW_MALFORMED);
    assert_int_equal(next(), AW_MALFORMED);
    assert_int_equal(next(), AW_OK);
    assert_memory_equal(rig.entry.data.data, "\x41\0\xFF\xFF", 4);
    assert_int_equal(next(), AW_END);
}

/* The first bytes decide whether the file is a capture. */
TEST_WITH(NULL, end, files_that_are_not_captures_are_refused)
{
    static const char no[] = ": not a capture — give a pcapng, pcap, MCAP or candump file";
    static const char blf[] =
        " is a Vector BLF log — convert it first: python3 -m can.logconvert FILE OUT.log";
    static const struct {
        const char *text;
        size_t blanks; /* blanks before the text */
        const char *error;
    } rows[] = {
        {"t,m1\n0,1\n", 0, no},
        {"", 0, no},
        {"\n# only a remark", 0, no},
        {"(1.0) can0 041#", 0, NULL},
        {"# one\n\n041#", 0, NULL},
        {"nonsense\n041#", 0, no},
        {"041#00\n", 248, NULL}, /* a line of 254 characters */
        {"041#00\n", 249, NULL},
        {"041#00\n", 250, no},
        {"LOGG", 0, blf},
    };
    EACH (row, rows) {
        char text[400];
        memset(text, ' ', sizeof text);
        strcpy(text + row->blanks, row->text);
        write_lines(text);
        enum aw_status status = try_log((struct aw_log_options){0});
        assert_int_equal(rig.log != NULL, !row->error);
        if (row->error)
            expect_error(status, AW_USAGE, row->error);
        end();
    }
    static const struct aw_log_options none;
    assert_error(aw_log_open(&rig.log, "/tmp", &none, &rig.err), AW_USAGE, &rig.err,
                 "/tmp: Is a directory — name a file in the directory");
    assert_error(aw_log_open(&rig.log, "/nope", &none, &rig.err), AW_USAGE, &rig.err,
                 "/nope: No such file or directory — check the name");
    assert_null(rig.log);
}

/* A pipe is read as data arrives; its size is unknown and it cannot be rewound. */
TEST_WITH(NULL, end, pipes_are_read_as_data_arrives)
{
    uint64_t size = 99;
    create_file();
    assert_int_equal(unlink(file_path()), 0);
    assert_int_equal(mkfifo(rig.path, 0600), 0);
    int both = open(rig.path, O_RDWR);
    assert_int_equal(write(both, "041#01\n041#02", 13), 13);
    open_log();
    for (int i = 1; i <= 2; i++) {
        if (i == 2) /* the rest of the line completes the entry */
            assert_int_equal(write(both, "\n", 1), 1);
        const char bytes[] = {0x41, 0, (char)i};
        assert_int_equal(next(), AW_OK);
        assert_memory_equal(rig.entry.data.data, bytes, 3);
        assert_int_equal(aw_log_position(rig.log, &size), 7 * i);
        assert_int_equal(size, 0);
    }
    close(both);
    assert_int_equal(next(), AW_END);
    expect_error(aw_log_rewind(rig.log, &rig.err), AW_LOST,
                 ": cannot read it twice — Illegal seek");
}

/* ---- Captures as a device; tests/unit/link/wrap/test_log_link.c has times and keys ---- */

static enum aw_status try_link(struct aw_link **link, const char *keys)
{
    char url[128];
    struct aw_link_options options = {.clock = &rig.clock.base};
    snprintf(url, sizeof url, "log:%s%s", file_path(), keys);
    return aw_link_open(link, url, &options, &rig.err);
}

static struct aw_link *open_link(const char *keys)
{
    struct aw_link *link = NULL;
    assert_ok(try_link(&link, keys), &rig.err);
    return link;
}

/* Reads these bytes at this virtual time. */
static void expect_bytes(struct aw_link *link, size_t cap, const char *bytes, int ms)
{
    char buf[16];
    size_t got;
    assert_int_equal(aw_link_read(link, buf, cap, &got, AW_NEVER, &rig.err), AW_OK);
    assert_int_equal(got, strlen(bytes));
    assert_memory_equal(buf, bytes, got);
    assert_int_equal(rig.clock.time_ns, ms * AW_MILLISECOND);
}

TEST_WITH(NULL, end, streams_are_read_in_pieces_and_from_an_offset)
{
    begin(AW_MEDIUM_SERIAL);
    add(0, AW_RX, "abc", NULL);
    add(7, AW_TX, "ours", NULL);
    add(10, AW_RX, "def", NULL);
    struct aw_link *link = open_link("?from=5ms&loop=yes");
    assert_false(link->datagrams);
    for (int turn = 1; turn <= 3; turn++) {
        expect_bytes(link, 2, "de", turn * 5);
        expect_bytes(link, 2, "f", turn * 5);
    }
    aw_link_close(link);
}

TEST_WITH(NULL, end, empty_capture_ends_at_once)
{
    begin(AW_MEDIUM_HID);
    struct aw_link *link = open_link("?loop=yes");
    char byte;
    size_t got;
    assert_int_equal(aw_link_read(link, &byte, 1, &got, AW_NEVER, &rig.err), AW_LOST);
    aw_link_close(link);
}

/* A comment on another port does not apply to our packets. */
TEST_WITH(NULL, end, comment_on_another_port_is_ignored)
{
    begin(AW_MEDIUM_TCP);
    rig.wrapper.ports[0] = 4001;
    add(0, AW_RX, "x", "a remark");
    rig.wrapper.ports[0] = 4000;
    add(1, AW_RX, "abc", NULL);
    struct aw_link *link = open_link("?port=4000");
    assert_false(link->datagrams);
    aw_link_close(link);
    link = open_link(""); /* without a port, packets of all ports are returned */
    expect_bytes(link, 16, "x", 0);
    aw_link_close(link);
}

/* The second read fails. */
TEST_WITH(NULL, end, read_errors_are_reported)
{
    struct aw_link *link;
    begin(AW_MEDIUM_UDP);
    file_path();
    int lowest = lowest_free_descriptor();
    reads_until_error = 1;
    assert_int_equal(try_link(&link, ""), AW_LOST);
    reads_until_error = -1;
    assert_null(link);
    assert_has(rig.err.text, ": Input/output error — ");
    assert_int_equal(lowest_free_descriptor(), lowest);
}
