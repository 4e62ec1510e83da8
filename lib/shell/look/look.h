/* The commands that show and record messages, and that wait for them. */
#ifndef AW_SHELL_LOOK_LOOK_H
#define AW_SHELL_LOOK_LOOK_H

#include "shell/session/session.h"

struct aw_record_joints_options {
    bool until_arrived, changes, no_header;
};
AW_GIVEN(command, aw_record_joints_options, aw_record_joints_given)
#define AW_PAUSE_ARG                                                                               \
    {                                                                                              \
        .name = "time", .kind = AW_ARG_NUMBER, .unit = "s", .min = 0, .max = 86400,                \
        .help = "duration of the pause, such as 200ms"                                             \
    }

/* aw_run_record_joints records a table of joints, one row per time. aw_run_record calls it for a
 * .csv file if the tool's joints allow that. */
aw_run_fn aw_run_record_joints, aw_run_record;

/* Returns the exit status of a recording that has ended. It is AW_OK after Ctrl-C, unless a joint
 * is moving or a script has more lines. */
enum aw_status aw_record_end_status(struct aw_session *session, enum aw_status status);

/* Returns true if the user typed a line: the text of a mark. Clears *typing at the end of the
 * input. */
#define AW_MARK_MAX 400
bool aw_record_read_mark(bool *typing, char text[AW_MARK_MAX]);

extern const struct aw_command aw_watch_command, aw_plot_command, aw_wait_command, aw_pause_command,
    aw_expect_command, aw_record_command;

#endif
