/* Tests tuning in virtual time: an experiment with a simulated driver, the model, and gains by
 * each rule. Steps prove that these gains are better than the defaults. */
#include "canpid_helper.h"

#include "tuning/design.h"
#include "tuning/identify/excite.h"
#include "tuning/identify/sweep.h"

#define TICK_S    0.01 /* s, control period of drivers with telemetry of 100 Hz */
#define MOST      3500
#define EXCESSIVE 60.0 /* %, overshoot of steps so large that the motor saturates */

static struct aw_excite excite;
static struct aw_sample samples[MOST];

struct bench {
    struct rig *rig;
    int controller;
};

static struct bench bench_of(int controller, enum aw_canpid_error fault)
{
    struct aw_canpid_device_options options = aw_canpid_device_defaults();
    options.boards = AW_CANPID_BIT(LKNEE);
    options.fault = fault;
    return (struct bench){rig_of(&options), controller};
}

/* Waits for the next pid frame and updates the board; returns the virtual time in s. */
static double next_sample(const struct bench *bench)
{
    struct rig *rig = bench->rig;
    struct aw_canpid_stream *stream = &aw_canpid_board(&rig->client, LKNEE)->streams[AW_CANPID_PID];
    struct aw_received received;
    for (uint64_t before = stream->count; stream->count == before;) {
        int64_t deadline = rig->clock.time_ns + AW_SECOND;
        assert_int_equal(aw_canpid_receive(&rig->client, deadline, &received, &rig->err), AW_OK);
    }
    return (double)rig->clock.time_ns / (double)AW_SECOND;
}

static const struct aw_canpid_board *board_of(const struct bench *bench)
{
    return aw_canpid_board(&bench->rig->client, LKNEE);
}

/* Sends a setpoint; value in the controller's unit. */
static void go(const struct bench *bench, double value)
{
    rig_setpoint(bench->rig, LKNEE, bench->controller, value);
}

static void use(const struct bench *bench, struct aw_gains ticks)
{
    rig_gain(bench->rig, LKNEE, bench->controller, AW_CANPID_KP, ticks.kp);
    rig_gain(bench->rig, LKNEE, bench->controller, AW_CANPID_KI, ticks.ki);
    rig_gain(bench->rig, LKNEE, bench->controller, AW_CANPID_KD, ticks.kd);
}

/* The record of the experiment. */
static struct {
    double t[MOST], output[MOST], measured[MOST], input_t[3 * MOST], input[3 * MOST];
    size_t n;
} seen;

static enum aw_status model_of_what_was_seen(struct aw_fit *fit, struct aw_error *err)
{
    /* Assumes an uncertain control period: the classic rules need this margin with a hardening
     * spring. */
    struct aw_trial trial = aw_excite_make_trial(seen.t, seen.output, seen.measured, seen.n, TICK_S,
                                                 seen.input_t, seen.input);
    struct aw_fit_options options = {.dead_zone = 0.01, .find_dead_band = true};
    return aw_fit_best(&trial, &options, fit, err);
}

/* Runs an experiment with values as fractions of full scale. */
static enum aw_status experiment(const struct bench *bench, double centre, double deviation,
                                 struct aw_fit *fit)
{
    struct rig *rig = bench->rig;
    double full = aw_canpid_full_scale(bench->controller);
    double limit = aw_canpid_setpoint_limit(bench->controller);
    go(bench, centre);
    rig_run(rig, 2);
    const struct aw_canpid_board *board = board_of(bench);
    struct aw_excite_config config = {.centre = board->measured / 100,
                                      .amplitude = 0.1,
                                      .hysteresis = deviation / 50,
                                      .max_deviation = deviation,
                                      .max_time_s = 30};
    double kp = aw_excite_find_gain(&config, limit);
    use(bench, (struct aw_gains){kp, 0, 0});
    aw_excite_start(&excite, &config);
    for (seen.n = 0; excite.part < AW_EXCITE_OVER && seen.n < MOST; seen.n++) {
        double t = next_sample(bench), measured = board->measured / 100;
        seen.t[seen.n] = t;
        seen.measured[seen.n] = measured;
        seen.output[seen.n] = board->output / 100;
        double wanted = measured + aw_excite_add_sample(&excite, t, measured) / kp;
        assert_true(fabs(seen.output[seen.n]) <= 2 * config.amplitude + 0.05);
        if (excite.part < AW_EXCITE_OVER)
            go(bench, full * fmax(-limit, fmin(limit, wanted)));
    }
    assert_int_equal(
        aw_canpid_stop(&rig->client, AW_CANPID_BIT(LKNEE), bench->controller, NULL, &rig->err),
        AW_OK);
    enum aw_status status = aw_excite_result(&excite, &rig->err);
    return status == AW_OK ? model_of_what_was_seen(fit, &rig->err) : status;
}

