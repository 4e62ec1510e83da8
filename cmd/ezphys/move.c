/* motor, force, reset, stop and advance: commands that change the simulation. Times are simulation
 * times if it sends them. */
#include <ctype.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "base/number.h"
#include "base/utf8.h"
#include "shell/safety/safety.h"
#include "state.h"

/* ---- Time ---- */

/* Returns the simulation time, or the clock if the simulation sends none. */
static double get_time_s(struct aw_session *session)
{
    const struct aw_ezphys_state *state = &ezphys_client(session)->state;
    return state->is_timed ? aw_ezphys_state_time(state)
                           : (double)aw_clock_now(session->clock) / 1e9;
}

enum aw_status ezphys_check_epoch(struct aw_session *session, uint64_t epoch)
{
    return ezphys_client(session)->state.epoch == epoch
               ? AW_OK
               : aw_fail(&session->err, AW_REFUSED,
                         "another program restarted the simulation, which resets motors — repeat "
                         "the command");
}

enum aw_status ezphys_run_for(struct aw_session *session, double seconds, ezphys_step_fn *on_step,
                              void *context)
{
    struct aw_ezphys *ez = ezphys_client(session);
    uint64_t epoch = ez->state.epoch;
    double start = get_time_s(session);
    enum aw_status status = AW_OK;
    /* Half a step less, so that 1 s is 1000 steps of 1 ms despite rounding. */
    double end = seconds - ez->state.step_size / 2;
    while (status == AW_OK && get_time_s(session) - start < end) {
        aw_session_show_progress(session, "%s %.0f s, %.3f of %.9g s simulated",
                                 session->run.command->name, aw_session_seconds(session),
                                 get_time_s(session) - start, seconds);
        if (on_step)
            status = on_step(context);
        if (status == AW_OK)
            status = ezphys_exchange(session);
        if (status == AW_OK)
            status = ezphys_check_epoch(session, epoch);
    }
    return status;
}

/* ---- Reports ---- */

/* Uses the names of records: state.hip.axis2.displacement. */
static void report_axis(struct aw_session *session, const struct aw_ezphys_joint *joint, int i)
{
    struct aw_object *result = &session->result;
    struct aw_ezphys_packet_subject subject = {&joint->object, i + 1, joint->n_axes};
    struct ezphys_units units = ezphys_units(session, joint->object.name);
    char name[AW_EZPHYS_NAME_SIZE + 16], key[sizeof result->entries->key];
    ezphys_write_axis_name(&subject, name, sizeof name);
    aw_utf8_clean(name); /* a name from the wire may be invalid UTF-8 */
    snprintf(key, sizeof key, "state.%s.displacement", name);
    aw_object_add_number(result, key, joint->axes[i].displacement, -1, units.displacement);
    snprintf(key, sizeof key, "state.%s.velocity", name);
    aw_object_add_number(result, key, joint->axes[i].velocity, -1, units.velocity);
}

static void report_state(struct aw_session *session)
{
    const struct aw_ezphys_state *state = &ezphys_client(session)->state;
    size_t n_omitted = 0;
    for (size_t k = 0; k < state->n_joints; k++) {
        size_t axes = (size_t)state->joints[k].n_axes;
        bool fits = session->result.n + 2 * axes <= AW_OBJECT_MAX;
        for (size_t i = 0; fits && i < axes; i++)
            report_axis(session, &state->joints[k], (int)i);
        n_omitted += !fits;
    }
    if (n_omitted)
        aw_session_print_notice(
            session, "--state: result full, %zu joints not shown — use 'status'", n_omitted);
}

void ezphys_report_time(struct aw_session *session)
{
    const struct aw_ezphys_state *state = &ezphys_client(session)->state;
    if (state->is_timed) {
        aw_object_add_number(&session->result, "step", (double)state->step, 0, NULL);
        aw_object_add_number(&session->result, "time", aw_ezphys_state_time(state), 6, "s");
    }
    if (ezphys_given(session)->state)
        report_state(session);
}

