/* Compares reading and writing bits at every position and width with a simple implementation. */
#include "test.h"
#include "wire/run.h"

#define PATTERN UINT64_C(0x9D3A5CE1B7428F06)

static unsigned bit_at(const uint8_t *data, unsigned bit)
{
    return (unsigned)data[bit / 8] >> bit % 8 & 1u;
}

TEST(bits_round_trip_at_every_position_and_width)
{
    for (unsigned start = 0; start < 20; start++)
        for (unsigned count = 1; count <= 64; count++)
            for (unsigned fill = 0; fill < 256; fill += 255) {
                uint8_t data[12];
                memset(data, (int)fill, sizeof data);
                aw_bits_put(data, start, count, false, PATTERN);
                for (unsigned bit = 0; bit < 8 * sizeof data; bit++) {
                    bool inside = bit >= start && bit < start + count;
                    unsigned expected =
                        inside ? (unsigned)(PATTERN >> (bit - start)) & 1u : fill & 1u;
                    if (bit_at(data, bit) != expected)
                        fail_msg("%u bits from %u: bit %u", count, start, bit);
                }
                uint64_t mask = count < 64 ? (UINT64_C(1) << count) - 1 : UINT64_MAX;
                assert_true(aw_bits_get(data, start, count, false) == (PATTERN & mask));
            }
}

/* Only whole bytes may start with the most significant one. */
TEST(whole_bytes_may_be_big_endian)
{
    for (unsigned n = 1; n <= 8; n++) {
        uint8_t data[10] = {0};
        aw_bits_put(data, 8, 8 * n, true, PATTERN);
        assert_int_equal(data[0], 0);
        for (unsigned i = 0; i < n; i++)
            assert_int_equal(data[1 + i], (uint8_t)(PATTERN >> 8 * (n - 1 - i)));
        assert_int_equal(data[n + 1], 0);
        uint64_t mask = n < 8 ? (UINT64_C(1) << 8 * n) - 1 : UINT64_MAX;
        assert_true(aw_bits_get(data, 8, 8 * n, true) == (PATTERN & mask));
    }
    uint8_t data[2] = {0};
    aw_bits_put(data, 0, 12, true, 0xABC);
    assert_memory_equal(data, "\xBC\x0A", 2);
    assert_int_equal(aw_bits_get(data, 4, 8, true), 0xAB);
}
