/* The command replay: resends a recording's commands at their times, and waits for replies. */
#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "control/samples.h"
#include "shell/joints/tempo.h"
#include "shell/lead/replay.h"
#include "shell/safety/safety.h"
#include "wire/split.h"

#define LONG_GAP_S  30
#define ANSWER_WAIT AW_SECOND             /* max wait for a recorded reply */
#define SLICE_NS    (20 * AW_MILLISECOND) /* interval of speed checks */

struct player {
    struct aw_session *session;
    struct aw_replay replay;
    struct aw_splitter received;
    struct {
        uint64_t answers; /* number of messages received */
        uint64_t sent, unanswered;
        uint64_t n_held;   /* number of messages delayed for the device */
        uint64_t n_passes; /* completed passes, with --loop */
        struct aw_samples late_ms;
    } counts;
    struct aw_tempo tempo;
    double speed, max_speed;
    int64_t from_ns;
    struct {
        int64_t ns; /* clock time of the reference point */
        double s;   /* recording time of the reference point, s */
    } anchor;
    bool was_greeted; /* the device's first message has been read */
    bool loop_is_far; /* every further pass begins far from the end of the previous one */
    bool ended;       /* no message is left, or the time of --for is over */
    int64_t deadline;
};

static void on_answer(void *context, struct aw_span frame)
{
    (void)frame;
    ((struct player *)context)->counts.answers++;
}

/* Reads and counts the device's messages, so that the device does not block. */
static enum aw_status listen(struct player *p, int64_t deadline)
{
    struct aw_session *session = p->session;
    size_t n_read = 0;
    enum aw_status status = aw_link_read(session->device.link, session->device.frame, AW_FRAME_ROOM,
                                         &n_read, deadline, &session->err);
    if (n_read)
        aw_split(&p->received, session->wire, (struct aw_span){session->device.frame, n_read},
                 session->device.link->datagrams, on_answer, p);
    return status == AW_EVENT ? AW_OK : status;
}

/* Announces a long gap: a recording has one of hours if the host's clock was set. */
static void announce_gap(struct player *p, int64_t due)
{
    double wait_s = (double)(due - aw_clock_now(p->session->clock)) / 1e9;
    if (wait_s > LONG_GAP_S)
        aw_session_print_notice(
            p->session,
            "the next message is due in %.0f s — give --speed to replay faster, or "
            "--from to skip the gap",
            wait_s);
}

static enum aw_status await_time(struct player *p, int64_t due)
{
    enum aw_status status = AW_OK;
    while (status == AW_OK && aw_clock_now(p->session->clock) < due)
        status = p->session->tool->talk.replay.send
                     ? aw_joints_attend(p->session, &p->replay.list, due, 0, NULL, NULL)
                     : listen(p, due);
    return status == AW_TIMEOUT ? AW_OK : status;
}

/* Returns when a recording time is due at the current speed. */
static int64_t get_due_time(const struct player *p, double time_s)
{
    if (!(p->tempo.speed > 0))
        return time_s > p->anchor.s ? AW_NEVER : p->anchor.ns;
    return aw_time_after(p->anchor.ns, (time_s - p->anchor.s) / p->tempo.speed);
}

static void show_work(const struct player *p, double at_s)
{
    const struct aw_replay *r = &p->replay;
    aw_session_show_progress(
        p->session, "replay %.0f of %.0f s, %llu commands at %.0f %%%s", at_s,
        ((double)r->plan.writes[r->plan.n - 1].time_ns - (double)p->from_ns) / 1e9,
        (unsigned long long)p->counts.sent, 100 * p->tempo.speed, p->tempo.typed_text);
}

/* Updates the speed without waiting, because dense messages leave no time to wait. */
static void update_speed(struct player *p, int64_t now)
{
    if (!aw_tempo_can_change(&p->tempo) || now - p->anchor.ns < SLICE_NS)
        return;
    p->anchor.s += aw_tempo_step(&p->tempo, (double)(now - p->anchor.ns) / 1e9);
    p->anchor.ns = now;
}

