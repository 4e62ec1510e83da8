/* Configures serial ports and ptys by termios, locks them, and finds their names and users. */
#include "link/core/port.h"

#include <arpa/inet.h>
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <grp.h>
#include <inttypes.h>
#include <limits.h>
#include <netinet/tcp.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <sys/sysmacros.h>
#include <unistd.h>

#include "link/core/owner.h"
#include "link/core/tcp.h"

#define BY_ID        "/dev/serial/by-id/"
#define SYMLINKS_MAX 16
#define PTY_MAJOR    136 /* first of the kernel's majors for ptys: UNIX98_PTY_SLAVE_MAJOR */
#define PTY_MAJORS   8

static bool fits(int n, size_t size)
{
    return n > 0 && (size_t)n < size;
}

bool aw_absolute_path(const char *path, char *out, size_t size)
{
    char directory[PATH_MAX], real[PATH_MAX];
    const char *slash = strrchr(path, '/');
    const char *name = slash ? slash + 1 : path;
    int n = snprintf(directory, sizeof directory, "%.*s", slash ? (int)(slash - path + 1) : 2,
                     slash ? path : "./");
    errno = ENAMETOOLONG;
    if (!fits(n, sizeof directory) || !realpath(directory, real))
        return false;
    errno = ENAMETOOLONG;
    return fits(snprintf(out, size, "%s/%s", strcmp(real, "/") == 0 ? "" : real, name), size);
}

bool aw_port_find_symlink(const char *path, char *out, size_t size)
{
    char absolute[PATH_MAX], target[PATH_MAX], next[PATH_MAX * 2];
    snprintf(next, sizeof next, "%s", path);
    for (int i = 0; i < SYMLINKS_MAX && aw_absolute_path(next, absolute, sizeof absolute); i++) {
        ssize_t n = readlink(absolute, target, sizeof target - 1);
        if (n <= 0)
            return false;
        target[n] = '\0';
        if (strncmp(target, "/dev/pts/", 9) == 0)
            return fits(snprintf(out, size, "%s", absolute), size);
        snprintf(next, sizeof next, "%.*s%s",
                 target[0] == '/' ? 0 : (int)(strrchr(absolute, '/') - absolute + 1), absolute,
                 target);
    }
    return false;
}

static bool find_by_id(const char *real, char *key, size_t size)
{
    bool found = false;
    char path[PATH_MAX], target[PATH_MAX];
    DIR *dir = opendir(BY_ID);
    for (struct dirent *entry; dir && !found && (entry = readdir(dir));) {
        snprintf(path, sizeof path, BY_ID "%s", entry->d_name);
        found = realpath(path, target) && strcmp(target, real) == 0 &&
                fits(snprintf(key, size, "%s", path), size);
    }
    if (dir)
        closedir(dir);
    return found;
}

void aw_port_find_key(const char *path, char *key, size_t size)
{
    char real[PATH_MAX];
    if (aw_port_find_symlink(path, key, size))
        return;
    if (!realpath(path, real))
        snprintf(key, size, "%s", path);
    else if (!find_by_id(real, key, size))
        snprintf(key, size, "%s", real);
}

bool aw_port_in_sysfs(const char *path, char *name, size_t size)
{
    char real[PATH_MAX], entry[PATH_MAX + 16];
    if (!realpath(path, real) || strncmp(real, "/dev/", 5) != 0 || strchr(real + 5, '/'))
        return false;
    if (name)
        snprintf(name, size, "%s", real + 5);
    snprintf(entry, sizeof entry, "/sys/class/tty/%s", real + 5);
    return access(entry, F_OK) == 0;
}

