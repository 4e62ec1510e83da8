/* A part of every unit test: one that ends with a file open that was not open before has failed.
 * What catches signals stays as in the programs, and so do umockdev's own sockets.
 */
#include <dirent.h>
#include <limits.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define MOST     1024
#define TRIES    200 /* 2 s for threads that close what is theirs */
#define AGAIN_US 10000

static pid_t us;
static bool before[MOST];
static int left;
static char name_left[PATH_MAX];

static void look_at_all(void (*look)(int fd))
{
    DIR *all = opendir("/proc/self/fd");
    for (const struct dirent *entry; all && (entry = readdir(all));) {
        int fd = (int)strtol(entry->d_name, NULL, 10);
        if (entry->d_name[0] != '.' && fd != dirfd(all) && fd < MOST)
            look(fd);
    }
    if (all)
        closedir(all);
}

static void note(int fd)
{
    before[fd] = true;
}

static void compare(int fd)
{
    static const char *const kept[] = {"[signalfd]", "[eventfd]", "[pidfd]"};
    char path[32], name[PATH_MAX];
    snprintf(path, sizeof path, "/proc/self/fd/%d", fd);
    ssize_t n = before[fd] ? 0 : readlink(path, name, sizeof name - 1);
    bool counts = n > 0 && !(getenv("UMOCKDEV_DIR") && strncmp(name, "socket:", 7) == 0);
    name[n > 0 ? n : 0] = '\0';
    for (size_t i = 0; i < sizeof kept / sizeof *kept; i++)
        counts = counts && !strstr(name, kept[i]);
    if (counts && left++ == 0)
        memcpy(name_left, name, sizeof name);
}

__attribute__((constructor)) static void begin(void)
{
    us = getpid();
    look_at_all(note);
}

/* Not in children that a test has forked. */
__attribute__((destructor)) static void end(void)
{
    for (int i = 0; i < TRIES && getpid() == us; i++, usleep(AGAIN_US)) {
        left = 0;
        look_at_all(compare);
        if (left == 0)
            return;
    }
    if (left > 0) {
        fprintf(stderr, "%d left open: %s\n", left, name_left);
        _exit(1);
    }
}
