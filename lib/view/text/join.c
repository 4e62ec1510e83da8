/* Joins the segments of a message for complete records. The literal text between two values becomes
 * one piece, and the format of each value is determined in advance. */
#include <string.h>

#include "view/text/segment.h"
#include "view/text/value.h"

static void append_text(struct segments *out, const char *text, size_t length)
{
    memcpy(out->pool + out->used, text, length);
    out->used = (uint16_t)(out->used + length);
}

/* Adds a segment whose literal text starts at *start, and moves *start to the end of the text. */
static void add_segment(struct segments *out, struct segment segment, uint16_t *start)
{
    segment.text = *start;
    segment.length = (uint16_t)(out->used - *start);
    out->list[out->n++] = segment;
    *start = out->used;
}

/* Returns the text of a segment that is the same in all records of this message and direction;
 * NULL: it varies. */
static const char *get_constant_text(const struct segment *segment, const char *message,
                                     const struct style *style, enum aw_dir dir)
{
    if (segment->kind == KIND_DIR)
        return style->dir[dir == AW_TX];
    return segment->kind == KIND_MSG ? message : NULL;
}

static void join_texts(struct segments *out, const struct segments *from, const struct style *style,
                       enum aw_dir dir)
{
    const char *message = from->codec->message->name;
    uint16_t start = 0;
    for (size_t i = 0; i < from->n; i++) {
        const struct segment *segment = &from->list[i];
        append_text(out, from->pool + segment->text, segment->length);
        const char *text = get_constant_text(segment, message, style, dir);
        size_t length = text ? strlen(text) : 0;
        /* leaves room for all following texts */
        if (text && out->used + length + from->used <= sizeof out->pool - COPY_BLOCK)
            append_text(out, text, length);
        else if (segment->kind != KIND_NONE)
            add_segment(out, *segment, &start);
    }
    add_segment(out, (struct segment){.kind = KIND_NONE}, &start);
}

static void add_word(struct segments *out, struct word_list *words, const char *name, bool quoted)
{
    uint16_t start = out->used;
    append_text(out, "\"", quoted);
    append_text(out, name, strlen(name));
    append_text(out, "\"", quoted);
    words->list[words->n].text = start;
    words->list[words->n++].length = (uint16_t)(out->used - start);
}

/* Adds the names of values that have equal distances, as in most tables. */
static void add_words(struct segments *out, const struct aw_name *names, bool quoted)
{
    struct word_list *words = &out->words[out->n_words++];
    *words = (struct word_list){.names = names, .first = names->value};
    words->step = names[1].name ? names[1].value - words->first : 1;
    words->rate = 1 / words->step;
    for (const struct aw_name *name = names; name->name && words->n < MAX_WORDS; name++)
        if (out->used + strlen(name->name) + 2 < sizeof out->pool - COPY_BLOCK &&
            name->value == words->first + words->step * words->n)
            add_word(out, words, name->name, quoted);
}

/* Assigns a list of words to the segment of a scalar. Several scalars may share a list. */
static void find_words(struct segments *out, struct segment *segment)
{
    uint8_t i = 0;
    while (i < out->n_words && out->words[i].names != segment->names)
        i++;
    if (i == MAX_WORDS)
        return;
    if (i == out->n_words)
        add_words(out, segment->names, segment->quoted);
    segment->words = i;
    segment->kind = KIND_WORD;
}

void aw_segments_join(struct segments *out, const struct segments *from, const struct style *style,
                      enum aw_dir dir)
{
    out->n = out->used = out->n_words = 0;
    join_texts(out, from, style, dir);
    for (size_t i = 0; i < out->n; i++) {
        struct segment *segment = &out->list[i];
        if (segment->kind != KIND_SCALAR || segment->unit.shown)
            continue;
        if (segment->format == FORMAT_NAMED && !segment->wire_names)
            find_words(out, segment);
        else if (!segment->names)
            segment->kind = KIND_NUMBER;
    }
}
