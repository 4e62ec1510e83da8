/* The text protocol of Lawicel adapters (CANUSB, CANable and others): lines that end with CR, or
 * with BEL for a refused command. The functions have no side effects. Internal to lib/link and its
 * tests.
 *
 *     t1232DEAD<CR>       a frame: 3 digits identifier, 1 digit length, the data; then maybe
 *                         4 digits of milliseconds within a minute or 8 of microseconds, if the
 *                         adapter stamps frames
 *     T                   the same with 8 digits of an identifier of 29 bits
 *     r R                 remote frames, the same way
 *     z<CR> Z<CR> <CR>    done
 *     <BEL>               refused
 *
 * Source: the protocol's public documentation (CANUSB manual) and the behaviour of adapters.
 */
#ifndef AW_LINK_CAN_SLCAN_CODEC_H
#define AW_LINK_CAN_SLCAN_CODEC_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define AW_SLCAN_LINE    40    /* maximum size of a valid line, with its NUL */
#define AW_SLCAN_MINUTE  60000 /* upper bound of timestamps, ms */
#define AW_SLCAN_NO_TIME (-1)

/* Collects the characters of a line. Initialise with {0}. */
struct aw_slcan_reader {
    char line[AW_SLCAN_LINE]; /* NUL-terminated when the line is complete */
    size_t size;
    bool overlong, complete, refused; /* refused: the line ended with BEL */
};

enum aw_slcan_kind {
    AW_SLCAN_FRAME,
    AW_SLCAN_REMOTE, /* a remote frame */
    AW_SLCAN_DONE,
    AW_SLCAN_REFUSED,
    AW_SLCAN_REPLY, /* another reply: version, serial number, status flags */
    AW_SLCAN_BROKEN,
};

/* Adds one byte. Returns true if the byte completes a line. An overlong line is decoded as
 * AW_SLCAN_BROKEN. */
bool aw_slcan_add_byte(struct aw_slcan_reader *reader, uint8_t byte);

/* Decodes a complete line. For AW_SLCAN_FRAME, sets datagram (AW_CAN_DATAGRAM bytes), *size, and
 * *time_ms (0 to 59999, or AW_SLCAN_NO_TIME). */
enum aw_slcan_kind aw_slcan_decode(const struct aw_slcan_reader *reader, uint8_t *datagram,
                                   size_t *size, int *time_ms);

/* Prints the line of a frame, with its CR and a NUL. time_ms is 0 to 59999, or AW_SLCAN_NO_TIME.
 * out holds AW_SLCAN_LINE bytes. */
void aw_slcan_encode(const uint8_t *datagram, size_t size, int time_ms, char *out);

/* Returns true if all size characters are hexadecimal digits. */
bool aw_slcan_is_hex(const char *text, size_t size);

/* Returns the digit of the command S for a bit rate in bit/s: 0 (10000) to 8 (1000000). Returns -1
 * if slcan has no digit for this rate. */
int aw_slcan_speed_digit(long bitrate);

#endif
