/* Line charts over time or frequency, as a gnuplot script that contains its data.
 *
 *     struct aw_series series[] = {{.label = "measured", .x = t, .y = y, .n = n},
 *                                  {.label = "setpoint", .x = t, .y = sp, .n = n, .dashed = true}};
 *     struct aw_panel panels[] = {{.label = "angle", .unit = "deg", .series = series, .n = 2}};
 *     struct aw_chart chart = {.title = "lknee pos", .x_label = "time", .x_unit = "s",
 *                              .panels = panels, .n = 1};
 *     char *script = aw_chart_script(&chart, AW_CHART_SVG, &size, &err);   the caller frees it
 *
 * Panels are stacked and share the x axis: measured and setpoint in one, output in the next; or
 * gain and phase. NaN and infinity are gaps in a line. Series may have any length: the script
 * contains some thousand points of each line, and preserves its extremes.
 */
#ifndef AW_VIEW_CHART_CHART_H
#define AW_VIEW_CHART_CHART_H

#include <stdbool.h>
#include <stddef.h>

#include "base/status.h"

/* Not owned. x must not fall. */
struct aw_series {
    const char *label; /* NULL: not in the legend */
    const double *x, *y;
    size_t n;
    size_t colour; /* from 1; 0: by position in the panel */
    bool dashed;
    bool stairs;              /* holds its value until the next sample (setpoints) */
    bool dots;                /* single points instead of a line */
    const bool *hollow;       /* with dots: marks untrustworthy points; or NULL */
    const char *const *texts; /* with dots: text beside each; or NULL */
    bool guide;               /* a thin grey line for reference */
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
    const struct aw_panel *panels;
    size_t n;      /* 1..4 panels */
    double height; /* pixels of the SVG, which is 800 wide; 0: 300 per panel, plus legends */
};

/* Output format of gnuplot. PNG has twice the SVG's pixels in each direction. */
enum aw_chart_form { AW_CHART_SVG, AW_CHART_PNG, AW_CHART_PDF };

/* Returns a NUL-terminated script, which the caller frees. NULL: AW_USAGE if there is no finite
 * point, AW_NO_MEMORY. */
char *aw_chart_script(const struct aw_chart *chart, enum aw_chart_form form, size_t *size,
                      struct aw_error *err);

#endif