/* Waits until a message is due, and applies speed changes meanwhile. */
static enum aw_status await_due(struct player *p, double time_s)
{
    enum aw_status status = AW_OK;
    int64_t now = aw_clock_now(p->session->clock);
    update_speed(p, now);
    while (status == AW_OK && aw_tempo_can_change(&p->tempo) &&
           get_due_time(p, time_s) > now + SLICE_NS && now < p->deadline) {
        status = await_time(p, now + SLICE_NS);
        now = aw_clock_now(p->session->clock);
        double elapsed_s = (double)(now - p->anchor.ns) / 1e9;
        p->anchor.s = fmin(time_s, p->anchor.s + aw_tempo_step(&p->tempo, elapsed_s));
        p->anchor.ns = now;
        show_work(p, p->anchor.s);
    }
    return status;
}

/* Waits for the recorded replies. A lost reply must not end the replay. */
static enum aw_status await_answers(struct player *p, uint64_t answers)
{
    int64_t deadline = aw_clock_now(p->session->clock) + ANSWER_WAIT;
    enum aw_status status = AW_OK;
    while (status == AW_OK && p->counts.answers < answers)
        status = listen(p, deadline);
    if (status != AW_TIMEOUT)
        return status;
    p->counts.unanswered += answers - p->counts.answers;
    p->counts.answers = answers;
    return AW_OK;
}

/* Sends a write when it is due; through the tool if the tool knows when its device accepts
 * commands. */
static enum aw_status send_write(struct player *p, const struct aw_replay_write *write)
{
    struct aw_session *session = p->session;
    double since_s = ((double)write->time_ns - (double)p->from_ns) / 1e9;
    enum aw_status status = await_due(p, since_s);
    int64_t due = get_due_time(p, since_s);
    struct aw_span message = {p->replay.plan.bytes + write->at, write->size};
    bool was_held = false, by_tool = session->tool->talk.replay.send != NULL;
    p->ended = due > p->deadline;
    if (p->ended || status != AW_OK)
        return status;
    announce_gap(p, due);
    if (by_tool)
        status = session->tool->talk.replay.send(session, message, due, &was_held);
    else
        status = await_time(p, due);
    if (!by_tool && status == AW_OK && session->tool->talk.replay.waits_for_answers)
        status = await_answers(p, write->answers);
    p->counts.n_held += was_held;
    show_work(p, since_s);
    aw_samples_add(&p->counts.late_ms, (double)(aw_clock_now(session->clock) - due) / 1e6);
    if (!by_tool && status == AW_OK)
        status = aw_link_write(session->device.link, message.data, message.size, &session->err);
    p->counts.sent += status == AW_OK ? write->commands : 0;
    return status;
}

/* Sends the messages from the time of --from on. Messages without times are sent at once. */
static enum aw_status play(struct player *p)
{
    enum aw_status status = AW_OK;
    size_t first = 0;
    while (first < p->replay.plan.n && p->replay.plan.writes[first].time_ns < p->from_ns)
        first++;
    p->ended = first == p->replay.plan.n || aw_clock_now(p->session->clock) >= p->deadline;
    if (p->ended)
        return AW_OK;
    /* A device repeats its greeting on each connection, but not on each pass of a loop. */
    uint64_t answers = p->replay.plan.writes[first].answers;
    p->counts.answers =
        p->counts.n_passes || p->was_greeted ? answers : answers - p->replay.plan.writes[0].answers;
    if (p->session->tool->talk.replay.waits_for_answers)
        status = await_answers(p, answers);
    p->anchor.ns = aw_clock_now(p->session->clock); /* times count from this moment */
    p->anchor.s = 0;
    for (size_t i = first; i < p->replay.plan.n && status == AW_OK && !p->ended; i++)
        status = send_write(p, &p->replay.plan.writes[i]);
    if (p->ended)
        return status;
    p->counts.n_passes++;
    if (status == AW_OK && p->session->tool->talk.replay.waits_for_answers)
        status = await_answers(p, p->replay.plan.n_received);
    return status;
}

