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
#include "protocols.h"
#include "test.h"
#include "wire/hex.h"

#define TIME    INT64_C(1700000000123456789)
#define SNAPLEN 3

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

/* Appends numbers in the byte order of this machine or the opposite one: 32 bits for each w in
 * kinds, 16 bits for each h. */
static void add_words(struct file *file, bool swapped, const char *kinds, ...)
{
    va_list list;
    va_start(list, kinds);
    for (; *kinds; kinds++) {
        uint32_t word = va_arg(list, uint32_t);
        uint16_t half = (uint16_t)word;
        word = swapped ? __builtin_bswap32(word) : word;
        half = swapped ? __builtin_bswap16(half) : half;
        add(file, *kinds == 'w' ? (void *)&word : &half, *kinds == 'w' ? 4 : 2);
    }
    va_end(list);
}

static struct aw_pcap_reader reader;
static struct aw_packet packet;
static struct aw_error err;
static size_t used; /* bytes that the last call consumed */

static enum aw_status next(const void *data, size_t size)
{
    return aw_pcap_next(&reader, (struct aw_span){data, size}, &packet, &used, &err);
}

static void reset_reader(void)
{
    reader = (struct aw_pcap_reader){0};
}

static size_t damaged, rest; /* damaged blocks and unread bytes of the last read_all */

