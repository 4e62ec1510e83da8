#include <math.h>

#include "numbers_helper.h"
#include "test.h"

#include "tuning/design.h"
#include "tuning/predict.h"

static const struct aw_driver driver = {.tick_s = 0.004,
                                        .dead_band = 0.01,
                                        .lost = 0.01,
                                        .output_max = 0.81,
                                        .gain_max = 100,
                                        .quantum = 0.045 / 360};

static void near(double value, double wanted, double off)
{
    if (!(fabs(value - wanted) <= off))
        fail_msg("%.9g instead of %.9g", value, wanted);
}

/* Skogestad 2003, table 4: gain, lags, zeros, dead time, and for PI and (series) PID: theta, tau1,
 * tau2, Kc, tauI, tauD. theta 0: not compared. */
/* clang-format off */
static const struct example {
    const char *name;
    double gain;
    size_t n;
    double lags[7];
    size_t n_zeros;
    double zeros[2], dead_time_s;
    struct {
        double theta, tau1, tau2, kc, ti, td;
    } pi, pid;
} examples[] = {
    {"E1", 1, 2, {1, 0.2}, 0, {0}, 0, {0.1, 1.1, 0, 5.5, 0.8, 0}, {0, 0, 0, 0, 0, 0}},
    {"E2", 1, 7, {2, 1, 0.4, 0.2, 0.05, 0.05, 0.05}, 2, {-0.3, 0.08}, 0,
     {1.47, 2.5, 0, 0.85, 2.5, 0}, {0.77, 2, 1.2, 1.3, 2, 1.2}},
    {"E3", 2, 4, {20, 1, 0.1, 0.1}, 1, {15}, 0, {0.15, 1.05, 0, 2.33, 1.05, 0},
     {0.05, 1, 0.15, 6.67, 0.4, 0.15}},
    {"E4", 1, 4, {1, 1, 1, 1}, 0, {0}, 0, {2.5, 1.5, 0, 0.3, 1.5, 0}, {1.5, 1.5, 1, 0.5, 1.5, 1}},
    {"E5", 1, 4, {1, 0.2, 0.04, 0.008}, 0, {0}, 0, {0.148, 1.1, 0, 3.72, 1.1, 0},
     {0.028, 1, 0.22, 17.9, 0.224, 0.22}},
    {"E6", 1, 4, {INFINITY, 1, 1, 0.028}, 2, {0.17, 0.17}, 0, {0, 0, 0, 0, 0, 0},
     {0.358, INFINITY, 1.33, 1.4, 2.86, 1.33}},
    {"E7", 1, 3, {1, 1, 1}, 1, {-2}, 0, {3.5, 1.5, 0, 0.214, 1.5, 0}, {2.5, 1.5, 1, 0.3, 1.5, 1}},
    {"E8", 1, 3, {INFINITY, 1, 1}, 0, {0}, 0, {1.5, INFINITY, 0, 0.333, 12, 0},
     {0.5, INFINITY, 1.5, 1, 4, 1.5}},
    {"E9", 1, 2, {1, 1}, 0, {0}, 1, {1.5, 1.5, 0, 0.5, 1.5, 0}, {1, 1, 1, 0.5, 1, 1}},
    {"E10", 1, 2, {20, 2}, 0, {0}, 1, {2, 21, 0, 5.25, 16, 0}, {1, 20, 2, 10, 8, 2}},
    {"E11", 1, 3, {6, 2, 2}, 1, {-1}, 1, {5, 7, 0, 0.7, 7, 0}, {3, 6, 3, 1, 6, 3}},
    {"E12", 1, 3, {10, 8, 1}, 2, {6, 3}, 0.3, {0.3, 1, 0, 7.41, 1, 0}, {0, 0, 0, 0, 0, 0}},
    {"E13", 1, 2, {10, 0.5}, 1, {2}, 1, {1.25, 4.5, 0, 2.88, 4.5, 0}, {1, 3, 0.5, 3, 3, 0.5}},
    {"E14", 1, 1, {INFINITY}, 1, {-1}, 0, {1, INFINITY, 0, 0.5, 8, 0}, {0, 0, 0, 0, 0, 0}},
    {"E15", 1, 1, {1}, 1, {-1}, 0, {1, 1, 0, 0.5, 1, 0}, {0, 0, 0, 0, 0, 0}},
};
/* clang-format on */

