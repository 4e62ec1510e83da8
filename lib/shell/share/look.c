/* Who looks on at a server beside its own device: the leader of another arm, whatever its tool. */
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "shell/share/attached.h"

#define ANSWER_NS (5 * AW_SECOND)

struct aw_looker {
    struct aw_session *session;
    struct aw_address address;
    struct aw_conn conn;
    bool over;
};

/* "serve:hidmotor" is the usual server of that tool, unless there is such a file. */
static enum aw_status find(struct aw_session *session, const char *url, struct aw_address *address)
{
    const char *rest = url + (strncmp(url, "serve:", 6) == 0 ? 6 : 0);
    bool name = *rest && !strpbrk(rest, "/:?.") && access(rest, F_OK) != 0;
    if (!name)
        return aw_address_of_server(address, session->tool->name, url, &session->err);
    return aw_address_of_server(address, rest, "serve:", &session->err);
}

static json_t *make_watch(const char *const *fields, size_t n, double hz)
{
    json_t *list = json_array();
    for (size_t i = 0; i < n; i++)
        json_array_append_new(list, json_string(fields[i]));
    return json_pack("{s:s,s:s,s:f,s:o}", "cmd", "watch", "id", "look", "rate", hz, "fields", list);
}

/* What is said about the subscription comes before its records, and news for all before that. */
static enum aw_status subscribe(struct aw_looker *looker, const char *const *fields, size_t n,
                                double hz)
{
    struct aw_session *session = looker->session;
    struct aw_clock *clock = &session->time.real.base;
    int64_t deadline = aw_clock_now(clock) + ANSWER_NS;
    json_t *answer = NULL;
    enum aw_status status = AW_OK;
    aw_conn_put_json(&looker->conn, make_watch(fields, n, hz));
    aw_conn_flush(&looker->conn);
    do {
        json_decref(answer);
        status = aw_conn_hello(&looker->conn, clock, deadline, &answer);
    } while (answer && !json_object_get(answer, "done") && !json_object_get(answer, "exit"));
    const char *why = json_string_value(json_object_get(answer, "why"));
    int exit = (int)json_integer_value(json_object_get(answer, "exit"));
    if (status == AW_OK && !answer)
        status = aw_fail(&session->err, AW_TIMEOUT, "%s: the server does not answer",
                         looker->address.text);
    else if (status == AW_OK && exit)
        status = aw_fail(&session->err, (enum aw_status)(exit & 15), "%s: %.300s",
                         looker->address.text, why ? why : "it lets nobody look on");
    json_decref(answer);
    return status;
}

enum aw_status aw_look(struct aw_session *session, const char *url, const char *const *fields,
                       size_t n, double hz, char *tool, struct aw_looker **out)
{
    struct aw_looker *looker = calloc(1, sizeof *looker);
    *out = NULL;
    if (!looker)
        return aw_no_memory(&session->err);
    looker->session = session;
    looker->conn.fd = -1;
    json_t *hello = NULL;
    enum aw_status status = find(session, url, &looker->address);
    if (status == AW_OK)
        status = aw_way_open(session, &looker->address, &looker->conn, &hello);
    const char *name = json_string_value(json_object_get(hello, "serve"));
    snprintf(tool, 24, "%s", name ? name : "");
    if (status == AW_OK && !name)
        status = aw_way_refused(&looker->address, hello, &session->err);
    json_decref(hello);
    if (status == AW_OK)
        status = subscribe(looker, fields, n, hz);
    if (status == AW_OK)
        *out = looker;
    else
        aw_look_end(looker);
    return status;
}

enum aw_status aw_look_line(struct aw_looker *looker, int64_t deadline, char **line)
{
    struct aw_session *session = looker->session;
    struct aw_clock *clock = &session->time.real.base;
    enum aw_status status = AW_OK;
    aw_conn_flush(&looker->conn);
    while (!(*line = aw_conn_next(&looker->conn)) && !looker->over && status == AW_OK) {
        status = aw_clock_wait(clock, looker->conn.fd, POLLIN, deadline);
        looker->over = status == AW_OK && (!aw_conn_fill(&looker->conn) || looker->conn.overlong);
    }
    if (*line)
        return AW_OK;
    return status != AW_OK
               ? status
               : aw_fail(&session->err, AW_LOST, "%s: the server is gone", looker->address.text);
}

void aw_look_end(struct aw_looker *looker)
{
    if (!looker)
        return;
    aw_conn_free(&looker->conn);
    free(looker);
}
