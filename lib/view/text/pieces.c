#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "view/text/piece.h"
#include "view/text/value.h"

struct compiler {
    struct pieces *out;
    const struct aw_codec *codec;
    const struct aw_view_options *options;
    const struct columns *columns;
};

static struct piece *add(struct compiler *c, enum what what, const char *format, ...)
    __attribute__((format(printf, 3, 4)));

static struct piece *add(struct compiler *c, enum what what, const char *format, ...)
{
    struct pieces *out = c->out;
    struct piece *piece = &out->list[out->n++];
    va_list args;
    va_start(args, format);
    int length = vsnprintf(out->pool + out->used, sizeof out->pool - out->used, format, args);
    va_end(args);
    *piece = (struct piece){.text = out->used, .length = (uint16_t)length, .what = (uint8_t)what};
    out->used = (uint16_t)(out->used + length);
    return piece;
}

static void bind(struct compiler *c, struct piece *piece, int leaf)
{
    const struct aw_field *row = c->codec->leaves[leaf].field;
    piece->leaf = (uint8_t)leaf;
    piece->how = aw_leaf_how(c->codec, leaf);
    piece->decimals = aw_leaf_decimals(c->codec, leaf);
    piece->conditional = true;
    piece->quoted = c->options->style == AW_STYLE_JSON && !aw_is_truth(row);
    if (row->type == AW_TEXT)
        piece->what = WHAT_NAME;
}

/* "elbow", or "elbow.position" of a joint that has this label. */
static bool is_of(const char *label, const struct aw_leaf *leaf, const char *name)
{
    size_t length = label ? strlen(label) : 0;
    if (!label || strncmp(name, label, length) != 0)
        return false;
    return !name[length] ||
           (name[length] == '.' && strcmp(name + length + 1, leaf->field->name) == 0);
}

static bool has_name(const struct aw_leaf *leaf, const char *name)
{
    const struct aw_field *row = leaf->field;
    if (leaf->label)
        return is_of(leaf->label, leaf, name) || is_of(leaf->alias, leaf, name);
    return strcmp(name, row->name) == 0 || (row->alias && strcmp(name, row->alias) == 0);
}

bool aw_view_wants(const struct aw_view_options *options, const struct aw_leaf *leaf)
{
    if (!leaf->value)
        return false;
    if (!options->fields)
        return true;
    for (const char *const *field = options->fields; *field; field++)
        if (has_name(leaf, *field))
            return true;
    return false;
}

static bool same_label(const struct aw_codec *codec, int a, int b)
{
    return codec->leaves[b].label && codec->leaves[a].label &&
           strcmp(codec->leaves[a].label, codec->leaves[b].label) == 0;
}

/* "elbow":{"position":… : the opening piece is left out, with the whole group, if its first leaf is
 * absent. */
static int compile_json_group(struct compiler *c, int first)
{
    const struct aw_codec *codec = c->codec;
    struct piece *open = NULL;
    int leaf = first;
    for (; leaf < codec->n_leaves; leaf++) {
        if (!codec->leaves[leaf].value && same_label(codec, first, leaf))
            continue;
        if (!same_label(codec, first, leaf))
            break;
        if (!aw_view_wants(c->options, &codec->leaves[leaf]))
            continue;
        const char *comma = open ? "," : "";
        if (!open) {
            open = add(c, WHAT_NOTHING, ",\"%s\":{", codec->leaves[leaf].label);
            open->leaf = (uint8_t)leaf;
            open->conditional = true;
        }
        bind(c, add(c, WHAT_LEAF, "%s\"%s\":", comma, codec->leaves[leaf].field->name), leaf);
        open->skip++;
    }
    if (open) {
        add(c, WHAT_NOTHING, "}");
        open->skip++;
    }
    return leaf;
}

static void add_mark(struct compiler *c)
{
    if (!c->options->fields && aw_may_be_odd(c->codec))
        add(c, WHAT_MARK, "%s", "");
}

static void compile_json(struct compiler *c, bool has_time)
{
    if (has_time)
        add(c, WHAT_TIME, "{\"t\":");
    add(c, WHAT_DIR, "%s\"dir\":\"", has_time ? "," : "{");
    add(c, WHAT_NOTHING, "\",\"msg\":\"%s\"%s", c->codec->message->name,
        c->codec->raw ? ",\"raw\":true" : "");
    for (int leaf = 0; leaf < c->codec->n_leaves;) {
        const struct aw_leaf *place = &c->codec->leaves[leaf];
        if (place->value && place->label) {
            leaf = compile_json_group(c, leaf);
            continue;
        }
        if (aw_view_wants(c->options, place))
            bind(c, add(c, WHAT_LEAF, ",\"%s\":", place->field->name), leaf);
        leaf++;
    }
    add_mark(c);
    add(c, WHAT_NOTHING, "}\n");
}

