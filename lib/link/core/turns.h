/* Programs that use the same device take turns, one exchange at a time. Internal to lib/link.
 *
 * Some devices send their answers to every program that has them open, and can store only one
 * request. They lose requests if two programs send at the same time. So armwire's programs lock two
 * bytes of the device node: the first byte is the head of the queue, the second one the turn.
 * A program that ends its turn must queue again, so waiting programs get the next turn. A program
 * that exits releases its locks, and one that takes no turns is ignored. The functions are
 * aw_link_start_turn and aw_link_end_turn in link.h. */
#ifndef AW_LINK_CORE_TURNS_H
#define AW_LINK_CORE_TURNS_H

#include <stdbool.h>

#include "link/core/link.h"

struct aw_turns {
    int fd; /* not owned; -1: the link has no turns */
    bool active;
};

#endif
