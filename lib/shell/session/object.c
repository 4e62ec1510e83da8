/* Collects the members of a result and prints them as text, JSON or CSV. */
#include "shell/session/object.h"

#include <math.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include "base/csv.h"
#include "base/number.h"
#include "base/utf8.h"

#define TEXT_MAX    1000 /* max length of a string */
#define REASON_MAX  400
#define ESCAPE      6  /* max bytes of a character, such as \\u000a */
#define PUNCTUATION 32 /* max bytes around an entry: punctuation and unit */
/* max size of the head or headline, with the error message */
#define REST_MAX (1024 + ESCAPE * REASON_MAX)

void aw_object_start(struct aw_object *object, const char *cmd)
{
    object->cmd = cmd;
    object->headline = NULL;
    object->is_brief = false;
    object->n = object->copies_used = 0;
}

static struct aw_entry *add_entry(struct aw_object *object, const char *key)
{
    static const struct aw_entry empty;
    size_t i = object->n < AW_OBJECT_MAX ? object->n++ : AW_OBJECT_MAX - 1;
    object->entries[i] = empty;
    snprintf(object->entries[i].key, sizeof object->entries[i].key, "%s", key);
    return &object->entries[i];
}

void aw_object_add_text(struct aw_object *object, const char *key, const char *text)
{
    add_entry(object, key)->text = text;
}

void aw_object_add_copy(struct aw_object *object, const char *key, const char *text)
{
    char *copy = object->copies + object->copies_used;
    size_t room = sizeof object->copies - object->copies_used;
    aw_object_add_text(object, key, room ? copy : "");
    if (room) {
        snprintf(copy, room, "%s", text);
        object->copies_used += strlen(copy) + 1;
    }
}

void aw_object_add_number(struct aw_object *object, const char *key, double number, int decimals,
                          const char *unit)
{
    struct aw_entry *entry = add_entry(object, key);
    entry->number = number;
    entry->decimals = decimals;
    entry->unit = unit;
}

void aw_object_add_count(struct aw_object *object, const char *key, uint64_t n)
{
    aw_object_add_number(object, key, (double)n, 0, NULL);
}

void aw_object_add_truth(struct aw_object *object, const char *key, bool is_true)
{
    struct aw_entry *entry = add_entry(object, key);
    entry->number = is_true;
    entry->is_boolean = true;
}

static bool has_same_prefix(const char *a, const char *b)
{
    size_t length = strcspn(a, ".");
    return a[length] == '.' && strncmp(a, b, length + 1) == 0;
}

void aw_object_group(struct aw_object *object)
{
    struct aw_entry *entries = object->entries;
    for (size_t i = 1; i < object->n; i++) {
        size_t to = i;
        while (to > 0 && !has_same_prefix(entries[i].key, entries[to - 1].key))
            to--;
        if (to == 0 || to == i)
            continue;
        struct aw_entry moved = entries[i];
        memmove(entries + to + 1, entries + to, (i - to) * sizeof *entries);
        entries[to] = moved;
    }
}

void aw_object_mark_details(struct aw_object *object, size_t n)
{
    for (; n < object->n; n++)
        object->entries[n].is_detail = true;
}

void aw_object_clear_last(struct aw_object *object)
{
    struct aw_entry *entry = &object->entries[object->n - 1];
    entry->text = NULL;
    entry->number = NAN;
    entry->is_absent = true;
}

void aw_object_add_stats_ms(struct aw_object *object, const char *prefix,
                            const struct aw_stats *stats)
{
    const struct {
        const char *name;
        double value;
    } rows[] = {
        {"min", stats->min}, {"mean", stats->mean}, {"p50", stats->p50},
        {"p95", stats->p95}, {"p99", stats->p99},   {"max", stats->max},
    };
    for (size_t i = 0; stats->n && i < sizeof rows / sizeof *rows; i++) {
        char key[sizeof object->entries->key];
        snprintf(key, sizeof key, "%s%s%s_ms", prefix ? prefix : "", prefix ? "_" : "",
                 rows[i].name);
        aw_object_add_number(object, key, rows[i].value, 3, NULL);
    }
    if (prefix && stats->n) /* the max is not a detail */
        aw_object_mark_details(object, object->n - sizeof rows / sizeof *rows);
    if (prefix && stats->n)
        object->entries[object->n - 1].is_detail = false;
}

static char *add_text(char *out, const char *text)
{
    size_t length = strnlen(text, TEXT_MAX);
    memcpy(out, text, length);
    return out + length;
}

