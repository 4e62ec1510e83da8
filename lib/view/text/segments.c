/* Compiles the layout of a message into segments that print it, in each style. */
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "view/text/segment.h"
#include "view/text/select.h"
#include "view/text/value.h"

struct compiler {
    struct segments *out;
    const struct aw_codec *codec;
    const struct aw_view_options *options;
    const struct style *style;
    const struct columns *columns;
    bool has_names_only; /* at least one value may be undefined */
};

static struct segment *add_segment(struct compiler *c, enum segment_kind kind, const char *format,
                                   ...) __attribute__((format(printf, 3, 4)));

static struct segment *add_segment(struct compiler *c, enum segment_kind kind, const char *format,
                                   ...)
{
    struct segments *out = c->out;
    struct segment *segment = &out->list[out->n++];
    va_list args;
    va_start(args, format);
    int length = vsnprintf(out->pool + out->used, sizeof out->pool - out->used, format, args);
    va_end(args);
    *segment =
        (struct segment){.text = out->used, .length = (uint16_t)length, .kind = (uint8_t)kind};
    out->used = (uint16_t)(out->used + length);
    return segment;
}

static void bind_scalar(struct compiler *c, struct segment *segment, int scalar)
{
    const struct aw_field *row = c->codec->scalars[scalar].field;
    segment->scalar = (uint8_t)scalar;
    segment->format = aw_scalar_format(c->codec, scalar);
    segment->decimals = aw_scalar_decimals(c->codec, scalar);
    segment->needs = UINT64_C(1) << scalar;
    segment->names_only = row->names && !row->open_names && row->scale == 0;
    c->has_names_only |= segment->names_only;
    segment->names = segment->names_only || segment->format == FORMAT_NAMED ? row->names : NULL;
    segment->wire_names = row->wire_names;
    segment->quoted = *c->style->quote && !aw_is_boolean(row);
    if (row->type == AW_TEXT)
        segment->kind = KIND_NAME;
}

bool aw_view_selects(const struct aw_view_options *options, const struct aw_codec *codec,
                     int scalar)
{
    if (!codec->scalars[scalar].has_value)
        return false;
    if (!options->fields)
        return options->style != AW_STYLE_TEXT || !options->hides_metadata ||
               !codec->scalars[scalar].field->is_metadata;
    for (const char *const *field = options->fields; *field; field++)
        if (aw_select_matches_field(*field, codec, scalar))
            return true;
    return false;
}

static bool has_same_label(const struct aw_codec *codec, int a, int b)
{
    return codec->scalars[b].label && codec->scalars[a].label &&
           strcmp(codec->scalars[a].label, codec->scalars[b].label) == 0;
}

/* Compiles the scalars of a group: "elbow":{"position":… . The whole group is omitted if its first
 * scalar is absent. */
static int compile_json_group(struct compiler *c, int first)
{
    const struct aw_codec *codec = c->codec;
    struct segment *group = NULL;
    int scalar = first;
    for (; scalar < codec->n_scalars; scalar++) {
        if (!codec->scalars[scalar].has_value && has_same_label(codec, first, scalar))
            continue;
        if (!has_same_label(codec, first, scalar))
            break;
        if (!aw_view_selects(c->options, codec, scalar))
            continue;
        const char *comma = group ? "," : "";
        if (!group) {
            group = add_segment(c, KIND_NONE, ",\"%s\":{", codec->scalars[scalar].label);
            group->needs = UINT64_C(1) << scalar;
        }
        bind_scalar(
            c, add_segment(c, KIND_SCALAR, "%s\"%s\":", comma, codec->scalars[scalar].field->name),
            scalar);
        group->skip++;
    }
    if (group) {
        add_segment(c, KIND_NONE, "}");
        group->skip++;
    }
    return scalar;
}

static void add_mark(struct compiler *c)
{
    if (!c->options->fields && (c->has_names_only || c->codec->masks.marked))
        add_segment(c, KIND_MARK, "%s", "");
}

static void compile_json(struct compiler *c, bool has_time)
{
    if (has_time)
        add_segment(c, KIND_TIME, "{\"t\":");
    add_segment(c, KIND_DIR, "%s\"dir\":\"", has_time ? "," : "{");
    add_segment(c, KIND_NONE, "\",\"msg\":\"%s\"%s", c->codec->message->name,
                c->codec->raw ? ",\"raw\":true" : "");
    for (int scalar = 0; scalar < c->codec->n_scalars;) {
        const struct aw_scalar *info = &c->codec->scalars[scalar];
        if (info->has_value && info->label) {
            scalar = compile_json_group(c, scalar);
            continue;
        }
        if (aw_view_selects(c->options, c->codec, scalar))
            bind_scalar(c, add_segment(c, KIND_SCALAR, ",\"%s\":", info->field->name), scalar);
        scalar++;
    }
    add_mark(c);
    add_segment(c, KIND_NONE, "}\n");
}

