/* Who has a port, a terminal, a connection: as the kernel's tables and /proc say it of this
 * process. */
#include "link_helper.h"

#include <arpa/inet.h>
#include <errno.h>
#include <fcntl.h>
#include <grp.h>
#include <limits.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <stdio.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <termios.h>
#include <unistd.h>

#include "link/core/port.h"
#include "link/core/tcp.h"

static char us[96]; /* "test_port (pid 4711)" */

static int begin(void **state)
{
    (void)state;
    aw_port_process((long)getpid(), us, sizeof us);
    return strncmp(us, "test_port (pid ", 15) == 0 ? 0 : -1;
}

/* A socket at a port of its own choice, which is returned. */
static int socket_at(int family, int type, const char *address, unsigned *port)
{
    struct sockaddr_storage at = {.ss_family = (sa_family_t)family};
    struct sockaddr_in *v4 = (struct sockaddr_in *)&at;
    struct sockaddr_in6 *v6 = (struct sockaddr_in6 *)&at;
    socklen_t size = family == AF_INET ? sizeof *v4 : sizeof *v6;
    int fd = socket(family, type | SOCK_CLOEXEC, 0);
    inet_pton(family, address, family == AF_INET ? (void *)&v4->sin_addr : (void *)&v6->sin6_addr);
    if (fd < 0 || bind(fd, (struct sockaddr *)&at, size) != 0) {
        close(fd);
        return -1;
    }
    assert_int_equal(getsockname(fd, (struct sockaddr *)&at, &size), 0);
    *port = ntohs(family == AF_INET ? v4->sin_port : v6->sin6_port);
    return fd;
}

static void datagram_ports_have_holders(void **state)
{
    (void)state;
    static const struct {
        int family;
        const char *address;
    } cases[] = {{AF_INET, "127.0.0.1"}, {AF_INET6, "::1"}};
    for (int i = 0; i < 2; i++) {
        char holder[96] = "";
        unsigned port;
        int fd = socket_at(cases[i].family, SOCK_DGRAM, cases[i].address, &port);
        if (fd < 0)
            continue; /* no IPv6 here */
        assert_true(aw_udp_socket(port) != 0);
        assert_true(aw_udp_holder(port, holder, sizeof holder));
        assert_string_equal(holder, us);
        close(fd);
        assert_int_equal(aw_udp_socket(port), 0);
        assert_false(aw_udp_holder(port, holder, sizeof holder));
    }
}

static int connected_to(unsigned port)
{
    struct sockaddr_in at = {.sin_family = AF_INET, .sin_port = htons((uint16_t)port)};
    at.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    int fd = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
    assert_int_equal(connect(fd, (struct sockaddr *)&at, sizeof at), 0);
    return fd;
}

static void servers_are_found_by_name_and_by_port(void **state)
{
    (void)state;
    static const struct {
        int family;
        const char *address, *host;
    } cases[] = {{AF_INET, "127.0.0.1", "127.0.0.1"},
                 {AF_INET, "0.0.0.0", "127.0.0.1"},
                 {AF_INET, "127.0.0.2", "127.0.0.2"},
                 {AF_INET6, "::1", "::1"},
                 {AF_INET6, "::", "127.0.0.1"}};
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        struct aw_tcp_server found[4];
        unsigned port;
        int fd = socket_at(cases[i].family, SOCK_STREAM, cases[i].address, &port);
        if (fd < 0)
            continue;
        assert_int_equal(aw_tcp_servers("test_port", port, found, 4),
                         0); /* it does not listen yet */
        assert_int_equal(listen(fd, 4), 0);
        assert_int_equal(aw_tcp_servers("test_por", 0, found, 4), 0);
        assert_int_equal(aw_tcp_servers("somebody", port, found, 4), 1);
        assert_int_equal(aw_tcp_servers("test_port", 0, found, 4), 1);
        assert_string_equal(found[0].host, cases[i].host);
        assert_int_equal(found[0].port, port);
        assert_string_equal(found[0].server, us);
        assert_string_equal(found[0].client, "");
        assert_int_equal(aw_tcp_servers("test_port", 0, found, 0), 0);
        close(fd);
    }
}

