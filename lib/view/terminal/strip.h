/* A strip chart for terminals: several values over the time that has just gone by, in braille dots,
 * with axes, units and a legend.
 *
 *     struct aw_strip strip;
 *     aw_strip_init(&strip, 10 * AW_SECOND);
 *     int s = aw_strip_series(&strip, "m1.position", "deg");
 *     aw_strip_add(&strip, s, time_ns, 12.5);
 *     aw_strip_draw(&strip, &(struct aw_strip_look){.end_ns = now}, &canvas);
 *     aw_strip_free(&strip);
 *
 * Values with the same unit share a panel; panels stand one above the other over the same time.
 * Memory and work are bound whatever the rate: what falls into the same 4096th of the span is kept
 * as its least, greatest and last value. Scales grow at once and shrink only when half of them has
 * been empty for a while, so that they do not flicker.
 */
#ifndef AW_VIEW_TERMINAL_STRIP_H
#define AW_VIEW_TERMINAL_STRIP_H

#include "view/terminal/braille.h"

#define AW_STRIP_SERIES 12
#define AW_STRIP_PANELS 6

/* What came within one bucket of time. */
struct aw_bucket {
    int64_t time_ns;                     /* of the last one */
    double first, least, greatest, last; /* NaN: the line is interrupted */
};

struct aw_strip_line {
    char label[96], unit[16];
    int panel;
    struct aw_bucket *buckets; /* a ring */
    size_t n, next;
    double value; /* the latest; NaN: none, or no data */
};

struct aw_strip_panel {
    char unit[16];
    double low, high; /* of the scale */
    bool known;       /* it has been chosen */
    int64_t roomy_ns; /* since when it is too large; 0: it is not */
};

/* Owns the buckets. */
struct aw_strip {
    int64_t span_ns;
    int n, n_panels;
    struct aw_strip_line lines[AW_STRIP_SERIES];
    struct aw_strip_panel panels[AW_STRIP_PANELS];
};

struct aw_strip_look {
    int64_t end_ns;    /* time at the right edge */
    const char *title; /* top left, or NULL */
    const char *state; /* what is wrong, or NULL */
    const char *keys;  /* at the foot, or NULL */
    bool absolute;     /* the axis counts from the first sample, not back from now */
    int64_t start_ns;  /* absolute: where it is 0 */
    bool rows;         /* its seconds are numbers of rows */
    bool numbered;     /* lines end in their number: there are no colours to tell them apart */
};

void aw_strip_init(struct aw_strip *strip, int64_t span_ns);
void aw_strip_free(struct aw_strip *strip);

/* Another line; returns its number, or -1 if there are too many, or no memory. unit may be NULL. */
int aw_strip_series(struct aw_strip *strip, const char *label, const char *unit);

/* Times of a line must not fall; earlier ones are taken as the last one. NaN interrupts the line.
 */
void aw_strip_add(struct aw_strip *strip, int line, int64_t time_ns, double value);

/* Interrupts all lines: nothing is known of the time until their next samples. */
void aw_strip_break(struct aw_strip *strip);

/* Draws into the canvas, which it clears. */
void aw_strip_draw(struct aw_strip *strip, const struct aw_strip_look *look,
                   struct aw_braille *canvas);

#endif
