/* The interactive prompt: readline with history, completion, hints and signals. */
#include "shell/prompt/repl.h"

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

#include "base/ready.h"
#include "shell/core/config.h"
#include "shell/core/stop.h"
#include "shell/prompt/complete.h"

#define HISTORY_LINES 5000

/* readline's callbacks carry no context of ours: this is the one place that knows the session. */
static struct aw_session *active(struct aw_session *set)
{
    static struct aw_session *session;
    if (set)
        session = set;
    return session;
}

/* In readline's form: the common beginning first, then the words, then NULL. */
struct matches {
    char **list;
    size_t n, cap;
};

static void add_match(void *context, const char *word, const char *help)
{
    struct matches *m = context;
    (void)help;
    if (m->n + 3 > m->cap) {
        size_t cap = m->cap ? m->cap * 2 : 64;
        char **list = realloc(m->list, cap * sizeof *list);
        if (!list)
            return;
        m->list = list;
        m->cap = cap;
    }
    char *copy = strdup(word);
    if (!copy)
        return;
    m->list[++m->n] = copy;
    m->list[m->n + 1] = NULL;
}

static char *common_beginning(const struct matches *m)
{
    size_t length = strlen(m->list[1]);
    for (size_t i = 2; i <= m->n; i++)
        for (size_t at = 0; at < length; at++)
            if (m->list[i][at] != m->list[1][at])
                length = at;
    return strndup(m->list[1], length);
}

static void no_space_after_equals(const struct matches *m)
{
    size_t length = strlen(m->list[1]);
    bool open = m->n == 1 && strchr("=:", m->list[1][length - 1]);
    rl_completion_append_character = open ? '\0' : ' ';
}

static char **complete_word(const char *text, int start, int end)
{
    struct aw_session *session = active(NULL);
    struct aw_words *words = &session->hint_words;
    struct matches m = {.n = 0};
    bool files = false;
    (void)end;
    char *before = strndup(rl_line_buffer, (size_t)start);
    rl_attempted_completion_over = 1;
    if (before && aw_words_split(words, before, NULL) == AW_OK)
        aw_complete(session, words->word, words->n, text, add_match, &m, &files);
    free(before);
    if (files && m.n == 0)
        rl_attempted_completion_over = 0;
    if (m.n == 0)
        return NULL;
    m.list[0] = common_beginning(&m);
    no_space_after_equals(&m);
    return m.list;
}

static int columns_left(void)
{
    struct winsize size;
    if (ioctl(STDOUT_FILENO, TIOCGWINSZ, &size) != 0 || size.ws_col == 0)
        return 0;
    return size.ws_col - 1 - rl_end - (int)strlen(rl_display_prompt);
}

static void clear_hint(struct aw_session *session)
{
    int ahead = rl_end - rl_point;
    if (!session->hinted)
        return;
    if (ahead > 0)
        fprintf(rl_outstream, "\0337\033[%dC\033[K\0338", ahead);
    else
        fputs("\033[K", rl_outstream);
    session->hinted = false;
}

/* The hint stands dim behind the cursor and disappears with the next key. */
static void redisplay_with_hint(void)
{
    char hint[160];
    struct aw_session *session = active(NULL);
    rl_redisplay();
    int room = columns_left();
    if (!session->out.color || room < 0)
        return;
    clear_hint(session);
    aw_hint(session, rl_line_buffer, hint, sizeof hint);
    session->hinted = *hint && rl_point == rl_end && (int)strlen(hint) <= room;
    if (session->hinted)
        fprintf(rl_outstream, "\033[2m%s\033[0m\033[%zuD", hint, strlen(hint));
    fflush(rl_outstream);
}

/* Enter: what stays on the screen is what was typed. */
static int accept_line(int count, int key)
{
    clear_hint(active(NULL));
    return rl_newline(count, key);
}

static void on_line(char *line)
{
    struct aw_session *session = active(NULL);
    rl_callback_handler_remove();
    free(session->typed);
    session->typed = line;
    session->quit = session->quit || !line;
    session->entered = true;
}

static void remember(struct aw_session *session, const char *line, const char *path)
{
    HIST_ENTRY *last = history_length ? history_get(history_base + history_length - 1) : NULL;
    (void)session;
    if (!*line || (last && strcmp(last->line, line) == 0))
        return;
    add_history(line);
    if (*path)
        append_history(1, path);
}

/* Only a file of lines is one: readline would wait for the other end of a pipe. */
static void open_history(struct aw_session *session, char *path)
{
    struct stat about;
    using_history();
    stifle_history(HISTORY_LINES);
    if (!*path)
        return;
    int fd = open(path, O_CREAT | O_RDWR | O_NONBLOCK | O_NOCTTY | O_CLOEXEC, 0600);
    bool file = fd >= 0 && fstat(fd, &about) == 0 && S_ISREG(about.st_mode);
    if (fd >= 0 && !file)
        aw_session_notice(session, "%s: no plain file — what is typed is not kept", path);
    if (fd >= 0)
        close(fd);
    if (file)
        read_history(path);
    else
        *path = '\0';
}

