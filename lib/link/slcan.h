/* The two ends of an slcan: line. Internal to lib/link. */
#ifndef AW_LINK_SLCAN_H
#define AW_LINK_SLCAN_H

#include "link/link.h"

#pragma GCC visibility push(hidden)

/* The computer's end: opens the stream inner_url and the adapter's channel behind it. speed is the
 * command that sets the bit rate ("S8", "s0014"). */
struct aw_slcan_settings {
    char speed[8];
    size_t time;   /* 1: frames are to carry the adapter's time */
    size_t silent; /* 1: the adapter may never answer anything */
};

enum aw_status aw_slcan_client(struct aw_link **out, const char *inner_url,
                               const struct aw_slcan_settings *settings, struct aw_clock *clock,
                               struct aw_error *err);

/* The adapter's end: answers like one and carries frames while its channel is open. */
enum aw_status aw_slcan_adapter(struct aw_link **out, const char *inner_url, struct aw_clock *clock,
                                struct aw_error *err);

#pragma GCC visibility pop

#endif
