/* Tests captures: written, read, truncated, damaged, and the headers inside their packets.
 *
 * test_pcapng write TOOL FILE < HEX writes a capture of the frames on standard input, one per line:
 * "> 041#00" sent, "< 05E#00" received. Tests use it to check the files with other programs.
 */
#include "base/clock.h"
#include "base/hex.h"
#include "base/text.h"
#include "capture/pcapng.h"

#include "capture/packet.h"
#include "picture_helper.h"
#include "protocols.h"
#include "wire/hex.h"

#define TIME INT64_C(1700000000123456789)

struct file {
    size_t size;
    uint8_t data[8192];
};

static void add(struct file *file, const void *data, size_t size)
{
    assert_true(file->size + size <= sizeof file->data);
    memcpy(file->data + file->size, data, size);
    file->size += size;
}

static struct aw_pcap_reader reader;
static struct aw_packet packet;
static struct aw_error err;
static size_t used; /* bytes that the last call consumed */
static FILE *null;  /* for packets that are not printed */

static enum aw_status next(const void *data, size_t size)
{
    return aw_pcap_next(&reader, (struct aw_span){data, size}, &packet, &used, &err);
}

static void reset_reader(void)
{
    reader = (struct aw_pcap_reader){0};
}

/* Requires these words of four bytes in hex. On big-endian machines, compares only their number. */
static void assert_words(const uint8_t *found, size_t size, const char *expected)
{
    char text[400] = "", *end = text;
    for (size_t at = 0; at < size; at += 4) {
        *end = ' ';
        end = aw_print_hex_bytes(end + (at > 0), (struct aw_span){found + at, 4});
    }
    assert_int_equal(end - text, strlen(expected));
    if (__BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__)
        assert_string_equal(text, expected);
}

TEST(file_header_matches_the_format)
{
    const char *comments[] = {"one", "two\ntwo2"};
    uint8_t out[AW_PCAPNG_BEGIN_MAX];
    /* Section: type, length, byte order, version 1.0, unknown length, length. */
    assert_words(out, aw_pcapng_begin(out, AW_LINKTYPE_CAN, "can0"),
                 "0A0D0D0A 1C000000 4D3C2B1A 01000000 FFFFFFFF FFFFFFFF 1C000000 "
                 /* Interface: CAN, name, nanoseconds. */
                 "01000000 28000000 E3000000 00000000 02000400 63616E30 09000100 09000000 "
                 "00000000 28000000");
    assert_words(out, aw_pcapng_section(out, sizeof out, "tool 1.2", comments, 2),
                 "0A0D0D0A 40000000 4D3C2B1A 01000000 FFFFFFFF FFFFFFFF "
                 /* Program, two comments, end, length. */
                 "04000800 746F6F6C 20312E32 01000300 6F6E6500 01000800 74776F0A 74776F32 "
                 "00000000 40000000");
}

static void print_comment(void *context, const char *program, const char *comment, size_t length)
{
    aw_append(context, 400, "; ", "%s: %.*s", program, (int)length, comment);
}

/* Section comments are reported before the first packet, with the name of the program.
 * A new section resets the name. */
TEST(section_comments_are_read)
{
    static const char read[] = "tool 1.2: one; tool 1.2: two; : one";
    static uint8_t file[4 * AW_PCAPNG_BEGIN_MAX];
    const char *comments[] = {"one", "two"};
    char text[400] = "";
    size_t n = 0;
    n += aw_pcapng_section(file + n, AW_PCAPNG_BEGIN_MAX, "tool 1.2", comments, 2);
    n += aw_pcapng_interface(file + n, AW_LINKTYPE_USER0, "x");
    n += aw_pcapng_section(file + n, AW_PCAPNG_BEGIN_MAX, NULL, comments, 1);
    n += aw_pcapng_section(file + n, AW_PCAPNG_BEGIN_MAX, "other", NULL, 0);
    reader = (struct aw_pcap_reader){.on_comment = print_comment, .context = text};
    assert_int_equal(next(file, n), AW_MORE);
    assert_int_equal(used, n);
    assert_string_equal(text, read);
    assert_string_equal(reader.program, "other");
    aw_pcap_reset(&reader);
    assert_true(reader.on_comment == print_comment && reader.context == text && !*reader.program);
    memcpy(file + n, file + 24, 12); /* the program's name follows the comments */
    memmove(file + 24, file + 36, 16);
    memcpy(file + 40, file + n, 12);
    *text = '\0';
    assert_int_equal(next(file, n), AW_MORE);
    assert_string_equal(text, read);
}

