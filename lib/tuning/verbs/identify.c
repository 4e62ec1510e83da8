/* identify: fits a process model of one joint to an experiment or a file. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/file.h"
#include "base/number.h"
#include "capture/times.h"
#include "tuning/verbs/trials.h"
#include "tuning/verbs/verbs.h"

#define MIN_CHANGE  0.03 /* min change of the input, as a share of its range */
#define MIN_ROWS    5    /* min rows at rest */
#define MAX_SCATTER 10   /* max variation at rest, as a multiple of the noise */

/* ---- Output ---- */

/* Prints a value with its 95 % interval, "0.0301 ± 0.0004". */
static void print_value(struct aw_session *session, const char *name, double value,
                        double half_width, const char *unit)
{
    if (isnan(half_width))
        aw_output_print(&session->out, "%-18s %10.4g            %s\n", name, value, unit);
    else
        aw_output_print(&session->out, "%-18s %10.4g ± %-8.2g %s\n", name, value, half_width, unit);
}

static void print_gain(struct aw_session *session, const struct aw_fit *fit)
{
    const char *unit = !aw_experiment_sends_gains(session) ? "of the setpoint"
                       : fit->process.integrating          ? "of full scale per s"
                                                           : "of full scale";
    print_value(session, "gain", fit->process.gain, fit->half_widths.gain, unit);
}

static size_t count_coherent(const struct aw_model *m)
{
    size_t n = 0;
    for (size_t i = 0; i < m->n_points; i++)
        n += m->points[i].coherence >= AW_COHERENT;
    return n;
}

/* Prints the measured points of the frequency response in one line, or as a table with -v. */
static void print_points(struct aw_session *session, const struct aw_model *m)
{
    struct aw_output *out = &session->out;
    if (m->n_points == 0)
        return;
    if (!session->options.print.verbose) {
        aw_output_print(out, "%-18s %10zu            measured, %zu reliable; -v lists them\n",
                        "frequencies", m->n_points, count_coherent(m));
        return;
    }
    aw_output_print(out, "\n%9s %10s %10s %10s\n", "Hz", "gain dB", "phase deg", "coherence");
    for (size_t i = 0; i < m->n_points; i++)
        aw_output_print(out, "%9.3g %10.2f %10.1f %10.2f%s\n", m->points[i].frequency_hz,
                        20 * log10(m->points[i].gain), m->points[i].phase_deg,
                        m->points[i].coherence,
                        m->points[i].coherence < AW_COHERENT ? "  not reliable" : "");
}

void aw_experiment_print_model(struct aw_session *session, const struct aw_model *m)
{
    static const char *const kinds[AW_PROCESS_KINDS] = {
        "first order with dead time", "integrator with lag and dead time",
        "second order with dead time", "third order with dead time"};
    const struct aw_fit *fit = &m->fit;
    struct aw_output *out = &session->out;
    double tau1, tau2, damping;
    aw_process_lags(&fit->process, &tau1, &tau2, &damping);
    aw_output_print(out, "%-18s %s%s\n", "model", kinds[aw_process_kind_of(&fit->process)],
                    aw_fit_is_linear(fit) ? "" : ": nearest linear model");
    print_gain(session, fit);
    print_value(session, "dead time", fit->process.dead_time_s, fit->half_widths.dead_time,
                aw_fit_has_dead_time(fit) ? "s" : "s: uncertain by more than a sample interval");
    print_value(session, fit->process.a2 > 0 ? "lag 1" : "lag", tau1, fit->half_widths.tau1, "s");
    if (fit->process.a2 > 0)
        print_value(session, "lag 2", tau2, fit->half_widths.tau2, "s");
    if (fit->process.a3 > 0)
        print_value(session, "further lag", fit->process.a3, fit->half_widths.tau3, "s");
    if (fabs(fit->process.lead) > 0)
        print_value(session, "zero", fit->process.lead, NAN, "s");
    if (damping < 1)
        print_value(session, "damping", damping, NAN, "(underdamped)");
    if (aw_experiment_sends_gains(session))
        print_value(session, "dead band", fit->dead_band, fit->half_widths.dead_band,
                    "of full scale");
    aw_output_print(out, "%-18s %10.1f %%          on data not used for the fit%s\n", "fit",
                    100 * fit->held_out, aw_fit_is_trusted(fit) ? ": reliable" : ": not reliable");
    aw_output_print(out, "%-18s %10.1f %%          on data used for the fit\n", "",
                    100 * fit->used);
    if (fit->piece_s > 0)
        aw_output_print(out, "%-18s %10.2g s          slower effects were not checked\n", "",
                        fit->piece_s);
    char tick[AW_EXPERIMENT_TICK_TEXT];
    if (aw_experiment_sends_gains(session))
        aw_output_print(out, "%-18s %s\n", "control period",
                        aw_experiment_tick_text(session, &m->tick, tick));
    aw_output_print(out, "%-18s %10.3g            %s; steps of %.3g\n", "noise",
                    m->grain.noise * m->full_scale, m->unit, m->grain.quantum * m->full_scale);
    print_points(session, m);
}

