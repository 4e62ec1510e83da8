/* The keys of a command that reads them (jog, teach), where it runs at a server: they are read at
 * the client's terminal, and come out of a terminal of the server's that stands for it. */
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/ready.h"
#include "shell/core/ask.h"
#include "shell/share/attached.h"
#include "shell/share/server.h"

/* ---- At the client -----------------------------------------------------------------------------
 */

static void pass(struct aw_aside *aside)
{
    struct aw_keys *keys = (struct aw_keys *)aside;
    char text[64];
    ssize_t n = aw_read_ready(STDIN_FILENO, text, sizeof text);
    if (n > 0)
        aw_attached_send(keys->attached, json_pack("{s:s#}", "keys", text, (int)n));
    else if (n == 0)
        aside->fd = -1;
}

bool aw_keys_begin(struct aw_keys *keys, struct aw_attached *attached)
{
    struct aw_session *session = attached->session;
    *keys = (struct aw_keys){.aside = {.fd = STDIN_FILENO, .due = AW_NEVER, .serve = pass},
                             .attached = attached};
    keys->on = session->args->command->keys && aw_terminal_keys(&keys->before);
    return keys->on;
}

/* Once the wait for the server itself needs no descriptor in front. */
void aw_keys_read(struct aw_keys *keys)
{
    if (keys->on)
        aw_aside_add(&keys->attached->session->real_clock.aside, &keys->aside);
}

void aw_keys_end(struct aw_keys *keys)
{
    if (!keys->on)
        return;
    aw_aside_remove(&keys->attached->session->real_clock.aside, &keys->aside);
    tcsetattr(STDIN_FILENO, TCSANOW, &keys->before);
}

/* ---- At the server -----------------------------------------------------------------------------
 */

static void read_from(int fd)
{
    if (fd >= 0)
        dup2(fd, STDIN_FILENO);
    if (fd > STDIN_FILENO)
        close(fd);
}

void aw_terminal_begin(struct aw_server *server)
{
    char name[64];
    struct termios quiet;
    int fd = posix_openpt(O_RDWR | O_NOCTTY | O_CLOEXEC | O_NONBLOCK);
    server->keys = fd;
    if (fd < 0 || grantpt(fd) != 0 || unlockpt(fd) != 0 || ptsname_r(fd, name, sizeof name) != 0)
        return;
    read_from(open(name, O_RDWR | O_NOCTTY | O_CLOEXEC));
    if (tcgetattr(STDIN_FILENO, &quiet) != 0)
        return;
    quiet.c_lflag &= ~(tcflag_t)(ECHO | ISIG); /* the client's terminal makes signals of keys */
    tcsetattr(STDIN_FILENO, TCSANOW, &quiet);
}

void aw_terminal_type(const struct aw_server *server, const char *text)
{
    /* Nobody waits for a terminal that is full: what was typed then is lost. */
    if (server->keys >= 0 && write(server->keys, text, strlen(text)) < 0)
        return;
}

void aw_terminal_end(struct aw_server *server)
{
    if (server->keys < 0)
        return;
    close(server->keys);
    server->keys = -1;
    read_from(open("/dev/null", O_RDONLY | O_CLOEXEC));
}
