/* The command view: a live drawing of the device on the terminal, or one drawing as text.
 *
 *     static const struct aw_view view = {
 *         .columns = 80, .rows = 24, .draw = draw, .wait = wait_until};
 *     return aw_view_show(session, &view, &viewer);
 */
#ifndef AW_SHELL_LOOK_VIEW_H
#define AW_SHELL_LOOK_VIEW_H

#include "shell/session/session.h"
#include "view/terminal/braille.h"

/* The functions receive the context of aw_view_show. */
struct aw_view {
    int columns, rows;       /* size of a drawing printed as text; a terminal has its own size */
    const char *const *keys; /* for the help page: key, meaning, …, NULL; or NULL: none */

    /* Draws on an empty canvas. On a terminal, aw_view_show adds a hint how to leave at the end of
     * the last row. */
    void (*draw)(void *context, struct aw_braille *canvas);

    /* Communicates with the device until due_ns. */
    enum aw_status (*wait)(void *context, int64_t due_ns);

    /* Handles a key, see aw_screen_read_key. NULL: the only keys are q, Escape and ?. */
    void (*key)(void *context, int key);
};

/* Draws 20 times a second until the user quits, -n drawings have been shown, or the time given by
 * --for has elapsed. Without a terminal, prints one drawing. */
enum aw_status aw_view_show(struct aw_session *session, const struct aw_view *view, void *context);

/* Prints the canvas as lines of text. */
enum aw_status aw_view_print(struct aw_session *session, const struct aw_braille *canvas);

#endif
