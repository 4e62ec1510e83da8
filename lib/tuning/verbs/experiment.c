/* An experiment with a joint: its samples, supervision, commands and end. */
#include "tuning/verbs/experiment.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/file.h"
#include "capture/table.h"
#include "shell/look/picture.h"
#include "shell/safety/safety.h"

#define LATE_S 0.02 /* time to read queued messages after this program was delayed, s */

enum aw_status aw_experiment_set_mode(struct aw_session *session, const char *name,
                                      bool mode_required, struct aw_experiment_joint *joint)
{
    const struct aw_experiment_hooks *hooks = aw_experiment_get_hooks(session);
    if (hooks->mode)
        return hooks->mode(session, name, mode_required, joint);
    *joint = hooks->defaults;
    return AW_OK;
}

enum aw_status aw_experiment_find_joint(struct aw_session *session, const struct aw_args *args,
                                        const char *name, struct aw_experiment_joint *joint)
{
    const struct aw_experiment_hooks *hooks = aw_experiment_get_hooks(session);
    struct aw_joint_list list = {0};
    bool is_reported = session->tool->motion.joints->traits.reports_joints;
    size_t i = 0;
    name = name ? name : hooks->mode ? joint->name : aw_arg(args, "joint", 0);
    if (!name)
        return aw_fail(&session->err, AW_USAGE, "%s: no joint given — name one",
                       session->run.command->name);
    if (is_reported && session->options.run.dry_run)
        return aw_dry_run_depends(session, "the joints of the device");
    enum aw_status status = (is_reported ? aw_joints_begin : aw_joints_list)(session, &list);
    if (status == AW_OK)
        status = aw_joints_find(session, &list, name, &i);
    if (status == AW_OK && list.joints[i].flags.is_blind)
        status =
            aw_fail(&session->err, AW_USAGE, "%s reports no position — choose another joint", name);
    if (status == AW_OK) {
        snprintf(joint->name, sizeof joint->name, "%s", list.joints[i].name);
        hooks->describe(session, &list.joints[i], joint);
    }
    aw_joints_free(&list);
    return status;
}

enum aw_status aw_experiment_init(struct aw_experiment *experiment, struct aw_session *session,
                                  const struct aw_args *args)
{
    *experiment = (struct aw_experiment){.session = session,
                                         .hooks = aw_experiment_get_hooks(session),
                                         .save_path = aw_experiment_given(session)->save};
    enum aw_status status = aw_experiment_set_mode(session, NULL, true, &experiment->joint);
    return status == AW_OK ? aw_experiment_find_joint(session, args, NULL, &experiment->joint)
                           : status;
}

enum aw_status aw_experiment_parse(const struct aw_experiment *experiment, const char *subject,
                                   const char *text, double *value)
{
    struct aw_session *session = experiment->session;
    const struct aw_experiment_joint *joint = &experiment->joint;
    enum aw_status status = aw_number_parse_unit(text, joint->unit, value, &session->err);
    *value /= joint->scale;
    if (status == AW_OK && *joint->mode && (*value < joint->low || *value > joint->high))
        return aw_fail(&session->err, AW_LIMIT, "%s: %g %s is out of range (%g to %g) for %s",
                       subject, *value * joint->scale, joint->unit, joint->low * joint->scale,
                       joint->high * joint->scale, joint->mode);
    return aw_fail_about(&session->err, status, subject);
}

const char *aw_experiment_joint_term(const struct aw_session *session)
{
    return aw_experiment_get_hooks(session)->text.joint_term
               ? aw_experiment_get_hooks(session)->text.joint_term
               : "joint";
}

enum aw_status aw_experiment_check_range(const struct aw_experiment *experiment,
                                         const char *subject, double value)
{
    const struct aw_experiment_joint *joint = &experiment->joint;
    if ((value >= joint->low && value <= joint->high) || experiment->session->options.run.force)
        return AW_OK;
    return aw_fail(&experiment->session->err, AW_LIMIT,
                   "%s: %.4g %s is out of range (%.4g to %.4g) for %s — give --force to override",
                   subject, value * joint->scale, joint->unit, joint->low * joint->scale,
                   joint->high * joint->scale, joint->name);
}

