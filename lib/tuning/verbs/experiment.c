/* An experiment with a joint: its samples, guard, commands and end. */
#include "tuning/verbs/experiment.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/file.h"
#include "shell/look/picture.h"
#include "shell/safety/safety.h"

#define LATE_S 0.02 /* time to read queued messages after this program was delayed, s */

static const char *const columns[AW_BENCH_COLUMNS] = {"t", "setpoint", "measured", "output"};

static const char *save_path(const struct aw_bench *bench)
{
    const struct aw_experiment_options *given = aw_experiment_given(bench->session);
    return bench->saves == AW_BENCH_SAVES_SAMPLES ? given->save
           : bench->saves == AW_BENCH_SAVES_MODEL ? given->samples
                                                  : NULL;
}

enum aw_status aw_bench_mode(struct aw_session *session, const char *name, bool must,
                             struct aw_bench_joint *joint)
{
    const struct aw_bench_hooks *hooks = session->tool->bench;
    if (hooks->mode)
        return hooks->mode(session, name, must, joint);
    *joint = hooks->usual;
    return AW_OK;
}

enum aw_status aw_bench_find(struct aw_session *session, const struct aw_args *args,
                             const char *name, struct aw_bench_joint *joint)
{
    const struct aw_bench_hooks *hooks = session->tool->bench;
    struct aw_joint_list list = {0};
    bool told = session->tool->joints->told;
    size_t i = 0;
    if (hooks->joint)
        return hooks->joint(session, args, name, joint);
    name = name ? name : aw_arg(args, "joint", 0);
    if (!name)
        return aw_fail(&session->err, AW_USAGE, "%s: no joint given — name one",
                       session->run.command->name);
    if (told && session->options.run.dry_run)
        return aw_dry_depends(session, "the joints of the device");
    enum aw_status status = (told ? aw_joints_begin : aw_joints_list)(session, &list);
    if (status == AW_OK)
        status = aw_joints_find(session, &list, name, &i);
    if (status == AW_OK) {
        snprintf(joint->name, sizeof joint->name, "%s", list.joints[i].name);
        hooks->describe(session, &list.joints[i], joint);
    }
    aw_joints_free(&list);
    return status;
}

enum aw_status aw_bench_init(struct aw_bench *bench, struct aw_session *session,
                             const struct aw_args *args)
{
    *bench = (struct aw_bench){.session = session, .hooks = session->tool->bench};
    enum aw_status status = aw_bench_mode(session, NULL, true, &bench->joint);
    return status == AW_OK ? aw_bench_find(session, args, NULL, &bench->joint) : status;
}

enum aw_status aw_bench_parse(const struct aw_bench *bench, const char *what, const char *text,
                              double *value)
{
    struct aw_session *session = bench->session;
    struct aw_error problem;
    if (bench->hooks->parse)
        return bench->hooks->parse(session, &bench->joint, what, text, value);
    enum aw_status status = aw_number_parse_unit(text, bench->joint.unit, value, &problem);
    *value /= bench->joint.scale;
    return status == AW_OK ? AW_OK : aw_fail(&session->err, status, "%s: %s", what, problem.text);
}

const char *aw_bench_place(const struct aw_session *session)
{
    return session->tool->bench->place ? session->tool->bench->place : "joint";
}

enum aw_status aw_bench_check(const struct aw_bench *bench, const char *what, double value)
{
    const struct aw_bench_joint *joint = &bench->joint;
    if ((value >= joint->low && value <= joint->high) || bench->session->options.run.force)
        return AW_OK;
    return aw_fail(&bench->session->err, AW_LIMIT,
                   "%s: %.4g %s is out of range (%.4g to %.4g) for %s", what, value * joint->scale,
                   joint->unit, joint->low * joint->scale, joint->high * joint->scale, joint->name);
}

enum aw_status aw_bench_max_deviation(const struct aw_bench *bench, const char *text, double *value)
{
    struct aw_error *err = &bench->session->err;
    text = text ? text : bench->session->options.move.max_deviation;
    *value = bench->joint.max_deviation;
    enum aw_status status = text ? aw_bench_parse(bench, "--max-deviation", text, value) : AW_OK;
    if (status == AW_OK && !(*value > 0))
        return aw_fail(err, AW_LIMIT,
                       "--max-deviation: %s is out of range — give a value above "
                       "0",
                       text);
    return status;
}

