/* A link transfers bytes or datagrams to and from a device. A URL names the link; a vtable
 * implements it.
 *
 *     struct aw_real_clock clock = aw_real_clock(-1);
 *     struct aw_link_options options = {.clock = &clock.base};
 *     struct aw_link *link;
 *     if (aw_link_open(&link, "tcp:127.0.0.1:4000", &options, &err) != AW_OK)
 *         return fail(err.text); // the reason and a remedy
 *     aw_link_write(link, "0DEG1,090\r\n", 11, &err);
 *     int64_t deadline = aw_clock_now(link->clock) + AW_SECOND;
 *     aw_link_read(link, buf, sizeof buf, &got, deadline, &err);
 *     aw_link_close(link);
 *
 * A URL is scheme:rest?key=value&key=value (see url.h). Any link accepts the fault keys drop dup
 * corrupt reorder delay jitter seed (see fault.h). A path without a scheme is a serial port or a
 * pty. Links are not thread-safe.
 *
 * A datagram of a CAN link is a classic frame: its identifier (2 bytes for 11 bits, 4 for 29, see
 * wire/can_id.h), then 0 to 8 data bytes. RTR and FD frames are skipped.
 */
#ifndef AW_LINK_CORE_LINK_H
#define AW_LINK_CORE_LINK_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/clock.h"
#include "base/status.h"
#include "wire/table.h"

struct aw_link;
struct aw_link_options;
struct aw_turns;
struct aw_url;

struct sockaddr;

/* A prepared write for signal handlers, which may not call aw_link_write. The handler sends the
 * bytes to fd by sendto(2) if there is an address, else by write(2). */
struct aw_link_raw {
    uint8_t *bytes;
    size_t cap, size;
    int fd;                         /* owned by the link; valid until it is lost or closed */
    const struct sockaddr *address; /* owned by the link, or NULL */
    unsigned address_size;
};

/* Functions of a transport. Call them through aw_link_read and the functions below. */
struct aw_link_ops {
    /* Reads at least one byte (one datagram on datagram links), and waits until the deadline.
     * Returns AW_OK with *got > 0, AW_TIMEOUT, AW_STOPPED, AW_LOST (the other end is gone), or
     * AW_EVENT. AW_EVENT means no data, but a new client (servers, see n_connections) or an event
     * (CAN and UDP links, see rx.event). Fills err for AW_LOST only. */
    enum aw_status (*read)(struct aw_link *link, void *buf, size_t cap, size_t *got,
                           int64_t deadline, struct aw_error *err);
    /* Writes all bytes (one datagram on datagram links). A request to stop does not interrupt it,
     * because the device's stop is also sent by this function. Returns:
     *   AW_OK
     *   AW_TIMEOUT  the other end read nothing for a second
     *   AW_LOST     the link is lost, or the other end read a part and then nothing for a second:
     *               it would take the next message for the rest of this one
     *   AW_REFUSED  the CAN adapter did not accept the frame
     *   AW_USAGE    not a valid CAN frame or HID report
     * Servers never block. Unsent output is queued; the oldest is dropped when the queue is full. A
     * server without a client drops everything and returns AW_OK. A pty whose output is unread for
     * a second returns AW_TIMEOUT. A server disconnects a client that reads nothing for a second if
     * another one waits. */
    enum aw_status (*write)(struct aw_link *link, const void *buf, size_t size,
                            struct aw_error *err);
    void (*close)(struct aw_link *link); /* also frees the link */
    /* Returns the descriptor for poll(2). Returns -1 if it has no descriptor: read the link
     * periodically. The descriptor may change, so call this before each poll(2). Read until
     * AW_TIMEOUT first, because poll(2) does not see datagrams in the link's buffers. NULL: the
     * link never has a descriptor. */
    int (*fd)(const struct aw_link *link);
    /* Prepares a write: fills *raw, whose bytes and cap the caller has set. Returns false if the
     * bytes do not fit or there is no client. NULL: not supported. */
    bool (*raw)(const struct aw_link *link, const void *buf, size_t size, struct aw_link_raw *raw);
};

