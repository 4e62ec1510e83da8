#include "base/file.h"

#include <errno.h>
#include <limits.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

static const struct {
    int number;
    enum aw_status status;
    const char *advice;
} kinds[] = {
    {ENOENT, AW_USAGE, "check the name"},
    {ENOTDIR, AW_USAGE, "check the name"},
    {EISDIR, AW_USAGE, "name a file in it"},
    {EACCES, AW_USAGE, "choose another place, or have it permitted"},
    {EPERM, AW_USAGE, "choose another place, or have it permitted"},
    {EROFS, AW_USAGE, "choose another place"},
    {ENOSPC, AW_LOST, "free some space or write elsewhere"},
    {EDQUOT, AW_LOST, "free some space or write elsewhere"},
    {EIO, AW_LOST, "check the disk"},
};

enum aw_status aw_file_fail(struct aw_error *err, const char *what, const char *path)
{
    int number = errno;
    size_t i = 0, n = sizeof kinds / sizeof *kinds;
    while (i < n && kinds[i].number != number)
        i++;
    return aw_fail(err, i < n ? kinds[i].status : AW_USAGE, "%s%s%.200s: %s — %s", what ? what : "",
                   what ? ": " : "", path, strerror(number),
                   i < n ? kinds[i].advice : "check the file");
}

static enum aw_status check_folder(const char *path, struct aw_error *err)
{
    char folder[PATH_MAX];
    const char *slash = strrchr(path, '/');
    int length = slash ? (int)(slash - path) : 0;
    snprintf(folder, sizeof folder, "%.*s", length, path);
    const char *name = !slash ? "." : length ? folder : "/";
    return access(name, W_OK | X_OK) == 0 ? AW_OK : aw_file_fail(err, NULL, path);
}

enum aw_status aw_file_check(const char *path, struct aw_error *err)
{
    struct stat about;
    if (stat(path, &about) != 0)
        return errno == ENOENT ? check_folder(path, err) : aw_file_fail(err, NULL, path);
    if (S_ISDIR(about.st_mode)) {
        errno = EISDIR;
        return aw_file_fail(err, NULL, path);
    }
    return access(path, W_OK) == 0 ? AW_OK : aw_file_fail(err, NULL, path);
}

enum aw_status aw_file_write(const char *path, const void *bytes, size_t size, struct aw_error *err)
{
    FILE *file = fopen(path, "we");
    if (!file)
        return aw_file_fail(err, NULL, path);
    bool short_of = fwrite(bytes, 1, size, file) != size;
    int error = errno;
    if (fclose(file) == 0 && !short_of)
        return AW_OK;
    if (short_of)
        errno = error;
    return aw_file_fail(err, NULL, path);
}
