/* Parses a follow map: JOINT=FIELD*SCALE+OFFSET clamp LO..HI dead BAND, … */
#include <ctype.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/number.h"
#include "control/follow.h"

/* Position in the text, for error messages. */
struct reader {
    const char *at;
    struct aw_error *err;
};

static void skip_blanks(struct reader *r)
{
    r->at += strspn(r->at, " \t\n");
}

static bool copy_name(char *out, size_t size, const char *from, size_t length)
{
    bool fits = length > 0 && length < size;
    snprintf(out, size, "%.*s", fits ? (int)length : 0, from);
    return fits;
}

/* Returns the length of a name. A minus before a number is not part of the name: it starts the
 * offset. */
static size_t name_length(const char *text)
{
    size_t n = 0;
    while (
        text[n] && !strchr(" \t\n,=*/+'\"", text[n]) &&
        !(n > 0 && text[n] == '-' && (isdigit((unsigned char)text[n + 1]) || text[n + 1] == '.')))
        n++;
    return n;
}

static enum aw_status read_name(struct reader *r, char out[AW_FOLLOW_NAME], const char *kind)
{
    skip_blanks(r);
    char quote = *r->at == '\'' || *r->at == '"' ? *r->at : '\0';
    const char *start = quote ? r->at + 1 : r->at;
    size_t length = quote ? strcspn(start, quote == '"' ? "\"" : "'") : name_length(start);
    if (!copy_name(out, AW_FOLLOW_NAME, start, length) || (quote && start[length] != quote))
        return aw_fail(r->err, AW_USAGE, "'%.40s': invalid %s name — write elbow=m2*1.2+10deg",
                       r->at, kind);
    r->at = start + length + (quote != '\0');
    skip_blanks(r);
    return AW_OK;
}

static enum aw_status read_scale(struct reader *r, double *scale)
{
    bool divides = *r->at == '/';
    char *end;
    double factor = strtod(r->at + 1, &end);
    if (end == r->at + 1 || !isfinite(factor) || factor == 0)
        return aw_fail(r->err, AW_USAGE, "'%.40s': invalid scale — give a number other than 0",
                       r->at);
    *scale *= divides ? 1 / factor : factor;
    r->at = end;
    skip_blanks(r);
    return AW_OK;
}

/* Copies a number with its unit, up to a blank, a comma or "..". aw_follow_row_convert parses it
 * when the joint's unit is known. */
static enum aw_status read_number(struct reader *r, char out[32], const char *example)
{
    skip_blanks(r);
    size_t n = *r->at == '+' || *r->at == '-', sign = n;
    n += strspn(r->at + n, " \t"); /* "+ 10deg" */
    const char *digits = r->at + n;
    size_t length = strcspn(digits, " \t\n,");
    for (size_t i = 0; i + 1 < length; i++)
        if (digits[i] == '.' && digits[i + 1] == '.')
            length = i;
    if (length == 0 || length + sign >= 32)
        return aw_fail(r->err, AW_USAGE, "'%.40s': not a number — write %s", r->at, example);
    snprintf(out, 32, "%.*s%.*s", (int)sign, r->at, (int)length, digits);
    r->at = digits + length;
    skip_blanks(r);
    return AW_OK;
}

static bool skip_keyword(struct reader *r, const char *word)
{
    size_t length = strlen(word);
    bool found = strncmp(r->at, word, length) == 0 && strchr(" \t,", r->at[length]);
    r->at += found ? length : 0;
    return found;
}

static enum aw_status read_clamp(struct reader *r, struct aw_follow_row *row)
{
    enum aw_status status = read_number(r, row->low_text, "clamp 20deg..160deg");
    if (status == AW_OK && strncmp(r->at, "..", 2) != 0)
        return aw_fail(r->err, AW_USAGE, "clamp: invalid range '%.40s' — write clamp 20deg..160deg",
                       r->at);
    r->at += status == AW_OK ? 2 : 0;
    return status == AW_OK ? read_number(r, row->high_text, "clamp 20deg..160deg") : status;
}

/* Reads a value: "m2", "-m2*2/3+10deg". */
static enum aw_status read_value(struct reader *r, struct aw_follow_row *row)
{
    skip_blanks(r);
    if (*r->at == '-') {
        row->scale = -1;
        r->at++;
    }
    enum aw_status status = read_name(r, row->field, "field");
    while (status == AW_OK && (*r->at == '*' || *r->at == '/'))
        status = read_scale(r, &row->scale);
    if (status == AW_OK && (*r->at == '+' || *r->at == '-'))
        status = read_number(r, row->offset_text, "m2+10deg");
    return status;
}

static enum aw_status read_row(struct reader *r, struct aw_follow_row *row)
{
    *row = (struct aw_follow_row){.scale = 1, .low = -INFINITY, .high = INFINITY};
    enum aw_status status = read_name(r, row->joint, "joint");
    if (status == AW_OK && *r->at != '=')
        return aw_fail(r->err, AW_USAGE, "'%.40s': no = after the joint — write elbow=m2",
                       row->joint);
    r->at += status == AW_OK;
    if (status == AW_OK)
        status = read_value(r, row);
    while (status == AW_OK && *r->at && *r->at != ',') {
        if (skip_keyword(r, "clamp"))
            status = read_clamp(r, row);
        else if (skip_keyword(r, "dead"))
            status = read_number(r, row->dead_text, "dead 1deg");
        else
            status = aw_fail(
                r->err, AW_USAGE,
                "invalid row '%.40s' — write JOINT=FIELD*SCALE+OFFSET clamp LO..HI dead BAND",
                r->at);
    }
    return status;
}

enum aw_status aw_follow_map_parse(struct aw_follow_map *map, const char *text,
                                   struct aw_error *err)
{
    struct reader r = {text, err};
    do {
        if (map->n == AW_FOLLOW_ROWS)
            return aw_fail(err, AW_USAGE, "more than %d joints — remove some", AW_FOLLOW_ROWS);
        struct aw_follow_row *row = &map->rows[map->n];
        enum aw_status status = read_row(&r, row);
        if (status != AW_OK)
            return status;
        for (size_t i = 0; i < map->n; i++)
            if (strcmp(map->rows[i].joint, row->joint) == 0)
                return aw_fail(err, AW_USAGE, "%s follows two fields — give one field only",
                               row->joint);
        map->n++;
    } while (*r.at == ',' && r.at++);
    return AW_OK;
}

enum aw_status aw_follow_row_convert(struct aw_follow_row *row, const char *unit,
                                     struct aw_error *err)
{
    const struct {
        const char *text;
        double *value;
    } numbers[] = {{row->offset_text, &row->offset},
                   {row->low_text, &row->low},
                   {row->high_text, &row->high},
                   {row->dead_text, &row->dead_band}};
    enum aw_status status = AW_OK;
    for (size_t i = 0; i < sizeof numbers / sizeof *numbers && status == AW_OK; i++)
        if (*numbers[i].text)
            status = aw_number_parse_unit(numbers[i].text, unit, numbers[i].value, err);
    if (status != AW_OK)
        return aw_fail_about(err, status, row->joint);
    if (!(row->low <= row->high))
        return aw_fail(err, AW_USAGE, "%s: clamp %s..%s is empty — give the lower limit first",
                       row->joint, row->low_text, row->high_text);
    if (row->dead_band < 0)
        return aw_fail(err, AW_USAGE, "%s: dead %s is below 0 — give 0 or more", row->joint,
                       row->dead_text);
    return AW_OK;
}
