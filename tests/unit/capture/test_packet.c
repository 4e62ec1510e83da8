#include "capture/packet.h"

#include "picture_helper.h"
#include "protocols.h"
#include "test.h"
#include "wire/hex.h"

static unsigned sum16(const uint8_t *p, size_t size, unsigned sum)
{
    for (size_t i = 0; i < size; i++)
        sum += i % 2 ? p[i] : (unsigned)p[i] << 8;
    while (sum >> 16)
        sum = (sum & 0xFFFF) + (sum >> 16);
    return sum;
}

TEST(checksums_and_sequence_numbers_are_valid)
{
    struct aw_wrapper tcp = {.medium = AW_MEDIUM_TCP, .ports = {47001}};
    struct aw_wrapper udp = {.medium = AW_MEDIUM_UDP, .ports = {30004, 30005}};
    uint8_t out[128];
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
    uint8_t *copy = heap_copy(bytes, size);
    bool result =
        aw_packet_unwrap(&(struct aw_packet){.linktype = linktype, .data = {copy, size}}, payload);
    if (result)
        assert_true(payload->data.size > 0);
    free(copy);
    return result;
}

#define ZEROS    "00000000000000000000000000000000" /* 16 zero bytes */
#define RAW      AW_LINKTYPE_RAW_IP
#define MACS     "112233445566 112233445566"
#define SLL      "0000 0304 0006 0000000000000000"
#define SLL2     "0000 00000001 0304 00 06 0000000000000000"
#define HOSTS    " 7F000001 7F000001 "
#define SEQ      "7534 B799 01020304 00000001"
#define DATAGRAM "4500 001E 0000 4000 4011 0000" HOSTS "7534 7535 000A 0000 ABCD"

TEST(foreign_link_layers_are_parsed)
{
    static const struct {
        enum aw_linktype linktype;
        const char *hex;
        size_t size;
        unsigned from_port, to_port;
        enum aw_dir dir;
        bool tcp;
    } cases[] = {
        {RAW, DATAGRAM, 2, 30004, 30005, 0, false},
        {AW_LINKTYPE_IPV4, DATAGRAM "0000 0000", 2, 30004, 30005, 0, false},
        {AW_LINKTYPE_ETHERNET, MACS "0800" DATAGRAM "0000", 2, 30004, 30005, 0, false},
        {AW_LINKTYPE_ETHERNET, MACS "8100 0001 0800" DATAGRAM, 2, 30004, 30005, 0, false},
        {AW_LINKTYPE_NULL, "02000000" DATAGRAM, 2, 30004, 30005, 0, false},
        {AW_LINKTYPE_NULL, "00000002" DATAGRAM, 2, 30004, 30005, 0, false},
        {AW_LINKTYPE_SLL, SLL "0800" DATAGRAM, 2, 30004, 30005, 0, false},
        {AW_LINKTYPE_SLL2, "0800" SLL2 DATAGRAM, 2, 30004, 30005, 0, false},
        {AW_LINKTYPE_RTAC_SERIAL, "00000000 00000000 01 00 0000 30 0D 0A", 3, 0, 0, AW_TX, false},
        {AW_LINKTYPE_RTAC_SERIAL, "00000000 00000000 02 00 0000 30", 1, 0, 0, AW_RX, false},
        {AW_LINKTYPE_USER0, "41", 1, 0, 0, 0, false},
        {AW_LINKTYPE_USER1, "41", 1, 0, 0, 0, false},
        {AW_LINKTYPE_CAN, "000007FE 02 000000 ABCD EE", 4, 0, 0, 0, false}, /* EE is ignored */
        {AW_LINKTYPE_CAN, "0000005E 40 000000" ZEROS ZEROS ZEROS ZEROS, 66, 0, 0, 0, false},
        /* IP and TCP headers with options. Total length 0: captured before the network card fills
         * it in (segmentation offload). */
        {RAW, "4600 0000 0000 4000 4011 0000" HOSTS "00000000 7534 7535 0009 0000 AB", 1, 30004,
         30005, 0, false},
        {RAW, "4500 002E 0000 4000 4006 0000" HOSTS SEQ "6010 FFFF 0000 0000 01010101 4142", 2,
         30004, 47001, 0, true},
    };
    EACH (row, cases) {
        struct aw_payload payload;
        bool opened = opens(row->linktype, row->hex, &payload);
        if (!opened || payload.data.size != row->size || payload.from_port != row->from_port ||
            payload.to_port != row->to_port || payload.dir != row->dir ||
            payload.is_tcp != row->tcp)
            fail_msg("%s", row->hex);
        if (row->tcp)
            assert_int_equal(payload.seq, 0x01020304);
        if (row->size == 4)
            assert_memory_equal(payload.bytes, "\xFE\x07\xAB\xCD", 4);
    }
}

