/* Recognises CAN interfaces of this machine. To open one, pass a URL with the scheme can: to
 * aw_link_open.
 *
 *     if (aw_can_is_interface("vcan0"))
 *         puts("can:vcan0");
 */
#ifndef AW_LINK_CAN_CAN_H
#define AW_LINK_CAN_CAN_H

#include <stdbool.h>

/* Returns true if this network interface is a CAN bus, whether up or down. Reads sysfs. */
bool aw_can_is_interface(const char *name);

#endif
