/* Finds the user's folders for configuration, state, and sockets. */
#include "base/xdg.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#define ADVICE "set XDG_RUNTIME_DIR to a private directory"

static const struct {
    const char *variable, *home_folder;
} folders[] = {
    [AW_XDG_CONFIG] = {"XDG_CONFIG_HOME", ".config"},
    [AW_XDG_STATE] = {"XDG_STATE_HOME", ".local/state"},
};

static const char *get_absolute_path(const char *variable)
{
    const char *path = getenv(variable);
    return path && *path == '/' ? path : NULL;
}

bool aw_xdg_path(enum aw_xdg kind, const char *name, char *out, size_t size)
{
    const char *base = get_absolute_path(folders[kind].variable), *home = getenv("HOME");
    if (base)
        snprintf(out, size, "%s/armwire/%s", base, name);
    else if (home && *home)
        snprintf(out, size, "%s/%s/armwire/%s", home, folders[kind].home_folder, name);
    else
        *out = '\0';
    return *out != '\0';
}

/* Rejects a folder that another user owns or may write to: that user could replace our sockets. */
static enum aw_status check_private(const char *path, struct aw_error *err)
{
    struct stat info;
    if (lstat(path, &info) != 0 || !S_ISDIR(info.st_mode))
        return aw_fail(err, AW_NO_LINK, "%.100s: not a directory — " ADVICE, path);
    if (info.st_uid == geteuid() && (info.st_mode & 077) == 0)
        return AW_OK;
    return aw_fail(err, AW_NO_LINK, "%.100s: directory not private (owner %u, mode %03o) — " ADVICE,
                   path, (unsigned)info.st_uid, (unsigned)info.st_mode & 0777U);
}

enum aw_status aw_xdg_make_runtime(char *out, size_t size, struct aw_error *err)
{
    const char *base = get_absolute_path("XDG_RUNTIME_DIR");
    if (base) {
        snprintf(out, size, "%s/armwire", base);
        if (mkdir(out, 0700) == 0 || errno == EEXIST)
            return check_private(out, err);
    }
    const char *temporary = get_absolute_path("TMPDIR");
    snprintf(out, size, "%s/armwire-%u", temporary ? temporary : "/tmp", (unsigned)geteuid());
    if (mkdir(out, 0700) == 0 || errno == EEXIST)
        return check_private(out, err);
    return aw_fail(err, AW_NO_LINK, "%.100s: cannot create the directory: %s — " ADVICE, out,
                   strerror(errno));
}
