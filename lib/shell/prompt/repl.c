/* The interactive prompt: readline with history, completion, hints and signals. */
#include "shell/prompt/prompt.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <readline/history.h>
#include <readline/readline.h>

#include "base/grow.h"
#include "base/ready.h"
#include "shell/run/run.h"
#include "shell/safety/safety.h"
#include "shell/safety/stop.h"
#include "shell/session/config.h"
#include "view/terminal/screen.h"

#define HISTORY_LINES 5000
#define MAX_LINK      24 /* max length of the link in the prompt */
#define MAX_REPEAT    999

struct prompt {
    struct aw_session *session;
    char text[96];     /* "canpid can0: moving> " */
    char history[512]; /* history file; "": none */
    char *typed;       /* the line entered; NULL at the end of the input */
    bool is_done;      /* readline has returned: a line, or the end of the input */
    bool hinted;       /* a hint is shown after the typed line */
    int typed_before;  /* characters from before the prompt that are still unread */
};

/* Returns the active prompt, after setting it if set is given. readline's callbacks have no context
 * argument. */
static struct prompt *get_active_prompt(struct prompt *set)
{
    static struct prompt *prompt;
    if (set)
        prompt = set;
    return prompt;
}

/* A list in readline's format: the common prefix, the matches, NULL. */
struct matches {
    char **list;
    size_t n, cap;
};

static void add_match(void *context, const char *candidate, const char *help)
{
    struct matches *m = context;
    (void)help;
    char **list = aw_grow(m->list, &m->cap, m->n + 3, sizeof *list);
    if (!list)
        return;
    m->list = list;
    char *copy = strdup(candidate);
    if (!copy)
        return;
    m->list[++m->n] = copy;
    m->list[m->n + 1] = NULL;
}

static char *find_common_prefix(const struct matches *m)
{
    size_t length = strlen(m->list[1]);
    for (size_t i = 2; i <= m->n; i++)
        for (size_t at = 0; at < length; at++)
            if (m->list[i][at] != m->list[1][at])
                length = at;
    return strndup(m->list[1], length);
}

static char **complete_token(const char *text, int start, int end)
{
    struct aw_tokens tokens;
    struct matches m = {.n = 0};
    const char *files = NULL;
    (void)end;
    char *before = strndup(rl_line_buffer, (size_t)start);
    rl_attempted_completion_over = 1;
    if (before && aw_tokens_split_last(&tokens, before) == AW_OK)
        aw_complete_token(get_active_prompt(NULL)->session, tokens.token, tokens.n, text, add_match,
                          &m, &files);
    free(before);
    if (files && m.n == 0)
        rl_attempted_completion_over = 0;
    if (m.n == 0)
        return NULL;
    m.list[0] = find_common_prefix(&m);
    bool value_follows = m.n == 1 && strchr("=:", m.list[1][strlen(m.list[1]) - 1]);
    rl_completion_append_character = value_follows ? '\0' : ' ';
    return m.list;
}

static void clear_hint(struct prompt *prompt)
{
    int ahead = rl_end - rl_point;
    if (!prompt->hinted)
        return;
    if (ahead > 0)
        fprintf(rl_outstream, "\0337\033[%dC\033[K\0338", ahead);
    else
        fputs("\033[K", rl_outstream);
    prompt->hinted = false;
}

/* Shows the hint dimmed after the cursor; the next key removes it. */
static void redisplay_with_hint(void)
{
    char hint[160];
    struct prompt *prompt = get_active_prompt(NULL);
    struct winsize size;
    rl_redisplay();
    bool is_known = ioctl(STDOUT_FILENO, TIOCGWINSZ, &size) == 0 && size.ws_col > 0;
    int room = is_known ? size.ws_col - 1 - rl_end - (int)strlen(rl_display_prompt) : 0;
    if (!prompt->session->out.color || room < 0)
        return;
    clear_hint(prompt);
    aw_write_hint(prompt->session, rl_line_buffer, hint, sizeof hint);
    prompt->hinted = *hint && rl_point == rl_end && (int)strlen(hint) <= room;
    if (prompt->hinted)
        fprintf(rl_outstream, "\033[2m%s\033[0m\033[%zuD", hint, strlen(hint));
    fflush(rl_outstream);
}

/* Handles Enter: removes the hint, so that only the typed text remains. */
static int accept_line(int count, int key)
{
    clear_hint(get_active_prompt(NULL));
    return rl_newline(count, key);
}

/* Returns the terminal to the program. */
static void remove_readline(struct prompt *prompt)
{
    prompt->session->mode.clear_typed = NULL;
    rl_callback_handler_remove();
}

static void on_line(char *line)
{
    struct prompt *prompt = get_active_prompt(NULL);
    remove_readline(prompt);
    free(prompt->typed);
    prompt->typed = line;
    prompt->session->mode.quit = prompt->session->mode.quit || !line;
    prompt->is_done = true;
}

