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
#include "base/utf8.h"
#include "protocol/unitysim/player.h"
#include "shell/joints/tempo.h"
#include "shell/safety/outcome.h"
#include "state.h"

struct play {
    struct aw_session *session;
    const char *path;
    struct aw_sequence sequence;
    struct aw_player player;
    uint64_t reported; /* reported rows over all rounds */
    int64_t row_timeout_ns;
    struct aw_tempo tempo;
    int64_t stepped_ns; /* clock up to which the tempo was applied */
    double held_s;      /* extra time for this row at reduced speed */
    bool blind;         /* feedback is silent, so nothing moves */
};

/* Reports targets clamped to the limits; the published program does not. */
static void notice_clamped(struct play *play)
{
    const struct aw_unitysim_limits *limits = &unitysim_of(play->session)->options.limits;
    for (size_t i = 0; i < play->sequence.n; i++) {
        const struct aw_sequence_row *row = &play->sequence.rows[i];
        const struct aw_unitysim_limit *limit = &limits->joint[row->joint];
        if (row->position < limit->min || row->position > limit->max)
            aw_session_notice(play->session,
                              "%s:%u:1: %s %d is out of range %d to %d; using the limit",
                              play->path, row->line, aw_unitysim_joint_name(row->joint),
                              row->position, limit->min, limit->max);
    }
}

/* ---- What is shown ---- */

/* Prints each row once when it starts. */
static void report_progress(struct play *play)
{
    struct aw_session *session = play->session;
    const struct aw_player *player = &play->player;
    uint64_t at = player->round * play->sequence.n + player->row + 1;
    if (player->phase == AW_PLAYER_DONE || at == play->reported)
        return;
    play->reported = at;
    play->held_s = 0;
    const struct aw_sequence_row *row = aw_player_row(player);
    const char *name = aw_unitysim_joint_name(row->joint);
    bool user = row->kind == AW_SEQUENCE_USER;
    char goal[48];
    unitysim_position_text(player->goal, goal, sizeof goal);
    struct aw_object line;
    aw_object_start(&line, NULL);
    aw_object_number(&line, "row", (double)(player->row + 1), 0, NULL);
    aw_object_number(&line, "line", row->line, 0, NULL);
    aw_object_text(&line, "joint", name);
    aw_object_text(&line, "kind", user ? "user" : "auto");
    aw_object_number(&line, "goal", player->goal, 0, "tick");
    aw_object_number(&line, "tolerance", row->tolerance, 0, "tick");
    aw_session_row(session, &line, "%3zu/%zu  %-12s %s %s\n", player->row + 1, play->sequence.n,
                   name, user ? "waiting for you to move it to" : "to", goal);
    aw_output_flush(&session->out, NULL);
}

/* ---- Playing ---- */

/* Returns the row's velocity at the current speed. */
static int velocity_at(const struct play *play, const struct aw_player_order *order)
{
    double most = play->player.bounds.velocity[order->joint];
    return (int)lround(aw_clamp(order->velocity * play->tempo.speed, 1, most));
}

static void pass_time(struct play *play)
{
    int64_t now = aw_clock_now(play->session->clock);
    double seconds = (double)(now - play->stepped_ns) / 1e9;
    play->held_s += fmax(0, seconds - aw_tempo_step(&play->tempo, seconds));
    play->stepped_ns = now;
}

static void apply(struct play *play, const struct aw_player_order *order)
{
    struct aw_unitysim *unity = unitysim_of(play->session);
    /* While a person moves a joint, our stream must not stop it. */
    bool hands_off = play->player.phase == AW_PLAYER_WAITING;
    for (int i = 0; i < AW_UNITYSIM_JOINTS; i++) {
        struct aw_unitysim_drive drive = {.state = hands_off ? AW_UNITYSIM_KEEP : AW_UNITYSIM_STOP};
        if (i == order->joint && play->tempo.speed > 0)
            drive = (struct aw_unitysim_drive){
                .velocity = velocity_at(play, order),
                .state = order->direction > 0 ? AW_UNITYSIM_INCREASE : AW_UNITYSIM_DECREASE};
        aw_unitysim_drive(unity, i, drive);
    }
}

static bool step(void *context, const struct aw_received *received)
{
    struct play *play = context;
    const struct aw_unitysim_feedback *feedback = &unitysim_of(play->session)->feedback;
    bool moving[AW_UNITYSIM_JOINTS];
    unitysim_notice(play->session, received);
    pass_time(play);
    for (int i = 0; i < AW_UNITYSIM_JOINTS; i++)
        moving[i] = feedback->velocity[i] != 0;
    struct aw_player_order order = aw_player_step(&play->player, feedback->position, moving,
                                                  aw_clock_now(play->session->clock));
    apply(play, &order);
    report_progress(play);
    play->blind = false;
    return play->player.phase != AW_PLAYER_DONE;
}

