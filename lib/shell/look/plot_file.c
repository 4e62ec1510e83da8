/* Draws collected values as charts in files. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/file.h"
#include "base/grow.h"
#include "base/text.h"
#include "capture/times.h"
#include "shell/look/picture.h"
#include "shell/look/plot.h"

#define MAX_PANELS 4 /* max panels of a chart */
#define NAMED      4 /* max names that label an axis without a unit */

/* ---- Samples ---- */

struct aw_trace *aw_traces_find(struct aw_traces *traces, const char *name, const char *unit)
{
    for (size_t i = 0; i < traces->n; i++)
        if (strcmp(traces->list[i].name, name) == 0)
            return &traces->list[i];
    if (traces->n == AW_TRACES)
        return NULL;
    struct aw_trace *trace = &traces->list[traces->n++];
    snprintf(trace->name, sizeof trace->name, "%s", name);
    snprintf(trace->unit, sizeof trace->unit, "%s", unit ? unit : "");
    return trace;
}

static bool make_room(struct aw_trace *trace)
{
    size_t room = trace->room;
    double *t = aw_grow(trace->t, &room, trace->n + 1, sizeof *t);
    trace->t = t ? t : trace->t;
    double *v = t ? aw_grow(trace->v, &trace->room, trace->n + 1, sizeof *v) : NULL;
    trace->v = v ? v : trace->v;
    return v;
}

static enum aw_status append(struct aw_trace *trace, double t, double value, struct aw_error *err)
{
    if (!make_room(trace))
        return aw_no_memory(err);
    trace->t[trace->n] = t;
    trace->v[trace->n++] = value;
    return AW_OK;
}

enum aw_status aw_traces_add(struct aw_traces *traces, struct aw_trace *trace, int64_t time_ns,
                             double value, struct aw_error *err)
{
    if (!traces->has_samples)
        traces->first_ns = traces->last_ns = time_ns;
    traces->has_samples = true;
    double t = (double)(time_ns - traces->first_ns) / 1e9;
    if (trace->n && t < trace->t[trace->n - 1])
        t = trace->t[trace->n - 1]; /* the clock was set back */
    traces->last_ns = time_ns > traces->last_ns ? time_ns : traces->last_ns;
    trace->samples++;
    if (trace->is_command && trace->n && append(trace, t, trace->v[trace->n - 1], err) != AW_OK)
        return AW_NO_MEMORY;
    return append(trace, t, value, err);
}

enum aw_status aw_traces_extend(struct aw_traces *traces, struct aw_error *err)
{
    const double end = (double)(traces->last_ns - traces->first_ns) / 1e9;
    for (size_t i = 0; i < traces->n; i++) {
        struct aw_trace *trace = &traces->list[i];
        if (trace->is_command && trace->n && trace->t[trace->n - 1] < end &&
            append(trace, end, trace->v[trace->n - 1], err) != AW_OK)
            return AW_NO_MEMORY;
    }
    return AW_OK;
}

void aw_traces_free(struct aw_traces *traces)
{
    for (size_t i = 0; i < traces->n; i++) {
        free(traces->list[i].t);
        free(traces->list[i].v);
    }
    *traces = (struct aw_traces){0};
}

void aw_traces_remove(struct aw_traces *traces, size_t at)
{
    free(traces->list[at].t);
    free(traces->list[at].v);
    traces->n--;
    memmove(&traces->list[at], &traces->list[at + 1], (traces->n - at) * sizeof *traces->list);
}

void aw_traces_drop_points(struct aw_traces *traces)
{
    size_t lines = 0;
    for (size_t i = 0; i < traces->n; i++)
        lines += traces->list[i].n > 1;
    for (size_t i = traces->n; i-- > 0 && lines > 0;)
        if (traces->list[i].n < 2)
            aw_traces_remove(traces, i);
}

/* ---- Targets and measured values ---- */

/* A name split into owner and part: "m1.setpoint" and "m1_setpoint" are "setpoint" of "m1". A
 * message name may come first. */
struct name_parts {
    const char *owner, *field;
    size_t length; /* length of the owner */
};

static struct name_parts split_name(const char *name)
{
    const char *field = name + strlen(name);
    while (field > name && !strchr("._ ", field[-1]))
        field--;
    const char *end = field > name ? field - 1 : name, *owner = end;
    while (owner > name && owner[-1] != '.')
        owner--;
    return (struct name_parts){.owner = owner, .field = field, .length = (size_t)(end - owner)};
}

static bool is_target(const struct aw_trace *trace)
{
    static const char *const words[] = {"setpoint", "target",  "goal", "reference",
                                        "desired",  "command", NULL};
    return aw_is_one_of(words, split_name(trace->name).field);
}

/* Returns the trace of the measured value for this target; n: not drawn. */
static size_t find_actual(const struct aw_traces *traces, size_t target)
{
    const struct aw_trace *wanted = &traces->list[target];
    const struct name_parts part = split_name(wanted->name);
    size_t i = 0;
    for (; i < traces->n; i++) {
        const struct aw_trace *trace = &traces->list[i];
        const struct name_parts other = split_name(trace->name);
        if (strcmp(trace->unit, wanted->unit) == 0 && !is_target(trace) &&
            strcmp(other.field, "output") != 0 && other.length == part.length &&
            strncmp(other.owner, part.owner, part.length) == 0)
            break;
    }
    return i;
}

/* ---- Panels by unit ---- */

struct panels {
    size_t n;
    size_t panel[AW_TRACES]; /* panel of each trace */
    bool is_mixed;           /* the last panel has several units */
    char label[MAX_PANELS][96];
    const char *unit[MAX_PANELS];
};

