#include <math.h>

#include "numbers_helper.h"
#include "test.h"

#include "tuning/identify/relay.h"

#define DT      0.0005
#define LONGEST 1000 /* max dead time in steps */

/* slope/(s + 1/tau)·exp(-s·dead): an integrator if rate (1/tau) is 0. */
struct plant {
    double slope, rate, load;
    int dead; /* dead time in steps */
    double outputs[LONGEST];
    long step;
    double y;
};

static void move(struct plant *plant, double u)
{
    plant->outputs[plant->step % LONGEST] = u;
    long then = plant->step - plant->dead;
    double acting = then < 0 ? 0 : plant->outputs[then % LONGEST];
    plant->y += DT * (plant->slope * (acting + plant->load) - plant->rate * plant->y);
    plant->step++;
}

/* The host samples every few steps. The setpoint arrives late steps after its sample at a driver
 * with u = kp·(sp - y). kp 0: the relay sets the output directly. */
struct host {
    int every, late;
    double kp;
};

static struct aw_relay relay;

/* Returns the duration of the experiment. */
static double run(struct plant *plant, const struct host *host,
                  const struct aw_relay_config *config)
{
    double setpoint = plant->y, next = plant->y, command = 0, t = 0;
    aw_relay_start(&relay, config);
    for (int i = 0; !relay.is_over; i++) {
        double u = host->kp > 0 ? host->kp * (setpoint - plant->y) : command;
        if (i % host->every == 0) {
            t = i * DT;
            command = aw_relay_add_sample(&relay, t, plant->y);
            next = plant->y + command / host->kp;
        }
        if (i % host->every == host->late)
            setpoint = next;
        move(plant, u);
    }
    assert_true(fabs(aw_relay_add_sample(&relay, t + 1, 0)) < 1e-12);
    return t;
}

static const struct aw_relay_cycle *last_cycle(void)
{
    assert_true(relay.n_cycles > AW_RELAY_CYCLES);
    return &relay.cycles[(relay.n_cycles - 1) % AW_RELAY_CYCLES];
}

static const struct aw_relay_config usual = {
    .amplitude = 0.1, .max_deviation = 0.1, .max_time_s = 60};

/* The motion continues for the dead time after each switch: the period is 4 dead times, the
 * amplitude half the motion in one dead time. */
TEST(relay_cycle_matches_an_integrator)
{
    static const double dead[] = {0.02, 0.05, 0.2};
    EACH (row, dead) {
        struct plant plant = {.slope = 1.5, .dead = (int)lround(*row / DT)};
        struct host host = {.every = plant.dead / 40, .late = 0};
        assert_true(run(&plant, &host, &usual) < 40 * *row);
        assert_share(last_cycle()->period_s, 4 * *row, 0.06);
        assert_share(last_cycle()->max - last_cycle()->min, 2 * 1.5 * 0.1 * *row, 0.06);
        assert_share(last_cycle()->high_s, 2 * *row, 0.06);
    }
}

/* The hysteresis equals the motion in the dead time, which doubles the period. */
TEST(hysteresis_lengthens_the_cycle)
{
    struct plant plant = {.slope = 1.5, .dead = 100};
    struct host host = {.every = 2, .late = 0};
    struct aw_relay_config config = usual;
    config.hysteresis = 0.0075;
    run(&plant, &host, &config);
    assert_share(last_cycle()->period_s, 0.4, 0.03);
}

/* A lag whose working point needs a constant output: the relay finds this bias. */
TEST(bias_compensates_a_load)
{
    const double tau = 0.4, gain = 2;
    struct plant plant = {
        .slope = gain / tau, .rate = 1 / tau, .dead = 100, .load = -0.03, .y = 0.1};
    struct host host = {.every = 2, .late = 0};
    struct aw_relay_config config = usual;
    config.centre = 0.1;
    config.max_bias = 0.3;
    run(&plant, &host, &config);
    assert_share(last_cycle()->high_s, last_cycle()->period_s / 2, 0.15);
    assert_true(fabs(relay.bias - 0.08) < 0.03);
}

/* With telemetry at 100 Hz and setpoints delayed by 3 ms, the period grows by the host's delay. */
TEST(relay_oscillates_through_setpoints)
{
    struct plant plant = {.slope = 1.2, .dead = 60}; /* in steps: 30 ms */
    struct host host = {.every = 20, .late = 6};
    struct aw_relay_config config = usual;
    config.hysteresis = 0.001;
    host.kp = aw_relay_find_gain(&config, 0.5);
    assert_share(host.kp, 0.1 / (0.45 - 0.1), 1e-9);
    run(&plant, &host, &config);
    assert_true(last_cycle()->period_s > 4 * 0.033 && last_cycle()->period_s < 0.25);
    config.centre = 0.4;
    assert_true(isnan(aw_relay_find_gain(&config, 0.5)));
}