TEST(each_medium_accepts_its_link_types)
{
    static const struct {
        enum aw_medium medium;
        enum aw_linktype own;
        bool can, user1, user0, ethernet; /* other link types may carry it */
    } rows[] = {
        {AW_MEDIUM_SERIAL, AW_LINKTYPE_USER0, false, false, true, true},
        {AW_MEDIUM_HID, AW_LINKTYPE_USER1, false, true, false, false},
        {AW_MEDIUM_CAN, AW_LINKTYPE_CAN, true, false, false, false},
        {AW_MEDIUM_UDP, AW_LINKTYPE_RAW_IP, false, false, true, true},
        {AW_MEDIUM_TCP, AW_LINKTYPE_RAW_IP, false, false, true, true},
    };
    EACH (row, rows) {
        struct aw_wrapper wrapper = {.medium = row->medium};
        assert_int_equal(aw_wrapper_linktype(&wrapper), row->own);
        assert_int_equal(aw_linktype_suits(AW_LINKTYPE_CAN, row->medium), row->can);
        assert_int_equal(aw_linktype_suits(AW_LINKTYPE_USER1, row->medium), row->user1);
        assert_int_equal(aw_linktype_suits(AW_LINKTYPE_USER0, row->medium), row->user0);
        assert_int_equal(aw_linktype_suits(AW_LINKTYPE_ETHERNET, row->medium), row->ethernet);
    }
}

/* Prints frames in both directions with all headers, byte by byte. */
TEST(headers_match_the_golden_file)
{
    static const uint16_t ports[][2] = {{0, 0}, {4001, 0}, {0, 4002}, {0x7534, 0x7535}};
    static const uint8_t frame[] = {0x5E, 0x05, 1, 2, 3};
    FILE *file = begin_picture();
    for (enum aw_medium medium = AW_MEDIUM_SERIAL; medium <= AW_MEDIUM_TCP; medium++)
        for (size_t i = 0; i < (medium < AW_MEDIUM_UDP ? 1 : 4); i++) {
            struct aw_wrapper wrapper = {.medium = medium, .ports = {ports[i][0], ports[i][1]}};
            for (size_t n = 2; n < 4; n++) { /* of even and odd size */
                uint8_t out[80];
                char hex[AW_HEX_SIZE(80)];
                enum aw_dir dir = n % 2 ? AW_RX : AW_TX;
                size_t wrapped =
                    aw_wrap(&wrapper, dir, (struct aw_span){frame, 2 + n}, out, sizeof out);
                aw_hex_print(&aw_unitysim_protocol, (struct aw_span){out, wrapped}, hex);
                fprintf(file, "%d %s\n", medium, hex);
            }
        }
    end_picture(file, "wrapped.txt");
}

TEST(oversized_frames_are_not_wrapped)
{
    static uint8_t frame[65001], out[65001 + AW_WRAP_MAX];
    for (enum aw_medium medium = AW_MEDIUM_SERIAL; medium <= AW_MEDIUM_TCP; medium++) {
        struct aw_wrapper wrapper = {.medium = medium};
        if (medium == AW_MEDIUM_CAN) {
            assert_int_equal(aw_wrap(&wrapper, AW_TX, (struct aw_span){frame, 1}, out, sizeof out),
                             0);
            assert_int_equal(aw_wrap(&wrapper, AW_TX, (struct aw_span){frame, 2}, out, sizeof out),
                             8);
            continue;
        }
        struct aw_span most = {frame, 65000};
        assert_true(aw_wrap(&wrapper, AW_TX, most, out, 65000 + AW_WRAP_MAX) >= 65000);
        assert_int_equal(aw_wrap(&wrapper, AW_TX, most, out, 65000 + AW_WRAP_MAX - 1), 0);
        most.size++;
        assert_int_equal(aw_wrap(&wrapper, AW_TX, most, out, sizeof out), 0);
    }
}

