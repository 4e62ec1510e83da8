/* Splits a byte stream, or datagrams, into frames.
 *
 *     struct aw_splitter splitter = {.framer.dir = AW_RX};     size about 64 kB
 *     aw_split(&splitter, &wire, (struct aw_span){buf, got}, false, on_frame, context);
 *
 * Counts and skips bytes outside frames. Allocates nothing and performs no I/O.
 */
#ifndef AW_WIRE_SPLIT_H
#define AW_WIRE_SPLIT_H

#include "wire/wire.h"

/* Maximum size of an incomplete frame, bytes. */
#define AW_SPLIT_ROOM 65536

/* State of splitting one direction of a link. Initialise with {.framer.dir = …}. */
struct aw_splitter {
    struct aw_framer framer;
    uint64_t n_damaged; /* number of invalid pieces */
    size_t size;
    uint8_t buffer[AW_SPLIT_ROOM]; /* start of an incomplete frame */
};

/* Called for each complete frame. The frame is valid only during the call. */
typedef void aw_split_fn(void *context, struct aw_span frame);

/* Drops an incomplete frame, because bytes after it are missing. */
void aw_split_gap(struct aw_splitter *splitter);

/* Splits bytes into frames and calls fn for each. is_datagram: the bytes are exactly one frame, or
 * one envelope of frames. */
void aw_split(struct aw_splitter *splitter, const struct aw_wire *wire, struct aw_span bytes,
              bool is_datagram, aw_split_fn *fn, void *context);

#endif
