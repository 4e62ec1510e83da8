/* Creates line charts over time or frequency, as a gnuplot script that contains its data.
 *
 *     struct aw_series series[] = {{.label = "measured", .x = t, .y = y, .n = n},
 *                                  {.label = "setpoint", .x = t, .y = sp, .n = n, .dashed = true}};
 *     struct aw_panel panels[] = {{.label = "angle", .unit = "deg", .series = series, .n = 2}};
 *     struct aw_chart chart = {.title = "lknee pos", .x_label = "time", .x_unit = "s",
 *                              .panels = panels, .n_panels = 1};
 *     char *script = aw_chart_script(&chart, AW_CHART_SVG, &size, &err);   the caller frees it
 *
 * Panels are stacked and share the x axis. For example, one has measured value and setpoint, and
 * the next one the output. NaN and infinity are gaps in a line. Series may have any length: the
 * script contains a few thousand points of each line, and preserves its extremes.
 */
#ifndef AW_VIEW_CHART_CHART_H
#define AW_VIEW_CHART_CHART_H

#include <stdbool.h>
#include <stddef.h>

#include "base/status.h"

/* A line of a panel, with n points. Its arrays are not owned. x must not decrease. */
struct aw_series {
    const char *label; /* NULL: not in the legend */
    const double *x, *y;
    size_t n;
    size_t colour; /* number of the colour, from 1; 0: by position in the panel */
    bool dashed;
    bool is_stairs;           /* holds its value until the next sample (setpoints) */
    bool is_dots;             /* single points instead of a line */
    const bool *hollow;       /* for dots: marks unreliable points as hollow; or NULL */
    const char *const *notes; /* for dots: text beside each dot; or NULL */
    bool is_guide;            /* thin grey reference line */
};

struct aw_panel {
    const char *label, *unit; /* unit may be NULL */
    const struct aw_series *series;
    size_t n;
};

struct aw_chart {
    const char *title; /* NULL: no title */
    const char *x_label, *x_unit;
    bool log_x; /* logarithmic, for frequencies; x <= 0 is a gap */
    const struct aw_panel *panels;
    size_t n_panels; /* number of panels, 1 to 4 */
    double height;   /* pixels of the SVG, which is 800 wide; 0: 300 per panel, plus legends */
};

/* Output format of gnuplot. PNG has twice the SVG's pixels in each direction. */
enum aw_chart_format { AW_CHART_SVG, AW_CHART_PNG, AW_CHART_PDF };

/* Returns a NUL-terminated script of *size bytes, which the caller frees. On failure returns NULL.
 * AW_USAGE: there is no finite point. AW_NO_MEMORY: out of memory. */
char *aw_chart_script(const struct aw_chart *chart, enum aw_chart_format format, size_t *size,
                      struct aw_error *err);

#endif
