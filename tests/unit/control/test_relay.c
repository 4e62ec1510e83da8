#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <string.h>

#include <cmocka.h>

#include "control/relay.h"
#include "control/rules.h"

#define PI      3.14159265358979323846
#define DT      0.0005
#define LONGEST 1000 /* steps of dead time */

/* slope/(s + 1/tau)·exp(-s·dead): an integrator if rate (1/tau) is 0. */
struct plant {
    double slope, rate, load;
    int dead; /* steps */
    double past[LONGEST];
    long step;
    double y;
};

static void move(struct plant *plant, double u)
{
    plant->past[plant->step % LONGEST] = u;
    long then = plant->step - plant->dead;
    double acting = then < 0 ? 0 : plant->past[then % LONGEST];
    plant->y += DT * (plant->slope * (acting + plant->load) - plant->rate * plant->y);
    plant->step++;
}

/* Host samples every few steps; the plant is driven like a driver with u = kp·(sp - y), where the
 * setpoint arrives late steps after the sample it answers. kp 0: the relay's output itself. */
struct host {
    int every, late;
    double kp;
    bool tells_output;
};

static struct aw_relay relay;

static double run(struct plant *plant, const struct host *host, double most_s)
{
    double setpoint = plant->y, next = plant->y, u = 0, command = 0;
    for (int i = 0; i * DT < most_s && relay.state == AW_RELAY_RUNNING; i++) {
        u = host->kp > 0 ? host->kp * (setpoint - plant->y) : command;
        if (i % host->every == 0) {
            double t = i * DT;
            command = aw_relay_feed(&relay, t, plant->y, host->tells_output ? u : NAN);
            next = aw_relay_setpoint(&relay, plant->y, host->kp, 0.5);
        }
        if (i % host->every == host->late)
            setpoint = next;
        move(plant, u);
    }
    return plant->y;
}

static struct aw_relay_result measure(struct plant *plant, const struct host *host,
                                      const struct aw_relay_config *config)
{
    struct aw_relay_result result;
    struct aw_error err;
    assert_int_equal(aw_relay_start(&relay, config, &err), AW_OK);
    run(plant, host, config->max_time_s + 1);
    if (aw_relay_result(&relay, &result, &err) != AW_OK)
        fail_msg("%s", err.text);
    return result;
}

static void near(double value, double wanted, double part)
{
    if (!(fabs(value - wanted) <= part * fabs(wanted)))
        fail_msg("%.6g instead of %.6g", value, wanted);
}

static const struct aw_relay_config usual = {
    .amplitude = 0.1, .max_deviation = 0.1, .max_time_s = 60};

/* pi/(2 k L) and 4 L are exact for this plant. */
static void test_integrator(void **state)
{
    (void)state;
    static const double dead[] = {0.02, 0.05, 0.2};
    for (size_t i = 0; i < sizeof dead / sizeof *dead; i++) {
        struct plant plant = {.slope = 1.5, .dead = (int)lround(dead[i] / DT)};
        struct host host = {.every = plant.dead / 40, .late = 0};
        struct aw_relay_result r = measure(&plant, &host, &usual);
        near(r.ku, PI / (2 * 1.5 * dead[i]), 0.03);
        near(r.tu_s, 4 * dead[i], 0.03);
        near(r.slope, 1.5, 0.01);
        near(r.amplitude, 1.5 * 0.1 * dead[i], 0.06);
        assert_true(fabs(r.asymmetry) < 0.03);
        assert_false(r.capped);
        /* the describing function takes the triangle for a sine */
        near(r.classic_ku, 4 / (PI * 1.5 * dead[i]), 0.06);
    }
}

static void test_hysteresis_is_taken_out(void **state)
{
    (void)state;
    struct plant plant = {.slope = 1.5, .dead = 100};
    struct host host = {.every = 2, .late = 0};
    struct aw_relay_config config = usual;
    config.hysteresis = 0.0075; /* as much as it moves in the dead time */
    struct aw_relay_result r = measure(&plant, &host, &config);
    near(r.period_s, 0.4, 0.02);
    near(r.ku, PI / (2 * 1.5 * 0.05), 0.03);
    near(r.tu_s, 0.2, 0.03);
}

/* A lag around a working point that needs an output of its own: the bias is found. */
static void test_lag_with_load(void **state)
{
    (void)state;
    const double tau = 0.4, dead = 0.05, gain = 2;
    struct aw_plant exact = aw_plant_first_order(gain, tau, dead);
    struct plant plant = {
        .slope = gain / tau, .rate = 1 / tau, .dead = 100, .load = -0.03, .y = 0.1};
    struct host host = {.every = 2, .late = 0};
    struct aw_relay_config config = usual;
    config.centre = 0.1;
    config.max_bias = 0.3;
    struct aw_relay_result r = measure(&plant, &host, &config);
    near(r.ku, exact.ku, 0.05);
    near(r.tu_s, exact.tu_s, 0.05);
    assert_true(fabs(r.asymmetry) < 0.15);
    assert_true(fabs(relay.bias - 0.08) < 0.03);
}

/* Telemetry at 100 Hz, setpoints that arrive 3 ms later, u = kp·(sp - y): what the plant itself
 * is comes out all the same, and the classic figures show what the host adds. */
static void test_through_setpoints(void **state)
{
    (void)state;
    struct plant plant = {.slope = 1.2, .dead = 60}; /* 30 ms */
    struct host host = {.every = 20, .late = 6, .tells_output = true};
    struct aw_relay_config config = usual;
    config.hysteresis = 0.001;
    config.cycles = 10;
    host.kp = aw_relay_gain(&config, 0.5);
    near(host.kp, 0.1 / (0.45 - 0.1), 1e-9);
    struct aw_relay_result r = measure(&plant, &host, &config);
    near(r.ku, PI / (2 * 1.2 * 0.03), 0.12);
    near(r.tu_s, 0.12, 0.12);
    assert_true(r.period_s > 0.15);
    assert_true(r.classic_ku < 0.8 * r.ku);
}

