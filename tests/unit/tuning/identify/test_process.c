#include <math.h>

#include "numbers_helper.h"
#include "test.h"

#include "tuning/identify/process.h"

/* Returns y after t at an input of 1, computed in the given number of pieces. */
static double step_of(const struct aw_process *process, double t, int pieces)
{
    struct aw_process_state x = {0};
    for (int i = 0; i < pieces; i++)
        aw_process_advance(process, &x, 1, 1, t / pieces);
    return x.y;
}

TEST(step_responses_match_the_textbook)
{
    struct aw_process first = {.gain = 1, .a1 = 0.5}, lag = {.integrating = true, .a1 = 0.5};
    struct aw_process two = {.a1 = 3, .a2 = 2}, same = {.a1 = 2, .a2 = 1};
    struct aw_process swings = {.a1 = 0.4, .a2 = 1}, stiff = {.a1 = 1 + 1e-7, .a2 = 1e-7};
    double wd = sqrt(1 - 0.04);
    for (double t = 0.1; t < 8; t *= 1.7)
        for (int pieces = 1; pieces < 40; pieces += 19) {
            assert_near(step_of(&first, t, pieces), 1 - exp(-2 * t), 1e-12);
            assert_near(step_of(&lag, t, pieces), t - 0.5 * (1 - exp(-2 * t)), 1e-12);
            assert_near(step_of(&two, t, pieces), 1 - 2 * exp(-t / 2) + exp(-t), 1e-12);
            assert_near(step_of(&same, t, pieces), 1 - (1 + t) * exp(-t), 1e-9);
            assert_near(step_of(&swings, t, pieces),
                        1 - exp(-0.2 * t) * (cos(wd * t) + 0.2 / wd * sin(wd * t)), 1e-12);
            assert_near(step_of(&stiff, t, pieces), 1 - exp(-t), 1e-6);
        }
}

/* Compares with partial fractions. Equal lags follow the gamma distribution; a zero adds the
 * slope. */
TEST(step_with_three_lags_matches_the_formula)
{
    struct aw_process three = {.gain = 1, .a1 = 1.2, .a2 = 0.2, .a3 = 0.5};
    struct aw_process same = {.gain = 1, .a1 = 2, .a2 = 1, .a3 = 1};
    struct aw_process motor = {.gain = 1, .integrating = true, .a1 = 0.2, .a3 = 0.5};
    struct aw_process zero = three;
    zero.lead = -0.3;
    static const double lags[] = {1, 0.2, 0.5};
    for (int pieces = 1; pieces <= 7; pieces += 3)
        for (double t = 0.1; t < 6; t += 0.7) {
            double y = 1, rate = 0;
            for (int i = 0; i < 3; i++) {
                double part = lags[i] / (lags[i] - lags[(i + 1) % 3]) * lags[i] /
                              (lags[i] - lags[(i + 2) % 3]) * exp(-t / lags[i]);
                y -= part;
                rate += part / lags[i];
            }
            assert_near(step_of(&three, t, pieces), y, 1e-5);
            struct aw_process_state x = {0};
            aw_process_advance(&zero, &x, 1, 1, t);
            assert_near(aw_process_measured(&zero, &x), y - 0.3 * rate, 1e-4);
            assert_near(step_of(&same, t, pieces), 1 - exp(-t) * (1 + t + t * t / 2), 1e-3);
            assert_near(step_of(&motor, t, pieces),
                        t - 0.7 + (0.25 * exp(-t / 0.5) - 0.04 * exp(-t / 0.2)) / 0.3, 1e-5);
        }
    double complex s = I * 1.5, g = aw_process_response(&zero, 1.5);
    assert_near(cabs(g - (1 - 0.3 * s) / ((1 + s) * (1 + 0.2 * s) * (1 + 0.5 * s))), 0, 1e-12);
    assert_near(aw_process_phase(&zero, 1.5), -atan(0.45) - atan(1.5) - atan(0.3) - atan(0.75),
                1e-12);
    assert_int_equal(aw_process_kind_of(&three), AW_PROCESS_THIRD);
    assert_int_equal(aw_process_kind_of(&motor), AW_PROCESS_INTEGRATING);
}

