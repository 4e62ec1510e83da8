/* Internal to lib/shell/share: the server of a device. */
#ifndef AW_SHELL_SHARE_SERVER_H
#define AW_SHELL_SHARE_SERVER_H

#include <jansson.h>
#include <sys/types.h>

#include "shell/core/session.h"
#include "shell/share/conn.h"
#include "view/text/where.h"

#define AW_PEERS_MAX    1024
#define AW_LISTEN_MAX   4
#define AW_ID_MAX       64
#define AW_FILES_MAX    8
#define AW_REQUESTS_MAX 256 /* that one client may have waiting */
#define AW_QUESTION_MAX 256 /* bytes of what a child asks the device */

/* A program at the other end. */
struct aw_who {
    pid_t pid;
    char program[32], user[32];
};

/* What a client wants to be told of all that passes the link. */
struct aw_subscription {
    bool on;
    bool passive;           /* only what passes anyway */
    bool frames;            /* bytes, for a client of ours; else records as JSON */
    bool begun;             /* frames: the first one at a boundary of messages has come */
    char id[AW_ID_MAX + 8]; /* as in struct aw_request */
    double rate_hz;         /* at most so many of each message; 0: all */
    int64_t next_ns[AW_MAX_MESSAGES];
    struct aw_view *view; /* of the feed */
    struct aw_where where;
};

struct aw_peer {
    struct aw_server *server;
    struct aw_conn conn;
    bool blocked; /* the socket has no room for what waits */
    struct aw_peer *next;
    bool welcome; /* it has shown the token, or needs none */
    bool left;    /* in order: what goes on may go on */
    struct aw_who who;
    int64_t seen_ns;
    unsigned waiting; /* requests */
    bool follows;     /* who commands */
    bool reads;       /* only: it changes nothing */
    struct aw_subscription subscription;

    /* Of a child that carries out a request beside, see beside.c: */
    pid_t child; /* 0: it is none */
    struct aw_request *request;
    size_t question; /* bytes of what it asks the device; 0: nothing */
    uint8_t bytes[AW_QUESTION_MAX];
};

struct aw_request {
    struct aw_request *next;
    struct aw_peer *peer;   /* NULL: it has gone */
    char id[AW_ID_MAX + 8]; /* "\"id\":5," as its answers begin with it, or "" */
    json_t *object;         /* NULL: a plain line */
    char *line;             /* of a script; NULL: one of our own client */
    bool halt;              /* the safe stop, and nothing else */
    char *refuse;           /* why it came too late to be carried out, if it is no stop; or NULL */
    int64_t until_ns;       /* it expires then, if it is no stop */
};

struct aw_feed;

/* One that a command reads or writes: how the client calls it, and where it is here. */
struct aw_shared_file {
    char name[512], path[256];
};

struct aw_listener {
    int fd;
    bool token; /* clients must show it */
    char path[128];
    char url[160];
};

struct aw_server {
    struct aw_aside aside;
    struct aw_sink sink;
    struct aw_session *session;
    int all; /* epoll(7) of what clients say */
    struct aw_listener listeners[AW_LISTEN_MAX];
    size_t n_listeners;
    char token[128];
    struct aw_peer *peers;
    unsigned n_peers, subscribers, askers; /* of these, who wants the device to be asked */
    struct aw_request *first, *last, *running;
    struct aw_peer *commander;
    struct aw_link *mqtt;          /* to the program that brings clients by a broker, or NULL */
    const struct aw_peer *bringer; /* that program as a client; NULL: it is gone */
    int64_t since_ns;              /* that it is it */
    int64_t deadman_ns;
    bool halt;                 /* what goes on is to be stopped; why says for what reason */
    bool interrupted;          /* by a Ctrl-C of the client that it runs for */
    bool idle;                 /* waits for requests */
    bool broken;               /* the link was lost and is not there again */
    int keys;                  /* types on the terminal of the command that runs; -1: it has none */
    bool asked;                /* the device owes an answer, where it only answers */
    bool beside;               /* this is a child of the server */
    char why[160];             /* the running command was stopped by somebody else */
    char rate[32];             /* the fastest that somebody wants to look on */
    char url[256];             /* of the device */
    char other[256];           /* of one that a server has which lives where we were to; or "" */
    struct aw_options options; /* before any command */
    struct aw_feed *feed;
    pid_t guard;
    int guard_fd;
    FILE *log;
    int64_t watchdog_ns, alive_ns; /* systemd hears that often that this lives; and when next */
    char folder[120];              /* for files of clients; "" none yet */
    size_t n_files;                /* of the running command */
    struct aw_shared_file files[AW_FILES_MAX];
};

