/* Plays a path: start check, stream of setpoints, following error and playback speed. */
#include "shell/joints/play.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/number.h"
#include "shell/safety/safety.h"

/* after a longer delay, the path resumes where it stopped */
#define GAP_NS         (200 * AW_MILLISECOND)
#define ROUNDING       1e-6
#define MAX_LAG_S      1.0   /* max lag that find_lag tries, s */
#define LAG_STEP       0.005 /* step between these lags, s */
#define ARRIVAL_WAIT_S 10    /* max wait for arrival at the end of the path, s */
#define DEFAULT_HZ     50.0
/* time to read messages that arrived during a suspension */
#define LATE_NS (20 * AW_MILLISECOND)

static const char *const sample_columns[] = {"t", "measured"};

enum aw_path_mode aw_play_mode(const struct aw_session *session)
{
    return aw_play_given(session)->quintic ? AW_PATH_QUINTIC
           : aw_play_given(session)->cubic ? AW_PATH_CUBIC
                                           : AW_PATH_LINEAR;
}

static double get_path_seconds(const struct aw_play *p)
{
    return p->path.t_s[p->path.n - 1] - p->path.t_s[0];
}

static const struct aw_joint *get_joint(const struct aw_play *p, size_t k)
{
    return &p->list.joints[p->joints[k].index];
}

/* Computes the position of the path at this time since its start. Clamps rounding errors to the
 * limits. */
static void fill_path_goals(const struct aw_play *p, double t_s, struct aw_joint_goal *goals)
{
    double positions[AW_PLAY_JOINTS];
    aw_path_evaluate(&p->path, p->path.t_s[0] + t_s, positions, NULL);
    for (size_t k = 0; k < p->n; k++) {
        const struct aw_joint *joint = get_joint(p, k);
        if (positions[k] > joint->limits.max && positions[k] < joint->limits.max + ROUNDING)
            positions[k] = joint->limits.max;
        if (positions[k] < joint->limits.min && positions[k] > joint->limits.min - ROUNDING)
            positions[k] = joint->limits.min;
        goals[k] = (struct aw_joint_goal){p->joints[k].index, positions[k]};
    }
}

/* ---- Start ---- */

static enum aw_status read_deviation(struct aw_session *session, const struct aw_joint *joint,
                                     double *max_deviation)
{
    const char *text = session->options.move.max_deviation;
    *max_deviation = NAN;
    enum aw_status status = text ? aw_number_parse_unit(text, joint->unit[AW_JOINT_ACTUAL],
                                                        max_deviation, &session->err)
                                 : AW_OK;
    if (status != AW_OK)
        return aw_fail_about(&session->err, status, "--max-deviation");
    return text && !(*max_deviation > 0)
               ? aw_fail(&session->err, AW_LIMIT,
                         "--max-deviation %s: out of range — give a value above 0", text)
               : AW_OK;
}

static enum aw_status begin(struct aw_play *p)
{
    struct aw_session *session = p->session;
    const struct aw_joints *joints = session->tool->motion.joints;
    enum aw_status status = AW_OK;
    p->list.is_frozen = true;
    for (size_t i = 0; i < p->list.n; i++)
        p->list.joints[i].flags.excluded = true; /* no report required */
    for (size_t k = 0; k < p->n && status == AW_OK; k++) {
        struct aw_play_joint *joint = &p->joints[k];
        status = aw_joint_read_max_lag(session, get_joint(p, k), &joint->max_lag);
        if (status == AW_OK)
            status = read_deviation(session, get_joint(p, k), &joint->max_deviation);
        if (status == AW_OK)
            status = aw_table_init(&joint->samples, sample_columns, 2, &session->err);
        p->list.joints[joint->index].flags.excluded = false;
        snprintf(joint->name, sizeof joint->name, "%s", get_joint(p, k)->name);
    }
    if (status == AW_OK && !joints->traits.reports_joints)
        status = joints->run.open(session);
    if (p->rate_hz > joints->traits.max_hz) {
        if (session->options.move.rate > 0)
            aw_session_print_notice(
                session, "--rate %g: reduced to %g, the maximum setpoints per second of the device",
                p->rate_hz, joints->traits.max_hz);
        p->rate_hz = joints->traits.max_hz;
    }
    p->time.period_s = 1 / p->rate_hz;
    return status;
}

