/* Draws strip charts on terminals: the recent history of several values in braille dots, with axes,
 * units and a legend.
 *
 *     struct aw_strip strip;
 *     aw_strip_init(&strip, 10 * AW_SECOND);
 *     int s = aw_strip_add_line(&strip, "m1.position", "deg");
 *     aw_strip_add_sample(&strip, s, time_ns, 12.5);
 *     aw_strip_draw(&strip, &(struct aw_strip_look){.end_ns = now}, &canvas);
 *     aw_strip_free(&strip);
 *
 * Values with the same unit share a panel. All panels share the time axis. Memory and computing
 * time are bounded at any rate of samples: each 4096th of the span stores only its first, minimum,
 * maximum and last value. Scales grow at once. To avoid flicker, they shrink only after more than
 * half of them has been empty for two seconds.
 */
#ifndef AW_VIEW_TERMINAL_STRIP_H
#define AW_VIEW_TERMINAL_STRIP_H

#include "view/terminal/braille.h"

#define AW_STRIP_SERIES 12
#define AW_STRIP_PANELS 6

/* Summary of the values within one interval of time. */
struct aw_bucket {
    int64_t time_ns;              /* time of the last value */
    double first, min, max, last; /* NaN: a gap in the line */
};

struct aw_strip_line {
    char label[96], unit[16];
    int panel;
    struct aw_bucket *buckets; /* ring of n buckets, the next one at next */
    size_t n, next;
    double value; /* latest value; NaN: no value */
};

struct aw_strip_panel {
    char unit[16];
    double low, high;     /* ends of the scale */
    bool has_scale;       /* low and high are valid */
    int64_t oversized_ns; /* time at which the scale became too large; 0: it is not too large */
};

/* A strip chart, which owns its buckets. */
struct aw_strip {
    int64_t span_ns;
    int n, n_panels;
    struct aw_strip_line lines[AW_STRIP_SERIES];
    struct aw_strip_panel panels[AW_STRIP_PANELS];
};

struct aw_strip_look {
    int64_t end_ns;    /* time at the right edge */
    const char *title; /* title at the top left, or NULL */
    const char *state; /* error message, or NULL */
    const char *keys;  /* help at the bottom, or NULL */
    bool is_absolute;  /* times count from start_ns; false: they count back from now */
    int64_t start_ns;  /* if times are absolute: time 0 of the axis */
    bool row_axis;     /* the time axis shows row numbers instead of times */
    bool numbered;     /* marks lines by numbers instead of dots, for displays without colours */
};

void aw_strip_init(struct aw_strip *strip, int64_t span_ns);
void aw_strip_free(struct aw_strip *strip);

/* Adds a line. Returns its number, or -1 if there are too many lines or no memory is left. unit may
 * be NULL. */
int aw_strip_add_line(struct aw_strip *strip, const char *label, const char *unit);

/* Adds a sample. The times of a line must not decrease; an earlier time counts as the previous one.
 * NaN leaves a gap in the line. */
void aw_strip_add_sample(struct aw_strip *strip, int line, int64_t time_ns, double value);

/* Leaves a gap in all lines until their next samples. */
void aw_strip_break(struct aw_strip *strip);

/* Clears the canvas and draws the chart on it. */
void aw_strip_draw(struct aw_strip *strip, const struct aw_strip_look *look,
                   struct aw_braille *canvas);

#endif
