/* How much memory is in use, to see whether what has been taken is given back. */
#ifndef AW_TESTS_MEMORY_HELPER_H
#define AW_TESTS_MEMORY_HELPER_H

#include <malloc.h>
#include <stddef.h>

/* 0 where nobody counts: with another C library, and under the sanitizers, which look for leaks by
 * themselves. */
static inline size_t memory_in_use(void)
{
#if defined __GLIBC__ && __GLIBC_PREREQ(2, 33) && !defined __SANITIZE_ADDRESS__
    struct mallinfo2 now = mallinfo2();
    return now.uordblks + now.hblkhd;
#else
    return 0;
#endif
}

#endif
