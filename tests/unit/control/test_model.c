#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>

#include "control/model.h"

static struct aw_model model;

static enum aw_status parse(const char *text, struct aw_error *err)
{
    return aw_model_read(&model, text, "m.json", err);
}

static void test_by_hand(void **state)
{
    (void)state;
    struct aw_error err;
    assert_int_equal(
        parse("{\"kind\":\"first-order\",\"gain\":-2,\"dead_time\":0.05,\"tau\":0.5}", &err),
        AW_OK);
    assert_int_equal(aw_process_kind_of(&model.fit.process), AW_PROCESS_FIRST);
    assert_true(fabs(model.fit.process.a1 - 0.5) < 1e-12 && model.fit.process.gain < 0);
    assert_true(isnan(model.fit.half.gain) && model.n_points == 0);
    assert_int_equal(parse("{\"kind\":\"second-order\",\"gain\":1,\"dead_time\":0,\"tau1\":0.5,"
                           "\"tau2\":0.5,\"damping\":0.2}",
                           &err),
                     AW_OK);
    assert_true(fabs(model.fit.process.a1 - 0.2) < 1e-12);
    assert_true(fabs(model.fit.process.a2 - 0.25) < 1e-12);
}

static void test_lags_and_a_zero(void **state)
{
    (void)state;
    struct aw_error err;
    struct aw_process *p = &model.fit.process;
    assert_int_equal(parse("{\"kind\":\"third-order\",\"gain\":1,\"dead_time\":0,\"tau1\":0.5,"
                           "\"tau2\":0.2,\"tau3\":0.1,\"lead\":-0.3,\"damping\":1.2}",
                           &err),
                     AW_OK);
    assert_true(fabs(p->a1 - 0.7) < 1e-12 && fabs(p->a2 - 0.1) < 1e-12);
    assert_true(fabs(p->a3 - 0.1) < 1e-12 && fabs(p->lead + 0.3) < 1e-12);
    assert_int_equal(parse("{\"kind\":\"integrating\",\"gain\":1,\"dead_time\":0,\"tau\":0.5,"
                           "\"tau2\":9,\"tau3\":0.1,\"lead\":0.2}",
                           &err),
                     AW_OK);
    assert_true(fabs(p->a1 - 0.5) < 1e-12 && !(p->a2 > 0) && fabs(p->a3 - 0.1) < 1e-12);
    /* what a kind does not have is passed over */
    assert_int_equal(parse("{\"kind\":\"first-order\",\"gain\":1,\"dead_time\":0,\"tau\":0.5,"
                           "\"tau3\":0.1,\"lead\":0.2,\"damping\":0.5}",
                           &err),
                     AW_OK);
    assert_true(fabs(p->a1 - 0.5) < 1e-12 && !(p->a2 > 0) && !(p->a3 > 0));
    assert_true(!(fabs(p->lead) > 0));
}

static const struct {
    const char *text, *says;
} wrong[] = {
    {"", "m.json:1"},
    {"[]", "this is no armwire-model-1"},
    {"{\"format\":\"other\"}", "this is no armwire-model-1"},
    {"{\"kind\":\"first-order\",\"gain\":\"2\",\"dead_time\":1}", "gain is no number"},
    {"{\"kind\":\"first-order\",\"gain\":2}", "dead_time is no number"},
    {"{\"kind\":\"third\",\"gain\":2,\"dead_time\":1}", "its kind is none of"},
    {"{\"kind\":\"first-order\",\"gain\":0,\"dead_time\":1}", "no process"},
    {"{\"kind\":\"first-order\",\"gain\":1,\"dead_time\":-1}", "no process"},
    {"{\"kind\":\"first-order\",\"gain\":1,\n\"dead_time\":}", "m.json:2"},
};

static void test_what_is_no_model(void **state)
{
    (void)state;
    for (size_t i = 0; i < sizeof wrong / sizeof *wrong; i++) {
        struct aw_error err;
        assert_int_equal(parse(wrong[i].text, &err), AW_MALFORMED);
        if (!strstr(err.text, wrong[i].says))
            fail_msg("'%s': %s", wrong[i].text, err.text);
    }
}

static void test_there_and_back(void **state)
{
    (void)state;
    static char text[8192];
    struct aw_model other;
    struct aw_error err;
    aw_model_init(&other);
    other.fit.process =
        (struct aw_process){.gain = 2.5, .a1 = 0.35, .a2 = 0.015, .dead_time_s = 0.021};
    other.fit.half.gain = 0.125;
    other.fit.held_out = 0.975;
    other.grain.quantum = 0.000125;
    other.driver = (struct aw_driver){.tick_s = 0.004, .dead_band = 0.01, .gain_max = 100};
    other.full_scale = 360;
    snprintf(other.unit, sizeof other.unit, "deg");
    snprintf(other.source, sizeof other.source, "a \"quoted\\ name");
    other.n_points = 2;
    other.points[1] = (struct aw_spectrum_point){2, 0.5, -100, 0.75, 9};
    FILE *file = fmemopen(text, sizeof text, "w");
    aw_model_write(file, &other);
    fclose(file);
    if (parse(text, &err) != AW_OK)
        fail_msg("%s", err.text);
    assert_true(fabs(model.fit.process.a1 - 0.35) < 1e-8);
    assert_true(fabs(model.fit.process.a2 - 0.015) < 1e-9);
    assert_true(fabs(model.fit.half.gain - 0.125) < 1e-12 && isnan(model.fit.half.tau1));
    assert_true(fabs(model.driver.gain_max - 100) < 1e-12 && fabs(model.full_scale - 360) < 1e-12);
    assert_string_equal(model.unit, "deg");
    assert_string_equal(model.source, other.source);
    assert_int_equal(model.n_points, 2);
    assert_true(fabs(model.points[1].coherence - 0.75) < 1e-12 && model.points[1].pieces == 9);
}

static void test_files(void **state)
{
    (void)state;
    struct aw_error err;
    char path[] = "/tmp/test_model.XXXXXX";
    int fd = mkstemp(path);
    assert_true(fd >= 0);
    aw_model_init(&model);
    model.fit.process = (struct aw_process){.gain = 2, .a1 = 0.5, .dead_time_s = 0.25};
    assert_int_equal(aw_model_save(&model, path, &err), AW_OK);
    aw_model_init(&model);
    assert_int_equal(aw_model_load(&model, path, &err), AW_OK);
    assert_true(fabs(model.fit.process.a1 - 0.5) < 1e-9);
    assert_true(fabs(model.fit.process.dead_time_s - 0.25) < 1e-9);
    assert_int_equal(truncate(path, 8 << 20), 0);
    assert_int_equal(aw_model_load(&model, path, &err), AW_MALFORMED);
    assert_non_null(strstr(err.text, "it is too long for a model"));
    close(fd);
    unlink(path);
    assert_int_equal(aw_model_load(&model, path, &err), AW_USAGE);
    assert_int_equal(aw_model_save(&model, "/nowhere/x", &err), AW_USAGE);
    assert_int_equal(aw_model_save(&model, "/dev/full", &err), AW_LOST);
    assert_non_null(strstr(err.text, "the model could not be saved: /dev/full"));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_by_hand),
        cmocka_unit_test(test_lags_and_a_zero),
        cmocka_unit_test(test_what_is_no_model),
        cmocka_unit_test(test_there_and_back),
        cmocka_unit_test(test_files),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