/* Requires equality within half a unit of the third digit. */
static void digits(const char *name, double value, double wanted)
{
    if (!(fabs(value - wanted) <= 0.0051 * fabs(wanted) + 1e-12) && value < 1e300)
        fail_msg("%s: %.6g instead of %.6g", name, value, wanted);
}

TEST(half_rule_matches_skogestads_table)
{
    for (size_t i = 0; i < sizeof examples / sizeof *examples; i++) {
        const struct example *e = &examples[i];
        for (size_t keep = 1; keep <= 2; keep++) {
            double theta = keep == 1 ? e->pi.theta : e->pid.theta;
            double kc = keep == 1 ? e->pi.kc : e->pid.kc, ti = keep == 1 ? e->pi.ti : e->pid.ti;
            double td = keep == 1 ? 0 : e->pid.td;
            if (!(theta > 0))
                continue;
            struct aw_reduced r =
                aw_half_rule(e->lags, e->n, e->zeros, e->n_zeros, e->dead_time_s, keep);
            digits(e->name, r.theta, theta);
            digits(e->name, r.tau[0], keep == 1 ? e->pi.tau1 : e->pid.tau1);
            digits(e->name, r.tau[1], td);
            struct aw_gains g = aw_simc_gains(e->gain * r.factor, r.tau[0], r.tau[1], r.theta);
            /* parallel from series: eq. 36 */
            digits(e->name, g.kp, kc * (1 + td / ti));
            digits(e->name, g.ki, kc / ti);
            digits(e->name, g.kd, kc * td);
        }
    }
}

/* Tests rules T1, T1a and T1b, and a zero without a lag to cancel, which the examples lack. */
TEST(zeros_cancel_against_lags)
{
    static const struct {
        double zero, lag, dead_time_s, factor;
    } cases[] = {{3, 2, 1, 1.5}, {3, 0.5, 1, 3}, {0.8, 0.5, 1, 1}, {3, INFINITY, 1, 1}};
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        struct aw_reduced r =
            aw_half_rule(&cases[i].lag, 1, &cases[i].zero, 1, cases[i].dead_time_s, 1);
        near(r.factor, cases[i].factor, 1e-12);
        near(r.theta, cases[i].dead_time_s, 1e-12);
        assert_true(isinf(cases[i].lag) ? isinf(r.tau[0]) : !(r.tau[0] > 0));
    }
}

/* Compares with the rows of the book's table, computed by hand, for K = 2, T = 3, L = 1, and an
 * integrator of 0.5. */
TEST(amigo_gains_match_the_book)
{
    struct aw_gains g = aw_amigo_gains(2, 3, 1, AW_FORM_PI);
    double k = (0.15 + (0.35 - 3 / 16.) * 3) / 2;
    near(g.kp, k, 1e-12);
    near(g.kp / g.ki, 0.35 + 13 * 9 / (9 + 36 + 7.), 1e-12);
    g = aw_amigo_gains(2, 3, 1, AW_FORM_PID);
    near(g.kp, (0.2 + 1.35) / 2, 1e-12);
    near(g.kp / g.ki, 2.8 / 1.3, 1e-12);
    near(g.kd / g.kp, 1.5 / 3.3, 1e-12);
    g = aw_amigo_gains(0.5, INFINITY, 2, AW_FORM_PI);
    near(g.kp, 0.35, 1e-12);
    near(g.kp / g.ki, 26.8, 1e-12);
    g = aw_amigo_gains(0.5, INFINITY, 2, AW_FORM_PID);
    near(g.kp, 0.45, 1e-12);
    near(g.kp / g.ki, 16, 1e-12);
    near(g.kd / g.kp, 1, 1e-12);
}

