/* Non-blocking reads and writes on blocking descriptors.
 *
 *     char key;
 *     if (aw_read_ready(STDIN_FILENO, &key, 1) < 0 && errno == EAGAIN)
 *         return AW_OK; // nothing yet
 */
#ifndef AW_BASE_READY_H
#define AW_BASE_READY_H

#include <sys/types.h>

/* Reads like read(2) but never blocks: -1 with EAGAIN when there is no input. Input may be missing
 * even after poll(2): Ctrl-C discards earlier typing. A blocking read would then miss the signal
 * until the next key. */
ssize_t aw_read_ready(int fd, void *buf, size_t size);

/* Writes as much as a descriptor takes without blocking, once poll(2) has reported room. Writes
 * PIPE_BUF bytes to a pipe. A terminal may take a single character only, or none: -1 with EAGAIN.
 * Does not change the terminal's flags, because other programs share it. */
ssize_t aw_write_ready(int fd, const void *buf, size_t size);

#endif
