/* Draws the arm as a page of text: two pictures side by side, the joints, and message lines. */
#ifndef AW_CMD_UNITYSIM_SCREEN_H
#define AW_CMD_UNITYSIM_SCREEN_H

#include "state.h"

#define SCREEN_LINES 2
#define SCREEN_LINE  200

struct unitysim_screen {
    char title[SCREEN_LINE];
    double ticks[AW_UNITYSIM_JOINTS];
    int velocity[AW_UNITYSIM_JOINTS]; /* 0: stopped */
    int way[AW_UNITYSIM_JOINTS];      /* +1, -1: ticks increase, decrease; 0: unknown */
    struct aw_unitysim_limits limits;
    char lines[SCREEN_LINES][SCREEN_LINE]; /* below the joints; "": none */
};

/* Returns true if the terminal can be redrawn: no pipe, and not TERM=dumb. */
bool unitysim_screen_live(void);

/* Draws pages until the user leaves; keys: input is available. */
typedef enum aw_status unitysim_pages(void *context, bool keys);

/* Runs pages on the alternate screen and restores the terminal. Ctrl-Z also restores it; pages is
 * called again when the program returns to the foreground. */
enum aw_status unitysim_screen_show(struct aw_session *session, unitysim_pages *pages,
                                    void *context);

/* Draws one page: over the last one on a terminal (live), or as text of 80 x 24. AW_LIMIT: out of
 * memory; AW_LOST: the output was closed. */
enum aw_status unitysim_screen_draw(struct aw_session *session,
                                    const struct unitysim_screen *screen, bool live);

#endif
