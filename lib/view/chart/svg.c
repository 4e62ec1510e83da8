/* Writes lines, text and shapes as SVG elements into a growing buffer. */
#include "view/chart/svg.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/grow.h"
#include "base/utf8.h"

#define FARTHEST 1e9 /* pixels */

static bool reserve(struct aw_svg *svg, size_t more)
{
    char *text = svg->failed ? NULL : aw_grow(svg->text, &svg->capacity, svg->size + more + 1, 1);
    svg->failed = !text;
    svg->text = text ? text : svg->text;
    return text;
}

static void put(struct aw_svg *svg, const char *text, size_t length)
{
    if (!reserve(svg, length))
        return;
    memcpy(svg->text + svg->size, text, length);
    svg->size += length;
    svg->text[svg->size] = '\0';
}

static void put_text(struct aw_svg *svg, const char *text)
{
    put(svg, text, strlen(text));
}

/* 12.5, not 12.50, and never a comma: coordinates are written as whole hundredths. */
static void put_number(struct aw_svg *svg, double value)
{
    char text[40];
    value = isfinite(value) && fabs(value) < FARTHEST ? value : 0;
    long long hundredths = (long long)(value * 100 + (value < 0 ? -0.5 : 0.5));
    unsigned long long size =
        hundredths < 0 ? 0ULL - (unsigned long long)hundredths : (unsigned long long)hundredths;
    int n = snprintf(text, sizeof text, "%s%llu.%02llu", hundredths < 0 ? "-" : "", size / 100,
                     size % 100);
    while (text[n - 1] == '0')
        n--;
    put(svg, text, (size_t)(text[n - 1] == '.' ? n - 1 : n));
}

static void put_attribute(struct aw_svg *svg, const char *name, double value)
{
    put_text(svg, " ");
    put_text(svg, name);
    put_text(svg, "=\"");
    put_number(svg, value);
    put_text(svg, "\"");
}

static void put_word(struct aw_svg *svg, const char *name, const char *value)
{
    put_text(svg, " ");
    put_text(svg, name);
    put_text(svg, "=\"");
    put_text(svg, value);
    put_text(svg, "\"");
}

static const struct {
    char plain;
    const char *escaped;
} escapes[] = {{'&', "&amp;"}, {'<', "&lt;"}, {'>', "&gt;"}, {'"', "&quot;"}};

static const char *escape(char c)
{
    for (size_t i = 0; i < sizeof escapes / sizeof *escapes; i++)
        if (escapes[i].plain == c)
            return escapes[i].escaped;
    return NULL;
}

static void put_escaped(struct aw_svg *svg, const char *text)
{
    while (*text) {
        size_t length = aw_utf8_size(text);
        const char *instead = length == 0 ? "?" : escape(*text);
        if (instead)
            put_text(svg, instead);
        else
            put(svg, text, length);
        text += length > 0 ? length : 1;
    }
}

void aw_svg_open(struct aw_svg *svg, double width, double height)
{
    put_text(svg, "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n"
                  "<svg xmlns=\"http://www.w3.org/2000/svg\"");
    put_attribute(svg, "width", width);
    put_attribute(svg, "height", height);
    put_text(svg, " viewBox=\"0 0 ");
    put_number(svg, width);
    put_text(svg, " ");
    put_number(svg, height);
    put_text(svg, "\" font-family=\"sans-serif\" fill=\"#222\">\n");
    aw_svg_rect(svg, 0, 0, width, height, "#fff", NULL);
}

void aw_svg_line(struct aw_svg *svg, double x1, double y1, double x2, double y2, const char *colour)
{
    put_text(svg, "<line");
    put_attribute(svg, "x1", x1);
    put_attribute(svg, "y1", y1);
    put_attribute(svg, "x2", x2);
    put_attribute(svg, "y2", y2);
    put_word(svg, "stroke", colour);
    put_attribute(svg, "stroke-width", 1);
    put_text(svg, "/>\n");
}

