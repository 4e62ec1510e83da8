/* The adapter's end of an slcan: link. Internal to lib/link. */
#ifndef AW_LINK_CAN_SLCAN_H
#define AW_LINK_CAN_SLCAN_H

#include "link/core/link.h"

/* Opens a simulated adapter. It answers like a real one, and transfers frames while its channel is
 * open. */
enum aw_status aw_slcan_adapter(struct aw_link **out, const char *inner_url,
                                const struct aw_link_options *options, struct aw_error *err);

#endif
