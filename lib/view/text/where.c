/* Parses and evaluates the conditions of --where. */
#include "view/text/where.h"

#include <ctype.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "base/number.h"
#include "base/suggest.h"

static const struct {
    const char *text;
    enum aw_where_op op;
} ops[] = {
    {"<=", AW_WHERE_AT_MOST}, {">=", AW_WHERE_AT_LEAST}, {"!=", AW_WHERE_IS_NOT},
    {"==", AW_WHERE_IS},      {"<", AW_WHERE_LESS},      {">", AW_WHERE_MORE},
    {"=", AW_WHERE_IS},
};

/* Copies the text up to end, without surrounding blanks. Returns false if it is empty or too
 * long. */
static bool copy_trimmed(char *out, size_t size, const char *from, const char *end)
{
    while (isspace((unsigned char)*from))
        from++;
    while (end > from && isspace((unsigned char)end[-1]))
        end--;
    if (end <= from || (size_t)(end - from) >= size)
        return false;
    memcpy(out, from, (size_t)(end - from));
    out[end - from] = '\0';
    return true;
}

/* Skips blanks and a quoted field, if one starts here. */
static const char *skip_quotes(const char *p)
{
    while (isspace((unsigned char)*p))
        p++;
    const char *close = *p == '\'' || *p == '"' ? strchr(p + 1, *p) : NULL;
    return close ? close + 1 : p;
}

static const char *find_term_end(const char *p)
{
    for (p = skip_quotes(p); *p; p++)
        if (isspace((unsigned char)*p) && strncmp(p + 1, "and", 3) == 0 &&
            (!p[4] || isspace((unsigned char)p[4])))
            break;
    return p;
}

static bool find_op(const char *p, struct aw_where_term *term, const char **after)
{
    for (size_t i = 0; i < sizeof ops / sizeof *ops; i++)
        if (strncmp(p, ops[i].text, strlen(ops[i].text)) == 0) {
            term->op = ops[i].op;
            *after = p + strlen(ops[i].text);
            return true;
        }
    return false;
}

static enum aw_status parse_value(struct aw_where_term *term, struct aw_error *err)
{
    const char *digit = term->text + (*term->text == '-' || *term->text == '+');
    term->is_number = isdigit((unsigned char)*digit) || *digit == '.';
    if (!term->is_number && term->op != AW_WHERE_IS && term->op != AW_WHERE_IS_NOT)
        return aw_fail(err, AW_USAGE, "--where: '%s' is not a number — use = or != for text",
                       term->text);
    term->has_unit = term->is_number && aw_number_parse(term->text, &term->number, NULL) != AW_OK;
    return AW_OK;
}

static bool copy_field(struct aw_where_term *term, const char *from, const char *end, bool quoted)
{
    if (!quoted)
        return copy_trimmed(term->field, sizeof term->field, from, end) &&
               !strpbrk(term->field, " \t");
    while (isspace((unsigned char)*from))
        from++;
    return copy_trimmed(term->field, sizeof term->field, from + 1, end - 1);
}

/* Adds a term. Stores terms for msg and dir separately, because these are not fields. */
static enum aw_status add_term(struct aw_where *where, const struct aw_where_term *term,
                               struct aw_error *err)
{
    bool is_dir = strcmp(term->field, "dir") == 0;
    if (!is_dir && strcmp(term->field, "msg") != 0) {
        where->terms[where->n++] = *term;
        return AW_OK;
    }
    if (term->op != AW_WHERE_IS && term->op != AW_WHERE_IS_NOT)
        return aw_fail(err, AW_USAGE,
                       "--where: operator not supported for %s — use = or !=", term->field);
    if (is_dir && strcmp(term->text, "tx") != 0 && strcmp(term->text, "rx") != 0)
        return aw_fail(err, AW_USAGE, "--where: unknown dir '%s' — use tx or rx", term->text);
    struct aw_where_head *head = &where->heads[where->n_heads++];
    *head = (struct aw_where_head){.is_dir = is_dir, .is_equal = term->op == AW_WHERE_IS};
    snprintf(head->text, sizeof head->text, "%s", term->text);
    return AW_OK;
}