/* Warns if the start position differs: relative commands then end elsewhere, and absolute ones may
 * begin with a jump. */
static void warn_of_start(struct player *p)
{
    struct aw_session *session = p->session;
    const struct aw_replay *r = &p->replay;
    const char *relative = r->resets ? NULL : r->first_relative;
    bool can_ask =
        session->tool->talk.replay.is_elsewhere && r->plan.n && p->from_ns == 0 && r->n_positions;
    char where[160];
    for (size_t i = 0; can_ask && i < r->n_positions; i++)
        if (session->tool->talk.replay.is_elsewhere(session, &r->positions[i].record, where,
                                                    sizeof where))
            aw_session_print_notice(session, "replay: different start position: %s%s%s%s", where,
                                    relative ? " — " : "", relative ? relative : "",
                                    relative ? " is relative, so the end position differs, too"
                                             : "");
    if (relative && !can_ask)
        aw_session_print_notice(
            session,
            "replay: %s is relative: the end position is the recorded one only if "
            "the start position is",
            relative);
}

/* Collects the first targets to compare with the joint positions. For velocity commands, uses the
 * recorded positions. Skips targets to which the device interpolates, because these are not
 * jumps. */
static size_t collect_first_goals(struct player *p, struct aw_joint_goal goals[AW_START_JOINTS])
{
    struct aw_replay *r = &p->replay;
    size_t n = 0;
    for (size_t i = 0; i < r->list.n && i < AW_START_JOINTS; i++) {
        struct aw_joint *joint = &r->list.joints[i];
        const struct aw_replay_joint *recorded = &r->joints[i];
        bool is_other_mode = (recorded->mode == NULL) != (joint->mode == NULL) ||
                             (recorded->mode && strcmp(recorded->mode, joint->mode) != 0);
        joint->flags.excluded = !recorded->is_known;
        if (recorded->is_known && !is_other_mode &&
            !aw_start_is_motion(joint, recorded->first, recorded->seconds))
            goals[n++] = (struct aw_joint_goal){i, recorded->first};
    }
    return n;
}

static enum aw_status check_start(struct player *p)
{
    struct aw_session *session = p->session;
    struct aw_replay *r = &p->replay;
    struct aw_joint_goal goals[AW_START_JOINTS];
    enum aw_status status = r->plan.n ? aw_replay_find_joints(r, session) : AW_OK;
    bool uses_positions = r->has_positions && (!r->first_relative || r->resets || p->from_ns > 0);
    if (status == AW_OK && (uses_positions || !r->plan.n || collect_first_goals(p, goals) == 0))
        return AW_OK;
    if (status == AW_OK)
        status = aw_joints_read_new(session, &r->list);
    size_t n = collect_first_goals(p, goals);
    if (status == AW_TIMEOUT && session->options.run.force)
        return AW_OK;
    if (status == AW_OK)
        status = aw_start_check(session, &r->list, goals, n);
    /* only distant joints are approached before the replay starts */
    n = status == AW_OK ? aw_start_select_far(session, &r->list, goals, n) : 0;
    return n ? aw_start_approach(session, &r->list, goals, n) : status;
}

/* A repeated recording moves from its last targets to its first ones. Motions that the device
 * interpolates are not jumps. */