/* Opens the history if it is a regular file: readline would block on a pipe. */
static void open_history(struct prompt *prompt)
{
    struct stat info;
    char *path = prompt->history;
    aw_write_state_path(prompt->session, "history", path, sizeof prompt->history);
    using_history();
    stifle_history(HISTORY_LINES);
    if (!*path)
        return;
    int fd = open(path, O_CREAT | O_RDWR | O_NONBLOCK | O_NOCTTY | O_CLOEXEC, 0600);
    bool is_file = fd >= 0 && fstat(fd, &info) == 0 && S_ISREG(info.st_mode);
    if (fd >= 0 && !is_file)
        aw_session_print_notice(prompt->session, "%s is not a regular file; history is not saved",
                                path);
    if (fd >= 0)
        close(fd);
    if (is_file)
        read_history(path);
    else
        *path = '\0';
}

static void add_to_history(const struct prompt *prompt, const char *line)
{
    HIST_ENTRY *last = history_length ? history_get(history_base + history_length - 1) : NULL;
    if (!*line || (last && strcmp(last->line, line) == 0))
        return;
    add_history(line);
    if (*prompt->history)
        append_history(1, prompt->history);
}

/* Runs the commands of a line, up to the first failure. */
static enum aw_status run_line(struct aw_session *session, struct aw_tokens *tokens,
                               const char *line)
{
    enum aw_status status;
    tokens->next = 0;
    do {
        status = aw_tokens_split_at(tokens, line, tokens->next, &session->err);
        if (status != AW_OK)
            aw_session_report(session, "%s: %s\n", session->tool->name, session->err.text);
        else if (tokens->n)
            status = aw_dispatch(session, tokens, NULL);
    } while (status == AW_OK && tokens->next && !session->mode.quit);
    if (status != AW_OK && tokens->next &&
        strspn(line + tokens->next, " ") < strlen(line + tokens->next))
        aw_session_print_notice(session, "the commands after ; were not run");
    return status;
}

/* Runs pasted lines up to the first failure. */
static void run_typed(struct prompt *prompt)
{
    struct aw_session *session = prompt->session;
    struct aw_tokens *tokens = malloc(sizeof *tokens);
    enum aw_status status = AW_OK;
    char *rest = prompt->typed;
    while (tokens && rest && status == AW_OK && !session->mode.quit) {
        char *line = strsep(&rest, "\n");
        add_to_history(prompt, line);
        status = run_line(session, tokens, line);
        if (status == AW_STOPPED)
            session->mode.quit = aw_stop_ends_prompt(session);
    }
    if (rest && *rest && !session->mode.quit)
        aw_session_print_notice(session, "the remaining pasted lines were not run");
    free(tokens);
    if (!session->mode.quit)
        aw_stop_rearm(session);
}

/* Writes the prompt "hidmotor hid: moving> ": the link without its parameters, and its state. Cuts
 * the start of a long link. */
static void write_prompt(struct prompt *prompt)
{
    const struct aw_session *session = prompt->session;
    const char *url = session->options.link.url, *cut = "", *state = "";
    url = url && *url ? url : session->tool->device.link ? session->tool->device.link : "";
    int length = (int)strcspn(url, "?");
    if (length > MAX_LINK) {
        cut = aw_screen_is_utf8() ? "…" : "~";
        url += length - MAX_LINK;
        length = MAX_LINK;
    }
    if (session->device.link ? session->device.link->is_lost : session->device.was_lost)
        state = ": link lost";
    else if (session->device.link && aw_session_has_ongoing(session))
        state = ": moving";
    if (*state && length && url[length - 1] == ':')
        state++; /* "sim:" already ends with a colon */
    snprintf(prompt->text, sizeof prompt->text, "%s%s%s%.*s%s> ", session->tool->name,
             length ? " " : "", cut, length, url, state);
}

/* Removes the typed line to make room for output; draw_typed_line restores it. A search or a repeat
 * count keeps its own prompt. */
static void clear_typed_line(struct prompt *prompt)
{
    clear_hint(prompt);
    rl_clear_visible_line();
    fflush(rl_outstream);
}

static void draw_typed_line(struct prompt *prompt)
{
    if (!RL_ISSTATE(RL_STATE_ISEARCH | RL_STATE_NSEARCH | RL_STATE_NUMERICARG)) {
        write_prompt(prompt);
        rl_set_prompt(prompt->text);
    }
    rl_forced_update_display();
    fflush(rl_outstream);
}

static void make_room(struct aw_session *session, bool begin)
{
    (void)session;
    if (begin)
        clear_typed_line(get_active_prompt(NULL));
    else
        draw_typed_line(get_active_prompt(NULL));
}

/* Redraws the prompt if its state changed: a motion ended, or a link was lost or restored. */
static void update_prompt(struct prompt *prompt)
{
    char before[sizeof prompt->text];
    strcpy(before, prompt->text);
    write_prompt(prompt);
    if (strcmp(before, prompt->text) == 0)
        return;
    strcpy(prompt->text, before);
    clear_typed_line(prompt);
    draw_typed_line(prompt);
}

/* Gives the terminal to readline. Keys typed during a command were read in line mode, so a Ctrl-D
 * among them arrives as a NUL character. */
