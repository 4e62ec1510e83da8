#include <math.h>

#include "numbers_helper.h"
#include "test.h"

#include "tuning/identify/excite.h"
#include "tuning/identify/process.h"

static struct aw_excite excite;

/* The result of an experiment with a process, sampled every 10 ms. */
struct outcome {
    int parts[AW_EXCITE_OVER + 1]; /* number of samples in each part */
    double farthest, ended_s, largest;
};

static struct outcome run(const struct aw_process *process, struct aw_excite_config config)
{
    struct outcome o = {.farthest = 0};
    struct aw_process_state x = {0};
    double past[100] = {0}, output = 0;
    size_t late = (size_t)(process->dead_time_s / 0.01);
    aw_excite_start(&excite, &config);
    for (size_t i = 0; i < 10000 && excite.part < AW_EXCITE_OVER; i++) {
        double y = config.centre + process->gain * x.y;
        o.parts[excite.part]++;
        o.farthest = fmax(o.farthest, fabs(y - config.centre));
        o.ended_s = (double)i * 0.01;
        output = aw_excite_add_sample(&excite, o.ended_s, y);
        o.largest = fmax(o.largest, fabs(output));
        past[i % 100] = output;
        double in = past[(i + 100 - late) % 100];
        aw_process_advance(process, &x, in, in, 0.01);
    }
    return o;
}

static const struct aw_excite_config usual = {
    .centre = 0.1, .amplitude = 0.1, .hysteresis = 0.001, .max_deviation = 0.05, .max_time_s = 30};

TEST(excitation_stays_within_deviation_and_amplitude)
{
    const struct aw_process processes[] = {
        {.gain = 2, .integrating = true, .a1 = 0.03, .dead_time_s = 0.02},
        {.gain = 0.3, .a1 = 0.2, .dead_time_s = 0.1},
        {.gain = 0.1, .a1 = 0.01, .dead_time_s = 0.3},
        {.gain = 1.5, .a1 = 1.2, .dead_time_s = 0.05},
    };
    EACH (row, processes) {
        struct outcome o = run(row, usual);
        assert_false(excite.too_far || o.farthest > usual.max_deviation);
        for (int part = 0; part < AW_EXCITE_OVER; part++)
            assert_true(o.parts[part] > 0);
        assert_true(o.ended_s < usual.max_time_s && o.largest <= 2 * usual.amplitude);
        assert_true(fabs(aw_excite_add_sample(&excite, 100, 0)) < 1e-12);
        assert_int_equal(aw_excite_result(&excite, NULL), AW_OK);
    }
}

TEST(experiment_runs_only_the_requested_parts)
{
    const struct aw_process process = {.gain = 0.3, .a1 = 0.2, .dead_time_s = 0.1};
    struct aw_excite_config config = usual;
    config.steps = true;
    struct outcome o = run(&process, config);
    assert_int_equal(o.parts[AW_EXCITE_RELAY] + o.parts[AW_EXCITE_SMALL], 0);
    assert_true(o.parts[AW_EXCITE_STEP] && o.parts[AW_EXCITE_DOWN] && o.parts[AW_EXCITE_UP]);
    config.steps = false;
    config.relay = true;
    o = run(&process, config);
    assert_int_equal(o.parts[AW_EXCITE_STEP] + o.parts[AW_EXCITE_UP], 0);
    assert_true(o.parts[AW_EXCITE_RELAY] && o.parts[AW_EXCITE_SMALL]);
}

/* With 0.9 s of dead time, earlier output still moves the joint. */
TEST(exceeding_the_deviation_limit_ends_the_experiment)
{
    const struct aw_process process = {.gain = 5, .integrating = true, .dead_time_s = 0.9};
    struct aw_error err;
    run(&process, usual);
    assert_true(excite.too_far && excite.part == AW_EXCITE_OVER);
    assert_int_equal(aw_excite_result(&excite, &err), AW_REFUSED);
    assert_string_equal(
        err.text,
        "identify: deviation limit exceeded — lower --amplitude or raise --max-deviation");
}

TEST(experiment_without_motion_ends_in_time)
{
    const struct aw_process process = {.gain = 1e-9, .a1 = 1};
    struct outcome o = run(&process, usual);
    assert_true(o.ended_s <= usual.max_time_s + 1);
    assert_false(excite.too_far);
}

