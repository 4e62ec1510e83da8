/* canpid play: a file of setpoints of up to six joints, read and checked, for the common player. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "capture/times.h"
#include "joint.h"
#include "shell/commands/play.h"

#define JOINTS   6
#define USUAL_HZ 50.0

struct player {
    struct aw_session *session;
    int controller;
    struct aw_play play;
    int columns[JOINTS]; /* of the joints, in the file */
    double fastest;      /* as limits have it: --max-speed */
};

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
        if (p->play.n == JOINTS)
            return aw_fail(&session->err, AW_LIMIT, "play: more than %d joints", JOINTS);
        status = aw_table_numbers(table, (int)c, &session->err);
        p->columns[p->play.n] = (int)c;
        aw_canpid_board_name(&session->wire->variant, (unsigned)board,
                             p->play.joints[p->play.n++].name);
    }
    if (status == AW_OK && p->play.n == 0) {
        aw_fail(&session->err, AW_MALFORMED, "there is no column for a joint");
        return aw_table_fail_in(&session->err, table, AW_TABLE_HEADER);
    }
    return status;
}

static enum aw_status make_path(struct player *p, const struct aw_table *table, int t)
{
    size_t n = table->n_rows, joints = p->play.n;
    double *times = calloc(n + 1, sizeof *times), *points = calloc(n * joints + 1, sizeof *points);
    enum aw_status status = times && points ? AW_OK : aw_no_memory(&p->session->err);
    for (size_t i = 0; i < n && status == AW_OK; i++) {
        times[i] = aw_table_cell(table, i, t);
        for (size_t k = 0; k < joints; k++)
            points[i * joints + k] = aw_table_cell(table, i, p->columns[k]);
    }
    if (status == AW_OK)
        status = aw_path_init(&p->play.path,
                              aw_flag(p->session, "cubic") ? AW_PATH_CUBIC : AW_PATH_LINEAR, times,
                              points, n, joints, &p->session->err);
    free(times);
    free(points);
    return status;
}

/* How far beyond its limits of speed the fastest joint would be: 1 is just within. */
static double need_of(const struct player *p)
{
    double need = 0;
    for (size_t i = 0; i + 1 < p->play.path.n; i++)
        for (size_t k = 0; k < p->play.n; k++)
            need = fmax(need, aw_path_extremes(&p->play.path, i, k).speed / p->fastest);
    return need;
}

/* All of it, between the points too, before the first frame. */
static enum aw_status check_path(struct player *p, const struct aw_table *table)
{
    struct aw_session *session = p->session;
    struct aw_play *play = &p->play;
    enum aw_status status = AW_OK;
    double most = aw_canpid_setpoint_limit(p->controller) * aw_canpid_full_scale(p->controller);
    double need = need_of(p) * play->speed;
    const char *unit = aw_canpid_unit(p->controller);
    char advice[64];
    for (size_t i = 0; (i + 1 < play->path.n || i == 0) && status == AW_OK; i++)
        for (size_t k = 0; k < play->n && status == AW_OK; k++) {
            struct aw_path_extremes x = aw_path_extremes(&play->path, i, k);
            const char *name = play->joints[k].name;
            if (x.low < -most || x.high > most)
                status = aw_fail(&session->err, AW_LIMIT, "%s: %.6g %s at %.6g s is beyond ±%g %s",
                                 name, x.low < -most ? x.low : x.high, unit,
                                 x.low < -most ? x.low_t_s : x.high_t_s, most, unit);
            else if (x.speed * play->speed > p->fastest)
                status = aw_fail(&session->err, AW_LIMIT,
                                 "%s: %.4g %s/s at %.6g s is faster than --max-speed %g — %s", name,
                                 x.speed * play->speed, unit, x.speed_t_s, p->fastest,
                                 aw_tempo_advice(need / play->speed, advice));
            if (status != AW_OK)
                aw_table_fail_in(&session->err, table, i + 1 < play->path.n ? i + 1 : i);
        }
    return status;
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
        status = aw_tempo_choose(session, need_of(p), &p->play.speed);
    if (status == AW_OK)
        status = check_path(p, &table);
    aw_table_free(&table);
    return status;
}

static void report(struct player *p)
{
    struct canpid_state *state = p->session->state;
    struct aw_object *result = &p->session->result;
    aw_object_start(result, "play");
    aw_object_text(result, "controller", aw_canpid_controller_name(p->controller));
    aw_object_count(result, "points", p->play.path.n);
    aw_object_count(result, "joints", p->play.n);
    aw_object_count(result, "sent", state->setpoints);
    aw_play_report(&p->play);
}

enum aw_status run_play(struct aw_session *session, const struct aw_args *args)
{
    struct canpid_state *state = session->state;
    struct player p = {.session = session, .play = {.session = session}};
    double far = NAN;
    p.play.hz = aw_flag(session, "rate") ? aw_option_number(session, "rate") : USUAL_HZ;
    p.fastest = aw_option_number(session, "max-speed");
    enum aw_status status = canpid_controller(session, true, &p.controller);
    if (status == AW_OK)
        status = canpid_max_deviation(session, p.controller, NULL, &far);
    if (status == AW_OK)
        status = load(&p, aw_arg(args, "file", 0));
    for (size_t k = 0; k < p.play.n && status == AW_OK; k++)
        p.play.joints[k].far = far * aw_canpid_full_scale(p.controller);
    state->setpoints = 0;
    if (status == AW_OK) {
        p.play.most = 1 / need_of(&p);
        status = aw_play_run(&p.play);
        if (!aw_flag(session, "dry-run") && status != AW_STOPPED)
            report(&p);
    }
    aw_play_free(&p.play);
    return status;
}
