#include <math.h>
#include <unistd.h>

#include "picture_helper.h"
#include "test.h"

#include "tuning/model.h"

static struct aw_model model;

static enum aw_status parse(const char *text, struct aw_error *err)
{
    return aw_model_read(&model, text, "m.json", err);
}

/* Parses a text with ' for ". */
static enum aw_status parse_quoted(const char *text, struct aw_error *err)
{
    char json[300];
    assert_true(strlen(text) < sizeof json);
    strcpy(json, text);
    for (char *quote = json; (quote = strchr(quote, '\''));)
        *quote = '"';
    return parse(json, err);
}

TEST(handwritten_model_is_read)
{
    struct aw_error err;
    assert_ok(parse_quoted("{'kind':'first-order','gain':-2,'dead_time':0.05,'tau':0.5}", &err),
              &err);
    assert_int_equal(aw_process_kind_of(&model.fit.process), AW_PROCESS_FIRST);
    assert_true(fabs(model.fit.process.a1 - 0.5) < 1e-12 && model.fit.process.gain < 0);
    assert_true(isnan(model.fit.half_widths.gain) && model.n_points == 0);
}

static const struct {
    const char *text, *says;
} wrong[] = {
    {"", "m.json:1:0: '[' or '{' expected near end of file"},
    {"[]", "m.json: not in format armwire-model-1"},
    {"{'format':'other'}", "not in format armwire-model-1"},
    {"{'kind':'first-order','gain':'2','dead_time':1}",
     "m.json: gain is not a number — write models in the format of docs/model.schema.json"},
    {"{'kind':'first-order','gain':2}",
     "m.json: dead_time is not a number — write models in the format of docs/model.schema.json"},
    {"{'kind':'first-order','gain':2,'dead_time':1,'fit':{'own':true}}",
     "m.json: own is not a number"},
    {"{'kind':'third','gain':2,'dead_time':1}",
     "m.json: model kind 'third' not supported — use first-order, integrating, second-order or "
     "third-order"},
    {"{'gain':2,'dead_time':1}", "model kind '' not supported"},
    {"{'kind':'first-order','gain':0,'dead_time':1}", "m.json: gain is 0"},
    {"{'kind':'first-order','gain':1,'dead_time':1,'tau':-1}",
     "m.json: a time or the damping is below 0"},
    {"{'kind':'second-order','gain':1,'dead_time':1,'tau2':-1}",
     "m.json: a time or the damping is below 0"},
    {"{'kind':'third-order','gain':1,'dead_time':1,'tau3':-1}",
     "m.json: a time or the damping is below 0"},
    {"{'kind':'second-order','gain':1,'dead_time':1,'damping':-1}",
     "m.json: a time or the damping is below 0"},
    {"{'kind':'first-order','gain':1,'dead_time':1,'driver':{'tick':-1}}",
     "m.json: a time or the damping is below 0"},
    {"{'kind':'first-order','gain':1,'dead_time':-1}", "m.json: a time or the damping is below 0"},
    {"{'kind':'first-order','gain':1,\n'dead_time':}", "m.json:2"},
    /* Times and sizes beyond those of any joint would overflow the counters. */
    {"{'kind':'integrating','gain':1,'dead_time':1,'confidence':{'dead_time':1e300}}",
     "m.json: dead_time 1e+300 is out of range (limit 10000)"},
    {"{'kind':'integrating','gain':1,'dead_time':1,'fit':{'interval':-1e5}}",
     "m.json: interval -100000 is out of range (limit -10000)"},
    {"{'kind':'integrating','gain':1,'dead_time':1,'lead':2e4}",
     "m.json: lead 20000 is out of range (limit 10000)"},
    {"{'kind':'integrating','gain':1,'dead_time':1,'tau':1e300}",
     "m.json: tau 1e+300 is out of range (limit 10000)"},
    {"{'kind':'integrating','gain':1,'dead_time':1,'tau3':1e5}",
     "m.json: tau3 100000 is out of range (limit 10000)"},
    {"{'kind':'integrating','gain':1,'dead_time':1,'driver':{'tick':1e-300}}",
     "m.json: control period 1e-300 s is out of range"},
    {"{'kind':'integrating','gain':1,'dead_time':1,'driver':{'quantum':1e300}}",
     "m.json: quantum 1e+300 is out of range (limit 1e+12)"},
};

TEST(invalid_models_are_refused)
{
    EACH (row, wrong) {
        struct aw_error err;
        assert_int_equal(parse_quoted(row->text, &err), AW_MALFORMED);
        assert_has(err.text, row->says);
    }
}

