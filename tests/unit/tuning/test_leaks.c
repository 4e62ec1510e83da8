/* Tests that all allocated memory is freed, on success and on refusal. If the C library reports the
 * memory in use, it must not grow from round to round. */
#include <malloc.h>
#include <math.h>
#include <stdlib.h>
#include <unistd.h>

#include "control/samples.h"
#include "control/trajectory.h"
#include "test.h"
#include "tuning/design.h"
#include "tuning/model.h"
#include "tuning/predict.h"

#define N 40

static struct aw_error err;
static char path[] = "/tmp/test_leaks.XXXXXX";

static size_t in_use(void)
{
#if defined __GLIBC__ && (__GLIBC__ > 2 || __GLIBC_MINOR__ >= 33)
    return mallinfo2().uordblks;
#else
    return 0;
#endif
}

static void columns(void)
{
    static const struct aw_sample samples[9];
    free(aw_sample_columns(samples, 9, 1).t);
}

static void designs(void)
{
    static const struct aw_driver driver = {.tick_s = 0.1};
    static const struct aw_process lag = {.gain = 1, .a1 = 0.5, .dead_time_s = 0.1};
    struct aw_proposal proposal;
    aw_design(&lag, &driver, &(struct aw_design_options){.form = AW_FORM_P, .ms = 1.5}, &proposal,
              &err);
    aw_predict_overshoot(&lag, 0.1, &(struct aw_gains){0.5, 0.1, 0});
}

static void fits(void)
{
    static double t[N], u[N], y[N];
    struct aw_trial trial = {t, u, N, true, t, y, N, 0, 0};
    struct aw_spectrum_point points[AW_SPECTRUM_POINTS];
    struct aw_fit fit;
    for (int k = 0; k < N; k++) {
        t[k] = 0.1 * k;
        u[k] = k / 5 % 2;
        y[k] = k > 0 ? y[k - 1] + 0.3 * (u[k - 1] - y[k - 1]) : 0;
    }
    assert_int_equal(aw_fit_best(&trial, NULL, &fit, &err), AW_OK);
    aw_find_spectrum(&trial, points);
    aw_grain(y, N);
}

static void files(void)
{
    static struct aw_model model;
    aw_model_init(&model);
    model.fit.process = (struct aw_process){.gain = 2, .a1 = 0.5};
    assert_int_equal(aw_model_save(&model, path, &err), AW_OK);
    assert_int_equal(aw_model_load(&model, path, &err), AW_OK);
    aw_model_read(&model, "[]", "none", &err);
}

static void paths(void)
{
    struct aw_path p;
    static const double t[] = {0, 1, 2}, far[] = {-1.7e308, 1.7e308, 0};
    assert_int_equal(aw_path_init(&p, AW_PATH_QUINTIC, t, t, 3, 1, &err), AW_OK);
    aw_path_free(&p);
    assert_int_equal(aw_path_init(&p, AW_PATH_CUBIC, t, far, 3, 1, &err), AW_USAGE);
}

static void samples(void)
{
    struct aw_samples s = {0};
    for (int i = 0; i < 300; i++)
        aw_samples_add(&s, i);
    aw_samples_free(&s);
}

TEST(tuning_leaks_no_memory)
{
    static void (*const each[])(void) = {columns, designs, fits, files, paths, samples};
    close(mkstemp(path));
    for (size_t i = 0; i < sizeof each / sizeof *each; i++) {
        size_t before = 0;
        bool grows = true; /* memory has grown in every round from the sixth on */
        for (int k = 0; k < 12; k++) {
            each[i]();
            grows = grows && (k < 5 || in_use() > before);
            before = in_use();
        }
        if (grows)
            fail_msg("%zu leaks", i);
    }
    unlink(path);
}