/* For any dead time in its interval, Ms stays within the reported value and the bound. */
TEST(ms_stays_within_its_bound_for_every_dead_time)
{
    static const double lates[] = {0.002, 0.01, 0.03, 0.1};
    static const enum aw_form forms[] = {AW_FORM_PI, AW_FORM_PD, AW_FORM_PID};
    double tightest = 0;
    for (int i = 0; i < 96; i++) {
        struct aw_process process = {.gain = 2,
                                     .integrating = i % 2,
                                     .a1 = 0.02 * (1 + i / 2 % 4 * 5),
                                     .a2 = i % 2 || i % 4 ? 0 : 1e-4,
                                     .dead_time_s = 0.001 * (1 + i / 8 % 3 * 20)};
        struct aw_design_options o = {
            .rule = AW_RULE_ROBUST, .form = forms[i / 32], .late_s = lates[i / 8 % 4]};
        struct aw_proposal p;
        struct aw_error err;
        if (aw_design(&process, &driver, &o, &p, &err) != AW_OK)
            fail_msg("%d: %s", i, err.text);
        assert_true(p.margins.ms <= p.ms);
        for (double at = -1; at <= 1; at += 0.125) {
            struct aw_process other = process;
            other.dead_time_s = fmax(0, process.dead_time_s + at * o.late_s);
            struct aw_loop *loop = aw_loop_new(&other, driver.tick_s, NULL);
            double ms = aw_loop_ms(loop, &p.per_tick);
            if (ms > 1.01 * p.ms || ms > 1.01 * AW_DESIGN_MS)
                fail_msg("%d: Ms %g at %g, told %g", i, ms, at, p.ms);
            aw_loop_free(loop);
        }
        tightest = fmax(tightest, p.ms);
    }
    near(tightest, AW_DESIGN_MS, 0.02);
}

/* No gains on a grid within the same bounds have a significantly smaller error. */
TEST(robust_design_finds_the_smallest_error)
{
    const struct aw_process processes[] = {
        {.gain = 1, .a1 = 0.3, .dead_time_s = 0.1},
        {.gain = 2, .integrating = true, .a1 = 0.03, .dead_time_s = 0.01},
        {.gain = -0.5, .a1 = 0.25, .a2 = 0.01, .dead_time_s = 0.2},
    };
    for (size_t i = 0; i < sizeof processes / sizeof *processes; i++) {
        struct aw_design_options o = {.rule = AW_RULE_ROBUST, .ms = 1.5};
        struct aw_proposal p;
        struct aw_error err;
        if (aw_design(&processes[i], &driver, &o, &p, &err) != AW_OK)
            fail_msg("%s", err.text);
        assert_true(p.margins.stable && p.margins.ms <= 1.501 && p.activity <= 0.010001);
        struct aw_loop *loop = aw_loop_new(&processes[i], 0.004, NULL);
        double sign = processes[i].gain < 0 ? -1 : 1;
        for (double kp = 0.2; kp < 80; kp *= 1.25)
            for (double ti = 2; ti < 800; ti *= 1.4)
                for (double td = 0; td < 60; td += 4) {
                    struct aw_gains g = {sign * kp, sign * kp / ti, sign * kp * td};
                    if (kp * td > 100 || aw_driver_activity(&driver, &g) > 0.01 ||
                        aw_loop_ms(loop, &g) > 1.5)
                        continue;
                    double iae = aw_predict_load_iae(&processes[i], 0.004, &g);
                    if (iae < 0.97 * p.load_iae)
                        fail_msg("process %zu: %g, but %g with kp %g, Ti %g, Td %g", i, p.load_iae,
                                 iae, kp, ti, td);
                }
        aw_loop_free(loop);
    }
}

/* A bound of 0 is a bound, too. An impossible bound is refused with the smallest possible one,
 * which then works. */
