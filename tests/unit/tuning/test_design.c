#include <math.h>

#include "numbers_helper.h"
#include "test.h"

#include "tuning/design.h"
#include "tuning/predict.h"

#define KNEE                                                                                       \
    {                                                                                              \
        .gain = 2.03, .integrating = true, .a1 = 0.025, .dead_time_s = 0.003                       \
    }

static const struct aw_driver driver = {.tick_s = 0.004,
                                        .dead_band = 0.01,
                                        .friction = 0.01,
                                        .output_max = 0.81,
                                        .gain_max = 100,
                                        .quantum = 0.045 / 360};

TEST(max_sensitivity_stays_within_its_bound_for_every_dead_time)
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
        struct aw_design_options o = {.form = forms[i / 32], .dead_time_half_s = lates[i / 8 % 4]};
        struct aw_proposal p;
        struct aw_error err;
        assert_ok(aw_design(&process, &driver, &o, &p, &err), &err);
        assert_true(p.margins.ms <= p.ms);
        for (double at = -1; at <= 1; at += 0.125) {
            struct aw_process other = process;
            other.dead_time_s = fmax(0, process.dead_time_s + at * o.dead_time_half_s);
            struct aw_loop *loop = aw_loop_new(&other, driver.tick_s, NULL);
            double ms = aw_loop_ms(loop, &p.per_tick);
            if (ms > 1.01 * p.ms || ms > 1.01 * AW_DESIGN_MS)
                fail_msg("%d: Ms %g at %g, told %g", i, ms, at, p.ms);
            aw_loop_free(loop);
        }
        tightest = fmax(tightest, p.ms);
    }
    assert_near(tightest, AW_DESIGN_MS, 0.02);
}

TEST(robust_design_finds_the_smallest_error)
{
    const struct aw_process processes[] = {
        {.gain = 1, .a1 = 0.3, .dead_time_s = 0.1},
        {.gain = 2, .integrating = true, .a1 = 0.03, .dead_time_s = 0.01},
        {.gain = -0.5, .a1 = 0.25, .a2 = 0.01, .dead_time_s = 0.2},
    };
    for (size_t i = 0; i < sizeof processes / sizeof *processes; i++) {
        struct aw_design_options o = {.ms = 1.5};
        struct aw_proposal p;
        struct aw_error err;
        assert_ok(aw_design(&processes[i], &driver, &o, &p, &err), &err);
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

/* 0 is a valid bound. An impossible bound is refused with the smallest possible one, which must
 * work. */
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
        {KNEE, AW_FORM_PD, 0, true},
        {KNEE, AW_FORM_PI, 0.02, false},
        {KNEE, AW_FORM_PI, 0.5, true},
    };
    /* clang-format on */
    EACH (row, rows) {
        struct aw_design_options o = {
            .form = row->form, .limits_overshoot = true, .overshoot = row->bound};
        struct aw_proposal p;
        struct aw_error err;
        enum aw_status status = aw_design(&row->process, &driver, &o, &p, &err);
        assert_int_equal(status, row->had ? AW_OK : AW_LIMIT);
        if (!row->had) {
            assert_has(err.text, "the smallest overshoot is");
            assert_true(p.min_overshoot > o.overshoot);
            o.overshoot = 1.02 * p.min_overshoot;
            assert_int_equal(aw_design(&row->process, &driver, &o, &p, &err), AW_OK);
        }
        double over = aw_predict_overshoot(&row->process, driver.tick_s, &p.per_tick);
        assert_true(over <= o.overshoot + 1e-3);
    }
}

TEST(unstable_and_excessive_gains_are_refused)
{
    static const struct aw_process knee = KNEE;
    struct aw_design_options o = {.allow_high_ms = true};
    struct aw_proposal p = {.per_tick = {3, 0, 90}};
    struct aw_error err;
    assert_int_equal(aw_design_assess(&knee, &driver, &o, &p, &err), AW_LIMIT);
    assert_has(err.text, "at rest");
    p.per_tick = (struct aw_gains){90, 50, 0};
    assert_int_equal(aw_design_assess(&knee, &driver, &o, &p, &err), AW_LIMIT);
    assert_has(err.text, "unstable");
    static const struct aw_gains beyond[] = {{100.1, 0, 0},  {-100.1, 0, 0}, {1, 100.1, 0},
                                             {1, -100.1, 0}, {1, 0, 100.1},  {1, 0, -100.1}};
    EACH (row, beyond) {
        p.per_tick = *row;
        assert_int_equal(aw_design_assess(&knee, &driver, &o, &p, &err), AW_LIMIT);
        assert_true(p.out_of_range);
    }
    p.per_tick = (struct aw_gains){3, 0, 100};
    aw_design_assess(&knee, &driver, &o, &p, &err);
    assert_false(p.out_of_range);
}

