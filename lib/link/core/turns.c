/* Implements the lock by which programs take turns at a device, and the wait for it. */
#include "link/core/turns.h"

#include <errno.h>
#include <fcntl.h>

#include "link/core/port.h"

#define POLL_NS (100 * AW_MICROSECOND)

enum {
    QUEUE,
    TURN,
};

/* Locks a byte. Also returns true if the file cannot be locked: then no other program takes
 * turns. */
static bool lock_byte(const struct aw_turns *turns, off_t byte, short type)
{
    struct flock range = {.l_type = type, .l_whence = SEEK_SET, .l_start = byte, .l_len = 1};
    return fcntl(turns->fd, F_OFD_SETLK, &range) == 0 || (errno != EAGAIN && errno != EACCES);
}

static bool await_lock(struct aw_link *link, off_t byte, int64_t deadline)
{
    while (!lock_byte(link->turns, byte, F_WRLCK)) {
        int64_t now = aw_clock_now(link->clock);
        if (now >= deadline || aw_clock_sleep(link->clock, now + POLL_NS) == AW_STOPPED)
            return false;
    }
    return true;
}

bool aw_link_start_turn(struct aw_link *link, int64_t deadline)
{
    struct aw_turns *turns = link->turns;
    if (!turns || turns->fd < 0 || turns->active)
        return false;
    if (!await_lock(link, QUEUE, deadline))
        return false;
    turns->active = await_lock(link, TURN, deadline);
    lock_byte(turns, QUEUE, F_UNLCK);
    return turns->active;
}

void aw_link_end_turn(struct aw_link *link)
{
    lock_byte(link->turns, TURN, F_UNLCK);
    link->turns->active = false;
}

bool aw_link_find_sharer(const struct aw_link *link, char *out, size_t size)
{
    return link->turns && aw_port_find_sharer(link->turns->fd, out, size);
}