static enum aw_status report_joint(struct aw_session *session, const char *name)
{
    static const char *const keys[AW_EZPHYS_AXES][2] = {{"displacement", "velocity"},
                                                        {"displacement2", "velocity2"},
                                                        {"displacement3", "velocity3"}};
    struct ezphys_state *state = ezphys_state(session);
    const struct aw_ezphys_joint *joint = aw_ezphys_state_find_joint(&state->ez.state, name);
    snprintf(state->text[0], sizeof *state->text, "%s", joint ? joint->object.name : name);
    aw_object_add_text(&session->result, "joint", state->text[0]);
    enum aw_status status = AW_OK;
    struct ezphys_units units = ezphys_units(session, state->text[0]);
    for (int i = 0; joint && i < joint->n_axes && i < AW_EZPHYS_AXES; i++) {
        aw_object_add_number(&session->result, keys[i][0], joint->axes[i].displacement, -1,
                             units.displacement);
        aw_object_add_number(&session->result, keys[i][1], joint->axes[i].velocity, -1,
                             units.velocity);
        if (isnan(joint->axes[i].displacement) || isnan(joint->axes[i].velocity))
            status = aw_fail(
                &session->err, AW_MALFORMED,
                "joint '%s': position is not a number — restart the simulation with 'reset'", name);
    }
    return status;
}

/* ---- motor, force ---- */

/* A command to one joint. */
struct drive {
    struct aw_session *session;
    const char *joint; /* the joint as typed */
    struct aw_ezphys_target target;
    struct aw_record record; /* the message on the wire */
    bool is_force;           /* axis_force, not axis_motor */
    int axes;                /* number of the last used axis */
    struct aw_ezphys_motor motor;
    double torque[AW_EZPHYS_AXES];
    enum aw_ezphys_motion given_motion; /* joint kind implied by the unit of a value */
};

/* Reads a value in the wire's unit, or in a slider's unit. */
static enum aw_status read_value(struct drive *d, const struct aw_args *args, const char *name,
                                 double *value)
{
    const char *text = aw_arg(args, name, 0), *slider_unit = *name == 'v' ? "m/s" : "N";
    enum aw_status status = aw_arg_number(d->session, args, name, value);
    if (status == AW_USAGE && aw_number_parse_unit(text, slider_unit, value, NULL) == AW_OK) {
        d->given_motion = AW_EZPHYS_SLIDES;
        return AW_OK;
    }
    if (status == AW_OK && text && isalpha((unsigned char)text[strlen(text) - 1]))
        d->given_motion = AW_EZPHYS_TURNS;
    return status;
}

static enum aw_status read_values(struct drive *d, const struct aw_args *args)
{
    static const char *const names[AW_EZPHYS_AXES][3] = {{"velocity1", "max_torque1", "axis1"},
                                                         {"velocity2", "max_torque2", "axis2"},
                                                         {"velocity3", "max_torque3", "axis3"}};
    struct aw_session *session = d->session;
    enum aw_status status = AW_OK;
    for (int i = 0; i < AW_EZPHYS_AXES && status == AW_OK; i++) {
        double *values[] = {&d->motor.velocity[i], &d->motor.max_torque[i], &d->torque[i]};
        for (int k = d->is_force ? 2 : 0; k < (d->is_force ? 3 : 2) && status == AW_OK; k++) {
            status = read_value(d, args, names[i][k], values[k]);
            if (*values[k] != 0) /* records contain all axes, so 0 means unused */
                d->axes = i + 1;
        }
        if (d->motor.max_torque[i] < 0)
            return aw_fail(&session->err, AW_LIMIT,
                           "%s: %g is below 0 — set the direction with the sign of the velocity",
                           names[i][1], d->motor.max_torque[i]);
    }
    return status;
}

static enum aw_status make_record(struct drive *d)
{
    struct aw_wire *wire = d->session->wire;
    struct aw_error *err = &d->session->err;
    return d->is_force ? aw_ezphys_build_force(wire, &d->target, d->torque, &d->record, err)
                       : aw_ezphys_build_motor(wire, &d->target, &d->motor, &d->record, err);
}

