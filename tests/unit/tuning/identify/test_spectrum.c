/* Tests frequency responses without a model: a lag with a jumping input, held and linear, at uneven
 * times; and records without information. */
#include "numbers_helper.h"

#include "tuning/identify/spectrum.h"

#define N 400

static double t[N], y[N], at[2 * N], input[2 * N];

/* Records jumps in a fixed pattern every 70 ms and a slow oscillation. The output is a lag's
 * noisy answer to the last jump before each sample. */
static struct aw_trial record(double noise, bool stairs)
{
    struct aw_process lag = {.gain = -1.5, .a1 = 0.06};
    struct aw_process_state x = {0};
    unsigned seed = 9;
    double level = 0;
    size_t n = 0;
    for (int i = 0; i < N; i++) {
        double h = i % 4 == 3 ? 0.013 : 0.009;
        t[i] = i > 0 ? t[i - 1] + h : 0.5;
        aw_process_advance(&lag, &x, level, level, i > 0 ? h : 0);
        seed = seed * 1664525U + 1013904223U;
        y[i] = 3 + aw_process_measured(&lag, &x) + noise * ((double)(seed >> 16) / 65536 - 0.5);
        if (i % 7 == 2 || i == 0) {
            at[n] = t[i];
            input[n++] = level;
            level = (seed >> 30 ? 0.2 : -0.1) + 0.05 * sin(0.05 * i);
            at[n] = t[i];
            input[n++] = level;
        }
    }
    return (struct aw_trial){
        .input_t = at, .input = input, .n_inputs = n, .is_stairs = stairs, .t = t, .y = y, .n = N};
}

/* One sample per second, the last one a second late. The resampled record has whole seconds, and
 * the input jumps at the samples. */
static void make_whole(void)
{
    for (int i = 0; i < N; i++)
        t[i] = i < N - 1 ? i : N;
    for (int i = 0; i < 2 * N; i++)
        at[i] = 7 * (i / 2) + 0.125;
}

TEST(spectrum_matches_the_golden_file)
{
    static const struct {
        const char *name;
        double noise;
        bool stairs;
        size_t n;
    } rows[] = {{"linear input", 0.01, false, N},
                {"held input", 0.2, true, N},
                {"short record", 0, false, 70},
                {"held input at whole seconds", 0, true, N}};
    FILE *out = begin_picture();
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        struct aw_spectrum_point points[AW_SPECTRUM_POINTS];
        struct aw_trial trial = record(rows[i].noise, rows[i].stairs);
        trial.n = rows[i].n;
        if (i == 3)
            make_whole();
        size_t n = aw_find_spectrum(&trial, points);
        fprintf(out, "%s: %zu\n", rows[i].name, n);
        for (size_t k = 0; k < n; k++)
            NUMBERS(out, " ", points[k].frequency_hz, points[k].gain, points[k].phase_deg,
                    points[k].coherence, points[k].n_segments);
    }
    end_picture(out, "control-spectra.txt");
}

TEST(records_without_information_are_refused)
{
    struct aw_spectrum_point points[AW_SPECTRUM_POINTS];
    static const size_t sizes[][2] = {{29, 4}, {30, 1}, {30, 2}};
    for (size_t i = 0; i < sizeof sizes / sizeof *sizes; i++) {
        struct aw_trial trial = record(0, false);
        trial.n = sizes[i][0];
        trial.n_inputs = sizes[i][1];
        size_t n = aw_find_spectrum(&trial, points);
        assert_true(i < 2 ? n == 0 : n < AW_SPECTRUM_POINTS);
    }
    struct aw_trial trial = record(0, false);
    memset(y, 0, sizeof y);
    assert_int_equal(aw_find_spectrum(&trial, points), 0);
    trial = record(0, false);
    memset(input, 0, sizeof input);
    assert_int_equal(aw_find_spectrum(&trial, points), 0);
}
