/* CAN frames as text over a stream link: the part that both ends of slcan: share.
 * Internal to lib/link.
 *
 * The stream is read in pieces and taken byte by byte by the protocol, which says when a frame is
 * complete. A frame is a datagram as wire/can_id.h says: the identifier, then the data.
 */
#ifndef AW_LINK_CAN_CAN_TEXT_H
#define AW_LINK_CAN_CAN_TEXT_H

#include "link/core/link.h"
#include "wire/can_id.h"

#define AW_CAN_DATAGRAM (AW_CAN_HEAD_MAX + AW_CAN_DATA_MAX) /* the longest frame */

#define AW_CAN_TEXT 128

struct aw_can_text;

struct aw_can_text_ops {
    struct aw_link_ops link;
    /* Takes one byte. AW_OK: a frame is complete, datagram and *size are set; AW_EVENT: event is
     * set; AW_TIMEOUT: nothing yet. */
    enum aw_status (*take)(struct aw_can_text *self, uint8_t byte, uint8_t *datagram, size_t *size);
    /* Servers: a new client came; what the one before left is to be forgotten. Or NULL. */
    void (*connected)(struct aw_can_text *self);
    /* Clients, for aw_can_text_send and aw_can_text_raw: a datagram as text, of at most
     * AW_CAN_TEXT with its NUL, and what ends one that may stand there half written; or 0. */
    void (*print)(const uint8_t *datagram, size_t size, char *out);
    char ends;
};

/* The common beginning of these links; base.ops points to a struct aw_can_text_ops. */
struct aw_can_text {
    struct aw_link base;
    struct aw_link *inner;
    size_t next, size; /* what is not taken yet */
    uint64_t dropped;  /* by inner, as of the last write */
    uint8_t buf[2048];
};

/* Opens the stream and makes a link of size bytes around it, zero behind this struct. key and ready
 * become prefix + the stream's. AW_USAGE if url is not a stream. */
enum aw_status aw_can_text_open(struct aw_can_text **out, size_t size,
                                const struct aw_can_text_ops *ops, const char *prefix,
                                const char *url, const struct aw_link_options *options,
                                struct aw_error *err);

/* For ops. */
enum aw_status aw_can_text_read(struct aw_link *link, void *buf, size_t cap, size_t *got,
                                int64_t deadline, struct aw_error *err);
void aw_can_text_close(struct aw_link *link);
int aw_can_text_fd(const struct aw_link *link);
enum aw_status aw_can_text_send(struct aw_link *link, const void *buf, size_t size,
                                struct aw_error *err);
bool aw_can_text_raw(const struct aw_link *link, const void *buf, size_t size,
                     struct aw_link_raw *raw);

/* Writes a NUL-terminated text to the stream. */
enum aw_status aw_can_text_write(struct aw_can_text *self, const char *text, struct aw_error *err);

/* AW_USAGE if this is not a datagram of a CAN link. */
enum aw_status aw_can_check(const struct aw_link *link, const void *buf, size_t size,
                            struct aw_error *err);

#endif
