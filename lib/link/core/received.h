/* A message received over a link, as the receive function of every client returns it. */
#ifndef AW_LINK_CORE_RECEIVED_H
#define AW_LINK_CORE_RECEIVED_H

#include "base/span.h"
#include "wire/codec.h"

/* The client owns frame and record; they are valid until its next receive. */
struct aw_received {
    struct aw_span frame;           /* size 0: an event without a message */
    enum aw_dir dir;                /* AW_RX, or AW_TX for a message from another host to the device
                                    */
    bool inside;                    /* a later part of a message with several parts */
    int64_t time_ns;                /* since 1970, or AW_NO_TIME if the link does not know it */
    bool modelled;                  /* from a simulation that sends its own time */
    int64_t model_ns;               /* that time, which never falls, even after a restart */
    const struct aw_record *record; /* decoded message; NULL if damaged, or if the client does not
                                       decode */
    const char *news; /* text for the user, from the link or about the message; NULL: none */
};

/* Called for each message and event; returns false to end. */
typedef bool aw_received_fn(void *context, const struct aw_received *received);

/* Sends one message, as aw_link_write would. */
typedef void aw_frame_fn(void *context, const void *frame, size_t size);

#endif
