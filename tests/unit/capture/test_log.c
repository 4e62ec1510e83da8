/* Tests captures read as a sequence of entries and as a device. */
#include "capture/log.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include "capture/packet.h"
#include "link/core/link.h"
#include "link/open.h"
#include "next_helper.h"
#include "test.h"
#include "wire/codec.h"

#define START INT64_C(1700000000000000000)

static int reads_until_error = -1; /* number of reads that succeed; -1: all */

ssize_t read(int fd, void *buf, size_t size)
{
    if (reads_until_error == 0)
        return fails_with(EIO);
    reads_until_error -= reads_until_error > 0;
    return NEXT(read)(fd, buf, size);
}

struct rig {
    char path[64];
    FILE *file;
    struct aw_wrapper wrapper;
    struct aw_error err;
    struct aw_log *log;
    struct aw_log_entry entry;
};

static void begin(struct rig *rig, enum aw_medium medium)
{
    uint8_t block[AW_PCAPNG_BEGIN_MAX];
    *rig = (struct rig){.wrapper = {.medium = medium, .ports = {4000, 0}}};
    strcpy(rig->path, "/tmp/aw-log-XXXXXX");
    rig->file = fdopen(mkstemp(rig->path), "w");
    fwrite(block, 1, aw_pcapng_begin(block, aw_wrapper_linktype(&rig->wrapper), "test"), rig->file);
}

/* said: the direction stored in the packet; 0: none. */
static void add_packet(struct rig *rig, int ms, enum aw_dir dir, enum aw_dir said,
                       const char *bytes, const char *comment)
{
    uint8_t wrapped[300], block[1000];
    size_t n = aw_wrap(&rig->wrapper, dir, (struct aw_span){(const uint8_t *)bytes, strlen(bytes)},
                       wrapped, sizeof wrapped);
    struct aw_packet packet = {.time_ns = START + ms * INT64_C(1000000),
                               .dir = said,
                               .linktype = aw_wrapper_linktype(&rig->wrapper),
                               .data = {wrapped, n},
                               .comment = comment,
                               .comment_length = comment ? strlen(comment) : 0};
    fwrite(block, 1, aw_pcapng_packet(block, sizeof block, &packet), rig->file);
}

static void add(struct rig *rig, int ms, enum aw_dir dir, const char *bytes, const char *comment)
{
    add_packet(rig, ms, dir, dir, bytes, comment);
}

static void close_file(struct rig *rig)
{
    assert_int_equal(fclose(rig->file), 0);
}

static void open_log(struct rig *rig, const struct aw_log_options *options)
{
    static const struct aw_log_options none;
    assert_int_equal(aw_log_open(&rig->log, rig->path, options ? options : &none, &rig->err),
                     AW_OK);
}

static void end(struct rig *rig)
{
    aw_log_close(rig->log);
    unlink(rig->path);
}

static void expect(struct rig *rig, int ms, enum aw_dir dir, const char *bytes)
{
    assert_int_equal(aw_log_next(rig->log, &rig->entry, &rig->err), AW_OK);
    assert_int_equal(rig->entry.time_ns, START + ms * INT64_C(1000000));
    assert_int_equal(rig->entry.dir, dir);
    assert_int_equal(rig->entry.data.size, strlen(bytes));
    assert_memory_equal(rig->entry.data.data, bytes, strlen(bytes));
}

TEST(entries_are_read_in_order)
{
    struct rig rig;
    uint64_t size;
    begin(&rig, AW_MEDIUM_TCP);
    add(&rig, 0, AW_TX, "hello", NULL);
    add(&rig, 5, AW_RX, "world", "a mark");
    close_file(&rig);
    open_log(&rig, NULL);
    for (int turn = 0; turn < 2; turn++) {
        expect(&rig, 0, AW_TX, "hello");
        assert_true(rig.entry.stream);
        assert_string_equal(rig.entry.comment, "");
        expect(&rig, 5, AW_RX, "world");
        assert_string_equal(rig.entry.comment, "a mark");
        assert_int_equal(aw_log_next(rig.log, &rig.entry, &rig.err), AW_END);
        uint64_t position = aw_log_position(rig.log, &size);
        assert_int_equal(position, size);
        assert_false(aw_log_is_cut(rig.log, &rig.err));
        assert_int_equal(aw_log_rewind(rig.log, &rig.err), AW_OK);
    }
    end(&rig);
}

