/* Matches the names of values with the patterns of --fields, watch and plot. */
#include "view/text/select.h"

#include <ctype.h>
#include <fnmatch.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/suggest.h"
#include "base/text.h"

#define KNOWN_MAX 1024

bool aw_select_is_head(const char *name)
{
    return aw_is_one_of((const char *const[]){"t", "dir", "msg", NULL}, name);
}

enum aw_status aw_select_add(struct aw_select *select, const char *pattern, struct aw_error *err)
{
    if (select->n == AW_SELECT_MAX)
        return aw_fail(err, AW_USAGE, "more than %d fields — use a pattern such as 'm1.*'",
                       AW_SELECT_MAX);
    select->pattern[select->n++] = pattern;
    return AW_OK;
}

static const char *find_glob(const char *pattern)
{
    return strpbrk(pattern, "*?[");
}

/* Returns true if the pattern matches the whole name, or its first parts up to a dot: a group, a
 * subject. */
static bool matches(const char *pattern, const char *name)
{
    size_t length = strlen(pattern);
    if (strncmp(name, pattern, length) == 0 && (name[length] == '\0' || name[length] == '.'))
        return true;
    return find_glob(pattern) && fnmatch(pattern, name, 0) == 0;
}

/* Returns true if the pattern is the last part of a name, such as the position of each joint. */
static bool matches_end(const char *pattern, const char *name)
{
    const char *dot = strrchr(name, '.');
    return dot && strcmp(pattern, dot + 1) == 0;
}

static bool matches_parts(const char *pattern, const char *first, const char *second,
                          const char *third)
{
    char name[AW_POINT_NAME];
    aw_point_join(name, (const char *[]){first, second, third}, 3);
    return matches(pattern, name);
}

static bool matches_name(const char *pattern, const struct aw_point *point)
{
    const char *subject = point->subject, *message = point->message, *field = point->field;
    return matches(pattern, point->name) || matches(pattern, field) ||
           matches_end(pattern, field) ||
           (*message && matches_parts(pattern, message, field, "")) ||
           (*subject && (matches_parts(pattern, subject, field, "") ||
                         matches_parts(pattern, subject, message, field)));
}

/* Returns true if the pattern matches the name with the joint's alias: "elbow.position" for
 * m3.position. */
static bool matches_alias(const char *pattern, const struct aw_point *point)
{
    const struct aw_scalar *scalar = point->codec ? &point->codec->scalars[point->scalar] : NULL;
    const char *alias = !scalar ? NULL : scalar->label ? scalar->alias : scalar->field->alias;
    char field[AW_POINT_NAME];
    if (!alias)
        return false;
    aw_point_join(field, (const char *[]){alias, scalar->label ? scalar->field->name : ""}, 2);
    return matches(pattern, field) || matches_parts(pattern, point->message, field, "");
}

/* Returns true if the pattern matches by number: "3" or "3.force.z" for a message with id 3, whose
 * subject may have any name. */
static bool matches_number(const char *pattern, const struct aw_point *point)
{
    char *rest;
    if (!isdigit((unsigned char)*pattern) || !point->record)
        return false;
    unsigned long number = strtoul(pattern, &rest, 10);
    int scalar = aw_codec_find(point->codec, "id");
    if ((*rest && *rest != '.') || scalar < 0 || point->record->v[scalar] != (double)number)
        return false;
    return !*rest || matches_name(rest + 1, point);
}

static bool matches_point(const char *pattern, const struct aw_point *point)
{
    return matches_name(pattern, point) || matches_number(pattern, point) ||
           matches_alias(pattern, point);
}

int aw_select_match(const struct aw_select *select, const struct aw_point *point)
{
    for (size_t i = 0; i < select->n; i++)
        if (matches_point(select->pattern[i], point))
            return (int)i;
    return select->n ? -1 : 0;
}

bool aw_select_matches_any(const char *pattern, const struct aw_point *points, size_t n)
{
    const struct aw_select single = {.n = 1, .pattern = {pattern}};
    size_t i = 0;
    while (i < n && aw_select_match(&single, &points[i]) < 0)
        i++;
    return i < n;
}

