/* Runs the compiled segments over each record, and parses --fields and --format. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/number.h"
#include "view/text/segment.h"
#include "view/text/select.h"
#include "view/text/value.h"
#include "wire/rows.h"
#include "wire/run.h"

#define FORMAT_MAX 1024 /* maximum length of a --format, so that its segments fit */
struct aw_view {
    struct aw_wire *wire;
    struct aw_view_options options;
    const struct style *style;
    int64_t first_ns, previous_ns;
    struct aw_cached_second second;
    int undefined;   /* first scalar of this record with an undefined value; -1: none */
    bool shows_time; /* the selected fields include "t", so text shows the time */
    struct columns columns;
    const char *parts[AW_SELECT_MAX + 1]; /* parts of options.fields that name fields */
    struct message_segments *kinds;       /* one per message */
};

/* Segments for one kind of message, compiled when the first one arrives. */
struct message_segments {
    /* for incomplete records; for complete records from the device and to it */
    struct segments partial, complete[2];
};

/* Returns true for a message that is periodic or answers a query, but not for an answer to a
 * setting. */
static bool is_report(const struct aw_protocol *protocol, const struct aw_message *message)
{
    const struct aw_message *other = protocol->messages;
    for (size_t i = 0; i < protocol->n_messages; i++, other++)
        if (other->code == message->code && other->dir == AW_TX && other->head == message->head)
            return other->reads;
    return message->dir == AW_RX || (protocol->frames.is_can && message->dir == AW_BOTH);
}

struct aw_messages aw_view_select_messages(const struct aw_protocol *protocol,
                                           const char *const *names, size_t first_custom)
{
    struct aw_messages messages = {.has_any = false};
    for (size_t m = 0; m < protocol->n_messages; m++) {
        const struct aw_message *message = &protocol->messages[m];
        const char *const *name = names;
        while (name && *name && strcmp(*name, message->name) != 0)
            name++;
        bool listed = m < first_custom ? !name || *name : is_report(protocol, message);
        if (message->dir & AW_RX && listed)
            aw_messages_add(&messages, m);
    }
    return messages;
}

/* Returns true for a repetition that the sample does not have. */
static bool is_beyond(const struct aw_record *sample, const struct aw_codec *codec, int k)
{
    const struct aw_scalar *scalar = &codec->scalars[k];
    if (!sample || scalar->count_by < 0)
        return false;
    double n = aw_record_get(sample, codec->scalars[scalar->count_by].field->name);
    return scalar->repetition >= n;
}

static size_t find_column(const struct columns *columns, const char *name)
{
    size_t i = 0;
    while (i < columns->n && strcmp(columns->name[i], name) != 0)
        i++;
    return i;
}

bool aw_view_covers(const struct aw_view *view, const struct aw_codec *codec)
{
    char name[sizeof *view->columns.name];
    bool covers = true;
    for (int k = 0; k < codec->n_scalars && covers; k++) {
        aw_scalar_name(&codec->scalars[k], name, sizeof name);
        covers = !aw_view_selects(&view->options, codec, k) ||
                 find_column(&view->columns, name) < view->columns.n;
    }
    return covers;
}

static void collect_columns(struct aw_view *view)
{
    struct columns *columns = &view->columns;
    for (struct aw_walk at = {0}; aw_walk_next(&at, view->wire, AW_BOTH);) {
        char name[sizeof *columns->name];
        if ((view->options.messages.has_any &&
             !aw_messages_have(&view->options.messages, at.message)) ||
            !aw_view_selects(&view->options, at.codec, at.scalar) ||
            is_beyond(view->options.sample, at.codec, at.scalar))
            continue;
        aw_scalar_name(&at.codec->scalars[at.scalar], name, sizeof name);
        if (find_column(columns, name) < columns->n)
            continue;
        columns->overflow = columns->n == MAX_COLUMNS;
        if (columns->overflow)
            return;
        memcpy(columns->name[columns->n++], name, sizeof name);
    }
}

size_t aw_view_column_limit(const struct aw_view *view)
{
    return view->columns.overflow ? MAX_COLUMNS : 0;
}

