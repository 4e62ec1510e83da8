/* Reads and writes models as JSON. */
#include "tuning/model.h"

#include <jansson.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/file.h"
#include "base/text.h"

#define BIGGEST  262144 /* max size of a file, bytes */
#define LONGEST  1e4    /* s: above any joint's time constants; larger tick counts would overflow */
#define LARGEST  1e12
#define QUICKEST 1e-5 /* s: min tick */

void aw_model_init(struct aw_model *model)
{
    *model = (struct aw_model){.full_scale = 1};
    model->fit.half = (struct aw_fit_half){NAN, NAN, NAN, NAN, NAN, NAN};
    model->fit.own = model->fit.held_out = model->fit.sigma = model->fit.independent = NAN;
    model->tick.half = NAN;
}

void aw_model_set_tick(struct aw_model *model, const struct aw_tick *tick)
{
    model->tick = *tick;
    model->driver.tick_s = tick->s;
}

/* ---- Writing ---- */

static void number(FILE *file, const char *indent, const char *key, double value, const char *end)
{
    if (isfinite(value))
        fprintf(file, "%s\"%s\": %.9g%s\n", indent, key, value, end);
    else
        fprintf(file, "%s\"%s\": null%s\n", indent, key, end);
}

static void text(FILE *file, const char *key, const char *value, const char *end)
{
    fprintf(file, "    \"%s\": \"", key);
    for (const char *p = value; *p; p++)
        if (*p == '"' || *p == '\\')
            fprintf(file, "\\%c", *p);
        else if ((unsigned char)*p >= ' ')
            fputc(*p, file);
    fprintf(file, "\"%s\n", end);
}

static void write_process(FILE *file, const struct aw_model *m)
{
    const struct aw_process *p = &m->fit.process;
    double tau1, tau2, damping;
    aw_process_lags(p, &tau1, &tau2, &damping);
    fprintf(file, "  \"kind\": \"%s\",\n", aw_process_kind_name(aw_process_kind_of(p)));
    number(file, "  ", "gain", p->gain, ",");
    number(file, "  ", "dead_time", p->dead_time_s, ",");
    if (p->a2 > 0) {
        number(file, "  ", "tau1", tau1, ",");
        number(file, "  ", "tau2", tau2, ",");
        number(file, "  ", "damping", damping, ",");
    } else {
        number(file, "  ", "tau", tau1, ",");
    }
    if (p->a3 > 0)
        number(file, "  ", "tau3", p->a3, ",");
    if (fabs(p->lead) > 0)
        number(file, "  ", "lead", p->lead, ",");
    number(file, "  ", "dead_band", m->fit.dead_band, ",");
    fprintf(file, "  \"confidence\": {\n");
    number(file, "    ", "gain", m->fit.half.gain, ",");
    number(file, "    ", "dead_time", m->fit.half.dead_time, ",");
    number(file, "    ", p->a2 > 0 ? "tau1" : "tau", m->fit.half.tau1, ",");
    if (p->a2 > 0)
        number(file, "    ", "tau2", m->fit.half.tau2, ",");
    if (p->a3 > 0)
        number(file, "    ", "tau3", m->fit.half.tau3, ",");
    number(file, "    ", "tick", m->tick.half, ",");
    number(file, "    ", "dead_band", m->fit.half.dead_band, "");
    fprintf(file, "  },\n  \"fit\": {\n");
    number(file, "    ", "held_out", m->fit.held_out, ",");
    number(file, "    ", "own", m->fit.own, ",");
    number(file, "    ", "sigma", m->fit.sigma, ",");
    number(file, "    ", "piece", m->fit.piece_s, ",");
    number(file, "    ", "interval", m->fit.interval_s, ",");
    number(file, "    ", "independent", m->fit.independent, ",");
    number(file, "    ", "samples", (double)m->fit.n, "");
    fprintf(file, "  },\n");
}