static enum aw_status parse_term(const char *from, const char *end, struct aw_where_term *term,
                                 struct aw_error *err)
{
    const char *after_field = skip_quotes(from), *after = NULL, *op = strpbrk(after_field, "<>=!");
    bool quoted = after_field > from && strchr("'\"", after_field[-1]);
    int length = end - from < 80 ? (int)(end - from) : 80;
    if (!op || !find_op(op, term, &after) ||
        !copy_field(term, from, quoted ? after_field : op, quoted) ||
        (quoted && strspn(after_field, " \t") != (size_t)(op - after_field)) ||
        !copy_trimmed(term->text, sizeof term->text, after, end) || strpbrk(term->text, "<>=!"))
        return aw_fail(
            err, AW_USAGE,
            "--where: invalid condition '%.*s' — write FIELD OP NUMBER, such as torque>5", length,
            from);
    return parse_value(term, err);
}

enum aw_status aw_where_parse(const char *text, struct aw_where *where, struct aw_error *err)
{
    enum aw_status status = AW_OK;
    for (const char *p = text; status == AW_OK;) {
        const char *end = find_term_end(p);
        struct aw_where_term term = {0};
        if (where->n + where->n_heads == AW_WHERE_TERMS)
            return aw_fail(err, AW_USAGE, "--where: more than %d conditions — remove some",
                           AW_WHERE_TERMS);
        status = parse_term(p, end, &term, err);
        if (status == AW_OK)
            status = add_term(where, &term, err);
        if (!*end)
            break;
        p = end + 4;
    }
    return status;
}

void aw_where_list_fields(const struct aw_where *where, struct aw_select *fields)
{
    fields->n = where->n;
    for (size_t i = 0; i < where->n; i++)
        fields->pattern[i] = where->terms[i].field;
}

/* Checks that the value has a unit that fits one of the matching fields. If not, returns the error
 * for the last one. */
static enum aw_status check_unit(const struct aw_where_term *term, struct aw_wire *wire,
                                 struct aw_error *err)
{
    const char *field = aw_select_field_part(term->field, wire);
    enum aw_status status = AW_OK;
    struct aw_error problem;
    for (struct aw_walk at = {0}; field && aw_walk_next(&at, wire, AW_BOTH);) {
        double number;
        if (!aw_select_matches_field(field, at.codec, at.scalar))
            continue;
        /* the unit depends on another field of the record */
        if (at.codec->scalars[at.scalar].scale_by >= 0)
            return AW_OK;
        status = aw_number_parse_unit(term->text, aw_scalar_range(at.codec, at.scalar, NULL).unit,
                                      &number, &problem);
        if (status == AW_OK)
            return AW_OK;
    }
    return status == AW_OK ? AW_OK : aw_fail(err, status, "--where: %s: %s", field, problem.text);
}

static enum aw_status check_message(const char *name, struct aw_wire *wire, struct aw_error *err)
{
    const char *names[AW_MAX_MESSAGES];
    size_t n = 0;
    if (aw_wire_codec(wire, name, AW_BOTH))
        return AW_OK;
    for (; n < wire->protocol->n_messages; n++)
        names[n] = wire->protocol->messages[n].name;
    return aw_fail_unknown(err, aw_suggest(name, names, n), "see 'describe'",
                           "--where: unknown message '%s'", name);
}

enum aw_status aw_where_check_units(const struct aw_where *where, struct aw_wire *wire,
                                    struct aw_error *err)
{
    enum aw_status status = AW_OK;
    for (size_t i = 0; i < where->n_heads && status == AW_OK; i++)
        if (!where->heads[i].is_dir)
            status = check_message(where->heads[i].text, wire, err);
    for (size_t i = 0; i < where->n && status == AW_OK; i++)
        if (where->terms[i].has_unit && where->terms[i].op != AW_WHERE_IS &&
            where->terms[i].op != AW_WHERE_IS_NOT)
            status = check_unit(&where->terms[i], wire, err);
    return status;
}

