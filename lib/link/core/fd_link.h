/* Common code of links on a file descriptor. Internal to lib/link.
 *
 * The descriptor is non-blocking and close-on-exec. All waits go through the link's clock.
 */
#ifndef AW_LINK_CORE_FD_LINK_H
#define AW_LINK_CORE_FD_LINK_H

#include <sys/socket.h>
#include <time.h>

#include "link/core/link.h"
#include "link/core/outbox.h"

struct aw_fd_link {
    struct aw_link base;
    int fd;                  /* -1: a server without a client */
    uint32_t overflow;       /* kernel's count of dropped datagrams (SO_RXQ_OVFL), last read */
    bool is_socket;          /* use send(2), so that a lost peer causes an error but no signal */
    bool has_written;        /* data was written, so closing waits until the peer has read it */
    struct aw_outbox outbox; /* servers: output that the client has not read yet */
    /* time at which the client stopped reading, or of the last AW_TIMEOUT; 0: it is reading */
    int64_t stalled_ns;
};

/* Allocates an aw_fd_link, or a struct of size bytes that begins with one. fd is -1, and the rest
 * is zero. Returns NULL if out of memory. */
void *aw_fd_link_new(size_t size, const struct aw_link_ops *ops, struct aw_clock *clock);

/* Waits until fd is readable. Returns AW_OK, AW_TIMEOUT, AW_STOPPED, or AW_LOST with a message. */
enum aw_status aw_fd_await(struct aw_link *link, int fd, int64_t deadline, struct aw_error *err);

/* Reads like read(2), but reads again after a connection reset. A peer that exits without reading
 * resets its socket, but bytes that it sent before, such as a stop, are still readable. */
ssize_t aw_fd_read_now(int fd, void *buf, size_t cap);

/* Implementations of a link's functions, for ops or for other functions. */
enum aw_status aw_fd_read(struct aw_link *link, void *buf, size_t cap, size_t *got,
                          int64_t deadline, struct aw_error *err);
enum aw_status aw_fd_write(struct aw_link *link, const void *buf, size_t size,
                           struct aw_error *err);
void aw_fd_close(struct aw_link *link);
int aw_fd_get_fd(const struct aw_link *link);
bool aw_fd_raw(const struct aw_link *link, const void *buf, size_t size, struct aw_link_raw *raw);
extern const struct aw_link_ops aw_fd_ops;

/* For servers: writes without blocking. Queues the rest, which later calls and reads send. AW_OK:
 * also if older messages had to be dropped; base.n_dropped counts them. AW_TIMEOUT: the client has
 * read nothing for a second; returned once a second. AW_LOST: the client has disconnected. */
enum aw_status aw_fd_write_queued(struct aw_link *link, const void *buf, size_t size,
                                  struct aw_error *err);

/* Discards queued output. */
void aw_fd_clear_output(struct aw_fd_link *self);

/* Closes a connection and frees the link, so that written bytes arrive: gives the peer up to 0.2 s
 * to read them and to close its end. Otherwise, unread input would reset the connection, and the
 * peer might lose the last bytes, such as a stop. */
void aw_fd_shut_down(struct aw_link *link);

/* Reads the control data of a datagram (SO_TIMESTAMPNS and SO_RXQ_OVFL). Sets base.rx.time_ns to
 * the receive time (0: unknown) and base.n_dropped to the number of lost datagrams. */
#define AW_STAMPS_SIZE (CMSG_SPACE(sizeof(struct timespec)) + CMSG_SPACE(sizeof(uint32_t)))
void aw_fd_read_stamps(struct aw_fd_link *self, struct msghdr *header);

/* Returns AW_LOST with a message for the errno of a read or write; 0 means end of file. */
enum aw_status aw_fd_fail_lost(const struct aw_link *link, int error, struct aw_error *err);

#endif