static void write_points(FILE *file, const struct aw_model *m)
{
    fprintf(file, "  \"frequency_response\": [");
    for (size_t i = 0; i < m->n_points; i++)
        fprintf(file,
                "%s\n    {\"hz\": %.6g, \"gain\": %.6g, \"phase_deg\": %.5g, \"coherence\": %.4g, "
                "\"pieces\": %d}",
                i ? "," : "", m->points[i].hz, m->points[i].gain, m->points[i].phase_deg,
                m->points[i].coherence, m->points[i].pieces);
    fprintf(file, "%s]\n", m->n_points ? "\n  " : "");
}

void aw_model_write(FILE *file, const struct aw_model *m)
{
    fprintf(file, "{\n  \"format\": \"%s\",\n", AW_MODEL_FORMAT);
    write_process(file, m);
    fprintf(file, "  \"measured\": {\n");
    number(file, "    ", "noise", m->grain.noise, ",");
    number(file, "    ", "quantum", m->grain.quantum, ",");
    number(file, "    ", "full_scale", m->full_scale, ",");
    text(file, "unit", m->unit, "");
    fprintf(file, "  },\n  \"driver\": {\n");
    number(file, "    ", "tick", m->driver.tick_s, ",");
    text(file, "tick_from", aw_tick_from_names[m->tick.from], ",");
    number(file, "    ", "dead_band", m->driver.dead_band, ",");
    number(file, "    ", "output_max", m->driver.output_max, ",");
    number(file, "    ", "gain_max", m->driver.gain_max, ",");
    number(file, "    ", "quantum", m->driver.quantum, "");
    fprintf(file, "  },\n  \"source\": {\n");
    text(file, "board", m->board, ",");
    text(file, "controller", m->controller, ",");
    text(file, "from", m->source, ",");
    text(file, "made", m->made, "");
    fprintf(file, "  },\n");
    write_points(file, m);
    fprintf(file, "}\n");
}

enum aw_status aw_model_save(const struct aw_model *model, const char *path, struct aw_error *err)
{
    struct aw_saving saving;
    if (aw_file_begin(&saving, path))
        aw_model_write(saving.file, model);
    return aw_file_end(&saving) ? AW_OK : aw_file_fail(err, "cannot save the model", path);
}

/* ---- Reading ---- */

static const struct place {
    const char *group, *key;
    size_t offset;
    bool needed;
    double most; /* limit, either sign */
} numbers[] = {
#define AT(group, key, member, needed, most)                                                       \
    {                                                                                              \
        group, key, offsetof(struct aw_model, member), needed, most                                \
    }
    AT(NULL, "gain", fit.process.gain, true, LARGEST),
    AT(NULL, "dead_time", fit.process.dead_time_s, true, LONGEST),
    AT(NULL, "tau3", fit.process.a3, false, LONGEST),
    AT(NULL, "lead", fit.process.lead, false, LONGEST),
    AT(NULL, "dead_band", fit.dead_band, false, LARGEST),
    AT("confidence", "gain", fit.half.gain, false, LARGEST),
    AT("confidence", "dead_time", fit.half.dead_time, false, LONGEST),
    AT("confidence", "tau", fit.half.tau1, false, LONGEST),
    AT("confidence", "tau1", fit.half.tau1, false, LONGEST),
    AT("confidence", "tau2", fit.half.tau2, false, LONGEST),
    AT("confidence", "tau3", fit.half.tau3, false, LONGEST),
    AT("confidence", "dead_band", fit.half.dead_band, false, LARGEST),
    AT("confidence", "tick", tick.half, false, LONGEST),
    AT("fit", "held_out", fit.held_out, false, LARGEST),
    AT("fit", "own", fit.own, false, LARGEST),
    AT("fit", "sigma", fit.sigma, false, LARGEST),
    AT("fit", "piece", fit.piece_s, false, LONGEST),
    AT("fit", "interval", fit.interval_s, false, LONGEST),
    AT("fit", "independent", fit.independent, false, LARGEST),
    AT("measured", "noise", grain.noise, false, LARGEST),
    AT("measured", "quantum", grain.quantum, false, LARGEST),
    AT("measured", "full_scale", full_scale, false, LARGEST),
    AT("driver", "tick", driver.tick_s, false, LONGEST),
    AT("driver", "dead_band", driver.dead_band, false, LARGEST),
    AT("driver", "output_max", driver.output_max, false, LARGEST),
    AT("driver", "gain_max", driver.gain_max, false, LARGEST),
    AT("driver", "quantum", driver.quantum, false, LARGEST),
};

