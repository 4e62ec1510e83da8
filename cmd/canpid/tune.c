/* canpid tune: a relay experiment with one board, and the gains that rules make of it. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/number.h"
#include "control/relay.h"
#include "control/rules.h"
#include "run.h"
#include "shell/core/ask.h"

/* The published gains of a driver after power-up, put back when nothing else is known. */
static const struct aw_gains power_up[AW_CANPID_CONTROLLERS] = {
    [AW_CANPID_POS] = {3.0, 0.0005, 0},
    [AW_CANPID_TOR] = {0.6, 0, 0},
};

struct tuner {
    struct aw_relay relay;
    struct aw_relay_config config;
    struct aw_relay_result found;
    enum aw_rule rule;
    enum aw_form form;
    struct aw_gains per_tick;
    double kp; /* of the relay */
};

static enum aw_status parse_plan(struct aw_session *session, int controller, struct tuner *t)
{
    double deviation = 0;
    enum aw_status status = aw_rule_find(aw_option(session, "rule"), &t->rule, &session->err);
    if (status == AW_OK)
        status = canpid_parse(session, "--max-deviation", aw_option(session, "max-deviation"),
                              controller, &deviation);
    if (status == AW_OK)
        status = aw_form_find(aw_option(session, "form"), &t->form, &session->err);
    t->config = (struct aw_relay_config){
        .amplitude = aw_option_number(session, "amplitude"),
        .hysteresis = deviation / 50,
        .max_deviation = deviation,
        .cycles = 10,
        .max_time_s = aw_flag(session, "for") ? aw_option_number(session, "for") : 20,
        .max_bias = aw_option_number(session, "amplitude"),
    };
    return status;
}

static enum aw_status send_gain(struct canpid_run *run, enum aw_canpid_gain gain, double value)
{
    struct aw_canpid_gain_at at = {run->board, run->controller, gain, value};
    return aw_canpid_set(canpid_of(run->session), &at, NULL, &run->session->err);
}

static enum aw_status send_gains(struct canpid_run *run, struct aw_gains gains)
{
    enum aw_status status = send_gain(run, AW_CANPID_KD, gains.kd);
    if (status == AW_OK)
        status = send_gain(run, AW_CANPID_KI, gains.ki);
    return status == AW_OK ? send_gain(run, AW_CANPID_KP, gains.kp) : status;
}

/* Each sample is looked at; the newest one renews the setpoint as often as the driver takes one, so
 * that its output is that of a relay. */
static void on_sample(struct canpid_run *run, const double *sample)
{
    struct tuner *t = run->context;
    aw_relay_feed(&t->relay, sample[RUN_T], sample[RUN_MEASURED] / run->scale, sample[RUN_OUTPUT]);
}

static enum aw_status oscillate(struct canpid_run *run, struct tuner *t)
{
    double limit = aw_canpid_setpoint_limit(run->controller);
    enum aw_status status = AW_OK;
    run->on_sample = on_sample;
    run->context = t;
    while (status == AW_OK && t->relay.state == AW_RELAY_RUNNING) {
        double measured = run->last[RUN_MEASURED] / run->scale;
        status = canpid_run_drive(run, aw_relay_setpoint(&t->relay, measured, t->kp, limit));
        if (status == AW_OK)
            status = canpid_run_await_turn(run);
    }
    run->on_sample = NULL;
    return status;
}

static enum aw_status start_relay(struct canpid_run *run, struct tuner *t)
{
    struct aw_session *session = run->session;
    const char *around = aw_option(session, "around");
    double limit = aw_canpid_setpoint_limit(run->controller);
    t->config.centre = run->last[RUN_MEASURED] / run->scale;
    enum aw_status status =
        around ? canpid_parse(session, "--around", around, run->controller, &t->config.centre)
               : AW_OK;
    t->kp = aw_relay_gain(&t->config, limit);
    if (status == AW_OK && !isfinite(t->kp))
        status = aw_fail(&session->err, AW_LIMIT,
                         "tune: the joint is too near the end of its range for a swing of "
                         "--max-deviation — move it inwards with setpoint, or --around");
    return status == AW_OK ? aw_relay_start(&t->relay, &t->config, &session->err) : status;
}

