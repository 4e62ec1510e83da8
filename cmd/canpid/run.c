/* The loop behind step, sweep and tune: drives one board, stores its samples, disables it at the
 * end. */
#include "run.h"

#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/file.h"
#include "base/text.h"
#include "shell/commands/picture.h"
#include "shell/core/dry.h"

static const char *const columns[RUN_COLUMNS] = {"t", "setpoint", "measured", "output"};

static const char *save_path(const struct canpid_run *run)
{
    static const char *const options[] = {
        [RUN_SAVES_SAMPLES] = "save", [RUN_SAVES_MODEL] = "samples"};
    return run->saves == RUN_SAVES_NOTHING ? NULL : aw_option(run->session, options[run->saves]);
}

static const char *name_of(struct canpid_run *run)
{
    struct canpid_state *state = run->session->state;
    return aw_canpid_board_name(&run->session->wire->variant, run->board, state->name);
}

/* One that reports an error is not moved in the first place. */
static enum aw_status check_driver(struct canpid_run *run)
{
    static const int64_t patience_ns = 100 * AW_MILLISECOND;
    struct aw_session *session = run->session;
    const struct aw_canpid *client = canpid_of(session);
    const struct aw_canpid_stream *stream =
        &aw_canpid_board(canpid_of(session), run->board)->streams[AW_CANPID_SENSORS];
    int64_t deadline = aw_clock_now(session->clock) + patience_ns;
    enum aw_status status = AW_OK;
    while (status == AW_OK && stream->count == 0 && aw_clock_now(session->clock) < deadline)
        status = canpid_wait(session, 0.01);
    const char *fault = canpid_fault(client, run->board);
    if (status == AW_OK && fault)
        return aw_fail(&session->err, AW_REFUSED,
                       "%s: it reports %s — nothing is moved; see to that first", name_of(run),
                       fault);
    return status;
}

enum aw_status canpid_run_begin_with(struct canpid_run *run, unsigned board, int controller)
{
    struct aw_session *session = run->session;
    enum aw_status status = AW_OK;
    *run = (struct canpid_run){.session = session,
                               .saves = run->saves,
                               .board = board,
                               .controller = controller,
                               .max_deviation = run->max_deviation,
                               .began_ns = aw_clock_now(session->clock)};
    if (!(run->max_deviation > 0))
        status = canpid_max_deviation(session, controller, NULL, &run->max_deviation);
    if (status == AW_OK && aw_flag(session, "dry-run"))
        status = aw_dry_depends(session, "what the telemetry shows");
    if (status == AW_OK)
        status = aw_table_init(&run->table, columns, RUN_COLUMNS, &session->err);
    if (status == AW_OK)
        status = canpid_ready(session);
    if (status != AW_OK)
        return status;
    run->scale = aw_canpid_full_scale(run->controller);
    run->unit = aw_canpid_unit(run->controller);
    ((struct canpid_state *)session->state)->n_old = 0;
    status = canpid_telemetry(session, run->board);
    if (status == AW_OK)
        status = check_driver(run);
    canpid_run_watch(run);
    return status;
}

enum aw_status canpid_run_begin(struct canpid_run *run, struct aw_session *session)
{
    unsigned board = 0;
    int controller = 0;
    run->session = session;
    enum aw_status status = canpid_one_board(session, &board);
    if (status == AW_OK)
        status = canpid_controller(session, true, &controller);
    /* A run must not be made in vain. */
    const char *paths[] = {save_path(run), aw_option(session, "plot")};
    bool dry = aw_flag(session, "dry-run");
    for (size_t i = 0; i < sizeof paths / sizeof *paths && status == AW_OK && !dry; i++)
        if (paths[i])
            status = aw_file_check(paths[i], &session->err);
    return status == AW_OK ? canpid_run_begin_with(run, board, controller) : status;
}

/* ---- Looking after the joint -------------------------------------------------------------------
 */

static double now_s(const struct canpid_run *run)
{
    return (double)aw_clock_now(run->session->clock) / 1e9;
}