static enum aw_status check_loop(struct player *p)
{
    struct aw_session *session = p->session;
    const struct aw_replay *r = &p->replay;
    size_t n = session->options.move.loop && !r->has_positions ? r->list.n : 0;
    enum aw_status status = AW_OK;
    for (size_t i = 0; i < n && i < AW_START_JOINTS && status == AW_OK; i++) {
        const struct aw_replay_joint *recorded = &r->joints[i];
        struct aw_joint joint = r->list.joints[i];
        bool is_far = false;
        joint.state.value[AW_JOINT_ACTUAL] = recorded->last;
        if (recorded->is_known && !aw_start_is_motion(&joint, recorded->first, recorded->seconds))
            status = aw_start_check_loop(session, &joint, recorded->last, recorded->first, &is_far);
        p->loop_is_far = p->loop_is_far || is_far;
    }
    return status;
}

static enum aw_status play_passes(struct player *p)
{
    enum aw_status status;
    do {
        status = p->loop_is_far && p->counts.n_passes ? check_start(p) : AW_OK;
        if (status == AW_OK)
            status = play(p);
    } while (status == AW_OK && p->session->options.move.loop && !p->ended);
    return status;
}

static enum aw_status play_all(struct player *p)
{
    struct aw_session *session = p->session;
    enum aw_status status = aw_session_open_link(session);
    if (status == AW_OK)
        status = aw_output_check(&session->out, &session->err);
    if (status == AW_OK)
        status = check_start(p);
    if (status != AW_OK)
        return status;
    warn_of_start(p);
    aw_session_start_motion(session);
    aw_tempo_begin(&p->tempo, session, p->speed, p->max_speed);
    p->deadline = aw_session_end_time(session);
    if (session->tool->talk.replay.begin)
        p->was_greeted = session->tool->talk.replay.begin(session);
    status = play_passes(p);
    aw_tempo_end(&p->tempo);
    if (status == AW_OK && session->tool->talk.replay.end)
        status = session->tool->talk.replay.end(session);
    else if (status == AW_OK && p->replay.first_relative && p->counts.sent)
        session->motion.ongoing = AW_ONGOING_RUNNING; /* velocity commands continue after the end */
    if (status == AW_OK)
        session->motion.moving = false;
    return status;
}

/* Explains why a replay sends nothing: that is not an error, but rarely intended. */
static void explain_empty(struct player *p, const char *path)
{
    struct aw_session *session = p->session;
    const struct aw_replay *r = &p->replay;
    if (!r->plan.n && !r->plan.n_received)
        aw_session_print_notice(session, "replay: nothing to send: %.200s has no messages", path);
    else if (!r->plan.n)
        aw_session_print_notice(session,
                                "replay: nothing to send: %.200s has no commands, only %" PRIu64
                                " message%s from the device — %s",
                                path, r->plan.n_received, r->plan.n_received == 1 ? "" : "s",
                                session->tool->protocol->frames.is_can
                                    ? "give --all to send them"
                                    : "record a session with --record");
    else if (r->plan.writes[r->plan.n - 1].time_ns < p->from_ns)
        aw_session_print_notice(
            session,
            "replay: nothing to send: the last command is at %.3f s — give an earlier --from",
            (double)r->plan.writes[r->plan.n - 1].time_ns / 1e9);
}

static void report_result(struct player *p)
{
    struct aw_object *result = &p->session->result;
    struct aw_stats late = aw_samples_stats(&p->counts.late_ms);
    aw_object_start(result, "replay");
    aw_object_add_count(result, "sent", p->counts.sent);
    aw_object_add_count(result, "left_out", p->replay.plan.n_received);
    if (p->session->tool->talk.replay.waits_for_answers)
        aw_object_add_count(result, "unanswered", p->counts.unanswered);
    if (p->counts.n_held) {
        aw_object_add_count(result, "held", p->counts.n_held);
        aw_session_print_notice(p->session,
                                "replay: %" PRIu64 " of %" PRIu64
                                " commands were delayed: the device does not accept them faster",
                                p->counts.n_held, p->counts.sent);
    }
    aw_object_add_stats_ms(result, "late", &late);
}

