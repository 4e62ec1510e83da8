/* CAN interfaces of the kernel. Internal to lib/link. */
#ifndef AW_LINK_CAN_CAN_INTERFACE_H
#define AW_LINK_CAN_CAN_INTERFACE_H

#include <stdbool.h>
#include <stddef.h>

/* Returns true if a CAN interface of this name exists and is up. */
bool aw_can_is_interface_up(const char *name);

/* Explains why the interface cannot be used, with a remedy: "interface is down — run: sudo ip link
 * set can0 up". If it does not exist, lists those that do. Returns false if it can be used. */
bool aw_can_find_problem(const char *name, char *out, size_t size);

#endif
