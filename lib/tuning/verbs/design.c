/* design: computes gains for a model, and judges them before any motion. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "shell/safety/safety.h"
#include "tuning/verbs/trials.h"
#include "tuning/verbs/verbs.h"

enum aw_status aw_experiment_read_design(struct aw_session *session, const struct aw_model *model,
                                         struct aw_design_options *options)
{
    const struct aw_tune_options *given = aw_tune_given(session);
    struct aw_experiment experiment = {.session = session,
                                       .hooks = aw_experiment_get_hooks(session)};
    *options = (struct aw_design_options){
        .form = (enum aw_form)given->form,
        .ms = given->ms,
        .limits_overshoot = true,
        .overshoot = given->overshoot,
        .activity = given->noise,
        .dead_time_half_s = model->fit.half_widths.dead_time,
        .allow_high_ms = session->options.run.force,
    };
    enum aw_status status =
        aw_experiment_set_mode(session, model->controller, false, &experiment.joint);
    options->step = experiment.joint.defaults.step;
    if (status == AW_OK && given->all.step)
        status = aw_experiment_parse(&experiment, "--step", given->all.step, &options->step);
    return status;
}

/* ---- Output ---- */

void aw_experiment_report_proposal(struct aw_session *session, const struct aw_model *model,
                                   const struct aw_proposal *p)
{
    struct aw_object *result = &session->result;
    aw_experiment_report_tick(session, &model->tick);
    aw_object_add_text(result, "rule", "robust");
    aw_object_add_text(result, "form", aw_form_names[p->form]);
    aw_object_add_number(result, "kp", p->per_tick.kp, -1, NULL);
    aw_object_add_number(result, "ki", p->per_tick.ki, -1, NULL);
    aw_object_add_number(result, "kd", p->per_tick.kd, -1, NULL);
    aw_object_add_truth(result, "stable", p->margins.stable);
    aw_object_add_number(result, "ms", p->ms, 3, NULL);
    aw_object_add_number(result, "gain_margin", p->margins.gain_margin, 3, NULL);
    aw_object_add_number(result, "phase_margin", p->margins.phase_margin_deg, 1, "deg");
    aw_object_add_number(result, "bandwidth", p->margins.bandwidth / 6.283185307, 3, "Hz");
    aw_object_add_number(result, "rise_time", p->step.value[AW_RISE_TIME], 4, "s");
    aw_object_add_number(result, "overshoot", p->step.value[AW_OVERSHOOT], 2, "%");
    aw_object_add_number(result, "settling_time", p->step.value[AW_SETTLING_TIME], 4, "s");
    aw_experiment_report_metric(session, "iae", AW_IAE, p->step.value[AW_IAE] * model->full_scale,
                                model->unit);
    aw_experiment_report_metric(session, "load_iae", AW_IAE, p->load_iae * model->full_scale,
                                model->unit);
    aw_object_add_number(result, "max_output", p->step.value[AW_MAX_OUTPUT], 4, NULL);
    aw_object_add_number(result, "activity", p->activity, -4, NULL);
    aw_object_add_truth(result, "limited", p->out_of_range);
    aw_object_add_copy(result, "refused", p->refusal);
    if (!*p->refusal)
        aw_object_clear_last(result);
}

/* Formats a number; "-" if it is not finite. */
static const char *format_cell(char out[16], const char *format, double value)
{
    if (isfinite(value))
        snprintf(out, 16, format, value);
    else
        snprintf(out, 16, "-");
    return out;
}

void aw_experiment_print_proposal(struct aw_session *session, const struct aw_proposal *p)
{
    struct aw_output *out = &session->out;
    char text[10][16];
    aw_output_print(out, "%-4s %6s %7s %5s %5s %5s %3s %6s %4s %6s %5s\n", "form", "kp", "ki", "kd",
                    "Ms", "gm", "pm", "rise s", "os %", "settle", "rest%");
    aw_output_print(
        out, "%-4s %6s %7s %5s %5s %5s %3s %6s %4s %6s %5s\n", aw_form_names[p->form],
        format_cell(text[0], "%.4g", p->per_tick.kp), format_cell(text[1], "%.3g", p->per_tick.ki),
        format_cell(text[2], "%.3g", p->per_tick.kd), format_cell(text[3], "%.2f", p->ms),
        format_cell(text[4], "%.2f", p->margins.gain_margin),
        format_cell(text[5], "%.0f", p->margins.phase_margin_deg),
        format_cell(text[6], "%.3f", p->step.value[AW_RISE_TIME]),
        format_cell(text[7], "%.1f", p->step.value[AW_OVERSHOOT]),
        format_cell(text[8], "%.3f", p->step.value[AW_SETTLING_TIME]),
        format_cell(text[9], "%.2f", 100 * p->activity));
    if (*p->refusal)
        aw_output_print(out, "  refused: %s\n", p->refusal);
}

