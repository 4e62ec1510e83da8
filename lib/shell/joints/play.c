/* Plays a path: start check, stream of setpoints, following error and playback speed. */
#include "shell/joints/play.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/number.h"
#include "shell/safety/safety.h"

/* after a longer delay, the path resumes where it stopped */
#define GAP_NS      (200 * AW_MILLISECOND)
#define ROUNDING    1e-6
#define LONGEST_LAG 1.0 /* s */
#define LAG_STEP    0.005
#define ARRIVE_S    10
#define DEFAULT_HZ  50.0
/* time to read messages that arrived during a suspension */
#define LATE_NS (20 * AW_MILLISECOND)

static const char *const sample_columns[] = {"t", "measured"};

enum aw_path_mode aw_play_mode(const struct aw_session *session)
{
    return aw_play_given(session)->quintic ? AW_PATH_QUINTIC
           : aw_play_given(session)->cubic ? AW_PATH_CUBIC
                                           : AW_PATH_LINEAR;
}

static double seconds_of(const struct aw_play *p)
{
    return p->path.t_s[p->path.n - 1] - p->path.t_s[0];
}

static const struct aw_joint *joint_of(const struct aw_play *p, size_t k)
{
    return &p->list.joints[p->joints[k].number];
}

/* Computes the position of the path at this time since its start. Clamps rounding errors to the
 * limits. */
static void at(const struct aw_play *p, double t_s, struct aw_joint_goal *goals)
{
    double place[AW_PLAY_JOINTS];
    aw_path_at(&p->path, p->path.t_s[0] + t_s, place, NULL);
    for (size_t k = 0; k < p->n; k++) {
        const struct aw_joint *joint = joint_of(p, k);
        if (place[k] > joint->max && place[k] < joint->max + ROUNDING)
            place[k] = joint->max;
        if (place[k] < joint->min && place[k] > joint->min - ROUNDING)
            place[k] = joint->min;
        goals[k] = (struct aw_joint_goal){p->joints[k].number, place[k]};
    }
}

/* ---- Start ---- */

static enum aw_status find_far(struct aw_session *session, const struct aw_joint *joint,
                               double *far)
{
    struct aw_error why;
    const char *text = session->options.move.max_deviation;
    *far = NAN;
    enum aw_status status =
        text ? aw_number_parse_unit(text, joint->unit[AW_JOINT_ACTUAL], far, &why) : AW_OK;
    if (status != AW_OK)
        return aw_fail(&session->err, status, "--max-deviation: %s", why.text);
    return text && !(*far > 0)
               ? aw_fail(&session->err, AW_LIMIT,
                         "--max-deviation: %s is out of range — give a value above 0", text)
               : AW_OK;
}

static enum aw_status begin(struct aw_play *p)
{
    struct aw_session *session = p->session;
    const struct aw_joints *joints = session->tool->joints;
    enum aw_status status = AW_OK;
    p->list.named = true;
    for (size_t i = 0; i < p->list.n; i++)
        p->list.joints[i].left_out = true; /* no report required */
    for (size_t k = 0; k < p->n && status == AW_OK; k++) {
        struct aw_play_joint *joint = &p->joints[k];
        status = aw_joint_max_lag(session, joint_of(p, k), &joint->max_lag);
        if (status == AW_OK)
            status = find_far(session, joint_of(p, k), &joint->far);
        if (status == AW_OK)
            status = aw_table_init(&joint->samples, sample_columns, 2, &session->err);
        p->list.joints[joint->number].left_out = false;
        snprintf(joint->name, sizeof joint->name, "%s", joint_of(p, k)->name);
    }
    if (status == AW_OK && !joints->told)
        status = joints->open(session);
    if (p->hz > joints->most) {
        if (session->options.move.rate > 0)
            aw_session_notice(
                session,
                "--rate %g: the device accepts at most %g setpoints per second — give a lower rate",
                p->hz, joints->most);
        p->hz = joints->most;
    }
    p->period_s = 1 / p->hz;
    return status;
}