enum aw_status aw_experiment_max_deviation(const struct aw_experiment *experiment, const char *text,
                                           double *value)
{
    struct aw_error *err = &experiment->session->err;
    text = text ? text : experiment->session->options.move.max_deviation;
    *value = experiment->joint.defaults.max_deviation;
    enum aw_status status =
        text ? aw_experiment_parse(experiment, "--max-deviation", text, value) : AW_OK;
    if (status == AW_OK && !(*value > 0))
        return aw_fail(err, AW_LIMIT,
                       "--max-deviation: %s is out of range — give a value above "
                       "0",
                       text);
    return status;
}

enum aw_status aw_experiment_begin(struct aw_experiment *experiment)
{
    struct aw_session *session = experiment->session;
    const char *picture = aw_experiment_given(session)->plot;
    bool is_dry_run = session->options.run.dry_run;
    enum aw_status status = AW_OK;
    experiment->time.began_ns = experiment->time.start_ns = aw_clock_now(session->clock);
    experiment->command.commanded = experiment->command.target = experiment->command.sent_setpoint =
        NAN;
    experiment->time.sample_ns = AW_NO_TIME;
    /* Checks the output files before the run, whose samples would otherwise be lost. */
    if (experiment->save_path && !is_dry_run)
        status = aw_file_check(experiment->save_path, &session->err);
    if (status == AW_OK && picture && !is_dry_run)
        status = aw_picture_check(picture, &session->err);
    if (status == AW_OK && !(experiment->max_deviation > 0))
        status = aw_experiment_max_deviation(experiment, NULL, &experiment->max_deviation);
    if (status == AW_OK && is_dry_run)
        status = aw_dry_run_depends(session, "the telemetry");
    if (status == AW_OK)
        status = experiment->hooks->open(experiment);
    if (status == AW_OK)
        aw_experiment_restart_limits(experiment);
    return status;
}

/* ---- Monitoring ---- */

static double get_now_s(const struct aw_experiment *experiment)
{
    return (double)aw_clock_now(experiment->session->clock) / 1e9;
}

void aw_experiment_restart_limits(struct aw_experiment *experiment)
{
    struct aw_motion_config config =
        aw_motion_defaults(experiment->max_deviation * experiment->joint.scale);
    config.min_motion = experiment->joint.min_motion * experiment->joint.scale;
    config.glitch_s = experiment->joint.glitch_s;
    config.action = experiment->hooks->text.action ? experiment->hooks->text.action
                    : experiment->session->tool->motion.steer_gain > 0 ? "stopped"
                                                                       : "held";
    if (experiment->motion.verdict != AW_MOTION_OK)
        return;
    experiment->command.target = NAN;
    experiment->command.hold_distance = 0;
    aw_motion_start(&experiment->motion, &config, get_now_s(experiment));
}

static enum aw_status check_verdict(struct aw_experiment *experiment, enum aw_status status)
{
    if (status == AW_OK && experiment->samples.incomplete)
        return aw_no_memory(&experiment->session->err);
    if (status != AW_OK || experiment->motion.verdict == AW_MOTION_OK)
        return status;
    return aw_motion_fail(&experiment->motion, experiment->joint.name, experiment->joint.unit,
                          &experiment->session->err);
}

/* Shows the progress: "sweep 3 of 10 s, lknee 12.4 deg". */
static void show_progress(struct aw_experiment *experiment)
{
    struct aw_session *session = experiment->session;
    char total_text[24] = "";
    double s = (double)(aw_clock_now(session->clock) - experiment->time.began_ns) / 1e9;
    if (experiment->time.total_s > 0)
        snprintf(total_text, sizeof total_text, " of %.0f", experiment->time.total_s);
    aw_session_show_progress(session, "%s %.0f%s s, %s %.1f %s",
                             session->run.command ? session->run.command->name : "", s, total_text,
                             experiment->joint.name, experiment->sampling.last.measured,
                             experiment->joint.unit);
}

/* Stores a sample. Skips one with a value that is not finite, such as the setpoint of a disabled
 * driver. */
static void store_sample(struct aw_experiment *experiment, const struct aw_sample *sample)
{
    size_t n = experiment->samples.n, capacity = experiment->samples.capacity;
    if (!isfinite(sample->setpoint) || !isfinite(sample->measured) || !isfinite(sample->output))
        return;
    if (n == capacity) {
        size_t larger = capacity ? 2 * capacity : 256;
        struct aw_sample *list = realloc(experiment->samples.list, larger * sizeof *list);
        if (!list) {
            experiment->samples.incomplete = true;
            return;
        }
        experiment->samples.list = list;
        experiment->samples.capacity = larger;
    }
    experiment->samples.list[experiment->samples.n++] = *sample;
}

