/* Internal to lib/shell/share: the server of a device. It has the link, says who commands, and
 * stops what moves; commands run in the processes of those who typed them, and send frames.
 * docs/sharing.md has the lines that both sides say. */
#ifndef AW_SHELL_SHARE_SERVER_H
#define AW_SHELL_SHARE_SERVER_H

#include <jansson.h>
#include <sys/types.h>

#include "shell/core/session.h"
#include "shell/core/watchdog.h"
#include "shell/share/conn.h"
#include "shell/share/who.h"
#include "view/text/where.h"
#include "wire/split.h"

#define AW_PEERS_MAX    1024
#define AW_SPARES_MAX   64  /* more, from which a stop is taken */
#define AW_USER_PEERS   512 /* of these, for one user of this machine */
#define AW_LISTEN_MAX   4
#define AW_ID_MAX       64
#define AW_REQUESTS_MAX 256 /* that one client may have waiting */
#define AW_QUESTION_MAX 256 /* bytes of a question that is asked once for all */
#define AW_QUESTIONS    8
#define AW_ENDING_MAX   64                   /* children that are left and have not ended yet */
#define AW_LINE_LIMIT   (256 << 10)          /* bytes of a line: a frame comes in one */
#define AW_TOGETHER     (2 * AW_MILLISECOND) /* records wait so long for others */

/* What a client wants to be told of all that passes the link, as JSON. */
struct aw_subscription {
    bool on;
    char id[AW_ID_MAX + 8]; /* as in struct aw_request */
    double rate_hz;         /* at most so many of each message; 0: all */
    int64_t next_ns[AW_MAX_MESSAGES];
    struct aw_view *view; /* of the feed */
    struct aw_where where;
};

/* A line of a client that is carried out by a child for it. */
struct aw_request {
    struct aw_request *next;
    char id[AW_ID_MAX + 8]; /* "\"id\":5," as its answers begin with it, or "" */
    int64_t until_ns;       /* it expires then; 0: never */
    char *refuse;           /* why it came too late to be carried out; or NULL */
    char line[];
};

struct aw_peer {
    struct aw_server *server;
    struct aw_conn conn;
    struct aw_peer *next;
    bool blocked; /* the socket has no room for what waits */
    bool spare;   /* beyond its user's share: a stop is taken of it */
    bool left;    /* in order: what goes on may go on */
    struct aw_who who;
    int64_t seen_ns;
    struct aw_subscription subscription;

    /* Frames: one of our own clients. */
    bool frames;           /* it gets what passes */
    bool asked;            /* it waits for an answer */
    bool plays;            /* something whose speed may be changed */
    int64_t until_ns;      /* it waits until then by the simulator's clock; AW_NEVER: it does not */
    json_t *held;          /* a frame that has to wait for its board */
    int64_t held_until_ns; /* until then */
    bool wants, takes;     /* to command, once the stop is over */
    bool halts;            /* it has said stop, and is told what came of it */
    bool keeps;            /* and commanded before, as it does then */
    char halt_id[AW_ID_MAX + 8];

    /* Lines: any other one has a child that carries them out. */
    struct aw_peer *owner; /* of a child's connections; NULL: it is nobody's */
    struct aw_peer *child; /* what is said to the one that it has, and by it; or NULL */
    pid_t pid;             /* of the child, at its end */
    struct aw_request *first, *last;
    unsigned waiting;
    bool busy;    /* the first one is being carried out, */
    bool dropped; /* and may not begin to move any more */
    bool more;    /* lines of it are here for its next turn, */
    bool over;    /* behind which nothing comes any more */
    bool drops;   /* what it had sent when it was stopped: until nothing more of that comes */
    char why[200];
};

/* One that several may ask, and its answer. */
struct aw_question {
    size_t size, answer_size;
    int64_t asked_ns, answered_ns; /* by the session's clock; 0: not yet */
    bool open;
    const void *by; /* who asked last; only compared */
    uint8_t bytes[AW_QUESTION_MAX], answer[AW_QUESTION_MAX];
};

struct aw_feed;

struct aw_listener {
    int fd;
    char path[128];
    dev_t device; /* of the socket file, */
    ino_t inode;  /* to know whether another server has replaced it */
    char url[160];
};

struct aw_server {
    struct aw_aside aside;
    struct aw_session *session;
    int all;   /* epoll(7) of what clients say */
    int spare; /* a descriptor for who comes when there are no more */
    struct aw_listener listeners[AW_LISTEN_MAX];
    size_t n_listeners;
    struct aw_peer *peers;
    unsigned n_peers, subscribers;
    struct aw_who newest; /* who came last, by a socket of this machine */

    const struct aw_peer *sender; /* of the frame that is being written, or NULL */

    /* The lease. */
    struct aw_peer *holder; /* who commands, or NULL */
    unsigned lease;         /* the number of its lease: another one's frames are refused */
    bool busy;              /* a command of its runs */
    bool moving;            /* something moves by it */
    int64_t since_ns, frame_ns;
    int64_t stops_until_ns; /* that command is a stop: who wants to command waits so long; or 0 */
    int64_t deadman_ns;
    int64_t again_ns;     /* when a stop is tried again that was not confirmed; 0: it was */
    bool halt;            /* the safe stop is to be sent, because: */
    char why[200];        /* */
    bool closed;          /* the link is in use: nobody is listened to */
    bool serves;          /* its clients, at this moment */
    bool listens;         /* the link is read: what is written may have to wake that up */
    bool broken;          /* the link was lost and is not there again */
    unsigned connections; /* that it had when it was looked at last */
    bool ends;            /* nobody may command any more */
    const char *home;     /* folder that lines may name files of; or NULL */
    struct aw_question questions[AW_QUESTIONS];
    double rate_hz;    /* the fastest that somebody wants to look on */
    int64_t ask_ns;    /* when the device is asked for those who look on; AW_NEVER: not */
    unsigned ask_turn; /* what for */
    char url[256];     /* of the device */
    char other[256];   /* of one that a server has which lives where we were to; or "" */
    struct aw_feed *feed;
    void (*answered)(struct aw_server *server, struct aw_span frame); /* by the device */
    pid_t ending[AW_ENDING_MAX];
    size_t n_ending;
    struct aw_watchdog watchdog; /* stops the device when this process is killed or stands still */
    FILE *log;
    int64_t watchdog_ns, alive_ns; /* systemd hears that often that this lives; and when next */
    uint8_t frame[AW_FRAME_ROOM];  /* of a client */
    struct aw_splitter check;      /* cuts it into messages */
};

