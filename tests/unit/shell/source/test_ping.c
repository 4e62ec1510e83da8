/* Tests how ping counts losses of periodic messages. */
#include <math.h>

#include "shell/source/ping.h"
#include "test.h"

TEST(gaps_count_as_lost_messages)
{
    static const struct {
        double intervals[12];
        double usual;
        uint64_t missing;
    } rows[] = {
        {{0}, 10, 0},
        {{10, 9.9, 14.9, 15.1, 20, 31, 10, 10, 10, 10, 10}, 10, 1 + 1 + 2},
        {{10, 20}, 0, 0},
        {{40, 0.1, 0.1, 0.1, 40, 0.1, 0.1, 0.1, 10}, 10, 0}, /* late, then several at once */
        {{40, 0.1, 0.1, 40, 4, 10, 0.1, 0.1, 10, 10, 10, 10}, 10, 1}, /* 8 in the time of 9 */
        /* A message never arrives early: one that seems early follows a late one. */
        {{16, 4, 20, 10, 4, 4}, 10, 0},
        {{15, 5, 10, 18, 7, 5, 15, 5, 10}, 10, 0},
    };
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        struct aw_samples samples = {0};
        for (size_t k = 0; k < 12 && rows[i].intervals[k] > 0; k++)
            aw_samples_add(&samples, rows[i].intervals[k]);
        if (aw_ping_count_missing(&samples, rows[i].usual) != rows[i].missing)
            fail_msg("row %zu: %d", i, (int)aw_ping_count_missing(&samples, rows[i].usual));
        aw_samples_free(&samples);
    }
}

/* A driver sends 9,010 frames. Each is up to 8 ms late, or an adapter delivers blocks every 16
 * ms. In half of the runs, 1 in 50 is lost. The assumed interval is off by up to 0.02 ms. */
TEST(late_messages_do_not_count_as_lost)
{
    for (int kind = 0; kind < 4; kind++)
        for (int off = -2; off <= 2; off++) {
            struct aw_samples samples = {0};
            unsigned random = 1;
            double last = 0;
            uint64_t lost = 0;
            for (int i = 1; i <= 9010; i++) {
                random = random * 1664525 + 1013904223;
                bool blocks = kind % 2;
                double at =
                    blocks ? 16 * ceil(i * 10 / 16.0) : i * 10 + 8.0 * (random >> 8) / (1 << 24);
                if (kind >= 2 && i % 50 == 7) {
                    lost++;
                    continue;
                }
                aw_samples_add(&samples, at - last);
                last = at;
            }
            uint64_t told = aw_ping_count_missing(&samples, 10 + 0.01 * off);
            if (told + 2 + lost / 50 < lost || told > lost + 2)
                fail_msg("kind %d, off by %d: %d, not %d", kind, off, (int)told, (int)lost);
            aw_samples_free(&samples);
        }
}
