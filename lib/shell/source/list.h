/* The output of 'list', shared by all tools: for each link, a line that begins with an argument for
 * -l, or a record with "link".
 *
 *     struct aw_port ports[64];
 *     size_t n = aw_link_list_serial(ports, 64);
 *     for (size_t i = 0; i < n && i < 64; i++)
 *         aw_list_port(session, ports[i].path, &ports[i]);
 */
#ifndef AW_SHELL_SOURCE_LIST_H
#define AW_SHELL_SOURCE_LIST_H

#include "link/core/link.h"
#include "link/stream/ports.h"
#include "shell/session/session.h"

/* Begins an entry of 'list'; more members may follow before aw_session_print_result. */
void aw_list_link(struct aw_session *session, const char *link);

/* Adds a member, unless the string is empty. */
void aw_list_add(struct aw_session *session, const char *key, const char *text);

/* Prints all known data of a serial port. */
void aw_list_port(struct aw_session *session, const char *link, const struct aw_port *port);

#endif
