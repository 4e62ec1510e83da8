/* Captures: written, read, cut off, damaged; and the headers inside their packets.
 *
 *     test_pcapng write TOOL FILE < HEX
 *
 * writes a capture of the frames on standard input, one a line: "> 041#00" sent, "< 05E#00"
 * received. For tests that read it with other programs.
 */
#include "capture/pcapng.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "capture/packet.h"
#include "protocols.h"
#include "wire/codec.h"
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

/* Words in the byte order of this machine, or the other one. */
static void add32(struct file *file, bool swapped, uint32_t word)
{
    word = swapped ? __builtin_bswap32(word) : word;
    add(file, &word, sizeof word);
}

static void add16(struct file *file, bool swapped, unsigned word)
{
    uint16_t v = (uint16_t)(swapped ? __builtin_bswap16((uint16_t)word) : word);
    add(file, &v, sizeof v);
}

/* Reads everything from a copy on the heap, in one piece; returns the number of packets. */
static size_t read_all(const uint8_t *data, size_t size, struct aw_packet *last, size_t *damaged,
                       size_t *rest)
{
    struct aw_pcap_reader reader = {0};
    struct aw_error err;
    uint8_t *copy = malloc(size ? size : 1);
    size_t n = 0, at = 0, used, bad = 0;
    assert_non_null(copy);
    memcpy(copy, data, size);
    for (enum aw_status status = AW_OK; status != AW_MORE;) {
        struct aw_packet packet;
        status =
            aw_pcap_next(&reader, (struct aw_span){copy + at, size - at}, &packet, &used, &err);
        assert_true(used <= size - at);
        assert_true(status == AW_MORE || used > 0);
        at += used;
        bad += status == AW_MALFORMED;
        if (status == AW_OK) {
            n++;
            assert_true(packet.data.data >= copy && packet.data.size <= size);
            if (last)
                *last = packet;
        }
    }
    if (damaged)
        *damaged = bad;
    if (rest)
        *rest = size - at;
    free(copy);
    return n;
}

static void a_file_begins_as_the_format_says(void **state)
{
    static const uint8_t expected[] = {
        /* section: type, length, byte order, version 1.0, length not known, length */
        0x0A, 0x0D, 0x0D, 0x0A, 28, 0, 0, 0, 0x4D, 0x3C, 0x2B, 0x1A, 1, 0, 0, 0, 0xFF, 0xFF, 0xFF,
        0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 28, 0, 0, 0,
        /* interface: CAN, name, nanoseconds */
        1, 0, 0, 0, 40, 0, 0, 0, 227, 0, 0, 0, 0, 0, 0, 0, 2, 0, 4, 0, 'c', 'a', 'n', '0', 9, 0, 1,
        0, 9, 0, 0, 0, 0, 0, 0, 0, 40, 0, 0, 0};
    uint8_t out[AW_PCAPNG_BEGIN_MAX];
    (void)state;
    size_t n = aw_pcapng_begin(out, AW_LINKTYPE_CAN, "can0");
    if (__BYTE_ORDER__ != __ORDER_LITTLE_ENDIAN__)
        return;
    assert_int_equal(n, sizeof expected);
    assert_memory_equal(out, expected, n);
}

/* Three packets of odd sizes: out with a comment, in, unknown. */
static struct file written(void)
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
    struct file file;
    file.size = aw_pcapng_begin(file.data, AW_LINKTYPE_USER0, "/dev/ttyUSB0");
    for (size_t i = 0; i < 3; i++) {
        size_t n =
            aw_pcapng_packet(file.data + file.size, sizeof file.data - file.size, &packets[i]);
        assert_true(n > 0 && n % 4 == 0);
        file.size += n;
    }
    return file;
}

