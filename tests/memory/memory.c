/* LD_PRELOAD library that makes allocation number MEMORY_FAILS of the process fail; with
 * MEMORY_FAILS_ON, all later ones fail, too. Counts only the program's own allocations and
 * writes the count to the file MEMORY_COUNT. Does not affect child processes. */
#include <errno.h>
#include <fcntl.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

void *__libc_malloc(size_t size);
void *__libc_calloc(size_t n, size_t size);
void *__libc_realloc(void *old, size_t size);
void __libc_free(void *block);

static atomic_long count, from, live;
static bool on;

__attribute__((constructor)) static void begin(void)
{
    const char *number = getenv("MEMORY_FAILS");
    on = getenv("MEMORY_FAILS_ON") != NULL;
    tzset(); /* the C library's allocation of the time zone is not counted */
    count = live = 0;
    from = number ? atol(number) : 0;
    unsetenv("LD_PRELOAD");
}

__attribute__((destructor)) static void end(void)
{
    const char *path = getenv("MEMORY_COUNT");
    char text[32];
    int length = snprintf(text, sizeof text, "%ld %ld\n", (long)count, (long)live);
    int fd = path ? open(path, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0666) : -1;
    if (fd >= 0 && write(fd, text, (size_t)length) == length)
        close(fd);
}

static bool fails(void)
{
    long number = ++count;
    bool failed = from > 0 && (number == from || (on && number > from));
    if (failed)
        errno = ENOMEM;
    return failed;
}

static void *counted(void *block)
{
    live += block != NULL;
    return block;
}

void *malloc(size_t size)
{
    return fails() ? NULL : counted(__libc_malloc(size));
}

void *calloc(size_t n, size_t size)
{
    return fails() ? NULL : counted(__libc_calloc(n, size));
}

void *realloc(void *old, size_t size)
{
    if (fails())
        return NULL;
    return old ? __libc_realloc(old, size) : counted(__libc_realloc(old, size));
}

void free(void *block)
{
    live -= block != NULL;
    __libc_free(block);
}

char *strdup(const char *text)
{
    size_t size = strlen(text) + 1;
    char *copy = malloc(size);
    return copy ? memcpy(copy, text, size) : NULL;
}