size_t aw_select_mark_found(const struct aw_select *select, bool *found,
                            const struct aw_point *points, size_t n)
{
    for (size_t i = 0; i < select->n; i++)
        found[i] = found[i] || aw_select_matches_any(select->pattern[i], points, n);
    return aw_select_find_missing(select, found);
}

bool aw_select_matches_field(const char *pattern, const struct aw_codec *codec, int scalar)
{
    struct aw_point point = {.subject = "*",
                             .message = codec->message->name,
                             .name = "*.",
                             .codec = codec,
                             .scalar = scalar};
    if (!codec->scalars[scalar].has_value)
        return false;
    aw_scalar_name(&codec->scalars[scalar], point.name + 2, sizeof point.name - 2);
    point.field = point.name + 2;
    return matches_point(pattern, &point);
}

static bool matches_wire(const char *pattern, enum aw_dir dir, struct aw_wire *wire)
{
    for (struct aw_walk at = {0}; aw_walk_next(&at, wire, dir);)
        if (aw_select_matches_field(pattern, at.codec, at.scalar))
            return true;
    return false;
}

/* Returns the named values of a field in the head, such as boards, which are subjects. */
static const struct aw_name *get_subjects(const struct aw_codec *codec, int scalar)
{
    const struct aw_field *field = codec->scalars[scalar].field;
    const struct aw_field *row = codec->message->head ? codec->message->head : codec->variant->head;
    while (row && row->type != AW_ROWS_END && row != field)
        row++;
    return row == field ? field->names : NULL;
}

/* Returns true if the first length bytes are a subject that has a name in the wire table. */
static bool is_subject(const char *text, size_t length, struct aw_wire *wire)
{
    for (struct aw_walk at = {0}; aw_walk_next(&at, wire, AW_BOTH);) {
        const struct aw_name *name = get_subjects(at.codec, at.scalar);
        for (; name && name->name; name++)
            if (aw_name_equals(name->name, text, length))
                return true;
    }
    return false;
}

bool aw_select_is_fields_only(const struct aw_select *select, struct aw_wire *wire,
                              enum aw_subjects subjects)
{
    bool fields_only = subjects != AW_SUBJECTS_ANY;
    for (size_t i = 0; i < select->n && fields_only; i++) {
        const char *pattern = select->pattern[i];
        fields_only = !strchr(pattern, '.') && !find_glob(pattern) &&
                      !isdigit((unsigned char)*pattern) && matches_wire(pattern, AW_BOTH, wire) &&
                      !is_subject(pattern, strlen(pattern), wire);
    }
    return fields_only;
}

/* Finds the next message, beginning at index *m, whose name and a dot are the start of text; NULL:
 * no such message. */
static const struct aw_codec *next_qualifier(const char *text, struct aw_wire *wire, size_t *m)
{
    while (*m < wire->protocol->n_messages) {
        const struct aw_codec *codec = aw_wire_codec_at(wire, (*m)++);
        size_t length = strlen(codec->message->name);
        if (strncmp(codec->message->name, text, length) == 0 && text[length] == '.')
            return codec;
    }
    return NULL;
}

static bool has_field(const struct aw_codec *codec, const char *pattern)
{
    int i = 0;
    while (i < codec->n_scalars && !aw_select_matches_field(pattern, codec, i))
        i++;
    return i < codec->n_scalars;
}

/* Returns true if the text is a message and one of its fields: "kp.value". */
static bool is_qualified(const char *text, struct aw_wire *wire)
{
    const struct aw_codec *codec;
    size_t m = 0;
    while ((codec = next_qualifier(text, wire, &m)) && !has_field(codec, text))
        ;
    return codec;
}

/* Allows only fields of received messages after an unknown subject. So "hip.axis2" is a subject,
 * although a command has a field "axis2". */
const char *aw_select_field_part(const char *pattern, struct aw_wire *wire)
{
    if (matches_wire(pattern, AW_BOTH, wire))
        return pattern;
    for (const char *dot = strchr(pattern, '.'); dot; dot = strchr(dot + 1, '.')) {
        bool is_known = is_subject(pattern, (size_t)(dot - pattern), wire);
        if (matches_wire(dot + 1, is_known ? AW_BOTH : AW_RX, wire) || is_qualified(dot + 1, wire))
            return dot + 1;
    }
    return NULL;
}

