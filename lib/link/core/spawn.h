/* A program as a link: started with one end of a stream in its hands, ended with the link.
 *
 *     char path[256];
 *     if (!aw_spawn_find("ezphys-sim", path, sizeof path))
 *         return aw_fail(err, AW_NO_LINK, "…");
 *     char *const argv[] = {"ezphys-sim", "--fd", AW_SPAWN_FD_TEXT, NULL};
 *     status = aw_spawn_open(&link, path, argv, clock, err);
 *
 * The program finds its end at descriptor AW_SPAWN_FD. It is in a process group of its own, so that
 * Ctrl-C is for the one who started it, who may want to stop things with it first. It is to end
 * when its end is closed, and is ended if it does not; if the starter dies, the kernel ends it.
 */
#ifndef AW_LINK_CORE_SPAWN_H
#define AW_LINK_CORE_SPAWN_H

#include "link/core/link.h"

#define AW_SPAWN_FD      3
#define AW_SPAWN_FD_TEXT "3"

/* Looks for a program beside the one that is running, then in PATH. False if there is none. */
bool aw_spawn_find(const char *program, char *path, size_t size);

/* Starts it. Its standard output and error are ours. AW_NO_LINK with the reason if it cannot be
 * started. Closing the link waits for its end, for a second at most, and then kills it. */
enum aw_status aw_spawn_open(struct aw_link **out, const char *path, char *const argv[],
                             struct aw_clock *clock, struct aw_error *err);

/* The program's side: a link at a descriptor that it got. key: what to call it. AW_NO_LINK if the
 * descriptor is no stream socket. */
enum aw_status aw_spawn_parent(struct aw_link **out, int fd, const char *key,
                               struct aw_clock *clock, struct aw_error *err);

#endif