/* A lag delays a ramp by its time constant; an integrator turns it into a parabola. */
TEST(ramp_responses_match_the_formula)
{
    struct aw_process first = {.a1 = 0.1}, pure = {.integrating = true},
                      two = {.a1 = 0.3, .a2 = 0.02};
    struct aw_process_state x = {0}, y = {0}, z = {0};
    aw_process_advance(&first, &x, 0, 5, 5);
    aw_process_advance(&pure, &y, 0, 5, 5);
    aw_process_advance(&two, &z, 0, 5, 5);
    assert_near(x.y, 4.9, 1e-12);
    assert_near(y.y, 12.5, 1e-12);
    assert_near(z.y, 4.7, 1e-9);
}

TEST(frequency_response_matches_the_formula)
{
    struct aw_process p = {.gain = 2, .a1 = 3, .a2 = 2, .dead_time_s = 0.25};
    double complex s = I * 1.5, g = aw_process_response(&p, 1.5);
    double complex wanted = 2 * cexp(-0.25 * s) / ((1 + 2 * s) * (1 + s));
    assert_near(cabs(g - wanted), 0, 1e-12);
    assert_near(aw_process_phase(&p, 1.5), -atan(3) - atan(1.5) - 0.375, 1e-12);
    /* An integrator with dead time L: pi/(2 L) and pi/(2 k L). */
    struct aw_process integrator = {.gain = 4, .integrating = true, .dead_time_s = 0.05};
    double omega, ku, tau1, tau2, damping;
    assert_true(aw_process_ultimate(&integrator, &omega, &ku));
    assert_near(omega, 3.14159265358979 / 0.1, 1e-9);
    assert_near(ku, 3.14159265358979 / 0.4, 1e-9);
    struct aw_process none = {.gain = 1, .a1 = 1};
    assert_false(aw_process_ultimate(&none, &omega, &ku));
    aw_process_lags(&p, &tau1, &tau2, &damping);
    assert_near(tau1, 2, 1e-12);
    assert_near(tau2, 1, 1e-12);
    assert_near(damping, 3 / (2 * sqrt(2)), 1e-12);
    aw_process_lags(&none, &tau1, &tau2, &damping);
    assert_true(isnan(damping)); /* a single lag has none */
    assert_int_equal(aw_process_kind_of(&integrator), AW_PROCESS_INTEGRATING);
    assert_int_equal(aw_process_kind_of(&p), AW_PROCESS_SECOND);
    assert_int_equal(aw_process_kind_of(&none), AW_PROCESS_FIRST);
}

TEST(processes_match_the_golden_file)
{
    static const struct aw_process processes[] = {
        {1, false, 0.5, 0.06, 0.05, 0.1, 0.01},
        {2, false, 0.5, 0.06, 0.3005, -0.1, 0},
        {-1, false, 0.4, 0.04, 0.2, 0, 0.3},
        {1, true, 0.2, 0, 0.2, 0.05, 0.1},
        {3, true, 0.2, 0, 0.05, -0.02, 0},
        {1, false, 0.1, 0.01, 0.3, 0, 0},
        {1, false, 0.3, 0, 0.1, 0, 0.02},
        {1, true, 0, 0, 0, 0, 5},
        {1, false, 30, 0, 0, 0, 9},
        {1, false, 0, 0, 0, 0, 0.1},
    };
    FILE *out = begin_picture();
    for (size_t i = 0; i < sizeof processes / sizeof *processes; i++) {
        const struct aw_process *p = &processes[i];
        struct aw_process_state x = {0.1, -0.2, 0.3};
        double tau1, tau2, omega = 0, ku = 0;
        aw_process_lags(p, &tau1, &tau2, NULL);
        bool ultimate = aw_process_ultimate(p, &omega, &ku);
        fprintf(out, "%zu, %s\n", i, aw_process_kind_name(aw_process_kind_of(p)));
        NUMBERS(out, "  lags, ultimate", tau1, tau2, ultimate, omega, ku);
        for (double w = 0.2; w < 100; w *= 25) {
            double complex g = aw_process_response(p, w);
            NUMBERS(out, "  response", w, creal(g), cimag(g), aw_process_phase(p, w));
        }
        for (int k = 0; k < 7; k++) {
            aw_process_advance(p, &x, k, k < 4 ? k + 1 : k, k == 3 ? 0 : 0.02 * (1 << k));
            if (k % 2 == 0)
                NUMBERS(out, "  after", x.y, x.rate, x.lagged, aw_process_measured(p, &x));
        }
    }
    end_picture(out, "control-thirds.txt");
}