/* ---- Before the first message ---- */

struct known {
    bool allows_numbers; /* a subject without a name may be given by its number */
    size_t n;
    const char *name[KNOWN_MAX];
};

static void add_known(struct known *known, const char *name)
{
    for (size_t i = 0; i < known->n; i++)
        if (known->name[i] == name)
            return;
    if (known->n < KNOWN_MAX && name)
        known->name[known->n++] = name;
}

/* Collects names for suggestions. Of two equally similar names, the first one is suggested, so
 * fields precede messages. */
static void collect_names(const struct aw_names *names, struct known *known)
{
    const struct aw_protocol *protocol = names->wire->protocol;
    for (struct aw_walk at = {0}; aw_walk_next(&at, names->wire, AW_BOTH);) {
        const struct aw_scalar *scalar = &at.codec->scalars[at.scalar];
        const struct aw_name *value = get_subjects(at.codec, at.scalar);
        add_known(known, names->field[at.message][at.scalar]);
        add_known(known, scalar->label);
        add_known(known, scalar->label ? scalar->alias : scalar->field->alias);
        add_known(known, scalar->field->name);
        for (; value && value->name; value++)
            add_known(known, value->name);
    }
    for (size_t m = 0; m < protocol->n_messages; m++)
        add_known(known, protocol->messages[m].name);
}

/* Returns true if the first length bytes are a known name, or several ones joined by dots:
 * "lknee.joint". */
static bool is_known(const struct known *known, const char *text, size_t length)
{
    if (known->allows_numbers && isdigit((unsigned char)*text))
        return true;
    for (size_t i = 0; i < known->n; i++) {
        size_t name_length = strlen(known->name[i]);
        if (name_length > length || strncmp(known->name[i], text, name_length) != 0)
            continue;
        if (name_length == length ||
            (text[name_length] == '.' &&
             is_known(known, text + name_length + 1, length - name_length - 1)))
            return true;
    }
    return false;
}

static bool matches_any(const char *part, const struct known *known)
{
    for (size_t i = 0; i < known->n; i++)
        if (matches(part, known->name[i]) || matches_end(part, known->name[i]))
            return true;
    return false;
}

/* Returns true if the pattern is a known name, or a subject, a dot and a known name. A subject is
 * any string (any_subject) or a known name. */
static bool is_possible(const char *pattern, const struct known *known, bool any_subject)
{
    const char *dot = strchr(pattern, '.'), *glob = find_glob(pattern);
    if (matches_any(pattern, known) || (any_subject && glob && !dot))
        return true;
    for (; dot; dot = strchr(dot + 1, '.'))
        if (matches_any(dot + 1, known) && (any_subject || (glob && glob < dot) ||
                                            is_known(known, pattern, (size_t)(dot - pattern))))
            return true;
    return false;
}

/* Returns the most similar name for the whole pattern. Without one, returns that for the rest
 * after the first dot, and sets *valid_length to the length of the part before. */
static const char *find_similar(const char *pattern, const struct known *known, int *valid_length)
{
    const char *similar = aw_suggest(pattern, known->name, known->n), *dot = strchr(pattern, '.');
    *valid_length = 0;
    if (similar || !dot || matches_any(dot + 1, known))
        return similar;
    *valid_length = (int)(dot + 1 - pattern);
    return aw_suggest(dot + 1, known->name, known->n);
}

/* Lists the fields that the device sends, each one once, as many as fit. */
static const char *list_fields(const struct aw_names *names, char *out, size_t size)
{
    const size_t room = size - strlen(", …");
    *out = '\0';
    for (struct aw_walk at = {0}; aw_walk_next(&at, names->wire, AW_RX);)
        if (!aw_append_name(out, room, names->field[at.message][at.scalar])) {
            aw_append(out, size, ", ", "…");
            break;
        }
    return out;
}

/* Finds the message that a pattern names, together with a field that the message does not have;
 * NULL: not found, or the pattern has another meaning. Sets *field to the text after the
 * message. */