/* A comment is written whole or omitted; a program's name is truncated. */
TEST(oversized_section_comments_are_omitted)
{
    static char large[70000], name[100];
    static uint8_t out[70000];
    const char *comments[] = {large, "small"};
    memset(large, 'l', sizeof large - 1);
    memset(name, 'n', sizeof name - 1);
    for (size_t size = 1; size < 300; size += 7) {
        char text[400] = "";
        large[size] = '\0';
        size_t n = aw_pcapng_section(out, AW_PCAPNG_BEGIN_MAX, name, comments, 2);
        assert_true(n <= AW_PCAPNG_BEGIN_MAX);
        reader = (struct aw_pcap_reader){.on_comment = print_comment, .context = text};
        assert_int_equal(next(out, n), AW_MORE);
        assert_int_equal(strlen(reader.program), AW_PCAP_PROGRAM - 1);
        assert_int_equal(strstr(text, "lll") != NULL, size >= 3 && size <= 168);
        assert_int_equal(strstr(text, "small") != NULL, size <= 156 || size > 168);
        large[size] = 'l';
    }
    size_t n = aw_pcapng_section(out, sizeof out, NULL, comments, 2);
    assert_int_equal(n, 28 + 12 + 4); /* longer than the longest option */
}

/* Compares all bytes of two packets: one with every option, one minimal. */
TEST(packets_match_the_format)
{
    static const struct {
        struct aw_packet packet;
        const char *words;
    } rows[] = {
        {{.time_ns = INT64_C(0x0102030405060708),
          .dir = AW_TX,
          .interface = 3,
          .data = {(const uint8_t *)"12345", 5},
          .comment = "note!",
          .comment_length = 5},
         "06000000 40000000 03000000 04030201 08070605 05000000 05000000 31323334 35000000 "
         "01000500 6E6F7465 21000000 02000400 02000000 00000000 40000000"},
        {{.time_ns = AW_NO_TIME, .dir = AW_RX, .data = {NULL, 0}},
         "06000000 2C000000 00000000 00000000 00000000 00000000 00000000 02000400 01000000 "
         "00000000 2C000000"},
    };
    uint8_t data[101] = {0}, out[200];
    EACH (row, rows) {
        size_t room = row->packet.data.size + row->packet.comment_length + 64;
        assert_int_equal(aw_pcapng_packet(out, room - 1, &row->packet), 0);
        assert_words(out, aw_pcapng_packet(out, room, &row->packet), row->words);
    }
    if (__BYTE_ORDER__ != __ORDER_LITTLE_ENDIAN__)
        return;
    packet = (struct aw_packet){.dir = AW_BOTH, .data = {data, sizeof data}};
    memset(out, 0xEE, sizeof out);
    assert_int_equal(aw_pcapng_packet(out, sizeof out, &packet), 148);
    assert_memory_equal(out + 132, "\2\0\4\0\0\0\0\0", 8); /* the direction is unknown */
    for (size_t i = 148; i < sizeof out; i++)
        assert_int_equal(out[i], 0xEE); /* writes nothing beyond the buffer */
}

/* Writes a comment of the longest length of an option. */
TEST(packet_comment_is_truncated_to_an_option)
{
    static uint8_t out[70000];
    static char comment[66000];
    packet = (struct aw_packet){.comment = comment, .comment_length = sizeof comment};
    memset(comment, 'c', sizeof comment);
    size_t n = aw_pcapng_begin(out, AW_LINKTYPE_USER0, "x");
    size_t size = aw_pcapng_packet(out + n, sizeof out - n, &packet);
    assert_int_equal(size, 28 + 4 + 65536 + 8 + 4 + 4);
    reset_reader();
    assert_int_equal(next(out, n + size), AW_OK);
    assert_int_equal(packet.comment_length, UINT16_MAX);
    assert_int_equal(packet.comment[UINT16_MAX - 1], 'c');
}