void canpid_run_watch(struct canpid_run *run)
{
    if (run->guard.motion.verdict == AW_MOTION_FINE)
        canpid_guard_start(&run->guard, run->board, run->controller, run->max_deviation,
                           now_s(run));
}

static enum aw_status judged(struct canpid_run *run, enum aw_status status)
{
    if (status != AW_OK || run->guard.motion.verdict == AW_MOTION_FINE)
        return status;
    return aw_motion_fail(&run->guard.motion, name_of(run), run->unit, &run->session->err);
}

/* "sweep 3 of 10 s, lknee 12.4 deg" */
static void show_progress(struct canpid_run *run)
{
    struct aw_session *session = run->session;
    char name[AW_CANPID_NAME_MAX], of[24] = "";
    double s = (double)(aw_clock_now(session->clock) - run->began_ns) / 1e9;
    if (run->total_s > 0)
        snprintf(of, sizeof of, " of %.0f", run->total_s);
    aw_session_work(session, "%s %.0f%s s, %s %.1f %s",
                    session->run.command ? session->run.command->name : "", s, of,
                    aw_canpid_board_name(&session->wire->variant, run->board, name),
                    run->last[RUN_MEASURED], run->unit);
}

static void take_sample(struct canpid_run *run, const struct aw_canpid_board *board)
{
    static const double step = 1.0 / 32768; /* of the wire */
    /* The setpoint that was commanded, where it is that: exactly, and not to one step. */
    double setpoint = fabs(board->setpoint / 100 - run->commanded) < step
                          ? run->commanded * run->scale
                          : aw_canpid_from_percent(run->controller, board->setpoint);
    run->last[RUN_T] = (double)(aw_clock_now(run->session->clock) - run->start_ns) / 1e9;
    run->last[RUN_SETPOINT] = setpoint;
    run->last[RUN_MEASURED] = aw_canpid_from_percent(run->controller, board->measured);
    run->last[RUN_OUTPUT] = board->output / 100;
    aw_table_add(&run->table, run->last, NULL);
    run->samples++;
    show_progress(run);
    if (run->on_sample)
        run->on_sample(run, run->last);
}

static bool on_frame(void *context, const struct aw_received *received)
{
    struct canpid_run *run = context;
    struct aw_canpid *client = canpid_of(run->session);
    bool fine = canpid_guard_see(&run->guard, client, received->record, now_s(run));
    if (!received->record || aw_record_get(received->record, "board") != run->board ||
        received->record->codec != client->codecs[AW_CANPID_PID])
        return fine;
    take_sample(run, aw_canpid_board(client, run->board));
    return fine && !run->awaiting;
}

/* In pieces, so that silence is noticed while it lasts. */
static enum aw_status collect_until(struct canpid_run *run, int64_t deadline)
{
    struct aw_clock *clock = run->session->clock;
    double silence_s = run->guard.motion.config.silence_s;
    uint64_t before = run->samples;
    enum aw_status status = AW_OK;
    bool enough = false;
    while (status == AW_OK && !enough) {
        int64_t patience = aw_clock_after(aw_clock_now(clock), silence_s);
        status = aw_canpid_idle(canpid_of(run->session), aw_sooner(deadline, patience), on_frame,
                                run, &run->session->err);
        aw_motion_wait(&run->guard.motion, now_s(run));
        status = judged(run, status);
        enough = aw_clock_now(clock) >= deadline || (run->awaiting && run->samples > before);
    }
    return status;
}

enum aw_status canpid_run_collect(struct canpid_run *run, double seconds)
{
    return collect_until(run, aw_clock_after(aw_clock_now(run->session->clock), seconds));
}

/* Whatever is sent waits here for its turn, and not in the client, which looks after nothing. */
static enum aw_status await_pace(struct canpid_run *run)
{
    int64_t paced = aw_canpid_paced_ns(canpid_of(run->session), run->board);
    bool waits = aw_clock_now(run->session->clock) < paced;
    return judged(run, waits ? collect_until(run, paced) : AW_OK);
}

