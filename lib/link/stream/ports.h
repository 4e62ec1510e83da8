/* Lists the serial ports of this machine.
 *
 *     struct aw_port ports[64];
 *     size_t n = aw_link_list_serial(ports, 64);
 */
#ifndef AW_LINK_STREAM_PORTS_H
#define AW_LINK_STREAM_PORTS_H

#include <stddef.h>

/* A serial port, for "list". Plain data of fixed size; "" means unknown or none. */
struct aw_port {
    char path[96];
    char description[96];
    char driver[32];   /* "ftdi_sio" */
    char usb[16];      /* "0403:6001" */
    char serial[64];   /* serial number of the USB device */
    char holder[96];   /* program that has it open: "minicom (pid 4711)" */
    char problem[160]; /* why it cannot be opened, and the remedy; "": it can */
};

/* Lists serial ports. Fills at most max entries and returns the total number. */
size_t aw_link_list_serial(struct aw_port *ports, size_t max);

#endif