TEST(tcp_retransmissions_are_dropped_and_gaps_marked)
{
    struct rig rig;
    begin(&rig, AW_MEDIUM_TCP);
    add(&rig, 0, AW_RX, "abcd", NULL);
    rig.wrapper.sent[1] -= 4;
    add(&rig, 1, AW_RX, "ab", NULL);
    add(&rig, 2, AW_RX, "cdef", NULL);
    rig.wrapper.sent[1] += 3;
    add(&rig, 3, AW_RX, "jk", NULL);
    add(&rig, 4, AW_TX, "other way", NULL);
    close_file(&rig);
    open_log(&rig, NULL);
    expect(&rig, 0, AW_RX, "abcd");
    expect(&rig, 2, AW_RX, "ef");
    assert_false(rig.entry.gap);
    expect(&rig, 3, AW_RX, "jk");
    assert_true(rig.entry.gap);
    expect(&rig, 4, AW_TX, "other way");
    assert_false(rig.entry.gap);
    end(&rig);
}

TEST(datagrams_keep_their_boundaries)
{
    struct rig rig;
    begin(&rig, AW_MEDIUM_UDP);
    add(&rig, 0, AW_RX, "one", NULL);
    close_file(&rig);
    open_log(&rig, NULL);
    expect(&rig, 0, AW_RX, "one");
    assert_false(rig.entry.stream);
    end(&rig);
}

TEST(packets_of_other_ports_are_skipped)
{
    struct rig rig;
    begin(&rig, AW_MEDIUM_UDP);
    add(&rig, 0, AW_TX, "one", NULL);
    close_file(&rig);
    open_log(&rig, &(struct aw_log_options){.ports = {4001, 0}});
    assert_int_equal(aw_log_next(rig.log, &rig.entry, &rig.err), AW_END);
    end(&rig);
}

/* Selects packets by the ports of device and host, and their direction if the capture has none. */
TEST(ports_select_packets_and_directions)
{
    static const struct {
        uint16_t ports[2], device, host; /* ports to find; ports in the capture */
        enum aw_dir to, from;            /* direction of a packet each way; AW_BOTH: skipped */
    } rows[] = {
        {{0, 0}, 4000, 5000, 0, 0},
        {{4000, 0}, 4000, 5000, AW_TX, AW_RX},
        {{4001, 0}, 4000, 5000, AW_BOTH, AW_BOTH},
        {{0, 5000}, 4000, 5000, 0, AW_RX},
        {{0, 5001}, 4000, 5000, AW_BOTH, AW_BOTH},
        {{4000, 5000}, 4000, 5000, AW_TX, AW_RX},
        {{4000, 6000}, 4000, 5000, AW_TX, AW_RX},
        {{6000, 5000}, 4000, 5000, 0, AW_RX},
        {{6000, 6001}, 4000, 5000, AW_BOTH, AW_BOTH},
    };
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        struct rig rig;
        begin(&rig, AW_MEDIUM_UDP);
        rig.wrapper.ports[0] = rows[i].device;
        rig.wrapper.ports[1] = rows[i].host;
        add_packet(&rig, 0, AW_TX, 0, "to", NULL);
        add_packet(&rig, 1, AW_RX, 0, "from", NULL);
        close_file(&rig);
        open_log(&rig, &(struct aw_log_options){.ports = {rows[i].ports[0], rows[i].ports[1]}});
        if (rows[i].to != AW_BOTH)
            expect(&rig, 0, rows[i].to, "to");
        if (rows[i].from != AW_BOTH)
            expect(&rig, 1, rows[i].from, "from");
        assert_int_equal(aw_log_next(rig.log, &rig.entry, &rig.err), AW_END);
        end(&rig);
    }
}

