/* Values sent to PlotJuggler as JSON over UDP. */
#include <jansson.h>
#include <math.h>
#include <netdb.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

#include "link/core/url.h"
#include "shell/commands/plot.h"

enum aw_status aw_juggler_open(const char *address, int *fd, struct aw_error *err)
{
    struct addrinfo hints = {.ai_socktype = SOCK_DGRAM}, *list = NULL;
    char host[256];
    const char *name;
    size_t length;
    const char *port = aw_url_split_host(address, &name, &length);
    if (!port || !*port || length == 0 || length >= sizeof host)
        return aw_fail(err, AW_USAGE, "--plotjuggler: '%.80s' — write HOST:PORT", address);
    snprintf(host, sizeof host, "%.*s", (int)length, name);
    int problem = getaddrinfo(host, port, &hints, &list);
    if (problem == EAI_MEMORY)
        return aw_no_memory(err);
    if (problem != 0)
        return aw_fail(err, AW_NO_LINK, "--plotjuggler: %.80s: %s", address, gai_strerror(problem));
    *fd = -1;
    for (const struct addrinfo *a = list; a && *fd < 0; a = a->ai_next) {
        *fd = socket(a->ai_family, a->ai_socktype | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);
        if (*fd >= 0 && connect(*fd, a->ai_addr, a->ai_addrlen) != 0) {
            close(*fd);
            *fd = -1;
        }
    }
    freeaddrinfo(list);
    return *fd >= 0 ? AW_OK
                    : aw_fail(err, AW_NO_LINK, "--plotjuggler: %.80s cannot be reached", address);
}

/* a.b.c becomes {"a":{"b":{"c":value}}}. */
static void put(json_t *root, const char *name, json_t *value)
{
    char part[AW_POINT_NAME];
    for (const char *dot; (dot = strchr(name, '.')); name = dot + 1) {
        snprintf(part, sizeof part, "%.*s", (int)(dot - name), name);
        json_t *child = json_object_get(root, part);
        if (!json_is_object(child)) {
            child = json_object();
            json_object_set_new(root, part, child);
        }
        root = child;
    }
    json_object_set_new(root, name, value);
}

void aw_juggler_send(int fd, const struct aw_item *item, const struct aw_select *select)
{
    json_t *root = json_object();
    size_t n = 0;
    int64_t time = item->time_ns != AW_NO_TIME ? item->time_ns : aw_wall_time();
    json_object_set_new(root, "timestamp", json_real((double)time / 1e9));
    for (size_t i = 0; i < item->n; i++) {
        const struct aw_point *point = &item->points[i];
        if (!isfinite(point->value) || point->about || aw_select_match(select, point) < 0)
            continue;
        put(root, point->name, json_real(point->value));
        n++;
    }
    char *text = n ? json_dumps(root, JSON_COMPACT | JSON_REAL_PRECISION(16)) : NULL;
    if (text)
        (void)!send(fd, text, strlen(text), MSG_NOSIGNAL);
    free(text);
    json_decref(root);
}
