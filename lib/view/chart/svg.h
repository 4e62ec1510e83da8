/* SVG as text, piece by piece, into memory.
 *
 *     struct aw_svg svg = {0};
 *     aw_svg_open(&svg, 640, 400);
 *     aw_svg_line(&svg, 0, 0, 10, 10, "#888");
 *     aw_svg_text(&svg, 20, 20, "start", 12, "a < b & c");
 *     char *text = aw_svg_close(&svg, &size);    the caller frees it; NULL: no memory
 *
 * Coordinates are pixels, y grows downwards, and are written with two decimals at most. Text is
 * escaped, and what XML does not allow (control characters, broken UTF-8) becomes '?'. Once memory
 * runs out, nothing more is written and close returns NULL.
 */
#ifndef AW_VIEW_CHART_SVG_H
#define AW_VIEW_CHART_SVG_H

#include <stdbool.h>
#include <stddef.h>

struct aw_svg {
    char *text;
    size_t size, capacity;
    bool failed;
};

/* Begins a white drawing of this size with a sans-serif font. */
void aw_svg_open(struct aw_svg *svg, double width, double height);

void aw_svg_line(struct aw_svg *svg, double x1, double y1, double x2, double y2,
                 const char *colour);

void aw_svg_rect(struct aw_svg *svg, double x, double y, double width, double height,
                 const char *fill, const char *stroke);

/* Filled with the colour, or hollow. */
void aw_svg_dot(struct aw_svg *svg, double x, double y, double radius, const char *colour,
                bool hollow);

/* anchor: start, middle or end. */
void aw_svg_text(struct aw_svg *svg, double x, double y, const char *anchor, double size,
                 const char *text);

/* The same with a white rim, readable over lines. */
void aw_svg_text_over(struct aw_svg *svg, double x, double y, const char *anchor, double size,
                      const char *text);

/* The same, turned to be read from below upwards. */
void aw_svg_text_up(struct aw_svg *svg, double x, double y, double size, const char *text);

/* A polyline in three steps; dash is NULL for a solid one, or like "4 3". */
void aw_svg_path_begin(struct aw_svg *svg, const char *colour, double width, const char *dash);
void aw_svg_path_point(struct aw_svg *svg, double x, double y, bool move);
void aw_svg_path_end(struct aw_svg *svg);

/* Between begin and end, drawings stay within the rectangle. Its id is made of its numbers, because
 * all drawings of a page share their ids. */
void aw_svg_clip_begin(struct aw_svg *svg, double x, double y, double width, double height);
void aw_svg_clip_end(struct aw_svg *svg);

/* Ends the drawing and hands over its NUL-terminated text. The svg is {0} again. */
char *aw_svg_close(struct aw_svg *svg, size_t *size);

#endif