enum aw_status canpid_run_await_turn(struct canpid_run *run)
{
    uint64_t before = run->samples;
    enum aw_status status = await_pace(run);
    if (status != AW_OK || run->samples > before)
        return status;
    run->awaiting = true;
    status = canpid_run_collect(run, 2 * run->guard.motion.config.silence_s);
    run->awaiting = false;
    return status;
}

static enum aw_status send_setpoint(struct canpid_run *run, double normalised)
{
    struct aw_session *session = run->session;
    enum aw_status status = await_pace(run);
    if (status != AW_OK)
        return status;
    ((struct canpid_state *)session->state)->driven = AW_CANPID_BIT(run->board);
    run->commanded = run->guard.commanded = normalised;
    aw_session_moves(session);
    return aw_canpid_setpoint(canpid_of(session), run->board, run->controller, normalised, NULL,
                              &session->err);
}

enum aw_status canpid_run_drive(struct canpid_run *run, double normalised)
{
    run->guard.target = normalised * run->scale;
    return send_setpoint(run, normalised);
}

enum aw_status canpid_run_push(struct canpid_run *run, double normalised)
{
    run->guard.target = NAN;
    return send_setpoint(run, normalised);
}

enum aw_status canpid_run_switch(struct canpid_run *run)
{
    return canpid_run_push(run, AW_CANPID_DISABLE);
}

void canpid_list_gains(unsigned board, int controller, struct aw_gains gains,
                       struct aw_canpid_gain_at out[AW_CANPID_GAINS])
{
    out[0] = (struct aw_canpid_gain_at){board, controller, AW_CANPID_KD, gains.kd};
    out[1] = (struct aw_canpid_gain_at){board, controller, AW_CANPID_KI, gains.ki};
    out[2] = (struct aw_canpid_gain_at){board, controller, AW_CANPID_KP, gains.kp};
}

enum aw_status canpid_run_gains(struct canpid_run *run, struct aw_gains gains)
{
    struct aw_canpid_gain_at all[AW_CANPID_GAINS];
    enum aw_status status = AW_OK;
    canpid_list_gains(run->board, run->controller, gains, all);
    for (int i = 0; i < AW_CANPID_GAINS && status == AW_OK; i++) {
        status = await_pace(run);
        if (status == AW_OK)
            status = aw_canpid_set(canpid_of(run->session), &all[i], NULL, &run->session->err);
    }
    return status;
}

enum aw_status canpid_run_restart(struct canpid_run *run)
{
    aw_table_free(&run->table);
    run->start_ns = aw_clock_now(run->session->clock);
    return aw_table_init(&run->table, columns, RUN_COLUMNS, &run->session->err);
}

static enum aw_status save(struct canpid_run *run, const char *path)
{
    struct aw_session *session = run->session;
    FILE *file;
    enum aw_status status = aw_session_create(session, NULL, path, &file);
    if (status != AW_OK)
        return status;
    status = aw_table_write(file, &run->table, &session->err);
    if (!aw_file_close(file) && status == AW_OK)
        status = aw_file_fail(&session->err, NULL, path);
    return status;
}

enum aw_status canpid_run_end(struct canpid_run *run, enum aw_status status)
{
    const char *path = save_path(run);
    if (status != AW_STOPPED && run->session->motion.moving)
        status = canpid_end_motion(run->session, status);
    run->guard.enabled = false;
    if (path && run->table.n_rows && status == AW_OK)
        status = save(run, path);
    return status;
}

void canpid_run_free(struct canpid_run *run)
{
    aw_table_free(&run->table);
}

double *canpid_run_columns(const struct aw_table *table, size_t first)
{
    size_t n = table->n_rows - first;
    double *values = malloc((n * RUN_COLUMNS + 1) * sizeof *values);
    for (size_t i = 0; values && i < n; i++)
        for (int c = 0; c < RUN_COLUMNS; c++)
            values[(size_t)c * n + i] = aw_table_cell(table, first + i, c);
    return values;
}

