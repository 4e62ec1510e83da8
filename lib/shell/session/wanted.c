/* Extracts the names in --fields and --format, and matches them against messages, rows and
 * results. */
#include "shell/session/wanted.h"

#include <stdio.h>
#include <string.h>

#include "base/text.h"
#include "shell/session/session.h"

/* Returns false for names that every record or result has. */
static bool is_value(const char *name)
{
    return !aw_select_is_head(name) && strcmp(name, "cmd") != 0 && strcmp(name, "ok") != 0;
}

enum aw_status aw_wanted_init(struct aw_wanted *wanted, struct aw_session *session)
{
    const char *fields = session->options.print.fields;
    const char *format = session->options.print.format;
    enum aw_status status = AW_OK;
    char *at = wanted->text, *rest = wanted->text, *name;
    *wanted = (struct aw_wanted){0};
    if (aw_session_style(session) != AW_STYLE_FORMAT)
        format = NULL;
    at += snprintf(at, 512, "%s", fields ? fields : "") + 1;
    at = at < wanted->text + 512 ? at : wanted->text + 512;
    while (status == AW_OK && (name = aw_next_name(&rest, ',')))
        status = is_value(name) ? aw_select_add(&wanted->any, name, &session->err) : AW_OK;
    while (status == AW_OK && format && (format = strstr(format, "%{"))) {
        int length = (int)strcspn(format += 2, "}");
        if (!format[length])
            return aw_fail(&session->err, AW_USAGE, "'%.40s': invalid reference — write %%{FIELD}",
                           format - 2);
        if (at + length >= wanted->text + sizeof wanted->text)
            break; /* the view reports that it is too long */
        snprintf(at, (size_t)length + 1, "%s", format);
        if (is_value(at) && wanted->all.n < AW_SELECT_MAX)
            status = aw_select_add(&wanted->all, at, &session->err);
        at += length + 1;
    }
    return status;
}

bool aw_wanted_has_points(const struct aw_wanted *wanted, const struct aw_point *points, size_t n)
{
    bool wants_all = wanted->any.n == 0;
    for (size_t i = 0; i < wanted->any.n && !wants_all; i++)
        wants_all = aw_select_matches_any(wanted->any.pattern[i], points, n);
    for (size_t i = 0; i < wanted->all.n && wants_all; i++)
        wants_all = aw_select_matches_any(wanted->all.pattern[i], points, n);
    return wants_all;
}

bool aw_wanted_has_scalars(const struct aw_wanted *wanted, uint64_t present, const uint64_t *any,
                           const uint64_t *all)
{
    bool fits = wanted->any.n == 0;
    for (size_t i = 0; i < wanted->any.n && !fits; i++)
        fits = any[i] & present;
    for (size_t i = 0; i < wanted->all.n && fits; i++)
        fits = all[i] & present;
    return fits;
}

/* ---- Rows and results ---- */

/* Returns true for commands that only show something, such as "gains show", although "gains set"
 * changes settings. */
static bool is_read_only(const struct aw_args *args)
{
    const struct aw_arg *arg = args->command->args;
    const char *action = aw_arg(args, "action", 0);
    while (arg && arg->name && strcmp(arg->name, "action") != 0)
        arg++;
    bool is_shown = !action || strcmp(action, "show") == 0 || strcmp(action, "diff") == 0;
    return args->command->safety == AW_READ || (arg && arg->name && is_shown);
}

/* Returns true if name is a joint's label in some message, or if messages have no labels. */
static bool is_label(const struct aw_wire *wire, const char *name)
{
    bool wants_all = false;
    for (size_t m = 0; m < wire->protocol->n_messages; m++) {
        const struct aw_field *row = wire->protocol->messages[m].fields;
        for (; row && row->type != AW_ROWS_END; row++)
            for (const char *const *label = row->labels; label && *label; label++) {
                wants_all = true;
                if (strcmp(*label, name) == 0)
                    return true;
            }
    }
    return !wants_all;
}