bool aw_experiment_sample(struct aw_experiment *experiment,
                          const struct aw_experiment_sample *sample)
{
    double scale = experiment->joint.scale;
    struct aw_motion_sample checked = {.t = get_now_s(experiment),
                                       .target = experiment->command.target,
                                       .measured = sample->measured * scale,
                                       .output = sample->has_drive ? sample->drive : sample->output,
                                       .fault = sample->fault};
    double setpoint =
        (isnan(sample->setpoint) ? experiment->command.commanded : sample->setpoint) * scale;
    bool is_holding = fabs(setpoint - checked.measured) < experiment->command.hold_distance;
    checked.excitation = is_holding                          ? 0
                         : experiment->command.checks_output ? sample->output
                                                             : checked.output;
    bool is_ok = aw_motion_add_sample(&experiment->motion, &checked) == AW_MOTION_OK;
    experiment->sampling.last = (struct aw_sample){
        .t = (double)(aw_joints_now(experiment->session) - experiment->time.start_ns) / 1e9,
        .setpoint = setpoint,
        .measured = checked.measured,
        .output = sample->output,
    };
    store_sample(experiment, &experiment->sampling.last);
    experiment->sampling.count++;
    show_progress(experiment);
    if (experiment->sampling.on_sample)
        experiment->sampling.on_sample(experiment, &experiment->sampling.last);
    return is_ok && !experiment->samples.incomplete && !experiment->sampling.awaiting;
}

/* Collects in short intervals, so that silence is detected at once. */
static enum aw_status collect_until(struct aw_experiment *experiment, int64_t deadline)
{
    struct aw_clock *clock = experiment->session->clock;
    double silence_s = experiment->motion.config.silence_s;
    uint64_t n_before = experiment->sampling.count;
    enum aw_status status = AW_OK;
    bool is_done = false;
    while (status == AW_OK && !is_done) {
        int64_t silence_due = aw_time_after(aw_clock_now(clock), silence_s);
        status = experiment->hooks->idle(experiment, aw_min_time(deadline, silence_due));
        /* This program itself may have been suspended; queued messages then show that the device
         * was not silent. */
        if (status == AW_OK && get_now_s(experiment) - experiment->motion.last.last_s > silence_s)
            status =
                experiment->hooks->idle(experiment, aw_time_after(aw_clock_now(clock), LATE_S));
        aw_motion_check_silence(&experiment->motion, get_now_s(experiment));
        status = check_verdict(experiment, status);
        is_done = aw_clock_now(clock) >= deadline ||
                  (experiment->sampling.awaiting && experiment->sampling.count > n_before);
    }
    return status;
}

enum aw_status aw_experiment_collect(struct aw_experiment *experiment, double seconds)
{
    return collect_until(experiment,
                         aw_time_after(aw_clock_now(experiment->session->clock), seconds));
}

enum aw_status aw_experiment_await_due(struct aw_experiment *experiment)
{
    int64_t due = experiment->hooks->due ? experiment->hooks->due(experiment) : INT64_MIN;
    bool must_wait = aw_clock_now(experiment->session->clock) < due;
    return check_verdict(experiment, must_wait ? collect_until(experiment, due) : AW_OK);
}

enum aw_status aw_experiment_await_sample(struct aw_experiment *experiment)
{
    uint64_t n_before = experiment->sampling.count;
    enum aw_status status = aw_experiment_await_due(experiment);
    if (status != AW_OK || experiment->sampling.count > n_before)
        return status;
    experiment->sampling.awaiting = true;
    status = aw_experiment_collect(experiment, 2 * experiment->motion.config.silence_s);
    experiment->sampling.awaiting = false;
    return status;
}

static enum aw_status send_setpoint(struct aw_experiment *experiment, double setpoint)
{
    enum aw_status status = aw_experiment_await_due(experiment);
    if (status != AW_OK)
        return status;
    experiment->command.commanded = setpoint;
    return experiment->hooks->setpoint(experiment, setpoint);
}

enum aw_status aw_experiment_drive(struct aw_experiment *experiment, double setpoint)
{
    experiment->command.target = setpoint * experiment->joint.scale;
    return send_setpoint(experiment, setpoint);
}

enum aw_status aw_experiment_push(struct aw_experiment *experiment, double setpoint)
{
    experiment->command.target = NAN;
    return send_setpoint(experiment, setpoint);
}