static enum aw_status check_time(struct play *play)
{
    const struct aw_player *player = &play->player;
    const struct aw_sequence_row *row = aw_player_row(player);
    int64_t now = aw_clock_now(play->session->clock);
    bool ours = player->phase == AW_PLAYER_MOVING || player->phase == AW_PLAYER_STOPPING;
    int64_t since = now - player->since_ns - (int64_t)(1e9 * play->held_s);
    if (!row || !player->begun || !ours || since < play->row_timeout_ns)
        return AW_OK;
    return aw_fail(&play->session->err, AW_TIMEOUT,
                   "%.100s:%u:1: %s timed out at %d, target %d, after %.9g s — %s", play->path,
                   row->line, aw_unitysim_joint_name(row->joint),
                   unitysim_of(play->session)->feedback.position[row->joint], player->goal,
                   (double)play->row_timeout_ns / 1e9,
                   play->blind ? "no feedback" : "check for a limit of the scene or an obstacle");
}

static enum aw_status perform(struct play *play)
{
    static const int64_t slice_ns = 50 * AW_MILLISECOND;
    static const struct aw_player_order none = {.joint = -1};
    struct aw_session *session = play->session;
    int64_t now, deadline = aw_session_end(session);
    enum aw_status status = AW_OK;
    while (status == AW_OK && play->player.phase != AW_PLAYER_DONE &&
           (now = aw_clock_now(session->clock)) < deadline) {
        status = aw_unitysim_idle(unitysim_of(session), aw_sooner(now + slice_ns, deadline), step,
                                  play, &session->err);
        if (!play->blind && unitysim_notice_stale(session)) {
            play->blind = true;
            apply(play, &none); /* without feedback nothing moves */
        }
        if (status == AW_OK)
            status = check_time(play);
        if (status == AW_OK)
            status = aw_output_check(&session->out, &session->err);
    }
    return status;
}

static void tell(struct aw_session *session, const void *context)
{
    const struct play *play = context;
    const struct aw_player *player = &play->player;
    const struct aw_sequence_row *row = aw_player_row(player);
    if (row)
        aw_session_work(session, "play %.0f s, row %zu of %zu, %s %d of %d ticks at %.0f %%%s",
                        aw_session_seconds(session), player->row + 1, play->sequence.n,
                        aw_unitysim_joint_name(row->joint),
                        unitysim_of(session)->feedback.position[row->joint], player->goal,
                        100 * play->tempo.speed, play->tempo.shown);
}

static enum aw_status play_it(struct play *play)
{
    struct aw_session *session = play->session;
    struct aw_unitysim_counters before = unitysim_of(session)->counters;
    struct aw_player_bounds bounds = {.limits = unitysim_of(session)->options.limits};
    const struct unitysim_play_options *given = unitysim_play_given(session);
    int64_t repeat = session->options.move.loop ? 0 : given->repeat;
    double speed;
    if (aw_tempo_choose(session, 0, &speed) != AW_OK)
        return session->err.status;
    for (int i = 0; i < AW_UNITYSIM_JOINTS; i++)
        bounds.velocity[i] =
            session->options.run.force ? AW_UNITYSIM_VELOCITY_MAX : aw_unitysim_velocity_cap(i);
    aw_player_start(&play->player, &play->sequence, &bounds, (uint64_t)repeat);
    play->row_timeout_ns = (int64_t)(given->row_timeout_s * 1e9);
    aw_session_moves(session);
    aw_tempo_begin(&play->tempo, session, speed, INFINITY);
    play->stepped_ns = aw_clock_now(session->clock);
    aw_session_work_while(session, tell, play);
    enum aw_status status = perform(play);
    aw_tempo_end(&play->tempo);
    status = unitysim_end_motion(session, status);
    unitysim_notice_losses(session, &before);
    aw_object_start(&session->result, "play");
    bool played = play->player.phase == AW_PLAYER_DONE;
    aw_object_text(&session->result, "result",
                   status != AW_OK ? "not-finished"
                   : played        ? "played"
                                   : "stopped");
    aw_object_count(&session->result, "rows", play->sequence.n);
    aw_object_count(&session->result, "rounds", play->player.round);
    aw_object_number(&session->result, "ms",
                     (double)(aw_clock_now(session->clock) - session->run.started) / 1e6, 1, NULL);
    return status;
}

static enum aw_status check_and_play(struct play *play)
{
    struct aw_session *session = play->session;
    enum aw_status status = unitysim_ready_to_make(session);
    if (status != AW_OK)
        return status;
    notice_clamped(play);
    if (session->options.run.dry_run) {
        aw_object_start(&session->result, "play");
        aw_object_truth(&session->result, "dry_run", true);
        aw_object_count(&session->result, "rows", play->sequence.n);
        aw_session_notice(session, "play: the packets depend on the positions of the joints");
        return AW_OK;
    }
    status = unitysim_feedback(session);
    return status == AW_OK ? play_it(play) : status;
}

/* Returns true if the file starts with a sequence's header, or cannot be read in advance. */
static bool is_sequence(const char *path)
{
    struct stat about;
    char line[64] = "", *at = line;
    FILE *file = stat(path, &about) == 0 && S_ISREG(about.st_mode) ? aw_file_open(path) : NULL;
    bool seen = false;
    while (file && !seen && fgets(line, sizeof line, file)) {
        at = line + aw_utf8_mark(line);
        at += strspn(at, " \t\r\n\"");
        seen = *at && *at != '#';
    }
    if (file)
        fclose(file);
    return !seen || strncasecmp(at, "joint", 5) == 0;
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
