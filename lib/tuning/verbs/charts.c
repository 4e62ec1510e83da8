/* Pictures of samples, models and loops. */
#include <complex.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#include "base/file.h"
#include "shell/look/picture.h"
#include "tuning/predict.h"
#include "tuning/verbs/trials.h"

#define BODE           200
#define LONGEST_S      2.0 /* max duration of a drawn step, s */
#define CURVE_POINTS   2000
#define MIN_HZ_DIVISOR 50.0 /* a curve begins at the crossover frequency divided by this */
#define PER_TURN       6.283185307
#define PER_RAD        57.29577951
#define TEXT           48
#define TITLE          160

/* Describes the joint for a title, as plot does: "lknee pos kp 3", "m2 shoulder", "pan". */
static void describe_joint(struct aw_experiment *experiment, char *out, size_t size)
{
    struct aw_session *session = experiment->session;
    const char *name = experiment->joint.name;
    struct aw_joint_list list;
    *out = '\0';
    if (session->tool->records.subject.describe)
        session->tool->records.subject.describe(session, name, out, size);
    if (*out)
        return;
    snprintf(out, size, "%s", name);
    enum aw_status status = aw_joints_list(session, &list);
    size_t i = status == AW_OK ? aw_joints_find_index(&list, name) : list.n;
    if (i < list.n && *list.joints[i].label)
        snprintf(out, size, "%s", list.joints[i].label);
    aw_joints_free(&list);
}

/* Draws panels over time or frequency into a file. */
static enum aw_status draw(struct aw_session *session, const char *contents,
                           const struct aw_panel *panels, size_t n, bool over_frequency,
                           const char *path)
{
    char title[TITLE];
    size_t size;
    FILE *file;
    aw_picture_title(session, contents, AW_NO_TIME, title, sizeof title);
    const struct aw_chart chart = {.title = title,
                                   .x_label = over_frequency ? "frequency" : "time",
                                   .x_unit = over_frequency ? "Hz" : "s",
                                   .log_x = over_frequency,
                                   .panels = panels,
                                   .n_panels = n,
                                   .height = n > 2 ? 760 : 0};
    char *drawn = aw_picture_draw(session, &chart, path, &size);
    if (!drawn)
        return session->err.status;
    enum aw_status status = aw_session_create_file(session, NULL, path, &file);
    if (status == AW_OK) {
        fwrite(drawn, 1, size, file);
        if (!aw_file_close(file))
            status = aw_file_fail(&session->err, NULL, path);
    }
    free(drawn);
    return status;
}

/* ---- Steps ---- */

enum aw_status aw_experiment_plot(struct aw_experiment *experiment)
{
    struct aw_session *session = experiment->session;
    const char *path = aw_experiment_given(session)->plot;
    size_t n = experiment->samples.n;
    char text[112];
    if (!path || n == 0)
        return AW_OK;
    const struct aw_columns c = aw_copy_columns(experiment->samples.list, n, 1);
    if (!c.t)
        return aw_no_memory(&session->err);
    const struct aw_series angles[] = {
        {.label = "measured", .x = c.t, .y = c.measured, .n = n},
        {.label = "setpoint",
         .x = c.t,
         .y = c.setpoint,
         .n = n,
         .colour = 1,
         .dashed = true,
         .is_stairs = true},
    };
    const struct aw_series output = {.label = "output", .x = c.t, .y = c.output, .n = n};
    const struct aw_panel panels[] = {
        {.label = *experiment->joint.mode ? experiment->joint.mode : "angle",
         .unit = experiment->joint.unit,
         .series = angles,
         .n = 2},
        {.label = "control output", .unit = "of full scale", .series = &output, .n = 1},
    };
    describe_joint(experiment, text, sizeof text);
    enum aw_status status = draw(session, text, panels, 2, false, path);
    free(c.t);
    return status;
}