double aw_experiment_position(const struct aw_experiment *experiment)
{
    return experiment->sampling.last.measured / experiment->joint.scale;
}

enum aw_status aw_experiment_hold(struct aw_experiment *experiment)
{
    return aw_experiment_push(experiment, aw_experiment_position(experiment));
}

void aw_experiment_restart(struct aw_experiment *experiment)
{
    experiment->samples.n = 0;
    experiment->time.start_ns = aw_joints_now(experiment->session);
}

static enum aw_status save_samples(struct aw_experiment *experiment, const char *path)
{
    static const char *const names[] = {"t", "setpoint", "measured", "output"};
    struct aw_session *session = experiment->session;
    struct aw_table table;
    FILE *file;
    enum aw_status status = aw_table_init(&table, names, 4, &session->err);
    for (size_t i = 0; i < experiment->samples.n && status == AW_OK; i++) {
        const struct aw_sample *s = &experiment->samples.list[i];
        const double row[] = {s->t, s->setpoint, s->measured, s->output};
        status = aw_table_add(&table, row, &session->err);
    }
    if (status == AW_OK)
        status = aw_session_create_file(session, NULL, path, &file);
    if (status == AW_OK) {
        status = aw_table_write(file, &table, &session->err);
        if (!aw_file_close(file) && (status == AW_OK || status == AW_LOST))
            status = aw_file_fail(&session->err, NULL, path);
    }
    aw_table_free(&table);
    return status;
}

enum aw_status aw_experiment_end(struct aw_experiment *experiment, enum aw_status status)
{
    const char *path = experiment->save_path;
    if (status != AW_STOPPED && experiment->session->motion.moving)
        status = experiment->hooks->end(experiment, status);
    /* the message must not claim an end that the device has not confirmed */
    if (experiment->session->motion.moving && experiment->motion.verdict != AW_MOTION_OK) {
        experiment->motion.config.action = "ended";
        check_verdict(experiment, AW_OK);
    }
    if (path && experiment->samples.n && status == AW_OK)
        status = save_samples(experiment, path);
    return status;
}

void aw_experiment_free(struct aw_experiment *experiment)
{
    free(experiment->samples.list);
    aw_joints_free(&experiment->list);
}

enum aw_status aw_experiment_check_moved(const struct aw_experiment *experiment, size_t first,
                                         double distance)
{
    double low = INFINITY, high = -INFINITY;
    for (size_t i = first; i < experiment->samples.n; i++) {
        low = fmin(low, experiment->samples.list[i].measured);
        high = fmax(high, experiment->samples.list[i].measured);
    }
    if (high - low >=
        fmin(experiment->joint.min_motion * experiment->joint.scale, fabs(distance) / 2))
        return AW_OK;
    return aw_fail(&experiment->session->err, AW_REFUSED,
                   "%s: no motion: %s stayed at %.4g %s — check that it is powered, enabled and "
                   "free to move",
                   experiment->session->run.command->name, experiment->joint.name,
                   experiment->sampling.last.measured, experiment->joint.unit);
}

void aw_experiment_report(struct aw_experiment *experiment, const char *cmd)
{
    struct aw_object *result = &experiment->session->result;
    aw_object_start(result, cmd);
    aw_object_add_copy(result, aw_experiment_joint_term(experiment->session),
                       experiment->joint.name);
    if (*experiment->joint.mode)
        aw_object_add_copy(result, "controller", experiment->joint.mode);
}

void aw_experiment_report_metric(struct aw_session *session, const char *key, enum aw_metric metric,
                                 double value, const char *unit)
{
    const struct aw_metric_row *row = aw_metric(metric);
    aw_object_add_number(&session->result, key, value, 5, row->uses_sample_unit ? unit : NULL);
    session->result.entries[session->result.n - 1].unit_after = row->unit_after;
}

const char *aw_experiment_format_metric(char out[AW_EXPERIMENT_CELL], enum aw_metric metric,
                                        double value, const char *unit)
{
    const struct aw_metric_row *row = aw_metric(metric);
    const char *sample_unit = row->uses_sample_unit ? unit : "";
    if (!aw_metric_is_reached(value))
        return metric == AW_RISE_TIME       ? "below 90 %"
               : metric == AW_SETTLING_TIME ? "unsettled"
                                            : "not reached";
    snprintf(out, AW_EXPERIMENT_CELL, "%.4g%s%.20s%s", value,
             *sample_unit || *row->unit_after ? " " : "", sample_unit, row->unit_after);
    return out;
}
