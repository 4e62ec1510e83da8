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
    size_t n_read;             /* bytes already read from the body of the first of them */
    /* number of the last frame sent; a loss of the lease increments it, so that late answers are
     * ignored */
    uint32_t frame_number;
    struct aw_error answer; /* outcome of the last frame or request */

    struct {
        unsigned number;    /* number of the lease; 0: this client does not hold it */
        bool in_command;    /* the current command needs the lease and has requested it */
        bool is_new;        /* the lease was not held when the current command began */
        bool awaits_reply;  /* waits for GRANTED, DONE or HELLO */
        bool loss_reported; /* the lease was lost; a notice tells when it is held again */
        /* why the lease was revoked, until the command's error gives the reason; status AW_OK:
         * not revoked */
        struct aw_error revocation;
    } lease;
};

/* client.c */
/* Queues a message for the server, and sends as much as the socket accepts. */
void aw_attached_send(struct aw_attached *attached, const struct aw_serve_message *m);
/* Reads from the socket once without blocking, and handles all complete messages. If the connection
 * has ended, sets is_closed. */
void aw_attached_handle(struct aw_attached *attached);
/* Sets err to the reason why the connection ended, and returns AW_LOST. */
enum aw_status aw_attached_fail(const struct aw_attached *attached, struct aw_error *err);
/* Waits for the reply while lease.awaits_reply is set, and returns its status. AW_TIMEOUT: no reply
 * for 5 s. AW_LOST: the connection ended. */
enum aw_status aw_attached_await_reply(struct aw_attached *attached, struct aw_error *err);
/* Requests the lease (with --take, takes it over) and waits for the reply. The command stop sends a
 * STOP instead. AW_REFUSED: another client holds the lease, which err names, or the server is full.
 * Other errors as in aw_attached_await_reply. */
enum aw_status aw_attached_request_lease(struct aw_attached *attached, struct aw_error *err);

/* Releases the lease if this client holds it. Without a server, prints a notice and returns
 * AW_OK. */
enum aw_status aw_share_release_lease(struct aw_session *session);

/* link.c */
/* Opens the link through the server. *link belongs to session->share.attached. Returns AW_OK. */
enum aw_status aw_attached_open(struct aw_session *session, struct aw_link **link);
/* Stores a PASSED message for the next read. Frames of other clients are only recorded, except on a
 * CAN bus. Drops the oldest message if more than 1 MiB are stored. */
void aw_attached_receive(struct aw_attached *attached, const struct aw_serve_message *m);
void aw_attached_flush(struct aw_attached *attached); /* drops unread bytes */

/* Adds the holder of the lease to the result: as JSON (null without a holder), or in text style as
 * text (nothing without a holder). */
void aw_commander_add_to_result(struct aw_session *session, const struct aw_commander *commander);

#endif
