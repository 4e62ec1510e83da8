/* canpid play: setpoints of up to six joints from a file, paced, with the lag of each at the end.
 */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "capture/times.h"
#include "control/motion.h"
#include "control/trajectory.h"
#include "joint.h"

#define JOINTS      6
#define USUAL_HZ    50.0
#define LONGEST_LAG 1.0 /* s */
#define LAG_STEP    0.005

struct joint {
    unsigned board;
    int column;
    struct aw_table samples; /* t since the start, measured in the unit */
    struct canpid_guard guard;
    double lag_s, rms;
};

struct player {
    struct aw_session *session;
    int controller;
    double scale; /* normalised 1 in the unit */
    size_t n;
    struct joint joints[JOINTS];
    struct aw_path path;
    int64_t start_ns;
    uint64_t sent;
    double max_deviation; /* normalised */
};

static const char *const sample_columns[] = {"t", "measured"};

/* ---- Reading and checking ----------------------------------------------------------------------
 */

/* The columns: the time, and joints; of these the wanted ones, or all. */
static enum aw_status find_joints(struct player *p, struct aw_table *table, uint64_t wanted, int *t)
{
    struct aw_session *session = p->session;
    size_t zeros = aw_table_cut_zeros(table);
    enum aw_status status = aw_table_time(table, t, &session->err);
    if (zeros)
        aw_session_notice(session, "left out the rows of zeros at the end, from line %zu", zeros);
    for (size_t c = 0; c < table->n_columns && status == AW_OK; c++) {
        int board = aw_canpid_board_find(&session->wire->variant, table->names[c]);
        if ((int)c == *t)
            continue;
        if (board < 0) {
            aw_fail(&session->err, AW_MALFORMED,
                    "column '%s' is no board — use t and lhip, lknee, lankle, rhip, rknee, rankle",
                    table->names[c]);
            return aw_table_fail_in(&session->err, table, AW_TABLE_HEADER);
        }
        if (wanted && !(wanted & AW_CANPID_BIT(board)))
            continue;
        if (p->n == JOINTS)
            return aw_fail(&session->err, AW_LIMIT, "play: more than %d joints", JOINTS);
        status = aw_table_numbers(table, (int)c, &session->err);
        p->joints[p->n++] = (struct joint){.board = (unsigned)board, .column = (int)c};
    }
    if (status == AW_OK && p->n == 0) {
        aw_fail(&session->err, AW_MALFORMED, "there is no column for a joint");
        return aw_table_fail_in(&session->err, table, AW_TABLE_HEADER);
    }
    return status;
}

static enum aw_status make_path(struct player *p, const struct aw_table *table, int t)
{
    size_t n = table->n_rows;
    double *times = calloc(n + 1, sizeof *times), *points = calloc(n * p->n + 1, sizeof *points);
    enum aw_status status = times && points ? AW_OK : aw_no_memory(&p->session->err);
    for (size_t i = 0; i < n && status == AW_OK; i++) {
        times[i] = aw_table_cell(table, i, t);
        for (size_t k = 0; k < p->n; k++)
            points[i * p->n + k] = aw_table_cell(table, i, p->joints[k].column);
    }
    if (status == AW_OK)
        status =
            aw_path_init(&p->path, aw_flag(p->session, "cubic") ? AW_PATH_CUBIC : AW_PATH_LINEAR,
                         times, points, n, p->n, &p->session->err);
    free(times);
    free(points);
    return status;
}

static const char *name_of(struct player *p, const struct joint *joint)
{
    struct canpid_state *state = p->session->state;
    return aw_canpid_board_name(&p->session->wire->variant, joint->board, state->name);
}

