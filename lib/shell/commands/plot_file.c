/* Charts of collected values as pictures. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/file.h"
#include "base/grow.h"
#include "shell/commands/picture.h"
#include "shell/commands/plot.h"

#define MOST_PANELS 4 /* of a chart */

/* ---- Samples ----------------------------------------------------------------------------------
 */

struct aw_trace *aw_traces_find(struct aw_traces *traces, const char *label, const char *unit)
{
    for (size_t i = 0; i < traces->n; i++)
        if (strcmp(traces->list[i].label, label) == 0)
            return &traces->list[i];
    if (traces->n == AW_STRIP_SERIES)
        return NULL;
    struct aw_trace *trace = &traces->list[traces->n++];
    snprintf(trace->label, sizeof trace->label, "%s", label);
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

enum aw_status aw_traces_add(struct aw_traces *traces, struct aw_trace *trace, int64_t time_ns,
                             double value, struct aw_error *err)
{
    if (!traces->any)
        traces->first_ns = traces->last_ns = time_ns;
    traces->any = true;
    if (!make_room(trace))
        return aw_no_memory(err);
    double t = (double)(time_ns - traces->first_ns) / 1e9;
    if (trace->n && t < trace->t[trace->n - 1])
        t = trace->t[trace->n - 1]; /* a clock that was set back */
    traces->last_ns = time_ns > traces->last_ns ? time_ns : traces->last_ns;
    trace->t[trace->n] = t;
    trace->v[trace->n++] = value;
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

/* ---- Panels by unit ---------------------------------------------------------------------------
 */

struct panels {
    size_t n;
    const char *unit[MOST_PANELS];
    size_t of[AW_STRIP_SERIES]; /* which one each trace is in */
};

static void divide(const struct aw_traces *traces, struct panels *panels)
{
    panels->n = 0;
    for (size_t i = 0; i < traces->n; i++) {
        size_t p = 0;
        while (p < panels->n && strcmp(panels->unit[p], traces->list[i].unit) != 0)
            p++;
        if (p == panels->n && p < MOST_PANELS)
            panels->unit[panels->n++] = traces->list[i].unit;
        panels->of[i] = p < MOST_PANELS ? p : MOST_PANELS - 1;
    }
}

/* ---- The picture -------------------------------------------------------------------------------
 */

enum aw_status aw_traces_write(const struct aw_traces *traces, const char *path, const char *title,
                               struct aw_error *err)
{
    struct aw_series series[AW_STRIP_SERIES];
    struct aw_panel list[MOST_PANELS];
    struct panels panels;
    size_t used = 0, size;
    if (!traces->any)
        return aw_fail(err, AW_USAGE, "--out: nothing has come that could be drawn");
    divide(traces, &panels);
    for (size_t p = 0; p < panels.n; p++) {
        list[p] = (struct aw_panel){.label = panels.unit[p][0] ? "" : "value",
                                    .unit = panels.unit[p][0] ? panels.unit[p] : NULL,
                                    .series = series + used};
        for (size_t i = 0; i < traces->n; i++)
            if (panels.of[i] == p)
                series[used++] = (struct aw_series){.label = traces->list[i].label,
                                                    .x = traces->list[i].t,
                                                    .y = traces->list[i].v,
                                                    .n = traces->list[i].n};
        list[p].n = (size_t)(series + used - list[p].series);
    }
    struct aw_chart chart = {
        .title = title, .x_label = "time", .x_unit = "s", .panels = list, .n = panels.n};
    char *text = aw_picture_draw(&chart, path, &size, err);
    if (!text)
        return err->status;
    enum aw_status status = aw_file_write(path, text, size, err);
    free(text);
    return status;
}
