/* Parses and opens the addresses of servers. */
#include "shell/share/address.h"

#include <ctype.h>
#include <errno.h>
#include <fcntl.h>
#include <glob.h>
#include <netdb.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/un.h>
#include <unistd.h>

#include "base/file.h"
#include "base/xdg.h"
#include "link/core/url.h"

#define CONNECT_MS 2000
#define BACKLOG    256

#define NAME_MAX_OF_KEY 48

static bool skip(const char **text, const char *word)
{
    size_t length = strlen(word);
    bool has = strncmp(*text, word, length) == 0;
    *text += has ? length : 0;
    return has;
}

enum aw_status aw_address_of_key(struct aw_address *address, const char *tool, const char *key,
                                 struct aw_error *err)
{
    char folder[80], name[NAME_MAX_OF_KEY + 1];
    *address = (struct aw_address){.family = AF_UNIX};
    enum aw_status status = aw_xdg_runtime(folder, sizeof folder, err);
    if (status != AW_OK)
        return status;
    size_t length = strlen(key); /* what tells devices apart is at its end */
    snprintf(name, sizeof name, "%s",
             key + (length > NAME_MAX_OF_KEY ? length - NAME_MAX_OF_KEY : 0));
    for (char *p = name; *p; p++)
        if (!isalnum((unsigned char)*p) && *p != '.')
            *p = '-';
    int size = snprintf(address->path, sizeof address->path, "%s/%.20s-%s.sock", folder, tool,
                        name + strspn(name, "-."));
    if (size >= (int)sizeof address->path)
        return aw_fail(err, AW_NO_LINK, "%s: a longer path than a socket may have", folder);
    snprintf(address->text, sizeof address->text, "serve:%s", address->path);
    return AW_OK;
}

/* The place of the server that systemd keeps for all who may use the device. */
static bool find_system(struct aw_address *address, const char *tool)
{
    struct aw_error ignored;
    char url[sizeof address->path];
    snprintf(url, sizeof url, "serve:" AW_SYSTEM_FOLDER "/%.20s.sock", tool);
    return aw_address_parse(address, tool, url, &ignored) == AW_OK &&
           access(address->path, F_OK) == 0;
}

size_t aw_address_usual(struct aw_address *list, size_t max, const char *tool)
{
    char folder[80], pattern[128];
    glob_t found = {.gl_pathc = 0};
    struct aw_error ignored;
    size_t n = 0;
    if (aw_xdg_runtime(folder, sizeof folder, &ignored) == AW_OK) {
        n += max > 0 && aw_address_parse(&list[0], tool, "serve:", &ignored) == AW_OK &&
             access(list[0].path, F_OK) == 0;
        snprintf(pattern, sizeof pattern, "%s/%.20s-*.sock", folder, tool);
        glob(pattern, 0, NULL, &found);
    }
    for (size_t i = 0; i < found.gl_pathc && n < max; i++) {
        char url[sizeof list->path + 8];
        snprintf(url, sizeof url, "serve:%.107s", found.gl_pathv[i]);
        n += aw_address_parse(&list[n], tool, url, &ignored) == AW_OK;
    }
    globfree(&found);
    return n + (n < max && find_system(&list[n], tool));
}

static enum aw_status parse_tcp(struct aw_address *address, const char *rest, struct aw_error *err)
{
    const char *host;
    size_t length;
    const char *port = aw_url_split_host(rest, &host, &length);
    if (!port || !*port || (port != rest && length == 0) || length >= sizeof address->host ||
        strspn(port, "0123456789") != strlen(port) || strlen(port) > 5)
        return aw_fail(err, AW_USAGE, "%s — write tcp:HOST:PORT", address->text);
    if (port == rest)
        strcpy(address->host, "127.0.0.1");
    else
        snprintf(address->host, sizeof address->host, "%.*s", (int)length, host);
    snprintf(address->port, sizeof address->port, "%s", port);
    return AW_OK;
}

enum aw_status aw_address_parse(struct aw_address *address, const char *tool, const char *url,
                                struct aw_error *err)
{
    *address = (struct aw_address){.family = AF_UNIX};
    snprintf(address->text, sizeof address->text, "%s", url);
    char copy[sizeof address->text];
    snprintf(copy, sizeof copy, "%s", url);
    char *keys = strchr(copy, '?');
    if (keys && strncmp(keys, "?token=", 7) != 0)
        return aw_fail(err, AW_USAGE, "%s: '%s' — there is only ?token=FILE", url, keys);
    if (keys) {
        snprintf(address->token, sizeof address->token, "%s", keys + 7);
        *keys = '\0';
    }
    const char *rest = copy;
    skip(&rest, "serve:");
    if (skip(&rest, "fd:")) { /* of a child, by its server */
        address->fd = atoi(rest);
        return AW_OK;
    }
    if (skip(&rest, "tcp:")) {
        address->family = AF_UNSPEC;
        return parse_tcp(address, rest, err);
    }
    skip(&rest, "unix:");
    if (!*rest) {
        char folder[80];
        enum aw_status status = aw_xdg_runtime(folder, sizeof folder, err);
        if (status == AW_OK)
            snprintf(address->path, sizeof address->path, "%s/%.20s.sock", folder, tool);
        snprintf(address->text, sizeof address->text, "serve:%s", address->path);
        return status;
    }
    if (strlen(rest) >= sizeof address->path)
        return aw_fail(err, AW_USAGE, "%s: longer than %zu characters", url,
                       sizeof address->path - 1);
    snprintf(address->path, sizeof address->path, "%s", rest);
    return AW_OK;
}

