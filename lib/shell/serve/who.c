/* Identifies the process at the other end of a socket, using the kernel's data, and formats its
 * name. */
#include "shell/serve/who.h"

#include <errno.h>
#include <poll.h>
#include <pwd.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/stat.h>

#include "base/utf8.h"

#define LOOK_NS AW_SECOND

void aw_peer_identify(struct aw_peer_info *who, int fd, const struct aw_peer_info *known)
{
    struct ucred ids = {0};
    socklen_t size = sizeof ids;
    char path[40];
    getsockopt(fd, SOL_SOCKET, SO_PEERCRED, &ids, &size);
    who->pid = ids.pid;
    who->uid = ids.uid;
    snprintf(path, sizeof path, "/proc/%d/comm", (int)ids.pid);
    FILE *file = fopen(path, "re");
    if (!file || fscanf(file, "%31[^\n]", who->program) != 1)
        snprintf(who->program, sizeof who->program, "a program");
    if (file)
        fclose(file);
    aw_utf8_clean(who->program);
    bool same = known && known->uid == ids.uid && *known->user;
    const struct passwd *user = same ? NULL : getpwuid(ids.uid);
    if (same)
        memcpy(who->user, known->user, sizeof who->user);
    else if (user)
        snprintf(who->user, sizeof who->user, "%s", user->pw_name);
    else
        snprintf(who->user, sizeof who->user, "uid %u", ids.uid);
    aw_utf8_clean(who->user);
    snprintf(who->text, sizeof who->text, "%s (pid %d, %s)", who->program, (int)who->pid,
             who->user);
}

void aw_commander_write_text(const struct aw_commander *commander, char *out)
{
    int used = sprintf(out, "%s for %.1f s", commander->who.text, commander->for_s);
    if (commander->idle_s > 0)
        sprintf(out + used, ", idle for %.1f s", commander->idle_s);
}

void aw_commander_write_json(const struct aw_commander *commander, char *out)
{
    char *p = out + sprintf(out, "{\"program\":");
    p = aw_write_json_string(p, commander->who.program, sizeof commander->who.program);
    p += sprintf(p, ",\"pid\":%d,\"user\":", (int)commander->who.pid);
    p = aw_write_json_string(p, commander->who.user, sizeof commander->who.user);
    sprintf(p, ",\"for_s\":%.1f,\"idle_s\":%.1f}", commander->for_s, commander->idle_s);
    if (!commander->who.pid)
        strcpy(out, "null");
}

/* ---- The first message of a server ---- */

static void clean_text(char *text, size_t room)
{
    text[room - 1] = '\0';
    aw_utf8_clean(text);
}

void aw_hello_read(const struct aw_serve_message *m, struct aw_hello *hello)
{
    struct aw_peer_info *who = &hello->commander.who;
    memcpy(hello, m->body.data, m->body.size < sizeof *hello ? m->body.size : sizeof *hello);
    clean_text(hello->version, sizeof hello->version);
    clean_text(hello->tool, sizeof hello->tool);
    clean_text(hello->url, sizeof hello->url);
    clean_text(hello->key, sizeof hello->key);
    clean_text(who->program, sizeof who->program);
    clean_text(who->user, sizeof who->user);
    clean_text(who->text, sizeof who->text);
    if (hello->memory_size > sizeof hello->memory)
        hello->memory_size = 0;
}

/* Reports errno after a failed connect, with its remedy. */
static enum aw_status fail_to_connect(const char *path, struct aw_error *err)
{
    int error = errno;
    struct stat file;
    if ((error == EACCES || error == EPERM) && stat(path, &file) == 0) {
        const struct passwd *owner = getpwuid(file.st_uid);
        return aw_fail(err, AW_NO_LINK,
                       "serve:%s: permission denied (owner %s, mode %03o) — ask the owner to run: "
                       "chgrp GROUP %s; chmod 660 %s",
                       path, owner ? owner->pw_name : "unknown", file.st_mode & 0777, path, path);
    }
    if (error == EACCES || error == EPERM)
        return aw_fail(err, AW_NO_LINK,
                       "serve:%s: permission denied — check the owner and mode of its folder",
                       path);
    bool none = error == ENOENT || error == ECONNREFUSED;
    return aw_fail(err, AW_NO_LINK, "serve:%s: %s — %s", path, strerror(error),
                   none ? "check that 'serve' is running" : "check the path of the socket");
}

enum aw_status aw_hello_open(struct aw_session *session, const struct aw_address *address,
                             int64_t wait_ns, struct aw_conn *conn, struct aw_hello *hello,
                             struct aw_error *err)
{
    struct aw_clock *clock = &session->time.real.base;
    int64_t deadline = aw_clock_now(clock) + wait_ns;
    struct aw_serve_message m;
    enum aw_serve_type type;
    enum aw_status status = AW_OK;
    aw_conn_init(conn, aw_address_open(address, false));
    *hello = (struct aw_hello){.tool = ""};
    if (conn->fd < 0) {
        int error = errno; /* for the callers of aw_hello_query */
        fail_to_connect(address->path, err);
        errno = error;
        return AW_NO_LINK;
    }
    while (!(type = aw_conn_next(conn, &m)) && !conn->disconnected &&
           (status = aw_clock_wait(clock, conn->fd, POLLIN, deadline)) == AW_OK &&
           aw_conn_fill(conn))
        ;
    if (type == AW_HELLO)
        aw_hello_read(&m, hello);
    return status == AW_STOPPED ? status : AW_OK;
}

bool aw_hello_query(struct aw_session *session, const struct aw_address *address,
                    struct aw_peer_info *who, struct aw_hello *hello, struct aw_error *err)
{
    struct aw_conn conn;
    if (aw_hello_open(session, address, LOOK_NS, &conn, hello, err) == AW_NO_LINK)
        return false;
    if (who)
        aw_peer_identify(who, conn.fd, NULL);
    aw_conn_free(&conn);
    return true;
}
