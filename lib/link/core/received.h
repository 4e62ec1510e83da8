/* A message received over a link, as the receive function of every client returns it. */
#ifndef AW_LINK_CORE_RECEIVED_H
#define AW_LINK_CORE_RECEIVED_H

#include "base/span.h"
#include "wire/codec.h"

/* Frame and record belong to the client, and are valid until its next receive. */
struct aw_received {
    struct aw_span frame;           /* size 0: no message but news */
    enum aw_dir dir;                /* AW_RX, or AW_TX for what another host sent to the device */
    bool inside;                    /* not the first of a message of several */
    int64_t time_ns;                /* since 1970, or AW_NO_TIME where the link does not know it */
    bool modelled;                  /* it comes from a simulation that sends its own time, */
    int64_t model_ns;               /* which never falls, whatever is started again */
    const struct aw_record *record; /* decoded, where the client does that and it is not damaged;
                                       else NULL */
    const char *news; /* a message for a person, from the link or beside the message; NULL: none */
};

/* Called for each message and for news; false: enough. */
typedef bool aw_received_fn(void *context, const struct aw_received *received);

/* Takes one message, as aw_link_write would. */
typedef void aw_frame_fn(void *context, const void *frame, size_t size);

#endif
