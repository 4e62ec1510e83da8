/* Prints each step of the search for a small record with jumps, noise and drift. test_fit checks
 * the results. */
#include "numbers_helper.h"

#include "tuning/identify/search.h"

#define N      90
#define INPUTS 40

static double t[N], y[N], input_t[INPUTS], input[INPUTS];
static struct aw_trial trial = {
    .input_t = input_t, .input = input, .n_inputs = INPUTS, .t = t, .y = y, .n = N};

/* Records at uneven times; the input jumps up and down, with one ramp and two equal points at one
 * time. */
static void record(bool integrating)
{
    static const double levels[] = {0, 0.1, -0.05, 0.08, 0.02, -0.1, 0.1, 0, 0.05, -0.08};
    struct aw_process truth = {
        .gain = 2, .integrating = integrating, .a1 = 0.2, .dead_time_s = 0.031};
    struct aw_process_state x = {0};
    unsigned seed = 5;
    for (int k = 0; k < INPUTS; k++) {
        input_t[k] = 0.12 * (double)((k + 1) / 2) + (k == 21 || k == 22 ? 0.03 * (k - 21) : 0);
        input[k] = levels[k / 2 % 10];
    }
    input[13] = input[14] = 0.1;
    input[25] += 0.02; /* not constant between two jumps */
    for (int i = 0; i < N; i++) {
        t[i] = 0.025 * i + (i % 3) * 0.004;
        seed = seed * 1664525U + 1013904223U;
        y[i] = 0.3 + 0.02 * t[i] + 0.002 * ((double)(seed >> 16) / 65536 - 0.5);
        x = (struct aw_process_state){0};
        for (int k = 0; k + 1 < INPUTS && input_t[k] < t[i] - truth.dead_time_s; k++)
            aw_process_advance(&truth, &x, input[k], input[k + 1],
                               fmin(input_t[k + 1], t[i] - truth.dead_time_s) - input_t[k]);
        y[i] += aw_process_measured(&truth, &x);
    }
}

static void print_state(FILE *out, const char *what, const struct aw_search *s, double sum)
{
    struct aw_process p = aw_search_get_process(s);
    NUMBERS(out, what, 1e6 * sum, s->linear[AW_GAIN], s->linear[AW_DRIFT]);
    numbers(out, "    at", s->params, AW_NONLINEAR);
    NUMBERS(out, "    process, residual", p.gain, p.integrating, p.a1, p.a2, p.a3, p.dead_time_s,
            s->work.residual[0], s->work.residual[N / 2], s->work.residual[N - 1]);
}

/* clang-format off */
static const struct {
    const char *name;
    enum aw_process_kind kind;
    bool third, find_dead_band, integrating, stairs;
    size_t n, piece;
    double at[AW_NONLINEAR];
} rows[] = {
    {"first order", AW_PROCESS_FIRST, false, false, false, false, N, N, {-1, 0, -9, 0.02, 0}},
    {"first order with a dead band, weights in pieces",
     AW_PROCESS_FIRST, false, true, false, false, N, 30, {0, 0, -9, 0.1, 0.01}},
    {"first order, part of the record, held input",
     AW_PROCESS_FIRST, false, false, true, true, 70, 20, {1, 0, 0, 0, 0}},
    {"integrating with one lag",
     AW_PROCESS_INTEGRATING, false, false, true, false, N, N, {-2, 0, 0, 0.05, 0}},
    {"integrating with two lags and a dead band",
     AW_PROCESS_INTEGRATING, true, true, true, false, 85, 40, {-2, 0, -4, 0.01, 0.02}},
    {"second order", AW_PROCESS_SECOND, false, false, false, false, N, 90, {-1, -3, 0, 0.02, 0}},
    {"third order, held input",
     AW_PROCESS_THIRD, true, false, false, true, N, 90, {-1, -2, -3, 0.01, 0.005}},
    {"start beyond the bounds",
     AW_PROCESS_THIRD, true, true, false, false, N, N, {-99, 99, 99, -1, -1}},
    {"start beyond the opposite bounds",
     AW_PROCESS_FIRST, false, true, true, false, N, N, {99, 0, 0, 99, 0.5}},
};
/* clang-format on */

static void print_covariance(FILE *out, struct aw_search *s)
{
    double cov[AW_PARAMETERS][AW_PARAMETERS];
    size_t which[AW_PARAMETERS], m = aw_search_list_parameters(s, which);
    struct aw_error err;
    assert_int_equal(aw_search_covariance(s, 1e-6, cov, &err), AW_OK);
    for (size_t r = 0; r < m; r++) {
        NUMBERS(out, "  covariance", (double)which[r], 1e3 * sqrt(cov[r][r]), 1e6 * cov[r][0],
                1e6 * cov[m - 1][r]);
    }
}

TEST(search_steps_match_the_golden_file)
{
    FILE *out = begin_picture();
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        struct aw_search s;
        struct aw_error err;
        double answer[N];
        bool held_out[N];
        record(rows[i].integrating);
        trial.is_stairs = rows[i].stairs;
        trial.n_inputs = i % 3 == 1 ? 37 : i % 3 == 2 ? 38 : INPUTS; /* the last jump is at 35 */
        for (size_t k = 0; k < N; k++)
            held_out[k] = k >= rows[i].n;
        assert_int_equal(aw_search_begin(&s, &trial, held_out, &err), AW_OK);
        aw_search_reset_weights(&s, rows[i].piece);
        aw_search_set_structure(&s, rows[i].kind, rows[i].third, rows[i].find_dead_band);
        memcpy(s.params, rows[i].at, sizeof s.params);
        fprintf(out, "%s\n", rows[i].name);
        NUMBERS(out, "  level", s.work.target[0], s.work.target[39], s.work.target[60],
                s.work.target[N - 1], s.work.basis[AW_DRIFT][5], s.record_s);
        if (strncmp(rows[i].name, "start beyond", 12) != 0) {
            double sum = aw_search_evaluate(&s);
            assert_true(s.uses_linear[AW_DRIFT] || !(fabs(s.linear[AW_DRIFT]) > 0));
            print_state(out, "  cost", &s, sum);
            print_state(out, "  weighed", &s, aw_search_weigh(&s, sum / N, 1));
            aw_search_reset_weights(&s, rows[i].piece);
            aw_search_first_guess(&s);
            numbers(out, "  first guess", s.params, AW_NONLINEAR);
            memcpy(s.params, rows[i].at, sizeof s.params);
        }
        double sum = aw_search_descend(&s);
        print_state(out, "  descended", &s, sum);
        if (i % 3 == 0)
            print_covariance(out, &s);
        aw_search_hold_out(&s, NULL);
        print_state(out, "  weighed, and nothing held out", &s, aw_search_weigh(&s, 1e-6, 0.5));
        aw_search_simulate(&s, answer);
        NUMBERS(out, "  answer", answer[0], answer[3], answer[44], answer[N - 1]);
        aw_search_end(&s);
    }
    end_picture(out, "control-search.txt");
}