/* Returns the process that holds flock(2) on the file, from /proc/locks; 0: no process. */
static long find_lock_owner(const struct stat *file)
{
    char line[160];
    long owner = 0;
    FILE *locks = fopen("/proc/locks", "re");
    while (locks && !owner && fgets(line, sizeof line, locks)) {
        long pid;
        unsigned major, minor;
        uint64_t inode;
        /* NOLINTNEXTLINE(cert-err34-c): the kernel's numbers */
        if (sscanf(line, "%*d: FLOCK %*s %*s %ld %x:%x:%" SCNu64, &pid, &major, &minor, &inode) ==
                4 &&
            inode == file->st_ino && makedev(major, minor) == file->st_dev)
            owner = pid;
    }
    if (locks)
        fclose(locks);
    return owner;
}

/* Returns true if both are the same device. For pseudo-terminals, also compares the file systems:
 * each container numbers its pseudo-terminals from 0, in its own file system. */
static bool is_same_device(const struct stat *file, const struct stat *other)
{
    unsigned major_number = major(file->st_rdev);
    bool is_pty = major_number >= PTY_MAJOR && major_number < PTY_MAJOR + PTY_MAJORS;
    return S_ISCHR(other->st_mode) && other->st_rdev == file->st_rdev &&
           (!is_pty || other->st_dev == file->st_dev);
}

static bool is_same_socket(const struct stat *file, const struct stat *other)
{
    return S_ISSOCK(other->st_mode) && other->st_ino == file->st_ino;
}

typedef bool match_fn(const struct stat *file, const struct stat *other);

static bool has_open(const char *pid, const struct stat *file, match_fn *match)
{
    char path[300];
    bool found = false;
    snprintf(path, sizeof path, "/proc/%s/fd", pid);
    DIR *dir = opendir(path);
    for (struct dirent *entry; dir && !found && (entry = readdir(dir));) {
        struct stat other;
        found = fstatat(dirfd(dir), entry->d_name, &other, 0) == 0 && match(file, &other);
    }
    if (dir)
        closedir(dir);
    return found;
}

/* Returns the first process that has the file open, other than except; 0: no process. */
static long find_user(const struct stat *file, match_fn *match, long except)
{
    long owner = 0;
    DIR *dir = opendir("/proc");
    for (struct dirent *entry; dir && !owner && (entry = readdir(dir));)
        if (entry->d_name[0] >= '1' && entry->d_name[0] <= '9' &&
            strtol(entry->d_name, NULL, 10) != except && has_open(entry->d_name, file, match))
            owner = strtol(entry->d_name, NULL, 10);
    if (dir)
        closedir(dir);
    return owner;
}

void aw_port_name_process(long pid, char *out, size_t size)
{
    char path[40], name[32] = "";
    snprintf(path, sizeof path, "/proc/%ld/comm", pid);
    FILE *file = fopen(path, "re");
    if (file) {
        if (fgets(name, sizeof name, file))
            name[strcspn(name, "\n")] = '\0';
        fclose(file);
    }
    snprintf(out, size, "%s%s(pid %ld)", name, *name ? " " : "", pid);
}

/* Names the first process that has the file open, other than except. Returns false if there is no
 * such process. */
static bool name_user(const struct stat *file, match_fn *match, long except, char *out, size_t size)
{
    long owner = find_user(file, match, except);
    if (owner)
        aw_port_name_process(owner, out, size);
    return owner != 0;
}

bool aw_port_find_holder(const char *path, char *out, size_t size)
{
    struct stat file;
    if (stat(path, &file) != 0 || !S_ISCHR(file.st_mode))
        return false;
    long owner = find_lock_owner(&file);
    if (!owner)
        return name_user(&file, is_same_device, 0, out, size);
    aw_port_name_process(owner, out, size);
    return true;
}

static bool is_same_file(const struct stat *file, const struct stat *other)
{
    return S_ISCHR(file->st_mode) ? is_same_device(file, other)
                                  : other->st_ino == file->st_ino && other->st_dev == file->st_dev;
}

bool aw_port_find_sharer(int fd, char *out, size_t size)
{
    struct stat file;
    return fd >= 0 && fstat(fd, &file) == 0 &&
           name_user(&file, is_same_file, (long)getpid(), out, size);
}

