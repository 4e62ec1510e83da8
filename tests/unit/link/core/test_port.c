/* Tests how the holder of a port, terminal or connection is found. The kernel's tables and /proc
 * show this process, a fake /proc shows others. */
#include "file_helper.h"

#include <arpa/inet.h>
#include <grp.h>
#include <inttypes.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/sysmacros.h>
#include <sys/un.h>
#include <termios.h>
#include <unistd.h>

#include "link/core/port.h"
#include "link/core/tcp.h"

static char name[16]; /* "port4711": a unique process name */
static char us[96];   /* "port4711 (pid 4711)" */

/* Requires that a function finds this program for its argument; "": none. */
#define assert_finds(find, argument, wanted)                                                       \
    do {                                                                                           \
        char who[96] = "";                                                                         \
        assert_int_equal(find(argument, who, sizeof who), *(wanted) != '\0');                      \
        assert_string_equal(who, wanted);                                                          \
    } while (0)

/* Requires these servers, "HOST PORT SERVER; CLIENT" each. */
static void assert_servers(const char *called, unsigned port, const char *wanted)
{
    struct aw_tcp_server found[4];
    char text[400] = "";
    size_t n = aw_tcp_list_servers(called, port, found, 4), used = 0;
    for (size_t i = 0; i < n; i++)
        used += (size_t)snprintf(text + used, sizeof text - used, "%s %u %s; %s\n", found[i].host,
                                 found[i].port, found[i].server, found[i].client);
    assert_string_equal(text, wanted);
}

static void begin(void)
{
    snprintf(name, sizeof name, "port%ld", (long)getpid());
    int named = prctl(PR_SET_NAME, name);
    aw_port_name_process((long)getpid(), us, sizeof us);
    assert_true(named == 0 && strcmp(us, text_of("%s (pid %ld)", name, (long)getpid())) == 0);
}

