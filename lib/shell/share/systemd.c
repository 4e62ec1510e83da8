/* Readiness and signs of life for systemd, by its documented datagrams. */
#include "shell/share/systemd.h"

#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

void aw_systemd_tell(const char *text)
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

/* The one device of the link that the unit may open. */
static void print_device(struct aw_session *session, const char *url)
{
    const char *path = strstr(url, "/dev/");
    if (path)
        aw_output_print(&session->out, "DevicePolicy=closed\nDeviceAllow=%.*s rw\n",
                        (int)strcspn(path, "?"), path);
    else if (strncmp(url, "hid:", 4) == 0)
        aw_output_print(&session->out, "DevicePolicy=closed\nDeviceAllow=char-hidraw rw\n");
    else
        aw_output_print(&session->out, "PrivateDevices=yes\n");
}

enum aw_status aw_systemd_print_unit(struct aw_session *session)
{
    const char *url, *name = session->tool->name;
    char program[256];
    enum aw_status status = aw_session_url(session, &url);
    if (status != AW_OK)
        return status;
    ssize_t n = readlink("/proc/self/exe", program, sizeof program - 1);
    program[n > 0 ? n : 0] = '\0';
    aw_output_print(&session->out,
                    "[Unit]\nDescription=%s: one device, many programs\n\n[Service]\n"
                    "Type=notify\nExecStart=%s -l %s serve\nWatchdogSec=5\nRestart=on-failure\n"
                    "KillMode=mixed\nSuccessExitStatus=143\nDynamicUser=yes\n"
                    "RuntimeDirectory=armwire\nRuntimeDirectoryMode=0700\n"
                    "Environment=XDG_RUNTIME_DIR=/run\n",
                    name, *program ? program : name, url);
    print_device(session, url);
    aw_output_print(&session->out, "ProtectSystem=strict\nProtectHome=yes\nNoNewPrivileges=yes\n\n"
                                   "[Install]\nWantedBy=multi-user.target\n");
    return AW_OK;
}