static bool are_result_keys(const struct aw_session *session, const struct aw_args *args,
                            aw_has_key_fn *has_key)
{
    const struct aw_wanted *wanted = &session->run.printing.wanted;
    const char *tool = session->tool->name, *command = args->command->name;
    for (size_t i = 0; i < wanted->all.n; i++) {
        const char *name = wanted->all.pattern[i], *dot = strrchr(name, '.');
        char group[64]; /* "before" in before.iae, or a joint */
        snprintf(group, sizeof group, "%.*s", dot ? (int)(dot - name) : 0, name);
        if (!has_key(tool, command, name) &&
            !(dot && has_key(tool, command, dot + 1) &&
              (has_key(tool, command, group) || is_label(session->run.printing.wire, group))))
            return false;
    }
    return wanted->all.n > 0;
}

enum aw_status aw_wanted_begin(struct aw_session *session, const struct aw_args *args,
                               aw_has_key_fn *has_key)
{
    struct aw_wanted *wanted = &session->run.printing.wanted;
    bool stops = aw_command_is_stop(args->command);
    enum aw_status status = aw_wanted_init(wanted, session);
    /* a stop is never refused for a wrong name */
    bool named = wanted->any.n + wanted->all.n > 0 && !stops;
    wanted->selects_entries = named && is_read_only(args);
    if (stops)
        return AW_OK;
    if (status == AW_OK && named && !wanted->selects_entries)
        status = aw_session_check_fields(session);
    if (status == AW_OK || wanted->any.n || !are_result_keys(session, args, has_key))
        return status;
    session->err = (struct aw_error){.status = AW_OK};
    wanted->selects_entries = wanted->selects_result = true;
    return AW_OK;
}

/* Returns the bits of the patterns that match this name. */
static unsigned match_name(const struct aw_select *select, const char *name)
{
    struct aw_point point = {.subject = "", .message = "", .field = name};
    unsigned bits = 0;
    snprintf(point.name, sizeof point.name, "%s", name);
    for (size_t i = 0; i < select->n; i++)
        bits |= aw_select_matches_any(select->pattern[i], &point, 1) ? 1u << i : 0;
    return bits;
}

bool aw_wanted_pick(struct aw_session *session, struct aw_object *object)
{
    struct aw_wanted *wanted = &session->run.printing.wanted;
    bool found = false;
    size_t n_kept = 0;
    if (!wanted->selects_entries)
        return true;
    for (size_t i = 0; i < object->n; i++) {
        const char *name = object->entries[i].key;
        unsigned matched = match_name(&wanted->any, name);
        if (is_value(name))
            aw_append_name(wanted->available, sizeof wanted->available, name);
        wanted->matched[0] |= matched;
        found = found || matched;
        wanted->matched[1] |= match_name(&wanted->all, name);
        if (matched || !is_value(name))
            object->entries[n_kept++] = object->entries[i];
    }
    if (wanted->any.n)
        object->n = n_kept;
    return !wanted->any.n || found;
}

bool aw_wanted_has_key(const struct aw_session *session, const char *key)
{
    const struct aw_wanted *wanted = &session->run.printing.wanted;
    return wanted->any.n + wanted->all.n == 0 || match_name(&wanted->any, key) ||
           match_name(&wanted->all, key);
}

static const char *find_unmatched(const struct aw_select *select, unsigned matched)
{
    for (size_t i = 0; i < select->n; i++)
        if (!(matched >> i & 1))
            return select->pattern[i];
    return NULL;
}

enum aw_status aw_wanted_end(struct aw_session *session, enum aw_status status)
{
    struct aw_wanted *wanted = &session->run.printing.wanted;
    if (status == AW_OK && session->result.cmd)
        aw_wanted_pick(session, &session->result);
    bool has_entries = wanted->selects_entries && *wanted->available && !session->run.printing.view;
    const char *name = find_unmatched(&wanted->any, wanted->matched[0]);
    name = name ? name : find_unmatched(&wanted->all, wanted->matched[1]);
    if (status != AW_OK || !has_entries || !name || wanted->selects_result)
        return status;
    return aw_fail(&session->err, AW_USAGE, "%s has no field '%.40s' — available: %s",
                   session->run.command->name, name, wanted->available);
}
