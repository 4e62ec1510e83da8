/* Internal to lib/shell/serve: the server of a device. It holds the link, grants the lease to one
 * client at a time, checks the clients' frames, and stops the motion. */
#ifndef AW_SHELL_SERVE_SERVER_H
#define AW_SHELL_SERVE_SERVER_H

#include "shell/safety/watchdog.h"
#include "shell/serve/who.h"
#include "wire/split.h"

#define AW_PEERS_MAX    2048      /* max connections, without spare ones */
#define AW_USER_PEERS   1024      /* max connections of one local user, without spare ones */
#define AW_SPARES_MAX   32        /* additional connections that get the lease only for a stop */
#define AW_QUEUES_MAX   (4 << 20) /* max bytes of PASSED queued for all clients together */
#define AW_LISTEN_MAX   4         /* max sockets for clients */
#define AW_QUESTION_MAX 256       /* max bytes of a shared question, and of its answer */
#define AW_QUESTIONS    8         /* shared questions that the server remembers */
/* max delay of PASSED messages, to send several at once */
#define AW_TOGETHER (2 * AW_MILLISECOND)

/* A client. All times of the server are those of aw_server_now. */
struct aw_peer {
    struct aw_server *server;
    struct aw_conn conn;
    struct aw_peer *next;
    struct aw_peer_info who;
    /* when its first message is due: a frame that waits for its board, or a question that waits for
     * its turn; 0: now */
    int64_t due_ns;
    int64_t received_ns; /* time when bytes last came from the client */
    bool is_blocked;     /* the socket has no room for queued output */
    bool is_spare;       /* beyond a limit of connections: gets the lease only for a stop */
    bool receives_bytes; /* receives the bytes that pass over the link */
    bool awaits_answer;  /* sent a frame; nothing has come from the device since */
    bool is_playing;     /* plays something whose speed can be changed */
    /* requests for the lease or a stop that wait for an answer */
    struct {
        bool wanted, takes_over; /* waits for the lease; takes it over from its holder */
        bool sent_stop;          /* sent a stop, which has not ended yet */
        bool had_lease;          /* held the lease when it sent the stop */
    } lease;
    bool has_messages; /* may have unhandled messages */
    bool input_ended;  /* no more input follows: the connection ends after the last message */
};

/* A frame to the device, and its last answer. */
struct aw_question {
    size_t size, answer_size;
    int64_t asked_ns, answered_ns; /* 0: not yet */
    const void *asked_by;          /* the last client that asked; only its address is compared */
    uint8_t bytes[AW_QUESTION_MAX], answer[AW_QUESTION_MAX];
};

struct aw_listener {
    int fd;
    dev_t device; /* device of the socket file */
    ino_t inode;  /* inode of the socket file, to detect a replacement */
    char path[108];
};

struct aw_server {
    struct aw_background background;
    struct aw_session *session;
    struct {
        int epoll_fd; /* epoll(7) instance for input of clients */
        struct aw_listener listeners[AW_LISTEN_MAX];
        size_t n_listeners;
        struct aw_peer *peers;
        /* number of connections; limit that follows from the file descriptors */
        unsigned n_peers, max_peers;
        struct aw_peer_info newest; /* the newest connection */
    } clients;

    struct {
        struct aw_peer *holder; /* client that holds the lease, or NULL */
        unsigned number;        /* number of the lease: frames with another number are refused */
        bool in_command;        /* a command of the holder is running */
        bool moving;            /* a motion of the holder is in progress */
        int64_t granted_ns;
        int64_t frame_ns; /* time of the last frame, grant, or end of a command */
        /* max time without a message of the holder during a motion; 0: no limit */
        int64_t deadman_ns;
    } lease;
    struct {
        int64_t end_ns;   /* until then a client's stop command delays others; 0: no such command */
        int64_t retry_ns; /* when to repeat an unconfirmed stop; 0: never */
        bool is_due;      /* the safe stop must be sent; reason says why */
        char reason[200];
    } stop;
    bool is_ending; /* the server is shutting down: it grants no lease */