TEST(input_has_points_at_jumps_and_gaps)
{
    static const double t[] = {0, 1, 2, 4, 4.5, 6}, u[] = {0, 0.95, 1.95, 5, 4.5, 3.5};
    static const struct {
        size_t n;
        double tick_s;
    } rows[] = {{6, 0}, {6, 0.25}, {6, 0.5}, {6, 5}, {1, 1}, {2, 0.1}, {0, 1}};
    FILE *out = begin_picture();
    EACH (row, rows) {
        double at[18] = {0}, v[18] = {0};
        struct aw_trial trial = aw_excite_make_trial(t, u, t, row->n, row->tick_s, at, v);
        size_t n = trial.n_inputs;
        fprintf(out, "%zu, tick %g: %zu, late by %g, rough by %.6g\n", row->n, row->tick_s, n,
                trial.jump_half_s, trial.roughness);
        numbers(out, "  at", at, n);
        numbers(out, "  is", v, n);
    }
    for (int part = 0; part <= AW_EXCITE_OVER; part++)
        fprintf(out, "%s\n", aw_excite_part_name((enum aw_excite_part)part));
    end_picture(out, "control-inputs.txt");
}

/* Samples of chosen curves: the rest lasts 0.3 s, and the bound may be reached but not exceeded.
 * A step ends at 0.7 of the bound including coasting, at rest, or after its share of the time. */
TEST(parts_end_at_their_bounds)
{
    static const struct {
        const char *name;
        double dt, before, slope, most; /* y changes at slope up to most */
        double late;                    /* y coasts this far after the step */
    } rows[] = {
        {"moves to the bound", 1. / 128, 0, 0.125, 9, 0},
        {"coasts after the step", 1. / 128, 0, 0.125, 9, 0.25},
        {"coasts in the other direction", 1. / 128, 0, -0.125, 9, 0.25},
        {"comes to rest before the bound", 1. / 16, 0, 0.125, 0.02, 0.05},
        {"does not move", 0.125, 0, 0, 0, 0},
        {"does not move, away from the centre", 0.125, 0.05, 0, 0, 0},
        {"starts away from the centre", 0.05, -0.02, 0.03125, 0.03, 0},
        {"exceeds the bound", 0.5, 0.02, 0.25, 9, 0},
    };
    FILE *out = begin_picture();
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        struct aw_excite_config config = {0, 0.1, 1. / 1024, 0.0625, 10, true, i % 2 == 0};
        aw_excite_start(&excite, &config);
        enum aw_excite_part part = AW_EXCITE_OVER;
        double step_s = INFINITY;
        fprintf(out, "%s\n", rows[i].name);
        for (int k = 0; k < 300 && excite.part <= AW_EXCITE_RELAY; k++) {
            double t = 5 + rows[i].dt * k,
                   gone = fmax(0, t - step_s - rows[i].late) * rows[i].slope;
            double y = rows[i].before + copysign(fmin(fabs(gone), rows[i].most), gone);
            double u = aw_excite_add_sample(&excite, t, y);
            if (excite.part != part)
                NUMBERS(out, "  ", t, y, u, excite.part, excite.shift, excite.response_s,
                        excite.max_distance, excite.max_distance_s, excite.too_far);
            if (excite.part == AW_EXCITE_STEP && part != AW_EXCITE_STEP)
                step_s = t;
            part = excite.part;
        }
    }
    struct aw_excite_config config = {0.25, 0.1, 0.001, 0.0625, 10, false, false};
    NUMBERS(out, "gain", aw_excite_find_gain(&config, 1), aw_excite_find_gain(&config, 0.3));
    end_picture(out, "control-steps.txt");
}

TEST(reaching_the_bound_does_not_end_the_experiment)
{
    struct aw_excite_config config = {1, 0.125, 0.001, 0.0625, 10, true, true};
    aw_excite_start(&excite, &config);
    aw_excite_add_sample(&excite, 0, 1.0625);
    assert_false(excite.too_far);
    aw_excite_add_sample(&excite, 0, 0.9375);
    assert_false(excite.too_far);
    assert_int_equal(aw_excite_result(&excite, NULL), AW_OK);
    aw_excite_add_sample(&excite, 0, 1.0626);
    assert_true(excite.too_far && excite.part == AW_EXCITE_OVER && excite.output == 0);
}
