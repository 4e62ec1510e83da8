/* The whole terminal as a canvas, and its keys, on ncurses.
 *
 *     struct aw_screen *screen = aw_screen_open(STDIN_FILENO, true, &err);
 *     if (!screen) …                                     no such terminal: print lines instead
 *     while ((key = aw_screen_key(screen)) != 'q') {
 *         struct aw_braille *canvas = aw_screen_canvas(screen);     as large as the terminal is now
 *         draw(canvas);
 *         aw_screen_show(screen);                        sends what has changed
 *     }
 *     aw_screen_close(screen);                           the terminal is as it was before
 *
 * Who opens it closes it on every way out: while it is open the terminal is on its other page,
 * shows no cursor and does not echo. Ctrl-C and Ctrl-Z keep their meaning (Ctrl-Z puts the terminal
 * back for the time), Ctrl-\ has none. Writing to standard output or standard error spoils the
 * picture. One screen at a time.
 */
#ifndef AW_VIEW_TERMINAL_SCREEN_H
#define AW_VIEW_TERMINAL_SCREEN_H

#include "view/terminal/braille.h"

#include "base/status.h"

struct aw_screen;

/* Keys that are no characters. */
enum aw_key {
    AW_KEY_NONE = 0,
    AW_KEY_ENTER = '\n',
    AW_KEY_ESCAPE = 27,
    AW_KEY_UP = 0x1000,
    AW_KEY_DOWN,
    AW_KEY_LEFT,
    AW_KEY_RIGHT,
    AW_KEY_PAGE_UP,
    AW_KEY_PAGE_DOWN,
    AW_KEY_HOME,
    AW_KEY_END,
    AW_KEY_BACKSPACE,
};

/* Takes over the terminal of standard output. Keys are read from standard input if that is a
 * terminal, else from /dev/tty. AW_REFUSED if there is no terminal that can be drawn on. color: may
 * be used if there are some. */
struct aw_screen *aw_screen_open(bool color, struct aw_error *err);
void aw_screen_close(struct aw_screen *screen); /* NULL is fine */

/* An empty canvas of the terminal's present size; the screen's own. NULL without memory. */
struct aw_braille *aw_screen_canvas(struct aw_screen *screen);

/* AW_BRAILLE_UTF8 and AW_BRAILLE_COLOR as this terminal has them. */
unsigned aw_screen_how(const struct aw_screen *screen);

/* Puts the canvas on the terminal; only what is not there yet is sent. */
void aw_screen_show(struct aw_screen *screen);

/* The next key that was typed, or AW_KEY_NONE. Does not wait: poll(2) the descriptor. */
int aw_screen_key(struct aw_screen *screen);
int aw_screen_fd(const struct aw_screen *screen);

/* Could a screen be opened on standard output: a terminal, and TERM says which? */
bool aw_screen_possible(void);

/* Does the locale of the environment write UTF-8? */
bool aw_screen_utf8(void);

#endif
