/* Sends and receives CAN frames as text over a stream link: the common code of both ends of slcan:.
 * Internal to lib/link.
 *
 * Reads the stream in chunks and passes it byte by byte to the protocol, which detects complete
 * frames. A frame is a datagram as in wire/can_id.h: the identifier, then the data.
 */
#ifndef AW_LINK_CAN_CAN_TEXT_H
#define AW_LINK_CAN_CAN_TEXT_H

#include "link/core/link.h"
#include "wire/can_id.h"

#define AW_CAN_DATAGRAM (AW_CAN_HEAD_MAX + AW_CAN_DATA_MAX) /* maximum size of a frame */

#define AW_CAN_TEXT 128

struct aw_can_text;

struct aw_can_text_ops {
    struct aw_link_ops link;
    /* Processes one byte. AW_OK: a frame is complete; datagram (AW_CAN_DATAGRAM bytes) and *size
     * are set. AW_EVENT: base.rx.event is set. AW_TIMEOUT: more bytes are needed. */
    enum aw_status (*process_byte)(struct aw_can_text *self, uint8_t byte, uint8_t *datagram,
                                   size_t *size);
    /* Servers: called when a new client has connected; discards the state of the previous one. May
     * be NULL. */
    void (*connected)(struct aw_can_text *self);
    /* Clients, for aw_can_text_send and aw_can_text_raw: prints a datagram as text, at most
     * AW_CAN_TEXT bytes with its NUL. terminator is the character that ends a partly written line;
     * 0: none. */
    void (*print)(const uint8_t *datagram, size_t size, char *out);
    char terminator;
};

/* Common beginning of these links. base.ops points to a struct aw_can_text_ops. */
struct aw_can_text {
    struct aw_link base;
    struct aw_link *inner;
    size_t next, size;      /* unread bytes of buf */
    uint64_t inner_dropped; /* n_dropped of inner at the last update */
    uint8_t buf[2048];
};

/* Opens the stream and creates a link of size bytes around it. The bytes after this struct are
 * zero. key and client_url become prefix followed by those of the stream. AW_USAGE if url is not a
 * stream. Also the errors of aw_link_open. */
enum aw_status aw_can_text_open(struct aw_can_text **out, size_t size,
                                const struct aw_can_text_ops *ops, const char *prefix,
                                const char *url, const struct aw_link_options *options,
                                struct aw_error *err);

/* Functions for struct aw_can_text_ops. */
enum aw_status aw_can_text_read(struct aw_link *link, void *buf, size_t cap, size_t *got,
                                int64_t deadline, struct aw_error *err);
void aw_can_text_close(struct aw_link *link);
int aw_can_text_fd(const struct aw_link *link);
enum aw_status aw_can_text_send(struct aw_link *link, const void *buf, size_t size,
                                struct aw_error *err);
bool aw_can_text_raw(const struct aw_link *link, const void *buf, size_t size,
                     struct aw_link_raw *raw);

/* Writes a NUL-terminated string to the stream. */
enum aw_status aw_can_text_write(struct aw_can_text *self, const char *text, struct aw_error *err);

/* Returns AW_USAGE if the bytes are not a datagram of a CAN link. */
enum aw_status aw_can_check_frame(const struct aw_link *link, const void *buf, size_t size,
                                  struct aw_error *err);

#endif
