/* Uses the whole terminal as a canvas and reads its keys, with ncurses.
 *
 *     struct aw_screen *screen = aw_screen_open(true, &err);
 *     if (!screen) …                                           print lines instead
 *     while ((key = aw_screen_read_key(screen)) != 'q') {
 *         struct aw_braille *canvas = aw_screen_get_canvas(screen);
 *         draw(canvas);
 *         aw_screen_show(screen);
 *     }
 *     aw_screen_close(screen);                                 restores the terminal
 *
 * The caller must close the screen on every exit path. An open screen uses the terminal's alternate
 * page, hides the cursor and disables echo. Ctrl-C and Ctrl-Z work as usual; Ctrl-Z restores the
 * terminal until the program continues. Ctrl-\ is disabled. Other output to the terminal would
 * damage the picture. Only one screen can be open at a time.
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

/* Takes over the terminal of standard output. Reads keys from standard input if it is a terminal,
 * else from /dev/tty. color: uses colours if available. AW_REFUSED: there is no suitable
 * terminal. */
struct aw_screen *aw_screen_open(bool has_color, struct aw_error *err);
void aw_screen_close(struct aw_screen *screen); /* accepts NULL */

/* Returns an empty canvas of the terminal's current size, owned by the screen. NULL: out of
 * memory. */
struct aw_braille *aw_screen_get_canvas(struct aw_screen *screen);

/* Returns AW_BRAILLE_UTF8 and AW_BRAILLE_COLOR if this terminal supports them. */
unsigned aw_screen_flags(const struct aw_screen *screen);

/* Shows the canvas on the terminal. Sends only the changes. */
void aw_screen_show(struct aw_screen *screen);

/* Returns the next key, or AW_KEY_NONE. Does not block: use poll(2) with the descriptor. */
int aw_screen_read_key(struct aw_screen *screen);
int aw_screen_fd(const struct aw_screen *screen);

/* Returns true if TERM is set and not "dumb". */
bool aw_screen_is_capable(void);

/* Returns true if standard output is a terminal and TERM is known. */
bool aw_screen_is_possible(void);

/* Returns true if the environment's locale uses UTF-8. */
bool aw_screen_is_utf8(void);

#endif
