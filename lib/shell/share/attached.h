/* Internal to lib/shell/share: the connection of a client to the server that has its device. */
#ifndef AW_SHELL_SHARE_ATTACHED_H
#define AW_SHELL_SHARE_ATTACHED_H

#include <jansson.h>

#include "shell/core/session.h"
#include "shell/share/address.h"
#include "shell/share/conn.h"
#include "shell/share/who.h"

/* Bytes that have passed the server's link. */
struct aw_passed {
    struct aw_passed *next;
    int64_t time_ns, at_ns; /* at: by the clock of a simulator that does not wait */
    size_t size, taken;
    uint8_t bytes[];
};

struct aw_attached {
    struct aw_aside aside; /* while anything is waited for: signs of life, and what is told */
    struct aw_session *session;
    struct aw_conn conn;
    struct aw_address address;
    char device[256]; /* the server's link */
    char key[128];    /* what that is */
    int server;       /* its process */
    bool datagrams, virtual;
    int64_t at_ns;     /* by the clock of a simulator that does not wait */
    int64_t period_ns; /* of the signs of life */
    int64_t now_ns;    /* time that the server has let pass, as it was asked */
    bool over;         /* the connection */
    char lost[320];    /* why, or "" */

    struct aw_link *link; /* NULL: none is open */
    struct aw_passed *first, *last;
    unsigned n;
    json_int_t frames;     /* that were written */
    enum aw_status status; /* of the last one, or of what was asked last */
    char why[320];

    unsigned lease; /* 0: another one commands, or nobody */
    bool begun;     /* the command that runs has been let in, */
    bool fresh;     /* and had no lease before */
    json_t *hello;  /* of the server, until what it knows of the conversation is used; or NULL */
    bool waits;     /* for an answer about the lease, the stop, the last frame, */
    json_t *asks;   /* or this, which is done then; or NULL */
    json_t *answer; /* to that; or NULL */
    bool revoked;   /* since the command began, or the line before was done; because: */
    bool told;      /* that somebody has taken the lease, which is asked for again now */
    char reason[400];
    enum aw_status revoked_as;
};

/* client.c: sends one object as a line and frees it; handles all lines that have come. */
void aw_attached_send(struct aw_attached *attached, json_t *object);
void aw_attached_take(struct aw_attached *attached);
/* AW_LOST with why. */
enum aw_status aw_attached_fail(const struct aw_attached *attached, struct aw_error *err);

/* way.c: to a server: conn is to be freed then, and *hello, its first line, is the caller's; NULL:
 * it says nothing. What one says that refuses. */
enum aw_status aw_way_open(struct aw_session *session, const struct aw_address *address,
                           struct aw_conn *conn, json_t **hello);
enum aw_status aw_way_refused(const struct aw_address *address, const json_t *hello,
                              struct aw_error *err);

/* The same of a server that is only looked at: its first line, or NULL, and whose process it is.
 * False: nobody listens there, with errno. */
bool aw_way_look(struct aw_session *session, const struct aw_address *address, struct aw_who *who,
                 json_t **hello);

/* See struct aw_sharing. */
enum aw_status aw_way_serves(struct aw_session *session, const char *url, char *tool, char *place);

/* link.c */
enum aw_status aw_attached_open(struct aw_session *session, struct aw_link **link);
void aw_attached_pass(struct aw_attached *attached, const json_t *object);
void aw_attached_flush(struct aw_attached *attached); /* what was not read is old */
/* Until there is an answer: what that is. */
enum aw_status aw_attached_await(struct aw_attached *attached, struct aw_error *err);
/* Asks for the lease, as the options say: AW_REFUSED with who has it. */
enum aw_status aw_attached_want(struct aw_attached *attached, struct aw_error *err);

/* list.c: the servers that run here; who commands, as an entry of the result. */
size_t aw_share_list(struct aw_session *session);
void aw_commander_add(struct aw_session *session, const json_t *who);

/* obey.c: a child of a server. */
enum aw_status aw_obey_allow(struct aw_session *session, const struct aw_args *args);

#endif
