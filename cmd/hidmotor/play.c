/* hidmotor play: drives to the start of a file's path and streams its setpoints at a fixed rate. */
#include <math.h>
#include <string.h>

#include "control/samples.h"
#include "protocol/hidmotor/waypoints.h"
#include "state.h"

#define USUAL_HZ       50.0
#define APPROACH_DEG_S 60.0 /* on the way to the first waypoint */
#define APPROACH_MS    500  /* at least */
#define NEAR_DEG       0.25 /* one step of the measurement */
#define LOST_MAX       5    /* setpoints in a row without a reply until it is given up */
#define REPLY_MS       20   /* a lost reply must not hold the stream up */
#define SETTLE_DEG     AW_HIDMOTOR_TOLERANCE

struct player {
    struct aw_session *session;
    struct aw_path path;
    double end_s;
    int64_t period_ns;
    uint64_t sent, lost;
    int lost_in_a_row;
    struct aw_hidmotor_plan step; /* the last one */
    int64_t deadline;             /* by --for, from the first setpoint on; 0: not begun */
    struct aw_samples late_ms;    /* how much later than planned a setpoint went out */
};

static struct aw_hidmotor_file file_of(struct aw_session *session)
{
    const char *angles = aw_option(session, "angles");
    return (struct aw_hidmotor_file){
        .columns = aw_option(session, "columns"),
        .every_s = aw_option_number(session, "every"),
        .from_line = (size_t)aw_option_number(session, "from-line"),
        .angles = !angles                      ? AW_ANGLES_ASK
                  : strcmp(angles, "rad") == 0 ? AW_ANGLES_RAD
                                               : AW_ANGLES_DEG,
        .speed = aw_option_number(session, "speed"),
    };
}

static enum aw_status load(struct player *p, const char *file)
{
    struct aw_session *session = p->session;
    struct aw_hidmotor_waypoints way;
    bool force = aw_flag(session, "force");
    bool quintic = aw_flag(session, "quintic"), cubic = aw_flag(session, "cubic");
    enum aw_path_mode mode = quintic ? AW_PATH_QUINTIC : cubic ? AW_PATH_CUBIC : AW_PATH_LINEAR;
    if (quintic && cubic)
        return aw_fail(&session->err, AW_USAGE, "play: --cubic or --quintic, not both");
    struct aw_hidmotor_file how = file_of(session);
    enum aw_status status = aw_hidmotor_waypoints_read(&way, NULL, file, &how, &session->err);
    for (size_t i = 0; i < way.n_notices && status == AW_OK; i++)
        aw_session_notice(session, "%s", way.notices[i]);
    if (status == AW_OK)
        status = aw_hidmotor_waypoints_path(&way, mode, force, &p->path, &session->err);
    aw_hidmotor_waypoints_free(&way);
    if (status != AW_OK)
        return status;
    struct aw_hidmotor_fastest fastest = aw_hidmotor_path_fastest(&p->path);
    if (fastest.deg_s > AW_HIDMOTOR_FAST)
        aw_session_notice(
            session, "%s: %.0f deg/s at %.3f s, but servos do about %.0f — it will lag",
            aw_hidmotor_joint(fastest.joint).alias, fastest.deg_s, fastest.t_s, AW_HIDMOTOR_FAST);
    p->end_s = p->path.t_s[p->path.n - 1];
    return AW_OK;
}

static void at(const struct player *p, double t_s, double *deg)
{
    struct aw_hidmotor_pose pose = aw_hidmotor_path_pose(&p->path, t_s);
    memcpy(deg, pose.deg, sizeof pose.deg);
}

/* The arm goes to the start of the path at an easy pace, and has to be there. */
static enum aw_status approach(struct player *p)
{
    struct aw_session *session = p->session;
    struct aw_hidmotor_target target = {.given = {true, true, true},
                                        .mode = AW_HIDMOTOR_SINUSOIDAL};
    struct aw_hidmotor_plan plan;
    double way = 0;
    at(p, p->path.t_s[0], target.deg);
    enum aw_status status = aw_hidmotor_plan(motor_arm(session), &target, &plan, &session->err);
    if (status != AW_OK)
        return status;
    for (int i = 0; i < AW_HIDMOTOR_JOINTS; i++)
        way = fmax(way, fabs(plan.target[i] - plan.start[i]));
    plan.duration_ms = fmax(APPROACH_MS, 1000 * way / APPROACH_DEG_S);
    if (way < NEAR_DEG)
        plan.duration_ms = 0;
    status = motor_send(session, &plan);
    return status == AW_OK ? motor_await(session, &plan, SETTLE_DEG) : status;
}

