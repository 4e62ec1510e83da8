/* follow and jog: joint trajectories from a file, and one that takes an axis on by so much. */
#include "protocol/ezphys/follow.h"

#include <ctype.h>
#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "base/number.h"
#include "shell/commands/common.h"
#include "shell/commands/jog.h"
#include "shell/core/dry.h"
#include "state.h"

struct follower {
    struct aw_session *session;
    struct aw_ezphys_path path;
    struct aw_ezphys_gains gains;
    double approach; /* s, before the first row */
};

static enum aw_status each(struct aw_session *session, void *context, double time)
{
    struct follower *f = context;
    return aw_ezphys_path_drive(&f->path, ez_of(session), time - f->approach, f->approach,
                                &f->gains, &session->err);
}

static void report(struct follower *f)
{
    struct aw_object *o = &f->session->result;
    double rms = 0, worst = 0;
    size_t at = 0;
    for (size_t i = 0; i < f->path.n; i++) {
        rms = fmax(rms, aw_ezphys_track_rms(&f->path, i));
        at = f->path.tracks[i].worst > worst ? i : at;
        worst = fmax(worst, f->path.tracks[i].worst);
    }
    struct ez_state *state = ez_state(f->session);
    memcpy(state->text[0], f->path.tracks[at].joint, sizeof f->path.tracks[at].joint);
    aw_object_start(o, "follow");
    aw_object_count(o, "rows", f->path.table.n_rows);
    aw_object_count(o, "joints", f->path.n);
    aw_object_number(o, "approach", f->approach, 3, "s");
    aw_object_number(o, "rms_error", rms, 6, NULL);
    aw_object_number(o, "max_error", worst, 6, NULL);
    aw_object_text(o, "worst", state->text[0]);
    ez_report_time(f->session);
}

/* At the end the joints are held where they are. */
static enum aw_status hold(struct follower *f)
{
    struct aw_session *session = f->session;
    struct aw_ezphys *ez = ez_of(session);
    enum aw_status status = AW_OK;
    for (size_t i = 0; i < ez->n_commands && status == AW_OK; i++) {
        struct aw_ezphys_motor motor = ez->commands[i].values;
        memset(motor.velocity, 0, sizeof motor.velocity);
        if (aw_flag(session, "coast"))
            memset(motor.max_torque, 0, sizeof motor.max_torque);
        status = aw_ezphys_motor(ez, &ez->commands[i].target, &motor, &session->err);
    }
    return status == AW_OK ? ez_exchange(session) : status;
}

static enum aw_status follow(struct follower *f)
{
    struct aw_session *session = f->session;
    enum aw_status status = ez_begin(session);
    if (status == AW_OK)
        status = aw_ezphys_path_bind(&f->path, ez_of(session), &f->gains, aw_flag(session, "force"),
                                     &session->err);
    if (status != AW_OK)
        return status;
    f->approach = aw_ezphys_path_approach(&f->path, &f->gains);
    double seconds = f->approach + aw_ezphys_path_seconds(&f->path);
    if (aw_flag(session, "for"))
        seconds = fmin(seconds, aw_option_number(session, "for"));
    aw_session_moves(session);
    status = ez_go_on(session, seconds, each, f);
    if (status == AW_OK) {
        report(f);
        status = hold(f);
    }
    session->motion.moving = status != AW_OK;
    return status;
}

/* What is said of a leader means nothing where a file of trajectories is followed. */
static enum aw_status check_alone(struct aw_session *session, const struct aw_args *args)
{
    static const char *const of_leaders[] = {"relative", "smooth",   "speed",  "fit",
                                             "max-jump", "approach", "max-lag"};
    if (!aw_arg(args, "file", 0))
        return aw_fail(&session->err, AW_USAGE,
                       "follow: what? — a file of trajectories, or --map and a leader");
    for (size_t i = 0; i < sizeof of_leaders / sizeof *of_leaders; i++)
        if (aw_flag(session, of_leaders[i]))
            return aw_fail(&session->err, AW_USAGE, "follow: --%s is for a leader, with --map",
                           of_leaders[i]);
    return AW_OK;
}

enum aw_status run_follow(struct aw_session *session, const struct aw_args *args)
{
    if (aw_flag(session, "map"))
        return aw_run_follow(session, args);
    struct follower f = {.session = session};
    f.gains = (struct aw_ezphys_gains){
        .kp = aw_option_number(session, "kp"),
        .kd = aw_option_number(session, "kd"),
        .max_torque = aw_option_number(session, "max-torque"),
        .max_speed = aw_option_number(session, "max-speed"),
    };
    enum aw_status status = check_alone(session, args);
    if (status == AW_OK)
        status = ez_may_send(session);
    if (status == AW_OK)
        status = aw_ezphys_path_read(&f.path, NULL, aw_arg(args, "file", 0), &session->err);
    if (status != AW_OK)
        return status;
    if (f.path.zeros)
        aw_session_notice(session, "left out the rows of zeros at the end, from line %zu",
                          f.path.zeros);
    if (aw_flag(session, "dry-run")) {
        aw_object_start(&session->result, "follow");
        aw_object_count(&session->result, "rows", f.path.table.n_rows);
        aw_object_count(&session->result, "joints", f.path.n);
        aw_object_number(&session->result, "duration", aw_ezphys_path_seconds(&f.path), 3, "s");
        aw_session_notice(session, "follow: what it would send depends on where the joints are");
    } else {
        status = follow(&f);
    }
    aw_ezphys_path_free(&f.path);
    return status;
}

