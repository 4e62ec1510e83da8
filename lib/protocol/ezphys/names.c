/* Reads a file of names of bodies and joints, and matches patterns against them. */
#include "protocol/ezphys/names.h"

#include <ctype.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/lines.h"
#include "base/suggest.h"
#include "base/text.h"
#include "packets/carried.h"

static const char *const kinds[] = {[AW_EZPHYS_BODY] = "body", [AW_EZPHYS_JOINT] = "joint", NULL};

const char *aw_ezphys_kind_name(enum aw_ezphys_kind kind)
{
    return kinds[kind];
}

static bool is_valid_name(const char *text)
{
    size_t length = strlen(text);
    if (length == 0 || length >= AW_EZPHYS_NAME_SIZE || isdigit((unsigned char)*text))
        return false;
    for (; *text; text++)
        if (!isalnum((unsigned char)*text) && !strchr("._-", *text))
            return false;
    return true;
}

static enum aw_status check_name(const char *name, struct aw_error *err)
{
    return is_valid_name(name)
               ? AW_OK
               : aw_fail(err, AW_USAGE,
                         "invalid name '%.40s' — use 1 to %d letters, digits, '.', '_' "
                         "or '-', and no digit at the start",
                         name, AW_EZPHYS_NAME_SIZE - 1);
}

const struct aw_ezphys_name *aw_ezphys_names_find_id(const struct aw_ezphys_names *names,
                                                     enum aw_ezphys_kind kind, uint32_t id)
{
    for (size_t i = 0; i < names->n; i++)
        if (names->list[i].kind == kind && names->list[i].id == id)
            return &names->list[i];
    return NULL;
}

const struct aw_ezphys_name *aw_ezphys_names_find(const struct aw_ezphys_names *names,
                                                  enum aw_ezphys_kind kind, const char *name)
{
    for (size_t i = 0; i < names->n; i++)
        if (names->list[i].kind == kind && strcmp(names->list[i].name, name) == 0)
            return &names->list[i];
    return NULL;
}

static enum aw_status check_new(const struct aw_ezphys_names *names, enum aw_ezphys_kind kind,
                                uint32_t id, const char *name, struct aw_error *err)
{
    const struct aw_ezphys_name *other = aw_ezphys_names_find_id(names, kind, id);
    if (names->n == AW_EZPHYS_NAMES_MAX)
        return aw_fail(err, AW_LIMIT, "more than %d names — remove some", AW_EZPHYS_NAMES_MAX);
    if (id == 0)
        return aw_fail(err, AW_USAGE,
                       "%s '%s': number 0 is reserved for the scene — give another number",
                       kinds[kind], name);
    if (other)
        return aw_fail(err, AW_USAGE, "%s %u already has a name: %s — remove one", kinds[kind],
                       (unsigned)id, other->name);
    other = aw_ezphys_names_find(names, kind, name);
    if (other)
        return aw_fail(err, AW_USAGE, "%s '%s' already has number %u — rename one", kinds[kind],
                       name, (unsigned)other->id);
    return check_name(name, err);
}

enum aw_status aw_ezphys_names_add(struct aw_ezphys_names *names, enum aw_ezphys_kind kind,
                                   uint32_t id, const char *name, const char *const *bodies,
                                   struct aw_error *err)
{
    enum aw_status status = check_new(names, kind, id, name, err);
    for (int i = 0; bodies && i < 2 && status == AW_OK; i++)
        status = *bodies[i] ? check_name(bodies[i], err) : AW_OK;
    if (status != AW_OK)
        return status;
    struct aw_ezphys_name *entry = &names->list[names->n++];
    *entry = (struct aw_ezphys_name){.kind = kind, .id = id};
    strcpy(entry->name, name);
    for (int i = 0; bodies && i < 2; i++)
        if (strcmp(bodies[i], "world") != 0)
            strcpy(entry->bodies[i], bodies[i]);
    return AW_OK;
}

void aw_ezphys_names_set_stops(struct aw_ezphys_names *names, uint32_t id, const double low[3],
                               const double high[3])
{
    for (size_t i = 0; i < names->n; i++) {
        struct aw_ezphys_name *entry = &names->list[i];
        if (entry->kind != AW_EZPHYS_JOINT || entry->id != id)
            continue;
        memcpy(entry->low, low, sizeof entry->low);
        memcpy(entry->high, high, sizeof entry->high);
    }
}

void aw_ezphys_name_write_line(const struct aw_ezphys_name *entry, char out[AW_EZPHYS_NAME_LINE])
{
    const size_t size = AW_EZPHYS_NAME_LINE;
    bool has_bodies = entry->bodies[0][0] || entry->bodies[1][0];
    snprintf(out, size, "%s %u %s", kinds[entry->kind], (unsigned)entry->id, entry->name);
    for (int i = 0; i < 2 && has_bodies; i++)
        aw_append(out, size, " ", "%s", *entry->bodies[i] ? entry->bodies[i] : "world");
    if (entry->motion == AW_EZPHYS_SLIDES)
        aw_append(out, size, " ", "slider");
    if (entry->axes)
        aw_append(out, size, " ", "axes=%u", entry->axes);
}

