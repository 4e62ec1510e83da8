/* What is allocated is freed: seen without the sanitizers too, where the C library can be asked. */
#ifndef AW_TESTS_HEAP_HELPER_H
#define AW_TESTS_HEAP_HELPER_H

#include <malloc.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

static inline size_t heap_used(void)
{
#if defined __GLIBC__ && __GLIBC_PREREQ(2, 33)
    struct mallinfo2 info = mallinfo2();
    return info.uordblks + info.hblkhd;
#else
    return 0;
#endif
}

/* The first time fills what malloc keeps at hand, which may change by a few bytes. */
static inline void expect_no_leak(void (*what)(void))
{
    what();
    size_t before = heap_used();
    what();
    assert_in_range(heap_used(), 0, before + 100);
}

#endif
