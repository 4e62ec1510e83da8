/* Internal to lib/shell/serve: the connection of a client to the server that has its device. */
#ifndef AW_SHELL_SERVE_CLIENT_H
#define AW_SHELL_SERVE_CLIENT_H

#include "shell/serve/who.h"

/* Bytes that have passed the server's link. */
struct aw_passed {
    struct aw_passed *next;
    int64_t time_ns;
    size_t size, taken;
    uint8_t bytes[];
};

struct aw_attached {
    struct aw_aside aside; /* while anything is waited for: signs of life, and what is told */
    struct aw_session *session;
    struct aw_conn conn;
    struct aw_address address;
    struct aw_hello hello;
    char key[128];     /* of the device */
    bool fresh_memory; /* hello.memory has not been used yet */
    bool over;         /* the connection */
    char lost[320];    /* why, or "" */

    struct aw_link *link; /* NULL: none is open */
    struct aw_passed *first, *last;
    unsigned n;
    uint32_t frames;       /* that were written */
    enum aw_status status; /* of the last one, or of what was asked last */
    char why[AW_REASON_MAX + 1];

    unsigned lease; /* 0: another program commands, or none */
    bool begun;     /* the command that runs has the lease, */
    bool fresh;     /* and got it for itself */
    bool waits;     /* for GRANTED, ACK, HALTED, DONE or COMMANDER */
    struct aw_commander commander;
    bool revoked; /* since the command began, or the line before was done; because: */
    bool told;    /* that the lease was taken, which is asked for again now */
    char reason[400];
    enum aw_status revoked_as;
    struct aw_writer out;
};

/* client.c: starts a message in out and returns that; sends it. */
struct aw_writer *aw_attached_start(struct aw_attached *attached, enum aw_verb type);
void aw_attached_send(struct aw_attached *attached);
void aw_attached_take(struct aw_attached *attached); /* handles all that has come */
/* AW_LOST with why. */
enum aw_status aw_attached_fail(const struct aw_attached *attached, struct aw_error *err);
/* Waits for the answer: its status. */
enum aw_status aw_attached_await(struct aw_attached *attached, struct aw_error *err);
/* Asks for the lease, as the options say: AW_REFUSED with who has it. */
enum aw_status aw_attached_want(struct aw_attached *attached, struct aw_error *err);

/* link.c */
enum aw_status aw_attached_open(struct aw_session *session, struct aw_link **link);
void aw_attached_pass(struct aw_attached *attached, struct aw_reader *r);
void aw_attached_flush(struct aw_attached *attached); /* drops what was not read */

/* list.c: the servers that run here; the holder of the lease, as an entry of the result. */
size_t aw_share_list(struct aw_session *session);
void aw_commander_add(struct aw_session *session, const struct aw_commander *commander);

#endif