/* ---- The command ---- */

static enum aw_status draw_charts(struct aw_session *session, const struct aw_model *model,
                                  const struct aw_proposal *p, double step)
{
    const struct aw_experiment_options *given = aw_experiment_given(session);
    enum aw_status status = AW_OK;
    if (given->plot && p->margins.stable)
        status = aw_experiment_draw_step(session, model, p, step, given->plot);
    if (status == AW_OK && given->bode && p->margins.stable)
        status = aw_experiment_draw_loop(session, model, p, given->bode);
    return status;
}

static void show_design(struct aw_session *session, const struct aw_model *model,
                        const struct aw_proposal *p)
{
    if (aw_session_is_text(session)) {
        char tick[AW_EXPERIMENT_TICK_TEXT];
        aw_output_print(&session->out, "control period: %s\n",
                        aw_experiment_tick_text(session, &model->tick, tick));
        aw_experiment_print_proposal(session, p);
        return;
    }
    aw_object_start(&session->result, "design");
    aw_experiment_report_proposal(session, model, p);
}

/* Warns if the predicted step overshoots more than the limit, which applies to the linear loop.
 * Dead band and saturation add to the overshoot. */
static void warn_of_overshoot(struct aw_session *session, const struct aw_proposal *p,
                              const struct aw_design_options *options)
{
    double overshoot = p->step.value[AW_OVERSHOOT], limit = 100 * options->overshoot;
    if (overshoot > limit)
        aw_session_print_notice(
            session,
            "the predicted step overshoots by %.3g %%, above --overshoot %.3g %%, due to dead "
            "band and saturation — lower --overshoot",
            overshoot, limit);
}

/* Gives a model without a driver the published one. Sets the control period of --tick or, without a
 * driver, the assumed one. */
static enum aw_status complete_driver(struct aw_session *session, struct aw_model *model)
{
    struct aw_experiment_joint joint;
    enum aw_status status = aw_experiment_set_mode(session, model->controller, false, &joint);
    struct aw_tick tick = {aw_experiment_assume_tick(&joint, 0), NAN, AW_TICK_ASSUMED};
    bool has_driver = model->driver.tick_s > 0, is_given = aw_experiment_given(session)->tick_s > 0;
    if (!has_driver) {
        double quantum = fmax(model->grain.quantum, model->driver.quantum);
        model->driver = joint.loop.driver;
        model->driver.quantum = quantum;
        model->driver.noise = model->grain.noise;
    }
    if (is_given)
        tick = (struct aw_tick){aw_experiment_given(session)->tick_s, NAN, AW_TICK_GIVEN};
    else if (!has_driver)
        aw_session_print_notice(
            session,
            "the model has no control period; assuming %g ms (telemetry at 100 Hz) "
            "— give --tick TIME to change it",
            1000 * tick.s);
    if (is_given || !has_driver)
        aw_model_set_tick(model, &tick);
    return status;
}

enum aw_status aw_run_design(struct aw_session *session, const struct aw_args *args)
{
    struct aw_model *model = calloc(1, sizeof *model);
    struct aw_proposal proposal;
    struct aw_design_options options;
    if (!model)
        return aw_no_memory(&session->err);
    enum aw_status status = aw_model_load(model, aw_arg(args, "model", 0), &session->err);
    if (status == AW_OK)
        status = complete_driver(session, model);
    if (status == AW_OK)
        aw_experiment_warn_of_model(session, model);
    if (status == AW_OK)
        status = aw_experiment_read_design(session, model, &options);
    if (status == AW_OK)
        status = aw_design(&model->fit.process, &model->driver, &options, &proposal, &session->err);
    if (status == AW_OK || (status == AW_LIMIT && *proposal.refusal)) {
        struct aw_error cause = session->err;
        show_design(session, model, &proposal);
        warn_of_overshoot(session, &proposal, &options);
        enum aw_status drawn = draw_charts(session, model, &proposal, options.step);
        if (status == AW_OK)
            status = drawn;
        else
            session->err = cause;
    }
    free(model);
    return status;
}
