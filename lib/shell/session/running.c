/* Finds a simulator at its default address: a socket with a listener, or the symlink of a
 * pseudo-terminal whose creator is running. */
#include "shell/session/session.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/un.h>
#include <unistd.h>

#include "base/xdg.h"
#include "link/core/owner.h"

/* Connects as a stream: a datagram listener fails with EPROTOTYPE and receives nothing. */
static bool is_listening(const char *path)
{
    struct sockaddr_un address = {.sun_family = AF_UNIX};
    struct stat file;
    if (stat(path, &file) != 0 || !S_ISSOCK(file.st_mode) ||
        strlen(path) >= sizeof address.sun_path)
        return false;
    strcpy(address.sun_path, path);
    int fd = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);
    bool is_found = fd >= 0 && (connect(fd, (struct sockaddr *)&address, sizeof address) == 0 ||
                                errno == EPROTOTYPE);
    if (fd >= 0)
        close(fd);
    return is_found;
}

static bool is_linked(const char *path)
{
    struct stat file;
    return stat(path, &file) == 0 && aw_owner_check(path, NULL) == AW_OK;
}

static const char *get_default_url(const struct aw_session *session)
{
    const struct aw_command *sim = aw_find_command(session->tool, "sim");
    for (const struct aw_option *o = sim ? sim->options : NULL; o && o->name; o++)
        if (strcmp(o->name, "listen") == 0)
            return o->fallback;
    return NULL;
}

bool aw_find_running_sim(const struct aw_session *session, char *out, size_t size)
{
    char folder[256], path[320];
    struct aw_error ignored;
    const char *url = get_default_url(session), *at = url ? strstr(url, AW_XDG_RUNTIME "/") : NULL;
    if (!at || aw_xdg_make_runtime(folder, sizeof folder, &ignored) != AW_OK)
        return false;
    snprintf(path, sizeof path, "%s%s", folder, at + strlen(AW_XDG_RUNTIME));
    bool is_slcan = strncmp(url, "slcan:", 6) == 0;
    bool is_socket = strstr(url, "unix-listen:") != NULL;
    snprintf(out, size, "%s%s%s", is_slcan ? "slcan:" : "", is_socket ? "unix:" : "", path);
    return is_socket ? is_listening(path) : is_linked(path);
}