static const struct text_place {
    const char *group, *key;
    size_t offset, size;
} texts[] = {
#define TEXT_AT(group, key, member)                                                                \
    {                                                                                              \
        group, key, offsetof(struct aw_model, member), sizeof((struct aw_model *)0)->member        \
    }
    TEXT_AT("measured", "unit", unit),
    TEXT_AT("source", "board", board),
    TEXT_AT("source", "controller", controller),
    TEXT_AT("source", "from", source),
    TEXT_AT("source", "made", made),
};

static const json_t *member(const json_t *root, const char *group, const char *key)
{
    return json_object_get(group ? json_object_get(root, group) : root, key);
}

static enum aw_status take_numbers(struct aw_model *model, const json_t *root, const char *name,
                                   struct aw_error *err)
{
    for (size_t i = 0; i < sizeof numbers / sizeof *numbers; i++) {
        const json_t *found = member(root, numbers[i].group, numbers[i].key);
        double value = json_number_value(found);
        if (fabs(value) > numbers[i].most)
            return aw_fail(err, AW_MALFORMED, "%s: %s %g is out of range (limit %g)", name,
                           numbers[i].key, value, copysign(numbers[i].most, value));
        if (json_is_number(found))
            memcpy((char *)model + numbers[i].offset, &value, sizeof value);
        else if (numbers[i].needed || (found && !json_is_null(found)))
            return aw_fail(
                err, AW_MALFORMED,
                "%s: %s is not a number — write models in the format of docs/model.schema.json",
                name, numbers[i].key);
    }
    for (size_t i = 0; i < sizeof texts / sizeof *texts; i++) {
        const char *text_ = json_string_value(member(root, texts[i].group, texts[i].key));
        if (text_)
            snprintf((char *)model + texts[i].offset, texts[i].size, "%s", text_);
    }
    return AW_OK;
}

static double lag(const json_t *root, const char *key, const char *other)
{
    const json_t *found = json_object_get(root, key);
    return json_number_value(found ? found : json_object_get(root, other));
}

static int kind_of(const char *name)
{
    int k = 0;
    while (k < AW_PROCESS_KINDS &&
           (!name || strcmp(name, aw_process_kind_name((enum aw_process_kind)k)) != 0))
        k++;
    return k;
}

/* Ignores parameters that this kind of process does not have. */
static void take_lags(struct aw_process *p, enum aw_process_kind kind, double tau1, double tau2,
                      double damping)
{
    bool two = kind == AW_PROCESS_SECOND || kind == AW_PROCESS_THIRD;
    bool swings = two && damping > 0 && damping < 1;
    if (kind == AW_PROCESS_FIRST)
        p->lead = 0;
    if (kind == AW_PROCESS_FIRST || kind == AW_PROCESS_SECOND)
        p->a3 = 0;
    p->a1 = swings ? 2 * damping * tau1 : tau1 + (two ? tau2 : 0);
    p->a2 = swings ? tau1 * tau1 : two ? tau1 * tau2 : 0;
}

static bool too_quick(double tick_s)
{
    return tick_s > 0 && tick_s < QUICKEST;
}

static enum aw_status take_process(struct aw_model *model, const json_t *root, const char *name,
                                   struct aw_error *err)
{
    double tau1 = lag(root, "tau1", "tau"), tau2 = lag(root, "tau2", ""), damping;
    struct aw_process *p = &model->fit.process;
    int k = kind_of(json_string_value(json_object_get(root, "kind")));
    if (k == AW_PROCESS_KINDS)
        return aw_fail(err, AW_MALFORMED,
                       "%s: model kind not supported — use first-order, integrating, second-order "
                       "or third-order",
                       name);
    p->integrating = k == AW_PROCESS_INTEGRATING;
    damping = json_number_value(json_object_get(root, "damping"));
    if (tau1 > LONGEST || tau2 > LONGEST || damping > LARGEST)
        return aw_fail(err, AW_MALFORMED, "%s: lag %g s is out of range (max %g s)", name,
                       fmax(tau1, tau2), LONGEST);
    if (!(fabs(p->gain) > 0) || p->dead_time_s < 0 || tau1 < 0 || tau2 < 0 || p->a3 < 0 ||
        damping < 0 || model->driver.tick_s < 0)
        return aw_fail(err, AW_MALFORMED, "%s: gain is 0, or a time is below 0", name);
    take_lags(p, (enum aw_process_kind)k, tau1, tau2, damping);
    return AW_OK;
}

