/* follow: joint trajectories from a file. */
#include "protocol/ezphys/follow.h"

#include <errno.h>
#include <math.h>
#include <string.h>

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
    aw_object_number(o, "rows", (double)f->path.table.n_rows, 0, NULL);
    aw_object_number(o, "joints", (double)f->path.n, 0, NULL);
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
    if (status == AW_OK)
        status = ez_exchange(session);
    return status == AW_OK ? aw_ezphys_answer(ez, &session->err) : status;
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
    aw_session_moves(session);
    status = ez_go_on(session, f->approach + aw_ezphys_path_seconds(&f->path), each, f);
    if (status == AW_OK) {
        report(f);
        status = hold(f);
    }
    session->moving = status != AW_OK;
    return status;
}

enum aw_status run_follow(struct aw_session *session, const struct aw_args *args)
{
    struct follower f = {.session = session};
    f.gains = (struct aw_ezphys_gains){
        .kp = aw_option_number(session, "kp"),
        .kd = aw_option_number(session, "kd"),
        .max_torque = aw_option_number(session, "max-torque"),
        .max_speed = aw_option_number(session, "max-speed"),
    };
    if (aw_flag(session, "listen-only"))
        return aw_fail(&session->err, AW_USAGE, "--listen-only: nothing is sent with it");
    enum aw_status status =
        aw_ezphys_path_read(&f.path, NULL, aw_arg(args, "file", 0), &session->err);
    if (status != AW_OK)
        return status;
    if (aw_flag(session, "dry-run")) {
        aw_object_start(&session->result, "follow");
        aw_object_number(&session->result, "rows", (double)f.path.table.n_rows, 0, NULL);
        aw_object_number(&session->result, "joints", (double)f.path.n, 0, NULL);
        aw_object_number(&session->result, "seconds", aw_ezphys_path_seconds(&f.path), 3, "s");
    } else {
        status = follow(&f);
    }
    aw_ezphys_path_free(&f.path);
    return status;
}