/* peer.c: one connection, and what is put into its queue. */
int64_t aw_server_now(const struct aw_server *server);
/* fd, which it owns; NULL: there are so many, or no memory. */
struct aw_peer *aw_peer_add(struct aw_server *server, int fd, unsigned most);
void aw_peer_watch(struct aw_peer *peer); /* for room in its socket, while something waits */
void aw_peer_put(struct aw_peer *peer, const char *text, size_t size, bool record);
void aw_peer_tell(struct aw_peer *peer, json_t *object); /* which is taken over */
void aw_peer_say(struct aw_peer *peer, const char *format, ...)
    __attribute__((format(printf, 2, 3)));

/* hello.c */
void aw_peer_welcome(struct aw_server *server, struct aw_peer *peer);

/* peers.c: all of them. */
enum aw_status aw_server_listen(struct aw_server *server, const char *url);
void aw_server_close(struct aw_server *server);
void aw_server_close_fds(const struct aw_server *server); /* in a child */
void aw_server_serve(struct aw_aside *aside);             /* looks after all clients */
bool aw_server_lags(const struct aw_server *server);      /* somebody has not read all yet */
void aw_server_due(struct aw_server *server);             /* when to look again */

/* requests.c: what a line asked, and how it is answered. */
void aw_peer_done(struct aw_peer *peer, const char *id, const char *what, enum aw_status status,
                  const char *why);
void aw_peer_fail(struct aw_peer *peer, const char *id, enum aw_status status, const char *why);
void aw_peer_refuse_dropped(struct aw_peer *peer, const char *id);
void aw_peer_pop(struct aw_peer *peer);                         /* the first that waits */
void aw_peer_drop_lines(struct aw_peer *peer, const char *why); /* all; NULL: unanswered */

/* child.c: what carries out command lines. */
void aw_child_go_on(struct aw_peer *peer); /* the next one goes to its child */
/* A record with the id of what caused it, the end of that, or a line for people. Whose line it was,
 * if that is done now and the next one is under way; else NULL. */
struct aw_peer *aw_child_take(struct aw_peer *child, const char *line);
/* Of a client that goes its child ends by itself, when its connections do; one that has ended by
 * itself has carried out nothing more. */
void aw_peer_end_lines(struct aw_peer *peer);
void aw_children_reap(struct aw_server *server); /* those that have ended since they were left */

/* lines.c: what comes in. */
void aw_server_take_line(struct aw_peer *peer, char *line);

/* lease.c: who may command, and the end of that. */
void aw_lease_want(struct aw_server *server, struct aw_peer *peer, bool takes);
void aw_lease_release(struct aw_server *server);
/* A command of its is over; moves: what it set going goes on, for so long, or (0) without an end.
 */
void aw_lease_idle(struct aw_server *server, struct aw_peer *peer, bool moves, int64_t ms);
/* Nobody commands from here on, and the safe stop is sent; status: of the command that it ends. */
void aw_lease_revoke(struct aw_server *server, enum aw_status status, const char *format, ...)
    __attribute__((format(printf, 3, 4)));
void aw_lease_stop(struct aw_server *server, struct aw_peer *peer, const char *id);
void aw_lease_gone(struct aw_server *server, struct aw_peer *peer); /* its connection */
void aw_lease_halt(struct aw_server *server); /* sends that stop, and says what came of it */
json_t *aw_lease_who(const struct aw_server *server); /* commands; or null */
int64_t aw_deadman_due(const struct aw_server *server);
void aw_deadman_look(struct aw_server *server);

/* frames.c: frames of clients, on their way to the device. */
void aw_frames_take(struct aw_server *server, struct aw_peer *peer, json_t *object);
void aw_frames_ask(struct aw_server *server, struct aw_peer *peer, json_t *object);
void aw_frames_held(struct aw_server *server, struct aw_peer *peer); /* if its time has come */
void aw_frames_answered(struct aw_server *server, struct aw_span frame);
void aw_frames_look(struct aw_server *server); /* asks for those who look on, if it is time */

/* feed.c: what passes the link, to those who look on. */
enum aw_status aw_feed_open(struct aw_server *server);
json_t *aw_feed_fields(const struct aw_server *server); /* the names of all; NULL: too many */
void aw_feed_close(struct aw_server *server);
void aw_feed_traffic(struct aw_session *session, bool tx, struct aw_span bytes, int64_t time_ns);
enum aw_status aw_feed_subscribe(struct aw_server *server, struct aw_peer *peer, const char *id,
                                 const json_t *wanted, struct aw_error *err);
void aw_feed_last(struct aw_server *server, struct aw_peer *peer); /* what was said last */
void aw_feed_leave(struct aw_server *server, struct aw_peer *peer);
/* One frame to one client; what of a message has come already, to who comes in the middle. */
void aw_feed_give(struct aw_peer *peer, struct aw_span bytes, int64_t time_ns);
void aw_feed_catch_up(struct aw_server *server, struct aw_peer *peer);

#endif