char *aw_write_json_string(char *out, const char *text, size_t max)
{
    static const char hex[] = "0123456789abcdef";
    const char *end = text + strnlen(text, max);
    *out++ = '"';
    while (text < end) {
        unsigned char c = (unsigned char)*text;
        size_t size = aw_utf8_size(text);
        bool fits = size && size <= (size_t)(end - text);
        if (c == '"' || c == '\\') {
            *out++ = '\\';
            *out++ = (char)c;
        } else if (c < ' ' || c == 127) {
            out = add_text(out, "\\u00");
            *out++ = hex[c >> 4];
            *out++ = hex[c & 15];
        } else if (!fits) {
            *out++ = '?';
        } else {
            memcpy(out, text, size);
            out += size;
        }
        text += fits ? size : 1;
    }
    *out++ = '"';
    return out;
}

static char *add_number(char *out, const struct aw_entry *entry)
{
    if (entry->is_boolean)
        return add_text(out, entry->number != 0 ? "true" : "false");
    if (!isfinite(entry->number))
        return add_text(out, "null");
    if (entry->decimals < -1)
        return out + sprintf(out, "%.*g", -entry->decimals, entry->number);
    if (entry->decimals < 0 && !isfinite((float)entry->number))
        return out + sprintf(out, "%.9g", entry->number);
    if (entry->decimals < 0)
        return aw_print_float32(out, (float)entry->number);
    return aw_print_fixed(out, entry->number, entry->decimals);
}

/* Returns the length of the prefix that a key shares with its neighbour, in whole groups. A key
 * with dots such as m1.position stands for nested objects. Entries of one group are adjacent. */
static size_t find_shared_groups(const char *key, const char *neighbour)
{
    size_t shared = 0;
    for (size_t i = 0; key[i] && key[i] == neighbour[i]; i++)
        if (key[i] == '.' && i > 0)
            shared = i + 1;
    return shared;
}

/* Returns the number of entries that fit if a character takes up to "width" bytes. */
static size_t count_fitting(const struct aw_object *object, size_t width)
{
    size_t room = AW_OBJECT_TEXT - REST_MAX, i = 0;
    for (; i < object->n; i++) {
        const struct aw_entry *entry = &object->entries[i];
        size_t char_size = entry->is_json ? 1 : width;
        size_t key = strlen(entry->key), plain = strcspn(entry->key, "\"\\\t\r\n");
        size_t size = (plain < key ? width * key : key) + PUNCTUATION + AW_NUMBER_MAX +
                      (entry->text ? char_size * strnlen(entry->text, TEXT_MAX) : 0);
        if (size > room)
            break;
        room -= size;
    }
    return i;
}

static char *add_json_entry(char *out, const struct aw_object *object, size_t i, size_t n)
{
    const struct aw_entry *entry = &object->entries[i];
    const char *name = entry->key + (i > 0 ? find_shared_groups(entry->key, entry[-1].key) : 0);
    const char *closed =
        entry->key + (i + 1 < n ? find_shared_groups(entry->key, entry[1].key) : 0);
    if (out[-1] != '{')
        *out++ = ',';
    for (const char *dot; (dot = strchr(name + 1, '.')); name = dot + 1) {
        out = aw_write_json_string(out, name, (size_t)(dot - name));
        out = add_text(out, ":{");
    }
    out = aw_write_json_string(out, name, sizeof entry->key);
    *out++ = ':';
    if (entry->is_json)
        out = add_text(out, entry->text);
    else
        out =
            entry->text ? aw_write_json_string(out, entry->text, TEXT_MAX) : add_number(out, entry);
    while ((closed = strchr(closed + 1, '.')))
        *out++ = '}';
    return out;
}

/* Writes "t":1.5,"cmd":"deg","ok":true, or "ok":false with the error. */
static char *add_json_head(char *out, const struct aw_object_head *head)
{
    out += sprintf(out, "\"t\":%s", head->time);
    if (head->cmd)
        out += sprintf(out, ",\"cmd\":\"%s\"", head->cmd);
    if (!head->error)
        return add_text(out, ",\"ok\":true");
    return out +
           sprintf(out, ",\"ok\":false,\"error\":\"%s\",\"exit\":%d", head->error, head->exit_code);
}

static char *print_json(const struct aw_object *object, const struct aw_object_form *form,
                        char *out)
{
    *out++ = '{';
    if (form->head)
        out = add_json_head(out, form->head);
    size_t n = count_fitting(object, ESCAPE);
    for (size_t i = 0; i < n; i++)
        if (!object->entries[i].is_absent)
            out = add_json_entry(out, object, i, n);
    if (form->head && form->head->error) {
        out = add_text(out, ",\"why\":");
        out = aw_write_json_string(out, form->head->message, REASON_MAX);
    }
    return add_text(out, "}\n");
}

