/* The address of a server: "serve:", alone or followed by a tool, a path or unix:PATH.
 *
 *     struct aw_address address;
 *     if (aw_address_parse(&address, "hidmotor", "serve:", &err) == AW_OK)
 *         fd = aw_address_open(&address, false);
 */
#ifndef AW_SHELL_SERVE_ADDRESS_H
#define AW_SHELL_SERVE_ADDRESS_H

#include <stdbool.h>
#include <sys/socket.h>
#include <sys/types.h>

#include "base/status.h"

#define AW_SYSTEM_FOLDER "/run/armwire" /* folder of the servers that systemd manages */

struct aw_address {
    char path[108]; /* path of the socket; shown as serve:PATH in messages */
};

/* Parses PATH, serve:PATH, unix:PATH or serve:unix:PATH. An empty PATH selects the default socket
 * of tool. AW_USAGE: "tcp:", or PATH is too long. AW_NO_LINK: the folder of the default socket
 * cannot be created, or its path is too long. */
enum aw_status aw_address_parse(struct aw_address *address, const char *tool, const char *url,
                                struct aw_error *err);

/* The same for a client, whose url begins with "serve:". A name without "/:?." that is not a file
 * is the name of a tool. If the default socket does not exist, selects systemd's socket if that
 * exists. */
enum aw_status aw_address_of_server(struct aw_address *address, const char *tool, const char *url,
                                    struct aw_error *err);

/* Builds the default socket address of a server whose device is not the tool's first. key: the
 * link's key, of which the last 48 characters count. AW_NO_LINK: as for aw_address_parse. */
enum aw_status aw_address_of_key(struct aw_address *address, const char *tool, const char *key,
                                 struct aw_error *err);

/* Lists the default addresses that have a socket file, at most max of them (at least 1): the first
 * device's server first, systemd's last. Returns their number. */
size_t aw_address_defaults(struct aw_address *list, size_t max, const char *tool);

/* Connects to the address, or (listens) creates the socket file and listens. Returns a non-blocking
 * socket that the caller closes, or -1 with errno set. */
int aw_address_open(const struct aw_address *address, bool listens);

#endif
