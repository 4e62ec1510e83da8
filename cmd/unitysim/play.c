/* unitysim play: plays a motion sequence by feedback, with checks and progress, or a file of
 * setpoints like every tool. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include <sys/stat.h>

#include "base/clamp.h"
#include "base/file.h"
#include "base/lines.h"
#include "base/utf8.h"
#include "protocol/unitysim/sequence.h"
#include "shell/joints/tempo.h"
#include "shell/safety/safety.h"
#include "state.h"

struct play {
    struct aw_session *session;
    const char *path;
    struct aw_sequence sequence;
    size_t row;        /* current row */
    int64_t round;     /* completed repeats of the sequence */
    int goal;          /* goal of the current row, within the limits */
    bool user_arrived; /* a person has moved the joint to the goal */
    int64_t deadline_ns;
    struct aw_tempo tempo;
    int64_t stepped_ns; /* clock time up to which the tempo was applied */
};

static const struct aw_sequence_row *get_row(const struct play *play)
{
    return &play->sequence.rows[play->row];
}

/* Reports targets clamped to the limits; the published program does not. */
static void notice_clamped(struct play *play)
{
    const struct aw_unitysim_limits *limits = &unitysim_client(play->session)->options.limits;
    for (size_t i = 0; i < play->sequence.n; i++) {
        const struct aw_sequence_row *row = &play->sequence.rows[i];
        const struct aw_unitysim_limit *limit = &limits->joint[row->joint];
        if (row->position < limit->min || row->position > limit->max)
            aw_session_print_notice(play->session,
                                    "%s:%u:1: %s %d is out of range (%d to %d); using the limit",
                                    play->path, row->line, aw_unitysim_joint_name(row->joint),
                                    row->position, limit->min, limit->max);
    }
}

/* ---- Progress ---- */

static void report_row(const struct play *play)
{
    struct aw_session *session = play->session;
    const struct aw_sequence_row *row = get_row(play);
    const char *name = aw_unitysim_joint_name(row->joint);
    bool is_user = row->kind == AW_SEQUENCE_USER;
    char goal[48];
    unitysim_format_position(play->goal, goal, sizeof goal);
    struct aw_object line;
    aw_object_start(&line, NULL);
    aw_object_add_number(&line, "row", (double)(play->row + 1), 0, NULL);
    aw_object_add_number(&line, "line", row->line, 0, NULL);
    aw_object_add_text(&line, "joint", name);
    aw_object_add_text(&line, "kind", is_user ? "user" : "auto");
    aw_object_add_number(&line, "goal", play->goal, 0, "tick");
    aw_object_add_number(&line, "tolerance", row->tolerance, 0, "tick");
    aw_session_print_row(session, &line, "%3zu/%zu  %-12s %s %s\n", play->row + 1, play->sequence.n,
                         name, is_user ? "waiting until you move it to" : "to", goal);
    aw_output_flush(&session->out, NULL);
}

/* ---- Playing ---- */

/* Returns false when the time of --for is over, or the reader of the output has closed it. */
static bool can_continue(const struct play *play)
{
    struct aw_session *session = play->session;
    return aw_clock_now(session->clock) < play->deadline_ns &&
           aw_output_check(&session->out, NULL) == AW_OK;
}

static bool on_feedback(void *context, const struct aw_received *received)
{
    struct play *play = context;
    int64_t now = aw_clock_now(play->session->clock);
    unitysim_notice(play->session, received);
    aw_tempo_step(&play->tempo, (double)(now - play->stepped_ns) / 1e9);
    play->stepped_ns = now;
    return can_continue(play);
}

static bool on_user_feedback(void *context, const struct aw_received *received)
{
    struct play *play = context;
    const struct aw_sequence_row *row = get_row(play);
    int position = unitysim_client(play->session)->feedback.position[row->joint];
    play->user_arrived = abs(play->goal - position) <= row->tolerance;
    return on_feedback(play, received) && !play->user_arrived;
}

static void drive_all(struct play *play, enum aw_unitysim_state state)
{
    for (int i = 0; i < AW_UNITYSIM_JOINTS; i++)
        aw_unitysim_drive(unitysim_client(play->session), i,
                          (struct aw_unitysim_drive){.state = state});
}

/* While a person moves a joint, our stream must not stop it. */
static enum aw_status await_user(struct play *play)
{
    static const int64_t slice_ns = 50 * AW_MILLISECOND;
    struct aw_session *session = play->session;
    enum aw_status status = AW_OK;
    drive_all(play, AW_UNITYSIM_KEEP);
    for (play->user_arrived = false;
         status == AW_OK && !play->user_arrived && can_continue(play);) {
        int64_t next = aw_clock_now(session->clock) + slice_ns;
        status = aw_unitysim_idle(unitysim_client(session), aw_min_time(next, play->deadline_ns),
                                  on_user_feedback, play, &session->err);
        unitysim_notice_stale(session);
    }
    return status;
}

static enum aw_status move_joint(struct play *play)
{
    struct aw_session *session = play->session;
    const struct aw_sequence_row *row = get_row(play);
    int cap = session->options.run.force ? AW_UNITYSIM_VELOCITY_MAX
                                         : aw_unitysim_velocity_cap(row->joint);
    struct aw_unitysim_move move = {
        .timeout_ns = (int64_t)(unitysim_play_given(session)->row_timeout_s * 1e9),
        .speed = &play->tempo.speed};
    move.goals[row->joint] =
        (struct aw_unitysim_goal){.wanted = true,
                                  .position = play->goal,
                                  .velocity = row->velocity < cap ? row->velocity : cap,
                                  .tolerance = row->tolerance};
    enum aw_status status =
        aw_unitysim_move(unitysim_client(session), &move, on_feedback, play, &session->err);
    if (status == AW_TIMEOUT)
        aw_fail_at_line(&session->err, play->path, row->line, 1);
    return status;
}

