/* The code that uses ncurses: opens and restores the terminal, shows canvases, and reads keys. */
#include "view/terminal/screen.h"

#include <curses.h>
#include <fcntl.h>
#include <langinfo.h>
#include <locale.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <term.h>
#include <termios.h>
#include <unistd.h>

#undef columns /* term.h defines it as a macro */

struct aw_screen {
    FILE *in, *out;
    SCREEN *terminal;
    /* an empty window for reading keys, because ncurses redraws the window that it reads from */
    WINDOW *key_window;
    char *locale; /* previous LC_CTYPE, to restore it */
    unsigned flags;
    struct aw_braille canvas, shown;
    attr_t attributes[AW_BRAILLE_COLORS];
};

bool aw_screen_is_capable(void)
{
    const char *term = getenv("TERM");
    return term && *term && strcmp(term, "dumb") != 0;
}

bool aw_screen_is_possible(void)
{
    return isatty(STDOUT_FILENO) && aw_screen_is_capable();
}

bool aw_screen_is_utf8(void)
{
    locale_t locale = newlocale(LC_CTYPE_MASK, "", (locale_t)0);
    if (!locale)
        return false;
    bool utf8 = strcmp(nl_langinfo_l(CODESET, locale), "UTF-8") == 0;
    freelocale(locale);
    return utf8;
}

/* ---- Opening and closing ---- */

/* Uses the colours of the terminal's theme, which suit dark and light backgrounds. */
static void choose_attributes(struct aw_screen *screen)
{
    static const short basic[AW_BRAILLE_COLORS] = {
        -1,        COLOR_CYAN, COLOR_YELLOW, COLOR_MAGENTA, COLOR_GREEN, COLOR_BLUE,
        COLOR_RED, -1,         COLOR_YELLOW, COLOR_RED,     -1};
    screen->attributes[AW_BRAILLE_DIM] = A_DIM;
    screen->attributes[AW_BRAILLE_WARNING] = A_BOLD;
    screen->attributes[AW_BRAILLE_BOLD] = A_BOLD;
    if (!(screen->flags & AW_BRAILLE_COLOR))
        return;
    for (short i = 1; i < AW_BRAILLE_COLORS; i++) {
        short color = basic[i];
        if (i == AW_BRAILLE_DIM && COLORS >= 16)
            color = COLORS >= 256 ? 245 : 8;
        if (color < 0)
            continue;
        init_pair(i, color, -1);
        screen->attributes[i] =
            (i == AW_BRAILLE_DIM ? 0 : screen->attributes[i]) | (attr_t)COLOR_PAIR(i);
    }
}

/* Disables Ctrl-\, which would end the program without restoring the terminal. */
static void disable_quit(int fd)
{
    struct termios mode;
    if (tcgetattr(fd, &mode) != 0)
        return;
    mode.c_cc[VQUIT] = _POSIX_VDISABLE;
    tcsetattr(fd, TCSANOW, &mode);
}

static bool open_files(struct aw_screen *screen)
{
    int out = fcntl(STDOUT_FILENO, F_DUPFD_CLOEXEC, 0);
    int in = isatty(STDIN_FILENO) ? fcntl(STDIN_FILENO, F_DUPFD_CLOEXEC, 0)
                                  : open("/dev/tty", O_RDONLY | O_CLOEXEC);
    if (in < 0)
        in = open("/dev/null", O_RDONLY | O_CLOEXEC);
    screen->out = out >= 0 ? fdopen(out, "w") : NULL;
    screen->in = in >= 0 ? fdopen(in, "r") : NULL;
    return screen->out && screen->in;
}

/* Returns true if ncurses knows the terminal. newterm would leak memory for an unknown one. */
static bool is_term_known(void)
{
    int problem;
    if (setupterm(NULL, STDOUT_FILENO, &problem) != OK)
        return false;
    del_curterm(cur_term);
    return true;
}

struct aw_screen *aw_screen_open(bool has_color, struct aw_error *err)
{
    if (!aw_screen_is_possible()) {
        aw_fail(err, AW_REFUSED, "standard output is not a terminal");
        return NULL;
    }
    struct aw_screen *screen = calloc(1, sizeof *screen);
    if (!screen) {
        aw_no_memory(err);
        return NULL;
    }
    const char *locale = setlocale(LC_CTYPE, NULL); /* ncurses uses this locale only */
    screen->locale = locale ? strdup(locale) : NULL;
    setlocale(LC_CTYPE, "");
    screen->flags = aw_screen_is_utf8() ? AW_BRAILLE_UTF8 : 0;
    if (is_term_known() && open_files(screen))
        screen->terminal = newterm(NULL, screen->out, screen->in);
    if (!screen->terminal) {
        aw_screen_close(screen);
        aw_fail(err, AW_REFUSED,
                "unknown terminal '%.40s' — set TERM to a known one, such as xterm",
                getenv("TERM") ? getenv("TERM") : "");
        return NULL;
    }
    set_term(screen->terminal);
    cbreak();
    noecho();
    nonl();
    curs_set(0);
    set_escdelay(25);
    if (has_color && has_colors() && start_color() == OK && use_default_colors() == OK)
        screen->flags |= AW_BRAILLE_COLOR;
    choose_attributes(screen);
    disable_quit(fileno(screen->out));
    screen->key_window = newpad(1, 1);
    if (screen->key_window) {
        keypad(screen->key_window, TRUE);
        nodelay(screen->key_window, TRUE);
    }
    return screen;
}

