/* Checks that allocated memory is freed, also without sanitizers if the C library has
 * mallinfo2(). */
#ifndef AW_TESTS_HEAP_HELPER_H
#define AW_TESTS_HEAP_HELPER_H

#include <malloc.h>

#include "test.h"

static inline size_t heap_used(void)
{
#if defined __GLIBC__ && __GLIBC_PREREQ(2, 33)
    struct mallinfo2 info = mallinfo2();
    return info.uordblks + info.hblkhd;
#else
    return 0;
#endif
}

/* The first calls fill malloc's caches; only a leak grows with every call. */
static inline void expect_no_leak(void (*what)(void))
{
    size_t least = SIZE_MAX;
    for (int i = 0; i < 20; i++) {
        size_t before = heap_used();
        what();
        size_t after = heap_used(), more = after > before ? after - before : 0;
        least = more < least ? more : least;
    }
    assert_int_equal(least, 0);
}

#endif
