/* Chooses one of the HID interfaces. Internal to lib/link. */
#ifndef AW_LINK_HID_HID_PORT_H
#define AW_LINK_HID_HID_PORT_H

#include "link/hid/hid.h"

#define AW_HID_PORTS 64 /* the kernel's limit on hidraw nodes */

/* Criteria in a link URL for choosing a board; see hid.h for the rules. */
struct aw_hid_choice {
    const char *path;         /* NULL: any */
    const char *serial;       /* NULL: any */
    uint16_t vendor, product; /* vendor 0: any */
    long usage_page;          /* -1: any */
    long interface;           /* -1: any */
};

/* Fills ports with at most AW_HID_PORTS interfaces and returns their number. Sets is_candidate by
 * the criteria of choice, except its path. Leaves holder and problem empty. */
size_t aw_hid_find_ports(const struct aw_protocol *protocol, struct aw_hid_port *ports,
                         const struct aw_hid_choice *choice);

/* Explains why the interface cannot be opened, with a remedy. error is the errno of open(2) or of a
 * HID ioctl(2). */
void aw_hid_explain(const struct aw_protocol *protocol, const struct aw_hid_port *port, int error,
                    char *out, size_t size);

#endif
