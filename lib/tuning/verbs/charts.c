/* The chart of an open loop over frequency, with margins and sensitivity. */
#include <complex.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#include "shell/look/picture.h"
#include "tuning/verbs/trials.h"

#define CURVE    2000
#define SLOWEST  50.0 /* a curve begins at the crossover frequency divided by this */
#define PER_TURN 6.283185307
#define PER_RAD  57.29577951
#define TEXT     48

/* The response of an open loop over frequency. */
struct loop_curve {
    size_t n;
    double complex open[CURVE];
    double hz[CURVE], gain_db[CURVE], phase[CURVE], s[CURVE];
    struct aw_margins margins;
};

/* Unwraps the phase, starting near -180 deg, as for an integrating loop. */
static void follow_phase(struct loop_curve *c)
{
    for (size_t i = 0; i < c->n; i++) {
        double phase = carg(c->open[i]) * PER_RAD, before = i ? c->phase[i - 1] : -180;
        c->phase[i] = phase + 360 * round((before - phase) / 360);
    }
}

static bool fill_curve(struct loop_curve *c, const struct aw_model *model,
                       const struct aw_proposal *p, struct aw_error *err)
{
    struct aw_loop *loop = aw_loop_new(&model->fit.process, model->driver.tick_s, err);
    double omega, min_omega = p->margins.crossover / SLOWEST;
    double complex open;
    c->margins = p->margins;
    for (size_t i = 0;
         loop && c->n < CURVE && aw_loop_get_point(loop, &p->per_tick, i, &omega, &open); i++) {
        if (omega < min_omega)
            continue;
        c->open[c->n] = open;
        c->hz[c->n] = omega / PER_TURN;
        c->gain_db[c->n] = 20 * log10(cabs(open));
        c->s[c->n++] = 1 / cabs(1 + open);
    }
    follow_phase(c);
    aw_loop_free(loop);
    return loop;
}

/* Indices of the last gain crossover, the phase crossover of the gain margin, and the maximum of
 * |S|; n: no such point. */
struct curve_points {
    size_t crossover, phase_crossover, peak;
};

static bool is_turn(const struct loop_curve *c, size_t i)
{
    bool last = i + 1 == c->n;
    return creal(c->open[i]) < 0 && (last || cimag(c->open[i]) * cimag(c->open[i + 1]) <= 0);
}

static struct curve_points find_curve_points(const struct loop_curve *c)
{
    struct curve_points p = {.crossover = c->n, .phase_crossover = c->n};
    double best = INFINITY;
    for (size_t i = 0; i < c->n; i++) {
        double distance = fabs(c->gain_db[i] + 20 * log10(c->margins.gain_margin));
        if (i + 1 < c->n && c->gain_db[i] >= 0 && c->gain_db[i + 1] < 0)
            p.crossover = i;
        if (is_turn(c, i) && distance < best) {
            best = distance;
            p.phase_crossover = i;
        }
        if (c->s[i] > c->s[p.peak])
            p.peak = i;
    }
    return p;
}

/* A margin: a line from the curve to its limit, and a dot with its name. */
struct mark {
    double x[2], y[2];
    char text[TEXT];
    const char *notes[1];
};

static size_t add_mark(struct aw_series *to, struct mark *mark, double x, double y, double level)
{
    mark->x[0] = mark->x[1] = x;
    mark->y[0] = y;
    mark->y[1] = level;
    mark->notes[0] = mark->text;
    to[0] = (struct aw_series){.x = mark->x, .y = mark->y, .n = 2, .colour = 2};
    to[1] = (struct aw_series){
        .x = mark->x, .y = mark->y, .n = 1, .colour = 2, .dots = true, .notes = mark->notes};
    return 2;
}

enum { GAIN, PHASE, SENSITIVITY, PANELS };

struct loop_chart {
    struct aw_series series[PANELS][4];
    size_t n[PANELS];
    struct mark mark[PANELS];
    double ends[2], level[PANELS][2];
};