/* Packets of another medium are skipped; comments on empty packets are not. */
TEST(packets_of_other_media_are_skipped)
{
    static const enum aw_medium can = AW_MEDIUM_CAN, hid = AW_MEDIUM_HID;
    struct rig rig;
    char comment[540];
    memset(comment, 'c', sizeof comment - 1);
    comment[sizeof comment - 1] = '\0';
    begin(&rig, AW_MEDIUM_HID);
    add(&rig, 0, AW_RX, "report", NULL);
    add(&rig, 1, AW_RX, "noted", comment);
    add(&rig, 2, AW_RX, "", "a remark");
    add(&rig, 3, AW_RX, "", "");
    close_file(&rig);
    open_log(&rig, &(struct aw_log_options){.medium = &hid});
    expect(&rig, 0, AW_RX, "report");
    assert_false(rig.entry.stream);
    assert_int_equal(rig.entry.linktype, AW_LINKTYPE_USER1);
    expect(&rig, 1, AW_RX, "noted");
    assert_int_equal(strlen(rig.entry.comment), sizeof rig.entry.comment - 1);
    expect(&rig, 2, 0, "");
    assert_string_equal(rig.entry.comment, "a remark");
    assert_int_equal(aw_log_next(rig.log, &rig.entry, &rig.err), AW_END);
    aw_log_close(rig.log);
    open_log(&rig, &(struct aw_log_options){.medium = &can});
    expect(&rig, 1, 0, "");
    expect(&rig, 2, 0, "");
    assert_int_equal(aw_log_next(rig.log, &rig.entry, &rig.err), AW_END);
    end(&rig);
}

/* TCP counts bytes per direction; a retransmission with a comment yields only the comment. */
TEST(comment_on_a_retransmission_is_kept)
{
    struct rig rig;
    begin(&rig, AW_MEDIUM_TCP);
    add(&rig, 0, AW_TX, "abc", NULL);
    add(&rig, 1, AW_RX, "abc", NULL);
    rig.wrapper.sent[0] -= 3;
    add(&rig, 2, AW_TX, "abc", NULL);
    rig.wrapper.sent[0] -= 3;
    add(&rig, 3, AW_TX, "abc", "again");
    add(&rig, 4, AW_TX, "d", NULL);
    close_file(&rig);
    open_log(&rig, NULL);
    for (int turn = 0; turn < 2; turn++) {
        expect(&rig, 0, AW_TX, "abc");
        expect(&rig, 1, AW_RX, "abc");
        expect(&rig, 3, AW_TX, "");
        expect(&rig, 4, AW_TX, "d");
        assert_int_equal(aw_log_rewind(rig.log, &rig.err), AW_OK);
    }
    end(&rig);
}

/* A truncated file yields all complete packets. */
TEST(truncated_files_yield_their_complete_packets)
{
    struct rig rig;
    begin(&rig, AW_MEDIUM_SERIAL);
    long header = ftell(rig.file);
    add(&rig, 0, AW_RX, "one", NULL);
    long first = ftell(rig.file);
    add(&rig, 1, AW_RX, "two", NULL);
    long second = ftell(rig.file);
    close_file(&rig);
    for (long cut = second; cut >= header; cut--) {
        int n = 0;
        assert_int_equal(truncate(rig.path, cut), 0);
        open_log(&rig, NULL);
        while (aw_log_next(rig.log, &rig.entry, &rig.err) == AW_OK)
            n++;
        assert_int_equal(n, (cut >= first) + (cut >= second));
        assert_int_equal(aw_log_is_cut(rig.log, &rig.err),
                         cut != header && cut != first && cut != second);
        aw_log_close(rig.log);
    }
    rig.log = NULL;
    end(&rig);
}

