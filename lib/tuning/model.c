/* Reads and writes models as JSON. */
#include "tuning/model.h"

#include <jansson.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/file.h"
#include "base/text.h"
#include "base/utf8.h"

/* max time, s: longer than any joint's; larger values would overflow tick counts */
#define LONGEST_S    1e4
#define LARGEST      1e12
#define MIN_TICK_S   1e-5 /* min tick, s */
#define MAX_INTEGRAL 1e9  /* whole numbers below this have no decimal point in the file */

void aw_model_init(struct aw_model *model)
{
    *model = (struct aw_model){.full_scale = 1};
    model->fit.half_widths = (struct aw_fit_half){NAN, NAN, NAN, NAN, NAN, NAN};
    model->fit.used = model->fit.held_out = model->fit.sigma = model->fit.independent = NAN;
    model->tick.half_width = NAN;
}

void aw_model_set_tick(struct aw_model *model, const struct aw_tick *tick)
{
    model->tick = *tick;
    model->driver.tick_s = tick->s;
}

/* A model, with those entries of its file that the model stores differently. */
struct content {
    struct aw_model model;
    char format[24], kind[24], tick_from[16];
    double tau1, tau2, damping, samples;
};

/* Which processes have an entry. */
enum condition { ALWAYS, ONE_LAG, TWO_LAGS, THIRD_LAG, HAS_ZERO };

/* The entries in the order of the file. If two entries set the same number, the later one
 * counts. */
static const struct entry {
    const char *group, *key; /* group "": not in a group */
    size_t offset, size;     /* size of a string; 0: a number */
    enum condition condition;
    bool required;
    double limit; /* max magnitude */
} entries[] = {
#define TEXT(group, key, member)                                                                   \
    {                                                                                              \
        group, key, offsetof(struct content, member), sizeof((struct content *)0)->member, ALWAYS, \
            false, 0                                                                               \
    }
#define AT(group, key, member, when, needed, most)                                                 \
    {                                                                                              \
        group, key, offsetof(struct content, member), 0, when, needed, most                        \
    }
    TEXT("", "format", format),
    TEXT("", "kind", kind),
    AT("", "gain", model.fit.process.gain, ALWAYS, true, LARGEST),
    AT("", "dead_time", model.fit.process.dead_time_s, ALWAYS, true, LONGEST_S),
    AT("", "tau", tau1, ONE_LAG, false, LONGEST_S),
    AT("", "tau1", tau1, TWO_LAGS, false, LONGEST_S),
    AT("", "tau2", tau2, TWO_LAGS, false, LONGEST_S),
    AT("", "damping", damping, TWO_LAGS, false, LARGEST),
    AT("", "tau3", model.fit.process.a3, THIRD_LAG, false, LONGEST_S),
    AT("", "lead", model.fit.process.lead, HAS_ZERO, false, LONGEST_S),
    AT("", "dead_band", model.fit.dead_band, ALWAYS, false, LARGEST),
    AT("confidence", "gain", model.fit.half_widths.gain, ALWAYS, false, LARGEST),
    AT("confidence", "dead_time", model.fit.half_widths.dead_time, ALWAYS, false, LONGEST_S),
    AT("confidence", "tau", model.fit.half_widths.tau1, ONE_LAG, false, LONGEST_S),
    AT("confidence", "tau1", model.fit.half_widths.tau1, TWO_LAGS, false, LONGEST_S),
    AT("confidence", "tau2", model.fit.half_widths.tau2, TWO_LAGS, false, LONGEST_S),
    AT("confidence", "tau3", model.fit.half_widths.tau3, THIRD_LAG, false, LONGEST_S),
    AT("confidence", "tick", model.tick.half_width, ALWAYS, false, LONGEST_S),
    AT("confidence", "dead_band", model.fit.half_widths.dead_band, ALWAYS, false, LARGEST),
    AT("fit", "held_out", model.fit.held_out, ALWAYS, false, LARGEST),
    AT("fit", "own", model.fit.used, ALWAYS, false, LARGEST),
    AT("fit", "sigma", model.fit.sigma, ALWAYS, false, LARGEST),
    AT("fit", "piece", model.fit.piece_s, ALWAYS, false, LONGEST_S),
    AT("fit", "interval", model.fit.interval_s, ALWAYS, false, LONGEST_S),
    AT("fit", "independent", model.fit.independent, ALWAYS, false, LARGEST),
    AT("fit", "samples", samples, ALWAYS, false, INFINITY),
    AT("measured", "noise", model.grain.noise, ALWAYS, false, LARGEST),
    AT("measured", "quantum", model.grain.quantum, ALWAYS, false, LARGEST),
    AT("measured", "full_scale", model.full_scale, ALWAYS, false, LARGEST),
    TEXT("measured", "unit", model.unit),
    AT("driver", "tick", model.driver.tick_s, ALWAYS, false, LONGEST_S),
    TEXT("driver", "tick_from", tick_from),
    AT("driver", "dead_band", model.driver.dead_band, ALWAYS, false, LARGEST),
    AT("driver", "output_max", model.driver.output_max, ALWAYS, false, LARGEST),
    AT("driver", "gain_max", model.driver.gain_max, ALWAYS, false, LARGEST),
    AT("driver", "quantum", model.driver.quantum, ALWAYS, false, LARGEST),
    TEXT("source", "board", model.board),
    TEXT("source", "controller", model.controller),
    TEXT("source", "from", model.source),
    TEXT("source", "made", model.created),
};
#define N_ENTRIES (sizeof entries / sizeof *entries)

