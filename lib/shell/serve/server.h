/* Internal to lib/shell/serve: the server of a device. It holds the link, gives the lease to one
 * client at a time, checks the frames that clients send, and stops what moves. */
#ifndef AW_SHELL_SERVE_SERVER_H
#define AW_SHELL_SERVE_SERVER_H

#include "shell/core/watchdog.h"
#include "shell/serve/conn.h"
#include "shell/serve/who.h"
#include "wire/split.h"

#define AW_PEERS_MAX    2048
#define AW_USER_PEERS   1024      /* of these, for one user of this machine */
#define AW_SPARES_MAX   32        /* more, which may only send a stop */
#define AW_QUEUES_MAX   (4 << 20) /* bytes of PASSED that wait for all clients together */
#define AW_LISTEN_MAX   4
#define AW_QUESTION_MAX 256 /* bytes of a question that is asked once for all */
#define AW_QUESTIONS    8
#define AW_TOGETHER     (2 * AW_MILLISECOND) /* PASSED messages wait so long for others */

/* A frame that waits for its board, or a question that waits for the answer to another one. */
struct aw_held {
    enum aw_verb type;
    int64_t until_ns;
    size_t size;
    uint8_t fields[]; /* of the message */
};

struct aw_peer {
    struct aw_server *server;
    struct aw_conn conn;
    struct aw_peer *next;
    struct aw_who who;
    struct aw_held *held; /* or NULL */
    int64_t seen_ns;      /* the last time that bytes of it were read */
    bool blocked;         /* the socket has no room for what waits */
    bool spare;           /* beyond the room for clients: only a stop is taken */
    bool left;            /* in order: what moves may go on */
    bool frames;          /* it gets what passes */
    bool asked;           /* it waits for an answer */
    bool plays;           /* something whose speed may be changed */
    bool wants, takes;    /* the lease, once the stop is over */
    bool halts;           /* it sent a stop, and waits for HALTED */
    bool keeps;           /* and held the lease before */
    bool more, over;      /* messages wait for its next turn, behind which nothing comes */
};

struct aw_question {
    size_t size, answer_size;
    int64_t asked_ns, answered_ns; /* by the session's clock; 0: not yet */
    bool open;
    const void *by; /* who asked last; only compared */
    uint8_t bytes[AW_QUESTION_MAX], answer[AW_QUESTION_MAX];
};

struct aw_listener {
    int fd;
    dev_t device; /* of the socket file, */
    ino_t inode;  /* to know whether another server has replaced it */
    char path[128];
    char url[160];
};

struct aw_server {
    struct aw_aside aside;
    struct aw_session *session;
    int all; /* epoll(7) of what clients say */
    struct aw_listener listeners[AW_LISTEN_MAX];
    size_t n_listeners;
    struct aw_peer *peers;
    unsigned n_peers, room; /* connections, and for how many there are descriptors */
    struct aw_who newest;   /* the last one that connected */

    /* The lease. */
    struct aw_peer *holder; /* or NULL */
    unsigned lease;         /* its number: frames with another one are refused */
    bool busy;              /* a command of the holder runs */
    bool moving;            /* something moves by it */
    int64_t since_ns, frame_ns;
    int64_t stops_until_ns; /* the holder's command is a stop: others wait so long; or 0 */
    int64_t deadman_ns;
    int64_t again_ns; /* when an unconfirmed stop is repeated; or 0 */
    bool halt;        /* the safe stop is to be sent, because: */
    char why[200];
    bool ends; /* the server ends: no lease is granted */

    /* The device. */
    bool closed;                  /* the link is in use: no client is served */
    bool serves;                  /* clients, at this moment */
    bool listens;                 /* the link is read: a write may have to interrupt that */
    bool broken;                  /* the link is lost */
    unsigned connections;         /* of the link when it was looked at last */
    const struct aw_peer *sender; /* of the frame that is being written, or NULL */
    struct aw_question questions[AW_QUESTIONS];
    struct aw_splitter received;
    struct aw_splitter check;    /* of the frame of a client */
    struct aw_watchdog watchdog; /* stops the device if this process dies or stands still */
    char url[256];               /* of the device */
    char other[256]; /* of the device of a server at the place where this one was to be; or "" */
    int64_t systemd_ns, alive_ns; /* period of signs of life for systemd, and the next one */
    struct aw_writer out;
};

/* peer.c */
int64_t aw_server_now(const struct aw_server *server);
/* fd becomes the peer's. NULL: no room. */
struct aw_peer *aw_peer_add(struct aw_server *server, int fd);
void aw_peer_watch(struct aw_peer *peer); /* for room in its socket, while something waits */
void aw_peer_flush(struct aw_peer *peer); /* sends what goes */
void aw_peer_put(struct aw_peer *peer, const struct aw_writer *w);
/* A message of a status and, unless it is NULL, a text. */
void aw_peer_say(struct aw_peer *peer, enum aw_verb type, enum aw_status status, const char *text);

/* clients.c */
enum aw_status aw_server_listen(struct aw_server *server, const char *url);
void aw_server_close(struct aw_server *server);
void aw_server_close_fds(const struct aw_server *server); /* in a child */
void aw_server_serve(struct aw_aside *aside);             /* all clients */
void aw_server_due(struct aw_server *server);             /* sets when to look again */

/* lease.c */
void aw_lease_who(const struct aw_server *server, struct aw_commander *commander);
void aw_lease_want(struct aw_server *server, struct aw_peer *peer, bool takes);
void aw_lease_release(struct aw_server *server);
/* A command of the holder has ended; moves: what it set going goes on for ms, or (0) for ever. */
void aw_lease_idle(struct aw_server *server, struct aw_peer *peer, bool moves, int64_t ms);
/* Takes the lease away and has the safe stop sent; status: of the command that this ends. */
void aw_lease_revoke(struct aw_server *server, enum aw_status status, const char *format, ...)
    __attribute__((format(printf, 3, 4)));
void aw_lease_stop(struct aw_server *server, struct aw_peer *peer);
void aw_lease_gone(struct aw_server *server, struct aw_peer *peer); /* its connection */
void aw_lease_halt(struct aw_server *server); /* sends the stop and reports its outcome */
int64_t aw_deadman_due(const struct aw_server *server);
void aw_deadman_look(struct aw_server *server);

/* frames.c */
void aw_frames_take(struct aw_peer *peer, enum aw_verb type, struct aw_reader fields);
void aw_frames_held(struct aw_peer *peer); /* if its time has come */
/* What a client that joins in the middle of a message has missed of it. */
void aw_frames_catch_up(struct aw_server *server, struct aw_peer *peer);
void aw_frames_pass(struct aw_session *session, bool tx, struct aw_span bytes, int64_t time_ns);

#endif
