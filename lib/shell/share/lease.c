/* Who may command a shared device: one at a time, as long as there is a sign of life of it. */
#include <pwd.h>
#include <stdio.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

#include "base/text.h"
#include "base/utf8.h"
#include "shell/share/server.h"

void aw_who_local(struct aw_who *who, int fd)
{
    struct ucred ids = {0};
    socklen_t size = sizeof ids;
    char path[40];
    getsockopt(fd, SOL_SOCKET, SO_PEERCRED, &ids, &size);
    who->pid = ids.pid;
    snprintf(path, sizeof path, "/proc/%d/comm", (int)ids.pid);
    FILE *file = fopen(path, "re");
    if (!file || !fgets(who->program, sizeof who->program, file))
        snprintf(who->program, sizeof who->program, "a program");
    if (file)
        fclose(file);
    who->program[strcspn(who->program, "\n")] = '\0';
    aw_utf8_clean_lines(who->program);
    const struct passwd *user = getpwuid(ids.uid);
    if (user)
        snprintf(who->user, sizeof who->user, "%s", user->pw_name);
    else
        snprintf(who->user, sizeof who->user, "uid %u", ids.uid);
}

static double held_s(const struct aw_server *server)
{
    return (double)(aw_clock_now(&server->session->real_clock.base) - server->since_ns) / 1e9;
}

void aw_who_text(const struct aw_server *server, char *out, size_t size)
{
    const struct aw_peer *peer = server->commander;
    if (!peer) {
        snprintf(out, size, "null");
        return;
    }
    char program[200], user[200];
    *aw_json_string(program, peer->who.program, sizeof peer->who.program) = '\0';
    *aw_json_string(user, peer->who.user, sizeof peer->who.user) = '\0';
    snprintf(out, size, "{\"program\":%s,\"pid\":%d,\"user\":%s,\"for_s\":%.1f}", program,
             (int)peer->who.pid, user, held_s(server));
}

bool aw_server_moves(const struct aw_server *server)
{
    const struct aw_session *session = server->session;
    bool motion = session->command && session->command->safety >= AW_MOTION;
    return aw_session_goes_on(session) || (server->running && (session->moving || motion));
}

int64_t aw_deadman_due(const struct aw_server *server)
{
    if (!server->commander || !server->deadman_ns || *server->why || server->halt ||
        !aw_server_moves(server))
        return AW_NEVER;
    return server->commander->seen_ns + server->deadman_ns;
}

/* {"commander":…} to those who follow it; to one peer, or (NULL) to all. */
static void tell(struct aw_server *server, struct aw_peer *only)
{
    char who[512];
    aw_who_text(server, who, sizeof who);
    for (struct aw_peer *peer = server->peers; peer; peer = peer->next)
        if (peer->follows && (!only || peer == only))
            aw_peer_say(peer, "{\"commander\":%s}\n", who);
}

void aw_lease_follow(struct aw_server *server, struct aw_peer *peer)
{
    peer->follows = true;
    tell(server, peer);
}

void aw_lease_end(struct aw_server *server)
{
    if (!server->commander)
        return;
    server->commander = NULL;
    tell(server, NULL);
}

static void take(struct aw_server *server, struct aw_peer *peer)
{
    if (server->commander == peer)
        return;
    struct aw_peer *before = server->commander;
    char who[512];
    server->commander = peer;
    server->since_ns = aw_clock_now(&server->session->real_clock.base);
    aw_who_text(server, who, sizeof who);
    if (before)
        aw_peer_say(before, "{\"taken\":%s}\n", who);
    tell(server, NULL);
}

/* What opens links or files, or starts anything, is done by the client. */
static enum aw_status check_place(struct aw_session *session, const struct aw_args *args)
{
    static const char *const here[] = {"replay", "stop", NULL};
    const struct aw_command *common = session->tool->common;
    bool known = false;
    for (const struct aw_command *c = common; c && c->name; c++)
        known = known || c == args->command;
    known = known && !aw_is_one_of(here, args->command->name);
    if (known || args->command->offline)
        return aw_fail(&session->err, AW_USAGE, "%s: not through a server — run it where you are",
                       args->command->name);
    return AW_OK;
}

/* What the server itself was told. */
static const char *server_text(const struct aw_session *session, const char *name)
{
    const struct aw_option_value *value = aw_options_find(&session->server->options, name);
    return value ? value->text : NULL;
}

/* Files are those that came with the request, in the place that they have here. */
static enum aw_status place_file(struct aw_session *session, const char **name)
{
    const char *path = aw_files_path(session->server, *name);
    if (!path)
        return aw_fail(&session->err, AW_USAGE,
                       "'%.80s': a server opens no files for its clients, but those that come with "
                       "the command",
                       *name);
    *name = path;
    return AW_OK;
}

static enum aw_status place_files(struct aw_session *session, struct aw_args *args)
{
    enum aw_status status = AW_OK;
    for (size_t i = 0; i < args->n && status == AW_OK; i++)
        if (args->bound[i].arg->kind == AW_ARG_FILE || args->bound[i].arg->kind == AW_ARG_LINK)
            status = place_file(session, &args->bound[i].text);
    for (size_t i = 0; i < session->options.n && status == AW_OK; i++) {
        struct aw_option_value *value = &session->options.values[i];
        bool file = value->option->value && strcmp(value->option->value, "FILE") == 0;
        const char *name = value->option->name;
        if (file && value->text && value->origin >= AW_FROM_ENVIRONMENT &&
            strcmp(name, "record") != 0 && strcmp(name, "config") != 0 &&
            value->text != server_text(session, name))
            status = place_file(session, &value->text);
    }
    return status;
}

static enum aw_status check_commander(struct aw_session *session, const struct aw_command *command,
                                      const struct aw_peer *peer)
{
    const struct aw_peer *commander = session->server->commander;
    if (peer->reads)
        return aw_fail(&session->err, AW_REFUSED,
                       "%s: you may look on only — the broker takes no command of yours",
                       command->name);
    if (commander && commander != peer && !aw_flag(session, "take"))
        return aw_fail(
            &session->err, AW_REFUSED,
            "%s (pid %d, %s) has commanded for %.1f s — wait, or take it over with --take",
            commander->who.program, (int)commander->who.pid, commander->who.user,
            held_s(session->server));
    return AW_OK;
}

enum aw_status aw_lease_allow(struct aw_session *session, struct aw_args *args)
{
    struct aw_server *server = session->server;
    struct aw_peer *peer = server->running ? server->running->peer : NULL;
    enum aw_safety safety = args->command->safety;
    enum aw_status status = check_place(session, args);
    if (status == AW_OK && peer && safety != AW_READ)
        status = check_commander(session, args->command, peer);
    if (status == AW_OK && server->beside && !args->command->beside)
        status = aw_fail(&session->err, AW_USAGE, "%s: it has to wait for the command that runs",
                         args->command->name);
    if (status == AW_OK)
        status = place_files(session, args);
    if (status == AW_OK && peer && safety != AW_READ && safety != AW_WRITE)
        take(server, peer);
    return status;
}