/* A path whose start and end differ needs a motion back to its start. */
static enum aw_status check_loop(struct aw_play *p, bool *closed)
{
    struct aw_joint_goal first[AW_PLAY_JOINTS], last[AW_PLAY_JOINTS];
    at(p, 0, first);
    at(p, seconds_of(p), last);
    *closed = true;
    for (size_t k = 0; k < p->n && p->session->options.move.loop; k++) {
        const struct aw_joint *joint = joint_of(p, k);
        bool far;
        enum aw_status status =
            aw_start_check_loop(p->session, joint, last[k].value, first[k].value, &far);
        if (status != AW_OK)
            return status;
        double away = fabs(last[k].value - first[k].value);
        *closed = *closed && away <= fmax(joint->least, ROUNDING);
    }
    return AW_OK;
}

/* ---- Monitoring ---- */

/* Returns the current time in the file. */
static double path_now(const struct aw_play *p)
{
    double since = (double)(aw_joints_now(p->session) - p->due_ns) / 1e9;
    return p->rounds_s + p->at_s + p->tempo.speed * fmin(since, p->period_s);
}

static bool look(void *context, const struct aw_joint_list *list)
{
    struct aw_play *p = context;
    bool fine = true;
    for (size_t k = 0; k < p->n; k++) {
        struct aw_play_joint *mine = &p->joints[k];
        const struct aw_joint *joint = &list->joints[mine->number];
        int64_t came = joint->now.time_ns[AW_JOINT_ACTUAL];
        if (joint->now.fails)
            aw_motion_fault(&mine->guard, joint->now.fault);
        fine = fine && mine->guard.verdict == AW_MOTION_FINE;
        if (came == AW_NO_TIME || came <= mine->seen_ns)
            continue;
        mine->seen_ns = came;
        struct aw_motion_sample sample = aw_joint_sample(p->session, joint, mine->target);
        if (joint->now.time_ns[AW_JOINT_EFFORT] != came)
            sample.output = NAN; /* measured at another time */
        fine = aw_motion_feed(&mine->guard, &sample) == AW_MOTION_FINE && fine;
        double row[] = {path_now(p), sample.measured};
        aw_table_add(&mine->samples, row, NULL);
    }
    return fine;
}

/* A fault of one joint ends the motion of all joints. */
static enum aw_status judge(struct aw_play *p)
{
    struct aw_session *session = p->session;
    double now_s = (double)aw_joints_now(session) / 1e9;
    for (size_t k = 0; k < p->n; k++) {
        struct aw_play_joint *mine = &p->joints[k];
        const struct aw_joint *joint = joint_of(p, k);
        const char *unit = joint->unit[AW_JOINT_ACTUAL];
        const struct aw_joint_lag lag = {mine->target, mine->max_lag, "speed"};
        if (aw_motion_wait(&mine->guard, now_s) != AW_MOTION_FINE)
            return aw_motion_fail(&mine->guard, mine->name, unit, &session->err);
        if (aw_joint_keeps_up(session, joint, &lag, &mine->behind_ns) != AW_OK)
            return session->err.status;
    }
    return AW_OK;
}

/* Fails if a joint stood still while its setpoints moved, however short the path. */
static enum aw_status check_moved(const struct aw_play *p)
{
    for (size_t k = 0; k < p->n; k++) {
        const struct aw_play_joint *mine = &p->joints[k];
        const struct aw_joint *joint = joint_of(p, k);
        const char *unit = joint->unit[AW_JOINT_ACTUAL];
        double low = aw_joint_at(joint, mine->target), high = low, way = mine->high - mine->low;
        for (size_t i = 0; i < mine->samples.n_rows; i++) {
            low = fmin(low, aw_table_cell(&mine->samples, i, 1));
            high = fmax(high, aw_table_cell(&mine->samples, i, 1));
        }
        if (high - low < joint->least && way > joint->near)
            return aw_fail(&p->session->err, AW_REFUSED,
                           "%s did not move, but its setpoints moved by %.3g%s%s — check that it "
                           "is powered, enabled and free",
                           mine->name, way, unit ? " " : "", unit ? unit : "");
    }
    return AW_OK;
}

