/* Tests captures read as a sequence of entries and as a device. */
#include "capture/log.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/text.h"
#include "capture/packet.h"
#include "descriptors_helper.h"
#include "link/core/link.h"
#include "link/open.h"
#include "next_helper.h"
#include "picture_helper.h"
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

/* said: direction stored in the packet; 0: none. */
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

/* Requires this error, whose text begins with the path. */
static void expect_error(enum aw_status status, enum aw_status expected, const char *text)
{
    assert_int_equal(status, expected);
    assert_memory_equal(rig.err.text, rig.path, strlen(rig.path));
    assert_string_equal(rig.err.text + strlen(rig.path), text);
}

static void write_lines(const char *text)
{
    create_file();
    fputs(text, rig.file);
}

/* Creates the file of "MEDIUM PORT HOST | PACKET | …" for the ports to select, 0: any. A packet is
 * "tx 5 bytes" or "rx 5 bytes" with its time in ms, "tx?" without a stored direction, "-" without
 * bytes, and a comment after " # ". "move N" moves the sequence numbers of received segments. */
static struct aw_log_options create_capture(char *steps)
{
    struct aw_log_options options = {.ports = {0}};
    char *rest = NULL, *step = strtok_r(steps, "|", &rest), name[8], bytes[40];
    enum aw_medium medium;
    int by, ms;
    assert_int_equal(sscanf(step, "%7s %hu %hu", name, &options.ports[0], &options.ports[1]), 3);
    assert_true(aw_medium_find(name, &medium));
    begin(medium);
    rig.wrapper.ports[1] = medium == AW_MEDIUM_UDP ? 5000 : 0;
    while ((step = strtok_r(NULL, "|", &rest))) {
        char comment[40] = "";
        if (sscanf(step, " move %d", &by) == 1) {
            rig.wrapper.sent[1] += (uint32_t)by;
            continue;
        }
        assert_true(sscanf(step, "%7s %d %39s # %39[^;]", name, &ms, bytes, comment) >= 3);
        enum aw_dir dir = *name == 't' ? AW_TX : AW_RX;
        add_packet(ms, dir, name[2] ? 0 : dir, *bytes == '-' ? "" : bytes,
                   *comment ? aw_trim(comment) : NULL);
    }
    return options;
}

/* Prints an entry: time in ms, direction, bytes, comment, link type. */
static void print_entry(FILE *out, const struct aw_log_entry *entry)
{
    bool is_can = entry->linktype == AW_LINKTYPE_CAN;
    fputs(entry->has_gap ? "gap; " : "", out);
    if (entry->time_ns != AW_NO_TIME)
        fprintf(out, "%lld ", (long long)((entry->time_ns - START) / AW_MILLISECOND));
    fprintf(out, "%s ", !entry->dir ? "-" : entry->dir == AW_TX ? "tx" : "rx");
    for (size_t i = 0; i < entry->data.size; i++)
        fprintf(out, is_can ? "%02X" : "%c", entry->data.data[i]);
    fprintf(out, "%s%s (%d%s)", *entry->comment ? " # " : "", entry->comment, entry->linktype,
            entry->is_stream ? ", stream" : "");
}

/* Prints the entries of a capture or of "text LINES", with the positions of errors. A second
 * reading finds as many. */
static void print_case(const char *input, size_t i, FILE *out)
{
    char text[300];
    uint64_t size;
    int n = 0;
    struct aw_log_options options = {.ports = {0}};
    (void)i;
    unescape(input, text);
    if (strncmp(text, "text ", 5) == 0)
        write_lines(text + 5);
    else
        options = create_capture(text);
    enum aw_status status = try_log(options);
    for (; status != AW_END && rig.log; n++) {
        fputs(n > 0 ? "; " : "", out);
        status = next();
        if (status == AW_OK)
            print_entry(out, &rig.entry);
        else if (status == AW_END)
            fprintf(out, "end at %d", (int)aw_log_position(rig.log, &size));
        else
            fprintf(out, "%d %s", status, rig.err.text + strlen(rig.path));
    }
    if (rig.log) {
        assert_int_equal(aw_log_position(rig.log, &size), size);
        assert_false(aw_log_is_truncated(rig.log, &rig.err));
        assert_int_equal(aw_log_rewind(rig.log, &rig.err), AW_OK);
        while (next() != AW_END)
            n--;
        assert_int_equal(n, 1);
    } else {
        fprintf(out, "%d %s", status, rig.err.text + strlen(rig.path));
    }
    fputc('\n', out);
    end();
}

/* Retransmitted TCP data is dropped and gaps are marked. Ports select packets and, if the capture
 * does not contain it, their direction. Packets of another medium are skipped, except comments. The
 * first bytes decide whether the file is a capture. */
TEST(entries_match_the_golden_file)
{
    expect_text_cases("logs.txt", print_case);
}

TEST_WITH(NULL, end, files_that_are_not_captures_are_refused)
{
    static const struct aw_log_options none;
    for (size_t blanks = 248; blanks <= 250; blanks++) {
        char text[400];
        snprintf(text, sizeof text, "%*s041#00\n", (int)blanks, "");
        write_lines(text);
        assert_int_equal(try_log(none), blanks < 250 ? AW_OK : AW_USAGE);
        end();
    }
    assert_error(aw_log_open(&rig.log, "/tmp", &none, &rig.err), AW_USAGE, &rig.err,
                 "/tmp: Is a directory — name a file in the directory");
    assert_error(aw_log_open(&rig.log, "/nope", &none, &rig.err), AW_USAGE, &rig.err,
                 "/nope: No such file or directory — check the name");
    assert_null(rig.log);
}

/* Comments longer than the entry are truncated. */
TEST_WITH(NULL, end, only_comments_are_read_from_other_media)
{
    char comment[540];
    memset(comment, 'c', sizeof comment - 1);
    comment[sizeof comment - 1] = '\0';
    begin(AW_MEDIUM_HID);
    add(0, AW_RX, "report", NULL);
    add(1, AW_RX, "noted", comment);
    add(2, AW_RX, "", "a remark");
    assert_ok(try_log((struct aw_log_options){.medium = &(enum aw_medium){AW_MEDIUM_CAN}}),
              &rig.err);
    assert_int_equal(next(), AW_OK);
    assert_int_equal(rig.entry.dir, 0);
    assert_int_equal(rig.entry.data.size, 0);
    assert_int_equal(strlen(rig.entry.comment), sizeof rig.entry.comment - 1);
    assert_int_equal(next(), AW_OK);
    assert_string_equal(rig.entry.comment, "a remark");
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
                 ": cannot read it twice: Illegal seek — give a regular file");
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

TEST_WITH(NULL, end, position_follows_the_entries)
{
    uint64_t size;
    write_lines("# a remark\n \t\r\n(1700000000.000000) can0 141#01022B T\n"
                "nonsense\n 041#0g\n\t# no\n(1700000000.002000) can0 15E#03");
    open_log();
    for (int turn = 0; turn < 2; turn++) {
        assert_int_equal(next(), AW_OK);
        assert_memory_equal(rig.entry.data.data, "\x41\1\1\2+", 5);
        assert_int_equal(aw_log_position(rig.log, &size), 53);
        assert_int_equal(size, 107);
        assert_int_equal(next(), AW_MALFORMED);
        assert_has(rig.err.text, ":4:1: invalid CAN frame");
        assert_int_equal(next(), AW_MALFORMED);
        assert_int_equal(next(), AW_OK);
        assert_int_equal(next(), AW_END);
        assert_int_equal(aw_log_rewind(rig.log, &rig.err), AW_OK);
    }
}
