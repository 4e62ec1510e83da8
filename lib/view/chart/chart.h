/* Line charts of series over time or frequency, as SVG: dark on white, a legend, nice ticks.
 *
 *     struct aw_series series[] = {{.label = "measured", .x = t, .y = y, .n = n},
 *                                  {.label = "setpoint", .x = t, .y = sp, .n = n, .dashed = true}};
 *     struct aw_panel panels[] = {{.label = "angle", .unit = "deg", .series = series, .n = 2}};
 *     struct aw_chart chart = {.title = "lknee pos", .x_label = "time", .x_unit = "s",
 *                              .panels = panels, .n = 1};
 *     char *svg = aw_chart_svg(&chart, &size, &err);      the caller frees it
 *
 * Panels stand one above the other and share the x axis: measured and setpoint in one, output in
 * the next; or gain and phase. NaN and infinity are gaps in a line. Series of any length are fine:
 * a line never has more than some thousand points, with its extremes kept.
 */
#ifndef AW_VIEW_CHART_CHART_H
#define AW_VIEW_CHART_CHART_H

#include <stdbool.h>
#include <stddef.h>

#include "base/status.h"

/* Not owned. x must not fall, but in a curve. */
struct aw_series {
    const char *label; /* NULL: it is not in the legend */
    const double *x, *y;
    size_t n;
    size_t colour; /* from 1; 0: by its place in the panel */
    bool dashed;
    bool stairs;              /* holds its value until the next sample (setpoints) */
    bool curve;               /* x goes to and fro (Nyquist): every point is drawn */
    bool dots;                /* single points instead of a line */
    const bool *hollow;       /* with dots: those that are not to be trusted; or NULL */
    const char *const *texts; /* with dots: what stands beside each; or NULL */
    bool guide;               /* a thin grey line to read the others by */
};

struct aw_panel {
    const char *label, *unit; /* unit may be NULL */
    const struct aw_series *series;
    size_t n;
};

struct aw_chart {
    const char *title; /* may be NULL */
    const char *x_label, *x_unit;
    bool log_x; /* for frequencies; x <= 0 is a gap */
    bool round; /* one unit is as long across as up: circles are round */
    const struct aw_panel *panels;
    size_t n;             /* 1..4 panels */
    double width, height; /* pixels; 0: 800 wide, 300 a panel */
};

/* The drawing as text, NUL-terminated, or NULL: AW_USAGE if there is nothing to draw (no finite
 * point), AW_NO_MEMORY. */
char *aw_chart_svg(const struct aw_chart *chart, size_t *size, struct aw_error *err);

#endif
