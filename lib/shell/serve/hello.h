/* Internal to lib/shell/serve: what a server says first. */
#ifndef AW_SHELL_SERVE_HELLO_H
#define AW_SHELL_SERVE_HELLO_H

#include "shell/serve/address.h"
#include "shell/serve/conn.h"
#include "shell/serve/who.h"

/* The first message of a server. */
struct aw_hello {
    char version[32], tool[24]; /* tool "": no server of ours */
    char url[256], key[128];    /* of its device */
    int pid;
    bool datagrams;
    int64_t deadman_ns; /* 0: none */
    uint32_t packets;   /* sum of its packet files */
    struct aw_commander commander;
    size_t memory_size;
    uint8_t memory[AW_MEMORY_MAX];
};

/* Waits for it: AW_OK, also where none comes until the deadline, or AW_STOPPED. */
enum aw_status aw_hello_await(struct aw_conn *conn, struct aw_clock *clock, int64_t deadline,
                              struct aw_hello *hello);

/* Looks at a server: its hello, and the process that listens. False: none listens there, errno. */
bool aw_hello_look(struct aw_session *session, const struct aw_address *address, struct aw_who *who,
                   struct aw_hello *hello);

#endif