/* ---- Writing ---- */

static bool is_written(const struct aw_process *p, enum condition condition)
{
    return condition == ONE_LAG     ? !(p->a2 > 0)
           : condition == TWO_LAGS  ? p->a2 > 0
           : condition == THIRD_LAG ? p->a3 > 0
                                    : condition != HAS_ZERO || fabs(p->lead) > 0;
}

static json_t *make_number(double value)
{
    if (!isfinite(value))
        return json_null();
    bool is_whole = fabs(value) < MAX_INTEGRAL && value == trunc(value);
    return is_whole ? json_integer((json_int_t)value) : json_real(value);
}

/* Text from a file in another encoding is no valid JSON string until it is cleaned. */
static json_t *make_text(const char *text)
{
    char clean[AW_MODEL_TEXT];
    json_t *string = json_string(text);
    if (string)
        return string;
    snprintf(clean, sizeof clean, "%s", text);
    aw_utf8_clean(clean);
    return json_string(clean);
}

static json_t *make_entry(const struct content *c, const struct entry *e)
{
    const char *member = (const char *)c + e->offset;
    double value;
    if (e->size)
        return make_text(member);
    memcpy(&value, member, sizeof value);
    return make_number(value);
}

static json_t *make_points(const struct aw_model *m)
{
    json_t *list = json_array();
    for (size_t i = 0; i < m->n_points; i++) {
        const struct aw_spectrum_point *p = &m->points[i];
        json_array_append_new(
            list, json_pack("{s:o,s:o,s:o,s:o,s:i}", "hz", make_number(p->frequency_hz), "gain",
                            make_number(p->gain), "phase_deg", make_number(p->phase_deg),
                            "coherence", make_number(p->coherence), "pieces", p->n_segments));
    }
    return list;
}

