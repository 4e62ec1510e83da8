/* The whole terminal as a canvas, and its keys, on ncurses.
 *
 *     struct aw_screen *screen = aw_screen_open(STDIN_FILENO, true, &err);
 *    if (!screen) …                                     no suitable terminal: print lines instead
 *     while ((key = aw_screen_key(screen)) != 'q') {
 *         struct aw_braille *canvas = aw_screen_canvas(screen);     as large as the terminal is now
 *         draw(canvas);
 *         aw_screen_show(screen);                        sends what has changed
 *     }
 *     aw_screen_close(screen);                           the terminal is as it was before
 *    aw_screen_close(screen);                           restores the terminal
 * The caller must close the screen on every exit path. An open screen uses the terminal's alternate
 * page, hides the cursor and disables echo. Ctrl-C and Ctrl-Z work as usual (Ctrl-Z restores the
 * terminal meanwhile); Ctrl-\ is disabled. Other output to the terminal spoils the picture. There
 * can be one screen at a time.
 */
#ifndef AW_VIEW_TERMINAL_SCREEN_H
#define AW_VIEW_TERMINAL_SCREEN_H

#include "view/terminal/braille.h"

#include "base/status.h"

struct aw_screen;

/* Keys that are not characters. */
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

/* Takes over the terminal of standard output. Reads keys from standard input if that is a terminal,
 * else from /dev/tty. AW_REFUSED if no terminal can be drawn on. color: uses colours if available.
 */
struct aw_screen *aw_screen_open(bool color, struct aw_error *err);
void aw_screen_close(struct aw_screen *screen); /* accepts NULL */

/* Returns an empty canvas of the terminal's current size, owned by the screen. NULL: out of memory.
 */
struct aw_braille *aw_screen_canvas(struct aw_screen *screen);

/* Returns AW_BRAILLE_UTF8 and AW_BRAILLE_COLOR as supported by this terminal. */
unsigned aw_screen_how(const struct aw_screen *screen);

/* Shows the canvas on the terminal; sends only the changes. */
void aw_screen_show(struct aw_screen *screen);

/* Returns the next key, or AW_KEY_NONE. Does not block: poll(2) the descriptor. */
int aw_screen_key(struct aw_screen *screen);
int aw_screen_fd(const struct aw_screen *screen);

/* Returns true if TERM is set, and not "dumb". */
bool aw_screen_moves(void);

/* Returns true if standard output is a terminal and TERM is known. */
bool aw_screen_possible(void);

/* Returns true if the environment's locale uses UTF-8. */
bool aw_screen_utf8(void);

#endif