/* Reads everything in one piece from a copy on the heap; returns the number of packets. */
static size_t read_all(const struct file *file)
{
    uint8_t *copy = heap_copy(file->data, file->size);
    size_t n = 0, at = 0;
    reset_reader();
    damaged = 0;
    for (enum aw_status status = AW_OK; status != AW_MORE; at += used) {
        status = next(copy + at, file->size - at);
        assert_true(used <= file->size - at);
        assert_true(status == AW_MORE || used > 0);
        damaged += status == AW_MALFORMED;
        if (status != AW_OK)
            continue;
        n++;
        assert_true(packet.data.data >= copy && packet.data.size <= file->size);
    }
    rest = file->size - at;
    free(copy);
    return n;
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

/* Comments are reported with the program's name, wherever it stands, before the first packet;
 * comments of the previous section are dropped. */
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

/* Returns a section with an interface of this time resolution, and a packet. */
static struct file section(bool swapped, uint8_t resolution, uint64_t stamp)
{
    struct file file = {0};
    add_words(&file, swapped, "wwwhhwww", 0x0A0D0D0A, 28, 0x1A2B3C4D, 1, 0, UINT32_MAX, UINT32_MAX,
              28);
    add_words(&file, swapped, "wwhhwhh", 1, 28, AW_LINKTYPE_USER1, 0, SNAPLEN, 9, 1);
    add(&file, (const uint8_t[]){resolution, 0, 0, 0}, 4);
    add_words(&file, swapped, "wwwwwwww", 28, 6, 48, 0, (uint32_t)(stamp >> 32), (uint32_t)stamp, 5,
              5);
    add(&file, "HELLO\0\0", 8);
    add_words(&file, swapped, "hhww", 2, 4, 2, 48);
    return file;
}

TEST(both_byte_orders_and_all_resolutions_are_read)
{
    static const struct {
        uint8_t resolution;
        uint64_t stamp;
        int64_t time_ns;
    } cases[] = {
        {9, 1700000000123456789, TIME},
        {6, 1700000000123456, TIME / 1000 * 1000},
        {3, 1700000000123, TIME / 1000000 * 1000000},
        {0, 1700000000, INT64_C(1700000000000000000)},
        {12, 3000000000123, 3000000000},
        {7, 17000000001234567, INT64_C(1700000000123456700)},
        {10, 17000000001234567890u, INT64_C(1700000000123456789)},
        {0x80, 1700000000, INT64_C(1700000000000000000)},
        {0x80 | 1, UINT64_C(1700000000) << 1 | 1, INT64_C(1700000000500000000)},
        {0x80 | 32, UINT64_C(1700000000) << 32 | UINT64_C(3) << 30, INT64_C(1700000000750000000)},
        {0x80 | 63, UINT64_C(1) << 63 | UINT64_C(1) << 62, 1500000000},
        {0x80 | 64, UINT64_C(1) << 63, 500000000},
        {0x80 | 65, UINT64_C(1) << 63, 250000000},
        {0x80 | 96, UINT64_MAX, 0},
        {9, INT64_MAX, INT64_MAX},
        {9, UINT64_C(1) << 63, AW_NO_TIME}, /* before 1970 or after 2262 */
        {0x80 | 10, UINT64_C(1700000000) << 10 | 512, INT64_C(1700000000500000000)},
        {0x80 | 33, UINT64_C(1000000000) << 33 | UINT64_C(1) << 31, INT64_C(1000000000250000000)},
    };
    for (int swapped = 0; swapped < 2; swapped++)
        EACH (row, cases) {
            struct file file = section(swapped, row->resolution, row->stamp);
            assert_true(aw_is_capture((struct aw_span){file.data, file.size}));
            assert_int_equal(read_all(&file), 1);
            assert_true(packet.time_ns == row->time_ns);
            assert_int_equal(packet.dir, AW_TX);
            assert_int_equal(packet.data.size, 5);
            assert_int_equal(packet.linktype, AW_LINKTYPE_USER1);
            struct file other = section(!swapped, 9, 2); /* a second section in the same file */
            add(&file, other.data, other.size);
            assert_int_equal(read_all(&file), 2);
            assert_true(packet.time_ns == 2);
        }
}

static void add_block(struct file *file, uint32_t type, const void *body, size_t size)
{
    add_words(file, false, "ww", type, (uint32_t)size + 12);
    add(file, body, size);
    add_words(file, false, "w", (uint32_t)size + 12);
}

/* Appends a block of words in the byte order of this machine. */
#define ADD_BLOCK(file, type, ...)                                                                 \
    add_block(file, type, (const uint32_t[]){__VA_ARGS__}, sizeof((const uint32_t[]){__VA_ARGS__}))

#define SECTION 0x0A0D0D0A
#define ORDER   0x1A2B3C4D

/* Words in the byte order of this machine: two 16-bit numbers in one, a byte in front of another, a
 * 64-bit number in two. */
#if __BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__
#define TWO(first, second) ((uint32_t)(second) << 16 | (uint32_t)(first))
#define FIRST(byte)        (byte)
#define LONG(value)        (value), 0
#else
#define TWO(first, second) ((uint32_t)(first) << 16 | (uint32_t)(second))
#define FIRST(byte)        ((byte) << 8)
#define LONG(value)        0, (value)
#endif

/* Each block follows a section, an interface and a packet. Lists the packet read next and
 * whether the block counts as damaged. */
TEST(each_block_type_is_read_or_reported)
{
    static const struct {
        uint32_t type, words[12];
        size_t size, packets, damaged, bytes;
        int64_t time_ns;
        enum aw_dir dir;
    } rows[] = {
        {5, {1}, 4, 0, 0, 0, 0, 0}, /* statistics are skipped */
        {6, {0, 0, 7, 4, 4, 0x44434241}, 24, 1, 0, 4, 7, 0},
        {6, {0, 0, 7, 0, 0}, 20, 1, 0, 0, 7, 0},
        {6, {0, 1, 0, 4, 4, 1}, 24, 1, 0, 4, INT64_C(0x100000000), 0},
        {6, {1, 0, 7, 4, 4, 1}, 24, 0, 1, 0, 0, 0}, /* no such interface */
        {6, {0, 0, 7, 5, 5, 1}, 24, 0, 1, 0, 0, 0}, /* longer than the block */
        {6, {0, 0, 7, 0}, 16, 0, 1, 0, 0, 0},       /* too short */
        {6, {0}, 0, 0, 1, 0, 0, 0},
        {6, {0, 0, 7, 0, 0, TWO(2, 4), 1}, 28, 1, 0, 0, 7, AW_RX}, /* flags */
        {6, {0, 0, 7, 0, 0, TWO(2, 4), 2}, 28, 1, 0, 0, 7, AW_TX},
        {6, {0, 0, 7, 0, 0, TWO(2, 4), 3}, 28, 1, 0, 0, 7, 0},
        {6, {0, 0, 7, 0, 0, TWO(2, 4), 4 | 1}, 28, 1, 0, 0, 7, AW_RX},
        {6, {0, 0, 7, 0, 0, TWO(2, 3), 1}, 28, 1, 0, 0, 7, 0}, /* wrong size */
        {6, {0, 0, 7, 0, 0, TWO(2, 4)}, 24, 1, 0, 0, 7, 0},    /* truncated */
        {6, {0, 0, 7, 0, 0, TWO(3, 4), 9, TWO(2, 4), 1}, 36, 1, 0, 0, 7, AW_RX},
        {6, {0, 0, 7, 0, 0, 0, TWO(2, 4), 1}, 32, 1, 0, 0, 7, 0}, /* after the end of the options */
        {6, {0, 0, 7, 2, 2, 0x4241, TWO(2, 4), 2}, 32, 1, 0, 2, 7, AW_TX},
        {2, {0, 0, 7, 4, 4, 0x44434241}, 24, 1, 0, 4, 7, 0},
        {2, {TWO(0, 5), 0, 7, 0, 0}, 20, 1, 0, 0, 7, 0}, /* five packets were lost before it */
        {2, {TWO(1, 0), 0, 7, 0, 0}, 20, 0, 1, 0, 0, 0},
        {2, {0}, 0, 0, 1, 0, 0, 0},
        {3, {2, 0x4241}, 8, 1, 0, 2, AW_NO_TIME, 0},
        {3, {3, 0x434241}, 8, 1, 0, 3, AW_NO_TIME, 0},
        {3, {4, 0x44434241}, 8, 1, 0, 3, AW_NO_TIME, 0}, /* truncated to the snap length */
        {3, {3}, 4, 1, 0, 0, AW_NO_TIME, 0},             /* an incomplete packet */
        {3, {0}, 0, 0, 1, 0, 0, 0},
        {1, {0}, 4, 0, 1, 0, 0, 0}, /* another interface */
        {1, {TWO(147, 0), 0}, 8, 0, 0, 0, 0, 0},
        {SECTION, {ORDER, TWO(1, 0), 0, 0}, 16, 0, 0, 0, 0, 0},
        {SECTION, {ORDER, TWO(1, 0), 0}, 12, 0, 1, 0, 0, 0},
        {SECTION, {0x1A2B3C4E, 1, 0, 0}, 16, 0, 1, 0, 0, 0},
    };
    EACH (row, rows) {
        struct file file = section(false, 9, 1);
        add_block(&file, row->type, row->words, row->size);
        assert_int_equal(read_all(&file), 1 + row->packets);
        assert_int_equal(damaged, row->damaged);
        assert_int_equal(rest, 0);
        if (row->packets == 0)
            continue;
        assert_int_equal(packet.data.size, row->bytes);
        assert_true(packet.time_ns == row->time_ns);
        assert_int_equal(packet.dir, row->dir);
        assert_int_equal(packet.interface, 0);
        assert_null(packet.comment);
        assert_int_equal(packet.linktype, AW_LINKTYPE_USER1);
    }
}

#define WRONG_LENGTH "capture: block with invalid length, rest of the file skipped"
#define TOO_LONG     "capture: block of more than 128 KiB skipped"

/* Checks the error of a damaged file and the number of consumed bytes. */
TEST(damaged_files_are_reported)
{
    static const struct {
        uint32_t words[8];
        size_t size, used;
        const char *error; /* NULL: more data is needed */
    } rows[] = {
        {{SECTION}, 3, 0, NULL},
        {{SECTION}, 4, 0, NULL},
        {{SECTION, 28}, 8, 0, NULL},
        {{SECTION, 28, ORDER}, 12, 0, NULL},
        {{SECTION, 28, ORDER, 1, 0, 0, 28}, 27, 0, NULL},
        {{SECTION, 28, ORDER, 1, 0, 0, 28}, 28, 28, NULL},
        {{SECTION, 28, ORDER, 1, 0, 0, 29}, 28, 28, WRONG_LENGTH},
        {{SECTION, 28, 0x1A2B3C4C}, 12, 12, WRONG_LENGTH},
        {{SECTION, 11, ORDER}, 12, 12, WRONG_LENGTH},
        {{SECTION, 8, ORDER}, 12, 12, WRONG_LENGTH},
        {{SECTION, 30, ORDER}, 12, 12, WRONG_LENGTH},
        {{SECTION, AW_PCAP_PACKET_MAX, ORDER}, 12, 0, NULL},
        {{SECTION, AW_PCAP_PACKET_MAX + 4, ORDER}, 12, 12, TOO_LONG},
        {{SECTION, 12, ORDER}, 12, 12, WRONG_LENGTH},
        {{0x12345678}, 4, 4, "capture: not a pcapng or pcap file — give a .pcapng or .pcap file"},
        {{0x12345678}, 3, 0, NULL},
        {{0xA1B2C3D4, 0, 0, 0, 0, 227}, 23, 0, NULL},
        {{0xA1B2C3D4, 0, 0, 0, 0, 227}, 24, 24, NULL},
        {{0xA1B2C3D4, 0, 0, 0, 0, 227, 1}, 28, 24, NULL},
    };
    EACH (row, rows) {
        reset_reader();
        *err.text = '\0';
        assert_error(next(row->words, row->size), row->error ? AW_MALFORMED : AW_MORE, &err,
                     row->error ? row->error : "");
        assert_int_equal(used, row->used);
        if (!row->error || strcmp(row->error, TOO_LONG) == 0)
            continue;
        assert_int_equal(next(row->words, row->size), AW_MORE);
        assert_int_equal(used, row->size); /* nothing behind it is read */
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

/* Adds as many interfaces as allowed, each with its own link type and time resolution. */
TEST(interfaces_have_their_own_link_type_and_resolution)
{
    struct file file = {0};
    ADD_BLOCK(&file, SECTION, ORDER, TWO(1, 0), UINT32_MAX, UINT32_MAX);
    for (uint32_t i = 0; i < AW_PCAP_INTERFACES; i++) {
        /* Link type, snap length, decimal digits of the resolution, offset in seconds. */
        ADD_BLOCK(&file, 1, TWO(100 + i, 0), 0, TWO(9, 1), TWO(FIRST(i < 10 ? i : 9), 0),
                  TWO(14, 8), LONG(i), TWO(7, 2), 0, 0);
        if (i == 0 || i == 9 || i == AW_PCAP_INTERFACES - 1) {
            ADD_BLOCK(&file, 6, i, 0, 5, 0, 0);
            assert_true(read_all(&file) > 0);
            assert_int_equal(packet.interface, i);
            assert_int_equal(packet.linktype, 100 + i);
            assert_true(packet.time_ns == (i ? i * AW_SECOND + 5 : 5 * AW_SECOND));
            assert_int_equal(damaged, 0);
        }
    }
    ADD_BLOCK(&file, 1, 147, 0);
    ADD_BLOCK(&file, 6, AW_PCAP_INTERFACES, 0, 5, 0, 0);
    assert_int_equal(read_all(&file), 3);
    assert_int_equal(damaged, 2);
}

/* A packet without a time requires an interface, too. */
TEST(packet_without_an_interface_is_damaged)
{
    struct file file = {0};
    ADD_BLOCK(&file, SECTION, ORDER, TWO(1, 0), UINT32_MAX, UINT32_MAX);
    ADD_BLOCK(&file, 3, 2, 0x4241);
    assert_int_equal(read_all(&file), 0);
    assert_int_equal(damaged, 1);
    ADD_BLOCK(&file, 1, 147, 0); /* without a snap length, packets are not truncated */
    ADD_BLOCK(&file, 3, 2, 0x4241);
    assert_int_equal(read_all(&file), 1);
}

TEST(classic_captures_are_read)
{
    static const uint32_t magics[] = {0xA1B2C3D4, 0xA1B23C4D};
    for (int i = 0; i < 4; i++) {
        bool swapped = i % 2, nanoseconds = i / 2;
        struct file file = {0};
        add_words(&file, swapped, "whhwwww", magics[nanoseconds], 2, 4, 0, 0, 0, AW_LINKTYPE_CAN);
        for (uint32_t n = 7; n < 9; n++) {
            add_words(&file, swapped, "wwww", 1700000000, n, 3, 3);
            add(&file, "abc", 3);
        }
        assert_int_equal(read_all(&file), 2);
        assert_true(packet.time_ns == 1700000000 * AW_SECOND + (nanoseconds ? 8 : 8000));
        assert_int_equal(packet.linktype, AW_LINKTYPE_CAN);
        file.size--;
        assert_int_equal(read_all(&file), 1);
    }
}

TEST(oversized_blocks_are_skipped)
{
    static const uint8_t zeros[1024];
    struct file file = section(false, 9, 1);
    add_words(&file, false, "ww", 6, AW_PCAP_PACKET_MAX + 4);
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
    struct file good = section(true, 9, 1);
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
            assert_true(read_all(&file) <= 4);
        }
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