/* ---- jog ---------------------------------------------------------------------------------------
 */

#define SETTLE_S 0.3 /* at the goal, before it is held there */

/* A trajectory for one axis: by so much, at --speed. */
static enum aw_status make_path(struct follower *f, const char *joint, double change)
{
    char text[256];
    double seconds = fmax(fabs(change) / aw_option_number(f->session, "speed"), 0.05);
    int n = snprintf(text, sizeof text, "t,%.60s\n0,0\n%.9g,%.9g\n%.9g,%.9g\n", joint, seconds,
                     change, seconds + SETTLE_S, change);
    FILE *file = fmemopen(text, (size_t)n, "r");
    if (!file)
        return aw_no_memory(&f->session->err);
    enum aw_status status = aw_ezphys_path_read(&f->path, file, NULL, &f->session->err);
    fclose(file);
    return status;
}

static double where(struct follower *f)
{
    const struct aw_ezphys_track *track = &f->path.tracks[0];
    const struct aw_ezphys_joint *joint =
        aw_ezphys_state_joint(&ez_of(f->session)->state, track->joint);
    return joint ? joint->axes[track->axis].displacement : (double)NAN;
}

static enum aw_status jog_along(struct follower *f, struct aw_jog *jog, double change)
{
    struct aw_session *session = f->session;
    enum aw_status status =
        aw_ezphys_path_bind(&f->path, ez_of(session), &f->gains, false, &session->err);
    if (status != AW_OK)
        return status;
    double goal = f->path.tracks[0].from + change;
    for (size_t row = 0; row < f->path.table.n_rows; row++)
        f->path.table.cells[row * f->path.table.n_columns + (size_t)f->path.column[0]] +=
            f->path.tracks[0].from;
    aw_session_moves(session);
    status = ez_go_on(session, aw_ezphys_path_seconds(&f->path), each, f);
    if (status == AW_OK)
        status = hold(f);
    session->motion.moving = status != AW_OK;
    if (status != AW_OK)
        return status;
    const char *unit = ez_units(session, f->path.tracks[0].joint).displacement;
    double at = where(f), behind = goal - at;
    bool arrived = fabs(behind) <= fmax(0.01, fabs(change) / 20);
    aw_object_start(&session->result, "jog");
    aw_object_text(&session->result, "joint", jog->name);
    aw_object_number(&session->result, "displacement", at, -1, unit);
    aw_object_text(&session->result, "result", arrived ? "arrived" : "not-reached");
    ez_report_time(session);
    return arrived ? AW_OK
                   : aw_fail(&session->err, AW_TIMEOUT,
                             "%s stays %.4g %s behind — is it at its stop? Else a higher "
                             "--max-torque or --kp, or a lower --speed",
                             jog->name, behind, unit);
}

static enum aw_status go(struct aw_jog *jog, double change)
{
    struct aw_session *session = jog->session;
    struct follower f = {.session = session};
    f.gains = (struct aw_ezphys_gains){
        .kp = aw_option_number(session, "kp"),
        .max_torque = aw_option_number(session, "max-torque"),
        .max_speed = 2 * aw_option_number(session, "speed"), /* there, and while it is caught up */
    };
    enum aw_status status = make_path(&f, jog->name, change);
    if (status == AW_OK)
        status = jog_along(&f, jog, change);
    aw_ezphys_path_free(&f.path);
    return status;
}

/* In rad, or in m where it says so. */
static enum aw_status read_amount(struct aw_session *session, const char *text, double *change,
                                  enum aw_ezphys_moves *said)
{
    enum aw_status status = aw_jog_amount(session, text, "rad", change);
    *said = AW_EZPHYS_MOVES_UNKNOWN;
    if (status == AW_USAGE && aw_number_parse_unit(text, "m", change, NULL) == AW_OK) {
        *said = AW_EZPHYS_SLIDES;
        return AW_OK;
    }
    if (status == AW_OK && text && isalpha((unsigned char)text[strlen(text) - 1]))
        *said = AW_EZPHYS_TURNS;
    return status;
}

enum aw_status run_jog(struct aw_session *session, const struct aw_args *args)
{
    struct aw_jog jog = {.session = session,
                         .name = aw_arg(args, "joint", 0),
                         .step = 0.1,
                         .least = 0.01,
                         .most = 1,
                         .go = go};
    double change = NAN;
    enum aw_ezphys_moves said;
    enum aw_status status = read_amount(session, aw_arg(args, "amount", 0), &change, &said);
    if (status == AW_OK)
        status = ez_may_send(session);
    if (status == AW_OK && aw_flag(session, "dry-run"))
        return aw_dry_depends(session, "where the joint is");
    if (status == AW_OK)
        status = ez_begin(session);
    if (status == AW_OK)
        status = ez_check_unit(session, jog.name, said);
    if (status != AW_OK)
        return status;
    jog.unit = ez_units(session, jog.name).displacement;
    const struct aw_ezphys_joint *joint = aw_ezphys_state_joint(&ez_of(session)->state, jog.name);
    jog.value = joint ? joint->axes[0].displacement : 0;
    return isnan(change) ? aw_jog_keys(&jog) : go(&jog, change);
}