/* A line in a socket table of the kernel, such as /proc/net/tcp. */
struct socket_line {
    char local[33];  /* local address, 8 hex digits per word in host byte order */
    char remote[33]; /* remote address */
    unsigned local_port, remote_port, state;
    uint64_t inode;
};

/* Parses a line of the table. Returns false for a line without a socket. */
static bool read_socket(const char *line, struct socket_line *out)
{
    /* NOLINTNEXTLINE(cert-err34-c): the kernel's numbers */
    return sscanf(line, "%*d: %32[0-9A-F]:%x %32[0-9A-F]:%x %x %*s %*s %*s %*s %*s %" SCNu64,
                  out->local, &out->local_port, out->remote, &out->remote_port, &out->state,
                  &out->inode) == 6 &&
           out->inode != 0;
}

/* Reads the next socket. Returns false at the end of the table. */
static bool next_socket(FILE *table, struct socket_line *out)
{
    char line[256];
    while (fgets(line, sizeof line, table))
        if (read_socket(line, out))
            return true;
    return false;
}

/* Calls find for both tables. Returns its first result other than 0. */
static uint64_t find_socket(const char *const tables[2],
                            uint64_t (*find)(FILE *table, uint64_t key), uint64_t key)
{
    uint64_t found = 0;
    for (int i = 0; i < 2 && !found; i++) {
        FILE *table = fopen(tables[i], "re");
        found = table ? find(table, key) : 0;
        if (table)
            fclose(table);
    }
    return found;
}

static uint64_t find_bound(FILE *table, uint64_t port)
{
    struct socket_line entry;
    while (next_socket(table, &entry))
        if (entry.local_port == port)
            return entry.inode;
    return 0;
}

uint64_t aw_udp_find_socket(unsigned port)
{
    static const char *const tables[] = {"/proc/net/udp", "/proc/net/udp6"};
    return find_socket(tables, find_bound, port);
}

bool aw_udp_find_holder(unsigned port, char *out, size_t size)
{
    struct stat socket = {.st_ino = aw_udp_find_socket(port)};
    return socket.st_ino && name_user(&socket, is_same_socket, 0, out, size);
}

static const char *const tcp_tables[] = {"/proc/net/tcp", "/proc/net/tcp6"};

/* Returns the socket of another connection to the same server; 0: there is no other connection. */
static uint64_t find_other_client(FILE *table, uint64_t inode)
{
    struct socket_line entry, own_entry = {.inode = 0};
    while (own_entry.inode == 0 && next_socket(table, &entry))
        if (entry.state == TCP_ESTABLISHED && entry.inode == inode)
            own_entry = entry;
    rewind(table);
    while (own_entry.inode != 0 && next_socket(table, &entry))
        if (entry.state == TCP_ESTABLISHED && entry.inode != inode &&
            entry.remote_port == own_entry.remote_port &&
            strcmp(entry.remote, own_entry.remote) == 0)
            return entry.inode;
    return 0;
}

bool aw_tcp_find_other_client(int fd, char *out, size_t size)
{
    struct stat socket;
    if (fd < 0 || fstat(fd, &socket) != 0 || !S_ISSOCK(socket.st_mode))
        return false;
    socket.st_ino = find_socket(tcp_tables, find_other_client, socket.st_ino);
    return socket.st_ino && name_user(&socket, is_same_socket, 0, out, size);
}

static void name_socket(uint64_t inode, char *out, size_t size)
{
    struct stat socket = {.st_ino = inode};
    if (!name_user(&socket, is_same_socket, 0, out, size))
        *out = '\0';
}