static char *add_csv_names(char *out, const struct aw_object *object, size_t n, bool is_result)
{
    out = add_text(out, is_result ? "t,cmd" : "");
    for (size_t i = 0; i < n; i++) {
        if (i > 0 || is_result)
            *out++ = ',';
        out = aw_csv_quote(out, object->entries[i].key, TEXT_MAX);
    }
    *out++ = '\n';
    return out;
}

static char *print_csv(const struct aw_object *object, const struct aw_object_form *form, char *out)
{
    const struct aw_object_head *head = form->head;
    size_t n = count_fitting(object, 2);
    if (form->prints_names)
        out = add_csv_names(out, object, n, head != NULL);
    if (head)
        out += sprintf(out, "%s,%s", head->time, head->cmd ? head->cmd : "");
    for (size_t i = 0; i < n; i++) {
        const struct aw_entry *entry = &object->entries[i];
        if (i > 0 || head)
            *out++ = ',';
        if (entry->text)
            out = aw_csv_quote(out, entry->text, TEXT_MAX);
        else if (isfinite(entry->number))
            out = add_number(out, entry);
    }
    *out++ = '\n';
    return out;
}

/* Writes a value as text; "-" if unknown. */
static char *add_value(char *out, const struct aw_entry *entry)
{
    if (entry && entry->text)
        return add_text(out, entry->text);
    return entry && isfinite(entry->number) ? add_number(out, entry) : add_text(out, "-");
}

/* Returns the entry with this name, otherwise the only one whose name ends in this part: "torque"
 * of "lknee.torque". */
static const struct aw_entry *find(const struct aw_object *object, const char *key, size_t length)
{
    const struct aw_entry *found = NULL;
    size_t n = 0;
    for (size_t i = 0; i < object->n; i++) {
        const struct aw_entry *entry = &object->entries[i];
        size_t key_length = strlen(entry->key);
        if (key_length < length || strncmp(entry->key + key_length - length, key, length) != 0)
            continue;
        if (key_length == length)
            return entry;
        if (entry->key[key_length - length - 1] != '.')
            continue;
        found = entry;
        n++;
    }
    return n == 1 ? found : NULL;
}

static char *print_format(const struct aw_object *object, const struct aw_object_form *form,
                          char *out)
{
    static const size_t max_length = 1024;
    const char *end = out + AW_OBJECT_TEXT - max_length;
    for (const char *p = form->format; *p && out < end; p++) {
        const char *close = strncmp(p, "%{", 2) == 0 ? strchr(p, '}') : NULL;
        if (close) {
            out = add_value(out, find(object, p + 2, (size_t)(close - p - 2)));
            p = close;
        } else if (*p == '\\' && (p[1] == 'n' || p[1] == 't')) {
            *out++ = *++p == 'n' ? '\n' : '\t';
        } else {
            *out++ = *p;
        }
    }
    *out++ = '\n';
    return out;
}

static char *print_text(const struct aw_object *object, const struct aw_object_form *form,
                        char *out)
{
    (void)form;
    out = add_text(out, object->headline ? object->headline : object->cmd);
    size_t n = count_fitting(object, 1);
    for (size_t i = 0; i < n; i++) {
        const struct aw_entry *entry = &object->entries[i];
        if (object->is_brief && entry->is_detail)
            continue;
        *out++ = ' ';
        out = add_text(out, entry->key);
        *out++ = '=';
        out = add_value(out, entry);
        if (!entry->text && !isfinite(entry->number))
            continue;
        out = add_text(out, entry->unit ? entry->unit : "");
        out = add_text(out, entry->unit_after ? entry->unit_after : "");
    }
    *out++ = '\n';
    return out;
}

char *aw_object_print(const struct aw_object *object, const struct aw_object_form *form, char *out)
{
    typedef char *print_fn(const struct aw_object *object, const struct aw_object_form *form,
                           char *out);
#define ROW(NAME, name, letter, value, help) [AW_STYLE_##NAME] = print_##name,
    static print_fn *const printers[AW_STYLES] = {[AW_STYLE_TEXT] = print_text, AW_EACH_STYLE(ROW)};
#undef ROW
    return printers[form->style](object, form, out);
}

size_t aw_record_add_name(enum aw_style style, const char *name, char *line, size_t size)
{
    char *end = line + size - 1;
    if (style == AW_STYLE_JSON)
        end = stpcpy(aw_write_json_string(stpcpy(end - 1, ",\"name\":"), name, AW_POINT_NAME), "}");
    else if (style == AW_STYLE_CSV)
        end = aw_csv_quote(stpcpy(end, ","), name, AW_POINT_NAME);
    else
        end = stpcpy(stpcpy(end, " name="), name);
    *end++ = '\n';
    return (size_t)(end - line);
}