/* For --loop: sets *closed to false if the path does not end where it starts, so that it needs a
 * motion back. AW_LIMIT: see aw_start_check_loop. */
static enum aw_status check_loop(struct aw_play *p, bool *closed)
{
    struct aw_joint_goal first[AW_PLAY_JOINTS], last[AW_PLAY_JOINTS];
    fill_path_goals(p, 0, first);
    fill_path_goals(p, get_path_seconds(p), last);
    *closed = true;
    for (size_t k = 0; k < p->n && p->session->options.move.loop; k++) {
        const struct aw_joint *joint = get_joint(p, k);
        bool is_far;
        enum aw_status status =
            aw_start_check_loop(p->session, joint, last[k].value, first[k].value, &is_far);
        if (status != AW_OK)
            return status;
        double distance = fabs(last[k].value - first[k].value);
        *closed = *closed && distance <= fmax(joint->tolerance.min_motion, ROUNDING);
    }
    return AW_OK;
}

/* ---- Monitoring ---- */

/* Returns the current time on the path, with all previous passes, s. */
static double get_path_now(const struct aw_play *p)
{
    double elapsed_s = (double)(aw_joints_now(p->session) - p->time.due_ns) / 1e9;
    return p->time.rounds_s + p->time.at_s + p->tempo.speed * fmin(elapsed_s, p->time.period_s);
}

static bool on_report(void *context, const struct aw_joint_list *list)
{
    struct aw_play *p = context;
    bool is_fine = true;
    for (size_t k = 0; k < p->n; k++) {
        struct aw_play_joint *state = &p->joints[k];
        const struct aw_joint *joint = &list->joints[state->index];
        int64_t received_ns = joint->state.time_ns[AW_JOINT_ACTUAL];
        if (joint->state.has_fault)
            aw_motion_set_fault(&state->monitor, joint->state.fault);
        is_fine = is_fine && state->monitor.verdict == AW_MOTION_OK;
        if (received_ns == AW_NO_TIME || received_ns <= state->seen_ns)
            continue;
        state->seen_ns = received_ns;
        struct aw_motion_sample sample = aw_joint_sample(p->session, joint, state->target);
        if (joint->state.time_ns[AW_JOINT_EFFORT] != received_ns)
            sample.output = NAN; /* measured at another time */
        is_fine = aw_motion_add_sample(&state->monitor, &sample) == AW_MOTION_OK && is_fine;
        double row[] = {get_path_now(p), sample.measured};
        aw_table_add(&state->samples, row, NULL);
    }
    return is_fine;
}

/* Checks each joint for faults, silence, deviation and lag. The first failure ends the motion of
 * all joints. */
static enum aw_status check_joints(struct aw_play *p)
{
    struct aw_session *session = p->session;
    double now_s = (double)aw_joints_now(session) / 1e9;
    for (size_t k = 0; k < p->n; k++) {
        struct aw_play_joint *state = &p->joints[k];
        const struct aw_joint *joint = get_joint(p, k);
        const char *unit = joint->unit[AW_JOINT_ACTUAL];
        const struct aw_joint_lag lag = {state->target, state->max_lag, "speed"};
        if (aw_motion_check_silence(&state->monitor, now_s) != AW_MOTION_OK)
            return aw_motion_fail(&state->monitor, state->name, unit, &session->err);
        if (aw_joint_check_lag(session, joint, &lag, &state->behind_ns) != AW_OK)
            return session->err.status;
    }
    return AW_OK;
}