TEST(overshoot_bound_is_kept_or_refused)
{
    /* clang-format off */
    static const struct {
        struct aw_process process;
        enum aw_form form;
        double bound;
        bool had;
    } rows[] = {
        {{.gain = 2, .a1 = 0.1, .dead_time_s = 0.02}, AW_FORM_PI, 0, true},
        {{.gain = 2.03, .integrating = true, .a1 = 0.025, .dead_time_s = 0.003}, AW_FORM_PD, 0,
         true},
        {{.gain = 2.03, .integrating = true, .a1 = 0.025, .dead_time_s = 0.003}, AW_FORM_PI, 0.02,
         false},
        {{.gain = 2.03, .integrating = true, .a1 = 0.025, .dead_time_s = 0.003}, AW_FORM_PI, 0.5,
         true},
    };
    /* clang-format on */
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        struct aw_design_options o = {.rule = AW_RULE_ROBUST,
                                      .form = rows[i].form,
                                      .bounded = true,
                                      .overshoot = rows[i].bound};
        struct aw_proposal p;
        struct aw_error err;
        enum aw_status status = aw_design(&rows[i].process, &driver, &o, &p, &err);
        if (status != (rows[i].had ? AW_OK : AW_LIMIT))
            fail_msg("row %zu: %s", i, err.text);
        if (!rows[i].had) {
            assert_non_null(strstr(err.text, "the least overshoot is"));
            assert_true(p.least_overshoot > o.overshoot);
            o.overshoot = 1.02 * p.least_overshoot;
            assert_int_equal(aw_design(&rows[i].process, &driver, &o, &p, &err), AW_OK);
        }
        double over = aw_predict_overshoot(&rows[i].process, driver.tick_s, &p.per_tick);
        assert_true(over <= o.overshoot + 1e-3);
    }
}

/* Uses the knee, for which tyreus-luyben gave an output of 1.2 % of full scale per encoder step. */
TEST(gains_with_too_much_output_per_encoder_step_are_refused)
{
    struct aw_process knee = {.gain = 2.03, .integrating = true, .a1 = 0.025, .dead_time_s = 0.003};
    struct aw_design_options o = {.rule = AW_RULE_TYREUS_LUYBEN};
    struct aw_proposal p;
    struct aw_error err;
    assert_int_equal(aw_design(&knee, &driver, &o, &p, &err), AW_LIMIT);
    assert_true(p.limited);
    assert_non_null(strstr(err.text, "limit"));
    o.rule = AW_RULE_ZN;
    assert_int_equal(aw_design(&knee, &driver, &o, &p, &err), AW_LIMIT);
    assert_non_null(strstr(err.text, "above 2"));
    o.unproven = true;
    assert_int_equal(aw_design(&knee, &driver, &o, &p, &err), AW_OK);
    p.per_tick = (struct aw_gains){3, 0, 90};
    assert_int_equal(aw_design_judge(&knee, &driver, &o, &p, &err), AW_LIMIT);
    assert_non_null(strstr(err.text, "at rest"));
    p.per_tick = (struct aw_gains){90, 50, 0};
    assert_int_equal(aw_design_judge(&knee, &driver, &o, &p, &err), AW_LIMIT);
    assert_non_null(strstr(err.text, "unstable"));
    o.form = AW_FORM_PD;
    o.rule = AW_RULE_AMIGO;
    assert_int_equal(aw_design(&knee, &driver, &o, &p, &err), AW_USAGE);
}

/* Prints lags and zeros in all orders, and the gains that the rules derive from the reduced
 * model. */
