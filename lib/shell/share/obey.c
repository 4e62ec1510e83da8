/* The hidden command obey: a child of a server that carries out the lines of a client, one after
 * the other, and says when each is done. Its link is the server's, its files are nobody's. */
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/text.h"
#include "shell/commands/common.h"
#include "shell/core/stop.h"
#include "shell/prompt/dispatch.h"
#include "shell/share/attached.h"
#include "shell/share/share.h"

/* ---- What it may do ----------------------------------------------------------------------------
 */

/* In the folder that lines may name files of, where this runs? One that is written has no place
 * yet, but its folder has. */
static bool is_inside(const char *folder, const char *path)
{
    char whole[PATH_MAX], root[PATH_MAX], copy[PATH_MAX];
    if (!*folder || !realpath(".", root) || strcmp(path, "-") == 0)
        return false;
    snprintf(copy, sizeof copy, "%s", path);
    if (!realpath(copy, whole)) {
        char *end = strrchr(copy, '/');
        snprintf(copy, sizeof copy, "%.*s", end ? (int)(end - copy) + 1 : 1, end ? path : ".");
        if (!realpath(copy, whole) || (end && strcmp(end + 1, "..") == 0))
            return false;
    }
    size_t length = strlen(root);
    return strncmp(whole, root, length) == 0 && (!whole[length] || whole[length] == '/');
}

static enum aw_status check_file(struct aw_session *session, const char *what, const char *path)
{
    if (is_inside(session->share.obeys, path))
        return AW_OK;
    return aw_fail(&session->err, AW_USAGE,
                   "%s %.80s: a server opens no files for its clients — run the tool where the "
                   "file is, or give serve --files FOLDER",
                   what, path);
}

/* What only the server was told, and what nobody tells a server. */
static enum aw_status check_option(struct aw_session *session, const struct aw_option_value *value)
{
    static const char *const never[] = {"link",    "config",     "no-attach",
                                        "deadman", "keep-going", NULL};
    const char *name = value->option->name;
    if (!value->text || value->origin != AW_FROM_COMMAND_LINE)
        return AW_OK;
    if (aw_is_one_of(never, name))
        return aw_fail(&session->err, AW_USAGE,
                       "--%s: not through a server — it has its device, and its settings", name);
    bool file = value->option->value && (strcmp(value->option->value, "FILE") == 0 ||
                                         strcmp(value->option->value, "FOLDER") == 0);
    return file ? check_file(session, name, value->text) : AW_OK;
}

/* What opens links or starts anything is done by the client. */
static enum aw_status check_place(struct aw_session *session, const struct aw_command *command)
{
    static const char *const here[] = {"status", "limits", "move",     "home",   "jog",    "play",
                                       "replay", "stop",   "watch",    "wait",   "expect", "send",
                                       "step",   "sweep",  "identify", "verify", NULL};
    bool known = false;
    for (const struct aw_command *c = session->tool->common; c && c->name; c++)
        known = known || c == command;
    known = known && !aw_is_one_of(here, command->name);
    if (!known && !command->offline)
        return AW_OK;
    return aw_fail(&session->err, AW_USAGE, "%s: not through a server — run it where you are",
                   command->name);
}

enum aw_status aw_obey_allow(struct aw_session *session, const struct aw_args *args)
{
    enum aw_status status = check_place(session, args->command);
    for (size_t i = 0; i < args->n && status == AW_OK; i++)
        if (args->bound[i].arg->kind == AW_ARG_FILE || args->bound[i].arg->kind == AW_ARG_LINK)
            status = check_file(session, args->command->name, args->bound[i].text);
    for (size_t i = 0; i < session->options.n && status == AW_OK; i++)
        status = check_option(session, &session->options.values[i]);
    return status;
}

/* ---- Its lines ---------------------------------------------------------------------------------
 */

static enum aw_status carry_out(struct aw_session *session, struct aw_words *words,
                                const char *line)
{
    enum aw_status status, first = AW_OK;
    words->next = 0;
    do {
        if (strlen(line) >= AW_LINE_MAX)
            status = aw_fail(&session->err, AW_USAGE, "the line is longer than %d characters",
                             AW_LINE_MAX - 1);
        else
            status = aw_words_split_at(words, line, words->next, &session->err);
        if (status != AW_OK)
            aw_session_refuse(session, status);
        else if (words->n)
            status = aw_dispatch(session, words, NULL);
        if (first == AW_OK)
            first = status;
    } while (words->next && status == AW_OK);
    return first;
}

/* What the server has ended between two lines ends nothing here; its own end does. */
static bool goes_on(struct aw_session *session, enum aw_status status)
{
    struct aw_attached *attached = session->share.attached;
    bool revoked = attached && attached->revoked;
    if (status == AW_STOPPED)
        aw_stop_read(session);
    if (session->motion.stop.signal || (attached && attached->over))
        return false;
    if (revoked)
        attached->revoked = false;
    session->motion.stopped_by = NULL;
    return true;
}

enum aw_status aw_run_obey(struct aw_session *session, const struct aw_args *args)
{
    const char *folder = aw_arg(args, "folder", 0);
    struct aw_words *words = malloc(sizeof *words);
    struct aw_conn conn;
    char *line;
    if (!words)
        return aw_no_memory(&session->err);
    aw_conn_init(&conn, dup(STDIN_FILENO), 1 << 20);
    if (folder && chdir(folder) != 0)
        folder = NULL;
    session->share.obeys = folder ? folder : "";
    for (size_t i = 0; i < session->options.n; i++) /* are not those of a line */
        if (session->options.values[i].origin == AW_FROM_COMMAND_LINE)
            session->options.values[i].origin = AW_FROM_ENVIRONMENT;
    session->mode.one_shot = false;
    aw_stop_catch(session);
    while (goes_on(session, aw_session_wait_input(session, conn.fd, AW_NEVER)) &&
           aw_conn_fill(&conn))
        while ((line = aw_conn_next(&conn))) {
            enum aw_status status = carry_out(session, words, line);
            aw_output_print(&session->out, "{\"done\":true,\"exit\":%d}\n",
                            aw_exit_code(session, status));
            aw_output_flush(&session->out, NULL);
        }
    aw_conn_free(&conn);
    free(words);
    session->run.reported = true;
    return AW_OK;
}