    bool is_stopping; /* a stop is being sent: the server serves no client */
    struct {
        bool is_serving;
        bool is_reading; /* the server is reading the link: a write may interrupt that */
        bool link_lost;
        unsigned connections;         /* the link's n_connections at the last check */
        const struct aw_peer *sender; /* client whose frame is being written, or NULL */
        struct aw_question questions[AW_QUESTIONS];
        struct aw_question *open_question; /* the unanswered question, or NULL */
        struct aw_splitter received;
        struct aw_splitter checker; /* checks the frames of clients */
        char url[256];              /* URL of the device */
        /* device of another server that uses this server's default address; or "" */
        char other_device[256];
    } device;
    struct aw_watchdog watchdog; /* stops the device if this process dies or stalls */
    struct {
        /* interval of the signs of life for systemd, and the due time of the next one */
        int64_t interval_ns, due_ns;
    } systemd;
};

/* peer.c */
int64_t aw_server_now(const struct aw_server *server); /* ns of the session's real clock */
/* Adds a peer that owns fd. If the server is full or out of memory, closes fd and returns NULL. */
struct aw_peer *aw_peer_add(struct aw_server *server, int fd);
void aw_peer_watch(struct aw_peer *peer); /* waits for space in its socket while output is queued */
void aw_peer_flush(struct aw_peer *peer); /* sends as much as the socket accepts */
/* Queues a message and flushes. A PASSED may wait up to AW_TOGETHER, unless the client holds the
 * lease or awaits an answer. */
void aw_peer_send(struct aw_peer *peer, const struct aw_serve_message *m);
/* Answers a request (number 0) or a frame with DONE. */
void aw_peer_answer(struct aw_peer *peer, uint32_t number, enum aw_status status, const char *why);

/* clients.c */
/* Listens on the socket of a URL, see aw_address_parse; replaces a stale socket file. AW_USAGE: an
 * invalid URL, or too many sockets. AW_NO_LINK: the socket is in use or cannot be created. */
enum aw_status aw_server_listen(struct aw_server *server, const char *url);
void aw_server_close(struct aw_server *server);         /* closes all; removes the socket files */
void aw_server_close_fds(void *server);                 /* called in a child process */
void aw_server_serve(struct aw_background *background); /* serves all clients */
void aw_server_set_due(struct aw_server *server);       /* sets the time of the next check */

/* lease.c */
/* Describes the holder; who.pid 0: no client holds the lease. */
void aw_lease_get_holder(const struct aw_server *server, struct aw_commander *commander);
/* Handles a request for the lease: grants or refuses it, or waits for the end of a stop. takes:
 * revokes the lease of another holder. */
void aw_lease_request(struct aw_server *server, struct aw_peer *peer, bool takes);
/* Ends the lease, if any; a motion continues. Then grants it to a waiting client. */
void aw_lease_release(struct aw_server *server);
/* Handles the end of a command of the holder: an IDLE message. Ignores it from other clients. */
void aw_lease_end_command(struct aw_server *server, struct aw_peer *peer,
                          const struct aw_serve_message *idle);
/* Revokes the lease, if any, and makes the safe stop due. Reports the formatted reason to the
 * clients, with status as the outcome of the command that this ends. */
void aw_lease_revoke(struct aw_server *server, enum aw_status status, const char *format, ...)
    __attribute__((format(printf, 3, 4)));
/* Handles a STOP: revokes the lease, stops a motion, and grants the lease to the client. */
void aw_lease_handle_stop(struct aw_server *server, struct aw_peer *peer);
/* handles the end of the client's connection */
void aw_lease_handle_exit(struct aw_server *server, struct aw_peer *peer);
void aw_lease_stop_device(struct aw_server *server); /* sends the stop and reports its outcome */
/* Returns when the deadman time of the holder ends; AW_NEVER: no motion, or no deadman time. */
int64_t aw_lease_deadman_due(const struct aw_server *server);
/* Revokes the lease if that time has come. Also repeats an unconfirmed stop when that is due, and
 * ends the time that a stop command has. */
void aw_lease_check_deadman(struct aw_server *server);

/* frames.c */
/* Checks and sends the frame of a FRAME or ASK, or sets peer->due_ns if that must wait. Answers a
 * FRAME with DONE. */
void aw_frames_handle(struct aw_peer *peer, const struct aw_serve_message *m);
/* Sends a client that joins in the middle of a message the bytes that it missed. */
void aw_frames_send_missed(struct aw_server *server, struct aw_peer *peer);
/* Forwards bytes on the link to the clients. tx: sent to the device, not from it. time_ns: see
 * aw_session_time. */
void aw_frames_forward(struct aw_session *session, bool tx, struct aw_span bytes, int64_t time_ns);

#endif