static void add_curve(struct loop_chart *chart, const struct loop_curve *c)
{
    const double *values[PANELS] = {c->gain_db, c->phase, c->s};
    for (int k = 0; k < PANELS; k++)
        chart->series[k][chart->n[k]++] =
            (struct aw_series){.x = c->hz, .y = values[k], .n = c->n, .colour = 1};
    chart->ends[0] = c->hz[0];
    chart->ends[1] = c->hz[c->n - 1];
}

static void add_levels(struct loop_chart *chart)
{
    static const double levels[PANELS] = {0, -180, 1};
    for (int k = 0; k < PANELS; k++) {
        chart->level[k][0] = chart->level[k][1] = levels[k];
        chart->series[k][chart->n[k]++] =
            (struct aw_series){.x = chart->ends, .y = chart->level[k], .n = 2, .is_guide = true};
    }
}

static void add_marks(struct loop_chart *chart, const struct loop_curve *c)
{
    const struct curve_points at = find_curve_points(c);
    const struct aw_margins *m = &c->margins;
    struct mark *mark = chart->mark;
    snprintf(mark[GAIN].text, TEXT, "gain margin %.3g (%.1f dB)", m->gain_margin,
             20 * log10(m->gain_margin));
    snprintf(mark[PHASE].text, TEXT, "phase margin %.0f deg at %.3g Hz", m->phase_margin_deg,
             m->crossover / PER_TURN);
    snprintf(mark[SENSITIVITY].text, TEXT, "Ms %.3g", m->ms);
    if (at.phase_crossover < c->n && isfinite(m->gain_margin))
        chart->n[GAIN] += add_mark(chart->series[GAIN] + chart->n[GAIN], &mark[GAIN],
                                   c->hz[at.phase_crossover], c->gain_db[at.phase_crossover], 0);
    if (at.crossover < c->n && isfinite(m->phase_margin_deg))
        chart->n[PHASE] += add_mark(chart->series[PHASE] + chart->n[PHASE], &mark[PHASE],
                                    c->hz[at.crossover], c->phase[at.crossover], -180);
    chart->n[SENSITIVITY] += add_mark(chart->series[SENSITIVITY] + chart->n[SENSITIVITY],
                                      &mark[SENSITIVITY], c->hz[at.peak], c->s[at.peak], 1);
}

char *aw_experiment_draw_loop(struct aw_session *session, const struct aw_model *model,
                              const struct aw_proposal *proposal, const char *path, size_t *size)
{
    static const struct aw_panel labels[PANELS] = {
        {.label = "|L|", .unit = "dB"}, {.label = "phase of L", .unit = "deg"}, {.label = "|S|"}};
    struct loop_curve *curve = calloc(1, sizeof *curve);
    struct loop_chart *chart = calloc(1, sizeof *chart);
    struct aw_panel panels[PANELS];
    char title[160], *svg = NULL;
    if (!curve || !chart)
        aw_no_memory(&session->err);
    else if (fill_curve(curve, model, proposal, &session->err)) {
        add_curve(chart, curve);
        add_levels(chart);
        add_marks(chart, curve);
        for (int k = 0; k < PANELS; k++) {
            panels[k] = labels[k];
            panels[k].series = chart->series[k];
            panels[k].n = chart->n[k];
        }
        aw_picture_title(session, "Open loop L with its margins, and S = 1/(1 + L)", AW_NO_TIME,
                         title, sizeof title);
        svg = aw_picture_draw(session,
                              &(struct aw_chart){.title = title,
                                                 .x_label = "frequency",
                                                 .x_unit = "Hz",
                                                 .log_x = true,
                                                 .panels = panels,
                                                 .n_panels = PANELS,
                                                 .height = 760},
                              path, size);
    }
    free(chart);
    free(curve);
    return svg;
}