TEST(rule_gains_match_the_picture)
{
    static const double lags[][6] = {{3, 1, 0.5, 0.5, 0.2, 0.1},
                                     {0.1, 0.2, 5, 2, 1, 4},
                                     {INFINITY, 0.5, 3, 0, 1, 0.3},
                                     {1, 1, 1, 1, 1, 1}},
                        zeros[][2] = {{0.4, 0.8}, {-0.3, 0.6}, {0.9, 4.5}, {1, 1.6}, {0, 0.05}};
    FILE *out = begin_picture();
    for (size_t i = 0; i < 4; i++)
        for (size_t n = 0; n <= 6; n += 2)
            for (size_t z = 0; z < 5; z++)
                for (size_t keep = 1; keep <= 2; keep++)
                    for (int late = 0; late < 3; late++) {
                        struct aw_reduced r =
                            aw_half_rule(lags[i], n, zeros[z], 2, 0.25 * late * late, keep);
                        if ((i + n + z + 2 * keep + (size_t)late) % 11 == 0)
                            NUMBERS(out, n ? " half rule" : "half rule", (double)i, (double)n,
                                    (double)z, (double)keep, late, r.factor, r.tau[0], r.tau[1],
                                    r.theta);
                    }
    static const double many[20] = {9, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 5, 5, 5, 5};
    struct aw_reduced r = aw_half_rule(many, 20, NULL, 0, 0, 2); /* 16 lags count */
    NUMBERS(out, "many", r.factor, r.tau[0], r.tau[1], r.theta);
    for (int i = 0; i < 16; i++) {
        double tau = i % 4 == 3 ? INFINITY : 0.3 * (1 << i % 4), late = 0.1 + 0.2 * (i / 4);
        struct aw_gains s = aw_simc_gains(1.5, tau, i / 8 * 0.2, late),
                        pi = aw_amigo_gains(1.5, tau, late, AW_FORM_PI),
                        pid = aw_amigo_gains(1.5, tau, late, AW_FORM_PID);
        NUMBERS(out, i % 4 ? " gains" : "gains", s.kp, s.ki, s.kd, pi.kp, pi.ki, pi.kd, pid.kp,
                pid.ki, pid.kd);
    }
    end_picture(out, "control-half-rules.txt");
}

/* A process 64 times as slow has the same gains per tick if the tick is 64 times as long. */
TEST(gains_per_tick_scale_with_time)
{
    static const struct aw_process fast = {
        .gain = 1.5, .a1 = 0.35, .a2 = 0.015, .lead = -0.01, .dead_time_s = 0.02};
    struct aw_process slow = {fast.gain, false,          64 * fast.a1,         4096 * fast.a2,
                              0,         64 * fast.lead, 64 * fast.dead_time_s};
    for (int rule = 0; rule < AW_RULE_ROBUST; rule++) {
        struct aw_design_options o = {
            .rule = (enum aw_rule)rule, .form = AW_FORM_PID, .unproven = true};
        struct aw_driver quick = {.tick_s = 0.01}, late = {.tick_s = 0.64};
        struct aw_proposal a, b;
        struct aw_error err;
        assert_int_equal(aw_design(&fast, &quick, &o, &a, &err),
                         aw_design(&slow, &late, &o, &b, &err));
        near(b.per_tick.kp / a.per_tick.kp, 1, 1e-9);
        near(b.per_tick.ki / a.per_tick.ki, 1, 1e-9);
        near(b.per_tick.kd / a.per_tick.kd, 1, 1e-9);
    }
}

/* A process with 64 times the gain needs gains 64 times smaller, even below 1. */
TEST(gains_scale_with_the_process_gain)
{
    for (int form = AW_FORM_P; form <= AW_FORM_PI; form++) {
        struct aw_process weak = {.gain = 1, .a1 = 0.5, .dead_time_s = 0.2}, strong = weak;
        struct aw_design_options o = {.rule = AW_RULE_ROBUST, .form = (enum aw_form)form};
        struct aw_driver slow = {.tick_s = 0.1};
        struct aw_proposal a, b;
        strong.gain = 64;
        assert_int_equal(aw_design(&weak, &slow, &o, &a, NULL), AW_OK);
        assert_int_equal(aw_design(&strong, &slow, &o, &b, NULL), AW_OK);
        near(64 * b.per_tick.kp / a.per_tick.kp, 1, 1e-9);
        near(64 * b.per_tick.ki - a.per_tick.ki, 0, 1e-9);
    }
}

