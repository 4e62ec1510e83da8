/* aw_main(), the main function of every tool: global options, then one command, a script or the
 * prompt. */
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "shell/main.h"
#include "shell/prompt/prompt.h"
#include "shell/run/run.h"
#include "shell/safety/safety.h"
#include "shell/safety/tee.h"
#include "shell/serve/serve.h"
#include "shell/session/bind.h"
#include "shell/session/config.h"

/* Finds the last --config before the other options are parsed, because they override the config
 * file. Stops at "--", except after `complete`, whose arguments are the command line to
 * complete. */
static const char *find_config_path(int argc, char **argv)
{
    const char *path = NULL;
    for (int i = 1; i < argc; i++) {
        if (strcmp(argv[i], "--") == 0 && strcmp(argv[i - 1], "complete") != 0)
            break;
        if (strncmp(argv[i], "--config=", 9) == 0)
            path = argv[i] + 9;
        else if (strcmp(argv[i], "--config") == 0 && i + 1 < argc)
            path = argv[++i];
    }
    return path;
}

static enum aw_status load_settings(struct aw_session *session, int argc, char **argv)
{
    char variable[64];
    const char *path = find_config_path(argc, argv);
    aw_write_option_variable(session->tool->name, "config", variable, sizeof variable);
    const char *named = getenv(variable);
    if (!path && named && *named)
        path = named;
    /* The first command reports other errors in the file. */
    if (aw_config_load(session, path) == AW_NO_MEMORY)
        return AW_NO_MEMORY;
    return aw_options_from_environment(&session->options, session->tool->name, &session->err);
}

/* Sets *has_command if the tokens contain a command, an option that acts as one, such as --version,
 * or an error. Otherwise their options apply to the session. */
static enum aw_status parse_globals(struct aw_session *session, const struct aw_tokens *tokens,
                                    bool *has_command)
{
    struct aw_args *args = malloc(sizeof *args);
    struct aw_options saved_options = session->options;
    size_t bad_token;
    if (!args)
        return aw_no_memory(&session->err);
    enum aw_status status = aw_bind(session, tokens, args, &bad_token);
    *has_command = status != AW_OK || args->command || session->options.print.help ||
                   session->options.print.help_all || session->options.print.version;
    if (session->options.print.color > 0)
        session->out.color = session->options.print.color == 1;
    if (*has_command)
        session->options = saved_options;
    free(args);
    return AW_OK;
}

static enum aw_status end_record(struct aw_session *session, enum aw_status status)
{
    enum aw_status result = status;
    if (!aw_tee_close(session, &session->device.tee_error)) {
        result = aw_session_report_loss(session, status);
        if (result != status)
            aw_session_report(session, "%s: %s\n", session->tool->name, session->err.text);
    }
    return result;
}

static enum aw_status run(struct aw_session *session, int argc, char **argv)
{
    struct aw_tokens *tokens = malloc(sizeof *tokens);
    bool has_command = false;
    enum aw_status status =
        tokens ? load_settings(session, argc, argv) : aw_no_memory(&session->err);
    if (status == AW_OK)
        status = aw_tokens_from_argv(tokens, argc, argv, &session->err);
    if (status == AW_OK)
        status = parse_globals(session, tokens, &has_command);
    if (status != AW_OK) {
        aw_session_report(session, "%s: %s\n", session->tool->name, session->err.text);
    } else {
        bool is_prompt = isatty(STDIN_FILENO) && !session->options.run.no_input;
        session->mode.one_shot = has_command;
        status = has_command ? aw_dispatch(session, tokens, NULL)
                 : is_prompt ? aw_run_prompt(session)
                             : aw_run_lines(session, STDIN_FILENO, NULL);
        status = aw_session_stop_at_end(session, status);
    }
    free(tokens);
    return status;
}

int aw_main(const struct aw_tool *tool, int argc, char **argv)
{
    /* A closed standard descriptor could be reused for a device, which would then receive messages
     * meant for the user. Opens such descriptors in the wrong direction, so that using them fails
     * as before. */
    static const int how[] = {O_WRONLY, O_RDONLY, O_RDWR};
    for (int fd = STDIN_FILENO; fd <= STDERR_FILENO; fd++)
        if (fcntl(fd, F_GETFD) < 0 && errno == EBADF && open("/dev/null", how[fd]) != fd)
            _exit(AW_LOST);
    struct aw_session *session = aw_session_new(tool);
    if (!session) {
        struct aw_error err;
        aw_no_memory(&err);
        fprintf(stderr, "%s: %s\n", tool->name, err.text);
        return AW_NO_MEMORY;
    }
    session->share.sharing = &aw_sharing;
    signal(SIGPIPE, SIG_IGN);
    enum aw_status status = run(session, argc, argv);
    status = end_record(session, status);
    int code = aw_session_exit_code(session, status);
    aw_share_leave(session);
    aw_session_free(session);
    return code;
}