/* Writes a text file; sets only the path of the rig. */
static void write_lines(struct rig *rig, const char *text)
{
    *rig = (struct rig){.path = "/tmp/aw-log-XXXXXX"};
    rig->file = fdopen(mkstemp(rig->path), "w");
    assert_non_null(rig->file);
    fputs(text, rig->file);
    close_file(rig);
}

TEST(candump_lines_are_read)
{
    struct rig rig;
    char expected[160];
    uint64_t size;
    write_lines(&rig, "# a remark\n \t\r\n(1700000000.000000) can0 141#01022B T\n"
                      "nonsense\n 041#0g\n\t# no\n(1700000000.002000) can0 15E#03");
    open_log(&rig, NULL);
    for (int turn = 0; turn < 2; turn++) {
        expect(&rig, 0, AW_TX, "\x41\1\1\2+");
        assert_int_equal(rig.entry.linktype, AW_LINKTYPE_CAN);
        assert_int_equal(aw_log_position(rig.log, &size), 53);
        assert_int_equal(size, 107);
        assert_int_equal(aw_log_next(rig.log, &rig.entry, &rig.err), AW_MALFORMED);
        snprintf(expected, sizeof expected, "%s:4:1: no CAN frame", rig.path);
        assert_string_equal(rig.err.text, expected);
        assert_int_equal(aw_log_next(rig.log, &rig.entry, &rig.err), AW_MALFORMED);
        snprintf(expected, sizeof expected, "%s:5:6: half a byte — two digits each", rig.path);
        assert_string_equal(rig.err.text, expected);
        expect(&rig, 2, 0, "\x5E\1\3");
        assert_int_equal(aw_log_next(rig.log, &rig.entry, &rig.err), AW_END);
        assert_int_equal(aw_log_position(rig.log, &size), 107);
        assert_int_equal(aw_log_rewind(rig.log, &rig.err), AW_OK);
        assert_int_equal(aw_log_position(rig.log, &size), 0);
    }
    end(&rig);
    write_lines(&rig, "041#2A"); /* without a time */
    open_log(&rig, NULL);
    assert_int_equal(aw_log_next(rig.log, &rig.entry, &rig.err), AW_OK);
    assert_true(rig.entry.time_ns == AW_NO_TIME);
    end(&rig);
}

/* The file exceeds one read: lines stay complete, and an overlong line is one entry. */
TEST(long_candump_files_are_read_in_pieces)
{
    enum { LINES = 30000, LONG = 1100000 };
    static char text[LINES * 38 + 38 + LONG + 100];
    struct rig rig;
    char *p = text;
    for (int i = 0; i < LINES; i++)
        p += sprintf(p, "(17000000%02d.%03d000) can0 041#%04X\n", i / 1000, i % 1000, i);
    memset(p, 'x', LONG);
    strcpy(p + LONG, "\n041#FFFF\n");
    write_lines(&rig, text);
    open_log(&rig, NULL);
    for (int i = 0; i < LINES; i++) {
        const char bytes[] = {0x41, 0, (char)(i >> 8), (char)i};
        assert_int_equal(aw_log_next(rig.log, &rig.entry, &rig.err), AW_OK);
        assert_true(rig.entry.time_ns == START + i * INT64_C(1000000));
        assert_memory_equal(rig.entry.data.data, bytes, 4);
    }
    assert_int_equal(aw_log_next(rig.log, &rig.entry, &rig.err), AW_MALFORMED);
    assert_int_equal(aw_log_next(rig.log, &rig.entry, &rig.err), AW_MALFORMED);
    assert_int_equal(aw_log_next(rig.log, &rig.entry, &rig.err), AW_OK);
    assert_memory_equal(rig.entry.data.data, "\x41\0\xFF\xFF", 4);
    assert_int_equal(aw_log_next(rig.log, &rig.entry, &rig.err), AW_END);
    end(&rig);
}