static void what_is_written_is_read(void **state)
{
    struct file file = written();
    struct aw_pcap_reader reader = {0};
    struct aw_packet packet;
    struct aw_span in = {file.data, file.size};
    size_t used;
    (void)state;
    for (size_t i = 0; i < 3; i++) {
        static const char *const texts[] = {"one", "two!", "three"};
        static const enum aw_dir dirs[] = {AW_TX, AW_RX, 0};
        assert_int_equal(aw_pcap_next(&reader, in, &packet, &used, NULL), AW_OK);
        assert_int_equal(packet.data.size, strlen(texts[i]));
        assert_memory_equal(packet.data.data, texts[i], packet.data.size);
        assert_int_equal(packet.dir, dirs[i]);
        assert_true(packet.time_ns == TIME + (int64_t)i);
        assert_int_equal(packet.linktype, AW_LINKTYPE_USER0);
        assert_int_equal(packet.comment_length, i == 0 ? 9 : 0);
        in = (struct aw_span){in.data + used, in.size - used};
    }
    assert_string_equal(reader.interfaces[0].name, "/dev/ttyUSB0");
    assert_int_equal(aw_pcap_next(&reader, in, &packet, &used, NULL), AW_MORE);
    assert_int_equal(in.size, used);
}

static void a_file_that_is_cut_off_gives_its_whole_packets(void **state)
{
    struct file file = written();
    size_t before = 0;
    (void)state;
    for (size_t size = 0; size <= file.size; size++) {
        size_t rest, bad, n = read_all(file.data, size, NULL, &bad, &rest);
        assert_int_equal(bad, 0);
        assert_true(n == before || n == before + 1);
        assert_true(n == 3 || rest < 80);
        before = n;
    }
    assert_int_equal(before, 3);
}

/* The same bytes in pieces of any size. */
static void pieces_of_a_file_are_read_as_they_come(void **state)
{
    struct file file = written();
    (void)state;
    for (size_t step = 1; step < 50; step++) {
        struct aw_pcap_reader reader = {0};
        struct aw_packet packet;
        size_t n = 0, at = 0, used;
        for (size_t here = step; at < file.size; here += step) {
            size_t end = here < file.size ? here : file.size;
            while (aw_pcap_next(&reader, (struct aw_span){file.data + at, end - at}, &packet, &used,
                                NULL) == AW_OK) {
                n++;
                at += used;
            }
            at += used;
        }
        assert_int_equal(n, 3);
    }
}

/* A section with one interface whose stamps have this resolution, and one packet. */
static struct file section(bool swapped, uint8_t resolution, uint64_t stamp)
{
    struct file file = {0};
    add32(&file, swapped, 0x0A0D0D0A);
    add32(&file, swapped, 28);
    add32(&file, swapped, 0x1A2B3C4D);
    add16(&file, swapped, 1);
    add16(&file, swapped, 0);
    add32(&file, swapped, UINT32_MAX);
    add32(&file, swapped, UINT32_MAX);
    add32(&file, swapped, 28);
    add32(&file, swapped, 1);
    add32(&file, swapped, 28);
    add16(&file, swapped, AW_LINKTYPE_USER1);
    add16(&file, swapped, 0);
    add32(&file, swapped, 3); /* snaplen */
    add16(&file, swapped, 9);
    add16(&file, swapped, 1);
    add(&file, (const uint8_t[]){resolution, 0, 0, 0}, 4);
    add32(&file, swapped, 28);
    add32(&file, swapped, 6);
    add32(&file, swapped, 48);
    add32(&file, swapped, 0);
    add32(&file, swapped, (uint32_t)(stamp >> 32));
    add32(&file, swapped, (uint32_t)stamp);
    add32(&file, swapped, 5);
    add32(&file, swapped, 5);
    add(&file, "HELLO\0\0", 8);
    add16(&file, swapped, 2);
    add16(&file, swapped, 4);
    add32(&file, swapped, 2);
    add32(&file, swapped, 48);
    return file;
}

