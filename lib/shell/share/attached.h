/* Internal to lib/shell/share: the connection of a client to the server that has its device. */
#ifndef AW_SHELL_SHARE_ATTACHED_H
#define AW_SHELL_SHARE_ATTACHED_H

#include <jansson.h>
#include <termios.h>

#include "shell/core/session.h"
#include "shell/share/address.h"
#include "shell/share/conn.h"

struct aw_attached {
    struct aw_aside aside; /* while anything is waited for: signs of life, and what is told */
    struct aw_session *session;
    struct aw_conn conn;
    struct aw_address address;
    struct aw_link *mqtt; /* to the program that goes by a broker, or NULL */
    char device[256];     /* the server's link */
    int server;           /* its process */
    bool datagrams;
    int64_t period_ns;     /* of the signs of life */
    unsigned id;           /* of the request that runs */
    bool done, over;       /* that request; the connection */
    enum aw_status status; /* of it */
    char why[320];
    char lost[320];          /* why the connection is over, or "" */
    json_t *files;           /* that the command may read and write here */
    struct aw_error failed;  /* why one could not be written, or AW_OK */
    struct aw_link *looking; /* NULL: nobody looks on */
    /* Takes what is written on that link; NULL: it goes nowhere. */
    void (*ask)(struct aw_attached *attached, struct aw_span bytes);
};

/* keys.c: of a command that reads keys they go to the server, from begin, which says whether there
 * are any, to end. */
struct aw_keys {
    struct aw_aside aside;
    struct aw_attached *attached;
    struct termios before; /* of our terminal */
    bool on;
};
bool aw_keys_begin(struct aw_keys *keys, struct aw_attached *attached);
void aw_keys_read(struct aw_keys *keys);
void aw_keys_end(struct aw_keys *keys);

/* Sends one object as a line and frees it. */
void aw_attached_send(struct aw_attached *attached, json_t *object);

/* Handles all lines that have come. */
void aw_attached_take(struct aw_attached *attached);

/* The files that the running command names, with their content; and one that comes back. */
json_t *aw_client_files(const struct aw_session *session);
void aw_client_take_file(struct aw_attached *attached, const json_t *object);

/* A link of what passes the server's. The new one has not been asked for yet;
 * NULL: out of memory. */
struct aw_link *aw_look_new(struct aw_session *session, struct aw_attached *attached);
enum aw_status aw_look_open(struct aw_session *session, struct aw_link **link);
void aw_look_take(struct aw_attached *attached, const json_t *object);

/* For struct aw_sharing. */
size_t aw_share_list(struct aw_session *session);

#endif