/* Writes the address at which a local client reaches a server that listens at this address. */
static void print_host(const char *address, char out[48])
{
    char text[48] = "";
    uint32_t words[4] = {0};
    int n = (int)strlen(address) / 8;
    bool is_any = true;
    for (int i = 0; i < n; i++) {
        char digits[9];
        snprintf(digits, sizeof digits, "%.8s", address + (ptrdiff_t)8 * i);
        words[i] = (uint32_t)strtoul(digits, NULL, 16);
        is_any = is_any && words[i] == 0;
    }
    if (is_any || !inet_ntop(n == 1 ? AF_INET : AF_INET6, words, text, sizeof text))
        snprintf(text, sizeof text, "127.0.0.1");
    snprintf(out, 48, "%s", text);
}

static size_t list_servers(FILE *table, const char *program, unsigned port,
                           struct aw_tcp_server *servers, size_t max)
{
    struct socket_line entry;
    size_t n = 0, length = strlen(program);
    while (n < max && next_socket(table, &entry)) {
        struct aw_tcp_server *server = &servers[n];
        if (entry.state != TCP_LISTEN)
            continue;
        *server = (struct aw_tcp_server){.port = entry.local_port};
        name_socket(entry.inode, server->server, sizeof server->server);
        bool is_named =
            strncmp(server->server, program, length) == 0 && server->server[length] == ' ';
        print_host(entry.local, server->host);
        n += is_named || entry.local_port == port;
    }
    rewind(table);
    while (next_socket(table, &entry))
        for (size_t i = 0; i < n; i++)
            if (entry.state == TCP_ESTABLISHED && entry.remote_port == servers[i].port)
                name_socket(entry.inode, servers[i].client, sizeof servers[i].client);
    return n;
}

size_t aw_tcp_list_servers(const char *program, unsigned port, struct aw_tcp_server *servers,
                           size_t max)
{
    size_t n = 0;
    for (int i = 0; i < 2; i++) {
        FILE *table = fopen(tcp_tables[i], "re");
        n += table ? list_servers(table, program, port, servers + n, max - n) : 0;
        if (table)
            fclose(table);
    }
    return n;
}

void aw_port_explain(const char *path, int error, char *out, size_t size)
{
    char holder[96];
    struct stat file;
    if (error == EACCES || error == EPERM) {
        const struct group *group = stat(path, &file) == 0 ? getgrgid(file.st_gid) : NULL;
        if (group && (file.st_mode & S_IWGRP) && file.st_gid != 0)
            snprintf(
                out, size,
                "permission denied — add yourself to group %s: sudo usermod -aG %s $USER, then "
                "log in again",
                group->gr_name, group->gr_name);
        else
            snprintf(out, size, "permission denied — check its owner and mode with ls -l");
    } else if (error == EBUSY || error == EWOULDBLOCK) {
        if (!aw_port_find_holder(path, holder, sizeof holder))
            snprintf(holder, sizeof holder, "another program");
        snprintf(out, size, "busy: in use by %s — end that program first", holder);
    } else if (error == ENOENT || error == ENODEV || error == ENXIO) {
        snprintf(out, size, "port not found — plug the device in, switch it on, and see 'list'");
    } else {
        snprintf(out, size, "%s", strerror(error));
    }
}

enum aw_status aw_port_lock(const char *path, int *fd, struct aw_error *err)
{
    char problem[200];
    *fd = open(path, O_RDWR | O_NOCTTY | O_NONBLOCK | O_CLOEXEC);
    int error = errno;
    /* Checks the path after opening it, because its pty number cannot be reused while it is
     * open. */
    enum aw_status status = aw_owner_check(path, err);
    if (status != AW_OK) {
        if (*fd >= 0)
            close(*fd);
        *fd = -1;
        return status;
    }
    if (*fd >= 0 && flock(*fd, LOCK_EX | LOCK_NB) == 0)
        return AW_OK;
    if (*fd >= 0) {
        error = errno;
        close(*fd);
    }
    *fd = -1;
    aw_port_explain(path, error, problem, sizeof problem);
    return aw_fail(err, AW_NO_LINK, "%.100s: %s", path, problem);
}