/* peers.c: connections, and what they say. */
enum aw_status aw_server_listen(struct aw_server *server, const char *url);
void aw_server_close(struct aw_server *server);
void aw_server_close_fds(const struct aw_server *server); /* in a child */
void aw_server_serve(struct aw_aside *aside);             /* looks after all clients */
bool aw_server_lags(const struct aw_server *server);      /* somebody has not read all yet */
void aw_server_due(struct aw_server *server);             /* when to look again */
void aw_peer_put(struct aw_peer *peer, const char *text, size_t size, bool record);
struct aw_peer *aw_peer_add(struct aw_server *server, int fd); /* which it owns; NULL: too many */
void aw_peer_welcome(struct aw_server *server, struct aw_peer *peer);
void aw_peer_resume(struct aw_peer *peer); /* a request of it is done: the next may come */
void aw_peer_say(struct aw_peer *peer, const char *format, ...)
    __attribute__((format(printf, 2, 3)));

/* gateway.c: starts what brings clients by a broker. */
enum aw_status aw_server_bring(struct aw_server *server, const char *url);

/* beside.c: what only asks is carried out beside the command that runs, by a child, and so is what
 * is refused because another one commands. */
bool aw_beside_start(struct aw_server *server, struct aw_request *request); /* taken over: true */
void aw_beside_take(struct aw_peer *child, const char *line);
/* Would it change something while a command of the commander's runs, who is another one? takes: it
 * takes the commander's place. */
bool aw_beside_rivals(const struct aw_server *server, const struct aw_request *request,
                      bool *takes);
void aw_beside_ask(struct aw_server *server); /* what children wait for, if the link is free */
void aw_beside_interrupt(const struct aw_server *server, const struct aw_peer *peer, int number);
void aw_beside_forget(struct aw_server *server, const struct aw_peer *peer); /* it has gone */
void aw_beside_end(struct aw_peer *child);

/* requests.c: a line that has come in becomes a request, or is answered at once. */
void aw_server_take_line(struct aw_server *server, struct aw_peer *peer, const char *line);
void aw_request_free(struct aw_request *request);
void aw_server_forget(struct aw_server *server, const struct aw_peer *peer);
void aw_server_interrupt(struct aw_server *server, const char *format, ...)
    __attribute__((format(printf, 2, 3)));

/* lease.c: who may command. */
enum aw_status aw_lease_allow(struct aw_session *session, struct aw_args *args);
void aw_lease_end(struct aw_server *server);
void aw_lease_follow(struct aw_server *server, struct aw_peer *peer); /* hears who commands */
void aw_who_text(const struct aw_server *server, char *out, size_t size);
void aw_who_local(struct aw_who *who, int fd);
bool aw_server_moves(const struct aw_server *server);
int64_t aw_deadman_due(const struct aw_server *server);

/* feed.c: what passes the link, to those who look on. */
enum aw_status aw_feed_open(struct aw_server *server);
/* The names of all fields, as JSON strings with commas between; NULL: out of memory. Freed by the
 * caller. */
char *aw_feed_fields(struct aw_server *server);
void aw_feed_close(struct aw_server *server);
void aw_feed_traffic(struct aw_session *session, bool tx, struct aw_span bytes, int64_t time_ns);
enum aw_status aw_feed_subscribe(struct aw_server *server, struct aw_peer *peer, const char *id,
                                 const json_t *wanted, struct aw_error *err);
void aw_feed_leave(struct aw_server *server, struct aw_peer *peer);
void aw_feed_hear(struct aw_peer *peer); /* it gets all bytes from here on */

/* execute.c: one request after the other, and where its output goes. */
void aw_server_put(struct aw_sink *sink, bool error, const char *text, size_t size);
void aw_server_execute(struct aw_server *server);

/* files.c: files of a client's command, [{"file":"run.csv","data":"base64"}]. */
enum aw_status aw_files_put(struct aw_server *server, const json_t *files);
const char *aw_files_path(const struct aw_server *server, const char *name); /* NULL: not sent */
char *aw_files_names(const struct aw_server *server, const char *text,
                     size_t size); /* a copy in which they have their own names; NULL: no memory */
void aw_files_return(struct aw_server *server, struct aw_peer *peer, const char *id);
void aw_files_end(const struct aw_server *server);

/* keys.c: a terminal for the command that runs, on which its client types. */
void aw_terminal_begin(struct aw_server *server);
void aw_terminal_type(const struct aw_server *server, const char *text);
void aw_terminal_end(struct aw_server *server);

/* guard.c: the child that stops the device when this process is killed. */
void aw_guard_start(struct aw_server *server);
void aw_guard_end(struct aw_server *server);

#endif
