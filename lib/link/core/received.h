/* A message received over a link, as returned by the receive function of every client. */
#ifndef AW_LINK_CORE_RECEIVED_H
#define AW_LINK_CORE_RECEIVED_H

#include "base/span.h"
#include "wire/codec.h"

/* A received message. The client owns frame and record; they are valid until its next receive. */
struct aw_received {
    struct aw_span frame;           /* empty: an event without a message */
    enum aw_dir dir;                /* AW_RX, or AW_TX for a message from another host to the device
                                    */
    bool is_inner;                  /* not the first part of a message that has several parts */
    int64_t time_ns;                /* ns since 1970; AW_NO_TIME: unknown */
    bool has_model_time;            /* from a simulation that has a clock of its own */
    int64_t model_ns;               /* time of that clock; never decreases */
    const struct aw_record *record; /* decoded message; NULL: damaged, or the client does not
                                       decode */
    const char *notice; /* message for the user about the link or the frame; NULL: none */
};

/* Called for each message and event. Returns false to stop receiving. */
typedef bool aw_received_fn(void *context, const struct aw_received *received);

/* Sends one message, like aw_link_write. */
typedef void aw_frame_fn(void *context, const void *frame, size_t size);

#endif