static void other_clients_of_a_server_are_named(void **state)
{
    (void)state;
    struct aw_tcp_server found[2];
    char who[96] = "";
    unsigned port, other;
    int server = socket_at(AF_INET, SOCK_STREAM, "127.0.0.1", &port);
    int second = socket_at(AF_INET, SOCK_STREAM, "127.0.0.1", &other);
    assert_int_equal(listen(server, 4), 0);
    assert_int_equal(listen(second, 4), 0);
    int first = connected_to(port), elsewhere = connected_to(other);
    assert_false(aw_tcp_other_client(first, who, sizeof who));
    assert_int_equal(aw_tcp_servers("", port, found, 2), 1);
    assert_string_equal(found[0].client, us);
    int more = connected_to(port);
    assert_true(aw_tcp_other_client(first, who, sizeof who));
    assert_string_equal(who, us);
    assert_false(aw_tcp_other_client(elsewhere, who, sizeof who));
    assert_false(aw_tcp_other_client(-1, who, sizeof who));
    assert_false(aw_tcp_other_client(STDIN_FILENO, who, sizeof who));
    const int all[] = {server, second, first, elsewhere, more};
    for (size_t i = 0; i < sizeof all / sizeof *all; i++)
        close(all[i]);
}

/* A client that vanished is noticed after some twenty seconds, and no segment waits to be filled.
 */
static void served_connections_are_kept_alive(void **state)
{
    (void)state;
    static const struct {
        int level, name, value;
    } options[] = {{IPPROTO_TCP, TCP_NODELAY, 1},
                   {SOL_SOCKET, SO_KEEPALIVE, 1},
                   {IPPROTO_TCP, TCP_KEEPIDLE, 10},
                   {IPPROTO_TCP, TCP_KEEPINTVL, 3},
                   {IPPROTO_TCP, TCP_KEEPCNT, 3}};
    struct aw_real_clock clock = aw_real_clock(-1);
    struct aw_link *server = open_link("tcp-listen:127.0.0.1:0", &clock.base);
    struct aw_link *client = open_link(server->ready, &clock.base);
    assert_read_is(server, AW_EVENT, AW_SECOND);
    for (size_t i = 0; i < sizeof options / sizeof *options; i++) {
        int value = 0;
        socklen_t size = sizeof value;
        assert_int_equal(
            getsockopt(aw_link_fd(server), options[i].level, options[i].name, &value, &size), 0);
        assert_int_equal(value, options[i].value);
    }
    aw_link_close(client);
    aw_link_close(server);
}

static void a_terminal_made_here_is_raw(void **state)
{
    (void)state;
    struct aw_real_clock clock = aw_real_clock(-1);
    struct aw_link *device = open_link("pty:", &clock.base);
    char holder[96];
    struct termios modes;
    int fd = open(strchr(device->ready, ':') + 1, O_RDWR | O_NOCTTY | O_CLOEXEC);
    assert_true(fd >= 0);
    assert_int_equal(tcgetattr(fd, &modes), 0);
    assert_int_equal(modes.c_lflag & (ECHO | ICANON | ISIG), 0);
    assert_int_equal(modes.c_oflag & OPOST, 0);
    assert_int_equal(modes.c_cflag & (CSIZE | CREAD), CS8 | CREAD);
    assert_int_equal(cfgetospeed(&modes), B38400); /* what the kernel begins with */
    assert_true(fcntl(aw_link_fd(device), F_GETFL) & O_NONBLOCK);
    assert_true(fcntl(aw_link_fd(device), F_GETFD) & FD_CLOEXEC);
    assert_true(aw_port_holder(strchr(device->ready, ':') + 1, holder, sizeof holder));
    assert_string_equal(holder, us);
    assert_false(aw_port_holder("/dev/null/nothing", holder, sizeof holder));
    close(fd);
    aw_link_close(device);
}

static void problems_have_advice(void **state)
{
    (void)state;
    static const struct {
        int error;
        const char *advice;
    } cases[] = {
        {EACCES, "not permitted — ask its owner, or look at ls -l"},
        {EPERM, "not permitted — ask its owner, or look at ls -l"},
        {EBUSY, "busy, another program has it — end that first"},
        {EWOULDBLOCK, "busy, another program has it — end that first"},
        {ENOENT, "no such port — is it plugged in and switched on? See 'list'"},
        {ENODEV, "no such port — is it plugged in and switched on? See 'list'"},
        {ENXIO, "no such port — is it plugged in and switched on? See 'list'"},
        {EIO, "Input/output error"},
    };
    char text[200], path[] = "/tmp/test_port.XXXXXX";
    int fd = mkstemp(path);
    assert_true(fd >= 0);
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        aw_port_problem(path, cases[i].error, text, sizeof text);
        assert_string_equal(text, cases[i].advice);
        aw_port_problem("/no/such/port", cases[i].error, text, sizeof text);
        assert_string_equal(text, cases[i].advice);
    }
    const struct group *group = getgrnam("dialout");
    if (group && fchown(fd, (uid_t)-1, group->gr_gid) == 0) { /* as root only */
        for (int writable = 0; writable < 2; writable++) {
            assert_int_equal(fchmod(fd, writable ? 0660 : 0640), 0);
            aw_port_problem(path, EACCES, text, sizeof text);
            assert_string_equal(text, writable ? "not permitted — add yourself to group dialout: "
                                                 "sudo usermod -aG dialout $USER, then log in again"
                                               : cases[0].advice);
        }
        assert_int_equal(fchown(fd, (uid_t)-1, 0), 0);
        assert_int_equal(fchmod(fd, 0660), 0);
        aw_port_problem(path, EACCES, text, sizeof text);
        assert_string_equal(text, cases[0].advice); /* nobody is to join root */
    }
    close(fd);
    unlink(path);
}