/* 64 bytes of an interface name are written, 31 are read. */
TEST(interface_names_are_truncated)
{
    char name[100] = "";
    uint8_t out[AW_PCAPNG_BEGIN_MAX];
    for (size_t length = 0; length < sizeof name; length++) {
        memset(name, 'n', length);
        size_t written = length < 64 ? length : 64;
        size_t n = aw_pcapng_begin(out, AW_LINKTYPE_USER1, name);
        assert_int_equal(n, 28 + 16 + 4 + (written + 3) / 4 * 4 + 8 + 4 + 4);
        reset_reader();
        assert_int_equal(next(out, n), AW_MORE);
        assert_int_equal(used, n);
        assert_int_equal(strlen(reader.interfaces[0].name), length < 31 ? length : 31);
        assert_int_equal(reader.n_interfaces, 1);
    }
}

static void add_number(struct file *file, bool big, uint64_t number, size_t size)
{
    for (size_t i = 0; i < size; i++)
        add(file, &(uint8_t){(uint8_t)(number >> 8 * (big ? size - 1 - i : i))}, 1);
}

/* Appends the words of a text: "le" or "be" sets the byte order of hex numbers, "6:" begins a block
 * of this type, "." ends it with its lengths, "cut=1" removes a byte, and each of these stands for
 * a block: "S" a section, "I9" an interface with this resolution, "P5" a packet at this time. */
static void build(struct file *file, const char *text)
{
    static bool big;
    static size_t start; /* of the last block */
    char copy[400], *rest = NULL;
    assert_true(strlen(text) < sizeof copy);
    snprintf(copy, sizeof copy, "%s", text);
    for (char *word = strtok_r(copy, " ", &rest); word; word = strtok_r(NULL, " ", &rest)) {
        char *end, block[120];
        uint64_t number =
            strtoull(word + (strchr("IP", *word) != NULL), &end, *word == 'P' ? 10 : 16);
        if (word[1] == 'e' && !word[2]) {
            big = *word == 'b';
        } else if (strncmp(word, "cut=", 4) == 0) {
            file->size -= (size_t)atoi(word + 4);
        } else if (*word == 'S') {
            build(file, "0A0D0D0A: 1A2B3C4D 0001 0000 FFFFFFFF FFFFFFFF .");
        } else if (*word == 'I') {
            snprintf(block, sizeof block, "1: 0094 0000 00000003 0009 0001 %02X 00 00 00 .",
                     (unsigned)number);
            build(file, block);
        } else if (*word == 'P') {
            snprintf(block, sizeof block,
                     "6: %08X %08X %08X 00000005 00000005 48 45 4C 4C 4F 00 00 00 0002 0004 "
                     "00000002 .",
                     0, (unsigned)(number >> 32), (unsigned)number);
            build(file, block);
        } else if (*word == '.') {
            struct file length = {0};
            add_number(&length, big, file->size - start + 4, 4);
            memcpy(file->data + start + 4, length.data, 4);
            add(file, length.data, 4);
        } else {
            start = *end == ':' ? file->size : start;
            add_number(file, big, number, *end == ':' ? 4 : strlen(word) / 2);
            if (*end == ':')
                add_number(file, big, 0, 4);
        }
    }
}

/* Reads everything in one piece from a copy on the heap; returns the number of packets. Prints
 * packets (time, direction, size, link type, interface), errors and unread bytes. */
static size_t n_damaged; /* in the last read_all() */

static size_t read_all(const struct file *file, FILE *out)
{
    uint8_t *copy = heap_copy(file->data, file->size);
    size_t n = 0, at = 0;
    n_damaged = 0;
    reset_reader();
    for (enum aw_status status = AW_OK; status != AW_MORE; at += used) {
        status = next(copy + at, file->size - at);
        assert_true(used <= file->size - at);
        assert_true(status == AW_MORE || used > 0);
        n_damaged += status == AW_MALFORMED;
        if (status == AW_MALFORMED)
            fprintf(out, "%s; ", err.text);
        if (status != AW_OK)
            continue;
        n++;
        assert_true(packet.data.data >= copy && packet.data.size <= file->size);
        fprintf(out, packet.time_ns == AW_NO_TIME ? "- " : "%lld ", (long long)packet.time_ns);
        fprintf(out, "%s %zu (%d, %u)%s; ",
                packet.dir == AW_TX   ? "tx"
                : packet.dir == AW_RX ? "rx"
                                      : "-",
                packet.data.size, packet.linktype, packet.interface, packet.comment ? "#" : "");
    }
    fprintf(out, "%zu left", file->size - at);
    free(copy);
    return n;
}

