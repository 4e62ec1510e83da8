/* What 'list' shows of a way to a device, the same in every tool: a line that begins with what -l
 * takes, or a record with "link".
 *
 *     struct aw_port ports[64];
 *     size_t n = aw_link_list_serial(ports, 64);
 *     for (size_t i = 0; i < n && i < 64; i++)
 *         aw_list_port(session, ports[i].path, &ports[i]);
 */
#ifndef AW_SHELL_COMMANDS_LIST_H
#define AW_SHELL_COMMANDS_LIST_H

#include "link/core/link.h"
#include "link/stream/ports.h"
#include "shell/core/session.h"

/* Begins the result of 'list'; more can be added before aw_session_print_result. */
void aw_list_link(struct aw_session *session, const char *link);

/* An entry, unless the text is empty. */
void aw_list_add(struct aw_session *session, const char *key, const char *text);

/* What runs on this machine for the tool and can be used by -l: its servers, and a simulator in its
 * usual place, printed. Returns how many. */
size_t aw_list_running(struct aw_session *session);

/* All that is known of a serial port, printed. */
void aw_list_port(struct aw_session *session, const char *link, const struct aw_port *port);

#endif
