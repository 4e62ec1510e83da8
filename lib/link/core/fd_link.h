/* Common code of links on a file descriptor. Internal to lib/link.
 *
 * The descriptor is non-blocking and close-on-exec. Waiting goes through the link's clock.
 */
#ifndef AW_LINK_CORE_FD_LINK_H
#define AW_LINK_CORE_FD_LINK_H

#include <sys/socket.h>
#include <time.h>

#include "link/core/link.h"
#include "link/core/outbox.h"

struct aw_fd_link {
    struct aw_link base;
    int fd;               /* -1: a server without a client */
    uint32_t overflow;    /* datagrams that the kernel had thrown away by the last stamp */
    bool socket;          /* written by send(2), so that a lost peer is an error and not a signal */
    bool written;         /* ever: then parting takes care that it gets there */
    struct aw_outbox box; /* servers: what their client has not taken yet, */
    int64_t stuck_ns;     /* and since when it takes nothing; 0: it does */
};

/* An aw_fd_link, or something of size bytes that begins with one; the rest is zero. NULL if there
 * is no memory. fd is -1. */
void *aw_fd_link_new(size_t size, const struct aw_link_ops *ops, struct aw_clock *clock);

/* Waits until fd can be read: AW_OK, AW_TIMEOUT, AW_STOPPED, or AW_LOST with its text. */
enum aw_status aw_fd_await(struct aw_link *link, int fd, int64_t deadline, struct aw_error *err);

/* read(2). Who ends without having read resets its socket; what it had sent comes behind that, a
 * last stop among it, and is read here. */
ssize_t aw_fd_read_now(int fd, void *buf, size_t cap);

/* Reads, writes, closes and frees a plain one; for ops and for building upon. */
enum aw_status aw_fd_read(struct aw_link *link, void *buf, size_t cap, size_t *got,
                          int64_t deadline, struct aw_error *err);
enum aw_status aw_fd_write(struct aw_link *link, const void *buf, size_t size,
                           struct aw_error *err);
/* For servers: writes what is taken at once and keeps the rest for the next call and for reading,
 * where it goes out as there is room. AW_OK, also where older messages had to be dropped for it:
 * base.dropped counts them. AW_TIMEOUT: nothing has been taken for a second; said once a second.
 * AW_LOST. */
enum aw_status aw_fd_offer(struct aw_link *link, const void *buf, size_t size,
                           struct aw_error *err);

/* Forgets what waits to be taken. */
void aw_fd_forget(struct aw_fd_link *self);
void aw_fd_close(struct aw_link *link);

/* Closes a connection, so that what was written before gets there: for up to 0.2 s the peer may
 * read it and close its end. A close with bytes unread would reset the connection, and the peer
 * might never see the last bytes: a stop among them. */
void aw_fd_part(struct aw_link *link);
int aw_fd_fd(const struct aw_link *link);
bool aw_fd_raw(const struct aw_link *link, const void *buf, size_t size, struct aw_link_raw *raw);

/* What the kernel writes beside a datagram, with SO_TIMESTAMPNS and SO_RXQ_OVFL: when it came and
 * how many were lost, into base.rx_time_ns (0: unknown) and base.dropped. */
#define AW_STAMPS_SIZE (CMSG_SPACE(sizeof(struct timespec)) + CMSG_SPACE(sizeof(uint32_t)))
void aw_fd_read_stamps(struct aw_fd_link *self, struct msghdr *header);

extern const struct aw_link_ops aw_fd_ops;

/* AW_LOST with the text for errno (0: end of file), as found by reading or writing. */
enum aw_status aw_fd_lost(const struct aw_link *link, int error, struct aw_error *err);

#endif
