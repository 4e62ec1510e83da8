/* The HTML page of tune --report: all results, in one file without scripts. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/file.h"
#include "base/text.h"
#include "base/xml.h"
#include "shell/look/picture.h"
#include "tuning/verbs/trials.h"

static const char head[] =
    "<!DOCTYPE html>\n<html lang=\"en\"><head><meta charset=\"utf-8\">\n"
    "<meta name=\"viewport\" content=\"width=device-width, initial-scale=1\">\n"
    "<title>%s tune</title>\n<style>\n"
    "body{font:15px/1.5 sans-serif;color:#222;max-width:860px;margin:1.5em auto;padding:0 1em}\n"
    "table{border-collapse:collapse;margin:.6em 0 1.2em}td,th{padding:.25em .8em .25em 0;"
    "text-align:right;border-bottom:1px solid #ddd}td:first-child,th:first-child{text-align:left}\n"
    "svg{max-width:100%%;height:auto}pre{background:#f4f4f4;padding:.8em;overflow-x:auto}\n"
    ".scroll{overflow-x:auto}.outcome{font-size:1.15em;font-weight:bold}\n"
    "</style></head><body>\n";

static void put_number(FILE *file, double value, const char *unit)
{
    if (isfinite(value))
        fprintf(file, "<td>%.4g%s%s</td>", value, *unit && *unit != ' ' ? " " : "", unit);
    else
        fputs("<td>–</td>", file);
}

/* Prints a metric, or the reason why it was not reached. */
static void put_metric(FILE *file, enum aw_metric metric, double value, const char *unit)
{
    char reason[AW_EXPERIMENT_CELL];
    if (aw_metric_is_reached(value))
        put_number(file, value, unit);
    else
        fprintf(file, "<td>%s</td>", aw_experiment_metric_cell(reason, metric, value));
}

static void put_margin(FILE *file, const char *name, double value, const char *unit)
{
    fprintf(file, "<tr><td>%s</td>", name);
    put_number(file, value, unit);
    fputs("</tr>\n", file);
}

static void put_row(FILE *file, const char *name, double value, double half, const char *unit)
{
    fprintf(file, "<tr><td>%s</td>", name);
    put_number(file, value, unit);
    put_number(file, half, unit);
    fputs("</tr>\n", file);
}

static void put_model(FILE *file, const struct aw_model *m)
{
    const struct aw_fit *fit = &m->fit;
    double tau1, tau2;
    aw_process_lags(&fit->process, &tau1, &tau2, NULL);
    fprintf(file,
            "<h2>Model</h2>\n<p>%s%s, from %zu samples. Its fit is %.1f&nbsp;%% on held-out data "
            "and %.1f&nbsp;%% on the data used for fitting.",
            aw_process_kind_name(aw_process_kind_of(&fit->process)),
            aw_fit_is_linear(fit) ? "" : ", nearest linear model", fit->n, 100 * fit->held_out,
            100 * fit->used);
    if (!aw_fit_explains_data(fit))
        fprintf(file,
                " <strong>That is less than %.0f&nbsp;%%: do not trust the model and its "
                "predictions.</strong>",
                100 * AW_FIT_TRUSTED);
    if (!aw_fit_has_dead_time(fit))
        fprintf(file,
                " <strong>The dead time is uncertain by more than one sample interval (%.2g ms). "
                "The gains assume the longest one.</strong>",
                1000 * fit->interval_s);
    if (fit->piece_s > 0)
        fprintf(file,
                " The data were compared in pieces of %.2g s, so slower motion was not compared.",
                fit->piece_s);
    fputs("</p>\n<table><tr><th></th><th>value</th><th>± (95&nbsp;%)</th></tr>\n", file);
    put_row(file, "gain", fit->process.gain, fit->half.gain, fit->process.integrating ? "/s" : "");
    put_row(file, "dead time", fit->process.dead_time_s, fit->half.dead_time, "s");
    put_row(file, "lag 1", tau1, fit->half.tau1, "s");
    if (fit->process.a2 > 0)
        put_row(file, "lag 2", tau2, fit->half.tau2, "s");
    if (fit->process.a3 > 0)
        put_row(file, "further lag", fit->process.a3, fit->half.tau3, "s");
    if (fabs(fit->process.lead) > 0)
        put_row(file, "zero", fit->process.lead, NAN, "s");
    put_row(file, "dead band of the output", 100 * fit->dead_band, 100 * fit->half.dead_band, "%");
    put_row(file, "control period", 1000 * m->tick.s, 1000 * m->tick.half,
            m->tick.source == AW_TICK_MEASURED ? "ms" : "ms, not measured");
    put_row(file, "noise", m->grain.noise * m->full_scale, NAN, m->unit);
    put_row(file, "step of the encoder", m->grain.quantum * m->full_scale, NAN, m->unit);
    fputs("</table>\n", file);
}