/* Fails if a joint stood still while its setpoints moved, however short the path. */
static enum aw_status check_moved(const struct aw_play *p)
{
    for (size_t k = 0; k < p->n; k++) {
        const struct aw_play_joint *state = &p->joints[k];
        const struct aw_joint *joint = get_joint(p, k);
        const char *unit = joint->unit[AW_JOINT_ACTUAL];
        double low = aw_joint_position(joint, state->target), high = low,
               range = state->high - state->low;
        for (size_t i = 0; i < state->samples.n_rows; i++) {
            low = fmin(low, aw_table_cell(&state->samples, i, 1));
            high = fmax(high, aw_table_cell(&state->samples, i, 1));
        }
        if (high - low < joint->tolerance.min_motion && range > joint->tolerance.tolerance)
            return aw_fail(&p->session->err, AW_REFUSED,
                           "%s did not move, but its setpoints moved by %.3g%s%s — check that it "
                           "is powered, enabled and free",
                           state->name, range, unit ? " " : "", unit ? unit : "");
    }
    return AW_OK;
}

static bool seems_silent(const struct aw_play *p)
{
    double now_s = (double)aw_joints_now(p->session) / 1e9;
    bool silent = false;
    for (size_t k = 0; k < p->n; k++) {
        const struct aw_motion *monitor = &p->joints[k].monitor;
        silent = silent || now_s - monitor->last.last_s > monitor->config.silence_s;
    }
    return silent;
}

static enum aw_status attend(struct aw_play *p, int64_t until)
{
    struct aw_session *session = p->session;
    enum aw_status status = AW_OK;
    if (session->tool->motion.joints->traits.confirms)
        on_report(p, &p->list); /* the device only confirms, so a confirmation counts as a report */
    do {
        status = aw_joints_attend_until(session, &p->list, until, on_report, p);
        /* This program may have been suspended: queued messages end the apparent silence. */
        if (status == AW_OK && seems_silent(p))
            status = aw_joints_attend_until(session, &p->list, aw_joints_now(session) + LATE_NS,
                                            on_report, p);
    } while (status == AW_OK && check_joints(p) == AW_OK && aw_joints_now(session) < until);
    return status == AW_OK ? check_joints(p) : status;
}

/* ---- Streaming ---- */

static enum aw_status send_setpoints(struct aw_play *p, double t_s, int64_t show_ns)
{
    struct aw_joint_goal goals[AW_PLAY_JOINTS];
    struct aw_joint_command command = {.kind = AW_JOINT_TARGETS,
                                       .goals = goals,
                                       .n = p->n,
                                       .seconds = p->time.period_s,
                                       .is_stream = true,
                                       .show_ns = show_ns};
    fill_path_goals(p, t_s, goals);
    for (size_t k = 0; k < p->n; k++) {
        struct aw_play_joint *state = &p->joints[k];
        state->target = goals[k].value;
        state->low = fmin(state->low, state->target);
        state->high = fmax(state->high, state->target);
    }
    p->n_sent++;
    return aw_joints_send_unchecked(p->session, &p->list, &command);
}

/* Streams the path once, or repeatedly if it is closed. A device that interpolates receives the
 * position of the next period. */
static enum aw_status stream_path(struct aw_play *p, bool is_repeat)
{
    struct aw_session *session = p->session;
    double length_s = get_path_seconds(p);
    int64_t period_ns = (int64_t)(p->time.period_s * 1e9);
    bool timed = session->tool->motion.joints->traits.interpolates, last = false;
    enum aw_status status = AW_OK;
    p->time.at_s = 0;
    p->time.due_ns = aw_joints_now(session);
    if (!p->time.end_ns)
        p->time.end_ns = session->options.run.for_s > 0
                             ? aw_time_after(p->time.due_ns, session->options.run.for_s)
                             : AW_NEVER;
    while (status == AW_OK && !last) {
        int64_t now = aw_joints_now(session);
        aw_samples_add(&p->late_ms, (double)(now - p->time.due_ns) / 1e6);
        p->time.due_ns = now - p->time.due_ns > GAP_NS ? now : p->time.due_ns;
        double passes = aw_tempo_step(&p->tempo, p->time.period_s), ahead = timed ? passes : 0;
        last = p->time.at_s + ahead >= length_s - 1e-9;
        if (last && is_repeat && length_s > 0) {
            p->time.at_s = fmod(p->time.at_s + ahead, length_s) - ahead;
            p->time.rounds_s += length_s;
            last = false;
        }
        last = last || p->time.due_ns + period_ns >= p->time.end_ns;
        status = send_setpoints(p, fmax(0, p->time.at_s + ahead), AW_NO_TIME);
        aw_session_show_progress(session, "play %.0f of %.0f s at %.0f %%%s", p->time.at_s,
                                 length_s, 100 * p->tempo.speed, p->tempo.typed_text);
        if (status == AW_OK && !(last && timed))
            status = attend(p, p->time.due_ns + period_ns);
        p->time.at_s += passes;
        p->time.due_ns += period_ns;
    }
    return status;
}