static void either_byte_order_and_any_resolution(void **state)
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
        {9, UINT64_C(1) << 63, AW_NO_TIME}, /* before 1970, or in 2262 */
        {0x80 | 10, UINT64_C(1700000000) << 10 | 512, INT64_C(1700000000500000000)},
        {0x80 | 33, UINT64_C(1000000000) << 33 | UINT64_C(1) << 31, INT64_C(1000000000250000000)},
    };
    (void)state;
    for (int swapped = 0; swapped < 2; swapped++)
        for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
            struct file file = section(swapped, cases[i].resolution, cases[i].stamp);
            struct aw_packet packet;
            assert_true(aw_is_pcap((struct aw_span){file.data, file.size}));
            assert_int_equal(read_all(file.data, file.size, &packet, NULL, NULL), 1);
            assert_true(packet.time_ns == cases[i].time_ns);
            assert_int_equal(packet.dir, AW_TX);
            assert_int_equal(packet.data.size, 5);
            assert_int_equal(packet.linktype, AW_LINKTYPE_USER1);
        }
}

static void sections_of_both_byte_orders_in_one_file(void **state)
{
    struct file file = section(false, 9, 1), other = section(true, 9, 2);
    struct aw_packet packet;
    (void)state;
    add(&file, other.data, other.size);
    assert_int_equal(read_all(file.data, file.size, &packet, NULL, NULL), 2);
    assert_true(packet.time_ns == 2);
}

static void packets_without_a_time_are_cut_to_the_interface(void **state)
{
    struct file file = section(false, 9, 1);
    struct aw_packet packet;
    (void)state;
    add32(&file, false, 3);
    add32(&file, false, 20);
    add32(&file, false, 5);
    add(&file, "HEL", 4);
    add32(&file, false, 20);
    assert_int_equal(read_all(file.data, file.size, &packet, NULL, NULL), 2);
    assert_true(packet.time_ns == AW_NO_TIME);
    assert_int_equal(packet.data.size, 3);
}

static void classic_captures_are_read(void **state)
{
    static const uint32_t magics[] = {0xA1B2C3D4, 0xA1B23C4D};
    (void)state;
    for (int swapped = 0; swapped < 2; swapped++)
        for (size_t nano = 0; nano < 2; nano++) {
            struct file file = {0};
            struct aw_packet packet;
            add32(&file, swapped, magics[nano]);
            add16(&file, swapped, 2);
            add16(&file, swapped, 4);
            for (int i = 0; i < 3; i++)
                add32(&file, swapped, 0);
            add32(&file, swapped, AW_LINKTYPE_CAN);
            for (uint32_t i = 0; i < 2; i++) {
                add32(&file, swapped, 1700000000);
                add32(&file, swapped, 7 + i);
                add32(&file, swapped, 3);
                add32(&file, swapped, 3);
                add(&file, "abc", 3);
            }
            assert_int_equal(read_all(file.data, file.size, &packet, NULL, NULL), 2);
            assert_true(packet.time_ns == INT64_C(1700000000000000000) + (nano ? 8 : 8000));
            assert_int_equal(packet.linktype, AW_LINKTYPE_CAN);
            assert_int_equal(read_all(file.data, file.size - 1, NULL, NULL, NULL), 1);
        }
}

static void damaged_blocks_are_told_and_passed_over(void **state)
{
    struct file file = section(false, 9, 1);
    struct aw_packet packet;
    size_t bad, packet_at = 56;
    (void)state;
    file.data[packet_at + 20] = 200; /* more bytes captured than the block has */
    assert_int_equal(read_all(file.data, file.size, &packet, &bad, NULL), 0);
    assert_int_equal(bad, 1);
    file.data[packet_at + 20] = 5;
    file.data[packet_at + 8] = 1; /* an interface that is not there */
    assert_int_equal(read_all(file.data, file.size, &packet, &bad, NULL), 0);
    assert_int_equal(bad, 1);
    file.data[packet_at + 8] = 0;
    file.data[packet_at + 4] = 51; /* a length that cannot be: nothing more is believed */
    add(&file, file.data + packet_at, 48);
    assert_int_equal(read_all(file.data, file.size, &packet, &bad, NULL), 0);
    assert_int_equal(bad, 1);
    assert_int_equal(read_all((const uint8_t *)"no capture", 10, NULL, &bad, NULL), 0);
    assert_int_equal(bad, 1);
}