static enum aw_status check_joint(struct drive *d)
{
    struct aw_session *session = d->session;
    const struct aw_ezphys_joint *joint =
        aw_ezphys_state_find_joint(&ezphys_client(session)->state, d->joint);
    if (!joint && !session->options.run.force &&
        aw_ezphys_check_target(ezphys_client(session), &d->target, &session->err) != AW_OK)
        return AW_USAGE;
    if (!joint)
        aw_session_print_notice(session, "joint %s not reported yet — check that Send is on for it",
                                d->joint);
    if (joint && d->axes > joint->n_axes)
        return aw_fail(
            &session->err, AW_USAGE,
            "joint '%s' has %d ax%s, but the command is for %d — give a value for each axis",
            joint->object.name, joint->n_axes, joint->n_axes == 1 ? "is" : "es", d->axes);
    return AW_OK;
}

static enum aw_status add_command(struct drive *d)
{
    struct aw_session *session = d->session;
    return d->is_force
               ? aw_ezphys_force(ezphys_client(session), &d->target, d->torque, &session->err)
               : aw_ezphys_motor(ezphys_client(session), &d->target, &d->motor, &session->err);
}

/* Prints the bytes of the whole message. */
static enum aw_status show_dry_run(struct aw_session *session, const struct aw_record *record)
{
    size_t size = 0;
    enum aw_status status = aw_ezphys_encode(ezphys_client(session), session->device.frame,
                                             AW_FRAME_ROOM, &size, &session->err);
    struct aw_span frame = {session->device.frame, size};
    return status == AW_OK ? aw_session_show_dry_run(session, record, frame) : status;
}

static enum aw_status prepare_drive(struct drive *d, const struct aw_args *args)
{
    struct aw_session *session = d->session;
    d->joint = aw_arg(args, "joint", 0);
    enum aw_status status = read_values(d, args);
    if (status == AW_OK)
        status = ezphys_begin_for_send(session);
    if (status == AW_OK)
        status = ezphys_check_send(session);
    if (status == AW_OK)
        status = aw_ezphys_target(ezphys_client(session), d->joint, &d->target, &session->err);
    if (status == AW_OK)
        status = ezphys_check_unit(session, d->target.name, d->given_motion);
    if (status == AW_OK && !session->options.run.dry_run)
        status = check_joint(d);
    return status == AW_OK ? make_record(d) : status;
}

/* Holds the joint at its position after --for, or switches its motor off (--coast). */
static enum aw_status hold_joint(struct drive *d)
{
    struct aw_session *session = d->session;
    memset(d->motor.velocity, 0, sizeof d->motor.velocity);
    if (ezphys_given(session)->coast)
        memset(d->motor.max_torque, 0, sizeof d->motor.max_torque);
    enum aw_status status = add_command(d);
    return status == AW_OK ? ezphys_exchange(session) : status;
}

static enum aw_status on_step(void *context)
{
    struct drive *d = context;
    return d->is_force ? add_command(d) : AW_OK;
}

static enum aw_status drive(struct drive *d)
{
    struct aw_session *session = d->session;
    double seconds = session->options.run.for_s;
    enum aw_status status = aw_session_announce(session, &d->record);
    if (status == AW_OK)
        status = add_command(d);
    if (status != AW_OK)
        return status;
    aw_session_start_motion(session);
    status = seconds > 0 ? ezphys_run_for(session, seconds, on_step, d) : ezphys_exchange(session);
    if (status == AW_OK) {
        aw_object_start(&session->result, d->is_force ? "force" : "motor");
        status = report_joint(session, d->joint);
        ezphys_report_time(session);
    }
    if (status == AW_OK && seconds > 0 && !d->is_force)
        status = hold_joint(d);
    session->motion.moving = status != AW_OK;
    if (status == AW_OK && !d->is_force)
        session->motion.ongoing = seconds > 0 ? AW_ONGOING_NOTHING : AW_ONGOING_RUNNING;
    return status;
}

static enum aw_status run_command(struct drive d, const struct aw_args *args)
{
    enum aw_status status = prepare_drive(&d, args);
    if (status != AW_OK || !d.session->options.run.dry_run)
        return status == AW_OK ? drive(&d) : status;
    status = add_command(&d);
    return status == AW_OK ? show_dry_run(d.session, &d.record) : status;
}

