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
    struct aw_second second;
    int odd;    /* first scalar of this record with an undefined value; -1: none */
    bool timed; /* the selected fields include "t", so text shows the time */
    struct columns columns;
    const char *parts[AW_SELECT_MAX + 1]; /* parts of options.fields that name fields */
    struct kind *kinds;                   /* by message */
};

/* Segments for one kind of message, compiled when the first one arrives. */
struct kind {
    /* for incomplete records; for complete records from the device and to it */
    struct segments any, whole[2];
};

/* Returns true for a message that is periodic or answers a query, but not for an answer to a
 * setting. */
static bool is_told(const struct aw_protocol *protocol, const struct aw_message *message)
{
    const struct aw_message *other = protocol->messages;
    for (size_t i = 0; i < protocol->n_messages; i++, other++)
        if (other->code == message->code && other->dir == AW_TX && other->head == message->head)
            return other->reads;
    return message->dir == AW_RX || (protocol->can && message->dir == AW_BOTH);
}

struct aw_messages aw_view_messages(const struct aw_protocol *protocol, const char *const *names,
                                    size_t own)
{
    struct aw_messages messages = {.any = false};
    for (size_t m = 0; m < protocol->n_messages; m++) {
        const struct aw_message *message = &protocol->messages[m];
        const char *const *name = names;
        while (name && *name && strcmp(*name, message->name) != 0)
            name++;
        bool listed = m < own ? !name || *name : is_told(protocol, message);
        if (message->dir & AW_RX && listed)
            aw_messages_add(&messages, m);
    }
    return messages;
}

/* Returns true for a repetition that the sample does not have. */
static bool is_beyond(const struct aw_record *like, const struct aw_codec *codec, int k)
{
    const struct aw_scalar *scalar = &codec->scalars[k];
    if (!like || scalar->count < 0)
        return false;
    double n = aw_record_get(like, codec->scalars[scalar->count].field->name);
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
        covers = !aw_view_picks(&view->options, codec, k) ||
                 find_column(&view->columns, name) < view->columns.n;
    }
    return covers;
}

static void collect_columns(struct aw_view *view)
{
    struct columns *columns = &view->columns;
    for (struct aw_walk at = {0}; aw_walk_next(&at, view->wire, AW_BOTH);) {
        char name[sizeof *columns->name];
        if ((view->options.messages.any &&
             !aw_messages_have(&view->options.messages, at.message)) ||
            !aw_view_picks(&view->options, at.codec, at.scalar) ||
            is_beyond(view->options.like, at.codec, at.scalar))
            continue;
        aw_scalar_name(&at.codec->scalars[at.scalar], name, sizeof name);
        if (find_column(columns, name) < columns->n)
            continue;
        columns->full = columns->n == MAX_COLUMNS;
        if (columns->full)
            return;
        memcpy(columns->name[columns->n++], name, sizeof name);
    }
}

size_t aw_view_room(const struct aw_view *view)
{
    return view->columns.full ? MAX_COLUMNS : 0;
}

