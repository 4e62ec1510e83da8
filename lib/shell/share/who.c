/* Who is at the other end, as the kernel knows it; and in words. */
#include "shell/share/who.h"

#include <pwd.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>
#include <sys/socket.h>

#include "base/utf8.h"

void aw_who_local(struct aw_who *who, int fd, const struct aw_who *known)
{
    struct ucred ids = {0};
    socklen_t size = sizeof ids;
    char path[40];
    getsockopt(fd, SOL_SOCKET, SO_PEERCRED, &ids, &size);
    who->pid = ids.pid;
    who->uid = ids.uid;
    snprintf(path, sizeof path, "/proc/%d/comm", (int)ids.pid);
    FILE *file = fopen(path, "re");
    if (!file || !fgets(who->program, sizeof who->program, file))
        snprintf(who->program, sizeof who->program, "a program");
    if (file)
        fclose(file);
    who->program[strcspn(who->program, "\n")] = '\0';
    aw_utf8_clean_lines(who->program);
    bool same = known && known->uid == ids.uid && *known->user;
    const struct passwd *user = same ? NULL : getpwuid(ids.uid);
    if (same)
        memcpy(who->user, known->user, sizeof who->user);
    else if (user)
        snprintf(who->user, sizeof who->user, "%s", user->pw_name);
    else
        snprintf(who->user, sizeof who->user, "uid %u", ids.uid);
    aw_utf8_clean_lines(who->user);
}

json_t *aw_who_json(const struct aw_who *who)
{
    return json_pack("{s:s,s:i,s:s}", "program", who->program, "pid", (int)who->pid, "user",
                     who->user);
}

void aw_who_words(const json_t *who, char *out, size_t size)
{
    const char *program = "?", *user = "?";
    double commands = 0, idle = 0;
    int pid = 0;
    json_unpack((json_t *)who, "{s:s,s:i,s:s,s:F,s:F}", "program", &program, "pid", &pid, "user",
                &user, "for_s", &commands, "idle_s", &idle);
    int used =
        snprintf(out, size, "%.40s (pid %d, %.40s) for %.1f s", program, pid, user, commands);
    if (idle > 0)
        snprintf(out + used, size - (size_t)used, ", idle for %.1f s", idle);
}
