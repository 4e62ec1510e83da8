/* Runs the commands of a script or a pipe line by line; lines may be text or JSON. */
#include "shell/run/run.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/file.h"
#include "base/lines.h"
#include "base/utf8.h"
#include "shell/joints/start_check.h"
#include "shell/safety/deadman.h"
#include "shell/safety/safety.h"
#include "shell/safety/stop.h"
#include "shell/serve/serve.h"

#define SCRIPTS_MAX 16 /* max depth of nested scripts */

struct input {
    int fd;
    const char *name;
    unsigned number;
    size_t used, start;
    bool ended;
    size_t length; /* length of the last line */
    bool overlong; /* the current line is too long; the excess is dropped */
    char buffer[AW_LINE_MAX * 2];
};

/* Returns the next line in place, without its newline; NULL: no complete line. */
static char *next_line(struct input *in)
{
    char *line = in->buffer + in->start;
    char *end = memchr(line, '\n', in->used - in->start);
    if (!end && !(in->ended && in->used > in->start))
        return NULL;
    if (!end)
        end = in->buffer + in->used;
    *end = '\0';
    in->length = (size_t)(end - line);
    in->start = (size_t)(end - in->buffer) + (end < in->buffer + in->used);
    in->number++;
    return line;
}

static enum aw_status read_input(struct aw_session *session, struct input *in,
                                 struct aw_deadman *deadman)
{
    memmove(in->buffer, in->buffer + in->start, in->used - in->start);
    in->used -= in->start;
    in->start = 0;
    if (in->used >= AW_LINE_MAX) {
        in->overlong = true;
        in->used = AW_LINE_MAX;
    }
    enum aw_status status = aw_session_wait_input(session, in->fd, AW_NEVER);
    if (status != AW_OK)
        return status;
    ssize_t n = read(in->fd, in->buffer + in->used, sizeof in->buffer - 1 - in->used);
    if (n < 0 && errno != EINTR && errno != EAGAIN) {
        status = aw_file_fail(&session->err, NULL, in->name);
        aw_session_fail_outside_command(session, status);
    }
    in->ended = n == 0 || status != AW_OK;
    in->used += n > 0 ? (size_t)n : 0;
    aw_deadman_note_read(deadman, n > 0 ? (size_t)n : 0);
    return status;
}

static bool may_continue(const struct aw_session *session, enum aw_status status)
{
    return !session->mode.quit &&
           (status == AW_OK ||
            (status != AW_STOPPED && !session->out.error && session->options.run.keep_going));
}

/* Runs the command at tokens->next; the next call runs the command after it. */
static enum aw_status run_command(struct aw_session *session, struct input *in, const char *line,
                                  struct aw_tokens *tokens)
{
    struct aw_error *err = &session->err;
    char where[160];
    enum aw_status status;
    snprintf(where, sizeof where, "%.140s:%u", in->name, in->number);
    if (in->overlong || in->length >= AW_LINE_MAX)
        status = aw_fail(err, AW_USAGE,
                         "the line is longer than %d characters — split "
                         "it",
                         AW_LINE_MAX - 1);
    else if (strlen(line) < in->length)
        status = aw_fail(err, AW_USAGE, "column %zu: NUL character not allowed — remove it",
                         strlen(line) + 1);
    else
        status = aw_tokens_split_at(tokens, line, tokens->next, err);
    in->overlong = false;
    if (status != AW_OK) {
        aw_fail_at(err, where, 0);
        return aw_session_fail_outside_command(session, status);
    }
    return tokens->n ? aw_dispatch(session, tokens, where) : AW_OK;
}

static enum aw_status run_line(struct aw_session *session, struct input *in, const char *line,
                               struct aw_tokens *tokens)
{
    enum aw_status status, first = AW_OK;
    size_t mark = in->number == 1 ? aw_utf8_bom_size(line) : 0;
    line += mark;
    in->length -= mark;
    tokens->next = 0;
    do {
        status = run_command(session, in, line, tokens);
        if (first == AW_OK)
            first = status;
    } while (tokens->next && may_continue(session, status));
    return status == AW_STOPPED ? status : first;
}

enum aw_status aw_run_lines(struct aw_session *session, int fd, const char *name)
{
    struct input *in = calloc(1, sizeof *in);
    struct aw_tokens *tokens = malloc(sizeof *tokens);
    enum aw_status first = AW_OK, status = AW_OK;
    struct aw_deadman deadman;
    if (!in || !tokens) {
        free(in);
        free(tokens);
        return aw_session_fail_outside_command(session, aw_no_memory(&session->err));
    }
    *in = (struct input){.fd = fd, .name = name ? name : "stdin"};
    aw_deadman_begin(&deadman, session, fd);
    while (may_continue(session, status)) {
        char *line = next_line(in);
        if (!line && in->ended)
            break;
        if (line)
            aw_deadman_note_line(&deadman);
        status = line ? run_line(session, in, line, tokens)
                      : aw_deadman_handle_end(&deadman, read_input(session, in, &deadman));
        if (!line && session->share.attached)
            status = aw_share_get_outcome(session, status);
        if (first == AW_OK)
            first = status;
    }
    if (status == AW_STOPPED && !session->motion.stop.signal) { /* a stop between or within lines */
        aw_stop_read_cause(session);
        status = aw_session_report_loss(session, first);
        if (status != first)
            aw_session_report(session, "%s: %s\n", session->tool->name, session->err.text);
        first = status;
    }
    aw_deadman_end(&deadman);
    free(in);
    free(tokens);
    return first;
}

static enum aw_status run_script(struct aw_session *session, const struct aw_args *args)
{
    const char *name = aw_arg(args, "file", 0);
    if (session->mode.scripts == SCRIPTS_MAX)
        return aw_fail(&session->err, AW_USAGE,
                       "run: %.120s: scripts nested %d deep — check whether it runs itself", name,
                       SCRIPTS_MAX);
    int fd = aw_file_open_fd(name, O_NONBLOCK);
    if (fd < 0)
        return aw_file_fail(&session->err, NULL, name);
    session->mode.one_shot = false;
    session->mode.scripts++;
    enum aw_status status = aw_run_lines(session, fd, aw_file_name(name));
    session->mode.scripts--;
    close(fd);
    session->run.reported = true; /* its last command has already reported */
    return status;
}

static enum aw_status run_quit(struct aw_session *session, const struct aw_args *args)
{
    (void)args;
    session->mode.quit = true;
    return AW_OK;
}

/* clang-format off */
const struct aw_command aw_run_command = {
    .name = "run", .group = AW_GROUP_SET_UP,
    .summary = "run the commands in a file", .args = AW_ARGS(
        {.name = "file", .kind = AW_ARG_FILE,
         .help = "file with one command per line; # starts a comment"}),
    .options = AW_OPTIONS(AW_START_OPTIONS), .run = run_script,
    .details = "The lines run one after another. An error in a line is found only when the line "
        "runs, so the lines before it may already have moved the joints. '--dry-run run FILE' "
        "checks all lines and shows what each would send.",
    .lines = AW_LIST("$ printf '{move}\\n' >moves.txt", "--dry-run run moves.txt",
        "-l sim: run moves.txt")};

const struct aw_command aw_quit_command = {
    .name = "quit", .group = AW_GROUP_SET_UP,
    .summary = "quit the tool", .offline = true, .run = run_quit, .examples = AW_LIST("quit")};

const struct aw_command aw_exit_command = {
    .name = "exit", .summary = "quit the tool", .hidden = true, .offline = true, .run = run_quit};
/* clang-format on */
