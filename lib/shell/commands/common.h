/* The commands that every tool has, except those for sharing a device. */
#ifndef AW_SHELL_COMMANDS_COMMON_H
#define AW_SHELL_COMMANDS_COMMON_H

#include "shell/core/session.h"

/* ---- Options of commands ---- */

struct aw_read_options {
    const char *where;
    bool once;
};
struct aw_decode_options {
    const char *where;
    int as; /* input format: hex, stream, candump, pcapng; -1: not given */
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
struct aw_replay_options {
    double from_s;
    bool all;
};
struct aw_record_joints_options {
    bool until_arrived, changes, no_header;
};
struct aw_describe_options {
    int as; /* text, json, md, lua, dbc */
};
struct aw_config_options {
    bool all;
};
AW_GIVEN(command, aw_read_options, aw_read_given)
AW_GIVEN(command, aw_decode_options, aw_decode_given)
AW_GIVEN(command, aw_plot_options, aw_plot_given)
AW_GIVEN(command, aw_wait_options, aw_wait_given)
AW_GIVEN(command, aw_replay_options, aw_replay_given)
AW_GIVEN(command, aw_record_joints_options, aw_record_joints_given)
AW_GIVEN(command, aw_describe_options, aw_describe_given)
AW_GIVEN(command, aw_config_options, aw_config_given)

/* Commands for the joints of the tool, from its struct aw_joints. Only for tools with one. */
aw_run_fn aw_run_status, aw_run_limits;

/* Shows the limits of one joint, or (NULL) of all. */
enum aw_status aw_limits_show(struct aw_session *session, const char *text);

/* For custom joints. */
aw_run_fn aw_run_own_gains, aw_run_own_stop;

/* Single motions of the tool's joints, see move.h. */
aw_run_fn aw_run_move, aw_run_jog, aw_run_home, aw_run_stop, aw_run_play;

aw_run_fn aw_run_teleop, aw_run_follow, aw_run_encode, aw_run_decode, aw_run_describe,
    aw_run_config, aw_run_watch, aw_run_wait, aw_run_expect, aw_run_pause;
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
aw_run_fn aw_run_packets, aw_run_send;
/* Returns the custom packet to the device with this name, or NULL. */
const struct aw_codec *aw_find_own(struct aw_session *session, const char *name);
/* Prints a reply of the device; --raw shows wire numbers. */
enum aw_status aw_show_answer(struct aw_session *session, struct aw_span frame);
/* Sends a custom packet (not with --dry-run) and prints its reply. */
enum aw_status aw_send_packet(struct aw_session *session, struct aw_record *packet);
/* Returns true if the packet of send only reads. */
bool aw_send_only_reads(struct aw_session *session, const struct aw_args *args);
aw_run_fn aw_run_replay, aw_run_info, aw_run_plot, aw_run_completion, aw_run_commands,
    aw_run_complete, aw_run_quit;

/* Prints protocol->udev_file. */
aw_run_fn aw_run_udev;
#define AW_UDEV_COMMAND(tool)                                                                      \
    {                                                                                              \
        .name = "udev", .group = AW_GROUP_SET_UP, .prints = "a file of rules",                     \
        .summary = "print the udev rules that permit access", .offline = true, .run = aw_run_udev, \
        .examples = AW_LIST("udev"),                                                               \
        .details = tool " udev | sudo tee /etc/udev/rules.d/70-" tool ".rules",                    \
    }

/* Finds the message of this name. AW_USAGE with a suggestion if this direction has no such
 * message. */
enum aw_status aw_find_message(struct aw_session *session, const char *name, enum aw_dir dir,
                               const struct aw_codec **codec);

/* Prints a config file that lists every key of the tool as a comment. */
enum aw_status aw_config_example(struct aw_session *session);

/* Prints info about a CSV or NDJSON file of any tool: the name, count and range of each value.
 * AW_USAGE: not such a file. */
enum aw_status aw_info_values(struct aw_session *session, const char *path);

#endif