/* Moves to the first point and along the path, and waits for the end. is_first: nothing has moved
 * yet. is_repeat: streams the path repeatedly. */
static enum aw_status play_once(struct aw_play *p, bool is_first, bool is_repeat)
{
    struct aw_session *session = p->session;
    const struct aw_joints *joints = session->tool->motion.joints;
    struct aw_joint_goal goals[AW_PLAY_JOINTS];
    fill_path_goals(p, 0, goals);
    enum aw_status status = aw_joints_read_new(session, &p->list);
    if (status == AW_OK && is_first)
        status = aw_start_check(session, &p->list, goals, p->n);
    if (status == AW_OK)
        status = aw_start_approach(session, &p->list, goals, p->n);
    if (status != AW_OK)
        return status;
    for (size_t k = 0; k < p->n; k++) {
        struct aw_play_joint *state = &p->joints[k];
        aw_joint_start_monitor(session, get_joint(p, k), state->max_deviation, &state->monitor);
        state->monitor.config.action = "ended"; /* the stop is reported once it is confirmed */
        state->target = state->low = state->high = goals[k].value;
        state->behind_ns = 0;
    }
    aw_session_start_motion(session);
    status = stream_path(p, is_repeat);
    if (status != AW_OK || !(joints->run.await || session->tool->motion.steer_gain > 0))
        return status;
    struct aw_joint_command command = {.kind = AW_JOINT_TARGETS, .goals = goals, .n = p->n};
    for (size_t k = 0; k < p->n; k++)
        goals[k].value = p->joints[k].target;
    return aw_joints_await(session, &p->list, &command, NAN,
                           aw_time_after(aw_clock_now(session->clock), ARRIVAL_WAIT_S));
}

/* Prints the setpoints of one pass. */
static enum aw_status print_setpoints(struct aw_play *p)
{
    const struct aw_joints *joints = p->session->tool->motion.joints;
    double length_s = get_path_seconds(p), passes = p->start_speed * p->time.period_s;
    double ahead = joints->traits.interpolates ? passes : 0, at_s = 0;
    enum aw_status status = AW_OK;
    aw_session_print_notice(p->session, "%zu points, %.3f s: within limits", p->path.n,
                            length_s / p->start_speed);
    aw_session_print_notice(
        p->session,
        "setpoints after the approach to the first point, which depends on the joint positions:");
    for (int64_t tick = 0; status == AW_OK; tick++) {
        at_s = (double)tick * passes + ahead;
        status = send_setpoints(p, fmin(at_s, length_s),
                                (int64_t)llround((double)tick * p->time.period_s * 1e9));
        if (at_s >= length_s - 1e-9)
            break;
    }
    return status;
}