/* Reads a file in both byte orders, which must give the same. */
static void print_case(const char *input, size_t i, FILE *out)
{
    char *found[2];
    size_t size;
    (void)i;
    for (int big = 0; big < 2; big++) {
        struct file file = {0};
        build(&file, big ? "be" : "le");
        build(&file, input);
        FILE *all = open_memstream(&found[big], &size);
        read_all(&file, all);
        fclose(all);
    }
    assert_string_equal(found[0], found[1]);
    fprintf(out, "%s\n", found[0]);
    free(found[0]);
    free(found[1]);
}

/* Times before 1970 or after 2262 are unknown. Options count only in front of their end. */
TEST(blocks_match_the_golden_file)
{
    expect_text_cases("captures.txt", print_case);
}

TEST(sections_may_differ_in_byte_order)
{
    static const char *const orders[] = {"le", "be"};
    for (size_t i = 0; i < 2; i++) {
        struct file file = {0};
        build(&file, orders[i]);
        build(&file, "S I9 P1");
        assert_true(aw_is_capture((struct aw_span){file.data, file.size}));
        build(&file, orders[1 - i]);
        build(&file, "S I9 P2");
        assert_int_equal(read_all(&file, null), 2);
        assert_true(packet.time_ns == 2);
    }
}

TEST(classic_records_have_a_maximum_size)
{
    static uint8_t bytes[40 + AW_PCAP_PACKET_MAX];
    uint32_t words[10] = {0xA1B2C3D4, 0, 0, 0, 0, 227, 1, 2, AW_PCAP_PACKET_MAX + 1};
    memcpy(bytes, words, sizeof words);
    reset_reader();
    assert_int_equal(next(bytes, sizeof bytes), AW_MALFORMED);
    assert_int_equal(used, sizeof bytes);
    words[8]--;
    memcpy(bytes, words, sizeof words);
    reset_reader();
    assert_int_equal(next(bytes, sizeof bytes), AW_OK);
    assert_int_equal(used, sizeof bytes);
    assert_int_equal(packet.data.size, AW_PCAP_PACKET_MAX);
    assert_ptr_equal(packet.data.data, bytes + 40);
    assert_int_equal(packet.time_ns, 1000002000);
    assert_int_equal(packet.dir, 0);
    assert_null(packet.comment);
    reset_reader();
    assert_int_equal(next(bytes, sizeof bytes - 1), AW_MORE);
    assert_int_equal(used, 24);
    memset(bytes + 32, 0, 8); /* an empty record */
    reset_reader();
    assert_int_equal(next(bytes, 40), AW_OK);
    assert_int_equal(packet.data.size, 0);
    assert_int_equal(used, 40);
}

/* Adds as many interfaces as allowed, each with its own link type, time resolution and offset. */
TEST(interfaces_have_their_own_link_type_and_resolution)
{
    struct file file = {0};
    char block[120];
    build(&file, "le S");
    for (unsigned i = 0; i <= AW_PCAP_INTERFACES; i++) {
        snprintf(block, sizeof block,
                 "1: %04X 0000 00000000 0009 0001 %02X 00 00 00 000E 0008 %016X 0007 0002 "
                 "00000000 .",
                 100 + i, i < 10 ? i : 9, i);
        build(&file, block);
        snprintf(block, sizeof block, "6: %08X 00000000 00000005 00000000 00000000 .", i);
        build(&file, block);
        assert_int_equal(read_all(&file, null), i < AW_PCAP_INTERFACES ? i + 1 : i);
        assert_int_equal(n_damaged, i < AW_PCAP_INTERFACES ? 0 : 2);
        if (i == AW_PCAP_INTERFACES)
            continue;
        assert_int_equal(packet.interface, i);
        assert_int_equal(packet.linktype, 100 + i);
        if (i == 0 || i >= 9)
            assert_true(packet.time_ns == (i ? i * AW_SECOND + 5 : 5 * AW_SECOND));
    }
}