static void compile_text(struct compiler *c, bool has_time)
{
    if (has_time)
        add(c, WHAT_TIME, "%s", "");
    add(c, WHAT_DIR, "%s", has_time ? " " : "");
    add(c, WHAT_NOTHING, " %s", c->codec->message->name);
    for (int leaf = 0; leaf < c->codec->n_leaves; leaf++) {
        const struct aw_leaf *place = &c->codec->leaves[leaf];
        if (!aw_view_wants(c->options, place))
            continue;
        char name[64];
        aw_leaf_name(place, name, sizeof name);
        struct piece *piece = add(c, WHAT_LEAF, " %s=", name);
        bind(c, piece, leaf);
        piece->with_unit = true;
        piece->worded = place->field->special;
        if (piece->how != HOW_NAMED && !place->field->by && !c->codec->raw && place->field->unit) {
            piece->unit = place->field->unit;
            piece->unit_length = (uint8_t)strlen(piece->unit);
        }
    }
    add_mark(c);
    add(c, WHAT_NOTHING, "\n");
}

/* The value for %{name}; false if this message has no such field. */
static bool compile_reference(struct compiler *c, const char *name)
{
    static const struct {
        const char *name;
        enum what what;
    } specials[] = {{"t", WHAT_TIME}, {"dir", WHAT_DIR}, {"msg", WHAT_MSG}};
    for (size_t i = 0; i < sizeof specials / sizeof *specials; i++)
        if (strcmp(name, specials[i].name) == 0) {
            add(c, specials[i].what, "%s", "");
            return true;
        }
    int leaf = aw_codec_find(c->codec, name);
    if (leaf < 0)
        return false;
    bind(c, add(c, WHAT_LEAF, "%s", ""), leaf);
    return true;
}

static void add_literal(struct compiler *c, char character)
{
    struct pieces *out = c->out;
    if (out->n == 0 || out->list[out->n - 1].what != WHAT_NOTHING)
        add(c, WHAT_NOTHING, "%s", "");
    out->pool[out->used++] = character;
    out->list[out->n - 1].length++;
}

static char unescape(const char **text)
{
    if (**text == '\\' && ((*text)[1] == 'n' || (*text)[1] == 't'))
        return *++*text == 'n' ? '\n' : '\t';
    return **text;
}

static void compile_format(struct compiler *c)
{
    const char *p = c->options->format;
    for (; *p; p++) {
        const char *close = strncmp(p, "%{", 2) == 0 ? strchr(p, '}') : NULL;
        if (!close) {
            add_literal(c, unescape(&p));
            continue;
        }
        char name[64];
        snprintf(name, sizeof name, "%.*s", (int)(close - p - 2), p + 2);
        c->out->usable = compile_reference(c, name) && c->out->usable;
        p = close;
    }
    add_literal(c, '\n');
}

/* Commas of columns that this message does not have pile up until one that it has. */
static void compile_csv(struct compiler *c)
{
    add(c, WHAT_TIME, "%s", "");
    add(c, WHAT_DIR, ",");
    add(c, WHAT_NOTHING, ",%s", c->codec->message->name);
    for (size_t i = 0; i < c->columns->n; i++) {
        int leaf = aw_codec_find(c->codec, c->columns->name[i]);
        add_literal(c, ',');
        if (leaf >= 0)
            bind(c, add(c, WHAT_LEAF, "%s", ""), leaf);
    }
    add_literal(c, '\n');
}

static bool wants_any(const struct aw_view_options *options, const struct aw_codec *codec)
{
    if (!options->fields)
        return true;
    for (int i = 0; i < codec->n_leaves; i++)
        if (aw_view_wants(options, &codec->leaves[i]))
            return true;
    return false;
}

void aw_pieces_compile(struct pieces *out, const struct aw_codec *codec,
                       const struct aw_view_options *options, const struct columns *columns,
                       bool has_time)
{
    struct compiler c = {out, codec, options, columns};
    out->codec = codec;
    out->usable = wants_any(options, codec);
    out->n = out->used = 0;
    if (options->style == AW_STYLE_JSON)
        compile_json(&c, has_time);
    else if (options->style == AW_STYLE_FORMAT)
        compile_format(&c);
    else if (options->style == AW_STYLE_CSV)
        compile_csv(&c);
    else
        compile_text(&c, has_time);
}
