/* Programs that use the same device take turns, one exchange at a time. Internal to lib/link.
 *
 * A device that answers every program that has it open, and has room for one request, loses
 * requests when two programs talk at once. So armwire's programs lock two bytes of a file that all
 * of them have open: the device node itself, or a file beside a socket. The first byte is the head
 * of the queue, the second one the turn. So a program that had the turn does not get it again
 * before those that wait. A program that dies, or does not take turns, blocks no other.
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
