/* Internal to plot: stores the samples of the plotted fields for a single drawing. */
#ifndef AW_SHELL_LOOK_PLOT_H
#define AW_SHELL_LOOK_PLOT_H

#include "shell/source/stream.h"
#include "view/terminal/strip.h"
#include "view/text/select.h"

#define AW_TRACES 12 /* max lines of a drawing */

struct aw_trace {
    char name[AW_POINT_NAME], unit[16];
    bool is_command; /* a command, which holds until the next command */
    double *t;       /* seconds since the first sample of all traces */
    double *v;       /* values */
    size_t n;        /* number of points, including the corners of held values */
    size_t room;     /* capacity in points */
    size_t samples;  /* number of points without those corners */
};

/* Owns its samples; {0} is empty. */
struct aw_traces {
    size_t n;
    struct aw_trace list[AW_TRACES];
    bool has_samples;
    bool has_times, counts_rows; /* some samples have times; for others a row is a second */
    int64_t first_ns, last_ns;   /* times of the first and of the latest sample */
};

/* Finds or adds the trace of this name; NULL if there are too many. */
struct aw_trace *aw_traces_find(struct aw_traces *traces, const char *name, const char *unit);

/* Adds a sample to a trace. A time before the trace's last one is raised to it. AW_NO_MEMORY: out
 * of memory. */
enum aw_status aw_traces_add(struct aw_traces *traces, struct aw_trace *trace, int64_t time_ns,
                             double value, struct aw_error *err);
void aw_traces_free(struct aw_traces *traces);

/* Extends held values to the end of the recording. AW_NO_MEMORY: out of memory. */
enum aw_status aw_traces_extend(struct aw_traces *traces, struct aw_error *err);

/* Removes this trace. */
void aw_traces_remove(struct aw_traces *traces, size_t index);

/* Removes traces with a single sample, which draw no line, unless all traces have only one. */
void aw_traces_drop_points(struct aw_traces *traces);

/* Draws the traces into a file like aw_picture_draw, with one panel per unit. A commanded value
 * (setpoint, target) is dashed, in the colour of its measured value. AW_USAGE: nothing to draw.
 * Errors as in aw_file_fail if the file cannot be written. */
enum aw_status aw_traces_write(const struct aw_traces *traces, struct aw_session *session,
                               const char *path, const char *title);

#endif
