/* Linked into every program of the coverage build: one that is ended by a signal, or by _exit,
 * keeps its counts as well. Without it what simulators do until a test ends them would be lost. */
#include <signal.h>
#include <stddef.h>
#include <unistd.h>

void __gcov_dump(void);
_Noreturn void __real__exit(int status);
_Noreturn void __wrap__exit(int status);

static void keep(int number)
{
    __gcov_dump();
    raise(number); /* with its default, once this returns: SA_RESETHAND */
}

static void each_signal(void (*act)(int number))
{
    static const int ending[] = {SIGHUP, SIGINT, SIGQUIT, SIGTERM, SIGALRM, SIGUSR1, SIGUSR2};
    for (size_t i = 0; i < sizeof ending / sizeof *ending; i++)
        act(ending[i]);
}

static void catch_default(int number)
{
    struct sigaction action;
    if (sigaction(number, NULL, &action) != 0 || action.sa_handler != SIG_DFL)
        return;
    action.sa_handler = keep;
    action.sa_flags = (int)SA_RESETHAND;
    sigaction(number, &action, NULL);
}

static void block(int number)
{
    sigset_t set;
    sigemptyset(&set);
    sigaddset(&set, number);
    sigprocmask(SIG_BLOCK, &set, NULL);
}

__attribute__((constructor)) static void begin(void)
{
    each_signal(catch_default);
}

/* Runs before the counts are written: that is not to be begun twice. */
__attribute__((destructor)) static void finish(void)
{
    each_signal(block);
}

_Noreturn void __wrap__exit(int status)
{
    __gcov_dump();
    __real__exit(status);
}