void aw_experiment_warn_of_model(struct aw_session *session, const struct aw_model *m)
{
    if (!aw_fit_explains_data(&m->fit))
        aw_session_print_notice(
            session,
            "model not reliable: its fit on unused data is %.0f %%, below %.0f %% — "
            "increase %s--max-deviation or --for, and check what else moves the "
            "joint",
            100 * m->fit.held_out, 100 * AW_FIT_TRUSTED,
            aw_experiment_sends_gains(session) ? "--amplitude, " : "");
    else if (!aw_fit_has_dead_time(&m->fit))
        aw_session_print_notice(
            session,
            "dead time uncertain by ± %.2g ms, more than one sample interval (%.2g "
            "ms); gains for the longest dead time are slow — %s",
            1000 * m->fit.half_widths.dead_time, 1000 * m->fit.interval_s,
            aw_experiment_sends_gains(session) ? "identify again with --with relay"
                                               : "measure longer (--for)");
}

static void add_half_width(struct aw_object *result, const char *key, double half_width)
{
    if (isfinite(half_width))
        aw_object_add_number(result, key, half_width, -4, NULL);
}

static void report_model(struct aw_session *session, const struct aw_model *m)
{
    struct aw_object *result = &session->result;
    const struct aw_fit *fit = &m->fit;
    double tau1, tau2;
    aw_process_lags(&fit->process, &tau1, &tau2, NULL);
    aw_object_add_text(result, "kind", aw_process_kind_name(aw_process_kind_of(&fit->process)));
    aw_object_add_number(result, "gain", fit->process.gain, -4, NULL);
    add_half_width(result, "gain_half", fit->half_widths.gain);
    aw_object_add_number(result, "dead_time", fit->process.dead_time_s, -4, "s");
    add_half_width(result, "dead_time_half", fit->half_widths.dead_time);
    aw_object_add_number(result, fit->process.a2 > 0 ? "tau1" : "tau", tau1, -4, "s");
    add_half_width(result, fit->process.a2 > 0 ? "tau1_half" : "tau_half", fit->half_widths.tau1);
    if (fit->process.a2 > 0)
        aw_object_add_number(result, "tau2", tau2, -4, "s");
    if (fit->process.a3 > 0)
        aw_object_add_number(result, "tau3", fit->process.a3, -4, "s");
    if (fabs(fit->process.lead) > 0)
        aw_object_add_number(result, "lead", fit->process.lead, -4, "s");
    aw_object_add_number(result, "dead_band", fit->dead_band, -4, NULL);
    if (aw_experiment_sends_gains(session))
        aw_experiment_report_tick(session, &m->tick);
    aw_object_add_number(result, "fit", 100 * fit->held_out, 1, "%");
    aw_object_add_number(result, "fit_used", 100 * fit->used, 1, "%");
    aw_object_add_truth(result, "trusted", aw_fit_is_trusted(fit));
    aw_object_add_truth(result, "linear", aw_fit_is_linear(fit));
    aw_object_add_number(result, "noise", m->grain.noise * m->full_scale, -4, NULL);
    aw_object_add_count(result, "points", m->n_points);
    aw_object_add_count(result, "coherent", count_coherent(m));
    aw_object_add_count(result, "samples", fit->n);
}

/* ---- Recorded files ---- */

/* Finds a column by name; "measured" also matches "measured [deg]". unit becomes the text in
 * brackets, or "". */
