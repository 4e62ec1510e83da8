/* The serial ports of this machine.
 *
 *     struct aw_port ports[64];
 *     size_t n = aw_link_list_serial(ports, 64);
 */
#ifndef AW_LINK_STREAM_PORTS_H
#define AW_LINK_STREAM_PORTS_H

#include <stddef.h>

/* A port that could be opened, as "list" shows it. Fixed-size plain data; "" is unknown or none. */
struct aw_port {
    char path[96];
    char description[96];
    char driver[32];   /* "ftdi_sio" */
    char usb[16];      /* "0403:6001" */
    char serial[64];   /* of the USB device */
    char holder[96];   /* who has it open: "minicom (pid 4711)" */
    char problem[160]; /* why it cannot be opened, and what to do */
};

/* Fills at most max serial ports; returns how many there are. */
size_t aw_link_list_serial(struct aw_port *ports, size_t max);

#endif