/* The first bytes decide whether the file is a capture. */
TEST(files_that_are_not_captures_are_refused)
{
    static const char no[] = "no capture — pcapng, pcap, MCAP and candump logs can be read";
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
        {"LOGG", 0, "is a Vector BLF log"},
    };
    struct rig rig;
    char expected[200];
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        char text[400];
        memset(text, ' ', sizeof text);
        strcpy(text + rows[i].blanks, rows[i].text);
        write_lines(&rig, text);
        struct aw_log_options options = {.ports = {0}};
        enum aw_status status = aw_log_open(&rig.log, rig.path, &options, &rig.err);
        if (status != (rows[i].error ? AW_USAGE : AW_OK))
            fail_msg("row %zu: %d", i, status);
        assert_int_equal(rig.log != NULL, !rows[i].error);
        snprintf(expected, sizeof expected, "%s: %s", rig.path, no);
        if (rows[i].error == no)
            assert_string_equal(rig.err.text, expected);
        else if (rows[i].error)
            assert_non_null(strstr(rig.err.text, rows[i].error));
        end(&rig);
    }
    assert_int_equal(aw_log_open(&rig.log, "/tmp", &(struct aw_log_options){0}, &rig.err),
                     AW_USAGE);
    assert_string_equal(rig.err.text, "/tmp: Is a directory — name a file in it");
    assert_int_equal(aw_log_open(&rig.log, "/nope", &(struct aw_log_options){0}, &rig.err),
                     AW_USAGE);
    assert_string_equal(rig.err.text, "/nope: No such file or directory — check the name");
    assert_null(rig.log);
    aw_log_close(NULL);
}

/* A pipe is read as data arrives; its size is unknown and it cannot be rewound. */
TEST(pipes_are_read_as_data_arrives)
{
    struct rig rig = {.path = "/tmp/aw-log-XXXXXX"};
    char expected[160];
    uint64_t size = 99;
    assert_non_null(mkdtemp(rig.path));
    assert_int_equal(rmdir(rig.path), 0);
    assert_int_equal(mkfifo(rig.path, 0600), 0);
    int both = open(rig.path, O_RDWR);
    assert_int_equal(write(both, "041#01\n041#02", 13), 13);
    open_log(&rig, NULL);
    for (int i = 1; i <= 2; i++) {
        if (i == 2) /* the rest of the line suffices */
            assert_int_equal(write(both, "\n", 1), 1);
        const char bytes[] = {0x41, 0, (char)i};
        assert_int_equal(aw_log_next(rig.log, &rig.entry, &rig.err), AW_OK);
        assert_memory_equal(rig.entry.data.data, bytes, 3);
        assert_int_equal(aw_log_position(rig.log, &size), 7 * i);
        assert_int_equal(size, 0);
    }
    close(both);
    assert_int_equal(aw_log_next(rig.log, &rig.entry, &rig.err), AW_END);
    assert_int_equal(aw_log_rewind(rig.log, &rig.err), AW_LOST);
    snprintf(expected, sizeof expected, "%s: cannot be read twice — Illegal seek", rig.path);
    assert_string_equal(rig.err.text, expected);
    end(&rig);
}

/* ---- Captures as a device ---- */

static struct aw_link *open_link(struct rig *rig, struct aw_clock *clock, const char *keys)
{
    char url[128];
    struct aw_link_options options = {.clock = clock};
    struct aw_link *link = NULL;
    snprintf(url, sizeof url, "log:%s%s", rig->path, keys);
    enum aw_status status = aw_link_open(&link, url, &options, &rig->err);
    if (status != AW_OK)
        fail_msg("%s: %s", url, rig->err.text);
    return link;
}

static const struct {
    const char *keys;
    int second_ms; /* time of the second message */
} speeds[] = {{"", 10}, {"?speed=2", 5}, {"?speed=0.5", 20}, {"?speed=max", 0}};

