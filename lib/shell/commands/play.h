/* Plays a path with joints, the same in all tools whose joints take streams of targets: the start
 * guard, the way to the first point, setpoints at a fixed rate, the following error, the speed
 * while it runs, and what came of it. The tool reads its file and says what its limits allow.
 *
 *     struct aw_play play = {.session = session, .n = 2, .speed = 1, .most = 1.4, .hz = 50};
 *     … names and path, one channel a joint …
 *     status = aw_play_run(&play);
 *     … aw_play_report(&play) into the result, unless session->run.dry_end …
 *     aw_play_free(&play);
 *
 * A program that did not run for a while (SIGSTOP, a busy machine) goes on where the path was, not
 * where it would be by now: the joints have waited, too.
 */
#ifndef AW_SHELL_COMMANDS_PLAY_H
#define AW_SHELL_COMMANDS_PLAY_H

#include "capture/table.h"
#include "control/samples.h"
#include "control/trajectory.h"
#include "shell/commands/tempo.h"
#include "shell/core/start_guard.h"

#define AW_PLAY_JOINTS 8

#define AW_PLAY_OPTIONS                                                                            \
    {.name = "cubic", .help = "smooth between the points, not straight"},                          \
        {.name = "loop", .help = "again and again, until --for or a signal"}, AW_TEMPO_OPTIONS,    \
        AW_START_OPTIONS, AW_LAG_OPTION

struct aw_play_joint {
    char name[AW_JOINT_NAME];
    double far; /* it has gone wrong so far from where it stood and its targets; NaN: as its list
                   has it */
    /* What follows is play's own. */
    size_t number; /* in the list */
    double max_lag, target;
    int64_t seen_ns, behind_ns;
    struct aw_motion guard;
    struct aw_table samples; /* place in the file, measured */
};

struct aw_play {
    struct aw_session *session;
    struct aw_path path; /* of the caller */
    size_t n;
    struct aw_play_joint joints[AW_PLAY_JOINTS];
    double speed, most; /* of the path, at the beginning and at most */
    double hz;

    uint64_t sent; /* setpoints, of all joints together */
    struct aw_samples late_ms;
    struct aw_joint_list list;
    struct aw_tempo tempo;
    double period_s, at_s, rounds_s; /* of the path: now, and of the rounds before */
    int64_t due_ns, end_ns;          /* of the next setpoint; by --for, 0: not known yet */
};

/* All of it, or with --dry-run what would be sent. */
enum aw_status aw_play_run(struct aw_play *play);

/* Lag and distance of each joint, and how late setpoints were. */
void aw_play_report(struct aw_play *play);
void aw_play_free(struct aw_play *play);

double aw_play_seconds(const struct aw_play *play); /* of the path, at its own speed */

#endif
