/* CRC-32, against values that everybody has. */
#include "crc.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <string.h>

#include <cmocka.h>

static void known_sums(void **state)
{
    static struct aw_crc crc;
    char text[] = "The quick brown fox jumps over the lazy dog";
    (void)state;
    aw_crc_init(&crc);
    assert_int_equal(aw_crc32(&crc, 0, "", 0), 0);
    assert_int_equal(aw_crc32(&crc, 0, "123456789", 9), 0xCBF43926);
    assert_int_equal(aw_crc32(&crc, 0, text, strlen(text)), 0x414FA339);
    for (size_t i = 0; i <= strlen(text); i++) {
        uint32_t first = aw_crc32(&crc, 0, text, i);
        assert_int_equal(aw_crc32(&crc, first, text + i, strlen(text) - i), 0x414FA339);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(known_sums)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