TEST(messages_are_replayed_at_their_times)
{
    struct rig rig;
    char buf[16];
    size_t got;
    begin(&rig, AW_MEDIUM_UDP);
    add(&rig, 0, AW_RX, "one", NULL);
    add(&rig, 3, AW_TX, "ours", NULL);
    add(&rig, 10, AW_RX, "two", NULL);
    close_file(&rig);
    for (size_t i = 0; i < sizeof speeds / sizeof *speeds; i++) {
        struct aw_virtual_clock clock = aw_virtual_clock();
        struct aw_link *link = open_link(&rig, &clock.base, speeds[i].keys);
        assert_true(link->recorded && link->datagrams);
        assert_int_equal(aw_link_write(link, "x", 1, &rig.err), AW_OK);
        assert_int_equal(aw_link_read(link, buf, sizeof buf, &got, AW_NEVER, &rig.err), AW_OK);
        assert_int_equal(got, 3);
        assert_int_equal(clock.time_ns, 0);
        if (speeds[i].second_ms) {
            assert_int_equal(aw_link_read(link, buf, sizeof buf, &got, 1, &rig.err), AW_TIMEOUT);
            assert_int_equal(got, 0);
        }
        assert_int_equal(aw_link_read(link, buf, sizeof buf, &got, AW_NEVER, &rig.err), AW_OK);
        assert_memory_equal(buf, "two", 3);
        assert_int_equal(link->rx_time_ns, START + 10 * AW_MILLISECOND);
        assert_int_equal(clock.time_ns, speeds[i].second_ms * AW_MILLISECOND);
        assert_int_equal(aw_link_read(link, buf, sizeof buf, &got, AW_NEVER, &rig.err), AW_LOST);
        aw_link_close(link);
    }
    end(&rig);
}

/* The kernel stamps received packets; sent packets get a slightly later stamp but may be written
 * first. */
TEST(earlier_stamps_are_replayed_at_once)
{
    struct rig rig;
    char buf[16];
    size_t got;
    struct aw_virtual_clock clock = aw_virtual_clock();
    begin(&rig, AW_MEDIUM_UDP);
    add(&rig, 3, AW_TX, "ours", NULL);
    add(&rig, 2, AW_RX, "one", NULL);
    close_file(&rig);
    struct aw_link *link = open_link(&rig, &clock.base, "");
    assert_int_equal(aw_link_read(link, buf, sizeof buf, &got, AW_NEVER, &rig.err), AW_OK);
    assert_memory_equal(buf, "one", 3);
    assert_int_equal(clock.time_ns, 0);
    aw_link_close(link);
    end(&rig);
}

TEST(streams_are_read_in_pieces_and_from_an_offset)
{
    struct rig rig;
    char buf[2];
    size_t got;
    struct aw_virtual_clock clock = aw_virtual_clock();
    begin(&rig, AW_MEDIUM_SERIAL);
    add(&rig, 0, AW_RX, "abc", NULL);
    add(&rig, 10, AW_RX, "def", NULL);
    close_file(&rig);
    struct aw_link *link = open_link(&rig, &clock.base, "?from=5ms&loop=yes");
    assert_false(link->datagrams);
    for (int turn = 0; turn < 3; turn++) {
        assert_int_equal(aw_link_read(link, buf, 2, &got, AW_NEVER, &rig.err), AW_OK);
        assert_int_equal(got, 2);
        assert_memory_equal(buf, "de", 2);
        assert_int_equal(aw_link_read(link, buf, 2, &got, AW_NEVER, &rig.err), AW_OK);
        assert_int_equal(got, 1);
        assert_int_equal(clock.time_ns, (turn + 1) * 5 * AW_MILLISECOND);
    }
    aw_link_close(link);
    end(&rig);
}

TEST(an_empty_capture_ends_at_once)
{
    struct rig rig;
    char buf[2];
    size_t got;
    struct aw_virtual_clock clock = aw_virtual_clock();
    begin(&rig, AW_MEDIUM_HID);
    close_file(&rig);
    struct aw_link *link = open_link(&rig, &clock.base, "?loop=yes");
    assert_int_equal(aw_link_read(link, buf, 2, &got, AW_NEVER, &rig.err), AW_LOST);
    aw_link_close(link);
    end(&rig);
}