/* All of it, between the points too, before the first frame. */
static enum aw_status check_path(struct player *p, const struct aw_table *table)
{
    struct aw_session *session = p->session;
    enum aw_status status = AW_OK;
    double most = aw_canpid_setpoint_limit(p->controller) * p->scale;
    double fastest = aw_option_number(session, "max-speed");
    const char *unit = aw_canpid_unit(p->controller);
    for (size_t i = 0; (i + 1 < p->path.n || i == 0) && status == AW_OK; i++)
        for (size_t k = 0; k < p->n && status == AW_OK; k++) {
            struct aw_path_extremes x = aw_path_extremes(&p->path, i, k);
            const char *name = name_of(p, &p->joints[k]);
            if (x.low < -most || x.high > most)
                status = aw_fail(&session->err, AW_LIMIT, "%s: %.6g %s at %.6g s is beyond ±%g %s",
                                 name, x.low < -most ? x.low : x.high, unit,
                                 x.low < -most ? x.low_t_s : x.high_t_s, most, unit);
            else if (x.speed > fastest)
                status =
                    aw_fail(&session->err, AW_LIMIT,
                            "%s: %.4g %s/s at %.6g s is faster than %g — give it more time, or "
                            "raise --max-speed",
                            name, x.speed, unit, x.speed_t_s, fastest);
            if (status != AW_OK)
                aw_table_fail_in(&session->err, table, i + 1 < p->path.n ? i + 1 : i);
        }
    return status;
}

/* From its end back to its beginning there is no path. */
static enum aw_status check_loop(struct player *p)
{
    struct aw_session *session = p->session;
    double first[JOINTS], last[JOINTS], near = aw_option_number(session, "near");
    const char *unit = aw_canpid_unit(p->controller);
    aw_path_at(&p->path, p->path.t_s[0], first, NULL);
    aw_path_at(&p->path, p->path.t_s[p->path.n - 1], last, NULL);
    for (size_t k = 0; k < p->n && aw_flag(session, "loop"); k++)
        if (fabs(last[k] - first[k]) > near)
            return aw_fail(&session->err, AW_LIMIT,
                           "%s: the file ends at %.4g %s and begins at %.4g: --loop would jump — "
                           "let it end where it begins, or raise --near",
                           name_of(p, &p->joints[k]), last[k], unit, first[k]);
    return AW_OK;
}

static enum aw_status load(struct player *p, const char *path)
{
    struct aw_session *session = p->session;
    struct aw_table table = {0};
    uint64_t wanted = 0;
    int t;
    enum aw_status status = aw_flag(session, "board") ? canpid_boards(session, &wanted) : AW_OK;
    if (status == AW_OK)
        status = aw_table_read(NULL, path, &table, &session->err);
    if (status == AW_OK)
        status = find_joints(p, &table, wanted, &t);
    if (status == AW_OK)
        status = make_path(p, &table, t);
    if (status == AW_OK)
        status = check_path(p, &table);
    if (status == AW_OK)
        status = check_loop(p);
    aw_table_free(&table);
    return status;
}

/* The first point must be where the joint stands, or it would jump there. */
static enum aw_status check_start(struct player *p)
{
    struct aw_session *session = p->session;
    double first[JOINTS], near = aw_option_number(session, "near");
    const char *unit = aw_canpid_unit(p->controller);
    aw_path_at(&p->path, p->path.t_s[0], first, NULL);
    for (size_t k = 0; k < p->n; k++) {
        enum aw_status status = canpid_telemetry(session, p->joints[k].board);
        if (status != AW_OK)
            return status;
        const struct aw_canpid_board *board =
            aw_canpid_board(canpid_of(session), p->joints[k].board);
        double measured = aw_canpid_from_percent(p->controller, board->measured);
        if (fabs(measured - first[k]) > near)
            return aw_fail(&session->err, AW_LIMIT,
                           "%s: it stands at %.4g %s, and the file begins at %.4g — drive it there "
                           "first (setpoint), or raise --near",
                           name_of(p, &p->joints[k]), measured, unit, first[k]);
    }
    return AW_OK;
}

/* ---- Playing -----------------------------------------------------------------------------------
 */

static double now_s(const struct player *p)
{
    return (double)(aw_clock_now(p->session->clock) - p->start_ns) / 1e9;
}

static bool on_frame(void *context, const struct aw_received *received)
{
    struct player *p = context;
    struct aw_canpid *client = canpid_of(p->session);
    const struct aw_record *record = received->record;
    bool fine = true;
    for (size_t k = 0; record && k < p->n; k++) {
        struct joint *joint = &p->joints[k];
        fine = canpid_guard_see(&joint->guard, client, record, now_s(p)) && fine;
        if (record->codec != client->codecs[AW_CANPID_PID] ||
            aw_record_get(record, "board") != joint->board)
            continue;
        const struct aw_canpid_board *board = aw_canpid_board(client, joint->board);
        double row[] = {now_s(p), aw_canpid_from_percent(p->controller, board->measured)};
        aw_table_add(&joint->samples, row, NULL);
    }
    return fine;
}