static void a_block_that_is_too_long_is_passed_over(void **state)
{
    struct file file = section(false, 9, 1);
    struct aw_pcap_reader reader = {0};
    struct aw_packet packet;
    static const uint8_t zeros[1024];
    size_t used, total = 0;
    (void)state;
    add32(&file, false, 6);
    add32(&file, false, AW_PCAP_PACKET_MAX + 4);
    struct aw_span in = {file.data, file.size};
    assert_int_equal(aw_pcap_next(&reader, in, &packet, &used, NULL), AW_OK);
    in = (struct aw_span){in.data + used, in.size - used};
    assert_int_equal(aw_pcap_next(&reader, in, &packet, &used, NULL), AW_MALFORMED);
    assert_int_equal(used, in.size);
    for (; total < AW_PCAP_PACKET_MAX - 4; total += used) {
        size_t left = AW_PCAP_PACKET_MAX - 4 - total, n = left < 1024 ? left : 1024;
        assert_int_equal(aw_pcap_next(&reader, (struct aw_span){zeros, n}, &packet, &used, NULL),
                         AW_MORE);
        assert_int_equal(used, n);
    }
    in = (struct aw_span){file.data + 56, 48};
    assert_int_equal(aw_pcap_next(&reader, in, &packet, &used, NULL), AW_OK);
}

/* Every byte of a file changed in turn: no reading outside, no endless loop (read_all checks). */
static void wrong_bytes_do_no_harm(void **state)
{
    struct file good = section(true, 9, 1), more = written();
    (void)state;
    add(&good, more.data, more.size);
    for (size_t at = 0; at < good.size; at++)
        for (unsigned change = 1; change < 256; change = change * 3 + 1) {
            struct file file = good;
            file.data[at] ^= (uint8_t)change;
            assert_true(read_all(file.data, file.size, NULL, NULL, NULL) <= 4);
        }
}

/* ---- Inside of packets
 * --------------------------------------------------------------------------- */

static unsigned sum16(const uint8_t *p, size_t size, unsigned sum)
{
    for (size_t i = 0; i < size; i++)
        sum += i % 2 ? p[i] : (unsigned)p[i] << 8;
    while (sum >> 16)
        sum = (sum & 0xFFFF) + (sum >> 16);
    return sum;
}

static void headers_go_on_and_come_off(void **state)
{
    (void)state;
    for (size_t i = 0; i < N_PROTOCOLS; i++) {
        const struct aw_protocol *protocol = protocols[i];
        struct aw_wrapper wrapper = {.medium = protocol->medium,
                                     .ports = {protocol->ports[0], protocol->ports[1]}};
        for (uint32_t n = 0; n < 6; n++) {
            uint8_t out[128];
            uint8_t frame[] = {0x5E, 0x00, 1, 2, 3, 4, 5, 6, 7};
            enum aw_dir dir = n % 2 ? AW_RX : AW_TX;
            struct aw_span in = {frame, 4 + n};
            struct aw_packet packet = {.dir = dir, .linktype = aw_wrapper_linktype(&wrapper)};
            packet.data = (struct aw_span){out, aw_wrap(&wrapper, dir, in, out, sizeof out)};
            struct aw_payload payload;
            assert_true(aw_packet_open(&packet, &payload));
            assert_int_equal(payload.data.size, in.size);
            assert_memory_equal(payload.data.data, frame, in.size);
            assert_int_equal(payload.dir, dir);
            assert_int_equal(payload.tcp, protocol->medium == AW_MEDIUM_TCP);
            if (protocol->ports[0])
                assert_int_equal(dir == AW_TX ? payload.to : payload.from, protocol->ports[0]);
        }
    }
}

