/* Internal to lib/shell/serve: the peer of a connection, the holder of the lease, and a server's
 * first message. */
#ifndef AW_SHELL_SERVE_WHO_H
#define AW_SHELL_SERVE_WHO_H

#include <sys/types.h>

#include "shell/serve/address.h"
#include "shell/serve/conn.h"

/* A local process. */
struct aw_peer_info {
    pid_t pid;
    uid_t uid;
    char program[32], user[32];
    char text[96]; /* "hidmotor (pid 4711, alice)" */
};

/* The holder of the lease. */
struct aw_commander {
    struct aw_peer_info who; /* pid 0: no client holds the lease */
    double for_s;            /* time since the lease was granted, s */
    double idle_s;           /* time since the last frame, s; 0 during a motion */
};

/* Identifies the local program at the other end of the socket. known: a peer whose user name is
 * reused if its user is the same, or NULL. */
void aw_peer_identify(struct aw_peer_info *info, int fd, const struct aw_peer_info *known);

/* Writes "hidmotor (pid 4711, alice) for 3.2 s, idle for 0.1 s", or a JSON object; without a
 * holder, null as JSON. out has at least AW_COMMANDER_TEXT bytes. */
#define AW_COMMANDER_TEXT 512
void aw_commander_write_text(const struct aw_commander *commander, char *out);
void aw_commander_write_json(const struct aw_commander *commander, char *out);

/* The first message of a server, and its answer to GET_HELLO. */
struct aw_hello {
    char version[32], tool[24]; /* tool is "" if this is not an armwire server */
    char url[256], key[128];    /* URL and key of its device */
    int pid, datagrams;         /* the server's process; 1 if its link carries datagrams */
    int64_t deadman_ns;         /* see struct aw_server; 0: no limit */
    uint32_t packets;           /* checksum of the server's packet files */
    struct aw_commander commander;
    uint32_t memory_size; /* used bytes of memory, see aw_memory_save */
    uint8_t memory[AW_MEMORY_MAX];
};

/* Reads a hello. Another version may have more or fewer fields after the tool's name. */
void aw_hello_read(const struct aw_serve_message *m, struct aw_hello *hello);

/* Connects and waits at most wait_ns for the hello. Returns AW_OK even if none arrives; hello->tool
 * is then "". AW_NO_LINK: cannot connect; errno is set. AW_STOPPED: the wait was interrupted. The
 * caller frees conn, also on failure. */
enum aw_status aw_hello_open(struct aw_session *session, const struct aw_address *address,
                             int64_t wait_ns, struct aw_conn *conn, struct aw_hello *hello,
                             struct aw_error *err);

/* Asks a server for its hello, waiting at most 1 s for it, and for the process that listens (who,
 * optional). Returns false with errno and err (optional) set if it cannot connect. */
bool aw_hello_query(struct aw_session *session, const struct aw_address *address,
                    struct aw_peer_info *who, struct aw_hello *hello, struct aw_error *err);

#endif