enum aw_status aw_bench_begin_with(struct aw_bench *bench)
{
    struct aw_session *session = bench->session;
    enum aw_status status = AW_OK;
    bench->began_ns = bench->start_ns = aw_clock_now(session->clock);
    bench->commanded = bench->target = bench->sent = NAN;
    bench->seen_ns = AW_NO_TIME;
    if (!(bench->max_deviation > 0))
        status = aw_bench_max_deviation(bench, NULL, &bench->max_deviation);
    if (status == AW_OK && session->options.run.dry_run)
        status = aw_dry_depends(session, "the telemetry");
    if (status == AW_OK)
        status = aw_table_init(&bench->table, columns, AW_BENCH_COLUMNS, &session->err);
    if (status == AW_OK)
        status = bench->hooks->open(bench);
    if (status == AW_OK)
        aw_bench_watch(bench);
    return status;
}

enum aw_status aw_bench_begin(struct aw_bench *bench)
{
    struct aw_session *session = bench->session;
    enum aw_status status = AW_OK;
    /* Checks the output files before the run, whose samples would otherwise be lost. */
    const char *samples = save_path(bench), *picture = aw_experiment_given(session)->plot;
    bool dry = session->options.run.dry_run;
    if (samples && !dry)
        status = aw_file_check(samples, &session->err);
    if (status == AW_OK && picture && !dry)
        status = aw_picture_check(picture, &session->err);
    return status == AW_OK ? aw_bench_begin_with(bench) : status;
}

/* ---- Monitoring ---- */

static double now_s(const struct aw_bench *bench)
{
    return (double)aw_clock_now(bench->session->clock) / 1e9;
}

void aw_bench_watch(struct aw_bench *bench)
{
    struct aw_motion_config config = aw_motion_defaults(bench->max_deviation * bench->joint.scale);
    config.least = bench->joint.least * bench->joint.scale;
    config.glitch_s = bench->joint.glitch_s;
    config.ended = bench->hooks->ended               ? bench->hooks->ended
                   : bench->session->tool->steer > 0 ? "stopped"
                                                     : "held";
    if (bench->guard.verdict != AW_MOTION_FINE)
        return;
    bench->target = NAN;
    bench->holds = 0;
    aw_motion_start(&bench->guard, &config, now_s(bench));
}

static enum aw_status judged(struct aw_bench *bench, enum aw_status status)
{
    if (status != AW_OK || bench->guard.verdict == AW_MOTION_FINE)
        return status;
    return aw_motion_fail(&bench->guard, bench->joint.name, bench->joint.unit,
                          &bench->session->err);
}

/* Shows the progress: "sweep 3 of 10 s, lknee 12.4 deg". */
static void show_progress(struct aw_bench *bench)
{
    struct aw_session *session = bench->session;
    char of[24] = "";
    double s = (double)(aw_clock_now(session->clock) - bench->began_ns) / 1e9;
    if (bench->total_s > 0)
        snprintf(of, sizeof of, " of %.0f", bench->total_s);
    aw_session_work(session, "%s %.0f%s s, %s %.1f %s",
                    session->run.command ? session->run.command->name : "", s, of,
                    bench->joint.name, bench->last[AW_BENCH_MEASURED], bench->joint.unit);
}

bool aw_bench_sample(struct aw_bench *bench, const struct aw_bench_sample *sample)
{
    double scale = bench->joint.scale;
    struct aw_motion_sample seen = {.t = now_s(bench),
                                    .target = bench->target,
                                    .measured = sample->measured * scale,
                                    .output = sample->has_pull ? sample->pull : sample->output,
                                    .fault = sample->fault};
    double setpoint = (isnan(sample->setpoint) ? bench->commanded : sample->setpoint) * scale;
    bool holds = fabs(setpoint - seen.measured) < bench->holds;
    seen.excites = holds ? 0 : bench->by_output ? sample->output : seen.output;
    bool fine = aw_motion_feed(&bench->guard, &seen) == AW_MOTION_FINE;
    bench->last[AW_BENCH_T] = (double)(aw_joints_now(bench->session) - bench->start_ns) / 1e9;
    bench->last[AW_BENCH_SETPOINT] = setpoint;
    bench->last[AW_BENCH_MEASURED] = sample->measured * scale;
    bench->last[AW_BENCH_OUTPUT] = sample->output;
    aw_table_add(&bench->table, bench->last, NULL);
    bench->samples++;
    show_progress(bench);
    if (bench->on_sample)
        bench->on_sample(bench, bench->last);
    return fine && !bench->awaiting;
}

