/* CAN interfaces of this machine. The transport itself has the scheme can: of link/core/link.h.
 *
 *     if (aw_can_is_interface("vcan0"))
 *         puts("can:vcan0");
 */
#ifndef AW_LINK_CAN_CAN_H
#define AW_LINK_CAN_CAN_H

#include <stdbool.h>

/* Returns true if this network interface is a CAN bus, up or down. Reads sysfs. */
bool aw_can_is_interface(const char *name);

#endif