static const struct aw_codec *find_message_without(const char *pattern, struct aw_wire *wire,
                                                   const char **field)
{
    if (find_glob(pattern) || aw_select_field_part(pattern, wire) == pattern)
        return NULL;
    for (const char *part = pattern; part; part = strchr(part, '.')) {
        size_t m = 0;
        part += *part == '.';
        const struct aw_codec *codec = next_qualifier(part, wire, &m);
        if (codec && !is_qualified(part, wire)) {
            *field = part + strlen(codec->message->name) + 1;
            return codec;
        }
    }
    return NULL;
}

/* Fails with a list of the message's fields. A request and its answer may have the same name, and
 * one of them may have no fields. */
static enum aw_status fail_no_field(const char *message, struct aw_wire *wire, const char *field,
                                    struct aw_error *err)
{
    char list[160] = "";
    for (struct aw_walk at = {0}; aw_walk_next(&at, wire, AW_BOTH);) {
        char name[64];
        aw_scalar_name(&at.codec->scalars[at.scalar], name, sizeof name);
        if (strcmp(at.codec->message->name, message) == 0)
            aw_append(list, sizeof list, ", ", "%s", name);
    }
    return aw_fail(err, AW_USAGE, "%s has no field '%.60s'%s%s", message, field,
                   *list ? " — available: " : "", list);
}

static enum aw_status check_pattern(const char *pattern, const struct known *known,
                                    const struct aw_names *names, enum aw_subjects subjects,
                                    struct aw_error *err)
{
    char list[160];
    int valid_length;
    const char *similar = find_similar(pattern, known, &valid_length), *field,
               *dot = strchr(pattern, '.');
    bool any_subject = subjects == AW_SUBJECTS_ANY || (subjects == AW_SUBJECTS_BEFORE && dot);
    const struct aw_codec *message_codec =
        any_subject ? NULL : find_message_without(pattern, names->wire, &field);
    if (message_codec && is_possible(pattern, known, any_subject))
        return fail_no_field(message_codec->message->name, names->wire, field, err);
    if ((any_subject && !dot && !similar) || is_possible(pattern, known, any_subject))
        return AW_OK;
    list_fields(names, list, sizeof list);
    if (!similar)
        return aw_fail(err, AW_USAGE, "no message has a field '%.60s' — available: %s", pattern,
                       list);
    return aw_fail(err, AW_USAGE,
                   "no message has a field '%.60s' — did you mean '%.*s%s'? available: %s", pattern,
                   valid_length, pattern, similar, list);
}

enum aw_status aw_select_check(const struct aw_select *select, const struct aw_names *names,
                               enum aw_subjects subjects, struct aw_error *err)
{
    struct known known = {.allows_numbers = true};
    enum aw_status status = AW_OK;
    collect_names(names, &known);
    for (size_t i = 0; i < select->n && status == AW_OK; i++)
        status = check_pattern(select->pattern[i], &known, names, subjects, err);
    return status;
}

/* ---- After the first message ---- */

static enum aw_status fail_unknown(const char *pattern, const struct known *known, size_t first,
                                   struct aw_error *err)
{
    char list[120] = "";
    int valid_length;
    const char *similar = find_similar(pattern, known, &valid_length);
    if (similar)
        return aw_fail(err, AW_USAGE, "name '%.60s' not found — did you mean '%.*s%s'?", pattern,
                       valid_length, pattern, similar);
    if (first == known->n)
        return aw_fail(err, AW_USAGE, "name '%.60s' not found — see 'describe'", pattern);
    for (size_t i = first; i < known->n; i++)
        if (!isdigit((unsigned char)*known->name[i]))
            aw_append(list, sizeof list, ", ", "%s", known->name[i]);
    return aw_fail(err, AW_USAGE, "name '%.60s' not found — available: %s", pattern, list);
}

enum aw_status aw_select_confirm(const struct aw_select *select, const struct aw_names *names,
                                 const char *const *subjects, size_t n, struct aw_error *err)
{
    struct known known = {0};
    enum aw_status status = AW_OK;
    collect_names(names, &known);
    size_t first = known.n;
    for (size_t i = 0; i < n; i++)
        add_known(&known, subjects[i]);
    for (size_t i = 0; i < select->n && status == AW_OK; i++)
        if (!is_possible(select->pattern[i], &known, false))
            status = fail_unknown(select->pattern[i], &known, first, err);
    return status;
}
