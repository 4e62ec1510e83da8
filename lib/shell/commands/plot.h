/* Internal to plot: the samples of the fields that are drawn, kept for a drawing of all of them. */
#ifndef AW_SHELL_COMMANDS_PLOT_H
#define AW_SHELL_COMMANDS_PLOT_H

#include "shell/commands/stream.h"
#include "view/terminal/strip.h"
#include "view/text/select.h"

#define AW_TRACES 24

struct aw_trace {
    char name[AW_POINT_NAME], unit[16];
    char label[AW_POINT_NAME + 64]; /* the name and, of several recordings, which one */
    size_t run;                     /* the recording */
    bool held;                      /* it was commanded, and holds until the next command */
    double *t, *v;                  /* seconds since the first sample of all, value */
    size_t n, room;                 /* with the corners of what is held */
    size_t samples;                 /* without them */
};

/* Owns its samples; {0} is empty. */
struct aw_traces {
    size_t n;
    struct aw_trace list[AW_TRACES];
    size_t run;         /* the recording that is read now, from 0 */
    const char *suffix; /* behind the names of its values in the legend; NULL: nothing */
    bool any;
    bool timed, counted; /* recordings with times, and ones of which a row is a second */
    int64_t first_ns, last_ns;
};

/* Finds or adds the trace of this name in the current recording; NULL if there are too many. */
struct aw_trace *aw_traces_find(struct aw_traces *traces, const char *name, const char *unit);

/* AW_NO_MEMORY. */
enum aw_status aw_traces_add(struct aw_traces *traces, struct aw_trace *trace, int64_t time_ns,
                             double value, struct aw_error *err);
void aw_traces_free(struct aw_traces *traces);

/* What is held holds to the end of the recording. AW_NO_MEMORY. */
enum aw_status aw_traces_hold(struct aw_traces *traces, struct aw_error *err);

/* Takes this one away. */
void aw_traces_remove(struct aw_traces *traces, size_t at);

/* Takes those away that have one sample only, which is no line, unless that is all of them. */
void aw_traces_leave_out_points(struct aw_traces *traces);

/* Draws them into a file, as aw_picture_draw: a panel for each unit; what a value is to be
 * (setpoint, target, what was commanded) is dashed, in the colour of what it is. AW_USAGE if there
 * is nothing to draw; as aw_file_fail says if it cannot be written. */
enum aw_status aw_traces_write(const struct aw_traces *traces, struct aw_session *session,
                               const char *path, const char *title);

#endif
