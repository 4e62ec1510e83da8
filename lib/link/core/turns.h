/* Programs that use the same device take turns, one exchange at a time. Internal to lib/link.
 *
 * A device that answers every program that has it open, and has room for one request, loses
 * requests when two programs talk at once. So ours lock two bytes of a file that all of them have
 * open: the device node itself, or a file beside a socket. The first byte is the place at the head
 * of the queue, the second one the turn, so that who has just had it does not get it again before
 * those who wait. A program that dies, or does not know of this, is in nobody's way.
 */
#ifndef AW_LINK_CORE_TURNS_H
#define AW_LINK_CORE_TURNS_H

#include <stdbool.h>

#include "link/core/link.h"

#define AW_TURNS ".turns" /* behind the path of a socket: that file */

struct aw_turns {
    int fd; /* not owned; -1: there are no turns to take */
    bool taken;
};

#endif