TEST(oversized_blocks_are_skipped)
{
    static const uint8_t zeros[1024];
    struct file file = {0};
    build(&file, "le S I9 P1 00000006 00020004");
    reset_reader();
    assert_int_equal(next(file.data, file.size), AW_OK);
    size_t left = file.size - used;
    assert_int_equal(next(file.data + used, left), AW_MALFORMED);
    assert_int_equal(used, left);
    for (left = AW_PCAP_PACKET_MAX - 4; left > 0; left -= used) {
        size_t n = left < sizeof zeros ? left : sizeof zeros;
        assert_int_equal(next(zeros, n), AW_MORE);
        assert_int_equal(used, n);
    }
    assert_int_equal(next(file.data + 56, 48), AW_OK);
}

/* Changes every byte of a file in turn: reading never leaves the buffer and always ends
 * (read_all checks). */
TEST(reading_corrupted_files_is_safe)
{
    static const struct aw_packet packets[] = {
        {.time_ns = TIME,
         .dir = AW_TX,
         .data = {(const uint8_t *)"one", 3},
         .comment = "KP := 0.6",
         .comment_length = 9},
        {.time_ns = TIME + 1, .dir = AW_RX, .data = {(const uint8_t *)"two!", 4}},
        {.time_ns = TIME + 2, .data = {(const uint8_t *)"three", 5}},
    };
    struct file good = {0};
    build(&good, "be S I9 P1");
    good.size += aw_pcapng_begin(good.data + good.size, AW_LINKTYPE_USER0, "/dev/ttyUSB0");
    EACH (row, packets) {
        size_t n = aw_pcapng_packet(good.data + good.size, sizeof good.data - good.size, row);
        assert_true(n > 0 && n % 4 == 0);
        good.size += n;
    }
    for (size_t at = 0; at < good.size; at++)
        for (unsigned change = 1; change < 256; change = change * 3 + 1) {
            struct file file = good;
            file.data[at] ^= (uint8_t)change;
            assert_true(read_all(&file, null) <= 4);
        }
}

static void open_null(void)
{
    null = fopen("/dev/null", "w");
    assert_non_null(null);
}

static void close_null(void)
{
    fclose(null);
}

/* ---- Files for other programs ---- */

static int write_frames(const struct aw_protocol *protocol, FILE *out)
{
    static uint8_t block[4096], packet_data[2048], frame[1024];
    static char line[8192];
    struct aw_wrapper wrapper = {.medium = protocol->medium,
                                 .ports = {protocol->ports[0], protocol->ports[1]}};
    size_t n = aw_pcapng_begin(block, aw_wrapper_linktype(&wrapper), "test");
    packet = (struct aw_packet){.time_ns = TIME, .data.data = packet_data};
    for (; fwrite(block, 1, n, out) == n; packet.time_ns += 1000001) {
        size_t size;
        if (!fgets(line, sizeof line, stdin))
            return 0;
        line[strcspn(line, "\n")] = '\0';
        if (aw_hex_parse(protocol, line + 2, strlen(line + 2), frame, sizeof frame, &size, &err)) {
            fprintf(stderr, "%s: %s\n", line, err.text);
            return 1;
        }
        packet.dir = *line == '>' ? AW_TX : AW_RX;
        packet.data.size = aw_wrap(&wrapper, packet.dir, (struct aw_span){frame, size}, packet_data,
                                   sizeof packet_data);
        n = aw_pcapng_packet(block, sizeof block, &packet);
    }
    return 1;
}

int main(int argc, char **argv)
{
    if (argc != 4 || strcmp(argv[1], "write") != 0)
        return test_run();
    size_t i = 0;
    while (i < N_PROTOCOLS && strcmp(protocols[i]->name, argv[2]) != 0)
        i++;
    FILE *out = fopen(argv[3], "wb");
    int status = i < N_PROTOCOLS && out ? write_frames(protocols[i], out) : 1;
    return out && fclose(out) != 0 ? 1 : status;
}

ALL_TESTS_WITH(open_null, close_null);