static enum aw_status play_row(struct play *play)
{
    struct aw_session *session = play->session;
    const struct aw_sequence_row *row = get_row(play);
    const struct aw_unitysim_limit *limit =
        &unitysim_client(session)->options.limits.joint[row->joint];
    play->goal = (int)aw_clamp(row->position, limit->min, limit->max);
    report_row(play);
    enum aw_status status = row->kind == AW_SEQUENCE_USER ? await_user(play) : move_joint(play);
    drive_all(play, AW_UNITYSIM_STOP);
    int64_t resume_ns = aw_clock_now(session->clock) + row->delay_ms * AW_MILLISECOND;
    if (status == AW_OK && row->delay_ms > 0)
        status =
            aw_unitysim_idle(unitysim_client(session), aw_min_time(resume_ns, play->deadline_ns),
                             on_feedback, play, &session->err);
    return status == AW_OK ? aw_output_check(&session->out, &session->err) : status;
}

/* Plays the rows; sets *played at the end of the last one. */
static enum aw_status play_rows(struct play *play, int64_t repeats, bool *played)
{
    enum aw_status status = AW_OK;
    drive_all(play, AW_UNITYSIM_STOP);
    while (status == AW_OK && can_continue(play) && !*played) {
        status = play_row(play);
        if (status != AW_OK || !can_continue(play) || ++play->row < play->sequence.n)
            continue;
        play->row = 0;
        *played = ++play->round == repeats;
    }
    return status;
}

static void show_progress(struct aw_session *session, const void *context)
{
    const struct play *play = context;
    int joint = get_row(play)->joint;
    aw_session_show_progress(session, "play %.0f s, row %zu of %zu, %s %d of %d ticks at %.0f %%%s",
                             aw_session_seconds(session), play->row + 1, play->sequence.n,
                             aw_unitysim_joint_name(joint),
                             unitysim_client(session)->feedback.position[joint], play->goal,
                             100 * play->tempo.speed, play->tempo.typed_text);
}

static enum aw_status play_sequence(struct play *play)
{
    struct aw_session *session = play->session;
    struct aw_unitysim_counters counters_before = unitysim_client(session)->counters;
    int64_t repeats = session->options.move.loop ? 0 : unitysim_play_given(session)->repeat;
    bool played = false;
    double speed;
    if (aw_tempo_choose_speed(session, 0, &speed) != AW_OK)
        return session->err.status;
    play->deadline_ns = aw_session_end_time(session);
    aw_session_start_motion(session);
    aw_tempo_begin(&play->tempo, session, speed, INFINITY);
    play->stepped_ns = aw_clock_now(session->clock);
    aw_session_repeat_progress(session, show_progress, play);
    enum aw_status status = play_rows(play, repeats, &played);
    aw_tempo_end(&play->tempo);
    status = unitysim_end_motion(session, status);
    unitysim_notice_losses(session, &counters_before);
    aw_object_start(&session->result, "play");
    aw_object_add_text(&session->result, "result",
                       status != AW_OK ? "not-finished"
                       : played        ? "played"
                                       : "stopped");
    aw_object_add_count(&session->result, "rows", play->sequence.n);
    aw_object_add_count(&session->result, "rounds", (uint64_t)play->round);
    aw_object_add_number(&session->result, "ms",
                         (double)(aw_clock_now(session->clock) - session->run.started_ns) / 1e6, 1,
                         NULL);
    return status;
}

static enum aw_status check_and_play(struct play *play)
{
    struct aw_session *session = play->session;
    enum aw_status status = unitysim_open_for_send(session);
    if (status != AW_OK)
        return status;
    notice_clamped(play);
    if (session->options.run.dry_run) {
        aw_object_start(&session->result, "play");
        aw_object_add_truth(&session->result, "dry_run", true);
        aw_object_add_count(&session->result, "rows", play->sequence.n);
        aw_session_print_notice(session, "play: the packets depend on the positions of the joints");
        return AW_OK;
    }
    status = unitysim_await_feedback(session);
    return status == AW_OK ? play_sequence(play) : status;
}

/* Returns true if the file starts with a sequence's header, or cannot be read in advance. */
static bool is_sequence(const char *path)
{
    struct stat info;
    char line[64] = "", *at = line;
    FILE *file = stat(path, &info) == 0 && S_ISREG(info.st_mode) ? aw_file_open(path) : NULL;
    bool has_content = false;
    while (file && !has_content && fgets(line, sizeof line, file)) {
        at = line + aw_utf8_bom_size(line);
        at += strspn(at, " \t\r\n\"");
        has_content = *at && *at != '#';
    }
    if (file)
        fclose(file);
    return !has_content || strncasecmp(at, "joint", 5) == 0;
}

enum aw_status run_play(struct aw_session *session, const struct aw_args *args)
{
    struct play play = {.session = session, .path = aw_arg(args, "file", 0)};
    if (aw_play_given(session)->columns || aw_play_given(session)->every_s > 0 ||
        !is_sequence(play.path))
        return aw_run_play(session, args);
    enum aw_status status = aw_sequence_read(NULL, play.path, &play.sequence, &session->err);
    if (status == AW_OK)
        status = check_and_play(&play);
    aw_sequence_free(&play.sequence);
    return status;
}
