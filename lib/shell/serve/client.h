/* Internal to lib/shell/serve: a client's connection to the server that holds its device. */
#ifndef AW_SHELL_SERVE_CLIENT_H
#define AW_SHELL_SERVE_CLIENT_H

#include "shell/serve/who.h"

struct aw_attached {
    struct aw_aside aside; /* sends signs of life and reads messages while the tool waits */
    struct aw_session *session;
    struct aw_conn conn;
    struct aw_address address;
    struct aw_hello hello;
    bool fresh_memory; /* hello.memory has not been used yet */
    bool over;         /* the connection has ended */
    char lost[320];    /* the reason, or "" */

    struct aw_link link;
    bool open;               /* the link */
    struct aw_buffer passed; /* unread PASSED messages */
    size_t taken;            /* bytes already read from the first message */
    uint32_t frames;         /* number of the last frame that was sent */
    struct aw_error answer;  /* outcome of the last frame or request */

    unsigned lease;      /* 0: this client does not hold the lease */
    bool started;        /* the current command holds the lease */
    bool fresh;          /* the current command acquired the lease */
    bool waits;          /* waits for GRANTED, DONE or HELLO */
    bool told;           /* the loss has been reported; the client requests the lease again */
    struct aw_error end; /* why the lease was revoked since the command or line began; AW_OK: not */
};

/* client.c */
void aw_attached_send(struct aw_attached *attached, const struct aw_mail *m);
void aw_attached_handle(struct aw_attached *attached); /* handles all received messages */
/* Fails with AW_LOST and the reason. */
enum aw_status aw_attached_fail(const struct aw_attached *attached, struct aw_error *err);
/* Waits for the reply and returns its status. */
enum aw_status aw_attached_await(struct aw_attached *attached, struct aw_error *err);
/* Requests the lease as the options demand. AW_REFUSED: the error names the holder. */
enum aw_status aw_attached_request(struct aw_attached *attached, struct aw_error *err);

/* Gives up the lease of this client. */
enum aw_status aw_share_release(struct aw_session *session);

/* link.c */
enum aw_status aw_attached_open(struct aw_session *session, struct aw_link **link);
void aw_attached_pass(struct aw_attached *attached, const struct aw_mail *m);
void aw_attached_flush(struct aw_attached *attached); /* drops unread bytes */

/* list.c: lists the servers on this machine; adds the holder of the lease to the result. */
size_t aw_share_list(struct aw_session *session);
void aw_commander_add(struct aw_session *session, const struct aw_commander *commander);

#endif