static void compile_text(struct compiler *c, bool has_time)
{
    if (has_time)
        add_segment(c, KIND_TIME, "%s", "");
    add_segment(c, KIND_DIR, "%s", has_time ? " " : "");
    add_segment(c, KIND_NONE, " %s", c->codec->message->name);
    for (int scalar = 0; scalar < c->codec->n_scalars; scalar++) {
        const struct aw_scalar *info = &c->codec->scalars[scalar];
        if (!aw_view_selects(c->options, c->codec, scalar))
            continue;
        char name[64];
        aw_scalar_name(info, name, sizeof name);
        struct segment *segment = add_segment(c, KIND_SCALAR, " %s=", name);
        bind_scalar(c, segment, scalar);
        segment->unit.shown = true;
        segment->has_special = info->field->special;
        if (segment->format != FORMAT_NAMED && !info->field->scaled_by && !c->codec->raw &&
            info->field->unit) {
            segment->unit.text = info->field->unit;
            segment->unit.length = (uint8_t)strlen(segment->unit.text);
        }
    }
    add_mark(c);
    add_segment(c, KIND_NONE, "\n");
}

int aw_view_find_reference(const struct aw_codec *codec, const char *name)
{
    int found = aw_codec_find(codec, name);
    for (const char *part = name; part && found < 0; part = strchr(part, '.')) {
        part += *part == '.';
        for (int i = 0, n = 0; i < codec->n_scalars; i++)
            if (aw_select_matches_field(part, codec, i))
                found = ++n == 1 ? i : -1;
    }
    return found;
}

/* Adds the value for %{name}. Returns false if this message has no such field. */
static bool compile_reference(struct compiler *c, const char *name)
{
    static const struct {
        const char *name;
        enum segment_kind kind;
    } specials[] = {{"t", KIND_TIME}, {"dir", KIND_DIR}, {"msg", KIND_MSG}};
    for (size_t i = 0; i < sizeof specials / sizeof *specials; i++)
        if (strcmp(name, specials[i].name) == 0) {
            add_segment(c, specials[i].kind, "%s", "");
            return true;
        }
    int scalar = aw_view_find_reference(c->codec, name);
    if (scalar < 0)
        return false;
    bind_scalar(c, add_segment(c, KIND_SCALAR, "%s", ""), scalar);
    return true;
}

static void add_literal(struct compiler *c, char character)
{
    struct segments *out = c->out;
    if (out->n == 0 || out->list[out->n - 1].kind != KIND_NONE)
        add_segment(c, KIND_NONE, "%s", "");
    out->pool[out->used++] = character;
    out->list[out->n - 1].length++;
}

static char unescape(const char **text)
{
    if (**text == '\\' && ((*text)[1] == 'n' || (*text)[1] == 't'))
        return *++*text == 'n' ? '\n' : '\t';
    return **text;
}

static void compile_format(struct compiler *c, bool has_time)
{
    (void)has_time; /* the format determines whether the time is printed */
    const char *p = c->options->format;
    for (; *p; p++) {
        const char *close = strncmp(p, "%{", 2) == 0 ? strchr(p, '}') : NULL;
        if (!close) {
            add_literal(c, unescape(&p));
            continue;
        }
        char name[64];
        snprintf(name, sizeof name, "%.*s", (int)(close - p - 2), p + 2);
        c->out->has_fields = compile_reference(c, name) && c->out->has_fields;
        p = close;
    }
    add_literal(c, '\n');
}

/* Compiles one cell per column. The separators of consecutive empty cells become one piece. */
static void compile_table(struct compiler *c, bool has_time)
{
    const char separator = c->style->column;
    (void)has_time; /* the time always has a column, which may be empty */
    add_segment(c, KIND_TIME, "%s", "");
    add_segment(c, KIND_DIR, "%c", separator);
    add_segment(c, KIND_NONE, "%c%s", separator, c->codec->message->name);
    for (size_t i = 0; i < c->columns->n; i++) {
        int scalar = aw_codec_find(c->codec, c->columns->name[i]);
        add_literal(c, separator);
        if (scalar >= 0)
            bind_scalar(c, add_segment(c, KIND_SCALAR, "%s", ""), scalar);
    }
    add_literal(c, '\n');
}

static const struct style text_style = {compile_text, 0, "-", "", {"<-", "->"}, {" (", ")"}, false};
static const struct style json_style = {
    compile_json, 0, "null", "\"", {"rx", "tx"}, {",\"anomaly\":\"", "\""}, true};
static const struct style csv_style = {compile_table, ',', "", "", {"rx", "tx"}, {"", ""}, true};
static const struct style format_style = {compile_format, 0, "-", "", {"rx", "tx"}, {"", ""}, true};

const struct style *aw_view_style(enum aw_style style)
{
#define ROW(NAME, name, letter, value, help) [AW_STYLE_##NAME] = &name##_style,
    static const struct style *const styles[AW_STYLES] = {[AW_STYLE_TEXT] = &text_style,
                                                          AW_EACH_STYLE(ROW)};
#undef ROW
    return styles[style];
}

bool aw_style_is_table(enum aw_style style)
{
    return aw_view_style(style)->column;
}

static bool selects_any(const struct aw_view_options *options, const struct aw_codec *codec)
{
    if (!options->fields || !*options->fields)
        return true;
    for (int i = 0; i < codec->n_scalars; i++)
        if (aw_view_selects(options, codec, i))
            return true;
    return false;
}

void aw_segments_compile(struct segments *out, const struct aw_codec *codec,
                         const struct aw_view_options *options, const struct columns *columns,
                         bool has_time)
{
    struct compiler c = {out, codec, options, aw_view_style(options->style), columns, false};
    out->codec = codec;
    out->has_fields = selects_any(options, codec);
    out->n = out->used = 0;
    out->needs = 0;
    c.style->compile(&c, has_time);
    for (size_t i = 0; i < out->n; i++)
        out->needs |= out->list[i].needs;
}
