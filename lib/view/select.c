#include "view/select.h"

#include <fnmatch.h>
#include <string.h>

#include "base/suggest.h"

#define KNOWN_MAX 1024

enum aw_status aw_select_add(struct aw_select *select, const char *pattern, struct aw_error *err)
{
    if (select->n == AW_SELECT_MAX)
        return aw_fail(err, AW_USAGE, "more than %d fields — a pattern such as 'm1.*' takes many",
                       AW_SELECT_MAX);
    select->pattern[select->n++] = pattern;
    return AW_OK;
}

static bool has_glob(const char *pattern)
{
    return strpbrk(pattern, "*?[") != NULL;
}

/* The name itself, or the beginning of it up to a dot: a group, a subject. */
static bool fits(const char *pattern, const char *name)
{
    size_t length = strlen(pattern);
    if (has_glob(pattern))
        return fnmatch(pattern, name, 0) == 0;
    return strncmp(name, pattern, length) == 0 && (name[length] == '\0' || name[length] == '.');
}

/* The last part of a name: the position of each joint. */
static bool fits_end(const char *pattern, const char *name)
{
    const char *dot = strrchr(name, '.');
    return dot && strcmp(pattern, dot + 1) == 0;
}

static bool fits_parts(const char *pattern, const char *first, const char *second,
                       const char *third)
{
    char name[AW_POINT_NAME];
    aw_point_join(name, (const char *[]){first, second, third}, 3);
    return fits(pattern, name);
}

static bool fits_point(const char *pattern, const struct aw_point *point)
{
    const char *subject = point->subject, *message = point->message, *field = point->field;
    return fits(pattern, point->name) || fits(pattern, field) || fits_end(pattern, field) ||
           (*message && fits_parts(pattern, message, field, "")) ||
           (*subject && (fits_parts(pattern, subject, field, "") ||
                         fits_parts(pattern, subject, message, field)));
}

int aw_select_match(const struct aw_select *select, const struct aw_point *point)
{
    for (size_t i = 0; i < select->n; i++)
        if (fits_point(select->pattern[i], point))
            return (int)i;
    return select->n ? -1 : 0;
}

/* ---- Before anything has come -----------------------------------------------------------------
 */

struct known {
    size_t n;
    const char *name[KNOWN_MAX];
};

static void add_known(struct known *known, const char *name)
{
    if (known->n < KNOWN_MAX && name)
        known->name[known->n++] = name;
}

static void collect(const struct aw_names *names, struct known *known)
{
    for (size_t m = 0; m < names->wire->protocol->n_messages; m++) {
        const struct aw_codec *codec = aw_wire_codec_at(names->wire, m);
        for (int i = 0; i < codec->n_leaves; i++) {
            const struct aw_name *value = codec->leaves[i].field->names;
            if (!codec->leaves[i].value)
                continue;
            add_known(known, names->field[m][i]);
            add_known(known, codec->leaves[i].label);
            for (; m == 0 && value && value->name; value++)
                add_known(known, value->name); /* boards and the like: subjects */
        }
        add_known(known, names->wire->protocol->messages[m].name);
    }
}

/* The pattern, or what follows any of its dots, is one of the names. */
static bool is_possible(const char *pattern, const struct known *known)
{
    for (const char *part = pattern; part; part = strchr(part, '.')) {
        part += *part == '.';
        for (size_t i = 0; i < known->n; i++)
            if (fits(part, known->name[i]) || fits_end(part, known->name[i]))
                return true;
    }
    return false;
}

static enum aw_status check(const char *pattern, const struct known *known, bool subjects,
                            struct aw_error *err)
{
    const char *dot = strchr(pattern, '.');
    const char *near = aw_suggest(pattern, known->name, known->n), *head = "";
    if (is_possible(pattern, known) || has_glob(pattern) || (subjects && !dot && !near))
        return AW_OK;
    if (!near && dot && (near = aw_suggest(dot + 1, known->name, known->n)))
        head = pattern;
    if (!near)
        return aw_fail(err, AW_USAGE, "no message has a field '%.60s' — see 'describe'", pattern);
    return aw_fail(err, AW_USAGE, "no message has a field '%.60s' — did you mean '%.*s%s'?",
                   pattern, *head ? (int)(dot + 1 - pattern) : 0, head, near);
}

enum aw_status aw_select_check(const struct aw_select *select, const struct aw_names *names,
                               bool subjects, struct aw_error *err)
{
    struct known known = {0};
    enum aw_status status = AW_OK;
    collect(names, &known);
    for (size_t i = 0; i < select->n && status == AW_OK; i++)
        status = check(select->pattern[i], &known, subjects, err);
    return status;
}
