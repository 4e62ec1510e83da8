/* Tests hex digits: two per byte, read in either case. */
#include <ctype.h>

#include "base/hex.h"
#include "test.h"

TEST(hex_digit_matches_isxdigit_for_every_character)
{
    for (int c = 0; c < 256; c++) {
        const char text[] = {(char)c, '\0'};
        assert_int_equal(aw_hex_digit((char)c), isxdigit(c) ? strtol(text, NULL, 16) : -1);
    }
}

TEST(hex_bytes_are_printed)
{
    static const uint8_t bytes[] = {0x00, 0x9A, 0xFF, 0x0F};
    char text[9] = "";
    assert_ptr_equal(aw_print_hex_bytes(text, (struct aw_span){bytes, 4}), text + 8);
    assert_string_equal(text, "009AFF0F");
}
