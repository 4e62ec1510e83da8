/* The place of a server: serve: with nothing, a tool, a path or unix:PATH behind it.
 *
 *     struct aw_address address;
 *     if (aw_address_parse(&address, "hidmotor", "serve:", &err) == AW_OK)
 *         fd = aw_address_connect(&address, &err);
 */
#ifndef AW_SHELL_SERVE_ADDRESS_H
#define AW_SHELL_SERVE_ADDRESS_H

#include <stdbool.h>
#include <sys/socket.h>
#include <sys/types.h>

#include "base/status.h"

#define AW_SYSTEM_FOLDER "/run/armwire" /* of servers that systemd keeps */

struct aw_address {
    char text[160]; /* for messages */
    char path[108];
};

/* url may begin with "serve:"; tool gives the name of the usual socket. AW_USAGE; AW_NO_LINK if
 * there is no folder for it. */
enum aw_status aw_address_parse(struct aw_address *address, const char *tool, const char *url,
                                struct aw_error *err);

/* The same for who looks for a server: "serve:" is that of systemd where there is no other. */
enum aw_status aw_address_of_server(struct aw_address *address, const char *tool, const char *url,
                                    struct aw_error *err);

/* The usual place of a second device's server: named after the key of its link. */
enum aw_status aw_address_of_key(struct aw_address *address, const char *tool, const char *key,
                                 struct aw_error *err);

/* The usual places where there is a socket, that of the first device's server in front, systemd's
 * last; how many. */
size_t aw_address_usual(struct aw_address *list, size_t max, const char *tool);

/* Non-blocking sockets, or -1 with errno. */
int aw_address_connect(const struct aw_address *address, struct aw_error *err);
int aw_address_listen(const struct aw_address *address);

#endif
