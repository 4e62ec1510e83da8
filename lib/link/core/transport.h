/* The type of the functions that open transports. Internal to lib/link. */
#ifndef AW_LINK_CORE_TRANSPORT_H
#define AW_LINK_CORE_TRANSPORT_H

#include "link/core/link.h"
#include "link/core/url.h"

typedef enum aw_status aw_transport_open(struct aw_link **out, const struct aw_url *url,
                                         const struct aw_link_options *options,
                                         struct aw_error *err);

#endif
