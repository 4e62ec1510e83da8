/* The device's end of socketcand:. Internal to lib/link. */
#ifndef AW_LINK_CAN_SOCKETCAND_H
#define AW_LINK_CAN_SOCKETCAND_H

#include "link/core/link.h"

/* A server on the stream inner_url (a tcp-listen: URL) with one bus of that name. Frames go to a
 * client that has opened it and asked for raw mode. */
enum aw_status aw_socketcand_server(struct aw_link **out, const char *inner_url, const char *bus,
                                    const struct aw_link_options *options, struct aw_error *err);

#endif