/* Drives to where the swing is to be, then swings. */
static enum aw_status perform(struct canpid_run *run, struct tuner *t)
{
    struct aw_session *session = run->session;
    double centre = 0;
    const char *around = aw_option(session, "around");
    enum aw_status status =
        around ? canpid_parse(session, "--around", around, run->controller, &centre) : AW_OK;
    if (status == AW_OK && around)
        status = canpid_run_drive(run, centre);
    if (status == AW_OK)
        status = canpid_run_collect(run, around ? 2 : 0.1);
    if (status == AW_OK)
        status = start_relay(run, t);
    if (status == AW_OK)
        status = canpid_run_drive(run, t->config.centre);
    if (status == AW_OK)
        status = send_gains(run, (struct aw_gains){t->kp, 0, 0});
    if (status == AW_OK)
        status = canpid_run_restart(run);
    return status == AW_OK ? oscillate(run, t) : status;
}

/* Notes the gains, runs the experiment, and puts them back: the driver is disabled first, for gains
 * do not enable what is disabled. */
static enum aw_status experiment(struct canpid_run *run, struct tuner *t)
{
    const struct aw_canpid_gains *gains = &canpid_of(run->session)->gains;
    const struct aw_gain *sent = gains->of[run->board / 32][run->controller];
    struct aw_gains before = power_up[run->controller];
    double *const places[] = {&before.kp, &before.ki, &before.kd};
    for (int i = 0; i < AW_CANPID_GAINS; i++)
        if (sent[i].known)
            *places[i] = (double)sent[i].value;
    enum aw_status status = canpid_run_end(run, perform(run, t));
    if (status != AW_STOPPED && status != AW_LOST) {
        struct aw_error cause = run->session->err;
        enum aw_status restored = send_gains(run, before);
        if (status != AW_OK)
            run->session->err = cause;
        else
            status = restored;
    }
    return status;
}

static enum aw_status compute(struct canpid_run *run, struct tuner *t)
{
    struct aw_gains continuous;
    struct aw_error *err = &run->session->err;
    struct aw_object *result = &run->session->result;
    enum aw_status status = aw_relay_result(&t->relay, &t->found, err);
    if (status != AW_OK)
        return status;
    struct aw_plant plant = aw_plant_ultimate(t->found.classic_ku, t->found.period_s);
    status = aw_rule_gains(t->rule, t->form, &plant, &continuous, err);
    if (status != AW_OK)
        return status;
    t->per_tick = aw_gains_per_tick(continuous, AW_CANPID_TICK_MS / 1000.0);
    bool limited = aw_gains_clamp(&t->per_tick, AW_CANPID_GAIN_MAX);
    canpid_run_report(run, "tune");
    aw_object_text(result, "rule", aw_rule_name(t->rule));
    aw_object_number(result, "kp", t->per_tick.kp, -1, NULL);
    aw_object_number(result, "ki", t->per_tick.ki, -1, NULL);
    aw_object_number(result, "kd", t->per_tick.kd, -1, NULL);
    aw_object_number(result, "ku", t->found.classic_ku, 4, NULL);
    aw_object_number(result, "tu", t->found.period_s, 4, "s");
    aw_object_number(result, "swing", t->found.amplitude * run->scale, 4, run->unit);
    aw_object_number(result, "cycles", t->found.cycles, 0, NULL);
    if (limited)
        aw_object_truth(result, "limited", true);
    return AW_OK;
}

static enum aw_status offer(struct canpid_run *run, struct tuner *t)
{
    struct aw_session *session = run->session;
    bool yes = aw_session_agrees(session, "use these gains?");
    enum aw_status status = yes ? send_gains(run, t->per_tick) : AW_OK;
    if (session->result.cmd)
        aw_object_truth(&session->result, "applied", yes && status == AW_OK);
    if (!yes)
        aw_session_notice(
            session,
            "the gains from before are back; --yes takes the new ones, or: set pid %g %g %g",
            t->per_tick.kp, t->per_tick.ki, t->per_tick.kd);
    return status;
}

enum aw_status run_tune(struct aw_session *session, const struct aw_args *args)
{
    struct canpid_run run = {.session = session};
    struct tuner *t = calloc(1, sizeof *t);
    (void)args;
    if (!t)
        return aw_no_memory(&session->err);
    enum aw_status status = canpid_controller(session, true, &run.controller);
    if (status == AW_OK)
        status = parse_plan(session, run.controller, t);
    if (status == AW_OK)
        status = canpid_run_begin(&run, session);
    if (status == AW_OK)
        status = experiment(&run, t);
    if (status == AW_OK)
        status = canpid_run_plot(&run, "Relay experiment");
    if (status == AW_OK)
        status = compute(&run, t);
    if (status == AW_OK)
        status = offer(&run, t);
    canpid_run_free(&run);
    free(t);
    return status;
}
