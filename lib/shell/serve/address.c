/* Parses and opens the addresses of servers. */
#include "shell/serve/address.h"

#include <ctype.h>
#include <errno.h>
#include <glob.h>
#include <stdio.h>
#include <string.h>
#include <sys/un.h>
#include <unistd.h>

#include "base/xdg.h"

#define BACKLOG 256

#define NAME_MAX_OF_KEY 48

static bool skip(const char **text, const char *word)
{
    size_t length = strlen(word);
    bool has = strncmp(*text, word, length) == 0;
    *text += has ? length : 0;
    return has;
}

/* Builds the path of a tool's socket in the user's runtime folder. Creates the folder if necessary,
 * but not the socket. */
static enum aw_status find_user_socket(struct aw_address *address, const char *tool,
                                       const char *suffix, struct aw_error *err)
{
    char folder[80];
    enum aw_status status = aw_xdg_make_runtime(folder, sizeof folder, err);
    if (status != AW_OK)
        return status;
    int size =
        snprintf(address->path, sizeof address->path, "%s/%.20s%s.sock", folder, tool, suffix);
    if (size >= (int)sizeof address->path)
        return aw_fail(err, AW_NO_LINK, "%s: path too long for a socket — use a shorter one",
                       folder);
    return AW_OK;
}

enum aw_status aw_address_of_key(struct aw_address *address, const char *tool, const char *key,
                                 struct aw_error *err)
{
    char suffix[NAME_MAX_OF_KEY + 2];
    size_t length = strlen(key); /* the end of the key distinguishes the devices */
    key += length > NAME_MAX_OF_KEY ? length - NAME_MAX_OF_KEY : 0;
    while (*key && !isalnum((unsigned char)*key))
        key++;
    snprintf(suffix, sizeof suffix, "-%s", key);
    for (char *p = suffix; *p; p++)
        if (!isalnum((unsigned char)*p) && *p != '.')
            *p = '-';
    return find_user_socket(address, tool, suffix, err);
}

/* Builds the path of the socket of the server that systemd runs for all users of the device.
 * Returns true if the socket exists. */
static bool find_system(struct aw_address *address, const char *tool)
{
    snprintf(address->path, sizeof address->path, AW_SYSTEM_FOLDER "/%.20s.sock", tool);
    return access(address->path, F_OK) == 0;
}

size_t aw_address_defaults(struct aw_address *list, size_t max, const char *tool)
{
    struct aw_address others;
    glob_t found = {.gl_pathc = 0};
    size_t n =
        find_user_socket(&list[0], tool, "", NULL) == AW_OK && access(list[0].path, F_OK) == 0;
    if (find_user_socket(&others, tool, "-*", NULL) == AW_OK)
        glob(others.path, 0, NULL, &found);
    for (size_t i = 0; i < found.gl_pathc && n < max; i++)
        snprintf(list[n++].path, sizeof list->path, "%s", found.gl_pathv[i]);
    globfree(&found);
    return n + (n < max && find_system(&list[n], tool));
}

enum aw_status aw_address_parse(struct aw_address *address, const char *tool, const char *url,
                                struct aw_error *err)
{
    const char *rest = url;
    *address = (struct aw_address){.path = ""};
    skip(&rest, "serve:");
    if (skip(&rest, "tcp:"))
        return aw_fail(err, AW_USAGE, "%s: not supported — forward the socket with ssh -L", url);
    skip(&rest, "unix:");
    if (!*rest)
        return find_user_socket(address, tool, "", err);
    if (strlen(rest) >= sizeof address->path)
        return aw_fail(err, AW_USAGE, "%s: longer than %zu characters — use a shorter path", url,
                       sizeof address->path - 1);
    snprintf(address->path, sizeof address->path, "%s", rest);
    return AW_OK;
}

enum aw_status aw_address_of_server(struct aw_address *address, const char *tool, const char *url,
                                    struct aw_error *err)
{
    struct aw_address systems;
    const char *word = url + strlen("serve:");
    if (*word && !strpbrk(word, "/:?.") && access(word, F_OK) != 0) {
        tool = word;
        url = "serve:";
    }
    enum aw_status status = aw_address_parse(address, tool, url, err);
    if (status == AW_OK && strcmp(url, "serve:") == 0 && access(address->path, F_OK) != 0 &&
        find_system(&systems, tool))
        *address = systems;
    return status;
}

int aw_address_open(const struct aw_address *address, bool listens)
{
    struct sockaddr_un name = {.sun_family = AF_UNIX};
    int fd = socket(AF_UNIX, SOCK_STREAM | SOCK_NONBLOCK | SOCK_CLOEXEC, 0);
    memcpy(name.sun_path, address->path, sizeof name.sun_path);
    const struct sockaddr *to = (const struct sockaddr *)&name;
    if (fd < 0 || (listens ? bind(fd, to, sizeof name) == 0 && listen(fd, BACKLOG) == 0
                           : connect(fd, to, sizeof name) == 0))
        return fd;
    int error = errno;
    close(fd);
    errno = error;
    return -1;
}
