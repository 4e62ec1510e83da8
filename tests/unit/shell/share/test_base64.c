/* Base64: the examples of RFC 4648, and what is none. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "shell/share/base64.h"

static const struct {
    const char *bytes, *text;
} examples[] = {
    {"", ""},
    {"f", "Zg=="},
    {"fo", "Zm8="},
    {"foo", "Zm9v"},
    {"foob", "Zm9vYg=="},
    {"fooba", "Zm9vYmE="},
    {"foobar", "Zm9vYmFy"},
};

static void both_ways(void **state)
{
    (void)state;
    for (size_t i = 0; i < sizeof examples / sizeof *examples; i++) {
        size_t size = 99;
        char *text = aw_base64(examples[i].bytes, strlen(examples[i].bytes));
        uint8_t *bytes = aw_base64_decode(examples[i].text, strlen(examples[i].text), &size);
        assert_string_equal(text, examples[i].text);
        assert_int_equal(size, strlen(examples[i].bytes));
        assert_memory_equal(bytes, examples[i].bytes, size);
        free(text);
        free(bytes);
    }
}

/* What stands behind the bytes is not read. */
static void nothing_but_the_bytes(void **state)
{
    static const char *const texts[] = {"", "Zg==", "Zm8=", "Zm9v"};
    (void)state;
    for (size_t n = 0; n < 4; n++) {
        char bytes[] = "foo\xFF\xFF";
        memset(bytes + n, 0xFF, 3);
        char *text = aw_base64(bytes, n);
        assert_string_equal(text, texts[n]);
        free(text);
    }
}

static void every_value_of_six_bits(void **state)
{
    static const char letters[] =
        "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
    size_t size = 0;
    (void)state;
    uint8_t *bytes = aw_base64_decode(letters, 64, &size);
    assert_int_equal(size, 48);
    assert_int_equal(bytes[0], 0);
    assert_int_equal(bytes[1], 0x10);
    assert_int_equal(bytes[2], 0x83);
    assert_int_equal(bytes[47], 0xBF);
    char *text = aw_base64(bytes, size);
    assert_string_equal(text, letters);
    free(text);
    free(bytes);
}

static void what_is_none(void **state)
{
    static const char *const wrong[] = {
        "Z", "Zg", "Zg=", "Z===", "Zg==Zg==", "Zm9 ", "\xFFm9v", "Zm9vZ", "Zm==9vZg", "Zm9v===="};
    size_t size;
    (void)state;
    for (size_t i = 0; i < sizeof wrong / sizeof *wrong; i++)
        assert_null(aw_base64_decode(wrong[i], strlen(wrong[i]), &size));
    assert_null(aw_base64_decode("Zm\0v", 4, &size));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(both_ways),
        cmocka_unit_test(nothing_but_the_bytes),
        cmocka_unit_test(every_value_of_six_bits),
        cmocka_unit_test(what_is_none),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