void aw_model_write(FILE *file, const struct aw_model *m)
{
    struct content c = {.model = *m, .samples = (double)m->fit.n, .format = AW_MODEL_FORMAT};
    json_t *root = json_object();
    aw_process_lags(&m->fit.process, &c.tau1, &c.tau2, &c.damping);
    snprintf(c.kind, sizeof c.kind, "%s",
             aw_process_kind_name(aw_process_kind_of(&m->fit.process)));
    snprintf(c.tick_from, sizeof c.tick_from, "%s", aw_tick_source_names[m->tick.source]);
    for (const struct entry *e = entries; e < entries + N_ENTRIES; e++) {
        if (!is_written(&m->fit.process, e->condition))
            continue;
        if (*e->group && !json_object_get(root, e->group))
            json_object_set_new(root, e->group, json_object());
        json_object_set_new(*e->group ? json_object_get(root, e->group) : root, e->key,
                            make_entry(&c, e));
    }
    json_object_set_new(root, "frequency_response", make_points(m));
    json_dumpf(root, file, JSON_INDENT(2) | JSON_REAL_PRECISION(9));
    fputc('\n', file);
    json_decref(root);
}

enum aw_status aw_model_save(const struct aw_model *model, const char *path, struct aw_error *err)
{
    struct aw_saving saving;
    if (aw_file_begin(&saving, path))
        aw_model_write(saving.file, model);
    return aw_file_end(&saving) ? AW_OK : aw_file_fail(err, "cannot save the model", path);
}

/* ---- Reading ---- */

static enum aw_status read_number(struct content *c, const struct entry *e, const json_t *found,
                                  const char *name, struct aw_error *err)
{
    double value = json_number_value(found);
    if (fabs(value) > e->limit)
        return aw_fail(err, AW_MALFORMED, "%s: %s %g is out of range (limit %g)", name, e->key,
                       value, copysign(e->limit, value));
    if (json_is_number(found))
        memcpy((char *)c + e->offset, &value, sizeof value);
    else if (e->required || (found && !json_is_null(found)))
        return aw_fail(
            err, AW_MALFORMED,
            "%s: %s is not a number — write models in the format of docs/model.schema.json", name,
            e->key);
    return AW_OK;
}

static enum aw_status read_entries(struct content *c, const json_t *root, const char *name,
                                   struct aw_error *err)
{
    enum aw_status status = AW_OK;
    for (const struct entry *e = entries; e < entries + N_ENTRIES && status == AW_OK; e++) {
        const json_t *object = *e->group ? json_object_get(root, e->group) : root;
        const json_t *found = json_object_get(object, e->key);
        const char *text = json_string_value(found);
        if (!e->size)
            status = read_number(c, e, found, name, err);
        else if (text)
            snprintf((char *)c + e->offset, e->size, "%s", text);
    }
    return status;
}

static int find_kind(const char *name)
{
    int k = 0;
    while (k < AW_PROCESS_KINDS && strcmp(name, aw_process_kind_name((enum aw_process_kind)k)) != 0)
        k++;
    return k;
}

/* Sets the lags. Ignores parameters that this kind of process does not have. */
static void read_lags(struct aw_process *p, enum aw_process_kind kind, double tau1, double tau2,
                      double damping)
{
    bool has_two_lags = kind == AW_PROCESS_SECOND || kind == AW_PROCESS_THIRD;
    bool oscillates = has_two_lags && damping > 0 && damping < 1;
    if (kind == AW_PROCESS_FIRST)
        p->lead = 0;
    if (kind == AW_PROCESS_FIRST || kind == AW_PROCESS_SECOND)
        p->a3 = 0;
    p->a1 = oscillates ? 2 * damping * tau1 : tau1 + (has_two_lags ? tau2 : 0);
    p->a2 = oscillates ? tau1 * tau1 : has_two_lags ? tau1 * tau2 : 0;
}

static enum aw_status read_process(struct content *c, const char *name, struct aw_error *err)
{
    struct aw_process *p = &c->model.fit.process;
    int k = find_kind(c->kind);
    if (k == AW_PROCESS_KINDS)
        return aw_fail(err, AW_MALFORMED,
                       "%s: model kind '%.24s' not supported — use first-order, integrating, "
                       "second-order or third-order",
                       name, c->kind);
    p->integrating = k == AW_PROCESS_INTEGRATING;
    bool has_gain = fabs(p->gain) > 0;
    if (!has_gain || p->dead_time_s < 0 || c->tau1 < 0 || c->tau2 < 0 || p->a3 < 0 ||
        c->damping < 0 || c->model.driver.tick_s < 0)
        return aw_fail(err, AW_MALFORMED, "%s: %s — identify the joint again", name,
                       has_gain ? "a time or the damping is below 0" : "gain is 0");
    read_lags(p, (enum aw_process_kind)k, c->tau1, c->tau2, c->damping);
    return AW_OK;
}

