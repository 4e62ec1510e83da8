/* Pipes the output of a command into a pager. */
#include "shell/help/pager.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

/* Uses a shell, because $PAGER may have arguments. Falls back to cat if less is not installed. */
static void become_pager(int from)
{
    const char *pager = getenv("PAGER");
    dup2(from, STDIN_FILENO);
    signal(SIGPIPE, SIG_DFL);
    setenv("LESS", "FRX", 0);
    if (!pager || !*pager)
        pager = "command -v less >/dev/null && exec less || exec cat";
    execl("/bin/sh", "sh", "-c", pager, (char *)NULL);
    _exit(127);
}

static bool is_wanted(struct aw_session *session)
{
    const char *term = getenv("TERM");
    return !session->mode.interactive && !session->out.sink && !session->options.print.quiet &&
           term && strcmp(term, "dumb") != 0 && isatty(session->out.fd) && isatty(STDIN_FILENO);
}

struct aw_pager aw_pager_open(struct aw_session *session)
{
    struct aw_pager pager = {.fd = -1, .pid = -1};
    int ends[2];
    if (!is_wanted(session) || aw_output_flush(&session->out, NULL) != AW_OK ||
        pipe2(ends, O_CLOEXEC) != 0)
        return pager;
    pager.pid = fork();
    if (pager.pid == 0)
        become_pager(ends[0]);
    close(ends[0]);
    if (pager.pid < 0) {
        close(ends[1]);
        return pager;
    }
    pager.fd = session->out.fd;
    pager.interrupt = signal(SIGINT, SIG_IGN); /* only the pager handles SIGINT */
    session->out.fd = ends[1];
    return pager;
}

void aw_pager_close(struct aw_session *session, struct aw_pager *pager)
{
    if (pager->fd < 0)
        return;
    aw_output_flush(&session->out, NULL);
    close(session->out.fd);
    session->out.fd = pager->fd;
    if (session->out.error == EPIPE) {
        session->out.error = 0;
        session->out.used = 0;
    }
    while (waitpid(pager->pid, NULL, 0) < 0 && errno == EINTR)
        ;
    signal(SIGINT, pager->interrupt);
    pager->fd = -1;
}