static bool seems_silent(const struct aw_play *p)
{
    double now_s = (double)aw_joints_now(p->session) / 1e9;
    bool silent = false;
    for (size_t k = 0; k < p->n; k++) {
        const struct aw_motion *guard = &p->joints[k].guard;
        silent = silent || now_s - guard->last_s > guard->config.silence_s;
    }
    return silent;
}

static enum aw_status attend(struct aw_play *p, int64_t until)
{
    struct aw_session *session = p->session;
    enum aw_status status = AW_OK;
    if (session->tool->joints->confirms)
        look(p, &p->list); /* the device only confirms, so a confirmation counts as a report */
    do {
        status = aw_joints_until(session, &p->list, until, look, p);
        /* This program may have been suspended: queued messages end the apparent silence. */
        if (status == AW_OK && seems_silent(p))
            status = aw_joints_until(session, &p->list, aw_joints_now(session) + LATE_NS, look, p);
    } while (status == AW_OK && judge(p) == AW_OK && aw_joints_now(session) < until);
    return status == AW_OK ? judge(p) : status;
}

/* ---- Streaming ---- */

static enum aw_status send(struct aw_play *p, double t_s, int64_t show_ns)
{
    struct aw_joint_goal goals[AW_PLAY_JOINTS];
    struct aw_joint_command command = {.what = AW_JOINT_TARGETS,
                                       .goals = goals,
                                       .n = p->n,
                                       .seconds = p->period_s,
                                       .stream = true,
                                       .show_ns = show_ns};
    at(p, t_s, goals);
    for (size_t k = 0; k < p->n; k++) {
        struct aw_play_joint *mine = &p->joints[k];
        mine->target = goals[k].value;
        mine->low = fmin(mine->low, mine->target);
        mine->high = fmax(mine->high, mine->target);
    }
    p->sent++;
    return aw_joints_stream(p->session, &p->list, &command);
}

/* Streams the path once, or repeatedly if it is closed. A device that interpolates receives the
 * position of the next period. */
static enum aw_status stream(struct aw_play *p, bool again)
{
    struct aw_session *session = p->session;
    double length_s = seconds_of(p);
    int64_t period_ns = (int64_t)(p->period_s * 1e9);
    bool timed = session->tool->joints->timed, last = false;
    enum aw_status status = AW_OK;
    p->at_s = 0;
    p->due_ns = aw_joints_now(session);
    if (!p->end_ns)
        p->end_ns = session->options.run.for_s > 0
                        ? aw_clock_after(p->due_ns, session->options.run.for_s)
                        : AW_NEVER;
    while (status == AW_OK && !last) {
        int64_t now = aw_joints_now(session);
        aw_samples_add(&p->late_ms, (double)(now - p->due_ns) / 1e6);
        p->due_ns = now - p->due_ns > GAP_NS ? now : p->due_ns;
        double passes = aw_tempo_step(&p->tempo, p->period_s), ahead = timed ? passes : 0;
        last = p->at_s + ahead >= length_s - 1e-9;
        if (last && again && length_s > 0) {
            p->at_s = fmod(p->at_s + ahead, length_s) - ahead;
            p->rounds_s += length_s;
            last = false;
        }
        last = last || p->due_ns + period_ns >= p->end_ns;
        status = send(p, fmax(0, p->at_s + ahead), AW_NO_TIME);
        aw_session_work(session, "play %.0f of %.0f s at %.0f %%%s", p->at_s, length_s,
                        100 * p->tempo.speed, p->tempo.shown);
        if (status == AW_OK && !(last && timed))
            status = attend(p, p->due_ns + period_ns);
        p->at_s += passes;
        p->due_ns += period_ns;
    }
    return status;
}