void aw_svg_dot(struct aw_svg *svg, double x, double y, double radius, const char *colour,
                bool hollow)
{
    put_text(svg, "<circle");
    put_attribute(svg, "cx", x);
    put_attribute(svg, "cy", y);
    put_attribute(svg, "r", radius);
    put_word(svg, "stroke", colour);
    put_attribute(svg, "stroke-width", 1.3);
    put_word(svg, "fill", hollow ? "#fff" : colour);
    put_text(svg, "/>\n");
}

static void put_box(struct aw_svg *svg, double x, double y, double width, double height)
{
    put_text(svg, "<rect");
    put_attribute(svg, "x", x);
    put_attribute(svg, "y", y);
    put_attribute(svg, "width", width);
    put_attribute(svg, "height", height);
}

void aw_svg_rect(struct aw_svg *svg, double x, double y, double width, double height,
                 const char *fill, const char *stroke)
{
    put_box(svg, x, y, width, height);
    put_word(svg, "fill", fill);
    if (stroke)
        put_word(svg, "stroke", stroke);
    put_text(svg, "/>\n");
}

static void begin_text(struct aw_svg *svg, double x, double y, const char *anchor, double size)
{
    put_text(svg, "<text");
    put_attribute(svg, "x", x);
    put_attribute(svg, "y", y);
    put_word(svg, "text-anchor", anchor);
    put_attribute(svg, "font-size", size);
}

static void end_text(struct aw_svg *svg, const char *text)
{
    put_text(svg, ">");
    put_escaped(svg, text);
    put_text(svg, "</text>\n");
}

void aw_svg_text(struct aw_svg *svg, double x, double y, const char *anchor, double size,
                 const char *text)
{
    begin_text(svg, x, y, anchor, size);
    end_text(svg, text);
}

void aw_svg_text_over(struct aw_svg *svg, double x, double y, const char *anchor, double size,
                      const char *text)
{
    begin_text(svg, x, y, anchor, size);
    put_text(svg, " stroke=\"#fff\" stroke-width=\"4\" paint-order=\"stroke\"");
    end_text(svg, text);
}

void aw_svg_text_up(struct aw_svg *svg, double x, double y, double size, const char *text)
{
    put_text(svg, "<g transform=\"translate(");
    put_number(svg, x);
    put_text(svg, " ");
    put_number(svg, y);
    put_text(svg, ") rotate(-90)\">");
    aw_svg_text(svg, 0, 0, "middle", size, text);
    put_text(svg, "</g>\n");
}

void aw_svg_path_begin(struct aw_svg *svg, const char *colour, double width, const char *dash)
{
    put_text(svg, "<path fill=\"none\" stroke-linejoin=\"round\"");
    put_word(svg, "stroke", colour);
    put_attribute(svg, "stroke-width", width);
    if (dash)
        put_word(svg, "stroke-dasharray", dash);
    put_text(svg, " d=\"");
}

void aw_svg_path_point(struct aw_svg *svg, double x, double y, bool move)
{
    put_text(svg, move ? "M" : "L");
    put_number(svg, x);
    put_text(svg, " ");
    put_number(svg, y);
}

void aw_svg_path_end(struct aw_svg *svg)
{
    put_text(svg, "\"/>\n");
}

void aw_svg_clip_begin(struct aw_svg *svg, double x, double y, double width, double height)
{
    char name[128];
    int n = snprintf(name, sizeof name, "clip-%.0f-%.0f-%.0f-%.0f", x * 100, y * 100, width * 100,
                     height * 100);
    n = n < (int)sizeof name ? n : (int)sizeof name - 1;
    put_text(svg, "<clipPath id=\"");
    put(svg, name, (size_t)n);
    put_text(svg, "\">");
    put_box(svg, x, y, width, height);
    put_text(svg, "/></clipPath>\n<g clip-path=\"url(#");
    put(svg, name, (size_t)n);
    put_text(svg, ")\">\n");
}

void aw_svg_clip_end(struct aw_svg *svg)
{
    put_text(svg, "</g>\n");
}

char *aw_svg_close(struct aw_svg *svg, size_t *size)
{
    put_text(svg, "</svg>\n");
    char *text = svg->text;
    *size = svg->size;
    if (svg->failed) {
        free(text);
        text = NULL;
        *size = 0;
    }
    *svg = (struct aw_svg){0};
    return text;
}
