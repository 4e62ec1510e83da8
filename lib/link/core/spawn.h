/* Links to child programs: the program gets one end of a socket pair, and exits when the link is
 * closed.
 *
 *     char path[256];
 *     if (!aw_child_find("ezphys-sim", path, sizeof path))
 *         return aw_fail(err, AW_NO_LINK, "…");
 *     char *const argv[] = {"ezphys-sim", "--fd", AW_CHILD_FD_TEXT, NULL};
 *     status = aw_spawn_open(&link, path, argv, clock, err);
 *
 * The program's end has the descriptor AW_CHILD_FD. The program must exit when the other end is
 * closed. If the process that started it dies, the kernel sends it SIGTERM.
 */
#ifndef AW_LINK_CORE_SPAWN_H
#define AW_LINK_CORE_SPAWN_H

#include "link/core/link.h"

/* Starts the program, which inherits standard output and error. AW_NO_LINK with the reason if it
 * cannot be started. Closing the link waits a second for the program to exit, and then kills it. */
enum aw_status aw_spawn_open(struct aw_link **out, const char *path, char *const argv[],
                             struct aw_clock *clock, struct aw_error *err);

/* For the child: creates a link on an inherited descriptor, which the link then owns. key is its
 * name in messages. AW_NO_LINK if the descriptor is not a stream socket. */
enum aw_status aw_spawn_parent(struct aw_link **out, int fd, const char *key,
                               struct aw_clock *clock, struct aw_error *err);

#endif
