/* Finds other programs that use a TCP server. To open a link to one, pass a URL with the scheme
 * tcp: to aw_link_open.
 *
 *     char who[96];
 *     if (aw_tcp_find_other_client(aw_link_fd(link), who, sizeof who))
 *         printf("also used by %s\n", who);
 */
#ifndef AW_LINK_CORE_TCP_H
#define AW_LINK_CORE_TCP_H

#include <stdbool.h>
#include <stddef.h>

/* Names another program on this machine that is connected to the same server: "MATLAB (pid 4711)".
 * fd is a connected socket. Returns false if no such program is visible (in /proc/net/tcp and
 * tcp6), or if fd is not a TCP socket. */
bool aw_tcp_find_other_client(int fd, char *out, size_t size);

struct aw_tcp_server {
    char host[48]; /* address for clients: "127.0.0.1", "::1", "192.168.0.7" */
    unsigned port;
    char server[96]; /* listening program: "ezphys-sim (pid 4711)"; "": no permission */
    char client[96]; /* a local program that is connected to it, or "" */
};

/* Lists servers on this machine: those that listen on this port, or on any port if their program
 * has this name. Returns their number, at most max. */
size_t aw_tcp_list_servers(const char *program, unsigned port, struct aw_tcp_server *servers,
                           size_t max);

#endif