static struct aw_response step(int controller, struct aw_gains ticks, double from, double to)
{
    struct bench bench = bench_of(controller, AW_CANPID_NO_ERROR);
    struct aw_response response;
    struct aw_step wanted = {.from = from, .to = to, .smooths = true};
    go(&bench, from);
    use(&bench, ticks);
    rig_run(bench.rig, 1);
    go(&bench, to);
    wanted.time_s = (double)bench.rig->clock.time_ns / (double)AW_SECOND;
    const struct aw_canpid_board *board = board_of(&bench);
    for (int i = 0; i < 300; i++) {
        double t = next_sample(&bench);
        samples[i] = (struct aw_sample){t, to, aw_canpid_from_percent(controller, board->measured),
                                        board->output / 100};
    }
    assert_ok(aw_response(samples, 300, &wanted, &response, &bench.rig->err), &bench.rig->err);
    rig_free(bench.rig);
    return response;
}

static void better(const struct aw_response *tuned, const struct aw_response *before)
{
    double error = fabs(tuned->value[AW_STEADY_STATE_ERROR]);
    double error_before = fabs(before->value[AW_STEADY_STATE_ERROR]);
    if (tuned->value[AW_IAE] < 0.95 * before->value[AW_IAE] && error < 0.9 * error_before &&
        tuned->value[AW_OVERSHOOT] <= EXCESSIVE &&
        aw_metric_is_reached(tuned->value[AW_SETTLING_TIME]))
        return;
    fail_msg("IAE %g (was %g), error %g (was %g), overshoot %g %%, settled in %g s",
             tuned->value[AW_IAE], before->value[AW_IAE], error, error_before,
             tuned->value[AW_OVERSHOOT], tuned->value[AW_SETTLING_TIME]);
}

/* Checks the gains for the longest dead time, with an overshoot bound. */
static void check_design(int controller, const struct aw_fit *fit, struct aw_gains before,
                         double from, double to)
{
    static const struct aw_driver driver = {.tick_s = TICK_S,
                                            .dead_band = 0.01,
                                            .friction = 0.01,
                                            .output_max = 0.81,
                                            .gain_max = AW_CANPID_GAIN_MAX,
                                            .quantum = 0.045 / 360};
    struct aw_response untuned = step(controller, before, from, to);
    struct aw_design_options o = {
        .limits_overshoot = true, .overshoot = 0.2, .dead_time_half_s = fit->half_widths.dead_time};
    struct aw_proposal proposal;
    assert_int_equal(aw_design(&fit->process, &driver, &o, &proposal, NULL), AW_OK);
    struct aw_response tuned = step(controller, proposal.per_tick, from, to);
    better(&tuned, &untuned);
}

static const struct aw_gains pos_gains = {3, 0.0005, 0}, tor_gains = {0.6, 0, 0};

