/* The terminal of watch and plot: its screen, keys, captured standard error, frame rate, and links
 * that reconnect.
 *
 *     struct aw_live live;
 *     if (aw_live_open(&live, session, stream) != AW_OK) …     no terminal: print lines
 *     while ((status = aw_live_next(&live, deadline, &item)) != …)
 *         …
 *     aw_live_close(&live);                                    on every exit
 */
#ifndef AW_SHELL_SOURCE_LIVE_H
#define AW_SHELL_SOURCE_LIVE_H

#include "shell/source/stream.h"
#include "view/terminal/screen.h"

struct aw_live {
    struct aw_session *session;
    struct aw_stream *stream;
    struct aw_screen *screen;
    int64_t frame_ns; /* frame period */
    int64_t due_ns;   /* due time of the next frame */
    int stderr_fd;    /* the original standard error; -1: not captured */
    int pipe_fd;      /* pipe that receives standard error instead */
    char note[160];   /* last line of standard error */
    int64_t noted_ns; /* when that line arrived, real clock */
    bool ended;       /* the input has ended */
};

/* Returns true if the command may draw: there is a terminal, and no other output style is
 * requested. */
bool aw_live_is_wanted(const struct aw_session *session);

/* Opens the screen, and lets the stream reconnect. fps: max frames per second. stream NULL: only
 * draws, without aw_live_next. On failure session->err is set. */
enum aw_status aw_live_open(struct aw_live *live, struct aw_session *session,
                            struct aw_stream *stream, double fps);
void aw_live_close(struct aw_live *live);

/* Waits for the next item. AW_OK: an item. AW_TIMEOUT: no item, but a frame is due (see
 * aw_live_is_due) or keys were typed; after the end of the input, always this. AW_ENOUGH: the
 * deadline. AW_STOPPED, or errors that waiting cannot fix. Reopens a lost link; never resends
 * anything. */
enum aw_status aw_live_next(struct aw_live *live, int64_t deadline, struct aw_item *item);

/* Returns true once per frame and marks the frame as drawn. */
bool aw_live_is_due(struct aw_live *live);

/* aw_live_can_stop returns true if the key s can stop something, that is, for a live device but not
 * for a recording or a pipe. aw_live_stop runs the command stop and shows its message. Through a
 * server, stop needs no lease. */
bool aw_live_can_stop(const struct aw_live *live);
void aw_live_stop(struct aw_live *live);

/* aw_live_last_note returns the latest message while it is recent. aw_live_link_problem returns the
 * problem with the link. NULL: none. */
const char *aw_live_last_note(struct aw_live *live);
const char *aw_live_link_problem(const struct aw_live *live);

/* Returns AW_USAGE if a single command line, not a script, requests records from a drawing. */
enum aw_status aw_live_check_style(struct aw_session *session);

#endif