/* Checks that a name in a format refers to one value in at least one message. */
static enum aw_status check_reference(struct aw_view *view, const char *name, struct aw_error *err)
{
    const char *part = aw_select_field_part(name, view->wire);
    for (size_t m = 0; part && m < view->wire->protocol->n_messages; m++)
        if (aw_view_find_reference(aw_wire_codec_at(view->wire, m), name) >= 0)
            return AW_OK;
    return aw_fail(err, AW_USAGE, "%%{%.40s} is ambiguous: several values match — name one of them",
                   name);
}

/* Checks a name by the rules of select.h. */
static enum aw_status check_field(struct aw_view *view, const char *name, enum aw_subjects subjects,
                                  struct aw_error *err)
{
    struct aw_select select = {.n = 1, .pattern = {name}};
    if (aw_select_is_head(name))
        return AW_OK;
    struct aw_names *names = aw_names_new(view->wire, err);
    enum aw_status status = names ? aw_select_check(&select, names, subjects, err) : AW_NO_MEMORY;
    free(names);
    return status;
}

static enum aw_status check_format(struct aw_view *view, struct aw_error *err)
{
    enum aw_status status = AW_OK;
    const char *p = view->options.format;
    enum aw_subjects subjects = view->options.subjects ? AW_SUBJECTS_BEFORE : AW_SUBJECTS_KNOWN;
    if (strlen(p) > FORMAT_MAX)
        return aw_fail(err, AW_USAGE, "format longer than %d characters — shorten it", FORMAT_MAX);
    for (int n = 0; status == AW_OK && (p = strstr(p, "%{")); n++) {
        const char *close = strchr(p, '}');
        char name[64];
        if (n == AW_MAX_SCALARS)
            return aw_fail(err, AW_USAGE, "more than %d references in a format — remove some",
                           AW_MAX_SCALARS);
        if (!close || close - p > 60)
            return aw_fail(err, AW_USAGE, "'%.40s': invalid reference — write %%{FIELD}", p);
        snprintf(name, sizeof name, "%.*s", (int)(close - p - 2), p + 2);
        /* checks again below, because a subject alone has several values */
        status = check_field(view, name, subjects, err);
        if (status == AW_OK && !aw_select_is_head(name))
            status = check_reference(view, name, err);
        p = close;
    }
    return status;
}

/* Extracts from each name the part that names fields. Selects all fields if a name is only a
 * subject. */
static void extract_parts(struct aw_view *view)
{
    const char *const *field = view->options.fields;
    size_t n = 0;
    bool wants_all = !field;
    for (; field && *field && n < AW_SELECT_MAX; field++) {
        view->shows_time = view->shows_time || strcmp(*field, "t") == 0;
        if (aw_select_is_head(*field))
            continue;
        view->parts[n] = aw_select_field_part(*field, view->wire);
        wants_all = wants_all || !view->parts[n++];
    }
    view->options.fields = wants_all ? NULL : view->parts;
}

static enum aw_status check_options(struct aw_view *view, struct aw_error *err)
{
    enum aw_status status = AW_OK;
    for (const char *const *f = view->options.fields; f && *f && status == AW_OK; f++)
        status = check_field(view, *f, view->options.subjects, err);
    if (status == AW_OK && view->options.style == AW_STYLE_FORMAT)
        status = check_format(view, err);
    if (status == AW_OK)
        extract_parts(view);
    return status;
}

struct aw_view *aw_view_new(struct aw_wire *wire, const struct aw_view_options *options,
                            struct aw_error *err)
{
    struct aw_view *view = calloc(1, sizeof *view);
    if (view)
        view->kinds = calloc(wire->protocol->n_messages, sizeof *view->kinds);
    if (!view || !view->kinds) {
        aw_no_memory(err);
        free(view);
        return NULL;
    }
    view->wire = wire;
    view->options = *options;
    view->style = aw_view_style(options->style);
    view->first_ns = view->previous_ns = AW_NO_TIME;
    if (check_options(view, err) != AW_OK) {
        aw_view_free(view);
        return NULL;
    }
    if (view->style->column)
        collect_columns(view);
    return view;
}

void aw_view_free(struct aw_view *view)
{
    if (!view)
        return;
    free(view->kinds);
    free(view);
}

static char *put_text(char *out, const char *text, size_t length)
{
    memcpy(out, text, length);
    return out + length;
}