TEST(model_file_round_trip)
{
    struct aw_error err;
    char path[] = "/tmp/test_model.XXXXXX";
    int fd = mkstemp(path);
    assert_true(fd >= 0);
    aw_model_init(&model);
    model.fit.process = (struct aw_process){.gain = 2, .a1 = 0.5, .dead_time_s = 0.25};
    aw_model_set_tick(&model, &(struct aw_tick){0.004, 0.00004, AW_TICK_MEASURED});
    assert_int_equal(aw_model_save(&model, path, &err), AW_OK);
    aw_model_init(&model);
    assert_int_equal(aw_model_load(&model, path, &err), AW_OK);
    assert_true(fabs(model.fit.process.a1 - 0.5) < 1e-9);
    assert_true(fabs(model.fit.process.dead_time_s - 0.25) < 1e-9);
    assert_true(isnan(model.fit.half_widths.gain) && isnan(model.fit.half_widths.tau1));
    assert_true(fabs(model.tick.s - 0.004) < 1e-12 &&
                fabs(model.tick.half_width - 0.00004) < 1e-12);
    assert_int_equal(model.tick.source, AW_TICK_MEASURED);
    assert_int_equal(truncate(path, 8 << 20), 0);
    assert_int_equal(aw_model_load(&model, path, &err), AW_MALFORMED);
    close(fd);
    unlink(path);
    assert_int_equal(aw_model_load(&model, path, &err), AW_USAGE);
    assert_int_equal(aw_model_save(&model, "/nowhere/x", &err), AW_USAGE);
    assert_int_equal(aw_model_save(&model, "/dev/full", &err), AW_LOST);
    assert_has(err.text, "cannot save the model: /dev/full");
}

/* Returns the model as text, for free(3). */
static char *written(void)
{
    char *text;
    size_t n;
    FILE *file = open_memstream(&text, &n);
    aw_model_write(file, &model);
    fclose(file);
    return text;
}

TEST(text_that_is_not_utf8_is_cleaned_not_lost)
{
    struct aw_error err;
    aw_model_init(&model);
    model.fit.process = (struct aw_process){.gain = 2, .a1 = 0.5};
    strcpy(model.unit, "\xB0 C");
    char *text = written();
    assert_ok(parse(text, &err), &err);
    assert_string_equal(model.unit, "? C");
    free(text);
}

TEST(every_key_round_trips)
{
    static const struct aw_process processes[] = {
        {1.25, true, 0.5, 0, 0, 0, 0.03125},
        {-1.25, false, 0.5, 0, 0, 0, 0},
        {1.25, false, 0.75, 0.125, 0, -0.5, 0.03125},
        {1.25, false, 0.25, 0.0625, 0.375, 0.5, 0.03125},
    };
    struct aw_error err;
    FILE *out = begin_picture();
    for (size_t i = 0; i < sizeof processes / sizeof *processes; i++) {
        aw_model_init(&model);
        model.fit = (struct aw_fit){
            processes[i], {0.5, 1, 1.5, 2, 2.5, 3}, 4, 7, 8, 9, 10, 11, 0, 0.01, 12};
        model.grain = (struct aw_grain){0.0625, 0.03125};
        model.driver = (struct aw_driver){0.004, 0.01, 4, 0.81, 100, 0.03125, 0.0625};
        model.tick = (struct aw_tick){0.004, 13, (enum aw_tick_source)(i % AW_TICK_SOURCES)};
        if (i == AW_TICK_UNKNOWN)
            model.driver.tick_s = 0;
        model.full_scale = 360;
        strcpy(model.board, "lknee");
        strcpy(model.controller, "pos\\\"x\"\n\x1F ~\xC2\xB0");
        strcpy(model.unit, "deg");
        strcpy(model.source, "knee.csv");
        strcpy(model.created, "2026-01-02");
        model.n_points = i;
        for (size_t k = 0; k < i; k++)
            model.points[k] = (struct aw_spectrum_point){1.5 + (double)k, 0.123456789, -123.456789,
                                                         0.98765432, 7};
        char *once = written();
        if (i == 3)
            fputs(once, out);
        assert_ok(parse(once, &err), &err);
        assert_true(model.driver.noise == 0.0625 && model.fit.n == 12);
        char *twice = written();
        assert_string_equal(once, twice);
        free(once);
        free(twice);
    }
    end_picture(out, "control-models.txt");
}