/* Moves to the first point and along the path, and waits for the end. first: nothing has moved
 * yet. */
static enum aw_status play_once(struct aw_play *p, bool first, bool again)
{
    struct aw_session *session = p->session;
    const struct aw_joints *joints = session->tool->joints;
    struct aw_joint_goal goals[AW_PLAY_JOINTS];
    at(p, 0, goals);
    enum aw_status status = aw_joints_read_new(session, &p->list);
    if (status == AW_OK && first)
        status = aw_start_check(session, &p->list, goals, p->n);
    if (status == AW_OK)
        status = aw_start_go(session, &p->list, goals, p->n);
    if (status != AW_OK)
        return status;
    for (size_t k = 0; k < p->n; k++) {
        struct aw_play_joint *mine = &p->joints[k];
        aw_joint_guard(session, joint_of(p, k), mine->far, &mine->guard);
        mine->guard.config.ended = "ended"; /* the stop is reported once it is confirmed */
        mine->target = mine->low = mine->high = goals[k].value;
        mine->behind_ns = 0;
    }
    aw_session_moves(session);
    status = stream(p, again);
    if (status != AW_OK || !(joints->await || session->tool->steer > 0))
        return status;
    struct aw_joint_command command = {.what = AW_JOINT_TARGETS, .goals = goals, .n = p->n};
    for (size_t k = 0; k < p->n; k++)
        goals[k].value = p->joints[k].target;
    return aw_joints_await(session, &p->list, &command, NAN,
                           aw_clock_after(aw_clock_now(session->clock), ARRIVE_S));
}

/* Prints the setpoints of one pass. */
static enum aw_status show(struct aw_play *p)
{
    const struct aw_joints *joints = p->session->tool->joints;
    double length_s = seconds_of(p), passes = p->speed * p->period_s;
    double ahead = joints->timed ? passes : 0, at_s = 0;
    enum aw_status status = AW_OK;
    aw_session_notice(p->session, "%zu points, %.3f s: within limits", p->path.n,
                      length_s / p->speed);
    aw_session_notice(
        p->session,
        "the approach to the first point depends on the joint positions and is not shown; then:");
    for (int64_t tick = 0; status == AW_OK; tick++) {
        at_s = (double)tick * passes + ahead;
        status = send(p, fmin(at_s, length_s), (int64_t)llround((double)tick * p->period_s * 1e9));
        if (at_s >= length_s - 1e-9)
            break;
    }
    return status;
}

static enum aw_status play(struct aw_play *p, bool closed)
{
    struct aw_session *session = p->session;
    bool loop = session->options.move.loop, first = true;
    enum aw_status status = AW_OK;
    aw_tempo_begin(&p->tempo, session, p->speed, p->most);
    do {
        status = play_once(p, first, loop && closed);
        p->rounds_s += seconds_of(p);
        first = false;
    } while (status == AW_OK && loop && aw_joints_now(session) < p->end_ns);
    aw_tempo_end(&p->tempo);
    if (status == AW_OK)
        status = check_moved(p);
    return aw_joints_end(session, &p->list, status);
}

static void free_play(struct aw_play *p)
{
    for (size_t k = 0; k < p->n; k++)
        aw_table_free(&p->joints[k].samples);
    aw_samples_free(&p->late_ms);
    aw_joints_free(&p->list);
    aw_path_free(&p->path);
}

/* ---- Result ---- */

static double distance(const struct aw_play *p, size_t k, double lag_s)
{
    const struct aw_table *samples = &p->joints[k].samples;
    double length_s = seconds_of(p), sum = 0, place[AW_PLAY_JOINTS];
    size_t n = 0;
    for (size_t i = 0; i < samples->n_rows; i++) {
        double t = aw_table_cell(samples, i, 0) - lag_s * p->speed;
        if (t < 0)
            continue;
        if (p->session->options.move.loop && length_s > 0)
            t = fmod(t, length_s);
        aw_path_at(&p->path, p->path.t_s[0] + t, place, NULL);
        double away = aw_table_cell(samples, i, 1) - place[k];
        sum += away * away;
        n++;
    }
    return n ? sqrt(sum / (double)n) : NAN;
}