static void sums_and_sequence_numbers_are_real(void **state)
{
    struct aw_wrapper tcp = {.medium = AW_MEDIUM_TCP, .ports = {47001}};
    struct aw_wrapper udp = {.medium = AW_MEDIUM_UDP, .ports = {30004, 30005}};
    uint8_t out[128];
    (void)state;
    for (size_t i = 0; i < 4; i++) {
        struct aw_span frame = {(const uint8_t *)"odd", 3};
        size_t n = aw_wrap(&tcp, AW_TX, frame, out, sizeof out);
        assert_int_equal(n, 43);
        assert_int_equal(out[27], 1 + 3 * i);
        assert_int_equal(sum16(out, 20, 0), 0xFFFF);
        assert_int_equal(sum16(out + 20, n - 20, 2 * 0x7F01 + 6 + 23), 0xFFFF);
        n = aw_wrap(&udp, AW_RX, frame, out, sizeof out);
        assert_int_equal(n, 31);
        assert_int_equal(sum16(out + 20, n - 20, 2 * 0x7F01 + 17 + 11), 0xFFFF);
    }
    assert_int_equal(aw_wrap(&udp, AW_TX, (struct aw_span){out, 65}, out, sizeof out), 0);
}

static bool opens(enum aw_linktype linktype, const char *hex, struct aw_payload *payload)
{
    uint8_t bytes[256];
    size_t size = 0;
    assert_int_equal(
        aw_hex_parse(&aw_unitysim_protocol, hex, strlen(hex), bytes, sizeof bytes, &size, NULL),
        AW_OK);
    uint8_t *copy = malloc(size);
    assert_non_null(copy);
    memcpy(copy, bytes, size);
    bool result =
        aw_packet_open(&(struct aw_packet){.linktype = linktype, .data = {copy, size}}, payload);
    if (result)
        assert_true(payload->data.size > 0);
    free(copy);
    return result;
}

#define DATAGRAM "4500 001E 0000 4000 4011 0000 7F000001 7F000001 7534 7535 000A 0000 ABCD"

static void link_layers_of_others_are_understood(void **state)
{
    struct aw_payload payload;
    (void)state;
    assert_true(opens(AW_LINKTYPE_RAW_IP, DATAGRAM, &payload));
    assert_int_equal(payload.from, 30004);
    assert_int_equal(payload.to, 30005);
    assert_int_equal(payload.data.size, 2);
    assert_true(
        opens(AW_LINKTYPE_ETHERNET, "112233445566 112233445566 0800" DATAGRAM "0000", &payload));
    assert_int_equal(payload.data.size, 2);
    assert_true(
        opens(AW_LINKTYPE_ETHERNET, "112233445566 112233445566 8100 0001 0800" DATAGRAM, &payload));
    assert_true(opens(AW_LINKTYPE_NULL, "02000000" DATAGRAM, &payload));
    assert_true(opens(AW_LINKTYPE_SLL, "0000 0304 0006 0000000000000000 0800" DATAGRAM, &payload));
    assert_true(opens(AW_LINKTYPE_SLL2, "0800 0000 00000001 0304 00 06 0000000000000000" DATAGRAM,
                      &payload));
    assert_true(opens(AW_LINKTYPE_RTAC_SERIAL, "00000000 00000000 01 00 0000 30 0D 0A", &payload));
    assert_int_equal(payload.dir, AW_TX);
    assert_int_equal(payload.data.size, 3);
}

static void what_has_nothing_inside_is_left_alone(void **state)
{
    static const struct {
        enum aw_linktype linktype;
        const char *hex;
    } cases[] = {
        {AW_LINKTYPE_CAN, "8000005E 06 000000 010203040506"}, /* extended */
        {AW_LINKTYPE_CAN, "4000005E 06 000000"},              /* remote */
        {AW_LINKTYPE_CAN, "20000004 08 000000 0000000000000000"},
        {AW_LINKTYPE_CAN, "0000005E 06 000000 0102030405"}, /* cut off */
        {AW_LINKTYPE_CAN, "0000005E 06"},
        {AW_LINKTYPE_RTAC_SERIAL, "00000000 00000000 07 00 0000 30"}, /* framing error */
        {AW_LINKTYPE_RTAC_SERIAL, "00000000 00000000 02 00 0000"},
        {AW_LINKTYPE_ETHERNET, "112233445566 112233445566 0806 0001"}, /* ARP */
        {AW_LINKTYPE_ETHERNET, "1122"},
        {AW_LINKTYPE_RAW_IP, "6000 0000"},
        {AW_LINKTYPE_RAW_IP, "4500 001E 0000 2001 4011 0000 7F000001 7F000001 7534 7535 000A 00"},
        {AW_LINKTYPE_RAW_IP, "4500 0014 0000 4000 4001 0000 7F000001 7F000001"},
        {AW_LINKTYPE_RAW_IP, "4500 0028 0000 4000 4006 0000 7F000001 7F000001"
                             "7534 B799 00000001 00000001 5010 FFFF 0000 0000"}, /* only an ACK */
        {AW_LINKTYPE_SLL2, "0806"},
        {AW_LINKTYPE_NULL, "1E000000 6000"},
        {(enum aw_linktype)999, "00"},
    };
    struct aw_payload payload;
    (void)state;
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++)
        if (opens(cases[i].linktype, cases[i].hex, &payload))
            fail_msg("%s", cases[i].hex);
}