/* A control period without a source counts as given by the user. */
TEST(source_of_the_control_period_is_read)
{
    static const struct {
        const char *driver;
        enum aw_tick_source from;
    } cases[] = {
        {"'tick':0.01", AW_TICK_GIVEN},
        {"'tick':0.01,'tick_from':'measured'", AW_TICK_MEASURED},
        {"'tick':0.01,'tick_from':'assumed'", AW_TICK_ASSUMED},
        {"'tick':0.01,'tick_from':'guessed'", AW_TICK_GIVEN},
        {"'tick':0.01,'tick_from':3", AW_TICK_GIVEN},
        {"'tick':0,'tick_from':'measured'", AW_TICK_UNKNOWN},
        {"'dead_band':0.01", AW_TICK_UNKNOWN},
    };
    EACH (row, cases) {
        struct aw_error err;
        char text[256];
        snprintf(text, sizeof text, "{'kind':'first-order','gain':1,'dead_time':0,'driver':{%s}}",
                 row->driver);
        assert_ok(parse_quoted(text, &err), &err);
        assert_int_equal(model.tick.source, row->from);
        assert_true(model.tick.s == model.driver.tick_s && isnan(model.tick.half_width));
    }
}

TEST(every_form_of_lags_is_read)
{
    static const struct {
        const char *kind, *lags;
        double a1, a2, a3, lead;
    } rows[] = {
        {"first-order", "'tau1':0.5,'tau2':0.25", 0.5, 0, 0, 0},
        {"first-order", "'tau':0.5,'tau1':0.25", 0.25, 0, 0, 0},
        {"first-order", "'tau':0.5,'tau3':2,'lead':3,'damping':0.5", 0.5, 0, 0, 0},
        {"integrating", "'tau':0.5,'tau2':2,'tau3':3,'lead':4,'damping':0.5", 0.5, 0, 3, 4},
        {"second-order", "'tau1':0.5,'tau2':2,'tau3':3,'lead':4", 2.5, 1, 0, 4},
        {"second-order", "'tau1':0.5,'tau2':2,'damping':0.75", 0.75, 0.25, 0, 0},
        {"second-order", "'tau1':0.5,'tau2':2,'damping':1", 2.5, 1, 0, 0},
        {"second-order", "'tau1':0.5,'tau2':2,'damping':0", 2.5, 1, 0, 0},
        {"third-order", "'tau1':0.5,'tau2':2,'tau3':3,'lead':-4", 2.5, 1, 3, -4},
        {"third-order", "'tau1':0.5,'damping':0.25", 0.25, 0.25, 0, 0},
        {"third-order", "'tau1':0.5,'tau2':2,'tau3':3,'lead':-4,'damping':1.25", 2.5, 1, 3, -4},
        {"second-order", "'tau1':0,'tau2':0,'confidence':{'tau':null}", 0, 0, 0, 0},
        {"integrating", "'tau':1e4", 1e4, 0, 0, 0}, /* the limit */
    };
    EACH (row, rows) {
        const struct aw_process *p = &model.fit.process;
        char text[256];
        struct aw_error err;
        snprintf(text, sizeof text, "{'kind':'%s','gain':1,'dead_time':0,%s}", row->kind,
                 row->lags);
        assert_ok(parse_quoted(text, &err), &err);
        assert_true(p->a1 == row->a1 && p->a2 == row->a2);
        assert_true(p->a3 == row->a3 && p->lead == row->lead);
    }
}

TEST(oversized_models_are_refused)
{
    struct aw_error err;
    char *text;
    size_t size;
    FILE *file = open_memstream(&text, &size);
    fprintf(file, "{\"kind\":\"first-order\",\"gain\":1,\"dead_time\":0,\"measured\":{\"unit\":"
                  "\"0123456789abcdefg\"},\"frequency_response\":[");
    for (int i = 0; i <= AW_SPECTRUM_POINTS; i++)
        fprintf(file, "%s{\"hz\":%d,\"pieces\":%d}", i ? "," : "", i, 2 * i);
    fprintf(file, "]}");
    fclose(file);
    assert_int_equal(parse(text, &err), AW_OK);
    assert_int_equal(model.n_points, AW_SPECTRUM_POINTS);
    assert_int_equal(model.points[AW_SPECTRUM_POINTS - 1].n_segments, 62);
    assert_string_equal(model.unit, "0123456789abcde");
    free(text);
    char path[] = "/tmp/test_model.XXXXXX";
    int fd = mkstemp(path);
    assert_int_equal(ftruncate(fd, 17 << 20), 0);
    assert_int_equal(aw_model_load(&model, path, &err), AW_MALFORMED);
    assert_int_equal(aw_model_load(&model, "/dev/zero", &err), AW_USAGE);
    close(fd);
    unlink(path);
}
