/* Reports readiness and signs of life to systemd, by its documented datagrams. */
#include "shell/serve/systemd.h"

#include <stddef.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/un.h>
#include <unistd.h>

#include "base/clock.h"

void aw_systemd_notify(const char *text)
{
    const char *path = getenv("NOTIFY_SOCKET");
    struct sockaddr_un name = {.sun_family = AF_UNIX};
    if (!path || (*path != '/' && *path != '@') || strlen(path) >= sizeof name.sun_path)
        return;
    memcpy(name.sun_path, path, strlen(path));
    socklen_t size = (socklen_t)(offsetof(struct sockaddr_un, sun_path) + strlen(path));
    if (*path == '@')
        name.sun_path[0] = '\0';
    int fd = socket(AF_UNIX, SOCK_DGRAM | SOCK_CLOEXEC, 0);
    if (fd < 0)
        return;
    sendto(fd, text, strlen(text), MSG_NOSIGNAL | MSG_DONTWAIT, (struct sockaddr *)&name, size);
    close(fd);
}

int64_t aw_systemd_watchdog_ns(void)
{
    const char *text = getenv("WATCHDOG_USEC"), *pid = getenv("WATCHDOG_PID");
    if (!text || (pid && atoll(pid) != getpid()))
        return 0;
    return atoll(text) * AW_MICROSECOND / 2;
}

/* Returns true if the folder belongs to systemd (RuntimeDirectory=) and the unit's group may enter
 * it. */
bool aw_systemd_shares(const char *path)
{
    const char *folder = getenv("RUNTIME_DIRECTORY");
    size_t length = folder ? strlen(folder) : 0;
    struct stat about;
    return length && strncmp(path, folder, length) == 0 && path[length] == '/' &&
           stat(folder, &about) == 0 && (about.st_mode & S_IXGRP);
}