TEST(equally_slower_process_and_tick_keep_the_gains_per_tick)
{
    static const struct aw_process fast = {
        .gain = 1.5, .a1 = 0.35, .a2 = 0.015, .lead = -0.01, .dead_time_s = 0.02};
    struct aw_process slow = {fast.gain, false,          64 * fast.a1,         4096 * fast.a2,
                              0,         64 * fast.lead, 64 * fast.dead_time_s};
    struct aw_driver quick = {.tick_s = 0.01}, late = {.tick_s = 0.64};
    struct aw_proposal a, b;
    struct aw_error err;
    assert_int_equal(aw_design(&fast, &quick, &(struct aw_design_options){0}, &a, &err), AW_OK);
    assert_int_equal(aw_design(&slow, &late, &(struct aw_design_options){0}, &b, &err), AW_OK);
    assert_near(b.per_tick.kp / a.per_tick.kp, 1, 1e-6);
    assert_near(b.per_tick.ki / a.per_tick.ki, 1, 1e-6);
    assert_near(b.per_tick.kd / a.per_tick.kd, 1, 1e-6);
}

TEST(gains_scale_with_the_process_gain)
{
    for (int form = AW_FORM_P; form <= AW_FORM_PI; form++) {
        struct aw_process weak = {.gain = 1, .a1 = 0.5, .dead_time_s = 0.2}, strong = weak;
        struct aw_design_options o = {.form = (enum aw_form)form};
        struct aw_driver slow = {.tick_s = 0.1};
        struct aw_proposal a, b;
        strong.gain = 64;
        assert_int_equal(aw_design(&weak, &slow, &o, &a, NULL), AW_OK);
        assert_int_equal(aw_design(&strong, &slow, &o, &b, NULL), AW_OK);
        assert_near(64 * b.per_tick.kp / a.per_tick.kp, 1, 1e-9);
        assert_near(64 * b.per_tick.ki - a.per_tick.ki, 0, 1e-9);
    }
}

TEST(invalid_designs_are_refused)
{
    static const struct aw_process lag = {.gain = 1, .a1 = 0.5, .dead_time_s = 0.05};
    /* clang-format off */
    static const struct {
        struct aw_driver driver;
        struct aw_design_options options;
        struct aw_gains gains;
        const char *says;
    } rows[] = {
        {{.tick_s = 0.01}, {0}, {1, 0.01, 0}, ""},
        {{.tick_s = 0.01}, {0}, {90, 0.01, 0},
         "design: the loop would be unstable — use another --form"},
        {{.tick_s = 0.01, .gain_max = 0.9}, {0}, {1, 0.01, 0},
         "design: a gain exceeds the driver's limit of 0.9 — use another --form"},
        {{.tick_s = 0.01, .quantum = 0.02}, {0}, {1, 0.01, 0},
         "design: the output noise at rest would be 2 %, above 1 % "
         "— raise --noise, or use another --form"},
        {{.tick_s = 0.01, .quantum = 0.02, .dead_band = 0.02}, {0}, {1, 0, 0}, ""},
        {{.tick_s = 0.01, .quantum = 0.02, .dead_band = 0.015}, {0}, {1, 0, 0},
         "design: the output noise at rest would be 2 %, above 1.5 % "
         "— raise --noise, or use another --form"},
        {{.tick_s = 0.01, .quantum = 0.02, .dead_band = 0.015},
         {.activity = 0.02}, {1, 0, 0}, ""},
        {{.tick_s = 0.01}, {0}, {8, 0, 0},
         "design: Ms would be 2.38, above 2 — use another --form, or --force to accept it"},
        {{.tick_s = 0.01}, {.allow_high_ms = true}, {8, 0, 0}, ""},
    };
    /* clang-format on */
    EACH (row, rows) {
        struct aw_proposal p = {.per_tick = row->gains, .refusal = "old"};
        struct aw_error err = {0};
        aw_design_assess(&lag, &row->driver, &row->options, &p, &err);
        assert_string_equal(err.text, row->says);
        assert_int_equal(*p.refusal != 0, *row->says != 0);
        assert_true(!*p.refusal || strstr(row->says, p.refusal));
    }
    struct aw_proposal free = {0}; /* a driver without gain limits */
    struct aw_driver any = {.tick_s = 0.01};
    struct aw_error no;
    assert_int_equal(aw_design(&lag, &any, &(struct aw_design_options){0}, &free, &no), AW_OK);
    assert_true(free.per_tick.kp > 1 && free.per_tick.ki > 0 && !free.out_of_range);
    static const struct {
        double gain, tick_s;
        const char *says;
    } none[] = {{0, 0.01,
                 "design: gain 0 of the model must be finite and not 0 — "
                 "identify the joint again"},
                {INFINITY, 0.01,
                 "design: gain inf of the model must be finite and not 0 — "
                 "identify the joint again"},
                {-2, 0, "design: control period 0 s is out of range — give another --tick"},
                {-2, -1, "design: control period -1 s is out of range — give another --tick"}};
    EACH (row, none) {
        struct aw_process process = lag;
        struct aw_driver of = {.tick_s = row->tick_s};
        struct aw_proposal p;
        struct aw_error err;
        process.gain = row->gain;
        assert_int_equal(aw_design(&process, &of, &(struct aw_design_options){0}, &p, &err),
                         AW_USAGE);
        assert_string_equal(err.text, row->says);
    }
}