/* Reads the optional parts of a model. */
static void take_rest(struct aw_model *model, const json_t *root)
{
    double samples = json_number_value(member(root, "fit", "samples"));
    model->fit.n = samples > 0 && samples < LARGEST ? (size_t)samples : 0;
    model->driver.noise = model->grain.noise;
    model->driver.lost = model->fit.dead_band;
}

/* A tick without a source in the file counts as given by the user. */
static void take_tick(struct aw_model *model, const json_t *root)
{
    const char *from = json_string_value(member(root, "driver", "tick_from"));
    int i = from ? aw_find_word(aw_tick_from_names, AW_TICK_FROMS, from) : -1;
    bool known = model->driver.tick_s > 0;
    model->tick.s = model->driver.tick_s;
    model->tick.from = !known ? AW_TICK_UNKNOWN : i > 0 ? (enum aw_tick_from)i : AW_TICK_GIVEN;
}

static void take_points(struct aw_model *model, const json_t *root)
{
    const json_t *list = json_object_get(root, "frequency_response");
    for (size_t i = 0; i < json_array_size(list) && i < AW_SPECTRUM_POINTS; i++) {
        const json_t *point = json_array_get(list, i);
        model->points[model->n_points++] = (struct aw_spectrum_point){
            .hz = json_number_value(json_object_get(point, "hz")),
            .gain = json_number_value(json_object_get(point, "gain")),
            .phase_deg = json_number_value(json_object_get(point, "phase_deg")),
            .coherence = json_number_value(json_object_get(point, "coherence")),
            .pieces = (int)json_integer_value(json_object_get(point, "pieces")),
        };
    }
}

enum aw_status aw_model_read(struct aw_model *model, const char *text_, const char *name,
                             struct aw_error *err)
{
    json_error_t why;
    json_t *root = json_loads(text_, JSON_REJECT_DUPLICATES, &why);
    aw_model_init(model);
    if (!root)
        return aw_fail(err, AW_MALFORMED, "%s:%d:%d: %s", name, why.line, why.column, why.text);
    const char *format = json_string_value(json_object_get(root, "format"));
    enum aw_status status = AW_OK;
    if (!json_is_object(root) || (format && strcmp(format, AW_MODEL_FORMAT) != 0))
        status = aw_fail(err, AW_MALFORMED, "%s: not in format %s", name, AW_MODEL_FORMAT);
    if (status == AW_OK)
        status = take_numbers(model, root, name, err);
    if (status == AW_OK)
        status = take_process(model, root, name, err);
    if (status == AW_OK && too_quick(model->driver.tick_s))
        status = aw_fail(err, AW_MALFORMED, "%s: control period %g s is out of range", name,
                         model->driver.tick_s);
    if (status == AW_OK) {
        take_tick(model, root);
        take_rest(model, root);
        take_points(model, root);
    }
    json_decref(root);
    return status;
}

enum aw_status aw_model_load(struct aw_model *model, const char *path, struct aw_error *err)
{
    FILE *file = aw_file_open(path);
    const char *name = aw_file_name(path);
    if (!file)
        return aw_file_fail(err, NULL, name);
    char *content = calloc(1, BIGGEST + 1);
    enum aw_status status = content ? AW_OK : aw_no_memory(err);
    if (content) {
        size_t n = fread(content, 1, BIGGEST, file);
        status = ferror(file)   ? aw_file_fail(err, NULL, name)
                 : n == BIGGEST ? aw_fail(err, AW_MALFORMED, "%s: file too long for a model", name)
                                : aw_model_read(model, content, name, err);
    }
    fclose(file);
    free(content);
    return status;
}