static enum aw_status find_column(struct aw_session *session, const struct aw_table *table,
                                  const char *name, int *column, char unit[16])
{
    char base[64];
    *column = aw_table_find(table, name);
    for (size_t i = 0; *column < 0 && i < table->n_columns; i++) {
        aw_split_unit(table->names[i], base, sizeof base, unit);
        if (strcmp(base, name) == 0 && strpbrk(table->names[i], "[("))
            *column = (int)i;
    }
    name = *column < 0 ? name : table->names[*column];
    aw_split_unit(name, base, sizeof base, unit);
    if (!strpbrk(name, "[("))
        unit[0] = '\0';
    return aw_table_get_column(table, name, column, &session->err);
}

/* Finds the time column: the one of --time, or one with a usual name. scale: seconds per unit. */
static enum aw_status find_time(struct aw_session *session, const struct aw_table *table,
                                int *column, double *scale)
{
    char unit[16], text[24];
    struct aw_time_column time;
    if (aw_options_find(&session->options, "time")->origin == AW_FROM_DEFAULT)
        return aw_table_find_time(table, column, scale, &session->err);
    enum aw_status status =
        find_column(session, table, aw_record_given(session)->time, column, unit);
    if (status != AW_OK)
        return status;
    *scale = aw_time_column(table->names[*column], &time) ? time.scale : 1;
    snprintf(text, sizeof text, "1%s", unit);
    return *unit ? aw_number_parse_unit(text, "s", scale, &session->err) : AW_OK;
}

/* Reads the columns of a file as samples, which the caller frees. The input is both their setpoint
 * and their output. */
static enum aw_status read_samples(struct aw_session *session, const char *path,
                                   struct aw_sample **samples, size_t *n, char unit[16])
{
    const struct aw_record_options *given = aw_record_given(session);
    struct aw_table table = {0};
    int t, input, measured;
    double scale;
    char input_unit[16];
    enum aw_status status = aw_table_read(NULL, path, &table, &session->err);
    if (status == AW_OK)
        status = find_time(session, &table, &t, &scale);
    if (status == AW_OK)
        status = find_column(session, &table, given->input, &input, input_unit);
    if (status == AW_OK)
        status = find_column(session, &table, given->output, &measured, unit);
    if (status == AW_OK && !(*samples = calloc(table.n_rows + 1, sizeof **samples)))
        status = aw_no_memory(&session->err);
    *n = status == AW_OK ? table.n_rows : 0;
    for (size_t i = 0; i < *n; i++) {
        double value = aw_table_cell(&table, i, input);
        (*samples)[i] = (struct aw_sample){.t = aw_table_cell(&table, i, t) * scale,
                                           .setpoint = value,
                                           .measured = aw_table_cell(&table, i, measured),
                                           .output = value};
    }
    aw_table_free(&table);
    return status;
}

/* Returns the control period. Assumes one sample per period, as in a recording of telemetry. */
static struct aw_tick find_tick(const struct aw_experiment_record *r,
                                const struct aw_experiment_joint *joint)
{
    if (r->tick_s > 0)
        return (struct aw_tick){r->tick_s, NAN, AW_TICK_GIVEN};
    double period_s = (r->samples[r->n - 1].t - r->samples[0].t) / (double)(r->n - 1);
    return (struct aw_tick){aw_experiment_assume_tick(joint, period_s), NAN, AW_TICK_ASSUMED};
}

/* Warns if the joint is not at rest, as the model is, in the rows before the first change of the
 * input. */
static void warn_of_start(struct aw_session *session, const struct aw_experiment_record *r,
                          double noise)
{
    size_t n = 1;
    double low = INFINITY, high = -INFINITY, first = r->samples[0].output, range = 0;
    for (size_t i = 0; i < r->n; i++)
        range = fmax(range, fabs(r->samples[i].output - first));
    while (n < r->n && fabs(r->samples[n].output - first) <= MIN_CHANGE * range)
        n++;
    for (size_t i = 0; i < n; i++) {
        low = fmin(low, r->samples[i].measured);
        high = fmax(high, r->samples[i].measured);
    }
    if (n < MIN_ROWS || high - low > MAX_SCATTER * noise * r->scale)
        aw_session_print_notice(session,
                                "the joint is not at rest before the input changes (row %zu); the "
                                "model may be wrong — record some rows at rest first",
                                n + 1);
}