/* Collects in short intervals, so that silence is detected at once. */
static enum aw_status collect_until(struct aw_bench *bench, int64_t deadline)
{
    struct aw_clock *clock = bench->session->clock;
    double silence_s = bench->guard.config.silence_s;
    uint64_t before = bench->samples;
    enum aw_status status = AW_OK;
    bool enough = false;
    while (status == AW_OK && !enough) {
        int64_t patience = aw_clock_after(aw_clock_now(clock), silence_s);
        status = bench->hooks->idle(bench, aw_sooner(deadline, patience));
        /* This program itself may have been suspended; queued messages then show that the device
         * was not silent. */
        if (status == AW_OK && now_s(bench) - bench->guard.last_s > silence_s)
            status = bench->hooks->idle(bench, aw_clock_after(aw_clock_now(clock), LATE_S));
        aw_motion_wait(&bench->guard, now_s(bench));
        status = judged(bench, status);
        enough = aw_clock_now(clock) >= deadline || (bench->awaiting && bench->samples > before);
    }
    return status;
}

enum aw_status aw_bench_collect(struct aw_bench *bench, double seconds)
{
    return collect_until(bench, aw_clock_after(aw_clock_now(bench->session->clock), seconds));
}

enum aw_status aw_bench_await_pace(struct aw_bench *bench)
{
    int64_t due = bench->hooks->due ? bench->hooks->due(bench) : INT64_MIN;
    bool waits = aw_clock_now(bench->session->clock) < due;
    return judged(bench, waits ? collect_until(bench, due) : AW_OK);
}

enum aw_status aw_bench_await_turn(struct aw_bench *bench)
{
    uint64_t before = bench->samples;
    enum aw_status status = aw_bench_await_pace(bench);
    if (status != AW_OK || bench->samples > before)
        return status;
    bench->awaiting = true;
    status = aw_bench_collect(bench, 2 * bench->guard.config.silence_s);
    bench->awaiting = false;
    return status;
}

static enum aw_status send_setpoint(struct aw_bench *bench, double setpoint)
{
    enum aw_status status = aw_bench_await_pace(bench);
    if (status != AW_OK)
        return status;
    bench->commanded = setpoint;
    return bench->hooks->setpoint(bench, setpoint);
}

enum aw_status aw_bench_drive(struct aw_bench *bench, double setpoint)
{
    bench->target = setpoint * bench->joint.scale;
    return send_setpoint(bench, setpoint);
}

enum aw_status aw_bench_push(struct aw_bench *bench, double setpoint)
{
    bench->target = NAN;
    return send_setpoint(bench, setpoint);
}

enum aw_status aw_bench_restart(struct aw_bench *bench)
{
    aw_table_free(&bench->table);
    bench->start_ns = aw_joints_now(bench->session);
    return aw_table_init(&bench->table, columns, AW_BENCH_COLUMNS, &bench->session->err);
}

static enum aw_status save(struct aw_bench *bench, const char *path)
{
    struct aw_session *session = bench->session;
    FILE *file;
    enum aw_status status = aw_session_create(session, NULL, path, &file);
    if (status != AW_OK)
        return status;
    status = aw_table_write(file, &bench->table, &session->err);
    if (!aw_file_close(file) && (status == AW_OK || status == AW_LOST))
        status = aw_file_fail(&session->err, NULL, path);
    return status;
}

enum aw_status aw_bench_end(struct aw_bench *bench, enum aw_status status)
{
    const char *path = save_path(bench);
    if (status != AW_STOPPED && bench->session->motion.moving)
        status = bench->hooks->end(bench, status);
    /* the message must not claim an end that the device has not confirmed */
    if (bench->session->motion.moving && bench->guard.verdict != AW_MOTION_FINE) {
        bench->guard.config.ended = "ended";
        judged(bench, AW_OK);
    }
    if (path && bench->table.n_rows && status == AW_OK)
        status = save(bench, path);
    return status;
}

void aw_bench_free(struct aw_bench *bench)
{
    aw_table_free(&bench->table);
    aw_joints_free(&bench->list);
}

double *aw_bench_columns(const struct aw_table *table, size_t first)
{
    size_t n = table->n_rows - first;
    double *values = malloc((n * AW_BENCH_COLUMNS + 1) * sizeof *values);
    for (size_t i = 0; values && i < n; i++)
        for (int c = 0; c < AW_BENCH_COLUMNS; c++)
            values[(size_t)c * n + i] = aw_table_cell(table, first + i, c);
    return values;
}