/* Of all joints; one that must not go on ends the motion of all. */
static enum aw_status judge(struct player *p, enum aw_status status)
{
    for (size_t k = 0; k < p->n && status == AW_OK; k++)
        if (aw_motion_wait(&p->joints[k].guard.motion, now_s(p)) != AW_MOTION_FINE)
            return aw_motion_fail(&p->joints[k].guard.motion, name_of(p, &p->joints[k]),
                                  aw_canpid_unit(p->controller), &p->session->err);
    return status;
}

/* Where the file is at this moment, to each joint that may be sent to; the others get the next one.
 */
static enum aw_status send_all(struct player *p, double t_s)
{
    struct aw_session *session = p->session;
    struct canpid_state *state = session->state;
    double at[JOINTS];
    enum aw_status status = AW_OK;
    aw_path_at(&p->path, p->path.t_s[0] + t_s, at, NULL);
    for (size_t k = 0; k < p->n && status == AW_OK; k++) {
        unsigned board = p->joints[k].board;
        if (aw_canpid_paced_ns(canpid_of(session), board) > aw_clock_now(session->clock))
            continue;
        state->driven |= AW_CANPID_BIT(board);
        p->joints[k].guard.target = at[k];
        p->joints[k].guard.commanded = at[k] / p->scale;
        status = aw_canpid_setpoint(canpid_of(session), board, p->controller, at[k] / p->scale,
                                    NULL, &session->err);
        p->sent += status == AW_OK;
    }
    return status;
}

static double length_of(const struct player *p)
{
    return p->path.t_s[p->path.n - 1] - p->path.t_s[0];
}

static double period_of(const struct player *p)
{
    return 1 / (aw_flag(p->session, "rate") ? aw_option_number(p->session, "rate") : USUAL_HZ);
}

/* Is it over with what is sent at this time? */
static bool is_last(const struct player *p, double t_s, bool loop)
{
    return (!loop && t_s >= length_of(p)) ||
           (aw_flag(p->session, "for") && t_s >= aw_option_number(p->session, "for"));
}

/* What would be sent, at the pace of a board that reports nothing else: once through the file. */
static enum aw_status show_frames(struct player *p)
{
    struct aw_session *session = p->session;
    double at[JOINTS], period_s = period_of(p), t_s = 0, sent_s = -INFINITY;
    bool last = false;
    enum aw_status status = canpid_ready_to_make(session);
    for (int64_t tick = 0; status == AW_OK && !last; tick++) {
        t_s = (double)tick * period_s;
        last = is_last(p, t_s, false);
        if (t_s - sent_s < (double)AW_CANPID_PACE_NS / 1e9 - 1e-9)
            continue;
        sent_s = t_s;
        aw_path_at(&p->path, p->path.t_s[0] + fmin(t_s, length_of(p)), at, NULL);
        for (size_t k = 0; k < p->n && status == AW_OK; k++) {
            struct aw_record command;
            struct aw_canpid_sent sent;
            aw_canpid_setpoint_record(session->wire, p->joints[k].board, p->controller,
                                      at[k] / p->scale, &command);
            command.time_ns = (int64_t)llround(t_s * 1e9);
            status = aw_canpid_encode(canpid_of(session), &command, &sent, &session->err);
            if (status == AW_OK)
                status =
                    aw_session_dry_run(session, &command, (struct aw_span){sent.bytes, sent.size});
        }
    }
    return status;
}