static enum aw_status identify_file(struct aw_session *session, const char *path,
                                    struct aw_model *model)
{
    struct aw_sample *samples = NULL;
    size_t n = 0;
    char unit[16] = "";
    struct aw_experiment_joint joint;
    struct aw_fit_options options = {.find_dead_band = aw_record_given(session)->dead_band};
    enum aw_status status = aw_experiment_set_mode(session, NULL, false, &joint);
    if (status == AW_OK)
        status = read_samples(session, path, &samples, &n, unit);
    const struct aw_experiment_record record = {.samples = samples,
                                                .n = n,
                                                .scale = joint.scale,
                                                .tick_s = aw_experiment_given(session)->tick_s,
                                                .driver = joint.loop.driver,
                                                .is_servo = !aw_experiment_sends_gains(session)};
    if (status == AW_OK)
        status = aw_experiment_fit(session, &record, &options, model);
    if (status == AW_OK && !record.is_servo) {
        struct aw_tick tick = find_tick(&record, &joint);
        aw_model_set_tick(model, &tick);
    }
    if (status == AW_OK) {
        warn_of_start(session, &record, model->grain.noise + model->grain.quantum);
        model->full_scale = joint.scale;
        snprintf(model->unit, sizeof model->unit, "%s", *unit ? unit : joint.unit);
        snprintf(model->source, sizeof model->source, "%s, %zu samples", path, n);
        snprintf(model->controller, sizeof model->controller, "%s", joint.mode);
    }
    free(samples);
    return status;
}

/* ---- The command ---- */

static enum aw_status run_experiment(struct aw_session *session, const struct aw_args *args,
                                     struct aw_model *model)
{
    struct aw_experiment experiment;
    struct aw_excitation *e = calloc(1, sizeof *e);
    if (!e)
        return aw_no_memory(&session->err);
    enum aw_status status = aw_experiment_init(&experiment, session, args);
    experiment.save_path = aw_experiment_given(session)->samples; /* --save is for the model */
    if (status == AW_OK)
        status = aw_experiment_begin(&experiment);
    if (status == AW_OK)
        status = aw_excitation_plan(&experiment, e);
    if (status == AW_OK) {
        if (aw_experiment_sends_gains(session))
            aw_experiment_find_gains(&experiment, NULL, "");
        status = aw_experiment_end(&experiment, aw_excitation_perform(&experiment, e));
    }
    if (status == AW_OK)
        status = aw_excitation_model(&experiment, e, model);
    aw_experiment_free(&experiment);
    free(e);
    return status;
}

enum aw_status aw_run_identify(struct aw_session *session, const struct aw_args *args)
{
    struct aw_model *model = calloc(1, sizeof *model);
    const char *from = aw_experiment_given(session)->from,
               *save = aw_experiment_given(session)->save;
    const char *picture = aw_experiment_given(session)->plot;
    if (!model)
        return aw_no_memory(&session->err);
    enum aw_status status = save ? aw_file_check(save, &session->err) : AW_OK;
    if (status == AW_OK)
        status = from ? identify_file(session, from, model) : run_experiment(session, args, model);
    if (status == AW_OK) {
        aw_object_start(&session->result, "identify");
        report_model(session, model);
        if (aw_session_is_text(session)) {
            aw_experiment_print_model(session, model);
            session->result.cmd = NULL;
        }
        aw_experiment_warn_of_model(session, model);
    }
    if (status == AW_OK && picture)
        status = aw_experiment_draw_bode(session, model, picture);
    if (status == AW_OK && save)
        status = aw_model_save(model, save, &session->err);
    free(model);
    return status;
}

/* clang-format off */
const struct aw_command aw_custom_identify_command = {
    AW_IDENTIFY_ROW("a custom joint", AW_CUSTOM_DEVIATION, AW_IDENTIFY_OPTIONS), .for_custom = true,
    .args = AW_ARGS(
        {.name = "joint", .complete = aw_joints_complete, .optional = true,
         .help = "joint of the packet file; none with --from"}),
    .details = "The model maps the setpoint of the joint to its position. The joint returns to "
        "its start."};
/* clang-format on */