TEST(tuned_position_gains_beat_the_defaults)
{
    struct bench bench = bench_of(AW_CANPID_POS, AW_CANPID_NO_ERROR);
    struct aw_fit fit;
    assert_ok(experiment(&bench, 0, 15 / 360., &fit), &bench.rig->err);
    assert_false(rig_truth(bench.rig, LKNEE).pid.enabled);
    /* 600 deg/s at a duty of 0.8 is 2.1 turns/s at full output, less friction, which may look
     * like a slow lag. The lag is 30 ms, the dead band 1 %. */
    double slope = fit.process.integrating ? fit.process.gain : fit.process.gain / fit.process.a1;
    if (!(slope > 1.7 && slope < 2.3 && fit.held_out > 0.8))
        fail_msg("%g per s, fit %g", slope, fit.held_out);
    if (!(fit.dead_band > 0.002 && fit.dead_band < 0.025)) /* includes dry friction */
        fail_msg("dead band %g", fit.dead_band);
    rig_free(bench.rig);
    check_design(AW_CANPID_POS, &fit, pos_gains, 0, 20);
    check_design(AW_CANPID_POS, &fit, pos_gains, 5, -10);
}

/* The spring pulls at a lifted leg, where the gains must work, too. */
TEST(tuned_position_gains_beat_the_defaults_under_load)
{
    struct bench bench = bench_of(AW_CANPID_POS, AW_CANPID_NO_ERROR);
    struct aw_fit fit;
    assert_ok(experiment(&bench, 40, 15 / 360., &fit), &bench.rig->err);
    rig_free(bench.rig);
    check_design(AW_CANPID_POS, &fit, pos_gains, 35, 45);
}

TEST(tuned_torque_gains_beat_the_defaults)
{
    struct bench bench = bench_of(AW_CANPID_TOR, AW_CANPID_NO_ERROR);
    struct aw_fit fit;
    assert_ok(experiment(&bench, 0, 2 / 25., &fit), &bench.rig->err);
    rig_free(bench.rig);
    check_design(AW_CANPID_TOR, &fit, tor_gains, -1, 1);
}

/* Applies a multisine to the setpoint of a position loop with kp 10; telemetry provides input and
 * output. The loop is an integrator of 2.1 turns/s at full output with a lag of 30 ms and a hold of
 * 4 ms. The figures below ignore friction. */
TEST(sweep_measures_the_position_loop)
{
    static double t[MOST], input[MOST], output[MOST];
    struct bench bench = bench_of(AW_CANPID_POS, AW_CANPID_NO_ERROR);
    struct aw_sweep sweep;
    struct aw_bode_point points[AW_SWEEP_TONES];
    struct aw_bode_summary closed, open;
    struct aw_sweep_plan plan = {
        .from_hz = 0.2, .to_hz = 12, .tones = 14, .amplitude = 8, .duration_s = 8};
    double fit;
    assert_int_equal(aw_sweep_start(&sweep, &plan, NULL), AW_OK);
    use(&bench, (struct aw_gains){10, 0, 0});
    size_t n = 0;
    for (double now = 0; now < 3 * plan.duration_s && n < MOST;) {
        now = next_sample(&bench);
        go(&bench, aw_sweep_get_value(&sweep, now));
        if (now < plan.duration_s)
            continue;
        t[n] = now;
        input[n] = board_of(&bench)->setpoint;
        output[n++] = board_of(&bench)->measured;
    }
    assert_ok(aw_sweep_response(&sweep, t, input, output, n, points, &fit, &bench.rig->err),
              &bench.rig->err);
    rig_free(bench.rig);
    aw_bode_summary(points, sweep.n, &closed);
    aw_bode_open_loop(points, sweep.n, points);
    aw_bode_summary(points, sweep.n, &open);
    assert_true(fit > 0.98);
    /* 20.8/(w·sqrt(1 + (0.03 w)²)) is 1 at 2.9 Hz, with 57 deg to -180 there */
    assert_true(fabs(open.crossover_hz - 2.9) < 0.4);
    assert_true(open.phase_margin_deg > 50 && open.phase_margin_deg < 75);
    assert_true(closed.bandwidth_hz > 3 && closed.bandwidth_hz < 5);
    assert_true(closed.peak_gain < 1.1);
}

/* With a broken encoder, the driver does not move and gives no results. */
TEST(experiment_is_refused_with_a_broken_encoder)
{
    struct bench bench = bench_of(AW_CANPID_POS, AW_CANPID_ERROR_LEVER);
    struct aw_fit fit;
    assert_int_equal(experiment(&bench, 0, 15 / 360., &fit), AW_REFUSED);
    rig_free(bench.rig);
}
