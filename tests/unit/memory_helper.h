/* Measures the memory in use, to find leaks. */
#ifndef AW_TESTS_MEMORY_HELPER_H
#define AW_TESTS_MEMORY_HELPER_H

#include <malloc.h>
#include <stddef.h>

/* Returns 0 if the C library cannot count, and with sanitizers, which detect leaks themselves. */
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