/* ---- Files for other programs
 * --------------------------------------------------------------------- */

static const struct aw_protocol *protocol_of(const char *tool)
{
    for (size_t i = 0; i < N_PROTOCOLS; i++)
        if (strcmp(protocols[i]->name, tool) == 0)
            return protocols[i];
    return NULL;
}

static int write_frames(const struct aw_protocol *protocol, FILE *out)
{
    static uint8_t block[4096], packet_data[2048], frame[1024];
    static char line[8192];
    struct aw_wrapper wrapper = {.medium = protocol->medium,
                                 .ports = {protocol->ports[0], protocol->ports[1]}};
    enum aw_linktype linktype = aw_wrapper_linktype(&wrapper);
    struct aw_error err;
    size_t n = aw_pcapng_begin(block, linktype, "test");
    for (int64_t time_ns = TIME; fwrite(block, 1, n, out) == n; time_ns += 1000001) {
        size_t size;
        if (!fgets(line, sizeof line, stdin))
            return 0;
        line[strcspn(line, "\n")] = '\0';
        if (aw_hex_parse(protocol, line + 2, strlen(line + 2), frame, sizeof frame, &size, &err)) {
            fprintf(stderr, "%s: %s\n", line, err.text);
            return 1;
        }
        struct aw_packet packet = {.time_ns = time_ns, .dir = *line == '>' ? AW_TX : AW_RX};
        packet.data.data = packet_data;
        packet.data.size = aw_wrap(&wrapper, packet.dir, (struct aw_span){frame, size}, packet_data,
                                   sizeof packet_data);
        n = aw_pcapng_packet(block, sizeof block, &packet);
    }
    return 1;
}

static int write_file(const char *tool, const char *name)
{
    const struct aw_protocol *protocol = protocol_of(tool);
    FILE *out = fopen(name, "wb");
    int status = protocol && out ? write_frames(protocol, out) : 1;
    if (out && fclose(out) != 0)
        status = 1;
    return status;
}

int main(int argc, char **argv)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_file_begins_as_the_format_says),
        cmocka_unit_test(what_is_written_is_read),
        cmocka_unit_test(a_file_that_is_cut_off_gives_its_whole_packets),
        cmocka_unit_test(pieces_of_a_file_are_read_as_they_come),
        cmocka_unit_test(either_byte_order_and_any_resolution),
        cmocka_unit_test(sections_of_both_byte_orders_in_one_file),
        cmocka_unit_test(packets_without_a_time_are_cut_to_the_interface),
        cmocka_unit_test(classic_captures_are_read),
        cmocka_unit_test(damaged_blocks_are_told_and_passed_over),
        cmocka_unit_test(a_block_that_is_too_long_is_passed_over),
        cmocka_unit_test(wrong_bytes_do_no_harm),
        cmocka_unit_test(headers_go_on_and_come_off),
        cmocka_unit_test(sums_and_sequence_numbers_are_real),
        cmocka_unit_test(link_layers_of_others_are_understood),
        cmocka_unit_test(what_has_nothing_inside_is_left_alone),
    };
    if (argc == 4 && strcmp(argv[1], "write") == 0)
        return write_file(argv[2], argv[3]);
    return cmocka_run_group_tests(tests, NULL, NULL);
}
