#include "base/hex.h"

#include "picture_helper.h"
#include "protocol/armctl/wire.h"
#include "protocol/canpid/wire.h"
#include "wire/hex.h"

static uint8_t bytes[64];
static size_t size;
static struct aw_error err;

static enum aw_status parse(const struct aw_protocol *protocol, const char *text, size_t length)
{
    return aw_hex_parse(protocol, text, length, bytes, sizeof bytes, &size, &err);
}

/* Prints the bytes of a text and their text again, or the error. */
static void print_case(const char *input, size_t i, FILE *out)
{
    bool can = strncmp(input, "can ", 4) == 0;
    const struct aw_protocol *protocol = can ? &aw_canpid_protocol : &aw_armctl_protocol;
    char text[140], hex[AW_HEX_SIZE(64)], plain[2 * 64 + 1] = "";
    (void)i;
    unescape(strchr(input, ' ') + 1, text);
    if (parse(protocol, text, strlen(text)) != AW_OK) {
        assert_int_equal(err.status, AW_MALFORMED);
        fprintf(out, "%s\n", err.text);
        return;
    }
    struct aw_span span = {bytes, size};
    size_t length = aw_hex_print(protocol, span, hex);
    assert_int_equal(length, strlen(hex));
    *aw_print_hex_bytes(plain, span) = '\0';
    fprintf(out, "%s = %s\n", plain, hex);
}

TEST(parsed_hex_matches_the_golden_file)
{
    expect_text_cases("hex.txt", print_case);
}

TEST(bytes_round_trip_through_hex)
{
    uint8_t all[64];
    char text[AW_HEX_SIZE(64)];
    for (unsigned from = 0; from < 256; from += 64) {
        for (unsigned i = 0; i < 64; i++)
            all[i] = (uint8_t)(from + i);
        size_t length = aw_hex_print(&aw_armctl_protocol, (struct aw_span){all, 64}, text);
        assert_int_equal(length, 64 * 3 - 1);
        assert_int_equal(parse(&aw_armctl_protocol, text, length), AW_OK);
        assert_int_equal(size, 64);
        assert_memory_equal(bytes, all, 64);
    }
    aw_hex_print(&aw_canpid_protocol, (struct aw_span){(const uint8_t *)"\xFF", 1}, text);
    assert_string_equal(text, "FF"); /* too short for an identifier */
}

TEST(text_beyond_its_length_is_not_read)
{
    char longer[130];
    assert_int_equal(parse(&aw_canpid_protocol, "123#45R", 4), AW_OK);
    assert_int_equal(size, 2);
    assert_int_equal(parse(&aw_canpid_protocol, "123#R", 4), AW_OK);
    assert_int_equal(parse(&aw_armctl_protocol, "1234", 3), AW_MALFORMED);
    memset(longer, '0', sizeof longer);
    assert_error(parse(&aw_armctl_protocol, longer, 130), AW_MALFORMED, &err,
                 "more than 64 bytes — give fewer bytes");
    assert_int_equal(parse(&aw_armctl_protocol, longer, 128), AW_OK);
    assert_int_equal(size, 64);
}