static void put_steps(FILE *file, const struct aw_experiment_report_data *s)
{
    static const enum aw_metric shown[] = {AW_RISE_TIME, AW_OVERSHOOT,          AW_SETTLING_TIME,
                                           AW_IAE,       AW_STEADY_STATE_ERROR, AW_MAX_OUTPUT};
    if (s->after.n == 0)
        return;
    fprintf(file,
            "<h2>Step from %.4g to %.4g %s</h2>\n<div class=\"scroll\"><table><tr><th></th>"
            "<th>before</th><th>predicted</th><th>after</th></tr>\n",
            s->from, s->to, s->model->unit);
    for (size_t i = 0; i < sizeof shown / sizeof *shown; i++) {
        const struct aw_metric_row *metric = aw_metric(shown[i]);
        double scale = metric->uses_sample_unit ? s->model->full_scale : 1;
        char unit[40];
        aw_experiment_metric_unit(unit, shown[i], s->model->unit);
        fprintf(file, "<tr><td>%s</td>", metric->title);
        put_metric(file, shown[i], s->old_response.value[shown[i]], unit);
        put_metric(file, shown[i], s->proposal->step.value[shown[i]] * scale, unit);
        put_metric(file, shown[i], s->new_response.value[shown[i]], unit);
        fputs("</tr>\n", file);
    }
    fputs("</table></div>\n", file);
}

static size_t copy_columns(const struct aw_run *run, double *x, double *y, double *u)
{
    for (size_t i = 0; i < run->n; i++) {
        x[i] = run->samples[i].t;
        y[i] = run->samples[i].measured;
        u[i] = run->samples[i].output;
    }
    return run->n;
}

static char *measured_svg(struct aw_session *session, const struct aw_experiment_report_data *s,
                          size_t *size)
{
    size_t n = s->before.n, m = s->after.n;
    double *block = calloc(3 * (n + m) + 1, sizeof *block);
    if (!block) {
        aw_no_memory(&session->err);
        return NULL;
    }
    double *second = block + 3 * n;
    copy_columns(&s->before, block, block + n, block + 2 * n);
    copy_columns(&s->after, second, second + m, second + 2 * m);
    const double at[] = {-0.1, 0, 0, 3}, level[] = {s->from, s->from, s->to, s->to};
    const struct aw_series angles[] = {
        {.label = "before", .x = block, .y = block + n, .n = n},
        {.label = "after", .x = second, .y = second + m, .n = m},
        {.label = "setpoint", .x = at, .y = level, .n = 4, .dashed = true}};
    const struct aw_series outputs[] = {
        {.label = "before", .x = block, .y = block + 2 * n, .n = n},
        {.label = "after", .x = second, .y = second + 2 * m, .n = m}};
    const struct aw_panel panels[] = {
        {.label = "measured", .unit = s->model->unit, .series = angles, .n = 3},
        {.label = "output", .unit = "of full scale", .series = outputs, .n = 2}};
    const struct aw_chart chart = {.title = "Measured steps",
                                   .x_label = "time",
                                   .x_unit = "s",
                                   .panels = panels,
                                   .n_panels = 2};
    char *svg = aw_picture_draw(session, &chart, NULL, size);
    free(block);
    return svg;
}

/* Prints the SVG without its XML header line. */
static bool put_svg(FILE *file, char *svg)
{
    const char *start = svg ? strstr(svg, "<svg") : NULL;
    if (start)
        fputs(start, file);
    free(svg);
    return start;
}

static bool put_charts(struct aw_session *session, FILE *file,
                       const struct aw_experiment_report_data *s)
{
    size_t size;
    bool good = true;
    if (s->before.n && s->after.n)
        good = put_svg(file, measured_svg(session, s, &size));
    fputs("<h2>Process and loop</h2>\n", file);
    good = good && put_svg(file, aw_experiment_draw_bode(session, s->model, NULL, &size));
    if (good && s->proposal->margins.stable)
        good = put_svg(file, aw_experiment_draw_step(session, s->model, s->proposal,
                                                     (s->to - s->from) / s->model->full_scale, NULL,
                                                     &size));
    if (good && s->proposal->margins.stable)
        good = put_svg(file, aw_experiment_draw_loop(session, s->model, s->proposal, NULL, &size));
    return good;
}

