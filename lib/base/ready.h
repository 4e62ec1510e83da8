/* Reading what is there, writing what there is room for.
 *
 *     char key;
 *     if (aw_read_ready(STDIN_FILENO, &key, 1) < 0 && errno == EAGAIN)
 *         return AW_OK; // nothing yet
 */
#ifndef AW_BASE_READY_H
#define AW_BASE_READY_H

#include <sys/types.h>

/* read(2) that never waits: -1 with EAGAIN when nothing is there. Even after poll(2) nothing may be
 * there: a Ctrl-C takes what was typed before it along, and a read that waits would then miss
 * the signal until the next key. */
ssize_t aw_read_ready(int fd, void *buf, size_t size);

/* write(2) of a part that a descriptor takes without waiting, once poll(2) has said that there is
 * room: PIPE_BUF of a pipe; of a terminal, where there may be room for one character only, what it
 * takes, or -1 with EAGAIN. Others have the terminal too, and it stays as it is for them. */
ssize_t aw_write_ready(int fd, const void *buf, size_t size);

#endif
