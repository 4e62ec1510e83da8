/* Internal to lib/shell/serve: a client's connection to the server that holds its device. */
#ifndef AW_SHELL_SERVE_CLIENT_H
#define AW_SHELL_SERVE_CLIENT_H

#include "shell/serve/who.h"

struct aw_attached {
    /* sends signs of life and reads messages while the tool waits */
    struct aw_background background;
    struct aw_session *session;
    struct aw_conn conn;
    struct aw_address address;
    struct aw_hello hello;
    bool has_new_memory;   /* hello.memory has not been used yet */
    bool is_closed;        /* the connection has ended */
    char loss_reason[320]; /* why the connection ended, or "" */

    struct aw_link link;
    bool is_open;              /* the link is open */
    struct aw_buffer received; /* unread PASSED messages */
    size_t n_read;             /* bytes already read from the first message */
    uint32_t frame_number;     /* number of the last frame that was sent */
    struct aw_error answer;    /* outcome of the last frame or request */

    struct {
        unsigned number;    /* 0: this client does not hold the lease */
        bool in_command;    /* the current command holds the lease */
        bool is_new;        /* the current command acquired the lease */
        bool awaits_reply;  /* waits for GRANTED, DONE or HELLO */
        bool loss_reported; /* the loss has been reported; the client requests the lease again */
        /* why the lease was revoked since the command or line began; AW_OK: not revoked */
        struct aw_error revocation;
    } lease;
};

/* client.c */
/* Queues a message for the server, and sends as much as the socket accepts. */
void aw_attached_send(struct aw_attached *attached, const struct aw_serve_message *m);
void aw_attached_handle(struct aw_attached *attached); /* handles all received messages */
/* Fails with AW_LOST and the reason. */
enum aw_status aw_attached_fail(const struct aw_attached *attached, struct aw_error *err);
/* Waits for the reply and returns its status. */
enum aw_status aw_attached_await_reply(struct aw_attached *attached, struct aw_error *err);
/* Requests the lease as the options demand. AW_REFUSED: the error names the holder. */
enum aw_status aw_attached_request_lease(struct aw_attached *attached, struct aw_error *err);

/* Gives up the lease of this client. */
enum aw_status aw_share_release_lease(struct aw_session *session);

/* link.c */
/* Opens the link through the server; the session's connection owns it. */
enum aw_status aw_attached_open(struct aw_session *session, struct aw_link **link);
/* Stores bytes of the link for the next read, and passes other clients' frames to recordings. */
void aw_attached_receive(struct aw_attached *attached, const struct aw_serve_message *m);
void aw_attached_flush(struct aw_attached *attached); /* drops unread bytes */

/* Adds the holder of the lease to the result. */
void aw_commander_add_to_result(struct aw_session *session, const struct aw_commander *commander);

#endif