/* Without a known output the delay of the host is part of the plant, unless it is said. */
static void test_commanded_output(void **state)
{
    (void)state;
    struct plant plant = {.slope = 1.2, .dead = 60}, again = plant;
    struct host host = {.every = 20, .late = 6, .kp = 0.3};
    struct aw_relay_config config = usual;
    config.cycles = 10;
    struct aw_relay_result with = measure(&plant, &host, &config);
    near(with.dead_time_s, 0.033, 0.1);
    config.input_delay_s = 0.003;
    struct aw_relay_result without = measure(&again, &host, &config);
    near(with.dead_time_s - without.dead_time_s, 0.003, 0.05);
}

static void test_plant_faster_than_the_host(void **state)
{
    (void)state;
    struct plant plant = {.slope = 1.2, .dead = 1};
    struct host host = {.every = 20, .late = 6, .kp = 0.3, .tells_output = true};
    struct aw_relay_result r = measure(&plant, &host, &usual);
    assert_true(r.capped);
    near(r.slope, 1.2, 0.25); /* some four samples a period show no more */
    near(r.tu_s, r.period_s / 4, 1e-6);
    assert_true(r.ku < PI / (2 * 1.2 * 0.0005));
}

static void expect_failure(struct plant *plant, const struct aw_relay_config *config,
                           enum aw_relay_failure failure, const char *word)
{
    struct host host = {.every = 10, .late = 0};
    struct aw_relay_result result;
    struct aw_error err;
    assert_int_equal(aw_relay_start(&relay, config, &err), AW_OK);
    assert_int_equal(aw_relay_result(&relay, &result, &err), AW_TIMEOUT);
    run(plant, &host, config->max_time_s + 1);
    assert_int_equal(relay.state, AW_RELAY_FAILED);
    assert_int_equal(relay.failure, failure);
    assert_int_equal(aw_relay_result(&relay, &result, &err), AW_REFUSED);
    if (!strstr(err.text, word))
        fail_msg("'%s' does not say '%s'", err.text, word);
    assert_true(aw_relay_feed(&relay, 1e6, 0, 0) == 0.0);
}

static void test_failures(void **state)
{
    (void)state;
    struct aw_relay_config config = usual;
    config.max_time_s = 5;
    config.hysteresis = 0.001;
    struct plant stuck = {.slope = 0}, wrong = {.slope = -1}, fast = {.slope = 40, .dead = 200};
    struct plant loaded = {.slope = 1, .load = -0.2, .dead = 20};
    struct plant wanders = {.slope = 0.1, .dead = 700};
    expect_failure(&stuck, &config, AW_RELAY_NO_MOTION, "raise the amplitude");
    expect_failure(&wrong, &config, AW_RELAY_BACKWARDS, "sign");
    expect_failure(&fast, &config, AW_RELAY_TOO_FAR, "lower the amplitude");
    expect_failure(&loaded, &config, AW_RELAY_BACKWARDS, "against the output");
    expect_failure(&wanders, &config, AW_RELAY_NO_CYCLE, "more time");
}

static void test_bad_samples(void **state)
{
    (void)state;
    static const double bad[][3] = {{1, 0, NAN}, {2, NAN, 0}, {NAN, 0, 0}, {2, 0, INFINITY}};
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
        assert_int_equal(aw_relay_start(&relay, &usual, NULL), AW_OK);
        assert_true(aw_relay_feed(&relay, 1, 0, NAN) > 0);
        assert_true(aw_relay_feed(&relay, bad[i][0], bad[i][1], bad[i][2]) == 0.0);
        assert_int_equal(relay.failure, AW_RELAY_BAD_INPUT);
    }
}

static void test_bad_configurations(void **state)
{
    (void)state;
    struct aw_error err;
    struct aw_relay_config bad[] = {usual, usual, usual, usual, usual, usual};
    bad[0].amplitude = 0;
    bad[1].hysteresis = 0.2;
    bad[2].cycles = AW_RELAY_CYCLES + 1;
    bad[3].max_time_s = -1;
    bad[4].centre = NAN;
    bad[5].bias = 0.1;
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++)
        assert_true(aw_relay_start(&relay, &bad[i], &err) != AW_OK);
}

static void test_setpoints_stay_in_bounds(void **state)
{
    (void)state;
    struct aw_relay_config config = usual;
    assert_int_equal(aw_relay_start(&relay, &config, NULL), AW_OK);
    assert_true(aw_relay_feed(&relay, 0, -0.01, NAN) > 0);
    near(aw_relay_setpoint(&relay, -0.01, 0.5, 0.5), 0.19, 1e-9);
    near(aw_relay_setpoint(&relay, -0.01, 0.01, 0.5), 0.5, 1e-9);
    config.centre = 0.4;
    assert_true(isnan(aw_relay_gain(&config, 0.5)));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_integrator),
        cmocka_unit_test(test_hysteresis_is_taken_out),
        cmocka_unit_test(test_lag_with_load),
        cmocka_unit_test(test_through_setpoints),
        cmocka_unit_test(test_commanded_output),
        cmocka_unit_test(test_plant_faster_than_the_host),
        cmocka_unit_test(test_failures),
        cmocka_unit_test(test_bad_samples),
        cmocka_unit_test(test_bad_configurations),
        cmocka_unit_test(test_setpoints_stay_in_bounds),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
