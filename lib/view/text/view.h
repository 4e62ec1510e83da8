/* Prints records as lines of text, as JSON or CSV, or in the user's format.
 *
 * For each kind of message, a view compiles a list of segments (literal text, then a value) when
 * the first record arrives. It runs the list for every record, without allocation. It prints
 * several million records a second.
 *
 *     struct aw_view_options options = {.style = AW_STYLE_JSON};
 *     struct aw_view *view = aw_view_new(&wire, &options, &err);
 *     char line[AW_VIEW_MAX];
 *     size_t n = aw_view_print_record(view, &rec, line);
 *     {"dir":"rx","msg":"deg","seq":0,"joint":1,"angle":90}\n
 *     aw_view_free(view);
 */
#ifndef AW_VIEW_TEXT_VIEW_H
#define AW_VIEW_TEXT_VIEW_H

#include "view/text/select.h"
#include "view/text/timestamp.h"
#include "wire/wire.h"

#define AW_VIEW_MAX 16384 /* maximum size of a printed record in any style, bytes */

/* The styles that have an option. If several are given, the first one in this list wins. A row has
 * the name in capitals, the option, its letter, value and help. A new style also needs a struct in
 * segments.c to print records, and a function in shell/session/object.c to print rows and results.
 * Compiling fails without them. */
/* clang-format off */
#define AW_EACH_STYLE(X)                                                                           \
    /* one object per line */                                                                      \
    X(JSON, json, 'j', NULL, "print JSON, one object per line")                                    \
    /* a header, then one line a record; grouped fields are label.field */                         \
    X(CSV, csv, 0, NULL, "print CSV with a header")                                                \
    /* prints .format: "%{elbow.position} %{t}"; supports \n and \t */                             \
    X(FORMAT, format, 0, "FORMAT", "print this text for each record, such as '%{t} %{angle}'")
/* clang-format on */

#define AW_STYLE_NUMBER(NAME, name, letter, value, help) AW_STYLE_##NAME,
enum aw_style {
    AW_STYLE_TEXT, /* <- deg seq=2 joint=1 angle=90deg */
    AW_EACH_STYLE(AW_STYLE_NUMBER) AW_STYLES,
};
#undef AW_STYLE_NUMBER

/* Returns true if all lines have the same columns, which a header names. */
bool aw_style_is_table(enum aw_style style);

/* A set of messages: bit i % 64 of bits[i / 64] is message i of the protocol. */
struct aw_messages {
    bool has_any;
    uint64_t bits[AW_MAX_MESSAGES / 64];
};

static inline bool aw_messages_have(const struct aw_messages *messages, size_t i)
{
    return messages->bits[i / 64] >> i % 64 & 1;
}

static inline void aw_messages_add(struct aw_messages *messages, size_t i)
{
    messages->has_any = true;
    messages->bits[i / 64] |= UINT64_C(1) << i % 64;
}

struct aw_view_options {
    enum aw_style style;
    enum aw_time_style time;
    const char *format; /* for AW_STYLE_FORMAT */
    /* selected fields, NULL-terminated, by the rules of select.h; with "t" text also shows the
     * time. NULL: all */
    const char *const *fields;
    bool hides_metadata; /* for AW_STYLE_TEXT without fields: hides metadata (wire/table.h) */
    /* for tables without fields: limits the columns to these messages */
    struct aw_messages messages;
    /* for tables: limits the columns to the repetitions that this record has; NULL: all */
    const struct aw_record *sample;
    /* kinds of subjects in fields; a single name in a format is always a field */
    enum aw_subjects subjects;
};

struct aw_view;

/* Creates a view, which the caller frees. wire must outlive it. Returns NULL on failure. AW_USAGE:
 * no message of the protocol has a field of the format or of fields. */
struct aw_view *aw_view_new(struct aw_wire *wire, const struct aw_view_options *options,
                            struct aw_error *err);
void aw_view_free(struct aw_view *view);

/* Writes a record as one line with a newline, without a NUL, and returns its length. Returns 0 if
 * the record has none of the selected fields. out holds AW_VIEW_MAX bytes. */
size_t aw_view_print_record(struct aw_view *view, const struct aw_record *record, char *out);

/* Returns true if the header has a column for every selected field of this message. */
bool aw_view_covers(const struct aw_view *view, const struct aw_codec *codec);

/* Selects messages from the device by name, for .messages. names ends with NULL; NULL selects all.
 * Among custom messages, which begin at index first_custom, excludes answers to settings. */
struct aw_messages aw_view_select_messages(const struct aw_protocol *protocol,
                                           const char *const *names, size_t first_custom);

/* Returns the limit on CSV columns if there are more fields than columns, else 0. The caller then
 * reports that fields are missing. */
size_t aw_view_column_limit(const struct aw_view *view);

/* Writes the header of a table and returns its length. Returns 0 in other styles. */
size_t aw_view_print_header(struct aw_view *view, char *out);

#endif
