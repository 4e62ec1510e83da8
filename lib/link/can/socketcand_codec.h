/* The text messages of socketcand, which carries CAN frames over TCP. Pure. Internal to lib/link,
 * and for its tests.
 *
 *     < hi >  < ok >  < error could not open bus >  < echo >
 *     < open can0 >  < rawmode >
 *     < send 123 2 AA BB >               from the client: identifier, length, bytes
 *     < frame 123 1436509052.249713 AABB >  from the server: identifier, time, bytes
 *     < error 040 1436509052.249713 >    from the server: an error frame's classes
 *
 * Identifiers and bytes are hexadecimal; eight digits mean a 29-bit identifier. Bytes may stand
 * alone or together.
 *
 * Source: socketcand's protocol description.
 */
#ifndef AW_LINK_CAN_SOCKETCAND_CODEC_H
#define AW_LINK_CAN_SOCKETCAND_CODEC_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define AW_SOCKETCAND_TEXT  128 /* no message that we read is longer, with its NUL */
#define AW_SOCKETCAND_WORDS 16

/* Collects messages; begins as {0}. */
struct aw_socketcand_reader {
    char text[AW_SOCKETCAND_TEXT]; /* cut into words when a message is complete */
    const char *word[AW_SOCKETCAND_WORDS];
    size_t n;
    size_t size;
    bool inside, broken, complete;
};

/* Takes one byte; true if that completes a message. What stands outside of < > is passed over, and
 * so are messages that are too long. A complete message has at least one word. */
bool aw_socketcand_read(struct aw_socketcand_reader *reader, uint8_t byte);

/* "frame": datagram (AW_CAN_DATAGRAM bytes), *size and *time_ns (0: not given) are
 * set. */
bool aw_socketcand_frame(const struct aw_socketcand_reader *reader, uint8_t *datagram, size_t *size,
                         int64_t *time_ns);

/* "send", the same way. */
bool aw_socketcand_send(const struct aw_socketcand_reader *reader, uint8_t *datagram, size_t *size);

/* "error" with an identifier and a time, as of an error frame. */
bool aw_socketcand_error(const struct aw_socketcand_reader *reader, uint32_t *id);

/* Writes the message with a NUL; out holds AW_SOCKETCAND_TEXT. */
void aw_socketcand_print_frame(const uint8_t *datagram, size_t size, int64_t time_ns, char *out);
void aw_socketcand_print_send(const uint8_t *datagram, size_t size, char *out);

#endif