static enum aw_status run_line(struct aw_session *session, struct aw_words *words, const char *line)
{
    enum aw_status status = aw_words_split(words, line, &session->err);
    if (status != AW_OK)
        aw_session_report(session, "%s: %s\n", session->tool->name, session->err.text);
    else if (words->n)
        status = aw_dispatch(session, words, NULL);
    if (status == AW_STOPPED)
        session->quit = aw_stop_ends(session);
    return status;
}

/* What was pasted may be several lines: the first failure ends them. */
static void run_typed(struct aw_session *session, const char *history)
{
    struct aw_words *words = malloc(sizeof *words);
    enum aw_status status = AW_OK;
    char *rest = session->typed;
    while (words && rest && status == AW_OK && !session->quit) {
        char *line = strsep(&rest, "\n");
        remember(session, line, history);
        status = run_line(session, words, line);
    }
    if (rest && *rest && !session->quit)
        aw_session_notice(session, "the lines behind it were not run");
    free(words);
    if (!session->quit)
        aw_stop_rearm(session);
}

/* Ctrl-Z: the shell gets its terminal back; fg shows the line that was being typed again. */
static void suspend(struct aw_session *session)
{
    clear_hint(session);
    fflush(rl_outstream);
    rl_deprep_terminal();
    aw_stop_suspend(session);
    rl_prep_terminal(1);
    rl_forced_update_display();
}

/* The terminal belongs to readline from here. What was typed while a command ran was read as lines:
 * a Ctrl-D among it, an end of file then, is a NUL character now. */
static void install(struct aw_session *session, const char *prompt)
{
    int waiting = 0;
    rl_callback_handler_install(prompt, on_line);
    session->typed_before = ioctl(STDIN_FILENO, FIONREAD, &waiting) == 0 ? waiting : 0;
}

/* Ctrl-C on a line that is being typed throws the line away, and a search with it, and stops what
 * goes on, as a lost recorder does; the others end the session. */
static void on_signal(struct aw_session *session, const char *prompt)
{
    if (aw_stop_is_suspend()) {
        suspend(session);
        return;
    }
    aw_stop_read(session);
    session->quit = aw_stop_ends(session);
    fprintf(rl_outstream, "%s%s\n", session->out.color ? "\033[K" : "", session->quit ? "" : "^C");
    session->hinted = false;
    rl_callback_sigcleanup();
    rl_free_line_state();
    rl_callback_handler_remove();
    if (session->quit)
        return;
    if (aw_session_take_loss(session, AW_OK) != AW_OK)
        aw_session_report(session, "%s: %s\n", session->tool->name, session->err.text);
    aw_session_halt(session);
    aw_stop_rearm(session);
    if (session->out.color)
        fputs("\r\033[J", rl_outstream); /* what a search drew when it was given up */
    install(session, prompt);
}

static int read_key(FILE *stream)
{
    unsigned char key;
    struct aw_session *session = active(NULL);
    for (;;) {
        ssize_t n = aw_read_ready(fileno(stream), &key, 1);
        bool before = n == 1 && session->typed_before > 0;
        session->typed_before -= before;
        if (n == 1)
            return before && key == '\0' ? CTRL('D') : key;
        if (n == 0 || (errno != EAGAIN && errno != EINTR))
            return EOF;
        if (aw_session_wait_input(session, fileno(stream)) == AW_STOPPED)
            return ABORT_CHAR; /* whatever waits for this key gives up */
    }
}

static void read_one_line(struct aw_session *session, const char *prompt)
{
    session->entered = false;
    aw_stop_watch_suspend(session, true);
    install(session, prompt);
    while (!session->entered && !session->quit) {
        if (aw_session_wait_input(session, STDIN_FILENO) == AW_STOPPED)
            on_signal(session, prompt);
        else
            rl_callback_read_char();
    }
    if (!session->entered)
        rl_callback_handler_remove();
    aw_stop_watch_suspend(session, false);
}

static void set_up(struct aw_session *session)
{
    active(session);
    rl_readline_name = session->tool->name;
    rl_catch_signals = 0;
    rl_variable_bind("show-all-if-ambiguous", "on"); /* a file of the user's may say otherwise */
    rl_initialize(); /* looks at the terminal only as long as the display is readline's own */
    rl_attempted_completion_function = complete_word;
    rl_completer_word_break_characters = " \t";
    rl_getc_function = read_key;
    rl_redisplay_function = redisplay_with_hint;
    rl_bind_key('\t', rl_complete);
    rl_bind_key('\r', accept_line);
    rl_bind_key('\n', accept_line);
}

enum aw_status aw_repl(struct aw_session *session)
{
    char history[512], prompt[64];
    aw_stop_catch(session);
    set_up(session);
    aw_state_path(session, "history", history, sizeof history);
    open_history(session, history);
    snprintf(prompt, sizeof prompt, "%s> ", session->tool->name);
    session->interactive = true;
    aw_session_notice(session, "TAB completes, 'help' explains, Ctrl-D leaves");
    while (!session->quit) {
        read_one_line(session, prompt);
        if (session->entered && session->typed)
            run_typed(session, history);
    }
    if (session->entered && !session->typed)
        fputc('\n', stdout);
    free(session->typed);
    session->typed = NULL;
    return session->signal ? AW_STOPPED : AW_OK;
}
