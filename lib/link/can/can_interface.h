/* The CAN interfaces of the kernel. Internal to lib/link. */
#ifndef AW_LINK_CAN_CAN_INTERFACE_H
#define AW_LINK_CAN_CAN_INTERFACE_H

#include <stdbool.h>
#include <stddef.h>

/* Is there a CAN interface of that name, and is it up? */
bool aw_can_interface_up(const char *name);

/* Why it cannot be used and what to do ("interface is down — sudo ip link set …"); false if it can.
 * Without such an interface it names those that are there. */
bool aw_can_interface_problem(const char *name, char *out, size_t size);

#endif