void aw_screen_close(struct aw_screen *screen)
{
    if (!screen)
        return;
    if (screen->key_window)
        delwin(screen->key_window);
    if (screen->terminal) {
        set_term(screen->terminal);
        endwin();
        delscreen(screen->terminal);
    }
    if (screen->out)
        fclose(screen->out);
    if (screen->in)
        fclose(screen->in);
    if (screen->locale)
        setlocale(LC_CTYPE, screen->locale);
    free(screen->locale);
    aw_braille_free(&screen->canvas);
    aw_braille_free(&screen->shown);
    free(screen);
}

/* ---- Drawing ---- */

static void get_size(const struct aw_screen *screen, int *width, int *height)
{
    struct winsize size = {0};
    ioctl(fileno(screen->out), TIOCGWINSZ, &size);
    *width = size.ws_col ? size.ws_col : 80;
    *height = size.ws_row ? size.ws_row : 24;
    *width = *width < 1000 ? *width : 1000;
    *height = *height < 1000 ? *height : 1000;
}

struct aw_braille *aw_screen_get_canvas(struct aw_screen *screen)
{
    int width, height;
    get_size(screen, &width, &height);
    if (screen->canvas.columns == width && screen->canvas.rows == height) {
        aw_braille_clear(&screen->canvas);
        return &screen->canvas;
    }
    aw_braille_free(&screen->canvas);
    aw_braille_free(&screen->shown);
    resizeterm(height, width);
    erase();
    bool ok = aw_braille_init(&screen->canvas, width, height) &&
              aw_braille_init(&screen->shown, width, height);
    return ok ? &screen->canvas : NULL;
}

unsigned aw_screen_flags(const struct aw_screen *screen)
{
    return screen->flags;
}

/* Writes the row in runs of characters with the same colour. */
static void show_row(struct aw_screen *screen, int y)
{
    char text[1000 * 4 + 1];
    size_t n = 0;
    int width = screen->canvas.columns, color = -1;
    const struct aw_braille_cell *row = screen->canvas.cells + (size_t)y * (size_t)width;
    move(y, 0);
    for (int x = 0; x <= width; x++) {
        if (x == width || row[x].color != color) {
            if (n)
                addnstr(text, (int)n);
            n = 0;
            color = x < width ? row[x].color : color;
            attrset((int)screen->attributes[color]);
        }
        if (x < width)
            n += aw_braille_print_cell(&row[x], screen->flags, text + n);
    }
}

/* Redraws the screen with SIGTSTP blocked, because ncurses would ignore it. A pending Ctrl-Z then
 * suspends the program. */
static void refresh_then_suspend(void)
{
    sigset_t suspend, before;
    sigemptyset(&suspend);
    sigaddset(&suspend, SIGTSTP);
    sigprocmask(SIG_BLOCK, &suspend, &before);
    refresh();
    sigprocmask(SIG_SETMASK, &before, NULL);
}

void aw_screen_show(struct aw_screen *screen)
{
    int width = screen->canvas.columns;
    for (int y = 0; y < screen->canvas.rows; y++) {
        size_t at = (size_t)y * (size_t)width, size = (size_t)width * sizeof *screen->canvas.cells;
        if (memcmp(screen->canvas.cells + at, screen->shown.cells + at, size) == 0)
            continue;
        memcpy(screen->shown.cells + at, screen->canvas.cells + at, size);
        show_row(screen, y);
    }
    refresh_then_suspend();
}

/* ---- Keys ---- */

int aw_screen_read_key(struct aw_screen *screen)
{
    static const struct {
        int curses, key;
    } map[] = {
        {KEY_UP, AW_KEY_UP},       {KEY_DOWN, AW_KEY_DOWN},     {KEY_LEFT, AW_KEY_LEFT},
        {KEY_RIGHT, AW_KEY_RIGHT}, {KEY_PPAGE, AW_KEY_PAGE_UP}, {KEY_NPAGE, AW_KEY_PAGE_DOWN},
        {KEY_HOME, AW_KEY_HOME},   {KEY_END, AW_KEY_END},       {KEY_BACKSPACE, AW_KEY_BACKSPACE},
        {127, AW_KEY_BACKSPACE},   {8, AW_KEY_BACKSPACE},       {'\r', AW_KEY_ENTER},
        {KEY_ENTER, AW_KEY_ENTER},
    };
    int key = screen->key_window ? wgetch(screen->key_window) : ERR;
    for (size_t i = 0; i < sizeof map / sizeof *map; i++)
        if (key == map[i].curses)
            return map[i].key;
    return key > 0 && key < 127 ? key : AW_KEY_NONE;
}

int aw_screen_fd(const struct aw_screen *screen)
{
    return fileno(screen->in);
}
