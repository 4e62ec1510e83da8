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
static double time_now(struct aw_session *session)
{
    const struct aw_ezphys_state *state = &ezphys_of(session)->state;
    return state->timed ? aw_ezphys_state_time(state) : (double)aw_clock_now(session->clock) / 1e9;
}

enum aw_status ezphys_check_epoch(struct aw_session *session, uint64_t epoch)
{
    return ezphys_of(session)->state.epoch == epoch
               ? AW_OK
               : aw_fail(&session->err, AW_REFUSED,
                         "another program restarted the simulation, which resets motors — repeat "
                         "the command");
}

enum aw_status ezphys_go_on(struct aw_session *session, double seconds, ezphys_each_fn *each,
                            void *context)
{
    struct aw_ezphys *ez = ezphys_of(session);
    uint64_t epoch = ez->state.epoch;
    double start = time_now(session);
    enum aw_status status = AW_OK;
    /* Half a step less, so that 1 s is 1000 steps of 1 ms despite rounding. */
    double end = seconds - ez->state.step_size / 2;
    while (status == AW_OK && time_now(session) - start < end) {
        aw_session_work(session, "%s %.0f s, %.3f of %.9g s simulated", session->run.command->name,
                        aw_session_seconds(session), time_now(session) - start, seconds);
        if (each)
            status = each(session, context, time_now(session) - start);
        if (status == AW_OK)
            status = ezphys_exchange(session);
        if (status == AW_OK)
            status = ezphys_check_epoch(session, epoch);
    }
    return status;
}

/* ---- Reports ---- */

static void report_time(struct aw_session *session)
{
    const struct aw_ezphys_state *state = &ezphys_of(session)->state;
    if (!state->timed)
        return;
    aw_object_number(&session->result, "step", (double)state->step, 0, NULL);
    aw_object_number(&session->result, "time", aw_ezphys_state_time(state), 6, "s");
}

/* Uses the names of records: state.hip.axis2.displacement. */
static void report_axis(struct aw_session *session, const struct aw_ezphys_joint *joint, int i)
{
    struct aw_object *result = &session->result;
    struct aw_ezphys_about about = {&joint->object, i + 1, joint->n_axes};
    struct ezphys_units units = ezphys_units(session, joint->object.name);
    char name[AW_EZPHYS_NAME_SIZE + 16], key[sizeof result->entries->key];
    ezphys_about_name(&about, name, sizeof name);
    aw_utf8_clean(name); /* a name from the wire may be invalid UTF-8 */
    snprintf(key, sizeof key, "state.%s.displacement", name);
    aw_object_number(result, key, joint->axes[i].displacement, -1, units.displacement);
    snprintf(key, sizeof key, "state.%s.velocity", name);
    aw_object_number(result, key, joint->axes[i].velocity, -1, units.velocity);
}

static void report_state(struct aw_session *session)
{
    const struct aw_ezphys_state *state = &ezphys_of(session)->state;
    size_t left_out = 0;
    for (size_t k = 0; k < state->n_joints; k++) {
        size_t axes = (size_t)state->joints[k].n_axes;
        bool fits = session->result.n + 2 * axes <= AW_OBJECT_MAX;
        for (size_t i = 0; fits && i < axes; i++)
            report_axis(session, &state->joints[k], (int)i);
        left_out += !fits;
    }
    if (left_out)
        aw_session_notice(session, "--state: result full, %zu joints not shown — use 'status'",
                          left_out);
}

void ezphys_report_time(struct aw_session *session)
{
    report_time(session);
    if (ezphys_given(session)->state)
        report_state(session);
}