TEST(relay_without_steady_cycles_times_out)
{
    struct aw_relay_config config = usual;
    config.max_time_s = 5;
    config.hysteresis = 0.001;
    struct plant stuck = {.slope = 0}, wrong = {.slope = -1}, wanders = {.slope = 0.1, .dead = 700};
    struct plant *const plants[] = {&stuck, &wrong, &wanders};
    struct host host = {.every = 10, .late = 0};
    EACH (row, plants) {
        assert_share(run(*row, &host, &config), 5, 0.01);
        assert_true(relay.n_cycles <= AW_RELAY_CYCLES);
    }
}

TEST(invalid_samples_are_refused)
{
    static const double bad[][2] = {{1, 0}, {0.5, 0}, {2, NAN}, {NAN, 0}, {2, INFINITY}};
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
        aw_relay_start(&relay, &usual);
        assert_true(aw_relay_add_sample(&relay, 1, 0) > 0);
        assert_true(fabs(aw_relay_add_sample(&relay, bad[i][0], bad[i][1])) < 1e-12);
        assert_true(relay.is_over);
    }
}

/* The output is positive at the centre; it switches beyond the hysteresis and ends after the time
 * limit. */
TEST(relay_switches_beyond_the_hysteresis)
{
    static const struct {
        double t, y, u;
    } rows[] = {{1, 0, 0.25},     {2, 0.5, 0.25},   {3, 0.75, -0.25}, {4, -0.5, -0.25},
                {5, -0.75, 0.25}, {6, 0.75, -0.25}, {7, 0, 0}};
    struct aw_relay_config config = {0, 0.25, 0.5, 1, 5, 0};
    aw_relay_start(&relay, &config);
    EACH (row, rows)
        assert_share(aw_relay_add_sample(&relay, row->t, row->y), row->u, 0);
    aw_relay_start(&relay, &config);
    assert_share(aw_relay_add_sample(&relay, 0, 0.01), -0.25, 0);
}

TEST(relay_gain_keeps_setpoints_within_the_limit)
{
    static const struct {
        double centre, most, limit, kp;
    } gains[] = {{0, 0.5, 1, 0.25 / 0.4},   {-0.1, 0.5, 1, 0.25 / 0.3}, {0.1, 0.5, 1, 0.25 / 0.3},
                 {0, 0.75, 1, 0.25 / 0.15}, {0, 0.9, 1, NAN},           {0, 1, 1, NAN}};
    EACH (row, gains) {
        struct aw_relay_config config = {row->centre, 0.25, 0, row->most, 5, 0};
        double kp = aw_relay_find_gain(&config, row->limit);
        if (isnan(row->kp))
            assert_true(isnan(kp));
        else
            assert_share(kp, row->kp, 1e-12);
        config = (struct aw_relay_config){row->centre, 0.125, 0, row->most, 5, 0.125};
        assert_true(isnan(kp) || fabs(kp - aw_relay_find_gain(&config, row->limit)) < 1e-12);
    }
}

/* Feeds ten cycles of 1 s and amplitude 2, sampled 10 ms before each ends. The fourth is longer
 * and wider, and each is high for a given part. Lists the number of cycles until the end and the
 * final bias. Cycles are similar if they differ by less than 122 ms and 0.5. The bias is
 * corrected if the duty is more than 12 % off and the bias is below its limit. */
TEST(similar_cycles_end_the_experiment)
{
    static const struct {
        double longer, wider, skew, most;
        int cycles;
        double bias;
    } rows[] = {{0, 0, 0, 1, 7, 0},           {0.121, 0, 0, 1, 7, 0},   {0.123, 0, 0, 1, 10, 0},
                {-0.115, 0, 0, 1, 7, 0},      {-0.12, 0, 0, 1, 10, 0},  {0, 0.49, 0, 1, 7, 0},
                {0, 0.51, 0, 1, 10, 0},       {0, 0, 0.115, 1, 7, 0},   {0, 0, -0.115, 1, 7, 0},
                {0, 0, 0.125, 0.01, 7, 0.01}, {0, 0, 0.5, 0.2, 7, 0.2}, {0, 0, -0.5, 0.2, 7, -0.2},
                {0, 0, 0.125, 1, 10, 0.625}};
    EACH (row, rows) {
        struct aw_relay_config config = {0, 1, 0, 9, 60, row->most};
        double t = 0;
        aw_relay_start(&relay, &config);
        aw_relay_add_sample(&relay, -0.5, 1);
        for (int k = 0; k < 10 && !relay.is_over; k++) {
            double length = 1 + (k == 3 ? row->longer : 0), wide = 1 + (k == 3 ? row->wider : 0);
            aw_relay_add_sample(&relay, t, -1);
            aw_relay_add_sample(&relay, t + length * (1 + row->skew) / 2, wide);
            t += length;
            aw_relay_add_sample(&relay, t - 0.01, 0);
            if (k == 9)
                aw_relay_add_sample(&relay, t, -1);
        }
        assert_int_equal(relay.n_cycles, row->cycles);
        assert_share(relay.bias, row->bias, 1e-12);
    }
}