#define TOKENS_MAX 8 /* max tokens in a line, plus one to detect more */

static enum aw_status read_id(const char *text, uint32_t *id, struct aw_error *err)
{
    char *end;
    unsigned long long number = strtoull(text, &end, 10);
    if (!isdigit((unsigned char)*text) || *end || number > UINT32_MAX)
        return aw_fail(err, AW_USAGE, "'%.40s': not a body or joint number (1 to 4294967295)",
                       text);
    *id = (uint32_t)number;
    return AW_OK;
}

/* Parses "slider" and "axes=N" at the end of a joint's line. Returns the number of tokens before
 * them. */
static size_t parse_traits(char **tokens, size_t n, bool *slides, unsigned *axes)
{
    if (n > 3 && sscanf(tokens[n - 1], "axes=%1u", axes) == 1)
        n--;
    *slides = n > 3 && strcmp(tokens[n - 1], "slider") == 0;
    return n - *slides;
}

static enum aw_status read_line(struct aw_ezphys_names *names, char *line, struct aw_error *err)
{
    char *tokens[TOKENS_MAX];
    uint32_t id = 0;
    size_t n = aw_lines_split(line, tokens, TOKENS_MAX);
    int kind = aw_choose("object", kinds, tokens[0], strlen(tokens[0]), err);
    enum aw_status status = kind < 0 ? AW_USAGE : AW_OK;
    bool is_joint = kind == AW_EZPHYS_JOINT, slides = false;
    unsigned axes = 0;
    n = is_joint ? parse_traits(tokens, n, &slides, &axes) : n;
    if (status == AW_OK && n != 3 && !(n == 5 && is_joint))
        status =
            aw_fail(err, AW_USAGE,
                    "wrong number of arguments (%zu) — write 'body 1 NAME' or 'joint 1 NAME [BODY "
                    "BODY] [slider] [axes=2]'",
                    n);
    if (status == AW_OK)
        status = read_id(tokens[1], &id, err);
    if (status == AW_OK)
        status = aw_ezphys_names_add(names, (enum aw_ezphys_kind)kind, id, tokens[2],
                                     n == 5 ? (const char *const *)&tokens[3] : NULL, err);
    if (status != AW_OK)
        return status;
    struct aw_ezphys_name *entry = &names->list[names->n - 1];
    entry->motion = slides ? AW_EZPHYS_SLIDES : AW_EZPHYS_MOTION_UNKNOWN;
    entry->axes = axes;
    return AW_OK;
}

enum aw_status aw_ezphys_names_read(struct aw_ezphys_names *names, FILE *in, const char *file,
                                    struct aw_error *err)
{
    struct aw_lines lines = {.file = in, .name = file};
    enum aw_status status = AW_OK;
    while (status == AW_OK && (status = aw_lines_next(&lines, err)) == AW_OK)
        if (read_line(names, lines.line, err) != AW_OK)
            status = AW_MALFORMED;
    return aw_lines_end(&lines, status, err);
}

/* ---- In recordings ---- */

static void parse_line(struct aw_ezphys_names *names, const char *line, size_t length)
{
    FILE *file = length ? fmemopen((void *)(uintptr_t)line, length, "r") : NULL;
    if (!file)
        return;
    aw_ezphys_names_read(names, file, NULL, NULL);
    fclose(file);
}

bool aw_ezphys_names_restore(struct aw_ezphys_names *names, const char *text)
{
    const size_t head = strlen(AW_SUBJECT_LINE);
    const char *line = text;
    while (strncmp(line, AW_SUBJECT_LINE, head) == 0) {
        size_t length = strcspn(line, "\n");
        parse_line(names, line + head, length - head);
        line += length + (line[length] != '\0');
    }
    return line != text;
}

const char *aw_ezphys_write_subject(const struct aw_record *record, aw_ezphys_names_fn *find,
                                    void *context, char *out, size_t size)
{
    const char *message = record->codec->message->name;
    bool is_joint = strncmp(message, "joint_", strlen("joint_")) == 0;
    double id = aw_record_get(record, "id"), axis = aw_record_get(record, "axis");
    enum aw_ezphys_kind kind = is_joint ? AW_EZPHYS_JOINT : AW_EZPHYS_BODY;
    const struct aw_ezphys_name *entry = NULL;
    if (record->dir != AW_RX || (!is_joint && strcmp(message, "limb") != 0))
        return NULL;
    if (isnan(id)) {
        snprintf(out, size, "%s", record->text);
    } else {
        entry = find(context, kind, (uint32_t)id);
        snprintf(out, size, "%s%.0f", aw_ezphys_kind_name(kind), id);
        if (entry)
            snprintf(out, size, "%s", entry->name);
    }
    if (axis > 1 || (axis > 0 && entry && entry->axes > 1))
        aw_append(out, size, ".axis", "%.0f", axis);
    return *out ? out : NULL;
}