static void paths_and_names(void **state)
{
    (void)state;
    char here[PATH_MAX], out[PATH_MAX], name[32] = "";
    assert_true(aw_absolute_path("/tmp/nothing-there", out, sizeof out));
    assert_string_equal(out, "/tmp/nothing-there");
    assert_true(aw_absolute_path("/nothing-there", out, sizeof out));
    assert_string_equal(out, "/nothing-there");
    assert_true(aw_absolute_path("/tmp/../tmp/./x", out, sizeof out));
    assert_string_equal(out, "/tmp/x");
    assert_true(aw_absolute_path("/tmp/x", out, 7));
    assert_false(aw_absolute_path("/tmp/x", out, 6));
    assert_false(aw_absolute_path("/no/such/folder/x", out, sizeof out));
    assert_non_null(getcwd(here, sizeof here - 8));
    assert_true(aw_absolute_path("x", out, sizeof out));
    assert_string_equal(out, strcat(here, "/x"));
    assert_false(aw_port_in_sysfs("/no/such/port", NULL, 0));
    assert_false(aw_port_in_sysfs("/dev/null", name, sizeof name));
    assert_string_equal(name, "null");
    assert_false(aw_port_in_sysfs("/etc/passwd", name, sizeof name));
    assert_false(aw_port_in_sysfs("/dev/pts/ptmx", name, sizeof name));
    assert_string_equal(name, "null");
    if (access("/sys/class/tty/tty", F_OK) == 0)
        assert_true(aw_port_in_sysfs("/dev/tty", name, sizeof name));
    assert_false(aw_port_symlink("/etc/passwd", out, sizeof out));
    assert_false(aw_port_symlink("/no/such/port", out, sizeof out));
    aw_port_key("/no/such/port", out, sizeof out);
    assert_string_equal(out, "/no/such/port");
    aw_port_key("/dev/../dev/null", out, sizeof out);
    assert_string_equal(out, "/dev/null");
}

/* Who locks it comes before who has it open; nobody's is nobody's. */
static void holders_and_sharers(void **state)
{
    (void)state;
    char who[96] = "";
    struct aw_error err = {.text = ""};
    int fd;
    assert_false(aw_port_holder("/no/such/port", who, sizeof who));
    assert_false(aw_port_holder("/etc/passwd", who, sizeof who));
    assert_false(aw_port_sharer(-1, who, sizeof who));
    assert_int_equal(aw_port_lock("/no/such/port", &fd, &err), AW_NO_LINK);
    assert_int_equal(fd, -1);
    assert_string_equal(err.text, "/no/such/port: no such port — is it plugged in and switched on? "
                                  "See 'list'");
    struct aw_real_clock clock = aw_real_clock(-1);
    struct aw_link *device = open_link("pty:", &clock.base);
    const char *path = strchr(device->ready, ':') + 1;
    char wanted[200];
    int second;
    assert_int_equal(aw_port_lock(path, &fd, &err), AW_OK);
    assert_true(fd >= 0 && fcntl(fd, F_GETFD) & FD_CLOEXEC && fcntl(fd, F_GETFL) & O_NONBLOCK);
    assert_true(aw_port_holder(path, who, sizeof who));
    assert_string_equal(who, us);
    assert_int_equal(aw_port_lock(path, &second, &err), AW_NO_LINK);
    assert_int_equal(second, -1);
    snprintf(wanted, sizeof wanted, "%s: busy, %s has it — end that first", path, us);
    assert_string_equal(err.text, wanted);
    assert_false(aw_port_sharer(fd, who, sizeof who)); /* but for this process */
    close(fd);
    aw_link_close(device);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(datagram_ports_have_holders),
        cmocka_unit_test(servers_are_found_by_name_and_by_port),
        cmocka_unit_test(other_clients_of_a_server_are_named),
        cmocka_unit_test(served_connections_are_kept_alive),
        cmocka_unit_test(a_terminal_made_here_is_raw),
        cmocka_unit_test(problems_have_advice),
        cmocka_unit_test(paths_and_names),
        cmocka_unit_test(holders_and_sharers),
    };
    return cmocka_run_group_tests(tests, begin, NULL);
}
