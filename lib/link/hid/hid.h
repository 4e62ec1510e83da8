/* Opens and lists boards with 64-byte HID reports, for the links hid: and uhid:.
 *
 *     struct aw_hid_port ports[16];
 *     size_t n = aw_link_list_hid(&aw_hidmotor_protocol, ports, 16);
 *     for (size_t i = 0; i < n && i < 16; i++)
 *         printf("%s %s %s\n", ports[i].url, ports[i].name, ports[i].problem);
 *
 * How hid: chooses a board: hid:VID:PID, hid:serial=SERIAL or hid:/dev/hidrawN names one. hid:
 * alone accepts the protocol's boards, but only interfaces for vendor-defined reports. Their usage
 * page is 0xFF00 or above, except 0xFFC9, the serial emulation of a Teensy. Of each physical
 * device, only the lowest such interface counts. If several boards remain, opening fails and lists
 * them. The key serial= narrows the choice. The keys usage_page= and interface= also narrow it, and
 * replace the rules above.
 *
 * A datagram is a report without its number, at most AW_HID_REPORT bytes.
 */
#ifndef AW_LINK_HID_HID_H
#define AW_LINK_HID_HID_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "wire/table.h"

/* Maximum size of a report without its number, bytes. */
#define AW_HID_REPORT 64

/* A HID interface of the kernel (hidraw). Plain data of fixed size. "" means unknown or none. */
struct aw_hid_port {
    char path[32]; /* "/dev/hidraw3" */
    char url[96];  /* link URL: "hid:serial=…", or by path without a serial number */
    uint16_t vendor, product;
    uint16_t usage_page, usage;
    int interface; /* number of the USB interface; -1: none, as for devices of uhid: */
    char serial[64];
    char manufacturer[64];
    char name[64];     /* product name reported by the board: "ItsyBitsy M4" */
    char board[64];    /* name in the protocol's list of boards, or "" */
    bool is_candidate; /* candidate for a URL that names no board */
    char device[160];  /* identifies the physical device of the interface */
    /* another program that has it open and would receive the answers to our requests: "MATLAB (pid
     * 4711)" */
    char holder[96];
    char problem[240]; /* why it cannot be opened, and the remedy: the udev rule */
};

/* Opens a link hid:…, for .open_board of a protocol with boards. */
aw_board_open aw_hid_open;

/* Lists all HID interfaces, sorted by path. The list includes mice and keyboards; board and
 * is_candidate identify the protocol's boards. Fills at most max entries and returns the total
 * number. Opens no interface. */
size_t aw_link_list_hid(const struct aw_protocol *protocol, struct aw_hid_port *ports, size_t max);

/* Writes the text of protocol->udev_file: rules for the protocol's boards and for serial adapters.
 * The rules give access to the user logged in at the machine, and for boards also to the group
 * plugdev. They also disable ModemManager. Like snprintf, truncates to size and returns the full
 * length. */
size_t aw_link_udev_rules(const struct aw_protocol *protocol, char *out, size_t size);

#endif
