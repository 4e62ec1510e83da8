/* The terminal while watch or plot own it: its screen, its keys, what is said on standard error,
 * how often it is drawn, and links that come back.
 *
 *     struct aw_live live;
 *     if (aw_live_open(&live, session, stream) != AW_OK) …     no terminal: print lines
 *     while ((status = aw_live_next(&live, deadline, &item)) != …)
 *         …
 *     aw_live_close(&live);                                    on every way out
 */
#ifndef AW_SHELL_COMMANDS_LIVE_H
#define AW_SHELL_COMMANDS_LIVE_H

#include "shell/commands/stream.h"
#include "view/terminal/screen.h"

struct aw_live {
    struct aw_session *session;
    struct aw_stream *stream;
    struct aw_screen *screen;
    int64_t frame_ns; /* between two pictures */
    int64_t due_ns;   /* of the next one */
    int said_fd;      /* standard error as it was; -1: not taken over */
    int note_fd;      /* what is written there instead */
    char note[160];   /* the last line of it */
    int64_t noted_ns;
    bool ended; /* the input has */
};

/* May the command draw on the terminal: there is one, and no other form of output is asked for? */
bool aw_live_wanted(const struct aw_session *session);

/* Opens the screen. fps: most pictures a second. stream NULL: only to draw, no aw_live_next. */
enum aw_status aw_live_open(struct aw_live *live, struct aw_session *session,
                            struct aw_stream *stream, double fps);
void aw_live_close(struct aw_live *live);

/* AW_OK: an item. AW_TIMEOUT: none, but it is time to draw (aw_live_due) or keys were typed; after
 * the end of the input nothing else comes. AW_ENOUGH: the deadline. AW_STOPPED, and errors that
 * waiting does not mend. A link that is lost is opened again; nothing is ever sent anew. */
enum aw_status aw_live_next(struct aw_live *live, int64_t deadline, struct aw_item *item);

/* Is a picture due? Asking takes it as drawn. */
bool aw_live_due(struct aw_live *live);

/* Has the key s something to stop? It is what comes from a device that can be stopped, not from a
 * recording or a pipe. aw_live_stop: the command stop, what it says is the next remark. Through a
 * server it needs no lease, as everybody's stop. */
bool aw_live_stops(const struct aw_live *live);
void aw_live_stop(struct aw_live *live);

/* The last remark, while it is fresh; else NULL. And what is wrong with the link, or NULL. */
const char *aw_live_note(struct aw_live *live);
const char *aw_live_state(const struct aw_live *live);

/* AW_USAGE if the user asks for records of a command line that only draws. A script gets none. */
enum aw_status aw_live_check_form(struct aw_session *session);

#endif