/* Lists the given options as shell arguments. */
static void list_given(const struct aw_session *session, const char *const *names, char *out,
                       size_t size)
{
    char quoted[80];
    *out = '\0';
    for (; *names; names++) {
        const char *value = aw_option(session, *names);
        if (!value)
            continue;
        aw_append(out, size, "", " --%s", *names);
        if (strcmp(*names, "force") != 0)
            aw_append(out, size, "", " %s", aw_shell_quote(quoted, sizeof quoted, value));
    }
}

static void put_commands(struct aw_session *session, FILE *file,
                         const struct aw_experiment_report_data *s)
{
    const struct aw_experiment_hooks *hooks = session->tool->motion.experiments;
    const char *tool = session->tool->name;
    static const char *const experiment[] = {"with",   "amplitude", "max-deviation",
                                             "around", "tick",      NULL};
    static const char *const option_names[] = {"form", "ms", "noise", "force", NULL};
    char joint[AW_EXPERIMENT_SET], set[AW_EXPERIMENT_SET], restore[AW_EXPERIMENT_SET],
        experiment_options[400], design_options[200];
    list_given(session, experiment, experiment_options, sizeof experiment_options);
    list_given(session, option_names, design_options, sizeof design_options);
    aw_experiment_write_arguments(hooks, s->joint, joint, sizeof joint);
    aw_experiment_write_set_command(hooks, s->joint, s->proposal->per_tick, set, sizeof set);
    aw_experiment_write_set_command(hooks, s->joint, s->old, restore, sizeof restore);
    fprintf(file,
            "<h2>Commands to repeat it</h2>\n<pre>%s identify%s%s --save model.json\n%s design "
            "model.json --overshoot %.9g --step %.9g%s%s\n%s %s\n%s step%s --from %.4g --to %.4g "
            "--for 3s</pre>\n",
            tool, joint, experiment_options, tool, s->overshoot, s->step, s->model->unit,
            design_options, tool, set, tool, joint, s->from, s->to);
    fprintf(file, "<p>The previous gains:</p>\n<pre>%s %s</pre>\n", tool, restore);
}

enum aw_status aw_experiment_write_report(struct aw_session *session, const char *path,
                                          const struct aw_experiment_report_data *s)
{
    FILE *file;
    enum aw_status status = aw_session_create_file(session, "--report", path, &file);
    if (status != AW_OK)
        return status;
    fprintf(file, head, session->tool->name);
    fprintf(file, "<h1>%s%s%s</h1>\n<p>%s. Goal: %s.</p>\n<p class=\"outcome\">", s->model->board,
            *s->model->controller ? ", " : "", s->model->controller, s->model->made, s->goal);
    aw_xml_print(file, s->outcome);
    fputs("</p>\n", file);
    const struct aw_proposal *p = s->proposal;
    const struct aw_gains *g = &p->per_tick;
    fprintf(file,
            "<h2>Gains</h2>\n<div class=\"scroll\"><table><tr><th></th><th>kp</th><th>ki</th>"
            "<th>kd</th></tr>\n<tr><td>before%s</td><td>%.5g</td><td>%.5g</td><td>%.5g</td></tr>\n"
            "<tr><td>proposed</td><td>%.5g</td><td>%.5g</td><td>%.5g</td></tr></table></div>\n",
            s->old_known ? "" : " (as published)", s->old.kp, s->old.ki, s->old.kd, g->kp, g->ki,
            g->kd);
    fputs("<h2>Predicted margins</h2>\n<table>\n", file);
    put_margin(file, "Ms", p->ms, "");
    put_margin(file, "gain margin", p->margins.gain_margin, "");
    put_margin(file, "phase margin", p->margins.phase_margin_deg, "deg");
    put_margin(file, "bandwidth", p->margins.bandwidth / 6.283185307, "Hz");
    put_margin(file, "output at rest", 100 * p->activity, "%");
    fputs("</table>\n", file);
    put_steps(file, s);
    put_model(file, s->model);
    bool drawn = put_charts(session, file, s);
    put_commands(session, file, s);
    fputs("</body></html>\n", file);
    if (!aw_file_close(file))
        return aw_file_fail(&session->err, "--report", path);
    return drawn ? AW_OK : session->err.status;
}
