/* Internal to lib/shell/serve: the program at the other end of a connection, and the one that holds
 * the lease. */
#ifndef AW_SHELL_SERVE_WHO_H
#define AW_SHELL_SERVE_WHO_H

#include <sys/types.h>

#include "shell/serve/message.h"

struct aw_who {
    pid_t pid;
    uid_t uid;
    char program[32], user[32];
};

/* The holder of the lease. */
struct aw_commander {
    struct aw_who who; /* pid 0: none */
    double for_s, idle_s;
};

/* The program of this machine at the other end of the socket. known: a peer whose user's name need
 * not be looked up again; or NULL. */
void aw_who_local(struct aw_who *who, int fd, const struct aw_who *known);

void aw_commander_put(struct aw_writer *w, const struct aw_commander *commander);
void aw_commander_get(struct aw_reader *r, struct aw_commander *commander);

/* "hidmotor (pid 4711, alice) for 3.2 s, idle for 0.1 s", or the same as JSON. At least
 * AW_COMMANDER_TEXT bytes. */
#define AW_COMMANDER_TEXT 512
void aw_commander_words(const struct aw_commander *commander, char *out);
void aw_commander_json(const struct aw_commander *commander, char *out);

#endif
