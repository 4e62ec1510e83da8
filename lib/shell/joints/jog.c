/* Reads the keys of 'jog' and finishes each step before the next. */
#include "shell/joints/jog.h"

#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <string.h>
#include <sys/ioctl.h>
#include <unistd.h>

#include "base/ready.h"
#include "shell/safety/ask.h"
#include "view/terminal/screen.h"

/* Returns the escape sequence that clears the rest of the line; "" if the terminal has none. */
static const char *clear_rest(void)
{
    return aw_screen_is_capable() ? "\033[K" : "";
}

static enum aw_status move_joint(struct aw_jog *jog, double change)
{
    enum aw_status status = jog->move_by(jog, change);
    if (status == AW_OK)
        jog->value += change;
    if (status != AW_LIMIT)
        return status;
    aw_session_print_notice(jog->session, "%s", jog->session->err.text);
    return AW_OK;
}

static const struct {
    const char *key;
    char action; /* + and - move; p and n change the step; q quits */
} keys[] = {
    {"+", '+'},      {"-", '-'},      {"\033[A", '+'},  {"\033[C", '+'},
    {"\033[B", '-'}, {"\033[D", '-'}, {"\033[5~", 'p'}, {"\033[6~", 'n'},
    {"q", 'q'},      {"?", '?'},      {"\004", 'q'},
};

static enum aw_status do_action(struct aw_jog *jog, char action)
{
    switch (action) {
    case '+':
        return move_joint(jog, jog->step);
    case '-':
        return move_joint(jog, -jog->step);
    case 'p':
        jog->step = fmin(jog->step * 2, jog->max_step);
        return AW_OK;
    case 'n':
        jog->step = fmax(floor(jog->step / 2 / jog->min_step) * jog->min_step, jog->min_step);
        return AW_OK;
    case '?':
        aw_session_draw(jog->session,
                        "\r%sarrows, + -   move by a step\r\n"
                        "page keys     double, halve the step\r\n"
                        "q             quit; Ctrl-C stops the joint\r\n",
                        clear_rest());
        return AW_OK;
    default:
        jog->ended = true;
        return AW_OK;
    }
}

/* Finds the key at the start of the text, and sets *action ('\0': not a key). Returns the length to
 * skip. */
static size_t handle_key(const char *text, char *action)
{
    *action = '\0';
    for (size_t i = 0; i < sizeof keys / sizeof *keys; i++) {
        size_t length = strlen(keys[i].key);
        if (strncmp(keys[i].key, text, length) != 0)
            continue;
        *action = keys[i].action;
        return length;
    }
    return 1;
}

/* Discards keys typed while the joint moved, except q. So the joint stops when the user releases an
 * arrow key. */
static void drop_keys(struct aw_jog *jog)
{
    char text[64];
    while (!jog->ended) {
        ssize_t n = aw_read_ready(STDIN_FILENO, text, sizeof text);
        if (n < 0 && errno == EAGAIN)
            return;
        jog->ended = n <= 0 || memchr(text, 'q', (size_t)n) || memchr(text, '\004', (size_t)n);
    }
}

static enum aw_status read_keys(struct aw_jog *jog)
{
    char text[8] = "", action;
    bool moved = false;
    enum aw_status status = aw_session_wait_input(jog->session, STDIN_FILENO, AW_NEVER);
    if (status != AW_OK)
        return status;
    ssize_t n = aw_read_ready(STDIN_FILENO, text, sizeof text - 1);
    jog->ended = n == 0 || (n < 0 && errno != EAGAIN);
    for (const char *p = text; *p && !jog->ended && status == AW_OK;) {
        p += handle_key(p, &action);
        if (action)
            status = do_action(jog, action);
        moved = moved || action == '+' || action == '-';
    }
    if (moved && status == AW_OK)
        drop_keys(jog);
    return status;
}

enum aw_status aw_jog_keys(struct aw_jog *jog)
{
    static const char *const help[] = {"   arrows move, page keys step, q quit, ? keys",
                                       "   q quit, ? keys", "  q, ? keys", ""};
    struct aw_session *session = jog->session;
    struct termios old_settings;
    enum aw_status status = AW_OK;
    if (!isatty(STDIN_FILENO))
        return aw_fail(&session->err, AW_USAGE,
                       "jog: no terminal to read keys from — give an amount: jog JOINT +5");
    if (!aw_terminal_read_keys(&old_settings))
        return aw_fail(&session->err, AW_USAGE,
                       "jog: cannot read single keys from the terminal — "
                       "give an amount: jog JOINT +5");
    aw_session_end_progress(session); /* reading keys requires the progress line to be gone */
    while (status == AW_OK && !jog->ended) {
        struct winsize size = {.ws_col = 80};
        char position[80];
        int length = snprintf(position, sizeof position, "%.24s: %g %s, step %g", jog->name,
                              jog->value, jog->unit, jog->step);
        bool has_size = ioctl(STDERR_FILENO, TIOCGWINSZ, &size) == 0 && size.ws_col > 0;
        size_t i = 0;
        while (has_size && *help[i] && length + 1 + (int)strlen(help[i]) >= size.ws_col)
            i++;
        aw_session_draw(session, "\r%s%s %s", position, help[i], clear_rest());
        aw_object_start(&session->result, NULL);
        status = read_keys(jog);
    }
    aw_session_report(session, "\n");
    tcsetattr(STDIN_FILENO, TCSANOW, &old_settings);
    return status;
}
