/* Non-blocking reads and writes on blocking descriptors.
 *
 *     char key;
 *     if (aw_read_ready(STDIN_FILENO, &key, 1) < 0 && errno == EAGAIN)
 *         return AW_OK; // nothing yet
 */
#ifndef AW_BASE_READY_H
#define AW_BASE_READY_H

#include <sys/types.h>

/* Reads like read(2) but never blocks: returns -1 with EAGAIN if there is no input. Input that
 * poll(2) reported may be gone, because Ctrl-C discards earlier typing. A blocking read would then
 * delay the signal until the next key. */
ssize_t aw_read_ready(int fd, void *buf, size_t size);

/* Writes as much as the descriptor accepts without blocking; call it after poll(2) has reported
 * room. Writes at most PIPE_BUF bytes. A terminal may accept only one character, or none: then
 * returns -1 with EAGAIN. Does not change the flags of a terminal, because other programs share
 * it. */
ssize_t aw_write_ready(int fd, const void *buf, size_t size);

#endif
