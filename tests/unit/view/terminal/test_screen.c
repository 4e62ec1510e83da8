/* Tests the screen on a pseudo-terminal: its output, its keys and the restored terminal.
 * Descriptors 0 and 1 are the terminal during a test. */
#include "view/terminal/screen.h"

#include <fcntl.h>
#include <locale.h>
#include <poll.h>
#include <pty.h>
#include <sys/ioctl.h>
#include <termios.h>
#include <unistd.h>

#include "heap_helper.h"
#include "view_helper.h"

static int terminal, user, saved[2];
static struct termios before;
static char seen[1 << 16];
static struct aw_error err;

static void start(void)
{
    struct winsize size = {.ws_col = 40, .ws_row = 6};
    assert_int_equal(openpty(&terminal, &user, NULL, NULL, &size), 0);
    fcntl(terminal, F_SETFL, O_NONBLOCK);
    tcgetattr(user, &before);
    fflush(stdout);
    for (int fd = 0; fd < 2; fd++) {
        saved[fd] = dup(fd);
        dup2(user, fd);
    }
    setenv("TERM", "xterm-256color", 1);
    setenv("LC_ALL", "C.UTF-8", 1);
}

static void stop(void)
{
    for (int fd = 0; fd < 2; fd++) {
        dup2(saved[fd], fd);
        close(saved[fd]);
    }
    close(terminal);
    close(user);
}

/* Returns the output since the last call. */
static const char *arrived(void)
{
    size_t n = 0;
    ssize_t more;
    while ((more = read(terminal, seen + n, sizeof seen - 1 - n)) > 0)
        n += (size_t)more;
    seen[n] = '\0';
    return seen;
}

static struct aw_screen *open_screen(bool color)
{
    struct aw_screen *screen = aw_screen_open(color, &err);
    if (!screen)
        fail_msg("%s", err.text);
    return screen;
}

/* Requires that the terminal has its initial modes. */
static void expect_given_back(void)
{
    struct termios now;
    tcgetattr(user, &now);
    assert_int_equal(now.c_lflag, before.c_lflag);
    assert_int_equal(now.c_iflag, before.c_iflag);
    assert_int_equal(now.c_oflag, before.c_oflag);
    assert_memory_equal(now.c_cc, before.c_cc, sizeof now.c_cc);
}

TEST_WITH(start, stop, drawing_reaches_the_terminal)
{
    assert_true(aw_screen_is_possible() && aw_screen_is_utf8());
    struct aw_screen *screen = open_screen(true);
    assert_int_equal(aw_screen_flags(screen), AW_BRAILLE_UTF8 | AW_BRAILLE_COLOR);
    struct aw_braille *canvas = aw_screen_get_canvas(screen);
    assert_non_null(canvas);
    assert_int_equal(canvas->columns, 40);
    assert_int_equal(canvas->rows, 6);
    aw_braille_draw_text(canvas, 2, 1, "plain", 0);
    aw_braille_draw_text(canvas, 8, 1, "series", 1);
    aw_braille_draw_text(canvas, 15, 1, "behind", AW_BRAILLE_DIM);
    aw_braille_draw_text(canvas, 2, 3, "care", AW_BRAILLE_CAUTION);
    aw_braille_draw_text(canvas, 8, 3, "warn", AW_BRAILLE_WARNING);
    aw_braille_draw_text(canvas, 14, 3, "bold", AW_BRAILLE_BOLD);
    aw_braille_draw_dot(canvas, 60, 20, 4);
    aw_screen_show(screen);
    arrived();
    expect_in(seen, "\033[?1049h"); /* switches to the alternate screen */
    expect_in(seen, "\033[?25l");   /* hides the cursor */
    expect_in(seen, "plain");
    expect_in(seen, "\033[36mseries");
    expect_in(seen, "\033[38;5;245mbehind");
    expect_in(seen, "\033[33mcare");
    expect_in(seen, ";1m\033[31mwarn");
    expect_in(seen, ";1mbold");
    expect_in(seen, "\033[32m⠁");
    aw_screen_close(screen);
    arrived();
    expect_in(seen, "\033[?1049l");
    expect_in(seen, "\033[?25h");
    expect_given_back();
}

TEST_WITH(start, stop, only_changes_are_sent)
{
    struct winsize larger = {.ws_col = 60, .ws_row = 9};
    struct aw_screen *screen = open_screen(true);
    for (int i = 0; i < 3; i++) {
        struct aw_braille *canvas = aw_screen_get_canvas(screen);
        assert_int_equal(canvas->cells[40 + 2].character[0], '\0'); /* initially empty */
        aw_braille_draw_text(canvas, 2, 1, "the first row", 0);
        aw_braille_draw_text(canvas, 2, 4, i < 2 ? "another" : "a third", 0);
        aw_screen_show(screen);
        arrived();
        (i == 0 ? expect_in : expect_not_in)(seen, "first");
        (i == 0 ? expect_in : expect_not_in)(seen, "another");
        if (i == 1)
            assert_string_equal(seen, "");
    }
    expect_in(seen, "third");
    assert_int_equal(ioctl(user, TIOCSWINSZ, &larger), 0);
    struct aw_braille *canvas = aw_screen_get_canvas(screen);
    assert_int_equal(canvas->columns, 60);
    assert_int_equal(canvas->rows, 9);
    aw_braille_draw_text(canvas, 2, 1, "the first row", 0);
    aw_braille_draw_text(canvas, 50, 8, "the end", 0);
    aw_screen_show(screen);
    expect_in(arrived(), "the first row");
    expect_in(seen, "\033[9;51Hthe end");
    /* Only higher, only wider, and larger than the maximum canvas. */
    static const struct winsize sizes[] = {{.ws_col = 60, .ws_row = 12},
                                           {.ws_col = 70, .ws_row = 12},
                                           {.ws_col = 1200, .ws_row = 1000},
                                           {.ws_col = 1000, .ws_row = 1300},
                                           {.ws_col = 999, .ws_row = 3}};
    EACH (row, sizes) {
        assert_int_equal(ioctl(user, TIOCSWINSZ, row), 0);
        canvas = aw_screen_get_canvas(screen);
        assert_int_equal(canvas->columns, row->ws_col < 1000 ? row->ws_col : 1000);
        assert_int_equal(canvas->rows, row->ws_row < 1000 ? row->ws_row : 1000);
    }
    aw_braille_draw_text(canvas, 5, 1, "alone", 0);
    aw_screen_show(screen);
    expect_in(arrived(), "alone");
    aw_screen_close(screen);
    expect_given_back();
}

