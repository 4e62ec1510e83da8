/* Readiness and signs of life for systemd, by its documented datagrams. */
#include "shell/serve/systemd.h"

#include <grp.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/un.h>
#include <unistd.h>

#include "shell/serve/address.h"

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

/* Its folder is systemd's (RuntimeDirectory=), and is entered by the group of the unit. */
bool aw_systemd_shares(const char *path)
{
    const char *folder = getenv("RUNTIME_DIRECTORY");
    size_t length = folder ? strlen(folder) : 0;
    struct stat about;
    return length && strncmp(path, folder, length) == 0 && path[length] == '/' &&
           stat(folder, &about) == 0 && (about.st_mode & S_IXGRP);
}

/* Who runs it has no rights of its own: the device's group lets it in, and its members may use the
 * server. usual: of a device that is not there now. */
static void print_group(struct aw_session *session, const char *path, const char *usual)
{
    struct stat about;
    const struct group *group = path && stat(path, &about) == 0 ? getgrgid(about.st_gid) : NULL;
    aw_output_print(&session->out, "Group=%s\n", group && group->gr_gid ? group->gr_name : usual);
}

/* The one device of the link that the unit may open. */
static void print_device(struct aw_session *session, const char *url)
{
    const char *path = strstr(url, "/dev/");
    bool hid = strncmp(url, "hid:", 4) == 0;
    char copy[128] = "char-hidraw";
    if (path)
        snprintf(copy, sizeof copy, "%.*s", (int)strcspn(path, "?"), path);
    if (!path && !hid) {
        aw_output_print(&session->out, "PrivateDevices=yes\n");
        return;
    }
    aw_output_print(&session->out, "DevicePolicy=closed\nDeviceAllow=%s rw\n", copy);
    print_group(session, path ? copy : NULL, hid ? "plugdev" : "dialout");
}

/* As systemd.service(5) takes it apart: in quotes, with its own signs doubled. */
static void print_word(struct aw_session *session, const char *name, const char *text)
{
    aw_output_print(&session->out, " \"%s%s", name, *name && text ? "=" : "");
    for (; text && *text; text++)
        aw_output_print(&session->out, "%s%c",
                        *text == '%'                    ? "%"
                        : *text == '$'                  ? "$"
                        : *text == '"' || *text == '\\' ? "\\"
                                                        : "",
                        *text);
    aw_output_print(&session->out, "\"");
}

/* The command with the options that this one was given. */
static void print_command(struct aw_session *session, const char *program, const char *url)
{
    char listen[128];
    snprintf(listen, sizeof listen, "unix:" AW_SYSTEM_FOLDER "/%s.sock", session->tool->name);
    aw_output_print(&session->out, "ExecStart=%s serve", program);
    print_word(session, "--link", url);
    if (strcmp(aw_option(session, "listen"), "serve:") == 0)
        print_word(session, "--listen", listen);
    for (size_t i = 0; i < session->options.n; i++) {
        const struct aw_option_value *value = &session->options.values[i];
        const char *name = value->option->name;
        char dashed[64];
        if (!value->text || value->origin != AW_FROM_COMMAND_LINE || strcmp(name, "link") == 0 ||
            strcmp(name, "print-unit") == 0)
            continue;
        snprintf(dashed, sizeof dashed, "--%s", name);
        print_word(session, dashed, value->option->value ? value->text : NULL);
    }
    aw_output_print(&session->out, "\n");
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
                    "Type=notify\n",
                    name);
    print_command(session, *program ? program : name, url);
    aw_output_print(&session->out, "WatchdogSec=5\nRestart=on-failure\n"
                                   "KillMode=mixed\nSuccessExitStatus=143\nDynamicUser=yes\n"
                                   "RuntimeDirectory=armwire\nRuntimeDirectoryMode=0750\n");
    print_device(session, url);
    aw_output_print(&session->out, "ProtectSystem=strict\nProtectHome=yes\nNoNewPrivileges=yes\n\n"
                                   "[Install]\nWantedBy=multi-user.target\n");
    return AW_OK;
}