enum aw_status aw_experiment_draw_step(struct aw_session *session, const struct aw_model *model,
                                       const struct aw_proposal *p, double step, const char *path)
{
    size_t n;
    struct aw_scene scene = {
        .step = step, .rest = p->rest, .duration_s = fmin(p->duration_s, LONGEST_S)};
    struct aw_sample *samples =
        aw_predict(&model->fit.process, &model->driver, &p->per_tick, &scene, &n, &session->err);
    if (!samples)
        return session->err.status;
    const struct aw_columns c = aw_copy_columns(samples, n, model->full_scale);
    free(samples);
    if (!c.t)
        return aw_no_memory(&session->err);
    const struct aw_series angle = {.x = c.t, .y = c.measured, .n = n},
                           output = {.x = c.t, .y = c.output, .n = n};
    const struct aw_panel panels[] = {
        {.label = "measured", .unit = model->unit, .series = &angle, .n = 1},
        {.label = "output", .unit = "of full scale", .series = &output, .n = 1}};
    enum aw_status status =
        draw(session, "Predicted step, nonlinear model", panels, 2, false, path);
    free(c.t);
    return status;
}

/* ---- The process ---- */

/* A model over frequency, and the measured points. */
struct bode {
    double frequency_hz[BODE], gain[BODE], phase[BODE];
    size_t n; /* number of measured points */
    double measured_hz[AW_SPECTRUM_POINTS], measured_gain[AW_SPECTRUM_POINTS],
        measured_phase[AW_SPECTRUM_POINTS];
    double coherence[AW_SPECTRUM_POINTS];
    bool hollow[AW_SPECTRUM_POINTS];
};

static void fill_bode(struct bode *b, const struct aw_model *model)
{
    const struct aw_process *process = &model->fit.process;
    b->n = model->n_points;
    double low = b->n ? model->points[0].frequency_hz : 0.1,
           high = b->n ? model->points[b->n - 1].frequency_hz : 20;
    for (int i = 0; i < BODE; i++) {
        b->frequency_hz[i] = low / 2 * pow(4 * high / low, i / (BODE - 1.));
        double omega = PER_TURN * b->frequency_hz[i];
        b->gain[i] = 20 * log10(cabs(aw_process_response(process, omega)));
        b->phase[i] = aw_process_phase(process, omega) * PER_RAD;
        if (process->gain < 0)
            b->phase[i] -= 180;
    }
    for (size_t i = 0; i < b->n; i++) {
        const struct aw_spectrum_point *p = &model->points[i];
        double model_phase = aw_process_phase(process, PER_TURN * p->frequency_hz) * PER_RAD;
        b->measured_hz[i] = p->frequency_hz;
        b->measured_gain[i] = 20 * log10(p->gain);
        b->measured_phase[i] = p->phase_deg + 360 * round((model_phase - p->phase_deg) / 360);
        b->coherence[i] = p->coherence;
        b->hollow[i] = p->coherence < AW_COHERENT;
    }
}

static struct aw_series make_points(const struct bode *b, const char *label, const double *y)
{
    return (struct aw_series){.label = label,
                              .x = b->measured_hz,
                              .y = y,
                              .n = b->n,
                              .is_dots = true,
                              .colour = 2,
                              .hollow = b->hollow};
}

enum aw_status aw_experiment_draw_bode(struct aw_session *session, const struct aw_model *model,
                                       const char *path)
{
    struct bode b;
    fill_bode(&b, model);
    const double ends[] = {b.frequency_hz[0], b.frequency_hz[BODE - 1]},
                 threshold[] = {AW_COHERENT, AW_COHERENT};
    const struct aw_series gains[] = {
        {.label = "model", .x = b.frequency_hz, .y = b.gain, .n = BODE},
        make_points(&b, "measured", b.measured_gain)};
    const struct aw_series phases[] = {
        {.label = "model", .x = b.frequency_hz, .y = b.phase, .n = BODE},
        make_points(&b, "measured", b.measured_phase)};
    const struct aw_series trust[] = {
        make_points(&b, "coherence", b.coherence),
        {.label = "trusted above", .x = ends, .y = threshold, .n = 2, .is_guide = true}};
    const struct aw_panel panels[] = {
        {.label = "gain", .unit = "dB", .series = gains, .n = b.n ? 2 : 1},
        {.label = "phase", .unit = "deg", .series = phases, .n = b.n ? 2 : 1},
        {.label = "coherence", .series = trust, .n = 2}};
    return draw(session, "Process: model and measured points (hollow: coherence below 0.8)", panels,
                b.n ? 3 : 2, true, path);
}

/* ---- The loop ---- */

enum { GAIN, PHASE, SENSITIVITY, PANELS };

/* The open loop over frequency, and its margins: each is a line from the curve to a level, and a
 * dot with its name. */