/* Lists the refused inputs, the reason, and the order of the checks. */
TEST(invalid_designs_are_refused)
{
    static const struct aw_process lag = {.gain = 1, .a1 = 0.5, .dead_time_s = 0.05};
    /* clang-format off */
    static const struct {
        struct aw_driver driver;
        struct aw_design_options options;
        struct aw_gains gains;
        bool limited;
        const char *says;
    } rows[] = {
        {{.tick_s = 0.01}, {.rule = AW_RULE_ZN}, {1, 0.01, 0}, false, ""},
        {{.tick_s = 0.01}, {.rule = AW_RULE_ZN}, {90, 0.01, 0}, true,
         "zn: the loop would be unstable"},
        {{.tick_s = 0.01, .gain_max = 7.5}, {.rule = AW_RULE_SIMC}, {1, 0.01, 0}, true,
         "simc: a gain exceeds the driver's limit of 7.5"},
        {{.tick_s = 0.01, .quantum = 0.02}, {.rule = AW_RULE_ZN}, {1, 0.01, 0}, false,
         "zn: the output noise at rest would be 2 %, above 1 % (--noise)"},
        {{.tick_s = 0.01, .quantum = 0.02, .dead_band = 0.02}, {.rule = AW_RULE_ZN}, {1, 0, 0},
         false, ""},
        {{.tick_s = 0.01, .quantum = 0.02, .dead_band = 0.015}, {.rule = AW_RULE_ZN}, {1, 0, 0},
         false, "zn: the output noise at rest would be 2 %, above 1.5 % (--noise)"},
        {{.tick_s = 0.01, .quantum = 0.02, .dead_band = 0.015},
         {.rule = AW_RULE_ZN, .activity = 0.02}, {1, 0, 0}, false, ""},
        {{.tick_s = 0.01}, {.rule = AW_RULE_ROBUST}, {8, 0, 0}, false,
         "robust: Ms would be 2.38, above 2"},
        {{.tick_s = 0.01}, {.rule = AW_RULE_ROBUST, .unproven = true}, {8, 0, 0}, false, ""},
    };
    /* clang-format on */
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        struct aw_proposal p = {.rule = rows[i].options.rule,
                                .per_tick = rows[i].gains,
                                .limited = rows[i].limited,
                                .refusal = "old"};
        struct aw_error err = {0};
        char says[200];
        aw_design_judge(&lag, &rows[i].driver, &rows[i].options, &p, &err);
        snprintf(says, sizeof says, "%s%s", rows[i].says,
                 *rows[i].says ? " — use another rule or form" : "");
        assert_string_equal(err.text, says);
        assert_int_equal(*p.refusal != 0, *rows[i].says != 0);
        assert_true(!*p.refusal || strstr(says, p.refusal));
    }
    struct aw_proposal free = {0}; /* a driver without gain limits */
    struct aw_driver any = {.tick_s = 0.01};
    struct aw_error no;
    assert_int_equal(
        aw_design(&lag, &any, &(struct aw_design_options){.rule = AW_RULE_SIMC}, &free, &no),
        AW_OK);
    assert_true(free.per_tick.kp > 1 && free.per_tick.ki > 0 && !free.limited);
    static const struct {
        double gain, tick_s;
        const char *says;
    } none[] = {{0, 0.01, "design: gain 0 or control period 0.01 s is out of range"},
                {INFINITY, 0.01, "design: gain inf or control period 0.01 s is out of range"},
                {-2, 0, "design: gain -2 or control period 0 s is out of range"},
                {-2, -1, "design: gain -2 or control period -1 s is out of range"}};
    for (size_t i = 0; i < sizeof none / sizeof *none; i++) {
        struct aw_process process = lag;
        struct aw_driver of = {.tick_s = none[i].tick_s};
        struct aw_proposal p;
        struct aw_error err;
        process.gain = none[i].gain;
        assert_int_equal(aw_design(&process, &of, &(struct aw_design_options){0}, &p, &err),
                         AW_USAGE);
        assert_string_equal(err.text, none[i].says);
    }
}