TEST_WITH(start, stop, key_sequences_are_decoded)
{
    static const struct {
        const char *typed;
        int key;
    } rows[] = {
        {"q", 'q'},
        {" ", ' '},
        {"\001", 1}, /* Ctrl-A */
        {"~", '~'},
        {"\r", AW_KEY_ENTER},
        {"\n", AW_KEY_ENTER},
        {"\033OA", AW_KEY_UP},
        {"\033OB", AW_KEY_DOWN},
        {"\033OC", AW_KEY_RIGHT},
        {"\033OD", AW_KEY_LEFT},
        {"\033[5~", AW_KEY_PAGE_UP},
        {"\033[6~", AW_KEY_PAGE_DOWN},
        {"\033OH", AW_KEY_HOME},
        {"\033OF", AW_KEY_END},
        {"\033OM", AW_KEY_ENTER},
        {"\177", AW_KEY_BACKSPACE},
        {"\b", AW_KEY_BACKSPACE},
        {"\033", AW_KEY_ESCAPE},
        {"\033OP", AW_KEY_NONE}, /* F1 */
    };
    struct termios mode;
    struct aw_screen *screen = open_screen(false);
    tcgetattr(user, &mode);
    assert_true((mode.c_lflag & (ECHO | ICANON)) == 0 && (mode.c_lflag & ISIG) != 0);
    assert_int_equal(mode.c_cc[VQUIT], _POSIX_VDISABLE);
    assert_int_equal(mode.c_cc[VINTR], before.c_cc[VINTR]);
    assert_int_equal(aw_screen_read_key(screen), AW_KEY_NONE);
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        size_t size = strlen(rows[i].typed);
        assert_int_equal(write(terminal, rows[i].typed, size), size);
        struct pollfd in = {.fd = aw_screen_fd(screen), .events = POLLIN};
        assert_int_equal(poll(&in, 1, 10000), 1);
        int key = aw_screen_read_key(screen);
        if (key != rows[i].key)
            fail_msg("key %zu is %d instead of %d", i, key, rows[i].key);
        assert_int_equal(aw_screen_read_key(screen), AW_KEY_NONE);
    }
    aw_screen_close(screen);
    expect_given_back();
}

/* Opens a terminal without colours, without UTF-8 and without a size. */
TEST_WITH(start, stop, limited_terminals_are_supported)
{
    struct winsize none = {0};
    setenv("TERM", "vt100", 1);
    setenv("LC_ALL", "C", 1);
    assert_false(aw_screen_is_utf8());
    assert_int_equal(ioctl(user, TIOCSWINSZ, &none), 0);
    struct aw_screen *screen = open_screen(true);
    assert_int_equal(aw_screen_flags(screen), 0);
    struct aw_braille *canvas = aw_screen_get_canvas(screen);
    assert_int_equal(canvas->columns, 80);
    assert_int_equal(canvas->rows, 24);
    aw_braille_draw_text(canvas, 0, 0, "bold", AW_BRAILLE_BOLD);
    aw_braille_draw_text(canvas, 5, 0, "series", 1);
    aw_screen_show(screen);
    expect_in(arrived(), "\033[0;1m");
    expect_not_in(seen, "\033[3");
    expect_in(seen, "series");
    aw_screen_close(screen);
    aw_screen_close(NULL);
    setenv("TERM", "xterm-256color", 1);
    screen = open_screen(false);
    assert_int_equal(aw_screen_flags(screen) & AW_BRAILLE_COLOR, 0);
    aw_screen_close(screen);
    setenv("TERM", "linux", 1);
    screen = open_screen(true);
    assert_int_equal(aw_screen_flags(screen), AW_BRAILLE_COLOR);
    aw_braille_draw_text(aw_screen_get_canvas(screen), 0, 0, "behind", AW_BRAILLE_DIM);
    aw_screen_show(screen);
    expect_not_in(arrived(), "38;5;"); /* the screen has eight colours: dim */
    expect_in(seen, ";2m");
    aw_screen_close(screen);
    expect_given_back();
}

static void open_unknown(void)
{
    assert_null(aw_screen_open(true, &err));
}

TEST_WITH(start, stop, unusable_terminals_are_refused)
{
    static const struct text_case rows[] = {
        {"", "standard output is not a terminal"},
        {"dumb", "standard output is not a terminal"},
        {"no-such-terminal", "unknown terminal 'no-such-terminal'"}};
    EACH (row, rows) {
        setenv("TERM", row->text, 1);
        assert_null(aw_screen_open(true, &err));
        assert_error_has(err.status, AW_REFUSED, &err, row->expected);
        expect_no_leak(open_unknown);
    }
    expect_given_back();
    setenv("TERM", "xterm", 1);
    int nowhere = open("/dev/null", O_WRONLY);
    dup2(nowhere, STDOUT_FILENO);
    close(nowhere);
    assert_false(aw_screen_is_possible());
    assert_null(aw_screen_open(true, &err));
}