/* Where the path is one period ahead: the board goes there in a straight line meanwhile. */
static enum aw_status send_setpoint(struct player *p, double t_s)
{
    struct aw_session *session = p->session;
    struct aw_hidmotor_plan *plan = &p->step;
    memcpy(plan->start, plan->target, sizeof plan->start);
    at(p, p->path.t_s[0] + t_s + (double)p->period_ns / 1e9, plan->target);
    enum aw_status status = aw_hidmotor_follow(motor_arm(session), plan, &session->err);
    p->sent++;
    p->lost += status == AW_TIMEOUT;
    p->lost_in_a_row = status == AW_TIMEOUT ? p->lost_in_a_row + 1 : 0;
    return status == AW_TIMEOUT && p->lost_in_a_row < LOST_MAX ? AW_OK : status;
}

/* What would be streamed, once. */
static enum aw_status show_setpoints(struct player *p)
{
    double period_s = (double)p->period_ns / 1e9, length_s = p->end_s - p->path.t_s[0];
    struct aw_hidmotor_plan plan = {.n = AW_HIDMOTOR_JOINTS, .duration_ms = 1000 * period_s};
    enum aw_status status = AW_OK;
    aw_session_notice(p->session, "first the arm goes to the first waypoint: how, depends on where "
                                  "it is; then:");
    for (int64_t tick = 0; status == AW_OK; tick++) {
        double t_s = (double)(tick * p->period_ns) / 1e9;
        at(p, p->path.t_s[0] + t_s + period_s, plan.target);
        status = motor_show(p->session, &plan, tick * p->period_ns);
        if (t_s + period_s >= length_s)
            break;
    }
    return status;
}

static enum aw_status stream(struct player *p)
{
    struct aw_session *session = p->session;
    double length_s = p->end_s - p->path.t_s[0];
    int64_t start = aw_clock_now(session->clock);
    enum aw_status status = AW_OK;
    aw_session_moves(session);
    if (!p->deadline)
        p->deadline = aw_session_end(session);
    p->step = (struct aw_hidmotor_plan){.n = AW_HIDMOTOR_JOINTS,
                                        .duration_ms = (double)p->period_ns / 1e6};
    at(p, p->path.t_s[0], p->step.target);
    for (int64_t tick = 0; status == AW_OK; tick++) {
        int64_t due = start + tick * p->period_ns, now = aw_clock_now(session->clock);
        double t_s = (double)(due - start) / 1e9;
        aw_samples_add(&p->late_ms, (double)(now - due) / 1e6);
        status = send_setpoint(p, t_s);
        aw_session_work(session, "play %.0f of %.0f s", t_s, length_s);
        if (status != AW_OK || t_s + (double)p->period_ns / 1e9 >= length_s ||
            due + p->period_ns >= p->deadline)
            break;
        status = aw_clock_sleep(session->clock, due + p->period_ns);
    }
    return status;
}

static enum aw_status play_once(struct player *p)
{
    struct aw_hidmotor *arm = motor_arm(p->session);
    int usual_ms = arm->options.timeout_ms;
    enum aw_status status = approach(p);
    if (!aw_flag(p->session, "timeout"))
        arm->options.timeout_ms = REPLY_MS;
    if (status == AW_OK)
        status = stream(p);
    arm->options.timeout_ms = usual_ms;
    return status == AW_OK ? motor_await(p->session, &p->step, SETTLE_DEG) : status;
}

enum aw_status run_play(struct aw_session *session, const struct aw_args *args)
{
    double hz = aw_flag(session, "rate") ? aw_option_number(session, "rate") : USUAL_HZ;
    struct player p = {.session = session, .period_ns = (int64_t)(1e9 / hz)};
    enum aw_status status = load(&p, aw_arg(args, "file", 0));
    bool dry = aw_flag(session, "dry-run");
    if (status == AW_OK && dry) {
        aw_session_notice(session, "%zu waypoints, %.3f s: within limits", p.path.n,
                          p.end_s - p.path.t_s[0]);
        status = show_setpoints(&p);
    } else if (status == AW_OK) {
        status = motor_ready(session);
        do
            status = status == AW_OK ? play_once(&p) : status;
        while (status == AW_OK && aw_flag(session, "loop") &&
               aw_clock_now(session->clock) < p.deadline);
        struct aw_object *result = &p.session->result;
        struct aw_stats late = aw_samples_stats(&p.late_ms);
        aw_object_start(result, "play");
        aw_object_count(result, "waypoints", p.path.n);
        aw_object_number(result, "duration", p.end_s - p.path.t_s[0], 3, "s");
        aw_object_count(result, "setpoints", p.sent);
        aw_object_count(result, "lost", p.lost);
        aw_object_stats_ms(result, "late", &late);
        motor_report_joints(p.session);
    }
    aw_path_free(&p.path);
    aw_samples_free(&p.late_ms);
    return status;
}
