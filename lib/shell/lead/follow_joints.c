/* Reads, commands and stops the joints of follow. */
#include <math.h>

#include "control/lag.h"
#include "shell/lead/follower.h"
#include "shell/safety/stop.h"

#define SLICE_NS       (5 * AW_MILLISECOND) /* interval of checks of a live leader */
#define ARRIVAL_WAIT_S 10.0                 /* max wait after the end of a recording */
/* max plausible lag by the leader's clock; if larger, measures from the arrival */
#define CLOCKS_S 10.0

void aw_follower_update(struct aw_follower *f)
{
    for (size_t i = 0; i < f->map.n; i++) {
        const struct aw_joint *joint = aw_follower_joint(f, i);
        struct aw_follow_joint *j = &f->joints[i];
        if (!joint->flags.is_blind)
            j->actual = aw_joint_position(joint, j->command);
        else if (!isnan(j->command))
            j->actual = j->command; /* the last command is the only known position */
    }
}

static bool on_report(void *context, const struct aw_joint_list *list)
{
    (void)context;
    (void)list;
    return true;
}

enum aw_status aw_follower_attend(struct aw_follower *f)
{
    struct aw_session *session = f->session;
    int64_t now = aw_clock_now(session->clock), slice = now + SLICE_NS;
    int64_t until = f->leader.is_recording ? f->time.next_ns : aw_min_time(slice, f->time.next_ns);
    enum aw_status status =
        aw_joints_attend(session, &f->list, until > now ? until : slice, 0, on_report, f);
    aw_follower_update(f);
    for (size_t i = 0; i < f->map.n; i++) {
        const struct aw_joint *joint = aw_follower_joint(f, i);
        if (status == AW_OK && joint->state.has_fault && f->joints[i].engaged)
            status = aw_fail(&session->err, AW_REFUSED, "%s: %s", aw_follower_name(joint),
                             joint->state.fault);
    }
    return status;
}

/* Measures the lag from the leader's record to the command. */
static void note_lag(struct aw_follower *f)
{
    if (f->time.received_ns == AW_NO_TIME)
        return;
    double lag_s =
        f->time.record_ns == AW_NO_TIME ? NAN : (double)(aw_wall_time() - f->time.record_ns) / 1e9;
    if (!(lag_s >= 0 && lag_s < CLOCKS_S))
        lag_s = (double)(aw_clock_now(f->session->clock) - f->time.received_ns) / 1e9;
    aw_samples_add(&f->counts.lag_ms, 1e3 * lag_s);
    f->time.received_ns = AW_NO_TIME;
}

enum aw_status aw_follower_send(struct aw_follower *f)
{
    const struct aw_joints *joints = f->session->tool->motion.joints;
    struct aw_joint_goal goals[AW_FOLLOW_ROWS];
    struct aw_joint_command command = {.goals = goals,
                                       .seconds = 1 / joints->traits.rate_hz,
                                       .is_stream = true,
                                       .show_ns = AW_NO_TIME};
    for (size_t i = 0; i < f->map.n; i++) {
        const struct aw_follow_joint *j = &f->joints[i];
        if (!j->engaged)
            continue;
        aw_follower_joint(f, i)->steer.max_steer_speed = j->speed_limit;
        goals[command.n++] = (struct aw_joint_goal){f->index[i], j->command};
        f->counts.n_limited += j->limited;
    }
    enum aw_status status = aw_joints_send_unchecked(f->session, &f->list, &command);
    if (joints->traits.confirms)
        aw_follow_set_wait(&f->engine, aw_clock_now(f->session->clock));
    f->counts.commands++;
    note_lag(f);
    return status;
}

/* Sends one confirmed stop. If it fails, the command ends and the shell reports the failure. */
enum aw_status aw_follower_stop(struct aw_follower *f)
{
    struct aw_session *session = f->session;
    const struct aw_follow *engine = &f->engine;
    bool has_joint = engine->loss == AW_LOSS_JUMP || engine->loss == AW_LOSS_LAG;
    const struct aw_joint *joint = aw_follower_joint(f, engine->halted_joint);
    enum aw_status status = aw_stop_device(session);
    f->counts.stops++;
    f->announced = false;
    if (status != AW_OK)
        return status;
    session->motion.moving = false;
    aw_session_print_notice(session, "stopped: %s%s%s", aw_loss_names[engine->loss],
                            has_joint ? ": " : "", has_joint ? aw_follower_name(joint) : "");
    status = aw_joints_end(session, &f->list, AW_OK);
    if (status == AW_OK && engine->loss == AW_LOSS_LAG)
        status = aw_fail(&session->err, AW_REFUSED,
                         "%s stays behind its target, more than --max-lag %g for %g s — check for "
                         "an obstacle, or lower --max-speed",
                         aw_follower_name(joint), f->joints[engine->halted_joint].limits.max_lag,
                         AW_LAG_S);
    return status;
}

enum aw_status aw_follower_refuse(struct aw_follower *f)
{
    size_t row = f->engine.halted_joint;
    struct aw_joint_goal goal = {f->index[row], aw_follow_goal(&f->engine, row)};
    if (f->counts.commands == 0)
        f->session->motion.moving = false; /* nothing was sent */
    if (f->engine.options.relative && !isnan(f->joints[row].actual))
        return aw_fail(&f->session->err, AW_LIMIT,
                       "follow: %s is farther outside its clamp than --max-jump %.4g — give "
                       "--approach to move it inside",
                       aw_follower_name(aw_follower_joint(f, row)), f->joints[row].limits.max_jump);
    enum aw_status status = aw_start_check(f->session, &f->list, &goal, 1);
    return status == AW_OK
               ? aw_fail(&f->session->err, AW_LIMIT, "%s: position unknown — check power and link",
                         aw_follower_name(aw_follower_joint(f, row)))
               : status;
}

/* A board that interpolates still needs time after the last command. */
enum aw_status aw_follower_arrive(struct aw_follower *f)
{
    struct aw_session *session = f->session;
    struct aw_joint_goal goals[AW_FOLLOW_ROWS];
    struct aw_joint_command command = {.kind = AW_JOINT_TARGETS, .goals = goals};
    for (size_t i = 0; i < f->map.n; i++)
        if (f->joints[i].engaged)
            goals[command.n++] = (struct aw_joint_goal){f->index[i], f->joints[i].command};
    if (!f->leader.is_recording || !session->tool->motion.joints->run.await || !command.n ||
        session->tool->motion.steer_gain > 0)
        return AW_OK;
    return aw_joints_await(session, &f->list, &command, NAN,
                           aw_time_after(aw_clock_now(session->clock), ARRIVAL_WAIT_S));
}
