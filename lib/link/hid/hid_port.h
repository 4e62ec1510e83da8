/* Which of the HID interfaces is meant. Internal to lib/link. */
#ifndef AW_LINK_HID_HID_PORT_H
#define AW_LINK_HID_HID_PORT_H

#include "link/hid/hid.h"

#define AW_HID_PORTS 64 /* the kernel has no more hidraw nodes */

/* What a link says about the board; see hid.h for the rules. */
struct aw_hid_choice {
    const char *path;         /* NULL: not said */
    const char *serial;       /* NULL: not said */
    uint16_t vendor, product; /* vendor 0: not said */
    long usage_page;          /* -1: not said */
    long interface;           /* -1: not said */
};

/* Fills ports with all interfaces, at most AW_HID_PORTS, and returns how many there are; chosen and
 * url are those for this choice (whose path does not matter). holder and problem are left "". */
size_t aw_hid_find(const struct aw_protocol *protocol, struct aw_hid_port *ports,
                   const struct aw_hid_choice *choice);

/* Why it cannot be opened and what to do, for errno of open(2) or of a HID ioctl(2). */
void aw_hid_problem(const struct aw_protocol *protocol, const struct aw_hid_port *port, int error,
                    char *out, size_t size);

#endif