/* Common beginning of every link. Transports append their own data. */
struct aw_link {
    const struct aw_link_ops *ops;
    struct aw_clock *clock; /* not owned */
    bool datagrams;         /* the medium preserves the boundaries of messages */
    bool is_simulated;
    bool is_recording; /* a capture: drops writes; AW_LOST at its end is not an error */
    /* Number of connections so far. It is 1 on sim: and on a client's tcp: or unix: link. It is
     * always 0 on media without connections (serial ports, ptys). On these, the device cannot
     * detect that another program opens the line, so the host saves the device's state by key,
     * too. */
    unsigned n_connections;
    bool no_client;         /* servers: no client is connected */
    struct aw_turns *turns; /* see aw_link_start_turn; NULL: the link has no turns */
    bool is_lost;           /* a read or write has returned AW_LOST, and none has succeeded since */
    char key[128]; /* identifies the device in saved data, independent of the URL's spelling: the
                        /dev/serial/by-id name or real path of a port, the absolute path of a
                        symlink to a pty, or "tcp:HOST:PORT" */
    char client_url[160]; /* servers: URL for clients, printed as "ready: URL"; else "" */

    struct {
        /* Properties of the last read. A link that does not know one leaves it 0, false or "". */
        int64_t time_ns; /* receipt by kernel or adapter, ns since 1970; 0: unknown */
        /* the datagram was sent on the bus by this program or, in a recording, by the host */
        bool is_echo;
        /* describes an error frame, a change or a problem: "bus-off …", "interface down", "no
         * program is listening …"; "": no event in the last read */
        char event[160];
    } rx;
    uint64_t n_dropped; /* frames dropped by the kernel or the adapter so far; servers: messages
                           dropped because clients were too slow */
    /* udp: number of datagrams discarded because their sender is not the peer */
    uint64_t n_refused;
};

/* Describes a transport. A list of transports ends with {0}. */
struct aw_transport {
    const char *scheme;      /* "tcp" */
    const char *usage;       /* "tcp:HOST:PORT" */
    const char *help;        /* description, one line */
    const char *const *keys; /* accepted URL parameters, NULL-terminated, or NULL */
    bool is_server;          /* the device's end, for "sim --listen" */
    enum aw_status (*open)(struct aw_link **out, const struct aw_url *url,
                           const struct aw_link_options *options, struct aw_error *err);
};

/* Opens a link by its URL, like aw_link_open. */
typedef enum aw_status aw_link_opener(struct aw_link **out, const char *url,
                                      const struct aw_link_options *options, struct aw_error *err);

/* Options for opening a link. clock is required and not owned; all others may be zero. */
struct aw_link_options {
    struct aw_clock *clock;
    const struct aw_transport *extra;   /* the tool's own sim:, or NULL */
    void *context;                      /* argument for extra->open */
    const struct aw_protocol *protocol; /* supplies the default ports and boards, and the kind of
                                           damage (see fault.h). NULL: URLs must name them, and hid:
                                           is not available */
    /* For transports that open another link; aw_link_open sets them. */
    aw_link_opener *open;
    const struct aw_transport *transports;
};

/* Read from and write to a link; see struct aw_link_ops. deadline is a time of the link's clock,
 * ns. */
enum aw_status aw_link_read(struct aw_link *link, void *buf, size_t cap, size_t *got,
                            int64_t deadline, struct aw_error *err);
enum aw_status aw_link_write(struct aw_link *link, const void *buf, size_t size,
                             struct aw_error *err);

/* Closes a link; accepts NULL. Shuts down a connection with written bytes properly, which may take
 * 0.2 s, so that a peer that is still sending receives the last message. */
void aw_link_close(struct aw_link *link);
/* Return the descriptor for poll(2) or -1, and prepare a write; see struct aw_link_ops. */
int aw_link_fd(const struct aw_link *link);
bool aw_link_raw(const struct aw_link *link, const void *buf, size_t size, struct aw_link_raw *raw);

/* Waits for this program's turn at the device, until the deadline or a request to stop. Several
 * programs may have a hid: device open, and each receives all answers, so programs with this
 * library take turns. Returns true if the turn has started; the caller must end it. Returns false
 * if the turn was not free in time, or if the link has no turns or is in one already. The caller
 * may then continue without the turn. */
bool aw_link_start_turn(struct aw_link *link, int64_t deadline);
/* Ends the turn that aw_link_start_turn has started. */
void aw_link_end_turn(struct aw_link *link);

/* Names another program that has the device open: "MATLAB (pid 4711)". Returns false if there is no
 * such program. */
bool aw_link_find_sharer(const struct aw_link *link, char *out, size_t size);

/* For links around another link: copies all members except ops. Call it again after every read of
 * the inner link, because its n_connections and counters may have changed. */
void aw_link_inherit(struct aw_link *outer, const struct aw_link *inner);

#endif
