/* Internal to lib/shell/share: who is at the other end of a connection, and who commands. */
#ifndef AW_SHELL_SHARE_WHO_H
#define AW_SHELL_SHARE_WHO_H

#include <jansson.h>
#include <stddef.h>
#include <sys/types.h>

struct aw_who {
    pid_t pid;
    uid_t uid;
    char program[32], user[32];
};

/* The program of this machine at the other end of the socket. known: of another one, whose user's
 * name need not be looked up again; or NULL. */
void aw_who_local(struct aw_who *who, int fd, const struct aw_who *known);

/* {"program":…,"pid":…,"user":…}, as the server says it. */
json_t *aw_who_json(const struct aw_who *who);

/* That of who commands, for people: "hidmotor (pid 4711, alice) for 3.2 s, idle for 0.1 s". At
 * least 160 bytes. */
void aw_who_words(const json_t *who, char *out, size_t size);

#endif