/* Copies from the pool in whole blocks, which is faster for short texts. */
static inline char *put_blocks(char *out, const char *text, size_t length)
{
    size_t i = 0;
    do
        memcpy(out + i, text + i, COPY_BLOCK);
    while ((i += COPY_BLOCK) < length);
    return out + length;
}

static char *put_missing(char *out, const struct aw_view *view)
{
    return stpcpy(out, view->style->missing);
}

static char *print_record_time(char *out, struct aw_view *view, const struct aw_record *record)
{
    enum aw_time_style style = view->options.time;
    const char *quote = style == AW_TIME_ISO ? view->style->quote : "";
    if (record->time_ns == AW_NO_TIME)
        return put_missing(out, view);
    out = stpcpy(out, quote);
    out = aw_print_time(out, style, record->time_ns, view->first_ns, view->previous_ns,
                        &view->second);
    return stpcpy(out, quote);
}

static char *print_named(char *out, const char *name, double value, const struct segment *segment)
{
    bool quoted = segment->quoted, is_fixed = segment->decimals && segment->decimals != 7;
    if (!name)
        return aw_print_formatted(out, value,
                                  value == floor(value) ? FORMAT_INT
                                  : is_fixed            ? FORMAT_FIXED
                                                        : FORMAT_FLOAT,
                                  segment->decimals);
    if (quoted)
        *out++ = '"';
    out = stpcpy(out, name);
    if (quoted)
        *out++ = '"';
    return out;
}

static char *print_value(char *out, struct aw_view *view, const struct aw_record *record,
                         const struct segment *segment)
{
    double value = record->v[segment->scalar];
    if (isnan(value))
        return put_missing(out, view);
    if (segment->names) {
        const char *name =
            segment->wire_names
                ? aw_row_value_name(record->codec->scalars[segment->scalar].field, value)
                : aw_value_name(segment->names, value);
        if (!name && segment->names_only && view->undefined < 0)
            view->undefined = segment->scalar;
        if (segment->format == FORMAT_NAMED)
            return print_named(out, name, value, segment);
    }
    if (segment->has_special) {
        const char *word = aw_value_special_name(record, segment->scalar);
        if (word)
            return put_text(out, word, strlen(word));
    }
    out = aw_print_formatted(out, value, segment->format, segment->decimals);
    if (segment->unit.text)
        return put_text(out, segment->unit.text, segment->unit.length);
    if (!segment->unit.shown || !record->codec->scalars[segment->scalar].field->scaled_by)
        return out;
    const char *unit = aw_scalar_range(record->codec, segment->scalar, record).unit;
    return unit ? put_text(out, unit, strlen(unit)) : out;
}

/* Prints a name from the wire, with unprintable characters replaced. */
static char *print_name(char *out, const struct aw_view *view, const struct aw_record *record)
{
    out = stpcpy(out, view->style->quote);
    for (const char *p = record->text; *p; p++)
        *out++ = *p > ' ' && *p < 127 && *p != '"' && *p != '\\' && *p != ',' ? *p : '?';
    return stpcpy(out, view->style->quote);
}

/* Prints the anomaly of a record: a value without a meaning, or a wrong constant. */
static char *print_mark(char *out, const struct aw_view *view, const struct aw_record *record)
{
    const char *const *mark = view->style->mark;
    char name[64];
    int scalar_index = view->undefined >= 0 ? view->undefined : record->odd_scalar;
    const struct aw_scalar *scalar = &record->codec->scalars[scalar_index];
    aw_scalar_name(scalar, name, sizeof name);
    if (scalar_index && scalar->has_value)
        return out +
               sprintf(out, "%s%s %.9g has no meaning%s", mark[0], name,
                       view->undefined >= 0 ? record->v[scalar_index] : (double)record->odd_number,
                       mark[1]);
    return scalar_index
               ? out + sprintf(out, "%s%s is %llu instead of %llu%s", mark[0], name,
                               (unsigned long long)record->odd_number,
                               (unsigned long long)aw_row_constant(record->codec, scalar, NULL),
                               mark[1])
               : out;
}

