/* Shared by the benchmarks: a fatal error function and clocks. */
#ifndef TESTS_BENCH_BENCH_H
#define TESTS_BENCH_BENCH_H

#include <errno.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

static inline void must(bool holds, const char *what)
{
    if (holds)
        return;
    fprintf(stderr, "%s: %s\n", program_invocation_short_name, what);
    exit(1);
}

/* Returns the seconds of CLOCK_MONOTONIC, or of CLOCK_PROCESS_CPUTIME_ID. */
static inline double now(clockid_t clock)
{
    struct timespec ts;
    clock_gettime(clock, &ts);
    return (double)ts.tv_sec + (double)ts.tv_nsec * 1e-9;
}

#endif
