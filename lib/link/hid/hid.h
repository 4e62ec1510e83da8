/* Boards with 64-byte HID reports for the links hid: and uhid:, and the list of connected boards.
 *
 *     struct aw_hid_port ports[16];
 *     size_t n = aw_link_list_hid(&aw_hidmotor_protocol, ports, 16);
 *     for (size_t i = 0; i < n && i < 16; i++)
 *         printf("%s %s %s\n", ports[i].url, ports[i].name, ports[i].problem);
 *
 * Which board hid: takes: hid:VID:PID, hid:serial=SERIAL or hid:/dev/hidrawN names it; hid: alone
 * takes the boards of the protocol. Of these count the interfaces for reports of the vendor's own
 * (usage page 0xFF00 and above, without 0xFFC9, which is the serial emulation of a Teensy), and of
 * each physical device the lowest. If several are left, it fails and lists them. The keys serial=,
 * usage_page=, interface= narrow the choice; usage_page= and interface= replace the rules above.
 *
 * A datagram is a report without its number, at most AW_HID_REPORT bytes.
 */
#ifndef AW_LINK_HID_HID_H
#define AW_LINK_HID_HID_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "wire/table.h"

#define AW_HID_REPORT 64

/* A HID interface of the kernel (hidraw). Fixed-size plain data; "" is unknown or none. */
struct aw_hid_port {
    char path[32]; /* "/dev/hidraw3" */
    char url[96]; /* the link that chooses this one: "hid:serial=…", or by path without a serial */
    uint16_t vendor, product;
    uint16_t usage_page, usage;
    int interface; /* -1: none, as for devices of uhid: */
    char serial[64];
    char manufacturer[64];
    char name[64];     /* what the board calls itself: "ItsyBitsy M4" */
    char board[64];    /* its name among those of the protocol, or "" */
    bool chosen;       /* hid: alone would take it, if it is the only one */
    char device[160];  /* the same for all interfaces of a physical device */
    char holder[96];   /* who has it open already and would get our replies: "MATLAB (pid 4711)" */
    char problem[240]; /* why it cannot be opened, and what to do: the line for udev */
};

/* Opens hid:…, for .open_board of a protocol with boards. */
aw_board_open aw_hid_open;

/* Fills at most max interfaces, sorted by path; returns how many there are. All of them, also mice
 * and keyboards: board and chosen say which are for us. Opens none. */
size_t aw_link_list_hid(const struct aw_protocol *protocol, struct aw_hid_port *ports, size_t max);

/* Writes the text of protocol->udev_file: rules for the boards of the protocol and for serial
 * adapters. They give access to the user logged in at the machine, boards also to the group
 * plugdev, and keep ModemManager away. Like snprintf: returns the length, cuts at size. */
size_t aw_link_udev_rules(const struct aw_protocol *protocol, char *out, size_t size);

#endif