/* A UDP checksum of zero is written as FFFF: 0 means no checksum. */
TEST(zero_udp_checksum_is_written_as_ffff)
{
    struct aw_wrapper udp = {.medium = AW_MEDIUM_UDP, .ports = {30004, 30005}};
    uint8_t out[128], frame[2] = {0};
    assert_int_equal(aw_wrap(&udp, AW_TX, (struct aw_span){frame, 2}, out, sizeof out), 30);
    frame[0] = out[26];
    frame[1] = out[27];
    assert_int_equal(aw_wrap(&udp, AW_TX, (struct aw_span){frame, 2}, out, sizeof out), 30);
    assert_int_equal(out[26], 0xFF);
    assert_int_equal(out[27], 0xFF);
}

/* Segments by sequence number and length: which part is new, and whether data is missing. */
TEST(tcp_segments_are_put_in_order)
{
    static const struct {
        uint32_t seq;
        size_t size, from, left; /* start and length of the new part */
        bool gap;
    } rows[] = {
        {0xFFFFFFF0, 8, 0, 8, false}, {0xFFFFFFF8, 8, 0, 8, false}, {0, 4, 0, 4, false},
        {0, 4, 0, 0, false},          {0, 5, 4, 1, false},          {3, 2, 0, 0, false},
        {0xFFFFFFFF, 7, 6, 1, false}, {8, 2, 0, 2, true},           {10, 1, 0, 1, false},
        {10, 0, 0, 0, false},         {12, 0, 0, 0, true},          {11, 1, 0, 1, false},
    };
    static const uint8_t bytes[8] = {0};
    struct aw_tcp_order order = {0};
    bool gap = true;
    struct aw_payload payload = {.data = {bytes, 3}};
    struct aw_span got = aw_tcp_new_data(&order, &payload, &gap); /* a datagram */
    assert_true(got.data == bytes && got.size == 3 && !gap && !order.started);
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        payload =
            (struct aw_payload){.is_tcp = true, .seq = rows[i].seq, .data = {bytes, rows[i].size}};
        got = aw_tcp_new_data(&order, &payload, &gap);
        if (got.size != rows[i].left || gap != rows[i].gap ||
            (got.size && got.data != bytes + rows[i].from))
            fail_msg("piece %zu: %zu from %td, %d", i, got.size, got.data - bytes, gap);
    }
}