static void assign_panels(const struct aw_traces *traces, struct panels *panels)
{
    panels->n = 0;
    panels->is_mixed = false;
    for (size_t i = 0; i < traces->n; i++) {
        size_t p = 0;
        while (p < panels->n && strcmp(panels->unit[p], traces->list[i].unit) != 0)
            p++;
        if (p == panels->n && p < MAX_PANELS)
            panels->unit[panels->n++] = traces->list[i].unit;
        panels->is_mixed |= p == MAX_PANELS;
        panels->panel[i] = p < MAX_PANELS ? p : MAX_PANELS - 1;
    }
}

/* Returns the name without its owner. */
static const char *get_plain_name(const struct aw_trace *trace)
{
    const char *dot = strrchr(trace->name, '.');
    return dot && dot[1] ? dot + 1 : trace->name;
}

static bool is_first(const struct aw_traces *traces, const struct panels *panels, size_t at)
{
    const char *name = get_plain_name(&traces->list[at]);
    size_t i = 0;
    while (panels->panel[i] != panels->panel[at] ||
           strcmp(get_plain_name(&traces->list[i]), name) != 0)
        i++;
    return i == at;
}

/* Returns true if the axis label contains the name. Where all have the same unit, a target needs no
 * separate name. */
static bool is_in_label(const struct aw_traces *traces, const struct panels *panels, size_t at,
                        bool one_unit)
{
    const struct aw_trace *trace = &traces->list[at];
    return is_first(traces, panels, at) &&
           !(one_unit && is_target(trace) && find_actual(traces, at) < traces->n);
}

static void add_name(const struct aw_trace *trace, bool with_unit, char *label, size_t size)
{
    const char *name = get_plain_name(trace);
    char bare[AW_POINT_NAME], unit[16];
    bool has_unit = with_unit && *trace->unit;
    aw_split_unit(name, bare, sizeof bare, unit);
    /* The name may already contain the unit. */
    bool named = *trace->unit && strcmp(unit, trace->unit) == 0;
    aw_append(label, size, ", ", "%.30s%s%s%s", named ? bare : name, has_unit ? " [" : "",
              has_unit ? trace->unit : "", has_unit ? "]" : "");
}

/* Sets the label of an axis. With one unit, the label is the common name of the values, if any.
 * Otherwise it lists the names. */
static void name_panel(const struct aw_traces *traces, struct panels *panels, size_t p)
{
    bool mixed = panels->is_mixed && p + 1 == panels->n, one_unit = !mixed && *panels->unit[p];
    char *label = panels->label[p];
    size_t names = 0;
    *label = '\0';
    for (size_t i = 0; i < traces->n; i++)
        if (panels->panel[i] == p && is_in_label(traces, panels, i, one_unit) && names++ < NAMED)
            add_name(&traces->list[i], mixed, label, sizeof panels->label[p]);
    if (one_unit && names > 1)
        *label = '\0';
    else if (names > NAMED)
        aw_append(label, sizeof panels->label[p], ", ", "…");
    if (!one_unit)
        panels->unit[p] = NULL;
}

/* ---- The picture ---- */

/* Assigns each line of a panel its own colour. Targets share the colour of their measured value. */
static void choose_colours(const struct aw_traces *traces, const struct panels *panels,
                           size_t *colours)
{
    size_t used[MAX_PANELS] = {0}, panel_of[AW_TRACES];
    for (size_t i = 0; i < traces->n; i++) {
        panel_of[i] = is_target(&traces->list[i]) ? find_actual(traces, i) : traces->n;
        if (panel_of[i] == traces->n)
            colours[i] = ++used[panels->panel[i]];
    }
    for (size_t i = 0; i < traces->n; i++)
        if (panel_of[i] < traces->n)
            colours[i] = colours[panel_of[i]];
}

enum aw_status aw_traces_write(const struct aw_traces *traces, struct aw_session *session,
                               const char *path, const char *title)
{
    struct aw_series series[AW_TRACES];
    struct aw_panel list[MAX_PANELS];
    struct panels panels;
    size_t used = 0, size, colours[AW_TRACES];
    if (!traces->has_samples)
        return aw_fail(&session->err, AW_USAGE, "--out: no data to draw — record something first");
    assign_panels(traces, &panels);
    choose_colours(traces, &panels, colours);
    for (size_t p = 0; p < panels.n; p++) {
        name_panel(traces, &panels, p);
        list[p] = (struct aw_panel){
            .label = panels.label[p], .unit = panels.unit[p], .series = series + used};
        for (size_t i = 0; i < traces->n; i++)
            if (panels.panel[i] == p)
                series[used++] = (struct aw_series){.label = traces->list[i].name,
                                                    .colour = colours[i],
                                                    .dashed = is_target(&traces->list[i]) ||
                                                              traces->list[i].is_command,
                                                    .x = traces->list[i].t,
                                                    .y = traces->list[i].v,
                                                    .n = traces->list[i].n};
        list[p].n = (size_t)(series + used - list[p].series);
    }
    bool counts_rows = traces->counts_rows && !traces->has_times;
    struct aw_chart chart = {.title = title,
                             .x_label = counts_rows ? "row" : "time",
                             .x_unit = counts_rows ? NULL : "s",
                             .panels = list,
                             .n_panels = panels.n};
    char *text = aw_picture_draw(session, &chart, path, &size);
    if (!text)
        return session->err.status;
    enum aw_status status = aw_file_write(path, text, size, &session->err);
    free(text);
    return status;
}