static void install_readline(struct prompt *prompt)
{
    int waiting = 0;
    write_prompt(prompt);
    rl_callback_handler_install(prompt->text, on_line);
    prompt->session->mode.clear_typed = make_room;
    prompt->typed_before = ioctl(STDIN_FILENO, FIONREAD, &waiting) == 0 ? waiting : 0;
}

/* Ctrl-C or a failed recorder discards the typed line or search, and stops a continuing activity.
 * Ctrl-Z suspends the program. Other signals end the session. */
static void on_signal(struct prompt *prompt)
{
    struct aw_session *session = prompt->session;
    if (aw_stop_was_ctrl_z()) { /* Ctrl-Z: fg later restores the typed line */
        clear_hint(prompt);
        fflush(rl_outstream);
        rl_deprep_terminal();
        session->mode.clear_typed = NULL;
        aw_stop_suspend(session);
        session->mode.clear_typed = make_room;
        rl_prep_terminal(1);
        rl_forced_update_display();
        return;
    }
    aw_stop_read_cause(session);
    session->mode.quit = aw_stop_ends_prompt(session);
    fprintf(rl_outstream, "%s%s\n", session->out.color ? "\033[K" : "",
            session->mode.quit ? "" : "^C");
    prompt->hinted = false;
    rl_callback_sigcleanup();
    rl_free_line_state();
    remove_readline(prompt);
    if (session->mode.quit)
        return;
    if (aw_session_report_loss(session, AW_OK) != AW_OK)
        aw_session_report(session, "%s: %s\n", session->tool->name, session->err.text);
    aw_session_halt(session);
    aw_stop_rearm(session);
    if (session->out.color)
        fputs("\r\033[J", rl_outstream); /* clears the rest of an aborted search */
    install_readline(prompt);
}

static int read_key(FILE *stream)
{
    unsigned char key;
    struct prompt *prompt = get_active_prompt(NULL);
    for (;;) {
        ssize_t n = aw_read_ready(fileno(stream), &key, 1);
        bool has_typed_before = n == 1 && prompt->typed_before > 0;
        if (rl_numeric_arg > MAX_REPEAT) /* limits a repeat count typed with Alt */
            rl_numeric_arg = MAX_REPEAT;
        prompt->typed_before -= has_typed_before;
        if (n == 1)
            return has_typed_before && key == '\0' ? CTRL('D') : key;
        if (n == 0 || (errno != EAGAIN && errno != EINTR))
            return EOF;
        if (aw_session_wait_input(prompt->session, fileno(stream), AW_NEVER) == AW_STOPPED)
            return ABORT_CHAR; /* aborts the command that waits for this key */
    }
}

/* Waits for a key and updates the prompt when a motion ends. */
static enum aw_status wait_key(struct prompt *prompt)
{
    struct aw_session *session = prompt->session;
    enum aw_status status = AW_TIMEOUT;
    while (status == AW_TIMEOUT) {
        bool ends = session->motion.ongoing == AW_ONGOING_ENDING &&
                    !aw_session_is_virtual(session) && aw_session_has_ongoing(session);
        update_prompt(prompt);
        status =
            aw_session_wait_input(session, STDIN_FILENO, ends ? session->motion.end_ns : AW_NEVER);
    }
    return status;
}

static void read_one_line(struct prompt *prompt)
{
    struct aw_session *session = prompt->session;
    prompt->is_done = false;
    aw_stop_watch_suspend(session, true);
    install_readline(prompt);
    while (!prompt->is_done && !session->mode.quit) {
        if (wait_key(prompt) == AW_STOPPED)
            on_signal(prompt);
        else
            rl_callback_read_char();
    }
    if (!prompt->is_done)
        remove_readline(prompt);
    aw_stop_watch_suspend(session, false);
}

enum aw_status aw_run_prompt(struct aw_session *session)
{
    struct prompt prompt = {.session = session};
    get_active_prompt(&prompt);
    aw_stop_catch_signals(session);
    rl_readline_name = prompt.session->tool->name;
    rl_catch_signals = 0;
    rl_variable_bind("show-all-if-ambiguous", "on"); /* the user's inputrc may override this */
    /* must come before rl_redisplay_function is set, or readline skips the terminal setup */
    rl_initialize();
    rl_attempted_completion_function = complete_token;
    rl_completer_word_break_characters = " \t";
    rl_getc_function = read_key;
    rl_redisplay_function = redisplay_with_hint;
    rl_bind_key('\t', rl_complete);
    rl_bind_key('\r', accept_line);
    rl_bind_key('\n', accept_line);
    open_history(&prompt);
    session->mode.interactive = true;
    aw_session_print_notice(session, "TAB completes, 'help' explains, Ctrl-D quits");
    while (!session->mode.quit) {
        read_one_line(&prompt);
        if (prompt.is_done && prompt.typed)
            run_typed(&prompt);
    }
    if (prompt.is_done && !prompt.typed)
        fputc('\n', stdout);
    free(prompt.typed);
    return session->motion.stop.signal ? AW_STOPPED : AW_OK;
}