/* Checks that a name in a format refers to one value in at least one message. */
static enum aw_status check_reference(struct aw_view *view, const char *name, struct aw_error *err)
{
    const char *part = aw_select_part(name, view->wire);
    for (size_t m = 0; part && m < view->wire->protocol->n_messages; m++)
        if (aw_view_reference(aw_wire_codec_at(view->wire, m), name) >= 0)
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
static void take_parts(struct aw_view *view)
{
    const char *const *field = view->options.fields;
    size_t n = 0;
    bool all = !field;
    for (; field && *field && n < AW_SELECT_MAX; field++) {
        view->timed = view->timed || strcmp(*field, "t") == 0;
        if (aw_select_is_head(*field))
            continue;
        view->parts[n] = aw_select_part(*field, view->wire);
        all = all || !view->parts[n++];
    }
    view->options.fields = all ? NULL : view->parts;
}

static enum aw_status check_options(struct aw_view *view, struct aw_error *err)
{
    enum aw_status status = AW_OK;
    for (const char *const *f = view->options.fields; f && *f && status == AW_OK; f++)
        status = check_field(view, *f, view->options.subjects, err);
    if (status == AW_OK && view->options.style == AW_STYLE_FORMAT)
        status = check_format(view, err);
    if (status == AW_OK)
        take_parts(view);
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

static char *put(char *out, const char *text, size_t length)
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

static char *no_value(char *out, const struct aw_view *view)
{
    return stpcpy(out, view->style->nothing);
}

static char *view_time(char *out, struct aw_view *view, const struct aw_record *record)
{
    enum aw_time_style style = view->options.time;
    const char *quote = style == AW_TIME_ISO ? view->style->quote : "";
    if (record->time_ns == AW_NO_TIME)
        return no_value(out, view);
    out = stpcpy(out, quote);
    out = aw_print_time(out, style, record->time_ns, view->first_ns, view->previous_ns,
                        &view->second);
    return stpcpy(out, quote);
}

static char *print_named(char *out, const char *name, double value, const struct segment *segment)
{
    bool quoted = segment->quoted, steps = segment->decimals && segment->decimals != 7;
    if (!name)
        return aw_print_how(out, value,
                            value == floor(value) ? HOW_INT
                            : steps               ? HOW_FIXED
                                                  : HOW_FLOAT,
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
        return no_value(out, view);
    if (segment->names) {
        const char *name =
            segment->wire_names
                ? aw_row_value_name(record->codec->scalars[segment->scalar].field, value)
                : aw_value_name(segment->names, value);
        if (!name && segment->closed && view->odd < 0)
            view->odd = segment->scalar;
        if (segment->how == HOW_NAMED)
            return print_named(out, name, value, segment);
    }
    if (segment->worded) {
        const char *word = aw_value_word(record, segment->scalar);
        if (word)
            return put(out, word, strlen(word));
    }
    out = aw_print_how(out, value, segment->how, segment->decimals);
    if (segment->unit)
        return put(out, segment->unit, segment->unit_length);
    if (!segment->with_unit || !record->codec->scalars[segment->scalar].field->by)
        return out;
    const char *unit = aw_scalar_range(record->codec, segment->scalar, record).unit;
    return unit ? put(out, unit, strlen(unit)) : out;
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
    int odd = view->odd >= 0 ? view->odd : record->odd;
    const struct aw_scalar *scalar = &record->codec->scalars[odd];
    aw_scalar_name(scalar, name, sizeof name);
    if (odd && scalar->value)
        return out + sprintf(out, "%s%s %.9g has no meaning%s", mark[0], name,
                             view->odd >= 0 ? record->v[odd] : (double)record->odd_number, mark[1]);
    return odd ? out + sprintf(out, "%s%s is %llu instead of %llu%s", mark[0], name,
                               (unsigned long long)record->odd_number,
                               (unsigned long long)aw_fixed_value(record->codec, scalar, NULL),
                               mark[1])
               : out;
}

static char *print_number(char *out, struct aw_view *view, const struct aw_record *record,
                          const struct segment *segment)
{
    double value = record->v[segment->scalar];
    if (!(fabs(value) < 0x1p63)) /* not finite, or too large */
        return print_value(out, view, record, segment);
    switch (segment->how) {
    case HOW_INT:
        return aw_print_int(out, (int64_t)value);
    case HOW_FIXED:
        return aw_print_fixed(out, value, segment->decimals);
    case HOW_DOUBLE:
        return aw_print_how(out, value, HOW_DOUBLE, 0);
    default:
        return aw_print_float32(out, (float)value);
    }
}

static char *print_word(char *out, struct aw_view *view, const struct segments *segments,
                        const struct aw_record *record, const struct segment *segment)
{
    const struct words *words = &segments->words[segment->words];
    double value = record->v[segment->scalar], place = (value - words->first) * words->rate;
    int i = place >= 0 && place < words->n ? (int)place : 0;
    if (value != words->first + words->step * i)
        return print_value(out, view, record, segment);
    return put_blocks(out, segments->pool + words->list[i].text, words->list[i].length);
}

static char *run_segment(char *out, struct aw_view *view, const struct segments *segments,
                         const struct aw_record *record, const struct segment *segment)
{
    switch (segment->what) {
    case WHAT_NUMBER:
        return print_number(out, view, record, segment);
    case WHAT_WORD:
        return print_word(out, view, segments, record, segment);
    case WHAT_SCALAR:
        return print_value(out, view, record, segment);
    case WHAT_TIME:
        return view_time(out, view, record);
    case WHAT_DIR:
        return put(out, view->style->dir[record->dir == AW_TX], 2);
    case WHAT_MSG:
        return put(out, record->codec->message->name, strlen(record->codec->message->name));
    case WHAT_NAME:
        return print_name(out, view, record);
    case WHAT_MARK:
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
    view->odd = -1;
    for (; segment < end; segment++) {
        if (segment->needs & absent) {
            segment += segment->skip;
            continue;
        }
        out = put_blocks(out, segments->pool + segment->text, segment->length);
        if (segment->what != WHAT_NOTHING)
            out = run_segment(out, view, segments, record, segment);
    }
    return out;
}

static void compile(struct aw_view *view, struct kind *kind, const struct aw_record *like)
{
    enum aw_time_style time = view->options.time;
    bool usual = view->timed || view->style->timed;
    bool timed = time ? time != AW_TIME_NONE : usual;
    aw_segments_compile(&kind->any, like->codec, &view->options, &view->columns,
                        timed && like->time_ns != AW_NO_TIME);
    for (int i = 0; i < 2; i++)
        aw_segments_join(&kind->whole[i], &kind->any, view->style, i ? AW_TX : AW_RX);
}

size_t aw_view_record(struct aw_view *view, const struct aw_record *record, char *out)
{
    struct kind *kind = &view->kinds[record->codec - view->wire->codecs];
    if (!kind->any.codec)
        compile(view, kind, record);
    if (!kind->any.usable)
        return 0;
    bool whole = !(kind->any.needs & ~record->present);
    const struct segments *segments = whole ? &kind->whole[record->dir == AW_TX] : &kind->any;
    if (view->first_ns == AW_NO_TIME)
        view->first_ns = view->previous_ns = record->time_ns;
    char *end = run_segments(out, view, segments, record);
    if (record->time_ns != AW_NO_TIME)
        view->previous_ns = record->time_ns;
    return (size_t)(end - out);
}

size_t aw_view_header(struct aw_view *view, char *out)
{
    char between = view->style->column;
    if (!between)
        return 0;
    char *end = out + sprintf(out, "t%cdir%cmsg", between, between);
    for (size_t i = 0; i < view->columns.n; i++) {
        *end++ = between;
        end = put(end, view->columns.name[i], strlen(view->columns.name[i]));
    }
    *end++ = '\n';
    return (size_t)(end - out);
}