/* Returns the time shift of the file that best fits the measurement. */
static double lag_of(const struct aw_play *p, size_t k)
{
    double least = INFINITY, found = NAN;
    for (double lag = 0; lag <= LONGEST_LAG; lag += LAG_STEP) {
        double rms = distance(p, k, lag);
        if (rms < least) {
            least = rms;
            found = lag;
        }
    }
    return found;
}

static void report_joints(struct aw_play *p)
{
    struct aw_object *result = &p->session->result;
    struct aw_stats late = aw_samples_stats(&p->late_ms);
    aw_object_stats_ms(result, "late", &late);
    for (size_t k = 0; k < p->n; k++) {
        char key[sizeof result->entries->key];
        snprintf(key, sizeof key, "%.40s.lag_ms", p->joints[k].name);
        aw_object_number(result, key, 1000 * lag_of(p, k), 0, "ms");
        snprintf(key, sizeof key, "%.40s.rms", p->joints[k].name);
        aw_object_number(result, key, distance(p, k, 0), 3, joint_of(p, k)->unit[AW_JOINT_ACTUAL]);
    }
}

static void report(struct aw_play *p)
{
    struct aw_session *session = p->session;
    const struct aw_joints *joints = session->tool->joints;
    struct aw_object *result = &session->result;
    aw_object_start(result, "play");
    aw_object_count(result, "points", p->path.n);
    aw_object_count(result, "joints", p->n);
    aw_object_number(result, "duration", seconds_of(p), 3, "s");
    aw_object_count(result, "sent", p->sent);
    if (joints->played)
        joints->played(session);
    report_joints(p);
    aw_object_gather(result);
}

/* Checks and plays the path; with --dry-run prints it. */
static enum aw_status run(struct aw_play *p)
{
    bool closed;
    enum aw_status status = begin(p);
    if (status == AW_OK)
        status = check_loop(p, &closed);
    if (status != AW_OK)
        return status;
    if (p->session->options.run.dry_run)
        return show(p);
    status = play(p, closed);
    report(p);
    return status;
}

static enum aw_status load(struct aw_play *p, const char *file)
{
    struct aw_session *session = p->session;
    const struct aw_joints *joints = session->tool->joints;
    bool blind = joints->told && session->options.run.dry_run;
    enum aw_status status = AW_OK;
    if (aw_play_given(session)->quintic && aw_play_given(session)->cubic)
        return aw_fail(&session->err, AW_USAGE,
                       "play: both --cubic and --quintic given — remove one");
    p->list.columns = joints->columns;
    if (!blind)
        status = (joints->told ? aw_joints_begin : aw_joints_list)(session, &p->list);
    if (status == AW_OK && !blind)
        status = aw_joints_check(session, &p->list, &(struct aw_joint_command){.n = 0});
    if (status == AW_OK)
        status = aw_play_load(p, file);
    return status;
}

enum aw_status aw_run_play(struct aw_session *session, const struct aw_args *args)
{
    struct aw_play *p = calloc(1, sizeof *p);
    if (!p)
        return aw_no_memory(&session->err);
    p->session = session;
    p->speed = p->most = 1;
    p->hz = session->options.move.rate > 0 ? session->options.move.rate : DEFAULT_HZ;
    enum aw_status status = load(p, aw_arg(args, "file", 0));
    if (status == AW_OK)
        status = run(p);
    free_play(p);
    free(p);
    return status;
}

/* clang-format off */
const struct aw_command aw_play_command = {
    AW_PLAY_ROW("columns t (s) and joints", AW_PLAY_OPTIONS),
    .summary = "play a file of setpoints", .streams = true, .run = aw_run_play,
    .details = "The whole file is checked first. The joints must be near its first point "
        "(--max-jump), or move there first (--approach)."};
/* clang-format on */