enum aw_status aw_where_check(const struct aw_where *where, const struct aw_names *names,
                              enum aw_subjects subjects, struct aw_error *err)
{
    struct aw_select fields;
    aw_where_list_fields(where, &fields);
    enum aw_status status = aw_select_check(&fields, names, subjects, err);
    return status == AW_OK ? aw_where_check_units(where, names->wire, err) : status;
}

static bool compare(enum aw_where_op op, double a, double b)
{
    switch (op) {
    case AW_WHERE_LESS:
        return a < b;
    case AW_WHERE_AT_MOST:
        return a <= b;
    case AW_WHERE_MORE:
        return a > b;
    case AW_WHERE_AT_LEAST:
        return a >= b;
    case AW_WHERE_IS:
        return a == b;
    default:
        return a != b;
    }
}

bool aw_where_find_number(const struct aw_where_term *term, const struct aw_point *point,
                          double *number)
{
    *number = term->number;
    if (!term->has_unit)
        return term->is_number;
    return aw_number_parse_unit(term->text, aw_point_unit(point), number, NULL) == AW_OK;
}

static bool is_within(const struct aw_where_term *term, const struct aw_point *point, double number)
{
    const char *unit = aw_point_unit(point);
    double tolerance = 0,
           step =
               point->codec ? aw_scalar_range(point->codec, point->scalar, point->record).scale : 0;
    if (aw_number_parse_unit(term->tolerance, unit ? unit : "", &tolerance, NULL) != AW_OK)
        tolerance = 0;
    return fabs(point->value - number) <=
           fmax(tolerance, fmax(fabs(step) / 2, fabs(number) * 1e-6));
}

static bool term_holds(const struct aw_where_term *term, const struct aw_point *point)
{
    double number;
    if (!isnan(point->value) && aw_where_find_number(term, point, &number))
        return term->tolerance && term->op == AW_WHERE_IS ? is_within(term, point, number)
                                                          : compare(term->op, point->value, number);
    if (!point->text || (term->op != AW_WHERE_IS && term->op != AW_WHERE_IS_NOT))
        return false;
    return (strcmp(point->text, term->text) == 0) == (term->op == AW_WHERE_IS);
}

bool aw_where_matches_head(const struct aw_where *where, const char *message, enum aw_dir dir)
{
    for (size_t i = 0; i < where->n_heads; i++) {
        const struct aw_where_head *head = &where->heads[i];
        const char *actual = !head->is_dir  ? message
                             : dir == AW_TX ? "tx"
                             : dir == AW_RX ? "rx"
                                            : NULL;
        if (!actual || (strcmp(actual, head->text) == 0) != head->is_equal)
            return false;
    }
    return true;
}

bool aw_where_holds(const struct aw_where *where, const struct aw_point *points, size_t n)
{
    for (size_t i = 0; i < where->n; i++) {
        const struct aw_where_term *term = &where->terms[i];
        struct aw_select select = {.n = 1, .pattern = {term->field}};
        size_t k = 0;
        while (k < n &&
               (aw_select_match(&select, &points[k]) != 0 || !term_holds(term, &points[k])))
            k++;
        if (k == n)
            return false;
    }
    return true;
}

static bool record_holds(const struct aw_where_term *term, const struct aw_record *record,
                         uint64_t scalars)
{
    for (uint64_t left = scalars & record->present; left; left &= left - 1) {
        struct aw_point point;
        aw_record_point(record, __builtin_ctzll(left), &point);
        if (term_holds(term, &point))
            return true;
    }
    return false;
}

bool aw_where_holds_record(const struct aw_where *where, const struct aw_record *record,
                           const uint64_t *scalars)
{
    for (size_t i = 0; i < where->n; i++)
        if (!record_holds(&where->terms[i], record, scalars[i]))
            return false;
    return true;
}
