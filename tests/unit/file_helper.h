/* Simulates devices that this machine lacks: files below /sys and the devices named here come from
 * a temporary directory with the same layout.
 *
 * The functions replace those of the C library in this program and its libraries; other files are
 * unaffected. Only one source file of a program may include this header.
 *
 *     other_begin();
 *     other_file("/sys/class/net/can7/type", "280\n");
 *     other_device("/dev/ttyAW0", "/dev/pts/3"); // what opening it opens
 *     …
 *     other_end();
 */
#ifndef OTHER_FILES_H
#define OTHER_FILES_H

#include "link_helper.h"
#include "next_helper.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <sys/stat.h>

static char other_root[32];
/* Returns the result of open(2), or OTHER_OPEN to open the real file. */
enum { OTHER_OPEN = -2 };
static int (*other_open)(const char *path);
/* Another prefix to redirect, such as "/proc", or NULL. */
static const char *other_too;
/* Changes the result of stat(2) for a redirected file. */
static void (*other_stat)(struct stat *file);

static inline bool other_is(const char *path)
{
    static const char *const beginnings[] = {"/sys/", "/dev/uhid", "/dev/hidraw", "/dev/ttyAW",
                                             "/dev/serial"};
    bool is = *other_root && other_too && strncmp(path, other_too, strlen(other_too)) == 0;
    for (size_t i = 0; *other_root && i < sizeof beginnings / sizeof *beginnings; i++)
        is = is || strncmp(path, beginnings[i], strlen(beginnings[i])) == 0;
    return is;
}

/* Writes the redirected path to to. Returns path itself if it is not redirected. */
static inline const char *other_path(const char *path, char to[PATH_MAX])
{
    if (!other_is(path))
        return path;
    snprintf(to, PATH_MAX, "%s%s", other_root, path);
    return to;
}

char *realpath(const char *restrict path, char *restrict resolved)
{
    char to[PATH_MAX], *real = NEXT(realpath)(other_path(path, to), resolved);
    size_t root = strlen(other_root);
    if (real && root > 0 && strncmp(real, other_root, root) == 0)
        memmove(real, real + root, strlen(real + root) + 1);
    return real;
}

/* Replaces the function that libraries built with _FORTIFY_SOURCE call, as in Debian packages. */
char *__realpath_chk(const char *path, char *resolved, size_t room);
char *__realpath_chk(const char *path, char *resolved, size_t room)
{
    (void)room;
    return realpath(path, resolved);
}

/* Like other_path(), but resolves the redirected device. */
static inline const char *other_target(const char *path, char to[PATH_MAX])
{
    char real[PATH_MAX];
    if (other_is(path) && realpath(path, real)) {
        snprintf(to, PATH_MAX, "%s/devices/%s", other_root, strrchr(real, '/') + 1);
        if (NEXT(access)(to, F_OK) == 0)
            return to;
    }
    return other_path(path, to);
}

static inline int other_opened(const char *path, int flags, int mode)
{
    char to[PATH_MAX];
    int result = other_open ? other_open(path) : OTHER_OPEN;
    return result != OTHER_OPEN ? result : NEXT64(open)(other_target(path, to), flags, mode);
}

int open(const char *path, int flags, ...)
{
    va_list list;
    va_start(list, flags);
    int mode = flags & (O_CREAT | O_TMPFILE) ? va_arg(list, int) : 0;
    va_end(list);
    return other_opened(path, flags, mode);
}

/* Replaces the function that libraries without large file support call, like the other "plain_"
 * functions. */
int plain_open(const char *path, int flags, int mode) __asm__("open");
int plain_open(const char *path, int flags, int mode)
{
    return other_opened(path, flags, mode);
}

/* The C library's headers may redirect open(2) to this function; libserialport is built that
 * way. */
int __open_2(const char *path, int flags);
int __open_2(const char *path, int flags)
{
    return other_opened(path, flags, 0);
}

int __open64_2(const char *path, int flags) __attribute__((alias("__open_2")));

FILE *fopen(const char *restrict path, const char *restrict mode)
{
    char to[PATH_MAX];
    return NEXT64(fopen)(other_path(path, to), mode);
}

FILE *plain_fopen(const char *path, const char *mode) __asm__("fopen");
FILE *plain_fopen(const char *path, const char *mode)
{
    return fopen(path, mode);
}

DIR *opendir(const char *path)
{
    char to[PATH_MAX];
    return NEXT(opendir)(other_path(path, to));
}

int access(const char *path, int mode)
{
    char to[PATH_MAX];
    return NEXT(access)(other_path(path, to), mode);
}

ssize_t readlink(const char *restrict path, char *restrict out, size_t size)
{
    char to[PATH_MAX];
    return NEXT(readlink)(other_path(path, to), out, size);
}

int stat(const char *restrict path, struct stat *restrict file)
{
    char to[PATH_MAX];
    int result = NEXT64(stat)(other_target(path, to), file);
    if (result == 0 && other_stat && other_is(path))
        other_stat(file);
    return result;
}

int lstat(const char *restrict path, struct stat *restrict file)
{
    char to[PATH_MAX];
    return NEXT64(lstat)(other_path(path, to), file);
}

int plain_lstat(const char *path, struct stat *file) __asm__("lstat");
int plain_lstat(const char *path, struct stat *file)
{
    return lstat(path, file);
}

int __lxstat(int version, const char *path, struct stat *file);
int __lxstat(int version, const char *path, struct stat *file)
{
    (void)version;
    return lstat(path, file);
}

int __lxstat64(int version, const char *path, struct stat *file) __attribute__((alias("__lxstat")));

static inline void other_make_directories(const char *path)
{
    char part[PATH_MAX];
    for (const char *slash = strchr(path + 1, '/'); slash; slash = strchr(slash + 1, '/')) {
        snprintf(part, sizeof part, "%.*s", (int)(slash - path), path);
        assert_true(mkdir(part, 0700) == 0 || errno == EEXIST);
    }
}

/* Creates a file and its parent directories. */
static inline void other_file(const char *path, const char *text)
{
    char to[PATH_MAX];
    other_make_directories(other_path(path, to));
    FILE *file = NEXT64(fopen)(to, "w");
    assert_non_null(file);
    assert_true(fputs(text, file) >= 0);
    assert_int_equal(fclose(file), 0);
}

static inline void other_symlink(const char *path, const char *target)
{
    char to[PATH_MAX];
    other_make_directories(other_path(path, to));
    assert_int_equal(symlink(target, to), 0);
}

/* Creates the file of a device, and sets the file that opening it really opens. */
static inline void other_device(const char *path, const char *target)
{
    char to[PATH_MAX];
    other_file(path, "");
    snprintf(to, sizeof to, "%s/devices%s", other_root, strrchr(path, '/'));
    other_make_directories(to);
    assert_int_equal(symlink(target, to), 0);
}

static inline void other_remove(const char *path)
{
    char to[PATH_MAX], command[PATH_MAX + 16];
    assert_true(other_is(path));
    snprintf(command, sizeof command, "rm -rf '%s'", other_path(path, to));
    assert_int_equal(system(command), 0);
}

static inline int other_begin(void)
{
    strcpy(other_root, "/tmp/aw-other-XXXXXX");
    other_open = NULL;
    other_stat = NULL;
    other_too = NULL;
    return mkdtemp(other_root) ? 0 : -1;
}

static inline int other_end(void)
{
    char command[80];
    snprintf(command, sizeof command, "rm -rf '%s'", other_root);
    *other_root = '\0';
    return system(command);
}

#endif