static enum aw_status play(struct aw_play *p, bool closed)
{
    struct aw_session *session = p->session;
    bool repeats = session->options.move.loop, is_first = true;
    enum aw_status status = AW_OK;
    aw_tempo_begin(&p->tempo, session, p->start_speed, p->max_speed);
    do {
        status = play_once(p, is_first, repeats && closed);
        p->time.rounds_s += get_path_seconds(p);
        is_first = false;
    } while (status == AW_OK && repeats && aw_joints_now(session) < p->time.end_ns);
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

static double get_rms_error(const struct aw_play *p, size_t k, double lag_s)
{
    const struct aw_table *samples = &p->joints[k].samples;
    double length_s = get_path_seconds(p), sum = 0, positions[AW_PLAY_JOINTS];
    size_t n = 0;
    for (size_t i = 0; i < samples->n_rows; i++) {
        double t = aw_table_cell(samples, i, 0) - lag_s * p->start_speed;
        if (t < 0)
            continue;
        if (p->session->options.move.loop && length_s > 0)
            t = fmod(t, length_s);
        aw_path_evaluate(&p->path, p->path.t_s[0] + t, positions, NULL);
        double error = aw_table_cell(samples, i, 1) - positions[k];
        sum += error * error;
        n++;
    }
    return n ? sqrt(sum / (double)n) : NAN;
}

/* Returns the time shift of the file that best fits the measurement, s. */
static double find_lag(const struct aw_play *p, size_t k)
{
    double min_rms = INFINITY, best = NAN;
    for (double lag = 0; lag <= MAX_LAG_S; lag += LAG_STEP) {
        double rms = get_rms_error(p, k, lag);
        if (rms < min_rms) {
            min_rms = rms;
            best = lag;
        }
    }
    return best;
}

static void report_joints(struct aw_play *p)
{
    struct aw_object *result = &p->session->result;
    struct aw_stats late = aw_samples_stats(&p->late_ms);
    aw_object_add_stats_ms(result, "late", &late);
    for (size_t k = 0; k < p->n; k++) {
        char key[sizeof result->entries->key];
        snprintf(key, sizeof key, "%.40s.lag_ms", p->joints[k].name);
        aw_object_add_number(result, key, 1000 * find_lag(p, k), 0, "ms");
        snprintf(key, sizeof key, "%.40s.rms", p->joints[k].name);
        aw_object_add_number(result, key, get_rms_error(p, k, 0), 3,
                             get_joint(p, k)->unit[AW_JOINT_ACTUAL]);
    }
}

static void report_result(struct aw_play *p)
{
    struct aw_session *session = p->session;
    const struct aw_joints *joints = session->tool->motion.joints;
    struct aw_object *result = &session->result;
    aw_object_start(result, "play");
    aw_object_add_count(result, "points", p->path.n);
    aw_object_add_count(result, "joints", p->n);
    aw_object_add_number(result, "duration", get_path_seconds(p), 3, "s");
    aw_object_add_count(result, "sent", p->n_sent);
    if (get_joint(p, 0)->mode)
        aw_object_add_text(result, "controller", get_joint(p, 0)->mode);
    if (joints->run.report)
        joints->run.report(session, &p->list, NULL, AW_OK, true);
    report_joints(p);
    aw_object_group(result);
}

/* Checks and plays the path; with --dry-run prints it. */
static enum aw_status check_and_play(struct aw_play *p)
{
    bool closed;
    enum aw_status status = begin(p);
    if (status == AW_OK)
        status = check_loop(p, &closed);
    if (status != AW_OK)
        return status;
    if (p->session->options.run.dry_run)
        return print_setpoints(p);
    status = play(p, closed);
    report_result(p);
    return status;
}

static enum aw_status load_file(struct aw_play *p, const char *file)
{
    struct aw_session *session = p->session;
    const struct aw_joints *joints = session->tool->motion.joints;
    bool blind = joints->traits.reports_joints && session->options.run.dry_run;
    enum aw_status status = AW_OK;
    if (aw_play_given(session)->quintic && aw_play_given(session)->cubic)
        return aw_fail(&session->err, AW_USAGE,
                       "play: both --cubic and --quintic given — remove one");
    p->list.columns = joints->columns;
    if (!blind)
        status =
            (joints->traits.reports_joints ? aw_joints_begin : aw_joints_list)(session, &p->list);
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
    p->start_speed = p->max_speed = 1;
    p->rate_hz = session->options.move.rate > 0 ? session->options.move.rate : DEFAULT_HZ;
    enum aw_status status = load_file(p, aw_arg(args, "file", 0));
    if (status == AW_OK)
        status = check_and_play(p);
    free_play(p);
    free(p);
    return status;
}

/* clang-format off */
const struct aw_command aw_play_command = {
    AW_PLAY_ROW("CSV with the columns t (s) and joints", AW_PLAY_OPTIONS),
    .summary = "play a file of setpoints", .streams = true, .run = aw_run_play,
    .details = "Checks the whole file first. The joints must be near the first point (--max-jump), "
        "or move there first (--approach)."};
/* clang-format on */
