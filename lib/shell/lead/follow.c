/* The command follow: moves this tool's joints to match a leader. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#include "shell/lead/follower.h"
#include "shell/safety/safety.h"

static enum aw_status read_leader(struct aw_follower *f)
{
    if (!f->leader.is_recording)
        return aw_follower_listen(f);
    aw_follower_use_recording(f);
    return AW_OK;
}

static enum aw_status perform_turn(struct aw_follower *f, enum aw_follow_result step, bool is_due)
{
    enum aw_status status = AW_OK;
    if (step == AW_FOLLOW_STOP)
        status = aw_follower_stop(f);
    else if (step == AW_FOLLOW_REFUSE)
        status = aw_follower_refuse(f);
    else if (step == AW_FOLLOW_RUN && is_due)
        status = aw_follower_send(f);
    if (step == AW_FOLLOW_RUN && !f->announced)
        aw_session_print_notice(f->session, "follows");
    f->announced = step == AW_FOLLOW_RUN;
    return status;
}

static enum aw_status run_cycle(struct aw_follower *f)
{
    struct aw_session *session = f->session;
    int64_t period = (int64_t)(1e9 / session->tool->motion.joints->traits.rate_hz);
    enum aw_status status = read_leader(f);
    if (status != AW_OK || (f->ended && !f->leader.is_recording))
        return status;
    int64_t now = aw_clock_now(session->clock);
    bool is_due = now >= f->time.next_ns;
    status = perform_turn(f, aw_follow_step(&f->engine, now), is_due);
    if (is_due) {
        if (f->leader.is_recording)
            aw_follower_advance(f, (double)period / 1e9);
        f->time.next_ns = f->time.next_ns + period > now ? f->time.next_ns + period : now + period;
    }
    return status == AW_OK && !f->ended ? aw_follower_attend(f) : status;
}

static enum aw_status follow_leader(struct aw_follower *f)
{
    struct aw_session *session = f->session;
    int64_t now = aw_clock_now(session->clock), end = aw_session_end_time(session);
    f->time.first_ns = f->time.received_ns = AW_NO_TIME;
    f->time.next_ns = now;
    aw_follow_start(&f->engine, &f->map, f->joints, now);
    aw_follower_update(f);
    if (f->leader.is_recording)
        aw_tempo_begin(&f->playback.tempo, session, f->playback.speed, f->playback.max_speed);
    aw_session_start_motion(session);
    enum aw_status status = AW_OK;
    while (status == AW_OK && !f->ended && aw_clock_now(session->clock) < end)
        status = run_cycle(f);
    if (f->leader.is_recording)
        aw_tempo_end(&f->playback.tempo);
    if (status == AW_OK)
        status = aw_follower_arrive(f);
    return aw_joints_end(session, &f->list, status);
}

static void report_result(struct aw_follower *f, enum aw_status status)
{
    struct aw_object *result = &f->session->result;
    struct aw_stats lag = aw_samples_stats(&f->counts.lag_ms);
    aw_object_start(result, "follow");
    aw_object_add_text(result, "result",
                       status != AW_OK ? "not-finished"
                       : f->ended      ? "ended"
                                       : "left");
    aw_object_add_count(result, "records", f->leader.counts.records);
    aw_object_add_count(result, "commands", f->counts.commands);
    aw_object_add_count(result, "stops", f->counts.stops);
    aw_object_add_count(result, "late", f->engine.n_late + f->leader.counts.late);
    aw_object_add_count(result, "lost", aw_leader_count_lost(&f->leader));
    aw_object_add_count(result, "ignored", f->engine.n_ignored + f->leader.counts.ignored);
    aw_object_add_count(result, "limited", f->counts.n_limited);
    aw_object_add_number(result, "lag_p50_ms", lag.n ? lag.p50 : (double)NAN, 1, NULL);
    aw_object_add_number(result, "lag_p99_ms", lag.n ? lag.p99 : (double)NAN, 1, NULL);
}

struct map_completer {
    aw_candidate_fn *add;
    void *context;
};

static void add_row(void *context, const char *candidate, const char *help)
{
    const struct map_completer *completer = context;
    char row[AW_JOINT_NAME + 1];
    snprintf(row, sizeof row, "%.63s=", candidate);
    completer->add(completer->context, row, help);
}

static void complete_map(struct aw_session *session, aw_candidate_fn *add, void *context)
{
    struct map_completer completer = {add, context};
    aw_joints_complete(session, add_row, &completer);
}

static enum aw_status run_follow(struct aw_session *session, const struct aw_args *args)
{
    const char *source = args->n ? args->bound[0].text : NULL;
    struct aw_follower *f = calloc(1, sizeof *f);
    if (!f)
        return aw_no_memory(&session->err);
    f->session = session;
    enum aw_status status = aw_follower_begin(f, source ? source : "-");
    if (status == AW_OK && session->options.run.dry_run) {
        status = aw_dry_run_depends(session, "the motion of the leader");
    } else if (status == AW_OK) {
        status = follow_leader(f);
        report_result(f, status);
    }
    aw_leader_close(&f->leader);
    aw_samples_free(&f->counts.lag_ms);
    aw_joints_free(&f->list);
    free(f);
    return status;
}

/* clang-format off */
const struct aw_command aw_follow_command = {
    .name = "follow", .group = AW_GROUP_MOVE, .needs_maps = true, .streams = true,
    .summary = "follow the motion of another arm, or of a recording",
    .args = AW_ARGS(
        {.name = "source", .kind = AW_ARG_FILE, .optional = true,
         .help = "the leader: - (records on standard input), a recording, serve:TOOL or "
             "serve:PATH", .endings = "csv ndjson pcapng mcap log"}),
    .options = AW_OPTIONS(
        {.name = "map", AW_AT(aw_follow_options, map), .value = "MAP", .complete = complete_map,
         .help = "which joint follows which field: 'elbow=m2*1.2+10deg clamp 20deg..160deg dead "
             "1deg, hand=gripper'"},
        {.name = "relative", AW_AT(aw_follow_options, relative),
         .help = "follow only the leader's changes, relative to the start positions"},
        {.name = "smooth", AW_AT(aw_follow_options, smooth_s), .value = "TIME",
         .help = "smooth the motion of the leader over this time, such as 50ms", .unit = "s",
         .min = 0, .max = 10},
        AW_TEMPO_OPTIONS, AW_START_OPTIONS, AW_LAG_OPTION,
        {.name = "max-speed", AW_AT_ALL(move.max_speed), .value = "SPEED",
         .help = "maximum speed of each joint, such as 30deg/s (default: its limit, if known)"}),
    .safety = AW_MOTION, .timed = true, .run = run_follow,
    .details = "A map is a comma-separated list of JOINT=FIELD*SCALE+OFFSET clamp LO..HI dead "
        "BAND. No joint starts with a jump (--max-jump, --approach) or exceeds its speed limit. "
        "All joints stop when the leader sends nothing for the time of --deadman (default: 500ms), "
        "jumps or restarts; they follow again once the leader is near. Recordings play at their "
        "own speed; --speed, --fit and the keys + and - change it. With --speed, records from a "
        "pipe play like a recording."};
/* clang-format on */