/* Sets the members that follow from others. A control period without a source in the file counts as
 * given by the user. */
static void derive_members(struct content *c)
{
    struct aw_model *model = &c->model;
    int source = aw_find_name(aw_tick_source_names, AW_TICK_SOURCES, c->tick_from);
    model->fit.n = c->samples > 0 && c->samples < LARGEST ? (size_t)c->samples : 0;
    model->driver.noise = model->grain.noise;
    model->driver.friction = model->fit.dead_band;
    model->tick.s = model->driver.tick_s;
    model->tick.source = !(model->tick.s > 0) ? AW_TICK_UNKNOWN
                         : source > 0         ? (enum aw_tick_source)source
                                              : AW_TICK_GIVEN;
}

static void read_points(struct aw_model *model, const json_t *root)
{
    const json_t *list = json_object_get(root, "frequency_response");
    for (size_t i = 0; i < json_array_size(list) && i < AW_SPECTRUM_POINTS; i++) {
        struct aw_spectrum_point *p = &model->points[model->n_points++];
        json_unpack(json_array_get(list, i), "{s?F,s?F,s?F,s?F,s?i}", "hz", &p->frequency_hz,
                    "gain", &p->gain, "phase_deg", &p->phase_deg, "coherence", &p->coherence,
                    "pieces", &p->n_segments);
    }
}

/* Reads a model from JSON; root NULL: it could not be parsed. */
static enum aw_status read_root(struct aw_model *model, json_t *root, const json_error_t *problem,
                                const char *name, struct aw_error *err)
{
    struct content c = {.samples = 0};
    aw_model_init(model);
    c.model = *model;
    if (!root)
        return aw_fail(err, AW_MALFORMED, "%s:%d:%d: %s", name, problem->line, problem->column,
                       problem->text);
    const char *format = json_string_value(json_object_get(root, "format"));
    enum aw_status status = AW_OK;
    if (!json_is_object(root) || (format && strcmp(format, AW_MODEL_FORMAT) != 0))
        status =
            aw_fail(err, AW_MALFORMED, "%s: not in format %s — give a file of 'identify --save'",
                    name, AW_MODEL_FORMAT);
    if (status == AW_OK)
        status = read_entries(&c, root, name, err);
    if (status == AW_OK)
        status = read_process(&c, name, err);
    double tick_s = c.model.driver.tick_s;
    if (status == AW_OK && tick_s > 0 && tick_s < MIN_TICK_S)
        status = aw_fail(err, AW_MALFORMED, "%s: control period %g s is out of range (min %g s)",
                         name, tick_s, MIN_TICK_S);
    if (status == AW_OK) {
        derive_members(&c);
        read_points(&c.model, root);
        *model = c.model;
    }
    json_decref(root);
    return status;
}

enum aw_status aw_model_read(struct aw_model *model, const char *text, const char *name,
                             struct aw_error *err)
{
    json_error_t problem;
    json_t *root = json_loads(text, JSON_REJECT_DUPLICATES, &problem);
    return read_root(model, root, &problem, name, err);
}

enum aw_status aw_model_load(struct aw_model *model, const char *path, struct aw_error *err)
{
    const char *name = aw_file_name(path);
    json_error_t problem;
    FILE *file = aw_file_open_text(path);
    if (!file)
        return aw_file_fail(err, NULL, name);
    json_t *root = json_loadf(file, JSON_REJECT_DUPLICATES, &problem);
    enum aw_status status =
        ferror(file) ? aw_file_fail(err, NULL, name) : read_root(model, root, &problem, name, err);
    fclose(file);
    return status;
}