enum aw_status canpid_write_drawn(struct aw_session *session, char *drawn, size_t size,
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

enum aw_status canpid_write_chart(struct aw_session *session, const struct aw_chart *chart,
                                  const char *path)
{
    size_t size;
    char *drawn = aw_picture_draw(chart, path, &size, &session->err);
    return canpid_write_drawn(session, drawn, size, path);
}

void canpid_about(struct aw_session *session, unsigned board, int controller, char *out,
                  size_t size)
{
    const struct canpid_state *state = session->state;
    char name[AW_CANPID_NAME_MAX];
    snprintf(out, size, "%s %s", aw_canpid_board_name(&session->wire->variant, board, name),
             aw_canpid_controller_name(controller));
    for (int k = 0; k < AW_CANPID_GAINS; k++) {
        const struct aw_gain *sent = &state->client.gains.of[board / 32][controller][k];
        const struct aw_gain *before = &state->remembered.of[board / 32][controller][k];
        const struct aw_gain *gain = sent->known ? sent : before;
        if (gain->known)
            aw_append(out, size, " ", "%s %.4g", aw_canpid_gain_name((enum aw_canpid_gain)k),
                      (double)gain->value);
    }
}

enum aw_status canpid_run_plot(struct canpid_run *run)
{
    char title[160], what[112];
    const char *path = aw_option(run->session, "plot");
    size_t n = run->table.n_rows;
    if (!path || n == 0)
        return AW_OK;
    double *values = canpid_run_columns(&run->table, 0);
    if (!values)
        return aw_no_memory(&run->session->err);
    const double *t = values + RUN_T * n;
    struct aw_series angles[] = {
        {.label = "measured", .x = t, .y = values + RUN_MEASURED * n, .n = n},
        {.label = "setpoint",
         .x = t,
         .y = values + RUN_SETPOINT * n,
         .n = n,
         .dashed = true,
         .stairs = true},
    };
    struct aw_series output[] = {{.label = "output", .x = t, .y = values + RUN_OUTPUT * n, .n = n}};
    struct aw_panel panels[] = {
        {.label = aw_canpid_controller_name(run->controller),
         .unit = run->unit,
         .series = angles,
         .n = 2},
        {.label = "control output", .unit = "of full scale", .series = output, .n = 1},
    };
    canpid_about(run->session, run->board, run->controller, what, sizeof what);
    aw_picture_title(run->session, what, AW_NO_TIME, title, sizeof title);
    struct aw_chart chart = {
        .title = title, .x_label = "time", .x_unit = "s", .panels = panels, .n = 2};
    enum aw_status status = canpid_write_chart(run->session, &chart, path);
    free(values);
    return status;
}

void canpid_run_report(struct canpid_run *run, const char *cmd)
{
    struct aw_session *session = run->session;
    char *name = ((struct canpid_state *)session->state)->name;
    aw_object_start(&session->result, cmd);
    aw_object_text(&session->result, "board",
                   aw_canpid_board_name(&session->wire->variant, run->board, name));
    aw_object_text(&session->result, "controller", aw_canpid_controller_name(run->controller));
}

void canpid_report_metric(struct aw_session *session, const char *key, enum aw_metric metric,
                          double value, const char *unit)
{
    const struct aw_metric_row *row = aw_metric(metric);
    bool known = !row->takes_unit || unit;
    aw_object_number(&session->result, key, value, 5, row->takes_unit ? unit : NULL);
    session->result.entries[session->result.n - 1].unit_after = known ? row->unit_after : NULL;
}

const char *canpid_metric_cell(char out[CANPID_CELL], enum aw_metric metric, double value,
                               bool change)
{
    if (!aw_metric_reached(value))
        return change                       ? "-"
               : metric == AW_RISE_TIME     ? "never 90 %"
               : metric == AW_SETTLING_TIME ? "no rest"
                                            : "-";
    *out = '+';
    *aw_print_fixed(out + (change && value > 0), value, 5) = '\0';
    return out;
}