static enum aw_status stream(struct player *p)
{
    struct aw_session *session = p->session;
    double length_s = length_of(p), period_s = period_of(p);
    bool loop = aw_flag(session, "loop"), last = false;
    enum aw_status status = AW_OK;
    p->start_ns = aw_clock_now(session->clock);
    for (size_t k = 0; k < p->n; k++)
        canpid_guard_start(&p->joints[k].guard, p->joints[k].board, p->controller, p->max_deviation,
                           0);
    aw_session_moves(session);
    for (int64_t tick = 0; status == AW_OK && !last; tick++) {
        double t_s = (double)tick * period_s;
        last = is_last(p, t_s, loop);
        double at_s = loop && length_s > 0 ? fmod(t_s, length_s) : fmin(t_s, length_s);
        status = send_all(p, at_s);
        if (status == AW_OK)
            status =
                aw_canpid_idle(canpid_of(session), p->start_ns + (int64_t)((t_s + period_s) * 1e9),
                               on_frame, p, &session->err);
        status = judge(p, status);
    }
    return status;
}

/* ---- What came of it ---------------------------------------------------------------------------
 */

static double distance(const struct player *p, size_t k, double lag_s)
{
    const struct aw_table *samples = &p->joints[k].samples;
    double length_s = p->path.t_s[p->path.n - 1] - p->path.t_s[0], sum = 0, at[JOINTS];
    size_t n = 0;
    for (size_t i = 0; i < samples->n_rows; i++) {
        double t = aw_table_cell(samples, i, 0) - lag_s;
        if (t < 0)
            continue;
        if (aw_flag(p->session, "loop") && length_s > 0)
            t = fmod(t, length_s);
        aw_path_at(&p->path, p->path.t_s[0] + t, at, NULL);
        double away = aw_table_cell(samples, i, 1) - at[k];
        sum += away * away;
        n++;
    }
    return n ? sqrt(sum / (double)n) : NAN;
}

/* The lag by which the file, moved, is nearest to what was measured; and how far apart they are. */
static void measure(struct player *p)
{
    for (size_t k = 0; k < p->n; k++) {
        double least = INFINITY;
        for (double lag = 0; lag <= LONGEST_LAG; lag += LAG_STEP) {
            double rms = distance(p, k, lag);
            if (rms < least) {
                least = rms;
                p->joints[k].lag_s = lag;
            }
        }
        p->joints[k].rms = distance(p, k, 0);
    }
}

static enum aw_status play(struct player *p)
{
    struct aw_session *session = p->session;
    enum aw_status status = canpid_ready(session);
    if (status == AW_OK)
        status = check_start(p);
    if (status != AW_OK)
        return status;
    status = stream(p);
    if (status == AW_STOPPED)
        return status;
    status = canpid_end_motion(session, status);
    measure(p);
    struct aw_object *result = &p->session->result;
    aw_object_start(result, "play");
    aw_object_text(result, "controller", aw_canpid_controller_name(p->controller));
    aw_object_count(result, "points", p->path.n);
    aw_object_count(result, "joints", p->n);
    aw_object_count(result, "sent", p->sent);
    for (size_t k = 0; k < p->n; k++) {
        char key[48];
        snprintf(key, sizeof key, "%s.lag_ms", name_of(p, &p->joints[k]));
        aw_object_number(result, key, p->joints[k].lag_s * 1000, 0, "ms");
        snprintf(key, sizeof key, "%s.rms", name_of(p, &p->joints[k]));
        aw_object_number(result, key, p->joints[k].rms, 3, aw_canpid_unit(p->controller));
    }
    return status;
}

enum aw_status run_play(struct aw_session *session, const struct aw_args *args)
{
    struct player p = {.session = session};
    enum aw_status status = canpid_controller(session, true, &p.controller);
    if (status == AW_OK) {
        p.scale = aw_canpid_full_scale(p.controller);
        status = canpid_max_deviation(session, p.controller, NULL, &p.max_deviation);
    }
    if (status == AW_OK)
        status = load(&p, aw_arg(args, "file", 0));
    for (size_t k = 0; k < p.n && status == AW_OK; k++)
        status = aw_table_init(&p.joints[k].samples, sample_columns, 2, &session->err);
    bool dry = aw_flag(session, "dry-run");
    if (status == AW_OK && dry)
        aw_session_notice(session, "%zu points for %zu joints, %.3f s: within limits", p.path.n,
                          p.n, length_of(&p));
    if (status == AW_OK)
        status = dry ? show_frames(&p) : play(&p);
    for (size_t k = 0; k < p.n; k++)
        aw_table_free(&p.joints[k].samples);
    aw_path_free(&p.path);
    return status;
}