static char *print_number(char *out, struct aw_view *view, const struct aw_record *record,
                          const struct segment *segment)
{
    double value = record->v[segment->scalar];
    if (!(fabs(value) < 0x1p63)) /* not finite, or too large */
        return print_value(out, view, record, segment);
    switch (segment->format) {
    case FORMAT_INT:
        return aw_print_int(out, (int64_t)value);
    case FORMAT_FIXED:
        return aw_print_fixed(out, value, segment->decimals);
    case FORMAT_DOUBLE:
        return aw_print_formatted(out, value, FORMAT_DOUBLE, 0);
    default:
        return aw_print_float32(out, (float)value);
    }
}

static char *print_word(char *out, struct aw_view *view, const struct segments *segments,
                        const struct aw_record *record, const struct segment *segment)
{
    const struct word_list *words = &segments->words[segment->words];
    double value = record->v[segment->scalar], index = (value - words->first) * words->rate;
    int i = index >= 0 && index < words->n ? (int)index : 0;
    if (value != words->first + words->step * i)
        return print_value(out, view, record, segment);
    return put_blocks(out, segments->pool + words->list[i].text, words->list[i].length);
}

static char *run_segment(char *out, struct aw_view *view, const struct segments *segments,
                         const struct aw_record *record, const struct segment *segment)
{
    switch (segment->kind) {
    case KIND_NUMBER:
        return print_number(out, view, record, segment);
    case KIND_WORD:
        return print_word(out, view, segments, record, segment);
    case KIND_SCALAR:
        return print_value(out, view, record, segment);
    case KIND_TIME:
        return print_record_time(out, view, record);
    case KIND_DIR:
        return put_text(out, view->style->dir[record->dir == AW_TX], 2);
    case KIND_MSG:
        return put_text(out, record->codec->message->name, strlen(record->codec->message->name));
    case KIND_NAME:
        return print_name(out, view, record);
    case KIND_MARK:
        return print_mark(out, view, record);
    default:
        return out;
    }
}

static char *run_segments(char *out, struct aw_view *view, const struct segments *segments,
                          const struct aw_record *record)
{
    const struct segment *segment = segments->list, *end = segment + segments->n;
    uint64_t absent = ~record->present;
    view->undefined = -1;
    for (; segment < end; segment++) {
        if (segment->needs & absent) {
            segment += segment->skip;
            continue;
        }
        out = put_blocks(out, segments->pool + segment->text, segment->length);
        if (segment->kind != KIND_NONE)
            out = run_segment(out, view, segments, record, segment);
    }
    return out;
}

static void compile(struct aw_view *view, struct message_segments *kind,
                    const struct aw_record *sample)
{
    enum aw_time_style time = view->options.time;
    bool is_default = view->shows_time || view->style->shows_time;
    bool has_time = time ? time != AW_TIME_NONE : is_default;
    aw_segments_compile(&kind->partial, sample->codec, &view->options, &view->columns,
                        has_time && sample->time_ns != AW_NO_TIME);
    for (int i = 0; i < 2; i++)
        aw_segments_join(&kind->complete[i], &kind->partial, view->style, i ? AW_TX : AW_RX);
}

size_t aw_view_print_record(struct aw_view *view, const struct aw_record *record, char *out)
{
    struct message_segments *kind = &view->kinds[record->codec - view->wire->codecs];
    if (!kind->partial.codec)
        compile(view, kind, record);
    if (!kind->partial.has_fields)
        return 0;
    bool is_complete = !(kind->partial.needs & ~record->present);
    const struct segments *segments =
        is_complete ? &kind->complete[record->dir == AW_TX] : &kind->partial;
    if (view->first_ns == AW_NO_TIME)
        view->first_ns = view->previous_ns = record->time_ns;
    char *end = run_segments(out, view, segments, record);
    if (record->time_ns != AW_NO_TIME)
        view->previous_ns = record->time_ns;
    return (size_t)(end - out);
}

size_t aw_view_print_header(struct aw_view *view, char *out)
{
    char separator = view->style->column;
    if (!separator)
        return 0;
    char *end = out + sprintf(out, "t%cdir%cmsg", separator, separator);
    for (size_t i = 0; i < view->columns.n; i++) {
        *end++ = separator;
        end = put_text(end, view->columns.name[i], strlen(view->columns.name[i]));
    }
    *end++ = '\n';
    return (size_t)(end - out);
}