struct loop_chart {
    size_t n;
    double frequency_hz[CURVE_POINTS], values[PANELS][CURVE_POINTS];
    double ends[2], levels[PANELS][2], mark_hz[PANELS][2], mark[PANELS][2];
    char text[PANELS][TEXT];
    const char *notes[PANELS];
    struct aw_series series[PANELS][4];
};

/* Calculates the curves of the open loop (dB, deg) and of |S|. Unwraps the phase, starting near
 * -180 deg, as for an integrating loop. */
static enum aw_status fill_curves(struct loop_chart *c, const struct aw_model *model,
                                  const struct aw_proposal *p, struct aw_error *err)
{
    struct aw_loop *loop = aw_loop_new(&model->fit.process, model->driver.tick_s, err);
    double omega, min_omega = p->margins.crossover / MIN_HZ_DIVISOR, phase = -180;
    double complex open;
    for (size_t i = 0;
         loop && c->n < CURVE_POINTS && aw_loop_get_point(loop, &p->per_tick, i, &omega, &open);
         i++) {
        if (omega < min_omega)
            continue;
        double wrapped = carg(open) * PER_RAD;
        phase = wrapped + 360 * round((phase - wrapped) / 360);
        c->frequency_hz[c->n] = omega / PER_TURN;
        c->values[GAIN][c->n] = 20 * log10(cabs(open));
        c->values[PHASE][c->n] = phase;
        c->values[SENSITIVITY][c->n++] = 1 / cabs(1 + open);
    }
    aw_loop_free(loop);
    return loop ? AW_OK : AW_NO_MEMORY;
}

/* Fills a panel with its curve, a level, and a margin at this frequency and value, if there is
 * one. */
static struct aw_panel make_panel(struct loop_chart *c, int k, double level, double omega,
                                  double value)
{
    struct aw_series *series = c->series[k];
    const double *x = c->mark_hz[k], *y = c->mark[k];
    c->ends[0] = c->frequency_hz[0];
    c->ends[1] = c->frequency_hz[c->n - 1];
    c->levels[k][0] = c->levels[k][1] = c->mark[k][1] = level;
    c->mark_hz[k][0] = c->mark_hz[k][1] = omega / PER_TURN;
    c->mark[k][0] = value;
    c->notes[k] = c->text[k];
    series[0] = (struct aw_series){.x = c->frequency_hz, .y = c->values[k], .n = c->n, .colour = 1};
    series[1] = (struct aw_series){.x = c->ends, .y = c->levels[k], .n = 2, .is_guide = true};
    series[2] = (struct aw_series){.x = x, .y = y, .n = 2, .colour = 2};
    series[3] = (struct aw_series){
        .x = x, .y = y, .n = 1, .colour = 2, .is_dots = true, .notes = &c->notes[k]};
    return (struct aw_panel){.series = series, .n = isfinite(omega) && isfinite(value) ? 4 : 2};
}

enum aw_status aw_experiment_draw_loop(struct aw_session *session, const struct aw_model *model,
                                       const struct aw_proposal *proposal, const char *path)
{
    const struct aw_margins *m = &proposal->margins;
    double gain_db = -20 * log10(m->gain_margin);
    struct loop_chart *c = calloc(1, sizeof *c);
    enum aw_status status =
        c ? fill_curves(c, model, proposal, &session->err) : aw_no_memory(&session->err);
    if (status == AW_OK) {
        snprintf(c->text[GAIN], TEXT, "gain margin %.3g (%.1f dB)", m->gain_margin, -gain_db);
        snprintf(c->text[PHASE], TEXT, "phase margin %.0f deg at %.3g Hz", m->phase_margin_deg,
                 m->crossover / PER_TURN);
        snprintf(c->text[SENSITIVITY], TEXT, "Ms %.3g", m->ms);
        struct aw_panel panels[PANELS] = {
            make_panel(c, GAIN, 0, m->phase_crossover, gain_db),
            make_panel(c, PHASE, -180, m->crossover, m->phase_margin_deg - 180),
            make_panel(c, SENSITIVITY, 1, m->peak, m->ms),
        };
        panels[GAIN].label = "|L|";
        panels[GAIN].unit = "dB";
        panels[PHASE].label = "phase of L";
        panels[PHASE].unit = "deg";
        panels[SENSITIVITY].label = "|S|";
        status = draw(session, "Open loop L with its margins, and S = 1/(1 + L)", panels, PANELS,
                      true, path);
    }
    free(c);
    return status;
}