enum aw_status aw_bench_check_moved(const struct aw_bench *bench, size_t first, double distance)
{
    const struct aw_table *table = &bench->table;
    double low = INFINITY, high = -INFINITY;
    for (size_t i = first; i < table->n_rows; i++) {
        double measured = aw_table_cell(table, i, AW_BENCH_MEASURED);
        low = fmin(low, measured);
        high = fmax(high, measured);
    }
    if (high - low >= fmin(bench->joint.least * bench->joint.scale, fabs(distance) / 2))
        return AW_OK;
    return aw_fail(&bench->session->err, AW_REFUSED,
                   "%s: no motion: %s stayed at %.4g %s — check that it is powered, enabled and "
                   "free to move",
                   bench->session->run.command->name, bench->joint.name,
                   bench->last[AW_BENCH_MEASURED], bench->joint.unit);
}

enum aw_status aw_bench_write_drawn(struct aw_session *session, char *drawn, size_t size,
                                    const char *path)
{
    FILE *file;
    if (!drawn)
        return session->err.status;
    enum aw_status status = aw_session_create(session, NULL, path, &file);
    if (status == AW_OK) {
        fwrite(drawn, 1, size, file);
        if (!aw_file_close(file))
            status = aw_file_fail(&session->err, NULL, path);
    }
    free(drawn);
    return status;
}

enum aw_status aw_bench_write_chart(struct aw_session *session, const struct aw_chart *chart,
                                    const char *path)
{
    size_t size;
    char *drawn = aw_picture_draw(session, chart, path, &size);
    return aw_bench_write_drawn(session, drawn, size, path);
}

void aw_bench_title(struct aw_bench *bench, char out[AW_BENCH_TITLE])
{
    char what[112];
    snprintf(what, sizeof what, "%s", bench->joint.name);
    if (bench->hooks->about)
        bench->hooks->about(bench->session, &bench->joint, what, sizeof what);
    aw_picture_title(bench->session, what, AW_NO_TIME, out, AW_BENCH_TITLE);
}

enum aw_status aw_bench_plot(struct aw_bench *bench)
{
    char title[AW_BENCH_TITLE];
    const char *path = aw_experiment_given(bench->session)->plot;
    size_t n = bench->table.n_rows;
    if (!path || n == 0)
        return AW_OK;
    double *values = aw_bench_columns(&bench->table, 0);
    if (!values)
        return aw_no_memory(&bench->session->err);
    const double *t = values + AW_BENCH_T * n;
    struct aw_series angles[] = {
        {.label = "measured", .x = t, .y = values + AW_BENCH_MEASURED * n, .n = n},
        {.label = "setpoint",
         .x = t,
         .y = values + AW_BENCH_SETPOINT * n,
         .n = n,
         .colour = 1,
         .dashed = true,
         .stairs = true},
    };
    struct aw_series output[] = {
        {.label = "output", .x = t, .y = values + AW_BENCH_OUTPUT * n, .n = n}};
    struct aw_panel panels[] = {
        {.label = *bench->joint.mode ? bench->joint.mode : "angle",
         .unit = bench->joint.unit,
         .series = angles,
         .n = 2},
        {.label = "control output", .unit = "of full scale", .series = output, .n = 1},
    };
    aw_bench_title(bench, title);
    struct aw_chart chart = {
        .title = title, .x_label = "time", .x_unit = "s", .panels = panels, .n = 2};
    enum aw_status status = aw_bench_write_chart(bench->session, &chart, path);
    free(values);
    return status;
}

void aw_bench_report(struct aw_bench *bench, const char *cmd)
{
    struct aw_object *result = &bench->session->result;
    aw_object_start(result, cmd);
    aw_object_copy(result, aw_bench_place(bench->session), bench->joint.name);
    if (*bench->joint.mode)
        aw_object_copy(result, "controller", bench->joint.mode);
}

void aw_bench_report_metric(struct aw_session *session, const char *key, enum aw_metric metric,
                            double value, const char *unit)
{
    const struct aw_metric_row *row = aw_metric(metric);
    aw_object_number(&session->result, key, value, 5, row->takes_unit ? unit : NULL);
    session->result.entries[session->result.n - 1].unit_after = row->unit_after;
}

const char *aw_bench_metric_unit(char out[40], enum aw_metric metric, const char *unit)
{
    const struct aw_metric_row *row = aw_metric(metric);
    const char *own = row->takes_unit ? unit : "";
    snprintf(out, 40, "%s%.20s%s", *own || *row->unit_after ? " " : "", own, row->unit_after);
    return out;
}

const char *aw_bench_metric_cell(char out[AW_BENCH_CELL], enum aw_metric metric, double value)
{
    if (!aw_metric_reached(value))
        return metric == AW_RISE_TIME       ? "below 90 %"
               : metric == AW_SETTLING_TIME ? "unsettled"
                                            : "-";
    *aw_print_fixed(out, value, 5) = '\0';
    return out;
}
