/* A small random number generator with reproducible sequences: splitmix64 (Steele, Lea, Flood 2014;
 * public domain constants). For fault.c and simulated devices. */
#ifndef AW_LINK_CORE_RANDOM_H
#define AW_LINK_CORE_RANDOM_H

#include <stdbool.h>
#include <stdint.h>

struct aw_random {
    uint64_t state; /* initially the seed */
};

static inline uint64_t aw_random_next(struct aw_random *random)
{
    uint64_t z = random->state += UINT64_C(0x9E3779B97F4A7C15);
    z = (z ^ (z >> 30)) * UINT64_C(0xBF58476D1CE4E5B9);
    z = (z ^ (z >> 27)) * UINT64_C(0x94D049BB133111EB);
    return z ^ (z >> 31);
}

/* Returns a random number from 0 to below 1. */
static inline double aw_random_share(struct aw_random *random)
{
    return (double)(aw_random_next(random) >> 11) * 0x1p-53;
}

/* Returns a random number from 0 to below n. n must be positive. */
static inline uint64_t aw_random_below(struct aw_random *random, uint64_t n)
{
    return aw_random_next(random) % n;
}

#endif