static void assert_does_not_open(struct rig *rig, const char *keys, enum aw_status wanted,
                                 const char *words)
{
    char url[128];
    struct aw_virtual_clock clock = aw_virtual_clock();
    const struct aw_link_options options = {.clock = &clock.base};
    struct aw_link *link;
    snprintf(url, sizeof url, "log:%s%s", rig->path, keys);
    assert_int_equal(aw_link_open(&link, url, &options, &rig->err), wanted);
    assert_null(link);
    if (!strstr(rig->err.text, words))
        fail_msg("%s: \"%s\" does not say \"%s\"", url, rig->err.text, words);
}

TEST(invalid_log_links_are_refused)
{
    struct rig rig;
    begin(&rig, AW_MEDIUM_UDP);
    add(&rig, 0, AW_RX, "one", NULL);
    close_file(&rig);
    assert_does_not_open(&rig, "?speed=0", AW_LIMIT, "log: speed must be above 0, or max");
    assert_does_not_open(&rig, "?speed=-1", AW_LIMIT, "above 0");
    assert_does_not_open(&rig, "?speed=fast", AW_USAGE, "fast");
    assert_does_not_open(&rig, "?from=5V", AW_USAGE, "5V");
    assert_does_not_open(&rig, "?loop=maybe", AW_USAGE, "no|yes");
    assert_does_not_open(&rig, "?port=0", AW_USAGE, "port=0");
    assert_does_not_open(&rig, ".gone", AW_NO_LINK, ".gone: ");
    end(&rig);
}

/* A comment on another port does not apply to our packets. */
TEST(comment_on_another_port_is_ignored)
{
    struct rig rig;
    struct aw_virtual_clock clock = aw_virtual_clock();
    begin(&rig, AW_MEDIUM_TCP);
    rig.wrapper.ports[0] = 4001;
    add(&rig, 0, AW_RX, "x", "a remark");
    rig.wrapper.ports[0] = 4000;
    add(&rig, 1, AW_RX, "abc", NULL);
    close_file(&rig);
    struct aw_link *link = open_link(&rig, &clock.base, "?port=4000");
    assert_false(link->datagrams);
    aw_link_close(link);
    end(&rig);
}

/* The file cannot be read beyond its start. */
TEST(read_errors_are_reported)
{
    struct rig rig;
    struct aw_virtual_clock clock = aw_virtual_clock();
    const struct aw_link_options options = {.clock = &clock.base};
    struct aw_link *link;
    char url[128];
    begin(&rig, AW_MEDIUM_UDP);
    close_file(&rig);
    int lowest = dup(0);
    close(lowest);
    snprintf(url, sizeof url, "log:%s", rig.path);
    reads_until_error = 1;
    assert_int_equal(aw_link_open(&link, url, &options, &rig.err), AW_LOST);
    reads_until_error = -1;
    assert_null(link);
    assert_non_null(strstr(rig.err.text, ": Input/output error — "));
    int now = dup(0);
    close(now);
    assert_int_equal(now, lowest);
    end(&rig);
}

TEST(stop_request_ends_reading)
{
    struct rig rig;
    char buf[8];
    size_t got;
    int stop[2];
    begin(&rig, AW_MEDIUM_UDP);
    add(&rig, 0, AW_RX, "one", NULL);
    add(&rig, 10000, AW_RX, "two", NULL);
    close_file(&rig);
    assert_int_equal(pipe(stop), 0);
    struct aw_real_clock clock = aw_real_clock(stop[0]);
    struct aw_link *link = open_link(&rig, &clock.base, "");
    assert_int_equal(aw_link_fd(link), -1);
    assert_int_equal(aw_link_read(link, buf, sizeof buf, &got, AW_NEVER, &rig.err), AW_OK);
    assert_int_equal(write(stop[1], "x", 1), 1);
    assert_int_equal(aw_link_read(link, buf, sizeof buf, &got, AW_NEVER, &rig.err), AW_STOPPED);
    assert_int_equal(got, 0);
    aw_link_close(link);
    close(stop[0]);
    close(stop[1]);
    end(&rig);
}