static enum aw_status report_joint(struct aw_session *session, const char *name)
{
    static const char *const keys[AW_EZPHYS_AXES][2] = {{"displacement", "velocity"},
                                                        {"displacement2", "velocity2"},
                                                        {"displacement3", "velocity3"}};
    struct ezphys_state *state = ezphys_state(session);
    const struct aw_ezphys_joint *joint = aw_ezphys_state_joint(&state->ez.state, name);
    snprintf(state->text[0], sizeof *state->text, "%s", joint ? joint->object.name : name);
    aw_object_text(&session->result, "joint", state->text[0]);
    enum aw_status status = AW_OK;
    struct ezphys_units units = ezphys_units(session, state->text[0]);
    for (int i = 0; joint && i < joint->n_axes && i < AW_EZPHYS_AXES; i++) {
        aw_object_number(&session->result, keys[i][0], joint->axes[i].displacement, -1,
                         units.displacement);
        aw_object_number(&session->result, keys[i][1], joint->axes[i].velocity, -1, units.velocity);
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
    const char *word; /* the joint as typed */
    struct aw_ezphys_target target;
    struct aw_record record; /* the message on the wire */
    bool forces;             /* axis_force, not axis_motor */
    int axes;                /* number of the last used axis */
    struct aw_ezphys_motor motor;
    double torque[AW_EZPHYS_AXES];
    enum aw_ezphys_moves said; /* joint kind implied by the unit of a value */
};

/* Reads a value in the wire's unit, or in a slider's unit. */
static enum aw_status read_value(struct drive *d, const struct aw_args *args, const char *name,
                                 double *value)
{
    const char *text = aw_arg(args, name, 0), *slides = *name == 'v' ? "m/s" : "N";
    enum aw_status status = aw_arg_number(d->session, args, name, value);
    if (status == AW_USAGE && aw_number_parse_unit(text, slides, value, NULL) == AW_OK) {
        d->said = AW_EZPHYS_SLIDES;
        return AW_OK;
    }
    if (status == AW_OK && text && isalpha((unsigned char)text[strlen(text) - 1]))
        d->said = AW_EZPHYS_TURNS;
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
        for (int k = d->forces ? 2 : 0; k < (d->forces ? 3 : 2) && status == AW_OK; k++) {
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
    enum aw_status status =
        d->forces ? aw_ezphys_force_record(wire, &d->target, d->torque, &d->record, err)
                  : aw_ezphys_motor_record(wire, &d->target, &d->motor, &d->record, err);
    d->record.time_ns = AW_NO_TIME;
    return status;
}

static enum aw_status check_joint(struct drive *d)
{
    struct aw_session *session = d->session;
    const struct aw_ezphys_joint *joint =
        aw_ezphys_state_joint(&ezphys_of(session)->state, d->word);
    if (!joint && !session->options.run.force &&
        aw_ezphys_expect(ezphys_of(session), &d->target, &session->err) != AW_OK)
        return AW_USAGE;
    if (!joint)
        aw_session_notice(session, "joint %s not reported yet — check that its Send is on",
                          d->word);
    if (joint && d->axes > joint->n_axes)
        return aw_fail(
            &session->err, AW_USAGE,
            "joint '%s' has %d ax%s, but the command is for %d — give a value for each axis",
            joint->object.name, joint->n_axes, joint->n_axes == 1 ? "is" : "es", d->axes);
    return AW_OK;
}

static enum aw_status give(struct drive *d)
{
    struct aw_session *session = d->session;
    return d->forces ? aw_ezphys_force(ezphys_of(session), &d->target, d->torque, &session->err)
                     : aw_ezphys_motor(ezphys_of(session), &d->target, &d->motor, &session->err);
}

/* Prints the bytes of the whole message. */
static enum aw_status dry_run(struct drive *d)
{
    struct aw_session *session = d->session;
    size_t size;
    enum aw_status status = aw_ezphys_encode(ezphys_of(session), session->device.frame,
                                             AW_FRAME_ROOM, &size, &session->err);
    return status == AW_OK ? aw_session_dry_run(session, &d->record,
                                                (struct aw_span){session->device.frame, size})
                           : status;
}

static enum aw_status drive_begin(struct drive *d, const struct aw_args *args)
{
    struct aw_session *session = d->session;
    d->word = aw_arg(args, "joint", 0);
    enum aw_status status = read_values(d, args);
    if (status == AW_OK)
        status = ezphys_begin_to_make(session);
    if (status == AW_OK)
        status = ezphys_may_send(session);
    if (status == AW_OK)
        status = aw_ezphys_target(ezphys_of(session), d->word, &d->target, &session->err);
    if (status == AW_OK)
        status = ezphys_check_unit(session, d->target.name, d->said);
    if (status == AW_OK && !session->options.run.dry_run)
        status = check_joint(d);
    return status == AW_OK ? make_record(d) : status;
}

/* Holds the joint at its position after --for. */
static enum aw_status hold(struct drive *d)
{
    struct aw_session *session = d->session;
    memset(d->motor.velocity, 0, sizeof d->motor.velocity);
    if (ezphys_given(session)->coast)
        memset(d->motor.max_torque, 0, sizeof d->motor.max_torque);
    enum aw_status status = give(d);
    return status == AW_OK ? ezphys_exchange(session) : status;
}

static enum aw_status again(struct aw_session *session, void *context, double time)
{
    struct drive *d = context;
    (void)session;
    (void)time;
    return d->forces ? give(d) : AW_OK;
}

static enum aw_status drive(struct drive *d)
{
    struct aw_session *session = d->session;
    double seconds = session->options.run.for_s;
    enum aw_status status = aw_session_announce(session, &d->record);
    if (status == AW_OK)
        status = give(d);
    if (status != AW_OK)
        return status;
    aw_session_moves(session);
    status = seconds > 0 ? ezphys_go_on(session, seconds, again, d) : ezphys_exchange(session);
    if (status == AW_OK) {
        aw_object_start(&session->result, d->forces ? "force" : "motor");
        status = report_joint(session, d->word);
        ezphys_report_time(session);
    }
    if (status == AW_OK && seconds > 0 && !d->forces)
        status = hold(d);
    session->motion.moving = status != AW_OK;
    if (status == AW_OK && !d->forces)
        session->motion.ongoing = seconds > 0 ? AW_ONGOING_NOTHING : AW_ONGOING_RUNNING;
    return status;
}

static enum aw_status run(struct drive d, const struct aw_args *args)
{
    enum aw_status status = drive_begin(&d, args);
    if (status != AW_OK || !d.session->options.run.dry_run)
        return status == AW_OK ? drive(&d) : status;
    status = give(&d);
    return status == AW_OK ? dry_run(&d) : status;
}

enum aw_status run_motor(struct aw_session *session, const struct aw_args *args)
{
    return run((struct drive){.session = session}, args);
}

enum aw_status run_force(struct aw_session *session, const struct aw_args *args)
{
    return run((struct drive){.session = session, .forces = true}, args);
}

/* ---- reset, stop, step ---- */

/* Leaves the first message after the reset to the next command, so that its result is reproducible.
 */
enum aw_status run_reset(struct aw_session *session, const struct aw_args *args)
{
    struct aw_ezphys *ez = ezphys_of(session);
    enum aw_status status = ezphys_begin_to_make(session);
    (void)args;
    if (status != AW_OK)
        return status;
    aw_ezphys_reset(ez);
    if (session->options.run.dry_run) {
        struct drive d = {.session = session};
        aw_session_command(session, "reset", &d.record);
        d.record.time_ns = AW_NO_TIME;
        status = dry_run(&d);
        ez->reset = false;
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
    struct aw_ezphys *ez = ezphys_of(session);
    const struct aw_ezphys_halt how = {.coast = ezphys_given(session)->coast,
                                       .torque = AW_EZPHYS_STOP_TORQUE};
    (void)args;
    if (session->options.run.dry_run)
        return aw_dry_depends(session, "the joints of the device");
    enum aw_status status = ezphys_begin(session);
    if (status == AW_OK)
        status = aw_ezphys_stop(ez, &how, &session->err);
    if (status == AW_OK)
        status = ezphys_confirm(session, ezphys_deadline(session));
    if (status == AW_TIMEOUT)
        status = ezphys_no_message(session);
    if (status != AW_OK)
        return status;
    session->motion.ongoing = AW_ONGOING_NOTHING;
    aw_object_start(&session->result, "stop");
    aw_object_count(&session->result, "joints", ez->n_commands);
    aw_object_text(&session->result, "result", how.coast ? "off" : "held");
    ezphys_report_time(session);
    return AW_OK;
}

/* Leaves the last message unanswered, so that the simulator waits. */
enum aw_status run_advance(struct aw_session *session, const struct aw_args *args)
{
    double count = 1;
    enum aw_status status = aw_arg_number(session, args, "count", &count);
    if (status == AW_OK && session->options.run.dry_run)
        return aw_dry_depends(session, "the previous commands");
    if (status == AW_OK)
        status = ezphys_begin(session);
    int64_t start = aw_clock_now(session->clock);
    uint64_t done = 0;
    for (; status == AW_OK && done < (uint64_t)count; done++) {
        aw_session_work(session, "advance %.0f s, %llu of %.9g exchanges",
                        aw_session_seconds(session), (unsigned long long)done, count);
        status = ezphys_exchange(session);
    }
    ezphys_state(session)->pace.paused = status == AW_OK;
    aw_object_start(&session->result, "advance");
    aw_object_count(&session->result, "exchanges", done);
    ezphys_report_time(session);
    aw_object_number(&session->result, "ms", (double)(aw_clock_now(session->clock) - start) / 1e6,
                     3, NULL);
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
        status = ezphys_go_on(session, seconds, NULL, NULL);
    if (!aw_wanted_names(session, "time") && !aw_wanted_names(session, "step"))
        return status;
    aw_object_start(&session->result, "pause");
    ezphys_report_time(session);
    return status;
}