enum aw_status run_motor(struct aw_session *session, const struct aw_args *args)
{
    return run_command((struct drive){.session = session}, args);
}

enum aw_status run_force(struct aw_session *session, const struct aw_args *args)
{
    return run_command((struct drive){.session = session, .is_force = true}, args);
}

/* ---- reset, stop, step ---- */

/* Leaves the first message after the reset to the next command, so that its result is reproducible.
 */
enum aw_status run_reset(struct aw_session *session, const struct aw_args *args)
{
    struct aw_ezphys *ez = ezphys_client(session);
    enum aw_status status = ezphys_begin_for_send(session);
    (void)args;
    if (status != AW_OK)
        return status;
    aw_ezphys_reset(ez);
    if (session->options.run.dry_run) {
        struct aw_record record;
        aw_session_init_command(session, "reset", &record);
        status = show_dry_run(session, &record);
        ez->restart.must_reset = false;
        return status;
    }
    status = ezphys_exchange(session);
    if (status == AW_TIMEOUT)
        return aw_fail(&session->err, AW_TIMEOUT,
                       "reset timed out — check that the simulation accepts commands (Receive)");
    session->motion.ongoing = AW_ONGOING_NOTHING;
    aw_object_start(&session->result, "reset");
    ezphys_report_time(session);
    return status;
}

enum aw_status run_stop(struct aw_session *session, const struct aw_args *args)
{
    struct aw_ezphys *ez = ezphys_client(session);
    bool coast = ezphys_given(session)->coast;
    (void)args;
    if (session->options.run.dry_run)
        return aw_dry_run_depends(session, "the joints of the device");
    enum aw_status status = ezphys_begin(session);
    if (status == AW_OK)
        status = aw_ezphys_stop(ez, coast, &session->err);
    if (status == AW_OK)
        status = ezphys_confirm(session, ezphys_get_deadline(session));
    if (status == AW_TIMEOUT)
        status = ezphys_fail_no_message(session);
    if (status != AW_OK)
        return status;
    session->motion.ongoing = AW_ONGOING_NOTHING;
    aw_object_start(&session->result, "stop");
    aw_object_add_count(&session->result, "joints", ez->n_commands);
    aw_object_add_text(&session->result, "result", coast ? "off" : "held");
    ezphys_report_time(session);
    return AW_OK;
}

/* Leaves the last message unanswered, so that the simulator waits. */
enum aw_status run_advance(struct aw_session *session, const struct aw_args *args)
{
    double count = 1;
    enum aw_status status = aw_arg_number(session, args, "count", &count);
    if (status == AW_OK && session->options.run.dry_run)
        return aw_dry_run_depends(session, "the previous commands");
    if (status == AW_OK)
        status = ezphys_begin(session);
    int64_t start = aw_clock_now(session->clock);
    uint64_t n_done = 0;
    for (; status == AW_OK && n_done < (uint64_t)count; n_done++) {
        aw_session_show_progress(session, "advance %.0f s, %llu of %.9g exchanges",
                                 aw_session_seconds(session), (unsigned long long)n_done, count);
        status = ezphys_exchange(session);
    }
    ezphys_state(session)->pace.paused = status == AW_OK;
    aw_object_start(&session->result, "advance");
    aw_object_add_count(&session->result, "exchanges", n_done);
    ezphys_report_time(session);
    aw_object_add_number(&session->result, "ms",
                         (double)(aw_clock_now(session->clock) - start) / 1e6, 3, NULL);
    return status;
}

enum aw_status run_pause(struct aw_session *session, const struct aw_args *args)
{
    double seconds;
    enum aw_status status = aw_arg_number(session, args, "time", &seconds);
    if (status == AW_OK && session->options.run.dry_run)
        return AW_OK;
    if (status == AW_OK)
        status = ezphys_begin(session);
    if (status == AW_OK)
        status = ezphys_run_for(session, seconds, NULL, NULL);
    if (!aw_wanted_has_key(session, "time") && !aw_wanted_has_key(session, "step"))
        return status;
    aw_object_start(&session->result, "pause");
    ezphys_report_time(session);
    return status;
}