enum aw_status aw_address_of_server(struct aw_address *address, const char *tool, const char *url,
                                    struct aw_error *err)
{
    struct aw_address systems;
    bool named = strncmp(url, "serve:", 6) == 0 && strcmp(url + 6, tool) == 0;
    if (named && access(tool, F_OK) != 0)
        url = "serve:"; /* by its name it is the usual one, as for follow, unless that is a file */
    enum aw_status status = aw_address_parse(address, tool, url, err);
    if (status == AW_OK && strcmp(url, "serve:") == 0 && access(address->path, F_OK) != 0 &&
        find_system(&systems, tool))
        *address = systems;
    return status;
}

static bool connects(int fd, const struct addrinfo *to)
{
    struct pollfd ready = {.fd = fd, .events = POLLOUT};
    int error = 0;
    socklen_t size = sizeof error;
    if (connect(fd, to->ai_addr, to->ai_addrlen) == 0)
        return true;
    if (errno != EINPROGRESS)
        return false;
    if (poll(&ready, 1, CONNECT_MS) <= 0)
        error = ETIMEDOUT;
    else
        getsockopt(fd, SOL_SOCKET, SO_ERROR, &error, &size);
    errno = error;
    return error == 0;
}

static int open_one(const struct addrinfo *to, bool listens)
{
    int on = 1, fd = socket(to->ai_family, SOCK_STREAM | SOCK_NONBLOCK | SOCK_CLOEXEC, 0);
    if (fd < 0)
        return -1;
    if (to->ai_family != AF_UNIX) {
        setsockopt(fd, SOL_SOCKET, SO_REUSEADDR, &on, sizeof on);
        setsockopt(fd, IPPROTO_TCP, TCP_NODELAY, &on, sizeof on);
    }
    if (listens ? bind(fd, to->ai_addr, to->ai_addrlen) == 0 && listen(fd, BACKLOG) == 0
                : connects(fd, to))
        return fd;
    int error = errno;
    close(fd);
    errno = error;
    return -1;
}

/* Of a name with several addresses the first that there is. */
static int open_at(const struct aw_address *address, bool listens)
{
    struct sockaddr_un name = {.sun_family = AF_UNIX};
    struct addrinfo path = {
        .ai_family = AF_UNIX, .ai_addr = (struct sockaddr *)&name, .ai_addrlen = sizeof name};
    struct addrinfo hints = {.ai_socktype = SOCK_STREAM, .ai_flags = listens ? AI_PASSIVE : 0};
    struct addrinfo *found = NULL, *first = &path;
    int fd = -1;
    memcpy(name.sun_path, address->path, sizeof name.sun_path);
    if (address->family != AF_UNIX)
        first = getaddrinfo(address->host, address->port, &hints, &found) == 0 ? found : NULL;
    errno = EHOSTUNREACH;
    for (const struct addrinfo *to = first; to && fd < 0; to = to->ai_next)
        fd = open_one(to, listens);
    int error = errno;
    if (found)
        freeaddrinfo(found);
    errno = error;
    return fd;
}

int aw_address_connect(const struct aw_address *address, struct aw_error *err)
{
    int fd = open_at(address, false);
    if (fd < 0)
        aw_fail(err, AW_NO_LINK, "%s: %s — is 'serve' running there?", address->text,
                strerror(errno));
    return fd;
}

int aw_address_listen(const struct aw_address *address)
{
    return open_at(address, true);
}

void aw_address_text(const struct aw_address *address, int fd, char *out, size_t size)
{
    struct sockaddr_storage name = {0};
    socklen_t length = sizeof name;
    char port[16] = "";
    if (address->family == AF_UNIX) {
        snprintf(out, size, "serve:%s", address->path);
        return;
    }
    getsockname(fd, (struct sockaddr *)&name, &length);
    getnameinfo((struct sockaddr *)&name, length, NULL, 0, port, sizeof port, NI_NUMERICSERV);
    snprintf(out, size, strchr(address->host, ':') ? "serve:tcp:[%s]:%s" : "serve:tcp:%s:%s",
             address->host, port);
}

enum aw_status aw_read_secret(const char *path, char *out, size_t size, struct aw_error *err)
{
    struct stat about;
    FILE *file = aw_file_open(path);
    if (!file)
        return aw_file_fail(err, NULL, path);
    bool private = fstat(fileno(file), &about) == 0 && !(about.st_mode & 077);
    bool read = fgets(out, (int)size, file) != NULL;
    fclose(file);
    if (!private)
        return aw_fail(err, AW_USAGE, "%s: others may read it — chmod 600 it", path);
    if (read)
        out[strcspn(out, "\r\n")] = '\0';
    if (!read || !*out)
        return aw_fail(err, AW_USAGE, "%s: its first line is empty", path);
    return AW_OK;
}