TEST(packets_without_a_payload_are_skipped)
{
    static const struct {
        enum aw_linktype linktype;
        const char *hex;
    } cases[] = {
        {AW_LINKTYPE_CAN, "0000085E 06 000000 010203040506"}, /* more than 11 bits */
        {AW_LINKTYPE_CAN, "4000005E 06 000000"},              /* remote frame */
        {AW_LINKTYPE_CAN, "20000004 08 000000 0000000000000000"},
        {AW_LINKTYPE_CAN, "0000005E 06 000000 0102030405"}, /* truncated */
        {AW_LINKTYPE_CAN, "0000005E 06"},
        {AW_LINKTYPE_RTAC_SERIAL, "00000000 00000000 07 00 0000 30"}, /* framing error */
        {AW_LINKTYPE_RTAC_SERIAL, "00000000 00000000 02 00 0000"},
        {AW_LINKTYPE_ETHERNET, MACS "0806 0001"}, /* an ARP packet */
        {AW_LINKTYPE_ETHERNET, "1122"},
        {RAW, "6000 0000"},
        {RAW, "4500 001E 0000 2001 4011 0000" HOSTS "7534 7535 000A 00"},
        {RAW, "4500 0014 0000 4000 4001 0000" HOSTS},
        {RAW,
         "4500 0028 0000 4000 4006 0000" HOSTS SEQ " 5010 FFFF 0000 0000"}, /* ACK without data */
        {AW_LINKTYPE_SLL2, "0806"},
        {AW_LINKTYPE_NULL, "1E000000 6000"},
        {(enum aw_linktype)999, "00"},
        {AW_LINKTYPE_CAN, "0000005E 41 000000"}, /* too large */
        {AW_LINKTYPE_CAN, "0000085E 00 000000"}, /* a 12-bit identifier */
        {AW_LINKTYPE_CAN, "0000005E 00 0000"},
        {AW_LINKTYPE_RTAC_SERIAL, "00000000 00000000 00 00 0000 30"},
        {AW_LINKTYPE_RTAC_SERIAL, "00000000 00000000 03 00 0000 30"},
        {RAW, "5500 001E 0000 4000 4011 0000" HOSTS "7534 7535 000A 0000 ABCD"},
        {RAW, "4400 001E 0000 4000 4011 0000" HOSTS "7534 7535 000A 0000 ABCD"},
        {RAW, "4500 001F 0000 4000 4011 0000" HOSTS "7534 7535 000A 0000 ABCD"},
        {RAW, "4500 0013 0000 4000 4011 0000" HOSTS "7534 7535 000A 0000 ABCD"},
        {RAW, "4500 001E 0000 0001 4011 0000" HOSTS "7534 7535 000A 0000 ABCD"},
        {RAW, "4500 001E 0000 4000 4012 0000" HOSTS "7534 7535 000A 0000 ABCD"},
        {RAW, "4500 001E 0000 4000 4011 0000" HOSTS "7534 7535 000B 0000 ABCD"},
        {RAW, "4500 001E 0000 4000 4011 0000" HOSTS "7534 7535 0008 0000 ABCD"},
        {RAW, "4500 001B 0000 4000 4011 0000" HOSTS "7534 7535 000A 00"},
        {RAW, "4500 001C 0000 4000 4011 0000" HOSTS "7534 7535 000A 0000"},
        {RAW, "4500 0027 0000 4000 4006 0000" HOSTS SEQ " 5010 FFFF 0000 00"},
        {RAW, "4500 0029 0000 4000 4006 0000" HOSTS SEQ " 4010 FFFF 0000 0000 41"},
        {RAW, "4500 0029 0000 4000 4006 0000" HOSTS SEQ " 6010 FFFF 0000 0000 41"},
        {RAW, "4600 0018 0000 4000 4011 0000" HOSTS "00000000"},
        {RAW, "4500 0013 0000 4000 4011 0000 7F000001 7F0000"},
        {AW_LINKTYPE_ETHERNET, MACS "0801" DATAGRAM},
        {AW_LINKTYPE_ETHERNET, MACS "0800"},
        {AW_LINKTYPE_ETHERNET, MACS "08"},
        {AW_LINKTYPE_ETHERNET, MACS "8100 0001"},
        {AW_LINKTYPE_ETHERNET, MACS "8100 0001 08"},
        {AW_LINKTYPE_ETHERNET, MACS "8100 0001 8100 0001 0800" DATAGRAM},
        {AW_LINKTYPE_NULL, "02000000"},
        {AW_LINKTYPE_NULL, "00020000" DATAGRAM},
        {AW_LINKTYPE_SLL, SLL "0806" DATAGRAM},
        {AW_LINKTYPE_SLL, SLL "08"},
        {AW_LINKTYPE_SLL, SLL "0800"},
        {AW_LINKTYPE_SLL2, "0800 0000 00000001 0304 00 06 00000000000000"},
        {AW_LINKTYPE_SLL2, "0806" SLL2 DATAGRAM},
        {AW_LINKTYPE_USER0, ""},
        {AW_LINKTYPE_USER1, ""},
    };
    struct aw_payload payload;
    EACH (row, cases)
        if (opens(row->linktype, row->hex, &payload))
            fail_msg("%s", row->hex);
}
