/* Counts and limits the descriptors of a test program. */
#ifndef AW_TESTS_DESCRIPTORS_HELPER_H
#define AW_TESTS_DESCRIPTORS_HELPER_H

#include <fcntl.h>
#include <sys/resource.h>
#include <unistd.h>

#include "test.h"

/* Returns the number of open descriptors below 256, more than any test program opens. */
static inline unsigned open_descriptors(void)
{
    unsigned n = 0;
    for (int fd = 0; fd < 256; fd++)
        n += fcntl(fd, F_GETFD) >= 0;
    return n;
}

static inline int lowest_free_descriptor(void)
{
    int fd = dup(0);
    close(fd);
    return fd;
}

/* Sets the limit and returns the previous one. */
static inline rlim_t limit_descriptors(rlim_t most)
{
    struct rlimit limit;
    assert_int_equal(getrlimit(RLIMIT_NOFILE, &limit), 0);
    rlim_t before = limit.rlim_cur;
    limit.rlim_cur = most;
    assert_int_equal(setrlimit(RLIMIT_NOFILE, &limit), 0);
    return before;
}

#endif
