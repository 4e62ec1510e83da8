/* The commands that show and record messages, and those that wait for them. */
#ifndef AW_SHELL_LOOK_LOOK_H
#define AW_SHELL_LOOK_LOOK_H

#include "shell/session/session.h"

struct aw_read_options {
    const char *where;
    bool once;
};
struct aw_plot_options {
    double span_s, every_s; /* every_s 0: not given */
    const char *out, *title;
};
struct aw_wait_options { /* options of wait and expect */
    double stable_s;
    bool never;
    const char *tolerance;
};
struct aw_record_joints_options {
    bool until_arrived, changes, no_header;
};
AW_GIVEN(command, aw_read_options, aw_read_given)
AW_GIVEN(command, aw_plot_options, aw_plot_given)
AW_GIVEN(command, aw_wait_options, aw_wait_given)
AW_GIVEN(command, aw_record_joints_options, aw_record_joints_given)

aw_run_fn aw_run_watch, aw_run_plot, aw_run_wait, aw_run_expect, aw_run_pause;
#define AW_PAUSE_ARG                                                                               \
    {                                                                                              \
        .name = "time", .kind = AW_ARG_NUMBER, .unit = "s", .min = 0, .max = 86400,                \
        .help = "seconds, or with a unit: 200ms"                                                   \
    }

/* Record a table of joints, with one row per time. record does so for a .csv file if the tool has
 * joints. */
aw_run_fn aw_run_record_joints, aw_run_record;

/* Returns the exit status of a recording that has ended. It is AW_OK after Ctrl-C, unless a joint
 * is moving or a script has more lines. */
enum aw_status aw_record_ended(struct aw_session *session, enum aw_status status);

/* Returns true if the user typed a line, the text of a mark. Clears *typing at the end of the
 * input. */
#define AW_MARK_MAX 400
bool aw_record_typed(bool *typing, char text[AW_MARK_MAX]);

#endif
