/* The arm as a page of text: two pictures side by side, the joints below, and some lines more. */
#ifndef AW_CMD_UNITYSIM_SCREEN_H
#define AW_CMD_UNITYSIM_SCREEN_H

#include "state.h"

#define SCREEN_LINES 3
#define SCREEN_LINE  200

struct unitysim_screen {
    char title[SCREEN_LINE];
    double ticks[AW_UNITYSIM_JOINTS];
    int velocity[AW_UNITYSIM_JOINTS]; /* 0: stands */
    int way[AW_UNITYSIM_JOINTS];      /* +1, -1: the ticks increase, decrease; 0: not known */
    bool stuck[AW_UNITYSIM_JOINTS];
    struct aw_unitysim_limits limits;
    int selected;                          /* a joint, or -1 */
    const char *const *keys;               /* in place of the pictures: key and meaning in turn,
                                              NULL at the end; or NULL */
    char lines[SCREEN_LINES][SCREEN_LINE]; /* below the joints; "": none */
};

/* Can the terminal be drawn over? No with a pipe, and with TERM=dumb. */
bool unitysim_screen_live(void);

/* Draws pages until it is ended; keys: there are some to read. */
typedef enum aw_status unitysim_pages(void *context, bool keys);

/* Gives the whole terminal to pages, and then back as it was. Ctrl-Z gives it back for a while:
 * pages is called again when the program is in the foreground again. */
enum aw_status unitysim_screen_show(struct aw_session *session, unitysim_pages *pages,
                                    void *context);

/* Draws one page: over the last one on a terminal (live), or as text of 80 x 24. AW_LIMIT without
 * memory, AW_LOST if the output is gone. */
enum aw_status unitysim_screen_draw(struct aw_session *session,
                                    const struct unitysim_screen *screen, bool live);

#endif
