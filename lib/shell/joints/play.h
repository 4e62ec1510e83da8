/* The command play, for all tools with joints that accept streams of targets. It loads the file,
 * runs the start check, and moves to the first point. It sends setpoints at a fixed rate, checks
 * the following error and adjusts the speed.
 *
 *     t,lknee,rknee          names of joints, as in commands; with a unit, "lknee [rad]";
 *     0,0,0                  "lknee.position" of a recording; other columns are ignored
 *     1.5,20,-20
 *
 * A file without a header needs --columns; a file without times needs --every. In a recording
 * (".position"), rows that repeat a measurement are dropped, a value outside a limit by up to the
 * joint's tolerance is clamped, and the path may exceed the joint's speed by a factor of 1.5.
 *
 * The whole file is checked before the first byte is sent. After a pause of the process (SIGSTOP, a
 * busy machine), play resumes where the joints waited. A device with its own clock plays by that
 * clock.
 */
#ifndef AW_SHELL_JOINTS_PLAY_H
#define AW_SHELL_JOINTS_PLAY_H

#include "capture/table.h"
#include "control/samples.h"
#include "control/trajectory.h"
#include "shell/joints/start_check.h"
#include "shell/joints/tempo.h"

#define AW_PLAY_JOINTS 64

struct aw_play_options {
    const char *columns, *unit;
    double every_s; /* 0: not given */
    bool cubic, quintic;
};
AW_GIVEN(command, aw_play_options, aw_play_given)

/* clang-format off */
#define AW_PLAY_OPTIONS                                                                            \
    {.name = "columns", AW_AT(aw_play_options, columns), .value = "NAMES",                         \
     .help = "column names, instead of a header: t_ms,elbow,-,hand (- skips a column)"},           \
    {.name = "unit", AW_AT(aw_play_options, unit), .value = "UNIT",                                \
     .help = "unit of the positions, such as rad, if the file does not name it"},                  \
    {.name = "every", AW_AT(aw_play_options, every_s), .value = "TIME", .unit = "s",               \
     .min = 1e-3, .max = 3600, .help = "time between rows if the file has no times"},              \
    {.name = "cubic", AW_AT(aw_play_options, cubic),                                               \
     .help = "interpolate with cubic splines instead of linearly"},                                \
    {.name = "quintic", AW_AT(aw_play_options, quintic),                                           \
     .help = "interpolate with quintic splines, for continuous acceleration"},                     \
    AW_LOOP_OPTION, AW_TEMPO_OPTIONS, AW_START_OPTIONS, AW_LAG_OPTION
/* Members of the command's row, except summary, run and texts. columns: help text of the argument
 * file. The other arguments are the rows of options: the tool's own, and AW_PLAY_OPTIONS. */
#define AW_PLAY_ROW(columns, ...)                                                                  \
    .name = "play", .safety = AW_MOTION, .timed = true, .options = AW_OPTIONS(__VA_ARGS__),        \
    .args = AW_ARGS({.name = "file", .kind = AW_ARG_FILE, .help = columns, .endings = "csv"})
/* clang-format on */

struct aw_play_joint {
    char name[AW_JOINT_NAME];
    size_t index; /* index of the joint in the list */
    /* For play only: */
    double max_deviation;     /* --max-deviation; NaN: from the joint list */
    double max_lag;           /* max following error */
    double target, low, high; /* last, lowest and highest setpoint of the current pass */
    /* arrival time of the last report; state of aw_joint_check_lag */
    int64_t seen_ns, behind_ns;
    struct aw_motion monitor;
    struct aw_table samples; /* measured positions, by their time in the file */
};

struct aw_play {
    struct aw_session *session;
    struct aw_path path;
    size_t n; /* number of joints: channels of the path */
    struct aw_play_joint joints[AW_PLAY_JOINTS];
    /* playback speed at the start, and max playback speed; 1: as in the file */
    double start_speed, max_speed;
    double rate_hz; /* rate of the setpoints */

    uint64_t n_sent; /* number of setpoints; one for all joints counts once */
    struct aw_samples late_ms;
    struct aw_joint_list list;
    struct aw_tempo tempo;
    struct {
        /* path time: period, current time, length of the previous passes */
        double period_s, at_s, rounds_s;
        int64_t due_ns; /* due time of the next setpoint */
        int64_t end_ns; /* end of --for; 0: not known yet */
    } time;
};

enum aw_path_mode aw_play_mode(const struct aw_session *session);

/* Reads the file into path, joints (by index), start_speed and max_speed. list must be filled.
 * Checks ranges and speeds, unless forced. AW_STOPPED: a dry run without a connection, and only the
 * device knows its joints. */
enum aw_status aw_play_load(struct aw_play *play, const char *file);

aw_run_fn aw_run_play;

extern const struct aw_command aw_play_command;

#endif
