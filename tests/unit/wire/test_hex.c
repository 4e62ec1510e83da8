
#include "protocol/armctl/wire.h"
#include "protocol/canpid/wire.h"
#include "test.h"
#include "wire/hex.h"

static uint8_t bytes[64];
static size_t size;

static enum aw_status parse(const struct aw_protocol *protocol, const char *text,
                            struct aw_error *err)
{
    return aw_hex_parse(protocol, text, strlen(text), bytes, sizeof bytes, &size, err);
}

TEST(bytes_round_trip_through_hex)
{
    uint8_t all[64];
    char text[AW_HEX_SIZE(64)];
    for (unsigned from = 0; from < 256; from += 64) {
        for (unsigned i = 0; i < 64; i++)
            all[i] = (uint8_t)(from + i);
        size_t length = aw_hex_print(&aw_armctl_protocol, (struct aw_span){all, 64}, text);
        assert_int_equal(length, strlen(text));
        assert_int_equal(length, 64 * 3 - 1);
        assert_int_equal(parse(&aw_armctl_protocol, text, NULL), AW_OK);
        assert_int_equal(size, 64);
        assert_memory_equal(bytes, all, 64);
    }
}

TEST(hex_is_parsed_in_any_case_and_spacing)
{
    static const char *const same[] = {"fF0a", "FF 0A", " ff\t0a ", "FF0A\r"};
    EACH (text, same) {
        assert_int_equal(parse(&aw_armctl_protocol, *text, NULL), AW_OK);
        assert_int_equal(size, 2);
        assert_memory_equal(bytes, "\xff\x0a", 2);
    }
}

TEST(can_frames_round_trip)
{
    char text[AW_HEX_SIZE(64)];
    assert_int_equal(parse(&aw_canpid_protocol, "041#9A99193F0200", NULL), AW_OK);
    assert_int_equal(size, 8);
    assert_memory_equal(bytes, "\x41\x00\x9a", 3);
    aw_hex_print(&aw_canpid_protocol, (struct aw_span){bytes, size}, text);
    assert_string_equal(text, "041#9A99193F0200");
    assert_int_equal(parse(&aw_canpid_protocol, " \t041#9A", NULL), AW_OK);
    assert_int_equal(size, 3);
    assert_int_equal(parse(&aw_canpid_protocol, "7FF#", NULL), AW_OK);
    assert_int_equal(size, 2);
    assert_memory_equal(bytes, "\xFF\x07", 2);
    aw_hex_print(&aw_canpid_protocol, (struct aw_span){bytes, 2}, text);
    assert_string_equal(text, "7FF#");
    aw_hex_print(&aw_canpid_protocol, (struct aw_span){bytes, 1}, text);
    assert_string_equal(text, "FF"); /* too short for an identifier */
    assert_int_equal(aw_hex_parse(&aw_canpid_protocol, "123#45R", 4, bytes, 8, &size, NULL), AW_OK);
    assert_int_equal(size, 2); /* text beyond the length is not read */
    assert_int_equal(aw_hex_parse(&aw_canpid_protocol, "123#R", 4, bytes, 8, &size, NULL), AW_OK);
    assert_int_equal(parse(&aw_canpid_protocol, "41009A", NULL), AW_OK);
    assert_memory_equal(bytes, "\x41\x00\x9a", 3);
    assert_int_equal(parse(&aw_armctl_protocol, "1.2 3\t4", NULL), AW_MALFORMED);
    assert_int_equal(parse(&aw_armctl_protocol, "12.34 56\t78\r", NULL), AW_OK);
    assert_int_equal(size, 4);
}

static void assert_refused(const struct aw_protocol *protocol, const char *text, const char *part)
{
    struct aw_error err = {0};
    assert_error(parse(protocol, text, &err), AW_MALFORMED, &err, part);
}

TEST(invalid_hex_is_refused)
{
    char longer[140];
    assert_refused(&aw_armctl_protocol, "FF G0", "column 4: 'G' is not a hex digit");
    assert_refused(&aw_armctl_protocol, "FF 0",
                   "column 4: single hex digit — write two digits per byte");
    assert_refused(&aw_armctl_protocol, "F",
                   "column 1: single hex digit — write two digits per byte");
    assert_refused(&aw_armctl_protocol, "@0", "column 1: '@' is not a hex digit");
    assert_refused(&aw_armctl_protocol, "G0", "column 1: 'G' is not a hex digit");
    assert_refused(&aw_armctl_protocol, "g0", "column 1: 'g' is not a hex digit");
    assert_refused(&aw_armctl_protocol, "`0", "column 1: '`' is not a hex digit");
    assert_refused(&aw_armctl_protocol, "/0", "column 1: '/' is not a hex digit");
    assert_refused(&aw_armctl_protocol, ":0", "column 1: ':' is not a hex digit");
    assert_refused(&aw_armctl_protocol, "41#00", "column 3: '#' is not a hex digit");
    assert_refused(&aw_canpid_protocol, "800#00",
                   "id 800 has more than 11 bits — write 8 digits for a 29-bit id");
    assert_refused(&aw_canpid_protocol, "41#00",
                   "'41' is not an id — write three hex digits before #, or eight for 29 bits");
    assert_refused(&aw_canpid_protocol, "0X1#00", "column 2: 'X' is not a hex digit");
    assert_refused(&aw_canpid_protocol, "0041#00",
                   "'0041' is not an id — write three hex digits before #, or eight for 29 bits");
    assert_refused(
        &aw_canpid_protocol, "0123456789ABCDEF0#00",
        "'0123456789ABCDEF' is not an id — write three hex digits before #, or eight for 29 bits");
    assert_refused(&aw_canpid_protocol, "041#1",
                   "column 5: single hex digit — write two digits per byte");
    assert_refused(&aw_canpid_protocol, "041#1x",
                   "column 5: single hex digit — write two digits per byte");
    assert_refused(&aw_canpid_protocol, "041#x1", "column 5: 'x' is not a hex digit");
    assert_refused(&aw_canpid_protocol, "041#R",
                   "remote frames (#R) are not supported — give a data frame");
    assert_int_equal(parse(&aw_canpid_protocol, "041#0001020304050607", NULL), AW_OK);
    assert_refused(&aw_canpid_protocol, "041#000102030405060708",
                   "9 bytes of data do not fit a CAN frame (max 8) — give fewer bytes");
    assert_refused(&aw_canpid_protocol, "4100000102030405060708",
                   "9 bytes of data do not fit a CAN frame (max 8) — give fewer bytes");
    assert_int_equal(aw_hex_parse(&aw_armctl_protocol, "1234", 3, bytes, 8, &size, NULL),
                     AW_MALFORMED); /* text beyond the length is ignored */
    memset(longer, '0', sizeof longer);
    longer[130] = '\0';
    assert_refused(&aw_armctl_protocol, longer, "more than 64 bytes — give fewer bytes");
    longer[128] = '\0';
    assert_int_equal(parse(&aw_armctl_protocol, longer, NULL), AW_OK);
    assert_int_equal(size, 64);
}
