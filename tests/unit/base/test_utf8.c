
#include "base/utf8.h"
#include "test.h"

static const struct {
    const char *text;
    size_t size, length;
} texts[] = {
    {"", 0, 0},
    {"a", 1, 1},
    {"µs", 2, 2},
    {"⣀x", 3, 2},
    {"\xF0\x9F\xA6\xBE", 4, 1},
    {"\x1b[0m", 0, 4},
    {"\x7F", 0, 1},
    {"\xC2\x9B", 0, 2},     /* a control character, CSI */
    {"\xC0\x80", 0, 2},     /* overlong encoding */
    {"\xED\xA0\x80", 0, 3}, /* a surrogate */
    {"\xE2\x82", 0, 2},     /* cut off */
    {"\xF4\x90\x80\x80", 0, 4},
};

TEST(character_size_and_text_length_match_the_table)
{
    EACH (row, texts) {
        assert_int_equal(aw_utf8_size(row->text), row->size);
        assert_int_equal(aw_utf8_length(row->text), row->length);
    }
}

/* Returns the size by definition: shortest encoding, no surrogates and no control characters. The
 * half-width and special characters at the end of plane 0 are excluded, too. */
static size_t size_of(const unsigned char *b)
{
    static const unsigned long least[] = {0, 0x20, 0x80, 0x800, 0x10000};
    size_t n = b[0] < 0x80 ? 1 : b[0] < 0xC0 ? 0 : b[0] < 0xE0 ? 2 : b[0] < 0xF0 ? 3 : 4;
    unsigned long number = b[0] & (n == 1 ? 0x7Fu : 0x7Fu >> n);
    for (size_t i = 1; i < n; i++) {
        if ((b[i] & 0xC0) != 0x80)
            return 0;
        number = number << 6 | (b[i] & 0x3Fu);
    }
    bool control = number >= 0x7F && number < 0xA0, surrogate = number >> 11 == 0x1B;
    bool special = number >= 0xFFC0 && number < 0x10000;
    bool good = number >= least[n] && number < 0x110000 && !control && !surrogate && !special;
    return n > 0 && b[0] < 0xF8 && good ? n : 0;
}

TEST(size_matches_the_definition_of_utf8)
{
    static const unsigned char second[] = {0x7F, 0x80, 0x8F, 0x90, 0x9F, 0xA0, 0xBE, 0xBF, 0xC0},
                               later[] = {0x7F, 0x80, 0xBF, 0xC0};
    for (unsigned i = 0; i < 256 * sizeof second * 16; i++) {
        const unsigned char bytes[] = {(unsigned char)(i >> 4), second[(i >> 12) % sizeof second],
                                       later[i & 3], later[i >> 2 & 3], 0};
        if (aw_utf8_size((const char *)bytes) != size_of(bytes))
            fail_msg("%02X %02X %02X %02X", bytes[0], bytes[1], bytes[2], bytes[3]);
    }
}

TEST(invalid_bytes_become_question_marks)
{
    char text[] = "a\x1b[0m\nµ\xE2\x82";
    aw_utf8_clean(text);
    assert_string_equal(text, "a?[0m?µ??");
    char lines[] = "a\n\tb\r\x1b\xFF";
    aw_utf8_clean_lines(lines);
    assert_string_equal(lines, "a\n\tb???");
}

TEST(symbols_are_replaced_by_ascii)
{
    static const struct text_case rows[] = {
        {"", ""},
        {"plain", "plain"},
        {"not here — plug it in …", "not here - plug it in ..."},
        {"R-θ-H", "R-theta-H"},
        {"±2°, 3 µs × 4 ²·s", "+-2deg, 3 us x 4 2*s"},
        {"é█", "??"},
        {"a\xE2\x82", "a\xE2\x82"},
    };
    EACH (row, rows) {
        char text[64];
        snprintf(text, sizeof text, "%s", row->text);
        aw_utf8_to_ascii(text, sizeof text);
        assert_string_equal(text, row->expected);
    }
    char tight[4] = "θ"; /* truncates text that does not fit */
    aw_utf8_to_ascii(tight, sizeof tight);
    assert_string_equal(tight, "the");
    for (size_t size = 5; size < 12; size++) {
        char text[12], expected[12];
        memset(text, 'x', sizeof text);
        strcpy(text, "aθb");
        aw_utf8_to_ascii(text, size);
        snprintf(expected, size, "athetab");
        assert_string_equal(text, expected);
        for (size_t i = size; i < sizeof text; i++)
            assert_int_equal(text[i], 'x');
    }
}

TEST(byte_order_mark_is_skipped)
{
    assert_int_equal(aw_utf8_bom_size("\xEF\xBB\xBFx"), 3);
    assert_int_equal(aw_utf8_bom_size("\xEF\xBB"), 0);
    assert_int_equal(aw_utf8_bom_size(""), 0);
}

TEST(bytes_after_the_buffer_are_unchanged)
{
    char text[16] = "θ", behind[] = "x—";
    for (size_t size = 3; size <= 7; size++) {
        char wanted[8];
        snprintf(wanted, size < 6 ? size : 6, "theta");
        strcpy(text, "θ");
        strcpy(text + size, behind);
        aw_utf8_to_ascii(text, size);
        assert_string_equal(text, wanted);
        assert_string_equal(text + size, behind);
    }
}
