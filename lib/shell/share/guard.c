/* A child that holds the link of a server: when the server is killed, it sends the stop that was
 * made ready last. */
#include <errno.h>
#include <fcntl.h>
#include <sched.h>
#include <signal.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include "shell/core/crash.h"
#include "shell/share/server.h"

static void keep_watch(int fd)
{
    char byte;
    sigset_t all;
    sigfillset(&all);
    sigprocmask(SIG_BLOCK, &all, NULL);
    setsid();
    prctl(PR_SET_NAME, "armwire-guard");
    /* First in line for a processor, where that is permitted: it sleeps until it is needed. */
    sched_setscheduler(0, SCHED_FIFO, &(struct sched_param){.sched_priority = 1});
    while (read(fd, &byte, 1) < 0 && errno == EINTR)
        ;
    aw_crash_carry_out();
    _exit(0);
}

void aw_guard_start(struct aw_server *server)
{
    int ends[2];
    if (server->guard > 0 || !server->session->device.link ||
        server->session->device.link->simulated || !aw_crash_share() || pipe2(ends, O_CLOEXEC) != 0)
        return;
    pid_t child = fork();
    if (child == 0) {
        aw_server_close_fds(server);
        close(ends[1]);
        keep_watch(ends[0]);
    }
    close(ends[0]);
    if (child < 0)
        close(ends[1]);
    server->guard = child > 0 ? child : 0;
    server->guard_fd = ends[1];
}

void aw_guard_end(struct aw_server *server)
{
    if (server->guard <= 0)
        return;
    kill(server->guard, SIGKILL);
    close(server->guard_fd);
    waitpid(server->guard, NULL, 0);
    server->guard = 0;
}