/* Checks the speed if the joints' speed limits are known. */
static enum aw_status choose_speed(struct player *p)
{
    struct aw_session *session = p->session;
    const struct aw_replay *r = &p->replay;
    char advice[64];
    enum aw_status status = aw_tempo_choose_speed(session, r->fastest.max_ratio, &p->speed);
    p->max_speed = r->fastest.max_ratio > 0 ? 1 / r->fastest.max_ratio : (double)INFINITY;
    if (status != AW_OK || r->fastest.max_ratio * p->speed <= 1 + 1e-9 ||
        session->options.run.force)
        return status;
    const struct aw_joint *joint = &r->list.joints[r->fastest.fastest_joint];
    const char *unit = joint->unit[AW_JOINT_VELOCITY] ? joint->unit[AW_JOINT_VELOCITY] : "per s";
    return aw_fail(&session->err, AW_LIMIT,
                   "replay: %s: %.4g %s at %.4g s is faster than %.4g %s — %s",
                   *joint->alias ? joint->alias : joint->name, r->fastest.fastest_speed * p->speed,
                   unit, (double)r->fastest.fastest_ns / 1e9, joint->limits.max_speed, unit,
                   aw_tempo_write_advice(r->fastest.max_ratio, advice));
}

static enum aw_status run_replay(struct aw_session *session, const struct aw_args *args)
{
    struct player *p = calloc(1, sizeof *p);
    if (!p)
        return aw_no_memory(&session->err);
    p->session = session;
    p->from_ns = (int64_t)(aw_replay_given(session)->from_s * 1e9);
    p->replay.from_ns = p->from_ns;
    p->received.framer.dir = AW_RX;
    enum aw_status status =
        session->tool->talk.prepare ? session->tool->talk.prepare(session) : AW_OK;
    if (status == AW_OK)
        status = aw_replay_load(&p->replay, session, aw_arg(args, "file", 0));
    if (status == AW_OK)
        status = choose_speed(p);
    if (status == AW_OK)
        status = check_loop(p);
    if (status == AW_OK)
        explain_empty(p, aw_arg(args, "file", 0));
    if (status == AW_OK && session->options.run.dry_run) {
        aw_session_print_notice(session, "%" PRIu64 " commands, all within limits",
                                p->replay.plan.n_commands);
    } else if (status == AW_OK) {
        status = play_all(p);
        report_result(p);
    }
    if (session->tool->talk.replay.check_command && !p->counts.sent)
        session->tool->talk.replay.check_command(session, NULL);
    aw_replay_free(&p->replay);
    aw_samples_free(&p->counts.late_ms);
    free(p);
    return status;
}

/* clang-format off */
const struct aw_command aw_replay_command = {
    .name = "replay", .group = AW_GROUP_KEEP,
    .summary = "resend the commands of a recording with their original timing",
    .args = AW_ARGS(
        {.name = "file", .kind = AW_ARG_FILE,
         .help = "capture: pcapng, MCAP, pcap, or a log of candump or Vector (.asc)",
         .endings = "pcapng mcap pcap log asc"}),
    .options = AW_OPTIONS(
        AW_TEMPO_OPTIONS,
        AW_START_OPTIONS,
        {.name = "from", AW_AT(aw_replay_options, from_s), .value = "TIME",
         .help = "start at this time of the recording, such as 3s", .unit = "s", .min = 0,
         .max = 1e9},
        AW_LOOP_OPTION,
        {.name = "all", AW_AT(aw_replay_options, all),
         .help = "on a CAN bus, also send the frames of the devices"}),
    .safety = AW_MOTION, .timed = true, .run = run_replay,
    .lines = AW_LIST("-l sim: --record run.pcapng {move}",
        "-l sim: replay run.pcapng --approach 20deg/s"),
    .details = "Checks the whole file first. Refuses to start if a joint is farther from its first "
        "target than --max-jump; with --approach, moves there first. The keys + and - change the "
        "speed. An interruption stops the device."};
/* clang-format on */
