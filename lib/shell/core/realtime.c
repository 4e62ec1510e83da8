/* Locks memory and takes a real-time priority, for --realtime. */
#include "shell/core/realtime.h"

#include <errno.h>
#include <sched.h>
#include <string.h>
#include <sys/mman.h>

void aw_realtime_begin(struct aw_session *session)
{
    const struct sched_param wanted = {.sched_priority =
                                           (int)aw_option_number(session, "realtime")};
    if (!aw_flag(session, "realtime") || aw_flag(session, "dry-run") ||
        session->mode.realtime == wanted.sched_priority)
        return;
    session->mode.realtime = wanted.sched_priority;
    bool locked = mlockall(MCL_CURRENT | MCL_FUTURE) == 0;
    int why = errno;
    bool scheduled = sched_setscheduler(0, SCHED_FIFO, &wanted) == 0;
    if (!scheduled)
        why = errno;
    if (!scheduled)
        munlockall(); /* a program that may grow no more, for nothing */
    if (locked && scheduled)
        return;
    aw_session_notice(
        session,
        "--realtime: %s (%s) — goes on without; permitted by LimitRTPRIO=%d and "
        "LimitMEMLOCK=infinity in a unit of systemd, by 'USER - rtprio %d' and 'USER - memlock "
        "unlimited' in /etc/security/limits.conf, or by setcap cap_sys_nice,cap_ipc_lock+ep",
        scheduled ? "memory cannot be locked" : "no real-time priority", strerror(why),
        wanted.sched_priority, wanted.sched_priority);
}