TEST(holder_of_a_datagram_port_is_found)
{
    static const struct {
        int family;
        const char *address;
    } cases[] = {{AF_INET, "127.0.0.1"}, {AF_INET6, "::1"}};
    for (int i = 0; i < 2; i++) {
        unsigned port;
        int fd = socket_at(cases[i].family, SOCK_DGRAM, cases[i].address, &port);
        if (fd < 0)
            continue; /* this machine has no IPv6 */
        assert_true(aw_udp_find_socket(port) != 0);
        assert_finds(aw_udp_find_holder, port, us);
        close(fd);
        assert_int_equal(aw_udp_find_socket(port), 0);
        assert_finds(aw_udp_find_holder, port, "");
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

TEST(servers_are_found_by_name_and_by_port)
{
    static const struct {
        int family;
        const char *address, *host;
    } cases[] = {{AF_INET, "127.0.0.1", "127.0.0.1"},
                 {AF_INET, "0.0.0.0", "127.0.0.1"},
                 {AF_INET, "127.0.0.2", "127.0.0.2"},
                 {AF_INET6, "::1", "::1"},
                 {AF_INET6, "::", "127.0.0.1"}};
    EACH (row, cases) {
        unsigned port;
        FD fd = socket_at(row->family, SOCK_STREAM, row->address, &port);
        if (fd < 0)
            continue;
        assert_servers(name, port, ""); /* does not listen yet */
        assert_int_equal(listen(fd, 4), 0);
        const char *server = text_of("%s %u %s; \n", row->host, port, us);
        assert_servers("port", 0, "");
        assert_servers("somebody", port, server);
        assert_servers(name, 0, server);
        assert_int_equal(aw_tcp_list_servers(name, 0, &(struct aw_tcp_server){0}, 0), 0);
    }
}

TEST(other_clients_of_a_server_are_named)
{
    unsigned port, other;
    int server = socket_at(AF_INET, SOCK_STREAM, "127.0.0.1", &port);
    int second = socket_at(AF_INET, SOCK_STREAM, "127.0.0.1", &other);
    assert_int_equal(listen(server, 4), 0);
    assert_int_equal(listen(second, 4), 0);
    int first = connected_to(port), elsewhere = connected_to(other);
    assert_finds(aw_tcp_find_other_client, first, "");
    assert_servers("", port, text_of("127.0.0.1 %u %s; %s\n", port, us, us));
    int more = connected_to(port);
    assert_finds(aw_tcp_find_other_client, first, us);
    assert_finds(aw_tcp_find_other_client, elsewhere, "");
    assert_finds(aw_tcp_find_other_client, -1, "");
    assert_finds(aw_tcp_find_other_client, STDIN_FILENO, "");
    const int all[] = {server, second, first, elsewhere, more};
    EACH (row, all)
        close(*row);
}

/* Detects a vanished client after about twenty seconds. Segments are not delayed to be filled. */
TEST(served_connections_use_keepalive)
{
    static const struct {
        int level, name, value;
    } options[] = {{IPPROTO_TCP, TCP_NODELAY, 1},
                   {SOL_SOCKET, SO_KEEPALIVE, 1},
                   {IPPROTO_TCP, TCP_KEEPIDLE, 10},
                   {IPPROTO_TCP, TCP_KEEPINTVL, 3},
                   {IPPROTO_TCP, TCP_KEEPCNT, 3}};
    LINK server = opened("tcp-listen:127.0.0.1:0");
    LINK client = client_of(server);
    assert_read_is(server, AW_EVENT, AW_SECOND);
    EACH (row, options) {
        int value = 0;
        socklen_t size = sizeof value;
        assert_int_equal(getsockopt(aw_link_fd(server), row->level, row->name, &value, &size), 0);
        assert_int_equal(value, row->value);
    }
    int no_delay = 0;
    socklen_t size = sizeof no_delay;
    assert_int_equal(getsockopt(aw_link_fd(client), IPPROTO_TCP, TCP_NODELAY, &no_delay, &size), 0);
    assert_int_equal(no_delay, 1);
}

TEST(created_terminal_is_in_raw_mode)
{
    LINK device = opened("pty:");
    struct termios modes;
    FD fd = open(strchr(device->client_url, ':') + 1, O_RDWR | O_NOCTTY | O_CLOEXEC);
    assert_true(fd >= 0);
    assert_int_equal(tcgetattr(fd, &modes), 0);
    assert_int_equal(modes.c_lflag & (ECHO | ICANON | ISIG), 0);
    assert_int_equal(modes.c_oflag & OPOST, 0);
    assert_int_equal(modes.c_cflag & (CSIZE | CREAD), CS8 | CREAD);
    assert_int_equal(cfgetospeed(&modes), B38400); /* the kernel's default */
    assert_true(fcntl(aw_link_fd(device), F_GETFL) & O_NONBLOCK);
    assert_true(fcntl(aw_link_fd(device), F_GETFD) & FD_CLOEXEC);
    assert_finds(aw_port_find_holder, strchr(device->client_url, ':') + 1, us);
    assert_finds(aw_port_find_holder, "/dev/null/nothing", "");
}

TEST(port_errors_have_advice)
{
    static const struct {
        int error;
        const char *advice;
    } cases[] = {
        {EACCES, "permission denied — check its owner and mode with ls -l"},
        {EPERM, "permission denied — check its owner and mode with ls -l"},
        {EBUSY, "busy: in use by another program — end that program first"},
        {EWOULDBLOCK, "busy: in use by another program — end that program first"},
        {ENOENT, "port not found — plug the device in, switch it on, and see 'list'"},
        {ENODEV, "port not found — plug the device in, switch it on, and see 'list'"},
        {ENXIO, "port not found — plug the device in, switch it on, and see 'list'"},
        {EIO, "Input/output error"},
    };
    char text[200], path[] = "/tmp/test_port.XXXXXX";
    FD fd = mkstemp(path);
    assert_true(fd >= 0);
    EACH (row, cases) {
        aw_port_explain(path, row->error, text, sizeof text);
        assert_string_equal(text, row->advice);
        aw_port_explain("/no/such/port", row->error, text, sizeof text);
        assert_string_equal(text, row->advice);
    }
    const struct group *group = getgrnam("dialout");
    if (group && fchown(fd, (uid_t)-1, group->gr_gid) == 0) { /* only root may open it */
        for (int writable = 0; writable < 2; writable++) {
            assert_int_equal(fchmod(fd, writable ? 0660 : 0640), 0);
            aw_port_explain(path, EACCES, text, sizeof text);
            assert_string_equal(text, writable
                                          ? "permission denied — add yourself to group dialout: "
                                            "sudo usermod -aG dialout $USER, then log in again"
                                          : cases[0].advice);
        }
        assert_int_equal(fchown(fd, (uid_t)-1, 0), 0);
        assert_int_equal(fchmod(fd, 0660), 0);
        aw_port_explain(path, EACCES, text, sizeof text);
        assert_string_equal(text, cases[0].advice); /* root's group is never suggested */
    }
    unlink(path);
}

TEST(paths_are_made_absolute)
{
    char here[PATH_MAX], out[PATH_MAX], found[32] = "";
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
    assert_false(aw_port_in_sysfs("/dev/null", found, sizeof found));
    assert_string_equal(found, "null");
    assert_false(aw_port_in_sysfs("/etc/passwd", found, sizeof found));
    assert_false(aw_port_in_sysfs("/dev/pts/ptmx", found, sizeof found));
    assert_string_equal(found, "null");
    if (access("/sys/class/tty/tty", F_OK) == 0)
        assert_true(aw_port_in_sysfs("/dev/tty", found, sizeof found));
    assert_false(aw_port_find_symlink("/etc/passwd", out, sizeof out));
    assert_false(aw_port_find_symlink("/no/such/port", out, sizeof out));
    aw_port_find_key("/no/such/port", out, sizeof out);
    assert_string_equal(out, "/no/such/port");
    aw_port_find_key("/dev/../dev/null", out, sizeof out);
    assert_string_equal(out, "/dev/null");
}

TEST(lock_holder_is_reported_before_other_users)
{
    struct aw_error err = {.text = ""};
    int fd;
    assert_finds(aw_port_find_holder, "/no/such/port", "");
    assert_finds(aw_port_find_holder, "/etc/passwd", "");
    assert_finds(aw_port_find_sharer, -1, "");
    assert_int_equal(aw_port_lock("/no/such/port", &fd, &err), AW_NO_LINK);
    assert_int_equal(fd, -1);
    assert_string_equal(
        err.text,
        "/no/such/port: port not found — plug the device in, switch it on, and see 'list'");
    LINK device = opened("pty:");
    const char *path = strchr(device->client_url, ':') + 1;
    int second;
    assert_int_equal(aw_port_lock(path, &fd, &err), AW_OK);
    assert_true(fd >= 0 && fcntl(fd, F_GETFD) & FD_CLOEXEC && fcntl(fd, F_GETFL) & O_NONBLOCK);
    assert_finds(aw_port_find_holder, path, us);
    assert_int_equal(aw_port_lock(path, &second, &err), AW_NO_LINK);
    assert_int_equal(second, -1);
    assert_string_equal(err.text,
                        text_of("%s: busy: in use by %s — end that program first", path, us));
    assert_finds(aw_port_find_sharer, fd, ""); /* ignores this process */
    close(fd);
}

/* A fake /proc in which other processes have these files open. */
static struct {
    struct aw_link *device; /* owner of the terminal */
    struct stat terminal;
    int sockets[2];
    uint64_t inodes[2]; /* inodes of the sockets in the file system */
    char socket[100], another[100];
    struct stat says; /* replaces the terminal's st_rdev and st_dev unless 0 */
} others;

int fstatat(int directory, const char *restrict path, struct stat *restrict file, int flags)
{
    int result = NEXT64(fstatat)(directory, path, file, flags);
    if (others.says.st_rdev && result == 0) {
        file->st_rdev = others.says.st_rdev;
        file->st_dev += others.says.st_dev;
    }
    return result;
}

static void say_device(struct stat *file)
{
    if (others.says.st_rdev)
        file->st_rdev = others.says.st_rdev;
}

static uint64_t named_socket(int *fd, char path[100], const char *last)
{
    struct sockaddr_un at = {.sun_family = AF_UNIX};
    struct stat file;
    *fd = socket(AF_UNIX, SOCK_DGRAM | SOCK_CLOEXEC, 0);
    snprintf(at.sun_path, sizeof at.sun_path, "%s/%s", other_root, last);
    memcpy(path, at.sun_path, 100);
    assert_int_equal(bind(*fd, (struct sockaddr *)&at, sizeof at), 0);
    assert_int_equal(lstat(path, &file), 0);
    return file.st_ino;
}

static void begin_others(void)
{
    static struct aw_real_clock clock;
    clock = aw_real_clock(-1);
    memset(&others, 0, sizeof others);
    others.device = open_link("pty:", &clock.base);
    assert_int_equal(other_begin(), 0);
    others.inodes[0] = named_socket(&others.sockets[0], others.socket, "socket");
    others.inodes[1] = named_socket(&others.sockets[1], others.another, "another");
    other_too = "/proc";
    other_symlink("/dev/ttyAW0", strchr(others.device->client_url, ':') + 1);
    other_stat = say_device;
    assert_int_equal(stat("/dev/ttyAW0", &others.terminal), 0);
}

static void end_others(void)
{
    aw_link_close(others.device);
    close(others.sockets[0]);
    close(others.sockets[1]);
    assert_int_equal(other_end(), 0);
}

static void process_has(const char *pid, const char *called, const char *file)
{
    other_file(text_of("/proc/%s/comm", pid), called);
    other_symlink(text_of("/proc/%s/fd/3", pid), file);
}

static void process_ends(const char *pid)
{
    other_remove(text_of("/proc/%s", pid));
}

TEST_WITH(begin_others, end_others, holder_is_found_among_all_processes)
{
    static const char *const pids[] = {"1", "9", "10", "99999"};
    char own[20], wanted[96], file[100];
    const char *terminal = strchr(others.device->client_url, ':') + 1;
    process_has("self", "test_port\n", terminal);
    assert_finds(aw_port_find_holder, "/dev/ttyAW0", "");
    EACH (row, pids) {
        process_has(*row, "some thing\n", terminal);
        snprintf(wanted, sizeof wanted, "some thing (pid %s)", *row);
        assert_finds(aw_port_find_holder, "/dev/ttyAW0", wanted);
        process_ends(*row);
    }
    process_has("5", "", "/dev/null");
    assert_finds(aw_port_find_holder, "/dev/ttyAW0", "");
    assert_finds(aw_port_find_holder, "/dev/null", "(pid 5)");
    process_ends("5");

    /* A file shared with this process: this process is not reported. */
    snprintf(own, sizeof own, "%ld", (long)getpid());
    snprintf(file, sizeof file, "%s/file", other_root);
    FD fd = open(file, O_RDWR | O_CREAT | O_CLOEXEC, 0600);
    assert_true(fd >= 0);
    process_has(own, "test_port\n", file);
    assert_finds(aw_port_find_sharer, fd, "");
    process_has("7", "neighbour\n", others.another);
    assert_finds(aw_port_find_sharer, fd, "");
    process_has("8", "other\n", file);
    assert_finds(aw_port_find_sharer, fd, "other (pid 8)");
    /* The same inode on another file system. */
    others.says = (struct stat){.st_rdev = 1, .st_dev = 1};
    assert_finds(aw_port_find_sharer, fd, "");
}

/* A terminal is identified within its file system, any other device regardless of its file's
 * location. */
TEST_WITH(begin_others, end_others, terminals_of_other_containers_are_distinguished)
{
    static const struct {
        unsigned kind;
        bool same;
    } cases[] = {{4, true},    {135, true}, {136, false}, {137, false},
                 {143, false}, {144, true}, {188, true}};
    process_has("8", "other\n", strchr(others.device->client_url, ':') + 1);
    EACH (row, cases) {
        others.says = (struct stat){.st_rdev = makedev(row->kind, 1), .st_dev = 1};
        assert_finds(aw_port_find_holder, "/dev/ttyAW0", row->same ? "other (pid 8)" : "");
        others.says.st_dev = 0;
        assert_finds(aw_port_find_holder, "/dev/ttyAW0", "other (pid 8)");
    }
}

TEST_WITH(begin_others, end_others, holder_of_the_lock_is_reported_first)
{
    static const struct {
        const char *kind;
        unsigned major, minor;
        uint64_t inode; /* added to the terminal's inode */
        bool owner;
    } cases[] = {{"1: FLOCK  ADVISORY  WRITE 4711", 0, 0, 0, true},
                 {"1: POSIX  ADVISORY  WRITE 4711", 0, 0, 0, false},
                 {"1: -> FLOCK  ADVISORY  WRITE 4711", 0, 0, 0, false},
                 {"1: FLOCK  ADVISORY  WRITE 4711", 1, 0, 0, false},
                 {"1: FLOCK  ADVISORY  WRITE 4711", 0, 1, 0, false},
                 {"1: FLOCK  ADVISORY  WRITE 4711", 0, 0, 1, false}};
    const struct stat *file = &others.terminal;
    process_has("8", "open\n", strchr(others.device->client_url, ':') + 1);
    other_file("/proc/4711/comm", "lock\n");
    EACH (row, cases) {
        other_file("/proc/locks",
                   text_of("7: POSIX  ADVISORY  READ 12 00:01:2 0 EOF\n%s %02x:%02x:%" PRIu64
                           " 0 EOF\n"
                           "9: FLOCK  ADVISORY  WRITE 13 00:01:2 0 EOF\n",
                           row->kind, major(file->st_dev) + row->major,
                           minor(file->st_dev) + row->minor, file->st_ino + row->inode));
        assert_finds(aw_port_find_holder, "/dev/ttyAW0",
                     row->owner ? "lock (pid 4711)" : "open (pid 8)");
    }
}

/* Appends a row to a socket table of the kernel. */
static void add_socket(const char *table, const char *addresses, int socket_state, uint64_t inode)
{
    char to[PATH_MAX];
    const char *path = text_of("/proc/net/%s", table);
    if (access(path, F_OK) != 0)
        other_file(path, "  sl  local_address rem_address   st tx_queue rx_queue tr tm->when "
                         "retrnsmt   uid  timeout inode\n");
    const char *line = text_of(
        "   0: %s %02X 00000000:00000000 00:00000000 00000000     0        0 %" PRIu64 " 1\n",
        addresses, (unsigned)socket_state, inode);
    FILE *file = NEXT64(fopen)(other_path(path, to), "a");
    assert_non_null(file);
    assert_true(fputs(line, file) >= 0);
    assert_int_equal(fclose(file), 0);
}

TEST_WITH(begin_others, end_others, holder_of_a_datagram_port_is_another_process)
{
    static const char *const tables[] = {"udp", "udp6"};
    for (size_t i = 0; i < 2; i++) {
        /* A socket that is being closed. */
        add_socket(tables[i], "0100007F:7534 00000000:0000", 7, 0);
        add_socket(tables[i], "0100007F:7535 00000000:7534", 7, others.inodes[1]);
        assert_finds(aw_udp_find_holder, 0x7534, "");
        add_socket(tables[i], "0100007F:7534 00000000:0000", 7, others.inodes[0]);
        assert_int_equal(aw_udp_find_socket(0x7534), others.inodes[0]);
        assert_finds(aw_udp_find_holder, 0x7534, "");
        process_has("7", "neighbour\n", others.another);
        assert_finds(aw_udp_find_holder, 0x7534, "");
        process_has("1", "simulator\n", others.socket);
        assert_finds(aw_udp_find_holder, 0x7534, "simulator (pid 1)");
        other_remove("/proc/");
    }
}

TEST_WITH(begin_others, end_others, other_connection_to_the_same_server_is_found)
{
    static const struct {
        const char *own, *other;
        int own_state, other_state;
        bool found;
    } cases[] = {
        {"0100007F:0010 0100007F:0020", "0100007F:0011 0100007F:0020", 1, 1, true},
        {"0100007F:0010 0100007F:0020", "0200007F:0010 0100007F:0020", 1, 1, true},
        {"0100007F:0010 0100007F:0020", "0100007F:0011 0100007F:0021", 1, 1, false},
        {"0100007F:0010 0100007F:0020", "0100007F:0011 0200007F:0020", 1, 1, false},
        {"0100007F:0010 0100007F:0020", "0100007F:0020 0100007F:0010", 1, 1, false},
        {"0100007F:0010 0100007F:0020", "0100007F:0011 0100007F:0020", 1, 2, false},
        {"0100007F:0010 0100007F:0020", "0100007F:0011 0100007F:0020", 2, 1, false},
        {"0100007F:0010 00000000:0000", "0100007F:0011 00000000:0000", 1, 10, false},
    };
    static const char *const tables[] = {"tcp", "tcp6"};
    struct stat file;
    FD fd = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
    assert_int_equal(fstat(fd, &file), 0);
    for (unsigned i = 0; i < 4 * sizeof cases / sizeof *cases; i++) {
        const char *table = tables[i % 2];
        process_has("1", "client\n", others.socket);
        if (i & 2)
            add_socket(table, cases[i / 4].other, cases[i / 4].other_state, others.inodes[0]);
        assert_finds(aw_tcp_find_other_client, fd, "");
        add_socket(table, cases[i / 4].own, cases[i / 4].own_state, file.st_ino);
        if (!(i & 2))
            add_socket(table, cases[i / 4].other, cases[i / 4].other_state, others.inodes[0]);
        assert_finds(aw_tcp_find_other_client, fd, cases[i / 4].found ? "client (pid 1)" : "");
        other_remove("/proc/");
    }
}

TEST_WITH(begin_others, end_others, servers_of_other_processes_are_found)
{
    struct aw_tcp_server found[2];
    /* A client of the server. */
    add_socket("tcp", "0100007F:0010 0100007F:0020", 1, others.inodes[1]);
    add_socket("tcp", "0100007F:0020 0100007F:0010", 1, 4711);
    add_socket("tcp", "0700A8C0:0020 00000000:0000", 10, others.inodes[0]);
    add_socket("tcp", "0100007F:0021 00000000:0000", 10, 4712);
    add_socket("tcp6",
               "00000000000000000000000001000000:0021 00000000000000000000000000000000:0000", 10,
               4713);
    process_has("1", "ezphys-sim\n", others.socket);
    process_has("9", "viewer\n", others.another);
    assert_servers("ezphys-sim", 0x21,
                   "192.168.0.7 32 ezphys-sim (pid 1); viewer (pid 9)\n"
                   "127.0.0.1 33 ; \n"
                   "::1 33 ; \n");
    assert_int_equal(aw_tcp_list_servers("ezphys-sim", 0x21, found, 2), 2);
    assert_servers("ezphys-sim", 0, "192.168.0.7 32 ezphys-sim (pid 1); viewer (pid 9)\n");
    assert_servers("ezphys", 0, "");
    assert_servers("nobody", 0x20, "192.168.0.7 32 ezphys-sim (pid 1); viewer (pid 9)\n");
    other_remove("/proc/net/tcp6"); /* a kernel without IPv6 */
    assert_servers("ezphys-sim", 0x21,
                   "192.168.0.7 32 ezphys-sim (pid 1); viewer (pid 9)\n"
                   "127.0.0.1 33 ; \n");
    other_remove("/proc/net/tcp");
    assert_servers("ezphys-sim", 0x21, "");
}

ALL_TESTS_WITH(begin, NULL);
